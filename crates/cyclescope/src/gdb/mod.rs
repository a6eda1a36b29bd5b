//! A debugger at the other end of a socket: gdb's remote protocol, by the library `gdbstub`, over a machine that stays as
//! deterministic as it is without one.

pub(crate) mod fed;
mod guest;
mod layout;
mod line;
mod stub;

use std::convert::Infallible;
use std::net::TcpListener;

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::Stop;
use cyclescope_machine::units::Cycles;
use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, MultiThreadStopReason};

use crate::backend::{DeskEnd, OutputSink, Parting};
use crate::exit::Exit;
use crate::interrupt;
use guest::{Guest, Halt};
use line::Line;
use stub::thread;

/// The end of a debugged run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The guest ended it, the budget, or Ctrl-C.
    Guest(Stop),
    /// The debugger did.
    Debugger(Parting),
}

/// Does as [`serve`]. Returns the end, and the way in which the debugger left, if that was before.
pub(crate) fn serve_to_the_end(
    machine: &mut Machine,
    image: &Image,
    limits: (Cycles, Cycles),
    listener: &TcpListener,
    sink: &mut OutputSink<'_>,
) -> (DeskEnd, Option<Parting>) {
    match serve(machine, image, limits, listener, sink) {
        Ended::Guest(Stop::Horizon) => (DeskEnd::Budget, None),
        Ended::Guest(stop) => (DeskEnd::Stopped(stop), None),
        Ended::Debugger(parting) => (DeskEnd::Interrupted, Some(parting)),
    }
}

/// Waits for a debugger at `listener` and does as it says until the run has ended. The run ends at the cycle `limit`, and
/// RTT is read every `poll` cycles, as without a debugger.
pub(crate) fn serve(
    machine: &mut Machine,
    image: &Image,
    (limit, poll): (Cycles, Cycles),
    listener: &TcpListener,
    sink: &mut OutputSink<'_>,
) -> Ended {
    let line = match Line::accept(listener) {
        Ok(Some(line)) => line,
        Ok(None) => return Ended::Guest(Stop::Horizon),
        Err(error) => return Ended::Debugger(Parting::Lost(error.to_string())),
    };
    let mut guest = Guest::new(machine, image, (limit, poll), sink);
    let reason = GdbStub::new(line).run_blocking::<Loop<'_, '_>>(&mut guest);
    if interrupt::interrupted() {
        return Ended::Guest(Stop::Horizon);
    }
    match reason {
        Ok(DisconnectReason::Disconnect) => match guest.run_out() {
            Halt::Stopped(stop) => Ended::Guest(stop),
            _ => Ended::Guest(Stop::Horizon),
        },
        Ok(DisconnectReason::Kill) => Ended::Debugger(Parting::Killed),
        Ok(DisconnectReason::TargetExited(_) | DisconnectReason::TargetTerminated(_)) => {
            Ended::Guest(guest.ended.unwrap_or(Stop::Horizon))
        }
        Err(error) => Ended::Debugger(Parting::Lost(error.to_string())),
    }
}

/// The library's loop over a [`Guest`] and a [`Line`].
struct Loop<'a, 's>(std::marker::PhantomData<(&'a (), &'s ())>);

impl<'a, 's: 'a> BlockingEventLoop for Loop<'a, 's> {
    type Target = Guest<'a, 's>;
    type Connection = Line;
    type StopReason = MultiThreadStopReason<u32>;

    fn wait_for_stop_reason(
        guest: &mut Guest<'a, 's>,
        line: &mut Line,
    ) -> Result<Event<MultiThreadStopReason<u32>>, WaitForStopReasonError<Infallible, std::io::Error>> {
        loop {
            if let Some(byte) = line.peek().map_err(WaitForStopReasonError::Connection)? {
                let _ = line.read().map_err(WaitForStopReasonError::Connection)?;
                return Ok(Event::IncomingData(byte));
            }
            if let Some(halt) = guest.run() {
                return Ok(Event::TargetStopped(stop_reason(guest, halt)));
            }
        }
    }

    fn on_interrupt(_: &mut Guest<'a, 's>) -> Result<Option<MultiThreadStopReason<u32>>, Infallible> {
        Ok(Some(MultiThreadStopReason::Signal(Signal::SIGINT)))
    }
}

/// Returns the reason of a stop for the debugger. A guest that could go on has not ended.
fn stop_reason(guest: &mut Guest<'_, '_>, halt: Halt) -> MultiThreadStopReason<u32> {
    if let Halt::Stopped(stop) = halt {
        guest.ended = Some(stop);
    }
    let tid = thread(guest.core);
    // The only thread needs no name.
    let signal = |signal| match guest.machine.cores() {
        1 => MultiThreadStopReason::Signal(signal),
        _ => MultiThreadStopReason::SignalWithThread { tid, signal },
    };
    match halt {
        Halt::Stepped if guest.machine.cores() == 1 => MultiThreadStopReason::DoneStep,
        Halt::Stepped => signal(Signal::SIGTRAP),
        Halt::Breakpoint => MultiThreadStopReason::SwBreak(tid),
        Halt::Touched(watched) => MultiThreadStopReason::Watch { tid, kind: watched.kind, addr: watched.address },
        Halt::Stopped(Stop::Fault(_) | Stop::Lockup(_)) => signal(Signal::SIGSEGV),
        Halt::Stopped(Stop::Breakpoint(..)) => signal(Signal::SIGTRAP),
        Halt::Stopped(Stop::Deadlock(_)) => signal(Signal::SIGSTOP),
        Halt::Stopped(stop) => MultiThreadStopReason::Exited(Exit::of_stop(stop).code()),
        Halt::Refused => {
            guest.ended = Some(Stop::Horizon);
            MultiThreadStopReason::Exited(Exit::Interrupted.code())
        }
    }
}
