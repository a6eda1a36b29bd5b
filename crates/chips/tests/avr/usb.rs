//! The USB device of the ATmega32U4 (7766J, chapters 21 and 22), with a scripted host.

use cyclescope_avr::AvrPeripherals;
use cyclescope_machine::UsbAnswer::{Ack, Nak, Nothing, Stall};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{UsbAction, UsbAnswer};

use crate::bench::Bench;
use crate::usb_bus::{Cable, data};

const USBCON: u32 = 0xD8;
const USBSTA: u32 = 0xD9;
const USBINT: u32 = 0xDA;
const UDCON: u32 = 0xE0;
const UDINT: u32 = 0xE1;
const UDIEN: u32 = 0xE2;
const UDADDR: u32 = 0xE3;
const UDFNUML: u32 = 0xE4;
const UEINTX: u32 = 0xE8;
const UENUM: u32 = 0xE9;
const UECONX: u32 = 0xEB;
const UECFG0X: u32 = 0xEC;
const UECFG1X: u32 = 0xED;
const UESTA0X: u32 = 0xEE;
const UEIENX: u32 = 0xF0;
const UEDATX: u32 = 0xF1;
const UEBCLX: u32 = 0xF2;
const UEINT: u32 = 0xF4;
const PLLCSR: u32 = 0x49;

const MCUSR: u32 = 0x54;

const TXINI: u8 = 1 << 0;
const STALLEDI: u8 = 1 << 1;
const RXOUTI: u8 = 1 << 2;
const RXSTPI: u8 = 1 << 3;
const NAKOUTI: u8 = 1 << 4;
const RWAL: u8 = 1 << 5;
const NAKINI: u8 = 1 << 6;
const FIFOCON: u8 = 1 << 7;

const USB_GEN: usize = 10;
const USB_COM: usize = 11;

fn open(bench: &mut Bench, number: u8, configuration: [u8; 2]) {
    bench.write(UENUM, number);
    bench.write(UECONX, 1);
    bench.write(UECFG0X, configuration[0]);
    bench.write(UECFG1X, configuration[1]);
}

/// Attached, with its PLL locked, after a bus reset, with the address 5.
fn new() -> (Bench, Cable) {
    let mut bench = Bench::new();
    let cable = Cable::new(&mut bench, "USB");
    bench.write(PLLCSR, 0x12);
    bench.pass(2_000);
    bench.write(USBCON, 0x90);
    cable.act(&mut bench, UsbAction::Power(true));
    bench.write(UDCON, 0);
    cable.reset(&mut bench, 500);
    assert_eq!(bench.read(UDINT) & 0x08, 0x08, "EORSTI");
    bench.write(UDINT, 0);
    bench.write(UDADDR, 0x85);
    (bench, cable)
}

#[test]
fn the_cable_the_clock_and_detach_decide() {
    let mut bench = Bench::new();
    let cable = Cable::new(&mut bench, "USB");
    assert_eq!((bench.read(USBCON), bench.read(UDCON)), (0x20, 0x01), "frozen and detached");
    bench.write(USBCON, 0x91);
    cable.act(&mut bench, UsbAction::Power(true));
    assert_eq!((bench.read(USBSTA), bench.read(USBINT)), (0x0B, 1), "VBUS, and its change");
    assert!(bench.bus.shared.interrupts.is_high(USB_GEN));
    bench.write(USBINT, 0);
    assert!(!bench.bus.shared.interrupts.is_high(USB_GEN));
    assert_eq!(cable.state().pull_up, Some(false));
    bench.write(UDCON, 0);
    assert_eq!(cable.state().pull_up, Some(true));
    cable.reset(&mut bench, 500);
    assert_eq!(bench.read(UDINT), 0);
    assert!(bench.gaps().iter().any(|gap| gap.contains("the PLL has not locked")), "{:?}", bench.gaps());
    // 96 MHz without the divider are none.
    bench.write(0x52, 0x0A);
    bench.write(PLLCSR, 0x12);
    bench.pass(2_000);
    cable.reset(&mut bench, 500);
    assert!(bench.gaps().iter().any(|gap| gap.contains("not 48 MHz")), "{:?}", bench.gaps());
    bench.write(0x52, 0x4A);
    cable.reset(&mut bench, 500);
    assert_eq!(bench.read(UDINT), 0x08);
    bench.write(UDCON, 1);
    assert_eq!(cable.state().pull_up, Some(false), "detached");
}

