//! Anyone's kernel: one image, its calls as events.

use std::collections::BTreeMap;

use cyclescope_chips::{LoadError, LoadPartError, Machine, MemorySetting, Part, Settings};
use cyclescope_image::{Image, SymbolError};
use cyclescope_machine::{Stop, Target};
use cyclescope_records::{Record, Source, Unit};
use cyclescope_report::Table;
use cyclescope_scope::{End, Limits, Session, Time, explain};
use cyclescope_stats::Summary;
use cyclescope_units::Cycles;
use thiserror::Error;

use super::definition::Definition;
use super::error::CallError;
use super::layout;
use super::parts::{ENTRY, PartText, Parts, RESERVED};
use super::recorder::{Call, Lacking, Recorder, Tracker};
use super::records;
use crate::{RunError, subject};

/// The mode in records.
const MODE: &str = "own";

/// The most times that each call is counted.
const MOST: usize = 1000;

/// Cycles between two looks at whether to stop.
const SLICE: Cycles = Cycles::new(10_000_000);

/// An image and its calls.
#[derive(Clone, Copy, Debug)]
pub struct OwnRequest<'a> {
    /// The image.
    pub image: &'a Image,
    /// What results call it.
    pub name: &'a str,
    /// The chip's name, or the path of a TOML file that describes one.
    pub chip: &'a str,
    /// What flash costs.
    pub memory: MemorySetting,
    /// The calls.
    pub calls: &'a [Call],
    /// Parts in the place of the experiment's of the same name, and beside them; their functions must be there.
    pub parts: &'a [PartText],
    /// How long it runs after reset.
    pub window: Time,
}

/// What came of it.
#[derive(Debug)]
pub struct OwnOutcome {
    /// Of the calls that went their way, and of the image; none where there is no such call.
    pub records: Vec<Record>,
    /// Of the others, and of a run that ended badly.
    pub failures: Vec<RunError>,
    /// The records for people.
    pub tables: Vec<Table>,
    /// How the run ended, in words, where that was before its time.
    pub ended: Option<String>,
}

