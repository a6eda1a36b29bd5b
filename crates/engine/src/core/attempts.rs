//! Two awake cores: each instruction, fetch and exception's entry is an attempt, in the order of the cycles in which they act.

use cyclescope_machine::{Bus, Silent, Sink, Stop};

use super::{Care, Core, note_latest};
use crate::held::Held;
use crate::instruction_set::{Hooks, Rest, Turn};
use crate::observed::execute_single;

/// The wait from which on nobody waits for the end of the instruction: longer than any that ends by itself.
const LONG_WAIT: u64 = 1024;

/// The result of [`Core::attempt`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// Something was done.
    Done,
    /// The run stops.
    Stopped(Stop),
    /// It is to be made again: an access waits for its turn up to this cycle.
    Waits(u64),
    /// The core sleeps.
    Asleep,
}

/// The result of a simple attempt.
enum Simple {
    /// It was one, with this result.
    Is(Attempt),
    /// It was none, and what it has done but for accesses is undone.
    Undone,
    /// It was none.
    IsNot,
}

impl<I: Hooks<P>, P> Core<I, P> {
    /// The cycle of the next thing that this core does: that of the access for which an attempt waits, that of a fetch, or now.
    pub fn next_act(&self) -> u64 {
        self.waits.or(self.cpu.planned_fetch()).unwrap_or(self.cpu.progress().now)
    }

    /// Blocks have run, and attempts follow.
    pub fn leave_blocks(&mut self, bus: &Bus<P>) {
        self.cpu.leave_fetches(bus, true);
    }

    /// Sleeps up to the cycle `to`, or up to now if that is later.
    pub fn sleep_until(&mut self, to: u64) {
        let now = self.cpu.progress().now;
        self.cpu.sleep_until(to.max(now));
    }

    /// Tells whether the next attempt gets a fetch its port, and is no instruction's.
    pub fn fetches_next(&self) -> bool {
        self.cpu.planned_fetch().is_some()
    }

    /// Tells whether that fetch is the last thing that the instruction before does.
    pub fn fetches_beside(&self) -> bool {
        self.cpu.fetches_beside()
    }

    /// Tells whether an attempt is to be made again.
    pub fn is_waiting(&self) -> bool {
        self.waits.is_some()
    }

    /// Tells whether a master has kept a slave from the core, the core `core`, for so long that nobody waits for the end of its
    /// instruction.
    pub fn waits_long(&self, bus: &Bus<P>, core: usize) -> bool {
        let now = self.cpu.progress().now;
        bus.shared.turns.keeps(core) && self.waits.is_some_and(|at| at.saturating_sub(now) >= LONG_WAIT)
    }

    /// Wakes the core if something has come by now that wakes it; returns whether it is awake.
    pub fn wakes(&mut self, bus: &mut Bus<P>) -> bool {
        self.cpu.settle(bus);
        let now = self.cpu.progress().now;
        matches!(self.cpu.rest(bus, now), Rest::Awake | Rest::Woken)
    }

    /// Carries out what comes next, an instruction or an exception's entry, beside another core: before the cycle `limit`, and in
    /// it if this core goes `first`. What may not be carried out by then is left as if it had not begun.
    pub fn attempt<S: Sink>(&mut self, bus: &mut Bus<P>, limit: u64, first: bool, sink: &mut S) -> Attempt {
        let again = self.waits.is_some();
        let now = self.cpu.progress().now;
        if self.cpu.planned_fetch().is_some() {
            bus.attempt_fetch(again, limit, first);
            self.cpu.make_planned_fetch(bus, self.code.beside(&self.cpu));
            self.waits = bus.end_simple();
            self.simply = true;
            if self.cpu.progress().now > now {
                self.fetched_from.get_or_insert(now);
            }
            return self.waits.map_or(Attempt::Done, Attempt::Waits);
        }
        // No reset or signal has to wait for what may never end.
        if self.waits_long(bus, bus.shared.turns.core())
            && let Some(stop) = self.asked_to_stop(bus)
        {
            return Attempt::Stopped(stop);
        }
        let mut noted = again;
        if !S::OBSERVES {
            match self.attempt_simply(bus, limit, first) {
                Simple::Is(attempt) => return attempt,
                Simple::Undone => noted = true,
                Simple::IsNot => {}
            }
        }
        if again && self.simply || noted != again {
            // The state is as it was before.
            self.keep_all();
        } else if !again && let Err(attempt) = self.begin_attempt(bus) {
            // Where the run stops, what has been fetched stays for when it goes on.
            if !matches!(attempt, Attempt::Stopped(_)) {
                self.cpu.plan_fetch(bus, None);
            }
            return attempt;
        }
        let pc = self.cpu.pc().get();
        bus.attempt(noted, limit, first);
        *self.cpu.progress_mut().horizon = 0;
        let mut held = Held::default();
        let fetched_from = self.fetched_from.unwrap_or(self.cpu.progress().now);
        let stop = match self.cpu.take_pending(bus) {
            Turn::Settled if S::OBSERVES => self.run_carefully(bus, &mut held, Care::Single),
            Turn::Settled => self.run_carefully(bus, &mut Silent, Care::Single),
            Turn::Again => None,
            Turn::Stop(stop) => Some(stop),
        };
        *self.cpu.progress_mut().horizon = 0;
        self.waits = bus.end_attempt();
        self.simply = false;
        match (self.waits, stop) {
            (Some(at), _) => {
                if let Some(before) = &self.before {
                    self.cpu.clone_from(before);
                }
                Attempt::Waits(at)
            }
            (None, stop) => {
                if matches!(stop, Some(Stop::Watch(_))) {
                    // It has not begun.
                    return Attempt::Stopped(Stop::Watch(self.cpu.pc()));
                }
                self.fetched_from = None;
                held.tell(fetched_from, sink);
                self.code.build_beside(&self.cpu, pc, &mut bus.memory);
                self.cpu.plan_fetch(bus, self.code.beside(&self.cpu));
                stop.map_or(Attempt::Done, Attempt::Stopped)
            }
        }
    }

