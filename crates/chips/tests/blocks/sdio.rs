//! SDIO of STM32F446 (RM0390, "Secure digital input/output interface (SDIO)") with an empty socket.

use cyclescope_machine::{Pin, Signal, Width};

use crate::bench::Bench;
use crate::f446_clocks;

const SDIO: u32 = 0x4001_2C00;
const POWER: u32 = SDIO;
const CLKCR: u32 = SDIO + 0x04;
const ARG: u32 = SDIO + 0x08;
const CMD: u32 = SDIO + 0x0C;
const DTIMER: u32 = SDIO + 0x24;
const DLEN: u32 = SDIO + 0x28;
const DCTRL: u32 = SDIO + 0x2C;
const DCOUNT: u32 = SDIO + 0x30;
const STA: u32 = SDIO + 0x34;
const ICR: u32 = SDIO + 0x38;
const MASK: u32 = SDIO + 0x3C;
const FIFOCNT: u32 = SDIO + 0x48;
const FIFO: u32 = SDIO + 0x80;
const LINE: usize = 49;

const CTIMEOUT: u32 = 1 << 2;
const DTIMEOUT: u32 = 1 << 3;
const TXUNDERR: u32 = 1 << 4;
const CMDSENT: u32 = 1 << 7;
const DATAEND: u32 = 1 << 8;
const CMDACT: u32 = 1 << 11;
const TXACT: u32 = 1 << 12;
const CPSMEN: u32 = 1 << 10;

/// Of 180 MHz, cycles in a period of CK at 360 MHz / 8 / 120 = 375 kHz.
const CK: u64 = 480;

/// With power and a clock of 375 kHz: the main PLL's Q is 8.
fn ready() -> Bench {
    let mut bench = f446_clocks::bench();
    // HSE 8 MHz / 4 * 180: Q = 8, so that the clock of 48 MHz is one of 45.
    for register in [f446_clocks::AHB1ENR, f446_clocks::APB1ENR, f446_clocks::APB2ENR] {
        bench.write(register, u32::MAX);
    }
    bench.write(0x4000_7000, 3 << 14 | 1 << 16);
    f446_clocks::wait(&mut bench, 0x4000_7004, 1 << 16);
    bench.write(0x4000_7000, 3 << 14 | 3 << 16);
    f446_clocks::wait(&mut bench, 0x4000_7004, 1 << 17);
    bench.write(f446_clocks::RCC, 0x0005_0081);
    f446_clocks::wait(&mut bench, f446_clocks::RCC, 1 << 17);
    bench.write(f446_clocks::PLLCFGR, 2 << 28 | 8 << 24 | 1 << 22 | 180 << 6 | 4);
    bench.write(f446_clocks::RCC, 0x0105_0081);
    f446_clocks::wait(&mut bench, f446_clocks::RCC, 1 << 25);
    bench.write(f446_clocks::CFGR, 5 << 10 | 4 << 13 | 2);
    // PC12: CK, PD2: CMD.
    bench.write(0x4002_0824, 12 << 16);
    bench.write(0x4002_0800, 2 << 24);
    bench.write(0x4002_0C20, 12 << 8);
    bench.write(0x4002_0C0C, 1 << 4);
    bench.write(0x4002_0C00, 2 << 4);
    bench.write(POWER, 3);
    bench.write(CLKCR, 1 << 8 | 118);
    bench.write(MASK, CTIMEOUT | DTIMEOUT | CMDSENT | DATAEND | TXUNDERR);
    let _ = bench.bus.shared.signals.drain().count();
    bench
}

fn edges(bench: &mut Bench) -> [Vec<(u64, bool)>; 2] {
    let signals: Vec<_> = bench.bus.shared.signals.drain().collect();
    [Pin { port: 2, number: 12 }, Pin { port: 3, number: 2 }].map(|wanted| {
        let edge = |(at, signal): &(cyclescope_machine::units::Cycles, Signal)| match signal {
            Signal::Pin { pin, high } if *pin == wanted => Some((at.get(), *high)),
            _ => None,
        };
        signals.iter().filter_map(edge).collect()
    })
}

