//! Reset and clock control under the registers of any version: oscillators and their readiness, the switch of SYSCLK,
//! ready interrupts, the backup domain, reset flags.

pub(super) mod mux;
pub(super) mod pll;
pub(super) mod rows;
mod version;

use std::marker::PhantomData;

use cyclescope_machine::GapKind;
use cyclescope_machine::units::Hertz;

use crate::wires::Square;
use crate::{
    Bank, Block, ClockControl, Clocks, Effect, Env, Instance, Instant, Lines, Pll, ResetFlag, Source, Span, Tree,
    Words, Write,
};

pub use version::{Oscillator, Version};
pub(super) use version::{of_board, oscillator};

/// Indices of [`Version::OSCILLATORS`]; the main PLL comes fifth, then what a version has of its own.
pub(super) const HSI: usize = 0;
pub(super) const HSE: usize = 1;
pub(super) const LSI: usize = 2;
pub(super) const LSE: usize = 3;
pub(super) const PLL: usize = 4;

/// The offset of CR, and its bits in STM32F1 and F4.
pub(super) const CR: u32 = 0x00;
pub(super) const HSION: u32 = 1 << 0;
pub(super) const HSIRDY: u32 = 1 << 1;
pub(super) const HSEON: u32 = 1 << 16;
pub(super) const HSERDY: u32 = 1 << 17;
pub(super) const PLLON: u32 = 1 << 24;
pub(super) const PLLRDY: u32 = 1 << 25;
/// HSICAL, the factory's calibration.
pub(super) const HSICAL: u32 = 0xFF00;

/// Bits of BDCR and CSR (STM32C0: CSR1 and CSR2).
pub(super) const LSEON: u32 = 1 << 0;
pub(super) const LSERDY: u32 = 1 << 1;
pub(super) const RTCSEL: u32 = 3 << 8;
pub(super) const RTCEN: u32 = 1 << 15;
pub(super) const BDRST: u32 = 1 << 16;
pub(super) const LSION: u32 = 1 << 0;
pub(super) const LSIRDY: u32 = 1 << 1;

/// The block.
#[derive(Clone, Debug)]
pub struct Rcc<V> {
    pub(super) bank: Bank,
    lines: Lines,
    /// When each oscillator that is starting up will be ready.
    ready_at: Vec<Instant>,
    /// A watchdog keeps LSI running.
    lsi_forced: bool,
    /// DBP of PWR: the backup domain takes writes.
    backup_writable: bool,
    /// The reset that comes ends Standby mode.
    ends_standby: bool,
    /// The fastest SYSCLK of the part.
    fastest: Hertz,
    /// The clocks at the outputs.
    shown: Vec<(&'static str, Span)>,
    version: PhantomData<V>,
}

impl<V: Version> Rcc<V> {
    /// HPRE, PPRE1 and PPRE2 of CFGR.
    pub(super) const PRESCALERS: u32 = 15 << V::HPRE | 7 << V::PPRE[0] | 7 << V::PPRE[1];

