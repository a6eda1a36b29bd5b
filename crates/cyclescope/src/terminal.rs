//! The terminal on standard input, whose keys go to the guest one by one.

#[cfg(unix)]
use std::sync::Mutex;

#[cfg(unix)]
use rustix::process::getpgrp;
#[cfg(unix)]
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcgetpgrp, tcsetattr,
};

/// The modes to restore.
#[cfg(unix)]
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Tells if another process group has the terminal on standard input: reading its keys or changing its modes would stop
/// this process, and nobody would continue it. A terminal that is not the process's own stops nobody.
pub(crate) fn is_anothers() -> bool {
    #[cfg(unix)]
    let anothers = tcgetpgrp(std::io::stdin()).is_ok_and(|group| group != getpgrp());
    #[cfg(not(unix))]
    let anothers = false;
    anothers
}

/// Has keys come as they are pressed, unseen and unchanged, but for Ctrl-C and Ctrl-Z; until it is dropped. Enter sends a
/// carriage return. On hosts without such modes input comes by lines.
#[derive(Debug)]
pub(crate) struct Keys(());

impl Keys {
    pub(crate) fn new() -> Self {
        #[cfg(unix)]
        take_keys();
        Self(())
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        restore();
    }
}

#[cfg(unix)]
fn take_keys() {
    let stdin = std::io::stdin();
    if !isatty(&stdin) {
        return;
    }
    let Ok(before) = tcgetattr(&stdin) else { return };
    let mut modes = before.clone();
    modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
    modes.input_modes.remove(InputModes::ICRNL | InputModes::INLCR | InputModes::IGNCR | InputModes::IXON);
    modes.special_codes[SpecialCodeIndex::VMIN] = 1;
    modes.special_codes[SpecialCodeIndex::VTIME] = 0;
    if let Ok(mut kept) = BEFORE.lock()
        && tcsetattr(&stdin, OptionalActions::Now, &modes).is_ok()
    {
        *kept = Some(before);
    }
}

/// Gives the terminal its modes back.
pub(crate) fn restore() {
    #[cfg(unix)]
    if let Some(before) = BEFORE.lock().ok().and_then(|mut kept| kept.take()) {
        // A terminal that is gone has no modes.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &before);
    }
}
