//! The process's memory, and buffers in it.

/// The memory that is a process's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    start: u32,
    bytes: u32,
}

/// Bytes of a process's memory that it allows a driver to use. Only [`Memory::buffer`] makes one with bytes in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    start: u32,
    length: u32,
}

impl Memory {
    /// Memory of `bytes` bytes from `start` on.
    ///
    /// # Safety
    /// It is there as long as the program runs, may be read at any time, and nothing but the process and drivers' buffers
    /// touches it.
    pub const unsafe fn new(start: u32, bytes: u32) -> Self {
        Self { start, bytes }
    }

    /// Its first address.
    pub fn start(&self) -> u32 {
        self.start
    }

    /// Its size.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// A buffer, if all of it lies here. One without bytes may lie anywhere here or at the end.
    pub fn buffer(&self, start: u32, length: u32) -> Option<Buffer> {
        let offset = start.checked_sub(self.start)?;
        let room = self.bytes.checked_sub(offset)?;
        (length <= room).then_some(Buffer { start, length })
    }
}

impl Buffer {
    /// One without bytes.
    pub const EMPTY: Self = Self { start: 0, length: 0 };

    /// Its length in bytes.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// One of its bytes; none behind its end.
    pub fn byte(&self, index: u32) -> Option<u8> {
        if index >= self.length {
            return None;
        }
        let at = (self.start + index) as usize as *const u8;
        // SAFETY: `Memory::buffer` found start and length inside memory that `Memory::new` was promised to be readable,
        // and the process may change a byte between two calls, but not during this read: it does not run now.
        Some(unsafe { at.read_volatile() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u32 = 0x2000_0400;

    fn found(start: u32, length: u32) -> bool {
        // SAFETY: no byte of it is read.
        unsafe { Memory::new(START, 0x400) }.buffer(start, length).is_some()
    }

    #[test]
    fn buffers_lie_wholly_inside() {
        assert!(found(START, 0x400) && found(START + 0x3FF, 1) && found(START + 0x400, 0));
        assert!(!found(START, 0x401) && !found(START + 1, 0x400) && !found(START + 0x400, 1));
        assert!(!found(START - 1, 1) && !found(START - 1, 0) && !found(0, 0));
    }

    #[test]
    fn lengths_that_would_wrap_are_refused() {
        assert!(!found(START + 4, u32::MAX) && !found(START, u32::MAX) && !found(u32::MAX, 2));
        // SAFETY: no byte of it is read.
        let top = unsafe { Memory::new(0xFFFF_F000, 0x1000) };
        assert!(top.buffer(0xFFFF_FFFF, 1).is_some() && top.buffer(0xFFFF_FFFF, 2).is_none());
    }

    #[test]
    fn no_byte_is_read_behind_the_end() {
        assert_eq!(Buffer::EMPTY.byte(0), None);
        assert_eq!(Buffer { start: 0, length: 3 }.byte(3), None);
    }
}
