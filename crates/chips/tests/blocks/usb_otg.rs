//! OTG_FS of the STM32F446 as a device (RM0390, "USB on-the-go full-speed/high-speed"), with a scripted host.

use cyclescope_machine::UsbAnswer::{Ack, Nak, Nothing, Stall};
use cyclescope_machine::{GapKind, UsbAction, UsbAnswer};

use crate::bench::Bench;
use crate::f446_clocks;
use crate::usb_bus::{Cable, data};

const OTG: u32 = 0x5000_0000;
const GOTGCTL: u32 = OTG;
const GAHBCFG: u32 = OTG + 0x08;
const GUSBCFG: u32 = OTG + 0x0C;
const GRSTCTL: u32 = OTG + 0x10;
const GINTSTS: u32 = OTG + 0x14;
const GINTMSK: u32 = OTG + 0x18;
const GRXSTSR: u32 = OTG + 0x1C;
const GRXSTSP: u32 = OTG + 0x20;
const GRXFSIZ: u32 = OTG + 0x24;
const GCCFG: u32 = OTG + 0x38;
const DCFG: u32 = OTG + 0x800;
const DCTL: u32 = OTG + 0x804;
const DSTS: u32 = OTG + 0x808;
const DIEP: u32 = OTG + 0x900;
const DOEP: u32 = OTG + 0xB00;
const LINE: usize = 67;

const SOF: u32 = 1 << 3;
const RXFLVL: u32 = 1 << 4;
const EPENA: u32 = 1 << 31;
const CNAK: u32 = 1 << 26;
const PLLQ: u32 = 2 << 28 | 7 << 24 | 1 << 22 | 168 << 6 | 4;

/// 168 MHz, 48 MHz for USB by `pll`.
fn clocked(pll: u32) -> (Bench, Cable) {
    let mut bench = f446_clocks::enabled();
    bench.write(f446_clocks::RCC + 0x34, 1 << 7);
    bench.write(f446_clocks::RCC, 0x0005_0081);
    f446_clocks::wait(&mut bench, f446_clocks::RCC, 1 << 17);
    bench.write(f446_clocks::PLLCFGR, pll);
    bench.write(f446_clocks::RCC, 0x0105_0081);
    f446_clocks::wait(&mut bench, f446_clocks::RCC, 1 << 25);
    bench.write(f446_clocks::CFGR, 5 << 10 | 4 << 13 | 2);
    let cable = Cable::new(&mut bench, "OTG_FS");
    bench.write(GUSBCFG, 1 << 30 | 6 << 10);
    (bench, cable)
}

/// A device after a bus reset, with the address 5.
fn new() -> (Bench, Cable) {
    let (mut bench, cable) = clocked(PLLQ);
    bench.write(GOTGCTL, 3 << 6);
    bench.write(GCCFG, 1 << 16);
    bench.write(GRXFSIZ, 128);
    bench.write(OTG + 0x28, 32 << 16 | 128);
    bench.write(OTG + 0x104, 64 << 16 | 160);
    cable.reset(&mut bench, 2_000);
    assert_eq!(bench.read(GINTSTS) & 3 << 12, 3 << 12, "USBRST, ENUMDNE");
    assert_eq!(bench.read(DSTS) >> 1 & 3, 3, "full speed");
    bench.write(GINTSTS, u32::MAX);
    bench.write(DCFG, 5 << 4 | 3);
    (bench, cable)
}

/// Endpoint 1: bulk IN by FIFO 1, and bulk OUT.
fn open(bench: &mut Bench) {
    bench.write(DIEP + 0x20, 1 << 28 | 1 << 27 | 1 << 22 | 2 << 18 | 1 << 15 | 64);
    bench.write(DOEP + 0x20, 1 << 28 | 2 << 18 | 1 << 15 | 64);
}

fn listen(bench: &mut Bench) {
    bench.write(DOEP + 0x30, 1 << 19 | 64);
    let control = bench.read(DOEP + 0x20);
    bench.write(DOEP + 0x20, control | EPENA | CNAK);
}

fn put(bench: &mut Bench, endpoint: u32, bytes: &[u8]) {
    bench.write(DIEP + endpoint * 0x20 + 0x10, 1 << 19 | bytes.len() as u32);
    let control = bench.read(DIEP + endpoint * 0x20);
    bench.write(DIEP + endpoint * 0x20, control | EPENA | CNAK);
    for word in bytes.chunks(4) {
        let mut padded = [0; 4];
        padded[..word.len()].copy_from_slice(word);
        bench.write(OTG + 0x1000 * (endpoint + 1), u32::from_le_bytes(padded));
    }
}

