//! `cyclescope trace` and `cyclescope profile`.

mod background;
mod file;
mod tables;

use cyclescope_machine::Stop;
use cyclescope_report::{Surface, Table, markdown, terminal};
use cyclescope_scope::{explain, place};

use self::background::Background;
use self::file::{flame_graph, json};
use self::tables::tables;
use super::channels::{Channels, strings};
use crate::backend::{Backend, Lines, MeasureEnd};
use crate::cli::GuestOutput;
use crate::cli::trace::{ProfileArguments, TraceArguments, TraceBy, TraceFormat, TraceOptions};
use crate::commands::{check_chips, note_gaps, read_image};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Console, OutFile, check_apart};
use crate::tracing::{Occurrence, TraceOutcome, TraceRequest, TraceSpan};

/// What is shown when nobody says.
const BY: &[TraceBy] = &[TraceBy::Function, TraceBy::Class, TraceBy::Helper];

/// Counts what runs from one event to another.
///
/// # Errors
/// [`CliError`] for unknown names, for images and stimuli that do not fit the chip, and for places that cannot be written.
pub fn trace(arguments: &TraceArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    let span = TraceSpan { from: arguments.from.clone(), to: arguments.to.clone(), occurrence: arguments.occurrence };
    run(&arguments.options, Some(&span), backend, console)
}

/// Counts all that runs.
///
/// # Errors
/// As [`trace`].
pub fn profile(arguments: &ProfileArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    run(&arguments.options, None, backend, console)
}

fn run(
    options: &TraceOptions,
    span: Option<&TraceSpan>,
    backend: &dyn Backend,
    console: &mut Console,
) -> Result<Exit, CliError> {
    if options.guest_output == GuestOutput::Stdout && options.out.is_none() {
        return Err(CliError::Usage("the guest's output and the results cannot both go to stdout; give an --out"));
    }
    check_chips(std::slice::from_ref(&options.chip), &backend.catalogue())?;
    let image = read_image(&options.elf)?;
    let name = options.elf.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let strings = strings(&image, &options.elf)?;
    let format = TraceFormat::choose(options.format, options.out.as_deref())?;
    check_apart(
        &options.elf,
        &[
            ("--out", options.out.as_deref()),
            ("--listing", options.listing.as_deref()),
            ("--flamegraph", options.flamegraph.as_deref()),
        ],
    )?;
    let out = options.out.as_deref().map(OutFile::open).transpose()?;
    let graph = options.flamegraph.as_deref().map(OutFile::open).transpose()?;
    // It may be too long to be kept until it is known to be whole.
    let mut listing = options.listing.as_deref().map(Background::new).transpose()?;
    interrupt::install();
    let request = TraceRequest {
        image: &image,
        name: &name,
        chip: &options.chip,
        memory: options.memory,
        span,
        rules: &options.stimulus,
        window: options.window,
        until: options.until.as_ref(),
        max_output: usize::try_from(options.max_output).unwrap_or(usize::MAX),
        guest_handles_faults: options.guest_handles_faults,
    };
    let mut channels = Channels::new(console, strings.as_ref(), options.guest_output);
    let outcome = backend.trace(
        &request,
        listing.as_mut().map(|file| file as &mut dyn Lines),
        &mut |channel, bytes| channels.take(channel, bytes) && !interrupt::interrupted(),
        &interrupt::interrupted,
    );
    channels.finish(&options.elf)?;
    let outcome = outcome?;
    if let (Some(file), Some(path)) = (listing, &options.listing) {
        file.finish()?;
        console.note(&format!("wrote the listing to {}", path.display()));
    }

    // A number is never printed for what did not happen as described.
    if outcome.account.occurrences > 0 {
        let by = if options.by.is_empty() { BY } else { options.by.as_slice() };
        let text = |surface: Surface| match format {
            TraceFormat::Table => Ok(joined(&tables(&request, &outcome, by, options.top), |t| terminal(t, surface))),
            TraceFormat::Markdown => Ok(joined(&tables(&request, &outcome, by, options.top), markdown)),
            TraceFormat::Json => json(&request, &outcome),
        };
        match (out, &options.out) {
            (Some(file), Some(path)) => {
                file.commit(text(Surface::default())?.as_bytes())?;
                console.note(&format!("wrote the results to {}", path.display()));
            }
            _ => {
                let text = text(console.surface())?;
                console.write(text.as_bytes())?;
            }
        }
        if let (Some(file), Some(path)) = (graph, &options.flamegraph) {
            match flame_graph(&request, &outcome).map_err(|error| CliError::Write { path: path.clone(), error })? {
                Some(bytes) => {
                    file.commit(&bytes)?;
                    console.note(&format!("wrote the flame graph to {}", path.display()));
                }
                None => console.note("no cycles were counted, and no flame graph is written"),
            }
        }
    }
    for warning in image.warnings() {
        console.note(&format!("warning: {warning}"));
    }
    note_gaps(&outcome.gaps, &image, console);
    Ok(conclude(&request, &outcome, console))
}

