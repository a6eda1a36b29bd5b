//! Valid images are read; others are refused with a reason.

use crate::support;

use cyclescope_image::{
    Architecture, Binding, CallFrames, FrameBase, Image, ImageError, Saved, SectionKind, Symbol, SymbolError,
    SymbolKind,
};
use cyclescope_machine::units::{Address, Bytes};
use object::elf;
use support::{build, tiny, with_lines};

fn address(value: u32) -> Address {
    Address::new(value)
}

#[track_caller]
fn refused(bytes: &[u8], expect: &str) {
    let message = Image::parse(bytes).expect_err("refused").to_string();
    assert!(message.contains(expect), "{message:?} should contain {expect:?}");
}

/// Overwrites bytes of the ELF header.
fn patched(offset: usize, with: &[u8]) -> Vec<u8> {
    let mut bytes = tiny();
    bytes[offset..offset + with.len()].copy_from_slice(with);
    bytes
}

#[test]
fn segments_stand_at_their_load_addresses() {
    let image = Image::parse(&tiny()).unwrap();
    let segments: Vec<_> = image.segments().map(|s| (s.address, s.virtual_address, s.bytes.len())).collect();
    assert_eq!(
        segments,
        [(address(0x0800_0000), address(0x0800_0000), 0x20), (address(0x0800_0020), address(0x2000_0000), 4)]
    );
    assert_eq!(image.entry(), address(0x0800_0008));
    assert_eq!(image.loaded_word(address(0x0800_0004)), Some(0x0800_0009));
    assert_eq!(image.loaded_word(address(0x0800_001E)), None, "reaches beyond its segment");
    assert_eq!(image.loaded_word(address(0x0800_0020)), Some(0x0403_0201));
}

#[test]
fn sections_count_where_they_are() {
    let image = Image::parse(&tiny()).unwrap();
    let kinds: Vec<_> = image.sections().iter().take(5).map(|s| s.kind).collect();
    use SectionKind::{Bss, Data, Reserve, Rodata, Text};
    assert_eq!(kinds, [Text, Rodata, Data, Bss, Reserve]);
    assert_eq!(image.section(".data").unwrap().load_address, Some(address(0x0800_0020)));
    let totals = image.totals();
    assert_eq!((totals.flash, totals.ram), (Bytes::new(36), Bytes::new(20)), "the stack reserve does not count");
    assert_eq!(totals.padding, Bytes::ZERO);
}

#[test]
fn symbols_are_found_by_wildcards_in_either_name() {
    let image = Image::parse(&tiny()).unwrap();
    let found = |pattern| image.symbols_matching(pattern).map(|s| (s.display_name(), s.size.get())).collect::<Vec<_>>();
    assert_eq!(found("scope::st*"), [("scope::start", 4), ("scope::stop", 2), ("scope::stop", 2)]);
    assert_eq!(found("_ZN*start*"), [("scope::start", 4)]);
    assert_eq!(found("scope::start"), [("scope::start", 4)]);
    assert_eq!(found("scope::"), []);
}

#[test]
fn symbols_are_found_by_either_name_and_by_address() {
    let image = Image::parse(&tiny()).unwrap();
    let start = image.symbol("scope::start").unwrap();
    assert_eq!((start.address, start.size, start.kind), (address(0x0800_0008), Bytes::new(4), SymbolKind::Function));
    assert_eq!(image.symbol("_ZN5scope5start17h0123456789abcdefE"), Ok(start));
    assert_eq!(image.function_at(address(0x0800_000B)), Some(start));
    assert_eq!(image.function_at(address(0x0800_0007)), None);
    assert!(image.function_at(address(0x2000_0000)).is_none());
    let Err(SymbolError::Ambiguous { candidates, .. }) = image.symbol("scope::stop") else { panic!("two places") };
    assert_eq!(candidates.len(), 2);
    let Err(SymbolError::Unknown { nearest, .. }) = image.symbol("scope::strat") else { panic!("a typo") };
    assert_eq!(nearest.first().map(String::as_str), Some("scope::start"));
    assert!(image.symbols().iter().all(|symbol| !symbol.name.starts_with('$')), "mapping symbols name nothing");
}

