//! The registers of the converter, what differs among families, and its times.

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;

use super::super::analog::{Internal, Sensor};
use crate::bank::all;
use crate::{Modelled, Trigger};

pub(super) const ISR: u32 = 0x00;
pub(super) const IER: u32 = 0x04;
pub(super) const CR: u32 = 0x08;
pub(super) const CFGR1: u32 = 0x0C;
pub(super) const CFGR2: u32 = 0x10;
pub(super) const SMPR: u32 = 0x14;
pub(super) const AWD1TR: u32 = 0x20;
pub(super) const AWD2TR: u32 = 0x24;
pub(super) const CHSELR: u32 = 0x28;
pub(super) const AWD3TR: u32 = 0x2C;
pub(super) const DR: u32 = 0x40;
pub(super) const AWD2CR: u32 = 0xA0;
pub(super) const AWD3CR: u32 = 0xA4;
pub(super) const CALFACT: u32 = 0xB4;
/// Among the common registers of STM32C0, and among the converter's of STM32G0.
pub(super) const CCR: u32 = 0x08;
pub(super) const CCR_G0: u32 = 0x308;

pub(super) const ADRDY: u32 = 1 << 0;
pub(super) const EOSMP: u32 = 1 << 1;
pub(super) const EOC: u32 = 1 << 2;
pub(super) const EOS: u32 = 1 << 3;
pub(super) const OVR: u32 = 1 << 4;
pub(super) const AWD1: u32 = 1 << 7;
pub(super) const EOCAL: u32 = 1 << 11;
pub(super) const CCRDY: u32 = 1 << 13;

pub(super) const ADEN: u32 = 1 << 0;
pub(super) const ADDIS: u32 = 1 << 1;
pub(super) const ADSTART: u32 = 1 << 2;
pub(super) const ADSTP: u32 = 1 << 4;
pub(super) const ADVREGEN: u32 = 1 << 28;
pub(super) const ADCAL: u32 = 1 << 31;

pub(super) const LFTRIG: u32 = 1 << 29;

pub(super) const DMAEN: u32 = 1 << 0;
pub(super) const DMACFG: u32 = 1 << 1;
pub(super) const SCANDIR: u32 = 1 << 2;
pub(super) const ALIGN: u32 = 1 << 5;
pub(super) const OVRMOD: u32 = 1 << 12;
pub(super) const CONT: u32 = 1 << 13;
pub(super) const WAIT: u32 = 1 << 14;
pub(super) const AUTOFF: u32 = 1 << 15;
pub(super) const DISCEN: u32 = 1 << 16;
pub(super) const CHSELRMOD: u32 = 1 << 21;
pub(super) const AWD1SGL: u32 = 1 << 22;
pub(super) const AWD1EN: u32 = 1 << 23;

pub(super) const VREFEN: u32 = 1 << 22;
pub(super) const TSEN: u32 = 1 << 23;
const VBATEN: u32 = 1 << 24;

/// The events.
pub(super) const CONVERTED: u16 = 0;
pub(super) const READY: u16 = 1;
pub(super) const CALIBRATED: u16 = 2;
pub(super) const DISABLED: u16 = 3;
pub(super) const STOPPED: u16 = 4;
pub(super) const CONFIGURED: u16 = 5;
pub(super) const SAMPLED: u16 = 6;
/// Those that the converter's clock counts and [`AdcC0::due`] keeps.
pub(super) const COUNTED: [u16; 5] = [READY, CALIBRATED, DISABLED, STOPPED, CONFIGURED];

/// 1.5, 3.5, 7.5, 12.5, 19.5, 39.5, 79.5 and 160.5 periods, in half periods (RM0490, ADC_SMPR).
pub(super) const SAMPLING: [u32; 8] = [3, 7, 15, 25, 39, 79, 159, 321];
/// CCR.PRESC (RM0490, ADC_CCR).
pub(super) const PRESCALERS: [u64; 12] = [1, 2, 4, 6, 8, 10, 12, 16, 32, 64, 128, 256];
/// A family's converter.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) model: &'static [Modelled],
    pub(super) rows: &'static [TimingRow],
    /// The triggers by number, where the part's metadata has none.
    pub(super) triggers: [Option<Trigger>; 8],
    /// The fastest clock.
    pub(super) fastest: Hertz,
    /// The internal voltages: channel, voltage, and the bit of CCR that switches it on.
    pub(super) internal: &'static [(u8, Internal, u32)],
}

pub(super) static C0: Kind = Kind {
    model: MODEL,
    rows: ROWS,
    // RM0490, "External triggers".
    triggers: [
        Some(("TIM1", "TRGO2")),
        Some(("TIM1", "CC4")),
        None,
        Some(("TIM3", "TRGO")),
        None,
        None,
        None,
        Some(("EXTI", "EXTI11")),
    ],
    // DS13867, ADC characteristics: fADC.
    fastest: Hertz::new(35_000_000),
    // DS13867, "Temperature sensor characteristics" and "Embedded internal reference voltage", typical values.
    internal: &[
        (9, Internal::Sensor(Sensor { microvolts: 760_000, degrees: 30, slope: 2_530 }), TSEN),
        (10, Internal::Reference(1_212_000), VREFEN),
        (15, Internal::Supply, 0),
        (16, Internal::Ground, 0),
    ],
};

