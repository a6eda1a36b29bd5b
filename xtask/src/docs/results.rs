//! The pages of `docs/results`: one an experiment, its tables as the tool itself lays them out from its records.
//!
//! Making one takes a release build and a run of all the experiment's images, which `cargo xtask docs --check` does in CI.
//! Each page also carries a hash of the images it was made from, so that a test can tell without a run that they have
//! changed since.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// Where the pages are, from the repository's root.
const FOLDER: &str = "docs/results";
const MANIFEST: &str = "firmware/images/manifest.json";

/// What of the images' manifest is asked for.
#[derive(Deserialize)]
struct Manifest {
    images: Vec<Image>,
}

#[derive(Deserialize)]
struct Image {
    name: String,
    experiment: String,
    sha256: String,
}

/// The experiments that have images, each with how many and a hash of theirs.
pub fn experiments(root: &Path) -> anyhow::Result<BTreeMap<String, (usize, String)>> {
    let text = std::fs::read_to_string(root.join(MANIFEST)).with_context(|| format!("{MANIFEST} cannot be read"))?;
    let manifest: Manifest = serde_json::from_str(&text).with_context(|| format!("{MANIFEST} cannot be read"))?;
    let mut hashes: BTreeMap<String, (usize, Sha256)> = BTreeMap::new();
    // The kit asks nothing that has a page: its answers are boards'.
    for image in manifest.images.into_iter().filter(|image| image.experiment != "kit") {
        let (count, hash) = hashes.entry(image.experiment).or_default();
        *count += 1;
        hash.update(format!("{} {}\n", image.name, image.sha256));
    }
    let finished = |hash: Sha256| hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(hashes.into_iter().map(|(name, (count, hash))| (name, (count, finished(hash)))).collect())
}

fn page(root: &Path, experiment: &str) -> PathBuf {
    root.join(FOLDER).join(experiment).with_extension("md")
}

/// The line by which a page says which images it was made from.
fn provenance(count: usize, hash: &str) -> String {
    format!("From {count} images; SHA-256 of their names and hashes, as manifest.json has them: `{hash}`.")
}

/// What stands above the tables.
fn head(experiment: &str, count: usize, hash: &str) -> String {
    format!(
        "# {experiment}: results\n\n\
         Written by `cargo xtask docs`; do not edit. The tables are what `cyclescope run {experiment} --format markdown` of \
         this very version lays out from the records that it makes; `--format json` in its place writes the records \
         ([records.md](../records.md)). What the figures mean: [experiments.md](../experiments.md).\n\n{}\n\n",
        provenance(count, hash)
    )
}

/// What a release build of this checkout prints for `arguments`.
pub fn cyclescope(root: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(root)
        .args(["run", "--release", "--quiet", "--package", "cyclescope", "--bin", "cyclescope", "--"])
        .args(arguments)
        .stderr(std::process::Stdio::inherit())
        .output()
        .context("cargo cannot be run")?;
    ensure!(output.status.success(), "`cyclescope {}` ended with {}", arguments.join(" "), output.status);
    String::from_utf8(output.stdout).context("what it prints is no UTF-8")
}

/// Where the records of a page's run are kept for those who need them next.
pub fn records(root: &Path, experiment: &str) -> anyhow::Result<String> {
    let folder = root.join("target/docs");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(experiment).with_extension("json");
    path.into_os_string().into_string().ok().context("the repository's path is no UTF-8")
}

/// Writes the pages of `only` (of all, if that is empty), or with `check` fails where one is not what a run gives.
pub fn refresh(root: &Path, only: &[String], check: bool) -> anyhow::Result<()> {
    let experiments = experiments(root)?;
    if let Some(unknown) = only.iter().find(|name| !experiments.contains_key(*name)) {
        bail!("no bundled image is of an experiment {unknown}");
    }
    for (experiment, (count, hash)) in &experiments {
        if !only.is_empty() && !only.contains(experiment) {
            continue;
        }
        let path = page(root, experiment);
        let records = records(root, experiment)?;
        let arguments = ["run", experiment, "--format", "markdown", "--records", &records];
        let new = head(experiment, *count, hash) + &cyclescope(root, &arguments)?;
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        if new == old {
            println!("{FOLDER}/{experiment}.md is up to date");
        } else if check {
            bail!("{FOLDER}/{experiment}.md is stale: run `cargo xtask docs` and read the difference");
        } else {
            std::fs::create_dir_all(root.join(FOLDER))?;
            std::fs::write(&path, new)?;
            println!("{FOLDER}/{experiment}.md written");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    #[test]
    fn every_page_was_made_from_the_images_that_are_bundled() {
        let root = root();
        let experiments = experiments(&root).unwrap();
        for (experiment, (count, hash)) in &experiments {
            let text = std::fs::read_to_string(page(&root, experiment)).unwrap_or_default();
            let head = head(experiment, *count, hash);
            assert!(
                text.starts_with(&head),
                "{experiment}'s page is stale: run `cargo xtask docs` and read the difference"
            );
        }
        for entry in std::fs::read_dir(root.join(FOLDER)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "json") {
                continue;
            }
            let known = experiments.keys().any(|experiment| path == page(&root, experiment));
            assert!(known, "{} is of no experiment that has images", path.display());
        }
    }

    #[test]
    fn a_page_tells_other_images_from_its_own() {
        assert_ne!(head("primes", 2, "ab"), head("primes", 2, "ac"));
        assert_ne!(head("primes", 2, "ab"), head("primes", 3, "ab"));
    }
}
