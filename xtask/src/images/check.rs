//! `images check`: is each committed image what its manifest says, and does it come out of its sources again?

use std::process::ExitCode;

use anyhow::Context;

use super::build::{absent, build_one, build_order, not_on};
use super::elf;
use super::list::{List, Row};
use super::manifest::{Image, Manifest};
use super::places::{Place, Places};
use super::toolchain::Toolchain;

/// The result of the check of one image.
enum Verdict {
    Same,
    /// The loaded program is the same, but other parts of the file differ (symbol names hash the path of the sources).
    SameProgram,
    Differs(String),
    NotCompared(String),
}

/// Checks the images whose name contains all of `only`; of these `sample` spread over the list, or all.
pub fn run(
    places: &Places,
    list: &List,
    only: &[String],
    sample: Option<usize>,
    strict: bool,
) -> anyhow::Result<ExitCode> {
    let toolchain = Toolchain::probe();
    let scratch = places.root.join("target/firmware-check");
    std::fs::create_dir_all(places.root.join("target"))?;
    // A second check waits: it would empty the folder that the first one builds in.
    let lock = std::fs::File::create(scratch.with_extension("lock"))?;
    lock.lock()?;
    if scratch.exists() {
        std::fs::remove_dir_all(&scratch).context("cannot empty the scratch folder")?;
    }
    let mut differing = 0;
    let mut images = Vec::new();
    for place in places.all() {
        let manifest = Manifest::read(&place.manifest)?;
        differing += files_that_differ(place, list, &manifest)?;
        images.extend(manifest.images);
    }
    let (mut same, mut programs, mut skipped) = (0, 0, 0);
    for row in spread(build_order(list, only), sample) {
        let name = row.name();
        let Some(image) = images.iter().find(|image| image.name == name) else {
            println!("{name}: not in the manifest; run `cargo xtask images build`");
            differing += 1;
            continue;
        };
        match compare(places, list, row, image, &toolchain, &scratch)? {
            Verdict::Same => same += 1,
            Verdict::SameProgram => {
                println!("{name}: the loaded program is the same, but not the whole file");
                programs += 1;
            }
            Verdict::Differs(how) => {
                println!("{name}: differs: {how}");
                differing += 1;
            }
            Verdict::NotCompared(why) => {
                println!("{name}: not compared: {why}");
                skipped += 1;
            }
        }
    }
    println!("{same} the same, {programs} the same program, {differing} differ, {skipped} not compared");
    let failed = differing != 0 || (strict && skipped != 0);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Counts the committed files that are not what the manifest or the list says; needs no compiler.
fn files_that_differ(place: &Place, list: &List, manifest: &Manifest) -> anyhow::Result<usize> {
    let mut differing = 0;
    for image in &manifest.images {
        match place.elf(image).and_then(|elf| elf::facts(&elf)) {
            Ok(facts) if facts.sha256 != image.sha256 => {
                println!("{}: the committed file is not the manifest's", image.name);
                differing += 1;
            }
            Ok(facts) if facts.segments_sha256 != image.segments_sha256 => {
                println!("{}: the committed file's program is not the manifest's", image.name);
                differing += 1;
            }
            Ok(_) => {}
            Err(error) => {
                println!("{}: the committed file is not readable: {error:#}", image.name);
                differing += 1;
            }
        }
        if !list.rows().iter().any(|row| row.name() == image.name && list.board(row).images == place.shelf) {
            println!("{}: in the manifest but no longer in the list", image.name);
            differing += 1;
        }
    }
    if manifest.absent != absent(list, place) {
        println!("the manifest's absent modes are not the list's");
        differing += 1;
    }
    if manifest.not_on != not_on(list, place) {
        println!("the boards that contenders do not exist for are not the list's");
        differing += 1;
    }
    Ok(differing)
}

fn compare(
    places: &Places,
    list: &List,
    row: &Row,
    image: &Image,
    toolchain: &Toolchain,
    scratch: &std::path::Path,
) -> anyhow::Result<Verdict> {
    match toolchain.compiler(list.core(row).family, list.project(row).kind) {
        Err(missing) => return Ok(Verdict::NotCompared(missing.to_string())),
        Ok(installed) if installed != image.compiler => {
            let why = format!("built with `{}`, installed is `{installed}`", image.compiler);
            return Ok(Verdict::NotCompared(why));
        }
        Ok(_) => {}
    }
    eprintln!("{}", image.name);
    let (rebuilt, _) = match build_one(places, list, row, toolchain, scratch) {
        Ok(built) => built,
        Err(error) => return Ok(Verdict::Differs(format!("it does not build: {error:#}"))),
    };
    // Where it is kept says nothing of what it is.
    Ok(verdict(image, &Image { archive: image.archive.clone(), ..rebuilt }))
}

fn verdict(committed: &Image, rebuilt: &Image) -> Verdict {
    if committed == rebuilt {
        return Verdict::Same;
    }
    if committed.segments_sha256 != rebuilt.segments_sha256 {
        let sizes = |image: &Image| image.sections.iter().map(|section| section.size).sum::<u32>();
        return Verdict::Differs(format!(
            "another program ({} bytes of sections instead of {})",
            sizes(rebuilt),
            sizes(committed)
        ));
    }
    let normalised = Image { sha256: committed.sha256.clone(), ..rebuilt.clone() };
    if *committed == normalised {
        return Verdict::SameProgram;
    }
    Verdict::Differs("the same program, but another description (settings, flags or libraries)".to_owned())
}

/// `sample` rows, or all, evenly spread over the order.
fn spread<T>(rows: Vec<T>, sample: Option<usize>) -> Vec<T> {
    let total = rows.len();
    let Some(sample) = sample.filter(|&sample| sample < total) else { return rows };
    // Row k is taken when the running count k * sample / total steps up at it.
    rows.into_iter()
        .enumerate()
        .filter(|(k, _)| (k + 1) * sample / total > k * sample / total)
        .map(|(_, row)| row)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_its_size_and_reaches_the_end() {
        for total in 1..40 {
            for sample in 0..50 {
                let taken = spread((0..total).collect(), Some(sample));
                assert_eq!(taken.len(), sample.min(total));
                assert!(sample == 0 || taken.contains(&(total - 1)));
            }
        }
        assert_eq!(spread(vec![1, 2, 3], None), [1, 2, 3]);
    }

    #[test]
    fn verdicts_tell_program_from_file() {
        let places = Places::new().unwrap();
        let image = Manifest::read(&places.product.manifest).unwrap().images.remove(0);
        let changed = |change: fn(&mut Image)| {
            let mut other = image.clone();
            change(&mut other);
            verdict(&image, &other)
        };
        assert!(matches!(changed(|_| ()), Verdict::Same));
        assert!(matches!(changed(|other| other.sha256.clear()), Verdict::SameProgram));
        assert!(matches!(changed(|other| other.segments_sha256.clear()), Verdict::Differs(_)));
        assert!(matches!(changed(|other| other.flags.clear()), Verdict::Differs(_)));
    }
}
