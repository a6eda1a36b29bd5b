//! Steps that every run of a user's image shares: loading, stimuli, and refusals.

use cyclescope_chips::Machine;
use cyclescope_image::{Image, SymbolError};
use cyclescope_scope::{
    Event, Names, Pace, Plan, Pulse, Rule, RunEnd, Session, Snapshot, Span, SpanText, StimulusError, Unobserved,
    run_guest,
};

use crate::exit::Exit;
use crate::{Failure, Guest, Scenario};

/// Returns the failure of `guest` for `error`, which ends the command as `exit` says.
pub fn failed(guest: &Guest<'_>, error: impl Into<Box<dyn std::error::Error + Send + Sync>>, exit: Exit) -> Failure {
    Failure { subject: guest.subject(), error: error.into(), help: None, exit }
}

/// Returns the failure of `guest` for `error` in the input.
pub fn refused(guest: &Guest<'_>, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Failure {
    failed(guest, error, Exit::BadInput)
}

/// Loads the image of `guest` into its chip, and gives it its files.
///
/// # Errors
/// [`Failure`] for an unknown chip, for an image that does not fit it, and for a folder that cannot be opened.
pub fn load(guest: &Guest<'_>) -> Result<Machine, Failure> {
    let mut machine = guest.load().map_err(|error| refused(guest, error))?;
    if let Some(folder) = guest.files {
        machine.give_files((folder.open)(folder.path).map_err(|error| failed(guest, error, Exit::NoInput))?);
    }
    Ok(machine)
}

/// Gives `session` the stimuli of `scenario` and the event that ends it.
///
/// # Errors
/// [`Failure`] for a stimulus or an event that the part or the image does not have.
pub fn apply(
    guest: &Guest<'_>,
    scenario: &Scenario<'_>,
    names: Names<'_>,
    session: &mut Session<'_>,
) -> Result<(), Failure> {
    apply_rules(guest, scenario.rules, names, session)?;
    if let Some(event) = scenario.until {
        let event = watch(guest, event, names, session)?;
        session.end_at(event);
    }
    Ok(())
}

/// Gives `session` the stimuli of `rules`.
///
/// # Errors
/// [`Failure`] for a stimulus that the part or the image does not have, with the places that a function was inlined into.
pub fn apply_rules(
    guest: &Guest<'_>,
    rules: &[Rule],
    names: Names<'_>,
    session: &mut Session<'_>,
) -> Result<(), Failure> {
    apply_resolved(guest, rules, names, session, Plan::resolve)
}

/// Gives `session` the stimuli of `rules`, of which some may have a window.
///
/// # Errors
/// As for [`apply_rules`].
pub fn apply_arriving(
    guest: &Guest<'_>,
    rules: &[Rule],
    names: Names<'_>,
    session: &mut Session<'_>,
) -> Result<(), Failure> {
    apply_resolved(guest, rules, names, session, Plan::resolve_arriving)
}

fn apply_resolved(
    guest: &Guest<'_>,
    rules: &[Rule],
    names: Names<'_>,
    session: &mut Session<'_>,
    resolve: fn(&[Rule], &Image, Names<'_>) -> Result<Plan, StimulusError>,
) -> Result<(), Failure> {
    let inlined = || {
        let mut events = rules.iter().filter_map(|rule| match rule {
            Rule::After { event, .. } => Some(event),
            _ => None,
        });
        events.find_map(|event| inlined_away(event, guest.image))
    };
    let plan =
        resolve(rules, guest.image, names).map_err(|error| Failure { help: inlined(), ..refused(guest, error) })?;
    session.apply(&plan).map_err(|error| refused(guest, error))
}

/// Has `session` go on from `start`, if there is one, with code and constants where `guest` has them and with empty caches.
pub fn begin_at(guest: &Guest<'_>, start: Option<&Snapshot>, session: &mut Session<'_>) {
    if let Some(start) = start {
        session.restore(start);
        session.target().place(guest.placement.cloned());
    }
}

/// Runs `session` up to the next time that `event` happens. Returns the state there, with spans that have not begun.
///
/// # Errors
/// [`Failure`] for an event that the part or the image lacks, and if the run ends before or `pulse` ends it.
pub fn run_up_to(
    guest: &Guest<'_>,
    scenario: &Scenario<'_>,
    event: &Event,
    names: Names<'_>,
    session: &mut Session<'_>,
    pulse: &Pulse<'_>,
) -> Result<Snapshot, Failure> {
    let until = scenario.until.map(|event| watch(guest, event, names, session)).transpose()?;
    let first = watch(guest, event, names, session)?;
    session.end_at(first);
    let pace = Pace { whole: scenario.whole, ..Pace::until(scenario.window.after_reset()) };
    match run_guest(session, pace, &mut Unobserved, &mut |_, _| true, pulse) {
        RunEnd::Reached => {
            session.end_at(until);
            session.forget_spans();
            Ok(session.snapshot())
        }
        RunEnd::Interrupted => Err(failed(guest, format!("interrupted before {event} happened"), Exit::Interrupted)),
        RunEnd::Stopped(_) | RunEnd::Window | RunEnd::Spins(_) => {
            let now = session.target().now();
            Err(failed(guest, format!("the run ended after {now}, before {event} happened"), Exit::WrongOutput))
        }
    }
}

/// Watches for `event`.
///
/// # Errors
/// [`Failure`] for an event that the part or the image lacks, with the places that a function was inlined into.
pub fn watch(guest: &Guest<'_>, event: &Event, names: Names<'_>, session: &mut Session<'_>) -> Result<usize, Failure> {
    session
        .watch_event(event, guest.image, names)
        .map_err(|error| Failure { help: inlined_away(event, guest.image), ..refused(guest, error) })
}

/// Adds `span` to `session` and returns its index.
///
/// # Errors
/// [`Failure`]s for names that the image or the part lacks, at least one.
pub fn watch_span(
    guest: &Guest<'_>,
    span: &SpanText,
    names: Names<'_>,
    session: &mut Session<'_>,
) -> Result<usize, Vec<Failure>> {
    let [from, to] = [&span.from, &span.to].map(|event| {
        watch(guest, event, names, session).map_err(|failure| {
            let error = format!("span `{}`: {}", span.name, failure.error);
            Failure { error: error.into(), ..failure }
        })
    });
    match (from, to) {
        (Ok(from), Ok(to)) => {
            let index = session.span(Span { name: span.name.clone(), from, to });
            session.begins_again(index, span.again);
            Ok(index)
        }
        (from, to) => Err([from.err(), to.err()].into_iter().flatten().collect()),
    }
}

/// Returns the places of the function of `event` if it was inlined and has no symbol.
pub fn inlined_away(event: &Event, image: &Image) -> Option<String> {
    const SHOWN: usize = 3;
    let (Event::Entered(name) | Event::Left(name)) = event.of_any_core() else { return None };
    if !matches!(image.symbol(name), Err(SymbolError::Unknown { .. })) {
        return None;
    }
    let places = image.inlined_into(name);
    let shown: Vec<String> = places
        .iter()
        .take(SHOWN)
        .map(|(symbol, address)| format!("{} (first at address:{address})", symbol.display_name()))
        .collect();
    let more = places.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!places.is_empty()).then(|| format!("`{name}` was inlined into {}{more}", shown.join(", ")))
}
