//! Version 2 as a target (RM0490, "I2C slave mode").

use cyclescope_machine::i2c::packet_error_code;

use super::shared::Shared;
use super::*;

const OAR1: u32 = I2C1 + 0x08;
const OAR2: u32 = I2C1 + 0x0C;
const TIMINGR: u32 = I2C1 + 0x10;
const TIMEOUTR: u32 = I2C1 + 0x14;
const ISR: u32 = I2C1 + 0x18;
const ICR: u32 = I2C1 + 0x1C;
const PECR: u32 = I2C1 + 0x20;
const RXDR: u32 = I2C1 + 0x24;
const TXDR: u32 = I2C1 + 0x28;

const PE: u32 = 1;
const SBC: u32 = 1 << 16;
const NOSTRETCH: u32 = 1 << 17;
const GCEN: u32 = 1 << 19;
const PECEN: u32 = 1 << 23;
const START: u32 = 1 << 13;
const NACK: u32 = 1 << 15;
const RELOAD: u32 = 1 << 24;
const AUTOEND: u32 = 1 << 25;
const PECBYTE: u32 = 1 << 26;
const TXE: u32 = 1;
const TXIS: u32 = 2;
const RXNE: u32 = 4;
const ADDR: u32 = 8;
const NACKF: u32 = 1 << 4;
const STOPF: u32 = 1 << 5;
const TCR: u32 = 1 << 7;
const ARLO: u32 = 1 << 9;
const OVR: u32 = 1 << 10;
const PECERR: u32 = 1 << 11;
const TIMEOUT: u32 = 1 << 12;
const BUSY: u32 = 1 << 15;
const DIR: u32 = 1 << 16;

/// RM0490's example for 100 kHz from 48 MHz.
const TIMING: u32 = 0xB042_0F13;

/// A C031 that is called 0x42, with a controller of 100 kHz.
fn target(cr1: u32) -> Shared {
    let mut bus = Shared::new("stm32c031c6", &["i2c-controller:name=c@scl=PB6,sda=PB7"]);
    bus.write(TIMINGR, TIMING);
    bus.write(OAR1, 1 << 15 | 0x84);
    bus.write(CR1, PE | cr1);
    bus
}

/// Serves the target until a stop condition.
fn serve(bench: &mut Bench, got: &mut Vec<u8>, sends: &mut VecDeque<u8>, seen: &mut u32) -> bool {
    let isr = bench.read(ISR);
    *seen |= isr & 0xFFFF;
    if isr & ADDR != 0 {
        *seen |= isr;
        // What an earlier transfer has left is flushed.
        bench.write(ISR, TXE);
        bench.write(ICR, ADDR);
    }
    if isr & RXNE != 0 {
        got.push(bench.read(RXDR) as u8);
    }
    if isr & TXIS != 0 {
        bench.write(TXDR, sends.pop_front().unwrap_or(0xFF).into());
    }
    bench.write(ICR, isr & (STOPF | NACKF));
    isr & STOPF != 0
}

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
    assert_eq!((got, seen & (DIR | NACKF | OVR), seen >> 17 & 0x7F), (vec![1, 0xFE, 0x55], 0, 0x42));
    let (_, seen) = transfer(&mut bus, "read 0x42 3", &[0xA5, 0, 0x7F]);
    assert_eq!(seen & (DIR | NACKF | STOPF), DIR | NACKF | STOPF);
    bus.command("c", "write 0x43 01");
    bus.pass(100_000);
    assert_eq!(bus.read(ISR) & (ADDR | STOPF | BUSY), 0);
    assert_eq!(bus.decoded(), "S 84+ 01+ fe+ 55+ P S 85+ a5+ 00+ 7f- P S 86- P");
    let gaps = bus.bench.gaps(GapKind::Setting);
    assert!(gaps.is_empty(), "{gaps:?}");
}

