//! Compares whole programs on the chip `virt` and on QEMU's machine of that name: output, end, and every instruction.
//!
//! The programs are built with GCC when the oracle runs. QEMU translates one instruction at a time and logs the address
//! of each. The path of a program that waits for its machine's clock differs, so only its output and end are compared.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use cyclescope_chips::Settings;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Channel, Signal, SignalKind, Stop};
use cyclescope_riscv::INTERRUPT;
use wait_timeout::ChildExt;

use crate::error::OracleError;
use crate::process::{self, Folder};
use crate::qemu::{self, Compared};

const QEMU: &str = "qemu-system-riscv32";
const QEMU_PACKAGES: &str = "qemu-system-misc";

/// A limit above the cycles of any of the programs.
const CYCLES: Cycles = Cycles::new(10_000_000);
/// The cause of an instruction access fault.
const FETCH_FAULT: u16 = 1;
/// The start of the machine's RAM. Code below it is QEMU's boot ROM.
const RAM: u32 = 0x8000_0000;

const COMMON: &str = include_str!("../../programs/riscv/common.h");
/// The time that one run of QEMU may take, and the number of runs that are tried.
const PATIENCE: Duration = Duration::from_secs(120);
const ATTEMPTS: usize = 3;
const LINKER_SCRIPT: &str = include_str!("../../programs/riscv/virt.ld");

/// A program in C.
#[derive(Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    source: &'static str,
    /// Tells if its path depends on its machine's clock.
    timed: bool,
    /// Tells if it needs Smepmp.
    smepmp: bool,
}

/// All programs.
pub const PROGRAMS: &[Program] = &[
    program("work", include_str!("../../programs/riscv/work.c")),
    program("traps", include_str!("../../programs/riscv/traps.c")),
    Program { smepmp: true, ..program("smepmp", include_str!("../../programs/riscv/smepmp.c")) },
    Program { timed: true, ..program("devices", include_str!("../../programs/riscv/devices.c")) },
];

const fn program(name: &'static str, source: &'static str) -> Program {
    Program { name, source, timed: false, smepmp: false }
}

/// A program's run.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    end: Result<i32, String>,
    output: Vec<u8>,
    /// The address of each instruction, including those that raised an exception.
    way: Vec<u32>,
}

/// Runs `program` here and under QEMU.
///
/// # Errors
/// GCC or QEMU is not installed, or a file cannot be written.
pub fn virt(program: &Program) -> Result<Compared, OracleError> {
    let folder = Folder::temporary(program.name)?;
    let elf = build(&folder, program)?;
    let (ours, qemu) = (here(program, &elf)?, under_qemu(program, folder.path())?);
    Ok(Compared { instructions: ours.way.len(), difference: difference(&ours, &qemu) })
}

fn build(folder: &Folder, program: &Program) -> Result<Vec<u8>, OracleError> {
    for (name, text) in [("program.c", program.source), ("common.h", COMMON), ("virt.ld", LINKER_SCRIPT)] {
        folder.write(name, text)?;
    }
    let mut compiler = Command::new("riscv64-unknown-elf-gcc");
    compiler
        .current_dir(folder.path())
        .args(["-march=rv32imac", "-mabi=ilp32", "-misa-spec=2.2", "-O2", "-Wall", "-Wextra", "-Werror"])
        .args(["-nostdlib", "-nostartfiles", "-ffreestanding", "-Wl,--no-warn-rwx-segments"])
        .args(["-T", "virt.ld", "-o", "program.elf", "program.c", "-lgcc"]);
    process::build(&mut compiler, "libgcc", "gcc-riscv64-unknown-elf")?;
    fs::read(folder.path().join("program.elf")).map_err(OracleError::io("cannot read what was just built"))
}

fn here(program: &Program, elf: &[u8]) -> Result<Run, OracleError> {
    let settings = Settings { halt_on_reset: true, ..Settings::default() };
    let mut machine =
        match qemu::load(program.name, elf, if program.smepmp { "virt-smepmp" } else { "virt" }, settings)? {
            Ok(machine) => machine,
            Err(why) => return Ok(Run { end: Err(why), output: Vec::new(), way: Vec::new() }),
        };
    machine.shared().signals.want(SignalKind::Exception);
    let mut way = Vec::new();
    let stop = loop {
        let stop = if program.timed {
            machine.run(CYCLES)
        } else {
            machine.run_into(CYCLES, &mut |retire: cyclescope_chips::Retire| way.push(retire.pc.get()))
        };
        if stop != Stop::Signal {
            break stop;
        }
        // QEMU logs no instruction that it could not fetch.
        let raised = |signal: &Signal| matches!(signal, Signal::ExceptionEntered { number } if number & INTERRUPT == 0 && *number != FETCH_FAULT);
        let raised = machine.shared().signals.drain().filter(|(_, signal)| raised(signal)).count();
        // It did not retire; the trap recorded its address.
        if raised > 0
            && !program.timed
            && let Some(core) = machine.riscv()
        {
            way.push(core.cpu().csrs.mepc);
        }
    };
    Ok(Run { end: qemu::end(stop), output: machine.shared().console.bytes(Channel::Uart(0)), way })
}

