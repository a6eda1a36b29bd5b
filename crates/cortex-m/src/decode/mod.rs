//! From bytes to instructions, once.
//!
//! An encoding is a row: mask, value, the manual's name, and how its fields become an [`Instruction`]. Decoding is
//! pure; what depends on the place of the instruction (branch targets, literals, IT blocks) is resolved when a block is
//! built. An [`InstructionSet`] is the rows of an architecture and its extensions, one file each.

/// Operations, or kinds, that are packed by their number.
macro_rules! operations {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs)] // Named as in the manual.
        pub enum $name { $($(#[$each])* $variant),* }

        impl $name {
            /// All of them, by number.
            pub const ALL: [Self; [$(Self::$variant),*].len()] = [$(Self::$variant),*];

            /// The one with the number `bits`.
            pub const fn from_bits(bits: u32) -> Self {
                Self::ALL[bits as usize % Self::ALL.len()]
            }
        }
    };
}

mod armv6m;
mod armv7m;
mod dsp;
mod fields;
mod fpv4;
mod instruction;
mod op;
mod operand;
mod reg;
pub(crate) mod shape;

use std::sync::LazyLock;

pub use fields::Row;
pub use instruction::Instruction;
pub use op::Op;
pub use operand::{
    Addressing, Dsp, DspOp, Flags, Fp, FpAccess, FpOp, Guard, Index, Indexed, Multiple, Saturation, Shift, Shifted,
};
pub use reg::Reg;

/// An architecture with its extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Architecture {
    /// Armv6-M: Cortex-M0 and M0+.
    Armv6M,
    /// Armv7-M: Cortex-M3.
    Armv7M,
    /// Armv7E-M, with the DSP extension: Cortex-M4.
    Armv7EM,
    /// Armv7E-M with single-precision floating point: Cortex-M4F.
    Armv7EMF,
}

impl Architecture {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Armv6M, Self::Armv7M, Self::Armv7EM, Self::Armv7EMF];

    /// Tells whether the architecture has the additions of Armv7-M.
    pub const fn is_v7(self) -> bool {
        !matches!(self, Self::Armv6M)
    }

    /// Tells whether the architecture has floating point.
    pub const fn has_fpu(self) -> bool {
        matches!(self, Self::Armv7EMF)
    }

    /// Its instructions.
    pub fn instructions(self) -> &'static InstructionSet {
        &SETS[self as usize]
    }
}

/// The encodings of an architecture.
pub struct InstructionSet {
    architecture: Architecture,
    /// 16-bit encodings.
    pub narrow: Vec<&'static Row>,
    /// 32-bit encodings; where two match, the first holds.
    pub wide: Vec<&'static Row>,
    /// The narrow rows by what the six top bits leave possible.
    narrow_by_top: [Vec<&'static Row>; 64],
    /// The wide rows by bits 28 to 20.
    wide_by_top: Vec<Vec<&'static Row>>,
}

static SETS: LazyLock<[InstructionSet; 4]> = LazyLock::new(|| Architecture::ALL.map(InstructionSet::new));

/// Tells whether the halfword `first` begins a 32-bit instruction (DDI 0403E §A5.1: bits 15:11 are 11101, 11110 or 11111).
pub const fn is_wide(first: u16) -> bool {
    first >> 11 >= 0b11101
}

impl std::fmt::Debug for InstructionSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.architecture.fmt(f)
    }
}

impl InstructionSet {
    fn new(architecture: Architecture) -> Self {
        let mut narrow: Vec<&Row> = armv6m::NARROW.iter().collect();
        let mut wide: Vec<&Row> = armv6m::WIDE.iter().collect();
        if architecture.is_v7() {
            narrow.extend(armv7m::NARROW);
            if architecture >= Architecture::Armv7EM {
                wide.extend(dsp::SATURATING);
            }
            wide.extend(armv7m::WIDE);
        } else {
            narrow.extend(armv6m::NARROW_ONLY);
            wide.extend(armv6m::WIDE_ONLY);
        }
        if architecture >= Architecture::Armv7EM {
            wide.extend(dsp::WIDE);
        }
        if architecture.has_fpu() {
            wide.extend(fpv4::WIDE);
        }
        let narrow_by_top = std::array::from_fn(|top| possible(&narrow, (top as u32) << 10, 0xFC00));
        let wide_by_top = (0..512).map(|top| possible(&wide, 7 << 29 | top << 20, 0xFFF0_0000)).collect();
        Self { architecture, narrow, wide, narrow_by_top, wide_by_top }
    }

