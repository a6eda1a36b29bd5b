//! One run to look at: what happened when, and where the cycles went.

/// One run of one image.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// A name that is unique within the page, of letters, digits and hyphens.
    pub name: String,
    /// What the page's contents call it.
    pub label: String,
    /// Its heading.
    pub title: String,
    /// What ran, how, for how long.
    pub caption: String,
    /// What is known of it, as names and values.
    pub facts: Vec<(String, String)>,
    /// What happened when, if that was recorded.
    pub timeline: Option<Timeline>,
    /// Where the cycles went, if that was counted.
    pub flame: Option<Flame>,
}

/// What happened when, a lane for each thing that can happen.
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
    /// What happened after as much was kept as fits a page; counted only.
    pub lost: u64,
    /// The lanes, from the top.
    pub lanes: Vec<Lane>,
}

/// One line of the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lane {
    /// A wire: its level at the beginning and the cycles at which it changes.
    Wire {
        /// What it is called.
        name: String,
        /// Its level at the beginning.
        begin: Level,
        /// The cycles at which it changes, in order; each turns the level over (an unknown one becomes high).
        changes: Vec<u64>,
    },
    /// Something that is so for a while, now and then.
    Segments {
        /// What it is called.
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
    /// What it is of, where its lane does not say; may be empty.
    pub label: String,
}

/// Where the cycles went.
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

/// What one function took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// How often it was called.
    pub calls: u64,
    /// Cycles of its own.
    pub own: u64,
    /// Cycles with what it called.
    pub total: u64,
}
