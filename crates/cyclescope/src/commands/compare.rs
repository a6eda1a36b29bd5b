//! `cyclescope compare`.

use std::path::Path;

use cyclescope_records::{RecordFile, compare};
use cyclescope_report::{Surface, changes};

use crate::cli::{CompareArguments, Format, ListFormat};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Console, OutFile, render};

/// Shows what changed from one file of records to another.
///
/// # Errors
/// [`CliError`] for files that cannot be read, are no records, or cannot be written.
pub fn run(arguments: &CompareArguments, console: &mut Console) -> Result<Exit, CliError> {
    let (old, new) = (read(&arguments.old)?, read(&arguments.new)?);
    let file = arguments.out.as_deref().map(OutFile::open).transpose()?;
    let tables = changes(&compare(&old.records, &new.records), arguments.all);
    let by_name = Format::choose(None, arguments.out.as_deref()) == Format::Markdown;
    let format = match arguments.format {
        Some(ListFormat::Markdown) => Format::Markdown,
        None if by_name => Format::Markdown,
        _ => Format::Table,
    };
    match (file, &arguments.out) {
        (Some(file), Some(path)) => {
            file.commit(render(format, &tables, Vec::new(), Surface::default())?.as_bytes())?;
            console.note(&format!("wrote the changes to {}", path.display()));
        }
        _ => console.show(format, &tables, Vec::new())?,
    }
    Ok(Exit::Success)
}

fn read(path: &Path) -> Result<RecordFile, CliError> {
    let text = std::fs::read_to_string(path).map_err(|error| CliError::Read { path: path.to_owned(), error })?;
    RecordFile::from_json(&text).map_err(|error| CliError::Records { path: path.to_owned(), error })
}
