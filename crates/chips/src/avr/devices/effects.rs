//! What blocks do to each other, carried out between their answers.

use cyclescope_machine::{Context, GapKind, Pin, Signal, Stimulus};
use cyclescope_peripherals::avr::{Block, Change, Device, Effect, Env, Wires};
use cyclescope_units::Cycles;

use super::AvrDevices;

/// More effects than this after one access or event would be a loop in the wiring; the rest is dropped and counted.
const LIMIT: usize = 10_000;

impl AvrDevices {
    /// Carries out all effects in order, those of effects included.
    #[inline]
    pub(super) fn carry_out(&mut self, context: &mut Context<'_>) {
        if !self.wires.effects.is_empty() {
            self.carry_out_all(context);
        }
    }

    #[cold]
    fn carry_out_all(&mut self, context: &mut Context<'_>) {
        let mut next = 0;
        while let Some(&effect) = self.wires.effects.get(next) {
            next += 1;
            if next >= LIMIT {
                context.gap(GapKind::Setting, "peripherals feed each other without end");
                break;
            }
            self.effect(effect, context);
        }
        self.wires.effects.clear();
    }

    fn effect(&mut self, effect: Effect, context: &mut Context<'_>) {
        match effect {
            Effect::Level { pin, high } => self.on_port(pin.port, context, |device, env| {
                if let Device::Port(port) = device {
                    port.take_level(pin.number, high, 0, env);
                }
            }),
            Effect::Direction { pin, output } => self.on_port(pin.port, context, |device, env| {
                if let Device::Port(port) = device {
                    port.take_direction(pin.number, output, 0, env);
                }
            }),
            Effect::PullUpsOff(off) => {
                for port in 0..8 {
                    self.on_port(port, context, |device, env| {
                        if let Device::Port(port) = device {
                            port.set_pull_ups_off(off, env);
                        }
                    });
                }
            }
            Effect::PinChanged { pin, high, after } => self.pin_changed(pin, high, after, context),
            Effect::Prescalers(prescalers) => {
                self.change(Change::Prescaler, context, |wires| wires.prescalers = prescalers);
            }
            Effect::Power(bits) => self.change(Change::Power, context, |wires| wires.power_reduction = bits),
            Effect::Pll(clock) => self.change(Change::Pll, context, |wires| wires.pll = clock),
            Effect::Divide(shift) => self.wires.divide(shift, context),
        }
    }

    fn on_port(&mut self, port: u8, context: &mut Context<'_>, act: impl FnOnce(&mut Device, &mut Env<'_, '_>)) {
        if let Some(slot) = self.layout.port(port) {
            self.with(slot, context, act);
        }
    }

    /// Makes a change that time depends on, with all blocks told before and after.
    fn change(&mut self, change: Change, context: &mut Context<'_>, make: impl FnOnce(&mut Wires)) {
        for slot in 0..self.slots.len() {
            self.with(slot, context, |device, env| device.before_change(change, env));
        }
        make(&mut self.wires);
        for slot in 0..self.slots.len() {
            self.with(slot, context, |device, env| device.after_change(change, env));
        }
    }

    fn pin_changed(&mut self, pin: Pin, high: bool, after: u8, context: &mut Context<'_>) {
        let now = context.now;
        context.now = now + Cycles::new(after.into());
        context.signals.record(context.now, Signal::Pin { pin, high });
        for listener in 0..self.layout.listeners(pin).len() {
            let (slot, index) = self.layout.listeners(pin)[listener];
            self.with(usize::from(slot), context, |device, env| device.input(usize::from(index), high, env));
        }
        context.now = now;
    }

    /// The outside does `stimulus` now.
    pub(super) fn stimulus(&mut self, stimulus: Stimulus, context: &mut Context<'_>) {
        match stimulus {
            Stimulus::Pin { pin, high } => self.on_port(pin.port, context, |device, env| {
                if let Device::Port(port) = device {
                    port.apply(pin.number, high, env);
                }
            }),
            Stimulus::Uart { number, bytes } => {
                let found = self.layout.serial.iter().find(|(known, _)| *known == number);
                let Some((_, slot)) = found.copied() else { return };
                self.with(slot, context, |device, env| {
                    if let Device::Usart(usart) = device {
                        usart.receive(&bytes, env);
                    }
                });
            }
            // Clocks of the part are the core's.
            Stimulus::Phase { .. } => {}
        }
    }
}
