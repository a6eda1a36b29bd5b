//! Our own core on that bus, held against the retirements of VexRiscv in the SoC.
//!
//! The SoC says what registers answer and when the inputs of the interrupt array change: the core's side is compared, with
//! the address, cycle, bytes and value of each access to a register.

use cyclescope_chips::riscv::LITEX_BUS;
use cyclescope_machine::Memory;
use cyclescope_machine::units::Address;
use cyclescope_riscv::Config;
use cyclescope_riscv::timing::{
    CoreBus, CoreTiming, VEXRISCV_FULL, VEXRISCV_IMAC, VEXRISCV_LITE, VEXRISCV_MIN, VEXRISCV_SECURE, VEXRISCV_STANDARD,
};

use super::super::compare::{Frame, IN_FLIGHT, difference};
use super::super::ours::{self, Device};
use super::super::rtl::{Answer, Design, Outside, Retired, Variant};
use super::caches;
use super::program::HANDLER;
use super::soc::Cycle;

/// `timing` on the SoC's bus.
const fn on_bus(timing: &CoreTiming) -> CoreTiming {
    CoreTiming { bus: Some(CoreBus { wishbone: &LITEX_BUS, rows: &[] }), ..*timing }
}

static MIN: CoreTiming = on_bus(&VEXRISCV_MIN);
static LITE: CoreTiming = on_bus(&VEXRISCV_LITE);
static STANDARD: CoreTiming = on_bus(&VEXRISCV_STANDARD);
static FULL: CoreTiming = on_bus(&VEXRISCV_FULL);
static IMAC: CoreTiming = on_bus(&VEXRISCV_IMAC);
static SECURE: CoreTiming = on_bus(&VEXRISCV_SECURE);

/// Memory here is ROM, main RAM as far as programs use it, at its beginning and for stacks at its end, and SRAM; all else is registers.
const ROM_BYTES: usize = 0x10_0000;
const MAIN: Address = Address::new(0x4000_0000);
const MAIN_BYTES: usize = 0x2_0000;
const STACKS: Address = Address::new(0x4FFF_0000);
const STACKS_BYTES: usize = 0x1_0000;
const SRAM: Address = Address::new(0x1000_0000);
const SRAM_BYTES: usize = 0x2000;
/// Addresses from here on are those of registers, and of buffers that the bench cannot fill.
const REGISTERS: u32 = 0x8000_0000;
/// The bit of the array's first input among those of [`ours::machine`].
const ARRAY: u32 = 16;

