//! Puts the parts' tables together: a register map that several parts share is written once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cyclescope_peripherals_generate_tables::{self as tables, write};

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
        let items: String = modules.iter().map(|part| format!("pub(crate) mod {part};\n")).collect();
        format!("//! Tables written by generators; do not edit.\n\n{items}")
    });
}

/// The index module over the maps.
fn index_of_maps(modules: &[String]) -> String {
    let names = || modules.iter().map(String::as_str);
    let all: String = names().map(|module| format!("&{module}::MAP,")).collect();
    format!(
        "//! Register maps written by generators; do not edit.\n\n\
         {}\nuse crate::Map;\n\n/// All maps.\npub const ALL: &[&Map] = &[{all}];\n",
        tables::modules(names())
    )
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
