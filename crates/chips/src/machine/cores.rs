//! The cores of a part that share its bus, and the order in which they go on.
//!
//! A core that runs alone runs as fast as one of a part with no other. It stops where something reaches the other core: an
//! interrupt line, an event, a reset. While both run, the one whose next act comes first goes on: an instruction at a time, each
//! of its accesses in its turn ([`Turns`](cyclescope_machine::Turns)). The order follows from the machine's state alone, so that
//! it does not matter where a run is cut.

use std::ops::{Deref, DerefMut};

use cyclescope_engine::{Attempt, Core, Hooks, InstructionSet};
use cyclescope_machine::units::{Cycles, Instructions};
use cyclescope_machine::{Bus, Position, RowSet, Sink, Spin, Stop};

use crate::owner::{Owner, Wiring};

/// The core that has the first turn at a port of the bus: on a Raspberry Pi Pico the second one waited for nothing where both began
/// to load at once (zakimadaoui/rp2040-experiments, bus_behavior 1, 4, 5 and 7).
const FIRST_TURN: usize = 1;

/// The cores. It stands for the one whose turn it is.
#[derive(Clone, Debug)]
pub(super) struct Cores<I: InstructionSet, W: Wiring> {
    all: Vec<Core<I, Owner<W>>>,
    current: usize,
    /// Those known to sleep until something reaches them.
    asleep: [bool; 2],
    /// Those held in reset.
    off: [bool; 2],
    /// The one that goes first where both want a port of the bus: they take turns.
    favoured: usize,
    /// The horizon at which the last run ended, if it left a core in the middle of a long wait.
    reached: Cycles,
}

impl<I: InstructionSet, W: Wiring> Deref for Cores<I, W> {
    type Target = Core<I, Owner<W>>;

    fn deref(&self) -> &Self::Target {
        &self.all[self.current]
    }
}

impl<I: InstructionSet, W: Wiring> DerefMut for Cores<I, W> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.all[self.current]
    }
}

impl<I: Hooks<Owner<W>>, W: Wiring> Cores<I, W> {
    /// As many cores as `count` says, one or two, all like `core`, on `bus`.
    pub(super) fn new(core: Core<I, Owner<W>>, count: usize, bus: &mut Bus<Owner<W>>) -> Self {
        let mut all = vec![core];
        if count > 1 {
            bus.add_core();
            all.push(all[0].clone());
        }
        Self { all, current: 0, asleep: [false; 2], off: [false; 2], favoured: FIRST_TURN, reached: Cycles::new(0) }
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Core<I, Owner<W>>] {
        &self.all
    }

    /// The same, to be changed.
    pub(super) fn all_mut(&mut self) -> &mut [Core<I, Owner<W>>] {
        &mut self.all
    }

    /// The number of the core whose turn it is.
    pub(super) fn current(&self) -> usize {
        self.current
    }

    /// Has the core `core` answer from now on.
    pub(super) fn select(&mut self, core: usize, bus: &mut Bus<Owner<W>>) {
        if core < self.all.len() && core != self.current {
            self.current = core;
            bus.turn_to(core);
            bus.peripherals.turn_to(core as u8);
        }
    }

    /// The cycle that the core whose turn it is has reached: that of its next instruction, or where the run has left its wait.
    pub(super) fn reached(&self) -> Cycles {
        self.now().max(self.reached)
    }

    /// Tells whether the core `core` does nothing before the cycle `until` any more. One that waits long does not come to the end of
    /// its instruction.
    fn is_beyond(&self, core: usize, until: Cycles, bus: &Bus<Owner<W>>) -> bool {
        let it = &self.all[core];
        it.now() >= until || it.next_act() >= until.get() && it.waits_long(bus, core)
    }

    /// See [`Core::watch`].
    pub(super) fn watch(&mut self, address: cyclescope_machine::units::Address) {
        self.all.iter_mut().for_each(|core| core.watch(address));
    }

    /// See [`Core::watch_only`].
    pub(super) fn watch_only(&mut self, addresses: &[u32]) {
        self.all.iter_mut().for_each(|core| core.watch_only(addresses));
    }

    /// The instructions that all have retired.
    pub(super) fn instructions(&self) -> Instructions {
        Instructions::new(self.all.iter().map(|core| core.instructions().get()).sum())
    }

    /// The cycles of loops that all have skipped.
    pub(super) fn skipped(&self) -> u64 {
        self.all.iter().map(Core::skipped).sum()
    }

    /// The position of the core `core`, or of the one whose turn it is if there is no such core.
    pub(super) fn position(&self, core: usize) -> Position {
        let core = self.all.get(core).unwrap_or(self);
        Position {
            pc: core.cpu().pc(),
            stack_pointer: core.cpu().stack_pointer(),
            now: core.now(),
            instructions: core.instructions(),
        }
    }

    /// See [`Core::spins`]. A loop has an end if the other core runs, or wakes by itself.
    pub(super) fn spins(&self) -> Option<Spin> {
        let rests =
            |other: usize| self.off[other] || self.asleep[other] && self.all[other].cpu().own_event() == u64::MAX;
        let alone = self.all.len() == 1 || rests(1 - self.current);
        self.all[self.current].spins().filter(|_| alone)
    }

