//! Ctrl-C: the first press asks the work to stop after what is running, the second ends the process.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::exit::Exit;
use crate::status;
use crate::terminal;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static FIRST: OnceLock<Instant> = OnceLock::new();

/// A second press counts only after this time: `timeout` sends its signal to the process and to its group, and
/// results that are complete would be lost.
const SECOND: Duration = Duration::from_secs(1);

/// Installs the handler; without one (a host that has none to give) Ctrl-C ends the process as usual.
pub fn install() {
    let handler = || {
        let first = FIRST.get_or_init(Instant::now);
        if INTERRUPTED.swap(true, Ordering::SeqCst) && first.elapsed() >= SECOND {
            status::hide();
            terminal::restore();
            std::process::exit(Exit::Interrupted.code().into());
        }
    };
    // Fails only where a handler is already there, as when a program runs two commands in a row.
    let _ = ctrlc::set_handler(handler);
}

/// Tells if Ctrl-C was pressed.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}
