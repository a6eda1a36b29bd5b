//! Fetches of one of two cores, each in its turn.
//!
//! While a core runs alone its blocks make its fetches. Beside another core each fetch wants its port in the cycle of its data phase, an
//! act of its own between two instructions. The word behind the one that is being executed is an instruction's last act, and is waited
//! for as blocks do ([`Cpu::fetch_run`]). The target of a branch, or what a branch that was not taken has left to be fetched, has its
//! port from then on; the core waits for it when the instruction begins, unless an exception comes instead.

use cyclescope_machine::units::Address;
use cyclescope_machine::{Answer, Bus, FlashInterface, Peripherals, RegionKind, Turn};

use crate::code::{Alone, Block, Fetch, Word, is_branch_across};
use crate::cpu::Cpu;
use crate::decode::Reg;

/// The word behind that of the instruction done last, and the cycle of the address phase of its fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ahead {
    word: Word,
    from: u64,
}

/// A fetch that is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedFetch {
    /// The word.
    word: Word,
    /// The cycle in which its port is wanted.
    act: u64,
    /// Of one beside an instruction, the cycle of its address phase, as flash counts those of fetches.
    beside: Option<u64>,
    /// Fetching begins anew with it.
    refill: bool,
}

impl PlannedFetch {
    /// The cycle in which its port is wanted.
    pub(crate) const fn act(&self) -> u64 {
        self.act
    }

    /// It is made beside an instruction.
    pub(crate) const fn is_beside(&self) -> bool {
        self.beside.is_some()
    }
}

/// A fetch that has its port, for the instruction that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BegunFetch {
    planned: PlannedFetch,
    /// The cycles that it has waited for the port.
    waited: u64,
}

impl Cpu {
    /// An instruction has been done: the block of it alone.
    pub(crate) fn note_ahead<P>(&mut self, block: &Block<P>, retired: bool) {
        let straight = retired && !self.refill && self.r[Reg::Pc as usize] == block.next_pc;
        let alone = block.detail.alone.as_deref().filter(|alone| straight && !alone.branches);
        self.ahead = alone.map(|alone| {
            // Behind the address phase of its own.
            let from = (self.now + u64::from(alone.reads)).saturating_sub(u64::from(block.cycles));
            Ahead { word: alone.words[1], from }
        });
    }

    /// Finds out what is fetched before the instruction at `r[15]` begins.
    pub(crate) fn plan<P: Peripherals>(&mut self, bus: &Bus<P>, next: Option<&Block<P>>) {
        (self.planned, self.begun) = (None, [None; 2]);
        if self.config.timing.fetches_aside || self.halfway.is_some() {
            return;
        }
        let ahead = self.ahead.take().filter(|_| !self.refill);
        if let Some(Ahead { word, from }) = ahead {
            let (word, act) = (word.renewed(&bus.memory), (from + 1).min(self.now));
            if !self.has_fetched(bus, &word) {
                let beside = Some(from + u64::from(Fetch::EARLIEST));
                self.planned = Some(PlannedFetch { word, act, beside, refill: false });
                return;
            }
        }
        self.plan_next(bus, next);
    }

