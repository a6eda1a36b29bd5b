//! `cyclescope trace` and `cyclescope profile`.

mod background;
mod file;
mod tables;

use cyclescope_machine::units::Cycles;
use cyclescope_report::{Surface, Table, markdown, terminal};

use self::background::Background;
use self::file::flame_graph;
use self::tables::tables;
use super::channels::{Channels, check_guest_output, strings};
use crate::backend::{Backend, Lines, RunEnd, Scenario};
use crate::cli::shared::{ChipArguments, GuestOutput};
use crate::cli::trace::{ProfileArguments, TraceArguments, TraceBy, TraceFormat, TraceOptions};
use crate::commands::devices::{self, Bench};
use crate::commands::guest::Opened;
use crate::commands::times;
use crate::error::CliError;
use crate::exit::Exit;
use crate::formats::trace::json;
use crate::interrupt;
use crate::output::{Console, OutFile, check_apart, shown, tell};
use crate::status::Window;
use crate::tracing::{Occurrence, TraceOutcome, TraceRequest, TraceSpan};
use cyclescope_guest::gaps::GapTeller;
use cyclescope_guest::options::WINDOW;
use cyclescope_guest::run_end::{tell_elsewhere, tell_run_end};

/// The tables without --by.
const BY: &[TraceBy] = &[TraceBy::Function, TraceBy::Class, TraceBy::Helper];

/// Counts what runs from one event to another.
///
/// # Errors
/// [`CliError`] for unknown names, for images and stimuli that do not fit the chip, and for places that cannot be written.
pub fn trace(arguments: &TraceArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    run(&arguments.options, Some(&arguments.span), backend, console)
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
    check_guest_output(options.guest_output, options.results.out.as_deref())?;
    if options.files.files.is_some() && span.is_some_and(|span| span.from.last || span.occurrence == Occurrence::All) {
        return Err(CliError::Usage(
            "`--from 'last …'` and `--occurrence all` may run the guest twice, which would find its own files the second \
             time; leave out --files, or name one occurrence",
        ));
    }
    let ChipArguments { chip, load, attach, memory } = &options.guest.chip;
    let opened = Opened::read(&options.guest.elf, chip.as_deref(), load, &backend.catalogue(), console)?;
    let image = &opened.image;
    let strings = strings(image, &options.guest.elf)?;
    let format = options.results.format()?;
    let files = [
        ("--out", options.results.out.as_deref()),
        ("--listing", options.listing.as_deref()),
        ("--flamegraph", options.flamegraph.as_deref()),
    ];
    check_apart(Some(&options.guest.elf), &files.into_iter().chain(devices::outputs(attach)).collect::<Vec<_>>())?;
    let bench = Bench::open(attach)?;
    let out = options.results.open()?;
    let graph = options.flamegraph.as_deref().map(OutFile::open).transpose()?;
    // It may be too long to be kept until it is known to be whole.
    let mut listing = options.listing.as_deref().map(Background::new).transpose()?;
    interrupt::install();
    let gaps = GapTeller::new(shown(image), options.limits.gaps, &tell);
    let varied = opened.varied(options.variant.variant())?;
    let rules = options.guest.outside.rules();
    let request = TraceRequest {
        guest: varied.over(opened.guest(*memory, options.limits, &options.files, &bench.devices, &gaps)),
        scenario: Scenario {
            rules: &rules,
            window: options.guest.outside.window.unwrap_or(WINDOW),
            until: options.guest.until.until.as_ref(),
            whole: false,
        },
        span,
        start: None,
    };
    let mut channels = Channels::new(console, strings.as_ref(), options.guest_output);
    let status = Window::new(request.scenario.window);
    let mut sink = |channel, bytes: &[u8]| {
        if options.guest_output != GuestOutput::None {
            status.heard();
        }
        channels.take(channel, bytes)
    };
    let lines = listing.as_mut().map(|file| file as &mut dyn Lines);
    let outcome = backend.trace(&request, lines, &mut sink, &|cycle, time| status.pulse(cycle, time));
    drop(status);
    channels.finish(&options.guest.elf)?;
    let outcome = outcome?;
    if let (Some(file), Some(path)) = (listing, &options.listing) {
        file.finish()?;
        console.note(&format!("wrote the listing to {}", path.display()));
    }

    // A firmware that waits for its interrupts sleeps most of the time. A span's sleep is part of its length.
    let awake = (!options.sleep && outcome.account.asleep() > Cycles::ZERO).then(|| outcome.account.awake());
    let tabled = awake.as_ref().filter(|_| span.is_none()).unwrap_or(&outcome.account);
    // A number is never printed for what did not happen as described.
    if outcome.account.occurrences > 0 {
        let by = if options.by.is_empty() { BY } else { options.by.as_slice() };
        let text = |surface: Surface| match format {
            TraceFormat::Table => {
                Ok(joined(&tables(&request, &outcome, tabled, by, options.top), |t| terminal(t, surface)))
            }
            TraceFormat::Markdown => Ok(joined(&tables(&request, &outcome, tabled, by, options.top), markdown)),
            TraceFormat::Json => json(&request, &outcome).map_err(CliError::Json),
        };
        console.results(out, "the results", text)?;
        if let Some(file) = graph {
            let failed = CliError::unwritable(file.path());
            match flame_graph(&request, &outcome, awake.as_ref().unwrap_or(&outcome.account)).map_err(failed)? {
                Some(bytes) => file.put(&bytes, "the flame graph", console)?,
                None => console
                    .note("no cycles were counted awake, so that no flame graph is written; --sleep counts sleep"),
            }
        }
    }
    for warning in image.warnings() {
        console.note(&format!("warning: {warning}"));
    }
    tell_elsewhere(&outcome, console);
    gaps.finish(&outcome.run.gaps);
    let exit = conclude(&request, &outcome, &gaps, console);
    bench.save(console)?;
    Ok(exit)
}

