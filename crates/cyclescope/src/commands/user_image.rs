//! `cyclescope run syscall --image`: anyone's kernel.

use std::path::Path;

use crate::backend::{Backend, Guest, RunOutcome, UserImageRequest};
use crate::chip;
use crate::cli::run::{ArrivalsChoice, RunArguments};
use crate::cli::shared::GapsShown;
use crate::commands::{file_name, read_image, run, with_records};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt;
use crate::output::{Console, OutFile, check_apart, render, shown, tell};
use crate::status::Window;
use cyclescope_guest::gaps::GapTeller;
use cyclescope_guest::options::WINDOW;

/// The experiment that takes images of one's own.
const EXPERIMENT: &str = "syscall";

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
    let chip = &chip::resolve(checked(arguments)?)?;
    let calls = arguments.user.calls()?;
    let image = read_image(path)?;
    let name = file_name(path);
    let format = arguments.results.format()?;
    check_apart(
        Some(path),
        &[("--out", arguments.results.out.as_deref()), ("--records", arguments.records.as_deref())],
    )?;
    let file = arguments.results.open()?;
    let kept = arguments.records.as_deref().map(OutFile::open).transpose()?;
    interrupt::install();
    let gaps = GapTeller::new(shown(&image), GapsShown::Met, &tell);
    let mut outcome = RunOutcome::default();
    for memory in arguments.memory() {
        let guest = Guest { gaps: Some(&gaps), ..Guest::new(&image, &name, chip, memory) };
        let (parts, window) = (arguments.user.part.as_slice(), arguments.user.window.unwrap_or(WINDOW));
        let status = Window::new(window);
        let request = UserImageRequest { guest, calls: &calls, parts, window };
        let RunOutcome { tables, records, failures, .. } =
            backend.user_image(&request, &|cycle, time| status.pulse(cycle, time))?;
        outcome.tables.extend(tables);
        outcome.records.extend(records);
        outcome.failures.extend(failures);
    }
    let count = outcome.records.len();
    // A number is never printed for what did not happen as described.
    if count > 0 {
        run::keep(kept, &outcome.records, console)?;
        let what = with_records("the results", count);
        console.results(file, &what, |surface| render(format, &outcome.tables, outcome.records, surface))?;
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
        return Err(CliError::Usage("--image belongs to `run syscall`; name that experiment, and no other"));
    }
    let filters = [&arguments.contender, &arguments.mode, &arguments.opt];
    let arrivals =
        arguments.arrivals != ArrivalsChoice::Random || arguments.arrival.is_some() || arguments.seed.is_some();
    if filters.iter().any(|names| !names.is_empty())
        || arguments.base.is_some()
        || arrivals
        || arguments.vcd.vcd.is_some()
        || arguments.html.is_some()
    {
        return Err(CliError::Usage(
            "an option is given that chooses among bundled images; with --image, choose by --chip and --memory only",
        ));
    }
    if arguments.details {
        return Err(CliError::Usage(
            "--details has nothing to add with --image: its tables show all that is known of an image; `cyclescope trace` \
             counts the instructions of a call by function, line and class",
        ));
    }
    match arguments.chip.as_slice() {
        [chip] => Ok(chip),
        _ => Err(CliError::Usage("--image needs one --chip to run on")),
    }
}