#[test]
fn a_request_is_read_and_answered_byte_by_byte() {
    let (mut bench, cable) = new();
    open(&mut bench, 0, [0, 0x32]);
    assert_eq!(bench.read(UESTA0X) & 0x80, 0x80, "CFGOK");
    bench.write(UEIENX, RXSTPI);
    let request = [0x80, 6, 0, 1, 0, 0, 64, 0];
    assert_eq!(cable.setup(&mut bench, 4, request), Nothing, "another's address");
    assert_eq!(cable.setup(&mut bench, 5, request), Ack);
    assert!(bench.bus.shared.interrupts.is_high(USB_COM) && bench.read(UEINT) == 1);
    assert_eq!((bench.read(UEINTX) & 0x0F, bench.read(UEBCLX)), (RXSTPI, 8));
    let read: Vec<u8> = (0..8).map(|_| bench.read(UEDATX)).collect();
    assert_eq!(read, request);
    // As Arduino's core does it: TXINI is not set yet, and no packet goes out.
    bench.write(UEINTX, !(RXSTPI | TXINI | RXOUTI));
    assert_eq!(bench.read(UEINTX) & TXINI, TXINI);
    assert!(!bench.bus.shared.interrupts.is_high(USB_COM));
    assert_eq!(cable.ask(&mut bench, (5, 0), true), Nak);
    assert_eq!(bench.read(UEINTX) & NAKINI, NAKINI);
    b"abc".iter().for_each(|byte| bench.write(UEDATX, *byte));
    assert_eq!(bench.read(UEBCLX), 3);
    bench.write(UEINTX, !TXINI & !RXOUTI);
    assert_eq!(bench.read(UEINTX) & TXINI, 0);
    assert_eq!(cable.ask(&mut bench, (5, 0), false), data(true, b"abc"));
    assert_eq!(cable.ask(&mut bench, (5, 0), true), data(true, b"abc"));
    assert_eq!(bench.read(UEINTX) & TXINI, TXINI, "the bank is free again");
    assert_eq!(cable.out(&mut bench, (5, 0), true, b""), Ack);
    assert_eq!(bench.read(UEINTX) & RXOUTI, RXOUTI);
    bench.write(UECONX, 0x21);
    assert_eq!(cable.ask(&mut bench, (5, 0), true), Stall);
    assert_eq!(cable.setup(&mut bench, 5, request), Ack);
    assert_eq!((bench.read(UECONX), cable.ask(&mut bench, (5, 0), true)), (1, Nak), "the halt has ended");
    // Endpoint 2 may not have 128 bytes, and all together not more than there are.
    open(&mut bench, 2, [0x80, 0x42]);
    assert_eq!(bench.read(UESTA0X) & 0x80, 0);
    assert_eq!(cable.out(&mut bench, (5, 2), false, b"x"), Nothing);
    assert!(bench.gaps().is_empty(), "{:?}", bench.gaps());
}

#[test]
fn silence_suspends_and_frames_are_counted() {
    let (mut bench, cable) = new();
    bench.write(UDIEN, 0x11);
    cable.act(&mut bench, UsbAction::Frame(0x345));
    assert_eq!((bench.read(UDINT), bench.read(UDFNUML), bench.read(UDFNUML + 1)), (0x04, 0x45, 3));
    bench.write(UDINT, 0);
    bench.pass(47_990);
    assert_eq!(bench.read(UDINT), 0);
    bench.pass(20);
    assert_eq!(bench.read(UDINT), 0x01, "SUSPI after 3 ms");
    assert!(bench.bus.shared.interrupts.is_high(USB_GEN));
    bench.write(UDINT, 0);
    bench.write(USBCON, 0xB0);
    bench.write(UDCON, 2);
    assert!(cable.state().wakes);
    cable.act(&mut bench, UsbAction::Resume(true));
    assert_eq!(bench.read(UDINT) & 0x10, 0x10, "WAKEUPI without a clock");
    bench.write(USBCON, 0x90);
    cable.act(&mut bench, UsbAction::Resume(false));
    assert_eq!((bench.read(UDINT) & 0x20, bench.read(UDCON)), (0x20, 0), "EORSMI, and RMWKUP is done");
}

/// The core falls asleep in `mode`, or wakes up.
fn sleep(bench: &mut Bench, asleep: bool, mode: u8) {
    let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
    devices.sleep_mode(asleep, mode, &mut context);
}

