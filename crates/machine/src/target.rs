//! A whole machine as an observer drives it, whatever its core.

use crate::units::{Address, Cycles, Instructions};

use crate::{Channel, Line, Memory, Moment, Pin, Probe, Shared, Spin, Stimulus, Stop, Timebase, Wait};

/// The return address and stack pointer of a function that was just entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallFrame {
    /// The address it returns to.
    pub return_address: Address,
    /// The stack pointer after the function has returned.
    pub stack_pointer: Address,
}

/// The position of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The instruction about to execute.
    pub pc: Address,
    /// The stack pointer.
    pub stack_pointer: Address,
    /// The cycles since reset up to which the core has come.
    pub now: Cycles,
    /// The instructions that it has retired since reset.
    pub instructions: Instructions,
}

/// A machine that can become another one of its kind again and again, for less than a clone costs.
pub trait Restore: Clone {
    /// Takes the state of `from`, a machine of the same part that runs the same image, as a clone would: it goes on with
    /// the same cycles, the same signals and the same output. What is this machine's own stays: the addresses it watches,
    /// and what it has prepared to run faster.
    fn restore(&mut self, from: &Self);
}

/// A machine that can be run, watched and read.
pub trait Target {
    /// Runs to the first instruction boundary at or after the cycle `until`, or until something stops the run.
    /// Cutting a run into pieces does not change it.
    fn run(&mut self, until: Cycles) -> Stop;

    /// Returns the loop that the last [`Target::run`] has found the guest in, if nothing but the outside can end it. `None` also
    /// for a loop that has not been found.
    fn spins(&self) -> Option<Spin>;

    /// Returns the register that the guest polls in the loop in which it is now, as a copy shows that is run on for a few turns;
    /// `None` if there is none.
    fn waits_for(&self) -> Option<Wait>;

    /// Cycles since reset.
    fn now(&self) -> Cycles;

    /// The number of its cores.
    fn cores(&self) -> usize {
        1
    }

    /// The core that stands for the machine, for one with several: the one that ran last.
    fn core(&self) -> usize {
        0
    }

    /// The position of the core `core`; that of the core that stands for the machine if there is no such core.
    fn position(&self, _core: usize) -> Position {
        let (pc, stack_pointer) = (self.pc(), self.stack_pointer());
        Position { pc, stack_pointer, now: self.now(), instructions: self.instructions() }
    }

    /// Instructions retired since reset, by all cores.
    fn instructions(&self) -> Instructions;

    /// The instruction about to execute.
    fn pc(&self) -> Address;

    /// Makes [`Target::run`] stop whenever the instruction at `address` is about to execute.
    fn watch(&mut self, address: Address);

    /// At the first instruction of a function: where it will return to.
    fn call_frame(&self) -> CallFrame;

    /// The stack pointer now.
    fn stack_pointer(&self) -> Address;

    /// Returns the relation of cycles to real time, as it has been since the last change of the core's clock.
    fn timebase(&self) -> Timebase;

    /// Has the outside do `stimulus` at the moment `at`, whatever the clock does until then. One that is due already is
    /// done before the next instruction.
    fn stimulate(&mut self, at: impl Into<Moment>, stimulus: Stimulus);

    /// The pins there are, in order.
    fn pins(&self) -> Vec<Pin>;

    /// The level of `pin` now; low if the part has no such pin.
    fn pin(&self, pin: Pin) -> bool;

    /// The lines whose transfers are seen, by name: peripherals, as the part calls them, and attached devices.
    fn lines(&self) -> Vec<(String, Line)> {
        Vec::new()
    }

    /// The serial ports there are, in order; after the part's own those over USB that an attached host may open.
    fn serial_ports(&self) -> Vec<Channel>;

    /// Checks that the attached device `device` would take `value` for its quantity `name`.
    ///
    /// # Errors
    /// A sentence that says which devices, quantities or values there are.
    fn check_device(&self, device: &str, _name: &str, _value: &str) -> Result<(), String> {
        Err(format!("no device `{device}` is attached"))
    }

    /// Tells if the serial port `port` listens: its receiver is on and empty, and the outside sends nothing. Known only
    /// while [`SignalKind::Serial`](crate::SignalKind::Serial) is wanted.
    fn listens(&self, port: Channel) -> bool;

    /// Resets the part for the reason `cause`, as a [`Stop::Reset`] gave it. Flash, RAM, the clock of the simulation and
    /// stimuli go on.
    fn reset(&mut self, cause: &'static str);

    /// Console, signals and gaps.
    fn shared(&mut self) -> &mut Shared;

    /// The machine as a debugger sees it; `None` for one without registers.
    fn probe(&self) -> Option<&dyn Probe> {
        None
    }

    /// Flash and RAM, as a debug probe reaches them: no time, no side effect.
    fn memory(&mut self) -> &mut Memory;
}
