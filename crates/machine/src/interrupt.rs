//! The wires from devices to the core's interrupt controller.

/// The most interrupt lines a controller here takes (Armv7-M's NVIC has up to 496; no modelled part exceeds 256).
const LINES: usize = 256;

/// Levels of the interrupt lines, and which of them rose since the core last looked.
///
/// A device drives its line like a wire: high as long as a condition holds and is enabled. Edges are remembered even
/// when the line falls again before the core looks, as a controller latches them.
#[derive(Clone, Debug, Default)]
pub struct InterruptLines {
    level: [u64; LINES / 64],
    rose: [u64; LINES / 64],
    changed: bool,
    event: bool,
    muted: bool,
}

impl InterruptLines {
    /// Drives `line` high or low. Lines beyond the controller's are ignored.
    pub fn set(&mut self, line: usize, high: bool) {
        if self.muted {
            return;
        }
        let Some(word) = self.level.get_mut(line / 64) else { return };
        let bit = 1 << (line % 64);
        if (*word & bit != 0) == high {
            return;
        }
        *word ^= bit;
        if high {
            self.rose[line / 64] |= bit;
        }
        self.changed = true;
    }

    /// Raises `line` for one cycle.
    pub fn pulse(&mut self, line: usize) {
        if let Some(word) = self.rose.get_mut(line / 64).filter(|_| !self.muted) {
            *word |= 1 << (line % 64);
            self.changed = true;
        }
    }

    /// Sends the core an event, which wakes it from waiting for one.
    pub fn send_event(&mut self) {
        if !self.muted {
            self.event = true;
            self.changed = true;
        }
    }

    /// Tells whether an event was sent since the last call.
    pub fn take_event(&mut self) -> bool {
        std::mem::take(&mut self.event)
    }

    /// Nothing reaches the core any more, since it has no power: all lines fall, and none rises until the part is reset.
    pub fn mute(&mut self) {
        *self = Self { muted: true, ..Self::default() };
    }

    /// Tells whether `line` is high now.
    pub fn is_high(&self, line: usize) -> bool {
        self.level.get(line / 64).is_some_and(|word| word & (1 << (line % 64)) != 0)
    }

    /// The levels of lines 64·`word` to 64·`word`+63.
    pub fn levels(&self, word: usize) -> u64 {
        self.level.get(word).copied().unwrap_or(0)
    }

    /// Tells whether any line changed since the last [`Self::take_rose`].
    pub fn changed(&self) -> bool {
        self.changed
    }

    /// The lines that rose since the last call, 64 a word.
    pub fn take_rose(&mut self) -> [u64; LINES / 64] {
        self.changed = false;
        std::mem::take(&mut self.rose)
    }
}
