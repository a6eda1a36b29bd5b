//! Exception entry and return, with tail-chaining and late arrival.

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Access, Bus, Peripherals, Signal, Width};

use super::{HARD_FAULT, LockedUp, NMI, SUPERVISOR_CALL};
use crate::cpu::{Cpu, Entry, Fault, FaultKind, Halfway, Sleep};
use crate::decode::Reg;
use crate::exec::{access, nth, words_of_ram, words_of_ram_mut};
use crate::float::Fpscr;

/// Bytes of the frame that entry pushes: r0 to r3, r12, lr, return address, xPSR.
const FRAME_BYTES: u32 = 32;
/// Bytes of the frame with floating-point state: s0 to s15, FPSCR and a reserved word on top.
const FP_FRAME_BYTES: u32 = FRAME_BYTES + 72;

/// EXC_RETURN values (DDI 0419E table B1-8, DDI 0403E table B1-8).
const TO_HANDLER: u32 = 0xFFFF_FFF1;
const TO_THREAD_MAIN: u32 = 0xFFFF_FFF9;
const TO_THREAD_PROCESS: u32 = 0xFFFF_FFFD;
/// The bit of EXC_RETURN that is clear when the frame has floating-point state.
const WITHOUT_FP: u32 = 1 << 4;

impl Cpu {
    /// SVC: its exception if it can preempt, else HardFault (DDI 0419E §B1.5.11).
    ///
    /// # Errors
    /// `LockedUp` if neither can be taken.
    pub fn supervisor_call<P: Peripherals>(&mut self, bus: &mut Bus<P>) -> Result<(), LockedUp> {
        if self.nvic.group_priority(SUPERVISOR_CALL) < self.execution_priority() {
            self.pend(bus, SUPERVISOR_CALL, self.now);
            return self.enter(bus, SUPERVISOR_CALL);
        }
        // A HardFault's return address is the instruction that caused it (DDI 0419E §B1.5.6, ReturnAddress()).
        self.r[Reg::Pc as usize] = self.r[Reg::Pc as usize].wrapping_sub(2);
        self.enter_with(Entry::with_it(self.detail as u8));
        let cause = "SVC at a priority it cannot preempt";
        self.take_fault(bus, Fault { kind: FaultKind::Escalated, cause, address: None })
    }

    /// Exception entry from the instruction boundary `self.now`.
    ///
    /// # Errors
    /// `LockedUp` if stacking or the vector fails where no HardFault can be taken.
    pub fn enter<P: Peripherals>(&mut self, bus: &mut Bus<P>, number: u16) -> Result<(), LockedUp> {
        let since = self.now;
        self.horizon = 0;
        let mut number = number;
        if let Err(fault) = self.push_frame(bus, since) {
            self.note_fault(fault);
            number = self.derived(fault, number)?;
        }
        // Something more urgent may still arrive while the frame is written; the frame serves it as well.
        self.now += u64::from(self.config.timing.cycles(self.config.timing.late_arrival));
        if bus.shared.turns.are_taken() {
            self.halfway = Some(Halfway::Entry { number, since });
            return Ok(());
        }
        if self.next_event(bus) <= self.now {
            self.run_events(bus, self.now);
        }
        self.end_entry(bus, number, since)
    }

    /// The end of the entry into the exception `number`, or into a more urgent one, that began in the cycle `since`. Nothing is late
    /// from now on.
    fn end_entry<P: Peripherals>(&mut self, bus: &mut Bus<P>, number: u16, since: u64) -> Result<(), LockedUp> {
        let timing = self.config.timing;
        let with_fp = self.fp.active;
        let mode = match (self.ipsr != 0, self.process_stack) {
            (true, _) => TO_HANDLER,
            (false, false) => TO_THREAD_MAIN,
            (false, true) => TO_THREAD_PROCESS,
        };
        let exc_return = if with_fp { mode & !WITHOUT_FP } else { mode };
        let mut number = number;
        if let Some(later) = self.preempting()
            && later != number
        {
            self.rows.insert(timing.late_arrival);
            number = later;
        }
        let gone = u64::from(timing.cycles(timing.late_arrival));
        self.now = (self.now + self.charge(timing.exception_entry)).saturating_sub(gone);
        if with_fp && !self.fp.is_lazy() {
            self.now += self.charge(timing.entry_with_fp);
        }
        self.dwt.exception(self.now - since);
        self.select_stack(false);
        self.start_handler(bus, number, exc_return)
    }

