//! Link arguments and the memory map.
//!
//! Arguments stand here and not in `.cargo/config.toml`, whose flags a set `RUSTFLAGS` would drop.

use std::path::PathBuf;
use std::{env, fs, io};

/// RP2040 on the Pico: the second stage, the flash behind it, and all RAM, whose last bank has the stack.
const MEMORY: &str = "\
MEMORY
{
  BOOT2 : ORIGIN = 0x10000000, LENGTH = 256
  FLASH : ORIGIN = 0x10000100, LENGTH = 2048K - 256
  RAM   : ORIGIN = 0x20000000, LENGTH = 264K
}
";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR for build scripts"));
    fs::write(out.join("memory.x"), MEMORY)?;
    println!("cargo::rustc-link-search={}", out.display());
    for argument in ["--nmagic", "-Tlink.x", "-Tlink-rp.x", "-Tdefmt.x"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    Ok(())
}
