//! FreeRTOS, and other kernels whose running thread one word points to.
//!
//! FreeRTOS's control blocks and lists lie as in tasks.c and list.c of V10 and V11 where no MPU is used and lists are not checked; full
//! debug information says where a kernel that is configured otherwise has them. A task is ready while it is in one of the ready
//! lists, and runs from the store to `pxCurrentTCB` that names it to the store that names another.

use cyclescope_chips::{Machine, StackUse};
use cyclescope_image::{Architecture, Image, Types};
use cyclescope_machine::units::Address;

use super::runtime::{Happening, Runtime, Store, TaskId, TaskInfo};

const CONTROL_BLOCK: &str = "tskTaskControlBlock";

/// The bytes of a task's name that are read.
const LONGEST: usize = 16;

/// The greatest number of tasks, and of items in a list, that are followed.
const MOST: usize = 1_024;

/// Byte offsets in a list and its items.
const LIST_BYTES: u32 = 20;
const LIST_END: u32 = 8;
const NEXT: u32 = 4;
const OWNER: u32 = 12;

/// The greatest number of bytes that a kernel lays on a task's stack before it first runs: 17 words of a Cortex-M with an FPU, and
/// what aligns them.
const FIRST_FRAME: u32 = 72;

/// The byte offsets of the first program counter in such a frame: with a word for the exception's return, and without, where the
/// status lies at the former, which is no function's address.
const FIRST_PC: [u32; 2] = [60, 56];

/// Byte offsets in a control block.
#[derive(Clone, Copy, Debug)]
struct Offsets {
    stack: u32,
    name: u32,
    end_of_stack: Option<u32>,
}

#[derive(Debug)]
pub(super) struct Threads<'i> {
    image: &'i Image,
    name: &'static str,
    /// The word that points to the running thread.
    pointer: u32,
    /// The ready lists: the first one's address and their number.
    lists: Option<(u32, u32)>,
    /// The word that tells that the kernel runs.
    started: Option<u32>,
    offsets: Option<Offsets>,
    counts: Vec<u32>,
    /// The members of each list.
    members: Vec<Vec<TaskId>>,
    current: u32,
    /// The kernel has begun, and a task runs.
    begun: bool,
    runs: bool,
    /// The first instruction of the first task.
    first: Option<Address>,
    stacks: Vec<TaskId>,
}

fn word(machine: &Machine, address: u32) -> Option<u32> {
    let mut bytes = [0; 4];
    (machine.peek(Address::new(address), &mut bytes) == 4).then(|| u32::from_le_bytes(bytes))
}

impl<'i> Threads<'i> {
    /// Returns FreeRTOS in `image`, if it has it.
    pub(super) fn freertos(image: &'i Image, types: Option<&Types<'_>>) -> Option<Self> {
        if matches!(image.architecture(), Architecture::Avr(_)) {
            return None;
        }
        let symbol = |name: &str| image.symbol(name).ok().filter(|symbol| !symbol.absolute);
        let pointer = symbol("pxCurrentTCB")?.address.get();
        let lists = symbol("pxReadyTasksLists")?;
        let count = u32::try_from(lists.size.get()).ok()?.checked_div(LIST_BYTES)?.min(64);
        let block = types.and_then(|types| types.structure(CONTROL_BLOCK).map(|id| (types, id)));
        let own = |member: &str| block.and_then(|(types, id)| types.member(id, member)).map(|member| member.offset);
        let offsets = Offsets {
            stack: own("pxStack").unwrap_or(48),
            name: own("pcTaskName").unwrap_or(52),
            end_of_stack: own("pxEndOfStack"),
        };
        Some(Self {
            lists: Some((lists.address.get(), count)),
            started: symbol("xSchedulerRunning").map(|symbol| symbol.address.get()),
            offsets: Some(offsets),
            counts: vec![0; count as usize],
            members: vec![Vec::new(); count as usize],
            ..Self::pointed(image, "FreeRTOS", pointer)
        })
    }

    /// Returns the kernel `name` of whose threads only the word at `pointer` is known, which points to the running one.
    pub(super) fn pointed(image: &'i Image, name: &'static str, pointer: u32) -> Self {
        Self {
            image,
            name,
            pointer,
            lists: None,
            started: None,
            offsets: None,
            counts: Vec::new(),
            members: Vec::new(),
            current: 0,
            begun: false,
            runs: false,
            first: None,
            stacks: Vec::new(),
        }
    }

