//! Coroutines of C++20 as GCC makes them, by symbols and lines alone: each frame is a task.
//!
//! A frame begins with the address of the function that resumes it, `NAME.actor`, which becomes 0 at the coroutine's end; the promise
//! follows behind the function that destroys it. The index of the await at which it is suspended is what the actor reads first: 0 while
//! the frame is being made, 2 before the body, 4 at the first await and so on; odd if the frame is to be destroyed (gcc/cp/coroutines.cc
//! of GCC 12). The language has no executor; of `coro::scheduler`, which the bundled programs have, the queue tells of wakes.

use std::collections::{BTreeMap, BTreeSet};

use cyclescope_chips::Machine;
use cyclescope_image::{Architecture, Image, SourceLine};
use cyclescope_machine::units::Address;

use super::awaits::{Await, AwaitState};
use super::calls::Calls;
use super::runtime::{Happening, Runtime, Store, TaskId, TaskInfo, Told, word};

/// The ends of the symbols of functions that resume a frame, and that destroy one.
const ACTOR: &str = ".actor";
const DESTROYER: &str = ".destroy";

/// The byte offset of the promise in a frame.
const PROMISE: u32 = 8;

/// The queue of the bundled programs: the ends of its name and of a name beside it, its size, and the byte offset of the pointer to the
/// promise that was queued last.
const QUEUE: &str = "scheduler";
const FRAMES: &str = "coro::frames";
const QUEUE_BYTES: u64 = 12;
const LAST: u32 = 4;

/// The end of the names of functions that give a frame its memory.
const NEW: &str = "operator new(unsigned int)";

/// The greatest number of coroutines, of their frames, of bytes of one's code, and of rows in one poll's trail. A guest that goes beyond
/// them has lost its way.
const MOST_ACTORS: usize = 256;
const MOST_TASKS: usize = 1_024;
const MOST_CODE: u64 = 1 << 16;
const MOST_TRAIL: usize = 1_024;

/// The index of a coroutine whose body has not begun.
const UNRESUMED: u16 = 2;

/// A coroutine's code.
#[derive(Debug)]
struct Actor {
    entry: Address,
    name: String,
    /// The byte offset of the index in a frame.
    index: Option<u32>,
    /// The addresses at which another line of the coroutine's own begins.
    rows: Vec<(Address, SourceLine)>,
    /// The indexes that polls through each row have left.
    through: Vec<BTreeSet<u16>>,
    /// The latest way to each index, as places of rows.
    ways: BTreeMap<u16, Vec<usize>>,
}

/// A coroutine's frame.
#[derive(Debug)]
struct Frame {
    at: u32,
    actor: usize,
    alive: bool,
    bytes: Option<u32>,
    /// The frame is being made.
    begins: bool,
    /// The rows up to the latest store of the index, and those behind it.
    way: Vec<usize>,
    trail: Vec<usize>,
    suspended: Option<u16>,
    left: BTreeMap<u16, u64>,
}

#[derive(Debug)]
pub(super) struct Coroutines {
    actors: Vec<Actor>,
    queue: Option<u32>,
    /// The queue's latest word that was looked at.
    queued: u32,
    news: Vec<Address>,
    /// The functions that destroy a frame.
    destroyers: Vec<Address>,
    /// The bytes that were asked for last.
    asked: Option<u32>,
    /// The frames by the tasks' numbers.
    frames: Vec<Frame>,
    polling: Calls,
}

