//! The run of an experiment: an image on a part, or contenders on the host.

use std::sync::Arc;

use cyclescope_chips::{MemorySetting, Part};

use crate::host::HostJob;
use crate::{Arrivals, RunError, Selection};

/// One run.
#[derive(Clone, Debug)]
pub enum Job {
    /// Of an image.
    Image(ImageJob),
    /// Of the contenders of an experiment on the host, all in turn.
    Host(HostJob),
}

impl Job {
    /// The image's run, which experiments on chips have.
    ///
    /// # Errors
    /// [`RunError::OtherPlace`] for one on the host.
    pub fn image(&self) -> Result<&ImageJob, RunError> {
        match self {
            Self::Image(job) => Ok(job),
            Self::Host(_) => Err(RunError::OtherPlace),
        }
    }

    /// The host's run.
    ///
    /// # Errors
    /// [`RunError::OtherPlace`] for one of an image.
    pub fn host(&self) -> Result<&HostJob, RunError> {
        match self {
            Self::Host(job) => Ok(job),
            Self::Image(_) => Err(RunError::OtherPlace),
        }
    }

    /// Its name while it is under way.
    pub fn name(&self) -> String {
        match self {
            Self::Image(job) => job.image.name.to_owned(),
            Self::Host(job) => job.name.clone(),
        }
    }

    /// Tells if `contender` is in it.
    pub fn has(&self, contender: &str) -> bool {
        match self {
            Self::Image(job) => job.image.contender == contender,
            Self::Host(job) => Selection::takes(&job.contenders, contender),
        }
    }
}

/// One run of one image.
#[derive(Clone, Debug)]
pub struct ImageJob {
    /// The image.
    pub image: &'static cyclescope_images::Image,
    /// The part it runs on, where that is not the one it is built for.
    pub part: Option<Arc<Part>>,
    /// The flash settings.
    pub memory: MemorySetting,
    /// The experiment's mode; often the image's.
    pub mode: String,
    /// When what is measured arrives, where the experiment lets it be chosen.
    pub arrivals: Arrivals,
    /// Another seed for what is drawn at random.
    pub seed: Option<u64>,
    /// The ELF to run in the image's place, where it is not the bundled one: a build of one's own of the same program.
    pub elf: Option<Arc<[u8]>>,
}

impl ImageJob {
    /// The jobs that an experiment's images make under `selection`, each with its mode: those of known chips, then those of
    /// described parts, each under every memory setting.
    pub fn plan(
        selection: &Selection,
        images: impl Fn() -> Vec<(&'static cyclescope_images::Image, String)>,
    ) -> Vec<Job> {
        let named = |image: &cyclescope_images::Image| {
            // A described part alone means that part alone.
            let any = selection.chips.is_empty() && selection.parts.is_empty();
            any || !selection.chips.is_empty() && Selection::takes(&selection.chips, image.chip)
        };
        let chosen = || {
            images().into_iter().filter(|(image, mode)| {
                Selection::takes(&selection.contenders, image.contender)
                    && Selection::takes(&selection.modes, mode)
                    && Selection::takes(&selection.opts, image.opt)
            })
        };
        let known = chosen().filter(|(image, _)| named(image)).map(|chosen| (chosen, None));
        let described = selection.parts.iter().flat_map(|part| {
            let fits = move |image: &cyclescope_images::Image| part.base.as_deref() == Some(image.chip);
            chosen().filter(move |(image, _)| fits(image)).map(move |chosen| (chosen, Some(part)))
        });
        let on = |((image, mode), part): ((_, String), Option<&Arc<Part>>)| {
            let part = part.cloned();
            selection.memory.iter().map(move |memory| {
                Job::Image(Self {
                    image,
                    part: part.clone(),
                    memory: *memory,
                    mode: mode.clone(),
                    arrivals: selection.arrivals,
                    seed: selection.seed,
                    elf: None,
                })
            })
        };
        known.chain(described).flat_map(on).collect()
    }
}
