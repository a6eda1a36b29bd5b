//! The peripherals of a part: one concrete type for all parts.

mod dma;
mod effects;
mod layout;
mod master;
mod power;

use std::sync::Arc;

use cyclescope_machine::units::{Address, Cycles, Hertz};
use cyclescope_machine::{
    Access, BusFault, Context, EventId, FlashTiming, GapKind, Pin, Port, RamSlave, RegionKind, Signals, Still,
    Timebase, Width, Wire,
};
use cyclescope_peripherals::rp::aliased;
use cyclescope_peripherals::wires::Route;
use cyclescope_peripherals::{
    Access as RegisterAccess, Block, Clocks, Device, Effect, FlashControl, Instance, Instant, MemorySetting,
    Oscillators, Properties, ResetFlag, Slots, Source, Words, Write,
};

use self::dma::{ACCESS, Bridge, Moving, OPEN};
use self::layout::{Layout, spread};
use self::power::{RUN, STANDBY_LEFT, WAKE};
use crate::family::{Cost, Unclocked};
use crate::owner::{Named, Owner, Wiring};
use crate::part::{Part, Soc};

/// A program that reads blocks without a clock more often than this waits for one; start-up code looks a few times.
const MOST_UNCLOCKED_READS: u32 = 100;

/// The peripherals of a part whose registers are words.
pub type Devices = Owner<Matrix>;

/// The bus matrix of a part: its bridges, DMA requests and transfers.
#[derive(Clone, Debug)]
pub struct Matrix {
    part: Arc<Part>,
    layout: Arc<Layout>,
    /// DMA requests asked for now, one bit each.
    requests: u128,
    /// DMA transfers under way, at most one a controller.
    moving: Vec<Moving>,
    /// The bridges to the first and the second APB.
    bridges: [Bridge; 2],
    /// The number of reads from blocks whose clock was off.
    unclocked_reads: u32,
    /// The part is in Standby mode.
    standby: bool,
}

