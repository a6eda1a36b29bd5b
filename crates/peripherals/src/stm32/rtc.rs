//! Real-time clock with a calendar under the registers of any version (RM0390, RM0490, "Real-time clock (RTC)").
//!
//! Periods of the clock (ticks) go through the smooth calibration, the asynchronous prescaler (ck_apre), the coarse
//! calibration and the synchronous prescaler, whose counter is SSR, to the calendar. All of it follows from the time that
//! has passed since an anchor; only wanted interrupts, edges of the output and changes of the chain itself are events.
//!
//! Everything lies in the backup domain but the shadow registers and INIT, INITF and RSF.

pub mod calendar;
pub mod chain;
pub mod pins;
pub mod ticks;
mod writes;

use cyclescope_machine::{GapKind, TimingRow};

use self::chain::{Chain, Moment};
use self::pins::Tamper;
use crate::{BackupDomain, Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Source, Tree, Words, Write};

/// Bits of CR.
pub(super) mod cr {
    pub(crate) const TSEDGE: u32 = 1 << 3;
    pub(crate) const REFCKON: u32 = 1 << 4;
    pub(crate) const BYPSHAD: u32 = 1 << 5;
    pub(crate) const FMT: u32 = 1 << 6;
    pub(crate) const DCE: u32 = 1 << 7;
    /// ALRAE; ALRBE and WUTE lie above.
    pub(crate) const ALRAE: u32 = 1 << 8;
    pub(crate) const WUTE: u32 = 1 << 10;
    pub(crate) const TSE: u32 = 1 << 11;
    pub(crate) const ADD1H: u32 = 1 << 16;
    pub(crate) const SUB1H: u32 = 1 << 17;
    pub(crate) const COSEL: u32 = 1 << 19;
    pub(crate) const POL: u32 = 1 << 20;
    pub(crate) const COE: u32 = 1 << 23;
}

/// Bits of ISR. From STM32C0's ICSR the flags are missing; they are kept here all the same.
pub(super) mod isr {
    pub(crate) const SHPF: u32 = 1 << 3;
    pub(crate) const INITS: u32 = 1 << 4;
    pub(crate) const RSF: u32 = 1 << 5;
    pub(crate) const INITF: u32 = 1 << 6;
    pub(crate) const INIT: u32 = 1 << 7;
    /// ALRAF; ALRBF and WUTF lie above.
    pub(crate) const ALRAF: u32 = 1 << 8;
    pub(crate) const ALRBF: u32 = 1 << 9;
    pub(crate) const WUTF: u32 = 1 << 10;
    pub(crate) const TSF: u32 = 1 << 11;
    pub(crate) const TSOVF: u32 = 1 << 12;
    pub(crate) const TAMP1F: u32 = 1 << 13;
    pub(crate) const TAMP2F: u32 = 1 << 14;
    pub(crate) const TAMP3F: u32 = 1 << 15;
    pub(crate) const RECALPF: u32 = 1 << 16;
    /// Those that software clears.
    pub(crate) const FLAGS: u32 = 0xFF00;
}

/// A version of the registers.
#[derive(Debug)]
pub struct Version {
    /// The modelled registers and fields, with the values after a reset of the backup domain.
    pub model: &'static [Modelled],
    /// True if PWR_CR.DBP guards the block.
    pub guarded: bool,
    /// CR.
    pub cr: u32,
    /// ISR or ICSR.
    pub isr: u32,
    /// WUTR, where there is a wake-up timer.
    pub wutr: Option<u32>,
    /// CALIBR, where there is a coarse calibration.
    pub calibr: Option<u32>,
    /// ALRMxR and ALRMxSSR of each alarm.
    pub alarms: &'static [(u32, u32)],
    /// SSR.
    pub ssr: u32,
    /// CALR.
    pub calr: u32,
    /// TAFCR or TAMPCR, where there are tamper pins.
    pub tafcr: Option<u32>,
    /// True if TAFCR moves the tamper and timestamp pins.
    pub moves_pins: bool,
    /// SR, MISR and SCR, where the flags are not in ISR.
    pub flags: Option<[u32; 3]>,
}

