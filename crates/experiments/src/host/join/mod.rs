//! Join: how do I wait for a thousand things?
//!
//! [`measure`] plans and runs the forms of `cyclescope_host::join`; a probe finds out in which order each gives its results
//! and whether it waits one by one. [`layout`] arranges records for people.

mod layout;
mod measure;

use cyclescope_host::{built, join::Runtime};
use cyclescope_records::Record;
use cyclescope_report::Table;
use serde::Deserialize;

use super::{HostJob, MethodText, ModeText, is_chosen, origin, why_not};
use crate::{Digest, Experiment, Job, Mode, RunError, Selection, View, Watch};

/// The question's file, `experiments/join.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    name: String,
    question: String,
    work: WorkText,
    method: MethodText,
    mode: Vec<ModeText>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkText {
    count: usize,
    sleep_ms: u64,
    one_by_one: usize,
    order_count: usize,
    order_step_ms: u64,
}

/// The experiment.
#[derive(Debug)]
pub struct Join {
    definition: Definition,
    modes: Vec<Mode>,
}

impl Join {
    /// The question as it is bundled.
    pub fn bundled() -> Self {
        let definition: Definition = toml::from_str(include_str!("../../../experiments/join.toml"))
            .expect("the bundled file is read by a test before it is shipped");
        let modes = ModeText::modes(&definition.mode);
        Self { definition, modes }
    }
}

impl Experiment for Join {
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
        let entry = |runtime: &Runtime| {
            let version = built::version(Some(runtime.library()));
            (runtime.name().to_owned(), version.to_owned(), built::COMPILER.to_owned())
        };
        Runtime::ALL.iter().map(entry).collect()
    }

    fn jobs(&self, selection: &Selection) -> Vec<Job> {
        if !is_chosen(self, selection) {
            return Vec::new();
        }
        vec![Job::Host(HostJob {
            name: self.name().to_owned(),
            mode: None,
            value: None,
            contenders: selection.contenders.clone(),
            modes: selection.modes.clone(),
            seed: selection.seed,
            options: selection.host.clone(),
        })]
    }

    fn run(&self, job: &Job, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        measure::run(&self.definition, job.host()?, watch)
    }

    fn refuses(&self, selection: &Selection) -> Option<String> {
        why_not(self, selection)
    }

    fn problems(&self, records: &[Record]) -> Vec<String> {
        origin::problems(records)
    }

    fn derive(&self, _: &mut Vec<Record>) {}

    fn tables(&self, records: &[Record], _: &View) -> Vec<Table> {
        layout::tables(&self.definition.question, records)
    }

    fn digest(&self, _: &[Record]) -> Option<Digest> {
        None
    }
}
