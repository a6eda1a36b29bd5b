//! Builds Rust images with the packaged cargo. The projects' own manifests hold the profile and the link arguments;
//! this adds the features that mode and board ask for, the optimisation level and the path map.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Deserialize;

use super::built::Built;
use super::list::{List, Row, Shelf, Version};
use super::{toolchain, types};

/// Builds the row's image into `elf`, for the product with types; `target` holds one cargo target folder a project and optimisation
/// level: shared crates would else carry the folder of whichever project was built first in their line tables.
pub fn build(root: &Path, list: &List, row: &Row, target: &Path, elf: &Path) -> anyhow::Result<Built> {
    let project = list.project(row);
    let folder = root.join(list.folder(row));
    // A folder of another name is another project.
    let name = if list.folder(row) == project.folder { Some(OsStr::new(&row.contender)) } else { folder.file_name() };
    let target = target.join(name.context("a project's folder has a name")?).join(list.opt.level(&row.opt));
    let triple = &list.core(row).rust_target;
    let program = list.program(row);
    let mut features = format!("mode-{},board-{}", row.mode, row.board);
    for feature in program.into_iter().flat_map(|program| &program.features) {
        features += &format!(",{feature}");
    }
    let core_flags = list.for_chip(row, &list.core(row).rust_flags);
    let level = list.opt.level(&row.opt);
    let packages = package_levels(list.opt.packages(&row.opt));
    let build_std = format!("-Zbuild-std={}", list.rust.build_std);
    let mut arguments = vec![
        "build",
        "--release",
        "--locked",
        &build_std,
        "--target",
        triple,
        "--no-default-features",
        "--features",
        &features,
    ];
    // Other binaries want features that the main one is built without, so that cargo leaves them out by itself.
    if program.is_some() {
        arguments.extend(["--bin", &row.experiment]);
    }
    for package in &packages {
        arguments.extend(["--config", package]);
    }

    let rust_flags = rust_flags(&core_flags, root, &target)?;
    let cargo = |arguments: &[&str]| {
        let mut command = toolchain::cargo(&folder);
        command
            .args(arguments)
            .arg("--quiet")
            .arg("--config")
            .arg(format!("target.{triple}.rustflags={rust_flags}"))
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level)
            .env("CARGO_TARGET_DIR", &target);
        command
    };
    toolchain::run(&mut cargo(&arguments))?;
    let built = target.join(triple).join("release").join(&row.experiment);
    // Some targets' programs have an ending.
    let built = if built.is_file() { built } else { built.with_extension("elf") };
    let image = std::fs::read(&built).with_context(|| format!("cargo left no {}", built.display()))?;
    // People read the product's images; the oracle's run beside other simulators. The kernel's workspace has no coroutines.
    let image = if list.board(row).images != Shelf::Oracle && is_package(&folder)? {
        let object = elf.with_extension("types.o");
        let mut crate_alone = arguments.clone();
        crate_alone[0] = "rustc";
        if program.is_none() {
            crate_alone.extend(["--bin", &row.experiment]);
        }
        let mut command = cargo(&crate_alone);
        command.arg("--").args(types::COMPILE).arg(format!("--emit=obj={}", object.display()));
        toolchain::run(&mut command)?;
        types::add(image, &std::fs::read(&object)?).context("the types were not added")?
    } else {
        image
    };
    std::fs::write(elf, image)?;

    let libraries = locked(&folder)?;
    let version = match &project.version {
        Version::Compiler { .. } => None,
        Version::Macro { .. } => bail!("a Rust project has no C macros"),
        Version::Library { library } => {
            let found = libraries.iter().find(|(name, _)| name == library).map(|(_, version)| version.clone());
            Some(found.with_context(|| format!("{} is not in the lock file", library))?)
        }
    };
    let level = format!("CARGO_PROFILE_RELEASE_OPT_LEVEL={level}");
    let flags = [level].into_iter().chain(arguments.into_iter().map(str::to_owned)).chain(core_flags).collect();
    Ok(Built { version, libraries, flags, settings: Vec::new() })
}

/// Settings that give packages another level than the rest: numbers are integers there, letters text.
fn package_levels<'a>(packages: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let level = |level: &str| if level.parse::<u8>().is_ok() { level.to_owned() } else { format!("{level:?}") };
    packages.map(|(name, text)| format!("profile.release.package.{name}.opt-level={}", level(text))).collect()
}

/// The compiler's flags, as a TOML list: those of the core, and those that replace every folder of this machine: the
/// repository, the target folder in it, cargo's home and the library source. The last that fits wins.
fn rust_flags(core: &[String], root: &Path, target: &Path) -> anyhow::Result<String> {
    let home = match std::env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => PathBuf::from(std::env::var_os("HOME").context("neither CARGO_HOME nor HOME is set")?).join(".cargo"),
    };
    let mut pairs = vec![
        (PathBuf::from("/usr/lib/rustlib/src/rust"), "rust"),
        (root.to_owned(), "."),
        (target.to_owned(), "target"),
        (home.clone(), "cargo"),
    ];
    // The packaged library source is a link to a folder that carries the version in its name.
    if let Ok(sources) = std::fs::read_dir("/usr/src") {
        let rustc = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rustc-"));
        pairs.extend(sources.flatten().map(|entry| entry.path()).filter(rustc).map(|path| (path, "rust")));
    }
    // Each registry has a folder whose name comes from its address; the packages' names and versions say enough.
    if let Ok(registries) = std::fs::read_dir(home.join("registry/src")) {
        pairs.extend(registries.flatten().map(|entry| (entry.path(), "registry")));
    }
    let map = pairs.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
    let flags: Vec<String> = core.iter().cloned().chain(map).collect();
    serde_json::to_string(&flags).context("paths are text")
}

/// Tells whether a project's folder is a package, and not a workspace of several.
fn is_package(folder: &Path) -> anyhow::Result<bool> {
    let path = folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let manifest: toml::Table = toml::from_str(&text).with_context(|| format!("{} is no TOML", path.display()))?;
    Ok(manifest.contains_key("package"))
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
    source: Option<String>,
}

/// Names and versions of the foreign packages in the project's lock file.
fn locked(folder: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let path = folder.join("Cargo.lock");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let lock: Lock = toml::from_str(&text).with_context(|| format!("{} is not a lock file", path.display()))?;
    Ok(lock.package.into_iter().filter(|p| p.source.is_some()).map(|p| (p.name, p.version)).collect())
}

#[cfg(test)]
mod tests {
    use super::package_levels;

    #[test]
    fn levels_of_packages_are_numbers_or_text() {
        let levels = package_levels([("a", "3"), ("b", "z")].into_iter());
        assert_eq!(levels, ["profile.release.package.a.opt-level=3", "profile.release.package.b.opt-level=\"z\""]);
    }
}
