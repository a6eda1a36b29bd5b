//! Files of the host, for a guest that a caller gives some: the calls of IHI 0100, behind a trait. Nothing here touches a file.

use std::fmt::Debug;

use super::{FAILED, LONGEST_WRITE, SemihostingCall, text};
use crate::figures::integer;
use crate::{Bus, GapKind, Peripherals, Width};

/// The most bytes of a file's name.
pub const LONGEST_NAME: u32 = 4_096;

/// The handles of the console: input, output, errors.
const CONSOLE: std::ops::RangeInclusive<u32> = 1..=3;

/// The first handle that an implementation of [`SemihostingFiles`] may give out.
pub const FIRST_HANDLE: u32 = 4;

/// Numbers of errors as newlib has them; those up to 34 are the same on all systems of its kind.
pub mod errno {
    /// No such file.
    pub const ENOENT: u32 = 2;
    /// An error of the host that has no better number.
    pub const EIO: u32 = 5;
    /// No such handle, or one that does not read or write.
    pub const EBADF: u32 = 9;
    /// Refused.
    pub const EACCES: u32 = 13;
    /// An address of the guest where no memory is.
    pub const EFAULT: u32 = 14;
    /// There is a file already.
    pub const EEXIST: u32 = 17;
    /// A part of a path is no folder.
    pub const ENOTDIR: u32 = 20;
    /// A folder in place of a file.
    pub const EISDIR: u32 = 21;
    /// An argument that has no meaning.
    pub const EINVAL: u32 = 22;
    /// Too many open files.
    pub const EMFILE: u32 = 24;
    /// A file that is too long.
    pub const EFBIG: u32 = 27;
    /// No room for more.
    pub const ENOSPC: u32 = 28;
    /// The console has no positions.
    pub const ESPIPE: u32 = 29;
    /// The place cannot be written.
    pub const EROFS: u32 = 30;
    /// A name that is too long.
    pub const ENAMETOOLONG: u32 = 91;
}

/// The failure of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The number that SYS_ERRNO tells the guest: one of [`errno`].
    pub number: u32,
    /// The bound that the guest ran into, in words, if it was one.
    pub bound: Option<String>,
}

impl FileError {
    /// Returns the error `number`.
    pub const fn new(number: u32) -> Self {
        Self { number, bound: None }
    }

    /// Returns the error `number` for a guest that ran into a bound, which a model gap then names.
    pub fn bound(number: u32, bound: impl Into<String>) -> Self {
        Self { number, bound: Some(bound.into()) }
    }
}

/// The first letter of a mode in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenKind {
    /// `r`: the file is there.
    Read,
    /// `w`: it becomes empty, or is made.
    Write,
    /// `a`: writes go to its end; it is made if it is not there.
    Append,
}

/// One of the twelve modes of SYS_OPEN. Text and binary are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenMode {
    /// The first letter.
    pub kind: OpenKind,
    /// The `+`: reads and writes.
    pub update: bool,
}

impl OpenMode {
    /// Returns the mode with this number: 0 to 11 for r, rb, r+, r+b, w, wb, w+, w+b, a, ab, a+, a+b.
    pub const fn from_number(number: u32) -> Option<Self> {
        let kind = match number / 4 {
            0 => OpenKind::Read,
            1 => OpenKind::Write,
            2 => OpenKind::Append,
            _ => return None,
        };
        Some(Self { kind, update: number % 4 >= 2 })
    }

    /// Tells if the file can be read.
    pub fn reads(self) -> bool {
        self.update || self.kind == OpenKind::Read
    }

    /// Tells if the file can be written.
    pub fn writes(self) -> bool {
        self.update || self.kind != OpenKind::Read
    }
}

/// Files for a guest. An implementation decides where they are and bounds what a guest can do with them; names are bytes that
/// the guest chose. All errors are [`FileError`]s for the guest.
#[allow(clippy::missing_errors_doc, reason = "said once, for all")]
pub trait SemihostingFiles: Debug + Send + Sync {
    /// Opens a file. Returns its handle, [`FIRST_HANDLE`] or above.
    fn open(&mut self, name: &[u8], mode: OpenMode) -> Result<u32, FileError>;

    /// Closes a file.
    fn close(&mut self, handle: u32) -> Result<(), FileError>;

    /// Writes `bytes`. Returns how many were written, and the error that stopped it before the last.
    fn write(&mut self, handle: u32, bytes: &[u8]) -> (usize, Result<(), FileError>);

    /// Reads into `bytes`. Returns how many came; fewer than asked for only at the end of the file.
    fn read(&mut self, handle: u32, bytes: &mut [u8]) -> Result<usize, FileError>;

    /// Goes on at the byte `position`.
    fn seek(&mut self, handle: u32, position: u32) -> Result<(), FileError>;

