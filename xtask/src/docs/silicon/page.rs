//! `docs/silicon.md` and what the README says of it.

use std::fmt::Write as _;

use anyhow::Context;

use super::data::{Board, CLOCK_STEP, Row, Silicon, WriteUp, number};
use super::{Measured, Runs};

/// The page.
///
/// # Errors
/// A row further off than the limit without a cause.
pub fn page(silicon: &Silicon, runs: &Runs) -> anyhow::Result<String> {
    let mut text = head(silicon);
    writeln!(text, "In short: {}\n", totals(silicon, runs)?)?;
    for writeup in &silicon.writeup {
        text += &heading(writeup);
        for board in &writeup.board {
            text += &table(silicon, board, runs)?;
        }
    }
    Ok(text + &causes(silicon))
}

/// Returns the text above the figures.
pub fn head(silicon: &Silicon) -> String {
    let (version, date) = (&silicon.checked.version, &silicon.checked.date);
    format!(
        "# The model beside boards\n\n\
         Written by `cargo xtask docs` from [silicon.toml](silicon.toml); do not edit. Each figure was published by somebody who \
         measured a board. The model's stands beside it, with the error in per cent, both compilers, and the setting of the \
         flash: `shipped` is what the program sets up itself ([experiments.md](experiments.md#memory-settings)).\n\n\
         *run* marks what the bundled images give with this very version. All else was checked independently with their \
         firmware, built from the authors' own sources, which are not in this repository: with version {version}, on {date} \
         unless a note has another day. These figures are frozen, and what was changed in the model since does not show in them.\n\n\
         A figure more than {} % off has its cause named. Causes stand at the end: a mechanism with its source and its size, \
         or the sequences of the kit that would decide it on a board. No timing row was ever fitted to a figure of this \
         page.\n\n\
         The write-up of the directory walk is of hosts and has no board: `cyclescope run dirwalk` takes its figures on \
         your own machine ([experiments.md](experiments.md#dirwalk-why-is-my-async-directory-walk-slower-than-the-plain-one)).\n\n",
        silicon.limit
    )
}

/// Returns the counts of the figures by result, as text: the second half of a sentence, then a whole one.
pub fn totals(silicon: &Silicon, runs: &Runs) -> anyhow::Result<String> {
    let (mut within, mut step, mut off, mut unmodelled) = (0, 0, 0, 0);
    for (_, board, row) in silicon.rows() {
        match model(board, row, runs)? {
            None => unmodelled += 1,
            Some((value, _)) if silicon.check(board, row, value)?.abs() <= silicon.limit => within += 1,
            Some(_) if row.cause == [CLOCK_STEP] => step += 1,
            Some(_) => off += 1,
        }
    }
    Ok(format!(
        "of {} figures published from boards {within} come out within {} % and {step} within a step of the board's clock; \
         {off} are further off, each with its cause. {unmodelled} more are of chips without a model.",
        within + step + off,
        silicon.limit
    ))
}

/// The model's figure of a row and how it is written; none for a chip without a model.
fn model(board: &Board, row: &Row, runs: &Runs) -> anyhow::Result<Option<(f64, String)>> {
    if let Some(text) = &row.model {
        return Ok(Some((number(text)?, text.clone())));
    }
    let Some(mode) = &row.run else { return Ok(None) };
    let measured = measured(board, mode, runs)?;
    let decimals = row.published.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Ok(Some((measured.value, format!("{:.decimals$} *run*", measured.value))))
}

fn measured<'r>(board: &Board, mode: &str, runs: &'r Runs) -> anyhow::Result<&'r Measured> {
    let key = (board.board.clone(), mode.to_owned(), board.memory.clone());
    runs.get(&key).with_context(|| format!("no record of {}, {mode}, memory {}", board.board, board.memory))
}

fn heading(writeup: &WriteUp) -> String {
    format!("## {}\n\n[{}]({}). In {}.\n\n", writeup.title, writeup.source, writeup.url, writeup.unit)
}

/// Returns the text above a board's rows.
pub fn caption(board: &Board) -> String {
    let note = if board.note.is_empty() { String::new() } else { format!("{}\n\n", board.note) };
    let sd = if board.row.iter().any(|row| row.sd.is_some()) { " sd, ns |" } else { "" };
    format!(
        "### {}\n\n{note}\
         | | published | model | error |{sd} compiler, published | model's | memory | cause |\n\
         |---|---:|---:|---:|{}---|---|---|---|\n",
        board.board,
        if sd.is_empty() { "" } else { "---|" }
    )
}

fn table(silicon: &Silicon, board: &Board, runs: &Runs) -> anyhow::Result<String> {
    let mut text = caption(board);
    for row in &board.row {
        writeln!(text, "{}", line(silicon, board, row, runs)?)?;
    }
    text += &others(board, runs);
    Ok(text + "\n")
}

/// One row of a table.
pub fn line(silicon: &Silicon, board: &Board, row: &Row, runs: &Runs) -> anyhow::Result<String> {
    let (published, with_sd) = (&row.published, board.row.iter().any(|row| row.sd.is_some()));
    let sd = match row.sd {
        Some([board, model]) => format!(" {board} / {model} |"),
        None if with_sd => " |".to_owned(),
        None => String::new(),
    };
    let Some((value, shown)) = model(board, row, runs)? else {
        let Board { without, compiler, .. } = board;
        return Ok(format!("| {} | {published} | {without} | |{sd} {} | | | |", row.name, compiler[0]));
    };
    let error = silicon.check(board, row, value)?;
    let compiler = match &row.run {
        Some(mode) => &measured(board, mode, runs)?.compiler,
        None => &board.compiler[1],
    };
    let causes = if error.abs() > silicon.limit { row.cause.as_slice() } else { &[] };
    let causes: Vec<String> = causes.iter().map(|id| format!("[{id}](#{id})")).collect();
    Ok(format!(
        "| {} | {published} | {shown} | {error:+.1} % |{sd} {} | {compiler} | {} | {} |",
        row.name,
        board.compiler[0],
        board.memory,
        causes.join(", ")
    ))
}

/// Returns the figures of the rows with a run under other settings of the flash.
fn others(board: &Board, runs: &Runs) -> String {
    let mut all = Vec::new();
    for row in &board.row {
        let Some(mode) = &row.run else { continue };
        let of_row =
            runs.iter().filter(|((of, run, memory), _)| *of == board.board && run == mode && *memory != board.memory);
        let figures: Vec<String> =
            of_row.map(|((_, _, memory), measured)| format!("{:.0} under `{memory}`", measured.value)).collect();
        if !figures.is_empty() {
            all.push(format!("{} {}", row.name, figures.join(", ")));
        }
    }
    if all.is_empty() { String::new() } else { format!("\nUnder other settings of the flash: {}.\n", all.join("; ")) }
}

/// The causes, each under its own heading.
pub fn causes(silicon: &Silicon) -> String {
    let mut text = "## Causes\n".to_owned();
    for cause in &silicon.cause {
        text += &format!("\n### {}\n\n{}", cause.id, cause.says);
        if !cause.source.is_empty() {
            text += &format!(" Source: {}. Size: {}.", cause.source, cause.size);
        }
        if !cause.kit.is_empty() {
            let names: Vec<String> = cause.kit.iter().map(|name| format!("`{name}`")).collect();
            text += &format!(" To be decided on a board by the kit's {}.", names.join(", "));
        }
        text += "\n";
    }
    text
}
