//! Records arranged for people.

use cyclescope_chips::Part;
use cyclescope_records::{Record, Scalar};
use cyclescope_report::{Cell, Column, Table, Tone, format};

use super::definition::Syscall;
use super::parts::{DISPATCH, DRIVER, ENTRY, INTERRUPTS};
use super::records::{DRIVER_TO_BACK, INSTRUCTIONS, PART, STRINGS, TRAP_TO_DRIVER, VECTOR_TO_DRIVER, WHOLE, WITHIN};
use crate::conditions::{Conditions, distinct, grouped};
use crate::{View, luck, table_notes};

/// The build that others are compared with.
const BASE: &str = "z";

/// The records of one contender in one mode.
struct Group<'r> {
    contender: &'r str,
    mode: &'r str,
    records: Vec<&'r Record>,
}

fn call(record: &Record) -> Option<String> {
    record.params.get("call").map(Scalar::to_string)
}

/// The optimisation levels of all contenders, in the order of the records.
fn opts<'r>(of: &Conditions<'r>) -> Vec<&'r str> {
    distinct(&of.records, |record| Some(record.opt.as_str()))
}

/// Tells if `contender` has any of `metrics` anywhere, and not always 0.
fn has(of: &Conditions<'_>, contender: &str, metrics: &[&String]) -> bool {
    let is = |record: &Record| {
        let metric = record.metric.strip_suffix(INSTRUCTIONS).unwrap_or_default();
        metrics.iter().any(|one| *one == metric) && record.max.as_f64() > 0.0
    };
    of.records.iter().any(|record| record.contender == contender && is(record))
}

impl<'r> Group<'r> {
    fn all(of: &Conditions<'r>) -> Vec<Self> {
        let groups = grouped(&of.records, |record| (record.contender.as_str(), record.mode.as_str()));
        groups.into_iter().map(|((contender, mode), records)| Self { contender, mode, records }).collect()
    }

    fn opts(&self) -> Vec<&'r str> {
        distinct(&self.records, |record| Some(record.opt.as_str()))
    }

    fn calls(&self) -> Vec<String> {
        distinct(&self.records, call)
    }

    fn of(&self, opt: &str, of_call: Option<&str>, metric: &str) -> Option<&'r Record> {
        let is = |record: &&&Record| record.opt == opt && record.metric == metric && call(record).as_deref() == of_call;
        self.records.iter().find(is).copied()
    }

    /// The records of `metric` of a call in all builds.
    fn of_all(&self, of_call: &str, metric: &str) -> impl Iterator<Item = &'r Record> {
        self.opts().into_iter().filter_map(move |opt| self.of(opt, Some(of_call), metric))
    }

    /// Instructions, and cycles where the core's timing is known.
    fn cost(&self, opt: &str, call: &str, metric: &str) -> Option<String> {
        let instructions = spread(self.of(opt, Some(call), &format!("{metric}{INSTRUCTIONS}"))?);
        Some(match self.of(opt, Some(call), metric) {
            Some(cycles) => format!("{instructions} / {}", spread(cycles)),
            None => instructions,
        })
    }

    /// Tells if any build has such a metric that is not always 0.
    fn has(&self, call: &str, metric: &str) -> bool {
        let some = |opt: &&str| {
            self.of(opt, Some(call), &format!("{metric}{INSTRUCTIONS}")).is_some_and(|record| record.max.as_f64() > 0.0)
        };
        self.opts().iter().any(some)
    }

    fn is_timed(&self) -> bool {
        self.records.iter().any(|record| record.unit == cyclescope_records::Unit::Cycles)
    }
}

/// The value that all samples have, or the least and the greatest.
fn spread(record: &Record) -> String {
    let number = |number| format::number(number, 0);
    if record.min == record.max {
        number(record.min)
    } else {
        format!("{}–{}", number(record.min), number(record.max))
    }
}

fn heading(opt: &str) -> Column {
    Column::number(if opt.is_empty() { "own" } else { opt })
}

/// For each chip and memory setting: the whole calls, and then where each one's instructions go.
pub fn tables(definition: &Syscall, records: &[Record], view: &View) -> Vec<Table> {
    let mut tables = Vec::new();
    for conditions in Conditions::all(records) {
        let groups = Group::all(&conditions);
        if groups.len() > 1 {
            tables.push(summary(definition, &conditions, &groups));
        }
        let parts = groups.len() == 1 || view.details;
        if parts {
            tables.extend(groups.iter().map(|group| detail(definition, &conditions, group, view)));
        }
        if let Some(last) = tables.last_mut() {
            notes(definition, &conditions, view, parts, last);
        }
    }
    tables
}

