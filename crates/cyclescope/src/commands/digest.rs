//! `cyclescope digest`.

use cyclescope_report::Surface;

use super::claims::all_records;
use super::run::USUAL;
use crate::cli::digest::DigestArguments;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Console, render};

/// Shows records of experiments on chips as a run without names does.
///
/// # Errors
/// [`CliError`] for files that cannot be read or hold no records, and where a digest shows none of them.
pub fn digest(arguments: &DigestArguments, console: &mut Console) -> Result<Exit, CliError> {
    let file = arguments.results.open()?;
    let tables = cyclescope_experiments::digests(&all_records(&arguments.records)?);
    if tables.is_empty() {
        return Err(CliError::Usage(
            "a digest shows none of these records; `run primes button switch display` makes records that it shows",
        ));
    }
    let format = arguments.results.format()?.into();
    let text = |own: Surface| {
        let surface = Surface { width: own.width.or(Some(USUAL)), ..own };
        render(format, &tables, Vec::new(), surface)
    };
    console.results(file, "the digest", text)?;
    Ok(Exit::Success)
}
