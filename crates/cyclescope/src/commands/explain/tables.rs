//! The tables of explained commands.

use std::collections::BTreeMap;
use std::time::Duration;

use cyclescope_explain::Source;
use cyclescope_explain::parts::{Parts, Rule, middle};
use cyclescope_explain::rounds::{Outcome, Plan, Series};
use cyclescope_explain::strace::{Calls, SystemCalls};
use cyclescope_records::Unit;
use cyclescope_records::stats::Summary;
use cyclescope_report::format::{decimal, integer};
use cyclescope_report::{Cell, Column, Table, Tone};

use super::records::{CALLS, OWN, STATES, nanos};
use super::{Divided, waits};
use crate::commands::counted;

/// The most rows of system calls.
const MOST: usize = 10;

/// The most places in the kernel for each command.
const PLACES: usize = 5;

/// The parts in words, in the order of [`Parts::NAMES`].
const PARTS: [&str; 5] = ["start-up", "computing", "in the kernel", "waiting for a processor", "waiting to be woken"];

/// A command that has a run, with its letter.
pub(super) type One<'a> = (String, &'a str, &'a Series, &'a [Parts]);

/// The commands that have a run.
struct Shown<'a> {
    commands: Vec<One<'a>>,
}

/// Returns the tables.
pub(super) fn tables(plan: &Plan, outcome: &Outcome, divided: &Divided) -> Vec<Table> {
    let all = plan.commands.iter().zip(&outcome.series).zip(&divided.parts).enumerate();
    let all =
        all.map(|(place, ((command, series), parts))| (letter(place), command.name.as_str(), series, parts.as_slice()));
    let shown = Shown { commands: all.filter(|(_, _, series, _)| !series.accounts.is_empty()).collect() };
    let mut tables = vec![shown.account()];
    match shown.commands.as_slice() {
        [one] => tables.extend(shown.parts(one, divided)),
        [one, others @ ..] => tables.extend(others.iter().filter_map(|other| shown.difference(one, other, divided))),
        [] => {}
    }
    tables.extend(shown.calls());
    tables.extend(shown.stacks());
    tables.extend(waits::tables(&shown.commands));
    let foot = foot(plan, outcome, &shown);
    if let Some(last) = tables.last_mut() {
        last.foot.extend(foot);
    }
    tables
}

fn letter(place: usize) -> String {
    u8::try_from(place)
        .ok()
        .filter(|place| *place < 26)
        .map_or_else(|| place.to_string(), |place| char::from(b'A' + place).to_string())
}

