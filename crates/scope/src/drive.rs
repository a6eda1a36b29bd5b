//! Applies a plan to a machine.

use std::collections::{BTreeMap, BTreeSet};

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Pin, Stimulus, Target};

use crate::nearest::pins_clause;
use crate::stimulus::{Action, Level, StimulusError};

/// The stimuli that a session applies.
#[derive(Debug, Default)]
pub(crate) struct Drive {
    /// Actions that wait for an event, with the event's index.
    waiting: Vec<Waiting>,
    /// The past and scheduled levels of each pin.
    levels: BTreeMap<Pin, BTreeMap<Cycles, bool>>,
    /// The cycle of each stimulus given to the machine.
    given: Vec<Cycles>,
}

/// An action that an event sets off.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) event: usize,
    pub(crate) delay: Cycles,
    pub(crate) times: u64,
    pub(crate) action: Action,
}

impl Drive {
    /// Returns the number of stimuli due by `now` and of those due later.
    pub(crate) fn given(&self, now: Cycles) -> (u64, u64) {
        let due = self.given.iter().filter(|at| **at <= now).count();
        (due as u64, (self.given.len() - due) as u64)
    }

    pub(crate) fn wait(&mut self, waiting: Waiting) {
        self.waiting.push(waiting);
    }

    /// Tells if any action waits for the event `event`.
    pub(crate) fn waits_for(&self, event: usize) -> bool {
        self.waiting.iter().any(|waiting| waiting.event == event && waiting.times > 0)
    }

    /// Handles the event `event`, which happened at the cycle `at`. The machine stands at `now`, at or after it.
    pub(crate) fn happened(&mut self, event: usize, at: Cycles, target: &mut impl Target) {
        let mut waiting = std::mem::take(&mut self.waiting);
        for waiting in waiting.iter_mut().filter(|waiting| waiting.event == event && waiting.times > 0) {
            waiting.times -= 1;
            let due = at.saturating_add(waiting.delay).max(target.now());
            self.give(due, &waiting.action, target);
        }
        self.waiting = waiting;
    }

    /// Schedules `action` at the cycle `at`.
    pub(crate) fn give(&mut self, at: Cycles, action: &Action, target: &mut impl Target) {
        let stimulus = match action {
            Action::Phase(cycles) => Stimulus::Phase { cycles: *cycles },
            Action::Uart(number, bytes) => Stimulus::Uart { number: *number, bytes: bytes.clone() },
            Action::Pin(pin, level) => {
                let applied = self.levels.entry(*pin).or_default();
                let high = match level {
                    Level::Low => Some(false),
                    Level::High => Some(true),
                    Level::Released => None,
                    Level::Toggle => {
                        let before = applied.range(..=at).next_back().map(|(_, high)| *high);
                        Some(!before.unwrap_or_else(|| target.pin(*pin)))
                    }
                };
                if let Some(high) = high {
                    applied.insert(at, high);
                }
                Stimulus::Pin { pin: *pin, high }
            }
        };
        self.given.push(at);
        target.stimulate(at, stimulus);
    }
}

/// The inputs of a machine that stimuli may use.
pub(crate) struct Inputs {
    pins: Vec<Pin>,
    serial: BTreeSet<u8>,
}

impl Inputs {
    pub(crate) fn of(target: &impl Target) -> Self {
        Self { pins: target.pins(), serial: target.serial_ports().into_iter().collect() }
    }

    /// Returns the nearest pins as a clause for a message if the machine lacks `pin`, else `None`.
    pub(crate) fn lacks_pin(&self, pin: Pin) -> Option<String> {
        (!self.pins.contains(&pin)).then(|| pins_clause(pin, &self.pins))
    }

    /// Checks that the machine has the pin or port of `action`.
    pub(crate) fn check(&self, action: &Action) -> Result<(), StimulusError> {
        match action {
            Action::Pin(pin, _) => match self.lacks_pin(*pin) {
                None => Ok(()),
                Some(nearest) => Err(StimulusError::NoPin { action: action.to_string(), pin: *pin, nearest }),
            },
            Action::Phase(_) => Ok(()),
            Action::Uart(number, _) if self.serial.contains(number) => Ok(()),
            Action::Uart(number, _) => {
                let ports: Vec<String> = self.serial.iter().map(u8::to_string).collect();
                let ports = if ports.is_empty() {
                    "; it has no serial ports".to_owned()
                } else {
                    format!("; it has {}", ports.join(", "))
                };
                Err(StimulusError::NoUart { action: action.to_string(), number: *number, ports })
            }
        }
    }
}
