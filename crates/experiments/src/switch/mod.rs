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

use cyclescope_images::Image;
use cyclescope_records::Record;
use cyclescope_report::Table;
use cyclescope_scope::Event;

use self::definition::ModeText;
pub use self::definition::Switch;
use crate::{Arrivals, Digest, Experiment, Job, Mode, PageView, RunError, Said, Selection, View, Watch};

impl Experiment for Switch {
    fn name(&self) -> &str {
        &self.name
    }

    fn question(&self) -> &str {
        &self.question
    }

    fn modes(&self) -> Vec<Mode> {
        self.mode.iter().map(|mode| Mode::new(&mode.name, &mode.title)).collect()
    }

    fn span(&self) -> Option<(&Event, &Event)> {
        Some((&self.span.from, &self.span.to))
    }

    fn first_line(&self) -> Option<String> {
        Some(format!("{}: ", self.rows.floor))
    }

    fn said(&self, image: &Image, text: &str) -> Result<Vec<Said>, RunError> {
        let mode = self.mode(image.mode).ok_or_else(|| RunError::NoMode(image.mode.to_owned()))?;
        output::said(self, &self.rows_run(mode, image.rows_absent()), image, text)
    }

    fn modes_of(&self, image: &Image, selection: &Selection) -> Vec<String> {
        let is_digested =
            |mode: &&ModeText| !selection.digest || mode.variant.is_none() && mode.rows.contains(&self.rows.digest);
        let mode = self.mode(image.mode).filter(is_digested).filter(|_| selection.arrivals == Arrivals::Random);
        mode.map(|mode| mode.name.clone()).into_iter().collect()
    }

    fn run(&self, job: &Job, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        measure::run(self, job.image()?, watch)
    }

    fn tables(&self, records: &[Record], view: &View) -> Vec<Table> {
        tables::tables(self, records, view)
    }

    fn page_views(&self, records: &[&Record]) -> Vec<PageView> {
        vec![page::view(records)]
    }

    fn digest(&self, records: &[Record]) -> Option<Digest> {
        digest::digest(self, records)
    }
}
