//! The peer: simavr's part in a process of its own (`peer/simavr-part.c`, which documents the protocol).

use cyclescope_chips::avr::AvrPart;

use super::rules::Rules;
use super::step::{STEP_BYTES, Step};
use crate::avr::Avr;
use crate::avr::state::{STATE_BYTES, State};
use crate::error::OracleError;
use crate::lockstep::World;
use crate::process::{Folder, Process, Source};

const PEER: Source = Source { text: include_str!("../../../peer/simavr-part.c"), magic: 0x5056_5253, ..Avr::PEER };
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
pub struct PartPeer(Process);

impl PartPeer {
    /// Compiles and starts the peer.
    ///
    /// # Errors
    /// [`OracleError::Missing`] or [`OracleError::Compile`] if the compiler or simavr is not installed.
    pub fn start() -> Result<Self, OracleError> {
        let folder = Folder::temporary("simavr-part")?;
        // A running program needs its file no longer.
        Process::start(&PEER.compile(&folder)?, &[], PEER.magic).map(Self)
    }

    /// Starts `part` with `flash` and records the output of its port `serial`.
    pub(super) fn begin(&mut self, part: &AvrPart, flash: &[u8], serial: u8, rules: &Rules) -> Result<(), OracleError> {
        let mut start = part.name.as_bytes().to_vec();
        start.resize(16, 0);
        start.extend((flash.len() as u32).to_le_bytes());
        start.extend(rules.bytes(serial));
        self.0.send(&start)?;
        self.0.send(flash)
    }

    /// Follows `steps`.
    pub(super) fn follow(&mut self, steps: &[Step]) -> Result<Answer, OracleError> {
        let process = &mut self.0;
        process.send(&(steps.len() as u32).to_le_bytes())?;
        for step in steps {
            process.send(&step.bytes())?;
        }
        process.flush()?;
        let status = match process.word()? {
            0 => Status::Same,
            1 => Status::Different,
            2 => Status::Crashed,
            3 => Status::NotDue,
            _ => Status::Overdue,
        };
        let [index, vector, forced, sent, apart] = process.words()?;
        let apart = apart as i32;
        let ram = process.long()?;
        let step = process.take::<STEP_BYTES>()?;
        let state = State::from_bytes(step.first_chunk::<STATE_BYTES>().expect("a step begins with its state"));
        let sent = process.bytes(sent as usize)?;
        Ok(Answer { status, index: index as usize, vector, apart, forced, ram, state, sent })
    }

    /// Ends a program and returns its interrupts' statistics, by vector.
    pub(super) fn end(&mut self) -> Result<Vec<Tally>, OracleError> {
        self.0.send(&[0; 4])?;
        self.0.flush()?;
        let mut tallies = Vec::with_capacity(VECTORS);
        for _ in 0..VECTORS {
            let [taken, apart, early, late] = self.0.words()?;
            tallies.push(Tally { taken, apart, early: early as i32, late: late as i32 });
        }
        Ok(tallies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::avr::part::rules::{Allow, Reads};
    use crate::avr::part::step::Kind;

    #[test]
    fn both_sides_mean_the_same_by_the_protocol() {
        assert!(PEER.text.contains(&format!("MAGIC = 0x{:X}, VECTORS = {VECTORS}, ", PEER.magic)));
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
