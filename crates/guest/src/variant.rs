//! Other clocks of a chip, and other places for the code of its image.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use cyclescope_chips::{DescriptionError, Part};
use cyclescope_image::Image;
use cyclescope_layout::{LayoutError, UnitsError};
use cyclescope_machine::Placement;
use thiserror::Error;

use crate::chip::{self, ChipError};
use crate::exit::Exit;

/// A clock in hertz: of the crystal where a board has one, else of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockText(pub u64);

/// Text that is no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("it is no number of hertz, such as 8000000 or 8_000_000")]
pub struct NoClock;

impl FromStr for ClockText {
    type Err = NoClock;

    fn from_str(text: &str) -> Result<Self, NoClock> {
        number(text).filter(|clock| *clock > 0).map(Self).ok_or(NoClock)
    }
}

impl fmt::Display for ClockText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Returns the number that `text` is, in which `_` may stand between digits.
fn number(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|letter| letter.is_ascii_digit() || letter == b'_');
    if digits && !text.starts_with('_') && !text.ends_with('_') { text.replace('_', "").parse().ok() } else { None }
}

/// A layout: its number among those that a seed stands for. Number 0 is the image's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutText {
    /// The number.
    pub number: u64,
    /// The seed.
    pub seed: u64,
}

impl Default for LayoutText {
    /// Returns the image's own layout.
    fn default() -> Self {
        Self { number: 0, seed: 1 }
    }
}

/// Text that is no layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("it is no layout: write its number, as in 7, or its number and the seed, as in 7:2")]
pub struct NoLayout;

impl FromStr for LayoutText {
    type Err = NoLayout;

    fn from_str(text: &str) -> Result<Self, NoLayout> {
        let (layout, seed) = text.split_once(':').map_or((text, None), |(layout, seed)| (layout, Some(seed)));
        let seed = seed.map_or(Some(Self::default().seed), number);
        Ok(Self { number: number(layout).ok_or(NoLayout)?, seed: seed.ok_or(NoLayout)? })
    }
}

impl fmt::Display for LayoutText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.number == 0 || self.seed == Self::default().seed {
            return self.number.fmt(f);
        }
        write!(f, "{}:{}", self.number, self.seed)
    }
}

/// The difference of a run from that of the chip and the image as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// The clock, if it is not the chip's own.
    pub clock: Option<ClockText>,
    /// The layout, for timing only.
    pub layout: LayoutText,
}

/// Why there is no such variant.
#[derive(Debug, Error)]
pub enum VariantError {
    /// The chip is unknown.
    #[error(transparent)]
    Chip(#[from] ChipError),
    /// The file describes no chip.
    #[error(transparent)]
    Description(#[from] DescriptionError),
    /// The chip cannot have that clock.
    #[error("the clock {clock}: {chip}: {why}")]
    Clock {
        /// The clock.
        clock: u64,
        /// The chip.
        chip: String,
        /// The reason.
        why: String,
    },
    /// Nothing tells what can move.
    #[error(transparent)]
    Units(#[from] UnitsError),
    /// There is no room for such a layout.
    #[error("the layout {0}: {1}")]
    Layout(LayoutText, #[source] LayoutError),
    /// Another layout takes no other time.
    #[error("the layout {0}: the time of code on {1} depends on no address, so that it has no other layouts")]
    NoLayouts(LayoutText, String),
}

impl VariantError {
    /// Returns the exit of the process for this error.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Chip(_) | Self::Clock { .. } | Self::NoLayouts(..) => Exit::Usage,
            Self::Description(DescriptionError::Read { .. }) => Exit::NoInput,
            Self::Description(_) | Self::Units(_) | Self::Layout(..) => Exit::BadInput,
        }
    }

    /// Returns advice for the user, if the message has none.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Chip(error) => Some(error.help()),
            _ => None,
        }
    }
}

