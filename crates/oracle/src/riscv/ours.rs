//! Our side: the core with its memory and the changes of its interrupt inputs.

use std::collections::VecDeque;

use cyclescope_machine::units::{Address, Cycles, Instructions};
use cyclescope_machine::{Access, Bus, BusFault, Context, EventId, Memory, Peripherals, Retire, RowSet, Stop, Width};
use cyclescope_riscv::decode::{self, Extensions, Instruction, Op};
use cyclescope_riscv::{Config, Core, Cpu, Pipeline};

use super::program::{DATA, DATA_BYTES, DEVICE, Program};
use super::rtl::{Answer, Outside, Retired};
use crate::random::Random;
use crate::run_modes::{self, RunMode, Runs};

/// A limit above the cycles of any program.
const LONGEST: u64 = 1_000_000;

/// The answers to accesses outside memory.
#[derive(Clone, Debug, Default)]
pub(super) enum Device {
    /// Within [`DEVICE`] a read returns the cycle; else nothing answers.
    #[default]
    Clock,
    /// Reads return these words, then 0.
    Recorded(VecDeque<u32>),
}

/// Inputs whose levels change at given cycles, and a device. All accesses are recorded.
#[derive(Clone, Debug, Default)]
pub(super) struct Wires {
    levels: Vec<u32>,
    device: Device,
    began: u64,
    pub(super) log: Vec<Outside>,
}

impl Wires {
    fn answers(&self, access: Access) -> bool {
        matches!(self.device, Device::Recorded(_)) || DEVICE.contains(&access.address.get())
    }

    /// Records an access to `bytes` of a word with the value `value`. A misaligned store comes byte by byte.
    fn note(&mut self, access: Access, bytes: u32, value: u32, error: bool) {
        let (address, at) = (access.address.get() & !3, (access.at.get() - self.began) as u32);
        match self.log.last_mut() {
            Some(last) if bytes > 0 && (last.address, last.at) == (address, at) => {
                last.bytes |= bytes;
                last.value |= value;
            }
            _ => self.log.push(Outside { address, at, bytes, value, error }),
        }
    }
}

impl Peripherals for Wires {
    fn read(&mut self, access: Access, _: &mut Context<'_>) -> Result<u32, BusFault> {
        let answers = self.answers(access);
        let value = match &mut self.device {
            Device::Clock => (access.at.get() - self.began) as u32,
            Device::Recorded(words) => words.pop_front().unwrap_or(0),
        };
        self.note(access, 0, if answers { value } else { 0 }, !answers);
        let value = value >> (8 * (access.address.get() & 3)) & access.width.mask();
        if answers { Ok(value) } else { Err(BusFault::Unmapped(access.address)) }
    }

    fn write(&mut self, access: Access, value: u32, _: &mut Context<'_>) -> Result<(), BusFault> {
        let answers = self.answers(access);
        let place = access.address.get() & 3;
        self.note(access, ((1 << access.width.bytes()) - 1) << place, value << (8 * place), !answers);
        if answers { Ok(()) } else { Err(BusFault::Unmapped(access.address)) }
    }

    fn event(&mut self, id: EventId, context: &mut Context<'_>) {
        let levels = self.levels.get(usize::from(id.number)).copied().unwrap_or(0);
        for line in 0..32 {
            context.interrupts.set(line, levels >> line & 1 != 0);
            // VexRiscv's array has its own.
            if line >= 16 {
                context.interrupts.set(line + 16, levels >> line & 1 != 0);
            }
        }
    }
}

/// A core and what it works on.
pub(super) type Machine = run_modes::Machine<Cpu, Wires>;

/// Returns the core with `config` at the start of `program`.
fn loaded(config: Config, program: &Program, changes: &[(u32, u32)]) -> Machine {
    let mut memory = Memory::new(Address::ZERO, Vec::new(), Address::ZERO, program.memory.len());
    memory.load(Address::ZERO, &program.memory);
    machine(config, memory, Device::Clock, changes)
}

/// Returns the core with `config` in front of `memory` and `device`.
pub(super) fn machine(config: Config, memory: Memory, device: Device, changes: &[(u32, u32)]) -> Machine {
    let levels = changes.iter().map(|(_, levels)| *levels).collect();
    let mut bus = Bus::new(memory, Wires { levels, device, ..Wires::default() }, 0);
    let core = Core::new(config, &bus);
    bus.peripherals.began = core.now().get();
    for (number, (at, _)) in changes.iter().enumerate() {
        bus.shared.events.schedule(core.now() + Cycles::new(u64::from(*at)), EventId::new(number as u16));
    }
    (core, bus)
}

/// The retirements of a run by single steps, as the peer reports them.
#[derive(Debug)]
pub struct Retirements {
    /// The retirements.
    pub all: Vec<Retired>,
    began: Cycles,
    /// Tells if each ends at its own end, or where the next one begins.
    own: bool,
    /// The cycle at which waitirq fell asleep.
    slept: Option<Cycles>,
    /// Retirements whose ends have been taken from a pipeline.
    settled: u64,
}

impl Retirements {
    /// Returns no retirement of a run that began at `began`.
    pub fn new(began: Cycles, own: bool) -> Self {
        Self { all: Vec::new(), began, own, slept: None, settled: 0 }
    }

