//! `exec`: a guest's run from reset to its end.

use cyclescope_machine::{Moment, Stop, Target};
use cyclescope_scope::{Pace, RunEnd, Session, Unobserved, run_guest};

use super::guest::load;
use crate::backend::{ExecOutcome, ExecRequest, Failure, OutputSink};
use crate::gdb::{self, Ended};

/// Runs the guest of `request`.
pub(super) fn exec(
    request: &ExecRequest<'_>,
    sink: &mut OutputSink<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<ExecOutcome, Failure> {
    let image = request.guest.image;
    let mut machine = load(&request.guest)?;
    if let Some(line) = request.command_line {
        machine.set_command_line(line);
    }
    // A slice is from one poll to the next, so that RTT is read at the cycles of an unsliced run.
    let window = request.timeout.map_or(Moment::Cycle(request.max_cycles), Moment::Time);
    let pace = Pace { slice: Pace::POLL, most: request.max_cycles, ..Pace::until(window) };
    let (stop, debugger) = match request.debugger {
        Some(listener) => match gdb::serve(&mut machine, image, (request.max_cycles, pace.poll), listener, sink) {
            Ended::Guest(stop) => (stop, None),
            Ended::Debugger(parting) => (Stop::Horizon, Some(parting)),
        },
        None => {
            let mut session = Session::new(&mut machine, image);
            request.guest.tell_gaps(&mut session);
            match run_guest(&mut session, pace, &mut Unobserved, sink, stop) {
                RunEnd::Stopped(stop) => (stop, None),
                RunEnd::Window | RunEnd::Reached | RunEnd::Interrupted => (Stop::Horizon, None),
            }
        }
    };
    Ok(ExecOutcome {
        stop,
        pc: machine.pc(),
        handled_fault: machine.handled_fault(),
        stack_overrun: machine.stack_overrun(),
        cycles: machine.now(),
        instructions: machine.instructions(),
        gaps: machine.gaps().to_vec(),
        debugger,
    })
}
