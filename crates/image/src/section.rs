//! Sections, and the memory that each takes.

use std::ops::Range;

use cyclescope_machine::units::{Address, Bytes};
use object::read::elf::{SectionHeader, SectionTable};
use object::{LittleEndian, elf};

use crate::segment::{Loaded, Placed};
use crate::{Architecture, ImageError};

/// The content of a section, which decides the memory it counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SectionKind {
    /// Code that runs at its load address: flash.
    Text,
    /// Constants that are read at their load address, including vector table and unwind tables: flash.
    Rodata,
    /// Initialised variables, and code that is copied to RAM: flash and RAM.
    Data,
    /// Uninitialised variables, zeroed by start-up code or not (`.bss`, `.uninit`, `.noinit`): RAM.
    Bss,
    /// Space that the linker script reserves for stack or heap. It counts for neither memory, because it depends on the
    /// part and not on the program.
    Reserve,
    /// Content outside the target's memory: debug information, defmt's strings, comments.
    Other,
}

impl SectionKind {
    /// Tells if the bytes take flash.
    pub const fn in_flash(self) -> bool {
        matches!(self, Self::Text | Self::Rodata | Self::Data)
    }

    /// Tells if the bytes take statically used RAM.
    pub const fn in_ram(self) -> bool {
        matches!(self, Self::Data | Self::Bss)
    }

    /// Returns the kind as one lower-case word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Rodata => "rodata",
            Self::Data => "data",
            Self::Bss => "bss",
            Self::Reserve => "reserve",
            Self::Other => "other",
        }
    }
}

/// A section of the image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The name, if it is UTF-8.
    pub name: String,
    /// The address at run time.
    pub address: Address,
    /// The load address; `None` if the section is not loaded.
    pub load_address: Option<Address>,
    /// The size in the target's memory; for [`SectionKind::Other`] the size in the file.
    pub size: Bytes,
    /// The content.
    pub kind: SectionKind,
    /// Tells if the file has bytes for the section.
    pub has_bytes: bool,
    pub(crate) file_offset: u64,
    pub(crate) compressed: bool,
}

impl Section {
    /// Returns the addresses at run time; none if the section is not in the target's memory.
    pub(crate) fn range(&self) -> Range<u64> {
        let start = u64::from(self.address.get());
        let bytes = if self.kind == SectionKind::Other { 0 } else { self.size.get() };
        start..start + bytes
    }

    /// Tells if `address` (at run time) is in this section and in the target's memory.
    pub fn contains(&self, address: Address) -> bool {
        self.range().contains(&u64::from(address.get()))
    }
}

/// Memory of an image by kind of section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SectionTotals {
    /// Code in flash.
    pub text: Bytes,
    /// Constants in flash.
    pub rodata: Bytes,
    /// Initialised variables: in flash and in RAM.
    pub data: Bytes,
    /// Uninitialised variables in RAM.
    pub bss: Bytes,
    /// Loaded bytes of segments and files without sections, such as an application beside a kernel.
    pub unsectioned: Bytes,
    /// Other loaded bytes outside all sections: alignment gaps inside a segment, and ELF headers of programs linked without
    /// `--nmagic`.
    pub padding: Bytes,
    /// All loaded bytes.
    pub flash: Bytes,
    /// Statically used RAM: `data` and `bss`.
    pub ram: Bytes,
}

impl SectionTotals {
    /// Sums up `sections`, whose segments load `loaded` bytes; `unsectioned` of these are in segments without sections.
    pub(crate) fn of(sections: &[Section], loaded: u64, unsectioned: u64) -> Self {
        let sum = |kind| sections.iter().filter(|section| section.kind == kind).map(|section| section.size).sum();
        let mut totals = Self {
            text: sum(SectionKind::Text),
            rodata: sum(SectionKind::Rodata),
            data: sum(SectionKind::Data),
            bss: sum(SectionKind::Bss),
            flash: Bytes::new(loaded),
            unsectioned: Bytes::new(unsectioned),
            ..Self::default()
        };
        totals.ram = totals.data.saturating_add(totals.bss);
        let named = totals.text.saturating_add(totals.rodata).saturating_add(totals.data);
        let named = named.saturating_add(totals.unsectioned);
        totals.padding = totals.flash.saturating_sub(named);
        totals
    }
}

/// The greatest length of a name in bytes. Any number of sections may share one name.
const LONGEST_NAME: usize = 1_024;

/// Overlays and damage make sections overlap, but never so many times.
const MOST_OVERLAPS: u64 = 16;

/// The bytes or symbols that a small file's sections may hold beyond that.
const GRANTED: u64 = 1 << 16;

/// Checks that the sections do not hold the file's bytes or its `symbols` many times over. `symbols` are addresses, sorted.
///
/// # Errors
/// [`ImageError::SectionsOverlap`].
pub(crate) fn check_overlaps(sections: &[Section], file_length: usize, symbols: &[Address]) -> Result<(), ImageError> {
    let check = |what, total: u64, available: usize| match total > MOST_OVERLAPS * available as u64 + GRANTED {
        true => Err(ImageError::SectionsOverlap { what, total, available: available as u64 }),
        false => Ok(()),
    };
    let bytes = sections.iter().filter(|section| section.has_bytes).map(|section| section.size.get()).sum();
    check("bytes", bytes, file_length)?;
    let inside = |section: &Section| {
        let end = u64::from(section.address.get()) + section.size.get();
        let first = symbols.partition_point(|symbol| *symbol < section.address);
        (symbols.partition_point(|symbol| u64::from(symbol.get()) < end) - first) as u64
    };
    let in_memory = |section: &&Section| section.kind.in_flash() || section.kind.in_ram();
    check("symbols", sections.iter().filter(in_memory).map(inside).sum(), symbols.len())
}

