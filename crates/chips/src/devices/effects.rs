//! The effects of blocks on each other, carried out between their answers.

use std::sync::Arc;

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Context, GapKind, Pin, Wire};
use cyclescope_peripherals::framework::AnyDevice;
use cyclescope_peripherals::nrf::is_interface_of;
use cyclescope_peripherals::rp::Message as RpMessage;
use cyclescope_peripherals::stm32::pwr::DETECTOR;
use cyclescope_peripherals::wires::Route;
use cyclescope_peripherals::{
    AlternateFunction, Block, Device, Effect, Env, Instance, Message, Port, Receiver, Source, Write,
};

use super::Devices;

impl Devices {
    /// Carries out `effect`, which the block in `slot` asked for.
    pub(super) fn carry_out_effect(&mut self, slot: usize, effect: Effect, context: &mut Context<'_>) {
        match effect {
            Effect::ClocksChanged => self.change_clocks(context),
            Effect::ResetPeripherals { offset, bits } => self.reset_peripherals(offset, bits, context),
            Effect::Request { number, active } => {
                let (bit, before) = (1 << (number & 127), self.wiring.requests);
                self.wiring.requests = if active { before | bit } else { before & !bit };
                self.at(self.wiring.layout.known.masters.first().copied(), context, |device, env| {
                    if let Some(master) = device.master_mut() {
                        master.request(number, active, env);
                    }
                });
                // A controller that shows requests hears of each change; the others ask again whenever one is there.
                let told =
                    if self.wiring.layout.known.shows_requests { self.wiring.requests != before } else { active };
                if told {
                    // Only after all that was asked for or taken back at the same time.
                    self.slots.wires.effects.push((slot as u16, Effect::DmaChanged));
                }
            }
            Effect::RequestOnce { number } => {
                self.request_once(number);
                self.at(self.wiring.layout.known.masters.first().copied(), context, |device, env| {
                    if let Some(master) = device.master_mut() {
                        master.request_once(number, env);
                    }
                });
                self.slots.wires.effects.push((slot as u16, Effect::DmaChanged));
            }
            Effect::DmaChanged => self.run_dma(context),
            Effect::Master => self.serve_master(slot, context),
            Effect::DmaSingle { channel } => self.tell_last(slot, channel, context),
            Effect::Output { signal, level } => self.output(slot, signal, level, context),
            Effect::PinsSwitched { port } => self.pins_switched(port, context),
            Effect::PinChanged { port, pin, high } => self.pin_changed(port, pin, high, context),
            Effect::FlashChanged => self.at(self.wiring.layout.known.flash, context, |device, env| {
                if let Some(flash) = device.flash_control_mut() {
                    flash.apply(env);
                }
            }),
            Effect::ForceLsi => self.at(self.wiring.layout.known.clock, context, |device, env| {
                if let Some(control) = device.clock_control_mut() {
                    control.force_lsi(env);
                }
            }),
            Effect::PllSwitched { on } => self.at(self.wiring.layout.known.power, context, |device, env| {
                if let Device::PwrF4(power) = device {
                    power.pll_switched(on, env);
                }
            }),
            Effect::Voltage(range) => self.at(self.wiring.layout.known.flash, context, |device, env| {
                if let Some(flash) = device.flash_control_mut() {
                    flash.set_range(range, env);
                }
            }),
            Effect::BackupAccess { allowed } => {
                for device in self.slots.iter_mut() {
                    if let Some(control) = device.clock_control_mut() {
                        control.allow_backup_writes(allowed);
                    } else if let Some(block) = device.backup_domain_mut() {
                        block.allow_writes(allowed);
                    }
                }
            }
            Effect::ResetBackup => self.slots.each(context, |device, env| {
                if let Some(block) = device.backup_domain_mut() {
                    block.reset_domain(env);
                }
            }),
            Effect::RtcSettings { rtccr } => self.slots.each(context, |device, env| {
                if let Device::RtcV1(rtc) = device {
                    rtc.set_backup(rtccr, env);
                }
            }),
            Effect::Internal { line, high } => {
                let known = &self.wiring.layout.known;
                let (edges, power) = (known.edges, known.power);
                self.at(edges, context, |device, env| {
                    if let Some(edges) = device.edge_lines_mut() {
                        edges.internal(line, high, env);
                    }
                });
                // The voltage detector is the power control's own, and comparators have no power in Standby mode.
                let wakes = line != DETECTOR && self.slots[slot].comparator().is_none();
                self.at(power.filter(|_| wakes), context, |device, env| {
                    if let Some(control) = device.power_control_mut() {
                        control.internal(high, env);
                    }
                });
            }
            Effect::Pulls { port, up } => self.on_port(port, context, |port, env| port.pull_up(up.into(), env)),
            Effect::WakeUp => self.leave_standby(context),
            Effect::Pad { signal, level } => {
                for pad in self.wiring.layout.soc.family.pads.iter().filter(|pad| pad.signal == signal) {
                    self.on_port(pad.port, context, |port, env| port.force(pad.pin, level, env));
                }
            }
            Effect::AnalogPinChanged { port, pin, high } => self.pad_changed(port, pin, high, context),
            Effect::SystemClock { clock } => self.at(self.wiring.layout.known.clock, context, |device, env| {
                if let Device::KinetisSim(sim) = device {
                    sim.set_clock(clock, env);
                }
            }),
            Effect::Rp(RpMessage::Runs { after }) => self.run_in(after, context),
            Effect::Rp(message) => {
                if let RpMessage::Stands { .. } = message {
                    self.stand(context);
                }
                let slots = 0..self.wiring.layout.blocks();
                slots
                    .into_iter()
                    .any(|slot| self.slots.with(slot, context, |device, env| device.take_rp(message, env)));
            }
            Effect::Esp(message) => {
                let slots = 0..self.wiring.layout.blocks();
                slots
                    .into_iter()
                    .any(|slot| self.slots.with(slot, context, |device, env| device.take_esp(message, env)));
            }
            Effect::ResetCause { flag } => {
                for device in self.slots.iter_mut() {
                    if let Device::KinetisSystem(system) = device {
                        system.note_reset(flag);
                    }
                }
            }
            Effect::CanFilters => {
                let filters = match &self.slots[slot] {
                    Device::Can(can) => can.own_filters().cloned(),
                    _ => None,
                };
                for device in self.slots.iter_mut() {
                    if let (Device::Can(can), Some(filters)) = (device, &filters) {
                        can.take_filters(filters);
                    }
                }
            }
            // Attended to after all effects.
            Effect::Outside => {}
            Effect::Trigger { signal, high } => self.trigger(slot, signal, high, context),
            Effect::Measure { pin, at } => self.measure(slot, pin, at, context),
            Effect::Voltages => self.compare_voltages(context),
            Effect::Converter { to, message } => self.tell_converters(slot, to, message, context),
            Effect::Heard { block } => {
                let slot = self.slots.iter().position(|(instance, _)| instance.name == block);
                self.at(slot, context, |device, env| device.heard(env));
            }
            Effect::PinRoles { port } => self.hand_roles(port, context),
            Effect::Event { address } => self.at(self.wiring.layout.known.interconnect, context, |device, env| {
                if let Device::NrfPpi(ppi) = device {
                    ppi.hear(address, env);
                }
            }),
            Effect::Task { address } => self.start_task(address, context),
            Effect::DrivePin { pin, level } => {
                self.on_port(pin.port, context, |port, env| port.force(pin.number, level, env));
            }
            Effect::SystemOff => self.switch_off(context),
        }
    }

