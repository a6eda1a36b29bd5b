//! Programs in C, built with GCC for the ABI of the core when the oracle runs, with the start-up, the vectors and the
//! window handlers of the boards' images.
//!
//! They check their own results besides, and at their end the memories of both sides are compared.

use std::fs;
use std::process::Command;

use cyclescope_image::Image;

use super::lockstep::follow;
use super::machine::Machine;
use super::program::Program;
use crate::error::OracleError;
use crate::process::{self, Folder};

const COMPILER: &str = "xtensa-lx106-elf-gcc";
const PACKAGES: &str = "gcc-xtensa-lx106 binutils-xtensa-lx106 python3";

/// Bytes of instruction and of data memory.
const CODE_BYTES: u32 = 0x1_0000;
const DATA_BYTES: u32 = 0x2_0000;
/// A limit above the instructions that a program executes.
const LONGEST: u64 = 100_000_000;
/// The instructions to compare for which a program does its work once more, and from which on both levels of
/// optimisation are built.
const SCALE: u64 = 1_000_000;

/// The files that each program is built of, besides its own source.
const FILES: &[(&str, &str)] = &[
    ("common.h", include_str!("../../programs/xtensa/common.h")),
    ("alloca.S", include_str!("../../programs/xtensa/alloca.S")),
    ("soft.c", include_str!("../../programs/xtensa/soft.c")),
    ("unit.c", include_str!("../../programs/xtensa/unit.c")),
    ("unit.inc", include_str!("../../programs/xtensa/unit.inc")),
    ("call0.S", include_str!("../../../../firmware/boards/xtensa/call0.S")),
    ("windowed.S", include_str!("../../../../firmware/boards/xtensa/windowed.S")),
    ("windowed.inc", include_str!("../../../../firmware/boards/xtensa/windowed.inc")),
    ("windowed_calls.py", include_str!("../../../../firmware/boards/xtensa/tests/windowed_calls.py")),
    ("frame.h", include_str!("../../../../firmware/boards/xtensa/frame.h")),
    ("xtensa.h", include_str!("../../../../firmware/boards/xtensa/xtensa.h")),
    ("divide.c", include_str!("../../../../firmware/boards/xtensa/divide.c")),
    ("memory.c", include_str!("../../../../firmware/boards/xtensa/memory.c")),
    ("sections.ld", include_str!("../../../../firmware/boards/xtensa/sections.ld")),
];

/// A program.
#[derive(Debug)]
pub struct Compiled {
    /// Its name.
    pub name: &'static str,
    source: &'static str,
    /// Tells if it uses GCC's library, which there is for CALL0 alone.
    library: bool,
    /// Tells if it computes in single precision.
    floats: bool,
}

/// All programs.
pub const COMPILED: &[Compiled] = &[
    program("sort", include_str!("../../programs/xtensa/sort.c")),
    program("text", include_str!("../../programs/xtensa/text.c")),
    program("deep", include_str!("../../programs/xtensa/deep.c")),
    program("switched", include_str!("../../programs/xtensa/switched.c")),
    Compiled { floats: true, ..program("float", include_str!("../../programs/xtensa/float.c")) },
    Compiled { library: true, ..program("library", include_str!("../../programs/xtensa/library.c")) },
];

const fn program(name: &'static str, source: &'static str) -> Compiled {
    Compiled { name, source, library: false, floats: false }
}

impl Compiled {
    /// Tells if it can be built for the core of `machine`.
    pub fn suits(&self, machine: &Machine) -> bool {
        !(self.library && machine.configuration.options.windows)
    }
}

/// The result of one program at one level of optimisation.
#[derive(Clone, Debug, Default)]
pub struct CompiledReport {
    /// The number of instructions compared.
    pub instructions: u64,
    /// The number of exceptions and interrupts taken.
    pub exceptions: u64,
    /// The first difference, or the check of its own that the program failed.
    pub difference: Option<String>,
}

/// The levels of optimisation at which programs are built to compare `count` instructions.
pub const fn levels(count: u64) -> &'static [char] {
    if count < SCALE { &['s'] } else { &['s', '3'] }
}

