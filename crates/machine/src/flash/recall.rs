//! Outcomes of fetches, recalled where the same fetches are made in the same state again.
//!
//! A run of fetches whose cycles are fixed against each other is a function: of the interface's state, of the cycles since
//! the run before, and of whether fetching begins anew. States get numbers as they are met. With the number, a run's outcome
//! is found by one comparison, and the state after it has a number again; only where an outcome is not known, or somebody
//! else asks flash for something, is the state written out. A small cache is part of the state, of a large one the number of what
//! is in it.

use std::mem::offset_of;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use super::FlashInterface;
use super::flow::{Flow, Seen};
use super::lines::Lines;

/// Half as many cycles after a run everything that was under way is over, and what comes of it is not kept.
const SETTLED: i64 = 1 << 13;

/// The most wait states with which that is so: fetches in a row, what is read ahead and another master's read.
const MOST_WAIT_STATES: u32 = (SETTLED / 64) as u32;

/// States' numbers are multiples of this, so that their last bits differ, from each other's and from runs'.
const SCATTER: u32 = 0x85EB_CA6B;

/// The number of another numbering, of which there are enough.
fn next_numbering() -> u64 {
    static NUMBERINGS: AtomicU64 = AtomicU64::new(1);
    NUMBERINGS.fetch_add(1, Ordering::Relaxed)
}

/// The fewest and the most pairs of outcomes there is room for.
const FEWEST: usize = 1 << 6;
const MOST: usize = 1 << 12;

/// No more states have numbers at a time.
const MOST_NUMBERED: usize = 2 * MOST;

/// So many states have numbers before those with other contents of a large cache are forgotten. A program that is larger than the cache
/// changes these all the time, and would fill the host's cache with what never comes again.
const FEWEST_NUMBERED: usize = 1 << 9;

/// In place of an outcome's place: the state is in the interface itself.
const WRITTEN_OUT: u32 = u32::MAX;

/// The number of a read of data, which is recalled as a run is. No run has it: it would be the four-thousand-millionth.
pub(super) const READ: u32 = u32::MAX;

/// So many runs after a large cache has changed, its contents may be taken to stay, and outcomes are kept again.
const QUIET: u32 = 32;

/// The outcome of a run, in half a line of the host's cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Outcome {
    from: From,
    /// The slots of a large cache that it used, the first in the last byte.
    used: u64,
    /// The number of the state after it, without the lower half.
    number: u32,
    /// Stalls, and the cycles from the beginning of the block to the end of the run with them.
    stall: u16,
    until: u16,
}

/// The two outcomes that may be found at a place, in a line of the host's cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Pair([Outcome; 2]);

/// A part of an outcome that is asked for less often, apart so that outcomes fit in the host's cache.
#[derive(Clone, Copy, Debug)]
struct Rest {
    /// The count of numbers given by then.
    given: u32,
    /// The state after the run.
    after: State,
}

/// A run and the state in which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct From {
    /// The numbers of the state and, in the lower half, of the run.
    numbers: u64,
    /// Twice the cycles from the end of the run before to the beginning of the block, which may lie before it, plus one if
    /// fetching begins anew.
    since: u64,
}

impl Outcome {
    /// None: fetching never begins anew before a block.
    const NONE: Self =
        Self { from: From { numbers: u64::MAX, since: u64::MAX }, used: 0, number: 0, stall: 0, until: 0 };

    pub(super) fn stall(&self) -> u32 {
        self.stall.into()
    }

    pub(super) fn until(&self) -> u32 {
        self.until.into()
    }

    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// The number of the state after it.
    pub(super) fn number_after(&self) -> u64 {
        u64::from(self.number) << 32
    }
}

impl Rest {
    fn none() -> Self {
        Self { given: 0, after: State { flow: Flow::START.seen_from(0, 0), recent: [0; 2], contents: 0 } }
    }
}

/// The state that outcomes depend on: the flow, the lines of a small cache, and the contents of a large one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    flow: Seen,
    recent: [u32; 2],
    contents: u64,
}

impl State {
    pub(super) fn contents(&self) -> u64 {
        self.contents
    }
}

/// A run whose outcome is being looked for.
#[derive(Clone, Copy, Debug)]
struct Open {
    from: From,
    /// The state before it has a number, and the run before it ended not long ago.
    known: bool,
    now: u64,
    uses: u64,
    contents: u64,
}

