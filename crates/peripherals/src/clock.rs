//! Time that does not depend on which clock runs how fast, and the clock tree that maps it to core cycles.
//!
//! Everything outside the core's clock domain lasts a whole number of *units*: a unit is one period of the least
//! common multiple of all oscillators, so that a period of any oscillator, divided by any prescaler, is a whole
//! number of them. A switch of HCLK moves an anchor; nothing is ever rounded except the moment at which the core sees
//! an event, which is its first clock edge at or after it.

use cyclescope_machine::Timebase;
use cyclescope_machine::units::{Cycles, Hertz, Picoseconds};

/// A point in time, in units since reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(u64);

/// A span of time, in units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(u64);

impl Instant {
    /// Later than everything.
    pub const NEVER: Self = Self(u64::MAX);

    /// The time from `earlier` on; zero if that is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// This point after the unit has become `times` smaller.
    #[must_use]
    pub const fn refined(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }

    /// This point and `span`.
    #[must_use]
    pub const fn after(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// This point, up to which a clock is counted from `now` on, after a change of its period from `old` to `new`.
    #[must_use]
    pub const fn rescaled(self, now: Self, old: Span, new: Span) -> Self {
        if self.0 == Self::NEVER.0 { self } else { now.after(self.since(now).rescaled(old, new)) }
    }

    /// `span` before this point; the beginning if there is not that much.
    #[must_use]
    pub const fn before(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Span {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// `count` times this span.
    #[must_use]
    pub const fn times(self, count: u64) -> Self {
        Self(self.0.saturating_mul(count))
    }

    /// This span and `other`.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// This span without `other`; zero if that is longer.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Returns how many whole times `period` fits, and the remainder. A period of zero gives 0 and the whole span.
    pub const fn divide(self, period: Self) -> (u64, Self) {
        if period.0 == 0 {
            return (0, self);
        }
        (self.0 / period.0, Self(self.0 % period.0))
    }

    /// This span after a change of the clock it counts from `old` to `new`, rounded up.
    #[must_use]
    pub const fn rescaled(self, old: Self, new: Self) -> Self {
        if old.0 == 0 || old.0 == new.0 {
            return self;
        }
        let scaled = (self.0 as u128 * new.0 as u128).div_ceil(old.0 as u128);
        Self(if scaled > u64::MAX as u128 { u64::MAX } else { scaled as u64 })
    }

    /// This span divided by `count`, rounded down; the whole of it by 0.
    #[must_use]
    pub const fn divide_by(self, count: u64) -> Self {
        match self.0.checked_div(count) {
            Some(units) => Self(units),
            None => self,
        }
    }

    /// `count` times this span divided by `by`, rounded down, however long the product is; the whole of it by 0.
    #[must_use]
    pub const fn fraction(self, count: u64, by: u64) -> Self {
        match (self.0 as u128 * count as u128).checked_div(by as u128) {
            Some(units) if units <= u64::MAX as u128 => Self(units as u64),
            Some(_) => Self(u64::MAX),
            None => self,
        }
    }

    /// The whole times that `period` fits into `count` of these spans, however long they are; 0 for a period of zero.
    pub const fn count_in(self, count: u64, period: Self) -> u64 {
        match (self.0 as u128 * count as u128).checked_div(period.0 as u128) {
            Some(times) if times <= u64::MAX as u128 => times as u64,
            Some(_) => u64::MAX,
            None => 0,
        }
    }

    /// Half of this span, rounded down.
    #[must_use]
    pub const fn half(self) -> Self {
        Self(self.0 / 2)
    }
}

/// The clocks that a part's blocks count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The core's and the AHB's.
    Hclk,
    /// The APB's; of two, the first's.
    Pclk,
    /// The second APB's; where there is one APB, the same as [`Source::Pclk`].
    Pclk2,
    /// The timers' on the (first) APB (twice PCLK where the APB is divided).
    Timer,
    /// The timers' on the second APB.
    Timer2,
    /// Before the AHB prescaler.
    Sysclk,
    /// The high-speed internal oscillator's for kernels, on STM32C0 divided by HSIKERDIV.
    HsiKernel,
    /// The low-speed internal oscillator.
    Lsi,
    /// The low-speed crystal.
    Lse,
    /// The real-time clock's, as the clock control selects it.
    Rtc,
    /// That of 48 MHz for SDIO and USB.
    Clk48,
    /// That of I2S on the (first) APB.
    I2s,
    /// That of I2S on the second APB.
    I2s2,
    /// The high-speed crystal's.
    Hse,
    /// Output P of the main PLL, for kernels.
    PllP,
    /// Output Q of the main PLL, for kernels.
    PllQ,
    /// That of converters which none of the others feeds.
    Converters,
    /// None: a kernel that is switched off has it.
    Off,
}

/// The period of each clock, in units; zero where it does not run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// [`Source::Hclk`]; always runs.
    pub hclk: Span,
    /// [`Source::Pclk`].
    pub pclk: Span,
    /// [`Source::Pclk2`].
    pub pclk2: Span,
    /// [`Source::Timer`].
    pub timer: Span,
    /// [`Source::Timer2`].
    pub timer2: Span,
    /// [`Source::Sysclk`].
    pub sysclk: Span,
    /// [`Source::HsiKernel`].
    pub hsi_kernel: Span,
    /// [`Source::Lsi`].
    pub lsi: Span,
    /// [`Source::Lse`].
    pub lse: Span,
    /// [`Source::Rtc`].
    pub rtc: Span,
    /// [`Source::Clk48`].
    pub clk48: Span,
    /// [`Source::I2s`] and [`Source::I2s2`].
    pub i2s: [Span; 2],
    /// [`Source::Hse`].
    pub hse: Span,
    /// [`Source::PllP`] and [`Source::PllQ`].
    pub pll: [Span; 2],
    /// [`Source::Converters`].
    pub converters: Span,
}

/// Oscillators that a part or its board has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oscillators {
    /// The high-speed internal one.
    pub hsi: Hertz,
    /// The low-speed internal one.
    pub lsi: Hertz,
    /// The high-speed crystal, if the board has one.
    pub hse: Option<Hertz>,
    /// The low-speed crystal, if the board has one.
    pub lse: Option<Hertz>,
}

