//! Reads the entries of debug information that tell of types and variables.

use cyclescope_machine::units::Address;
use gimli::{
    Abbreviation, AbbreviationsCacheStrategy, Attribute, AttributeValue, Dwarf, EndianSlice, EntriesRaw, LittleEndian,
    Operation, SectionId, Unit, constants as dwarf,
};

use super::{Kind, Member, Reader, Scope, Static, Type, TypeId, Types, TypesError, Variant};
use crate::{Image, ImageWarning, demangle};

/// The entry at some depth, for those below it.
#[derive(Clone, Copy, Debug)]
enum Inside {
    /// A namespace, or something else without members.
    Scope(Option<usize>),
    /// The structure at this place, which is a scope too.
    Structure(usize, usize),
    /// The part with variants of the structure at this place.
    Variants(usize),
    /// The latest variant of the structure at this place.
    Variant(usize),
    /// The array at this place.
    Array(usize),
    /// Code, in which variables and types may be declared.
    Code(Option<usize>),
}

/// The attributes of one entry.
#[derive(Debug, Default)]
struct Entry<'i> {
    name: &'i str,
    size: Option<u32>,
    of: Option<usize>,
    offset: Option<u32>,
    file: Option<u64>,
    line: Option<u32>,
    discriminant: Option<usize>,
    value: Option<u64>,
    count: Option<u64>,
    address: Option<u32>,
    declaration: bool,
}

pub(super) fn types(image: &Image) -> Result<Types<'_>, TypesError> {
    // Reading the lines checks what the file expands to.
    image.source_line(Address::ZERO);
    for warning in image.warnings() {
        match warning {
            ImageWarning::Lines(reason) => return Err(TypesError::Damaged(reason)),
            ImageWarning::CompressedDebug(name) => return Err(TypesError::Compressed(name)),
            _ => {}
        }
    }
    if image.section(".debug_info").is_none() || image.section(".debug_line").is_none() {
        return Err(TypesError::None);
    }
    let types = read(image).map_err(|error| TypesError::Damaged(error.to_string()))?;
    if types.types.values().any(|found| matches!(found.kind, Kind::Structure { .. })) {
        Ok(types)
    } else {
        Err(TypesError::None)
    }
}

fn read(image: &Image) -> Result<Types<'_>, gimli::Error> {
    let load = |id: SectionId| -> Result<Reader<'_>, gimli::Error> {
        let section = image.section(id.name());
        Ok(EndianSlice::new(section.map(|section| image.section_bytes(section)).unwrap_or_default(), LittleEndian))
    };
    let mut debug = Dwarf::load(load)?;
    debug.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
    let mut types = Types { strings: debug.debug_str, line_strings: debug.debug_line_str, ..Types::default() };
    let mut headers = debug.units();
    while let Some(header) = headers.next()? {
        let unit = debug.unit(header)?;
        read_unit(&debug, &unit, &mut types)?;
        types.units.push(unit);
    }
    Ok(types)
}

fn read_unit<'i>(
    debug: &Dwarf<Reader<'i>>,
    unit: &Unit<Reader<'i>>,
    types: &mut Types<'i>,
) -> Result<(), gimli::Error> {
    let Some(base) = unit.header.debug_info_offset().map(|offset| offset.0) else { return Ok(()) };
    let mut entries = unit.entries_raw(None)?;
    let mut inside: Vec<Inside> = Vec::new();
    while !entries.is_empty() {
        let depth = usize::try_from(entries.next_depth()).unwrap_or(0);
        let place = base + entries.next_offset().0;
        let Some(abbreviation) = entries.read_abbreviation()? else { continue };
        inside.truncate(depth);
        let around = inside.last().copied().unwrap_or(Inside::Scope(None));
        let is_wanted = !matches!(
            abbreviation.tag(),
            dwarf::DW_TAG_inlined_subroutine | dwarf::DW_TAG_formal_parameter | dwarf::DW_TAG_lexical_block
        );
        let entry = if is_wanted {
            read_entry(debug, unit, base, &mut entries, abbreviation)?
        } else {
            entries.skip_attributes(abbreviation.attributes())?;
            Entry::default()
        };
        let below = types.take(abbreviation.tag(), place, entry, around);
        // An entry in a depth that was left out cannot be.
        inside.resize(depth, around);
        inside.push(below);
    }
    Ok(())
}