    /// Returns the length of a file in bytes.
    fn length(&mut self, handle: u32) -> Result<u32, FileError>;

    /// Removes a file.
    fn remove(&mut self, name: &[u8]) -> Result<(), FileError>;

    /// Renames a file.
    fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), FileError>;

    /// Returns the name of a temporary file, the same for the same `id`.
    fn temporary_name(&self, id: u8) -> Vec<u8>;

    /// Closes all files: the part was reset.
    fn close_all(&mut self);
}

/// The files that a guest was given, if any.
///
/// A clone has none, since two machines cannot go on with the same files. Its calls fail, and [`HostFiles::are_missed`] says
/// that it no longer does what the machine would do.
#[derive(Debug, Default)]
pub struct HostFiles {
    files: Option<Box<dyn SemihostingFiles>>,
    /// It is of a clone of a machine with files.
    lost: bool,
    missed: bool,
    /// The number of the latest error.
    errno: u32,
}

impl Clone for HostFiles {
    fn clone(&self) -> Self {
        Self { files: None, lost: self.lost || self.files.is_some(), missed: self.missed, errno: self.errno }
    }
}

impl HostFiles {
    /// Gives the guest `files`.
    pub fn give(&mut self, files: Box<dyn SemihostingFiles>) {
        *self = Self { files: Some(files), ..Self::default() };
    }

    /// Tells if this is a clone's, and its guest has asked for a file that the machine has.
    pub fn are_missed(&self) -> bool {
        self.missed
    }

    /// Closes all files.
    pub fn close_all(&mut self) {
        self.errno = 0;
        if let Some(files) = &mut self.files {
            files.close_all();
        }
    }
}

/// A failed call: the result for r0, and why.
type Failed = (u32, FileError);

/// Carries out `call` if it is one for files and the guest has some. `None` leaves it to the console.
pub(super) fn answer<P: Peripherals>(call: SemihostingCall, bus: &mut Bus<P>) -> Option<u32> {
    let given = &bus.shared.files;
    if !(given.lost || given.files.is_some()) || !concerns_files(call, bus) {
        return None;
    }
    if call.number == 0x13 {
        return Some(bus.shared.files.errno);
    }
    let Some(mut files) = bus.shared.files.files.take() else {
        bus.shared.files.missed = true;
        return Some(FAILED);
    };
    let done = carry_out(call, bus, &mut *files);
    bus.shared.files.files = Some(files);
    Some(done.unwrap_or_else(|(result, error)| {
        bus.shared.files.errno = error.number;
        if let Some(bound) = &error.bound {
            let name = format!("semihosting has a bound: {bound}");
            bus.shared.meet_gap(GapKind::Instruction, &name, call.pc, call.at);
        }
        result
    }))
}

/// Tells if `call` is one for files, and not for the console.
fn concerns_files<P>(call: SemihostingCall, bus: &Bus<P>) -> bool {
    let first = call.word(bus, 0);
    match call.number {
        0x01 => !is_console(call, bus),
        0x02 | 0x05 | 0x06 | 0x09 | 0x0C => !CONSOLE.contains(&first),
        0x0A | 0x0D | 0x0E | 0x0F | 0x13 => true,
        _ => false,
    }
}

/// Tells if SYS_OPEN is for the console.
pub(super) fn is_console<P>(call: SemihostingCall, bus: &Bus<P>) -> bool {
    text(bus, call.word(bus, 0)).take(3).eq(*b":tt") && call.word(bus, 2) == 3
}

fn carry_out<P: Peripherals>(
    call: SemihostingCall,
    bus: &mut Bus<P>,
    files: &mut dyn SemihostingFiles,
) -> Result<u32, Failed> {
    let [first, second, third, fourth] = [0, 1, 2, 3].map(|index| call.word(bus, index));
    let simple = |error| (FAILED, error);
    match call.number {
        // SYS_OPEN: name, mode, length of the name.
        0x01 => {
            let name = name(bus, first, third).map_err(simple)?;
            let mode = OpenMode::from_number(second).ok_or((FAILED, FileError::new(errno::EINVAL)))?;
            files.open(&name, mode).map_err(simple)
        }
        // SYS_CLOSE
        0x02 => files.close(first).map(|()| 0).map_err(simple),
        0x05 => write(bus, files, [first, second, third]),
        0x06 => read(bus, files, [first, second, third]),
        // SYS_ISTTY: no file is one.
        0x09 => files.length(first).map(|_| 0).map_err(simple),
        // SYS_SEEK
        0x0A if CONSOLE.contains(&first) => Err(simple(FileError::new(errno::ESPIPE))),
        0x0A => files.seek(first, second).map(|()| 0).map_err(simple),
        // SYS_FLEN
        0x0C => files.length(first).map_err(simple),
        // SYS_TMPNAM: buffer, number, length of the buffer.
        0x0D => {
            let wrong = |_| simple(FileError::new(errno::EINVAL));
            let mut name = files.temporary_name(u8::try_from(second).map_err(wrong)?);
            name.push(0);
            if name.len() as u64 > u64::from(third) {
                return Err(simple(FileError::new(errno::EINVAL)));
            }
            if put(bus, first, &name) < name.len() {
                return Err(simple(FileError::new(errno::EFAULT)));
            }
            Ok(0)
        }
        // SYS_REMOVE
        0x0E => {
            let name = name(bus, first, second).map_err(simple)?;
            files.remove(&name).map(|()| 0).map_err(simple)
        }
        // SYS_RENAME
        _ => {
            let from = name(bus, first, second).map_err(simple)?;
            let to = name(bus, third, fourth).map_err(simple)?;
            files.rename(&from, &to).map(|()| 0).map_err(simple)
        }
    }
}

