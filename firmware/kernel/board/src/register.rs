//! A device's register.

/// A register of 32 bits at a fixed address.
#[derive(Clone, Copy)]
pub struct Register(usize);

impl Register {
    /// The register at an address that the board's manual gives.
    pub const fn at(address: u32) -> Self {
        Self(address as usize)
    }

    /// Reads it.
    pub fn read(self) -> u32 {
        // SAFETY: registers are there, and made from their manual's addresses only.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    /// Writes it.
    pub fn write(self, value: u32) {
        // SAFETY: the same; no register that this program writes changes memory.
        unsafe { (self.0 as *mut u32).write_volatile(value) }
    }
}
