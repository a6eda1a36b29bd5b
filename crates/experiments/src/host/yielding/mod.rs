//! Yield: what does one await cost here?
//!
//! The search of primes, yielding and not, and values to and fro, on the executors of `cyclescope_host::yielding`.
//! [`measure`] runs and checks, [`layout`] arranges records in the columns of the chips' table.

mod layout;
mod measure;

use cyclescope_host::{built, yielding::Runtime};
use cyclescope_records::Record;
use cyclescope_report::Table;
use serde::Deserialize;

use super::{HostJob, MethodText, ModeText, is_chosen, origin, why_not};
use crate::{Digest, Experiment, Job, Mode, RunError, Selection, View, Watch};

/// The question's file, `experiments/yield.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    name: String,
    question: String,
    workload: WorkloadText,
    method: MethodText,
    mode: Vec<ModeText>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkloadText {
    primes: Vec<u64>,
    loops: u64,
    trips: u64,
}

/// The experiment.
#[derive(Debug)]
pub struct Yield {
    definition: Definition,
    modes: Vec<Mode>,
}

impl Yield {
    /// The question as it is bundled.
    pub fn bundled() -> Self {
        let definition: Definition = toml::from_str(include_str!("../../../experiments/yield.toml"))
            .expect("the bundled file is read by a test before it is shipped");
        let modes = ModeText::modes(&definition.mode);
        Self { definition, modes }
    }
}

impl Experiment for Yield {
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
            let version = built::version(runtime.library());
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
