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
    /// The accesses of the instruction under way that it has made.
    made: Vec<Answer>,
    grants: [Option<Grant>; REMEMBERED],
    next: usize,
    /// The last cycle of all grants.
    latest: u64,
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
    pub(crate) fn turn_to(&mut self, core: usize) {
        self.core = core % CORES;
    }

    /// It attempts an instruction, `again` if it has before, and may act before the cycle `limit`, and in it if it goes `first`.
    pub(crate) fn attempt(&mut self, again: bool, limit: u64, first: bool) {
        (self.ordered, self.limit, self.first, self.waits, self.next) = (true, limit, first, None, 0);
        self.wanted[self.core] = None;
        if !again {
            self.sides[self.core].made.clear();
        }
    }

    /// The attempt has ended; returns the cycle up to which it waits, if it must be made again.
    pub(crate) fn end(&mut self) -> Option<u64> {
        self.ordered = false;
        self.waits.take()
    }

    /// Asks for the turn to act in the cycle `at`.
    pub fn ask(&mut self, at: u64) -> Turn {
        if let Some(made) = self.made() {
            return Turn::Made(made);
        }
        if self.reaches(at) { Turn::Go } else { Turn::Wait }
    }

    /// The core waits for its turn to have `port`.
    pub fn want(&mut self, port: Port) {
        self.wanted[self.core].get_or_insert(port);
    }

    /// Tells whether both cores wait for one port.
    pub fn contend(&self) -> bool {
        self.wanted[0].is_some() && self.wanted[0] == self.wanted[1]
    }

    /// The next of the things that the core has done before in this instruction.
    pub fn made(&mut self) -> Option<Answer> {
        let made = self.sides[self.core].made.get(self.next).copied().filter(|_| self.waits.is_none())?;
        self.next += 1;
        Some(made)
    }

    /// The core has made an access.
    pub fn note(&mut self, made: Answer) {
        self.sides[self.core].made.push(made);
        self.next += 1;
    }

    /// Tells whether the core may act in the cycle `at`, by which it sees all that the other has done before.
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
    pub fn is_refused(&self) -> bool {
        self.waits.is_some()
    }

    /// The cycles from `at` on in which the other core has `port`.
    #[inline]
    pub fn busy(&self, port: Port, at: u64) -> u64 {
        let other = &self.sides[1 - self.core];
        if at > other.latest {
            return 0;
        }
        let grants = other.grants.iter().flatten();
        let there = grants.filter(|grant| grant.port == port && grant.first <= at && at <= grant.last);
        there.map(|grant| grant.last + 1 - at).max().unwrap_or(0)
    }

    /// The core has `port` in the cycles `first` to `last`.
    pub fn grant(&mut self, port: Port, first: u64, last: u64) {
        let side = &mut self.sides[self.core];
        side.grants[side.next % REMEMBERED] = Some(Grant { port, first, last });
        side.next = (side.next + 1) % REMEMBERED;
        side.latest = side.latest.max(last);
    }

    /// The core has `port`, which it was granted in the cycle `first`, up to the cycle `last`.
    pub fn keep(&mut self, port: Port, first: u64, last: u64) {
        let side = &mut self.sides[self.core];
        let granted = side.grants.iter_mut().flatten().find(|grant| grant.port == port && grant.first == first);
        if let Some(grant) = granted {
            grant.last = grant.last.max(last);
            side.latest = side.latest.max(last);
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
        turns.attempt(false, 20, false);
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
