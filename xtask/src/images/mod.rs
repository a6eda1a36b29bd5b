//! `cargo xtask images build|check`: makes the bundled firmware images, or says which of them no longer come out.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Subcommand;
use flate2::{Compression, GzBuilder, read::GzDecoder};

mod c;
mod check;
mod elf;
mod list;
mod manifest;
mod rust;
mod toolchain;

use list::{Kind, List, Row};
use manifest::{Absent, Image, Manifest};
use toolchain::Toolchain;

/// Arguments of `cargo xtask images`.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Build every image of firmware/images.toml and write images, manifest and table.
    Build {
        /// Build only images whose name contains this text; the others stay as the manifest has them.
        #[arg(long)]
        only: Option<String>,
    },
    /// Build images again in a scratch folder, and say which differ from the committed ones.
    Check {
        /// Check only images whose name contains this text.
        #[arg(long)]
        only: Option<String>,
        /// Check this many images, spread over the list, instead of all.
        #[arg(long)]
        sample: Option<usize>,
        /// Fail, too, when images could not be compared because a compiler is missing or another one.
        #[arg(long)]
        strict: bool,
    },
}

/// What a build tells beside its ELF.
struct Built {
    /// The contender's version, unless it is the compiler's.
    version: Option<String>,
    libraries: Vec<(String, String)>,
    flags: Vec<String>,
    /// Settings read from the build itself.
    settings: Vec<(String, String)>,
}

/// Where things are in the checkout.
struct Places {
    root: PathBuf,
    images: PathBuf,
    manifest: PathBuf,
    table: PathBuf,
}

impl Places {
    fn new() -> anyhow::Result<Self> {
        let here = std::env::current_dir()?;
        let root = here.ancestors().find(|folder| folder.join("firmware/images.toml").is_file());
        let root = root.context("run this inside the repository: no firmware/images.toml here or above")?.to_owned();
        let package = root.join("firmware/images");
        Ok(Self {
            images: package.join("images"),
            manifest: package.join("manifest.json"),
            table: package.join("src/generated/table.rs"),
            root,
        })
    }

    fn packed(&self, name: &str) -> PathBuf {
        self.images.join(format!("{name}.elf.gz"))
    }
}

/// Runs the chore.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let places = Places::new()?;
    let list = List::read(&places.root)?;
    match &arguments.action {
        Action::Build { only } => build(&places, &list, only.as_deref()),
        Action::Check { only, sample, strict } => check::run(&places, &list, only.as_deref(), *sample, *strict),
    }
}

fn build(places: &Places, list: &List, only: Option<&str>) -> anyhow::Result<ExitCode> {
    let toolchain = Toolchain::probe();
    let target = places.root.join("target/firmware");
    std::fs::create_dir_all(&places.images)?;
    let mut kept: BTreeMap<String, Image> = match only {
        Some(_) => Manifest::read(&places.manifest)?.images.into_iter().map(|i| (i.name.clone(), i)).collect(),
        None => BTreeMap::new(),
    };
    for row in build_order(list, only) {
        let name = row.name();
        eprintln!("{name}");
        let (image, elf) =
            build_one(places, list, row, &toolchain, &target).with_context(|| format!("{name} was not built"))?;
        std::fs::write(places.packed(&name), pack(&elf)?)?;
        kept.insert(name, image);
    }

    let mut images = Vec::new();
    for row in list.rows() {
        let name = row.name();
        let Some(image) = kept.remove(&name) else {
            bail!("{name} has never been built: run `cargo xtask images build` without --only");
        };
        images.push(image);
    }
    remove_unlisted(places, &images)?;
    let manifest = Manifest { schema: manifest::SCHEMA, images, absent: absent(list) };
    std::fs::write(&places.manifest, manifest.to_json()?)?;
    std::fs::create_dir_all(places.table.parent().context("the table stands in a folder")?)?;
    std::fs::write(&places.table, manifest.to_table()?)?;
    eprintln!("{} images in {}", manifest.images.len(), places.images.display());
    Ok(ExitCode::SUCCESS)
}

/// The rows whose name contains `only`, or all, in the order that rebuilds least: project, level and board together.
fn build_order<'a>(list: &'a List, only: Option<&str>) -> Vec<&'a Row> {
    let wanted = |row: &&Row| only.is_none_or(|text| row.name().contains(text));
    let mut rows: Vec<&Row> = list.rows().iter().filter(wanted).collect();
    rows.sort_by_key(|row| (&row.opt, &row.contender, &row.board, &row.mode));
    rows
}

/// Builds one image below `target`; its manifest entry and its ELF.
fn build_one(
    places: &Places,
    list: &List,
    row: &Row,
    toolchain: &Toolchain,
    target: &Path,
) -> anyhow::Result<(Image, Vec<u8>)> {
    let project = list.project(row);
    let compiler = toolchain.compiler(project.kind)?;
    let folder = target.join("elf");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}.elf", row.name()));
    let built = match project.kind {
        Kind::C | Kind::Cpp => c::build(&places.root, list, row, &path)?,
        Kind::Rust => rust::build(&places.root, list, row, target, &path)?,
    };
    let elf = std::fs::read(&path)?;
    let facts = elf::facts(&elf)?;
    let mut settings = project.settings.clone();
    settings.extend(project.board_settings.get(&row.board).cloned().unwrap_or_default());
    settings.extend(built.settings);
    let image = Image {
        name: row.name(),
        experiment: row.experiment.clone(),
        contender: row.contender.clone(),
        contender_version: built.version.unwrap_or_else(|| toolchain::short(compiler, project.kind)),
        mode: row.mode.clone(),
        opt: row.opt.clone(),
        chip: list.board(row).chip.clone(),
        board: row.board.clone(),
        channel: project.channel[&row.board].clone(),
        settings,
        sha256: facts.sha256,
        segments_sha256: facts.segments_sha256,
        compiler: compiler.to_owned(),
        libraries: built.libraries,
        flags: built.flags,
        sections: facts.sections,
    };
    Ok((image, elf))
}

fn absent(list: &List) -> Vec<Absent> {
    let each = |absent: &list::Absent| {
        let of = |contender: &String| Absent {
            experiment: absent.experiment.clone(),
            contender: contender.clone(),
            mode: absent.mode.clone(),
            reason: absent.reason.clone(),
        };
        absent.contenders.iter().map(of).collect::<Vec<_>>()
    };
    list.absent.iter().flat_map(each).collect()
}

/// Takes files of images that are no longer listed out of the folder.
fn remove_unlisted(places: &Places, images: &[Image]) -> anyhow::Result<()> {
    let listed: Vec<PathBuf> = images.iter().map(|image| places.packed(&image.name)).collect();
    for entry in std::fs::read_dir(&places.images)? {
        let path = entry?.path();
        if !listed.contains(&path) {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// gzip without name or time, so that the same ELF always packs to the same bytes.
fn pack(elf: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    encoder.write_all(elf)?;
    Ok(encoder.finish()?)
}

fn unpack(packed: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut elf = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut elf)?;
    Ok(elf)
}

#[cfg(test)]
mod tests {
    #[test]
    fn packing_is_repeatable_and_reversible() {
        let data: Vec<u8> = (0..10_000u32).map(|k| ((k * k) >> 7) as u8).collect();
        let packed = super::pack(&data).unwrap();
        assert_eq!(packed, super::pack(&data).unwrap());
        assert_eq!(super::unpack(&packed).unwrap(), data);
    }
}
