//! The question's file, `experiments/display.toml`.

use cyclescope_scope::Time;
use serde::Deserialize;

use super::parts::PartText;
use crate::definition::{SpanText, bundled, parsed};

/// The experiment, as its file says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Display {
    pub(crate) name: String,
    pub(crate) question: String,
    pub(crate) span: SpanText,
    pub(crate) limits: Limits,
    chip: Vec<ChipText>,
    pub(crate) mode: Vec<ModeText>,
    pub(crate) part: Vec<PartText>,
}

/// The extent of a run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The frames that a program draws.
    pub frames: usize,
    /// The time from reset by which it has sent them.
    #[serde(deserialize_with = "parsed")]
    pub window: Time,
}

/// The pins of a chip's programs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChipText {
    name: String,
    i2c: String,
    spi: String,
}

/// A mode: the wires.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModeText {
    pub name: String,
    pub title: String,
    /// True for SPI, false for I2C.
    #[serde(default)]
    spi: bool,
}

impl Display {
    /// The bundled question.
    pub fn bundled() -> Self {
        bundled(include_str!("../../experiments/display.toml"))
    }

    /// The mode called `name`.
    pub fn mode(&self, name: &str) -> Option<&ModeText> {
        self.mode.iter().find(|mode| mode.name == name)
    }

    /// Returns the text of the display on `chip` in `mode`, as `--attach` takes it.
    pub fn device(&self, chip: &str, mode: &ModeText) -> Option<String> {
        let chip = self.chip.iter().find(|known| known.name == chip)?;
        Some(if mode.spi { format!("ssd1306:spi@{}", chip.spi) } else { format!("ssd1306@{}", chip.i2c) })
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_chips::Part;
    use cyclescope_machine::Wire;

    use super::*;

    #[test]
    fn the_bundled_question_is_consistent() {
        let definition = Display::bundled();
        for image in cyclescope_images::images().iter().filter(|image| image.experiment == definition.name) {
            let mode = definition.mode(image.mode).expect("a known mode");
            let device = definition.device(image.chip, mode).expect("a known chip");
            let pins: Vec<_> = Part::find(image.chip).unwrap().pins().collect();
            let wires = cyclescope_attached::attach(&device).unwrap().wires;
            // The reset pin hangs in the air.
            for wire in &wires[..wires.len() - 1] {
                assert!(matches!(wire, Some(Wire::Pin(pin)) if pins.contains(pin)), "{device}");
            }
        }
        for part in &definition.part {
            assert!(!part.functions.is_empty() || !part.files.is_empty(), "{}", part.name);
        }
    }
}
