//! Compares whole programs on the chip `virt` and on QEMU's machine of that name: output, end, and every instruction.
//!
//! The programs are built with GCC when the oracle runs. QEMU translates one instruction at a time and logs the address
//! of each. The path of a program that waits for its machine's clock differs, so only its output and end are compared.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_image::Image;
use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Channel, Signal, SignalKind, Stop, Target};
use cyclescope_riscv::INTERRUPT;

use crate::error::OracleError;

const GCC: &str = "riscv64-unknown-elf-gcc";
const GCC_PACKAGES: &str = "gcc-riscv64-unknown-elf";
const QEMU: &str = "qemu-system-riscv32";
const QEMU_PACKAGES: &str = "qemu-system-misc";

/// A limit above the cycles of any of the programs.
const CYCLES: Cycles = Cycles::new(10_000_000);
/// The start of the machine's RAM. Code below it is QEMU's boot ROM.
const RAM: u32 = 0x8000_0000;
/// The number of instructions shown before a difference.
const SHOWN: usize = 16;

const COMMON: &str = include_str!("../../programs/riscv/common.h");
const LINKER_SCRIPT: &str = include_str!("../../programs/riscv/virt.ld");

/// A program in C.
#[derive(Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    source: &'static str,
    /// Tells if its path depends on its machine's clock.
    timed: bool,
}

/// All programs.
pub const PROGRAMS: &[Program] = &[
    Program { name: "work", source: include_str!("../../programs/riscv/work.c"), timed: false },
    Program { name: "traps", source: include_str!("../../programs/riscv/traps.c"), timed: false },
    Program { name: "devices", source: include_str!("../../programs/riscv/devices.c"), timed: true },
];

/// A program's run.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    end: Result<i32, String>,
    output: Vec<u8>,
    /// The address of each instruction, including those that raised an exception.
    way: Vec<u32>,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct VirtReport {
    /// The number of equal instructions; 0 if they are not compared.
    pub instructions: usize,
    /// A description of the difference.
    pub difference: Option<String>,
}

/// Runs `program` here and under QEMU.
///
/// # Errors
/// GCC or QEMU is not installed, or a file cannot be written.
pub fn virt(program: &Program) -> Result<VirtReport, OracleError> {
    let folder = std::env::temp_dir().join(format!("cyclescope-oracle-{}-{}", std::process::id(), program.name));
    fs::create_dir_all(&folder).map_err(OracleError::io("cannot create a temporary folder"))?;
    let runs = build(&folder, program).and_then(|elf| Ok((here(program, &elf)?, under_qemu(program, &folder)?)));
    // The folder is no longer needed.
    let _ = fs::remove_dir_all(&folder);
    let (ours, qemu) = runs?;
    Ok(VirtReport { instructions: ours.way.len(), difference: difference(&ours, &qemu) })
}

fn build(folder: &Path, program: &Program) -> Result<Vec<u8>, OracleError> {
    for (name, text) in [("program.c", program.source), ("common.h", COMMON), ("virt.ld", LINKER_SCRIPT)] {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|source| OracleError::Write { path, source })?;
    }
    let compiled = Command::new(GCC)
        .current_dir(folder)
        .args(["-march=rv32imac", "-mabi=ilp32", "-misa-spec=2.2", "-O2", "-Wall", "-Wextra", "-Werror"])
        .args(["-nostdlib", "-nostartfiles", "-ffreestanding", "-Wl,--no-warn-rwx-segments"])
        .args(["-T", "virt.ld", "-o", "program.elf", "program.c", "-lgcc"])
        .output()
        .map_err(OracleError::start(GCC, GCC_PACKAGES))?;
    if !compiled.status.success() {
        let messages = String::from_utf8_lossy(&compiled.stderr).into_owned();
        return Err(OracleError::Compile { library: "libgcc", packages: GCC_PACKAGES, messages });
    }
    fs::read(folder.join("program.elf")).map_err(OracleError::io("cannot read what was just built"))
}

fn here(program: &Program, elf: &[u8]) -> Result<Run, OracleError> {
    let name = program.name;
    let image = Image::parse(elf).map_err(|source| OracleError::Image { name, source })?;
    let part = Part::find("virt").map_err(|source| OracleError::Part { name, source })?;
    let settings = Settings { halt_on_reset: true, ..Settings::default() };
    let mut machine = match Machine::load(part, settings, &image) {
        Ok(machine) => machine,
        Err(error) => return Ok(Run { end: Err(error.to_string()), output: Vec::new(), way: Vec::new() }),
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
        let raised = |signal: &Signal| matches!(signal, Signal::ExceptionEntered { number } if number & INTERRUPT == 0);
        let raised = machine.shared().signals.drain().filter(|(_, signal)| raised(signal)).count();
        // It did not retire; the trap recorded its address.
        if raised > 0
            && !program.timed
            && let Some(core) = machine.riscv()
        {
            way.push(core.cpu().csrs.mepc);
        }
    };
    let end = match stop {
        Stop::Exit(code) => Ok(code),
        other => Err(format!("{other:?}")),
    };
    Ok(Run { end, output: machine.shared().console.bytes(Channel::Uart(0)), way })
}

fn under_qemu(program: &Program, folder: &Path) -> Result<Run, OracleError> {
    let mut command = Command::new(QEMU);
    command
        .current_dir(folder)
        .args(["-M", "virt", "-display", "none", "-serial", "stdio", "-monitor", "none"])
        .args(["-bios", "none", "-kernel", "program.elf"])
        .stdin(Stdio::null());
    if !program.timed {
        command.args(["-singlestep", "-d", "exec,nochain", "-D", "log"]);
    }
    let done = command.output().map_err(OracleError::start(QEMU, QEMU_PACKAGES))?;
    let log = if program.timed {
        String::new()
    } else {
        fs::read_to_string(folder.join("log")).map_err(OracleError::io("cannot read QEMU's log"))?
    };
    let end = done.status.code().ok_or_else(|| "killed by a signal".to_owned());
    Ok(Run { end, output: done.stdout, way: way(&log) })
}

/// Returns the addresses of the instructions in QEMU's `log`, without its boot ROM.
fn way(log: &str) -> Vec<u32> {
    let mut way = Vec::new();
    for line in log.lines() {
        // An instruction that stopped before it began is logged again.
        if line.starts_with("Stopped execution") {
            way.pop();
        } else if let Some((_, fields)) = line.split_once('[')
            && let Some(at) = fields.split('/').nth(1).and_then(|text| u32::from_str_radix(text, 16).ok())
            && at >= RAM
        {
            way.push(at);
        }
    }
    way
}

/// Describes the first difference, in the path before all else.
fn difference(ours: &Run, qemu: &Run) -> Option<String> {
    // QEMU ends inside the store that ends the run; here that instruction completes.
    let count = ours.way.len().max(qemu.way.len());
    if let Some(index) = (0..count).find(|&index| ours.way.get(index) != qemu.way.get(index)) {
        let from = index.saturating_sub(SHOWN);
        let before: Vec<String> =
            ours.way[from..index.min(ours.way.len())].iter().map(|at| format!("{at:08x}")).collect();
        let [ours, qemu] =
            [ours, qemu].map(|run| run.way.get(index).map_or("the end".to_owned(), |at| format!("{at:08x}")));
        return Some(format!("instruction {index}: ours at {ours}, QEMU at {qemu}; before: {}", before.join(" ")));
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
