//! One run to look at: what happened when, and where the cycles went.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

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
    /// The pictures on its displays.
    pub strips: Vec<Strip>,
    /// The parts by which the page makes it again, or the reason why it cannot.
    pub again: Result<Again, String>,
}

/// A run that the page can make again by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Again {
    /// The file's name.
    pub name: String,
    /// The file's SHA-256.
    pub sha256: String,
    /// The file.
    #[serde(skip)]
    pub image: Vec<u8>,
    /// The chip: its name, or the name of a file that describes it.
    pub chip: String,
    /// The chip's own name, as records have it.
    pub part: String,
    /// The files that the chip and the devices need, by the names that they are called by.
    #[serde(serialize_with = "names")]
    pub files: BTreeMap<String, Vec<u8>>,
    /// The attached devices.
    pub attach: Vec<String>,
    /// The flash settings.
    pub memory: String,
    /// The length of the run.
    #[serde(rename = "for")]
    pub window: String,
    /// The stimuli.
    pub stimulus: Vec<String>,
    /// The spans to measure.
    pub span: Vec<String>,
}

/// Writes the names of `files` alone.
fn names<S: Serializer>(files: &BTreeMap<String, Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(files.keys())
}

/// The pictures on a display, in the order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strip {
    /// The display's name.
    pub name: String,
    /// A sentence on the pictures.
    pub caption: String,
    /// The pictures.
    pub pictures: Vec<Picture>,
}

/// A picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The time since reset at which it was there, as text.
    pub time: String,
    /// The picture as a file in the format PNG.
    pub png: Vec<u8>,
}

/// The events of a run, a lane for each kind of event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Timeline {
    /// The core's clocks, by which cycles become time: the first cycle of each, its time in picoseconds, its rate in hertz.
    pub clocks: Vec<(u64, u64, u64)>,
    /// The first cycle.
    pub from: u64,
    /// The cycle at which it ends.
    pub to: u64,
    /// The cycle at which the run ended: after [`to`](Self::to) where events were left out.
    pub end: u64,
    /// The cycles that are shown first; none: the whole.
    pub focus: Option<(u64, u64)>,
    /// The number of events in the lanes, repeated levels of pins included.
    pub kept: u64,
    /// The number of events after those.
    pub lost: u64,
    /// Pins without a lane, since their edges would take the room of all else; the transfers on them have one.
    pub left_out: Vec<String>,
    /// The lanes, from the top.
    pub lanes: Vec<Lane>,
    /// The wakes of tasks that have a lane.
    pub wakes: Vec<Wake>,
}

/// A wake of a task, and the poll or turn that answered it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Wake {
    /// The cycle of the wake.
    pub at: u64,
    /// The place of the waker's lane.
    pub from: usize,
    /// The cycle at which the task began to run.
    pub poll: u64,
    /// The place of its lane.
    pub to: usize,
}

/// One line of the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// Its events.
    #[serde(flatten)]
    pub events: LaneEvents,
}

/// The events of a lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum LaneEvents {
    /// The levels of a wire.
    Wire {
        /// Its level at the beginning, 0 or 1; none where nobody has said.
        begin: Option<u8>,
        /// The cycles at which it changes, in order; each turns the level over (an unknown one becomes high).
        changes: Vec<u64>,
    },
    /// An exception's handler.
    Exception(Segments),
    /// The tasks that run in each other's place.
    Task(Segments),
    /// The polls or turns of one task.
    Polls(Segments),
    /// Sleep.
    Sleep(Segments),
    /// Transfers on wires.
    Transfer(Segments),
}

/// Stretches of time, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Segments {
    /// The first cycle of each, the cycle at which it ends, and its subject if the lane does not name that.
    pub segments: Vec<(u64, u64, String)>,
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
    /// Functions, the most expensive first: name, calls, cycles of its own, cycles with what it called.
    pub functions: Vec<(String, u64, u64, u64)>,
}
