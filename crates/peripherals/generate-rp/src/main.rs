//! Writes the declared register maps and the part table of the RP2040 out of the vendor's description (SVD) in the crate
//! `rp-pac`.
//!
//! ```text
//! cargo run --manifest-path crates/peripherals/generate-rp/Cargo.toml
//! ```
//!
//! Run from anywhere in the repository's checkout; `rustfmt` must be on the path. What the description does not say
//! stands in `corrections`.
mod corrections;
mod part;

use cyclescope_peripherals_generate_tables::map::{Target, modules, render, render_index};
use cyclescope_peripherals_generate_tables::{crates, description, empty, svd, write};

/// The part.
const TARGET: Target<'_> = Target { part: "the RP2040", version: "rp2040", generator: "generate-rp" };

fn main() {
    let text = description(env!("CARGO_MANIFEST_DIR"), "rp-pac", "svd/rp2040.svd");
    let blocks = svd::read(&text, corrections::ABSENT);
    let registers = blocks.iter().map(|block| (block.name.clone(), corrections::kind(&block.name), block.registers.clone()));
    let modules = modules(registers);
    let maps = crates().join("peripherals/src/rp/generated");
    empty(&maps);
    for module in &modules.distinct {
        write(&maps.join(format!("{}.rs", module.name)), &render(module, &TARGET));
    }
    write(&maps.join("mod.rs"), &render_index(&modules, TARGET.generator));
    write(&crates().join("chips/src/generated/rp2040.rs"), &part::render(&blocks, &modules));
}
