//! Random programs for a VexRiscv in the SoC: loads and stores in all its memories and registers, jumps over many lines, and an end
//! that leads back to the beginning. The timer interrupts them. The bus is followed cycle by cycle, and our own core runs the same
//! programs (`ours`).

use super::super::rtl::{Design, Variant};
use super::bridge::Bridges;
use super::ours;
use super::soc::Peer;
use super::{Follower, System};
use crate::error::OracleError;
use crate::random::Random;
use crate::report::Report;

/// The cycles of one run.
const CYCLES: usize = 20_000;
/// The memories and the region of registers, which come first among the slaves.
pub(super) const SLAVES: usize = 4;

const EXCUSES: &[(&str, &str)] = &[("nothing there", "a core waits for a million cycles there; the masters do it")];

/// Addresses that a program can begin at: ROM, main RAM, SRAM.
const ENTRIES: [u32; 3] = [0, 0x4001_0000, 0x1000_0000];
/// The handler's place in a program.
pub(super) const HANDLER: u32 = 4;
/// The most words of a program, so that data in SRAM has room behind it.
const WORDS: u32 = 0x1800 / 4;

/// The registers x8 and up point there, and accesses reach 1 KiB to both sides: three places in main RAM that share lines of a cache,
/// the end of SRAM, ROM, the timer, a buffer of the Ethernet core.
const POINTERS: [u32; 7] = [0x4000_0800, 0x4000_1800, 0x4000_2C00, 0x1000_1C00, ROM, TIMER + 0x400, 0x8000_0400];
const FIRST_POINTER: u32 = 8;
const ROM: u32 = 0x0008_0400;

/// All of memory that they reach, beside code: addresses and words.
const DATA: [(u32, u32); 3] = [(0x4000_0400, 0x2C00 / 4), (0x1000_1800, 0x800 / 4), (ROM - 0x400, 0x800 / 4)];

/// The SoC's timer, and its registers by their offset: what it begins again with, enable, pending and enabled events.
const TIMER: u32 = 0xF000_2800;
/// The bytes that the timer lies behind that where there is SDRAM, which has registers.
const SDRAM_REGISTERS: u32 = 0x800;
const RELOAD: u32 = 4;
const ENABLE: u32 = 8;
const PENDING: u32 = 0x18;
const EVENTS: u32 = 0x1C;
/// A register that handlers alone read: their number is that of the interrupts.
const SCRATCH: u32 = 0xF000_0004;

/// Registers that the program itself leaves alone: for the handler 1, the timer and the registers in front; for constants one more.
const ONE: u32 = 3;
const AT_TIMER: u32 = 4;
const AT_CONTROL: u32 = 5;
const CONSTANT: u32 = 6;

const LW: u32 = 0x2003;
const SW: u32 = 0x2023;
const ADDI: u32 = 0x13;
const MRET: u32 = 0x3020_0073;

const fn register(random: &mut Random) -> u32 {
    16 + random.below(16)
}

/// An instruction of the formats I and S: `place` is that of the low half of the immediate.
const fn access(base: u32, pointer: u32, offset: u32, value: u32) -> u32 {
    let address = base | pointer << 15;
    if base & 0x20 == 0 {
        address | offset << 20 | value << 7
    } else {
        address | (offset >> 5) << 25 | value << 20 | (offset & 31) << 7
    }
}

/// A load or store, aligned.
fn memory(random: &mut Random) -> u32 {
    let pointer = FIRST_POINTER + random.below(POINTERS.len() as u32);
    // LB, LH, LW, LBU, LHU, SB, SH, SW.
    let (bits, size) = random.pick(&[
        (0x0003, 1),
        (0x1003, 2),
        (0x2003, 4),
        (0x2003, 4),
        (0x4003, 1),
        (0x5003, 2),
        (0x0023, 1),
        (0x1023, 2),
        (0x2023, 4),
        (0x2023, 4),
    ]);
    let mut offset = random.below(2048) & !(size - 1);
    if POINTERS[(pointer - FIRST_POINTER) as usize] == ROM {
        // What is stored to ROM a data cache has and ROM has not: it is not loaded.
        offset = offset & !1024 | if bits & 0x20 == 0 { 1024 } else { 0 };
    }
    let offset = offset.wrapping_sub(1024) & 0xFFF;
    access(bits, pointer, offset, register(random))
}

/// A branch (BEQ, BNE, BLT, BGEU) or JAL x0 over `words` instructions.
fn jump(random: &mut Random, words: u32) -> u32 {
    let offset = 4 * words;
    if random.one_in(3) {
        return leap(offset);
    }
    let condition = random.pick(&[0, 1, 4, 7]);
    let registers = register(random) << 15 | register(random) << 20;
    0x63 | condition << 12 | registers | (offset >> 1 & 15) << 8 | (offset >> 5 & 63) << 25 | (offset >> 11 & 1) << 7
}

