//! RP2040: I2C as a controller and as a target (RP-008371-DS, "I2C").

use cyclescope_attached::i2c_controller::I2cController;
use cyclescope_chips::Stimulus;
use cyclescope_machine::{GapKind, Pin, Signal};
use cyclescope_peripherals::Effect;

use crate::alone::Alone;
use crate::bench::Bench;
use crate::i2c::decode;
use crate::rp_uart::{gaps, part, switch};

const I2C0: u32 = 0x4004_4000;
const CON: u32 = I2C0;
const TAR: u32 = I2C0 + 0x04;
const SAR: u32 = I2C0 + 0x08;
const DATA_CMD: u32 = I2C0 + 0x10;
const FS_HCNT: u32 = I2C0 + 0x1C;
const FS_LCNT: u32 = I2C0 + 0x20;
const INTR_STAT: u32 = I2C0 + 0x2C;
const INTR_MASK: u32 = I2C0 + 0x30;
const RAW: u32 = I2C0 + 0x34;
const RX_TL: u32 = I2C0 + 0x38;
const TX_TL: u32 = I2C0 + 0x3C;
const CLR_INTR: u32 = I2C0 + 0x40;
const CLR_RD_REQ: u32 = I2C0 + 0x50;
const CLR_TX_ABRT: u32 = I2C0 + 0x54;
const CLR_STOP_DET: u32 = I2C0 + 0x60;
const ENABLE: u32 = I2C0 + 0x6C;
const STATUS: u32 = I2C0 + 0x70;
const TXFLR: u32 = I2C0 + 0x74;
const RXFLR: u32 = I2C0 + 0x78;
const ABRT_SOURCE: u32 = I2C0 + 0x80;
const DMA_CR: u32 = I2C0 + 0x88;
const DMA_TDLR: u32 = I2C0 + 0x8C;
const DMA_RDLR: u32 = I2C0 + 0x90;
const ENABLE_STATUS: u32 = I2C0 + 0x9C;
const FS_SPKLEN: u32 = I2C0 + 0xA0;
const LINE: usize = 23;

const READ: u32 = 1 << 8;
const STOP: u32 = 1 << 9;
const RESTART: u32 = 1 << 10;

const RX_OVER: u32 = 1 << 1;
const TX_OVER: u32 = 1 << 3;
const TX_EMPTY: u32 = 1 << 4;
const RD_REQ: u32 = 1 << 5;
const TX_ABRT: u32 = 1 << 6;
const RX_DONE: u32 = 1 << 7;
const ACTIVITY: u32 = 1 << 8;
const STOP_DET: u32 = 1 << 9;
const START_DET: u32 = 1 << 10;
const GEN_CALL: u32 = 1 << 11;

/// Controller, fast, with restarts; a target as well, at an address of seven bits.
const CONTROLLER: u32 = 0x65;
const TARGET: u32 = 0x24;

/// Cycles of SCL: 10 + 1 + 7 high, 20 + 1 low.
const HIGH: u64 = 18;
const LOW: u64 = 21;
const BIT: u64 = HIGH + LOW;

/// I2C0 at GPIO4 and GPIO5, with `devices` on its lines.
fn on(devices: &[&str], con: u32, target: u32) -> Bench {
    let mut bench = part();
    bench.attach(devices);
    for pin in [4, 5] {
        switch(&mut bench, pin, 3);
        // IE, PUE.
        bench.write(0x4001_C004 + 4 * pin, 0x5A);
    }
    bench.write(FS_HCNT, 10);
    bench.write(FS_LCNT, 20);
    bench.write(FS_SPKLEN, 1);
    bench.write(CON, con);
    bench.write(TAR, target);
    bench.write(ENABLE, 1);
    bench.pass(100);
    bench.bus.shared.signals.drain();
    bench
}

fn eeprom() -> Bench {
    on(&["eeprom:24c32@i2c0"], CONTROLLER, 0x50)
}

