//! Compares whole parts with simavr's. A program runs here with the part's devices, and simavr follows step by step.
//! Compared are pc, cycles, registers, SREG and SP after each instruction and each interrupt, SRAM at the end of each
//! batch, and the bytes that the program sends.
//!
//! The cycle of each interrupt must agree on both sides within the tolerances of [`TOLERANCES`]. The peer then takes
//! the interrupt at our instruction, so that both stay together. Where a tolerance lets a register read differently,
//! the peer gets our value. A tolerance whose program no longer differs without it fails the run.
//!
//! Our steps are compared with two whole runs of ours up to the same cycle, with loops skipped and without.

mod images;
mod ours;
mod peer;
mod programs;
mod rules;
mod step;
mod tolerances;

use std::fmt;

use cyclescope_avr::decode;
use cyclescope_chips::avr::AvrPart;
use cyclescope_image::Image;
use cyclescope_machine::Stop;

pub use images::{PARTS, PartImage, images, part};
pub use ours::Outside;
pub use peer::{PartPeer, Status, Tally};
pub use programs::{PROGRAMS, Program};
pub use step::{Kind, Step};
pub use tolerances::{TOLERANCES, Tolerance};

use crate::error::OracleError;
use ours::Ours;
use peer::Answer;
use rules::Rules;
use tolerances::addresses;

/// The number of steps in one message.
const BATCH: usize = 8192;
/// The number of steps shown up to a difference.
const SHOWN: usize = 16;
/// The number of bytes that can be under way in a double-buffered port.
const UNDER_WAY: usize = 2;

/// The first difference of a program.
#[derive(Clone, Debug)]
pub struct Difference {
    /// A description, with our value first.
    pub what: String,
    /// The last steps up to the difference: cycle, address, description.
    pub trail: Vec<(u32, u32, String)>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.what)?;
        for (cycles, at, what) in &self.trail {
            writeln!(f, "  {cycles:>10}  {at:04x}  {what}")?;
        }
        Ok(())
    }
}