impl Devices {
    /// The peripherals `soc` of `part` after power-on; `setting` is chosen before a run.
    pub fn new(part: &Part, soc: &Soc, setting: MemorySetting) -> Self {
        let properties = Properties {
            setting,
            flash_bytes: part.flash.bytes.get(),
            sectors: &soc.sectors,
            full_usarts: soc.full_usarts,
            device_id: soc.device_id,
            clock: part.clock,
            conditioned_rng: soc.family.conditioned_rng,
        };
        let mut slots: Vec<Device> = soc.instances().map(|instance| Device::new(instance, &properties)).collect();
        connect_lines(part, soc, &mut slots);
        let instances: Arc<[&'static Instance]> = soc.instances().collect();
        let layout = Layout::new(soc, &instances, &slots);
        let (hsi, lsi) = soc.oscillators;
        let mut clocks = Clocks::new(Oscillators { hsi, lsi, hse: part.board.hse, lse: part.board.lse });
        if let Some(control) = layout.known.clock.and_then(|slot| slots[slot].clock_control()) {
            let tree = control.tree(&clocks);
            clocks.switch(Cycles::ZERO, tree);
        }
        let matrix = Matrix {
            part: Arc::new(part.clone()),
            layout: Arc::new(layout),
            requests: 0,
            moving: Vec::new(),
            bridges: <[Bridge; 2]>::default(),
            unclocked_reads: 0,
            standby: false,
        };
        Self::of(Slots::new(instances, slots, clocks), matrix, &part.board.levels)
    }

    /// Puts into effect what holds from power-on, before the first instruction: the flash's timing, the pins' pulls.
    pub fn start(&mut self, context: &mut Context<'_>) {
        if self.wiring.layout.known.flash.is_none() {
            context.memory.set_flash_timing(FlashTiming::IDEAL);
        }
        self.slots.each(context, |device, env| device.reset(env));
        // All else that a reset changes meets the clocks as it leaves them.
        self.slots.wires.effects.sort_by_key(|(_, effect)| !matches!(effect, Effect::ClocksChanged));
        self.carry_out(context);
        self.apply_board(context);
    }

    /// A system reset for the reason `cause`, as a device or the core gave it; the flag of the part's reset register follows from it.
    pub fn reset(&mut self, cause: &str, context: &mut Context<'_>) {
        let flag = match cause {
            cause if ["IWDG", "WDOG", "WDT", "WATCHDOG"].iter().any(|name| cause.starts_with(name)) => {
                ResetFlag::IndependentWatchdog
            }
            cause if cause.starts_with("WWDG") => ResetFlag::WindowWatchdog,
            "pin" => ResetFlag::Pin,
            STANDBY_LEFT => ResetFlag::Standby,
            _ => ResetFlag::Software,
        };
        if let Some(control) = self.wiring.layout.known.clock.and_then(|slot| self.slots[slot].clock_control_mut()) {
            control.note_reset(flag);
        }
        self.slots.wires.reset_flag = Some(flag);
        self.slots.wires.shared.run_from(context.now);
        context.events.cancel(RUN);
        if std::mem::take(&mut self.wiring.standby) {
            context.events.cancel(WAKE);
            let power = self.wiring.layout.known.power.and_then(|slot| self.slots[slot].power_control());
            if !power.is_some_and(|control| control.keeps_ram()) {
                let retained = match self.wiring.layout.known.clock.map(|slot| &self.slots[slot]) {
                    Some(Device::NrfClockPower(power)) => power.retained(),
                    _ => Vec::new(),
                };
                context.memory.ram.scramble(&retained);
            }
        }
        self.start(context);
    }

    /// The part.
    pub fn part(&self) -> &Part {
        &self.wiring.part
    }

    /// The core's clock at the moment.
    pub fn hclk(&self) -> Hertz {
        if self.wiring.layout.known.clock.is_none() {
            self.wiring.part.clock
        } else {
            self.clocks().frequency(Source::Hclk)
        }
    }

    /// The clock tree.
    pub fn clocks(&self) -> &Clocks {
        &self.slots.wires.shared
    }

    /// Describes in words how the firmware has set up the flash so far; `None` for a part without a flash interface.
    pub fn flash_settings_written(&self) -> Option<String> {
        self.flash().map(|flash| flash.settings_written(self.clocks()))
    }

    /// The memory setting chosen, for a part with a flash interface.
    pub fn memory_setting(&self) -> Option<MemorySetting> {
        self.flash().map(FlashControl::setting)
    }

    fn flash(&self) -> Option<&dyn FlashControl> {
        self.wiring.layout.known.flash.and_then(|slot| self.slots[slot].flash_control())
    }

    /// Tells whether the clock of the block in `slot` runs.
    fn clocked(&self, slot: usize) -> bool {
        let instance = self.slots.instance(slot);
        let Some((enable, slot)) = instance.enable.zip(self.wiring.layout.known.enables) else { return true };
        self.slots[slot].bank().is_some_and(|bank| bank.get(u32::from(enable.offset)) & 1 << enable.bit != 0)
    }

    /// An access, a `write` or a read, to a block without a clock. It is named where silicon might answer otherwise, and
    /// where a program reads so often that it must be waiting for the block.
    #[cold]
    fn access_unclocked(
        &mut self,
        slot: usize,
        address: u32,
        write: Option<Write>,
        context: &mut Context<'_>,
    ) -> Result<(), BusFault> {
        let instance = self.slots.instance(slot);
        let Some(bank) = self.slots[slot].bank() else { return self.unclocked(address) };
        let offset = (address - instance.address) & !3;
        let held = bank.get(offset);
        // In a block that nobody has used yet, a register that holds 0 is read, or one is written with what it holds.
        let register = bank.rows().iter().find(|row| row.register.offset == offset).map(|row| row.register.access);
        let as_if_clocked = bank.is_reset()
            && register.is_some_and(|access| access != RegisterAccess::ReadOnly)
            && write.map_or(0, |write| write.over(held)) == held;
        let certain = match (self.wiring.layout.soc.family.unclocked, write) {
            (Unclocked::Fault, _) => false,
            // No debugger is attached: whether its settings are taken changes nothing.
            (_, Some(_)) if instance.map.kind == "dbgmcu" => true,
            (_, None) if instance.map.kind == "dbgmcu" => held == 0,
            (Unclocked::Zero, None) => true,
            _ => as_if_clocked,
        };
        if write.is_none() {
            self.wiring.unclocked_reads = self.wiring.unclocked_reads.saturating_add(1);
        }
        if !certain || self.wiring.unclocked_reads > MOST_UNCLOCKED_READS {
            context.gap(GapKind::Setting, &format!("clock of {} is off", instance.name));
        }
        self.unclocked(address)
    }

    /// Answers an access to a block without a clock, as the family does.
    fn unclocked(&self, address: u32) -> Result<(), BusFault> {
        match self.wiring.layout.soc.family.unclocked {
            Unclocked::Fault => Err(BusFault::Unmapped(Address::new(address))),
            Unclocked::Zero | Unclocked::Unsaid => Ok(()),
        }
    }

    /// Tells if signals have levels that are played when somebody looks.
    fn plays(&self) -> bool {
        !self.slots.wires.waves.is_empty() || !self.slots.wires.squares.is_empty()
    }

    /// `address` without the part's mirror of its buses.
    #[inline]
    fn unmirrored(&self, address: u32) -> u32 {
        self.wiring.layout.soc.family.unmirrored(address)
    }

    /// The bits of `address` by which it is a further address of a register: those of the part's atomic aliases.
    #[inline]
    fn alias(&self, address: u32) -> u32 {
        let aliased = self.wiring.layout.soc.family.aliased;
        if aliased && matches!(address >> 28, 4 | 5) { address & 0x3000 } else { 0 }
    }

    fn read_word(&mut self, address: u32, width: Width, context: &mut Context<'_>) -> Result<u32, BusFault> {
        let address = address & !self.alias(address);
        let Some(slot) = self.wiring.layout.slot(address) else {
            return self.read_elsewhere(address, context);
        };
        if !self.clocked(slot) {
            return self.access_unclocked(slot, address, None, context).map(|()| 0);
        }
        let offset = (address - self.slots.instance(slot).address) & !self.sub_word();
        if self.plays() && self.slots[slot].port().is_some() {
            self.play(context);
        }
        (self.slots.wires.width, self.slots.wires.lane) = (width, (address & 3) as u8);
        let value = self.slots.with(slot, context, |device, env| device.read(offset, env));
        self.finish().map(|()| value)
    }

    /// The bits of an address that do not reach a block that is read.
    fn sub_word(&self) -> u32 {
        if self.wiring.layout.soc.family.reads_by_byte { 0 } else { 3 }
    }

    fn read_elsewhere(&self, address: u32, context: &mut Context<'_>) -> Result<u32, BusFault> {
        if self.wiring.layout.soc.family.factory.contains(&address) {
            let known = self
                .wiring
                .layout
                .soc
                .factory_word(address)
                .or_else(|| self.flash().and_then(|flash| flash.option_word(address)));
            if known.is_none() {
                context.gap(GapKind::RegisterRead, "system memory, the part's own boot loader");
            }
            return Ok(known.unwrap_or(0));
        }
        self.hole(GapKind::RegisterRead, address, context).map(|()| 0)
    }

    /// The manuals do not say how a bus answers where no block is: reads give 0 here and writes are lost.
    fn hole(&self, kind: GapKind, address: u32, context: &mut Context<'_>) -> Result<(), BusFault> {
        if let Some(absent) = self.wiring.layout.soc.family.absent_at(address) {
            context.gap(kind, &format!("{}, at {}", absent.name, Address::new(absent.from)));
            return Ok(());
        }
        let Some((_, segment)) = self.wiring.layout.soc.family.segment(address) else {
            return Err(BusFault::Unmapped(Address::new(address)));
        };
        let page = Address::new(if address < segment.blocks_to { address & !0x3FF } else { segment.blocks_to });
        context.gap(kind, &format!("no peripheral at {page}"));
        // A segment without any block is memory of which nothing is modelled.
        if segment.blocks_to > segment.from { self.unclocked(address) } else { Ok(()) }
    }

    fn write_word(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        context: &mut Context<'_>,
    ) -> Result<(), BusFault> {
        let alias = self.alias(address);
        let address = address & !alias;
        let found = self.wiring.layout.slot(address).zip(self.wiring.layout.soc.family.segment(address));
        let Some((slot, (_, segment))) = found else {
            return self.write_elsewhere(address, width, value, context);
        };
        let mut write = spread(segment.lanes, address, width, value);
        if !self.clocked(slot) {
            return self.access_unclocked(slot, address, Some(write), context);
        }
        let offset = (address - self.slots.instance(slot).address) & !3;
        if alias != 0 {
            let device = &self.slots[slot];
            let old = device.present(offset).or_else(|| device.bank().map(|bank| bank.get(offset))).unwrap_or(0);
            write = aliased(alias, write.value, old);
        }
        (self.slots.wires.width, self.slots.wires.lane) = (width, (address & 3) as u8);
        self.slots.with(slot, context, |device, env| device.write(offset, write, env));
        self.finish()
    }

    /// Stores into flash go to the flash interface.
    fn write_elsewhere(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        context: &mut Context<'_>,
    ) -> Result<(), BusFault> {
        if let Some(RegionKind::Flash(offset)) = context.memory.region(address) {
            let Some(slot) = self.wiring.layout.known.flash else {
                return Err(BusFault::ReadOnly(Address::new(address)));
            };
            self.slots.with(slot, context, |device, env| {
                if let Some(flash) = device.flash_control_mut() {
                    flash.store(offset, width, value, env);
                }
            });
            return self.finish();
        }
        if self.wiring.layout.soc.family.factory.contains(&address) {
            let Some(slot) = self.wiring.layout.known.flash else {
                return Err(BusFault::ReadOnly(Address::new(address)));
            };
            let taken = self.slots.with(slot, context, |device, env| {
                device.flash_control_mut().is_some_and(|flash| flash.store_option(address, width, value, env))
            });
            return if taken { self.finish() } else { Err(BusFault::ReadOnly(Address::new(address))) };
        }
        self.hole(GapKind::RegisterWrite, address, context)
    }

    /// Fills option bytes as a loader or a debug probe does; tells if all bytes have their place there.
    pub fn load_options(&mut self, address: Address, bytes: &[u8]) -> bool {
        let flash = self.wiring.layout.known.flash.map(|slot| &mut self.slots[slot]);
        flash.and_then(Device::flash_control_mut).is_some_and(|flash| flash.load_options(address.get(), bytes))
    }

    /// The cycles that the block in `slot` makes an access of the core at `at` wait.
    fn waits(&self, slot: usize, address: Address, at: Cycles) -> i32 {
        let offset = (address.get() - self.slots.instance(slot).address) & !3;
        let clocks = self.clocks();
        let answered = self.slots[slot].answers_at(offset, clocks.at(at), clocks).filter(|_| self.clocked(slot));
        let wait = answered.map_or(0, |answered| self.clocks().cycle(answered).saturating_sub(at).get());
        i32::try_from(wait).unwrap_or(i32::MAX)
    }

    /// The bus error that the block asked for, if it did.
    fn finish(&mut self) -> Result<(), BusFault> {
        self.slots.wires.fault.take().map_or(Ok(()), Err)
    }
}

/// Connects the lines of the external interrupts that no pin feeds, the tamper interrupt and that of a multiplexer of DMA requests
/// with their interrupts, and the real-time clock with its lines.
fn connect_lines(part: &Part, soc: &Soc, slots: &mut [Device]) {
    let named =
        |wanted: &dyn Fn(&str) -> bool| part.interrupts.iter().find(|(_, name)| wanted(name)).map(|(line, _)| *line);
    let detector = named(&|name| name.starts_with("PVD"));
    let overrun = named(&|name| name.contains("DMAMUX"));
    let rtc = soc.instances().find(|instance| instance.map.kind == "rtc");
    let of = |signal: &str| rtc.and_then(|instance| instance.line(signal));
    let [alarm, stamp, wake, tamper] = soc.family.rtc_lines;
    // Of STM32G0's one interrupt the metadata names the signal for tampering only.
    let signals = [(alarm, "ALARM"), (stamp, "TAMP"), (wake, "WKUP"), (tamper, "TAMP")];
    let lines = signals.map(|(line, signal)| (line, of(signal).or_else(|| of("TAMP").filter(|_| line == stamp))));
    // STM32F1's EXTI ends below line 21; its RTC and tamper pin have interrupts of their own.
    let own = rtc.is_some_and(|instance| instance.map.version == "v1");
    let guard = slots.iter().any(|device| device.power_control().is_some());
    let comparators: Vec<(u8, u8)> = (soc.instances().zip(slots.iter()))
        .filter_map(|(instance, device)| match device {
            Device::Comp(comp) => comp.line().zip(instance.line("WKUP")),
            _ => None,
        })
        .collect();
    for device in slots {
        match device {
            Device::BkpV1(bkp) => bkp.connect(of("TAMP")),
            Device::Rtc(rtc) => rtc.connect([alarm, stamp, wake], guard),
            Device::Tamp(tamp) => tamp.connect(tamper, guard),
            Device::Dmamux(mux) => overrun.into_iter().for_each(|line| mux.connect(line)),
            _ => {}
        }
        let Some(edges) = device.edge_lines_mut() else { continue };
        for (line, interrupt) in soc.family.supply_lines.iter().map(|line| (*line, detector)).chain(lines) {
            if let Some(interrupt) = interrupt.filter(|_| !own || line < 21) {
                edges.connect(line, interrupt);
            }
        }
        comparators.iter().for_each(|(line, interrupt)| edges.connect(*line, *interrupt));
    }
}

impl Wiring for Matrix {
    type Bus = Words;
    type Device = Device;

