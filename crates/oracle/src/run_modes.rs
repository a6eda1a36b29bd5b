//! Modes of running a core of ours, which must give the results of single steps.

use std::ops::Range;

use cyclescope_engine::laws::{self, Counter, Counts};
use cyclescope_engine::{Core, Hooks};
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Bus, Ram, Retire, Stop, Width};

use crate::lockstep::{COMPILED_RUNS, COUNTED_RUNS, several};
use crate::lowered;
use crate::random::Random;

/// A mode of running that must give the results of single steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// Runs blocks to the end.
    Blocks,
    /// Runs blocks, stopped and continued at random cycles.
    Cut,
    /// Runs blocks to the end, those compiled for this host that have run before.
    Compiled,
    /// Runs regions of blocks compiled before, stopped and continued at random cycles.
    CompiledCut,
    /// Counts runs of compiled regions.
    Counted,
}

/// A core and what it works on.
pub(crate) type Machine<I, P> = (Core<I, P>, Bus<P>);

/// Runs of a machine that are compared.
pub(crate) struct Runs<'a, I: Hooks<P>, P, O> {
    /// The machine at its start.
    pub first: &'a Machine<I, P>,
    /// The cycle to which it runs.
    pub until: u64,
    /// The addresses of its data.
    pub data: Range<u32>,
    /// Returns the result of a run, which ended for this reason.
    pub left_by: fn(&mut Machine<I, P>, Stop) -> O,
}

impl<I: Hooks<P> + 'static, P: Clone + 'static, O: PartialEq> Runs<'_, I, P, O> {
    /// Returns the first mode that does not give the results of single steps. `cuts` says where runs are cut.
    pub fn unlike_steps(&self, cuts: &mut Random) -> Option<RunMode> {
        let single = self.outcome(&mut self.first.clone(), None, true);
        let mut check = |mode, machine: &mut Machine<I, P>| {
            let cut = matches!(mode, RunMode::Cut | RunMode::CompiledCut).then_some(&mut *cuts);
            (self.outcome(machine, cut, false) != single).then_some(mode)
        };
        let found = [RunMode::Blocks, RunMode::Cut].into_iter().find_map(|mode| check(mode, &mut self.first.clone()));
        if found.is_some() {
            return found;
        }
        let mut compiled = self.first.clone();
        compiled.0.set_tier(Some(lowered::tier()));
        let found = COMPILED_RUNS.into_iter().find_map(|cut| {
            let mode = if cut { RunMode::CompiledCut } else { RunMode::Compiled };
            self.rewind(&mut compiled);
            check(mode, &mut compiled)
        });
        found.or_else(|| self.counts_differ(&mut compiled, &single).then_some(RunMode::Counted))
    }

    /// Counts several runs of `compiled`, and tells whether one is not as `expected`, or not counted as one by one.
    fn counts_differ(&self, compiled: &mut Machine<I, P>, expected: &O) -> bool {
        let until = Cycles::new(self.until);
        let ((mut core, mut bus), mut each) = (self.first.clone(), Counts::new());
        core.run_into(&mut bus, until, &mut |retire: Retire| laws::add(&mut each, retire));
        let mut counter = Counter::default();
        let is_other = |_| {
            self.rewind(compiled);
            counter.rewind();
            let stop = compiled.0.run_into(&mut compiled.1, until, &mut counter);
            (self.left_by)(compiled, stop) != *expected
        };
        (0..COUNTED_RUNS).any(is_other) || counter.counts() != Some(several(each, COUNTED_RUNS))
    }

    /// Returns to the start, keeps the decoded code, and writes each page of data once as it is, so that stores there need no note of
    /// it: compiled code leaves others to the interpreter.
    fn rewind(&self, (core, bus): &mut Machine<I, P>) {
        let (first, at_first) = self.first;
        bus.memory.restore_from(&at_first.memory);
        bus.peripherals = at_first.peripherals.clone();
        bus.shared = at_first.shared.clone();
        core.restore(first);
        let ram = &mut bus.memory.ram;
        for address in self.data.clone().step_by(Ram::PAGE_BYTES as usize) {
            if let Some(byte) = ram.read(address, Width::Byte) {
                ram.write(address, Width::Byte, byte);
            }
        }
    }

    /// Runs `machine`, whole or `cut`, by single steps or in blocks.
    fn outcome(&self, machine: &mut Machine<I, P>, mut cut: Option<&mut Random>, single: bool) -> O {
        let (core, bus) = &mut *machine;
        let (mut at, mut stop) = (0, Stop::Horizon);
        while at < self.until && stop == Stop::Horizon {
            let piece = cut.as_mut().map_or(self.until, |random| 1 + u64::from(random.below(60)));
            at = (at + piece).min(self.until);
            let to = Cycles::new(at);
            stop = if single { core.run_into(bus, to, &mut |_: Retire| {}) } else { core.run(bus, to) };
        }
        (self.left_by)(machine, stop)
    }
}
