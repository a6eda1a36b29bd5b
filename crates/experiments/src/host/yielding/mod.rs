//! Yield: what does one await cost here?
//!
//! The search of primes, yielding and not, and values to and fro, on the executors of `cyclescope_host::yielding`.
//! [`measure`] runs and checks, [`tables`] arranges records in the columns of the chips' table.

mod measure;
mod page;
mod tables;

use cyclescope_host::yielding::Runtime;
use cyclescope_records::Record;
use cyclescope_report::Table;
use serde::Deserialize;

use super::job::HostJob;
use super::measure::Amount;
use super::origin;
use super::question::{OnHost, Work};
use crate::{Mode, PageView, RunError, Watch};

/// The search of primes.toml, what it must come to, and how often values go to and fro.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    primes: Vec<u64>,
    loops: u64,
    trips: u64,
}

impl Work for Search {
    const FILE: &'static str = include_str!("../../../experiments/yield.toml");

    fn contenders() -> Vec<(&'static str, Option<&'static str>)> {
        Runtime::ALL.iter().map(|runtime| (runtime.name(), runtime.library())).collect()
    }

    fn amount(_: &OnHost<Self>, job: &HostJob) -> Amount {
        Amount { ways: measure::plan(0, 0, job).len(), more: 0, length: Some(1.0) }
    }

    fn measure(definition: &OnHost<Self>, job: &HostJob, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        measure::run(definition, job, watch)
    }

    fn page_views(_: &[&Record]) -> Vec<PageView> {
        vec![page::view()]
    }

    fn answer(records: &[Record]) -> Option<String> {
        let of = |mode: &str| {
            let own = records.iter().filter(|record| record.mode == mode && record.metric == "switch");
            origin::span(own.map(|record| (record.mean.as_f64(), record.contender.as_str())), "ns")
        };
        let texts = [("alone", of("one")), ("beside another task", of("two"))];
        let texts: Vec<String> =
            texts.into_iter().filter_map(|(where_, span)| Some(format!("{} {where_}", span?))).collect();
        (!texts.is_empty()).then(|| format!("One await that gives way costs {}.", texts.join(", and ")))
    }

    fn tables(question: &str, _: &[Mode], records: &[Record]) -> Vec<Table> {
        tables::tables(question, records)
    }
}
