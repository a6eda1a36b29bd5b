//! Analog-to-digital converter (RP-008371-DS, "ADC and Temperature Sensor"): five inputs, conversions of 96 periods of clk_adc, one
//! by one, round robin or paced by a divider, and a FIFO.
//!
//! The voltage is that of the conversion's begin. The part's missing codes and its noise are not modelled; no conversion errs. A
//! conversion that is asked for while another goes on follows it.

use std::collections::VecDeque;

use cyclescope_machine::{GapKind, Pin, TimingRow};

use super::registers::{bank, ones};
use crate::{
    Bank, Block, Clocks, Converter, DmaRequest, Effect, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree,
    Words, Write,
};

const CS: u32 = 0x00;
const RESULT: u32 = 0x04;
const FCS: u32 = 0x08;
const FIFO: u32 = 0x0C;
const DIV: u32 = 0x10;
const INTR: u32 = 0x14;
const INTE: u32 = 0x18;
const INTF: u32 = 0x1C;
const INTS: u32 = 0x20;

/// CS.
const EN: u32 = 1 << 0;
const TS_EN: u32 = 1 << 1;
const START_ONCE: u32 = 1 << 2;
const START_MANY: u32 = 1 << 3;
const READY: u32 = 1 << 8;
const ERR: u32 = 1 << 9;
const ERR_STICKY: u32 = 1 << 10;
const AINSEL_SHIFT: u32 = 12;
const RROBIN_SHIFT: u32 = 16;

/// FCS.
const SHIFT: u32 = 1 << 1;
const DREQ_EN: u32 = 1 << 3;
const EMPTY: u32 = 1 << 8;
const FULL: u32 = 1 << 9;
const UNDER: u32 = 1 << 10;
const OVER: u32 = 1 << 11;
const LEVEL: u32 = 0xF << 16;

/// Entries of the FIFO.
const DEPTH: usize = 4;
/// The inputs, of which the first have the pins from GPIO26 on and the last one the sensor.
const INPUTS: u32 = 5;
const SENSOR: u32 = 4;
const FIRST_PIN: u8 = 26;
/// The codes of the converter.
const CODES: i64 = 4096;

/// The events: a conversion has ended, and one begins that the divider has kept waiting.
const ENDED: u16 = 0;
const NEXT: u16 = 1;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

const CONVERSION: usize = 0;
const SENSOR_OFFSET: usize = 1;
const SENSOR_SLOPE: usize = 2;

/// Conversions, and the sensor.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "adc.conversion",
        "periods of clk_adc that a conversion takes",
        96,
        "RP-008371-DS, ADC and Temperature Sensor, ADC Controller: a conversion takes 96 clock cycles",
    ),
    TimingRow::documented(
        "adc.sensor_offset",
        "microvolts of the temperature sensor at 27 degrees Celsius",
        706_000,
        "RP-008371-DS, Temperature Sensor: typically 0.706 V at 27 degrees; the die has 25 unless a stimulus says otherwise",
    ),
    TimingRow::documented(
        "adc.sensor_slope",
        "microvolts by which a degree more lowers that",
        1_721,
        "RP-008371-DS, Temperature Sensor: typically -1.721 mV per degree",
    ),
];

/// The converter.
#[derive(Clone, Debug)]
pub struct Adc {
    bank: Bank,
    lines: Lines,
    request: DmaRequest,
    fifo: VecDeque<u16>,
    /// The code of the conversion under way, and its end.
    code: u16,
    ends: Instant,
    /// When the divider began, and the conversions that it has let begin since.
    paced_from: Instant,
    paced: u64,
}

