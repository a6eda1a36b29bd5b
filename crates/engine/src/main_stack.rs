//! The depth of a stack on cores whose stacks nothing tells apart.

/// The stack that was used first after reset, by the instructions that make room on stacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MainStack {
    /// The address at which it began and the lowest address used; both 0 until then.
    top: u32,
    lowest: u32,
}

impl MainStack {
    /// The place of the address at which it began, of 4 bytes, for compiled code.
    pub const TOP: usize = std::mem::offset_of!(Self, top);
    /// The place of the lowest address used, of 4 bytes.
    pub const LOWEST: usize = std::mem::offset_of!(Self, lowest);

    /// The stack pointer goes from `from` down to `to`.
    #[inline(always)]
    pub fn push(&mut self, from: u32, to: u32) {
        if to < self.lowest && from >= self.lowest && from <= self.top {
            self.lowest = to;
        } else if self.top == 0 && to < from {
            (self.top, self.lowest) = (from, to);
        }
    }

    /// Returns the most bytes of it that were used. Another stack is not counted as long as it lies elsewhere.
    pub const fn used(&self) -> u32 {
        self.top - self.lowest
    }
}
