//! Laws that hold for every instruction set, as functions that tests call with a program.
//!
//! However a run is cut, watched, counted, cloned or traced, it is the same run.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{BlockCatalog, Bus, Memory, Retire, Stop};

use crate::blocks::Blocks;
use crate::core::Core;
pub use crate::counter::{Counter, Counts, add};
use crate::instruction_set::{Hooks, InstructionSet};
use crate::marks::Marks;
use crate::tier::{Decision, Ran, Then, Tier};

/// A core and its bus.
pub type Machine<I, P> = (Core<I, P>, Bus<P>);

/// Describes a machine, for comparing runs.
pub type Look<I, P> = dyn Fn(&Core<I, P>, &Bus<P>) -> String;

/// A program on a machine, with what the laws must know of it.
pub struct Program<'a, I: Hooks<P>, P> {
    /// Makes the machine, about to run its first instruction. Every machine is the same.
    pub make: &'a dyn Fn() -> Machine<I, P>,
    /// Everything that a run leaves behind, for comparing runs.
    pub outcome: &'a Look<I, P>,
    /// The cycle at which a run ends that nothing has stopped before.
    pub end: u64,
    /// Addresses of instructions that retire whenever they are reached, interrupts in their middle aside.
    pub watched: &'a [u32],
}

/// The program may end before an interrupt that comes in so many of its last cycles.
const TOO_LATE: u64 = 10;

