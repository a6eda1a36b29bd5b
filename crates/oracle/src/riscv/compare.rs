//! Runs programs on both sides and finds the first different retirement.

use std::fmt;

use cyclescope_machine::Evidence;
use cyclescope_riscv::decode::{self, Extensions, Instruction, Op};
use cyclescope_riscv::timing::{IBEX, PICORV32};
use cyclescope_riscv::{Config, Misaligned, PicoConfig, Privileged, Traps};

use super::ours::{self, Ours};
use super::program::{CODE_END, ENTRY, Generator, HANDLER, Kind, MEMORY_BYTES, Program, Special, VECTORS, bits_at};
use super::rtl::{Answer, Design, Outside, Peer, Request, Retired, Variant};
use crate::error::OracleError;
use crate::random::Random;
use crate::report::{Report, Tally};

/// The number of instructions in a program, and of those run.
const LENGTH: usize = 600;
const COUNT: usize = 1500;
/// A limit above the cycles of any program.
const CYCLES: u32 = 200_000;
/// The most instructions of those that have not reached the last stage of a pipeline.
pub(super) const IN_FLIGHT: usize = 4;
/// The number of retirements shown before a difference.
const SHOWN: usize = 16;

/// A difference.
#[derive(Clone, Debug)]
pub struct Difference {
    /// A description.
    pub what: String,
    /// The last retirements on both sides, with the instruction.
    pub trail: Vec<(u32, Retired, Option<Retired>)>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.what)?;
        writeln!(f, "      pc     bits                       ours: end, x, value        RTL: pc, end, x, value")?;
        for (bits, ours, theirs) in &self.trail {
            let name = decode::row(*bits).map_or("illegal", |row| row.name);
            write!(f, "{:08x} {bits:08x}  {name:<12}", ours.pc)?;
            write!(f, "{:>10} x{:<2} {:08x}", ours.end, ours.rd, ours.value)?;
            match theirs {
                Some(theirs) => {
                    writeln!(f, "   {:08x} {:>10} x{:<2} {:08x}", theirs.pc, theirs.end, theirs.rd, theirs.value)?;
                }
                None => writeln!(f, "   nothing")?,
            }
        }
        Ok(())
    }
}

impl Design {
    /// Returns our core's configuration for this design.
    pub fn config(self) -> Config {
        match self {
            Self::Ibex => Config {
                timing: &IBEX,
                extensions: Extensions::IMC,
                misaligned: Misaligned::Hardware,
                traps: Traps::Privileged(Privileged::ibex(VECTORS)),
                reset: ENTRY,
                hart: 0,
                semihosting: false,
            },
            Self::VexRiscv(variant) => Config { semihosting: false, ..variant.of_core().config(ENTRY) },
            Self::PicoRv32 => Config {
                timing: &PICORV32,
                extensions: Extensions::PICORV32,
                misaligned: Misaligned::Trap,
                traps: Traps::Pico(PicoConfig::DEFAULT),
                // A jump to ENTRY.
                reset: 0,
                hart: 0,
                semihosting: false,
            },
        }
    }

