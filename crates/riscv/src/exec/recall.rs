//! Instructions whose cycles a pipeline has passed before: from the same phase, with hits in the caches and the same inputs, the next
//! one leaves the decode stage after as many cycles again, and leaves the pipeline in the same phase.

use std::mem::offset_of;
use std::sync::Arc;

use cyclescope_machine::Bus;

use super::Here;
use super::issue::Core;
use crate::cpu::Cpu;
use crate::pipeline::{INPUTS, Kind, Pipeline, STORES, phase};

/// The places for known cycles; what takes one drives out what had it.
const PLACES: usize = 4096;

/// The most cycles and retirements of an instruction that are remembered.
const MOST_CYCLES: u64 = 200;
const MOST_RETIRED: usize = 4;

/// The most lines of the instruction cache that are asked for meanwhile.
const MOST_LINES: usize = 2;

/// The shift from an address to its line in a cache.
pub(crate) const LINE: u32 = 5;

/// The most lines of a cache.
pub(crate) const MOST_TAGS: usize = 128;

/// The instruction at `pc`, which comes next in `phase`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// 0 at an empty place.
    pub phase: u32,
    pub pc: u32,
    /// The phase when it has left the decode stage, and the cycles until then.
    pub next: u32,
    pub cycles: u32,
    /// Lines that are fetched meanwhile and were in the cache; `u32::MAX` for none.
    pub lines: [u32; MOST_LINES],
    /// It loads or stores.
    pub access: Option<KnownAccess>,
    inputs: u64,
    retired: [u8; MOST_RETIRED],
    retirements: u8,
}

/// A load that hits, or a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownAccess {
    /// The register and the constant that make its address.
    pub base: u8,
    pub offset: u32,
    pub bytes: u32,
    pub stores: bool,
    /// The slave of a store, by its first address and its bytes; 0 bytes if each bus has a port.
    pub slave: (u32, u32),
    /// The stores before it, counted from the latest, whose word a load must not be of.
    pub collisions: u8,
}

/// The memory that a core has of its pipeline.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recall {
    /// The pipeline's phase, or 0 if its state is its own. If it has one, only its caches and retirements are up to date.
    pub phase: u32,
    /// The cycle that comes next then.
    pub at: u64,
    /// The addresses of the stores on their way, the latest first.
    pub stored: [u32; STORES],
    known: Arc<Vec<Known>>,
    /// Memory's generation, by which code in it is known to be the same.
    generation: u32,
}

const NOTHING: Known = Known {
    phase: 0,
    pc: 0,
    next: 0,
    cycles: 0,
    lines: [u32::MAX; MOST_LINES],
    access: None,
    inputs: 0,
    retired: [0; MOST_RETIRED],
    retirements: 0,
};

const fn place(phase: u32, pc: u32) -> usize {
    (phase.wrapping_mul(0x9E37_79B1) ^ (pc >> 1).wrapping_mul(0x85EB_CA77)) as usize >> 8 & (PLACES - 1)
}

impl Recall {
    /// The places of fields, for compiled code.
    pub const PHASE: usize = offset_of!(Self, phase);
    pub const AT: usize = offset_of!(Self, at);
    pub const STORED: usize = offset_of!(Self, stored);

    fn find(&self, pc: u32) -> Option<Known> {
        let known = self.known.get(place(self.phase, pc))?;
        (known.phase == self.phase && known.pc == pc).then_some(*known)
    }

    /// All that is known of the instruction at `pc` while memory is of this generation.
    pub fn known_at(&self, pc: u32, generation: u32) -> impl Iterator<Item = &Known> {
        let is_same = generation == self.generation;
        self.known.iter().filter(move |known| is_same && known.phase != 0 && known.pc == pc)
    }

    fn learn(&mut self, known: Known) {
        let all = Arc::make_mut(&mut self.known);
        if all.is_empty() {
            all.resize(PLACES, NOTHING);
        }
        all[place(known.phase, known.pc)] = known;
    }

    /// Forgets all if the code in memory is not what it was.
    fn look_at_code(&mut self, generation: u32) {
        if generation != self.generation {
            self.generation = generation;
            self.known = Arc::default();
        }
    }

    /// Keeps what `own` knows: it is of code that is marked in this machine's memory.
    pub fn keep(&mut self, own: Self) {
        (self.known, self.generation) = (own.known, own.generation);
    }

    fn note_store(&mut self, address: u32) {
        self.stored.copy_within(..STORES - 1, 1);
        self.stored[0] = address;
    }
}

