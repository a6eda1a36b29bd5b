//! Writes the declared data space and the interrupt vectors of the ATmega328P and the ATmega32U4 out of the vendor's
//! descriptions (ATDF) in the crate `avr-mcu`.
//!
//! ```text
//! cargo run --manifest-path crates/peripherals/generate-avr/Cargo.toml
//! ```
//!
//! Run from anywhere in the repository's checkout; `rustfmt` must be on the path. Where a description is wrong or silent,
//! `corrections` says what holds and why.
mod corrections;
mod describe;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const PARTS: [(&str, &str); 2] = [("atmega328p", "ATmega328P"), ("atmega32u4", "ATmega32U4")];

fn main() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let packs = packs(&manifest);
    let target = manifest.ancestors().nth(2).expect("the generator lies in the crate").join("src/avr/generated");
    let _ = std::fs::remove_dir_all(&target);
    std::fs::create_dir_all(&target).expect("the checkout is writable");
    for (module, name) in PARTS {
        let path = packs.join(format!("atmega/{name}.atdf"));
        let text = std::fs::read_to_string(path).expect("the crate carries the part's description");
        let mut part = describe::read(&text);
        corrections::apply(module, &mut part);
        write(&target.join(format!("{module}.rs")), &render(module, name, &part));
    }
    let modules: String = PARTS.iter().map(|(module, _)| format!("pub mod {module};\n")).collect();
    write(
        &target.join("mod.rs"),
        &format!("//! Declared data spaces, written by `crates/peripherals/generate-avr`; do not edit.\n\n{modules}"),
    );
}

fn render(module: &str, name: &str, part: &describe::Part) -> String {
    let mut text = format!(
        "//! The data space of the {name}, written by `crates/peripherals/generate-avr`; do not edit.\n\n\
         use crate::register::{{Access::*, Field, Map, Register}};\n\n\
         /// The interrupt vectors by their numbers; empty where the number is reserved.\n\
         pub const VECTORS: &[&str] = &{:?};\n\n\
         /// The declared registers, by address.\n\
         pub const MAP: Map = Map {{ kind: \"data space\", version: \"{module}\", registers: &[\n",
        part.vectors
    );
    for register in &part.registers {
        let fields: String = register
            .fields
            .iter()
            .map(|field| format!("Field::new({:?}, {}, {}),", field.name, field.low, field.width))
            .collect();
        let access = if register.read_only { "ReadOnly" } else { "ReadWrite" };
        writeln!(
            text,
            "Register {{ name: {:?}, offset: {:#x}, bits: 8, access: {access}, alternate: false, fields: &[{fields}] }},",
            register.name, register.address
        )
        .expect("a String takes all text");
    }
    text + "]};\n"
}

/// Returns the folder of the descriptions in the package that cargo fetched.
fn packs(manifest: &Path) -> PathBuf {
    let done = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--all-features", "--manifest-path"])
        .arg(manifest)
        .output()
        .expect("cargo started this program");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&done.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("cargo lists packages");
    let package = packages.iter().find(|package| package["name"] == "avr-mcu").expect("it is a dependency");
    let manifest = package["manifest_path"].as_str().expect("each package has one");
    Path::new(manifest).with_file_name("packs")
}

/// Writes `text` to `path`, formatted as the repository formats.
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("the checkout is writable");
    let formatted = Command::new("rustfmt").arg("--edition=2024").arg(path).status().expect("rustfmt is on the path");
    assert!(formatted.success(), "rustfmt takes what the generator wrote");
}
