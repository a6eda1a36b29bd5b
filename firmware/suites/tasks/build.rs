//! Link arguments and the memory map.

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    // The part cortex-m4 of cyclescope.
    let map = "MEMORY { FLASH : ORIGIN = 0x00000000, LENGTH = 1M  RAM : ORIGIN = 0x20000000, LENGTH = 256K }\n";
    fs::write(out.join("memory.x"), map).expect("the folder is ours");
    println!("cargo::rustc-link-search={}", out.display());
    for argument in ["--nmagic", "-Tlink.x"] {
        println!("cargo::rustc-link-arg={argument}");
    }
}