fn under_qemu(program: &Program, folder: &Path) -> Result<Run, OracleError> {
    let mut command = Command::new(QEMU);
    command
        .current_dir(folder)
        .args(["-M", "virt", "-display", "none", "-serial", "stdio", "-monitor", "none"])
        .args(["-bios", "none", "-kernel", "program.elf"])
        .stdin(Stdio::null());
    if program.smepmp {
        // QEMU 7 has the draft, which agrees in all that the program does.
        command.args(["-cpu", if has_smepmp()? { "rv32,smepmp=true" } else { "rv32,x-epmp=true" }]);
    }
    if !program.timed {
        command.args(["-singlestep", "-d", "exec,nochain", "-D", "log"]);
    }
    let done = output(&mut command)?;
    let log = if program.timed {
        String::new()
    } else {
        fs::read_to_string(folder.join("log")).map_err(OracleError::io("cannot read QEMU's log"))?
    };
    let end = done.status.code().ok_or_else(|| "killed by a signal".to_owned());
    Ok(Run { end, output: done.stdout, way: way(&log) })
}

/// Returns the output of QEMU, started again where it does not end.
///
/// QEMU 7.2 has been seen once, on a busy machine, to sleep on in `devices` past the interrupt that the program waits for. A run
/// takes a fraction of a second.
fn output(command: &mut Command) -> Result<Output, OracleError> {
    for _ in 0..ATTEMPTS {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(OracleError::start(QEMU, QEMU_PACKAGES))?;
        if child.wait_timeout(PATIENCE).map_err(OracleError::io("cannot wait for QEMU"))?.is_some() {
            return child.wait_with_output().map_err(OracleError::io("cannot read QEMU's output"));
        }
        child.kill().and_then(|()| child.wait()).map_err(OracleError::io("cannot end QEMU"))?;
    }
    Err(OracleError::Peer("did not end in any of its runs"))
}

/// Tells if QEMU knows Smepmp by its final name, as it does from version 8.2 on.
fn has_smepmp() -> Result<bool, OracleError> {
    let said = Command::new(QEMU).arg("--version").output().map_err(OracleError::start(QEMU, QEMU_PACKAGES))?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse::<u32>().ok());
    Ok((numbers.next(), numbers.next()) >= (Some(8), Some(2)))
}

/// Returns the addresses of the instructions in QEMU's `log`, without its boot ROM.
fn way(log: &str) -> Vec<u32> {
    let mut way = Vec::new();
    for line in log.lines() {
        if qemu::takes_back(line) {
            way.pop();
        } else {
            way.extend(qemu::address(line).filter(|at| *at >= RAM));
        }
    }
    way
}

/// Describes the first difference, in the path before all else.
fn difference(ours: &Run, qemu: &Run) -> Option<String> {
    // QEMU ends inside the store that ends the run; here that instruction completes.
    let count = ours.way.len().max(qemu.way.len());
    if let Some(index) = (0..count).find(|&index| ours.way.get(index) != qemu.way.get(index)) {
        return Some(qemu::parting(index, &ours.way, qemu.way.get(index).copied()));
    }
    if ours.end != qemu.end {
        return Some(format!("ours ended with {:?}, QEMU with {:?}", ours.end, qemu.end));
    }
    let [ours, qemu] = [ours, qemu].map(|run| String::from_utf8_lossy(&run.output).into_owned());
    if ours.is_empty() {
        return Some("nothing was printed".to_owned());
    }
    let mut lines = ours.lines().zip(qemu.lines()).enumerate();
    match lines.find(|(_, (ours, qemu))| ours != qemu) {
        Some((index, (ours, qemu))) => Some(format!("line {}: ours {ours:?}, QEMU {qemu:?}", index + 1)),
        None => (ours != qemu).then(|| format!("ours printed {} bytes, QEMU {}", ours.len(), qemu.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_gives_the_way_without_the_boot_rom() {
        let log = "Trace 0: 0x7f0000000100 [00000000/00001000/00000003/ff000201] \n\
                   Trace 0: 0x7f0000000200 [00000000/80000000/00000003/ff000201] _start\n\
                   Trace 0: 0x7f0000000300 [00000000/80000004/00000003/ff000201] _start\n\
                   Stopped execution of TB chain before 0x7f0000000300 [80000004] _start\n\
                   Trace 0: 0x7f0000000300 [00000000/80000004/00000003/ff000201] _start\n";
        assert_eq!(way(log), [0x8000_0000, 0x8000_0004]);
    }

    #[test]
    fn whatever_differs_is_said() {
        let run = |end, output: &str, way: &[u32]| Run { end, output: output.into(), way: way.to_vec() };
        let ours = run(Ok(0), "a\n", &[1, 2]);
        assert_eq!(difference(&ours, &ours.clone()), None);
        for other in [
            run(Ok(1), "a\n", &[1, 2]),
            run(Ok(0), "b\n", &[1, 2]),
            run(Ok(0), "a\nb\n", &[1, 2]),
            run(Ok(0), "a\n", &[1, 3]),
            run(Ok(0), "a\n", &[1]),
            run(Err("stuck".into()), "a\n", &[1, 2]),
        ] {
            assert!(difference(&ours, &other).is_some() && difference(&other, &ours).is_some(), "{other:?}");
        }
        let silent = run(Ok(0), "", &[]);
        assert!(difference(&silent, &silent.clone()).is_some());
    }
}
