//! Loads and stores of several registers: LDM, STM, PUSH, POP, LDRD, STRD.

use cyclescope_engine::Execute as _;
use cyclescope_machine::{Bus, Peripherals, Width};

use super::memory::{Read, words_of_ram, words_of_ram_mut};
use crate::code::Block;
use crate::cpu::{Cpu, Fault, FaultKind};
use crate::decode::{Instruction, Multiple, Op, Reg};

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
        block: &Block<P>,
        index: usize,
        address: u32,
        number: u32,
    ) -> Result<Read, Fault> {
        match self.load_fast::<P, GUARDED>(bus, address, Width::Word) {
            Some(value) => Ok((value, false)),
            None => {
                let at = self.starts_at(block, index).wrapping_add(u64::from(number));
                self.read_at(bus, block.places[index].pc, at, address, Width::Word)
            }
        }
    }

    /// Writes the word that is the `number`th of an instruction that moves several; whether that touched a register.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)] // Where, what and when.
    pub(super) fn write_nth<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        address: u32,
        number: u32,
        value: u32,
    ) -> Result<bool, Fault> {
        if self.store_fast::<P, GUARDED>(bus, address, Width::Word, value) {
            return Ok(false);
        }
        let at = self.starts_at(block, index).wrapping_add(u64::from(number));
        self.write_at(bus, block.places[index].pc, at, address, Width::Word, value)
    }

    /// Loads the registers of `list` from `address` up if all of it is RAM; else nothing is done.
    #[inline(always)]
    fn load_from_ram<P, const GUARDED: bool>(&mut self, bus: &Bus<P>, address: u32, list: u32) -> bool {
        let Some(words) = words_of_ram::<P, GUARDED>(bus, address, list.count_ones()) else { return false };
        let mut list = list;
        for word in words {
            self.r[list.trailing_zeros() as usize & 15] = word;
            list &= list.wrapping_sub(1);
        }
        true
    }

    /// Stores the registers of `list` from `address` up if all of it is RAM; else nothing is done.
    #[inline(always)]
    fn store_to_ram<P, const GUARDED: bool>(&self, bus: &mut Bus<P>, address: u32, list: u32) -> bool {
        let Some(words) = words_of_ram_mut::<P, GUARDED>(bus, address, list.count_ones()) else { return false };
        let mut list = list;
        for word in words {
            *word = self.r[list.trailing_zeros() as usize & 15].to_le_bytes();
            list &= list.wrapping_sub(1);
        }
        true
    }

    /// Reads the registers of `list` from `address` up into a scratch register file.
    fn read_list<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        address: u32,
        list: u32,
    ) -> Result<([u32; 16], bool), Fault> {
        check_aligned(address, Width::Word)?;
        let mut values = [0; 16];
        let mut touched = false;
        let (mut number, mut list) = (0, list);
        while list != 0 {
            let register = list.trailing_zeros() as usize & 15;
            list &= list - 1;
            let next = address.wrapping_add(4 * number);
            let (value, register_touched) = self.read_nth::<P, GUARDED>(bus, block, index, next, number)?;
            values[register] = value;
            touched |= register_touched;
            number += 1;
        }
        Ok((values, touched))
    }

    /// Writes the registers of `list` from `address` up.
    fn write_list<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        address: u32,
        list: u32,
    ) -> Result<bool, Fault> {
        if self.store_to_ram::<P, GUARDED>(bus, address, list) {
            return Ok(false);
        }
        check_aligned(address, Width::Word)?;
        let mut touched = false;
        let (mut number, mut list) = (0, list);
        while list != 0 {
            let value = self.r[list.trailing_zeros() as usize & 15];
            list &= list - 1;
            let next = address.wrapping_add(4 * number);
            touched |= self.write_nth::<P, GUARDED>(bus, block, index, next, number, value)?;
            number += 1;
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

    /// LDM T1: the base is written back unless it is in the list.
    #[inline]
    pub(super) fn ldm<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let base = self.get(i.rn);
        let after = base.wrapping_add(4 * i.imm.count_ones());
        if self.load_from_ram::<P, GUARDED>(bus, base, i.imm) {
            if i.imm & 1 << i.rn as u32 == 0 {
                self.set(i.rn, after);
            }
            return Ok(false);
        }
        let (values, touched) = self.read_list::<P, GUARDED>(bus, block, index, base, i.imm)?;
        self.set(i.rn, after);
        self.take_list(&values, i.imm);
        Ok(touched)
    }

    #[inline]
    pub(super) fn stm<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let base = self.get(i.rn);
        self.stores_several(base, i.imm.count_ones());
        let touched = self.write_list::<P, GUARDED>(bus, block, index, base, i.imm)?;
        self.set(i.rn, base.wrapping_add(4 * i.imm.count_ones()));
        Ok(touched)
    }

    #[inline]
    pub(super) fn push<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let base = self.get(Reg::Sp).wrapping_sub(4 * i.imm.count_ones());
        let touched = self.write_list::<P, GUARDED>(bus, block, index, base, i.imm)?;
        self.push_to(base);
        Ok(touched)
    }

    #[inline]
    pub(super) fn pop<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let base = self.get(Reg::Sp);
        if self.load_from_ram::<P, GUARDED>(bus, base, i.imm) {
            self.set_sp(base.wrapping_add(4 * i.imm.count_ones()));
            return Ok(false);
        }
        let (values, touched) = self.read_list::<P, GUARDED>(bus, block, index, base, i.imm)?;
        self.take_list(&values, i.imm);
        self.set_sp(base.wrapping_add(4 * i.imm.count_ones()));
        Ok(touched)
    }

    /// POP with PC: the new PC comes back, for the caller to branch to.
    #[inline]
    pub(super) fn pop_pc<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<u32, Fault> {
        let base = self.get(Reg::Sp);
        if self.load_from_ram::<P, GUARDED>(bus, base, i.imm | 1 << 15) {
            self.set_sp(base.wrapping_add(4 * (i.imm.count_ones() + 1)));
            return Ok(self.get(Reg::Pc));
        }
        let (values, touched) = self.read_list::<P, GUARDED>(bus, block, index, base, i.imm | 1 << 15)?;
        if touched {
            self.horizon = 0;
        }
        self.take_list(&values, i.imm);
        self.set_sp(base.wrapping_add(4 * (i.imm.count_ones() + 1)));
        Ok(values[Reg::Pc as usize])
    }

    /// Where the registers still to be moved begin, and what the base becomes.
    fn span(&self, i: &Instruction) -> (Multiple, u32, u32) {
        let multiple = Multiple::unpack(i.imm);
        let (base, done) = (self.get(i.rn), 4 * multiple.done);
        let bytes = 4 * multiple.list.count_ones() + done;
        if multiple.before {
            let first = base.wrapping_sub(bytes);
            (multiple, first.wrapping_add(done), first)
        } else {
            (multiple, base.wrapping_add(done), base.wrapping_add(bytes))
        }
    }

    /// Loads the list and moves the base; what was loaded for PC comes back, and whether a register was touched.
    #[inline(always)]
    fn load_list<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<Read, Fault> {
        let (multiple, address, base) = self.span(i);
        let mut loaded = (0, false);
        if self.load_from_ram::<P, GUARDED>(bus, address, multiple.list) {
            loaded.0 = self.get(Reg::Pc);
        } else {
            let (values, touched) = self.read_list::<P, GUARDED>(bus, block, index, address, multiple.list)?;
            self.take_list(&values, multiple.list & !(1 << Reg::Pc as u32));
            loaded = (values[Reg::Pc as usize], touched);
        }
        if multiple.writes_base {
            self.set_base(i.rn, base);
        }
        Ok(loaded)
    }

    #[inline]
    pub(super) fn ldm_wide<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        Ok(self.load_list::<P, GUARDED>(bus, block, index, i)?.1)
    }

    /// LDM with PC: the new PC comes back, for the caller to branch to.
    #[inline]
    pub(super) fn ldm_wide_pc<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<u32, Fault> {
        let (target, touched) = self.load_list::<P, GUARDED>(bus, block, index, i)?;
        if touched {
            self.horizon = 0;
        }
        Ok(target)
    }

    #[inline]
    pub(super) fn stm_wide<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let (multiple, address, base) = self.span(i);
        if i.rn != Reg::Sp {
            self.stores_several(address, multiple.list.count_ones());
        }
        let touched = self.write_list::<P, GUARDED>(bus, block, index, address, multiple.list)?;
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
        if i.op == Op::StmWide && i.rn != Reg::Sp {
            self.stores_several(first, some.count_ones());
        }
        for (number, register) in (0u32..).zip((0..16).filter(|register| some >> register & 1 != 0)) {
            let (address, at) = (first.wrapping_add(4 * number), at + u64::from(number));
            if i.op == Op::StmWide {
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
        block: &Block<P>,
        index: usize,
        i: &Instruction,
        address: u32,
        base: Option<u32>,
    ) -> Result<bool, Fault> {
        check_aligned(address, Width::Word)?;
        let (low, low_touched) = self.read_nth::<P, GUARDED>(bus, block, index, address, 0)?;
        let (high, high_touched) = self.read_nth::<P, GUARDED>(bus, block, index, address.wrapping_add(4), 1)?;
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
        block: &Block<P>,
        index: usize,
        i: &Instruction,
    ) -> Result<bool, Fault> {
        let (address, base) = self.indexed(i);
        check_aligned(address, Width::Word)?;
        let (low, high) = (self.get(i.rd), self.get(i.rm));
        let low_touched = self.write_nth::<P, GUARDED>(bus, block, index, address, 0, low)?;
        let high_touched = self.write_nth::<P, GUARDED>(bus, block, index, address.wrapping_add(4), 1, high)?;
        self.set_base(i.rn, base);
        Ok(low_touched || high_touched)
    }
}
