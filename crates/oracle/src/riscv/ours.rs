//! Our side: the core with its memory and the interrupt inputs' changes.

use cyclescope_machine::{Access, Bus, BusFault, Context, EventId, Memory, Peripherals, Retire, Width};
use cyclescope_riscv::decode::{self, Op};
use cyclescope_riscv::{Config, Core};
use cyclescope_units::{Address, Cycles};

use super::program::{ENTRY, Program};
use super::rtl::{Answer, Retired};

/// Nothing but wires whose levels change at known cycles.
#[derive(Clone, Debug, Default)]
struct Wires(Vec<u32>);

impl Peripherals for Wires {
    fn read(&mut self, access: Access, _: &mut Context<'_>) -> Result<u32, BusFault> {
        Err(BusFault::Unmapped(access.address))
    }

    fn write(&mut self, access: Access, _: u32, _: &mut Context<'_>) -> Result<(), BusFault> {
        Err(BusFault::Unmapped(access.address))
    }

    fn event(&mut self, id: EventId, context: &mut Context<'_>) {
        let levels = self.0.get(usize::from(id.number)).copied().unwrap_or(0);
        for line in 0..32 {
            context.interrupts.set(line, levels >> line & 1 != 0);
        }
    }

    fn extra_cycles(&self, _: Address) -> i32 {
        0
    }

    fn sleep(&mut self, _: bool, _: bool, _: &mut Context<'_>) {}
}

/// The core as `config` has it, at the beginning of `program`.
fn machine(config: Config, program: &Program, changes: &[(u32, u32)]) -> (Core<Wires>, Bus<Wires>) {
    let mut memory = Memory::new(Address::ZERO, Vec::new(), Address::ZERO, program.memory.len());
    memory.load(Address::ZERO, &program.memory);
    let wires = Wires(changes.iter().map(|(_, levels)| *levels).collect());
    let mut bus = Bus::new(memory, wires, 0);
    let mut core = Core::new(config, &bus);
    core.cpu_mut().pc = ENTRY;
    for (number, (at, _)) in changes.iter().enumerate() {
        bus.shared.events.schedule(core.now() + Cycles::new(u64::from(*at)), EventId::new(number as u16));
    }
    (core, bus)
}

/// Runs `count` instructions of `program` one at a time; the register that each writes is told as the peer does. Each ends
/// where it does (`own`), or where the next one begins. Also how many traps were taken.
pub fn stepped(config: Config, program: &Program, count: usize, changes: &[(u32, u32)], own: bool) -> (Answer, u64) {
    let (mut core, mut bus) = machine(config, program, changes);
    let began = core.now();
    let mut retired: Vec<Retired> = Vec::new();
    while retired.len() <= count && core.now().get() < 1_000_000 {
        let mut last: Option<Retire> = None;
        let until = core.now() + Cycles::new(1);
        let stop = core.run_into(&mut bus, until, &mut |retire: Retire| last = Some(retire));
        if let Some(Retire { pc, at, cycles }) = last {
            // The one before ended where this one began: what stands between them counts with it.
            if let Some(before) = retired.last_mut().filter(|_| !own) {
                before.end = (at - began).get() as u32;
            }
            let bits = [0, 2].map(|offset| bus.memory.read(pc.get() + offset, Width::Half).unwrap_or(0));
            let i = decode::decode(bits[1] << 16 | bits[0], config.extensions);
            let rd = if i.op == Op::Setq { 0 } else { u32::from(i.rd) };
            let value = core.cpu().get(rd as u8);
            let end = (at + cycles - began).get() as u32;
            retired.push(Retired { pc: pc.get(), end, rd, value });
        }
        if !matches!(stop, cyclescope_machine::Stop::Horizon) {
            break;
        }
    }
    retired.truncate(count);
    (Answer { retired, memory: bus.memory.ram.bytes().to_vec() }, core.cpu().traps_taken)
}

/// Whether whole blocks of `program`, run to the cycle `until` at once and cut into pieces, come to what single steps do.
pub fn blocks_agree(config: Config, program: &Program, until: u64, changes: &[(u32, u32)]) -> bool {
    let outcome = |step: u64, single: bool| {
        let (mut core, mut bus) = machine(config, program, changes);
        let mut at = step.min(until);
        loop {
            let to = Cycles::new(at);
            if single {
                core.run_into(&mut bus, to, &mut |_: Retire| {});
            } else {
                core.run(&mut bus, to);
            }
            if at == until {
                break;
            }
            at = (at + step).min(until);
        }
        let registers: [u32; 32] = std::array::from_fn(|register| core.cpu().get(register as u8));
        (core.now(), core.instructions(), core.cpu().pc, registers, bus.memory.ram.bytes().to_vec())
    };
    let single = outcome(until, true);
    outcome(until, false) == single && outcome(29, false) == single
}
