//! Computes the start cycles of fetched instructions: docs/timing.md (Flash, rule 3).

use super::flash::Interface;
use super::program::Executed;

/// The fetch timing of a core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fetching {
    /// Cycles from an address phase to the execution of the fetched instruction.
    pub latency: u64,
    /// The capacity of the fetch unit in words.
    pub buffer: u32,
}

/// Returns the start cycle of each of `executed` on a Cortex-M0+, which waits for each fetch.
pub(super) fn on_one_bus(executed: &[Executed], fetching: Fetching, flash: Interface) -> Vec<u64> {
    let mut bus = OneBus { flash, cycle: 0, fetched: None };
    bus.turn(executed[0].address, fetching);
    let begins = |one: &Executed| {
        // Behind a branch that was not taken, no fetch of it has started.
        bus.fetch_through(one.address / 4);
        let begins = bus.cycle;
        let mut left = one.cycles;
        if let Some(address) = one.literal {
            bus.hold(|flash, cycle| flash.read_data(address, cycle));
        }
        if one.loads {
            bus.pass(1);
            left -= 1;
        }
        let behind = one.address / 4 + fetching.buffer;
        bus.fetch_through(if one.branches { one.last_word() } else { behind });
        if let Some(target) = one.target {
            bus.pass(left - fetching.latency);
            bus.turn(target, fetching);
        } else {
            bus.pass(left);
        }
        begins
    };
    executed.iter().map(begins).collect()
}

/// The bus of a core with a single bus.
struct OneBus {
    flash: Interface,
    cycle: u64,
    /// The last word fetched since the last taken branch.
    fetched: Option<u32>,
}

impl OneBus {
    /// Advances by `cycles`.
    fn pass(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.flash.read_ahead(self.cycle);
            self.cycle += 1;
        }
    }

    /// Waits until an address phase that starts now has ended.
    fn hold(&mut self, mut phase: impl FnMut(&mut Interface, u64) -> Option<u64>) {
        let end = loop {
            match phase(&mut self.flash, self.cycle) {
                Some(end) => break end,
                None => self.pass(1),
            }
        };
        self.pass(end - self.cycle);
    }

    /// Fetches from `target` as far as needed to continue.
    fn turn(&mut self, target: u32, fetching: Fetching) {
        self.fetched = None;
        self.fetch_through(target / 4);
        self.pass(fetching.latency);
    }

    /// Fetches the remaining words up to `last`.
    fn fetch_through(&mut self, last: u32) {
        for word in self.fetched.map_or(last, |word| word + 1)..=last {
            self.hold(|flash, cycle| flash.fetch(word * 4, cycle));
            self.fetched = Some(word);
        }
    }
}

/// The fetch unit of a Cortex-M3 or M4.
#[derive(Default)]
struct FetchUnit {
    /// The capacity in words.
    room: u32,
    /// The first word that has not been decoded completely.
    first: u32,
    /// The next word to request, the first cycle for its address phase, and if that has started.
    next: u32,
    next_at: u64,
    asks: bool,
    /// Tells if an instruction has been decoded since the last taken branch.
    goes_on: bool,
    /// The words requested since then, with the ends of their address phases.
    ends: Vec<(u32, u64)>,
}

impl FetchUnit {
    /// Continues at `target` and drops requests that the array has not started.
    fn turn(&mut self, target: u32) {
        *self = Self { room: self.room, first: target / 4, next: target / 4, ..Self::default() };
    }

    /// Tells if the address phases that `one` needs have ended by `cycle`. The first instruction after a taken branch
    /// needs its own words. Later ones need their lines, because further words of a line cost nothing.
    fn holds(&self, one: &Executed, flash: &Interface, cycle: u64) -> bool {
        let last = one.last_word();
        let serves = |word: u32| word == last || self.goes_on && flash.line(word * 4) == flash.line(last * 4);
        self.ends.iter().rev().any(|(word, end)| serves(*word) && *end <= cycle)
    }

    /// Passes `one` to decoding, which makes room.
    fn give(&mut self, one: &Executed) {
        (self.first, self.goes_on) = (one.end() / 4, true);
        self.next = self.next.max(self.first);
    }

    /// Tells if there is room for another word.
    fn has_room(&self) -> bool {
        self.next - self.first < self.room
    }

    /// Starts or continues the address phase of the next word. A new one starts only if it `may`.
    fn step(&mut self, flash: &mut Interface, cycle: u64, may: bool) {
        self.asks |= may && self.next_at <= cycle;
        if self.asks
            && let Some(end) = flash.fetch(self.next * 4, cycle)
        {
            self.ends.push((self.next, end));
            (self.next, self.next_at, self.asks) = (self.next + 1, end + 1, false);
        }
    }
}

/// Returns the start cycle of each of `executed` on a Cortex-M3 or M4, which fetches beside execution.
pub(super) fn beside_execution(executed: &[Executed], fetching: Fetching, mut flash: Interface) -> Vec<u64> {
    let mut unit = FetchUnit { room: fetching.buffer, ..FetchUnit::default() };
    unit.turn(executed[0].address);
    let mut begun = Vec::new();
    let mut fetched = executed.iter().peekable();
    let mut decoded: Option<&Executed> = None;
    // The remaining cycles of the executing instruction.
    let mut left = 0;
    // The address of its data read until the array starts it, and the cycle from which it does not wait.
    let (mut literal, mut data_at) = (None, 0);
    for cycle in fetching.latency.. {
        // Room that decoding makes in this cycle is available from the next cycle on.
        let mut may_ask = unit.has_room();
        if let Some(one) = decoded.take_if(|_| left == 0) {
            begun.push(cycle);
            left = one.cycles;
            literal = if one.overlaps() { literal } else { one.literal.map(|address| (address, 0)) };
            may_ask &= !one.branches || one.target.is_some();
        }
        if begun.len() == executed.len() {
            break;
        }
        if decoded.is_none() {
            decoded = fetched.next_if(|next| unit.holds(next, &flash, cycle + 1 - fetching.latency));
            decoded.into_iter().for_each(|one| unit.give(one));
        }
        let mut read = |(address, behind): (u32, u64)| flash.read_data(address, cycle).map(|end| end + behind);
        if let Some(until) = literal.and_then(&mut read) {
            (literal, data_at) = (None, until);
        }
        let stalls = literal.is_some() || cycle < data_at;
        // An overlapping load has its address phase in the last cycle of the previous instruction.
        if let Some(load) = decoded.filter(|one| one.overlaps() && left <= 1 && !stalls) {
            literal = load.literal.map(|address| (address, 1));
            if let Some(until) = literal.and_then(&mut read) {
                (literal, data_at) = (None, until);
            }
        }
        // A branch knows its target in its last cycle of decoding.
        if let Some(branch) = decoded.filter(|one| one.branches && left <= 1 && !stalls) {
            may_ask = branch.target.is_some();
            branch.target.into_iter().for_each(|target| unit.turn(target));
        }
        unit.step(&mut flash, cycle, may_ask);
        flash.read_ahead(cycle);
        left -= u64::from(left > 0 && !stalls);
    }
    begun
}
