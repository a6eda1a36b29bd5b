//! Embassy's executor, of which each task is a `TaskStorage<F>`: a header with a state word, and the future.
//!
//! A task runs from the entry of `TaskStorage<F>::poll` to its return. A waker sets the bit that says it is queued, and the executor
//! clears it before the poll (embassy-executor 0.7 to 0.10, `raw/mod.rs` and `raw/state_*.rs`).

use std::collections::HashMap;

use cyclescope_chips::Machine;
use cyclescope_image::{Architecture, Image, TypeId, Types};
use cyclescope_machine::units::Address;

use super::awaits;
use super::calls::Calls;
use super::runtime::{Happening, Runtime, Store, TaskId, TaskInfo};
use crate::post_mortem::task::polled::{coroutine, task_of_embassy};

/// The function that polls a task, in the names of symbols.
const STORAGE: &str = "embassy_executor::raw::TaskStorage<";

/// The scope of the executor's types.
const RAW: &str = "embassy_executor::raw::";

/// A bit of a state word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bit {
    byte: usize,
    mask: u8,
}

impl Bit {
    fn of(self, state: &[u8]) -> bool {
        state.get(self.byte).is_some_and(|byte| byte & self.mask != 0)
    }
}

/// The layout of the tasks that run a future.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Storage {
    future: TypeId,
    /// The byte offset of the future in it.
    offset: u32,
    /// The bytes of one task.
    bytes: u32,
}

/// A task's place in memory.
#[derive(Clone, Debug)]
struct Place {
    task: TaskId,
    header: u32,
    storage: Option<Storage>,
    /// The state word as it is known to be.
    state: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Embassy<'i> {
    types: &'i Types<'i>,
    /// The storages by the path of the future's type.
    storages: HashMap<String, Storage>,
    /// The offset and the size of the state word in a header, and its bits.
    state: (u32, usize),
    spawned: Bit,
    queued: Bit,
    /// The functions that poll, with the path of the future's type.
    polls: Vec<(Address, Option<String>)>,
    /// The tasks that lie in static variables: the header's address, the future's path, the name.
    statics: Vec<(u32, String, String)>,
    argument: &'static str,
    /// The part of an address that a pointer lacks.
    pointers_from: u32,
    places: Vec<Place>,
    polling: Calls,
}

/// The greatest number of tasks. A guest that has more has lost its way.
const MOST_TASKS: usize = 4_096;

impl<'i> Embassy<'i> {
    /// Returns the executor of `image`, if it has one.
    pub(super) fn find(image: &Image, types: &'i Types<'i>) -> Option<Self> {
        let header = types.structures().find(|(id, found)| {
            found.name == "TaskHeader" && types.path(*id).starts_with(RAW) && types.member(*id, "state").is_some()
        })?;
        let state = types.member(header.0, "state")?;
        let of = state.of?;
        let bytes = types.size(of)? as usize;
        let own = |name: &str, mask| types.member(of, name).map(|member| Bit { byte: member.offset as usize, mask });
        // Where the core has loads and stores of bytes that exclude others, each bit has a byte; elsewhere they are bits.
        let spawned = own("spawned", 0xFF).unwrap_or(Bit { byte: 0, mask: 1 });
        let queued = own("run_queued", 0xFF).unwrap_or(Bit { byte: 0, mask: 2 });
        let storages = storages(types);
        let (argument, pointers_from) = match image.architecture() {
            Architecture::Avr(_) => ("r24", 0x80_0000),
            Architecture::Riscv => ("a0", 0),
            Architecture::Xtensa => ("a2", 0),
            _ => ("r0", 0),
        };
        let is_poll = |name: &str| name.contains(STORAGE) && name.ends_with("::poll");
        let polls = image.symbols().iter().filter(|symbol| is_poll(symbol.display_name()));
        let mut polls: Vec<_> = polls.map(|symbol| (symbol.address, future_of(image, symbol.address))).collect();
        polls.dedup_by_key(|(address, _)| *address);
        if polls.is_empty() {
            return None;
        }
        Some(Self {
            statics: statics(types, &storages),
            types,
            storages,
            state: (state.offset, bytes),
            spawned,
            queued,
            polls,
            argument,
            pointers_from,
            places: Vec::new(),
            polling: Calls::default(),
        })
    }

    /// Adds the task whose header is at `header`, and watches its state.
    fn add(
        &mut self,
        machine: &mut Machine,
        header: u32,
        path: &str,
        name: String,
        tasks: &mut Vec<TaskInfo>,
    ) -> TaskId {
        let storage = self.storages.get(path).copied();
        let state = header.wrapping_add(self.state.0);
        machine.watch_stores(Address::new(state)..Address::new(state.saturating_add(self.state.1 as u32)));
        let mut known = vec![0; self.state.1];
        machine.peek(Address::new(state), &mut known);
        tasks.push(TaskInfo { name, address: Address::new(header), future: storage.map(|storage| storage.future) });
        let task = tasks.len() - 1;
        self.places.push(Place { task, header, storage, state: known });
        task
    }

    /// The header whose task is about to be polled.
    fn header(&self, machine: &Machine) -> Option<u32> {
        let low = machine.register(self.argument)?;
        let pointer = if self.pointers_from == 0 { low } else { low & 0xFF | (machine.register("r25")? & 0xFF) << 8 };
        Some(pointer | self.pointers_from)
    }
}

