//! The converters of STM32F1, of which two work together (RM0008, "Analog-to-digital converter (ADC)"). Groups and
//! conversions are [`Adc`]'s.
//!
//! A converter is switched on by ADON, and a second write of ADON alone begins a regular group. Calibration takes its time and finds
//! nothing to correct. EOC is set at the end of a sequence, and after each conversion in discontinuous mode.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::adc::{
    ADON, Adc, CR1, CR2, DR, Injected, OWN, Regular, Select, Together, Turns, Version, is_due, later, rows,
};
use super::analog::{Internal, Sensor};
use crate::bank::all;
use crate::{Env, Instant, Message, Modelled, Receiver, Trigger};

const CAL: u32 = 1 << 2;
const RSTCAL: u32 = 1 << 3;
const JEXTTRIG: u32 = 1 << 15;
const EXTTRIG: u32 = 1 << 20;
const JSWSTART: u32 = 1 << 21;
const SWSTART: u32 = 1 << 22;
const TSVREFE: u32 = 1 << 23;
/// The trigger that software is.
const SOFTWARE: u8 = 7;

/// The modelled registers and fields, with the values after reset (RM0008, "ADC register map").
pub const MODEL: &[Modelled] = &[
    all("SR", 0).and(&["CR1", "CR2", "SMPR1", "SMPR2", "JOFR0", "JOFR1", "JOFR2", "JOFR3", "LTR"]),
    all("HTR", 0x0000_0FFF),
    all("SQR1", 0).and(&["SQR2", "SQR3", "JSQR", "JDR0", "JDR1", "JDR2", "JDR3", "DR"]),
];

const LATENCY: &str =
    "DS5319, ADC characteristics: the maximum of tlatr and tlat; a start by software is taken for a trigger";
const EXTERNAL: &str = "DS5319, ADC characteristics: for external triggers a period of PCLK2 is added to the latency";

/// The times of a converter.
pub const ROWS: &[TimingRow] = &{
    let [regular, injected, trigger, stable] =
        rows(1, [LATENCY, EXTERNAL, "DS5319, ADC characteristics: the maximum of tSTAB"]);
    [
        regular,
        injected,
        trigger,
        stable,
        TimingRow::documented(
            "adc.calibration",
            "from CAL until it falls, in periods of ADCCLK",
            83,
            "DS5319, ADC characteristics: tCAL",
        ),
        TimingRow::assumed(
            "adc.calibration_reset",
            "from RSTCAL until it falls, in periods of ADCCLK",
            4,
            "RM0008, ADC_CR2.RSTCAL gives no time; a few periods, as the registers of the calibration are initialised by a state machine of ADCCLK",
        ),
    ]
};

/// The state of a converter that its registers do not show.
#[derive(Clone, Debug, Default)]
pub struct F1 {
    /// The end of a calibration, or of the reset of its registers.
    until: Instant,
}

/// One converter.
pub type AdcF1 = Adc<F1>;

impl F1 {
    /// RM0008, ADC_CR1.DUALMOD, of the first converter.
    fn mode(adc: &AdcF1) -> u32 {
        (if adc.number == 1 { adc.bank.get(CR1) } else { adc.first }) >> 16 & 15
    }

    /// A start by software, if it is the selected trigger.
    fn software(adc: &mut AdcF1, bit: u32, injected: bool, env: &mut Env<'_, '_>) {
        let cr2 = adc.bank.get(CR2);
        let selected = F1::select(cr2, injected).is_some_and(|select| select.number == SOFTWARE);
        if cr2 & bit != 0 && cr2 & ADON != 0 && selected {
            adc.bank.flag(CR2, bit, false);
            adc.start(injected, false, env);
        }
    }
}

impl Version for F1 {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;
    /// 1.5, 7.5, 13.5, 28.5, 41.5, 55.5, 71.5 and 239.5 periods (RM0008, ADC_SMPR1).
    const SAMPLING: [u32; 8] = [3, 15, 27, 57, 83, 111, 143, 479];
    /// RM0008, "External trigger for regular channels for ADC1 and ADC2", and the same for injected ones.
    const TRIGGERS: [[Option<Trigger>; 16]; 2] = [
        triggers([
            ("TIM1", "CC1"),
            ("TIM1", "CC2"),
            ("TIM1", "CC3"),
            ("TIM2", "CC2"),
            ("TIM3", "TRGO"),
            ("TIM4", "CC4"),
            ("EXTI", "EXTI11"),
        ]),
        triggers([
            ("TIM1", "TRGO"),
            ("TIM1", "CC4"),
            ("TIM2", "TRGO"),
            ("TIM2", "CC1"),
            ("TIM3", "CC4"),
            ("TIM4", "TRGO"),
            ("EXTI", "EXTI15"),
        ]),
    ];
    /// DS5319, ADC characteristics: fADC.
    const FASTEST: Hertz = Hertz::new(14_000_000);
    const EOC_INJECTED: bool = true;

    /// RM0008, "Channel-by-channel programmable sample time": 12.5 periods.
    fn hold(_: u8) -> u32 {
        25
    }

    /// RCC_CFGR.ADCPRE.
    fn divider(common: u32) -> u64 {
        u64::from(common & 3) * 2 + 2
    }

