//! The compilers: their paths and versions, and the packages to install if one is missing.

use std::path::Path;
use std::process::Command;

use anyhow::Context;

use super::list::{Family, Kind};

impl Family {
    /// The C compiler.
    pub fn gcc(self) -> &'static str {
        match self {
            Self::Arm => "arm-none-eabi-gcc",
            Self::Avr => "avr-gcc",
            Self::Riscv => "riscv64-unknown-elf-gcc",
            Self::Xtensa => "xtensa-lx106-elf-gcc",
        }
    }

    /// The C++ compiler.
    pub fn gxx(self) -> &'static str {
        match self {
            Self::Arm => "arm-none-eabi-g++",
            Self::Avr => "avr-g++",
            Self::Riscv => "riscv64-unknown-elf-g++",
            Self::Xtensa => "xtensa-lx106-elf-g++",
        }
    }

    /// Another of the same tools, by the end of its name.
    pub fn tool(self, name: &str) -> String {
        match self {
            Self::Arm => format!("arm-none-eabi-{name}"),
            Self::Avr => format!("avr-{name}"),
            Self::Riscv => format!("riscv64-unknown-elf-{name}"),
            Self::Xtensa => format!("xtensa-lx106-elf-{name}"),
        }
    }

    /// The header that an installed C library, and for Arm and Xtensa the C++ library, is known by.
    fn header(self, kind: Kind) -> Option<&'static str> {
        match (self, kind) {
            (Self::Arm | Self::Xtensa, Kind::Cpp) => Some(CPP_HEADER),
            (Self::Avr, _) => Some(AVR_HEADER),
            (Self::Arm | Self::Xtensa, _) => None,
            (Self::Riscv, _) => Some(RISCV_HEADER),
        }
    }
}

/// A header of the C++ library, which its compiler runs without.
const CPP_HEADER: &str = "coroutine";
/// A header of avr-libc, which its compilers run without.
const AVR_HEADER: &str = "avr/io.h";
/// A header of picolibc, which GCC for RISC-V runs without.
const RISCV_HEADER: &str = "picolibc.h";
/// The folder of Debian's package of picolibc for RISC-V.
pub const PICOLIBC: &str = "/usr/lib/picolibc/riscv64-unknown-elf";
/// Its headers. Its own specification file for the compiler would bring them, but put its libraries before all others.
pub const PICOLIBC_HEADERS: &str = "/usr/lib/picolibc/riscv64-unknown-elf/include";
/// The C++ library's headers of Debian's package for Arm, which stand in for those that come with no compiler for Xtensa: what is
/// taken of them (`<coroutine>`, `<cstdint>`) is the same on all processors.
pub const CPP_HEADERS: [&str; 2] = ["/usr/include/newlib/c++/12.2.1", "/usr/include/newlib/c++/12.2.1/arm-none-eabi"];
/// The folder of the core in Debian's package.
pub const PLATFORM: &str = "/usr/share/arduino/hardware/arduino/avr";
/// The packaged cargo and rustc that carry a matching library source.
pub const CARGO: &str = "/usr/bin/cargo";
const RUSTC: &str = "/usr/bin/rustc";

