//! `cyclescope list`.

mod file;
mod part;

use cyclescope_attached::KINDS;
use cyclescope_chips::Part;
use cyclescope_report::{Column, Table};

use crate::backend::{Backend, Catalogue, ChipEntry};
use crate::chip;
use crate::cli::list::{CatalogueFormat, ListArguments, ListKind};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Console;

/// Shows what there is.
///
/// # Errors
/// [`CliError::Unknown`] for a chip that is not there, and [`CliError::Stdout`].
pub fn list(arguments: &ListArguments, backend: &dyn Backend, console: &mut Console) -> Result<Exit, CliError> {
    let catalogue = backend.catalogue();
    if let Some(chip) = &arguments.chip {
        if arguments.kind != Some(ListKind::Chips) {
            return Err(CliError::Usage("only `list chips` takes a name; `cyclescope image NAME` shows an image"));
        }
        let chip = match chip::resolve(chip, &catalogue) {
            Ok(chip) => chip,
            Err(error) => {
                let fitting = fitting(chip, &catalogue);
                match fitting.chips.as_slice() {
                    [] => return Err(error),
                    [one] => one.name.clone(),
                    _ => return show(&[ListKind::Chips], arguments.format, &fitting, console),
                }
            }
        };
        let part = Part::load(&chip)?;
        match arguments.format.of_tables() {
            Some(format) => console.show(format, &part::tables(&part), Vec::new())?,
            None => console.write(file::part(&part)?.as_bytes())?,
        }
        return Ok(Exit::Success);
    }
    let kinds = match arguments.kind {
        Some(kind) => vec![kind],
        None => vec![ListKind::Experiments, ListKind::Chips, ListKind::Contenders],
    };
    show(&kinds, arguments.format, &catalogue, console)
}

/// Returns a catalogue of the chips alone whose names `part` is a part of.
fn fitting(part: &str, catalogue: &Catalogue) -> Catalogue {
    let part = part.to_ascii_lowercase();
    let fits = |entry: &&ChipEntry| part.len() > 1 && entry.name.contains(&part);
    Catalogue { chips: catalogue.chips.iter().filter(fits).cloned().collect(), ..Catalogue::default() }
}

/// Shows `kinds` of the catalogue.
fn show(
    kinds: &[ListKind],
    format: CatalogueFormat,
    catalogue: &Catalogue,
    console: &mut Console,
) -> Result<Exit, CliError> {
    let Some(format) = format.of_tables() else {
        console.write(file::catalogue(kinds, catalogue)?.as_bytes())?;
        return Ok(Exit::Success);
    };
    let mut tables: Vec<Table> = kinds.iter().map(|kind| table(*kind, catalogue)).collect();
    if let ([_, _, ..], Some(last)) = (kinds, tables.last_mut()) {
        last.note(format!("{} images are bundled: `cyclescope list images`.", catalogue.images.len()));
    }
    console.show(format, &tables, Vec::new())?;
    Ok(Exit::Success)
}

fn table(kind: ListKind, catalogue: &Catalogue) -> Table {
    let named = |title: &str, columns: &[(&str, u8)]| {
        Table::new(title, columns.iter().map(|(name, rank)| Column::text(*name).rank(*rank)))
    };
    match kind {
        ListKind::Experiments => {
            let mut table = named("Experiments", &[("name", 0), ("modes", 0), ("runs on", 1), ("question", 0)]);
            for entry in &catalogue.experiments {
                let place = if entry.host { "the host, when named" } else { "chips" };
                table.row([entry.name.clone(), entry.modes.join(", "), place.to_owned(), entry.question.clone()]);
            }
            table
        }
        ListKind::Chips => {
            let mut table = named("Chips", &[("name", 0), ("description", 0)]);
            for entry in &catalogue.chips {
                table.row([entry.name.clone(), entry.description.clone()]);
            }
            table
        }
        ListKind::Contenders => {
            let mut table = named("Contenders", &[("name", 0), ("version", 0), ("built with", 0)]);
            for entry in &catalogue.contenders {
                table.row([entry.name.clone(), entry.version.clone(), entry.compiler.clone()]);
            }
            table
        }
        ListKind::Devices => {
            let mut table = named("Devices", &[("name", 0), ("option", 0), ("meaning", 0)]);
            for kind in KINDS {
                table.row([kind.name, "", kind.summary]);
                for (option, meaning) in kind.options {
                    table.row(["", option, meaning]);
                }
            }
            table.note(
                "`--attach NAME:OPTION,OPTION@PLACE` hangs one on a chip's pins; a place is a peripheral (i2c1), or pins by \
                 the device's names for them (scl=PB6,sda=PB7). name=WORD gives it another name.",
            );
            table
        }
        ListKind::Images => {
            let mut table =
                named("Images", &[("name", 0), ("contender", 1), ("mode", 2), ("chip", 0), ("opt", 2), ("sha256", 3)]);
            for entry in &catalogue.images {
                let digest = entry.sha256.get(..12).unwrap_or(&entry.sha256);
                table.row([&entry.name, &entry.contender, &entry.mode, &entry.chip, &entry.opt, digest]);
            }
            table.note(
                "sha256: the first twelve digits, of the ELF file. `cyclescope image NAME --out FILE` writes one.",
            );
            table
        }
    }
}