/// `*` matches any characters; a pattern that matches several symbols lists them.
#[test]
fn symbols_are_found_by_pattern() {
    let image = Image::parse(&tiny()).unwrap();
    let start = image.symbol("scope::start").unwrap();
    assert_eq!(image.symbol("*::sta*"), Ok(start));
    assert_eq!(image.symbol("*er").map(|symbol| symbol.name.as_str()).map_err(|error| error.to_string()), {
        Err("`*er` matches 2 symbols: counter, buffer".to_owned())
    });
    let Err(SymbolError::Several { candidates, .. }) = image.symbol("*st*") else { panic!("three functions") };
    assert_eq!(candidates[0], "scope::start");
    assert!(candidates[1..].iter().all(|name| name.starts_with("scope::stop (address:0x080000")), "{candidates:?}");
    assert!(matches!(image.symbol("*nothing*"), Err(SymbolError::Unknown { .. })));
}

/// A static function's name may occur twice, a stripped image has no names, and C++ names have parameters.
#[test]
fn names_that_lead_nowhere_or_to_several_places_say_what_does() {
    let with = |names: &[&str]| {
        build(|builder| {
            let text = builder.sections.iter().find(|section| section.name.as_slice() == b".text").unwrap().id();
            for (index, name) in names.iter().enumerate() {
                let symbol = builder.symbols.add();
                symbol.name = name.to_string().into_bytes().into();
                symbol.section = Some(text);
                symbol.st_value = 0x0800_0010 + 2 * index as u64;
                symbol.st_size = 2;
                symbol.set_st_info(elf::STB_LOCAL, elf::STT_FUNC);
            }
        })
    };
    let said = |names: &[&str], name| {
        let image = Image::parse(&with(names)).unwrap();
        image.symbol(name).map(|symbol| symbol.address).map_err(|error| error.to_string())
    };
    let twice = "names 2 places (address:0x08000010, address:0x08000012); use one of these";
    for name in ["_ZL6helperi", "helper(int)"] {
        assert_eq!(said(&["_ZL6helperi", "_ZL6helperi"], name), Err(format!("`{name}` {twice}")));
    }
    assert_eq!(said(&["_Z5otheri"], "other"), Ok(address(0x0800_0010)));
    let several = "`other` matches 2 symbols: other(int), other(char)".to_owned();
    assert_eq!(said(&["_Z5otheri", "_Z5otherc"], "other"), Err(several));
    let alike =
        "`helper` matches 2 symbols: helper(int) (address:0x08000010), helper(int) (address:0x08000012)".to_owned();
    assert_eq!(said(&["_ZL6helperi", "_ZL6helperi"], "helper"), Err(alike));
    // A local entity of a function is not the function.
    let inner = "_ZZ5othervENKUlvE_clEv";
    assert!(said(&[inner], "other").is_err_and(|error| error.starts_with("no symbol `other`")));
    let mut stripped = tiny();
    stripped[0x20..0x24].fill(0);
    stripped[0x30..0x34].fill(0);
    let error = Image::parse(&stripped).unwrap().symbol("main").unwrap_err().to_string();
    assert!(error.starts_with("no symbol `main`: the image has no symbols; name an address instead"), "{error}");
}

/// Weak aliases and local names do not hide the function's global name, whatever their order.
#[test]
fn a_function_goes_by_its_strongest_name() {
    let image = build(|builder| {
        let text = builder.sections.iter().find(|section| section.name.as_slice() == b".text").unwrap().id();
        for (name, binding) in [("A_Handler", elf::STB_WEAK), ("B_local", elf::STB_LOCAL)] {
            let alias = builder.symbols.add();
            alias.name = name.into();
            alias.section = Some(text);
            alias.st_value = 0x0800_0009;
            alias.st_size = 4;
            alias.set_st_info(binding, elf::STT_FUNC);
        }
    });
    let image = Image::parse(&image).unwrap();
    let names: Vec<_> = image.symbols().iter().filter(|symbol| symbol.address == address(0x0800_0008)).collect();
    let names: Vec<_> = names.iter().map(|symbol| (symbol.display_name(), symbol.binding)).collect();
    assert_eq!(names, [("scope::start", Binding::Global), ("A_Handler", Binding::Weak), ("B_local", Binding::Local)]);
    assert_eq!(image.function_at(address(0x0800_0008)).unwrap().display_name(), "scope::start");
}

