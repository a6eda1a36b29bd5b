//! Multiplexers behind the clock tree: of kernels' clocks, and of the clock outputs.

use super::{HSE, HSI, LSE, LSI, Rcc, Version};
use crate::{Clocks, Instance, Source, Span};

/// A field that selects the clock of some peripherals.
#[derive(Clone, Copy, Debug)]
pub(in crate::stm32) struct Kernel {
    names: &'static [&'static str],
    register: u32,
    low: u32,
    sources: &'static [Source],
}

/// The field of `register` from bit `low` on selects one of `sources`, whose number is a power of two, for `names`.
pub(in crate::stm32) const fn kernel(
    names: &'static [&'static str],
    register: u32,
    low: u32,
    sources: &'static [Source],
) -> Kernel {
    Kernel { names, register, low, sources }
}

/// The clocks of I2C: PCLK, SYSCLK, HSI16 (RM0444, RM0440, RM0351, RCC_CCIPR).
pub(in crate::stm32) const I2C: &[Source] = &[Source::Pclk, Source::Sysclk, Source::HsiKernel, Source::Off];
/// Those of a serial port on the (first) APB: LSE too.
pub(in crate::stm32) const USART: &[Source] = &[Source::Pclk, Source::Sysclk, Source::HsiKernel, Source::Lse];
/// Those of a serial port on the second APB.
pub(in crate::stm32) const USART_APB2: &[Source] = &[Source::Pclk2, Source::Sysclk, Source::HsiKernel, Source::Lse];
/// Those of a low-power timer.
pub(in crate::stm32) const LPTIM: &[Source] = &[Source::Pclk, Source::Lsi, Source::HsiKernel, Source::Lse];

/// The clock that `fields` select for `instance`, if one of them does.
pub(in crate::stm32) fn kernel_clock<V: Version>(
    rcc: &Rcc<V>,
    fields: &[Kernel],
    instance: &Instance,
) -> Option<Source> {
    let field = fields.iter().find(|field| field.names.contains(&instance.name))?;
    let value = (rcc.get(field.register) >> field.low) as usize & (field.sources.len() - 1);
    field.sources.get(value).copied()
}

/// The period of the clock that `select` puts out, divided by `2^shift`: 1 SYSCLK, 3 HSI, 4 HSE, 5 the PLL's clock for SYSCLK, 6
/// LSI, 7 LSE (RM0490, RM0444, RM0440, RM0351, RCC_CFGR), or one of `others`.
pub(in crate::stm32) fn output<V: Version>(
    rcc: &Rcc<V>,
    clocks: &Clocks,
    (select, shift): (u32, u32),
    others: &[(u32, Span)],
) -> Span {
    let period = match select {
        1 => clocks.tree().sysclk,
        3 => rcc.period(HSI, clocks),
        4 => rcc.period(HSE, clocks),
        5 if !V::PLLS.is_empty() => rcc.pll_period(clocks),
        6 => rcc.period(LSI, clocks),
        7 => rcc.period(LSE, clocks),
        _ => others.iter().find(|(code, _)| *code == select).map_or(Span::ZERO, |(_, period)| *period),
    };
    period.times(1 << shift)
}

/// The same of the one output that CFGR selects with MCOSEL[3:0] and divides by 1 to 16 with MCOPRE[2:0] (RM0440, RM0351).
pub(in crate::stm32) fn single<V: Version>(rcc: &Rcc<V>, clocks: &Clocks, others: &[(u32, Span)]) -> Span {
    let cfgr = rcc.get(V::CFGR);
    output(rcc, clocks, (cfgr >> 24 & 15, (cfgr >> 28 & 7).min(4)), others)
}
