//! The USB device of the STM32F103 (RM0008, "Universal serial bus full-speed device interface"), with a scripted host.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::UsbAnswer::{Ack, Nak, Nothing, Stall};
use cyclescope_machine::{GapKind, UsbAction, Width};

use crate::bench::Bench;
use crate::f103_clocks;
use crate::usb_bus::{Cable, data};

const USB: u32 = 0x4000_5C00;
const CNTR: u32 = USB + 0x40;
const ISTR: u32 = USB + 0x44;
const FNR: u32 = USB + 0x48;
const DADDR: u32 = USB + 0x4C;
const MEMORY: u32 = 0x4000_6000;

const HP: usize = 19;
const LP: usize = 20;

const CTR_RX: u32 = 1 << 15;
const CTR_TX: u32 = 1 << 7;
const SETUP: u32 = 1 << 11;
const VALID: u32 = 3;
const MILLISECOND: u64 = 72_000;

/// A device with its transceiver on, after a bus reset, with the address 5 and every interrupt on.
fn new() -> (Bench, Cable) {
    let mut bench = f103_clocks::fast(MemorySetting::Equal);
    let cable = Cable::new(&mut bench, "USB");
    bench.write(CNTR, 1);
    bench.write(CNTR, 0);
    bench.write(ISTR, 0);
    cable.reset(&mut bench, 2_000);
    bench.write(ISTR, 0);
    bench.write(DADDR, 0x85);
    bench.write(CNTR, 0xFF00);
    (bench, cable)
}

fn epr(bench: &mut Bench, index: u32) -> u32 {
    bench.read(USB + index * 4)
}

/// Brings the toggled bits of EPnR to `toggled`, keeping the others.
fn set(bench: &mut Bench, index: u32, mask: u32, toggled: u32) {
    let now = epr(bench, index);
    bench.write(USB + index * 4, now & 0x070F | 0x8080 | (now & mask) ^ toggled);
}

fn memory(bench: &mut Bench, at: u32) -> u32 {
    bench.read(MEMORY + at * 2)
}

fn set_memory(bench: &mut Bench, at: u32, value: u32) {
    bench.write(MEMORY + at * 2, value);
}

/// Endpoint `index` of kind `bits`, STAT_TX and STAT_RX as given; its two buffers have 64 bytes, from endpoint 3 on 16.
fn open(bench: &mut Bench, index: u32, bits: u32, transmit: u32, receive: u32) {
    let (first, size, count) =
        if index < 3 { (0x80 + index * 128, 64, 0x8400) } else { (0x120 + index * 32, 16, 0x2000) };
    for (entry, at) in [(0, 0), (4, size)] {
        set_memory(bench, index * 8 + entry, first + at);
        set_memory(bench, index * 8 + entry + 2, count);
    }
    bench.write(USB + index * 4, bits | index);
    set(bench, index, 0x3030, transmit << 4 | receive << 12);
}

fn received(bench: &mut Bench, entry: u32) -> Vec<u8> {
    let (from, count) = (memory(bench, entry), memory(bench, entry + 2) & 0x3FF);
    (0..count).map(|place| (memory(bench, from + (place & !1)) >> (8 * (place & 1))) as u8).collect()
}

fn put(bench: &mut Bench, entry: u32, bytes: &[u8]) {
    let to = memory(bench, entry);
    for (place, pair) in (0..).zip(bytes.chunks(2)) {
        let word = u32::from(pair[0]) | u32::from(*pair.get(1).unwrap_or(&0)) << 8;
        set_memory(bench, to + place * 2, word);
    }
    set_memory(bench, entry + 2, bytes.len() as u32);
}

#[test]
fn software_toggles_clears_and_sets_the_bits_of_an_endpoint() {
    let (mut bench, _) = new();
    bench.write(USB + 8, 0x3030 | 0x0600 | 3);
    assert_eq!(epr(&mut bench, 2), 0x3633);
    bench.write(USB + 8, 0x1010 | 0x4040 | 0x0200 | 4 | SETUP);
    assert_eq!(epr(&mut bench, 2), 0x2264 | 0x4000, "STAT and DTOG toggle, SETUP is not written");
    // Half-word writes are what most stacks do.
    bench.try_write(USB + 8, Width::Half, 0x4040 | 0x8080 | 0x0204).unwrap();
    assert_eq!(epr(&mut bench, 2), 0x2224);
}

