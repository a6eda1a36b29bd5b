//! Timer 4 against a model that ticks, and by hand.

use cyclescope_machine::units::Hertz;

use super::super::timer4::register::*;
use super::super::timer4::{TIMER4_32U4, Timer4};
use super::harness::Board;
use super::random::Random;
use crate::Block;
use crate::avr::Change;

/// Timer 4 as the datasheet's text has it, one period of its clock after the other.
#[derive(Clone, Debug)]
struct Naive {
    tcnt: u16,
    down: bool,
    blocked: bool,
    written: [u16; 4],
    ocr: [u16; 4],
    oc: [bool; 3],
    com: [u8; 3],
    pwm: [bool; 3],
    dual: bool,
    inverted: bool,
    cs: u8,
    prescaler: u16,
    flags: u8,
    mask: u8,
    tc4h: u8,
    /// Clocks of the timer in a period of clkI/O.
    clocks: u32,
    write: Option<(u8, u8)>,
    clear: u8,
}

const OCF: [u8; 3] = [0x40, 0x20, 0x80];
const COMPARES: [u8; 4] = [OCR4A, OCR4B, OCR4D, OCR4C];

impl Naive {
    fn new() -> Self {
        Self {
            tcnt: 0,
            down: false,
            blocked: false,
            written: [0, 0, 0, 0xFF],
            ocr: [0, 0, 0, 0xFF],
            oc: [false; 3],
            com: [0; 3],
            pwm: [false; 3],
            dual: false,
            inverted: false,
            cs: 0,
            prescaler: 16383,
            flags: 0,
            mask: 0,
            tc4h: 0,
            clocks: 1,
            write: None,
            clear: 0,
        }
    }

    fn any_pwm(&self) -> bool {
        self.pwm.contains(&true)
    }

    fn update(&mut self, modulated: bool) {
        for channel in 0..3 {
            if self.pwm[channel] == modulated {
                self.ocr[channel] = self.written[channel];
            }
        }
        if self.any_pwm() == modulated {
            self.ocr[3] = self.written[3];
        }
    }

    fn matches(&mut self, channel: usize) {
        match self.com[channel] {
            1 => self.oc[channel] = !self.oc[channel],
            2 => self.oc[channel] = false,
            3 => self.oc[channel] = true,
            _ => {}
        }
    }

    fn timer_clock(&mut self) -> u8 {
        let blocked = std::mem::take(&mut self.blocked);
        let here = self.tcnt;
        let matched: [bool; 3] = std::array::from_fn(|channel| !blocked && here == self.ocr[channel]);
        let top = !blocked && here == self.ocr[3];
        let mut flags = (0..3).filter(|channel| matched[*channel]).fold(0, |flags, channel| flags | OCF[channel]);
        let dual = self.dual && self.any_pwm();
        let mut at_bottom = false;
        if dual {
            let bottom = !blocked && here == 0;
            self.down = (self.down || top) && !bottom;
            self.tcnt = match (self.down, here) {
                (true, 0) => 0x3FF,
                (true, here) => here - 1,
                (false, 0x3FF) => 0,
                (false, here) => here + 1,
            };
            if bottom {
                flags |= 4;
                self.update(true);
            }
        } else {
            at_bottom = top || here == 0x3FF;
            self.tcnt = if at_bottom { 0 } else { here + 1 };
            if top {
                flags |= 4;
            }
            if at_bottom {
                self.update(true);
            }
        }
        for (channel, matched) in matched.into_iter().enumerate() {
            let plain = self.com[channel] != 3;
            if !self.pwm[channel] {
                if matched {
                    self.matches(channel);
                }
            } else if self.com[channel] == 0 {
            } else if dual && top {
                self.oc[channel] = (self.ocr[channel] >= self.ocr[3]) == plain;
            } else if dual && matched {
                self.oc[channel] = self.down == plain;
            } else if !dual && (at_bottom || matched) {
                self.oc[channel] = at_bottom == plain;
            }
        }
        flags
    }

