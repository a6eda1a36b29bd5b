//! `cyclescope image`.

use cyclescope_images::{Image, images};
use cyclescope_report::{Column, Table};

use crate::backend::Failure;
use crate::cli::image::ImageArguments;
use crate::error::CliError;
use crate::exit::Exit;
use crate::nearest::clause;
use crate::output::{Console, OutFile};

/// Writes a bundled program to a file, or shows what is known of it.
///
/// # Errors
/// [`CliError`] for an unknown name and for a file that cannot be written.
pub fn image(arguments: &ImageArguments, console: &mut Console) -> Result<Exit, CliError> {
    let image = images().iter().find(|image| image.name == arguments.name).ok_or_else(|| {
        let nearest = clause(&arguments.name, images().iter().map(|image| image.name));
        CliError::Unknown { kind: "image", name: arguments.name.clone(), nearest, list: "list images".into() }
    })?;
    let Some(path) = &arguments.out else {
        console.show(arguments.format.into(), &[facts(image)], Vec::new())?;
        return Ok(Exit::Success);
    };
    let file = OutFile::open(path)?;
    let elf = image.elf().map_err(|error| {
        let (subject, error) = (image.name.to_owned(), Box::new(error));
        CliError::Failure(Failure { subject, error, help: None, exit: Exit::Internal })
    })?;
    file.put(&elf, image.name, console)?;
    console.note(&format!("`cyclescope exec {} --chip {}` runs it", path.display(), image.chip));
    Ok(Exit::Success)
}

fn facts(image: &Image) -> Table {
    let mut table = Table::new(image.name, [Column::text("fact"), Column::text("value")]);
    let contender = format!("{} {}", image.contender, image.contender_version);
    let named = [
        ("experiment", image.experiment),
        ("contender", &contender),
        ("mode", image.mode),
        ("optimised", image.opt),
        ("chip", image.chip),
        ("board", image.board),
        ("output", image.channel),
        ("compiler", image.compiler()),
        ("SHA-256", image.sha256),
    ];
    named.into_iter().chain(image.settings().iter().copied()).for_each(|(name, value)| {
        table.row([name, value]);
    });
    let libraries = image.libraries().iter().map(|(name, version)| ("library", format!("{name} {version}")));
    libraries.for_each(|(name, library)| {
        table.row([name, library.as_str()]);
    });
    table.row(["flags", &image.flags().join(" ")]);
    table.note("--out FILE writes the program.");
    table
}
