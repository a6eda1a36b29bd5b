//! A file that is written by a thread of its own, while more is made.

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Bytes that are written at once.
const BUFFER: usize = 1 << 20;

/// Buffers that wait to be written before their maker waits.
const WAITING: usize = 4;

/// Writes what it is given, in order; [`Background::finish`] says whether all of it was.
pub(super) struct Background {
    buffer: Vec<u8>,
    /// None once it is to end.
    full: Option<SyncSender<Vec<u8>>>,
    empty: Receiver<Vec<u8>>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

impl Background {
    /// To `file`, from its start.
    pub(super) fn new(mut file: File) -> Self {
        let (full, to_write) = sync_channel::<Vec<u8>>(WAITING);
        let (written, empty) = sync_channel(WAITING + 2);
        let writer = std::thread::spawn(move || {
            for mut buffer in to_write {
                file.write_all(&buffer)?;
                buffer.clear();
                // Nobody wants it back at the end.
                let _ = written.try_send(buffer);
            }
            file.flush()
        });
        Self { buffer: Vec::with_capacity(BUFFER), full: Some(full), empty, writer: Some(writer) }
    }

    /// Hands over what was collected.
    fn send(&mut self) -> io::Result<()> {
        let next = self.empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(BUFFER));
        let buffer = std::mem::replace(&mut self.buffer, next);
        let sent = self.full.as_ref().map(|full| full.send(buffer));
        // The thread ends early only when it cannot write.
        if matches!(sent, Some(Ok(()))) { Ok(()) } else { self.end() }
    }

    fn end(&mut self) -> io::Result<()> {
        self.full = None;
        match self.writer.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            _ => Err(io::Error::other("nothing is written any more")),
        }
    }

    /// Waits until all is written.
    ///
    /// # Errors
    /// The first thing that could not be written.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.send()?;
        self.end()
    }
}

impl Write for Background {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.send()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_written_in_order() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("file");
        let mut file = Background::new(File::create(&path).expect("the folder is ours"));
        let line = [b"0123456789".repeat(1_000), vec![b'\n']].concat();
        for _ in 0..1_000 {
            file.write_all(&line).expect("it is taken");
        }
        file.finish().expect("it is written");
        assert_eq!(std::fs::read(&path).expect("it is there"), line.repeat(1_000));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_cannot_be_written_is_said() {
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        let mut file = Background::new(full);
        let failed = (0..100).any(|_| file.write_all(&[0; BUFFER]).is_err());
        assert!(failed || file.finish().is_err());
    }
}
