//! The converters of STM32L476, L4R5 and G431 (RM0351, RM0432, RM0440, "Analog-to-digital converters (ADC)") at the clock after
//! reset: with CKMODE 1 theirs is HCLK.

use cyclescope_chips::{MemorySetting, Stimulus};
use cyclescope_machine::GapKind;

use super::*;

const ISR: u32 = 0x00;
const IER: u32 = 0x04;
const CR: u32 = 0x08;
const CFGR: u32 = 0x0C;
const CFGR2: u32 = 0x10;
const SMPR1: u32 = 0x14;
const SMPR2: u32 = 0x18;
const TR1: u32 = 0x20;
const SQR1: u32 = 0x30;
const SQR2: u32 = 0x34;
const DR: u32 = 0x40;
const JSQR: u32 = 0x4C;
const OFR1: u32 = 0x60;
const JDR1: u32 = 0x80;
const AWD2CR: u32 = 0xA0;
const DIFSEL: u32 = 0xB0;
const CALFACT: u32 = 0xB4;
const GCOMP: u32 = 0xC0;
/// Those of the common registers, from the converter's on.
const CSR: u32 = 0x300;
const CCR: u32 = 0x308;
const TIM6: u32 = 0x4000_1000;
const GPIOA_ASCR: u32 = 0x4800_002C;
const DMA1: u32 = 0x4002_0000;

const ADRDY: u32 = 1;
const EOSMP: u32 = 2;
const EOC: u32 = 4;
const EOS: u32 = 8;
const OVR: u32 = 16;
const JEOC: u32 = 32;
const JEOS: u32 = 64;
const JQOVF: u32 = 1 << 10;
const ADEN: u32 = 1;
const ADDIS: u32 = 2;
const ADSTART: u32 = 4;
const JADSTART: u32 = 8;
const ADSTP: u32 = 16;
const JADSTP: u32 = 32;
const ADVREGEN: u32 = 1 << 28;
const DEEPPWD: u32 = 1 << 29;
const ADCALDIF: u32 = 1 << 30;
const ADCAL: u32 = 1 << 31;
const CONT: u32 = 1 << 13;
const AUTDLY: u32 = 1 << 14;
const JQDIS: u32 = 1 << 31;

/// A conversion of 2.5 and 12.5 periods, and the latency before the first.
const ONE: u64 = 15;
const LATENCY: u64 = 2;

/// A part with its first converter.
#[derive(Clone, Copy)]
struct Kind {
    part: &'static str,
    adc: u32,
    /// The channels of PA0 and PA1, which is the negative input of the former's.
    first: u32,
    /// The lowest bits of EXTSEL, JEXTEN and JSQ1.
    extsel: u32,
    jexten: u32,
    jsq: u32,
    /// Bit 5 or 15.
    align: u32,
    /// The RCC's choice of the system's clock.
    adcsel: u32,
    /// The channel of the DMA takes its request from DMAMUX.
    muxed: bool,
    /// GPIOx_ASCR joins pins and converters.
    joined: bool,
}

const L476: Kind = Kind {
    part: "stm32l476rg",
    adc: 0x5004_0000,
    first: 5,
    extsel: 6,
    jexten: 6,
    jsq: 8,
    align: 5,
    adcsel: 3,
    muxed: false,
    joined: true,
};
const L4R5: Kind = Kind { part: "stm32l4r5zi", muxed: true, joined: false, ..L476 };
const G431: Kind = Kind {
    part: "stm32g431rb",
    adc: 0x5000_0000,
    first: 1,
    extsel: 5,
    jexten: 7,
    jsq: 9,
    align: 15,
    adcsel: 2,
    muxed: true,
    joined: false,
};
const KINDS: [Kind; 3] = [L476, L4R5, G431];

/// A bench with its converter.
struct Lab {
    bench: Bench,
    kind: Kind,
}

