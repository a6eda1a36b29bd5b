//! Sections and what kind of memory each takes.

use cyclescope_units::{Address, Bytes};
use object::read::elf::{SectionHeader, SectionTable};
use object::{LittleEndian, elf};

use crate::segment::Placed;
use crate::{Architecture, ImageError};

/// What a section holds, and so where it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SectionKind {
    /// Code that runs where it is loaded: flash.
    Text,
    /// Constants that are read where they are loaded, vector table and unwind tables included: flash.
    Rodata,
    /// Variables with initial values, and code that is copied to RAM: flash and RAM.
    Data,
    /// Variables without initial values, zeroed by start-up code or not (`.bss`, `.uninit`, `.noinit`): RAM.
    Bss,
    /// Room that the linker script sets aside for stack or heap: neither, since it measures the part and not the
    /// program.
    Reserve,
    /// Nothing in the target's memory: debug information, defmt's strings, comments.
    Other,
}

impl SectionKind {
    /// Whether its bytes are in flash.
    pub const fn in_flash(self) -> bool {
        matches!(self, Self::Text | Self::Rodata | Self::Data)
    }

    /// Whether its bytes are in statically used RAM.
    pub const fn in_ram(self) -> bool {
        matches!(self, Self::Data | Self::Bss)
    }

    /// The kind in one word, lower case.
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
    /// Its name, as far as it is UTF-8.
    pub name: String,
    /// Where the program uses it.
    pub address: Address,
    /// Where the loader writes it, if it does.
    pub load_address: Option<Address>,
    /// Its size in the target's memory (in the file, for [`SectionKind::Other`]).
    pub size: Bytes,
    /// What it holds.
    pub kind: SectionKind,
    /// Whether the file holds bytes for it.
    pub has_bytes: bool,
    pub(crate) file_offset: u64,
    pub(crate) compressed: bool,
}

impl Section {
    /// Whether `address` (as the program uses it) lies in this section of the target's memory.
    pub fn contains(&self, address: Address) -> bool {
        self.kind != SectionKind::Other
            && address >= self.address
            && u64::from(address.get()) - u64::from(self.address.get()) < self.size.get()
    }
}

/// What an image takes, by kind of section.
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
    /// What the segments load beyond all sections: alignment gaps that a segment spans, and ELF headers where the
    /// program was linked without `--nmagic`.
    pub padding: Bytes,
    /// What is loaded in all.
    pub flash: Bytes,
    /// Statically used RAM: `data` and `bss`.
    pub ram: Bytes,
}

impl SectionTotals {
    /// The totals of `sections`, whose segments load `loaded` bytes.
    pub(crate) fn of(sections: &[Section], loaded: u64) -> Self {
        let sum = |kind| sections.iter().filter(|section| section.kind == kind).map(|section| section.size).sum();
        let mut totals = Self {
            text: sum(SectionKind::Text),
            rodata: sum(SectionKind::Rodata),
            data: sum(SectionKind::Data),
            bss: sum(SectionKind::Bss),
            flash: Bytes::new(loaded),
            ..Self::default()
        };
        totals.ram = totals.data.saturating_add(totals.bss);
        let named = totals.text.saturating_add(totals.rodata).saturating_add(totals.data);
        totals.padding = totals.flash.saturating_sub(named);
        totals
    }
}

/// Reads the section table; what lies beyond the end of the file is an error if it is loaded, and dropped if not.
pub(crate) fn read(
    table: &SectionTable<'_, elf::FileHeader32<LittleEndian>>,
    segments: &[Placed],
    architecture: Architecture,
    file_length: usize,
) -> Result<Vec<Section>, ImageError> {
    let endian = LittleEndian;
    let mut sections = Vec::new();
    for header in table.iter() {
        let kind = header.sh_type(endian);
        if kind == elf::SHT_NULL {
            continue;
        }
        let flags = header.sh_flags(endian);
        let name = String::from_utf8_lossy(table.section_name(endian, header).unwrap_or_default()).into_owned();
        let has_bytes = kind != elf::SHT_NOBITS;
        let file_offset = u64::from(header.sh_offset(endian));
        let size = u64::from(header.sh_size(endian));
        let in_memory =
            flags.contains(elf::SHF_ALLOC) && !is_defmt(&name) && architecture.is_main_memory(header.sh_addr(endian));
        if has_bytes && file_offset + size > file_length as u64 {
            let (needed, available) = (file_offset + size, file_length as u64);
            return Err(ImageError::Truncated { what: "a section", needed, available });
        }
        let loaded = (has_bytes && in_memory && size > 0)
            .then(|| segments.iter().find_map(|segment| segment.load_address(file_offset)))
            .flatten();
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
    Ok(sections)
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

/// defmt keeps its interned strings in a section that never reaches the target, whatever its flags say.
fn is_defmt(name: &str) -> bool {
    name == ".defmt" || name.starts_with(".defmt.")
}

/// Names under which linker scripts set room aside: riscv-rt's `.stack` and `.heap`, vendor scripts'
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
