//! The peer: simavr's part in a process of its own (`peer/simavr-part.c`, which documents the protocol).

use std::fs;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use cyclescope_chips::avr::AvrPart;

use super::rules::Rules;
use super::step::{STEP_BYTES, Step};
use crate::avr::peer;
use crate::avr::state::{STATE_BYTES, State};
use crate::error::OracleError;

const SOURCE: &str = include_str!("../../../peer/simavr-part.c");
const MAGIC: u32 = 0x5056_5253;
const VECTORS: usize = 64;

/// The result of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Both are equal.
    Same,
    /// The states differ.
    Different,
    /// simavr reports that the program crashed.
    Crashed,
    /// The interrupt taken was not pending in simavr, or was pending for longer than allowed.
    NotDue,
    /// simavr would have taken an interrupt, or an interrupt taken here never comes.
    Overdue,
}

/// The peer's answer to a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: Status,
    /// The index of the step that differs, or the number of steps.
    pub(super) index: usize,
    /// The vector that is not due or overdue, and the cycles by which it is.
    pub(super) vector: u32,
    pub(super) apart: i32,
    /// The number of registers that were set to our value.
    pub(super) forced: u32,
    /// The hash of SRAM.
    pub(super) ram: u64,
    pub(super) state: State,
    /// The bytes that the program sent.
    pub(super) sent: Vec<u8>,
}

/// Statistics of one interrupt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of times it was taken.
    pub taken: u32,
    /// The number of times the cycles differed.
    pub apart: u32,
    /// The most cycles by which simavr was earlier, as a negative number.
    pub early: i32,
    /// The most cycles by which it was later.
    pub late: i32,
}

/// The running peer.
#[derive(Debug)]
pub struct PartPeer {
    child: Child,
    to: Option<BufWriter<ChildStdin>>,
    from: BufReader<ChildStdout>,
    folder: PathBuf,
}

impl PartPeer {
    /// Compiles and starts the peer.
    ///
    /// # Errors
    /// [`OracleError::Missing`] or [`OracleError::Compile`] if the compiler or simavr is not installed.
    pub fn start() -> Result<Self, OracleError> {
        let folder = std::env::temp_dir().join(format!("cyclescope-oracle-{}-simavr-part", std::process::id()));
        fs::create_dir_all(&folder).map_err(OracleError::io("cannot create a temporary folder"))?;
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let program = peer::compile(&folder, &compiler, SOURCE);
        let started = program.and_then(|program| Self::start_in(folder.clone(), &program));
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
        let to = BufWriter::new(child.stdin.take().expect("stdin was asked for as a pipe"));
        let from = BufReader::new(child.stdout.take().expect("stdout was asked for as a pipe"));
        let mut peer = Self { child, to: Some(to), from, folder };
        if peer.word()? != MAGIC {
            return Err(OracleError::Peer("sent no greeting"));
        }
        Ok(peer)
    }

    /// Starts `part` with `flash` and records the output of its port `serial`.
    pub(super) fn begin(&mut self, part: &AvrPart, flash: &[u8], serial: u8, rules: &Rules) -> Result<(), OracleError> {
        let mut start = part.name.as_bytes().to_vec();
        start.resize(16, 0);
        start.extend((flash.len() as u32).to_le_bytes());
        start.extend(rules.bytes(serial));
        self.send(&start)?;
        self.send(flash)
    }

    /// Follows `steps`.
    pub(super) fn follow(&mut self, steps: &[Step]) -> Result<Answer, OracleError> {
        self.send(&(steps.len() as u32).to_le_bytes())?;
        for step in steps {
            self.send(&step.bytes())?;
        }
        self.flush()?;
        let status = match self.word()? {
            0 => Status::Same,
            1 => Status::Different,
            2 => Status::Crashed,
            3 => Status::NotDue,
            _ => Status::Overdue,
        };
        let [index, vector, forced, sent, apart] =
            [self.word()?, self.word()?, self.word()?, self.word()?, self.word()?];
        let apart = apart as i32;
        let ram = u64::from_le_bytes(self.take()?);
        let step = self.take::<STEP_BYTES>()?;
        let state = State::from_bytes(step.first_chunk::<STATE_BYTES>().expect("a step begins with its state"));
        let mut sent = vec![0; sent as usize];
        self.from.read_exact(&mut sent).map_err(OracleError::io("cannot read from the peer"))?;
        Ok(Answer { status, index: index as usize, vector, apart, forced, ram, state, sent })
    }

    /// Ends a program and returns its interrupts' statistics, by vector.
    pub(super) fn end(&mut self) -> Result<Vec<Tally>, OracleError> {
        self.send(&[0; 4])?;
        self.flush()?;
        let mut tallies = Vec::with_capacity(VECTORS);
        for _ in 0..VECTORS {
            let (taken, apart) = (self.word()?, self.word()?);
            tallies.push(Tally { taken, apart, early: self.word()? as i32, late: self.word()? as i32 });
        }
        Ok(tallies)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), OracleError> {
        let to = self.to.as_mut().expect("the pipe is closed only when the peer is dropped");
        to.write_all(bytes).map_err(|_| OracleError::Peer("has ended"))
    }

    fn flush(&mut self) -> Result<(), OracleError> {
        let to = self.to.as_mut().expect("the pipe is closed only when the peer is dropped");
        to.flush().map_err(|_| OracleError::Peer("has ended"))
    }

    fn word(&mut self) -> Result<u32, OracleError> {
        Ok(u32::from_le_bytes(self.take()?))
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

impl Drop for PartPeer {
    fn drop(&mut self) {
        // The peer ends when its input does; nothing reads the remaining output.
        drop(self.to.take());
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::avr::part::rules::{Allow, Reads};
    use crate::avr::part::step::Kind;

    #[test]
    fn both_sides_mean_the_same_by_the_protocol() {
        assert!(SOURCE.contains(&format!("MAGIC = 0x{MAGIC:X}, VECTORS = {VECTORS}, ")));
        let step = Step {
            kind: Kind::Pin { port: b'B', number: 4, high: true },
            at: 0,
            state: State::from_bytes(&[0; STATE_BYTES]),
        };
        assert_eq!((step.bytes()[33], &step.bytes()[44..]), (4, &[0, b'B', 0x84, 0][..]));
        let mut rules = Rules { entry: 4, clear: 0xC1, ..Rules::STRICT };
        rules.allow[1] = Allow::Tick { clock: 0xB1, second: true, cycles: 0x102 };
        rules.reads[2] = Reads::Count { clock: 0x45, second: false, cycles: 9 };
        let bytes = rules.bytes(1);
        assert_eq!(bytes.len(), 8 + 4 * 64 + 4 * 256);
        assert_eq!(bytes[..16], [4, 0, 0, 0, b'1', 0xC1, 0, 0, 0, 0, 0, 0, 3, 0xB1, 2, 1]);
        assert_eq!(bytes[8 + 4 * 64 + 8..][..4], [2, 0xFF, 0x45, 9]);
    }
}