    /// The block after power-on, of a part whose SYSCLK may be as fast as `fastest`.
    pub fn new(instance: &Instance, fastest: Hertz) -> Self {
        Self {
            bank: Bank::new(instance.map, V::MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX), ("RCC", u32::MAX)]),
            ready_at: vec![Instant::NEVER; V::OSCILLATORS.len()],
            lsi_forced: false,
            backup_writable: false,
            ends_standby: false,
            fastest,
            shown: Vec::new(),
            version: PhantomData,
        }
    }

    pub(super) fn get(&self, offset: u32) -> u32 {
        self.bank.get(offset)
    }

    /// Tells if the part has the register at `offset`.
    pub(super) fn has(&self, offset: u32) -> bool {
        self.bank.at(offset).is_some()
    }

    pub(super) fn is_ready(&self, oscillator: usize) -> bool {
        let known = &V::OSCILLATORS[oscillator];
        self.get(known.register) & known.ready != 0
    }

    /// The period of `oscillator`, which is no PLL; zero while it does not run.
    pub(super) fn period(&self, oscillator: usize, clocks: &Clocks) -> Span {
        let clock = V::frequency(self, oscillator, clocks).filter(|_| self.is_ready(oscillator));
        clock.map_or(Span::ZERO, |clock| clocks.period(clock).times(V::divider(self, oscillator)))
    }

    /// The period of the main PLL's output for SYSCLK; zero while it does not run.
    pub(super) fn pll_period(&self, clocks: &Clocks) -> Span {
        if self.is_ready(PLL) { V::pll_output(self, clocks) } else { Span::ZERO }
    }

    /// The period of the RTC's clock, by RTCSEL and RTCEN (RM0008, RM0390, RM0490, "RTC clock"); zero while it has none.
    pub(super) fn rtc_period(&self, clocks: &Clocks) -> Span {
        let bdcr = self.get(V::BDCR);
        match (bdcr & RTCEN, (bdcr & RTCSEL) >> 8) {
            (0, _) | (_, 0) => Span::ZERO,
            (_, 1) => self.period(LSE, clocks),
            (_, 2) => self.period(LSI, clocks),
            _ => V::rtc_divider(self).map_or(Span::ZERO, |divider| self.period(HSE, clocks).times(divider)),
        }
    }

    /// Tells if the board has the oscillator; for a PLL, if its source runs.
    fn can_start(&self, oscillator: usize, clocks: &Clocks) -> bool {
        if V::PLLS.contains(&oscillator) {
            V::pll_source(self, oscillator).is_some_and(|source| self.is_ready(source))
        } else {
            V::frequency(self, oscillator, clocks).is_some()
        }
    }

    /// The oscillator behind SYSCLK.
    pub(super) fn in_use(&self) -> usize {
        V::selected(self, (self.get(V::CFGR) / (V::SW + 1)) & V::SW).unwrap_or(V::RESET)
    }

    /// Switches in `register` that cannot be cleared now: those of the oscillators behind SYSCLK. A PLL may feed another.
    fn pinned(&self, register: u32) -> u32 {
        let source = |of: &usize| V::PLLS.contains(of).then(|| V::pll_source(self, *of)).flatten();
        let behind = std::iter::successors(Some(self.in_use()), source).take(V::OSCILLATORS.len());
        let here = behind.map(|oscillator| &V::OSCILLATORS[oscillator]).filter(|known| known.register == register);
        here.fold(0, |bits, known| bits | known.on)
    }

    /// Starts or stops `oscillator` as its switch says.
    pub(super) fn power(&mut self, oscillator: usize, env: &mut Env<'_, '_>) {
        let known = &V::OSCILLATORS[oscillator];
        let value = self.get(known.register);
        let on = value & known.on != 0 || (oscillator == LSI && self.lsi_forced);
        let ready = value & known.ready != 0;
        if !on {
            self.ready_at[oscillator] = Instant::NEVER;
            self.bank.flag(known.register, known.ready, false);
        } else if !ready && self.ready_at[oscillator] == Instant::NEVER && self.can_start(oscillator, env.clocks()) {
            let row = &V::ROWS[V::row(self, oscillator)];
            let period = env.clocks().period(V::REFERENCE);
            self.ready_at[oscillator] = env.always_now().after(period.times(u64::from(row.cycles)));
            V::starts(self, oscillator, env);
        } else if !ready && oscillator == LSE && !self.can_start(oscillator, env.clocks()) {
            env.gap(
                GapKind::Setting,
                format_args!("LSEON: the board has no crystal for LSE, so that LSERDY never comes"),
            );
        } else if !ready && V::PLLS.contains(&oscillator) && V::pll_source(self, oscillator).is_none() {
            env.gap(
                GapKind::Setting,
                format_args!("RCC_PLLCFGR.PLLSRC selects no clock, so that no PLL becomes ready"),
            );
        }
        env.schedule_always(oscillator as u16, self.ready_at[oscillator]);
        if ready != self.is_ready(oscillator) {
            env.effect(Effect::ClocksChanged);
        }
    }

    /// Follows CFGR.SW once its clock is ready (RM0008, RM0390, RM0490, "System clock (SYSCLK) selection").
    pub(super) fn switch(&mut self, env: &mut Env<'_, '_>) {
        let (cfgr, above) = (self.get(V::CFGR), V::SW + 1);
        let sw = cfgr & V::SW;
        if V::selected(self, sw).is_some_and(|oscillator| V::is_usable(self, oscillator))
            && (cfgr / above) & V::SW != sw
        {
            self.bank.set(V::CFGR, (cfgr & !(V::SW * above)) | (sw * above));
            V::switched(self, env);
            env.effect(Effect::ClocksChanged);
        }
    }

    /// A write of CR.
    pub(super) fn write_control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        self.write_switches(CR, old, (old & V::FIXED) | (new & !V::FIXED), env);
        V::controlled(old, self.get(CR), env);
    }

    /// A write of `register`, with switches and flags of oscillators.
    pub(super) fn write_switches(&mut self, register: u32, old: u32, new: u32, env: &mut Env<'_, '_>) {
        let here = || V::OSCILLATORS.iter().enumerate().filter(|(_, known)| known.register == register);
        let fixed = here().fold(0, |bits, (_, known)| bits | known.ready);
        self.bank.set(register, (old & fixed) | (new & !fixed) | self.pinned(register));
        for (oscillator, _) in here() {
            self.power(oscillator, env);
        }
    }

    /// A write of CFGR, of which the bits `kept` cannot change now.
    pub(super) fn write_configuration(&mut self, old: u32, new: u32, kept: u32, env: &mut Env<'_, '_>) {
        let kept = kept | (V::SW * (V::SW + 1));
        self.bank.set(V::CFGR, (old & kept) | (new & !kept));
        let sw = new & V::SW;
        if V::selected(self, sw).is_none() {
            env.gap(GapKind::Setting, format_args!("RCC_CFGR.SW={sw} is reserved"));
        }
        self.switch(env);
        if (old ^ new) & Self::PRESCALERS != 0 {
            env.effect(Effect::ClocksChanged);
        }
    }

    /// Names clocks faster than the part is made for.
    fn check_limits(&self, env: &mut Env<'_, '_>) {
        let [pclk, pclk2] = V::bus_limits(self.fastest);
        let clocks = [
            (Source::Sysclk, self.fastest, "SYSCLK"),
            (
                Source::Pclk,
                pclk,
                if V::PPRE[0] == V::PPRE[1] { "RCC_CFGR.PPRE: PCLK" } else { "RCC_CFGR.PPRE1: PCLK1" },
            ),
            (Source::Pclk2, pclk2, "RCC_CFGR.PPRE2: PCLK2"),
        ];
        let buses = if V::PPRE[0] == V::PPRE[1] { 1 } else { 2 };
        for (source, limit, name) in clocks.into_iter().take(1 + buses) {
            if env.clocks().period_of(source) < env.clocks().period(limit) {
                env.gap(GapKind::Setting, format_args!("{name} above {limit}"));
            }
        }
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let (register, left) = V::ENABLES;
        self.lines.drive(self.get(V::FLAGS) & self.get(register) >> left & V::INTERRUPTS, env);
    }

    /// A write of CIR, whose flags, enables and clear bits are bytes of it.
    pub(super) fn write_interrupts(&mut self, old: u32, write: Write) {
        let flags = old & (V::INTERRUPTS | 1 << 7) & !(write.ones() >> 16);
        self.bank.set(V::FLAGS, flags | (write.over(old) & V::INTERRUPTS << 8));
    }

    /// A write of the flags at [`Version::FLAGS`], which the register behind them clears (RM0490, RM0444, RM0440, RM0351,
    /// RCC_CIFR, RCC_CICR).
    pub(super) fn write_flags(&mut self, offset: u32, old: u32, write: Write) {
        if offset == V::FLAGS {
            self.bank.set(offset, old);
        } else {
            self.bank.set(offset, 0);
            self.bank.flag(V::FLAGS, write.ones(), false);
        }
    }

    /// A write of BDCR (RM0008, RM0390, "Backup domain reset").
    pub(super) fn write_backup(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        if !self.backup_writable {
            self.bank.set(V::BDCR, old);
            if old != new {
                env.gap(GapKind::Setting, format_args!("RCC_BDCR written while DBP of PWR is 0: lost"));
            }
        } else if new & BDRST != 0 {
            // Everything of the domain but the bit itself.
            self.bank.set(V::BDCR, BDRST);
            env.effect(Effect::ResetBackup);
            env.effect(Effect::ClocksChanged);
        } else {
            // Once selected, the RTC's clock stays until the domain is reset.
            let kept = LSERDY | if old & RTCSEL != 0 { RTCSEL } else { 0 };
            self.bank.set(V::BDCR, (old & kept) | (new & !kept));
            if (old ^ new) & (RTCSEL | RTCEN) != 0 {
                env.effect(Effect::ClocksChanged);
            }
        }
        self.power(LSE, env);
    }

    /// A write of CSR, of which `stored` holds what is written.
    pub(super) fn write_status(&mut self, old: u32, new: u32, stored: u32, env: &mut Env<'_, '_>) {
        let flags = if new & V::RMVF != 0 { 0 } else { old & V::RESET_FLAGS };
        self.bank.set(V::CSR, (new & stored) | (old & LSIRDY) | flags);
        self.power(LSI, env);
    }
}

