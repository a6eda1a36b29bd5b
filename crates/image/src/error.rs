//! What can be wrong with an image, in words that say what to do.

use cyclescope_units::Address;
use thiserror::Error;

/// Why bytes are not an image that can run here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The file does not begin with the ELF magic; `looks_like` names a format it was recognised as.
    #[error("not an ELF file{}; give the linker's ELF output, which also carries the symbols", looks_like_clause(.looks_like))]
    NotElf {
        /// The format that the first bytes suggest.
        looks_like: Option<&'static str>,
    },
    /// The file ends before something its headers promise.
    #[error(
        "the file is cut off: {what} would end at byte {needed}, but there are only {available}; copy or build it again"
    )]
    Truncated {
        /// What is missing.
        what: &'static str,
        /// The offset at which it would end.
        needed: u64,
        /// The length of the file.
        available: u64,
    },
    /// A machine that no core here models.
    #[error(
        "the image is for {machine}; cyclescope runs 32-bit little-endian Arm (Cortex-M), AVR and 32-bit RISC-V images"
    )]
    Machine {
        /// The machine's name, or its ELF number.
        machine: String,
    },
    /// An image that is not 32 bits wide.
    #[error("the image's ELF class is {class} and not 1 (32 bits); build it for the part's own target")]
    Class {
        /// `e_ident[EI_CLASS]`.
        class: u8,
    },
    /// A big-endian image.
    #[error("the image is big-endian; the parts here are little-endian: build it for the part's own target")]
    BigEndian,
    /// No byte order that there is.
    #[error("the image's ELF byte order is {data} and not 1 (little-endian); build it again")]
    ByteOrder {
        /// `e_ident[EI_DATA]`.
        data: u8,
    },
    /// A relocatable object, a shared object or a core dump.
    #[error("the file is {kind} and not a linked program; link it with the part's linker script")]
    NotExecutable {
        /// What `e_type` says it is.
        kind: &'static str,
    },
    /// A header that contradicts itself.
    #[error("the ELF's {what} cannot be read ({reason}); build it again")]
    Malformed {
        /// Which part of the file.
        what: &'static str,
        /// The ELF reader's reason.
        reason: String,
    },
    /// Nothing to load.
    #[error(
        "no segment of the image has bytes to load; was it linked without the part's linker script (for Rust: `-C link-arg=-Tlink.x`)?"
    )]
    NoSegment,
    /// A segment that leaves the 32-bit address space.
    #[error(
        "the segment of {size} bytes at {address} leaves the 32-bit address space; check the linker script's memory regions"
    )]
    AddressOverflow {
        /// Its physical address.
        address: Address,
        /// Its size.
        size: u64,
    },
    /// Two segments that would be loaded over each other.
    #[error(
        "the segments at {first} and {second} would be loaded over each other; check the linker script's load addresses (AT>)"
    )]
    Overlap {
        /// The lower segment's physical address.
        first: Address,
        /// The higher segment's.
        second: Address,
    },
}

fn looks_like_clause(format: &Option<&'static str>) -> String {
    format.map(|name| format!(" (it looks like {name})")).unwrap_or_default()
}

/// Why a name does not lead to one symbol.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SymbolError {
    /// No symbol of this name; `nearest` are the closest names, best first.
    #[error("no symbol `{name}`{}", nearest_clause(.nearest))]
    Unknown {
        /// The name asked for.
        name: String,
        /// At most three names like it.
        nearest: Vec<String>,
    },
    /// Any name, of an image without symbols.
    #[error("no symbol `{name}`: the image has no symbols; addresses do without, as in address:0x08000130")]
    NoSymbols {
        /// The name asked for.
        name: String,
    },
    /// A name that several symbols share.
    #[error("`{name}` names {} places ({}); use one of these", .candidates.len(), some_of(.candidates))]
    Ambiguous {
        /// The name asked for.
        name: String,
        /// What names each: its mangled name, or its address as an event where another has that name too.
        candidates: Vec<String>,
    },
    /// A pattern that fits symbols at several addresses.
    #[error("`{pattern}` fits {} symbols: {}", .candidates.len(), some_of(.candidates))]
    Several {
        /// The pattern asked for.
        pattern: String,
        /// The names that it fits, demangled, in order of their addresses.
        candidates: Vec<String>,
    },
}

/// The first of many.
fn some_of(names: &[String]) -> String {
    const SHOWN: usize = 16;
    match names.get(..SHOWN).filter(|_| names.len() > SHOWN) {
        Some(first) => format!("{} and {} more", first.join(", "), names.len() - SHOWN),
        None => names.join(", "),
    }
}

fn nearest_clause(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; the nearest names are {}", names.join(", ")),
    }
}

/// Something in an image that was dropped because it could not be read; the image still runs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ImageWarning {
    /// Section headers that cannot be read: no sections, symbols or lines.
    #[error("the section headers cannot be read ({0}); there are no sizes, symbols or source lines")]
    Sections(String),
    /// A symbol table that cannot be read.
    #[error("the symbol table cannot be read ({0}); there are no symbols")]
    Symbols(String),
    /// Symbols whose names lie outside the string table, are not UTF-8 or exceed 4,096 bytes.
    #[error("{0} symbols have names that cannot be read and are left out")]
    SymbolNames(usize),
    /// Line tables that cannot be read.
    #[error("the DWARF line tables cannot be read ({0}); there are no source lines")]
    Lines(String),
    /// Compressed debug sections.
    #[error("the debug section {0} is compressed, which is not read here; link without --compress-debug-sections")]
    CompressedDebug(String),
}