    fn kind(self) -> Kind {
        match self {
            Self::Ibex => Kind {
                extensions: Extensions::IMC,
                base: 0,
                nowhere: MEMORY_BYTES as u32,
                misaligned: true,
                // ECALL, EBREAK, C.EBREAK, and two illegal instructions.
                traps: &[0x0000_0073, 0x0010_0073, 0x0001_9002, u32::MAX, 0x0000_007F],
                special: &[
                    Special::Device,
                    Special::Nowhere,
                    Special::FetchNowhere,
                    Special::Unmask,
                    Special::Mask,
                    Special::Sleep,
                    Special::Return,
                ],
                csrs: (&[0x340, 0x341, 0x342, 0x343, 0x300, 0x304], &[0x301, 0xB00, 0xB02, 0x300, 0x344, 0xF12]),
            },
            Self::VexRiscv(variant) => Kind {
                extensions: self.config().extensions,
                base: 0,
                nowhere: MEMORY_BYTES as u32,
                misaligned: true,
                // ECALL and two illegal instructions. An illegal one that looks like a jump leaves another mepc where instructions are
                // compressed.
                traps: match variant {
                    Variant::Imac => &[0x0000_0073, 0x0000_0057, 0x0000_007B],
                    _ => &[0x0000_0073, u32::MAX, 0x0000_007F],
                },
                special: match variant {
                    Variant::Imac => &[
                        Special::Device,
                        Special::Unmask,
                        Special::Mask,
                        Special::Sleep,
                        Special::Return,
                        Special::Reserve,
                    ],
                    Variant::Secure => &[
                        Special::Device,
                        Special::Unmask,
                        Special::Mask,
                        Special::Sleep,
                        Special::Return,
                        Special::Protect,
                    ],
                    _ => &[Special::Device, Special::Unmask, Special::Mask, Special::Sleep, Special::Return],
                },
                csrs: match variant {
                    Variant::Min | Variant::Lite => (&[0x304, 0xBC0], &[0x304, 0xBC0, 0x342]),
                    Variant::Standard => (&[0x304, 0xBC0], &[0x304, 0xBC0, 0x342, 0xCC0]),
                    Variant::Secure => (
                        &[0x304, 0xBC0, 0x340, 0x342, 0xB00],
                        &[
                            0x304, 0xBC0, 0x340, 0x342, 0xB00, 0xB02, 0xC00, 0xC02, 0xCC0, 0x123, 0x3A0, 0x3A3, 0x3B1,
                            0x3BE,
                        ],
                    ),
                    _ => (
                        &[0x304, 0xBC0, 0x340, 0x342, 0xB00],
                        &[0x304, 0xBC0, 0x340, 0x342, 0xB00, 0xB02, 0xB80, 0xB82, 0xC00, 0xC02, 0xCC0, 0x123],
                    ),
                },
            },
            Self::PicoRv32 => Kind {
                extensions: Extensions::PICORV32,
                base: 0,
                nowhere: MEMORY_BYTES as u32,
                misaligned: false,
                traps: &[0x0000_0073, 0x0010_0073, 0x0001_9002, u32::MAX, 0x0000_007F],
                special: &[
                    Special::Device,
                    Special::PicoMisaligned,
                    Special::PicoMask,
                    Special::PicoTimer,
                    Special::PicoWait,
                    Special::PicoQueue,
                ],
                csrs: (&[], &[0xC00, 0xC01, 0xC02, 0xC80, 0xC82]),
            },
        }
    }

    /// Returns the code that enables interrupts.
    const fn prologue(self, interrupts: bool) -> &'static [u32] {
        match self {
            Self::Ibex if !interrupts => &[],
            // LUI, ADDI, CSRRW mie, CSRRSI mstatus.
            Self::Ibex => &[0x7FFF_11B7, 0x8881_8193, 0x3041_9073, 0x3004_6073],
            // ADDI x3, 0x20; CSRRW mtvec; CSRRW mcycle, which counts the cycles of the reset too.
            Self::VexRiscv(_) if !interrupts => &[0x0200_0193, 0x3051_9073, 0xB000_1073],
            // The same; ADDI x3, -1; CSRRW mie and irq_mask; CSRRSI mstatus.
            Self::VexRiscv(_) => {
                &[0x0200_0193, 0x3051_9073, 0xB000_1073, 0xFFF0_0193, 0x3041_9073, 0xBC01_9073, 0x3004_6073]
            }
            // maskirq x0, x0: without it an EBREAK is the end.
            Self::PicoRv32 => &[0x0600_000B],
        }
    }

    /// Puts handlers at their addresses.
    fn put_handlers(self, program: &mut Program) {
        match self {
            // getq x3, q0; getq x4, q1; retirq.
            Self::PicoRv32 => {
                program.put(0, &[0x2800_006F]);
                program.put(PicoConfig::DEFAULT.vector, &[0x0000_018B, 0x0000_820B, 0x0400_000B]);
            }
            // CSRRS x4, mcause; BLT to MRET; after an ECALL of user mode it goes on in machine mode: ADDI x3, x4, -8; BNE; LUI, ADDI;
            // CSRRS mstatus; CSRRS x3, mepc; ADDI; CSRRW; MRET.
            Self::VexRiscv(Variant::Secure) => program.put(
                0x20,
                &[
                    0x3420_2273,
                    0x0202_4263,
                    0xFF82_0193,
                    0x0001_9863,
                    0x0000_21B7,
                    0x8001_8193,
                    0x3001_A073,
                    0x3410_21F3,
                    0x0041_8193,
                    0x3411_9073,
                    0x3020_0073,
                ],
            ),
            // CSRRS x4, mcause; BLT to MRET; CSRRS x3, mepc; ADDI; CSRRW; MRET.
            Self::VexRiscv(_) => {
                program.put(0x20, &[0x3420_2273, 0x0002_4863, 0x3410_21F3, 0x0041_8193, 0x3411_9073, 0x3020_0073]);
            }
            Self::Ibex => {
                // Exceptions: to 0x20. Interrupts: MRET.
                program.put(VECTORS, &[0xE21F_F06F]);
                program.put(VECTORS + 4, &[0x3020_0073; 31]);
                program.put(0x20, &HANDLER);
            }
        }
    }

    /// Tells if the end of an instruction is unknown while that of the next one is known: Ibex retires a jump before
    /// its target has arrived.
    fn ends_unknown(self, i: &Instruction, next_pc: Option<u32>, behind: u32) -> bool {
        self == Self::Ibex
            && (next_pc != Some(behind)
                || i.is_branch()
                || i.is_csr()
                || matches!(i.op, Op::Jal | Op::Jalr | Op::FenceI | Op::Mret | Op::Wfi))
    }
}

