//! Compares the Cortex-M cores with libunicorn's (QEMU's code as a library): random streams, and before each instruction
//! registers and flags; memory at the end. Our core must give the same results in blocks and in single steps, with and
//! without a sink, cut and whole.

mod coverage;
mod defects;
mod difference;
mod map;
mod ours;
mod run_modes;
mod state;
pub mod stream;

use cyclescope_cortex_m::decode::Architecture;
use cyclescope_machine::FlashTiming;

pub use ours::config;

use crate::error::OracleError;
use crate::lockstep::{Answer, PeerDefect, World};
use crate::process::{Process, Source};
use crate::random::Random;
use coverage::Coverage;
use ours::Stepped;
use state::{State, WORDS};
use stream::{Batch, Generator};

/// The cores of one architecture in lockstep with libunicorn's Cortex-M0, M3 or M4.
#[derive(Clone, Copy, Debug)]
pub struct Arm(pub Architecture);

impl World for Arm {
    type Batch = Batch;
    type State = State;
    type Steps = Stepped;
    type Coverage = Coverage;
    type Setting = Architecture;

    const LIMIT: u32 = 20_000;
    const BATCHES_A_PEER: usize = 2048;
    const PEER: Source = Source {
        text: include_str!("../../peer/unicorn.c"),
        link: "-lunicorn",
        library: "libunicorn 2",
        packages: "gcc libunicorn-dev",
        magic: 0x3256_4355,
    };

    fn model(self) -> &'static str {
        match self.0 {
            Architecture::Armv6M => "m0",
            Architecture::Armv7M => "m3",
            Architecture::Armv7EM => "m4",
            Architecture::Armv7EMF => "m4f",
        }
    }

    fn version(process: &mut Process) -> Result<String, OracleError> {
        let [_, patch, minor, major] = process.word()?.to_le_bytes();
        Ok(format!("libunicorn {major}.{minor}.{patch}"))
    }

    fn request(batch: &Batch, limit: u32, trace: bool) -> Vec<u8> {
        let mut request = Vec::with_capacity(4 * (4 + WORDS) + batch.image.len() + batch.data.len());
        for word in [u32::from(trace), batch.flash_base, batch.end, limit].iter().chain(&batch.state.0) {
            request.extend(word.to_le_bytes());
        }
        request.extend(&batch.image);
        request.extend(&batch.data);
        request
    }

    fn receive(process: &mut Process, is_final: bool) -> Result<(State, u32), OracleError> {
        let state = State(process.words()?);
        let [resumed, _] = if is_final { process.words()? } else { [0; 2] };
        Ok((state, resumed))
    }

    fn batches(self, seed: u64) -> impl FnMut() -> Batch {
        let mut generator = Generator::new(self.0, seed);
        move || generator.batch()
    }

    fn coverage(self) -> Coverage {
        Coverage::new(self.0)
    }

    fn count(coverage: &mut Coverage, batch: &Batch, steps: &Stepped) -> u64 {
        coverage.add(&batch.image, &steps.pcs);
        steps.pcs.len() as u64
    }

    fn stepped(batch: &Batch, limit: u32) -> Stepped {
        ours::stepped(batch, FlashTiming::IDEAL, limit as usize)
    }

    fn agree(answer: &Answer<State>, steps: &Stepped) -> bool {
        answer.status == 0
            && answer.executed as usize == steps.pcs.len()
            && answer.state == steps.state
            && answer.hash == steps.hash
            && answer.data_hash == steps.data_hash
    }

    fn own_difference(batch: &Batch, ideal: &Stepped, cuts: &mut Random) -> Option<String> {
        let timings = ours::flash_timings(batch.architecture);
        // To compile takes longer than the rest: every second batch is compiled, with one of the settings.
        let compiled = cuts.below(2 * timings.len() as u32) as usize;
        for (number, &timing) in timings.iter().enumerate() {
            let again;
            let steps = if timing == FlashTiming::IDEAL {
                ideal
            } else {
                again = ours::stepped(batch, timing, Self::LIMIT as usize);
                &again
            };
            // Flash settings may only change the time.
            if (steps.hash, steps.outcome.ram_hash) != (ideal.hash, ideal.outcome.ram_hash) {
                let why = "flash settings changed more than time";
                return Some(difference::from_mode(batch, timing, why, &ideal.outcome, &steps.outcome).to_string());
            }
            if let Some(mismatch) = run_modes::first_mismatch(batch, timing, steps, number == compiled, cuts) {
                let why = format!("run as {:?} against single steps: {}", mismatch.mode, mismatch.why);
                let difference = difference::from_mode(batch, timing, &why, &steps.outcome, &mismatch.outcome);
                return Some(difference.to_string());
            }
        }
        None
    }

    fn difference(batch: &Batch, answer: &Answer<State>, limit: u32) -> String {
        difference::from_peer(batch, answer, limit).to_string()
    }

    fn defects(self) -> impl Iterator<Item = &'static PeerDefect<Self>> {
        defects::DEFECTS.iter().filter(move |defect| self.0 >= defect.setting)
    }

    fn probe(self, defect: &PeerDefect<Self>) -> Batch {
        defects::probe(self.0, defect.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::runs_the_same;

    fn runs(architecture: Architecture, batches: usize) {
        runs_the_same(Arm(architecture), batches, |batch, steps| assert_eq!(steps.state.0[state::PC], batch.end));
    }

    #[test]
    fn armv6m_does_the_same_however_it_is_run_and_streams_reach_every_row() {
        runs(Architecture::Armv6M, 60);
    }

    #[test]
    fn armv7m_does_the_same_however_it_is_run_and_streams_reach_every_row() {
        runs(Architecture::Armv7M, 80);
    }

    #[test]
    fn armv7em_does_the_same_however_it_is_run_and_streams_reach_every_row() {
        runs(Architecture::Armv7EM, 80);
    }

    #[test]
    fn armv7emf_does_the_same_however_it_is_run_and_streams_reach_every_row() {
        runs(Architecture::Armv7EMF, 100);
    }

    #[test]
    fn both_sides_mean_the_same_by_the_protocol() {
        for line in ["MAGIC = 0x32564355", "IMAGE_BYTES = 4096", "DATA_BYTES = 4096", "RAM_BASE = 0x20000000"] {
            assert!(Arm::PEER.text.contains(line), "{line}");
        }
        assert_eq!((Arm::PEER.magic, map::IMAGE_BYTES, map::DATA_BYTES), (0x3256_4355, 4096, 4096));
        assert_eq!(map::RAM_BASE, 0x2000_0000);
    }
}
