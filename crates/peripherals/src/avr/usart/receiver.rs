//! The receiver's shift register, and the two characters behind it (8271H §20.7).

use std::collections::VecDeque;

use super::a;

/// How many received characters UDR holds.
const DEPTH: usize = 2;

/// A received character with the flags that came with it.
#[derive(Clone, Copy, Debug)]
struct Character {
    value: u16,
    flags: u8,
}

/// The receiver, and what the outside is yet to send to it.
#[derive(Clone, Debug, Default)]
pub(super) struct Receiver {
    outside: VecDeque<u8>,
    /// The character on the line.
    arriving: Option<u8>,
    /// A complete character that found UDR full.
    held: Option<Character>,
    buffer: VecDeque<Character>,
    /// The character on the line comes after a lost one.
    overrun: bool,
    /// When the frame on the line ends.
    pub(super) frame_ends: u64,
}

impl Receiver {
    /// The outside will send `bytes`; whether the line was quiet, so that the first may begin at once.
    pub(super) fn send(&mut self, bytes: &[u8]) -> bool {
        let quiet = self.outside.is_empty() && self.arriving.is_none() && !bytes.is_empty();
        self.outside.extend(bytes);
        quiet
    }

    /// Whether the outside has more to send.
    pub(super) fn has_more(&self) -> bool {
        !self.outside.is_empty()
    }

    /// Whether a frame is on the line and listened to.
    pub(super) fn is_busy(&self) -> bool {
        self.arriving.is_some()
    }

    /// A frame passes that nobody listens to.
    pub(super) fn ignore(&mut self) {
        self.outside.pop_front();
    }

    /// A start bit: a complete character that still waits in the shift register is lost (8271H §20.7.4).
    pub(super) fn start_bit(&mut self) {
        self.arriving = self.outside.pop_front();
        self.overrun = self.held.take().is_some() || self.overrun;
    }

    /// The character on the line, of `bits` bits, is complete.
    pub(super) fn received(&mut self, bits: u8) {
        let Some(byte) = self.arriving.take() else { return };
        let value = u16::from(byte) & ((1 << bits) - 1);
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
        *self = std::mem::take(self).after_reset();
    }

    /// What the outside is yet to send, and nothing else.
    pub(super) fn after_reset(self) -> Self {
        Self { outside: self.outside, frame_ends: self.frame_ends, ..Self::default() }
    }
}
