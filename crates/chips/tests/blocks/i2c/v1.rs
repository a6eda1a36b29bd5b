//! Version 1 (RM0008 and RM0390, "Inter-integrated circuit (I2C) interface").

use super::*;

const DR: u32 = I2C1 + 0x10;
const SR1: u32 = I2C1 + 0x14;
const SR2: u32 = I2C1 + 0x18;
const CCR: u32 = I2C1 + 0x1C;
const TRISE: u32 = I2C1 + 0x20;

const PE: u32 = 1;
const START: u32 = 1 << 8;
const STOP: u32 = 1 << 9;
const ACK: u32 = 1 << 10;
const POS: u32 = 1 << 11;
const SB: u32 = 1;
const ADDR: u32 = 2;
const BTF: u32 = 4;
const ADD10: u32 = 8;
const RXNE: u32 = 1 << 6;
const TXE: u32 = 1 << 7;
const AF: u32 = 1 << 10;

const EV: usize = 31;
const ER: usize = 32;

/// A speed: the part, MHz of PCLK1, CCR, and cycles of the core that SCL is low and high.
#[derive(Clone, Copy)]
struct Speed {
    part: &'static str,
    mhz: u32,
    ccr: u32,
    low: u64,
    high: u64,
}

/// 72 MHz over 36, 180 MHz over 45. RM0008, I2C_CCR: in standard mode both last CCR periods of PCLK1, in fast mode CCR and
/// twice CCR, or with DUTY 9 and 16 times CCR.
const SPEEDS: [Speed; 4] = [
    Speed { part: "stm32f103c8", mhz: 36, ccr: 180, low: 360, high: 360 },
    Speed { part: "stm32f103c8", mhz: 36, ccr: 1 << 15 | 30, low: 120, high: 60 },
    Speed { part: "stm32f446ze", mhz: 45, ccr: 225, low: 900, high: 900 },
    Speed { part: "stm32f446ze", mhz: 45, ccr: 3 << 14 | 4, low: 256, high: 144 },
];

impl Speed {
    /// A byte and its acknowledgement.
    fn byte(self) -> u64 {
        9 * (self.low + self.high)
    }
}

fn on(speed: Speed, target: Target) -> Bus {
    let mut bus = Bus::new(speed.part, target);
    bus.write(CR2, speed.mhz);
    bus.write(CCR, speed.ccr);
    bus.write(TRISE, speed.mhz + 1);
    bus.write(CR1, PE);
    bus
}

/// A start and an address; gives the cycle at which ADDR or AF comes.
fn address(bus: &mut Bus, cr1: u32, address: u32) -> u64 {
    bus.write(CR1, PE | START | cr1);
    bus.until(SR1, SB);
    bus.write(DR, address);
    while bus.read(SR1) & (ADDR | AF) == 0 {
        bus.bench.pass(1);
    }
    bus.bench.now
}

fn clear_addr(bus: &mut Bus) -> u32 {
    bus.read(SR1);
    bus.read(SR2)
}

#[test]
fn bytes_go_out_in_the_time_that_ccr_gives() {
    for speed in SPEEDS {
        let mut bus = on(speed, Target::new());
        let begin = bus.bench.now;
        bus.write(CR1, PE | START);
        assert_eq!(bus.read(SR2), 2, "BUSY, not yet MSL");
        assert_eq!(bus.until(SR1, SB), begin + speed.high);
        assert_eq!([bus.read(SR2), bus.read(CR1)], [3, PE]);
        bus.bench.write(DR, 0x3C << 1);
        assert_eq!(bus.until(SR1, ADDR), begin + speed.high + speed.byte());
        bus.bench.pass(0);
        assert_eq!(bus.read(SR1) & TXE, 0);
        assert_eq!(clear_addr(&mut bus), 7, "TRA, BUSY, MSL");
        assert_eq!(bus.read(SR1), TXE);
        // The first goes to the shift register at once, the second waits in DR.
        bus.write(DR, 0x12);
        assert_eq!(bus.read(SR1), TXE);
        bus.write(DR, 0xFE);
        assert_eq!(bus.read(SR1), 0);
        assert_eq!(bus.until(SR1, TXE), begin + speed.high + 2 * speed.byte());
        assert_eq!(bus.until(SR1, BTF), begin + speed.high + 3 * speed.byte());
        bus.write(CR1, PE | STOP);
        let end = bus.until_is(SR2, 2, 0);
        assert_eq!(end, begin + speed.high + 3 * speed.byte() + speed.low + speed.high);
        assert_eq!([bus.read(CR1), bus.read(SR1), bus.read(SR2)], [PE, 0, 0]);
        assert_eq!(bus.heard(), ["to", "12", "fe", "stop"]);
        bus.bench.pass(10);
        assert_eq!(bus.decoded(), "S 78+ 12+ fe+ P", "{}", speed.part);
        assert_eq!(bus.told(), bus.decoded());
        // The next start waits for as long as SCL is low in a bit.
        bus.write(CR1, PE | START);
        assert_eq!(bus.until(SR1, SB), end + speed.low + speed.high);
    }
}

