//! Writes the declared register maps and the part table of the nRF52840 out of the vendor's description (SVD) in the crate
//! `nrf-pac`.
//!
//! ```text
//! cargo run --manifest-path crates/peripherals/generate-nrf/Cargo.toml
//! ```
//!
//! Run from anywhere in the repository's checkout; `rustfmt` must be on the path. What the description does not say
//! stands in `corrections`.
mod blocks;
mod corrections;
mod part;

use cyclescope_peripherals_generate_tables::map::{Target, modules, render, render_index};
use cyclescope_peripherals_generate_tables::{crates, description, empty, svd, write};

/// The part.
const TARGET: Target<'_> = Target { part: "the nRF52840", version: "nrf52", generator: "generate-nrf" };

fn main() {
    let text = description(env!("CARGO_MANIFEST_DIR"), "nrf-pac", "svd/nrf52840.svd");
    let blocks = blocks::of(svd::read(&text, corrections::ABSENT));
    let modules = modules(blocks.iter().map(|block| (block.name.clone(), block.kind.clone(), block.registers.clone())));
    let maps = crates().join("peripherals/src/nrf/generated");
    empty(&maps);
    for module in &modules.distinct {
        write(&maps.join(format!("{}.rs", module.name)), &render(module, &TARGET));
    }
    write(&maps.join("mod.rs"), &render_index(&modules, TARGET.generator));
    write(&crates().join("chips/src/generated/nrf52840.rs"), &part::render(&blocks, &modules));
}