    /// The facts of the next instruction, if `next` is the block of it alone and as things are now.
    fn known<'a, P: Peripherals>(&self, bus: &Bus<P>, next: Option<&'a Block<P>>) -> Option<&'a Alone> {
        let alone = next?.detail.alone.as_deref()?;
        let current = alone.words[0].generation == bus.memory.generation() && !bus.memory.code_changed();
        Some(alone).filter(|_| current)
    }

    /// The same where nothing is left to be fetched beside the instruction before it.
    fn plan_next<P: Peripherals>(&mut self, bus: &Bus<P>, next: Option<&Block<P>>) {
        let (pc, known) = (self.r[Reg::Pc as usize], self.known(bus, next));
        let first = known.map_or_else(|| Word::of(&bus.memory, pc & !3), |alone| alone.words[0]);
        let unused = first.line.is_some() && bus.memory.flash.interface().is_unused();
        let plan = |word: Word, act: u64, refill: bool| Some(PlannedFetch { word, act, beside: None, refill });
        self.planned = if self.refill || unused {
            plan(first, self.now.saturating_sub(1), true)
        } else if !self.has_fetched(bus, &first) {
            // It lies behind a branch that was not taken.
            plan(first, self.now, false)
        } else {
            self.second(bus, known)
                .filter(|second| !self.has_fetched(bus, second))
                .and_then(|second| plan(second, self.now, false))
        };
    }

    /// The second word of the next instruction, which has the facts `known`, if it is a branch across two.
    fn second<P: Peripherals>(&self, bus: &Bus<P>, known: Option<&Alone>) -> Option<Word> {
        let pc = self.r[Reg::Pc as usize];
        match known {
            Some(alone) => alone.is_across.then(|| alone.words[1]),
            None => is_branch_across(&bus.memory, self.config.architecture.instructions(), pc)
                .then(|| Word::of(&bus.memory, (pc & !3).wrapping_add(4))),
        }
    }

    /// Tells whether `word` has been fetched, or cannot be.
    fn has_fetched<P: Peripherals>(&self, bus: &Bus<P>, word: &Word) -> bool {
        match word.line {
            Some(line) => bus.memory.flash.interface().has_fetched(line),
            None => self.fetched.wrapping_sub(word.address / 4) <= 1 || !word.exists,
        }
    }

    /// Gets the planned fetch its port in its turn; leaves it if its turn has not come.
    pub(crate) fn make_planned<P: Peripherals>(&mut self, bus: &mut Bus<P>, next: Option<&Block<P>>) {
        let Some(mut planned) = self.planned else { return };
        planned.word = planned.word.renewed(&bus.memory);
        let PlannedFetch { word, act, beside, refill } = planned;
        let port = bus.peripherals.port(Address::new(word.address), bus.memory.region(word.address));
        let mut waited = 0;
        loop {
            let act = act + waited;
            let turns = &mut bus.shared.turns;
            let waits = match turns.ask(act) {
                Turn::Wait => {
                    if let Some(port) = port {
                        turns.want(port);
                    }
                    return;
                }
                Turn::Made(made) => made.cycles as u64,
                Turn::Go => {
                    let waits = port.map_or(0, |port| turns.busy(port, act));
                    turns.note(Answer { cycles: waits as i64, ..Answer::default() });
                    waits
                }
            };
            if waits == 0 {
                break;
            }
            waited += waits;
        }
        if let Some(port) = port {
            bus.shared.turns.grant(port, act + waited, act + waited + reads(bus, &word));
            bus.shared.traffic.count(port, waited > 0);
        }
        self.planned = None;
        if let Some(at) = beside {
            let stall = self.fetch_word(bus, &word, at + waited);
            self.pass(waited + stall);
            self.plan_next(bus, next);
            return;
        }
        let first = self.begun[0].is_none();
        self.begun[usize::from(!first)] = Some(BegunFetch { planned, waited });
        if first
            && word.address == self.r[Reg::Pc as usize] & !3
            && let Some(word) = self.second(bus, self.known(bus, next))
        {
            self.planned = Some(PlannedFetch { word, act: self.now, beside: None, refill: false });
        }
        debug_assert!(first || !refill, "fetching begins anew once");
    }

    /// Waits for what has been fetched for the instruction that begins.
    pub(crate) fn take_begun<P: Peripherals>(&mut self, bus: &mut Bus<P>) {
        if self.begun[0].is_none() {
            return;
        }
        for BegunFetch { planned, waited } in std::mem::take(&mut self.begun).into_iter().flatten() {
            let word = planned.word.renewed(&bus.memory);
            let cycles = match bus.shared.turns.made() {
                Some(made) => made.cycles as u64,
                None => {
                    let latency = u64::from(self.config.timing.cycles(self.config.timing.fetch_latency));
                    let earlier = if planned.refill { latency } else { 0 };
                    let at = (self.now + u64::from(Fetch::EARLIEST)).saturating_sub(earlier);
                    let cycles = waited + self.fetch_word(bus, &word, at + waited);
                    bus.shared.turns.note(Answer { cycles: cycles as i64, ..Answer::default() });
                    cycles
                }
            };
            self.pass(cycles);
            self.refill = false;
            if word.line.is_none() {
                self.fetched = word.address / 4;
            }
        }
    }

    /// Fetches `word` with its address phase in the cycle `at`, as flash counts those of fetches; the stall.
    fn fetch_word<P: Peripherals>(&mut self, bus: &mut Bus<P>, word: &Word, at: u64) -> u64 {
        let Some(line) = word.line else {
            self.fetched = word.address / 4;
            if bus.shared.traffic.is_counted() && matches!(bus.memory.region(word.address), Some(RegionKind::Flash(_)))
            {
                bus.shared.traffic.count_cached(true);
            }
            return 0;
        };
        if bus.shared.traffic.is_counted() {
            let hit = bus.memory.flash.interface().holds(line);
            bus.shared.traffic.count_cached(hit);
        }
        Self::fetch_line(bus.memory.flash.interface_mut(), line, at).into()
    }

    fn fetch_line(interface: &mut FlashInterface, line: u32, at: u64) -> u32 {
        if interface.caches_many() { interface.fetch::<true>(line, at) } else { interface.fetch::<false>(line, at) }
    }

    /// Blocks see to fetches from now on, or (`done`) have done so up to now.
    pub(crate) fn leave<P: Peripherals>(&mut self, bus: &Bus<P>, done: bool) {
        (self.ahead, self.planned, self.begun) = (None, None, [None; 2]);
        if !done || self.config.timing.fetches_aside {
            return;
        }
        let pc = self.r[Reg::Pc as usize];
        if Word::of(&bus.memory, pc).line.is_none() {
            // Blocks do not tell: the next word is asked for beside the first instruction of one.
            self.fetched = pc / 4 + u32::from(pc & 2 != 0);
            self.refill = false;
        }
        self.plan(bus, None);
    }
}

/// The cycles for which a fetch of `word` has its port beyond the first.
fn reads<P: Peripherals>(bus: &Bus<P>, word: &Word) -> u64 {
    let interface = bus.memory.flash.interface();
    let missed = word.line.is_some_and(|line| !interface.holds(line));
    if missed { interface.timing().wait_states.into() } else { 0 }
}
