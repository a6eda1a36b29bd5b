//! The watchdog of the ATmega family (8271H §11.8 and §11.9.2; 7766J, the same sections of its chapter on resets): an
//! oscillator of 128 kHz, a counter that WDR clears, and an interrupt or a reset when it has counted far enough.
//!
//! # Wiring
//! One register, WDTCSR (0x60); one vector (6 in the ATmega328P, 12 in the ATmega32U4); no pins and no power reduction
//! bit. [`Watchdog::new`] takes whether the fuse WDTON is programmed. A time-out that resets sets WDRF in
//! [`Shared::reset_flags`](super::Shared::reset_flags) before it asks for the reset, and a reset with WDRF set there
//! leaves the watchdog running.
//!
//! # Assumed
//! The oscillator runs at exactly 128 kHz (it drifts with voltage and temperature: 8271H, typical characteristics) and
//! a time-out comes whole periods after WDR or the start, without a delay of synchronisation. Stopped, the counter is
//! zero. A new prescaler setting gives time-outs at whole multiples of its own period since then.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::{Avr, Env};
use crate::Block;

/// The oscillator.
pub static OSCILLATOR: TimingRow = TimingRow::assumed(
    "watchdog.oscillator",
    "periods of the watchdog's oscillator in a second",
    128_000,
    "8271H §9.7 and §11.8.1: 128 kHz, not calibrated; taken as exact, as at 5 V and 25 °C",
);

/// The time that WDCE stays set.
pub static CHANGE_WINDOW: TimingRow = TimingRow::documented(
    "watchdog.change_window",
    "after setting WDCE, within which WDE and WDP can be written",
    4,
    "8271H §11.8.2 and §11.9.2",
);

/// The timing rows of the watchdog.
pub static ROWS: [&TimingRow; 2] = [&OSCILLATOR, &CHANGE_WINDOW];

const WDIF: u8 = 1 << 7;
const WDIE: u8 = 1 << 6;
const WDCE: u8 = 1 << 4;
const WDE: u8 = 1 << 3;
/// WDP3 and WDP2:0.
const WDP: u8 = 0x27;
/// In MCUSR.
const WDRF: u8 = 1 << 3;

/// The block.
#[derive(Clone, Debug)]
pub struct Watchdog {
    /// The fuse WDTON is programmed.
    always_on: bool,
    /// WDIF, WDIE, WDE, WDP.
    wdtcsr: u8,
    /// The last period of clkI/O in which WDCE is set.
    change_until: Option<u64>,
    /// The tick of the part's oscillator at which the counter was zero.
    since: u64,
    /// Time-outs since then that have come.
    timeouts: u64,
}

impl Watchdog {
    /// The watchdog of a part on which the fuse WDTON is programmed (`always_on`) or not.
    pub fn new(always_on: bool) -> Self {
        Self { always_on, wdtcsr: 0, change_until: None, since: 0, timeouts: 0 }
    }

    fn is_running(&self) -> bool {
        self.wdtcsr & (WDE | WDIE) != 0
    }

    /// Periods of the oscillator from one time-out to the next (8271H table 11-2).
    fn period(&self) -> u64 {
        let wdp = self.wdtcsr >> 2 & 8 | self.wdtcsr & 7;
        2048 << wdp.min(9)
    }

    /// When the `count`-th time-out after zero comes, in ticks.
    fn timeout(&self, count: u64, env: &Env<'_, '_>) -> u64 {
        let hertz = Hertz::new(u64::from(OSCILLATOR.cycles));
        self.since.saturating_add(env.ticks_of(self.period().saturating_mul(count), hertz))
    }

    fn schedule(&mut self, env: &mut Env<'_, '_>) {
        let at = if self.is_running() { self.timeout(self.timeouts + 1, env) } else { u64::MAX };
        env.wires.note(&OSCILLATOR);
        env.schedule_tick(0, at);
    }

    fn restart(&mut self, env: &mut Env<'_, '_>) {
        (self.since, self.timeouts) = (env.tick(), 0);
        self.schedule(env);
    }

    fn line(&self, env: &mut Env<'_, '_>) {
        env.line(0, self.wdtcsr & WDIF != 0 && self.wdtcsr & WDIE != 0);
    }

    fn is_changeable(&self, env: &Env<'_, '_>) -> bool {
        self.change_until.is_some_and(|until| env.now() <= until)
    }
}

