//! The result of a comparison of random programs, and the count of the encodings that they executed.

use std::fmt;

use crate::lowered::LoweredOperations;

/// Execution counts by row, and the rows that programs leave out.
#[derive(Clone, Debug)]
pub struct Tally {
    names: Vec<&'static str>,
    executed: Vec<u64>,
    excuses: &'static [(&'static str, &'static str)],
}

impl Tally {
    /// Returns empty counts of the rows `names`. `excuses` are rows that programs leave out, with the reasons.
    pub(crate) fn new(
        names: impl IntoIterator<Item = &'static str>,
        excuses: &'static [(&'static str, &'static str)],
    ) -> Self {
        let names: Vec<_> = names.into_iter().collect();
        Self { executed: vec![0; names.len()], names, excuses }
    }

    /// Counts an execution of the row at `index`.
    pub(crate) fn add(&mut self, index: usize) {
        self.executed[index] += 1;
    }

    /// Returns the reason why programs leave out the row `name`.
    pub(crate) fn excuse(&self, name: &str) -> Option<&'static str> {
        self.excuses.iter().find(|(row, _)| *row == name).map(|(_, why)| *why)
    }

    /// Lists each row's name and count.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.names.iter().copied().zip(self.executed.iter().copied())
    }

    fn rows(&self, which: impl Fn(bool, bool) -> bool) -> Vec<&'static str> {
        let which = |(name, count): &(&str, u64)| which(*count > 0, self.excuse(name).is_some());
        self.counts().filter(which).map(|(name, _)| name).collect()
    }

    /// Returns the rows that were neither executed nor excused.
    pub fn missing(&self) -> Vec<&'static str> {
        self.rows(|executed, excused| !executed && !excused)
    }

    /// Returns the excused rows that were executed.
    pub fn idle_excuses(&self) -> Vec<&'static str> {
        self.rows(|executed, excused| executed && excused)
    }

    /// Returns the numbers of executed, of excused and of all rows.
    pub fn totals(&self) -> [usize; 3] {
        [self.rows(|executed, _| executed), self.rows(|_, excused| excused), self.rows(|_, _| true)]
            .map(|rows| rows.len())
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in self.counts() {
            match self.excuse(name) {
                Some(why) => writeln!(f, "{name:<12} left out: {why}")?,
                None => writeln!(f, "{name:<12} {count:>10}")?,
            }
        }
        Ok(())
    }
}

impl AsRef<Self> for Tally {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// The instructions of a run in which compiled code should carry out all operations that it lowers.
const MANY: u64 = 200_000;

/// The most times the instructions that were asked for that a run compares.
const LONGEST: u64 = 4;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Report<C = Tally> {
    /// The number of instructions compared with the peer.
    pub instructions: u64,
    /// The number of programs.
    pub programs: usize,
    /// The number of exceptions or interrupts that they took, if counted.
    pub traps: u64,
    /// The executed rows.
    pub coverage: C,
    /// A description of the first difference.
    pub difference: Option<String>,
    /// Known differences that are excused, with the reasons.
    pub known: Vec<(&'static str, &'static str)>,
    /// The known differences that the peer no longer shows.
    pub fixed: Vec<&'static str>,
    /// The operations that ran compiled, of an instruction set that is.
    pub lowered: LoweredOperations,
}

impl<C: AsRef<Tally>> Report<C> {
    /// Returns a report before the first program.
    pub(crate) fn new(coverage: C, known: Vec<(&'static str, &'static str)>) -> Self {
        let lowered = LoweredOperations::begin();
        Self { instructions: 0, programs: 0, traps: 0, coverage, difference: None, known, fixed: Vec::new(), lowered }
    }

    /// Tells if fewer than `count` instructions were compared and none differed. A run goes on beyond that, up to [`LONGEST`] times as
    /// far, while operations that stand in compiled code have never run there: some are rare where programs come.
    pub(crate) fn goes_on(&self, count: u64) -> bool {
        self.difference.is_none()
            && (self.instructions < count
                || self.instructions < count * LONGEST && !self.never_ran_compiled().is_empty())
    }

    /// Returns the lowered operations that never ran compiled, of a run that is long enough to say so.
    pub fn never_ran_compiled(&self) -> Vec<String> {
        if self.instructions < MANY { Vec::new() } else { self.lowered.missing() }
    }

    /// Tells if the run found no difference, executed every row, and needed every exception.
    pub fn passed(&self) -> bool {
        let tally = self.coverage.as_ref();
        self.difference.is_none()
            && self.fixed.is_empty()
            && tally.missing().is_empty()
            && tally.idle_excuses().is_empty()
            && self.never_ran_compiled().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_for_what_never_ran_compiled_and_fails_without_it() {
        let mut report = Report::new(Tally::new([], &[]), Vec::new());
        report.instructions = MANY;
        report.lowered.write(|notes| {
            notes.compiled.extend([("mul".to_owned(), 1000), ("rare".to_owned(), 2)]);
        });
        assert!(report.goes_on(MANY) && !report.passed(), "{:?}", report.never_ran_compiled());
        report.instructions = MANY * LONGEST;
        assert!(!report.goes_on(MANY) && !report.passed());
        report.lowered.write(|notes| {
            notes.carried_out.insert("mul".to_owned());
        });
        assert!(!report.passed(), "no region has counted");
        report.lowered.write(|notes| notes.counted = 1);
        report.instructions = MANY;
        assert!(!report.goes_on(MANY) && report.passed());
    }
}