/// Compares at least `count` retirements of the programs of `seed`, or up to the first difference. In every other
/// program interrupts come at random cycles. `progress` receives the number of retirements compared so far. The report's
/// rows are the measured ones of the core's timing.
///
/// # Errors
/// The peer has ended.
pub fn run(peer: &mut Peer, seed: u64, count: u64, mut progress: impl FnMut(u64)) -> Result<Report, OracleError> {
    let design = peer.design();
    let mut generator = Generator::new(design.kind(), seed);
    let mut random = Random::new(!seed);
    let timing = design.config().timing;
    let rows = timing.rows.iter().enumerate().filter(|(index, _)| !timing.lacks.contains(index));
    let (measured, names): (Vec<_>, Vec<_>) =
        rows.filter(|(_, row)| row.evidence == Evidence::Measured).map(|(index, row)| (index, row.name)).unzip();
    let mut report = Report::new(Tally::new(names, &[]), Vec::new());
    while report.goes_on(count) {
        let interrupts = report.programs % 2 == 1;
        let mut program = generator.program(design.prologue(interrupts), LENGTH);
        design.put_handlers(&mut program);
        // Where WFI waits, something must end that.
        let changes = if interrupts || design.is_pipeline() { changes(design, &mut random) } else { Vec::new() };
        let Ours { answer: ours, traps, rows, asleep } =
            ours::stepped(design.config(), &program, COUNT, &changes, design != Design::PicoRv32);
        let request = Request {
            base: 0,
            memory: &program.memory,
            boot: if design.is_pipeline() { ENTRY } else { VECTORS },
            limits: (COUNT as u32, CYCLES),
            changes: &changes,
            outside: &ours.outside,
        };
        let theirs = peer.run(&request)?;
        for (place, _) in measured.iter().enumerate().filter(|(_, row)| rows.contains(**row)) {
            report.coverage.add(place);
        }
        let frame = Frame { base: 0, memory: &program.memory, code_end: Some(CODE_END), end: Some(program.end) };
        let found = difference(design, &frame, &ours, &theirs).map(|difference| difference.to_string()).or_else(|| {
            // Blocks must give the results of single steps.
            let until = u64::from(ours.retired.last()?.end);
            let mode = ours::first_mismatch(design.config(), &program, until, &changes)?;
            Some(format!("our own core, run as {mode:?} against single steps\n"))
        });
        let stops = design.is_pipeline() && !asleep && ours.retired.len() + IN_FLIGHT < COUNT;
        let found = found.or_else(|| stops.then(|| "our own core retires nothing more\n".to_owned()));
        report.difference = found.map(|what| format!("difference in program {}: {what}", report.programs));
        report.instructions += ours.retired.len() as u64;
        report.traps += if interrupts { traps } else { 0 };
        report.programs += 1;
        progress(report.instructions);
    }
    Ok(report)
}

/// Ibex's interrupt inputs; PicoRV32 has all of them too.
const LINES: [u32; 19] = [3, 7, 11, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31];

/// Software and timer interrupt, and two inputs of VexRiscv's external interrupt array.
const ARRAY: [u32; 4] = [3, 7, 16, 17];

/// Returns interrupt inputs that rise and fall at random cycles, one or two at a time.
fn changes(design: Design, random: &mut Random) -> Vec<(u32, u32)> {
    let lines: &[u32] = if design.is_pipeline() { &ARRAY } else { &LINES };
    let mut changes = Vec::new();
    let mut at = 20;
    while at < 12_000 {
        at += 1 + random.below(80);
        let levels = match random.below(8) {
            0..=3 => 0,
            4..=6 => 1 << random.pick(lines),
            _ => 1 << random.pick(lines) | 1 << random.pick(lines),
        };
        changes.push((at, levels));
    }
    changes
}

