//! Finds the first instruction that shows a difference.

use std::fmt;

use cyclescope_cortex_m::decode::{self, Architecture};
use cyclescope_machine::FlashTiming;

use crate::arm::coverage::instruction_at;
use crate::arm::ours::{BUDGET, Ours, Outcome, Stepper};
use crate::arm::state::{PC, State};
use crate::arm::stream::Batch;
use crate::lockstep::Answer;

/// The number of instructions shown before a difference.
const SHOWN: usize = 16;

/// A difference.
#[derive(Clone, Debug)]
pub struct Difference {
    /// A description.
    pub what: String,
    /// The last instructions up to and including the one that shows it; empty if none is known.
    pub trail: Vec<Line>,
    /// Our state after it.
    pub ours: State,
    /// The other state after it.
    pub other: State,
}

/// One instruction of a trail.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its address.
    pub pc: u32,
    /// The architecture that it was decoded for.
    pub architecture: Architecture,
    /// Its halfwords; the second counts only for wide instructions.
    pub halves: (u16, u16),
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = self.halves;
        let set = self.architecture.instructions();
        let wide = decode::is_wide(first);
        let name = set.row(first, second).map_or("undefined", |row| row.name);
        let i = set.decode(first, second);
        if wide {
            write!(f, "{:08x}  {first:04x} {second:04x}  {name:<28}", self.pc)?;
        } else {
            write!(f, "{:08x}  {first:04x}       {name:<28}", self.pc)?;
        }
        write!(f, "rd={:?} rn={:?} rm={:?} imm={:#x}", i.rd, i.rn, i.rm, i.imm)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.what)?;
        writeln!(f, "differing: {}", self.ours.differing(&self.other).join(", "))?;
        if !self.trail.is_empty() {
            writeln!(f, "the last {} instructions, the last one shows it:", self.trail.len())?;
        }
        for line in &self.trail {
            writeln!(f, "  {line}")?;
        }
        write!(f, "ours\n{}other\n{}", self.ours, self.other)
    }
}

fn trail(batch: &Batch, pcs: &[u32]) -> Vec<Line> {
    let from = pcs.len().saturating_sub(SHOWN);
    pcs[from..]
        .iter()
        .map(|&pc| Line { pc, architecture: batch.architecture, halves: instruction_at(&batch.image, pc) })
        .collect()
}

/// Finds the first instruction after which our core and the peer's `answer` differ, in registers or data RAM.
pub fn from_peer(batch: &Batch, answer: &Answer<State>, limit: u32) -> Difference {
    let mut theirs = answer.steps.iter().copied().chain([(answer.state, answer.data_hash)]);
    let mut ours = Stepper::new(batch, FlashTiming::IDEAL, true);
    let (mut trailing, mut executed) = (Vec::new(), 0);
    loop {
        let here = *ours.here();
        let mut what = None;
        if !here.skips {
            what = match theirs.next() {
                None => Some(format!(
                    "the peer ended after {} instructions with status {}, ours goes on",
                    answer.executed, answer.status
                )),
                Some((other, _)) if other != here.state => Some("state, against the peer".to_owned()),
                Some((_, data)) if data != here.data_hash => Some("data RAM, against the peer".to_owned()),
                Some(_) => None,
            };
        }
        let other = answer.steps.get(executed).map_or(answer.state, |(state, _)| *state);
        let at_end = here.state.0[PC] == batch.end;
        if what.is_some() || at_end || trailing.len() >= limit as usize {
            let what = what.unwrap_or_else(|| {
                format!("no state differs, but the peer ended with status {} after {}", answer.status, answer.executed)
            });
            return Difference { what, trail: trail(batch, &trailing), ours: here.state, other };
        }
        trailing.push(here.state.0[PC]);
        executed += usize::from(!here.skips);
        let stop = ours.advance();
        if stop != cyclescope_machine::Stop::Horizon {
            let what = format!("our core stopped with {stop:?}, against the peer");
            let other = answer.steps.get(executed).map_or(answer.state, |(state, _)| *state);
            let trail = trail(batch, &trailing);
            return Difference { what, trail, ours: ours.here().state, other };
        }
    }
}

/// Finds the first instruction boundary at which blocks differ from single steps. Describes the difference of `found`
/// (the result of a mode) from `expected` (the result of single steps), with the reason `why`.
pub fn from_mode(batch: &Batch, timing: FlashTiming, why: &str, expected: &Outcome, found: &Outcome) -> Difference {
    let summary = |outcome: &Outcome| {
        format!("{:?} after {} instructions in {} cycles", outcome.stop, outcome.instructions, outcome.cycles)
    };
    let what = format!(
        "our own core, {timing:?}, {why} (single steps are \"ours\"): {} against {}{}",
        summary(found),
        summary(expected),
        if found.ram_hash == expected.ram_hash { "" } else { ", RAM differs" }
    );
    let mut steps = Stepper::new(batch, timing, false);
    let mut again = Ours::new(batch, timing);
    again.run_until(BUDGET.get());
    let mut pcs = Vec::new();
    while steps.here().state.0[PC] != batch.end {
        pcs.push(steps.here().state.0[PC]);
        let stop = steps.advance();
        let here = steps.here();
        again.rewind(batch);
        for there in [Ours::new(batch, timing).run_until(here.cycles), again.run_until(here.cycles)] {
            // A run cannot stop between instructions of the same cycle.
            let passed = there.cycles == here.cycles && there.instructions != pcs.len() as u64;
            if !passed && (there.state != here.state || there.cycles != here.cycles) {
                let what = format!(
                    "{what}; until cycle {}: to {} in {} instructions, against {}",
                    here.cycles,
                    there.cycles,
                    there.instructions,
                    pcs.len()
                );
                let trail = trail(batch, &pcs);
                return Difference { what, trail, ours: here.state, other: there.state };
            }
        }
        if stop != cyclescope_machine::Stop::Horizon {
            break;
        }
    }
    Difference { what, trail: Vec::new(), ours: expected.state, other: found.state }
}
