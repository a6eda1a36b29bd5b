//! Link arguments; the memory map comes with the HAL or with the board.
//!
//! Arguments stand here and not in `.cargo/config.toml`, whose flags a set `RUSTFLAGS` would drop.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut arguments = vec!["--nmagic", "-Tlink.x"];
    if env::var_os("CARGO_FEATURE_STM32").is_some() {
        arguments.push("-Tdefmt.x");
    }
    for argument in arguments {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}