impl Shown<'_> {
    /// The names of the commands by letter, where there are several.
    fn legend(&self) -> Vec<String> {
        match self.commands.as_slice() {
            [(_, name, ..)] => vec![(*name).to_owned()],
            several => several.iter().map(|(letter, name, ..)| format!("{letter}: {name}")).collect(),
        }
    }

    fn columns(&self, first: &str) -> Vec<Column> {
        let one = self.commands.len() == 1;
        let name = |letter: &String| if one { "median".to_owned() } else { letter.clone() };
        std::iter::once(Column::text(first))
            .chain(
                self.commands
                    .iter()
                    .flat_map(|(letter, ..)| [Column::number(name(letter)), Column::number("±").rank(2)]),
            )
            .collect()
    }

    /// The medians of all that the kernel and the sources tell of a run.
    fn account(&self) -> Table {
        let mut table = Table::new("One run by the kernel's account", self.columns("metric"));
        self.legend().into_iter().for_each(|line| _ = table.head(line));
        for (name, unit, of) in &OWN {
            self.row(&mut table, name, *unit, &|series| series.accounts.iter().map(of).collect());
        }
        for (name, unit, of) in &CALLS {
            self.row(&mut table, name, *unit, &|series| series.calls.iter().map(|(_, one)| of(one)).collect());
        }
        for (name, unit, of) in &STATES {
            self.row(&mut table, name, *unit, &|series| series.schedules.iter().map(|(_, one)| of(one)).collect());
        }
        self.row(&mut table, "instructions", Unit::Instructions, &|series| {
            series.instructions.iter().map(|(_, count)| Some(*count)).collect()
        });
        table
    }

    /// Adds the row of a metric, if a command has it.
    fn row(&self, table: &mut Table, name: &str, unit: Unit, samples: &dyn Fn(&Series) -> Option<Vec<u64>>) {
        let summaries: Vec<Option<Summary>> =
            self.commands.iter().map(|(_, _, series, _)| Summary::of_integers(&samples(series)?).ok()).collect();
        if summaries.iter().all(Option::is_none) {
            return;
        }
        let (scale, word) = match unit {
            Unit::Nanoseconds => (1e6, " (ms)"),
            Unit::Bytes => (1024.0, " (KiB)"),
            _ => (1.0, ""),
        };
        let figure = |value: f64| {
            if scale == 1.0 { decimal(value, 0) } else { decimal(value / scale, if scale == 1e6 { 3 } else { 0 }) }
        };
        let cells = summaries.iter().flat_map(|summary| {
            let median = summary.map(|summary| figure(summary.median.as_f64()));
            let spread = summary.map(|summary| match summary.stddev.as_f64() {
                0.0 if summary.n > 1 => "exact".to_owned(),
                _ if summary.n < 2 => String::new(),
                spread => figure(spread),
            });
            [Cell::or_none(median), Cell::toned(spread.unwrap_or_default(), Tone::Faint)]
        });
        table.row(std::iter::once(Cell::from(format!("{name}{word}"))).chain(cells));
    }

    /// The parts of the middle run of one command.
    fn parts(&self, one: &One<'_>, divided: &Divided) -> Option<Table> {
        let parts = middle_run(one.2, one.3)?;
        let total = parts.total().max(1) as f64;
        let mut table = Table::new(
            "Where the time of the middle run went",
            [Column::text("part"), Column::quantity("time", "ms"), Column::quantity("share", "%")],
        );
        for (name, time) in PARTS.iter().zip(parts.all()) {
            table.row([(*name).to_owned(), milliseconds(time), decimal(time as f64 * 100.0 / total, 1)]);
        }
        table.row([Cell::toned("the whole run", Tone::Strong), milliseconds(parts.total()).into(), "100.0".into()]);
        table.note(rule(divided)?);
        Some(table)
    }

    /// The difference of the middle runs of two commands in parts.
    fn difference(&self, one: &One<'_>, other: &One<'_>, divided: &Divided) -> Option<Table> {
        let (own, theirs) = (middle_run(one.2, one.3)?, middle_run(other.2, other.3)?);
        let mut table = Table::new(
            format!("Where the difference of {} to {} went, by their middle runs", one.0, other.0),
            [
                Column::text("part"),
                Column::quantity(one.0.clone(), "ms"),
                Column::quantity(other.0.clone(), "ms"),
                Column::quantity(format!("{} − {}", one.0, other.0), "ms"),
                Column::quantity("of the difference", "%").rank(1),
            ],
        );
        let whole = apart(own.total(), theirs.total());
        let mut row = |name: Cell, own: u64, theirs: u64| {
            let difference = apart(own, theirs);
            let share = if whole == 0 { String::new() } else { decimal(difference as f64 * 100.0 / whole as f64, 1) };
            let sign = if difference > 0 { "+" } else { "" };
            table.row([
                name,
                milliseconds(own).into(),
                milliseconds(theirs).into(),
                format!("{sign}{}", decimal(difference as f64 / 1e6, 3)).into(),
                share.into(),
            ]);
        };
        for ((name, own), theirs) in PARTS.iter().zip(own.all()).zip(theirs.all()) {
            row(Cell::from(*name), own, theirs);
        }
        row(Cell::toned("the whole run", Tone::Strong), own.total(), theirs.total());
        table.note(rule(divided)?);
        Some(table)
    }

    /// The system calls that took longest.
    fn calls(&self) -> Option<Table> {
        let all = self.commands.iter().map(|(_, _, series, _)| middle_calls(series));
        let all: Vec<Option<&SystemCalls>> = all.collect();
        let mut longest: BTreeMap<&str, Duration> = BTreeMap::new();
        for (name, calls) in all.iter().flatten().flat_map(|calls| &calls.by_name) {
            let sum = longest.entry(name).or_default();
            *sum = sum.saturating_add(calls.time);
        }
        let mut names: Vec<(&str, Duration)> = longest.into_iter().collect();
        names.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        let left = names.len().saturating_sub(MOST);
        let mut columns = vec![Column::text("system call")];
        for (letter, ..) in &self.commands {
            let own = if self.commands.len() == 1 { String::new() } else { format!("{letter}: ") };
            columns.extend([Column::number(format!("{own}calls")), Column::quantity(format!("{own}time"), "ms")]);
        }
        let mut table = Table::new("System calls of a run that strace slowed down", columns);
        for (name, _) in names.iter().take(MOST) {
            let cells = all.iter().flat_map(|calls| {
                let one: Option<Calls> = calls.map(|calls| calls.by_name.get(*name).copied().unwrap_or_default());
                [
                    Cell::or_none(one.map(|one| integer(one.count.into()))),
                    Cell::or_none(one.map(|one| milliseconds(nanos(one.time)))),
                ]
            });
            table.row(std::iter::once(Cell::from(*name)).chain(cells));
        }
        if left > 0 {
            table.note(format!(
                "{} that took less time are in the records (--format json).",
                counted(left as u64, "name", "names")
            ));
        }
        (!names.is_empty()).then_some(table)
    }

    /// The places in the kernel where threads waited longest.
    fn stacks(&self) -> Option<Table> {
        let mut table = Table::new(
            "Where threads waited to be woken, all threads together, in runs that bpftrace watched",
            [
                Column::text("command"),
                Column::quantity("time", "ms"),
                Column::symbol("in the kernel, the innermost function first"),
            ],
        );
        for (letter, _, series, _) in &self.commands {
            let Some((_, schedule)) = series.schedules.first() else { continue };
            for (frames, time) in schedule.stacks.iter().take(PLACES) {
                let place: Vec<&str> = frames.iter().take(3).map(String::as_str).collect();
                table.row([letter.clone(), milliseconds(nanos(*time)), place.join(" < ")]);
            }
        }
        (!table.rows.is_empty()).then_some(table)
    }
}