    /// The row that an instruction matches, if any; `second` counts only for 32-bit encodings.
    pub fn row(&self, first: u16, second: u16) -> Option<&'static Row> {
        let bits = bits(first, second);
        let rows = if is_wide(first) {
            &self.wide_by_top[usize::from(first >> 4 & 0x1FF)]
        } else {
            &self.narrow_by_top[usize::from(first >> 10)]
        };
        rows.iter().copied().find(|row| bits & row.mask == row.value)
    }

    /// Decodes the instruction that begins with `first`; `second` is the halfword after it and counts only for 32-bit
    /// encodings. What no row matches is [`Op::Undefined`], or [`Op::NoCoprocessor`] of a coprocessor that is absent.
    pub fn decode(&self, first: u16, second: u16) -> Instruction {
        let bits = bits(first, second);
        let undefined = Instruction::new(Op::Undefined).imm(bits);
        match self.row(first, second) {
            Some(row) => {
                let built = (row.build)(bits);
                if is_wide(first) && armv7m::writes_pc_by_accident(&built) { undefined } else { built }
            }
            None if self.architecture.is_v7() && self.is_foreign(bits) => {
                Instruction { op: Op::NoCoprocessor, ..undefined }
            }
            None => undefined,
        }
    }

    /// Tells whether `bits` belong to a coprocessor that the core does not have (DDI 0403E §A5.3.18).
    fn is_foreign(&self, bits: u32) -> bool {
        let floating_point = matches!(bits >> 8 & 0xF, 10 | 11);
        bits & 0xEC00_0000 == 0xEC00_0000 && !(floating_point && self.architecture.has_fpu())
    }
}

/// Returns the 16-bit instruction `i` as it acts inside an IT block. Encodings of 32 bits say themselves whether they set flags.
pub fn inside_it(i: Instruction) -> Instruction {
    armv7m::inside_it(i)
}

/// The conditional branch for the condition of four bits; 14 and 15 branch always.
pub const fn branch_if(condition: u32) -> Op {
    armv7m::branch_if(condition)
}

fn bits(first: u16, second: u16) -> u32 {
    if is_wide(first) { u32::from(first) << 16 | u32::from(second) } else { u32::from(first) }
}

/// Those of `rows` that may match a word whose bits in `known` are those of `top`.
fn possible(rows: &[&'static Row], top: u32, known: u32) -> Vec<&'static Row> {
    rows.iter().copied().filter(|row| top & row.mask & known == row.value & known).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets() -> impl Iterator<Item = &'static InstructionSet> {
        Architecture::ALL.into_iter().map(Architecture::instructions)
    }

    fn more_special(a: &Row, b: &Row) -> bool {
        a.mask.count_ones() > b.mask.count_ones() || a.name.contains("(literal)")
    }

    #[test]
    fn where_two_encodings_match_the_first_fixes_more() {
        for set in sets() {
            for rows in [&set.narrow, &set.wide] {
                for (index, a) in rows.iter().enumerate() {
                    for b in &rows[index + 1..] {
                        let overlap = a.value & b.mask == b.value & a.mask;
                        // What both match may be a still more special row's, which then stands before them.
                        let both = (a.mask | b.mask, a.value | b.value);
                        let claimed = rows[..=index].iter().any(|row| {
                            both.0 & row.mask == row.mask && both.1 & row.mask == row.value && more_special(row, b)
                        });
                        assert!(!overlap || claimed, "{} hides {}", a.name, b.name);
                    }
                }
            }
        }
    }

    #[test]
    fn rows_fix_no_bit_outside_their_mask() {
        for row in sets().flat_map(|set| set.narrow.iter().chain(&set.wide)) {
            assert_eq!(row.value & !row.mask, 0, "{}", row.name);
        }
    }

    #[test]
    fn names_are_unique() {
        for set in sets() {
            let mut names: Vec<&str> = set.narrow.iter().chain(&set.wide).map(|row| row.name).collect();
            names.sort_unstable();
            let all = names.len();
            names.dedup();
            assert_eq!(names.len(), all);
        }
    }

    #[test]
    fn every_halfword_lands_somewhere() {
        let set = Architecture::Armv6M.instructions();
        let mut undefined = 0;
        for first in (0..=u16::MAX).filter(|first| !is_wide(*first)) {
            let instruction = set.decode(first, 0);
            match set.row(first, 0) {
                Some(row) => assert_eq!((row.build)(u32::from(first)), instruction),
                None => {
                    assert_eq!(instruction.op, Op::Undefined);
                    undefined += 1;
                }
            }
        }
        // DDI 0419E §A5.2.5: of the miscellaneous group B1 and B3 (CBZ on Armv7-M), B6 but for CPS, B7, B8, B9, a quarter
        // of BA, BB, and IT in BF; and BX and BLX with should-be-zero bits set.
        let miscellaneous = 2 * 256 + (256 - 2) + 256 + 2 * 256 + 64 + 256 + (256 - 16);
        let exchange = 256 - 2 * 16;
        assert_eq!(undefined, miscellaneous + exchange);
    }
}
