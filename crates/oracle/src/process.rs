//! Peers in processes of their own: built in a temporary folder when the oracle runs, they communicate over pipes.
//!
//! libunicorn and simavr are under the GPL, so nothing here links them. The small programs that do (`peer/`) document
//! their protocols.

use std::fs;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::error::OracleError;

/// A folder for files of one run, which is removed on drop.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    kept: bool,
}

impl Folder {
    /// Makes a temporary folder for `name`.
    pub(crate) fn temporary(name: &str) -> Result<Self, OracleError> {
        let path = std::env::temp_dir().join(format!("cyclescope-oracle-{}-{name}", std::process::id()));
        Self::at(path, false)
    }

    /// Makes the folder `path`, which stays.
    pub(crate) fn kept(path: PathBuf) -> Result<Self, OracleError> {
        Self::at(path, true)
    }

    fn at(path: PathBuf, kept: bool) -> Result<Self, OracleError> {
        fs::create_dir_all(&path).map_err(OracleError::io("cannot create a folder for files of the run"))?;
        Ok(Self { path, kept })
    }

    /// Returns its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file `name` and returns its path.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> Result<PathBuf, OracleError> {
        let path = self.path.join(name);
        match fs::write(&path, contents) {
            Ok(()) => Ok(path),
            Err(source) => Err(OracleError::Write { path, source }),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.kept {
            // The files are no longer needed; the result of the run matters more than an error here.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Runs the compiler `command`, which needs `library` and comes with `packages`.
pub(crate) fn build(command: &mut Command, library: &'static str, packages: &'static str) -> Result<(), OracleError> {
    output(command, library, packages).map(drop)
}

/// Runs `command` as [`build`] does and returns its output.
pub(crate) fn output(
    command: &mut Command,
    library: &'static str,
    packages: &'static str,
) -> Result<Vec<u8>, OracleError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(OracleError::start(&program, packages))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(OracleError::Compile { library, packages, messages })
}

/// A peer's program in C.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Its text.
    pub(crate) text: &'static str,
    /// The compiler's option for its library.
    pub(crate) link: &'static str,
    /// The library's name.
    pub(crate) library: &'static str,
    /// The packages that it needs.
    pub(crate) packages: &'static str,
    /// The first word that it sends.
    pub(crate) magic: u32,
}

impl Source {
    /// Compiles it in `folder` with the host's compiler.
    pub(crate) fn compile(&self, folder: &Folder) -> Result<PathBuf, OracleError> {
        self.compile_with(&std::env::var("CC").unwrap_or_else(|_| "cc".to_owned()), folder)
    }

    fn compile_with(&self, compiler: &str, folder: &Folder) -> Result<PathBuf, OracleError> {
        let source = folder.write("peer.c", self.text)?;
        let program = folder.path.join("peer");
        let mut command = Command::new(compiler);
        command.args(["-O2", "-o"]).args([&program, &source]).arg(self.link);
        build(&mut command, self.library, self.packages)?;
        Ok(program)
    }
}

/// A running peer. It ends when its input does.
#[derive(Debug)]
pub struct Process {
    child: Child,
    to: Option<BufWriter<ChildStdin>>,
    from: BufReader<ChildStdout>,
}

impl Process {
    /// Starts `program`, whose first word is `magic`.
    pub(crate) fn start(program: &Path, arguments: &[&str], magic: u32) -> Result<Self, OracleError> {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(OracleError::io("cannot start the peer"))?;
        let to = BufWriter::new(child.stdin.take().expect("stdin was asked for as a pipe"));
        let from = BufReader::new(child.stdout.take().expect("stdout was asked for as a pipe"));
        let mut process = Self { child, to: Some(to), from };
        if process.word()? == magic { Ok(process) } else { Err(OracleError::Peer("sent no greeting")) }
    }

    /// Sends `bytes`, at the latest with the next [`Self::flush`].
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<(), OracleError> {
        self.to().write_all(bytes).map_err(|_| OracleError::Peer("has ended"))
    }

    /// Sends all that waits.
    pub(crate) fn flush(&mut self) -> Result<(), OracleError> {
        self.to().flush().map_err(|_| OracleError::Peer("has ended"))
    }

    fn to(&mut self) -> &mut BufWriter<ChildStdin> {
        self.to.as_mut().expect("the pipe is closed only when the peer is dropped")
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), OracleError> {
        self.from.read_exact(bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => OracleError::Peer("has ended"),
            _ => OracleError::io("cannot read from the peer")(error),
        })
    }

    /// Receives `BYTES` bytes.
    pub(crate) fn take<const BYTES: usize>(&mut self) -> Result<[u8; BYTES], OracleError> {
        let mut bytes = [0; BYTES];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// Receives `count` bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<Vec<u8>, OracleError> {
        let mut bytes = vec![0; count];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// Receives a little-endian word.
    pub(crate) fn word(&mut self) -> Result<u32, OracleError> {
        self.take().map(u32::from_le_bytes)
    }

    /// Receives `COUNT` little-endian words.
    pub(crate) fn words<const COUNT: usize>(&mut self) -> Result<[u32; COUNT], OracleError> {
        let mut words = [0; COUNT];
        for word in &mut words {
            *word = self.word()?;
        }
        Ok(words)
    }

    /// Receives a little-endian number of 64 bits.
    pub(crate) fn long(&mut self) -> Result<u64, OracleError> {
        self.take().map(u64::from_le_bytes)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.to.take());
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::World;

    #[test]
    fn what_is_missing_is_named_with_the_packages_to_install() {
        for source in [crate::arm::Arm::PEER, crate::avr::Avr::PEER] {
            let folder = Folder::temporary(&format!("test{}", source.link)).unwrap();
            let error = |compiler| source.compile_with(compiler, &folder).unwrap_err().to_string();
            let install = format!("apt-get install gcc lib{}-dev", &source.link[2..]);
            assert_eq!(error("no-such-compiler"), format!("no-such-compiler is not installed; on Debian: {install}"));
            let failed = error("false");
            assert!(
                failed.contains(source.library) && failed.contains(&install),
                "a compiler without library: {failed}"
            );
        }
    }
}
