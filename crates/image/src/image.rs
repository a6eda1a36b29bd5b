//! A firmware image.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock};

use cyclescope_machine::units::{Address, Bytes};
use object::read::elf::{FileHeader, SectionTable, Sym};
use object::{LittleEndian, elf};
use sha2::{Digest as _, Sha256};

use crate::contents::Contents;
use crate::cover::Cover;
use crate::lines::Lines;
use crate::pattern::Pattern;
use crate::segment::{self, Placed};
use crate::symbol::SymbolTable;
use crate::{
    Architecture, Binding, Frame, ImageError, ImageWarning, Section, SectionKind, SectionTotals, Segment, SourceLine,
    Symbol, SymbolError, SymbolKind, demangle, section,
};

/// The section in which AVR start-up files name their part.
const AVR_DEVICE_NOTE: &str = ".note.gnu.avr.deviceinfo";

type Header = elf::FileHeader32<LittleEndian>;

/// A SHA-256 digest (FIPS 180-4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// The content behind a mapping symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Content {
    Data,
    Code,
}

/// A firmware image, checked as far as possible without the chip.
///
/// The chip checks if the segments fit its memory and if the vector table is valid.
#[derive(Debug)]
pub struct Image {
    /// The file's bytes, and behind them those of the files that are loaded beside it.
    file: Arc<[u8]>,
    /// The length of the first file.
    own: usize,
    /// The digest of the first file where it is no ELF, and `file` has the bytes that were decoded from it.
    decoded_from: Option<Digest>,
    /// The digests of the files that are loaded beside it.
    beside: Vec<Digest>,
    architecture: Architecture,
    entry: Address,
    segments: Vec<Placed>,
    sections: Vec<Section>,
    symbols: SymbolTable,
    /// Mapping symbols (AAELF32 and the RISC-V psABI, "Mapping symbols"): addresses from which data or code follows.
    mapping: Vec<(Address, Content)>,
    warnings: Vec<ImageWarning>,
    file_sha256: OnceLock<Digest>,
    loaded_sha256: OnceLock<Digest>,
    lines: OnceLock<Mutex<Lines>>,
}

impl Image {
    /// Reads an ELF file.
    ///
    /// # Errors
    /// [`ImageError`] if the file is not an executable ELF for a supported architecture, is cut off, or has segments
    /// that cannot be loaded. Damaged names and lines only cause warnings, see [`Self::warnings`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ImageError> {
        let file: Arc<[u8]> = bytes.into();
        let header = read_header(&file)?;
        let architecture = Architecture::of_header(
            header.e_machine(LittleEndian).0,
            header.e_ident().class.0,
            header.e_ident().data.0,
            header.e_flags(LittleEndian).0,
        )?;
        check_type(header.e_type(LittleEndian))?;
        check_tables_are_there(header, file.len())?;
        let malformed =
            |what| move |error: object::read::Error| ImageError::Malformed { what, reason: error.to_string() };
        let headers = header.program_headers(LittleEndian, &*file).map_err(malformed("program headers"))?;
        let segments = segment::place(headers, file.len())?;

