//! Our side of a batch: single steps, and the other modes of running.

use cyclescope_avr::decode::Extensions;
use cyclescope_avr::timing::ATMEGA328P;
use cyclescope_avr::{AvrPeripherals, Config, Core, DATA_SPACE};
use cyclescope_engine::laws::{self, Counter, Counts};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, Bus, BusFault, Context, EventId, Memory, Peripherals, Ram, Retire, Stop, Width};

use super::state::{DATA_BYTES, State};
use super::stream::Batch;
use crate::hash::{hash, mix};
use crate::lockstep::{COMPILED_RUNS, COUNTED_RUNS, several};
use crate::lowered;
use crate::random::Random;

/// A cycle behind the end of any batch.
const LATEST: Cycles = Cycles::new(u32::MAX as u64);
/// The first address of SRAM.
const RAM_START: u16 = 0x100;
/// The data address of SREG.
const SREG: usize = 0x5F;
/// The data address of SPL.
const SPL: usize = 0x5D;

/// I/O registers as plain memory, as in the peer, and interrupt requests at given times: the vectors.
#[derive(Clone, Debug)]
struct Latches([u8; 256], Vec<u8>);

impl Peripherals for Latches {
    fn read(&mut self, access: Access, _: &mut Context<'_>) -> Result<u32, BusFault> {
        Ok(self.0[access.address.get() as usize & 0xFF].into())
    }

    fn write(&mut self, access: Access, value: u32, _: &mut Context<'_>) -> Result<(), BusFault> {
        self.0[access.address.get() as usize & 0xFF] = value as u8;
        Ok(())
    }

    fn event(&mut self, id: EventId, context: &mut Context<'_>) {
        context.interrupts.set(self.1[usize::from(id.number)].into(), true);
    }
}

impl AvrPeripherals for Latches {
    fn acknowledge(&mut self, vector: u8, context: &mut Context<'_>) {
        context.interrupts.set(vector.into(), false);
    }
}

/// Stands for an instruction's address: an interrupt was taken.
pub const TAKEN: u32 = 0xFFFF_FFFE;

/// The result of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The final state.
    pub state: State,
    /// The number of executed instructions and interrupts taken.
    pub executed: u32,
    /// The hash of the data space at the end.
    pub data_hash: u64,
    /// The lowest stack pointer.
    pub lowest_sp: u16,
}

/// The result of a batch by single steps.
#[derive(Clone, Debug)]
pub struct Stepped {
    /// The final result.
    pub outcome: Outcome,
    /// The hash of the state after each instruction.
    pub hash: u64,
    /// The address of each instruction, or [`TAKEN`] for an interrupt.
    pub pcs: Vec<u32>,
    /// The state after each instruction and the data space's hash, if requested.
    pub steps: Vec<(State, u64)>,
    /// The reason for an early end.
    pub stop: Option<Stop>,
}

#[derive(Clone)]
struct Ours {
    core: Core<Latches>,
    bus: Bus<Latches>,
}

impl Ours {
    fn new(batch: &Batch) -> Self {
        let (io, ram) = batch.data.split_at(usize::from(RAM_START));
        let ram_start = Address::new(DATA_SPACE + u32::from(RAM_START));
        let mut memory = Memory::new(Address::ZERO, batch.flash.clone(), ram_start, ram.len());
        assert!(memory.load(ram_start, ram), "SRAM is as large as the batch says");
        let vectors = batch.raises.iter().map(|(_, vector)| *vector).collect();
        let latches = Latches(std::array::from_fn(|address| io[address]), vectors);
        let mut bus = Bus::new(memory, latches, 0);
        for ((at, _), number) in batch.raises.iter().zip(0..) {
            bus.shared.events.schedule(Cycles::new((*at).into()), EventId::new(number));
        }
        let config = Config {
            timing: &ATMEGA328P,
            extensions: Extensions::NONE,
            pc_bytes: 2,
            rampz: None,
            eind: None,
            // No address: the peer's SMCR is plain memory, and SLEEP continues at once.
            smcr: 0,
            ram_start: RAM_START,
            vector_bytes: 4,
            vectors: 26,
            reset: 0,
            stack_pointer: 0x8FF,
            debugger: false,
        };
        let mut core = Core::new(config, &bus);
        let cpu = core.cpu_mut();
        cpu.r.copy_from_slice(&io[..32]);
        cpu.set_sreg(batch.sreg);
        cpu.write_sp(u16::from_le_bytes([io[SPL], io[SPL + 1]]));
        cpu.pc = batch.pc;
        core.watch(Address::new(batch.end));
        Self { core, bus }
    }

    fn state(&self) -> State {
        State::of(self.core.cpu())
    }

    fn data_hash(&self) -> u64 {
        let state = self.state();
        let mut data = Vec::with_capacity(DATA_BYTES);
        data.extend_from_slice(&self.bus.peripherals.0);
        data[..32].copy_from_slice(&state.r);
        data[SREG] = state.sreg;
        [data[SPL], data[SPL + 1]] = state.sp.to_le_bytes();
        data.extend_from_slice(self.bus.memory.ram.bytes());
        hash(&data)
    }

    /// Runs blocks for random cycles. Returns whether it goes on.
    fn run_piece(&mut self, random: &mut Random) -> bool {
        let until = self.core.now() + Cycles::new(1 + u64::from(random.below(300)));
        self.core.run(&mut self.bus, until) == Stop::Horizon
    }