    fn read(owner: &mut Devices, access: Access, context: &mut Context<'_>) -> Result<u32, BusFault> {
        let address = owner.unmirrored(access.address.get());
        if !access.width.aligned(address) {
            return Err(BusFault::Width(access.address));
        }
        Ok(owner.read_word(address, access.width, context)? >> ((address & 3) * 8) & access.width.mask())
    }

    fn write(owner: &mut Devices, access: Access, value: u32, context: &mut Context<'_>) -> Result<(), BusFault> {
        let address = owner.unmirrored(access.address.get());
        if !access.width.aligned(address) {
            return Err(BusFault::Width(access.address));
        }
        owner.write_word(address, access.width, value, context)
    }

    fn effect(owner: &mut Devices, slot: usize, effect: Effect, context: &mut Context<'_>) {
        owner.carry_out_effect(slot, effect, context);
    }

    fn event(owner: &mut Devices, id: EventId, context: &mut Context<'_>) -> bool {
        match id {
            ACCESS => drop(owner.advance_dma(context)),
            OPEN => context.memory.ram.close(false),
            RUN => owner.run_on(context),
            WAKE => *context.reset = Some(STANDBY_LEFT),
            _ => return false,
        }
        true
    }

    fn apply(owner: &mut Devices, pin: Pin, high: Option<bool>, context: &mut Context<'_>) {
        owner.on_port(pin.port, context, |port, env| port.apply(pin.number, high, env));
    }

