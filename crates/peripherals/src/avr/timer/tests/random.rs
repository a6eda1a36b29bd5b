//! Random programs against the model that ticks: registers, lines and pins, in every period.

use super::super::register::*;
use super::super::wiring::{TIMER0_328P, TIMER1_32U4, TIMER1_328P, TIMER2_328P, TIMER3_32U4};
use super::harness::Board;
use super::naive::{Kind, Naive};
use crate::Block;
use crate::avr::Instance;

/// Numbers that depend on nothing but the seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            random.below(2);
        }
        random
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    pub fn once_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

const FLAGS: [u8; 5] = [0x01, 0x02, 0x04, 0x08, 0x20];

fn eight() -> Kind {
    Kind { wide: false, channels: 2, clock_pin: true, second_prescaler: false }
}

fn sixteen(channels: usize, clock_pin: bool) -> Kind {
    Kind { wide: true, channels, clock_pin, second_prescaler: false }
}

/// A value to count to or from: small ones, so that things happen, and the ends.
fn value(random: &mut Random, wide: bool) -> u16 {
    let max = if wide { 0xFFFF } else { 0xFF };
    match random.below(8) {
        0 => 0,
        1 => max,
        2 => max - random.below(6) as u16,
        3 if wide => [0xFF, 0x1FF, 0x3FF][random.below(3) as usize] - random.below(4) as u16,
        3 => random.below(256) as u16,
        4 => random.below(3) as u16,
        _ => random.below(40) as u16,
    }
}

struct Pair {
    board: Board,
    naive: Naive,
    kind: Kind,
    now: u64,
    pins: [bool; 2],
    capture_moved: u64,
    log: Vec<String>,
}

impl Pair {
    fn write(&mut self, register: u8, value: u8) {
        self.log.push(format!("{}: write {register} {value:#x}", self.now));
        self.board.write(self.now, register, value);
        self.naive.write(register, value);
    }

    fn step(&mut self) {
        self.naive.clock_edge(self.pins[0], self.pins[1]);
        self.now += 1;
        self.board.run(self.now);
        for (index, flag) in FLAGS.into_iter().enumerate() {
            if self.board.instance.vectors[index] != 0 {
                let high = self.naive.tifr & self.naive.timsk & flag != 0;
                self.expect(self.board.line(index), high, &format!("line {index}"));
            }
        }
        for channel in 0..self.kind.channels {
            if self.board.instance.outputs[channel].is_some() {
                self.expect(self.board.output(channel), self.naive.pin(channel), &format!("output {channel}"));
            }
        }
    }

    fn expect<T: PartialEq + std::fmt::Debug>(&self, model: T, oracle: T, what: &str) {
        if model != oracle {
            let last = self.log[self.log.len().saturating_sub(24)..].join("\n");
            panic!(
                "{what} at {}: {model:?}, not {oracle:?}\n{last}\n{:?}\n{:?}",
                self.now, self.naive, self.board.timer
            );
        }
    }

    fn write_word(&mut self, low: u8, value: u16, random: &mut Random) {
        if self.kind.wide {
            self.write(low + 1, (value >> 8) as u8);
            for _ in 0..=random.below(3) {
                self.step();
            }
        }
        self.write(low, value as u8);
    }

    fn read(&mut self, register: u8) {
        self.log.push(format!("{}: read {register}", self.now));
        let model = self.board.read(self.now, register);
        let oracle = self.naive.read(register);
        self.expect(model, oracle, &format!("register {register}"));
    }

