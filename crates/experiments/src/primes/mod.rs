//! Primes: what does it cost to yield?
//!
//! The same search runs in each contender without yielding, yielding once per turn of its inner loop with nothing else
//! to run, and yielding beside a second task. [`definition`] reads the question's file, [`measure`] runs one image,
//! [`output`] checks what it said, [`layout`] arranges records for people and [`digest`] says it in a few lines.

mod definition;
mod derived;
mod digest;
mod layout;
mod measure;
mod output;

use std::sync::Arc;

use cyclescope_records::Record;
use cyclescope_report::Table;

use self::definition::Definition;
use crate::{Digest, Experiment, Job, Mode, RunError, Selection};

/// The experiment.
#[derive(Debug)]
pub struct Primes {
    definition: Definition,
    modes: Vec<Mode>,
}

impl Primes {
    /// The question as it is bundled.
    pub fn bundled() -> Self {
        let definition = Definition::bundled();
        let modes =
            definition.mode.iter().map(|mode| Mode { name: mode.name.clone(), title: mode.title.clone() }).collect();
        Self { definition, modes }
    }
}

impl Experiment for Primes {
    fn name(&self) -> &str {
        &self.definition.name
    }

    fn question(&self) -> &str {
        &self.definition.question
    }

    fn modes(&self) -> &[Mode] {
        &self.modes
    }

    fn jobs(&self, selection: &Selection) -> Vec<Job> {
        let takes = |image: &cyclescope_images::Image| {
            image.experiment == self.name()
                && Selection::takes(&selection.contenders, image.contender)
                && Selection::takes(&selection.modes, image.mode)
                && Selection::takes(&selection.opts, image.opt)
        };
        let named = |image: &cyclescope_images::Image| {
            // A described part alone means that part alone.
            let any = selection.chips.is_empty() && selection.parts.is_empty();
            any || !selection.chips.is_empty() && Selection::takes(&selection.chips, image.chip)
        };
        let images = || cyclescope_images::images().iter().filter(|image| takes(image));
        let known = images().filter(|image| named(image)).map(|image| (image, None));
        let described = selection.parts.iter().flat_map(|part| {
            let fits = move |image: &&cyclescope_images::Image| part.base.as_deref() == Some(image.chip);
            images().filter(fits).map(move |image| (image, Some(part)))
        });
        let on = |(image, part): (_, Option<&Arc<_>>)| {
            let part = part.cloned();
            selection.memory.iter().map(move |memory| Job { image, part: part.clone(), memory: *memory })
        };
        known.chain(described).flat_map(on).collect()
    }

    fn run(&self, job: &Job) -> Result<Vec<Record>, RunError> {
        measure::run(&self.definition, job)
    }

    fn derive(&self, records: &mut Vec<Record>) {
        derived::append(records);
    }

    fn tables(&self, records: &[Record]) -> Vec<Table> {
        layout::tables(&self.definition, records)
    }

    fn digest(&self, records: &[Record]) -> Option<Digest> {
        digest::digest(&self.definition, records)
    }
}
