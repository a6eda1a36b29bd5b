//! Loops that change nothing: found, and skipped to the next event that can end them.
//!
//! Every so often the run loop looks whether the core has been in its present state before. If so it carries out the loop
//! instruction by instruction and checks that nothing is written, that only memory is read and registers that are [`Still`], and
//! that core and flash come back to the same state in the same number of cycles. The turns up to the horizon, or up to the first
//! cycle at which a register may change, are then counted and not carried out.
//!
//! A loop that also reads registers without a model is carried out, because its gaps are counted. With no event ahead nothing can
//! end a loop of either kind, and the core says so.

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Access, Bus, FlashPhase, Silent, Spin, Still, Stop, Width};

use crate::core::{Care, Core};
use crate::instruction_set::Hooks;
#[cfg(doc)]
use crate::instruction_set::InstructionSet;

/// The fewest and the most cycles between two looks, but for the room of [`BLOCKS`].
const SOONEST: u64 = 64;
const LATEST: u64 = 1 << 13;

/// The cycles to a device read at most where the core probably polls. Looks come closer together there once, because its wait may
/// be shorter than two of the longest intervals.
const POLLING: u64 = 32;

/// The blocks that have room before the next look at least.
const BLOCKS: u64 = 4;

/// The most instructions of a loop that is skipped.
const LONGEST_LOOP: usize = 64;

/// The most turns after which the loop repeats itself, and the most that are carried out to see it.
const PERIOD: usize = 8;
const TURNS: usize = 3 * PERIOD;

/// No turn is looked at so few cycles before the horizon: it would be cut.
const MARGIN: u64 = 1 << 10;

/// The most states known from before that are passed over after one that was of no loop to skip, because a try takes long.
const PATIENCE: u32 = 16;

/// The number of states that are remembered.
const REMEMBERED: usize = 4;