#[test]
fn a_request_is_taken_and_answered() {
    let (mut bench, cable) = new();
    open(&mut bench, 0, 0x0200, 2, VALID);
    let request = [0x80, 6, 0, 1, 0, 0, 64, 0];
    assert_eq!(cable.setup(&mut bench, 4, request), Nothing, "another's address");
    assert_eq!(cable.setup(&mut bench, 5, request), Ack);
    assert_eq!(epr(&mut bench, 0), CTR_RX | 0x4000 | 2 << 12 | SETUP | 0x0200 | 0x0040 | 2 << 4);
    assert_eq!(received(&mut bench, 4), request);
    assert_eq!(bench.read(ISTR) & 0x801F, 0x8010, "CTR, DIR, EP_ID");
    assert!(bench.bus.shared.interrupts.is_high(LP) && !bench.bus.shared.interrupts.is_high(HP));
    assert_eq!(cable.setup(&mut bench, 5, request), Nothing, "CTR_RX is still set");
    assert_eq!(cable.ask(&mut bench, (5, 0), true), Nak);
    let register = epr(&mut bench, 0);
    bench.write(USB, register & 0x070F | CTR_TX);
    assert!(!bench.bus.shared.interrupts.is_high(LP));
    put(&mut bench, 0, b"odd");
    set(&mut bench, 0, 0x3030, VALID << 4 | VALID << 12);
    // The host has not heard it the first time.
    assert_eq!(cable.ask(&mut bench, (5, 0), false), data(true, b"odd"));
    assert_eq!(bench.read(ISTR) & 0xA01F, 0x2000, "ERR");
    assert_eq!(cable.ask(&mut bench, (5, 0), true), data(true, b"odd"));
    assert_eq!(epr(&mut bench, 0) & (CTR_TX | 0x70), CTR_TX | 2 << 4, "NAK, DATA0 is next");
    assert_eq!(bench.read(ISTR) & 0x801F, 0x8000);
    // Confirmed by an empty packet; with STATUS_OUT one with data is refused.
    bench.write(USB, 0x8000 | 0x0300);
    assert_eq!(cable.out(&mut bench, (5, 0), true, b"x"), Stall);
    assert_eq!(cable.out(&mut bench, (5, 0), true, b""), Ack);
    assert_eq!(epr(&mut bench, 0) & (CTR_RX | SETUP), CTR_RX);
    assert!(bench.gaps(GapKind::Setting).is_empty());
}

#[test]
fn an_endpoint_answers_as_its_status_says_and_data_come_once() {
    let (mut bench, cable) = new();
    open(&mut bench, 1, 0, VALID, VALID);
    assert_eq!(cable.out(&mut bench, (5, 1), false, &[7; 64]), Ack);
    assert_eq!((received(&mut bench, 12).len(), received(&mut bench, 12)[63]), (64, 7));
    assert_eq!(cable.out(&mut bench, (5, 1), true, &[8]), Nak, "not read yet");
    bench.write(USB + 4, 1 | CTR_TX);
    set(&mut bench, 1, 0x3000, VALID << 12);
    assert_eq!(cable.out(&mut bench, (5, 1), false, &[9; 64]), Ack, "the host repeats the first packet");
    assert_eq!(epr(&mut bench, 1) & CTR_RX, 0, "and it is not taken again");
    assert_eq!(cable.out(&mut bench, (5, 1), true, &[8]), Ack);
    for (status, answer) in [(0, Nothing), (1, Stall), (2, Nak)] {
        set(&mut bench, 1, 0x3030, status << 4 | status << 12);
        assert_eq!(cable.out(&mut bench, (5, 1), false, &[1]), answer);
        assert_eq!(cable.ask(&mut bench, (5, 1), true), answer);
    }
    // A buffer of four bytes: what does not fit is refused, and nothing behind it is touched.
    open(&mut bench, 2, 0, 0, VALID);
    set_memory(&mut bench, 22, 2 << 10);
    set_memory(&mut bench, 20, 0x40);
    set_memory(&mut bench, 0x44, 0x5555);
    assert_eq!(cable.out(&mut bench, (5, 2), false, &[1, 2, 3, 4, 5, 6]), Stall);
    assert_eq!((memory(&mut bench, 0x42), memory(&mut bench, 0x44)), (0x0403, 0x5555));
    assert_eq!(epr(&mut bench, 2) & CTR_RX, 0);
}

