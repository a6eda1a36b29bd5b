//! The prescalers that timers share, and GTCCR (8271H §17 and §18.11.9; 7766J §12).

use super::{Avr, Effect, Env};
use crate::Block;

/// The prescaler of the timers that clkI/O clocks.
pub const SYNCHRONOUS: usize = 0;
/// The prescaler of the timer that may have a crystal of its own (Timer 2).
pub const ASYNCHRONOUS: usize = 1;

/// A ten-bit prescaler that runs freely from reset on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prescaler {
    /// When, in periods of clkI/O, it was last zero by a reset; `None` while it is held there (GTCCR.TSM).
    pub since: Option<u64>,
}

impl Default for Prescaler {
    /// Running since power-on.
    fn default() -> Self {
        Self { since: Some(0) }
    }
}

const TSM: u8 = 1 << 7;
const RESETS: [(usize, u8); 2] = [(SYNCHRONOUS, 1 << 0), (ASYNCHRONOUS, 1 << 1)];

/// GTCCR, its only register: TSM, PSRASY, PSRSYNC.
#[derive(Clone, Debug, Default)]
pub struct PrescalerControl {
    gtccr: u8,
}

impl Block<Avr> for PrescalerControl {
    fn read(&mut self, _: u8, _: &mut Env<'_, '_>) -> u8 {
        self.gtccr
    }

    fn write(&mut self, _: u8, value: u8, env: &mut Env<'_, '_>) {
        let hold = value & TSM != 0;
        let mut prescalers = env.wires.shared.prescalers;
        for (which, bit) in RESETS {
            if value & bit != 0 {
                prescalers[which].since = (!hold).then_some(env.now());
            } else if prescalers[which].since.is_none() {
                prescalers[which].since = Some(env.now());
            }
        }
        // Without TSM the hardware clears the bits at once (8271H §17.4.1).
        self.gtccr = if hold { value } else { 0 };
        if prescalers != env.wires.shared.prescalers {
            env.effect(Effect::Prescalers(prescalers));
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.gtccr = 0;
        env.wires.shared.prescalers = [Prescaler { since: Some(env.now()) }; 2];
    }
}