/// CFGR.HPRE: 0xxx 1, then 2, 4, 8, 16, 64, 128, 256, 512 (RM0008, RM0390, RM0490).
fn ahb_divider(hpre: u32) -> u64 {
    const DIVIDERS: [u64; 8] = [2, 4, 8, 16, 64, 128, 256, 512];
    if hpre < 8 { 1 } else { DIVIDERS[(hpre - 8) as usize] }
}

/// CFGR.PPRE, PPRE1 and PPRE2: 0xx 1, then 2, 4, 8, 16 (RM0008, RM0390, RM0490).
fn apb_divider(ppre: u32) -> u64 {
    if ppre < 4 { 1 } else { 2 << (ppre - 4) }
}

impl<V: Version> ClockControl for Rcc<V> {
    fn tree(&self, clocks: &Clocks) -> Tree {
        let cfgr = self.get(V::CFGR);
        let before = |oscillator| if oscillator == HSI { V::hsi_divider(self) } else { 1 };
        let sysclk = match self.in_use() {
            PLL if V::PLLS.contains(&PLL) => self.pll_period(clocks),
            in_use => self.period(in_use, clocks).times(before(in_use)),
        };
        // A stopped clock cannot be selected; should one be, the core goes on from the internal one, as the CSS would have it.
        let internal = || V::frequency(self, V::RESET, clocks).map_or(Span::ZERO, |clock| clocks.period(clock));
        let sysclk = if sysclk == Span::ZERO { internal().times(before(V::RESET)) } else { sysclk };
        let sysclk = sysclk.times(V::sysclk_divider(self));
        let hclk = sysclk.times(ahb_divider(cfgr >> V::HPRE & 15));
        let dividers = V::PPRE.map(|low| apb_divider(cfgr >> low & 7));
        let [pclk, pclk2] = dividers.map(|apb| hclk.times(apb));
        let [timer, timer2] = dividers.map(|apb| hclk.times(V::timer_divider(self, apb)));
        Tree {
            hclk,
            pclk,
            pclk2,
            timer,
            timer2,
            sysclk,
            hsi_kernel: self.period(HSI, clocks).times(V::kernel_divider(self)),
            lsi: self.period(LSI, clocks),
            lse: self.period(LSE, clocks),
            rtc: self.rtc_period(clocks),
            clk48: V::clk48(self, clocks),
            i2s: V::i2s(self, clocks),
            hse: self.period(HSE, clocks),
            pll: V::pll_kernels(self, clocks),
            converters: V::converters(self, clocks),
        }
    }