#[test]
fn the_clock_is_held_with_the_times_of_timingr() {
    let mut bus = target(0);
    bus.command("c", "read 0x42 2");
    bus.pass(50_000);
    assert_eq!([bus.read(ISR) & 0xFFFF, bus.clock().len() as u32], [ADDR | BUSY | TXE, 19]);
    bus.write(ICR, ADDR);
    assert_eq!(bus.read(ISR) & TXIS, TXIS);
    let now = bus.bench.now;
    bus.write(TXDR, 0x80);
    bus.pass(5_000);
    // SCLDEL is 5 periods of 12 cycles.
    assert_eq!(bus.clock()[19], (now + 60, true));
    // The acknowledgement of the address was pulled SDADEL and the filters after the fall of SCL.
    let falls: Vec<u64> = bus.clock().iter().filter(|(_, high)| !high).map(|(at, _)| *at).collect();
    let pulled = bus.clock_and_data().into_iter().find(|(at, clock, high)| !clock && !high && *at > falls[7]);
    assert_eq!(pulled.map(|(at, ..)| at), Some(falls[8] + 5 + 2 * 12 + 1));
}

#[test]
fn without_stretching_bytes_are_lost_and_ones_are_sent() {
    let mut bus = target(NOSTRETCH);
    bus.command("c", "write 0x42 01 02 03");
    bus.pass(100_000);
    assert_eq!(bus.log("c"), ["write 0x42 01 02 03: 84+ 01+ 02-"]);
    assert_eq!((bus.read(ISR) & (OVR | STOPF | RXNE), bus.read(RXDR)), (OVR | STOPF | RXNE, 1));
    bus.write(ICR, OVR | STOPF | ADDR);
    bus.write(TXDR, 0x12);
    bus.command("c", "read 0x42 2");
    bus.pass(100_000);
    assert_eq!(bus.log("c")[1], "read 0x42 2: 85+ 12+ ff-");
    assert_eq!(bus.read(ISR) & OVR, OVR);
}

#[test]
fn masks_let_ranges_of_addresses_in() {
    let mut bus = target(GCEN);
    bus.write(OAR2, 1 << 15 | 2 << 8 | 0x21 << 1);
    let code = |bus: &mut Shared, what: &str| transfer(bus, what, &[]).1 >> 17 & 0x7F;
    assert_eq!(["write 0x20 01", "write 0x23 01", "write 0x00 01"].map(|what| code(&mut bus, what)), [0x20, 0x23, 0]);
    bus.write(OAR2, 1 << 15 | 7 << 8);
    assert_eq!(code(&mut bus, "write 0x55 01"), 0x55);
    for refused in ["write 0x03 01", "write 0x7c 01"] {
        bus.command("c", refused);
        bus.pass(60_000);
    }
    let log = bus.log("c");
    assert_eq!(log[4..], ["write 0x03 01: 06-", "write 0x7c 01: f8-"]);
    bus.write(OAR1, 0);
    bus.write(OAR1, 1 << 15 | 1 << 10 | 0x242);
    let (got, seen) = transfer(&mut bus, "ask ten:0x242 2 0f", &[0x12, 0x34]);
    assert_eq!((got, seen >> 17 & 0x7F), (vec![0x0F], 0x7A));
    assert_eq!(bus.log("c")[6], "ask ten:0x242 2 0f: f4+ 42+ 0f+ f5+ 12+ 34-");
}

#[test]
fn byte_control_decides_on_each_acknowledgement() {
    let mut bus = target(SBC);
    bus.write(CR2, RELOAD | 1 << 16);
    bus.command("c", "write 0x42 01 02 03");
    let mut got = Vec::new();
    bus.run(|bench| {
        let isr = bench.read(ISR);
        bench.write(ICR, isr & ADDR);
        if isr & TCR != 0 {
            got.push(bench.read(RXDR));
            bench.write(CR2, RELOAD | 1 << 16 | if got.len() == 2 { NACK } else { 0 });
        }
        isr & STOPF != 0
    });
    assert_eq!((got, bus.read(CR2) & NACK), (vec![1, 2], 0));
    bus.pass(1_000);
    assert_eq!(bus.log("c"), ["write 0x42 01 02 03: 84+ 01+ 02-"]);
}

