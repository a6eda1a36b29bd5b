//! The depth of a stack on cores whose stacks nothing tells apart.

use crate::micro::{Binary, Compare, Lowering, Value};

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

    /// Lowers [`Self::push`]; `top` and `lowest` are the slots of [`Self::TOP`] and [`Self::LOWEST`].
    pub fn lower_push([top, lowest]: [u8; 2], from: Value, stack: Value, to: &mut Lowering) {
        let (old_top, old_lowest) = (to.get(top), to.get(lowest));
        let below = to.compare(Compare::Less, stack, old_lowest);
        let from_above = to.compare(Compare::LessOrEqual, old_lowest, from);
        let (inside, down) = (to.compare(Compare::LessOrEqual, from, old_top), to.compare(Compare::Less, stack, from));
        let unused = to.is(old_top, 0);
        let goes_on = to.binary(Binary::And, below, from_above);
        let goes_on = to.binary(Binary::And, goes_on, inside);
        // While there is no top nothing is below the lowest address.
        let begins = to.binary(Binary::And, unused, down);
        let either = to.binary(Binary::Or, goes_on, begins);
        let (new_top, new_lowest) = (to.select(begins, from, old_top), to.select(either, stack, old_lowest));
        to.set(top, new_top);
        to.set(lowest, new_lowest);
    }

    /// Returns the most bytes of it that were used. Another stack is not counted as long as it lies elsewhere.
    pub const fn used(&self) -> u32 {
        self.top - self.lowest
    }
}
