//! A run of predecoded instructions, and what must be known to leave it early.

use std::sync::atomic::{AtomicU64, Ordering};

use cyclescope_machine::{self as machine, FlashInterface, Successors};

use crate::cpu::Entry;
use crate::exec::Step;

/// What the executor needs of an instruction only when it leaves the block.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Where the instruction stands.
    pub pc: u32,
    /// Where the next one stands.
    pub next_pc: u32,
    /// Static cycles of the block before it.
    pub before: u32,
    /// Its own static cycles.
    pub cycles: u32,
    /// Instructions of the block before it.
    pub index: u32,
    /// How to begin with it, if it is tried again.
    pub entry: Entry,
    /// How to go on after it.
    pub next: Entry,
}

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
    /// How long before a block something that it runs can have been asked for, in cycles.
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

/// A run of predecoded instructions.
#[derive(Clone, Debug)]
pub struct Block<P> {
    /// The instructions, with steps among them that only fetch.
    pub steps: Box<[Step<P>]>,
    /// The runs of fetches in it.
    pub runs: Box<[FetchRun]>,
    /// For each of `steps`, its place.
    pub places: Box<[Place]>,
    /// Where the first one stands.
    pub pc: u32,
    /// Where control goes when the block ends without a branch.
    pub next_pc: u32,
    /// Static cycles of the whole block.
    pub cycles: u32,
    /// The most it can take: static cycles and every stall at its worst.
    pub worst_cycles: u32,
    /// Real instructions in it.
    pub count: u32,
    /// What it was checked under to run unchecked: [`WATCHED`], or what the MPU's settings and the privilege come to.
    pub key: u32,
    /// Whether it is a single instruction that an interrupt may cut short: a load or store of several registers, or a
    /// division.
    pub abandonable: bool,
    /// Which blocks followed it before.
    pub successors: Successors,
    /// Its number in an observer's layout, if it was built with marks for one.
    pub number: u32,
}

/// The key of a block that begins at a watched address: none that code runs under.
pub const WATCHED: u32 = u32::MAX;

impl<P> Block<P> {
    /// Whether it begins at a watched address.
    pub fn watched(&self) -> bool {
        self.key == WATCHED
    }
}

impl<P> machine::Block for Block<P> {
    fn steps(&self) -> usize {
        self.steps.len()
    }

    fn successors(&mut self) -> &mut Successors {
        &mut self.successors
    }
}
