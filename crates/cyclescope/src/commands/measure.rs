//! `cyclescope measure`.

mod file;
mod table;

use std::path::PathBuf;

use cyclescope_image::Image;
use cyclescope_machine::Stop;
use cyclescope_report::Surface;
use cyclescope_scope::{Event, Rule, SpanText, Time, explain, place};

use self::file::MeasureFile;
pub use self::file::MeasureFileError;
use self::table::{histograms, table};
use super::vcd::dump;
use crate::backend::{Backend, Dump, MeasureEnd, MeasureOutcome, MeasureRequest, MemorySetting, SpanFailure};
use crate::cli::measure::MeasureArguments;
use crate::cli::{Format, GuestOutput};
use crate::commands::channels::{Channels, strings};
use crate::commands::{check_chips, note_gaps, read_image};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Console, OutFile, render};

/// How long a run goes on when nobody says.
const WINDOW: Time = Time::Nanoseconds(1_000_000_000);

/// What is asked for: the file's, with the options before it.
struct Asked {
    elf: PathBuf,
    chip: String,
    memory: MemorySetting,
    window: Time,
    until: Option<Event>,
    spans: Vec<SpanText>,
    rules: Vec<Rule>,
    task_pointer: Option<String>,
}

/// Runs one guest and shows what its spans took.
///
/// Spans that failed are told on standard error after the numbers of the others; the process then ends as the first of
/// them asks.
///
/// # Errors
/// [`CliError`] for unknown names, for images and stimuli that do not fit the chip, and for places that cannot be written.
pub fn measure(arguments: &MeasureArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    let asked = asked(arguments)?;
    check_chips(std::slice::from_ref(&asked.chip), &backend.catalogue())?;
    let image = read_image(&asked.elf)?;
    let name = asked.elf.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let strings = strings(&image, &asked.elf)?;
    let format = Format::choose(arguments.format, arguments.out.as_deref());
    let out = arguments.out.as_deref().map(OutFile::open).transpose()?;
    let vcd = arguments.vcd.as_deref().map(OutFile::open).transpose()?;
    interrupt::install();
    let request = MeasureRequest {
        image: &image,
        name: &name,
        chip: &asked.chip,
        memory: asked.memory,
        spans: &asked.spans,
        rules: &asked.rules,
        window: asked.window,
        until: asked.until.as_ref(),
        max_output: usize::try_from(arguments.max_output).unwrap_or(usize::MAX),
        guest_handles_faults: arguments.guest_handles_faults,
        trace: vcd.is_some(),
        task_pointer: asked.task_pointer.as_deref(),
    };
    let mut channels = Channels::new(console, strings.as_ref(), arguments.guest_output);
    let outcome = backend.measure(
        &request,
        &mut |channel, bytes| channels.take(channel, bytes) && !interrupt::interrupted(),
        &interrupt::interrupted,
    );
    channels.finish(&asked.elf)?;
    let mut outcome = outcome?;

    let mut tables = vec![table(&name, asked.memory, &outcome)];
    if arguments.histogram {
        tables.extend(histograms(&outcome));
    }
    match (out, &arguments.out) {
        (Some(file), Some(path)) => {
            let text = render(format, &tables, outcome.records.clone(), Surface::default())?;
            file.commit(text.as_bytes())?;
            console.note(&format!("wrote the results ({} records) to {}", outcome.records.len(), path.display()));
        }
        _ => console.show(format, &tables, outcome.records.clone())?,
    }
    if let (Some(file), Some(path), Some(trace)) = (vcd, &arguments.vcd, outcome.trace.take()) {
        let (part, exceptions) = (outcome.part.clone(), outcome.exceptions.clone());
        let seen = Dump { trace, part, clock: outcome.clock, exceptions };
        dump(file, path, arguments.vcd_time, &seen, console)?;
    }
    note_gaps(&outcome.gaps, &image, console);
    if outcome.stimuli_left > 0 {
        let left = outcome.stimuli_left;
        console
            .note(&format!("warning: {left} stimuli were to come after the end of the run; a longer --for has them"));
    }
    Ok(conclude(&outcome, &asked, &image, console))
}

