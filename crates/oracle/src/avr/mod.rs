//! Compares AVR's core with simavr's: random programs with interrupts at random cycles. Registers, SREG, SP, pc and
//! cycles are compared after each instruction and each interrupt, the data space at the end of each batch. Blocks,
//! single steps, cut and cloned runs of our core are compared too.

mod defects;
mod ours;
pub mod part;
mod state;
pub mod stream;

use std::fmt::Write;

use cyclescope_avr::decode::{self, ROWS};

pub use state::State;

use crate::error::OracleError;
use crate::lockstep::{Answer, Peer, PeerDefect, World};
use crate::process::{Process, Source};
use crate::random::Random;
use crate::report::Tally;
use ours::{Stepped, TAKEN};
use state::words;
use stream::{Batch, EXCUSED, Generator, MOST_RAISES};

/// The most instructions of a whole program that are searched one by one for a difference.
const MOST_TRACED: u32 = 2_000_000;

/// The number of instructions shown before a difference.
const SHOWN: usize = 16;

/// The core in lockstep with simavr's ATmega328P.
#[derive(Clone, Copy, Debug)]
pub struct Avr;

impl World for Avr {
    type Batch = Batch;
    type State = State;
    type Steps = Stepped;
    type Coverage = Tally;
    /// Interrupt requests during the code.
    type Setting = &'static [(u32, u8)];

    const LIMIT: u32 = 100_000;
    const BATCHES_A_PEER: usize = usize::MAX;
    const PEER: Source = Source {
        text: include_str!("../../peer/simavr.c"),
        link: "-lsimavr",
        library: "simavr",
        packages: "gcc libsimavr-dev",
        magic: 0x5641_5253,
    };

    fn model(self) -> &'static str {
        "simavr"
    }

    fn version(_: &mut Process) -> Result<String, OracleError> {
        Ok("simavr".to_owned())
    }

    fn request(batch: &Batch, limit: u32, trace: bool) -> Vec<u8> {
        assert!(batch.raises.len() <= MOST_RAISES, "batches keep to the protocol");
        let mut words = vec![u32::from(trace), limit, batch.end, batch.pc, u32::from(batch.sreg)];
        words.push(batch.raises.len() as u32);
        for index in 0..MOST_RAISES {
            let (at, vector) = batch.raises.get(index).copied().unwrap_or_default();
            words.extend([at, u32::from(vector)]);
        }
        let words = words.into_iter().flat_map(u32::to_le_bytes);
        words.chain(batch.flash.iter().copied()).chain(batch.data.iter().copied()).collect()
    }

    fn receive(process: &mut Process, _: bool) -> Result<(State, u32), OracleError> {
        Ok((State::from_bytes(&process.take()?), process.word()?))
    }

    fn batches(self, seed: u64) -> impl FnMut() -> Batch {
        let mut generator = Generator::new(seed);
        move || generator.batch()
    }

    fn coverage(self) -> Tally {
        Tally::new(ROWS.iter().map(|row| row.name), EXCUSED)
    }

    fn count(tally: &mut Tally, batch: &Batch, steps: &Stepped) -> u64 {
        for pc in steps.pcs.iter().filter(|pc| **pc != TAKEN) {
            let row = decode::row(words(&batch.flash, *pc)[0]);
            let index = row.and_then(|row| ROWS.iter().position(|other| other.name == row.name));
            index.into_iter().for_each(|index| tally.add(index));
        }
        steps.pcs.len() as u64
    }

    fn stepped(batch: &Batch, limit: u32) -> Stepped {
        ours::stepped(batch, limit, false)
    }

    fn agree(answer: &Answer<State>, steps: &Stepped) -> bool {
        let ours = &steps.outcome;
        steps.stop.is_none()
            && answer.status == 0
            && (answer.executed, answer.hash, answer.data_hash) == (ours.executed, steps.hash, ours.data_hash)
            && answer.state == ours.state
    }

    fn own_difference(batch: &Batch, steps: &Stepped, cuts: &mut Random) -> Option<String> {
        let (mode, outcome) = ours::first_mismatch(batch, &steps.outcome, cuts)?;
        let differing = steps.outcome.state.differing(&outcome.state);
        Some(format!("run as {mode:?} against single steps:{differing} ({} instructions)\n", outcome.executed))
    }

    fn difference(batch: &Batch, answer: &Answer<State>, limit: u32) -> String {
        let steps = ours::stepped(batch, limit, true);
        let same = steps.steps.iter().zip(&answer.steps).take_while(|(ours, theirs)| ours == theirs).count();
        let mut text = match (steps.steps.get(same), answer.steps.get(same)) {
            (Some((ours, our_data)), Some((theirs, their_data))) => {
                let data = if our_data == their_data { "" } else { " data space" };
                format!("ours/simavr's:{}{data}\n", ours.differing(theirs))
            }
            (None, None) if steps.pcs.len() == limit as usize => {
                format!("not within the first {limit} instructions\n")
            }
            (None, _) => format!("ours stopped: {:?}\n", steps.stop),
            (_, None) if answer.status == 0 => "simavr stopped\n".to_owned(),
            (_, None) => "simavr stopped: it says the program crashed\n".to_owned(),
        };
        let shown = steps.pcs.get(same.saturating_sub(SHOWN - 1)..(same + 1).min(steps.pcs.len()));
        for pc in shown.unwrap_or(&[]) {
            if *pc == TAKEN {
                text += "  0000  0000 0000  takes an interrupt\n";
                continue;
            }
            let [first, second] = words(&batch.flash, *pc);
            let name = decode::row(first).map_or("reserved", |row| row.name);
            let _ = writeln!(text, "  {pc:04x}  {first:04x} {second:04x}  {name}");
        }
        text
    }

    fn defects(self) -> impl Iterator<Item = &'static PeerDefect<Self>> {
        defects::DEFECTS.iter()
    }

    fn probe(self, defect: &PeerDefect<Self>) -> Batch {
        Batch { raises: defect.setting.to_vec(), ..stream::probe(defect.code) }
    }
}

/// Compares the first `count` instructions of a whole program, given as a flat image of flash, and describes the first
/// difference. It has no devices, so only code that waits for none can be compared.
///
/// # Errors
/// The peer has ended.
pub fn program(peer: &mut Peer<Avr>, binary: &[u8], count: u32) -> Result<Option<String>, OracleError> {
    peer.compare(&stream::image(binary), count, MOST_TRACED)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::lockstep::runs_the_same;

    #[test]
    fn our_core_does_the_same_however_it_is_run_and_streams_reach_every_row() {
        let interrupts = Cell::new(0);
        runs_the_same(Avr, 60, |batch, steps| {
            assert_eq!((steps.stop, steps.outcome.state.pc), (None, batch.end), "it comes to its end");
            interrupts.update(|count| count + steps.pcs.iter().filter(|pc| **pc == TAKEN).count());
        });
        assert!(interrupts.get() > 500, "{}", interrupts.get());
    }

    #[test]
    fn every_excuse_names_a_row() {
        for (name, _) in EXCUSED {
            assert!(ROWS.iter().any(|row| row.name == *name), "{name}");
        }
    }

    #[test]
    fn both_sides_mean_the_same_by_the_protocol() {
        let line = format!(
            "MAGIC = 0x{:X}, FLASH_BYTES = {}, DATA_BYTES = {}, MOST_RAISES = {MOST_RAISES}",
            Avr::PEER.magic,
            state::FLASH_BYTES,
            state::DATA_BYTES
        );
        assert!(Avr::PEER.text.contains(&line), "{line}");
    }
}
