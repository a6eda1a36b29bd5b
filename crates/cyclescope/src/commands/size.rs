//! `cyclescope size`.

use std::path::Path;

use cyclescope_guest::formats::size::{parts, records, string_entries};
use cyclescope_image::size::{Change, Entry, by_owner, by_section, by_symbol, difference, strings};
use cyclescope_image::{Image, SectionTotals};
use cyclescope_machine::units::Bytes;
use cyclescope_report::format::{integer, signed};
use cyclescope_report::{Cell, Column, Table, Tone};

use crate::cli::shared::Format;
use crate::cli::size::{SizeArguments, SizeBy};
use crate::commands::{counted, read_image};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Console;

/// Shows what images take, or what changed between two.
///
/// # Errors
/// [`CliError`] for files that are no images, and for `--diff` without exactly two.
pub fn size(arguments: &SizeArguments, console: &mut Console) -> Result<Exit, CliError> {
    if arguments.diff && arguments.elf.len() != 2 {
        return Err(CliError::Usage("--diff compares exactly two files: the old one, then the new one"));
    }
    let mut images = Vec::new();
    for path in &arguments.elf {
        images.push((name_of(path), read_image(path)?));
    }
    let kinds = match arguments.by.as_slice() {
        [] => &[SizeBy::Section, SizeBy::Crate],
        asked => asked,
    };
    let records = match arguments.format {
        Format::Json | Format::Csv => records(&images),
        Format::Table | Format::Markdown => Vec::new(),
    };
    let tables = match (images.as_slice(), arguments.diff) {
        ([(old_name, old), (new_name, new)], true) => {
            let mut tables = vec![totals_changed(old_name, &old.totals(), new_name, &new.totals())];
            tables.extend(kinds.iter().map(|&kind| changed(kind, old, new, arguments.top)));
            tables
        }
        _ => {
            let mut tables = vec![totals(&images)];
            for (name, image) in &images {
                tables.extend(kinds.iter().map(|&kind| breakdown(kind, name, image, arguments.top)));
            }
            tables
        }
    };
    for (name, image) in &images {
        for warning in image.warnings() {
            console.note(&format!("warning: {name}: {warning}"));
        }
    }
    console.show(arguments.format, &tables, records)?;
    Ok(Exit::Success)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn bytes(size: Bytes) -> String {
    integer(size.get().into())
}

fn totals(images: &[(String, Image)]) -> Table {
    let rank = |name: &str| {
        ["rodata", "data", "bss", "padding", "unsectioned"].iter().position(|one| *one == name).map_or(0, |at| at + 1)
    };
    let column = |name| Column::quantity(if name == "ram" { "RAM" } else { name }, "bytes").rank(rank(name) as u8);
    let names = parts(&SectionTotals::default()).map(|(name, _)| column(name));
    let mut table = Table::new("Totals", [Column::symbol("image")].into_iter().chain(names));
    for (name, image) in images {
        let sizes = parts(&image.totals()).map(|(_, size)| bytes(size));
        table.row([name.clone()].into_iter().chain(sizes));
    }
    table.note("flash = text + rodata + data + unsectioned + padding. RAM = data + bss, without stack and heap.");
    table
}

/// One breakdown of an image.
fn entries(kind: SizeBy, image: &Image) -> Vec<Entry> {
    match kind {
        SizeBy::Section => by_section(image),
        SizeBy::Crate => by_owner(image),
        SizeBy::Symbol | SizeBy::String => by_symbol(image),
    }
}

fn heading(kind: SizeBy) -> &'static str {
    match kind {
        SizeBy::Section => "section",
        SizeBy::Crate => "crate",
        SizeBy::Symbol => "symbol",
        SizeBy::String => "text",
    }
}

/// Returns the number of lines to show of `all`: everything if `top` is 0, and always every section.
fn shown(kind: SizeBy, top: usize, all: usize) -> usize {
    if top == 0 || kind == SizeBy::Section { all } else { top.min(all) }
}

