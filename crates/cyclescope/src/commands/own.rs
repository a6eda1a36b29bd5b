//! `cyclescope run syscall --image`: anyone's kernel.

use std::path::Path;

use cyclescope_report::Surface;
use cyclescope_scope::Time;

use crate::backend::{Backend, OwnRequest, RunOutcome};
use crate::cli::Format;
use crate::cli::run::{ArrivalsChoice, MemoryChoice, RunArguments};
use crate::commands::{check_chips, read_image, run};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Console, OutFile, render};

/// The experiment that takes images of one's own.
const EXPERIMENT: &str = "syscall";

/// How long it runs when nobody says: a second.
const WINDOW: Time = Time::Nanoseconds(1_000_000_000);

/// Measures the calls of the image at `path`.
///
/// # Errors
/// [`CliError`] for options that do not go with an image, for unknown names, for an image that does not fit, and for places
/// that cannot be written.
pub(super) fn run(
    arguments: &RunArguments,
    path: &Path,
    backend: &dyn Backend,
    console: &mut Console,
) -> Result<Exit, CliError> {
    let chip = checked(arguments)?;
    check_chips(std::slice::from_ref(chip), &backend.catalogue())?;
    let calls = arguments.own.calls()?;
    let image = read_image(path)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let format = Format::choose(arguments.format, arguments.out.as_deref());
    let file = arguments.out.as_deref().map(OutFile::open).transpose()?;
    let kept = arguments.records.as_deref().map(OutFile::open).transpose()?;
    interrupt::install();
    let mut outcome = RunOutcome::default();
    for memory in MemoryChoice::settings(&arguments.memory) {
        let request = OwnRequest {
            image: &image,
            name: &name,
            chip,
            memory: memory.into(),
            calls: &calls,
            parts: &arguments.own.part,
            window: arguments.own.window.unwrap_or(WINDOW),
        };
        let RunOutcome { tables, records, failures, .. } = backend.own(&request, &interrupt::interrupted)?;
        outcome.tables.extend(tables);
        outcome.records.extend(records);
        outcome.failures.extend(failures);
    }
    let count = outcome.records.len();
    // A number is never printed for what did not happen as described.
    if count > 0 {
        run::keep(kept, arguments, &outcome.records, console)?;
        match (file, &arguments.out) {
            (Some(file), Some(path)) => {
                let text = render(format, &outcome.tables, outcome.records, Surface::default())?;
                file.commit(text.as_bytes())?;
                console.note(&format!("wrote the results ({count} records) to {}", path.display()));
            }
            _ => console.show(format, &outcome.tables, outcome.records)?,
        }
    }
    for warning in image.warnings() {
        console.note(&format!("warning: {warning}"));
    }
    let exit = outcome.failures.first().map_or(Exit::Success, |failure| failure.exit);
    for failure in &outcome.failures {
        console.problem(&failure.to_string(), failure.help.as_deref());
    }
    if interrupt::interrupted() {
        console.note("interrupted: the results cover the time up to there");
        return Ok(Exit::Interrupted);
    }
    Ok(exit)
}

/// The one chip, if nothing is asked that goes with bundled images alone.
fn checked(arguments: &RunArguments) -> Result<&String, CliError> {
    if arguments.experiments.as_slice() != [EXPERIMENT] {
        return Err(CliError::Usage("an --image is for `run syscall`, and for it alone"));
    }
    let filters = [&arguments.contender, &arguments.mode, &arguments.opt];
    let arrivals =
        arguments.arrivals != ArrivalsChoice::Random || arguments.arrival.is_some() || arguments.seed.is_some();
    if filters.iter().any(|names| !names.is_empty())
        || arguments.base.is_some()
        || arrivals
        || arguments.vcd.is_some()
        || arguments.html.is_some()
    {
        return Err(CliError::Usage(
            "these options choose among bundled images; an --image goes with --chip and --memory",
        ));
    }
    match arguments.chip.as_slice() {
        [chip] => Ok(chip),
        _ => Err(CliError::Usage("name the one --chip that the --image is for")),
    }
}
