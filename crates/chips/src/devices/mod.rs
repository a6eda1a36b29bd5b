//! The peripherals of a part: one concrete type for all parts.
//!
//! Blocks answer one at a time; what one does to another (a pin's edge, a DMA request, a new clock) it leaves as an
//! effect, carried out here after it has answered. Events that are due come before an access at the same or a later
//! cycle, so that everything happens in the order of time even inside an instruction.

mod effects;
mod space;
mod stimulus;

use cyclescope_machine::{
    Access, BusFault, Context, EventId, EventQueue, FlashTiming, GapKind, Peripherals, Pin, Width,
};
use cyclescope_peripherals::crc_v3::CrcV3;
use cyclescope_peripherals::dma_v1::DmaV1;
use cyclescope_peripherals::dmamux_v1::DmamuxV1;
use cyclescope_peripherals::exti_c0::ExtiC0;
use cyclescope_peripherals::flash_c0::FlashC0;
use cyclescope_peripherals::gpio_v2::GpioV2;
use cyclescope_peripherals::iwdg_v2::IwdgV2;
use cyclescope_peripherals::rcc_c0::{RccC0, ResetFlag};
use cyclescope_peripherals::small::{self, Small};
use cyclescope_peripherals::timer_v3::TimerV3;
use cyclescope_peripherals::usart_v4::UsartV4;
use cyclescope_peripherals::wwdg_v2::WwdgV2;
use cyclescope_peripherals::{
    Block, Clocks, Device, EVENTS_PER_BLOCK, Env, Instance, MemorySetting, Oscillators, Source, Wires,
};
use cyclescope_units::{Address, Cycles, Hertz};

use self::space::{BusKind, Space, bus_of, spread};
pub use self::stimulus::Stimulus;
use self::stimulus::{STIMULUS, Stimuli};
use crate::Part;

/// System memory and what the factory left there (RM0490, "Flash memory organization").
const FACTORY: std::ops::Range<u32> = 0x1FFF_0000..0x1FFF_8000;

/// The peripherals of a part.
#[derive(Clone, Debug)]
pub struct Devices {
    part: &'static Part,
    slots: Vec<Device>,
    space: Space,
    clocks: Clocks,
    wires: Wires,
    stimuli: Stimuli,
    known: Known,
    /// Not started yet: the board's own levels are still to be applied.
    fresh: bool,
}

/// The slots of the blocks that the part itself talks to.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    rcc: Option<usize>,
    flash: Option<usize>,
    exti: Option<usize>,
    dma: Option<usize>,
    dmamux: Option<usize>,
}

impl Devices {
    /// The peripherals of `part` after power-on; `setting` is chosen before a run.
    pub fn new(part: &'static Part, setting: MemorySetting) -> Self {
        let slots: Vec<Device> = part.peripherals.iter().map(|instance| device(part, instance, setting)).collect();
        let find = |wanted: fn(&Device) -> bool| slots.iter().position(wanted);
        let known = Known {
            rcc: find(|device| matches!(device, Device::Rcc(_))),
            flash: find(|device| matches!(device, Device::Flash(_))),
            exti: find(|device| matches!(device, Device::Exti(_))),
            dma: find(|device| matches!(device, Device::Dma(_))),
            dmamux: find(|device| matches!(device, Device::Dmamux(_))),
        };
        let (hsi, lsi) = part.oscillators;
        let mut clocks = Clocks::new(Oscillators { hsi, lsi, hse: part.board.hse, lse: part.board.lse });
        if let Some(Device::Rcc(rcc)) = known.rcc.map(|slot| &slots[slot]) {
            let tree = rcc.tree(&clocks);
            clocks.switch(Cycles::ZERO, tree);
        }
        let space = Space::new(part.peripherals);
        Self { part, slots, space, clocks, wires: Wires::default(), stimuli: Stimuli::default(), known, fresh: true }
    }

    /// Puts into effect what holds from power-on, before the first instruction: the flash's timing, the pins' pulls.
    pub fn start(&mut self, context: &mut Context<'_>) {
        if self.known.flash.is_none() {
            context.memory.set_flash_timing(FlashTiming::IDEAL);
        }
        for slot in 0..self.slots.len() {
            self.with(slot, context, |device, env| device.reset(env));
        }
        self.carry_out(context);
        if self.fresh {
            self.fresh = false;
            for (pin, high) in self.part.board.levels {
                self.stimulus(Stimulus::Pin { pin: *pin, high: Some(*high) }, context);
                self.carry_out(context);
            }
        }
    }

