//! Loads and stores: RAM on the fast path; registers, protection, unaligned addresses and RAM of the instruction bus with their
//! exact cycle on the slow one.

use cyclescope_engine::Execute as _;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, AccessKind, Bus, Peripherals, RegionKind, Width};

use super::Here;
use crate::cpu::Cpu;
use crate::decode::Instruction;
use crate::fault::{Cause, Fault};

/// A value read, and whether the block must be left.
type Loaded = Result<(u32, bool), Fault>;

/// Says whether the block must be left.
type Left = Result<bool, Fault>;

impl Cpu {
    #[inline(always)]
    pub(super) fn load_fast<P>(&self, bus: &Bus<P>, address: u32, width: Width) -> Option<u32> {
        if self.guarded || !width.aligned(address) {
            return None;
        }
        bus.memory.ram.read(address, width)
    }

    #[inline(always)]
    pub(super) fn store_fast<P>(&self, bus: &mut Bus<P>, address: u32, width: Width, value: u32) -> bool {
        !self.guarded && width.aligned(address) && bus.memory.ram.write(address, width, value)
    }

    /// The access to `address` of the load or store at `here`. It may wait before, for its address: what it does then does counts
    /// from its end.
    fn access<P>(&self, here: Here<'_, P>, address: u32, width: Width) -> Access {
        let (place, timing) = (here.place(), self.config.timing);
        let at = self.starts_at(here) + u64::from(place.cycles.saturating_sub(1) + timing.cycles(timing.data_phase));
        Access { address: Address::new(address), width, at: Cycles::new(at), pc: Address::new(place.pc) }
    }