/// Joins options and file.
fn asked(arguments: &MeasureArguments) -> Result<Asked, CliError> {
    let file = arguments.file.as_deref().map(MeasureFile::read).transpose()?.unwrap_or_default();
    let missing = "name the ELF and the chip, on the command line or in the file";
    let elf = arguments.elf.clone().or(file.elf).ok_or(CliError::Usage(missing))?;
    let chip = arguments.chip.clone().or(file.chip).ok_or(CliError::Usage(missing))?;
    let spans: Vec<SpanText> = file.spans.into_iter().chain(arguments.span.iter().cloned()).collect();
    for (index, span) in spans.iter().enumerate() {
        if spans[..index].iter().any(|before| before.name == span.name) {
            return Err(CliError::SpanTwice(span.name.clone()));
        }
    }
    if spans.is_empty() && arguments.vcd.is_none() {
        return Err(CliError::Usage("there is nothing to measure: give a --span, or --vcd to look at what happens"));
    }
    if arguments.guest_output == GuestOutput::Stdout && arguments.out.is_none() {
        return Err(CliError::Usage("the guest's output and the results cannot both go to stdout; give an --out"));
    }
    Ok(Asked {
        elf,
        chip,
        memory: arguments.memory.or(file.memory).unwrap_or(MemorySetting::Shipped),
        window: arguments.window.or(file.window).unwrap_or(WINDOW),
        until: arguments.until.clone().or(file.until),
        spans,
        rules: file.rules.into_iter().chain(arguments.stimulus.iter().cloned()).collect(),
        task_pointer: arguments.task_pointer.clone().or(file.task_pointer),
    })
}

/// Says what went wrong, and how the run ended where that needs saying.
fn conclude(outcome: &MeasureOutcome, asked: &Asked, image: &Image, console: &mut Console) -> Exit {
    let mut exit = Exit::Success;
    let mut worse = |new: Exit| {
        if exit == Exit::Success {
            exit = new;
        }
    };
    let at = outcome.cycles.get();
    let here = || place(image, outcome.pc);
    match outcome.end {
        MeasureEnd::Reached => {}
        MeasureEnd::Window => {
            if let Some(until) = &asked.until {
                let message = format!("{until} did not happen within {}; the run is at {}", asked.window, here());
                console.problem(&message, Some("raise --for if it needs more time"));
                worse(Exit::CycleBudget);
            }
        }
        MeasureEnd::Interrupted => {
            console.note(&format!("interrupted at cycle {at}: the results cover the time up to there"));
            worse(Exit::Interrupted);
        }
        MeasureEnd::Stopped(stop) => {
            let message = explain(stop, image, outcome.cycles);
            match stop {
                // Its work is done, or it waits for what does not come: an end like any other, unless one was awaited.
                Stop::Exit(0) | Stop::Deadlock(_) if asked.until.is_none() => {
                    console.note(&format!("{message}; the run ends there"));
                }
                Stop::OutputBudget => {
                    console.problem(&format!("{message}, {}", here()), Some("raise --max-output if it needs more"));
                    worse(Exit::OutputBudget);
                }
                Stop::Exit(0) => {
                    console.problem(&format!("{message} before --until's event happened"), None);
                    worse(Exit::WrongOutput);
                }
                stop => {
                    console.problem(&message, Some("the results cover the time up to there"));
                    worse(Exit::of_stop(stop));
                }
            }
        }
    }
    for failure in outcome.spans.iter().filter_map(|(_, samples)| samples.as_ref().err()) {
        console.problem(&failure.to_string(), None);
        worse(match failure {
            SpanFailure::Event(..) => Exit::BadInput,
            SpanFailure::Span(_) => Exit::WrongOutput,
        });
    }
    exit
}
