//! The peripherals of a part: one concrete type for all parts.

mod build;
mod dma;
mod effects;
mod layout;

use std::sync::Arc;

use cyclescope_machine::units::{Address, Cycles, Hertz};
use cyclescope_machine::{
    Access, BusFault, Context, EventId, EventQueue, FlashTiming, GapKind, Peripherals, Pin, Stimulus, TimingRow, Width,
};
use cyclescope_peripherals::ResetFlag;
use cyclescope_peripherals::{
    Access as RegisterAccess, Block, Clocks, Device, Effect, FlashControl, Instance, MemorySetting, Oscillators,
    Serial, Slots, Source, Words, Write,
};

use self::dma::{ACCESS, Bridge, Moving, OPEN};
use self::layout::{Layout, spread};
use crate::family::{Cost, Unclocked};
use crate::owner::Owner;
use crate::part::{Part, Soc};
use crate::stimuli::Stimuli;

/// A program that reads blocks without a clock more often than this waits for one; start-up code looks a few times.
const MOST_UNCLOCKED_READS: u32 = 100;

/// The peripherals of a part.
#[derive(Clone, Debug)]
pub struct Devices {
    part: Arc<Part>,
    layout: Arc<Layout>,
    slots: Slots<Words, Device>,
    /// DMA requests asked for now, one bit each.
    requests: u128,
    /// DMA transfers under way, at most one a controller.
    moving: Vec<Moving>,
    /// The bridges to the first and the second APB.
    bridges: [Bridge; 2],
    stimuli: Stimuli,
    /// The number of reads from blocks whose clock was off.
    unclocked_reads: u32,
    /// Not started yet: the board's own levels are still to be applied.
    fresh: bool,
}

