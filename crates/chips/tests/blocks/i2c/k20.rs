//! The K20 as a target, and as one of several controllers (K20P64M72SF1RM, "Inter-Integrated Circuit").

use super::shared::Shared;
use super::*;
use crate::k20_clocks::{byte, read_byte};
use crate::k20_dma;

const I2C0: u32 = 0x4006_6000;
const A1: u32 = I2C0;
const F: u32 = I2C0 + 1;
const C1: u32 = I2C0 + 2;
const S: u32 = I2C0 + 3;
const D: u32 = I2C0 + 4;
const C2: u32 = I2C0 + 5;
const RA: u32 = I2C0 + 7;
const SMB: u32 = I2C0 + 8;
const A2: u32 = I2C0 + 9;
const SLTH: u32 = I2C0 + 10;
const SLTL: u32 = I2C0 + 11;
const LINE: usize = 24;

const DMAEN: u32 = 1;
const TXAK: u32 = 1 << 3;
const TX: u32 = 1 << 4;
const MST: u32 = 1 << 5;
const IICIE: u32 = 1 << 6;
const IICEN: u32 = 1 << 7;

const RXAK: u32 = 1;
const IICIF: u32 = 2;
const SRW: u32 = 4;
const RAM_FLAG: u32 = 8;
const ARBL: u32 = 1 << 4;
const BUSY: u32 = 1 << 5;
const IAAS: u32 = 1 << 6;
const TCF: u32 = 1 << 7;

/// A K20 that is called 0x42, with a controller of 100 kHz.
fn target(devices: &[&str]) -> Shared {
    let mut bus = Shared::new("mk20dx256", &[&["i2c-controller:name=c@scl=PB0,sda=PB1"], devices].concat());
    byte(&mut bus.bench, A1, 0x84);
    byte(&mut bus.bench, F, 0x27);
    byte(&mut bus.bench, C1, IICEN | IICIE);
    bus
}

/// Answers one interrupt as the manual's flow chart has it; S as it was.
fn serve(bench: &mut Bench, got: &mut Vec<u8>, sends: &mut VecDeque<u8>) -> u32 {
    let status = read_byte(bench, S);
    if status & IICIF == 0 {
        return 0;
    }
    assert!(bench.bus.shared.interrupts.is_high(LINE));
    byte(bench, S, IICIF | status & ARBL);
    let sends_next = |bench: &mut Bench, sends: &mut VecDeque<u8>| {
        byte(bench, D, sends.pop_front().unwrap_or(0xFF).into());
    };
    if status & IAAS != 0 {
        byte(bench, C1, IICEN | IICIE | if status & SRW != 0 { TX } else { 0 });
        assert_eq!(read_byte(bench, S) & IAAS, 0, "a write of C1 clears IAAS");
        if status & SRW != 0 {
            sends_next(bench, sends);
        } else {
            read_byte(bench, D);
        }
    } else if status & ARBL == 0 && read_byte(bench, C1) & TX != 0 {
        if status & RXAK == 0 {
            sends_next(bench, sends);
        } else {
            byte(bench, C1, IICEN | IICIE);
            read_byte(bench, D);
        }
    } else if status & ARBL == 0 {
        got.push(read_byte(bench, D) as u8);
    }
    status
}

/// One transfer of the controller: the bytes that the target took, and all flags that were seen.
fn transfer(bus: &mut Shared, what: &str, sends: &[u8]) -> (Vec<u8>, u32) {
    let (mut got, mut seen, mut sends, known) = (Vec::new(), 0, sends.iter().copied().collect(), bus.log("c").len());
    bus.command("c", what);
    let end = bus.bench.now + 2_000_000;
    while bus.log("c").len() == known {
        assert!(bus.bench.now < end, "{what}");
        seen |= serve(&mut bus.bench, &mut got, &mut sends);
        bus.pass(50);
    }
    bus.pass(2_000);
    (got, seen)
}

