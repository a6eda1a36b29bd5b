//! Writes the declared register maps of the Kinetis K20 and the table of the MK20DX256 out of the vendor's description
//! (SVD) in the crate `mk20d7`.
//!
//! ```text
//! cargo run --manifest-path crates/peripherals/generate-kinetis/Cargo.toml
//! ```
//!
//! Run from anywhere in the repository's checkout; `rustfmt` must be on the path. What the description does not say
//! stands in `corrections`.
mod corrections;
mod describe;
mod map;
mod part;

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let text = std::fs::read_to_string(description(&manifest)).expect("the crate carries its description");
    let peripherals = describe::read(&text);
    let crates = manifest.ancestors().nth(3).expect("crates/ is two folders up");

    let maps = crates.join("peripherals/src/kinetis/generated");
    let _ = std::fs::remove_dir_all(&maps);
    std::fs::create_dir_all(&maps).expect("the checkout is writable");
    let modules = map::modules(&peripherals);
    for module in &modules.distinct {
        write(&maps.join(format!("{}.rs", module.name)), &map::render(module));
    }
    write(&maps.join("mod.rs"), &map::render_index(&modules));
    write(&crates.join("chips/src/generated/mk20dx256.rs"), &part::render(&peripherals, &modules));
}

/// Returns the path of the description in the package that cargo fetched.
fn description(manifest: &Path) -> PathBuf {
    let done = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--all-features", "--manifest-path"])
        .arg(manifest)
        .output()
        .expect("cargo started this program");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&done.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("cargo lists packages");
    let package = packages.iter().find(|package| package["name"] == "mk20d7").expect("it is a dependency");
    let manifest = package["manifest_path"].as_str().expect("each package has one");
    Path::new(manifest).with_file_name("MK20D7.svd")
}

/// Writes `text` to `path`, formatted as the repository formats.
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("the checkout is writable");
    let formatted = Command::new("rustfmt").arg("--edition=2024").arg(path).status().expect("rustfmt is on the path");
    assert!(formatted.success(), "rustfmt takes what the generator wrote");
}