    /// A load that RAM did not answer.
    pub(super) fn load_slow<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
        width: Width,
    ) -> Loaded {
        let load = self.access(here, address, width);
        if width.aligned(address) {
            return self.read(bus, load);
        }
        self.refuse_unaligned(address)?;
        let (mut value, mut leave) = (0, false);
        for (index, (word, at)) in self.words(load).into_iter().flatten().enumerate() {
            let (part, leaves) =
                self.read(bus, Access { address: Address::new(word), width: Width::Word, at, ..load })?;
            value |= u64::from(part) << (32 * index);
            leave |= leaves;
        }
        Ok(((value >> (8 * (address & 3))) as u32 & width.mask(), leave))
    }

    /// A store that RAM did not take.
    pub(super) fn store_slow<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
        width: Width,
        value: u32,
    ) -> Left {
        let store = self.access(here, address, width);
        if width.aligned(address) {
            return self.write(bus, store, value);
        }
        self.refuse_unaligned(address)?;
        let mut leave = false;
        for (word, at) in self.words(store).into_iter().flatten() {
            for index in 0..width.bytes() {
                let byte = address.wrapping_add(index);
                if byte & !3 == word {
                    let store = Access { address: Address::new(byte), width: Width::Byte, at, ..store };
                    leave |= self.write(bus, store, value >> (8 * index) & 0xFF)?;
                }
            }
        }
        Ok(leave)
    }

    /// Says what an unaligned address means to a core without hardware for it.
    fn refuse_unaligned(&self, address: u32) -> Result<(), Fault> {
        let hardware = self.config.configuration.options.unaligned;
        if hardware { Ok(()) } else { Err(Fault::at(Cause::Alignment, address)) }
    }

    /// The words of an unaligned access, each with its cycle: two, or one if it holds all of it. The second takes its time.
    fn words(&mut self, access: Access) -> [Option<(u32, Cycles)>; 2] {
        let address = access.address.get();
        let (low, high) = (address & !3, address.wrapping_add(access.width.bytes() - 1) & !3);
        if low == high {
            return [Some((low, access.at)), None];
        }
        let cycles = self.charge(self.config.timing.unaligned);
        self.now += cycles;
        [Some((low, access.at)), Some((high, access.at + Cycles::new(cycles)))]
    }

    /// Looks at what the regions, the instruction bus and data breakpoints say of an aligned access.
    fn check(&mut self, access: Access, kind: AccessKind) -> Result<(), Fault> {
        let address = access.address.get();
        if self.guarded {
            if !self.regions.allow(address, kind) {
                let cause = if kind == AccessKind::Write { Cause::StoreProhibited } else { Cause::LoadProhibited };
                return Err(Fault::at(cause, address));
            }
            if self.is_data_breakpoint(address, access.width, kind) {
                return Err(Fault::Debug { cause: Fault::DBREAK });
            }
        }
        let narrow = access.width != Width::Word;
        if narrow && self.config.word_only.iter().any(|words| words.contains(&address)) {
            return Err(Fault::at(Cause::LoadStoreError, address));
        }
        Ok(())
    }

    /// An aligned read.
    fn read<P: Peripherals>(&mut self, bus: &mut Bus<P>, load: Access) -> Loaded {
        let address = load.address.get();
        self.check(load, AccessKind::Read)?;
        if let Some(value) = bus.memory.read(address, load.width) {
            self.note_if_beyond_ram(bus, load);
            return Ok((value, false));
        }
        self.beyond_ram.note(load.pc.get());
        self.reach(bus, load);
        let value = bus.read(load);
        self.accessed(bus, load, false);
        Ok((value.map_err(|_| Fault::at(Cause::LoadStoreAddress, address))?, self.is_unsettled(bus)))
    }

    /// An aligned write.
    fn write<P: Peripherals>(&mut self, bus: &mut Bus<P>, store: Access, value: u32) -> Left {
        let address = store.address.get();
        self.check(store, AccessKind::Write)?;
        if bus.memory.write(address, store.width, value) {
            self.note_if_beyond_ram(bus, store);
            let told = bus.tell_store(store, value);
            if told {
                self.horizon = 0;
            }
            return Ok(told | bus.memory.code_changed());
        }
        self.beyond_ram.note(store.pc.get());
        self.reach(bus, store);
        let written = bus.write(store, value & store.width.mask());
        self.accessed(bus, store, true);
        written.map_err(|_| Fault::at(Cause::LoadStoreAddress, address))?;
        Ok(self.is_unsettled(bus))
    }

    /// Notes the instruction of an access to memory that is not main RAM.
    fn note_if_beyond_ram<P>(&mut self, bus: &Bus<P>, access: Access) {
        if !matches!(bus.memory.region(access.address.get()), Some(RegionKind::Ram(_))) {
            self.beyond_ram.note(access.pc.get());
        }
    }

    /// Does what is due before an access to a register.
    fn reach<P: Peripherals>(&mut self, bus: &mut Bus<P>, access: Access) {
        self.rows.insert(self.config.timing.data_phase);
        self.run_events(bus, access.at.get());
    }

    /// Notes the lines that the access, a `write` or a read, moved, and adds the cycles that the part's bus adds or saves.
    fn accessed<P: Peripherals>(&mut self, bus: &mut Bus<P>, access: Access, write: bool) {
        if bus.shared.interrupts.changed() {
            self.note_lines(bus, access.at.get());
        }
        let extra = bus.peripherals.extra_cycles(access.address, write, access.at);
        if extra != 0 {
            self.now = self.now.wrapping_add_signed(extra.into());
            self.horizon = 0;
        }
    }

    /// S32C1I: stores `t` where SCOMPARE1 stands, and loads what stood there. ATOMCTL may forbid it by the kind of memory; all
    /// memory here is past the caches, and both other settings make the access at once.
    pub(super) fn conditional_store<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
    ) -> Left {
        let address = self.get(i.s).wrapping_add(i.imm);
        let access = self.access(here, address, Width::Word);
        if !Width::Word.aligned(address) {
            return Err(Fault::at(Cause::Alignment, address));
        }
        if self.config.configuration.options.atomic_control && self.atomic_control & 3 == 0 {
            return Err(Fault::at(Cause::LoadStoreError, address));
        }
        self.check(access, AccessKind::Write)?;
        let (old, mut leave) = self.read(bus, access)?;
        if old == self.compare {
            leave |= self.write(bus, access, self.get(i.t))?;
        }
        self.set(i.t, old);
        Ok(leave)
    }

    /// Tells whether a data breakpoint stands for the access.
    fn is_data_breakpoint(&self, address: u32, width: Width, kind: AccessKind) -> bool {
        let debug = &self.debug;
        let count = usize::from(self.config.configuration.breakpoints);
        debug.dbreakc.iter().zip(debug.dbreaka).take(count).any(|(control, base)| {
            let wanted = if kind == AccessKind::Write { 1 << 31 } else { 1 << 30 };
            let mask = control & 63 | !63;
            (0..width.bytes()).any(|byte| address.wrapping_add(byte) & mask == base & mask) && control & wanted != 0
        }) && self.level() < self.config.configuration.debug_level
    }

    /// The word that L32R at `pc` loads, whose address relative to the instruction is `near`: LITBASE may put it elsewhere
    /// (§4.3.3).
    pub(crate) fn literal(&self, pc: u32, near: u32) -> u32 {
        if self.literal_base & 1 == 0 {
            return near;
        }
        let offset = near.wrapping_sub(pc.wrapping_add(3) & !3);
        (self.literal_base & 0xFFFF_F000).wrapping_add(offset)
    }

    /// Regions, data breakpoints or LITBASE have changed.
    pub(super) fn look_at_guards(&mut self) {
        let stops = self.debug.dbreakc.iter().any(|control| control >> 30 != 0);
        self.guarded = stops || !self.regions.allow_all_data() || self.literal_base & 1 != 0;
        self.horizon = 0;
    }
}