/// Code without symbols belongs to no label far before it.
#[test]
fn a_function_without_a_size_ends_with_its_section() {
    let image = build(|builder| {
        for symbol in builder.symbols.iter_mut().filter(|symbol| symbol.st_value == 0x0800_000F) {
            symbol.st_size = 0;
        }
    });
    let image = Image::parse(&image).unwrap();
    assert_eq!(image.function_at(address(0x0800_000F)).map(Symbol::display_name), Some("scope::stop"));
    for outside in [0x0800_0010, 0x0800_0040, 0x1000_0000, 0xFFFF_FFFE] {
        assert_eq!(image.function_at(address(outside)), None, "{outside:#x}");
    }
}

/// Code behind a function belongs to no label inside the function.
#[test]
fn a_label_ends_with_the_function_that_it_is_in() {
    let image = build(|builder| {
        let text = builder.sections.iter().find(|section| section.name.as_slice() == b".text").unwrap().id();
        for symbol in builder.symbols.iter_mut().filter(|symbol| symbol.st_value == 0x0800_0009) {
            symbol.st_size = 3;
        }
        let label = builder.symbols.add();
        label.name = ".inside".into();
        label.section = Some(text);
        label.st_value = 0x0800_000A;
        label.set_st_info(elf::STB_LOCAL, elf::STT_NOTYPE);
    });
    let image = Image::parse(&image).unwrap();
    assert_eq!(image.function_at(address(0x0800_000A)).unwrap().display_name(), "scope::start");
    assert_eq!(image.function_at(address(0x0800_000B)), None);
}

/// A label inside a function with a size does not hide the function.
#[test]
fn a_label_inside_a_function_is_not_where_the_function_ends() {
    let image = build(|builder| {
        let text = builder.sections.iter().find(|section| section.name.as_slice() == b".text").unwrap().id();
        let label = builder.symbols.add();
        label.name = "inside".into();
        label.section = Some(text);
        label.st_value = 0x0800_000A;
        label.set_st_info(elf::STB_GLOBAL, elf::STT_NOTYPE);
    });
    let image = Image::parse(&image).unwrap();
    let start = image.symbol("scope::start").unwrap();
    assert!(image.symbol("inside").is_ok());
    assert_eq!(image.function_at(address(0x0800_000A)), Some(start));
    assert_eq!(image.function_at(address(0x0800_000B)), Some(start));
}

#[test]
fn lines_are_read_and_bad_ones_dropped_with_a_warning() {
    let good = with_lines();
    let image = Image::parse(&good).unwrap();
    assert_eq!(image.source_line(address(0x0800_0008)).unwrap().to_string(), "/src/scope.c:7");
    assert_eq!(image.source_line(address(0x0800_000E)).unwrap().line, 9);
    assert_eq!(image.source_line(address(0x0800_0000)), None);
    assert!(image.warnings().is_empty());

    let section = image.section(".debug_line").unwrap();
    let at = good.windows(8).position(|window| window == &image.section_bytes(section)[..8]).unwrap();
    let mut bad = good.clone();
    bad[at + 14] = 0; // a line_range of 0 (DWARF 4, 6.2.4) would divide by zero
    let image = Image::parse(&bad).unwrap();
    image.source_line(address(0x0800_0008));
    assert!(!image.warnings().is_empty(), "the bad table is named");
    assert!(image.symbol("scope::start").is_ok(), "and all else still there");
}

#[test]
fn the_loaded_hash_ignores_what_is_not_loaded() {
    let (plain, lines) = (Image::parse(&tiny()).unwrap(), Image::parse(&with_lines()).unwrap());
    assert_ne!(plain.file_sha256(), lines.file_sha256());
    assert_eq!(plain.loaded_sha256(), lines.loaded_sha256());
    let mut bent = tiny();
    bent[0x108] ^= 1;
    assert_ne!(Image::parse(&bent).unwrap().loaded_sha256(), plain.loaded_sha256());
    // FIPS 180-4's one-block example, through the same type.
    assert_eq!(plain.file_sha256().to_string().len(), 64);
}

