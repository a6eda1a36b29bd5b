//! One run to look at: what happened when, and where the cycles went.

/// One run of one image.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// A name that is unique within the page, of letters, digits and hyphens.
    pub name: String,
    /// The name in the page's contents.
    pub label: String,
    /// Its heading.
    pub title: String,
    /// The image, the chip and the length of the run.
    pub caption: String,
    /// The facts of the run, as names and values.
    pub facts: Vec<(String, String)>,
    /// The timeline, if one was recorded.
    pub timeline: Option<Timeline>,
    /// The cycles by function, if they were counted.
    pub flame: Option<Flame>,
}

/// The events of a run, a lane for each kind of event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// The core's clock, by which cycles become time.
    pub clock_hz: u64,
    /// The first cycle.
    pub from: u64,
    /// The cycle at which it ends.
    pub to: u64,
    /// The cycles that are shown first; none: the whole.
    pub focus: Option<(u64, u64)>,
    /// The number of events after as many as fit a page.
    pub lost: u64,
    /// The lanes, from the top.
    pub lanes: Vec<Lane>,
}

/// One line of the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lane {
    /// A wire: its level at the beginning and the cycles at which it changes.
    Wire {
        /// The name.
        name: String,
        /// Its level at the beginning.
        begin: Level,
        /// The cycles at which it changes, in order; each turns the level over (an unknown one becomes high).
        changes: Vec<u64>,
    },
    /// Something that is so for a while, now and then.
    Segments {
        /// The name.
        name: String,
        /// `exception`, `task` or `sleep`.
        kind: &'static str,
        /// When, in order.
        segments: Vec<Segment>,
    },
}

/// The level of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Low.
    Low,
    /// High.
    High,
    /// Nobody has said.
    Unknown,
}

/// From one cycle to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The first cycle.
    pub from: u64,
    /// The cycle at which it ends.
    pub to: u64,
    /// The subject, if its lane does not name it; may be empty.
    pub label: String,
}

/// The cycles of a run by function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flame {
    /// All cycles but those asleep.
    pub total: u64,
    /// Cycles asleep, which would leave no room for the rest.
    pub asleep: u64,
    /// Paths of calls, outermost first, with the cycles of their last function itself.
    pub paths: Vec<(Vec<String>, u64)>,
    /// Functions, the most expensive first.
    pub functions: Vec<Function>,
}

/// The cost of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The number of its calls.
    pub calls: u64,
    /// Cycles of its own.
    pub own: u64,
    /// Cycles with what it called.
    pub total: u64,
}
