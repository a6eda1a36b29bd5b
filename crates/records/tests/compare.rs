//! Partners of two files of records, and what changed between them.

use std::collections::BTreeMap;

use cyclescope_records::stats::{Number, Summary};
use cyclescope_records::{Bound, Change, Record, Source, Statistic, Unit, compare, judge};

fn record(contender: &str, metric: &str, value: i64) -> Record {
    let Summary { n, mean, stddev, min, median, p99, max } = Summary::exact(Number::Integer(value));
    Record {
        experiment: "switch".to_owned(),
        mode: "plain".to_owned(),
        params: BTreeMap::new(),
        contender: contender.to_owned(),
        contender_version: "1".to_owned(),
        compiler: "gcc".to_owned(),
        chip: Some("stm32c031c6".to_owned()),
        clock_hz: Some(48_000_000),
        settings: BTreeMap::from([("memory".to_owned(), "equal".into())]),
        opt: "3".to_owned(),
        metric: metric.to_owned(),
        unit: Unit::Cycles,
        n,
        mean,
        stddev,
        min,
        median,
        p99,
        max,
        histogram: None,
        layouts: None,
        source: Source::Simulated,
        image_sha256: None,
        model: None,
    }
}

fn with(mut record: Record, name: &str, value: &str) -> Record {
    record.params.insert(name.to_owned(), value.into());
    record
}

#[test]
fn partners_are_of_the_same_thing_wherever_they_stand() {
    let row = |name, value| with(record("ply", "elapsed", value), "row", name);
    let old = [row("EmptyLoop", 10), row("DirectScheduling", 20), record("rtic", "elapsed", 5)];
    let new = [record("lilos", "elapsed", 5), row("DirectScheduling", 21), row("EmptyLoop", 10)];
    let found = compare(&old, &new);
    let pairs: Vec<(Number, Number)> = found.pairs.iter().map(|pair| (pair.old.mean, pair.new.mean)).collect();
    let whole = Number::Integer;
    assert_eq!(pairs, [(whole(20), whole(21)), (whole(10), whole(10))]);
    assert_eq!(found.vanished, [&old[2]]);
    assert_eq!(found.appeared, [&new[0]]);
}

#[test]
fn other_conditions_are_another_thing() {
    let base = record("ply", "elapsed", 10);
    let changes: [fn(&mut Record); 7] = [
        |record| record.mode = "profiled".to_owned(),
        |record| record.opt = "s".to_owned(),
        |record| record.chip = None,
        |record| record.source = Source::Silicon,
        |record| record.unit = Unit::Bytes,
        |record| record.experiment = "primes".to_owned(),
        |record| drop(record.settings.insert("memory".to_owned(), "ideal".into())),
    ];
    for change in changes {
        let mut other = base.clone();
        change(&mut other);
        assert!(compare(std::slice::from_ref(&base), &[other]).pairs.is_empty());
    }
}

#[test]
fn what_a_run_finds_out_does_not_part_records_but_a_row_does() {
    let worst = |cycle| with(record("ply", "latency", 10), "worst_arrival", cycle);
    assert_eq!(compare(&[worst("7")], &[worst("9")]).pairs.len(), 1);
    let row = |name| with(record("ply", "elapsed", 10), "row", name);
    let found = compare(&[row("EmptyLoop")], std::slice::from_ref(&row("DirectScheduling"))).pairs.len();
    assert_eq!(found, 0);
}

#[test]
fn exact_figures_compare_to_the_last_digit() {
    let (old, new) = ([record("ply", "elapsed", i64::MAX - 1)], [record("ply", "elapsed", i64::MAX)]);
    let found = compare(&old, &new);
    let [change] = found.pairs[0].estimates()[..] else { panic!("one value") };
    assert!(change.is_change() && found.pairs[0].is_exact());
    assert_eq!(change.difference(), Number::Integer(1), "a float would lose it");
    assert_eq!(change.ratio(), Some(1.0));
    let from_zero = Change { statistic: Statistic::Value, old: Number::ZERO, new: Number::Integer(3) };
    assert_eq!((from_zero.difference(), from_zero.ratio()), (Number::Integer(3), None));
}

#[test]
fn many_samples_compare_by_what_describes_them() {
    let samples = |worst| {
        let mut record = record("ply", "latency", 0);
        record.set_summary(Summary::of_integers(&[1, 2, worst]).unwrap());
        record
    };
    let (old, new) = ([samples(3)], [samples(9)]);
    let found = compare(&old, &new);
    let changed: Vec<Statistic> =
        found.pairs[0].estimates().iter().filter(|change| change.is_change()).map(|change| change.statistic).collect();
    assert_eq!(changed, [Statistic::Mean, Statistic::P99, Statistic::Max]);
}