/// The lines since the last call, as a decoder reads them.
fn decoded(bench: &mut Bench) -> String {
    let signals: Vec<_> = bench.bus.shared.signals.drain().collect();
    let edges = signals.into_iter().filter_map(|(at, signal)| match signal {
        Signal::Pin { pin: Pin { number: number @ 4..6, .. }, high } => Some((at.get(), number == 5, high)),
        _ => None,
    });
    decode(&edges.collect::<Vec<_>>())
}

/// Lets time pass until `bits` of the register are there, at most a million cycles.
fn until(bench: &mut Bench, register: u32, bits: u32) -> u64 {
    let end = bench.now + 1_000_000;
    while bench.read(register) & bits != bits {
        let next = bench.bus.shared.events.next_at().get();
        assert!(next < end, "{:#x}", bench.read(register));
        bench.pass(next.saturating_sub(bench.now));
    }
    bench.now
}

#[test]
fn bytes_go_to_a_memory_and_come_back_behind_a_restart() {
    let mut bench = eeprom();
    bench.write(INTR_MASK, STOP_DET);
    assert_eq!(bench.read(RAW), TX_EMPTY);
    let begun = bench.now;
    for command in [0, 0x10, 0xAB, 0xCD | STOP] {
        bench.write(DATA_CMD, command);
    }
    assert_eq!(bench.read(STATUS), 0x23, "the first command waits for its address");
    // The start's hold, five bytes, and the stop.
    assert_eq!(bench.until_line(LINE, 100_000), Some(begun + HIGH + 45 * BIT + BIT));
    assert_eq!(bench.read(INTR_STAT), STOP_DET);
    assert_eq!(bench.read(RAW), STOP_DET | START_DET | ACTIVITY | TX_EMPTY);
    assert_eq!(bench.read(CLR_INTR), 1);
    assert_eq!(bench.read(RAW), TX_EMPTY);
    assert_eq!(decoded(&mut bench), "S a0+ 00+ 10+ ab+ cd+ P");
    bench.pass(100_000);
    let begun = bench.now;
    for command in [0, 0x10, READ | RESTART, READ | STOP] {
        bench.write(DATA_CMD, command);
    }
    // 27 clocks, a restart (low, high and the hold), 27 clocks, the stop.
    let end = begun + HIGH + 27 * BIT + LOW + 2 * HIGH + 27 * BIT + BIT;
    assert_eq!(bench.until_line(LINE, 100_000), Some(end));
    assert_eq!(decoded(&mut bench), "S a0+ 00+ 10+ S a1+ ab+ cd- P");
    assert_eq!(bench.read(RXFLR), 2);
    assert_eq!([bench.read(DATA_CMD), bench.read(DATA_CMD)], [1 << 11 | 0xAB, 0xCD], "the first one is marked");
    assert_eq!(bench.read(DATA_CMD), 0xCD);
    assert_eq!(bench.read(RAW) & 1, 1, "RX_UNDER");
    assert!(gaps(&bench, GapKind::Setting, "I2C0").is_empty());
    assert!(gaps(&bench, GapKind::RegisterWrite, "I2C0").is_empty());
}

#[test]
fn the_bus_waits_for_a_command() {
    let mut bench = eeprom();
    bench.write(DATA_CMD, 0);
    let held = HIGH + 18 * BIT;
    bench.pass(10 * held);
    assert_eq!(bench.read(RAW) & (STOP_DET | TX_EMPTY), TX_EMPTY);
    assert_eq!(bench.read(STATUS) & 0x20, 0x20);
    let begun = bench.now;
    bench.write(DATA_CMD, 0x20 | STOP);
    assert_eq!(until(&mut bench, RAW, STOP_DET) - begun, 9 * BIT + BIT);
    bench.read(CLR_STOP_DET);
    // Ahead of its acknowledgement a byte that came in waits for the command that decides on it.
    bench.write(DATA_CMD, READ);
    bench.pass(10 * held);
    assert_eq!(bench.read(RXFLR), 1);
    let begun = bench.now;
    bench.write(DATA_CMD, READ | STOP);
    assert_eq!(until(&mut bench, RAW, STOP_DET) - begun, BIT + 9 * BIT + BIT);
    assert_eq!(bench.read(RXFLR), 2);
    assert!(gaps(&bench, GapKind::Setting, "I2C0").is_empty());
}

