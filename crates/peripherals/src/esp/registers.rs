//! Banks over the descriptions' maps.

use super::{generated32, generated8266};
use crate::bank::some;
use crate::{Bank, Map, Modelled};

/// Returns the values of the registers of `map` after reset, from the description.
pub fn after_reset(map: &'static Map) -> &'static [Modelled] {
    let all = generated8266::ALL.iter().chain(generated32::ALL);
    all.into_iter().find(|(known, _)| *known == map).map_or(&[], |(_, values)| values)
}

/// Returns a bank over `map` that models what `model` says and declares the rest. Registers hold after reset what `model` says, or
/// the description where that says 0.
pub(super) fn bank(map: &'static Map, model: &[Modelled]) -> Bank {
    let resets = after_reset(map);
    let of = |name: &str| resets.iter().find(|known| known.register == name).map_or(0, |known| known.reset);
    let mut all: Vec<Modelled> = Vec::new();
    for register in map.registers {
        let known = model.iter().find(|known| known.registers().any(|name| name == register.name));
        all.push(match known {
            Some(known) => Modelled {
                register: register.name,
                others: &[],
                reset: if known.reset == 0 { of(register.name) } else { known.reset },
                ..*known
            },
            None => some(register.name, of(register.name), &[]),
        });
    }
    Bank::new(map, &all)
}