/// Returns a number that two different rows of values seldom share, for [`InstructionSet::digest`].
pub fn digest(values: impl IntoIterator<Item = u64>) -> u64 {
    values.into_iter().fold(0, |sum, value| (sum.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// The search for loops.
#[derive(Clone, Debug)]
pub(crate) struct Skipping {
    /// Cycles from one look to the next.
    interval: u64,
    /// The cycle of the next look.
    due: u64,
    /// The horizon, if it is nearer than the next event only for the sake of a look; else 0.
    soft: u64,
    /// Addresses and digests of the latest states that were looked at.
    recent: [(u32, u64); REMEMBERED],
    next: usize,
    /// Known states to pass over, and those to pass over after the next try that fails.
    pause: u32,
    patience: u32,
    /// Reads of devices up to the latest look.
    device_reads: u32,
    /// Cycles skipped.
    skipped: u64,
    /// The loop that was found in this run with no event ahead.
    spins: Option<Spin>,
    /// Looks are taken as seldom or often as this says, or never.
    range: Option<(u64, u64)>,
}

impl Default for Skipping {
    fn default() -> Self {
        Self {
            interval: LATEST,
            due: LATEST,
            soft: 0,
            recent: [(u32::MAX, 0); REMEMBERED],
            next: 0,
            pause: 0,
            patience: 1,
            device_reads: 0,
            skipped: 0,
            spins: None,
            range: Some((SOONEST, LATEST)),
        }
    }
}

impl Skipping {
    /// A run begins, before which the outside may have changed anything.
    pub(crate) fn begin(&mut self) {
        self.spins = None;
    }

    /// The cycles that a block which `needs` so many at most has before a look: none where looks come at fixed intervals.
    #[inline]
    fn room_for(&self, needs: u64) -> u64 {
        let is_fixed = self.range.is_some_and(|(soonest, latest)| soonest == latest);
        if is_fixed { 0 } else { needs }
    }

    /// Notes a state, and says whether it is one of the latest and worth a try.
    fn is_known(&mut self, state: (u32, u64)) -> bool {
        let known = self.recent.contains(&state);
        self.recent[self.next % REMEMBERED] = state;
        self.next = self.next.wrapping_add(1);
        if known && self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        known
    }

    /// Counts the cycles that a try has skipped.
    fn tried(&mut self, cycles: u64) {
        self.skipped += cycles;
        if cycles > 0 {
            (self.pause, self.patience) = (0, 1);
        } else {
            (self.pause, self.patience) = (self.patience, (2 * self.patience).min(PATIENCE));
        }
    }
}

/// The reach of an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    /// It computes, branches, or reads memory.
    Calm,
    /// It reads a device; with the span in which that gives the same each time, if it is known.
    Reads(Option<Still>),
    /// It does more.
    More,
}

/// The registers that a loop has read.
struct Reads {
    /// One without a model was read, so that its reads count.
    polls: bool,
    /// One with a model was read.
    waits: bool,
    /// The first cycle in which one may change.
    until: u64,
    /// Reads take the same time again after a multiple of so many cycles.
    period: u64,
}

impl Reads {
    const NONE: Self = Self { polls: false, waits: false, until: u64::MAX, period: 1 };

    fn add(&mut self, still: Still) {
        self.waits = true;
        self.until = self.until.min(still.until.get());
        // The clocks do not change inside the loop, so that all registers of a part have one period.
        self.period = self.period.max(still.period);
    }

    /// The kind of the loop, if only the outside can end it.
    fn spin(&self) -> Spin {
        match self {
            Self { polls: true, .. } => Spin::Polling,
            Self { waits: true, .. } => Spin::Waiting,
            _ => Spin::Idle,
        }
    }
}

/// A loop's head: when the core is there, and in which state of flash.
struct Turn {
    now: u64,
    instructions: u64,
    phase: FlashPhase,
}

impl Turn {
    /// The cycles and instructions since `earlier`.
    fn since(&self, earlier: &Self) -> (u64, u64) {
        (self.now - earlier.now, self.instructions - earlier.instructions)
    }
}

/// Returns the last of `turns` and the one since which the loop has repeated itself, if it has twice: flash may need several turns
/// until it is in the same state again. The turns between take a multiple of `period` cycles.
fn steady(turns: &[Turn], period: u64) -> Option<(&Turn, &Turn)> {
    let (third, before) = turns.split_last()?;
    (1..=PERIOD).find_map(|turns| {
        let second = before.get(before.len().checked_sub(turns)?)?;
        let first = before.get(before.len().checked_sub(2 * turns)?)?;
        let repeats = third.since(second) == second.since(first)
            && third.since(second).0.is_multiple_of(period)
            && third.phase.repeats(&second.phase)
            && second.phase.repeats(&first.phase);
        repeats.then_some((second, third))
    })
}

impl<I: Hooks<P>, P> Core<I, P> {
    /// The cycles of loops that were skipped since the core was made.
    pub fn skipped(&self) -> u64 {
        self.skipping.skipped
    }

    /// Returns the kind of the loop that the core was found in, if nothing but the outside can end it: no event is ahead. `None`
    /// if the last run has not found one.
    pub fn spins(&self) -> Option<Spin> {
        self.skipping.spins
    }

    /// Skips loops, as a new core does, or carries every turn out. That changes no result but what [`Core::spins`] says.
    pub fn skip_loops(&mut self, skip: bool) {
        self.skipping = Skipping::default();
        self.skipping.range = self.skipping.range.filter(|_| skip);
    }

    /// Looks for loops every `cycles` cycles, or (`None`) never. That changes no result.
    #[cfg(feature = "laws")]
    pub(crate) fn look_for_loops(&mut self, cycles: Option<u64>) {
        self.skipping = Skipping {
            interval: cycles.unwrap_or(LATEST),
            due: 0,
            range: cycles.map(|cycles| (cycles, cycles)),
            ..Skipping::default()
        };
    }

    /// Brings the horizon nearer, so that the run loop looks for a loop before it.
    pub(crate) fn look_before_horizon(&mut self) {
        let progress = self.cpu.progress();
        self.skipping.soft = 0;
        // A register whose reads set the horizon anew does not put it off.
        let look = self.skipping.due.max(progress.now.saturating_add(1));
        if self.skipping.range.is_some() && look < progress.horizon && !self.cpu.is_careful() {
            *self.cpu.progress_mut().horizon = look;
            self.skipping.soft = look;
        }
    }

    /// Tells whether the horizon is as near as it is for the sake of a look alone.
    #[inline]
    pub(crate) fn horizon_is_look(&self) -> bool {
        self.skipping.soft != 0 && self.cpu.progress().horizon == self.skipping.soft && !self.cpu.is_careful()
    }

    /// Tells whether the time has come to look for a loop: the look is near, or the next block, which `needs` so many cycles at most,
    /// may last beyond it.
    #[inline]
    pub(crate) fn is_to_look(&self, needs: u64) -> bool {
        let progress = self.cpu.progress();
        progress.horizon.saturating_sub(progress.now) <= self.skipping.room_for(needs).max(self.skipping.interval / 2)
    }

    /// Moves the horizon on to where it belongs, and skips the turns of a loop up to there if the core is in one. The next look is
    /// behind some turns of a loop of blocks that each `needs` so many cycles at most.
    pub(crate) fn look(&mut self, bus: &mut Bus<P>, until: u64, needs: u64) -> Option<Stop> {
        let hard = self.cpu.next_event(bus).min(until);
        *self.cpu.progress_mut().horizon = hard;
        self.skipping.soft = 0;
        self.skipping.due = self.cpu.progress().now.saturating_add(self.skipping.interval);
        if self.cpu.progress().now >= hard {
            return None;
        }
        let (soonest, latest) = self.skipping.range?;
        let state = (self.cpu.pc().get(), self.cpu.digest());
        let mut skipped = false;
        if self.skipping.is_known(state) {
            match self.skip(bus, until, hard) {
                Ok(cycles) => {
                    self.skipping.tried(cycles);
                    skipped = cycles > 0;
                }
                Err(stop) => return Some(stop),
            }
        }
        let reads = bus.shared.device_reads.wrapping_sub(self.skipping.device_reads);
        self.skipping.device_reads = bus.shared.device_reads;
        let polls = self.skipping.interval == latest && u64::from(reads) > latest / POLLING;
        let interval = if skipped || polls { soonest } else { (2 * self.skipping.interval).clamp(soonest, latest) };
        self.skipping.interval = interval;
        self.skipping.due =
            self.cpu.progress().now.saturating_add(interval.max(BLOCKS * self.skipping.room_for(needs)));
        // An instruction of the last turn may have asked the run loop to look at everything.
        if self.cpu.progress().horizon == hard {
            self.look_before_horizon();
        }
        None
    }

    /// Skips turns of the loop that begins here and ends before the cycle `hard` at the latest; the cycles skipped.
    ///
    /// # Errors
    /// The reason if the run stops meanwhile.
    fn skip(&mut self, bus: &mut Bus<P>, until: u64, hard: u64) -> Result<u64, Stop> {
        let (before, head) = (self.cpu.clone(), self.cpu.pc());
        let (mut turns, mut reads) = (vec![self.turn(bus)], Reads::NONE);
        while turns.len() <= TURNS {
            if !self.carry_out_turn(bus, until, hard, &mut reads)?
                || self.cpu.pc() != head
                || !self.cpu.repeats(&before)
            {
                return Ok(0);
            }
            let spins = self.cpu.next_event(bus) == u64::MAX && reads.until == u64::MAX;
            self.skipping.spins = spins.then(|| reads.spin());
            if reads.polls {
                return Ok(0);
            }
            turns.push(self.turn(bus));
            let Some((second, third)) = steady(&turns, reads.period) else { continue };
            let (cycles, instructions) = third.since(second);
            let count = (hard.min(reads.until).saturating_sub(third.now) / cycles.max(1)).saturating_sub(1);
            bus.memory.flash.interface_mut().repeat(&second.phase, &third.phase, count * cycles);
            let progress = self.cpu.progress_mut();
            *progress.now += count * cycles;
            *progress.instructions += count * instructions;
            return Ok(count * cycles);
        }
        Ok(0)
    }

    fn turn(&mut self, bus: &mut Bus<P>) -> Turn {
        let progress = self.cpu.progress();
        let phase = bus.memory.flash.interface_mut().phase(progress.now);
        Turn { now: progress.now, instructions: progress.instructions, phase }
    }

    /// Carries out instructions until the core is back where it is now, and adds the registers that they read to `reads`. `false`
    /// if one does more than to compute, to read memory and to read registers that are still or without a model, or if
    /// something is due before the end.
    ///
    /// # Errors
    /// The reason if the run stops meanwhile.
    fn carry_out_turn(&mut self, bus: &mut Bus<P>, until: u64, hard: u64, reads: &mut Reads) -> Result<bool, Stop> {
        let head = self.cpu.pc();
        for _ in 0..LONGEST_LOOP {
            let progress = self.cpu.progress();
            if progress.now.saturating_add(MARGIN) >= hard.min(reads.until) || bus.memory.ram.is_closed() {
                return Ok(false);
            }
            let deed = self.deed(bus);
            let gaps = bus.shared.gaps.register_reads();
            if deed == Deed::More {
                return Ok(false);
            }
            if let Some(stop) = self.run_carefully(bus, &mut Silent, Care::Single) {
                return Err(stop);
            }
            if let Deed::Reads(still) = deed {
                match (bus.shared.gaps.register_reads() - gaps, still) {
                    (0, Some(still)) => reads.add(still),
                    // What has no model has a value that only a write changes.
                    (1, _) => reads.polls = true,
                    _ => return Ok(false),
                }
            }
            if !self.stays(bus, until, hard)? {
                return Ok(false);
            }
            if self.cpu.pc() == head && !self.cpu.is_careful() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tells whether nothing was to be done behind the last instruction, which may have asked the run loop to look.
    ///
    /// # Errors
    /// The reason if the run stops.
    fn stays(&mut self, bus: &mut Bus<P>, until: u64, hard: u64) -> Result<bool, Stop> {
        if self.cpu.progress().horizon == hard {
            return Ok(true);
        }
        let place = (self.cpu.pc(), self.cpu.progress().now);
        if let Some(stop) = self.service(bus, until) {
            return Err(stop);
        }
        Ok((self.cpu.pc(), self.cpu.progress().now) == place && self.cpu.next_event(bus).min(until) == hard)
    }

    /// Returns the span in which the next instruction, which reads `bytes` bytes from `address` up, reads the same each time.
    fn still(&self, bus: &Bus<P>, address: u32, bytes: u32) -> Option<Still> {
        let width = [Width::Byte, Width::Half, Width::Word].into_iter().find(|width| width.bytes() == bytes)?;
        let (at, address) = (Cycles::new(self.cpu.progress().now), Address::new(address));
        self.cpu.still(bus, Access { address, width, at, pc: self.cpu.pc() })
    }

    /// Returns how far the next instruction reaches.
    fn deed(&mut self, bus: &mut Bus<P>) -> Deed {
        let (pc, entry) = (self.cpu.pc().get(), self.cpu.entry());
        let Some(id) = self.code.single(&self.cpu, pc, entry, &mut bus.memory) else { return Deed::More };
        if !self.code.blocks.get(id).steps.iter().all(|step| I::is_calm(&step.i)) {
            return Deed::More;
        }
        self.cpu.touches(bus).map_or(Deed::Calm, |touch| {
            let (from, last) = (touch.from.get(), touch.bytes.saturating_sub(1));
            let is_memory = |address: u32| bus.memory.region(address).is_some();
            match from.checked_add(last) {
                Some(end) if !touch.writes && is_memory(from) && is_memory(end) => Deed::Calm,
                Some(end) if !touch.writes && !is_memory(from) && !is_memory(end) => {
                    Deed::Reads(self.still(bus, from, touch.bytes))
                }
                _ => Deed::More,
            }
        })
    }
}
