//! Which encodings streams are made of, each row's in an order that visits all of them, and which are left out and why.

use cyclescope_cortex_m::decode::{Architecture, Instruction, InstructionSet, Op, Reg, Row};

use crate::random::Random;

/// Rows that cannot run in a lone stream, and what covers them instead.
pub const NOT_IN_STREAMS: &[(&str, &str)] = &[
    ("SVC T1", "raises an exception, which the peer does not take; cortex-m/tests/exceptions.rs"),
    ("BKPT T1", "stops the run; cortex-m/tests/control.rs"),
    ("UDF T1", "raises an exception, which the peer does not take; tests/directed.rs"),
    ("UDF T2", "raises an exception, which the peer does not take; tests/directed.rs"),
    ("WFE T1", "sleeps until something outside happens; cortex-m/tests/sleep.rs"),
    ("WFI T1", "sleeps until something outside happens; cortex-m/tests/sleep.rs"),
];

/// Why this form of an instruction stays out of the streams, if it does. UNPREDICTABLE is the manual's word
/// (DDI 0419E §A6.7 under each instruction); two implementations may differ there and both be right.
pub fn left_out(row: &Row, instruction: &Instruction) -> Option<&'static str> {
    let Instruction { op, rd, rn, rm, imm } = *instruction;
    let list_has = |register: Reg| imm & 1 << register as u32 != 0;
    if let Some((_, why)) = NOT_IN_STREAMS.iter().find(|(name, _)| *name == row.name) {
        return Some(why);
    }
    match op {
        Op::Ldm | Op::Stm | Op::Push | Op::Pop if imm == 0 => Some("UNPREDICTABLE: empty register list"),
        Op::Stm if list_has(rn) && imm.trailing_zeros() != rn as u32 => {
            Some("UNKNOWN value stored: base in the list and not its lowest register")
        }
        Op::AddPc if rm == Reg::Pc => Some("UNPREDICTABLE: ADD PC, PC"),
        Op::AddHigh | Op::MovSp if rd == Reg::Sp && rm == Reg::Pc => {
            Some("UNPREDICTABLE where pc is not word-aligned: it would set SP<1:0>")
        }
        Op::CmpReg if row.name == "CMP (register) T2" => {
            if rn == Reg::Pc || rm == Reg::Pc {
                Some("UNPREDICTABLE: CMP with pc")
            } else if rn < Reg::R8 && rm < Reg::R8 {
                Some("UNPREDICTABLE: CMP T2 of two low registers")
            } else {
                None
            }
        }
        Op::Bx | Op::Blx if rm == Reg::Pc => Some("UNPREDICTABLE: BX or BLX with pc"),
        Op::Bx | Op::Blx if rm == Reg::Sp => Some("faults: SP<0> is zero, which asks for Arm state"),
        Op::Mrs if matches!(rd, Reg::Sp | Reg::Pc) => Some("UNPREDICTABLE: MRS to sp or pc"),
        Op::Msr if matches!(rn, Reg::Sp | Reg::Pc) => Some("UNPREDICTABLE: MSR from sp or pc"),
        Op::Mrs | Op::Msr if !matches!(imm & 0xFF, 0..=3 | 5..=9 | 16 | 20) => {
            Some("UNPREDICTABLE: special register that Armv6-M does not have")
        }
        _ => None,
    }
}

fn set() -> &'static InstructionSet {
    Architecture::Armv6M.instructions()
}

/// All rows: narrow ones, then wide ones.
pub fn all() -> impl Iterator<Item = &'static Row> {
    set().narrow.iter().chain(&set().wide).copied()
}

/// The index in [`all`] of the row that an instruction matches.
pub fn index_of(first: u16, second: u16) -> Option<usize> {
    let row = set().row(first, second)?;
    all().position(|other| other.name == row.name)
}

/// Whether the row at `index` in [`all`] is a 32-bit one.
pub fn is_wide(index: usize) -> bool {
    index >= set().narrow.len()
}

/// Walks the encodings of one row: each once before any comes again.
#[derive(Clone)]
pub struct Encodings {
    row: &'static Row,
    free: u32,
    next: u32,
    step: u32,
}

impl Encodings {
    /// The encodings of `row` from a random one on.
    pub fn new(row: &'static Row, wide: bool, random: &mut Random) -> Self {
        let free = !row.mask & if wide { u32::MAX } else { 0xFFFF };
        // Any odd step visits all of a power of two.
        Self { row, free, next: random.bits(), step: random.bits() | 1 }
    }

    /// The next encoding that is not left out, with what our decoder makes of it.
    pub fn draw(&mut self) -> (u32, Instruction) {
        loop {
            let bits = self.row.value | deposit(self.next, self.free);
            self.next = self.next.wrapping_add(self.step);
            let instruction = (self.row.build)(bits);
            if left_out(self.row, &instruction).is_none() {
                return (bits, instruction);
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
        for (name, _) in NOT_IN_STREAMS {
            assert!(all().any(|row| row.name == *name), "{name}");
        }
    }

    #[test]
    fn a_walk_visits_every_form_before_any_comes_again() {
        for (name, forms) in [("PUSH T1", 511), ("STM T1", 1271), ("LSL (immediate) T1", 2048), ("BX T1", 14)] {
            let row = all().find(|row| row.name == name).unwrap();
            let mut walk = Encodings::new(row, false, &mut Random::new(7));
            let seen: HashSet<u32> = (0..forms).map(|_| walk.draw().0).collect();
            assert_eq!(seen.len(), forms, "{name}");
            assert!(seen.iter().all(|bits| bits & row.mask == row.value), "{name}");
            assert!(seen.contains(&walk.draw().0), "{name}: {forms} are all there are");
        }
    }
}
