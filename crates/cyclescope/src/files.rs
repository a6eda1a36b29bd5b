//! A folder of the host for a guest's semihosting calls.
//!
//! All paths go through the crate cap-std, which lets no `..`, no absolute path and no link out of the folder. Only regular
//! files are opened. What a guest can have and write is bounded.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use cyclescope_machine::{FIRST_HANDLE, FileError, OpenKind, OpenMode, SemihostingFiles, errno};

/// The most files open at a time.
const MOST_OPEN: usize = 64;

/// The most files that a run makes.
const MOST_MADE: u32 = 4_096;

/// The most bytes that a run writes.
const MOST_WRITTEN: u64 = 64 << 20;

/// The file that says which of the optional calls there are, and its contents: a mark, and bits for SYS_EXIT_EXTENDED and
/// for standard error apart from standard output (IHI 0100).
const FEATURES: (&[u8], &[u8]) = (b":semihosting-features", b"SHFB\x03");

/// A folder that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("the folder {} of --files cannot be opened: {source}", path.display())]
pub(crate) struct FolderError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

/// A folder and the files that the guest has open in it.
#[derive(Debug)]
pub(crate) struct Folder {
    folder: Dir,
    open: Vec<Option<Open>>,
    made: u32,
    written: u64,
}

#[derive(Debug)]
enum Open {
    File(File, OpenMode),
    /// [`FEATURES`], and the position.
    Features(usize),
}

/// Opens the folder at `path` for a guest.
///
/// # Errors
/// As [`Folder::open`].
pub(crate) fn open(path: &Path) -> Result<Box<dyn SemihostingFiles>, Box<dyn std::error::Error + Send + Sync>> {
    Ok(Box::new(Folder::open(path)?))
}

impl Folder {
    /// Opens the folder at `path`, all of which the guest may then read and write.
    ///
    /// # Errors
    /// [`FolderError`] where there is no folder, or none that may be opened.
    pub(crate) fn open(path: &Path) -> Result<Self, FolderError> {
        let folder = Dir::open_ambient_dir(path, ambient_authority())
            .map_err(|source| FolderError { path: path.to_owned(), source })?;
        Ok(Self { folder, open: Vec::new(), made: 0, written: 0 })
    }

    fn at(&mut self, handle: u32) -> Result<&mut Open, FileError> {
        let index = handle.checked_sub(FIRST_HANDLE).ok_or(FileError::new(errno::EBADF))?;
        let open = self.open.get_mut(index as usize).and_then(Option::as_mut);
        open.ok_or(FileError::new(errno::EBADF))
    }

    /// Opens the regular file `name`, which is made if it is not there and `mode` allows that.
    fn regular(&mut self, name: &str, mode: OpenMode) -> Result<File, FileError> {
        let there = match self.folder.metadata(name) {
            Ok(metadata) if metadata.is_file() => true,
            Ok(metadata) if metadata.is_dir() => return Err(FileError::new(errno::EISDIR)),
            Ok(_) => return Err(FileError::new(errno::EACCES)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && mode.kind != OpenKind::Read => false,
            Err(error) => return Err(of_host(&error)),
        };
        if !there && self.made >= MOST_MADE {
            return Err(FileError::bound(errno::ENOSPC, format!("a run makes at most {MOST_MADE} files")));
        }
        let mut options = OpenOptions::new();
        options.read(mode.reads()).write(mode.writes()).create_new(!there);
        options.append(mode.kind == OpenKind::Append);
        // Whatever has taken the file's place since then must not keep the host waiting.
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::custom_flags(&mut options, unwaiting());
        let file = self.folder.open_with(name, &options).map_err(|error| of_host(&error))?;
        if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Err(FileError::new(errno::EACCES));
        }
        self.made += u32::from(!there);
        if there && mode.kind == OpenKind::Write {
            file.set_len(0).map_err(|error| of_host(&error))?;
        }
        Ok(file)
    }
}

