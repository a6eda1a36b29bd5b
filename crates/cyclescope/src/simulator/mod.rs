//! The commands' [`Backend`]: the simulator, with the experiments, chips and images of this build.

mod experiments;
mod import;
mod luck;
mod user_image;
mod worst;

use cyclescope_chips::Part;
use cyclescope_guest::{exec, measure, tasks, trace};
use cyclescope_records::Record;

use crate::backend::{
    Backend, BoardLog, Catalogue, ChipEntry, ContenderEntry, Desk, ExecOutcome, ExecRequest, ExperimentEntry, Failure,
    ImageEntry, Lines, LuckOutcome, LuckRequest, MeasureOutcome, MeasureRequest, OutputSink, Pulse, RunOutcome,
    RunRequest, TasksOutcome, TasksRequest, TraceOutcome, TraceRequest, UserImageRequest, WorstOutcome, WorstRequest,
};
use crate::listing::Listing;
use crate::progress::Progress;

/// The simulator that is compiled in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simulator;

impl Backend for Simulator {
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
                    span: experiment.span().map(|(from, to)| (from.clone(), to.clone())),
                })
                .collect(),
            chips: Part::all()
                .iter()
                .map(|part| ChipEntry { name: part.name.to_string(), description: part.description.to_string() })
                .collect(),
            lines: Part::product_lines(),
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
        experiments::run(request, progress, stop)
    }

    fn user_image(&self, request: &UserImageRequest<'_>, pulse: &Pulse<'_>) -> Result<RunOutcome, Failure> {
        user_image::run(request, pulse)
    }

    fn exec(
        &self,
        request: &ExecRequest<'_>,
        desk: &mut dyn Desk,
        stop: &dyn Fn() -> bool,
    ) -> Result<ExecOutcome, Failure> {
        exec::exec(request, desk, stop)
    }

    fn measure(
        &self,
        request: &MeasureRequest<'_>,
        sink: &mut OutputSink<'_>,
        pulse: &Pulse<'_>,
    ) -> Result<MeasureOutcome, Failure> {
        measure::measure(request, sink, pulse)
    }

    fn worst(
        &self,
        request: &WorstRequest<'_>,
        progress: &(dyn Fn(u64, u64) + Sync),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<WorstOutcome, Failure> {
        worst::worst(request, progress, stop)
    }

    fn trace(
        &self,
        request: &TraceRequest<'_>,
        listing: Option<&mut dyn Lines>,
        sink: &mut OutputSink<'_>,
        pulse: &Pulse<'_>,
    ) -> Result<TraceOutcome, Failure> {
        match listing {
            Some(to) => trace::trace_listed(request, |listed| Listing::new(listed, to), sink, pulse),
            None => trace::trace(request, sink, pulse),
        }
    }

    fn luck(
        &self,
        request: &LuckRequest<'_>,
        sink: &mut OutputSink<'_>,
        pulse: &Pulse<'_>,
        stop: &(dyn Fn() -> bool + Sync),
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<LuckOutcome, Failure> {
        luck::luck(request, sink, pulse, stop, progress)
    }

    fn tasks(
        &self,
        request: &TasksRequest<'_>,
        sink: &mut OutputSink<'_>,
        pulse: &Pulse<'_>,
    ) -> Result<TasksOutcome, Failure> {
        tasks::tasks(request, sink, pulse)
    }

    fn import(&self, name: &str, log: BoardLog<'_>) -> Result<Vec<Record>, Failure> {
        import::import(name, log)
    }
}
