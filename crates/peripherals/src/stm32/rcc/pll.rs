//! PLLs with an input divider M, a multiplier N and outputs P, Q and R, each with a switch of its own (RM0444, RM0440, RM0351,
//! RM0394, RM0432, "PLL").

use std::ops::RangeInclusive;

use cyclescope_machine::GapKind;
use cyclescope_machine::units::Hertz;

use super::{CR, PLL, Rcc, Version};
use crate::{Clocks, Effect, Env, Pll, Span};

/// PLLSRC of the main PLL's register, the source of all PLLs of a part.
pub(in crate::stm32) const PLLSRC: u32 = 3;

/// An output of a PLL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// P.
    P,
    /// Q.
    Q,
    /// R.
    R,
}

/// The places and values of the output dividers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dividers {
    /// STM32G0: each one less than the divider.
    Whole,
    /// STM32G4 and L4: P is 7, 17 or a number of its own; Q and R are 2, 4, 6 or 8.
    Even,
}

impl Dividers {
    /// The switches of all outputs.
    const fn switches(self) -> u32 {
        self.switch(Output::P) | self.switch(Output::Q) | self.switch(Output::R)
    }

    /// The switch of `output`.
    const fn switch(self, output: Output) -> u32 {
        match (self, output) {
            (_, Output::P) => 1 << 16,
            (Self::Whole, Output::Q) => 1 << 24,
            (Self::Whole, Output::R) => 1 << 28,
            (Self::Even, Output::Q) => 1 << 20,
            (Self::Even, Output::R) => 1 << 24,
        }
    }

    /// The divider of `output` by the register's `value`; reserved values as the others count on.
    const fn divider(self, value: u32, output: Output) -> u32 {
        match (self, output) {
            (Self::Whole, Output::P) => (value >> 17 & 31) + 1,
            (Self::Whole, Output::Q) => (value >> 25 & 7) + 1,
            (Self::Whole, Output::R) => (value >> 29) + 1,
            (Self::Even, Output::P) if value >> 27 != 0 => value >> 27,
            (Self::Even, Output::P) => 7 + 10 * (value >> 17 & 1),
            (Self::Even, Output::Q) => (value >> 21 & 3) * 2 + 2,
            (Self::Even, Output::R) => (value >> 25 & 3) * 2 + 2,
        }
    }
}

/// One PLL of a version.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its number among the oscillators.
    pub number: usize,
    /// Its register.
    pub register: u32,
    /// The name of that.
    pub name: &'static str,
}

/// The settings that a manual allows.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The values of N.
    pub n: RangeInclusive<u32>,
    /// The frequencies that go into the VCO, in hertz.
    pub input: RangeInclusive<u64>,
    /// Those that come out of it.
    pub vco: RangeInclusive<u64>,
}

/// A version of the registers with such PLLs.
pub trait Loops: Version {
    /// The PLLs.
    const LOOPS: &'static [Loop];
    /// The mask of M, which begins at bit 4.
    const M: u32;
    /// The output dividers.
    const DIVIDERS: Dividers;

    /// The settings that the manual allows.
    fn limits(rcc: &Rcc<Self>) -> Limits;

    /// The register with M of a PLL.
    fn divider_register(_rcc: &Rcc<Self>, known: &Loop) -> u32 {
        known.register
    }
}

impl<V: Loops> Rcc<V> {
    /// The PLL `number` by its settings; `None` without a source that has a frequency.
    fn settings(&self, number: usize, clocks: &Clocks) -> Option<(&'static Loop, Pll)> {
        let known = V::LOOPS.iter().find(|known| known.number == number)?;
        let input = V::frequency(self, V::pll_source(self, number)?, clocks)?;
        let divider = (self.get(V::divider_register(self, known)) >> 4 & V::M) + 1;
        let multiplier = (self.get(known.register) >> 8 & 0x7F).max(1);
        Some((known, Pll { input, divider, multiplier }))
    }

