//! `cargo xtask wasm`: the core for browsers, and pages that carry it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, bail, ensure};
use cyclescope_report::page::{Core, playground};
use wasm_bindgen_cli_support::Bindgen;

/// The target that browsers run.
const TARGET: &str = "wasm32-unknown-unknown";

/// The most bytes of the playground: it must open at once.
const MOST_BYTES: usize = 6 << 20;

/// The pages to make.
#[derive(clap::Args)]
pub struct Arguments {
    /// The folder of the core: cyclescope_web.js and cyclescope_web_bg.wasm.
    #[arg(long, value_name = "DIR", default_value = "target/wasm")]
    out: PathBuf,
    /// Write the playground to this HTML file.
    #[arg(long, value_name = "FILE")]
    playground: Option<PathBuf>,
}

/// Builds the core, and what else is asked for.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the workspace")?;
    let module = build(root)?;
    let mut output = Bindgen::new()
        .input_bytes("cyclescope_web", module)
        .no_modules(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .omit_default_module_path(true)
        .generate_output()
        .context("wasm-bindgen cannot read the core")?;
    let module = output.wasm_mut().emit_wasm();
    let core = Core { script: output.js(), module: &module };
    let folder = root.join(&arguments.out);
    std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    for (name, bytes) in [("cyclescope_web.js", core.script.as_bytes()), ("cyclescope_web_bg.wasm", core.module)] {
        write(&folder.join(name), bytes)?;
    }
    if let Some(path) = &arguments.playground {
        let page = playground(&core)?;
        ensure!(page.len() <= MOST_BYTES, "the playground has {} bytes, more than {MOST_BYTES}", page.len());
        write(&root.join(path), page.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("{} cannot be written", path.display()))?;
    eprintln!("wrote {} ({} bytes)", path.display(), bytes.len());
    Ok(())
}

/// Builds the core and returns the module, of which wasm-bindgen has still to make an interface.
fn build(root: &Path) -> anyhow::Result<Vec<u8>> {
    check_target()?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args(["rustc", "--locked", "--profile", "wasm", "--lib", "-p", "cyclescope-web"]);
    // Elsewhere it is a library for Rust alone.
    let status =
        cargo.args(["--target", TARGET, "--crate-type", "cdylib"]).status().context("cargo cannot be started")?;
    ensure!(status.success(), "the core cannot be built: cargo ended with {status}");
    let target = root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
    let path = target.join(TARGET).join("wasm/cyclescope_web.wasm");
    std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))
}

/// Checks that the compiler has the target's standard library, and says how to come by it.
fn check_target() -> anyhow::Result<()> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output();
    let asked = asked.context("rustc cannot be started")?;
    let folder = PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim());
    if !asked.status.success() || !folder.is_dir() {
        bail!("rustc has no standard library for {TARGET}: run `rustup target add {TARGET}`");
    }
    Ok(())
}