impl Coroutines {
    /// Returns the coroutines of `image`, if it has any.
    pub(super) fn find(image: &Image) -> Option<Self> {
        if image.architecture() != Architecture::Arm {
            return None;
        }
        let actors = image.symbols().iter().filter(|symbol| symbol.name.ends_with(ACTOR) && symbol.size.get() > 0);
        let actors: Vec<Actor> = actors
            .take(MOST_ACTORS)
            .map(|symbol| {
                let entry = symbol.address;
                let rows = rows(image, entry, symbol.size.get().min(MOST_CODE) as u32);
                let through = vec![BTreeSet::new(); rows.len()];
                let (name, index) = (function(symbol.display_name()), index(image, entry));
                Actor { entry, name, index, rows, through, ways: BTreeMap::new() }
            })
            .collect();
        if actors.is_empty() {
            return None;
        }
        let of = |end: &str| {
            image.symbols().iter().filter(|symbol| symbol.display_name().ends_with(end)).collect::<Vec<_>>()
        };
        let queue = of(QUEUE).into_iter().find(|symbol| symbol.size.get() == QUEUE_BYTES);
        let queue =
            queue.filter(|_| image.find_symbol(FRAMES).is_some()).map(|symbol| symbol.address.get().wrapping_add(LAST));
        let news = of(NEW).into_iter().map(|symbol| symbol.address).collect();
        let destroyers = image.symbols().iter().filter(|symbol| symbol.name.ends_with(DESTROYER));
        let destroyers = destroyers.map(|symbol| symbol.address).take(MOST_ACTORS).collect();
        Some(Self {
            actors,
            queue,
            queued: 0,
            news,
            destroyers,
            asked: None,
            frames: Vec::new(),
            polling: Calls::default(),
        })
    }

    /// The index in the frame at `at`, if it is known where it lies.
    fn index(&self, machine: &Machine, actor: usize, at: u32) -> Option<u16> {
        let mut bytes = [0; 2];
        let from = at.wrapping_add(self.actors[actor].index?);
        (machine.peek(Address::new(from), &mut bytes) == 2).then(|| u16::from_le_bytes(bytes))
    }

    /// The task with the frame at `at`; one that is new is added.
    fn task(&mut self, machine: &mut Machine, actor: usize, at: u32, tasks: &mut Vec<TaskInfo>) -> Option<TaskId> {
        if let Some(known) = self.frames.iter().position(|frame| (frame.at, frame.actor) == (at, actor)) {
            return Some(known);
        }
        if self.frames.len() >= MOST_TASKS {
            return None;
        }
        machine.watch_stores(Address::new(at)..Address::new(at.saturating_add(4)));
        if let Some(index) = self.actors[actor].index.map(|index| at.saturating_add(index)) {
            machine.watch_stores(Address::new(index)..Address::new(index.saturating_add(2)));
        }
        let like = self.frames.iter().filter(|frame| frame.actor == actor).count();
        let name = &self.actors[actor].name;
        let name = if like == 0 { name.clone() } else { format!("{name}[{like}]") };
        tasks.push(TaskInfo { name, address: Address::new(at), future: None });
        let (way, trail, left) = (Vec::new(), Vec::new(), BTreeMap::new());
        self.frames.push(Frame {
            at,
            actor,
            alive: false,
            bytes: None,
            begins: false,
            way,
            trail,
            suspended: None,
            left,
        });
        Some(self.frames.len() - 1)
    }

    /// A poll of `task`, or the making of its frame, has returned.
    fn leave(&mut self, machine: &Machine, task: TaskId, happened: &mut Vec<Happening>) {
        let (at, actor) = (self.frames[task].at, self.frames[task].actor);
        let index = self.index(machine, actor, at);
        let frame = &mut self.frames[task];
        let way = std::mem::take(&mut frame.way);
        let is_poll = !std::mem::take(&mut frame.begins);
        if is_poll {
            happened.push(Happening::PollEnded(task, None));
        }
        if let Some(index) = index.filter(|_| frame.alive) {
            frame.suspended = Some(index);
            if is_poll {
                *frame.left.entry(index).or_default() += 1;
            }
            let actor = &mut self.actors[actor];
            for row in &way {
                actor.through[*row].insert(index);
            }
            actor.ways.insert(index, way);
        }
    }

    fn enter(&mut self, machine: &mut Machine, actor: usize, tasks: &mut Vec<TaskInfo>, happened: &mut Vec<Happening>) {
        let Some(at) = machine.register("r0") else { return };
        let index = self.index(machine, actor, at);
        let Some(task) = self.task(machine, actor, at, tasks) else { return };
        let frame = &mut self.frames[task];
        if index.is_some_and(|index| index % 2 == 1) {
            if std::mem::take(&mut frame.alive) {
                happened.push(Happening::Ended(task));
            }
            return;
        }
        frame.begins = index == Some(0);
        frame.way.clear();
        frame.trail.clear();
        if frame.begins || !frame.alive {
            (frame.alive, frame.suspended) = (true, None);
            frame.bytes = self.asked.take().or(frame.bytes);
            happened.push(Happening::Spawned(task));
        }
        let begins = frame.begins;
        if self.polling.begin(machine, task) && !begins {
            happened.push(Happening::PollBegan(task));
        }
    }

