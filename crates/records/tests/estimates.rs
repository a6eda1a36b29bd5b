//! Estimates against their definitions.

use std::num::NonZeroU16;

use cyclescope_records::stats::{Histogram, Number, StatsError, Summary};
use proptest::prelude::*;

#[test]
fn a_deterministic_sample_is_itself() {
    let one = Summary::of_integers(&[202_346]).unwrap();
    assert_eq!(one, Summary::exact(202_346u64));
    assert_eq!((one.n, one.stddev), (1, Number::Integer(0)));
}

#[test]
fn known_samples_have_known_estimates() {
    // Mean 5, sum of squared deviations 32, n − 1 = 7.
    let summary = Summary::of_integers(&[2, 4, 4, 4, 5, 5, 7, 9]).unwrap();
    assert_eq!(summary.mean, Number::Integer(5));
    assert_eq!(summary.stddev, Number::Real((32.0f64 / 7.0).sqrt()));
    assert_eq!(summary.median, Number::Real(4.5));
    assert_eq!((summary.min, summary.p99, summary.max), (Number::Integer(2), Number::Integer(9), Number::Integer(9)));
    let hundred: Vec<u64> = (1..=100).collect();
    assert_eq!(Summary::of_integers(&hundred).unwrap().p99, Number::Integer(99));
    let more: Vec<u64> = (1..=101).collect();
    assert_eq!(Summary::of_integers(&more).unwrap().p99, Number::Integer(100));
}

#[test]
fn what_is_no_sample_is_refused() {
    assert_eq!(Summary::of_integers(&[]), Err(StatsError::Empty));
    assert_eq!(Summary::of_reals(&[]), Err(StatsError::Empty));
    assert_eq!(Summary::of_reals(&[1.0, f64::NAN]), Err(StatsError::NotFinite { index: 1 }));
    assert_eq!(Summary::of_reals(&[f64::INFINITY]), Err(StatsError::NotFinite { index: 0 }));
}

#[test]
fn extreme_integers_neither_overflow_nor_lose_order() {
    let summary = Summary::of_integers(&[0, u64::MAX, u64::MAX, 0, u64::MAX, 1]).unwrap();
    assert_eq!(summary.min, Number::Integer(0));
    assert!(summary.stddev.as_f64() > 1e18 && summary.mean.as_f64() > 9e18);
}

/// The percentile by its definition: the least sample that at least 99 % of the samples do not exceed.
fn p99_by_definition(samples: &[u64]) -> u64 {
    let mut candidates = samples.to_vec();
    candidates.sort_unstable();
    let enough = |value: u64| samples.iter().filter(|&&sample| sample <= value).count() * 100 >= samples.len() * 99;
    *candidates.iter().find(|&&value| enough(value)).expect("the greatest does")
}

fn samples() -> impl Strategy<Value = Vec<u64>> {
    prop_oneof![
        prop::collection::vec(0u64..1000, 1..300),
        prop::collection::vec(any::<u64>(), 1..40),
        prop::collection::vec(1_000_000_000_000u64..1_000_000_000_003, 1..40),
    ]
}

proptest! {
    #[test]
    fn the_percentile_is_what_it_is_defined_as(samples in samples()) {
        prop_assert_eq!(Summary::of_integers(&samples).unwrap().p99, Number::from(p99_by_definition(&samples)));
    }

    #[test]
    fn estimates_are_ordered_and_indifferent_to_order(samples in samples()) {
        let summary = Summary::of_integers(&samples).unwrap();
        let [min, mean, median, p99, max] =
            [summary.min, summary.mean, summary.median, summary.p99, summary.max].map(Number::as_f64);
        prop_assert!(min <= mean && mean <= max && min <= median && median <= p99 && p99 <= max);
        let reversed: Vec<u64> = samples.iter().rev().copied().collect();
        prop_assert_eq!(Summary::of_integers(&reversed).unwrap(), summary);
    }

    #[test]
    fn moving_all_samples_moves_the_place_and_not_the_spread(samples in prop::collection::vec(0u64..1 << 40, 1..50), by in 0u64..1 << 40) {
        let here = Summary::of_integers(&samples).unwrap();
        let there = Summary::of_integers(&samples.iter().map(|s| s + by).collect::<Vec<_>>()).unwrap();
        prop_assert_eq!(here.stddev, there.stddev);
        prop_assert_eq!(here.min.as_integer().unwrap() + by as i64, there.min.as_integer().unwrap());
    }

    #[test]
    fn floats_and_integers_agree(samples in prop::collection::vec(0u64..1 << 30, 1..100)) {
        let exact = Summary::of_integers(&samples).unwrap();
        let floats = Summary::of_reals(&samples.iter().map(|&s| s as f64).collect::<Vec<_>>()).unwrap();
        let near = |a: Number, b: Number| (a.as_f64() - b.as_f64()).abs() <= 1e-9 * (1.0 + a.as_f64().abs());
        prop_assert!(near(exact.mean, floats.mean) && near(exact.median, floats.median));
        prop_assert!((exact.stddev.as_f64() - floats.stddev.as_f64()).abs() <= 1e-6 * (1.0 + exact.stddev.as_f64()));
        prop_assert_eq!(exact.p99.as_f64(), floats.p99.as_f64());
    }

    #[test]
    fn histograms_count_every_sample_in_its_bucket(samples in samples(), buckets in 1u16..50) {
        let histogram = Histogram::linear(&samples, NonZeroU16::new(buckets).unwrap());
        prop_assert_eq!(histogram.samples(), samples.len() as u64);
        for bucket in &histogram.buckets {
            let inside = samples.iter().filter(|&&s| bucket.from <= s && s <= bucket.to).count();
            prop_assert_eq!(inside as u64, bucket.count);
        }
        prop_assert!(histogram.buckets.windows(2).all(|pair| pair[0].to.wrapping_add(1) == pair[1].from));
        prop_assert!(histogram.buckets.first().unwrap().count > 0 && histogram.buckets.last().unwrap().count > 0);
    }
}
