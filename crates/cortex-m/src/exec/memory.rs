//! Loads and stores: RAM on the fast path; flash tables, registers, protection and faults with their exact cycle on the
//! slow one.

use cyclescope_engine::Execute as _;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, Bus, BusFault, Peripherals, RegionKind, Width};

use super::Here;
use crate::address_map::{is_private, is_sram};
use crate::code::PlaceDetail;
use crate::cpu::{Cpu, Fault, FaultKind};
use crate::decode::{Index, Indexed, Instruction, Reg};
use crate::mpu::Intent;

/// A value read, and whether a register was touched for it, so that the block must be left.
pub(super) type Loaded = Result<(u32, bool), Fault>;

/// Says whether a register was touched, so that the block must be left.
pub(super) type Touched = Result<bool, Fault>;

/// An access to `address` by the instruction at `pc`, whose first cycle is `at`.
pub(crate) const fn access(pc: u32, at: u64, address: u32, width: Width) -> Access {
    Access { address: Address::new(address), width, at: Cycles::new(at), pc: Address::new(pc) }
}

/// The same access `cycles` later.
pub(crate) fn later(access: Access, cycles: u64) -> Access {
    Access { at: Cycles::new(access.at.get().wrapping_add(cycles)), ..access }
}

/// The access to a word that is `number` words and cycles behind `first`.
pub(crate) fn nth(first: Access, number: u32) -> Access {
    let address = Address::new(first.address.get().wrapping_add(4 * number));
    Access { address, ..later(first, number.into()) }
}

/// Words, and exclusive accesses, move only to and from aligned addresses (MemA[]).
pub(super) fn check_aligned(access: Access) -> Result<(), Fault> {
    if access.width.aligned(access.address.get()) { Ok(()) } else { Err(unaligned(access.address.get())) }
}

const fn unaligned(address: u32) -> Fault {
    Fault { kind: FaultKind::Unaligned, cause: "unaligned access", address: Some(address) }
}

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

/// The cycles by which an access to `address` by the instruction with `detail` is later than its first cycle says. Registers and flash
/// see it without them.
pub(crate) fn address_wait(detail: &PlaceDetail, address: u32) -> u64 {
    if is_sram(address) { detail.address_wait.into() } else { 0 }
}