impl Lab {
    /// Clocks run, and PA0 to PA7 have voltages.
    fn new(kind: Kind) -> Self {
        let mut bench = Bench::of(kind.part, MemorySetting::Equal);
        for enable in [0x48, 0x4C, 0x58, 0x60] {
            bench.write(0x4002_1000 + enable, if enable == 0x48 { 0x0000_1107 } else { u32::MAX });
        }
        if kind.joined {
            bench.write(GPIOA_ASCR, 0xFF);
        }
        // The system's clock is the kernel's.
        bench.write(0x4002_1088, kind.adcsel << 28);
        steps(&mut bench);
        watch(&mut bench);
        let mut lab = Self { bench, kind };
        lab.write(CCR, 1 << 16);
        lab
    }

    /// The regulator is up, too.
    fn powered(kind: Kind) -> Self {
        let mut lab = Self::new(kind);
        lab.write(CR, 0);
        lab.write(CR, ADVREGEN);
        lab.bench.pass(1_000);
        lab
    }

    /// The converter is on, with the regular sequence of these pins of port A.
    fn ready(kind: Kind, pins: &[u32]) -> Self {
        let mut lab = Self::powered(kind);
        lab.write(CR, ADVREGEN | ADEN);
        lab.bench.pass(100);
        lab.write(ISR, u32::MAX);
        lab.sequence(pins);
        lab
    }

    fn sequence(&mut self, pins: &[u32]) {
        let mut registers = [pins.len() as u32 - 1, 0, 0, 0];
        for (rank, pin) in (1..).zip(pins) {
            registers[rank / 5] |= (self.kind.first + pin) << (6 * (rank % 5));
        }
        (0..).zip(registers).for_each(|(place, value)| self.write(SQR1 + 4 * place, value));
    }

    fn jsqr(&self, edges: u32, number: u32, pins: &[u32]) -> u32 {
        let ranks =
            (0..).zip(pins).fold(0, |all, (rank, pin)| all | (self.kind.first + pin) << (self.kind.jsq + 6 * rank));
        (pins.len() as u32 - 1) | number << 2 | edges << self.kind.jexten | ranks
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.bench.read(self.kind.adc + offset)
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.bench.write(self.kind.adc + offset, value);
    }

    fn command(&mut self, bits: u32) -> u64 {
        self.write(CR, ADVREGEN | ADEN | bits);
        self.bench.now
    }

    fn until(&mut self, flag: u32) -> u64 {
        until(&mut self.bench, self.kind.adc + ISR, flag)
    }

    /// The cycles and channels of the conversions since the last call, by pin.
    fn seen(&mut self) -> Vec<(u64, u32)> {
        let first = self.kind.first;
        conversions(&mut self.bench).into_iter().map(|(at, _, channel, _)| (at, u32::from(channel) - first)).collect()
    }

    fn pins(&mut self) -> Vec<u32> {
        self.seen().into_iter().map(|(_, pin)| pin).collect()
    }

    /// TIM6 updates every `period` cycles.
    fn tick(&mut self, period: u32) {
        self.bench.write(TIM6 + 4, 2 << 4);
        self.bench.write(TIM6 + 0x2C, period - 1);
        self.bench.write(TIM6, 1);
    }

    /// The DMA takes results as half-words.
    fn stream(&mut self, count: u32, circular: bool) {
        if self.kind.muxed {
            self.bench.write(0x4002_0800, 5);
        }
        self.bench.write(DMA1 + 0x10, self.kind.adc + DR);
        self.bench.write(DMA1 + 0x14, RAM);
        self.bench.write(DMA1 + 0x0C, count);
        self.bench.write(DMA1 + 0x08, 1 << 10 | 1 << 8 | 1 << 7 | u32::from(circular) << 5 | 1);
    }

    fn settings(&self) -> Vec<&str> {
        self.bench.gaps(GapKind::Setting)
    }
}

