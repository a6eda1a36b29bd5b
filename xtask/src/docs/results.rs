//! The pages of `docs/results`: one an experiment, with the tables that answer its question, as the tool itself lays them out.
//! Tables that explain others, settings, flags and libraries are left to the command that prints them; what compiled each
//! contender stands once. The README's digest is checked in the same way.
//!
//! Making one takes a release build and a run of all the experiment's images, which `cargo xtask docs --check` does in CI.
//! Each page also carries a hash of the images it was made from, so that a test can tell without a run that they have
//! changed since.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::prose;

/// The folder of the pages, from the repository's root.
const FOLDER: &str = "docs/results";
const MANIFEST: &str = "firmware/images/manifest.json";
const README: &str = "README.md";

/// The beginning and the end of the digest in the README.
const DIGEST: (&str, &str) = ("```\nprimes: What does it cost", "```\n");

/// The beginning of the titles of tables that stand in a page beside those that answer the question.
const ALSO: &str = "What a user pays for";

/// The title of a page's last section.
const TOOLCHAINS: &str = "Toolchains";

/// The parts of the images' manifest that a page needs.
#[derive(Deserialize)]
struct Manifest {
    compiler: Vec<String>,
    lists: Lists,
    images: Vec<Image>,
}

#[derive(Deserialize)]
struct Image {
    name: String,
    experiment: String,
    contender: String,
    contender_version: String,
    compiler: usize,
    settings: usize,
    sha256: String,
}

#[derive(Deserialize)]
struct Lists {
    settings: Vec<Vec<(String, String)>>,
}

/// The origin of an experiment's images, as its page states it.
pub struct Origin {
    count: usize,
    hash: String,
    /// Contender, version and compiler, each once.
    toolchains: Vec<[String; 3]>,
    /// The beginnings of the lines that state a contender's settings or toolchain.
    stated: BTreeSet<String>,
}

/// Returns the experiments that have images, each with what its page says of them.
pub fn experiments(root: &Path) -> anyhow::Result<BTreeMap<String, Origin>> {
    let text = std::fs::read_to_string(root.join(MANIFEST)).with_context(|| format!("{MANIFEST} cannot be read"))?;
    let Manifest { compiler: compilers, lists, images } =
        serde_json::from_str(&text).with_context(|| format!("{MANIFEST} cannot be read"))?;
    let mut experiments: BTreeMap<String, Vec<Image>> = BTreeMap::new();
    // The kit asks nothing that has a page: its answers are boards'.
    for image in images.into_iter().filter(|image| image.experiment != "kit") {
        experiments.entry(image.experiment.clone()).or_default().push(image);
    }
    Ok(experiments.into_iter().map(|(name, images)| (name, Origin::of(&images, &compilers, &lists.settings))).collect())
}

impl Origin {
    fn of(images: &[Image], compilers: &[String], all_settings: &[Vec<(String, String)>]) -> Self {
        let mut hash = Sha256::new();
        let mut toolchains = Vec::new();
        let mut stated = BTreeSet::new();
        for Image { name, contender, contender_version, compiler, settings, sha256, .. } in images {
            hash.update(format!("{name} {sha256}\n"));
            let row = [contender.clone(), contender_version.clone(), compilers[*compiler].clone()];
            if !toolchains.contains(&row) {
                toolchains.push(row);
            }
            stated.insert(format!("{contender} {contender_version}: "));
            stated.extend(all_settings[*settings].iter().map(|(key, _)| format!("{contender}: {key}: ")));
        }
        let hash = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { count: images.len(), hash, toolchains, stated }
    }

    /// Returns the line by which a page says which images it was made from.
    fn provenance(&self) -> String {
        let Self { count, hash, .. } = self;
        format!("From {count} images; SHA-256 of their names and hashes, as manifest.json has them: `{hash}`.")
    }

