//! Version 2 (RM0490, "Inter-integrated circuit interface (I2C)").

use super::*;

const TIMINGR: u32 = I2C1 + 0x10;
const ISR: u32 = I2C1 + 0x18;
const ICR: u32 = I2C1 + 0x1C;
const RXDR: u32 = I2C1 + 0x24;
const TXDR: u32 = I2C1 + 0x28;

const PE: u32 = 1;
const RD: u32 = 1 << 10;
const START: u32 = 1 << 13;
const STOP: u32 = 1 << 14;
const RELOAD: u32 = 1 << 24;
const AUTOEND: u32 = 1 << 25;
const TXE: u32 = 1;
const TXIS: u32 = 2;
const RXNE: u32 = 4;
const NACKF: u32 = 1 << 4;
const STOPF: u32 = 1 << 5;
const TC: u32 = 1 << 6;
const TCR: u32 = 1 << 7;
const BUSY: u32 = 1 << 15;

const LINE: usize = 23;

/// A speed: TIMINGR, and cycles at 48 MHz.
#[derive(Clone, Copy)]
struct Speed {
    timingr: u32,
    low: u64,
    high: u64,
    /// SCLL and SCLH without what it takes to see SCL.
    scll: u64,
    sclh: u64,
}

/// RM0490's examples for 48 MHz. tSYNC1 and tSYNC2: 50 ns are 3 periods at most, and 2 more.
const SPEEDS: [Speed; 2] = [
    Speed { timingr: 0xB042_0F13, low: 20 * 12 + 5, high: 16 * 12 + 5, scll: 20 * 12, sclh: 16 * 12 },
    Speed { timingr: 0x5033_0309, low: 10 * 6 + 5, high: 4 * 6 + 5, scll: 10 * 6, sclh: 4 * 6 },
];

impl Speed {
    fn byte(self) -> u64 {
        9 * (self.low + self.high)
    }
}

fn on(speed: Speed, target: Target) -> Bus {
    let mut bus = Bus::new("stm32c031c6", target);
    bus.write(TIMINGR, speed.timingr);
    bus.write(CR1, PE);
    bus
}

const fn count(bytes: u32) -> u32 {
    bytes << 16
}

#[test]
fn bytes_go_out_in_the_time_that_timingr_gives() {
    for speed in SPEEDS {
        let mut bus = on(speed, Target::new());
        let begin = bus.bench.now;
        bus.write(CR2, 0x78 | count(2) | START | AUTOEND);
        assert_eq!(bus.read(ISR), BUSY | TXE);
        let there = begin + speed.sclh + speed.byte();
        assert_eq!(bus.until(ISR, TXIS), there);
        assert_eq!(bus.read(CR2) & START, 0);
        bus.write(TXDR, 0x12);
        assert_eq!(bus.read(ISR), BUSY | TXE, "in the shift register at once");
        assert_eq!(bus.until(ISR, TXIS), there + speed.byte());
        bus.write(TXDR, 0xFE);
        assert_eq!(bus.until(ISR, STOPF), there + 2 * speed.byte() + speed.low + speed.sclh);
        assert_eq!(bus.read(ISR), STOPF | TXE);
        let end = bus.bench.now;
        bus.write(ICR, STOPF);
        assert_eq!([bus.read(ISR), bus.read(ICR)], [TXE, 0]);
        assert_eq!(bus.heard(), ["to", "12", "fe", "stop"]);
        bus.bench.pass(10);
        assert_eq!(bus.decoded(), "S 78+ 12+ fe+ P");
        assert_eq!(bus.told(), bus.decoded());
        // The next start waits for tBUF.
        bus.write(CR2, 0x78 | START | AUTOEND);
        assert_eq!(bus.until(ISR, STOPF), end + speed.scll + speed.sclh + speed.byte() + speed.low + speed.sclh);
    }
}