#[test]
fn a_missing_acknowledgement_aborts_and_the_fifos_stay_empty_until_it_is_seen() {
    let mut bench = on(&["eeprom:24c32@i2c0"], CONTROLLER, 0x51);
    bench.write(INTR_MASK, TX_ABRT);
    let begun = bench.now;
    for command in [1, 2, 3 | STOP] {
        bench.write(DATA_CMD, command);
    }
    assert_eq!(bench.until_line(LINE, 10_000), Some(begun + HIGH + 9 * BIT));
    assert_eq!(bench.read(ABRT_SOURCE), 2 << 23 | 1);
    until(&mut bench, RAW, STOP_DET);
    bench.write(DATA_CMD, 4 | STOP);
    assert_eq!(bench.read(TXFLR), 0);
    assert_eq!(bench.read(CLR_TX_ABRT), 1);
    assert_eq!([bench.read(ABRT_SOURCE), bench.read(RAW) & TX_ABRT], [0, 0]);
    // The bus is free a low time behind the stop.
    bench.write(DATA_CMD, 4 | STOP);
    bench.pass(LOW + HIGH + 9 * BIT);
    assert_eq!(bench.read(ABRT_SOURCE), 1);
}

#[test]
fn addresses_of_ten_bits_and_special_ones() {
    let mut bench = on(&["eeprom:24c32@i2c0"], CONTROLLER | 1 << 4, 0x250);
    bench.write(DATA_CMD, READ | STOP);
    bench.pass(HIGH + 9 * BIT);
    assert_eq!(bench.read(ABRT_SOURCE), 2, "the first byte of ten bits");
    // A general call is nobody's, a start byte is not acknowledged, and an address follows it.
    for (tar, con, command, clocks, source) in [
        (1 << 11, CONTROLLER, 0x06 | STOP, 9, 1 << 4),
        (3 << 10 | 0x50, CONTROLLER, STOP, 0, 0),
        (3 << 10, CONTROLLER & !0x20, STOP, 0, 1 << 9),
        (0x250, CONTROLLER & !0x20 | 1 << 4, READ | STOP, 0, 1 << 10),
        (0x50, CONTROLLER & !1, STOP, 0, 1 << 11),
    ] {
        bench.pass(10_000);
        bench.read(CLR_INTR);
        bench.write(ENABLE, 0);
        assert_eq!(bench.read(ENABLE_STATUS), 0);
        bench.write(CON, con);
        bench.write(TAR, tar);
        bench.write(ENABLE, 1);
        let begun = bench.now;
        bench.write(DATA_CMD, command);
        bench.pass(if clocks > 0 { HIGH + clocks * BIT } else { 0 });
        assert_eq!(bench.read(ABRT_SOURCE) & 0x1_FFFF, source, "{tar:#x}");
        if source == 0 {
            // The start byte, a restart, the address, a byte and the stop.
            let took = until(&mut bench, RAW, STOP_DET) - begun;
            assert_eq!(took, HIGH + 9 * BIT + LOW + 2 * HIGH + 18 * BIT + BIT);
            assert_eq!(bench.read(RAW) & TX_ABRT, 0);
        }
    }
}

