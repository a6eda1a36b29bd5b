//! `cyclescope list`.

mod file;
mod part;

use cyclescope_attached::KINDS;
use cyclescope_chips::{Part, ProductLine};
use cyclescope_report::{Cell, Column, Table};

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
        let chip = match chip::resolve(chip) {
            Ok(chip) => chip,
            Err(error) => {
                let fitting = fitting(chip, &catalogue.lines);
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

/// Returns a catalogue of the chips alone whose names `text` is a part of, or that are of the product line `text`.
fn fitting(text: &str, lines: &[ProductLine]) -> Catalogue {
    let line = lines.iter().find(|line| line.name.eq_ignore_ascii_case(text));
    let names = line.map_or_else(|| chip::fitting(text), |line| line.parts.clone());
    let parts = names.into_iter().filter_map(|name| Part::find(name).ok());
    let entry = |part: &Part| ChipEntry { name: part.name.to_string(), description: part.description.to_string() };
    Catalogue { chips: parts.map(entry).collect(), ..Catalogue::default() }
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
    let mut tables: Vec<Table> = Vec::new();
    for kind in kinds {
        tables.push(table(*kind, catalogue));
        if *kind == ListKind::Chips && !catalogue.lines.is_empty() {
            tables.push(product_lines(&catalogue.lines));
        }
    }
    if let ([_, _, ..], Some(last)) = (kinds, tables.last_mut()) {
        last.note(format!("{} images are bundled: `cyclescope list images`.", catalogue.images.len()));
    }
    console.show(format, &tables, Vec::new())?;
    Ok(Exit::Success)
}

fn product_lines(lines: &[ProductLine]) -> Table {
    let parts: usize = lines.iter().map(|line| line.parts.len()).sum();
    let title = format!("Product lines of {parts} chips");
    let columns = [Column::text("line"), Column::number("chips"), Column::text("from"), Column::text("to").rank(1)];
    let mut table = Table::new(title, columns);
    for line in lines {
        let (first, last) = (line.parts.first().copied(), line.parts.last().copied());
        let ends = [first, last].map(|name| Cell::from(name.unwrap_or_default()));
        table.row([Cell::from(line.name.clone()), Cell::from(line.parts.len().to_string())].into_iter().chain(ends));
    }
    table.note(
        "`cyclescope list chips PART-OF-A-NAME` shows those that fit, such as F405 or G0, and `cyclescope list chips NAME` \
         all of one.",
    );
    table
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
                "sha256: the first twelve digits of the ELF file's hash. `cyclescope image NAME --out FILE` writes one.",
            );
            table
        }
    }
}