/// The status of the oldest packet, and its data.
fn pop(bench: &mut Bench) -> (u32, Vec<u8>) {
    let seen = bench.read(GRXSTSR);
    let status = bench.read(GRXSTSP);
    assert_eq!(seen, status);
    let count = (status >> 4 & 0x7FF) as usize;
    let mut bytes: Vec<u8> = (0..count.div_ceil(4)).flat_map(|_| bench.read(OTG + 0x1000).to_le_bytes()).collect();
    bytes.truncate(count);
    (status >> 17 & 15, bytes)
}

#[test]
fn the_pull_up_follows_the_session_the_transceiver_and_software() {
    let (mut bench, cable) = clocked(PLLQ);
    let pulls = |cable: &Cable| cable.state().pull_up == Some(true);
    bench.write(GCCFG, 1 << 16);
    assert!(!pulls(&cable), "no session");
    bench.write(GOTGCTL, 3 << 6);
    assert!(pulls(&cable) && bench.read(GOTGCTL) & 1 << 19 != 0, "software says so");
    bench.write(DCTL, 2);
    assert!(!pulls(&cable), "soft disconnect");
    bench.write(DCTL, 0);
    bench.write(GOTGCTL, 0);
    bench.write(GCCFG, 1 << 16 | 1 << 21);
    assert!(!pulls(&cable), "VBUS is off");
    cable.act(&mut bench, UsbAction::Power(true));
    assert!(pulls(&cable) && bench.read(GINTSTS) & 1 << 30 != 0, "VBUS is there: SRQINT");
    cable.act(&mut bench, UsbAction::Power(false));
    assert!(!pulls(&cable) && bench.read(OTG + 4) == 4 && bench.read(GINTSTS) & 4 != 0, "SEDET");
    bench.write(OTG + 4, 4);
    assert_eq!(bench.read(GINTSTS) & 4, 0);
    bench.write(GUSBCFG, 1 << 29);
    assert!(bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains("host mode")));
}

#[test]
fn a_request_comes_with_its_status_and_is_answered() {
    let (mut bench, cable) = new();
    bench.write(GAHBCFG, 1);
    bench.write(GINTMSK, RXFLVL);
    bench.write(DOEP + 0x10, 3 << 29 | 1 << 19 | 64);
    let request = [0x80, 6, 0, 1, 0, 0, 64, 0];
    assert_eq!(cable.setup(&mut bench, 4, request), Nothing, "another's address");
    assert_eq!(cable.setup(&mut bench, 5, request), Ack);
    assert!(bench.bus.shared.interrupts.is_high(LINE));
    assert_eq!(pop(&mut bench), (6, request.to_vec()));
    assert!(!bench.bus.shared.interrupts.is_high(LINE));
    assert_eq!((bench.read(DOEP + 0x10) >> 29, bench.read(DOEP + 0x08)), (2, 0), "STUPCNT");
    // The next token tells that the request is whole.
    assert_eq!(cable.ask(&mut bench, (5, 0), true), Nak);
    assert_eq!(pop(&mut bench), (4, vec![]));
    assert_eq!(bench.read(DOEP + 0x08), 1 << 3, "STUP");
    put(&mut bench, 0, b"seven b");
    assert_eq!(bench.read(DIEP + 0x18), 30, "words left of 32");
    assert_eq!(cable.ask(&mut bench, (5, 0), false), data(true, b"seven b"));
    assert_eq!(bench.read(DIEP + 0x08) & 9, 8, "the host has not answered: TOC");
    assert_eq!(cable.ask(&mut bench, (5, 0), true), data(true, b"seven b"));
    assert_eq!((bench.read(DIEP + 0x08) & 1, bench.read(DIEP) >> 31), (1, 0), "XFRC, and disabled");
    let control = bench.read(DOEP);
    bench.write(DOEP, control | EPENA | CNAK);
    assert_eq!(cable.out(&mut bench, (5, 0), true, b""), Ack);
    assert_eq!([pop(&mut bench).0, pop(&mut bench).0], [2, 3], "data, then the end");
    assert_eq!(bench.read(DOEP + 0x08) & 1, 1, "XFRC after the status was popped");
    // A halt lasts until the next request.
    let control = bench.read(DIEP);
    bench.write(DIEP, control | 1 << 21);
    assert_eq!(cable.ask(&mut bench, (5, 0), true), Stall);
    assert_eq!(cable.setup(&mut bench, 5, request), Ack);
    assert_eq!(cable.ask(&mut bench, (5, 0), true), Nak);
    // The new address holds from the end of the request on.
    bench.write(DCFG, 9 << 4 | 3);
    put(&mut bench, 0, b"");
    assert_eq!(cable.ask(&mut bench, (5, 0), true), data(true, b""));
    assert_eq!(cable.ask(&mut bench, (5, 0), true), Nothing);
    assert_eq!(cable.ask(&mut bench, (9, 0), true), Nak);
    assert!(bench.gaps(GapKind::Setting).is_empty());
}

