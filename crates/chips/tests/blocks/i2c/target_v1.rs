//! Version 1 as a target (RM0008, RM0390, "I2C slave mode").

use super::shared::Shared;
use super::*;

const OAR1: u32 = I2C1 + 0x08;
const OAR2: u32 = I2C1 + 0x0C;
const DR: u32 = I2C1 + 0x10;
const SR1: u32 = I2C1 + 0x14;
const SR2: u32 = I2C1 + 0x18;

const PE: u32 = 1;
const ENGC: u32 = 1 << 6;
const NOSTRETCH: u32 = 1 << 7;
const START: u32 = 1 << 8;
const STOP: u32 = 1 << 9;
const ACK: u32 = 1 << 10;
const ADDR: u32 = 1 << 1;
const BTF: u32 = 1 << 2;
const STOPF: u32 = 1 << 4;
const RXNE: u32 = 1 << 6;
const TXE: u32 = 1 << 7;
const BERR: u32 = 1 << 8;
const ARLO: u32 = 1 << 9;
const AF: u32 = 1 << 10;
const OVR: u32 = 1 << 11;
const BUSY: u32 = 2;
const TRA: u32 = 4;

/// An F103 that is called 0x42, with a controller of 100 kHz.
fn target(cr1: u32) -> Shared {
    let mut bus = Shared::new("stm32f103c8", &["i2c-controller:name=c@scl=PB6,sda=PB7"]);
    bus.write(OAR1, 0x4000 | 0x84);
    bus.write(CR2, 36);
    bus.write(CR1, PE | ACK | cr1);
    bus
}

/// Serves the target: takes bytes into `got`, sends those of `sends`. Ends after a stop condition, or a refused byte.
fn serve(bench: &mut Bench, got: &mut Vec<u8>, sends: &mut VecDeque<u8>, seen: &mut u32) -> bool {
    let sr1 = bench.read(SR1);
    *seen |= sr1;
    if sr1 & ADDR != 0 {
        let sr2 = bench.read(SR2);
        *seen |= sr2 << 16;
    }
    if sr1 & RXNE != 0 {
        got.push(bench.read(DR) as u8);
    }
    if sr1 & TXE != 0 && bench.read(SR2) & TRA != 0 {
        bench.write(DR, sends.pop_front().unwrap_or(0xFF).into());
    }
    if sr1 & STOPF != 0 {
        let cr1 = bench.read(CR1);
        bench.write(CR1, cr1);
    }
    if sr1 & AF != 0 {
        bench.write(SR1, !AF);
    }
    sr1 & (STOPF | AF) != 0
}

/// One transfer: what the target took, and all flags that were seen, SR2's above bit 16.
fn transfer(bus: &mut Shared, what: &str, sends: &[u8]) -> (Vec<u8>, u32) {
    let (mut got, mut seen, mut sends) = (Vec::new(), 0, sends.iter().copied().collect());
    bus.command("c", what);
    bus.run(|bench| serve(bench, &mut got, &mut sends, &mut seen));
    bus.pass(2_000);
    (got, seen)
}

#[test]
fn bytes_come_and_go_at_the_address_and_no_other() {
    let mut bus = target(0);
    let (got, seen) = transfer(&mut bus, "write 0x42 01 fe 55", &[]);
    assert_eq!(got, [1, 0xFE, 0x55]);
    assert_eq!(seen & (AF | BERR | ARLO | OVR | BTF), 0);
    assert_eq!(seen >> 16 & (BUSY | TRA), BUSY);
    let (_, seen) = transfer(&mut bus, "read 0x42 3", &[0xA5, 0, 0x7F]);
    assert_eq!((seen & (AF | STOPF), seen >> 16 & TRA), (AF, TRA), "no STOPF behind a missing acknowledgement");
    bus.command("c", "write 0x43 01");
    bus.pass(100_000);
    assert_eq!([bus.read(SR1), bus.read(SR2)], [0, 0]);
    assert_eq!(
        bus.log("c"),
        ["write 0x42 01 fe 55: 84+ 01+ fe+ 55+", "read 0x42 3: 85+ a5+ 00+ 7f-", "write 0x43 01: 86-"]
    );
    assert_eq!(bus.decoded(), "S 84+ 01+ fe+ 55+ P S 85+ a5+ 00+ 7f- P S 86- P");
    assert!(bus.bench.gaps(GapKind::Setting).is_empty(), "{:?}", bus.bench.gaps(GapKind::Setting));
}

