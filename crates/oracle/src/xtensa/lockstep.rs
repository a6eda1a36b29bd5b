//! Runs a program here and under QEMU, and compares all registers before each instruction.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::BufReader;
use std::process::{Child, Command, Stdio};

use cyclescope_xtensa::decode::{self, Row};

use super::defects::DEFECTS;
use super::log::Log;
use super::machine::Machine;
use super::ours::{self, Ours, Reader};
use super::program::{Generator, Program};
use super::{LEFT_OUT, rows, run_modes};
use crate::error::OracleError;
use crate::process::Folder;
use crate::random::Random;
use crate::report::{Report, Tally};

/// QEMU, and the package that has it.
pub const QEMU: &str = "qemu-system-xtensa";
pub const PACKAGES: &str = "qemu-system-misc";

/// The file with QEMU's output.
const OUTPUT: &str = "output";
/// The number of instructions shown before a difference.
const SHOWN: usize = 16;

/// A running QEMU that logs its states.
#[derive(Debug)]
pub struct Qemu(Child);

impl Qemu {
    /// Starts the core of `machine` on the file `program` in `folder`, which is to be at the machine's base.
    ///
    /// # Errors
    /// QEMU is not installed.
    pub fn start(machine: &Machine, folder: &Folder, memory: &[u8], entry: u32) -> Result<Self, OracleError> {
        folder.write("program.elf", elf(machine.base, entry, memory))?;
        // A file takes what comes at once; QEMU's log would wait for a reader of its output.
        let output = File::create(folder.path().join(OUTPUT)).map_err(OracleError::io("cannot make a file"))?;
        let child = Command::new(QEMU)
            .current_dir(folder.path())
            .args(["-M", "sim", "-cpu", machine.name, "-display", "none", "-monitor", "none", "-serial", "none"])
            .args(["-semihosting", "-device", "loader,file=program.elf,cpu-num=0"])
            .args(["-singlestep", "-d", "exec,nochain,cpu,fpu"])
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(Stdio::piped())
            .spawn()
            .map_err(OracleError::start(QEMU, PACKAGES))?;
        Ok(Self(child))
    }