#[test]
fn it_leaves_deep_power_down_and_is_calibrated() {
    for kind in KINDS {
        let mut lab = Lab::new(kind);
        assert_eq!((lab.read(CR), lab.read(CFGR)), (DEEPPWD, JQDIS));
        lab.write(CR, DEEPPWD | ADVREGEN);
        assert_eq!(lab.read(CR), DEEPPWD, "no regulator in deep power-down");
        lab.write(CR, 0);
        lab.write(CR, ADVREGEN);
        lab.write(CR, ADVREGEN | ADEN);
        assert_eq!(lab.settings(), ["ADC1: used before its regulator is up (tADCVREG_STUP)"]);
        for differential in [0, ADCALDIF] {
            let mut lab = Lab::powered(kind);
            lab.write(CALFACT, 0x0055_0055);
            lab.write(CR, ADVREGEN | ADCAL | differential);
            lab.bench.pass(115);
            assert_ne!(lab.read(CR) & ADCAL, 0);
            lab.bench.pass(1);
            assert_eq!(lab.read(CR), ADVREGEN | differential);
            assert_eq!(lab.read(CALFACT), if differential == 0 { 0x0055_0000 } else { 0x55 });
            lab.write(CR, ADVREGEN | ADEN);
            let began = lab.bench.now;
            assert_eq!(lab.until(ADRDY), began + 15);
            assert_eq!(lab.read(CSR) & ADRDY, ADRDY);
            lab.command(ADDIS);
            lab.bench.pass(2);
            assert_eq!(lab.read(CR), ADVREGEN);
            assert!(lab.settings().is_empty());
        }
    }
}

#[test]
fn a_conversion_takes_its_sampling_time_and_half_a_period_more_than_its_bits() {
    for kind in KINDS {
        for (smp, sampling) in (0..).zip([5u64, 13, 25, 49, 95, 185, 495, 1_281]) {
            for (res, bits) in [(0, 12), (1, 10), (2, 8), (3, 6)] {
                let mut lab = Lab::ready(kind, &[3]);
                let channel = kind.first + 3;
                lab.write(SMPR1, smp << (3 * channel));
                lab.write(CFGR, JQDIS | res << 3);
                let began = lab.command(ADSTART);
                let end = began + LATENCY + (sampling + 2 * bits).div_ceil(2);
                assert_eq!(lab.until(EOC), end, "{} SMP {smp} RES {res}", kind.part);
                assert_eq!(lab.read(ISR), EOSMP | EOC | EOS);
                assert_eq!(lab.read(CR) & ADSTART, 0);
                assert_eq!(lab.read(DR), 400 >> (12 - bits));
                assert_eq!(lab.read(ISR), EOSMP | EOS);
            }
        }
    }
}

#[test]
fn the_clock_is_divided() {
    // CKMODE, PRESC; eighths of a period of latency, cycles of a period.
    for (mode, presc, eighths, period) in [(1, 0, 16, 1), (2, 0, 18, 2), (3, 0, 17, 4), (0, 1, 20, 2), (0, 9, 20, 64)] {
        let mut lab = Lab::ready(G431, &[0]);
        lab.write(CCR, mode << 16 | presc << 18);
        let began = lab.command(ADSTART);
        assert_eq!(lab.until(EOC), began + (eighths * period + 8 * ONE * period).div_ceil(8), "{mode} {presc}");
    }
    let mut lab = Lab::ready(G431, &[0]);
    lab.write(SMPR1, 1 << 31);
    let began = lab.command(ADSTART);
    assert_eq!(lab.until(EOC), began + LATENCY + ONE + 1, "SMPPLUS");
}

