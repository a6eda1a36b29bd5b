//! A timer on a board with nothing else.

use std::collections::BTreeMap;

use cyclescope_machine::units::{Address, Cycles, Hertz};
use cyclescope_machine::{Bus, Memory, Pin, WithoutPeripherals};

use crate::avr::prescaler::PrescalerControl;
use crate::avr::timer::Timer;
use crate::avr::{Avr, Change, Effect, Env, Instance, Shared, Wires};
use crate::{Block, EVENTS_PER_BLOCK};

/// The timer's slot, so that event numbers are not those of slot 0.
const SLOT: u16 = 3;

/// A timer, the shared prescalers and the pins.
#[derive(Clone)]
pub struct Board<B = Timer> {
    pub bus: Bus<WithoutPeripherals>,
    pub wires: Wires,
    pub timer: B,
    pub instance: &'static Instance,
    prescaler: PrescalerControl,
    /// The levels that the timer drives.
    pub pins: BTreeMap<Pin, bool>,
    /// The number of events so far.
    pub events: u64,
}

impl Board<Timer> {
    pub fn new(wiring: &Instance) -> Self {
        Self::with(wiring, Timer::new)
    }
}

impl<B: Block<Avr>> Board<B> {
    pub fn with(wiring: &Instance, make: impl FnOnce(&Instance) -> B) -> Self {
        let instance: &'static Instance = Box::leak(Box::new(*wiring));
        let memory = Memory::new(Address::ZERO, vec![0; 16], Address::new(0x80_0100), 16);
        let mut board = Self {
            bus: Bus::new(memory, WithoutPeripherals, 0),
            wires: Wires::new(Shared::new(Hertz::new(16_000_000))),
            timer: make(instance),
            instance,
            prescaler: PrescalerControl::default(),
            pins: BTreeMap::new(),
            events: 0,
        };
        board.at(0, |timer, env| timer.reset(env));
        board
    }

    /// Lets the timer do something in the period `now`.
    pub fn at<R>(&mut self, now: u64, act: impl FnOnce(&mut B, &mut Env<'_, '_>) -> R) -> R {
        let Self { bus, wires, timer, instance, .. } = self;
        let (_, mut context) = bus.with_context(Cycles::new(now), Address::ZERO);
        let result = act(timer, &mut Env { context: &mut context, wires, instance, slot: SLOT });
        self.carry_out(now);
        result
    }

    fn carry_out(&mut self, now: u64) {
        for (_, effect) in std::mem::take(&mut self.wires.effects) {
            match effect {
                Effect::Level { pin, high: Some(high) } => {
                    self.pins.insert(pin, high);
                }
                Effect::Level { pin, high: None } => {
                    self.pins.remove(&pin);
                }
                Effect::Prescalers(prescalers) => {
                    self.change(now, Change::Prescaler, |shared| shared.prescalers = prescalers);
                }
                other => panic!("{other:?} of a timer"),
            }
        }
    }

    pub fn change(&mut self, now: u64, change: Change, make: impl FnOnce(&mut Shared)) {
        self.at(now, |timer, env| timer.before_change(change, env));
        make(&mut self.wires.shared);
        self.at(now, |timer, env| timer.after_change(change, env));
    }

    /// GTCCR.
    pub fn write_gtccr(&mut self, now: u64, value: u8) {
        let Self { bus, wires, prescaler, instance, .. } = self;
        let (_, mut context) = bus.with_context(Cycles::new(now), Address::ZERO);
        prescaler.write(0, value, &mut Env { context: &mut context, wires, instance, slot: 0 });
        self.carry_out(now);
    }

    /// PRR.
    pub fn power(&mut self, now: u64, on: bool) {
        let power = self.instance.power.expect("a timer has a power reduction bit");
        self.change(now, Change::Power, |shared| {
            shared.power_reduction[usize::from(power.register)] = u8::from(!on) << power.bit;
        });
    }

    /// Lets events come up to the period `now`.
    pub fn run(&mut self, now: u64) {
        while let Some((at, id)) = self.bus.shared.events.pop_due(Cycles::new(now)) {
            assert_eq!(id.number / EVENTS_PER_BLOCK, SLOT);
            self.wires.shared.has_come(id);
            self.events += 1;
            self.at(at.get(), |timer, env| timer.event(id.number % EVENTS_PER_BLOCK, env));
        }
    }

    pub fn read(&mut self, now: u64, register: u8) -> u8 {
        self.run(now);
        self.at(now, |timer, env| timer.read(register, env))
    }

    pub fn write(&mut self, now: u64, register: u8, value: u8) {
        self.run(now);
        self.at(now, |timer, env| timer.write(register, value, env));
    }

    /// Tells if the line of vector `index` is high.
    pub fn line(&self, index: usize) -> bool {
        self.bus.shared.interrupts.is_high(usize::from(self.instance.vectors[index]))
    }

    pub fn acknowledge(&mut self, now: u64, index: usize) {
        self.at(now, |timer, env| timer.acknowledge(index, env));
    }

    /// The level that output `index` drives.
    pub fn output(&self, index: usize) -> Option<bool> {
        self.pins.get(&self.instance.outputs[index]?).copied()
    }

    /// The period in which the line of vector `index` rises, at most `most` after `now`.
    pub fn rises(&mut self, now: u64, index: usize, most: u64) -> Option<u64> {
        (now..=now + most).find(|at| {
            self.run(*at);
            self.line(index)
        })
    }

    /// The periods after `from` and up to `to` in which output `index` changes.
    pub fn edges(&mut self, index: usize, from: u64, to: u64) -> Vec<u64> {
        self.run(from);
        let mut last = self.output(index);
        let mut edges = Vec::new();
        for now in from + 1..=to {
            self.run(now);
            if self.output(index) != last {
                last = self.output(index);
                edges.push(now);
            }
        }
        edges
    }
}
