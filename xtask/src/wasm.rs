//! `cargo xtask wasm`: the core for browsers, and pages that carry it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, bail, ensure};
use cyclescope_report::page::{Core, playground};
use lzma_rust2::{XzOptions, XzWriter};
use wasm_bindgen_cli_support::Bindgen;

/// The name and the version in the core's file: those of the command.
const TOOL: &str = concat!("cyclescope ", env!("CARGO_PKG_VERSION"));

/// The target that browsers run.
const TARGET: &str = "wasm32-unknown-unknown";

/// The most bytes that a page has for its core.
const MOST_BYTES: usize = 3_000_000;

/// The pages to make.
#[derive(clap::Args)]
pub struct Arguments {
    /// The folder of the core: cyclescope_web.js and cyclescope_web_bg.wasm.
    #[arg(long, value_name = "DIR", default_value = "target/wasm")]
    out: PathBuf,
    /// Write the core as one file, for `report --core`.
    #[arg(long, value_name = "FILE")]
    core: Option<PathBuf>,
    /// Write the playground to this HTML file.
    #[arg(long, value_name = "FILE")]
    playground: Option<PathBuf>,
}

/// Builds the core, and what else is asked for.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the workspace")?;
    let (script, module) = loaded(root, "cyclescope_web", "wasm")?;
    let (unpacker_script, unpacker) = loaded(root, "cyclescope_unpack", "unpack")?;
    let folder = root.join(&arguments.out);
    std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    for (name, bytes) in [("cyclescope_web.js", script.as_bytes()), ("cyclescope_web_bg.wasm", &module)] {
        write(&folder.join(name), bytes)?;
    }
    let packed = packed(&module)?;
    let core = Core::new(TOOL, (&script, &packed), (&unpacker_script, &unpacker));
    let file = core.write()?;
    ensure!(file.len() <= MOST_BYTES, "the core has {} bytes, more than {MOST_BYTES}", file.len());
    if let Some(path) = &arguments.core {
        write(&root.join(path), file.as_bytes())?;
    }
    if let Some(path) = &arguments.playground {
        write(&root.join(path), playground(&core)?.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Packs `module` as tightly as XZ can.
fn packed(module: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut options = XzOptions::with_preset(9);
    options.lzma_options.dict_size = u32::try_from(module.len().next_power_of_two()).context("the core is huge")?;
    let mut encoder = XzWriter::new(Vec::new(), options)?;
    encoder.write_all(module)?;
    Ok(encoder.finish()?)
}

/// Builds the library `name` of the workspace with `profile`, and returns the script that loads it, and the module.
fn loaded(root: &Path, name: &str, profile: &str) -> anyhow::Result<(String, Vec<u8>)> {
    let mut output = Bindgen::new()
        .input_bytes(name, build(root, name, profile)?)
        .no_modules(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .omit_default_module_path(true)
        .generate_output()
        .with_context(|| format!("wasm-bindgen cannot read {name}"))?;
    let module = output.wasm_mut().emit_wasm();
    Ok((output.js().to_owned(), module))
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("{} cannot be written", path.display()))?;
    eprintln!("wrote {} ({} bytes)", path.display(), bytes.len());
    Ok(())
}

/// Builds the library `name` and returns the module, of which wasm-bindgen has still to make an interface.
fn build(root: &Path, name: &str, profile: &str) -> anyhow::Result<Vec<u8>> {
    check_target()?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args(["rustc", "--locked", "--profile", profile, "--lib", "-p", &name.replace('_', "-")]);
    // Elsewhere it is a library for Rust alone.
    let status =
        cargo.args(["--target", TARGET, "--crate-type", "cdylib"]).status().context("cargo cannot be started")?;
    ensure!(status.success(), "{name} cannot be built: cargo ended with {status}");
    let target = root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
    let path = target.join(TARGET).join(profile).join(format!("{name}.wasm"));
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
