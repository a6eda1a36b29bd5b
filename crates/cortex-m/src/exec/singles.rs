//! Loads and stores of the floating-point extension: VLDR, VSTR, VLDM, VSTM, VPUSH, VPOP.

use cyclescope_machine::{Bus, Peripherals, Width};

use super::Here;
use super::memory::{words_of_ram, words_of_ram_mut};
use super::multiple::check_aligned;
use crate::cpu::{Cpu, Fault};
use crate::decode::{FpAccess, Instruction, Reg};

impl Cpu {
    /// VLDR from `base` and the instruction's offset.
    #[inline]
    pub(super) fn vldr<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
        base: u32,
    ) -> Result<bool, Fault> {
        let access = FpAccess::unpack(i.imm);
        self.load_singles::<P, GUARDED>(bus, here, access, base.wrapping_add_signed(access.offset))
    }

    #[inline]
    pub(super) fn vstr<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let access = FpAccess::unpack(i.imm);
        let address = self.get(i.rn).wrapping_add_signed(access.offset);
        self.store_singles::<P, GUARDED>(bus, here, access, address)
    }

    #[inline]
    pub(super) fn vldm<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let access = FpAccess::unpack(i.imm);
        let (address, base) = self.span_of_singles(i.rn, access);
        let touched = self.load_singles::<P, GUARDED>(bus, here, access, address)?;
        if access.writes_base {
            self.set_base(i.rn, base);
        }
        Ok(touched)
    }

    #[inline]
    pub(super) fn vstm<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let access = FpAccess::unpack(i.imm);
        let (address, base) = self.span_of_singles(i.rn, access);
        if i.rn != Reg::Sp {
            self.stores_several(address, access.count);
        }
        let touched = self.store_singles::<P, GUARDED>(bus, here, access, address)?;
        if access.writes_base {
            self.set_base(i.rn, base);
        }
        Ok(touched)
    }

    fn span_of_singles(&self, rn: Reg, access: FpAccess) -> (u32, u32) {
        let (base, bytes) = (self.get(rn), 4 * access.count);
        if access.before {
            let first = base.wrapping_sub(bytes);
            (first, first)
        } else {
            (base, base.wrapping_add(bytes))
        }
    }

    #[inline]
    fn load_singles<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        access: FpAccess,
        address: u32,
    ) -> Result<bool, Fault> {
        if let Some(words) = words_of_ram::<P, GUARDED>(bus, address, access.count) {
            (access.first..).zip(words).for_each(|(number, word)| self.set_single(number, word));
            return Ok(false);
        }
        check_aligned(address, Width::Word)?;
        let mut touched = false;
        for number in 0..access.count {
            let next = address.wrapping_add(4 * number);
            let (value, register_touched) = self.read_nth::<P, GUARDED>(bus, here, next, number)?;
            self.set_single(access.first + number, value);
            touched |= register_touched;
        }
        Ok(touched)
    }

    #[inline]
    fn store_singles<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        access: FpAccess,
        address: u32,
    ) -> Result<bool, Fault> {
        if let Some(words) = words_of_ram_mut::<P, GUARDED>(bus, address, access.count) {
            (access.first..).zip(words).for_each(|(number, word)| *word = self.single(number).to_le_bytes());
            return Ok(false);
        }
        check_aligned(address, Width::Word)?;
        let mut touched = false;
        for number in 0..access.count {
            let (next, value) = (address.wrapping_add(4 * number), self.single(access.first + number));
            touched |= self.write_nth::<P, GUARDED>(bus, here, next, number, value)?;
        }
        Ok(touched)
    }
}
