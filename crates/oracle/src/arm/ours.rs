//! Our side: the core with its memory, and a run by single steps.
//!
//! For our core an instruction skipped by its condition is a step; the peer does not report it. It counts as retired,
//! not as executed.

use cyclescope_cortex_m::decode::Architecture;
use cyclescope_cortex_m::timing::{CORTEX_M0PLUS, CORTEX_M3, CORTEX_M4, CORTEX_M4F};
use cyclescope_cortex_m::{Config, Core};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{
    AtZero, Bus, FlashTiming, Memory, MemorySnapshot, Ram, Sink, Stop, Width, WithoutPeripherals,
};

use crate::arm::map::{DATA_BYTES, IMAGE_BYTES, RAM_BASE};
use crate::arm::state::{PC, State, XPSR, add_hash};
use crate::arm::stream::Batch;
use crate::hash::hash;
use crate::lowered;

/// A limit above the cycles of any batch.
pub const BUDGET: Cycles = Cycles::new(1_000_000);

/// Flash settings. The first has no wait states. Then: one wait state with prefetch and a cache of two lines; five with
/// prefetch and the caches of the STM32F4, as no Armv6-M part has; two with prefetch alone, as the STM32F103; three
/// with a cache that takes prefetched lines, as the K20.
const FLASH_TIMINGS: [FlashTiming; 5] = [
    FlashTiming::IDEAL,
    FlashTiming { wait_states: 1, prefetch: true, instruction_lines: 2, ..FlashTiming::IDEAL },
    FlashTiming {
        line_bytes: 16,
        wait_states: 5,
        prefetch: true,
        instruction_lines: 64,
        data_lines: 8,
        ..FlashTiming::IDEAL
    },
    FlashTiming { wait_states: 2, prefetch: true, ..FlashTiming::IDEAL },
    FlashTiming {
        wait_states: 3,
        prefetch: true,
        instruction_lines: 24,
        data_lines: 8,
        caches_prefetched: true,
        ..FlashTiming::IDEAL
    },
];

/// Returns the flash settings for streams of `architecture`, used in turn; the first has no wait states.
pub fn flash_timings(architecture: Architecture) -> &'static [FlashTiming] {
    if architecture.is_v7() { &FLASH_TIMINGS } else { &FLASH_TIMINGS[..2] }
}

/// The state of a run, at a stop or at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The reason for the stop.
    pub stop: Stop,
    /// The registers.
    pub state: State,
    /// The hash of all RAM.
    pub ram_hash: u64,
    /// The cycle.
    pub cycles: u64,
    /// The number of retired instructions.
    pub instructions: u64,
}

/// A core with its memory, prepared for a batch.
pub struct Ours {
    core: Core,
    bus: Bus<WithoutPeripherals>,
    beginning: MemorySnapshot,
}

impl Ours {
    /// Returns the machine at the start of `batch`. For timing, the data is in two RAMs and the copy of the image in a
    /// third.
    pub fn new(batch: &Batch, timing: FlashTiming) -> Self {
        let ram_bytes = (DATA_BYTES + IMAGE_BYTES) as usize;
        let (flash, ram) = (Address::new(batch.flash_base), Address::new(RAM_BASE));
        let mut memory = Memory::new(flash, batch.image.clone(), ram, ram_bytes);
        memory.map_at_zero(AtZero::Flash);
        memory.set_flash_timing(timing);
        memory.split_ram(&[DATA_BYTES / 2, DATA_BYTES]);
        memory.load(ram, &batch.data);
        memory.load(Address::new(RAM_BASE + DATA_BYTES), &batch.image);
        let mut bus = Bus::new(memory, WithoutPeripherals, 0);
        let mut core = Core::new(config(batch.architecture), &bus);
        core.reset(&mut bus).expect("the vector table is in the image");
        core.cpu_mut().halt_on_fault = true;
        batch.state.apply(core.cpu_mut());
        let beginning = bus.memory.snapshot();
        Self { core, bus, beginning }
    }

    /// Writes each page of data once as it is, so that stores there need no note of it: compiled code leaves others to the interpreter.
    pub fn settle(&mut self) {
        for address in (RAM_BASE..RAM_BASE + DATA_BYTES).step_by(Ram::PAGE_BYTES as usize) {
            let ram = &mut self.bus.memory.ram;
            let byte = ram.read(address, Width::Byte).unwrap_or(0);
            ram.write(address, Width::Byte, byte);
        }
    }

    /// Returns to the start of `batch`, which this machine was made for, and keeps the decoded code.
    pub fn rewind(&mut self, batch: &Batch) {
        self.bus.memory.restore(&self.beginning);
        let cpu = self.core.cpu_mut();
        (cpu.now, cpu.instructions) = (0, 0);
        batch.state.apply(cpu);
    }

    /// Compiles each block that has run once, from now on.
    pub fn compile(&mut self) {
        self.core.set_tier(Some(lowered::tier()));
    }

    /// Returns the registers.
    pub fn state(&self) -> State {
        State::of(self.core.cpu())
    }

    /// Returns the hash of data RAM.
    pub fn data_hash(&self) -> u64 {
        hash(&self.bus.memory.ram.bytes()[..DATA_BYTES as usize])
    }

    /// Returns the current cycle.
    pub fn cycles(&self) -> u64 {
        self.core.now().get()
    }

    /// Executes one instruction.
    pub fn step(&mut self) -> Stop {
        self.core.step(&mut self.bus)
    }

    /// Runs in blocks up to the cycle `until`.
    pub fn run_until(&mut self, until: u64) -> Outcome {
        let stop = self.core.run(&mut self.bus, Cycles::new(until));
        self.outcome(stop)
    }