    /// See [`Core::rows_used`].
    pub(super) fn rows_used(&self) -> RowSet {
        self.all.iter().fold(RowSet::default(), |mut rows, core| {
            rows.union(core.rows_used());
            rows
        })
    }

    /// Resets all. The first answers then.
    pub(super) fn reset(&mut self, bus: &mut Bus<Owner<W>>) -> I::Reset {
        if self.all.len() > 1 {
            // Their clocks go on from one cycle.
            let now = self.all.iter().map(|core| core.now().get()).max().unwrap_or(0).max(self.reached.get());
            self.reached = Cycles::new(0);
            for core in &mut self.all {
                core.cpu_mut().sleep_until(now);
            }
            self.select(1, bus);
            let _ = self.all[1].reset(bus);
            self.select(0, bus);
            (self.asleep, self.off, self.favoured) = ([false; 2], [false; 2], FIRST_TURN);
        }
        self.all[0].reset(bus)
    }

    /// Takes the state of `from`, cores of the same part.
    pub(super) fn restore(&mut self, from: &Self) {
        for (ours, theirs) in self.all.iter_mut().zip(&from.all) {
            ours.restore(theirs);
        }
        (self.current, self.asleep, self.off, self.favoured) = (from.current, from.asleep, from.off, from.favoured);
        self.reached = from.reached;
    }

    /// See [`Core::run_into`].
    pub(super) fn run_into<S: Sink>(&mut self, bus: &mut Bus<Owner<W>>, until: Cycles, sink: &mut S) -> Stop {
        if self.all.len() == 1 { self.all[0].run_into(bus, until, sink) } else { self.run_two(bus, until, sink) }
    }

    fn run_two<S: Sink>(&mut self, bus: &mut Bus<Owner<W>>, until: Cycles, sink: &mut S) -> Stop {
        if until <= self.reached {
            return Stop::Horizon;
        }
        loop {
            for core in [0, 1] {
                if bus.shared.interrupts.is_held(core) != self.off[core] {
                    self.see(core, self.now().get(), bus);
                }
            }
            let runs = [0, 1].map(|core| !self.off[core] && !self.asleep[core]);
            let stop = match runs {
                _ if self.off == [true; 2] => Some(Stop::Deadlock(self.cpu().pc())),
                [true, true] => self.run_ordered(bus, until, sink),
                [false, true] => self.run_alone(1, bus, until, sink),
                [false, false] if self.off[0] => self.run_alone(1, bus, until, sink),
                _ => self.run_alone(0, bus, until, sink),
            };
            if let Some(stop) = stop {
                return stop;
            }
        }
    }

    /// The core `core` goes on.
    fn turn_to<S: Sink>(&mut self, core: usize, bus: &mut Bus<Owner<W>>, sink: &mut S) {
        if S::OBSERVES {
            sink.turn_to(core as u8);
        }
        self.select(core, bus);
    }

    /// While both run: the one whose next act comes first makes an attempt.
    fn run_ordered<S: Sink>(&mut self, bus: &mut Bus<Owner<W>>, until: Cycles, sink: &mut S) -> Option<Stop> {
        while !bus.shared.interrupts.is_held(0) && !bus.shared.interrupts.is_held(1) {
            if self.is_beyond(0, until, bus) && self.is_beyond(1, until, bus) {
                self.select(0, bus);
                self.reached = until;
                return Some(Stop::Horizon);
            }
            let [zero, one] = &self.all[..] else { return None };
            let (acts, waiting) = ([zero.next_act(), one.next_act()], [zero.is_waiting(), one.is_waiting()]);
            let (core, first) = if acts[0] != acts[1] {
                (usize::from(acts[1] < acts[0]), false)
            } else if waiting == [true; 2] {
                // Of two who want something else, it makes no difference; a spinlock goes to the first core.
                let contend = bus.shared.turns.contend();
                let core = if contend { W::first_core(&bus.peripherals).unwrap_or(self.favoured) } else { 0 };
                if contend {
                    self.favoured = 1 - core;
                }
                (core, true)
            } else {
                // One that has not begun has nothing in this cycle, or waits then too.
                (usize::from(waiting[0]), false)
            };
            self.turn_to(core, bus, sink);
            let (limit, mut first) = (acts[1 - core], first);
            // As long as it is the one whose act comes first, it is not asked who that is.
            loop {
                let running = &mut self.all[core];
                match running.attempt(bus, limit, first, sink) {
                    Attempt::Stopped(stop) => return Some(stop),
                    Attempt::Asleep => {
                        self.asleep[core] = true;
                        return None;
                    }
                    Attempt::Done if running.next_act() < limit && running.now() < until => first = false,
                    Attempt::Done | Attempt::Waits(_) => break,
                }
                if bus.shared.interrupts.is_held(0) || bus.shared.interrupts.is_held(1) {
                    break;
                }
            }
        }
        None
    }

