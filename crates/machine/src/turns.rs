//! Turns of two cores on one bus: who may go on, up to when, and who has a port of the bus.
//!
//! A core carries out an instruction as a whole, but its accesses have cycles of their own. While both cores run, each access asks
//! for its turn. One that would come after something that the other core has yet to do is refused: the core goes back to the
//! beginning of its instruction and waits for the other. When it tries again, the accesses that it has already made are answered
//! from a list and do not happen twice.

/// The most cores of a part.
const CORES: usize = 2;

/// The accesses of each core that are remembered for the other: more than fall into the cycles by which one runs ahead.
const REMEMBERED: usize = 16;

/// The ports that are told apart without a look at all accesses.
const PORTS: usize = 16;

/// An access that has been made in an instruction that is not done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answer {
    /// The value read.
    pub value: u32,
    /// The cycles that it took beyond those of the instruction itself.
    pub cycles: i64,
    /// It reached a register.
    pub touched: bool,
    /// The reason and the address, if it failed.
    pub failed: Option<(&'static str, u32)>,
}

/// The answer to a core that asks for its turn.
#[derive(Clone, Copy, Debug)]
pub enum Turn {
    /// It has made this access before.
    Made(Answer),
    /// It may go on, and then says what came of it ([`Turns::note`]).
    Go,
    /// It must wait for the other core.
    Wait,
}

/// A port of the bus, which serves one master at a time, by a number of the part's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port(pub u8);

/// The use of a port.
#[derive(Clone, Copy, Debug)]
struct Grant {
    port: Port,
    first: u64,
    last: u64,
}

/// One core's side.
#[derive(Clone, Debug, Default)]
struct Side {
    /// The latest of them was put off for longer than an access takes: a master that goes before the core keeps its slave.
    is_kept: bool,
    /// The accesses of the instruction under way that it has made.
    made: Vec<Answer>,
    grants: [Option<Grant>; REMEMBERED],
    next: usize,
    /// Of the ports with the same last bits, the grant that ends last.
    latest: [Option<Grant>; PORTS],
}

impl Side {
    /// Notes `grant`, if it is the one that ends last.
    #[inline]
    fn note_latest(&mut self, grant: Grant) {
        let latest = &mut self.latest[usize::from(grant.port.0) % PORTS];
        if latest.is_none_or(|latest| latest.last <= grant.last) {
            *latest = Some(grant);
        }
    }
}

/// The order of two cores' accesses.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    several: bool,
    /// Both cores run.
    ordered: bool,
    core: usize,
    sides: [Side; CORES],
    /// The next of the answers.
    next: usize,
    /// The cycle of the next thing that comes before this core's.
    limit: u64,
    /// In that cycle this core goes first.
    first: bool,
    waits: Option<u64>,
    /// The port that each waits for.
    wanted: [Option<Port>; CORES],
    /// The accesses that an attempt may make, if it is a simple one.
    simple: Option<SimpleAccess>,
}

/// The accesses of a simple attempt, of which the core remembers only what calm instructions change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimpleAccess {
    /// To memory.
    Memory,
    /// The same, or one to a register that all cores have in common.
    Register,
}

impl Turns {
    /// There is a second core.
    pub(crate) fn add_core(&mut self) {
        self.several = true;
    }

    /// Tells whether there are two cores.
    #[inline(always)]
    pub fn are_several(&self) -> bool {
        self.several
    }

    /// Tells whether accesses ask for their turn: in attempts.
    #[inline(always)]
    pub fn are_taken(&self) -> bool {
        self.ordered
    }

    /// The core whose turn it is.
    pub fn core(&self) -> usize {
        self.core
    }

    /// The core `core` goes on.
    #[inline]
    pub(crate) fn turn_to(&mut self, core: usize) {
        self.core = core % CORES;
    }

    /// It attempts an instruction, `again` if it has before, and may act before the cycle `limit`, and in it if it goes `first`.
    #[inline]
    pub(crate) fn attempt(&mut self, again: bool, limit: u64, first: bool) {
        (self.ordered, self.limit, self.first, self.waits, self.next) = (true, limit, first, None, 0);
        self.simple = None;
        self.wanted[self.core] = None;
        if !again {
            let side = &mut self.sides[self.core];
            side.made.clear();
            side.is_kept = false;
        }
    }

    /// The attempt is a simple one, with accesses within `reach`.
    #[inline]
    pub(crate) fn make_simple(&mut self, reach: SimpleAccess) {
        self.simple = Some(reach);
    }

    /// The accesses of the attempt under way, if it is a simple one.
    #[inline]
    pub fn simple(&self) -> Option<SimpleAccess> {
        self.simple
    }

    /// The attempt has ended; returns the cycle up to which it waits, if it must be made again.
    #[inline]
    pub(crate) fn end(&mut self) -> Option<u64> {
        (self.ordered, self.simple) = (false, None);
        self.waits.take()
    }

    /// Asks for the turn to act in the cycle `at`.
    #[inline]
    pub fn ask(&mut self, at: u64) -> Turn {
        if let Some(made) = self.made() {
            return Turn::Made(made);
        }
        if self.reaches(at) { Turn::Go } else { Turn::Wait }
    }

    /// The core waits for its turn to have `port`.
    #[inline]
    pub fn want(&mut self, port: Port) {
        self.wanted[self.core].get_or_insert(port);
    }

    /// Tells whether both cores wait for one port.
    #[inline]
    pub fn contend(&self) -> bool {
        self.wanted[0].is_some() && self.wanted[0] == self.wanted[1]
    }

