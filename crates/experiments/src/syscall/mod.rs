//! Syscall: how many instructions from the user's trap to the driver that answers and back, and where do they go?
//!
//! A task without privilege asks its kernel for a service. `definition` reads the question's file, `recorder` follows
//! calls from event to event, `parts` tells whose an instruction is, `measure` runs one bundled image and `user_image` anyone's,
//! `records` turns what was seen into records and `tables` arranges them for people.

mod definition;
mod error;
mod measure;
mod page;
mod parts;
mod recorder;
mod records;
mod tables;
mod user_image;

use cyclescope_records::Record;
use cyclescope_report::Table;

use self::definition::Definition;
use crate::{Arrivals, Digest, Experiment, ImageJob, Job, Mode, PageView, RunError, Selection, View, Watch};

pub use error::CallError;
pub use parts::PartText;
pub use recorder::{Call, Lacking};
pub use user_image::{UserImageError, UserImageOutcome, UserImageRequest};

/// The experiment.
#[derive(Debug)]
pub struct Syscall {
    definition: Definition,
}

impl Syscall {
    /// The question as it is bundled.
    pub fn bundled() -> Self {
        Self { definition: Definition::bundled() }
    }

    /// Measures calls of an image that is not bundled. Nothing is known of its output, which is not checked.
    ///
    /// # Errors
    /// [`UserImageError`] where the image does not fit the chip, or lacks an event or a function that was named.
    pub fn user_image(
        &self,
        request: &UserImageRequest<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<UserImageOutcome, UserImageError> {
        user_image::run(&self.definition, request, stop)
    }
}

impl Experiment for Syscall {
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
        // A digest has no room for it.
        if selection.arrivals != Arrivals::Random || selection.digest {
            return Vec::new();
        }
        let own = cyclescope_images::images().iter().filter(|image| image.experiment == self.name());
        ImageJob::plan(selection, || own.clone().map(|image| (image, image.mode.to_owned())).collect())
    }

    fn run(&self, job: &Job, _: Watch<'_>) -> Result<Vec<Record>, RunError> {
        measure::run(&self.definition, job.image()?)
    }

    fn tables(&self, records: &[Record], _: &View) -> Vec<Table> {
        tables::tables(&self.definition, records)
    }

    fn page_views(&self, _: &[&Record]) -> Vec<PageView> {
        vec![page::view()]
    }

    fn digest(&self, _: &[Record]) -> Option<Digest> {
        None
    }
}