/// A phase-locked loop: what its oscillator's period is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pll {
    /// The clock that comes in.
    pub input: Hertz,
    /// The divider of the input clock (M); at least 1.
    pub divider: u32,
    /// The multiplier of the divided clock (N); at least 1.
    pub multiplier: u32,
}

impl Pll {
    /// A clock that no oscillator of [`Oscillators`] has, as a loop that neither divides nor multiplies.
    pub const fn unity(clock: Hertz) -> Self {
        Self { input: clock, divider: 1, multiplier: 1 }
    }

    /// The frequency of the loop's oscillator, in hertz, rounded down.
    pub fn output(&self) -> u64 {
        let hertz = u128::from(self.input.get()) * u128::from(self.multiplier) / u128::from(self.divider.max(1));
        u64::try_from(hertz).unwrap_or(u64::MAX)
    }

    /// The period of the loop's oscillator, before its output dividers; rounded down where [`Clocks::refine`] could
    /// not fit it.
    pub fn period(&self, clocks: &Clocks) -> Span {
        let numerator = u128::from(clocks.unit_hz) * u128::from(self.divider);
        let period = numerator / (u128::from(self.input.get()) * u128::from(self.multiplier)).max(1);
        Span(u64::try_from(period).unwrap_or(u64::MAX))
    }
}

