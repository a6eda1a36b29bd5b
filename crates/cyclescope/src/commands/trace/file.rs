//! A trace as a flame graph.

use std::io;

use cyclescope_scope::Account;

use crate::tracing::{TraceOutcome, TraceRequest};

/// The paths of calls of `account` as a picture, as wide as their cycles; none where there are no cycles.
///
/// # Errors
/// Errors of the writer.
pub(super) fn flame_graph(
    request: &TraceRequest<'_>,
    outcome: &TraceOutcome,
    account: &Account,
) -> io::Result<Option<Vec<u8>>> {
    let taken = account.paths.iter().filter(|path| path.own.cycles.get() > 0);
    let mut lines: Vec<String> = taken
        .map(|path| {
            // A semicolon stands between functions.
            let functions: Vec<String> = path.names().iter().map(|name| name.replace(';', ",")).collect();
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
