//! Our own core on that bus, held against the retirements of VexRiscv in the SoC.
//!
//! The SoC says what registers answer and when the inputs of the interrupt array change: the core's side is compared, with
//! the address, cycle, bytes and value of each access to a register.

use cyclescope_chips::riscv::{LITEX_BURSTING, LITEX_BUS, LITEX_SDRAM, LITEX_SDRAM_BURSTING};
use cyclescope_machine::Memory;
use cyclescope_machine::units::Address;
use cyclescope_riscv::timing::litex::Wishbone;
use cyclescope_riscv::timing::{CoreBus, CoreTiming};
use cyclescope_riscv::{Config, VexRiscv};

use super::super::compare::{Frame, IN_FLIGHT, difference};
use super::super::ours::{self, Device};
use super::super::rtl::{Answer, Design, Outside, Retired, Variant};
use super::System;
use super::soc::Cycle;

/// `timing` on `wishbone`.
const fn on_bus(timing: &CoreTiming, wishbone: &'static Wishbone) -> CoreTiming {
    CoreTiming { bus: Some(CoreBus { wishbone, rows: &[] }), ..*timing }
}

/// The variants, in the order of [`VexRiscv::ALL`], on `wishbone`.
const fn all_on(wishbone: &'static Wishbone) -> [CoreTiming; 6] {
    let [min, lite, standard, full, imac, secure] = VexRiscv::ALL;
    [
        on_bus(min.timing, wishbone),
        on_bus(lite.timing, wishbone),
        on_bus(standard.timing, wishbone),
        on_bus(full.timing, wishbone),
        on_bus(imac.timing, wishbone),
        on_bus(secure.timing, wishbone),
    ]
}

static PLAIN: [CoreTiming; 6] = all_on(&LITEX_BUS);
static BURSTING: [CoreTiming; 6] = all_on(&LITEX_BURSTING);
static SDRAM: [CoreTiming; 6] = all_on(&LITEX_SDRAM);
static SDRAM_BURSTING: [CoreTiming; 6] = all_on(&LITEX_SDRAM_BURSTING);

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

/// Returns the configuration of `core` in `system`, which begins at `entry`.
fn config(system: System, core: Variant, entry: u32) -> Config {
    let all = match system {
        System::Plain => &PLAIN,
        System::Bursting => &BURSTING,
        System::Sdram => &SDRAM,
        System::SdramBursting => &SDRAM_BURSTING,
    };
    let index = Variant::ALL.iter().position(|variant| *variant == core).unwrap_or(0);
    let timing = &all[index];
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

/// Makes the accesses of `ours` comparable with `theirs`.
fn align(ours: &mut Answer, theirs: &mut Answer) {
    // Stores to ROM are answered, and store nothing.
    ours.outside.retain(|access| access.address >= REGISTERS);
    // What is read is theirs.
    for access in ours.outside.iter_mut().chain(&mut theirs.outside).filter(|access| access.bytes == 0) {
        access.value = 0;
    }
}

/// Runs the program in `pieces`, of which the first is the code, and compares it with `cycles` of the SoC: returns the first difference.
pub(super) fn compare(system: System, core: Variant, pieces: &[(u32, Vec<u32>)], cycles: &[Cycle]) -> Option<String> {
    let (entry, code) = (pieces[0].0, pieces[0].1.as_slice());
    let mut theirs = answer(cycles);
    let read = theirs.outside.iter().filter(|access| access.bytes == 0).map(|access| access.value).collect();
    let config = config(system, core, entry);
    let machine = ours::machine(config, memory(pieces), Device::Recorded(read), &changes(cycles));
    let mut ours = ours::steps(machine.clone(), config.extensions, theirs.retired.len() + IN_FLIGHT, true).answer;
    ours.retired.truncate(theirs.retired.len());
    align(&mut ours, &mut theirs);
    let code = bytes(code);
    let frame = Frame { base: entry, memory: &code, code_end: None, end: None };
    let found = difference(Design::VexRiscv(core), &frame, &ours, &theirs).map(|found| found.to_string());
    let stops = ours.retired.len() < theirs.retired.len();
    found.or_else(|| stops.then(|| "our own core retires nothing more\n".to_owned())).or_else(|| {
        let until = u64::from(ours.retired.last()?.end);
        let mode = ours::unlike_steps(&machine, until)?;
        Some(format!("our own core, run as {mode:?} against single steps\n"))
    })
}
