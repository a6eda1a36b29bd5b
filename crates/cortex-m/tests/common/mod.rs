//! A machine for the tests: flash at 0x0800_0000, RAM at 0x2000_0000, and a device that records every access with its
//! cycle and drives interrupt lines at scheduled cycles.

pub mod asm;
pub mod thumb2;
pub mod v7;

use cyclescope_cortex_m::decode::Architecture;
use cyclescope_cortex_m::timing::CORTEX_M0PLUS;
use cyclescope_cortex_m::{Config, Core};
use cyclescope_engine::laws::Program;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{
    Access, AtZero, Bus, BusFault, Context, EventId, FlashTiming, Memory, Peripherals, Retire, Signal, SignalKind,
    Stop, Width,
};

pub const FLASH: u32 = 0x0800_0000;
pub const RAM: u32 = 0x2000_0000;
pub const RAM_BYTES: usize = 0x1000;
/// The initial main stack pointer: the end of RAM.
pub const STACK: u32 = RAM + RAM_BYTES as u32;
/// The address of the code under test.
pub const CODE: u32 = FLASH + 0x100;
/// Handlers stand here, one each `HANDLER_BYTES`.
pub const HANDLERS: u32 = FLASH + 0x1000;
pub const HANDLER_BYTES: u32 = 0x80;

/// A device register without extra cycles. A read returns the cycle at which it happens.
pub const CLOCK: u32 = 0x4000_0000;
/// Words that keep what is written.
pub const WORDS: u32 = 0x4000_0010;
/// The last of them stands behind the bridge of [`SLOW`].
pub const SLOW_WORD: u32 = 0x4000_004C;
/// Writing N pulses interrupt line N. Four bytes on, it drives line N low.
pub const PULSE: u32 = 0x4000_0100;
/// The same device on a single-cycle I/O port.
pub const FAST: u32 = 0x5000_0000;
/// The same device behind a bridge of two cycles.
pub const SLOW: u32 = 0x6000_0000;

pub const NMI: u32 = 2;
pub const HARD_FAULT: u32 = 3;
pub const SVCALL: u32 = 11;
pub const PENDSV: u32 = 14;
pub const SYSTICK: u32 = 15;
/// The exception number of interrupt 0.
pub const IRQ0: u32 = 16;

/// One access the device saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub at: u64,
    pub address: u32,
    pub written: Option<u32>,
}

/// An action of the device at a scheduled cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Raise(usize),
    Lower(usize),
    Pulse(usize),
    /// Puts the value into the first of [`WORDS`].
    Store(u32),
    Nothing,
}

#[derive(Clone, Debug, Default)]
pub struct Device {
    pub seen: Vec<Seen>,
    pub slept: Vec<(u64, bool)>,
    pub deep: bool,
    /// In deep sleep the core's clock stands, and runs again so many cycles after what wakes it.
    pub stands: Option<u64>,
    pub actions: Vec<Action>,
    pub words: [u32; 16],
}

impl Peripherals for Device {
    fn read(&mut self, access: Access, _: &mut Context<'_>) -> Result<u32, BusFault> {
        let address = access.address.get();
        let offset = self.offset(access)?;
        self.seen.push(Seen { at: access.at.get(), address, written: None });
        Ok(match offset {
            0 => access.at.get() as u32,
            0x10..0x50 => self.words[(offset as usize - 0x10) / 4],
            _ => 0,
        })
    }

    fn write(&mut self, access: Access, value: u32, context: &mut Context<'_>) -> Result<(), BusFault> {
        let address = access.address.get();
        let offset = self.offset(access)?;
        self.seen.push(Seen { at: access.at.get(), address, written: Some(value) });
        match offset {
            0x10..0x50 => self.words[(offset as usize - 0x10) / 4] = value,
            0x100 => context.interrupts.pulse(value as usize),
            0x104 => context.interrupts.set(value as usize, false),
            _ => {}
        }
        Ok(())
    }

    fn event(&mut self, id: EventId, context: &mut Context<'_>) {
        match self.actions[usize::from(id.number)] {
            Action::Raise(line) => context.interrupts.set(line, true),
            Action::Lower(line) => context.interrupts.set(line, false),
            Action::Pulse(line) => context.interrupts.pulse(line),
            Action::Store(value) => self.words[0] = value,
            Action::Nothing => {}
        }
    }

    fn extra_cycles(&mut self, address: Address, _: bool, _: Cycles) -> i32 {
        match address.get() >> 28 {
            5 => -1,
            6 => 2,
            _ if address.get() == SLOW_WORD => 2,
            _ => 0,
        }
    }

    fn sleep(&mut self, asleep: bool, deep: bool, context: &mut Context<'_>) {
        self.deep = deep;
        self.slept.push((context.now.get(), asleep));
    }

