//! lilos, whose tasks are futures in an array that the program hands to `run_tasks`.
//!
//! The executor leaves the array's place in `TASK_FUTURES` for debuggers, then sets the bits of those that are to be polled first in
//! `WAKE_BITS`: bit n is task n's, which a waker sets and the executor clears. Each place of the array has a future's address and its
//! virtual table, in which the function is that polls it (lilos 1.3, `src/exec.rs`).

use cyclescope_chips::Machine;
use cyclescope_image::{Architecture, Image, TypeId, Types};
use cyclescope_machine::units::Address;

use super::awaits;
use super::calls::Calls;
use super::runtime::{Happening, Runtime, Store, TaskId, TaskInfo, word};

const FUTURES: &str = "lilos::exec::TASK_FUTURES";
const BITS: &str = "lilos::exec::WAKE_BITS";

/// The greatest number of tasks. A guest that has more has lost its way.
const MOST_TASKS: u32 = 256;

/// The byte offset of the first method in a virtual table, behind the destructor, the size and the alignment.
const POLL: u32 = 12;

/// The bits of a word.
const WORD_BITS: TaskId = 32;

#[derive(Debug)]
struct Polled {
    /// The future's address.
    at: u32,
    poll: Address,
    future: Option<TypeId>,
}

#[derive(Debug)]
pub(super) struct Lilos<'i> {
    image: &'i Image,
    types: &'i Types<'i>,
    futures: u32,
    bits: u32,
    /// The bits as they are known to be; `None` until tasks are known.
    known: Option<u32>,
    /// The futures by the tasks' numbers.
    tasks: Vec<Polled>,
    polling: Calls,
}

impl<'i> Lilos<'i> {
    /// Returns the executor of `image`, if it has it.
    pub(super) fn find(image: &'i Image, types: &'i Types<'i>) -> Option<Self> {
        if !matches!(image.architecture(), Architecture::Arm) {
            return None;
        }
        let futures = image.find_symbol(FUTURES)?.address.get();
        // The compiler may make a variable of the word in the atomic, with a number behind its name.
        let is_bits = |name: &str| name.strip_prefix(BITS).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        let mut words = image.symbols().iter().filter(|symbol| symbol.size.get() == 4);
        let bits = words.find(|symbol| is_bits(symbol.display_name()))?.address.get();
        Some(Self { image, types, futures, bits, known: None, tasks: Vec::new(), polling: Calls::default() })
    }

    /// Reads the array of futures.
    fn read(&mut self, machine: &mut Machine, tasks: &mut Vec<TaskInfo>) {
        // An `Option` of a pointer with a length: 1, the address and the number.
        let [is_there, array, count] = [0, 4, 8].map(|offset| word(machine, self.futures.wrapping_add(offset)));
        let (Some(1), Some(array), Some(count @ 1..=MOST_TASKS)) = (is_there, array, count) else { return };
        for place in 0..count {
            let entry = array.wrapping_add(8 * place);
            let (Some(at), Some(table)) = (word(machine, entry), word(machine, entry.wrapping_add(4))) else { break };
            let Some(poll) = word(machine, table.wrapping_add(POLL)).map(|poll| Address::new(poll & !1)) else { break };
            let symbol = self.image.function_at(poll).filter(|symbol| symbol.address == poll);
            let function = symbol.map(|symbol| symbol.display_name());
            let future = function.and_then(|name| awaits::polled_by(self.types, name));
            let name = future.map(|future| awaits::name(self.types, future));
            let name = name.or_else(|| function.map(ToOwned::to_owned)).unwrap_or_else(|| format!("{at:#010x}"));
            machine.watch(poll);
            tasks.push(TaskInfo { name, address: Address::new(at), future });
            self.tasks.push(Polled { at, poll, future });
        }
        let names: Vec<String> = tasks.iter().map(|task| task.name.clone()).collect();
        for (place, task) in tasks.iter_mut().enumerate() {
            if names.iter().filter(|name| **name == task.name).count() > 1 {
                task.name = format!("{}[{place}]", names[place]);
            }
        }
    }
}

impl Runtime for Lilos<'_> {
    fn name(&self) -> &'static str {
        "lilos"
    }

    fn watch(&mut self, machine: &mut Machine, _: &mut Vec<TaskInfo>) {
        machine.watch_stores(Address::new(self.bits)..Address::new(self.bits.saturating_add(4)));
    }

    fn reached(
        &mut self,
        machine: &mut Machine,
        address: Address,
        _: &mut Vec<TaskInfo>,
        happened: &mut Vec<Happening>,
    ) {
        if let Some(task) = self.polling.returned(machine, address) {
            let Polled { at, future, .. } = self.tasks[task];
            let future = future.map(|future| awaits::read(self.types, machine, future, at));
            happened.push(Happening::PollEnded(task, future));
        }
        let at = machine.register("r0");
        let is_polled = |polled: &Polled| polled.poll == address && Some(polled.at) == at;
        let Some(task) = self.tasks.iter().position(is_polled) else { return };
        if self.polling.begin(machine, task) {
            happened.push(Happening::PollBegan(task));
        }
    }

    fn stored(&mut self, store: Store, happened: &mut Vec<Happening>) {
        if self.tasks.is_empty() {
            return;
        }
        let before = self.known.unwrap_or(0).to_le_bytes();
        let byte = |place: u32| store.byte(self.bits.wrapping_add(place)).unwrap_or(before[place as usize]);
        let after = u32::from_le_bytes([0, 1, 2, 3].map(byte));
        let rose = after & !u32::from_le_bytes(before);
        let is_first = self.known.replace(after).is_none();
        for task in (0..self.tasks.len()).filter(|task| rose >> (task % WORD_BITS) & 1 == 1) {
            happened.push(if is_first { Happening::Spawned(task) } else { Happening::Woken(task) });
        }
    }

    fn stopped(&mut self, machine: &mut Machine, tasks: &mut Vec<TaskInfo>, _: &mut Vec<Happening>) {
        if self.tasks.is_empty() && word(machine, self.bits).is_some_and(|bits| bits != 0) {
            self.read(machine, tasks);
        }
    }
}