    /// The line of the await with this index: the last one on the way to the store of the index that is on the way to no other. The
    /// compiler may merge the ends of several awaits, with that store.
    fn line(&self, actor: usize, index: u16) -> Option<SourceLine> {
        let actor = &self.actors[actor];
        let own = |row: &&usize| actor.through[**row].len() == 1;
        let row = actor.ways.get(&index)?.iter().rev().find(own)?;
        actor.rows.get(*row).map(|(_, line)| line.clone())
    }

    fn told(&self, frame: &Frame, index: u16) -> Await {
        let is_begun = index != UNRESUMED;
        let line = self.line(frame.actor, index).filter(|_| is_begun);
        let name = &self.actors[frame.actor].name;
        let name = match &line {
            // The indexes go up by two from that of a body that has not begun; a frame in memory that is not its own may have any.
            None if is_begun => format!("{name}, await {}", (index / 2).saturating_sub(1)),
            _ => name.clone(),
        };
        let state = if is_begun { AwaitState::Suspended } else { AwaitState::Unresumed };
        Await { name, line, state, bytes: frame.bytes, holds: Vec::new(), awaits: Vec::new() }
    }
}

impl Runtime for Coroutines {
    fn name(&self) -> &'static str {
        "C++20"
    }

    fn watch(&mut self, machine: &mut Machine, _: &mut Vec<TaskInfo>) {
        for actor in &self.actors {
            machine.watch(actor.entry);
            actor.rows.iter().for_each(|(address, _)| machine.watch(*address));
        }
        self.news.iter().chain(&self.destroyers).for_each(|entry| machine.watch(*entry));
        if let Some(queue) = self.queue {
            machine.watch_stores(Address::new(queue)..Address::new(queue.saturating_add(4)));
        }
    }

    fn reached(
        &mut self,
        machine: &mut Machine,
        address: Address,
        tasks: &mut Vec<TaskInfo>,
        happened: &mut Vec<Happening>,
    ) {
        if let Some(task) = self.polling.returned(machine, address) {
            self.leave(machine, task, happened);
        }
        if self.news.contains(&address) {
            self.asked = machine.register("r0");
        }
        if self.destroyers.contains(&address) {
            let at = machine.register("r0");
            for (task, frame) in self.frames.iter_mut().enumerate().filter(|(_, frame)| Some(frame.at) == at) {
                if std::mem::take(&mut frame.alive) {
                    happened.push(Happening::Ended(task));
                }
            }
        }
        if let Some(actor) = self.actors.iter().position(|actor| actor.entry == address) {
            self.enter(machine, actor, tasks, happened);
        } else if let Some(task) = self.polling.innermost(machine) {
            let frame = &mut self.frames[task];
            let row = self.actors[frame.actor].rows.binary_search_by_key(&address, |(address, _)| *address);
            if let Ok(row) = row {
                if frame.trail.len() >= MOST_TRAIL {
                    frame.trail.drain(..MOST_TRAIL / 2);
                }
                frame.trail.push(row);
            }
        }
    }

    fn stored(&mut self, store: Store, happened: &mut Vec<Happening>) {
        let is_word = store.width.bytes() == 4;
        for (task, frame) in self.frames.iter_mut().enumerate().filter(|(_, frame)| frame.alive) {
            // Its end, or another frame in its memory.
            if is_word && store.address.get() == frame.at && store.value & !1 != self.actors[frame.actor].entry.get() {
                (frame.alive, frame.suspended) = (false, None);
                happened.push(Happening::Ended(task));
            } else if self.actors[frame.actor]
                .index
                .is_some_and(|index| store.address.get() == frame.at.wrapping_add(index))
            {
                let more = MOST_TRAIL.saturating_sub(frame.way.len());
                frame.way.extend(frame.trail.drain(..).take(more));
            } else if self.queue == Some(store.address.get()) && store.value == frame.at.wrapping_add(PROMISE) {
                happened.push(Happening::Woken(task));
            }
        }
    }

    /// A frame that is queued before its actor was ever called is known from then on.
    fn stopped(&mut self, machine: &mut Machine, tasks: &mut Vec<TaskInfo>, happened: &mut Vec<Happening>) {
        let Some(queued) = self.queue.and_then(|queue| word(machine, queue)) else { return };
        if std::mem::replace(&mut self.queued, queued) == queued {
            return;
        }
        let at = queued.wrapping_sub(PROMISE);
        let entry = word(machine, at).map(|entry| Address::new(entry & !1));
        let Some(actor) = self.actors.iter().position(|actor| Some(actor.entry) == entry) else { return };
        let Some(task) = self.task(machine, actor, at, tasks) else { return };
        if !std::mem::replace(&mut self.frames[task].alive, true) {
            self.frames[task].bytes = self.asked.take().or(self.frames[task].bytes);
            happened.push(Happening::Spawned(task));
        }
    }

    fn told(&self, task: TaskId) -> Option<Told> {
        let frame = self.frames.get(task)?;
        let awaits = frame.left.iter().map(|(index, times)| (self.told(frame, *index), *times)).collect();
        let suspended = frame.suspended.filter(|_| frame.alive).map(|index| self.told(frame, index));
        Some(Told { bytes: frame.bytes, awaits, suspended })
    }
}

