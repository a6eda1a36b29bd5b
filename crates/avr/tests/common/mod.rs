//! A core with a device of ten lines, and the words of the instructions that the tests use.

pub mod asm;

use cyclescope_avr::decode::Extensions;
use cyclescope_avr::timing::ATMEGA328P;
use cyclescope_avr::{AvrPeripherals, Config, Core, DATA_SPACE, Retire, StoreProgram};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, Bus, BusFault, Context, EventId, Memory, Peripherals, Still, Stop};

/// I/O addresses of the device's registers.
pub mod io {
    /// Reads the low byte of the time.
    pub const TIME: u8 = 0x01;
    /// A latch.
    pub const LATCH: u8 = 0x02;
    /// Raises line 3 after the cycles written.
    pub const LATER: u8 = 0x03;
    /// Raises the line written.
    pub const RAISE: u8 = 0x04;
    /// Flags that writing one clears.
    pub const FLAGS: u8 = 0x05;
    /// SMCR.
    pub const SMCR: u8 = 0x33;
    pub const SPL: u8 = 0x3D;
    pub const SPH: u8 = 0x3E;
    pub const SREG: u8 = 0x3F;
}

/// An event at the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happened {
    Read(u16),
    Write(u16, u8),
    Bit(u16, u8, bool),
    Event,
    Acknowledged(u8),
    Watchdog,
    Stored(u32, u16),
    Asleep(bool, u8),
}

/// The device.
#[derive(Clone, Debug, Default)]
pub struct Device {
    pub log: Vec<(u64, Happened)>,
    pub latch: u8,
    pub flags: u8,
    pub start_up: u64,
    pub halt: u64,
    /// Keep the line high when its interrupt is served.
    pub level: bool,
    pub vector_base: u32,
    /// TIME shows the time in units of this many cycles, and reads of it and of LATCH are not logged; 0 if not.
    pub unit: u64,
}

impl Peripherals for Device {
    fn read(&mut self, access: Access, _: &mut Context<'_>) -> Result<u32, BusFault> {
        let address = (access.address.get() - DATA_SPACE) as u16;
        if self.unit == 0 {
            self.log.push((access.at.get(), Happened::Read(address)));
        }
        match (address - 0x20) as u8 {
            io::TIME if self.unit > 0 => Ok((access.at.get() / self.unit) as u32 & 0xFF),
            io::TIME => Ok(access.at.get() as u32 & 0xFF),
            io::LATCH => Ok(u32::from(self.latch)),
            io::FLAGS => Ok(u32::from(self.flags)),
            _ => Err(BusFault::Unmapped(access.address)),
        }
    }

    fn write(&mut self, access: Access, value: u32, context: &mut Context<'_>) -> Result<(), BusFault> {
        let address = (access.address.get() - DATA_SPACE) as u16;
        self.log.push((access.at.get(), Happened::Write(address, value as u8)));
        match (address - 0x20) as u8 {
            io::LATCH => self.latch = value as u8,
            io::LATER => context.events.schedule(access.at + Cycles::new(value.into()), EventId::new(0)),
            io::RAISE => context.interrupts.set(value as usize, true),
            io::FLAGS => self.flags &= !(value as u8),
            _ => return Err(BusFault::Unmapped(access.address)),
        }
        Ok(())
    }

    fn event(&mut self, _: EventId, context: &mut Context<'_>) {
        self.log.push((context.now.get(), Happened::Event));
        context.interrupts.set(3, true);
    }

    fn still(&self, access: Access) -> Option<Still> {
        let address = (access.address.get() - DATA_SPACE) as u16;
        let next = (access.at.get() / self.unit.max(1) + 1) * self.unit;
        match (address - 0x20) as u8 {
            _ if self.unit == 0 => None,
            io::TIME => Some(Still::until(next)),
            io::LATCH => Some(Still::ALWAYS),
            _ => None,
        }
    }

    fn extra_cycles(&mut self, _: Address, _: bool, _: Cycles) -> i32 {
        0
    }

    fn sleep(&mut self, _: bool, _: bool, _: &mut Context<'_>) {}
}

impl AvrPeripherals for Device {
    fn write_bit(&mut self, access: Access, bit: u8, high: bool, context: &mut Context<'_>) {
        let address = (access.address.get() - DATA_SPACE) as u16;
        self.log.push((access.at.get(), Happened::Bit(address, bit, high)));
        match (address - 0x20) as u8 {
            io::LATCH => self.latch = self.latch & !(1 << bit) | u8::from(high) << bit,
            io::FLAGS if high => self.flags &= !(1 << bit),
            io::RAISE => context.interrupts.set(bit.into(), high),
            _ => {}
        }
    }

