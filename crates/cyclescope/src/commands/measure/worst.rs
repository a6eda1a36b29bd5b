//! `cyclescope measure --arrivals`: the maximum over the arrivals of a window, and how it came about.

use std::num::NonZeroUsize;

use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_report::format::{self, integer};
use cyclescope_report::{Column, Table};
use cyclescope_scope::{Bound, Findings, Hold, Look, Missing, Sought, Stand, Waited, explain};

use super::repeat::repeated;
use super::table::{histograms, spread};
use crate::backend::{Backend, MeasureRequest, WorstOutcome, WorstRequest};
use crate::cli::arrivals::{ArrivalArguments, ArrivalsTried};
use crate::cli::shared::Format;
use crate::commands::{assumed, counted, with_records};
use crate::error::CliError;
use crate::exit::Exit;
use crate::interrupt::interrupted;
use crate::output::{Console, OutFile, render};
use crate::progress::{Bar, Progress};
use cyclescope_guest::gaps::GapTeller;

/// The most functions that are listed of the longest occurrence.
const MOST_FUNCTIONS: usize = 12;

/// The most interrupts whose wait is told.
const MOST_WAITED: usize = 4;

/// The most interrupts that are named together.
const MOST_NAMES: usize = 6;

/// The most stretches that are listed.
const MOST_STRETCHES: usize = 12;

/// The part of a search's budget that is run of what it skipped.
const SAMPLED: u64 = 10;

/// The form in which results are shown.
pub(super) struct Shown<'a> {
    pub(super) histogram: bool,
    pub(super) format: Format,
    /// The words of the command line.
    pub(super) line: &'a [String],
}