#[test]
fn bytes_come_and_go_at_the_address_and_no_other() {
    let mut bus = target(&[]);
    let (got, seen) = transfer(&mut bus, "write 0x42 01 fe 55", &[]);
    assert_eq!((got, seen), (vec![1, 0xFE, 0x55], TCF | BUSY | IAAS | IICIF));
    let (_, seen) = transfer(&mut bus, "read 0x42 3", &[0xA5, 0, 0x7F]);
    assert_eq!(seen, TCF | BUSY | IAAS | IICIF | SRW | RXAK);
    let (got, _) = transfer(&mut bus, "ask 0x42 2 0f", &[0x12, 0x34]);
    assert_eq!(got, [0x0F]);
    assert_eq!(transfer(&mut bus, "write 0x43 01", &[]), (vec![], 0));
    assert_eq!(read_byte(&mut bus.bench, S) & BUSY, 0);
    assert_eq!(
        bus.log("c"),
        [
            "write 0x42 01 fe 55: 84+ 01+ fe+ 55+",
            "read 0x42 3: 85+ a5+ 00+ 7f-",
            "ask 0x42 2 0f: 84+ 0f+ 85+ 12+ 34-",
            "write 0x43 01: 86-"
        ]
    );
    let lines = "S 84+ 01+ fe+ 55+ P S 85+ a5+ 00+ 7f- P S 84+ 0f+ S 85+ 12+ 34- P S 86- P";
    assert_eq!(bus.decoded(), lines);
    assert!(bus.bench.gaps(GapKind::Setting).is_empty(), "{:?}", bus.bench.gaps(GapKind::Setting));
    assert!(bus.bench.gaps(GapKind::RegisterWrite).is_empty(), "{:?}", bus.bench.gaps(GapKind::RegisterWrite));
}

#[test]
fn the_clock_is_held_until_software_takes_or_gives_a_byte() {
    let mut bus = target(&[]);
    bus.command("c", "write 0x42 01 02");
    bus.pass(50_000);
    assert_eq!(bus.clock().len(), 1 + 9 * 2, "the address, and no further clock");
    assert_eq!(read_byte(&mut bus.bench, S), TCF | BUSY | IAAS | IICIF);
    byte(&mut bus.bench, S, IICIF);
    byte(&mut bus.bench, C1, IICEN | IICIE);
    bus.pass(10_000);
    assert_eq!(bus.clock().len(), 1 + 9 * 2);
    let now = bus.bench.now;
    assert_eq!(read_byte(&mut bus.bench, D), 0x84, "the address itself");
    bus.pass(5_000);
    // Eight periods of the bus clock, two core cycles each, later it is let go.
    assert_eq!(bus.clock()[19], (now + 16, true));
    // TXAK: the byte is not acknowledged.
    byte(&mut bus.bench, C1, IICEN | IICIE | TXAK);
    bus.pass(20_000);
    assert_eq!(bus.log("c"), ["write 0x42 01 02: 84+ 01-"]);
    assert_eq!(read_byte(&mut bus.bench, D), 1);
}

#[test]
fn it_is_called_by_all_addresses_that_its_registers_name() {
    let mut bus = target(&[]);
    let seen = |bus: &mut Shared, what: &str| transfer(bus, what, &[0x11]).1;
    for (what, register, value) in [
        ("write 0x29 01", A2, 0x52),
        ("write 0x00 01", C2, 0x80),
        ("write 0x51 01", RA, 0xA2),
        ("read 0x0c 1", SMB, 1 << 6),
    ] {
        assert_eq!(seen(&mut bus, what), 0, "{what}");
        byte(&mut bus.bench, register, value);
        if register == A2 {
            assert_eq!(seen(&mut bus, what), 0, "SIICAEN is 0");
            byte(&mut bus.bench, SMB, 1 << 5);
        }
        let flags = seen(&mut bus, what);
        assert_eq!(flags & (IAAS | RAM_FLAG), if register == RA { IAAS | RAM_FLAG } else { IAAS }, "{what}");
    }
    // RMEN: above A1, up to RA.
    byte(&mut bus.bench, C2, 1 << 3);
    for (address, mine) in [(0x41, false), (0x42, true), (0x43, true), (0x51, true), (0x52, false)] {
        assert_eq!(seen(&mut bus, &format!("write {address:#x} 01")) & IAAS != 0, mine, "{address:#x}");
    }
    // Ten bits: AD10 to AD8 in C2.
    byte(&mut bus.bench, C2, 1 << 6 | 0x242 >> 7);
    byte(&mut bus.bench, A1, 0x84);
    let (got, flags) = transfer(&mut bus, "ask ten:0x242 2 0f", &[0x12, 0x34]);
    assert_eq!((got, flags & (IAAS | SRW)), (vec![0x0F], IAAS | SRW));
    assert_eq!(bus.log("c").last().expect("a transfer"), "ask ten:0x242 2 0f: f4+ 42+ 0f+ f5+ 12+ 34-");
}

