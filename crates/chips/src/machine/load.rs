//! From an image to a machine: is it for this part at all?

use cyclescope_image::{Architecture, Image};

use super::{LoadError, Machine, Settings};
use crate::part::{Core, Part};

impl Machine {
    /// `part` with `image` in it, reset and about to run its first instruction.
    ///
    /// # Errors
    /// [`LoadError`] where the image is for another kind of core or, as far as it says so, for another part, and where the
    /// part could not start it.
    pub fn load(part: &Part, settings: Settings, image: &Image) -> Result<Self, LoadError> {
        let architecture = image.architecture();
        let fits = match part.core {
            Core::CortexM(_) => architecture == Architecture::Arm,
        };
        if !fits {
            return Err(LoadError::Architecture {
                image: architecture.to_string(),
                part: part.name.to_string(),
                core: part.core.name(),
            });
        }
        let main = image.segments().filter(|segment| architecture.is_main_memory(segment.address.get()));
        Self::new(part, settings, main.map(|segment| (segment.address, segment.bytes)))
    }
}