impl Adc {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, PARTLY),
            lines: Lines::new(instance, &[("ADC_IRQ_FIFO", 1)]),
            request: DmaRequest::new(instance, "ADC"),
            fifo: VecDeque::new(),
            code: 0,
            ends: Instant::NEVER,
            paced_from: Instant::NEVER,
            paced: 0,
        }
    }

    fn is(&self, bits: u32) -> bool {
        self.bank.get(CS) & bits == bits
    }

    fn converts(&self) -> bool {
        self.ends != Instant::NEVER
    }

    fn selected(&self) -> u32 {
        self.bank.get(CS) >> AINSEL_SHIFT & 7
    }

    /// The time before which the divider lets no conversion begin: its period is 1 + INT + FRAC / 256, if it has one at all.
    fn paced_to(&self, clocks: &Clocks) -> Instant {
        let div = u64::from(self.bank.get(DIV));
        if div == 0 || self.paced_from == Instant::NEVER {
            return Instant::default();
        }
        let parts = u128::from(self.paced) * u128::from(div + 256);
        let periods = u64::try_from(parts.div_ceil(256)).unwrap_or(u64::MAX);
        self.paced_from.after(clocks.period_of(Source::Converters).times(periods))
    }

    /// The divider begins anew.
    fn pace(&mut self, env: &Env<'_, '_>) {
        self.paced = 0;
        self.paced_from = if self.is(EN | START_MANY) { env.now() } else { Instant::NEVER };
    }

    /// A conversion begins, if one is asked for and may.
    fn begin(&mut self, env: &mut Env<'_, '_>) {
        env.cancel(NEXT);
        if self.converts() || !self.is(EN) || self.bank.get(CS) & (START_ONCE | START_MANY) == 0 {
            return;
        }
        let period = env.clocks().period_of(Source::Converters);
        if period == Span::ZERO {
            return env.gap(GapKind::Setting, format_args!("ADC: clk_adc does not run, so that no conversion begins"));
        }
        let (now, at) = (env.now(), self.paced_to(env.clocks()));
        if self.is(START_MANY) && now < at {
            return env.schedule(NEXT, at);
        }
        if self.is(START_MANY) {
            self.paced += 1;
        }
        self.bank.flag(CS, START_ONCE, false);
        let periods = env.cycles(&ROWS[CONVERSION]);
        self.ends = env.clocks().edge_from(Source::Converters, now).after(period.times(periods));
        env.schedule(ENDED, self.ends);
        self.sample(env);
    }

    /// The voltage at the input is taken.
    fn sample(&mut self, env: &mut Env<'_, '_>) {
        self.code = 0;
        match self.selected() {
            SENSOR if self.is(TS_EN) => {
                let [offset, slope] = [SENSOR_OFFSET, SENSOR_SLOPE].map(|row| env.cycles(&ROWS[row]) as i64);
                let above = i64::from(env.wires.outside.die().millidegrees) - 27_000;
                self.convert(offset - slope * above / 1_000, env);
            }
            SENSOR => env.gap(GapKind::Setting, format_args!("ADC: the temperature sensor is off, and reads 0 V")),
            input @ ..SENSOR => {
                let pin = Pin::gpio(FIRST_PIN + input as u8);
                let at = env.picoseconds();
                env.effect(Effect::Measure { pin, at });
            }
            input => env.gap(GapKind::Setting, format_args!("ADC: there is no input {input}, which reads 0 V")),
        }
    }

    fn convert(&mut self, microvolts: i64, env: &Env<'_, '_>) {
        let reference = i64::from(env.wires.outside.reference()).max(1);
        self.code = (microvolts * CODES / reference).clamp(0, CODES - 1) as u16;
    }

    fn ended(&mut self, env: &mut Env<'_, '_>) {
        self.ends = Instant::NEVER;
        self.bank.set(RESULT, self.code.into());
        let fcs = self.bank.get(FCS);
        if fcs & 1 != 0 {
            if self.fifo.len() < DEPTH {
                self.fifo.push_back(if fcs & SHIFT != 0 { self.code >> 4 } else { self.code });
            } else {
                self.bank.flag(FCS, OVER, true);
            }
        }
        let (cs, input) = (self.bank.get(CS), self.selected());
        let round = cs >> RROBIN_SHIFT & ((1 << INPUTS) - 1);
        let next = (1..=INPUTS).map(|step| (input + step) % INPUTS).find(|next| round >> next & 1 != 0);
        if let Some(next) = next {
            self.bank.set(CS, cs & !(7 << AINSEL_SHIFT) | next << AINSEL_SHIFT);
        }
        self.begin(env);
    }

    /// Flags that follow, the interrupt and the request.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let level = self.fifo.len() as u32;
        self.bank.flag(CS, READY, self.is(EN) && !self.converts());
        let fcs = self.bank.get(FCS) & !(LEVEL | EMPTY | FULL);
        let full = if level == DEPTH as u32 { FULL } else { 0 };
        let empty = if level == 0 { EMPTY } else { 0 };
        self.bank.set(FCS, fcs | level << 16 | full | empty);
        // A threshold of 0 is one of 1: an empty FIFO asks for nothing.
        let reached = level >= (fcs >> 24 & 0xF).max(1);
        self.bank.set(INTR, reached.into());
        let status = self.bank.get(INTR) & self.bank.get(INTE) | self.bank.get(INTF);
        self.bank.set(INTS, status);
        self.lines.drive(status, env);
        self.request.drive(reached && fcs & DREQ_EN != 0, env);
    }
}

impl Converter for Adc {
    fn measured(&mut self, microvolts: i32, env: &mut Env<'_, '_>) {
        self.convert(microvolts.into(), env);
    }
}

impl Block<Words> for Adc {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset == FIFO {
            match self.fifo.pop_front() {
                Some(value) => self.bank.set(FIFO, value.into()),
                None => self.bank.flag(FCS, UNDER, true),
            }
            self.settle(env);
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == FIFO { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CS => {
                let (old, new) = self.bank.write(CS, write, env);
                // Flags are read, and the sticky one cleared by a one.
                let kept = READY | ERR | ERR_STICKY;
                self.bank.set(CS, new & !kept | old & kept & !(ones(write) & ERR_STICKY));
                if (old ^ new) & (EN | START_MANY) != 0 {
                    self.pace(env);
                }
                if new & EN == 0 {
                    self.bank.flag(CS, START_ONCE, false);
                    self.ends = Instant::NEVER;
                    env.cancel(ENDED);
                }
            }
            FCS => {
                let (old, new) = self.bank.write(FCS, write, env);
                let kept = EMPTY | FULL | LEVEL | UNDER | OVER;
                self.bank.set(FCS, new & !kept | old & kept & !(ones(write) & (UNDER | OVER)));
            }
            _ => {
                self.bank.write(offset, write, env);
                if offset == DIV {
                    self.pace(env);
                }
            }
        }
        self.begin(env);
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == ENDED && env.now() >= self.ends {
            self.ended(env);
        } else if kind == NEXT {
            self.begin(env);
        }
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        let (before, after, now) = (old.converters, env.clocks().period_of(Source::Converters), env.now());
        if before != after {
            if after != Span::ZERO {
                self.ends = self.ends.rescaled(now, before, after);
            }
            // The divider counts on from here.
            self.pace(env);
        }
        env.schedule(ENDED, self.ends);
        self.begin(env);
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        (self.ends, self.paced_from) = (self.ends.refined(times), self.paced_from.refined(times));
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.fifo.clear();
        (self.code, self.ends) = (0, Instant::NEVER);
        self.pace(env);
        env.cancel_all();
        self.settle(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