fn read_entry<'i>(
    debug: &Dwarf<Reader<'i>>,
    unit: &Unit<Reader<'i>>,
    base: usize,
    entries: &mut EntriesRaw<'_, Reader<'i>>,
    abbreviation: &Abbreviation,
) -> Result<Entry<'i>, gimli::Error> {
    let mut entry = Entry::default();
    for specification in abbreviation.attributes() {
        let attribute: Attribute<Reader<'i>> = entries.read_attribute(*specification)?;
        let value = attribute.value();
        let small = || value.udata_value().and_then(|number| u32::try_from(number).ok());
        match attribute.name() {
            dwarf::DW_AT_name => {
                let name = debug.attr_string(unit, value).ok().and_then(|name| std::str::from_utf8(name.slice()).ok());
                entry.name = name.filter(|name| name.len() <= demangle::LONGEST_NAME).unwrap_or_default();
            }
            dwarf::DW_AT_byte_size => entry.size = small(),
            dwarf::DW_AT_type => entry.of = reference(base, &value),
            dwarf::DW_AT_discr => entry.discriminant = reference(base, &value),
            dwarf::DW_AT_data_member_location => entry.offset = small(),
            dwarf::DW_AT_decl_file => {
                entry.file = match value {
                    AttributeValue::FileIndex(file) => Some(file),
                    _ => value.udata_value(),
                }
            }
            dwarf::DW_AT_decl_line => entry.line = small(),
            dwarf::DW_AT_discr_value => {
                entry.value = value.udata_value().or_else(|| value.sdata_value().map(|number| number as u64));
            }
            dwarf::DW_AT_count => entry.count = value.udata_value(),
            dwarf::DW_AT_upper_bound => entry.count = value.udata_value().and_then(|last| last.checked_add(1)),
            dwarf::DW_AT_declaration => entry.declaration = true,
            dwarf::DW_AT_location => entry.address = address(debug, unit, &value),
            _ => {}
        }
    }
    Ok(entry)
}

/// The place of the entry that `value` refers to.
fn reference(base: usize, value: &AttributeValue<Reader<'_>>) -> Option<usize> {
    match value {
        AttributeValue::UnitRef(offset) => base.checked_add(offset.0),
        AttributeValue::DebugInfoRef(offset) => Some(offset.0),
        _ => None,
    }
}

/// The address of a variable that always has the same one.
fn address<'i>(debug: &Dwarf<Reader<'i>>, unit: &Unit<Reader<'i>>, value: &AttributeValue<Reader<'i>>) -> Option<u32> {
    let mut operations = value.exprloc_value()?.operations(unit.encoding());
    let address = match operations.next().ok()?? {
        Operation::Address { address } => address,
        Operation::AddressIndex { index } => debug.address(unit, index).ok()?,
        _ => return None,
    };
    u32::try_from(address).ok()
}