    /// The converter in `slot` gets the voltage that `pin` had at `at`: what a stimulus or another converter puts there, else
    /// what its level amounts to. A pin that floats is named and reads 0 V, as a discharged input would.
    fn measure(&mut self, slot: usize, pin: Pin, at: Picoseconds, context: &mut Context<'_>) {
        let supply = self.outside().supply();
        let held = || self.port(pin.port).and_then(|port| port.held(pin.number));
        let applied = self.outside().voltage(pin, at);
        let is_cut_off = self.slots.instance(slot).map.kind == "adc"
            && self.port(pin.port).is_some_and(|port| !port.reaches_converter(pin.number));
        let voltage = applied.or_else(|| held().map(|high| if high { supply } else { 0 })).filter(|_| !is_cut_off);
        if voltage.is_none() {
            let name = self.slots.instance(slot).name;
            context.gap(GapKind::Setting, &format!("{name}: nothing drives {pin}, which reads 0 V"));
        }
        self.at(Some(slot), context, |device, env| {
            if let Some(converter) = device.converter_mut() {
                converter.measured(voltage.unwrap_or(0), env);
            }
        });
    }

    /// Comparators look at their inputs.
    pub(super) fn compare_voltages(&mut self, context: &mut Context<'_>) {
        let layout = Arc::clone(&self.wiring.layout);
        for slot in &layout.known.comparators {
            self.at(Some(*slot), context, |device, env| {
                if let Some(comparator) = device.comparator_mut() {
                    comparator.compare(env);
                }
            });
        }
    }

