//! `cyclescope claims`.

use cyclescope_records::{Record, RecordFile};
use cyclescope_report::Surface;

use crate::cli::claims::ClaimsArguments;
use crate::cli::{Format, ListFormat};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Console, OutFile, render};

/// Says which of the well-known claims the records bear out.
///
/// # Errors
/// [`CliError`] for files that cannot be read or hold no records, and where no claim can be tested with them.
pub fn claims(arguments: &ClaimsArguments, console: &mut Console) -> Result<Exit, CliError> {
    let file = arguments.out.as_deref().map(OutFile::open).transpose()?;
    let mut records: Vec<Record> = Vec::new();
    for path in &arguments.results {
        let text = std::fs::read_to_string(path).map_err(|error| CliError::Read { path: path.clone(), error })?;
        let read = RecordFile::from_json(&text).map_err(|error| CliError::Records { path: path.clone(), error })?;
        records.extend(read.records);
    }
    let tables = cyclescope_experiments::claims(&records);
    if tables.is_empty() {
        return Err(CliError::Usage(
            "these records test none of the claims; `run primes button switch syscall` makes some",
        ));
    }
    let by_name = Format::choose(None, arguments.out.as_deref()) == Format::Markdown;
    let format = match arguments.format {
        Some(ListFormat::Markdown) => Format::Markdown,
        None if by_name => Format::Markdown,
        _ => Format::Table,
    };
    match (file, &arguments.out) {
        (Some(file), Some(path)) => {
            file.commit(render(format, &tables, Vec::new(), Surface::default())?.as_bytes())?;
            console.note(&format!("wrote the claims to {}", path.display()));
        }
        _ => console.show(format, &tables, Vec::new())?,
    }
    Ok(Exit::Success)
}
