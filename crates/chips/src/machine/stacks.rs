//! The use of the stacks that a run watches.

use cyclescope_machine::units::Bytes;

/// The deepest use of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackUse {
    /// The size of the stack.
    pub size: Bytes,
    /// Deepest use, from the stack's end down; more than `size` where it was too small.
    pub used: Bytes,
}

impl StackUse {
    /// Tells whether the stack went below its lowest address.
    pub fn overflowed(self) -> bool {
        self.used > self.size
    }
}
