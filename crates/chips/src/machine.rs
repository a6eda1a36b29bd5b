//! A part with an image in it: core, bus and devices joined.

use std::ops::Range;
use std::sync::Arc;

use cyclescope_cortex_m::decode::Architecture;
use cyclescope_cortex_m::timing::{CORTEX_M0PLUS, CORTEX_M3, CORTEX_M4, CORTEX_M4F, CoreTiming};
use cyclescope_cortex_m::{Config, Core as CortexM};
use cyclescope_machine::{
    Bus, CallFrame, FlashTiming, Gap, InterruptLines, Memory, Pin, Restore, Shared, Silent, Sink, Stimulus, Stop,
    Target, TimingRow, Width,
};
use cyclescope_units::{Address, Bytes, Cycles, Hertz, Instructions};
use thiserror::Error;

use crate::{Core, Devices, MemorySetting, Part};

/// Exceptions that every core of the family has, by number and name.
const SYSTEM_EXCEPTIONS: &[(u16, &str)] =
    &[(2, "NMI"), (3, "HardFault"), (11, "SVCall"), (14, "PendSV"), (15, "SysTick")];

/// What is chosen before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What flash costs.
    pub memory: MemorySetting,
    /// The most bytes the guest may write to the outside.
    pub output_budget: usize,
    /// Whether `BKPT 0xAB` talks to the host's console.
    pub semihosting: bool,
    /// Whether a fault ends the run instead of running the guest's handler.
    pub halt_on_fault: bool,
    /// Whether a reset by software or a watchdog ends the run instead of starting the guest anew.
    pub halt_on_reset: bool,
}

/// How deep a stack got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackUse {
    /// What there is.
    pub size: Bytes,
    /// Deepest use, from the stack's end down; more than `size` where it was too small.
    pub used: Bytes,
}

impl StackUse {
    /// Whether it went below its lowest address.
    pub fn overflowed(self) -> bool {
        self.used > self.size
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            memory: MemorySetting::Equal,
            output_budget: 1 << 20,
            semihosting: true,
            halt_on_fault: false,
            halt_on_reset: false,
        }
    }
}

/// An image that the part cannot start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// A segment lies where the part has no memory.
    #[error(
        "the image loads {length} at {address}, but {part} has only {flash} flash at {flash_base} and {ram} RAM at \
         {ram_base}; was it linked for another part?"
    )]
    Outside {
        /// Where it begins.
        address: Address,
        /// How long it is.
        length: Bytes,
        /// The part's name.
        part: String,
        /// Its flash.
        flash: Bytes,
        /// Where flash begins.
        flash_base: Address,
        /// Its RAM.
        ram: Bytes,
        /// Where RAM begins.
        ram_base: Address,
    },
    /// The words where the vector table belongs are erased or zero.
    #[error("there is no vector table at {0}: its first words are blank; does the linker script place it there?")]
    NoVectorTable(Address),
    /// The table's first word is no address in RAM nor RAM's end.
    #[error("the initial stack pointer {sp} lies outside RAM ({from} to {to})")]
    StackPointer {
        /// What the table says.
        sp: Address,
        /// Where RAM begins.
        from: Address,
        /// Where RAM ends.
        to: Address,
    },
    /// The table's second word does not point to Thumb code in memory.
    #[error("the reset vector {0:#010x} is no address of Thumb code in flash or RAM")]
    ResetVector(u32),
}

/// A machine ready to run, or in the middle of a run. Clone it to fork the run.
#[derive(Clone, Debug)]
pub struct Machine {
    part: Arc<Part>,
    core: CortexM<Devices>,
    bus: Bus<Devices>,
    resets: u64,
    halt_on_reset: bool,
}

impl Machine {
    /// `part` with `segments` loaded, reset and about to run its first instruction.
    ///
    /// # Errors
    /// [`LoadError`] where the part could not start this image.
    pub fn new<'s>(
        part: &Part,
        settings: Settings,
        segments: impl IntoIterator<Item = (Address, &'s [u8])>,
    ) -> Result<Self, LoadError> {
        let erased = vec![0xFF; part.flash.bytes.get() as usize];
        let mut memory = Memory::new(part.flash.base, erased, part.ram.base, part.ram.bytes.get() as usize);
        for (address, bytes) in segments {
            if !memory.load(address, bytes) {
                return Err(LoadError::Outside {
                    address,
                    length: Bytes::new(bytes.len() as u64),
                    part: part.name.to_string(),
                    flash: part.flash.bytes,
                    flash_base: part.flash.base,
                    ram: part.ram.bytes,
                    ram_base: part.ram.base,
                });
            }
        }
        check_vectors(&memory, part.flash.base)?;
        let mut bus = Bus::new(memory, Devices::new(part, settings.memory), settings.output_budget);
        let (devices, mut context) = bus.with_context(Cycles::ZERO, Address::ZERO);
        devices.start(&mut context);
        let mut core = CortexM::new(config(part, settings), &bus);
        core.halt_on_fault(settings.halt_on_fault);
        // The vectors were checked.
        core.reset(&mut bus).map_err(|_| LoadError::NoVectorTable(part.flash.base))?;
        Ok(Self { part: Arc::new(part.clone()), core, bus, resets: 0, halt_on_reset: settings.halt_on_reset })
    }

