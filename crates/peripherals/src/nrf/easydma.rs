//! EasyDMA (nRF52840 PS, "EasyDMA"): a peripheral's own way to the data RAM. A transfer moves its bytes at once, and the core does
//! not wait for it.
//!
//! The manual promises nothing but errors outside the data RAM: such a transfer is named, reads zeros and stores nothing.

use cyclescope_machine::{GapKind, RegionKind, TimingRow, Width};

use crate::{Env, Instant, Source};

/// The first address of the data RAM; that of the code region is none of EasyDMA's.
const DATA_RAM: u32 = 0x2000_0000;

/// The timing of transfers.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "easydma.empty",
    "from the start of a reception or an SPI transfer without bytes to its end, in periods of PCLK16M",
    1,
    "nRF52840 PS v1.7, EasyDMA, gives no figure; a shortcut that starts the next such transfer cannot take no time",
)];

impl Env<'_, '_> {
    /// Reads `width` bytes of the data RAM.
    pub(super) fn ram_read(&mut self, address: u32, width: Width) -> u32 {
        self.ram_value(address, width).unwrap_or_else(|| {
            self.name_outside();
            0
        })
    }

    /// Stores `width` bytes in the data RAM.
    pub(super) fn ram_write(&mut self, address: u32, width: Width, value: u32) {
        if !self.is_data_ram(address) || !self.context.memory.write(address, width, value) {
            self.name_outside();
        }
    }

    fn ram_value(&self, address: u32, width: Width) -> Option<u32> {
        self.context.memory.read(address, width).filter(|_| self.is_data_ram(address))
    }

    fn is_data_ram(&self, address: u32) -> bool {
        address >= DATA_RAM && matches!(self.context.memory.region(address), Some(RegionKind::Ram(_)))
    }

    fn name_outside(&mut self) {
        let name = self.name();
        self.gap(GapKind::Setting, format_args!("{name}: EasyDMA reaches nothing but the data RAM"));
    }
}

/// Returns the time at which a transfer without bytes that starts now is over.
pub(super) fn empty_end(env: &mut Env<'_, '_>) -> Instant {
    let periods = env.cycles(&ROWS[0]);
    env.clocks().edge_after(Source::Pclk, env.now(), periods)
}

/// Returns the `count` bytes of the data RAM from `address` on.
pub(super) fn load(address: u32, count: u32, env: &mut Env<'_, '_>) -> Vec<u8> {
    let values = (0..count).map(|index| env.ram_value(address.wrapping_add(index), Width::Byte));
    let values: Vec<Option<u32>> = values.collect();
    if values.contains(&None) {
        env.name_outside();
    }
    values.into_iter().map(|value| value.unwrap_or(0) as u8).collect()
}

/// Stores `byte` in the data RAM.
pub(super) fn store(address: u32, byte: u8, env: &mut Env<'_, '_>) {
    env.ram_write(address, Width::Byte, byte.into());
}
