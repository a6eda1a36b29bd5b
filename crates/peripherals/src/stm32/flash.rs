//! A flash interface under the registers of any version: its locks, the time that programming and erasing take, its
//! interrupt, its timing, and the choice of a run.
//!
//! [`MemorySetting`] decides for each run if the firmware's timing settings take effect.

use std::fmt::Debug;

use cyclescope_machine::units::{Address, Hertz};
use cyclescope_machine::{BusFault, FlashTiming, GapKind, Width};

use crate::{
    Bank, Block, Clocks, Effect, Env, FlashControl, Instance, Instant, Lines, MemorySetting, Modelled, Source, Tree,
    VoltageRange, Words, Write,
};

/// The keys of FLASH_KEYR (RM0390, RM0490, "Unlocking the flash memory"; PM0075, "Unlocking the Flash memory").
pub(super) const KEYS: [u32; 2] = [0x4567_0123, 0xCDEF_89AB];
/// The keys of FLASH_OPTKEYR (RM0390, RM0490, "Option byte programming").
pub(super) const OPTION_KEYS: [u32; 2] = [0x0819_2A3B, 0x4C5D_6E7F];

/// The offset of FLASH_ACR.
const ACR: u32 = 0x00;

/// A key was wrong: the lock stays until reset.
const WRONG: u8 = 3;

/// The event at which programming or erasing is done.
const DONE: u16 = 0;

/// The registers and bits that all versions have, in the places of one version; FLASH_ACR comes first in all.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The offsets of FLASH_KEYR and FLASH_OPTKEYR.
    pub keyr: [u32; 2],
    /// The keys of each.
    pub keys: [[u32; 2]; 2],
    /// The lock that each opens: its register, its bit, and the level of that while it is closed.
    pub locks: [(u32, u32, bool); 2],
    /// `true` if the second lock opens only behind the first.
    pub nested: bool,
    /// The offset of FLASH_SR.
    pub sr: u32,
    /// BSY in it, the lowest bit, and those of other banks.
    pub bsy: u32,
    /// EOP in it.
    pub eop: u32,
    /// The errors in it that interrupt.
    pub errors: u32,
    /// The flags in it that writing 1 clears.
    pub clearable: u32,
    /// The offset of FLASH_CR.
    pub cr: u32,
    /// LOCK in it.
    pub lock: u32,
    /// STRT in it.
    pub strt: u32,
    /// EOPIE in it.
    pub eopie: u32,
    /// ERRIE in it.
    pub errie: u32,
    /// `true` if EOP rises only with its interrupt enabled.
    pub eop_needs_enable: bool,
    /// LATENCY of FLASH_ACR.
    pub latency: u32,
    /// The clock that wait states follow, and its name.
    pub clock: (Source, &'static str),
    /// The clock in whose periods programming and erasing are given.
    pub reference: Hertz,
}

/// A version of the registers, with the state that is its own.
pub trait Version: Clone + Debug {
    /// The places of what all versions have.
    const PLACES: Places;

    /// The fastest clock with so many wait states; `None` beyond the most that the manual's table has.
    fn limit(&self, wait_states: usize) -> Option<Hertz>;

    /// The fastest clock with `wait_states`: that of the most in the manual's table for more.
    fn fastest(&self, wait_states: u32) -> Hertz {
        let limits = (0..=wait_states as usize).map_while(|number| self.limit(number));
        limits.last().unwrap_or(Hertz::new(0))
    }

    /// Wait states that the vendor asks for at `clock`; the most in the manual's table at a clock that it does not allow.
    fn wait_states_for(&self, clock: Hertz) -> u32 {
        let enough = (0..).map_while(|number| Some((number, self.limit(number as usize)?)));
        enough
            .take_while(|(_, limit)| clock > *limit)
            .map(|(number, _)| number + 1)
            .last()
            .map_or(0, |wanted: u32| if self.limit(wanted as usize).is_some() { wanted } else { wanted - 1 })
    }