#[test]
fn power_down_stops_the_clock_of_usb_and_idle_does_not() {
    let (mut bench, cable) = new();
    open(&mut bench, 0, [0, 0x32]);
    bench.write(UDIEN, 0x14);
    for (mode, answer, flag) in [(0, Nak, 0x04), (1, Nak, 0x04), (2, Nothing, 0), (3, Nothing, 0), (6, Nothing, 0)] {
        bench.write(UDINT, 0);
        sleep(&mut bench, true, mode);
        cable.act(&mut bench, UsbAction::Frame(1));
        assert_eq!(cable.ask(&mut bench, (5, 0), true), answer, "mode {mode}");
        assert_eq!(bench.bus.shared.interrupts.is_high(USB_GEN), flag != 0, "mode {mode}: SOFI");
        // 7766J §7.3: power-down halts all generated clocks, and silence is not counted.
        bench.pass(60_000);
        sleep(&mut bench, false, mode);
        let suspended = u8::from(mode < 2);
        assert_eq!(bench.read(UDINT), flag | suspended, "mode {mode}");
        cable.act(&mut bench, UsbAction::Frame(2));
        assert_eq!(bench.read(UDINT) & 0x04, 0x04, "mode {mode}: awake");
    }
    // Table 7-1: WAKEUPI comes without a clock.
    bench.write(UDINT, 0);
    bench.pass(60_000);
    assert_eq!(bench.read(UDINT), 0x01, "SUSPI");
    sleep(&mut bench, true, 2);
    cable.act(&mut bench, UsbAction::Resume(true));
    assert!(bench.bus.shared.interrupts.is_high(USB_GEN));
    assert_eq!(bench.read(UDINT), 0x11);
}

#[test]
fn a_device_that_waits_for_a_host_where_there_is_none_is_named() {
    let mut bench = Bench::new();
    bench.write(USBCON, 0x90);
    assert!(bench.gaps().is_empty());
    bench.write(UDCON, 0);
    assert_eq!(bench.gaps(), ["USB: no host is at the other end of its cable (--attach usb-host@usb)"]);
}

/// A generator of random numbers (Marsaglia 2003, xorshift64).
struct Random(u64);

impl Random {
    fn of(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % count
    }
}

/// Both ways of a pipe by endpoints of one or (`banks`) two banks, and software that is late at random.
fn traffic(banks: u8, seed: u64) {
    let (mut bench, cable) = new();
    let mut random = Random(seed);
    open(&mut bench, 1, [0x80, 0x32 | banks]);
    open(&mut bench, 2, [0x81, 0x32 | banks]);
    let (mut sent, mut taken, mut given, mut heard) = (vec![], vec![], vec![], vec![]);
    let (mut out_toggle, mut in_toggle, mut next) = (false, false, 0u8);
    let mut packet = |random: &mut Random| -> Vec<u8> {
        (0..random.of(65))
            .map(|_| {
                next = next.wrapping_add(1);
                next
            })
            .collect()
    };
    let mut outgoing = packet(&mut random);
    for _ in 0..2_000 {
        match random.of(4) {
            0 => {
                let answer = cable.out(&mut bench, (5, 1), out_toggle, &outgoing);
                if answer == Ack && random.of(4) != 0 {
                    sent.extend(outgoing);
                    (outgoing, out_toggle) = (packet(&mut random), !out_toggle);
                }
            }
            1 => {
                let lost = random.of(4) == 0;
                if let UsbAnswer::Data { toggle, data } = cable.ask(&mut bench, (5, 2), !lost)
                    && !lost
                {
                    assert_eq!(toggle, in_toggle);
                    heard.extend(data);
                    in_toggle = !in_toggle;
                }
            }
            2 => {
                bench.write(UENUM, 1);
                if bench.read(UEINTX) & RXOUTI != 0 {
                    bench.write(UEINTX, !RXOUTI);
                    while bench.read(UEINTX) & RWAL != 0 {
                        taken.push(bench.read(UEDATX));
                    }
                    bench.write(UEINTX, !FIFOCON);
                }
            }
            _ => {
                bench.write(UENUM, 2);
                if bench.read(UEINTX) & TXINI != 0 {
                    bench.write(UEINTX, !TXINI & !RXOUTI);
                    let bytes = packet(&mut random);
                    bytes.iter().for_each(|byte| bench.write(UEDATX, *byte));
                    given.extend(bytes);
                    bench.write(UEINTX, !FIFOCON & !RXOUTI);
                }
            }
        }
    }
    assert!(sent.len() > 2_000 && heard.len() > 2_000, "{} {}", sent.len(), heard.len());
    assert!(taken.starts_with(&sent[..sent.len().saturating_sub(128)]), "seed {seed}");
    assert!(taken.len() <= sent.len() + 64 && given.starts_with(&heard), "seed {seed}");
}

#[test]
fn bytes_arrive_once_in_order_and_whole() {
    for seed in 1..=8 {
        traffic(0, seed * 0x9E37_79B9);
        traffic(4, seed * 0x9E37_79B9);
    }
}

