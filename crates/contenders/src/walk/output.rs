//! The output of a walk.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use cyclescope_host::walk::COMPLAINT;
use nix::errno::Errno;

/// Writes `parts` and a newline to standard output in one call, as `println!` does, but as bytes: names need not be
/// UTF-8.
fn line(parts: &[&[u8]]) {
    let mut whole = parts.concat();
    whole.push(b'\n');
    if io::stdout().lock().write_all(&whole).is_err() {
        // Nothing reads the output any more.
        std::process::exit(1);
    }
}

/// Prints a directory.
pub(super) fn directory(path: &Path) {
    line(&[path.as_os_str().as_bytes()]);
}

/// Prints a link to a directory.
pub(super) fn link(path: &Path, target: &Path) {
    line(&[path.as_os_str().as_bytes(), b"@ -> ", target.as_os_str().as_bytes()]);
}

/// Prints an error. All contenders use the same words.
pub(super) fn complain(path: &Path, error: &io::Error) {
    complain_of(path, &reason(error));
}

/// Prints an error with a known reason.
pub(super) fn complain_of(path: &Path, reason: &str) {
    let text = format!("{COMPLAINT}{}: {reason}\n", path.display());
    // Nothing can be done if standard error is closed.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Returns the reason in one word: libraries put the same error into different sentences.
pub(super) fn reason(error: &io::Error) -> String {
    match system_error(error) {
        // std has no name for these errors.
        Some(errno @ (Errno::EMFILE | Errno::ENFILE | Errno::ELOOP)) => format!("{errno:?}"),
        _ => format!("{:?}", error.kind()),
    }
}

/// Returns the system error in `error` or in its sources.
fn system_error(error: &io::Error) -> Option<Errno> {
    let inside = || error.get_ref()?.source()?.downcast_ref().and_then(io::Error::raw_os_error);
    error.raw_os_error().or_else(inside).map(Errno::from_raw)
}
