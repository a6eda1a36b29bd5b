//! Loads and stores: RAM on the fast path; flash tables, registers, protection and faults with their exact cycle on the
//! slow one.

use cyclescope_engine::Execute as _;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, Bus, BusFault, Peripherals, RegionKind, Width};

use super::Here;
use super::multiple::check_aligned;
use crate::cpu::{Cpu, Fault, FaultKind};
use crate::decode::{Index, Indexed, Instruction, Reg};
use crate::mpu::Intent;

/// A value read, and whether a register was touched for it, so that the block must be left.
pub(super) type Read = (u32, bool);

/// The `count` words from `address` up where nobody need look at the access: all of it is RAM, aligned, and the MPU is off.
#[inline(always)]
pub(crate) fn words_of_ram<P, const GUARDED: bool>(
    bus: &Bus<P>,
    address: u32,
    count: u32,
) -> Option<impl Iterator<Item = u32> + '_> {
    if GUARDED || !Width::Word.aligned(address) { None } else { bus.memory.ram.words(address, count) }
}

/// The same, to be stored.
#[inline(always)]
pub(crate) fn words_of_ram_mut<P, const GUARDED: bool>(
    bus: &mut Bus<P>,
    address: u32,
    count: u32,
) -> Option<&mut [[u8; 4]]> {
    if GUARDED || !Width::Word.aligned(address) { None } else { bus.memory.ram.words_mut(address, count) }
}

impl Cpu {
    #[inline(always)]
    pub(super) fn load_fast<P, const GUARDED: bool>(&self, bus: &Bus<P>, address: u32, width: Width) -> Option<u32> {
        if !GUARDED && width.aligned(address) { bus.memory.ram.read(address, width) } else { None }
    }

    #[inline(always)]
    pub(super) fn store_fast<P, const GUARDED: bool>(
        &self,
        bus: &mut Bus<P>,
        address: u32,
        width: Width,
        value: u32,
    ) -> bool {
        !GUARDED && width.aligned(address) && bus.memory.ram.write(address, width, value)
    }

