//! Parts by name.

mod spelling;
mod substitute;

use cyclescope_machine::Pin;
use thiserror::Error;

use self::spelling::{fitting, spelled};
pub use self::substitute::Substitute;

use crate::Part;

/// A part that nobody here knows.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PartError {
    /// No part has that name.
    #[error("there is no chip `{name}`; {}", answer(.nearest, .substitute))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The known names, nearest first, at most three.
        nearest: Vec<&'static str>,
        /// The part that would do, if the name is the number of a part that is not modelled.
        substitute: Option<Substitute>,
    },
    /// The name has wildcards, and the parts that fit it have memories of different sizes.
    #[error("`{name}` fits {} chips with memories of different sizes: {}; name one", fitting.len(), some(fitting))]
    Several {
        /// The name asked for.
        name: String,
        /// The names that fit it.
        fitting: Vec<&'static str>,
    },
}

/// The first of `fitting`, as many as a line has room for.
fn some(fitting: &[&str]) -> String {
    const MOST: usize = 6;
    let more = if fitting.len() > MOST { ", ..." } else { "" };
    fitting[..fitting.len().min(MOST)].join(", ") + more
}

fn answer(nearest: &[&str], substitute: &Option<Substitute>) -> String {
    match substitute {
        Some(substitute) => substitute.to_string(),
        None => format!("the nearest are {}", nearest.join(", ")),
    }
}

/// A pin that a part's package does not bring out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PinError {
    /// The part has no pin of that name.
    #[error("{part} has no pin `{name}`; the nearest are {}", nearest.join(", "))]
    Unknown {
        /// The part's name.
        part: String,
        /// The name asked for.
        name: String,
        /// The names of pins that it has, nearest first, at most three.
        nearest: Vec<String>,
    },
    /// The part is a core without pins.
    #[error("{0} has no pins: it is a core alone")]
    None(String),
}

impl Part {
    /// The pin called `name` (`PC13`, or as [`Pin`] has it for other families, in any case), if the package brings it out.
    ///
    /// # Errors
    /// [`PinError`], with the nearest names where the part has pins at all.
    pub fn find_pin(&self, name: &str) -> Result<Pin, PinError> {
        if let Some(pin) = name.parse().ok().filter(|pin: &Pin| self.pins().any(|known| known == *pin)) {
            return Ok(pin);
        }
        let known: Vec<String> = self.pins().map(|pin| pin.to_string()).collect();
        let part = self.name.to_string();
        if known.is_empty() {
            return Err(PinError::None(part));
        }
        let nearest = nearest(name, known.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
        Err(PinError::Unknown { part, name: name.to_owned(), nearest })
    }

    /// The part called `name`, in any case and with or without the letters of its package. In the name of an STM32 `x`, `?`
    /// and `*` stand for any letter (`STM32F446xE`): of parts with the same memories that fit, the one with the most pins.
    ///
    /// # Errors
    /// [`PartError::Unknown`] with the nearest names, and a part that would do; [`PartError::Several`] for wildcards that fit
    /// parts with different memories.
    pub fn find(name: &str) -> Result<&'static Self, PartError> {
        let names = Self::names();
        if let Some(part) = spelled(name, names.clone()).and_then(Self::named) {
            return Ok(part);
        }
        let fitting = fitting(name, names.clone());
        let parts: Vec<&'static Self> = fitting.iter().filter_map(|name| Self::named(name)).collect();
        let memories = |part: &Self| (part.flash.bytes, part.ram.bytes);
        match parts.iter().rev().max_by_key(|part| part.pins().count()) {
            Some(part) if parts.iter().all(|other| memories(other) == memories(part)) => Ok(part),
            Some(_) => Err(PartError::Several { name: name.to_owned(), fitting }),
            None => Err(PartError::Unknown {
                name: name.to_owned(),
                nearest: nearest(name, names.clone()),
                substitute: substitute::substitute(name, &names.collect::<Vec<_>>()),
            }),
        }
    }
}

/// The three of `known` that are nearest to `name`: those that begin with it, those that contain it, then by the letters to
/// change.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let mut nearest: Vec<&str> = known.collect();
    nearest.sort_by_cached_key(|known| {
        let known = known.to_lowercase();
        (!known.starts_with(&name), !known.contains(&name), strsim::osa_distance(&name, &known))
    });
    nearest.truncate(3);
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_by_name_and_a_slip_gets_the_nearest() {
        assert_eq!(Part::find("STM32C031C6").map(|part| part.name.as_ref()), Ok("stm32c031c6"));
        let Err(PartError::Unknown { nearest, .. }) = Part::find("stm32c031") else { panic!("no such part") };
        assert!(nearest.iter().all(|near| near.starts_with("stm32c031")), "{nearest:?}");
        let Err(PartError::Unknown { nearest, .. }) = Part::find("F446") else { panic!("no such part") };
        assert_eq!(nearest[..2], ["stm32f446ze", "stm32f446re"]);
    }

    #[test]
    fn wildcards_fit_parts_of_one_size_or_are_asked_for() {
        let name = |name| Part::find(name).map(|part| part.name.as_ref());
        assert_eq!(name("STM32F446xE"), Ok("stm32f446ze"));
        assert_eq!(name("STM32G431xBTx"), Ok("stm32g431vb"));
        assert_eq!(
            name("stm32l476r?t6"),
            Err(PartError::Several {
                name: "stm32l476r?t6".to_owned(),
                fitting: vec!["stm32l476rc", "stm32l476re", "stm32l476rg"],
            })
        );
        let error = Part::find("STM32F407xx").unwrap_err().to_string();
        assert!(error.starts_with("`STM32F407xx` fits 6 chips") && error.ends_with("; name one"), "{error}");
        for stranger in ["xxxxxxxxxxx", "stm32xxxxxx", "stm32f446xq", "*", "stm32f9xxx", "x\u{e9}"] {
            assert!(!matches!(Part::find(stranger), Ok(_) | Err(PartError::Several { .. })), "{stranger}");
        }
    }

    #[test]
    fn a_pin_is_found_by_name_and_a_slip_gets_the_nearest() {
        let part = |name| Part::find(name).unwrap();
        let pin = |port, number| Pin { port, number };
        assert_eq!(part("stm32f446ze").find_pin("pc13"), Ok(pin(2, 13)));
        assert_eq!(part("mk20dx256").find_pin("PTC5"), Ok(pin(2, 5)));
        assert_eq!(part("rp2040").find_pin("gp29"), Ok(Pin::gpio(29)));
        let error = part("rp2040").find_pin("GPIO35").unwrap_err().to_string();
        assert!(error.starts_with("rp2040 has no pin `GPIO35`; the nearest are GPIO"), "{error}");
        for (chip, count) in [("stm32f446ze", 114), ("stm32f446re", 50), ("stm32c031c6", 45), ("stm32f103c8", 37)] {
            assert_eq!(part(chip).pins().count(), count, "{chip}");
        }
        for slip in ["PG0", "PB11", "PA+1", "PA16", "P", "", "P\u{e9}", "PA4294967297"] {
            let error = part("stm32f446re").find_pin(slip).unwrap_err();
            assert!(error.to_string().starts_with(&format!("stm32f446re has no pin `{slip}`; the nearest are P")));
        }
        let Err(PinError::Unknown { nearest, .. }) = part("stm32f446re").find_pin("PB11") else { panic!("none") };
        assert!(nearest.contains(&"PB1".to_owned()), "{nearest:?}");
        assert_eq!(part("cortex-m3").find_pin("PA0"), Err(PinError::None("cortex-m3".to_owned())));
    }
}
