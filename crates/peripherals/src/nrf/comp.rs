//! Comparator and low-power comparator (nRF52840 PS, "COMP — Comparator", "LPCOMP — Low power comparator"), which share their
//! registers; ENABLE chooses one of them.
//!
//! The output follows the voltages at once: there is no offset and no delay, and no hysteresis but that of COMP's two thresholds.
//! Nothing ticks: of a voltage that changes by itself the next crossing is computed. LPCOMP does not wake from System OFF.

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{GapKind, Pin, TimingRow};

use crate::bank::some;
use crate::stm32::comp::next_crossing;
use crate::{Bank, Block, Clocks, Comparator, Env, Instance, Instant, Modelled, Tree, Words, Write};

use super::saadc::INPUTS;
use super::signals::{Short, Signals, Tasked};

const START: u32 = 0x00;
const STOP: u32 = 0x04;
const SAMPLE: u32 = 0x08;
const READY: u32 = 0x100;
const DOWN: u32 = 0x104;
const UP: u32 = 0x108;
const CROSS: u32 = 0x10C;
const RESULT: u32 = 0x400;
const ENABLE: u32 = 0x500;
const PSEL: u32 = 0x504;
const REFSEL: u32 = 0x508;
const EXTREFSEL: u32 = 0x50C;
const TH: u32 = 0x530;
const MODE: u32 = 0x534;

/// ENABLE of LPCOMP and of COMP.
const LPCOMP: u32 = 1;
const COMP: u32 = 2;
/// MODE.MAIN: COMP compares the voltages of two pins.
const DIFFERENTIAL: u32 = 1 << 8;
/// COMP's REFSEL: the internal references, in microvolts; the supply.
const REFERENCES: [i64; 3] = [1_200_000, 1_800_000, 2_400_000];
const VDD: u32 = 4;
/// LPCOMP's REFSEL: a pin. Others are parts of the supply: whole eighths, then odd sixteenths.
const PIN: u32 = 7;

const SHORTS: &[Short] = &[(0, READY, SAMPLE), (1, READY, STOP), (2, DOWN, STOP), (3, UP, STOP), (4, CROSS, STOP)];

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] =
    &[some("MODE", 0, &["MAIN"]).unseen(&["SP"]), some("HYST", 0, &[]), some("ANADETECT", 0, &[])];

/// The times until a comparator is ready.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed("comp.ready", "microseconds from START to READY of COMP", 3, "not found in a source"),
    TimingRow::assumed("lpcomp.ready", "microseconds from START to READY of LPCOMP", 140, "not found in a source"),
];

/// The events.
const STARTED: u16 = 0;
const CROSSING: u16 = 1;

/// The block.
#[derive(Clone, Debug)]
pub struct Comp {
    signals: Signals,
    ready_at: Instant,
    runs: bool,
    /// The input is above the threshold.
    above: bool,
}

