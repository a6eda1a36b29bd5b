//! Rows of a timing table, and where each number comes from.

/// The kind of evidence behind a timing row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Evidence {
    /// Stated by a manual.
    Documented,
    /// Measured on silicon or RTL, as the source says.
    Measured,
    /// Derived or guessed; the source says from what.
    Assumed,
}

/// One row of a core's or bus's timing: a number of cycles and its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimingRow {
    /// The row's short name, unique in its table.
    pub name: &'static str,
    /// The cases that it covers, in words.
    pub what: &'static str,
    /// The cycles, or their constant part; `what` names the variable part.
    pub cycles: u32,
    /// The kind of evidence behind it.
    pub evidence: Evidence,
    /// Document id, revision and section or table, or the reasoning behind an assumption.
    pub source: &'static str,
}

impl TimingRow {
    /// A row that the manual named in `source` states.
    pub const fn documented(name: &'static str, what: &'static str, cycles: u32, source: &'static str) -> Self {
        Self { name, what, cycles, evidence: Evidence::Documented, source }
    }

    /// A row that was measured, on the part that `source` names and by whom.
    pub const fn measured(name: &'static str, what: &'static str, cycles: u32, source: &'static str) -> Self {
        Self { name, what, cycles, evidence: Evidence::Measured, source }
    }

    /// A row that no manual states; `source` says what it is derived from.
    pub const fn assumed(name: &'static str, what: &'static str, cycles: u32, source: &'static str) -> Self {
        Self { name, what, cycles, evidence: Evidence::Assumed, source }
    }
}

/// A set of rows of one table, by their index (below 64): which rows a run executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowSet(u64);

impl RowSet {
    /// Adds the row at `index`.
    pub fn insert(&mut self, index: usize) {
        debug_assert!(index < 64, "a table has at most 64 rows");
        self.0 |= 1 << index;
    }

    /// Adds all rows of `other`.
    pub fn union(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Tells whether all rows of `other` are in the set.
    pub const fn includes(self, other: Self) -> bool {
        self.0 | other.0 == self.0
    }

    /// Tells whether the row at `index` is in the set.
    pub const fn contains(self, index: usize) -> bool {
        self.0 & (1 << index) != 0
    }
}