    /// A message of the block in `slot` to converters of its group, itself left out. A block that is no converter reaches all.
    fn tell_converters(&mut self, slot: usize, to: Receiver, message: Message, context: &mut Context<'_>) {
        let layout = Arc::clone(&self.wiring.layout);
        let sender = layout.known.converters.iter().find(|known| known.slot == slot);
        for other in &layout.known.converters {
            let meant = match to {
                Receiver::Number(wanted) => other.number == Some(wanted),
                Receiver::Converters => other.number.is_some(),
                Receiver::Common => other.number.is_none(),
            };
            let together = sender.is_none_or(|sender| sender.group == other.group);
            if meant && together && other.slot != slot {
                self.at(Some(other.slot), context, |device, env| {
                    if let Some(converter) = device.converter_mut() {
                        converter.told(message, env);
                    }
                });
            }
        }
    }

    /// A trigger of the block in `slot` reaches those that hear it.
    fn trigger(&mut self, slot: usize, signal: &str, high: bool, context: &mut Context<'_>) {
        let block = self.slots.instance(slot).name;
        let hearers = self.slots.wires.triggers.change(block, signal, high);
        for (slot, input) in hearers {
            self.slots.with(usize::from(slot), context, |device, env| device.triggered(input, high, env));
        }
    }

    /// An interconnect starts the task whose register is at `address`: tasks have the first registers of a block.
    fn start_task(&mut self, address: u32, context: &mut Context<'_>) {
        const TASKS: u32 = 0x100;
        let slot = self.wiring.layout.slot(address);
        let offset = slot.map_or(TASKS, |slot| address - self.slots.instance(slot).address);
        self.at(slot.filter(|_| offset < TASKS), context, |device, env| device.write(offset, Write::word(1), env));
    }

    /// The block that is the port of number `port`.
    pub(super) fn port(&self, port: u8) -> Option<&dyn Port> {
        self.wiring.layout.port(port).and_then(|slot| self.slots[slot].port())
    }

    /// Lets the port of number `port` do something, if there is one.
    pub(super) fn on_port(
        &mut self,
        port: u8,
        context: &mut Context<'_>,
        act: impl FnOnce(&mut dyn Port, &mut Env<'_, '_>),
    ) {
        self.at(self.wiring.layout.port(port), context, |device, env| {
            if let Some(port) = device.port_mut() {
                act(port, env);
            }
        });
    }

    /// Moves everything that counts time from the old clocks to the new ones.
    fn change_clocks(&mut self, context: &mut Context<'_>) {
        let Some(slot) = self.wiring.layout.known.clock else { return };
        self.refine(slot, context);
        let Some(control) = self.slots[slot].clock_control() else { return };
        let (tree, usb) = (control.tree(self.clocks()), control.usb_clock(self.clocks()));
        self.slots.wires.shared.set_usb(usb);
        let old = *self.clocks().tree();
        let rewired = self.choose_kernel_clocks(slot);
        if tree != old || rewired {
            self.slots.change(old, context, |clocks, context| clocks.switch(context.now, tree));
            self.clock_changed(context);
        }
        self.at(Some(slot), context, |device, env| {
            if let Some(control) = device.clock_control_mut() {
                control.settled(env);
            }
        });
    }

    /// Makes the unit of time fit the loops that run.
    fn refine(&mut self, clock: usize, context: &mut Context<'_>) {
        let plls = self.slots[clock].clock_control().map(|control| control.plls(self.clocks())).unwrap_or_default();
        for pll in plls {
            match self.slots.wires.shared.refine(pll) {
                Some(1) => {}
                Some(times) => {
                    self.slots.wires.waves.refine(times);
                    self.slots.wires.squares.refine(times);
                    self.slots.iter_mut().for_each(|device| device.refine(times));
                }
                None => context.gap(
                    GapKind::Setting,
                    "the period of a PLL is rounded: its factors have no common unit of time that is exact",
                ),
            }
        }
    }

