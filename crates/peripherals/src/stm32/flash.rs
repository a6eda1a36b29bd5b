//! A flash interface of any version: its locks, the time that programming and erasing take, its interrupt, and the choice
//! of a run.

use cyclescope_machine::units::{Address, Hertz};
use cyclescope_machine::{BusFault, FlashTiming, GapKind};

use crate::{Bank, Effect, Env, Instance, Instant, Lines, MemorySetting, Modelled};

/// The keys of FLASH_KEYR (RM0390, RM0490, "Unlocking the flash memory"; PM0075, "Unlocking the Flash memory").
pub(super) const KEYS: [u32; 2] = [0x4567_0123, 0xCDEF_89AB];
/// The keys of FLASH_OPTKEYR (RM0390, RM0490, "Option byte programming").
pub(super) const OPTION_KEYS: [u32; 2] = [0x0819_2A3B, 0x4C5D_6E7F];

/// A key was wrong: the lock stays until reset.
const WRONG: u8 = 3;

/// The event at which programming or erasing is done.
const DONE: u16 = 0;

/// The registers and bits that all versions have, in the places of one version.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// The offsets of FLASH_KEYR and FLASH_OPTKEYR.
    pub(super) keys: [u32; 2],
    /// The offset of FLASH_SR, and its BSY and EOP.
    pub(super) sr: u32,
    pub(super) bsy: u32,
    pub(super) eop: u32,
    /// The errors in it that interrupt.
    pub(super) errors: u32,
    /// The offset of FLASH_CR, and its STRT, EOPIE and ERRIE.
    pub(super) cr: u32,
    pub(super) strt: u32,
    pub(super) eopie: u32,
    pub(super) errie: u32,
    /// `true` if EOP rises only with its interrupt enabled.
    pub(super) eop_needs_enable: bool,
    /// The clock in whose periods programming and erasing are given.
    pub(super) reference: Hertz,
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// The first of two was right.
    First,
    /// Both were right: the lock opens.
    Opens,
    /// It was wrong: the lock closes until reset.
    Closes,
}

/// An interface behind its registers.
#[derive(Clone, Debug)]
pub(super) struct Interface {
    pub(super) bank: Bank,
    pub(super) setting: MemorySetting,
    lines: Lines,
    places: &'static Places,
    /// The number of right keys in each sequence; [`WRONG`] after a wrong one.
    unlocked: [u8; 2],
    done_at: Instant,
}

impl Interface {
    /// The interface after reset; `setting` decides what its settings mean.
    pub(super) fn new(
        instance: &Instance,
        model: &[Modelled],
        places: &'static Places,
        setting: MemorySetting,
    ) -> Self {
        Self {
            bank: Bank::new(instance.map, model),
            setting,
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            places,
            unlocked: [0; 2],
            done_at: Instant::NEVER,
        }
    }

    pub(super) fn get(&self, offset: u32) -> u32 {
        self.bank.get(offset)
    }

    /// The timing in force: `written` by the firmware, or `equal`, as the vendor recommends.
    pub(super) fn timing(&self, written: FlashTiming, equal: FlashTiming) -> FlashTiming {
        match self.setting {
            MemorySetting::Ideal => FlashTiming::IDEAL,
            MemorySetting::Shipped => written,
            MemorySetting::Equal => equal,
        }
    }

    /// Names wait states, `written` by the firmware, that are fewer than `needed` for the clock `name` of `clock`.
    pub(super) fn check_latency(&self, written: u32, needed: u32, name: &str, clock: Hertz, env: &mut Env<'_, '_>) {
        if self.setting == MemorySetting::Shipped && written < needed {
            env.gap(GapKind::Setting, format_args!("FLASH_ACR.LATENCY={written} is too few for {name} {clock}"));
        }
    }

