//! The run of an experiment: an image on a part, or contenders on the host.

use std::sync::Arc;

use cyclescope_chips::{MemorySetting, Part};
use cyclescope_machine::Placement;

use crate::host::job::HostJob;
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
    /// Other places for its code and constants than they were linked for, for timing only.
    pub placement: Option<Arc<Placement>>,
}

impl ImageJob {
    /// The jobs that the images of `experiment` make under `selection` in their `modes`: those of known chips, then those of
    /// described parts, each under every memory setting.
    pub fn plan(
        selection: &Selection,
        experiment: &str,
        modes: impl Fn(&cyclescope_images::Image) -> Vec<String>,
    ) -> Vec<Job> {
        let own = cyclescope_images::images().iter().filter(|image| {
            image.experiment == experiment
                && Selection::takes(&selection.contenders, image.contender)
                && Selection::takes(&selection.opts, image.opt)
        });
        let own = own.flat_map(|image| modes(image).into_iter().map(move |mode| (image, mode)));
        let chosen: Vec<_> = own.filter(|(_, mode)| Selection::takes(&selection.modes, mode)).collect();
        // A described part alone means that part alone.
        let known = if selection.chips.is_empty() && !selection.parts.is_empty() { None } else { Some(None) };
        let mut jobs = Vec::new();
        for part in known.into_iter().chain(selection.parts.iter().map(Some)) {
            let fits = |image: &cyclescope_images::Image| match part {
                Some(part) => part.base.as_deref() == Some(image.chip),
                None => selection.takes_chip(image.chip),
            };
            for (image, mode) in chosen.iter().filter(|(image, _)| fits(image)) {
                jobs.extend(selection.memory.iter().map(|memory| {
                    Job::Image(Self {
                        image,
                        part: part.cloned(),
                        memory: *memory,
                        mode: mode.clone(),
                        arrivals: selection.arrivals,
                        seed: selection.seed,
                        elf: None,
                        placement: None,
                    })
                }));
            }
        }
        jobs
    }
}
