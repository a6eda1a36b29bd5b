//! The two bus masters and the FIFOs between them and the channels (RP-008371-DS, DMA, Figure "DMA Architecture Overview").
//!
//! A transfer passes four phases: the address of its read, its data, the address of its write, its data. Each master has one data
//! phase at a time, and the address of the next access goes along with it.

use std::collections::VecDeque;

use cyclescope_machine::{TimingRow, Width};

use crate::MasterAccess;

/// The rows.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "dma.phase",
        "cycles of each of a transfer's four phases: address and data of its read, address and data of its write",
        1,
        "raspberrypi/pico-feedback#202, the block's designer: four phases, which overlap for four transfers",
    ),
    TimingRow::assumed(
        "dma.trigger",
        "cycles from a trigger or a request that has been counted to the address of the read",
        1,
        "derived from the 11 cycles of raspberrypi/pico-feedback#202 over two chained transfers and an OUT with autopull",
    ),
    TimingRow::assumed(
        "dma.request",
        "cycles from a request to its count in the channel",
        1,
        "derived from the same; its asker reads one cycle of delay from a figure of the data sheet",
    ),
    TimingRow::assumed(
        "dma.contention",
        "cycles that a master waits for a bank of RAM that another has",
        1,
        "RP-008371-DS, Bus Priority: a port serves one access a cycle, and masters of equal priority take turns; here the DMA's go first then",
    ),
];

/// Rows by place.
const PHASE: u64 = ROWS[0].cycles as u64;
/// See `ROWS`.
pub const TRIGGER: u64 = ROWS[1].cycles as u64;
/// See `ROWS`.
pub const REQUEST: u64 = ROWS[2].cycles as u64;

/// Addresses that wait for their masters at most: the data sheet has READ_ADDR at most three and WRITE_ADDR at most five transfers
/// behind an error.
const READS: usize = 3;
const WRITES: usize = 5;

/// An access to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The channel.
    pub channel: u8,
    /// The address.
    pub address: u32,
    /// The width.
    pub width: Width,
    /// The data of a write.
    pub data: Option<u32>,
}

/// An access and the cycle at which its data phase may begin, or ends.
type At = (u64, Access);

/// A bus master.
#[derive(Clone, Debug, Default)]
struct Master {
    /// The access whose data phase has begun, with the cycle at which it ends.
    under_way: Option<At>,
    /// The first cycle at which it may begin another.
    free: u64,
    /// The next has been put off.
    waited: bool,
    /// The cycle in which the latest has begun.
    begun: Option<u64>,
}

/// Both masters and what waits for them.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    masters: [Master; 2],
    /// Reads, each with the cycle at which its data phase may begin.
    reads: VecDeque<At>,
    /// Writes, whose data has not been read yet.
    writes: VecDeque<Access>,
    /// Writes with their data.
    data: VecDeque<At>,
    /// The access that was handed out: that of a write, and whether it begins.
    asked: Option<(bool, bool)>,
    /// Reads go first: one was put off behind a write, which has begun in its cycle.
    reads_first: bool,
}

/// The end of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The access.
    pub access: Access,
    /// It was a write.
    pub write: bool,
}

impl Pipeline {
    /// Tells if accesses are under way or wait.
    pub fn is_moving(&self) -> bool {
        self.masters.iter().any(|master| master.under_way.is_some())
            || !(self.reads.is_empty() && self.writes.is_empty() && self.data.is_empty())
    }

    /// Tells if another transfer can be issued.
    pub fn has_room(&self) -> bool {
        self.reads.len() < READS && self.writes.len() + self.data.len() < WRITES
    }

    /// A transfer of `channel` is issued, the address of whose read is out at `at`.
    pub fn issue(&mut self, channel: u8, [read, write]: [u32; 2], width: Width, at: u64) {
        self.reads.push_back((at + PHASE, Access { channel, address: read, width, data: None }));
        self.writes.push_back(Access { channel, address: write, width, data: None });
    }

    /// Of each master what it does next, the one that goes first before the other: it is the writing one, whether a data phase begins,
    /// when, and the access.
    fn steps(&self) -> impl Iterator<Item = (bool, bool, At)> {
        [!self.reads_first, self.reads_first].into_iter().filter_map(|write| {
            let master = &self.masters[usize::from(write)];
            if let Some(under_way) = master.under_way {
                return Some((write, false, under_way));
            }
            let (at, access) = *if write { self.data.front() } else { self.reads.front() }?;
            Some((write, true, (at.max(master.free), access)))
        })
    }

    /// The step that is due at `now`. Of two in a cycle the write goes first, but for a read that it was put off for.
    pub fn due(&mut self, now: u64) -> Option<MasterAccess> {
        let (write, begins, (_, access)) = self.steps().find(|(.., (at, _))| *at <= now)?;
        self.asked = Some((write, begins));
        let Access { address, width, data, .. } = access;
        let waited = self.masters[usize::from(write)].waited;
        Some(MasterAccess { cycle: now, begins, address, width, data, waited })
    }

    /// The data phase that was [due](Self::due) may not begin before the cycle after `now`.
    pub fn put_off(&mut self, now: u64) {
        let Some((write, true)) = self.asked.take() else { return };
        let other_began = self.masters[usize::from(!write)].begun == Some(now);
        if other_began {
            self.reads_first = !write;
        }
        let master = &mut self.masters[usize::from(write)];
        (master.free, master.waited) = (now + 1, true);
    }