    /// Runs to the end and passes every instruction to `sink`.
    pub fn run_into(&mut self, sink: &mut impl Sink) -> Outcome {
        let stop = self.core.run_into(&mut self.bus, BUDGET, sink);
        self.outcome(stop)
    }

    fn outcome(&self, stop: Stop) -> Outcome {
        Outcome {
            stop,
            state: self.state(),
            ram_hash: hash(self.bus.memory.ram.bytes()),
            cycles: self.cycles(),
            instructions: self.core.instructions().get(),
        }
    }
}

/// Returns the configuration of the core for streams. Apart from its architecture, no property of a part matters.
pub fn config(architecture: Architecture) -> Config {
    let (timing, cpuid) = match architecture {
        Architecture::Armv6M => (&CORTEX_M0PLUS, 0x410C_C601),
        Architecture::Armv7M => (&CORTEX_M3, 0x412F_C231),
        Architecture::Armv7EM => (&CORTEX_M4, 0x410F_C241),
        Architecture::Armv7EMF => (&CORTEX_M4F, 0x410F_C241),
    };
    Config {
        architecture,
        bit_band: false,
        timing,
        // The peer has the same number.
        priority_bits: if architecture.is_v7() { 8 } else { 2 },
        interrupts: 32,
        mpu_regions: 0,
        systick_reference: None,
        systick_calibration: 0,
        cpuid,
        semihosting: false,
    }
}

/// A boundary between two instructions.
#[derive(Clone, Copy, Debug)]
pub struct Boundary {
    /// The registers.
    pub state: State,
    /// The cycle.
    pub cycles: u64,
    /// The hash of data RAM, if requested.
    pub data_hash: u64,
    /// Tells if its condition skips the next instruction.
    pub skips: bool,
}

/// Steps from boundary to boundary, including those of the same cycle: some instructions take no time behind another.
pub struct Stepper<'a> {
    ours: Ours,
    batch: &'a Batch,
    hashes_data: bool,
    here: Boundary,
}

impl<'a> Stepper<'a> {
    /// Returns a stepper at the start of `batch`.
    pub fn new(batch: &'a Batch, timing: FlashTiming, hashes_data: bool) -> Self {
        let ours = Ours::new(batch, timing);
        let here = boundary(&ours, batch, hashes_data);
        Self { ours, batch, hashes_data, here }
    }

    /// Returns the current boundary.
    pub fn here(&self) -> &Boundary {
        &self.here
    }

    /// Goes to the next boundary and returns the reason for our core's stop.
    pub fn advance(&mut self) -> Stop {
        let stop = self.ours.step();
        self.here = boundary(&self.ours, self.batch, self.hashes_data);
        stop
    }
}

fn boundary(ours: &Ours, batch: &Batch, hashes_data: bool) -> Boundary {
    let state = ours.state();
    let at_end = state.0[PC] == batch.end;
    Boundary {
        state,
        cycles: ours.cycles(),
        data_hash: if hashes_data { ours.data_hash() } else { 0 },
        skips: !at_end && skips(ours.core.cpu().entry.it, state.0[XPSR]),
    }
}

/// Tells if ITSTATE `it` skips an instruction under the flags of `xpsr` (ConditionPassed(), DDI 0403E §A7.3.2).
fn skips(it: u8, xpsr: u32) -> bool {
    let [n, z, c, v] = [31, 30, 29, 28].map(|bit| xpsr >> bit & 1 != 0);
    let holds = match it >> 5 {
        0 => z,
        1 => c,
        2 => n,
        3 => v,
        4 => c && !z,
        5 => n == v,
        6 => n == v && !z,
        _ => return false,
    };
    it & 0xF != 0 && holds == (it >> 4 & 1 != 0)
}

/// The result of a run by single steps.
#[derive(Clone, Debug)]
pub struct Stepped {
    /// The state at the end, including the stream's last BKPT.
    pub outcome: Outcome,
    /// The registers before that BKPT.
    pub state: State,
    /// The hash of the state before each executed instruction and of the final state.
    pub hash: u64,
    /// The hash of data RAM at the end.
    pub data_hash: u64,
    /// The addresses of the executed instructions, without that BKPT.
    pub pcs: Vec<u32>,
    /// The addresses of all retired instructions, including skipped ones.
    pub retired: Vec<u32>,
    /// The cycle at which each retired instruction begins, and that of the BKPT.
    pub starts: Vec<u64>,
}

/// Runs `batch` by single steps, at most `limit` of them, and records the registers before each.
pub fn stepped(batch: &Batch, timing: FlashTiming, limit: usize) -> Stepped {
    let floating_point = batch.architecture.has_fpu();
    let mut steps = Stepper::new(batch, timing, false);
    let mut hash = 0;
    let (mut pcs, mut retired, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    let mut stop = Stop::Horizon;
    while stop == Stop::Horizon && retired.len() < limit {
        let here = steps.here();
        let pc = here.state.0[PC];
        starts.push(here.cycles);
        if pc == batch.end {
            break;
        }
        retired.push(pc);
        if !here.skips {
            hash = add_hash(hash, &here.state, floating_point);
            pcs.push(pc);
        }
        stop = steps.advance();
    }
    let state = steps.here().state;
    hash = add_hash(hash, &state, floating_point);
    let mut ours = steps.ours;
    let data_hash = ours.data_hash();
    if stop == Stop::Horizon {
        stop = ours.step();
    }
    Stepped { outcome: ours.outcome(stop), state, hash, data_hash, pcs, retired, starts }
}
