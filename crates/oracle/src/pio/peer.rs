//! The peer: rp2040-pio-emulator in a process of its own, fetched from PyPI into a temporary folder.

use std::path::Path;
use std::process::Command;

use super::{Setup, State};
use crate::error::OracleError;
use crate::process::{self, Folder, Process};

/// The package and the version that the streams were made for.
const PACKAGE: &str = "rp2040-pio-emulator==0.88.0";
const PACKAGES: &str = "python3-pip";
const MAGIC: u32 = 0x4F49_5031;

/// A running peer.
#[derive(Debug)]
pub struct Peer {
    process: Process,
    /// The package's folder.
    _folder: Folder,
}

impl Peer {
    /// Fetches and starts the peer.
    ///
    /// # Errors
    /// [`OracleError::Missing`] or [`OracleError::Compile`] if Python or pip is not installed.
    pub fn start() -> Result<Self, OracleError> {
        let folder = Folder::temporary("pio")?;
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "-q", "--no-deps", "--target"]).arg(folder.path()).arg(PACKAGE);
        process::build(&mut pip, "PyPI", PACKAGES)?;
        let script = folder.write("peer.py", include_str!("../../peer/pio.py"))?.display().to_string();
        let place = folder.path().display().to_string();
        let process = Process::start(Path::new("python3"), &[&script, &place], MAGIC)?;
        Ok(Self { process, _folder: folder })
    }

    /// Returns the package with its version.
    pub const fn version(&self) -> &'static str {
        PACKAGE
    }

    /// Runs `setup` for `iterations`, or until an instruction that the peer does not know.
    pub(super) fn run(&mut self, setup: &Setup, iterations: usize) -> Result<Vec<State>, OracleError> {
        let words = setup.words(iterations as u32);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.process.send(&bytes)?;
        self.process.flush()?;
        let count = self.process.word()?;
        (0..count).map(|_| self.process.words().map(State)).collect()
    }
}