    /// Attempts an instruction which changes little, and before which nothing is due.
    #[inline]
    fn attempt_simply(&mut self, bus: &mut Bus<P>, limit: u64, first: bool) -> Simple {
        let again = self.waits.is_some();
        let shared = &bus.shared;
        let asked = shared.reset.is_some() || shared.signals.stop() || shared.console.over_budget();
        if !again && asked || self.code.is_stale(&bus.memory, self.cpu.guards_data()) {
            return Simple::IsNot;
        }
        let Some(block) = self.code.beside(&self.cpu) else { return Simple::IsNot };
        // The ordinary way, if this one is undone, looks at the same key.
        self.fetch_key = if I::CHECKS_FETCHES { self.cpu.fetch_key() } else { 0 };
        if block.key != self.fetch_key {
            return Simple::IsNot;
        }
        let Some(reach) = self.cpu.is_simple(bus, block, again) else { return Simple::IsNot };
        bus.attempt_simply(again, limit, first, reach);
        self.cpu.keep();
        *self.cpu.progress_mut().horizon = 0;
        self.cpu.take_begun_fetches(bus);
        self.cpu.begin();
        let (exit, before) = execute_single(&mut self.cpu, bus, block, &mut Silent);
        self.waits = bus.end_simple();
        if self.waits.is_some() || exit != I::NEXT {
            self.cpu.give_back();
            self.simply = true;
            return self.waits.map_or(Simple::Undone, |at| Simple::Is(Attempt::Waits(at)));
        }
        *self.cpu.progress_mut().horizon = 0;
        self.cpu.ran_single(block, before.now, before.has_retired(&self.cpu));
        self.fetched_from = None;
        let (pc, last) = (self.cpu.pc().get(), block.places.last());
        if pc != block.next_pc
            && let Some(last) = last
        {
            note_latest(&mut self.new_ways, last.pc, pc);
        }
        self.cpu.plan_fetch(bus, self.code.beside(&self.cpu));
        Simple::Is(Attempt::Done)
    }

    /// Remembers the whole state.
    fn keep_all(&mut self) {
        match &mut self.before {
            Some(before) => (**before).clone_from(&self.cpu),
            None => self.before = Some(Box::new(self.cpu.clone())),
        }
    }

    /// Does what is due between two instructions, and remembers the state.
    ///
    /// # Errors
    /// The result, if something else was done.
    fn begin_attempt(&mut self, bus: &mut Bus<P>) -> Result<(), Attempt> {
        self.cpu.settle(bus);
        self.code.refresh(&mut bus.memory, self.cpu.guards_data());
        self.fetch_key = self.cpu.fetch_key();
        match self.cpu.pending_fault(bus) {
            Turn::Settled => {}
            Turn::Again => return Err(Attempt::Done),
            Turn::Stop(stop) => return Err(Attempt::Stopped(stop)),
        }
        if let Some(stop) = self.asked_to_stop(bus) {
            return Err(Attempt::Stopped(stop));
        }
        let now = self.cpu.progress().now;
        match self.cpu.rest(bus, now) {
            Rest::Awake if self.cpu.progress().now == now => {}
            Rest::Awake | Rest::Woken => return Err(Attempt::Done),
            Rest::Halted(stop) => return Err(Attempt::Stopped(stop)),
            Rest::Until(_) => return Err(Attempt::Asleep),
        }
        self.keep_all();
        Ok(())
    }
}