/// Claims the RAM at the byte offset `offset` in the cycle `phase`, if the core goes before other masters; returns whether it does.
pub(super) fn claim<P: Peripherals>(bus: &mut Bus<P>, offset: u32, phase: u64) -> bool {
    let core = bus.shared.turns.core();
    let outranked = bus.peripherals.outranks(core);
    let goes_first = outranked.contains(&true);
    if goes_first {
        let slave = bus.peripherals.ram_slave(offset);
        bus.memory.claim_ram(core, slave, phase, outranked);
    }
    goes_first
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

    /// The load at `here` from `address`. One that overlaps with the load before it has its address phase in that one's last cycle.
    pub(super) fn load_at<P>(&self, here: Here<'_, P>, address: u32, width: Width) -> Access {
        let overlapped = here.place().cycles <= self.config.timing.cycles(self.config.timing.data_phase);
        let load = self.store_at(here, address, width);
        Access { at: Cycles::new(load.at.get().saturating_sub(u64::from(overlapped))), ..load }
    }

    /// The load `i` at `here` of a constant in flash that waits.
    #[inline(always)]
    pub(super) fn load_constant<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
    ) -> Touched {
        let load = self.load_at(here, i.imm, Width::Word);
        if bus.shared.turns.are_taken() {
            return self.load_constant_in_turn(bus, load, i);
        }
        let value = bus.memory.flash.word(i.imm);
        self.set(i.rd, value);
        self.stall_data(bus, load.at.get(), i.imm);
        Ok(false)
    }

    #[cold]
    fn load_constant_in_turn<P: Peripherals>(&mut self, bus: &mut Bus<P>, load: Access, i: &Instruction) -> Touched {
        let address = Address::new(bus.memory.flash.base().get().wrapping_add(i.imm));
        let (value, touched) = self.read_allowed(bus, Access { address, ..load })?;
        self.set(i.rd, value);
        Ok(touched)
    }

    /// The store at `here` to `address`, or the first of several loads.
    pub(super) fn store_at<P>(&self, here: Here<'_, P>, address: u32, width: Width) -> Access {
        let place = here.place();
        access(place.pc, self.starts_at(here) + address_wait(&place.detail, address), address, width)
    }

    #[inline(always)]
    pub(super) fn load<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
        width: Width,
    ) -> Loaded {
        match self.load_fast::<P, GUARDED>(bus, address, width) {
            Some(value) => Ok((value, false)),
            None => self.read(bus, self.load_at(here, address, width)),
        }
    }

    /// Acts with the rights of unprivileged code, as LDRT, STRT and their like do, if `unprivileged`.
    pub(super) fn with_rights<T>(&mut self, unprivileged: bool, act: impl FnOnce(&mut Self) -> T) -> T {
        self.acts_unprivileged = unprivileged;
        let result = act(self);
        self.acts_unprivileged = false;
        result
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

    /// The value that was loaded to compute a branch's target. The block ends, so the horizon says if a register was touched.
    #[inline(always)]
    pub(super) fn loaded(&mut self, (value, touched): (u32, bool)) -> u32 {
        if touched {
            self.horizon = 0;
        }
        value
    }

    /// LDREX: the local monitor watches from now on (DDI 0403E §A3.4.1).
    pub(super) fn ldrex<P: Peripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>, width: Width) -> Touched {
        let i = here.instruction();
        let load = self.load_at(here, self.get(i.rn).wrapping_add(i.imm), width);
        check_aligned(load)?;
        let (value, touched) = self.read(bus, load)?;
        self.exclusive = true;
        self.set(i.rd, value);
        Ok(touched)
    }

    /// STREX: stores only while the monitor watches, and says 0 if it did.
    pub(super) fn strex<P: Peripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>, width: Width) -> Touched {
        let i = here.instruction();
        let store = self.store_at(here, self.get(i.rn).wrapping_add(i.imm), width);
        check_aligned(store)?;
        // Whether it may store is asked first, whatever the monitor says (ExclusiveMonitorsPass()).
        self.check_protection(store.address.get(), Intent::Write)?;
        let watched = std::mem::take(&mut self.exclusive);
        let touched = if watched { self.write(bus, store, self.get(i.rm))? } else { false };
        self.set(i.rd, u32::from(!watched));
        Ok(touched)
    }

    /// A data read by the instruction at `load.pc` whose first cycle is `load.at`.
    #[inline(never)]
    pub(crate) fn read<P: Peripherals>(&mut self, bus: &mut Bus<P>, load: Access) -> Loaded {
        if !load.width.aligned(load.address.get()) {
            return self.read_unaligned(bus, load);
        }
        self.check_protection(load.address.get(), Intent::Read)?;
        self.read_allowed(bus, load)
    }

    /// An aligned data read that the MPU need not look at (any more).
    pub(crate) fn read_allowed<P: Peripherals>(&mut self, bus: &mut Bus<P>, load: Access) -> Loaded {
        if bus.shared.turns.are_taken() {
            return self.in_turn(bus, load, false, |cpu, bus, load| cpu.read_now(bus, load));
        }
        self.read_now(bus, load)
    }

    fn read_now<P: Peripherals>(&mut self, bus: &mut Bus<P>, load: Access) -> Loaded {
        let (address, width) = (load.address.get(), load.width);
        self.meet_dma(bus, load);
        if let Some(value) = bus.memory.read(address, width) {
            let region = bus.memory.region(address);
            if !matches!(region, Some(RegionKind::Ram(_))) {
                self.beyond_ram.note(load.pc.get());
            }
            if let Some(RegionKind::Flash(offset)) = region
                && bus.memory.flash.interface().timing().wait_states > 0
            {
                if bus.memory.is_uncached(address) {
                    let stall = bus.memory.flash.interface_mut().read_uncached(load.at.get());
                    self.pass(stall.into());
                } else {
                    self.stall_data(bus, load.at.get(), offset);
                }
            }
            return Ok((value, false));
        }
        if let Some((target, bit)) = self.bit_band(address, width) {
            self.beyond_ram.note(load.pc.get());
            // The MPU stands before the bus matrix, which knows of aliases.
            let (value, touched) = self.read_allowed(bus, Access { address: Address::new(target), ..load })?;
            return Ok((value >> bit & 1, touched));
        }
        self.beyond_ram.note(load.pc.get());
        let load = self.reach(bus, load, false);
        let read = if is_private(address) { self.read_private(bus, load) } else { bus.read(load).map_err(bus_fault) };
        let value = match read {
            Ok(value) => value,
            Err(fault) => {
                self.ignore_bus_fault(fault)?;
                0
            }
        };
        if !self.stays_quiet(bus, address) {
            self.horizon = 0;
            self.latch_interrupts(bus, load.at.get());
        }
        Ok((value & width.mask(), true))
    }

    /// A data write by the instruction at `store.pc` whose first cycle is `store.at`.
    #[inline(never)]
    pub(crate) fn write<P: Peripherals>(&mut self, bus: &mut Bus<P>, store: Access, value: u32) -> Touched {
        if !store.width.aligned(store.address.get()) {
            return self.write_unaligned(bus, store, value);
        }
        self.check_protection(store.address.get(), Intent::Write)?;
        self.write_allowed(bus, store, value)
    }

    fn write_allowed<P: Peripherals>(&mut self, bus: &mut Bus<P>, store: Access, value: u32) -> Touched {
        if bus.shared.turns.are_taken() {
            let write = |cpu: &mut Self, bus: &mut Bus<P>, store| Ok((0, cpu.write_now(bus, store, value)?));
            return self.in_turn(bus, store, true, write).map(|(_, touched)| touched);
        }
        self.write_now(bus, store, value)
    }

    fn write_now<P: Peripherals>(&mut self, bus: &mut Bus<P>, store: Access, value: u32) -> Touched {
        let (address, width) = (store.address.get(), store.width);
        self.meet_dma(bus, store);
        if bus.memory.write(address, width, value) {
            if !matches!(bus.memory.region(address), Some(RegionKind::Ram(_))) {
                self.beyond_ram.note(store.pc.get());
            }
            let told = bus.tell_store(store, value);
            if told {
                self.horizon = 0;
            }
            return Ok(told);
        }
        if let Some((target, bit)) = self.bit_band(address, width) {
            self.beyond_ram.note(store.pc.get());
            let before = self.now;
            let target = Access { address: Address::new(target), ..store };
            let (old, touched) = self.read_allowed(bus, target)?;
            let new = old & !(1 << bit) | (value & 1) << bit;
            // What the read waited has put the write off too.
            let target = later(target, self.now.wrapping_sub(before).wrapping_add(1));
            return Ok(self.write_allowed(bus, target, new)? | touched);
        }
        self.beyond_ram.note(store.pc.get());
        let store = self.reach(bus, store, true);
        if is_private(address) {
            self.write_private(bus, store, value & width.mask())?;
        } else if let Err(fault) = bus.write(store, value & width.mask()) {
            return self.store_failed(bus_fault(fault), store.pc.get());
        }
        self.horizon = 0;
        self.latch_interrupts(bus, store.at.get());
        self.pass(std::mem::take(&mut bus.shared.halt));
        Ok(true)
    }

    /// Tells whether a register was read without further effects, so that the horizon still holds.
    #[inline]
    fn stays_quiet<P>(&self, bus: &Bus<P>, address: u32) -> bool {
        !is_private(address) && bus.shared.is_quiet() && self.next_event(bus) >= self.horizon
    }

    /// Words of a frame, from `first` on: exception entry waits for its stores, so that none of them fails behind the write buffer.
    pub(crate) fn write_stacked<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        first: Access,
        words: impl IntoIterator<Item = u32>,
    ) -> Result<(), Fault> {
        for (number, word) in (0..).zip(words) {
            let earlier = self.imprecise.take();
            let written = self.write(bus, nth(first, number), word);
            match std::mem::replace(&mut self.imprecise, earlier) {
                Some((fault, _)) => return Err(Fault { kind: FaultKind::PreciseBus, ..fault }),
                None => written?,
            };
        }
        Ok(())
    }

    /// A store that failed behind the write buffer is heard of when the core is past it; without the buffer it faults.
    fn store_failed(&mut self, fault: Fault, pc: u32) -> Touched {
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
        Err(unaligned(address))
    }

    #[cold]
    fn read_unaligned<P: Peripherals>(&mut self, bus: &mut Bus<P>, load: Access) -> Loaded {
        let (mut value, mut touched) = (0, false);
        self.in_pieces(load, |cpu, offset, piece| {
            let (part, part_touched) = cpu.read(bus, piece)?;
            value |= part << (8 * offset);
            touched |= part_touched;
            Ok(())
        })?;
        Ok((value, touched))
    }

    #[cold]
    fn write_unaligned<P: Peripherals>(&mut self, bus: &mut Bus<P>, store: Access, value: u32) -> Touched {
        let mut touched = false;
        self.in_pieces(store, |cpu, offset, piece| {
            touched |= cpu.write(bus, piece, value >> (8 * offset) & piece.width.mask())?;
            Ok(())
        })?;
        Ok(touched)
    }

    /// Makes the unaligned access `whole` in pieces, each a cycle after the one before; `act` gets each with its offset.
    fn in_pieces(
        &mut self,
        whole: Access,
        mut act: impl FnMut(&mut Self, u32, Access) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.may_be_unaligned(whole.address.get())?;
        let begun = self.now;
        for (offset, width) in pieces(whole.address.get(), whole.width) {
            if offset > 0 {
                let cycles = self.charge(self.config.timing.unaligned);
                self.pass(cycles);
            }
            let address = Address::new(whole.address.get().wrapping_add(offset));
            act(self, offset, Access { address, width, ..later(whole, self.now.wrapping_sub(begun)) })?;
        }
        Ok(())
    }

    /// Returns the target of an address in a bit-band alias: the address of its word, halfword or byte, and the bit in
    /// it (DDI 0337, DDI 0439 §3.7). `None` outside the aliases.
    pub(crate) fn bit_band(&self, address: u32, width: Width) -> Option<(u32, u32)> {
        if !self.config.bit_band || !matches!(address >> 25, 0x11 | 0x21) {
            return None;
        }
        let (offset, region) = (address & 0x01FF_FFFF, address & 0xFC00_0000);
        let lanes = width.bytes() - 1;
        let byte = offset >> 5;
        Some((region | byte & !lanes, (byte & lanes) * 8 + (offset >> 2 & 7)))
    }

    /// The cycle of the data phase of an access without wait states.
    pub(super) fn data_phase(&self, access: Access) -> u64 {
        let timing = self.config.timing;
        access.at.get().wrapping_add(u64::from(timing.cycles(timing.data_phase)))
    }

    /// Tells whether nothing happens up to the cycle `to`, so that what the core wants meanwhile may be moved at once.
    pub(crate) fn is_quiet<P>(&self, bus: &Bus<P>, to: u64) -> bool {
        self.next_event(bus) > to
    }

    /// While a DMA transfer is under way, does first what of it is due before the data phase of an access to RAM, and waits
    /// where the two want it in the same cycle. A core that goes first says what it wants even if a transfer may begin meanwhile.
    #[inline]
    fn meet_dma<P: Peripherals>(&mut self, bus: &mut Bus<P>, access: Access) {
        let phase = self.data_phase(access);
        let is_closed = bus.memory.ram.is_closed();
        if !is_closed && self.is_quiet(bus, phase) {
            return;
        }
        if let Some(RegionKind::Ram(offset)) = bus.memory.region(access.address.get()) {
            if !claim(bus, offset, phase) && !is_closed {
                return;
            }
            self.happen_before(bus, phase);
            self.pass(bus.memory.ram_wait(offset, phase).into());
        }
    }

    /// Does what is due by the cycle `phase`, in the middle of a block.
    pub(super) fn happen_before<P: Peripherals>(&mut self, bus: &mut Bus<P>, phase: u64) {
        if self.next_event(bus) <= phase {
            self.horizon = 0;
            self.run_events(bus, phase);
        }
    }

    /// An access to a register, a `write` or a read, whose instruction begins at `access.at`, at the cycle of its data phase: charges what the part's bus
    /// takes beyond, or saves below, an access without wait states, and does first what is due before the device sees it.
    fn reach<P: Peripherals>(&mut self, bus: &mut Bus<P>, access: Access, write: bool) -> Access {
        let timing = self.config.timing;
        self.rows.insert(timing.data_phase);
        let phase = access.at.get().wrapping_add(u64::from(timing.cycles(timing.data_phase)));
        let mut extra = 0;
        if !is_private(access.address.get()) {
            extra = bus.peripherals.extra_cycles(access.address, write, Cycles::new(phase));
            // What comes before the access asks for its bus may take it.
            if extra > 0 && self.next_event(bus) <= phase {
                self.happen_before(bus, phase);
                extra = bus.peripherals.extra_cycles(access.address, write, Cycles::new(phase));
            }
        }
        // At the very start of a run a saving may come before the block's own cycles are added.
        self.now = self.now.wrapping_add_signed(i64::from(extra));
        let phase = phase.wrapping_add_signed(i64::from(extra));
        self.happen_before(bus, phase);
        Access { at: Cycles::new(phase), ..access }
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

fn bus_fault(fault: BusFault) -> Fault {
    let (cause, address) = match fault {
        BusFault::Unmapped(address) => ("access to an address where nothing answers", address),
        BusFault::ReadOnly(address) => ("write to memory that cannot be written", address),
        BusFault::Width(address) => ("access of a width that the device does not take", address),
    };
    Fault { kind: FaultKind::PreciseBus, cause, address: Some(address.get()) }
}