impl Tree {
    /// All periods after the unit has become `times` smaller.
    #[must_use]
    pub const fn refined(&self, times: u64) -> Self {
        Self {
            hclk: self.hclk.times(times),
            pclk: self.pclk.times(times),
            pclk2: self.pclk2.times(times),
            timer: self.timer.times(times),
            timer2: self.timer2.times(times),
            sysclk: self.sysclk.times(times),
            hsi_kernel: self.hsi_kernel.times(times),
            lsi: self.lsi.times(times),
            lse: self.lse.times(times),
            rtc: self.rtc.times(times),
            clk48: self.clk48.times(times),
            i2s: [self.i2s[0].times(times), self.i2s[1].times(times)],
            hse: self.hse.times(times),
            pll: [self.pll[0].times(times), self.pll[1].times(times)],
            converters: self.converters.times(times),
        }
    }

    /// The period of `source`; zero where it does not run.
    pub const fn period_of(&self, source: Source) -> Span {
        match source {
            Source::Hclk => self.hclk,
            Source::Pclk => self.pclk,
            Source::Pclk2 => self.pclk2,
            Source::Timer => self.timer,
            Source::Timer2 => self.timer2,
            Source::Sysclk => self.sysclk,
            Source::HsiKernel => self.hsi_kernel,
            Source::Lsi => self.lsi,
            Source::Lse => self.lse,
            Source::Rtc => self.rtc,
            Source::Clk48 => self.clk48,
            Source::I2s => self.i2s[0],
            Source::I2s2 => self.i2s[1],
            Source::Hse => self.hse,
            Source::PllP => self.pll[0],
            Source::PllQ => self.pll[1],
            Source::Converters => self.converters,
            Source::Off => Span::ZERO,
        }
    }
}

impl Oscillators {
    fn unit_hz(&self) -> u64 {
        self.common_hz().unwrap_or(1_000_000)
    }

    /// Tells if the periods of all oscillators are whole numbers of one unit, with room for the factors of a PLL.
    pub fn fit(&self) -> bool {
        self.common_hz().is_some()
    }

    /// The least number that all frequencies divide, if it is not out of reason.
    fn common_hz(&self) -> Option<u64> {
        let all = [Some(self.hsi), Some(self.lsi), self.hse, self.lse];
        all.into_iter().flatten().map(|clock| clock.get().max(1)).try_fold(1_000_000u64, |common, hz| {
            let multiple = (common / gcd(common, hz)).checked_mul(hz)?;
            (multiple <= MOST_UNITS_A_SECOND >> 8).then_some(multiple)
        })
    }
}

/// Leaves more than three hours until [`Instant`] saturates.
const MOST_UNITS_A_SECOND: u64 = 1 << 50;

const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The clock tree at the moment, and the mapping from core cycles to time.
///
/// While the core's clock stands (Stop mode), cycles are counted on at the speed of the clock that the core wakes up with.
/// Blocks with clocks of the core's domain then see a time that stands: nothing of theirs comes nearer, and nothing is lost.
/// Blocks with clocks of their own (oscillators, watchdog, RTC) count the time that never stands, by
/// [`always_at`](Self::always_at) and [`always_cycle`](Self::always_cycle).
#[derive(Clone, Debug)]
pub struct Clocks {
    oscillators: Oscillators,
    unit_hz: u64,
    /// The cycle at which the time is `anchor`; [`u64::MAX`] while it stands there.
    anchor_cycle: u64,
    anchor: Instant,
    /// The same of the time that never stands.
    always_cycle: u64,
    always: Instant,
    tree: Tree,
    /// Cycles of HCLK from a change of the tree to an edge of its dividers.
    phase: u64,
    /// The clock of USB devices; no hertz where it does not run.
    usb: Hertz,
}

impl Clocks {
    /// Clocks over `oscillators`, at the beginning of time, with everything at the speed of HSI until
    /// [`Self::switch`] says otherwise.
    pub fn new(oscillators: Oscillators) -> Self {
        let mut clocks = Self {
            oscillators,
            unit_hz: oscillators.unit_hz(),
            anchor_cycle: 0,
            anchor: Instant(0),
            always_cycle: 0,
            always: Instant(0),
            tree: Tree::default(),
            phase: 0,
            usb: Hertz::new(0),
        };
        let hsi = clocks.period(oscillators.hsi);
        clocks.tree =
            Tree { hclk: hsi, pclk: hsi, pclk2: hsi, timer: hsi, timer2: hsi, sysclk: hsi, ..Tree::default() };
        clocks
    }

