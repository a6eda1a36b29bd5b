//! The files of a process: unwinding by their call frames, and the functions at their addresses.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianArcSlice, RunTimeEndian, SectionId};
use cyclescope_image::demangle;
use framehop::{ExplicitModuleSectionInfo, FrameAddress, Module, Unwinder as _};
use object::{Object as _, ObjectSection as _, ObjectSegment as _, ObjectSymbol as _, SymbolKind};

use super::runtimes::{Frame, plain};

/// The most functions of one address that are compiled into each other.
const DEEPEST: usize = 256;

/// The most frames of a stack.
const MOST: usize = 512;

#[cfg(target_arch = "aarch64")]
mod native {
    pub(super) use framehop::aarch64::{CacheAarch64 as Cache, UnwinderAarch64 as Unwinder};
}
#[cfg(not(target_arch = "aarch64"))]
mod native {
    pub(super) use framehop::x86_64::{CacheX86_64 as Cache, UnwinderX86_64 as Unwinder};
}

/// The registers of a thread that unwinding begins with.
#[cfg(target_arch = "aarch64")]
pub(super) type Registers = framehop::aarch64::UnwindRegsAarch64;
/// The registers of a thread that unwinding begins with.
#[cfg(not(target_arch = "aarch64"))]
pub(super) type Registers = framehop::x86_64::UnwindRegsX86_64;

type Bytes = Arc<[u8]>;
type Reader = EndianArcSlice<RunTimeEndian>;

/// An address of a file: the file's number, and the address as the file states it.
pub(super) type Place = (usize, u64);

/// All files that processes have code of.
#[derive(Default)]
pub(super) struct Files {
    numbers: HashMap<PathBuf, Option<usize>>,
    files: Vec<File>,
}

struct File {
    /// Those with code.
    segments: Vec<Segment>,
    sections: ExplicitModuleSectionInfo<Bytes>,
    /// The functions of the symbol table by address, with their size and their names as they are there.
    symbols: Vec<(u64, u64, String)>,
    lines: Option<Context<Reader>>,
    known: HashMap<u64, Rc<[Frame]>>,
}

struct Segment {
    offset: u64,
    size: u64,
    address: u64,
}

impl Files {
    /// Returns the number of the file at `path`; `None` if it is no object that can be read.
    fn number(&mut self, path: &Path) -> Option<usize> {
        if let Some(number) = self.numbers.get(path) {
            return *number;
        }
        // A device or a pipe may have no end.
        let is_file = std::fs::metadata(path).is_ok_and(|about| about.is_file());
        let file = if is_file { cyclescope_image::read(path).ok() } else { None };
        let file = file.and_then(|bytes| File::parse(&bytes));
        let number = file.map(|file| {
            self.files.push(file);
            self.files.len() - 1
        });
        self.numbers.insert(path.to_owned(), number);
        number
    }

    /// Returns the functions at `place`, the innermost first.
    pub(super) fn frames(&mut self, place: Place) -> Rc<[Frame]> {
        let Some(file) = self.files.get_mut(place.0) else { return Rc::new([]) };
        if let Some(known) = file.known.get(&place.1) {
            return known.clone();
        }
        let frames: Rc<[Frame]> = file.frames(place.1).into();
        file.known.insert(place.1, frames.clone());
        frames
    }
}

