//! Link arguments and, where no PAC brings them, the interrupts' default handlers; the memory map comes with the board.
//!
//! Arguments stand here and not in `.cargo/config.toml`, whose flags a set `RUSTFLAGS` would drop.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(stm32)");
    if env::vars_os().any(|(name, _)| name.to_string_lossy().starts_with("CARGO_FEATURE_BOARD_STM32")) {
        println!("cargo::rustc-cfg=stm32");
    }
    // cortex-m-rt asks for this file wherever a device has a vector table of its own; here that is `src/device.rs` or
    // `src/device/`.
    let own_device =
        ["CARGO_FEATURE_BOARD_MICROBIT", "CARGO_FEATURE_BOARD_MPS2_AN386", "CARGO_FEATURE_BOARD_MK20DX256"];
    if own_device.iter().any(|board| env::var_os(board).is_some()) {
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR for build scripts"));
        fs::write(out.join("device.x"), "PROVIDE(SWI0 = DefaultHandler);\nPROVIDE(SPI1 = DefaultHandler);\n")?;
        println!("cargo::rustc-link-search={}", out.display());
    }
    for argument in ["--nmagic", "-Tlink.x"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
    Ok(())
}