    fn timebase(owner: &Devices) -> Timebase {
        if owner.wiring.layout.known.clock.is_none() {
            Timebase::fixed(owner.wiring.part.clock)
        } else {
            owner.clocks().timebase()
        }
    }

    fn set_phase(owner: &mut Devices, cycles: u8) {
        owner.slots.wires.shared.set_phase(cycles);
    }

    fn level(owner: &Devices, pin: Pin) -> bool {
        let port = owner.port(pin.port);
        port.is_some_and(|port| port.levels().checked_shr(u32::from(pin.number)).unwrap_or(0) & 1 != 0)
    }

    fn show(owner: &mut Devices, slot: usize, signal: &'static str, high: bool, context: &mut Context<'_>) {
        if ["MISO", "RX"].contains(&signal) {
            owner.input(slot, signal, high, context);
        } else {
            owner.output(slot, signal, Some(high), context);
        }
    }

    fn reaches(owner: &Devices, slot: usize, signal: &'static str) -> bool {
        owner.pins_of(slot, signal).next().is_some()
    }

    fn hears(owner: &Devices, slot: usize, signal: &'static str) -> bool {
        owner.pins_of(slot, signal).any(|pin| owner.is_heard(pin))
    }

    fn is_seen(owner: &Devices, slot: usize, signal: &'static str, signals: &Signals) -> bool {
        owner.pins_of(slot, signal).any(|pin| signals.wants_pin(pin))
    }

