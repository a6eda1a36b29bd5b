//! Random configurations and edges of pins: the computed timer and one that is ticked agree.

use crate::bench::Bench;
use crate::timers_model::Model;

const TIM1: u32 = 0x4001_2C00;
const RCC_APBRSTR2: u32 = 0x4002_1030;

/// The pins of CH1 to CH4 and CH1N to CH3N, all in alternate function 2 (DS13867), then ETR and BKIN.
const PINS: [(u8, u8); 9] = [(0, 8), (0, 9), (0, 10), (0, 11), (0, 7), (1, 0), (1, 1), (0, 12), (0, 6)];

/// The generator of Marsaglia 2003 (xorshift64).
struct Random(u64);

impl Random {
    fn of(&mut self, count: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % count
    }

    fn word(&mut self) -> u32 {
        self.of(1 << 32) as u32
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.of(count) == 0
    }
}

/// A bench whose TIM1 has its pins and was reset now.
fn bench() -> Bench {
    let mut bench = Bench::fast();
    for (port, pin) in PINS {
        let base = 0x5000_0000 + 0x400 * u32::from(port);
        let moder = bench.read(base) & !(3 << (2 * pin)) | 2 << (2 * pin);
        bench.write(base, moder);
        let afr = base + 0x20 + u32::from(pin / 8) * 4;
        let value = bench.read(afr) & !(15 << (pin % 8 * 4)) | 2 << (pin % 8 * 4);
        bench.write(afr, value);
    }
    for place in [0, 1, 2, 3, 7, 8] {
        bench.set_pin(0, PINS[place].0, PINS[place].1, Some(false));
    }
    bench.pass(10);
    bench.write(RCC_APBRSTR2, 1 << 11);
    bench.write(RCC_APBRSTR2, 0);
    bench.edges(0, 0);
    bench
}

/// A value for the register at `offset`: mostly one under which something happens soon.
fn value(offset: u32, random: &mut Random) -> u32 {
    match offset {
        0x00 => {
            let centre = if random.one_in(2) { 0 } else { random.of(4) as u32 };
            let rare = [2, 4, 8].into_iter().filter(|_| random.one_in(6)).sum::<u32>();
            u32::from(!random.one_in(8)) | rare | centre << 5 | (random.of(2) as u32) << 4 | (random.word() & 0x380)
        }
        0x04 => random.word() & 0x5_FF80 | if random.one_in(4) { random.word() & 5 } else { 0 },
        0x08 => {
            let sms = random.of(9) as u32;
            let filter = if random.one_in(2) { 0 } else { random.word() & 0x700 };
            let clock = if random.one_in(5) { 1 << 14 } else { 0 };
            (sms & 7) | (sms >> 3) << 16 | (random.of(8) as u32) << 4 | (random.word() & 0xB080) | filter | clock
        }
        0x10 => random.word(),
        0x14 => 1 << random.of(9),
        0x18 | 0x1C => {
            let mut value = 0;
            for channel in 0..2 {
                let byte = if random.one_in(3) {
                    // An input, mostly with a short filter.
                    (1 + random.of(3) as u32) | (random.word() & 0xC) | (random.of(9) as u32) << 4
                } else {
                    random.word() & 0x1_00FC & if random.one_in(3) { u32::MAX } else { !0x80 }
                };
                value |= byte << (8 * channel);
            }
            value
        }
        0x54 => random.word() & 0x0101_FCFC,
        0x20 => random.word() & 0x0033_BFFF,
        0x24 => random.of(12) as u32,
        0x28 => random.of(3) as u32,
        0x2C => {
            if random.one_in(12) {
                0
            } else {
                1 + random.of(12) as u32
            }
        }
        0x30 => random.of(3) as u32,
        0x58 => random.of(14) as u32 | if random.one_in(3) { random.word() & 0xE000_0000 } else { 0 },
        0x44 => {
            let dtg = [random.of(12) as u32, random.of(256) as u32][usize::from(random.one_in(6))];
            let filter = if random.one_in(3) { random.of(8) as u32 } else { 0 };
            dtg | random.word() & 0x7C00 | u32::from(!random.one_in(5)) << 15 | filter << 16
        }
        _ => random.of(14) as u32,
    }
}

const REGISTERS: [u32; 21] = [
    0x00, 0x04, 0x08, 0x10, 0x14, 0x18, 0x1C, 0x20, 0x24, 0x28, 0x2C, 0x30, 0x34, 0x38, 0x3C, 0x40, 0x44, 0x54, 0x58,
    0x5C, 0x10,
];

