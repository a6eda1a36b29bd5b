//! Types of coroutines, tasks and executors in the debug information of Rust images.
//!
//! With full debug information rustc makes another program of some images, so images are linked with line tables alone. The
//! types come from an object: the program's own crate, compiled once more with full debug information and never linked. A
//! type's layout depends on neither debug information nor optimisation. What is loaded stays as it is: only sections of debug
//! information grow.
//!
//! Kept are the wanted types and statics with all that they refer to, in a compilation unit of their own behind the others.
//! A static gets the address of its symbol in the image, and only if it has the type's size there.

use std::collections::BTreeMap;

use anyhow::{Context, ensure};
use gimli::read::{Dwarf, EndianSlice, UnitOffset, UnitRef};
use gimli::write::{
    Address, AttributeValue, ConvertUnit, ConvertUnitEntry, EndianVec, Expression, FilterUnitSection, Sections,
    UnitEntryId, Writer,
};
use gimli::{DwAt, Encoding, LittleEndian, SectionId};
use object::build::elf::{Builder, SectionData};
use object::read::elf::ElfFile32;
use object::{Endianness, Object, ObjectSection, ObjectSymbol, RelocationKind, RelocationTarget, SymbolKind};

type Reader<'a> = EndianSlice<'a, LittleEndian>;
type Elf<'a> = ElfFile32<'a, Endianness>;

/// The beginnings of names of wanted types: coroutines as the compiler names them, then tasks and executors of Embassy, RTIC
/// and `rust-plain`. lilos has neither, but the coroutines themselves.
const WANTED: [&str; 9] = [
    "{async_fn_env#",
    "{async_block_env#",
    "{async_closure_env#",
    "TaskStorage<",
    "TaskHeader",
    "TaskPool",
    "AsyncTaskExecutor",
    "SyncExecutor",
    "Executor",
];

/// Arguments of the compiler for the object with types: in the place of the profile's, and without linking.
pub const COMPILE: [&str; 3] = ["-Cdebuginfo=2", "-Clto=off", "-Zno-link"];

/// The sections that grow.
const GROWING: [SectionId; 3] = [SectionId::DebugAbbrev, SectionId::DebugInfo, SectionId::DebugLine];

/// The attributes that are kept. None of them holds an address.
const KEPT: [DwAt; 20] = [
    gimli::DW_AT_name,
    gimli::DW_AT_linkage_name,
    gimli::DW_AT_language,
    gimli::DW_AT_producer,
    gimli::DW_AT_comp_dir,
    gimli::DW_AT_type,
    gimli::DW_AT_byte_size,
    gimli::DW_AT_alignment,
    gimli::DW_AT_encoding,
    gimli::DW_AT_data_member_location,
    gimli::DW_AT_discr,
    gimli::DW_AT_discr_value,
    gimli::DW_AT_const_value,
    gimli::DW_AT_count,
    gimli::DW_AT_lower_bound,
    gimli::DW_AT_upper_bound,
    gimli::DW_AT_artificial,
    gimli::DW_AT_declaration,
    gimli::DW_AT_decl_file,
    gimli::DW_AT_decl_line,
];

/// Returns the image with the wanted types of `object`, or unchanged if there are none.
pub fn add(image: Vec<u8>, object: &[u8]) -> anyhow::Result<Vec<u8>> {
    let object = Elf::parse(object).context("the object with types is not a 32-bit ELF")?;
    let sections = relocated(&object)?;
    let load = |id: SectionId| {
        Ok::<_, gimli::Error>(EndianSlice::new(sections.get(id.name()).map_or(&[][..], Vec::as_slice), LittleEndian))
    };
    let types = Dwarf::load(load)?;
    let grown = {
        let elf = Elf::parse(&*image).context("it is not a 32-bit ELF")?;
        let mut before = Sections::new(EndianVec::new(LittleEndian));
        for id in GROWING {
            let section = elf.section_by_name(id.name()).with_context(|| format!("there is no {}", id.name()))?;
            before.get_mut(id).context("gimli writes it")?.write(section.data()?)?;
        }
        convert(&types, &statics(&elf), before)?
    };
    match grown {
        Some(grown) => replaced(&image, &grown),
        None => Ok(image),
    }
}

