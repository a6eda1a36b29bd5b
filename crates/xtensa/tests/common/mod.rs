//! A core with a device of ten lines.

pub mod asm;

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, Bus, BusFault, Context, EventId, Memory, Peripherals, Stop};
use cyclescope_xtensa::{Config, Core, LX6, LX106, timing};

use asm::{Code, s32i};

/// The first address of the device.
pub const DEVICE: u32 = 0x6000_0000;
/// The first address of RAM: code at its start, vectors behind it, data at its middle.
pub const RAM: u32 = 0x4010_0000;
pub const VECTORS: u32 = RAM + 0x1000;
pub const DATA: u32 = RAM + 0x2000;
const RAM_BYTES: usize = 0x4000;

/// Offsets of the device's registers.
pub mod io {
    /// Reads the time.
    pub const TIME: i32 = 0;
    /// A latch.
    pub const LATCH: i32 = 4;
    /// Raises line 0 after the cycles written.
    pub const LATER: i32 = 8;
    /// Raises the line written.
    pub const RAISE: i32 = 12;
    /// Lowers the line written.
    pub const LOWER: i32 = 16;
    /// Ends the run.
    pub const RESET: i32 = 20;
}

/// The device.
#[derive(Clone, Debug, Default)]
pub struct Device {
    pub log: Vec<(u64, u32, Option<u32>)>,
    pub latch: u32,
}

impl Peripherals for Device {
    fn read(&mut self, access: Access, _: &mut Context<'_>) -> Result<u32, BusFault> {
        let offset = access.address.get().wrapping_sub(DEVICE);
        self.log.push((access.at.get(), offset, None));
        match offset as i32 {
            io::TIME => Ok(access.at.get() as u32),
            io::LATCH => Ok(self.latch & access.width.mask()),
            _ => Err(BusFault::Unmapped(access.address)),
        }
    }

    fn write(&mut self, access: Access, value: u32, context: &mut Context<'_>) -> Result<(), BusFault> {
        let offset = access.address.get().wrapping_sub(DEVICE);
        self.log.push((access.at.get(), offset, Some(value)));
        match offset as i32 {
            io::LATCH => self.latch = value,
            io::LATER => context.events.schedule(access.at + Cycles::new(value.into()), EventId::new(0)),
            io::RAISE => context.interrupts.set(value as usize & 31, true),
            io::LOWER => context.interrupts.set(value as usize & 31, false),
            io::RESET => *context.reset = Some("the end"),
            _ => return Err(BusFault::Unmapped(access.address)),
        }
        Ok(())
    }

    fn event(&mut self, _: EventId, context: &mut Context<'_>) {
        self.log.push((context.now.get(), u32::MAX, None));
        context.interrupts.set(0, true);
    }

    fn extra_cycles(&mut self, _: Address, _: bool, _: Cycles) -> i32 {
        0
    }

    fn sleep(&mut self, asleep: bool, _: bool, context: &mut Context<'_>) {
        self.log.push((context.now.get(), u32::MAX - 1, Some(asleep.into())));
    }
}

/// The core of the ESP8266.
pub fn lx106() -> Config {
    Config {
        configuration: &LX106,
        timing: &timing::LX106,
        reset: RAM,
        vector_base: VECTORS,
        processor: 0,
        word_only: &[],
        semihosting: false,
    }
}

/// The core of the ESP32.
pub fn lx6() -> Config {
    Config { configuration: &LX6, timing: &timing::LX6, ..lx106() }
}

#[derive(Clone, Debug)]
pub struct Machine {
    pub core: Core<Device>,
    pub bus: Bus<Device>,
}

impl Machine {
    /// A core with `code` in RAM, where it begins with the first. a14 is the device, a15 the data, a1 a stack.
    pub fn new(config: Config, code: &[Code]) -> Self {
        let mut memory = Memory::new(Address::ZERO, Vec::new(), Address::new(RAM), RAM_BYTES);
        for code in code {
            assert!(memory.load(Address::new(code.at), &code.build()));
        }
        let bus = Bus::new(memory, Device::default(), 1024);
        let core = Core::new(config, &bus);
        let mut machine = Self { core, bus };
        machine.set(1, DATA + 0x1000);
        machine.set(14, DEVICE);
        machine.set(15, DATA);
        machine
    }

    pub fn set(&mut self, register: u8, value: u32) {
        self.core.cpu_mut().set(register, value);
    }

    pub fn a(&self, register: u8) -> u32 {
        self.core.cpu().get(register)
    }

    pub fn run(&mut self, until: u64) -> Stop {
        self.core.run(&mut self.bus, Cycles::new(until))
    }

    /// Runs until the program writes the device's RESET.
    pub fn finish(&mut self) -> u64 {
        let stop = self.run(100_000);
        assert_eq!(stop, Stop::Reset("the end"), "at {:?}", self.core.cpu().pc());
        self.now()
    }

    pub fn now(&self) -> u64 {
        self.core.now().get()
    }

    /// Its core and its bus.
    pub fn into_parts(self) -> (Core<Device>, Bus<Device>) {
        (self.core, self.bus)
    }
}

/// All that a run leaves behind, for comparing runs.
pub fn outcome(core: &Core<Device>, bus: &Bus<Device>) -> String {
    let cpu = core.cpu();
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
    let ram = bus.memory.ram.bytes().iter().fold(0, mix);
    let saved = (cpu.epc, cpu.eps, cpu.excsave, cpu.cause, cpu.address);
    let loops = (cpu.loop_begin, cpu.loop_end, cpu.loop_count, cpu.sar, cpu.booleans, cpu.accumulator);
    let windows = (cpu.window_base, cpu.window_start, cpu.ps);
    let counters = (cpu.now, cpu.instructions, cpu.exceptions_taken);
    let used = (cpu.rows, cpu.main_stack.used());
    format!("{:?}", (cpu.physical(), cpu.f, cpu.pc, counters, used, saved, loops, windows, &bus.peripherals.log, ram))
}

/// The instruction that ends a run, a14 being the device.
pub fn end() -> [u32; 1] {
    [s32i(0, 14, io::RESET)]
}
