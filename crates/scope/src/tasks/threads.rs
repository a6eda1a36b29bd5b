//! FreeRTOS, and other kernels whose running thread one word points to.
//!
//! A task is ready while it is in one of FreeRTOS's ready lists, and runs from the store to `pxCurrentTCB` that names it to the store
//! that names another. What a mutex is held by the kernel says; a binary semaphore belongs to the task that took it last.

mod inversions;
mod structures;

use std::collections::BTreeMap;
use std::ops::Range;

use cyclescope_chips::{Machine, StackUse};
use cyclescope_image::{Architecture, Image, Symbol, SymbolKind, Types};
use cyclescope_machine::units::{Address, Cycles};

use self::inversions::Waits;
pub use self::inversions::{HeldUp, LongestWait};
use self::structures::Structures;
use super::runtime::{Happening, Runtime, Store, TaskId, TaskInfo, word};

/// The greatest number of tasks, of items in a list, and of semaphores that are followed.
const MOST: usize = 1_024;

/// The greatest number of words of a stack.
const MOST_WORDS: u32 = 1 << 20;

/// The greatest number of bytes that a kernel lays on a task's stack before it first runs: 17 words of a Cortex-M with an FPU, and
/// what aligns them.
const FIRST_FRAME: u32 = 72;

/// The byte offsets of the first program counter in such a frame: with a word for the exception's return, and without, where the
/// status lies at the former, which is no function's address.
const FIRST_PC: [u32; 2] = [60, 56];

/// On an AVR: behind a free byte, 32 registers and SREG lies the number of the first instruction's word, its high byte first.
const FIRST_PC_OF_AVR: u32 = 34;

/// A task, beside its name.
#[derive(Clone, Copy, Debug)]
struct Thread {
    block: u32,
    /// The words of its stack, if the call that made it was seen.
    words: Option<u32>,
    /// It is in no list, and was in a ready list before: it is moved between them, or begins to wait.
    leaves: bool,
    /// The lowest priority that it had when it ran or was made ready.
    lowest: u32,
}

/// A binary semaphore.
#[derive(Clone, Copy, Debug)]
struct Semaphore {
    queue: u32,
    messages: u32,
    taken_by: Option<TaskId>,
}

/// The structures of FreeRTOS, which another kernel does not have.
#[derive(Debug)]
struct Kernel {
    structures: Structures,
    /// The ready lists.
    lists: Vec<u32>,
    /// The number that tells that the kernel runs.
    started: Option<u32>,
    /// The functions that make tasks.
    makes: Vec<Address>,
    /// The function that takes a semaphore or mutex.
    takes: Option<Address>,
    counts: Vec<u32>,
    /// The members of each list.
    members: Vec<Vec<TaskId>>,
    threads: Vec<Thread>,
    semaphores: Vec<Semaphore>,
    waits: Waits,
    /// The words of the stack that each running task is making a task with.
    depths: BTreeMap<u32, u32>,
    /// The first and second register of arguments.
    arguments: [&'static str; 2],
}

#[derive(Debug)]
pub(super) struct Threads<'i> {
    image: &'i Image,
    name: &'static str,
    /// The word that points to the running thread.
    pointer: u32,
    kernel: Option<Kernel>,
    current: u32,
    /// The kernel has begun, and a task runs.
    begun: bool,
    runs: bool,
    /// The first instruction of the first task.
    first: Option<Address>,
    stacks: Vec<TaskId>,
}

impl<'i> Threads<'i> {
    /// Returns FreeRTOS in `image`, if it has it.
    pub(super) fn freertos(image: &'i Image, types: Option<&Types<'_>>) -> Option<Self> {
        let symbol = |name: &str| image.find_symbol(name).filter(|symbol| !symbol.absolute);
        let pointer = symbol("pxCurrentTCB")?.address.get();
        let lists = symbol("pxReadyTasksLists")?;
        let structures = Structures::new(image.architecture(), lists.size.get(), types);
        let bytes = structures.list_bytes();
        let count = u32::try_from(lists.size.get()).ok()?.checked_div(bytes)?.min(64);
        let function = |name: &str| symbol(name).map(|symbol| symbol.address);
        let kernel = Kernel {
            lists: (0..count).map(|list| lists.address.get().wrapping_add(bytes * list)).collect(),
            started: symbol("xSchedulerRunning").map(|symbol| symbol.address.get()),
            makes: ["xTaskCreate", "xTaskCreateStatic"].into_iter().filter_map(function).collect(),
            takes: function("xQueueSemaphoreTake"),
            counts: vec![0; count as usize],
            members: vec![Vec::new(); count as usize],
            threads: Vec::new(),
            semaphores: Vec::new(),
            waits: Waits::default(),
            depths: BTreeMap::new(),
            arguments: match image.architecture() {
                Architecture::Avr(_) => ["r24", "r20"],
                Architecture::Riscv => ["a0", "a2"],
                Architecture::Xtensa => ["a2", "a4"],
                _ => ["r0", "r2"],
            },
            structures,
        };
        Some(Self { kernel: Some(kernel), ..Self::pointed(image, "FreeRTOS", pointer) })
    }

