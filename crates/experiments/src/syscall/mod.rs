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

use cyclescope_images::Image;
use cyclescope_records::Record;
use cyclescope_report::Table;
use cyclescope_scope::Pulse;

pub use self::definition::Syscall;
use crate::{Arrivals, Digest, Experiment, Job, Mode, PageView, RunError, Selection, View, Watch};

pub use error::CallError;
pub use parts::PartText;
pub use recorder::{Call, Lacking};
pub use user_image::{UserImageError, UserImageOutcome, UserImageRequest};

impl Syscall {
    /// Measures calls of an image that is not bundled. Nothing is known of its output, which is not checked.
    ///
    /// # Errors
    /// [`UserImageError`] where the image does not fit the chip, or lacks an event or a function that was named.
    pub fn user_image(
        &self,
        request: &UserImageRequest<'_>,
        pulse: &Pulse<'_>,
    ) -> Result<UserImageOutcome, UserImageError> {
        user_image::run(self, request, pulse)
    }
}

impl Experiment for Syscall {
    fn name(&self) -> &str {
        &self.name
    }

    fn question(&self) -> &str {
        &self.question
    }

    fn modes(&self) -> Vec<Mode> {
        self.mode.clone()
    }

    fn modes_of(&self, image: &Image, selection: &Selection) -> Vec<String> {
        // A digest has no room for it.
        let asked = selection.arrivals == Arrivals::Random && !selection.digest;
        asked.then(|| image.mode.to_owned()).into_iter().collect()
    }

    fn run(&self, job: &Job, watch: Watch<'_>) -> Result<Vec<Record>, RunError> {
        measure::run(self, job.image()?, watch)
    }

    fn tables(&self, records: &[Record], view: &View) -> Vec<Table> {
        tables::tables(self, records, view)
    }

    fn page_views(&self, _: &[&Record]) -> Vec<PageView> {
        vec![page::view()]
    }

    fn digest(&self, _: &[Record]) -> Option<Digest> {
        None
    }

    fn answer(&self, records: &[Record]) -> Option<String> {
        tables::answer(records)
    }
}
