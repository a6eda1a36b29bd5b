//! Loads and stores, program memory, the stack and I/O: DS40002198B chapter 6.

use cyclescope_engine::Execute as _;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, Bus, GapKind};

use super::Here;
use crate::cpu::{Below, Cpu, StackOverrun};
use crate::data::access;
use crate::decode::{Instruction, Z};
use crate::hooks::{AvrPeripherals, StoreProgram};

impl Cpu {
    /// The access to `address` at `here`, in the cycle that the timing row `phase` names.
    #[inline(always)]
    pub(super) fn access<P>(&self, here: Here<'_, P>, phase: usize, address: u16) -> Access {
        access(address, self.phase(here, phase), here.place().pc)
    }

    /// A load that SRAM did not answer; the flag says whether the block must be left.
    pub(super) fn load_slow<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, load: Access) -> (u8, bool) {
        (self.read_data(bus, load), self.is_unsettled(bus))
    }

    /// A store that SRAM did not take; says whether the block must be left.
    pub(super) fn store_slow<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, store: Access, value: u8) -> bool {
        self.write_data(bus, store, value);
        self.is_unsettled(bus)
    }

    /// SBI and CBI; says whether the block must be left.
    pub(super) fn output_bit<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>, high: bool) -> bool {
        let i = here.instruction();
        let store = self.access(here, self.config.timing.bit_phase, i.imm as u16);
        self.write_bit(bus, store, i.rr, high);
        self.is_unsettled(bus)
    }

    /// The bit that SBIC and SBIS look at.
    pub(super) fn input_bit<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>) -> bool {
        let i = here.instruction();
        let (value, _) = self.load_slow(bus, self.access(here, self.config.timing.skip_phase, i.imm as u16));
        value >> (i.rr & 7) & 1 != 0
    }

    #[inline(always)]
    pub(crate) fn push<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, pc: u32, at: u64, value: u8) {
        let below = self.sp <= self.stack_floor;
        if below {
            self.push_below(pc, at);
        }
        if !self.store_ram(bus, self.sp, value) {
            self.write_data(bus, access(self.sp, at, pc), value);
            self.horizon = 0;
        }
        self.sp = self.sp.wrapping_sub(1);
        if !below || self.below != Below::Elsewhere {
            self.lowest_sp = self.lowest_sp.min(self.sp);
        }
    }

    /// Records a push below the floor as an overrun, unless SP is on the stack of another task.
    #[cold]
    fn push_below(&mut self, pc: u32, at: u64) {
        let sp = self.sp;
        self.below = match self.below {
            Below::Set(value) if value != sp => Below::Elsewhere,
            Below::Set(_) => Below::Pushed,
            known => known,
        };
        if self.below == Below::Elsewhere {
            return;
        }
        let first = StackOverrun { pc: Address::new(pc), at: Cycles::new(at), stack_pointer: sp, deepest: sp };
        let overrun = self.overrun.get_or_insert(first);
        overrun.deepest = overrun.deepest.min(sp);
    }

    #[inline(always)]
    pub(super) fn pop<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, pc: u32, at: u64) -> u8 {
        self.sp = self.sp.wrapping_add(1);
        match self.load_ram(bus, self.sp) {
            Some(value) => value,
            None => {
                self.horizon = 0;
                self.read_data(bus, access(self.sp, at, pc))
            }
        }
    }

    /// The byte of program memory that LPM (`extended`: ELPM) reads. Addresses wrap around at the end of flash.
    #[inline(always)]
    pub(super) fn program_byte<P>(&self, bus: &Bus<P>, extended: bool) -> u8 {
        let flash = bus.memory.flash.bytes();
        let address = self.program_address(extended) as usize;
        flash.get(address).or_else(|| flash.get(address % flash.len().max(1))).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn program_address(&self, extended: bool) -> u32 {
        let high = if extended { u32::from(self.rampz) << 16 } else { 0 };
        high | u32::from(self.pair(Z))
    }

    /// Moves Z, or RAMPZ:Z, to the next byte of program memory.
    #[inline(always)]
    pub(super) fn next_program_byte(&mut self, extended: bool) {
        let next = self.program_address(extended) + 1;
        self.set_pair(Z, next as u16);
        if extended {
            self.rampz = (next >> 16) as u8;
        }
    }

    /// SPM.
    pub(super) fn store_program<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>) {
        let at = self.phase(here, self.config.timing.io_phase);
        let store = StoreProgram { address: self.program_address(self.config.rampz.is_some()), word: self.pair(0) };
        self.run_events(bus, at);
        self.still_until = 0;
        let (peripherals, mut context) = bus.with_context(Cycles::new(at), Address::new(here.place().pc));
        self.now += peripherals.store_program(store, &mut context).get();
        self.horizon = 0;
    }

    /// WDR; says whether the block must be left.
    pub(super) fn reset_watchdog<P: AvrPeripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>) -> bool {
        let at = self.phase(here, self.config.timing.io_phase);
        self.run_events(bus, at);
        self.still_until = 0;
        let (peripherals, mut context) = bus.with_context(Cycles::new(at), Address::new(here.place().pc));
        peripherals.watchdog_reset(&mut context);
        self.is_unsettled(bus)
    }

    /// Names a combination of operands that the manual leaves undefined.
    #[cold]
    pub(super) fn name_undefined<P>(&self, bus: &mut Bus<P>, here: Here<'_, P>) {
        let (pc, at) = (here.place().pc, self.now + u64::from(here.place().before));
        if let Some(name) = here.following().and_then(Instruction::undefined_combination) {
            bus.shared.meet_gap(GapKind::Instruction, name, Address::new(pc), Cycles::new(at));
        }
    }
}