    /// A system reset for the reason `cause`, as a device or the core gave it; the flag of RCC_CSR2 follows from it.
    pub fn reset(&mut self, cause: &str, context: &mut Context<'_>) {
        let flag = match cause {
            cause if cause.starts_with("IWDG") => ResetFlag::IndependentWatchdog,
            cause if cause.starts_with("WWDG") => ResetFlag::WindowWatchdog,
            "pin" => ResetFlag::Pin,
            _ => ResetFlag::Software,
        };
        if let Some(Device::Rcc(rcc)) = self.known.rcc.map(|slot| &mut self.slots[slot]) {
            rcc.note_reset(flag);
        }
        self.start(context);
    }

    /// The part.
    pub fn part(&self) -> &'static Part {
        self.part
    }

    /// The core's clock at the moment.
    pub fn hclk(&self) -> Hertz {
        if self.known.rcc.is_none() { self.part.clock } else { self.clocks.frequency(Source::Hclk) }
    }

    /// The clock tree.
    pub fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// How the firmware has set up the flash so far, in words; `None` for a part without a flash interface.
    pub fn flash_settings_written(&self) -> Option<String> {
        match self.known.flash.map(|slot| &self.slots[slot]) {
            Some(Device::Flash(flash)) => Some(flash.settings_written(&self.clocks)),
            _ => None,
        }
    }

    /// The memory setting chosen, for a part with a flash interface.
    pub fn memory_setting(&self) -> Option<MemorySetting> {
        match self.known.flash.map(|slot| &self.slots[slot]) {
            Some(Device::Flash(flash)) => Some(flash.setting()),
            _ => None,
        }
    }

    /// Has the outside do `stimulus` at the cycle `at`.
    pub fn stimulate(&mut self, at: Cycles, stimulus: Stimulus, events: &mut EventQueue) {
        self.stimuli.add(at, stimulus, events);
    }

    /// The level of `pin` now.
    pub fn pin(&self, pin: Pin) -> bool {
        self.slots.iter().any(|device| match device {
            Device::Gpio(gpio) => gpio.port() == pin.port && gpio.levels() & 1 << (pin.number & 15) != 0,
            _ => false,
        })
    }

    /// The blocks with the instances they are, for tests and tools.
    pub fn blocks(&self) -> impl Iterator<Item = (&'static Instance, &Device)> {
        self.part.peripherals.iter().zip(&self.slots)
    }

    /// Lets the block in `slot` do something.
    #[inline]
    fn with<R>(
        &mut self,
        slot: usize,
        context: &mut Context<'_>,
        act: impl FnOnce(&mut Device, &mut Env<'_, '_>) -> R,
    ) -> R {
        let Self { part, slots, clocks, wires, .. } = self;
        let mut env = Env { context, clocks, wires, instance: &part.peripherals[slot], slot: slot as u16 };
        act(&mut slots[slot], &mut env)
    }

    /// Handles the events due before an access; afterwards the context's time is the access's again.
    #[inline]
    fn catch_up(&mut self, context: &mut Context<'_>) {
        let now = context.now;
        while context.events.next_at() <= now {
            let Some((at, id)) = context.events.pop_due(now) else { break };
            context.now = at;
            self.event(id, context);
        }
        context.now = now;
    }

    /// Whether the clock of the block in `slot` runs; if not, that is noted.
    fn clocked(&self, slot: usize, context: &mut Context<'_>) -> bool {
        let instance = &self.part.peripherals[slot];
        let Some((enable, Device::Rcc(rcc))) = instance.enable.zip(self.known.rcc.map(|slot| &self.slots[slot])) else {
            return true;
        };
        let on = rcc.enabled(enable.offset, enable.bit);
        if !on {
            context.gap(GapKind::Setting, &format!("clock of {} is off", instance.name));
        }
        on
    }

    fn read_word(&mut self, address: u32, context: &mut Context<'_>) -> Result<u32, BusFault> {
        let Some(slot) = self.space.slot(address, self.part.peripherals) else {
            return self.read_elsewhere(address, context);
        };
        if !self.clocked(slot, context) {
            return Ok(0);
        }
        let offset = (address - self.part.peripherals[slot].address) & !3;
        let value = self.with(slot, context, |device, env| device.read(offset, env));
        self.finish().map(|()| value)
    }

    fn read_elsewhere(&self, address: u32, context: &mut Context<'_>) -> Result<u32, BusFault> {
        if self.part.peripherals.is_empty() {
            return Err(BusFault::Unmapped(Address::new(address)));
        }
        if FACTORY.contains(&address) {
            let known = self.part.factory.iter().find(|(at, _)| *at == address & !3);
            if known.is_none() {
                context.gap(GapKind::RegisterRead, "system memory");
            }
            return Ok(known.map_or(0, |(_, value)| *value));
        }
        self.hole(GapKind::RegisterRead, address, context).map(|()| 0)
    }

    /// RM0490 does not say how the bus answers where no block is: reads give 0 here and writes are lost.
    fn hole(&self, kind: GapKind, address: u32, context: &mut Context<'_>) -> Result<(), BusFault> {
        if self.part.peripherals.is_empty() || bus_of(address).is_none() {
            return Err(BusFault::Unmapped(Address::new(address)));
        }
        let page = Address::new(if address < 0x5000_2000 { address & !0x3FF } else { 0x5000_2000 });
        context.gap(kind, &format!("no peripheral at {page}"));
        Ok(())
    }

    fn write_word(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        context: &mut Context<'_>,
    ) -> Result<(), BusFault> {
        let Some((slot, bus)) = self.space.slot(address, self.part.peripherals).zip(bus_of(address)) else {
            return self.write_elsewhere(address, width, value, context);
        };
        if !self.clocked(slot, context) {
            return Ok(());
        }
        let offset = (address - self.part.peripherals[slot].address) & !3;
        let write = spread(bus, address, width, value);
        self.with(slot, context, |device, env| device.write(offset, write, env));
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
            let Some(slot) = self.known.flash else { return Err(BusFault::ReadOnly(Address::new(address))) };
            self.with(slot, context, |device, env| {
                if let Device::Flash(flash) = device {
                    flash.store(offset, width, value, env);
                }
            });
            return self.finish();
        }
        if FACTORY.contains(&address) && !self.part.peripherals.is_empty() {
            return Err(BusFault::ReadOnly(Address::new(address)));
        }
        self.hole(GapKind::RegisterWrite, address, context)
    }

    /// The bus error that the block asked for, if it did.
    fn finish(&mut self) -> Result<(), BusFault> {
        match self.wires.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
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
        if id == STIMULUS {
            while let Some(stimulus) = self.stimuli.due(context.now) {
                self.stimulus(stimulus, context);
                self.carry_out(context);
            }
            self.stimuli.schedule(context.events);
            return;
        }
        let slot = usize::from(id.number / EVENTS_PER_BLOCK);
        if slot < self.slots.len() {
            self.with(slot, context, |device, env| device.event(id.number % EVENTS_PER_BLOCK, env));
        }
        self.carry_out(context);
    }

    #[inline]
    fn extra_cycles(&self, address: Address) -> i32 {
        let [io_port, apb] = self.part.bus else { return 0 };
        match bus_of(address.get()) {
            Some(BusKind::IoPort) => -(io_port.cycles as i32),
            Some(BusKind::Apb) => {
                let tree = self.clocks.tree();
                let ratio = tree.pclk.divide(tree.hclk).0.max(1) as i32;
                apb.cycles as i32 + 2 * (ratio - 1)
            }
            _ => 0,
        }
    }

    fn sleep(&mut self, asleep: bool, deep: bool, context: &mut Context<'_>) {
        if asleep && deep && self.known.rcc.is_some() {
            context.gap(GapKind::Setting, "deep sleep is timed as Sleep mode");
        }
    }
}

