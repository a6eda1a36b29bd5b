//! Compares RV32IMAC with M and U mode with QEMU's `virt`: random programs, and before each instruction all registers
//! and the trap CSRs.
//!
//! The programs are those of [`super::program`], at the start of QEMU's RAM. QEMU translates one instruction at a time,
//! logs its state before each, and takes traps itself. Time is not compared.

use std::fmt;
use std::fs;
use std::process::{Command, Stdio};

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Memory, Retire, Stop, Width};
use cyclescope_riscv::decode::{self, Extensions, NARROW, Row, WIDE};
use cyclescope_riscv::timing::INSTRUCTIONS;
use cyclescope_riscv::{Config, Misaligned, Privileged, Traps};

use super::ours::{self, Device, Machine};
use super::program::{Generator, HANDLER, Kind, Program, Special, bits_at};
use crate::error::OracleError;
use crate::process::Folder;
use crate::report::{Report, Tally};

const QEMU: &str = "qemu-system-riscv32";
const PACKAGES: &str = "qemu-system-misc";

/// The base of QEMU's RAM.
const BASE: u32 = 0x8000_0000;
/// An address behind its 128 MiB of RAM.
const NOWHERE: u32 = 0x9000_0000;
/// The offset of the handler.
const HANDLER_AT: u32 = 0x20;
/// The number of instructions in a program.
const LENGTH: usize = 3000;
/// A limit above the instructions that a program executes.
const LONGEST: usize = 200_000;
/// The number of states shown before a difference.
const SHOWN: usize = 8;

/// The parts left out, and the reasons.
pub const LEFT_OUT: &[(&str, &str)] = &[
    ("mtval of a breakpoint", "QEMU 7.2 leaves what was there or writes the address; the specification allows either"),
    ("mstatus but for MIE, MPIE, MPP, MPRV", "QEMU's machine has S mode"),
    ("the address of a misaligned access that nothing answers", "QEMU names the part that failed; Ibex the access"),
    ("misaligned AMO", "QEMU raises a load's exception; the specification says a store's"),
    ("odd values of mepc", "QEMU 7.2 keeps bit 0, which the specification has always zero"),
    ("misaligned SC", "QEMU looks at the reservation first, and has it fail without an exception"),
    (
        "SC behind a store of one's own to the reserved word",
        "QEMU compares the word's value; the specification leaves it open",
    ),
    ("counters, interrupts, WFI", "QEMU's time is the host's"),
];

/// Encodings that programs leave out, and the reasons.
const NEVER: &[(&str, &str)] = &[
    ("reserved", "raises an exception, as the illegal instructions do"),
    ("WFI", "sleeps until an interrupt comes"),
    ("C.ADDI16SP", "moves the stack pointer away from the data"),
];

/// The state before an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The instruction's address.
    pub pc: u32,
    /// x0 to x31.
    pub x: [u32; 32],
    /// mstatus (the bits that both have), mtvec, mepc, mcause, mtval, mscratch.
    pub csrs: [u32; 6],
}

const CSRS: [&str; 6] = ["mstatus", "mtvec", "mepc", "mcause", "mtval", "mscratch"];
/// The compared bits of mstatus: MIE, MPIE, MPP, MPRV.
const MSTATUS: u32 = 1 << 3 | 1 << 7 | 3 << 11 | 1 << 17;

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pc {:08x}", self.pc)?;
        for (name, value) in CSRS.iter().zip(self.csrs) {
            write!(f, " {name} {value:08x}")?;
        }
        Ok(())
    }
}

fn config() -> Config {
    Config {
        timing: &INSTRUCTIONS,
        extensions: Extensions::IMAC,
        misaligned: Misaligned::Hardware,
        traps: Traps::Privileged(Privileged::plain(16)),
        reset: BASE,
        hart: 0,
        semihosting: false,
    }
}

fn kind() -> Kind {
    Kind {
        extensions: Extensions::IMAC,
        base: BASE,
        nowhere: NOWHERE,
        misaligned: true,
        // ECALL, EBREAK, C.EBREAK, two illegal instructions, and a CSR that does not exist.
        traps: &[0x0000_0073, 0x0010_0073, 0x0001_9002, u32::MAX, 0x0000_007F, 0x7C50_20F3],
        special: &[Special::Nowhere, Special::FetchNowhere, Special::Return, Special::Atomic, Special::Reserve],
        csrs: (&[0x340, 0x342, 0x343], &[0x300, 0x305, 0xF11, 0xF14]),
    }
}

/// Completes a program. At [`BASE`]: the trap vector and a PMP entry that permits all to user mode, then the program.
/// It adds the handler, and at the end the store that ends QEMU.
fn complete(program: &mut Program) {
    program.put(0, &[0x2800_006F]);
    program.put(HANDLER_AT, &HANDLER);
    // LUI x5, TEST; LUI and ADDI x6, 0x5555; SW.
    program.put(program.end, &[0x0010_02B7, 0x0000_5337, 0x5553_0313, 0x0062_A023, 0x0000_006F]);
}

