//! The run of a bundled program up to its result line, and its output.

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Channel, Console, Stop, Target};
use cyclescope_scope::defmt::Strings;
use cyclescope_scope::{End, Limits, Observer, Pace, Session, Time, explain, place};

use crate::{ImageJob, RunError, subject};

/// The time limits of a program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramLimits {
    /// The cycle by which the result line must have come.
    pub cycles: u64,
    /// The time after the result line in which the program must be silent; none if it is not looked at.
    pub silent: Option<Time>,
}

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

/// Runs the program of `job` under the eyes of `observer` until its output `is_complete`, and on through the time of silence.
/// Returns its whole output.
///
/// # Errors
/// [`RunError::Ended`] if the program ends before, [`RunError::Budget`] if it does not come to its result in time, and errors of
/// its channel.
pub fn run_to_result<O: Observer<Machine>>(
    session: &mut Session<'_, Machine>,
    (job, image): (&ImageJob, &Image),
    observer: &mut O,
    limits: ProgramLimits,
    is_complete: impl Fn(&str) -> bool,
) -> Result<String, RunError> {
    let strings = if job.image.channel == "defmt" { Some(Strings::read(image.file())?) } else { None };
    let output = Output { channel: subject::channel(job)?, strings };
    let budget = Limits { cycles: Cycles::new(limits.cycles), poll: Pace::POLL };
    let end =
        session.run_observed(budget, observer, |console| output.text(console).is_ok_and(|text| is_complete(&text)));
    let now = session.target().now();
    match end {
        End::Satisfied => {}
        End::Stopped(stop) => return Err(RunError::Ended(stop, explain(stop, image, now))),
        End::CycleBudget => return Err(RunError::Budget(limits.cycles, place(image, session.target().pc()))),
    }
    if let Some(silent) = limits.silent {
        // The program sleeps for ever, or exits, or goes on in silence.
        let cycles = now.saturating_add(silent.cycles(session.target().part().clock));
        match session.run_observed(Limits { cycles, poll: Pace::POLL }, observer, |_| false) {
            End::CycleBudget | End::Satisfied | End::Stopped(Stop::Deadlock(_) | Stop::Exit(0)) => {}
            End::Stopped(stop) => return Err(RunError::Ended(stop, explain(stop, image, session.target().now()))),
        }
    }
    output.text(&session.target().shared().console)
}