    fn rest(&mut self, deep: bool, _: &mut Context<'_>) -> bool {
        deep && self.stands.is_some()
    }

    fn wake(&mut self, _: &mut Context<'_>) -> Cycles {
        Cycles::new(self.stands.unwrap_or(0))
    }
}

impl Device {
    fn offset(&self, access: Access) -> Result<u32, BusFault> {
        let address = access.address.get();
        let offset = address & 0x0FFF_FFFF;
        if !(4..=6).contains(&(address >> 28)) || offset >= 0x200 {
            return Err(BusFault::Unmapped(access.address));
        }
        if access.width != Width::Word && offset == 0 {
            return Err(BusFault::Width(access.address));
        }
        Ok(offset)
    }
}

#[derive(Clone)]
pub struct Machine {
    pub core: Core<Device>,
    pub bus: Bus<Device>,
}

pub fn config() -> Config {
    Config {
        architecture: Architecture::Armv6M,
        bit_band: false,
        timing: &CORTEX_M0PLUS,
        priority_bits: 2,
        interrupts: 32,
        mpu_regions: 0,
        systick_reference: None,
        systick_calibration: 0,
        cpuid: 0x410C_C601,
        semihosting: false,
    }
}

impl Machine {
    /// A machine just out of reset with `code` at [`CODE`] and every handler a branch to itself.
    pub fn new(code: &[u16]) -> Self {
        Self::configured(config(), FlashTiming::IDEAL, code)
    }

    pub fn with_flash(timing: FlashTiming, code: &[u16]) -> Self {
        Self::configured(config(), timing, code)
    }

    pub fn configured(config: Config, timing: FlashTiming, code: &[u16]) -> Self {
        let mut memory = Memory::new(Address::new(FLASH), vec![0xFF; 0x4000], Address::new(RAM), RAM_BYTES);
        memory.map_at_zero(AtZero::Flash);
        memory.set_flash_timing(timing);
        let mut bus = Bus::new(memory, Device::default(), 1000);
        let mut vectors = vec![STACK, CODE | 1];
        vectors.extend((2..48).map(|number| handler_address(number) | 1));
        for (address, word) in (FLASH..).step_by(4).zip(vectors) {
            load(&mut bus.memory, address, &word.to_le_bytes());
        }
        for number in 2..48 {
            load_code(&mut bus.memory, handler_address(number), &[asm::SELF]);
        }
        load_code(&mut bus.memory, CODE, code);
        let mut core = Core::new(config, &bus);
        core.reset(&mut bus).expect("the vector table is in flash");
        Self { core, bus }
    }

    /// Puts `code` at exception `number`'s handler.
    pub fn handler(mut self, number: u32, code: &[u16]) -> Self {
        load_code(&mut self.bus.memory, handler_address(number), code);
        self
    }

    /// Puts a word at `address` before the run.
    pub fn word_at(mut self, address: u32, word: u32) -> Self {
        load(&mut self.bus.memory, address, &word.to_le_bytes());
        self
    }

    /// Puts code at `address` before the run.
    pub fn code_at(mut self, address: u32, code: &[u16]) -> Self {
        load_code(&mut self.bus.memory, address, code);
        self
    }

    /// Sets a register.
    pub fn set(mut self, register: usize, value: u32) -> Self {
        self.core.cpu_mut().r[register] = value;
        self
    }

    /// Enables interrupt `line` at `priority` (0, 0x40, 0x80 or 0xC0).
    pub fn interrupt(mut self, line: u16, priority: u8) -> Self {
        let nvic = &mut self.core.cpu_mut().nvic;
        nvic.enable_word(line / 32, 1 << (line % 32), true);
        nvic.set_priority(16 + line, priority);
        self
    }

    /// Schedules `action` at `cycle`.
    pub fn at(mut self, cycle: u64, action: Action) -> Self {
        let number = self.bus.peripherals.actions.len() as u16;
        self.bus.peripherals.actions.push(action);
        self.bus.shared.events.schedule(Cycles::new(cycle), EventId::new(number));
        self
    }

    /// Records exception signals (which the helpers below then step over).
    pub fn recording(mut self) -> Self {
        self.bus.shared.signals.want(SignalKind::Exception);
        self
    }

    pub fn run(&mut self, until: u64) -> Stop {
        self.core.run(&mut self.bus, Cycles::new(until))
    }

    /// Runs to the cycle `until`, stopping at no signal; returns the signals.
    pub fn signals(&mut self, until: u64) -> Vec<(u64, Signal)> {
        let mut all = Vec::new();
        loop {
            let stop = self.run(until);
            all.extend(self.bus.shared.signals.drain().map(|(at, signal)| (at.get(), signal)));
            if stop != Stop::Signal {
                return all;
            }
        }
    }

