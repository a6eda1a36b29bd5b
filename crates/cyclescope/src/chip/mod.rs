//! The chip of a user's firmware: named by the user, by the firmware, or by the project around it.

mod project;

use std::path::Path;

use cyclescope_chips::Part;
use cyclescope_guest::chip;
pub(crate) use cyclescope_guest::chip::fitting;
use cyclescope_guest::hint::{self, Hint, Name};
use cyclescope_image::Image;

use crate::backend::Catalogue;
use crate::error::CliError;
use crate::output::Console;

/// Returns the name of the chip that the firmware at `path`, with its `image` if it has one, or its project names, or that the
/// bundled image of the same bytes was built for. It is said on `console`.
///
/// # Errors
/// [`CliError::NoChip`] if nothing names a chip, or one that is not modelled.
pub(crate) fn find(
    path: &Path,
    image: Option<&Image>,
    catalogue: &Catalogue,
    console: &mut Console,
) -> Result<String, CliError> {
    // A bundled image names no chip, and is built for one.
    let bundled = image.and_then(|image| {
        let sha256 = image.file_sha256().to_string();
        catalogue.images.iter().find(|entry| entry.sha256 == sha256)
    });
    if let Some(entry) = bundled {
        let (chip, name) = (&entry.chip, &entry.name);
        console.note(&format!("chip {chip}, for which the bundled image {name} was built; --chip names another"));
        return Ok(chip.clone());
    }
    let hints: Vec<Hint> = image.map(hint::hints).unwrap_or_default().into_iter().chain(project::hints(path)).collect();
    let found = hints.iter().find_map(|hint| {
        let candidates = hint.name.candidates();
        (!candidates.is_empty()).then_some((hint, candidates))
    });
    let Some((hint, candidates)) = found else {
        let named = hints.iter().find_map(|hint| Some((hint.name.written()?, &hint.place)));
        return Err(match named {
            Some((name, place)) => CliError::NoChip { hint: Some((place.clone(), resolve(name).err().map(Box::new))) },
            None => CliError::NoChip { hint: None },
        });
    };
    let of_one_line = |name: &&str| Part::find(name).map(Part::line) == Part::find(candidates[0]).map(Part::line);
    if matches!(hint.name, Name::Memories { .. }) && !candidates.iter().all(of_one_line) {
        return Err(CliError::FitsSeveral { place: hint.place.clone(), fitting: candidates });
    }
    let (chip, others) = (candidates[0].to_owned(), &candidates[1..]);
    let why = match (&hint.name, others) {
        (Name::Part(_), _) => format!("named by {}", hint.place),
        (Name::Line(_) | Name::Memories { .. }, []) => format!("taken from {}", hint.place),
        (Name::Line(_) | Name::Memories { .. }, few @ ([_] | [_, _])) => {
            format!("taken from {}, which fits {} as well", hint.place, few.join(" and "))
        }
        (Name::Line(_) | Name::Memories { .. }, [first, second, more @ ..]) => {
            format!("taken from {}, which fits {first}, {second} and {} more as well", hint.place, more.len())
        }
    };
    console.note(&format!("chip {chip}, {why}; --chip names another"));
    Ok(chip)
}

/// Returns the catalogue's name for `name`, or the path of a file that describes a chip.
///
/// # Errors
/// [`CliError::ChipName`] for a chip that is not modelled, [`CliError::Chip`] for a file that describes none.
pub(crate) fn resolve(name: &str) -> Result<String, CliError> {
    if Part::is_file(name) {
        // A mistake in the file is not one of the image that is to run on it.
        Part::from_file(Path::new(name))?;
        return Ok(name.to_owned());
    }
    Ok(chip::find(name)?.name.to_string())
}