#[test]
fn sequences_are_scanned_in_rings_and_single_rounds() {
    for kind in [L4R5, G431] {
        for circular in [true, false] {
            let mut lab = Lab::ready(kind, &[0, 3, 1]);
            lab.stream(4, circular);
            lab.write(CFGR, JQDIS | CONT | u32::from(circular) << 1 | 1);
            let began = lab.command(ADSTART);
            lab.bench.pass(LATENCY + 6 * ONE + 10);
            let ring = [lab.bench.read(RAM), lab.bench.read(RAM + 4)];
            // In a ring the fifth and the sixth result have taken the places of the first ones.
            let expected =
                if circular { [400 | 200 << 16, 200 | 100 << 16] } else { [100 | 400 << 16, 200 | 100 << 16] };
            assert_eq!(ring, expected, "{}", kind.part);
            let seen = lab.seen();
            assert_eq!(seen.len(), if circular { 6 } else { 4 }, "the end of a single round is the converter's");
            for (count, (at, pin)) in (1..).zip(&seen) {
                assert_eq!((*at, *pin), (began + LATENCY + count * ONE, [0, 3, 1][(count as usize - 1) % 3]));
            }
            lab.command(ADSTP);
            lab.bench.pass(2);
            assert_eq!(lab.read(CR), ADVREGEN | ADEN);
            lab.bench.pass(500);
            assert!(lab.seen().is_empty());
            assert_eq!(lab.read(ISR) & OVR, 0);
        }
    }
}

#[test]
fn sixteen_ranks_and_discontinuous_groups() {
    let mut lab = Lab::ready(L476, &[0, 1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 3, 2, 1, 0]);
    lab.command(ADSTART);
    lab.bench.pass(LATENCY + 16 * ONE);
    assert_eq!(lab.pins(), [0, 1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 3, 2, 1, 0]);
    // Two at each start.
    lab.sequence(&[0, 1, 2]);
    lab.write(CFGR, JQDIS | 1 << 17 | 1 << 16);
    for expected in [[0, 1].as_slice(), &[2], &[0, 1]] {
        lab.write(ISR, u32::MAX);
        lab.command(ADSTART);
        lab.bench.pass(100);
        assert_eq!(lab.pins(), expected);
        assert_eq!((lab.read(ISR) & EOS != 0, lab.read(CR) & ADSTART), (expected.len() == 1, 0));
    }
}

#[test]
fn a_timer_starts_conversions() {
    // STM32G431's timers are of another version.
    for kind in [L476, L4R5] {
        let mut lab = Lab::ready(kind, &[0]);
        lab.write(CFGR, JQDIS | 1 << 12 | 1 << 10 | 13 << kind.extsel);
        lab.command(ADSTART);
        lab.bench.pass(500);
        assert!(lab.seen().is_empty());
        lab.tick(100);
        let began = lab.bench.now;
        lab.bench.pass(450);
        let seen: Vec<u64> = lab.seen().into_iter().map(|(at, _)| at - began).collect();
        assert_eq!(seen.len(), 4, "{}", kind.part);
        assert!(seen.windows(2).all(|pair| pair[1] - pair[0] == 100), "{seen:?}");
        assert!((117..125).contains(&seen[0]), "{seen:?}");
        assert_ne!(lab.read(CR) & ADSTART, 0);
        assert!(lab.settings().is_empty(), "{:?}", lab.settings());
    }
}

#[test]
fn an_injected_group_interrupts_a_regular_one() {
    for kind in KINDS {
        let mut lab = Lab::ready(kind, &[0, 1]);
        let jsqr = lab.jsqr(0, 0, &[2, 3]);
        lab.write(JSQR, jsqr);
        let began = lab.command(ADSTART);
        lab.bench.pass(5);
        let injected = lab.command(JADSTART);
        assert_eq!(lab.until(JEOC), injected + LATENCY + 1 + ONE);
        assert_eq!(lab.until(JEOS), injected + LATENCY + 1 + 2 * ONE);
        assert_eq!([lab.read(JDR1), lab.read(JDR1 + 4), lab.read(CR) & JADSTART], [300, 400, 0]);
        assert_eq!(lab.until(EOC), injected + LATENCY + 1 + 3 * ONE, "anew, after {began}");
        lab.bench.pass(100);
        assert_eq!(lab.pins(), [2, 3, 0, 1]);
        // An automatic group follows the regular one.
        lab.write(ISR, u32::MAX);
        lab.write(CFGR, JQDIS | 1 << 25 | 1 << 12);
        lab.command(ADSTART);
        lab.bench.pass(200);
        assert_eq!(lab.pins(), [0, 1, 2, 3]);
        assert_eq!(lab.read(ISR) & (EOS | JEOS), EOS | JEOS);
    }
}

