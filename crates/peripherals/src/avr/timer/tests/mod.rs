//! The timers against a model that ticks, and against cycles by hand.

mod by_hand;
mod counter;
pub(crate) mod harness;
mod naive;
mod random;
mod timer4;
