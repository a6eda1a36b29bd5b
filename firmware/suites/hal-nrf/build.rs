//! Link arguments and the memory map.

use std::path::PathBuf;

/// All flash and RAM: no SoftDevice.
const MEMORY: &str = "MEMORY { FLASH : ORIGIN = 0, LENGTH = 1024K\n RAM : ORIGIN = 0x20000000, LENGTH = 256K }\n";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("memory.x"), MEMORY).expect("the folder can be written");
    println!("cargo::rustc-link-search={}", out.display());
    for argument in ["--nmagic", "-Tlink.x"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}
