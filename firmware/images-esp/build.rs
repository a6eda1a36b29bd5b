//! Lists the archives of `images/` for the library to embed, in the order of their names.

use std::fmt::Write;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=images");
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("images");
    let mut names = Vec::new();
    for entry in folder.read_dir()? {
        let name = entry?.file_name().into_string().map_err(|name| format!("{name:?} is no UTF-8"))?;
        names.extend(name.strip_suffix(".xz").map(str::to_owned));
    }
    names.sort();
    let mut list = String::from("&[");
    for name in names {
        let file = folder.join(format!("{name}.xz"));
        write!(list, "({name:?}, include_bytes!({file:?})),")?;
    }
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("archives.rs"), list + "]")?;
    Ok(())
}