/// Returns the fewest and the most instructions of a whole call on each chip, under the first memory setting that was measured;
/// optimised for speed where that was measured.
pub fn answer(records: &[Record]) -> Option<String> {
    let all = Conditions::all(records);
    let memory = &all.first()?.memory;
    let whole = format!("{WHOLE}{INSTRUCTIONS}");
    let of = |conditions: &Conditions<'_>| {
        let own = || conditions.records.iter().filter(|record| record.metric == whole);
        let opt = own().find(|record| record.opt == "3").or_else(|| own().next())?.opt.as_str();
        let named = own().filter(|record| record.opt == opt).map(|record| {
            let call = call(record).unwrap_or_default();
            (record.mean.as_f64(), format!("{} {}, {call}", record.contender, record.mode))
        });
        let mut named: Vec<(f64, String)> = named.collect();
        named.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ((least, first), (most, last)) = (named.first()?, named.last()?);
        let (least, most) = (format::decimal(*least, 0), format::decimal(*most, 0));
        Some(match named.len() {
            1 => format!("{least} ({first}) on {}", conditions.chip),
            _ => format!("{least} ({first}) to {most} ({last}) on {}", conditions.chip),
        })
    };
    let texts: Vec<String> = all.iter().filter(|one| one.memory == *memory).filter_map(of).collect();
    (!texts.is_empty())
        .then(|| format!("Instructions of a call from its trap to the one behind it: {}.", texts.join("; ")))
}

fn on(conditions: &Conditions<'_>, timed: bool) -> String {
    let unit = if timed { "instructions / cycles" } else { "instructions" };
    match conditions.clock.get() {
        0 => format!("{}, memory {}: {unit}", conditions.chip, conditions.memory),
        _ => format!("{} at {}, memory {}: {unit}", conditions.chip, conditions.clock, conditions.memory),
    }
}

fn summary(definition: &Syscall, conditions: &Conditions<'_>, groups: &[Group<'_>]) -> Table {
    let timed = groups.iter().any(Group::is_timed);
    let title = format!("{} From trap to back on {}", definition.question, on(conditions, timed));
    let opts = opts(conditions);
    let heads = ["contender", "mode", "call"].map(Column::text).into_iter().chain(opts.iter().map(|opt| heading(opt)));
    let luck = luck::column(&conditions.records);
    let with_luck = luck.is_some();
    let mut table = Table::new(title, heads.chain(luck));
    if let Ok(part) = Part::find(conditions.chip) {
        table.head(format!("{}: {}.", part.name, part.description));
    }
    for group in groups {
        for call in group.calls() {
            let names = [Cell::toned(group.contender, Tone::Strong), group.mode.into(), call.as_str().into()];
            let cells = opts.iter().map(|opt| Cell::or_none(group.cost(opt, &call, WHOLE)));
            let luck = with_luck.then(|| luck::cell(group.of_all(&call, WHOLE)));
            table.row(names.into_iter().chain(cells).chain(luck));
        }
    }
    table
}

/// The rows of one call: metric and name.
fn rows(definition: &Syscall, whole: &Conditions<'_>, group: &Group<'_>, call: &str) -> Vec<(String, String)> {
    let ways = [
        (TRAP_TO_DRIVER, "trap to driver"),
        (VECTOR_TO_DRIVER, "vector to driver"),
        (DRIVER_TO_BACK, "driver to back"),
        (WHOLE, "whole: trap to back"),
    ];
    let there = |metric: &str| group.opts().iter().any(|opt| group.cost(opt, call, metric).is_some());
    let mut rows: Vec<(String, String)> = ways
        .into_iter()
        .filter(|(metric, _)| there(metric))
        .map(|(metric, name)| (metric.to_owned(), name.to_owned()))
        .collect();
    let title = |name: &str| {
        let known = definition.part.iter().find(|part| part.name == name).map(|part| part.title.clone());
        known.unwrap_or_else(|| match name {
            DISPATCH => "decode and dispatch".to_owned(),
            INTERRUPTS => "other exceptions".to_owned(),
            DRIVER => "driver".to_owned(),
            own => own.to_owned(),
        })
    };
    let parts = distinct(&group.records, |record| {
        let name = record.metric.strip_prefix(PART)?.strip_suffix(INSTRUCTIONS)?;
        Some(name).filter(|name| !name.ends_with(WITHIN))
    });
    // What a contender never has is not shown, and neither are exceptions that did not come.
    for part in parts {
        let metric = format!("{PART}{part}");
        let within = format!("{metric}{WITHIN}");
        let always = [ENTRY, DISPATCH].contains(&part);
        let others = ![INTERRUPTS, DRIVER].contains(&part) && has(whole, group.contender, &[&metric, &within]);
        if always || others || group.has(call, &metric) {
            rows.push((metric, format!("  {}", title(part))));
        }
        if group.has(call, &within) {
            rows.push((within, format!("  ({} within others)", title(part))));
        }
    }
    rows
}