    fn usb_clock(&self, clocks: &Clocks) -> Hertz {
        V::usb_clock(self, clocks)
    }

    fn plls(&self, clocks: &Clocks) -> Vec<Pll> {
        V::plls(self, clocks)
    }

    fn kernel_clock(&self, instance: &Instance) -> Option<Source> {
        V::kernel_clock(self, instance)
    }

    /// RM0008, RM0390, RM0490, "System reset": each internal reset also pulls the NRST pin.
    fn note_reset(&mut self, flag: ResetFlag) {
        let bit = match flag {
            ResetFlag::Standby => {
                self.bank.set(V::CSR, self.get(V::CSR) & !V::RESET_FLAGS | V::STANDBY_FLAGS);
                self.ends_standby = true;
                return;
            }
            ResetFlag::Pin => 1 << 26,
            ResetFlag::Software => 1 << 28,
            ResetFlag::IndependentWatchdog => 1 << 29,
            ResetFlag::WindowWatchdog => 1 << 30,
        };
        self.bank.flag(V::CSR, bit | 1 << 26, true);
    }

    fn settled(&mut self, env: &mut Env<'_, '_>) {
        let outputs = V::outputs(self, env.clocks());
        for (signal, period) in &outputs {
            let before = self.shown.iter().find(|(known, _)| known == signal).map_or(Span::ZERO, |(_, period)| *period);
            if *period == before {
                continue;
            }
            if *period == Span::ZERO {
                env.end_square(signal);
                env.effect(Effect::Output { signal, level: None });
            } else {
                let high = period.half();
                env.square(Square { signal, start: env.now(), steps: [high, period.minus(high)] });
            }
        }
        self.shown = outputs;
    }

