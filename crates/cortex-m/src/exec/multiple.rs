//! Loads and stores of several registers: LDM, STM, PUSH, POP, LDRD, STRD.

use std::ops::Range;

use cyclescope_machine::{Access, Bus, Peripherals, RegionKind, Touch, Width};

use super::Here;
use super::memory::{
    Loaded, Touched, access, address_wait, check_aligned, claim, later, nth, words_of_ram, words_of_ram_mut,
};
use crate::code::Block;
use crate::cpu::{Cpu, Fault};
use crate::decode::{Instruction, Multiple, Op, Reg};

/// The registers of `list`, the lowest first.
#[inline(always)]
pub(crate) fn registers(list: u32) -> impl Iterator<Item = usize> {
    let mut list = list & 0xFFFF;
    std::iter::from_fn(move || {
        let register = list.trailing_zeros() as usize;
        list &= list.wrapping_sub(1);
        (register < 16).then_some(register)
    })
}

impl Cpu {
    /// Reads `count` words from `first` on, each for `put` with its number. Says whether a register was touched.
    pub(super) fn read_words<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        first: Access,
        count: u32,
        mut put: impl FnMut(&mut Self, u32, u32),
    ) -> Touched {
        check_aligned(first)?;
        let (mut touched, begun) = (false, self.now);
        for number in 0..count {
            let (value, register_touched) = self.read(bus, later(nth(first, number), self.now.wrapping_sub(begun)))?;
            put(self, number, value);
            touched |= register_touched;
        }
        Ok(touched)
    }

    /// Writes `words` from `first` on. Says whether a register was touched.
    pub(super) fn write_words<P: Peripherals>(
        &mut self,
        bus: &mut Bus<P>,
        first: Access,
        words: impl Iterator<Item = u32>,
    ) -> Touched {
        check_aligned(first)?;
        let (mut touched, begun) = (false, self.now);
        for (number, word) in (0..).zip(words) {
            touched |= self.write(bus, later(nth(first, number), self.now.wrapping_sub(begun)), word)?;
        }
        Ok(touched)
    }

    /// Returns the unpacked list, the address at which the registers still to be moved begin, and the base's new value.
    pub(crate) fn span(&self, i: &Instruction) -> (Multiple, u32, u32) {
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
    pub(super) fn ldm<P: Peripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>) -> Loaded {
        let i = here.instruction();
        let (multiple, address, base) = self.span(i);
        let first = self.store_at(here, address, Width::Word);
        let mut values = [0; 16];
        let touched = self.read_words(bus, first, Multiple::listed(i.imm), |_, number, value| {
            values[number as usize] = value;
        })?;
        let mut target = 0;
        for (value, register) in values.into_iter().zip(registers(multiple.list)) {
            let place = if register == Reg::Pc as usize { &mut target } else { &mut self.r[register] };
            *place = value;
        }
        if multiple.writes_base {
            self.set_base(i.rn, base);
        }
        Ok((target, touched))
    }

    /// STM, PUSH.
    pub(super) fn stm<P: Peripherals>(&mut self, bus: &mut Bus<P>, here: Here<'_, P>) -> Touched {
        let i = here.instruction();
        let (multiple, address, base) = self.span(i);
        if i.rn != Reg::Sp {
            self.stores_several(address, Multiple::listed(i.imm));
        }
        let r = self.r;
        let words = registers(multiple.list).map(|register| r[register]);
        let touched = self.write_words(bus, self.store_at(here, address, Width::Word), words)?;
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
        address_wait: u64,
    ) -> Result<(), Fault> {
        let i = i.continued(0);
        let (_, address, _) = self.span(&i);
        let first = access(self.pc().get(), self.now + address_wait, address, Width::Word);
        check_aligned(first)?;
        if i.op == Op::Stm && i.rn != Reg::Sp {
            self.stores_several(address, some.count_ones());
        }
        for (number, register) in (0..).zip(registers(some)) {
            if i.op == Op::Stm {
                self.write(bus, nth(first, number), self.r[register])?;
            } else {
                self.r[register] = self.read(bus, nth(first, number))?.0;
            }
        }
        Ok(())
    }

    /// Claims the RAM that the instruction of `block`, which begins now, wants in each of the cycles `cycles`, before it moves anything.
    pub(crate) fn claim_ahead<P: Peripherals>(&self, bus: &mut Bus<P>, block: &Block<P>, cycles: Range<u64>) {
        if bus.peripherals.outranks(bus.shared.turns.core()) == [false; 2] {
            return;
        }
        let Some((step, place)) = block.steps.iter().zip(&block.places).find(|(step, _)| step.i.moves_data()) else {
            return;
        };
        // One whose condition fails moves nothing.
        let Some(Touch { from, bytes, .. }) = self.touched(&bus.memory) else { return };
        let (address, words) = match step.i.op {
            Op::Ldm | Op::LdmPc | Op::Stm => (self.span(&step.i).1, Multiple::listed(step.i.imm)),
            // Others begin anew when they are interrupted.
            _ => (from.get(), bytes.div_ceil(4)),
        };
        let at = self.now + address_wait(&place.detail, address);
        let first = access(self.pc().get(), at, address, Width::Word);
        for number in 0..words {
            let word = nth(first, number);
            let phase = self.data_phase(word);
            if cycles.contains(&phase)
                && let Some(RegionKind::Ram(offset)) = bus.memory.region(word.address.get())
            {
                claim(bus, offset, phase);
            }
        }
    }

    /// Loads two words, as LDRD does.
    pub(super) fn load_two<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
    ) -> Result<([u32; 2], bool), Fault> {
        let mut two = [0; 2];
        if let Some(words) = words_of_ram::<P, GUARDED>(bus, address, 2) {
            two.iter_mut().zip(words).for_each(|(slot, word)| *slot = word);
            return Ok((two, false));
        }
        let first = self.store_at(here, address, Width::Word);
        let touched = self.read_words(bus, first, 2, |_, number, value| two[number as usize] = value)?;
        Ok((two, touched))
    }

    /// Stores two words, as STRD does.
    pub(super) fn store_two<P: Peripherals, const GUARDED: bool>(
        &mut self,
        bus: &mut Bus<P>,
        here: Here<'_, P>,
        address: u32,
        two: [u32; 2],
    ) -> Touched {
        if let Some(words) = words_of_ram_mut::<P, GUARDED>(bus, address, 2) {
            words.iter_mut().zip(two).for_each(|(slot, word)| *slot = word.to_le_bytes());
            return Ok(false);
        }
        self.write_words(bus, self.store_at(here, address, Width::Word), two.into_iter())
    }
}