fn detail(definition: &Syscall, conditions: &Conditions<'_>, group: &Group<'_>, view: &View) -> Table {
    let mode = definition.mode.iter().find(|mode| mode.name == group.mode);
    let mode = mode.map_or_else(String::new, |mode| format!(" {} ({})", mode.name, mode.title));
    let title = format!("{}{mode} on {}", group.contender, on(conditions, group.is_timed()));
    let opts = group.opts();
    let heads = ["call", "what"].map(Column::text).into_iter().chain(opts.iter().map(|opt| heading(opt)));
    let mut table = Table::new(title, heads);
    if let Some(contender) = definition.contender(group.contender, group.mode) {
        table.head(format!("Events: {}.", contender.what));
        let of = |what: fn(&Record) -> &str| distinct(&group.records, |record| Some(what(record))).join(" or ");
        let (version, compiler) = (of(|record| &record.contender_version), of(|record| &record.compiler));
        if view.details {
            table.head(table_notes::made_by(group.contender, &version, &compiler) + ".");
        }
    }
    for call in group.calls() {
        let mut name = Cell::toned(call.as_str(), Tone::Strong);
        for (metric, title) in rows(definition, conditions, group, &call) {
            let cells = opts.iter().map(|opt| Cell::or_none(group.cost(opt, &call, &metric)));
            table.row([std::mem::take(&mut name), title.into()].into_iter().chain(cells));
        }
        if luck::any(&group.records) {
            let cells = opts.iter().map(|opt| luck::cell(group.of(opt, Some(&call), WHOLE)));
            table.row([Cell::default(), "  luck of the whole, %".into()].into_iter().chain(cells));
        }
        if opts.contains(&BASE) && opts.len() > 1 {
            let cells = opts.iter().map(|opt| against(group, opt, &call));
            table.row([Cell::default(), format!("  instructions against {BASE}").into()].into_iter().chain(cells));
        }
    }
    let mut name = Cell::toned("image", Tone::Strong);
    let sizes = [
        ("text", ".text, bytes"),
        ("rodata", ".rodata, bytes"),
        (STRINGS, "  of it text strings"),
        ("ram", "RAM, bytes"),
    ];
    for (metric, title) in sizes {
        let sizes: Vec<Option<String>> = opts.iter().map(|opt| group.of(opt, None, metric).map(spread)).collect();
        if sizes.iter().any(Option::is_some) {
            table
                .row([std::mem::take(&mut name), title.into()].into_iter().chain(sizes.into_iter().map(Cell::or_none)));
        }
    }
    table
}

/// By how much the whole call is longer or shorter than in the build that others are compared with.
fn against(group: &Group<'_>, opt: &str, call: &str) -> Cell {
    let metric = format!("{WHOLE}{INSTRUCTIONS}");
    let mean = |opt| group.of(opt, Some(call), &metric).map(|record| record.mean.as_f64());
    let (Some(base), Some(this)) = (mean(BASE), mean(opt)) else { return Cell::or_none(None::<String>) };
    if opt == BASE {
        return Cell::default();
    }
    let percent = format::decimal((this / base - 1.0) * 100.0, 1);
    match this.total_cmp(&base) {
        std::cmp::Ordering::Less => Cell::toned(format!("{percent} %"), Tone::Good),
        std::cmp::Ordering::Equal => Cell::toned("same", Tone::Faint),
        std::cmp::Ordering::Greater => Cell::toned(format!("+{percent} %"), Tone::Bad),
    }
}

/// Adds the notes to the last table of `conditions`; with `parts`, there are tables of what calls and images consist of.
fn notes(definition: &Syscall, conditions: &Conditions<'_>, view: &View, parts: bool, table: &mut Table) {
    let samples = conditions.records.iter().filter(|record| record.params.contains_key("call"));
    let most = samples.map(|record| record.n).max().unwrap_or(0);
    table.note(format!("Each call up to {most} times; where they differ, the least and the greatest."));
    if parts {
        table.note(
            "The indented rows sum to the whole: trap entry and exit is what the core takes and the handler's own \
             instructions, copies and hook are with all that they call, and decode and dispatch is the rest. A copy written \
             out in line is whose code it stands in.",
        );
    }
    if !conditions.records.iter().any(|record| record.unit == cyclescope_records::Unit::Cycles) {
        table.note("No timing of this core: only instructions are counted.".to_owned());
    }
    if parts {
        table.note(
            "Text strings: runs of four printable characters and more in .rodata; format strings, and also names, messages \
             and paths for panics, which an ELF does not tell apart.",
        );
    }
    let opts = opts(conditions);
    for build in definition.build.iter().filter(|build| opts.contains(&build.opt.as_str())) {
        table.note(format!("{}: {}.", build.opt, build.what));
    }
    table_notes::notes(&conditions.records, &conditions.memory, view, table);
}
