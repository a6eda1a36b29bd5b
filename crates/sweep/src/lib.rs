//! Sweeps: one measurement over many images, chips, memory settings, clocks, layouts, arrivals and seeds.
//!
//! A [`Plan`] is what a user writes. With the files that it names it is a [`Sweep`], whose points have numbers in a fixed order
//! and are grouped into chunks of about as many cycles. A chunk runs anywhere: a [`Sweep`] goes to other machines as bytes, and a
//! chunk's results come back as a Parquet file. [`Parts`] keeps those as they come, and joins them in the plan's order, so that the
//! same plan gives the same file however its chunks were run.
#![forbid(unsafe_code)]

mod axes;
mod columns;
mod error;
mod numbers;
mod parts;
mod plan;
mod point;
mod question;
mod summary;
mod sweep;
mod threads;

pub use axes::{Axes, Point};
pub use error::SweepError;
pub use numbers::Numbers;
pub use parts::{Joined, Parts};
pub use plan::{MOST_PLAN, Plan, PlanImage};
pub use summary::{Group, Summary};
pub use sweep::Sweep;
pub use threads::{Ended, run};
