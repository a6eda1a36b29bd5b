//! Our side: the core with its memory, and a run of it by single steps.

use cyclescope_cortex_m::decode::Architecture;
use cyclescope_cortex_m::timing::CORTEX_M0PLUS;
use cyclescope_cortex_m::{Config, Core, Sink};
use cyclescope_machine::{Bus, FlashTiming, Memory, MemorySnapshot, Stop, WithoutPeripherals};
use cyclescope_units::{Address, Cycles};

use crate::map::{DATA_BYTES, IMAGE_BYTES, RAM_BASE};
use crate::state::{State, add_hash, hash_data};
use crate::stream::Batch;

/// More cycles than any batch takes.
pub const BUDGET: Cycles = Cycles::new(1_000_000);

/// Flash with a wait state, prefetch and the two-line cache, beside flash without any of it.
pub const FLASH_TIMINGS: [FlashTiming; 2] = [
    FlashTiming::IDEAL,
    FlashTiming { line_bytes: 8, wait_states: 1, prefetch: true, instruction_lines: 2, data_lines: 0 },
];

/// Where a run stands or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why the run came back.
    pub stop: Stop,
    /// Registers.
    pub state: State,
    /// Over all of RAM.
    pub ram_hash: u64,
    /// The clock.
    pub cycles: u64,
    /// Instructions retired.
    pub instructions: u64,
}

/// A core with its memory, set up for a batch.
pub struct Ours {
    core: Core,
    bus: Bus<WithoutPeripherals>,
    beginning: MemorySnapshot,
}

impl Ours {
    /// The machine at the beginning of `batch`.
    pub fn new(batch: &Batch, timing: FlashTiming) -> Self {
        let ram_bytes = (DATA_BYTES + IMAGE_BYTES) as usize;
        let (flash, ram) = (Address::new(batch.flash_base), Address::new(RAM_BASE));
        let mut memory = Memory::new(flash, batch.image.clone(), ram, ram_bytes);
        memory.set_flash_timing(timing);
        memory.load(ram, &batch.data);
        memory.load(Address::new(RAM_BASE + DATA_BYTES), &batch.image);
        let mut bus = Bus::new(memory, WithoutPeripherals, 0);
        let mut core = Core::new(config(), &bus);
        core.reset(&mut bus).expect("the vector table is in the image");
        core.halt_on_fault(true);
        batch.state.apply(core.cpu_mut());
        let beginning = bus.memory.snapshot();
        Self { core, bus, beginning }
    }

    /// Goes back to the beginning of `batch`, which this machine was made for, but keeps the code predecoded: what runs
    /// now has run before.
    pub fn rewind(&mut self, batch: &Batch) {
        self.bus.memory.restore(&self.beginning);
        let cpu = self.core.cpu_mut();
        (cpu.now, cpu.instructions) = (0, 0);
        batch.state.apply(cpu);
    }

    /// Registers now.
    pub fn state(&self) -> State {
        State::of(self.core.cpu())
    }

    /// The hash of data RAM now.
    pub fn data_hash(&self) -> u64 {
        hash_data(&self.bus.memory.ram.bytes()[..DATA_BYTES as usize])
    }

    /// The clock.
    pub fn cycles(&self) -> u64 {
        self.core.now().get()
    }

    /// Executes one instruction.
    pub fn step(&mut self) -> Stop {
        let until = Cycles::new(self.core.now().get() + 1);
        self.core.run(&mut self.bus, until)
    }

    /// Runs blocks up to the cycle `until`.
    pub fn run_until(&mut self, until: u64) -> Outcome {
        let stop = self.core.run(&mut self.bus, Cycles::new(until));
        self.outcome(stop)
    }

    /// Runs to the end with every instruction handed to `sink`.
    pub fn run_into(&mut self, sink: &mut impl Sink) -> Outcome {
        let stop = self.core.run_into(&mut self.bus, BUDGET, sink);
        self.outcome(stop)
    }

    fn outcome(&self, stop: Stop) -> Outcome {
        Outcome {
            stop,
            state: self.state(),
            ram_hash: hash_data(self.bus.memory.ram.bytes()),
            cycles: self.cycles(),
            instructions: self.core.instructions().get(),
        }
    }
}

/// The core that streams run on. Nothing that its part decides matters to them.
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

/// A run instruction by instruction.
#[derive(Clone, Debug)]
pub struct Stepped {
    /// How it ended, the BKPT at the end of the stream included.
    pub outcome: Outcome,
    /// The state before that BKPT.
    pub state: State,
    /// Over the state before each instruction, and the last.
    pub hash: u64,
    /// Over data RAM at the end.
    pub data_hash: u64,
    /// The addresses of the instructions, that BKPT not among them.
    pub pcs: Vec<u32>,
    /// The cycle at which each of them begins, and that BKPT.
    pub starts: Vec<u64>,
}

/// Runs `batch` with a look at the registers before each instruction, `limit` of them at most.
pub fn stepped(batch: &Batch, timing: FlashTiming, limit: usize) -> Stepped {
    let mut ours = Ours::new(batch, timing);
    let mut hash = 0;
    let (mut pcs, mut starts) = (Vec::new(), Vec::new());
    let mut stop = Stop::Horizon;
    while stop == Stop::Horizon && pcs.len() < limit {
        let state = ours.state();
        starts.push(ours.cycles());
        if state.0[crate::state::PC] == batch.end {
            break;
        }
        hash = add_hash(hash, &state);
        pcs.push(state.0[crate::state::PC]);
        stop = ours.step();
    }
    let state = ours.state();
    hash = add_hash(hash, &state);
    let data_hash = ours.data_hash();
    if stop == Stop::Horizon {
        stop = ours.step();
    }
    Stepped { outcome: ours.outcome(stop), state, hash, data_hash, pcs, starts }
}
