//! Branches, calls, returns, loops, and what else moves control.

use cyclescope_engine::{Execute as _, Flow};
use cyclescope_machine::{Bus, Peripherals};

use super::{Exit, Here};
use crate::code::{Pending, ends_a_loop};
use crate::cpu::Cpu;
use crate::decode::{Instruction, Op, is_narrow};
use crate::fault::{Cause, Fault};
use crate::ps::Ps;
use crate::timing::crosses;

impl Cpu {
    /// The branch at `here` is taken, to `target`.
    #[inline(always)]
    pub(super) fn take<P>(&mut self, here: Here<'_, P>, target: u32) -> Flow<Exit> {
        let place = here.place();
        self.now = self.now.wrapping_add(u64::from(place.before + place.cycles + place.detail.taken));
        self.instructions += u64::from(place.index + 1);
        self.pc = target;
        self.pending = Pending::default();
        Flow::Leaves(Exit::Next)
    }

    /// The block ends with a jump to `target`, whose cost its static cycles have.
    #[inline(always)]
    pub(super) fn jump<P>(&mut self, here: Here<'_, P>, target: u32) -> Flow<Exit> {
        self.complete(here.block, Exit::Next);
        self.pc = target;
        self.pending = Pending::default();
        Flow::Leaves(Exit::Next)
    }

    /// The same to a target that only now is known: it may cross a word of the fetch bus.
    #[inline(always)]
    pub(super) fn jump_to<P>(&mut self, bus: &Bus<P>, here: Here<'_, P>, target: u32) -> Flow<Exit> {
        let flow = self.jump(here, target);
        self.arrive(bus, target);
        flow
    }

    /// Goes to `target`, which only now is known.
    #[inline(always)]
    pub(crate) fn arrive<P>(&mut self, bus: &Bus<P>, target: u32) {
        self.pc = target;
        self.pending = Pending::default();
        let narrow = || {
            let first = bus.memory.read(target, cyclescope_machine::Width::Byte);
            self.config.configuration.options.density && first.is_some_and(|first| is_narrow(first as u8))
        };
        // One that begins in the upper half of a word crosses unless it is narrow and ends there.
        let timed = bus.memory.timed(target);
        if crosses(timed, 2) || crosses(timed, 3) && !narrow() {
            self.now += self.charge(self.config.timing.crossing);
        }
    }

    /// CALL0, CALLX0: `target` is called, a0 gets the address behind the call.
    #[inline(always)]
    pub(super) fn link(&mut self, next_pc: u32) {
        self.set(0, next_pc);
    }

    /// CALL4, CALL8 and CALL12 and those with X, by `increment` times four registers.
    #[inline(always)]
    pub(super) fn link_windowed(&mut self, increment: u8, next_pc: u32) {
        self.ps.increment = increment;
        self.set(4 * increment, u32::from(increment) << 30 | next_pc & 0x3FFF_FFFF);
    }

    /// ENTRY: the window moves by what the call said, and a1 of the new one makes room of `imm` bytes.
    pub(super) fn entry<P>(&mut self, here: Here<'_, P>, i: &Instruction) -> Flow<Exit> {
        if i.s > 3 || !self.ps.windows || self.ps.exception {
            return self.leave_at(here, Fault::ILLEGAL);
        }
        let increment = self.ps.increment;
        if increment > self.usable {
            return self.overflow(here);
        }
        let stack = self.get(i.s).wrapping_sub(i.imm);
        if i.s == 1 {
            self.main_stack.push(self.get(1), stack);
        }
        self.set(4 * increment + i.s, stack);
        self.rotate(i32::from(increment));
        self.window_start |= 1 << self.window_base;
        self.look_at_windows();
        Flow::Next
    }

    /// Raises the window overflow of the nearest window that has started.
    #[cold]
    pub(super) fn overflow<P>(&mut self, here: Here<'_, P>) -> Flow<Exit> {
        let rotation = self.usable + 1;
        let size = self.size_of_window(rotation.into());
        self.leave_at(here, Fault::Overflow { rotation, size })
    }

    /// RETW.
    pub(super) fn return_window<P: Peripherals>(&mut self, bus: &Bus<P>, here: Here<'_, P>) -> Flow<Exit> {
        let link = self.get(0);
        let size = (link >> 30) as u8;
        let back = |by: u8| self.is_started(-i32::from(by));
        // The caller's window, if it has not been spilled, is the nearest behind this one.
        let nearest = (1..=3).find(|by| back(*by)).unwrap_or(0);
        if size == 0 || nearest != 0 && nearest != size || !self.ps.windows || self.ps.exception {
            return self.leave_at(here, Fault::ILLEGAL);
        }
        if nearest == 0 {
            return self.leave_at(here, Fault::Underflow { size });
        }
        let target = here.place().pc & 0xC000_0000 | link & 0x3FFF_FFFF;
        self.window_start &= !(1 << self.window_base);
        self.rotate(-i32::from(size));
        self.jump_to(bus, here, target)
    }

