//! Link arguments, and whether the core has BASEPRI; the memory map comes with the board.
//!
//! Arguments stand here and not in `.cargo/config.toml`, whose flags a set `RUSTFLAGS` would drop.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(basepri)");
    if env::var("TARGET").is_ok_and(|target| !target.starts_with("thumbv6m")) {
        println!("cargo::rustc-cfg=basepri");
    }
    for argument in ["--nmagic", "-Tlink.x"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}