    /// RM0008, RM0390, RM0490, "LSI clock".
    fn force_lsi(&mut self, env: &mut Env<'_, '_>) {
        self.lsi_forced = true;
        self.power(LSI, env);
    }

    /// RM0008, "Battery backup domain".
    fn allow_backup_writes(&mut self, allowed: bool) {
        self.backup_writable = allowed;
    }

    /// RM0008, RM0390, RM0490, RM0444, RM0440, RM0351, "Stop mode": the fast oscillators stop, and an internal one is selected.
    fn stop(&mut self, env: &mut Env<'_, '_>) {
        let old = self.get(CR);
        let (internal, sw) = V::wakes_with(self);
        for (oscillator, known) in V::OSCILLATORS.iter().enumerate().filter(|(number, _)| ![LSI, LSE].contains(number))
        {
            self.ready_at[oscillator] = Instant::NEVER;
            env.cancel(oscillator as u16);
            self.bank.flag(known.register, known.on | known.ready, oscillator == internal);
        }
        self.bank.flag(V::CFGR, V::SW | (V::SW * (V::SW + 1)), false);
        self.bank.flag(V::CFGR, sw | (sw * (V::SW + 1)), true);
        V::controlled(old, self.get(CR), env);
        env.effect(Effect::ClocksChanged);
    }
}

impl<V: Version> Block<Words> for Rcc<V> {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let values = self.bank.write(offset, write, env);
        V::written(self, offset, values, write, env);
        if V::RESETS.iter().any(|registers| registers.contains(&offset)) && values.1 != 0 {
            env.effect(Effect::ResetPeripherals { offset: offset as u16, bits: values.1 });
        }
        self.drive(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let oscillator = usize::from(kind);
        let Some(known) = V::OSCILLATORS.get(oscillator) else { return };
        if env.always_now() < self.ready_at[oscillator] {
            return;
        }
        self.ready_at[oscillator] = Instant::NEVER;
        self.bank.flag(known.register, known.ready, true);
        let (enables, left) = V::ENABLES;
        if self.get(enables) & known.interrupt << left != 0 {
            self.bank.flag(V::FLAGS, known.interrupt, true);
        }
        env.effect(Effect::ClocksChanged);
        // PLLs may have waited for this oscillator.
        for pll in V::PLLS {
            self.power(*pll, env);
        }
        self.switch(env);
        self.drive(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        // The backup domain and the reset flags outlive a system reset (RM0008, RM0390, "Backup domain reset", RCC_CSR;
        // RM0490, "RTC domain reset", RCC_CSR2).
        let ends_standby = std::mem::take(&mut self.ends_standby);
        let kept = V::RESET_FLAGS | if ends_standby { V::STANDBY_KEPT } else { 0 };
        let (bdcr, csr) = (self.get(V::BDCR), self.get(V::CSR) & kept);
        self.bank.reset();
        self.bank.set(V::BDCR, bdcr);
        self.bank.set(V::CSR, self.get(V::CSR) & !kept | csr);
        self.lsi_forced = false;
        self.backup_writable = false;
        for oscillator in 0..V::OSCILLATORS.len() {
            self.power(oscillator, env);
        }
        self.drive(env);
        V::was_reset(env);
        env.effect(Effect::ClocksChanged);
    }

    fn refine(&mut self, times: u64) {
        for at in &mut self.ready_at {
            *at = at.refined(times);
        }
        for (_, period) in &mut self.shown {
            *period = period.times(times);
        }
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        for (oscillator, at) in self.ready_at.iter().enumerate() {
            env.schedule_always(oscillator as u16, *at);
        }
        self.check_limits(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