    /// A load that RAM did not answer.
    #[inline(never)]
    pub(super) fn load_slow<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
        width: Width,
    ) -> Result<Read, Fault> {
        self.read_at(bus, here.place().pc, self.loads_at(here), address, width)
    }

    /// The cycle of a load's address phase: one that overlaps with the one before has it in that one's last cycle.
    pub(super) fn loads_at<P: Peripherals>(&self, here: Here<'_, P>) -> u64 {
        let overlapped = here.place().cycles <= self.config.timing.cycles(self.config.timing.data_phase);
        self.starts_at(here).saturating_sub(u64::from(overlapped))
    }

    /// A store that RAM did not take.
    #[inline(never)]
    pub(super) fn store_slow<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
        width: Width,
        value: u32,
    ) -> Result<bool, Fault> {
        let at = self.starts_at(here);
        self.write_at(bus, here.place().pc, at, address, width, value)
    }

    #[inline(always)]
    pub(super) fn load<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
        width: Width,
    ) -> Result<Read, Fault> {
        match self.load_fast::<P, GUARDED>(bus, address, width) {
            Some(value) => Ok((value, false)),
            None => self.load_slow(bus, here, address, width),
        }
    }

    /// A load with the rights of unprivileged code (LDRT and its like).
    #[inline(never)]
    pub(super) fn load_unprivileged<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
        width: Width,
    ) -> Result<Read, Fault> {
        self.acts_unprivileged = true;
        let read = self.load_slow(bus, here, address, width);
        self.acts_unprivileged = false;
        read
    }

    /// A store with the rights of unprivileged code (STRT and its like).
    #[inline(never)]
    pub(super) fn store_unprivileged<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
        width: Width,
        value: u32,
    ) -> Result<bool, Fault> {
        self.acts_unprivileged = true;
        let written = self.store_slow(bus, here, address, width, value);
        self.acts_unprivileged = false;
        written
    }

    /// The address of a load or store that moves its base, and what the base becomes.
    #[inline(always)]
    pub(crate) fn indexed(&self, i: &Instruction) -> (u32, u32) {
        let base = self.get(i.rn);
        let Indexed { offset, index } = Indexed::unpack(i.imm);
        let moved = base.wrapping_add_signed(offset);
        match index {
            Index::Pre | Index::Unprivileged => (moved, moved),
            Index::Post => (base, moved),
            Index::Offset => (moved, base),
        }
    }

    /// A load into PC.
    #[inline]
    pub(super) fn load_target<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
    ) -> Result<u32, Fault> {
        let (target, touched) = self.load::<P, GUARDED>(bus, here, address, Width::Word)?;
        if touched {
            self.horizon = 0;
        }
        Ok(target)
    }

    /// LDREX: the local monitor watches from now on (DDI 0403E §A3.4.1).
    pub(super) fn ldrex<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
        width: Width,
    ) -> Result<bool, Fault> {
        let address = self.get(i.rn).wrapping_add(i.imm);
        check_aligned(address, width)?;
        let (value, touched) = self.load_slow(bus, here, address, width)?;
        self.exclusive = true;
        self.set(i.rd, value);
        Ok(touched)
    }

    /// STREX: stores only while the monitor watches, and says 0 if it did.
    pub(super) fn strex<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
        width: Width,
    ) -> Result<bool, Fault> {
        let address = self.get(i.rn).wrapping_add(i.imm);
        check_aligned(address, width)?;
        // Whether it may store is asked first, whatever the monitor says (ExclusiveMonitorsPass()).
        self.check_protection(address, Intent::Write)?;
        let mut touched = false;
        let watched = std::mem::take(&mut self.exclusive);
        if watched {
            touched = self.store_slow(bus, here, address, width, self.get(i.rm))?;
        }
        self.set(i.rd, u32::from(!watched));
        Ok(touched)
    }

    /// A data read by the instruction at `pc` whose first cycle is `at`.
    pub(crate) fn read_at<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        pc: u32,
        at: u64,
        address: u32,
        width: Width,
    ) -> Result<Read, Fault> {
        if !width.aligned(address) {
            return self.read_unaligned(bus, pc, at, address, width);
        }
        self.check_protection(address, Intent::Read)?;
        self.read_allowed(bus, pc, at, address, width)
    }

    /// An aligned data read that the MPU need not look at (any more).
    pub(crate) fn read_allowed<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        pc: u32,
        at: u64,
        address: u32,
        width: Width,
    ) -> Result<Read, Fault> {
        self.meet_dma(bus, at, address);
        if let Some(value) = bus.memory.read(address, width) {
            if let Some(RegionKind::Flash(offset)) = bus.memory.region(address)
                && bus.memory.flash.interface().timing().wait_states > 0
            {
                self.stall_data(bus, at, offset);
            }
            return Ok((value, false));
        }
        if let Some((target, bit)) = self.bit_band(address, width) {
            // The MPU stands before the bus matrix, which knows of aliases.
            let (value, touched) = self.read_allowed(bus, pc, at, target, width)?;
            return Ok((value >> bit & 1, touched));
        }
        let access = self.access(bus, pc, at, address, width);
        let read =
            if is_private(address) { self.read_private(bus, access) } else { bus.read(access).map_err(bus_fault) };
        let value = match read {
            Ok(value) => value,
            Err(fault) => {
                self.ignore_bus_fault(fault)?;
                0
            }
        };
        if !self.stays_quiet(bus, address) {
            self.horizon = 0;
            self.latch_interrupts(bus, access.at.get());
        }
        Ok((value & width.mask(), true))
    }

    /// A data write by the instruction at `pc` whose first cycle is `at`; `true` if a register was touched.
    pub(crate) fn write_at<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        pc: u32,
        at: u64,
        address: u32,
        width: Width,
        value: u32,
    ) -> Result<bool, Fault> {
        if !width.aligned(address) {
            return self.write_unaligned(bus, pc, at, address, width, value);
        }
        self.check_protection(address, Intent::Write)?;
        self.write_allowed(bus, pc, at, address, width, value)
    }

    fn write_allowed<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        pc: u32,
        at: u64,
        address: u32,
        width: Width,
        value: u32,
    ) -> Result<bool, Fault> {
        self.meet_dma(bus, at, address);
        if bus.memory.write(address, width, value) {
            return Ok(false);
        }
        if let Some((target, bit)) = self.bit_band(address, width) {
            let before = self.now;
            let (old, touched) = self.read_allowed(bus, pc, at, target, width)?;
            let new = old & !(1 << bit) | (value & 1) << bit;
            // What the read waited has put the write off too.
            let then = at.wrapping_add(1).wrapping_add(self.now.wrapping_sub(before));
            return Ok(self.write_allowed(bus, pc, then, target, width, new)? | touched);
        }
        let access = self.access(bus, pc, at, address, width);
        if is_private(address) {
            self.write_private(bus, access, value & width.mask())?;
        } else if let Err(fault) = bus.write(access, value & width.mask()) {
            return self.store_failed(bus_fault(fault), pc);
        }
        self.horizon = 0;
        self.latch_interrupts(bus, access.at.get());
        Ok(true)
    }

    /// Tells whether a register was read without further effects, so that the horizon still holds.
    #[inline]
    fn stays_quiet<P>(&self, bus: &Bus<P>, address: u32) -> bool {
        !is_private(address) && bus.shared.is_quiet() && self.next_event(bus) >= self.horizon
    }

    /// A word of a frame: exception entry waits for its stores, so that none of them fails behind the write buffer.
    pub(crate) fn write_stacked<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        pc: u32,
        at: u64,
        address: u32,
        value: u32,
    ) -> Result<(), Fault> {
        let earlier = self.imprecise.take();
        let written = self.write_at(bus, pc, at, address, Width::Word, value);
        match std::mem::replace(&mut self.imprecise, earlier) {
            Some((fault, _)) => Err(Fault { kind: FaultKind::PreciseBus, ..fault }),
            None => written.map(|_| ()),
        }
    }

    /// A store that failed behind the write buffer is heard of when the core is past it; without the buffer it faults.
    fn store_failed(&mut self, fault: Fault, pc: u32) -> Result<bool, Fault> {
        if !self.config.architecture.is_v7() || self.scb.write_buffer_off() {
            return self.ignore_bus_fault(fault).map(|()| true);
        }
        self.imprecise.get_or_insert((Fault { kind: FaultKind::ImpreciseBus, ..fault }, pc));
        self.horizon = 0;
        Ok(true)
    }

    /// Returns a fault unless the access may be unaligned. It is then made in pieces, each a cycle (DDI 0403E §A3.2,
    /// DDI 0439 §3.3.3).
    fn may_be_unaligned(&self, address: u32) -> Result<(), Fault> {
        let normal = !matches!(address >> 29, 2 | 5..=7);
        if self.config.architecture.is_v7() && normal && !self.scb.traps_unaligned() {
            return Ok(());
        }
        Err(Fault { kind: FaultKind::Unaligned, cause: "unaligned access", address: Some(address) })
    }

    #[cold]
    fn read_unaligned<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        pc: u32,
        at: u64,
        address: u32,
        width: Width,
    ) -> Result<Read, Fault> {
        self.may_be_unaligned(address)?;
        let (mut value, mut touched) = (0, false);
        let begun = self.now;
        for (offset, piece) in pieces(address, width) {
            self.now += if offset > 0 { self.charge(self.config.timing.unaligned) } else { 0 };
            let at = at + (self.now - begun);
            let (part, part_touched) = self.read_at(bus, pc, at, address.wrapping_add(offset), piece)?;
            value |= part << (8 * offset);
            touched |= part_touched;
        }
        Ok((value, touched))
    }

    #[cold]
    fn write_unaligned<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        pc: u32,
        at: u64,
        address: u32,
        width: Width,
        value: u32,
    ) -> Result<bool, Fault> {
        self.may_be_unaligned(address)?;
        let mut touched = false;
        let begun = self.now;
        for (offset, piece) in pieces(address, width) {
            self.now += if offset > 0 { self.charge(self.config.timing.unaligned) } else { 0 };
            let at = at + (self.now - begun);
            let part = value >> (8 * offset) & piece.mask();
            touched |= self.write_at(bus, pc, at, address.wrapping_add(offset), piece, part)?;
        }
        Ok(touched)
    }

    /// Returns the target of an address in a bit-band alias: the address of its word, halfword or byte, and the bit in
    /// it (DDI 0337, DDI 0439 §3.7). `None` outside the aliases.
    pub(super) fn bit_band(&self, address: u32, width: Width) -> Option<(u32, u32)> {
        if !self.config.bit_band || !matches!(address >> 25, 0x11 | 0x21) {
            return None;
        }
        let (offset, region) = (address & 0x01FF_FFFF, address & 0xFC00_0000);
        let lanes = width.bytes() - 1;
        let byte = offset >> 5;
        Some((region | byte & !lanes, (byte & lanes) * 8 + (offset >> 2 & 7)))
    }

    /// While a DMA transfer is under way, does first what of it is due before the data phase of an access to RAM, and waits
    /// where the two want it in the same cycle.
    #[inline]
    fn meet_dma<P: Peripherals>(&mut self, bus: &mut Bus<P>, at: u64, address: u32) {
        if !bus.memory.ram.is_closed() {
            return;
        }
        if let Some(RegionKind::Ram(offset)) = bus.memory.region(address) {
            let phase = at.wrapping_add(u64::from(self.config.timing.cycles(self.config.timing.data_phase)));
            if self.next_event(bus) <= phase {
                self.horizon = 0;
                self.run_events(bus, phase);
            }
            self.now += u64::from(bus.memory.ram_wait(offset, phase));
        }
    }

    /// A register access by an instruction whose first cycle is `at`: charges what the part's bus takes beyond, or saves
    /// below, an access without wait states, and does first what is due before the device sees it.
    fn access<P: Peripherals>(&mut self, bus: &mut Bus<P>, pc: u32, at: u64, address: u32, width: Width) -> Access {
        let timing = self.config.timing;
        self.rows.insert(timing.data_phase);
        let phase = at.wrapping_add(u64::from(timing.cycles(timing.data_phase)));
        let mut extra = 0;
        if !is_private(address) {
            extra = bus.peripherals.extra_cycles(Address::new(address), Cycles::new(phase));
            // What comes before the access asks for its bus may take it.
            if extra > 0 && self.next_event(bus) <= phase {
                self.horizon = 0;
                self.run_events(bus, phase);
                extra = bus.peripherals.extra_cycles(Address::new(address), Cycles::new(phase));
            }
        }
        // At the very start of a run a saving may come before the block's own cycles are added.
        self.now = self.now.wrapping_add_signed(i64::from(extra));
        let phase = phase.wrapping_add_signed(i64::from(extra));
        if self.next_event(bus) <= phase {
            self.horizon = 0;
            self.run_events(bus, phase);
        }
        Access { address: Address::new(address), width, at: Cycles::new(phase), pc: Address::new(pc) }
    }

    /// Writes the base of a load or store back; the stack pointer stays aligned.
    #[inline(always)]
    pub(super) fn set_base(&mut self, base: Reg, value: u32) {
        if base == Reg::Sp { self.push_to(value) } else { self.set(base, value) }
    }
}

