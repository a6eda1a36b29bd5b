//! The points at which a series changed.
//!
//! Exact values need no statistics: each that differs from the one before is a change. For noisy values this is E-divisive with
//! means: D. S. Matteson and N. A. James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data",
//! Journal of the American Statistical Association 109 (2014), 334-345, section 2 and 3, with the exponent α = 1. The series is cut
//! where the energy distance between both sides is greatest, each part again, until a permutation test finds the next cut no
//! better than those of shuffled parts. It assumes no distribution and withstands outliers, as distances enter it unsquared.

use cyclescope_records::stats::Number;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// The number of permutations of a test.
pub const PERMUTATIONS: usize = 499;

/// The probability below which a cut is taken for real.
pub const SIGNIFICANT: f64 = 0.01;

/// The fewest values between two changes of noisy series.
pub const SHORTEST: usize = 3;

/// The most values, counted from the newest, among which changes of noisy series are looked for: the effort grows with their
/// square, for each permutation.
const MOST: usize = 300;

/// The seed of the permutations: the same values give the same changes.
const SEED: u64 = 0x6379_636c_6573_636f;

/// The way in which a change was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Exact values differ.
    Exact,
    /// E-divisive with means, and its permutation test.
    EDivisive,
}

impl Method {
    /// Its name, as results print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::EDivisive => "e-divisive",
        }
    }
}

/// A change of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangePoint {
    /// The place of the first value after it.
    pub at: usize,
    /// The mean from the change before to this one; exact: the value before.
    pub before: Number,
    /// The mean from this change to the next; exact: the value.
    pub after: Number,
    /// The way in which it was found.
    pub method: Method,
    /// The probability that a shuffled series has a cut as good; none for exact values.
    pub chance: Option<f64>,
}

/// The changes of a series, in its order. `exact` says that its values have no noise.
pub fn change_points(values: &[Number], exact: bool) -> Vec<ChangePoint> {
    if exact {
        let changes = (1..values.len()).filter(|at| values[at - 1] != values[*at]);
        let change = |at: usize| ChangePoint {
            at,
            before: values[at - 1],
            after: values[at],
            method: Method::Exact,
            chance: None,
        };
        return changes.map(change).collect();
    }
    let first = values.len().saturating_sub(MOST);
    let numbers: Vec<f64> = values[first..].iter().map(|value| value.as_f64()).collect();
    let mut cuts = e_divisive(&numbers);
    cuts.sort_by_key(|(at, _)| *at);
    let ends: Vec<usize> = [0].into_iter().chain(cuts.iter().map(|(at, _)| *at)).chain([numbers.len()]).collect();
    let mean = |from: usize, to: usize| {
        let part = &numbers[from..to];
        // Divided before they are added up, so that no sum of large values is infinite.
        Number::real(part.iter().map(|value| value / part.len() as f64).sum()).unwrap_or(Number::ZERO)
    };
    cuts.iter()
        .zip(ends.windows(3))
        .map(|((at, chance), ends)| ChangePoint {
            at: first + at,
            before: mean(ends[0], ends[1]),
            after: mean(ends[1], ends[2]),
            method: Method::EDivisive,
            chance: Some(*chance),
        })
        .collect()
}

/// The cuts of `values` with their probabilities, in the order in which they were found.
fn e_divisive(values: &[f64]) -> Vec<(usize, f64)> {
    let scaled = scaled(values);
    let mut random = Pcg64::seed_from_u64(SEED);
    let mut ends = vec![0, scaled.len()];
    let mut found = Vec::new();
    while let Some((at, greatest)) = best_cut(&scaled, &ends).filter(|(_, quality)| *quality > 0.0) {
        let mut as_good = 0;
        let chance = |as_good: usize| (1 + as_good) as f64 / (PERMUTATIONS + 1) as f64;
        let mut shuffled = scaled.clone();
        for _ in 0..PERMUTATIONS {
            for part in ends.windows(2) {
                shuffled[part[0]..part[1]].shuffle(&mut random);
            }
            // Sums of the same numbers in another order differ in their last digits.
            let quality = best_cut(&shuffled, &ends).map_or(0.0, |(_, quality)| quality);
            as_good += usize::from(quality >= greatest * (1.0 - 1e-9));
            // Whatever the others are.
            if chance(as_good) >= SIGNIFICANT {
                return found;
            }
        }
        found.push((at, chance(as_good)));
        let place = ends.partition_point(|end| *end < at);
        ends.insert(place, at);
    }
    found
}

