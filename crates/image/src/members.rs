//! The place of a structure's member, from DWARF.

use gimli::{
    AbbreviationsCacheStrategy, AttributeValue, Dwarf, EndianSlice, LittleEndian, SectionId, constants as dwarf,
};

use crate::Image;

impl Image {
    /// Returns the offset of `member` in the structure `structure`, by the debug information's first description of it; `None`
    /// if there is none, or if the debug information is damaged before it.
    pub fn member_offset(&self, structure: &str, member: &str) -> Option<u32> {
        let load = |id: SectionId| -> Result<EndianSlice<'_, LittleEndian>, gimli::Error> {
            let section = self.section(id.name()).filter(|section| !section.compressed);
            Ok(EndianSlice::new(section.map(|section| self.section_bytes(section)).unwrap_or_default(), LittleEndian))
        };
        let mut debug = Dwarf::load(load).ok()?;
        debug.populate_abbreviations_cache(AbbreviationsCacheStrategy::Duplicates);
        let mut headers = debug.units();
        while let Some(header) = headers.next().ok()? {
            let unit = debug.unit(header).ok()?;
            let mut entries = unit.entries_raw(None).ok()?;
            // The depth of the members while the structure is being read.
            let mut inside = None;
            while !entries.is_empty() {
                let depth = entries.next_depth();
                let Some(abbreviation) = entries.read_abbreviation().ok()? else { continue };
                if inside.is_some_and(|members| depth < members) {
                    inside = None;
                }
                let wanted = match abbreviation.tag() {
                    dwarf::DW_TAG_structure_type => structure,
                    dwarf::DW_TAG_member if inside == Some(depth) => member,
                    _ => {
                        entries.skip_attributes(abbreviation.attributes()).ok()?;
                        continue;
                    }
                };
                let (mut named, mut offset) = (false, None);
                for specification in abbreviation.attributes() {
                    let attribute = entries.read_attribute(*specification).ok()?;
                    match attribute.name() {
                        dwarf::DW_AT_name => {
                            let name = debug.attr_string(&unit, attribute.value()).ok();
                            named = name.is_some_and(|name| name.slice() == wanted.as_bytes());
                        }
                        dwarf::DW_AT_data_member_location => offset = place(&attribute.value()),
                        _ => {}
                    }
                }
                if abbreviation.tag() == dwarf::DW_TAG_member {
                    if named {
                        return offset;
                    }
                } else if named && inside.is_none() && abbreviation.has_children() {
                    inside = Some(depth + 1);
                }
            }
        }
        None
    }
}

fn place(value: &AttributeValue<EndianSlice<'_, LittleEndian>>) -> Option<u32> {
    value.udata_value().and_then(|offset| u32::try_from(offset).ok())
}
