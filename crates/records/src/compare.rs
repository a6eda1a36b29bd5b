//! Two files of records side by side: which records speak of the same thing, and what became of it.
//!
//! A record's partner has the same experiment, mode, contender, chip, optimisation level, memory setting, metric and
//! source, and the same `params`. Some `params` are found out by the run and not set (the worst arrival, which symbol is
//! the largest), so records that are left over and alone with what they have in common are partners too.

use crate::stats::{Moments, Number, holm};

use crate::{FUNCTION, Record, Scalar, Source};

/// An estimate of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The one value of a metric that has one.
    Value,
    /// The number of samples.
    Samples,
    /// Their mean.
    Mean,
    /// The least.
    Min,
    /// The middle.
    Median,
    /// The 99th percentile.
    P99,
    /// The greatest.
    Max,
}

impl Statistic {
    /// The statistics of several samples.
    pub const OF_SEVERAL: [Self; 6] = [Self::Samples, Self::Mean, Self::Min, Self::Median, Self::P99, Self::Max];

    /// Its name, empty for the one value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Value => "",
            Self::Samples => "n",
            Self::Mean => "mean",
            Self::Min => "min",
            Self::Median => "median",
            Self::P99 => "p99",
            Self::Max => "max",
        }
    }

    /// Returns this estimate of `record`.
    pub fn of(self, record: &Record) -> Number {
        match self {
            Self::Value | Self::Mean => record.mean,
            Self::Samples => record.n.into(),
            Self::Min => record.min,
            Self::Median => record.median,
            Self::P99 => record.p99,
            Self::Max => record.max,
        }
    }
}

/// One estimate before and after, in the records' unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The estimate.
    pub statistic: Statistic,
    /// Before.
    pub old: Number,
    /// After.
    pub new: Number,
}

impl Change {
    /// After less before: exact where both are.
    pub fn difference(&self) -> Number {
        let exact = self.old.as_integer().zip(self.new.as_integer());
        let exact = exact.and_then(|(old, new)| new.checked_sub(old)).map(Number::Integer);
        exact.or_else(|| Number::real(self.new.as_f64() - self.old.as_f64())).unwrap_or(Number::ZERO)
    }

    /// After over before; none where it was 0 before.
    pub fn ratio(&self) -> Option<f64> {
        let ratio = self.new.as_f64() / self.old.as_f64();
        ratio.is_finite().then_some(ratio)
    }

    /// Tells if anything changed, to the last digit.
    pub fn is_change(&self) -> bool {
        self.old != self.new
    }
}

/// Two records of the same thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<'r> {
    /// Before.
    pub old: &'r Record,
    /// After.
    pub new: &'r Record,
}

impl Pair<'_> {
    /// Its estimates before and after: one value, or what describes many.
    pub fn estimates(&self) -> Vec<Change> {
        let one = self.old.n == 1 && self.new.n == 1;
        let statistics: &[Statistic] = if one { &[Statistic::Value] } else { &Statistic::OF_SEVERAL };
        let change = |statistic: &Statistic| Change {
            statistic: *statistic,
            old: statistic.of(self.old),
            new: statistic.of(self.new),
        };
        statistics.iter().map(change).collect()
    }

    /// Tells if the figures are exact, so that any difference is one; timings of a host or a board are not.
    pub fn is_exact(&self) -> bool {
        self.old.is_exact() && self.new.is_exact()
    }

    /// Returns the probability that noise alone makes the means differ as much, by Welch's test; none where figures are exact,
    /// and where too few samples say nothing of their noise. Not corrected for how often one asks; [`Comparison::chances`] is.
    pub fn chance(&self) -> Option<f64> {
        let moments =
            |record: &Record| Moments { n: record.n, mean: record.mean.as_f64(), stddev: record.stddev.as_f64() };
        if self.is_exact() { None } else { moments(self.old).welch(moments(self.new)) }
    }
}

