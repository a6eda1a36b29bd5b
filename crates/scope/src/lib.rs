//! Watches a machine from outside, as an oscilloscope and a debug probe would, without taking any of its time.
//!
//! [`Event`]s are what can be watched for; a [`Span`] reaches from one to the next; a [`Session`] runs a machine and
//! collects. Spans are half-open: the first event's instruction counts, the last one's does not.
#![forbid(unsafe_code)]

pub mod defmt;
mod event;
mod exceptions;
mod explain;
mod rtt;
mod session;
mod span;

pub use event::{Edge, Event, EventError, ExceptionPhase, Names, Resolved};
pub use exceptions::{Exceptions, RunningTask};
pub use explain::{explain, place};
pub use rtt::Rtt;
pub use session::{End, FunctionTime, Limits, Session};
pub use span::{Sample, Span, SpanError, SpanTracker};
