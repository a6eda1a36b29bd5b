//! Loads and stores of the floating-point extension: VLDR, VSTR, VLDM, VSTM, VPUSH, VPOP.

use cyclescope_machine::{Bus, Peripherals, Width};

use super::Here;
use super::memory::{Touched, words_of_ram, words_of_ram_mut};
use crate::cpu::Cpu;
use crate::decode::{FpAccess, Instruction, Reg};

impl Cpu {
    /// VLDM.
    #[inline]
    pub(super) fn vldm<P: Peripherals, const GUARDED: bool>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>) -> Touched {
        let (list, address, base) = self.span_of_singles(here.instruction());
        let touched = self.load_singles::<P, GUARDED>(bus, here, address)?;
        if list.writes_base {
            self.set_base(here.instruction().rn, base);
        }
        Ok(touched)
    }

    /// VSTM.
    #[inline]
    pub(super) fn vstm<P: Peripherals, const GUARDED: bool>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>) -> Touched {
        let rn = here.instruction().rn;
        let (list, address, base) = self.span_of_singles(here.instruction());
        if rn != Reg::Sp {
            self.stores_several(address, list.count);
        }
        let touched = self.store_singles::<P, GUARDED>(bus, here, address)?;
        if list.writes_base {
            self.set_base(rn, base);
        }
        Ok(touched)
    }

    /// Returns the unpacked list, the address at which it begins, and the base's new value.
    fn span_of_singles(&self, i: &Instruction) -> (FpAccess, u32, u32) {
        let list = FpAccess::unpack(i.imm);
        let (base, bytes) = (self.get(i.rn), 4 * list.count);
        let below = base.wrapping_sub(bytes);
        if list.before { (list, below, below) } else { (list, base, base.wrapping_add(bytes)) }
    }

    /// VLDR and the loads of VLDM, from `address` on.
    #[inline]
    pub(super) fn load_singles<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
    ) -> Touched {
        let FpAccess { first, count, .. } = FpAccess::unpack(here.instruction().imm);
        if let Some(words) = words_of_ram::<P, GUARDED>(bus, address, count) {
            (first..).zip(words).for_each(|(number, word)| self.set_single(number, word));
            return Ok(false);
        }
        let from = self.store_at(here, address, Width::Word);
        self.read_words(bus, from, count, |cpu, number, value| cpu.set_single(first + number, value))
    }

    /// VSTR and the stores of VSTM, from `address` on.
    #[inline]
    pub(super) fn store_singles<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
    ) -> Touched {
        let FpAccess { first, count, .. } = FpAccess::unpack(here.instruction().imm);
        if let Some(words) = words_of_ram_mut::<P, GUARDED>(bus, address, count) {
            (first..).zip(words).for_each(|(number, word)| *word = self.single(number).to_le_bytes());
            return Ok(false);
        }
        let singles = self.fp.singles;
        let words = (first..first + count).map(|number| singles[(number & 31) as usize]);
        self.write_words(bus, self.store_at(here, address, Width::Word), words)
    }
}
