//! The peer: libunicorn's Cortex-M0, M3 or M4 in a process of its own.
//!
//! libunicorn is under the GPL, so nothing here links it. A small C program (`peer/unicorn.c`, which documents the
//! protocol) is compiled into a temporary folder each time the oracle runs, and communicates over pipes.

use std::fs;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use cyclescope_cortex_m::decode::Architecture;

use crate::error::OracleError;
use crate::state::{State, WORDS};
use crate::stream::Batch;

const SOURCE: &str = include_str!("../peer/unicorn.c");
const PACKAGES: &str = "gcc libunicorn-dev";
/// The program's file name in its folder.
const PROGRAM: &str = "peer";
const MAGIC: u32 = 0x3256_4355;

/// The peer's answer to a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// 0, or libunicorn's error number plus one.
    pub status: u32,
    /// The number of executed instructions.
    pub executed: u32,
    /// The hash of the state before each instruction and of the final state.
    pub hash: u64,
    /// The hash of data RAM at the end.
    pub data_hash: u64,
    /// The final state.
    pub state: State,
    /// The number of times the run was resumed after a YIELD.
    pub resumed: u32,
    /// The state before each instruction and data RAM's hash, if requested.
    pub steps: Vec<(State, u64)>,
}

/// The running peer.
#[derive(Debug)]
pub struct Peer {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    folder: PathBuf,
    version: (u32, u32, u32),
    architecture: Architecture,
    tracing: bool,
}

impl Peer {
    /// Compiles and starts the peer as a core of `architecture`.
    ///
    /// # Errors
    /// [`OracleError::Missing`] or [`OracleError::Compile`] if the compiler or libunicorn is not installed.
    pub fn start(architecture: Architecture) -> Result<Self, OracleError> {
        let name = format!("cyclescope-oracle-{}-{}", std::process::id(), model(architecture));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).map_err(OracleError::io("cannot create a temporary folder"))?;
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let started = Self::start_in(folder.clone(), &compiler, architecture);
        if started.is_err() {
            // The folder is no longer needed; the first error is the one to report.
            let _ = fs::remove_dir_all(&folder);
        }
        started
    }

    fn start_in(folder: PathBuf, compiler: &str, architecture: Architecture) -> Result<Self, OracleError> {
        let source = folder.join("unicorn.c");
        fs::write(&source, SOURCE).map_err(|error| OracleError::Write { path: source.clone(), source: error })?;
        let program = folder.join(PROGRAM);
        let compiled = Command::new(compiler)
            .args(["-O2", "-o"])
            .args([&program, &source])
            .arg("-lunicorn")
            .output()
            .map_err(OracleError::start(compiler, PACKAGES))?;
        if !compiled.status.success() {
            let messages = String::from_utf8_lossy(&compiled.stderr).into_owned();
            return Err(OracleError::Compile { library: "libunicorn 2", packages: PACKAGES, messages });
        }
        let Running { child, to, from, version } = Running::start(&program, architecture)?;
        Ok(Self { child, to: Some(to), from, folder, version, architecture, tracing: false })
    }

    /// Restarts the process: libunicorn 2.0.1 does not free the memory of discarded code, and crashes when it is used
    /// up.
    ///
    /// # Errors
    /// The process does not start.
    pub fn renew(&mut self) -> Result<(), OracleError> {
        drop(self.to.take());
        self.child.wait().map_err(OracleError::io("cannot wait for the peer"))?;
        let Running { child, to, from, .. } = Running::start(&self.folder.join(PROGRAM), self.architecture)?;
        (self.child, self.to, self.from) = (child, Some(to), from);
        Ok(())
    }

    /// Returns the version of libunicorn: major, minor, patch.
    pub fn version(&self) -> (u32, u32, u32) {
        self.version
    }

    /// Returns the architecture of the peer's core.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Sends a batch, of which at most `limit` instructions are to run. `trace` requests each state.
    ///
    /// # Errors
    /// The peer has ended.
    pub fn submit(&mut self, batch: &Batch, limit: u32, trace: bool) -> Result<(), OracleError> {
        let mut request = Vec::with_capacity(4 * (4 + WORDS) + batch.image.len() + batch.data.len());
        for word in [u32::from(trace), batch.flash_base, batch.end, limit].iter().chain(&batch.state.0) {
            request.extend(word.to_le_bytes());
        }
        request.extend(&batch.image);
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
        let mut words = Words(&mut self.from);
        let [status, executed] = words.take()?;
        let [hash, data_hash] = [words.long()?, words.long()?];
        let state = State(words.take()?);
        let [resumed, _] = words.take()?;
        let mut steps = Vec::new();
        if self.tracing {
            for _ in 0..executed {
                let state = State(words.take()?);
                steps.push((state, words.long()?));
            }
        }
        Ok(Answer { status, executed, hash, data_hash, state, resumed, steps })
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

/// A started process.
struct Running {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    version: (u32, u32, u32),
}

impl Running {
    fn start(program: &Path, architecture: Architecture) -> Result<Self, OracleError> {
        let mut child = Command::new(program)
            .arg(model(architecture))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(OracleError::io("cannot start the peer"))?;
        let to = child.stdin.take().expect("stdin was asked for as a pipe");
        let mut from = BufReader::new(child.stdout.take().expect("stdout was asked for as a pipe"));
        let hello = Words(&mut from).take::<2>()?;
        if hello[0] != MAGIC {
            return Err(OracleError::Peer("sent no greeting"));
        }
        let version = (hello[1] >> 24, hello[1] >> 16 & 0xFF, hello[1] >> 8 & 0xFF);
        Ok(Self { child, to, from, version })
    }
}

/// Returns the model's name in the protocol.
const fn model(architecture: Architecture) -> &'static str {
    match architecture {
        Architecture::Armv6M => "m0",
        Architecture::Armv7M => "m3",
        Architecture::Armv7EM => "m4",
        Architecture::Armv7EMF => "m4f",
    }
}

