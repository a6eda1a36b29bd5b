//! Loads and stores: RAM on the fast path; flash tables, registers and faults with their exact cycle on the slow one.

use cyclescope_machine::{Access, Bus, BusFault, Peripherals, RegionKind, Width};
use cyclescope_units::{Address, Cycles};

use super::in_list;
use crate::code::Block;
use crate::cpu::{Cpu, Fault};
use crate::decode::{Instruction, Reg};

/// A value read, and whether a register was touched for it, so that the block must be left.
type Read = (u32, bool);

impl Cpu {
    #[inline(always)]
    pub(super) fn load_fast<P>(&self, bus: &Bus<P>, address: u32, width: Width) -> Option<u32> {
        if width.aligned(address) { bus.memory.ram.read(address, width) } else { None }
    }

    #[inline(always)]
    pub(super) fn store_fast<P>(&self, bus: &mut Bus<P>, address: u32, width: Width, value: u32) -> bool {
        width.aligned(address) && bus.memory.ram.write(address, width, value)
    }

    /// A load that RAM did not answer.
    #[inline(never)]
    pub(super) fn load_slow<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        address: u32,
        width: Width,
    ) -> Result<Read, Fault> {
        let at = self.starts_at(block, index);
        self.read_at(bus, block.places[index].pc, at, address, width)
    }

    /// A store that RAM did not take.
    #[inline(never)]
    pub(super) fn store_slow<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        address: u32,
        width: Width,
        value: u32,
    ) -> Result<bool, Fault> {
        let at = self.starts_at(block, index);
        self.write_at(bus, block.places[index].pc, at, address, width, value)
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
            return Err(Fault { cause: "unaligned access", address: Some(address) });
        }
        if let Some(value) = bus.memory.read(address, width) {
            if let Some(RegionKind::Flash(_)) = bus.memory.region(address)
                && bus.memory.flash.interface().timing().wait_states > 0
            {
                self.stall_data(bus, at);
            }
            return Ok((value, false));
        }
        let access = self.access(bus, pc, at, address, width);
        let value =
            if is_private(address) { self.read_private(bus, access)? } else { bus.read(access).map_err(bus_fault)? };
        self.latch_interrupts(bus, access.at.get());
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
            return Err(Fault { cause: "unaligned access", address: Some(address) });
        }
        if bus.memory.write(address, width, value) {
            return Ok(false);
        }
        let access = self.access(bus, pc, at, address, width);
        if is_private(address) {
            self.write_private(bus, access, value & width.mask())?;
        } else {
            bus.write(access, value & width.mask()).map_err(bus_fault)?;
        }
        self.latch_interrupts(bus, access.at.get());
        Ok(true)
    }

    /// A register access by an instruction whose first cycle is `at`: charges what the part's bus takes beyond, or saves
    /// below, an access without wait states, and does first what is due before the device sees it.
    fn access<P: Peripherals>(&mut self, bus: &mut Bus<P>, pc: u32, at: u64, address: u32, width: Width) -> Access {
        let timing = self.config.timing;
        self.rows.insert(timing.data_phase);
        let extra = if is_private(address) { 0 } else { bus.peripherals.extra_cycles(Address::new(address)) };
        // At the very start of a run a saving may come before the block's own cycles are added.
        self.now = self.now.wrapping_add_signed(i64::from(extra));
        let phase = at.wrapping_add(u64::from(timing.cycles(timing.data_phase))).wrapping_add_signed(i64::from(extra));
        if self.next_event(bus) <= phase {
            self.run_events(bus, phase);
        }
        Access { address: Address::new(address), width, at: Cycles::new(phase), pc: Address::new(pc) }
    }

    /// Reads the registers of `list` from `address` up into a scratch register file.
    fn read_list<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        address: u32,
        list: u32,
    ) -> Result<([u32; 16], bool), Fault> {
        let mut values = [0; 16];
        let mut touched = false;
        let mut next = address;
        let mut list = list;
        while list != 0 {
            let register = list.trailing_zeros() as usize & 15;
            list &= list - 1;
            values[register] = match self.load_fast(bus, next, Width::Word) {
                Some(value) => value,
                None => {
                    let place = block.places[index];
                    let at = self.starts_at(block, index).wrapping_add(u64::from(next.wrapping_sub(address) / 4));
                    let (value, register_touched) = self.read_at(bus, place.pc, at, next, Width::Word)?;
                    touched |= register_touched;
                    value
                }
            };
            next = next.wrapping_add(4);
        }
        Ok((values, touched))
    }

    /// Writes the registers of `list` from `address` up.
    fn write_list<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        address: u32,
        list: u32,
    ) -> Result<bool, Fault> {
        let mut touched = false;
        let mut next = address;
        let mut list = list;
        while list != 0 {
            let value = self.r[list.trailing_zeros() as usize & 15];
            list &= list - 1;
            if !self.store_fast(bus, next, Width::Word, value) {
                let place = block.places[index];
                let at = self.starts_at(block, index).wrapping_add(u64::from(next.wrapping_sub(address) / 4));
                touched |= self.write_at(bus, place.pc, at, next, Width::Word, value)?;
            }
            next = next.wrapping_add(4);
        }
        Ok(touched)
    }

    fn take_list(&mut self, values: &[u32; 16], list: u32) {
        let mut list = list;
        while list != 0 {
            let register = list.trailing_zeros() as usize & 15;
            self.r[register] = values[register];
            list &= list - 1;
        }
    }

    /// LDM: the base is written back unless it is in the list.
    #[inline]
    pub(super) fn ldm<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let base = self.get(i.rn);
        let (values, touched) = self.read_list(bus, block, index, base, i.imm)?;
        self.set(i.rn, base.wrapping_add(4 * i.imm.count_ones()));
        self.take_list(&values, i.imm);
        Ok(touched)
    }

    #[inline]
    pub(super) fn stm<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let base = self.get(i.rn);
        let touched = self.write_list(bus, block, index, base, i.imm)?;
        self.set(i.rn, base.wrapping_add(4 * i.imm.count_ones()));
        Ok(touched)
    }

    #[inline]
    pub(super) fn push<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let base = self.get(Reg::Sp).wrapping_sub(4 * i.imm.count_ones());
        let touched = self.write_list(bus, block, index, base, i.imm)?;
        self.push_to(base);
        Ok(touched)
    }

    #[inline]
    pub(super) fn pop<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        debug_assert!(!in_list(i, Reg::Pc), "POP with PC is an operation of its own");
        let base = self.get(Reg::Sp);
        let (values, touched) = self.read_list(bus, block, index, base, i.imm)?;
        self.take_list(&values, i.imm);
        self.set_sp(base.wrapping_add(4 * i.imm.count_ones()));
        Ok(touched)
    }

    /// POP with PC: the new PC comes back, for the caller to branch to.
    #[inline]
    pub(super) fn pop_pc<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<u32, Fault> {
        let base = self.get(Reg::Sp);
        let (values, touched) = self.read_list(bus, block, index, base, i.imm | 1 << 15)?;
        if touched {
            self.horizon = 0;
        }
        self.take_list(&values, i.imm);
        self.set_sp(base.wrapping_add(4 * (i.imm.count_ones() + 1)));
        Ok(values[Reg::Pc as usize])
    }
}

/// The private peripheral bus, 0xE000_0000 to 0xE00F_FFFF (DDI 0419E §B3.1).
fn is_private(address: u32) -> bool {
    address >> 20 == 0xE00
}

fn bus_fault(fault: BusFault) -> Fault {
    let (cause, address) = match fault {
        BusFault::Unmapped(address) => ("access to an address where nothing answers", address),
        BusFault::ReadOnly(address) => ("write to memory that cannot be written", address),
        BusFault::Width(address) => ("access of a width that the device does not take", address),
    };
    Fault { cause, address: Some(address.get()) }
}