    /// The condition under which [`Self::limit`] holds, as the end of a sentence.
    fn condition(&self) -> &'static str {
        ""
    }

    /// The core's voltage is in another range.
    fn set_range(&mut self, _range: VoltageRange) {}

    /// The timing that FLASH_ACR selects.
    fn written(&self, acr: u32) -> FlashTiming;

    /// The timing that the vendor recommends with so many wait states.
    fn recommended(&self, wait_states: u32) -> FlashTiming;

    /// The parts of the read path that can be switched, in words, and whether `timing` has them on.
    fn parts(&self, timing: &FlashTiming) -> Vec<(&'static str, bool)>;

    /// Names settings for the clocks in force that the manual forbids.
    fn check(_flash: &Flash<Self>, _env: &mut Env<'_, '_>) {}

    /// The value of FLASH_ACR after a write.
    fn settings(old: u32, new: u32) -> u32;

    /// FLASH_CR was written: whatever no write changes is put back.
    fn control(_flash: &mut Flash<Self>, _old: u32, _new: u32) {}

    /// STRT was set.
    fn erase(flash: &mut Flash<Self>, env: &mut Env<'_, '_>);

    /// A write of a register that is the version's own.
    fn write_own(flash: &mut Flash<Self>, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        flash.bank.write(offset, write, env);
    }

    /// See [`FlashControl::store`].
    fn store(flash: &mut Flash<Self>, offset: u32, width: Width, value: u32, env: &mut Env<'_, '_>);

    /// See [`FlashControl::option_word`].
    fn option_word(&self, _address: u32) -> Option<u32> {
        None
    }

    /// See [`FlashControl::store_option`].
    fn store_option(_: &mut Flash<Self>, _address: u32, _: Width, _value: u32, _: &mut Env<'_, '_>) -> bool {
        false
    }

    /// The system was reset.
    fn reset(&mut self) {}

    /// Programming or erasing is done.
    fn done(_flash: &mut Flash<Self>) {}
}

/// The block.
#[derive(Clone, Debug)]
pub struct Flash<V> {
    pub(super) bank: Bank,
    pub(super) own: V,
    setting: MemorySetting,
    lines: Lines,
    /// The number of right keys in each sequence; [`WRONG`] after a wrong one.
    unlocked: [u8; 2],
    done_at: Instant,
    /// A clock that is too fast for the wait states has been named.
    named: bool,
}

impl<V: Version> Flash<V> {
    /// The block after reset with the registers `model` and the version's state `own`; `setting` decides what its settings
    /// mean.
    pub(super) fn with(instance: &Instance, model: &[Modelled], setting: MemorySetting, own: V) -> Self {
        Self {
            bank: Bank::new(instance.map, model),
            own,
            setting,
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            unlocked: [0; 2],
            done_at: Instant::NEVER,
            named: false,
        }
    }

    /// Names a clock that is too fast for the wait states, the first time.
    fn check_clock(&mut self, clock: Hertz, env: &mut Env<'_, '_>) {
        let wait_states = self.get(ACR) & V::PLACES.latency;
        let fastest = self.own.fastest(wait_states);
        if self.setting != MemorySetting::Shipped || clock <= fastest || self.named {
            return;
        }
        self.named = true;
        let (name, condition) = (V::PLACES.clock.1, self.own.condition());
        env.gap(
            GapKind::Setting,
            format_args!(
                "{name} {clock} is too fast for FLASH_ACR.LATENCY={wait_states}{condition}, which allows {fastest}: flash is \
                 read as if it were right"
            ),
        );
    }

    pub(super) fn get(&self, offset: u32) -> u32 {
        self.bank.get(offset)
    }

    /// The value of FLASH_CR.
    pub(super) fn cr(&self) -> u32 {
        self.get(V::PLACES.cr)
    }

    /// The timing that FLASH_ACR selects.
    fn written(&self) -> FlashTiming {
        self.own.written(self.get(ACR))
    }

    /// One key of the sequence `which` (0: FLASH_KEYR, 1: FLASH_OPTKEYR). A wrong one is a bus error, and closes the lock
    /// until reset.
    fn key(&mut self, which: usize, value: u32, env: &mut Env<'_, '_>) {
        let Places { keyr, keys, locks, nested, lock, .. } = V::PLACES;
        let may_open = which == 0 || !nested || self.cr() & lock == 0;
        let step = self.unlocked[which];
        let right = keys[which].get(usize::from(step)) == Some(&value) && (step == 0 || may_open);
        self.unlocked[which] = if right { step + 1 } else { WRONG };
        let (register, bit, closed) = locks[which];
        if !right {
            env.wires.fault = Some(BusFault::ReadOnly(Address::new(env.instance.address + keyr[which])));
            self.bank.flag(register, bit, closed);
        } else if step != 0 {
            self.bank.flag(register, bit, !closed);
        }
    }

