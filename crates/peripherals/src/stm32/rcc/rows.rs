//! Start-up times of the oscillators that STM32G0, G4 and L4 have alike, in periods of 16 MHz.

use cyclescope_machine::TimingRow;

pub(in crate::stm32) const HSI16: TimingRow = TimingRow::assumed(
    "rcc.hsi16_startup",
    "HSI16 from HSION to HSIRDY, in periods of 16 MHz",
    20,
    "1.2 us, the maximum of tsu(HSI16) (DS12232, DS12589, DS10198, HSI16 oscillator characteristics); to be checked in its text",
);

pub(in crate::stm32) const HSE: TimingRow = TimingRow::assumed(
    "rcc.hse_startup",
    "HSE from HSEON to HSERDY with a crystal, in periods of 16 MHz",
    32_000,
    "2 ms, the typical tSU(HSE) (DS12232, DS12589, DS10198, HSE oscillator characteristics); depends on the board's crystal",
);

pub(in crate::stm32) const LSI: TimingRow = TimingRow::assumed(
    "rcc.lsi_startup",
    "LSI from LSION to LSIRDY, in periods of 16 MHz",
    2_080,
    "130 us, the maximum of tSU(LSI) (DS12232, DS12589, DS10198, LSI oscillator characteristics); to be checked in its text",
);

pub(in crate::stm32) const LSE: TimingRow = TimingRow::assumed(
    "rcc.lse_startup",
    "LSE from LSEON to LSERDY, in periods of 16 MHz",
    32_000_000,
    "2 s, the typical tSU(LSE) (DS12232, DS12589, DS10198, LSE oscillator characteristics); depends on the board's crystal",
);

pub(in crate::stm32) const LOCK: TimingRow = TimingRow::assumed(
    "rcc.pll_lock",
    "a PLL from its ON bit, or its source's readiness, to its RDY bit, in periods of 16 MHz",
    640,
    "40 us, the maximum of tLOCK (DS12232, DS12589, DS10198, PLL characteristics); to be checked in its text",
);

pub(in crate::stm32) const HSI48: TimingRow = TimingRow::assumed(
    "rcc.hsi48_startup",
    "HSI48 from HSI48ON to HSI48RDY, in periods of 16 MHz",
    96,
    "6 us, the maximum of tsu(HSI48) (DS13560, DS12589, DS12023, HSI48 oscillator characteristics); to be checked in its text",
);

pub(in crate::stm32) const BYPASS: TimingRow = TimingRow::assumed(
    "rcc.hse_bypass_startup",
    "HSE from HSEON to HSERDY with a clock from outside (HSEBYP), in periods of 16 MHz",
    16,
    "1 us; RM0444, RM0440 and RM0351 give no figure for a clock that runs already",
);