    /// Hands the peripherals their kernel clocks; whether that may have changed something.
    fn choose_kernel_clocks(&mut self, clock: usize) -> bool {
        let chosen: Vec<Source> = (self.slots.iter())
            .map(|(instance, _)| {
                let control = self.slots[clock].clock_control();
                control.and_then(|control| control.kernel_clock(instance)).unwrap_or(instance.clock.source())
            })
            .collect();
        let mut changed = false;
        for (device, clock) in self.slots.iter_mut().zip(chosen) {
            changed |= device.set_kernel_clock(clock);
        }
        changed
    }

    fn reset_peripherals(&mut self, offset: u16, bits: u32, context: &mut Context<'_>) {
        self.slots.each(context, |device, env| {
            if env.instance.reset.is_some_and(|reset| reset.offset == offset && bits & 1 << reset.bit != 0) {
                device.reset(env);
            }
        });
    }

    /// The pins that `signal` of the block in `slot` reaches show its level.
    pub(super) fn output(&mut self, slot: usize, signal: &str, level: Option<bool>, context: &mut Context<'_>) {
        let instance = self.slots.instance(slot);
        for wired in instance.pins.iter().filter(|wired| wired.signal == signal) {
            if self.is_switched(slot, wired) {
                self.on_port(wired.port, context, |port, env| port.drive_alternate(wired.pin, level, env));
            }
        }
    }

    /// The pins of an input of the block in `slot`, which the outside drives, show its level.
    pub(super) fn input(&mut self, slot: usize, signal: &str, high: bool, context: &mut Context<'_>) {
        let instance = self.slots.instance(slot);
        for wired in instance.pins.iter().filter(|wired| wired.signal == signal) {
            if self.is_switched(slot, wired) || self.reads(slot, wired) {
                self.on_port(wired.port, context, |port, env| port.apply(wired.pin, Some(high), env));
            }
        }
    }

    /// Tells whether the pin is switched to the function by its port and, if a field moves the peripheral, by that field too.
    fn is_switched(&self, slot: usize, wired: &AlternateFunction) -> bool {
        if wired.function == AlternateFunction::CHOSEN {
            return self.slots[slot].chosen_pin(wired.signal) == Some(Pin { port: wired.port, number: wired.pin });
        }
        let switched = wired.function != AlternateFunction::ANALOG
            && self.port(wired.port).is_some_and(|port| port.is_switched_to(wired.pin, wired.function));
        switched && self.is_moved_here(self.slots.instance(slot), wired)
    }

    /// Tells whether the field that moves the peripheral's pins, if there is one, has the function's value.
    fn is_moved_here(&self, instance: &Instance, wired: &AlternateFunction) -> bool {
        let Some((remap, slot)) = instance.remap.zip(self.wiring.layout.known.remap) else { return true };
        let value = self.slots[slot].bank().map_or(0, |bank| bank.get(u32::from(remap.offset)));
        value >> remap.low & ((1 << remap.width) - 1) == u32::from(wired.function)
    }

    /// A port's data block hears from its control block what its pins are.
    fn hand_roles(&mut self, port: u8, context: &mut Context<'_>) {
        let roles = match self.wiring.layout.port_control(port).map(|slot| &self.slots[slot]) {
            Some(Device::KinetisPort(control)) => control.roles(),
            _ => return,
        };
        self.at(self.wiring.layout.port(port), context, |device, env| {
            if let Device::KinetisGpio(gpio) = device {
                gpio.set_roles(roles, env);
            }
        });
        self.pins_switched(port, context);
    }

    /// The debug port's pins go where AFIO says.
    fn give_debug_pins(&mut self, port: u8, context: &mut Context<'_>) {
        let pins = match self.wiring.layout.known.remap.map(|slot| &self.slots[slot]) {
            Some(Device::AfioF1(afio)) => afio.debug_pins(port),
            _ => return,
        };
        self.at(self.wiring.layout.port(port), context, |device, env| {
            if let Device::GpioV1(gpio) = device {
                gpio.give_to_debug(pins, env);
            }
        });
    }