#[test]
fn the_clock_is_held_until_software_has_done_its_part() {
    let mut bus = target(0);
    bus.command("c", "write 0x42 01 02 03 04");
    bus.pass(50_000);
    // The address is acknowledged and the clock stays low.
    assert_eq!([bus.read(SR1), bus.clock().len() as u32], [ADDR, 1 + 9 * 2]);
    assert_eq!(bus.read(SR2), BUSY);
    let now = bus.bench.now;
    bus.pass(50_000);
    // Four periods of PCLK1 later it is let go; the controller's clock is high for 48 % of 10 microseconds.
    assert_eq!(bus.clock()[19..21], [(now + 8, true), (now + 8 + 346, false)]);
    // One byte in DR and one behind it: the third waits.
    assert_eq!([bus.read(SR1), bus.clock().len() as u32], [RXNE | BTF, 1 + 27 * 2]);
    assert_eq!([bus.read(DR), bus.read(DR)], [1, 2]);
    bus.pass(50_000);
    assert_eq!([bus.read(DR), bus.read(DR)], [3, 4]);
    bus.pass(5_000);
    assert_eq!(bus.read(SR1), STOPF);
    bus.write(CR1, PE | ACK);
    assert_eq!([bus.read(SR1), bus.read(SR2)], [0, 0]);
    // As a sender it holds the clock before each byte.
    bus.command("c", "read 0x42 2");
    bus.pass(30_000);
    assert_eq!([bus.read(SR1), bus.read(SR2)], [ADDR, BUSY | TRA]);
    assert_eq!(bus.read(SR1), TXE);
    bus.pass(30_000);
    assert_eq!(bus.read(SR1), TXE);
    bus.write(DR, 0x81);
    assert_eq!(bus.read(SR1), TXE, "in the shift register at once");
    bus.pass(30_000);
    assert_eq!(bus.read(SR1), TXE | BTF);
    bus.write(DR, 0x18);
    bus.pass(30_000);
    assert_eq!(bus.read(SR1) & AF, AF);
    assert_eq!(bus.log("c")[1], "read 0x42 2: 85+ 81+ 18-");
}

#[test]
fn without_stretching_bytes_are_lost_and_sent_again() {
    let mut bus = target(NOSTRETCH);
    bus.command("c", "write 0x42 01 02 03");
    bus.pass(100_000);
    assert_eq!(bus.log("c"), ["write 0x42 01 02 03: 84+ 01+ 02+ 03+"]);
    assert_eq!(bus.read(SR1) & (RXNE | OVR | STOPF), RXNE | OVR | STOPF);
    assert_eq!(bus.read(DR), 1, "the others are lost");
    bus.write(SR1, !OVR);
    bus.read(SR1);
    bus.write(CR1, PE | ACK | NOSTRETCH);
    bus.read(SR1);
    bus.read(SR2);
    bus.write(DR, 0);
    bus.command("c", "read 0x42 2");
    bus.pass(100_000);
    let log = bus.log("c")[1].clone();
    assert_eq!(log, "read 0x42 2: 85+ 00+ 00-");
    assert_eq!(bus.read(SR1) & OVR, OVR);
}

#[test]
fn second_general_and_long_addresses_and_those_of_smbus() {
    let mut bus = target(ENGC);
    bus.write(OAR2, 0x32 | 1);
    let (dual, general) = (1 << 7, 1 << 4);
    assert_eq!(transfer(&mut bus, "write 0x19 07", &[]).1 >> 16 & 0xFC, dual);
    assert_eq!(transfer(&mut bus, "write 0x00 06", &[]).1 >> 16 & 0xFC, general);
    bus.write(CR1, PE | ACK | 1 << 1 | 1 << 3 | 1 << 4);
    assert_eq!(transfer(&mut bus, "write 0x08 01", &[]).1 >> 16 & 0xFC, 1 << 6, "the host");
    bus.write(CR1, PE | ACK | 1 << 1 | 1 << 4);
    assert_eq!(transfer(&mut bus, "write 0x61 01", &[]).1 >> 16 & 0xFC, 1 << 5, "the default device");
    bus.write(OAR1, 1 << 15 | 1 << 14 | 0x242);
    let (got, seen) = transfer(&mut bus, "ask ten:0x242 2 0f", &[0x12, 0x34]);
    assert_eq!((got, seen & (ADDR | AF)), (vec![0x0F], ADDR | AF));
    bus.write(CR1, PE);
    bus.command("c", "write ten:0x242 01");
    bus.pass(60_000);
    assert_eq!(bus.log("c")[4..], ["ask ten:0x242 2 0f: f4+ 42+ 0f+ f5+ 12+ 34-", "write ten:0x242 01: f4-"]);
}