fn joined(tables: &[Table], render: impl Fn(&Table) -> String) -> String {
    tables.iter().map(render).collect::<Vec<_>>().join("\n")
}

/// Says what was not seen, and how the run ended where that needs saying.
fn conclude(request: &TraceRequest<'_>, outcome: &TraceOutcome, console: &mut Console) -> Exit {
    let exit = ended(request, outcome, console);
    let Some(span) = request.span else { return exit };
    let (from, to) = (&span.from, &span.to);
    if outcome.again > 0 {
        let again = outcome.again;
        console.note(&format!("{from} happened {again} times more before {to}; the span counts from the first"));
    }
    if outcome.account.occurrences > 0 {
        return exit;
    }
    let problem = match (outcome.unfinished, span.occurrence) {
        (Some(since), _) => format!("{from} happened at cycle {}, but not {to} after it", since.get()),
        (None, Occurrence::Number(number)) if outcome.begun > 0 => {
            format!("from {from} to {to} it went {} times, and not {number}", outcome.begun)
        }
        (None, _) => match outcome.ended_first {
            Some(at) => format!("{from} did not happen; {to} did, first at cycle {}", at.get()),
            None => format!("neither {from} nor {to} happened"),
        },
    };
    let help = match outcome.ended_first.filter(|_| outcome.begun > 0) {
        Some(at) => format!("{to} happened before, at cycle {}, where there was nothing to end", at.get()),
        None => match outcome.end {
            MeasureEnd::Window | MeasureEnd::Interrupted => "raise --for if it needs more time".to_owned(),
            MeasureEnd::Reached => "--until's event had ended the run by then".to_owned(),
            MeasureEnd::Stopped(stop) => {
                format!("the run had ended by then: {}", explain(stop, request.image, outcome.cycles))
            }
        },
    };
    console.problem(&format!("{problem}, within {} cycles", outcome.cycles.get()), Some(&help));
    if exit == Exit::Success { Exit::WrongOutput } else { exit }
}

fn ended(request: &TraceRequest<'_>, outcome: &TraceOutcome, console: &mut Console) -> Exit {
    let here = || place(request.image, outcome.pc);
    match outcome.end {
        MeasureEnd::Reached => Exit::Success,
        MeasureEnd::Window => match request.until {
            Some(until) => {
                let message = format!("{until} did not happen within {}; the run is at {}", request.window, here());
                console.problem(&message, Some("raise --for if it needs more time"));
                Exit::CycleBudget
            }
            None => Exit::Success,
        },
        MeasureEnd::Interrupted => {
            console.note(&format!("interrupted at cycle {}", outcome.cycles.get()));
            Exit::Interrupted
        }
        MeasureEnd::Stopped(stop) => {
            let message = explain(stop, request.image, outcome.cycles);
            match stop {
                Stop::Exit(0) | Stop::Deadlock(_) if request.until.is_none() => {
                    console.note(&format!("{message}; the run ends there"));
                    Exit::Success
                }
                stop => {
                    console.problem(&message, Some("the results cover the time up to there"));
                    match Exit::of_stop(stop) {
                        Exit::Success => Exit::WrongOutput,
                        exit => exit,
                    }
                }
            }
        }
    }
}