#[test]
fn packet_error_codes_are_compared_and_sent() {
    let code = |bytes: &[u8]| bytes.iter().fold(0, |code, byte| packet_error_code(code, *byte));
    let right = code(&[0x84, 0x12, 0x34]);
    for (sent, fault, sign) in [(right, 0, '+'), (right ^ 1, PECERR, '-')] {
        let mut bus = target(SBC | PECEN);
        bus.write(CR2, PECBYTE | 3 << 16);
        let (got, seen) = transfer(&mut bus, &format!("write 0x42 12 34 {sent:02x}"), &[]);
        assert_eq!((got, seen & PECERR), (vec![0x12, 0x34, sent], fault));
        assert_eq!(bus.log("c"), [format!("write 0x42 12 34 {sent:02x}: 84+ 12+ 34+ {sent:02x}{sign}")]);
    }
    let mut bus = target(SBC | PECEN);
    bus.write(CR2, PECBYTE | 3 << 16);
    transfer(&mut bus, "read 0x42 3", &[0x12, 0x34]);
    let right = code(&[0x85, 0x12, 0x34]);
    assert_eq!(bus.log("c"), [format!("read 0x42 3: 85+ 12+ 34+ {right:02x}-")]);
    assert_eq!(bus.read(PECR), u32::from(code(&[0x85, 0x12, 0x34, right])));
}

#[test]
fn lines_that_do_not_move_are_a_timeout() {
    let mut bus = target(0);
    bus.write(TIMEOUTR, 1 << 15 | 9);
    bus.command("c", "write 0x42 01");
    bus.run(|bench| bench.read(ISR) & ADDR != 0);
    let fell = bus.clock().last().expect("an edge").0;
    bus.pass(fell + 10 * 2048 - 1 - bus.bench.now);
    assert_eq!(bus.read(ISR) & TIMEOUT, 0);
    bus.pass(1);
    assert_eq!(bus.read(ISR) & TIMEOUT, TIMEOUT);
    bus.pass(30_000);
    assert_eq!(bus.log("c"), ["write 0x42 01: 84+ 01-"], "it has let the lines go");
    // Both high for 400 periods.
    bus.write(ICR, TIMEOUT);
    bus.write(TIMEOUTR, 0);
    bus.write(TIMEOUTR, 1 << 15 | 1 << 12 | 99);
    bus.command("c", "write 0x43 01");
    bus.pass(4_000);
    assert_eq!(bus.read(ISR) & TIMEOUT, 0);
    bus.pass(3_000);
    assert_eq!(bus.read(ISR) & TIMEOUT, TIMEOUT);
}

#[test]
fn a_clock_that_the_target_holds_for_too_long_in_a_transfer_is_a_timeout() {
    let mut bus = target(0);
    bus.write(TIMEOUTR, 1 << 31);
    bus.command("c", "write 0x42 01 02");
    bus.run(|bench| bench.read(ISR) & ADDR != 0);
    let fell = bus.clock().last().expect("an edge").0;
    bus.pass(fell + 1_500 - bus.bench.now);
    bus.write(ICR, ADDR);
    // The second byte is held, too: the sum of both counts.
    bus.run(|bench| bench.read(ISR) & RXNE != 0);
    bus.pass(4_400);
    let (fell, high) = *bus.clock().last().expect("an edge");
    assert!(!high && fell < bus.bench.now);
    bus.pass(fell + 547 - bus.bench.now);
    assert_eq!(bus.read(ISR) & TIMEOUT, 0);
    bus.pass(1);
    assert_eq!(bus.read(ISR) & TIMEOUT, TIMEOUT);
    bus.pass(30_000);
    assert_eq!(bus.log("c"), ["write 0x42 01 02: 84+ 01+ 02-"], "it has let the lines go");
    // A transfer of its own, with just less than the whole time.
    bus.write(ICR, TIMEOUT | STOPF);
    bus.read(RXDR);
    bus.command("c", "write 0x42 03");
    bus.run(|bench| bench.read(ISR) & ADDR != 0);
    let fell = bus.clock().last().expect("an edge").0;
    bus.pass(fell + 2047 - bus.bench.now);
    assert_eq!(bus.read(ISR) & TIMEOUT, 0);
    bus.pass(1);
    assert_eq!(bus.read(ISR) & TIMEOUT, TIMEOUT);
}

#[test]
fn the_bus_is_lost_to_a_controller_that_sends_a_zero() {
    for (rival, lost) in [("write 0x3c 01", true), ("write 0x55 01", false)] {
        let mut bus = target(0);
        bus.write(CR2, 0x84 | 1 << 16 | START | AUTOEND);
        bus.command("c", rival);
        bus.run(|bench| bench.read(ISR) & (ARLO | STOPF) != 0);
        assert_eq!(bus.read(ISR) & ARLO != 0, lost, "{rival}");
        assert_eq!(bus.read(CR2) & START, 0);
        bus.pass(100_000);
        assert_eq!(bus.log("c").len(), if lost { 1 } else { 2 });
    }
}

