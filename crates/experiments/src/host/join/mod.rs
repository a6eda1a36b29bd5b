//! Join: how do I wait for a thousand things?
//!
//! [`measure`] plans and runs the forms of `cyclescope_host::join`; a probe finds out in which order each gives its results
//! and whether it waits one by one. [`tables`] arranges records for people.

mod measure;
mod page;
mod tables;

use cyclescope_host::join::Runtime;
use cyclescope_records::{Record, Scalar};
use cyclescope_report::Table;
use serde::Deserialize;

use super::job::HostJob;
use super::measure::Amount;
use super::origin;
use super::question::{OnHost, Work};
use crate::{Mode, PageView, RunError, Watch};

/// The futures that are waited for.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sleeps {
    count: usize,
    sleep_ms: u64,
    one_by_one: usize,
    order_count: usize,
    order_step_ms: u64,
}

impl Work for Sleeps {
    const FILE: &'static str = include_str!("../../../experiments/join.toml");

    fn contenders() -> Vec<(&'static str, Option<&'static str>)> {
        Runtime::ALL.iter().map(|runtime| (runtime.name(), Some(runtime.library()))).collect()
    }

    fn amount(definition: &OnHost<Self>, job: &HostJob) -> Amount {
        let ways = measure::plan(job, 1, 0).len();
        let usual = definition.work.sleep_ms as f64 / 1e3;
        let length = job.options.setup.sleep.map_or(1.0, |sleep| sleep.as_secs_f64() / usual);
        Amount { ways, more: 2 * ways, length: Some(length.max(0.1)) }
    }

    fn measure(definition: &OnHost<Self>, job: &HostJob, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        measure::run(definition, job, watch)
    }

    fn page_views(_: &[&Record]) -> Vec<PageView> {
        vec![page::view()]
    }

    fn answer(records: &[Record]) -> Option<String> {
        let own = || records.iter().filter(|record| record.metric == "elapsed.above_sleep");
        let waits = |record: &&Record| record.settings.get("one_by_one") == Some(&Scalar::Switch(true));
        let names: Vec<(f64, String)> = own()
            .filter(|record| !waits(record))
            .map(|record| (record.mean.as_f64() / 1e6, format!("{}, {}", record.contender, record.mode)))
            .collect();
        let span = origin::span(names.iter().map(|(time, name)| (*time, name.as_str())), "ms");
        let mut slow: Vec<&str> = own().filter(waits).map(|record| record.mode.as_str()).collect();
        slow.sort_unstable();
        slow.dedup();
        let all = span.map(|span| format!("Waiting for all at once takes {span} above one sleep."));
        let each = (!slow.is_empty())
            .then(|| format!("Waited for one by one, for the sum of all sleeps: {}.", slow.join(", ")));
        let sentences: Vec<String> = all.into_iter().chain(each).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    fn tables(question: &str, _: &[Mode], records: &[Record]) -> Vec<Table> {
        tables::tables(question, records)
    }
}
