//! What most tests of the command need: the program as a user starts it, bundled images, and what came out.
#![allow(dead_code, reason = "each test file is a program of its own")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_cyclescope");

/// Runs `cyclescope arguments` in `folder`, without what the developer's environment says of colours and widths.
pub fn cyclescope(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).env_remove("NO_COLOR").env_remove("COLUMNS");
    command.args(arguments).output().expect("it runs")
}

/// Writes the bundled image `name` to `path`.
pub fn unpack(name: &str, path: &Path) {
    let image = cyclescope_images::images().iter().find(|image| image.name == name).expect("it is bundled");
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is ours");
    std::fs::write(path, image.elf().expect("it unpacks")).expect("the folder is ours");
}

/// What was written, which is text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// Standard output as JSON.
pub fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}