    /// The oscillators.
    pub fn oscillators(&self) -> &Oscillators {
        &self.oscillators
    }

    /// The period of an oscillator, exactly; of any other frequency, rounded down.
    pub fn period(&self, clock: Hertz) -> Span {
        Span(self.unit_hz.checked_div(clock.get()).unwrap_or(0))
    }

    /// This many microseconds (every unit divides a microsecond).
    pub fn microseconds(&self, count: u64) -> Span {
        Span(self.unit_hz / 1_000_000).times(count)
    }

    /// This much real time, rounded down.
    pub fn span(&self, time: Picoseconds) -> Span {
        let units = u128::from(time.get()) * u128::from(self.unit_hz) / 1_000_000_000_000;
        Span(u64::try_from(units).unwrap_or(u64::MAX))
    }

    /// The real time that `span` is, rounded down.
    pub fn picoseconds(&self, span: Span) -> Picoseconds {
        let time = u128::from(span.0) * 1_000_000_000_000 / u128::from(self.unit_hz.max(1));
        Picoseconds::new(u64::try_from(time).unwrap_or(u64::MAX))
    }

    /// Returns the relation of core cycles to real time since the last change.
    pub fn timebase(&self) -> Timebase {
        Timebase::new(Cycles::new(self.always_cycle), self.always.0, self.tree.hclk.0, self.unit_hz)
    }

    /// When the core cycle `cycle` begins.
    #[inline]
    pub fn at(&self, cycle: Cycles) -> Instant {
        self.anchor.after(self.tree.hclk.times(cycle.get().saturating_sub(self.anchor_cycle)))
    }

    /// The first core cycle that begins at or after `at`.
    #[inline]
    pub fn cycle(&self, at: Instant) -> Cycles {
        let (whole, rest) = at.since(self.anchor).divide(self.tree.hclk);
        Cycles::new(self.anchor_cycle.saturating_add(whole).saturating_add(u64::from(rest != Span::ZERO)))
    }

    /// When the core cycle `cycle` begins, in the time that never stands.
    #[inline]
    pub fn always_at(&self, cycle: Cycles) -> Instant {
        self.always.after(self.tree.hclk.times(cycle.get().saturating_sub(self.always_cycle)))
    }

    /// The first core cycle that begins at or after `at`, a point in the time that never stands.
    pub fn always_cycle(&self, at: Instant) -> Cycles {
        let (whole, rest) = at.since(self.always).divide(self.tree.hclk);
        Cycles::new(self.always_cycle.saturating_add(whole).saturating_add(u64::from(rest != Span::ZERO)))
    }

    /// The time by which the core's domain is behind the time that never stands, unless it stands.
    pub fn behind(&self) -> Span {
        self.always_at(Cycles::new(self.anchor_cycle)).since(self.anchor)
    }

    /// Tells if the clocks of the core's domain stand.
    pub fn stands(&self) -> bool {
        self.anchor_cycle == u64::MAX
    }

    /// The clocks of the core's domain stand from the cycle `now` on.
    pub fn stand(&mut self, now: Cycles) {
        self.anchor = self.at(now);
        self.anchor_cycle = u64::MAX;
    }

    /// They run again from the cycle `at` on.
    pub fn run_from(&mut self, at: Cycles) {
        if self.stands() {
            self.anchor_cycle = at.get();
        }
    }

    /// When the `count`-th edge of `source` after `at` comes, `count` at least 1; `at` itself does not count. Edges lie whole
    /// periods after the last change of the tree and [`Self::set_phase`]'s cycles.
    #[inline]
    pub fn edge_after(&self, source: Source, at: Instant, count: u64) -> Instant {
        let (period, early) = self.grid(source);
        let (whole, _) = at.since(self.anchor).plus(early).divide(period);
        self.anchor.after(period.times(whole.saturating_add(count))).before(early)
    }

