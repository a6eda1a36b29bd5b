//! Loads, stores and atomics: RAM on the fast path; flash, registers, protection and misaligned addresses with their exact
//! cycle on the slow one.

use cyclescope_engine::Execute as _;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, AccessKind, Bus, Peripherals, Width};

use super::{Here, alu};
use crate::config::Misaligned;
use crate::cpu::{Cpu, Trap};
use crate::decode::{Instruction, Op};
use crate::timing::DataPhase;

/// The instruction and the cycle of a slow access.
#[derive(Clone, Copy)]
struct From {
    pc: u32,
    at: u64,
    /// True for an access that is more than a load: its faults are those of stores.
    atomic: bool,
}

impl Cpu {
    #[inline(always)]
    pub(super) fn load_fast<P>(&self, bus: &Bus<P>, address: u32, width: Width) -> Option<u32> {
        if !width.aligned(address) || self.guarded && !self.readable.contains(address) {
            return None;
        }
        bus.memory.ram.read(address, width)
    }

    #[inline(always)]
    pub(super) fn store_fast<P>(&self, bus: &mut Bus<P>, address: u32, width: Width, value: u32) -> bool {
        width.aligned(address)
            && (!self.guarded || self.writable.contains(address))
            && bus.memory.ram.write(address, width, value)
    }

    fn from<P>(&self, here: Here<'_, P>, atomic: bool) -> From {
        let place = here.place();
        let timing = self.config.timing;
        let phase = match timing.data_phase {
            DataPhase::Begin(row) => timing.cycles(row),
            DataPhase::End(row) => place.cycles - timing.cycles(row),
        };
        From { pc: place.pc, at: self.now.wrapping_add(u64::from(place.before + phase)), atomic }
    }

