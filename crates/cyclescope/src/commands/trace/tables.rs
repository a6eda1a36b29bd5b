//! A trace for people.

use std::sync::Arc;

use cyclescope_report::{Cell, Column, Table, Tone, format};
use cyclescope_scope::{Account, CallCost, ClassCost, Cost, FunctionCost, InlineCost, LineCost, PathCost};

use crate::cli::trace::TraceBy;
use crate::commands::assumed;
use crate::tracing::{Occurrence, TraceOutcome, TraceRequest};

/// One table of `account`, that of `outcome` or the part of it awake, for each way in `by`: the first says what they are of, and the last what must be known to read them.
pub(super) fn tables(
    request: &TraceRequest<'_>,
    outcome: &TraceOutcome,
    account: &Account,
    by: &[TraceBy],
    top: usize,
) -> Vec<Table> {
    let table = |by: &TraceBy| match by {
        TraceBy::Function => functions(account, top),
        TraceBy::Path => paths(account, top),
        TraceBy::Line => lines(account, top),
        TraceBy::Inlined => inlined(account, top),
        TraceBy::Class => classes(account),
        TraceBy::Helper => helpers(account, top),
    };
    // A way that has nothing to say is left out, unless there is no other.
    let mut tables: Vec<Table> = by.iter().map(table).collect();
    if tables.iter().any(|table| !table.rows.is_empty()) {
        tables.retain(|table| !table.rows.is_empty());
    }
    if let Some(first) = tables.first_mut() {
        let (name, part, memory) = (request.guest.name, &outcome.run.part, request.guest.memory.name());
        first.title = format!("{name} on {part}, {memory} memory: {}", what(request));
        first.head.push(summary(outcome));
        if account.total != outcome.account.total {
            first.head.push(slept(outcome, account));
        }
    }
    if let Some(last) = tables.last_mut() {
        foot(last, outcome);
    }
    tables
}

fn what(request: &TraceRequest<'_>) -> String {
    match request.span {
        None => "the whole run".to_owned(),
        Some(span) => match span.occurrence {
            Occurrence::Number(number) if number.get() == 1 => format!("{}..{}", span.from, span.to),
            Occurrence::Number(number) => format!("{}..{}, occurrence {number}", span.from, span.to),
            Occurrence::All => format!("{}..{}, all occurrences", span.from, span.to),
        },
    }
}

fn summary(outcome: &TraceOutcome) -> String {
    let integer = |value: u64| format::integer(value.into());
    let Cost { instructions, cycles } = outcome.account.total;
    let time = time(outcome);
    let of = if outcome.account.cores > 1 { format!(" of {} cores", outcome.account.cores) } else { String::new() };
    let mut text = format!("{instructions}, {cycles}{of}{time}");
    if let (Some(least), Some(most)) = (outcome.elapsed.iter().min(), outcome.elapsed.iter().max())
        && outcome.elapsed.len() > 1
    {
        let occurrences = outcome.account.occurrences;
        let (occurrences, least, most) = (integer(occurrences), integer(least.get()), integer(most.get()));
        text += &format!(" in {occurrences} occurrences of {least} to {most} cycles");
    }
    text + "."
}

/// The sleep that `account` leaves out.
fn slept(outcome: &TraceOutcome, account: &Account) -> String {
    let all = outcome.account.total.cycles.get();
    let asleep = outcome.account.asleep().get();
    let percent = format::decimal(100.0 * asleep as f64 / all.max(1) as f64, 1);
    let (asleep, awake) = (format::integer(asleep.into()), format::integer(account.total.cycles.get().into()));
    let slept = if account.cores > 1 { "The cores were" } else { "The core was" };
    format!(
        "{slept} asleep for {asleep} of these cycles ({percent} %). The shares are of the {awake} awake; --sleep \
         counts all."
    )
}

