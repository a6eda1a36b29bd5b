//! A part without a core: the tests are the bus master, and time moves when they say so.

use std::collections::BTreeSet;

use cyclescope_attached::spi_controller::SpiController;
use cyclescope_chips::{Devices, MemorySetting, Part, Stimulus};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{
    Access, AtZero, Bus, BusFault, Channel, GapKind, Memory, Peripherals, Pin, Signal, SignalKind, Width,
};

pub const RCC: u32 = 0x4002_1000;
pub const RCC_CR: u32 = RCC;
pub const RCC_CFGR: u32 = RCC + 0x08;
pub const RCC_IOPENR: u32 = RCC + 0x34;
pub const RCC_AHBENR: u32 = RCC + 0x38;
pub const RCC_APBENR1: u32 = RCC + 0x3C;
pub const RCC_APBENR2: u32 = RCC + 0x40;
pub const RCC_CSR2: u32 = RCC + 0x60;

/// The ports of an nRF part.
pub const PORT0: u8 = Pin::NUMBERED;
pub const PORT1: u8 = Pin::NUMBERED + 1;

#[derive(Clone)]
pub struct Bench {
    pub bus: Bus<Devices>,
    pub now: u64,
}

impl Bench {
    /// The STM32C031C6 after power-on: HSI48 / 4.
    pub fn new() -> Self {
        Self::with(MemorySetting::Equal)
    }

    pub fn with(setting: MemorySetting) -> Self {
        Self::of("stm32c031c6", setting)
    }

    /// Any part after power-on.
    pub fn of(name: &str, setting: MemorySetting) -> Self {
        Self::on(Part::find(name).expect("the part is known"), setting)
    }

    /// The same of a part that need not be a known one.
    pub fn on(part: &Part, setting: MemorySetting) -> Self {
        let flash = vec![0xFF; part.flash.bytes.get() as usize];
        let mut memory = Memory::new(part.flash.base, flash, part.ram.base, part.ram.bytes.get() as usize);
        memory.map_at_zero(AtZero::Flash);
        let mut bus =
            Bus::new(memory, Devices::new(part, part.soc().expect("a part with buses of words"), setting), 1 << 16);
        bus.shared.signals.want(SignalKind::Pin);
        let (devices, mut context) = bus.with_context(Cycles::ZERO, Address::ZERO);
        devices.start(&mut context);
        Self { bus, now: 0 }
    }

    /// At 48 MHz with all clocks enabled, as most tests want it.
    pub fn fast() -> Self {
        let mut bench = Self::new();
        bench.write(RCC_CR, 0x0000_0500);
        for enable in [RCC_IOPENR, RCC_AHBENR, RCC_APBENR1, RCC_APBENR2] {
            bench.write(enable, u32::MAX);
        }
        bench
    }

    fn access(&self, address: u32, width: Width) -> Access {
        Access { address: Address::new(address), width, at: Cycles::new(self.now), pc: Address::new(0x0800_0100) }
    }

    pub fn try_read(&mut self, address: u32, width: Width) -> Result<u32, BusFault> {
        self.bus.read(self.access(address, width))
    }

    pub fn try_write(&mut self, address: u32, width: Width, value: u32) -> Result<(), BusFault> {
        self.bus.write(self.access(address, width), value)
    }

    pub fn read(&mut self, address: u32) -> u32 {
        self.try_read(address, Width::Word).expect("a register answers")
    }

    pub fn write(&mut self, address: u32, value: u32) {
        self.try_write(address, Width::Word, value).expect("a register takes it");
    }

    /// Lets `cycles` pass.
    pub fn pass(&mut self, cycles: u64) {
        self.now += cycles;
        self.bus.run_events(Cycles::new(self.now), Address::ZERO);
    }

    /// Lets time pass until the interrupt line is high, at most `limit` cycles; gives the cycle.
    pub fn until_line(&mut self, line: usize, limit: u64) -> Option<u64> {
        let end = self.now + limit;
        while !self.bus.shared.interrupts.is_high(line) {
            let next = self.bus.shared.events.next_at().get();
            if next > end {
                return None;
            }
            self.now = self.now.max(next);
            self.bus.run_events(Cycles::new(self.now), Address::ZERO);
        }
        Some(self.now)
    }

