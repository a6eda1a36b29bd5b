//! A trace for programs.

use cyclescope_scope::{Account, Cost};
use serde::Serialize;
use serde_json::{Value, json};

use crate::TOOL;
use crate::tracing::{TraceOutcome, TraceRequest};

/// The version of the form below.
const SCHEMA: u32 = 1;

/// Returns `cost` as two numbers.
fn numbers(cost: Cost) -> Value {
    json!({"instructions": cost.instructions.get(), "cycles": cost.cycles.get()})
}

fn listed<'a, T>(rows: &'a [T], row: impl Fn(&'a T) -> Value) -> Vec<Value> {
    rows.iter().map(row).collect()
}

/// The file: its long list stands in rows of their own, since a [`Value`] of each would take a kilobyte.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    head: Value,
    instructions: Vec<InstructionRow<'a>>,
    elsewhere: Own,
}

#[derive(Serialize)]
struct InstructionRow<'a> {
    address: u32,
    function: &'a str,
    class: &'static str,
    own: Own,
}

#[derive(Serialize)]
struct Own {
    instructions: u64,
    cycles: u64,
}

fn own(cost: Cost) -> Own {
    Own { instructions: cost.instructions.get(), cycles: cost.cycles.get() }
}

/// Everything counted, as docs/trace.md describes it.
///
/// # Errors
/// Those of serde_json, which has none for this form.
pub fn json(request: &TraceRequest<'_>, outcome: &TraceOutcome) -> serde_json::Result<String> {
    let account: &Account = &outcome.account;
    let mut file = json!({
        "schema": SCHEMA,
        "tool": TOOL,
        "image": request.guest.name,
        "image_sha256": request.guest.image.file_sha256().to_string(),
        "chip": outcome.run.part,
        "clock_hz": outcome.run.clock.get(),
        "memory": request.guest.memory.name(),
        "flash_written": outcome.flash_written,
        "from": request.span.map(|span| span.from.to_string()),
        "to": request.span.map(|span| span.to.to_string()),
        "occurrence": request.span.map(|span| span.occurrence.to_string()),
        "stimuli": listed(request.scenario.rules, |rule| rule.to_string().into()),
        "attached": request.guest.device_texts().collect::<Vec<_>>(),
        "files": request.guest.files.map(|files| files.path.display().to_string()),
        "model": outcome.model,
        "occurrences": account.occurrences,
        "elapsed": listed(&outcome.elapsed, |cycles| cycles.get().into()),
        "total": numbers(account.total),
        "functions": listed(&account.functions, |row| json!({
            "name": row.name,
            "address": row.address.map(|address| address.get()),
            "calls": row.calls,
            "own": numbers(row.own),
            "total": numbers(row.total),
        })),
        "paths": listed(&account.paths, |row| json!({
            "functions": row.functions.iter().map(|name| &**name).collect::<Vec<_>>(),
            "jumps": listed(&row.jumps, |jump| json!({"at": jump.at, "from": &*jump.from})),
            "calls": row.calls,
            "own": numbers(row.own),
            "total": numbers(row.total),
        })),
        "lines": listed(&account.lines, |row| json!({
            "file": row.line.as_ref().map(|line| &line.file),
            "line": row.line.as_ref().map(|line| line.line),
            "own": numbers(row.cost),
        })),
        "inlined": listed(&account.inlined, |row| json!({
            "name": row.name,
            "into": row.into,
            "own": numbers(row.own),
            "total": numbers(row.total),
        })),
        "classes": listed(&account.classes, |row| json!({"name": row.name, "own": numbers(row.cost)})),
        "helpers": listed(&account.helpers, |row| json!({
            "name": row.helper,
            "caller": row.caller,
            "jumped": row.jumped,
            "calls": row.calls,
            "total": numbers(row.total),
        })),
    });
    request.guest.variant.write(&mut file);
    if account.cores > 1 {
        file["cores"] = account.cores.into();
    }
    let rows = account.instructions.iter().map(|row| InstructionRow {
        address: row.pc.get(),
        function: &row.function,
        class: row.class.name(),
        own: own(row.cost),
    });
    let file = Whole { head: file, instructions: rows.collect(), elsewhere: own(account.elsewhere) };
    Ok(serde_json::to_string_pretty(&file)? + "\n")
}
