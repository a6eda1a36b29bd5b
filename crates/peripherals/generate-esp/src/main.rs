//! Writes the declared register maps and the part tables of the ESP8266 and the ESP32 out of the crates `esp8266` and `esp32`,
//! whose sources `svd2rust` has made of descriptions that no crate carries.
//!
//! ```text
//! cargo run --manifest-path crates/peripherals/generate-esp/Cargo.toml
//! ```
//!
//! Run from anywhere in the repository's checkout; `rustfmt` must be on the path. Facts that the sources lack stand in
//! `corrections`.
mod corrections;
mod part;
mod source;

use cyclescope_peripherals_generate_tables::map::{Modules, Target, modules, render, render_index};
use cyclescope_peripherals_generate_tables::{crates, empty, package, write};

/// A part, and the crate that has its registers.
struct Chip {
    target: Target<'static>,
    package: &'static str,
    folder: &'static str,
}

const CHIPS: [Chip; 2] = [
    Chip {
        target: Target { part: "the ESP8266", version: "esp8266", generator: "generate-esp" },
        package: "esp8266",
        folder: "generated8266",
    },
    Chip {
        target: Target { part: "the ESP32", version: "esp32", generator: "generate-esp" },
        package: "esp32",
        folder: "generated32",
    },
];

fn main() {
    for Chip { target, package: name, folder } in CHIPS {
        let mut peripherals = source::read(&package(env!("CARGO_MANIFEST_DIR"), name).join("src"), corrections::ABSENT);
        corrections::correct(name, &mut peripherals);
        peripherals.sort_by_key(|peripheral| peripheral.address);
        let named = peripherals
            .iter()
            .map(|known| (known.name.clone(), corrections::kind(&known.name), known.registers.clone()));
        let modules: Modules = modules(named);
        let maps = crates().join("peripherals/src/esp").join(folder);
        empty(&maps);
        for module in &modules.distinct {
            write(&maps.join(format!("{}.rs", module.name)), &render(module, &target));
        }
        write(&maps.join("mod.rs"), &render_index(&modules, target.generator));
        let table = part::render(name, folder, &peripherals, &modules);
        write(&crates().join(format!("chips/src/generated/{name}.rs")), &table);
    }
}
