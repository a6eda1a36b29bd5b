//! Applies a plan to a machine.

use std::collections::BTreeSet;

use cyclescope_chips::Machine;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Channel, Moment, Pin, Stimulus, Timebase};

use self::set_off::SetOff;
use crate::nearest::pins_clause;
use crate::stimulus::{Action, Endless, Level, StimulusError, VoltageText};
use crate::time::Time;

mod set_off;

/// The stimuli that a session applies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drive {
    /// Actions that wait for an event, with the event's index.
    waiting: Vec<Waiting>,
    /// The moment of each stimulus given to the machine, and the period of those without an end.
    given: Vec<(Moment, Option<u64>)>,
    set_off: SetOff,
    /// The actions whose cycles are chosen for themselves, each with its place in the machine's order, and the place in `given` of the
    /// one that was chosen.
    arriving: Vec<(u64, Action, Option<usize>)>,
}

/// An action that an event sets off.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub(crate) event: usize,
    pub(crate) delay: Time,
    pub(crate) times: u64,
    pub(crate) action: Action,
}

impl Drive {
    /// Returns the number of stimuli due by now and of those due later. Of those without an
    /// end only the first time may be due later.
    pub(crate) fn given(&self, target: &Machine) -> (u64, u64) {
        let (now, time) = (target.now(), target.timebase().time(target.now()));
        let due_later = self.set_off.counted(target.now(), &target.timebase());
        self.given.iter().fold(due_later, |(due, later), (at, period)| {
            let since = match at {
                Moment::Cycle(at) => now.get().checked_sub(at.get()),
                Moment::Time(at) => time.get().checked_sub(at.get()),
            };
            match (since, period) {
                (Some(since), Some(period)) => (due + 1 + since / period, later),
                (Some(_), None) => (due + 1, later),
                (None, _) => (due, later + 1),
            }
        })
    }

    pub(crate) fn wait(&mut self, waiting: Waiting) {
        self.waiting.push(waiting);
    }

    /// Tells if any action waits for the event `event`.
    pub(crate) fn waits_for(&self, event: usize) -> bool {
        self.waiting.iter().any(|waiting| waiting.event == event && waiting.times > 0)
    }

    /// Handles the event `event`, which happened at the cycle `at` of `timebase`. The machine stands at or after it.
    pub(crate) fn happened(&mut self, event: usize, at: Cycles, timebase: &Timebase, target: &mut Machine) {
        let mut waiting = std::mem::take(&mut self.waiting);
        for waiting in waiting.iter_mut().filter(|waiting| waiting.event == event && waiting.times > 0) {
            waiting.times -= 1;
            let due = waiting.delay.after(at, timebase);
            let due = if target.timebase().cycle(due) < target.now() { target.now().into() } else { due };
            if self.set_off.add(due, &waiting.action, target) {
                target.stimulate(due, stimulus(&waiting.action));
            }
        }
        self.waiting = waiting;
    }

    /// Schedules `action` at the moment `at`.
    pub(crate) fn give(&mut self, at: Moment, action: &Action, target: &mut Machine) {
        self.given.push((at, None));
        target.stimulate(at, stimulus(action));
    }

    /// Keeps a place for `action`, whose cycle is still to be chosen.
    pub(crate) fn keep(&mut self, action: &Action, target: &mut Machine) {
        self.arriving.push((target.keep_place(), action.clone(), None));
    }

    /// Schedules the action `index` of those that were kept for the cycle `at`, in the place of the cycle before, which is still to come.
    /// An index beyond them changes nothing.
    pub(crate) fn arrive(&mut self, index: usize, at: Cycles, target: &mut Machine) {
        if let Some((place, action, chosen)) = self.arriving.get_mut(index) {
            let chosen = *chosen.get_or_insert(self.given.len());
            match self.given.get_mut(chosen) {
                Some(given) => given.0 = at.into(),
                None => self.given.push((at.into(), None)),
            }
            target.stimulate_at_place(at, *place, stimulus(action));
        }
    }

    /// Schedules an action that comes again and again.
    pub(crate) fn give_endless(&mut self, Endless { from, period, action }: &Endless, target: &mut Machine) {
        self.given.push((*from, Some((*period).max(1))));
        target.stimulate(*from, Stimulus::Every { period: *period, stimulus: Box::new(stimulus(action)) });
    }
}

fn stimulus(action: &Action) -> Stimulus {
    match action {
        Action::Phase(cycles) => Stimulus::Phase { cycles: *cycles },
        Action::Serial(port, bytes) => Stimulus::send(*port, bytes.clone()),
        Action::Voltage(pin, VoltageText::Shape(voltage)) => {
            Stimulus::Voltage { pin: *pin, voltage: Some(voltage.clone()) }
        }
        // A plan has the samples of files in place of the files.
        Action::Voltage(pin, VoltageText::Samples { .. }) => Stimulus::Voltage { pin: *pin, voltage: None },
        Action::Device { device, name, value } => {
            Stimulus::Device { device: device.clone(), name: name.clone(), value: value.clone() }
        }
        Action::Pin(pin, Level::Low) => Stimulus::Pin { pin: *pin, high: Some(false) },
        Action::Pin(pin, Level::High) => Stimulus::Pin { pin: *pin, high: Some(true) },
        Action::Pin(pin, Level::Released) => Stimulus::Pin { pin: *pin, high: None },
        Action::Pin(pin, Level::Toggle) => Stimulus::Toggle { pin: *pin },
    }
}

/// The inputs of a machine that stimuli may use.
pub(crate) struct Inputs {
    pins: Vec<Pin>,
    serial: BTreeSet<Channel>,
}

impl Inputs {
    pub(crate) fn of(target: &Machine) -> Self {
        Self { pins: target.pins(), serial: target.serial_ports().into_iter().collect() }
    }

    /// Returns the nearest pins as a clause for a message if the machine lacks `pin`, else `None`.
    pub(crate) fn lacks_pin(&self, pin: Pin) -> Option<String> {
        (!self.pins.contains(&pin)).then(|| pins_clause(pin, &self.pins))
    }

    /// Checks that the machine has the pin or port of `action`.
    pub(crate) fn check(&self, action: &Action, target: &Machine) -> Result<(), StimulusError> {
        match action {
            Action::Device { device, name, value } => target
                .check_device(device, name, value)
                .map_err(|sentence| StimulusError::Device { action: action.to_string(), sentence }),
            Action::Pin(pin, _) | Action::Voltage(pin, _) => match self.lacks_pin(*pin) {
                None => Ok(()),
                Some(nearest) => Err(StimulusError::NoPin { action: action.to_string(), pin: *pin, nearest }),
            },
            Action::Phase(_) => Ok(()),
            Action::Serial(port, _) if self.serial.contains(port) => Ok(()),
            Action::Serial(port, _) => {
                let ports: Vec<String> = self.serial.iter().map(|port| port.port_text()).collect();
                let ports = if ports.is_empty() {
                    "; it has no serial ports".to_owned()
                } else {
                    format!("; it has {}", ports.join(", "))
                };
                Err(StimulusError::NoUart { action: action.to_string(), port: port.port_text(), ports })
            }
        }
    }
}
