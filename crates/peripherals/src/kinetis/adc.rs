//! Analog-to-digital converter of the Kinetis K20 (K20P64M72SF1RM, "Analog-to-Digital Converter (ADC)").
//!
//! A conversion is sampled once, or as often as it averages, and ends with one more event. Results are exact: calibration, gains
//! and offsets correct errors that this converter does not have, so that their registers are kept and change nothing.
//!
//! Hardware triggers are those of PDB: the first of its channel's pre-triggers converts as SC1A says, the second as SC1B. Pairs of
//! pins (DIFF) give signed results; their pins are on no port, so that only inner sources have a voltage.
//!
//! Not modelled, and named when used: other triggers (SIM_SOPT7), the amplifier, and the clock from outside the bus (ADICLK 2).

use cyclescope_machine::{GapKind, Pin, TimingRow, Transfer};

use crate::bank::all;
use crate::{
    Bank, Block, Clocks, DmaRequest, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write,
};

use super::pdb::{DONE, PRETRIGGERS};
use super::registers::bank;

const SC1A: u32 = 0x00;
const SC1B: u32 = 0x04;
const CFG1: u32 = 0x08;
const CFG2: u32 = 0x0C;
const RA: u32 = 0x10;
const RB: u32 = 0x14;
const CV1: u32 = 0x18;
const CV2: u32 = 0x1C;
const SC2: u32 = 0x20;
const SC3: u32 = 0x24;

const DIFF: u32 = 1 << 5;
const AIEN: u32 = 1 << 6;
const COCO: u32 = 1 << 7;
const ADLSMP: u32 = 1 << 4;
const ADHSC: u32 = 1 << 2;
const ADACKEN: u32 = 1 << 3;
const MUXSEL: u32 = 1 << 4;
const DMAEN: u32 = 1 << 2;
const ACREN: u32 = 1 << 3;
const ACFGT: u32 = 1 << 4;
const ACFE: u32 = 1 << 5;
const ADTRG: u32 = 1 << 6;
const ADACT: u32 = 1 << 7;
const AVGE: u32 = 1 << 2;
const ADCO: u32 = 1 << 3;
const CALF: u32 = 1 << 6;
const CAL: u32 = 1 << 7;

/// ADCH of a converter that is off.
const OFF: u32 = 31;

/// The modelled registers and fields, with the values after reset ("ADC memory map").
pub const MODEL: &[Modelled] = &[
    all("SC1A", 0x1F).and(&["SC1B"]),
    all("CFG1", 0),
    all("CFG2", 0),
    all("RA", 0).and(&["RB"]),
    all("CV1", 0).and(&["CV2"]),
    all("SC2", 0),
    all("SC3", 0),
    all("OFS", 4),
    all("PG", 0x8200).and(&["MG"]),
    all("CLPD", 0x0A).and(&["CLMD"]),
    all("CLPS", 0x20).and(&["CLMS", "CLP0", "CLM0"]),
    all("CLP4", 0x200).and(&["CLM4"]),
    all("CLP3", 0x100).and(&["CLM3"]),
    all("CLP2", 0x80).and(&["CLM2"]),
    all("CLP1", 0x40).and(&["CLM1"]),
];

/// The converter's timing.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "adc.start",
        "periods of the bus clock that a single conversion, or the first of several, takes more (SFCAdder)",
        5,
        "K20P64M72SF1RM, \"Sample time and total conversion time\": and five of ADCK, or three with a long sample",
    ),
    TimingRow::assumed(
        "adc.sample",
        "periods of ADCK from the beginning of a conversion to the end of a short sample",
        4,
        "K20P64M72SF1RM says how much longer a long sample is, not where the sample lies",
    ),
    TimingRow::assumed(
        "adc.calibration",
        "periods of ADCK of a calibration, beside 100 of the bus clock",
        14_000,
        "K20P64M72SF1RM, \"Calibration function\": up to 14k, depending on its results",
    ),
];