impl<I: Hooks<P> + Clone, P: Clone> Program<'_, I, P> {
    /// Checks that the program obeys all laws.
    ///
    /// # Panics
    /// At the first law that is broken.
    pub fn obeys_all(&self) {
        self.is_the_same_however_it_is_cut();
        self.goes_on_from_any_snapshot();
        self.is_the_same_while_it_is_watched();
        self.is_counted_in_blocks_as_one_by_one();
        self.is_the_same_body_by_body();
        self.is_the_same_where_loops_are_skipped();
    }

    /// Checks that blocks, single instructions, single steps and cut runs are the same.
    ///
    /// # Panics
    /// If they are not.
    pub fn is_the_same_however_it_is_cut(&self) {
        let (whole, retired) = (self.whole(), self.retired());
        let mut machine = (self.make)();
        let before = machine.0.instructions().get();
        let instructions = self.whole_machine().0.instructions().get() - before;
        assert_eq!(retired.len() as u64, instructions, "each instruction is shown once");
        let mut stop = Stop::Horizon;
        while stop == Stop::Horizon && machine.0.now().get() < self.end {
            stop = machine.0.step(&mut machine.1);
        }
        let stepped =
            if stop == Stop::Horizon { self.finished(machine) } else { (self.outcome)(&machine.0, &machine.1) };
        assert_eq!(stepped, whole, "in single steps");
        for step in [1, 2, 3, 7, 17, 100] {
            let (mut core, mut bus) = (self.make)();
            let mut until = 0;
            while core.run(&mut bus, Cycles::new(until)) == Stop::Horizon && until < self.end {
                until = self.end.min(until + step);
            }
            assert_eq!((self.outcome)(&core, &bus), whole, "cut every {step} cycles");
        }
    }

    /// Checks that a clone, and a machine that takes the state of another, go on as if nothing had happened.
    ///
    /// # Panics
    /// If they do not.
    pub fn goes_on_from_any_snapshot(&self) {
        let whole = self.whole();
        let last = self.whole_machine().0.now().get();
        let mut other = (self.make)();
        for at in (0..last).step_by((last / 50).max(1) as usize) {
            let mut first = (self.make)();
            first.0.run(&mut first.1, Cycles::new(at));
            other.0.run(&mut other.1, Cycles::new(at / 2));
            restore(&mut other, &first);
            // The clone runs first: the original must not notice.
            for (name, machine) in [("clone", first.clone()), ("original", first), ("restored", other.clone())] {
                assert_eq!(self.finished(machine), whole, "{name} from {at}");
            }
        }
    }

    /// Checks that watching reports each meeting once, before it, and changes nothing, cut anywhere or not.
    ///
    /// # Panics
    /// If it does.
    pub fn is_the_same_while_it_is_watched(&self) {
        let (whole, retired) = (self.whole(), self.retired());
        let meetings = retired.iter().filter(|retire| self.watched.contains(&retire.pc.get())).count();
        assert!(meetings > 0, "nothing is watched");
        for step in [self.end, 13] {
            let (mut core, mut bus) = (self.make)();
            self.watched.iter().for_each(|address| core.watch(Address::new(*address)));
            let (mut met, mut until) = (0, step);
            loop {
                match core.run(&mut bus, Cycles::new(until)) {
                    Stop::Watch(address) => {
                        assert_eq!(core.cpu().pc(), address);
                        met += 1;
                    }
                    Stop::Horizon if until < self.end => until = self.end.min(until + step),
                    _ => break,
                }
            }
            assert_eq!(met, meetings, "meetings, cut every {step} cycles");
            assert_eq!((self.outcome)(&core, &bus), whole, "watched, cut every {step} cycles");
        }
    }

    /// Checks that marked blocks say of each instruction what it takes when it runs alone, that both sums are the total of
    /// cycles between exceptions, and that being counted changes nothing.
    ///
    /// # Panics
    /// If any of that is not so.
    pub fn is_counted_in_blocks_as_one_by_one(&self) {
        let each = self.counts();
        let (mut core, mut bus) = (self.make)();
        let mut sink = Counter::default();
        core.run_into(&mut bus, Cycles::new(self.end), &mut sink);
        assert!(sink.has_counted_long_blocks(), "no block of several instructions ran");
        assert_eq!(sink.counts(), Some(each), "by address");
        assert_eq!((self.outcome)(&core, &bus), self.whole(), "counted");
    }

    /// The counts of instructions that are shown one by one.
    fn counts(&self) -> Counts {
        let mut each = Counts::new();
        self.retired().into_iter().for_each(|retire| add(&mut each, retire));
        each
    }

    /// Checks that blocks whose bodies are called one by one do what the chain of handlers does.
    ///
    /// # Panics
    /// If they do not.
    pub fn is_the_same_body_by_body(&self) {
        let unchained = || {
            let (mut core, bus) = (self.make)();
            core.code.unchain();
            (core, bus)
        };
        assert_eq!(self.finished(unchained()), self.whole(), "body by body");
        let (mut core, mut bus) = unchained();
        core.run_into(&mut bus, Cycles::new(self.end), &mut Counter::default());
        assert_eq!((self.outcome)(&core, &bus), self.whole(), "body by body, counted");
    }

    /// Checks that a run whose blocks another tier runs, made by `tier`, is the same: in one go, cut, watched, counted, cloned and
    /// restored. The tier must run blocks after a few runs of theirs. Returns the number of regions that were run.
    ///
    /// # Panics
    /// If it is not.
    pub fn is_the_same_in_another_tier(&self, tier: &dyn Fn() -> Box<dyn Tier<I, P>>) -> usize
    where
        I: 'static,
        P: 'static,
    {
        let whole = self.whole();
        let runs = Arc::new(AtomicUsize::new(0));
        let make = || {
            let (mut core, bus) = (self.make)();
            core.look_for_loops(None);
            core.set_tier(Some(Box::new(Noticed { tier: tier(), runs: runs.clone() })));
            (core, bus)
        };
        assert_eq!(self.finished(make()), whole, "in one go");
        for step in [3, 17, 100, 1009] {
            let (mut core, mut bus) = make();
            self.watched.iter().for_each(|address| core.watch(Address::new(*address)));
            let mut until = 0;
            loop {
                match core.run(&mut bus, Cycles::new(until)) {
                    Stop::Watch(_) => {}
                    Stop::Horizon if until < self.end => until = self.end.min(until + step),
                    _ => break,
                }
            }
            assert_eq!((self.outcome)(&core, &bus), whole, "watched, cut every {step} cycles");
        }
        let each = self.counts();
        for step in [self.end, 17, 1009] {
            let ((mut core, mut bus), mut sink) = (make(), Counter::default());
            let mut until = self.end.min(step);
            while core.run_into(&mut bus, Cycles::new(until), &mut sink) == Stop::Horizon && until < self.end {
                until = self.end.min(until + step);
            }
            assert_eq!(sink.counts().as_ref(), Some(&each), "by address, cut every {step} cycles");
            assert_eq!((self.outcome)(&core, &bus), whole, "counted, cut every {step} cycles");
        }
        let last = self.whole_machine().0.now().get();
        let mut other = make();
        for at in (0..last).step_by((last / 20).max(1) as usize) {
            let mut first = make();
            first.0.run(&mut first.1, Cycles::new(at));
            other.0.run(&mut other.1, Cycles::new(at / 2));
            restore(&mut other, &first);
            for (name, machine) in [("clone", first.clone()), ("original", first), ("restored", other.clone())] {
                assert_eq!(self.finished(machine), whole, "{name} from {at}");
            }
        }
        runs.load(Ordering::Relaxed)
    }

    /// Checks that a run whose loops are skipped is the same, however often the core looks for them. Returns the most cycles that
    /// a run has skipped.
    ///
    /// # Panics
    /// If it is not.
    pub fn is_the_same_where_loops_are_skipped(&self) -> u64 {
        let whole = self.whole();
        let mut most = 0;
        for cycles in [1, 7, 64, 1_000] {
            for step in [self.end, 20_011] {
                let (mut core, mut bus) = (self.make)();
                core.look_for_loops(Some(cycles));
                let mut until = self.end.min(step);
                while core.run(&mut bus, Cycles::new(until)) == Stop::Horizon && until < self.end {
                    until = self.end.min(until + step);
                }
                let cut = format!("looking for loops every {cycles} cycles, cut every {step}");
                assert_eq!((self.outcome)(&core, &bus), whole, "{cut}");
                most = most.max(core.skipped());
            }
        }
        most
    }

    /// Checks that an interrupt, which `raise` has come in a given cycle, changes no `result` of the program, whatever the cycle.
    ///
    /// # Panics
    /// If it does, or if the interrupt takes no time.
    pub fn has_its_result_whenever_interrupted(&self, raise: &dyn Fn(&mut Bus<P>, Cycles), result: &Look<I, P>) {
        let (core, bus) = self.whole_machine();
        let (expected, last) = (result(&core, &bus), core.now());
        for at in 0..last.get() {
            let (mut core, mut bus) = (self.make)();
            raise(&mut bus, Cycles::new(at));
            core.run(&mut bus, Cycles::new(self.end));
            assert_eq!(result(&core, &bus), expected, "interrupted in cycle {at}");
            assert!(core.now() > last || at + TOO_LATE > last.get(), "no interrupt in cycle {at}");
        }
    }

    /// The run with every instruction carried out.
    fn whole_machine(&self) -> Machine<I, P> {
        let (mut core, mut bus) = (self.make)();
        core.look_for_loops(None);
        core.run(&mut bus, Cycles::new(self.end));
        (core, bus)
    }

    fn whole(&self) -> String {
        let (core, bus) = self.whole_machine();
        (self.outcome)(&core, &bus)
    }

    fn finished(&self, (mut core, mut bus): Machine<I, P>) -> String {
        core.run(&mut bus, Cycles::new(self.end));
        (self.outcome)(&core, &bus)
    }

    /// The retired instructions, one by one; that is the same run as well.
    fn retired(&self) -> Vec<Retire> {
        let (mut core, mut bus) = (self.make)();
        let mut retired = Vec::new();
        core.run_into(&mut bus, Cycles::new(self.end), &mut |retire| retired.push(retire));
        assert_eq!((self.outcome)(&core, &bus), self.whole(), "one by one");
        retired
    }
}