impl Block<Avr> for Watchdog {
    fn read(&mut self, _: u8, env: &mut Env<'_, '_>) -> u8 {
        let wdce = if self.is_changeable(env) { WDCE } else { 0 };
        self.wdtcsr | wdce
    }

    fn write(&mut self, _: u8, value: u8, env: &mut Env<'_, '_>) {
        let before = self.wdtcsr;
        let ran = self.is_running();
        let unlocked = self.is_changeable(env) && value & WDCE == 0;
        self.change_until = None;
        if value & (WDCE | WDE) == WDCE | WDE {
            self.change_until = Some(env.now() + env.cycles(&CHANGE_WINDOW));
        }
        // Setting WDE needs no sequence, clearing it does.
        let wde = if unlocked { value & WDE } else { (value | before) & WDE };
        let wdp = if unlocked { value & WDP } else { before & WDP };
        self.wdtcsr = before & !value & WDIF | value & WDIE | wde | wdp;
        if env.wires.shared.reset_flags & WDRF != 0 {
            self.wdtcsr |= WDE;
        }
        if self.always_on {
            self.wdtcsr = self.wdtcsr & !WDIE | WDE;
        }
        if wdp != before & WDP {
            if wdp >> 2 & 8 | wdp & 7 > 9 {
                env.gap(GapKind::Setting, format_args!("WDT: WDP is reserved"));
            }
            // Time-outs that lie behind are not made up for.
            let elapsed = u128::from(env.tick() - self.since) * u128::from(OSCILLATOR.cycles);
            let period = u128::from(self.period()) * u128::from(env.wires.shared.clock.source().get());
            self.timeouts = u64::try_from(elapsed / period.max(1)).unwrap_or(u64::MAX);
        }
        self.line(env);
        match (ran, self.is_running()) {
            (false, true) => self.restart(env),
            _ => self.schedule(env),
        }
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.timeouts += 1;
        // A first time-out with both asks for the interrupt; if that was not served, the next one resets.
        let interrupts = self.wdtcsr & WDIE != 0 && (self.wdtcsr & WDE == 0 || self.wdtcsr & WDIF == 0);
        if interrupts {
            self.wdtcsr |= WDIF;
            self.line(env);
            self.schedule(env);
        } else {
            env.wires.shared.reset_flags |= WDRF;
            env.reset_part("watchdog time-out");
        }
    }

    fn acknowledge(&mut self, _: usize, env: &mut Env<'_, '_>) {
        self.wdtcsr &= !WDIF;
        if self.wdtcsr & WDE != 0 {
            self.wdtcsr &= !WDIE;
        }
        self.line(env);
        self.schedule(env);
    }

