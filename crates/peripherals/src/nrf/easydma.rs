//! EasyDMA (nRF52840 PS, "EasyDMA"): a peripheral's own way to the data RAM. A transfer moves its bytes at once, and the core does
//! not wait for it.
//!
//! Where there is no data RAM, the manual promises nothing but errors: such a transfer is named, reads zeros and stores nothing.

use cyclescope_machine::{GapKind, RegionKind, Width};

use crate::Env;

/// The first address of the data RAM; that of the code region is none of EasyDMA's.
const DATA_RAM: u32 = 0x2000_0000;

impl Env<'_, '_> {
    /// Reads `width` bytes of the data RAM.
    pub(super) fn ram_read(&mut self, address: u32, width: Width) -> u32 {
        if !self.is_data_ram(address) {
            return 0;
        }
        self.context.memory.read(address, width).unwrap_or(0)
    }

    /// Stores `width` bytes in the data RAM.
    pub(super) fn ram_write(&mut self, address: u32, width: Width, value: u32) {
        if self.is_data_ram(address) {
            self.context.memory.write(address, width, value);
        }
    }

    fn is_data_ram(&mut self, address: u32) -> bool {
        let found = address >= DATA_RAM && matches!(self.context.memory.region(address), Some(RegionKind::Ram(_)));
        if !found {
            let name = self.name();
            self.gap(GapKind::Setting, format_args!("{name}: EasyDMA reaches nothing but the data RAM"));
        }
        found
    }
}

/// Returns the `count` bytes of the data RAM from `address` on.
pub(super) fn load(address: u32, count: u32, env: &mut Env<'_, '_>) -> Vec<u8> {
    (0..count).map(|index| env.ram_read(address.wrapping_add(index), Width::Byte) as u8).collect()
}

/// Stores `byte` in the data RAM.
pub(super) fn store(address: u32, byte: u8, env: &mut Env<'_, '_>) {
    env.ram_write(address, Width::Byte, byte.into());
}