#[test]
fn a_command_is_sent_and_nobody_answers_for_64_clocks() {
    let mut bench = ready();
    // CMD0 wants no answer.
    let start = bench.now;
    bench.write(CMD, CPSMEN);
    assert_eq!(bench.read(STA), CMDACT);
    assert_eq!(bench.until_line(LINE, 1_000_000), Some(start + 48 * CK));
    assert_eq!(bench.read(STA), CMDSENT);
    let [ck, cmd] = edges(&mut bench);
    // Sampled at the rising edges: 40 00 00 00 00 95.
    let rising: Vec<u64> = ck.iter().filter(|(_, high)| *high).map(|(at, _)| *at).collect();
    assert_eq!(rising[..3], [0, 1, 2].map(|bit| start + bit * CK + CK / 2));
    let level = |at: u64| cmd.iter().take_while(|(edge, _)| *edge <= at).last().is_none_or(|(_, high)| *high);
    let bits = rising[..48].iter().fold(0u64, |bits, at| bits << 1 | u64::from(level(*at)));
    assert_eq!(bits, 0x4000_0000_0095);
    bench.write(ICR, CMDSENT);
    assert!(!bench.bus.shared.interrupts.is_high(LINE));
    // CMD8 right behind: eight clocks after the end of the first, then 48, then 64 without an answer.
    bench.write(ARG, 0x1AA);
    bench.write(CMD, CPSMEN | 1 << 6 | 8);
    let begins = start + (48 + 8) * CK;
    assert_eq!(bench.until_line(LINE, 1_000_000), Some(begins + (48 + 64) * CK));
    assert_eq!(bench.read(STA), CTIMEOUT);
    let [ck, cmd] = edges(&mut bench);
    let rising: Vec<u64> = ck.iter().filter(|(at, high)| *high && *at > begins).map(|(at, _)| *at).collect();
    let level = |at: u64| cmd.iter().take_while(|(edge, _)| *edge <= at).last().is_none_or(|(_, high)| *high);
    let bits = rising[..48].iter().fold(0u64, |bits, at| bits << 1 | u64::from(level(*at)));
    assert_eq!(bits, 0x4800_0001_AA87);
    assert_eq!(rising.len(), 48 + 64);
}

#[test]
fn without_power_or_clock_a_command_waits() {
    let mut bench = ready();
    bench.write(CLKCR, 118);
    bench.write(CMD, CPSMEN | 1 << 6);
    bench.pass(1_000_000);
    assert_eq!(bench.read(STA), CMDACT);
    let start = bench.now;
    bench.write(CLKCR, 1 << 8 | 118);
    assert_eq!(bench.until_line(LINE, 1_000_000), Some(start + 112 * CK));
    bench.write(ICR, u32::MAX);
    // Given up, and one that waits for an interrupt waits for ever.
    bench.write(CMD, CPSMEN | 1 << 6);
    bench.write(CMD, 0);
    assert_eq!(bench.read(STA), 0);
    bench.write(CMD, CPSMEN | 1 << 6 | 1 << 8);
    assert_eq!(bench.until_line(LINE, 10_000_000), None);
    assert_eq!(bench.read(STA), CMDACT);
    bench.write(POWER, 0);
    assert_eq!(bench.read(STA), CMDACT);
    // SYSCLK as the adapter's clock: four times as fast.
    bench.write(POWER, 3);
    bench.write(CMD, 0);
    bench.pass(100 * CK);
    bench.write(0x4002_3894, 1 << 28);
    let start = bench.now;
    bench.write(CMD, CPSMEN);
    assert_eq!(bench.until_line(LINE, 1_000_000), Some(start + 48 * 120));
}

#[test]
fn data_waits_for_a_card_and_its_fifo_runs_dry() {
    let mut bench = ready();
    bench.write(DTIMER, 1_000);
    bench.write(DLEN, 512);
    let start = bench.now;
    bench.write(DCTRL, 9 << 4 | 3);
    assert_eq!(bench.read(STA), 1 << 13 | 1 << 19, "it receives, and its FIFO is empty");
    assert_eq!((bench.read(DCOUNT), bench.read(FIFOCNT)), (512, 128));
    assert_eq!(bench.until_line(LINE, 10_000_000), Some(start + 1_000 * CK));
    assert_eq!(bench.read(STA), DTIMEOUT);
    bench.write(ICR, DTIMEOUT);
    // A block of 16 bytes over four lines: start bit, 8 clocks a word, 17 behind, then no answer.
    bench.write(CLKCR, 1 << 8 | 1 << 11 | 118);
    bench.write(DLEN, 16);
    bench.write(DCTRL, 4 << 4 | 1);
    assert_eq!(bench.read(STA), TXACT | 1 << 14 | 1 << 18);
    let start = bench.now;
    for word in 0..4 {
        bench.write(FIFO + 4 * word, word);
    }
    assert_eq!(bench.read(STA), TXACT | 1 << 14 | 1 << 20);
    assert_eq!(bench.read(FIFOCNT), 0);
    bench.pass((1 + 8) * CK);
    assert_eq!(bench.read(DCOUNT), 12);
    assert_eq!(bench.until_line(LINE, 10_000_000), Some(start + (1 + 4 * 8 + 17 + 1_000) * CK));
    assert_eq!(bench.read(STA), DTIMEOUT);
    bench.write(ICR, DTIMEOUT);
    // Too few words.
    bench.write(DCTRL, 0);
    bench.write(DCTRL, 4 << 4 | 1);
    let start = bench.now;
    bench.write(FIFO, 1);
    assert_eq!(bench.until_line(LINE, 10_000_000), Some(start + (1 + 8) * CK));
    assert_eq!(bench.read(STA), TXUNDERR);
    bench.write(ICR, TXUNDERR);
    // A stream ends with its last byte.
    bench.write(DCTRL, 0);
    bench.write(DLEN, 5);
    bench.write(DCTRL, 1 | 1 << 2);
    bench.write(FIFO, 1);
    bench.write(FIFO, 2);
    assert!(bench.until_line(LINE, 10_000_000).is_some());
    assert_eq!((bench.read(STA), bench.read(DCOUNT)), (DATAEND, 0));
}

