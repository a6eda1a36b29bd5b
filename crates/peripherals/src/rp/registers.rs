//! Banks over the description's maps, and the further addresses of registers.

use super::generated;
use crate::bank::all;
use crate::{Bank, Map, Modelled, Write};

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
    let partly = partly.iter().map(|known| Modelled { reset: known.reset | reset(known.register), ..*known });
    Bank::new(map, &partly.chain(whole).collect::<Vec<_>>())
}

/// Returns the write of `value` through the alias that bits 13 and 12 of an address select ("Atomic Register Access"): a plain
/// write, or one that inverts, sets or clears the bits that `value` has, of a register that holds `old`.
pub const fn aliased(address: u32, value: u32, old: u32) -> Write {
    match address >> 12 & 3 {
        1 => Write { value: !old & value, lanes: value },
        2 => Write { value, lanes: value },
        3 => Write { value: 0, lanes: value },
        _ => Write::word(value),
    }
}

/// Returns the bits that a write names for flags that are cleared by it: those written as 1, or those that an alias covers.
pub const fn ones(write: Write) -> u32 {
    if write.lanes == u32::MAX { write.value } else { write.lanes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_invert_set_and_clear_the_bits_that_are_written() {
        let old = 0x00FF_00F0;
        let new = |alias: u32| aliased(0x4001_4004 | alias << 12, 0x0F0F_0000, old).over(old);
        assert_eq!([0, 1, 2, 3].map(new), [0x0F0F_0000, 0x0FF0_00F0, 0x0FFF_00F0, 0x00F0_00F0]);
        assert_eq!([0, 1, 2, 3].map(|alias| ones(aliased(alias << 12, 6, 5))), [6; 4]);
    }
}