    fn acknowledge(&mut self, vector: u8, context: &mut Context<'_>) {
        self.log.push((context.now.get(), Happened::Acknowledged(vector)));
        if !self.level {
            context.interrupts.set(vector.into(), false);
        }
    }

    fn watchdog_reset(&mut self, context: &mut Context<'_>) {
        self.log.push((context.now.get(), Happened::Watchdog));
    }

    fn store_program(&mut self, store: StoreProgram, context: &mut Context<'_>) -> Cycles {
        self.log.push((context.now.get(), Happened::Stored(store.address, store.word)));
        context.memory.program_flash(store.address as usize, &store.word.to_le_bytes());
        Cycles::new(self.halt)
    }

    fn vector_base(&self) -> Address {
        Address::new(self.vector_base)
    }

    fn sleep_mode(&mut self, asleep: bool, mode: u8, context: &mut Context<'_>) {
        self.log.push((context.now.get(), Happened::Asleep(asleep, mode)));
    }

    fn start_up(&self, _: u8) -> Cycles {
        Cycles::new(self.start_up)
    }
}

pub fn config() -> Config {
    Config {
        timing: &ATMEGA328P,
        extensions: Extensions::NONE,
        pc_bytes: 2,
        rampz: None,
        eind: None,
        smcr: 0x53,
        ram_start: 0x100,
        vector_bytes: 4,
        vectors: 26,
        reset: 0,
        stack_pointer: 0x8FF,
        debugger: true,
    }
}

/// The address of the tests' code, behind the vectors.
pub const CODE: u32 = 0x100;

#[derive(Clone, Debug)]
pub struct Machine {
    pub core: Core<Device>,
    pub bus: Bus<Device>,
}

impl Machine {
    /// `code` at [`CODE`], where it begins; a flash of 4 KiB, reserved elsewhere.
    pub fn new(code: &[u16]) -> Self {
        Self::with(config(), &[(CODE, code)])
    }

    pub fn with(config: Config, code: &[(u32, &[u16])]) -> Self {
        Self::with_flash(4096, config, code)
    }

    pub fn with_flash(bytes: usize, config: Config, code: &[(u32, &[u16])]) -> Self {
        let mut flash = vec![0xFF; bytes];
        for (at, words) in code {
            for (place, word) in flash[*at as usize..].as_chunks_mut::<2>().0.iter_mut().zip(*words) {
                *place = word.to_le_bytes();
            }
        }
        let ram_start = u32::from(config.ram_start);
        let ram_bytes = usize::from(config.stack_pointer) + 1 - usize::from(config.ram_start);
        let memory = Memory::new(Address::ZERO, flash, Address::new(DATA_SPACE + ram_start), ram_bytes);
        let bus = Bus::new(memory, Device::default(), 1024);
        let mut core = Core::new(config, &bus);
        core.cpu_mut().pc = CODE;
        Self { core, bus }
    }

    pub fn run(&mut self, until: u64) -> Stop {
        self.core.run(&mut self.bus, Cycles::new(until))
    }

    /// Runs to BREAK; the cycles it took.
    pub fn run_to_break(&mut self) -> u64 {
        let stop = self.run(100_000);
        assert!(matches!(stop, Stop::Breakpoint(..)), "{stop:?}");
        self.now()
    }

    /// Runs one instruction at a time to whatever stops it.
    pub fn trace(&mut self, until: u64) -> (Vec<Retire>, Stop) {
        let mut retired = Vec::new();
        let stop = self.core.run_into(&mut self.bus, Cycles::new(until), &mut |retire| retired.push(retire));
        (retired, stop)
    }

    pub fn now(&self) -> u64 {
        self.core.now().get()
    }

    pub fn log(&self) -> &[(u64, Happened)] {
        &self.bus.peripherals.log
    }

    /// All that a run leaves behind, for comparing runs.
    pub fn outcome(&self) -> String {
        outcome(&self.core, &self.bus)
    }

    /// Its core and its bus.
    pub fn into_parts(self) -> (Core<Device>, Bus<Device>) {
        (self.core, self.bus)
    }
}

/// All that a run leaves behind, for comparing runs.
pub fn outcome(core: &Core<Device>, bus: &Bus<Device>) -> String {
    let cpu = core.cpu();
    let state = (cpu.r, cpu.pc, cpu.sp, cpu.sreg(), cpu.now, cpu.instructions, cpu.interrupts_taken);
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
    let ram = bus.memory.ram.bytes().iter().fold(0, mix);
    format!("{:?}", (state, cpu.lowest_sp, cpu.asleep, &bus.peripherals.log, ram))
}
