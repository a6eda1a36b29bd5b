//! When instructions begin that have to be fetched: docs/timing.md (Flash, rule 3).

use super::flash::Interface;
use super::program::Executed;

/// A core's rows of fetching.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fetching {
    /// Cycles from an address phase to the execution of what it fetches.
    pub latency: u64,
    /// Words that the fetch unit has room for.
    pub buffer: u32,
}

/// The cycle in which each of `executed` begins on a Cortex-M0+, which waits for each fetch before it goes on.
pub(super) fn on_one_bus(executed: &[Executed], fetching: Fetching, flash: Interface) -> Vec<u64> {
    let mut bus = OneBus { flash, cycle: 0, fetched: None };
    bus.turn(executed[0].address, fetching);
    let begins = |one: &Executed| {
        // Nothing has asked for it behind a branch that was not taken.
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

/// The bus of a core that has one.
struct OneBus {
    flash: Interface,
    cycle: u64,
    /// The last word fetched since the last branch that was taken.
    fetched: Option<u32>,
}

impl OneBus {
    /// Lets `cycles` go by.
    fn pass(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.flash.read_ahead(self.cycle);
            self.cycle += 1;
        }
    }

    /// Waits until an address phase that begins now has ended.
    fn hold(&mut self, mut phase: impl FnMut(&mut Interface, u64) -> Option<u64>) {
        let end = loop {
            match phase(&mut self.flash, self.cycle) {
                Some(end) => break end,
                None => self.pass(1),
            }
        };
        self.pass(end - self.cycle);
    }

    /// Fetches from `target` what then can begin.
    fn turn(&mut self, target: u32, fetching: Fetching) {
        self.fetched = None;
        self.fetch_through(target / 4);
        self.pass(fetching.latency);
    }

    /// Fetches the words up to `last` that have not been.
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
    /// Words that there is room for.
    room: u32,
    /// The first word that has not been decoded whole.
    first: u32,
    /// The next word to ask for, the first cycle for its address phase, and whether that has begun.
    next: u32,
    next_at: u64,
    asks: bool,
    /// Something has been decoded since the last turn.
    goes_on: bool,
    /// Words asked for since then, and the ends of their address phases.
    ends: Vec<(u32, u64)>,
}

impl FetchUnit {
    /// Goes on at `target`; what has not begun at the array is dropped.
    fn turn(&mut self, target: u32) {
        *self = Self { room: self.room, first: target / 4, next: target / 4, ..Self::default() };
    }

    /// Tells whether the address phases that `one` needs have ended by `cycle`. The first instruction since a turn needs its own
    /// words; those that follow need their lines, of which another word costs nothing.
    fn holds(&self, one: &Executed, flash: &Interface, cycle: u64) -> bool {
        let last = one.last_word();
        let serves = |word: u32| word == last || self.goes_on && flash.line(word * 4) == flash.line(last * 4);
        self.ends.iter().rev().any(|(word, end)| serves(*word) && *end <= cycle)
    }

    /// Decoding takes `one`, which makes room.
    fn give(&mut self, one: &Executed) {
        (self.first, self.goes_on) = (one.end() / 4, true);
        self.next = self.next.max(self.first);
    }

    /// Tells whether another word could be asked for.
    fn has_room(&self) -> bool {
        self.next - self.first < self.room
    }

    /// The address phase of the next word begins if it `may`, or goes on.
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

/// The cycle in which each of `executed` begins on a Cortex-M3 or M4, which fetches beside execution.
pub(super) fn beside_execution(executed: &[Executed], fetching: Fetching, mut flash: Interface) -> Vec<u64> {
    let mut unit = FetchUnit { room: fetching.buffer, ..FetchUnit::default() };
    unit.turn(executed[0].address);
    let mut begun = Vec::new();
    let mut fetched = executed.iter().peekable();
    let mut decoded: Option<&Executed> = None;
    // What is left of the instruction in execution, cycles.
    let mut left = 0;
    // Where it reads data, until the array begins that, and from which cycle on it does not wait for that.
    let (mut literal, mut data_at) = (None, 0);
    for cycle in fetching.latency.. {
        // Room that decoding makes in this cycle is room from the next on.
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
        // A load that overlaps has its address phase in the last cycle of the one before it.
        if let Some(load) = decoded.filter(|one| one.overlaps() && left <= 1 && !stalls) {
            literal = load.literal.map(|address| (address, 1));
            if let Some(until) = literal.and_then(&mut read) {
                (literal, data_at) = (None, until);
            }
        }
        // In its last cycle of decoding a branch has the address.
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
