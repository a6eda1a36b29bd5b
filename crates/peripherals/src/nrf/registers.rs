//! Banks over the description's maps: what is not named as partly modelled is modelled.

use super::generated;
use crate::bank::all;
use crate::{Bank, Env, Map, Modelled, Write};

/// Returns the values of the registers of `map` after reset, from the vendor's description.
pub fn after_reset(map: &'static Map) -> &'static [Modelled] {
    generated::ALL.iter().find(|(known, _)| *known == map).map_or(&[], |(_, values)| values)
}

/// Returns a bank over `map` that models all registers, but of those in `partly` only what they say. Registers whose value after
/// reset is not 0 there hold the description's.
pub(super) fn bank(map: &'static Map, partly: &[Modelled]) -> Bank {
    let resets = after_reset(map);
    let reset = |name: &str| resets.iter().find(|known| known.register == name).map_or(0, |known| known.reset);
    let whole = map.registers.iter().map(|register| all(register.name, reset(register.name)));
    Bank::new(map, &partly.iter().copied().chain(whole).collect::<Vec<_>>())
}

/// Carries out a write to one of three views of the same bits: a register that holds them at `first`, which may be absent, one
/// that sets them behind it, and one that clears them. Gives the value before and after.
pub(super) fn write_view(bank: &mut Bank, first: u32, offset: u32, write: Write, env: &mut Env<'_, '_>) -> (u32, u32) {
    let (set, clear) = (first + 4, first + 8);
    let old = bank.get(set);
    let new = match offset {
        offset if offset == set => old | write.ones(),
        offset if offset == clear => old & !write.ones(),
        _ => write.over(old),
    };
    // The bank names what is not modelled.
    bank.write(set, Write::word(new), env);
    let new = bank.get(set);
    bank.set(first, new);
    bank.set(clear, new);
    (old, new)
}