/// Why nothing was run.
#[derive(Debug, Error)]
pub enum OwnError {
    /// Its chip is unknown.
    #[error(transparent)]
    Part(#[from] LoadPartError),
    /// It does not fit its chip.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It lacks an event.
    #[error("{}", .0.error)]
    Lacking(Lacking),
    /// It lacks a function of a part that was named.
    #[error("part `{0}`: {1}")]
    Function(String, #[source] SymbolError),
    /// A part that functions make up has the name of one that they do not.
    #[error(
        "part `{}`: {} are not made of functions; functions can be given to `{}` or to a part with a name of your own",
        .0, reserved(), ENTRY
    )]
    Reserved(String),
    /// Two parts have one name.
    #[error("two parts are called `{0}`; name the functions of both in one, as in {0}=memcpy,my_copy*")]
    Twice(String),
    /// Nothing came of a call that has numbers: a fault of ours.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// The names that no part of functions can have, as text.
fn reserved() -> String {
    RESERVED.map(|name| format!("`{name}`")).join(", ")
}

/// Runs the guest of `request`; `stop` ends it before its time.
pub fn run(definition: &Definition, request: &OwnRequest<'_>, stop: &dyn Fn() -> bool) -> Result<OwnOutcome, OwnError> {
    let part = Part::load(request.chip)?;
    let settings = Settings { memory: request.memory, halt_on_fault: true, halt_on_reset: true, ..Settings::default() };
    let mut machine = Machine::load(&part, settings, request.image)?;
    let window = request.window.cycles(part.clock);
    let parts = parts(definition, request)?;
    let mut session = Session::new(&mut machine, request.image);
    let recorder = Recorder::new(&mut session, request.image, request.calls, parts, MOST);
    let mut recorder = recorder.map_err(OwnError::Lacking)?;
    let end = loop {
        let slice = session.target().now().saturating_add(SLICE).min(window);
        match session.run_observed(Limits { cycles: slice, poll: SLICE }, &mut recorder, |_| false) {
            End::CycleBudget if slice < window && !stop() => {}
            end => break end,
        }
    };
    drop(session);

    let mut failures: Vec<RunError> = Vec::new();
    let ended = match end {
        End::Stopped(stop) => Some(explain(stop, request.image, machine.now())),
        End::Satisfied | End::CycleBudget => None,
    };
    match end {
        // Its work is done, or it waits for what does not come.
        End::Satisfied | End::CycleBudget | End::Stopped(Stop::Exit(0) | Stop::Deadlock(_)) => {}
        End::Stopped(stop) => {
            failures.push(RunError::Ended(stop, explain(stop, request.image, machine.now())));
        }
    }
    let cycles = machine.now().get();
    let missing =
        request.calls.iter().zip(&recorder.trackers).filter_map(|(call, tracker)| missing(call, tracker, cycles));
    failures.extend(missing.map(RunError::from));
    let base = base(definition, request, &machine);
    let timed = !records::counts_instructions(&machine);
    let mut records = records::of_calls(&base, request.calls, &recorder, 0, timed)?;
    if !records.is_empty() {
        records.extend(records::of_image(&base, request.image));
    }
    Ok(OwnOutcome { failures, tables: layout::tables(definition, &records), records, ended })
}

/// The experiment's parts with those of `request`.
fn parts(definition: &Definition, request: &OwnRequest<'_>) -> Result<Parts, OwnError> {
    for (index, part) in request.parts.iter().enumerate() {
        if RESERVED.contains(&part.name.as_str()) {
            return Err(OwnError::Reserved(part.name.clone()));
        }
        if request.parts[..index].iter().any(|before| before.name == part.name) {
            return Err(OwnError::Twice(part.name.clone()));
        }
    }
    for part in request.parts {
        Parts::find(std::slice::from_ref(part), request.image, |_| true)
            .map_err(|error| OwnError::Function(part.name.clone(), error))?;
    }
    let asked = |name: &str| request.parts.iter().find(|part| part.name == name);
    let known = definition.part.iter().map(|part| asked(&part.name).unwrap_or(part).clone());
    let new = request.parts.iter().filter(|part| definition.part.iter().all(|known| known.name != part.name)).cloned();
    let all: Vec<PartText> = known.chain(new).collect();
    // All that must be there was looked for.
    Parts::find(&all, request.image, |_| false).map_err(|error| OwnError::Function(String::new(), error))
}

/// What is wrong with a call that was never complete.
fn missing(call: &Call, tracker: &Tracker<'_>, cycles: u64) -> Option<CallError> {
    if !tracker.occurrences.is_empty() {
        return None;
    }
    let (from, to) = (call.from.clone(), call.to.clone());
    Some(match (tracker.unfinished(call), tracker.ended_first) {
        (Some((since, next, event)), before) => {
            let before = before.filter(|_| *event == to).map(Cycles::get);
            CallError::Unfinished { from, since: since.get(), next, cycles, before }
        }
        (None, Some(at)) => CallError::EndOnly { from, to, at: at.get(), cycles },
        (None, None) => CallError::Nothing { from, to, cycles },
    })
}

/// A record with the run's origin and no number yet.
fn base(definition: &Definition, request: &OwnRequest<'_>, machine: &Machine) -> Record {
    let mut params = BTreeMap::new();
    params.insert("for".to_owned(), request.window.to_string().into());
    let Summary { n, mean, stddev, min, median, p99, max } = Summary::exact(0);
    Record {
        experiment: definition.name.clone(),
        mode: MODE.to_owned(),
        params,
        contender: request.name.to_owned(),
        contender_version: String::new(),
        compiler: request.image.compilers().join(", "),
        chip: Some(machine.part().name.to_string()),
        clock_hz: Some(machine.clock().get()),
        settings: subject::memory_settings(request.memory, machine),
        opt: String::new(),
        metric: String::new(),
        unit: Unit::Count,
        n,
        mean,
        stddev,
        min,
        median,
        p99,
        max,
        histogram: None,
        source: Source::Simulated,
        image_sha256: Some(request.image.file_sha256().to_string()),
        model: Some(subject::model(machine)),
    }
}
