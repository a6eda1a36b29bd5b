//! The peer: simavr's ATmega328P in a process of its own.
//!
//! simavr is under the GPL, so nothing here links it. A small C program (`peer/simavr.c`, which documents the protocol)
//! is compiled into a temporary folder each time the oracle runs, and communicates over pipes.

use std::fs;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::state::{STATE_BYTES, State};
use super::stream::{Batch, MOST_RAISES};
use crate::error::OracleError;

const SOURCE: &str = include_str!("../../peer/simavr.c");
const PACKAGES: &str = "gcc libsimavr-dev";
const MAGIC: u32 = 0x5641_5253;

/// The flag for: simavr spent no cycle on taking an interrupt.
pub const FREE: u32 = 1;
/// The flag for: simavr would have executed two instructions after one that sets I.
pub const TWO_AFTER: u32 = 2;
/// The flag for: simavr would have executed no instruction after a SEI or RETI that found I set.
pub const NONE_AFTER: u32 = 4;

/// The peer's answer to a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Tells if simavr reports a crash of the program.
    pub crashed: bool,
    /// The number of executed instructions and interrupts taken.
    pub executed: u32,
    /// The hash of the state after each instruction.
    pub hash: u64,
    /// The hash of the data space at the end.
    pub data_hash: u64,
    /// The final state.
    pub state: State,
    /// The corrections made to simavr's behaviour (`FREE`, `TWO_AFTER`, `NONE_AFTER`).
    pub corrected: u32,
    /// The state after each instruction and the data space's hash, if requested.
    pub steps: Vec<(State, u64)>,
}

/// The running peer.
#[derive(Debug)]
pub struct Peer {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    folder: PathBuf,
    tracing: bool,
}

impl Peer {
    /// Compiles and starts the peer.
    ///
    /// # Errors
    /// [`OracleError::Missing`] or [`OracleError::Compile`] if the compiler or simavr is not installed.
    pub fn start() -> Result<Self, OracleError> {
        let folder = std::env::temp_dir().join(format!("cyclescope-oracle-{}-simavr", std::process::id()));
        fs::create_dir_all(&folder).map_err(OracleError::io("cannot create a temporary folder"))?;
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let started = compile(&folder, &compiler, SOURCE).and_then(|program| Self::start_in(folder.clone(), &program));
        if started.is_err() {
            // The folder is no longer needed; the first error is the one to report.
            let _ = fs::remove_dir_all(&folder);
        }
        started
    }

    fn start_in(folder: PathBuf, program: &Path) -> Result<Self, OracleError> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(OracleError::io("cannot start the peer"))?;
        let to = child.stdin.take().expect("stdin was asked for as a pipe");
        let from = BufReader::new(child.stdout.take().expect("stdout was asked for as a pipe"));
        let mut peer = Self { child, to: Some(to), from, folder, tracing: false };
        if u32::from_le_bytes(peer.take()?) != MAGIC {
            return Err(OracleError::Peer("sent no greeting"));
        }
        Ok(peer)
    }

    /// Sends a batch, of which at most `limit` instructions are to run. `trace` requests each state.
    ///
    /// # Errors
    /// The peer has ended.
    pub fn submit(&mut self, batch: &Batch, limit: u32, trace: bool) -> Result<(), OracleError> {
        let mut request = Vec::with_capacity(20 + batch.flash.len() + batch.data.len());
        for word in [u32::from(trace), limit, batch.end, batch.pc, u32::from(batch.sreg)] {
            request.extend(word.to_le_bytes());
        }
        assert!(batch.raises.len() <= MOST_RAISES, "batches keep to the protocol");
        request.extend((batch.raises.len() as u32).to_le_bytes());
        for index in 0..MOST_RAISES {
            let (at, vector) = batch.raises.get(index).copied().unwrap_or_default();
            request.extend(at.to_le_bytes());
            request.extend(u32::from(vector).to_le_bytes());
        }
        request.extend(&batch.flash);
        request.extend(&batch.data);
        self.tracing = trace;
        let to = self.to.as_mut().expect("the pipe is closed only when the peer is dropped");
        to.write_all(&request).and_then(|()| to.flush()).map_err(|_| OracleError::Peer("has ended"))
    }

    /// Returns the answer to the last batch.
    ///
    /// # Errors
    /// The peer has ended.
    pub fn answer(&mut self) -> Result<Answer, OracleError> {
        let crashed = u32::from_le_bytes(self.take()?) != 0;
        let executed = u32::from_le_bytes(self.take()?);
        let [hash, data_hash] = [u64::from_le_bytes(self.take()?), u64::from_le_bytes(self.take()?)];
        let state = State::from_bytes(&self.take::<STATE_BYTES>()?);
        let corrected = u32::from_le_bytes(self.take()?);
        let mut steps = Vec::new();
        for _ in 0..if self.tracing { executed } else { 0 } {
            let state = self.state()?;
            steps.push((state, u64::from_le_bytes(self.take()?)));
        }
        Ok(Answer { crashed, executed, hash, data_hash, state, corrected, steps })
    }

    /// Reads a state and the word that pads it.
    fn state(&mut self) -> Result<State, OracleError> {
        let state = State::from_bytes(&self.take::<STATE_BYTES>()?);
        self.take::<4>()?;
        Ok(state)
    }

    fn take<const BYTES: usize>(&mut self) -> Result<[u8; BYTES], OracleError> {
        let mut bytes = [0; BYTES];
        self.from.read_exact(&mut bytes).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => OracleError::Peer("has ended"),
            _ => OracleError::io("cannot read from the peer")(error),
        })?;
        Ok(bytes)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The peer ends when its input does.
        drop(self.to.take());
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Compiles the C program `text`, which links simavr, in `folder`.
pub(super) fn compile(folder: &Path, compiler: &str, text: &str) -> Result<PathBuf, OracleError> {
    let (source, program) = (folder.join("simavr.c"), folder.join("peer"));
    fs::write(&source, text).map_err(|error| OracleError::Write { path: source.clone(), source: error })?;
    let compiled = Command::new(compiler)
        .args(["-O2", "-o"])
        .args([&program, &source])
        .arg("-lsimavr")
        .output()
        .map_err(OracleError::start(compiler, PACKAGES))?;
    if compiled.status.success() {
        return Ok(program);
    }
    let messages = String::from_utf8_lossy(&compiled.stderr).into_owned();
    Err(OracleError::Compile { library: "simavr", packages: PACKAGES, messages })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::avr::state::{DATA_BYTES, FLASH_BYTES};

    #[test]
    fn what_is_missing_is_named_with_the_packages_to_install() {
        let folder = std::env::temp_dir().join(format!("cyclescope-oracle-test-{}-simavr", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let missing = compile(&folder, "no-such-compiler", SOURCE).unwrap_err().to_string();
        let failed = compile(&folder, "false", SOURCE).unwrap_err().to_string();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(missing, "no-such-compiler is not installed; on Debian: apt-get install gcc libsimavr-dev");
        assert!(failed.contains("simavr") && failed.contains("apt-get install gcc libsimavr-dev"), "{failed}");
    }

    #[test]
    fn both_sides_mean_the_same_by_the_protocol() {
        let line = format!(
            "MAGIC = 0x{MAGIC:X}, FLASH_BYTES = {FLASH_BYTES}, DATA_BYTES = {DATA_BYTES}, MOST_RAISES = {MOST_RAISES}"
        );
        assert!(SOURCE.contains(&line), "{line}");
    }
}
