//! Random programs of what the peer has, with their settings.

use crate::random::Random;

/// A program, its settings and the state at its beginning.
#[derive(Clone, Debug)]
pub struct Setup {
    pub(super) program: [u16; 32],
    pub(super) autopull: bool,
    pub(super) autopush: bool,
    pub(super) pull_threshold: u32,
    pub(super) push_threshold: u32,
    pub(super) in_right: bool,
    pub(super) out_right: bool,
    pub(super) out: (u32, u32),
    pub(super) set: (u32, u32),
    pub(super) side: (u32, u32),
    pub(super) jmp_pin: u32,
    pub(super) wrap: (u32, u32),
    pub(super) directions: u32,
    pub(super) levels: u32,
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) isr: u32,
    pub(super) isr_count: u32,
    pub(super) osr: u32,
    pub(super) osr_count: u32,
    /// Pins that are inputs have levels of the outside.
    pub(super) reads_input: bool,
    pub(super) seed: u32,
    /// The rule by which the host fills the TX FIFO, and that by which it drains the RX FIFO.
    pub(super) fills: u32,
    pub(super) drains: u32,
    pub(super) fifo: [u32; 4],
}

impl Setup {
    /// NOPs over plain settings.
    pub(super) const fn plain() -> Self {
        Self {
            program: [0xA042; 32],
            autopull: false,
            autopush: false,
            pull_threshold: 32,
            push_threshold: 32,
            in_right: true,
            out_right: true,
            out: (0, 32),
            set: (0, 5),
            side: (0, 0),
            jmp_pin: 0,
            wrap: (0, 31),
            directions: u32::MAX,
            levels: 0,
            x: 0,
            y: 0,
            isr: 0,
            isr_count: 0,
            osr: 0,
            osr_count: 0,
            reads_input: false,
            seed: 1,
            fills: 0,
            drains: 0,
            fifo: [1, 2, 3, 4],
        }
    }

    /// EXECCTRL.
    pub(super) const fn execctrl(&self) -> u32 {
        self.wrap.0 << 7 | self.wrap.1 << 12 | self.jmp_pin << 24
    }

    /// SHIFTCTRL.
    pub(super) const fn shiftctrl(&self) -> u32 {
        (self.autopush as u32) << 16
            | (self.autopull as u32) << 17
            | (self.in_right as u32) << 18
            | (self.out_right as u32) << 19
            | (self.push_threshold & 31) << 20
            | (self.pull_threshold & 31) << 25
    }

    /// PINCTRL.
    pub(super) const fn pinctrl(&self) -> u32 {
        self.out.0 | self.set.0 << 5 | self.side.0 << 10 | self.out.1 << 20 | self.set.1 << 26 | self.side.1 << 29
    }

    /// Returns the request, in the peer's order.
    pub(super) fn words(&self, iterations: u32) -> Vec<u32> {
        let mut words = vec![iterations, self.autopull.into(), self.autopush.into()];
        words.extend([self.pull_threshold, self.push_threshold, self.in_right.into(), self.out_right.into()]);
        words.extend([self.out, self.set, self.side].iter().flat_map(|(base, count)| [*base, *count]));
        words.extend([self.jmp_pin, self.wrap.0, self.wrap.1, self.directions, self.levels, self.x, self.y]);
        words.extend([self.isr, self.isr_count, self.osr, self.osr_count, self.reads_input.into(), self.seed]);
        words.extend([self.fills, self.drains]);
        words.extend(self.program.iter().map(|word| u32::from(*word)));
        words.extend(self.fifo);
        words
    }
}

/// The rows that executions are counted by: an instruction with its condition, source or destination.
pub(super) const ROWS: &[&str] = &[
    "JMP",
    "JMP !X",
    "JMP X--",
    "JMP !Y",
    "JMP Y--",
    "JMP X!=Y",
    "JMP PIN",
    "JMP !OSRE",
    "WAIT 0 GPIO",
    "WAIT 0 PIN",
    "WAIT 0 IRQ",
    "WAIT 1 GPIO",
    "WAIT 1 PIN",
    "WAIT 1 IRQ",
    "IN PINS",
    "IN X",
    "IN Y",
    "IN NULL",
    "IN ISR",
    "IN OSR",
    "OUT PINS",
    "OUT X",
    "OUT Y",
    "OUT NULL",
    "OUT PINDIRS",
    "OUT PC",
    "OUT ISR",
    "OUT EXEC",
    "PUSH NOBLOCK",
    "PUSH BLOCK",
    "PUSH IFFULL NOBLOCK",
    "PUSH IFFULL BLOCK",
    "PULL NOBLOCK",
    "PULL BLOCK",
    "PULL IFEMPTY NOBLOCK",
    "PULL IFEMPTY BLOCK",
    "MOV PINS",
    "MOV X",
    "MOV Y",
    "MOV EXEC",
    "MOV PC",
    "MOV ISR",
    "MOV OSR",
    "IRQ",
    "SET PINS",
    "SET X",
    "SET Y",
    "SET PINDIRS",
];

/// The rows that programs leave out.
pub(super) const EXCUSES: &[(&str, &str)] = &[
    ("WAIT 0 IRQ", "the peer has no flags"),
    ("WAIT 1 IRQ", "the peer has no flags"),
    ("OUT EXEC", "the peer does not have it"),
    ("MOV EXEC", "the peer does not have it"),
    ("IRQ", "the peer has no flags"),
];