#[test]
fn what_cannot_run_is_refused_with_a_reason() {
    refused(b"", "an empty file");
    refused(b"hello", "not an ELF file;");
    refused(b":10000000DEADBEEF", "Intel HEX");
    refused(&tiny()[..40], "the file is cut off: the ELF header would end at byte 52, but there are only 40");
    refused(&tiny()[..0x110], "cut off");
    assert_eq!(Image::parse(&patched(18, &[0x5E, 0])).unwrap().architecture(), Architecture::Xtensa);
    assert_eq!(Image::parse(&patched(18, &[0xF3, 0])).unwrap().architecture(), Architecture::Riscv);
    refused(&patched(18, &[0x34, 0x12]), "machine number 4660");
    refused(&patched(4, &[2]), "ELF class is 2");
    refused(&patched(5, &[2]), "the image is big-endian; the parts here are little-endian");
    // EM_MIPS in its own byte order.
    let mut mips = patched(5, &[2]);
    mips[18..20].copy_from_slice(&[0, 8]);
    refused(&mips, "the image is big-endian");
    refused(&patched(5, &[3]), "byte order is 3 and not 1");
    refused(&patched(16, &[1, 0]), "relocatable object");
    refused(&patched(44, &[0, 0]), "no segment");
}

#[test]
fn segments_must_fit_the_address_space_and_each_other() {
    let program_header = |index: usize, field: usize| 0x34 + index * 32 + field;
    let physical = 12;
    let bytes = patched(program_header(1, physical), &0x0800_001Fu32.to_le_bytes());
    let Err(error) = Image::parse(&bytes) else { panic!("refused") };
    assert_eq!(error, ImageError::Overlap { first: address(0x0800_0000), second: address(0x0800_001F) });
    refused(&patched(program_header(1, physical), &0xFFFF_FFFDu32.to_le_bytes()), "leaves the 32-bit address space");
    Image::parse(&patched(program_header(1, physical), &0xFFFF_FFFCu32.to_le_bytes())).expect("ends with the space");
    refused(&patched(program_header(1, 16), &u32::MAX.to_le_bytes()), "cut off: a segment");
}

/// Entries nested deeper than any compiler's would exhaust the stack if followed.
#[test]
fn debug_information_that_is_nested_without_end_is_dropped() {
    const DEEP: usize = 20_000;
    // Two kinds of entry with children and without attributes: a unit, and an inlined function.
    let abbreviations = vec![1, 0x11, 1, 0, 0, 2, 0x1D, 1, 0, 0, 0];
    let entries = [vec![1], vec![2; DEEP], vec![0; DEEP + 1]].concat();
    let version_and_sizes = [4, 0, 0, 0, 0, 0, 4];
    let mut unit = ((version_and_sizes.len() + entries.len()) as u32).to_le_bytes().to_vec();
    unit.extend([&version_and_sizes[..], &entries].concat());
    let image = build(|builder| {
        for (name, bytes) in [(".debug_info", unit), (".debug_abbrev", abbreviations), (".debug_line", vec![0; 4])] {
            let section = builder.sections.add();
            section.name = name.into();
            section.sh_type = elf::SHT_PROGBITS;
            section.sh_addralign = 1;
            section.sh_size = bytes.len() as u64;
            section.data = object::build::elf::SectionData::Data(bytes.into());
        }
    });
    let image = Image::parse(&image).unwrap();
    assert_eq!(image.source_line(address(0x0800_0008)), None);
    let warning = image.warnings().iter().map(ToString::to_string).find(|warning| warning.contains("nested"));
    assert!(warning.is_some(), "{:?}", image.warnings());
}

#[test]
fn defmt_strings_do_not_count_and_are_noticed() {
    let mut bytes = build(|builder| {
        let section = builder.sections.add();
        section.name = ".defmt".into();
        section.sh_type = elf::SHT_PROGBITS;
        section.sh_addralign = 1;
        section.sh_size = 15;
        section.data = object::build::elf::SectionData::Data(vec![7; 15].into());
    });
    // Some linker scripts leave it allocated. In its header, flags and address precede offset and size.
    let size = bytes.windows(4).rposition(|word| word == 15u32.to_le_bytes()).unwrap();
    bytes[size - 12] |= elf::SHF_ALLOC.0 as u8;
    let image = Image::parse(&bytes).unwrap();
    assert!(image.uses_defmt());
    assert_eq!(image.totals(), Image::parse(&tiny()).unwrap().totals());
    assert!(!Image::parse(&tiny()).unwrap().uses_defmt());
}

