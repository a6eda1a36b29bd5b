//! The result in a few lines.

use cyclescope_records::Record;
use cyclescope_report::{Cell, Column, Table, Tone, format};

use super::definition::Switch;
use super::tables::value;
use crate::conditions::{Conditions, unique};
use crate::digest::{Digest, chips, level, range, short};

/// Returns the cost of a switch by the runtime's own scheduler on each chip, under the first memory setting that was measured;
/// for speed if that was.
pub fn digest(definition: &Switch, records: &[Record]) -> Option<Digest> {
    let all = Conditions::all(records);
    let memory = &all.first()?.memory;
    let chips: Vec<&Conditions<'_>> = all.iter().filter(|conditions| conditions.memory == *memory).collect();
    let contenders = unique(chips.iter().flat_map(|chip| chip.contenders()));
    let opts = || chips.iter().flat_map(|chip| contenders.iter().flat_map(|contender| chip.opts(contender)));
    let opt = opts().find(|opt| *opt == "3").or_else(|| opts().next())?;
    let conditions = format!("memory {memory}, optimised {}", level(opt));
    let cost = |chip: &Conditions<'_>, contender: &str| value(definition, chip, (contender, opt), "switch.above_floor");
    let cell = |chip: &Conditions<'_>, contender: &str| {
        Cell::or_none(cost(chip, contender).map(|cycles| format::decimal(cycles, 0)))
    };
    let heads = chips.iter().map(|chip| Column::number(short(chip.chip)));
    let mut table = Table::new(
        format!("{}: {}", definition.name, definition.question),
        std::iter::once(Column::text("framework")).chain(heads),
    );
    table.head(format!(
        "Cycles of a switch by the runtime's own scheduler ({} less {}). {}; {conditions}.",
        definition.rows.digest,
        definition.rows.floor,
        self::chips(chips.iter().copied())
    ));
    for contender in &contenders {
        let name = std::iter::once(Cell::toned(*contender, Tone::Strong));
        table.row(name.chain(chips.iter().map(|chip| cell(chip, contender))));
    }
    let spans: Vec<String> = chips
        .iter()
        .filter_map(|chip| range(chip, contenders.iter().filter_map(|name| Some((cost(chip, name)?, *name)))))
        .collect();
    let conclusion = match spans.is_empty() {
        true => "No contender was measured in both rows that the cost of a switch follows from.".to_owned(),
        false => format!("A switch by the runtime's own scheduler costs {}.", spans.join(", ")),
    };
    Some(Digest { table, conclusion })
}
