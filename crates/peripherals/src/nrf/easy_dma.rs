//! EasyDMA (nRF52840 PS, "EasyDMA"): a peripheral's own way to the data RAM.
//!
//! Accesses take no time of the core's. Where there is no data RAM, the manual promises nothing but errors: such a transfer is
//! named, reads zeros and stores nothing.

use cyclescope_machine::{GapKind, Width};

use crate::Env;

/// The data RAM.
const RAM: u32 = 0x2000_0000;
const RAM_END: u32 = 0x3000_0000;

impl Env<'_, '_> {
    /// Reads `width` bytes of the data RAM.
    pub(super) fn ram_read(&mut self, address: u32, width: Width) -> u32 {
        let value = self.context.memory.read(address, width).filter(|_| (RAM..RAM_END).contains(&address));
        value.unwrap_or_else(|| {
            self.no_ram();
            0
        })
    }

    /// Stores `width` bytes in the data RAM.
    pub(super) fn ram_write(&mut self, address: u32, width: Width, value: u32) {
        if !(RAM..RAM_END).contains(&address) || !self.context.memory.write(address, width, value) {
            self.no_ram();
        }
    }

    fn no_ram(&mut self) {
        let name = self.name();
        self.gap(GapKind::Setting, format_args!("{name}: EasyDMA to an address that is not in the data RAM"));
    }
}
