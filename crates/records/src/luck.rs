//! A change of a program told from luck of placement.
//!
//! Both sides have the figures of many layouts. Their means have no luck in them but that of the draw: if these differ by more than
//! Welch's test allows to chance, the work has changed. Otherwise what differs between the two images is how they were linked.

use std::fmt;

use crate::stats::{Moments, Number, Summary, holm};
use crate::{Comparison, Pair, Record, Unit};

/// The most pairs of layouts that are looked at one by one; of more, layouts at even distances stand for all.
const MOST_PAIRS: usize = 1 << 22;

/// The probability below which the draw of layouts does not explain a difference. A gate asks about many figures, again and again.
const UNLIKELY: f64 = 0.01;

/// Quantiles of the normal distribution for the advice on the number of layouts: of [`UNLIKELY`], and of one change in five that is
/// missed.
const QUANTILES: f64 = 2.576 + 0.842;

/// The figures of a program in its layouts.
#[derive(Clone, Debug, PartialEq)]
pub struct Layouts {
    /// The figure of the program as it was linked.
    pub as_linked: f64,
    /// Those of the other layouts, in ascending order.
    pub others: Vec<f64>,
}

impl Layouts {
    /// Returns the figures of a program `as_linked` and in `others`.
    pub fn new(as_linked: f64, mut others: Vec<f64>) -> Self {
        others.sort_by(f64::total_cmp);
        Self { as_linked, others }
    }

    /// Returns those that `record` has; `None` without any, or if one is no number.
    pub fn of(record: &Record) -> Option<Self> {
        let figures: Vec<f64> = record.layouts.as_ref()?.iter().copied().map(Number::as_f64).collect();
        let (own, others) = figures.split_first().filter(|_| figures.iter().all(|one| one.is_finite()))?;
        Some(Self::new(*own, others.to_vec()))
    }

    /// The least of the other layouts, or the program's own without any.
    pub fn best(&self) -> f64 {
        self.others.first().copied().unwrap_or(self.as_linked)
    }

    /// The middle one of the other layouts, or the program's own without any.
    pub fn median(&self) -> f64 {
        self.others.get(self.others.len() / 2).copied().unwrap_or(self.as_linked)
    }

    /// The greatest of the other layouts, or the program's own without any.
    pub fn worst(&self) -> f64 {
        self.others.last().copied().unwrap_or(self.as_linked)
    }

    /// Returns the least and the greatest of all, the program's own among them.
    pub fn range(&self) -> [f64; 2] {
        [self.best().min(self.as_linked), self.worst().max(self.as_linked)]
    }

    /// Returns the width of the range as a part of the middle one; 0 where that is 0.
    pub fn spread(&self) -> f64 {
        let ([least, most], middle) = (self.range(), self.median().abs());
        if middle == 0.0 { 0.0 } else { (most - least) / middle }
    }

    /// Returns the share of layouts that take less than the program as it was linked, with half of those that take as much; 0 to 1,
    /// or `None` without layouts.
    pub fn percentile(&self) -> Option<f64> {
        let count = |test: fn(&f64, &f64) -> bool| self.others.iter().filter(|one| test(one, &self.as_linked)).count();
        let (less, same) = (count(|one, own| one < own), count(|one, own| one == own));
        (!self.others.is_empty()).then(|| (less as f64 + same as f64 / 2.0) / self.others.len() as f64)
    }
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LuckKind {
    /// The program takes more, wherever it is placed.
    Regression,
    /// The program takes less, wherever it is placed.
    Improvement,
    /// Placement alone makes as much of a difference.
    Luck,
    /// Nothing has changed.
    Same,
}

impl fmt::Display for LuckKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Regression => "regression",
            Self::Improvement => "improvement",
            Self::Luck => "luck",
            Self::Same => "same",
        })
    }
}

/// A change of two records that have layouts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LuckChange<'r> {
    /// The records.
    pub pair: Pair<'r>,
    /// The images' own figures, before and after.
    pub linked: (f64, f64),
    /// The means over layouts, before and after.
    pub means: (f64, f64),
    /// The probability that the draw of layouts alone makes the means differ as much, corrected for all questions asked.
    pub chance: f64,
    /// The share, 0 to 1, of pairs of an old and a new layout that lie at least as far apart as the two images do, the difference of
    /// the means left out.
    pub share: f64,
    /// The number of layouts on each side that would decide a change of one percent, and of the images' own difference; 0 where
    /// placement changes nothing.
    pub deciding: (u64, u64),
}

impl LuckChange<'_> {
    /// Its kind.
    pub fn kind(&self) -> LuckKind {
        let (old, new) = self.means;
        if self.chance < UNLIKELY {
            return if new > old { LuckKind::Regression } else { LuckKind::Improvement };
        }
        if self.linked.0 == self.linked.1 { LuckKind::Same } else { LuckKind::Luck }
    }
}

impl Comparison<'_> {
    /// Returns the changes of all pairs of records with layouts, in their order.
    pub fn luck(&self) -> Vec<LuckChange<'_>> {
        let mut changes: Vec<LuckChange<'_>> = self.pairs.iter().filter_map(change).collect();
        let chances: Vec<f64> = changes.iter().map(|change| change.chance).collect();
        for (change, chance) in changes.iter_mut().zip(holm(&chances)) {
            change.chance = chance;
        }
        changes
    }
}