    /// A load that RAM did not answer; the flag says whether the block must be left.
    #[inline(never)]
    pub(super) fn load_slow<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
        width: Width,
    ) -> Result<(u32, bool), Trap> {
        let from = self.from(here, false);
        if width.aligned(address) {
            return self.read(bus, from, address, width);
        }
        if self.config.misaligned == Misaligned::Trap {
            return match self.pico_bus_error() {
                true => self.read(bus, from, address & !(width.bytes() - 1), width).map(|(value, _)| (value, true)),
                false => Err(Trap::new(Trap::LOAD_MISALIGNED, address)),
            };
        }
        // Both words, or one if it holds all of it.
        let (low, high) = (address & !3, address.wrapping_add(width.bytes() - 1) & !3);
        let first = self.read(bus, from, low, Width::Word);
        let (mut value, mut leave) = (0, false);
        if high != low {
            // Asked for even if the first one fails.
            let from = self.second(from);
            let second = self.read(bus, from, high, Width::Word);
            if first.is_ok() {
                let (word, leaves) = second?;
                value = u64::from(word) << 32;
                leave = leaves;
            }
        }
        let (word, leaves) = first.map_err(|trap| Trap::new(trap.cause, address))?;
        value |= u64::from(word);
        leave |= leaves;
        Ok(((value >> (8 * (address & 3))) as u32 & width.mask(), leave))
    }

    /// The other half of a misaligned access, which takes its time.
    fn second(&mut self, from: From) -> From {
        let cycles = self.config.timing.misaligned.map_or(0, |row| self.charge(row));
        self.now += cycles;
        From { at: from.at + cycles, ..from }
    }

    /// A store that RAM did not take; says whether the block must be left.
    #[inline(never)]
    pub(super) fn store_slow<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
        width: Width,
        value: u32,
    ) -> Result<bool, Trap> {
        let from = self.from(here, false);
        if width.aligned(address) {
            return self.write(bus, from, address, width, value);
        }
        if self.config.misaligned == Misaligned::Trap {
            return match self.pico_bus_error() {
                true => self.write(bus, from, address & !(width.bytes() - 1), width, value).map(|_| true),
                false => Err(Trap::new(Trap::STORE_MISALIGNED, address)),
            };
        }
        let (low, high) = (address & !3, address.wrapping_add(width.bytes() - 1) & !3);
        let first = self.write_bytes(bus, from, address, low, width, value);
        if high == low {
            return first.map_err(|trap| Trap::new(trap.cause, address));
        }
        // Stored even if the first one fails.
        let second = self.second(from);
        let second = self.write_bytes(bus, second, address, high, width, value);
        let first = first.map_err(|trap| Trap::new(trap.cause, address))?;
        Ok(first | second.map_err(|trap| Trap::new(trap.cause, high))?)
    }

    /// Those bytes of a misaligned store that lie in the word at `word`.
    fn write_bytes<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        from: From,
        address: u32,
        word: u32,
        width: Width,
        value: u32,
    ) -> Result<bool, Trap> {
        let mut leave = Ok(false);
        for index in 0..width.bytes() {
            let byte = address.wrapping_add(index);
            if byte & !3 == word {
                // One that fails does not keep the others from being stored.
                let written = self.write(bus, from, byte, Width::Byte, value >> (8 * index) & 0xFF);
                leave = leave.and_then(|leave| Ok(leave | written?));
            }
        }
        leave
    }

    /// Tells whether the PMP allows an aligned access. If so, remembers the addresses around it that are also allowed.
    fn check(&mut self, address: u32, kind: AccessKind) -> bool {
        if !self.guarded {
            return true;
        }
        let (allowed, window) = self.pmp.look(address, kind, self.data_privilege());
        if allowed {
            match kind {
                AccessKind::Write => self.writable = window,
                _ => self.readable = window,
            }
        }
        allowed
    }

    fn read<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        from: From,
        address: u32,
        width: Width,
    ) -> Result<(u32, bool), Trap> {
        let trap = Trap::new(if from.atomic { Trap::STORE_ACCESS } else { Trap::LOAD_ACCESS }, address);
        if !self.check(address, AccessKind::Read) {
            return Err(trap);
        }
        if let Some(value) = bus.memory.read(address, width) {
            return Ok((value, false));
        }
        let access = self.access(bus, from, address, width);
        let (peripherals, mut context) = bus.with_context(access.at, access.pc);
        let value = peripherals.read(access, &mut context);
        self.accessed(bus, from.at, address);
        Ok((value.map_err(|_| trap)?, self.is_unsettled(bus)))
    }

    fn write<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        from: From,
        address: u32,
        width: Width,
        value: u32,
    ) -> Result<bool, Trap> {
        let trap = Trap::new(Trap::STORE_ACCESS, address);
        if !self.check(address, AccessKind::Write) {
            return Err(trap);
        }
        if bus.memory.write(address, width, value) {
            return Ok(bus.memory.code_changed());
        }
        let access = self.access(bus, from, address, width);
        let (peripherals, mut context) = bus.with_context(access.at, access.pc);
        let written = peripherals.write(access, value & width.mask(), &mut context);
        self.accessed(bus, from.at, address);
        written.map_err(|_| trap)?;
        Ok(self.is_unsettled(bus))
    }

    /// An access to a register, before which all happens that is due by then.
    fn access<P: Peripherals>(&mut self, bus: &mut Bus<P>, from: From, address: u32, width: Width) -> Access {
        self.rows.insert(self.config.timing.data_phase.row());
        self.run_events(bus, from.at);
        Access { address: Address::new(address), width, at: Cycles::new(from.at), pc: Address::new(from.pc) }
    }

    /// Notes the lines that the access moved, and adds the cycles that the part's bus adds or saves.
    fn accessed<P: Peripherals>(&mut self, bus: &mut Bus<P>, at: u64, address: u32) {
        if bus.shared.interrupts.changed() {
            self.note_lines(bus, at);
        }
        let extra = bus.peripherals.extra_cycles(Address::new(address), Cycles::new(at));
        if extra != 0 {
            self.now = self.now.wrapping_add_signed(extra.into());
            self.horizon = 0;
        }
    }

    /// LR.W, SC.W and the AMOs; the flag says whether the block must be left.
    pub(super) fn atomic<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
    ) -> Result<bool, Trap> {
        let address = self.get(i.rs1);
        let operand = self.get(i.rs2);
        let reserves = i.op == Op::LrW;
        let from = self.from(here, !reserves);
        if !Width::Word.aligned(address) {
            let cause = if reserves { Trap::LOAD_MISALIGNED } else { Trap::STORE_MISALIGNED };
            return Err(Trap::new(cause, address));
        }
        if i.op == Op::ScW {
            let reserved = self.reservation.take() == Some(address);
            // One that fails still needs the right to store (§8.2 leaves it open; QEMU looks first as well).
            if !self.check(address, AccessKind::Write) {
                return Err(Trap::new(Trap::STORE_ACCESS, address));
            }
            let leave = if reserved { self.write(bus, from, address, Width::Word, operand)? } else { false };
            self.put(i.rd, u32::from(!reserved));
            return Ok(leave);
        }
        if !reserves && !self.check(address, AccessKind::Write) {
            return Err(Trap::new(Trap::STORE_ACCESS, address));
        }
        let (old, mut leave) = self.read(bus, from, address, Width::Word)?;
        if reserves {
            self.reservation = Some(address);
        } else {
            leave |= self.write(bus, from, address, Width::Word, alu::atomic(i.op, old, operand))?;
        }
        self.put(i.rd, old);
        Ok(leave)
    }
}