#[test]
fn scl_is_low_and_high_as_long_as_ccr_says() {
    for speed in SPEEDS {
        let mut bus = on(speed, Target::new());
        address(&mut bus, 0, 0x78);
        let clock = bus.clock();
        // The first fall is the start's.
        assert_eq!(clock.len(), 19);
        for pair in clock.windows(2) {
            assert_eq!(pair[1].0 - pair[0].0, if pair[0].1 { speed.high } else { speed.low });
        }
    }
}

#[test]
fn bytes_come_in_until_one_is_not_acknowledged() {
    for speed in SPEEDS {
        let mut bus = on(speed, Target::new());
        let begin = bus.bench.now;
        address(&mut bus, ACK, 0x79);
        assert_eq!(clear_addr(&mut bus), 3);
        for (index, byte) in [0xA5, 0x01].into_iter().enumerate() {
            assert_eq!(bus.until(SR1, RXNE), begin + speed.high + (2 + index as u64) * speed.byte());
            if index == 1 {
                bus.write(CR1, PE | STOP);
            }
            assert_eq!(bus.read(DR), byte);
        }
        assert_eq!(bus.until(SR1, RXNE), begin + speed.high + 4 * speed.byte());
        bus.until_is(SR2, 2, 0);
        assert_eq!(bus.read(SR1), RXNE, "a stop leaves it");
        assert_eq!([bus.read(DR), bus.read(SR1)], [0x7F, 0]);
        bus.bench.pass(10);
        assert_eq!(bus.decoded(), "S 79+ a5+ 01+ 7f- P");
        assert_eq!(bus.told(), bus.decoded());
    }
}

#[test]
fn two_bytes_are_received_with_pos() {
    let mut bus = on(SPEEDS[0], Target::new());
    address(&mut bus, ACK | POS, 0x79);
    clear_addr(&mut bus);
    bus.write(CR1, PE | POS);
    let full = bus.until(SR1, BTF);
    bus.bench.pass(5_000);
    bus.write(CR1, PE | POS | STOP);
    assert_eq!([bus.read(DR), bus.read(DR)], [0xA5, 0x01]);
    assert_eq!(bus.until_is(SR2, 2, 0), full + 5_000 + 720);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S 79+ a5+ 01- P");
}

#[test]
fn three_bytes_are_received_by_way_of_btf_and_one_without_ack() {
    let mut bus = on(SPEEDS[1], Target::new());
    address(&mut bus, ACK, 0x79);
    clear_addr(&mut bus);
    bus.until(SR1, BTF);
    bus.write(CR1, PE);
    assert_eq!(bus.read(DR), 0xA5);
    bus.write(CR1, PE | STOP);
    assert_eq!(bus.read(DR), 0x01);
    bus.until(SR1, RXNE);
    assert_eq!(bus.read(DR), 0x7F);
    bus.until_is(SR2, 2, 0);
    address(&mut bus, 0, 0x79);
    clear_addr(&mut bus);
    bus.write(CR1, PE | STOP);
    bus.until(SR1, RXNE);
    assert_eq!(bus.read(DR), 0x80);
    bus.until_is(SR2, 2, 0);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S 79+ a5+ 01+ 7f- P S 79+ 80- P");
}

