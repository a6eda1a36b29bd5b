//! A user's firmware: its image with what is loaded beside it, its name and its chip.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use cyclescope_chips::Part;
use cyclescope_guest::Variant;
use cyclescope_guest::chip::architecture;
use cyclescope_guest::variant::part;
use cyclescope_image::{Architecture, Contents, Image};
use cyclescope_machine::Placement;
use cyclescope_machine::units::Address;
use cyclescope_scope::GapListener;

use super::file_name;
use crate::backend::{Catalogue, Devices, Guest, HostFolder, MemorySetting};
use crate::chip;
use crate::cli::shared::{Beside, FilesArguments, LimitArguments};
use crate::error::CliError;
use crate::files;
use crate::output::Console;

/// A firmware and the chip that runs it.
pub(super) struct Opened {
    pub(super) image: Image,
    pub(super) name: String,
    pub(super) chip: String,
    /// The bytes of the firmware's file.
    pub(super) file: Vec<u8>,
}

impl Opened {
    /// Reads the firmware at `path`: an ELF, or Intel HEX or UF2 without symbols. The files of `beside` are loaded with it.
    /// Without a `chip`, the firmware or its project names it.
    ///
    /// # Errors
    /// [`CliError`] for files that cannot be read, that overlap, or that do not fit together, and for the chip as
    /// [`chip::resolve`] and [`chip::find`].
    pub(super) fn read(
        path: &Path,
        chip: Option<&str>,
        beside: &[Beside],
        catalogue: &Catalogue,
        console: &mut Console,
    ) -> Result<Self, CliError> {
        // A name that is wrong is told before a file is read.
        let asked = chip.map(chip::resolve).transpose()?;
        let file = cyclescope_image::read(path).map_err(CliError::unreadable(path))?;
        let mut chosen = |image: Option<&Image>| match &asked {
            Some(chip) => Ok(chip.clone()),
            None => chip::find(path, image, catalogue, console),
        };
        let (mut image, chip) = match Contents::read(&file).map_err(CliError::bad_file(path))? {
            None => {
                let image = Image::parse(&file).map_err(CliError::bad_file(path))?;
                let chip = chosen(Some(&image))?;
                (image, chip)
            }
            Some(contents) => {
                let chip = chosen(None)?;
                let part = Part::load(&chip).map_err(CliError::from)?;
                (Image::of_contents(&file, contents, architecture(&part)), chip)
            }
        };
        let mut known = vec![(path, ranges(&image))];
        for other in beside {
            let loaded = read_beside(other, image.architecture())?;
            let own = ranges(&loaded);
            check_overlap(&known, &other.path, &own)?;
            image.add(&loaded).map_err(CliError::bad_file(&other.path))?;
            known.push((&other.path, own));
        }
        Ok(Self { image, name: file_name(path), chip, file })
    }

    /// Returns what `variant` makes of this firmware and its chip.
    ///
    /// # Errors
    /// [`CliError::Variant`], and [`CliError::Read`] for a file that describes the chip and cannot be read any more.
    pub(super) fn varied(&self, variant: Variant) -> Result<Varied, CliError> {
        if variant == Variant::default() {
            return Ok(Varied { variant, part: None, placement: None });
        }
        let path = Path::new(&self.chip);
        let text = Part::is_file(&self.chip).then(|| std::fs::read_to_string(path)).transpose();
        let text = text.map_err(CliError::unreadable(path))?;
        let part = part(&self.chip, text.as_deref(), variant.clock)?;
        let placement = variant.placement(&part, &self.image)?;
        Ok(Varied { variant, part: Some(part), placement })
    }

    /// Returns the guest of this firmware, whose model gaps `gaps` is told of, with the folder of `files` and with `devices`
    /// on its chip's pins.
    pub(super) fn guest<'a>(
        &'a self,
        memory: MemorySetting,
        limits: LimitArguments,
        files: &'a FilesArguments,
        devices: &'a Devices,
        gaps: &'a dyn GapListener,
    ) -> Guest<'a> {
        let LimitArguments { max_output, guest_handles_faults, .. } = limits;
        Guest {
            max_output,
            guest_handles_faults,
            gaps: Some(gaps),
            files: files.files.as_deref().map(|path| HostFolder { path, open: files::open }),
            devices: Some(devices),
            ..Guest::new(&self.image, &self.name, &self.chip, memory)
        }
    }
}

/// A chip at another clock, and other places for an image's code.
pub(super) struct Varied {
    variant: Variant,
    part: Option<Cow<'static, Part>>,
    placement: Option<Arc<Placement>>,
}

impl Varied {
    /// Returns `guest` with this chip and these places.
    pub(super) fn over<'a>(&'a self, guest: Guest<'a>) -> Guest<'a> {
        Guest { variant: self.variant, part: self.part.as_deref(), placement: self.placement.as_ref(), ..guest }
    }
}

/// Returns the addresses of the bytes of `image`: of each segment the first and the last.
fn ranges(image: &Image) -> Vec<RangeInclusive<u32>> {
    let of = |address: Address, bytes: usize| {
        let last = u32::try_from(bytes).ok()?.checked_sub(1)?;
        Some(address.get()..=address.get().checked_add(last)?)
    };
    image.segments().filter_map(|segment| of(segment.address, segment.bytes.len())).collect()
}

/// Checks that `own`, the bytes of the file at `path`, lie apart from those of the files `known`.
fn check_overlap(
    known: &[(&Path, Vec<RangeInclusive<u32>>)],
    path: &Path,
    own: &[RangeInclusive<u32>],
) -> Result<(), CliError> {
    for (first, theirs) in known {
        for (one, other) in own.iter().flat_map(|one| theirs.iter().map(move |other| (one, other))) {
            let (from, to) = (one.start().max(other.start()), one.end().min(other.end()));
            if from <= to {
                let (from, to) = (Address::new(*from), Address::new(*to));
                return Err(CliError::FilesOverlap { first: first.to_path_buf(), second: path.to_owned(), from, to });
            }
        }
    }
    Ok(())
}

/// Reads a file that is loaded beside an image of `architecture`.
fn read_beside(beside: &Beside, architecture: Architecture) -> Result<Image, CliError> {
    let path = &beside.path;
    let wrong = CliError::bad_file(path);
    let file = cyclescope_image::read(path).map_err(|error| {
        let name = path.to_string_lossy();
        let part = name.rsplit_once('@').filter(|_| error.kind() == ErrorKind::NotFound && beside.address.is_none());
        match part {
            Some((_, part)) => CliError::NotAnAddress { path: path.clone(), part: part.to_owned() },
            None => CliError::unreadable(path)(error),
        }
    })?;
    if let Some(address) = beside.address {
        let contents = Contents::binary(&file, Address::new(address)).map_err(wrong)?;
        return Ok(Image::of_contents(&file, contents, architecture));
    }
    match Contents::read(&file).map_err(wrong)? {
        Some(contents) => Ok(Image::of_contents(&file, contents, architecture)),
        None if file.starts_with(b"\x7fELF") => Image::parse(&file).map_err(wrong),
        None => Err(CliError::NoAddress(path.clone())),
    }
}
