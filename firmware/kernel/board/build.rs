//! Link arguments: the board's memory map, and the sections of its kind of chip.

use std::env;
use std::path::PathBuf;

const BOARDS: [(&str, &str, &str); 3] = [
    ("IBEX", "ibex.x", "riscv.x"),
    ("LITEX_VEXRISCV", "litex-vexriscv.x", "riscv.x"),
    ("STM32F446ZE", "stm32f446ze.x", "cortex-m.x"),
];

fn main() {
    println!("cargo::rerun-if-changed=ld");
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it for build scripts")).join("ld");
    let chosen = |(board, ..): &&(&str, _, _)| env::var_os(format!("CARGO_FEATURE_BOARD_{board}")).is_some();
    let Some((_, memory, sections)) = BOARDS.iter().find(chosen) else { return };
    println!("cargo::rustc-link-search={}", folder.display());
    for argument in ["--nmagic", &format!("-T{memory}"), &format!("-T{sections}")] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}
