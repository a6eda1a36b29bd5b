//! The registers of the converters, what differs among families, and their times.

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;

use super::super::analog::{Internal, Sensor};
use crate::bank::{all, but};
use crate::{Modelled, Trigger};

pub(super) const ISR: u32 = 0x00;
pub(super) const IER: u32 = 0x04;
pub(super) const CR: u32 = 0x08;
pub(super) const CFGR: u32 = 0x0C;
pub(super) const CFGR2: u32 = 0x10;
pub(super) const SMPR1: u32 = 0x14;
pub(super) const TR1: u32 = 0x20;
pub(super) const SQR1: u32 = 0x30;
pub(super) const DR: u32 = 0x40;
pub(super) const JSQR: u32 = 0x4C;
pub(super) const OFR1: u32 = 0x60;
pub(super) const JDR1: u32 = 0x80;
pub(super) const AWD2CR: u32 = 0xA0;
pub(super) const DIFSEL: u32 = 0xB0;
pub(super) const CALFACT: u32 = 0xB4;
pub(super) const GCOMP: u32 = 0xC0;
pub(super) const CSR: u32 = 0x00;
pub(super) const CCR: u32 = 0x08;

pub(super) const ADRDY: u32 = 1 << 0;
pub(super) const EOSMP: u32 = 1 << 1;
pub(super) const EOC: u32 = 1 << 2;
pub(super) const EOS: u32 = 1 << 3;
pub(super) const OVR: u32 = 1 << 4;
pub(super) const JEOC: u32 = 1 << 5;
pub(super) const JEOS: u32 = 1 << 6;
pub(super) const AWD1: u32 = 1 << 7;
pub(super) const JQOVF: u32 = 1 << 10;

pub(super) const ADEN: u32 = 1 << 0;
pub(super) const ADDIS: u32 = 1 << 1;
/// Those of the injected group follow.
pub(super) const ADSTART: u32 = 1 << 2;
pub(super) const ADSTP: u32 = 1 << 4;
pub(super) const ADVREGEN: u32 = 1 << 28;
pub(super) const DEEPPWD: u32 = 1 << 29;
pub(super) const ADCALDIF: u32 = 1 << 30;
pub(super) const ADCAL: u32 = 1 << 31;

pub(super) const DMAEN: u32 = 1 << 0;
pub(super) const DMACFG: u32 = 1 << 1;
pub(super) const OVRMOD: u32 = 1 << 12;
pub(super) const CONT: u32 = 1 << 13;
pub(super) const AUTDLY: u32 = 1 << 14;
pub(super) const DISCEN: u32 = 1 << 16;
pub(super) const JDISCEN: u32 = 1 << 20;
pub(super) const JQM: u32 = 1 << 21;
pub(super) const AWD1SGL: u32 = 1 << 22;
pub(super) const AWD1EN: u32 = 1 << 23;
pub(super) const JAWD1EN: u32 = 1 << 24;
pub(super) const JAUTO: u32 = 1 << 25;
pub(super) const JQDIS: u32 = 1 << 31;

pub(super) const ROVSM: u32 = 1 << 10;
pub(super) const GAIN: u32 = 1 << 16;
pub(super) const SMPPLUS: u32 = 1 << 31;

const VREFEN: u32 = 1 << 22;
const TSEN: u32 = 1 << 23;
const VBATEN: u32 = 1 << 24;

/// The events.
pub(super) const CONVERTED: u16 = 0;
pub(super) const SAMPLED: u16 = 1;
pub(super) const READY: u16 = 2;
pub(super) const CALIBRATED: u16 = 3;
pub(super) const DISABLED: u16 = 4;
pub(super) const STOPPED: u16 = 5;
/// That of the injected group.
pub(super) const JSTOPPED: u16 = 6;
/// Those that the converter's clock counts.
pub(super) const COUNTED: [u16; 5] = [READY, CALIBRATED, DISABLED, STOPPED, JSTOPPED];

/// 2.5, 6.5, 12.5, 24.5, 47.5, 92.5, 247.5 and 640.5 periods, in half periods (RM0351, RM0440, ADC_SMPR1).
pub(super) const SAMPLING: [u32; 8] = [5, 13, 25, 49, 95, 185, 495, 1_281];

/// CCR.PRESC (RM0351, RM0440, ADC_CCR).
pub(super) const PRESCALERS: [u64; 12] = [1, 2, 4, 6, 8, 10, 12, 16, 32, 64, 128, 256];

/// A connection of a channel inside the part: the converters that have it, one bit a number; the channel; the voltage; the bit
/// of CCR that switches it on.
pub(super) type Connection = (u8, u8, Internal, u32);