/// The byte offset of the index in the frames of the actor at `entry`: of the first halfword that it reads (Armv7-M Architecture
/// Reference Manual, A7.7.55 LDRH (immediate), encodings T1 and T2).
fn index(image: &Image, entry: Address) -> Option<u32> {
    const INSTRUCTIONS: u32 = 12;
    let halfword = |place: u32| {
        let at = entry.get().checked_add(2 * place)?;
        image.loaded_word(Address::new(at)).map(|word| word & 0xFFFF)
    };
    (0..INSTRUCTIONS).find_map(|place| {
        let code = halfword(place)?;
        match code {
            code if code & 0xF800 == 0x8800 => Some((code >> 6 & 31) * 2),
            code if code & 0xFFF0 == 0xF8B0 => Some(halfword(place + 1)? & 0xFFF),
            _ => None,
        }
    })
}

/// The addresses in `bytes` bytes of code from `entry` on at which another line of the function's own begins, not one of what is
/// inlined into it.
fn rows(image: &Image, entry: Address, bytes: u32) -> Vec<(Address, SourceLine)> {
    let mut rows = Vec::new();
    let mut before = None;
    for place in (0..bytes).step_by(2) {
        let Some(at) = entry.get().checked_add(place).map(Address::new) else { break };
        let frames = image.frames(at);
        // The compiler may inline a part of the function into the rest.
        let own = frames.last().and_then(|whole| frames.iter().find(|frame| frame.function == whole.function));
        let line = own.and_then(|frame| frame.line.clone());
        let number = line.as_ref().map(|line| (line.file.clone(), line.line));
        if before != number {
            before = number;
            rows.extend(line.map(|line| (at, line)));
        }
    }
    rows
}

/// The name of the function in `(anonymous namespace)::app::blink(app::blink()::…Frame*) [clone .actor]`.
fn function(name: &str) -> String {
    const NAMELESS: &str = "(anonymous namespace)::";
    let name = name.replace(NAMELESS, "");
    let name = name.split('(').next().unwrap_or_default();
    name.rsplit("::").next().unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::function;

    #[test]
    fn coroutines_have_the_names_of_their_functions() {
        for (symbol, expect) in [
            ("(anonymous namespace)::count((anonymous namespace)::count()::_Z5countv.Frame*) [clone .actor]", "count"),
            ("app::blink(app::blink(int)::_Z5blinki.Frame*) [clone .actor]", "blink"),
        ] {
            assert_eq!(function(symbol), expect);
        }
    }
}
