//! A difference, brought down to the first instruction that shows it.

use std::fmt;

use cyclescope_cortex_m::decode;
use cyclescope_machine::FlashTiming;

use crate::coverage::instruction_at;
use crate::error::OracleError;
use crate::ours::{self, BUDGET, Ours, Outcome};
use crate::peer::Peer;
use crate::state::{PC, State};
use crate::stream::Batch;

/// Instructions shown before a difference.
const SHOWN: usize = 16;

/// What was found to differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The batch, counted from 0 with the run's seed.
    pub batch: usize,
    /// What differs from what.
    pub what: String,
    /// The last instructions up to the one that shows it, that one included; empty where none could be named.
    pub trail: Vec<Line>,
    /// Our state after it.
    pub ours: State,
    /// The other state after it.
    pub other: State,
}

/// One instruction of a trail.
#[derive(Clone, Debug)]
pub struct Line {
    /// Where it stands.
    pub pc: u32,
    /// Its halfwords; the second counts only if it is wide.
    pub halves: (u16, u16),
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = self.halves;
        let set = decode::Architecture::Armv6M.instructions();
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
        writeln!(f, "difference in batch {}: {}", self.batch, self.what)?;
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
    pcs[from..].iter().map(|&pc| Line { pc, halves: instruction_at(&batch.image, pc) }).collect()
}

/// Finds the first instruction after which our core and the peer differ, in registers or data RAM.
///
/// # Errors
/// When the peer is gone.
pub fn from_peer(peer: &mut Peer, number: usize, batch: &Batch, limit: u32) -> Result<Difference, OracleError> {
    peer.submit(batch, limit, true)?;
    let answer = peer.answer()?;
    let mut theirs = answer.steps.iter().copied().chain([(answer.state, answer.data_hash)]);
    let mut ours = Ours::new(batch, FlashTiming::IDEAL);
    let mut pcs: Vec<u32> = Vec::new();
    loop {
        let state = ours.state();
        let what = match theirs.next() {
            None => Some(format!(
                "the peer ended after {} instructions with status {}, ours goes on",
                answer.executed, answer.status
            )),
            Some((other, _)) if other != state => Some("state, against the peer".to_owned()),
            Some((_, data)) if data != ours.data_hash() => Some("data RAM, against the peer".to_owned()),
            Some(_) => None,
        };
        let at_end = state.0[PC] == batch.end;
        if what.is_some() || at_end || pcs.len() >= limit as usize {
            let other = answer.steps.get(pcs.len()).map_or(answer.state, |(state, _)| *state);
            let what = what.unwrap_or_else(|| {
                format!("no state differs, but the peer ended with status {} after {}", answer.status, answer.executed)
            });
            return Ok(Difference { batch: number, what, trail: trail(batch, &pcs), ours: state, other });
        }
        pcs.push(state.0[PC]);
        let stop = ours.step();
        if stop != cyclescope_machine::Stop::Horizon {
            let what = format!("our core stopped with {stop:?}, against the peer");
            let other = answer.steps.get(pcs.len()).map_or(answer.state, |(state, _)| *state);
            return Ok(Difference { batch: number, what, trail: trail(batch, &pcs), ours: ours.state(), other });
        }
    }
}

/// Finds the first instruction boundary at which whole blocks stand elsewhere than single steps, and says how `found`
/// (the outcome of going another way) and `expected` (that of single steps) differ, and `why` in words.
pub fn from_way(
    number: usize,
    batch: &Batch,
    timing: FlashTiming,
    why: &str,
    expected: &Outcome,
    found: &Outcome,
) -> Difference {
    let summary = |outcome: &Outcome| {
        format!("{:?} after {} instructions in {} cycles", outcome.stop, outcome.instructions, outcome.cycles)
    };
    let what = format!(
        "our own core, {timing:?}, {why} (single steps are \"ours\"): {} against {}{}",
        summary(found),
        summary(expected),
        if found.ram_hash == expected.ram_hash { "" } else { ", RAM differs" }
    );
    let stepped = ours::stepped(batch, timing, 100_000);
    let mut steps = Ours::new(batch, timing);
    let mut again = Ours::new(batch, timing);
    again.run_until(BUDGET.get());
    for index in 0..stepped.pcs.len() {
        steps.step();
        again.rewind(batch);
        for there in [Ours::new(batch, timing).run_until(steps.cycles()), again.run_until(steps.cycles())] {
            if there.state != steps.state() || there.cycles != steps.cycles() {
                let trail = trail(batch, &stepped.pcs[..=index]);
                return Difference { batch: number, what, trail, ours: steps.state(), other: there.state };
            }
        }
    }
    Difference { batch: number, what, trail: Vec::new(), ours: expected.state, other: found.state }
}
