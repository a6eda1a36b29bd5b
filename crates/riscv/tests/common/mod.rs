//! A core with a device of ten lines, and the words of the instructions that the tests use.

pub mod asm;

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, Bus, BusFault, Context, EventId, Memory, Peripherals, Stop};
use cyclescope_riscv::decode::Extensions;
use cyclescope_riscv::timing::INSTRUCTIONS;
use cyclescope_riscv::{Config, Core, Misaligned, PicoConfig, Privileged, Retire, Traps};

/// The first address of the device.
pub const DEVICE: u32 = 0x4000_0000;
/// The first address of RAM: code at its start, data at its middle.
pub const RAM: u32 = 0x1000_0000;
pub const DATA: u32 = RAM + 0x2000;
const RAM_BYTES: usize = 0x4000;

/// Offsets of the device's registers.
pub mod io {
    /// Reads the time.
    pub const TIME: i32 = 0;
    /// A latch.
    pub const LATCH: i32 = 4;
    /// Raises line 7 after the cycles written.
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
            io::RAISE => context.interrupts.set(value as usize, true),
            io::LOWER => context.interrupts.set(value as usize, false),
            io::RESET => *context.reset = Some("the end"),
            _ => return Err(BusFault::Unmapped(access.address)),
        }
        Ok(())
    }

    fn event(&mut self, _: EventId, context: &mut Context<'_>) {
        self.log.push((context.now.get(), u32::MAX, None));
        context.interrupts.set(7, true);
    }

    fn extra_cycles(&mut self, _: Address, _: bool, _: Cycles) -> i32 {
        0
    }

    fn sleep(&mut self, asleep: bool, _: bool, context: &mut Context<'_>) {
        self.log.push((context.now.get(), u32::MAX - 1, Some(asleep.into())));
    }
}

/// RV32IMAC with M and U mode and the PMP, an instruction a cycle.
pub fn config() -> Config {
    Config {
        timing: &INSTRUCTIONS,
        extensions: Extensions::IMAC,
        misaligned: Misaligned::Hardware,
        traps: Traps::Privileged(Privileged::plain(16)),
        reset: RAM,
        hart: 0,
        semihosting: false,
    }
}

/// PicoRV32, an instruction a cycle.
pub fn pico() -> Config {
    Config {
        extensions: Extensions::PICORV32,
        misaligned: Misaligned::Trap,
        traps: Traps::Pico(PicoConfig { vector: RAM + 0x1000, ..PicoConfig::DEFAULT }),
        ..config()
    }
}

#[derive(Clone, Debug)]
pub struct Machine {
    pub core: Core<Device>,
    pub bus: Bus<Device>,
}

impl Machine {
    /// `code` at the start of RAM, where it begins.
    pub fn new(code: &[u32]) -> Self {
        Self::with(config(), &[(RAM, code)])
    }

    pub fn with(config: Config, code: &[(u32, &[u32])]) -> Self {
        let mut memory = Memory::new(Address::ZERO, Vec::new(), Address::new(RAM), RAM_BYTES);
        for (at, words) in code {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            assert!(memory.load(Address::new(*at), &bytes));
        }
        let bus = Bus::new(memory, Device::default(), 1024);
        let core = Core::new(config, &bus);
        let mut machine = Self { core, bus };
        machine.set(30, DEVICE);
        machine.set(31, DATA);
        machine
    }

    pub fn set(&mut self, register: u8, value: u32) {
        self.core.cpu_mut().set(register, value);
    }

    pub fn x(&self, register: u8) -> u32 {
        self.core.cpu().get(register)
    }

    pub fn word(&self, address: u32) -> u32 {
        self.bus.memory.read(address, cyclescope_machine::Width::Word).expect("tests look at memory only")
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

    /// Runs one instruction at a time to whatever stops it.
    pub fn trace(&mut self, until: u64) -> (Vec<Retire>, Stop) {
        let mut retired = Vec::new();
        let stop = self.core.run_into(&mut self.bus, Cycles::new(until), &mut |retire| retired.push(retire));
        (retired, stop)
    }

    pub fn now(&self) -> u64 {
        self.core.now().get()
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
    let csrs = &cpu.csrs;
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
    let ram = bus.memory.ram.bytes().iter().fold(0, mix);
    let traps = [csrs.mstatus(), csrs.mie, csrs.mtvec, csrs.mepc, csrs.mcause, csrs.mtval, csrs.mscratch];
    let counters = (cpu.now, cpu.instructions, cpu.traps_taken, cpu.main_stack.used());
    format!("{:?}", (&cpu.x[..32], cpu.pc, counters, traps, &bus.peripherals.log, ram))
}

/// The instruction that ends a run, and what would be next.
pub fn end() -> [u32; 2] {
    [asm::sw(0, 30, io::RESET), asm::HERE]
}

/// `code`, then the end.
pub fn ending(code: &[u32]) -> Vec<u32> {
    [code, &end()].concat()
}