#[test]
fn a_repeated_start_turns_the_direction() {
    let mut bus = on(SPEEDS[0], Target::new());
    address(&mut bus, 0, 0x78);
    clear_addr(&mut bus);
    bus.write(DR, 0x10);
    let full = bus.until(SR1, BTF);
    bus.write(CR1, PE | START | ACK);
    assert_eq!(bus.until(SR1, SB), full + 3 * 360, "low, up to SDA's fall, and from there");
    assert_eq!(bus.read(SR1), SB, "BTF and TXE are gone");
    bus.write(DR, 0x79);
    bus.until(SR1, ADDR);
    bus.write(CR1, PE);
    clear_addr(&mut bus);
    bus.write(CR1, PE | STOP);
    bus.until(SR1, RXNE);
    bus.until_is(SR2, 2, 0);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S 78+ 10+ S 79+ a5- P");
    assert_eq!(bus.heard(), ["to", "10", "from", "stop"]);
}

#[test]
fn nobody_answers_and_a_byte_is_refused() {
    let mut bus = on(SPEEDS[0], Target::new());
    bus.write(CR2, 36 | 1 << 8 | 1 << 9);
    bus.write(CR1, PE | START);
    bus.line(EV);
    bus.read(SR1);
    bus.write(DR, 0x10);
    bus.line(ER);
    assert_eq!(bus.read(SR1), AF);
    bus.write(SR1, 0);
    assert!(!bus.bench.bus.shared.interrupts.is_high(ER));
    bus.bench.pass(10_000);
    assert_eq!(bus.read(SR2) & 2, 2, "SCL is held");
    bus.write(CR1, PE | STOP);
    bus.until_is(SR2, 2, 0);
    address(&mut bus, 0, 0x78);
    clear_addr(&mut bus);
    bus.write(DR, 0xEE);
    bus.until(SR1, AF);
    bus.write(CR1, PE | STOP);
    bus.until_is(SR2, 2, 0);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S 10- P S 78+ ee- P");
    assert_eq!(bus.told(), bus.decoded());
}

#[test]
fn a_target_stretches_the_clock() {
    let target = Target { stretch: Picoseconds::new(50_000_000), ..Target::new() };
    let mut bus = on(SPEEDS[0], target);
    let begin = bus.bench.now;
    // 50 us are 3,600 cycles in the place of 360, before each acknowledgement and each byte from the target.
    assert_eq!(address(&mut bus, 0, 0x79), begin + 360 + 6_480 + 3_240);
    clear_addr(&mut bus);
    bus.write(CR1, PE | STOP);
    assert_eq!(bus.until(SR1, RXNE), begin + 360 + 2 * (6_480 + 3_240));
    bus.until_is(SR2, 2, 0);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S 79+ a5- P");
    let low = bus.clock().windows(2).filter(|pair| !pair[0].1 && pair[1].0 - pair[0].0 == 3_600).count();
    assert_eq!(low, 2);
}

#[test]
fn software_stretches_the_clock() {
    let speed = SPEEDS[0];
    let mut bus = on(speed, Target::new());
    let there = address(&mut bus, 0, 0x78);
    bus.bench.pass(1_000);
    clear_addr(&mut bus);
    bus.bench.pass(1_000);
    bus.write(DR, 0x5A);
    assert_eq!(bus.until(SR1, BTF), there + 2_000 + speed.byte());
    bus.bench.pass(777);
    bus.write(DR, 0xA5);
    assert_eq!(bus.read(SR1) & BTF, 0);
    assert_eq!(bus.until(SR1, BTF), there + 2_777 + 2 * speed.byte());
    bus.write(CR1, PE | STOP);
    bus.until_is(SR2, 2, 0);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S 78+ 5a+ a5+ P");
}

#[test]
fn flags_have_their_own_ways_to_be_cleared() {
    let mut bus = on(SPEEDS[0], Target::new());
    bus.write(CR1, PE | START);
    bus.bench.pass(1_000);
    bus.write(DR, 0x78);
    assert_eq!(bus.read(SR1), SB, "SR1 had not been read");
    bus.write(DR, 0x78);
    assert_eq!(bus.read(SR1), 0);
    bus.bench.pass(10_000);
    bus.read(SR2);
    assert_eq!(bus.read(SR1), ADDR, "SR2 alone does not clear it");
    bus.read(SR2);
    assert_eq!(bus.read(SR1), TXE);
    bus.write(SR1, 0);
    assert_eq!(bus.read(SR1), TXE, "only errors are cleared by zeros");
}

