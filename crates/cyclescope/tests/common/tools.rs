//! Tests that need a program which not every machine has: debuggers and a browser.

use std::path::Path;

/// The environment variable that brings these tests in.
const SWITCH: &str = "CYCLESCOPE_TEST_TOOLS";

/// Returns whether a test that needs `tool` is to run: `CYCLESCOPE_TEST_TOOLS` is `all`. It then fails where the tool is
/// missing. A file of the tool's name in `target/tmp/tools` tells `.ci/run` that such a test began.
///
/// # Panics
/// If the variable has another value, so that a mistyped one leaves nothing out, or if the tool is on no path: a test that
/// started its other half first would wait for it.
pub fn wanted(tool: &str) -> bool {
    match std::env::var(SWITCH).as_deref() {
        Ok("all") => {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            let is_there = std::env::split_paths(&folders).any(|folder| folder.join(tool).is_file());
            assert!(is_there, "{tool} is on no path: install it (.ci/packages does), or unset {SWITCH}");
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tools");
            std::fs::create_dir_all(&folder).expect("the target folder can be written");
            std::fs::write(folder.join(tool), "").expect("the target folder can be written");
            true
        }
        Err(std::env::VarError::NotPresent) => {
            eprintln!("left out: it needs {tool}, and {SWITCH}=all is not set");
            false
        }
        other => panic!("{SWITCH} is either unset or `all`, not {other:?}"),
    }
}