pub(super) const TR: u32 = 0x00;
pub(super) const DR: u32 = 0x04;
const PRER: u32 = 0x10;
const WPR: u32 = 0x24;
const SHIFTR: u32 = 0x2C;
const TSTR: u32 = 0x30;
const TSDR: u32 = 0x34;
const TSSSR: u32 = 0x38;

/// The flags whose interrupts go to the same line of the external interrupts: alarms, tampering with timestamps, and the
/// wake-up timer (RM0390, "RTC interrupts").
const SIGNALS: [u32; 3] = [isr::ALRAF | isr::ALRBF, isr::TSF | isr::TAMP1F | isr::TAMP2F | isr::TAMP3F, isr::WUTF];

/// Times of the block, in periods of its clock.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "rtc.init",
        "RTC periods from INIT to INITF",
        2,
        "RM0390, RM0490, Calendar initialization and configuration: around two RTCCLK cycles",
    ),
    TimingRow::documented(
        "rtc.start",
        "RTC periods from the end of initialisation until the calendar counts",
        4,
        "RM0390, RM0490, Calendar initialization and configuration: counting restarts after four RTCCLK cycles",
    ),
    TimingRow::documented(
        "rtc.shadow",
        "RTC periods between two copies of the calendar into its shadow registers (RSF)",
        2,
        "RM0390, RM0490, Reading the calendar: the copy is made every two RTCCLK cycles",
    ),
    TimingRow::documented(
        "rtc.write_allowed",
        "RTC periods from the end of an alarm or the wake-up timer until its registers take writes (ALRxWF, WUTWF)",
        2,
        "RM0390, RM0490, Programming alarms, Programming the wake-up timer: around two RTCCLK cycles",
    ),
    TimingRow::assumed(
        "rtc.shift",
        "RTC periods of a shift (SHPF)",
        2,
        "RM0390, RM0490, RTC synchronization, give no figure; as other writes into the clock's domain",
    ),
    TimingRow::documented(
        "rtc.recalibration",
        "ck_apre periods from a write of CALR until it holds (RECALPF)",
        3,
        "RM0390, RM0490, Re-calibration on-the-fly: within three ck_apre cycles",
    ),
    TimingRow::documented(
        "rtc.timestamp",
        "ck_apre periods from an edge of the timestamp pin to TSF",
        2,
        "RM0390, RM0490, Time-stamp function: TSF is set two ck_apre cycles after the event",
    ),
];

/// Indices of [`ROWS`].
const INIT_TIME: usize = 0;
const START_TIME: usize = 1;
const SHADOW_TIME: usize = 2;
const WRITE_TIME: usize = 3;
const SHIFT_TIME: usize = 4;
const RECALIBRATION_TIME: usize = 5;
const TIMESTAMP_TIME: usize = 6;

/// Events.
const DUE: u16 = 0;
const OUTPUT: u16 = 1;

/// The contents of the shadow registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shadow {
    tr: u32,
    dr: u32,
    ssr: u32,
}

/// The block.
#[derive(Clone, Debug)]
pub struct Rtc {
    bank: Bank,
    version: &'static Version,
    /// The lines of the external interrupts of [`SIGNALS`].
    lines: [u8; 3],
    /// PWR_CR.DBP guards the block.
    is_guarded: bool,
    writable: bool,
    /// The keys that have come.
    unlocked: u8,
    chain: Chain,
    /// ISR's bits from 8 on that software clears.
    flags: u32,
    /// The ticks at which alarms A and B and the wake-up timer come next.
    due: [u64; 3],
    /// The ticks from which ALRAWF, ALRBWF and WUTWF are set.
    allowed: [u64; 3],
    /// INIT is set; the tick at which INITF is.
    initialising: Option<u64>,
    /// TR and DR as written in initialisation mode.
    written: (u32, u32),
    /// The tick at which RSF is set.
    synchronised: u64,
    /// A shift that is under way, and its tick.
    shift: Option<(u64, u32)>,
    /// The tick at which CALR holds.
    recalibrated: Option<u64>,
    /// TR and DR that a read of SSR or TR has locked until one of DR.
    locked: Option<Shadow>,
    /// The contents of the shadow registers before that tick.
    stale: Option<(u64, Shadow)>,
    /// Periods of the wake-up timer: its first tick or second, and its period.
    wake: (u64, u64),
    /// A timestamp on its way: the tick of its flag.
    stamped: Option<u64>,
    tampers: [Tamper; 3],
    /// The levels of the lines.
    driven: u32,
}

