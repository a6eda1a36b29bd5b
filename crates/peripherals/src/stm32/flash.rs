//! A flash interface under the registers of any version: its locks, the time that programming and erasing take, its
//! interrupt, its timing, and the choice of a run.
//!
//! [`MemorySetting`] decides for each run if the firmware's timing settings take effect.

use std::fmt::Debug;

use cyclescope_machine::units::{Address, Hertz};
use cyclescope_machine::{BusFault, FlashTiming, GapKind, Width};

use crate::{
    Bank, Block, Clocks, Effect, Env, FlashControl, Instance, Instant, Lines, MemorySetting, Modelled, Source, Tree,
    Words, Write,
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
    /// BSY in it.
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
    /// The modelled registers and fields, with the values after reset.
    const MODEL: &'static [Modelled];
    /// The places of what all versions have.
    const PLACES: Places;

    /// Wait states that the vendor asks for at `clock`.
    fn wait_states_for(clock: Hertz) -> u32;

    /// The timing that FLASH_ACR selects.
    fn written(acr: u32) -> FlashTiming;

    /// The timing that the vendor recommends at `clock`.
    fn recommended(clock: Hertz) -> FlashTiming;

    /// The parts of the read path that can be switched, in words, and whether `timing` has them on.
    fn parts(timing: &FlashTiming) -> Vec<(&'static str, bool)>;

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
}

impl<V: Version + Default> Flash<V> {
    /// The block after reset; `setting` decides what its settings mean.
    pub fn new(instance: &Instance, setting: MemorySetting) -> Self {
        Self::with(instance, setting, V::default())
    }
}

impl<V: Version> Flash<V> {
    /// The block after reset with the version's state `own`; `setting` decides what its settings mean.
    pub(super) fn with(instance: &Instance, setting: MemorySetting, own: V) -> Self {
        Self {
            bank: Bank::new(instance.map, V::MODEL),
            own,
            setting,
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            unlocked: [0; 2],
            done_at: Instant::NEVER,
        }
    }

    /// Wait states that the vendor asks for at `clock`.
    pub fn wait_states_for(clock: Hertz) -> u32 {
        V::wait_states_for(clock)
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
        V::written(self.get(ACR))
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
        self.bank.flag(V::PLACES.sr, V::PLACES.bsy, true);
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
        let (source, name) = V::PLACES.clock;
        let clock = env.clocks().frequency(source);
        let written = self.get(ACR) & V::PLACES.latency;
        if self.setting == MemorySetting::Shipped && written < V::wait_states_for(clock) {
            env.gap(GapKind::Setting, format_args!("FLASH_ACR.LATENCY={written} is too few for {name} {clock}"));
        }
        V::check(self, env);
        env.context.memory.set_flash_timing(match self.setting {
            MemorySetting::Ideal => FlashTiming::IDEAL,
            MemorySetting::Shipped => self.written(),
            MemorySetting::Equal => V::recommended(clock),
        });
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
        let parts = V::parts(&written);
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
