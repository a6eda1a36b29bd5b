//! Ctrl-C: the first press asks the work to stop after what is running, the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Exit;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Installs the handler; without one (a host that has none to give) Ctrl-C ends the process as usual.
pub fn install() {
    let handler = || {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(Exit::Interrupted.code().into());
        }
    };
    // Fails only where a handler is already there, as when a program runs two commands in a row.
    let _ = ctrlc::set_handler(handler);
}

/// Whether Ctrl-C was pressed.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}
