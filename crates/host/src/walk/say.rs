//! What a walk says.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::errno::Errno;

/// How a complaint on standard error begins.
pub const COMPLAINT: &str = "cannot read ";

/// Writes `parts` and a newline to standard output at once, as `println!` does, in bytes: names need not be UTF-8.
fn line(parts: &[&[u8]]) {
    let mut whole = parts.concat();
    whole.push(b'\n');
    if io::stdout().lock().write_all(&whole).is_err() {
        // Nobody reads: there is nothing left to do.
        std::process::exit(1);
    }
}

/// A directory was found.
pub(super) fn directory(path: &Path) {
    line(&[path.as_os_str().as_bytes()]);
}

/// A link to a directory was found.
pub(super) fn link(path: &Path, target: &Path) {
    line(&[path.as_os_str().as_bytes(), b"@ -> ", target.as_os_str().as_bytes()]);
}

/// Something could not be read. All contenders say it in the same words.
pub(super) fn complain(path: &Path, error: &io::Error) {
    complain_of(path, &reason(error));
}

/// The same, of a reason that is at hand.
pub(super) fn complain_of(path: &Path, reason: &str) {
    let text = format!("{COMPLAINT}{}: {reason}\n", path.display());
    // Nobody can be told that standard error is closed.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Why, in one word: libraries put the same error into different sentences, or into one of their own.
pub(super) fn reason(error: &io::Error) -> String {
    match system_error(error) {
        // For these std has no word of its own.
        Some(errno @ (Errno::EMFILE | Errno::ENFILE | Errno::ELOOP)) => format!("{errno:?}"),
        _ => format!("{:?}", error.kind()),
    }
}

/// The system's own error, of `error` or of what is inside it.
fn system_error(error: &io::Error) -> Option<Errno> {
    let inside = || error.get_ref()?.source()?.downcast_ref().and_then(io::Error::raw_os_error);
    error.raw_os_error().or_else(inside).map(Errno::from_raw)
}
