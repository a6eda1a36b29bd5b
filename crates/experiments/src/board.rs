//! The log of a real board, as records beside the model's.
//!
//! The bundled images flash and run on the boards that they are built for, and end with a line that says which image it was
//! and what it took by the program's own clock. [`import`] finds these runs in a log of the board's serial port, checks each as
//! a run on the model is checked, and runs the same image on the model.

use std::collections::BTreeMap;

use cyclescope_chips::{MemorySetting, Part, PartError};
use cyclescope_images::Image;
use cyclescope_records::stats::{StatsError, Summary};
use cyclescope_records::{Record, Scalar, Source, Unit};
use thiserror::Error;

use crate::{Experiment, ImageJob, Job, RunError, Said, Watch};

/// A log of a board.
#[derive(Clone, Copy, Debug)]
pub struct BoardLog<'a> {
    /// The board's output; text before the first run, between runs and after them is passed over.
    pub text: &'a str,
    /// The chip that is on it.
    pub chip: &'a str,
    /// The board's name, for the records.
    pub board: &'a str,
    /// The optimisation level of the images, where there are several; the programs do not say it.
    pub opt: Option<&'a str>,
}

/// Why a log gives no records.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The chip is unknown.
    #[error(transparent)]
    Part(#[from] PartError),
    /// No result line in it.
    #[error("the log has no line with the result of a bundled program (`cyclescope EXPERIMENT contender=… mode=… …`)")]
    Nothing,
    /// There is no such image.
    #[error("line {line}: there is no bundled image of {of}")]
    NoImage {
        /// The line, from 1.
        line: usize,
        /// The experiment, contender, mode, chip and level, in words.
        of: String,
    },
    /// Several images match.
    #[error("line {line}: several images match: {names}; choose one with --opt")]
    Several {
        /// The line, from 1.
        line: usize,
        /// The images.
        names: String,
    },
    /// The output is not that of the work.
    #[error("the run that ends in line {line}: {error}")]
    Wrong {
        /// The line, from 1.
        line: usize,
        /// The defect; its lines are counted from the run's first.
        #[source]
        error: Box<RunError>,
    },
    /// The model did not run the image.
    #[error("{image} on the model: {error}")]
    Model {
        /// The image.
        image: &'static str,
        /// Why.
        #[source]
        error: Box<RunError>,
    },
    /// No samples.
    #[error(transparent)]
    Stats(#[from] StatsError),
}

/// The records of the runs in `log` (source `silicon`, a sample a run), each followed by the model's of the same image and
/// metric, with the flash as the firmware sets it up.
///
/// # Errors
/// [`ImportError`] for the first run that is wrong: nothing of a log is taken that has one.
pub fn import(experiments: &[Box<dyn Experiment>], log: BoardLog<'_>) -> Result<Vec<Record>, ImportError> {
    let part = Part::find(log.chip)?;
    // In order of first appearance.
    let mut found: Vec<(&'static Image, &dyn Experiment, Samples)> = Vec::new();
    let lines: Vec<&str> = log.text.lines().map(|line| line.trim_end_matches('\r')).collect();
    let mut begin = 0;
    for (at, line) in lines.iter().enumerate() {
        let Some((experiment, contender, mode)) = result(line) else { continue };
        let Some(experiment) = experiments.iter().find(|known| known.name() == experiment) else { continue };
        let Some(first) = experiment.first_line() else { continue };
        let image = image(experiment.as_ref(), contender, mode, log, at + 1)?;
        // A board that was reset began anew in the middle of a line.
        let begun = |line: usize| Some((line, lines[line].find(&first)?));
        let (run, from) = (begin..=at).rev().find_map(begun).unwrap_or((begin, 0));
        let whole =
            lines[run..=at].iter().enumerate().map(|(index, line)| if index == 0 { &line[from..] } else { line });
        let text = whole.flat_map(|line| [line, "\n"]).collect::<String>();
        begin = at + 1;
        let said = experiment
            .said(image, &text)
            .map_err(|error| ImportError::Wrong { line: at + 1, error: Box::new(error) })?;
        let samples = match found.iter_mut().find(|(known, _, _)| known.name == image.name) {
            Some((_, _, samples)) => samples,
            None => {
                found.push((image, experiment.as_ref(), Samples::default()));
                let Some((_, _, samples)) = found.last_mut() else { continue };
                samples
            }
        };
        for Said { metric, unit, row, value } in said {
            samples.0.entry(Of { metric, row, unit }).or_default().push(value);
        }
    }
    if found.is_empty() {
        return Err(ImportError::Nothing);
    }
    let mut records = Vec::new();
    for (image, experiment, samples) in found {
        let model = model(experiment, image)?;
        for (Of { metric, row, unit }, values) in samples.0 {
            let row = row.map(|row| ("row".to_owned(), Scalar::from(row)));
            let params: BTreeMap<String, Scalar> = row.into_iter().collect();
            let of = |record: &&Record| record.metric == metric && record.params == params;
            let beside = model.iter().find(of).cloned();
            let mut record = silicon(image, part, log.board).with_metric(metric, unit, Summary::of_integers(&values)?);
            record.params = params;
            records.push(record);
            records.extend(beside);
        }
    }
    Ok(records)
}

/// The origin of a value.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Of {
    metric: &'static str,
    row: Option<String>,
    unit: Unit,
}

/// Values by what they are of, sorted, so that the records are the same however the log is.
#[derive(Default)]
struct Samples(BTreeMap<Of, Vec<u64>>);

/// The experiment, contender and mode of a result line.
fn result(line: &str) -> Option<(&str, &str, &str)> {
    let mut words = line.strip_prefix("cyclescope ")?.split(' ');
    let experiment = words.next()?;
    let contender = words.next()?.strip_prefix("contender=")?;
    let mode = words.next()?.strip_prefix("mode=")?;
    Some((experiment, contender, mode))
}

fn image(
    experiment: &dyn Experiment,
    contender: &str,
    mode: &str,
    log: BoardLog<'_>,
    line: usize,
) -> Result<&'static Image, ImportError> {
    let fits = |image: &&Image| {
        image.experiment == experiment.name()
            && (image.contender, image.mode, image.chip) == (contender, mode, log.chip)
            && log.opt.is_none_or(|opt| opt == image.opt)
    };
    let fitting: Vec<&'static Image> = cyclescope_images::images().iter().filter(fits).collect();
    match fitting.as_slice() {
        [image] => Ok(image),
        [] => {
            let at = log.opt.map(|opt| format!(" at {opt}")).unwrap_or_default();
            let of = format!("{} for {contender} in mode {mode} on {}{at}", experiment.name(), log.chip);
            Err(ImportError::NoImage { line, of })
        }
        several => {
            let names: Vec<&str> = several.iter().map(|image| image.name).collect();
            Err(ImportError::Several { line, names: names.join(", ") })
        }
    }
}