#[test]
fn contexts_of_injected_groups_queue() {
    for keeps in [true, false] {
        let mut lab = Lab::ready(L476, &[0]);
        lab.write(CFGR, if keeps { 0 } else { 1 << 21 });
        let contexts = [[0].as_slice(), &[1, 2], &[3]].map(|pins| lab.jsqr(1, 14, pins));
        lab.write(JSQR, contexts[0]);
        lab.write(JSQR, contexts[1]);
        assert_eq!((lab.read(ISR) & JQOVF, lab.read(JSQR)), (0, contexts[0]));
        lab.write(JSQR, contexts[2]);
        assert_eq!(lab.read(ISR) & JQOVF, JQOVF, "there is no third place");
        lab.command(JADSTART);
        lab.tick(100);
        lab.bench.pass(350);
        assert_eq!(lab.pins(), if keeps { [0, 1, 2, 1, 2].as_slice() } else { &[0, 1, 2] });
        assert_eq!(lab.read(JSQR), if keeps { contexts[1] } else { 0 });
        lab.write(JSQR, contexts[2]);
        lab.bench.pass(100);
        assert_eq!(lab.pins(), [3]);
        lab.command(JADSTP);
        lab.bench.pass(300);
        assert_eq!((lab.pins().len(), lab.read(CR) & JADSTART), (0, 0));
    }
}

#[test]
fn an_overrun_keeps_the_old_result_or_the_new_one() {
    for mode in [0, 1] {
        let mut lab = Lab::ready(G431, &[0, 1]);
        lab.write(CFGR, JQDIS | mode << 12);
        let began = lab.command(ADSTART);
        assert_eq!(lab.until(OVR), began + LATENCY + 2 * ONE);
        assert_eq!(lab.read(DR), if mode == 0 { 100 } else { 200 });
    }
}

#[test]
fn a_conversion_waits_until_the_one_before_is_read() {
    let mut lab = Lab::ready(L476, &[0, 1]);
    lab.write(CFGR, JQDIS | CONT | AUTDLY);
    lab.command(ADSTART);
    lab.bench.pass(500);
    assert_eq!((lab.pins(), lab.read(DR)), (vec![0], 100));
    let began = lab.bench.now;
    lab.bench.pass(500);
    assert_eq!(lab.seen(), [(began + ONE, 1)]);
    lab.write(ISR, EOC);
    lab.bench.pass(500);
    assert_eq!((lab.pins(), lab.read(ISR) & OVR), (vec![0], 0));
}

#[test]
fn results_are_added_up_and_shifted() {
    for kind in KINDS {
        let mut lab = Lab::ready(kind, &[0, 1]);
        lab.write(CFGR2, 2 << 5 | 3 << 2 | 1);
        let began = lab.command(ADSTART);
        assert_eq!(lab.until(EOC), began + LATENCY + 16 * ONE);
        assert_eq!(lab.read(DR), 400);
        assert_eq!(lab.until(EOS), began + LATENCY + 32 * ONE);
        assert_eq!(lab.read(DR), 800);
        // The injected group alone, by two.
        let jsqr = lab.jsqr(0, 0, &[2]);
        lab.write(CFGR2, 2);
        lab.write(JSQR, jsqr);
        let began = lab.command(JADSTART);
        assert_eq!(lab.until(JEOS), began + LATENCY + 1 + 2 * ONE);
        assert_eq!(lab.read(JDR1), 600);
    }
}

