//! The grounds of a simulated number.

use std::collections::BTreeSet;

use cyclescope_machine::{Evidence, Gap, GapKind, TimingRow};
use serde::{Deserialize, Serialize};

/// The names of timing rows by how far each can be trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// Stated by a manual.
    pub documented: BTreeSet<String>,
    /// Measured on silicon or RTL.
    pub measured: BTreeSet<String>,
    /// Derived or guessed.
    pub assumed: BTreeSet<String>,
}

impl Rows {
    /// Adds a row that the run executed.
    pub fn insert(&mut self, row: &TimingRow) {
        let rows = match row.evidence {
            Evidence::Documented => &mut self.documented,
            Evidence::Measured => &mut self.measured,
            Evidence::Assumed => &mut self.assumed,
        };
        rows.insert(row.name.to_owned());
    }
}

/// A gap of the model that the run met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapNote {
    /// `register_read`, `register_write`, `setting`, `instruction`, or `further` for the rest, counted together.
    pub kind: String,
    /// The register's or setting's name, as its manual prints it.
    pub name: String,
    /// The number of times that it was met.
    pub count: u64,
    /// The instruction that met it first.
    pub pc: u32,
    /// The cycle of the first meeting, from reset.
    pub at: u64,
}

impl From<&Gap> for GapNote {
    fn from(gap: &Gap) -> Self {
        let kind = match gap.kind {
            GapKind::RegisterRead => "register_read",
            GapKind::RegisterWrite => "register_write",
            GapKind::Setting => "setting",
            GapKind::Instruction => "instruction",
            GapKind::Further => "further",
        };
        Self { kind: kind.to_owned(), name: gap.name.clone(), count: gap.count, pc: gap.pc.get(), at: gap.at.get() }
    }
}

/// The model behind a simulated number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    /// The chip model's name.
    pub name: String,
    /// Its version: the tool's, as long as models have none of their own.
    pub version: String,
    /// The timing rows that the run executed.
    pub timing_rows: Rows,
    /// The gaps it met, in the order of first meeting.
    pub gaps: Vec<GapNote>,
}