/// Returns the configuration of `core`, which begins at `entry`.
fn config(core: Variant, entry: u32) -> Config {
    let timing = match core {
        Variant::Min => &MIN,
        Variant::Lite => &LITE,
        Variant::Standard => &STANDARD,
        Variant::Full => &FULL,
        Variant::Imac => &IMAC,
        Variant::Secure => &SECURE,
    };
    Config { timing, reset: entry, ..Design::VexRiscv(core).config() }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns memory with `pieces`.
fn memory(pieces: &[(u32, Vec<u32>)]) -> Memory {
    let mut rom = vec![0; ROM_BYTES];
    for (address, words) in pieces {
        if let Some(place) = rom.get_mut(*address as usize..) {
            place[..4 * words.len()].copy_from_slice(&bytes(words));
        }
    }
    let mut memory = Memory::new(Address::ZERO, rom, MAIN, MAIN_BYTES);
    memory.add_ram(SRAM, SRAM_BYTES);
    memory.add_ram(STACKS, STACKS_BYTES);
    for (address, words) in pieces.iter().filter(|(address, _)| *address as usize >= ROM_BYTES) {
        memory.load(Address::new(*address), &bytes(words));
    }
    memory
}

/// The retirements of `cycles`, and the accesses to registers: each in the cycle in which it has the bus, the one before the
/// acknowledgement.
fn answer(cycles: &[Cycle]) -> Answer {
    let mut answer = Answer { retired: Vec::new(), outside: Vec::new(), memory: Vec::new() };
    for (cycle, at) in cycles.iter().zip(0u32..) {
        if let Some(pc) = cycle.retired {
            answer.retired.push(Retired { pc, end: at, rd: cycle.written.0, value: cycle.written.1 });
        }
        let access = cycle.requests.data.filter(|(address, _)| cycle.acknowledged[1] && *address >= REGISTERS);
        if let Some((address, writes)) = access {
            let bytes = if writes { cycle.sel } else { 0 };
            let value = cycle.word & if writes { Outside::mask(bytes) } else { u32::MAX };
            answer.outside.push(Outside { address, at: at - 1, bytes, value, error: false });
        }
    }
    answer
}

/// Returns the changes of the interrupt inputs in `cycles`.
fn changes(cycles: &[Cycle]) -> Vec<(u32, u32)> {
    let mut changes: Vec<(u32, u32)> = Vec::new();
    for (cycle, at) in cycles.iter().zip(0..) {
        let levels = cycle.interrupts << ARRAY;
        if changes.last().map_or(0, |(_, before)| *before) != levels {
            changes.push((at, levels));
        }
    }
    changes
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// The first difference.
    pub difference: Option<String>,
    /// An access to a register came in another cycle, which is known ([`LATER`]).
    pub later: bool,
}

/// That known difference, and the reason.
pub(super) const LATER: (&str, &str) = (
    "an access to a register in another cycle, an interrupt or, without instruction cache, a branch being behind it",
    "our core says when the access has the bus as it leaves the decode stage; what it does not know then moves the fetches that keep the bus",
);

/// Tells whether what decides on the grant in the cycle `at` was unknown when the access left the decode stage: whether the handler is
/// entered, which is one of the next two retirements as the other one may be the access itself; or how a branch goes.
fn is_decided_later(core: Variant, retired: &[Retired], at: u32, (entry, code): (u32, &[u32])) -> bool {
    let behind = retired.partition_point(|retired| retired.end <= at);
    let mut next = retired[behind..].iter().take(2);
    let is_branch = |retired: &Retired| {
        let place = (retired.pc - entry) / 4;
        code.get(place as usize).is_some_and(|word| word & 0x7F == 0x63)
    };
    next.any(|retired| retired.pc == entry + HANDLER)
        || !caches(core)[0] && retired[behind.saturating_sub(1)..].iter().take(3).any(is_branch)
}

/// Makes the accesses of `ours` comparable with `theirs`. Tells whether the cycle of one is decided later.
fn align(core: Variant, ours: &mut Answer, theirs: &mut Answer, program: (u32, &[u32])) -> bool {
    // Stores to ROM are answered, and store nothing.
    ours.outside.retain(|access| access.address >= REGISTERS);
    // What is read is theirs.
    for access in ours.outside.iter_mut().chain(&mut theirs.outside).filter(|access| access.bytes == 0) {
        access.value = 0;
    }
    let mut later = false;
    for (here, there) in ours.outside.iter_mut().zip(&theirs.outside) {
        if here.at != there.at && is_decided_later(core, &theirs.retired, here.at.min(there.at), program) {
            (here.at, later) = (there.at, true);
        }
    }
    later
}

/// Runs the program in `pieces`, of which the first is the code, and compares it with `cycles` of the SoC.
pub(super) fn compare(core: Variant, pieces: &[(u32, Vec<u32>)], cycles: &[Cycle]) -> Compared {
    let (entry, code) = (pieces[0].0, pieces[0].1.as_slice());
    let mut theirs = answer(cycles);
    let read = theirs.outside.iter().filter(|access| access.bytes == 0).map(|access| access.value).collect();
    let config = config(core, entry);
    let machine = ours::machine(config, memory(pieces), Device::Recorded(read), &changes(cycles));
    let mut ours = ours::steps(machine.clone(), config.extensions, theirs.retired.len() + IN_FLIGHT, true).answer;
    ours.retired.truncate(theirs.retired.len());
    let later = align(core, &mut ours, &mut theirs, (entry, code));
    let code = bytes(code);
    let frame = Frame { base: entry, memory: &code, code_end: None, end: None };
    let found = difference(Design::VexRiscv(core), &frame, &ours, &theirs).map(|found| found.to_string());
    let stops = ours.retired.len() < theirs.retired.len();
    let found = found.or_else(|| stops.then(|| "our own core retires nothing more\n".to_owned())).or_else(|| {
        let until = u64::from(ours.retired.last()?.end);
        let mode = ours::unlike_steps(&machine, until)?;
        Some(format!("our own core, run as {mode:?} against single steps\n"))
    });
    Compared { difference: found, later }
}