/// Of the internal asynchronous clock ADACK, without high speed and low power (K20P64M72SF1, table 25: 2.4 to 6.1 MHz).
const ADACK_PERIOD_NANOSECONDS: u64 = 250;

/// The channels with pins on a port: converter, channel, MUXSEL's choice b, pin ("K20 Signal Multiplexing and Pin
/// Assignments").
const PINS: &[(&str, u32, bool, Pin)] = &[
    ("ADC0", 4, true, pin(2, 2)),
    ("ADC0", 5, true, pin(3, 1)),
    ("ADC0", 6, true, pin(3, 5)),
    ("ADC0", 7, true, pin(3, 6)),
    ("ADC0", 8, false, pin(1, 0)),
    ("ADC0", 9, false, pin(1, 1)),
    ("ADC0", 12, false, pin(1, 2)),
    ("ADC0", 13, false, pin(1, 3)),
    ("ADC0", 14, false, pin(2, 0)),
    ("ADC0", 15, false, pin(2, 1)),
    ("ADC1", 4, true, pin(2, 8)),
    ("ADC1", 5, true, pin(2, 9)),
    ("ADC1", 6, true, pin(2, 10)),
    ("ADC1", 7, true, pin(2, 11)),
    ("ADC1", 8, false, pin(1, 0)),
    ("ADC1", 9, false, pin(1, 1)),
];

const fn pin(port: u8, number: u8) -> Pin {
    Pin { port, number }
}

/// The sensor of temperature at 25 degrees, the bandgap, and the internal reference, in microvolts (K20P64M72SF1, tables 25, 10
/// and 32).
const TEMPERATURE: i32 = 719_000;
/// The sensor's loss a degree.
const SLOPE: i32 = 1_715;
const BANDGAP: i32 = 1_000_000;
const REFERENCE: i32 = 1_195_000;

/// The event at which a voltage is sampled, at which a conversion ends, and at which a calibration does.
const SAMPLE: u16 = 0;
const END: u16 = 1;
const CALIBRATED: u16 = 2;

/// A conversion under way.
#[derive(Clone, Copy, Debug)]
struct Conversion {
    /// 0 as SC1A says, 1 as SC1B.
    which: u32,
    /// The samples that are still to come, and the sum of the others.
    left: u32,
    sum: i64,
    /// The number of samples.
    count: u32,
    next: Instant,
    end: Instant,
    /// From one sample to the next.
    each: Span,
}