/// Returns the number of times that each of `bounds` is broken from `old` to `new`, of bounds without a metric, and of those
/// that may be noise.
fn judged(bounds: &[&str], old: &[Record], new: &[Record]) -> (usize, usize, usize) {
    let bounds: Vec<Bound> = bounds.iter().map(|text| text.parse().expect(text)).collect();
    let comparison = compare(old, new);
    let verdict = judge(&bounds, &comparison);
    (verdict.breaches.len(), verdict.idle.len(), verdict.noise)
}

#[test]
fn an_exact_figure_breaks_a_bound_as_soon_as_it_is_beyond_it() {
    let (old, new) = ([record("ply", "elapsed", 200)], [record("ply", "elapsed", 202)]);
    for (bound, broken) in [
        ("cycles>+1%", 0),
        ("cycles>+0.9%", 1),
        ("cycles>+2", 0),
        ("cycles>+1", 1),
        ("elapsed > +0", 1),
        ("elap*d>+1.9", 1),
        ("*max>+0", 0),
        ("switch/elapsed>+1", 1),
        ("elapsed max>+1", 1),
        ("elapsed>202", 0),
        ("elapsed>201", 1),
        ("elapsed<203", 1),
        ("cycles<-1", 0),
        ("vanished", 0),
    ] {
        assert_eq!(judged(&[bound], &old, &new).0, broken, "{bound}");
    }
    assert_eq!(judged(&["cycles<-0.5%"], &new, &old).0, 1);
    // From nothing, anything is more than any percentage.
    assert_eq!(judged(&["cycles>+900%"], &[record("ply", "elapsed", 0)], &old).0, 1);
}

#[test]
fn a_bound_that_speaks_of_nothing_is_named() {
    let (old, new) = ([record("ply", "elapsed", 200)], [record("ply", "elapsed", 200)]);
    assert_eq!(judged(&["latency.*>+1%", "primes/cycles>+1%", "bytes>+0", "cycles>+0"], &old, &new), (0, 3, 0));
    assert_eq!(judged(&["vanished"], &old, &[]), (1, 0, 0));
}

#[test]
fn a_noisy_figure_has_to_differ_by_more_than_noise() {
    let timed = |contender: &str, samples: &[f64]| {
        let mut record = record(contender, "elapsed", 0);
        record.source = Source::Host;
        record.unit = Unit::Nanoseconds;
        record.set_summary(Summary::of_reals(samples).expect("finite samples"));
        record
    };
    let around = |middle: f64| [middle - 2.0, middle - 1.0, middle, middle + 1.0, middle + 2.0];
    let old = [timed("sync", &around(100.0))];
    assert_eq!(judged(&["ns>+1%"], &old, &[timed("sync", &around(102.0))]), (0, 0, 1), "2 % is within the noise");
    assert_eq!(judged(&["ns>+1%"], &old, &[timed("sync", &around(110.0))]), (1, 0, 0), "10 % is not");
    assert_eq!(judged(&["ns>+20%"], &old, &[timed("sync", &around(110.0))]), (0, 0, 0), "but within the bound");
    // What one comparison in twenty shows by chance is nothing among many.
    let many = |middle: f64| {
        (0..20).map(|n| timed(&format!("c{n}"), &around(if n == 0 { middle } else { 100.0 }))).collect::<Vec<_>>()
    };
    assert_eq!(judged(&["ns>+1%"], &[timed("sync", &around(100.0))], &[timed("sync", &around(103.0))]).0, 1);
    assert_eq!(judged(&["ns>+1%"], &many(100.0), &many(103.0)), (0, 0, 1));
    // One sample says nothing of its noise.
    assert_eq!(judged(&["ns>+1%"], &[timed("sync", &[1.0])], &[timed("sync", &[9.0])]), (0, 0, 1));
}

#[test]
fn what_is_no_bound_says_why() {
    for (text, why) in [
        ("cycles", "neither"),
        ("cycles+1%", "neither"),
        (">+1", "names no metric"),
        ("cycles mode>+1", "may stand"),
        ("cycles max min>+1", "more than"),
        ("cycles>", "no number"),
        ("cycles>+inf", "no number"),
        ("cycles>1%", "its sign"),
    ] {
        let error = text.parse::<Bound>().expect_err(text).to_string();
        assert!(error.contains(why) && error.contains(text), "{error}");
    }
}
