//! The parts of a user's image that can lie elsewhere.

use cyclescope_chips::Part;
use cyclescope_image::Image;
use cyclescope_layout::{LinkerMap, Units, UnitsError};

/// Returns the units of `image` on `part`, by its symbols or by the linker's `map`; `None` on a part whose time depends on no address.
///
/// # Errors
/// [`UnitsError`] if nothing tells them.
pub fn units(part: &Part, image: &Image, map: Option<&LinkerMap>) -> Result<Option<Units>, UnitsError> {
    if part.reach([0, 0], 0).is_none() {
        return Ok(None);
    }
    let ties = |halfwords, pc| part.reach(halfwords, pc);
    Units::of(image, part.code_memory(), &part.fixed(), &ties, map).map(Some)
}
