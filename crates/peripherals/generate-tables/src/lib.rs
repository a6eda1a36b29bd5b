//! The common parts of the generators: registers as Rust tables, the files that they go to, and the vendors' descriptions.

pub mod map;
pub mod svd;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The access that software has to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    ReadWrite,
    ReadOnly,
    WriteOnly,
}

/// A named run of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub low: u32,
    pub width: u32,
}

impl Field {
    /// Returns the field called `name` of `width` bits from `low` on.
    pub fn new(name: impl Into<String>, low: u32, width: u32) -> Self {
        Self { name: name.into(), low, width }
    }
}

/// A register of 8, 16 or 32 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    pub name: String,
    pub offset: u32,
    pub bits: u32,
    pub access: Access,
    /// Another view of bytes that another register has.
    pub alternate: bool,
    pub reset: u32,
    pub fields: Vec<Field>,
}

impl Register {
    /// Returns it as a Rust expression. `fields` is the expression of its fields.
    pub fn text(&self, fields: &str) -> String {
        let Self { name, offset, bits, access, alternate, .. } = self;
        if *bits == 32 {
            let maker = if *alternate { "view" } else { "word" };
            return format!("{maker}({name:?}, {offset:#x}, {access:?}, {fields}),\n");
        }
        format!(
            "Register {{ name: {name:?}, offset: {offset:#x}, bits: {bits}, access: {access:?}, alternate: {alternate}, \
             fields: {fields} }},\n"
        )
    }
}

/// Returns fields as a Rust expression.
pub fn list(fields: &[Field]) -> String {
    let fields: Vec<String> =
        fields.iter().map(|Field { name, low, width }| format!("Field::new({name:?}, {low}, {width})")).collect();
    format!("&[{}]", fields.join(", "))
}

/// Returns registers as the end of a map, `] };`, and behind it each list of fields that several of them have, under the name
/// of the first.
pub fn registers(registers: &[Register]) -> String {
    let mut shared: Vec<(String, String)> = Vec::new();
    let mut text = String::new();
    for (at, register) in registers.iter().enumerate() {
        let list = list(&register.fields);
        let again = registers[at + 1..].iter().any(|other| other.fields == register.fields);
        if again && register.fields.len() > 1 && !shared.iter().any(|(_, known)| *known == list) {
            let name = register.name.to_uppercase().replace(['[', '.'], "_").replace(']', "");
            shared.push((format!("OF_{name}"), list.clone()));
        }
        text += &register.text(shared.iter().find(|(_, known)| *known == list).map_or(&list, |(name, _)| name));
    }
    text += "] };\n";
    for (name, list) in shared {
        text += &format!("\nconst {name}: &[Field] = {list};\n");
    }
    text
}

/// Returns `pub mod` items for `modules`.
pub fn modules<'a>(modules: impl IntoIterator<Item = &'a str>) -> String {
    modules.into_iter().map(|module| format!("pub mod {module};\n")).collect()
}

/// Reads a decimal or hexadecimal number.
pub fn number(text: &str) -> u32 {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    }
    .unwrap_or_else(|_| panic!("`{text}` is a number"))
}

/// Returns the repository's folder of crates.
pub fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/ is two folders up").to_owned()
}

/// Returns the folder of the package `package`, a dependency of the generator in the folder `generator`, that cargo fetched.
pub fn package(generator: &str, package: &str) -> PathBuf {
    let manifest = Path::new(generator).join("Cargo.toml");
    let done = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--all-features", "--manifest-path"])
        .arg(manifest)
        .output()
        .expect("cargo started this program");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&done.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("cargo lists packages");
    let package = packages.iter().find(|known| known["name"] == package).expect("it is a dependency");
    let manifest = package["manifest_path"].as_str().expect("each package has one");
    Path::new(manifest).parent().expect("a manifest lies in a folder").to_owned()
}

/// Returns the text of `file` in the package `package`, a dependency of the generator in the folder `generator`, that cargo
/// fetched.
pub fn description(generator: &str, package: &str, file: &str) -> String {
    let path = self::package(generator, package).join(file);
    std::fs::read_to_string(path).expect("the crate carries the description")
}

/// Empties `folder`, or makes it.
pub fn empty(folder: &Path) {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).expect("the checkout is writable");
}

/// Writes `text` to `path`, formatted as the repository formats.
pub fn write(path: &Path, text: &str) {
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition=2024", "--quiet", "--config-path"]).arg(crates().with_file_name("rustfmt.toml"));
    // From its input rustfmt does not follow the modules that an index names.
    let mut child = rustfmt.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("rustfmt is on the path");
    child.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("rustfmt reads");
    let output = child.wait_with_output().expect("rustfmt ends");
    assert!(output.status.success(), "rustfmt takes what the generator wrote: {}", path.display());
    std::fs::write(path, output.stdout).expect("the folder is writable");
}