    /// The next of the things that the core has done before in this instruction.
    #[inline]
    pub fn made(&mut self) -> Option<Answer> {
        let made = self.sides[self.core].made.get(self.next).copied().filter(|_| self.waits.is_none())?;
        self.next += 1;
        Some(made)
    }

    /// The core has made an access.
    #[inline]
    pub fn note(&mut self, made: Answer) {
        self.sides[self.core].made.push(made);
        self.next += 1;
    }

    /// Prolongs what the core has made last by `cycles`.
    #[inline]
    pub fn prolong(&mut self, cycles: u64) {
        let last = self.next.checked_sub(1).and_then(|last| self.sides[self.core].made.get_mut(last));
        if let Some(made) = last {
            made.cycles = made.cycles.saturating_add_unsigned(cycles);
        }
        self.sides[self.core].is_kept = true;
    }

    /// Tells whether a master that goes before the core `core` keeps a slave from it. All that happens by the cycle in which it asks
    /// again has happened then.
    pub fn keeps(&self, core: usize) -> bool {
        self.sides.get(core).is_some_and(|side| side.is_kept)
    }

    /// Tells whether the core may act in the cycle `at`, by which it sees all that the other has done before.
    #[inline]
    pub fn reaches(&mut self, at: u64) -> bool {
        let may = self.waits.is_none() && (at < self.limit || at == self.limit && self.first);
        if !may {
            self.waits.get_or_insert(at);
        }
        may
    }

    /// Tells whether an access of the instruction under way is made.
    #[inline(always)]
    pub fn has_made_some(&self) -> bool {
        self.ordered && !self.sides[self.core].made.is_empty()
    }

    /// Tells whether the attempt is refused already.
    #[inline]
    pub fn is_refused(&self) -> bool {
        self.waits.is_some()
    }

    /// The cycles from `at` on in which the other core has `port`.
    #[inline]
    pub fn busy(&self, port: Port, at: u64) -> u64 {
        match self.sides[1 - self.core].latest[usize::from(port.0) % PORTS] {
            Some(latest) if at <= latest.last => {
                // No other one ends later.
                let there = latest.port == port && latest.first <= at;
                if there { latest.last + 1 - at } else { self.busy_as_granted(port, at) }
            }
            _ => 0,
        }
    }

    fn busy_as_granted(&self, port: Port, at: u64) -> u64 {
        let grants = self.sides[1 - self.core].grants.iter().flatten();
        let there = grants.filter(|grant| grant.port == port && grant.first <= at && at <= grant.last);
        there.map(|grant| grant.last + 1 - at).max().unwrap_or(0)
    }

    /// The core has `port` in the cycles `first` to `last`.
    #[inline]
    pub fn grant(&mut self, port: Port, first: u64, last: u64) {
        let side = &mut self.sides[self.core];
        let grant = Grant { port, first, last };
        side.grants[side.next % REMEMBERED] = Some(grant);
        side.next = (side.next + 1) % REMEMBERED;
        side.note_latest(grant);
    }

    /// The core has `port`, which it was granted in the cycle `first`, up to the cycle `last`.
    #[inline]
    pub fn keep(&mut self, port: Port, first: u64, last: u64) {
        let side = &mut self.sides[self.core];
        // The latest is mostly the one.
        let places = (0..REMEMBERED).map(|back| side.next.wrapping_sub(1 + back) % REMEMBERED);
        let is_it = |place: &usize| side.grants[*place].is_some_and(|grant| grant.port == port && grant.first == first);
        let found = { places }.find(is_it);
        if let Some(grant) = found.and_then(|place| side.grants[place].as_mut()) {
            grant.last = grant.last.max(last);
            let grant = *grant;
            side.note_latest(grant);
        }
    }

    /// Nothing is under way any more.
    pub(crate) fn reset(&mut self) {
        *self = Self { several: self.several, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_is_answered_again_and_what_comes_too_early_waits() {
        let mut turns = Turns::default();
        turns.attempt(false, 10, false);
        assert!(matches!(turns.ask(9), Turn::Go));
        turns.note(Answer { value: 5, ..Answer::default() });
        assert!(matches!(turns.ask(10), Turn::Wait), "the other goes first");
        assert!(matches!(turns.ask(1), Turn::Wait), "nothing happens behind what waits");
        assert_eq!(turns.end(), Some(10));
        turns.attempt(true, 10, true);
        assert!(matches!(turns.ask(9), Turn::Made(Answer { value: 5, .. })));
        assert!(turns.reaches(10) && !turns.reaches(11));
        assert_eq!(turns.end(), Some(11));
        turns.attempt(true, 20, false);
        assert!(matches!(turns.ask(9), Turn::Made(_)));
        turns.prolong(3);
        turns.attempt(true, 20, false);
        assert!(matches!(turns.ask(9), Turn::Made(Answer { value: 5, cycles: 3, .. })));
        turns.attempt(false, 20, false);
        turns.prolong(3);
        assert!(matches!(turns.ask(9), Turn::Go), "another instruction");
    }

    #[test]
    fn a_port_is_busy_for_the_other_core_alone() {
        let mut turns = Turns::default();
        let port = Port(1);
        turns.grant(port, 4, 5);
        turns.grant(Port(8), 1, 2);
        turns.keep(port, 4, 7);
        assert_eq!(turns.busy(port, 5), 0);
        turns.turn_to(1);
        let busy = [3, 4, 7, 8].map(|at| turns.busy(port, at));
        assert_eq!((busy, turns.busy(Port(8), 5)), ([0, 4, 1, 0], 0));
    }
}
