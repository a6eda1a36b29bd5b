//! Link arguments and the memory map.

use std::path::PathBuf;

/// All flash and RAM: no SoftDevice.
const NRF52840: &str = "MEMORY { FLASH : ORIGIN = 0, LENGTH = 1024K\n RAM : ORIGIN = 0x20000000, LENGTH = 256K }\n";

/// The second stage, flash behind it, and all RAM.
const RP2040: &str = "MEMORY {
    BOOT2 : ORIGIN = 0x10000000, LENGTH = 0x100
    FLASH : ORIGIN = 0x10000100, LENGTH = 2048K - 0x100
    RAM : ORIGIN = 0x20000000, LENGTH = 264K
}
SECTIONS { .boot2 ORIGIN(BOOT2) : { KEEP(*(.boot2)); } > BOOT2 } INSERT BEFORE .vector_table;
";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let memory = if std::env::var_os("CARGO_FEATURE_RP2040").is_some() { RP2040 } else { NRF52840 };
    std::fs::write(out.join("memory.x"), memory).expect("the folder can be written");
    println!("cargo::rustc-link-search={}", out.display());
    for argument in ["--nmagic", "-Tlink.x"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}
