//! Display: where does the time of a frame on a small display go?
//!
//! The same picture goes to an SSD1306 over three wires, by five ways. [`definition`] reads the question's file, [`measure`]
//! runs one image, [`picture`] draws on the host what the panel must show, [`parts`] tells whose an instruction is, and
//! [`tables`] and [`digest`] arrange records for people.

mod definition;
mod digest;
mod measure;
mod page;
mod parts;
mod picture;
mod tables;

use cyclescope_images::Image;
use cyclescope_records::Record;
use cyclescope_report::Table;

pub use self::definition::Display;
use crate::{Arrivals, Digest, Experiment, Job, Mode, PageView, RunError, Selection, View, Watch};

impl Experiment for Display {
    fn name(&self) -> &str {
        &self.name
    }

    fn question(&self) -> &str {
        &self.question
    }

    fn modes(&self) -> Vec<Mode> {
        self.mode.iter().map(|mode| Mode::new(&mode.name, &mode.title)).collect()
    }

    fn modes_of(&self, image: &Image, selection: &Selection) -> Vec<String> {
        let mode = self.mode(image.mode).filter(|_| selection.arrivals == Arrivals::Random);
        let mode = mode.filter(|mode| !selection.digest || mode.name == digest::MODE);
        mode.map(|mode| mode.name.clone()).into_iter().collect()
    }

    fn run(&self, job: &Job, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        measure::run(self, job.image()?, watch)
    }

    fn tables(&self, records: &[Record], view: &View) -> Vec<Table> {
        tables::tables(self, records, view)
    }

    fn page_views(&self, _: &[&Record]) -> Vec<PageView> {
        vec![page::view(self)]
    }

    fn digest(&self, records: &[Record]) -> Option<Digest> {
        digest::digest(self, records)
    }
}
