//! `cyclescope claims`.

use std::path::PathBuf;

use cyclescope_records::{Record, RecordFile};

use crate::cli::claims::ClaimsArguments;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Console, render};

/// Says which of the well-known claims the records confirm.
///
/// # Errors
/// [`CliError`] for files that cannot be read or hold no records, and where no claim can be tested with them.
pub fn claims(arguments: &ClaimsArguments, console: &mut Console) -> Result<Exit, CliError> {
    let file = arguments.results.open()?;
    let records = all_records(&arguments.records)?;
    let tables = cyclescope_experiments::claims(&records);
    if tables.is_empty() {
        return Err(CliError::Usage(
            "no claim can be tested with these records; `run primes button switch syscall` makes records that test some",
        ));
    }
    let format = arguments.results.format()?.into();
    console.results(file, "the claims", |surface| render(format, &tables, Vec::new(), surface))?;
    Ok(Exit::Success)
}

/// Reads all records of `files`.
pub(super) fn all_records(files: &[PathBuf]) -> Result<Vec<Record>, CliError> {
    let mut records: Vec<Record> = Vec::new();
    for path in files {
        let bytes = cyclescope_image::read(path).map_err(CliError::unreadable(path))?;
        if bytes.starts_with(b"\x7fELF") {
            return Err(CliError::Usage(
                "this command reads files of records, and this is an ELF; `run --format json --out FILE` writes records",
            ));
        }
        let read = RecordFile::from_json(&String::from_utf8_lossy(&bytes)).map_err(CliError::bad_file(path))?;
        records.extend(read.records);
    }
    Ok(records)
}
