//! The types in the images' debug information: coroutines with their states, and statics that hold tasks and executors.

use cyclescope_images::{Image, images};
use gimli::{
    AttributeValue, DebuggingInformationEntry, DwTag, Dwarf, EndianSlice, LittleEndian, Operation, Unit, UnitOffset,
};
use object::read::elf::ElfFile32;
use object::{Endianness, Object, ObjectSection, ObjectSymbol};

/// Images come from this package's own build.
const READS: &str = "the image's debug information is whole";

type Reader<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'a> = DebuggingInformationEntry<Reader<'a>>;
type Elf<'a> = ElfFile32<'a, Endianness>;

/// The unit of an image that holds types and no code.
struct Types<'a> {
    dwarf: Dwarf<Reader<'a>>,
    unit: Unit<Reader<'a>>,
}

impl<'a> Types<'a> {
    /// Reads the unit, which is the last; `None` if the image has none.
    fn read(elf: &Elf<'a>) -> Option<Self> {
        let load = |id: gimli::SectionId| {
            let section = elf.section_by_name(id.name()).map(|section| section.data().expect(READS));
            Ok::<_, gimli::Error>(EndianSlice::new(section.unwrap_or_default(), LittleEndian))
        };
        let dwarf = Dwarf::load(load).expect(READS);
        let unit = dwarf.unit(dwarf.units().last()?.expect(READS)).expect(READS);
        let root = unit.entry(unit.header.root_offset()).expect(READS);
        let code = [gimli::DW_AT_low_pc, gimli::DW_AT_ranges].iter().any(|name| root.attr(*name).is_some());
        (!code).then_some(Self { dwarf, unit })
    }

    fn all(&self, tag: DwTag) -> Vec<Entry<'a>> {
        let mut entries = self.unit.entries();
        let mut found = Vec::new();
        while let Some(entry) = entries.next_dfs().expect(READS) {
            found.extend((entry.tag() == tag).then(|| entry.clone()));
        }
        found
    }

    fn children(&self, entry: &Entry<'a>) -> Vec<Entry<'a>> {
        let mut tree = self.unit.entries_tree(Some(entry.offset())).expect(READS);
        let mut children = tree.root().expect(READS).children();
        let mut found = Vec::new();
        while let Some(child) = children.next().expect(READS) {
            found.push(child.entry().clone());
        }
        found
    }

    fn text(&self, entry: &Entry<'a>, name: gimli::DwAt) -> String {
        let value = entry.attr_value(name);
        let text = value.map(|value| self.dwarf.attr_string(&self.unit, value).expect(READS));
        text.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
    }

    fn name(&self, entry: &Entry<'a>) -> String {
        self.text(entry, gimli::DW_AT_name)
    }

    fn type_of(&self, entry: &Entry<'a>) -> Entry<'a> {
        let Some(AttributeValue::UnitRef(offset)) = entry.attr_value(gimli::DW_AT_type) else {
            panic!("{} has no type", self.name(entry));
        };
        self.at(offset)
    }

    fn at(&self, offset: UnitOffset) -> Entry<'a> {
        self.unit.entry(offset).expect(READS)
    }

    /// Returns the size of a type in bytes.
    fn size(&self, entry: &Entry<'a>) -> u64 {
        match number(entry, gimli::DW_AT_byte_size) {
            Some(size) => size,
            None if entry.tag() == gimli::DW_TAG_array_type => {
                let element = self.size(&self.type_of(entry));
                let count = |range: &Entry<'a>| number(range, gimli::DW_AT_count).expect(READS);
                self.children(entry).iter().map(count).product::<u64>() * element
            }
            None => panic!("{} has no size", self.name(entry)),
        }
    }

    /// Checks a coroutine: the fields of its states and the number of its state fill the bytes that its type takes.
    fn check_coroutine(&self, coroutine: &Entry<'a>) {
        let size = self.size(coroutine);
        let parts = self.children(coroutine);
        let part = parts.iter().find(|part| part.tag() == gimli::DW_TAG_variant_part).expect("a coroutine has states");
        let (variants, state): (Vec<_>, Vec<_>) =
            self.children(part).into_iter().partition(|child| child.tag() == gimli::DW_TAG_variant);
        assert_eq!(state.iter().map(|state| self.name(state)).collect::<Vec<_>>(), ["__state"]);
        let mut end =
            number(&state[0], gimli::DW_AT_data_member_location).expect(READS) + self.size(&self.type_of(&state[0]));
        let mut names = Vec::new();
        for variant in variants {
            let member = self.children(&variant).remove(0);
            assert!(number(&member, gimli::DW_AT_decl_line).is_some(), "the line of a state");
            let fields = self.type_of(&member);
            assert_eq!(self.size(&fields), size);
            for field in self.children(&fields).iter().filter(|field| field.tag() == gimli::DW_TAG_member) {
                assert!(!self.name(field).is_empty());
                let at = number(field, gimli::DW_AT_data_member_location).expect(READS);
                end = end.max(at + self.size(&self.type_of(field)));
            }
            names.push(self.name(&fields));
        }
        assert_eq!(names[..3], ["Unresumed", "Returned", "Panicked"]);
        assert!(names[3..].iter().enumerate().all(|(at, name)| *name == format!("Suspend{at}")), "{names:?}");
        let alignment = number(coroutine, gimli::DW_AT_alignment).unwrap_or(1);
        assert_eq!(end.next_multiple_of(alignment), size);
    }
}

