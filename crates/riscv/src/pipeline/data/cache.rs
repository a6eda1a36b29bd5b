//! The data cache: one way of lines of 32 bytes, written through and not allocated by stores; two commands wait before the bus.
//!
//! A load that misses, or collides with a store, is fetched again, and so is what follows it. It is known in the decode stage which
//! loads those will be: whatever else could change the tags until then empties the stages.

use super::{Command, Last, Way};
use crate::pipeline::{Kind, Slot};

/// The shift from an address to its line.
const LINE: u32 = 5;
/// Words of a line.
const WORDS: u8 = 8;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::pipeline) struct DataCache {
    /// The line at each place, and one that no address has where there is none.
    pub tags: Vec<u32>,
    /// The command before the bus, and one that waits behind it.
    command: Option<Command>,
    waits: Option<Command>,
    /// The last stage's command has been taken.
    sent: bool,
    /// The word of a line that the bus is asked for.
    word: u8,
    /// A word that the bus acknowledged comes in this cycle.
    comes: bool,
    /// The line that is being loaded, the words that have come, and whether that was so in the cycle before.
    load: Option<u32>,
    come: u8,
    loaded_before: bool,
    /// A flush begins; it was asked for and is awaited; lines that it has invalidated, all if none is under way.
    flush_begins: bool,
    flush_awaited: bool,
    flushed: usize,
}

impl DataCache {
    pub fn new(lines: usize) -> Self {
        Self {
            tags: vec![u32::MAX; lines],
            command: None,
            waits: None,
            sent: false,
            word: 0,
            comes: false,
            load: None,
            come: 0,
            loaded_before: false,
            flush_begins: true,
            flush_awaited: false,
            flushed: 0,
        }
    }

    fn place(&self, address: u32) -> usize {
        (address >> LINE) as usize & (self.tags.len() - 1)
    }

    /// Tells whether the line of `address` will be there when what is under way has ended.
    fn will_hit(&self, address: u32) -> bool {
        let line = address >> LINE;
        match self.load {
            Some(load) if self.place(load) == self.place(address) => load >> LINE == line,
            _ => self.tags[self.place(address)] == line,
        }
    }

    pub fn command(&self) -> Option<Command> {
        self.command.map(|command| Command { address: command.address + 4 * u32::from(self.word), ..command })
    }

    /// The command before the bus and the one that waits.
    pub fn commands(&self) -> [Option<Command>; 2] {
        [self.command, self.waits]
    }

    /// Tells whether it only stores to memory, if anything.
    pub fn is_simple(&self) -> bool {
        let stores =
            |command: &Option<Command>| command.is_none_or(|it| it.write && !it.line && !it.deferred && !it.sought);
        let loads = self.load.is_some() || self.word != 0 || self.comes || self.come != 0 || self.loaded_before;
        let flushes = self.flush_begins || self.flush_awaited || !self.is_flushed();
        stores(&self.command) && stores(&self.waits) && !loads && !flushes
    }

    /// The addresses of the stores before the bus, the latest first.
    pub fn stores(&mut self) -> impl Iterator<Item = &mut u32> {
        [&mut self.waits, &mut self.command].into_iter().flatten().map(|command| &mut command.address)
    }

    pub fn loads(&self) -> bool {
        self.load.is_some()
    }

    fn is_flushed(&self) -> bool {
        self.flushed == self.tags.len()
    }

    pub fn halts(&self, execute: Option<&Slot>) -> bool {
        let flushes = execute.is_some_and(|slot| slot.kind == Kind::FlushData);
        !self.is_flushed() || flushes && !self.flush_awaited
    }

    pub fn last(&self, slot: &Slot) -> Last {
        let ready = self.waits.is_none();
        let begins = self.load.is_some() && !self.loaded_before;
        match (slot.kind, slot.way) {
            (Kind::Load, Way::Through) => Last { halts: !self.comes, redoes: false },
            (Kind::Load, Way::Miss) => Last { halts: true, redoes: begins },
            (Kind::Load, Way::Collision) => Last { halts: false, redoes: true },
            (Kind::Store, Way::Through | Way::Hit) => Last { halts: !ready, redoes: false },
            _ => Last::default(),
        }
    }

