//! The same on a bus whose clock others drive, too: edge by edge, as a controller that may lose the bus and as a target.
//!
//! The phases of a transfer are those of [`I2c`]; here a phase ends when the lines say so. The target's end holds SCL low
//! while the version waits for software.

use cyclescope_machine::i2c::{Driver, Monitor, Report, Seen, Wait};
use cyclescope_machine::{I2cAddress, Transfer};

use super::{DRIVE, I2c, Phase, TARGET, TIMEOUT, Version};
use crate::{Effect, Env, Instant, Span, Tree};

/// The action that a target's end does when its time has come.
#[derive(Clone, Copy, Debug)]
enum Later {
    /// SDA is pulled low (`true`) or let go.
    Pull(bool),
    /// SCL is let go.
    Release,
}

/// The state of the target's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Target {
    /// No transfer, or one for somebody else.
    #[default]
    Elsewhere,
    /// The first byte comes in.
    Address,
    /// The first byte of ten bits was acknowledged.
    Second(u8),
    /// An address of ten bits is complete, or the first byte of one.
    Acknowledged { second: Option<u8>, address: I2cAddress, sends: bool },
    /// A byte goes (`true`) or comes.
    Selected(bool),
}

/// The point at which the target's end holds SCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Before the acknowledgement of this byte.
    Eighth(u8),
    /// Before the next byte.
    Next,
}

/// The next step of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It holds SCL until software has done its part.
    Wait,
    /// It takes the next byte.
    Receive,
    /// It sends this one.
    Send(u8),
}

/// The lines, and both ends of the block on them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ends {
    pub(crate) lines: Monitor,
    driver: Driver,
    /// The driver's next step.
    due: Instant,
    /// The latest fall of SCL.
    fell: Instant,
    /// A start condition waits for the bus to be free.
    wants_start: bool,
    target: Target,
    /// The block was called in the transfer under way.
    addressed: bool,
    /// The whole address of ten bits by which the block was called; a repeated start reads from it.
    ten: Option<u16>,
    stage: Option<Stage>,
    later: Option<(Instant, Later)>,
    out: u8,
    holds_scl: bool,
    holds_sda: bool,
    /// The levels that the block has put on the lines: SCL, SDA.
    shown: [bool; 2],
}

impl Ends {
    fn levels(&self) -> [bool; 2] {
        [!(self.driver.pulls_scl || self.holds_scl), !(self.driver.pulls_sda || self.holds_sda)]
    }

    /// The level that the block puts on the line 0 (SCL) or 1 (SDA).
    pub(crate) fn output(&self, line: usize) -> bool {
        self.levels()[line]
    }

    /// True while the controller's end takes part in a transfer.
    pub(crate) fn is_driving(&self) -> bool {
        !self.driver.is_free()
    }

    /// True while software has to do its part as a target.
    pub(crate) const fn is_waiting(&self) -> bool {
        self.stage.is_some()
    }

    pub(crate) fn refine(&mut self, times: u64) {
        self.due = self.due.refined(times);
        self.fell = self.fell.refined(times);
        self.later = self.later.map(|(at, later)| (at.refined(times), later));
    }

    /// Everything is let go; the levels of the lines stay.
    fn let_go(&mut self) {
        let lines = Monitor::idle(self.lines.scl, self.lines.sda);
        *self = Self { lines, shown: self.shown, fell: self.fell, ..Self::default() };
    }
}

impl<V: Version> I2c<V> {
    /// Puts what both ends do on the lines.
    fn show_ends(&mut self, env: &mut Env<'_, '_>) {
        let levels = self.ends.levels();
        for (line, signal) in ["SCL", "SDA"].into_iter().enumerate() {
            if self.ends.shown[line] != levels[line] {
                env.effect(Effect::Output { signal, level: Some(levels[line]) });
            }
        }
        self.ends.shown = levels;
    }

    /// Both ends let the lines go.
    pub(crate) fn let_go(&mut self, env: &mut Env<'_, '_>) {
        self.ends.let_go();
        self.ends.shown = [true; 2];
        [DRIVE, TARGET, TIMEOUT].into_iter().for_each(|kind| env.cancel(kind));
    }