/// The block that `instance` is.
fn device(part: &Part, instance: &'static Instance, setting: MemorySetting) -> Device {
    let map = instance.map;
    match (map.kind, map.version) {
        ("rcc", "c0") => Device::Rcc(RccC0::new(instance)),
        ("flash", "c0") => Device::Flash(FlashC0::new(instance, setting)),
        ("gpio", "v2") => Device::Gpio(GpioV2::new(instance)),
        ("exti", "c0") => Device::Exti(ExtiC0::new(instance)),
        ("timer", "v3") => Device::Timer(TimerV3::new(instance)),
        ("usart", "v4") => Device::Usart(UsartV4::new(instance, part.full_usarts.contains(&instance.name))),
        ("bdma", "v1") => Device::Dma(DmaV1::new(instance)),
        ("dmamux", "v1") => Device::Dmamux(DmamuxV1::new(instance)),
        ("iwdg", "v2") => Device::Iwdg(IwdgV2::new(instance)),
        ("wwdg", "v2") => Device::Wwdg(WwdgV2::new(instance)),
        ("crc", "v3") => Device::Crc(CrcV3::new(instance)),
        ("syscfg", "c0") => Device::Small(Small::syscfg(instance)),
        ("pwr", "c0") => Device::Small(Small::with_fixed(map, small::PWR_C0, &[(0x14, 0x80)])),
        ("dbgmcu", "c0") => Device::Small(Small::with_fixed(map, small::DBGMCU_C0, &[(0, part.device_id)])),
        ("rtc", _) => Device::Small(Small::declared(map, small::RTC_V3)),
        ("adc", _) => Device::Small(Small::declared(map, small::ADC_C0)),
        ("i2c", _) => Device::Small(Small::declared(map, small::I2C_V2)),
        ("spi", _) => Device::Small(Small::declared(map, small::SPI_V3)),
        _ => Device::Small(Small::declared(map, &[])),
    }
}
