//! The peripherals of an AVR part: one concrete type for all of them.
//!
//! Declared registers and bits that are not modelled are handled here, for all blocks alike: they are stored, and named as a gap.

mod effects;
mod layout;

use std::sync::Arc;

use cyclescope_avr::{AvrPeripherals, DATA_SPACE, StoreProgram};
use cyclescope_machine::units::{Address, Cycles, Hertz};
use cyclescope_machine::{Access, BusFault, Context, EventId, GapKind, Pin, Still, Timebase, Wire};
use cyclescope_peripherals::avr::system::reset_flag;
use cyclescope_peripherals::avr::{Avr, Device, Effect, Instance, Kind, Shared, spi, twi, usb};
use cyclescope_peripherals::framework::AnyDevice;
use cyclescope_peripherals::wires::Route;
use cyclescope_peripherals::{Access as RegisterAccess, Block, Slots};

use self::layout::{Entry, Layout};
use super::AvrPart;
use crate::owner::{Named, Owner, Wiring};

/// The peripherals of an AVR part.
pub type AvrDevices = Owner<DataSpace>;

/// The I/O registers of an AVR part by data address, and the connections between its blocks.
#[derive(Clone, Debug)]
pub struct DataSpace {
    part: &'static AvrPart,
    layout: Arc<Layout>,
    /// By data address: bits that no block models.
    stored: [u8; 256],
}

impl AvrDevices {
    /// The peripherals of `part` after power-on, on a board with a crystal of `crystal` hertz that puts the levels `board`
    /// on pins until a stimulus says otherwise.
    pub fn new(part: &'static AvrPart, crystal: Hertz, board: &[(Pin, bool)]) -> Self {
        let instances = part.instances.iter();
        let slots = Slots::new(instances.clone().collect(), instances.map(Device::new).collect(), Shared::new(crystal));
        Self::of(slots, DataSpace { part, layout: Arc::new(Layout::new(part)), stored: [0; 256] }, board)
    }

    /// Puts into effect what holds from power-on, before the first instruction.
    pub fn start(&mut self, context: &mut Context<'_>) {
        self.slots.wires.shared.reset_flags = reset_flag::PORF;
        self.reset_all(context);
        self.apply_board(context);
    }

    /// A reset for the reason `cause`, as a device gave it: the flag in MCUSR follows from it. How long the part then takes
    /// to its first instruction is for the machine to add ([`AvrPart::reset_delay`]).
    pub fn reset(&mut self, cause: &str, context: &mut Context<'_>) {
        self.slots.wires.shared.reset_flags |= match cause {
            "power-on" => reset_flag::PORF,
            "pin" => reset_flag::EXTRF,
            "brown-out" => reset_flag::BORF,
            // No flag tells of it (7766J, 8.3.1).
            usb::END_OF_RESET => 0,
            // Nothing else in a part of this family resets it but the watchdog.
            _ => reset_flag::WDRF,
        };
        self.reset_all(context);
    }

    fn reset_all(&mut self, context: &mut Context<'_>) {
        if self.slots.wires.shared.io.is_stopped() {
            self.slots.wires.shared.resume_io(context);
        }
        self.slots.each(context, |_, env| env.cancel_all());
        self.slots.wires.effects.clear();
        for (address, entry) in self.wiring.layout.entries.iter().enumerate() {
            self.wiring.stored[address] = entry.reset;
        }
        self.slots.each(context, |device, env| device.reset(env));
        self.carry_out(context);
    }

    /// Writes `bytes` into the EEPROM from byte `offset` on, as a programmer does; what goes beyond it is lost.
    pub fn load_eeprom(&mut self, offset: u32, bytes: &[u8]) {
        for device in self.slots.iter_mut() {
            if let Device::Eeprom(eeprom) = device {
                eeprom.load(offset, bytes);
            }
        }
    }

