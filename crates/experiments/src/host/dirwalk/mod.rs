//! Dirwalk: why is my async directory walk slower than the plain one?
//!
//! [`measure`] plans and runs the variants of `cyclescope_host::walk` and checks that all say the same, [`layout`]
//! arranges records for people.

mod layout;
mod measure;

use std::sync::Arc;

use cyclescope_host::{built, walk::Variant};
use cyclescope_records::Record;
use cyclescope_report::Table;
use serde::Deserialize;

use super::{HostJob, MethodText, ModeText, is_chosen, origin, why_not};
use crate::{Digest, Experiment, Job, Mode, RunError, Selection, View, Watch};

/// The question's file, `experiments/dirwalk.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    name: String,
    question: String,
    tree: TreeText,
    method: MethodText,
    mode: Vec<ModeText>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeText {
    dirs: u32,
    files: u32,
    links: u32,
    depth: u32,
    seed: u64,
}

/// The mode without an axis.
const WALK: &str = "walk";

/// The experiment.
#[derive(Debug)]
pub struct DirWalk {
    definition: Definition,
    modes: Vec<Mode>,
}

impl DirWalk {
    /// The question as it is bundled.
    pub fn bundled() -> Self {
        let definition: Definition = toml::from_str(include_str!("../../../experiments/dirwalk.toml"))
            .expect("the bundled file is read by a test before it is shipped");
        let modes = ModeText::modes(&definition.mode);
        Self { definition, modes }
    }
}

impl Experiment for DirWalk {
    fn name(&self) -> &str {
        &self.definition.name
    }

    fn question(&self) -> &str {
        &self.definition.question
    }

    fn modes(&self) -> &[Mode] {
        &self.modes
    }

    fn is_host(&self) -> bool {
        true
    }

    fn contenders(&self) -> Vec<(String, String, String)> {
        let entry = |variant: Variant| {
            let version = built::version(variant.library());
            (variant.name().to_owned(), version.to_owned(), built::COMPILER.to_owned())
        };
        Variant::all().map(entry).collect()
    }

    /// The walk itself, unless there are axes; else a job for each value of each axis.
    fn jobs(&self, selection: &Selection) -> Vec<Job> {
        if !is_chosen(self, selection) {
            return Vec::new();
        }
        let options = &selection.host;
        let job = |mode: &str, value: Option<usize>| {
            Job::Host(HostJob {
                name: value.map_or_else(|| self.name().to_owned(), |value| format!("{} {mode} {value}", self.name())),
                mode: Some(mode.to_owned()),
                value,
                contenders: selection.contenders.clone(),
                modes: Vec::new(),
                seed: selection.seed,
                options: Arc::clone(options),
            })
        };
        let axes = [
            ("workers", &options.workers),
            ("blocking-threads", &options.blocking_threads),
            ("cpus", &options.cpus),
            ("contend", &options.contend),
        ];
        let points = axes.iter().flat_map(|(mode, values)| values.iter().map(move |value| (*mode, Some(*value))));
        let mut points: Vec<(&str, Option<usize>)> = points.collect();
        if points.is_empty() || selection.modes.iter().any(|mode| mode == WALK) {
            points.insert(0, (WALK, None));
        }
        points.retain(|(mode, _)| Selection::takes(&selection.modes, mode));
        points.into_iter().map(|(mode, value)| job(mode, value)).collect()
    }

    fn run(&self, job: &Job, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        measure::run(&self.definition, job.host()?, watch)
    }

    fn refuses(&self, selection: &Selection) -> Option<String> {
        if let Some(why) = why_not(self, selection) {
            return Some(why);
        }
        let asked = selection.modes.first()?;
        (!selection.modes.iter().any(|mode| mode == WALK))
            .then(|| format!("the mode {asked} of {} wants values: --{asked} 1,2", self.name()))
    }

    fn problems(&self, records: &[Record]) -> Vec<String> {
        origin::problems(records)
    }

    fn derive(&self, _: &mut Vec<Record>) {}

    fn tables(&self, records: &[Record], _: &View) -> Vec<Table> {
        layout::tables(&self.definition.question, &self.modes, records)
    }

    fn digest(&self, _: &[Record]) -> Option<Digest> {
        None
    }
}