/// LUI, ADDI and CSRRW mtvec; ADDI x5, -1 and CSRRW pmpaddr0; ADDI x5, 0x1F and CSRRW pmpcfg0.
const PROLOGUE: &[u32] = &[0x8000_02B7, 0x0202_8293, 0x3052_9073, 0xFFF0_0293, 0x3B02_9073, 0x01F0_0293, 0x3A02_9073];

/// Compares at least `count` instructions of the programs of `seed`, or up to the first difference. Instructions that
/// raise an exception count too.
///
/// # Errors
/// QEMU is not installed, or a file cannot be written.
pub fn lockstep(seed: u64, count: u64, mut progress: impl FnMut(u64)) -> Result<Report, OracleError> {
    let folder = Folder::temporary("rv32imac")?;
    let mut generator = Generator::new(kind(), seed);
    let rows: Vec<&Row> = WIDE.iter().chain(NARROW).filter(|row| Extensions::IMAC.have(row.extension)).collect();
    let mut report = Report::new(Tally::new(rows.iter().map(|row| row.name), NEVER), LEFT_OUT.to_vec());
    while report.goes_on(count) {
        let mut program = generator.program(PROLOGUE, LENGTH);
        complete(&mut program);
        let theirs = under_qemu(&folder, &program)?;
        let first = theirs.first().copied().unwrap_or_default();
        let (ours, exceptions, end) = here(&program, first);
        let bits = |pc: u32| bits_at(&program.memory, pc.wrapping_sub(BASE));
        for state in &ours {
            let found = decode::row(bits(state.pc));
            let index = rows.iter().position(|row| found.is_some_and(|found| std::ptr::eq(found, *row)));
            index.into_iter().for_each(|index| report.coverage.add(index));
        }
        let found = difference(&ours, &theirs, bits).or_else(|| {
            let mode = ours::unlike_steps(&machine(&program, first), end)?;
            Some(format!("our own core, run as {mode:?} against single steps\n"))
        });
        report.difference = found.map(|what| format!("difference in program {}: {what}", report.programs));
        report.instructions += ours.len() as u64;
        report.traps += exceptions;
        report.programs += 1;
        progress(report.instructions);
    }
    Ok(report)
}

/// Returns our core at the start of `program`, with the registers of `first`.
fn machine(program: &Program, first: State) -> Machine {
    let mut memory = Memory::new(Address::ZERO, Vec::new(), Address::new(BASE), program.memory.len());
    memory.load(Address::new(BASE), &program.memory);
    let (mut core, bus) = ours::machine(config(), memory, Device::Clock, &[]);
    core.cpu_mut().x[..32].copy_from_slice(&first.x);
    (core, bus)
}

/// Returns our states from `first` to the end of `program`, the number of exceptions, and the cycle of the end.
fn here(program: &Program, first: State) -> (Vec<State>, u64, u64) {
    let (mut core, mut bus) = machine(program, first);
    let mut states = Vec::new();
    while states.len() < LONGEST {
        let cpu = core.cpu();
        let csrs = &cpu.csrs;
        // The address of a failed fetch belongs to no instruction.
        let pc = cpu.pc;
        if bus.memory.read(pc, Width::Half).is_some() {
            let csrs = [csrs.mstatus() & MSTATUS, csrs.mtvec, csrs.mepc, csrs.mcause, csrs.mtval, csrs.mscratch];
            states.push(State { pc, x: cpu.x[..32].try_into().unwrap_or_default(), csrs });
        }
        if pc == BASE + program.end {
            break;
        }
        let until = core.now() + Cycles::new(1);
        if core.run_into(&mut bus, until, &mut |_: Retire| {}) != Stop::Horizon {
            break;
        }
    }
    (states, core.cpu().traps_taken, core.now().get())
}

fn under_qemu(folder: &Folder, program: &Program) -> Result<Vec<State>, OracleError> {
    folder.write("program", &program.memory)?;
    let loader = format!("loader,file=program,addr={BASE:#x}");
    let output = Command::new(QEMU)
        .current_dir(folder.path())
        .args(["-M", "virt", "-display", "none", "-serial", "none", "-monitor", "none", "-bios", "none"])
        .args(["-device", &loader, "-singlestep", "-d", "exec,cpu,nochain", "-D", "log"])
        .stdin(Stdio::null())
        .output()
        .map_err(OracleError::start(QEMU, PACKAGES))?;
    if !output.status.success() {
        return Err(OracleError::Peer("QEMU has failed"));
    }
    let log = fs::read_to_string(folder.path().join("log")).map_err(OracleError::io("cannot read QEMU's log"))?;
    let mut states = states(&log);
    if let Some(end) = states.iter().position(|state| state.pc == BASE + program.end) {
        states.truncate(end + 1);
    }
    Ok(states)
}

