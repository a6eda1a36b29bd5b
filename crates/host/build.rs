//! Reads the pinned versions of measured libraries from this crate's manifest, and the compiler's version.

use std::process::Command;
use std::{env, fs, path::Path};

fn main() {
    println!("cargo::rerun-if-changed=Cargo.toml");
    println!("cargo::rerun-if-changed=build.rs");
    let manifest = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("Cargo sets it")).join("Cargo.toml");
    let text = fs::read_to_string(manifest).expect("Cargo has read it");
    let manifest: toml::Table = text.parse().expect("Cargo has parsed it");
    let dependencies = manifest["dependencies"].as_table().expect("it is one");
    let pinned = dependencies.iter().filter_map(|(name, wanted)| {
        let version = wanted.as_str().or_else(|| wanted.get("version")?.as_str())?;
        Some((name, version.strip_prefix('=')?))
    });
    let rows: String = pinned.map(|(name, version)| format!("    ({name:?}, {version:?}),\n")).collect();
    let rustc = env::var("RUSTC").expect("Cargo sets it");
    let output = Command::new(rustc).arg("--version").output().expect("Cargo runs it, too");
    let compiler = String::from_utf8(output.stdout).expect("its name is ASCII");
    let opt = env::var("OPT_LEVEL").expect("Cargo sets it");
    let generated = format!(
        "pub(super) const PINNED: &[(&str, &str)] = &[\n{rows}];\n\
         pub(super) const COMPILER: &str = {:?};\n\
         pub(super) const OPT: &str = {opt:?};\n",
        compiler.trim()
    );
    let out = Path::new(&env::var("OUT_DIR").expect("Cargo sets it")).join("built.rs");
    fs::write(out, generated).expect("Cargo made the folder");
}