/// `values` moved and divided to lie between 0 and 1: that changes no ratio of distances, and no sum of them is infinite then.
fn scaled(values: &[f64]) -> Vec<f64> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let width = greatest / 2.0 - least / 2.0;
    let one = |value: &f64| if width > 0.0 { (value / 2.0 - least / 2.0) / width } else { 0.0 };
    values.iter().map(one).collect()
}

/// The best cut of the parts between `ends`, and its quality.
fn best_cut(values: &[f64], ends: &[usize]) -> Option<(usize, f64)> {
    let cuts = ends.windows(2).filter_map(|part| {
        let (cut, quality) = best_cut_of(&values[part[0]..part[1]])?;
        Some((part[0] + cut, quality))
    });
    // Of equally good ones the first.
    cuts.fold(
        None,
        |best: Option<(usize, f64)>, cut| if best.is_none_or(|best| cut.1 > best.1) { Some(cut) } else { best },
    )
}

/// The cut τ of one part, with the end κ of what is compared with it, at which the scaled energy distance
/// Q = mn/(m+n) (2/(mn) Σ|x−y| − 2/(m(m−1)) Σ|x−x'| − 2/(n(n−1)) Σ|y−y'|) is greatest, with m values before τ and n from there to κ.
fn best_cut_of(values: &[f64]) -> Option<(usize, f64)> {
    let length = values.len();
    if length < 2 * SHORTEST {
        return None;
    }
    // `reach[j][i]` is the sum of the distances from value j to those before i; `within[to]` that of all pairs before `to`.
    let mut reach = vec![vec![0.0; length]; length];
    let mut within = vec![0.0; length + 1];
    for (j, row) in reach.iter_mut().enumerate() {
        let mut sum = 0.0;
        for i in 0..j {
            row[i] = sum;
            sum += (values[i] - values[j]).abs();
        }
        row[j] = sum;
        within[j + 1] = within[j] + sum;
    }
    let mut best: Option<(usize, f64)> = None;
    for cut in SHORTEST..=length - SHORTEST {
        let m = cut as f64;
        let mut between = 0.0;
        for end in cut + 1..=length {
            between += reach[end - 1][cut];
            if end - cut < SHORTEST {
                continue;
            }
            let n = (end - cut) as f64;
            let right = within[end] - within[cut] - between;
            let quality = m * n / (m + n)
                * (2.0 * between / (m * n) - 2.0 * within[cut] / (m * (m - 1.0)) - 2.0 * right / (n * (n - 1.0)));
            if best.is_none_or(|(_, known)| quality > known) {
                best = Some((cut, quality));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    fn numbers(values: &[f64]) -> Vec<Number> {
        values.iter().map(|value| Number::Real(*value)).collect()
    }

    fn places(values: &[f64]) -> Vec<usize> {
        change_points(&numbers(values), false).iter().map(|change| change.at).collect()
    }

    /// `count` values around `mean`, with a tail of outliers to the right, as times have it.
    fn times(random: &mut Pcg64, mean: f64, count: usize) -> Vec<f64> {
        let one = |random: &mut Pcg64| {
            let spread: f64 = (0..4).map(|_| random.random_range(-0.5..0.5)).sum();
            let outlier = if random.random_range(0..15) == 0 { 4.0 } else { 0.0 };
            mean + spread + outlier
        };
        (0..count).map(|_| one(random)).collect()
    }

    #[test]
    fn exact_values_change_as_soon_as_they_differ() {
        let values = [5, 5, 7, 7, 7, 6].map(|value: u64| Number::from(value));
        let found = change_points(&values, true);
        let told: Vec<_> = found.iter().map(|change| (change.at, change.before, change.after)).collect();
        let of = |value: u64| Number::from(value);
        assert_eq!(told, [(2, of(5), of(7)), (5, of(7), of(6))]);
        assert!(found.iter().all(|change| change.chance.is_none() && change.method == Method::Exact));
    }

    #[test]
    fn the_energy_distance_is_that_of_the_paper() {
        // By hand: X = 0, 0, 1 and Y = 4, 4, 6. Between: 4+4+6 + 4+4+6 + 3+3+5 = 39; within X 2, within Y 4.
        // Q = 9/6 (2·39/9 − 2·2/6 − 2·4/6) = 1.5 (8.6667 − 2) = 10.
        let (cut, quality) = best_cut_of(&[0.0, 0.0, 1.0, 4.0, 4.0, 6.0]).expect("there is room for a cut");
        assert!(cut == 3 && (quality - 10.0).abs() < 1e-12, "{cut} {quality}");
        assert_eq!(best_cut_of(&[0.0, 0.0, 1.0, 4.0, 4.0]), None, "too few for two sides");
    }

    #[test]
    fn steps_are_found_within_four_entries_through_noise_and_outliers() {
        let mut beside = 0;
        for seed in 0..20 {
            let random = &mut Pcg64::seed_from_u64(seed);
            let series = [times(random, 100.0, 30), times(random, 104.0, 25), times(random, 99.0, 20)].concat();
            let found = places(&series);
            let near = |place: usize| found.iter().any(|at| at.abs_diff(place) <= 4);
            assert!(near(30) && near(55), "seed {seed}: {found:?}");
            beside += found.len() - 2;
        }
        assert!(beside <= 2, "{beside} where fewer than one is expected");
    }

    #[test]
    fn a_step_back_hides_no_step() {
        let random = &mut Pcg64::seed_from_u64(1);
        let series = [times(random, 100.0, 30), times(random, 105.0, 8), times(random, 100.0, 30)].concat();
        let found = places(&series);
        assert!(found.len() == 2 && found[0].abs_diff(30) <= 1 && found[1].abs_diff(38) <= 1, "{found:?}");
    }

    #[test]
    fn noise_alone_has_no_more_changes_than_it_says() {
        let found = |seed: u64| places(&times(&mut Pcg64::seed_from_u64(seed), 100.0, 40)).len();
        let wrong = (0..200).filter(|seed| found(*seed) > 0).count();
        assert!(wrong <= 6, "{wrong} of 200, where 2 are expected");
    }

    #[test]
    fn one_outlier_and_a_constant_are_no_change() {
        let mut series = [100.0; 30];
        assert!(places(&series).is_empty());
        series[15] = 1e300;
        assert!(places(&series).is_empty());
        series[29] = -1e308;
        assert!(places(&series).is_empty());
        assert!(places(&[]).is_empty());
        assert!(places(&[1.0]).is_empty());
    }

    #[test]
    fn a_change_has_the_means_of_both_sides_and_comes_again() {
        let series = [[10.0; 8], [12.0; 8]].concat();
        let found = change_points(&numbers(&series), false);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].at, found[0].before, found[0].after), (8, Number::Real(10.0), Number::Real(12.0)));
        assert!(found[0].chance.is_some_and(|chance| chance < SIGNIFICANT));
        assert_eq!(change_points(&numbers(&series), false), found);
        // The largest floats overflow no sum.
        let huge = [[f64::MAX; 8], [-f64::MAX; 8]].concat();
        assert_eq!(places(&huge), [8]);
    }
}
