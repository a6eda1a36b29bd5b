//! Packs what the metadata of the crate `stm32-metapac` says of STM32 parts and their registers.
//!
//! ```text
//! cargo run --release --manifest-path crates/peripherals/generate/Cargo.toml
//! ```
//!
//! Run from anywhere in the repository's checkout. It reads the crate's metadata files and writes one packed file a family
//! and the list of all parts to `crates/chips/data`. Errors of the metadata, and facts that it leaves out, stand in
//! `corrections`, each with its section of the manual.
mod corrections;
#[path = "../../../chips/src/catalogue/format.rs"]
mod format;
mod map;
mod metadata;
mod pack;
mod part;
mod pool;
mod read;

use cyclescope_peripherals_generate_tables as tables;

use crate::metadata::{Metadata, Reader};
use crate::pack::Packer;

/// The families: the file, the name in the metadata, and how parts' names begin.
const FAMILIES: [(&str, &str, &str); 7] = [
    ("stm32c0", "STM32C0", "stm32c0"),
    ("stm32f1", "STM32F1", "stm32f1"),
    ("stm32f4", "STM32F4", "stm32f4"),
    ("stm32g0", "STM32G0", "stm32g0"),
    ("stm32g4", "STM32G4", "stm32g4"),
    ("stm32l4", "STM32L4", "stm32l4"),
    ("stm32l4plus", "STM32L4+", "stm32l4"),
];

fn main() {
    let source = tables::package(env!("CARGO_MANIFEST_DIR"), "stm32-metapac");
    let data = tables::crates().join("chips/data");
    tables::empty(&data);
    let mut list = String::new();
    for (file, family, prefix) in FAMILIES {
        let mut reader = Reader::new(&source);
        let names = reader.names(&[prefix]);
        let parts: Vec<Metadata> =
            names.iter().map(|name| reader.part(name)).filter(|part| part.family == family).collect();
        eprintln!("{family}: {} parts", parts.len());
        let mut packer = Packer::default();
        for part in &parts {
            part::pack(part, &mut packer);
            list += &format!("{file} {} {}\n", part.name.to_lowercase(), part.line.replace(' ', "_"));
        }
        std::fs::write(data.join(format!("{file}.zlib")), pack::packed(&packer.family())).expect("it is writable");
    }
    std::fs::write(data.join("parts.txt"), list).expect("the checkout is writable");
}
