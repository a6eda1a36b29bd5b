//! Tasks and events of pins (nRF52840 PS, "GPIOTE — GPIO tasks and events"): eight channels, each of one pin, and an event of
//! the ports' DETECT.
//!
//! An edge is seen at once; the manual gives no delay.

use cyclescope_machine::Pin;

use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Words, Write};

use super::gpio::DETECT;
use super::signals::{Signals, Tasked};

const OUT: u32 = 0x00;
const SET: u32 = 0x30;
const CLR: u32 = 0x60;
const IN: u32 = 0x100;
const PORT: u32 = 0x17C;
const CONFIG: u32 = 0x510;
const CHANNELS: u32 = 8;
const CONFIG_END: u32 = CONFIG + 4 * CHANNELS;

/// CONFIG.MODE.
const EVENT: u32 = 1;
const TASK: u32 = 3;
/// CONFIG.POLARITY.
const RISING: u32 = 1;
const FALLING: u32 = 2;
const TOGGLE: u32 = 3;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The ports whose DETECT makes the event PORT.
const PORTS: [&str; 2] = ["P0", "P1"];

/// The block.
#[derive(Clone, Debug)]
pub struct Gpiote {
    signals: Signals,
    /// Levels of the channels in task mode.
    levels: u32,
}

impl Gpiote {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { signals: Signals::new(instance, PARTLY, &[]), levels: 0 }
    }

    fn config(&self, channel: u32) -> u32 {
        self.signals.get(CONFIG + 4 * channel)
    }

    fn mode(&self, channel: u32) -> u32 {
        self.config(channel) & 3
    }

    fn polarity(&self, channel: u32) -> u32 {
        self.config(channel) >> 16 & 3
    }

    /// The channels in event mode that hear `pin`.
    fn hearing(&self, pin: Pin) -> impl Iterator<Item = u32> {
        (0..CHANNELS).filter(move |channel| self.mode(*channel) == EVENT && pin_of(self.config(*channel)) == pin)
    }

    /// True if an edge of `pin` makes an event.
    pub fn listens(&self, pin: Pin) -> bool {
        self.hearing(pin).next().is_some()
    }

    /// A pin's level changed.
    pub fn edge(&mut self, pin: Pin, high: bool, env: &mut Env<'_, '_>) {
        let hearing: Vec<u32> = self.hearing(pin).collect();
        for channel in hearing {
            let seen = if high { RISING } else { FALLING };
            if matches!(self.polarity(channel), polarity if polarity == seen || polarity == TOGGLE) {
                self.raise(IN + 4 * channel, env);
            }
        }
    }

    fn drive(&mut self, channel: u32, high: bool, env: &mut Env<'_, '_>) {
        if self.mode(channel) == TASK {
            let bit = 1 << channel;
            self.levels = if high { self.levels | bit } else { self.levels & !bit };
            env.effect(Effect::DrivePin { pin: pin_of(self.config(channel)), level: Some(high) });
        }
    }
}

/// The pin that CONFIG selects.
fn pin_of(config: u32) -> Pin {
    Pin::numbered((config >> 13 & 1) as u8, (config >> 8 & 31) as u8)
}

impl Tasked for Gpiote {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        let channel = task % SET / 4;
        let level = self.levels >> channel & 1 != 0;
        let wanted = match (task - 4 * channel, self.polarity(channel)) {
            (SET, _) | (OUT, RISING) => true,
            (CLR, _) | (OUT, FALLING) => false,
            (OUT, TOGGLE) => !level,
            _ => return,
        };
        self.drive(channel, wanted, env);
    }
}

impl Block<Words> for Gpiote {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let Some((old, new)) = self.access(offset, write, env) else { return };
        if let CONFIG..CONFIG_END = offset {
            let channel = (offset - CONFIG) / 4;
            if old & 3 == TASK && (new & 3 != TASK || pin_of(old) != pin_of(new)) {
                env.effect(Effect::DrivePin { pin: pin_of(old), level: None });
            }
            self.drive(channel, new >> 20 & 1 != 0, env);
        }
    }

    fn triggered(&mut self, _: u8, high: bool, env: &mut Env<'_, '_>) {
        if high {
            self.raise(PORT, env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        for channel in (0..CHANNELS).filter(|channel| self.mode(*channel) == TASK) {
            env.effect(Effect::DrivePin { pin: pin_of(self.config(channel)), level: None });
        }
        self.signals.reset(env);
        self.levels = 0;
        for (input, port) in (0..).zip(PORTS) {
            env.hear(input, Some((port, DETECT)));
        }
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.signals.bank)
    }
}