/// Reads little-endian words.
struct Words<'a, R>(&'a mut R);

impl<R: Read> Words<'_, R> {
    fn take<const COUNT: usize>(&mut self) -> Result<[u32; COUNT], OracleError> {
        let mut words = [0; COUNT];
        for word in &mut words {
            let mut bytes = [0; 4];
            self.0.read_exact(&mut bytes).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => OracleError::Peer("has ended"),
                _ => OracleError::io("cannot read from the peer")(error),
            })?;
            *word = u32::from_le_bytes(bytes);
        }
        Ok(words)
    }

    fn long(&mut self) -> Result<u64, OracleError> {
        let [low, high] = self.take()?;
        Ok(u64::from(low) | u64::from(high) << 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(compiler: &str) -> String {
        let folder = std::env::temp_dir().join(format!("cyclescope-oracle-test-{}-{compiler}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let error = Peer::start_in(folder.clone(), compiler, Architecture::Armv6M).unwrap_err();
        fs::remove_dir_all(&folder).unwrap();
        error.to_string()
    }

    #[test]
    fn what_is_missing_is_named_with_the_packages_to_install() {
        assert_eq!(
            error("no-such-compiler"),
            "no-such-compiler is not installed; on Debian: apt-get install gcc libunicorn-dev"
        );
        assert!(error("false").contains("apt-get install gcc libunicorn-dev"), "a compiler that finds no library");
    }

    #[test]
    fn both_sides_mean_the_same_by_the_protocol() {
        for line in ["MAGIC = 0x32564355", "IMAGE_BYTES = 4096", "DATA_BYTES = 4096", "RAM_BASE = 0x20000000"] {
            assert!(SOURCE.contains(line), "{line}");
        }
        assert_eq!((MAGIC, crate::map::IMAGE_BYTES, crate::map::DATA_BYTES), (0x3256_4355, 4096, 4096));
        assert_eq!(crate::map::RAM_BASE, 0x2000_0000);
    }
}
