//! Switch: what does one switch of tasks cost, above doing nothing?
//!
//! Two tasks take turns adding 1 to a counter: in a plain loop, resumed by hand, and by the runtime's own scheduler.
//! [`definition`] reads the question's file, [`measure`] runs one image, [`output`] checks what it said, [`interrupts`]
//! tells what else ran inside a row, [`tables`] arranges records for people and [`digest`] says it in a few lines.

mod definition;
mod digest;
mod interrupts;
mod measure;
mod output;
mod page;
mod provenance;
mod tables;

use cyclescope_records::Record;
use cyclescope_report::Table;

use self::definition::Definition;
use crate::{Arrivals, Digest, Experiment, ImageJob, Job, Mode, PageView, RunError, Said, Selection, View, Watch};

/// The experiment.
#[derive(Debug)]
pub struct Switch {
    definition: Definition,
}

impl Switch {
    /// The question as it is bundled.
    pub fn bundled() -> Self {
        Self { definition: Definition::bundled() }
    }
}

impl Experiment for Switch {
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
        Some(format!("{}: ", self.definition.rows.floor))
    }

    fn said(&self, image: &cyclescope_images::Image, text: &str) -> Result<Vec<Said>, RunError> {
        let mode = self.definition.mode(image.mode).ok_or_else(|| RunError::NoMode(image.mode.to_owned()))?;
        output::said(&self.definition, &self.definition.rows_run(mode, image.rows_absent()), image, text)
    }

    fn jobs(&self, selection: &Selection) -> Vec<Job> {
        if selection.arrivals != Arrivals::Random {
            return Vec::new();
        }
        let digested = |mode: &str| {
            let mode = self.definition.mode(mode);
            mode.is_some_and(|mode| mode.rows.contains(&self.definition.rows.digest))
        };
        let own = cyclescope_images::images().iter().filter(|image| image.experiment == self.name());
        let own = own.filter(|image| !selection.digest || digested(image.mode));
        ImageJob::plan(selection, || own.clone().map(|image| (image, image.mode.to_owned())).collect())
    }

    fn run(&self, job: &Job, _: Watch<'_>) -> Result<Vec<Record>, RunError> {
        measure::run(&self.definition, job.image()?)
    }

    fn tables(&self, records: &[Record], _: &View) -> Vec<Table> {
        tables::tables(&self.definition, records)
    }

    fn page_views(&self, records: &[&Record]) -> Vec<PageView> {
        vec![page::view(records)]
    }

    fn digest(&self, records: &[Record]) -> Option<Digest> {
        digest::digest(&self.definition, records)
    }
}
