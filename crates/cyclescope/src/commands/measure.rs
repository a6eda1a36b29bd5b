//! `cyclescope measure`.

mod file;
mod repeat;
mod table;
mod worst;

use cyclescope_machine::units::Cycles;

use self::table::{histograms, table};
use super::vcd::dump;
use crate::backend::{Backend, Dump, Failure, MeasureRequest, MemorySetting, Scenario, Several};
use crate::cli::measure::{MeasureArguments, Measurement};
use crate::cli::shared::GuestOutput;
use crate::cli::stimuli::Stimuli;
use crate::commands::channels::{Channels, check_guest_output, strings};
use crate::commands::devices::{self, Bench};
use crate::commands::guest::Opened;
use crate::commands::with_records;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Console, OutFile, check_apart, render, shown, tell};
use crate::status::Window;
use cyclescope_guest::Variant;
use cyclescope_guest::gaps::GapTeller;
use cyclescope_guest::options::{WINDOW, check_spans};
use cyclescope_guest::run_end::tell_measured;

/// Runs one guest and shows what its spans took.
///
/// Spans that failed are told on standard error after the numbers of the others; the process then ends as the first of
/// them asks.
///
/// # Errors
/// [`CliError`] for unknown names, for images and stimuli that do not fit the chip, and for places that cannot be written.
pub fn measure(arguments: MeasureArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    let MeasureArguments { measurement, file, histogram, arrivals, line, results, vcd, files, limits } = arguments;
    let measurement = measurement.over(file.as_deref().map(Measurement::read).transpose()?.unwrap_or_default());
    check(&measurement, vcd.vcd.is_some())?;
    let guest_output = measurement.guest_output.unwrap_or(GuestOutput::Stderr);
    check_guest_output(guest_output, results.out.as_deref())?;
    let missing = || CliError::Usage("the ELF is missing; name it on the command line or in the file");
    let elf = measurement.elf.ok_or_else(missing)?;
    let chip = measurement.chip.as_deref();
    let opened = Opened::read(&elf, chip, &measurement.load, &backend.catalogue(), console)?;
    let image = &opened.image;
    let strings = strings(image, &elf)?;
    let format = results.format()?;
    let outputs = [("--out", results.out.as_deref()), ("--vcd", vcd.vcd.as_deref())];
    let outputs = outputs.into_iter().chain(devices::outputs(&measurement.attach));
    check_apart(Some(&elf), &outputs.collect::<Vec<_>>())?;
    let bench = Bench::open(&measurement.attach)?;
    let out = results.open()?;
    let vcd_file = vcd.vcd.as_deref().map(OutFile::open).transpose()?;
    interrupt::install();
    let gaps = GapTeller::new(shown(image), limits.gaps, &tell);
    let variant = Variant { clock: measurement.clock, layout: measurement.layout.unwrap_or_default() };
    if variant != Variant::default() && arrivals.arrivals.is_some() {
        return Err(CliError::Usage("--clock and --layout do not go with --arrivals"));
    }
    let varied = opened.varied(variant)?;
    let memory = measurement.memory.unwrap_or(MemorySetting::Shipped);
    let guest = varied.over(opened.guest(memory, limits, &files, &bench.devices, &gaps));
    let rules = Stimuli::rules(&measurement.stimulus);
    let window = measurement.window.unwrap_or(WINDOW);
    let scenario = Scenario { rules: &rules, window, until: measurement.until.as_ref(), whole: false };
    let request = MeasureRequest {
        guest,
        scenario,
        spans: &measurement.span,
        trace: vcd_file.is_some(),
        task_pointer: measurement.task_pointer.as_deref(),
        arrival: &arrivals.arrival.iter().copied().map(Cycles::new).collect::<Vec<_>>(),
        start: None,
    };
    if let Some(tried) = arrivals.arrivals {
        if measurement.until.is_some() {
            return Err(CliError::Usage(UNTIL));
        }
        let shown = worst::Shown { histogram, format, line: &line };
        let exit = worst::worst(request, (tried, &arrivals), shown, out, (backend, &gaps), console)?;
        bench.save(console)?;
        return Ok(exit);
    }
    let mut channels = Channels::new(console, strings.as_ref(), guest_output);
    let status = Window::new(window);
    let mut sink = |channel, bytes: &[u8]| {
        if guest_output != GuestOutput::None {
            status.heard();
        }
        channels.take(channel, bytes)
    };
    let outcome = backend.measure(&request, &mut sink, &|cycle, time| status.pulse(cycle, time));
    drop(status);
    channels.finish(&elf)?;
    let mut outcome = outcome.map_err(|failure| tell_others(failure, console))?;

    let mut tables = vec![table(&guest, &outcome)];
    if histogram {
        tables.extend(histograms(&outcome.records));
    }
    let (records, what) = (outcome.records.clone(), with_records("the results", outcome.records.len()));
    console.results(out, &what, |surface| render(format, &tables, records, surface))?;
    if let (Some(file), Some(trace)) = (vcd_file, outcome.trace.take()) {
        let (part, exceptions) = (outcome.run.part.clone(), outcome.exceptions.clone());
        dump(file, vcd.vcd_time, &Dump { trace, part, exceptions }, console)?;
    }
    bench.save(console)?;
    Ok(tell_measured(&outcome, &scenario, image, &gaps, console))
}

/// The defect of an event that would end a run among those of arrivals.
const UNTIL: &str = "`until` does not go with --arrivals: each run ends when all spans have ended behind the stimulus";

/// Tells all but one of several failures; the last is left for the end of the command.
fn tell_others(failure: Failure, console: &mut Console) -> Failure {
    let Failure { subject, error, help, exit } = failure;
    match error.downcast::<Several>() {
        Ok(several) => {
            let mut all = several.0;
            let last = all.pop();
            for other in all {
                console.problem(&other.to_string(), other.help.as_deref());
            }
            let whole = || Failure { subject, error: "the measurement cannot begin".into(), help, exit };
            last.unwrap_or_else(whole)
        }
        Err(error) => Failure { subject, error, help, exit },
    }
}

/// Checks that there is something to measure, and no two spans have one name.
fn check(measurement: &Measurement, trace: bool) -> Result<(), CliError> {
    check_spans(&measurement.span)?;
    if measurement.span.is_empty() && !trace {
        return Err(CliError::Usage("no span is given; add a --span to measure, or --vcd to write a trace"));
    }
    Ok(())
}