/// LUI and ADDI that give `register` the value `value`.
const fn constant(register: u32, value: u32) -> [u32; 2] {
    // 0x800 and above count as negative.
    let high = value.wrapping_add(0x800) & !0xFFF;
    [high | register << 7 | 0x37, access(ADDI, register, value.wrapping_sub(high) & 0xFFF, register)]
}

/// CSRRW x0, `csr`, CONSTANT.
const fn write(csr: u32) -> u32 {
    csr << 20 | CONSTANT << 15 | 0x1073
}

/// JAL x0 by `offset` bytes.
const fn leap(offset: u32) -> u32 {
    let low = (offset >> 1 & 0x3FF) << 21 | (offset >> 11 & 1) << 20;
    0x6F | low | (offset >> 12 & 0xFF) << 12 | offset & 1 << 31
}

/// A program at `entry` for `core`.
fn program(random: &mut Random, system: System, core: Variant, entry: u32) -> Vec<u32> {
    let timer = TIMER + if system.has_sdram() { SDRAM_REGISTERS } else { 0 };
    let pointers = POINTERS.map(|pointer| if pointer == TIMER + 0x400 { timer + 0x400 } else { pointer });
    // The handler ends the event.
    let handler = [access(LW, AT_CONTROL, SCRATCH & 0xFFF, CONSTANT), access(SW, AT_TIMER, PENDING, ONE), MRET];
    let mut words = vec![leap(4 * (1 + handler.len() as u32))];
    words.extend(handler);
    words.extend([constant(ONE, 1), constant(AT_TIMER, timer), constant(AT_CONTROL, SCRATCH & !0xFFF)].as_flattened());
    words.extend(constant(CONSTANT, 60 + random.below(700)));
    words.extend([access(SW, AT_TIMER, RELOAD, CONSTANT), access(SW, AT_TIMER, EVENTS, ONE)]);
    words.push(access(SW, AT_TIMER, ENABLE, ONE));
    // mtvec; all of mie and of the array's mask; MIE of mstatus by CSRRSI.
    words.extend(constant(CONSTANT, entry + HANDLER));
    words.push(write(0x305));
    words.extend(constant(CONSTANT, u32::MAX));
    words.extend([write(0x304), write(0xBC0), 0x3004_6073]);
    words.extend((FIRST_POINTER..).zip(pointers).flat_map(|(register, address)| constant(register, address)));
    // A reset leaves registers as they are.
    words.extend((16..32).map(|register| access(ADDI, 0, random.below(4096), register)));
    let begin = words.len() as u32;
    let end = begin + 100 + random.below(WORDS - begin - 101);
    while (words.len() as u32) < end {
        let left = end - words.len() as u32;
        let word = match random.below(16) {
            0..=8 => memory(random),
            9 => {
                let over = 1 + random.below(left.min(60));
                jump(random, over)
            }
            // FENCE.I.
            10 if random.one_in(20) => 0x100F,
            // MUL and DIVU.
            10 if Design::VexRiscv(core).config().extensions.m => {
                random.pick(&[0x0200_0033, 0x0200_5033]) | register(random) << 7 | register(random) << 15
            }
            // ADD, XOR, SUB, SLL.
            _ => {
                let bits = random.pick(&[0x33, 0x4033, 0x4000_0033, 0x1033]);
                bits | register(random) << 7 | register(random) << 15 | register(random) << 20
            }
        };
        words.push(word);
    }
    words.push(leap(begin.wrapping_sub(end).wrapping_mul(4)));
    words
}

/// Compares programs of `core`.
pub(super) fn run(
    peer: &mut Peer,
    core: Variant,
    random: &mut Random,
    count: u64,
    mut progress: impl FnMut(u64),
) -> Result<Report, OracleError> {
    let system = peer.subject().system;
    let mut follower = Follower::new(system, SLAVES, EXCUSES);
    let mut report = Report::new(follower.tally.clone(), Vec::new());
    while report.goes_on(count) {
        let entry = random.pick(&ENTRIES);
        let mut code = program(random, system, core, entry);
        // Behind it lines are fetched, and more.
        code.resize(WORDS as usize, 0);
        let mut pieces = vec![(entry, code)];
        for (from, words) in DATA {
            pieces.push((from, (0..words).map(|_| random.bits()).collect()));
        }
        follower.restart();
        let mut bridges = Bridges::new(core);
        let cycles = peer.execute(CYCLES, entry, &pieces)?;
        for cycle in &cycles {
            report.instructions += 1;
            report.traps += u64::from(cycle.acknowledged[1] && cycle.requests.data == Some((SCRATCH, false)));
            report.difference = follower.step(cycle.requests, cycle.acknowledged, cycle.retired);
            if report.difference.is_none() {
                report.difference = bridges.step(cycle).map(|what| follower.describe(what));
            }
            if report.difference.is_some() {
                break;
            }
        }
        if report.difference.is_none() {
            report.difference = ours::compare(system, core, &pieces, &cycles);
        }
        report.programs += 1;
        progress(report.instructions);
    }
    report.coverage = follower.tally;
    Ok(report)
}