#[test]
fn software_ends_a_transfer() {
    let mut bench = eeprom();
    for command in [0, 1, 2, 3] {
        bench.write(DATA_CMD, command);
    }
    bench.pass(HIGH + 10 * BIT);
    bench.write(ENABLE, 3);
    assert_eq!(bench.read(ENABLE), 3);
    let end = until(&mut bench, RAW, TX_ABRT);
    assert_eq!(bench.read(ABRT_SOURCE), 3 << 23 | 1 << 16);
    assert_eq!(bench.read(ENABLE), 1);
    // With the byte under way.
    assert_eq!((end - 100 - HIGH) % BIT, 0);
    bench.read(CLR_INTR);
    // Off: the transfer ends with its byte, and all registers with it.
    for command in [0, 1, 2, 3] {
        bench.write(DATA_CMD, command);
    }
    bench.pass(2 * HIGH + 10 * BIT);
    bench.write(ENABLE, 0);
    assert_eq!([bench.read(ENABLE_STATUS), bench.read(TXFLR)], [1, 0]);
    bench.pass(10 * BIT);
    assert_eq!([bench.read(ENABLE_STATUS), bench.read(RAW), bench.read(STATUS)], [0, 0, 6]);
}

#[test]
fn thresholds_and_locks() {
    let mut bench = eeprom();
    bench.write(TX_TL, 200);
    assert_eq!(bench.read(TX_TL), 16);
    bench.write(TX_TL, 2);
    bench.write(FS_HCNT, 99);
    assert_eq!(bench.read(FS_HCNT), 10, "on, it takes no count");
    // Blocked, commands wait.
    bench.write(ENABLE, 5);
    (0..17).for_each(|byte| bench.write(DATA_CMD, byte));
    assert_eq!([bench.read(TXFLR), bench.read(STATUS)], [16, 0]);
    assert_eq!(bench.read(RAW), TX_OVER);
    bench.write(ENABLE, 1);
    // The first goes with its address, 13 more of 15 leave two.
    let begun = bench.now;
    assert_eq!(until(&mut bench, RAW, TX_EMPTY) - begun, HIGH + 9 * BIT * 14);
    bench.write(ENABLE, 0);
    bench.pass(1_000);
    bench.write(FS_HCNT, 1);
    bench.write(FS_LCNT, 1);
    assert_eq!([bench.read(FS_HCNT), bench.read(FS_LCNT)], [6, 8]);
    bench.write(CON, 0x61);
    assert_eq!(bench.read(CON), 0x65, "no speed is the fastest");
}

#[test]
fn a_full_receiver_loses_bytes_or_holds_the_bus() {
    for (hold, raw, level) in [(0, RX_OVER, 16), (1 << 9, 0, 16)] {
        let mut bench = on(&["eeprom:24c32@i2c0"], CONTROLLER | hold, 0x50);
        bench.write(RX_TL, 3);
        for byte in 0..18 {
            bench.write(DATA_CMD, READ | if byte == 17 { STOP } else { 0 });
            if byte == 3 {
                until(&mut bench, RAW, 1 << 2);
                assert_eq!(bench.read(RXFLR), 4);
            }
        }
        bench.pass(1_000_000);
        assert_eq!([bench.read(RAW) & RX_OVER, bench.read(RXFLR)], [raw, level], "{hold}");
        assert_eq!(bench.read(RAW) & STOP_DET != 0, hold == 0);
        if hold != 0 {
            (0..18).for_each(|_| {
                bench.read(DATA_CMD);
                bench.pass(20 * BIT);
            });
            assert_eq!(bench.read(RAW) & (STOP_DET | 1), STOP_DET);
        }
    }
}

