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
mod map;
mod part;

use cyclescope_peripherals_generate_tables::map::{Target, render, render_index};
use cyclescope_peripherals_generate_tables::{crates, description, empty, svd, write};

/// The part.
const TARGET: Target<'_> = Target { part: "the Kinetis K20", version: "k20", generator: "generate-kinetis" };

fn main() {
    let peripherals = svd::read(&description(env!("CARGO_MANIFEST_DIR"), "mk20d7", "MK20D7.svd"), corrections::ABSENT);
    let maps = crates().join("peripherals/src/kinetis/generated");
    empty(&maps);
    let modules = map::modules(&peripherals);
    for module in &modules.distinct {
        write(&maps.join(format!("{}.rs", module.name)), &render(module, &TARGET));
    }
    write(&maps.join("mod.rs"), &render_index(&modules, TARGET.generator));
    write(&crates().join("chips/src/generated/mk20dx256.rs"), &part::render(&peripherals, &modules));
}
