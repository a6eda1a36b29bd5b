//! Features of the silicon that the model lacks, counted and named.
//!
//! The guest can choose the names (an offset in a block, the number of a semihosting call), and so the number of names.

use std::collections::HashMap;

use crate::units::{Address, Cycles};
use serde::Serialize;

/// The kind of a feature that the guest used and the model does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// A register whose behaviour is not modelled was read.
    RegisterRead,
    /// A register or field whose behaviour is not modelled was written with something other than its reset value.
    RegisterWrite,
    /// A setting that real silicon would not survive or whose effect is not modelled.
    Setting,
    /// An instruction or system register whose behaviour is not modelled.
    Instruction,
    /// Any beyond the [`MOST_GAPS`] that are told apart.
    Further,
}

/// The most gaps that a run tells apart; all others are counted together, as [`FURTHER_GAPS`].
pub const MOST_GAPS: usize = 256;

/// The name of the gaps beyond [`MOST_GAPS`].
pub const FURTHER_GAPS: &str = "further gaps";

/// One gap that the guest met, with its count and its first occurrence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// Its kind.
    pub kind: GapKind,
    /// The name of the register, field or setting, as its manual prints it.
    pub name: String,
    /// The number of times it was met.
    pub count: u64,
    /// The instruction that met it first.
    pub pc: Address,
    /// The instruction of the driver behind it: `pc`, or the call of a helper for accesses to registers that met it, as far as an
    /// observer has found out ([`Gaps::attribute`]).
    pub driver: Address,
    /// The cycle at which it was first met, counted from reset.
    pub at: Cycles,
    /// Tells that it has had no effect that the program could see: the model lacks nothing that the program relied on.
    pub quiet: bool,
    /// The cycle at which the program had met it [`POLLS`] times in a row, if it did.
    pub polled: Option<Cycles>,
}

/// The number of meetings in a row, by one instruction, from which a program seems to wait for what the model lacks.
pub const POLLS: u64 = 1_000;

/// The most cycles between two meetings that are in a row.
pub const POLL_CYCLES: u64 = 1_000;

/// The latest meetings in a row: of one gap by one instruction.
#[derive(Clone, Copy, Debug)]
struct Row {
    place: usize,
    pc: Address,
    last: Cycles,
    count: u64,
}

/// All gaps one run met, in the order it met them: [`MOST_GAPS`] by name, and after them one that counts the rest.
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    met: Vec<Gap>,
    /// By kind, the places of the names among `met`.
    places: [HashMap<String, usize>; GapKind::Further as usize],
    row: Option<Row>,
    news: u64,
}

impl Gaps {
    /// Counts a gap; the first meeting keeps its place and time.
    pub fn meet(&mut self, kind: GapKind, name: &str, pc: Address, at: Cycles) {
        self.count(kind, name, pc, at, false);
    }

    /// Counts a gap that has no effect that the program could see.
    pub fn meet_quietly(&mut self, kind: GapKind, name: &str, pc: Address, at: Cycles) {
        self.count(kind, name, pc, at, true);
    }

    fn count(&mut self, kind: GapKind, name: &str, pc: Address, at: Cycles, quiet: bool) {
        let known = self.places.get(kind as usize).and_then(|places| places.get(name));
        // Whatever comes after the last that is told apart has the place behind it.
        let place = known.copied().unwrap_or(self.met.len().min(MOST_GAPS));
        let polled = self.follows(place, pc, at) && matches!(kind, GapKind::RegisterRead | GapKind::Setting);
        if let Some(gap) = self.met.get_mut(place) {
            gap.count += 1;
            if gap.quiet && !quiet {
                (gap.quiet, gap.pc, gap.driver, gap.at) = (false, pc, pc, at);
                self.news += 1;
            }
            if polled && gap.polled.is_none() {
                (gap.quiet, gap.polled) = (false, Some(at));
                self.news += 1;
            }
            return;
        }
        let (kind, name) = if place < MOST_GAPS { (kind, name) } else { (GapKind::Further, FURTHER_GAPS) };
        if let Some(places) = self.places.get_mut(kind as usize) {
            places.insert(name.to_owned(), place);
        }
        self.met.push(Gap { kind, name: name.to_owned(), count: 1, pc, driver: pc, at, quiet, polled: None });
        self.news += 1;
    }

    /// Notes a meeting, and says whether it is the last of [`POLLS`] in a row.
    fn follows(&mut self, place: usize, pc: Address, at: Cycles) -> bool {
        match &mut self.row {
            Some(row) if row.place == place && row.pc == pc && at.get().wrapping_sub(row.last.get()) <= POLL_CYCLES => {
                (row.last, row.count) = (at, row.count + 1);
                row.count == POLLS
            }
            row => {
                *row = Some(Row { place, pc, last: at, count: 1 });
                false
            }
        }
    }

    /// Returns a number that grows whenever a gap is met for the first time, has an effect for the first time, or turns out to
    /// be polled.
    pub fn news(&self) -> u64 {
        self.news
    }

    /// Notes that the driver behind the gap at `place` of [`Gaps::all`] is at `driver`.
    pub fn attribute(&mut self, place: usize, driver: Address) {
        if let Some(gap) = self.met.get_mut(place) {
            gap.driver = driver;
        }
    }