    /// The driver's next step comes after `wait`, which begins at `at`.
    fn wait(&mut self, wait: Wait, at: Instant, env: &mut Env<'_, '_>) {
        let Some(times) = self.times(env) else {
            // Without a clock nothing goes on.
            return self.stop_at_once(env);
        };
        let fell = self.ends.fell;
        let due = match wait {
            Wait::Change if at == fell => fell.after(times.hold),
            Wait::Change => at,
            Wait::Rise if at > fell.after(times.hold) => fell.after(times.low).max(at.after(times.setup)),
            Wait::Rise => fell.after(times.low).max(at),
            Wait::Fall => at.after(times.high),
            Wait::Start => at.after(times.pause),
            Wait::Hold => at.after(times.start),
            Wait::Stop => at.after(times.stop),
        };
        self.ends.due = due;
        env.schedule(DRIVE, due);
    }

    /// A start condition: now, repeated, or when the bus is free.
    pub(crate) fn start_shared(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        if self.ends.driver.is_free() {
            if std::mem::replace(&mut self.ends.wants_start, true) {
                return;
            }
            if !self.ends.lines.busy && self.ends.lines.scl {
                let begin = at.max(self.free_from());
                self.ends.due = begin;
                env.schedule(DRIVE, begin);
            }
            return;
        }
        self.enter_shared(Phase::Starting, at, env);
        let wait = self.ends.driver.start();
        self.wait(wait, at, env);
    }

    pub(crate) fn bits_shared(
        &mut self,
        phase: Phase,
        (levels, count, own): (u8, u8, bool),
        at: Instant,
        env: &mut Env<'_, '_>,
    ) {
        self.enter_shared(phase, at, env);
        let wait = self.ends.driver.bits(levels, count, own);
        self.wait(wait, at, env);
    }

    pub(crate) fn stop_shared(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        self.enter_shared(Phase::Stopping, at, env);
        let wait = self.ends.driver.stop();
        self.wait(wait, at, env);
    }

    /// The driver's wait is over.
    pub(crate) fn drive(&mut self, env: &mut Env<'_, '_>) {
        let at = self.ends.due;
        if std::mem::take(&mut self.ends.wants_start) {
            if self.ends.lines.busy || !self.ends.lines.sda || !self.ends.lines.scl || self.ends.stage.is_some() {
                self.ends.wants_start = true;
                return;
            }
            self.enter_shared(Phase::Starting, at, env);
            let wait = self.ends.driver.start();
            self.show_ends(env);
            return self.wait(wait, at, env);
        }
        let outcome = self.ends.driver.step();
        self.go_on(outcome, at, env);
    }

    fn go_on(&mut self, (wait, report): (Option<Wait>, Option<Report>), at: Instant, env: &mut Env<'_, '_>) {
        if self.ends.driver.pulls_scl && self.ends.shown[0] {
            self.ends.fell = at;
        }
        self.show_ends(env);
        if let Some(wait) = wait {
            self.wait(wait, at, env);
        }
        match report {
            None => {}
            Some(Report::Lost) => {
                env.cancel(DRIVE);
                self.leave();
                self.forget_holds(env);
                V::lost(self, env);
            }
            Some(report) => {
                if let Report::Done(sampled) = report {
                    self.sampled(sampled);
                }
                self.step_at(at, env);
            }
        }
    }

    /// A line has the level `high` now.
    pub(crate) fn line(&mut self, clock: bool, high: bool, env: &mut Env<'_, '_>) {
        let seen = if clock { self.ends.lines.scl(high) } else { self.ends.lines.sda(high) };
        self.watch_time(clock, env);
        let now = env.now();
        let Some(seen) = seen.filter(|_| V::is_on(self)) else { return };
        if matches!(seen, Seen::Fall(_)) && self.ends.shown[0] {
            self.ends.fell = now;
        }
        if let Seen::Start { misplaced: true } | Seen::Stop { misplaced: true } = seen
            && (!self.ends.driver.is_free() || matches!(self.ends.target, Target::Selected(_)))
        {
            V::misplaced(self);
        }
        self.follow(seen, env);
        let outcome = self.ends.driver.seen(seen, self.ends.lines.sda);
        self.go_on(outcome, now, env);
        if matches!(seen, Seen::Stop { .. }) && self.ends.wants_start {
            let free = self.times(env).map_or(Span::ZERO, |times| times.free);
            self.ends.due = now.after(free);
            env.schedule(DRIVE, self.ends.due);
        }
    }