    fn log(&mut self) -> Result<Log<BufReader<std::process::ChildStderr>>, OracleError> {
        let from = self.0.stderr.take().ok_or(OracleError::Peer("has no log"))?;
        Ok(Log::new(BufReader::with_capacity(1 << 18, from)))
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        // What it would do further is of no interest.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An executable file of one segment.
fn elf(base: u32, entry: u32, memory: &[u8]) -> Vec<u8> {
    let mut file = Vec::with_capacity(memory.len() + 0x54);
    file.extend([0x7F, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    // An executable for Xtensa (94).
    file.extend([2, 0, 94, 0]);
    let words = |file: &mut Vec<u8>, words: &[u32]| words.iter().for_each(|word| file.extend(word.to_le_bytes()));
    words(&mut file, &[1, entry, 0x34, 0, 0]);
    // Sizes of the headers: 52, 32, one segment, no sections.
    file.extend([52, 0, 32, 0, 1, 0, 40, 0, 0, 0, 0, 0]);
    let bytes = memory.len() as u32;
    words(&mut file, &[1, 0x54, base, base, bytes, bytes, 7, 4]);
    file.extend(memory);
    file
}

/// The result of a program.
#[derive(Default)]
pub struct Followed {
    /// Compared instructions.
    pub instructions: u64,
    /// Exceptions and interrupts taken.
    pub exceptions: u64,
    /// The rows executed.
    pub rows: Vec<&'static Row>,
    /// Our memory at the end.
    pub memory: Vec<u8>,
    /// Our cycles.
    pub cycles: u64,
    /// The first difference.
    pub difference: Option<String>,
}

/// Runs `program` on both sides and compares.
///
/// # Errors
/// QEMU is not installed, or its log cannot be read.
pub fn follow(machine: &'static Machine, folder: &Folder, program: &Program) -> Result<Followed, OracleError> {
    let mut qemu = Qemu::start(machine, folder, &program.memory, program.entry)?;
    let mut log = qemu.log()?;
    let config = machine.config(program.entry);
    let mut ours = Ours::new(config, machine.base, &program.memory);
    let mut followed = Followed::default();
    let mut theirs: Vec<u32> = Vec::new();
    let mut readers: Vec<Option<Reader>> = Vec::new();
    let mut trail: VecDeque<u32> = VecDeque::new();
    let (mut begun, mut loose) = (false, false);
    loop {
        let more = log.next(&mut theirs).map_err(OracleError::io("cannot read QEMU's log"))?;
        if readers.len() != log.names().len() {
            let found =
                log.names().iter().map(|name| ours::reader(name).filter(|reader| ours::exists(*reader, &config)));
            readers = found.collect();
        }
        if !more {
            let pc = ours.cpu().pc;
            followed.difference =
                Some(format!("QEMU has ended, ours is at {pc:08x}\n{}", shown(&trail, &ours, machine)));
            break;
        }
        begun |= ours.cpu().pc == program.start;
        let mut compare = |ours: &mut Ours| {
            ours.look();
            let pc = ours.cpu().pc;
            if !program.handlers.iter().any(|range| range.contains(&pc)) {
                loose = program.loose.iter().any(|range| range.contains(&pc));
            }
            let mut differs = String::new();
            for ((name, reader), theirs) in log.names().iter().zip(&readers).zip(&theirs) {
                let Some(reader) = reader else { continue };
                if (!begun && *reader != Reader::Pc) || (loose && matches!(reader, Reader::Float(_))) {
                    continue;
                }
                let value = ours.read(*reader);
                if value != *theirs {
                    let _ = writeln!(differs, "  {name}: ours {value:08x}, QEMU {theirs:08x}");
                }
            }
            differs
        };
        let mut differs = compare(&mut ours);
        // QEMU logs no state before an interrupt that it takes. Ours takes it in a step of its own.
        if !differs.is_empty() && begun && ours.takes_interrupt() {
            differs = compare(&mut ours);
        }
        if !differs.is_empty() {
            followed.difference = Some(format!("{differs}{}", shown(&trail, &ours, machine)));
            break;
        }
        let pc = ours.cpu().pc;
        if pc == program.end {
            if program.writes_memory {
                // To its end.
                while log.next(&mut theirs).map_err(OracleError::io("cannot read QEMU's log"))? {}
                let written = fs::read(folder.path().join(OUTPUT)).map_err(OracleError::io("cannot read a file"))?;
                followed.difference = memory_difference(machine, ours.memory(), &written);
            }
            break;
        }
        if begun {
            followed.instructions += 1;
            if let Some(row) = decode::row(bits_at(ours.memory(), pc.wrapping_sub(machine.base)))
                && !followed.rows.iter().any(|other| std::ptr::eq(*other, row))
            {
                followed.rows.push(row);
            }
        }
        if trail.len() == SHOWN {
            trail.pop_front();
        }
        trail.push_back(pc);
        if !ours.step() || followed.instructions > program.longest {
            let pc = ours.cpu().pc;
            followed.difference = Some(format!("ours has stopped at {pc:08x}\n{}", shown(&trail, &ours, machine)));
            break;
        }
    }
    followed.exceptions = ours.exceptions();
    followed.memory = ours.memory().to_vec();
    followed.cycles = ours.cpu().now;
    Ok(followed)
}

/// Describes the first byte of memory that differs.
fn memory_difference(machine: &Machine, ours: &[u8], theirs: &[u8]) -> Option<String> {
    if ours.len() != theirs.len() {
        return Some(format!("QEMU has written {} bytes of memory, ours has {}\n", theirs.len(), ours.len()));
    }
    let at = ours.iter().zip(theirs).position(|(ours, theirs)| ours != theirs)?;
    let address = machine.base as usize + at;
    Some(format!("memory at {address:08x}: ours {:02x}, QEMU {:02x}\n", ours[at], theirs[at]))
}

/// Four bytes of `memory`, less at its end.
fn bits_at(memory: &[u8], offset: u32) -> u32 {
    let bytes = memory.get(offset as usize..).unwrap_or_default();
    (0..4).rev().fold(0, |bits, index| bits << 8 | u32::from(bytes.get(index).copied().unwrap_or(0)))
}

fn shown(trail: &VecDeque<u32>, ours: &Ours, machine: &Machine) -> String {
    let mut text = String::new();
    for pc in trail {
        let bits = bits_at(ours.memory(), pc.wrapping_sub(machine.base));
        let row = decode::row(bits);
        let bits = if decode::is_narrow(bits as u8) { bits & 0xFFFF } else { bits & 0x00FF_FFFF };
        let _ = writeln!(text, "  {pc:08x} {bits:06x} {}", row.map_or("illegal", |row| row.name));
    }
    let cpu = ours.cpu();
    let _ = writeln!(text, "  now at {:08x}, PS {:08x}, a {:08x?}", cpu.pc, cpu.ps.bits(), cpu.a);
    text
}

/// Compares at least `count` instructions of random programs of `seed` on `machine`, or up to the first difference.
/// Instructions that raise an exception count too.
///
/// # Errors
/// QEMU is not installed, or a file cannot be written.
pub fn lockstep(
    machine: &'static Machine,
    seed: u64,
    count: u64,
    mut progress: impl FnMut(u64),
) -> Result<Report, OracleError> {
    let folder = Folder::temporary(machine.name)?;
    let (mut generator, mut random) = (Generator::new(machine, seed), Random::new(!seed));
    let all = rows::of(&machine.configuration.options);
    let mut report = Report::new(Tally::new(all.iter().map(|row| row.name), rows::NEVER), LEFT_OUT.to_vec());
    for defect in DEFECTS.iter().filter(|defect| defect.machine == machine.name) {
        let shows = follow(machine, &folder, &generator.probe(defect.code))?.difference.is_some();
        if shows {
            report.known.push((defect.what, defect.why));
        } else {
            report.fixed.push(defect.what);
        }
    }
    while report.goes_on(count) {
        let program = generator.program();
        let followed = follow(machine, &folder, &program)?;
        for row in &followed.rows {
            if let Some(index) = all.iter().position(|other| std::ptr::eq(*other, *row)) {
                report.coverage.add(index);
            }
        }
        let number = report.programs;
        let found = followed.difference.or_else(|| {
            let mode = run_modes::first_mismatch(machine, &program, followed.cycles, &mut random)?;
            Some(format!("our own core, run as {mode:?} against single steps\n"))
        });
        report.difference = found.map(|what| format!("difference in program {number}:\n{what}"));
        report.instructions += followed.instructions;
        report.traps += followed.exceptions;
        report.programs += 1;
        progress(report.instructions);
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xtensa::LX106;

    #[test]
    fn the_first_byte_that_differs_is_said() {
        assert_eq!(memory_difference(&LX106, &[1, 2, 3], &[1, 2, 3]), None);
        let said = memory_difference(&LX106, &[1, 2, 3], &[1, 0x20, 0x30]);
        assert_eq!(said.as_deref(), Some("memory at 60000001: ours 02, QEMU 20\n"));
        assert!(memory_difference(&LX106, &[1, 2, 3], &[]).is_some());
    }
}