impl Devices {
    /// The peripherals `soc` of `part` after power-on; `setting` is chosen before a run.
    pub fn new(part: &Part, soc: &Soc, setting: MemorySetting) -> Self {
        let slots: Vec<Device> = soc.instances().map(|instance| build::device(part, soc, instance, setting)).collect();
        let instances: Arc<[&'static Instance]> = soc.instances().collect();
        let layout = Layout::new(soc, &instances, &slots);
        let (hsi, lsi) = soc.oscillators;
        let mut clocks = Clocks::new(Oscillators { hsi, lsi, hse: part.board.hse, lse: part.board.lse });
        if let Some(control) = layout.known.clock.and_then(|slot| slots[slot].clock_control()) {
            let tree = control.tree(&clocks);
            clocks.switch(Cycles::ZERO, tree);
        }
        Self {
            part: Arc::new(part.clone()),
            layout: Arc::new(layout),
            slots: Slots::new(instances, slots, clocks),
            requests: 0,
            moving: Vec::new(),
            bridges: <[Bridge; 2]>::default(),
            stimuli: Stimuli::default(),
            unclocked_reads: 0,
            fresh: true,
        }
    }

    /// Puts into effect what holds from power-on, before the first instruction: the flash's timing, the pins' pulls.
    pub fn start(&mut self, context: &mut Context<'_>) {
        if self.layout.known.flash.is_none() {
            context.memory.set_flash_timing(FlashTiming::IDEAL);
        }
        self.slots.each(context, |device, env| device.reset(env));
        self.carry_out(context);
        if self.fresh {
            self.fresh = false;
            let part = Arc::clone(&self.part);
            self.put_levels(&part.board.levels, context);
        }
    }

    /// A system reset for the reason `cause`, as a device or the core gave it; the flag of the part's reset register follows from it.
    pub fn reset(&mut self, cause: &str, context: &mut Context<'_>) {
        let flag = match cause {
            cause if cause.starts_with("IWDG") || cause.starts_with("WDOG") => ResetFlag::IndependentWatchdog,
            cause if cause.starts_with("WWDG") => ResetFlag::WindowWatchdog,
            "pin" => ResetFlag::Pin,
            _ => ResetFlag::Software,
        };
        if let Some(control) = self.layout.known.clock.and_then(|slot| self.slots[slot].clock_control_mut()) {
            control.note_reset(flag);
        }
        self.start(context);
    }

    /// Takes the state of `from`, the peripherals of the same part.
    pub fn restore(&mut self, from: &Self) {
        self.slots.restore(&from.slots);
        self.requests = from.requests;
        self.moving.clone_from(&from.moving);
        self.bridges = from.bridges;
        self.stimuli.clone_from(&from.stimuli);
        self.unclocked_reads = from.unclocked_reads;
        self.fresh = from.fresh;
    }

    /// The part.
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// The core's clock at the moment.
    pub fn hclk(&self) -> Hertz {
        if self.layout.known.clock.is_none() { self.part.clock } else { self.clocks().frequency(Source::Hclk) }
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
        self.layout.known.flash.and_then(|slot| self.slots[slot].flash_control())
    }

    /// Has the outside do `stimulus` at the cycle `at`.
    pub fn stimulate(&mut self, at: Cycles, stimulus: Stimulus, events: &mut EventQueue) {
        self.stimuli.add(at, stimulus, events);
    }

    /// The timing rows of the part's blocks that have decided anything so far, in the order of their first use.
    pub fn rows_used(&self) -> &[&'static TimingRow] {
        &self.slots.wires.rows
    }

    /// The level of `pin` now.
    pub fn pin(&self, pin: Pin) -> bool {
        let port = self.layout.port(pin.port).and_then(|slot| self.slots[slot].port());
        port.is_some_and(|port| port.levels().checked_shr(u32::from(pin.number)).unwrap_or(0) & 1 != 0)
    }

    /// The numbers of the serial ports, in order.
    pub fn serial_ports(&self) -> Vec<u8> {
        let mut numbers: Vec<u8> =
            self.slots.iter().filter_map(|(_, device)| device.serial().map(Serial::number)).collect();
        numbers.sort_unstable();
        numbers
    }

    /// The blocks with the instances they are, for tests and tools.
    pub fn blocks(&self) -> impl Iterator<Item = (&'static Instance, &Device)> {
        self.slots.iter()
    }

    /// Tells whether the clock of the block in `slot` runs.
    fn clocked(&self, slot: usize) -> bool {
        let instance = self.slots.instance(slot);
        let Some((enable, clock)) = instance.enable.zip(self.layout.known.clock) else { return true };
        self.slots[clock].bank().is_some_and(|bank| bank.get(u32::from(enable.offset)) & 1 << enable.bit != 0)
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
        let certain = match (self.layout.soc.family.unclocked, write) {
            (Unclocked::Fault, _) => false,
            // No debugger is attached: whether its settings are taken changes nothing.
            (_, Some(_)) if instance.map.kind == "dbgmcu" => true,
            (_, None) if instance.map.kind == "dbgmcu" => held == 0,
            (Unclocked::Zero, None) => true,
            _ => as_if_clocked,
        };
        if write.is_none() {
            self.unclocked_reads = self.unclocked_reads.saturating_add(1);
        }
        if !certain || self.unclocked_reads > MOST_UNCLOCKED_READS {
            context.gap(GapKind::Setting, &format!("clock of {} is off", instance.name));
        }
        self.unclocked(address)
    }

    /// Answers an access to a block without a clock, as the family does.
    fn unclocked(&self, address: u32) -> Result<(), BusFault> {
        match self.layout.soc.family.unclocked {
            Unclocked::Fault => Err(BusFault::Unmapped(Address::new(address))),
            Unclocked::Zero | Unclocked::Unsaid => Ok(()),
        }
    }

    fn read_word(&mut self, address: u32, context: &mut Context<'_>) -> Result<u32, BusFault> {
        let Some(slot) = self.layout.slot(address) else {
            return self.read_elsewhere(address, context);
        };
        if !self.clocked(slot) {
            return self.access_unclocked(slot, address, None, context).map(|()| 0);
        }
        let mask = if self.layout.soc.family.reads_by_byte { 0 } else { 3 };
        let offset = (address - self.slots.instance(slot).address) & !mask;
        let value = self.slots.with(slot, context, |device, env| device.read(offset, env));
        self.finish().map(|()| value)
    }

    fn read_elsewhere(&self, address: u32, context: &mut Context<'_>) -> Result<u32, BusFault> {
        if self.layout.soc.family.factory.contains(&address) {
            let known = self
                .layout
                .soc
                .factory_word(address)
                .or_else(|| self.flash().and_then(|flash| flash.option_word(address)));
            if known.is_none() {
                context.gap(GapKind::RegisterRead, "system memory");
            }
            return Ok(known.unwrap_or(0));
        }
        self.hole(GapKind::RegisterRead, address, context).map(|()| 0)
    }

    /// The manuals do not say how a bus answers where no block is: reads give 0 here and writes are lost.
    fn hole(&self, kind: GapKind, address: u32, context: &mut Context<'_>) -> Result<(), BusFault> {
        let Some((_, segment)) = self.layout.soc.family.segment(address) else {
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
        let found = self.layout.slot(address).zip(self.layout.soc.family.segment(address));
        let Some((slot, (_, segment))) = found else {
            return self.write_elsewhere(address, width, value, context);
        };
        let write = spread(segment.lanes, address, width, value);
        if !self.clocked(slot) {
            return self.access_unclocked(slot, address, Some(write), context);
        }
        let offset = (address - self.slots.instance(slot).address) & !3;
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
        if let Some(cyclescope_machine::RegionKind::Flash(offset)) = context.memory.region(address) {
            let Some(slot) = self.layout.known.flash else { return Err(BusFault::ReadOnly(Address::new(address))) };
            self.slots.with(slot, context, |device, env| {
                if let Some(flash) = device.flash_control_mut() {
                    flash.store(offset, width, value, env);
                }
            });
            return self.finish();
        }
        if self.layout.soc.family.factory.contains(&address) {
            let Some(slot) = self.layout.known.flash else { return Err(BusFault::ReadOnly(Address::new(address))) };
            let taken = self.slots.with(slot, context, |device, env| {
                device.flash_control_mut().is_some_and(|flash| flash.store_option(address, width, value, env))
            });
            return if taken { self.finish() } else { Err(BusFault::ReadOnly(Address::new(address))) };
        }
        self.hole(GapKind::RegisterWrite, address, context)
    }

    /// The bus error that the block asked for, if it did.
    fn finish(&mut self) -> Result<(), BusFault> {
        match self.slots.wires.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }
}

impl Owner for Devices {
    type Bus = Words;
    type Device = Device;

    fn slots(&mut self) -> &mut Slots<Words, Device> {
        &mut self.slots
    }

    fn stimuli(&mut self) -> &mut Stimuli {
        &mut self.stimuli
    }

    fn effect(&mut self, slot: usize, effect: Effect, context: &mut Context<'_>) {
        self.carry_out_effect(slot, effect, context);
    }

    fn stimulus(&mut self, stimulus: Stimulus, context: &mut Context<'_>) {
        self.answer_stimulus(&stimulus, context);
    }
}

impl Peripherals for Devices {
    fn read(&mut self, access: Access, context: &mut Context<'_>) -> Result<u32, BusFault> {
        let address = access.address.get();
        if !access.width.aligned(address) {
            return Err(BusFault::Width(access.address));
        }
        self.catch_up(context);
        let word = self.read_word(address, context);
        self.carry_out(context);
        Ok(word? >> ((address & 3) * 8) & access.width.mask())
    }

    fn write(&mut self, access: Access, value: u32, context: &mut Context<'_>) -> Result<(), BusFault> {
        let address = access.address.get();
        if !access.width.aligned(address) {
            return Err(BusFault::Width(access.address));
        }
        self.catch_up(context);
        let done = self.write_word(address, access.width, value, context);
        self.carry_out(context);
        done
    }

    fn event(&mut self, id: EventId, context: &mut Context<'_>) {
        if id == ACCESS {
            self.advance_dma(context);
            self.carry_out(context);
            return;
        }
        if id == OPEN {
            context.memory.ram.close(false);
            return;
        }
        self.come(id, context);
    }

    #[inline]
    fn extra_cycles(&mut self, address: Address, at: Cycles) -> i32 {
        let Some((_, segment)) = self.layout.soc.family.segment(address.get()) else { return 0 };
        match segment.cost {
            Cost::None => 0,
            Cost::Saves(row) => -(row.cycles as i32),
            Cost::Adds(row) => row.cycles as i32,
            Cost::Apb1(row) => self.core_over_bridge(0, row, at),
            Cost::Apb2(row) => self.core_over_bridge(1, row, at),
        }
    }

    fn sleep(&mut self, asleep: bool, deep: bool, context: &mut Context<'_>) {
        if asleep && deep && self.layout.known.clock.is_some() {
            context.gap(GapKind::Setting, "deep sleep is timed as Sleep mode");
        }
    }
}