/// The result for one program.
#[derive(Clone, Debug)]
pub struct Report {
    /// Instructions compared.
    pub instructions: u64,
    /// Their cycles.
    pub cycles: u64,
    /// Interrupts taken.
    pub interrupts: u64,
    /// The number of registers that a tolerance let read differently.
    pub forced: u64,
    /// The statistics of each vector taken, by the part's name for it.
    pub vectors: Vec<(&'static str, Tally)>,
    /// The bytes that the program sent.
    pub sent: Vec<u8>,
    /// The first difference.
    pub difference: Option<Difference>,
}

/// Follows `image` on `part` for `cycles`.
///
/// # Errors
/// The peer has ended, or the image does not fit.
pub fn follow(
    peer: &mut PartPeer,
    part: &'static AvrPart,
    image: &Image,
    cycles: u64,
    outside: &[Outside],
) -> Result<Report, OracleError> {
    let flash = programs::flash(image, part).ok_or(OracleError::Fit { part: part.name })?;
    run(peer, part, &flash, cycles, outside, &rules(part, None))
}

/// Follows one of our programs on `part`.
///
/// # Errors
/// The peer has ended, or no compiler is installed.
pub fn program(peer: &mut PartPeer, part: &'static AvrPart, program: &Program) -> Result<Report, OracleError> {
    let mut report = run_program(peer, part, program, &rules(part, None))?;
    if report.difference.is_none() && report.sent.len() < program.sends {
        let what = format!("{} bytes were sent and not {}", report.sent.len(), program.sends);
        report.difference = Some(Difference { what, trail: Vec::new() });
    }
    Ok(report)
}

/// Returns the tolerances that `part` no longer needs: without one of them, its program does not differ.
///
/// # Errors
/// The peer has ended, or no compiler is installed.
pub fn unneeded(peer: &mut PartPeer, part: &'static AvrPart) -> Result<Vec<&'static Tolerance>, OracleError> {
    let mut unneeded = Vec::new();
    for tolerance in TOLERANCES.iter().filter(|tolerance| tolerance.shown_by.suits(part)) {
        let without = rules(part, Some(tolerance.what));
        if run_program(peer, part, tolerance.shown_by, &without)?.difference.is_none() {
            unneeded.push(tolerance);
        }
    }
    Ok(unneeded)
}

/// Returns the rules with all tolerances except the one named `without`.
fn rules(part: &AvrPart, without: Option<&str>) -> Rules {
    let mut rules = Rules::STRICT;
    for tolerance in TOLERANCES.iter().filter(|tolerance| Some(tolerance.what) != without) {
        (tolerance.allow)(&mut rules, addresses(part));
    }
    rules
}

fn run_program(
    peer: &mut PartPeer,
    part: &'static AvrPart,
    program: &Program,
    rules: &Rules,
) -> Result<Report, OracleError> {
    let built = program.build(part)?;
    let image = Image::parse(&built).map_err(|source| OracleError::Image { name: program.name, source })?;
    let flash = programs::flash(&image, part).ok_or(OracleError::Fit { part: part.name })?;
    run(peer, part, &flash, program.cycles, program.outside, rules)
}

fn run(
    peer: &mut PartPeer,
    part: &'static AvrPart,
    flash: &[u8],
    cycles: u64,
    outside: &[Outside],
    rules: &Rules,
) -> Result<Report, OracleError> {
    let serial = addresses(part).serial;
    let mut ours = Ours::new(part, flash, serial, outside);
    peer.begin(part, flash, serial, rules)?;
    let mut report = Report {
        instructions: 0,
        cycles: 0,
        interrupts: 0,
        forced: 0,
        vectors: Vec::new(),
        sent: Vec::new(),
        difference: None,
    };
    let mut steps: Vec<Step> = Vec::new();
    while report.difference.is_none() && ours.stop.is_none() && ours.now() < cycles {
        let kept = steps.len().saturating_sub(SHOWN);
        steps.drain(..kept);
        let from = steps.len();
        while steps.len() < from + BATCH && ours.now() < cycles {
            let Some(step) = ours.step() else { break };
            match (steps.get_mut(from..).and_then(<[Step]>::last_mut), step.kind) {
                (Some(last), Kind::Idle) if last.kind == Kind::Idle => last.state = step.state,
                _ => steps.push(step),
            }
        }
        let answer = peer.follow(&steps[from..])?;
        let done = &steps[from..from + answer.index];
        report.instructions += done.iter().filter(|step| matches!(step.kind, Kind::Instruction { .. })).count() as u64;
        report.interrupts += done.iter().filter(|step| matches!(step.kind, Kind::Interrupt { .. })).count() as u64;
        report.forced += u64::from(answer.forced);
        report.sent.extend(&answer.sent);
        let what = if answer.status != Status::Same {
            Some(describe(&answer, &steps[from + answer.index], part))
        } else if answer.ram != ours.ram_hash() {
            Some("SRAM differs".to_owned())
        } else {
            differing_output(&ours.sent(), &report.sent)
        };
        report.difference = what.map(|what| {
            let last = (from + answer.index + 1).min(steps.len());
            let trail = &steps[last.saturating_sub(SHOWN)..last];
            Difference { what, trail: trail.iter().map(|step| line(step, &ours, part)).collect() }
        });
    }
    report.cycles = ours.now();
    if report.difference.is_none() {
        let what = by_whole_runs(part, flash, serial, outside, &ours);
        report.difference = what.map(|what| Difference { what, trail: Vec::new() });
    }
    // A program that sleeps with interrupts masked has ended.
    let stop = ours.stop.as_ref().filter(|stop| !matches!(stop, Stop::Deadlock(_)));
    if let (None, Some(stop)) = (&report.difference, stop) {
        report.difference = Some(Difference { what: format!("ours stopped: {stop:?}"), trail: Vec::new() });
    }
    let tallies = peer.end()?;
    let name = |vector: usize| part.vectors.get(vector).copied().unwrap_or("");
    report.vectors =
        (0..).zip(tallies).filter(|(_, tally)| tally.taken > 0).map(|(vector, tally)| (name(vector), tally)).collect();
    Ok(report)
}

/// Describes the difference of whole runs from `ours`, which has come by steps to where it is.
fn by_whole_runs(part: &'static AvrPart, flash: &[u8], serial: u8, outside: &[Outside], ours: &Ours) -> Option<String> {
    [(true, "with loops skipped"), (false, "with loops carried out")].into_iter().find_map(|(skips, how)| {
        let mut whole = Ours::new(part, flash, serial, outside);
        whole.run_whole(ours.now(), skips);
        let [stepped, whole] = [ours.outcome(), whole.outcome()];
        let (name, stepped, whole) =
            stepped.into_iter().zip(whole).find(|(a, b)| a != b).map(|((name, a), (_, b))| (name, a, b))?;
        Some(format!("{name}: {stepped} by steps, {whole} in a whole run {how}"))
    })
}

/// Compares the bytes sent: ours count at the end of each frame, simavr's when UDR is written.
fn differing_output(ours: &[u8], theirs: &[u8]) -> Option<String> {
    let same = theirs.starts_with(ours) && theirs.len() <= ours.len() + UNDER_WAY;
    let shown = |bytes: &[u8]| String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(40)..]).into_owned();
    (!same).then(|| {
        format!(
            "sent {} bytes, ending in {:?}; simavr {}, in {:?}",
            ours.len(),
            shown(ours),
            theirs.len(),
            shown(theirs)
        )
    })
}

