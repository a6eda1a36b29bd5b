//! A run of predecoded instructions, and what must be known to leave it early.

use cyclescope_machine::{self as machine, FlashInterface, Successors};

use crate::cpu::Entry;
use crate::decode::{Instruction, Reg};
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

/// The operand of [`Op::Refill`], [`Op::FetchLine`] and [`Op::AwaitLine`]: which line, and when.
///
/// [`Op::Refill`]: crate::decode::Op::Refill
/// [`Op::FetchLine`]: crate::decode::Op::FetchLine
/// [`Op::AwaitLine`]: crate::decode::Op::AwaitLine
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchedLine {
    /// The line's number; flash has fewer than 2^20 lines (4 MiB of 4 bytes).
    pub number: u32,
    /// The cycle of the request's address phase, from [`Self::EARLIEST`] static cycles before the block on; the builder ends
    /// a block before they reach 2^12. As flash counts the cycles of fetches, this is what comes on top of the block's start.
    pub before: u32,
}

impl FetchedLine {
    /// How long before a block something that it runs can have been asked for, in cycles.
    pub const EARLIEST: u32 = FlashInterface::AHEAD;
    const BEFORE_BITS: u32 = 12;

    /// As one operand.
    pub fn pack(self) -> u32 {
        debug_assert!(self.before >> Self::BEFORE_BITS == 0 && self.number >> (32 - Self::BEFORE_BITS) == 0);
        self.number << Self::BEFORE_BITS | self.before
    }

    /// Back from an operand.
    #[inline(always)]
    pub const fn unpack(operand: u32) -> Self {
        Self { number: operand >> Self::BEFORE_BITS, before: operand & ((1 << Self::BEFORE_BITS) - 1) }
    }
}

/// The other operands of [`Op::Refill`] and [`Op::RefillAndAwait`]: how fetching begins anew.
///
/// [`Op::Refill`]: crate::decode::Op::Refill
/// [`Op::RefillAndAwait`]: crate::decode::Op::RefillAndAwait
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refill {
    /// It does so whatever was done before: a branch inside the block went there.
    pub inside: bool,
    /// How much earlier than an instruction that is come to straight on this one was asked for, in cycles, up to 3.
    pub earlier: u32,
    /// How many lines behind it are asked for as well, up to 3.
    pub lines: u32,
    /// The first of them this much later, in cycles from 1 to 4.
    pub after: u32,
    /// The next this much later each, in cycles: 1 or 2.
    pub words: u32,
}

impl Refill {
    /// As `i`'s operands.
    pub fn pack(self, i: Instruction) -> Instruction {
        let Self { inside, earlier, lines, after, words } = self;
        debug_assert!(earlier < 4 && lines < 4 && (1..=4).contains(&after) && (1..=2).contains(&words), "{self:?}");
        i.rn(Reg::new(u32::from(inside) | earlier << 1 | (words - 1) << 3)).rm(Reg::new(lines | (after - 1) << 2))
    }

    /// Back from `i`'s operands.
    #[inline(always)]
    pub const fn unpack(i: &Instruction) -> Self {
        let (start, more) = (i.rn as u32, i.rm as u32);
        Self {
            inside: start & 1 != 0,
            earlier: start >> 1 & 3,
            lines: more & 3,
            after: (more >> 2) + 1,
            words: (start >> 3) + 1,
        }
    }
}

/// A run of predecoded instructions.
#[derive(Clone, Debug)]
pub struct Block<P> {
    /// The instructions, with those that only charge for fetching among them.
    pub steps: Box<[Step<P>]>,
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