    /// Returns the kernel `name` of whose threads only the word at `pointer` is known, which points to the running one.
    pub(super) fn pointed(image: &'i Image, name: &'static str, pointer: u32) -> Self {
        Self {
            image,
            name,
            pointer,
            kernel: None,
            current: 0,
            begun: false,
            runs: false,
            first: None,
            stacks: Vec::new(),
        }
    }

    /// The task with the control block at `block`; one that is new is added.
    fn task(&mut self, machine: &mut Machine, block: u32, tasks: &mut Vec<TaskInfo>) -> Option<TaskId> {
        if let Some(known) = tasks.iter().position(|task| task.address.get() == block) {
            return Some(known);
        }
        if tasks.len() >= MOST || machine.peek(Address::new(block), &mut [0; 4]) < 4 {
            return None;
        }
        let name = self.kernel.as_ref().and_then(|kernel| kernel.structures.name(machine, block));
        let name = name.unwrap_or_else(|| format!("{block:#010x}"));
        tasks.push(TaskInfo { name, address: Address::new(block), future: None });
        let task = tasks.len() - 1;
        if let Some(kernel) = &mut self.kernel {
            let words = kernel.depths.remove(if self.begun { &self.current } else { &0 });
            let lowest = kernel.structures.priority(machine, block).unwrap_or(0);
            kernel.threads.push(Thread { block, words, leaves: false, lowest });
            let state = kernel.structures.state_list(block);
            machine.watch_stores(Address::new(state)..Address::new(state.saturating_add(kernel.structures.pointer)));
            if self.begun
                && let Some(stack) = self.stack_of(machine, task)
            {
                machine.watch_stack(&stack);
                self.stacks.push(task);
            }
        }
        Some(task)
    }

    /// The addresses of a task's stack: as its maker said, or as the variable that holds it, or from what lies in it before it runs.
    fn stack_of(&self, machine: &Machine, task: TaskId) -> Option<Range<Address>> {
        let kernel = self.kernel.as_ref().filter(|kernel| kernel.structures.pointer == 4)?;
        let Thread { block, words, .. } = *kernel.threads.get(task)?;
        let from = kernel.structures.stack(machine, block)?;
        let made = words.filter(|words| *words <= MOST_WORDS).map(|words| from.saturating_add(4 * words));
        let variable = || {
            let at = |symbol: &&Symbol| symbol.address.get() == from && symbol.size.get() > 0;
            let variable = self.image.symbols().iter().filter(|symbol| symbol.kind == SymbolKind::Object).find(at)?;
            Some(from.saturating_add(u32::try_from(variable.size.get()).ok()?))
        };
        let told = || kernel.structures.end_of_stack(machine, block).map(|last| last.saturating_add(4));
        let first = || word(machine, block).map(|top| top.saturating_add(FIRST_FRAME) & !7);
        let to = made.or_else(variable).or_else(told).or_else(first)?;
        (from < to).then(|| Address::new(from)..Address::new(to))
    }

    /// The kernel has begun: the stacks of the tasks that are there are watched, and the first one's first instruction.
    fn begin(&mut self, machine: &mut Machine, tasks: &[TaskInfo]) {
        let Some(kernel) = &self.kernel else { return };
        let known = (0..tasks.len()).filter_map(|task| Some((task, self.stack_of(machine, task)?)));
        let (ids, ranges): (Vec<_>, Vec<_>) = known.unzip();
        machine.watch_stacks(&ranges);
        self.stacks = ids;
        let top = kernel.structures.pointer(machine, self.current);
        let function = |pc: u32| {
            let address = Address::new(pc);
            self.image.function_at(address).filter(|symbol| symbol.address == address).map(|_| address)
        };
        self.first = top.and_then(|top| {
            if kernel.structures.pointer == 2 {
                let mut pc = [0; 2];
                machine.peek(Address::new(top.wrapping_add(FIRST_PC_OF_AVR)), &mut pc);
                return function(2 * u32::from(u16::from_be_bytes(pc)));
            }
            let at = |offset: &u32| function(word(machine, top.wrapping_add(*offset))? & !1);
            FIRST_PC.iter().find_map(at)
        });
        if let Some(first) = self.first {
            machine.watch(first);
        }
    }

