//! Watches a machine from outside, as an oscilloscope and a debug probe do, without taking any of its time.
//!
//! An [`Event`] can be watched. A [`Span`] lasts from one event to another. A [`Session`] runs a machine and collects
//! samples. A [`Rule`] describes a stimulus; rules become a [`Plan`], which a session applies. Spans are half-open: the
//! instruction of the first event counts, that of the last event does not.
#![forbid(unsafe_code)]

mod arrivals;
mod attribution;
mod backtrace;
pub mod defmt;
mod describe;
mod desk;
mod drive;
mod driver;
mod event;
mod exceptions;
mod explain;
mod gaps;
mod guest;
mod limits;
mod maybe_owned;
mod nearest;
mod observer;
mod post_mortem;
mod rtt;
mod session;
mod sleep;
mod span;
mod stimulus;
mod tasks;
mod time;
mod trace;
mod transfer;
mod traps;
mod vcd;
mod worst;

pub use arrivals::{Arrivals, ArrivalsError, Trial, Trials, Which, every_arrival, try_arrivals};
pub use attribution::{
    Account, Attribution, CallCost, Class, ClassCost, CoreAttributions, Cost, FunctionCost, InlineCost,
    InstructionCost, Jump, LineCost, PathCost,
};
pub use backtrace::{Backtrace, Call, End as BacktraceEnd, Level as BacktraceLevel, MOST_LEVELS};
pub use cyclescope_chips::{Hold, Situation};
pub use describe::{SpanText, SpanTextError};
pub use desk::{Desk, DeskEnd, Next, run_at_desk};
pub use driver::driver;
pub use event::{CoreEvent, Edge, Event, EventError, ExceptionPhase, Names, Resolved};
pub use exceptions::{Exceptions, RunningTask};
pub use explain::{explain, explain_spin, named, place, waits_for};
pub use gaps::GapListener;
pub use guest::{OutputForwarder, OutputSink, Pace, Pulse, RunEnd, run_guest};
pub use limits::{End, Limits};
pub use observer::{Observer, Unobserved};
pub use post_mortem::{MOST_SHOWN, PostMortem};
pub use rtt::Rtt;
pub use session::{FunctionTime, RecordError, Session, Snapshot};
pub use sleep::SleepTime;
pub use span::{Again, Extent, Later, MOST_SAMPLES, SPAN_SAMPLES, Sample, Samples, Span, SpanError, SpanTracker};
pub use stimulus::{
    Action, After, Arriving, Bounce, Endless, Level, PHASES, Phase, Plan, Rule, SamplesError, StimulusError,
    VoltageText,
};
pub use tasks::{
    Await, AwaitState, CycleOwner, Delays, HeldUp, LongestPoll, LongestWait, TaskEvent, TaskFacts, TaskId, TaskInfo,
    TaskReport, TaskScope, TasksError,
};
pub use time::{Time, TimeError};
pub use trace::{Trace, Traced};
pub use transfer::{LineName, TransferPart, transfer_text};
pub use vcd::{DumpTime, write_vcd};
pub use worst::{
    Answer, Arrival, Bound, Findings, Held, Look, MOST_ARRIVALS, MOST_SEARCHED, Missing, Question, Searched, Sought,
    Stand, Stretch, Tried, Waited, WorstError, find_worst, look_at,
};