fn describe(answer: &Answer, step: &Step, part: &AvrPart) -> String {
    let vector = part.vectors.get(answer.vector as usize).copied().unwrap_or("an interrupt that the part has not");
    match answer.status {
        Status::NotDue => format!("takes {vector}, for which simavr did not ask then (apart {})", answer.apart),
        Status::Overdue => format!("simavr takes {vector} at another time (apart {})", answer.apart),
        Status::Crashed => "simavr says that the program crashed".to_owned(),
        Status::Different | Status::Same => format!("ours/simavr's:{}", step.state.differing(&answer.state)),
    }
}

fn line(step: &Step, ours: &Ours, part: &AvrPart) -> (u32, u32, String) {
    let what = match step.kind {
        Kind::Instruction { read, .. } => {
            let [first, second] = ours.words(step.at);
            let name = decode::row(first).map_or("reserved", |row| row.name);
            let from = if read == 0 { String::new() } else { format!(" from {read:02x}") };
            format!("{first:04x} {second:04x}  {name}{from}")
        }
        Kind::Interrupt { vector } => {
            format!("takes {}", part.vectors.get(usize::from(vector)).copied().unwrap_or("?"))
        }
        other => format!("{other:?}"),
    };
    (step.state.cycles, step.at, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the flash of a part that starts with these words.
    fn flash(part: &AvrPart, words: &[u16]) -> Vec<u8> {
        let mut flash: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        flash.resize(part.flash_bytes as usize, 0xFF);
        flash
    }

    #[test]
    fn whole_runs_that_differ_from_steps_are_told() {
        let part = PARTS[0];
        let serial = addresses(part).serial;
        // A loop that polls PINB, and the same behind two instructions.
        let (first, other) = (flash(part, &[0x9B18, 0xCFFE]), flash(part, &[0x0000, 0x0000, 0x9B18, 0xCFFE]));
        let mut ours = Ours::new(part, &first, serial, &[]);
        while ours.now() < 100_000 {
            ours.step().expect("it goes on");
        }
        assert_eq!(by_whole_runs(part, &first, serial, &[], &ours), None);
        let told = by_whole_runs(part, &other, serial, &[], &ours).expect("they differ");
        assert!(told.ends_with("in a whole run with loops skipped"), "{told}");
    }
}
