//! CORDIC co-processor of STM32G4 (RM0440, "CORDIC co-processor (CORDIC)").
//!
//! A calculation begins with its last argument. Arguments that come meanwhile wait, and their calculation begins when the result
//! before has been read. A read before a result is there waits for it on the bus.

mod arithmetic;

use cyclescope_machine::{GapKind, TimingRow};

use self::arithmetic::{Function, results};
use crate::bank::all;
use crate::{Bank, Block, Clocks, DmaRequest, Env, Instance, Instant, Lines, Modelled, Source, Tree, Words, Write};

const CSR: u32 = 0x00;
const WDATA: u32 = 0x04;
const RDATA: u32 = 0x08;

/// Bits of CSR.
const IEN: u32 = 1 << 16;
const DMAREN: u32 = 1 << 17;
const DMAWEN: u32 = 1 << 18;
const NRES: u32 = 1 << 19;
const NARGS: u32 = 1 << 20;
const RESSIZE: u32 = 1 << 21;
const ARGSIZE: u32 = 1 << 22;
const RRDY: u32 = 1 << 31;

/// The modelled registers and fields, with the values after reset (RM0440, "CORDIC register map").
pub const MODEL: &[Modelled] = &[all("CSR", 0x50), all("WDATA", 0).and(&["RDATA"])];

/// The time of a calculation.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "cordic.iterations",
        "iterations in a period of HCLK",
        4,
        "RM0440, CORDIC precision; to be checked in its text",
    ),
    TimingRow::assumed(
        "cordic.scaling",
        "from the last argument to the result beside the iterations, in periods of HCLK",
        0,
        "RM0440, CORDIC precision, counts the cycles of the iterations and names no others",
    ),
];

/// The co-processor.
#[derive(Clone, Debug)]
pub struct Cordic {
    bank: Bank,
    lines: Lines,
    read: DmaRequest,
    write: DmaRequest,
    arguments: [i32; 2],
    /// The first of two arguments has come.
    half: bool,
    /// Arguments and the CSR of a calculation that waits.
    waiting: Option<([i32; 2], u32)>,
    /// The results that a calculation ends with, and when.
    busy: Option<(Instant, [i32; 2])>,
    results: [i32; 2],
    /// Reads of RDATA that are left.
    left: u8,
}

impl Cordic {
    /// The co-processor after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            read: DmaRequest::new(instance, "READ"),
            write: DmaRequest::new(instance, "WRITE"),
            // RM0440, "CORDIC_WDATA": the second argument is 1 after reset.
            arguments: [0, i32::MAX],
            half: false,
            waiting: None,
            busy: None,
            results: [0; 2],
            left: 0,
        }
    }

    /// When an access to the register at `offset` gets its answer, if not at once.
    pub fn answers_at(&self, offset: u32) -> Option<Instant> {
        self.busy.filter(|_| offset == RDATA && self.left == 0).map(|(at, _)| at)
    }

    fn csr(&self) -> u32 {
        self.bank.get(CSR)
    }

    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let ready = self.left > 0;
        self.bank.flag(CSR, RRDY, ready);
        let csr = self.csr();
        self.lines.drive(u32::from(ready && csr & IEN != 0), env);
        self.read.drive(ready && csr & DMAREN != 0, env);
        self.write.drive(self.waiting.is_none() && csr & DMAWEN != 0, env);
    }

    fn argument(&mut self, value: u32, env: &mut Env<'_, '_>) {
        let csr = self.csr();
        if csr & ARGSIZE != 0 {
            self.arguments = [(value << 16) as i32, (value & 0xFFFF_0000) as i32];
        } else if csr & NARGS != 0 && self.half {
            self.arguments[1] = value as i32;
            self.half = false;
        } else {
            self.arguments[0] = value as i32;
            self.half = csr & NARGS != 0;
            if self.half {
                return;
            }
        }
        if self.waiting.is_some() {
            let name = env.name();
            env.gap(
                GapKind::Setting,
                format_args!("{name}: arguments are written while others wait, and replace them"),
            );
        }
        self.waiting = Some((self.arguments, csr));
        self.begin(env);
    }

    /// Begins the calculation that waits, if the results before have been read.
    fn begin(&mut self, env: &mut Env<'_, '_>) {
        if self.busy.is_some() || self.left > 0 {
            return;
        }
        let Some((arguments, csr)) = self.waiting.take() else { return };
        let (scale, precision) = (csr >> 8 & 7, (csr >> 4 & 15).max(1));
        let Some(function) = Function::of(csr & 15) else {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}_CSR.FUNC={} is reserved", csr & 15));
            return;
        };
        let (least, most) = function.scales();
        if !(least..=most).contains(&scale) || !function.converges(arguments[0], scale) {
            let name = env.name();
            let sentence = "an argument or SCALE outside the function's range: the result is this model's own";
            env.gap(GapKind::Setting, format_args!("{name}: {sentence}"));
        }
        let iterations = env.cycles(&ROWS[0]) as u32 * precision;
        let cycles = u64::from(precision) + env.cycles(&ROWS[1]);
        let at = env.now().after(env.clocks().period_of(Source::Hclk).times(cycles));
        self.busy = Some((at, results(function, arguments, scale, iterations)));
        env.schedule(0, at);
    }

    fn finish(&mut self, env: &mut Env<'_, '_>) {
        if let Some((_, results)) = self.busy.take() {
            env.cancel(0);
            self.results = results;
            self.left = if self.csr() & NRES != 0 { 2 } else { 1 };
        }
    }

    fn result(&mut self, env: &mut Env<'_, '_>) -> u32 {
        if self.left == 0 {
            self.finish(env);
        }
        let second = self.left == 1 && self.csr() & NRES != 0;
        let [first, other] = self.results.map(|result| result as u32);
        let value = if self.csr() & RESSIZE != 0 {
            first >> 16 | other & 0xFFFF_0000
        } else if second {
            other
        } else {
            first
        };
        self.left = self.left.saturating_sub(1);
        self.begin(env);
        value
    }
}

impl Block<Words> for Cordic {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset != RDATA {
            return self.bank.read(offset, env);
        }
        let value = self.result(env);
        self.settle(env);
        value
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == RDATA { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            WDATA => self.argument(write.ones(), env),
            RDATA => {}
            _ => {
                self.bank.write(offset, write, env);
                self.half = false;
            }
        }
        self.settle(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        if self.busy.is_some_and(|(at, _)| at <= env.now()) {
            self.finish(env);
            self.settle(env);
        }
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        if let Some((at, _)) = &mut self.busy {
            *at = at.rescaled(env.now(), old.hclk, env.clocks().tree().hclk);
            env.schedule(0, *at);
        }
    }

    fn refine(&mut self, times: u64) {
        if let Some((at, _)) = &mut self.busy {
            *at = at.refined(times);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.arguments = [0, i32::MAX];
        (self.half, self.waiting, self.busy, self.results, self.left) = (false, None, None, [0; 2], 0);
        env.cancel(0);
        self.settle(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
