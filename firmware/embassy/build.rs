//! Link arguments and, where the HAL brings none, the board's memory map.
//!
//! Arguments stand here and not in `.cargo/config.toml`, whose flags a set `RUSTFLAGS` would drop.

use std::path::PathBuf;
use std::{env, fs, io};

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
    let mut arguments = vec!["--nmagic", "-Tlink.x"];
    if env::var_os("CARGO_FEATURE_BOARD_MICROBIT").is_some() {
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR for build scripts"));
        fs::write(out.join("memory.x"), MICROBIT_MEMORY)?;
        println!("cargo::rustc-link-search={}", out.display());
    } else {
        arguments.push("-Tdefmt.x");
    }
    for argument in arguments {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    Ok(())
}
