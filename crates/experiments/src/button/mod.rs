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

use cyclescope_images::Image;
use cyclescope_records::Record;
use cyclescope_report::Table;

pub use self::definition::Button;
use self::definition::ModeText;
use crate::{Arrivals, Digest, Experiment, Job, Mode, PageView, RunError, Selection, View, Watch};

impl Experiment for Button {
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
        let asked = |mode: &&ModeText| {
            mode.image() == image.mode
                && (selection.arrivals == Arrivals::Random || has_single_edges(mode))
                && (!selection.digest || tables::is_digested(&mode.name))
        };
        self.mode.iter().filter(asked).map(|mode| mode.name.clone()).collect()
    }

    fn run(&self, job: &Job, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        let job = job.image()?;
        match job.arrivals {
            Arrivals::Random => measure::run(self, job, watch),
            Arrivals::Exhaustive(..) | Arrivals::At(..) => arrivals::run(self, job, watch),
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
        let modes = || self.mode.iter().filter(|mode| Selection::takes(&selection.modes, &mode.name));
        let chosen = selection.arrivals != Arrivals::Random;
        (chosen && !modes().any(has_single_edges)).then(|| {
            let single = self.mode.iter().filter(|mode| has_single_edges(mode));
            let names: Vec<&str> = single.map(|mode| mode.name.as_str()).collect();
            format!("{} can choose its arrivals only in the modes {}", self.name(), names.join(", "))
        })
    }

    fn tables(&self, records: &[Record], view: &View) -> Vec<Table> {
        tables::tables(self, records, view)
    }

    fn page_views(&self, _: &[&Record]) -> Vec<PageView> {
        vec![page::view()]
    }

    fn digest(&self, records: &[Record]) -> Option<Digest> {
        tables::digest(self, records)
    }
}

/// Tells if `mode` shows the effects of one edge at a chosen cycle. Probes must show them, and contacts that bounce make
/// many edges.
fn has_single_edges(mode: &ModeText) -> bool {
    mode.pins && !mode.bounce
}
