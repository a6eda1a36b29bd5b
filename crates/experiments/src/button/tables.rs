//! Records arranged for people: a table a chip, a column a contender, a row a metric.

use cyclescope_records::stats::Number;
use cyclescope_records::{Layouts, Record, Scalar};
use cyclescope_report::{Cell, Column, Table, Tone, format};

use super::definition::{Button, SpanRow};
use crate::conditions::Conditions;
use crate::digest::{Digest, chips, level, range, short};
use crate::{View, table_notes};

/// The mode without probe pins, and the one that it stands beside.
const BARE: (&str, &str) = ("bare", "interrupt");

/// The metric that all modes have: from the edge on the pin to the task.
const EDGE: &str = "latency.edge";

/// The span and the quantities that a table has without details, which answer the question and say what it costs.
const BRIEF: [&str; 8] =
    [EDGE, "latency.response", "edges.missed", "levels.misjudged", "awake", "text", "ram", "stack.main"];

/// Quantities that are no span: metric, title, unit, and what to multiply by.
const QUANTITIES: [(&str, &str, &str, f64); 14] = [
    ("edges.missed", "edges without a message", "count", 1.0),
    ("levels.misjudged", "levels at rest taken for the other", "count", 1.0),
    ("awake", "awake", "% of the time", 100.0),
    ("asleep", "asleep", "% of the time", 100.0),
    ("wakes.per_press", "wake-ups", "a press", 1.0),
    ("interrupts.per_press", "interrupts and ticks", "a press", 1.0),
    ("switches.per_press", "stack switches", "a press", 1.0),
    ("text", "flash (.text)", "bytes", 1.0),
    ("ram", "static RAM (.data + .bss)", "bytes", 1.0),
    ("stack.main", "stack used, main", "bytes", 1.0),
    ("stack.tasks", "stacks used, tasks", "bytes", 1.0),
    ("task.largest", "largest task or future", "bytes", 1.0),
    ("source.lines", "source", "lines", 1.0),
    ("source.unsafe", "unsafe in it", "count", 1.0),
];

/// When the edges came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    Random,
    Exhaustive,
    /// One edge, at this cycle, in this phase of the bus clocks.
    At(u64, u64),
}

impl Came {
    fn of(record: &Record) -> Self {
        let param = |name: &str| record.params.get(name);
        let text = param("arrivals").map(Scalar::to_string).unwrap_or_default();
        let number = |name: &str| param(name).and_then(|value| value.to_string().parse().ok());
        match (text.as_str(), number("window.from")) {
            ("one", Some(cycle)) => Self::At(cycle, number("phase").unwrap_or(0)),
            ("exhaustive", _) => Self::Exhaustive,
            _ => Self::Random,
        }
    }

    /// Returns the title with the conditions.
    fn title(self) -> String {
        match self {
            Self::Random => String::new(),
            Self::Exhaustive => ", every arrival of a window".to_owned(),
            Self::At(cycle, 0) => format!(", one edge at cycle {cycle}"),
            Self::At(cycle, phase) => format!(", one edge at cycle {cycle}, phase {phase}"),
        }
    }
}

/// The records of one chip, mode and optimisation level under one memory setting.
struct Shown<'r> {
    on: Conditions<'r>,
    mode: &'r str,
    opt: &'r str,
    arrivals: Came,
}

impl<'r> Shown<'r> {
    fn all(records: &'r [Record]) -> Vec<Self> {
        let of = |record: &'r Record| (record.mode.as_str(), record.opt.as_str(), Came::of(record));
        let shown = |(on, (mode, opt, arrivals))| Self { on, mode, opt, arrivals };
        Conditions::with(records, of).into_iter().map(shown).collect()
    }

    fn record(&self, contender: &str, metric: &str) -> Option<&'r Record> {
        self.on.of((contender, self.opt), metric).next()
    }
}

/// One of a record's estimates.
type Estimate = fn(&Record) -> Number;

/// A row's values, one a contender, and how to write one.
struct MetricRow<'a> {
    title: &'a str,
    unit: &'a str,
    values: Vec<Option<f64>>,
    places: usize,
    tone: Tone,
}

impl MetricRow<'_> {
    /// The row as cells; where there is a base, each other value with its difference from it.
    fn cells(&self, base: Option<usize>) -> Vec<Cell> {
        let compared = base.and_then(|base| self.values.get(base).copied().flatten().map(|value| (base, value)));
        let cell = |(index, value): (usize, &Option<f64>)| {
            let Some(value) = value else { return Cell::toned("n/a", Tone::Faint) };
            let mut text = format::decimal(*value, self.places);
            if let Some((base, of)) = compared
                && base != index
            {
                let difference = value - of;
                let sign = if difference < 0.0 { "-" } else { "+" };
                text += &format!(" ({sign}{}", format::decimal(difference.abs(), self.places));
                if of != 0.0 {
                    text += &format!(", {sign}{} %", format::decimal((difference / of * 100.0).abs(), 1));
                }
                text += ")";
            }
            Cell::toned(text, self.tone)
        };
        let heads = [Cell::toned(self.title, Tone::Strong), Cell::toned(self.unit, Tone::Faint)];
        heads.into_iter().chain(self.values.iter().enumerate().map(cell)).collect()
    }
}