#[test]
fn two_buffers_take_turns_and_isochronous_data_need_no_answer() {
    let (mut bench, cable) = new();
    // Bulk OUT with two buffers: DTOG_RX is the device's, SW_BUF (DTOG_TX) the software's.
    open(&mut bench, 3, 0x0100, 0, VALID);
    assert_eq!(cable.out(&mut bench, (5, 3), false, b"a"), Nak, "both are the same: nothing is free");
    set(&mut bench, 3, 0, 1 << 6);
    assert_eq!(cable.out(&mut bench, (5, 3), false, b"b"), Ack);
    assert!(bench.bus.shared.interrupts.is_high(HP), "the fast interrupt");
    assert_eq!(received(&mut bench, 24), b"b");
    assert_eq!(cable.out(&mut bench, (5, 3), true, b"c"), Nak);
    set(&mut bench, 3, 0, 1 << 6);
    assert_eq!(cable.out(&mut bench, (5, 3), true, b"c"), Ack);
    assert_eq!((received(&mut bench, 28), epr(&mut bench, 3) >> 12 & 3), (b"c".to_vec(), VALID));
    // Isochronous IN.
    open(&mut bench, 4, 0x0400, VALID, 0);
    put(&mut bench, 32, b"first");
    put(&mut bench, 36, b"second");
    assert_eq!(cable.ask(&mut bench, (5, 4), true), data(false, b"first"));
    assert_eq!(cable.ask(&mut bench, (5, 4), true), data(false, b"second"));
    assert_eq!(cable.ask(&mut bench, (5, 4), true), data(false, b"first"));
    assert_eq!(epr(&mut bench, 4) & (CTR_TX | 0x30), CTR_TX | VALID << 4);
    // Isochronous OUT.
    open(&mut bench, 5, 0x0400, 0, VALID);
    assert_eq!(cable.out(&mut bench, (5, 5), false, b"x"), Nothing);
    assert_eq!(cable.out(&mut bench, (5, 5), false, b"yz"), Nothing);
    assert_eq!((received(&mut bench, 40), received(&mut bench, 44)), (b"x".to_vec(), b"yz".to_vec()));
}

#[test]
fn silence_suspends_and_the_bus_wakes() {
    let (mut bench, cable) = new();
    for number in 1..=3 {
        assert_eq!(cable.act(&mut bench, UsbAction::Frame(number)), None);
        assert_eq!(bench.read(ISTR) & 0x0F00, 0x0200, "SOF and no ESOF");
        bench.write(ISTR, 0);
        bench.pass(MILLISECOND - 2);
    }
    assert_eq!(bench.read(FNR), 1 << 15 | 1 << 13 | 3);
    bench.pass(MILLISECOND / 10);
    assert_eq!((bench.read(ISTR) & 0x0F00, bench.read(FNR) >> 11 & 7), (0x0100, 1), "ESOF, LSOF 1, not locked");
    bench.pass(2 * MILLISECOND);
    assert_eq!(bench.read(ISTR) & 0x0F00, 0x0900, "SUSP after three");
    bench.write(CNTR, 0xFF08);
    bench.write(CNTR, 0xFF0C);
    bench.write(ISTR, 0);
    bench.pass(10 * MILLISECOND);
    assert_eq!(bench.read(ISTR), 0, "suspended, nothing is counted");
    assert!(!cable.state().wakes);
    bench.write(CNTR, 0xFF18);
    assert!(cable.state().wakes, "RESUME reaches the host");
    bench.write(CNTR, 0xFF0C);
    cable.act(&mut bench, UsbAction::Resume(true));
    assert_eq!((bench.read(ISTR), bench.read(CNTR)), (1 << 12, 0xFF08), "WKUP, and LP_MODE is off");
    assert_eq!(bench.read(FNR) >> 14, 1, "K");
    assert!(bench.bus.shared.interrupts.is_high(LP));
    cable.act(&mut bench, UsbAction::Resume(false));
    bench.write(CNTR, 0xFF00);
    bench.write(ISTR, 0);
    // A reset of the bus forgets the address and the endpoints.
    open(&mut bench, 1, 0x0200, 2, VALID);
    cable.reset(&mut bench, 1_000);
    assert_eq!((bench.read(ISTR), bench.read(DADDR), epr(&mut bench, 1)), (1 << 10, 0, 0));
}

