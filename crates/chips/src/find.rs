//! Parts by name.

use thiserror::Error;

use crate::Part;

/// A part that nobody here knows.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PartError {
    /// No part has that name.
    #[error("no chip is called `{name}`; the nearest are {}", nearest.join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The known names, nearest first, at most three.
        nearest: Vec<&'static str>,
    },
}

impl Part {
    /// The part called `name`, in any case.
    ///
    /// # Errors
    /// [`PartError::Unknown`] with the nearest names.
    pub fn find(name: &str) -> Result<&'static Self, PartError> {
        if let Some(part) = Self::all().iter().find(|part| part.name.eq_ignore_ascii_case(name)) {
            return Ok(part);
        }
        let names = Self::all().iter().map(|part| part.name.as_ref());
        Err(PartError::Unknown { name: name.to_owned(), nearest: nearest(name, names) })
    }
}

/// The three of `known` that are nearest to `name`: those that begin with it, then by the letters to change.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let mut nearest: Vec<&str> = known.collect();
    nearest.sort_by_cached_key(|known| {
        let known = known.to_lowercase();
        (!known.starts_with(&name), strsim::osa_distance(&name, &known))
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
        assert_eq!(nearest[0], "stm32c031c6");
    }
}
