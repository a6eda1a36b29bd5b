//! A file that is written by a thread of its own, while more is made.

use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use crate::backend::Lines;

/// Buffers that wait to be written before their maker waits.
const WAITING: usize = 4;

/// Writes what it is given, in order; [`Background::finish`] says whether all of it was.
pub(super) struct Background {
    /// None once it is to end.
    full: Option<SyncSender<(Vec<u8>, usize)>>,
    empty: Receiver<Vec<u8>>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

impl Background {
    /// To `file`, from its start.
    pub(super) fn new(mut file: File) -> Self {
        let (full, to_write) = sync_channel::<(Vec<u8>, usize)>(WAITING);
        let (written, empty) = sync_channel(WAITING + 2);
        let writer = std::thread::spawn(move || {
            for (buffer, len) in to_write {
                file.write_all(&buffer[..len])?;
                // Nobody wants it back at the end.
                let _ = written.try_send(buffer);
            }
            file.flush()
        });
        Self { full: Some(full), empty, writer: Some(writer) }
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
        self.end()
    }
}

impl Lines for Background {
    fn take(&mut self, bytes: Vec<u8>, len: usize) -> io::Result<Vec<u8>> {
        let sent = self.full.as_ref().map(|to| to.send((bytes, len)));
        // The thread ends early only when it cannot write.
        if !matches!(sent, Some(Ok(()))) {
            self.end()?;
        }
        Ok(self.empty.try_recv().unwrap_or_default())
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
        let mut buffer = Vec::new();
        for number in 0..1_000_u32 {
            buffer.clear();
            buffer.extend_from_slice(&number.to_le_bytes().repeat(1_000));
            buffer.extend_from_slice(b"room");
            buffer = file.take(buffer, 4_000).expect("it is taken");
        }
        file.finish().expect("it is written");
        let written: Vec<u8> = (0..1_000_u32).flat_map(|number| number.to_le_bytes().repeat(1_000)).collect();
        assert!(std::fs::read(&path).expect("it is there") == written);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_cannot_be_written_is_said() {
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        let mut file = Background::new(full);
        let failed = (0..100).any(|_| file.take(vec![0; 1_000], 1_000).is_err());
        assert!(failed || file.finish().is_err());
    }
}
