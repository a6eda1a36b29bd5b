//! The firmware images that cyclescope measures, embedded: real runtimes doing the same work, built, with provenance.
//!
//! Each image is an ELF that flashes and runs as it is on the board it was built for. Symbols and line tables are
//! kept. `manifest.json` in this package says the same as [`images`] in JSON; both are written by
//! `cargo xtask images build` from `firmware/images.toml`.

use std::io::Read;

#[rustfmt::skip]
mod generated;

/// An image with its provenance.
#[derive(Debug)]
#[non_exhaustive]
pub struct Image {
    /// `experiment-contender-mode-opt-board`, unique.
    pub name: &'static str,
    /// The experiment it belongs to, such as `primes`.
    pub experiment: &'static str,
    /// The runtime under test, such as `freertos`.
    pub contender: &'static str,
    /// The contender's version, or the compiler's where it has none of its own, such as `gcc 12.2.1`.
    pub contender_version: &'static str,
    /// The contender's setting in the experiment, such as `plain` in `primes` or `dma` in `button`.
    pub mode: &'static str,
    /// Optimisation level: `s` for size, `3` for speed.
    pub opt: &'static str,
    /// The chip model it is to be measured on, such as `stm32c031c6`.
    pub chip: &'static str,
    /// The board it was built for.
    pub board: &'static str,
    /// Its output: `uart:usart2`, `rtt` (plain), `defmt` (over RTT) or `semihosting`.
    pub channel: &'static str,
    /// SHA-256 of the ELF file, lower-case hex.
    pub sha256: &'static str,
    /// SHA-256, lower-case hex, over what is loaded: for each segment with bytes in the file, in order of load
    /// address, the address and the length (32 bits, little-endian each), then the bytes.
    pub segments_sha256: &'static str,
    /// Compiler and linker, as they name themselves.
    pub compiler: &'static str,
    /// What decides fairness, as name and value in words: memory, clock, stacks, assertions, tick rate.
    pub settings: &'static [(&'static str, &'static str)],
    /// Foreign libraries as name and version.
    pub libraries: &'static [(&'static str, &'static str)],
    /// Rows of its experiment's table that it cannot fill, as name and reason; tables show n/a with the reason.
    pub absent: &'static [(&'static str, &'static str)],
    /// Flags of the build; no path of any machine.
    pub flags: &'static [&'static str],
    /// The sections that take flash or RAM, in the file's order.
    pub sections: &'static [Section],
    /// Lines of code, without blank lines and comments, of the files somebody wrote for this very program; `None` where
    /// its experiment does not ask. Counted by the library `tokei`.
    pub source_lines: Option<u32>,
    /// Blocks, functions and implementations marked `unsafe` in the same files; `None` where they are not Rust or nobody
    /// asks.
    pub unsafe_blocks: Option<u32>,
    /// The archive that holds it, by its place among the archives: ELFs one after the other, then packed.
    archive: usize,
    /// Bytes before it in the archive.
    offset: u64,
    /// Bytes of the ELF.
    bytes: usize,
}

/// A section that takes memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// Its name, such as `.text`.
    pub name: &'static str,
    /// Where it runs; `.data` is loaded elsewhere.
    pub address: u32,
    /// Bytes.
    pub size: u32,
    /// Whether it takes RAM only, and nothing in flash.
    pub zeroed: bool,
}

/// A mode that a contender has no honest like of; tables show n/a with the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absent {
    /// The experiment.
    pub experiment: &'static str,
    /// The contender.
    pub contender: &'static str,
    /// The mode.
    pub mode: &'static str,
    /// Why there is none.
    pub reason: &'static str,
}

/// A board that a contender does not exist for; tables name it with the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotOn {
    /// The experiment.
    pub experiment: &'static str,
    /// The contender.
    pub contender: &'static str,
    /// The board.
    pub board: &'static str,
    /// Why it cannot be there.
    pub reason: &'static str,
}

/// An embedded image did not unpack: the binary itself is damaged.
#[derive(Debug, thiserror::Error)]
#[error("the embedded image {name} does not unpack; the program file is damaged, install it again")]
pub struct UnpackError {
    name: &'static str,
    #[source]
    source: std::io::Error,
}

/// All images, in the order of `firmware/images.toml`.
pub fn images() -> &'static [Image] {
    generated::table::IMAGES
}

/// All modes that have no image, and why.
pub fn absent() -> &'static [Absent] {
    generated::table::ABSENT
}

/// All boards that contenders do not exist for, and why.
pub fn not_on() -> &'static [NotOn] {
    generated::table::NOT_ON
}

impl Image {
    /// Unpacks the ELF file.
    ///
    /// # Errors
    /// Only when the embedded bytes are damaged.
    pub fn elf(&self) -> Result<Vec<u8>, UnpackError> {
        let damaged = |source| UnpackError { name: self.name, source };
        let mut archive = lzma_rust2::XzReader::new(generated::table::ARCHIVES[self.archive], false);
        std::io::copy(&mut archive.by_ref().take(self.offset), &mut std::io::sink()).map_err(damaged)?;
        let mut elf = vec![0; self.bytes];
        archive.read_exact(&mut elf).map_err(damaged)?;
        Ok(elf)
    }
}