/// Returns the object's sections of debug information with their references to each other in place.
fn relocated(object: &Elf<'_>) -> anyhow::Result<BTreeMap<String, Vec<u8>>> {
    let mut sections = BTreeMap::new();
    for section in object.sections() {
        let name = section.name()?;
        if !name.starts_with(".debug_") {
            continue;
        }
        let mut data = section.data()?.to_vec();
        for (offset, relocation) in section.relocations() {
            // Others are lengths of code, which no kept attribute holds.
            if relocation.kind() != RelocationKind::Absolute || relocation.size() != 32 {
                continue;
            }
            let base = match relocation.target() {
                RelocationTarget::Symbol(index) => object.symbol_by_index(index)?.address(),
                _ => 0,
            };
            let at = usize::try_from(offset)?;
            let place = data.get_mut(at..at + 4).context("a relocation lies outside its section")?;
            let place: &mut [u8; 4] = place.try_into()?;
            let implicit = if relocation.has_implicit_addend() { u32::from_le_bytes(*place) } else { 0 };
            let value = (base as u32).wrapping_add(implicit).wrapping_add(relocation.addend() as u32);
            *place = value.to_le_bytes();
        }
        sections.insert(name.to_owned(), data);
    }
    Ok(sections)
}

/// Address and size of each variable of the image by its symbol.
type Statics = BTreeMap<String, (u64, u64)>;

fn statics(elf: &Elf<'_>) -> Statics {
    let data = elf.symbols().filter(|symbol| symbol.kind() == SymbolKind::Data);
    data.map(|symbol| (symbol.name().unwrap_or_default().to_owned(), (symbol.address(), symbol.size()))).collect()
}

/// Adds the wanted types to the image's sections; returns `None` if there are none.
fn convert(
    types: &Dwarf<Reader<'_>>,
    statics: &Statics,
    mut sections: Sections<EndianVec<LittleEndian>>,
) -> anyhow::Result<Option<Sections<EndianVec<LittleEndian>>>> {
    let mut filter = FilterUnitSection::new(types)?;
    let mut any = false;
    while let Some(mut unit) = filter.read_unit()? {
        let read = unit.read_unit;
        let mut entry = unit.null_entry();
        while unit.read_entry(&mut entry)? {
            let wanted = match entry.tag {
                gimli::DW_TAG_structure_type => is_wanted(&name(read, &entry, gimli::DW_AT_name)?),
                gimli::DW_TAG_variable => {
                    let holds = match type_of(&entry) {
                        Some(of) => name(read, &read.entry(of)?, gimli::DW_AT_name)?,
                        None => String::new(),
                    };
                    // Beside a wanted type itself, a cell or a pool of it: `StaticCell<embassy_executor::…::Executor>`.
                    let holds = WANTED.iter().any(|wanted| holds.contains(wanted));
                    // The linker leaves out what nothing uses.
                    holds && statics.contains_key(&name(read, &entry, gimli::DW_AT_linkage_name)?)
                }
                _ => false,
            };
            if wanted {
                unit.require_entry(entry.offset);
                any = true;
            }
        }
    }
    if !any {
        return Ok(None);
    }
    let mut written = gimli::write::Dwarf::new();
    let mut units = written.convert_with_filter(filter)?;
    while let Some((mut unit, root)) = units.read_unit()? {
        ensure!(unit.unit.version() <= 4, "its strings would stand in sections that the image lacks");
        // Pointers of AVR are shorter than the addresses of its data in an ELF.
        let encoding = Encoding { address_size: 4, ..unit.unit.encoding() };
        unit.unit.set_encoding(encoding);
        if let Some(program) = unit.read_line_program(Some(encoding), None)? {
            let (program, files) = program.program();
            unit.set_line_program(program, files);
        }
        let id = unit.unit.root();
        attributes(&mut unit, id, &root, statics)?;
        let mut entry = root;
        let mut method = None;
        while let Some(id) = unit.read_entry(&mut entry)? {
            // A type's methods are declared in it. They are left out with what lies in them.
            method = method.filter(|depth| entry.depth > *depth);
            if entry.tag == gimli::DW_TAG_subprogram && method.is_none() {
                method = Some(entry.depth);
            }
            if id.is_some() && method.is_none() {
                let id = unit.add_entry(id, &entry);
                attributes(&mut unit, id, &entry, statics)?;
            }
        }
    }
    written.write(&mut sections)?;
    Ok(Some(sections))
}

