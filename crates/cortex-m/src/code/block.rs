//! The data that the core adds to the engine's blocks: how to begin in their middle, and their fetches.

use std::sync::atomic::{AtomicU64, Ordering};

use cyclescope_machine::{FlashInterface, Memory, RegionKind, SimpleAccess};

use crate::cpu::{Cpu, Entry};

/// The data that the core adds to an instruction's place in a block.
#[derive(Clone, Copy, Debug)]
pub struct PlaceDetail {
    /// The state to begin with, if it is tried again.
    pub entry: Entry,
    /// The state to go on with behind it.
    pub next: Entry,
    /// Of a load or store, the cycles that its address waits for the instruction before it.
    pub address_wait: u8,
}

/// An instruction's place in a block.
pub type Place = cyclescope_engine::Place<PlaceDetail>;

/// A step of fetching: what is asked of flash for an instruction, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// The request.
    pub kind: FetchKind,
    /// The line's number.
    pub line: u32,
    /// The cycle of the request's address phase, from [`Self::EARLIEST`] static cycles before the block on. As flash counts the
    /// cycles of fetches, this is what comes on top of the block's start.
    pub before: u32,
    /// Instructions of the block before the one for which it is made.
    pub index: u32,
}

impl Fetch {
    /// The most cycles before a block's start at which something that the block runs can have been requested.
    pub const EARLIEST: u32 = FlashInterface::AHEAD;
}

/// The request that a step of fetching makes of flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchKind {
    /// Fetching begins anew, or went on there, and the instruction waits for the line.
    Refill(Refill),
    /// The fetch reaches the line, at the earliest so many cycles after the line before it was there; a core that waits for each of
    /// its fetches waits for it.
    Request {
        /// The cycles.
        gap: u32,
        /// It is made beside a load, whose data may have come late: that does not hold it up.
        beside_load: bool,
    },
    /// Decoding wants the line.
    Await,
}

/// The way in which fetching begins anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refill {
    /// It does so whatever was done before: a branch inside the block went there.
    pub inside: bool,
    /// The cycles by which this instruction was asked for earlier than one that is come to straight on.
    pub earlier: u32,
    /// The number of words of the line that are asked for, one a cycle.
    pub words: u32,
    /// The number of lines behind it that are asked for as well, and of the words in each.
    pub lines: u32,
    pub line_words: u32,
}

/// Steps of fetching that are made in one go, since nothing between them could see when.
#[derive(Clone, Debug)]
pub struct FetchRun {
    /// Its number, no other run's in this process and scattered over all there are; 0 if there are no more.
    pub number: u32,
    /// The number of its first steps alone, those beside the instruction before them, behind which the block may be left.
    pub beside: u32,
    /// Its steps, in their order.
    pub steps: Vec<Fetch>,
    /// Static cycles of the block before the last of them.
    pub last: u32,
}

impl FetchRun {
    /// A run without steps and with a number of its own.
    pub fn new() -> Self {
        static LATEST: AtomicU64 = AtomicU64::new(0);
        let latest = LATEST.fetch_add(2, Ordering::Relaxed) + 1;
        let [number, beside] = [latest, latest + 1].map(scattered);
        Self { number, beside, steps: Vec::new(), last: 0 }
    }
}

/// The number of a run, 0 for those that have none.
fn scattered(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(0).wrapping_mul(0x9E37_79B1)
}

/// The data that the core adds to a block.
#[derive(Clone, Debug)]
pub struct BlockDetail {
    /// The runs of fetches in it.
    pub runs: Box<[FetchRun]>,
    /// It is a single instruction that an interrupt may cut short: a load or store of several registers, or a division.
    pub abandonable: bool,
    /// It is a single instruction that none cuts short, with an access to data behind its second cycle.
    pub accesses_late: bool,
    /// The facts of a single instruction that count beside another core.
    pub alone: Option<Box<Alone>>,
}

/// The facts of an instruction by itself that count beside another core.
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    /// The word in which it begins, and the next.
    pub words: [Word; 2],
    /// It is a branch whose second half is in the next word.
    pub is_across: bool,
    /// It may branch.
    pub branches: bool,
    /// It reads data.
    pub reads: bool,
    /// Its accesses, if it may be attempted simply.
    pub reach: Option<SimpleAccess>,
}

/// A word of code, as those see it who fetch it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its address.
    pub address: u32,
    /// There is memory.
    pub exists: bool,
    /// The line of flash that waits in which it counts as lying.
    pub line: Option<u32>,
    /// [`Memory::generation`] up to which that is so.
    pub generation: u32,
}

impl Word {
    /// The word at `address`.
    pub fn of(memory: &Memory, address: u32) -> Self {
        let interface = memory.flash.interface();
        let line = match memory.region(memory.timed(address)) {
            Some(RegionKind::Flash(offset)) if interface.timing().wait_states > 0 => Some(interface.line(offset)),
            _ => None,
        };
        Self { address, exists: memory.region(address).is_some(), line, generation: memory.generation() }
    }

    /// The same as things are now.
    #[inline]
    pub fn renewed(self, memory: &Memory) -> Self {
        if self.generation == memory.generation() { self } else { Self::of(memory, self.address) }
    }
}

/// A run of predecoded instructions, with steps among them that only fetch.
pub type Block<P> = cyclescope_engine::Block<Cpu, P>;
