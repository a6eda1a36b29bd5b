//! A program to run.

use std::path::Path;
use std::sync::Arc;

use cyclescope_image::Image;

use super::{Board, BoardError, Setup};

/// An ELF file, read once; boards are started from it as often as wanted.
#[derive(Clone, Debug)]
pub struct Firmware {
    name: String,
    image: Arc<Image>,
}

impl Firmware {
    /// Reads the ELF file at `path`.
    ///
    /// # Errors
    /// [`BoardError::Read`] where it cannot be read and [`BoardError::Image`] where it is no ELF of a known core.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, BoardError> {
        let path = path.as_ref();
        let bytes = cyclescope_image::read(path).map_err(|error| BoardError::Read { path: path.to_owned(), error })?;
        Self::from_elf(&path.display().to_string(), &bytes)
    }

    /// The ELF file in `bytes`, which errors call `name`.
    ///
    /// # Errors
    /// [`BoardError::Image`] where it is no ELF of a known core.
    pub fn from_elf(name: &str, bytes: &[u8]) -> Result<Self, BoardError> {
        let image = Image::parse(bytes).map_err(|error| BoardError::Image { name: name.to_owned(), error })?;
        Ok(Self { name: name.to_owned(), image: Arc::new(image) })
    }

    /// A board with the chip called `chip` and this firmware in it, about to execute its first instruction; as [`Setup::new`]
    /// has it.
    ///
    /// # Errors
    /// As [`Setup::start`].
    pub fn on(&self, chip: &str) -> Result<Board, BoardError> {
        Setup::new(chip).start(self)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Symbols, sections, sizes and source lines.
    pub fn image(&self) -> &Image {
        &self.image
    }

    pub(super) fn shared(&self) -> Arc<Image> {
        Arc::clone(&self.image)
    }
}
