//! Runs a machine, and watches, stimulates and reads it from outside.

use std::ops::Range;

use cyclescope_engine::InstructionSet;
use cyclescope_machine::units::{Address, Cycles, Instructions};
use cyclescope_machine::{
    CallFrame, Channel, Contact, Line, Memory, Moment, Pin, Position, Requests, Shared, SignalKind, Silent, Sink, Spin,
    Stimulus, Stop, Timebase, Wait,
};
use cyclescope_peripherals::wires::Die;

use super::pointed::{AnySink, Pointed};
use super::{Kind, Machine};

impl Machine {
    /// Runs to the first instruction boundary at or after the cycle `until`, or until something stops the run.
    /// Cutting a run into pieces does not change it.
    pub fn run(&mut self, until: Cycles) -> Stop {
        self.run_with(until, &mut Silent)
    }

    /// Runs like [`Machine::run`], handing every retired instruction to `sink`.
    pub fn run_into<S: Sink>(&mut self, until: Cycles, sink: &mut S) -> Stop {
        match (S::OBSERVES, S::BLOCKS) {
            (false, _) => self.run(until),
            (true, true) => self.run_by_blocks(until, sink),
            (true, false) => self.run_by_instructions(until, sink),
        }
    }

    fn run_by_blocks(&mut self, until: Cycles, sink: &mut dyn AnySink) -> Stop {
        self.run_with(until, &mut Pointed::<true>(sink))
    }

    fn run_by_instructions(&mut self, until: Cycles, sink: &mut dyn AnySink) -> Stop {
        self.run_with(until, &mut Pointed::<false>(sink))
    }

    /// Runs with a sink of one of the three types for which the loops are compiled, in this crate alone.
    fn run_with<S: Sink>(&mut self, until: Cycles, sink: &mut S) -> Stop {
        loop {
            match inside!(&mut self.kind, machine => machine.core.run_into(&mut machine.bus, until, sink)) {
                Stop::Reset(cause) => {
                    // A reset is also how devices of a RISC-V part end the run.
                    if let Some(code) = self.take_exit() {
                        return Stop::Exit(code);
                    }
                    if self.halt_on_reset {
                        return Stop::Reset(cause);
                    }
                    self.reset(cause);
                }
                stop => return stop,
            }
        }
    }

    /// Checks that the attached device `device` would take `value` for its quantity `name`.
    ///
    /// # Errors
    /// A sentence that says which devices, quantities or values there are.
    pub fn check_device(&self, device: &str, name: &str, value: &str) -> Result<(), String> {
        let devices = self.attached();
        if device == Die::NAME && devices.iter().all(|(known, _)| *known != device) {
            return Die::new(0).set(name, value);
        }
        let Some((_, found)) = devices.iter().find(|(known, _)| *known == device) else {
            let known: Vec<&str> = devices.iter().map(|(known, _)| *known).collect();
            let known = if known.is_empty() { "none is".to_owned() } else { known.join(", ") };
            return Err(format!("no device `{device}` is attached, but {known}"));
        };
        // The copy takes the value, and is forgotten.
        let mut requests = Requests::default();
        found.copy().set(name, value, &mut Contact::new(self.timebase().time(self.now()), &mut requests))
    }

    /// Returns the loop that the last [`Machine::run`] has found the guest in, if nothing but the outside can end it. `None` also
    /// for a loop that has not been found.
    pub fn spins(&self) -> Option<Spin> {
        inside!(&self.kind, machine => machine.core.spins())
    }

    /// Returns the register that the guest polls in the loop in which it is now, as a copy shows that is run on for a few turns;
    /// `None` if there is none.
    pub fn waits_for(&self) -> Option<Wait> {
        inside!(&self.kind, machine => machine.waits_for())
    }

    /// The position of the core `core`; that of the core that stands for the machine if there is no such core.
    pub fn position(&self, core: usize) -> Position {
        inside!(&self.kind, machine => machine.core.position(core))
    }

    /// Cycles since reset.
    pub fn now(&self) -> Cycles {
        inside!(&self.kind, machine => machine.core.reached())
    }

    /// Instructions retired since reset, by all cores.
    pub fn instructions(&self) -> Instructions {
        inside!(&self.kind, machine => machine.core.instructions())
    }

    /// The instruction about to execute.
    pub fn pc(&self) -> Address {
        inside!(&self.kind, machine => machine.core.cpu().pc())
    }

    /// Makes [`Machine::run`] stop whenever the instruction at `address` is about to execute.
    pub fn watch(&mut self, address: Address) {
        inside!(&mut self.kind, machine => machine.core.watch(address));
    }

