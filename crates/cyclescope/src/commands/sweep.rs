//! `cyclescope sweep`.

mod ray;
mod table;

use std::num::NonZeroUsize;
use std::sync::Arc;

use cyclescope_report::format::integer;
use cyclescope_sweep::{Ended, Parts, Plan, Summary, Sweep, SweepError};
use serde::Serialize;

use self::table::table;
use crate::TOOL;
use crate::cli::sweep::{SweepArguments, SweepFormat};
use crate::commands::counted;
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt::{self, interrupted};
use crate::output::{Console, check_apart, check_name};
use crate::progress::{Bar, Progress as _};
use cyclescope_report::{markdown, terminal};

/// The results as JSON.
#[derive(Serialize)]
struct Shown<'s> {
    tool: &'static str,
    points: u64,
    /// Not known of a sweep that ran elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    chunks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<String>,
    #[serde(flatten)]
    summary: Option<&'s Summary>,
}

/// Runs the points of a plan and joins their results.
///
/// # Errors
/// [`CliError`] for a plan or a file of it with a defect, for measurements that cannot be made, and for places that cannot be written.
pub fn sweep(arguments: &SweepArguments, console: &mut Console) -> Result<Exit, CliError> {
    check_name(&arguments.out)?;
    check_apart(None, &[("the plan", Some(&arguments.plan)), ("--out", Some(&arguments.out))])?;
    let plan = Plan::read(&arguments.plan)?;
    interrupt::install();
    if let Some(address) = &arguments.address {
        return match ray::run(arguments, address)? {
            Exit::Success => show(arguments, None, console),
            exit => Ok(exit),
        };
    }
    let jobs = arguments.jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let sweep = match Sweep::load(plan, jobs, &interrupted) {
        Err(SweepError::Interrupted) => {
            console.note("interrupted before anything was measured");
            return Ok(Exit::Interrupted);
        }
        sweep => Arc::new(sweep?),
    };
    if arguments.dry_run {
        return said(arguments, &sweep, console);
    }
    let parts = Parts::open(&arguments.out, &sweep)?;
    let missing = parts.missing().len() as u64;
    if missing < sweep.chunks() {
        let there = counted(sweep.chunks() - missing, "chunk is", "chunks are");
        console.note(&format!("{there} there already, of {}", integer(sweep.chunks().into())));
    }
    let bar = Bar::new(console, None);
    bar.begin(missing);
    let done = |there: u64, of: u64| bar.done(&format!("{there} of {of} chunks are there"));
    let ended = cyclescope_sweep::run(&parts, jobs, &interrupted, &done);
    drop(bar);
    if ended? == Ended::Stopped {
        let there = sweep.chunks() - parts.missing().len() as u64;
        console.note(&format!(
            "interrupted: {} of {} chunks are kept in {}; the same command goes on from there",
            integer(there.into()),
            integer(sweep.chunks().into()),
            parts.folder().display()
        ));
        return Ok(Exit::Interrupted);
    }
    parts.join(&arguments.out)?;
    if !arguments.keep_parts {
        parts.remove()?;
    }
    show(arguments, Some(&sweep), console)
}

/// Shows how many points and chunks `sweep` has.
fn said(arguments: &SweepArguments, sweep: &Sweep, console: &mut Console) -> Result<Exit, CliError> {
    let (points, chunks) = (sweep.axes().points(), sweep.chunks());
    let text = match arguments.format {
        SweepFormat::Json => json(&Shown { tool: TOOL, points, chunks: Some(chunks), out: None, summary: None })?,
        SweepFormat::Table | SweepFormat::Markdown => {
            format!("{} in {}\n", counted(points, "point", "points"), counted(chunks, "chunk", "chunks"))
        }
    };
    console.write(text.as_bytes())?;
    Ok(Exit::Success)
}

fn json(shown: &Shown<'_>) -> Result<String, CliError> {
    Ok(serde_json::to_string(shown).map_err(CliError::Json)? + "\n")
}

/// Shows the results, which are whole. Without a `sweep` they were made elsewhere.
fn show(arguments: &SweepArguments, sweep: Option<&Sweep>, console: &mut Console) -> Result<Exit, CliError> {
    let summary = Summary::read(&arguments.out)?;
    let points = summary.points;
    let chunks = sweep.map(Sweep::chunks);
    let out = Some(arguments.out.display().to_string());
    let text = match arguments.format {
        SweepFormat::Json => json(&Shown { tool: TOOL, points, chunks, out, summary: Some(&summary) })?,
        SweepFormat::Table => terminal(&table(arguments, &summary), console.surface()),
        SweepFormat::Markdown => markdown(&table(arguments, &summary)),
    };
    console.write(text.as_bytes())?;
    console.note(&format!("wrote {} to {}", counted(points, "point", "points"), arguments.out.display()));
    for group in summary.groups.iter().filter(|group| group.problems > 0) {
        let many = counted(group.problems, "point has", "points have");
        let why = group.problem.as_deref().unwrap_or("the run failed");
        let span = group.span.as_deref().map(|span| format!(" for `{span}`")).unwrap_or_default();
        console.note(&format!("warning: {} on {}: {many} no figure{span}: {why}", group.image, group.chip));
    }
    if !summary.gaps.is_empty() {
        let gaps: Vec<&str> = summary.gaps.iter().map(String::as_str).collect();
        console.note(&format!("warning: the model lacks what the firmware used: {}", gaps.join(", ")));
    }
    let failed = summary.groups.iter().any(|group| group.points == 0);
    Ok(if failed { Exit::WrongOutput } else { Exit::Success })
}
