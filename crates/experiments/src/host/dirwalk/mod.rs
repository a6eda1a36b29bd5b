//! Dirwalk: why is my async directory walk slower than the plain one?
//!
//! [`measure`] plans and runs the variants of `cyclescope_host::walk` and checks that all say the same, [`operation`] takes one
//! of their operations apart, [`tables`] arranges records for people, [`axis`] those of an axis.

mod axis;
mod measure;
mod operation;
mod page;
mod tables;
mod tree;

use cyclescope_host::walk::Variant;
use cyclescope_records::Record;
use cyclescope_report::Table;

pub use tree::Tree;
use tree::{OPERATION, WALK};

use super::job::HostJob;
use super::measure::Amount;
use super::origin;
use super::question::{OnHost, Work};
use crate::{Mode, PageView, RunError, Selection, Watch};

impl Work for Tree {
    const FILE: &'static str = include_str!("../../../experiments/dirwalk.toml");

    fn contenders() -> Vec<(&'static str, Option<&'static str>)> {
        Variant::all().map(|variant| (variant.name(), variant.library())).collect()
    }

    /// The walk itself and one of its operations, unless there are axes; else a job for each value of each axis.
    fn points(selection: &Selection) -> Vec<(Option<&'static str>, Option<usize>)> {
        let options = &selection.host.setup;
        let axes = [
            ("workers", &options.workers),
            ("blocking-threads", &options.blocking_threads),
            ("cpus", &options.cpus),
            ("contend", &options.contend),
        ];
        // What is named twice is measured once.
        let once = |values: &'_ [usize]| -> Vec<usize> {
            let first = |(index, value): &(usize, &usize)| !values[..*index].contains(value);
            values.iter().enumerate().filter(first).map(|(_, value)| *value).collect()
        };
        let of_axes = axes.iter().flat_map(|(mode, values)| once(values).into_iter().map(|value| (*mode, Some(value))));
        let mut points: Vec<(&str, Option<usize>)> = of_axes.collect();
        let by_itself = points.is_empty();
        let asked = |mode: &str| by_itself || selection.modes.iter().any(|asked| asked == mode);
        if asked(OPERATION) && operation::is_chosen(&selection.contenders) {
            points.insert(0, (OPERATION, None));
        }
        if asked(WALK) {
            points.insert(0, (WALK, None));
        }
        points.retain(|(mode, _)| Selection::takes(&selection.modes, mode));
        points.into_iter().map(|(mode, value)| (Some(mode), value)).collect()
    }

    fn amount(definition: &OnHost<Self>, job: &HostJob) -> Amount {
        if job.mode.as_deref() == Some(OPERATION) {
            return operation::amount(job);
        }
        measure::amount(definition, job)
    }

    fn measure(definition: &OnHost<Self>, job: &HostJob, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        if job.mode.as_deref() == Some(OPERATION) {
            return operation::run(definition, job, watch);
        }
        measure::run(definition, job, watch)
    }

    fn page_views(records: &[&Record]) -> Vec<PageView> {
        page::views(records)
    }

    fn answer(records: &[Record]) -> Option<String> {
        let of_walk = answer_of_walk(records);
        let of_operation = operation::answer(records);
        let sentences: Vec<String> = of_walk.into_iter().chain(of_operation).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    fn tables(question: &str, modes: &[Mode], records: &[Record]) -> Vec<Table> {
        tables::tables(question, modes, records)
    }
}

fn answer_of_walk(records: &[Record]) -> Option<String> {
    let own =
        |metric: &'static str| records.iter().filter(move |record| record.mode == WALK && record.metric == metric);
    let plain = own("elapsed").find(|record| record.contender == Variant::Sync.name())?;
    let others = own("ratio.sync").filter(|record| record.contender != plain.contender);
    let span = origin::span(others.map(|record| (record.mean.as_f64(), record.contender.as_str())), "times");
    let time = cyclescope_report::format::decimal(plain.mean.as_f64() / 1e6, 1);
    Some(match span {
        Some(span) => format!("The plain walk takes {time} ms; the others take {span} as long."),
        None => format!("The plain walk takes {time} ms."),
    })
}