#[test]
fn a_wrong_clock_is_told_and_nothing_answers() {
    for (cfgr, says) in [(7 << 18 | 1 << 22, "72.0 MHz"), (1 << 18, "16.0 MHz")] {
        let mut bench = Bench::of("stm32f103c8", MemorySetting::Equal);
        let cable = Cable::new(&mut bench, "USB");
        bench.write(f103_clocks::CR, 0x0001_0083);
        bench.pass(16_000);
        bench.write(f103_clocks::CFGR, cfgr | 1 << 16);
        bench.write(f103_clocks::CR, 0x0101_0083);
        bench.pass(1_600);
        bench.write(f103_clocks::RCC + 0x1C, 1 << 23);
        bench.write(CNTR, 0);
        cable.reset(&mut bench, 100);
        assert_eq!(bench.read(ISTR) & 1 << 10, 0);
        let gaps = bench.gaps(GapKind::Setting).join("\n");
        assert!(gaps.contains("USB: its clock is ") && gaps.contains("not 48 MHz"), "{says}: {gaps}");
    }
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

/// Both ways of a pipe, with one buffer each or (`double`) two endpoints of two buffers, and software that is late at random.
fn traffic(double: bool, seed: u64) {
    let (mut bench, cable) = new();
    let mut random = Random(seed);
    let kind = if double { 0x0100 } else { 0 };
    open(&mut bench, 1, kind, 0, VALID);
    open(&mut bench, 2, kind, if double { VALID } else { 2 }, 0);
    if double {
        set(&mut bench, 1, 0, 1 << 6);
    }
    let (mut sent, mut taken) = (Vec::new(), Vec::new());
    let (mut given, mut heard) = (Vec::new(), Vec::new());
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
                // One acknowledgement in four is lost, and the host repeats.
                if answer == Ack && random.of(4) != 0 {
                    sent.extend(outgoing);
                    (outgoing, out_toggle) = (packet(&mut random), !out_toggle);
                }
            }
            1 => {
                // An acknowledgement that is lost leaves the device with its data.
                let lost = random.of(4) == 0;
                if let cyclescope_machine::UsbAnswer::Data { toggle, data } = cable.ask(&mut bench, (5, 2), !lost)
                    && toggle == in_toggle
                    && !lost
                {
                    heard.extend(data);
                    in_toggle = !in_toggle;
                }
            }
            2 if epr(&mut bench, 1) & CTR_RX != 0 => {
                let register = epr(&mut bench, 1);
                let entry = if double && register & 1 << 14 != 0 { 8 } else { 12 };
                taken.extend(received(&mut bench, entry));
                bench.write(USB + 4, register & 0x070F | CTR_TX);
                if double {
                    set(&mut bench, 1, 0, 1 << 6);
                } else {
                    set(&mut bench, 1, 0x3000, VALID << 12);
                }
            }
            3 => {
                let register = epr(&mut bench, 2);
                let (dtog, buffer) = (register & 1 << 6 != 0, register & 1 << 14 != 0);
                let free = if double { dtog == buffer } else { register >> 4 & 3 == 2 };
                if free {
                    let bytes = packet(&mut random);
                    // The software's buffer is the one that SW_BUF names.
                    put(&mut bench, if double && buffer { 20 } else { 16 }, &bytes);
                    given.extend(bytes);
                    bench.write(USB + 8, register & 0x070F | CTR_RX);
                    if double {
                        set(&mut bench, 2, 0, 1 << 14);
                    } else {
                        set(&mut bench, 2, 0x30, VALID << 4);
                    }
                }
            }
            _ => {}
        }
    }
    assert!(sent.len() > 2_000 && heard.len() > 2_000, "{} {}", sent.len(), heard.len());
    // What is still in a buffer has not been read yet.
    assert!(taken.starts_with(&sent[..sent.len().saturating_sub(128)]), "seed {seed}");
    assert!(given.starts_with(&heard), "seed {seed}");
    assert!(taken.len() <= sent.len() + 64 && given.len() <= heard.len() + 128, "seed {seed}");
}

#[test]
fn bytes_arrive_once_in_order_and_whole() {
    for seed in 1..=8 {
        traffic(false, seed * 0x9E37_79B9);
        traffic(true, seed * 0x9E37_79B9);
    }
}