    /// The part.
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// The core.
    pub fn core(&self) -> &CortexM<Devices> {
        &self.core
    }

    /// The devices.
    pub fn devices(&self) -> &Devices {
        &self.bus.peripherals
    }

    /// The core's clock at the moment.
    pub fn clock(&self) -> Hertz {
        self.bus.peripherals.hclk()
    }

    /// What flash costs at the moment.
    pub fn flash_timing(&self) -> FlashTiming {
        self.bus.memory.flash.interface().timing()
    }

    /// How often the part was reset since power-on.
    pub fn resets(&self) -> u64 {
        self.resets
    }

    /// The model gaps met so far.
    pub fn gaps(&self) -> &[Gap] {
        self.bus.shared.gaps.all()
    }

    /// Exceptions by number and name: the system's, then the part's interrupts.
    pub fn exceptions(&self) -> Vec<(u16, &'static str)> {
        let interrupts = self.part.interrupts.iter().map(|(line, name)| (u16::from(*line) + 16, *name));
        SYSTEM_EXCEPTIONS.iter().copied().chain(interrupts).collect()
    }

    /// The timing rows that the run has used so far: the core's own, and those of bus and flash that applied.
    pub fn timing_used(&self) -> Vec<&'static TimingRow> {
        let (_, timing, _) = model(self.part.core);
        let used = self.core.rows_used();
        let mut rows: Vec<&TimingRow> =
            (0..).zip(timing.rows).filter(|(index, _)| used.contains(*index)).map(|(_, row)| row).collect();
        if used.contains(timing.data_phase) {
            rows.extend(self.part.bus_rows());
        }
        if self.bus.memory.flash.interface().timing().wait_states > 0 {
            rows.extend(self.part.flash_rows());
        }
        rows.extend(self.bus.peripherals.rows_used().iter().copied());
        rows
    }

    /// Deepest use of the main stack, in bytes below its initial top.
    pub fn main_stack_used(&self) -> Bytes {
        let top = self.bus.memory.read(self.part.flash.base.get(), Width::Word).unwrap_or(0);
        Bytes::new(u64::from(top.saturating_sub(self.core.cpu().lowest_main_sp())))
    }

    /// Watches how deep each of these stacks gets from now on, for [`Machine::stacks_used`]: a kernel's, one for each task,
    /// and the main stack if it is named. A stack reaches from its lowest address to the first above it. Of ranges that
    /// overlap the first that holds the stack pointer gets the use. Takes the place of what was watched before.
    pub fn watch_stacks(&mut self, stacks: &[Range<Address>]) {
        self.core.watch_stacks(stacks.iter().map(|stack| stack.start.get()..stack.end.get()));
    }

    /// The deepest use of each stack since [`Machine::watch_stacks`], in its order: what code pushed or made room for,
    /// exception frames, and the registers that a kernel saves below the process stack pointer.
    ///
    /// The end of a frame that is reserved and not written counts (lazy floating-point state). What a kernel writes to a
    /// task's stack before the task first runs does not.
    pub fn stacks_used(&self) -> Vec<StackUse> {
        let used = self.core.cpu().lowest_in_stacks();
        used.map(|(range, lowest)| StackUse {
            size: Bytes::new(u64::from(range.end.saturating_sub(range.start))),
            used: Bytes::new(u64::from(range.end.saturating_sub(lowest))),
        })
        .collect()
    }

    /// Runs like [`Target::run`], handing every retired instruction to `sink`.
    pub fn run_into<S: Sink>(&mut self, until: Cycles, sink: &mut S) -> Stop {
        loop {
            match self.core.run_into(&mut self.bus, until, sink) {
                Stop::Reset(cause) if !self.halt_on_reset => self.reset(cause),
                stop => return stop,
            }
        }
    }

    /// A system reset: RAM and the clock of the simulation go on, everything else begins anew.
    fn reset(&mut self, cause: &'static str) {
        self.resets += 1;
        self.bus.shared.interrupts = InterruptLines::default();
        let (devices, mut context) = self.bus.with_context(self.core.now(), self.core.cpu().pc());
        devices.reset(cause, &mut context);
        // The table was readable at power-on; if the guest has erased it since, the core locks up at its first fetch.
        let _ = self.core.reset(&mut self.bus);
    }
}