    fn clock_edge(&mut self) {
        let write = self.write.take();
        let mut set = 0;
        for _ in 0..self.clocks {
            let by = 1u16 << self.cs.saturating_sub(1);
            if self.cs != 0 && self.prescaler % by == by - 1 && !matches!(write, Some((TCNT4, _))) {
                set |= self.timer_clock();
            }
            self.prescaler = (self.prescaler + 1) % 16384;
        }
        self.flags = self.flags & !std::mem::take(&mut self.clear) | set;
        if let Some((register, value)) = write {
            self.take(register, value);
        }
    }

    fn take(&mut self, register: u8, value: u8) {
        let word = u16::from(self.tc4h & 3) << 8 | u16::from(value);
        let mut forced = [false; 3];
        match register {
            TCCR4A => {
                (self.com[0], self.com[1]) = (value >> 6, value >> 4 & 3);
                (self.pwm[0], self.pwm[1]) = (value & 2 != 0, value & 1 != 0);
                forced = [value & 8 != 0, value & 4 != 0, false];
            }
            TCCR4B => {
                self.inverted = value & 0x80 != 0;
                self.cs = value & 15;
                if value & 0x40 != 0 {
                    self.prescaler = 0;
                }
            }
            TCCR4C => {
                self.com = [value >> 6, value >> 4 & 3, value >> 2 & 3];
                self.pwm[2] = value & 1 != 0;
                forced[2] = value & 2 != 0;
            }
            TCCR4D => self.dual = value & 1 != 0,
            TCNT4 => {
                self.tcnt = word;
                self.blocked = true;
            }
            TC4H => self.tc4h = value & 7,
            TIMSK4 => self.mask = value,
            OCR4C => self.written[3] = word.max(3),
            _ => {
                let channel = COMPARES.iter().position(|compare| *compare == register).expect("a compare register");
                self.written[channel] = word;
            }
        }
        self.update(false);
        self.down &= self.dual && self.any_pwm();
        for (channel, forced) in forced.into_iter().enumerate() {
            if forced && !self.pwm[channel] {
                self.matches(channel);
            }
        }
    }

    fn read(&mut self, register: u8) -> u8 {
        let word = match register {
            TIFR4 => return self.flags,
            TC4H => return self.tc4h,
            TCNT4 => self.tcnt,
            _ => self.written[COMPARES.iter().position(|compare| *compare == register).expect("a compare register")],
        };
        self.tc4h = (word >> 8) as u8;
        word as u8
    }

    fn outputs(&self) -> [Option<bool>; 6] {
        std::array::from_fn(|index| {
            let (channel, complement) = (index / 2, index % 2 == 1);
            let connected = self.com[channel] != 0 && (!complement || self.com[channel] == 1 && self.pwm[channel]);
            let inverted = self.pwm[channel] && self.inverted;
            connected.then_some(self.oc[channel] ^ inverted ^ complement)
        })
    }
}

fn new_board() -> Board<Timer4> {
    Board::with(&TIMER4_32U4, |_| Timer4::default())
}

