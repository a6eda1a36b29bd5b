//! The PLL of the ATmega32U4: PLLCSR and PLLFRQ (7766J §6.10 and §6.11.5).
//!
//! It locks, and gives its clock to the high-speed timer and to USB. An input that is not 8 MHz is not modelled.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::{Avr, Effect, Env, Shared};
use crate::Block;

/// Registers, by their place in [`Instance::registers`](super::Instance::registers).
pub mod register {
    /// PLLCSR.
    pub const PLLCSR: u8 = 0;
    /// PLLFRQ.
    pub const PLLFRQ: u8 = 1;
}

/// From PLLE to PLOCK.
pub static LOCK: TimingRow = TimingRow::assumed(
    "PLL lock",
    "from PLLE to PLOCK, in periods of the PLL's input of 8 MHz",
    800,
    "no figure in 7766J; taken as 100 us, the most that the same vendor gives for its other AVR PLLs (2586Q, ATtiny85)",
);

/// The input that the loop is made for.
const INPUT: Hertz = Hertz::new(8_000_000);

const PLOCK: u8 = 1 << 0;
const PLLE: u8 = 1 << 1;
const PINDIV: u8 = 1 << 4;
const PLLUSB: u8 = 1 << 6;
const PLLFRQ_RESET: u8 = 0x04;
const LOCKED: u16 = 0;

/// The PLL.
#[derive(Clone, Debug)]
pub struct Pll {
    pllcsr: u8,
    pllfrq: u8,
    locked: bool,
}

impl Default for Pll {
    fn default() -> Self {
        Self { pllcsr: 0, pllfrq: PLLFRQ_RESET, locked: false }
    }
}

impl Pll {
    /// The loop's output by PDIV, in megahertz.
    fn output(&self) -> Option<u64> {
        Some(match self.pllfrq & 0xF {
            3 => 40,
            4 => 48,
            5 => 56,
            7 => 72,
            8 => 80,
            9 => 88,
            10 => 96,
            _ => return None,
        })
    }

    /// The clock of USB: the loop's, behind the divider PLLUSB.
    fn usb_clock(&self) -> Option<Hertz> {
        let hertz = self.output().filter(|_| self.locked)? * 1_000_000;
        Some(Hertz::new(if self.pllfrq & PLLUSB != 0 { hertz / 2 } else { hertz }))
    }

    /// The timer's clock: the loop's, behind the divider PLLTM.
    fn timer_clock(&self) -> Option<Hertz> {
        let hertz = self.output()? * 1_000_000;
        match self.pllfrq >> 4 & 3 {
            _ if !self.locked => None,
            1 => Some(Hertz::new(hertz)),
            2 => Some(Hertz::new(hertz * 2 / 3)),
            3 => Some(Hertz::new(hertz / 2)),
            _ => None,
        }
    }

    fn announce(&self, env: &mut Env<'_, '_>) {
        env.wires.shared.usb = self.usb_clock();
        let clock = self.timer_clock();
        if clock != env.wires.shared.pll {
            env.effect(Effect::Pll(clock));
        }
    }

    fn switch(&mut self, env: &mut Env<'_, '_>) {
        self.locked = false;
        env.cancel(LOCKED);
        if self.pllcsr & PLLE == 0 {
            return;
        }
        let shift = u64::from(self.pllcsr & PINDIV != 0);
        if env.wires.shared.clock.source().get() >> shift != INPUT.get() || self.pllfrq & 1 << 7 != 0 {
            env.gap(
                GapKind::Setting,
                format_args!("PLL with an input other than 8 MHz (PLLCSR.PINDIV, PLLFRQ.PINMUX)"),
            );
        }
        let periods = env.cycles(&LOCK);
        let at = env.tick() + env.ticks_of(periods, INPUT);
        env.schedule_tick(LOCKED, at);
    }
}

impl Block<Avr> for Pll {
    fn read(&mut self, register: u8, _: &mut Env<'_, '_>) -> u8 {
        match register {
            register::PLLCSR => self.pllcsr | if self.locked { PLOCK } else { 0 },
            _ => self.pllfrq,
        }
    }

    fn still(&self, _: u8, _: u64, _: &Shared) -> Option<u64> {
        Some(u64::MAX)
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        match register {
            register::PLLCSR => {
                let changed = self.pllcsr ^ value & !PLOCK;
                self.pllcsr = value & !PLOCK;
                if changed & (PLLE | PINDIV) != 0 {
                    self.switch(env);
                }
            }
            _ => self.pllfrq = value,
        }
        self.announce(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.locked = true;
        self.announce(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        *self = Self::default();
        (env.wires.shared.pll, env.wires.shared.usb) = (None, None);
    }
}