#[test]
fn the_bus_is_lost_to_a_controller_that_sends_a_zero() {
    // Both begin at once: 0x3C is lower than 0x42, and the loser is called.
    for (rival, log, lost) in
        [("write 0x3c 01", "write 0x3c 01: 78-", true), ("write 0x55 01", "write 0x55 01: aa-", false)]
    {
        let mut bus = target(0);
        bus.write(I2C1 + 0x1C, 180);
        bus.write(CR1, PE | ACK | START);
        bus.command("c", rival);
        bus.run(|bench| bench.read(SR1) & 1 != 0);
        bus.write(DR, 0x84);
        bus.run(|bench| bench.read(SR1) & (ARLO | AF) != 0);
        assert_eq!(bus.read(SR1) & ARLO != 0, lost, "{rival}");
        assert_eq!(bus.read(SR2) & 1 == 0, lost, "MSL");
        if lost {
            bus.write(SR1, !ARLO);
        } else {
            bus.write(CR1, PE | ACK | STOP);
        }
        bus.pass(100_000);
        let lines = bus.log("c");
        assert_eq!(lines.last().expect("a transfer"), log);
        assert_eq!(lines.len(), if lost { 1 } else { 2 }, "{lines:?}");
    }
}

#[test]
fn a_controller_that_has_lost_can_be_called_in_the_same_transfer() {
    let mut bus = target(0);
    bus.write(I2C1 + 0x1C, 180);
    bus.write(CR1, PE | ACK | START);
    bus.command("c", "write 0x42 5a");
    bus.run(|bench| bench.read(SR1) & 1 != 0);
    bus.write(DR, 0xAA);
    let (mut got, mut seen, mut sends) = (Vec::new(), 0, VecDeque::new());
    bus.run(|bench| serve(bench, &mut got, &mut sends, &mut seen));
    assert_eq!((got, seen & (ARLO | ADDR)), (vec![0x5A], ARLO | ADDR));
}

#[test]
fn a_condition_inside_a_byte_is_a_bus_error() {
    let mut bus = target(0);
    bus.command("c", "write 0x42 00 00");
    bus.run(|bench| bench.read(SR1) & ADDR != 0);
    bus.read(SR2);
    // SDA is forced up while SCL is high: a stop condition inside the byte.
    bus.run(|bench| bench.read(0x4001_0C08) & 0x40 == 0);
    bus.pass(2_000);
    bus.run(|bench| bench.read(0x4001_0C08) & 0x40 != 0);
    bus.pass(60);
    bus.bench.set_pin(1, 1, 7, Some(true));
    bus.pass(100);
    assert_eq!(bus.read(SR1) & BERR, BERR);
}

#[test]
fn packet_error_codes_are_compared_and_sent() {
    let enpec = 1 << 5;
    let code = [0x84, 0x12, 0x34].iter().fold(0, |code, byte| cyclescope_machine::i2c::packet_error_code(code, *byte));
    for (sent, fault) in [(code, 0), (code ^ 1, 1 << 12)] {
        let mut bus = target(enpec);
        bus.command("c", &format!("write 0x42 12 34 {sent:02x}"));
        let (mut got, mut seen) = (Vec::new(), 0);
        bus.run(|bench| {
            let sr1 = bench.read(SR1);
            seen |= sr1;
            if sr1 & ADDR != 0 {
                bench.read(SR2);
            }
            if sr1 & RXNE != 0 {
                got.push(bench.read(DR) as u8);
                if got.len() == 2 {
                    bench.write(CR1, PE | ACK | enpec | 1 << 12);
                }
            }
            got.len() == 3
        });
        assert_eq!((got, seen & 1 << 12), (vec![0x12, 0x34, sent], fault));
    }
    let mut bus = target(enpec);
    bus.command("c", "read 0x42 3");
    let (mut left, code) = (
        VecDeque::from([0x12, 0x34]),
        [0x85, 0x12, 0x34].iter().fold(0, |code, byte| cyclescope_machine::i2c::packet_error_code(code, *byte)),
    );
    bus.run(|bench| {
        let sr1 = bench.read(SR1);
        if sr1 & ADDR != 0 {
            bench.read(SR2);
        }
        if sr1 & TXE != 0 {
            match left.pop_front() {
                Some(byte) => bench.write(DR, byte),
                None => bench.write(CR1, PE | ACK | enpec | 1 << 12),
            }
        }
        sr1 & AF != 0
    });
    bus.pass(2_000);
    assert_eq!(bus.log("c"), [format!("read 0x42 3: 85+ 12+ 34+ {code:02x}-")]);
}

#[test]
fn a_clock_that_stays_low_for_25_ms_is_a_timeout_of_smbus() {
    let mut bus = target(1 << 1);
    bus.command("c", "write 0x42 01");
    bus.run(|bench| bench.read(SR1) & ADDR != 0);
    let fell = bus.clock().last().expect("an edge").0;
    bus.pass(fell + 25 * 72_000 - 1 - bus.bench.now);
    assert_eq!(bus.read(SR1) & 1 << 14, 0);
    bus.pass(1);
    assert_eq!(bus.read(SR1) & 1 << 14, 1 << 14);
    bus.pass(50_000);
    assert_eq!(bus.log("c"), ["write 0x42 01: 84+ 01-"], "it has let the lines go");
}