    fn route(owner: &Devices, wire: &Wire, name: &str) -> Option<Route> {
        owner.signal_on(wire, name)
    }

    fn pin_of(owner: &Devices, wire: &Wire) -> Option<Pin> {
        owner.pin_of_signal(wire)
    }

    fn voltage_applied(owner: &mut Devices, context: &mut Context<'_>) {
        owner.compare_voltages(context);
    }

    fn blocks_on(owner: &Devices, pin: Pin) -> Vec<u16> {
        owner.blocks_reached(pin)
    }

    fn driven(owner: &Devices, pin: Pin) -> Option<bool> {
        owner.port(pin.port).and_then(|port| port.driven(pin.number))
    }

    fn pulls_up(owner: &Devices, pin: Pin) -> bool {
        owner.port(pin.port).is_some_and(|port| port.pulls_up(pin.number))
    }

    #[inline]
    fn extra_cycles(owner: &mut Devices, address: Address, write: bool, at: Cycles) -> i32 {
        let address = Address::new(owner.unmirrored(address.get()));
        let Some((_, segment)) = owner.wiring.layout.soc.family.segment(address.get()) else { return 0 };
        let cost = match segment.cost {
            Cost::None => 0,
            Cost::Saves(row) => -(row.cycles as i32),
            Cost::Adds(row) => row.cycles as i32,
            Cost::AddsApart { read, write: to_write } => (if write { to_write } else { read }).cycles as i32,
            Cost::Apb1(row) => owner.core_over_bridge(0, row, at),
            Cost::Apb2(row) => owner.core_over_bridge(1, row, at),
        };
        let layout = &owner.wiring.layout;
        let slow = if layout.known.slow.is_empty() { None } else { layout.slot(address.get()) };
        match slow.filter(|slot| layout.known.slow.contains(slot)) {
            Some(slot) => cost.max(owner.waits(slot, address, at)),
            None => cost,
        }
    }

