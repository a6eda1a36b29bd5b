//! The parts that all questions on the host share: a file with work and method, jobs, refusals. A [`Work`] is the rest.

use std::fmt;
use std::sync::Arc;

use cyclescope_host::built;
use cyclescope_records::Record;
use cyclescope_report::Table;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::job::HostJob;
use super::measure::MethodText;
use super::origin;
use crate::definition::bundled;
use crate::{Arrivals, Digest, Experiment, Job, Mode, PageView, RunError, Selection, View, Watch};

/// A question that is answered on the host, as its file in `experiments/` says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnHost<W> {
    pub(super) name: String,
    question: String,
    pub(super) work: W,
    pub(super) method: MethodText,
    mode: Vec<Mode>,
}

/// The work of one question's contenders, as `[work]` in its file says.
pub trait Work: DeserializeOwned + fmt::Debug + Send + Sync + 'static {
    /// The question's file.
    const FILE: &'static str;

    /// Its contenders: the name of each, and its library, which none is where it is the standard one.
    fn contenders() -> Vec<(&'static str, Option<&'static str>)>;

    /// The jobs that `selection` asks for: in what mode each is as a whole, if it is in one, and what is set there.
    fn points(selection: &Selection) -> Vec<(Option<&'static str>, Option<usize>)> {
        let _ = selection;
        vec![(None, None)]
    }

    /// Runs one job.
    ///
    /// # Errors
    /// Why there is no number.
    fn measure(definition: &OnHost<Self>, job: &HostJob, watch: Watch<'_>) -> Result<Vec<Record>, RunError>;

    /// Returns the views of `records` on the HTML page.
    fn page_views(records: &[&Record]) -> Vec<PageView>;

    /// Arranges records for people.
    fn tables(question: &str, modes: &[Mode], records: &[Record]) -> Vec<Table>;
}

impl<W: Work> OnHost<W> {
    /// The question as it is bundled.
    pub fn bundled() -> Self {
        bundled(W::FILE)
    }

    /// Why nothing of it is chosen.
    fn why_not(&self, selection: &Selection) -> Option<String> {
        let name = &self.name;
        if !selection.chips.is_empty() || !selection.parts.is_empty() {
            return Some(format!("{name} runs on the host, and --chip chooses a chip"));
        }
        if selection.arrivals != Arrivals::Random {
            return Some(format!("--arrival and --arrivals have no effect: {name} has no arrivals"));
        }
        let known: Vec<&str> = W::contenders().into_iter().map(|(known, _)| known).collect();
        if !known.iter().any(|known| Selection::takes(&selection.contenders, known)) {
            return Some(format!("the contenders of {name} are {}", known.join(", ")));
        }
        if !selection.opts.is_empty() && !Selection::takes(&selection.opts, built::OPT) {
            return Some(format!("{name} is built into this program at opt {}", built::OPT));
        }
        None
    }
}

impl<W: Work> Experiment for OnHost<W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn question(&self) -> &str {
        &self.question
    }

    fn modes(&self) -> Vec<Mode> {
        self.mode.clone()
    }

    fn is_host(&self) -> bool {
        true
    }

    /// The order of a round's runs.
    fn draws(&self) -> bool {
        true
    }

    fn contenders(&self) -> Vec<(String, String, String)> {
        let entry = |(name, library): (&str, Option<&str>)| {
            (name.to_owned(), built::version(library).to_owned(), built::COMPILER.to_owned())
        };
        W::contenders().into_iter().map(entry).collect()
    }

    fn jobs(&self, selection: &Selection) -> Vec<Job> {
        if self.why_not(selection).is_some() {
            return Vec::new();
        }
        let job = |(mode, value): (Option<&str>, Option<usize>)| {
            Job::Host(HostJob {
                name: match (mode, value) {
                    (Some(mode), Some(value)) => format!("{} {mode} {value}", self.name()),
                    _ => self.name().to_owned(),
                },
                mode: mode.map(str::to_owned),
                value,
                contenders: selection.contenders.clone(),
                modes: if mode.is_some() { Vec::new() } else { selection.modes.clone() },
                seed: selection.seed,
                options: Arc::clone(&selection.host),
            })
        };
        W::points(selection).into_iter().map(job).collect()
    }

    fn run(&self, job: &Job, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        W::measure(self, job.host()?, watch)
    }

    fn refuses(&self, selection: &Selection) -> Option<String> {
        if let Some(why) = self.why_not(selection) {
            return Some(why);
        }
        // Modes that nothing comes of are axes without values.
        let asked = selection.modes.first()?;
        W::points(selection)
            .is_empty()
            .then(|| format!("the mode {asked} of {} needs values; add --{asked} 1,2", self.name()))
    }

    fn problems(&self, records: &[Record]) -> Vec<String> {
        origin::problems(records)
    }

    fn tables(&self, records: &[Record], _: &View) -> Vec<Table> {
        W::tables(&self.question, &self.modes(), records)
    }

    fn page_views(&self, records: &[&Record]) -> Vec<PageView> {
        W::page_views(records)
    }

    fn digest(&self, _: &[Record]) -> Option<Digest> {
        None
    }
}
