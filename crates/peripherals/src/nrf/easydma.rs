//! EasyDMA (nRF52840 PS, "EasyDMA"): peripherals reach the data RAM by themselves. What such a transfer moves, it moves at once,
//! and the core does not wait for it.
//!
//! A buffer elsewhere may end in a HardFault or in other memory, says the manual: here it reads as zeros, takes nothing, and is
//! named.

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

/// When a transfer without bytes that starts now is over.
pub(super) fn empty_end(env: &mut Env<'_, '_>) -> Instant {
    let periods = env.cycles(&ROWS[0]);
    env.clocks().edge_after(Source::Pclk, env.now(), periods)
}

fn is_ram(address: u32, env: &Env<'_, '_>) -> bool {
    address >= DATA_RAM && matches!(env.context.memory.region(address), Some(RegionKind::Ram(_)))
}

fn name_outside(env: &mut Env<'_, '_>) {
    let name = env.name();
    env.gap(GapKind::Setting, format_args!("{name}: EasyDMA reaches nothing but the data RAM"));
}

/// Returns the `count` bytes from `address` on.
pub(super) fn load(address: u32, count: u32, env: &mut Env<'_, '_>) -> Vec<u8> {
    let mut outside = false;
    let byte = |index: u32| {
        let address = address.wrapping_add(index);
        let value = is_ram(address, env).then(|| env.context.memory.read(address, Width::Byte)).flatten();
        outside |= value.is_none();
        value.unwrap_or(0) as u8
    };
    let bytes = (0..count).map(byte).collect();
    if outside {
        name_outside(env);
    }
    bytes
}

/// Puts `byte` at `address`.
pub(super) fn store(address: u32, byte: u8, env: &mut Env<'_, '_>) {
    if is_ram(address, env) {
        env.context.memory.write(address, Width::Byte, byte.into());
    } else {
        name_outside(env);
    }
}