    /// The first edge of `source` at or after `at`.
    #[inline]
    pub fn edge_from(&self, source: Source, at: Instant) -> Instant {
        let (period, early) = self.grid(source);
        let (whole, rest) = at.since(self.anchor).plus(early).divide(period);
        self.anchor.after(period.times(whole.saturating_add(u64::from(rest != Span::ZERO)))).before(early)
    }

    /// The period of `source`, and how long before the last change of the tree an edge of it lies or would have lain.
    #[inline]
    fn grid(&self, source: Source) -> (Span, Span) {
        let period = self.period_of(source);
        let (_, late) = self.tree.hclk.times(self.phase).divide(period);
        (period, if late == Span::ZERO { late } else { Span(period.0.saturating_sub(late.0)) })
    }

    /// The clock of USB devices; no hertz while it stands. It is none of the tree's: nothing else counts it.
    pub const fn usb(&self) -> Hertz {
        self.usb
    }

    /// The clock of USB devices becomes `usb`.
    pub fn set_usb(&mut self, usb: Hertz) {
        self.usb = usb;
    }

    /// Has the edges of divided clocks lie `cycles` of HCLK later than if dividers began anew at each change of the tree.
    pub fn set_phase(&mut self, cycles: u8) {
        self.phase = u64::from(cycles);
    }

    /// After how many cycles of HCLK the edges of the bus clocks lie as before; 1 while none is divided.
    pub fn phases(&self) -> u64 {
        let dividers = [self.tree.pclk, self.tree.pclk2].map(|period| period.divide(self.tree.hclk).0.max(1));
        dividers[0] / gcd(dividers[0], dividers[1]) * dividers[1]
    }

    /// Switches the tree at the core cycle `now`.
    pub fn switch(&mut self, now: Cycles, tree: Tree) {
        self.anchor = self.at(now);
        self.anchor_cycle = self.anchor_cycle.max(now.get());
        self.always = self.always_at(now);
        self.always_cycle = self.always_cycle.max(now.get());
        self.tree = tree;
    }

    /// Makes the unit smaller until `pll`'s period is a whole number of them; gives by how much, for everyone who
    /// keeps an [`Instant`]. Time then has room for years; settings that would leave less than that are not fitted and
    /// give `None`.
    pub fn refine(&mut self, pll: Pll) -> Option<u64> {
        // A period is divider / (input * multiplier) seconds; this many units a second make it whole.
        let hz = pll.input.get().checked_mul(u64::from(pll.multiplier))?;
        let hz = hz / gcd(hz, u64::from(pll.divider).max(1)).max(1);
        let times = hz / gcd(self.unit_hz, hz).max(1);
        let unit_hz = self.unit_hz.checked_mul(times.max(1)).filter(|hz| *hz <= MOST_UNITS_A_SECOND)?;
        self.unit_hz = unit_hz;
        self.anchor = self.anchor.refined(times);
        self.always = self.always.refined(times);
        self.tree = self.tree.refined(times);
        Some(times)
    }

    /// The periods at the moment.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The period of `source` at the moment; zero where it does not run.
    pub fn period_of(&self, source: Source) -> Span {
        self.tree.period_of(source)
    }

    /// The frequency of `source` at the moment, rounded down; 0 where it does not run.
    pub fn frequency(&self, source: Source) -> Hertz {
        self.hertz(self.period_of(source))
    }