pub(super) static G0: Kind = Kind {
    model: MODEL_G0,
    rows: ROWS_G0,
    triggers: [None; 8],
    // DS12232, ADC characteristics: fADC in range 1.
    fastest: Hertz::new(35_000_000),
    // RM0444, "ADC block diagram", VBAT and temperature; DS12232, "Temperature sensor characteristics" and "Embedded voltage
    // reference", typical values.
    internal: &[
        (12, Internal::Sensor(Sensor { microvolts: 760_000, degrees: 30, slope: 2_500 }), TSEN),
        (13, Internal::Reference(1_212_000), VREFEN),
        (14, Internal::Battery(3), VBATEN),
    ],
};

/// The modelled registers and fields, with the values after reset (RM0490, "ADC register map").
pub const MODEL: &[Modelled] = &[
    all("ISR", 0).and(&["IER", "CR", "CFGR1", "CFGR2", "SMPR", "CHSELR", "DR", "AWD2CR", "AWD3CR", "CALFACT"]),
    all("AWD1TR", 0x0FFF_0000).and(&["AWD2TR", "AWD3TR"]),
];

/// The same of STM32G0 (RM0444, "ADC register map").
pub const MODEL_G0: &[Modelled] = &[
    all("ISR", 0).and(&["IER", "CR", "CFGR1", "CFGR2", "SMPR", "CHSELR", "DR", "AWD2CR", "AWD3CR", "CALFACT", "CCR"]),
    all("AWD1TR", 0x0FFF_0000).and(&["AWD2TR", "AWD3TR"]),
];

/// The same of the common registers.
pub const COMMON: &[Modelled] = &[all("CCR", 0)];

/// The times of the converter of STM32C0.
pub const ROWS: &[TimingRow] = &rows([
    "DS13867, ADC characteristics: tLATR is 2 to 3 periods; the longer, since the clocks are not in step",
    "DS13867, ADC characteristics: tLATR; a start by software is taken for a trigger",
    "DS13867, ADC characteristics: tCAL",
    "DS13867, ADC characteristics: the maximum of tADCVREG_SETUP",
    "DS13867, ADC characteristics: tSTAB is two conversion cycles, of which the shortest takes 14 periods",
    "RM0490, ADC on-off control, gives no time; two flip-flops",
    "RM0490, ADC_ISR.CCRDY, gives no time; two flip-flops, without need of the converter's clock",
    "RM0490, \"Low frequency trigger mode\"",
]);

/// The same of STM32G0.
pub const ROWS_G0: &[TimingRow] = &rows([
    "DS12232, ADC characteristics: tLATR is 2 to 3 periods; the longer, since the clocks are not in step",
    "DS12232, ADC characteristics: tLATR; a start by software is taken for a trigger",
    "DS12232, ADC characteristics: tCAL",
    "DS12232, ADC characteristics: the maximum of tADCVREG_SETUP",
    "DS12232, ADC characteristics: tSTAB is two conversion cycles, of which the shortest takes 14 periods",
    "RM0444, ADC on-off control, gives no time; two flip-flops",
    "RM0444, ADC_ISR.CCRDY, gives no time; two flip-flops, without need of the converter's clock",
    "RM0444, \"Low frequency trigger mode\"",
]);

/// The rows, by their sources: the latencies, calibration, regulator, power-up, end, channels, low frequency.
const fn rows(
    [unsynchronised, latency, calibration, regulator, ready, end, configured, rearm]: [&'static str; 8],
) -> [TimingRow; 10] {
    [
        TimingRow::assumed(
            "adc.latency_asynchronous",
            "from a trigger to the sampling, in half periods of the converter's clock, with CKMODE 0",
            6,
            unsynchronised,
        ),
        TimingRow::documented("adc.latency_2", "the same in half periods of PCLK, with CKMODE 1", 13, latency),
        TimingRow::documented("adc.latency_4", "the same in half periods of PCLK, with CKMODE 2", 25, latency),
        TimingRow::documented("adc.latency_1", "the same in half periods of PCLK, with CKMODE 3", 7, latency),
        TimingRow::documented(
            "adc.calibration",
            "from ADCAL until it falls, in periods of the converter's clock",
            82,
            calibration,
        ),
        TimingRow::documented(
            "adc.regulator",
            "from ADVREGEN until the regulator is up, in microseconds; an earlier use is named",
            20,
            regulator,
        ),
        TimingRow::assumed(
            "adc.ready",
            "from ADEN to ADRDY, and what a conversion takes more where AUTOFF has switched the converter off, in periods of its clock",
            28,
            ready,
        ),
        TimingRow::assumed(
            "adc.end",
            "from ADDIS or ADSTP until they fall, in periods of the converter's clock",
            2,
            end,
        ),
        TimingRow::assumed(
            "adc.configured",
            "from a change of the channels to CCRDY, in periods of PCLK",
            2,
            configured,
        ),
        TimingRow::documented(
            "adc.rearm",
            "the delay of a conversion behind a trigger with LFTRIG, in periods of the converter's clock",
            1,
            rearm,
        ),
    ]
}