#[test]
fn the_bus_is_lost_to_a_controller_that_sends_a_zero() {
    // Both begin at once, and the block sends 0x55; it loses to 0x3C and is called by 0x42.
    for (rival, lost, called) in
        [("write 0x3c 01", true, false), ("write 0x42 5a", true, true), ("write 0x57 01", false, false)]
    {
        let mut bus = target(&[]);
        byte(&mut bus.bench, C1, IICEN | IICIE | MST | TX);
        bus.command("c", rival);
        byte(&mut bus.bench, D, 0xAA);
        bus.run(|bench| read_byte(bench, S) & IICIF != 0);
        assert_eq!(read_byte(&mut bus.bench, S) & ARBL != 0, lost, "{rival}");
        assert_eq!(read_byte(&mut bus.bench, C1) & MST == 0, lost, "{rival}");
        if !lost {
            byte(&mut bus.bench, C1, IICEN | IICIE);
            bus.pass(100_000);
            assert_eq!(bus.log("c").len(), 2, "the rival tries again: {:?}", bus.log("c"));
            continue;
        }
        byte(&mut bus.bench, S, ARBL | IICIF);
        byte(&mut bus.bench, C1, IICEN | IICIE);
        let (mut got, mut seen, mut sends) = (Vec::new(), 0, VecDeque::new());
        for _ in 0..2_000 {
            seen |= serve(&mut bus.bench, &mut got, &mut sends);
            bus.pass(50);
        }
        assert_eq!((seen & IAAS != 0, got), (called, if called { vec![0x5A] } else { vec![] }), "{rival}");
        assert_eq!(bus.log("c").len(), 1);
    }
    // A start on a bus that is another's, and a repeated one by a target, are lost at once.
    let mut bus = target(&[]);
    bus.command("c", "write 0x3c 01");
    bus.pass(3_000);
    assert_eq!(read_byte(&mut bus.bench, S) & BUSY, BUSY);
    byte(&mut bus.bench, C1, IICEN | IICIE | MST | TX);
    assert_eq!(read_byte(&mut bus.bench, S) & (ARBL | IICIF), ARBL | IICIF);
    byte(&mut bus.bench, S, ARBL | IICIF);
    byte(&mut bus.bench, C1, IICEN | 1 << 2);
    assert_eq!(read_byte(&mut bus.bench, S) & ARBL, ARBL);
}

#[test]
fn software_answers_each_byte_with_fack() {
    let mut bus = target(&[]);
    byte(&mut bus.bench, SMB, 1 << 7);
    bus.command("c", "write 0x42 01 02 03");
    bus.run(|bench| read_byte(bench, S) & IICIF != 0);
    byte(&mut bus.bench, S, IICIF);
    byte(&mut bus.bench, C1, IICEN | IICIE);
    read_byte(&mut bus.bench, D);
    for (expected, acknowledge) in [(1, true), (2, false)] {
        bus.run(|bench| read_byte(bench, S) & IICIF != 0);
        byte(&mut bus.bench, S, IICIF);
        let clocks = bus.clock().len();
        bus.pass(20_000);
        assert_eq!(bus.clock().len(), clocks, "held behind the eighth bit");
        assert_eq!(read_byte(&mut bus.bench, D), expected);
        byte(&mut bus.bench, C1, IICEN | IICIE | if acknowledge { 0 } else { TXAK });
    }
    bus.pass(20_000);
    assert_eq!(bus.log("c"), ["write 0x42 01 02 03: 84+ 01+ 02-"]);
}