/// All that is known of runs, and the state that the interface is in.
#[derive(Clone, Debug)]
pub(super) struct Recall {
    /// The state's number, in the upper half; 0 if it has none.
    number: u64,
    /// The cycle from which it is seen.
    since: u64,
    /// The place of the outcome that has the state, or [`WRITTEN_OUT`].
    within: u32,
    /// The number of this numbering of states: no other interface has it, and it is another one once numbers are given anew.
    numbering: u64,
    /// The count of numbers given, and of those that mean nothing any more.
    given: u32,
    lost: u32,
    /// The numbers of states, and the most of them for now.
    numbers: FxHashMap<State, u64>,
    most_numbered: usize,
    /// Runs until outcomes are kept.
    unquiet: u32,
    /// As [`Flow::seen_from`] wants it; 0 if nothing is to be kept.
    over: u32,
    open: Option<Open>,
    /// Each in the pair that [`Self::place`] says.
    outcomes: Vec<Pair>,
    /// The rest of each, in the same order.
    rests: Vec<Rest>,
    /// The one of two outcomes to make room next, of whichever pair.
    next: usize,
}

impl Recall {
    pub(super) fn new(wait_states: u32) -> Self {
        Self {
            number: 0,
            since: 0,
            within: WRITTEN_OUT,
            numbering: next_numbering(),
            given: 0,
            lost: 0,
            numbers: FxHashMap::default(),
            most_numbered: FEWEST_NUMBERED,
            unquiet: 0,
            over: if wait_states <= MOST_WAIT_STATES { wait_states + 2 * FlashInterface::AHEAD } else { 0 },
            open: None,
            outcomes: Vec::new(),
            rests: Vec::new(),
            next: 0,
        }
    }

    /// The beginning of `run` in a block that begins in the cycle `now`.
    #[inline(always)]
    fn from(&self, run: u32, now: u64, anew: bool) -> From {
        let since = now.wrapping_sub(self.since).wrapping_mul(2) | u64::from(anew);
        From { numbers: self.number | u64::from(run), since }
    }

    /// The place of an outcome's pair.
    #[inline(always)]
    fn place(&self, from: From) -> usize {
        let From { numbers, since } = from;
        (numbers ^ numbers >> 32 ^ since) as usize & self.outcomes.len().wrapping_sub(1)
    }

    /// The outcome of `from` if it is known, with its number among all.
    #[inline(always)]
    fn known(&self, from: From) -> Option<(usize, &Outcome)> {
        let place = self.place(from);
        let Pair([first, second]) = self.outcomes.get(place)?;
        if first.from == from {
            return Some((2 * place, first));
        }
        (second.from == from).then_some((2 * place + 1, second))
    }

    /// Keeps `outcome`, in the place of another if there is no more room.
    fn keep(&mut self, outcome: Outcome, rest: Rest) {
        while self.room(outcome.from, rest.after.contents).is_none() && self.outcomes.len() < MOST {
            let room = (2 * self.outcomes.len()).max(FEWEST);
            let outcomes = std::mem::replace(&mut self.outcomes, vec![Pair([Outcome::NONE; 2]); room]);
            let rests = std::mem::replace(&mut self.rests, vec![Rest::none(); 2 * room]);
            for (old, old_rest) in outcomes.into_iter().flat_map(|Pair(pair)| pair).zip(rests) {
                if self.may_come(&old_rest, rest.after.contents) {
                    self.put(old, old_rest);
                }
            }
        }
        self.put(outcome, rest);
    }

    /// Tells whether the outcome with this `rest` may be found again: its numbers mean something, and it has the present `contents` of a
    /// large cache.
    fn may_come(&self, rest: &Rest, contents: u64) -> bool {
        rest.given > self.lost && rest.after.contents == contents
    }

    /// The one of its pair, 0 or 1, in whose place the outcome of `from` may be put; `None` if both are others' that may be found again.
    fn room(&self, from: From, contents: u64) -> Option<usize> {
        let place = self.place(from);
        let Pair(pair) = self.outcomes.get(place)?;
        let is_free = |which: &usize| !self.may_come(&self.rests[2 * place + which], contents);
        let same = pair.iter().position(|other| other.from == from);
        same.or_else(|| (0..2).find(is_free))
    }

    fn put(&mut self, outcome: Outcome, rest: Rest) {
        let place = self.place(outcome.from);
        let which = self.room(outcome.from, rest.after.contents).unwrap_or_else(|| {
            self.next ^= 1;
            self.next
        });
        self.outcomes[place].0[which] = outcome;
        self.rests[2 * place + which] = rest;
    }

