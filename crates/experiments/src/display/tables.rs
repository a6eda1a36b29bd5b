//! Records arranged for people.

use cyclescope_records::Record;
use cyclescope_report::{Cell, Column, Table, Tone, format};

use super::definition::Display;
use super::parts::{ASLEEP, REST};
use crate::conditions::{Build, Conditions, unique};
use crate::{View, luck, table_notes};

/// The mean of `metric` of one build.
pub(super) fn value(on: &Conditions<'_>, build: Build<'_>, metric: &str) -> Option<f64> {
    on.of(build, metric).next().map(|record| record.mean.as_f64())
}

/// Milliseconds of `cycles` on the chip of `on`.
pub(super) fn milliseconds(on: &Conditions<'_>, cycles: f64) -> f64 {
    cycles * 1e3 / on.clock.get().max(1) as f64
}

/// The records of each chip, memory setting and mode.
pub(super) fn by_mode(records: &[Record]) -> Vec<(Conditions<'_>, &str)> {
    Conditions::with(records, |record| record.mode.as_str())
}

/// For each chip, memory setting and mode: the time of a frame and its parts.
pub fn tables(definition: &Display, records: &[Record], view: &View) -> Vec<Table> {
    by_mode(records).iter().map(|(on, mode)| result(definition, on, mode, view)).collect()
}

fn result(definition: &Display, on: &Conditions<'_>, mode: &str, view: &View) -> Table {
    let title = definition.mode(mode).map_or(mode, |mode| mode.title.as_str());
    let mut columns = vec![
        Column::text("way"),
        Column::text("opt"),
        Column::quantity("a frame", "ms"),
        Column::number("frames/s").rank(4),
        Column::quantity("wire", "ms").rank(2),
    ];
    // The parts, which sum to the frame.
    columns.extend(definition.part.iter().map(|part| Column::quantity(part.title.as_str(), "ms").rank(3)));
    columns.push(Column::quantity("rest", "ms").rank(6));
    columns.push(Column::quantity("asleep", "ms").rank(5));
    columns.push(Column::quantity("left", "%").rank(1));
    columns.push(Column::quantity("flash", "bytes").rank(7));
    columns.extend(luck::column(&on.records));
    let question = format!("{} {title},", definition.question);
    let mut table = Table::new(on.title(&question), columns);
    let frames = on.builds().into_iter().filter_map(|build| value(on, build, "frame"));
    let longest = frames.map(|cycles| milliseconds(on, cycles)).fold(0.0, f64::max);
    let decimals = if longest < 20.0 { 3 } else { 2 };
    for build in on.builds() {
        let of = |metric: &str| value(on, build, metric);
        let time =
            |metric: &str| Cell::or_none(of(metric).map(|cycles| format::decimal(milliseconds(on, cycles), decimals)));
        let mut cells = vec![
            Cell::toned(build.0, Tone::Strong),
            Cell::from(build.1),
            time("frame"),
            Cell::or_none(of("frame.rate").map(|rate| format::decimal(rate, 1))),
            time("wire"),
        ];
        cells.extend(definition.part.iter().map(|part| time(&format!("part.{}", part.name))));
        cells.extend([REST, ASLEEP].map(|part| time(&format!("part.{part}"))));
        cells.push(Cell::or_none(of("left").map(|left| format::decimal(left * 100.0, 1))));
        cells.push(Cell::or_none(of("flash").map(|bytes| format::integer(bytes as i128))));
        if luck::any(&on.records) {
            cells.push(luck::cell(on.of(build, "frame")));
        }
        table.row(cells);
    }
    table.note(
        "A frame is drawn and sent whole. Wire: the clock periods on it, which overlap with all else. The processor's parts sum \
         to the frame; waiting is polling. Left: the share of the time in which it sleeps and another task could run.",
    );
    if let Some(rate) = rate(on) {
        table.note(format!("On {} the wire's clock runs at {rate}.", on.chip));
    }
    if view.details {
        for build in on.builds() {
            let (Some(clocks), Some(period)) = (value(on, build, "wire.clocks"), value(on, build, "wire.period"))
            else {
                continue;
            };
            table.note(format!(
                "{} {}: {} clocks of {} cycles a frame on the wire.",
                build.0,
                build.1,
                format::decimal(clocks, 0),
                format::decimal(period, 0)
            ));
        }
    }
    table_notes::notes(&on.records, &on.memory, view, &mut table);
    table
}

/// The rate of the clock on the wire, if all builds have one.
fn rate(on: &Conditions<'_>) -> Option<String> {
    let periods = unique(on.builds().into_iter().filter_map(|build| value(on, build, "wire.period")));
    let [period] = periods[..] else { return None };
    let kilohertz = on.clock.get() as f64 / period.max(1.0) / 1e3;
    Some(match kilohertz < 1e3 {
        true => format!("{} kHz", format::decimal(kilohertz, 1)),
        false => format!("{} MHz", format::decimal(kilohertz / 1e3, 3)),
    })
}
