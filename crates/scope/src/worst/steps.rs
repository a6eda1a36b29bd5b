//! Runs a machine instruction by instruction, and looks at it in between.

use cyclescope_chips::Machine;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Signal, Sink, Stop};

/// A core between two instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Boundary {
    pub core: usize,
    /// The cycle.
    pub at: Cycles,
    /// The instruction about to execute.
    pub pc: Address,
    /// The instruction before it.
    pub before: Address,
    /// The core sleeps until something wakes it.
    pub asleep: bool,
}

/// The steps of a machine.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// The cycle and the next instruction of each core after its last step.
    last: [Option<(Cycles, Address)>; 2],
    asleep: [bool; 2],
}

impl Steps {
    /// Runs `machine` into `sink` to `until`, or until it stops. `look` is called at each boundary of each core.
    pub fn run<S: Sink>(
        &mut self,
        machine: &mut Machine,
        until: Cycles,
        sink: &mut S,
        mut look: impl FnMut(&Machine, Boundary),
    ) -> Stop {
        self.look(machine, &mut look);
        loop {
            // Nothing but a wake-up, which stops the run, ends a sleep.
            let asleep = self.asleep[..machine.cores().min(2)].iter().all(|asleep| *asleep);
            let next = machine.now().saturating_add(Cycles::new(1));
            let stop = machine.run_into(if asleep { until } else { next.min(until) }, sink);
            self.look(machine, &mut look);
            if stop != Stop::Horizon || machine.now() >= until {
                return stop;
            }
        }
    }

    fn look(&mut self, machine: &Machine, look: &mut impl FnMut(&Machine, Boundary)) {
        for core in 0..machine.cores().min(2) {
            let position = machine.position(core);
            let now = (position.now, position.pc);
            let before = self.last[core].replace(now);
            if before != Some(now) {
                let (at, pc) = now;
                let before = before.map_or(pc, |(_, pc)| pc);
                look(machine, Boundary { core, at, pc, before, asleep: self.asleep[core] });
            }
        }
    }

    /// Takes a signal of the core `core`.
    pub fn signal(&mut self, core: u8, signal: Signal) {
        if let Some(asleep) = self.asleep.get_mut(usize::from(core)) {
            match signal {
                Signal::Sleep => *asleep = true,
                Signal::Wake => *asleep = false,
                _ => {}
            }
        }
    }
}