#[test]
fn scl_is_low_and_high_and_sda_changes_as_timingr_says() {
    for (speed, hold) in SPEEDS.into_iter().zip([5 + 2 * 12 + 1, 5 + 3 * 6 + 1]) {
        let mut bus = on(speed, Target::new());
        bus.write(CR2, 0x54 | START | AUTOEND);
        bus.until(ISR, STOPF);
        let clock = bus.clock();
        for pair in clock[..19].windows(2) {
            assert_eq!(pair[1].0 - pair[0].0, if pair[0].1 { speed.high } else { speed.low });
        }
        // SDA: the start, seven changes of 0x54, up for nobody, down and up for the stop.
        let data: Vec<u64> = bus.edges.iter().filter(|(_, clock, _)| !clock).map(|(at, ..)| *at).collect();
        let falls: Vec<u64> = clock.iter().filter(|(_, high)| !high).map(|(at, _)| *at).collect();
        let expected = [1, 2, 3, 4, 5, 6].map(|fall| falls[fall] + hold);
        assert_eq!(data[1..7], expected);
        assert_eq!(bus.decoded(), "S 54- P");
    }
}

#[test]
fn bytes_come_in_and_the_last_is_not_acknowledged() {
    for speed in SPEEDS {
        let mut bus = on(speed, Target::new());
        let begin = bus.bench.now;
        bus.write(CR2, 0x78 | RD | count(3) | START | AUTOEND);
        for (index, byte) in [0xA5, 0x01, 0x7F].into_iter().enumerate() {
            let eight = speed.byte() - speed.low - speed.high;
            let at = begin + speed.sclh + (1 + index as u64) * speed.byte() + eight;
            assert_eq!(bus.until(ISR, RXNE), at, "after the eighth bit");
            assert_eq!(bus.read(RXDR), byte);
        }
        let end = begin + speed.sclh + 4 * speed.byte() + speed.low + speed.sclh;
        assert_eq!(bus.until(ISR, STOPF), end);
        bus.bench.pass(10);
        assert_eq!(bus.decoded(), "S 79+ a5+ 01+ 7f- P");
        assert_eq!(bus.told(), bus.decoded());
    }
}

#[test]
fn a_full_register_holds_the_clock_before_the_acknowledgement() {
    let speed = SPEEDS[0];
    let mut bus = on(speed, Target::new());
    bus.write(CR2, 0x78 | RD | count(2) | START);
    bus.bench.pass(100_000);
    assert_eq!(bus.read(ISR), BUSY | TXE | RXNE);
    assert_eq!(bus.clock().len(), 1 + 2 * (9 + 9 + 8));
    let now = bus.bench.now;
    assert_eq!([bus.read(RXDR), bus.read(RXDR)], [0xA5, 0x01]);
    // SCLDEL is 5 * 12; then the ninth bit.
    assert_eq!(bus.until(ISR, TC), now + 60 + speed.high);
    bus.write(CR2, STOP);
    bus.until(ISR, STOPF);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S 79+ a5+ 01- P");
}

#[test]
fn an_empty_register_holds_the_clock_after_the_acknowledgement() {
    let speed = SPEEDS[0];
    let mut bus = on(speed, Target::new());
    bus.write(CR2, 0x78 | count(1) | START | AUTOEND);
    bus.until(ISR, TXIS);
    bus.bench.pass(5_000);
    let now = bus.bench.now;
    bus.write(TXDR, 0x96);
    assert_eq!(bus.until(ISR, STOPF), now + 60 + speed.byte() - speed.low + speed.low + speed.sclh);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S 78+ 96+ P");
}

#[test]
fn tc_lets_software_choose_and_tcr_goes_on() {
    let mut bus = on(SPEEDS[0], Target::new());
    bus.write(CR2, 0x78 | count(1) | START | RELOAD);
    bus.until(ISR, TXIS);
    bus.write(TXDR, 0x01);
    let waits = bus.until(ISR, TCR);
    bus.bench.pass(1_000);
    assert_eq!(bus.read(ISR), BUSY | TXE | TCR);
    bus.write(CR2, 0x78 | count(1));
    assert_eq!(bus.until(ISR, TXIS), waits + 1_000);
    bus.write(TXDR, 0x02);
    let done = bus.until(ISR, TC);
    bus.write(CR2, 0x78 | RD | count(1) | START | AUTOEND);
    assert_eq!(bus.read(ISR) & TC, 0);
    let speed = SPEEDS[0];
    let start = speed.low + speed.scll + speed.sclh;
    assert_eq!(bus.until(ISR, RXNE), done + start + 2 * speed.byte() - speed.low - speed.high);
    bus.until(ISR, STOPF);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S 78+ 01+ 02+ S 79+ a5- P");
    assert_eq!(bus.heard(), ["to", "01", "02", "from", "stop"]);
}