    /// The frequency of a clock with this period, rounded down; 0 for no period.
    pub fn hertz(&self, period: Span) -> Hertz {
        Hertz::new(self.unit_hz.checked_div(period.0).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oscillators() -> Oscillators {
        let hz = Hertz::new;
        Oscillators { hsi: hz(48_000_000), lsi: hz(32_000), hse: Some(hz(48_000_000)), lse: Some(hz(32_768)) }
    }

    #[test]
    fn products_of_spans_are_as_long_as_they_need_to_be() {
        let span = Span(u64::MAX / 2);
        assert_eq!((span.fraction(4, 8), span.fraction(4, 1)), (Span(u64::MAX / 4), Span(u64::MAX)));
        assert_eq!((span.fraction(3, 0), span.count_in(3, Span::ZERO)), (span, 0));
        assert_eq!((span.count_in(6, Span(u64::MAX / 2)), span.count_in(4, Span(1))), (6, u64::MAX));
    }

    #[test]
    fn every_oscillator_has_a_whole_period() {
        let clocks = Clocks::new(oscillators());
        for hz in [48_000_000, 32_000, 32_768, 1_000_000] {
            let Span(period) = clocks.period(Hertz::new(hz));
            assert_eq!(period * hz, clocks.unit_hz);
        }
    }

    #[test]
    fn a_loop_gets_units_that_its_period_is_a_whole_number_of() {
        let hz = Hertz::new;
        let mut clocks =
            Clocks::new(Oscillators { hsi: hz(16_000_000), lsi: hz(32_000), hse: Some(hz(8_000_000)), lse: None });
        let before = (clocks.unit_hz, clocks.at(Cycles::new(1000)));
        let pll = Pll { input: hz(8_000_000), divider: 4, multiplier: 180 };
        let times = clocks.refine(pll).expect("it fits");
        assert_eq!(clocks.unit_hz, before.0 * times);
        assert_eq!(clocks.at(Cycles::new(1000)), before.1.refined(times), "time is the same");
        assert_eq!(pll.period(&clocks).times(360_000_000), Span(clocks.unit_hz), "360 MHz");
        assert_eq!(clocks.refine(pll), Some(1));
        assert_eq!(clocks.refine(Pll { input: hz(7_999_993), divider: 1, multiplier: 431 }), None, "too fine");
    }

    #[test]
    fn edges_of_a_divided_clock_lie_whole_periods_after_the_last_change() {
        let mut clocks = Clocks::new(oscillators());
        let hclk = clocks.tree().hclk;
        clocks.switch(Cycles::new(1001), Tree { pclk2: hclk.times(2), ..*clocks.tree() });
        for (from, expected) in [(1001, 1005), (1002, 1005), (1003, 1007), (1004, 1007)] {
            let at = clocks.edge_after(Source::Pclk2, clocks.at(Cycles::new(from)), 2);
            assert_eq!(clocks.cycle(at), Cycles::new(expected), "{from}");
        }
        let at = clocks.edge_after(Source::Hclk, clocks.at(Cycles::new(1004)), 1);
        assert_eq!(clocks.cycle(at), Cycles::new(1005));
    }

    #[test]
    fn a_divider_that_begins_later_moves_its_edges_and_no_others() {
        let mut clocks = Clocks::new(oscillators());
        let hclk = clocks.tree().hclk;
        clocks.switch(Cycles::new(1001), Tree { pclk: hclk.times(4), pclk2: hclk.times(2), ..*clocks.tree() });
        clocks.set_phase(7);
        assert_eq!(clocks.phases(), 4);
        // 7 is 3 of 4 and 1 of 2: edges at 1004, 1008, … and at 1002, 1004, ….
        let from = |clocks: &Clocks, source, cycle| {
            clocks.cycle(clocks.edge_from(source, clocks.at(Cycles::new(cycle)))).get()
        };
        assert_eq!([1001, 1002, 1004, 1005].map(|cycle| from(&clocks, Source::Pclk, cycle)), [1004, 1004, 1004, 1008]);
        assert_eq!([1001, 1002, 1003].map(|cycle| from(&clocks, Source::Pclk2, cycle)), [1002, 1002, 1004]);
        assert_eq!([1001, 1002, 1003].map(|cycle| from(&clocks, Source::Hclk, cycle)), [1001, 1002, 1003]);
        let after = clocks.edge_after(Source::Pclk, clocks.at(Cycles::new(1001)), 2);
        assert_eq!(clocks.cycle(after), Cycles::new(1008));
        assert_eq!(clocks.edge_from(Source::Lse, clocks.at(Cycles::new(1001))), clocks.at(Cycles::new(1001)), "stands");
    }

    /// Shows that stimuli at whole cycles are enough: a sampler at edges of HCLK, or of a clock divided from it, cannot
    /// tell the position inside a cycle at which a pin changed.
    #[test]
    fn an_edge_anywhere_inside_a_cycle_is_taken_over_as_one_at_its_beginning() {
        let mut clocks = Clocks::new(oscillators());
        let hclk = clocks.tree().hclk;
        for (divider, phase) in (1..=16).flat_map(|divider| (0..16).map(move |phase| (divider, phase))) {
            clocks.switch(Cycles::new(100), Tree { pclk2: hclk.times(divider), ..*clocks.tree() });
            clocks.set_phase(phase);
            for (cycle, stages) in (100..140).flat_map(|cycle| [1, 2].map(|stages| (cycle, stages))) {
                let begin = clocks.at(Cycles::new(cycle));
                let taken = clocks.edge_after(Source::Pclk2, begin, stages);
                for inside in [1, hclk.0 / 3, hclk.0 - 1] {
                    assert_eq!(clocks.edge_after(Source::Pclk2, begin.after(Span(inside)), stages), taken);
                }
                let waits = taken.since(begin);
                assert!(waits.0 > hclk.times(divider).0 * (stages - 1) && waits.0 <= hclk.times(divider).0 * stages);
            }
        }
    }

    #[test]
    fn a_clock_that_stands_goes_on_where_it_was_and_the_other_time_never_stands() {
        let mut clocks = Clocks::new(oscillators());
        let hclk = clocks.tree().hclk;
        let due = clocks.at(Cycles::new(1500));
        clocks.stand(Cycles::new(1000));
        assert!(clocks.stands());
        assert_eq!(clocks.at(Cycles::new(9000)), clocks.at(Cycles::new(1000)));
        assert_eq!(clocks.cycle(due), Cycles::MAX, "never, as it stands");
        assert_eq!(clocks.always_at(Cycles::new(9000)), Instant(0).after(hclk.times(9000)));
        assert_eq!(clocks.always_cycle(Instant(0).after(hclk.times(9000))), Cycles::new(9000));
        clocks.run_from(Cycles::new(9010));
        assert_eq!(clocks.at(Cycles::new(9005)), clocks.at(Cycles::new(1000)), "not yet");
        assert_eq!(clocks.cycle(due), Cycles::new(9510));
        assert_eq!(clocks.behind(), hclk.times(8010));
        clocks.switch(Cycles::new(9110), Tree { hclk: hclk.times(2), ..*clocks.tree() });
        assert_eq!(clocks.cycle(due), Cycles::new(9310), "400 of 500 are left, at half the speed");
        assert_eq!(clocks.behind(), hclk.times(8010));
        assert_eq!(clocks.timebase().time(Cycles::new(9110)), Picoseconds::new(9110 * 1_000_000 / 48));
    }

    #[test]
    fn a_switch_of_hclk_keeps_time_exact() {
        let mut clocks = Clocks::new(oscillators());
        let fast = clocks.tree().hclk;
        let lse = clocks.period(Hertz::new(32_768));
        let tick = Instant(0).after(lse.times(2));
        assert_eq!(clocks.cycle(tick), Cycles::new(2930), "48 MHz / 32,768 Hz * 2 = 2929.6875, seen one edge later");
        clocks.switch(Cycles::new(1000), Tree { hclk: fast.times(4), ..*clocks.tree() });
        assert_eq!(clocks.cycle(tick), Cycles::new(1000 + 483), "1929.6875 / 4 = 482.4");
        assert_eq!(clocks.at(Cycles::new(1001)).since(clocks.at(Cycles::new(1000))), fast.times(4));
    }
}
