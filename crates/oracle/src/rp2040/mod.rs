//! Compares a core of the RP2040 with rp2040js, an npm package, instruction by instruction with their cycles: all instructions of
//! Armv6-M that change neither mode nor power, RAM, the processors' I/O with divider and interpolators, and registers behind the
//! APB with their aliases.
//!
//! The peer has no flash that takes time, and no arbitration; programs run from RAM on one core.

mod defects;
mod ours;
mod peer;
mod stream;

pub use defects::DEFECTS;
pub use peer::Peer;
pub use stream::Setup;

use crate::error::OracleError;
use crate::random::Random;
use crate::report::{Report, Tally};
use ours::Ours;

/// The address of the programs, and the bytes there that they may use.
const CODE: u32 = 0x2000_0000;
const RAM_USED: usize = 0x4000;

/// Behind an instruction: 16 registers, the flags and the instruction's cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State(pub [u32; 18]);

impl State {
    /// Returns the parts in which the two differ, in words.
    fn difference(&self, peer: &Self) -> Option<String> {
        let name = |index: usize| match index {
            15 => "pc".to_owned(),
            16 => "flags".to_owned(),
            17 => "cycles".to_owned(),
            register => format!("r{register}"),
        };
        let parts = self.0.iter().zip(peer.0).enumerate();
        let differ: Vec<String> = parts
            .filter(|(_, (ours, theirs))| **ours != *theirs)
            .map(|(index, (ours, theirs))| format!("{} {ours:#x} here, {theirs:#x} there", name(index)))
            .collect();
        (!differ.is_empty()).then(|| differ.join("; "))
    }
}

/// Runs `setup` on both; returns the number of instructions compared and a description of the first difference.
fn compare(
    ours: &mut Ours,
    peer: &mut Peer,
    setup: &Setup,
    tally: &mut Tally,
) -> Result<(usize, Option<String>), OracleError> {
    let our = ours.run(setup, setup.instructions);
    let theirs = peer.run(setup, setup.instructions)?;
    let mut pc = setup.registers[15];
    for (index, (our, their)) in our.iter().zip(&theirs).enumerate() {
        if let Some(row) = setup.row_at(pc) {
            tally.add(row);
        }
        if let Some(difference) = our.difference(their) {
            let row = setup.row_at(pc).map_or("none", |row| stream::ROWS[row].0);
            return Ok((index, Some(format!("instruction {index} at {pc:#x} ({row}): {difference}\n{setup:?}\n"))));
        }
        pc = our.0[15];
    }
    let ended = (our.len() < theirs.len()).then(|| format!("the model ends at {}\n{setup:?}\n", our.len()));
    Ok((our.len(), ended))
}

/// Compares random programs until `count` instructions have been, and shows that each defect of the peer is still there.
///
/// # Errors
/// The peer could not be started, or has ended.
pub fn run(peer: &mut Peer, seed: u64, count: u64, progress: &mut dyn FnMut(u64)) -> Result<Report, OracleError> {
    let tally = || Tally::new(stream::ROWS.iter().map(|(name, _)| *name), &[]);
    let known = DEFECTS.iter().map(|defect| (defect.what, defect.why)).collect();
    let mut report = Report::new(tally(), known);
    let mut ours = Ours::new();
    for defect in DEFECTS {
        let setup = Setup::of(defect.code, defect.registers);
        if compare(&mut ours, peer, &setup, &mut tally())?.1.is_none() {
            report.fixed.push(defect.what);
        }
    }
    let mut random = Random::new(seed);
    while report.goes_on(count) {
        let setup = stream::random(&mut random);
        let (instructions, difference) = compare(&mut ours, peer, &setup, &mut report.coverage)?;
        report.instructions += instructions as u64;
        report.programs += 1;
        report.difference = difference;
        progress(report.instructions);
    }
    Ok(report)
}