#[test]
fn a_halted_bulk_endpoint_stalls_and_begins_with_data0() {
    let (mut bench, cable) = new();
    open(&mut bench, 1, [0x80, 0x32]);
    open(&mut bench, 2, [0x81, 0x32]);
    bench.write(UEIENX, STALLEDI);
    // A packet each way, so that DATA1 is next.
    bench.write(UEDATX, 1);
    bench.write(UEINTX, !(TXINI | FIFOCON | RXOUTI));
    assert_eq!(cable.ask(&mut bench, (5, 2), true), data(false, &[1]));
    assert_eq!(cable.out(&mut bench, (5, 1), false, b"x"), Ack);
    for (number, stalled) in [(1, cable.out(&mut bench, (5, 1), true, b"y")), (2, Nak)] {
        assert_eq!(stalled, Nak, "the bank is full, or none is");
        bench.write(UENUM, number);
        bench.write(UECONX, 0x21);
    }
    assert_eq!(cable.out(&mut bench, (5, 1), true, b"y"), Stall);
    assert_eq!(cable.ask(&mut bench, (5, 2), true), Stall);
    assert!(bench.bus.shared.interrupts.is_high(USB_COM) && bench.read(UEINT) == 4, "STALLEDI of the one that asks");
    bench.write(UEINTX, !(STALLEDI | RXOUTI));
    assert!(!bench.bus.shared.interrupts.is_high(USB_COM));
    // STALLRQC and RSTDT, as an answer to CLEAR_FEATURE.
    bench.write(UECONX, 0x19);
    assert_eq!((bench.read(UECONX), cable.ask(&mut bench, (5, 2), true)), (1, Nak));
    bench.write(UEDATX, 2);
    bench.write(UEINTX, !(TXINI | FIFOCON | RXOUTI));
    assert_eq!(cable.ask(&mut bench, (5, 2), true), data(false, &[2]), "DATA0 again");
    bench.write(UENUM, 1);
    bench.write(UECONX, 0x19);
    assert_eq!(bench.read(UEDATX), b'x', "what came before the halt is still there");
    bench.write(UEINTX, !(RXOUTI | FIFOCON));
    assert_eq!(cable.out(&mut bench, (5, 1), true, b"y"), Ack, "a repeated packet is confirmed");
    assert_eq!(bench.read(UEINTX) & RXOUTI, 0, "and dropped");
    assert_eq!(cable.out(&mut bench, (5, 1), false, b"z"), Ack);
    assert_eq!((bench.read(UEINTX) & RXOUTI, bench.read(UEDATX)), (RXOUTI, b'z'));
}

#[test]
fn two_banks_take_two_packets_before_the_third_waits() {
    let (mut bench, cable) = new();
    open(&mut bench, 1, [0x80, 0x36]);
    for (toggle, text) in [(false, b"first "), (true, b"second")] {
        assert_eq!(cable.out(&mut bench, (5, 1), toggle, text), Ack);
    }
    assert_eq!(bench.read(UESTA0X) & 3, 2, "both are busy");
    assert_eq!(cable.out(&mut bench, (5, 1), false, b"third"), Nak);
    assert_eq!(bench.read(UEINTX) & NAKOUTI, NAKOUTI);
    bench.write(UEINTX, !RXOUTI);
    assert_eq!((bench.read(UEDATX), bench.read(UEBCLX)), (b'f', 5));
    bench.write(UEINTX, !FIFOCON);
    assert_eq!((bench.read(UEINTX) & RXOUTI, bench.read(UEDATX)), (RXOUTI, b's'), "the other bank has come forward");
    assert_eq!(cable.out(&mut bench, (5, 1), false, b"third"), Ack);
    // To the host: a bank is written while the other waits.
    open(&mut bench, 2, [0x81, 0x36]);
    for byte in [1, 2] {
        assert_eq!(bench.read(UEINTX) & TXINI, TXINI, "{byte}");
        bench.write(UEINTX, !(TXINI | RXOUTI));
        bench.write(UEDATX, byte);
        bench.write(UEINTX, !(FIFOCON | RXOUTI));
    }
    assert_eq!((bench.read(UEINTX) & (TXINI | RWAL), bench.read(UESTA0X) & 3), (0, 2), "no room");
    bench.write(UEDATX, 3);
    assert_eq!(cable.ask(&mut bench, (5, 2), true), data(false, &[1]));
    assert_eq!((bench.read(UEINTX) & TXINI, bench.read(UESTA0X) & 3), (TXINI, 1));
    // KILLBK takes back what was handed over last.
    bench.write(UEINTX, 0xFF);
    assert_eq!(bench.read(UESTA0X) & 3, 0);
    assert_eq!(cable.ask(&mut bench, (5, 2), true), Nak);
}