/// One converter.
#[derive(Clone, Debug)]
pub struct Adc {
    bank: Bank,
    lines: Lines,
    clock: Source,
    request: DmaRequest,
    /// The pre-triggers that convert as SC1A and SC1B say.
    triggers: [&'static str; 2],
    conversion: Option<Conversion>,
    /// When the calibration under way ends.
    calibration: Option<Instant>,
}

impl Adc {
    /// The converter `instance`, clocked by its bus.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            clock: instance.clock.source(),
            request: DmaRequest::new(instance, "GLOBAL"),
            triggers: if instance.name == "ADC1" {
                [PRETRIGGERS[2], PRETRIGGERS[3]]
            } else {
                [PRETRIGGERS[0], PRETRIGGERS[1]]
            },
            conversion: None,
            calibration: None,
        }
    }

    /// The bits of a result: MODE, with the sign of a pair.
    fn bits(&self, pair: bool) -> u32 {
        let mode = (self.bank.get(CFG1) >> 2 & 3) as usize;
        if pair { [9, 13, 11, 16][mode] } else { [8, 12, 10, 16][mode] }
    }

    fn sc1(&self, which: u32) -> u32 {
        self.bank.get(SC1A + 4 * which)
    }

    /// True if `which` converts the difference of a pair.
    fn is_pair(&self, which: u32) -> bool {
        self.sc1(which) & DIFF != 0
    }

    /// The period of ADCK.
    fn adck(&self, env: &mut Env<'_, '_>) -> Span {
        let cfg1 = self.bank.get(CFG1);
        let bus = env.clocks().period_of(self.clock);
        let clock = match cfg1 & 3 {
            0 => bus,
            1 => bus.times(2),
            2 => {
                env.gap(GapKind::Setting, format_args!("{}: ADICLK = 2 (ALTCLK), taken as the bus clock", env.name()));
                bus
            }
            _ => env.clocks().span(cyclescope_machine::units::Picoseconds::new(ADACK_PERIOD_NANOSECONDS * 1_000)),
        };
        clock.times(1 << (cfg1 >> 5 & 3))
    }

    /// Periods of ADCK of one conversion, and of its sample's part that ADLSTS makes longer ("Sample time and total
    /// conversion time").
    fn lengths(&self, pair: bool) -> (u64, u64) {
        let (cfg1, cfg2) = (self.bank.get(CFG1), self.bank.get(CFG2));
        let base = if pair { [27, 30, 30, 34] } else { [17, 20, 20, 25] }[(cfg1 >> 2 & 3) as usize];
        let long = if cfg1 & ADLSMP != 0 { [20, 12, 6, 2][(cfg2 & 3) as usize] } else { 0 };
        let fast = if cfg2 & ADHSC != 0 { 2 } else { 0 };
        (base + long + fast, long)
    }

    fn samples(&self) -> u32 {
        let sc3 = self.bank.get(SC3);
        if sc3 & AVGE != 0 { 4 << (sc3 & 3) } else { 1 }
    }

    /// A conversion as SC1A (0) or SC1B says begins, or (`again`) the next of several.
    fn start(&mut self, which: u32, again: bool, env: &mut Env<'_, '_>) {
        ROWS[..2].iter().for_each(|row| env.wires.note(row));
        let (adck, (length, long)) = (self.adck(env), self.lengths(self.is_pair(which)));
        if adck == Span::ZERO {
            return env.gap(GapKind::Setting, format_args!("{}: the converter has no clock", env.name()));
        }
        let (cfg1, cfg2) = (self.bank.get(CFG1), self.bank.get(CFG2));
        let mut begin = env.now();
        if !again {
            let first = if cfg1 & ADLSMP != 0 { 3 } else { 5 };
            let bus = env.clocks().period_of(self.clock).times(u64::from(ROWS[0].cycles));
            begin = begin.after(adck.times(first)).after(bus);
            if cfg1 & 3 == 3 && cfg2 & ADACKEN == 0 {
                begin = begin.after(env.clocks().microseconds(5));
            }
        }
        let (count, each) = (self.samples(), adck.times(length));
        let next = begin.after(adck.times(u64::from(ROWS[1].cycles) + long));
        let end = begin.after(each.times(count.into()));
        self.conversion = Some(Conversion { which, left: count, sum: 0, count, next, end, each });
        env.schedule(SAMPLE, next);
        env.schedule(END, end);
    }

    fn give_up(&mut self, env: &mut Env<'_, '_>) {
        self.conversion = None;
        env.cancel(SAMPLE);
        env.cancel(END);
    }

    /// The voltage at the channel that SC1A or SC1B chooses, in microvolts.
    fn voltage(&self, which: u32, reference: i32, env: &mut Env<'_, '_>) -> i32 {
        let (sc1, second) = (self.sc1(which), self.bank.get(CFG2) & MUXSEL != 0);
        let (channel, name) = (sc1 & 31, env.name());
        match channel {
            26 => return TEMPERATURE - (env.wires.outside.die().millidegrees - 25_000) / 1000 * SLOPE,
            27 => return BANDGAP,
            29 => return if sc1 & DIFF != 0 { -reference } else { reference },
            30 if sc1 & DIFF == 0 => return 0,
            _ => {}
        }
        let wired = { PINS.iter() }.find(|(of, known, b, _)| {
            *of == name && *known == channel && (*b == second || !(4..8).contains(known)) && sc1 & DIFF == 0
        });
        let Some((.., pin)) = wired else {
            env.gap(GapKind::Setting, format_args!("{name}: no pin of a port has channel {channel}, taken as 0 V"));
            return 0;
        };
        env.voltage(*pin).unwrap_or_else(|| {
            env.gap(GapKind::Setting, format_args!("{name}: no stimulus puts a voltage on {pin}, taken as 0 V"));
            0
        })
    }

    fn sample(&mut self, env: &mut Env<'_, '_>) {
        let Some(mut conversion) = self.conversion else { return };
        let supply = env.wires.outside.supply();
        // REFSEL 1 is VREF, the others the pins VREFH and VREFL.
        let reference = if self.bank.get(SC2) & 3 == 1 { REFERENCE } else { supply };
        let pair = self.is_pair(conversion.which);
        let top = 1i64 << (self.bits(pair) - u32::from(pair));
        let result = i64::from(self.voltage(conversion.which, reference, env)) * top / i64::from(reference.max(1));
        conversion.sum += result.clamp(if pair { -top } else { 0 }, top - 1);
        conversion.left = conversion.left.saturating_sub(1);
        if conversion.left > 0 {
            conversion.next = conversion.next.after(conversion.each);
            env.schedule(SAMPLE, conversion.next);
        }
        self.conversion = Some(conversion);
    }

    /// Tells if the compare function lets `result` pass ("Automatic compare function").
    fn passes(&self, result: i64, pair: bool) -> bool {
        let sc2 = self.bank.get(SC2);
        // Those of pairs have a sign.
        let value = |at: u32| if pair { i64::from(self.bank.get(at) as i16) } else { self.bank.get(at).into() };
        let (low, high) = (value(CV1), value(CV2));
        match (sc2 & ACFE != 0, sc2 & ACREN != 0, sc2 & ACFGT != 0) {
            (false, ..) => true,
            (_, false, greater) => (result >= low) == greater,
            (_, true, false) if low <= high => result < low || result > high,
            (_, true, false) => result < low && result > high,
            (_, true, true) if low <= high => (low..=high).contains(&result),
            (_, true, true) => result >= low || result <= high,
        }
    }

    fn ended(&mut self, conversion: Conversion, env: &mut Env<'_, '_>) {
        let which = conversion.which;
        let result = conversion.sum / i64::from(conversion.count.max(1));
        if self.passes(result, self.is_pair(which)) {
            self.bank.set(RA + 4 * which, (result as u16).into());
            self.bank.flag(SC1A + 4 * which, COCO, true);
            env.pulse(DONE[which as usize & 1]);
        }
        let channel = (self.sc1(which) & 31) as u8;
        env.transfer(Transfer::Conversion { channel, value: result as u16 });
        if self.bank.get(SC3) & ADCO != 0 {
            self.start(which, true, env);
        }
    }

    fn calibrate(&mut self, env: &mut Env<'_, '_>) {
        self.give_up(env);
        let periods = env.cycles(&ROWS[2]);
        let bus = env.clocks().period_of(self.clock).times(100);
        let end = env.now().after(self.adck(env).times(periods)).after(bus);
        self.bank.flag(SC1A, COCO, false);
        self.bank.flag(SC3, CALF, false);
        if self.bank.get(SC2) & ADTRG != 0 {
            // It needs the software trigger.
            self.bank.flags(SC3, &[(CALF, true), (CAL, false)]);
            return;
        }
        self.calibration = Some(end);
        env.schedule(CALIBRATED, end);
    }

    /// A write during a calibration makes it fail.
    fn disturb(&mut self, env: &mut Env<'_, '_>) {
        if self.calibration.take().is_some() {
            env.cancel(CALIBRATED);
            self.bank.flags(SC3, &[(CALF, true), (CAL, false)]);
        }
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        self.bank.flag(SC2, ADACT, self.conversion.is_some() || self.calibration.is_some());
        let both = [self.sc1(0), self.sc1(1)];
        self.lines.drive(u32::from(both.iter().any(|sc1| sc1 & (AIEN | COCO) == AIEN | COCO)), env);
        let done = both.iter().any(|sc1| sc1 & COCO != 0);
        self.request.drive(self.bank.get(SC2) & DMAEN != 0 && done, env);
    }

    /// Hears PDB, if conversions begin by hardware.
    fn listen(&self, env: &mut Env<'_, '_>) {
        let by_hardware = self.bank.get(SC2) & ADTRG != 0;
        for (input, trigger) in (0..).zip(self.triggers) {
            env.hear(input, by_hardware.then_some(("PDB0", trigger)));
        }
    }
}

