//! Builds small ELF files.

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

/// Builds [`tiny`] with `count` further sections and `symbols` further symbols in `.text`. `header` makes each section: it gets
/// the header's words and the length of the file, whose last part is `tail`.
pub fn with_headers(count: u16, symbols: u32, tail: &[u8], header: impl Fn(&mut [u32; 10], u32)) -> Vec<u8> {
    let mut file = build(|builder| {
        let section =
            builder.sections.iter().find(|section| section.name == b".text"[..].into()).map(|section| section.id());
        for _ in 0..symbols {
            let symbol = builder.symbols.add();
            symbol.name = "f".into();
            symbol.section = section;
            (symbol.st_value, symbol.st_size) = (0x0800_0009, 2);
            symbol.set_st_info(elf::STB_LOCAL, elf::STT_FUNC);
        }
    });
    file.extend(tail);
    let word = |file: &[u8], at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes"));
    let (table, known) = (word(&file, 0x20) as usize, u16::from_le_bytes([file[0x30], file[0x31]]));
    let mut headers = file[table..table + 40 * usize::from(known)].to_vec();
    // The first section is `.text`.
    let text: Vec<u32> = (0..10).map(|index| word(&headers, 40 + 4 * index)).collect();
    let text: [u32; 10] = text.try_into().expect("ten words");
    for _ in 0..count {
        let mut own = text;
        header(&mut own, file.len() as u32);
        headers.extend(own.iter().flat_map(|word| word.to_le_bytes()));
    }
    let at = file.len() as u32;
    file[0x20..0x24].copy_from_slice(&at.to_le_bytes());
    file[0x30..0x32].copy_from_slice(&(known + count).to_le_bytes());
    file.extend(headers);
    file
}

/// The index of a section's offset and of its size in its header.
pub const OFFSET: usize = 4;
pub const SIZE: usize = 5;

/// Builds [`tiny`] with line tables: line 7 of `/src/scope.c` is at 0x08000008, line 9 at 0x0800000c.
/// It has a structure `task` whose `name` is at 52, and call-frame information of two functions there and of a dropped one.
pub fn with_lines() -> Vec<u8> {
    with_sections(line_tables())
}

/// Builds [`tiny`] with these sections, which are not loaded.
pub fn with_sections(sections: Vec<(&'static str, Vec<u8>)>) -> Vec<u8> {
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

/// Builds [`tiny`] with debug information of `units` that share one range list of `ranges` entries, and one line program of
/// `files` files and `rows` rows, where every unit has the folder `folder`.
pub fn with_shared_tables(units: u32, ranges: u32, files: usize, rows: usize, folder: &str) -> Vec<u8> {
    // Code 1: a compile unit without children; line program, ranges and folder by offset, low address.
    let mut abbreviations = vec![1, 0x11, 0, 0x10, 0x17, 0x55, 0x17, 0x1B, 0x0E, 0x11, 0x01, 0, 0, 0];
    abbreviations.push(0);
    let mut info = Vec::new();
    for _ in 0..units {
        info.extend([24, 0, 0, 0, 4, 0, 0, 0, 0, 0, 4, 1]);
        info.extend([0; 16]);
    }
    let mut list = Vec::new();
    for range in 0..ranges {
        list.extend((2 * range).to_le_bytes());
        list.extend((2 * range + 2).to_le_bytes());
    }
    list.extend([0; 8]);
    // Header of version 4: line base -5, range 14, the first special opcode is 13; no folders.
    let mut header = vec![1, 1, 1, 0xFB, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0];
    for _ in 0..files {
        header.extend(*b"a\0\0\0\0");
    }
    header.push(0);
    // Address 0, rows of two bytes of code each, and the sequence's end.
    let mut program = vec![0, 5, 2, 0, 0, 0, 0];
    program.extend(std::iter::repeat_n(0x12 + 2 * 14, rows));
    program.extend([0, 1, 1]);
    let mut line = Vec::new();
    line.extend((6 + header.len() as u32 + program.len() as u32).to_le_bytes());
    line.extend([4, 0]);
    line.extend((header.len() as u32).to_le_bytes());
    line.extend(header);
    line.extend(program);
    let mut strings = folder.as_bytes().to_vec();
    strings.push(0);
    with_sections(vec![
        (".debug_abbrev", abbreviations),
        (".debug_info", info),
        (".debug_ranges", list),
        (".debug_line", line),
        (".debug_str", strings),
    ])
}

/// Builds [`tiny`] with `units` units whose abbreviations begin at different places of one table of `length` entries.
pub fn with_overlapping_abbreviations(units: u32, length: usize) -> Vec<u8> {
    let mut abbreviations = Vec::new();
    for code in 0..length {
        let code = [0x80 | (code & 0x7F) as u8, 0x80 | (code >> 7 & 0x7F) as u8, (code >> 14) as u8 | 1];
        abbreviations.extend(code);
        abbreviations.extend([0x11, 0, 0, 0]);
    }
    abbreviations.push(0);
    let mut info = Vec::new();
    for unit in 0..units {
        info.extend([8, 0, 0, 0, 4, 0]);
        info.extend((7 * unit).to_le_bytes());
        info.extend([4, 0]);
    }
    with_sections(vec![(".debug_abbrev", abbreviations), (".debug_info", info), (".debug_line", vec![0])])
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
