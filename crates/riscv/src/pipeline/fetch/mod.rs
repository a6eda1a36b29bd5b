//! The stages before the decode stage: where the next fetch begins, and what is on its way.

mod cached;
mod compressed;
mod lines;
mod uncached;

use cached::Cached;
use compressed::Compressed;
use lines::Lines;
use uncached::Uncached;

use super::{FetchStages, Slot, Surroundings};

/// The stages from the decode stage on, as those before it see them in a cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Behind {
    /// The decode stage keeps its occupant.
    pub stuck: bool,
    /// The occupant of the decode stage goes nowhere.
    pub removed: bool,
    /// The decode stage jumps, by a prediction or an exception.
    pub decode_jumps: bool,
    /// Any stage jumps.
    pub jumps: bool,
    /// The address that a stage jumps to.
    pub target: Option<u32>,
    /// No fetch may begin.
    pub halted: bool,
    /// An MRET is on its way.
    pub leaving: bool,
    /// A FENCE.I is in the decode stage.
    pub fence: bool,
}

/// The stages of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Fetch {
    Uncached(Uncached),
    Cached(Cached),
    Compressed(Compressed),
}

impl Fetch {
    /// The stages, which will begin at `pc`.
    pub fn new(stages: FetchStages, pc: u32) -> Self {
        match stages {
            FetchStages::Uncached => Self::Uncached(Uncached::new(pc)),
            FetchStages::Cached(lines) => Self::Cached(Cached::new(lines, pc)),
            FetchStages::Compressed(lines) => Self::Compressed(Compressed::new(lines, pc)),
        }
    }

    /// Empties them, but for caches, and goes on at `pc`.
    pub fn restart(&mut self, pc: u32) {
        match self {
            Self::Uncached(stages) => *stages = Uncached::new(pc),
            Self::Cached(stages) => stages.restart(pc),
            Self::Compressed(stages) => stages.restart(pc),
        }
    }

    /// The word that they ask the bus for.
    #[inline]
    pub fn request(&self) -> Option<u32> {
        match self {
            Self::Uncached(stages) => stages.request(),
            Self::Cached(stages) => stages.lines.request(),
            Self::Compressed(stages) => stages.lines.request(),
        }
    }

    /// Tells whether they ask for lines of a cache.
    #[inline]
    pub const fn has_lines(&self) -> bool {
        !matches!(self, Self::Uncached(_))
    }

    /// The occupant of the decode stage; an MRET is `leaving`, which has not changed the mode yet.
    #[inline]
    pub fn decoded(&mut self, surroundings: &impl Surroundings, leaving: bool) -> Option<Slot> {
        match self {
            Self::Uncached(stages) => stages.decoded(surroundings),
            Self::Cached(stages) => stages.decoded(surroundings, leaving),
            Self::Compressed(stages) => stages.decoded(surroundings, leaving),
        }
    }

    /// Ends the cycle, in which the bus has acknowledged their request or not.
    #[inline]
    pub fn end(&mut self, behind: &Behind, acknowledged: bool, surroundings: &impl Surroundings) {
        match self {
            Self::Uncached(stages) => stages.end(behind, acknowledged),
            Self::Cached(stages) => stages.end(behind, acknowledged),
            Self::Compressed(stages) => stages.end(behind, acknowledged, surroundings),
        }
    }

    /// Tells whether nothing misses, is loaded, or is flushed.
    pub fn is_simple(&self) -> bool {
        match self {
            Self::Uncached(_) => false,
            Self::Cached(stages) => stages.is_simple(),
            Self::Compressed(stages) => stages.is_simple(),
        }
    }

    /// Tells whether nothing of what is in them has been decoded.
    pub fn has_only_asked(&self) -> bool {
        match self {
            Self::Uncached(_) => false,
            Self::Cached(stages) => stages.has_only_asked(),
            Self::Compressed(stages) => stages.has_only_asked(),
        }
    }

    /// The address that the latest fetch is from.
    pub fn fetched(&self) -> Option<u32> {
        match self {
            Self::Uncached(_) => None,
            Self::Cached(stages) => stages.fetched(),
            Self::Compressed(stages) => stages.fetched(),
        }
    }

    /// The addresses of what has been fetched and is not decoded.
    pub fn undecoded(&self) -> [Option<u32>; 2] {
        match self {
            Self::Uncached(_) => [None; 2],
            Self::Cached(stages) => stages.undecoded(),
            Self::Compressed(stages) => stages.undecoded(),
        }
    }

    fn lines(&self) -> Option<&Lines> {
        match self {
            Self::Uncached(_) => None,
            Self::Cached(stages) => Some(&stages.lines),
            Self::Compressed(stages) => Some(&stages.lines),
        }
    }

    fn lines_mut(&mut self) -> Option<&mut Lines> {
        match self {
            Self::Uncached(_) => None,
            Self::Cached(stages) => Some(&mut stages.lines),
            Self::Compressed(stages) => Some(&mut stages.lines),
        }
    }

    /// The tags of the cache.
    pub fn tags(&self) -> &[u32] {
        self.lines().map_or(&[], |lines| &lines.tags)
    }

    /// Takes the tags out.
    pub fn take_tags(&mut self) -> Vec<u32> {
        self.lines_mut().map(|lines| std::mem::take(&mut lines.tags)).unwrap_or_default()
    }

    /// Puts them in again.
    pub fn put_tags(&mut self, tags: Vec<u32>) {
        if let Some(lines) = self.lines_mut() {
            lines.tags = tags;
        }
    }

    /// Tells whether nothing is in them and the next fetch is at `pc`.
    pub fn begins_at(&self, pc: u32) -> bool {
        match self {
            Self::Uncached(stages) => stages.begins_at(pc),
            Self::Cached(stages) => stages.begins_at(pc),
            Self::Compressed(stages) => stages.begins_at(pc),
        }
    }
}