impl File {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let object = object::File::parse(bytes).ok()?;
        let section = |name: &str| object.section_by_name(name);
        let data = |name: &str| -> Option<Bytes> { Some(section(name)?.uncompressed_data().ok()?.as_ref().into()) };
        let range = |name: &str| {
            let section = section(name)?;
            Some(section.address()..section.address().checked_add(section.size())?)
        };
        let sections = ExplicitModuleSectionInfo {
            base_svma: 0,
            text_svma: range(".text"),
            text: data(".text"),
            got_svma: range(".got"),
            eh_frame_svma: range(".eh_frame"),
            eh_frame: data(".eh_frame"),
            eh_frame_hdr_svma: range(".eh_frame_hdr"),
            eh_frame_hdr: data(".eh_frame_hdr"),
            debug_frame: data(".debug_frame"),
            ..ExplicitModuleSectionInfo::default()
        };
        // Segments may share pages, so that a mapping of code begins with what is in front of it in the file.
        let code = object.segments().filter(|segment| segment.permissions().executable());
        let segments = code.map(|segment| {
            let (offset, size) = segment.file_range();
            Segment { offset, size, address: segment.address() }
        });
        let all = object.symbols().chain(object.dynamic_symbols());
        let functions = all.filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition());
        let named =
            functions.filter_map(|symbol| Some((symbol.address(), symbol.size(), symbol.name().ok()?.to_owned())));
        let mut symbols: Vec<(u64, u64, String)> = named.collect();
        symbols.sort();
        symbols.dedup_by_key(|symbol| symbol.0);
        let endian = if object.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let load = |id: SectionId| -> Result<Reader, addr2line::gimli::Error> {
            let section = object.section_by_name(id.name());
            let data = section.and_then(|section| section.uncompressed_data().ok()).unwrap_or(Cow::Borrowed(&[]));
            Ok(EndianArcSlice::new(Arc::from(data.as_ref()), endian))
        };
        let has_lines = section(".debug_line").is_some_and(|section| section.size() > 0);
        let lines = has_lines.then(|| Context::from_dwarf(Dwarf::load(load).ok()?).ok()).flatten();
        Some(Self { segments: segments.collect(), sections, symbols, lines, known: HashMap::new() })
    }

    fn symbol(&self, address: u64) -> Option<&str> {
        let next = self.symbols.partition_point(|symbol| symbol.0 <= address);
        let (from, size, name) = self.symbols.get(next.checked_sub(1)?)?;
        // Those of assembly may have no size. Functions that a file keeps no symbol of lie between others.
        (*size == 0 || address - from < *size).then_some(name)
    }

    fn frames(&self, address: u64) -> Vec<Frame> {
        let named = |name: &str| plain(&demangle(name).unwrap_or_else(|| name.to_owned()));
        let mut frames = Vec::new();
        let found = self.lines.as_ref().and_then(|lines| lines.find_frames(address).skip_all_loads().ok());
        if let Some(mut found) = found {
            while let Ok(Some(frame)) = found.next() {
                let name = frame.function.as_ref().and_then(|function| Some(named(&function.raw_name().ok()?)));
                let line = frame.location.and_then(|at| Some((at.file?.to_owned(), at.line?)));
                frames.push(Frame { name: name.unwrap_or_default(), line });
                if frames.len() == DEEPEST {
                    break;
                }
            }
        }
        // The last is a function of its own, whose symbol has its whole path.
        if frames.is_empty() {
            frames.push(Frame::default());
        }
        if let (Some(symbol), Some(last)) = (self.symbol(address), frames.last_mut()) {
            last.name = named(symbol);
        }
        frames
    }
}

/// The memory map of a process.
#[derive(Clone)]
pub(super) struct Map {
    areas: Vec<Area>,
    unwinder: native::Unwinder<Bytes>,
}

#[derive(Clone)]
struct Area {
    from: u64,
    to: u64,
    file: usize,
    /// The distance from an address in the file to the same one in the process.
    bias: u64,
}

impl Default for Map {
    fn default() -> Self {
        Self { areas: Vec::new(), unwinder: native::Unwinder::new() }
    }
}

impl Map {
    /// Adds code of the file at `path`: `length` bytes from the file's `offset` on, at `address`.
    pub(super) fn add(&mut self, files: &mut Files, path: &Path, address: u64, length: u64, offset: u64) {
        let Some(to) = address.checked_add(length) else { return };
        for area in self.areas.extract_if(.., |area| area.from < to && address < area.to) {
            self.unwinder.remove_module(area.from);
        }
        let Some(number) = files.number(path) else { return };
        let file = &files.files[number];
        let holds = |segment: &&Segment| {
            offset < segment.offset.saturating_add(segment.size) && segment.offset < offset.saturating_add(length)
        };
        let Some(segment) = file.segments.iter().find(holds) else { return };
        let stated = segment.address.wrapping_add(offset).wrapping_sub(segment.offset);
        let bias = address.wrapping_sub(stated);
        let name = path.to_string_lossy().into_owned();
        self.unwinder.add_module(Module::new(name, address..to, bias, file.sections.clone()));
        self.areas.push(Area { from: address, to, file: number, bias });
    }

    /// Returns the stack from `ip` outwards, and if it reaches its beginning. `read` reads the stack.
    pub(super) fn unwind(
        &self,
        cache: &mut Cache,
        ip: u64,
        registers: Registers,
        read: &mut dyn FnMut(u64) -> Result<u64, ()>,
    ) -> (Vec<Place>, bool) {
        let mut read = |address| read(address);
        let mut frames = self.unwinder.iter_frames(ip, registers, &mut cache.0, &mut read);
        let mut stack = Vec::new();
        loop {
            match frames.next() {
                Ok(Some(frame)) if stack.len() < MOST => stack.extend(self.place(frame)),
                Ok(None) => return (stack, true),
                _ => return (stack, false),
            }
        }
    }

    fn place(&self, frame: FrameAddress) -> Option<Place> {
        let address = frame.address_for_lookup();
        let area = self.areas.iter().find(|area| (area.from..area.to).contains(&address))?;
        Some((area.file, address.wrapping_sub(area.bias)))
    }
}

/// The rules that unwinding keeps between stacks.
#[derive(Default)]
pub(super) struct Cache(native::Cache);