#[test]
fn frames_silence_and_a_wrong_clock() {
    let (mut bench, cable) = new();
    cable.act(&mut bench, UsbAction::Frame(0x123));
    assert_eq!((bench.read(GINTSTS) & SOF, bench.read(DSTS) >> 8), (SOF, 0x123));
    bench.pass(168 * 800);
    assert_eq!(bench.read(GINTSTS) & 1 << 15, 1 << 15, "EOPF at 80 %");
    bench.pass(168 * 2_198);
    assert_eq!((bench.read(GINTSTS) >> 10 & 3, bench.read(DSTS) & 1), (0, 0));
    bench.pass(168 * 4);
    assert_eq!((bench.read(GINTSTS) >> 10 & 3, bench.read(DSTS) & 1), (3, 1), "ESUSP, USBSUSP");
    bench.write(DCTL, 1);
    assert!(cable.state().wakes);
    cable.act(&mut bench, UsbAction::Resume(true));
    assert_eq!((bench.read(GINTSTS) >> 31, bench.read(DSTS) & 1), (1, 0), "WKUPINT");
    // Flushed and reset FIFOs are empty, and the core is idle.
    put(&mut bench, 0, &[1; 16]);
    bench.write(GRSTCTL, 1 << 5 | 16 << 6);
    assert_eq!((bench.read(DIEP + 0x18), bench.read(GRSTCTL) >> 31), (32, 1));
    let (mut bench, cable) = clocked(PLLQ & !(15 << 24) | 6 << 24);
    bench.write(GOTGCTL, 3 << 6);
    bench.write(GCCFG, 1 << 16);
    cable.reset(&mut bench, 2_000);
    assert_eq!(bench.read(GINTSTS) & 1 << 12, 0);
    let gaps = bench.gaps(GapKind::Setting).join("\n");
    assert!(gaps.contains("USB_OTG_FS: its clock is ") && gaps.contains("not 48 MHz"), "{gaps}");
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

#[test]
fn bytes_arrive_once_in_order_and_whole() {
    for seed in 1..=8 {
        let (mut bench, cable) = new();
        let mut random = Random(seed * 0x9E37_79B9);
        open(&mut bench);
        listen(&mut bench);
        let (mut sent, mut taken, mut given, mut heard) = (vec![], vec![], vec![], vec![]);
        let (mut out_toggle, mut in_toggle, mut next, mut idle) = (false, false, 0u8, true);
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
                    if let UsbAnswer::Data { toggle, data } = cable.ask(&mut bench, (5, 1), !lost)
                        && !lost
                    {
                        assert_eq!(toggle, in_toggle);
                        heard.extend(data);
                        in_toggle = !in_toggle;
                    }
                }
                2 if bench.read(GINTSTS) & RXFLVL != 0 => {
                    let (status, bytes) = pop(&mut bench);
                    taken.extend(bytes);
                    if status == 3 {
                        listen(&mut bench);
                    }
                }
                3 if idle || bench.read(DIEP + 0x28) & 1 != 0 => {
                    bench.write(DIEP + 0x28, 1);
                    let bytes = packet(&mut random);
                    put(&mut bench, 1, &bytes);
                    given.extend(bytes);
                    idle = false;
                }
                _ => {}
            }
        }
        assert!(sent.len() > 2_000 && heard.len() > 2_000, "{} {}", sent.len(), heard.len());
        assert!(taken.starts_with(&sent[..sent.len().saturating_sub(64)]), "seed {seed}");
        assert!(taken.len() <= sent.len() + 64 && given.starts_with(&heard), "seed {seed}");
    }
}
