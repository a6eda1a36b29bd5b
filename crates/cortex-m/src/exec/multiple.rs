//! Loads and stores of several registers: LDM, STM, PUSH, POP, LDRD, STRD.

use cyclescope_engine::Execute as _;
use cyclescope_machine::{Bus, Peripherals, Width};

use super::Here;
use super::memory::Read;
use crate::cpu::{Cpu, Fault, FaultKind};
use crate::decode::{Instruction, Multiple, Op, Reg};

/// The registers of `list`, the lowest first.
#[inline(always)]
pub(super) fn registers(list: u32) -> impl Iterator<Item = usize> {
    let mut list = list & 0xFFFF;
    std::iter::from_fn(move || {
        let register = list.trailing_zeros() as usize;
        list &= list.wrapping_sub(1);
        (register < 16).then_some(register)
    })
}

/// Words move only to and from aligned addresses here (MemA[]).
pub(super) fn check_aligned(address: u32, width: Width) -> Result<(), Fault> {
    if width.aligned(address) {
        return Ok(());
    }
    Err(Fault { kind: FaultKind::Unaligned, cause: "unaligned access", address: Some(address) })
}

impl Cpu {
    /// Reads the word that is the `number`th of an instruction that moves several.
    #[inline(always)]
    pub(super) fn read_nth<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
        number: u32,
    ) -> Result<Read, Fault> {
        match self.load_fast::<P, GUARDED>(bus, address, Width::Word) {
            Some(value) => Ok((value, false)),
            None => {
                let at = self.starts_at(here).wrapping_add(u64::from(number));
                self.read_at(bus, here.place().pc, at, address, Width::Word)
            }
        }
    }

    /// Writes the word that is the `number`th of an instruction that moves several; whether that touched a register.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)] // Where, what and when.
    pub(super) fn write_nth<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
        number: u32,
        value: u32,
    ) -> Result<bool, Fault> {
        if self.store_fast::<P, GUARDED>(bus, address, Width::Word, value) {
            return Ok(false);
        }
        let at = self.starts_at(here).wrapping_add(u64::from(number));
        self.write_at(bus, here.place().pc, at, address, Width::Word, value)
    }

    /// Returns the unpacked list, the address at which the registers still to be moved begin, and the base's new value.
    fn span(&self, i: &Instruction) -> (Multiple, u32, u32) {
        let multiple = Multiple::unpack(i.imm);
        let (base, done) = (self.get(i.rn), 4 * multiple.done);
        let bytes = 4 * Multiple::listed(i.imm) + done;
        if multiple.before {
            let first = base.wrapping_sub(bytes);
            (multiple, first.wrapping_add(done), first)
        } else {
            (multiple, base.wrapping_add(done), base.wrapping_add(bytes))
        }
    }

    /// LDM, POP: returns the word loaded for PC, and whether a register was touched.
    pub(super) fn ldm<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
    ) -> Result<Read, Fault> {
        let (multiple, address, base) = self.span(i);
        check_aligned(address, Width::Word)?;
        let mut values = [0; 16];
        let mut touched = false;
        for (number, register) in (0..).zip(registers(multiple.list)) {
            let next = address.wrapping_add(4 * number);
            let (value, register_touched) = self.read_nth::<P, GUARDED>(bus, here, next, number)?;
            values[register] = value;
            touched |= register_touched;
        }
        for register in registers(multiple.list & !(1 << Reg::Pc as u32)) {
            self.r[register] = values[register];
        }
        if multiple.writes_base {
            self.set_base(i.rn, base);
        }
        Ok((values[Reg::Pc as usize], touched))
    }

    /// STM, PUSH: returns whether a register was touched.
    pub(super) fn stm<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let (multiple, address, base) = self.span(i);
        if i.rn != Reg::Sp {
            self.stores_several(address, Multiple::listed(i.imm));
        }
        check_aligned(address, Width::Word)?;
        let mut touched = false;
        for (number, register) in (0..).zip(registers(multiple.list)) {
            let next = address.wrapping_add(4 * number);
            touched |= self.write_nth::<P, GUARDED>(bus, here, next, number, self.r[register])?;
        }
        if multiple.writes_base {
            self.set_base(i.rn, base);
        }
        Ok(touched)
    }

    /// Moves only the registers of `some`, the first of those that `i` moves, and leaves the base: what an interrupt lets
    /// it do before it comes between.
    pub(crate) fn move_some<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        i: &Instruction,
        some: u32,
    ) -> Result<(), Fault> {
        let i = i.continued(0);
        let (_, first, _) = self.span(&i);
        check_aligned(first, Width::Word)?;
        let (pc, at) = (self.pc().get(), self.now);
        if i.op == Op::Stm && i.rn != Reg::Sp {
            self.stores_several(first, some.count_ones());
        }
        for (number, register) in (0u32..).zip((0..16).filter(|register| some >> register & 1 != 0)) {
            let (address, at) = (first.wrapping_add(4 * number), at + u64::from(number));
            if i.op == Op::Stm {
                self.write_at(bus, pc, at, address, Width::Word, self.r[register])?;
            } else {
                self.r[register] = self.read_at(bus, pc, at, address, Width::Word)?.0;
            }
        }
        Ok(())
    }

    /// LDRD: `base` is what the base register becomes.
    #[inline]
    pub(super) fn ldrd<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
        address: u32,
        base: Option<u32>,
    ) -> Result<bool, Fault> {
        check_aligned(address, Width::Word)?;
        let (low, low_touched) = self.read_nth::<P, GUARDED>(bus, here, address, 0)?;
        let (high, high_touched) = self.read_nth::<P, GUARDED>(bus, here, address.wrapping_add(4), 1)?;
        if let Some(base) = base {
            self.set_base(i.rn, base);
        }
        self.set(i.rd, low);
        self.set(i.rm, high);
        Ok(low_touched || high_touched)
    }

    #[inline]
    pub(super) fn strd<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let (address, base) = self.indexed(i);
        check_aligned(address, Width::Word)?;
        let (low, high) = (self.get(i.rd), self.get(i.rm));
        let low_touched = self.write_nth::<P, GUARDED>(bus, here, address, 0, low)?;
        let high_touched = self.write_nth::<P, GUARDED>(bus, here, address.wrapping_add(4), 1, high)?;
        self.set_base(i.rn, base);
        Ok(low_touched || high_touched)
    }
}
