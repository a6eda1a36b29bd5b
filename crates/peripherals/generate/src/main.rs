//! Writes the declared register maps and part tables out of the metadata in the crate `stm32-metapac`.
//!
//! ```text
//! cargo run --manifest-path crates/peripherals/generate/Cargo.toml
//! ```
//!
//! Run from anywhere in the repository's checkout; `rustfmt` must be on the path. What the metadata has wrong or does
//! not say of this part stands in [`corrections`], each with its section of the manual.
mod corrections;
mod map;
mod part;

use std::path::{Path, PathBuf};
use std::process::Command;

use stm32_metapac::metadata::METADATA;

fn main() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/ is two folders up");
    let maps = crates.join("peripherals/src/generated");
    let parts = crates.join("chips/src/generated");
    std::fs::create_dir_all(&maps).expect("the checkout is writable");
    std::fs::create_dir_all(&parts).expect("the checkout is writable");

    let mut modules = Vec::new();
    for peripheral in METADATA.peripherals {
        let Some(registers) = &peripheral.registers else { continue };
        let module = map::module_name(registers);
        if modules.contains(&module) {
            continue;
        }
        write(&maps.join(format!("{module}.rs")), &map::render(registers));
        modules.push(module);
    }
    modules.sort();
    write(&maps.join("mod.rs"), &map::render_index(&modules));

    let part = METADATA.name.to_lowercase();
    write(&parts.join(format!("{part}.rs")), &part::render(&METADATA));
    write(
        &parts.join("mod.rs"),
        &format!("//! Tables written by `crates/peripherals/generate`; do not edit.\n\npub(crate) mod {part};\n"),
    );
}

/// Writes `text` to `path`, formatted as the repository formats.
fn write(path: &PathBuf, text: &str) {
    std::fs::write(path, text).expect("the checkout is writable");
    let formatted = Command::new("rustfmt").arg("--edition=2024").arg(path).status().expect("rustfmt is on the path");
    assert!(formatted.success(), "rustfmt takes what the generator wrote");
}