    /// Works out anew which peripheral drives which pin of the port.
    fn pins_switched(&mut self, port: u8, context: &mut Context<'_>) {
        self.give_debug_pins(port, context);
        self.slots.wires.squares.forget();
        for pin in 0..self.port(port).map_or(0, Port::pins) {
            let level = self.slots.iter().enumerate().find_map(|(slot, (instance, device))| {
                let here = instance.pins.iter().filter(|wired| (wired.port, wired.pin) == (port, pin));
                let wires = &self.slots.wires;
                here.filter(|wired| self.is_switched(slot, wired))
                    .filter_map(|wired| {
                        let (slot, signal) = (slot as u16, wired.signal);
                        let played = wires.waves.level(slot, signal).or_else(|| wires.squares.level(slot, signal));
                        played.or_else(|| device.output(signal))
                    })
                    .next()
            });
            self.on_port(port, context, |port, env| port.drive_alternate(pin, level, env));
        }
        self.show_levels(port, context);
        self.find_inputs();
        self.reroute();
    }

    /// Timers and serial ports that read a pin of the port now, and did not before, see its level.
    fn show_levels(&mut self, port: u8, context: &mut Context<'_>) {
        let layout = Arc::clone(&self.wiring.layout);
        let Some((levels, pins)) = self.port(port).map(|port| (port.levels(), port.pins())) else { return };
        for number in 0..pins {
            let high = levels >> (number & 31) & 1 != 0;
            for (slot, index) in layout.inputs(Pin { port, number }) {
                let unseen = self.slots[*slot].seen(*index).is_some_and(|seen| seen != Some(high));
                if unseen && self.is_read(*slot, *index) {
                    self.slots.with(*slot, context, |device, env| device.input(*index, high, env));
                }
            }
        }
    }

    /// Finds out anew which pins the inputs have that blocks look at.
    fn find_inputs(&mut self) {
        let mut inputs = Vec::new();
        for (slot, (instance, device)) in self.slots.iter().enumerate() {
            let names: &[&str] = match device {
                Device::SpiV1(_) | Device::SpiV3(_) | Device::KinetisSpi(_) => &["NSS", "PCS0", "SCK", "MOSI", "MISO"],
                Device::RpPwm(_) => &["B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7"],
                Device::NrfSerial(_) | Device::RpSpi(_) => &["SCK", "MOSI", "MISO", "CSN"],
                Device::UsartV1(_)
                | Device::UsartV4(_)
                | Device::NrfUarte(_)
                | Device::Pl011(_)
                | Device::EspUart(_) => &["CTS"],
                _ => continue,
            };
            let data = instance.pins.iter().filter(|wired| names.contains(&wired.signal));
            let here = data.filter(|wired| self.is_switched(slot, wired) || self.reads(slot, wired));
            inputs.extend(here.map(|wired| (slot as u16, wired.signal, Pin { port: wired.port, number: wired.pin })));
        }
        self.slots.wires.inputs = inputs;
    }

    /// The pins that `signal` of the block in `slot` reaches at the moment.
    pub(super) fn pins_of(&self, slot: usize, signal: &'static str) -> impl Iterator<Item = Pin> {
        let instance = self.slots.instance(slot);
        let wired = instance.pins.iter().filter(move |wired| wired.signal == signal);
        wired
            .filter(move |wired| self.is_switched(slot, wired))
            .map(|wired| Pin { port: wired.port, number: wired.pin })
    }

    /// Tells if an edge of `pin` would reach anything but observers.
    pub(super) fn is_heard(&self, pin: Pin) -> bool {
        let layout = &self.wiring.layout;
        let line = layout.known.edges.filter(|slot| {
            let listens = self.slots[*slot].edge_lines().is_some_and(|edges| edges.listens(pin.number));
            listens && self.chosen_port(*slot, pin.number) == Some(pin.port)
        });
        let control = layout.port_control(pin.port).filter(|slot| match &self.slots[*slot] {
            Device::KinetisPort(control) => control.listens(pin.number),
            _ => true,
        });
        let events = layout.known.pin_events.map(|slot| &self.slots[slot]);
        let decoder = layout.known.decoder.map(|slot| &self.slots[slot]);
        let port_senses = self.port(pin.port).is_some_and(|port| port.senses(pin.number));
        line.is_some()
            || control.is_some()
            || port_senses
            || matches!(events, Some(Device::NrfGpiote(gpiote)) if gpiote.listens(pin))
            || matches!(decoder, Some(Device::NrfQdec(decoder)) if decoder.listens(pin))
            || layout.known.pios.iter().any(|slot| matches!(&self.slots[*slot], Device::RpPio(pio) if pio.listens()))
            || self.outside().hears(pin)
            || layout.inputs(pin).iter().any(|(slot, index)| self.would_hear(*slot, *index))
    }

