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
use cyclescope_scope::Event;

pub use self::definition::Primes;
use crate::{Digest, Experiment, Job, Mode, PageView, RunError, Said, View, Watch};

impl Experiment for Primes {
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
        self.workload.primes.first().map(|prime| format!("found a prime number 1 {prime}"))
    }

    fn said(&self, image: &cyclescope_images::Image, text: &str) -> Result<Vec<Said>, RunError> {
        output::said(self, image, text)
    }

    fn run(&self, job: &Job, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        measure::run(self, job.image()?, watch)
    }

    fn derive(&self, records: &mut Vec<Record>) {
        derived::append(records);
    }

    fn tables(&self, records: &[Record], view: &View) -> Vec<Table> {
        tables::tables(self, records, view)
    }

    fn page_views(&self, _: &[&Record]) -> Vec<PageView> {
        vec![page::view()]
    }

    fn digest(&self, records: &[Record]) -> Option<Digest> {
        digest::digest(self, records)
    }
}