fn middle_run(series: &Series, parts: &[Parts]) -> Option<Parts> {
    parts.get(middle(&series.accounts)?).copied()
}

/// The first watched run stands for the others: counts that differ are in the account.
fn middle_calls(series: &Series) -> Option<&SystemCalls> {
    series.calls.first().map(|(_, calls)| calls)
}

fn apart(one: u64, other: u64) -> i64 {
    let difference = i128::from(one) - i128::from(other);
    i64::try_from(difference).unwrap_or(i64::MAX)
}

pub(super) fn milliseconds(nanos: u64) -> String {
    decimal(nanos as f64 / 1e6, 3)
}

/// The rule by which parts add up, for the foot.
fn rule(divided: &Divided) -> Option<String> {
    const STARTUP: &str = "Start-up ends when the program is in its process (execve is done). Computing and kernel divide the time on a \
                           processor as user and system time of all runs are.";
    Some(match divided.rule? {
        Rule::MainThread if divided.others_unknown => format!(
            "The parts are those of the main thread: what other threads and processes do meanwhile counts as waiting to be woken. For all \
             threads bpftrace must be allowed. {STARTUP}"
        ),
        Rule::MainThread => format!("The parts are those of the main thread, which did all the work. {STARTUP}"),
        Rule::AllThreads => format!(
            "Each moment is divided among the threads that run or wait for a processor, and is waiting to be woken if there are none; \
             runs that bpftrace watched gave the shares. {STARTUP}"
        ),
    })
}

/// The lines below the last table.
fn foot(plan: &Plan, outcome: &Outcome, shown: &Shown<'_>) -> Vec<String> {
    let settings = cyclescope_experiments::machine_settings();
    let setting = |name: &str| settings.get(name).map_or_else(|| "unknown".to_owned(), ToString::to_string);
    let mut lines = vec![format!(
        "Host: {}, kernel {}, {} processors ({}). {} after {} of warm-up, in an order drawn anew for each, seed {}{}.",
        setting("system"),
        setting("kernel"),
        setting("processors"),
        setting("processor"),
        counted(outcome.complete as u64, "round", "rounds"),
        plan.warmup,
        plan.seed,
        if plan.cold { "; the page cache emptied before each run" } else { "" },
    )];
    if !cfg!(target_os = "linux") {
        lines.push("Only Linux tells of run queues and bytes, and finds processes that leave their group.".to_owned());
    }
    lines.push(
        "Figures are medians; behind ± the standard deviation, or `exact` for those that are the same in each run."
            .to_owned(),
    );
    if shown.commands.iter().any(|(_, _, series, _)| series.accounts.iter().any(|account| account.peak_bytes.is_none()))
    {
        lines.push(
            "Without memory.peak: a command's largest resident set that does not exceed cyclescope's own, which the kernel counts from.".to_owned(),
        );
    }
    for used in &outcome.sources {
        lines.push(match &used.tool {
            Ok(tool) => {
                let more = if used.source == Source::Waits { waits::note(&shown.commands) } else { String::new() };
                let costs: Vec<f64> =
                    shown.commands.iter().filter_map(|(_, _, series, _)| series.cost(used.source)).collect();
                let worst = costs.iter().copied().fold(0.0, f64::max);
                format!(
                    "{}: {tool}, in {} of each command, which took {} times as long.{more}",
                    title(used.source),
                    counted(plan.traced as u64, "run", "runs"),
                    decimal(worst, if worst < 10.0 { 1 } else { 0 })
                )
            }
            Err(why) => format!("{}: {why}.", title(used.source)),
        });
    }
    lines
}

const fn title(source: Source) -> &'static str {
    match source {
        Source::SystemCalls => "System calls and the most threads at once (threads)",
        Source::Scheduler => "States of threads, migrations and places",
        Source::Waits => "Waits of runtimes' threads",
        Source::Instructions => "Instructions",
    }
}
