//! Anyone's kernel: one image, its calls as events.

use cyclescope_image::SymbolError;
use cyclescope_machine::Stop;
use cyclescope_machine::units::Cycles;
use cyclescope_records::Record;
use cyclescope_report::Table;
use cyclescope_scope::{Pace, Pulse, RunEnd, Session, Time, explain, run_guest};
use thiserror::Error;

use super::definition::Syscall;
use super::error::CallError;
use super::parts::{ENTRY, PartText, Parts, RESERVED};
use super::recorder::{Call, Lacking, Recorder, Tracker};
use super::records;
use super::tables;
use crate::{Guest, GuestError, RunError, View};

/// The mode in records.
const MODE: &str = "own";

/// The most times that each call is counted.
const MOST: usize = 1000;

/// An image and its calls.
#[derive(Clone, Copy, Debug)]
pub struct UserImageRequest<'a> {
    /// The image and its chip.
    pub guest: Guest<'a>,
    /// The calls.
    pub calls: &'a [Call],
    /// Parts in the place of the experiment's of the same name, and beside them; their functions must be there.
    pub parts: &'a [PartText],
    /// The length of the run, from reset.
    pub window: Time,
}

/// The results of the calls.
#[derive(Debug)]
pub struct UserImageOutcome {
    /// Of the calls that went their way, and of the image; none where there is no such call.
    pub records: Vec<Record>,
    /// Of the others, and of a run that ended badly.
    pub failures: Vec<RunError>,
    /// The records for people.
    pub tables: Vec<Table>,
    /// The end of the run, in words, if that was before its time.
    pub ended: Option<String>,
}

/// Why nothing was run.
#[derive(Debug, Error)]
pub enum UserImageError {
    /// The image cannot be started.
    #[error(transparent)]
    Guest(#[from] GuestError),
    /// It lacks an event.
    #[error("{}", .0.error)]
    Lacking(Lacking),
    /// It lacks a function of a part that was named.
    #[error("part `{0}`: {1}")]
    Function(String, #[source] SymbolError),
    /// A part that functions make up has the name of one that they do not.
    #[error(
        "part `{}`: the parts {} have no functions; give functions to `{}`, or to a part with a name of your own",
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

/// Runs the guest of `request`; `pulse` may end it before its time.
pub fn run(
    definition: &Syscall,
    request: &UserImageRequest<'_>,
    pulse: &Pulse<'_>,
) -> Result<UserImageOutcome, UserImageError> {
    let Guest { image, .. } = request.guest;
    let mut machine = request.guest.load()?;
    let parts = parts(definition, request)?;
    let mut session = Session::new(&mut machine, image);
    request.guest.tell_gaps(&mut session);
    let recorder = Recorder::new(&mut session, image, request.calls, parts, MOST);
    let mut recorder = recorder.map_err(UserImageError::Lacking)?;
    // Nobody reads the output, so that RTT is read as seldom as the caller is asked.
    let pace = Pace { poll: Pace::SLICE, ..Pace::until(request.window.after_reset()) };
    let end = run_guest(&mut session, pace, &mut recorder, &mut |_, _| true, pulse);
    drop(session);

    let mut failures: Vec<RunError> = Vec::new();
    let mut ended = None;
    if let RunEnd::Stopped(stop) = end {
        let why = explain(stop, image, machine.now());
        // At its exit the guest's work is done; in a deadlock it waits for an event that does not come.
        if !matches!(stop, Stop::Exit(0) | Stop::Deadlock(_)) {
            failures.push(RunError::Ended(stop, why.clone()));
        }
        ended = Some(why);
    }
    let cycles = machine.now().get();
    let missing =
        request.calls.iter().zip(&recorder.trackers).filter_map(|(call, tracker)| missing(call, tracker, cycles));
    failures.extend(missing.map(RunError::from));
    let mut base = request.guest.record(&definition.name, MODE, &machine);
    base.params.insert("for".to_owned(), request.window.to_string().into());
    let timed = !records::counts_instructions(&machine);
    let mut records = records::of_calls(&base, request.calls, &recorder, 0, timed)?;
    if !records.is_empty() {
        records.extend(records::of_image(&base, image));
    }
    Ok(UserImageOutcome { failures, tables: tables::tables(definition, &records, &View::default()), records, ended })
}

/// The experiment's parts with those of `request`.
fn parts(definition: &Syscall, request: &UserImageRequest<'_>) -> Result<Parts, UserImageError> {
    for (index, part) in request.parts.iter().enumerate() {
        if RESERVED.contains(&part.name.as_str()) {
            return Err(UserImageError::Reserved(part.name.clone()));
        }
        if request.parts[..index].iter().any(|before| before.name == part.name) {
            return Err(UserImageError::Twice(part.name.clone()));
        }
    }
    for part in request.parts {
        Parts::find(std::slice::from_ref(part), request.guest.image, |_| true)
            .map_err(|error| UserImageError::Function(part.name.clone(), error))?;
    }
    let asked = |name: &str| request.parts.iter().find(|part| part.name == name);
    let known = definition.part.iter().map(|part| asked(&part.name).unwrap_or(part).clone());
    let new = request.parts.iter().filter(|part| definition.part.iter().all(|known| known.name != part.name)).cloned();
    let all: Vec<PartText> = known.chain(new).collect();
    // All that must be there was looked for.
    Parts::find(&all, request.guest.image, |_| false).map_err(|error| UserImageError::Function(String::new(), error))
}

/// Returns the defect of a call that was never complete.
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
