//! Which encodings streams are made of, each row's in an order that visits all of them.

use std::collections::HashMap;

use cyclescope_cortex_m::decode::{Architecture, Instruction, InstructionSet, Row};

use super::rules;
use crate::random::Random;

/// Rows that cannot run in a lone stream, and what covers them instead.
pub const NOT_IN_STREAMS: &[(&str, &str)] = &[
    ("SVC T1", "raises an exception, which the peer does not take; cortex-m/tests/exceptions.rs"),
    ("BKPT T1", "stops the run; cortex-m/tests/control.rs"),
    ("UDF T1", "raises an exception, which the peer does not take; tests/directed.rs"),
    ("UDF T2", "raises an exception, which the peer does not take; tests/directed.rs"),
    ("WFE T1", "sleeps until something outside happens; cortex-m/tests/sleep.rs"),
    ("WFI T1", "sleeps until something outside happens; cortex-m/tests/sleep.rs"),
    ("WFE T2", "sleeps until something outside happens; tests/directed.rs"),
    ("WFI T2", "sleeps until something outside happens; tests/directed.rs"),
];

/// The rows of an architecture: narrow ones, then wide ones.
#[derive(Clone)]
pub struct Rows {
    /// All of them.
    pub all: Vec<&'static Row>,
    architecture: Architecture,
    narrow: usize,
    /// The index of each, by where it is.
    indices: HashMap<usize, usize>,
}

impl Rows {
    /// The rows of `architecture`.
    pub fn new(architecture: Architecture) -> Self {
        let set = architecture.instructions();
        let all: Vec<&'static Row> = set.narrow.iter().chain(&set.wide).copied().collect();
        let indices = all.iter().enumerate().map(|(index, row)| (place(row), index)).collect();
        Self { all, architecture, narrow: set.narrow.len(), indices }
    }

    fn set(&self) -> &'static InstructionSet {
        self.architecture.instructions()
    }

    /// The index of the row that an instruction matches.
    pub fn index_of(&self, first: u16, second: u16) -> Option<usize> {
        self.indices.get(&place(self.set().row(first, second)?)).copied()
    }

    /// Whether the row at `index` is a 32-bit one.
    pub fn is_wide(&self, index: usize) -> bool {
        index >= self.narrow
    }

    /// The bits that the row at `index` leaves free.
    pub fn free(&self, index: usize) -> u32 {
        !self.all[index].mask & if self.is_wide(index) { u32::MAX } else { 0xFFFF }
    }

    /// What `bits`, a form of the row at `index`, decode to.
    pub fn decode(&self, index: usize, bits: u32) -> Instruction {
        let (first, second) = self.halves(index, bits);
        self.set().decode(first, second)
    }

    /// Why `bits`, a form of the row at `index`, stay out of the streams, if they do.
    pub fn left_out(&self, index: usize, bits: u32) -> Option<&'static str> {
        let row = self.all[index];
        if let Some((_, why)) = NOT_IN_STREAMS.iter().find(|(name, _)| *name == row.name) {
            return Some(why);
        }
        let (first, second) = self.halves(index, bits);
        if self.index_of(first, second) != Some(index) {
            return Some("another encoding, which has a row of its own");
        }
        rules::left_out(self.architecture, row.name, bits, &self.set().decode(first, second))
    }

    fn halves(&self, index: usize, bits: u32) -> (u16, u16) {
        if self.is_wide(index) { ((bits >> 16) as u16, bits as u16) } else { (bits as u16, 0) }
    }
}

impl std::fmt::Debug for Rows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.architecture.fmt(f)
    }
}

fn place(row: &'static Row) -> usize {
    std::ptr::from_ref(row) as usize
}

/// Walks the encodings of one row: each once before any comes again.
#[derive(Clone)]
pub struct Encodings {
    index: usize,
    value: u32,
    free: u32,
    next: u32,
    step: u32,
}

impl Encodings {
    /// The encodings of the row at `index` of `rows` from a random one on.
    pub fn new(rows: &Rows, index: usize, random: &mut Random) -> Self {
        // Any odd step visits all of a power of two.
        let (next, step) = (random.bits(), random.bits() | 1);
        Self { index, value: rows.all[index].value, free: rows.free(index), next, step }
    }

    /// The next encoding that is not left out, with what our decoder makes of it.
    pub fn draw(&mut self, rows: &Rows) -> (u32, Instruction) {
        loop {
            let bits = self.value | deposit(self.next, self.free);
            self.next = self.next.wrapping_add(self.step);
            if rows.left_out(self.index, bits).is_none() {
                return (bits, rows.decode(self.index, bits));
            }
        }
    }
}

/// Puts the low bits of `value` where `mask` has ones.
fn deposit(value: u32, mask: u32) -> u32 {
    let mut result = 0;
    let mut rest = mask;
    let mut index = 0;
    while rest != 0 {
        let lowest = rest & rest.wrapping_neg();
        if value >> index & 1 != 0 {
            result |= lowest;
        }
        index += 1;
        rest ^= lowest;
    }
    result
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn excuses_name_rows() {
        let rows = Rows::new(Architecture::Armv7EMF);
        for (name, _) in NOT_IN_STREAMS {
            assert!(rows.all.iter().any(|row| row.name == *name), "{name}");
        }
    }

    #[test]
    fn a_walk_visits_every_form_before_any_comes_again() {
        let rows = Rows::new(Architecture::Armv6M);
        for (name, forms) in [("PUSH T1", 511), ("STM T1", 1271), ("LSL (immediate) T1", 2048), ("BX T1", 14)] {
            let index = rows.all.iter().position(|row| row.name == name).unwrap();
            let row = rows.all[index];
            let mut walk = Encodings::new(&rows, index, &mut Random::new(7));
            let seen: HashSet<u32> = (0..forms).map(|_| walk.draw(&rows).0).collect();
            assert_eq!(seen.len(), forms, "{name}");
            assert!(seen.iter().all(|bits| bits & row.mask == row.value), "{name}");
            assert!(seen.contains(&walk.draw(&rows).0), "{name}: {forms} are all there are");
        }
    }
}