impl Restore for Machine {
    /// See [`Restore::restore`]. `from` should descend from the same machine as this one, by [`Clone`]: one that does not is
    /// cloned. [`Machine::timing_used`] afterwards names the rows of both.
    fn restore(&mut self, from: &Self) {
        if !Arc::ptr_eq(&self.part, &from.part) {
            let watched = self.core.watched().to_vec();
            *self = from.clone();
            self.core.watch_only(&watched);
            return;
        }
        self.core.restore(&from.core);
        self.bus.memory.restore_from(&from.bus.memory);
        self.bus.peripherals.restore(&from.bus.peripherals);
        self.bus.shared.clone_from(&from.bus.shared);
        self.resets = from.resets;
        self.halt_on_reset = from.halt_on_reset;
    }
}

impl Target for Machine {
    fn run(&mut self, until: Cycles) -> Stop {
        self.run_into(until, &mut Silent)
    }

    fn now(&self) -> Cycles {
        self.core.now()
    }

    fn instructions(&self) -> Instructions {
        self.core.instructions()
    }

    fn pc(&self) -> Address {
        self.core.cpu().pc()
    }

    fn watch(&mut self, address: Address) {
        self.core.watch(address);
    }

    fn call_frame(&self) -> CallFrame {
        let r = &self.core.cpu().r;
        CallFrame { return_address: Address::new(r[14] & !1), stack_pointer: Address::new(r[13]) }
    }

    fn stimulate(&mut self, at: Cycles, stimulus: Stimulus) {
        let Bus { peripherals, shared, .. } = &mut self.bus;
        peripherals.stimulate(at, stimulus, &mut shared.events);
    }

    fn pins(&self) -> Vec<Pin> {
        self.part.pins().collect()
    }

    fn pin(&self, pin: Pin) -> bool {
        self.bus.peripherals.pin(pin)
    }

    fn serial_ports(&self) -> Vec<u8> {
        self.bus.peripherals.serial_ports()
    }

    fn shared(&mut self) -> &mut Shared {
        &mut self.bus.shared
    }

    fn memory(&mut self) -> &mut Memory {
        &mut self.bus.memory
    }
}

/// What the core's model is made of: architecture, timing, and CPUID of the revision that the timing is of (DDI 0484C §4.1,
/// DDI 0337I §4.1, Arm 100166 §4.1).
const fn model(core: Core) -> (Architecture, &'static CoreTiming, u32) {
    match core {
        Core::CortexM0Plus => (Architecture::Armv6M, &CORTEX_M0PLUS, 0x410C_C601),
        Core::CortexM3 => (Architecture::Armv7M, &CORTEX_M3, 0x412F_C231),
        Core::CortexM4 => (Architecture::Armv7EM, &CORTEX_M4, 0x410F_C241),
        Core::CortexM4F => (Architecture::Armv7EMF, &CORTEX_M4F, 0x410F_C241),
    }
}

fn config(part: &Part, settings: Settings) -> Config {
    let (architecture, timing, cpuid) = model(part.core);
    let interrupts = part.interrupts.iter().map(|(line, _)| u16::from(*line) + 1).max().unwrap_or(32);
    let reference = part.systick_reference_divider;
    Config {
        architecture,
        // The M0+ has no bit-band; all parts here with an M3 or M4 have.
        bit_band: architecture.is_v7(),
        timing,
        priority_bits: part.priority_bits,
        interrupts: interrupts.max(32),
        mpu_regions: part.mpu_regions,
        systick_reference: reference,
        // NOREF where there is no reference clock.
        systick_calibration: u32::from(reference.is_none()) << 31 | part.systick_calibration,
        cpuid,
        semihosting: settings.semihosting,
    }
}

fn check_vectors(memory: &Memory, table: Address) -> Result<(), LoadError> {
    let word = |offset| memory.read(table.get() + offset, Width::Word).unwrap_or(0);
    let (sp, entry) = (word(0), word(4));
    if [0, u32::MAX].contains(&sp) || [0, u32::MAX].contains(&entry) {
        return Err(LoadError::NoVectorTable(table));
    }
    let (from, to) = (memory.ram.base(), memory.ram.end());
    // RAM's very end is the usual choice: the first push goes below it.
    if sp < from.get() || sp > to.get() {
        return Err(LoadError::StackPointer { sp: Address::new(sp), from, to });
    }
    if entry & 1 == 0 || memory.region(entry & !1).is_none() {
        return Err(LoadError::ResetVector(entry));
    }
    Ok(())
}