    /// The target's end hears what the lines do.
    fn follow(&mut self, seen: Seen, env: &mut Env<'_, '_>) {
        match seen {
            Seen::Start { .. } => {
                V::condition(self, true);
                if self.ends.driver.is_free() || self.phase() == Phase::Starting {
                    self.begin_code();
                }
                if let Target::Selected(_) = self.ends.target {
                    V::restarted(self);
                }
                self.release(env);
                self.ends.target = Target::Address;
            }
            Seen::Stop { .. } => {
                V::condition(self, false);
                let target = std::mem::take(&mut self.ends.target);
                self.release(env);
                self.ends.ten = None;
                if self.ends.driver.is_free() {
                    self.end_code();
                    self.forget_holds(env);
                }
                if std::mem::take(&mut self.ends.addressed) {
                    env.transfer(Transfer::I2cStop);
                    V::target_stopped(self, matches!(target, Target::Selected(_)));
                }
            }
            Seen::Rise => {
                let sends = self.ends.target == Target::Selected(true);
                if sends
                    && self.ends.driver.is_free()
                    && self.ends.out & 0x80 != 0
                    && self.is_data_clock()
                    && !self.ends.lines.sda
                {
                    // Another target sends at the same time.
                    self.ends.target = Target::Elsewhere;
                    self.release(env);
                    V::lost(self, env);
                }
            }
            Seen::Fall(clocks) => self.target_fall(clocks, env),
        }
    }

    /// True if the clock that has just risen is of the eight of a byte.
    fn is_data_clock(&self) -> bool {
        self.ends.stage.is_none() && !self.ends.lines.is_ninth()
    }

    /// The target's end lets both lines go.
    fn release(&mut self, env: &mut Env<'_, '_>) {
        (self.ends.holds_scl, self.ends.holds_sda, self.ends.stage, self.ends.later) = (false, false, None, None);
        env.cancel(TARGET);
        if self.ends.driver.is_free() {
            self.hold_ends(env);
        }
        self.show_ends(env);
    }

    /// SCL has fallen after `clocks` of a byte.
    fn target_fall(&mut self, clocks: u8, env: &mut Env<'_, '_>) {
        if !self.ends.driver.is_free() {
            if clocks == 8 && self.ends.target == Target::Address {
                self.ends.target = Target::Elsewhere;
            }
            return;
        }
        let byte = self.ends.lines.byte();
        match (self.ends.target, clocks) {
            (Target::Address, 8) => self.called(byte, env),
            (Target::Second(high), 8) => {
                let address = I2cAddress::Ten(u16::from(high) << 8 | u16::from(byte));
                if V::called(self, address, false) {
                    self.accept(Target::Acknowledged { second: None, address, sends: false }, env);
                } else {
                    self.ends.target = Target::Elsewhere;
                }
            }
            (Target::Acknowledged { second, address, sends }, 9) => {
                self.add_to_code(byte);
                self.pull_later(false, env);
                if let Some(high) = second {
                    self.ends.target = Target::Second(high);
                    return;
                }
                (self.ends.target, self.ends.addressed) = (Target::Selected(sends), true);
                if let I2cAddress::Ten(ten) = address {
                    self.ends.ten = Some(ten);
                }
                env.transfer(Transfer::I2cStart { address, read: sends, acknowledged: true });
                V::selected(self, sends);
                self.ends.stage = Some(Stage::Next);
                self.target_go(env);
            }
            (Target::Selected(false), 8) => {
                self.ends.stage = Some(Stage::Eighth(byte));
                self.target_go(env);
            }
            (Target::Selected(true), 1..=7) => {
                self.ends.out <<= 1;
                self.pull_later(self.ends.out & 0x80 == 0, env);
            }
            (Target::Selected(true), 8) => {
                self.ends.out = 0;
                self.pull_later(false, env);
            }
            (Target::Selected(sends), 9) => {
                let acknowledged = !self.ends.lines.bit();
                self.add_to_code(byte);
                env.transfer(Transfer::I2cByte { byte, acknowledged });
                if !sends {
                    self.pull_later(false, env);
                }
                V::target_ninth(self, byte, sends, acknowledged);
                if acknowledged {
                    self.ends.stage = Some(Stage::Next);
                    self.target_go(env);
                } else {
                    self.ends.target = Target::Elsewhere;
                }
            }
            _ => {}
        }
    }

