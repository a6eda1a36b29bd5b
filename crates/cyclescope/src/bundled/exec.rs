//! One guest on one chip.

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::{Stop, Target};
use cyclescope_scope::{End, Limits, Session};
use cyclescope_units::Cycles;

use super::passed::Passed;
use crate::backend::{ExecOutcome, ExecRequest, Failure, Sink};
use crate::exit::Exit;
use crate::gdb::{self, Ended};

/// How often the probe reads RTT and output is passed on: a millisecond at 48 MHz.
const POLL: Cycles = Cycles::new(48_000);

/// Runs the guest of `request`.
pub(super) fn exec(
    request: &ExecRequest<'_>,
    sink: &mut Sink<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<ExecOutcome, Failure> {
    let refused = |error: Box<dyn std::error::Error + Send + Sync>| Failure {
        subject: format!("the image on {}", request.chip),
        error,
        help: None,
        exit: Exit::BadInput,
    };
    let part = Part::load(request.chip).map_err(|error| refused(error.into()))?;
    let settings = Settings {
        memory: request.memory.into(),
        output_budget: request.max_output,
        halt_on_fault: !request.guest_handles_faults,
        halt_on_reset: true,
        ..Settings::default()
    };
    let mut machine = Machine::load(&part, settings, request.image).map_err(|error| refused(error.into()))?;
    if let Some(line) = request.command_line {
        machine.set_command_line(line);
    }
    let limits = Limits { cycles: request.max_cycles, poll: POLL };
    let (stopped, debugger) = match request.debugger {
        Some(listener) => match gdb::serve(&mut machine, request.image, (limits.cycles, limits.poll), listener, sink) {
            Ended::Guest(stop) => (stop, None),
            Ended::Debugger(parting) => (Stop::Horizon, Some(parting)),
        },
        None => (run(&mut machine, request.image, limits, sink, stop), None),
    };
    let gaps = machine.gaps().to_vec();
    Ok(ExecOutcome {
        stop: stopped,
        pc: machine.pc(),
        handled_fault: machine.handled_fault(),
        stack_overrun: machine.stack_overrun(),
        cycles: machine.now(),
        instructions: machine.instructions(),
        gaps,
        debugger,
    })
}

/// Runs it to its end, or until `stop` says so.
fn run(machine: &mut Machine, image: &Image, limits: Limits, sink: &mut Sink<'_>, stop: &dyn Fn() -> bool) -> Stop {
    let mut passed = Passed::default();
    let mut session = Session::new(machine, image);
    let end = loop {
        // A slice is from one poll to the next, so that RTT is read at the cycles of an unsliced run.
        let slice = session.target().now().saturating_add(limits.poll).min(limits.cycles);
        match session.run(Limits { cycles: slice, ..limits }, |console| !passed.pass(console, sink)) {
            End::CycleBudget if slice < limits.cycles && !stop() => {}
            end => break end,
        }
    };
    drop(session);
    passed.pass(&machine.shared().console, sink);
    match end {
        End::Stopped(stop) => stop,
        End::Satisfied | End::CycleBudget => Stop::Horizon,
    }
}