/// The cycles of an instruction while they are passed.
pub(super) struct Lesson {
    phase: u32,
    pc: u32,
    start: u64,
    lines: [u32; MOST_LINES],
    retired: u64,
    inputs: u64,
    collisions: u8,
    /// The addresses of instructions that were fetched before and are decoded meanwhile.
    undecoded: [Option<u32>; 2],
}

impl Lesson {
    /// Notes the cycle that `pipeline` has passed; `None` if it is like no other.
    pub fn pass(mut self, pipeline: &Pipeline) -> Option<Self> {
        if !pipeline.is_simple() {
            return None;
        }
        if let Some(line) = pipeline.fetched().map(|address| address >> LINE)
            && !self.lines.contains(&line)
        {
            *self.lines.iter_mut().find(|known| **known == u32::MAX)? = line;
        }
        Some(self)
    }
}

impl Cpu {
    /// Passes the cycles of the instruction at `here`, which begin at `start`, if they are known. What could happen meanwhile by itself
    /// comes later.
    #[inline]
    pub(super) fn recalls<P>(&mut self, bus: &Bus<P>, here: Here<'_, P>, start: u64) -> bool {
        if self.recall.phase == 0 || bus.memory.code_changed() {
            return false;
        }
        self.recall.look_at_code(bus.memory.generation());
        let Some(known) = self.recall.find(here.place().pc) else { return false };
        let end = start + u64::from(known.cycles);
        let has_line = |line: &u32| *line == u32::MAX || self.fetch_tags[*line as usize & self.fetch_mask()] == *line;
        if end > self.horizon
            || start < self.recall.at
            || (self.lines_in(start) ^ known.inputs) & INPUTS != 0
            || !known.lines.iter().all(has_line)
        {
            return false;
        }
        if let Some(access) = known.access {
            let address = self.get(access.base).wrapping_add(access.offset);
            if !self.is_known_access(access, address) {
                return false;
            }
            if access.stores {
                self.recall.note_store(address);
            }
        }
        if let Some(pipeline) = &mut self.pipeline {
            let retired = &known.retired[..usize::from(known.retirements)];
            pipeline.retire(start, retired.iter().copied());
        }
        (self.recall.phase, self.recall.at) = (known.next, end);
        self.now += u64::from(known.cycles) - 1;
        true
    }

    fn is_known_access(&self, access: KnownAccess, address: u32) -> bool {
        let window = if access.stores { self.writable } else { self.readable };
        let (from, bytes) = access.slave;
        let is_allowed = address & (access.bytes - 1) == 0 && (!self.guarded || window.contains(address));
        if access.stores {
            return is_allowed && address >> 31 == 0 && (bytes == 0 || address & !(bytes - 1) == from);
        }
        let line = address >> LINE;
        let collides =
            |number: usize| access.collisions >> number & 1 != 0 && self.recall.stored[number] >> 2 == address >> 2;
        is_allowed
            && address >> 31 == 0
            && self.data_tags[line as usize & self.data_mask()] == line
            && !(0..2).any(collides)
    }

    /// The bits of a line's number that tell its place in the cache of instructions, and in that of data.
    pub(crate) fn fetch_mask(&self) -> usize {
        self.tag_masks[0]
    }

    /// See [`Cpu::fetch_mask`].
    pub(crate) fn data_mask(&self) -> usize {
        self.tag_masks[1]
    }

    /// Begins a lesson about the instruction at `pc`, for which `pipeline` passes its cycles from `start` on.
    pub(super) fn begin_lesson<P>(
        &self,
        bus: &Bus<P>,
        phase_before: u32,
        pc: u32,
        start: u64,
        pipeline: &Pipeline,
    ) -> Option<Lesson> {
        if phase_before == 0 || bus.memory.code_changed() {
            return None;
        }
        let (retired, inputs) = (pipeline.retired(), self.lines_in(start));
        let before = phase(phase_before)?;
        let collisions = before.collisions();
        if (before.inputs() ^ inputs) & INPUTS != 0 {
            return None;
        }
        let (lines, undecoded) = ([u32::MAX; MOST_LINES], pipeline.undecoded());
        Some(Lesson { phase: phase_before, pc, start, lines, retired, inputs, collisions, undecoded })
    }