/// Copies the attributes that are kept, and says where a static lies.
fn attributes<'a>(
    unit: &mut ConvertUnit<'_, Reader<'a>>,
    id: UnitEntryId,
    entry: &ConvertUnitEntry<'_, Reader<'a>>,
    statics: &Statics,
) -> anyhow::Result<()> {
    for attribute in entry.attrs.iter().filter(|attribute| KEPT.contains(&attribute.name())) {
        // Texts stand in the unit itself: the image's own section of texts stays as it is.
        let value = match attribute.name() {
            gimli::DW_AT_name | gimli::DW_AT_linkage_name | gimli::DW_AT_producer | gimli::DW_AT_comp_dir => {
                AttributeValue::String(entry.read_unit.attr_string(attribute.value())?.slice().to_vec())
            }
            _ => unit.convert_attribute_value(entry.read_unit, attribute, &|_| None)?,
        };
        unit.unit.get_mut(id).set(attribute.name(), value);
    }
    let pointer = entry.tag == gimli::DW_TAG_pointer_type && entry.attr(gimli::DW_AT_byte_size).is_none();
    if pointer {
        let size = AttributeValue::Udata(entry.read_unit.encoding().address_size.into());
        unit.unit.get_mut(id).set(gimli::DW_AT_byte_size, size);
    }
    if entry.tag == gimli::DW_TAG_variable {
        let symbol = name(entry.read_unit, entry, gimli::DW_AT_linkage_name)?;
        let (address, size) = *statics.get(&symbol).with_context(|| format!("{symbol} has no place in the image"))?;
        let of = entry.read_unit.entry(type_of(entry).context("a static has a type")?)?;
        let own = of.attr_value(gimli::DW_AT_byte_size).and_then(|size| size.udata_value());
        ensure!(own == Some(size), "{symbol} takes {size} bytes in the image, but its type {own:?}");
        let mut location = Expression::new();
        location.op_addr(Address::Constant(address));
        unit.unit.get_mut(id).set(gimli::DW_AT_location, AttributeValue::Exprloc(location));
    }
    Ok(())
}

fn is_wanted(name: &str) -> bool {
    WANTED.iter().any(|wanted| name.starts_with(wanted))
}

/// Returns an attribute that is a text; empty if the entry has none.
fn name<'a>(
    unit: UnitRef<'_, Reader<'a>>,
    entry: &gimli::DebuggingInformationEntry<Reader<'a>>,
    attribute: DwAt,
) -> anyhow::Result<String> {
    let Some(value) = entry.attr_value(attribute) else { return Ok(String::new()) };
    Ok(unit.attr_string(value)?.to_string_lossy().into_owned())
}

fn type_of(entry: &gimli::DebuggingInformationEntry<Reader<'_>>) -> Option<UnitOffset> {
    match entry.attr_value(gimli::DW_AT_type) {
        Some(gimli::AttributeValue::UnitRef(offset)) => Some(offset),
        _ => None,
    }
}

/// Returns the image with other sections of debug information.
fn replaced(image: &[u8], sections: &Sections<EndianVec<LittleEndian>>) -> anyhow::Result<Vec<u8>> {
    let mut builder = Builder::read32(image)?;
    for id in GROWING {
        let grown = sections.get(id).context("gimli wrote it")?.slice().to_vec();
        let section = builder.sections.iter_mut().find(|section| *section.name == *id.name().as_bytes());
        section.with_context(|| format!("there is no {}", id.name()))?.data = SectionData::Data(grown.into());
    }
    let mut bytes = Vec::new();
    builder.write(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::{elf, manifest::Manifest, places::Places};
    use super::*;

    fn image(name: &str) -> Vec<u8> {
        let place = Places::new().unwrap().product;
        let images = Manifest::read(&place.manifest).unwrap().images;
        place.elf(images.iter().find(|image| image.name == name).unwrap()).unwrap()
    }

    #[test]
    fn what_is_loaded_stays_when_types_are_added() {
        // An image has what an object has, so it is added to itself.
        for name in ["button-embassy-interrupt-s-stm32c031c6", "switch-embassy-plain-s-atmega328p"] {
            let before = image(name);
            let after = add(before.clone(), &before).unwrap();
            assert!(after.len() > before.len() + 1000, "{name}");
            let (before, after) = (elf::facts(&before).unwrap(), elf::facts(&after).unwrap());
            assert_eq!(
                (&before.segments_sha256, &before.sections),
                (&after.segments_sha256, &after.sections),
                "{name}"
            );
            assert_ne!(before.sha256, after.sha256, "{name}");
        }
    }

    #[test]
    fn an_object_without_wanted_types_adds_nothing() {
        let before = image("button-embassy-interrupt-s-stm32c031c6");
        assert_eq!(add(before.clone(), &image("primes-c-plain-one-s-stm32c031c6")).unwrap(), before);
    }

    #[test]
    fn a_static_of_another_size_is_refused() {
        let object = image("button-embassy-interrupt-s-stm32c031c6");
        let mut builder = Builder::read32(&*object).unwrap();
        builder.symbols.iter_mut().find(|symbol| symbol.name.ends_with(b"4POOL")).unwrap().st_size += 4;
        let mut other = Vec::new();
        builder.write(&mut other).unwrap();
        let error = add(other, &object).unwrap_err().to_string();
        assert!(error.contains("POOL takes "), "{error}");
    }
}
