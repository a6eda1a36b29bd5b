//! Puts the parts' tables together: a register map that several parts share is written once.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of a part's register maps inside the part's own.
pub const MAPS: &str = "maps";

/// The mark in the first line of each file that this program writes.
const OURS: &str = "written by `crates/peripherals/generate`;";

/// Copies what stands in `folders`, one a part, to where the crates keep it, with an index for each.
pub fn join(folders: &[PathBuf], maps: &Path, parts: &Path) {
    let mut all_maps: BTreeMap<String, String> = BTreeMap::new();
    let mut all_parts: BTreeMap<String, String> = BTreeMap::new();
    for folder in folders {
        for (module, text) in modules(&folder.join(MAPS)) {
            if let Some(known) = all_maps.insert(module.clone(), text.clone()) {
                assert!(known == text, "{module} differs between parts: name a variant in corrections::variant");
            }
        }
        all_parts.extend(modules(folder));
    }
    replace(maps, &all_maps, index_of_maps);
    replace(parts, &all_parts, |modules| {
        let mut index = String::from("//! Tables written by generators; do not edit.\n\n");
        for part in modules {
            writeln!(index, "pub(crate) mod {part};").expect("a string takes all");
        }
        index
    });
}

/// The index module over the maps.
fn index_of_maps(modules: &[String]) -> String {
    let mut out = String::from("//! Register maps written by generators; do not edit.\n\n");
    for module in modules {
        writeln!(out, "pub mod {module};").expect("a string takes all");
    }
    out += "\nuse crate::Map;\n\n/// All maps.\npub const ALL: &[&Map] = &[";
    for module in modules {
        write!(out, "&{module}::MAP,").expect("a string takes all");
    }
    out += "];\n";
    out
}

/// The Rust files directly in `folder`, by module name.
fn modules(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a part writes its folder") {
        let path = entry.expect("the folder is readable").path();
        if path.extension().is_some_and(|ext| ext == "rs") {
            let module = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
            found.insert(module, std::fs::read_to_string(&path).expect("the file is readable"));
        }
    }
    found
}

/// Makes `folder` hold `files`, what other generators wrote there, and an index of both.
fn replace(folder: &Path, files: &BTreeMap<String, String>, index: impl Fn(&[String]) -> String) {
    std::fs::create_dir_all(folder).expect("the checkout is writable");
    for (module, text) in files {
        write(&folder.join(format!("{module}.rs")), text);
    }
    let mut listed = Vec::new();
    for (module, text) in modules(folder) {
        if files.contains_key(&module) || !text.lines().next().is_some_and(|line| line.contains(OURS)) {
            listed.push(module);
        } else {
            std::fs::remove_file(folder.join(format!("{module}.rs"))).expect("the checkout is writable");
        }
    }
    listed.retain(|module| module != "mod");
    write(&folder.join("mod.rs"), &index(&listed));
}

/// Writes `text` to `path`, formatted as the repository formats.
pub fn write(path: &Path, text: &str) {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("the root is three folders up");
    std::fs::write(path, text).expect("the folder is writable");
    let mut rustfmt = Command::new("rustfmt");
    // An index names modules that are formatted on their own.
    rustfmt.args(["--edition=2024", "--quiet", "--config-path"]).arg(config.join("rustfmt.toml"));
    if path.ends_with("mod.rs") {
        return format_alone(&mut rustfmt, path, text);
    }
    let formatted = rustfmt.arg(path).status().expect("rustfmt is on the path");
    assert!(formatted.success(), "rustfmt takes what the generator wrote: {}", path.display());
}

/// Formats `text` without following the modules it names.
fn format_alone(rustfmt: &mut Command, path: &Path, text: &str) {
    use std::io::Write as _;
    use std::process::Stdio;
    let mut child = rustfmt.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("rustfmt is on the path");
    child.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("rustfmt reads");
    let output = child.wait_with_output().expect("rustfmt ends");
    assert!(output.status.success(), "rustfmt takes what the generator wrote: {}", path.display());
    std::fs::write(path, output.stdout).expect("the folder is writable");
}