/// Opens at once, and takes no terminal for that of this process.
#[cfg(unix)]
fn unwaiting() -> i32 {
    use rustix::fs::OFlags;
    (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32
}

/// Returns the number of bytes between the end of `file` and the place of the next write, which the file then has as well.
fn hole(file: &mut File, mode: OpenMode) -> io::Result<u64> {
    if mode.kind == OpenKind::Append {
        return Ok(0);
    }
    Ok(file.stream_position()?.saturating_sub(file.metadata()?.len()))
}

fn too_much() -> FileError {
    let bound = format!("a run writes at most {} MiB to files, holes included", MOST_WRITTEN >> 20);
    FileError::bound(errno::ENOSPC, bound)
}

/// Returns a guest's name as a path inside the folder.
fn path(name: &[u8]) -> Result<&str, FileError> {
    std::str::from_utf8(name).map_err(|_| FileError::new(errno::EINVAL))
}

/// Returns the guest's number for an error of the host. What leads out of the folder is refused as permission is.
fn of_host(error: &io::Error) -> FileError {
    use io::ErrorKind as Kind;
    FileError::new(match error.kind() {
        Kind::NotFound => errno::ENOENT,
        Kind::PermissionDenied => errno::EACCES,
        Kind::AlreadyExists => errno::EEXIST,
        Kind::NotADirectory => errno::ENOTDIR,
        Kind::IsADirectory => errno::EISDIR,
        Kind::InvalidInput => errno::EINVAL,
        Kind::InvalidFilename => errno::ENAMETOOLONG,
        Kind::FileTooLarge => errno::EFBIG,
        Kind::StorageFull | Kind::QuotaExceeded => errno::ENOSPC,
        Kind::ReadOnlyFilesystem => errno::EROFS,
        _ => errno::EIO,
    })
}

impl SemihostingFiles for Folder {
    fn open(&mut self, name: &[u8], mode: OpenMode) -> Result<u32, FileError> {
        let free = self.open.iter().position(Option::is_none).unwrap_or(self.open.len());
        if free >= MOST_OPEN {
            return Err(FileError::bound(errno::EMFILE, format!("at most {MOST_OPEN} files are open at a time")));
        }
        let open = match (name == FEATURES.0, mode.writes()) {
            (true, true) => return Err(FileError::new(errno::EACCES)),
            (true, false) => Open::Features(0),
            (false, _) => Open::File(self.regular(path(name)?, mode)?, mode),
        };
        match self.open.get_mut(free) {
            Some(place) => *place = Some(open),
            None => self.open.push(Some(open)),
        }
        Ok(FIRST_HANDLE + free as u32)
    }

    fn close(&mut self, handle: u32) -> Result<(), FileError> {
        self.at(handle)?;
        self.open[(handle - FIRST_HANDLE) as usize] = None;
        Ok(())
    }

    fn write(&mut self, handle: u32, bytes: &[u8]) -> (usize, Result<(), FileError>) {
        let left = MOST_WRITTEN.saturating_sub(self.written);
        let (file, mode) = match self.at(handle) {
            Ok(Open::File(file, mode)) if mode.writes() => (file, *mode),
            Ok(_) => return (0, Err(FileError::new(errno::EBADF))),
            Err(error) => return (0, Err(error)),
        };
        let hole = match hole(file, mode) {
            Ok(hole) => hole,
            Err(error) => return (0, Err(of_host(&error))),
        };
        let room = usize::try_from(left.saturating_sub(hole)).unwrap_or(usize::MAX).min(bytes.len());
        let (mut written, mut end) = (0, Ok(()));
        while written < room && end.is_ok() {
            match file.write(&bytes[written..room]) {
                Ok(0) => end = Err(FileError::new(errno::EIO)),
                Ok(more) => written += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => end = Err(of_host(&error)),
            }
        }
        if written > 0 {
            self.written += hole + written as u64;
        }
        if end.is_ok() && room < bytes.len() {
            end = Err(too_much());
        }
        (written, end)
    }

    fn read(&mut self, handle: u32, bytes: &mut [u8]) -> Result<usize, FileError> {
        let file = match self.at(handle)? {
            Open::File(file, mode) if mode.reads() => file,
            Open::File(..) => return Err(FileError::new(errno::EBADF)),
            Open::Features(position) => {
                let mut rest = FEATURES.1.get(*position..).unwrap_or_default();
                let read = rest.read(bytes).map_err(|error| of_host(&error))?;
                *position += read;
                return Ok(read);
            }
        };
        let mut came = 0;
        while came < bytes.len() {
            match file.read(&mut bytes[came..]) {
                Ok(0) => break,
                Ok(more) => came += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(of_host(&error)),
            }
        }
        Ok(came)
    }

    fn seek(&mut self, handle: u32, position: u32) -> Result<(), FileError> {
        match self.at(handle)? {
            Open::File(file, _) => {
                file.seek(SeekFrom::Start(position.into())).map_err(|error| of_host(&error))?;
            }
            Open::Features(at) => *at = position as usize,
        }
        Ok(())
    }

    fn length(&mut self, handle: u32) -> Result<u32, FileError> {
        match self.at(handle)? {
            Open::File(file, _) => {
                let length = file.metadata().map_err(|error| of_host(&error))?.len();
                u32::try_from(length).map_err(|_| FileError::new(errno::EFBIG))
            }
            Open::Features(_) => Ok(FEATURES.1.len() as u32),
        }
    }

    fn remove(&mut self, name: &[u8]) -> Result<(), FileError> {
        self.folder.remove_file(path(name)?).map_err(|error| of_host(&error))
    }

    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), FileError> {
        self.folder.rename(path(from)?, &self.folder, path(to)?).map_err(|error| of_host(&error))
    }

    fn temporary_name(&self, id: u8) -> Vec<u8> {
        format!("semihosting-{id:02x}.tmp").into_bytes()
    }

    fn close_all(&mut self) {
        self.open.clear();
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    const R: u32 = 0;
    const R_PLUS: u32 = 2;
    const W: u32 = 4;
    const W_PLUS: u32 = 6;
    const A: u32 = 8;
    const A_PLUS: u32 = 10;

    /// A folder with a file `in`, within one with a file `outside`.
    fn folder() -> (TempDir, Folder) {
        let outer = tempfile::tempdir().unwrap();
        std::fs::write(outer.path().join("outside"), "secret").unwrap();
        std::fs::create_dir_all(outer.path().join("given/sub")).unwrap();
        std::fs::write(outer.path().join("given/in"), "abcdef").unwrap();
        let folder = Folder::open(&outer.path().join("given")).unwrap();
        (outer, folder)
    }

    fn open(folder: &mut Folder, name: &str, mode: u32) -> Result<u32, u32> {
        folder.open(name.as_bytes(), OpenMode::from_number(mode).unwrap()).map_err(|error| error.number)
    }

    fn read(folder: &mut Folder, handle: u32) -> Result<String, u32> {
        let mut bytes = [0; 100];
        let came = folder.read(handle, &mut bytes).map_err(|error| error.number)?;
        Ok(String::from_utf8(bytes[..came].to_vec()).unwrap())
    }

    #[test]
    fn modes_read_write_make_and_empty_as_in_c() {
        // Does it open a file that is not there; what is left of one that is; can it be read; where is a write put?
        for (mode, makes, left, reads, wrote) in [
            (R, false, "abcdef", true, None),
            (R_PLUS, false, "abcdef", true, Some("Xbcdef")),
            (W, true, "", false, Some("X")),
            (W_PLUS, true, "", true, Some("X")),
            (A, true, "abcdef", false, Some("abcdefX")),
            (A_PLUS, true, "abcdef", true, Some("abcdefX")),
        ] {
            for mode in [mode, mode + 1] {
                let (outer, mut folder) = folder();
                let inside = |name: &str| std::fs::read_to_string(outer.path().join("given").join(name));
                assert_eq!(open(&mut folder, "new", mode).is_ok(), makes, "{mode}");
                assert_eq!(inside("new").is_ok(), makes, "{mode}");
                let handle = open(&mut folder, "in", mode).unwrap();
                assert_eq!(inside("in").unwrap(), left, "{mode}");
                assert_eq!(read(&mut folder, handle).ok().as_deref(), reads.then_some(left), "{mode}");
                let (written, end) = {
                    folder.seek(handle, 0).unwrap();
                    folder.write(handle, b"X")
                };
                assert_eq!((written == 1, end.is_ok()), (wrote.is_some(), wrote.is_some()), "{mode}");
                assert_eq!(inside("in").unwrap(), wrote.unwrap_or(left), "{mode}");
                assert_eq!(folder.close(handle), Ok(()));
                assert_eq!(folder.close(handle), Err(FileError::new(errno::EBADF)), "{mode}");
            }
        }
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        let (outer, mut folder) = folder();
        let outside = outer.path().join("outside");
        let absolute = outside.to_str().unwrap().to_owned();
        let mut ways = vec!["../outside", "sub/../../outside", absolute.as_str(), "../given/../outside"];
        #[cfg(unix)]
        {
            let given = outer.path().join("given");
            std::os::unix::fs::symlink(&outside, given.join("absolute-link")).unwrap();
            std::os::unix::fs::symlink("../outside", given.join("link")).unwrap();
            std::os::unix::fs::symlink("../..", given.join("sub/up")).unwrap();
            std::os::unix::fs::symlink("../new", given.join("dangling")).unwrap();
            ways.extend(["absolute-link", "link", "sub/up/outside", "dangling"]);
        }
        for way in ways {
            for mode in 0..12 {
                assert_eq!(open(&mut folder, way, mode), Err(errno::EACCES), "{way}, mode {mode}");
            }
            if way.contains('/') {
                assert!(folder.remove(way.as_bytes()).is_err(), "{way}");
                assert!(folder.rename(way.as_bytes(), b"mine").is_err(), "{way}");
                assert!(folder.rename(b"in", way.as_bytes()).is_err(), "{way}");
            }
        }
        assert!(folder.rename(b"in", b"../stolen").is_err());
        assert_eq!(std::fs::read_to_string(outside).unwrap(), "secret");
        let left: Vec<_> = std::fs::read_dir(outer.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "{left:?}");
    }

    #[test]
    fn only_regular_files_are_opened() {
        let (outer, mut folder) = folder();
        assert_eq!(open(&mut folder, "sub", R), Err(errno::EISDIR));
        assert_eq!(open(&mut folder, ".", R), Err(errno::EISDIR));
        assert_eq!(open(&mut folder, "in/x", R), Err(errno::ENOTDIR));
        assert_eq!(open(&mut folder, "", W), Err(errno::ENOENT));
        assert_eq!(folder.open(b"\xff", OpenMode::from_number(W).unwrap()), Err(FileError::new(errno::EINVAL)));
        #[cfg(target_os = "linux")]
        {
            let fifo = outer.path().join("given/fifo");
            let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
            assert!(made.success());
            let _socket = std::os::unix::net::UnixListener::bind(outer.path().join("given/socket")).unwrap();
            // Without a writer, a plain open of the first waits for ever.
            for (name, mode) in ["fifo", "socket"].iter().flat_map(|name| (0..12).map(move |mode| (name, mode))) {
                assert_eq!(open(&mut folder, name, mode), Err(errno::EACCES), "{name}, mode {mode}");
            }
        }
        drop(outer);
    }

    #[test]
    fn a_guest_has_so_many_files_and_bytes_and_no_more() {
        let (outer, mut folder) = folder();
        let handles: Vec<u32> = (0..MOST_OPEN).map(|_| open(&mut folder, "in", R).unwrap()).collect();
        let refused = folder.open(b"in", OpenMode::from_number(R).unwrap()).unwrap_err();
        assert_eq!(refused, FileError::bound(errno::EMFILE, "at most 64 files are open at a time"));
        folder.close(handles[7]).unwrap();
        assert_eq!(open(&mut folder, "in", R), Ok(handles[7]), "its place is free again");
        folder.close_all();
        assert_eq!(read(&mut folder, handles[0]), Err(errno::EBADF));

        let handle = open(&mut folder, "out", W).unwrap();
        folder.written = MOST_WRITTEN - 3;
        let (written, end) = folder.write(handle, b"12345");
        assert_eq!(written, 3);
        assert_eq!(end, Err(too_much()));
        assert_eq!(std::fs::read(outer.path().join("given/out")).unwrap(), b"123");

        folder.written = MOST_WRITTEN - 10;
        folder.seek(handle, 14).unwrap();
        assert_eq!(folder.write(handle, b"4"), (0, Err(too_much())), "a hole of 11 bytes");
        folder.seek(handle, 9).unwrap();
        assert_eq!(folder.write(handle, b"45678"), (4, Err(too_much())), "6 of the 10 are the hole's");
        assert_eq!(std::fs::read(outer.path().join("given/out")).unwrap(), b"123\0\0\0\0\0\x004567");
        folder.seek(handle, u32::MAX).unwrap();
        assert_eq!(folder.write(handle, b"x"), (0, Err(too_much())));

        folder.made = MOST_MADE;
        let refused = folder.open(b"more", OpenMode::from_number(A).unwrap()).unwrap_err();
        assert_eq!(refused.bound.as_deref(), Some("a run makes at most 4096 files"));
        assert!(open(&mut folder, "out", A).is_ok(), "this one is there");
    }

    #[test]
    fn files_are_removed_renamed_measured_and_moved_in() {
        let (outer, mut folder) = folder();
        let handle = open(&mut folder, "in", R).unwrap();
        assert_eq!(folder.length(handle), Ok(6));
        folder.seek(handle, 4).unwrap();
        assert_eq!(read(&mut folder, handle).as_deref(), Ok("ef"));
        assert_eq!(folder.rename(b"in", b"sub/moved"), Ok(()));
        assert!(outer.path().join("given/sub/moved").exists());
        assert_eq!(folder.remove(b"sub/moved"), Ok(()));
        assert_eq!(folder.remove(b"sub/moved"), Err(FileError::new(errno::ENOENT)));
        assert_eq!(folder.temporary_name(1), folder.temporary_name(1));
        assert_ne!(folder.temporary_name(1), folder.temporary_name(2));
        let features = open(&mut folder, ":semihosting-features", R).unwrap();
        assert_eq!((folder.length(features), read(&mut folder, features).as_deref()), (Ok(5), Ok("SHFB\x03")));
        assert_eq!(open(&mut folder, ":semihosting-features", W), Err(errno::EACCES));
        folder.seek(features, 1_000).unwrap();
        assert_eq!(read(&mut folder, features).as_deref(), Ok(""), "it is behind the end");
    }
}
