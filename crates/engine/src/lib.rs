//! The run loop of every simulated core.
//!
//! An instruction set is an implementation of [`InstructionSet`] (its state, its decoder, what its blocks and cuts carry) and of
//! [`Hooks`] (what happens on a bus: interrupts, sleep, faults, resets). [`Core`] has the rest, once for all of them: blocks and
//! who follows whom, strides, marks, watches, the horizon, single steps, snapshots, and the reasons to stop.
//!
//! A block is a row of [`Step`]s. Each step's handler, which [`body!`] makes from the instruction's body, ends by calling the next
//! one's, so that every handler has a jump of its own, which the host predicts far better than one shared by all. The clock is added once, at the block's end.
#![forbid(unsafe_code)]

mod block;
mod blocks;
mod code;
mod core;
#[cfg(feature = "laws")]
mod counter;
mod counting;
mod draft;
mod held;
mod instruction_set;
#[cfg(feature = "laws")]
pub mod laws;
mod main_stack;
mod marks;
mod micro;
mod observed;
mod register;
mod reported;
mod seen_at;
mod service;
mod skip;
mod successors;
mod tier;
mod timing;
mod waits;

pub use block::{
    Answer, Block, Body, Chained, Ended, Execute, Flow, Handler, Here, Outcome, Step, WATCHED, carry_out,
    carry_out_apart,
};
pub use blocks::{Blocks, Stride};
pub use core::{Attempt, Core, Way};
pub use counting::{Counting, LoweredShare};
pub use draft::{Draft, LONGEST, Place};
pub use instruction_set::{Hooks, InstructionSet, Progress, ProgressMut, Refusal, Rest, Turn};
pub use main_stack::MainStack;
pub use marks::Marks;
pub use micro::{After, Binary, Compare, Due, Fields, Lowering, Micro, Slot, Table, Unary, Value};
pub use observed::run_of;
pub use register::{Group, Register};
pub use seen_at::SeenAt;
pub use skip::digest;
pub use successors::Successors;
pub use tier::{Decision, ENTERED, Heat, Left, Made, Ran, RestOfBlock, Then, Tier};
pub use waits::Waited;
