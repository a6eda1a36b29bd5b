//! A version of the registers, with all that it may do otherwise.

use std::fmt::Debug;
use std::ops::RangeInclusive;

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;

use super::{HSI, Rcc};
use crate::{Clocks, Env, Instance, Modelled, Oscillators, Pll, Source, Span, Write};

/// One oscillator's switch, flag and interrupt, and the row of its start-up time.
#[derive(Clone, Copy, Debug)]
pub struct Oscillator {
    /// The register with the switch and the flag.
    pub register: u32,
    /// The switch.
    pub on: u32,
    /// The flag.
    pub ready: u32,
    /// The interrupt's flag.
    pub interrupt: u32,
    /// The row of [`Version::ROWS`].
    pub row: usize,
}

/// The oscillator with the interrupt of number `interrupt`.
pub(in crate::stm32) const fn oscillator(register: u32, on: u32, ready: u32, interrupt: u32, row: usize) -> Oscillator {
    Oscillator { register, on, ready, interrupt: 1 << interrupt, row }
}

/// A version of the registers.
pub trait Version: Clone + Debug {
    /// The modelled registers and fields, with the values after power-on.
    const MODEL: &'static [Modelled];
    /// Start-up times, in periods of [`Version::REFERENCE`].
    const ROWS: &'static [TimingRow];
    /// The clock that start-up times are counted in.
    const REFERENCE: Hertz;
    /// The oscillators and PLLs, by event number.
    const OSCILLATORS: &'static [Oscillator];
    /// The PLLs among them.
    const PLLS: &'static [usize] = &[];
    /// The bits of CR that no write changes, beside the ready flags.
    const FIXED: u32 = 0;
    /// The offset of CFGR.
    const CFGR: u32;
    /// The mask of CFGR.SW; SWS lies directly above it.
    const SW: u32;
    /// The lowest bit of CFGR.HPRE.
    const HPRE: u32;
    /// The lowest bits of CFGR.PPRE1 and PPRE2; with one APB, PPRE twice.
    const PPRE: [u32; 2];
    /// The offsets of the registers that reset peripherals.
    const RESETS: &'static [RangeInclusive<u32>];
    /// The oscillator behind SYSCLK after reset.
    const RESET: usize = HSI;
    /// The offset of the interrupt flags.
    const FLAGS: u32;
    /// The offset of their enables, and how far left they lie of the flags.
    const ENABLES: (u32, u32);
    /// The flags that interrupt.
    const INTERRUPTS: u32;
    /// The offset of the backup domain's register.
    const BDCR: u32;
    /// The offset of the register with LSI's switch and the reset flags.
    const CSR: u32;
    /// The reset flags in it.
    const RESET_FLAGS: u32;
    /// The flags that the end of Standby mode sets; it clears the others.
    const STANDBY_FLAGS: u32;
    /// The bits of that register, beside the flags, that outlive Standby mode.
    const STANDBY_KEPT: u32 = 0;
    /// The bit that clears them.
    const RMVF: u32;

    /// The oscillator that a value of SW or SWS means; `None` for reserved ones.
    fn selected(rcc: &Rcc<Self>, sw: u32) -> Option<usize>;

    /// The oscillator or PLL that feeds the PLL of this number; `None` where none is selected.
    fn pll_source(_rcc: &Rcc<Self>, _pll: usize) -> Option<usize> {
        Some(HSI)
    }

    /// The frequency of `oscillator`; `None` if the board lacks it, and for a PLL.
    fn frequency(_rcc: &Rcc<Self>, oscillator: usize, clocks: &Clocks) -> Option<Hertz> {
        of_board(oscillator, clocks)
    }

    /// The divider behind `oscillator`, for all that it feeds.
    fn divider(_rcc: &Rcc<Self>, _oscillator: usize) -> u64 {
        1
    }

    /// Tells if SYSCLK can be switched to `oscillator`.
    fn is_usable(rcc: &Rcc<Self>, oscillator: usize) -> bool {
        rcc.is_ready(oscillator)
    }

    /// The oscillator that the core wakes up with from Stop mode, and its value of SW.
    fn wakes_with(_rcc: &Rcc<Self>) -> (usize, u32) {
        (HSI, 0)
    }

