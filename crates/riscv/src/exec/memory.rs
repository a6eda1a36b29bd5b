//! Loads, stores and atomics: RAM on the fast path; flash, registers, protection and misaligned addresses with their exact
//! cycle on the slow one.

use cyclescope_engine::Execute as _;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, AccessKind, Bus, Peripherals, RegionKind, Width};

use super::{Here, alu};
use crate::config::Misaligned;
use crate::cpu::Cpu;
use crate::decode::Op;
use crate::timing::DataPhase;
use crate::trap::Trap;

/// A value read, and whether the block must be left.
type Loaded = Result<(u32, bool), Trap>;

/// Says whether the block must be left.
type Left = Result<bool, Trap>;

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

    /// The access to `address` of the load or store at `here`; its cycle is not that of a pipeline yet.
    #[inline]
    pub(super) fn access<P>(&self, here: Here<'_, P>, address: u32, width: Width) -> Access {
        let (place, timing) = (here.place(), self.config.timing);
        let phase = match timing.data_phase {
            DataPhase::Begin(row) => timing.cycles(row),
            DataPhase::End(row) => place.cycles - timing.cycles(row),
        };
        let at = Cycles::new(self.now.wrapping_add(u64::from(place.before + phase)));
        Access { address: Address::new(address), width, at, pc: Address::new(place.pc) }
    }

    /// `access` in its cycle, which a pipeline alone knows.
    fn timed<P: Peripherals>(&mut self, bus: &mut Bus<P>, access: Access) -> Access {
        if self.pipeline.is_none() {
            return access;
        }
        Access { at: Cycles::new(self.asks_at(bus)), ..access }
    }

    /// A load that RAM did not answer.
    pub(super) fn load_slow<P: Peripherals>(&mut self, bus: &mut Bus<P>, load: Access) -> Loaded {
        let address = load.address.get();
        if load.width.aligned(address) {
            return self.read(bus, load, Trap::LOAD_ACCESS);
        }
        if let Some(load) = self.without_low_bits(load, Trap::LOAD_MISALIGNED)? {
            return Ok((self.read(bus, load, Trap::LOAD_ACCESS)?.0, true));
        }
        let ((low, leave), (high, leaves)) = self.in_words(load, |cpu, part, word| {
            cpu.read(bus, to(Access { width: Width::Word, ..part }, word), Trap::LOAD_ACCESS)
        })?;
        let value = u64::from(high) << 32 | u64::from(low);
        Ok(((value >> (8 * (address & 3))) as u32 & load.width.mask(), leave | leaves))
    }

    /// A store that RAM did not take.
    pub(super) fn store_slow<P: Peripherals>(&mut self, bus: &mut Bus<P>, store: Access, value: u32) -> Left {
        if store.width.aligned(store.address.get()) {
            return self.write(bus, store, value);
        }
        if let Some(store) = self.without_low_bits(store, Trap::STORE_MISALIGNED)? {
            return self.write(bus, store, value).map(|_| true);
        }
        let (low, high) = self.in_words(store, |cpu, part, word| cpu.write_bytes(bus, part, word, value))?;
        Ok(low | high)
    }

    /// Returns the aligned access that a core which traps misaligned ones makes instead of `access`, or `None` where the core makes
    /// it word by word. The error is the trap of `cause`.
    fn without_low_bits(&mut self, access: Access, cause: u32) -> Result<Option<Access>, Trap> {
        let address = access.address.get();
        if self.config.misaligned == Misaligned::Hardware {
            return Ok(None);
        }
        let aligned = to(access, address & !(access.width.bytes() - 1));
        if self.pico_bus_error() { Ok(Some(aligned)) } else { Err(Trap::new(cause, address)) }
    }

    /// Makes the parts of a misaligned access by `part`, which gets the access and the address of a word: both words, or one if it
    /// holds all of it. The second part takes its time, and is made even if the first one fails.
    fn in_words<T: Default>(
        &mut self,
        access: Access,
        mut part: impl FnMut(&mut Self, Access, u32) -> Result<T, Trap>,
    ) -> Result<(T, T), Trap> {
        let address = access.address.get();
        let (low, high) = (address & !3, address.wrapping_add(access.width.bytes() - 1) & !3);
        let first = part(self, access, low);
        let mut second = Ok(T::default());
        if high != low {
            let cycles = self.config.timing.misaligned.map_or(0, |row| self.charge(row));
            self.now += cycles;
            second = part(self, Access { at: access.at + Cycles::new(cycles), ..access }, high);
        }
        let first = first.map_err(|trap| Trap::new(trap.cause, address))?;
        Ok((first, second.map_err(|trap| Trap::new(trap.cause, high))?))
    }

    /// Those bytes of a misaligned store that lie in the word at `word`.
    fn write_bytes<P: Peripherals>(&mut self, bus: &mut Bus<P>, store: Access, word: u32, value: u32) -> Left {
        let mut leave = Ok(false);
        for index in 0..store.width.bytes() {
            let byte = store.address.get().wrapping_add(index);
            if byte & !3 == word {
                // One that fails does not keep the others from being stored.
                let store = to(Access { width: Width::Byte, ..store }, byte);
                let written = self.write(bus, store, value >> (8 * index) & 0xFF);
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

    /// An aligned read, which raises `trap` if it fails.
    fn read<P: Peripherals>(&mut self, bus: &mut Bus<P>, load: Access, trap: u32) -> Loaded {
        let address = load.address.get();
        let trap = Trap::new(trap, address);
        if !self.check(address, AccessKind::Read) {
            return Err(trap);
        }
        if let Some(value) = bus.memory.read(address, load.width) {
            if !matches!(bus.memory.region(address), Some(RegionKind::Ram(_))) {
                self.beyond_ram.note(load.pc.get());
            }
            return Ok((value, false));
        }
        self.beyond_ram.note(load.pc.get());
        let load = self.timed(bus, load);
        self.reach(bus, load);
        let value = bus.read(load);
        self.accessed(bus, load, false);
        Ok((value.map_err(|_| trap)?, self.is_unsettled(bus)))
    }

    /// An aligned write.
    fn write<P: Peripherals>(&mut self, bus: &mut Bus<P>, store: Access, value: u32) -> Left {
        let address = store.address.get();
        let trap = Trap::new(Trap::STORE_ACCESS, address);
        if !self.check(address, AccessKind::Write) {
            return Err(trap);
        }
        if bus.memory.write(address, store.width, value) {
            if !matches!(bus.memory.region(address), Some(RegionKind::Ram(_))) {
                self.beyond_ram.note(store.pc.get());
            }
            let watched = bus.memory.is_watched(address, store.width);
            let store = if watched { self.timed(bus, store) } else { store };
            let told = bus.tell_store(store, value);
            if told {
                self.horizon = 0;
            }
            return Ok(told | bus.memory.code_changed());
        }
        self.beyond_ram.note(store.pc.get());
        if self.defer(store, value) {
            return Ok(false);
        }
        let store = self.timed(bus, store);
        self.reach(bus, store);
        let written = bus.write(store, value & store.width.mask());
        self.accessed(bus, store, true);
        written.map_err(|_| trap)?;
        Ok(self.is_unsettled(bus))
    }

    /// Does what is due before an access to a register.
    pub(super) fn reach<P: Peripherals>(&mut self, bus: &mut Bus<P>, access: Access) {
        self.rows.insert(self.config.timing.data_phase.row());
        self.run_events(bus, access.at.get());
    }

    /// Notes the lines that the access, a `write` or a read, moved, and adds the cycles that the part's bus adds or saves.
    pub(super) fn accessed<P: Peripherals>(&mut self, bus: &mut Bus<P>, access: Access, write: bool) {
        if bus.shared.interrupts.changed() {
            self.note_lines(bus, access.at.get());
        }
        let extra = bus.peripherals.extra_cycles(access.address, write, access.at);
        if extra != 0 {
            self.now = self.now.wrapping_add_signed(extra.into());
            self.horizon = 0;
        }
    }

    /// Tells whether SC.W at `address` would store.
    pub(crate) fn reserves(&self, address: u32) -> bool {
        let anywhere = self.config.privileged().is_some_and(|core| core.reserves_anywhere);
        self.reservation.is_some_and(|reserved| anywhere || reserved == address)
    }

    /// LR.W, SC.W and the AMOs. The faults of all but LR.W are those of stores.
    pub(super) fn atomic<P: Peripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>) -> Left {
        let i = here.instruction();
        let (address, operand) = (self.get(i.rs1), self.get(i.rs2));
        let reserves = i.op == Op::LrW;
        let (misaligned, denied) = if reserves {
            (Trap::LOAD_MISALIGNED, Trap::LOAD_ACCESS)
        } else {
            (Trap::STORE_MISALIGNED, Trap::STORE_ACCESS)
        };
        let access = self.access(here, address, Width::Word);
        if !Width::Word.aligned(address) {
            return Err(Trap::new(misaligned, address));
        }
        let reserved = i.op == Op::ScW && self.reserves(address);
        if i.op == Op::ScW {
            self.reservation = None;
        }
        // An SC.W that fails still needs the right to store (§8.2 leaves it open; QEMU looks first as well).
        if !reserves && !self.check(address, AccessKind::Write) {
            return Err(Trap::new(denied, address));
        }
        if i.op == Op::ScW {
            let leave = reserved && self.write(bus, access, operand)?;
            self.put(i.rd, u32::from(!reserved));
            return Ok(leave);
        }
        let (old, mut leave) = self.read(bus, access, denied)?;
        if reserves {
            self.reservation = Some(address);
        } else {
            leave |= self.write(bus, access, alu::atomic(i.op, old, operand))?;
        }
        self.put(i.rd, old);
        Ok(leave)
    }
}

/// The same access, to `address`.
fn to(access: Access, address: u32) -> Access {
    Access { address: Address::new(address), ..access }
}