    /// Carries out the end of an entry beside another core.
    ///
    /// # Errors
    /// `LockedUp` if the vector cannot be read.
    pub(super) fn go_on<P: Peripherals>(&mut self, bus: &mut Bus<P>, halfway: Halfway) -> Result<(), LockedUp> {
        match halfway {
            Halfway::Entry { number, since } => self.end_entry(bus, number, since),
            Halfway::Left { number, exc_return, instead } => {
                bus.shared.signals.record(Cycles::new(self.now), Signal::ExceptionReturned { number });
                self.end_return(bus, exc_return, instead)
            }
            Halfway::Return(_) => Ok(()),
        }
    }

    /// From one handler into the next without touching the stack.
    ///
    /// # Errors
    /// `LockedUp` if the vector cannot be read.
    pub fn tail_chain<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        number: u16,
        exc_return: u32,
    ) -> Result<(), LockedUp> {
        self.horizon = 0;
        let cycles = self.charge(self.config.timing.tail_chain);
        self.now += cycles;
        self.dwt.exception(cycles);
        self.start_handler(bus, number, exc_return)
    }

    /// ExceptionTaken(): vector, mode, link register.
    fn start_handler<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        number: u16,
        exc_return: u32,
    ) -> Result<(), LockedUp> {
        self.nvic.activate(number);
        self.ipsr = number;
        self.entry = Entry::PLAIN;
        self.exclusive = false;
        self.fp.active = false;
        self.update_fp_ready();
        self.event = true;
        self.exceptions_taken += 1;
        self.r[Reg::Lr as usize] = exc_return;
        let address = self.scb.vector_table().wrapping_add(4 * u32::from(number));
        let pc = self.r[Reg::Pc as usize];
        // The vector arrives when the handler's first fetch begins.
        let timing = self.config.timing;
        let at = self
            .now
            .saturating_sub(u64::from(timing.cycles(timing.fetch_latency) + timing.cycles(timing.data_phase) + 1));
        // Vectors are read by the default memory map (DDI 0403E §B3.5).
        match self.read_allowed(bus, access(pc, at, address, Width::Word)) {
            Ok((vector, _)) => {
                self.go_to(vector & !1);
                self.thumb = vector & 1 != 0;
            }
            Err(_) => {
                let cause = "vector table cannot be read";
                let fault = Fault { kind: FaultKind::VectorTable, cause, address: Some(address) };
                self.note_fault(fault);
                self.status(fault);
                if number <= HARD_FAULT || !self.config.architecture.is_v7() {
                    return Err(LockedUp);
                }
                self.nvic.set_active(number, false);
                self.nvic.pend(HARD_FAULT);
                return self.start_handler(bus, HARD_FAULT, exc_return);
            }
        }
        self.reach_system_bus();
        bus.shared.signals.record(Cycles::new(self.now), Signal::ExceptionEntered { number });
        Ok(())
    }

    /// PushStack() (DDI 0419E §B1.5.6, DDI 0403E §B1.5.6), onto the stack in use.
    fn push_frame<P: Peripherals>(&mut self, bus: &mut Bus<P>, start: u64) -> Result<(), Fault> {
        let with_fp = self.fp.active;
        let sp = self.r[Reg::Sp as usize];
        let padding = if with_fp || self.scb.aligns_stack() { sp & 4 } else { 0 };
        let bytes = if with_fp { FP_FRAME_BYTES } else { FRAME_BYTES };
        let frame = (sp - padding).wrapping_sub(bytes);
        self.push_to(frame);
        let xpsr = self.xpsr() | padding << 7;
        let r = &self.r;
        let words = [r[0], r[1], r[2], r[3], r[12], r[Reg::Lr as usize], r[Reg::Pc as usize], xpsr];
        let pc = r[Reg::Pc as usize];
        let stacking =
            |fault: Fault| Fault { cause: "exception entry could not write its frame", ..fault }.in_stacking();
        let plain = !self.mpu.is_on() && self.is_quiet(bus, start + u64::from(FRAME_BYTES / 4));
        let plain = if plain { words_of_ram_mut::<P, false>(bus, frame, 8) } else { None };
        if let Some(slots) = plain {
            for (slot, word) in slots.iter_mut().zip(words) {
                *slot = word.to_le_bytes();
            }
        } else {
            self.write_stacked(bus, access(pc, start, frame, Width::Word), words).map_err(stacking)?;
        }
        if with_fp && self.fp.is_lazy() {
            self.fp.leave_space(frame.wrapping_add(FRAME_BYTES), self.preservation_origin());
        } else if with_fp {
            let first = access(pc, start + 8, frame.wrapping_add(FRAME_BYTES), Width::Word);
            self.write_stacked(bus, first, self.fp.words()).map_err(stacking)?;
            self.fp.fpscr = Fpscr::from_bits(self.fp.fpdscr());
        }
        Ok(())
    }

    /// Exception return by a branch to `exc_return` (DDI 0419E §B1.5.8), with tail-chaining and sleep-on-exit.
    ///
    /// # Errors
    /// `LockedUp` if unstacking fails where no HardFault can be taken.
    pub fn return_from_exception<P: Peripherals>(&mut self, bus: &mut Bus<P>, exc_return: u32) -> Result<(), LockedUp> {
        self.horizon = 0;
        if bus.shared.turns.are_taken() {
            self.halfway = Some(Halfway::Return(exc_return));
            return Ok(());
        }
        self.run_events(bus, self.now);
        bus.shared.signals.record(Cycles::new(self.now), Signal::ExceptionReturned { number: self.ipsr });
        let instead = self.leave_handler(bus, exc_return)?;
        self.end_return(bus, exc_return, instead)
    }

    /// Goes on behind a return: into the exception `instead`, into one that is pending, to sleep, or to what was interrupted.
    fn end_return<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        exc_return: u32,
        instead: Option<u16>,
    ) -> Result<(), LockedUp> {
        if let Some(next) = instead {
            return self.tail_chain(bus, next, exc_return | 0xF000_0000);
        }
        match self.preempting() {
            Some(next) => self.tail_chain(bus, next, exc_return),
            None if self.sleep != Sleep::Awake => {
                self.scb.exit_to = Some(exc_return);
                Ok(())
            }
            None => self.unstack(bus, exc_return),
        }
    }

    /// Carries out a return beside another core up to what reads memory.
    ///
    /// # Errors
    /// `LockedUp` if the return is none and no HardFault can be taken.
    pub(super) fn begin_return<P: Peripherals>(&mut self, bus: &mut Bus<P>, exc_return: u32) -> Result<(), LockedUp> {
        let number = self.ipsr;
        let instead = self.leave_handler(bus, exc_return)?;
        let left = Halfway::Left { number, exc_return, instead };
        if self.sleep == Sleep::Awake {
            self.halfway = Some(left);
            return Ok(());
        }
        self.go_on(bus, left)
    }

    /// Ends the exception that is handled, and falls asleep if sleep-on-exit asks for it. Returns the exception to take if the
    /// return is none.
    ///
    /// # Errors
    /// `LockedUp` if that cannot be taken.
    fn leave_handler<P: Peripherals>(&mut self, bus: &mut Bus<P>, exc_return: u32) -> Result<Option<u16>, LockedUp> {
        let number = self.ipsr;
        let nested = self.nvic.active_count() > 1;
        let mode = if self.config.architecture.has_fpu() { exc_return | WITHOUT_FP } else { exc_return };
        let legal = match mode {
            // Leaving for thread mode with exceptions active is allowed if the guest says so (CCR.NONBASETHRDENA).
            TO_HANDLER => nested,
            TO_THREAD_MAIN | TO_THREAD_PROCESS => !nested || self.scb.allows_thread_return(),
            _ => false,
        };
        let legal = legal && self.nvic.is_active(number);
        let again = self.nvic.deactivate(number, &bus.shared.interrupts);
        if number != NMI {
            self.faultmask = false;
        }
        self.exclusive = false;
        if again {
            self.pended(bus, number, self.now);
        }
        if !legal {
            let cause = "exception return with an EXC_RETURN that fits no active state";
            let fault = Fault { kind: FaultKind::InvalidPc, cause, address: None };
            self.note_fault(fault);
            return self.derived(fault, 0).map(Some);
        }
        self.event = true;
        if mode != TO_HANDLER && self.scb.sleep_on_exit() && self.preempting().is_none() {
            self.sleep = Sleep::ForInterrupt;
        }
        Ok(None)
    }

    /// PopStack(), then on with what was interrupted.
    ///
    /// # Errors
    /// `LockedUp` if unstacking fails where no HardFault can be taken.
    pub fn unstack<P: Peripherals>(&mut self, bus: &mut Bus<P>, exc_return: u32) -> Result<(), LockedUp> {
        let start = self.now;
        let pc = self.r[Reg::Pc as usize];
        let with_fp = self.config.architecture.has_fpu() && exc_return & WITHOUT_FP == 0;
        let mode = if self.config.architecture.has_fpu() { exc_return | WITHOUT_FP } else { exc_return };
        self.horizon = 0;
        // The frame is read with the rights of the mode returned to.
        if mode != TO_HANDLER {
            self.ipsr = 0;
        }
        self.select_stack(mode == TO_THREAD_PROCESS);
        let frame = self.r[Reg::Sp as usize];
        let words = match self.pop_words::<P, 8>(bus, access(pc, start, frame, Width::Word)) {
            Ok(words) => words,
            Err(fault) => return self.unstacking_failed(bus, fault, exc_return),
        };
        let [r0, r1, r2, r3, r12, lr, return_address, xpsr] = words;
        let mut cycles = self.charge(self.config.timing.exception_return);
        if with_fp && self.fp.preservation_pending() {
            // The registers still hold what was to be preserved.
            self.fp.forget_preservation();
        } else if with_fp {
            let first = access(pc, start + 8, frame.wrapping_add(FRAME_BYTES), Width::Word);
            match self.pop_words::<P, 17>(bus, first) {
                Ok(words) => {
                    for (number, word) in (0..16).zip(words) {
                        self.set_single(number, word);
                    }
                    self.fp.fpscr = Fpscr::from_bits(words[16]);
                }
                Err(fault) => return self.unstacking_failed(bus, fault, exc_return),
            }
            cycles += self.charge(self.config.timing.return_with_fp);
        }
        self.fp.active = with_fp;
        self.r[..4].copy_from_slice(&[r0, r1, r2, r3]);
        self.r[12] = r12;
        self.r[Reg::Lr as usize] = lr;
        self.go_to(return_address & !1);
        let bytes = if with_fp { FP_FRAME_BYTES } else { FRAME_BYTES };
        let aligned = with_fp || self.scb.aligns_stack();
        self.set_sp(frame.wrapping_add(bytes) | (xpsr >> 9 & u32::from(aligned)) << 2);
        self.set_xpsr(xpsr);
        let exception_bits = if self.config.architecture.is_v7() { 0x1FF } else { 0x3F };
        self.ipsr = (xpsr & exception_bits) as u16;
        self.update_fp_ready();
        self.now += cycles;
        self.reach_system_bus();
        self.dwt.exception(cycles);
        let consistent = (self.ipsr != 0) == (mode == TO_HANDLER);
        if !consistent {
            let cause = "exception return to a mode its frame contradicts";
            self.ipsr = 0;
            return self.take_fault(bus, Fault { kind: FaultKind::InvalidPc, cause, address: None });
        }
        Ok(())
    }

    fn pop_words<P: Peripherals, const N: usize>(
        &mut self,
        bus: &mut Bus<P>,
        first: Access,
    ) -> Result<[u32; N], Fault> {
        let mut words = [0; N];
        if !self.mpu.is_on()
            && self.is_quiet(bus, first.at.get() + N as u64)
            && let Some(slots) = words_of_ram::<P, false>(bus, first.address.get(), N as u32)
        {
            words.iter_mut().zip(slots).for_each(|(word, slot)| *word = slot);
            return Ok(words);
        }
        for (number, word) in (0..).zip(&mut words) {
            *word = self.read(bus, nth(first, number))?.0;
        }
        Ok(words)
    }

    fn unstacking_failed<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        fault: Fault,
        exc_return: u32,
    ) -> Result<(), LockedUp> {
        let fault = Fault { cause: "exception return could not read its frame", ..fault }.in_unstacking();
        self.note_fault(fault);
        let next = self.derived(fault, 0)?;
        self.select_stack(false);
        self.tail_chain(bus, next, exc_return)
    }
}