impl Rtc {
    /// The block after power-on.
    pub fn new(instance: &Instance, version: &'static Version) -> Self {
        Self {
            bank: Bank::new(instance.map, version.model),
            version,
            lines: [0; 3],
            is_guarded: false,
            writable: false,
            unlocked: 0,
            chain: Chain::default(),
            flags: 0,
            due: [u64::MAX; 3],
            allowed: [0; 3],
            initialising: None,
            written: (0, 0x2101),
            synchronised: u64::MAX,
            shift: None,
            recalibrated: None,
            locked: None,
            stale: None,
            wake: (0, 1),
            stamped: None,
            tampers: <[Tamper; 3]>::default(),
            driven: 0,
        }
    }

    fn tick(&self, env: &Env<'_, '_>) -> u64 {
        self.chain.ticks.now(env.always_now())
    }

    fn control(&self) -> u32 {
        self.bank.get(self.version.cr)
    }

    fn half_days(&self) -> bool {
        self.control() & cr::FMT != 0
    }

    /// INITF.
    fn is_initialising(&self, tick: u64) -> bool {
        self.initialising.is_some_and(|at| tick >= at)
    }

    /// Brings everything up to now.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let tick = self.tick(env);
        if let Some(at) = self.initialising.filter(|at| tick >= *at && self.chain.runs()) {
            self.flag_due(at);
            self.chain.stop(at);
            let now = self.chain.now(at);
            self.written = (now.time.tr(self.half_days()), now.time.dr());
            self.plan();
        }
        if let Some((at, shift)) = self.shift.filter(|(at, _)| tick >= *at) {
            self.flag_due(at);
            self.shift = None;
            self.chain.shift(at, shift & 0x7FFF, shift >> 31 != 0);
            self.restart_shadow(at);
            self.plan();
        }
        if let Some(at) = self.recalibrated.filter(|at| tick >= *at) {
            self.flag_due(at);
            self.recalibrated = None;
            self.chain.calibrate(at, self.bank.get(self.version.calr));
            self.plan();
        }
        self.flag_due(tick);
        if self.stamped.is_some_and(|at| tick >= at) {
            self.stamped = None;
            self.flags |= isr::TSF;
        }
        self.sample_tampers(tick, env);
        self.drive(env);
    }

    /// Sets the flags of what has come by `tick`.
    fn flag_due(&mut self, tick: u64) {
        for (which, flag) in [isr::ALRAF, isr::ALRBF, isr::WUTF].into_iter().enumerate() {
            if tick >= self.due[which] {
                self.flags |= flag;
                self.chain.advance(tick);
                self.due[which] = self.next(which);
            }
        }
        self.chain.advance(tick);
    }

    /// Works out anew when alarms and the wake-up timer come next.
    fn plan(&mut self) {
        for which in 0..3 {
            self.due[which] = self.next(which);
        }
    }

    /// The next tick of alarm A, alarm B or the wake-up timer, from the chain's anchor on.
    fn next(&self, which: usize) -> u64 {
        if self.control() & cr::ALRAE << which == 0 {
            return u64::MAX;
        }
        if which == 2 {
            return self.next_wake();
        }
        let Some((alarm, sub)) = self.version.alarms.get(which) else { return u64::MAX };
        let (alarm, sub) = (self.bank.get(*alarm), self.bank.get(*sub));
        self.chain.next_alarm(alarm, self.half_days(), sub & 0x7FFF, sub >> 24 & 15)
    }

    /// The wake-up timer counts the clock divided by 16 to 2, or seconds (RM0390, RTC_CR.WUCKSEL).
    fn next_wake(&self) -> u64 {
        let (from, period) = self.wake;
        let counts_seconds = self.control() & 4 != 0;
        let anchor = self.chain.anchor();
        let now = if counts_seconds { anchor.seconds } else { anchor.tick };
        let passed = now.saturating_sub(from) / period;
        let at = from.saturating_add((passed + 1).saturating_mul(period));
        if counts_seconds { self.chain.tick_of_second(at) } else { at }
    }

    fn start_wake(&mut self, tick: u64) {
        let control = self.control();
        let count = u64::from(self.version.wutr.map_or(0, |wutr| self.bank.get(wutr))) + 1;
        self.chain.advance(tick);
        self.wake = match control & 7 {
            prescaled @ 0..=3 => (tick, count * (16 >> prescaled)),
            4 | 5 => (self.chain.anchor().seconds, count),
            _ => (self.chain.anchor().seconds, count + 0x1_0000),
        };
    }

    /// Drives the lines of the external interrupts.
    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let active = self.flags & self.enabled();
        for (index, line) in self.lines.into_iter().enumerate() {
            if self.lines[..index].contains(&line) {
                continue;
            }
            // Signals of one line are one.
            let signals = self.lines.iter().zip(SIGNALS).filter(|(known, _)| **known == line);
            let high = active & signals.fold(0, |bits, (_, flags)| bits | flags) != 0;
            if high != (self.driven & 1 << index != 0) {
                self.driven ^= 1 << index;
                env.effect(Effect::Internal { line, high });
            }
        }
    }

    /// Connects the block with the `lines` of the external interrupts for alarms, for tampering and timestamps, and for the wake-up
    /// timer; `guard` tells if there is a PWR_CR.DBP that can let writes through.
    pub fn connect(&mut self, lines: [u8; 3], guard: bool) {
        self.lines = lines;
        self.is_guarded = self.version.guarded && guard;
    }

    /// The flags whose interrupts are enabled.
    fn enabled(&self) -> u32 {
        let control = self.control();
        // ALRAIE to TSIE lie four bits above the flags.
        let own = control >> 4 & (isr::ALRAF | isr::ALRBF | isr::WUTF | isr::TSF);
        own | self.enabled_tampers()
    }

    /// Has the next wanted happening come as an event.
    fn schedule(&mut self, env: &mut Env<'_, '_>) {
        let wanted = self.enabled() & !self.flags;
        let output = self.control() >> 21 & 3;
        let due = (0..3).filter(|which| wanted & isr::ALRAF << which != 0 || output == *which + 1);
        let due = due.map(|which| self.due[which as usize]).min().unwrap_or(u64::MAX);
        let changes =
            [self.shift.map(|(at, _)| at), self.recalibrated, self.stamped.filter(|_| wanted & isr::TSF != 0)];
        let changes = changes.into_iter().flatten().chain(self.next_samples()).min().unwrap_or(u64::MAX);
        let freezes = self.initialising.filter(|_| self.chain.runs()).unwrap_or(u64::MAX);
        let at = self.chain.ticks.when(due.min(changes).min(freezes));
        env.schedule_always(DUE, at);
    }

    /// Shows the level of the output now, and has its next edge come (RM0390, RM0490, "Calibration clock output", "Alarm output").
    fn show(&mut self, env: &mut Env<'_, '_>) {
        let (control, tick) = (self.control(), self.tick(env));
        let level = match control >> 21 & 3 {
            0 if control & cr::COE == 0 => None,
            0 if control & cr::COSEL == 0 => Some((tick & 32 != 0, (tick | 31) + 1)),
            0 => Some(self.chain.second_wave(tick)),
            which => Some((self.flags & isr::ALRAF << (which - 1) != 0, u64::MAX)),
        };
        let inverted = control & cr::POL != 0 && control >> 21 & 3 != 0;
        env.effect(Effect::Pad { signal: "RTC_OUT", level: level.map(|(high, _)| high != inverted) });
        let at = self.chain.ticks.when(level.map_or(u64::MAX, |(_, next)| next));
        env.schedule_always(OUTPUT, at);
    }

    fn has_output(&self) -> bool {
        self.control() & (cr::COE | 3 << 21) != 0
    }

    /// Returns the contents of the shadow registers at `tick`.
    fn shadow(&self, tick: u64) -> Shadow {
        if let Some((_, shadow)) = self.stale.filter(|(until, _)| tick < *until) {
            return shadow;
        }
        let copied = tick - tick % u64::from(ROWS[SHADOW_TIME].cycles);
        self.shadow_of(self.chain.now(if self.control() & cr::BYPSHAD != 0 { tick } else { copied }))
    }

    /// 0 for TR, 1 for DR, 2 for SSR.
    fn place(&self, offset: u32) -> usize {
        [TR, DR, self.version.ssr].iter().position(|known| *known == offset).unwrap_or(0)
    }

    fn shadow_of(&self, now: Moment) -> Shadow {
        Shadow { tr: now.time.tr(self.half_days()), dr: now.time.dr(), ssr: now.sub }
    }

    /// RSF is cleared; the next copy sets it.
    fn restart_shadow(&mut self, tick: u64) {
        let between = u64::from(ROWS[SHADOW_TIME].cycles);
        self.synchronised = tick.saturating_add(1).next_multiple_of(between);
        if let Some((until @ u64::MAX, _)) = &mut self.stale {
            *until = self.synchronised;
        }
    }

    /// TR, DR and SSR: a read of SSR or TR locks what lies above until DR is read.
    fn read_calendar(&mut self, offset: u32, tick: u64, env: &mut Env<'_, '_>) -> u32 {
        if self.is_initialising(tick) {
            return [self.written.0, self.written.1, 0][self.place(offset)];
        }
        if self.control() & cr::BYPSHAD != 0 {
            let now = self.shadow_of(self.chain.now(tick));
            return [now.tr, now.dr, now.ssr][self.place(offset)];
        }
        env.cycles(&ROWS[SHADOW_TIME]);
        let fresh = self.shadow(tick);
        match self.place(offset) {
            0 => self.locked.get_or_insert(fresh).tr,
            1 => self.locked.take().unwrap_or(fresh).dr,
            _ => self.locked.insert(fresh).ssr,
        }
    }

    /// ISR, with all flags.
    fn status(&self, tick: u64) -> u32 {
        let there = |which: &usize| *which < self.version.alarms.len() || *which == 2 && self.version.wutr.is_some();
        let windows = (0..3).filter(there).filter(|which| self.is_allowed(*which, tick));
        let windows = windows.fold(0, |bits, which| bits | 1 << which);
        let bit = |high: bool, bit: u32| if high { bit } else { 0 };
        windows
            | bit(self.shift.is_some(), isr::SHPF)
            | bit(self.chain.anchor().time.year != 0, isr::INITS)
            | bit(tick >= self.synchronised, isr::RSF)
            | bit(self.is_initialising(tick), isr::INITF)
            | bit(self.initialising.is_some(), isr::INIT)
            | bit(self.recalibrated.is_some(), isr::RECALPF)
            | self.flags
    }

    /// ALRAWF, ALRBWF or WUTWF.
    fn is_allowed(&self, which: usize, tick: u64) -> bool {
        let off = self.control() & cr::ALRAE << which == 0;
        off && tick >= self.allowed[which] || which < 2 && self.is_initialising(tick)
    }
}

