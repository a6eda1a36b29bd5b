//! Primes: what does it cost to yield?
//!
//! The same search runs in each contender without yielding, yielding once per turn of its inner loop with nothing else
//! to run, and yielding beside a second task. [`definition`] reads the question's file, [`measure`] runs one image,
//! [`output`] checks what it said, [`tables`] arranges records for people and [`digest`] says it in a few lines.

mod definition;
mod derived;
mod digest;
mod measure;
mod output;
mod page;
mod tables;

use cyclescope_records::Record;
use cyclescope_report::Table;

use self::definition::Definition;
use crate::{Arrivals, Digest, Experiment, ImageJob, Job, Mode, PageView, RunError, Said, Selection, View, Watch};

/// The experiment.
#[derive(Debug)]
pub struct Primes {
    definition: Definition,
}

impl Primes {
    /// The question as it is bundled.
    pub fn bundled() -> Self {
        Self { definition: Definition::bundled() }
    }
}

impl Experiment for Primes {
    fn name(&self) -> &str {
        &self.definition.name
    }

    fn question(&self) -> &str {
        &self.definition.question
    }

    fn modes(&self) -> Vec<Mode> {
        self.definition.mode.iter().map(|mode| Mode::new(&mode.name, &mode.title)).collect()
    }

    fn span(&self) -> Option<(&str, &str)> {
        Some((&self.definition.span.from, &self.definition.span.to))
    }

    fn first_line(&self) -> Option<String> {
        self.definition.workload.primes.first().map(|prime| format!("found a prime number 1 {prime}"))
    }

    fn said(&self, image: &cyclescope_images::Image, text: &str) -> Result<Vec<Said>, RunError> {
        output::said(&self.definition, image, text)
    }

    fn jobs(&self, selection: &Selection) -> Vec<Job> {
        if selection.arrivals != Arrivals::Random {
            return Vec::new();
        }
        let own = || cyclescope_images::images().iter().filter(|image| image.experiment == self.name());
        ImageJob::plan(selection, || own().map(|image| (image, image.mode.to_owned())).collect())
    }

    fn run(&self, job: &Job, _: Watch<'_>) -> Result<Vec<Record>, RunError> {
        measure::run(&self.definition, job.image()?)
    }

    fn derive(&self, records: &mut Vec<Record>) {
        derived::append(records);
    }

    fn tables(&self, records: &[Record], _: &View) -> Vec<Table> {
        tables::tables(&self.definition, records)
    }

    fn page_views(&self, _: &[&Record]) -> Vec<PageView> {
        vec![page::view()]
    }

    fn digest(&self, records: &[Record]) -> Option<Digest> {
        digest::digest(&self.definition, records)
    }
}