    fn run(&mut self, machine: &mut Machine, tasks: &mut Vec<TaskInfo>, happened: &mut Vec<Happening>) {
        let Some(task) = self.task(machine, self.current, tasks) else { return };
        self.runs = true;
        if let Some(kernel) = &mut self.kernel {
            kernel.run(machine, task, happened);
        }
        happened.push(Happening::Runs(task));
    }

    /// Sees which tasks came into ready lists and which left them.
    fn lists(&mut self, machine: &mut Machine, tasks: &mut Vec<TaskInfo>, happened: &mut Vec<Happening>) {
        for place in 0..self.kernel.as_ref().map_or(0, |kernel| kernel.lists.len()) {
            let Some(kernel) = &mut self.kernel else { return };
            let (list, structures) = (kernel.lists[place], kernel.structures);
            let items = structures.number(machine, list).unwrap_or(0);
            if std::mem::replace(&mut kernel.counts[place], items) == items {
                continue;
            }
            let blocks = if items == 0 { Vec::new() } else { structures.owners(machine, list, MOST) };
            let members: Vec<_> = blocks.into_iter().filter_map(|block| self.task(machine, block, tasks)).collect();
            let Some(kernel) = &mut self.kernel else { return };
            let before = std::mem::replace(&mut kernel.members[place], members.clone());
            for task in before.iter().filter(|task| !members.contains(task)) {
                kernel.threads[*task].leaves = true;
            }
            for task in members.into_iter().filter(|task| !before.contains(task)) {
                let thread = &mut kernel.threads[task];
                if std::mem::take(&mut thread.leaves) {
                    continue;
                }
                thread.lowest =
                    structures.priority(machine, thread.block).map_or(thread.lowest, |now| now.min(thread.lowest));
                kernel.waits.end(machine.now(), task);
                happened.push(Happening::Ready(task));
            }
        }
    }
}

impl Kernel {
    fn priority(&self, machine: &Machine, task: TaskId) -> u32 {
        self.threads.get(task).and_then(|thread| self.structures.priority(machine, thread.block)).unwrap_or(0)
    }

    /// The priority that a task has by itself.
    fn own_priority(&self, machine: &Machine, task: TaskId) -> u32 {
        let Some(thread) = self.threads.get(task) else { return 0 };
        self.structures.base_priority(machine, thread.block).unwrap_or(thread.lowest)
    }

    fn of_block(&self, block: u32) -> Option<TaskId> {
        self.threads.iter().position(|thread| thread.block == block)
    }

    /// `task` runs in the place of another: what has left a ready list by now waits.
    fn run(&mut self, machine: &Machine, task: TaskId, happened: &mut Vec<Happening>) {
        for task in 0..self.threads.len() {
            self.settle(machine, task, happened);
        }
        let priority = self.priority(machine, task);
        if let Some(thread) = self.threads.get_mut(task) {
            thread.lowest = thread.lowest.min(priority);
        }
        self.waits.run(machine.now(), task, priority);
    }

    /// `task` waits if it has left its ready list.
    fn settle(&mut self, machine: &Machine, task: TaskId, happened: &mut Vec<Happening>) {
        if !std::mem::take(&mut self.threads[task].leaves) {
            return;
        }
        happened.push(Happening::Unready(task));
        if let Some(queue) = self.structures.awaited(machine, self.threads[task].block) {
            self.waits.begin(machine.now(), task, self.own_priority(machine, task), queue);
            self.hold(machine, queue);
        }
    }

    /// Says who holds `queue`, for those that wait for it.
    fn hold(&mut self, machine: &Machine, queue: u32) {
        let holder = self.structures.holder(machine, queue).and_then(|block| self.of_block(block));
        let taken = || self.semaphores.iter().find(|known| known.queue == queue)?.taken_by;
        if let Some(holder) = holder.or_else(taken) {
            self.waits.held(machine.now(), queue, holder, self.own_priority(machine, holder));
        }
    }

    /// Sees which tasks wait, and who takes and gives semaphores.
    fn changed(&mut self, machine: &Machine, current: u32, happened: &mut Vec<Happening>) {
        // The two bytes of an AVR's pointer are stored one after the other.
        let whole = self.structures.pointer == 4;
        for task in 0..self.threads.len() {
            let Thread { block, leaves, .. } = self.threads[task];
            if leaves
                && whole
                && let Some(list) = self.structures.pointer(machine, self.structures.state_list(block))
                && !self.lists.contains(&list)
            {
                self.settle(machine, task, happened);
            }
        }
        for place in 0..self.semaphores.len() {
            let Semaphore { queue, messages, .. } = self.semaphores[place];
            let now = self.structures.number(machine, self.structures.messages(queue)).unwrap_or(0);
            if std::mem::replace(&mut self.semaphores[place].messages, now) != now {
                self.semaphores[place].taken_by = if now < messages { self.of_block(current) } else { None };
                self.hold(machine, queue);
            }
        }
    }

