//! The depth that each of several stacks reaches. A kernel has many stacks, and the core has two stack pointers.
//!
//! The core keeps the lowest value of each stack pointer since it last moved to another stack. This module keeps which stack that
//! is, and the depths from before. A move is a write by MSR, or by an instruction that sets the stack pointer to an address of
//! another watched stack. A kernel's switch code may save registers below the process stack pointer, with a pointer in another
//! register. They belong to that stack as well; their addresses show it, see [`Stacks::saves`]. Words that a kernel writes to the
//! stack of a task before it starts, and saves made by single stores, are not seen.
//!
//! All of this serves an observer: nothing the guest can see or time depends on it.

use std::ops::Range;

/// The most that a save below the process stack pointer takes: 16 core registers, 32 singles and FPSCR.
pub(crate) const CONTEXT_BYTES: u32 = 4 * (16 + 32 + 1);

/// A stack and the lowest address used in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Watched {
    range: Range<u32>,
    lowest: u32,
    /// Another has taken its place.
    gone: bool,
}

/// The words right below the process stack pointer that a handler saved a context to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Saved {
    /// The process stack pointer meanwhile.
    below: u32,
    /// The address of the lowest of these words; they reach up to `below`.
    from: u32,
    /// Words written further down, to which those between have not been written yet.
    apart: Range<u32>,
}

/// The stacks watched, and which of them each stack pointer is in.
#[derive(Clone, Debug)]
pub(crate) struct Stacks {
    watched: Vec<Watched>,
    /// By main and process stack pointer.
    current: [Option<usize>; 2],
    /// The lowest main stack pointer before it was last written by MSR or a reset.
    main_before: u32,
    /// The main stack is that of a boot program, whose depth is nobody's, until it is written by MSR.
    boots: bool,
    /// A reset begins with such a program.
    has_boot: bool,
    saved: Saved,
}

impl Default for Stacks {
    fn default() -> Self {
        Self {
            watched: Vec::new(),
            current: [None; 2],
            main_before: u32::MAX,
            boots: false,
            has_boot: false,
            saved: Saved::default(),
        }
    }
}

impl Stacks {
    /// Watches these from now on, with the main and process stack pointers where they are.
    pub(crate) fn watch(&mut self, ranges: impl IntoIterator<Item = Range<u32>>, pointers: [u32; 2], handler: bool) {
        self.watched = ranges.into_iter().map(|range| Watched { lowest: range.end, range, gone: false }).collect();
        // A handler runs on the main stack, and the process stack has a frame on it that is yet to be popped.
        self.current = [self.find(pointers[0], false), self.find(pointers[1], handler)];
    }

    /// Watches one more from now on, which no stack pointer is in. It takes the place of those that it overlaps; their marks stay.
    pub(crate) fn add(&mut self, range: Range<u32>) {
        for other in &mut self.watched {
            other.gone |= other.range.start < range.end && range.start < other.range.end;
        }
        self.watched.push(Watched { lowest: range.end, range, gone: false });
    }

    /// Tells whether setting a stack pointer to `value` may move it to another stack.
    #[inline(always)]
    pub(crate) fn may_move(&self, process: bool, value: u32) -> bool {
        !self.watched.is_empty() && self.moves(process, value)
    }

    #[cold]
    fn moves(&self, process: bool, value: u32) -> bool {
        let current = self.current[usize::from(process)];
        let inside = |index: usize| {
            let range = &self.watched[index].range;
            (range.start..=range.end).contains(&value)
        };
        !current.is_some_and(inside) && self.find(value, false).is_some()
    }

    /// A stack pointer whose lowest value was `lowest` begins anew at `value`.
    pub(crate) fn moved(&mut self, process: bool, lowest: u32, value: u32, handler: bool) {
        self.left(process, lowest);
        self.boots &= process;
        self.current[usize::from(process)] = self.find(value, handler && process);
    }

    /// A stack pointer whose lowest value was `lowest` is in no stack any more.
    pub(crate) fn left(&mut self, process: bool, lowest: u32) {
        if let Some(current) = self.current[usize::from(process)].take() {
            let stack = &mut self.watched[current];
            stack.lowest = stack.lowest.min(lowest);
        }
        if !process {
            self.main_starts(lowest);
        }
    }

    /// The main stack pointer is counted anew; it was as low as `lowest`.
    pub(crate) fn main_starts(&mut self, lowest: u32) {
        if !self.boots {
            self.main_before = self.main_before.min(lowest);
        }
    }

    /// A boot program has the main stack after each reset, until somebody writes its pointer by MSR.
    pub(crate) fn boots(&mut self) {
        (self.boots, self.has_boot) = (true, true);
    }

    /// The core is reset.
    pub(crate) fn reset(&mut self) {
        self.boots = self.has_boot;
    }

    /// The first range that a stack pointer of `value` is in. One between two adjacent ranges is in the lower, which is
    /// empty, unless there is `something` on the stack.
    fn find(&self, value: u32, something: bool) -> Option<usize> {
        let holds = |range: &Range<u32>| if something { value == range.start } else { value == range.end };
        let within = |range: &Range<u32>| range.start < value && value < range.end;
        let at =
            |is: &dyn Fn(&Range<u32>) -> bool| self.watched.iter().position(|stack| !stack.gone && is(&stack.range));
        at(&|range| within(range) || holds(range)).or_else(|| at(&|range| value == range.start || value == range.end))
    }

