//! What the silicon has and the model lacks, counted and named.

use cyclescope_units::{Address, Cycles};
use serde::Serialize;

/// What kind of thing the guest touched that the model does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// A register whose behaviour is not modelled was read.
    RegisterRead,
    /// A register or field whose behaviour is not modelled was written with something other than its reset value.
    RegisterWrite,
    /// A setting that real silicon would not survive or whose effect is not modelled.
    Setting,
    /// An instruction or system register whose behaviour is not modelled.
    Instruction,
}

/// One gap the guest ran into: what, how often, and where first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// What kind it is.
    pub kind: GapKind,
    /// The name of the register, field or setting, as its manual prints it.
    pub name: String,
    /// How often it was met.
    pub count: u64,
    /// The instruction that met it first.
    pub pc: Address,
    /// When it was first met, counted from reset.
    pub at: Cycles,
}

/// All gaps one run met, in the order it met them.
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    met: Vec<Gap>,
}

impl Gaps {
    /// Counts a gap; the first meeting keeps its place and time.
    pub fn meet(&mut self, kind: GapKind, name: &str, pc: Address, at: Cycles) {
        match self.met.iter_mut().find(|gap| gap.kind == kind && gap.name == name) {
            Some(gap) => gap.count += 1,
            None => self.met.push(Gap { kind, name: name.to_owned(), count: 1, pc, at }),
        }
    }

    /// The gaps met, in the order of their first meeting.
    pub fn all(&self) -> &[Gap] {
        &self.met
    }
}