    /// The pipeline's state becomes a phase, if it is one that may come again; what the `lesson` has taught is remembered.
    pub(super) fn end_lesson<P>(&mut self, bus: &mut Bus<P>, lesson: Option<Lesson>) {
        let Some(pipeline) = self.pipeline.as_deref() else { return };
        let tags = pipeline.tags();
        let is_known_size = tags.iter().all(|tags| tags.len().is_power_of_two() && tags.len() <= MOST_TAGS);
        if !self.stores.is_empty() || !is_known_size || !pipeline.has_phases() || !pipeline.is_simple() {
            return;
        }
        let rights = (self.protection_key() != 0).then_some((&self.pmp, self.privilege));
        // Those of the cycles before and of the one that comes: what changes in between is in no phase.
        let at = pipeline.cycle;
        let Some((number, stored)) = pipeline.to_phase(rights, self.lines_in(at - 1)) else { return };
        let before = lesson.as_ref().map_or([None; 2], |lesson| lesson.undecoded);
        let known =
            lesson.filter(|lesson| lesson.inputs & INPUTS == self.lines_in(at - 1) & INPUTS).and_then(|lesson| {
                let cycles = at - lesson.start;
                let all = pipeline.retired() - lesson.retired;
                if cycles > MOST_CYCLES || all > MOST_RETIRED as u64 {
                    return None;
                }
                let mut retired = [0; MOST_RETIRED];
                for (behind, number) in retired.iter_mut().zip(lesson.retired..pipeline.retired()) {
                    *behind = (pipeline.retired_at(number) - lesson.start) as u8;
                }
                let access = match pipeline.latest_access() {
                    Some(slot) => {
                        Some(self.known_access(bus, pipeline, &lesson, slot.address, slot.kind == Kind::Store)?)
                    }
                    None => None,
                };
                let Lesson { phase, pc, lines, inputs, .. } = lesson;
                let (next, cycles) = (number, cycles as u32);
                Some(Known { phase, pc, next, cycles, lines, access, inputs, retired, retirements: all as u8 })
            });
        for (copy, tags) in [&mut self.fetch_tags, &mut self.data_tags].into_iter().zip(tags) {
            copy[..tags.len()].copy_from_slice(tags);
        }
        self.tag_masks = tags.map(|tags| tags.len() - 1);
        self.recall.look_at_code(bus.memory.generation());
        (self.recall.phase, self.recall.at, self.recall.stored) = (number, at, stored);
        if let Some(known) = known {
            let fetched = known.lines.into_iter().filter(|line| *line != u32::MAX);
            // A change of what was looked at is to be noticed.
            for line in fetched.chain(before.into_iter().flatten().map(|address| address >> LINE)) {
                bus.memory.mark_code_at(line << LINE, (1 << LINE) + 2);
            }
            self.recall.learn(known);
        }
    }

    fn known_access<P>(
        &self,
        bus: &Bus<P>,
        pipeline: &Pipeline,
        lesson: &Lesson,
        address: u32,
        stores: bool,
    ) -> Option<KnownAccess> {
        let i = Core::instruction(self, bus, lesson.pc);
        let bytes = i.access_bytes()?;
        let slave = if stores { pipeline.slave(address)? } else { (0, 0) };
        Some(KnownAccess { base: i.rs1, offset: i.imm, bytes, stores, slave, collisions: lesson.collisions })
    }

    /// The pipeline's state becomes its own again; the program goes on at `pc`.
    #[inline]
    pub(crate) fn settle_pipeline_at(&mut self, pc: u32) {
        if self.recall.phase != 0 {
            self.leave_phase(pc);
        }
    }

    #[cold]
    fn leave_phase(&mut self, pc: u32) {
        let number = std::mem::take(&mut self.recall.phase);
        if let (Some(phase), Some(pipeline)) = (phase(number), &mut self.pipeline) {
            pipeline.go_into(&phase, self.recall.at, &self.recall.stored, pc);
        }
    }

    /// The same, between two instructions.
    #[inline]
    pub(crate) fn settle_pipeline(&mut self) {
        self.settle_pipeline_at(self.pc);
    }

    /// The pipeline's state becomes its own again if its inputs are not those of its phase.
    pub(crate) fn settle_changed_inputs(&mut self) {
        if let Some(phase) = (self.recall.phase != 0).then(|| phase(self.recall.phase)).flatten()
            && (phase.inputs() ^ self.lines_in(self.now)) & INPUTS != 0
        {
            self.settle_pipeline();
        }
    }

    /// The pipeline in the state that it is in.
    pub(crate) fn pipeline_now(&self) -> Option<Pipeline> {
        let mut pipeline = self.pipeline.as_deref()?.clone();
        if let Some(phase) = phase(self.recall.phase) {
            pipeline.go_into(&phase, self.recall.at, &self.recall.stored, self.pc);
        }
        Some(pipeline)
    }
}