/// SYS_WRITE: answers with the number of bytes not written.
fn write<P>(bus: &Bus<P>, files: &mut dyn SemihostingFiles, [handle, from, len]: [u32; 3]) -> Result<u32, Failed> {
    let bytes: Vec<u8> = bytes(bus, from, len.min(LONGEST_WRITE)).collect();
    let (written, end) = files.write(handle, &bytes);
    let left = len.saturating_sub(written as u32);
    end.map_err(|error| (left, error))?;
    match left {
        0 => Ok(0),
        left if written as u32 == LONGEST_WRITE => Err((left, longest("writes", errno::EFBIG))),
        left => Err((left, FileError::new(errno::EFAULT))),
    }
}

/// SYS_READ: answers with the number of bytes that did not come.
fn read<P>(bus: &mut Bus<P>, files: &mut dyn SemihostingFiles, [handle, to, len]: [u32; 3]) -> Result<u32, Failed> {
    let wanted = len.min(LONGEST_WRITE);
    // What cannot be put down is not taken from the file.
    let present: Vec<u8> = bytes(bus, to, wanted).collect();
    let room = put(bus, to, &present);
    let mut buffer = vec![0; room];
    let came = files.read(handle, &mut buffer).map_err(|error| (len, error))?.min(room);
    put(bus, to, &buffer[..came]);
    let left = len.saturating_sub(came as u32);
    match () {
        () if room < wanted as usize && came == room => Err((left, FileError::new(errno::EFAULT))),
        () if came as u32 == LONGEST_WRITE && left > 0 => Err((left, longest("reads", errno::EFBIG))),
        () => Ok(left),
    }
}

fn longest(does: &str, number: u32) -> FileError {
    FileError::bound(number, format!("a call {does} at most {} bytes", integer(LONGEST_WRITE.into())))
}

/// Returns the name of `len` bytes at `from`, which ends before its first zero.
fn name<P>(bus: &Bus<P>, from: u32, len: u32) -> Result<Vec<u8>, FileError> {
    if len > LONGEST_NAME {
        let most = integer(LONGEST_NAME.into());
        return Err(FileError::bound(errno::ENAMETOOLONG, format!("a file's name has at most {most} bytes")));
    }
    let mut name: Vec<u8> = bytes(bus, from, len).collect();
    if name.len() < len as usize {
        return Err(FileError::new(errno::EFAULT));
    }
    name.truncate(name.iter().position(|byte| *byte == 0).unwrap_or(name.len()));
    Ok(name)
}

/// Returns the `len` bytes from `from` up, up to the first that is no memory.
fn bytes<P>(bus: &Bus<P>, from: u32, len: u32) -> impl Iterator<Item = u8> {
    (0..len).map_while(move |offset| bus.memory.read(from.wrapping_add(offset), Width::Byte)).map(|byte| byte as u8)
}

