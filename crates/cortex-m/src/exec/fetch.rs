//! Flash is asked for lines, and instructions wait for them.
//!
//! Each step has a quick way, which calls nothing, so that its handler need not save the registers it is in; where that does
//! not do, another handler goes the whole way.

use cyclescope_machine::{Bus, Peripherals};

use crate::code::{FetchedLine, Refill};
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op};

impl Cpu {
    /// The cycle that is `before` as [`FetchedLine`] counts it, as flash counts those of fetches.
    #[inline(always)]
    fn address_phase(&self, before: u32) -> u64 {
        self.now.wrapping_add(u64::from(before))
    }

    /// Tells whether fetching begins anew with the step `i`: also where flash was set up anew, and has forgotten what was asked for.
    #[inline(always)]
    pub(super) fn begins_anew<P: Peripherals>(&self, bus: &Bus<P>, i: &Instruction) -> bool {
        self.refill || Refill::unpack(i).inside || bus.memory.flash.interface().is_unused()
    }

    /// Fetching begins anew at a flash line, or went on there, and the instruction waits for it; whether the quick way did.
    #[inline(always)]
    pub(super) fn try_refill<P: Peripherals, const MANY: bool>(&mut self, bus: &mut Bus<P>, i: &Instruction) -> bool {
        let FetchedLine { number, before } = FetchedLine::unpack(i.imm);
        let at = self.address_phase(before);
        let anew = self.begins_anew(bus, i);
        let flash = bus.memory.flash.interface_mut();
        let stall = if anew {
            flash.try_jump::<MANY>(number, at - u64::from(Refill::unpack(i).earlier))
        } else {
            flash.try_wait(number, at)
        };
        self.refill &= stall.is_none();
        self.stall_if(bus, stall)
    }

    /// The line behind one where fetching has begun anew is asked for; whether the quick way did, and there are no more.
    #[inline(always)]
    pub(super) fn try_request_further<P: Peripherals, const MANY: bool>(
        &mut self,
        bus: &mut Bus<P>,
        i: &Instruction,
    ) -> bool {
        let FetchedLine { number, before } = FetchedLine::unpack(i.imm);
        let Refill { lines, after, .. } = Refill::unpack(i);
        let at = self.address_phase(before + after);
        bus.memory.flash.interface_mut().try_request::<MANY>(number + 1, at) && lines == 1
    }

    /// The whole way.
    pub(super) fn request_further<P: Peripherals, const MANY: bool>(&mut self, bus: &mut Bus<P>, i: &Instruction) {
        let FetchedLine { number, before } = FetchedLine::unpack(i.imm);
        let Refill { lines, after, words, .. } = Refill::unpack(i);
        for line in 0..lines {
            let at = self.address_phase(before + after + line * words);
            bus.memory.flash.interface_mut().request::<MANY>(number + 1 + line, at);
        }
    }

    /// As [`Self::try_refill`] where each fetch is waited for.
    #[inline(always)]
    pub(super) fn try_refill_and_await<P: Peripherals, const MANY: bool>(
        &mut self,
        bus: &mut Bus<P>,
        i: &Instruction,
    ) -> bool {
        let FetchedLine { number, before } = FetchedLine::unpack(i.imm);
        let at = self.address_phase(before);
        let anew = self.begins_anew(bus, i);
        let flash = bus.memory.flash.interface_mut();
        let stall = if anew {
            flash.try_fetch::<MANY>(number, at - u64::from(Refill::unpack(i).earlier))
        } else if flash.has_fetched(number) {
            Some(0)
        } else {
            flash.try_fetch::<MANY>(number, at)
        };
        self.refill &= stall.is_none();
        self.stall_if(bus, stall)
    }

    /// The fetch reaches a flash line; whether the quick way did.
    #[inline(always)]
    pub(super) fn try_request<P: Peripherals, const MANY: bool>(&mut self, bus: &mut Bus<P>, i: &Instruction) -> bool {
        let FetchedLine { number, before } = FetchedLine::unpack(i.imm);
        let at = self.address_phase(before);
        bus.memory.flash.interface_mut().try_request::<MANY>(number, at)
    }

    /// The fetch reaches a flash line, and nothing goes on before it is there; whether the quick way did.
    #[inline(always)]
    pub(super) fn try_fetch<P: Peripherals, const MANY: bool>(&mut self, bus: &mut Bus<P>, i: &Instruction) -> bool {
        let FetchedLine { number, before } = FetchedLine::unpack(i.imm);
        let at = self.address_phase(before);
        let stall = bus.memory.flash.interface_mut().try_fetch::<MANY>(number, at);
        self.stall_if(bus, stall)
    }

    /// Decoding wants a flash line; whether the quick way did.
    #[inline(always)]
    pub(super) fn try_await<P: Peripherals, const MANY: bool>(&mut self, bus: &mut Bus<P>, i: &Instruction) -> bool {
        let FetchedLine { number, before } = FetchedLine::unpack(i.imm);
        let stall = bus.memory.flash.interface().try_wait(number, self.address_phase(before));
        self.stall_if(bus, stall)
    }

    /// Adds `stall` to the clock, if the quick way knows it, and tells whether it does.
    #[inline(always)]
    fn stall_if<P: Peripherals>(&mut self, bus: &Bus<P>, stall: Option<u32>) -> bool {
        let worst = bus.memory.flash.interface().worst_stall();
        debug_assert!(stall.is_none_or(|stall| stall <= worst), "a fetch stalls {stall:?} cycles");
        self.now += u64::from(stall.unwrap_or(0));
        stall.is_some()
    }

    /// Any of them the whole way.
    pub(super) fn fetch<P: Peripherals, const MANY: bool>(&mut self, bus: &mut Bus<P>, i: &Instruction) {
        let FetchedLine { number, before } = FetchedLine::unpack(i.imm);
        let at = self.address_phase(before);
        let begins = matches!(i.op, Op::Refill | Op::RefillAndAwait);
        let anew = begins && self.begins_anew(bus, i);
        let flash = bus.memory.flash.interface_mut();
        self.refill &= !begins;
        let asked = at - if anew { u64::from(Refill::unpack(i).earlier) } else { 0 };
        let stall = match i.op {
            Op::FetchLine => {
                flash.request::<MANY>(number, at);
                0
            }
            Op::Refill if anew => flash.jump::<MANY>(number, asked),
            Op::RefillAndAwait if !anew && flash.has_fetched(number) => 0,
            Op::RefillAndAwait | Op::FetchAndAwaitLine => flash.fetch::<MANY>(number, asked),
            _ => flash.wait::<MANY>(number, at),
        };
        debug_assert!(stall <= flash.worst_stall(), "a fetch stalls {stall} cycles");
        self.now += u64::from(stall);
        if anew && i.op == Op::Refill {
            self.request_further::<P, MANY>(bus, i);
        }
    }

    /// The whole way where the size of the cache is to be seen.
    pub(super) fn fetch_any<P: Peripherals>(&mut self, bus: &mut Bus<P>, i: &Instruction) {
        if bus.memory.flash.interface().caches_many() {
            self.fetch::<P, true>(bus, i);
        } else {
            self.fetch::<P, false>(bus, i);
        }
    }
}
