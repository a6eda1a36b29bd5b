//! Hands the compiler's version and the optimisation level to the crate.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = env::var("RUSTC").expect("Cargo sets it");
    let output = Command::new(rustc).arg("--version").output().expect("Cargo runs it, too");
    let compiler = String::from_utf8(output.stdout).expect("its name is ASCII");
    println!("cargo::rustc-env=BUILT_BY={}", compiler.trim());
    println!("cargo::rustc-env=BUILT_AT_OPT={}", env::var("OPT_LEVEL").expect("Cargo sets it"));
}