    /// Adds the instruction `i`, with the register that it wrote, by the state of `cpu` after it.
    pub fn add(&mut self, Retire { pc, at, cycles }: Retire, i: &Instruction, cpu: &Cpu) {
        // The previous one ended where this one began: cycles between them count for it.
        if let Some(before) = self.all.last_mut().filter(|_| !self.own) {
            before.end = (self.slept.take().unwrap_or(at) - self.began).get() as u32;
        }
        let rd = if i.op == Op::Setq { 0 } else { u32::from(i.rd) };
        let end = (at + cycles - self.began).get() as u32;
        self.all.push(Retired { pc: pc.get(), end, rd, value: cpu.get(rd as u8) });
    }

    /// Takes the ends from the last stage of a pipeline.
    fn settle(&mut self, pipeline: &Pipeline) {
        for number in self.settled..pipeline.retired() {
            if let Some(retired) = self.all.get_mut(number as usize) {
                retired.end = (pipeline.retired_at(number) - self.began.get()) as u32;
            }
        }
        self.settled = pipeline.retired();
    }

    /// Records a step from the cycle `from` on without a retirement: waitirq began where it fell asleep.
    pub fn idle(&mut self, from: Cycles, cpu: &Cpu) {
        if cpu.asleep || cpu.pico.resumed {
            self.slept.get_or_insert(from);
        }
    }
}

/// Returns the instruction at `pc` and its bits.
pub fn instruction(memory: &Memory, pc: u32, extensions: Extensions) -> (Instruction, u32) {
    let [low, high] = [0, 2].map(|offset| memory.read(pc.wrapping_add(offset), Width::Half).unwrap_or(0));
    let bits = high << 16 | low;
    (decode::decode(bits, extensions), bits)
}

/// The result of a program on our side.
#[derive(Debug)]
pub struct Ours {
    /// The result in a peer's form.
    pub answer: Answer,
    /// The number of traps taken.
    pub traps: u64,
    /// The timing rows used.
    pub rows: RowSet,
    /// Tells if it sleeps at the end.
    pub asleep: bool,
}

/// Runs `count` instructions of `program` by single steps and reports the register that each writes, as the peer does.
/// Each ends at its own end (`own`), or where the next one begins.
pub fn stepped(config: Config, program: &Program, count: usize, changes: &[(u32, u32)], own: bool) -> Ours {
    steps(loaded(config, program, changes), config.extensions, count, own)
}

/// The same for a machine at its start, whose core has `extensions`.
pub(super) fn steps((mut core, mut bus): Machine, extensions: Extensions, count: usize, own: bool) -> Ours {
    let mut retired = Retirements::new(core.now(), own);
    while retired.all.len() <= count && core.now().get() < LONGEST {
        let mut last: Option<Retire> = None;
        let from = core.now();
        let stop = core.run_into(&mut bus, from + Cycles::new(1), &mut |retire: Retire| last = Some(retire));
        match last {
            Some(last) => {
                let (i, _) = instruction(&bus.memory, last.pc.get(), extensions);
                retired.add(last, &i, core.cpu());
            }
            None => retired.idle(from, core.cpu()),
        }
        if let Some(pipeline) = core.cpu().pipeline() {
            retired.settle(pipeline);
        }
        if stop != Stop::Horizon {
            break;
        }
    }
    let settled = core.cpu().pipeline().map_or(usize::MAX, |_| retired.settled as usize);
    let mut retired = retired.all;
    retired.truncate(count.min(settled));
    let (outside, memory) = (bus.peripherals.log, bus.memory.ram.bytes().to_vec());
    let answer = Answer { retired, outside, memory };
    Ours { answer, traps: core.cpu().traps_taken, rows: core.rows_used(), asleep: core.cpu().asleep }
}

/// Returns the first mode in which `program`, run to the cycle `until`, does not give the results of single steps.
pub fn first_mismatch(config: Config, program: &Program, until: u64, changes: &[(u32, u32)]) -> Option<RunMode> {
    unlike_steps(&loaded(config, program, changes), until)
}

/// The same for `machine` at its start.
pub(super) fn unlike_steps(machine: &Machine, until: u64) -> Option<RunMode> {
    let base = machine.1.memory.ram.base().get();
    let data = base + DATA..base + DATA + DATA_BYTES;
    Runs { first: machine, until, data, left_by }.unlike_steps(&mut Random::new(until))
}

/// The result of a run: time, instructions, pc, registers, memory, accesses outside memory, traps, the depth of the stack,
/// and rows of timing.
type Outcome = (Cycles, Instructions, u32, [u32; 32], Vec<u8>, Vec<Outside>, [u64; 2], RowSet);

/// The result that a run has left.
fn left_by((core, bus): &mut Machine, _: Stop) -> Outcome {
    let cpu = core.cpu();
    let registers: [u32; 32] = std::array::from_fn(|register| cpu.get(register as u8));
    let memory = bus.memory.ram.bytes().to_vec();
    let counts = [cpu.traps_taken, cpu.main_stack.used().into()];
    let log = std::mem::take(&mut bus.peripherals.log);
    (core.now(), core.instructions(), cpu.pc, registers, memory, log, counts, cpu.rows)
}