/// Puts `bytes` into RAM from `to` up. Returns how many there was room for.
fn put<P>(bus: &mut Bus<P>, to: u32, bytes: &[u8]) -> usize {
    let mut placed = (0..).zip(bytes);
    let wrong =
        placed.position(|(offset, byte)| !bus.memory.write(to.wrapping_add(offset), Width::Byte, (*byte).into()));
    wrong.unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Address, Cycles};
    use crate::{Memory, SemihostingAnswer, WithoutPeripherals};

    const RAM: u32 = 0x2000_0000;
    const BLOCK: u32 = RAM + 0x100;

    /// One file, always open: what is still to be read.
    #[derive(Debug, Default)]
    struct One(Vec<u8>);

    impl SemihostingFiles for One {
        fn open(&mut self, _: &[u8], _: OpenMode) -> Result<u32, FileError> {
            Ok(FIRST_HANDLE)
        }

        fn close(&mut self, _: u32) -> Result<(), FileError> {
            Ok(())
        }

        fn write(&mut self, _: u32, bytes: &[u8]) -> (usize, Result<(), FileError>) {
            self.0.extend(bytes);
            (bytes.len(), Ok(()))
        }

        fn read(&mut self, _: u32, bytes: &mut [u8]) -> Result<usize, FileError> {
            let len = bytes.len().min(self.0.len());
            bytes[..len].copy_from_slice(&self.0[..len]);
            self.0.drain(..len);
            Ok(len)
        }

        fn seek(&mut self, _: u32, _: u32) -> Result<(), FileError> {
            Ok(())
        }

        fn length(&mut self, _: u32) -> Result<u32, FileError> {
            Ok(self.0.len() as u32)
        }

        fn remove(&mut self, _: &[u8]) -> Result<(), FileError> {
            Err(FileError::new(errno::ENOENT))
        }

        fn rename(&mut self, _: &[u8], _: &[u8]) -> Result<(), FileError> {
            Ok(())
        }

        fn temporary_name(&self, _: u8) -> Vec<u8> {
            b"t".to_vec()
        }

        fn close_all(&mut self) {
            self.0.clear();
        }
    }

    fn bus() -> Bus<WithoutPeripherals> {
        let memory = Memory::new(Address::new(0), vec![0; 64], Address::new(RAM), 0x1000);
        let mut bus = Bus::new(memory, WithoutPeripherals, 100);
        bus.shared.files.give(Box::new(One(b"abcdef".to_vec())));
        bus
    }

    fn call(bus: &mut Bus<WithoutPeripherals>, number: u32, block: [u32; 4]) -> u32 {
        for (index, word) in (0..).zip(block) {
            bus.memory.write(BLOCK + 4 * index, Width::Word, word);
        }
        let call = SemihostingCall { number, argument: BLOCK, pc: Address::new(8), at: Cycles::ZERO };
        match call.answer(bus) {
            SemihostingAnswer::Result(result) => result,
            other @ SemihostingAnswer::Exit(_) => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_twelve_modes_are_those_of_c() {
        let shown = |number| OpenMode::from_number(number).map(|mode| (mode.reads(), mode.writes()));
        let reads_and_writes = [(true, false), (true, true), (false, true), (true, true), (false, true), (true, true)];
        for number in 0..12 {
            assert_eq!(shown(number), Some(reads_and_writes[number as usize / 2]), "{number}");
        }
        assert_eq!(shown(12), None);
    }

    #[test]
    fn a_clone_has_no_files_and_says_that_it_misses_them() {
        let mut bus = bus();
        let mut copy = bus.clone();
        assert!(!copy.shared.files.are_missed());
        assert_eq!(call(&mut copy, 0x05, [FIRST_HANDLE, RAM, 2, 0]), FAILED);
        assert!(copy.shared.files.are_missed() && copy.clone().shared.files.are_missed());
        assert!(!bus.shared.files.are_missed());
        assert_eq!(call(&mut bus, 0x0C, [FIRST_HANDLE, 0, 0, 0]), 6, "the copy has written nothing");
    }

    #[test]
    fn bytes_without_a_place_stay_in_the_file() {
        let mut bus = bus();
        assert_eq!(call(&mut bus, 0x06, [FIRST_HANDLE, RAM + 0xFFE, 4, 0]), 2, "the RAM ends there");
        assert_eq!(call(&mut bus, 0x13, [0; 4]), errno::EFAULT);
        assert_eq!(call(&mut bus, 0x06, [FIRST_HANDLE, 0, 4, 0]), 4, "flash is not written");
        assert_eq!(call(&mut bus, 0x06, [FIRST_HANDLE, RAM, 10, 0]), 6);
        assert_eq!(bus.memory.read(RAM, Width::Word), Some(u32::from_le_bytes(*b"cdef")));
    }

    #[test]
    fn the_console_stays_the_console() {
        let mut bus = bus();
        bus.memory.write(RAM, Width::Word, u32::from_le_bytes(*b":tt\0"));
        assert_eq!(call(&mut bus, 0x01, [RAM, 4, 3, 0]), 2);
        assert_eq!(call(&mut bus, 0x05, [2, RAM, 3, 0]), 0);
        assert_eq!(bus.shared.console.bytes(crate::Channel::Semihosting), b":tt");
        assert_eq!(call(&mut bus, 0x0A, [2, 0, 0, 0]), FAILED);
        assert_eq!(call(&mut bus, 0x13, [0; 4]), errno::ESPIPE);
        assert_eq!(call(&mut bus, 0x0D, [RAM, 256, 10, 0]), FAILED, "a number has eight bits");
        assert_eq!(call(&mut bus, 0x0D, [RAM, 255, 2, 0]), 0);
        assert_eq!(bus.memory.read(RAM, Width::Half), Some(u32::from(b't')));
    }
}