#[test]
fn nobody_answers_and_a_byte_is_refused() {
    let mut bus = on(SPEEDS[0], Target::new());
    bus.write(CR1, PE | 1 << 4 | 1 << 5);
    bus.write(CR2, 0x10 | count(1) | START);
    bus.line(LINE);
    assert_eq!(bus.read(ISR), NACKF | BUSY | TXE);
    bus.write(ICR, NACKF);
    assert!(!bus.bench.bus.shared.interrupts.is_high(LINE));
    bus.line(LINE);
    assert_eq!(bus.read(ISR), STOPF | TXE, "a stop follows by itself");
    bus.write(ICR, STOPF);
    bus.write(CR2, 0x78 | count(2) | START | AUTOEND);
    bus.until(ISR, TXIS);
    bus.write(TXDR, 0xEE);
    bus.until(ISR, NACKF);
    assert_eq!(bus.read(ISR) & TXIS, 0);
    bus.until(ISR, STOPF);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S 10- P S 78+ ee- P");
}

#[test]
fn a_target_stretches_the_clock() {
    let speed = SPEEDS[1];
    let mut bus = on(speed, Target { stretch: Picoseconds::new(50_000_000), ..Target::new() });
    let begin = bus.bench.now;
    bus.write(CR2, 0x78 | RD | count(1) | START | AUTOEND);
    // 50 us are 2,400 cycles in the place of SCL's low time.
    let longer = 2_400 - speed.low;
    let eight = 8 * (speed.low + speed.high);
    assert_eq!(bus.until(ISR, RXNE), begin + speed.sclh + speed.byte() + eight + 2 * longer);
    bus.until(ISR, STOPF);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S 79+ a5- P");
}

#[test]
fn dma_sends_and_receives() {
    let mut bus = on(SPEEDS[1], Target::new());
    bus.write(RAM, 0x4433_2211);
    let channel = |bus: &mut Bus, number: u32, request: u32, register: u32, memory: u32, count: u32, ccr: u32| {
        let base = 0x4002_0008 + 0x14 * (number - 1);
        bus.write(0x4002_0800 + 4 * (number - 1), request);
        bus.write(base + 8, register);
        bus.write(base + 12, memory);
        bus.write(base + 4, count);
        bus.write(base, ccr | 1 << 7 | 1);
    };
    channel(&mut bus, 1, 11, TXDR, RAM, 4, 1 << 4);
    channel(&mut bus, 2, 10, RXDR, RAM + 0x100, 3, 0);
    bus.write(CR1, 0);
    bus.write(CR1, PE | 1 << 14 | 1 << 15 | 1 << 5);
    for cr2 in [0x78 | count(4), 0x78 | RD | count(3)] {
        bus.write(CR2, cr2 | START | AUTOEND);
        bus.line(LINE);
        bus.write(ICR, STOPF);
    }
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S 78+ 11+ 22+ 33+ 44+ P S 79+ a5+ 01+ 7f- P");
    assert_eq!(bus.read(RAM + 0x100), 0x007F_01A5);
}

#[test]
fn an_address_has_ten_bits_whole_or_only_its_head() {
    let mut bus = on(SPEEDS[0], Target { address: I2cAddress::Ten(0x2A5), ..Target::new() });
    let ten = 1 << 11 | 0x2A5;
    bus.write(CR2, ten | count(1) | START);
    bus.until(ISR, TXIS);
    bus.write(TXDR, 0x33);
    bus.until(ISR, TC);
    bus.write(CR2, ten | 1 << 12 | RD | count(1) | START | AUTOEND);
    bus.until(ISR, STOPF);
    bus.write(ICR, STOPF);
    bus.read(RXDR);
    bus.write(CR2, 0);
    bus.write(CR2, ten | RD | count(1) | START | AUTOEND);
    bus.until(ISR, STOPF);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S f4+ a5+ 33+ S f5+ a5- P S f4+ a5+ S f5+ 01- P");
    assert_eq!(bus.heard(), ["to", "33", "from", "stop", "to", "from", "stop"]);
}

