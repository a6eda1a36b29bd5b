//! The peer: rp2040js in a process of its own, fetched from npm into a temporary folder.

use std::path::Path;
use std::process::Command;

use super::{Setup, State};
use crate::error::OracleError;
use crate::process::{self, Folder, Process};

/// The package and the version that the streams were made for.
const PACKAGE: &str = "rp2040js@1.4.1";
const PACKAGES: &str = "nodejs npm";
const MAGIC: u32 = 0x3432_5052;

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
    /// [`OracleError::Missing`] or [`OracleError::Compile`] if Node.js or npm is not installed.
    pub fn start() -> Result<Self, OracleError> {
        let folder = Folder::temporary("rp2040")?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]);
        npm.arg(folder.path()).arg(PACKAGE);
        process::build(&mut npm, "npm", PACKAGES)?;
        let script = folder.write("peer.mjs", include_str!("../../peer/rp2040.mjs"))?.display().to_string();
        let place = folder.path().display().to_string();
        let process = Process::start(Path::new("node"), &[&script, &place], MAGIC)?;
        Ok(Self { process, _folder: folder })
    }

    /// Returns the package with its version.
    pub const fn version(&self) -> &'static str {
        PACKAGE
    }

    /// Carries out `instructions` instructions of `setup`; the state behind each.
    pub(super) fn run(&mut self, setup: &Setup, instructions: usize) -> Result<Vec<State>, OracleError> {
        let code = setup.bytes();
        let head = [instructions as u32, code.len() as u32];
        let words = head.iter().chain(&setup.registers);
        let mut request: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        request.extend(code);
        self.process.send(&request)?;
        self.process.flush()?;
        (0..instructions).map(|_| self.process.words().map(State)).collect()
    }
}
