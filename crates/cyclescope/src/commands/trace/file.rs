//! A trace for programs, and as a flame graph.

use std::io;

use cyclescope_records::Model;
use cyclescope_scope::{Account, Cost};
use serde::Serialize;

use crate::TOOL;
use crate::error::CliError;
use crate::tracing::{TraceOutcome, TraceRequest};

/// The version of the form below.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct File<'a> {
    schema: u32,
    tool: &'a str,
    image: &'a str,
    image_sha256: String,
    chip: &'a str,
    clock_hz: u64,
    memory: &'a str,
    flash_written: Option<&'a str>,
    from: Option<String>,
    to: Option<String>,
    occurrence: Option<String>,
    stimuli: Vec<String>,
    model: &'a Model,
    occurrences: u64,
    elapsed: Vec<u64>,
    total: Numbers,
    functions: Vec<Function<'a>>,
    paths: Vec<Path<'a>>,
    lines: Vec<Line<'a>>,
    inlined: Vec<Inlined<'a>>,
    classes: Vec<Class<'a>>,
    helpers: Vec<Helper<'a>>,
    instructions: Vec<Instruction<'a>>,
}

#[derive(Serialize)]
struct Numbers {
    instructions: u64,
    cycles: u64,
}

impl From<Cost> for Numbers {
    fn from(cost: Cost) -> Self {
        Self { instructions: cost.instructions.get(), cycles: cost.cycles.get() }
    }
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    address: Option<u32>,
    calls: u64,
    own: Numbers,
    total: Numbers,
}

#[derive(Serialize)]
struct Path<'a> {
    functions: Vec<&'a str>,
    calls: u64,
    own: Numbers,
    total: Numbers,
}

#[derive(Serialize)]
struct Line<'a> {
    file: Option<&'a str>,
    line: Option<u32>,
    own: Numbers,
}

#[derive(Serialize)]
struct Inlined<'a> {
    name: &'a str,
    into: &'a str,
    own: Numbers,
    total: Numbers,
}

#[derive(Serialize)]
struct Class<'a> {
    name: &'a str,
    own: Numbers,
}

#[derive(Serialize)]
struct Helper<'a> {
    name: &'a str,
    caller: &'a str,
    calls: u64,
    total: Numbers,
}

#[derive(Serialize)]
struct Instruction<'a> {
    address: u32,
    function: &'a str,
    class: &'a str,
    own: Numbers,
}

fn listed<'a, T, R>(rows: &'a [T], row: impl Fn(&'a T) -> R) -> Vec<R> {
    rows.iter().map(row).collect()
}

/// Everything counted, as docs/trace.md describes it.
///
/// # Errors
/// [`CliError::Json`] where it cannot be written down.
pub(super) fn json(request: &TraceRequest<'_>, outcome: &TraceOutcome) -> Result<String, CliError> {
    let account: &Account = &outcome.account;
    let file = File {
        schema: SCHEMA,
        tool: TOOL,
        image: request.guest.name,
        image_sha256: request.guest.image.file_sha256().to_string(),
        chip: &outcome.run.part,
        clock_hz: outcome.run.clock.get(),
        memory: request.guest.memory.name(),
        flash_written: outcome.flash_written.as_deref(),
        from: request.span.map(|span| span.from.to_string()),
        to: request.span.map(|span| span.to.to_string()),
        occurrence: request.span.map(|span| span.occurrence.to_string()),
        stimuli: listed(request.scenario.rules, ToString::to_string),
        model: &outcome.model,
        occurrences: account.occurrences,
        elapsed: listed(&outcome.elapsed, |cycles| cycles.get()),
        total: account.total.into(),
        functions: listed(&account.functions, |row| Function {
            name: &row.name,
            address: row.address.map(|address| address.get()),
            calls: row.calls,
            own: row.own.into(),
            total: row.total.into(),
        }),
        paths: listed(&account.paths, |row| Path {
            functions: row.functions.iter().map(|name| &**name).collect(),
            calls: row.calls,
            own: row.own.into(),
            total: row.total.into(),
        }),
        lines: listed(&account.lines, |row| Line {
            file: row.line.as_ref().map(|line| line.file.as_str()),
            line: row.line.as_ref().map(|line| line.line),
            own: row.cost.into(),
        }),
        inlined: listed(&account.inlined, |row| Inlined {
            name: &row.name,
            into: &row.into,
            own: row.own.into(),
            total: row.total.into(),
        }),
        classes: listed(&account.classes, |row| Class { name: &row.name, own: row.cost.into() }),
        helpers: listed(&account.helpers, |row| Helper {
            name: &row.helper,
            caller: &row.caller,
            calls: row.calls,
            total: row.total.into(),
        }),
        instructions: listed(&account.instructions, |row| Instruction {
            address: row.pc.get(),
            function: &row.function,
            class: row.class.name(),
            own: row.cost.into(),
        }),
    };
    let mut text = serde_json::to_string_pretty(&file).map_err(CliError::Json)?;
    text.push('\n');
    Ok(text)
}

/// The paths of calls as a picture, as wide as their cycles; none where there are no cycles.
///
/// # Errors
/// Errors of the writer.
pub(super) fn flame_graph(request: &TraceRequest<'_>, outcome: &TraceOutcome) -> io::Result<Option<Vec<u8>>> {
    let taken = outcome.account.paths.iter().filter(|path| path.own.cycles.get() > 0);
    let mut lines: Vec<String> = taken
        .map(|path| {
            // A semicolon stands between functions.
            let functions: Vec<String> = path.functions.iter().map(|name| name.replace(';', ",")).collect();
            format!("{} {}", functions.join(";"), path.own.cycles.get())
        })
        .collect();
    if lines.is_empty() {
        return Ok(None);
    }
    lines.sort();
    let mut options = inferno::flamegraph::Options::default();
    options.title = format!("{} on {}", request.guest.name, outcome.run.part);
    options.count_name = "cycles".to_owned();
    options.deterministic = true;
    let mut bytes = Vec::new();
    inferno::flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), &mut bytes)
        .map_err(io::Error::other)?;
    Ok(Some(bytes))
}