    pub fn way(&self, slot: &Slot, execute: Option<&Slot>, memory: Option<&Slot>) -> Way {
        if slot.is_void {
            return Way::Nowhere;
        }
        if slot.address >> 31 != 0 {
            return Way::Through;
        }
        if slot.kind == Kind::Store {
            return Way::Hit;
        }
        if !self.will_hit(slot.address) {
            return Way::Miss;
        }
        let overlaps = |store: Option<&Slot>| {
            store.is_some_and(|store| {
                store.kind == Kind::Store
                    && store.way == Way::Hit
                    && store.address >> 2 == slot.address >> 2
                    && store.lanes & slot.lanes != 0
            })
        };
        // A division keeps the load from being read together with the store two before it.
        let lets_go = execute.is_none_or(|between| between.kind != Kind::Divide);
        if overlaps(execute) || lets_go && overlaps(memory) { Way::Collision } else { Way::Hit }
    }

    /// The command of the last stage's occupant.
    fn wanted(&self, slot: &Slot) -> Option<Command> {
        let Slot { address, sought, deferred, .. } = *slot;
        let command = Command { address, write: slot.kind == Kind::Store, line: false, sought, deferred };
        match (slot.kind, slot.way) {
            (Kind::Store, Way::Hit) => Some(command),
            (Kind::Load | Kind::Store, Way::Through) if !self.sent => Some(command),
            (Kind::Load, Way::Miss) if !self.sent => {
                Some(Command { address: address >> LINE << LINE, line: true, ..command })
            }
            _ => None,
        }
    }

    pub fn end(&mut self, acknowledged: bool, [execute, memory, last]: [Option<&Slot>; 3], moves: bool) {
        let wanted = last.and_then(|slot| self.wanted(slot));
        let redoes = last.is_some_and(|slot| self.last(slot).redoes);
        let ready = self.waits.is_none();
        let misses = last.filter(|slot| slot.kind == Kind::Load && slot.way == Way::Miss);
        let loads_before = self.load.is_some();

        // The word that came.
        if std::mem::replace(&mut self.comes, acknowledged && self.command.is_some_and(|command| !command.write))
            && self.load.is_some()
        {
            self.come += 1;
        }
        if self.come == WORDS
            && let Some(address) = self.load.take()
        {
            let place = self.place(address);
            self.tags[place] = address >> LINE;
            self.come = 0;
        }
        if let Some(slot) = misses.filter(|_| ready) {
            self.load.get_or_insert(slot.address);
        }
        self.loaded_before = loads_before;
        self.sent = (self.sent || wanted.is_some() && ready) && !moves;

        // The commands.
        let mut ends = acknowledged;
        if acknowledged && self.command.is_some_and(|command| command.line) {
            self.word = (self.word + 1) % WORDS;
            ends = self.word == 0;
        }
        let next = self.waits.or(wanted);
        if self.command.is_none() || ends {
            (self.command, self.waits) = (next, None);
        } else if ready {
            self.waits = wanted;
        }

        // A flush.
        let asks = execute.is_some_and(|slot| slot.kind == Kind::FlushData);
        let accesses = |slot: &Slot| slot.is_access() || slot.kind == Kind::TrapLast;
        let empty = ![memory, last].into_iter().flatten().any(accesses);
        let begins = !self.flush_awaited && !self.flush_begins && asks && empty && !redoes;
        if self.flush_awaited && self.is_flushed() {
            self.flush_awaited = false;
        }
        if !self.is_flushed() {
            self.flushed += 1;
        }
        if std::mem::replace(&mut self.flush_begins, begins) {
            (self.flush_awaited, self.flushed) = (true, 0);
            self.tags.fill(u32::MAX);
        }
    }
}
