//! Join: how do I wait for a thousand things?
//!
//! [`measure`] plans and runs the forms of `cyclescope_host::join`; a probe finds out in which order each gives its results
//! and whether it waits one by one. [`tables`] arranges records for people.

mod measure;
mod page;
mod tables;

use cyclescope_host::join::Runtime;
use cyclescope_records::Record;
use cyclescope_report::Table;
use serde::Deserialize;

use super::job::HostJob;
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

    fn measure(definition: &OnHost<Self>, job: &HostJob, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        measure::run(definition, job, watch)
    }

    fn page_views(_: &[&Record]) -> Vec<PageView> {
        vec![page::view()]
    }

    fn tables(question: &str, _: &[Mode], records: &[Record]) -> Vec<Table> {
        tables::tables(question, records)
    }
}