/// For each chip, mode, optimisation level and memory setting: the result, and how it varies.
pub fn tables(definition: &Button, records: &[Record], view: &View) -> Vec<Table> {
    let all = Shown::all(records);
    all.iter()
        .flat_map(|shown| {
            let bare = (shown.mode == BARE.1).then(|| {
                all.iter().find(|other| {
                    (other.on.chip, other.mode, other.opt) == (shown.on.chip, BARE.0, shown.opt)
                        && other.on.memory == shown.on.memory
                        && other.arrivals == shown.arrivals
                })
            });
            let mut tables = vec![result(definition, shown, bare.flatten(), view)];
            tables.extend(view.details.then(|| spread(definition, shown)));
            tables.extend(histograms(definition, shown));
            tables
        })
        .collect()
}

fn columns(shown: &Shown<'_>) -> Vec<Column> {
    let heads = [Column::text(""), Column::text("")];
    heads.into_iter().chain(shown.on.contenders().into_iter().map(Column::number)).collect()
}

fn result(definition: &Button, shown: &Shown<'_>, bare: Option<&Shown<'_>>, view: &View) -> Table {
    let mode = definition.mode(shown.mode).map_or(shown.mode, |mode| mode.title.as_str());
    let arrivals = shown.arrivals.title();
    let title = format!(
        "{} {} at {}, {mode}, optimised {}, memory {}{arrivals}",
        definition.question, shown.on.chip, shown.on.clock, shown.opt, shown.on.memory
    );
    let mut table = Table::new(title, columns(shown));
    let contenders = shown.on.contenders();
    let base = view.base.as_ref().and_then(|base| contenders.iter().position(|name| name.eq_ignore_ascii_case(base)));
    let mut row = |row: MetricRow<'_>| {
        if row.values.iter().any(Option::is_some) {
            table.row(row.cells(base));
        }
    };
    let of = |shown: &Shown<'_>, metric: &str, take: Estimate| -> Vec<Option<f64>> {
        contenders.iter().map(|name| shown.record(name, metric).map(|record| take(record).as_f64())).collect()
    };
    let spans = |shown: &Shown<'_>, span: &SpanRow, title: &str, row: &mut dyn FnMut(MetricRow<'_>)| {
        let mean = of(shown, &span.metric, |record| record.mean);
        let microseconds = |value: &Option<f64>| value.map(|cycles| cycles * 1e6 / shown.on.clock.get() as f64);
        let in_time = mean.iter().map(microseconds).collect();
        row(MetricRow { title, unit: "cycles, mean", values: mean, places: 1, tone: Tone::Plain });
        row(MetricRow { title: "", unit: "µs, mean", values: in_time, places: 3, tone: Tone::Faint });
        let greatest = of(shown, &span.metric, |record| record.max);
        row(MetricRow { title: "", unit: "cycles, max", values: greatest, places: 0, tone: Tone::Faint });
        let spread = |name: &&str| Some(100.0 * Layouts::of(shown.record(name, &span.metric)?)?.spread());
        let luck = contenders.iter().map(spread).collect();
        row(MetricRow { title: "", unit: "luck of the mean, %", values: luck, places: 1, tone: Tone::Faint });
    };
    let is_shown = |metric: &str| view.details || BRIEF.contains(&metric);
    for span in definition.span.iter().filter(|span| is_shown(&span.metric)) {
        spans(shown, span, &span.title, &mut row);
        if let Some(bare) = bare.filter(|_| span.metric == EDGE) {
            spans(bare, span, "the same without the probe pins", &mut row);
        }
    }
    for (metric, title, unit, factor) in QUANTITIES.into_iter().filter(|(metric, ..)| is_shown(metric)) {
        let values = of(shown, metric, |record| record.mean);
        let places = if unit == "bytes" || unit == "lines" || unit == "count" { 0 } else { 2 };
        let values = values.into_iter().map(|value| value.map(|value| value * factor)).collect();
        let values: Vec<Option<f64>> = values;
        // That nothing went wrong is not worth a line.
        if view.details || unit != "count" || values.iter().flatten().any(|count| *count > 0.0) {
            row(MetricRow { title, unit, values, places, tone: Tone::Plain });
        }
    }
    notes(definition, shown, view, &mut table);
    table
}

/// n, standard deviation, least, middle, 99th percentile and greatest of each span.
fn spread(definition: &Button, shown: &Shown<'_>) -> Table {
    let mut table = Table::new("How it varies, in cycles", columns(shown));
    let estimates: [(&str, Estimate, usize); 6] = [
        ("n", |record| Number::Integer(i64::try_from(record.n).unwrap_or(i64::MAX)), 0),
        ("standard deviation", |record| record.stddev, 1),
        ("min", |record| record.min, 0),
        ("median", |record| record.median, 1),
        ("p99", |record| record.p99, 0),
        ("max", |record| record.max, 0),
    ];
    for span in &definition.span {
        for (index, (unit, take, places)) in estimates.into_iter().enumerate() {
            let value = |name: &&str| Some(take(shown.record(name, &span.metric)?).as_f64());
            let values: Vec<Option<f64>> = shown.on.contenders().iter().map(value).collect();
            let title = if index == 0 { span.title.as_str() } else { "" };
            if values.iter().any(Option::is_some) {
                table.row(MetricRow { title, unit, values, places, tone: Tone::Plain }.cells(None));
            }
        }
    }
    table
}