/// Returns the row of `word`, by its place.
pub(super) fn row(word: u16) -> Option<usize> {
    let upper = usize::from(word >> 5 & 7);
    // The places of the eight encodings, `None` for those that are reserved.
    let of = |names: [Option<usize>; 8]| names[upper];
    match word >> 13 {
        0 => Some(upper),
        1 => of([8, 9, 10, 99, 11, 12, 13, 99].map(Some)).filter(|row| *row < ROWS.len()),
        2 => of([14, 15, 16, 17, 99, 99, 18, 19].map(Some)).filter(|row| *row < ROWS.len()),
        3 => Some(20 + upper),
        4 => Some(28 + upper),
        5 => of([36, 37, 38, 99, 39, 40, 41, 42].map(Some)).filter(|row| *row < ROWS.len()),
        6 => Some(43),
        _ => of([44, 45, 46, 99, 47, 99, 99, 99].map(Some)).filter(|row| *row < ROWS.len()),
    }
}

/// A range of pins inside the port: the peer's do not go on at its beginning.
fn pins(random: &mut Random, most: u32) -> (u32, u32) {
    let count = random.below(most + 1);
    (random.below(33 - count).min(31), count)
}

/// Returns a random program.
pub(super) fn random(random: &mut Random) -> Setup {
    let (autopull, autopush) = (random.one_in(3), random.one_in(3));
    let threshold = |random: &mut Random, own: bool| if own { 1 + random.below(32) } else { 32 };
    let reads_input = random.one_in(2);
    let mut setup = Setup {
        autopull,
        autopush,
        pull_threshold: threshold(random, autopull),
        push_threshold: threshold(random, autopush),
        in_right: random.one_in(2),
        out_right: random.one_in(2),
        out: if random.one_in(2) { (0, 32) } else { pins(random, 32) },
        set: pins(random, 5),
        side: pins(random, 5),
        jmp_pin: random.below(32),
        // The peer takes a wrap at 0 for none.
        wrap: (random.below(32), 1 + random.below(31)),
        directions: if reads_input { random.bits() } else { 0 },
        levels: random.bits(),
        x: random.operand(),
        y: random.operand(),
        isr: random.bits(),
        isr_count: random.below(33),
        osr: random.bits(),
        osr_count: if autopull { 0 } else { random.below(33) },
        reads_input,
        seed: random.bits(),
        // With autopull the peer refills in an OUT alone: the host writes before one only.
        fills: if autopull { random.pick(&[0, 2, 2]) } else { random.pick(&[0, 1, 3]) },
        // With autopush the peer stalls one IN later than the data sheet: the FIFO never fills.
        drains: if autopush { 1 } else { random.pick(&[0, 1, 2]) },
        fifo: [0; 4].map(|_: u32| random.bits()),
        ..Setup::plain()
    };
    for place in 0..32 {
        setup.program[place] = word(random, &setup);
    }
    if setup.wrap.1 != 31 {
        // The peer does not go on at 0 behind the last: a JMP.
        setup.program[31] &= 0x1F1F;
    }
    setup
}

/// Returns a random instruction that the peer has and both do alike.
fn word(random: &mut Random, setup: &Setup) -> u16 {
    // WAIT seldom: it may for ever.
    let class = random.pick(&[0u16, 0, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 7, 7]) << 13;
    loop {
        let mut word = random.bits() as u16 & 0x1FFF | class;
        let upper = word >> 5 & 7;
        if class >> 13 == 4 && upper & 2 != 0 {
            // A condition that does not hold has no delay there.
            word &= !(((1 << (5 - setup.side.1)) - 1) << 8);
        }
        let fits = match word >> 13 {
            // Its condition looks at 32 bits, whatever the threshold.
            0 => upper != 7 || setup.pull_threshold == 32,
            1 => upper & 3 < 2,
            2 => !matches!(upper, 4 | 5),
            3 => match upper {
                4 => !setup.reads_input,
                7 => false,
                _ => true,
            },
            // With autopull PULL does nothing while there is data, which the peer does not know.
            4 if setup.autopull && upper & 4 != 0 => false,
            4 if upper & 2 != 0 && upper & 4 != 0 => setup.pull_threshold == 32,
            4 if upper & 2 != 0 => setup.push_threshold == 32,
            4 => true,
            5 => {
                let reverses = word >> 3 & 2 != 0;
                !reverses
                    && !matches!(upper, 3 | 4)
                    && !matches!(word & 7, 4 | 5)
                    && (upper != 0 || setup.out == (0, 32))
            }
            7 => matches!(upper, 0..=2) || upper == 4 && !setup.reads_input,
            _ => false,
        };
        if fits {
            return word;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_every_row_but_those_excused() {
        let mut seen = vec![false; ROWS.len()];
        let mut generator = Random::new(1);
        for _ in 0..300 {
            for word in random(&mut generator).program {
                seen[row(word).expect("a row")] = true;
            }
        }
        for (name, seen) in ROWS.iter().zip(seen) {
            assert_eq!(seen, !EXCUSES.iter().any(|(row, _)| row == name), "{name}");
        }
    }
}
