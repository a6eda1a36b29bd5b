//! `cyclescope import`.

use std::path::Path;

use cyclescope_report::boards;

use super::check_names;
use crate::backend::{Backend, BoardLog};
use crate::chip;
use crate::cli::import::ImportArguments;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Console, render};

/// The most bytes that a log may have: a serial port's of days.
const MOST: u64 = 64 << 20;

/// Turns what a board said into records, beside the model's.
///
/// # Errors
/// [`CliError`] for a log that cannot be read, or that holds no run as the bundled programs have them.
pub fn run(arguments: &ImportArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    let catalogue = backend.catalogue();
    let chip = arguments.chip.as_deref().map(chip::resolve).transpose()?;
    if arguments.kit {
        return super::kit::import(arguments, &read(&arguments.log)?, console);
    }
    let (Some(chip), Some(board)) = (&chip, &arguments.board) else {
        return Err(CliError::Usage("the chip or the board of the log is missing; name both with --chip and --board"));
    };
    let levels = catalogue.images.iter().map(|image| image.opt.as_str());
    check_names("optimisation level", "list images", arguments.opt.as_slice(), levels)?;
    let text = read(&arguments.log)?;
    let file = arguments.results.open()?;
    let log = BoardLog { text: &text, chip, board, opt: arguments.opt.as_deref() };
    let records = backend.import(&arguments.log.display().to_string(), log)?;
    let (tables, what) = (boards(&records), format!("the records ({})", records.len()));
    let format = arguments.results.format()?;
    console.results(file, &what, |surface| render(format, &tables, records, surface))?;
    Ok(Exit::Success)
}

/// A board's log: bytes, since a serial port gives any.
fn read(path: &Path) -> Result<String, CliError> {
    let failed = CliError::unreadable(path);
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    std::io::Read::read_to_end(&mut std::io::Read::take(file, MOST), &mut bytes).map_err(failed)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