    fn still(owner: &Devices, access: Access) -> Option<Still> {
        let address = owner.unmirrored(access.address.get());
        let address = address & !owner.alias(address);
        let slot = owner.wiring.layout.slot(address)?;
        // A port that is read plays the waves of signals first that nobody hears.
        let played = owner.plays() && owner.slots[slot].port().is_some();
        if played || !access.width.aligned(address) {
            return None;
        }
        if !owner.clocked(slot) {
            // It reads as 0 until somebody writes to the RCC, and the program has been told.
            let told = owner.wiring.unclocked_reads > MOST_UNCLOCKED_READS;
            let answers = owner.wiring.layout.soc.family.unclocked != Unclocked::Fault;
            return (told && answers).then(|| Still { until: Cycles::MAX, period: owner.clocks().phases() });
        }
        let offset = (address - owner.slots.instance(slot).address) & !owner.sub_word();
        let clocks = owner.clocks();
        let until = match owner.slots.still(slot, offset, clocks.at(access.at))? {
            Instant::NEVER => Cycles::MAX,
            until => clocks.cycle(until),
        };
        Some(Still { until, period: clocks.phases() })
    }

    fn ram_slave(owner: &Devices, offset: u32) -> RamSlave {
        owner.wiring.layout.soc.family.ram_slave(offset)
    }

    fn port(owner: &Devices, address: Address, region: Option<RegionKind>) -> Option<Port> {
        owner.wiring.layout.soc.family.port(address.get(), region)
    }

    fn outranks(owner: &Devices, core: usize) -> [bool; 2] {
        let control = owner.wiring.layout.known.bus_control.map(|slot| &owner.slots[slot]);
        match control {
            Some(Device::RpBusControl(control)) => control.outranks(core),
            _ => [owner.wiring.layout.soc.family.core_goes_first; 2],
        }
    }

    fn is_outranked(owner: &Devices, core: usize) -> bool {
        owner.outrankers(core).contains(&true)
    }

    fn first_core(owner: &Devices) -> Option<usize> {
        let Device::RpBusControl(control) = &owner.slots[owner.wiring.layout.known.bus_control?] else { return None };
        control.first_core()
    }

    fn register(owner: &Devices, address: Address) -> Option<Named> {
        let address = owner.unmirrored(address.get());
        let address = Address::new(address & !owner.alias(address));
        let slot = owner.wiring.layout.slot(address.get())?;
        let instance = owner.slots.instance(slot);
        let (row, _) = owner.slots[slot].bank()?.at(address.get() - instance.address)?;
        let name = format!("{}_{}", instance.name, row.register.name);
        Some(Named { name, fields: row.register.fields, shift: 8 * (address.get() & 3) })
    }

    fn sleep(owner: &mut Devices, asleep: bool, context: &mut Context<'_>) {
        if owner.wiring.layout.known.interconnect.is_some() && !owner.wiring.standby {
            owner.slots.each(context, |device, env| device.core_sleeps(asleep, env));
            owner.carry_out(context);
        }
    }

    fn rest(owner: &mut Devices, deep: bool, context: &mut Context<'_>) -> bool {
        // The core of a part that has switched itself off stands.
        let stopped = owner.wiring.standby || deep && owner.enter_deep_sleep(context);
        stopped || owner.wiring.layout.soc.family.stands_asleep
    }

    fn wake(owner: &mut Devices, context: &mut Context<'_>) -> Cycles {
        owner.leave_stop(context)
    }
}