impl Runtime for Embassy<'_> {
    fn name(&self) -> &'static str {
        "Embassy"
    }

    fn watch(&mut self, machine: &mut Machine, tasks: &mut Vec<TaskInfo>) {
        for (header, path, name) in std::mem::take(&mut self.statics) {
            self.add(machine, header, &path, name, tasks);
        }
        self.polls.iter().for_each(|(entry, _)| machine.watch(*entry));
    }

    fn reached(
        &mut self,
        machine: &mut Machine,
        address: Address,
        tasks: &mut Vec<TaskInfo>,
        happened: &mut Vec<Happening>,
    ) {
        if let Some(task) = self.polling.returned(machine, address) {
            let mut future = None;
            if let Some(Place { header, storage: Some(storage), .. }) =
                self.places.iter().find(|place| place.task == task)
            {
                let mut state = vec![0; self.state.1];
                machine.peek(Address::new(header.wrapping_add(self.state.0)), &mut state);
                if self.spawned.of(&state) {
                    let at = header.wrapping_add(storage.offset);
                    future = Some(awaits::read(self.types, machine, storage.future, at));
                }
            }
            happened.push(Happening::PollEnded(task, future));
        }
        let Some((_, path)) = self.polls.iter().find(|(entry, _)| *entry == address) else { return };
        let Some(header) = self.header(machine) else { return };
        let task = match self.places.iter().find(|place| place.header == header) {
            Some(place) => place.task,
            None if self.places.len() >= MOST_TASKS => return,
            None => {
                let path = path.clone().unwrap_or_default();
                let name = if path.is_empty() { format!("{header:#010x}") } else { name_of(&path) };
                self.add(machine, header, &path, name, tasks)
            }
        };
        if self.polling.begin(machine, task) {
            happened.push(Happening::PollBegan(task));
        }
    }

    fn stored(&mut self, store: Store, happened: &mut Vec<Happening>) {
        let (offset, bytes) = (self.state.0, self.state.1);
        let at = i64::from(store.address.get());
        for place in &mut self.places {
            let state = i64::from(place.header) + i64::from(offset);
            let mut after = place.state.clone();
            for (number, byte) in (0..).zip(&store.value.to_le_bytes()[..store.width.bytes() as usize]) {
                if let Some(known) = usize::try_from(at + number - state).ok().filter(|known| *known < bytes) {
                    after[known] = *byte;
                }
            }
            let before = std::mem::replace(&mut place.state, after);
            let rose = |bit: Bit| !bit.of(&before) && bit.of(&place.state);
            if rose(self.spawned) {
                happened.push(Happening::Spawned(place.task));
            } else if rose(self.queued) && self.spawned.of(&place.state) {
                happened.push(Happening::Woken(place.task));
            } else if self.spawned.of(&before) && !self.spawned.of(&place.state) {
                happened.push(Happening::Ended(place.task));
            }
        }
    }
}

/// The storages by the path of the future's type.
fn storages(types: &Types<'_>) -> HashMap<String, Storage> {
    let storages = types
        .structures()
        .filter(|(id, found)| found.name.starts_with("TaskStorage<") && types.path(*id).starts_with(RAW));
    let known = storages.filter_map(|(id, _)| {
        let (_, future) = types.parameters(id).iter().find(|(name, _)| *name == "F")?;
        let (offset, bytes) = (types.member(id, "future")?.offset, types.size(id)?);
        Some((types.path(*future), Storage { future: *future, offset, bytes }))
    });
    known.collect()
}

/// The tasks in static variables. The attribute `#[task]` makes a pool of them, whose type names the future or only its size; the
/// function around it tells then.
fn statics(types: &Types<'_>, storages: &HashMap<String, Storage>) -> Vec<(u32, String, String)> {
    let mut found: Vec<(u32, String, String)> = Vec::new();
    for variable in types.statics() {
        let Some(of) = variable.of else { continue };
        let Some(name) = types.get(of).map(|of| of.name) else { continue };
        let path = if let Some((_, future)) = types.parameters(of).iter().find(|(name, _)| *name == "F")
            && (name.starts_with("TaskPool<") || name.starts_with("TaskStorage<"))
        {
            Some(types.path(*future))
        } else if name.starts_with("TaskPoolHolder<") {
            let own = types.static_path(variable);
            let around = own.rsplit_once("::").map_or("", |(around, _)| around);
            let (module, function) = around.rsplit_once("::").unwrap_or(("", around));
            let begin = format!("{module}::__{function}_task::");
            let mut paths: Vec<&String> = storages.keys().filter(|path| path.starts_with(&begin)).collect();
            paths.sort_unstable();
            paths.first().map(|path| (*path).clone())
        } else {
            None
        };
        let Some(path) = path else { continue };
        let (Some(storage), Some(bytes)) = (storages.get(&path), types.size(of)) else { continue };
        let count = bytes.checked_div(storage.bytes).unwrap_or(0).min(MOST_TASKS as u32);
        for number in 0..count {
            let name = name_of(&path);
            let name = if count > 1 { format!("{name}[{number}]") } else { name };
            let header = variable.address.get().wrapping_add(number.wrapping_mul(storage.bytes));
            if found.len() < MOST_TASKS && found.iter().all(|(known, ..)| *known != header) {
                found.push((header, path.clone(), name));
            }
        }
    }
    found.sort_unstable_by_key(|(header, ..)| *header);
    found
}

/// The path of the type of the future that the function at `entry` polls.
fn future_of(image: &Image, entry: Address) -> Option<String> {
    let frames = image.frames(entry);
    let name = frames.last()?.function.as_deref()?;
    Some(name.strip_prefix("poll<")?.strip_suffix('>')?.to_owned())
}

/// The name that the user gave the task whose future has the type `path`.
fn name_of(path: &str) -> String {
    coroutine(path).map_or(path, task_of_embassy).to_owned()
}
