//! The effects of blocks on each other, carried out between their answers.

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Context, Pin, Signal, Wire};
use cyclescope_peripherals::Block;
use cyclescope_peripherals::avr::port::Port;
use cyclescope_peripherals::avr::{Change, Device, Effect, Env};
use cyclescope_peripherals::wires::Route;

use super::{AvrDevices, DataSpace};
use crate::owner::Wiring;

impl AvrDevices {
    /// Carries out `effect`, which a block asked for.
    pub(super) fn carry_out_effect(&mut self, effect: Effect, context: &mut Context<'_>) {
        match effect {
            Effect::Level { pin, high } => {
                self.on_port(pin.port, context, |port, env| port.take_level(pin.number, high, 0, env));
            }
            Effect::Direction { pin, output } => {
                self.on_port(pin.port, context, |port, env| port.take_direction(pin.number, output, 0, env));
            }
            Effect::PullUpsOff(off) => {
                (0..8).for_each(|port| self.on_port(port, context, |port, env| port.set_pull_ups_off(off, env)));
            }
            Effect::PinChanged { pin, high, after } => self.pin_changed(pin, high, after, context),
            Effect::DriveChanged { pin, after } => self.drive_changed(pin, after, context),
            Effect::Prescalers(prescalers) => {
                self.slots.change(Change::Prescaler, context, |shared, _| shared.prescalers = prescalers);
            }
            Effect::Power(bits) => self.slots.change(Change::Power, context, |shared, _| shared.power_reduction = bits),
            Effect::Pll(clock) => self.slots.change(Change::Pll, context, |shared, _| shared.pll = clock),
            Effect::DigitalInput { pin, off } => {
                self.on_port(pin.port, context, |port, _| port.switch_input(pin.number, off));
            }
            Effect::Watch(vector) => {
                self.slots.change(Change::Trigger, context, |shared, _| shared.trigger.vector = vector);
            }
            Effect::Triggered => self.slots.each(context, |device, env| {
                if let Device::Adc(adc) = device {
                    adc.trigger(env);
                }
            }),
            Effect::Capture(high) => self.slots.each(context, |device, env| {
                if let Device::Timer(timer) = device
                    && env.instance.number == 1
                {
                    timer.compared(high, env);
                }
            }),
            Effect::ComparatorInputs => self.slots.each(context, |device, env| {
                if let Device::Comparator(comparator) = device {
                    comparator.compare(env);
                }
            }),
            Effect::BusTaken => self.reroute(),
            // Attended to after all effects.
            Effect::Outside => {}
            Effect::Divide(shift) => {
                self.slots.wires.shared.divide(shift, context);
                self.clock_changed(context);
            }
        }
    }

    /// Tells if an edge of `pin` would reach anything but observers.
    pub(super) fn is_heard(&self, pin: Pin) -> bool {
        let mut listeners = self.wiring.layout.listeners(pin).iter();
        self.outside().hears(pin)
            || listeners.any(|(slot, index)| {
                let (device, index) = (&self.slots[usize::from(*slot)], usize::from(*index));
                device.hears(index) || self.outside().is_shared((*slot).into()) && device.hears_shared(index)
            })
    }

    /// The block of the name `peripheral`, and its line `signal` with its pin. TWI may be called I2C.
    pub(super) fn signal(&self, peripheral: &str, signal: &str) -> Option<(usize, &'static str, Pin)> {
        let name = if peripheral == "I2C" { "TWI" } else { peripheral };
        let slot = self.wiring.part.instances.iter().position(|instance| instance.name == name)?;
        let (signal, pin) = self.wiring.part.instances[slot].signals.iter().find(|(known, _)| *known == signal)?;
        Some((slot, signal, *pin))
    }

    /// The line of a bus that a block has at the pin of `wire` at the moment.
    pub(super) fn signal_on(&self, wire: &Wire) -> Option<Route> {
        match wire {
            Wire::Signal { peripheral, signal } => {
                self.signal(peripheral, signal).map(|(slot, signal, _)| (slot as u16, signal))
            }
            Wire::Pin(pin) => self.slots.iter().enumerate().find_map(|(slot, (instance, device))| {
                let (signal, _) = instance.signals.iter().find(|(_, known)| known == pin)?;
                let (clock, _) = instance.signals.first()?;
                device.output(clock).map(|_| (slot as u16, *signal))
            }),
        }
    }

    /// Lets the port of number `port` do something, if there is one.
    pub(super) fn on_port(
        &mut self,
        port: u8,
        context: &mut Context<'_>,
        act: impl FnOnce(&mut Port, &mut Env<'_, '_>),
    ) {
        self.at(self.wiring.layout.port(port), context, |device, env| {
            if let Device::Port(port) = device {
                act(port, env);
            }
        });
    }

    /// Pins that are connected with `pin` follow it.
    fn drive_changed(&mut self, pin: Pin, after: u8, context: &mut Context<'_>) {
        for pin in self.outside().connected(pin) {
            let (driven, pulls_up) = (<DataSpace as Wiring>::driven, <DataSpace as Wiring>::pulls_up);
            let level = self.outside().level(pin, |pin| driven(self, pin), |pin| pulls_up(self, pin));
            self.on_port(pin.port, context, |port, env| port.apply(pin.number, level, after, env));
        }
    }

    fn pin_changed(&mut self, pin: Pin, high: bool, after: u8, context: &mut Context<'_>) {
        let now = context.now;
        context.now = now + Cycles::new(after.into());
        context.signals.record(context.now, Signal::Pin { pin, high });
        if self.playing == Some(false) {
            context.now = now;
            return;
        }
        self.tell_outside(pin, high, context);
        for listener in 0..self.wiring.layout.listeners(pin).len() {
            let (slot, index) = self.wiring.layout.listeners(pin)[listener];
            self.slots.with(usize::from(slot), context, |device, env| device.input(usize::from(index), high, env));
        }
        context.now = now;
    }
}
