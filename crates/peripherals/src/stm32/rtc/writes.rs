//! Writes of the real-time clock's registers: what takes them when, and what follows.

use cyclescope_machine::GapKind;

use super::calendar::DateTime;
use super::{
    DR, INIT_TIME, PRER, RECALIBRATION_TIME, ROWS, Rtc, SHIFT_TIME, SHIFTR, START_TIME, TR, WRITE_TIME, cr, isr,
};
use crate::{Env, Write};

impl Rtc {
    pub(super) fn write_status(&mut self, write: Write, tick: u64, env: &mut Env<'_, '_>) {
        if self.version.flags.is_none() {
            self.flags &= !(write.zeros() & isr::FLAGS);
        }
        if self.unlocked != 2 {
            let before = self.status(tick);
            if (write.over(before) ^ before) & isr::INIT != 0 {
                env.gap(GapKind::Setting, format_args!("RTC: INIT written while the block is protected: lost"));
            }
            return;
        }
        if write.zeros() & isr::RSF != 0 && tick >= self.synchronised {
            self.restart_shadow(tick);
        }
        let wanted = write.over(self.status(tick)) & isr::INIT != 0;
        if wanted && self.initialising.is_none() {
            let periods = env.cycles(&ROWS[INIT_TIME]);
            self.initialising = Some(tick.saturating_add(periods));
            self.synchronised = u64::MAX;
        } else if !wanted && self.initialising.is_some() {
            self.leave_initialisation(tick, env);
        }
    }

    pub(super) fn leave_initialisation(&mut self, tick: u64, env: &mut Env<'_, '_>) {
        let ready = self.is_initialising(tick);
        self.initialising = None;
        self.locked = None;
        if ready {
            let (tr, dr) = self.written;
            let (time, good) = DateTime::decode(tr, dr, self.half_days());
            if !good {
                env.gap(GapKind::Setting, format_args!("RTC: TR={tr:#x} and DR={dr:#x} are no time and date"));
            }
            let periods = env.cycles(&ROWS[START_TIME]);
            self.set_prescalers();
            self.chain.start(tick.saturating_add(periods), time);
        }
        self.restart_shadow(tick);
        self.plan();
    }

    pub(super) fn set_prescalers(&mut self) {
        let prer = self.bank.get(PRER);
        let calibr = self.version.calibr.map_or(0, |calibr| self.bank.get(calibr));
        let on = self.control() & cr::DCE != 0;
        self.chain.set(
            prer >> 16 & 0x7F,
            prer & 0x7FFF,
            if on { (calibr & 31, calibr & 1 << 7 != 0) } else { (0, false) },
        );
    }

    fn write_control(&mut self, write: Write, tick: u64, env: &mut Env<'_, '_>) {
        let old = self.control();
        let (_, mut new) = self.bank.write(self.version.cr, write, env);
        if !self.is_initialising(tick) {
            let kept = cr::REFCKON | cr::FMT | cr::DCE;
            new = new & !kept | old & kept;
        }
        if (old ^ new) & 7 != 0 && self.version.wutr.is_some() && !self.is_allowed(2, tick) {
            env.gap(GapKind::Setting, format_args!("RTC_CR.WUCKSEL written while WUTWF is 0: lost"));
            new = new & !7 | old & 7;
        }
        self.bank.set(self.version.cr, new & !(cr::ADD1H | cr::SUB1H));
        for which in 0..3 {
            let enable = cr::ALRAE << which;
            if old & enable != 0 && new & enable == 0 {
                let periods = env.cycles(&ROWS[WRITE_TIME]);
                self.allowed[which] = tick.saturating_add(periods);
            }
        }
        if old & cr::WUTE == 0 && new & cr::WUTE != 0 {
            self.start_wake(tick);
        }
        if new & (cr::ADD1H | cr::SUB1H) != 0 && self.initialising.is_none() {
            self.chain.change_hour(tick, new & cr::ADD1H != 0);
        }
        self.plan();
    }

    /// A write that is taken only while `taken`.
    fn write_if(&mut self, taken: bool, offset: u32, write: Write, env: &mut Env<'_, '_>, when: &str) -> bool {
        if taken {
            self.bank.write(offset, write, env);
        } else {
            let name =
                env.instance.map.registers.iter().find(|known| known.offset == offset).map_or("", |known| known.name);
            env.gap(GapKind::Setting, format_args!("RTC_{name} written {when}: lost"));
        }
        taken
    }

    pub(super) fn write_protected(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let tick = self.tick(env);
        let places = self.version;
        let initialising = self.is_initialising(tick);
        if offset == places.cr {
            self.write_control(write, tick, env);
        } else if offset == TR || offset == DR {
            if self.write_if(initialising, offset, write, env, "outside initialisation mode") {
                let (tr, dr) = self.written;
                self.written =
                    if offset == TR { (write.over(tr) & 0x007F_7F7F, dr) } else { (tr, write.over(dr) & 0x00FF_FF3F) };
            }
        } else if offset == PRER || Some(offset) == places.calibr {
            self.write_if(initialising, offset, write, env, "outside initialisation mode");
        } else if let Some(which) = places.alarms.iter().position(|(alarm, sub)| [*alarm, *sub].contains(&offset)) {
            let allowed = self.is_allowed(which, tick);
            if self.write_if(allowed, offset, write, env, "while ALRxWF is 0") {
                self.plan();
            }
        } else if Some(offset) == places.wutr {
            let allowed = self.is_allowed(2, tick);
            self.write_if(allowed, offset, write, env, "while WUTWF is 0");
        } else if offset == places.calr {
            let free = self.recalibrated.is_none();
            if self.write_if(free, offset, write, env, "while RECALPF is 1") {
                let steps = env.cycles(&ROWS[RECALIBRATION_TIME]);
                self.chain.advance(tick);
                self.recalibrated = Some(self.chain.tick_after(steps));
            }
        } else if offset == SHIFTR {
            let free = self.shift.is_none() && self.control() & cr::REFCKON == 0 && self.initialising.is_none();
            if self.write_if(free, offset, write, env, "while SHPF, REFCKON or INIT is 1") {
                let periods = env.cycles(&ROWS[SHIFT_TIME]);
                self.shift = Some((tick.saturating_add(periods), write.value & write.lanes));
                self.synchronised = u64::MAX;
            }
        } else {
            self.bank.write(offset, write, env);
        }
    }

    /// Tells if no key protects the register: TAFCR, the option register behind it and the backup registers.
    pub(super) fn is_open(&self, offset: u32) -> bool {
        Some(offset) == self.version.tafcr || (self.version.tafcr.is_some() && offset >= 0x4C)
    }
}