/// Returns the part called `chip`, or described by `text`, the content of the file `chip`, with its own clock or `clock`.
///
/// # Errors
/// [`VariantError`].
pub fn part(chip: &str, text: Option<&str>, clock: Option<ClockText>) -> Result<Cow<'static, Part>, VariantError> {
    let own = match text {
        None => Cow::Borrowed(chip::find(chip)?),
        Some(text) => Cow::Owned(Part::from_text(Path::new(chip), text)?),
    };
    let Some(ClockText(clock)) = clock else { return Ok(own) };
    let wrong = |why: String| VariantError::Clock { clock, chip: chip.to_owned(), why };
    let mut table = match text {
        None => toml::Table::from_iter([("base".to_owned(), own.name.as_ref().into())]),
        Some(text) => {
            let is_toml = Path::new(chip).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
            if !is_toml {
                return Err(wrong("its clock is in LiteX's own description".to_owned()));
            }
            text.parse().map_err(|error: toml::de::Error| wrong(error.message().to_owned()))?
        }
    };
    // A name of its own, since descriptions may not have a known part's.
    table.insert("name".to_owned(), "at-another-clock".into());
    let hertz = i64::try_from(clock).map_err(|error| wrong(error.to_string()))?;
    let key = if own.board.hse.is_some() { "hse_hz" } else { "clock_hz" };
    table.insert(key.to_owned(), hertz.into());
    let other = Part::from_toml(&table.to_string()).map_err(|error| match error {
        // The line is one of a text that nobody has seen.
        DescriptionError::Value { key, why, .. } => wrong(format!("{key} {why}")),
        other => wrong(other.to_string()),
    })?;
    let own = own.into_owned();
    Ok(Cow::Owned(Part { name: own.name, description: own.description, ..other }))
}

impl Variant {
    /// Returns the places of the code of `image` on `part`; `None` for its own.
    ///
    /// # Errors
    /// [`VariantError`].
    pub fn placement(&self, part: &Part, image: &Image) -> Result<Option<Arc<Placement>>, VariantError> {
        let layout = self.layout;
        if layout.number == 0 {
            return Ok(None);
        }
        let units = crate::units(part, image, None)?;
        let units = units.ok_or_else(|| VariantError::NoLayouts(layout, part.name.to_string()))?;
        let places = units.layout(layout.seed, layout.number).map_err(|error| VariantError::Layout(layout, error))?;
        Ok(Some(units.placement(&places)))
    }

    /// Returns the parameters that a record of the run has beside those of the run as it is.
    pub(crate) fn params(&self) -> impl Iterator<Item = (&'static str, String)> {
        let layout = Some(self.layout).filter(|layout| layout.number > 0);
        let clock = self.clock.map(|clock| ("clock", clock.to_string()));
        clock.into_iter().chain(layout.map(|layout| ("layout", layout.to_string())))
    }

    /// Adds them to `file`, a JSON object.
    pub(crate) fn write(&self, file: &mut serde_json::Value) {
        for (name, value) in self.params() {
            file[name] = value.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_layouts_are_read_and_written() {
        assert_eq!("8_000_000".parse(), Ok(ClockText(8_000_000)));
        for none in ["", "0", "8MHz", "_8", "8_", "-8", "99999999999999999999"] {
            assert_eq!(none.parse::<ClockText>(), Err(NoClock), "{none}");
        }
        for (text, number, seed) in [("0", 0, 1), ("7", 7, 1), ("7:2", 7, 2)] {
            let layout = text.parse::<LayoutText>().unwrap();
            assert_eq!((layout, layout.to_string().as_str()), (LayoutText { number, seed }, text));
        }
        for none in ["", "x", "7:", ":2", "7:2:3", "-1"] {
            assert_eq!(none.parse::<LayoutText>(), Err(NoLayout), "{none}");
        }
    }

    #[test]
    fn a_part_has_another_crystal_and_keeps_its_name() {
        let own = part("stm32f446re", None, None).unwrap();
        let other = part("STM32F446RE", None, Some(ClockText(12_000_000))).unwrap();
        assert_eq!((own.name.as_ref(), other.name.as_ref()), ("stm32f446re", "stm32f446re"));
        assert_ne!(own.board.hse, other.board.hse);
        let error = part("stm32f446re", None, Some(ClockText(3))).unwrap_err();
        assert_eq!(error.to_string(), "the clock 3: stm32f446re: hse_hz must be 0 for none, or 1 to 60 MHz");
        let text = "name = 'mine'\nbase = 'stm32f446re'\nram_kib = 64\n";
        let mine = part("a/mine.toml", Some(text), Some(ClockText(12_000_000))).unwrap();
        assert_eq!((mine.name.as_ref(), mine.ram.bytes.get(), mine.board.hse), ("mine", 64 << 10, other.board.hse));
        assert!(matches!(part("mine.toml", Some("name = 3"), None), Err(VariantError::Description(_))));
    }
}