    /// Returns to `first`, which it was cloned from, keeps the decoded code, and writes each page of SRAM once as it is, so that stores
    /// there need no note of it: compiled code leaves others to the interpreter.
    fn rewind(&mut self, first: &Self) {
        self.bus.memory.restore_from(&first.bus.memory);
        self.bus.peripherals = first.bus.peripherals.clone();
        self.bus.shared = first.bus.shared.clone();
        self.core.restore(&first.core);
        let ram = &mut self.bus.memory.ram;
        for address in (ram.base().get()..ram.end().get()).step_by(Ram::PAGE_BYTES as usize) {
            let byte = ram.read(address, Width::Byte).unwrap_or(0);
            ram.write(address, Width::Byte, byte);
        }
    }

    fn outcome(&self) -> Outcome {
        let executed = (self.core.instructions().get() + self.core.cpu().interrupts_taken) as u32;
        let lowest_sp = self.core.cpu().lowest_sp;
        Outcome { state: self.state(), executed, data_hash: self.data_hash(), lowest_sp }
    }
}

/// Runs `batch` by single steps, at most `limit` of them.
pub fn stepped(batch: &Batch, limit: u32, trace: bool) -> Stepped {
    let mut ours = Ours::new(batch);
    let (mut hashed, mut pcs, mut steps, mut stop) = (0, Vec::new(), Vec::new(), None);
    while ours.core.cpu().pc != batch.end && pcs.len() < limit as usize {
        let pc = ours.core.cpu().pc;
        let until = Cycles::new(ours.core.cpu().now + 1);
        let taken = ours.core.cpu().interrupts_taken;
        let stopped = ours.core.run(&mut ours.bus, until);
        if stopped != Stop::Horizon {
            stop = Some(stopped);
            break;
        }
        pcs.push(if ours.core.cpu().interrupts_taken == taken { pc } else { TAKEN });
        let state = ours.state();
        hashed = mix(hashed, hash(&state.bytes()));
        if trace {
            steps.push((state, ours.data_hash()));
        }
    }
    Stepped { outcome: ours.outcome(), hash: hashed, pcs, steps, stop }
}

/// A mode of running `batch` that must give the results of single steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// Runs blocks.
    Whole,
    /// Passes each instruction to a sink.
    Observed,
    /// Runs blocks, cut at random cycles.
    Cut,
    /// Runs blocks, cut at random cycles, and continues with a clone each time.
    Cloned,
    /// Runs regions of blocks compiled before, cut at random cycles.
    CompiledCut,
    /// Runs blocks to the end, those compiled for this host that have run before.
    Compiled,
    /// Counts runs of compiled regions.
    Counted,
}

/// Returns the first mode whose result differs from `expected`, with its result. Every fourth batch is compiled.
pub fn first_mismatch(batch: &Batch, expected: &Outcome, random: &mut Random) -> Option<(RunMode, Outcome)> {
    let first = Ours::new(batch);
    let check = |mode, outcome: Outcome| (outcome != *expected).then_some((mode, outcome));
    [RunMode::Whole, RunMode::Observed, RunMode::Cut, RunMode::Cloned]
        .into_iter()
        .find_map(|mode| check(mode, run(&mut first.clone(), mode, random)))
        .or_else(|| {
            // To compile takes longer than all the rest.
            if random.below(4) > 0 {
                return None;
            }
            let mut ours = first.clone();
            ours.core.set_tier(Some(lowered::tier()));
            let found = COMPILED_RUNS.into_iter().find_map(|cut| {
                let mode = if cut { RunMode::CompiledCut } else { RunMode::Compiled };
                ours.rewind(&first);
                check(mode, run(&mut ours, mode, random))
            });
            if found.is_some() {
                return found;
            }
            let counted = counted(&first, &mut ours, expected);
            counted.map(|outcome| (RunMode::Counted, outcome))
        })
}

/// Counts several runs of `compiled`. Returns the result of one that is not as `expected`, or not counted as one by one.
fn counted(first: &Ours, compiled: &mut Ours, expected: &Outcome) -> Option<Outcome> {
    let (mut fresh, mut each) = (first.clone(), Counts::new());
    fresh.core.run_into(&mut fresh.bus, LATEST, &mut |retire: Retire| laws::add(&mut each, retire));
    let mut counter = Counter::default();
    for _ in 0..COUNTED_RUNS {
        compiled.rewind(first);
        counter.rewind();
        compiled.core.run_into(&mut compiled.bus, LATEST, &mut counter);
        let outcome = compiled.outcome();
        if outcome != *expected {
            return Some(outcome);
        }
    }
    (counter.counts() != Some(several(each, COUNTED_RUNS))).then(|| compiled.outcome())
}

fn run(ours: &mut Ours, mode: RunMode, random: &mut Random) -> Outcome {
    match mode {
        RunMode::Whole | RunMode::Compiled | RunMode::Counted => {
            ours.core.run(&mut ours.bus, LATEST);
        }
        RunMode::Observed => {
            ours.core.run_into(&mut ours.bus, LATEST, &mut |_| {});
        }
        RunMode::Cut | RunMode::CompiledCut => while ours.run_piece(random) {},
        RunMode::Cloned => {
            while ours.run_piece(random) {
                *ours = ours.clone();
            }
        }
    }
    ours.outcome()
}