impl Block<Words> for Adc {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = self.bank.read(offset & !3, env);
        if let which @ (RA | RB) = offset & !3 {
            self.bank.flag(SC1A + which - RA, COCO, false);
            self.settle(env);
        }
        value
    }

    fn triggered(&mut self, input: u8, high: bool, env: &mut Env<'_, '_>) {
        let which = u32::from(input & 1);
        let free = self.conversion.is_none() && self.calibration.is_none();
        if high && free && self.sc1(which) & OFF != OFF {
            self.start(which, false, env);
            self.settle(env);
        }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if matches!(offset & !3, RA | RB) { None } else { self.bank.still(offset & !3) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset <= SC3 {
            self.disturb(env);
        }
        match offset {
            SC1A | SC1B if self.bank.get(SC2) & ADTRG != 0 || offset == SC1B => {
                // A write ends the conversion that the register decides about.
                if self.conversion.is_some_and(|conversion| SC1A + 4 * conversion.which == offset) {
                    self.give_up(env);
                }
                self.bank.write(offset, write, env);
                self.bank.flag(offset, COCO, false);
            }
            SC1A => {
                self.give_up(env);
                self.bank.write(SC1A, write, env);
                self.bank.flag(SC1A, COCO, false);
                if self.bank.get(SC1A) & OFF != OFF {
                    self.start(0, false, env);
                }
            }
            CFG1 | CFG2 | SC2 | SC3 | CV1 | CV2 => {
                // A new configuration ends a conversion ("Aborting conversions").
                self.give_up(env);
                let old = self.bank.get(offset);
                let (_, new) = self.bank.write(offset, write, env);
                if offset == SC2 {
                    self.listen(env);
                }
                if offset == SC3 {
                    // CALF is cleared by writing one.
                    let failed = old & CALF != 0 && write.ones() & CALF == 0;
                    self.bank.flag(SC3, CALF, failed);
                    if new & CAL != 0 {
                        self.calibrate(env);
                    }
                }
            }
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            SAMPLE => self.sample(env),
            END => {
                if let Some(conversion) = self.conversion.take() {
                    self.ended(conversion, env);
                }
            }
            _ => {
                if self.calibration.take().is_some() {
                    self.bank.flag(SC3, CAL, false);
                    self.bank.flag(SC1A, COCO, true);
                }
            }
        }
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.give_up(env);
        self.calibration = None;
        env.cancel(CALIBRATED);
        self.listen(env);
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let (before, after, now) = (old.period_of(self.clock), env.clocks().period_of(self.clock), env.now());
        if after == Span::ZERO {
            return;
        }
        if let Some(conversion) = &mut self.conversion {
            conversion.each = conversion.each.rescaled(before, after);
            conversion.end = conversion.end.rescaled(now, before, after);
            env.schedule(END, conversion.end);
            if conversion.left > 0 {
                conversion.next = conversion.next.rescaled(now, before, after);
                env.schedule(SAMPLE, conversion.next);
            }
        }
        if let Some(end) = &mut self.calibration {
            *end = end.rescaled(now, before, after);
            env.schedule(CALIBRATED, *end);
        }
    }

    fn refine(&mut self, times: u64) {
        if let Some(conversion) = &mut self.conversion {
            (conversion.next, conversion.end) = (conversion.next.refined(times), conversion.end.refined(times));
            conversion.each = conversion.each.times(times);
        }
        if let Some(end) = &mut self.calibration {
            *end = end.refined(times);
        }
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