#[test]
fn pe_is_a_software_reset() {
    let mut bus = on(SPEEDS[0], Target::new());
    bus.write(CR2, 0x78 | count(1) | START);
    bus.until(ISR, TXIS);
    bus.write(CR1, 0);
    assert_eq!([bus.read(ISR), bus.read(TIMINGR), bus.read(CR2)], [TXE, SPEEDS[0].timingr, 0x78 | count(1)]);
    bus.bench.pass(10);
    assert_eq!(bus.read(0x5000_0410) & 0xC0, 0xC0, "the lines are high");
    bus.write(TXDR, 1);
    assert_eq!(bus.read(ISR), 0);
    bus.write(ISR, TXE);
    assert_eq!(bus.read(ISR), TXE, "TXDR is flushed");
}

#[test]
fn ccipr_selects_the_kernel_clock() {
    const CCIPR: u32 = 0x4002_1054;
    let speed = SPEEDS[0];
    let mut bus = on(speed, Target::new());
    // HSIKER is HSI48 / 3, so that SCLL and SCLH last three times as long; 50 ns are 1 of its periods.
    let hsiker = Speed {
        low: 3 * (speed.scll + 3),
        high: 3 * (speed.sclh + 3),
        scll: 3 * speed.scll,
        sclh: 3 * speed.sclh,
        ..speed
    };
    bus.write(crate::bench::RCC_CR, 0x0000_0540);
    for (selection, speed) in [(2, hsiker), (1, speed), (0, speed)] {
        bus.write(CCIPR, selection << 12);
        bus.bench.pass(5_000);
        let begin = bus.bench.now;
        bus.write(CR2, 0x78 | START | AUTOEND);
        assert_eq!(bus.until(ISR, STOPF) - begin, 2 * speed.sclh + speed.byte() + speed.low, "{selection}");
        bus.write(ICR, STOPF);
    }
}

#[test]
fn a_clock_that_the_controller_holds_in_a_byte_for_too_long_is_a_timeout() {
    const TIMEOUTR: u32 = I2C1 + 0x14;
    const TIMEOUT: u32 = 1 << 12;
    let speed = SPEEDS[0];
    let mut bus = on(speed, Target::new());
    bus.write(TIMEOUTR, 1 << 31 | 1 << 16);
    bus.write(TIMEOUTR, 1 << 31 | 7 << 16);
    assert_eq!(bus.read(TIMEOUTR), 1 << 31 | 1 << 16, "closed while it is on");
    bus.write(CR2, 0x78 | count(3) | START | AUTOEND);
    // What the first byte is held for does not count for the second.
    bus.until(ISR, TXIS);
    bus.bench.pass(speed.low + 4_000);
    bus.write(TXDR, 0x12);
    let fell = bus.until(ISR, TXIS);
    assert_eq!(bus.until(ISR, TIMEOUT), fell + speed.low + 2 * 2048);
    bus.until(ISR, STOPF);
    assert_eq!(bus.heard(), ["to", "12", "stop"]);
    // Held for just long enough.
    bus.write(ICR, STOPF | TIMEOUT);
    bus.write(CR2, 0x78 | count(1) | START | AUTOEND);
    bus.until(ISR, TXIS);
    bus.bench.pass(speed.low + 2 * 2048 - 1);
    bus.write(TXDR, 0x34);
    bus.until(ISR, STOPF);
    assert_eq!(bus.read(ISR) & TIMEOUT, 0);
}

#[test]
fn fmpi2c1_of_the_f446_is_the_same_with_its_own_kernel_clock() {
    const FMPI2C1: u32 = 0x4000_6000;
    let mut bench = f446_clocks::fast();
    bench.write(FMPI2C1 + 0x10, 0x0000_0F13);
    bench.write(FMPI2C1, PE | 1 << 5);
    // 45 MHz are 4 cycles; 50 ns are 3 periods at most. HSI is 11.25 cycles and 50 ns 1 period; the last edge is rounded up.
    let pclk = 2 * 16 * 4 + 9 * (25 + 21) * 4 + 25 * 4;
    let hsi = 2 * 180 + (9 * (23 + 19) + 23) * 45 / 4 + 1;
    for (selection, cycles) in [(0, pclk), (2, hsi)] {
        bench.write(f446_clocks::RCC + 0x94, selection << 22);
        bench.pass(4 * 5_000);
        let begin = bench.now;
        bench.write(FMPI2C1 + 0x04, 0x78 | START | AUTOEND);
        assert_eq!(bench.until_line(95, 100_000), Some(begin + cycles), "{selection}");
        bench.write(FMPI2C1 + 0x1C, NACKF | STOPF);
    }
}
