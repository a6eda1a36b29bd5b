//! The result in a few lines.

use cyclescope_records::Record;
use cyclescope_report::{Cell, Column, Table, Tone, format};

use super::definition::Display;
use super::tables::{by_mode, milliseconds, value};
use crate::conditions::{Conditions, unique};
use crate::digest::{Digest, chips, level, short};

/// The mode that the digest shows.
pub const MODE: &str = "i2c-400";

/// Steps from one way to the next, each with the name of what it adds.
const STEPS: [(&str, &str, &str); 3] = [
    ("c-registers", "rust-registers", "the language"),
    ("rust-registers", "crates-pac", "the display's crates"),
    ("crates-pac", "crates-embassy", "the HAL"),
];

/// Returns the time of a frame by each way on each chip, under the first memory setting that was measured; for speed if that
/// was.
pub fn digest(definition: &Display, records: &[Record]) -> Option<Digest> {
    let all = by_mode(records);
    let mode = if all.iter().any(|(_, mode)| *mode == MODE) { MODE } else { all.first()?.1 };
    let memory = &all.first()?.0.memory;
    let of_mode = all.iter().filter(|(on, of)| *of == mode && on.memory == *memory);
    let chips: Vec<&Conditions<'_>> = of_mode.map(|(on, _)| on).collect();
    let ways = unique(chips.iter().flat_map(|chip| chip.contenders()));
    let opts = || chips.iter().flat_map(|chip| ways.iter().flat_map(|way| chip.opts(way)));
    let opt = opts().find(|opt| *opt == "3").or_else(|| opts().next())?;
    let wires = definition.mode(mode).map_or(mode, |mode| mode.title.as_str());
    let mut columns = vec![Column::text("way")];
    for chip in &chips {
        columns.push(Column::quantity(short(chip.chip), "ms"));
        columns.push(Column::quantity("left", "%"));
    }
    let mut table = Table::new(format!("{}: {}", definition.name, definition.question), columns);
    table.head(format!(
        "Milliseconds to draw and send a frame of 128 by 64 pixels over {wires}, and the share of them that the processor \
         sleeps. {}; memory {memory}, optimised {}.",
        self::chips(chips.iter().copied()),
        level(opt)
    ));
    let time =
        |chip: &Conditions<'_>, way: &str| value(chip, (way, opt), "frame").map(|cycles| milliseconds(chip, cycles));
    for way in &ways {
        let mut row = vec![Cell::toned(*way, Tone::Strong)];
        for chip in &chips {
            row.push(Cell::or_none(time(chip, way).map(|time| format::decimal(time, 2))));
            let left = value(chip, (*way, opt), "left");
            row.push(Cell::or_none(left.map(|left| format::decimal(left * 100.0, 0))));
        }
        table.row(row);
    }
    let sentences: Vec<String> = chips.iter().filter_map(|chip| sentence(chip, &time)).collect();
    let conclusion = match sentences.is_empty() {
        true => format!("Over {wires}, no two ways that differ in one thing were measured."),
        false => format!("Over {wires}, {}.", sentences.join("; ")),
    };
    Some(Digest { table, conclusion })
}

/// Returns the time that each step adds to a frame on `chip`, where both of its ways were measured.
fn sentence(chip: &Conditions<'_>, time: &dyn Fn(&Conditions<'_>, &str) -> Option<f64>) -> Option<String> {
    let added: Vec<String> = STEPS
        .iter()
        .filter_map(|(from, to, what)| {
            let difference = time(chip, to)? - time(chip, from)?;
            let sign = if difference < 0.0 { "-" } else { "+" };
            Some(format!("{what} {sign}{} ms", format::decimal(difference.abs(), 2)))
        })
        .collect();
    let first = time(chip, STEPS[0].0);
    let base = first.map(|first| format!("a frame takes {} ms in C on registers", format::decimal(first, 2)));
    (!added.is_empty()).then(|| {
        let parts: Vec<String> = base.into_iter().chain(added).collect();
        format!("on {} {}", chip.chip, parts.join(", "))
    })
}