impl Comp {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { signals: Signals::new(instance, PARTLY, SHORTS), ready_at: Instant::NEVER, runs: false, above: false }
    }

    fn get(&self, offset: u32) -> u32 {
        self.signals.get(offset)
    }

    fn selected(&self) -> Pin {
        pin(self.get(PSEL))
    }

    /// The pin that is the reference, if one is.
    fn reference(&self) -> Option<Pin> {
        let (select, external) = (self.get(REFSEL) & 15, self.get(EXTREFSEL));
        match self.get(ENABLE) & 3 {
            LPCOMP => (select == PIN).then(|| pin(external & 1)),
            _ => (self.get(MODE) & DIFFERENTIAL != 0 || select & 7 > VDD).then(|| pin(external)),
        }
    }

    /// The threshold in microvolts at `at`, for an input that is above it or not.
    fn threshold(&self, above: bool, at: Picoseconds, env: &Env<'_, '_>) -> i64 {
        let supply = i64::from(env.wires.outside.supply());
        let external = self.reference().map(|pin| voltage(pin, at, env));
        let select = self.get(REFSEL) & 15;
        if self.get(ENABLE) & 3 == LPCOMP {
            let sixteenths = if select < 8 { 2 * (select + 1) } else { 2 * (select - 8) + 1 };
            return external.unwrap_or(supply * i64::from(sixteenths) / 16);
        }
        let internal = REFERENCES.get((select & 7) as usize).copied().unwrap_or(supply);
        let reference = external.unwrap_or(internal);
        if self.get(MODE) & DIFFERENTIAL != 0 {
            return reference;
        }
        let steps = if above { self.get(TH) } else { self.get(TH) >> 8 } & 63;
        reference * i64::from(steps + 1) / 64
    }

    /// True if the input is above the threshold at `at`, which is now or later.
    fn compares(&self, at: Picoseconds, env: &Env<'_, '_>) -> bool {
        voltage(self.selected(), at, env) > self.threshold(self.above, at, env)
    }

    fn look_ahead(&self, env: &mut Env<'_, '_>) {
        let pins = [Some(self.selected()), self.reference()].into_iter().flatten().filter(|_| self.runs);
        let at = next_crossing(pins, env.picoseconds(), env, |at| self.compares(at, env) != self.above);
        env.schedule(CROSSING, at);
    }

    fn stop(&mut self, env: &mut Env<'_, '_>) {
        (self.runs, self.ready_at) = (false, Instant::NEVER);
        env.cancel(STARTED);
        env.cancel(CROSSING);
    }

    /// The comparator is ready.
    fn started(&mut self, env: &mut Env<'_, '_>) {
        (self.ready_at, self.runs, self.above) = (Instant::NEVER, true, false);
        let now = env.picoseconds();
        for pin in [Some(self.selected()), self.reference()].into_iter().flatten() {
            if env.voltage(pin).is_none() {
                let (name, number) = (env.name(), pin.number);
                let sentence = "no stimulus puts a voltage on";
                env.gap(GapKind::Setting, format_args!("{name}: {sentence} P0.{number:02}, taken as 0 V"));
            }
        }
        self.above = self.compares(now, env);
        self.look_ahead(env);
        self.raise(READY, env);
    }
}

/// The analog input `select`.
fn pin(select: u32) -> Pin {
    Pin::numbered(0, INPUTS[(select & 7) as usize])
}

fn voltage(pin: Pin, at: Picoseconds, env: &Env<'_, '_>) -> i64 {
    env.wires.outside.voltage(pin, at).unwrap_or(0).into()
}

impl Comparator for Comp {
    fn compare(&mut self, env: &mut Env<'_, '_>) {
        if !self.runs || env.clocks().stands() {
            return;
        }
        let above = self.compares(env.picoseconds(), env);
        if self.above != above {
            self.above = above;
            self.raise(if above { UP } else { DOWN }, env);
            self.raise(CROSS, env);
        }
        self.look_ahead(env);
    }
}

impl Tasked for Comp {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        let enabled = self.get(ENABLE) & 3;
        match task {
            START if matches!(enabled, LPCOMP | COMP) && !self.runs => {
                let count = env.cycles(&ROWS[if enabled == LPCOMP { 1 } else { 0 }]);
                self.ready_at = env.now().after(env.clocks().microseconds(count));
                env.schedule(STARTED, self.ready_at);
            }
            STOP => self.stop(env),
            SAMPLE => self.signals.bank.set(RESULT, self.above.into()),
            _ => {}
        }
    }
}

impl Block<Words> for Comp {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if let Some((_, new)) = self.access(offset, write, env) {
            if offset == ENABLE && !matches!(new & 3, LPCOMP | COMP) {
                self.stop(env);
            }
            self.compare(env);
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            STARTED if env.now() >= self.ready_at => self.started(env),
            CROSSING => self.compare(env),
            _ => {}
        }
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        env.schedule(STARTED, self.ready_at);
        self.compare(env);
    }

    fn refine(&mut self, times: u64) {
        self.ready_at = self.ready_at.refined(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
        self.stop(env);
        self.above = false;
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.signals.bank)
    }
}
