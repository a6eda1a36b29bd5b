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

use cyclescope_peripherals_generate_tables::{crates, description, empty, list, modules, write};

const PARTS: [(&str, &str); 2] = [("atmega328p", "ATmega328P"), ("atmega32u4", "ATmega32U4")];

fn main() {
    let target = crates().join("peripherals/src/avr/generated");
    empty(&target);
    for (module, name) in PARTS {
        let file = format!("packs/atmega/{name}.atdf");
        let mut part = describe::read(&description(env!("CARGO_MANIFEST_DIR"), "avr-mcu", &file));
        corrections::apply(module, &mut part);
        write(&target.join(format!("{module}.rs")), &render(module, name, &part));
    }
    write(
        &target.join("mod.rs"),
        &format!(
            "//! Declared data spaces, written by `crates/peripherals/generate-avr`; do not edit.\n\n{}",
            modules(PARTS.map(|(module, _)| module))
        ),
    );
}

fn render(module: &str, name: &str, part: &describe::Part) -> String {
    let registers: String = part.registers.iter().map(|register| register.text(&list(&register.fields))).collect();
    format!(
        "//! The data space of the {name}, written by `crates/peripherals/generate-avr`; do not edit.\n\n\
         use crate::register::{{Access::*, Field, Map, Register}};\n\n\
         /// The interrupt vectors by their numbers; empty where the number is reserved.\n\
         pub const VECTORS: &[&str] = &{:?};\n\n\
         /// The declared registers, by address.\n\
         pub const MAP: Map = Map {{ kind: \"data space\", version: \"{module}\", registers: &[\n{registers}]}};\n",
        part.vectors
    )
}