        let mut warnings = Vec::new();
        let table = header.sections(LittleEndian, &*file).unwrap_or_else(|error| {
            warnings.push(ImageWarning::Sections(error.to_string()));
            SectionTable::default()
        });
        let mut cut = 0;
        let sections = section::read(&table, &segments, architecture, file.len(), &mut cut)?;
        if cut > 0 {
            warnings.push(ImageWarning::SectionNames(cut));
        }
        let mut mapping = Vec::new();
        let symbols = read_symbols(&table, &file, architecture, &mut mapping, &mut warnings);
        mapping.sort_unstable();
        let mut addresses: Vec<Address> = symbols.iter().map(|symbol| symbol.address).collect();
        addresses.sort_unstable();
        section::check_overlaps(&sections, file.len(), &addresses)?;
        let symbols = symbol_table(symbols, &sections, &segments);
        let entry = Address::new(header.e_entry(LittleEndian) & architecture.code_address_mask());
        Ok(Self {
            architecture,
            entry,
            segments,
            sections,
            symbols,
            mapping,
            warnings,
            file_sha256: OnceLock::new(),
            loaded_sha256: OnceLock::new(),
            lines: OnceLock::new(),
            own: file.len(),
            decoded_from: None,
            beside: Vec::new(),
            file,
        })
    }

    /// Returns the image of `contents`, which were read from `file`. It has no symbols and no lines.
    pub fn of_contents(file: &[u8], contents: Contents, architecture: Architecture) -> Self {
        let entry = Address::new(contents.start().get() & architecture.code_address_mask());
        let (bytes, segments) = contents.into_segments();
        Self {
            architecture,
            entry,
            symbols: symbol_table(Vec::new(), &[], &segments),
            segments,
            sections: Vec::new(),
            mapping: Vec::new(),
            warnings: Vec::new(),
            file_sha256: OnceLock::new(),
            loaded_sha256: OnceLock::new(),
            lines: OnceLock::new(),
            own: bytes.len(),
            decoded_from: Some(Digest(Sha256::digest(file).into())),
            beside: Vec::new(),
            file: bytes.into(),
        }
    }

    /// Adds the segments, sections and symbols of `other`, which is loaded beside this image. Its source lines are left
    /// out. Execution still begins where this image says.
    ///
    /// # Errors
    /// [`ImageError::OtherArchitecture`], or [`ImageError::Overlap`] where both have bytes for one address.
    pub fn add(&mut self, other: &Self) -> Result<(), ImageError> {
        if std::mem::discriminant(&self.architecture) != std::mem::discriminant(&other.architecture) {
            let (this, other) = (self.architecture.to_string(), other.architecture.to_string());
            return Err(ImageError::OtherArchitecture { this, other });
        }
        let base = self.file.len();
        let moved =
            |placed: &Placed| Placed { file: placed.file.start + base..placed.file.end + base, ..placed.clone() };
        let mut segments: Vec<Placed> = self.segments.iter().cloned().chain(other.segments.iter().map(moved)).collect();
        segments.sort_by_key(|segment| segment.address);
        segment::check_apart(&segments)?;
        let moved = |section: &Section| Section { file_offset: section.file_offset + base as u64, ..section.clone() };
        self.sections.extend(other.sections.iter().filter(|section| section.load_address.is_some()).map(moved));
        let symbols = self.symbols.all().iter().chain(other.symbols.all()).cloned().collect();
        self.symbols = symbol_table(symbols, &self.sections, &segments);
        self.mapping.extend_from_slice(&other.mapping);
        self.mapping.sort_unstable();
        self.segments = segments;
        self.beside.push(other.file_sha256());
        self.file = self.file.iter().chain(&*other.file).copied().collect();
        (self.file_sha256, self.loaded_sha256) = (OnceLock::new(), OnceLock::new());
        Ok(())
    }

    /// Returns the architecture.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Returns the part that the image was built for, if its tools recorded it: AVR tools do, in
    /// `.note.gnu.avr.deviceinfo`.
    pub fn device(&self) -> Option<&str> {
        let note = self.section(AVR_DEVICE_NOTE).map(|section| self.section_bytes(section))?;
        device_of_note(note)
    }

    /// Returns the entry point's address, without Arm's Thumb bit. A Cortex-M starts from its vector table instead.
    pub fn entry(&self) -> Address {
        self.entry
    }

    /// Returns the loadable segments by ascending physical address. There is at least one, and none overlap.
    pub fn segments(&self) -> impl Iterator<Item = Segment<'_>> {
        self.segments.iter().map(|placed| Segment {
            address: Address::new(placed.address),
            virtual_address: Address::new(placed.virtual_address),
            bytes: &self.file[placed.file.clone()],
        })
    }

    /// Returns the little-endian word loaded at the physical address `address`, such as a vector-table entry.
    pub fn loaded_word(&self, address: Address) -> Option<u32> {
        self.segments().find_map(|segment| {
            let offset = address.get().checked_sub(segment.address.get())? as usize;
            let bytes = segment.bytes.get(offset..offset.checked_add(4)?)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        })
    }

    /// Returns all sections in the file's order, without the null section.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns the file's bytes for `section`; empty if it has none.
    pub fn section_bytes(&self, section: &Section) -> &[u8] {
        if !section.has_bytes {
            return &[];
        }
        let from = section.file_offset as usize;
        self.file.get(from..from.saturating_add(section.size.get() as usize)).unwrap_or_default()
    }

    /// Returns the section of this name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// Returns the memory that the image takes.
    pub fn totals(&self) -> SectionTotals {
        let main = || self.segments.iter().filter(|segment| self.architecture.is_main_memory(segment.address));
        let loads = self.sections.iter().filter(|section| section.load_address.is_some());
        let mut loads: Vec<usize> = loads.map(|section| section.file_offset as usize).collect();
        loads.sort_unstable();
        let sectioned = |segment: &&Placed| {
            let first = loads.get(loads.partition_point(|offset| *offset < segment.file.start));
            first.is_some_and(|offset| *offset < segment.file.end)
        };
        let size = |segment: &Placed| segment.file.len() as u64;
        let unsectioned = main().filter(|segment| !sectioned(segment)).map(size).sum();
        SectionTotals::of(&self.sections, main().map(size).sum(), unsectioned)
    }

    /// Returns all symbols by address, without mapping, file and section symbols.
    pub fn symbols(&self) -> &[Symbol] {
        self.symbols.all()
    }

    /// Returns the symbol with this mangled or demangled name (without Rust's hash). If there is none, `*` in `name`
    /// matches any characters, as in [`Self::symbols_matching`], and code has precedence over data.
    ///
    /// # Errors
    /// [`SymbolError::Unknown`] with the nearest names, [`SymbolError::NoSymbols`], [`SymbolError::Ambiguous`] if a
    /// demangled name has several addresses (instances of a generic function), or [`SymbolError::Several`] if a pattern
    /// matches several symbols.
    pub fn symbol(&self, name: &str) -> Result<&Symbol, SymbolError> {
        self.symbols.find(name)
    }

    /// Returns the symbol that [`Self::symbol`] would return, if there is exactly one. Looking for one that may be missing is fast here.
    pub fn find_symbol(&self, name: &str) -> Option<&Symbol> {
        self.symbols.only(name).ok().flatten()
    }

    /// Returns all symbols whose name matches `pattern`, by address. `*` matches any characters or none; the pattern
    /// must match the whole mangled or the whole demangled name (without Rust's hash).
    ///
    /// Uses are the task control blocks of a kernel or the futures of an executor, with their sizes. An address may
    /// come several times, under several names.
    pub fn symbols_matching<'s>(&'s self, pattern: &str) -> impl Iterator<Item = &'s Symbol> + use<'s> {
        self.symbols.matching(pattern)
    }

    /// Returns the function that contains `address`, ignoring labels inside it. For code without sizes (assembly) it is
    /// the nearest label before `address`.
    pub fn function_at(&self, address: Address) -> Option<&Symbol> {
        self.symbols.function_at(address)
    }

    /// Returns the source line of `address`, the innermost inlined one, if the line tables have it.
    pub fn source_line(&self, address: Address) -> Option<SourceLine> {
        self.lines().lock().ok()?.source_line(address)
    }

    /// Returns the functions inlined at `address`, innermost first, as far as the debug information has them.
    pub fn frames(&self, address: Address) -> Vec<Frame> {
        self.lines().lock().map(|mut lines| lines.frames(address)).unwrap_or_default()
    }

    /// Returns the name of the compilation unit of `address`, as the compiler recorded it; of Rust it is
    /// `src/main.rs/@/app.1f2e3d4c-cgu.0`, with the crate behind the at sign.
    pub fn unit_name(&self, address: Address) -> Option<String> {
        self.lines().lock().ok()?.unit_name(address)
    }

    /// Returns the functions into which the function `name` is inlined, each once with the first address of the inlined
    /// code, as far as the debug information has them. `*` in `name` matches any characters. The search reads all code
    /// and is slow.
    pub fn inlined_into(&self, name: &str) -> Vec<(&Symbol, Address)> {
        let pattern = Pattern::new(name);
        let inlined = |address: &Address| {
            let frames = self.frames(*address);
            let inner = frames.split_last().map(|(_, inner)| inner).unwrap_or_default();
            inner.iter().any(|frame| frame.function.as_deref().is_some_and(|function| pattern.fits(function)))
        };
        let code =
            self.sections().iter().filter(|section| matches!(section.kind, SectionKind::Text | SectionKind::Data));
        let addresses = code.flat_map(|section| {
            let bytes = self.section_bytes(section).len() as u32;
            (0..bytes).step_by(2).map(|offset| Address::new(section.address.get().wrapping_add(offset)))
        });
        let mut found: Vec<(&Symbol, Address)> = Vec::new();
        let mut known = HashSet::new();
        for address in addresses.filter(inlined) {
            if let Some(symbol) = self.function_at(address)
                && known.insert(symbol.address)
            {
                found.push((symbol, address));
            }
        }
        found
    }

    fn lines(&self) -> &Mutex<Lines> {
        self.lines.get_or_init(|| Mutex::new(Lines::new(self)))
    }

    /// Returns the parts of the image that could not be read, including line tables if they were used.
    pub fn warnings(&self) -> Vec<ImageWarning> {
        let lines = self.lines.get().and_then(|lines| lines.lock().ok().map(|lines| lines.warnings().to_vec()));
        self.warnings.iter().cloned().chain(lines.unwrap_or_default()).collect()
    }

    /// Tells if the image logs with defmt: its first RTT channel then carries frames and not text. defmt's linker
    /// script alone leaves one byte in the section, because no string has index 0.
    pub fn uses_defmt(&self) -> bool {
        self.section(".defmt").is_some_and(|section| section.size > Bytes::new(1))
    }

    /// Returns the compilers and linkers named in `.comment`, each once, in the file's order.
    pub fn compilers(&self) -> Vec<String> {
        let comment = self.section(".comment").map(|section| self.section_bytes(section)).unwrap_or_default();
        let mut names = Vec::new();
        for name in comment.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
            let name = String::from_utf8_lossy(name).into_owned();
            if !names.contains(&name) && names.len() < 16 {
                names.push(name);
            }
        }
        names
    }

    /// Returns the file's bytes; of an image without ELF those that are loaded.
    pub fn file(&self) -> &[u8] {
        &self.file[..self.own]
    }

    /// Tells if mapping symbols mark the bytes at `address` as data; without such symbols nothing is.
    pub fn is_marked_data(&self, address: Address) -> bool {
        let behind = self.mapping.partition_point(|(from, _)| *from <= address);
        behind.checked_sub(1).is_some_and(|last| self.mapping[last].1 == Content::Data)
    }

    /// Returns the start of the data with which the code from `from` to `to` ends, as mapping symbols tell.
    pub(crate) fn data_before(&self, from: u64, to: u64) -> Option<Address> {
        let place = |at: u64| self.mapping.partition_point(|(address, _)| u64::from(address.get()) < at);
        let inside = self.mapping.get(place(from)..place(to))?;
        let code = inside.iter().rposition(|(_, content)| *content == Content::Code).map_or(0, |at| at + 1);
        inside.get(code).map(|(address, _)| *address)
    }

    /// Returns the SHA-256 of the whole file. With files beside it, it is the SHA-256 of the digests of all.
    pub fn file_sha256(&self) -> Digest {
        *self.file_sha256.get_or_init(|| {
            let own = self.decoded_from.unwrap_or_else(|| Digest(Sha256::digest(self.file()).into()));
            if self.beside.is_empty() {
                return own;
            }
            let mut hash = Sha256::new_with_prefix(own.0);
            self.beside.iter().for_each(|digest| hash.update(digest.0));
            Digest(hash.finalize().into())
        })
    }

    /// Returns the SHA-256 of the loaded content: for each segment, by ascending physical address, the address and
    /// length as 32-bit little-endian words, then the bytes. Debug information and symbols do not change it.
    pub fn loaded_sha256(&self) -> Digest {
        *self.loaded_sha256.get_or_init(|| {
            let mut hash = Sha256::new();
            for segment in self.segments() {
                hash.update(segment.address.get().to_le_bytes());
                hash.update((segment.bytes.len() as u32).to_le_bytes());
                hash.update(segment.bytes);
            }
            Digest(hash.finalize().into())
        })
    }
}