    /// A handler stored `words` words from `from` up, below the process stack pointer `pointer`: the lowest address of the
    /// context saved there so far. What is saved reaches from the stack pointer down without a gap, downwards or upwards; stores to something else that lies there do not count.
    #[inline(never)] // Rare, and not for the store that asks to carry.
    pub(crate) fn saves(&mut self, pointer: u32, from: u32, words: u32) -> u32 {
        let end = from.wrapping_add(4 * words);
        if self.saved.below != pointer {
            self.saved = Saved { below: pointer, from: pointer, apart: 0..0 };
        }
        let saved = &mut self.saved;
        if end == saved.from {
            saved.from = if saved.apart.end == from { saved.apart.start } else { from };
        } else if end < saved.from {
            let start = if saved.apart.end == from { saved.apart.start } else { from };
            saved.apart = start..end;
        }
        saved.from
    }

    /// The lowest address used in each range; `lowest` are the lowest stack pointers since the last move.
    pub(crate) fn lowest(&self, lowest: [u32; 2]) -> impl Iterator<Item = (Range<u32>, u32)> {
        self.watched.iter().enumerate().map(move |(index, stack)| {
            let now = (0..2).filter(|&pointer| self.current[pointer] == Some(index)).map(|pointer| lowest[pointer]);
            (stack.range.clone(), now.fold(stack.lowest, u32::min))
        })
    }

    /// The lowest main stack pointer ever; `lowest` is that since the last move.
    pub(crate) fn lowest_main(&self, lowest: u32) -> u32 {
        if self.boots { u32::MAX } else { self.main_before.min(lowest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOW: Range<u32> = 0x100..0x200;
    const HIGH: Range<u32> = 0x200..0x300;

    fn watching() -> Stacks {
        let mut stacks = Stacks::default();
        stacks.watch([LOW, HIGH], [0; 2], false);
        stacks
    }

    #[track_caller]
    fn check<const N: usize>(stacks: &Stacks, lowest: [u32; 2], expect: [u32; N]) {
        assert_eq!(stacks.lowest(lowest).map(|(_, lowest)| lowest).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn each_stack_gets_what_was_counted_while_its_pointer_was_in_use() {
        let mut stacks = watching();
        check(&stacks, [0x50; 2], [0x200, 0x300]);
        stacks.moved(true, 0x50, 0x200, false);
        stacks.moved(true, 0x180, 0x2E0, true);
        stacks.moved(true, 0x240, 0x1F0, true);
        check(&stacks, [0x50, 0x1E0], [0x180, 0x240]);
        stacks.moved(true, 0x90, 0x2F0, true);
        check(&stacks, [0x50, 0x2F0], [0x90, 0x240]);
    }

    #[test]
    fn a_stack_that_is_added_takes_the_place_of_another() {
        let mut stacks = watching();
        stacks.moved(true, u32::MAX, 0x180, false);
        stacks.moved(true, 0x140, 0x2E0, false);
        stacks.add(0x120..0x1C0);
        assert_eq!(stacks.find(0x1C0, false), Some(2));
        stacks.moved(true, 0x2D0, 0x1C0, false);
        stacks.moved(true, 0x130, 0x2E0, false);
        check(&stacks, [u32::MAX, 0x2E0], [0x140, 0x2D0, 0x130]);
    }

    #[test]
    fn a_pointer_between_two_stacks_is_in_the_one_it_can_be_in() {
        let stacks = watching();
        assert_eq!((stacks.find(0x200, false), stacks.find(0x200, true)), (Some(0), Some(1)));
        assert_eq!((stacks.find(0x100, false), stacks.find(0x300, true)), (Some(0), Some(1)));
        assert_eq!((stacks.find(0xFC, false), stacks.find(0x304, true)), (None, None));
    }

    #[test]
    fn a_stack_is_left_for_another_and_not_by_an_overflow() {
        let mut stacks = watching();
        stacks.moved(true, u32::MAX, 0x1F0, true);
        assert!(!stacks.may_move(true, 0x180) && !stacks.may_move(true, 0xF0));
        assert!(stacks.may_move(true, 0x280));
    }

    #[test]
    fn a_context_is_saved_without_a_gap() {
        let mut stacks = watching();
        assert_eq!(stacks.saves(0x180, 0x140, 16), 0x140, "the singles, then the registers below them");
        assert_eq!(stacks.saves(0x180, 0x11C, 9), 0x11C);
        assert_eq!(stacks.saves(0x190, 0x16C, 5), 0x190, "the lower half first");
        assert_eq!(stacks.saves(0x190, 0x180, 4), 0x16C);
        assert_eq!(stacks.saves(0x1A0, 0x17C, 2), 0x1A0, "in three, upwards");
        assert_eq!(stacks.saves(0x1A0, 0x184, 3), 0x1A0);
        assert_eq!(stacks.saves(0x1A0, 0x190, 4), 0x17C);
        assert_eq!(stacks.saves(0x120, 0xF0, 4), 0x120, "something below the stack");
    }
}