fn joined(tables: &[Table], render: impl Fn(&Table) -> String) -> String {
    tables.iter().map(render).collect::<Vec<_>>().join("\n")
}

/// Says what was not seen, and how the run ended where that needs saying.
fn conclude(request: &TraceRequest<'_>, outcome: &TraceOutcome, gaps: &GapTeller<'_>, console: &mut Console) -> Exit {
    if matches!(outcome.run.end, RunEnd::Interrupted) && outcome.account.occurrences == 0 {
        let span = request
            .span
            .map(|span| format!(" before {} came", if outcome.begun == 0 { &span.from.event } else { &span.to }));
        let cycle = outcome.run.cycles.grouped();
        console.note(&format!("interrupted at cycle {cycle}{}", span.unwrap_or_default()));
        return Exit::Interrupted;
    }
    let has_results = outcome.account.occurrences > 0;
    let exit = tell_run_end(&outcome.run, &request.scenario, request.guest.image, has_results, gaps, console);
    let Some(span) = request.span else { return exit };
    let (from, to) = (&span.from, &span.to);
    if outcome.again > 0 {
        let again = times(outcome.again);
        console.note(&format!(
            "{from} happened {again} more before {to}; the span counts from the first; --from 'last {from}' \
             counts from the last"
        ));
    }
    if outcome.account.occurrences > 0 {
        return exit;
    }
    let problem = match (outcome.unfinished, span.occurrence) {
        (Some(since), _) => format!("{from} happened at cycle {}, but not {to} after it", since.grouped()),
        (None, Occurrence::Number(number)) if outcome.begun > 0 => {
            format!("occurrence {number} was asked for, but {from} to {to} happened {}", times(outcome.begun))
        }
        (None, _) => match outcome.ended_first {
            Some(at) => format!("{from} did not happen; {to} did, first at cycle {}", at.grouped()),
            None => format!("neither {from} nor {to} happened"),
        },
    };
    let help = match outcome.ended_first.filter(|_| outcome.begun > 0) {
        Some(at) => format!("{to} happened before {from}, at cycle {}", at.grouped()),
        None => match outcome.run.end {
            // One that was interrupted is told of above.
            RunEnd::Window | RunEnd::Interrupted => "raise --for if it needs more time".to_owned(),
            RunEnd::Reached => "--until's event had ended the run by then".to_owned(),
            // Why is told above, and not twice.
            RunEnd::Spins(_) | RunEnd::Stopped(_) => "the run had ended by then, as told above".to_owned(),
        },
    };
    console.problem(&format!("{problem}, within {}", outcome.run.cycles), Some(&help));
    if exit == Exit::Success { Exit::WrongOutput } else { exit }
}
