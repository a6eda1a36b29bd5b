//! `exec`: a guest's run from power-on to its end.

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Channel, Moment, Probe, Stop};
use cyclescope_scope::{Desk, DeskEnd, Names, Pace, Session, run_at_desk};
use thiserror::Error;

use crate::post_mortem::post_mortem;
use crate::steps::{apply, load, refused};
use crate::{Debugger, ExecOutcome, ExecRequest, Failure, Scenario};

/// A serial port that the part lacks.
#[derive(Debug, Error)]
#[error("there is no serial port {}{}", .port.port_text(), ports(.known))]
struct NoPort {
    port: Channel,
    known: Vec<Channel>,
}

fn ports(known: &[Channel]) -> String {
    match known {
        [] => "; the part has none".to_owned(),
        known => format!("; the part has {}", known.iter().map(|port| port.port_text()).collect::<Vec<_>>().join(", ")),
    }
}

/// Runs the guest of `request` at `desk`. Now and then it asks `stop`; once that says so it returns as at the end of the budget.
///
/// # Errors
/// [`Failure`] where the image does not fit the chip, or a stimulus, an event or a port not the part.
pub fn exec(request: &ExecRequest<'_>, desk: &mut dyn Desk, stop: &dyn Fn() -> bool) -> Result<ExecOutcome, Failure> {
    let image = request.guest.image;
    let mut machine = load(&request.guest)?;
    if let Some(line) = request.command_line {
        machine.set_command_line(line);
    }
    let known = machine.serial_ports();
    if let Some(&port) = request.ports.iter().find(|port| !known.contains(port)) {
        return Err(refused(&request.guest, NoPort { port, known }));
    }
    // A slice is from one poll to the next, so that RTT is read at the cycles of an unsliced run.
    let window = request.window.map_or(Moment::Cycle(Cycles::MAX), |window| window.after_reset());
    let pace = Pace { slice: Pace::POLL, most: request.max_cycles, ..Pace::until(window) };
    let mut spins = None;
    let (end, debugger) = match request.debugger {
        Some(Debugger { listener, serve }) => {
            let mut sink = |channel, bytes: &[u8]| desk.take(channel, bytes);
            serve(&mut machine, image, (request.max_cycles, pace.poll), listener, &mut sink)
        }
        None => {
            let exceptions = machine.exceptions();
            let names: Names<'_> = &exceptions;
            let mut session = Session::new(&mut machine, image);
            request.guest.tell_gaps(&mut session);
            let window = request.window.unwrap_or(cyclescope_scope::Time::ZERO);
            let scenario = Scenario { rules: request.rules, window, until: request.until, whole: true };
            apply(&request.guest, &scenario, names, &mut session)?;
            let ends = request.ends || request.window.is_some() || request.until.is_some();
            let end = run_at_desk(&mut session, pace, ends, desk, stop);
            spins = if end == DeskEnd::Window { session.spins() } else { None };
            (end, None)
        }
    };
    let stop = match end {
        DeskEnd::Stopped(stop) => stop,
        _ => Stop::Horizon,
    };
    // A loop that nothing can end is as much of an end as sleep that nothing can.
    let examined = if matches!(end, DeskEnd::Spins(_)) { Stop::Deadlock(machine.pc()) } else { stop };
    request.guest.keep_devices(&machine);
    let post_mortem = if debugger.is_none() { post_mortem(&machine, image, examined) } else { None };
    Ok(ExecOutcome {
        end,
        stop,
        core: Probe::core(&machine),
        pc: machine.pc(),
        handled_fault: machine.handled_fault(),
        stack_overrun: machine.stack_overrun(),
        cycles: machine.now(),
        instructions: machine.instructions(),
        time: machine.timebase().time(machine.now()),
        part: machine.part().name.to_string(),
        gaps: machine.gaps().to_vec(),
        debugger,
        post_mortem,
        wait: if spins.is_some() || matches!(end, DeskEnd::Spins(_)) { machine.waits_for() } else { None },
        spins,
    })
}