/// Builds the note of avr-libc's start-up files for a part named `device`.
fn device_note(device: &str) -> Vec<u8> {
    let text = format!("\0{device}\0");
    let mut note: Vec<u8> = [4, 32 + text.len() as u32, 1].into_iter().flat_map(u32::to_le_bytes).collect();
    note.extend(b"AVR\0");
    note.extend([0, 0x8000, 0x100, 0x800, 0, 0x400, 8, 1].into_iter().flat_map(u32::to_le_bytes));
    note.extend(text.bytes());
    note
}

/// Builds an AVR image with 23 bytes for EEPROM, for `device` if given.
fn avr(device: Option<&str>) -> Vec<u8> {
    let mut bytes = build(|builder| {
        builder.header.e_machine = elf::EM_AVR;
        builder.header.e_flags = elf::FileFlags(0x85);
        let eeprom = (".eeprom", 0x81_0000, vec![1; 23]);
        let note = device.map(|device| (".note.gnu.avr.deviceinfo", 0, device_note(device)));
        for (name, address, bytes) in std::iter::once(eeprom).chain(note) {
            let section = builder.sections.add();
            section.name = name.into();
            section.sh_type = elf::SHT_PROGBITS;
            section.sh_addr = address;
            section.sh_addralign = 1;
            section.sh_size = bytes.len() as u64;
            section.data = object::build::elf::SectionData::Data(bytes.into());
        }
    });
    // In a section's header, flags and address precede offset and size.
    let size = bytes.windows(4).rposition(|word| word == 23u32.to_le_bytes()).expect("the section is there");
    bytes[size - 12] |= (elf::SHF_ALLOC.0 | elf::SHF_WRITE.0) as u8;
    bytes[size - 8..size - 4].copy_from_slice(&0x81_0000u32.to_le_bytes());
    bytes
}

#[test]
fn an_avr_image_says_its_part_and_keeps_eeprom_apart() {
    let image = Image::parse(&avr(Some("atmega328p"))).unwrap();
    assert_eq!(image.architecture(), Architecture::Avr(5));
    assert_eq!(image.architecture().to_string(), "AVR (avr5)");
    assert_eq!(image.device(), Some("atmega328p"));
    assert_eq!(image.totals(), Image::parse(&tiny()).unwrap().totals(), "EEPROM is neither flash nor RAM");
    assert_eq!(Image::parse(&avr(None)).unwrap().device(), None);
    let whole = avr(Some("atmega328p"));
    let note = whole.windows(4).position(|word| word == *b"AVR\0").unwrap() - 12;
    for offset in 0..48 {
        for byte in [0, 1, 0x7F, 0xFF] {
            let mut bent = whole.clone();
            bent[note + offset] = byte;
            // Whatever the result, reading must not panic.
            let _ = Image::parse(&bent).unwrap().device();
        }
    }
}

#[test]
fn call_frames_are_read_by_address() {
    let good = with_lines();
    let image = Image::parse(&good).unwrap();
    let frames = CallFrames::of(&image);
    let row = frames.row(address(0x0800_0008)).expect("a function");
    assert_eq!((row.base, row.return_column, row.saved(14)), (FrameBase::Register(13, 0), 14, None));
    let row = frames.row(address(0x0800_000E)).expect("a function");
    assert_eq!((row.base, row.saved(14)), (FrameBase::Register(13, 8), Some(Saved::At(-4))), "its second row");
    // The function at 0 was dropped by the linker; its entry is not that of all flash.
    assert_eq!(frames.row(address(0x0800_0004)), None);
    assert_eq!(frames.row(address(0x0800_0010)), None);
    let plain = Image::parse(&tiny()).unwrap();
    assert!(!CallFrames::of(&plain).is_present());
}

#[test]
fn a_member_is_found_in_its_own_structure() {
    let image = with_lines();
    let image = Image::parse(&image).unwrap();
    assert_eq!(image.member_offset("task", "name"), Some(52));
    assert_eq!(image.member_offset("other", "name"), Some(1));
    assert_eq!(image.member_offset("task", "absent"), None);
    assert_eq!(image.member_offset("scope.c", "name"), None);
}