    fn select(cr2: u32, injected: bool) -> Option<Select> {
        let (enable, low) = if injected { (JEXTTRIG, 12) } else { (EXTTRIG, 17) };
        let number = (cr2 >> low & 7) as u8;
        (cr2 & enable != 0).then_some(Select { number, rising: true, falling: false })
    }

    /// Temperature and reference are channels of ADC1; of ADC2 they are connected to ground (RM0008, "Channel selection").
    fn internal(adc: &AdcF1, channel: u8) -> (Option<Internal>, Option<&'static str>) {
        let internal = match (channel, adc.number) {
            (16, 1) => Internal::Sensor(Sensor { microvolts: 1_430_000, degrees: 25, slope: -4_300 }),
            (17, 1) => Internal::Reference(1_200_000),
            (16 | 17, _) => return (Some(Internal::Ground), None),
            _ => return (None, None),
        };
        let off = adc.bank.get(CR2) & TSVREFE == 0;
        (Some(internal), off.then_some("temperature and reference are converted while CR2.TSVREFE is 0, and read 0 V"))
    }

    /// RM0008, ADC_CR1.DUALMOD.
    fn together(adc: &AdcF1) -> Together {
        // 7 and 14 periods (RM0008, "Fast interleaved mode", "Slow interleaved mode").
        let fast = Regular::Turns(Turns::SecondFirst { delay: 14, repeat: 0 });
        let slow = Regular::Turns(Turns::SecondFirst { delay: 28, repeat: 56 });
        let (regular, injected) = match Self::mode(adc) {
            1 => (Regular::Same, Injected::Same),
            2 => (Regular::Same, Injected::Alternate),
            3 => (fast, Injected::Same),
            4 => (slow, Injected::Same),
            5 => (Regular::Alone, Injected::Same),
            6 => (Regular::Same, Injected::Alone),
            7 => (fast, Injected::Alone),
            8 => (slow, Injected::Alone),
            9 => (Regular::Alone, Injected::Alternate),
            _ => return Together::default(),
        };
        Together { count: 2, regular, injected }
    }

    fn configured(adc: &mut AdcF1, old: u32, new: u32, env: &mut Env<'_, '_>) {
        if adc.number != 1 || (old ^ new) & 15 << 16 == 0 {
            return;
        }
        match Self::mode(adc) {
            mode @ 10.. => env.gap(GapKind::Setting, format_args!("ADC1_CR1.DUALMOD={mode} is reserved")),
            2 => env.gap(
                GapKind::Setting,
                format_args!("ADC1_CR1.DUALMOD=2: an injected group stops only its own converter's regular one"),
            ),
            _ => {}
        }
        env.send(Receiver::Number(2), Message::Together(new));
    }

    fn control(adc: &mut AdcF1, old: u32, new: u32, env: &mut Env<'_, '_>) {
        // Only the converter itself clears these.
        let busy = (old | new) & (CAL | RSTCAL);
        adc.bank.flag(CR2, busy, true);
        if new & !old & (CAL | RSTCAL) != 0 {
            let reset = if new & !old & RSTCAL != 0 { env.cycles(&ROWS[5]) } else { 0 };
            let calibration = if new & !old & CAL != 0 { env.cycles(&ROWS[4]) } else { 0 };
            let until = later(adc, reset + calibration, env);
            adc.own.until = until;
            env.schedule(OWN, until);
        }
        match (old & ADON != 0, new & ADON != 0) {
            (false, true) => adc.switch_on(env),
            (true, false) => adc.switch_off(env),
            // RM0008, ADC_CR2.ADON: if no other bit changes at the same time.
            (true, true) if old == new => adc.start(false, false, env),
            _ => {}
        }
        Self::software(adc, SWSTART, false, env);
        Self::software(adc, JSWSTART, true, env);
    }

    fn told(adc: &mut AdcF1, message: Message, _: &mut Env<'_, '_>) {
        match message {
            Message::Together(cr1) => adc.first = cr1,
            Message::Result { value, .. } => adc.partner = value,
            _ => {}
        }
    }

    fn pass_on(adc: &AdcF1, value: u16, env: &mut Env<'_, '_>) {
        if adc.number == 2 && Self::together(adc).count == 2 {
            env.send(Receiver::Number(1), Message::Result { from: 2, value });
        }
    }

    /// RM0008, ADC_DR.ADC2DATA: in dual mode.
    fn data(adc: &AdcF1) -> u32 {
        let dual = adc.number == 1 && Self::together(adc).count == 2;
        adc.bank.get(DR) | if dual { u32::from(adc.partner) << 16 } else { 0 }
    }

    /// RM0008, "Calibration": the codes are in the data register; those of a converter without error are 0.
    fn event(adc: &mut AdcF1, env: &mut Env<'_, '_>) {
        let busy = adc.bank.get(CR2) & (CAL | RSTCAL);
        if is_due(adc.own.until, env) && busy != 0 {
            adc.bank.flag(CR2, busy, false);
            if busy & CAL != 0 {
                adc.bank.set(DR, 0);
            }
        }
    }
}

const fn triggers(known: [Trigger; 7]) -> [Option<Trigger>; 16] {
    let mut all = [None; 16];
    let mut number = 0;
    while number < known.len() {
        all[number] = Some(known[number]);
        number += 1;
    }
    all
}