impl<'i> Types<'i> {
    /// Takes the entry at `place`, and returns what it is for those below it.
    fn take(&mut self, tag: gimli::DwTag, place: usize, entry: Entry<'i>, around: Inside) -> Inside {
        let scope = match around {
            Inside::Scope(scope) | Inside::Code(scope) => scope,
            Inside::Structure(_, scope) => Some(scope),
            Inside::Variants(_) | Inside::Variant(_) | Inside::Array(_) => None,
        };
        let of = entry.of.map(TypeId);
        let unit = self.units.len();
        let member = Member {
            name: entry.name,
            offset: entry.offset.unwrap_or(0),
            of,
            declared: entry.file.zip(entry.line).map(|(file, line)| (unit, file, line)),
        };
        let mut add = |kind| self.types.insert(place, Type { name: entry.name, scope, size: entry.size, kind });
        match tag {
            dwarf::DW_TAG_namespace => Inside::Scope(Some(self.scope(entry.name, scope))),
            dwarf::DW_TAG_structure_type
            | dwarf::DW_TAG_class_type
            | dwarf::DW_TAG_union_type
            | dwarf::DW_TAG_enumeration_type => {
                if tag == dwarf::DW_TAG_enumeration_type || entry.declaration {
                    add(Kind::Plain);
                } else {
                    add(Kind::Structure { members: Vec::new(), discriminant: None, variants: Vec::new() });
                }
                Inside::Structure(place, self.scope(entry.name, scope))
            }
            dwarf::DW_TAG_array_type => {
                add(Kind::Array(of, 1));
                Inside::Array(place)
            }
            dwarf::DW_TAG_subrange_type => {
                if let Inside::Array(array) = around
                    && let Some(Type { kind: Kind::Array(_, count), .. }) = self.types.get_mut(&array)
                {
                    let own = entry.count.and_then(|own| u32::try_from(own).ok()).unwrap_or(0);
                    *count = count.saturating_mul(own);
                }
                Inside::Code(scope)
            }
            dwarf::DW_TAG_pointer_type | dwarf::DW_TAG_reference_type => {
                add(Kind::Pointer(of));
                Inside::Code(scope)
            }
            dwarf::DW_TAG_typedef
            | dwarf::DW_TAG_const_type
            | dwarf::DW_TAG_volatile_type
            | dwarf::DW_TAG_atomic_type => {
                add(Kind::Alias(of));
                Inside::Code(scope)
            }
            dwarf::DW_TAG_base_type => {
                add(Kind::Plain);
                Inside::Code(scope)
            }
            dwarf::DW_TAG_variant_part => match around {
                Inside::Structure(structure, _) => Inside::Variants(structure),
                _ => Inside::Code(scope),
            },
            dwarf::DW_TAG_variant => match around {
                Inside::Variants(structure) => {
                    if let Some(Kind::Structure { variants, .. }) = self.kind(structure) {
                        let member = Member { of: None, declared: None, ..member };
                        variants.push(Variant { value: entry.value, member });
                    }
                    Inside::Variant(structure)
                }
                _ => Inside::Code(scope),
            },
            dwarf::DW_TAG_member => {
                match around {
                    Inside::Structure(structure, _) => {
                        if let Some(Kind::Structure { members, .. }) = self.kind(structure) {
                            members.push(member);
                        }
                    }
                    Inside::Variants(structure) => {
                        if let Some(Kind::Structure { discriminant, .. }) = self.kind(structure) {
                            *discriminant = Some(member);
                        }
                    }
                    Inside::Variant(structure) => {
                        if let Some(Kind::Structure { variants, .. }) = self.kind(structure)
                            && let Some(last) = variants.last_mut()
                        {
                            last.member = member;
                        }
                    }
                    Inside::Scope(_) | Inside::Array(_) | Inside::Code(_) => {}
                }
                Inside::Code(scope)
            }
            dwarf::DW_TAG_template_type_parameter => {
                if let (Inside::Structure(structure, _), Some(of)) = (around, of) {
                    self.parameters.entry(structure).or_default().push((entry.name, of));
                }
                Inside::Code(scope)
            }
            dwarf::DW_TAG_variable => {
                if let Some(address) = entry.address {
                    let address = Address::new(address);
                    self.statics.push(Static { name: entry.name, scope, address, of });
                }
                Inside::Code(scope)
            }
            _ => Inside::Code(scope),
        }
    }

    fn kind(&mut self, place: usize) -> Option<&mut Kind<'i>> {
        self.types.get_mut(&place).map(|found| &mut found.kind)
    }

    fn scope(&mut self, name: &'i str, around: Option<usize>) -> usize {
        self.scopes.push(Scope { name, around });
        self.scopes.len() - 1
    }
}
