//! `cyclescope run`.

use std::num::NonZeroUsize;
use std::path::Path;

use cyclescope_records::Record;
use cyclescope_report::{Chart, Surface, Table, svg};

use crate::backend::{ArrivalsRequest, Backend, Catalogue, RunRequest};
use crate::cli::Format;
use crate::cli::run::{ArrivalsChoice, MemoryChoice, RunArguments};
use crate::commands::report::page_of;
use crate::commands::vcd::dump;
use crate::commands::{check_chips, check_names, own};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Console, OutFile, render};
use crate::progress::Bar;

/// Runs experiments and shows what came of them.
///
/// Runs that failed are told on standard error after the results of the others; the process then ends as the first of
/// them asks.
///
/// # Errors
/// [`CliError`] for unknown names, for places that cannot be written, and where nothing could be run.
pub fn run(arguments: &RunArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    if let Some(image) = &arguments.own.image {
        return own::run(arguments, image, backend, console);
    }
    let request = request(arguments, &backend.catalogue())?;
    let format = Format::choose(arguments.format, arguments.out.as_deref());
    let file = arguments.out.as_deref().map(OutFile::open).transpose()?;
    let vcd = arguments.vcd.as_deref().map(OutFile::open).transpose()?;
    let plot = arguments.host.plot.as_deref().map(OutFile::open).transpose()?;
    let kept = arguments.records.as_deref().map(OutFile::open).transpose()?;
    let page = arguments.html.as_deref().map(OutFile::open).transpose()?;
    interrupt::install();
    let bar = Bar::new();
    let outcome = backend.run(&request, &bar, &interrupt::interrupted)?;
    drop(bar);
    if let (Some(file), Some(path)) = (plot, &arguments.host.plot) {
        draw(file, path, &outcome.tables, console)?;
    }
    let count = outcome.records.len();
    keep(kept, arguments, &outcome.records, console)?;
    let shown = if page.is_some() { outcome.records.clone() } else { Vec::new() };
    match (file, &arguments.out) {
        (Some(file), Some(path)) => {
            let text = render(format, &outcome.tables, outcome.records, Surface::default())?;
            file.commit(text.as_bytes())?;
            console.note(&format!("wrote the results ({count} records) to {}", path.display()));
        }
        _ => console.show(format, &outcome.tables, outcome.records)?,
    }
    if let (Some(file), Some(path), Some(seen)) = (vcd, &arguments.vcd, &outcome.dump) {
        dump(file, path, arguments.vcd_time, seen, console)?;
    }
    if let (Some(file), Some(path)) = (page, &arguments.html) {
        page_of(file, path, shown, arguments.open, backend, console)?;
    }
    let mut exit = Exit::Success;
    for failure in outcome.failures {
        if exit == Exit::Success {
            exit = failure.exit;
        }
        console.problem(&failure.to_string(), failure.help.as_deref());
    }
    if interrupt::interrupted() {
        console.note("interrupted: the results are not complete");
        exit = Exit::Interrupted;
    }
    Ok(exit)
}

/// Writes `records` beside the results, if that is asked for.
pub(super) fn keep(
    file: Option<OutFile>,
    arguments: &RunArguments,
    records: &[Record],
    console: &mut Console,
) -> Result<(), CliError> {
    let (Some(file), Some(path)) = (file, &arguments.records) else { return Ok(()) };
    file.commit(render(Format::Json, &[], records.to_vec(), Surface::default())?.as_bytes())?;
    console.note(&format!("wrote the records ({}) to {}", records.len(), path.display()));
    Ok(())
}

/// Writes the charts of `tables` as one picture; no file where there are none, as after an interruption.
fn draw(file: OutFile, path: &Path, tables: &[Table], console: &mut Console) -> Result<(), CliError> {
    let charts: Vec<&Chart> = tables.iter().flat_map(|table| &table.charts).collect();
    if charts.is_empty() {
        console.note("nothing was drawn: no axis has two values that gave a number");
        return Ok(());
    }
    file.commit(svg(&charts)?.as_bytes())?;
    console.note(&format!("drew the charts ({}) into {}", charts.len(), path.display()));
    Ok(())
}

/// Checks every name against the catalogue.
fn request(arguments: &RunArguments, catalogue: &Catalogue) -> Result<RunRequest, CliError> {
    let experiments = || catalogue.experiments.iter();
    let chosen =
        |name: &str| arguments.experiments.is_empty() || arguments.experiments.iter().any(|asked| asked == name);
    check_names(
        "experiment",
        "list experiments",
        &arguments.experiments,
        experiments().map(|entry| entry.name.as_str()),
    )?;
    check_chips(&arguments.chip, catalogue)?;
    check_names(
        "contender",
        "list contenders",
        &arguments.contender,
        catalogue.contenders.iter().map(|entry| entry.name.as_str()),
    )?;
    check_names(
        "contender",
        "list contenders",
        arguments.base.as_slice(),
        catalogue.contenders.iter().map(|entry| entry.name.as_str()),
    )?;
    let modes = experiments().filter(|entry| chosen(&entry.name)).flat_map(|entry| &entry.modes).map(String::as_str);
    check_names("mode", "list experiments", &arguments.mode, modes)?;
    if arguments.window.is_some() && arguments.arrivals != ArrivalsChoice::Exhaustive {
        return Err(CliError::Usage("a --window has arrivals only with `--arrivals exhaustive`"));
    }
    let on_host = |name: &String| experiments().any(|entry| entry.host && entry.name == *name);
    if arguments.host.is_any() && !arguments.experiments.iter().any(on_host) {
        return Err(CliError::Usage("these options are for experiments on the host; name one, such as `run dirwalk`"));
    }
    if arguments.host.plot.is_some() && !arguments.host.has_axis() {
        return Err(CliError::Usage(
            "a --plot shows time against an axis; name one with two values or more, such as `--workers 1,2,4`",
        ));
    }
    if arguments.seed.is_some() && (arguments.arrival.is_some() || arguments.arrivals != ArrivalsChoice::Random) {
        return Err(CliError::Usage("a --seed is for arrivals at random; these are chosen"));
    }
    let levels = catalogue.images.iter().map(|image| image.opt.as_str());
    check_names("optimisation level", "list images", &arguments.opt, levels)?;
    Ok(RunRequest {
        experiments: arguments.experiments.clone(),
        chips: arguments.chip.clone(),
        contenders: arguments.contender.clone(),
        modes: arguments.mode.clone(),
        opts: arguments.opt.clone(),
        memory: MemoryChoice::settings(&arguments.memory),
        base: arguments.base.clone(),
        arrivals: match (arguments.arrival, arguments.arrivals) {
            (Some(cycle), _) => ArrivalsRequest::At(cycle, arguments.phase),
            (None, ArrivalsChoice::Random) => ArrivalsRequest::Random,
            (None, ArrivalsChoice::Exhaustive) => ArrivalsRequest::Exhaustive(arguments.window),
        },
        seed: arguments.seed,
        trace: arguments.vcd.is_some(),
        host: arguments.host.request(),
        elf: None,
        jobs: arguments.jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN),
    })
}
