//! A file that is written by a thread of its own, while more is made.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use crate::backend::Lines;
use crate::error::CliError;
use crate::output::check_name;

/// Buffers that wait to be written before their maker waits.
const WAITING: usize = 4;

/// Writes what it is given, in order; [`Background::finish`] says whether all of it was.
pub(super) struct Background {
    path: PathBuf,
    /// None once it is to end.
    full: Option<SyncSender<(Vec<u8>, usize)>>,
    empty: Receiver<Vec<u8>>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

impl Background {
    /// To the file at `path`, from its start.
    ///
    /// # Errors
    /// [`CliError::Write`] where there can be none, and that of [`check_name`].
    pub(super) fn new(path: &Path) -> Result<Self, CliError> {
        check_name(path)?;
        let mut file = File::create(path).map_err(CliError::unwritable(path))?;
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
        Ok(Self { path: path.to_owned(), full: Some(full), empty, writer: Some(writer) })
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
    /// [`CliError::Write`] with the first thing that could not be.
    pub(super) fn finish(mut self) -> Result<(), CliError> {
        self.end().map_err(|error| CliError::Write { path: self.path, error })
    }
}

impl Lines for Background {
    fn take(&mut self, bytes: Vec<u8>, len: usize) -> io::Result<Vec<u8>> {
        let sent = self.full.as_ref().map(|to| to.send((bytes, len)));
        // The thread ends early only when it cannot write.
        if !matches!(sent, Some(Ok(()))) {
            self.end().map_err(|error| {
                io::Error::new(error.kind(), format!("{} cannot be written: {error}", self.path.display()))
            })?;
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
        let mut file = Background::new(&path).expect("the folder is ours");
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
        let mut file = Background::new(Path::new("/dev/full")).expect("Linux has it");
        let failed = (0..100).find_map(|_| file.take(vec![0; 1_000], 1_000).err()).map(|error| error.to_string());
        let failed = failed.unwrap_or_else(|| file.finish().expect_err("it is full").to_string());
        assert!(failed.starts_with("/dev/full cannot be written: No space left"), "{failed}");
    }
}
