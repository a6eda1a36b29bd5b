//! Our side: the core run in every way that must make no difference.

use cyclescope_cortex_m::timing::CORTEX_M0PLUS;
use cyclescope_cortex_m::{Config, Core, Retire};
use cyclescope_machine::{Bus, FlashTiming, Memory, Stop, WithoutPeripherals};
use cyclescope_units::{Address, Cycles};

use crate::map::{DATA_BYTES, IMAGE_BYTES, RAM_BASE};
use crate::random::Random;
use crate::state::{State, add_hash, hash_data, mix};
use crate::stream::Batch;

/// More cycles than any batch takes.
const BUDGET: Cycles = Cycles::new(1_000_000);

/// Flash with a wait state, prefetch and the two-line cache, beside flash without any of it.
pub const FLASH_TIMINGS: [FlashTiming; 2] =
    [FlashTiming::IDEAL, FlashTiming { line_bytes: 8, wait_states: 1, prefetch: true, cached_lines: 2 }];

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
        Self { core, bus }
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

/// A way of running that must make no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Whole blocks to the end.
    Blocks,
    /// Every instruction handed to a sink.
    Sink,
    /// Blocks, stopped and continued at random cycles.
    Cut,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Blocks, Self::Sink, Self::Cut];

    /// Runs `batch` this way, which single steps took as `steps` says; what differs in words, if anything does.
    pub fn run(
        self,
        batch: &Batch,
        timing: FlashTiming,
        steps: &Stepped,
        random: &mut Random,
    ) -> (Outcome, Option<&'static str>) {
        let mut ours = Ours::new(batch, timing);
        let (outcome, oddity) = match self {
            Self::Blocks => (ours.run_until(BUDGET.get()), None),
            Self::Sink => {
                let mut seen = 0;
                let mut clock = 0;
                let mut whole = true;
                let mut sink = |retire: Retire| {
                    // Nothing stands between instructions here: each begins when the one before it ends.
                    whole &= retire.at.get() == clock;
                    clock = retire.at.get() + retire.cycles.get();
                    seen = mix(seen, u64::from(retire.pc.get()));
                };
                let stop = ours.core.run_into(&mut ours.bus, BUDGET, &mut sink);
                let outcome = ours.outcome(stop);
                let oddity = if !whole || clock != outcome.cycles {
                    Some("the cycles that the sink was told leave gaps")
                } else if seen != hash_pcs(&steps.pcs, batch.end) {
                    Some("the sink was told of other instructions")
                } else {
                    None
                };
                (outcome, oddity)
            }
            Self::Cut => loop {
                let until = ours.cycles() + 1 + u64::from(random.below(60));
                let outcome = ours.run_until(until);
                if outcome.stop != Stop::Horizon || outcome.cycles > BUDGET.get() {
                    break (outcome, None);
                }
                let boundary = steps.starts.partition_point(|start| *start < until);
                if steps.starts.get(boundary) != Some(&outcome.cycles) {
                    break (outcome, Some("a cut run did not stop at the first boundary"));
                }
            },
        };
        let oddity = oddity.or((outcome != steps.outcome).then_some("it ended otherwise"));
        (outcome, oddity)
    }
}

/// The hash that [`Way::Sink`] has when it saw `pcs` and then `end`.
fn hash_pcs(pcs: &[u32], end: u32) -> u64 {
    pcs.iter().chain([&end]).fold(0, |hash, pc| mix(hash, u64::from(*pc)))
}
