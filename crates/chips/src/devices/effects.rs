//! What blocks do to each other, carried out between their answers.

use cyclescope_machine::{Context, GapKind, Width};
use cyclescope_peripherals::{AlternateFunction, Block, Device, Effect, Source};

use super::{Devices, Stimulus};

/// More effects than this after one access or event would be a loop in the wiring; the rest is dropped and counted.
const LIMIT: usize = 10_000;

impl Devices {
    /// Carries out all effects in order, those of effects included.
    #[inline]
    pub(super) fn carry_out(&mut self, context: &mut Context<'_>) {
        if !self.wires.effects.is_empty() {
            self.carry_out_all(context);
        }
    }

    fn carry_out_all(&mut self, context: &mut Context<'_>) {
        let mut next = 0;
        while let Some(&(slot, effect)) = self.wires.effects.get(next) {
            next += 1;
            if next >= LIMIT {
                context.gap(GapKind::Setting, "peripherals feed each other without end");
                break;
            }
            self.effect(usize::from(slot), effect, context);
        }
        self.wires.effects.clear();
    }

    fn effect(&mut self, slot: usize, effect: Effect, context: &mut Context<'_>) {
        match effect {
            Effect::ClocksChanged => self.change_clocks(context),
            Effect::ResetPeripherals { offset, bits } => self.reset_peripherals(offset, bits, context),
            Effect::Request { number, active } => {
                if let Some(Device::Dmamux(mux)) = self.known.dmamux.map(|slot| &mut self.slots[slot]) {
                    mux.request(number, active);
                }
                if active {
                    // Only after all that was asked for or taken back at the same time.
                    self.wires.effects.push((slot as u16, Effect::DmaChanged));
                }
            }
            Effect::RequestOnce { number } => {
                self.request_once(number);
                self.wires.effects.push((slot as u16, Effect::DmaChanged));
            }
            Effect::DmaChanged => self.run_dma(context),
            Effect::Output { signal, level } => self.output(slot, signal, level, context),
            Effect::PinsSwitched { port } => self.pins_switched(port, context),
            Effect::PinChanged { port, pin, high } => self.pin_changed(port, pin, high, context),
            Effect::FlashChanged => self.on_flash(context),
            Effect::ForceLsi => {
                if let Some(slot) = self.known.rcc {
                    self.with(slot, context, |device, env| {
                        if let Device::Rcc(rcc) = device {
                            rcc.force_lsi(env);
                        }
                    });
                }
            }
        }
    }

    fn on_flash(&mut self, context: &mut Context<'_>) {
        if let Some(slot) = self.known.flash {
            self.with(slot, context, |device, env| {
                if let Device::Flash(flash) = device {
                    flash.apply(env);
                }
            });
        }
    }

    /// Moves everything that counts time from the old clocks to the new ones.
    fn change_clocks(&mut self, context: &mut Context<'_>) {
        let Some(Device::Rcc(rcc)) = self.known.rcc.map(|slot| &self.slots[slot]) else { return };
        let (tree, usart1) = (rcc.tree(&self.clocks), rcc.usart1_source());
        let old = *self.clocks.tree();
        let rewired = self.set_usart1(usart1);
        if tree == old && !rewired {
            return;
        }
        for slot in 0..self.slots.len() {
            self.with(slot, context, |device, env| device.before_clock_change(env));
        }
        self.clocks.switch(context.now, tree);
        for slot in 0..self.slots.len() {
            self.with(slot, context, |device, env| device.after_clock_change(&old, env));
        }
    }

    /// Hands USART1 its kernel clock; whether that may have changed something.
    fn set_usart1(&mut self, source: Source) -> bool {
        for device in &mut self.slots {
            if let Device::Usart(usart) = device
                && usart.number() == 1
            {
                return usart.set_clock(source);
            }
        }
        false
    }

    fn reset_peripherals(&mut self, offset: u16, bits: u32, context: &mut Context<'_>) {
        for (slot, instance) in self.part.peripherals.iter().enumerate() {
            let Some(reset) = instance.reset else { continue };
            if reset.offset == offset && bits & 1 << reset.bit != 0 {
                self.with(slot, context, |device, env| device.reset(env));
            }
        }
    }

    /// Has the DMA controller begin what is asked for.
    fn arbitrate(&mut self, context: &mut Context<'_>) {
        let Some((dma, mux)) = self.known.dma.zip(self.known.dmamux) else { return };
        let Device::Dmamux(mux) = &self.slots[mux] else { return };
        let requested: Vec<bool> = (0..8).map(|channel| mux.requested(channel)).collect();
        self.with(dma, context, |device, env| {
            if let Device::Dma(dma) = device {
                dma.arbitrate(|channel| requested.get(usize::from(channel)).is_some_and(|asked| *asked), env);
            }
        });
    }