    /// The part.
    pub fn part(&self) -> &'static AvrPart {
        self.wiring.part
    }

    /// The core's clock at the moment: the crystal's, divided as CLKPR says.
    pub fn hclk(&self) -> Hertz {
        self.slots.wires.shared.clock.frequency()
    }

    /// The I/O register that an access goes to.
    fn address(access: Access) -> Result<u8, BusFault> {
        let address = access.address.get().wrapping_sub(DATA_SPACE);
        u8::try_from(address).map_err(|_| BusFault::Unmapped(access.address))
    }

    /// The block in `slot`, if its clock runs; if not, that is noted: its registers cannot be read or written then
    /// (8271H §10.9, 7766J §7.8).
    fn clocked(&self, slot: usize, context: &mut Context<'_>) -> bool {
        let instance = &self.wiring.part.instances[slot];
        let on = self.slots.wires.shared.powered(instance);
        if !on {
            context.gap(GapKind::Setting, &format!("power reduction has stopped {}", instance.name));
        }
        on
    }

    /// Names the register at `address`, of which nothing is modelled, or the hole that is there.
    #[cold]
    fn name_register(&self, kind: GapKind, address: u8, context: &mut Context<'_>) {
        match self.wiring.part.register(address) {
            // Reading what software writes gives what was written.
            Some(register) if kind == GapKind::RegisterRead && register.access == RegisterAccess::ReadWrite => {
                context.quiet_gap(kind, register.name);
            }
            Some(register) => context.gap(kind, register.name),
            None => context.gap(kind, &format!("no register at {address:#04x}")),
        }
    }

    /// Names the fields at `address` that `bits` belong to.
    #[cold]
    fn name_fields(&self, address: u8, bits: u8, context: &mut Context<'_>) {
        let Some(register) = self.wiring.part.register(address) else { return };
        for field in register.fields.iter().filter(|field| field.mask() & u32::from(bits) != 0) {
            if field.name == register.name {
                context.gap(GapKind::RegisterWrite, register.name);
            } else {
                context.gap(GapKind::RegisterWrite, &format!("{}.{}", register.name, field.name));
            }
        }
    }

    /// Stores the bits in `lanes` of `value` that no block models; those that differ from their reset value are gaps.
    fn store(&mut self, address: u8, entry: Entry, value: u8, lanes: u8, context: &mut Context<'_>) {
        let free = entry.declared & !entry.modelled & lanes;
        let stored = &mut self.wiring.stored[usize::from(address)];
        *stored = *stored & !free | value & free;
        let unmodelled = (value ^ entry.reset) & free;
        if unmodelled != 0 {
            self.name_fields(address, unmodelled, context);
        }
    }
}

impl Wiring for DataSpace {
    type Bus = Avr;
    type Device = Device;

    fn read(owner: &mut AvrDevices, access: Access, context: &mut Context<'_>) -> Result<u32, BusFault> {
        let address = AvrDevices::address(access)?;
        let entry = owner.wiring.layout.entries[usize::from(address)];
        let stored = owner.wiring.stored[usize::from(address)] & entry.declared & !entry.modelled;
        let Some(slot) = entry.slot() else {
            owner.name_register(GapKind::RegisterRead, address, context);
            return Ok(u32::from(stored));
        };
        if !owner.clocked(slot, context) {
            return Ok(0);
        }
        if !owner.slots.wires.waves.is_empty() && matches!(owner.slots[slot], Device::Port(_)) {
            owner.play(context);
        }
        let value = owner.slots.with(slot, context, |device, env| device.read(entry.register, env));
        Ok(u32::from(value & entry.modelled | stored))
    }

    fn still(owner: &AvrDevices, access: Access) -> Option<Still> {
        let entry = owner.wiring.layout.entries[usize::from(AvrDevices::address(access).ok()?)];
        let (slot, shared) = (entry.slot()?, &owner.slots.wires.shared);
        // A port that is read plays the waves of signals first that nobody hears.
        let played = !owner.slots.wires.waves.is_empty() && matches!(owner.slots[slot], Device::Port(_));
        if played || !shared.powered(&owner.wiring.part.instances[slot]) || shared.io.is_stopped() {
            return None;
        }
        let until = owner.slots.still(slot, entry.register, shared.io.at(access.at))?;
        Some(if until == u64::MAX { Still::ALWAYS } else { Still::until(shared.io.cycle(until).get()) })
    }