/// Returns the beginning of `name`, and counts those of which that is not all.
fn bounded(name: &[u8], cut: &mut usize) -> String {
    let kept = name.get(..LONGEST_NAME).inspect(|_| *cut += usize::from(name.len() > LONGEST_NAME));
    String::from_utf8_lossy(kept.unwrap_or(name)).into_owned()
}

/// Reads the section table. A loaded section beyond the end of the file is an error; others are dropped. Adds to `cut` the
/// number of names that are too long.
pub(crate) fn read(
    table: &SectionTable<'_, elf::FileHeader32<LittleEndian>>,
    segments: &[Placed],
    architecture: Architecture,
    file_length: usize,
    cut: &mut usize,
) -> Result<Vec<Section>, ImageError> {
    let endian = LittleEndian;
    let mut sections = Vec::new();
    let segments = Loaded::new(segments);
    for header in table.iter() {
        let kind = header.sh_type(endian);
        if kind == elf::SHT_NULL {
            continue;
        }
        let flags = header.sh_flags(endian);
        let name = bounded(table.section_name(endian, header).unwrap_or_default(), cut);
        let has_bytes = kind != elf::SHT_NOBITS;
        let file_offset = u64::from(header.sh_offset(endian));
        let size = u64::from(header.sh_size(endian));
        let in_memory =
            flags.contains(elf::SHF_ALLOC) && !is_defmt(&name) && architecture.is_main_memory(header.sh_addr(endian));
        if has_bytes && file_offset + size > file_length as u64 {
            let (needed, available) = (file_offset + size, file_length as u64);
            return Err(ImageError::Truncated { what: "a section", needed, available });
        }
        let loaded = (has_bytes && in_memory && size > 0).then(|| segments.address(file_offset)).flatten();
        let address = header.sh_addr(endian);
        sections.push(Section {
            kind: classify(&name, flags, in_memory, has_bytes, loaded, address),
            name,
            address: Address::new(address),
            load_address: loaded.map(Address::new),
            size: Bytes::new(size),
            has_bytes,
            file_offset,
            compressed: flags.contains(elf::SHF_COMPRESSED),
        });
    }
    in_place(&mut sections);
    Ok(sections)
}

/// Counts writable sections that stay where they are loaded for flash alone, if the image copies others to RAM and they lie
/// outside of that: an attribute or signature at the end of flash is often marked as writable.
fn in_place(sections: &mut [Section]) {
    let end = |section: &Section| u64::from(section.address.get()) + section.size.get();
    let copied = |section: &&Section| {
        section.kind == SectionKind::Data && section.load_address.is_some_and(|at| at != section.address)
    };
    if !sections.iter().any(|section| copied(&section)) {
        return;
    }
    let in_ram =
        |section: &&Section| copied(section) || matches!(section.kind, SectionKind::Bss | SectionKind::Reserve);
    let from = sections.iter().filter(in_ram).map(|section| u64::from(section.address.get())).min().unwrap_or(0);
    let to = sections.iter().filter(in_ram).map(end).max().unwrap_or(0);
    for section in sections.iter_mut().filter(|section| section.kind == SectionKind::Data && !copied(&&**section)) {
        if u64::from(section.address.get()) >= to || end(section) <= from {
            section.kind = SectionKind::Rodata;
        }
    }
}

fn classify(
    name: &str,
    flags: elf::SectionFlags,
    in_memory: bool,
    has_bytes: bool,
    loaded: Option<u32>,
    address: u32,
) -> SectionKind {
    if !in_memory {
        return SectionKind::Other;
    }
    if is_reserve(name) {
        return SectionKind::Reserve;
    }
    if !has_bytes {
        return SectionKind::Bss;
    }
    let copied = loaded.is_some_and(|at| at != address);
    if copied || flags.contains(elf::SHF_WRITE) {
        SectionKind::Data
    } else if flags.contains(elf::SHF_EXECINSTR) {
        SectionKind::Text
    } else {
        SectionKind::Rodata
    }
}

/// Tells if the section has defmt's interned strings. They never reach the target, whatever the section's flags say.
fn is_defmt(name: &str) -> bool {
    name == ".defmt" || name.starts_with(".defmt.")
}

/// Tells if linker scripts reserve space under this name: riscv-rt's `.stack` and `.heap`, vendor scripts'
/// `._user_heap_stack`, newlib's `.stack_dummy` and `.heap_stack`.
fn is_reserve(name: &str) -> bool {
    let name = name.trim_start_matches(['.', '_']);
    ["stack", "heap", "user_heap_stack"]
        .iter()
        .any(|stem| name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserves_are_told_from_variables() {
        for name in [".stack", ".heap", "._user_heap_stack", ".stack_dummy", ".heap_stack", ".stack.main"] {
            assert!(is_reserve(name), "{name}");
        }
        for name in [".stacks", ".bss", ".heapless", ".data"] {
            assert!(!is_reserve(name), "{name}");
        }
    }
}
