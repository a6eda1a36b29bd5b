//! UDR on its way out, and the shift register behind it.

/// The transmitter. Characters have up to nine bits.
#[derive(Clone, Debug, Default)]
pub(super) struct Transmitter {
    buffer: Option<u16>,
    shift: Option<u16>,
}

impl Transmitter {
    /// A write of UDR: lost while the buffer is full (8271H §20.11.1).
    pub(super) fn write(&mut self, character: u16) {
        self.buffer.get_or_insert(character);
    }

    /// UDRE.
    pub(super) fn is_ready(&self) -> bool {
        self.buffer.is_none()
    }

    /// A character waits for the shift register, which is idle.
    pub(super) fn waits_for_load(&self) -> bool {
        self.buffer.is_some() && self.shift.is_none()
    }

    /// Whether anything is being sent.
    pub(super) fn is_busy(&self) -> bool {
        self.shift.is_some()
    }

    /// The idle shift register takes the buffer; whether there was something.
    pub(super) fn load(&mut self) -> bool {
        if self.shift.is_none() {
            self.shift = self.buffer.take();
        }
        self.shift.is_some()
    }

    /// The frame is out: its character.
    pub(super) fn sent(&mut self) -> Option<u16> {
        self.shift.take()
    }
}
