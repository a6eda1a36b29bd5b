//! A debugger whose bytes are all there from the beginning, for tests of what any bytes do.

use std::convert::Infallible;

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use gdbstub::conn::Connection;
use gdbstub::stub::GdbStub;
use gdbstub::stub::state_machine::GdbStubStateMachine as State;

use super::guest::Guest;
use super::stop_reason;

/// The cycles of the guest, and between two reads of its output.
const LIMIT: Cycles = Cycles::new(10_000);
const POLL: Cycles = Cycles::new(1_000);

/// A connection whose other end reads nothing.
struct Unheard;

impl Connection for Unheard {
    type Error = Infallible;

    fn write(&mut self, _: u8) -> Result<(), Infallible> {
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Gives `bytes` to the stub over `machine`, up to the first error of the protocol or the end of the run.
pub fn feed(machine: &mut Machine, image: &Image, bytes: &[u8]) {
    let mut sink = |_, _: &[u8]| true;
    let mut guest = Guest::new(machine, image, (LIMIT, POLL), &mut sink);
    let mut bytes = bytes.iter().copied();
    let Ok(mut state) = GdbStub::new(Unheard).run_state_machine(&mut guest) else { return };
    loop {
        let next = match state {
            State::Idle(stub) => match bytes.next() {
                Some(byte) => stub.incoming_data(&mut guest, byte),
                None => return,
            },
            State::Running(stub) => match guest.run() {
                Some(halt) => {
                    let reason = stop_reason(&mut guest, halt);
                    stub.report_stop(&mut guest, reason)
                }
                None => Ok(State::Running(stub)),
            },
            State::CtrlCInterrupt(stub) => {
                stub.interrupt_handled(&mut guest, None::<super::MultiThreadStopReason<u32>>)
            }
            State::Disconnected(_) => return,
        };
        let Ok(next) = next else { return };
        state = next;
    }
}
