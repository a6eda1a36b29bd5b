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
    pub(super) stack_pointer: u32,
    pub(super) path: PathId,
    /// Of code that an exception interrupted: what was under way.
    pub(super) interrupted: Option<Pending>,
}

impl Frame {
    fn is(&self, pc: u32, stack_pointer: u32) -> bool {
        self.pc == pc && self.stack_pointer == stack_pointer
    }
}

/// The frames of what runs, and of what waits.
#[derive(Debug, Default)]
pub(super) struct Calls {
    frames: Vec<Frame>,
    parked: Vec<Vec<Frame>>,
}

impl Calls {
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.parked.clear();
    }

    /// A call or an interruption. `false` if it is not followed.
    pub(super) fn push(&mut self, frame: Frame) -> bool {
        let room = self.frames.len() < DEEPEST;
        if room {
            self.frames.push(frame);
        }
        room
    }

    /// The caller that a return to `pc` goes back to, if it is the latest one.
    #[inline(always)]
    pub(super) fn pop_latest(&mut self, pc: u32, stack_pointer: u32) -> Option<PathId> {
        let latest = self.frames.last().filter(|frame| frame.is(pc, stack_pointer) && frame.interrupted.is_none())?;
        let path = latest.path;
        self.frames.pop();
        Some(path)
    }

    /// The frame that a jump to `pc` goes back to: of this context, or of one that waits, which then takes this one's
    /// place.
    pub(super) fn go_back(&mut self, pc: u32, stack_pointer: u32) -> Option<Frame> {
        if let Some(place) = self.frames.iter().rposition(|frame| frame.is(pc, stack_pointer)) {
            let frame = self.frames[place];
            self.frames.truncate(place);
            return Some(frame);
        }
        let waits = |frames: &Vec<Frame>| frames.last().is_some_and(|frame| frame.is(pc, stack_pointer));
        let place = self.parked.iter().rposition(waits)?;
        let found = self.parked.remove(place);
        self.park();
        self.frames = found;
        self.frames.pop()
    }

    /// Leaves this context for one that has no frames yet.
    pub(super) fn begin(&mut self) {
        self.park();
        self.frames = Vec::new();
    }

    /// An exception returns to something else than it interrupted: what it interrupted waits, and its handler's frames
    /// are gone.
    pub(super) fn leave_handler(&mut self) {
        if let Some(place) = self.frames.iter().rposition(|frame| frame.interrupted.is_some()) {
            self.frames.truncate(place + 1);
        }
    }

    fn park(&mut self) {
        let frames = std::mem::take(&mut self.frames);
        let Some(top) = frames.last() else { return };
        // Two contexts that go on alike cannot both be there: the older one is gone.
        self.parked.retain(|other| !other.last().is_some_and(|frame| frame.is(top.pc, top.stack_pointer)));
        if self.parked.len() == MOST_PARKED {
            self.parked.remove(0);
        }
        self.parked.push(frames);
    }
}