    /// Tells if the block in `slot` reads the pin of its signal `index`.
    fn is_read(&self, slot: usize, index: usize) -> bool {
        self.reads(slot, &self.slots.instance(slot).pins[index])
    }

    /// Tells if a block reads the pin of `wired`.
    fn reads(&self, slot: usize, wired: &AlternateFunction) -> bool {
        if wired.function == AlternateFunction::CHOSEN {
            return self.is_switched(slot, wired);
        }
        let reads = self.port(wired.port).is_some_and(|port| port.is_read_by(wired.pin, wired.function));
        reads && self.is_moved_here(self.slots.instance(slot), wired)
    }

    /// The block's signal that has the wire to a device's pin `name` at the moment. A pin may have several: the one of that
    /// name is meant; a controller on SPI may only read its input.
    pub(super) fn signal_on(&self, wire: &Wire, name: &str) -> Option<Route> {
        match wire {
            Wire::Pin(pin) => {
                let routes = self.slots.iter().enumerate().flat_map(|(slot, (instance, _))| {
                    let here =
                        instance.pins.iter().filter(move |wired| (wired.port, wired.pin) == (pin.port, pin.number));
                    here.filter_map(move |wired| {
                        // A node on CAN names the part's two signals, a wire from one pin to another its ends.
                        let named = match name {
                            "a" | "b" => ["TX", "TXD", "RX", "RXD", "MOSI", "MISO"].contains(&wired.signal),
                            _ => wired.signal.eq_ignore_ascii_case(name.strip_prefix("can_").unwrap_or(name)),
                        };
                        let is_input = ["miso", "a", "b"].contains(&name);
                        let reached = self.is_switched(slot, wired) || named && is_input && self.reads(slot, wired);
                        let reached = reached && (named || !["a", "b"].contains(&name));
                        // Over one line a target answers where it listens.
                        let one_line = name == "miso" && wired.signal == "MOSI";
                        let rank = [named, one_line, true].iter().position(|fits| *fits);
                        reached.then_some((rank, (slot as u16, wired.signal)))
                    })
                });
                routes.min_by_key(|(rank, _)| *rank).map(|(_, route)| route)
            }
            Wire::Signal { peripheral, signal } => {
                let instances = || self.slots.iter().map(|(instance, _)| instance).enumerate();
                // The only CAN of a part bears no number.
                let is = |name: &str| name == peripheral || name == "CAN" && peripheral == "CAN1";
                let exact = instances().find(|(_, instance)| is(instance.name) || has_interface(instance, peripheral));
                // Of USB blocks a short name does; the last is the one for full speed.
                let usb = || instances().filter(|(slot, _)| self.slots[*slot].usb().is_some());
                let short = |name: &str| name.starts_with(peripheral.as_str()) || name.ends_with(peripheral.as_str());
                let (slot, instance) = exact.or_else(|| usb().filter(|(_, instance)| short(instance.name)).last())?;
                let wired = instance.pins.iter().find(|wired| wired.signal == signal).map(|wired| wired.signal);
                // DP and DM of some parts are no alternate functions, which the metadata lists alone.
                let fixed =
                    self.slots[slot].usb().and_then(|_| ["DP", "DM"].into_iter().find(|name| *name == signal.as_str()));
                Some((slot as u16, wired.or(fixed)?))
            }
        }
    }

    /// The pin that the program gives to the signal at the other end of `wire`, to drive it or to read it.
    pub(super) fn pin_of_signal(&self, wire: &Wire) -> Option<Pin> {
        let Wire::Signal { peripheral, signal } = wire else { return None };
        let slot = self
            .slots
            .iter()
            .position(|(instance, _)| instance.name == peripheral || has_interface(instance, peripheral))?;
        let instance = self.slots.instance(slot);
        let mut wired = instance.pins.iter().filter(|wired| wired.signal == signal);
        let wired = wired.find(|wired| self.is_switched(slot, wired) || self.reads(slot, wired))?;
        Some(Pin { port: wired.port, number: wired.pin })
    }

