//! The run of a bundled program up to its result line, and its output.

use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Channel, Console, Stop};
use cyclescope_scope::defmt::Strings;
use cyclescope_scope::{End, Limits, Names, Observer, Pace, Session, Span, explain, place};

use crate::definition::{ProgramLimits, SpanText};
use crate::{ImageJob, RunError, subject};

/// The channel of a program's output, which may be encoded by defmt.
struct Output {
    channel: Channel,
    strings: Option<Strings>,
}

impl Output {
    fn text(&self, console: &Console) -> Result<String, RunError> {
        let bytes = console.bytes(self.channel);
        Ok(match &self.strings {
            Some(strings) => {
                strings.decoder().decode(&bytes)?.iter().fold(String::new(), |text, line| text + line + "\n")
            }
            None => String::from_utf8_lossy(&bytes).into_owned(),
        })
    }
}

/// Tells if `text` holds a complete result line, so that the run may end.
pub fn is_complete(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("cyclescope ")) && text.ends_with('\n')
}

/// Returns `ticks` of a clock of `hz` as nanoseconds.
pub fn nanoseconds(ticks: u64, hz: u64) -> u64 {
    u64::try_from(u128::from(ticks) * 1_000_000_000 / u128::from(hz)).unwrap_or(u64::MAX)
}

/// Watches `span` under the name `elapsed`, and returns its index.
///
/// # Errors
/// [`RunError::Event`] if the image or the part lacks one of its events.
pub fn watch_span(session: &mut Session<'_>, image: &Image, span: &SpanText) -> Result<usize, RunError> {
    let exceptions = session.target().exceptions();
    let names: Names<'_> = &exceptions;
    let from = session.watch(span.from.resolve(image, names)?);
    let to = session.watch(span.to.resolve(image, names)?);
    Ok(session.span(Span { name: "elapsed".to_owned(), from, to }))
}

/// Runs the program of `job` under the eyes of `observer` until its output [is complete](is_complete), and on through the time
/// of silence.
/// Returns its whole output.
///
/// # Errors
/// [`RunError::Ended`] if the program ends before, [`RunError::Budget`] if it does not come to its result in time, and errors of
/// its channel.
pub fn run_to_result(
    session: &mut Session<'_>,
    (job, image): (&ImageJob, &Image),
    observer: &mut dyn Observer,
    limits: ProgramLimits,
) -> Result<String, RunError> {
    let strings = if job.image.channel == "defmt" { Some(Strings::read(image.file())?) } else { None };
    let output = Output { channel: subject::channel(job)?, strings };
    let budget = Limits::until(Cycles::new(limits.cycles), Pace::POLL);
    let end =
        session.run_observed(budget, observer, |console| output.text(console).is_ok_and(|text| is_complete(&text)));
    let now = session.target().now();
    match end {
        End::Satisfied => {}
        End::Stopped(stop) => return Err(RunError::Ended(stop, explain(stop, image, now))),
        End::Limit | End::Paused | End::Listens(_) => {
            return Err(RunError::Budget(limits.cycles, place(image, session.target().pc())));
        }
    }
    if let Some(silent) = limits.after {
        // The program sleeps for ever, or exits, or goes on in silence.
        let until = silent.after(now, &session.target().timebase());
        match session.run_observed(Limits::until(until, Pace::POLL), observer, |_| false) {
            End::Limit
            | End::Paused
            | End::Listens(_)
            | End::Satisfied
            | End::Stopped(Stop::Deadlock(_) | Stop::Exit(0)) => {}
            End::Stopped(stop) => return Err(RunError::Ended(stop, explain(stop, image, session.target().now()))),
        }
    }
    output.text(&session.target().shared().console)
}