#[test]
fn three_watchdogs_guard_channels() {
    for kind in KINDS {
        let awd = |cfgr: u32, masks: [u32; 2], thresholds: [u32; 2]| {
            let mut lab = Lab::ready(kind, &[2]);
            lab.write(CFGR, JQDIS | cfgr);
            for place in [0, 1] {
                lab.write(AWD2CR + 4 * place, masks[place as usize] << kind.first);
                lab.write(TR1 + 4 + 4 * place, thresholds[1]);
            }
            lab.write(TR1, thresholds[0]);
            lab.command(ADSTART);
            lab.bench.pass(100);
            lab.read(ISR) >> 7 & 7
        };
        let channel = kind.first + 2;
        // 300 is 0x12C.
        assert_eq!(awd(1 << 23, [4, 4], [300 << 16 | 300, 0x12 << 16 | 0x12]), 0);
        assert_eq!(awd(1 << 23, [4, 4], [299 << 16, 0x11 << 16]), 7);
        assert_eq!(awd(1 << 23, [4, 4], [0xFFF << 16 | 301, 0xFF << 16 | 0x13]), 7);
        assert_eq!(awd(0, [3, 4], [299 << 16, 0x11 << 16]), 4);
        assert_eq!(awd(1 << 23 | 1 << 22 | channel << 26, [4, 0], [299 << 16, 0x11 << 16]), 3);
        assert_eq!(awd(1 << 23 | 1 << 22 | (channel + 1) << 26, [0, 0], [299 << 16, 0]), 0);
    }
    // On STM32G4 the first one may wait for several in a row.
    let mut lab = Lab::ready(G431, &[2]);
    lab.write(CFGR, JQDIS | CONT | 1 << 23 | 1 << 12);
    lab.write(TR1, 299 << 16 | 2 << 12);
    let began = lab.command(ADSTART);
    assert_eq!(lab.until(1 << 7), began + LATENCY + 3 * ONE);
}

#[test]
fn offsets_gains_and_alignment_change_results() {
    let take = |kind: Kind, cfgr: u32, ofr: u32, gain: Option<u32>| {
        let mut lab = Lab::ready(kind, &[2]);
        lab.write(CFGR, JQDIS | cfgr);
        lab.write(OFR1 + 4, ofr);
        if let Some(gain) = gain {
            lab.write(CFGR2, 1 << 16);
            lab.write(GCOMP, gain);
        }
        lab.command(ADSTART);
        lab.bench.pass(100);
        lab.read(DR)
    };
    for kind in KINDS {
        let on = 1 << 31 | (kind.first + 2) << 26;
        assert_eq!(take(kind, 0, on | 100, None), 200);
        assert_eq!(take(kind, 0, on | 301, None), 0xFFFF);
        assert_eq!(take(kind, 0, (on | 301) & !(1 << 31), None), 300);
        assert_eq!(take(kind, 1 << kind.align, 0, None), 300 << 4);
        assert_eq!(take(kind, 1 << kind.align, on | 100, None), 200 << 3);
    }
    let on = 1 << 31 | 3 << 26;
    assert_eq!(take(G431, 0, on | 1 << 24 | 100, None), 400);
    assert_eq!(take(G431, 0, on | 1 << 25 | 301, None), 0);
    assert_eq!(take(G431, 0, 0, Some(2_048)), 150);
}

#[test]
fn differential_channels_give_the_difference() {
    for kind in KINDS {
        let mut lab = Lab::ready(kind, &[0]);
        lab.write(DIFSEL, 1 << kind.first);
        lab.command(ADSTART);
        lab.bench.pass(100);
        // 100 and 200: half of the scale less half of the difference.
        assert_eq!(lab.read(DR), 2_048 - 50, "{}", kind.part);
        apply(&mut lab.bench, 1, Voltage::Constant(millivolts(0)));
        lab.command(ADSTART);
        lab.bench.pass(100);
        assert_eq!(lab.read(DR), 2_048 + 50);
        assert!(lab.settings().is_empty());
    }
}

