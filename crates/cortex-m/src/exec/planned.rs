//! Fetches of one of two cores, each in its turn.
//!
//! While a core runs alone its blocks make its fetches. Beside another core each fetch wants its port in the cycle of its data phase, an
//! act of its own between two instructions. The word behind the one that is being executed is an instruction's last act, and is waited
//! for as blocks do ([`Cpu::fetch_run`]). The target of a branch, or what a branch that was not taken has left to be fetched, has its
//! port from then on; the core waits for it when the instruction begins, unless an exception comes instead.

use cyclescope_machine::units::Address;
use cyclescope_machine::{Answer, Bus, FlashInterface, Peripherals, RegionKind, Turn, Width};

use crate::code::{Block, Fetch};
use crate::cpu::Cpu;
use crate::decode::{self, Reg};
use crate::timing::redirect;

/// A fetch that is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedFetch {
    /// The address of the word.
    address: u32,
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
        let turns = || block.steps.iter().any(|step| redirect(&step.i).is_some());
        self.ahead = (straight && !turns()).then(|| {
            // Behind the address phase of its own.
            let late = block.steps.iter().any(|step| step.i.reads_memory());
            (block.pc, (self.now + u64::from(late)).saturating_sub(u64::from(block.cycles)))
        });
    }

    /// Finds out what is fetched before the instruction at `r[15]` begins.
    pub(crate) fn plan<P: Peripherals>(&mut self, bus: &Bus<P>) {
        (self.planned, self.begun) = (None, [None; 2]);
        if self.config.timing.fetches_aside || self.halfway.is_some() {
            return;
        }
        let ahead = self.ahead.take().filter(|_| !self.refill);
        if let Some((pc, from)) = ahead {
            let (address, act) = ((pc & !3).wrapping_add(4), (from + 1).min(self.now));
            if !self.has_fetched(bus, address) {
                let beside = Some(from + u64::from(Fetch::EARLIEST));
                self.planned = Some(PlannedFetch { address, act, beside, refill: false });
                return;
            }
        }
        self.plan_next(bus);
    }

    /// The same where nothing is left to be fetched beside the instruction before it.
    fn plan_next<P: Peripherals>(&mut self, bus: &Bus<P>) {
        let pc = self.r[Reg::Pc as usize];
        let unused = self.line(bus, pc).is_some() && bus.memory.flash.interface().is_unused();
        let plan = |address: u32, act: u64, refill: bool| Some(PlannedFetch { address, act, beside: None, refill });
        self.planned = if self.refill || unused {
            plan(pc & !3, self.now.saturating_sub(1), true)
        } else if !self.has_fetched(bus, pc & !3) {
            // It lies behind a branch that was not taken.
            plan(pc & !3, self.now, false)
        } else {
            let second = (pc & !3).wrapping_add(4);
            plan(second, self.now, false).filter(|_| self.is_branch_across(bus, pc) && !self.has_fetched(bus, second))
        };
    }

    /// Tells whether a branch stands at `pc` whose second half is in the next word.
    fn is_branch_across<P: Peripherals>(&self, bus: &Bus<P>, pc: u32) -> bool {
        let halves = [pc, pc.wrapping_add(2)].map(|address| bus.memory.read(address, Width::Half));
        let [Some(first), Some(second)] = halves else { return false };
        pc & 2 != 0
            && decode::is_wide(first as u16)
            && redirect(&self.config.architecture.instructions().decode(first as u16, second as u16)).is_some()
    }

    /// Tells whether the word at `address` has been fetched, or cannot be.
    fn has_fetched<P: Peripherals>(&self, bus: &Bus<P>, address: u32) -> bool {
        match self.line(bus, address) {
            Some(line) => bus.memory.flash.interface().has_fetched(line),
            None => self.fetched.wrapping_sub(address / 4) <= 1 || bus.memory.region(address).is_none(),
        }
    }

    /// The line of flash that waits in which `address` counts as lying.
    fn line<P: Peripherals>(&self, bus: &Bus<P>, address: u32) -> Option<u32> {
        let interface = bus.memory.flash.interface();
        match bus.memory.region(bus.memory.timed(address)) {
            Some(RegionKind::Flash(offset)) if interface.timing().wait_states > 0 => Some(interface.line(offset)),
            _ => None,
        }
    }

    /// Gets the planned fetch its port in its turn; leaves it if its turn has not come.
    pub(crate) fn make_planned<P: Peripherals>(&mut self, bus: &mut Bus<P>) {
        let Some(planned) = self.planned else { return };
        let PlannedFetch { address, act, beside, refill } = planned;
        let port = bus.peripherals.port(Address::new(address), bus.memory.region(address));
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
            bus.shared.turns.grant(port, act + waited, act + waited + self.reads(bus, address));
            bus.shared.traffic.count(port, waited > 0);
        }
        self.planned = None;
        if let Some(at) = beside {
            let stall = self.fetch_word(bus, address, at + waited);
            self.pass(waited + stall);
            self.plan_next(bus);
            return;
        }
        let first = self.begun[0].is_none();
        self.begun[usize::from(!first)] = Some(BegunFetch { planned, waited });
        let pc = self.r[Reg::Pc as usize];
        if first && address == pc & !3 && self.is_branch_across(bus, pc) {
            let address = address.wrapping_add(4);
            self.planned = Some(PlannedFetch { address, act: self.now, beside: None, refill: false });
        }
        debug_assert!(first || !refill, "fetching begins anew once");
    }

    /// The cycles for which a fetch of the word at `address` has its port beyond the first.
    fn reads<P: Peripherals>(&self, bus: &Bus<P>, address: u32) -> u64 {
        let interface = bus.memory.flash.interface();
        let missed = self.line(bus, address).is_some_and(|line| !interface.holds(line));
        if missed { interface.timing().wait_states.into() } else { 0 }
    }

    /// Waits for what has been fetched for the instruction that begins.
    pub(crate) fn take_begun<P: Peripherals>(&mut self, bus: &mut Bus<P>) {
        for BegunFetch { planned, waited } in std::mem::take(&mut self.begun).into_iter().flatten() {
            let cycles = match bus.shared.turns.made() {
                Some(made) => made.cycles as u64,
                None => {
                    let latency = u64::from(self.config.timing.cycles(self.config.timing.fetch_latency));
                    let earlier = if planned.refill { latency } else { 0 };
                    let at = (self.now + u64::from(Fetch::EARLIEST)).saturating_sub(earlier);
                    let cycles = waited + self.fetch_word(bus, planned.address, at + waited);
                    bus.shared.turns.note(Answer { cycles: cycles as i64, ..Answer::default() });
                    cycles
                }
            };
            self.pass(cycles);
            self.refill = false;
            if self.line(bus, planned.address).is_none() {
                self.fetched = planned.address / 4;
            }
        }
    }

    /// Fetches the word at `address` with its address phase in the cycle `at`, as flash counts those of fetches; the stall.
    fn fetch_word<P: Peripherals>(&mut self, bus: &mut Bus<P>, address: u32, at: u64) -> u64 {
        let Some(line) = self.line(bus, address) else {
            self.fetched = address / 4;
            if let Some(RegionKind::Flash(_)) = bus.memory.region(address) {
                bus.shared.traffic.count_cached(true);
            }
            return 0;
        };
        let hit = bus.memory.flash.interface().holds(line);
        bus.shared.traffic.count_cached(hit);
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
        if self.line(bus, pc).is_none() {
            // Blocks do not tell: the next word is asked for beside the first instruction of one.
            self.fetched = pc / 4 + u32::from(pc & 2 != 0);
            self.refill = false;
        }
        self.plan(bus);
    }
}