/// Returns the device in avr-libc's note. The note has an ELF note header, six words of memory sizes, the length of a
/// table, the table, and the text that the table's offsets point into, padded to words.
fn device_of_note(note: &[u8]) -> Option<&str> {
    let word = |offset: usize| {
        let bytes = note.get(offset..offset.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    };
    let description = 12usize.checked_add(word(0)?.checked_next_multiple_of(4)?)?;
    // Skips start and size of flash, SRAM and EEPROM. The table's length follows; it includes its own word.
    let table = description.checked_add(24)?;
    let texts = table.checked_add(word(table)?)?;
    let name = texts.checked_add(word(table.checked_add(4)?)?)?;
    let text = note.get(name..)?.split(|byte| *byte == 0).next()?;
    std::str::from_utf8(text).ok().filter(|name| !name.is_empty())
}

/// Returns the table of `symbols` of an image with these sections and segments.
fn symbol_table(symbols: Vec<Symbol>, sections: &[Section], segments: &[Placed]) -> SymbolTable {
    let code = |section: &&Section| section.kind == SectionKind::Text;
    let code = Cover::new(sections.iter().filter(code).map(Section::range));
    let all: Vec<_> = sections.iter().map(Section::range).chain(segments.iter().map(Placed::virtual_range)).collect();
    let cover = Cover::new(all.iter().cloned());
    let is_code = |address: Address| code.first(address.get().into()).is_some();
    let end = |address: Address| Some(all.get(cover.first(address.get().into())?)?.end);
    SymbolTable::new(symbols, is_code, end)
}

fn read_header(file: &[u8]) -> Result<&Header, ImageError> {
    if !file.starts_with(b"\x7fELF") {
        return Err(ImageError::NotElf { looks_like: other_format(file) });
    }
    let length = file.len() as u64;
    let truncated =
        ImageError::Truncated { what: "the ELF header", needed: size_of::<Header>() as u64, available: length };
    // Identification and machine have the same offsets in both ELF classes. A 64-bit file fails the class check before
    // anything else of it is read.
    object::pod::from_bytes::<Header>(file).map(|(header, _)| header).map_err(|()| truncated)
}

fn other_format(file: &[u8]) -> Option<&'static str> {
    let starts = |magic: &[u8]| file.starts_with(magic);
    Some(match file {
        [] => "an empty file",
        _ if starts(b"UF2\n") => "a UF2 file",
        _ if starts(b"!<arch>") => "an archive of objects",
        _ if starts(b"MZ") => "a Windows program",
        _ if starts(b"\x1f\x8b") || starts(b"\x28\xb5\x2f\xfd") => "a compressed file",
        _ if starts(b"PK") => "a zip archive",
        _ if starts(&[0xCF, 0xFA, 0xED, 0xFE]) || starts(&[0xCE, 0xFA, 0xED, 0xFE]) => "a Mach-O file",
        [b':', rest @ ..] if rest.iter().take(8).all(u8::is_ascii_hexdigit) => "an Intel HEX file",
        [b'S', b'0'..=b'9', rest @ ..] if rest.iter().take(8).all(u8::is_ascii_hexdigit) => "a Motorola S-record file",
        _ => return None,
    })
}