    /// Makes the cores record each store to these addresses ([`Signal::Store`](cyclescope_machine::Signal::Store)), at its own cycle, and
    /// [`Machine::run`] stop behind it. What a DMA stores is not told of.
    pub fn watch_stores(&mut self, addresses: Range<Address>) {
        self.shared().signals.want(SignalKind::Store);
        self.memory().watch_stores(addresses);
    }

    /// At the first instruction of a function: where it will return to.
    pub fn call_frame(&self) -> CallFrame {
        inside!(&self.kind, machine => machine.core.call_frame(&machine.bus))
    }

    /// The stack pointer now.
    pub fn stack_pointer(&self) -> Address {
        inside!(&self.kind, machine => InstructionSet::stack_pointer(machine.core.cpu()))
    }

    /// Returns the relation of cycles to real time, as it has been since the last change of the core's clock.
    pub fn timebase(&self) -> Timebase {
        inside!(&self.kind, machine => machine.bus.peripherals.timebase())
    }

    /// Has the outside do `stimulus` at the moment `at`, whatever the clock does until then. One that is due already is
    /// done before the next instruction.
    pub fn stimulate(&mut self, at: impl Into<Moment>, stimulus: Stimulus) {
        inside!(&mut self.kind, machine => {
            machine.bus.peripherals.stimulate(at, stimulus, &mut machine.bus.shared.events);
        });
    }

    /// Keeps a place in the order in which stimuli of one moment come: behind those that were asked for by now, before all later
    /// ones. It is for a stimulus whose moment is not known yet.
    pub fn keep_place(&mut self) -> u64 {
        inside!(&mut self.kind, machine => machine.bus.peripherals.keep_place())
    }

    /// Does what [`Machine::stimulate`] does, at a place of [`Machine::keep_place`]. It takes the place of a stimulus that was given there
    /// and is still to come.
    pub fn stimulate_at_place(&mut self, at: impl Into<Moment>, place: u64, stimulus: Stimulus) {
        let at = at.into();
        inside!(&mut self.kind, machine => {
            machine.bus.peripherals.stimulate_at_place(at, place, stimulus, &mut machine.bus.shared.events);
        });
    }

    /// The pins there are, in order.
    pub fn pins(&self) -> Vec<Pin> {
        self.part.pins().collect()
    }

    /// The level of `pin` now; low if the part has no such pin.
    pub fn pin(&self, pin: Pin) -> bool {
        inside!(&self.kind, machine => machine.bus.peripherals.pin(pin))
    }

    /// The serial ports there are, in order; after the part's own those over USB that an attached host may open.
    pub fn serial_ports(&self) -> Vec<Channel> {
        let (own, consoles) = inside!(&self.kind, machine => {
            let devices = &machine.bus.peripherals;
            (devices.serial_ports(), devices.outside().consoles())
        });
        own.into_iter().map(Channel::Uart).chain((0..consoles).map(Channel::Usb)).collect()
    }

    /// The lines whose transfers are seen, by name: peripherals, as the part calls them, and attached devices.
    pub fn lines(&self) -> Vec<(String, Line)> {
        let devices = self.attached().into_iter().zip(0..);
        let devices = devices.map(|((name, _), number)| (name.to_owned(), Line::Attached(number)));
        self.part.lines().into_iter().map(|name| (name.to_owned(), Line::Peripheral(name))).chain(devices).collect()
    }

    /// Tells if the serial port `port` listens: its receiver is on and empty, and the outside sends nothing. Known only
    /// while [`SignalKind::Serial`](cyclescope_machine::SignalKind::Serial) is wanted.
    pub fn listens(&self, port: Channel) -> bool {
        inside!(&self.kind, machine => match port {
            Channel::Uart(number) => machine.bus.peripherals.listens(number),
            Channel::Usb(number) => machine.bus.peripherals.outside().console_listens(number),
            Channel::Rtt(_) | Channel::Semihosting => false,
        })
    }

    /// Resets the part for the reason `cause`, as a [`Stop::Reset`] gave it. Flash, RAM, the clock of the simulation and
    /// stimuli go on.
    pub fn reset(&mut self, cause: &'static str) {
        self.resets += 1;
        self.shared().files.close_all();
        inside!(&mut self.kind, machine => machine.reset(cause));
    }

    /// Console, signals and gaps.
    pub fn shared(&mut self) -> &mut Shared {
        inside!(&mut self.kind, machine => &mut machine.bus.shared)
    }

    /// Flash and RAM, as a debug probe reaches them: no time, no side effect.
    pub fn memory(&mut self) -> &mut Memory {
        inside!(&mut self.kind, machine => &mut machine.bus.memory)
    }
}