    /// Returns the number of reads of registers without a model, as far as they are told apart.
    pub fn register_reads(&self) -> u64 {
        self.met.iter().filter(|gap| gap.kind == GapKind::RegisterRead).map(|gap| gap.count).sum()
    }

    /// The gaps met, in the order of their first meeting.
    pub fn all(&self) -> &[Gap] {
        &self.met
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meet(gaps: &mut Gaps, kind: GapKind, name: &str, at: usize) {
        gaps.meet(kind, name, Address::new(2 * at as u32), Cycles::new(at as u64));
    }

    #[test]
    fn gaps_keep_the_order_and_the_place_of_their_first_meeting() {
        let mut gaps = Gaps::default();
        let kinds = [GapKind::RegisterWrite, GapKind::RegisterRead, GapKind::RegisterWrite, GapKind::Setting];
        for (at, (kind, name)) in kinds.into_iter().zip(["B", "B", "A", "B"]).cycle().take(7).enumerate() {
            meet(&mut gaps, kind, name, at);
        }
        let expected = [
            (GapKind::RegisterWrite, "B", 2, 0),
            (GapKind::RegisterRead, "B", 2, 1),
            (GapKind::RegisterWrite, "A", 2, 2),
            (GapKind::Setting, "B", 1, 3),
        ];
        let expected = expected.map(|(kind, name, count, at)| Gap {
            kind,
            name: name.to_owned(),
            count,
            pc: Address::new(2 * at),
            driver: Address::new(2 * at),
            at: Cycles::new(at.into()),
            quiet: false,
            polled: None,
        });
        assert_eq!(gaps.all(), expected);
    }

    #[test]
    fn gaps_beyond_the_most_are_counted_together() {
        let mut gaps = Gaps::default();
        for at in 0..MOST_GAPS + 1_000 {
            meet(&mut gaps, GapKind::Instruction, &format!("semihosting call {at:#x}"), at);
        }
        meet(&mut gaps, GapKind::Instruction, "semihosting call 0x3", 9_999);
        assert_eq!(gaps.all().len(), MOST_GAPS + 1);
        assert_eq!((gaps.all()[3].count, gaps.all()[3].at), (2, Cycles::new(3)), "one that is told apart still is");
        let last = &gaps.all()[MOST_GAPS - 1];
        assert_eq!((last.name.as_str(), last.count), ("semihosting call 0xff", 1));
        let further = Gap {
            kind: GapKind::Further,
            name: FURTHER_GAPS.to_owned(),
            count: 1_000,
            pc: Address::new(2 * MOST_GAPS as u32),
            driver: Address::new(2 * MOST_GAPS as u32),
            at: Cycles::new(MOST_GAPS as u64),
            quiet: false,
            polled: None,
        };
        assert_eq!(gaps.all()[MOST_GAPS], further);
    }

    #[test]
    fn an_effect_makes_a_quiet_gap_heard() {
        let mut gaps = Gaps::default();
        let meet = |gaps: &mut Gaps, quiet: bool, at: u32| {
            gaps.count(GapKind::RegisterRead, "A", Address::new(at), Cycles::new(at.into()), quiet);
        };
        meet(&mut gaps, true, 1);
        meet(&mut gaps, true, 2);
        assert_eq!((gaps.news(), gaps.all()[0].quiet, gaps.all()[0].at), (1, true, Cycles::new(1)));
        meet(&mut gaps, false, 3);
        meet(&mut gaps, false, 4);
        meet(&mut gaps, true, 5);
        let gap = &gaps.all()[0];
        assert_eq!((gaps.news(), gap.quiet, gap.pc, gap.count), (2, false, Address::new(3), 5));
    }

    #[test]
    fn reads_in_a_row_by_one_instruction_are_polls() {
        let read = |gaps: &mut Gaps, pc: u32, at: u64| {
            gaps.meet_quietly(GapKind::RegisterRead, "SR", Address::new(pc), Cycles::new(at));
        };
        for (apart, pcs, polled) in [(10, 1, true), (POLL_CYCLES, 1, true), (POLL_CYCLES + 1, 1, false), (10, 2, false)]
        {
            let mut gaps = Gaps::default();
            for number in 0..POLLS {
                let (pc, at) = ((number % pcs) as u32, number * apart);
                assert_eq!(gaps.all().first().and_then(|gap| gap.polled), None, "not before the last one");
                read(&mut gaps, pc, at);
            }
            let expected = polled.then(|| Cycles::new((POLLS - 1) * apart));
            let gap = &gaps.all()[0];
            assert_eq!((gap.polled, gap.quiet), (expected, !polled), "{apart} cycles apart by {pcs}");
            assert_eq!(gaps.news(), 1 + u64::from(polled));
            read(&mut gaps, 0, POLLS * apart);
            assert_eq!(gaps.news(), 1 + u64::from(polled), "once");
        }
    }

    #[test]
    fn what_is_met_between_ends_a_row() {
        let mut gaps = Gaps::default();
        for number in 0..2 * POLLS {
            let name = if number % 500 == 499 { "B" } else { "A" };
            gaps.meet(GapKind::RegisterRead, name, Address::new(0), Cycles::new(number));
        }
        assert!(gaps.all().iter().all(|gap| gap.polled.is_none()));
    }
}