/// Both timers, tick by tick.
struct Pair {
    bench: Bench,
    model: Model,
    /// The cycle of the model's tick 0.
    zero: u64,
    /// The levels of the model's pins after the last tick, and its edges so far.
    pins: [bool; 7],
    edges: Vec<(u64, usize, bool)>,
    history: Vec<String>,
}

impl Pair {
    fn pass(&mut self, ticks: u64) {
        for _ in 0..ticks {
            self.model.step();
            self.note();
        }
        self.bench.pass(ticks);
    }

    fn note(&mut self) {
        for (place, level) in self.model.pins.into_iter().enumerate() {
            if level != self.pins[place] {
                self.edges.push((self.zero + self.model.tick, place, level));
            }
        }
        self.pins = self.model.pins;
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.history.push(format!("{} write {offset:#x} = {value:#x}", self.model.tick));
        self.bench.write(TIM1 + offset, value);
        self.model.write(offset, value);
        self.note();
    }

    fn pin(&mut self, which: usize, high: bool) {
        self.history.push(format!("{} pin {which} = {high}", self.model.tick));
        let (port, number) = PINS[[0, 1, 2, 3, 7, 8][which]];
        self.bench.set_pin(0, port, number, Some(high));
        self.bench.pass(0);
        self.model.pin(which, high);
        self.note();
    }

    fn compare(&mut self, seed: u64) {
        let history = || self.history.join("\n");
        let tick = self.model.tick;
        let found = [0x24, 0x10, 0x00, 0x44].map(|offset| self.bench.read(TIM1 + offset));
        let expected = [self.model.cnt, self.model.sr, self.model.shown_cr1(), self.model.bdtr];
        assert_eq!(found, expected, "CNT, SR, CR1, BDTR: seed {seed} tick {tick}\n{}", history());
        let signals: Vec<_> = self.bench.bus.shared.signals.drain().collect();
        let mut found = Vec::new();
        for (at, signal) in signals {
            if let cyclescope_machine::Signal::Pin { pin, high } = signal
                && let Some(place) = PINS[..7].iter().position(|known| *known == (pin.port, pin.number))
            {
                found.push((at.get(), place, high));
            }
        }
        // The order of edges at one tick, and what comes and goes in it, is nobody's.
        let settled = |mut edges: Vec<(u64, usize, bool)>| {
            edges.sort_by_key(|(at, place, _)| (*at, *place));
            let mut kept: Vec<(u64, usize, bool)> = Vec::new();
            for edge in edges {
                match kept.last() {
                    Some((at, place, _)) if (*at, *place) == (edge.0, edge.1) => drop(kept.pop()),
                    _ => kept.push(edge),
                }
            }
            kept
        };
        let (found, expected) = (settled(found), settled(std::mem::take(&mut self.edges)));
        let same = found.iter().zip(&expected).take_while(|(found, expected)| found == expected).count();
        let [found, expected] =
            [found, expected].map(|edges| edges[same.min(edges.len())..].iter().take(3).copied().collect::<Vec<_>>());
        assert_eq!(found, expected, "edges: seed {seed} tick {tick} from {}\n{}", self.zero, history());
    }
}

fn run(seed: u64) {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let bench = bench();
    let zero = bench.now;
    let mut pair = Pair { bench, model: Model::new(), zero, pins: [false; 7], edges: Vec::new(), history: Vec::new() };
    for offset in REGISTERS.iter().filter(|offset| **offset != 0 && **offset != 0x14) {
        let value = value(*offset, &mut random);
        pair.write(*offset, value);
    }
    pair.write(0x14, 1);
    for _ in 0..60 {
        match random.of(10) {
            0 | 1 => {
                let offset = REGISTERS[random.of(21) as usize];
                let value = value(offset, &mut random);
                pair.write(offset, value);
            }
            2 => {
                let channel = random.of(4) as usize;
                let read = pair.bench.read(TIM1 + 0x34 + 4 * channel as u32);
                let expected = pair.model.read_ccr(channel);
                pair.history.push(format!("{} read CCR{}", pair.model.tick, channel + 1));
                assert_eq!(read, expected, "CCR{} seed {seed}\n{}", channel + 1, pair.history.join("\n"));
            }
            _ => {
                let (which, high) = (random.of(6) as usize, random.one_in(2));
                pair.pin(which, high);
            }
        }
        let ticks = [0, 1, 2, 3, 7, 20, 90][random.of(7) as usize];
        pair.pass(ticks);
        if random.one_in(3) {
            pair.compare(seed);
        }
    }
    pair.compare(seed);
}

#[test]
fn a_computed_timer_is_a_ticked_one() {
    for seed in 1..=800 {
        run(seed);
    }
}
