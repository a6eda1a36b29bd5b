//! The call stack: frames of calls and of interrupted code, and the contexts of tasks that wait.
//!
//! A call records its return address and the stack pointer before it. Both together identify a return, whatever
//! instruction performs it. The same holds for an exception return. If an exception returns to other code than it
//! interrupted, the kernel switched tasks: the frames of the new task are looked up among the parked contexts. Code
//! that matches no frame starts a new path at the root.

use super::class::Flow;
use super::tree::PathId;

/// The greatest call depth that is followed. Deeper calls count for the deepest frame. The limit bounds memory for
/// hostile guests.
pub(super) const DEEPEST: usize = 1024;

/// The most parked contexts. The oldest is dropped first.
const MOST_PARKED: usize = 256;

/// Work that an instruction leaves until the next one retires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pending {
    pub(super) flow: Flow,
    /// The return address of a call under way.
    pub(super) return_address: u32,
    /// The stack pointer before the call.
    pub(super) stack_pointer: u32,
}

/// A saved position and path to resume.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) pc: u32,
    /// A second resume address: the next instruction after `pc`, for an instruction at `pc` that raised the exception
    /// and is not repeated.
    pub(super) behind: u32,
    pub(super) stack_pointer: u32,
    pub(super) path: PathId,
    /// For code that an exception interrupted: its pending work.
    pub(super) interrupted: Option<Pending>,
}

impl Frame {
    fn is(&self, pc: u32, stack_pointer: u32) -> bool {
        self.pc == pc && self.stack_pointer == stack_pointer
    }

    /// Tells if the code saved in the frame may resume at `pc`.
    fn goes_on(&self, pc: u32, stack_pointer: u32) -> bool {
        (self.pc == pc || self.behind == pc) && self.stack_pointer == stack_pointer
    }
}

/// The frames of one task.
#[derive(Debug, Default)]
struct Context {
    frames: Vec<Frame>,
    /// A lower bound of the stack pointers of all frames.
    lowest: u32,
    /// The number of open calls below the deepest frame, which are not followed.
    unfollowed: u64,
}

/// The frames of the running context and of the parked ones.
#[derive(Debug, Default)]
pub(super) struct Calls {
    current: Context,
    parked: Vec<Context>,
}

impl Calls {
    pub(super) fn clear(&mut self) {
        self.current = Context::default();
        self.parked.clear();
    }

    /// Pushes the frame of a call or an interruption. Returns `false` if the depth limit is reached.
    pub(super) fn push(&mut self, frame: Frame) -> bool {
        let Context { frames, lowest, unfollowed } = &mut self.current;
        if frames.len() == DEEPEST {
            *unfollowed += 1;
            return false;
        }
        *lowest = if frames.is_empty() { frame.stack_pointer } else { frame.stack_pointer.min(*lowest) };
        frames.push(frame);
        *unfollowed = 0;
        true
    }

    /// Pops the latest frame if a return to `pc` matches it, and returns the caller's path.
    #[inline(always)]
    pub(super) fn pop_latest(&mut self, pc: u32, stack_pointer: u32) -> Option<PathId> {
        let frames = &mut self.current.frames;
        let latest = frames.last().filter(|frame| frame.is(pc, stack_pointer) && frame.interrupted.is_none())?;
        let path = latest.path;
        frames.pop();
        Some(path)
    }

    /// Pops the latest frame if its return address is `pc` and only the stack pointer differs, as for helpers that
    /// reserve stack space. Returns the caller's path.
    pub(super) fn pop_making_room(&mut self, pc: u32) -> Option<PathId> {
        let latest = self.current.frames.pop_if(|frame| frame.pc == pc && frame.interrupted.is_none())?;
        Some(latest.path)
    }

    /// Finds the frame for a jump that returns elsewhere than behind its call (a case table through a helper,
    /// `longjmp`): the latest one with this stack pointer whose path `holds` the target. Pops it and returns its path.
    pub(super) fn go_back_elsewhere(&mut self, stack_pointer: u32, holds: impl Fn(PathId) -> bool) -> Option<PathId> {
        let frames = &mut self.current.frames;
        let handler = frames.iter().rposition(|frame| frame.interrupted.is_some()).map_or(0, |place| place + 1);
        let of_it =
            frames[handler..].iter().rposition(|frame| frame.stack_pointer == stack_pointer && holds(frame.path))?;
        let path = frames[handler + of_it].path;
        frames.truncate(handler + of_it);
        Some(path)
    }

    /// Tells if a return with this stack pointer belongs to a call that was not followed.
    pub(super) fn returns_unfollowed(&mut self, stack_pointer: u32) -> bool {
        let Context { lowest, unfollowed, .. } = &mut self.current;
        let returns = *unfollowed > 0 && stack_pointer <= *lowest;
        *unfollowed = if returns { *unfollowed - 1 } else { 0 };
        returns
    }

    /// Finds the frame that a jump to `pc` resumes, in this context or in a parked one. A parked context then becomes
    /// the running one, and this one is parked.
    pub(super) fn go_back(&mut self, pc: u32, stack_pointer: u32) -> Option<Frame> {
        let Context { frames, lowest, .. } = &mut self.current;
        if stack_pointer >= *lowest
            && let Some(place) = frames.iter().rposition(|frame| frame.goes_on(pc, stack_pointer))
        {
            let frame = frames[place];
            frames.truncate(place);
            return Some(frame);
        }
        let waits = |context: &Context| context.frames.last().is_some_and(|frame| frame.goes_on(pc, stack_pointer));
        let place = self.parked.iter().rposition(waits)?;
        let found = self.parked.remove(place);
        self.park();
        self.current = found;
        self.current.frames.pop()
    }

    /// Parks this context and starts one without frames.
    pub(super) fn begin(&mut self) {
        self.park();
        self.current = Context::default();
    }

    /// Parks the interrupted code and drops the handler's frames, because the exception returns to other code.
    pub(super) fn leave_handler(&mut self) {
        let frames = &mut self.current.frames;
        if let Some(place) = frames.iter().rposition(|frame| frame.interrupted.is_some()) {
            frames.truncate(place + 1);
        }
    }

    fn park(&mut self) {
        let context = std::mem::take(&mut self.current);
        let Some(top) = context.frames.last() else { return };
        // Two contexts cannot resume at the same place with the same stack: drop the older one.
        self.parked.retain(|other| !other.frames.last().is_some_and(|frame| frame.is(top.pc, top.stack_pointer)));
        if self.parked.len() == MOST_PARKED {
            self.parked.remove(0);
        }
        self.parked.push(context);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(depth: u32) -> Frame {
        let pc = 0x100 + 2 * (depth % 2);
        Frame { pc, behind: pc, stack_pointer: 0x1000_0000 - 16 * depth, path: depth, interrupted: None }
    }

    /// Returns from unfollowed calls cost constant time, and the followed frames are found again.
    #[test]
    fn calls_too_deep_to_be_followed_return_one_by_one() {
        const DEPTH: u32 = 1_000_000;
        let mut calls = Calls::default();
        let followed = (0..DEPTH).filter(|depth| calls.push(call(*depth))).count();
        assert_eq!(followed, DEEPEST);
        for depth in (0..DEPTH).rev() {
            let Frame { pc, stack_pointer, .. } = call(depth);
            match calls.pop_latest(pc, stack_pointer) {
                Some(path) => assert_eq!(path, depth),
                None => assert!(calls.returns_unfollowed(stack_pointer) && depth >= DEEPEST as u32, "{depth}"),
            }
        }
        assert!(calls.go_back(0x100, 0x1000_0000).is_none() && calls.current.frames.is_empty());
    }
}
