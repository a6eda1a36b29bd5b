//! What all experiments have in common.

use std::sync::Arc;

use cyclescope_chips::{MemorySetting, Part};
use cyclescope_records::Record;
use cyclescope_report::Table;

use crate::RunError;

/// One setting of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Its name in options and records.
    pub name: String,
    /// Its name above a column.
    pub title: String,
}

/// What to run. An empty list means all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Chips.
    pub chips: Vec<String>,
    /// Contenders.
    pub contenders: Vec<String>,
    /// Modes.
    pub modes: Vec<String>,
    /// Optimisation levels.
    pub opts: Vec<String>,
    /// Memory settings.
    pub memory: Vec<MemorySetting>,
    /// Parts that a user describes, each run with the images of the part it comes from.
    pub parts: Vec<Arc<Part>>,
}

impl Selection {
    /// Whether `name` is among `chosen`, or everything is.
    pub fn takes(chosen: &[String], name: &str) -> bool {
        chosen.is_empty() || chosen.iter().any(|one| one.eq_ignore_ascii_case(name))
    }
}

/// One run of one image.
#[derive(Clone, Debug)]
pub struct Job {
    /// The image.
    pub image: &'static cyclescope_images::Image,
    /// The part it runs on, where that is not the one it is built for.
    pub part: Option<Arc<Part>>,
    /// What flash costs.
    pub memory: MemorySetting,
}

/// What the reader of a digest should know about how far to trust it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// Programs whose output was checked.
    pub checked: usize,
    /// Names of the Assumed timing rows that the results executed.
    pub assumed: std::collections::BTreeSet<String>,
    /// Names of the model gaps met.
    pub gaps: std::collections::BTreeSet<String>,
}

/// An experiment in a few lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The lines of result, ready to print.
    pub table: Table,
    /// One sentence computed from the records.
    pub conclusion: String,
}

/// One question.
pub trait Experiment: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// What it asks.
    fn question(&self) -> &str;

    /// Its settings.
    fn modes(&self) -> &[Mode];

    /// The runs that answer it, in the order of results.
    fn jobs(&self, selection: &Selection) -> Vec<Job>;

    /// One run, checked and turned into records.
    ///
    /// # Errors
    /// Why there is no number.
    fn run(&self, job: &Job) -> Result<Vec<Record>, RunError>;

    /// Appends the records that follow from several runs, such as a difference between modes.
    fn derive(&self, records: &mut Vec<Record>);

    /// The whole result for people.
    fn tables(&self, records: &[Record]) -> Vec<Table>;

    /// The result in a few lines; `None` without records.
    fn digest(&self, records: &[Record]) -> Option<Digest>;
}

impl Trust {
    /// What `records` rest on.
    pub fn of(records: &[Record]) -> Self {
        let mut trust = Self::default();
        let mut images = std::collections::BTreeSet::new();
        for record in records {
            images.extend(record.image_sha256.as_deref());
            if let Some(model) = &record.model {
                trust.assumed.extend(model.timing_rows.assumed.iter().cloned());
                trust.gaps.extend(model.gaps.iter().map(|gap| gap.name.clone()));
            }
        }
        trust.checked = images.len();
        trust
    }
}