#[test]
fn requests_follow_the_thresholds() {
    let mut i2c = Alone::new("rp2040", "I2C0", 16_000_000, |_, tree| tree);
    let requests = |i2c: &mut Alone| {
        let mut levels = [None; 2];
        for effect in i2c.effects() {
            if let Effect::Request { number: number @ (32 | 33), active } = effect {
                levels[usize::from(number - 32)] = Some(active);
            }
        }
        levels
    };
    i2c.write(DMA_CR - I2C0, 3);
    assert_eq!(requests(&mut i2c), [Some(false); 2], "off");
    // Two wait at most, three or more have come.
    i2c.write(DMA_TDLR - I2C0, 2);
    i2c.write(DMA_RDLR - I2C0, 2);
    i2c.write(ENABLE - I2C0, 1);
    assert_eq!(requests(&mut i2c), [Some(true), Some(false)]);
    // The first goes with its address.
    (0..4).for_each(|byte| i2c.write(DATA_CMD - I2C0, byte));
    assert_eq!(requests(&mut i2c), [Some(false); 2]);
    // Nobody answers: an abort holds the requests back until it is seen.
    i2c.pass(10_000);
    assert_eq!(requests(&mut i2c)[0], Some(false));
    i2c.read(CLR_TX_ABRT - I2C0);
    assert_eq!(requests(&mut i2c)[0], Some(true));
}

fn command(bench: &mut Bench, text: &str) {
    let (name, value) = text.split_once(' ').unwrap();
    bench.stimulate(1, Stimulus::Device { device: "c".into(), name: name.into(), value: value.into() });
}

fn log(bench: &Bench) -> Vec<String> {
    let mut devices = bench.bus.peripherals.outside().devices();
    let (_, device) = devices.next().expect("it is attached");
    let log = device.as_any().downcast_ref::<I2cController>().expect("it is one").log();
    log.lines().map(|line| line.split_once("ms ").expect("a time").1.to_owned()).collect()
}

/// A target at 0x42, with a controller.
fn target() -> Bench {
    let mut bench = on(&["i2c-controller:name=c@i2c0"], TARGET, 0x50);
    bench.write(ENABLE, 0);
    bench.write(SAR, 0x42);
    bench.write(ENABLE, 1);
    bench.pass(100);
    bench
}

#[test]
fn a_target_takes_bytes_and_asks_for_those_that_it_sends() {
    let mut bench = target();
    bench.write(INTR_MASK, RD_REQ);
    command(&mut bench, "write 0x42 01 fe");
    bench.pass(10_000);
    assert_eq!([bench.read(DATA_CMD), bench.read(DATA_CMD)], [1 << 11 | 1, 0xFE]);
    assert_eq!(bench.read(RAW), STOP_DET | START_DET | ACTIVITY | TX_EMPTY);
    command(&mut bench, "read 0x42 2");
    assert!(bench.until_line(LINE, 10_000).is_some());
    bench.pass(10_000);
    assert_eq!(bench.read(STATUS) & 0x40, 0x40, "the clock waits");
    assert_eq!(bench.read(CLR_RD_REQ), 1);
    bench.write(DATA_CMD, 0xA5);
    assert!(bench.until_line(LINE, 10_000).is_some());
    bench.read(CLR_RD_REQ);
    bench.write(DATA_CMD, 0x5A);
    bench.pass(10_000);
    assert_eq!(bench.read(RAW) & (RX_DONE | TX_ABRT), RX_DONE);
    command(&mut bench, "write 0x00 06");
    bench.pass(10_000);
    assert_eq!(bench.read(RAW) & GEN_CALL, GEN_CALL);
    command(&mut bench, "write 0x43 00");
    bench.pass(10_000);
    assert_eq!(
        log(&bench),
        ["write 0x42 01 fe: 84+ 01+ fe+", "read 0x42 2: 85+ a5+ 5a-", "write 0x00 06: 00+ 06+", "write 0x43 00: 86-"]
    );
}

#[test]
fn a_controller_on_a_shared_bus_follows_its_edges() {
    let mut bench = target();
    bench.write(ENABLE, 0);
    bench.write(CON, CONTROLLER);
    bench.write(TAR, 0x10);
    bench.write(ENABLE, 1);
    bench.write(DATA_CMD, STOP);
    until(&mut bench, RAW, TX_ABRT | STOP_DET);
    assert_eq!(bench.read(ABRT_SOURCE), 1);
}