/// The time of all occurrences, with the core's clock if it was the same in all of them.
fn time(outcome: &TraceOutcome) -> String {
    let (cycles, clock) = (u128::from(outcome.account.total.cycles.get()), outcome.run.clock);
    // The time passes for all cores at once.
    let cycles = cycles / outcome.account.cores.max(1) as u128;
    let steady = (cycles * 1_000_000_000_000).checked_div(clock.get().into()).unwrap_or(0);
    // Each beginning and end is rounded down to a picosecond.
    let rounded = 2 * u128::from(outcome.account.occurrences);
    let at = if steady.abs_diff(outcome.time.get().into()) <= rounded { format!(" at {clock}") } else { String::new() };
    format!(" ({}{at})", format::time(outcome.time))
}

fn count(value: u64) -> Cell {
    format::integer(value.into()).into()
}

fn share(cost: Cost, account: &Account) -> Cell {
    let percent = 100.0 * cost.cycles.get() as f64 / account.total.cycles.get().max(1) as f64;
    format::decimal(percent, 1).into()
}

fn costs(cost: Cost) -> [Cell; 2] {
    [count(cost.instructions.get()), count(cost.cycles.get())]
}

fn instructions_and_cycles() -> [Column; 2] {
    [Column::number("instructions").rank(2), Column::number("cycles")]
}

/// The number of `rows` that a table of the first `top` shows; 0 is all.
fn shown<T>(rows: &[T], top: usize) -> usize {
    if top == 0 { rows.len() } else { top.min(rows.len()) }
}

/// `table` with the first `top` of `rows`; what is left out is summed up.
fn fill<T>(
    mut table: Table,
    rows: &[T],
    top: usize,
    cells: impl Fn(&T) -> Vec<Cell>,
    cost: impl Fn(&T) -> Cost,
) -> Table {
    let shown = shown(rows, top);
    for row in &rows[..shown] {
        table.row(cells(row));
    }
    if shown < rows.len() {
        let rest: Cost = rows[shown..].iter().map(cost).sum();
        let left = Cell::toned(format!("{} more", format::integer((rows.len() - shown) as i128)), Tone::Faint);
        table.row(std::iter::once(left).chain(costs(rest)));
    }
    table
}

fn functions(account: &Account, top: usize) -> Table {
    let columns = called_columns("function");
    let cells = |row: &FunctionCost| called(&row.name, row.calls, row.own, row.total, account);
    fill(Table::new("By function", columns), &account.functions, top, cells, |row| row.own)
}

fn paths(account: &Account, top: usize) -> Table {
    let columns = called_columns("path");
    let jumps = account.paths[..shown(&account.paths, top)].iter().any(|path| !path.jumps.is_empty());
    let cells = |row: &PathCost| called(&folded(&row.names()), row.calls, row.own, row.total, account);
    let mut table = fill(Table::new("By path of calls", columns), &account.paths, top, cells, |row| row.own);
    if jumps {
        table
            .note("`f ↪ g`: f ended with a jump to g (a tail call). g returns to f's caller, and its cost is not f's.");
    }
    table
}

/// The longest cycle of calls that is looked for.
const CYCLE: usize = 8;

/// Returns the path of `functions`, in which cycles of calls stand once with their count.
fn folded(functions: &[Arc<str>]) -> String {
    let mut parts = Vec::new();
    let mut rest = functions;
    while let Some(first) = rest.first() {
        let times = |length: usize| {
            let cycle = &rest[..length];
            rest.chunks_exact(length).take_while(|chunk| *chunk == cycle).count()
        };
        let cycles = (1..=CYCLE.min(rest.len())).map(|length| (length, times(length)));
        let longest = cycles.filter(|(_, times)| *times > 1).max_by_key(|(length, times)| (length * times, *times));
        let (length, times) = longest.unwrap_or((1, 1));
        parts.push(match (length, times) {
            (_, 1) => first.to_string(),
            (1, times) => format!("{first} ×{times}"),
            (length, times) => format!("({}) ×{times}", rest[..length].join(" > ")),
        });
        rest = &rest[length * times..];
    }
    parts.join(" > ")
}

