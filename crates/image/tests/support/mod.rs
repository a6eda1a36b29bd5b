//! Builds small ELF files.
#![allow(dead_code)]

use gimli::write::{
    Address, AttributeValue, CallFrameInstruction, CommonInformationEntry, DwarfUnit, EndianVec, FrameDescriptionEntry,
    FrameTable, LineProgram, LineString, Range, RangeList, Sections,
};
use gimli::{Encoding, Format, LineEncoding, LittleEndian, Register};
use object::build::elf::{Builder, SectionData};
use object::{Endianness, elf};

/// Builds a minimal Cortex-M image: vector table and code in flash, `.data` copied from there, `.bss`, a stack reserve.
pub fn tiny() -> Vec<u8> {
    build(|_| {})
}

/// Builds the same image after `change`.
pub fn build(change: impl FnOnce(&mut Builder<'_>)) -> Vec<u8> {
    let mut builder = Builder::new(Endianness::Little, false);
    builder.header.e_type = elf::ET_EXEC;
    builder.header.e_machine = elf::EM_ARM;
    builder.header.e_entry = 0x0800_0009;
    builder.header.e_phoff = 0x34;
    let mut text = vec![0x00, 0x04, 0x00, 0x20, 0x09, 0x00, 0x00, 0x08];
    text.extend([0xFE, 0xE7, 0x00, 0xBF, 0x70, 0x47, 0x00, 0xBF]);
    let alloc = elf::SHF_ALLOC;
    let sections: [(&str, elf::SectionType, elf::SectionFlags, u64, SectionData<'_>); 5] = [
        (".text", elf::SHT_PROGBITS, alloc.with(elf::SHF_EXECINSTR), 0x0800_0000, SectionData::Data(text.into())),
        (
            ".rodata",
            elf::SHT_PROGBITS,
            alloc,
            0x0800_0010,
            SectionData::Data(b"hello, scope\0\x01\x02\x03".to_vec().into()),
        ),
        (
            ".data",
            elf::SHT_PROGBITS,
            alloc.with(elf::SHF_WRITE),
            0x2000_0000,
            SectionData::Data(vec![1, 2, 3, 4].into()),
        ),
        (".bss", elf::SHT_NOBITS, alloc.with(elf::SHF_WRITE), 0x2000_0004, SectionData::UninitializedData(0x10)),
        (".stack", elf::SHT_NOBITS, alloc.with(elf::SHF_WRITE), 0x2000_0014, SectionData::UninitializedData(0x300)),
    ];
    let mut ids = Vec::new();
    for (name, kind, flags, address, data) in sections {
        let section = builder.sections.add();
        section.name = name.into();
        section.sh_type = kind;
        section.sh_flags = flags;
        section.sh_addr = address;
        section.sh_addralign = 4;
        section.sh_size = match &data {
            SectionData::Data(bytes) => bytes.len() as u64,
            SectionData::UninitializedData(size) => *size,
            _ => 0,
        };
        section.data = data;
        ids.push(section.id());
    }
    let symbols: [(&str, usize, u64, u64, elf::SymbolType); 6] = [
        ("_ZN5scope5start17h0123456789abcdefE", 0, 0x0800_0009, 4, elf::STT_FUNC),
        ("_ZN5scope4stop17h0123456789abcdefE", 0, 0x0800_000D, 2, elf::STT_FUNC),
        ("_ZN5scope4stop17h1111111111111111E", 0, 0x0800_000F, 2, elf::STT_FUNC),
        ("$t", 0, 0x0800_0008, 0, elf::STT_NOTYPE),
        ("counter", 2, 0x2000_0000, 4, elf::STT_OBJECT),
        ("buffer", 3, 0x2000_0004, 0x10, elf::STT_OBJECT),
    ];
    for (name, section, value, size, kind) in symbols {
        let symbol = builder.symbols.add();
        symbol.name = name.into();
        symbol.section = Some(ids[section]);
        symbol.st_value = value;
        symbol.st_size = size;
        symbol.set_st_info(elf::STB_GLOBAL, kind);
    }
    for (name, kind, data) in [
        (".symtab", elf::SHT_SYMTAB, SectionData::Symbol),
        (".strtab", elf::SHT_STRTAB, SectionData::String),
        (".shstrtab", elf::SHT_STRTAB, SectionData::SectionString),
    ] {
        let section = builder.sections.add();
        section.name = name.into();
        section.sh_type = kind;
        section.sh_addralign = 4;
        section.data = data;
    }
    change(&mut builder);
    let mut out = Vec::new();
    builder.set_section_sizes();
    let ranges = [(0, 2, 0x0800_0000, 0x0800_0000, 0x20), (2, 3, 0x2000_0000, 0x0800_0020, 4)];
    let mut offset = 0x100;
    for (first, past, virtual_address, physical, size) in ranges {
        for id in &ids[first..past] {
            let section = builder.sections.get_mut(*id);
            section.sh_offset = offset + section.sh_addr - virtual_address;
        }
        let segment = builder.segments.add();
        segment.p_type = elf::PT_LOAD;
        segment.p_flags = elf::PF_R;
        segment.p_offset = offset;
        segment.p_vaddr = virtual_address;
        segment.p_paddr = physical;
        segment.p_filesz = size;
        segment.p_memsz = size;
        segment.p_align = 4;
        for id in &ids[first..past] {
            segment.sections.push(*id);
        }
        offset += size;
    }
    builder.write(&mut out).expect("the parts fit together");
    out
}

/// Builds [`tiny`] with line tables: line 7 of `/src/scope.c` is at 0x08000008, line 9 at 0x0800000c.
/// It has a structure `task` whose `name` is at 52, and call-frame information of two functions there and of a dropped one.
pub fn with_lines() -> Vec<u8> {
    let sections = line_tables();
    build(|builder| {
        for (name, data) in sections {
            let section = builder.sections.add();
            section.name = name.into();
            section.sh_type = elf::SHT_PROGBITS;
            section.sh_addralign = 1;
            section.sh_size = data.len() as u64;
            section.data = SectionData::Data(data.into());
        }
    })
}

fn line_tables() -> Vec<(&'static str, Vec<u8>)> {
    let encoding = Encoding { format: Format::Dwarf32, version: 4, address_size: 4 };
    let mut dwarf = DwarfUnit::new(encoding);
    let line_string = |text: &str| LineString::String(text.as_bytes().to_vec());
    let mut program =
        LineProgram::new(encoding, LineEncoding::default(), line_string("/src"), None, line_string("scope.c"), None);
    let directory = program.default_directory();
    let file = program.add_file(line_string("scope.c"), directory, None);
    program.begin_sequence(Some(Address::Constant(0x0800_0008)));
    for (offset, line) in [(0, 7), (4, 9)] {
        let row = program.row();
        (row.file, row.line, row.address_offset) = (file, line, offset);
        program.generate_row();
    }
    program.end_sequence(8);
    dwarf.unit.line_program = program;
    let range = Range::StartLength { begin: Address::Constant(0x0800_0008), length: 8 };
    let ranges = dwarf.unit.ranges.add(RangeList(vec![range]));
    let root = dwarf.unit.root();
    let root = dwarf.unit.get_mut(root);
    root.set(gimli::DW_AT_name, AttributeValue::String(b"scope.c".to_vec()));
    root.set(gimli::DW_AT_comp_dir, AttributeValue::String(b"/src".to_vec()));
    root.set(gimli::DW_AT_low_pc, AttributeValue::Address(Address::Constant(0)));
    root.set(gimli::DW_AT_ranges, AttributeValue::RangeListRef(ranges));
    let root = dwarf.unit.root();
    for (name, members) in [("other", [("name", 1u64), ("next", 2)]), ("task", [("next", 4), ("name", 52)])] {
        let structure = dwarf.unit.add(root, gimli::DW_TAG_structure_type);
        dwarf.unit.get_mut(structure).set(gimli::DW_AT_name, AttributeValue::String(name.into()));
        for (name, offset) in members {
            let member = dwarf.unit.add(structure, gimli::DW_TAG_member);
            let member = dwarf.unit.get_mut(member);
            member.set(gimli::DW_AT_name, AttributeValue::String(name.into()));
            member.set(gimli::DW_AT_data_member_location, AttributeValue::Udata(offset));
        }
    }
    let mut sections = Sections::new(EndianVec::new(LittleEndian));
    dwarf.write(&mut sections).expect("the unit is complete");
    let mut frames = FrameTable::default();
    let mut common = CommonInformationEntry::new(encoding, 2, -4, Register(14));
    common.add_instruction(CallFrameInstruction::Cfa(Register(13), 0));
    let common = frames.add_cie(common);
    for (begin, length) in [(0x0800_0008, 4), (0, 0x1000_0000), (0x0800_000C, 4)] {
        let mut function = FrameDescriptionEntry::new(Address::Constant(begin), length);
        function.add_instruction(2, CallFrameInstruction::CfaOffset(8));
        function.add_instruction(2, CallFrameInstruction::Offset(Register(14), -4));
        frames.add_fde(common, function);
    }
    frames.write_debug_frame(&mut sections.debug_frame).expect("the entries are complete");
    let mut out = Vec::new();
    sections
        .for_each(|id, data| {
            if !data.slice().is_empty() {
                out.push((id.name(), data.slice().to_vec()));
            }
            Ok::<(), gimli::Error>(())
        })
        .expect("nothing fails here");
    out
}
