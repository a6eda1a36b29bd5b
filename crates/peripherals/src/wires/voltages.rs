//! The voltages on pins, with those of the near past: a converter knows at the end of a conversion what it sampled.

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Pin, Voltage};

/// Changes of one pin that are kept: more of them inside one conversion are not told apart.
const KEPT: usize = 8;

/// The voltages on pins over time.
#[derive(Clone, Debug)]
pub struct History {
    /// By time of their beginning; `None` from which on nobody drives the pin.
    changes: Vec<(Pin, Picoseconds, Option<Voltage>)>,
}

impl History {
    /// Nobody drives any pin.
    pub const fn new() -> Self {
        Self { changes: Vec::new() }
    }

    /// The pin has `voltage` from `now` on.
    pub fn set(&mut self, pin: Pin, voltage: Option<Voltage>, now: Picoseconds) {
        let of_pin = self.changes.iter().filter(|(other, ..)| *other == pin).count();
        if of_pin == 0 && voltage.is_none() {
            return;
        }
        if of_pin >= KEPT
            && let Some(first) = self.changes.iter().position(|(other, ..)| *other == pin)
        {
            self.changes.remove(first);
        }
        self.changes.push((pin, now, voltage));
    }

    /// The voltage on `pin` at `at`, in microvolts.
    pub fn at(&self, pin: Pin, at: Picoseconds) -> Option<i32> {
        let (since, voltage) = self.found(pin, at)?;
        Some(voltage.after(at.saturating_sub(since)))
    }

    /// The voltage that is on `pin` at `at`, with the time since which it is.
    pub fn found(&self, pin: Pin, at: Picoseconds) -> Option<(Picoseconds, &Voltage)> {
        let of_pin = self.changes.iter().filter(|(other, ..)| *other == pin);
        let (_, since, voltage) = of_pin.rev().find(|(_, since, _)| *since <= at)?;
        voltage.as_ref().map(|voltage| (*since, voltage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_voltage_of_the_near_past_is_known() {
        let (pin, other) = (Pin { port: 0, number: 1 }, Pin { port: 0, number: 2 });
        let mut history = History::new();
        let at = Picoseconds::new;
        history.set(pin, Some(Voltage::Constant(5)), at(100));
        history.set(other, Some(Voltage::Constant(9)), at(150));
        history.set(pin, None, at(200));
        history.set(pin, Some(Voltage::Ramp { from: 0, to: 100, over: at(100) }), at(300));
        assert_eq!([99, 100, 199, 200, 299, 300, 350].map(|t| history.at(pin, at(t))), {
            [None, Some(5), Some(5), None, None, Some(0), Some(50)]
        });
        for time in 400..500 {
            history.set(pin, Some(Voltage::Constant(time)), at(time as u64));
        }
        assert_eq!((history.at(pin, at(499)), history.at(other, at(499))), (Some(499), Some(9)));
        assert!(history.changes.len() <= 2 * KEPT);
    }
}
