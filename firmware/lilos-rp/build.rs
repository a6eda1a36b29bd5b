//! Link arguments; the memory map comes with the board.
//!
//! Arguments stand here and not in `.cargo/config.toml`, whose flags a set `RUSTFLAGS` would drop.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for argument in ["--nmagic", "-Tlink.x"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}