/// Returns the states in QEMU's `log`, without its boot ROM.
fn states(log: &str) -> Vec<State> {
    let mut states: Vec<State> = Vec::new();
    for line in log.lines() {
        if line.starts_with("Stopped execution") {
            // An instruction that stopped before it began is logged again.
            states.pop();
        } else if line.starts_with("Trace") {
            states.push(State::default());
        } else if let Some(state) = states.last_mut() {
            note(state, line);
        }
    }
    states.retain(|state| state.pc >= BASE);
    states
}

/// Reads the values in `line` into `state`: names with hexadecimal numbers, registers as `x1/ra`.
fn note(state: &mut State, line: &str) {
    let mut words = line.split_whitespace();
    while let (Some(name), Some(value)) = (words.next(), words.next()) {
        let Ok(value) = u32::from_str_radix(value, 16) else { return };
        if name == "pc" {
            state.pc = value;
        } else if let Some(place) = CSRS.iter().position(|csr| *csr == name) {
            state.csrs[place] = if place == 0 { value & MSTATUS } else { value };
        } else if let Some((number, _)) = name.strip_prefix('x').and_then(|rest| rest.split_once('/'))
            && let Ok(number) = number.parse::<usize>()
            && let Some(register) = state.x.get_mut(number)
        {
            *register = value;
        }
    }
}

/// mcause of a breakpoint, and the index of mtval.
const BREAKPOINT: u32 = 3;
const MCAUSE: usize = 3;
const MTVAL: usize = 4;

/// Compares two states. An allowed difference in mtval is taken over into our state, because later reads of it would
/// differ too.
fn same(ours: &State, theirs: &State) -> bool {
    let mut theirs = *theirs;
    if theirs.csrs[MCAUSE] == BREAKPOINT {
        theirs.csrs[MTVAL] = ours.csrs[MTVAL];
    }
    *ours == theirs
}

fn difference(ours: &[State], theirs: &[State], bits: impl Fn(u32) -> u32) -> Option<String> {
    let count = ours.len().max(theirs.len());
    let differs = |index: &usize| match (ours.get(*index), theirs.get(*index)) {
        (Some(ours), Some(theirs)) => !same(ours, theirs),
        _ => true,
    };
    let index = (0..count).find(differs)?;
    let mut text = format!("differs before instruction {index}\n");
    for state in &ours[index.saturating_sub(SHOWN).min(ours.len())..index.min(ours.len())] {
        let name = decode::row(bits(state.pc)).map_or("illegal", |row| row.name);
        text += &format!("  {:08x} {:08x} {name}\n", state.pc, bits(state.pc));
    }
    for (who, states) in [("ours", ours), ("QEMU", theirs)] {
        match states.get(index) {
            Some(state) => text += &format!("  {who}: {state}\n"),
            None => text += &format!("  {who}: has ended\n"),
        }
    }
    if let (Some(ours), Some(theirs)) = (ours.get(index), theirs.get(index)) {
        for (number, (ours, theirs)) in ours.x.iter().zip(theirs.x).enumerate().filter(|(_, (a, b))| **a != *b) {
            text += &format!("  x{number}: ours {ours:08x}, QEMU {theirs:08x}\n");
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::DEFAULT_SEED;

    #[test]
    fn our_core_does_the_same_however_it_is_run() {
        let mut generator = Generator::new(kind(), DEFAULT_SEED);
        for number in 0..20 {
            let mut program = generator.program(PROLOGUE, LENGTH);
            complete(&mut program);
            let first = State::default();
            let (states, _, end) = here(&program, first);
            assert!(states.len() > LENGTH / 2, "{}", states.len());
            assert_eq!(ours::unlike_steps(&machine(&program, first), end), None, "program {number}");
        }
    }

    #[test]
    fn a_log_gives_states_without_the_boot_rom() {
        let log = "Trace 0: 0x7f [00000000/00001000/00000003/ff000201] \n pc       00001000\n\
                   Trace 0: 0x7f [00000000/80000004/00000003/ff000201] \n V      =   0\n pc       80000004\n \
                   mstatus  00001820\n mepc     80000014\n x0/zero  00000000 x1/ra    0000000a x2/sp    00000000\n";
        let [state] = states(log)[..] else { panic!() };
        assert_eq!((state.pc, state.x[1], state.csrs), (0x8000_0004, 10, [0x1800, 0, 0x8000_0014, 0, 0, 0]));
    }

    #[test]
    fn whatever_differs_is_said() {
        let state = State { pc: BASE, ..State::default() };
        let other = State { x: [1; 32], ..state };
        assert_eq!(difference(&[state], &[state], |_| 0), None);
        assert!(difference(&[state], &[other], |_| 0).is_some_and(|text| text.contains("x5: ours 00000000")));
        assert!(difference(&[state], &[state, state], |_| 0).is_some_and(|text| text.contains("has ended")));
    }
}
