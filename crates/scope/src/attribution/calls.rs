//! Who called whom: frames of calls and of interrupted code, and the contexts of tasks that wait.
//!
//! A call remembers where it will return to and the stack pointer it will be left with. A return is recognised by both,
//! whatever instruction did it. So is the way back from an exception, and whoever goes on somewhere else is another task:
//! its frames are looked for among those of the contexts that were left. What fits nothing begins a path of its own.

use super::class::Flow;
use super::tree::PathId;

/// Deeper calls are not followed: what they take counts for the deepest that is. A bound for hostile guests.
pub(super) const DEEPEST: usize = 1024;

/// The most contexts that wait; the one that has waited longest is forgotten first.
const MOST_PARKED: usize = 256;

/// What an instruction has left to be done when the next one retires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pending {
    pub(super) flow: Flow,
    /// Where a call that is under way will return to.
    pub(super) return_address: u32,
    /// The stack pointer before the call.
    pub(super) stack_pointer: u32,
}

/// Where to go on with which path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) pc: u32,
    /// Where else: behind the instruction at `pc`, where that may have raised the exception and is not done again.
    pub(super) behind: u32,
    pub(super) stack_pointer: u32,
    pub(super) path: PathId,
    /// Of code that an exception interrupted: what was under way.
    pub(super) interrupted: Option<Pending>,
}

impl Frame {
    fn is(&self, pc: u32, stack_pointer: u32) -> bool {
        self.pc == pc && self.stack_pointer == stack_pointer
    }

    /// Whether what was left at it may go on at `pc`.
    fn goes_on(&self, pc: u32, stack_pointer: u32) -> bool {
        (self.pc == pc || self.behind == pc) && self.stack_pointer == stack_pointer
    }
}

/// One task's frames.
#[derive(Debug, Default)]
struct Context {
    frames: Vec<Frame>,
    /// No frame has a stack pointer below this.
    lowest: u32,
    /// Calls that are under way behind the deepest frame.
    unfollowed: u64,
}

/// The frames of what runs, and of what waits.
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

    /// A call or an interruption. `false` if it is not followed.
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

    /// The caller that a return to `pc` goes back to, if it is the latest one.
    #[inline(always)]
    pub(super) fn pop_latest(&mut self, pc: u32, stack_pointer: u32) -> Option<PathId> {
        let frames = &mut self.current.frames;
        let latest = frames.last().filter(|frame| frame.is(pc, stack_pointer) && frame.interrupted.is_none())?;
        let path = latest.path;
        frames.pop();
        Some(path)
    }

    /// The caller that a return to `pc` goes back to with another stack pointer: of a helper that makes room.
    pub(super) fn pop_making_room(&mut self, pc: u32) -> Option<PathId> {
        let latest = self.current.frames.pop_if(|frame| frame.pc == pc && frame.interrupted.is_none())?;
        Some(latest.path)
    }

    /// The caller that a jump goes back to elsewhere than behind its call (a table of cases by way of a helper, `longjmp`): the
    /// latest with that stack pointer whose path `holds` the place.
    pub(super) fn go_back_elsewhere(&mut self, stack_pointer: u32, holds: impl Fn(PathId) -> bool) -> Option<PathId> {
        let frames = &mut self.current.frames;
        let handler = frames.iter().rposition(|frame| frame.interrupted.is_some()).map_or(0, |place| place + 1);
        let of_it =
            frames[handler..].iter().rposition(|frame| frame.stack_pointer == stack_pointer && holds(frame.path))?;
        let path = frames[handler + of_it].path;
        frames.truncate(handler + of_it);
        Some(path)
    }

    /// Whether a return that leaves the stack pointer as given is one of a call that was not followed.
    pub(super) fn returns_unfollowed(&mut self, stack_pointer: u32) -> bool {
        let Context { lowest, unfollowed, .. } = &mut self.current;
        let returns = *unfollowed > 0 && stack_pointer <= *lowest;
        *unfollowed = if returns { *unfollowed - 1 } else { 0 };
        returns
    }

    /// The frame that a jump to `pc` goes back to: of this context, or of one that waits, which then takes this one's
    /// place.
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

    /// Leaves this context for one that has no frames yet.
    pub(super) fn begin(&mut self) {
        self.park();
        self.current = Context::default();
    }

    /// An exception returns to something else than it interrupted: what it interrupted waits, and its handler's frames
    /// are gone.
    pub(super) fn leave_handler(&mut self) {
        let frames = &mut self.current.frames;
        if let Some(place) = frames.iter().rposition(|frame| frame.interrupted.is_some()) {
            frames.truncate(place + 1);
        }
    }

    fn park(&mut self) {
        let context = std::mem::take(&mut self.current);
        let Some(top) = context.frames.last() else { return };
        // Two contexts that go on alike cannot both be there: the older one is gone.
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

    /// However deep it goes, each return costs the same, and the frames that were followed are found again.
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