#[test]
fn memory_given_out_of_order_loses_data_and_is_named_where_two_meet() {
    let (mut bench, cable) = new();
    for number in 0..5 {
        open(&mut bench, number, [if number == 0 { 0 } else { 0x81 }, 0x32]);
        assert_eq!(bench.read(UESTA0X) & 0x80, 0x80, "CFGOK of {number}");
    }
    for number in [3, 4] {
        bench.write(UENUM, number);
        bench.write(UEDATX, number);
        bench.write(UEINTX, !(TXINI | FIFOCON | RXOUTI));
    }
    assert!(bench.gaps().is_empty());
    // Endpoint 2 with twice as much: 3 moves and has lost its packet, 4 stays and is met.
    bench.write(UENUM, 2);
    bench.write(UECFG1X, 0x36);
    assert_eq!(bench.read(UESTA0X) & 0x80, 0x80, "CFGOK in spite of the conflict");
    assert_eq!(cable.ask(&mut bench, (5, 3), true), Nak);
    assert_eq!(cable.ask(&mut bench, (5, 4), true), data(false, &[4]));
    assert_eq!(bench.gaps(), ["USB: endpoints 3 and 4 share memory (UECFG1X, not in growing order)"]);
    // A reset of the bus forgets all but endpoint 0's.
    cable.reset(&mut bench, 500);
    bench.write(UDADDR, 0x85);
    open(&mut bench, 1, [0x81, 0x56]);
    assert_eq!(bench.read(UESTA0X) & 0x80, 0x80, "512 bytes for endpoint 1");
    open(&mut bench, 2, [0x81, 0x36]);
    assert_eq!(bench.read(UESTA0X) & 0x80, 0x80);
    open(&mut bench, 3, [0x81, 0x36]);
    assert_eq!(bench.read(UESTA0X) & 0x80, 0x80, "64, 512 and twice 128 bytes are all 832");
    open(&mut bench, 4, [0x81, 0x02]);
    assert_eq!(bench.read(UESTA0X) & 0x80, 0x00, "not a byte is left");
}

#[test]
fn the_bus_resets_the_cpu_and_the_device_stays_attached() {
    let (mut bench, cable) = new();
    open(&mut bench, 0, [0, 0x32]);
    bench.write(UDCON, 0x08);
    bench.write(UDINT, 0);
    cable.reset(&mut bench, 500);
    let cause = bench.bus.shared.reset.take().expect("a reset was asked for");
    assert_eq!(cause, "the end of a reset on USB");
    bench.write(MCUSR, 0);
    let restart = |bench: &mut Bench, cause: &str| {
        let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
        devices.reset(cause, &mut context);
    };
    restart(&mut bench, cause);
    assert_eq!((bench.read(MCUSR), cable.state().pull_up), (0, Some(true)), "no flag tells of it");
    assert_eq!((bench.read(UDCON), bench.read(UDINT) & 0x08, bench.read(PLLCSR)), (0x08, 0x08, 0));
    // Without the PLL it does not hear, which is no fault of the program's yet.
    assert_eq!(cable.setup(&mut bench, 0, [0; 8]), Nothing);
    assert!(bench.gaps().is_empty(), "{:?}", bench.gaps());
    bench.write(PLLCSR, 0x12);
    bench.pass(2_000);
    assert_eq!(cable.setup(&mut bench, 0, [0; 8]), Ack);
    // Any other reset ends it all.
    restart(&mut bench, "pin");
    assert_eq!((bench.read(UDCON), cable.state().pull_up), (1, Some(false)));
}

#[test]
fn frames_interrupt_each_millisecond_while_they_are_let_in() {
    let (mut bench, cable) = new();
    bench.write(UDIEN, 0x04);
    for number in 0..4 {
        bench.pass(15_990);
        assert!(!bench.bus.shared.interrupts.is_high(USB_GEN), "frame {number}");
        cable.act(&mut bench, UsbAction::Frame(number));
        assert!(bench.bus.shared.interrupts.is_high(USB_GEN), "frame {number}");
        assert_eq!((bench.read(UDINT), bench.read(UDFNUML)), (0x04, number as u8));
        bench.write(UDINT, !0x04);
    }
    bench.write(UDIEN, 0);
    cable.act(&mut bench, UsbAction::Frame(9));
    assert_eq!(bench.read(UDINT), 0x04);
    assert!(!bench.bus.shared.interrupts.is_high(USB_GEN));
}