/// The model's records of `image`.
fn model(experiment: &dyn Experiment, image: &'static Image) -> Result<Vec<Record>, ImportError> {
    let job = Job::Image(ImageJob {
        image,
        part: None,
        memory: MemorySetting::Shipped,
        mode: image.mode.to_owned(),
        arrivals: crate::Arrivals::Random,
        seed: None,
        elf: None,
        placement: None,
    });
    experiment
        .run(&job, Watch::NOBODY)
        .map_err(|error| ImportError::Model { image: image.name, error: Box::new(error) })
}

/// Returns the origin of all records of `image` on a board.
fn silicon(image: &Image, part: &Part, board: &str) -> Record {
    let stated = image.settings().iter().map(|(name, value)| ((*name).to_owned(), Scalar::from(*value)));
    Record {
        experiment: image.experiment.to_owned(),
        mode: image.mode.to_owned(),
        contender: image.contender.to_owned(),
        contender_version: image.contender_version.to_owned(),
        compiler: image.compiler().to_owned(),
        chip: Some(part.name.to_string()),
        clock_hz: Some(part.clock.get()),
        settings: stated
            .chain([
                ("board".to_owned(), Scalar::from(board)),
                ("memory".to_owned(), MemorySetting::Shipped.name().into()),
            ])
            .collect(),
        opt: image.opt.to_owned(),
        // The log cannot prove it: the image is the one it says it is.
        image_sha256: Some(image.sha256.to_owned()),
        ..Record::empty(Source::Silicon)
    }
}
