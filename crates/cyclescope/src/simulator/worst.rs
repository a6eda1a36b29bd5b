//! `measure --arrivals`: a guest's run, once for each arrival of a stimulus.

use cyclescope_image::Image;
use cyclescope_machine::Moment;
use cyclescope_records::stats::Summary;
use cyclescope_records::{Record, Unit};
use cyclescope_scope::{
    ArrivalsError, Findings, Look, Pace, Question, Rule, Samples, Session, Time, WorstError, explain, find_worst,
    look_at,
};

use crate::backend::{Failure, Guest, WorstOutcome, WorstRequest};
use crate::exit::Exit;
use cyclescope_guest::measure::{base, of_span, prepare};
use cyclescope_guest::steps::{failed, load};

/// Tries the arrivals of `request`, and looks at the worst of each span.
pub(super) fn worst(
    request: &WorstRequest<'_>,
    progress: &(dyn Fn(u64, u64) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<WorstOutcome, Failure> {
    let (guest, scenario) = (&request.measure.guest, &request.measure.scenario);
    let machine = load(guest)?;
    let exceptions = machine.exceptions();
    let mut session: Session<'static> = Session::owning(machine, guest.image);
    let spans = prepare(&request.measure, true, &exceptions, &mut session)?;
    session.poll_steadily(Pace::POLL);
    let windows: Vec<(Time, Time)> = (scenario.rules.iter())
        .filter_map(|rule| match rule {
            Rule::Arrives { from, to, .. } => Some((*from, *to)),
            _ => None,
        })
        .collect();
    let limit: Moment = scenario.window.after_reset();
    let question = Question {
        begin: &session.snapshot(),
        spans: &spans,
        windows: &windows,
        limit,
        search: request.search,
        threads: request.threads,
        progress,
        stop,
    };
    let findings = find_worst(question).map_err(|error| refused(guest, error))?;
    let from = findings.windows.iter().map(|(first, _)| *first).min().unwrap_or_default();
    let mut looks = Vec::new();
    for place in 0..spans.len() {
        let found = findings.worst_of_all(place);
        let look = found.map(|(tried, sample)| look_at(question, guest.image, (tried.at, place, sample), from));
        let look = look.transpose().map_err(|error| refused(guest, error))?;
        looks.push(look.map(|(look, ended)| {
            guest.keep_devices(ended.machine());
            session = ended;
            look
        }));
    }
    let machine = session.machine();
    let origin = origin(request, &findings, base(&request.measure, machine));
    let mut records = Vec::new();
    for (place, span) in request.measure.spans.iter().enumerate() {
        if findings.missing(place).is_some() {
            continue;
        }
        let mut of_this = origin.clone();
        if let Some((tried, sample)) = findings.worst_of_all(place) {
            for (index, at) in tried.at.cycles().enumerate() {
                of_this.params.insert(numbered("worst_arrival", index), at.get().into());
            }
            of_this.params.insert("worst_start".to_owned(), sample.start.get().into());
        }
        let samples = Samples { first: findings.samples(place).collect(), ..Samples::default() };
        records.extend(of_span(&of_this, &span.name, &samples));
        if let Some(look) = looks.get(place).and_then(Option::as_ref) {
            records.extend(of_look(&of_this, &span.name, look, guest.image, &exceptions));
        }
    }
    Ok(WorstOutcome {
        part: machine.part().name.to_string(),
        cores: machine.cores(),
        gaps: machine.gaps().to_vec(),
        findings,
        looks,
        records,
        exceptions,
    })
}

/// Returns the failure for `error`.
fn refused(guest: &Guest<'_>, error: WorstError) -> Failure {
    match error {
        WorstError::Arrivals(ArrivalsError::Ended { at, stop }) => {
            let why = explain(stop, guest.image, at);
            let error = format!("without the stimulus, {why}, which is before the window ends");
            let help = Some("shorten the window, or move it to an earlier time".to_owned());
            Failure { help, ..failed(guest, error, Exit::BadInput) }
        }
        error @ WorstError::Disagrees { .. } => failed(guest, error, Exit::Internal),
        error => failed(guest, error, Exit::BadInput),
    }
}

/// Returns `name` for the first, and with a number for those that follow.
fn numbered(name: &str, index: usize) -> String {
    if index == 0 { name.to_owned() } else { format!("{name}.{:02}", index + 1) }
}

/// Returns `record` with the arrivals that were tried.
fn origin(request: &WorstRequest<'_>, findings: &Findings, mut record: Record) -> Record {
    let mut set = |name: String, value: u64| record.params.insert(name, value.into());
    for (index, (first, end)) in findings.windows.iter().enumerate() {
        let name = numbered("window", index);
        set(format!("{name}.from"), first.get());
        set(format!("{name}.cycles"), end.saturating_sub(*first).get());
    }
    if let Some((sought, searched)) = request.search.zip(findings.searched.as_ref()) {
        set("search.budget".to_owned(), sought.budget);
        set("search.seed".to_owned(), sought.seed);
        set("search.situations".to_owned(), searched.situations);
        set("search.skipped".to_owned(), searched.skipped);
        set("search.sample".to_owned(), searched.sample.len() as u64);
    }
    let kind = if request.search.is_some() { "search" } else { "exhaustive" };
    record.params.insert("arrivals".to_owned(), kind.into());
    record
}

/// The records of the longest occurrence of a span: its cycles by function, and the stretches in which interrupts could not be taken.
fn of_look(base: &Record, span: &str, look: &Look, image: &Image, exceptions: &[(u16, &'static str)]) -> Vec<Record> {
    let name = |number: u16| exceptions.iter().find(|(known, _)| *known == number).map_or("?", |(_, name)| *name);
    let place = |pc| image.function_at(pc).map_or_else(|| format!("{pc}"), |symbol| symbol.display_name().to_owned());
    let mut records = Vec::new();
    for function in &look.account.functions {
        let mut record =
            base.with_metric(&format!("{span}.worst.own"), Unit::Cycles, Summary::exact(function.own.cycles.get()));
        record.mode = "worst".to_owned();
        record.params.insert("function".to_owned(), function.name.as_str().into());
        records.push(record);
    }
    for stretch in &look.stretches {
        for number in &stretch.numbers {
            let length = Summary::exact(stretch.cycles().get());
            let mut record = base.with_metric(&format!("{span}.worst.held"), Unit::Cycles, length);
            record.mode = "worst".to_owned();
            let mut set = |name: &str, value: String| record.params.insert(name.to_owned(), value.into());
            set("interrupt", name(*number).to_owned());
            set("core", stretch.core.to_string());
            set("held.by", stretch.holds.iter().map(|hold| hold.text(exceptions)).collect::<Vec<_>>().join(", "));
            for (end, bound) in [("from", stretch.from), ("to", stretch.to)] {
                set(end, place(bound.pc));
                if let Some(line) = image.source_line(bound.pc) {
                    set(&format!("{end}.line"), line.to_string());
                }
                set(&format!("{end}.cycle"), bound.at.get().to_string());
                set(&format!("{end}.cut"), bound.cut.to_string());
            }
            records.push(record);
        }
    }
    records
}