    fn act(&mut self, random: &mut Random, crystal: bool) {
        let wide = self.kind.wide;
        match random.below(24) {
            0 => self.write(TCCRA, random.below(256) as u8 & if self.kind.channels == 3 { 0xFF } else { 0xF3 }),
            1 => {
                let mut bits = random.below(256) as u8 & if wide { 0xDF } else { 0xCF };
                let clock = random.of(&[0, 1, 1, 1, 2, 2, 3, 4, 5, 6, 6, 7, 7]);
                bits = bits & !7 | clock;
                // The tests do not switch the noise canceller around an edge.
                if wide && self.now < self.capture_moved + 16 {
                    bits = bits & 0x7F | self.naive.clone().read(TCCRB) & 0x80;
                }
                self.write(TCCRB, bits);
            }
            2 if wide => self.write(TCCRC, random.below(8) as u8 * 0x20),
            3 | 4 => self.write_word(TCNTL, value(random, wide), random),
            5..=8 => {
                let channel = random.below(self.kind.channels as u64) as u8;
                self.write_word(OCRAL + 2 * channel, value(random, wide), random);
            }
            9 | 10 if wide => self.write_word(ICRL, value(random, wide), random),
            11 => self.write(TIMSK, random.below(256) as u8 & self.mask()),
            12 => {
                let flags = random.below(256) as u8;
                self.write(TIFR, flags & self.mask());
            }
            13 => {
                let bit = random.below(6) as u8;
                let high = random.once_in(2);
                let now = self.now;
                self.log.push(format!("{now}: SBI {bit} {high}"));
                self.board.at(now, |timer, env| timer.write_bit(TIFR, bit, high, env));
                if high {
                    self.naive.write(TIFR, 1 << bit);
                }
            }
            14 => {
                let index = random.below(5) as usize;
                if self.board.line(index) {
                    self.log.push(format!("{}: acknowledge {index}", self.now));
                    self.board.acknowledge(self.now, index);
                    self.naive.acknowledge(FLAGS[index]);
                }
            }
            15 => {
                let bits = random.of(&[0, 0, 1, 2, 3, 0x80, 0x81, 0x82, 0x83]);
                self.log.push(format!("{}: GTCCR {bits:#x}", self.now));
                self.board.write_gtccr(self.now, bits);
                self.naive.write_gtccr(bits);
            }
            16 if random.once_in(4) => {
                for on in [false, true] {
                    self.log.push(format!("{}: power {on}", self.now));
                    self.board.power(self.now, on);
                    self.naive.power(on);
                    for _ in 0..=random.below(60) {
                        self.step();
                    }
                }
            }
            _ if crystal => self.read(random.of(&[TCNTL, TCNTL, TIFR, TIFR, OCRAL, OCRBL, TCCRA, TCCRB])),
            _ => {
                let register = random.of(&[
                    TCNTL, TCNTL, TCNTL, TIFR, TIFR, OCRAL, OCRBL, TCCRA, TCCRB, TCNTH, ICRL, ICRH, OCRAH, OCRBH, TIMSK,
                ]);
                if wide || matches!(register, TCNTL | TIFR | OCRAL | OCRBL | TCCRA | TCCRB | TIMSK) {
                    self.read(register);
                }
            }
        }
    }

    fn mask(&self) -> u8 {
        1 | ((1 << self.kind.channels) - 1) << 1 | if self.kind.wide { 0x20 } else { 0 }
    }

    fn move_pin(&mut self, index: usize) {
        if self.board.instance.inputs[index].is_none() {
            return;
        }
        self.pins[index] ^= true;
        if index == 1 {
            self.capture_moved = self.now;
        }
        let (now, high) = (self.now, self.pins[index]);
        self.log.push(format!("{now}: pin {index} {high}"));
        self.board.at(now, |timer, env| timer.input(index, high, env));
    }
}

/// One random program of `steps` actions with up to `gap` periods between them.
fn compare(wiring: &Instance, kind: Kind, seed: u64, steps: usize, gap: u64) -> u64 {
    let mut random = Random::new(seed);
    let board = Board::new(wiring);
    let mut pair =
        Pair { board, naive: Naive::new(kind), kind, now: 0, pins: [false; 2], capture_moved: 0, log: Vec::new() };
    for _ in 0..steps {
        match random.below(9) {
            index @ 0..2 => pair.move_pin(index as usize),
            2 => (0..2).for_each(|index| pair.move_pin(index)),
            _ => {}
        }
        if pair.naive.powered {
            pair.act(&mut random, kind.second_prescaler);
        }
        let wait = if random.once_in(8) { gap } else { 12 };
        for _ in 0..=random.below(wait) {
            pair.step();
        }
    }
    pair.read(TCNTL);
    pair.read(TIFR);
    pair.now
}

fn compare_many(wiring: &Instance, kind: Kind) {
    let mut periods = 0;
    for seed in 0..200 {
        periods += compare(wiring, kind, seed, 120, if seed % 4 == 0 { 3000 } else { 150 });
    }
    assert!(periods > 250_000, "{periods}");
}

#[test]
fn timer0_is_as_ticked() {
    compare_many(&TIMER0_328P, eight());
}

#[test]
fn timer2_is_as_ticked() {
    compare_many(&TIMER2_328P, Kind { clock_pin: false, second_prescaler: true, ..eight() });
}

#[test]
fn timer1_with_two_channels_is_as_ticked() {
    compare_many(&TIMER1_328P, sixteen(2, true));
}

#[test]
fn timer1_with_three_channels_is_as_ticked() {
    compare_many(&TIMER1_32U4, sixteen(3, true));
}

#[test]
fn timer3_is_as_ticked() {
    compare_many(&TIMER3_32U4, sixteen(3, false));
}
