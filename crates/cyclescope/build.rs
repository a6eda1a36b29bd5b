//! Puts the core for browsers into the program, if `CYCLESCOPE_CORE` names its file (`cargo xtask wasm --core FILE`): pages of
//! `report` then run firmware.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-env-changed=CYCLESCOPE_CORE");
    println!("cargo::rustc-check-cfg=cfg(core_in_program)");
    if let Some(file) = std::env::var_os("CYCLESCOPE_CORE").filter(|file| !file.is_empty()) {
        let file = Path::new(&file).canonicalize().map_err(|error| format!("CYCLESCOPE_CORE, {file:?}: {error}"))?;
        println!("cargo::rerun-if-changed={}", file.display());
        println!("cargo::rustc-env=CYCLESCOPE_CORE_FILE={}", file.display());
        println!("cargo::rustc-cfg=core_in_program");
    }
    Ok(())
}
