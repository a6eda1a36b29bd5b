//! The checkout's images for AVR parts.

use cyclescope_chips::avr::{ATMEGA32U4, ATMEGA328P, AvrPart};

use crate::error::OracleError;

/// An image and its part.
#[derive(Clone, Copy, Debug)]
pub struct PartImage {
    /// Its name.
    pub name: &'static str,
    /// The part.
    pub part: &'static AvrPart,
    source: Source,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Sketch(&'static cyclescope_oracle_images::Image),
    Contender(&'static cyclescope_images::Image),
}

impl PartImage {
    /// Returns the ELF file.
    ///
    /// # Errors
    /// The checkout lacks it, or it is damaged.
    pub fn elf(&self) -> Result<Vec<u8>, OracleError> {
        match self.source {
            Source::Sketch(image) => Ok(image.elf()?),
            Source::Contender(image) => Ok(image.elf()?),
        }
    }
}

/// The parts that simavr has too.
pub const PARTS: [&AvrPart; 2] = [&ATMEGA328P, &ATMEGA32U4];

/// Returns the part named `name`, if simavr has it too.
pub fn part(name: &str) -> Option<&'static AvrPart> {
    PARTS.into_iter().find(|part| part.name == name)
}

/// Returns the Arduino sketches, then the images of contenders.
pub fn images() -> impl Iterator<Item = PartImage> {
    let sketches = cyclescope_oracle_images::sketches().iter();
    let sketches = sketches.map(|image| (image.name, image.chip, Source::Sketch(image)));
    let contenders = cyclescope_images::images().iter();
    let contenders = contenders.map(|image| (image.name, image.chip, Source::Contender(image)));
    sketches.chain(contenders).filter_map(|(name, chip, source)| {
        let part = part(chip)?;
        Some(PartImage { name, part, source })
    })
}