/// Tries arrivals of `measure`, and shows the longest.
///
/// # Errors
/// [`CliError`] as for [`super::measure`].
pub(super) fn worst(
    measure: MeasureRequest<'_>,
    (tried, asked): (ArrivalsTried, &ArrivalArguments),
    shown: Shown<'_>,
    out: Option<OutFile>,
    (backend, gaps): (&dyn Backend, &GapTeller<'_>),
    console: &mut Console,
) -> Result<Exit, CliError> {
    let every = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let search = match tried {
        ArrivalsTried::Exhaustive => None,
        ArrivalsTried::Search => {
            Some(Sought { budget: asked.budget, sample: asked.budget.div_ceil(SAMPLED), seed: asked.seed })
        }
    };
    let request = WorstRequest { measure, search, threads: asked.jobs.map_or_else(every, NonZeroUsize::get) };
    let bar = Bar::new(console, None);
    bar.begin(1);
    let outcome = backend.worst(&request, &|done, of| bar.step(done, of), &interrupted);
    drop(bar);
    let outcome = outcome.map_err(|failure| super::tell_others(failure, console))?;

    let tables = tables(&request, &outcome, &shown);
    let (records, what) = (outcome.records.clone(), with_records("the results", outcome.records.len()));
    console.results(out, &what, |surface| render(shown.format, &tables, records, surface))?;
    gaps.finish(&outcome.gaps);
    let mut exit = Exit::Success;
    if is_cut(&outcome.findings) {
        console.note("interrupted: the results are of the arrivals tried by then");
        exit = Exit::Interrupted;
    }
    for (place, span) in measure.spans.iter().enumerate() {
        if let Some((tried, why, count)) = outcome.findings.missing(place) {
            let cycles: Vec<u64> = tried.at.cycles().map(Cycles::get).collect();
            let of = counted(count, "arrival", "arrivals");
            let why = missing(why, measure.guest.image);
            let tried = integer(outcome.findings.tried.len() as i128);
            let at = cycles.iter().map(|at| integer((*at).into())).collect::<Vec<_>>().join(" and ");
            let message = format!(
                "span `{}` has no maximum: {of} of {tried} gave no number, the first at cycle {at}: {why}",
                span.name
            );
            console.problem(&message, Some(&format!("to see it: {}", repeated(shown.line, &cycles))));
            if exit == Exit::Success {
                exit = Exit::WrongOutput;
            }
        }
    }
    Ok(exit)
}

/// Tells if fewer arrivals were tried than there were to be.
fn is_cut(findings: &Findings) -> bool {
    let sampled = findings.searched.as_ref().is_some_and(|searched| (searched.sample.len() as u64) < searched.wanted);
    (findings.tried.len() as u64) < findings.wanted || sampled
}

/// Says why an arrival gave no number.
fn missing(why: &Missing, image: &Image) -> String {
    match why {
        Missing::Ended { at, stop } => explain(*stop, image, *at),
        Missing::Late => "the span did not end behind the stimulus within --for".to_owned(),
        Missing::Span(error) => error.to_string(),
    }
}

fn tables(request: &WorstRequest<'_>, outcome: &WorstOutcome, shown: &Shown<'_>) -> Vec<Table> {
    let (guest, findings) = (&request.measure.guest, &outcome.findings);
    let has_numbers = |place: usize| findings.missing(place).is_none() && findings.worst(place).is_some();
    let spans: Vec<(&str, bool)> = request
        .measure
        .spans
        .iter()
        .enumerate()
        .map(|(place, span)| (span.name.as_str(), has_numbers(place)))
        .collect();
    let title = format!("{} on {}, {} memory", guest.name, outcome.part, guest.memory.name());
    let mut table = spread(title, &spans, &outcome.records);
    table.note(what_was_tried(request, findings));
    if let Some(searched) = &findings.searched {
        for (place, (name, _)) in spans.iter().enumerate() {
            let Some((_, worst)) = findings.worst(place) else { continue };
            let Some((greatest, more)) = searched.disagreement(place, worst.cycles) else { continue };
            let said = match more {
                0 => format!("none took longer; the longest took {greatest}"),
                1 => format!("1 took longer: {greatest}"),
                more => format!("{} took longer, up to {greatest}", integer(more.into())),
            };
            table.note(format!(
                "{name}: of {} skipped by the search, a sample of {} was run (--seed): {said}. The search's own maximum is {}.",
                counted(searched.skipped, "arrival", "arrivals"),
                integer(searched.sample.len() as i128),
                worst.cycles,
            ));
        }
    }
    if let Some(record) = outcome.records.first() {
        if let Some(written) = record.settings.get("flash_written") {
            table.note(format!("The firmware had set the flash to {written}."));
        }
        table.foot.extend(record.model.as_ref().and_then(assumed));
    }
    let mut tables = vec![table];
    if shown.histogram {
        tables.extend(histograms(&outcome.records));
    }
    let mut seen = Vec::new();
    for (place, (name, has_numbers)) in spans.iter().enumerate() {
        let look = outcome.looks.get(place).and_then(Option::as_ref);
        let Some((look, (tried, _))) = look.zip(findings.worst_of_all(place)).filter(|_| *has_numbers) else {
            continue;
        };
        let cycles: Vec<u64> = tried.at.cycles().map(Cycles::get).collect();
        tables.push(longest(name, look, outcome, guest.image, &repeated(shown.line, &cycles)));
        if !seen.contains(&cycles) {
            tables.push(stretches(look, outcome, guest.image));
            seen.push(cycles);
        }
    }
    tables
}

/// Says which arrivals the numbers are of.
fn what_was_tried(request: &WorstRequest<'_>, findings: &Findings) -> String {
    let tried = integer(findings.tried.len() as i128);
    let window = |(first, end): &(Cycles, Cycles)| {
        format!("{} to {}", first.grouped(), end.saturating_sub(Cycles::new(1)).grouped())
    };
    let windows: Vec<String> = findings.windows.iter().map(window).collect();
    let cut = if is_cut(findings) { ", before Ctrl-C" } else { "" };
    let all = integer(findings.all.into());
    let met = findings.searched.as_ref().map(|searched| {
        let [met, of] = [searched.met, searched.situations].map(|count| integer(count.into()));
        format!("; {met} of {of} situations of the core were met")
    });
    let what = match (windows.as_slice(), met) {
        ([one], None) => format!("The stimulus came once in each run, at {tried} of the cycles {one}{cut}, in turn"),
        ([one, other], None) => format!(
            "Both stimuli came once in each run, at {tried} of the pairs of a cycle {one} and a cycle {other}{cut}"
        ),
        ([one, other], Some(met)) => format!(
            "Both stimuli came once in each run, at {tried} of the {all} pairs of a cycle {one} and a cycle {other}{cut}{met}"
        ),
        (windows, met) => format!(
            "The stimulus came once in each run, at {tried} of the {all} cycles {}{cut}{}",
            windows.join(", "),
            met.unwrap_or_default()
        ),
    };
    let which = if request.search.is_some() { "those tried" } else { "these arrivals" };
    format!("{what}. Each maximum is over {which}, and no bound beyond them.")
}

/// The longest occurrence of the span `name`: where the core was, and which functions took how long.
fn longest(name: &str, look: &Look, outcome: &WorstOutcome, image: &Image, command: &str) -> Table {
    let total = look.account.total.cycles.get();
    let columns = [Column::symbol("function"), Column::number("cycles"), Column::number("%")];
    let mut table = Table::new(format!("{name}: the maximum over these arrivals, {}", look.sample.cycles), columns);
    for stand in &look.stands {
        table.head.extend(stood(stand, look, outcome, image));
    }
    table.head.extend(look.waited.iter().take(MOST_WAITED).map(|one| waited(one, outcome)));
    let functions = &look.account.functions;
    let share = |cycles: u64| format::decimal(100.0 * cycles as f64 / total.max(1) as f64, 1);
    for function in functions.iter().take(MOST_FUNCTIONS) {
        let cycles = function.own.cycles.get();
        table.row([function.name.clone(), integer(cycles.into()), share(cycles)]);
    }
    if let Some(rest) = functions.get(MOST_FUNCTIONS..).filter(|rest| !rest.is_empty()) {
        let cycles: u64 = rest.iter().map(|function| function.own.cycles.get()).sum();
        table.row([format!("{} more", rest.len()), integer(cycles.into()), share(cycles)]);
    }
    if outcome.cores > 1 {
        table.note("The cycles are those of all cores, each of which has the span's time.");
    }
    table.note(format!("To repeat it: {command}"));
    table
}

/// Says where a core was when a stimulus came.
fn stood(stand: &Stand, look: &Look, outcome: &WorstOutcome, image: &Image) -> Vec<String> {
    let core = if outcome.cores > 1 { format!("core {}", stand.core) } else { "the core".to_owned() };
    let second = if stand.stimulus > 0 { "second stimulus" } else { "stimulus" };
    let at = stand.at.grouped();
    let place = place(image, stand.pc);
    let verb = if stand.asleep { "slept behind" } else { "was at" };
    let mut lines = vec![format!("When the {second} came, at cycle {at}, {core} {verb} {place}.")];
    for held in &stand.holds {
        let what = match held.hold {
            Hold::Handler(_) => format!("It ran the {}", held.hold.text(&outcome.exceptions)),
            _ => format!("Interrupts were held back by {}", held.hold.text(&outcome.exceptions)),
        };
        lines.push(match held.since {
            Some((since, pc)) => format!("{what}, since cycle {}, behind {}.", since.grouped(), self::place(image, pc)),
            None => format!("{what}, since before cycle {}.", look.from.grouped()),
        });
    }
    if stand.holds.is_empty() {
        lines.push("Nothing held interrupts back then.".to_owned());
    }
    lines
}

/// Says how long an interrupt waited, and for what.
fn waited(one: &Waited, outcome: &WorstOutcome) -> String {
    let name = outcome.exceptions.iter().find(|(known, _)| *known == one.number).map_or("?", |(_, name)| *name);
    let holds: Vec<String> = one.holds.iter().map(|hold| hold.text(&outcome.exceptions)).collect();
    let by = if holds.is_empty() { String::new() } else { format!(", held back by {}", holds.join(", ")) };
    let at = one.at.grouped();
    match one.taken {
        Some(taken) => {
            format!("{name} came at cycle {at}, and its handler began {} later{by}.", taken.saturating_sub(one.at))
        }
        None => format!("{name} came at cycle {at}, and its handler did not begin before the span's end{by}."),
    }
}

/// The longest time in which each interrupt could not be taken.
fn stretches(look: &Look, outcome: &WorstOutcome, image: &Image) -> Table {
    let end = look.sample.start.saturating_add(look.sample.cycles);
    let mut text = Table::new("The longest time in which each interrupt could not be taken", []);
    text.head(format!(
        "In the run with that maximum, from cycle {} to the span's end at cycle {}.",
        look.from.grouped(),
        end.grouped()
    ));
    let name =
        |number: &u16| outcome.exceptions.iter().find(|(known, _)| known == number).map_or("?", |(_, name)| *name);
    for stretch in look.stretches.iter().take(MOST_STRETCHES) {
        let mut names = stretch.numbers.iter().map(name).collect::<Vec<_>>();
        let more = names.len().saturating_sub(MOST_NAMES);
        names.truncate(MOST_NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let core = if outcome.cores > 1 { format!(" on core {}", stretch.core) } else { String::new() };
        let holds: Vec<String> = stretch.holds.iter().map(|hold| hold.text(&outcome.exceptions)).collect();
        text.note(format!(
            "{}{more}{core}: {}, held back by {}; from {} to {}.",
            names.join(", "),
            stretch.cycles(),
            holds.join(", "),
            bound(stretch.from, image),
            bound(stretch.to, image)
        ));
    }
    let rest = look.stretches.len().saturating_sub(MOST_STRETCHES);
    if rest > 0 {
        text.note(format!("{rest} shorter ones are in the records (--format json)."));
    }
    if look.stretches.is_empty() {
        text.note("Each interrupt that is on could be taken all the time.");
    }
    text
}

/// Says where a stretch begins or ends.
fn bound(bound: Bound, image: &Image) -> String {
    let cut = if bound.cut { ", or beyond," } else { "" };
    format!("cycle {}{cut} behind {}", bound.at.grouped(), place(image, bound.pc))
}

/// Describes an address by its function and line, or by itself.
fn place(image: &Image, pc: Address) -> String {
    let function = image.function_at(pc).map(|symbol| symbol.display_name().to_owned());
    let line = image.source_line(pc).map(|line| format!(" ({line})")).unwrap_or_default();
    format!("{}{line}", function.unwrap_or_else(|| pc.to_string()))
}
