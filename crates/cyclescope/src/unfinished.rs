//! Files in the making, which a killed process does not leave behind.
//!
//! On Linux a file in the making has no name (`O_TMPFILE`, open(2)); the kernel drops it with the process. It gets a
//! name only when it is complete. Where the file system has no such files, and for the moment in which a complete file
//! takes an older one's place, there is a hidden file beside the destination: `.NAME.PID.part`. Its writer holds a lock
//! on it, which ends with the process. The next run to the same destination removes those that nobody holds.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file for a destination, before it is there.
#[derive(Debug)]
pub(crate) struct Unfinished {
    destination: PathBuf,
    /// The file without a name, where there are such files.
    nameless: Option<File>,
}

impl Unfinished {
    /// Makes a file in the folder of `destination`, and removes what killed runs to the same destination left there.
    ///
    /// # Errors
    /// Those of making a file there.
    pub(crate) fn new(destination: &Path) -> io::Result<Self> {
        let beside = Beside::of(destination)?;
        beside.remove_left();
        let nameless = nameless(&beside.folder);
        if nameless.is_none() {
            // Tells now that the folder takes no files.
            beside.make()?.1.remove()?;
        }
        Ok(Self { destination: destination.to_owned(), nameless })
    }

    /// Writes `bytes` and puts the file at its destination, in the place of what was there.
    ///
    /// # Errors
    /// Those of writing; what was there before is then still there.
    pub(crate) fn finish(self, bytes: &[u8]) -> io::Result<()> {
        let beside = Beside::of(&self.destination)?;
        let permissions = fs::metadata(&self.destination).ok().map(|before| before.permissions());
        if let Some(file) = &self.nameless {
            complete(file, bytes, permissions.clone())?;
            if named(file, &self.destination).is_ok() {
                return Ok(());
            }
            let _ = file.lock();
            if let Some(part) = beside.name(file) {
                return part.rename(&self.destination);
            }
        }
        let (file, part) = beside.make()?;
        complete(&file, bytes, permissions)?;
        part.rename(&self.destination)
    }
}

fn complete(mut file: &File, bytes: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()?;
    permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))
}

/// Returns a new file without a name in `folder`, or `None` where the system has none.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let mode = Mode::from_raw_mode(0o666);
    open(folder, OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, mode).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_folder: &Path) -> Option<File> {
    None
}

/// Gives `file`, which has no name, the name `path`, if nothing has it.
#[cfg(target_os = "linux")]
fn named(file: &File, path: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD, linkat};
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, own, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn named(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The hidden files beside a destination.
struct Beside {
    folder: PathBuf,
    /// The beginning of their names.
    prefix: OsString,
}

/// The end of the names of hidden files.
const SUFFIX: &str = ".part";

impl Beside {
    fn of(destination: &Path) -> io::Result<Self> {
        let name = destination.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let mut prefix = OsString::from(".");
        prefix.push(name);
        prefix.push(".");
        let folder = destination.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Self { folder: folder.to_owned(), prefix })
    }

    /// Returns the path of this process's hidden file.
    fn path(&self) -> PathBuf {
        let mut name = self.prefix.clone();
        name.push(format!("{}{SUFFIX}", std::process::id()));
        self.folder.join(name)
    }

    /// Makes this process's hidden file, held.
    fn make(&self) -> io::Result<(File, Part)> {
        let part = Part(Some(self.path()));
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(self.path())?;
        // Without locks nobody takes the file for one that was left.
        let _ = file.lock();
        Ok((file, part))
    }

    /// Gives `file` the name of this process's hidden file.
    fn name(&self, file: &File) -> Option<Part> {
        named(file, &self.path()).ok().map(|()| Part(Some(self.path())))
    }

    /// Removes hidden files that no process holds.
    fn remove_left(&self) {
        let of_ours = |name: &OsString| {
            let number = name.as_encoded_bytes().strip_prefix(self.prefix.as_encoded_bytes());
            let number = number.and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
            number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
        };
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten().filter(|entry| of_ours(&entry.file_name())) {
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            let free =
                |path: &Path| OpenOptions::new().write(true).open(path).is_ok_and(|file| file.try_lock().is_ok());
            if is_file && free(&entry.path()) {
                // What cannot be removed stays for the next run.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// A hidden file of this process, removed unless it takes its place.
struct Part(Option<PathBuf>);

impl Part {
    fn rename(mut self, destination: &Path) -> io::Result<()> {
        let Some(path) = self.0.as_ref() else { return Ok(()) };
        fs::rename(path, destination)?;
        self.0 = None;
        Ok(())
    }

    fn remove(mut self) -> io::Result<()> {
        self.0.take().map_or(Ok(()), fs::remove_file)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            // It is ours and unfinished; if it cannot be removed there is nobody to tell.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_in_the_making_has_no_name_or_one_that_the_next_run_removes() {
        let folder = tempfile::tempdir().unwrap();
        let destination = folder.path().join("r.html");
        // A file system without nameless files: what such a process leaves when it is killed while it writes.
        let (held, part) = Beside::of(&destination).unwrap().make().unwrap();
        std::mem::forget(part);
        fs::write(folder.path().join(".r.html.old.part"), "another's").unwrap();
        let first = Unfinished::new(&destination).unwrap();
        let part = format!(".r.html.{}.part", std::process::id());
        assert_eq!(names(folder.path()), [part.as_str(), ".r.html.old.part"], "its writer still holds it");
        drop(held);
        drop(Unfinished::new(&destination).unwrap());
        assert_eq!(names(folder.path()), [".r.html.old.part"]);
        first.finish(b"first").unwrap();
        assert_eq!(fs::read(&destination).unwrap(), b"first");
        Unfinished::new(&destination).unwrap().finish(b"second").unwrap();
        assert_eq!(fs::read(&destination).unwrap(), b"second");
        // As on a file system without nameless files.
        Unfinished { destination: destination.clone(), nameless: None }.finish(b"third").unwrap();
        assert_eq!(fs::read(&destination).unwrap(), b"third");
        assert_eq!(names(folder.path()), [".r.html.old.part", "r.html"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_has_the_permissions_of_the_one_it_replaces_or_of_a_new_one() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (usual, destination) = (folder.path().join("usual"), folder.path().join("new"));
        fs::write(&usual, "").unwrap();
        Unfinished::new(&destination).unwrap().finish(b"").unwrap();
        assert_eq!(mode(&destination), mode(&usual));
        fs::set_permissions(&destination, Permissions::from_mode(0o640)).unwrap();
        Unfinished::new(&destination).unwrap().finish(b"").unwrap();
        assert_eq!(mode(&destination), 0o640);
    }
}