/// Returns the spread of the answers as bars for every arrival that was tried, and the worst arrival.
fn histograms(definition: &Button, shown: &Shown<'_>) -> Vec<Table> {
    if shown.arrivals != Came::Exhaustive {
        return Vec::new();
    }
    let mut tables = Vec::new();
    for contender in shown.on.contenders() {
        for span in definition.span.iter().filter(|span| span.metric == EDGE) {
            let Some(record) = shown.record(contender, &span.metric) else { continue };
            let Some(histogram) = &record.histogram else { continue };
            let mut table = cyclescope_report::histogram(format!("{contender}: {}", span.title), "cycles", histogram);
            if let Some(worst) = record.params.get("worst_arrival") {
                let phase =
                    record.params.get("worst_phase").map(|phase| format!(" --phase {phase}")).unwrap_or_default();
                table.note(format!(
                    "The worst is the edge at cycle {worst}; alone again: `cyclescope run {} --chip {} --contender {contender} \
                     --mode {} --opt {} --memory {} --arrival {worst}{phase}`.",
                    definition.name, shown.on.chip, shown.mode, shown.opt, shown.on.memory
                ));
            }
            tables.push(table);
        }
    }
    tables
}

fn notes(definition: &Button, shown: &Shown<'_>, view: &View, table: &mut Table) {
    table.note(if view.details {
        "T1 and T2: pin A rises as the handler begins and falls as it ends. T3 and T4: pin B rises as the button task stops \
         waiting and falls as it waits again; where each stands in each source: docs/experiments.md. Others' \"interrupt \
         latency\" may be T1..T3 or T1..T4. Edge: the pin's own, which no oscilloscope on the probes sees. Stack switches \
         are a kernel's; the other contenders have one stack and so none."
    } else {
        "Edge: the pin's own. T1: the handler begins. T4: the button task waits again (docs/experiments.md)."
    });
    if view.details {
        for contender in shown.on.contenders() {
            let reasons = definition.contender(contender).map(|contender| &contender.reason);
            for (what, why) in reasons.into_iter().flatten() {
                table.note(format!("{contender}: no figure for {what}: {why}."));
            }
        }
    }
    if let Some(stimulus) = shown.on.records.iter().find_map(|record| record.params.get("stimulus")) {
        table.note(format!("Stimulus: {stimulus}."));
    }
    table_notes::notes(&shown.on.records, &shown.on.memory, view, table);
}

/// Tells if the digest shows the mode called `name`.
pub fn is_digested(name: &str) -> bool {
    name == BARE.0
}

/// From the edge to the task without probe pins, on each chip; for speed if that was measured.
pub fn digest(definition: &Button, records: &[Record]) -> Option<Digest> {
    let all = Shown::all(records);
    let memory = &all.first()?.on.memory;
    let opt = if all.iter().any(|shown| shown.opt == "3") { "3" } else { all.first()?.opt };
    let chips: Vec<&Shown<'_>> =
        all.iter().filter(|shown| (shown.mode, shown.opt) == (BARE.0, opt) && shown.on.memory == *memory).collect();
    let first = chips.first()?;
    let stated = format!("memory {memory}, optimised {}", level(opt));
    let mut columns = vec![Column::text("framework")];
    for chip in &chips {
        columns.extend(["mean", "max"].map(|estimate| Column::quantity(short(chip.on.chip), estimate)));
    }
    let mut table = Table::new(format!("{}: {}", definition.name, definition.question), columns);
    table.head(format!(
        "µs from the edge on the pin to the task, without probe pins. {}; {stated}.",
        self::chips(chips.iter().map(|chip| &chip.on))
    ));
    let cell = |chip: &Shown<'_>, contender: &str, take: Estimate| {
        let value = chip.record(contender, EDGE).map(|record| take(record).as_f64() * 1e6 / chip.on.clock.get() as f64);
        Cell::or_none(value.map(|value| format::decimal(value, 2)))
    };
    let (mean, max): (Estimate, Estimate) = (|record| record.mean, |record| record.max);
    for contender in first.on.contenders() {
        let figures = chips.iter().flat_map(|chip| [mean, max].map(|take| cell(chip, contender, take)));
        table.row(std::iter::once(Cell::toned(contender, Tone::Strong)).chain(figures));
    }
    let means = |chip: &Shown<'_>| {
        let mean = |name| Some((chip.record(name, EDGE)?.mean.as_f64(), name));
        range(&chip.on, chip.on.contenders().into_iter().filter_map(mean))
    };
    let spans: Vec<String> = chips.iter().filter_map(|chip| means(chip)).collect();
    let conclusion =
        format!("Without probe pins it takes, from the edge to the task, in the mean, {}.", spans.join(", "));
    Some(Digest { table, conclusion })
}
