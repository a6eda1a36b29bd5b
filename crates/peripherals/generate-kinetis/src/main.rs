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

use cyclescope_peripherals_generate_tables::{crates, description, empty, write};

fn main() {
    let peripherals = describe::read(&description(env!("CARGO_MANIFEST_DIR"), "mk20d7", "MK20D7.svd"));
    let maps = crates().join("peripherals/src/kinetis/generated");
    empty(&maps);
    let modules = map::modules(&peripherals);
    for module in &modules.distinct {
        write(&maps.join(format!("{}.rs", module.name)), &map::render(module));
    }
    write(&maps.join("mod.rs"), &map::render_index(&modules));
    write(&crates().join("chips/src/generated/mk20dx256.rs"), &part::render(&peripherals, &modules));
}
