//! A register by its address: the part has no current crate of registers.

use core::marker::PhantomData;
use core::ptr::{read_volatile, write_volatile};

/// A register of the width `T`.
pub struct Register<T> {
    address: usize,
    width: PhantomData<T>,
}

impl<T: Copy> Register<T> {
    /// The register at `address`.
    ///
    /// # Safety
    /// The part has a register of this width there, and neither reading nor writing it breaks what Rust relies on.
    pub const unsafe fn at(address: usize) -> Self {
        Self { address, width: PhantomData }
    }

    /// What it holds.
    pub fn read(&self) -> T {
        // SAFETY: as `at` was promised.
        unsafe { read_volatile(self.address as *const T) }
    }

    /// Sets all of it.
    pub fn write(&self, value: T) {
        // SAFETY: as `at` was promised.
        unsafe { write_volatile(self.address as *mut T, value) }
    }
}