/// A family's converters.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) model: &'static [Modelled],
    pub(super) rows: &'static [TimingRow],
    /// The fastest clock.
    pub(super) fastest: Hertz,
    pub(super) internal: &'static [Connection],
    /// The lowest bits of CFGR.EXTSEL and CFGR.ALIGN, and of JSQR's JEXTEN and first channel.
    pub(super) extsel: u32,
    pub(super) align: u32,
    pub(super) jexten: u32,
    pub(super) jsq: u32,
    /// The name of negative inputs, and how much higher their numbers are than their channels'.
    pub(super) negative: (&'static str, usize),
    /// OFRy.OFFSETPOS and SATEN, the gain, the filter of the first watchdog, and SMPPLUS are there.
    pub(super) later: bool,
}

pub(super) static L4: Kind = Kind {
    model: MODEL,
    rows: ROWS,
    // DS11453, ADC characteristics: fADC in range 1.
    fastest: Hertz::new(80_000_000),
    // RM0351, "Channel selection", of ADC1 and ADC3; DS11453, "Temperature sensor characteristics" and "Embedded voltage
    // reference", typical values.
    internal: &[(0b0010, 0, REFERENCE, VREFEN), (0b1010, 17, SENSOR, TSEN), (0b1010, 18, Internal::Battery(3), VBATEN)],
    extsel: 6,
    align: 5,
    jexten: 6,
    jsq: 8,
    negative: ("IN", 1),
    later: false,
};

pub(super) static G4: Kind = Kind {
    model: MODEL_G4,
    rows: ROWS_G4,
    // DS12589, ADC characteristics: fADC in range 1, one converter alone.
    fastest: Hertz::new(60_000_000),
    // RM0440, "Channel selection"; DS12589, typical values.
    internal: &[
        (0b00_0010, 16, SENSOR, TSEN),
        (0b10_0000, 4, SENSOR, TSEN),
        (0b10_1010, 17, Internal::Battery(3), VBATEN),
        (0b11_1010, 18, REFERENCE, VREFEN),
    ],
    extsel: 5,
    align: 15,
    jexten: 7,
    jsq: 9,
    negative: ("INN", 0),
    later: true,
};

const SENSOR: Internal = Internal::Sensor(Sensor { microvolts: 760_000, degrees: 30, slope: 2_500 });
const REFERENCE: Internal = Internal::Reference(1_212_000);

/// The triggers of the regular and of the injected group, where the part's metadata has none (RM0351, "ADC1, ADC2 and ADC3 -
/// External triggers").
pub(super) const TRIGGERS: [[Trigger; 16]; 2] = [
    [
        ("TIM1", "CC1"),
        ("TIM1", "CC2"),
        ("TIM1", "CC3"),
        ("TIM2", "CC2"),
        ("TIM3", "TRGO"),
        ("TIM4", "CC4"),
        ("EXTI", "EXTI11"),
        ("TIM8", "TRGO"),
        ("TIM8", "TRGO2"),
        ("TIM1", "TRGO"),
        ("TIM1", "TRGO2"),
        ("TIM2", "TRGO"),
        ("TIM4", "TRGO"),
        ("TIM6", "TRGO"),
        ("TIM15", "TRGO"),
        ("TIM3", "CC4"),
    ],
    [
        ("TIM1", "TRGO"),
        ("TIM1", "CC4"),
        ("TIM2", "TRGO"),
        ("TIM2", "CC1"),
        ("TIM3", "CC4"),
        ("TIM4", "TRGO"),
        ("EXTI", "EXTI15"),
        ("TIM8", "CC4"),
        ("TIM1", "TRGO2"),
        ("TIM8", "TRGO"),
        ("TIM8", "TRGO2"),
        ("TIM3", "CC3"),
        ("TIM3", "TRGO"),
        ("TIM3", "CC1"),
        ("TIM6", "TRGO"),
        ("TIM15", "TRGO"),
    ],
];

/// The modelled registers and fields, with the values after reset (RM0351, "ADC register map").
pub const MODEL: &[Modelled] = &[
    all("ISR", 0).and(&["IER", "CFGR2", "SMPR0", "SMPR1", "SQR1", "SQR2", "SQR3", "SQR4", "DR", "JSQR", "DIFSEL"]),
    all("CR", DEEPPWD),
    // No manual of these parts has such a bit.
    but("CFGR", JQDIS, &["AUTOFF"]),
    all("TR0", 0x0FFF_0000),
    all("TR1", 0x00FF_0000).and(&["TR2"]),
    all("OFR0", 0).and(&["OFR1", "OFR2", "OFR3", "JDR0", "JDR1", "JDR2", "JDR3", "AWD2CR", "AWD3CR", "CALFACT"]),
];