/// Returns the retirement at which the first different access outside memory came.
fn outside(ours: &Answer, theirs: &Answer) -> Option<(usize, String)> {
    let last = ours.retired.last()?.end;
    let reported =
        |access: &Outside| Outside { value: access.value & Outside::mask(access.bytes), error: false, ..*access };
    let count = ours.outside.len().max(theirs.outside.len());
    let differs = |index: &usize| ours.outside.get(*index).map(reported) != theirs.outside.get(*index).copied();
    let first = (0..count).find(differs)?;
    let at = [ours, theirs].into_iter().filter_map(|answer| answer.outside.get(first)).map(|access| access.at).min()?;
    // Accesses behind the last retirement may occur on one side only.
    let [here, there] = [ours, theirs].map(|answer| {
        answer.outside.get(first).map_or("none".to_owned(), |access| {
            let Outside { address, at, bytes, value, .. } = access;
            format!("{address:08x} in cycle {at}, bytes {bytes:04b} {value:08x}")
        })
    });
    let what = format!("an access where no memory is: ours {here}, the RTL's {there}");
    (at < last).then(|| (ours.retired.iter().take_while(|retired| retired.end <= at).count(), what))
}

/// The parts of a program that a comparison needs.
pub struct Frame<'a> {
    /// The base of memory.
    pub base: u32,
    /// Initial memory.
    pub memory: &'a [u8],
    /// The end of code.
    pub code_end: Option<u32>,
    /// The last instruction, after which memory must be equal.
    pub end: Option<u32>,
}

/// Returns the first difference.
pub fn difference(design: Design, frame: &Frame<'_>, ours: &Answer, theirs: &Answer) -> Option<Difference> {
    let bits = |pc: u32| bits_at(frame.memory, pc.wrapping_sub(frame.base));
    let differs = |index: usize| {
        let here = ours.retired.get(index)?;
        let Some(other) = theirs.retired.get(index) else { return Some("the RTL retires nothing more") };
        if here.pc != other.pc || frame.code_end.is_some_and(|end| here.pc > end) {
            return Some("another instruction");
        }
        if (here.rd, here.value) != (other.rd, other.value) {
            return Some("another value");
        }
        let i = decode::decode(bits(here.pc), design.config().extensions);
        let behind = here.pc + if decode::is_wide(bits(here.pc) as u16) { 4 } else { 2 };
        let next = ours.retired.get(index + 1).map(|next| next.pc);
        (!design.ends_unknown(&i, next, behind) && here.end != other.end).then_some("another cycle")
    };
    let found = (0..ours.retired.len()).find_map(|index| Some((index, differs(index)?)));
    let found =
        [found.map(|(index, what)| (index, what.to_owned())), outside(ours, theirs)].into_iter().flatten().min();
    // In the middle of a program either side may already have stored for the next instruction.
    let at_end = ours.retired.last().is_some_and(|last| Some(last.pc) == frame.end);
    let memory = (at_end && ours.memory != theirs.memory)
        .then(|| (ours.retired.len().saturating_sub(1), "memory at the end".to_owned()));
    let (index, what) = found.or(memory)?;
    let trail = (index.saturating_sub(SHOWN - 1)..=index + 2)
        .filter_map(|index| {
            let here = ours.retired.get(index)?;
            Some((bits(here.pc), *here, theirs.retired.get(index).copied()))
        })
        .collect();
    Some(Difference { what, trail })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::DEFAULT_SEED;

    #[test]
    fn our_cores_of_blocks_do_the_same_however_they_are_run() {
        for design in [Design::Ibex, Design::PicoRv32] {
            let mut generator = Generator::new(design.kind(), DEFAULT_SEED);
            let mut random = Random::new(DEFAULT_SEED);
            let mut cycles = 0;
            for number in 0..20 {
                let interrupts = number % 2 == 1;
                let mut program = generator.program(design.prologue(interrupts), LENGTH);
                design.put_handlers(&mut program);
                let changes = if interrupts { changes(design, &mut random) } else { Vec::new() };
                let steps = ours::stepped(design.config(), &program, COUNT, &changes, true);
                let until = steps.answer.retired.last().map_or(0, |last| last.end.into());
                cycles += until;
                let found = ours::first_mismatch(design.config(), &program, until, &changes);
                assert_eq!(found, None, "{design:?}, program {number}");
            }
            assert!(cycles > 20_000, "{cycles}");
        }
    }
}