/// Returns the own figure of the image of `record`, and those of its layouts.
fn figures(record: &Record) -> Option<(f64, Vec<f64>)> {
    let Layouts { as_linked, mut others } = Layouts::of(record)?;
    // Where nothing moves the image's own layout is the only one, and it is all there is.
    if others.is_empty() {
        others.push(as_linked);
    }
    Some((as_linked, others))
}

fn change<'r>(pair: &Pair<'r>) -> Option<LuckChange<'r>> {
    let comparable = pair.old.unit == pair.new.unit && pair.new.unit == Unit::Cycles;
    let ((old_own, old), (new_own, new)) = comparable.then(|| figures(pair.old).zip(figures(pair.new)))??;
    let moments = |figures: &[f64]| {
        let Summary { n, mean, stddev, .. } = Summary::of_reals(figures).ok()?;
        Some(Moments { n, mean: mean.as_f64(), stddev: stddev.as_f64() })
    };
    let (before, after) = (moments(&old)?, moments(&new)?);
    // A single figure, of a program that placement does not change, has no noise.
    let exact = |moments: &Moments| moments.n == 1 || moments.stddev == 0.0;
    let chance = match exact(&before) && exact(&after) {
        true if before.mean == after.mean => 1.0,
        true => 0.0,
        false => before.welch(after).unwrap_or(1.0),
    };
    let apart = (new_own - old_own).abs();
    let deciding = |difference: f64| {
        let variance = before.stddev * before.stddev + after.stddev * after.stddev;
        let count = QUANTILES * QUANTILES * variance / (difference * difference);
        if count.is_finite() { count.ceil() as u64 } else { 0 }
    };
    Some(LuckChange {
        pair: *pair,
        linked: (old_own, new_own),
        means: (before.mean, after.mean),
        chance,
        share: share(&old, before.mean, &new, after.mean, apart),
        deciding: (deciding(before.mean / 100.0), deciding(apart)),
    })
}

/// Returns the share of pairs whose distances from their means lie at least `apart` apart.
fn share(old: &[f64], old_mean: f64, new: &[f64], new_mean: f64, apart: f64) -> f64 {
    let step = |count: usize| count.div_ceil((MOST_PAIRS as f64).sqrt() as usize).max(1);
    let (old, new) = (old.iter().step_by(step(old.len())), new.iter().step_by(step(new.len())));
    let (mut far, mut all) = (0_u64, 0_u64);
    for one in old {
        for other in new.clone() {
            all += 1;
            far += u64::from(((other - new_mean) - (one - old_mean)).abs() >= apart);
        }
    }
    if all == 0 { 1.0 } else { far as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    use super::*;
    use crate::stats::Number;
    use crate::{Source, compare};

    /// A record of a program that takes `work` cycles, and up to a twentieth more by placement; the image's own figure is the first.
    fn record(work: f64, count: usize, random: &mut Pcg64) -> Record {
        let layouts =
            (0..count).map(|_| Number::Real((work * (1.0 + random.random_range(0.0..0.05))).round())).collect();
        Record { unit: Unit::Cycles, layouts: Some(layouts), ..Record::empty(Source::Simulated) }
    }

    fn kinds(old: f64, new: f64, count: usize) -> [usize; 3] {
        let mut random = Pcg64::seed_from_u64(1);
        let mut kinds = [0; 3];
        for _ in 0..200 {
            let (old, new) = ([record(old, count, &mut random)], [record(new, count, &mut random)]);
            let comparison = compare(&old, &new);
            match comparison.luck()[0].kind() {
                LuckKind::Regression => kinds[0] += 1,
                LuckKind::Improvement => kinds[1] += 1,
                LuckKind::Luck | LuckKind::Same => kinds[2] += 1,
            }
        }
        kinds
    }

    #[test]
    fn one_source_linked_twice_is_luck_and_added_work_is_none() {
        let [regression, improvement, luck] = kinds(1e5, 1e5, 200);
        assert!((190..=200).contains(&luck), "{regression} {improvement} {luck}");
        assert_eq!(kinds(1e5, 1.02e5, 200), [200, 0, 0]);
        assert_eq!(kinds(1.02e5, 1e5, 200), [0, 200, 0]);
    }

    #[test]
    fn the_number_of_layouts_that_is_advised_decides_four_in_five() {
        let mut random = Pcg64::seed_from_u64(2);
        let (old, new) = ([record(1e5, 400, &mut random)], [record(1e5, 400, &mut random)]);
        let comparison = compare(&old, &new);
        let advised = comparison.luck()[0].deciding.0;
        let [found, ..] = kinds(1e5, 1.01e5, advised as usize);
        assert!((140..180).contains(&found), "{found} of 200 with {advised} layouts");
    }

    #[test]
    fn a_program_that_placement_does_not_change_is_compared_to_the_last_digit() {
        let record = |figure: i64| Record {
            unit: Unit::Cycles,
            layouts: Some(vec![Number::Integer(figure)]),
            ..Record::empty(Source::Simulated)
        };
        let kind = |old: i64, new: i64| {
            let (old, new) = ([record(old)], [record(new)]);
            compare(&old, &new).luck()[0].kind()
        };
        assert_eq!((kind(7, 7), kind(7, 8), kind(8, 7)), (LuckKind::Same, LuckKind::Regression, LuckKind::Improvement));
    }

    #[test]
    fn a_share_counts_pairs() {
        assert_eq!(share(&[0.0, 2.0], 1.0, &[10.0, 12.0], 11.0, 2.0), 0.5);
        assert_eq!(share(&[0.0, 2.0], 1.0, &[10.0, 12.0], 11.0, 0.0), 1.0);
    }
}