#[test]
fn lines_that_stand_time_out() {
    let mut bus = target(&[]);
    // 0x1000 periods of the bus clock, by 64.
    byte(&mut bus.bench, SLTH, 0x10);
    byte(&mut bus.bench, SLTL, 0);
    bus.command("c", "write 0x42 01");
    bus.run(|bench| read_byte(bench, S) & IICIF != 0);
    byte(&mut bus.bench, S, IICIF);
    let fell = bus.clock().last().expect("an edge").0;
    bus.run(|bench| read_byte(bench, S) & IICIF != 0);
    assert!((bus.bench.now - fell).abs_diff(0x1000 * 64 * 2) <= 50, "{}", bus.bench.now - fell);
    assert_eq!(read_byte(&mut bus.bench, SMB) & 0xE, 8, "SLTF");
    byte(&mut bus.bench, SMB, 8);
    assert_eq!(read_byte(&mut bus.bench, SMB) & 0xE, 0);
    // Both lines high: free, after the 512th of it; without an interrupt.
    bus.run(|bench| {
        if read_byte(bench, S) & IICIF != 0 {
            byte(bench, S, IICIF);
            read_byte(bench, D);
        }
        read_byte(bench, S) & BUSY == 0
    });
    bus.pass(1_200);
    assert_eq!(read_byte(&mut bus.bench, SMB) & 0xE, 4, "SHTF1");
    assert_eq!(read_byte(&mut bus.bench, S) & IICIF, 0);
    // SDA low under a high SCL.
    bus.bench.set_pin(1, 1, 1, Some(false));
    bus.pass(1_200);
    assert_eq!(read_byte(&mut bus.bench, SMB) & 0xE, 2, "SHTF2");
    assert_eq!(read_byte(&mut bus.bench, S) & IICIF, 0, "SHTF2IE is 0");
}

#[test]
fn the_dma_serves_a_target_and_a_controller() {
    // I2C0 is input 22: two bytes behind the address, which the DMA takes, too.
    let mut bus = target(&[]);
    let bench = &mut bus.bench;
    bench.write(k20_dma::SCGC6, 0x4000_0001 | 1 << 1 | 1 << 23);
    bench.write(k20_dma::SCGC7, 7);
    let tcd = k20_dma::Tcd {
        source: D,
        source_offset: 0,
        form: 0,
        bytes: 1,
        source_last: 0,
        destination: RAM,
        destination_offset: 1,
        count: 4,
        destination_last: 0,
        control: 1 << 3,
    };
    tcd.set(bench, 0);
    byte(bench, k20_dma::MUX, 0x80 | 22);
    bench.write(k20_dma::ERQ, 1);
    byte(bench, C1, IICEN | DMAEN);
    bus.command("c", "write 0x42 a1 b2 c3");
    bus.pass(100_000);
    assert_eq!(bus.log("c"), ["write 0x42 a1 b2 c3: 84+ a1+ b2+ c3+"]);
    assert_eq!(k20_dma::get(&mut bus.bench, RAM, 4), [0x84, 0xA1, 0xB2, 0xC3]);
    // As a controller: software sends the address, the DMA the rest.
    let mut bus = Shared::new("mk20dx256", &["eeprom:24c32@scl=PB0,sda=PB1"]);
    let bench = &mut bus.bench;
    bench.write(k20_dma::SCGC6, 0x4000_0001 | 1 << 1 | 1 << 23);
    bench.write(k20_dma::SCGC7, 7);
    k20_dma::put(bench, RAM, &[0, 0x20, 0x99, 0x77]);
    byte(bench, F, 0x27);
    byte(bench, C1, IICEN);
    let tcd = k20_dma::Tcd { source: RAM, source_offset: 1, destination: D, destination_offset: 0, ..tcd };
    tcd.set(bench, 5);
    byte(bench, k20_dma::MUX + 5, 0x80 | 22);
    bench.write(k20_dma::ERQ, 1 << 5);
    byte(bench, C1, IICEN | MST | TX | DMAEN);
    byte(bench, D, 0xA0);
    bus.pass(100_000);
    assert_eq!(bus.read(k20_dma::ERQ), 0);
    byte(&mut bus.bench, C1, IICEN);
    bus.pass(5_000);
    assert_eq!(bus.decoded(), "S a0+ 00+ 20+ 99+ 77+ P");
}