    pub fn stimulate(&mut self, after: u64, stimulus: Stimulus) {
        let at = Cycles::new(self.now + after);
        self.bus.peripherals.stimulate(at, stimulus, &mut self.bus.shared.events);
    }

    /// Hangs `devices` on the pins, each by its text.
    pub fn attach(&mut self, devices: &[&str]) {
        let attachments = devices.iter().map(|text| cyclescope_attached::attach(text).expect("a device")).collect();
        let (outside, mut context) = self.bus.with_context(Cycles::new(self.now), Address::ZERO);
        outside.attach(attachments, &mut context);
    }

    /// The attached `spi-controller` called `c` sends frames.
    pub fn controller_sends(&mut self, frames: &str) {
        self.stimulate(1, Stimulus::Device { device: "c".into(), name: "send".into(), value: frames.into() });
    }

    /// The transfers of the first attached device, a `spi-controller`, so far, without their times.
    pub fn controller_log(&self) -> Vec<String> {
        let mut devices = self.bus.peripherals.outside().devices();
        let (_, device) = devices.next().expect("it is attached");
        let log = device.as_any().downcast_ref::<SpiController>().expect("it is one").log();
        log.lines().map(|line| line.split_once("ms send: ").expect("a time").1.to_owned()).collect()
    }

    pub fn set_pin(&mut self, after: u64, port: u8, number: u8, high: Option<bool>) {
        self.stimulate(after, Stimulus::Pin { pin: Pin { port, number }, high });
    }

    pub fn gaps(&self, kind: GapKind) -> Vec<&str> {
        self.bus.shared.gaps.all().iter().filter(|gap| gap.kind == kind).map(|gap| gap.name.as_str()).collect()
    }

    pub fn uart(&self, number: u8) -> Vec<u8> {
        self.bus.shared.console.bytes(Channel::Uart(number))
    }

    /// The core sleeps deeply; tells if its clock stands.
    pub fn rest(&mut self) -> bool {
        let (devices, mut context) = self.bus.with_context(Cycles::new(self.now), Address::ZERO);
        devices.rest(true, &mut context)
    }

    /// Something wakes the core; gives the cycles until its clock runs, which pass.
    pub fn wake(&mut self) -> u64 {
        let (devices, mut context) = self.bus.with_context(Cycles::new(self.now), Address::ZERO);
        let late = devices.wake(&mut context).get();
        self.pass(late);
        late
    }

    /// The reset that a device has asked for, if it has, as the machine carries it out.
    pub fn reset(&mut self) -> Option<&'static str> {
        let cause = self.bus.shared.reset.take()?;
        self.bus.shared.interrupts = Default::default();
        let (devices, mut context) = self.bus.with_context(Cycles::new(self.now), Address::ZERO);
        devices.reset(cause, &mut context);
        Some(cause)
    }

    /// The pin's edges so far: cycle and level.
    pub fn edges(&mut self, port: u8, number: u8) -> Vec<(u64, bool)> {
        let signals: Vec<_> = self.bus.shared.signals.drain().collect();
        signals
            .into_iter()
            .filter_map(|(at, signal)| match signal {
                Signal::Pin { pin, high } if pin == Pin { port, number } => Some((at.get(), high)),
                _ => None,
            })
            .collect()
    }
}

/// One part for each set of blocks that occurs.
pub fn distinct() -> Vec<&'static Part> {
    let mut seen = BTreeSet::new();
    let parts = Part::names().filter(|name| name.starts_with("stm32")).map(|name| Part::find(name).unwrap());
    parts
        .filter(|part| {
            let soc = part.soc().unwrap();
            let blocks: Vec<_> = soc.instances().map(|known| (known.name, known.map.version)).collect();
            let rcc = soc.instances().find(|known| known.map.kind == "rcc").map(|known| std::ptr::from_ref(known.map));
            seen.insert((blocks, rcc))
        })
        .collect()
}