#[test]
fn a_fast_controller_waits_for_the_targets_data() {
    // SDADEL is 2 periods of 12 cycles behind the filters' 6, SCLDEL 5: more than the 25 of half a clock of 1 MHz.
    let mut bus = Shared::new("stm32c031c6", &["i2c-controller:name=c,clock=1MHz@scl=PB6,sda=PB7"]);
    bus.write(TIMINGR, TIMING);
    bus.write(OAR1, 1 << 15 | 0x84);
    bus.write(CR1, PE);
    transfer(&mut bus, "read 0x42 1", &[0xA5]);
    assert_eq!(bus.log("c"), ["read 0x42 1: 85+ a5-"]);
    let clock = bus.clock();
    let low: Vec<u64> = clock.windows(2).filter(|pair| pair[1].1).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(low[..8].iter().all(|low| (24..=26).contains(low)), "{low:?}");
    assert!(low[10..18].iter().all(|low| *low == 5 + 2 * 12 + 1 + 5 * 12), "{low:?}");
}

#[test]
fn dma_moves_what_a_target_receives_and_sends() {
    const DMA: u32 = 0x4002_0000;
    const DMAMUX: u32 = 0x4002_0800;
    const RXDMAEN: u32 = 1 << 15;
    const TXDMAEN: u32 = 1 << 14;
    let mut bus = target(RXDMAEN | TXDMAEN);
    // Channel 1 receives (request 10), channel 2 sends (request 11).
    for (channel, request, place, register, control) in [(0, 10, RAM, RXDR, 0x81), (1, 11, RAM + 0x100, TXDR, 0x91)] {
        let base = DMA + 0x08 + 20 * channel;
        bus.write(DMAMUX + 4 * channel, request);
        bus.write(base + 4, 3);
        bus.write(base + 8, register);
        bus.write(base + 12, place);
        bus.write(base, control);
    }
    for (index, byte) in [0xDE, 0xAD, 0x42].into_iter().enumerate() {
        bus.bench.bus.memory.write(RAM + 0x100 + index as u32, Width::Byte, byte);
    }
    for what in ["write 0x42 01 02 03", "read 0x42 3"] {
        bus.command("c", what);
        bus.run(|bench| {
            let isr = bench.read(ISR);
            bench.write(ICR, isr & (ADDR | STOPF | NACKF));
            isr & STOPF != 0
        });
        bus.pass(1_000);
    }
    assert_eq!(bus.log("c")[1], "read 0x42 3: 85+ de+ ad+ 42-");
    let got: Vec<_> = (0..3).map(|byte| bus.bench.bus.memory.read(RAM + byte, Width::Byte)).collect();
    assert_eq!(got, [Some(1), Some(2), Some(3)]);
}

#[test]
fn the_pin_smba_alerts_a_host_and_is_pulled_by_a_device() {
    const ALERTEN: u32 = 1 << 22;
    const SMBHEN: u32 = 1 << 20;
    const ALERT: u32 = 1 << 13;
    // SMBA on PB5, function 6.
    let mut bus = target(ALERTEN | SMBHEN);
    let moder = bus.read(0x5000_0400);
    bus.write(0x5000_0420, bus.bench.clone().read(0x5000_0420) | 6 << 20);
    bus.write(0x5000_0404, 7 << 5);
    bus.write(0x5000_0400, moder & !(3 << 10) | 2 << 10);
    bus.bench.set_pin(1, 1, 5, Some(true));
    bus.pass(10);
    assert_eq!(bus.read(ISR) & ALERT, 0);
    bus.bench.set_pin(1, 1, 5, Some(false));
    bus.pass(10);
    assert_eq!(bus.read(ISR) & ALERT, ALERT);
    bus.bench.set_pin(1, 1, 5, Some(true));
    bus.pass(10);
    bus.write(CR1, PE | ALERTEN);
    bus.pass(10);
    assert_eq!(bus.read(0x5000_0410) & 1 << 5, 0, "the device asks for the host");
    // Which finds out who asks.
    let (_, seen) = transfer(&mut bus, "read 0x0c 1", &[0x84]);
    assert_eq!((seen & DIR, seen >> 17 & 0x7F), (DIR, 0x0C));
    assert_eq!(bus.log("c"), ["read 0x0c 1: 19+ 84-"]);
}