    /// Returns the page's text for what the tool prints: a note that is the same below several tables stands below the first.
    fn condensed(&self, question: &str, printed: &str) -> String {
        let sections: Vec<&str> = printed.split("### ").skip(1).collect();
        let answers = |section: &&str| section.starts_with(question) || section.starts_with(ALSO);
        let answered: BTreeSet<_> = sections.iter().copied().filter(answers).filter_map(chip).collect();
        let mut seen = BTreeSet::new();
        let mut text = String::new();
        // Of a chip on which one thing was asked of one contender, the only table is the answer.
        for section in
            sections.into_iter().filter(|one| answers(one) || chip(one).is_some_and(|on| !answered.contains(on)))
        {
            let (title, body) = section.split_once('\n').unwrap_or((section, ""));
            text += &format!("\n## {title}\n");
            for block in body.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
                let always = block.starts_with(['|', '(']);
                let stated = self.stated.iter().any(|begin| block.starts_with(begin));
                if always || (!stated && seen.insert(block)) {
                    text += &format!("\n{block}\n");
                }
            }
        }
        text += &format!("\n## {TOOLCHAINS}\n\n| contender | version | compiler |\n| --- | --- | --- |\n");
        for [contender, version, compiler] in &self.toolchains {
            text += &format!("| {contender} | {version} | {compiler} |\n");
        }
        text
    }
}

/// Returns the chip that a table's title names before its clock, as in `stm32c031c6 at 48 MHz`.
fn chip(section: &str) -> Option<&str> {
    let (title, _) = section.split_once('\n')?;
    let (before, after) = title.rsplit_once(" at ")?;
    after.contains("MHz").then(|| before.rsplit(' ').next()).flatten()
}

fn page(root: &Path, experiment: &str) -> PathBuf {
    root.join(FOLDER).join(experiment).with_extension("md")
}

/// Returns the text above the tables.
fn head(experiment: &str, origin: &Origin) -> String {
    format!(
        "# {experiment}: results\n\n\
         Written by `cargo xtask docs`; do not edit. The tables are what `cyclescope run {experiment} --details --format markdown` of \
         this very version lays out; that prints more of them, with each contender's settings, flags and libraries. `--format \
         json` in its place writes the records ([records.md](../records.md)). What the figures mean: \
         [experiments.md](../experiments.md). A note that holds for several tables stands below the first of them.\n\n{}\n",
        origin.provenance()
    )
}

/// Returns the question of an experiment, with which the titles of its own tables begin.
fn question(root: &Path, experiment: &str) -> anyhow::Result<String> {
    let path = root.join("experiments").join(experiment).with_extension("toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let table: toml::Table = text.parse().with_context(|| format!("{} is no TOML", path.display()))?;
    let question = table.get("question").and_then(toml::Value::as_str);
    Ok(question.with_context(|| format!("{} asks no question", path.display()))?.to_owned())
}

/// Returns what the command of this checkout prints for `arguments`.
pub fn cyclescope(root: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new(program(root)?)
        .current_dir(root)
        .args(arguments)
        .stderr(std::process::Stdio::inherit())
        .output()
        .context("cyclescope cannot be run")?;
    ensure!(output.status.success(), "`cyclescope {}` ended with {}", arguments.join(" "), output.status);
    String::from_utf8(output.stdout).context("what it prints is no UTF-8")
}

/// Returns the path of this checkout's command, which lies beside this program. A program built for release builds it first;
/// beside a development build it must be there.
pub fn program(root: &Path) -> anyhow::Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name(format!("cyclescope{}", std::env::consts::EXE_SUFFIX));
    if cfg!(debug_assertions) {
        ensure!(path.is_file(), "{} is missing: run `cargo build --workspace --bins`", path.display());
        return Ok(path);
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.current_dir(root).args(["build", "--release", "--quiet", "--package", "cyclescope", "--bin", "cyclescope"]);
    ensure!(build.status().context("cargo cannot be run")?.success(), "cyclescope cannot be built");
    Ok(path)
}

/// Returns the path for the records of a page's run, which later steps read, and makes its folder.
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
    let (mut outputs, mut files) = (BTreeMap::new(), Vec::new());
    for (experiment, origin) in &experiments {
        if !only.is_empty() && !only.contains(experiment) {
            continue;
        }
        let records = records(root, experiment)?;
        let printed = cyclescope(root, &[&command(experiment)[..], &["--records", &records]].concat())?;
        let new = head(experiment, origin) + &origin.condensed(&question(root, experiment)?, &printed);
        settle(&page(root, experiment), &new, check)?;
        outputs.insert(format!("run {experiment}"), printed);
        files.push(records);
    }
    if only.is_empty() {
        // As a run without names prints it, from what has just run.
        let files = files.iter().map(String::as_str);
        let digest = cyclescope(root, &["digest"].into_iter().chain(files).collect::<Vec<_>>())?;
        let readme = root.join(README);
        let old = std::fs::read_to_string(&readme)?;
        settle(&readme, &with_digest(&old, &digest)?, check)?;
        prose::check(root, outputs)?;
    }
    Ok(())
}

