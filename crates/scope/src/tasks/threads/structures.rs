//! The places of members in FreeRTOS's structures.
//!
//! They lie as in tasks.c, list.c and queue.c of V10 and V11 where no MPU is used and lists are not checked. Full debug information
//! says where a kernel that is configured otherwise has the members of control blocks and queues.

use cyclescope_chips::Machine;
use cyclescope_image::{Architecture, Types};
use cyclescope_machine::units::Address;

const CONTROL_BLOCK: &str = "tskTaskControlBlock";
const QUEUE: &str = "QueueDefinition";

/// The bytes of a task's name that are read.
const LONGEST: usize = 16;

/// The part of an AVR's address that a pointer lacks.
const DATA_SPACE: u32 = 0x80_0000;

/// Byte offsets in the kernel's structures, and the widths of its types.
#[derive(Clone, Copy, Debug)]
pub(super) struct Structures {
    /// The bytes of a pointer.
    pub(super) pointer: u32,
    /// Those of `UBaseType_t`.
    pub(super) number: u32,
    /// Those of a tick count with what aligns the pointer behind it.
    tick: u32,
    /// The part of an address that a pointer lacks.
    pub(super) from: u32,
    // In a control block.
    state: u32,
    event: u32,
    priority: u32,
    stack: u32,
    name: u32,
    end_of_stack: Option<u32>,
    base_priority: Option<u32>,
    // In a queue.
    waiting_to_receive: u32,
    messages: u32,
}

impl Structures {
    /// The structures for `architecture`, where `lists` bytes of ready lists tell of a tick count's width, and `types` of the rest.
    pub(super) fn new(architecture: Architecture, lists: u64, types: Option<&Types<'_>>) -> Self {
        let is_avr = matches!(architecture, Architecture::Avr(_));
        let (pointer, number, from) = if is_avr { (2, 1, DATA_SPACE) } else { (4, 4, 0) };
        // Lists of 9 bytes have ticks of 16 bits, those of 11 bytes ticks of 32.
        let tick = if is_avr && lists.is_multiple_of(9) { 2 } else { 4 };
        let structure = |name: &str| types.and_then(|types| types.structure(name).map(|id| (types, id)));
        let offset = |of: Option<(&Types<'_>, _)>, member: &str| {
            of.and_then(|(types, id)| types.member(id, member)).map(|member| member.offset)
        };
        let (block, queue) = (structure(CONTROL_BLOCK), structure(QUEUE));
        let own = |member: &str| offset(block, member);
        let [item, list] = [tick + 4 * pointer, number + tick + 3 * pointer];
        let state = own("xStateListItem").unwrap_or(pointer);
        let event = own("xEventListItem").unwrap_or(state + item);
        let priority = own("uxPriority").unwrap_or(event + item);
        let stack = own("pxStack").unwrap_or(priority + number);
        let waiting_to_receive = offset(queue, "xTasksWaitingToReceive").unwrap_or(4 * pointer + list);
        Self {
            pointer,
            number,
            tick,
            from,
            state,
            event,
            priority,
            stack,
            name: own("pcTaskName").unwrap_or(stack + pointer),
            end_of_stack: own("pxEndOfStack"),
            base_priority: own("uxBasePriority"),
            waiting_to_receive,
            messages: offset(queue, "uxMessagesWaiting").unwrap_or(waiting_to_receive + list),
        }
    }

    /// The bytes of a list.
    pub(super) fn list_bytes(&self) -> u32 {
        self.number + self.tick + 3 * self.pointer
    }

    fn read(machine: &Machine, address: u32, width: u32) -> Option<u32> {
        let mut bytes = [0; 4];
        let width = width.min(4) as usize;
        (machine.peek(Address::new(address), &mut bytes[..width]) == width).then(|| u32::from_le_bytes(bytes))
    }

    /// The address in the pointer at `address`; `None` for none.
    pub(super) fn pointer(&self, machine: &Machine, address: u32) -> Option<u32> {
        Self::read(machine, address, self.pointer).filter(|to| *to != 0).map(|to| to | self.from)
    }