    fn register(owner: &AvrDevices, address: Address) -> Option<Named> {
        let address = u8::try_from(address.get().wrapping_sub(DATA_SPACE)).ok()?;
        let register = owner.wiring.part.register(address)?;
        Some(Named { name: register.name.to_owned(), fields: register.fields, shift: 0 })
    }

    fn write(owner: &mut AvrDevices, access: Access, value: u32, context: &mut Context<'_>) -> Result<(), BusFault> {
        let address = AvrDevices::address(access)?;
        let entry = owner.wiring.layout.entries[usize::from(address)];
        let value = value as u8;
        if entry.declared == 0 {
            owner.name_register(GapKind::RegisterWrite, address, context);
            return Ok(());
        }
        if let Some(slot) = entry.slot() {
            if !owner.clocked(slot, context) {
                return Ok(());
            }
            let modelled = value & entry.declared & entry.modelled;
            owner.slots.with(slot, context, |device, env| device.write(entry.register, modelled, env));
            owner.carry_out(context);
        }
        if entry.declared & !entry.modelled != 0 {
            owner.store(address, entry, value, u8::MAX, context);
        }
        Ok(())
    }

    fn effect(owner: &mut AvrDevices, _: usize, effect: Effect, context: &mut Context<'_>) {
        owner.carry_out_effect(effect, context);
    }

    fn timebase(owner: &AvrDevices) -> Timebase {
        owner.slots.wires.shared.clock.timebase()
    }

    fn event(owner: &mut AvrDevices, id: EventId, _: &mut Context<'_>) -> bool {
        owner.slots.wires.shared.has_come(id);
        false
    }

    fn apply(owner: &mut AvrDevices, pin: Pin, high: Option<bool>, context: &mut Context<'_>) {
        owner.on_port(pin.port, context, |port, env| port.apply(pin.number, high, 0, env));
    }

    fn show(owner: &mut AvrDevices, slot: usize, signal: u8, high: bool, context: &mut Context<'_>) {
        let instance = &owner.wiring.part.instances[slot];
        if (instance.kind, usize::from(signal)) == (Kind::Spi, spi::pin::MISO) {
            // What the target sends comes from outside.
            if let Some(Some(pin)) = instance.outputs.get(spi::pin::MISO) {
                owner.on_port(pin.port, context, |port, env| port.apply(pin.number, Some(high), 0, env));
            }
            return;
        }
        owner.slots.with(slot, context, |_, env| match env.instance.kind {
            Kind::Twi => twi::show(usize::from(signal), high, env),
            _ => env.output(usize::from(signal), Some(high)),
        });
    }

    fn hears(owner: &AvrDevices, slot: usize, signal: u8) -> bool {
        let outputs = owner.wiring.part.instances[slot].outputs;
        outputs.get(usize::from(signal)).copied().flatten().is_some_and(|pin| owner.is_heard(pin))
    }

    fn route(owner: &AvrDevices, wire: &Wire, _: &str) -> Option<Route> {
        if let Wire::Signal { peripheral, signal } = wire
            && signal == "DP"
        {
            // D+ has a pin of its own, which is no pin of a port.
            let is_usb =
                |(instance, device): &(&Instance, &Device)| instance.name == peripheral && device.usb().is_some();
            return owner.slots.iter().position(|block| is_usb(&block)).map(|slot| (slot as u16, "DP"));
        }
        owner.signal_on(wire)
    }

