//! The modes of running our core. Here its interrupt inputs move, which QEMU's do not.

use cyclescope_machine::units::{Address, Cycles, Instructions};
use cyclescope_machine::{Access, Bus, BusFault, Context, EventId, Memory, Peripherals, RowSet, Stop};
use cyclescope_xtensa::InterruptKind::{Edge, Level, Nmi};
use cyclescope_xtensa::{Config, Configuration, Core, Cpu};

use super::machine::Machine;
use super::program::Program;
use crate::random::Random;
use crate::run_modes::{self, RunMode, Runs};

/// The most cycles from one change of the inputs to the next.
const APART: u32 = 400;
/// The times that the inputs change.
const CHANGES: usize = 60;

/// Inputs whose levels change at given cycles. Nothing answers outside memory.
#[derive(Clone, Debug)]
struct Wires {
    levels: Vec<u32>,
}

impl Peripherals for Wires {
    fn read(&mut self, access: Access, _: &mut Context<'_>) -> Result<u32, BusFault> {
        Err(BusFault::Unmapped(access.address))
    }

    fn write(&mut self, access: Access, _: u32, _: &mut Context<'_>) -> Result<(), BusFault> {
        Err(BusFault::Unmapped(access.address))
    }

    fn event(&mut self, id: EventId, context: &mut Context<'_>) {
        let levels = self.levels.get(usize::from(id.number)).copied().unwrap_or(0);
        for line in 0..32 {
            context.interrupts.set(line, levels >> line & 1 != 0);
        }
    }
}

/// The interrupts of `configuration` that have inputs, the NMI aside.
pub(super) fn inputs(configuration: &Configuration) -> u32 {
    bits(configuration, |kind| matches!(kind, Level | Edge))
}

fn bits(configuration: &Configuration, has: impl Fn(cyclescope_xtensa::InterruptKind) -> bool) -> u32 {
    configuration.interrupts.iter().enumerate().filter(|(_, it)| has(it.kind)).fold(0, |all, (bit, _)| all | 1 << bit)
}

type Both = run_modes::Machine<Cpu, Wires>;

/// The core of `machine` at the start of `program`; inputs rise and fall at cycles of `random`.
fn fresh(machine: &Machine, program: &Program, random: &mut Random) -> Both {
    let config: Config = machine.config(program.entry);
    let mut memory = Memory::new(Address::ZERO, Vec::new(), Address::new(machine.base), program.memory.len());
    memory.load(Address::new(machine.base), &program.memory);
    let inputs = inputs(config.configuration);
    let nmi = bits(config.configuration, |kind| kind == Nmi);
    let mut levels = Vec::new();
    for number in 0..CHANGES {
        // Each is low again soon: a handler cannot lower it.
        let one = 1 << random.below(32);
        let raised = if random.one_in(8) { nmi } else { inputs & (one | 1 << random.below(32)) };
        levels.push(if number % 2 == 0 { raised } else { 0 });
    }
    let mut bus = Bus::new(memory, Wires { levels }, 0);
    let core = Core::new(config, &bus);
    let mut at = core.now();
    for number in 0..CHANGES as u16 {
        at += Cycles::new(1 + u64::from(random.below(if number % 2 == 0 { APART } else { APART / 8 })));
        bus.shared.events.schedule(at, EventId::new(number));
    }
    (core, bus)
}

/// Runs `program` on the core of `machine` for so many `cycles`, in each mode and by single steps. Returns the first mode that does not
/// give the results of these.
pub fn first_mismatch(machine: &Machine, program: &Program, cycles: u64, random: &mut Random) -> Option<RunMode> {
    let first = &fresh(machine, program, random);
    // Interrupts take longer than QEMU's run.
    Runs { first, until: cycles + cycles / 4, data: program.data.clone(), left_by }.unlike_steps(random)
}

/// The result of a run: the reason of its end, time, instructions, exceptions and the depth of the stack, registers, memory, and rows of
/// timing.
type Outcome = (Stop, Cycles, Instructions, [u64; 2], Vec<u32>, Vec<u8>, RowSet);

/// The result that a run has left, which ended by `stop`.
fn left_by((core, bus): &mut Both, stop: Stop) -> Outcome {
    let cpu = core.cpu();
    let mut registers = vec![cpu.pc, cpu.inherited()];
    registers.extend(cpu.physical().iter().chain(&cpu.f));
    registers.extend((0..=255).flat_map(|number| [cpu.special(number), cpu.user(number)]).flatten());
    let counts = [cpu.exceptions_taken, cpu.main_stack.used().into()];
    (stop, core.now(), core.instructions(), counts, registers, bus.memory.ram.bytes().to_vec(), cpu.rows)
}

#[cfg(test)]
mod tests {
    use super::super::machine::{DC233C, DE212, DE233_FPU, LX106};
    use super::super::program::Generator;
    use super::*;
    use crate::lockstep::DEFAULT_SEED;

    #[test]
    fn our_core_does_the_same_however_it_is_run() {
        for machine in [&LX106, &DE212, &DC233C, &DE233_FPU] {
            let (mut generator, mut random) = (Generator::new(machine, DEFAULT_SEED), Random::new(!DEFAULT_SEED));
            for number in 0..4 {
                let program = generator.program();
                let found = first_mismatch(machine, &program, 8_000, &mut random);
                assert_eq!(found, None, "{}, program {number}", machine.name);
            }
        }
    }
}
