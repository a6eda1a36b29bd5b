//! Polls as calls: from the entry of the function that polls to its return.

use cyclescope_chips::Machine;
use cyclescope_machine::CallFrame;
use cyclescope_machine::units::Address;

use super::runtime::TaskId;

/// The greatest number of polls under way. A guest that has more has lost its way.
const MOST: usize = 4_096;

/// The polls under way, the innermost last, with their cores.
#[derive(Debug, Default)]
pub(super) struct Calls {
    open: Vec<(usize, CallFrame, TaskId)>,
}

impl Calls {
    /// The machine stands at the entry of a function that polls `task`, whose return is watched from now on. Returns false if too
    /// many polls are under way.
    pub(super) fn begin(&mut self, machine: &mut Machine, task: TaskId) -> bool {
        let frame = machine.call_frame();
        machine.watch(frame.return_address);
        if self.open.len() >= MOST {
            return false;
        }
        self.open.push((machine.core(), frame, task));
        true
    }

    /// Returns the task that the core at which the machine stands polls, the innermost if there are several.
    pub(super) fn innermost(&self, machine: &Machine) -> Option<TaskId> {
        self.open.iter().rev().find(|(on, ..)| *on == machine.core()).map(|(.., task)| *task)
    }

    /// Returns the task whose poll has returned to `address`, before which the machine stands.
    pub(super) fn returned(&mut self, machine: &Machine, address: Address) -> Option<TaskId> {
        let here = CallFrame { return_address: address, stack_pointer: machine.stack_pointer() };
        let place = self.open.iter().rposition(|(on, frame, _)| (*on, *frame) == (machine.core(), here))?;
        Some(self.open.remove(place).2)
    }
}
