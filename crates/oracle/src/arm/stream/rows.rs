//! Selects the encodings for streams. The order visits all encodings of each row.

use std::collections::HashMap;

use cyclescope_cortex_m::decode::{Architecture, Instruction, InstructionSet, Row};

use super::rules;
use crate::random::Random;

/// Rows that cannot run in a stream, and the tests that cover them instead.
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
    /// All rows.
    pub all: Vec<&'static Row>,
    architecture: Architecture,
    narrow: usize,
    /// The index of each row, by its address.
    indices: HashMap<usize, usize>,
}

impl Rows {
    /// Returns the rows of `architecture`.
    pub fn new(architecture: Architecture) -> Self {
        let set = architecture.instructions();
        let all: Vec<&'static Row> = set.narrow.iter().chain(&set.wide).copied().collect();
        let indices = all.iter().enumerate().map(|(index, row)| (place(row), index)).collect();
        Self { all, architecture, narrow: set.narrow.len(), indices }
    }

    fn set(&self) -> &'static InstructionSet {
        self.architecture.instructions()
    }

    /// Returns the index of the row that an instruction matches.
    pub fn index_of(&self, first: u16, second: u16) -> Option<usize> {
        self.indices.get(&place(self.set().row(first, second)?)).copied()
    }

    /// Tells if the row at `index` is 32 bits wide.
    pub fn is_wide(&self, index: usize) -> bool {
        index >= self.narrow
    }

    /// Returns the free bits of the row at `index`.
    pub fn free(&self, index: usize) -> u32 {
        !self.all[index].mask & if self.is_wide(index) { u32::MAX } else { 0xFFFF }
    }

    /// Decodes `bits`, a form of the row at `index`.
    pub fn decode(&self, index: usize, bits: u32) -> Instruction {
        let (first, second) = self.halves(index, bits);
        self.set().decode(first, second)
    }

    /// Returns the reason to leave out `bits`, a form of the row at `index`, if there is one.
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

/// Visits the encodings of one row, each once before any repeats.
#[derive(Clone)]
pub struct Encodings {
    index: usize,
    value: u32,
    free: u32,
    next: u32,
    step: u32,
}

impl Encodings {
    /// Starts at a random encoding of the row at `index` of `rows`.
    pub fn new(rows: &Rows, index: usize, random: &mut Random) -> Self {
        // Any odd step visits all numbers below a power of two.
        let (next, step) = (random.bits(), random.bits() | 1);
        Self { index, value: rows.all[index].value, free: rows.free(index), next, step }
    }

    /// Returns the next encoding that is not left out, with its decoded form.
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

/// Moves the low bits of `value` to the ones of `mask`.
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