    /// The fastest PCLK1 and PCLK2 of a part whose SYSCLK may be as fast as `fastest`.
    fn bus_limits(fastest: Hertz) -> [Hertz; 2] {
        [fastest; 2]
    }

    /// The period that the main PLL gives to SYSCLK while it runs.
    fn pll_output(_rcc: &Rcc<Self>, _clocks: &Clocks) -> Span {
        Span::ZERO
    }

    /// The divider from HSI to SYSCLK.
    fn hsi_divider(_rcc: &Rcc<Self>) -> u64 {
        1
    }

    /// The divider from the clock that SW selects to SYSCLK.
    fn sysclk_divider(_rcc: &Rcc<Self>) -> u64 {
        1
    }

    /// The divider from HSI to the kernels' clock; 0 where HSI is no kernel clock.
    fn kernel_divider(_rcc: &Rcc<Self>) -> u64 {
        0
    }

    /// The divider from HCLK to the clock of the timers on an APB that `apb` divides: 1 where that is 1, else half of it
    /// (RM0008, RM0490, "Clocks").
    fn timer_divider(_rcc: &Rcc<Self>, apb: u64) -> u64 {
        (apb / 2).max(1)
    }

    /// The divider from HSE to the clock of the RTC; `None` where none is selected.
    fn rtc_divider(_rcc: &Rcc<Self>) -> Option<u64>;

    /// The row of the start-up time of `oscillator`.
    fn row(_rcc: &Rcc<Self>, oscillator: usize) -> usize {
        Self::OSCILLATORS[oscillator].row
    }

    /// `oscillator` begins to start up.
    fn starts(_rcc: &Rcc<Self>, _oscillator: usize, _env: &mut Env<'_, '_>) {}

    /// CR holds `new` now, and held `old`.
    fn controlled(_old: u32, _new: u32, _env: &mut Env<'_, '_>) {}

    /// SYSCLK has been switched.
    fn switched(_rcc: &mut Rcc<Self>, _env: &mut Env<'_, '_>) {}

    /// A register that is the version's own was written.
    fn written(rcc: &mut Rcc<Self>, offset: u32, values: (u32, u32), write: Write, env: &mut Env<'_, '_>);

    /// The system was reset.
    fn was_reset(_env: &mut Env<'_, '_>) {}

    /// The phase-locked loops that run.
    fn plls(_rcc: &Rcc<Self>, _clocks: &Clocks) -> Vec<Pll> {
        Vec::new()
    }

    /// The clock of USB devices; no hertz where it does not run.
    fn usb_clock(rcc: &Rcc<Self>, clocks: &Clocks) -> Hertz {
        clocks.hertz(Self::clk48(rcc, clocks))
    }

    /// The period of the clock of 48 MHz for SDIO and USB; zero where it does not run.
    fn clk48(_rcc: &Rcc<Self>, _clocks: &Clocks) -> Span {
        Span::ZERO
    }

    /// The periods of the main PLL's outputs P and Q, as kernels have them; zero where they do not run.
    fn pll_kernels(_rcc: &Rcc<Self>, _clocks: &Clocks) -> [Span; 2] {
        [Span::ZERO; 2]
    }

    /// The period of the clock that converters have instead of one of their bus; zero where it does not run.
    fn converters(_rcc: &Rcc<Self>, _clocks: &Clocks) -> Span {
        Span::ZERO
    }

    /// The periods of the clocks of I2S on both APBs; zero where they do not run.
    fn i2s(_rcc: &Rcc<Self>, _clocks: &Clocks) -> [Span; 2] {
        [Span::ZERO; 2]
    }

    /// The clock outputs: each signal, and the period of the clock there; zero while there is none.
    fn outputs(_rcc: &Rcc<Self>, _clocks: &Clocks) -> Vec<(&'static str, Span)> {
        Vec::new()
    }

    /// The kernel clock of the peripheral `instance`, where it has a choice.
    fn kernel_clock(_rcc: &Rcc<Self>, _instance: &Instance) -> Option<Source> {
        None
    }
}

/// The frequency of an oscillator that the part or its board has, by its index.
pub(in crate::stm32) fn of_board(oscillator: usize, clocks: &Clocks) -> Option<Hertz> {
    let Oscillators { hsi, lsi, hse, lse } = *clocks.oscillators();
    [Some(hsi), hse, Some(lsi), lse].get(oscillator).copied().flatten()
}