fn compare(seed: u64, megahertz: Option<u64>) -> u64 {
    let mut random = Random::new(seed);
    let (mut board, mut naive, mut now) = (new_board(), Naive::new(), 0);
    let mut log = Vec::new();
    for _ in 0..120 {
        let value = random.of(&[0, 1, 3, 4, 5, 9, 20, 33, 0xFE, 0xFF]);
        let any = random.below(256) as u8;
        let write = match random.below(16) {
            0 | 1 => Some((TCCR4A, any)),
            2 => Some((TCCR4B, any & 0xC0 | random.of(&[0, 1, 1, 1, 2, 3, 5, 9]))),
            3 => Some((TCCR4C, any)),
            4 => Some((TCCR4D, any & 1)),
            5 => Some((TCNT4, value)),
            6 => Some((TC4H, random.of(&[0, 0, 0, 1, 3]))),
            7 => Some((TIMSK4, any & 0xE4)),
            8 => Some((TIFR4, any & 0xE4)),
            9 | 10 => Some((random.of(&COMPARES), value)),
            _ => None,
        };
        if let Some((register, value)) = write {
            log.push((now, register, value));
            board.write(now, register, value);
            if register == TIFR4 { naive.clear |= value } else { naive.write = Some((register, value)) }
        } else {
            let register = random.of(&[TCNT4, TCNT4, TIFR4, TC4H, OCR4A, OCR4B, OCR4C, OCR4D]);
            let (model, oracle) = (board.read(now, register), naive.read(register));
            assert_eq!(model, oracle, "register {register} at {now} of {seed} after {log:?}\n{naive:?}");
        }
        if let Some(megahertz) = megahertz.filter(|_| now == 0) {
            board.change(0, Change::Pll, |shared| shared.pll = Some(Hertz::new(megahertz * 1_000_000)));
        }
        let wait = if random.once_in(8) { 600 } else { 12 };
        for _ in 0..=random.below(wait) {
            naive.clock_edge();
            if let Some(megahertz) = megahertz.filter(|_| now == 0) {
                naive.clocks = megahertz as u32 / 16;
            }
            now += 1;
            board.run(now);
            for (index, flag) in [4, 0x40, 0x20, 0x80].into_iter().enumerate() {
                let high = naive.flags & naive.mask & flag != 0;
                assert_eq!(board.line(index), high, "line {index} at {now} of {seed} after {log:?}\n{naive:?}");
            }
            let outputs: [Option<bool>; 6] = std::array::from_fn(|index| board.output(index));
            assert_eq!(outputs, naive.outputs(), "at {now} of {seed} after {log:?}\n{naive:?}");
        }
    }
    now
}

#[test]
fn timer4_is_as_ticked_at_either_clock() {
    for megahertz in [None, Some(48), Some(96)] {
        let periods: u64 = (0..250).map(|seed| compare(seed, megahertz)).sum();
        assert!(periods > 500_000, "{periods}");
    }
}

#[test]
fn as_the_arduino_leonardo_sets_it_the_pin_has_490_hertz() {
    // /64, phase and frequency correct, OCR4C = 255: 16 MHz / 64 / 510.
    let mut board = new_board();
    for (at, (register, value)) in
        [(TCCR4B, 7), (TCCR4D, 1), (OCR4C, 255), (TCCR4C, 0x09), (OCR4D, 100)].into_iter().enumerate()
    {
        board.write(10 + at as u64, register, value);
    }
    let edges = board.edges(4, 70_000, 200_000);
    let high: Vec<u64> = edges.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(edges.len() >= 7, "{edges:?}");
    for (index, time) in high.iter().enumerate() {
        let expected = if index % 2 == usize::from(high[0] == 64 * 200) { 310 } else { 200 };
        assert_eq!(*time, 64 * expected);
    }
}

#[test]
fn the_pll_counts_six_times_a_cycle_and_survives_the_system_prescaler() {
    let mut board = new_board();
    board.write(10, TC4H, 3);
    board.write(11, OCR4C, 0xFF);
    board.write(12, TIMSK4, 4);
    board.change(20, Change::Pll, |shared| shared.pll = Some(Hertz::new(96_000_000)));
    board.write(30, TCCR4B, 1);
    // 1024 clocks at 96 MHz from the end of period 30 on: 170 2/3 periods.
    assert_eq!(board.rises(31, 0, 1000), Some(31 + 171));
    board.acknowledge(300, 0);
    // The next overflows: 341 1/3 and 512 periods.
    assert_eq!(board.bus.shared.events.next_at().get(), 31 + 342);
    assert_eq!(board.bus.shared.gaps.all().len(), 1);
}

#[test]
fn top_is_three_at_least_and_what_is_not_modelled_is_named() {
    let mut board = new_board();
    board.write(10, OCR4C, 0);
    assert_eq!(board.read(11, OCR4C), 3);
    board.write(12, DT4, 0x11);
    board.write(13, TCCR4A, 0x42);
    board.write(14, TCCR4E, 0x40);
    board.write(15, TCCR4D, 0x40);
    let names: Vec<_> = board.bus.shared.gaps.all().iter().map(|gap| gap.name.as_str()).collect();
    let expected = ["TC4: dead time (DT4)", "TC4: enhanced resolution (ENHC4)", "TC4: fault protection (FPEN4)"];
    assert_eq!(names, expected);
    board.at(16, |timer, env| timer.reset(env));
    assert_eq!(board.read(17, OCR4C), 255);
}
