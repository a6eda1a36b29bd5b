//! The receiver's shift register, and the two characters behind it (8271H §20.7).

use std::collections::VecDeque;

use super::a;

/// The number of received characters that UDR holds.
const DEPTH: usize = 2;

/// A received character with the flags that came with it.
#[derive(Clone, Copy, Debug)]
struct Character {
    value: u16,
    flags: u8,
}

/// The receiver behind the line.
#[derive(Clone, Debug, Default)]
pub(super) struct Receiver {
    /// A complete character that found UDR full.
    held: Option<Character>,
    buffer: VecDeque<Character>,
    /// The character on the line comes after a lost one.
    overrun: bool,
    /// When the frame on the line ends.
    pub(super) frame_ends: u64,
}

impl Receiver {
    /// A start bit: a complete character that still waits in the shift register is lost (8271H §20.7.4).
    pub(super) fn start_bit(&mut self) {
        self.overrun = self.held.take().is_some() || self.overrun;
    }

    /// The character `value` on the line is complete.
    pub(super) fn received(&mut self, value: u16) {
        let flags = if std::mem::take(&mut self.overrun) { a::DOR } else { 0 };
        self.held = Some(Character { value, flags });
        self.settle();
    }

    fn settle(&mut self) {
        if self.buffer.len() < DEPTH {
            self.buffer.extend(self.held.take());
        }
    }

    /// RXC, and the flags of the character that UDR shows. FE and UPE never come: the outside keeps to the format.
    pub(super) fn flags(&self) -> u8 {
        self.buffer.front().map_or(0, |first| a::RXC | first.flags & (a::FE | a::DOR | a::UPE))
    }

    /// RXB8.
    pub(super) fn ninth_bit(&self) -> bool {
        self.buffer.front().is_some_and(|first| first.value & 1 << 8 != 0)
    }

    /// A read of UDR.
    pub(super) fn take(&mut self) -> u8 {
        let first = self.buffer.pop_front();
        self.settle();
        first.map_or(0, |first| first.value as u8)
    }

    /// The receiver is switched off: all that it holds is lost (8271H §20.7.6).
    pub(super) fn switch_off(&mut self) {
        *self = Self { frame_ends: self.frame_ends, ..Self::default() };
    }
}