/// Returns the arguments of the run that a page is made from.
fn command(experiment: &str) -> [&str; 5] {
    ["run", experiment, "--details", "--format", "markdown"]
}

/// Fails where the README's digest is not what a run without names prints, or a page's tables of `chips` are not what their
/// runs give; of the pages those of `only`, or all if none is named. Of an experiment without any of the chips the page is checked
/// whole.
///
/// # Errors
/// Names the document, and the section that differs.
pub fn sample(root: &Path, chips: &[String], only: &[String]) -> anyhow::Result<()> {
    let experiments = experiments(root)?;
    let missing: Vec<&String> = only.iter().filter(|name| !experiments.contains_key(*name)).collect();
    ensure!(missing.is_empty(), "no page is of {missing:?}");
    let readme = root.join(README);
    let digest = cyclescope(root, &["run"])?;
    settle(&readme, &with_digest(&std::fs::read_to_string(&readme)?, &digest)?, true)?;
    let mut unknown: BTreeSet<&str> = chips.iter().map(String::as_str).collect();
    for (experiment, origin) in experiments {
        if !only.is_empty() && !only.contains(&experiment) {
            continue;
        }
        let path = page(root, &experiment);
        let old = std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let has = |name: &&String| sections(&old).any(|(title, _)| title.split([' ', ',']).any(|word| word == **name));
        let here: Vec<&String> = chips.iter().filter(has).collect();
        unknown.retain(|name| here.iter().all(|known| known != name));
        let only = here.iter().flat_map(|name| ["--chip", name.as_str()]);
        let printed = cyclescope(root, &command(&experiment).into_iter().chain(only).collect::<Vec<_>>())?;
        let new = head(&experiment, &origin) + &origin.condensed(&question(root, &experiment)?, &printed);
        if here.is_empty() {
            settle(&path, &new, true)?;
            continue;
        }
        let (count, stale) = compared(&old, &new);
        let name = path.display();
        ensure!(count > 0, "{name}: no table was compared");
        ensure!(stale.is_empty(), "{name} is stale: run `cargo xtask docs` and read the difference in {stale:?}");
        println!("{name}: {count} tables are up to date");
    }
    ensure!(unknown.is_empty(), "no page has tables of {unknown:?}");
    Ok(())
}

/// Returns the count of the tables in `part`, and the titles of sections whose tables are not those of the same section of `page`.
fn compared<'a>(page: &str, part: &'a str) -> (usize, Vec<&'a str>) {
    let whole: BTreeMap<&str, Vec<&str>> = sections(page).collect();
    let parts = || sections(part).filter(|(title, _)| *title != TOOLCHAINS);
    let stale = parts().filter(|(title, tables)| whole.get(title) != Some(tables));
    (parts().map(|(_, tables)| tables.len()).sum(), stale.map(|(title, _)| title).collect())
}

/// Returns the sections of a page: title and tables.
fn sections(page: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let sections = page.split("\n## ").skip(1).map(|section| section.split_once('\n').unwrap_or((section, "")));
    sections.map(|(title, body)| {
        let blocks = body.split("\n\n").map(str::trim);
        (title, blocks.filter(|block| block.starts_with('|')).collect())
    })
}

/// Writes a document, or with `check` fails where it is not `new`.
pub fn settle(path: &Path, new: &str, check: bool) -> anyhow::Result<()> {
    let name = path.display();
    if std::fs::read_to_string(path).unwrap_or_default() == new {
        println!("{name} is up to date");
    } else if check {
        bail!("{name} is stale: run `cargo xtask docs` and read the difference");
    } else {
        std::fs::create_dir_all(path.parent().context("a document lies in a folder")?)?;
        std::fs::write(path, new)?;
        println!("{name} written");
    }
    Ok(())
}