    /// One key of the sequence `which` (0: FLASH_KEYR, 1: FLASH_OPTKEYR), which opens its lock only if `may_open`. A wrong
    /// one is a bus error.
    pub(super) fn key(
        &mut self,
        which: usize,
        keys: [u32; 2],
        value: u32,
        may_open: bool,
        env: &mut Env<'_, '_>,
    ) -> Key {
        let step = self.unlocked[which];
        let right = keys.get(usize::from(step)) == Some(&value) && (step == 0 || may_open);
        self.unlocked[which] = if right { step + 1 } else { WRONG };
        if !right {
            let address = env.instance.address + self.places.keys[which];
            env.wires.fault = Some(BusFault::ReadOnly(Address::new(address)));
            return Key::Closes;
        }
        if step == 0 { Key::First } else { Key::Opens }
    }

    /// Software has closed the lock of the sequence `which`: its keys are asked for anew.
    pub(super) fn lock(&mut self, which: usize) {
        self.unlocked[which] = 0;
    }

    /// Programming or erasing takes `periods` of [`Places::reference`].
    pub(super) fn busy(&mut self, periods: u64, env: &mut Env<'_, '_>) {
        env.gap(GapKind::Setting, format_args!("FLASH_SR.BSY: reads of flash are not stalled"));
        let period = env.clocks().period(self.places.reference);
        self.done_at = env.now().after(period.times(periods));
        self.bank.flag(self.places.sr, self.places.bsy, true);
        env.schedule(DONE, self.done_at);
    }

    /// STRT was written as 1, and what it starts has begun or not.
    pub(super) fn started(&mut self) {
        self.bank.flag(self.places.cr, self.places.strt, self.done_at != Instant::NEVER);
    }

    pub(super) fn is_busy(&self) -> bool {
        self.get(self.places.sr) & self.places.bsy != 0
    }

    /// Raises `error`.
    pub(super) fn fail(&mut self, error: u32, env: &mut Env<'_, '_>) {
        self.bank.flag(self.places.sr, error, true);
        self.drive(env);
    }

    pub(super) fn drive(&mut self, env: &mut Env<'_, '_>) {
        let Places { eop, errors, eopie, errie, .. } = *self.places;
        let (sr, cr) = (self.get(self.places.sr), self.get(self.places.cr));
        let active = (sr & eop != 0 && cr & eopie != 0) || (sr & errors != 0 && cr & errie != 0);
        self.lines.drive(u32::from(active), env);
    }

    /// The block's event is due: programming or erasing is done.
    pub(super) fn event(&mut self, env: &mut Env<'_, '_>) {
        if env.now() < self.done_at {
            return;
        }
        let Places { sr, bsy, eop, cr, strt, eopie, eop_needs_enable, .. } = *self.places;
        self.done_at = Instant::NEVER;
        self.bank.flag(sr, bsy, false);
        self.bank.flag(cr, strt, false);
        if !eop_needs_enable || self.get(cr) & eopie != 0 {
            self.bank.flag(sr, eop, true);
        }
        self.drive(env);
    }

    pub(super) fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.unlocked = [0; 2];
        self.done_at = Instant::NEVER;
        env.cancel(DONE);
        env.effect(Effect::FlashChanged);
        self.drive(env);
    }

    /// The clocks have changed.
    pub(super) fn reschedule(&self, env: &mut Env<'_, '_>) {
        env.schedule(DONE, self.done_at);
    }

    pub(super) fn refine(&mut self, times: u64) {
        self.done_at = self.done_at.refined(times);
    }
}

/// The wait states and what of `parts` is on, at `clock`, in words.
pub(super) fn settings(wait_states: u32, parts: &[(&str, bool)], clock: Hertz) -> String {
    let plural = if wait_states == 1 { "" } else { "s" };
    let parts = parts.iter().map(|(name, on)| format!(", {name} {}", if *on { "on" } else { "off" }));
    format!("{wait_states} wait state{plural}{} at {clock}", parts.collect::<String>())
}