    /// The period of an output of the PLL `number`; zero while it does not run.
    pub(in crate::stm32) fn output(&self, number: usize, output: Output, clocks: &Clocks) -> Span {
        let Some((known, pll)) = self.settings(number, clocks) else { return Span::ZERO };
        let value = self.get(known.register);
        if !self.is_ready(number) || value & V::DIVIDERS.switch(output) == 0 {
            return Span::ZERO;
        }
        pll.period(clocks).times(V::DIVIDERS.divider(value, output).into())
    }

    /// The PLLs that run.
    pub(in crate::stm32) fn running(&self, clocks: &Clocks) -> Vec<Pll> {
        let numbers = V::LOOPS.iter().map(|known| known.number).filter(|number| self.is_ready(*number));
        numbers.filter_map(|number| self.settings(number, clocks)).map(|(_, pll)| pll).collect()
    }

    /// Tells if SYSCLK can be switched to `oscillator`: of the main PLL it has output R.
    pub(in crate::stm32) fn is_switched_on(&self, oscillator: usize) -> bool {
        let r = V::DIVIDERS.switch(Output::R);
        let register = V::LOOPS.iter().find(|known| known.number == oscillator).map(|known| known.register);
        self.is_ready(oscillator) && register.is_none_or(|register| self.get(register) & r != 0)
    }

    /// Names settings of the PLL `number`, which starts, that its manual forbids.
    pub(in crate::stm32) fn check(&self, number: usize, env: &mut Env<'_, '_>) {
        let Some((known, pll)) = self.settings(number, env.clocks()) else { return };
        let name = known.name;
        let n = self.get(known.register) >> 8 & 0x7F;
        let limits = V::limits(self);
        if !limits.n.contains(&n) {
            env.gap(GapKind::Setting, format_args!("{name}: PLLN={n} is not allowed"));
        }
        let input = pll.input.get() / u64::from(pll.divider);
        if !limits.input.contains(&input) {
            env.gap(GapKind::Setting, format_args!("{name}: the VCO would get {}", Hertz::new(input)));
        }
        if !limits.vco.contains(&pll.output()) {
            env.gap(GapKind::Setting, format_args!("{name}: the VCO would run at {}", Hertz::new(pll.output())));
        }
        let value = self.get(known.register);
        for (output, name) in [(Output::P, "P"), (Output::Q, "Q"), (Output::R, "R")] {
            let on = value & V::DIVIDERS.switch(output) != 0;
            if on && V::DIVIDERS.divider(value, output) < 2 {
                env.gap(GapKind::Setting, format_args!("{}: PLL{name}=0 is reserved", known.name));
            }
        }
    }

    /// A write of the register of a PLL. Its settings hold while it is on, those that others share while any of these is on,
    /// and the output that SYSCLK has cannot be switched off (RM0444, RM0440, RM0351, RM0432, RCC_PLLCFGR).
    pub(in crate::stm32) fn write_loop(&mut self, offset: u32, (old, new): (u32, u32), env: &mut Env<'_, '_>) {
        let is_on = |known: &&Loop| self.get(CR) & V::OSCILLATORS[known.number].on != 0;
        let Some(known) = V::LOOPS.iter().find(|known| known.register == offset) else { return };
        let others = V::LOOPS.iter().filter(|other| other.number != known.number).filter(is_on);
        let shares =
            |other: &Loop| if V::divider_register(self, other) == offset { PLLSRC | V::M << 4 } else { PLLSRC };
        let mut kept = others.fold(0, |bits, other| bits | if known.number == PLL { shares(other) } else { 0 });
        if is_on(&known) {
            kept |= !V::DIVIDERS.switches();
        }
        if kept & (old ^ new) != 0 {
            env.gap(GapKind::Setting, format_args!("{} written while its PLL is on: lost", known.name));
        }
        let in_use = if self.in_use() == known.number { old & V::DIVIDERS.switch(Output::R) } else { 0 };
        self.bank.set(offset, (old & kept) | (new & !kept) | in_use);
        self.switch(env);
        env.effect(Effect::ClocksChanged);
    }
}
