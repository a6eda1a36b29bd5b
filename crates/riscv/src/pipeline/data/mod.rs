//! The way of loads and stores to the bus.

mod cache;

use cache::DataCache;

use super::{Kind, Slot};

/// A load or store on its way to the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Command {
    pub address: u32,
    pub write: bool,
    /// A line of a cache: eight words.
    pub line: bool,
    /// Of the instruction that is looked for.
    pub sought: bool,
    /// A store to a register, which happens when the bus carries it out.
    pub deferred: bool,
}

/// The bus of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Data {
    /// A command that the execute stage gives and the memory stage awaits the answer of.
    Plain(Option<Command>),
    Cached(DataCache),
}

/// The last stage's occupant in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Last {
    /// It stays.
    pub halts: bool,
    /// It goes nowhere and is fetched again.
    pub redoes: bool,
}

impl Data {
    pub fn new(lines: usize) -> Self {
        if lines == 0 { Self::Plain(None) } else { Self::Cached(DataCache::new(lines)) }
    }

    /// The command that it gives the bus.
    #[inline]
    pub fn command(&self) -> Option<Command> {
        match self {
            Self::Plain(command) => *command,
            Self::Cached(cache) => cache.command(),
        }
    }

    /// Returns the number of stores to registers that are before the bus.
    pub fn deferred(&self) -> u32 {
        let commands = match self {
            Self::Plain(command) => [*command, None],
            Self::Cached(cache) => cache.commands(),
        };
        commands.into_iter().flatten().map(|command| u32::from(command.deferred)).sum()
    }

    /// Tells whether it only stores.
    pub fn is_simple(&self) -> bool {
        matches!(self, Self::Cached(cache) if cache.is_simple())
    }

    /// The addresses of the stores before the bus, the latest first.
    pub fn stores(&mut self) -> impl Iterator<Item = &mut u32> {
        let cache = if let Self::Cached(cache) = self { Some(cache) } else { None };
        cache.into_iter().flat_map(DataCache::stores)
    }

    /// The tags of the cache.
    pub fn tags(&self) -> &[u32] {
        if let Self::Cached(cache) = self { &cache.tags } else { &[] }
    }

    /// Takes the tags out.
    pub fn take_tags(&mut self) -> Vec<u32> {
        if let Self::Cached(cache) = self { std::mem::take(&mut cache.tags) } else { Vec::new() }
    }

    /// Puts them in again.
    pub fn put_tags(&mut self, tags: Vec<u32>) {
        if let Self::Cached(cache) = self {
            cache.tags = tags;
        }
    }

    /// Tells whether the execute stage is halted by it, whatever its occupant does.
    #[inline]
    pub fn halts(&self, execute: Option<&Slot>) -> bool {
        match self {
            Self::Plain(command) => command.is_some() && execute.is_some_and(|slot| slot.is_access()),
            Self::Cached(cache) => cache.halts(execute),
        }
    }

    /// Tells whether the execute stage is halted by it as by a stage behind.
    #[inline]
    pub fn blocks(&self, execute: Option<&Slot>) -> bool {
        matches!(self, Self::Cached(cache) if cache.loads() && execute.is_some())
    }

    /// Tells whether the memory stage with `slot` waits for an answer of the bus, which has `acknowledged` the command or not.
    #[inline]
    pub fn awaits(&self, slot: &Slot, acknowledged: bool) -> bool {
        let Self::Plain(command) = self else { return false };
        let answered = acknowledged && command.is_some_and(|command| !command.write);
        // One that is misaligned waits for an answer in the cycle in which it is removed.
        slot.loads && matches!(slot.kind, Kind::Load | Kind::TrapMemory) && !answered
    }

    /// The last stage with `slot`.
    #[inline]
    pub fn last(&self, slot: Option<&Slot>) -> Last {
        match (self, slot) {
            (Self::Cached(cache), Some(slot)) => cache.last(slot),
            _ => Last::default(),
        }
    }

    /// The load or store in `slot` moves on from the execute stage.
    #[inline]
    pub fn leaves_execute(&mut self, slot: &Slot) {
        if let Self::Plain(command) = self
            && slot.is_access()
        {
            let Slot { address, sought, deferred, .. } = *slot;
            *command = Some(Command { address, write: slot.kind == Kind::Store, line: false, sought, deferred });
        }
    }

    /// The way that the load or store in `slot` will go, which leaves the decode stage behind `execute` and `memory`.
    #[inline]
    pub fn way(&self, slot: &Slot, execute: Option<&Slot>, memory: Option<&Slot>) -> Way {
        match self {
            Self::Cached(cache) if slot.is_access() => cache.way(slot, execute, memory),
            _ => Way::Through,
        }
    }

    /// Ends a cycle in which the bus has `acknowledged` the command or not: `stages` are the occupants from the execute stage on, and
    /// `moves` says whether the last one moves.
    #[inline]
    pub fn end(&mut self, acknowledged: bool, stages: [Option<&Slot>; 3], moves: bool) {
        match self {
            Self::Plain(command) if acknowledged => *command = None,
            Self::Plain(_) => {}
            Self::Cached(cache) => cache.end(acknowledged, stages, moves),
        }
    }
}

/// The way of a load or store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    /// To the bus, past any cache.
    #[default]
    Through,
    /// To a line that the cache has.
    Hit,
    /// A load of a line that the cache does not have: it is fetched again when that begins to come.
    Miss,
    /// A load of bytes that a store is just writing to the cache: it is fetched again.
    Collision,
    /// A conditional store that stores nothing.
    Nowhere,
}

impl Way {
    /// Tells whether the load must be fetched again.
    pub const fn redoes(self) -> bool {
        matches!(self, Self::Miss | Self::Collision)
    }
}