    /// The blocks that have `pin` or read it.
    pub(super) fn blocks_reached(&self, pin: Pin) -> Vec<u16> {
        let here = |wired: &&AlternateFunction| (wired.port, wired.pin) == (pin.port, pin.number);
        let slots = self.slots.iter().enumerate().filter(|(slot, (instance, _))| {
            let slot = *slot;
            let mut wired = instance.pins.iter().filter(here);
            wired.any(|wired| self.is_switched(slot, wired) || self.reads(slot, wired))
        });
        slots.map(|(slot, _)| slot as u16).collect()
    }

    /// Tells if the block in `slot` would do anything at an edge of its signal `index`.
    fn would_hear(&self, slot: usize, index: usize) -> bool {
        let shared = self.outside().is_shared(slot as u16);
        let device = &self.slots[slot];
        (device.hears(index) || shared && device.hears_shared(index)) && self.is_read(slot, index)
    }

    /// An edge at a pin's input reaches EXTI and the timers.
    fn pin_changed(&mut self, port: u8, pin: u8, high: bool, context: &mut Context<'_>) {
        if self.playing == Some(false) {
            return;
        }
        self.tell_outside(Pin { port, number: pin }, high, context);
        self.pad_changed(port, pin, high, context);
        let layout = Arc::clone(&self.wiring.layout);
        let edges = layout.known.edges.filter(|slot| self.chosen_port(*slot, pin) == Some(port));
        self.at(edges, context, |device, env| {
            if let Some(edges) = device.edge_lines_mut() {
                edges.edge(pin, high, env);
            }
        });
        self.at(layout.port_control(port), context, |device, env| {
            if let Device::KinetisPort(control) = device {
                control.edge(pin, high, env);
            }
        });
        self.at(layout.known.pin_events, context, |device, env| {
            if let Device::NrfGpiote(gpiote) = device {
                gpiote.edge(Pin { port, number: pin }, high, env);
            }
        });
        self.at(layout.known.decoder, context, |device, env| {
            if let Device::NrfQdec(decoder) = device {
                decoder.edge(Pin { port, number: pin }, high, env);
            }
        });
        for (slot, index) in layout.inputs(Pin { port, number: pin }) {
            // A timer keeps the levels of its pins, for when it begins to listen.
            let keeps = self.slots[*slot].seen(*index).is_some() && self.is_read(*slot, *index);
            if keeps || self.would_hear(*slot, *index) {
                self.slots.with(*slot, context, |device, env| device.input(*index, high, env));
            }
        }
    }

    /// A level of a pin reaches the additional functions there, whatever the port says.
    fn pad_changed(&mut self, port: u8, pin: u8, high: bool, context: &mut Context<'_>) {
        let pads = self.wiring.layout.soc.family.pads.iter();
        for pad in pads.filter(|pad| (pad.port, pad.pin) == (port, pin)) {
            let slot = self.slots.iter().position(|(instance, _)| instance.name == pad.block);
            self.at(slot, context, |device, env| device.set_pad(pad.signal, high, env));
        }
    }

    /// The port whose pin feeds the external interrupt `line`: EXTI's own choice, or EXTICR of SYSCFG or AFIO, which
    /// has four bits a line from offset 8 on (RM0390, SYSCFG_EXTICR1; RM0008, AFIO_EXTICR1).
    fn chosen_port(&self, edges: usize, line: u8) -> Option<u8> {
        self.slots[edges].edge_lines()?.selected_port(line).or_else(|| {
            let line = u32::from(line & 15);
            let exticr = self.slots[self.wiring.layout.known.port_choice?].bank()?.get(8 + line / 4 * 4);
            Some((exticr >> (line % 4 * 4) & 15) as u8)
        })
    }
}

/// Tells if the block of an nRF part has the interface `name` among others.
fn has_interface(instance: &Instance, name: &str) -> bool {
    instance.map.version == "nrf52" && is_interface_of(instance.name, name)
}
