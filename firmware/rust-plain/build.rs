//! Link arguments and the board's memory map.
//!
//! Arguments stand here and not in `.cargo/config.toml`, whose flags a set `RUSTFLAGS` would drop.

use std::path::PathBuf;
use std::{env, fs, io};

/// STM32C031C6: 32 KiB of flash, 12 KiB of RAM.
const STM32C031C6_MEMORY: &str = "\
MEMORY
{
  FLASH : ORIGIN = 0x08000000, LENGTH = 32K
  RAM   : ORIGIN = 0x20000000, LENGTH = 12K
}
";

/// nRF51822 of the micro:bit: 256 KiB of flash, 16 KiB of RAM.
const MICROBIT_MEMORY: &str = "\
MEMORY
{
  FLASH : ORIGIN = 0x00000000, LENGTH = 256K
  RAM   : ORIGIN = 0x20000000, LENGTH = 16K
}
";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let memory =
        if env::var_os("CARGO_FEATURE_BOARD_MICROBIT").is_some() { MICROBIT_MEMORY } else { STM32C031C6_MEMORY };
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR for build scripts"));
    fs::write(out.join("memory.x"), memory)?;
    println!("cargo::rustc-link-search={}", out.display());
    for argument in ["--nmagic", "-Tlink.x"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    Ok(())
}