fn breakdown(kind: SizeBy, name: &str, image: &Image, top: usize) -> Table {
    if kind == SizeBy::String {
        return string_table(name, image, top);
    }
    let columns = [Column::symbol(heading(kind)), Column::quantity("flash", "bytes"), Column::quantity("RAM", "bytes")];
    let mut table = Table::new(format!("{name} by {}", heading(kind)), columns);
    let entries = entries(kind, image);
    let shown = shown(kind, top, entries.len());
    for entry in &entries[..shown] {
        table.row([entry.name.clone(), bytes(entry.weight.flash), bytes(entry.weight.ram)]);
    }
    if let rest @ [_, ..] = &entries[shown..] {
        let flash = rest.iter().map(|entry| entry.weight.flash).sum();
        let ram = rest.iter().map(|entry| entry.weight.ram).sum();
        let name = Cell::toned(format!("({} more)", rest.len()), Tone::Faint);
        table.row([name, bytes(flash).into(), bytes(ram).into()]);
    }
    table
}

fn string_table(name: &str, image: &Image, top: usize) -> Table {
    let columns = [Column::quantity("size", "bytes"), Column::text("address"), Column::symbol("text")];
    let found = strings(image);
    let total: Bytes = found.iter().map(|string| string.size()).sum();
    let mut table = Table::new(format!("{name}: strings"), columns);
    for string in &found[..shown(SizeBy::String, top, found.len())] {
        table.row([bytes(string.size()), string.address.to_string(), shortened(&string.text)]);
    }
    table.note(format!(
        "{}, {total} in all; literals that lie side by side are one piece.",
        counted(found.len() as u64, "piece of text", "pieces of text"),
    ));
    table
}

/// The beginning of a text that is too long for a line.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 120;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn totals_changed(old_name: &str, old: &SectionTotals, new_name: &str, new: &SectionTotals) -> Table {
    let columns = [
        Column::text("total"),
        Column::quantity("before", "bytes"),
        Column::quantity("after", "bytes"),
        Column::quantity("change", "bytes"),
    ];
    let mut table = Table::new(format!("{old_name} → {new_name}"), columns);
    for ((part, before), (_, after)) in parts(old).into_iter().zip(parts(new)) {
        let change = i64::try_from(i128::from(after.get()) - i128::from(before.get())).unwrap_or_default();
        table.row([part.into(), bytes(before).into(), bytes(after).into(), change_cell(change)]);
    }
    table
}

fn changed(kind: SizeBy, old: &Image, new: &Image, top: usize) -> Table {
    let columns = [
        Column::symbol(heading(kind)),
        Column::quantity("flash before", "bytes").rank(1),
        Column::quantity("flash after", "bytes").rank(1),
        Column::quantity("flash change", "bytes"),
        Column::quantity("RAM before", "bytes").rank(2),
        Column::quantity("RAM after", "bytes").rank(2),
        Column::quantity("RAM change", "bytes"),
    ];
    let changes = if kind == SizeBy::String {
        difference(&string_entries(old), &string_entries(new))
    } else {
        difference(&entries(kind, old), &entries(kind, new))
    };
    let mut table = Table::new(format!("Changed, by {}", heading(kind)), columns);
    let shown = shown(kind, top, changes.len());
    for change in &changes[..shown] {
        table.row(change_row(change));
    }
    match changes.len() - shown {
        0 if changes.is_empty() => table.note("Nothing changed."),
        0 => &mut table,
        more => table.note(format!("{more} more are not shown; --top 0 shows all.")),
    };
    table
}

fn change_row(change: &Change) -> [Cell; 7] {
    let (before, after) = (change.before, change.after);
    [
        shortened(&change.name).into(),
        bytes(before.flash).into(),
        bytes(after.flash).into(),
        change_cell(change.flash()),
        bytes(before.ram).into(),
        bytes(after.ram).into(),
        change_cell(change.ram()),
    ]
}

fn change_cell(change: i64) -> Cell {
    let tone = match change {
        0 => Tone::Faint,
        1.. => Tone::Bad,
        _ => Tone::Good,
    };
    Cell::toned(signed(change), tone)
}
