//! `cargo xtask package`: the crates as a registry takes them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, bail, ensure};
use serde::Deserialize;

/// The most bytes of a crate that crates.io takes.
const MOST_BYTES: u64 = 10 << 20;

/// The crates to pack.
#[derive(clap::Args)]
pub struct Arguments {
    /// Build each crate from its package alone, too, which takes minutes
    #[arg(long)]
    verify: bool,
    /// Pack what is not committed, too
    #[arg(long)]
    allow_dirty: bool,
}

/// The members of the workspace, as `cargo metadata` has them.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    target_directory: PathBuf,
}

/// A member.
#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    license: Option<String>,
    #[serde(default)]
    repository: Option<String>,
    /// The registries that may have it; `None` stands for all.
    publish: Option<Vec<String>>,
    dependencies: Vec<Dependency>,
}

/// A dependency of a member.
#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// The version; `*` if none is written.
    req: String,
    kind: Option<String>,
    path: Option<PathBuf>,
}

impl Package {
    fn is_published(&self) -> bool {
        self.publish.as_ref().is_none_or(|registries| !registries.is_empty())
    }
}

/// Packs the crates that are published and checks them.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the workspace")?;
    let cargo = || {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root);
        cargo
    };
    let told = cargo().args(["metadata", "--format-version", "1", "--no-deps", "--locked"]).output();
    let told = told.context("cargo cannot be started")?;
    ensure!(told.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&told.stderr));
    let metadata: Metadata = serde_json::from_slice(&told.stdout).context("cargo metadata is not understood")?;
    let order = order(&metadata.packages)?;
    let mut pack = cargo();
    pack.args(["package", "--workspace", "--locked", "--quiet"]);
    for package in metadata.packages.iter().filter(|package| !package.is_published()) {
        pack.args(["--exclude", &package.name]);
    }
    for (asked, option) in [(!arguments.verify, "--no-verify"), (arguments.allow_dirty, "--allow-dirty")] {
        pack.args(asked.then_some(option));
    }
    let status = pack.status().context("cargo cannot be started")?;
    ensure!(status.success(), "cargo package ended with {status}");
    let mut sizes = Vec::new();
    for package in &order {
        let file = format!("{}-{}.crate", package.name, package.version);
        let path = metadata.target_directory.join("package").join(&file);
        let bytes = std::fs::metadata(&path).with_context(|| format!("{} is not there", path.display()))?.len();
        sizes.push((package.name.as_str(), bytes));
    }
    check_sizes(&sizes)?;
    println!("in the order in which they can be published, with the bytes of each:");
    for (name, bytes) in sizes {
        println!("{bytes:>9}  {name}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses crates that are too large.
fn check_sizes(sizes: &[(&str, u64)]) -> anyhow::Result<()> {
    let large: Vec<String> = sizes
        .iter()
        .filter(|(_, bytes)| *bytes > MOST_BYTES)
        .map(|(name, bytes)| format!("{name} has {bytes} bytes"))
        .collect();
    ensure!(large.is_empty(), "a registry takes {MOST_BYTES} bytes at most: {}", large.join(", "));
    Ok(())
}

/// Returns the crates that are published, each after those that it depends on. Dependencies of tests count if they have a version,
/// for a registry then asks for them too.
fn order(packages: &[Package]) -> anyhow::Result<Vec<&Package>> {
    let published: BTreeMap<&str, &Package> = packages
        .iter()
        .filter(|package| package.is_published())
        .map(|package| (package.name.as_str(), package))
        .collect();
    let mut waiting: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, package) in &published {
        for (field, value) in
            [("description", &package.description), ("license", &package.license), ("repository", &package.repository)]
        {
            ensure!(value.as_ref().is_some_and(|text| !text.is_empty()), "{name} has no {field} in its Cargo.toml");
        }
        let mut needs = BTreeSet::new();
        for dependency in package.dependencies.iter().filter(|dependency| dependency.path.is_some()) {
            let is_for_tests = dependency.kind.as_deref() == Some("dev");
            if is_for_tests && dependency.req == "*" {
                continue;
            }
            let other = dependency.name.as_str();
            ensure!(dependency.req != "*", "{name} needs {other} without a version; write one beside its path");
            ensure!(
                published.contains_key(other),
                "{name} is published and needs {other}, which is not; publish both, or take the version from a dependency of tests"
            );
            needs.insert(other);
        }
        waiting.insert(name, needs);
    }
    let mut order: Vec<&Package> = Vec::new();
    while !waiting.is_empty() {
        let ready: Vec<&str> = waiting.iter().filter(|(_, needs)| needs.is_empty()).map(|(name, _)| *name).collect();
        if ready.is_empty() {
            bail!("none of these can be published before the others: {:?}", waiting.keys());
        }
        for name in ready {
            waiting.remove(name);
            waiting.values_mut().for_each(|needs| {
                needs.remove(name);
            });
            order.push(published[name]);
        }
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, Package, check_sizes, order};

    fn package(name: &str, more: &str, needs: &[(&str, &str, &str)]) -> Package {
        let need = |(name, req, kind): &(&str, &str, &str)| {
            format!(r#"{{"name": "{name}", "req": "{req}", "kind": {kind}, "path": "/{name}"}}"#)
        };
        let needs = needs.iter().map(need).collect::<Vec<_>>().join(",");
        let text = format!(
            r#"{{"name": "{name}", "version": "0.1.0", "description": "d", "license": "l", "repository": "r", {more}
                "dependencies": [{needs}]}}"#
        );
        serde_json::from_str(&text).expect("it is one")
    }

    const ALL: &str = r#""publish": null,"#;

    fn names(packages: &[Package]) -> Result<Vec<&str>, String> {
        let order = order(packages).map_err(|error| error.to_string())?;
        Ok(order.iter().map(|package| package.name.as_str()).collect())
    }

    #[test]
    fn a_crate_comes_after_those_that_it_needs() {
        let own = r#""publish": [],"#;
        let packages = [
            package("a", ALL, &[("b", "^0.1.0", "null"), ("own", "*", r#""dev""#)]),
            package("b", ALL, &[("c", "^0.1.0", r#""dev""#)]),
            package("c", ALL, &[]),
            package("own", own, &[("a", "*", "null")]),
        ];
        assert_eq!(names(&packages).unwrap(), ["c", "b", "a"]);
    }

    #[test]
    fn what_a_registry_refuses_is_named() {
        let own = r#""publish": [],"#;
        let needs = |req, kind| [package("a", ALL, &[("own", req, kind)]), package("own", own, &[])];
        assert!(names(&needs("^0.1.0", "null")).unwrap_err().contains("a is published and needs own, which is not"));
        assert!(names(&needs("^0.1.0", r#""dev""#)).unwrap_err().contains("which is not"));
        assert!(names(&needs("*", "null")).unwrap_err().contains("without a version"));
        let round = [package("a", ALL, &[("b", "^0.1.0", "null")]), package("b", ALL, &[("a", "^0.1.0", r#""dev""#)])];
        assert!(names(&round).unwrap_err().contains(r#"["a", "b"]"#));
        let mut silent = package("a", ALL, &[]);
        silent.description = None;
        assert!(names(&[silent]).unwrap_err().contains("a has no description"));
    }

    #[test]
    fn a_crate_of_more_than_ten_megabytes_is_refused() {
        assert!(check_sizes(&[("a", MOST_BYTES)]).is_ok());
        let error = check_sizes(&[("a", MOST_BYTES), ("b", MOST_BYTES + 1)]).unwrap_err().to_string();
        assert!(error.ends_with(": b has 10485761 bytes"), "{error}");
    }
}
