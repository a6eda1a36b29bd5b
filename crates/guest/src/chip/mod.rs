//! The chip of a run: by name, or described in a file.

mod likeness;

use std::fmt;

use cyclescope_chips::{Core, Part, PartError};
use cyclescope_image::Architecture;
use cyclescope_text::nearest::clause;
use thiserror::Error;

use self::likeness::Likeness;

/// A name that is no chip's.
#[derive(Debug, Error)]
pub enum ChipError {
    /// Nothing is called so.
    #[error("there is no chip `{name}`{nearest}")]
    Unknown {
        /// The name that was given.
        name: String,
        /// The names that may have been meant, as a clause.
        nearest: String,
        /// The arguments of the command that lists what there is.
        list: String,
    },
    /// A board's name in the place of its chip's.
    #[error("there is no chip `{name}`; the chip of {title} is `{chip}`")]
    Board {
        /// The name that was given.
        name: String,
        /// The board.
        title: &'static str,
        /// Its chip.
        chip: &'static str,
    },
    /// A part number that is not modelled, or that stands for several.
    #[error(transparent)]
    Part(#[from] PartError),
}

impl ChipError {
    /// Returns advice for the user.
    pub fn help(&self) -> String {
        match self {
            Self::Unknown { name, list, .. } if *list == listing(name) => {
                format!("`cyclescope {list}` shows those that fit")
            }
            Self::Unknown { list, .. } => format!("`cyclescope {list}` shows what there is"),
            Self::Board { chip, .. } => format!("write {chip}"),
            Self::Part(PartError::Several { name, .. }) => {
                format!("`cyclescope list chips {name}` shows what they have")
            }
            Self::Part(_) => {
                "`cyclescope list chips` shows what there is; a TOML file can describe a part like one of them"
                    .to_owned()
            }
        }
    }
}

fn listing(name: &impl fmt::Display) -> String {
    format!("list chips {name}")
}

/// Returns the part that `name` means: its own name, that of its board, or one with wildcards that fits it alone.
///
/// # Errors
/// [`ChipError`].
pub fn find(name: &str) -> Result<&'static Part, ChipError> {
    match Part::find(name) {
        Ok(part) => Ok(part),
        Err(error @ PartError::Several { .. }) => Err(error.into()),
        Err(error) => match likeness::of(name) {
            Some(Likeness::Parts(fitting)) if fitting.len() == 1 => Ok(Part::find(fitting[0])?),
            Some(Likeness::Parts(fitting)) => Err(PartError::Several { name: name.to_owned(), fitting }.into()),
            Some(Likeness::Board { title, chip }) => Err(ChipError::Board { name: name.to_owned(), title, chip }),
            None => Err(unknown(name, error)),
        },
    }
}

/// The parts that `text` stands for, or whose names it is a part of.
pub fn fitting(text: &str) -> Vec<&'static str> {
    likeness::parts(text)
}

/// Returns the error for `name`, of which the library says `error`.
fn unknown(name: &str, error: PartError) -> ChipError {
    let fits = likeness::parts(name).len();
    match error {
        PartError::Unknown { substitute: Some(_), .. } => error.into(),
        _ => {
            let nearest = match name.to_ascii_lowercase().starts_with("cortex-") && fits == 0 {
                // Another core is no slip.
                true => "; of cores alone there are `cortex-m0plus`, `cortex-m3` and `cortex-m4`".to_owned(),
                false => clause(name, Part::names()),
            };
            let list = if fits > 1 { listing(&name) } else { "list chips".to_owned() };
            ChipError::Unknown { name: name.to_owned(), nearest, list }
        }
    }
}

/// Returns the architecture of the images that `part` runs.
pub fn architecture(part: &Part) -> Architecture {
    match part.core {
        Core::CortexM(_) => Architecture::Arm,
        Core::Avr(_) => Architecture::Avr(0),
        Core::Riscv(_) => Architecture::Riscv,
        Core::Xtensa(_) => Architecture::Xtensa,
    }
}