#[test]
fn dma_sends_and_receives_and_last_refuses_the_last_byte() {
    let mut bus = on(SPEEDS[1], Target::new());
    bus.write(RAM, 0x4433_2211);
    let channel = |bus: &mut Bus, number: u32, count: u32, ccr: u32| {
        let base = 0x4002_0000 + 8 + 0x14 * (number - 1);
        bus.write(base, 0);
        bus.write(base + 8, DR);
        bus.write(base + 12, RAM + if number == 7 { 0x100 } else { 0 });
        bus.write(base + 4, count);
        bus.write(base, ccr | 1);
    };
    channel(&mut bus, 6, 4, 1 << 4 | 1 << 7 | 2);
    bus.write(CR2, 36 | 1 << 11 | 1 << 9);
    address(&mut bus, 0, 0x78);
    clear_addr(&mut bus);
    assert!(bus.bench.until_line(16, 100_000).is_some(), "the channel is through");
    bus.line(EV);
    bus.until(SR1, BTF);
    bus.write(CR1, PE | STOP);
    bus.until_is(SR2, 2, 0);
    channel(&mut bus, 7, 3, 1 << 7 | 2);
    bus.write(CR2, 36 | 1 << 11 | 1 << 12);
    address(&mut bus, ACK, 0x79);
    clear_addr(&mut bus);
    assert!(bus.bench.until_line(17, 100_000).is_some(), "the channel is through");
    bus.bench.pass(10_000);
    bus.write(CR1, PE | STOP);
    bus.until_is(SR2, 2, 0);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S 78+ 11+ 22+ 33+ 44+ P S 79+ a5+ 01+ 7f- P");
    assert_eq!(bus.read(RAM + 0x100), 0x007F_01A5);
}

#[test]
fn an_address_has_ten_bits() {
    let mut bus = on(SPEEDS[0], Target { address: I2cAddress::Ten(0x2A5), ..Target::new() });
    bus.write(CR1, PE | START);
    bus.until(SR1, SB);
    bus.write(DR, 0xF4);
    bus.until(SR1, ADD10);
    bus.write(DR, 0xA5);
    bus.until(SR1, ADDR);
    assert_eq!(clear_addr(&mut bus), 7);
    bus.write(CR1, PE | START);
    bus.until(SR1, SB);
    bus.write(DR, 0xF5);
    bus.until(SR1, ADDR);
    assert_eq!(clear_addr(&mut bus), 3);
    bus.write(CR1, PE | STOP);
    bus.until(SR1, RXNE);
    bus.until_is(SR2, 2, 0);
    bus.bench.pass(10);
    assert_eq!(bus.decoded(), "S f4+ a5+ S f5+ a5- P");
    assert_eq!(bus.heard(), ["to", "from", "stop"]);
    bus.write(CR1, PE | START);
    bus.until(SR1, SB);
    bus.write(DR, 0xF0);
    bus.until(SR1, AF);
}

#[test]
fn swrst_and_pe_let_the_lines_go() {
    for cr1 in [1 << 15, 0] {
        let mut bus = on(SPEEDS[0], Target::new());
        address(&mut bus, ACK, 0x78);
        bus.write(CR1, cr1);
        assert_eq!([bus.read(CR1), bus.read(SR1), bus.read(SR2)], [cr1, 0, 0]);
        assert_eq!(bus.read(CCR), if cr1 == 0 { 180 } else { 0 });
        bus.bench.pass(10);
        assert_eq!(bus.read(0x4001_0C08) & 0xC0, 0xC0);
        bus.write(CR1, START);
        assert_eq!(bus.read(CR1), 0, "START without PE");
    }
}

#[test]
fn settings_without_a_clock_are_named() {
    let mut bus = on(SPEEDS[0], Target::new());
    bus.write(CCR, 0);
    bus.write(CR1, PE | START);
    bus.bench.pass(100_000);
    assert_eq!(bus.read(SR1), 0);
    assert_eq!(bus.bench.gaps(GapKind::Setting), ["I2C1: its settings make no clock, so that no transfer begins"]);
}