#[test]
fn dma_fills_the_fifo_as_long_as_there_is_room() {
    let mut bench = ready();
    let (dma2, ram) = (0x4002_6400, 0x2000_0000);
    for word in 0..64 {
        assert!(bench.bus.memory.write(ram + 4 * word, Width::Word, word));
    }
    // Stream 3, channel 4: memory to peripheral, words, memory increment.
    let stream = dma2 + 0x10 + 0x18 * 3;
    for (offset, value) in [(4, 64), (8, FIFO), (12, ram), (0, 4 << 25 | 2 << 13 | 2 << 11 | 1 << 10 | 1 << 6 | 1)] {
        bench.write(stream + offset, value);
    }
    bench.write(DTIMER, 10);
    bench.write(DLEN, 256);
    bench.write(DCTRL, 8 << 4 | 1 << 3 | 1);
    bench.pass(4 * CK);
    assert_eq!(bench.read(stream + 4), 32, "a whole FIFO at once");
    assert_eq!(bench.read(STA) & (1 << 16), 1 << 16, "TXFIFOF");
    assert!(bench.until_line(LINE, 10_000_000).is_some());
    assert_eq!((bench.read(STA), bench.read(stream + 4)), (DTIMEOUT, 0));
}

#[test]
fn random_writes_neither_panic_nor_hang() {
    let mut seed = 0x1234_5678_9ABC_DEF1u64;
    let mut random = |count: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % count
    };
    let mut bench = ready();
    for _ in 0..4_000 {
        let offset = if random(4) == 0 { 0x80 } else { 4 * random(20) as u32 };
        let value = [random(1 << 32) as u32, 1 << random(32), random(256) as u32][random(3) as usize];
        if random(3) == 0 {
            bench.read(SDIO + offset);
        } else {
            bench.write(SDIO + offset, value);
        }
        bench.pass([1, 40, 1_000, 100_000][random(4) as usize]);
    }
}

#[test]
fn a_read_wait_before_the_first_block_holds_d2_low() {
    const RWSTART: u32 = 1 << 8;
    const RWSTOP: u32 = 1 << 9;
    const SDIOEN: u32 = 1 << 11;
    let mut bench = ready();
    // PC10: D2, pulled up.
    bench.write(0x4002_0824, 12 << 16 | 12 << 8);
    bench.write(0x4002_080C, 1 << 20);
    bench.write(0x4002_0800, 2 << 24 | 2 << 20);
    let _ = bench.edges(2, 10);
    bench.write(DTIMER, 100);
    bench.write(DLEN, 512);
    let begins = bench.now;
    bench.write(DCTRL, SDIOEN | RWSTART | 9 << 4 | 3);
    bench.pass(1_000 * CK);
    assert_eq!(bench.edges(2, 10).last(), Some(&(begins + 2 * CK, false)));
    assert_eq!(bench.read(STA) & DTIMEOUT, 0, "the timer stands");
    let stops = bench.now;
    bench.write(DCTRL, SDIOEN | RWSTART | RWSTOP | 9 << 4 | 3);
    assert_eq!(bench.until_line(LINE, 1_000 * CK), Some(stops + 102 * CK));
    assert_eq!(bench.read(STA) & DTIMEOUT, DTIMEOUT);
    assert_eq!(bench.edges(2, 10).last(), Some(&(stops + CK, true)));
    assert!(bench.gaps(cyclescope_machine::GapKind::RegisterWrite).is_empty());
}