    /// The number of the kernel's own type at `address`.
    pub(super) fn number(&self, machine: &Machine, address: u32) -> Option<u32> {
        Self::read(machine, address, self.number)
    }

    /// The owners of the items in the list at `list`, up to `most`.
    pub(super) fn owners(&self, machine: &Machine, list: u32, most: usize) -> Vec<u32> {
        let end = list.wrapping_add(self.number + self.pointer);
        let next = |item: u32| self.pointer(machine, item.wrapping_add(self.tick));
        let items = std::iter::successors(next(end), |at| next(*at)).take_while(|at| *at != end).take(most);
        items.filter_map(|at| self.pointer(machine, at.wrapping_add(self.tick + 2 * self.pointer))).collect()
    }

    fn container(&self, item: u32) -> u32 {
        item.wrapping_add(self.tick + 3 * self.pointer)
    }

    /// The place of the pointer to the list that says what state the task with the control block at `block` is in.
    pub(super) fn state_list(&self, block: u32) -> u32 {
        self.container(block.wrapping_add(self.state))
    }

    /// The queue or semaphore that the task waits to receive from, if it waits for one.
    pub(super) fn awaited(&self, machine: &Machine, block: u32) -> Option<u32> {
        let list = self.pointer(machine, self.container(block.wrapping_add(self.event)))?;
        list.checked_sub(self.waiting_to_receive)
    }

    /// The holder's control block, if `queue` is a mutex: then it has no place for messages.
    pub(super) fn holder(&self, machine: &Machine, queue: u32) -> Option<u32> {
        let is_mutex = Self::read(machine, queue, self.pointer)? == 0 && self.length(machine, queue)? == 1;
        self.pointer(machine, queue.wrapping_add(2 * self.pointer)).filter(|_| is_mutex)
    }

    /// The most messages that a queue holds.
    fn length(&self, machine: &Machine, queue: u32) -> Option<u32> {
        self.number(machine, queue.wrapping_add(self.messages + self.number))
    }

    /// Tells if `queue` is a binary semaphore, and no mutex.
    pub(super) fn is_binary(&self, machine: &Machine, queue: u32) -> bool {
        let size = self.number(machine, queue.wrapping_add(self.messages + 2 * self.number));
        let head = self.pointer(machine, queue);
        head.is_some() && self.length(machine, queue) == Some(1) && size == Some(0)
    }

    /// The place of the number of messages in a queue.
    pub(super) fn messages(&self, queue: u32) -> u32 {
        queue.wrapping_add(self.messages)
    }

    /// A task's priority, with what it inherits.
    pub(super) fn priority(&self, machine: &Machine, block: u32) -> Option<u32> {
        self.number(machine, block.wrapping_add(self.priority))
    }

    /// A task's priority without what it inherits, if it is told.
    pub(super) fn base_priority(&self, machine: &Machine, block: u32) -> Option<u32> {
        self.number(machine, block.wrapping_add(self.base_priority?))
    }

    /// The lowest address of a task's stack.
    pub(super) fn stack(&self, machine: &Machine, block: u32) -> Option<u32> {
        self.pointer(machine, block.wrapping_add(self.stack))
    }

    /// The highest word of a task's stack, if the kernel keeps it.
    pub(super) fn end_of_stack(&self, machine: &Machine, block: u32) -> Option<u32> {
        self.pointer(machine, block.wrapping_add(self.end_of_stack?))
    }

    /// The name that the user gave a task.
    pub(super) fn name(&self, machine: &Machine, block: u32) -> Option<String> {
        let mut bytes = [0; LONGEST];
        let read = machine.peek(Address::new(block.wrapping_add(self.name)), &mut bytes);
        let text = bytes.get(..read)?.split(|byte| *byte == 0).next()?;
        let text = std::str::from_utf8(text).ok()?;
        let is_text = !text.is_empty() && text.chars().all(|letter| letter.is_ascii_graphic() || letter == ' ');
        is_text.then(|| text.to_owned())
    }
}