    /// Software has closed the lock of the sequence `which`: its keys are asked for anew.
    pub(super) fn lock(&mut self, which: usize) {
        self.unlocked[which] = 0;
    }

    fn write_control(&mut self, write: Write, env: &mut Env<'_, '_>) {
        let Places { cr, lock, strt, .. } = V::PLACES;
        // While locked, CR takes nothing, nor while busy (PM0075, RM0390, RM0490, FLASH_CR).
        if self.cr() & lock != 0 || self.is_busy() {
            return;
        }
        let (old, new) = self.bank.write(cr, write, env);
        V::control(self, old, new);
        if new & lock != 0 {
            self.lock(0);
        }
        if new & strt != 0 {
            V::erase(self, env);
            self.bank.flag(cr, strt, self.done_at != Instant::NEVER);
        }
    }

    /// Programming or erasing takes `periods` of [`Places::reference`].
    pub(super) fn busy(&mut self, periods: u32, env: &mut Env<'_, '_>) {
        env.gap(GapKind::Setting, format_args!("FLASH_SR.BSY: reads of flash are not stalled"));
        let period = env.clocks().period(V::PLACES.reference);
        self.done_at = env.always_now().after(period.times(periods.into()));
        let Places { sr, bsy, .. } = V::PLACES;
        self.bank.flag(sr, bsy & bsy.wrapping_neg(), true);
        env.schedule_always(DONE, self.done_at);
    }

    pub(super) fn is_busy(&self) -> bool {
        self.get(V::PLACES.sr) & V::PLACES.bsy != 0
    }

    /// Raises `error`.
    pub(super) fn raise(&mut self, error: u32, env: &mut Env<'_, '_>) {
        self.bank.flag(V::PLACES.sr, error, true);
        self.drive(env);
    }

    /// Raises `error`, and OPERR with it if that is enabled, in versions that have one.
    pub(super) fn fail(&mut self, error: u32, env: &mut Env<'_, '_>) {
        let Places { errors, errie, .. } = V::PLACES;
        let operation = if self.cr() & errie != 0 { errors } else { 0 };
        self.raise(error | operation, env);
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let Places { sr, eop, errors, eopie, errie, .. } = V::PLACES;
        let (sr, cr) = (self.get(sr), self.cr());
        let active = (sr & eop != 0 && cr & eopie != 0) || (sr & errors != 0 && cr & errie != 0);
        self.lines.drive(u32::from(active), env);
    }
}

impl<V: Version> FlashControl for Flash<V> {
    fn setting(&self) -> MemorySetting {
        self.setting
    }

    fn apply(&mut self, env: &mut Env<'_, '_>) {
        let clock = env.clocks().frequency(V::PLACES.clock.0);
        self.check_clock(clock, env);
        V::check(self, env);
        env.context.memory.set_flash_timing(match self.setting {
            MemorySetting::Ideal => FlashTiming::IDEAL,
            MemorySetting::Shipped => self.written(),
            MemorySetting::Equal => self.own.recommended(self.own.wait_states_for(clock)),
        });
    }

    fn set_range(&mut self, range: VoltageRange, env: &mut Env<'_, '_>) {
        self.own.set_range(range);
        self.apply(env);
    }

    fn store(&mut self, offset: u32, width: Width, value: u32, env: &mut Env<'_, '_>) {
        V::store(self, offset, width, value, env);
    }

    fn option_word(&self, address: u32) -> Option<u32> {
        self.own.option_word(address)
    }

    fn store_option(&mut self, address: u32, width: Width, value: u32, env: &mut Env<'_, '_>) -> bool {
        V::store_option(self, address, width, value, env)
    }

    fn settings_written(&self, clocks: &Clocks) -> String {
        let written = self.written();
        let plural = if written.wait_states == 1 { "" } else { "s" };
        let parts = self.own.parts(&written);
        let parts = parts.iter().map(|(name, on)| format!(", {name} {}", if *on { "on" } else { "off" }));
        let clock = clocks.frequency(Source::Hclk);
        format!("{} wait state{plural}{} at {clock}", written.wait_states, parts.collect::<String>())
    }
}

