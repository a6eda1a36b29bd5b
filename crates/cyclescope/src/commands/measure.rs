//! `cyclescope measure`.

mod file;
mod table;

use cyclescope_scope::Time;

use self::table::{histograms, table};
use super::run_end::tell_run_end;
use super::vcd::dump;
use crate::backend::{Backend, Dump, MeasureRequest, MemorySetting, Scenario, SpanFailure};
use crate::cli::measure::{MeasureArguments, Measurement};
use crate::cli::shared::{ChipArguments, GuestOutput};
use crate::commands::channels::{Channels, check_guest_output, strings};
use crate::commands::gaps::GapTeller;
use crate::commands::{check_chips, file_name, read_image};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Console, OutFile, check_apart, render};

/// The length of a run without --for.
const WINDOW: Time = Time::nanoseconds(1_000_000_000);

/// Runs one guest and shows what its spans took.
///
/// Spans that failed are told on standard error after the numbers of the others; the process then ends as the first of
/// them asks.
///
/// # Errors
/// [`CliError`] for unknown names, for images and stimuli that do not fit the chip, and for places that cannot be written.
pub fn measure(arguments: MeasureArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    let MeasureArguments { measurement, file, histogram, results, vcd, limits } = arguments;
    let measurement = measurement.over(file.as_deref().map(Measurement::read).transpose()?.unwrap_or_default());
    check(&measurement, vcd.vcd.is_some())?;
    let guest_output = measurement.guest_output.unwrap_or(GuestOutput::Stderr);
    check_guest_output(guest_output, results.out.as_deref())?;
    let missing = || CliError::Usage("the ELF or the chip is missing; name both, on the command line or in the file");
    let elf = measurement.elf.ok_or_else(missing)?;
    let chip = measurement.chip.ok_or_else(missing)?;
    check_chips(std::slice::from_ref(&chip), &backend.catalogue())?;
    let image = read_image(&elf)?;
    let name = file_name(&elf);
    let strings = strings(&image, &elf)?;
    let format = results.format()?;
    check_apart(Some(&elf), &[("--out", results.out.as_deref()), ("--vcd", vcd.vcd.as_deref())])?;
    let out = results.open()?;
    let vcd_file = vcd.vcd.as_deref().map(OutFile::open).transpose()?;
    interrupt::install();
    let chip = ChipArguments { chip, memory: measurement.memory.unwrap_or(MemorySetting::Shipped) };
    let gaps = GapTeller::new(&image, limits.gaps);
    let guest = chip.guest(&image, &name, limits, &gaps);
    let scenario = Scenario {
        rules: &measurement.stimulus,
        window: measurement.window.unwrap_or(WINDOW),
        until: measurement.until.as_ref(),
    };
    let request = MeasureRequest {
        guest,
        scenario,
        spans: &measurement.span,
        trace: vcd_file.is_some(),
        task_pointer: measurement.task_pointer.as_deref(),
    };
    let mut channels = Channels::new(console, strings.as_ref(), guest_output);
    let outcome =
        backend.measure(&request, &mut |channel, bytes| channels.take(channel, bytes), &interrupt::interrupted);
    channels.finish(&elf)?;
    let mut outcome = outcome?;

    let mut tables = vec![table(&guest, &outcome)];
    if histogram {
        tables.extend(histograms(&outcome));
    }
    let (records, what) = (outcome.records.clone(), format!("the results ({} records)", outcome.records.len()));
    console.results(out, &what, |surface| render(format, &tables, records, surface))?;
    if let (Some(file), Some(trace)) = (vcd_file, outcome.trace.take()) {
        let (part, exceptions) = (outcome.run.part.clone(), outcome.exceptions.clone());
        dump(file, vcd.vcd_time, &Dump { trace, part, exceptions }, console)?;
    }
    gaps.finish(&outcome.run.gaps);
    if outcome.stimuli_left > 0 {
        let left = outcome.stimuli_left;
        console.note(&format!("warning: the run ended before {left} of its stimuli; a longer --for has them"));
    }
    let mut exit = tell_run_end(&outcome.run, &scenario, &image, console);
    for failure in outcome.spans.iter().filter_map(|(_, samples)| samples.as_ref().err()) {
        console.problem(&failure.to_string(), None);
        if exit == Exit::Success {
            exit = match failure {
                SpanFailure::Event(..) => Exit::BadInput,
                SpanFailure::Span(_) => Exit::WrongOutput,
            };
        }
    }
    Ok(exit)
}

/// Checks that there is something to measure, and no two spans have one name.
fn check(measurement: &Measurement, trace: bool) -> Result<(), CliError> {
    let spans = &measurement.span;
    for (index, span) in spans.iter().enumerate() {
        if spans[..index].iter().any(|before| before.name == span.name) {
            return Err(CliError::SpanTwice(span.name.clone()));
        }
    }
    if spans.is_empty() && !trace {
        return Err(CliError::Usage("no span is given; add a --span to measure, or --vcd to write a trace"));
    }
    Ok(())
}
