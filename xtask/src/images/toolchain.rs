//! The compilers: where they are, what they call themselves, and what to install when one is missing.

use std::path::Path;
use std::process::Command;

use anyhow::Context;

use super::list::Kind;

/// The C compiler.
pub const GCC: &str = "arm-none-eabi-gcc";
/// The C++ compiler.
pub const GXX: &str = "arm-none-eabi-g++";
/// A header of the C++ library, which its compiler runs without.
const CPP_HEADER: &str = "coroutine";
/// The packaged cargo and rustc that carry a matching library source.
pub const CARGO: &str = "/usr/bin/cargo";
const RUSTC: &str = "/usr/bin/rustc";

/// Why a compiler cannot be used. The messages say what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ToolchainError {
    /// The C compiler does not start.
    #[error(
        "{GCC} does not run: install it with `apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi` (Debian 12)"
    )]
    Gcc,
    /// The C++ compiler does not start, or finds no library.
    #[error(
        "{GXX} does not run or finds no <{CPP_HEADER}>: install them with `apt-get install gcc-arm-none-eabi \
         libstdc++-arm-none-eabi-newlib` (Debian 12)"
    )]
    Gxx,
    /// The packaged Rust does not start.
    #[error(
        "{RUSTC} does not run: install the packaged Rust with `apt-get install rustc-web cargo-web rust-web-src \
         rust-web-llvm lld-22` (Debian 12 with its security suite)"
    )]
    Rust,
}

/// What the installed compilers call themselves.
#[derive(Debug)]
pub struct Toolchain {
    c: Result<String, ToolchainError>,
    cpp: Result<String, ToolchainError>,
    rust: Result<String, ToolchainError>,
}

impl Toolchain {
    /// Asks the compilers.
    pub fn probe() -> Self {
        let first_line = |program: &str, argument: &str| {
            let output = Command::new(program).arg(argument).output().ok().filter(|output| output.status.success())?;
            let text = String::from_utf8(output.stdout).ok()?;
            text.lines().next().map(str::to_owned)
        };
        let linker = || first_line("arm-none-eabi-ld", "--version");
        let c = first_line(GCC, "--version").zip(linker()).map(|(gcc, ld)| format!("{gcc}; {ld}"));
        let header = || {
            let preprocess = ["-std=c++20", "-include", CPP_HEADER, "-E", "-x", "c++", "/dev/null"];
            Command::new(GXX).args(preprocess).output().ok().filter(|output| output.status.success())
        };
        let cpp = header().and_then(|_| first_line(GXX, "--version")).zip(linker());
        let cpp = cpp.map(|(gxx, ld)| format!("{gxx}; {ld}"));
        // rustc's own linker for bare-metal targets, under the name by which its package installs it.
        let rust = first_line(RUSTC, "--version").zip(first_line("/usr/bin/ld.lld-22", "--version"));
        let rust = rust.map(|(rustc, lld)| format!("{rustc}; {lld}"));
        Self {
            c: c.ok_or(ToolchainError::Gcc),
            cpp: cpp.ok_or(ToolchainError::Gxx),
            rust: rust.ok_or(ToolchainError::Rust),
        }
    }

    /// The name of the compiler that builds projects of this kind.
    pub fn compiler(&self, kind: Kind) -> Result<&str, ToolchainError> {
        let found = match kind {
            Kind::C => &self.c,
            Kind::Cpp => &self.cpp,
            Kind::Rust => &self.rust,
        };
        found.as_deref().map_err(Clone::clone)
    }
}

/// The version alone of a compiler's name, for contenders that have no other: `gcc 12.2.1`, `rustc 1.96.0`.
pub fn short(compiler: &str, kind: Kind) -> String {
    let first = compiler.split(';').next().unwrap_or(compiler);
    // GCC: `arm-none-eabi-gcc (package) 12.2.1 date`; rustc: `rustc 1.96.0 (commit date)`.
    let after_package = first.rsplit(") ").next().unwrap_or(first);
    match kind {
        Kind::C | Kind::Cpp => format!("gcc {}", after_package.split(' ').next().unwrap_or_default()),
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
        let rustc = "rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball); LLD 22.1.0";
        assert_eq!(short(rustc, Kind::Rust), "rustc 1.96.0");
    }
}
