//! Link arguments and the memory map. No configuration of Cargo gives these arguments too: a script that the linker reads twice
//! defines each section twice.

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    // The STM32F446's (RM0390 §2.2.2).
    let map = "MEMORY { FLASH : ORIGIN = 0x08000000, LENGTH = 512K  RAM : ORIGIN = 0x20000000, LENGTH = 128K }\n";
    fs::write(out.join("memory.x"), map).expect("the folder is ours");
    println!("cargo::rustc-link-search={}", out.display());
    for argument in ["--nmagic", "-Tlink.x"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}