    /// MOVSP: an exception where the caller's registers have been spilled and lie below the stack pointer.
    pub(super) fn movsp<P>(&mut self, here: Here<'_, P>, i: &Instruction) -> Flow<Exit> {
        let spilled = !(1..=3).any(|by| self.is_started(-by));
        if spilled {
            return self.leave_at(here, Fault::new(Cause::Alloca));
        }
        self.set(i.t, self.get(i.s));
        Flow::Next
    }

    /// LOOP, LOOPNEZ and LOOPGTZ: the loop ends at the immediate.
    pub(super) fn begin_loop<P>(&mut self, here: Here<'_, P>, i: &Instruction) -> Flow<Exit> {
        let count = self.get(i.s);
        self.loop_count = count.wrapping_sub(1);
        self.loop_begin = here.place().next_pc;
        self.loop_end = i.imm;
        self.odd_loop = false;
        let skipped = match i.op {
            Op::Loopnez => count == 0,
            Op::Loopgtz => count as i32 <= 0,
            _ => false,
        };
        if skipped { self.take(here, i.imm) } else { Flow::Next }
    }

    /// LEND is `end`, not by a loop instruction.
    pub(super) fn set_loop_end<P>(&mut self, bus: &Bus<P>, end: u32) {
        self.loop_end = end;
        self.odd_loop = !ends_a_loop(&bus.memory, end);
        self.horizon = 0;
    }

    /// Behind the last instruction of a loop: goes back to its first, or on.
    #[inline(always)]
    pub(crate) fn go_back(&mut self) {
        if self.loop_count != 0 && self.pc == self.loop_end && !self.ps.exception {
            self.loop_count -= 1;
            self.pc = self.loop_begin;
        }
    }

    /// The same as the last step of a block.
    #[inline(always)]
    pub(super) fn end_loop<P>(&mut self, here: Here<'_, P>) -> Flow<Exit> {
        self.complete(here.block, Exit::Next);
        self.pc = here.block.next_pc;
        self.go_back();
        Flow::Leaves(Exit::Next)
    }

    /// RFE, RFDE, RFI, RFWO and RFWU: goes on at an EPC.
    pub(super) fn come_back<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
    ) -> Flow<Exit> {
        let configuration = self.config.configuration;
        let windows = configuration.options.windows;
        let target = match i.op {
            Op::Rfe => self.epc[1],
            Op::Rfde => self.epc[0],
            Op::Rfi => {
                let level = usize::from(i.s);
                if !(2..=usize::from(configuration.levels)).contains(&level) {
                    return self.leave_at(here, Fault::ILLEGAL);
                }
                self.epc[level]
            }
            _ => self.epc[1],
        };
        // The end of the block sets the program counter before this does.
        self.complete(here.block, Exit::Next);
        match i.op {
            Op::Rfi => self.set_ps(Ps::from_bits(self.eps[usize::from(i.s)], windows)),
            Op::Rfwo | Op::Rfwu => {
                if i.op == Op::Rfwo {
                    self.window_start &= !(1 << self.window_base);
                } else {
                    self.window_start |= 1 << self.window_base;
                }
                self.turn_to(self.ps.old_base);
                self.set_ps(Ps { exception: false, ..self.ps });
            }
            Op::Rfe => self.set_ps(Ps { exception: false, ..self.ps }),
            // RFDE leaves PS.EXCM set.
            _ => {}
        }
        self.arrive(bus, target);
        self.horizon = 0;
        Flow::Leaves(Exit::Returned)
    }

    /// BREAK and BREAK.N, whose debugger is the host if `here` is a call of semihosting.
    #[cold]
    pub(super) fn breakpoint<P>(&mut self, here: Here<'_, P>, i: &Instruction) -> Flow<Exit> {
        if self.config.semihosting && i.op == Op::Break && (i.s, i.t) == (1, 14) {
            return self.leave_before(here, Exit::Semihosting);
        }
        if self.level() >= self.config.configuration.debug_level && !self.halt_on_fault {
            return Flow::Next;
        }
        let cause = if i.op == Op::Break { Fault::BREAK } else { Fault::BREAK_NARROW };
        self.leave_at(here, Fault::Debug { cause })
    }

    /// WAITI: sleeps at the level `imm`.
    pub(super) fn wait<P>(&mut self, here: Here<'_, P>, level: u32) -> Flow<Exit> {
        self.set_ps(Ps { level: level as u8 & 15, ..self.ps });
        self.complete(here.block, Exit::Sleep);
        self.go_back();
        Flow::Leaves(Exit::Sleep)
    }
}