fn check_type(kind: elf::FileType) -> Result<(), ImageError> {
    let kind = match kind {
        elf::ET_EXEC => return Ok(()),
        elf::ET_REL => "a relocatable object",
        elf::ET_DYN => "a shared object or position-independent program",
        elf::ET_CORE => "a core dump",
        _ => "of an unknown type",
    };
    Err(ImageError::NotExecutable { kind })
}

fn check_tables_are_there(header: &Header, length: usize) -> Result<(), ImageError> {
    let available = length as u64;
    let endian = LittleEndian;
    let end = |offset: u32, count: u16, size: u16| u64::from(offset) + u64::from(count) * u64::from(size);
    let programs = end(header.e_phoff(endian), header.e_phnum(endian), header.e_phentsize(endian));
    if programs > available {
        return Err(ImageError::Truncated { what: "the program header table", needed: programs, available });
    }
    let sections = end(header.e_shoff(endian), header.e_shnum(endian), header.e_shentsize(endian));
    if sections > available {
        return Err(ImageError::Truncated { what: "the section header table", needed: sections, available });
    }
    Ok(())
}

fn read_symbols(
    table: &SectionTable<'_, Header>,
    file: &[u8],
    architecture: Architecture,
    mapping: &mut Vec<(Address, Content)>,
    warnings: &mut Vec<ImageWarning>,
) -> Vec<Symbol> {
    let endian = LittleEndian;
    let symbols = match table.symbols(endian, file, elf::SHT_SYMTAB) {
        Ok(symbols) => symbols,
        Err(error) => {
            warnings.push(ImageWarning::Symbols(error.to_string()));
            return Vec::new();
        }
    };
    let mut found = Vec::new();
    let mut unreadable = 0;
    for symbol in symbols.iter() {
        let kind = match symbol.st_type() {
            elf::STT_FUNC => SymbolKind::Function,
            elf::STT_OBJECT => SymbolKind::Object,
            elf::STT_NOTYPE => SymbolKind::Label,
            _ => continue,
        };
        if symbol.is_undefined(endian) {
            continue;
        }
        let name = symbol.name(endian, symbols.strings()).ok().and_then(|name| std::str::from_utf8(name).ok());
        let Some(name) = name.filter(|name| name.len() <= demangle::LONGEST_NAME) else {
            unreadable += 1;
            continue;
        };
        let value = symbol.st_value(endian);
        // Mapping symbols mark ranges and name nothing.
        if name.is_empty() || name.starts_with('$') {
            match name.get(..2) {
                Some("$d") => mapping.push((Address::new(value), Content::Data)),
                Some("$t" | "$a" | "$x") => mapping.push((Address::new(value), Content::Code)),
                _ => {}
            }
            continue;
        }
        let value = if kind == SymbolKind::Function { value & architecture.code_address_mask() } else { value };
        found.push(Symbol {
            name: name.to_owned(),
            demangled: demangle::demangle(name),
            address: Address::new(value),
            size: Bytes::new(symbol.st_size(endian).into()),
            kind,
            binding: match symbol.st_bind() {
                elf::STB_LOCAL => Binding::Local,
                elf::STB_WEAK => Binding::Weak,
                _ => Binding::Global,
            },
            absolute: symbol.is_absolute(endian),
        });
    }
    if unreadable > 0 {
        warnings.push(ImageWarning::SymbolNames(unreadable));
    }
    found
}