fn number(entry: &Entry<'_>, name: gimli::DwAt) -> Option<u64> {
    entry.attr_value(name).and_then(|value| value.udata_value())
}

/// Calls `check` with the types of each image that a contender's program has coroutines in.
fn each_with_coroutines(check: impl Fn(&Image, &Elf<'_>, &Types<'_>)) {
    let asynchronous = |image: &&Image| ["embassy", "rtic", "lilos"].contains(&image.contender);
    for image in images().iter().filter(asynchronous) {
        let bytes = image.elf().expect(READS);
        let elf = Elf::parse(&*bytes).expect(READS);
        let types = Types::read(&elf).unwrap_or_else(|| panic!("{} has no types", image.name));
        check(image, &elf, &types);
    }
}

#[test]
fn coroutines_have_states_whose_fields_fill_them() {
    each_with_coroutines(|image, _, types| {
        let structures = types.all(gimli::DW_TAG_structure_type);
        let coroutines: Vec<_> =
            structures.iter().filter(|entry| types.name(entry).starts_with("{async_fn_env#")).collect();
        assert!(!coroutines.is_empty(), "{}", image.name);
        coroutines.into_iter().for_each(|coroutine| types.check_coroutine(coroutine));
    });
}

#[test]
fn statics_of_tasks_lie_at_their_symbols() {
    each_with_coroutines(|image, elf, types| {
        let statics = types.all(gimli::DW_TAG_variable);
        assert_eq!(image.contender == "embassy", statics.iter().any(|of| types.name(of) == "POOL"), "{}", image.name);
        for variable in &statics {
            let symbol = types.text(variable, gimli::DW_AT_linkage_name);
            let found = elf.symbols().find(|found| found.name() == Ok(&symbol)).expect("its symbol");
            let Some(AttributeValue::Exprloc(location)) = variable.attr_value(gimli::DW_AT_location) else {
                panic!("{}: {symbol} has no place", image.name);
            };
            let place = location.operations(types.unit.encoding()).next().unwrap();
            assert_eq!(place, Some(Operation::Address { address: found.address() }), "{}: {symbol}", image.name);
            assert_eq!(types.size(&types.type_of(variable)), found.size(), "{}: {symbol}", image.name);
        }
    });
}

#[test]
fn what_is_no_type_is_left_out_of_their_unit() {
    each_with_coroutines(|image, _, types| {
        for tag in [gimli::DW_TAG_subprogram, gimli::DW_TAG_inlined_subroutine, gimli::DW_TAG_lexical_block] {
            assert!(types.all(tag).is_empty(), "{}: {tag}", image.name);
        }
    });
}
