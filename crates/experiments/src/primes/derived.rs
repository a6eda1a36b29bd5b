//! The cost of a hand-over, from two modes of the same contender.
//!
//! Modes are separate images. Where code moves from one to the other, the division helper (four fifths of the time) meets
//! other boundaries of flash lines and takes some cycles more or less, each of 202,336 times: luck of placement that has
//! nothing to do with handing over. So there are two figures: the plain difference, and the difference of what is spent
//! outside the helper.

use cyclescope_records::stats::{Number, Summary};
use cyclescope_records::{Record, Unit};

/// The cost of a hand-over: the mode's cycles less the other's.
pub const YIELD: &str = "yield";
/// The same, of the cycles outside the division helper.
pub const YIELD_OUTSIDE: &str = "yield.outside_division";

/// A mode, and the one it is compared with.
const PAIRS: [(&str, &str); 4] = [("one", "plain"), ("two", "one"), ("two-sliced", "one"), ("other-core", "one")];

/// Appends the records of both figures.
pub fn append(records: &mut Vec<Record>) {
    let mut derived = Vec::new();
    for elapsed in records.iter().filter(|record| record.metric == "elapsed") {
        let Some((_, base)) = PAIRS.iter().find(|(mode, _)| *mode == elapsed.mode) else { continue };
        let of = |mode: &str, metric: &str| {
            let found =
                records.iter().find(|other| other.metric == metric && other.mode == mode && same_run(other, elapsed));
            found.and_then(value)
        };
        let difference = |metric: &str| Some(of(&elapsed.mode, metric)? - of(base, metric)?);
        let (Some(whole), Some(division), Some(dispatches)) =
            (difference("elapsed"), difference("division"), of(&elapsed.mode, "dispatches"))
        else {
            continue;
        };
        for (metric, cycles) in [(YIELD, whole), (YIELD_OUTSIDE, whole - division)] {
            let Some(ratio) = Number::ratio(i128::from(cycles), i128::from(dispatches)) else { continue };
            let mut record = elapsed.with_metric(metric, Unit::Cycles, Summary::exact(ratio));
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

/// Tells if both are of the same contender under the same conditions, whatever the mode.
fn same_run(a: &Record, b: &Record) -> bool {
    let memory = |record: &Record| record.settings.get("memory").cloned();
    a.contender == b.contender && a.opt == b.opt && a.chip == b.chip && memory(a) == memory(b)
}