/// The reason why a compiler cannot be used. The messages name the remedy.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ToolchainError {
    /// The C compiler does not start.
    #[error(
        "arm-none-eabi-gcc does not run: install it with `apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi` \
         (Debian 12)"
    )]
    Gcc,
    /// The C++ compiler does not start, or finds no library.
    #[error(
        "arm-none-eabi-g++ does not run or finds no <{CPP_HEADER}>: install them with `apt-get install gcc-arm-none-eabi \
         libstdc++-arm-none-eabi-newlib` (Debian 12)"
    )]
    Gxx,
    /// A compiler for AVR does not start, or finds no library.
    #[error(
        "avr-gcc or avr-g++ does not run or finds no <{AVR_HEADER}>: install them with `apt-get install gcc-avr \
         avr-libc binutils-avr` (Debian 12)"
    )]
    Avr,
    /// A compiler for RISC-V does not start, or finds no library.
    #[error(
        "riscv64-unknown-elf-gcc does not run or finds no <{RISCV_HEADER}>: install them with `apt-get install \
         gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf` (Debian 12)"
    )]
    Riscv,
    /// The compiler for Xtensa does not start, or finds no C++ library.
    #[error(
        "xtensa-lx106-elf-gcc or xtensa-lx106-elf-g++ does not run or finds no <{CPP_HEADER}>: install them with `apt-get \
         install gcc-xtensa-lx106 binutils-xtensa-lx106 picolibc-xtensa-lx106-elf libstdc++-arm-none-eabi-newlib` (Debian \
         12)"
    )]
    Xtensa,
    /// Rust is built for no part with an Xtensa.
    #[error("there is no recipe of Rust for Xtensa")]
    XtensaRust,
    /// There is no Arduino core for the family.
    #[error("there is no {PLATFORM}: install it with `apt-get install arduino-core-avr` (Debian 12)")]
    Arduino,
    /// The packaged Rust does not start.
    #[error(
        "{RUSTC} does not run: install the packaged Rust with `apt-get install rustc-web cargo-web rust-web-src \
         rust-web-llvm lld-22` (Debian 12 with its security suite)"
    )]
    Rust,
}

/// The names and versions that the installed compilers report.
#[derive(Debug)]
pub struct Toolchain {
    found: Vec<(Family, Kind, Result<String, ToolchainError>)>,
}

impl Toolchain {
    /// Asks the compilers.
    pub fn probe() -> Self {
        let kinds = [Kind::C, Kind::Cpp, Kind::Rust, Kind::Arduino];
        let families = [Family::Arm, Family::Avr, Family::Riscv, Family::Xtensa];
        let all = families.into_iter().flat_map(|family| kinds.map(|kind| (family, kind)));
        Self { found: all.map(|(family, kind)| (family, kind, ask(family, kind))).collect() }
    }

    /// The name of the compiler and linker that build projects of this kind for the family.
    pub fn compiler(&self, family: Family, kind: Kind) -> Result<&str, ToolchainError> {
        let found = self.found.iter().find(|(f, k, _)| (*f, *k) == (family, kind));
        let (_, _, found) = found.expect("probe asked for every kind of every family");
        found.as_deref().map_err(Clone::clone)
    }
}

/// Returns the names and versions that the compiler and the linker report.
fn ask(family: Family, kind: Kind) -> Result<String, ToolchainError> {
    let missing = match (family, kind) {
        (Family::Arm, Kind::C) => ToolchainError::Gcc,
        (Family::Arm, Kind::Cpp) => ToolchainError::Gxx,
        (Family::Avr, Kind::C | Kind::Cpp) => ToolchainError::Avr,
        (Family::Riscv, Kind::C | Kind::Cpp) => ToolchainError::Riscv,
        (Family::Xtensa, Kind::C | Kind::Cpp) => ToolchainError::Xtensa,
        (Family::Xtensa, Kind::Rust) => ToolchainError::XtensaRust,
        (_, Kind::Rust) => ToolchainError::Rust,
        (_, Kind::Arduino) => ToolchainError::Arduino,
    };
    let with_its_linker = |compiler: &str| {
        let linker = first_line(&family.tool("ld"), "--version")?;
        Some(format!("{}; {linker}", first_line(compiler, "--version")?))
    };
    match (family, kind) {
        (_, Kind::C) if has_header(family, kind) => with_its_linker(family.gcc()).ok_or(missing),
        (_, Kind::Cpp) if has_header(family, kind) => with_its_linker(family.gxx()).ok_or(missing),
        (_, Kind::C | Kind::Cpp) => Err(missing),
        (Family::Avr, Kind::Arduino) if Path::new(PLATFORM).is_dir() => ask(family, Kind::Cpp),
        (_, Kind::Arduino) => Err(missing),
        (Family::Xtensa, Kind::Rust) => Err(missing),
        // rustc's own linker for bare-metal targets, under the name by which its package installs it.
        (Family::Arm | Family::Riscv, Kind::Rust) => first_line(RUSTC, "--version")
            .zip(first_line("/usr/bin/ld.lld-22", "--version"))
            .map(|(rustc, lld)| format!("{rustc}; {lld}"))
            .ok_or(missing),
        // For AVR rustc links by way of the C compiler, with avr-libc's start-up code.
        (Family::Avr, Kind::Rust) => {
            let linker = ask(family, Kind::C)?;
            first_line(RUSTC, "--version").map(|rustc| format!("{rustc}; {linker}")).ok_or(missing)
        }
    }
}