    /// A register of arguments that holds an address or a number.
    fn argument(&self, machine: &Machine, number: usize) -> Option<u32> {
        let low = machine.register(self.arguments[number])?;
        if self.structures.pointer == 4 {
            return Some(low);
        }
        let high = machine.register(if number == 0 { "r25" } else { "r21" })?;
        Some(low & 0xFF | (high & 0xFF) << 8 | if number == 0 { self.structures.from } else { 0 })
    }

    /// The function at `address` is called by `current`: it makes a task, or takes a semaphore.
    fn called(&mut self, machine: &mut Machine, address: Address, current: u32) {
        if self.makes.contains(&address)
            && let Some(words) = self.argument(machine, 1)
        {
            self.depths.insert(current, words);
        }
        if self.takes == Some(address)
            && let Some(queue) = self.argument(machine, 0)
            && self.semaphores.len() < MOST
            && self.semaphores.iter().all(|known| known.queue != queue)
            && self.structures.is_binary(machine, queue)
        {
            let at = self.structures.messages(queue);
            machine.watch_stores(Address::new(at)..Address::new(at.saturating_add(self.structures.number)));
            let messages = self.structures.number(machine, at).unwrap_or(0);
            self.semaphores.push(Semaphore { queue, messages, taken_by: None });
        }
    }
}

impl Runtime for Threads<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn polls(&self) -> bool {
        false
    }

    fn watch(&mut self, machine: &mut Machine, _: &mut Vec<TaskInfo>) {
        let mut watch = |word: u32, bytes: u32| {
            machine.watch_stores(Address::new(word)..Address::new(word.saturating_add(bytes)));
        };
        let Some(kernel) = &self.kernel else { return watch(self.pointer, 4) };
        watch(self.pointer, kernel.structures.pointer);
        kernel.lists.iter().chain(&kernel.started).for_each(|number| watch(*number, kernel.structures.number));
        kernel.makes.iter().chain(&kernel.takes).for_each(|function| machine.watch(*function));
    }

    fn reached(
        &mut self,
        machine: &mut Machine,
        address: Address,
        tasks: &mut Vec<TaskInfo>,
        happened: &mut Vec<Happening>,
    ) {
        if let Some(kernel) = &mut self.kernel {
            kernel.called(machine, address, if self.begun { self.current } else { 0 });
        }
        if self.first == Some(address) && !self.runs {
            self.run(machine, tasks, happened);
        }
    }

    fn stored(&mut self, _: Store, _: &mut Vec<Happening>) {}

    fn stopped(&mut self, machine: &mut Machine, tasks: &mut Vec<TaskInfo>, happened: &mut Vec<Happening>) {
        self.lists(machine, tasks, happened);
        if let Some(kernel) = &mut self.kernel {
            kernel.changed(machine, self.current, happened);
        }
        let started = self.kernel.as_ref().and_then(|kernel| Some((kernel.structures, kernel.started?)));
        let runs =
            started.is_none_or(|(structures, at)| structures.number(machine, at).is_some_and(|started| started != 0));
        let current = match &self.kernel {
            Some(kernel) => kernel.structures.pointer(machine, self.pointer).unwrap_or(0),
            None => word(machine, self.pointer).unwrap_or(0),
        };
        // Half of an AVR's pointer names no task.
        let is_half = |kernel: &Kernel| kernel.structures.pointer == 2 && kernel.of_block(current).is_none();
        if self.kernel.as_ref().is_some_and(is_half) {
            return;
        }
        let is_other = std::mem::replace(&mut self.current, current) != current;
        if !runs || current == 0 {
            return;
        }
        if started.is_some() && !self.begun {
            self.begun = true;
            self.begin(machine, tasks);
            happened.push(Happening::Started);
        } else if is_other {
            self.run(machine, tasks, happened);
        }
    }

    fn stacks(&self, machine: &Machine) -> Vec<(TaskId, StackUse)> {
        self.stacks.iter().copied().zip(machine.stacks_used()).collect()
    }

    fn held_up(&mut self, at: Cycles) -> Vec<(TaskId, HeldUp)> {
        self.kernel.as_mut().map(|kernel| kernel.waits.finish(at)).unwrap_or_default()
    }
}