impl<V: Version> Block<Words> for Flash<V> {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let Places { keyr, sr, cr, clearable, .. } = V::PLACES;
        if let Some(which) = keyr.iter().position(|known| *known == offset) {
            self.key(which, write.value, env);
        } else if offset == sr {
            self.bank.flag(sr, write.ones() & clearable, false);
        } else if offset == cr {
            self.write_control(write, env);
        } else if offset == ACR {
            let (old, new) = self.bank.write(ACR, write, env);
            self.bank.set(ACR, V::settings(old, new));
            env.effect(Effect::FlashChanged);
        } else {
            V::write_own(self, offset, write, env);
        }
        self.drive(env);
    }

    /// Programming or erasing is done.
    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        if env.always_now() < self.done_at {
            return;
        }
        let Places { sr, bsy, eop, cr, strt, eopie, eop_needs_enable, .. } = V::PLACES;
        self.done_at = Instant::NEVER;
        self.bank.flag(sr, bsy, false);
        self.bank.flag(cr, strt, false);
        V::done(self);
        if !eop_needs_enable || self.cr() & eopie != 0 {
            self.bank.flag(sr, eop, true);
        }
        self.drive(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.own.reset();
        self.unlocked = [0; 2];
        self.done_at = Instant::NEVER;
        env.cancel(DONE);
        env.effect(Effect::FlashChanged);
        self.drive(env);
    }

    fn refine(&mut self, times: u64) {
        self.done_at = self.done_at.refined(times);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        env.schedule_always(DONE, self.done_at);
        self.apply(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}

#[cfg(test)]
mod tests {
    use super::super::flash_double::{Double, Line};
    use super::super::flash_f1::F1;
    use super::super::flash_f4::F4;
    use super::super::{flash_c0, flash_g0, flash_g4, flash_l4};
    use super::*;

    /// The fastest clock, in MHz, for each number of wait states, and what is asked for at it and just above.
    fn check(version: &impl Version, megahertz: &[u64]) {
        let limits: Vec<u64> =
            (0..16).map_while(|number| version.limit(number)).map(|limit| limit.get() / 1_000_000).collect();
        assert_eq!(limits, megahertz);
        let most = megahertz.len() as u32 - 1;
        for (wait_states, limit) in (0..).zip(megahertz) {
            let limit = Hertz::new(limit * 1_000_000);
            assert_eq!(version.wait_states_for(limit), wait_states);
            assert_eq!(version.wait_states_for(Hertz::new(limit.get() + 1)), (wait_states + 1).min(most));
            assert_eq!(version.fastest(wait_states), limit);
        }
        assert_eq!(version.fastest(most + 1), version.fastest(most));
    }

    #[test]
    fn wait_states_follow_the_vendors_tables() {
        check(&F1::default(), &[24, 48, 72]);
        // RM0390 and RM0090; RM0383, table 5; RM0430.
        check(&F4::of_device(0x421), &[30, 60, 90, 120, 150, 180]);
        check(&F4::of_device(0x431), &[30, 64, 90, 100]);
        check(&F4::of_device(0x463), &[25, 50, 75, 100]);
        let table = |line: &'static Line, range: VoltageRange, megahertz: &[u64]| {
            let mut version = Double::new(line, 2048, [1 << 16, 0]);
            version.set_range(range);
            check(&version, megahertz);
        };
        table(&flash_c0::LINE, VoltageRange::Normal, &[24, 48]);
        // RM0444; RM0440, tables 9 and 19; RM0351; RM0432.
        table(&flash_g0::LINE, VoltageRange::Normal, &[24, 48, 64]);
        table(&flash_g0::LINE, VoltageRange::Low, &[8, 16]);
        table(&flash_g4::LINE, VoltageRange::Boost, &[34, 68, 102, 136, 170]);
        table(&flash_g4::LINE, VoltageRange::Normal, &[30, 60, 90, 120, 150]);
        table(&flash_g4::LINE, VoltageRange::Low, &[12, 24, 26]);
        table(&flash_l4::LINE, VoltageRange::Normal, &[16, 32, 48, 64, 80]);
        table(&flash_l4::LINE, VoltageRange::Low, &[6, 12, 18, 26]);
        table(&flash_l4::PLUS, VoltageRange::Boost, &[20, 40, 60, 80, 100, 120]);
        table(&flash_l4::PLUS, VoltageRange::Normal, &[20, 40, 60, 80]);
        table(&flash_l4::PLUS, VoltageRange::Low, &[8, 16, 26]);
    }
}