    fn blocks_on(owner: &AvrDevices, pin: Pin) -> Vec<u16> {
        let slots = owner.slots.iter().enumerate();
        let there = |(_, (instance, _)): &(usize, (&'static Instance, &Device))| {
            instance.signals.iter().any(|(_, known)| *known == pin)
        };
        slots.filter(there).map(|(slot, _)| slot as u16).collect()
    }

    fn driven(owner: &AvrDevices, pin: Pin) -> Option<bool> {
        let shared = &owner.slots.wires.shared;
        shared.is_output(pin).then(|| shared.level(pin))
    }

    fn pulls_up(owner: &AvrDevices, pin: Pin) -> bool {
        let port = owner.wiring.layout.port(pin.port).map(|slot| &owner.slots[slot]);
        matches!(port, Some(Device::Port(port)) if port.pulls_up(pin.number))
    }

    fn voltage_applied(owner: &mut AvrDevices, context: &mut Context<'_>) {
        owner.carry_out_effect(Effect::ComparatorInputs, context);
    }

    fn fixed_pin(owner: &AvrDevices, peripheral: &str, signal: &str) -> Option<Pin> {
        owner.signal(peripheral, signal).map(|(.., pin)| pin)
    }

    fn level(owner: &AvrDevices, pin: Pin) -> bool {
        pin.number < 8 && owner.slots.wires.shared.level(pin)
    }
}

impl AvrPeripherals for AvrDevices {
    fn write_bit(&mut self, access: Access, bit: u8, high: bool, context: &mut Context<'_>) {
        let Ok(address) = Self::address(access) else { return };
        self.catch_up(context);
        let entry = self.wiring.layout.entries[usize::from(address)];
        let mask = 1 << (bit & 7);
        let Some(slot) = entry.slot().filter(|_| entry.modelled & mask != 0) else {
            if entry.declared == 0 {
                self.name_register(GapKind::RegisterWrite, address, context);
            }
            return self.store(address, entry, if high { mask } else { 0 }, mask, context);
        };
        if entry.declared & mask != 0 && self.clocked(slot, context) {
            self.slots.with(slot, context, |device, env| device.write_bit(entry.register, bit, high, env));
            self.carry_out(context);
        }
    }

    fn acknowledge(&mut self, vector: u8, context: &mut Context<'_>) {
        if let Some((slot, index)) = self.wiring.layout.owner(vector) {
            self.slots.with(slot, context, |device, env| device.acknowledge(index, env));
            self.carry_out(context);
        }
    }

    fn watchdog_reset(&mut self, context: &mut Context<'_>) {
        self.slots.each(context, |device, env| device.watchdog_reset(env));
        self.carry_out(context);
    }

    fn store_program(&mut self, store: StoreProgram, context: &mut Context<'_>) -> Cycles {
        let Some(slot) = self.wiring.layout.flash else { return Cycles::ZERO };
        let halted = self.slots.with(slot, context, |device, env| match device {
            Device::SelfProgramming(flash) => flash.store(store.address, store.word, env),
            _ => 0,
        });
        self.carry_out(context);
        Cycles::new(halted)
    }

    fn halted(&mut self) -> Cycles {
        std::mem::take(&mut self.slots.wires.shared.halt)
    }

    fn vector_base(&self) -> Address {
        Address::new(if self.slots.wires.shared.vectors_in_boot_section { self.wiring.part.sections.boot } else { 0 })
    }

    fn sleep_mode(&mut self, asleep: bool, mode: u8, context: &mut Context<'_>) {
        if asleep {
            if matches!(mode, 4 | 5) {
                context.gap(GapKind::Setting, "reserved sleep mode (SMCR.SM)");
            }
            // Of the clocks here only clkCPU stops in Idle (8271H table 10-1).
            if mode != 0 {
                self.slots.wires.shared.stop_io(self.wiring.part.instances.len(), context);
            }
        } else if self.slots.wires.shared.io.is_stopped() {
            self.slots.wires.shared.resume_io(context);
        }
        self.slots.each(context, |device, env| device.sleep(asleep.then_some(mode), env));
        if !asleep && let Some(row) = self.wiring.part.start_up(mode) {
            self.slots.wires.note(row);
        }
        self.carry_out(context);
    }

    fn start_up(&self, mode: u8) -> Cycles {
        let periods = self.wiring.part.start_up(mode).map_or(0, |row| u64::from(row.cycles));
        Cycles::new(periods.div_ceil(1 << self.slots.wires.shared.clock.shift()))
    }
}
