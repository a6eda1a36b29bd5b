//! Branches, jumps and what else moves control.

use cyclescope_engine::{Execute as _, Flow};
use cyclescope_machine::{Bus, Peripherals, Width};

use super::{Exit, Here};
use crate::config::Traps;
use crate::cpu::Cpu;
use crate::decode::{Op, is_wide};
use crate::timing::Division;
use crate::trap::{Privilege, Trap};

/// Tells whether an instruction of 32 bits begins at `address`. True outside memory, where the core waits for one.
#[inline]
pub(crate) fn begins_wide<P>(bus: &Bus<P>, address: u32) -> bool {
    bus.memory.read(address, Width::Half).is_none_or(|half| is_wide(half as u16))
}

impl Cpu {
    /// The branch that ends `block` is taken, to `target`.
    #[inline(always)]
    pub(super) fn take<P>(&mut self, here: Here<'_, P>, target: u32) -> Flow<Exit> {
        if target & self.misalignment != 0 {
            return self.leave_at(here, Trap::new(Trap::INSTRUCTION_MISALIGNED, target));
        }
        self.pc = target;
        self.now += u64::from(here.block.detail.taken);
        self.complete(here.block, Exit::Next);
        self.after = here.block.detail.branches;
        Flow::Leaves(Exit::Next)
    }

    /// Goes to `target`, which only now is known, and for whose coming the core has nothing to execute for `empty` cycles: an
    /// instruction of 32 bits across a word boundary may take longer to come.
    #[inline(always)]
    pub(crate) fn arrive<P>(&mut self, bus: &Bus<P>, target: u32, empty: u8) {
        self.pc = target;
        self.after.empty = empty;
        if let Some(split) = self.config.timing.split
            && bus.memory.timed(target) & 2 != 0
            && begins_wide(bus, target)
        {
            let cycles = self.charge(split);
            self.now += cycles;
            self.after.empty += cycles as u8;
        }
    }

    /// JALR: `link` gets the address behind it.
    #[inline(always)]
    pub(super) fn jump_to<P>(&mut self, bus: &Bus<P>, here: Here<'_, P>, target: u32, link: u8) -> Flow<Exit> {
        let target = target & !1;
        if target & self.misalignment != 0 {
            return self.leave_at(here, Trap::new(Trap::INSTRUCTION_MISALIGNED, target));
        }
        self.put(link, here.block.next_pc);
        self.complete(here.block, Exit::Next);
        self.arrive(bus, target, 0);
        Flow::Leaves(Exit::Next)
    }

    /// EBREAK.
    #[cold]
    pub(super) fn breakpoint<P: Peripherals>(&mut self, bus: &Bus<P>, here: Here<'_, P>) -> Flow<Exit> {
        let place = here.place();
        if self.config.semihosting && is_semihosting(bus, place.pc) {
            return self.leave_before(here, Exit::Semihosting);
        }
        self.leave_at(here, Trap::new(Trap::BREAKPOINT, 0))
    }

    /// ECALL.
    pub(super) fn call_environment<P>(&mut self, here: Here<'_, P>) -> Flow<Exit> {
        let from = if self.privilege == Privilege::User { 0 } else { 3 };
        self.leave_at(here, Trap::new(Trap::USER_CALL + from, 0))
    }

    /// MRET.
    pub(super) fn mret<P: Peripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>, bits: u32) -> Flow<Exit> {
        if self.privilege != Privilege::Machine {
            return self.leave_at(here, Trap::new(Trap::ILLEGAL, bits));
        }
        self.complete(here.block, Exit::Next);
        self.return_from_trap(bus);
        Flow::Leaves(Exit::Next)
    }

    /// WFI: illegal in U mode while mstatus.TW is set (§3.1.6.5).
    pub(super) fn wfi<P: Peripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>, bits: u32) -> Flow<Exit> {
        if self.privilege == Privilege::User && self.csrs.tw {
            return self.leave_at(here, Trap::new(Trap::ILLEGAL, bits));
        }
        self.finish_stores_of_sleep(bus);
        let waits = self.waits(bus);
        Flow::Ends(if waits { Exit::Sleep } else { Exit::Next })
    }

    /// waitirq: goes on with what is pending, masked or not.
    pub(super) fn waitirq<P>(&mut self, here: Here<'_, P>, rd: u8) -> Flow<Exit> {
        self.pico_latch(self.now);
        self.pico.delayed = self.pico.was_delayed;
        let Traps::Pico(config) = &self.config.traps else { return Flow::Leaves(Exit::Next) };
        let pending = self.pico.pending(&self.lines) & !config.absent;
        if pending == 0 {
            return self.leave_before(here, Exit::Sleep);
        }
        self.put(rd, pending);
        // Its RDINSTRET leaves it out (picorv32.v, count_instr).
        self.csrs.instret.adjust(-1);
        Flow::Ends(Exit::Next)
    }

    /// Cycles that a division takes beyond the fewest.
    #[inline(always)]
    pub(super) fn divide(&mut self, op: Op, a: u32, b: u32) -> u32 {
        if let Some(Division { row, extra }) = self.config.timing.division
            && b != 0
        {
            self.rows.insert(row);
            self.now += u64::from(extra);
        }
        super::alu::divide(op, a, b)
    }
}

/// Tells whether the EBREAK of 32 bits at `pc` is a call of "RISC-V Semihosting" 0.4: it stands between two shifts of x0.
fn is_semihosting<P>(bus: &Bus<P>, pc: u32) -> bool {
    /// SLLI x0, x0, 31 and SRAI x0, x0, 7.
    const AROUND: [u32; 2] = [0x01F0_1013, 0x4070_5013];
    let word = |at: u32| {
        let [low, high] = [0, 2].map(|offset| bus.memory.read(at.wrapping_add(offset), Width::Half));
        Some(high? << 16 | low?)
    };
    [pc.wrapping_sub(4), pc.wrapping_add(4)].map(word) == AROUND.map(Some)
}
