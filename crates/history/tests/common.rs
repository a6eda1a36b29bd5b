//! Records and additions for tests.

use cyclescope_history::{Addition, Moment};
use cyclescope_records::stats::Summary;
use cyclescope_records::{Model, Record, Rows, Source, Unit};

/// A record of `metric` in cycles.
pub fn cycles(contender: &str, metric: &str, value: u64) -> Record {
    let model = Model {
        name: "stm32c031c6".to_owned(),
        version: "0.1.0".to_owned(),
        timing_rows: Rows::default(),
        gaps: Vec::new(),
    };
    Record {
        experiment: "switch".to_owned(),
        contender: contender.to_owned(),
        chip: Some("stm32c031c6".to_owned()),
        clock_hz: Some(48_000_000),
        model: Some(model),
        ..Record::empty(Source::Simulated)
    }
    .with_metric(metric, Unit::Cycles, Summary::exact(value))
}

/// A record of times on a host.
pub fn times(metric: &str, samples: &[f64]) -> Record {
    let summary = Summary::of_reals(samples).expect("finite samples");
    Record { experiment: "walk".to_owned(), contender: "sync".to_owned(), ..Record::empty(Source::Host) }.with_metric(
        metric,
        Unit::Nanoseconds,
        summary,
    )
}

/// Records at a commit of `main`, whose time is `number` minutes after a fixed one.
pub fn at(number: u32, records: Vec<Record>) -> Addition {
    on("main", number, records)
}

/// The same on `branch`.
pub fn on(branch: &str, number: u32, records: Vec<Record>) -> Addition {
    Addition {
        commit: format!("{number:08x}{branch:0>32}"),
        branch: branch.to_owned(),
        time: Moment::from_unix(1_700_000_000 + i64::from(number) * 60).expect("it is in range"),
        source: "results.json (test)".to_owned(),
        records,
    }
}