    /// The task with the control block at `block`; one that is new is added.
    fn task(&self, machine: &Machine, block: u32, tasks: &mut Vec<TaskInfo>) -> Option<TaskId> {
        if let Some(known) = tasks.iter().position(|task| task.address.get() == block) {
            return Some(known);
        }
        if tasks.len() >= MOST || word(machine, block).is_none() {
            return None;
        }
        let name = self.offsets.and_then(|offsets| {
            let mut bytes = [0; LONGEST];
            let read = machine.peek(Address::new(block.wrapping_add(offsets.name)), &mut bytes);
            let text = bytes.get(..read)?.split(|byte| *byte == 0).next()?;
            let text = std::str::from_utf8(text).ok()?;
            let is_text = !text.is_empty() && text.chars().all(|letter| letter.is_ascii_graphic() || letter == ' ');
            is_text.then(|| text.to_owned())
        });
        let name = name.unwrap_or_else(|| format!("{block:#010x}"));
        tasks.push(TaskInfo { name, address: Address::new(block), future: None });
        Some(tasks.len() - 1)
    }

    /// The tasks in the list at `list`.
    fn listed(&self, machine: &Machine, list: u32, tasks: &mut Vec<TaskInfo>) -> Vec<TaskId> {
        let end = list.wrapping_add(LIST_END);
        let mut found = Vec::new();
        let mut item = word(machine, end.wrapping_add(NEXT));
        while let Some(at) = item.filter(|at| *at != end && found.len() < MOST) {
            let owner = word(machine, at.wrapping_add(OWNER)).filter(|owner| *owner != 0);
            found.extend(owner.and_then(|owner| self.task(machine, owner, tasks)));
            item = word(machine, at.wrapping_add(NEXT)).filter(|next| *next != at);
        }
        found
    }

    /// The kernel has begun: the stacks of the tasks that are there are watched, and the first one's first instruction.
    fn begin(&mut self, machine: &mut Machine, tasks: &[TaskInfo]) {
        let Some(offsets) = self.offsets else { return };
        let mut ranges = Vec::new();
        for (id, task) in tasks.iter().enumerate() {
            let block = task.address.get();
            let from = word(machine, block.wrapping_add(offsets.stack));
            let told = offsets.end_of_stack.and_then(|end| word(machine, block.wrapping_add(end)));
            let first = word(machine, block).map(|top| top.saturating_add(FIRST_FRAME) & !7);
            if let (Some(from), Some(to)) = (from, told.map(|last| last.saturating_add(4)).or(first))
                && from < to
            {
                ranges.push(Address::new(from)..Address::new(to));
                self.stacks.push(id);
            }
        }
        machine.watch_stacks(&ranges);
        let top = word(machine, self.current);
        let code = FIRST_PC.iter().filter_map(|offset| {
            let address = Address::new(word(machine, top?.wrapping_add(*offset))? & !1);
            self.image.function_at(address).filter(|symbol| symbol.address == address).map(|_| address)
        });
        self.first = code.into_iter().next();
        if let Some(first) = self.first {
            machine.watch(first);
        }
    }

    fn run(&mut self, machine: &Machine, tasks: &mut Vec<TaskInfo>, happened: &mut Vec<Happening>) {
        if let Some(task) = self.task(machine, self.current, tasks) {
            self.runs = true;
            happened.push(Happening::Runs(task));
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
        let counts = self.lists.map(|(first, count)| (0..count).map(move |list| first.wrapping_add(LIST_BYTES * list)));
        let words = [Some(self.pointer), self.started].into_iter().flatten().chain(counts.into_iter().flatten());
        for word in words {
            machine.watch_stores(Address::new(word)..Address::new(word.saturating_add(4)));
        }
    }

    fn reached(
        &mut self,
        machine: &mut Machine,
        address: Address,
        tasks: &mut Vec<TaskInfo>,
        happened: &mut Vec<Happening>,
    ) {
        if self.first == Some(address) && !self.runs {
            self.run(machine, tasks, happened);
        }
    }

    fn stored(&mut self, _: Store, _: &mut Vec<Happening>) {}

    fn stopped(&mut self, machine: &mut Machine, tasks: &mut Vec<TaskInfo>, happened: &mut Vec<Happening>) {
        if let Some((first, count)) = self.lists {
            for (place, list) in (0..count).map(|list| (list as usize, first.wrapping_add(LIST_BYTES * list))) {
                let items = word(machine, list).unwrap_or(0);
                if std::mem::replace(&mut self.counts[place], items) == items {
                    continue;
                }
                let members = if items == 0 { Vec::new() } else { self.listed(machine, list, tasks) };
                let before = std::mem::replace(&mut self.members[place], members);
                let now = &self.members[place];
                happened.extend(before.iter().filter(|task| !now.contains(task)).map(|task| Happening::Unready(*task)));
                happened.extend(now.iter().filter(|task| !before.contains(task)).map(|task| Happening::Ready(*task)));
            }
        }
        let started = self.started.is_none_or(|started| word(machine, started).is_some_and(|started| started != 0));
        let current = word(machine, self.pointer).unwrap_or(0);
        let is_other = std::mem::replace(&mut self.current, current) != current;
        if !started || current == 0 {
            return;
        }
        if self.started.is_some() && !self.begun {
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
}