    /// The cycle of the next step; [`u64::MAX`] if there is none.
    pub fn next(&self) -> u64 {
        self.steps().map(|(.., (at, _))| at).min().unwrap_or(u64::MAX)
    }

    /// The data phase that was [due](Self::due) begins at `now` and takes `waits` cycles beyond its first.
    pub fn begun(&mut self, waits: u64, now: u64) {
        let Some((write, true)) = self.asked.take() else { return };
        let queue = if write { &mut self.data } else { &mut self.reads };
        if let Some((_, access)) = queue.pop_front() {
            let master = &mut self.masters[usize::from(write)];
            (master.under_way, master.waited, master.begun) = (Some((now + waits, access)), false, Some(now));
            self.reads_first &= write;
        }
    }

    /// The data phase that was [due](Self::due) has ended at `now`.
    pub fn ended(&mut self, now: u64) -> Option<Ended> {
        let (write, false) = self.asked.take()? else { return None };
        let master = &mut self.masters[usize::from(write)];
        let (_, access) = master.under_way.take()?;
        master.free = now + 1;
        Some(Ended { access, write })
    }

    /// The latest read has given `data` at `now`, to be written; `None`: it failed, and its write is not made.
    pub fn has_read(&mut self, data: Option<u32>, now: u64) {
        if let Some((write, data)) = self.writes.pop_front().zip(data) {
            self.data.push_back((now + 2 * PHASE, Access { data: Some(data), ..write }));
        }
    }

    /// Takes back the transfers of `channel` whose read has not begun; returns their number.
    pub fn give_up(&mut self, channel: u8) -> u32 {
        let first = self.writes.len() - self.reads.len();
        let kept: Vec<bool> = self.reads.iter().map(|(_, read)| read.channel != channel).collect();
        let keeps = |place: usize| place < first || kept[place - first];
        let mut places = 0..;
        self.writes.retain(|_| keeps(places.next().unwrap_or(0)));
        self.reads.retain(|(_, read)| read.channel != channel);
        kept.iter().filter(|kept| !**kept).count() as u32
    }

    /// FIFO_LEVELS.
    pub fn levels(&self) -> u32 {
        let [data, writes, reads] = [self.data.len(), self.writes.len() + self.data.len(), self.reads.len()];
        data as u32 | (writes as u32) << 8 | (reads as u32) << 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Carries out all that is due at each cycle; gives the cycles of reads and writes by address.
    fn run(pipeline: &mut Pipeline, cycles: std::ops::Range<u64>, waits: u64) -> Vec<(u64, u32)> {
        let mut seen = Vec::new();
        for now in cycles {
            while let Some(step) = pipeline.due(now) {
                if step.begins {
                    pipeline.begun(waits, now);
                } else {
                    let ended = pipeline.ended(now).unwrap();
                    seen.push((now, step.address));
                    if !ended.write {
                        pipeline.has_read(Some(step.address), now);
                    }
                }
            }
        }
        seen
    }

    #[test]
    fn four_phases_overlap_for_one_transfer_a_cycle() {
        let mut pipeline = Pipeline::default();
        (0..3).for_each(|number| pipeline.issue(0, [number, 100 + number], Width::Word, 10 + u64::from(number)));
        assert_eq!((pipeline.has_room(), pipeline.levels()), (false, 3 << 16 | 3 << 8));
        let seen = run(&mut pipeline, 10..20, 0);
        assert_eq!(seen, [(11, 0), (12, 1), (13, 100), (13, 2), (14, 101), (15, 102)]);
        assert!(!pipeline.is_moving());
    }

    #[test]
    fn an_access_that_waits_holds_up_its_master_alone() {
        let mut pipeline = Pipeline::default();
        (0..2).for_each(|number| pipeline.issue(0, [number, 100 + number], Width::Word, 10));
        assert_eq!(run(&mut pipeline, 10..30, 3), [(14, 0), (18, 1), (19, 100), (23, 101)]);
    }

    #[test]
    fn reads_and_writes_that_are_put_off_for_each_other_take_turns() {
        let mut pipeline = Pipeline::default();
        (0..3).for_each(|number| pipeline.issue(0, [number, 100 + number], Width::Word, 10));
        let (mut seen, mut taken) = (Vec::new(), 0);
        for now in 10..30 {
            while let Some(step) = pipeline.due(now) {
                if !step.begins {
                    let ended = pipeline.ended(now).unwrap();
                    seen.push((now, step.address));
                    if !ended.write {
                        pipeline.has_read(Some(step.address), now);
                    }
                } else if taken == now || now == 15 {
                    // The other one has the bank, or a core.
                    pipeline.put_off(now);
                } else {
                    taken = now;
                    pipeline.begun(0, now);
                }
            }
        }
        assert_eq!(seen, [(11, 0), (12, 1), (13, 100), (14, 2), (16, 101), (17, 102)]);
        assert!(!pipeline.is_moving());
    }

    #[test]
    fn what_has_not_begun_is_given_up_with_its_write() {
        let mut pipeline = Pipeline::default();
        for (channel, number) in [(0, 0), (1, 1), (0, 2)] {
            pipeline.issue(channel, [number, 100 + number], Width::Word, 10);
        }
        let step = pipeline.due(11).unwrap();
        assert!(step.begins);
        pipeline.begun(5, 11);
        assert_eq!(pipeline.give_up(0), 1, "one is under way");
        assert_eq!(run(&mut pipeline, 12..30, 0), [(16, 0), (17, 1), (18, 100), (19, 101)]);
    }
}