    /// While the other is off or sleeps: the core `core` runs up to what may concern the other.
    fn run_alone<S: Sink>(
        &mut self,
        core: usize,
        bus: &mut Bus<Owner<W>>,
        until: Cycles,
        sink: &mut S,
    ) -> Option<Stop> {
        let other = 1 - core;
        self.asleep[core] = false;
        self.turn_to(core, bus, sink);
        if self.is_beyond(core, until, bus) {
            self.reached = until;
            return Some(Stop::Horizon);
        }
        let own_event = if self.off[other] { u64::MAX } else { self.all[other].cpu().own_event() };
        if self.now().get() >= own_event {
            self.see(other, own_event, bus);
            return None;
        }
        // One that is behind goes on by single instructions, so that no block begins before what the other has told of; so does one
        // whose accesses are counted.
        let counted = bus.shared.traffic.is_counted();
        let ready = !self.is_waiting() && !self.fetches_beside();
        if !counted && ready && self.now() >= self.all[other].now() {
            let end = until.min(Cycles::new(own_event));
            bus.memory.ram.share(false);
            let stop = self.all[core].run_beside(bus, until, own_event, sink);
            self.all[core].leave_blocks(bus);
            let called = self.see_call(other, bus);
            match stop {
                Stop::Horizon => {}
                Stop::Deadlock(_) if called => return None,
                Stop::Deadlock(_) if own_event != u64::MAX => {
                    self.all[core].cpu_mut().sleep_until(end.get());
                    return None;
                }
                stop => return Some(stop),
            }
            if called || self.all[core].now() >= end {
                return None;
            }
        }
        let stop = self.step_alone(core, own_event, bus, sink);
        // The step may have woken the other one.
        if counted && stop.is_none() && self.asleep[core] && (self.asleep[other] || self.off[other]) {
            return self.sleep_counted(core, until, bus);
        }
        stop
    }

    /// The core `core` sleeps as the other does, and accesses are counted: time passes up to the next event, for both, so that it does
    /// not matter which of them was asked.
    fn sleep_counted(&mut self, core: usize, until: Cycles, bus: &mut Bus<Owner<W>>) -> Option<Stop> {
        let own = |core: usize| if self.off[core] { u64::MAX } else { self.all[core].cpu().own_event() };
        let next = bus.shared.events.next_at().get().min(own(0)).min(own(1));
        if next == u64::MAX {
            return Some(Stop::Deadlock(self.all[core].cpu().pc()));
        }
        for core in [0, 1].into_iter().filter(|core| self.asleep[*core]) {
            self.all[core].sleep_until(next.min(until.get()));
        }
        None
    }

    /// The core `core` goes on by an instruction, in which something may happen that concerns the other.
    fn step_alone<S: Sink>(
        &mut self,
        core: usize,
        own_event: u64,
        bus: &mut Bus<Owner<W>>,
        sink: &mut S,
    ) -> Option<Stop> {
        let other = 1 - core;
        let event = bus.shared.events.next_at().get();
        // With what is fetched for it.
        let attempt = loop {
            let fetches = self.all[core].fetches_next() && !self.all[core].fetches_beside();
            match self.all[core].attempt(bus, own_event.min(event), false, sink) {
                Attempt::Done if fetches => {}
                attempt => break attempt,
            }
        };
        match attempt {
            Attempt::Waits(at) if event <= at.min(own_event) => {
                bus.run_events(Cycles::new(event), self.all[core].cpu().pc());
            }
            Attempt::Waits(_) => self.see(other, own_event, bus),
            Attempt::Asleep => self.asleep[core] = true,
            Attempt::Stopped(_) | Attempt::Done => {}
        }
        self.see_call(other, bus);
        match attempt {
            Attempt::Stopped(stop) => Some(stop),
            _ => None,
        }
    }

    /// Lets the core `other` see what has reached it while this one ran; returns whether anything has.
    fn see_call(&mut self, other: usize, bus: &mut Bus<Owner<W>>) -> bool {
        let (called, current) = (bus.shared.interrupts.called(), self.current);
        if let Some(at) = called {
            self.see(other, at, bus);
            self.select(current, bus);
        }
        called.is_some()
    }

    /// Lets `core`, which is off or sleeps, see what has reached it in the cycle `at`.
    fn see(&mut self, core: usize, at: u64, bus: &mut Bus<Owner<W>>) {
        self.select(core, bus);
        let held = bus.shared.interrupts.is_held(core);
        let was_off = std::mem::replace(&mut self.off[core], held);
        if held || was_off {
            // What has come meanwhile is lost.
            bus.shared.interrupts.take_rose();
            bus.shared.interrupts.take_event();
        }
        if held {
            self.asleep[core] = false;
            return;
        }
        if was_off || self.asleep[core] {
            let now = self.all[core].now().get();
            self.all[core].cpu_mut().sleep_until(at.max(now));
        }
        if was_off {
            // Its vectors were readable at power-on.
            let _ = self.all[core].reset(bus);
        } else if self.asleep[core] {
            self.asleep[core] = !self.all[core].wakes(bus);
        }
    }
}
