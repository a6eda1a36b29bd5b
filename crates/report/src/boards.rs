//! Boards beside the model.

use cyclescope_records::{Record, Scalar, Source, Unit};

use crate::changes::shown;
use crate::{Cell, Column, Table, Tone, format};

/// A table for each board: what it took, what the model takes for the same image, and by how much the model is off. `records`
/// hold a board's next to the model's, as `cyclescope import` has them.
pub fn boards(records: &[Record]) -> Vec<Table> {
    let mut boards: Vec<(String, Vec<&Record>)> = Vec::new();
    for record in records.iter().filter(|record| record.source == Source::Silicon && record.unit == Unit::Nanoseconds) {
        let name = record.settings.get("board").map(Scalar::to_string).unwrap_or_default();
        match boards.iter_mut().find(|(known, _)| *known == name) {
            Some((_, of)) => of.push(record),
            None => boards.push((name, vec![record])),
        }
    }
    boards.into_iter().map(|(name, of)| board(&name, &of, records)).collect()
}

fn board(name: &str, of: &[&Record], all: &[Record]) -> Table {
    let chip = of.first().and_then(|record| record.chip.as_deref()).unwrap_or("?");
    let mut table = Table::new(
        format!("{name} ({chip}) beside the model"),
        [
            Column::text("experiment").rank(2),
            Column::text("framework"),
            Column::text("setting"),
            Column::quantity("board", "µs"),
            Column::number("runs").rank(3),
            Column::quantity("model", "µs"),
            Column::quantity("error", "µs"),
            Column::quantity("error", "%"),
            Column::quantity("a tick", "%").rank(1),
        ],
    );
    for record in of {
        let same = |other: &&Record| {
            other.source == Source::Simulated && (&other.metric, &other.params) == (&record.metric, &record.params) && {
                (&other.experiment, &other.contender, &other.mode, &other.opt)
                    == (&record.experiment, &record.contender, &record.mode, &record.opt)
            }
        };
        let model = all.iter().find(same).map(|model| model.mean.as_f64());
        let board = record.mean.as_f64();
        let error = model.map(|model| model - board);
        let tick = tick(record, all).map(|tick| 100.0 * tick / board);
        let row = record.params.get("row").map(|row| format!(" {row}")).unwrap_or_default();
        let number =
            |value: Option<f64>, places| value.map_or("n/a".to_owned(), |value| format::decimal(value, places));
        let share = error.map(|error| 100.0 * error / board);
        // What a tick of the program's clock can hide is no error that can be told.
        let tone = match (share, tick) {
            (Some(share), Some(tick)) if share.abs() <= tick => Tone::Good,
            (Some(_), _) => Tone::Bad,
            _ => Tone::Plain,
        };
        table.row([
            Cell::from(record.experiment.as_str()),
            Cell::toned(record.contender.as_str(), Tone::Strong),
            Cell::from(format!("{} {}{row}", record.mode, record.opt)),
            Cell::from(number(Some(board / 1000.0), 3)),
            Cell::from(shown(record.n.into())),
            Cell::from(number(model.map(|model| model / 1000.0), 3)),
            Cell::toned(number(error.map(|error| error / 1000.0), 3), tone),
            Cell::toned(number(share, 4), tone),
            Cell::toned(number(tick, 4), Tone::Faint),
        ]);
    }
    table.note(
        "Both by the program's own clock, with the flash as the firmware sets it up. `a tick`: what one step of that clock is \
         of the whole; a smaller error cannot be told from none. A board's oscillator is off too: an RC oscillator by up to a \
         per cent or so, a crystal by some parts in 100,000.",
    );
    table
}

/// Returns the length of a step of the program's clock, in nanoseconds.
fn tick(record: &Record, all: &[Record]) -> Option<f64> {
    let same = |other: &&Record| {
        (&other.experiment, &other.contender, &other.mode, &other.opt)
            == (&record.experiment, &record.contender, &record.mode, &record.opt)
    };
    let value =
        |metric: &str| all.iter().filter(same).find(|other| other.metric == metric).map(|other| other.mean.as_f64());
    Some(1e9 * value("own_clock.resolution").unwrap_or(1.0) / value("own_clock.hz")?)
}