/// Has `machine` take the state of `from`.
fn restore<I: Hooks<P>, P: Clone>(machine: &mut Machine<I, P>, from: &Machine<I, P>) {
    machine.1.memory.restore_from(&from.1.memory);
    machine.1.peripherals = from.1.peripherals.clone();
    machine.1.shared = from.1.shared.clone();
    machine.0.restore(&from.0);
}

/// A tier whose runs are counted.
struct Noticed<I: InstructionSet, P> {
    tier: Box<dyn Tier<I, P>>,
    runs: Arc<AtomicUsize>,
}

impl<I: InstructionSet, P> fmt::Debug for Noticed<I, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tier.fmt(f)
    }
}

impl<I: InstructionSet + 'static, P: 'static> Tier<I, P> for Noticed<I, P> {
    fn period(&self) -> u32 {
        self.tier.period()
    }

    fn compile(
        &mut self,
        cpu: &I,
        memory: &Memory,
        blocks: &Blocks<I, P>,
        head: usize,
        observer: Option<&mut dyn BlockCatalog>,
    ) -> Decision {
        self.tier.compile(cpu, memory, blocks, head, observer)
    }

    fn count(&mut self, marks: &mut Marks, observer: &mut dyn BlockCatalog) {
        self.tier.count(marks, observer);
    }

    fn run(
        &mut self,
        entry: u32,
        cpu: &mut I,
        bus: &mut Bus<P>,
        blocks: &Blocks<I, P>,
        observer: Option<&mut dyn BlockCatalog>,
    ) -> Ran<I::Exit> {
        let ran = self.tier.run(entry, cpu, bus, blocks, observer);
        if let Ran::Left(_) = ran {
            self.runs.fetch_add(1, Ordering::Relaxed);
        }
        ran
    }

    fn missed(&mut self, entry: u32, instructions: u32) -> Then {
        self.tier.missed(entry, instructions)
    }

    fn copy(&self) -> Box<dyn Tier<I, P>> {
        Box::new(Self { tier: self.tier.copy(), runs: self.runs.clone() })
    }
}
