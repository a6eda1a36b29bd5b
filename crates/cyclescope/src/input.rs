//! Standard input, read beside the run so that Ctrl-C is heard while there is none.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use crate::interrupt::interrupted;
use crate::output::tell;

/// The most bytes that are read ahead at once.
const PIECE: usize = 4096;

/// The time between two looks at Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// The time after which the user is told that the run waits.
const SILENCE: Duration = Duration::from_secs(2);

/// The next byte of standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read1 {
    Byte(u8),
    Nothing,
    End,
}

/// Standard input.
#[derive(Debug)]
pub(crate) struct Input {
    pieces: Option<Receiver<Vec<u8>>>,
    piece: VecDeque<u8>,
    ended: bool,
    told: bool,
}

impl Input {
    /// Nothing is read before the first call of another function.
    pub(crate) const fn new() -> Self {
        Self { pieces: None, piece: VecDeque::new(), ended: false, told: false }
    }

    /// Returns the next byte if it is there, after waiting for it for `patience`.
    pub(crate) fn within(&mut self, patience: Duration) -> Read1 {
        self.fill(patience);
        match self.piece.pop_front() {
            Some(byte) => Read1::Byte(byte),
            None if self.ended => Read1::End,
            None => Read1::Nothing,
        }
    }

    /// Returns the next byte as soon as it is there; [`Read1::Nothing`] only after Ctrl-C.
    pub(crate) fn wait(&mut self) -> Read1 {
        let since = Instant::now();
        loop {
            match self.within(LOOK) {
                Read1::Nothing if !interrupted() => {}
                read => return read,
            }
            if !self.told && since.elapsed() >= SILENCE {
                self.told = true;
                tell(
                    "the guest listens, and standard input is open and silent; with `< /dev/null` the run does not wait",
                );
            }
        }
    }

    /// Waits for `time`, or until a byte is there that was not before.
    pub(crate) fn pause(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            let left = left.min(LOOK);
            if interrupted() {
                return;
            }
            if self.piece.is_empty() && !self.ended {
                self.fill(left);
                if !self.piece.is_empty() {
                    return;
                }
            } else {
                std::thread::sleep(left);
            }
        }
    }

    /// Takes the next piece if the one before is used up.
    fn fill(&mut self, patience: Duration) {
        if !self.piece.is_empty() || self.ended {
            return;
        }
        let pieces = self.pieces.get_or_insert_with(reader);
        let piece = if patience.is_zero() {
            pieces.try_recv().map_err(|error| error == TryRecvError::Disconnected)
        } else {
            pieces.recv_timeout(patience).map_err(|error| error == RecvTimeoutError::Disconnected)
        };
        match piece {
            Ok(piece) => self.piece.extend(piece),
            Err(gone) => self.ended = gone,
        }
    }
}

/// Starts to read.
fn reader() -> Receiver<Vec<u8>> {
    let (sender, pieces) = sync_channel(1);
    std::thread::spawn(move || read(&sender));
    pieces
}

/// Reads to the end, or until nobody takes it. An error is an end, as of a terminal that is gone.
fn read(sender: &SyncSender<Vec<u8>>) {
    let mut piece = vec![0; PIECE];
    loop {
        match std::io::stdin().read(&mut piece) {
            Ok(0) => return,
            Ok(count) if sender.send(piece[..count].to_vec()).is_err() => return,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