#[test]
fn internal_channels_fit_the_factory_words() {
    // The channels of sensor, battery and reference, and the temperature of TS_CAL2.
    for (kind, [sensor, battery, reference], hot) in
        [(L476, [17, 18, 0], 130.0), (L4R5, [17, 18, 0], 130.0), (G431, [16, 17, 18], 110.0)]
    {
        let mut lab = Lab::ready(kind, &[0]);
        let take = |lab: &mut Lab, channel: u32| {
            lab.write(SQR1, channel << 6);
            lab.command(ADSTART);
            lab.bench.pass(100);
            lab.read(DR)
        };
        assert_eq!(take(&mut lab, sensor), 0);
        assert_eq!(
            lab.settings(),
            ["ADC1: an internal channel is converted while its switch in CCR is 0, and reads 0 V"]
        );
        lab.write(CCR, 1 << 16 | 7 << 22);
        let words = [0x1FFF_75A8, 0x1FFF_75CA, 0x1FFF_75AA]
            .map(|at| f64::from(lab.bench.try_read(at, cyclescope_machine::Width::Half).unwrap()));
        let millivolts = 3_000.0 * words[2] / f64::from(take(&mut lab, reference));
        assert!((millivolts - 3_300.0).abs() < 3.0, "{millivolts}");
        for degrees in [-20, 25, 85] {
            let value = degrees.to_string();
            lab.bench.stimulate(0, Stimulus::Device { device: "die".into(), name: "temperature".into(), value });
            let at_3v = f64::from(take(&mut lab, sensor)) * 3.3 / 3.0;
            let measured = (hot - 30.0) / (words[1] - words[0]) * (at_3v - words[0]) + 30.0;
            assert!((measured - f64::from(degrees)).abs() < 1.0, "{degrees}: {measured}");
        }
        assert!(take(&mut lab, battery) > 1_000);
        assert_eq!(lab.settings().len(), 1);
    }
}

#[test]
fn flags_interrupt_and_the_common_register_shows_them() {
    let mut lab = Lab::ready(G431, &[0]);
    lab.write(IER, EOSMP);
    let began = lab.command(ADSTART);
    assert_eq!(lab.bench.until_line(18, 100), Some(began + LATENCY + 3), "2.5 periods, seen in the next cycle");
    lab.write(ISR, EOSMP);
    assert!(!lab.bench.bus.shared.interrupts.is_high(18));
    lab.write(IER, EOC);
    assert_eq!(lab.bench.until_line(18, 100), Some(began + LATENCY + ONE));
    assert_eq!(lab.read(CSR), EOC | EOS);
    // The second converter's flags are in the upper half, and it converts by itself.
    let second = G431.adc + 0x100;
    lab.bench.write(second + CR, 0);
    lab.bench.write(second + CR, ADVREGEN);
    lab.bench.pass(1_000);
    lab.bench.write(second + CR, ADVREGEN | ADEN);
    lab.bench.pass(50);
    lab.bench.write(second + SQR1, 17 << 6);
    lab.bench.write(second + CR, ADVREGEN | ADEN | ADSTART);
    lab.bench.pass(50);
    assert_eq!(lab.read(CSR), (EOSMP | EOC | EOS | ADRDY) << 16 | EOC | EOS);
    assert_eq!(lab.bench.read(second + DR), 500);
    // PC6 and on: the other register of sampling times.
    lab.write(SQR2, 0);
    lab.write(SQR1, 12 << 6);
    lab.write(SMPR2, 1 << 6);
    let began = lab.command(ADSTART);
    lab.bench.pass(200);
    assert_eq!(conversions(&mut lab.bench).last().map(|seen| seen.0), Some(began + LATENCY + ONE + 4));
}
