//! Button: how long from the edge on the pin until the task runs?
//!
//! A thousand presses at random phases, or an edge at each cycle of a window. [`definition`] reads the question's file,
//! [`measure`] runs one image under the presses, [`arrivals`] under each edge of the window, [`messages`] checks what it
//! said and showed, and [`tables`] arranges records for people.

mod arrivals;
mod definition;
mod measure;
mod messages;
mod page;
mod tables;

use cyclescope_records::Record;
use cyclescope_report::Table;

use self::definition::{Definition, ModeText};
use crate::{Arrivals, Digest, Experiment, ImageJob, Job, Mode, PageView, RunError, Selection, View, Watch};

/// The experiment.
#[derive(Debug)]
pub struct Button {
    definition: Definition,
}

impl Button {
    /// The question as it is bundled.
    pub fn bundled() -> Self {
        Self { definition: Definition::bundled() }
    }
}

impl Experiment for Button {
    fn name(&self) -> &str {
        &self.definition.name
    }

    fn question(&self) -> &str {
        &self.definition.question
    }

    fn modes(&self) -> Vec<Mode> {
        self.definition.mode.iter().map(|mode| Mode::new(&mode.name, &mode.title)).collect()
    }

    fn jobs(&self, selection: &Selection) -> Vec<Job> {
        let images = || {
            let mut chosen = Vec::new();
            for image in cyclescope_images::images().iter().filter(|image| image.experiment == self.name()) {
                for mode in self.definition.mode.iter().filter(|mode| mode.image() == image.mode) {
                    if (selection.arrivals == Arrivals::Random || has_single_edges(mode))
                        && (!selection.digest || tables::is_digested(&mode.name))
                    {
                        chosen.push((image, mode.name.clone()));
                    }
                }
            }
            chosen
        };
        ImageJob::plan(selection, images)
    }

    fn run(&self, job: &Job, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        let job = job.image()?;
        match job.arrivals {
            Arrivals::Random => measure::run(&self.definition, job, watch),
            Arrivals::Exhaustive(..) | Arrivals::At(..) => arrivals::run(&self.definition, job, watch),
        }
    }

    fn dumps(&self, job: &Job) -> bool {
        job.image().is_ok_and(|job| !matches!(job.arrivals, Arrivals::Exhaustive(..)))
    }

    fn draws(&self) -> bool {
        true
    }

    fn shows_differences(&self) -> bool {
        true
    }

    fn refuses(&self, selection: &Selection) -> Option<String> {
        let modes = || self.definition.mode.iter().filter(|mode| Selection::takes(&selection.modes, &mode.name));
        let chosen = selection.arrivals != Arrivals::Random;
        (chosen && !modes().any(has_single_edges)).then(|| {
            let names: Vec<&str> = self
                .definition
                .mode
                .iter()
                .filter(|mode| has_single_edges(mode))
                .map(|mode| mode.name.as_str())
                .collect();
            format!("{} can choose its arrivals only in the modes {}", self.name(), names.join(", "))
        })
    }

    fn tables(&self, records: &[Record], view: &View) -> Vec<Table> {
        tables::tables(&self.definition, records, view)
    }

    fn page_views(&self, _: &[&Record]) -> Vec<PageView> {
        vec![page::view()]
    }

    fn digest(&self, records: &[Record]) -> Option<Digest> {
        tables::digest(&self.definition, records)
    }
}

/// Tells if `mode` shows the effects of one edge at a chosen cycle. Probes must show them, and contacts that bounce make
/// many edges.
fn has_single_edges(mode: &ModeText) -> bool {
    mode.pins && !mode.bounce
}
