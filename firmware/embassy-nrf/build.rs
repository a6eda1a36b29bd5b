//! Link arguments and the memory map.
//!
//! Arguments stand here and not in `.cargo/config.toml`, whose flags a set `RUSTFLAGS` would drop.

use std::path::PathBuf;
use std::{env, fs, io};

/// nRF52840: all flash and RAM, no SoftDevice.
const MEMORY: &str = "MEMORY\n{\n  FLASH : ORIGIN = 0x00000000, LENGTH = 1024K\n  RAM   : ORIGIN = 0x20000000, LENGTH = 256K\n}\n";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR for build scripts"));
    fs::write(out.join("memory.x"), MEMORY)?;
    println!("cargo::rustc-link-search={}", out.display());
    for argument in ["--nmagic", "-Tlink.x", "-Tdefmt.x"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    Ok(())
}
