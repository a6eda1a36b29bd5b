//! The experiments, chips and images that this build carries, behind the commands' [`Backend`].

mod exec;
mod import;
mod measure;
mod own;
pub(crate) mod passed;
mod run;
mod trace;

use cyclescope_chips::Part;
use cyclescope_records::Record;

use crate::backend::{
    Backend, Catalogue, ChipEntry, ContenderEntry, ExecOutcome, ExecRequest, ExperimentEntry, Failure, ImageEntry,
    ImportRequest, Lines, MeasureOutcome, MeasureRequest, MemorySetting, OwnRequest, RunOutcome, RunRequest, Sink,
    TraceOutcome, TraceRequest,
};
use crate::progress::Progress;

/// What is compiled in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bundled;

impl Backend for Bundled {
    fn catalogue(&self) -> Catalogue {
        let experiments = cyclescope_experiments::all();
        let images = cyclescope_images::images();
        let mut contenders: Vec<ContenderEntry> = Vec::new();
        // The kit is nobody's contender.
        for image in images.iter().filter(|image| image.experiment != "kit") {
            if contenders.iter().all(|entry| entry.name != image.contender) {
                contenders.push(ContenderEntry {
                    name: image.contender.to_owned(),
                    version: image.contender_version.to_owned(),
                    compiler: image.compiler().to_owned(),
                });
            }
        }
        for (name, version, compiler) in experiments.iter().flat_map(|experiment| experiment.contenders()) {
            if contenders.iter().all(|entry| entry.name != name) {
                contenders.push(ContenderEntry { name, version, compiler });
            }
        }
        Catalogue {
            experiments: experiments
                .iter()
                .map(|experiment| ExperimentEntry {
                    name: experiment.name().to_owned(),
                    question: experiment.question().to_owned(),
                    modes: experiment.modes().iter().map(|mode| mode.name.clone()).collect(),
                    host: experiment.is_host(),
                    span: experiment.span().and_then(|(from, to)| from.parse().ok().zip(to.parse().ok())),
                })
                .collect(),
            chips: Part::all()
                .iter()
                .map(|part| ChipEntry { name: part.name.to_string(), description: part.description.to_string() })
                .collect(),
            contenders,
            images: images
                .iter()
                .map(|image| ImageEntry {
                    name: image.name.to_owned(),
                    contender: image.contender.to_owned(),
                    mode: image.mode.to_owned(),
                    chip: image.chip.to_owned(),
                    opt: image.opt.to_owned(),
                    sha256: image.sha256.to_owned(),
                })
                .collect(),
        }
    }

    fn run(
        &self,
        request: &RunRequest,
        progress: &dyn Progress,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<RunOutcome, Failure> {
        run::run(request, progress, stop)
    }

    fn own(&self, request: &OwnRequest<'_>, stop: &dyn Fn() -> bool) -> Result<RunOutcome, Failure> {
        own::run(request, stop)
    }

    fn exec(
        &self,
        request: &ExecRequest<'_>,
        sink: &mut Sink<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<ExecOutcome, Failure> {
        exec::exec(request, sink, stop)
    }

    fn measure(
        &self,
        request: &MeasureRequest<'_>,
        sink: &mut Sink<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<MeasureOutcome, Failure> {
        measure::measure(request, sink, stop)
    }

    fn trace(
        &self,
        request: &TraceRequest<'_>,
        listing: Option<&mut dyn Lines>,
        sink: &mut Sink<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<TraceOutcome, Failure> {
        trace::trace(request, listing, sink, stop)
    }

    fn import(&self, request: &ImportRequest<'_>) -> Result<Vec<Record>, Failure> {
        import::import(request)
    }
}

impl From<MemorySetting> for cyclescope_chips::MemorySetting {
    fn from(setting: MemorySetting) -> Self {
        match setting {
            MemorySetting::Equal => Self::Equal,
            MemorySetting::Shipped => Self::Shipped,
            MemorySetting::Ideal => Self::Ideal,
        }
    }
}