    fn request_once(&mut self, number: u8) {
        let Some((dma, mux)) = self.known.dma.zip(self.known.dmamux) else { return };
        let Device::Dmamux(mux) = &self.slots[mux] else { return };
        let channels: Vec<u8> = (0..8).filter(|channel| number != 0 && mux.selected(*channel) == number).collect();
        if let Device::Dma(dma) = &mut self.slots[dma] {
            for channel in channels {
                dma.request_once(channel);
            }
        }
    }

    /// Carries out the transfer that is due and begins the next.
    fn run_dma(&mut self, context: &mut Context<'_>) {
        let Some(slot) = self.known.dma else { return };
        let due = self.with(slot, context, |device, env| match device {
            Device::Dma(dma) => dma.due(env),
            _ => None,
        });
        if let Some((channel, transfer)) = due {
            let moved = self
                .dma_read(transfer.from, transfer.from_width, context)
                .and_then(|value| self.dma_write(transfer.to, transfer.to_width, value, context));
            self.with(slot, context, |device, env| {
                if let Device::Dma(dma) = device {
                    dma.finish(channel, moved.is_some(), env);
                }
            });
            // What the transfer did to its peripheral's request counts before the next is chosen.
            self.wires.effects.push((slot as u16, Effect::DmaChanged));
            return;
        }
        self.arbitrate(context);
    }

    fn dma_read(&mut self, address: u32, width: Width, context: &mut Context<'_>) -> Option<u32> {
        if let Some(value) = context.memory.read(address, width) {
            return Some(value);
        }
        let word = self.read_word(address, context).ok()?;
        Some(word >> ((address & 3) * 8) & width.mask())
    }

    fn dma_write(&mut self, address: u32, width: Width, value: u32, context: &mut Context<'_>) -> Option<()> {
        if context.memory.write(address, width, value) {
            return Some(());
        }
        self.write_word(address, width, value, context).ok()
    }

    /// The pins that `signal` of the block in `slot` reaches show its level.
    fn output(&mut self, slot: usize, signal: &str, level: Option<bool>, context: &mut Context<'_>) {
        let pins = self.part.peripherals[slot].pins;
        for wired in pins.iter().filter(|wired| wired.signal == signal) {
            if self.alternate_function(wired) {
                self.drive(wired.port, wired.pin, level, context);
            }
        }
    }

    /// Whether the pin is switched to the function.
    fn alternate_function(&self, wired: &AlternateFunction) -> bool {
        self.slots.iter().any(|device| match device {
            Device::Gpio(gpio) => {
                gpio.port() == wired.port && gpio.alternate_function(wired.pin) == Some(wired.function)
            }
            _ => false,
        })
    }

    fn drive(&mut self, port: u8, pin: u8, level: Option<bool>, context: &mut Context<'_>) {
        let slot = self.slots.iter().position(|device| matches!(device, Device::Gpio(gpio) if gpio.port() == port));
        if let Some(slot) = slot {
            self.with(slot, context, |device, env| {
                if let Device::Gpio(gpio) = device {
                    gpio.drive_alternate(pin, level, env);
                }
            });
        }
    }

    /// Works out anew which peripheral drives which pin of the port.
    fn pins_switched(&mut self, port: u8, context: &mut Context<'_>) {
        for pin in 0..16 {
            let level = self.part.peripherals.iter().zip(&self.slots).find_map(|(instance, device)| {
                let wired = instance
                    .pins
                    .iter()
                    .filter(|wired| (wired.port, wired.pin) == (port, pin) && self.alternate_function(wired));
                wired.filter_map(|wired| device.output(wired.signal)).next()
            });
            self.drive(port, pin, level, context);
        }
    }

    /// An edge at a pin's input reaches EXTI and the timers.
    fn pin_changed(&mut self, port: u8, pin: u8, high: bool, context: &mut Context<'_>) {
        if let Some(slot) = self.known.exti {
            self.with(slot, context, |device, env| {
                if let Device::Exti(exti) = device {
                    exti.pin(port, pin, high, env);
                }
            });
        }
        for (slot, instance) in self.part.peripherals.iter().enumerate() {
            for wired in instance.pins.iter().filter(|wired| (wired.port, wired.pin) == (port, pin)) {
                if matches!(self.slots[slot], Device::Timer(_)) && self.alternate_function(wired) {
                    self.with(slot, context, |device, env| {
                        if let Device::Timer(timer) = device {
                            timer.input(wired.signal, high, env);
                        }
                    });
                }
            }
        }
    }

    pub(super) fn stimulus(&mut self, stimulus: Stimulus, context: &mut Context<'_>) {
        for slot in 0..self.slots.len() {
            self.with(slot, context, |device, env| match (device, &stimulus) {
                (Device::Gpio(gpio), Stimulus::Pin { pin, high }) if gpio.port() == pin.port => {
                    gpio.apply(pin.number, *high, env);
                }
                (Device::Usart(usart), Stimulus::Uart { number, bytes }) if usart.number() == *number => {
                    usart.receive(bytes, env);
                }
                _ => {}
            });
        }
    }
}