    pub(super) fn numbering(&self) -> u64 {
        self.numbering
    }

    /// The state's number, if it has one, and the cycle from which it is seen.
    pub(super) fn numbered(&self) -> Option<(u64, u64)> {
        (self.number != 0).then_some((self.number, self.since))
    }

    /// The outcome of `run` in the state with this number, and the state after it; `since` is as in [`From`].
    pub(super) fn find(&self, number: u64, since: u64, run: u32) -> Option<(&Outcome, State)> {
        let from = From { numbers: number | u64::from(run), since };
        let (number, outcome) = self.known(from)?;
        Some((outcome, self.rests.get(number)?.after))
    }

    /// The number of `state`.
    pub(super) fn number_of(&mut self, state: State) -> u64 {
        if self.numbers.len() >= self.most_numbered {
            self.make_room(state.contents);
        }
        if self.given == u32::MAX {
            // The last was given: from now on, new states have none.
            return self.numbers.get(&state).copied().unwrap_or(0);
        }
        *self.numbers.entry(state).or_insert_with(|| {
            self.given += 1;
            u64::from(self.given.wrapping_mul(SCATTER)) << 32
        })
    }

    /// Forgets the numbers of states that do not have these `contents` of a large cache, or all where that does not leave room.
    #[cold]
    fn make_room(&mut self, contents: u64) {
        let before = self.numbers.len();
        self.numbers.retain(|state, _| state.contents == contents);
        if self.numbers.len() < before {
            self.numbering = next_numbering();
        }
        if 2 * self.numbers.len() <= self.most_numbered {
            return;
        }
        if self.most_numbered < MOST_NUMBERED {
            self.most_numbered *= 2;
            return;
        }
        self.numbers.clear();
        (self.lost, self.numbering, self.most_numbered) = (self.given, next_numbering(), FEWEST_NUMBERED);
    }
}

impl FlashInterface {
    /// The offset of the state's number.
    pub(super) const NUMBER: usize = offset_of!(Self, recall.number);
    /// The offset of the cycle from which it is seen.
    pub(super) const SINCE: usize = offset_of!(Self, recall.since);

    /// The stall of the fetches of `run`, if they were made in this state before; they are made then. Runs have numbers other than
    /// 0 whose last bits differ; `now` is the start of their block, `anew` whether fetching begins anew with them.
    #[inline(always)]
    pub fn recall(&mut self, run: u32, now: u64, anew: bool) -> Option<u32> {
        let from = self.recall.from(run, now, anew);
        let (within, outcome) = self.recall.known(from)?;
        self.instructions.use_again(outcome.used);
        let (number, stall, until) = (outcome.number_after(), outcome.stall.into(), u64::from(outcome.until));
        (self.recall.number, self.recall.since) = (number, now.wrapping_add(until));
        self.recall.within = within as u32;
        Some(stall)
    }

    /// The fetches of `run`, or of one that is not to be recalled if that is 0, are going to be made one by one; the rest is as for
    /// [`Self::recall`].
    pub fn begin_run(&mut self, run: u32, now: u64, anew: bool) {
        let from = self.recall.from(run, now, anew);
        let known = self.recall.number != 0 && run != 0 && (from.since as i64) < SETTLED;
        self.write_out();
        let (uses, contents) = (self.instructions.begin_uses(), self.instructions.contents);
        self.recall.open = Some(Open { from, known, now, uses, contents });
    }

    /// The fetches of the run begun have been made, in a block that with their stalls begins in the cycle `now`, and end in
    /// its cycle `last`.
    pub fn end_run(&mut self, now: u64, last: u32) {
        let since = now.wrapping_add(last.into());
        let Some(open) = self.recall.open.take().filter(|_| self.recall.over > 0) else { return };
        if (since as i64) < 0 {
            // Before cycle 0, in which such fetches are made: that is so nowhere else, and nothing is kept of it.
            return self.settle_any(0);
        }
        self.settle_any(since);
        self.end(open, since, now.wrapping_sub(open.now));
    }

    /// A read of data begun as a run has been asked for in the cycle `at`, and stalled `stall` cycles.
    pub(super) fn end_read(&mut self, at: u64, stall: u32) {
        if let Some(open) = self.recall.open.take().filter(|_| self.recall.over > 0) {
            self.end(open, at, stall.into());
        }
    }

