//! Partners of two files of records, and what changed between them.

use std::collections::BTreeMap;

use cyclescope_records::{Change, Record, Source, Statistic, Unit, compare};
use cyclescope_stats::{Number, Summary};

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
