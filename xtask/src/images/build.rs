//! Builds images and writes manifests.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

use super::list::{self, Kind, List, Row, Shelf};
use super::manifest::{self, Absent, Image, Manifest, NotOn};
use super::places::{Place, Places};
use super::toolchain::{self, Toolchain};
use super::{application, arduino, c, elf, rust};

pub fn build(places: &Places, list: &List, only: &[String]) -> anyhow::Result<ExitCode> {
    let toolchain = Toolchain::probe();
    let target = places.root.join("target/firmware");
    let mut built = BTreeMap::new();
    for row in build_order(list, only) {
        let name = row.name();
        eprintln!("{name}");
        let image_and_elf =
            build_one(places, list, row, &toolchain, &target).with_context(|| format!("{name} was not built"))?;
        built.insert(name, image_and_elf);
    }

    // Another build of other images, listed since, may end at the same time; neither must lose the other's entries.
    let lock = std::fs::File::create(target.join("manifest.lock"))?;
    lock.lock()?;
    let list = &List::read(&places.root)?;
    let mut missing = 0;
    for place in places.all() {
        missing += write_manifest(place, list, &built, !only.is_empty())?;
    }
    lock.unlock()?;
    if missing != 0 {
        eprintln!("{missing} listed images have never been built: run `cargo xtask images build`");
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a crate's images and manifest with what was just built and, in a build of some, what is kept of the old;
/// takes out what is no longer listed. Returns how many listed images there is nothing of.
fn write_manifest(
    place: &Place,
    list: &List,
    built: &BTreeMap<String, (Image, Vec<u8>)>,
    keep: bool,
) -> anyhow::Result<usize> {
    let old = if keep && place.manifest.is_file() { Manifest::read(&place.manifest)?.images } else { Vec::new() };
    let mut known: BTreeMap<String, Image> = old.into_iter().map(|image| (image.name.clone(), image)).collect();
    known.extend(built.iter().map(|(name, (image, _))| (name.clone(), image.clone())));
    let listed: Vec<&Row> = list.rows().iter().filter(|row| list.board(row).images == place.shelf).collect();
    let mut images: Vec<Image> = listed.iter().filter_map(|row| known.remove(&row.name())).collect();
    let missing = listed.len() - images.len();
    place.keep(&mut images, built)?;
    let manifest =
        Manifest { schema: manifest::SCHEMA, images, absent: absent(list, place), not_on: not_on(list, place) };
    std::fs::write(&place.manifest, manifest.to_json()?)?;
    eprintln!("{} images in {}", manifest.images.len(), place.images.display());
    Ok(missing)
}

/// The rows whose name contains all of `only`, in the order that rebuilds least: project, level and board together.
pub fn build_order<'a>(list: &'a List, only: &[String]) -> Vec<&'a Row> {
    let wanted = |row: &&Row| only.iter().all(|text| row.name().contains(text));
    let mut rows: Vec<&Row> = list.rows().iter().filter(wanted).collect();
    rows.sort_by_key(|row| (&row.opt, &row.contender, &row.board, &row.mode));
    rows
}

/// Builds one image below `target`; its manifest entry and its ELF.
pub fn build_one(
    places: &Places,
    list: &List,
    row: &Row,
    toolchain: &Toolchain,
    target: &Path,
) -> anyhow::Result<(Image, Vec<u8>)> {
    let project = list.project(row);
    let compiler = toolchain.compiler(list.core(row).family, project.kind)?;
    let folder = target.join("elf");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}.elf", row.name()));
    let built = match project.kind {
        Kind::C | Kind::Cpp => c::build(&places.root, list, row, &path)?,
        Kind::Arduino => arduino::build(&places.root, list, row, &path)?,
        Kind::Rust => rust::build(&places.root, list, row, target, &path)?,
    };
    let elf = std::fs::read(&path)?;
    let facts = elf::facts(&elf)?;
    let mut settings = list.settings(row);
    settings.extend(built.settings);
    let application = application::count(&places.root, list, row)?;
    let image = Image {
        name: row.name(),
        experiment: row.experiment.clone(),
        contender: row.contender.clone(),
        contender_version: built.version.unwrap_or_else(|| toolchain::short(compiler, project.kind)),
        mode: row.mode.clone(),
        opt: row.opt.clone(),
        chip: list.board(row).chip.clone(),
        board: row.board.clone(),
        channel: list.channel(row).to_owned(),
        settings: settings.into_iter().collect(),
        sha256: facts.sha256,
        segments_sha256: facts.segments_sha256,
        compiler: compiler.to_owned(),
        libraries: built.libraries,
        flags: built.flags,
        sections: facts.sections,
        source_lines: application.source_lines,
        unsafe_blocks: application.unsafe_blocks,
        rows_absent: list.absent_rows(row).into_iter().collect(),
        archive: None,
    };
    Ok((image, elf))
}

/// The modes without a counterpart in a contender, for readers of tables; the first crate of the product's tells them for all.
pub fn absent(list: &List, place: &Place) -> Vec<Absent> {
    if place.shelf != Shelf::Product {
        return Vec::new();
    }
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

/// The product's boards that contenders do not exist for, for the same readers.
pub fn not_on(list: &List, place: &Place) -> Vec<NotOn> {
    let programs = list.project.iter().flat_map(|(contender, project)| {
        project.program.iter().map(move |(experiment, program)| (contender, experiment, program))
    });
    let each = |(contender, experiment, program): (&String, &String, &list::Program)| {
        let here = |board: &str| place.shelf != Shelf::Oracle && list.board[board].images == place.shelf;
        let of = |(board, reason): (&String, &String)| NotOn {
            experiment: experiment.clone(),
            contender: contender.clone(),
            board: board.clone(),
            reason: reason.clone(),
        };
        program.not_on.iter().filter(|(board, _)| here(board)).map(of).collect::<Vec<_>>()
    };
    programs.flat_map(each).collect()
}