/// The same of STM32G4 (RM0440, "ADC register map").
pub const MODEL_G4: &[Modelled] = &[
    all("ISR", 0).and(&["IER", "SMPR", "SMPR2", "SQR1", "SQR2", "SQR3", "SQR4", "DR", "JSQR", "DIFSEL", "GCOMP"]),
    all("CR", DEEPPWD),
    all("CFGR", JQDIS),
    but("CFGR2", 0, &["SWTRIG", "BULB", "SMPTRIG"]),
    all("TR1", 0x0FFF_0000),
    all("TR2", 0x00FF_0000).and(&["TR3"]),
    all("OFR0", 0).and(&["OFR1", "OFR2", "OFR3", "JDR0", "JDR1", "JDR2", "JDR3", "AWD2CR", "AWD3CR", "CALFACT"]),
];

/// The modelled common registers and fields.
pub const COMMON: &[Modelled] = &[all("CSR", 0), but("CCR", 0, &["MULT", "DELAY", "DMACFG", "MDMA"])];

/// The same of STM32G4.
pub const COMMON_G4: &[Modelled] = &[all("CSR", 0), but("CCR", 0, &["DUAL", "DELAY", "DMACFG", "MDMA"])];

/// The places of rows in the tables, behind the four latencies.
pub(super) const INJECTED: usize = 4;
pub(super) const REGULATOR: usize = 5;
pub(super) const CALIBRATION: usize = 6;
pub(super) const POWER_UP: usize = 7;
pub(super) const END: usize = 8;

/// The times of the converters of STM32L4.
pub const ROWS: &[TimingRow] = &rows([
    "DS11453, ADC characteristics: tLATR is 1.5 to 2.5 periods; the longer, since the clocks are not in step",
    "DS11453, ADC characteristics: tLATR; a start by software is taken for a trigger",
    "DS11453, ADC characteristics: tLATRINJ, which is tLATR and a period",
    "DS11453, ADC characteristics: the maximum of tADCVREG_STUP",
    "DS11453, ADC characteristics: tCAL",
    "DS11453, ADC characteristics: tSTAB is a conversion cycle, of which the shortest takes 15 periods",
    "RM0351, ADC on-off control, gives no time; two flip-flops",
]);

/// The same of STM32G4.
pub const ROWS_G4: &[TimingRow] = &rows([
    "DS12589, ADC characteristics: tLATR is 1.5 to 2.5 periods; the longer, since the clocks are not in step",
    "DS12589, ADC characteristics: tLATR; a start by software is taken for a trigger",
    "DS12589, ADC characteristics: tLATRINJ, which is tLATR and a period",
    "DS12589, ADC characteristics: the maximum of tADCVREG_STUP",
    "DS12589, ADC characteristics: tCAL",
    "DS12589, ADC characteristics: tSTAB is a conversion cycle, of which the shortest takes 15 periods",
    "RM0440, ADC on-off control, gives no time; two flip-flops",
]);

/// The rows, by their sources, whose texts are to be checked.
const fn rows(
    [unsynchronised, latency, injected, regulator, calibration, ready, end]: [&'static str; 7],
) -> [TimingRow; 9] {
    [
        TimingRow::assumed(
            "adc.latency_asynchronous",
            "from a trigger to the sampling of a regular group, in eighths of the converter's period, with CKMODE 0",
            20,
            unsynchronised,
        ),
        TimingRow::assumed("adc.latency_1", "the same with CKMODE 1", 16, latency),
        TimingRow::assumed("adc.latency_2", "the same with CKMODE 2", 18, latency),
        TimingRow::assumed("adc.latency_4", "the same with CKMODE 3", 17, latency),
        TimingRow::assumed(
            "adc.injected_latency",
            "what the latency of an injected group is longer, in periods of the converter's clock",
            1,
            injected,
        ),
        TimingRow::assumed(
            "adc.regulator",
            "from ADVREGEN until the regulator is up, in microseconds; an earlier use is named",
            20,
            regulator,
        ),
        TimingRow::assumed(
            "adc.calibration",
            "from ADCAL until it falls, in periods of the converter's clock",
            116,
            calibration,
        ),
        TimingRow::assumed("adc.ready", "from ADEN to ADRDY, in periods of the converter's clock", 15, ready),
        TimingRow::assumed(
            "adc.end",
            "from ADDIS, ADSTP or JADSTP until they fall, in periods of the converter's clock",
            2,
            end,
        ),
    ]
}