/// The relation of two sets of records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison<'r> {
    /// The records that both have, in the order of the later one.
    pub pairs: Vec<Pair<'r>>,
    /// The records that only the earlier one has, in its order.
    pub vanished: Vec<&'r Record>,
    /// The records that only the later one has, in its order.
    pub appeared: Vec<&'r Record>,
}

impl Comparison<'_> {
    /// [`Pair::chance`] of each pair, with Holm's correction over all that have one.
    pub fn chances(&self) -> Vec<Option<f64>> {
        let raw: Vec<Option<f64>> = self.pairs.iter().map(Pair::chance).collect();
        let told: Vec<f64> = raw.iter().copied().flatten().collect();
        let mut corrected = holm(&told).into_iter();
        raw.into_iter().map(|chance| chance.and_then(|_| corrected.next())).collect()
    }
}

/// Finds each record's partner.
pub fn compare<'r>(old: &'r [Record], new: &'r [Record]) -> Comparison<'r> {
    let mut partners: Vec<Option<usize>> = vec![None; new.len()];
    let mut taken = vec![false; old.len()];
    let mut known: std::collections::HashMap<Key<'r>, Vec<usize>> = std::collections::HashMap::new();
    for (index, record) in old.iter().enumerate() {
        known.entry(Key::of(record)).or_default().push(index);
    }
    for (partner, record) in partners.iter_mut().zip(new) {
        let same = |index: &&usize| !taken[**index] && old[**index].params == record.params;
        if let Some(index) = known.get(&Key::of(record)).and_then(|all| all.iter().find(same)).copied() {
            taken[index] = true;
            *partner = Some(index);
        }
    }
    // What is left over on both sides, once each.
    let mut left: std::collections::HashMap<Key<'r>, Vec<usize>> = std::collections::HashMap::new();
    for (index, record) in new.iter().enumerate().filter(|(index, _)| partners[*index].is_none()) {
        left.entry(Key::of(record)).or_default().push(index);
    }
    for (key, new_ones) in left {
        let old_ones: Vec<usize> =
            known.get(&key).into_iter().flatten().copied().filter(|index| !taken[*index]).collect();
        if let ([new_one], [old_one]) = (new_ones.as_slice(), old_ones.as_slice())
            && !is_named(&old[*old_one])
            && !is_named(&new[*new_one])
        {
            taken[*old_one] = true;
            partners[*new_one] = Some(*old_one);
        }
    }
    let mut comparison = Comparison::default();
    for (partner, record) in partners.iter().zip(new) {
        match partner {
            Some(index) => comparison.pairs.push(Pair { old: &old[*index], new: record }),
            None => comparison.appeared.push(record),
        }
    }
    comparison.vanished = old.iter().zip(taken).filter(|(_, taken)| !taken).map(|(record, _)| record).collect();
    comparison
}

/// Tells if a parameter names the subject of the record, which no run finds out: with another name it is another thing.
fn is_named(record: &Record) -> bool {
    record.params.contains_key(ROW) || record.metric == FUNCTION
}

/// The parameter that names a row of a table.
const ROW: &str = "row";

/// The fields that two records of the same thing share, `params` apart.
#[derive(PartialEq, Eq, Hash)]
struct Key<'r> {
    source: Source,
    words: [&'r str; 6],
    chip: Option<&'r str>,
    memory: Option<String>,
    /// Of a run with fewer rounds, whose figures are not those of a whole one.
    quick: bool,
}

impl<'r> Key<'r> {
    fn of(record: &'r Record) -> Self {
        let Record { experiment, mode, contender, opt, metric, unit, .. } = record;
        Self {
            source: record.source,
            words: [experiment, mode, contender, opt, metric, unit.name()],
            chip: record.chip.as_deref(),
            memory: record.settings.get("memory").map(Scalar::to_string),
            quick: record.settings.contains_key("quick"),
        }
    }
}