/// Returns the README with its digest made anew.
fn with_digest(readme: &str, digest: &str) -> anyhow::Result<String> {
    let (begin, end) = DIGEST;
    let at = readme.find(begin).with_context(|| format!("{README} has no digest"))? + "```\n".len();
    let length = readme[at..].find(end).with_context(|| format!("{README}'s digest does not end"))?;
    Ok(format!("{}{digest}{}", &readme[..at], &readme[at + length..]))
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
        for (experiment, origin) in &experiments {
            let text = std::fs::read_to_string(page(&root, experiment)).unwrap_or_default();
            let head = head(experiment, origin);
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

    fn origin(hash: &str) -> Origin {
        let toolchains = vec![["lilos".to_owned(), "1.3.0".to_owned(), "rustc 1.96.0".to_owned()]];
        let stated = ["lilos 1.3.0: ".to_owned(), "lilos: clock: ".to_owned()].into();
        Origin { count: 2, hash: hash.to_owned(), toolchains, stated }
    }

    #[test]
    fn a_page_tells_other_images_from_its_own() {
        assert_ne!(head("primes", &origin("ab")), head("primes", &origin("ac")));
        assert_ne!(head("primes", &origin("ab")), head("primes", &Origin { count: 3, ..origin("ab") }));
    }

    #[test]
    fn a_page_holds_the_answers_and_says_once_what_is_the_same_below_several() {
        let printed = "### Why? a at 1 MHz\n\nlilos 1.3.0: rustc; flags -O\n\n| 1 |\n\nlilos: clock: 1 MHz\n\nlilos: none.\n\n\
                       ### Behind it\n\n| 2 |\n\n### Why? b at 1 MHz\n\n| 3 |\n\n(1) so.\n\nlilos: none.\n\n\
                       ### Parts on b at 1 MHz\n\n| 4 |\n\n### Parts on c at 1 MHz\n\n| 5 |\n\n(1) so.\n";
        let toolchains = "## Toolchains\n\n| contender | version | compiler |\n| --- | --- | --- |\n| lilos | 1.3.0 | rustc 1.96.0 |\n";
        let expected = format!(
            "\n## Why? a at 1 MHz\n\n| 1 |\n\nlilos: none.\n\n## Why? b at 1 MHz\n\n| 3 |\n\n(1) so.\n\n\
             ## Parts on c at 1 MHz\n\n| 5 |\n\n(1) so.\n\n{toolchains}"
        );
        assert_eq!(origin("ab").condensed("Why?", printed), expected);
    }

    #[test]
    fn a_part_of_a_page_is_compared_by_its_tables() {
        let page = "head\n\n## A on x\n\n| 1 |\n| 2 |\n\nnote\n\n## B on y\n\n| 3 |\n\n## Toolchains\n\n| c |\n";
        let part = "## none\n\n## B on y\n\nnote\n\n| 3 |\n\n## Toolchains\n\n| d |\n";
        assert_eq!(compared(page, part), (1, vec![]));
        assert_eq!(compared(page, &part.replace("| 3 |", "| 4 |")), (1, vec!["B on y"]));
        assert_eq!(compared(page, &part.replace("B on y", "C")), (1, vec!["C"]));
        assert_eq!(compared(page, "\n## A on x\n\n| 1 |\n| 2 |\n\n| 3 |\n"), (2, vec!["A on x"]));
        assert_eq!(compared(page, "\n## A on x\n\n| 1 |\n"), (1, vec!["A on x"]));
    }

    #[test]
    fn the_digest_is_replaced_and_nothing_else() {
        let readme = "a\n```\nrun\n```\n\n```\nprimes: What does it cost\nold\n```\nb\n";
        let new = with_digest(readme, "primes: What does it cost\nnew\n").unwrap();
        assert_eq!(new, readme.replace("old", "new"));
        assert!(with_digest("a\n", "b").is_err());
    }
}