    /// The first byte behind a start condition is `byte`.
    fn called(&mut self, byte: u8, env: &mut Env<'_, '_>) {
        let (sends, high) = (byte & 1 != 0, byte >> 1 & 3);
        let seven = I2cAddress::Seven(byte >> 1);
        let target = if byte & 0xF8 == 0xF0 {
            match self.ends.ten.filter(|ten| sends && ten >> 8 == u16::from(high)) {
                Some(ten) if V::called(self, I2cAddress::Ten(ten), true) => {
                    Target::Acknowledged { second: None, address: I2cAddress::Ten(ten), sends }
                }
                _ if !sends && V::called_by_header(self, high) => {
                    Target::Acknowledged { second: Some(high), address: seven, sends }
                }
                _ => Target::Elsewhere,
            }
        } else if V::called(self, seven, sends) {
            Target::Acknowledged { second: None, address: seven, sends }
        } else {
            Target::Elsewhere
        };
        if target == Target::Elsewhere {
            self.ends.target = target;
        } else {
            self.accept(target, env);
        }
    }

    /// The byte of an address is acknowledged.
    fn accept(&mut self, target: Target, env: &mut Env<'_, '_>) {
        self.ends.target = target;
        self.pull_later(true, env);
    }

    /// SDA changes when the hold time after SCL's fall is over.
    fn pull_later(&mut self, low: bool, env: &mut Env<'_, '_>) {
        let hold = self.target_times(env).0;
        let at = env.now().after(hold);
        self.ends.later = Some((at, Later::Pull(low)));
        env.schedule(TARGET, at);
        if V::holds_for_data(self) {
            self.ends.holds_scl = true;
            self.show_ends(env);
        }
    }

    /// From SCL's fall to a change of SDA by the target's end, and from there to the release of SCL.
    fn target_times(&self, env: &mut Env<'_, '_>) -> (Span, Span) {
        V::ROWS.iter().for_each(|row| env.wires.note(row));
        let tick = env.clocks().period_of(self.clock());
        V::target_times(self, tick, env)
    }

    /// The target's end gives up what it takes part in.
    pub(crate) fn let_go_target(&mut self, env: &mut Env<'_, '_>) {
        self.ends.target = Target::Elsewhere;
        self.release(env);
    }

    /// The target's time has come.
    pub(crate) fn target_due(&mut self, env: &mut Env<'_, '_>) {
        match self.ends.later.take() {
            Some((at, Later::Pull(low))) => {
                self.ends.holds_sda = low;
                if self.ends.holds_scl && self.ends.stage.is_none() {
                    let at = at.after(self.target_times(env).1);
                    self.ends.later = Some((at, Later::Release));
                    env.schedule(TARGET, at);
                }
            }
            Some((_, Later::Release)) => self.ends.holds_scl = false,
            None => {}
        }
        self.show_ends(env);
    }

    /// The target's end goes on, if software has done its part.
    pub(crate) fn target_go(&mut self, env: &mut Env<'_, '_>) {
        let held = self.ends.holds_scl;
        let pull = match self.ends.stage {
            None => return,
            Some(Stage::Eighth(byte)) => V::target_received(self, byte),
            Some(Stage::Next) => match V::target_next(self) {
                Next::Wait => None,
                Next::Receive => Some(false),
                Next::Send(byte) => {
                    self.ends.out = byte;
                    Some(byte & 0x80 == 0)
                }
            },
        };
        let Some(pull) = pull else {
            self.ends.holds_scl = true;
            self.hold_begins(env.now(), env);
            return self.show_ends(env);
        };
        self.ends.stage = None;
        self.hold_ends(env);
        if !held {
            return self.pull_later(pull, env);
        }
        // Held lines: the data first, the clock after their setup time.
        self.ends.holds_sda = pull;
        self.show_ends(env);
        let at = env.now().after(self.target_times(env).1);
        self.ends.later = Some((at, Later::Release));
        env.schedule(TARGET, at);
    }

    /// The clock of the block has changed.
    pub(crate) fn rescale_ends(&mut self, before: Span, after: Span, _: Tree, env: &mut Env<'_, '_>) {
        let now = env.now();
        if !self.ends.driver.is_free() && self.ends.due > now {
            self.ends.due = self.ends.due.rescaled(now, before, after);
            env.schedule(DRIVE, self.ends.due);
        }
        if let Some((at, later)) = self.ends.later {
            let at = at.rescaled(now, before, after);
            self.ends.later = Some((at, later));
            env.schedule(TARGET, at);
        }
    }

    /// Begins and ends the watch over lines that do not move.
    fn watch_time(&mut self, clock: bool, env: &mut Env<'_, '_>) {
        let Monitor { scl, sda, .. } = self.ends.lines;
        if V::is_on(self) && (clock || scl) {
            let limit = V::timeout(self, (scl, sda), env);
            env.schedule(TIMEOUT, limit.map_or(Instant::NEVER, |limit| env.now().after(limit)));
        }
    }
}