/// The aligned pieces of an unaligned access, by their offset: a halfword as two bytes, a word as two halfwords or as
/// byte, halfword, byte.
fn pieces(address: u32, width: Width) -> impl Iterator<Item = (u32, Width)> {
    let pieces: &[(u32, Width)] = match (width, address & 1) {
        (Width::Word, 0) => &[(0, Width::Half), (2, Width::Half)],
        (Width::Word, _) => &[(0, Width::Byte), (1, Width::Half), (3, Width::Byte)],
        _ => &[(0, Width::Byte), (1, Width::Byte)],
    };
    pieces.iter().copied()
}

/// Tells whether the core itself answers on the private peripheral bus (DDI 0403E §B3.1). It answers in all of the inner part. In
/// the outer part it answers for the trace units and the ROM table; the other pages there are the vendor's.
pub(crate) const fn is_private(address: u32) -> bool {
    address >> 18 == 0x3800 || matches!(address >> 12, 0xE_0040 | 0xE_0041 | 0xE_00FF)
}

fn bus_fault(fault: BusFault) -> Fault {
    let (cause, address) = match fault {
        BusFault::Unmapped(address) => ("access to an address where nothing answers", address),
        BusFault::ReadOnly(address) => ("write to memory that cannot be written", address),
        BusFault::Width(address) => ("access of a width that the device does not take", address),
    };
    Fault { kind: FaultKind::PreciseBus, cause, address: Some(address.get()) }
}