    fn watchdog_reset(&mut self, env: &mut Env<'_, '_>) {
        if self.is_running() {
            self.restart(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        *self = Self::new(self.always_on);
        if self.always_on || env.wires.shared.reset_flags & WDRF != 0 {
            self.wdtcsr = WDE;
            self.restart(env);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::timer::tests::harness::Board;
    use super::*;
    use crate::avr::{Instance, Kind, Reg, plain};
    use cyclescope_machine::units::Cycles;

    static WIRING: Instance =
        Instance { vectors: &[6], ..plain("WDT", Kind::Watchdog { always_on: false }, &[Reg::all(0x60)]) };
    const UNLOCK: u8 = WDCE | WDE;
    /// 2048 periods of 128 kHz at 16 MHz.
    const SHORTEST: u64 = 256_000;

    fn board(always_on: bool) -> Board<Watchdog> {
        Board::with(&WIRING, |_| Watchdog::new(always_on))
    }

    fn unlocked(board: &mut Board<Watchdog>, now: u64, value: u8) {
        board.write(now, 0, UNLOCK);
        board.write(now + 2, 0, value);
    }

    fn next(board: &Board<Watchdog>) -> u64 {
        board.bus.shared.events.next_at().get()
    }

    #[test]
    fn time_outs_take_2k_to_1024k_periods_of_128_khz() {
        for wdp in 0..10 {
            let mut board = board(false);
            unlocked(&mut board, 1000, WDIE | (wdp & 8) << 2 | wdp & 7);
            // It runs from the first of the two writes on, which sets WDE.
            let first = next(&board);
            assert_eq!(first, 1000 + (SHORTEST << wdp), "WDP = {wdp}");
            board.run(first);
            assert!(board.line(0));
            board.acknowledge(first + 7, 0);
            assert!(!board.line(0));
            assert_eq!(board.read(first + 9, 0) & WDIE, WDIE, "WDIE stays without WDE");
            assert_eq!(next(&board), 1000 + 2 * (SHORTEST << wdp));
        }
    }

    #[test]
    fn wdr_puts_the_time_out_off_and_a_time_out_resets() {
        let mut board = board(false);
        board.write(1000, 0, WDE);
        board.run(200_000);
        board.at(200_000, |watchdog, env| watchdog.watchdog_reset(env));
        board.run(200_000 + SHORTEST - 1);
        assert_eq!(board.bus.shared.reset, None);
        board.run(200_000 + SHORTEST);
        assert_eq!(board.bus.shared.reset, Some("watchdog time-out"));
        assert_eq!(board.wires.shared.reset_flags, WDRF);
        // After the reset it runs on, until WDRF is cleared and then WDE.
        board.at(500_000, |watchdog, env| watchdog.reset(env));
        assert_eq!((board.read(500_001, 0), next(&board)), (WDE, 500_000 + SHORTEST));
        unlocked(&mut board, 500_010, 0);
        assert_eq!(board.read(500_020, 0), WDE, "WDRF keeps it");
        board.wires.shared.reset_flags = 0;
        assert_eq!(board.read(500_021, 0), WDE);
        unlocked(&mut board, 500_030, 0);
        assert_eq!((board.read(500_040, 0), next(&board)), (0, u64::MAX));
    }

    #[test]
    fn wde_and_wdp_change_only_within_four_cycles_of_wdce() {
        for (later, changed) in [(1, true), (4, true), (5, false)] {
            let mut board = board(false);
            board.write(100, 0, WDE | 7);
            assert_eq!(board.read(101, 0), WDE, "WDP needs the sequence, setting WDE does not");
            board.write(200, 0, UNLOCK | 7);
            assert_eq!(board.clone().read(204, 0), UNLOCK);
            assert_eq!(board.clone().read(205, 0), WDE);
            board.write(200 + later, 0, 3);
            assert_eq!(board.read(300, 0), if changed { 3 } else { WDE }, "{later} cycles later");
        }
        let mut board = board(false);
        board.write(100, 0, WDE);
        board.write(200, 0, WDCE);
        board.write(201, 0, 0);
        assert_eq!(board.read(300, 0), WDE, "WDCE alone opens nothing");
    }

    #[test]
    fn with_both_the_first_time_out_interrupts_and_the_next_resets() {
        for served in [true, false] {
            let mut board = board(false);
            board.write(0, 0, WDE | WDIE);
            board.run(SHORTEST);
            assert!(board.line(0) && board.bus.shared.reset.is_none());
            if served {
                board.acknowledge(SHORTEST + 7, 0);
                assert!(!board.line(0));
                assert_eq!(board.read(SHORTEST + 8, 0), WDE, "WDIE and WDIF are cleared");
            }
            board.run(2 * SHORTEST - 1);
            assert_eq!(board.bus.shared.reset, None);
            board.run(2 * SHORTEST);
            assert_eq!(board.bus.shared.reset, Some("watchdog time-out"), "{served}");
        }
    }

    #[test]
    fn a_shorter_setting_times_out_at_a_multiple_of_its_own_period() {
        let mut board = board(false);
        unlocked(&mut board, 0, WDIE | 7);
        board.run(9 * SHORTEST + 5);
        assert!(!board.line(0));
        unlocked(&mut board, 9 * SHORTEST + 6, WDIE | 1);
        assert_eq!(next(&board), 10 * SHORTEST);
        unlocked(&mut board, 9 * SHORTEST + 10, WDIE);
        assert_eq!(next(&board), 10 * SHORTEST);
        board.run(10 * SHORTEST);
        assert_eq!(next(&board), 11 * SHORTEST);
    }

    #[test]
    fn the_fuse_locks_the_watchdog_on() {
        let mut board = board(true);
        assert_eq!(next(&board), SHORTEST);
        unlocked(&mut board, 10, WDIE | 1);
        assert_eq!((board.read(20, 0), next(&board)), (WDE | 1, 2 * SHORTEST));
    }

    #[test]
    fn a_slower_system_clock_leaves_the_time_out_where_it_was() {
        let mut board = board(false);
        board.write(0, 0, WDE);
        let (_, mut context) = board.bus.with_context(Cycles::new(56_000), cyclescope_machine::units::Address::ZERO);
        board.wires.shared.divide(3, &mut context);
        assert_eq!(next(&board), 56_000 + (SHORTEST - 56_000) / 8);
    }
}