/// Builds `program` with `-O` and `level`, and runs it on `machine` and on QEMU's. Its work grows with `count`.
///
/// # Errors
/// The compiler or QEMU is not installed, or a file cannot be written.
pub fn follow_compiled(
    machine: &'static Machine,
    program: &Compiled,
    level: char,
    count: u64,
) -> Result<CompiledReport, OracleError> {
    let folder = Folder::temporary(&format!("{}-{}-{level}", machine.name, program.name))?;
    let elf = build(&folder, machine, program, level, 1 + count / SCALE)?;
    let image = Image::parse(&elf).map_err(|source| OracleError::Image { name: program.name, source })?;
    let address = |name| match image.symbol(name) {
        Ok(symbol) => Ok(symbol.address.get()),
        Err(_) => Err(OracleError::Peer("has no such symbol in its program")),
    };
    let mut memory = vec![0; (CODE_BYTES + DATA_BYTES) as usize];
    for segment in image.segments() {
        let at = (segment.address.get() - machine.base) as usize;
        memory[at..at + segment.bytes.len()].copy_from_slice(segment.bytes);
    }
    let loose = match (image.symbol("loose_begin"), image.symbol("loose_end")) {
        (Ok(begin), Ok(end)) => std::iter::once(begin.address.get() + 1..end.address.get()).collect(),
        _ => Vec::new(),
    };
    let vectors = machine.base..machine.base + 0x400;
    let followed = follow(
        machine,
        &folder,
        &Program {
            memory,
            entry: image.entry().get(),
            start: address("main")?,
            end: address("program_end")?,
            loose,
            handlers: [vectors.clone(), vectors],
            data: machine.base + CODE_BYTES..machine.base + CODE_BYTES + DATA_BYTES,
            writes_memory: true,
            longest: LONGEST,
        },
    )?;
    let failed = (address("failed")? - machine.base) as usize;
    let line = followed.memory[failed..failed + 4].iter().rev().fold(0, |line, byte| line << 8 | u32::from(*byte));
    let own = (line != 0).then(|| format!("{}.c: the check in line {line} failed on both sides\n", program.name));
    Ok(CompiledReport {
        instructions: followed.instructions,
        exceptions: followed.exceptions,
        difference: followed.difference.or(own),
    })
}

fn build(
    folder: &Folder,
    machine: &Machine,
    program: &Compiled,
    level: char,
    scale: u64,
) -> Result<Vec<u8>, OracleError> {
    for (name, text) in FILES {
        folder.write(name, text)?;
    }
    folder.write("program.c", program.source)?;
    let (base, data) = (machine.base, machine.base + CODE_BYTES);
    let regions = format!(
        "MEMORY\n{{\n  IRAM (rx) : ORIGIN = {base:#x}, LENGTH = {CODE_BYTES:#x}\n  \
         DRAM (rw) : ORIGIN = {data:#x}, LENGTH = {DATA_BYTES:#x}\n}}\nINCLUDE sections.ld\n"
    );
    folder.write("program.ld", regions)?;
    let options = &machine.configuration.options;
    let windowed = options.windows;
    let mut machine_options = Vec::new();
    if windowed {
        let windows = machine.configuration.registers / 4;
        machine_options.extend(["-mabi=windowed".to_owned(), "-Wa,windowed.inc".to_owned()]);
        machine_options.push(format!("-DXTENSA_WINDOWS={windows}"));
    }
    let compiler = || {
        let mut command = Command::new(COMPILER);
        command.current_dir(folder.path()).args(&machine_options);
        command
    };
    // What ends in `xtensa_fault` may have a place elsewhere.
    let start = if windowed { "windowed.S" } else { "call0.S" };
    process::build(compiler().args(["-c", start, "-o", "start.o"]), "no library", PACKAGES)?;
    let mut weaken = Command::new("xtensa-lx106-elf-objcopy");
    weaken.current_dir(folder.path()).args(["--weaken-symbol=xtensa_fault", "start.o"]);
    process::build(&mut weaken, "no library", PACKAGES)?;
    let mut build = compiler();
    build
        .args(["-std=gnu17", "-ffreestanding", "-fno-common", "-ffunction-sections", "-fdata-sections"])
        .args(["-Wall", "-Wextra", "-Werror"])
        .args([format!("-O{level}"), format!("-DSCALE={scale}"), format!("-DMEMORY_BASE={base:#x}")])
        .arg(format!("-DMEMORY_BYTES={:#x}", CODE_BYTES + DATA_BYTES))
        .args(["-nostdlib", "-Wl,--no-relax", "-Wl,--gc-sections", "-T", "program.ld", "-o", "program.elf"])
        .args(["start.o", "divide.c", "memory.c", "program.c"]);
    let unit = options.float;
    if windowed {
        build.arg("alloca.S");
    }
    if program.floats {
        build.arg(if unit { "unit.c" } else { "soft.c" });
        if unit {
            build.args(["-DHAS_UNIT", "-Wa,unit.inc"]);
        }
    }
    if program.library {
        build.arg("-lgcc");
    }
    process::build(&mut build, "no library", PACKAGES)?;
    if windowed {
        let mut calls = Command::new("python3");
        calls.current_dir(folder.path()).args(["windowed_calls.py", "program.elf"]);
        process::build(&mut calls, "no library", PACKAGES)?;
    }
    fs::read(folder.path().join("program.elf")).map_err(OracleError::io("cannot read what was just built"))
}