    /// Exception entries up to the cycle `until`: when the handler's first instruction begins, and whose it is.
    pub fn entries(&mut self, until: u64) -> Vec<(u64, u16)> {
        self.bus.shared.signals.want(SignalKind::Exception);
        let entered = |(at, signal)| match signal {
            Signal::ExceptionEntered { number } => Some((at, number)),
            _ => None,
        };
        self.signals(until).into_iter().filter_map(entered).collect()
    }

    /// Runs to the cycle `until` one instruction at a time; returns what retired.
    pub fn trace(&mut self, until: u64) -> (Vec<Retire>, Stop) {
        let mut retired = Vec::new();
        let stop = self.core.run_into(&mut self.bus, Cycles::new(until), &mut |retire| retired.push(retire));
        (retired, stop)
    }

    /// Runs to the first BKPT, which must come, and returns the cycle at which it begins.
    pub fn run_to_breakpoint(&mut self) -> u64 {
        let stop = self.run(100_000);
        assert!(matches!(stop, Stop::Breakpoint(..)), "{stop:?}");
        self.now() - 1
    }

    pub fn now(&self) -> u64 {
        self.core.now().get()
    }

    pub fn r(&self, register: usize) -> u32 {
        self.core.cpu().r[register]
    }

    pub fn pc(&self) -> u32 {
        self.r(15)
    }

    pub fn ipsr(&self) -> u16 {
        self.core.cpu().ipsr
    }

    pub fn word(&self, address: u32) -> u32 {
        self.bus.peek(Address::new(address), Width::Word).expect("an address in memory")
    }

    /// The eight words at the main stack pointer.
    pub fn frame(&self) -> [u32; 8] {
        self.frame_at(self.core.cpu().stack_pointers().0)
    }

    pub fn frame_at(&self, address: u32) -> [u32; 8] {
        std::array::from_fn(|index| self.word(address + 4 * index as u32))
    }

    /// Everything a run can be compared by.
    pub fn state(&self) -> String {
        state(&self.core, &self.bus)
    }

    /// Its core and its bus.
    pub fn into_parts(self) -> (Core<Device>, Bus<Device>) {
        (self.core, self.bus)
    }
}

/// Everything a run can be compared by.
pub fn state(core: &Core<Device>, bus: &Bus<Device>) -> String {
    let cpu = core.cpu();
    let ram: u32 = bus.memory.ram.bytes().iter().fold(7, |hash, byte| hash.rotate_left(5) ^ u32::from(*byte));
    format!(
        "{:x?} {:x} {} {} {} {:?} {:?} {} {} {:x} {:?} {:?} {:?} {:?} {:?} {:x} {}",
        cpu.r,
        cpu.xpsr(),
        cpu.primask,
        cpu.control(),
        cpu.event,
        cpu.sleep,
        cpu.stack_pointers(),
        cpu.now,
        cpu.instructions,
        ram,
        cpu.nvic,
        bus.peripherals.seen,
        bus.peripherals.slept,
        cpu.fp,
        cpu.entry,
        cpu.scb.fault_status(),
        cpu.exceptions_taken,
    )
}

/// Checks that an interrupt in any cycle changes no result of the program `code`, which ends with BKPT. It may not look at what
/// is below the stack pointer.
pub fn interrupts_change_no_result(make: impl Fn() -> Machine) {
    let make = || make().handler(IRQ0, &[asm::NOP, asm::BX_LR]).interrupt(0, 0).into_parts();
    let raise = |bus: &mut Bus<Device>, at| {
        bus.peripherals.actions.push(Action::Pulse(0));
        bus.shared.events.schedule(at, EventId::new(bus.peripherals.actions.len() as u16 - 1));
    };
    let result = |core: &Core<Device>, bus: &Bus<Device>| {
        let (cpu, below) = (core.cpu(), core.cpu().r[13] - RAM);
        let (data, stack) = bus.memory.ram.bytes().split_at(below as usize);
        format!("{:x?} {:x} {:?} {:x?} {:x?}", cpu.r, cpu.xpsr(), cpu.fp.singles, &data[..0x400], stack)
    };
    let (mut core, mut bus) = make();
    let stop = core.run(&mut bus, Cycles::new(100_000));
    assert!(matches!(stop, Stop::Breakpoint(..)), "{stop:?}");
    let program = Program { make: &make, outcome: &state, end: 100_000, watched: &[] };
    program.has_its_result_whenever_interrupted(&raise, &result);
}

pub fn handler_address(number: u32) -> u32 {
    HANDLERS + number * HANDLER_BYTES
}

fn load(memory: &mut Memory, address: u32, bytes: &[u8]) {
    assert!(memory.load(Address::new(address), bytes), "{address:#x} is memory");
}

fn load_code(memory: &mut Memory, address: u32, code: &[u16]) {
    let bytes: Vec<u8> = code.iter().flat_map(|halfword| halfword.to_le_bytes()).collect();
    load(memory, address, &bytes);
}