/// Returns the first line that a program prints, if it runs.
fn first_line(program: &str, argument: &str) -> Option<String> {
    let output = Command::new(program).arg(argument).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().next().map(str::to_owned)
}

/// Tells whether the compiler finds the header that stands for its library.
fn has_header(family: Family, kind: Kind) -> bool {
    let Some(header) = family.header(kind) else { return true };
    let mut command = match kind {
        Kind::Cpp => Command::new(family.gxx()),
        _ => Command::new(family.gcc()),
    };
    match family {
        Family::Arm => command.arg("-std=c++20"),
        Family::Avr => command.arg("-mmcu=atmega328p"),
        Family::Riscv => command.args(["-isystem", PICOLIBC_HEADERS]),
        Family::Xtensa => {
            command.args(["-std=c++20", "-ffreestanding"]).args(CPP_HEADERS.map(|folder| format!("-I{folder}")))
        }
    };
    let language = if kind == Kind::Cpp { "c++" } else { "c" };
    command.args(["-include", header, "-E", "-x", language, "/dev/null"]);
    command.output().is_ok_and(|output| output.status.success())
}

/// The version alone of a compiler's name, for contenders that have no other: `gcc 12.2.1`, `rustc 1.96.0`.
pub fn short(compiler: &str, kind: Kind) -> String {
    let first = compiler.split(';').next().unwrap_or(compiler);
    // GCC: `arm-none-eabi-gcc (package) 12.2.1 date`; rustc: `rustc 1.96.0 (commit date)`.
    let after_package = first.rsplit(") ").next().unwrap_or(first);
    match kind {
        Kind::C | Kind::Cpp | Kind::Arduino => format!("gcc {}", after_package.split(' ').next().unwrap_or_default()),
        Kind::Rust => format!("rustc {}", first.split(' ').nth(1).unwrap_or_default()),
    }
}

/// A cargo command of the packaged Rust, which rustup's must not shadow, in the project's folder.
pub fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(CARGO);
    command
        .current_dir(folder)
        .env("PATH", "/usr/bin:/bin")
        .env("RUSTC", RUSTC)
        .env("CARGO", CARGO)
        .env("RUSTC_BOOTSTRAP", "1")
        // What the outer cargo sets for this very program would leak into the inner one.
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("CARGO_MANIFEST_DIR");
    command
}

/// Runs a command and returns its standard output; an error carries its standard error.
pub fn run(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().with_context(|| format!("cannot start {:?}", command.get_program()))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        anyhow::bail!("{:?} failed ({}):\n{}", command.get_program(), output.status, stderr.trim_end());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_versions_are_cut_out() {
        let gcc = "arm-none-eabi-gcc (15:12.2.rel1-1) 12.2.1 20221205; GNU ld (2.40-2+18+b1) 2.40";
        assert_eq!(short(gcc, Kind::C), "gcc 12.2.1");
        assert_eq!(short("avr-g++ (GCC) 5.4.0; GNU ld (GNU Binutils) 2.26.20160125", Kind::Cpp), "gcc 5.4.0");
        let rustc = "rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball); LLD 22.1.0";
        assert_eq!(short(rustc, Kind::Rust), "rustc 1.96.0");
    }
}