impl BackupDomain for Rtc {
    fn allow_writes(&mut self, allowed: bool) {
        self.writable = allowed;
    }

    fn reset_domain(&mut self, env: &mut Env<'_, '_>) {
        let tick = self.tick(env);
        self.bank.reset();
        (self.flags, self.unlocked, self.allowed) = (0, 0, [0; 3]);
        (self.initialising, self.shift, self.recalibrated, self.stamped) = (None, None, None, None);
        self.written = (0, 0x2101);
        self.chain.calibrate(tick, 0);
        self.set_prescalers();
        self.chain.start(tick, calendar::DateTime::START);
        self.restart_shadow(tick);
        self.plan();
        self.drive(env);
        self.show(env);
        self.schedule(env);
    }
}

impl Block<Words> for Rtc {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.settle(env);
        self.schedule(env);
        let tick = self.tick(env);
        if [TR, DR, self.version.ssr].contains(&offset) {
            return self.read_calendar(offset, tick, env);
        }
        if offset == self.version.isr {
            let status = self.status(tick);
            return if self.version.flags.is_some() { status & !isr::FLAGS } else { status };
        }
        match self.version.flags {
            Some([sr, ..]) if offset == sr => self.moved(self.flags),
            Some([_, misr, _]) if offset == misr => self.moved(self.flags & self.enabled()),
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, now: Instant, clocks: &Clocks) -> Option<Instant> {
        let tick = self.chain.ticks.now(now.after(clocks.behind()));
        let shows_flags = self.version.flags.is_some_and(|flags| flags.contains(&offset));
        let next = if offset == self.version.isr || shows_flags {
            let coming = [self.initialising, self.shift.map(|(at, _)| at), self.recalibrated, self.stamped];
            let windows = self.allowed.iter().chain(&self.due).chain([&self.synchronised]).copied();
            let all = coming.into_iter().flatten().chain(windows).chain(self.next_samples());
            all.filter(|at| *at > self.chain.anchor().tick).min().unwrap_or(u64::MAX)
        } else if [TR, DR, self.version.ssr].contains(&offset) {
            // A read of the shadow registers locks them.
            if self.control() & cr::BYPSHAD == 0 || self.initialising.is_some() {
                return None;
            }
            tick + 1
        } else {
            return self.bank.still(offset);
        };
        let at = self.chain.ticks.when(next);
        Some(if at == Instant::NEVER { at } else { at.before(clocks.behind()).max(now) })
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if self.is_guarded && !self.writable {
            env.gap(GapKind::Setting, format_args!("RTC written while PWR_CR.DBP is 0: lost"));
            return;
        }
        self.settle(env);
        let tick = self.tick(env);
        match offset {
            WPR => {
                // RM0390, RM0490, "RTC register write protection".
                self.unlocked = match (self.unlocked, write.value & 0xFF) {
                    (0, 0xCA) => 1,
                    (1, 0x53) => 2,
                    _ => 0,
                };
            }
            _ if offset == self.version.isr => self.write_status(write, tick, env),
            _ if self.version.flags.is_some_and(|[_, _, scr]| scr == offset) => {
                let cleared = write.ones();
                self.flags &= !((cleared & 7) << 8 | (cleared & 0x18) << 8);
            }
            _ if self.is_open(offset) => self.write_open(offset, write, env),
            _ if self.unlocked == 2 => self.write_protected(offset, write, env),
            _ => {
                let name = env.instance.name;
                env.gap(GapKind::Setting, format_args!("{name} written while WPR protects it: lost"));
            }
        }
        self.settle(env);
        if self.has_output() || offset == self.version.cr {
            self.show(env);
        }
        self.schedule(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.settle(env);
        if self.has_output() {
            self.show(env);
        }
        self.schedule(env);
    }

    /// RM0390, RM0490, "Resetting the RTC": the shadow registers, INIT, INITF and RSF.
    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.follow(env);
        self.settle(env);
        let tick = self.tick(env);
        self.writable = false;
        self.locked = None;
        if self.initialising.is_some() {
            self.leave_initialisation(tick, env);
        }
        self.stale = Some((u64::MAX, Shadow { dr: 0x2101, ..Shadow::default() }));
        self.restart_shadow(tick);
        // The lines begin low after a reset of the interrupt controller.
        self.driven = 0;
        self.drive(env);
        self.schedule(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        let tick = self.tick(env);
        if env.clocks().stands() {
            // RM0390, RM0490, "Reading the calendar": in Stop mode nothing is copied.
            self.stale = Some((u64::MAX, self.shadow(tick)));
        } else if self.stale.is_some_and(|(until, _)| until == u64::MAX) {
            let between = u64::from(ROWS[SHADOW_TIME].cycles);
            self.stale = self.stale.map(|(_, shadow)| (tick.saturating_add(1).next_multiple_of(between), shadow));
        }
        self.follow(env);
        self.settle(env);
        if self.has_output() {
            self.show(env);
        }
        self.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        self.chain.ticks.refine(times);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}

impl Rtc {
    /// The clock may have changed.
    fn follow(&mut self, env: &Env<'_, '_>) {
        self.chain.ticks.follow(env.always_now(), env.clocks().period_of(Source::Rtc));
    }

    /// Flags as SR has them: TSF and TSOVF next to WUTF.
    fn moved(&self, flags: u32) -> u32 {
        flags >> 8 & 0x1F
    }
}
