//! The contract between the X-ray and a runtime.

use cyclescope_chips::{Machine, StackUse};
use cyclescope_image::TypeId;
use cyclescope_machine::Width;
use cyclescope_machine::units::{Address, Cycles};

use super::awaits::{Await, Future};
use super::threads::HeldUp;

/// A task as a runtime knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskInfo {
    /// The name that the user gave it.
    pub name: String,
    /// The address by which the runtime knows it.
    pub address: Address,
    /// The type of its future, if it has one.
    pub(super) future: Option<TypeId>,
}

impl TaskInfo {
    /// Returns a task without a type that is known.
    pub fn new(name: String, address: Address) -> Self {
        Self { name, address, future: None }
    }
}

/// A task by its place in the list.
pub type TaskId = usize;

/// A store to one of the words that a runtime watches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    pub(super) address: Address,
    pub(super) width: Width,
    pub(super) value: u32,
}

impl Store {
    /// The byte that it writes to `address`, if it does.
    pub(super) fn byte(self, address: u32) -> Option<u8> {
        let place = address.wrapping_sub(self.address.get());
        (place < self.width.bytes()).then(|| self.value.to_le_bytes()[place as usize])
    }
}

/// The word at `address`, if there is memory.
pub(super) fn word(machine: &Machine, address: u32) -> Option<u32> {
    let mut bytes = [0; 4];
    (machine.peek(Address::new(address), &mut bytes) == 4).then(|| u32::from_le_bytes(bytes))
}

/// Something that a runtime's structures say has happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Happening {
    /// A task began to exist, and is to be polled.
    Spawned(TaskId),
    /// A task that waited is to be polled.
    Woken(TaskId),
    /// The core is about to poll a task.
    PollBegan(TaskId),
    /// A poll has returned; where its future is suspended then, unless it has ended or [`Runtime::left`] tells it.
    PollEnded(TaskId, Option<Future>),
    /// A task's future has ended.
    Ended(TaskId),
    /// The kernel has begun.
    Started,
    /// A thread may run from now on, and does not have to wait for anything.
    Ready(TaskId),
    /// A thread waits, or has ended.
    Unready(TaskId),
    /// A thread runs in the place of another.
    Runs(TaskId),
}

/// The places where a task without types was suspended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    /// The size of its memory, if it is known.
    pub(super) bytes: Option<u32>,
    /// The awaits at which its polls left it, and how often.
    pub(super) awaits: Vec<(Await, u64)>,
    /// The await at which it is suspended now.
    pub(super) suspended: Option<Await>,
}

/// A runtime with tasks, known by its functions and by its structures in memory. It looks at a machine that stands still, and takes
/// none of its time.
pub(super) trait Runtime: std::fmt::Debug {
    /// Its name for people.
    fn name(&self) -> &'static str;

    /// Tells if its tasks are polled; else they are threads.
    fn polls(&self) -> bool {
        true
    }

    /// Watches the instructions and the words by which it knows what happens, and lists the tasks that are known already.
    fn watch(&mut self, machine: &mut Machine, tasks: &mut Vec<TaskInfo>);

    /// The machine stopped before the watched instruction at `address`. New tasks are added to `tasks`.
    fn reached(
        &mut self,
        machine: &mut Machine,
        address: Address,
        tasks: &mut Vec<TaskInfo>,
        happened: &mut Vec<Happening>,
    );

    /// A core stored to a watched word.
    fn stored(&mut self, store: Store, happened: &mut Vec<Happening>);

    /// The machine stopped, perhaps behind a store to a watched word.
    fn stopped(&mut self, _machine: &mut Machine, _tasks: &mut Vec<TaskInfo>, _happened: &mut Vec<Happening>) {}

    /// Returns where tasks are suspended whose polls [`Runtime::stored`] told the end of, which have not been returned yet. No poll of
    /// them has begun since.
    fn left(&mut self, _machine: &Machine) -> Vec<(TaskId, Future)> {
        Vec::new()
    }

    /// Returns where a task was suspended, if its futures have no types by which [`Happening::PollEnded`] could tell.
    fn told(&self, _task: TaskId) -> Option<Told> {
        None
    }

    /// The waits of threads for what others of lower priority hold, up to the end of the run.
    fn held_up(&mut self, _end: Cycles) -> Vec<(TaskId, HeldUp)> {
        Vec::new()
    }

    /// The deepest use of the stacks of threads, as far as it is known.
    fn stacks(&self, _machine: &Machine) -> Vec<(TaskId, StackUse)> {
        Vec::new()
    }
}