fn called_columns(what: &str) -> impl Iterator<Item = Column> {
    let totals =
        [("instructions", 3), ("cycles", 1)].map(|(unit, rank)| Column::quantity("with callees", unit).rank(rank));
    [Column::symbol(what)]
        .into_iter()
        .chain(instructions_and_cycles())
        .chain([Column::number("%")])
        .chain(totals)
        .chain([Column::number("calls").rank(1)])
}

fn called(name: &str, calls: u64, own: Cost, total: Cost, account: &Account) -> Vec<Cell> {
    let name = std::iter::once(Cell::from(name));
    name.chain(costs(own)).chain([share(own, account)]).chain(costs(total)).chain([count(calls)]).collect()
}

fn lines(account: &Account, top: usize) -> Table {
    let cells = |row: &LineCost| {
        let name = row.line.as_ref().map_or("(no line)".to_owned(), ToString::to_string);
        simple(&name, row.cost, account)
    };
    fill(Table::new("By source line", simple_columns("line")), &account.lines, top, cells, |row| row.cost)
}

fn classes(account: &Account) -> Table {
    let cells = |row: &ClassCost| simple(&row.name, row.cost, account);
    fill(Table::new("By class of instruction", simple_columns("class")), &account.classes, 0, cells, |row| row.cost)
}

fn simple_columns(what: &str) -> impl Iterator<Item = Column> {
    [Column::symbol(what)].into_iter().chain(instructions_and_cycles()).chain([Column::number("%")])
}

fn simple(name: &str, cost: Cost, account: &Account) -> Vec<Cell> {
    std::iter::once(Cell::from(name)).chain(costs(cost)).chain([share(cost, account)]).collect()
}

fn inlined(account: &Account, top: usize) -> Table {
    let totals =
        [("instructions", 3), ("cycles", 1)].map(|(unit, rank)| Column::quantity("with inlined", unit).rank(rank));
    let columns = [Column::symbol("inlined function")].into_iter().chain(instructions_and_cycles());
    let columns = columns.chain(totals).chain([Column::symbol("into")]);
    let cells = |row: &InlineCost| {
        let name = std::iter::once(Cell::from(row.name.as_str()));
        name.chain(costs(row.own)).chain(costs(row.total)).chain([Cell::from(row.into.as_str())]).collect()
    };
    fill(Table::new("By inlined function", columns), &account.inlined, top, cells, |row| row.own)
}

fn helpers(account: &Account, top: usize) -> Table {
    let columns = [Column::symbol("helper")].into_iter().chain(instructions_and_cycles());
    let columns = columns.chain([Column::number("calls").rank(1), Column::symbol("caller")]);
    let cells = |row: &CallCost| {
        let name = std::iter::once(Cell::from(row.helper.as_str()));
        let caller = if row.jumped { format!("{} ↪", row.caller) } else { row.caller.clone() };
        name.chain(costs(row.total)).chain([count(row.calls), Cell::from(caller)]).collect()
    };
    let table = Table::new("Helpers with what they called, by caller", columns);
    let mut table = fill(table, &account.helpers, top, cells, |row| row.total);
    if account.helpers[..shown(&account.helpers, top)].iter().any(|row| row.jumped) {
        table.note("`f ↪`: f ended with a jump to the helper (a tail call), which is not in f's cost with callees.");
    }
    table
}

fn foot(table: &mut Table, outcome: &TraceOutcome) {
    if let Some(written) = &outcome.flash_written {
        table.note(format!("The firmware had set the flash to {written}."));
    }
    table.foot.extend(assumed(&outcome.model));
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn recursion_is_folded_with_its_count() {
        let path = |names: &str| folded(&names.chars().map(|name| name.to_string().into()).collect::<Vec<_>>());
        assert_eq!(path("mfx"), "m > f > x");
        assert_eq!(path("mffffx"), "m > f ×4 > x");
        assert_eq!(path("mababac"), "m > (a > b) ×2 > a > c");
        assert_eq!(path("aabaab"), "(a > a > b) ×2", "the longer cycle says more");
        assert_eq!(path(&"f".repeat(3000)), "f ×3000");
        assert_eq!(path(""), "");
    }
}
