//! What follows from two modes of the same contender: what a hand-over costs.

use cyclescope_records::{Record, Unit};
use cyclescope_stats::{Number, Summary};

/// The metric that says what a hand-over costs.
pub const YIELD: &str = "yield";

/// A mode, and the one it is compared with.
const PAIRS: [(&str, &str); 3] = [("one", "plain"), ("two", "one"), ("two-sliced", "one")];

/// Appends `yield` records: the mode's cycles less the other's, for each hand-over.
pub fn append(records: &mut Vec<Record>) {
    let mut derived = Vec::new();
    for elapsed in records.iter().filter(|record| record.metric == "elapsed") {
        let Some((_, base)) = PAIRS.iter().find(|(mode, _)| *mode == elapsed.mode) else { continue };
        let Some(before) = records.iter().find(|other| other.mode == *base && is_sibling(other, elapsed)) else {
            continue;
        };
        let dispatches = records
            .iter()
            .find(|other| other.metric == "dispatches" && other.mode == elapsed.mode && same_run(other, elapsed));
        let ratio = Option::zip(value(elapsed), value(before))
            .zip(dispatches.and_then(value))
            .and_then(|((with, without), count)| Number::ratio(i128::from(with - without), i128::from(count)));
        if let Some(ratio) = ratio {
            let mut record = elapsed.with_metric(YIELD, Unit::Cycles, Summary::exact(ratio));
            record.params.insert("less".to_owned(), (*base).into());
            derived.push(record);
        }
    }
    records.extend(derived);
}

/// The exact value of a record of one sample.
pub fn value(record: &Record) -> Option<i64> {
    record.mean.as_integer()
}

/// Whether both are the same metric of the same contender under the same conditions.
fn is_sibling(a: &Record, b: &Record) -> bool {
    a.metric == b.metric && same_run(a, b)
}

fn same_run(a: &Record, b: &Record) -> bool {
    let memory = |record: &Record| record.settings.get("memory").cloned();
    a.contender == b.contender && a.opt == b.opt && a.chip == b.chip && memory(a) == memory(b)
}
