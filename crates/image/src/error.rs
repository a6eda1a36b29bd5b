//! Errors in an image, with advice.

use cyclescope_machine::figures::integer;
use cyclescope_machine::units::Address;
use thiserror::Error;

/// An error that makes an image unusable.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The file does not begin with the ELF magic. `looks_like` names a recognised format.
    #[error("not an ELF file{}; give the linker's ELF output, which also carries the symbols", looks_like_clause(.looks_like))]
    NotElf {
        /// The format that the first bytes suggest.
        looks_like: Option<&'static str>,
    },
    /// The file is shorter than its headers say.
    #[error(
        "the file is cut off: {what} would end at byte {}, but there are only {}; copy or build it again",
        integer((*needed).into()), integer((*available).into())
    )]
    Truncated {
        /// The missing part.
        what: &'static str,
        /// The offset of its end.
        needed: u64,
        /// The length of the file.
        available: u64,
    },
    /// A machine without a core here.
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
    /// An invalid byte order.
    #[error("the image's ELF byte order is {data} and not 1 (little-endian); build it again")]
    ByteOrder {
        /// `e_ident[EI_DATA]`.
        data: u8,
    },
    /// A relocatable object, a shared object or a core dump.
    #[error("the file is {kind} and not a linked program; link it with the part's linker script")]
    NotExecutable {
        /// The file type in `e_type`.
        kind: &'static str,
    },
    /// A defect in an Intel HEX or UF2 file.
    #[error("{place} of the {format} file cannot be read: {reason}; make or copy it again")]
    Contents {
        /// The format.
        format: &'static str,
        /// The line or block.
        place: String,
        /// The defect.
        reason: String,
    },
    /// A file without bytes for memory.
    #[error("the file has no bytes to load; make it again, or leave it out")]
    NoContents,
    /// A file for another architecture, beside an image.
    #[error("the image is built for {this}, and a file beside it for {other}; load files of one architecture")]
    OtherArchitecture {
        /// The architecture of the image.
        this: String,
        /// The architecture of the file beside it.
        other: String,
    },
    /// An inconsistent header.
    #[error("the ELF's {what} cannot be read ({reason}); build it again")]
    Malformed {
        /// The part of the file.
        what: &'static str,
        /// The ELF reader's reason.
        reason: String,
    },
    /// There is nothing to load.
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
    /// Two segments overlap.
    #[error(
        "the bytes at {first} and {second} would be loaded over each other; check the load addresses of the linker script (AT>) and of files beside it"
    )]
    Overlap {
        /// The lower segment's physical address.
        first: Address,
        /// The higher segment's physical address.
        second: Address,
    },
    /// The sections overlap so much that reading them takes far more memory than the file has.
    #[error(
        "the sections overlap: together they hold {total} {what}, but the file has only {available}; link it again, or \
         remove the section headers (`objcopy --strip-section-headers`)"
    )]
    SectionsOverlap {
        /// Bytes or symbols.
        what: &'static str,
        /// The number in all sections, each counted for itself.
        total: u64,
        /// The number in the file.
        available: u64,
    },
}

fn looks_like_clause(format: &Option<&'static str>) -> String {
    format.map(|name| format!(" (it looks like {name})")).unwrap_or_default()
}

/// An error in the look-up of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SymbolError {
    /// No symbol of this name; `nearest` are the closest names, best first.
    #[error("no symbol `{name}`{}", nearest_clause(.nearest))]
    Unknown {
        /// The name asked for.
        name: String,
        /// At most three similar names.
        nearest: Vec<String>,
    },
    /// The image has no symbols.
    #[error("no symbol `{name}`: the image has no symbols; name an address instead, as in address:0x08000130")]
    NoSymbols {
        /// The name asked for.
        name: String,
    },
    /// Several symbols have the name.
    #[error("`{name}` names {} places ({}); use one of these", .candidates.len(), some_of(.candidates))]
    Ambiguous {
        /// The name asked for.
        name: String,
        /// A unique name for each: its mangled name, or its address as an event if another symbol has that name too.
        candidates: Vec<String>,
    },
    /// The pattern matches symbols at several addresses.
    #[error("`{pattern}` matches {} symbols: {}", .candidates.len(), some_of(.candidates))]
    Several {
        /// The pattern asked for.
        pattern: String,
        /// The matching names, demangled, by address.
        candidates: Vec<String>,
    },
}

/// Lists the first of many names.
fn some_of(names: &[String]) -> String {
    const SHOWN: usize = 16;
    match names.get(..SHOWN).filter(|_| names.len() > SHOWN) {
        Some(first) => format!("{} and {} more", first.join(", "), names.len() - SHOWN),
        None => names.join(", "),
    }
}

fn nearest_clause(nearest: &[String]) -> String {
    match nearest {
        [] => "; `cyclescope size ELF --by symbol --top 0` lists all".to_owned(),
        [name] => format!("; did you mean `{name}`?"),
        names => format!("; the nearest names are {}", names.join(", ")),
    }
}

/// A part of an image that was dropped because it could not be read. The image still runs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ImageWarning {
    /// The section headers cannot be read: there are no sections, symbols or lines.
    #[error("the section headers cannot be read ({0}); there are no sizes, symbols or source lines")]
    Sections(String),
    /// The symbol table cannot be read.
    #[error("the symbol table cannot be read ({0}); there are no symbols")]
    Symbols(String),
    /// Symbol names are outside the string table, not UTF-8, or longer than 4,096 bytes.
    #[error("{0} symbols have names that cannot be read and are left out")]
    SymbolNames(usize),
    /// Section names are longer than 1,024 bytes.
    #[error("{0} sections have names longer than 1,024 bytes, of which only the beginning is kept")]
    SectionNames(usize),
    /// The line tables cannot be read.
    #[error("the DWARF line tables cannot be read ({0}); there are no source lines")]
    Lines(String),
    /// A debug section is compressed.
    #[error("the debug section {0} is compressed, which is not read here; link without --compress-debug-sections")]
    CompressedDebug(String),
}
