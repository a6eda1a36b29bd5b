//! Writes the declared register maps and part tables out of the metadata in the crate `stm32-metapac`.
//!
//! ```text
//! cargo run --manifest-path crates/peripherals/generate/Cargo.toml
//! ```
//!
//! Run from anywhere in the repository's checkout; `rustfmt` must be on the path. The metadata crate holds one part at
//! a time, so the program builds and runs itself once for each of [`PARTS`], then joins what they wrote. What the
//! metadata has wrong or does not say of a part stands in `corrections`, each with its section of the manual.
#[cfg(feature = "part")]
mod corrections;
mod join;
#[cfg(feature = "part")]
mod map;
#[cfg(feature = "part")]
mod part;

use std::path::{Path, PathBuf};
use std::process::Command;

use cyclescope_peripherals_generate_tables as tables;

/// The parts, each a feature of this crate.
const PARTS: [&str; 3] = ["stm32c031c6", "stm32f103c8", "stm32f446ze"];

fn main() {
    match std::env::args_os().nth(1) {
        Some(folder) => one_part(Path::new(&folder)),
        None => all_parts(),
    }
}

/// Has each part written into a folder of its own, then joins them.
fn all_parts() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let program = std::env::current_exe().expect("a program knows where it is");
    let scratch = program.with_file_name("generated");
    let folders: Vec<PathBuf> = PARTS.iter().map(|part| scratch.join(part)).collect();
    for (part, folder) in PARTS.iter().zip(&folders) {
        let _ = std::fs::remove_dir_all(folder);
        let done = Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--features", part, "--manifest-path"])
            .args([&manifest, Path::new("--"), folder])
            .status()
            .expect("cargo started this program");
        assert!(done.success(), "{part}: see above");
    }
    let crates = tables::crates();
    join::join(&folders, &crates.join("peripherals/src/stm32/generated"), &crates.join("chips/src/generated"));
}

/// Writes the tables of the part whose metadata is compiled in.
#[cfg(feature = "part")]
fn one_part(folder: &Path) {
    use stm32_metapac::metadata::METADATA;
    let maps = folder.join(join::MAPS);
    std::fs::create_dir_all(&maps).expect("the build folder is writable");
    let described = corrections::Part::of(METADATA.line);
    let mut written = Vec::new();
    for peripheral in METADATA.peripherals {
        let Some(registers) = &peripheral.registers else { continue };
        let module = map::module_name(described, registers);
        if !written.contains(&module) {
            tables::write(&maps.join(format!("{module}.rs")), &map::render(described, &module, registers));
            written.push(module);
        }
    }
    let part = METADATA.name.to_lowercase();
    tables::write(&folder.join(format!("{part}.rs")), &part::render(described, &METADATA));
}

#[cfg(not(feature = "part"))]
fn one_part(_: &Path) {
    panic!("built without a part: run it without an argument");
}