    /// The run begun as `open` says leaves a state that is seen from the cycle `since`, and has stalled `stall` cycles.
    fn end(&mut self, open: Open, since: u64, stall: u64) {
        let Lines { contents, recent, .. } = self.instructions;
        if contents != open.contents {
            self.recall.unquiet = QUIET;
        }
        if self.recall.unquiet > 0 {
            self.recall.unquiet -= 1;
            return;
        }
        let after = State { flow: self.flow.seen_from(since, self.recall.over), recent, contents };
        let number = self.recall.number_of(after);
        if number == 0 {
            return;
        }
        (self.recall.number, self.recall.since) = (number, since);
        if let Some(used) = self.instructions.used_since(open.uses).filter(|_| open.known) {
            // No block takes so long that these do not fit, but for one with more wait states than any part has.
            if let (Ok(stall), Ok(until)) = (stall.try_into(), since.wrapping_sub(open.now).try_into()) {
                let rest = Rest { given: self.recall.given, after };
                self.recall.keep(Outcome { from: open.from, used, number: (number >> 32) as u32, stall, until }, rest);
            }
        }
    }

    /// As [`Self::end_run`], for fetches beside those of another core, which nobody recalls: [`Self::write_out`] comes before them.
    pub fn end_apart(&mut self, now: u64, last: u32) {
        self.settle_any(now.wrapping_add(last.into()));
    }

    /// The state is written out, and has no number: it is going to change by something else than a run.
    #[inline(always)]
    pub fn write_out(&mut self) {
        if self.recall.number != 0 {
            self.write_out_state();
        }
    }

    #[inline(never)]
    fn write_out_state(&mut self) {
        (self.flow, self.instructions.recent) = self.written_out();
        (self.recall.number, self.recall.within) = (0, WRITTEN_OUT);
    }

    /// The state, which has a number.
    pub(super) fn state(&self) -> State {
        match self.recall.rests.get(self.recall.within as usize) {
            Some(Rest { after, .. }) => *after,
            None => State {
                flow: self.flow.seen_from(self.recall.since, self.recall.over),
                recent: self.instructions.recent,
                contents: self.instructions.contents,
            },
        }
    }

    /// Is in `state`, which has this number, seen from the cycle `since`. Lines are used anew.
    pub(super) fn take_up(&mut self, state: State, number: u64, since: u64) {
        (self.flow, self.instructions.recent) = (state.flow.at(since, self.recall.over), state.recent);
        (self.recall.number, self.recall.since, self.recall.within) = (number, since, WRITTEN_OUT);
        self.instructions.begin_uses();
    }

    /// The state, and the lines of a small cache.
    fn written_out(&self) -> (Flow, [u32; 2]) {
        match self.recall.rests.get(self.recall.within as usize) {
            Some(Rest { after: State { flow, recent, .. }, .. }) => {
                (flow.at(self.recall.since, self.recall.over), *recent)
            }
            None => (self.flow, self.instructions.recent),
        }
    }

    /// The line last asked for by the core's fetches, wherever the state is.
    pub(super) fn current(&self) -> u32 {
        match self.recall.rests.get(self.recall.within as usize) {
            Some(rest) => rest.after.flow.current(),
            None => self.flow.current,
        }
    }

    /// Tells whether the state has a number, by which what follows is recalled.
    pub(super) fn has_number(&self) -> bool {
        self.recall.number != 0
    }

    /// Tells whether the state is written out.
    pub(super) fn is_written_out(&self) -> bool {
        self.recall.within == WRITTEN_OUT
    }
}

impl Clone for FlashInterface {
    fn clone(&self) -> Self {
        let (flow, recent) = self.written_out();
        let mut instructions = self.instructions.copy();
        instructions.recent = recent;
        let (data, recall) = (self.data.clone(), Recall::new(self.timing.wait_states));
        Self { flow, instructions, data, recall, ..*self }
    }

    /// Keeps what is known of runs.
    fn clone_from(&mut self, from: &Self) {
        if self.timing != from.timing {
            *self = from.clone();
            return;
        }
        self.instructions.become_as(&from.instructions);
        (self.flow, self.instructions.recent) = from.written_out();
        (self.core, self.other) = (from.core, from.other);
        self.data.clone_from(&from.data);
        (self.delivered, self.stalled) = (from.delivered, from.stalled);
        (self.recall.number, self.recall.within, self.recall.open) = (0, WRITTEN_OUT, None);
    }
}
