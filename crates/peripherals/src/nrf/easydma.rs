//! EasyDMA (nRF52840 PS, "EasyDMA"): peripherals reach the data RAM by themselves. What such a transfer moves, it moves at once,
//! and the core does not wait for it.
//!
//! A buffer elsewhere may end in a HardFault or in other memory, says the manual: here it reads as zeros, takes nothing, and is
//! named.

use cyclescope_machine::{GapKind, RegionKind, Width};

use crate::Env;

/// The first address of the data RAM; that of the code region is none of EasyDMA's.
const DATA_RAM: u32 = 0x2000_0000;

fn is_ram(address: u32, env: &mut Env<'_, '_>) -> bool {
    let found = address >= DATA_RAM && matches!(env.context.memory.region(address), Some(RegionKind::Ram(_)));
    if !found {
        let name = env.name();
        env.gap(GapKind::Setting, format_args!("{name}: EasyDMA reaches nothing but the data RAM"));
    }
    found
}

/// Returns the `count` bytes from `address` on.
pub(super) fn load(address: u32, count: u32, env: &mut Env<'_, '_>) -> Vec<u8> {
    (0..count)
        .map(|index| {
            let address = address.wrapping_add(index);
            let value = is_ram(address, env).then(|| env.context.memory.read(address, Width::Byte)).flatten();
            value.unwrap_or(0) as u8
        })
        .collect()
}

/// Puts `byte` at `address`.
pub(super) fn store(address: u32, byte: u8, env: &mut Env<'_, '_>) {
    if is_ram(address, env) {
        env.context.memory.write(address, Width::Byte, byte.into());
    }
}
