//! Breakdowns sum to the totals and name the owners.

use crate::support;

use cyclescope_image::size::{self, Entry, NO_SECTION, NO_SYMBOL};
use cyclescope_image::{Contents, Image};
use cyclescope_machine::units::{Address, Bytes};
use object::build::elf::SectionData;
use object::elf;
use support::{build, tiny};

#[track_caller]
fn sums_to_the_totals(image: &Image, entries: &[Entry]) {
    let totals = image.totals();
    assert_eq!(entries.iter().map(|entry| entry.weight.flash).sum::<Bytes>(), totals.flash);
    assert_eq!(entries.iter().map(|entry| entry.weight.ram).sum::<Bytes>(), totals.ram);
}

fn flash_of(entries: &[Entry], name: &str) -> u64 {
    entries.iter().find(|entry| entry.name == name).map_or(0, |entry| entry.weight.flash.get())
}

#[test]
fn every_byte_counts_once() {
    let image = Image::parse(&tiny()).unwrap();
    for entries in [size::by_section(&image), size::by_owner(&image), size::by_symbol(&image)] {
        sums_to_the_totals(&image, &entries);
    }
    let owners = size::by_owner(&image);
    assert_eq!(flash_of(&owners, "scope"), 8);
    assert_eq!(flash_of(&owners, "(C)"), 4, "the initial value of `counter`");
    assert_eq!(flash_of(&owners, NO_SYMBOL), 24, "vectors and literals");
    assert_eq!(flash_of(&size::by_symbol(&image), "scope::stop"), 4, "both instances");
}

#[test]
fn overlapping_and_endless_symbols_do_not_count_twice() {
    let image = Image::parse(&build(|builder| {
        let sections: Vec<_> = builder.symbols.iter().filter_map(|symbol| symbol.section).collect();
        let symbol = builder.symbols.add();
        symbol.name = "wide".into();
        symbol.section = Some(sections[0]);
        symbol.st_value = 0x0800_0009;
        symbol.st_size = 0xFFFF_FFFF;
        symbol.set_st_info(object::elf::STB_GLOBAL, object::elf::STT_FUNC);
    }))
    .unwrap();
    for entries in [size::by_owner(&image), size::by_symbol(&image)] {
        sums_to_the_totals(&image, &entries);
    }
}

#[test]
fn strings_are_found_outside_code() {
    let image = Image::parse(&tiny()).unwrap();
    let found = size::strings(&image);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].text.as_str(), found[0].address.get()), ("hello, scope", 0x0800_0010));
}

#[test]
fn a_difference_names_what_grew() {
    let old = Image::parse(&tiny()).unwrap();
    let new = Image::parse(&build(|builder| {
        for symbol in &mut builder.symbols {
            if symbol.name == b"_ZN5scope5start17h0123456789abcdefE".as_slice().into() {
                symbol.st_size = 2;
            }
        }
    }))
    .unwrap();
    let changes = size::difference(&size::by_symbol(&old), &size::by_symbol(&new));
    let named: Vec<_> = changes.iter().map(|change| (change.name.as_str(), change.flash(), change.ram())).collect();
    assert_eq!(named, [(NO_SYMBOL, 2, 0), ("scope::start", -2, 0)]);
    assert!(size::difference(&size::by_symbol(&old), &size::by_symbol(&old)).is_empty());
}

#[test]
fn an_application_without_sections_is_no_padding() {
    let mut image = Image::parse(&tiny()).unwrap();
    let before = image.totals();
    let application = vec![7; 100];
    let contents = Contents::binary(&application, Address::new(0x0804_0000)).unwrap();
    image.add(&Image::of_contents(&application, contents, image.architecture())).unwrap();
    let totals = image.totals();
    assert_eq!((totals.unsectioned, totals.padding), (Bytes::new(100), before.padding));
    for entries in [size::by_section(&image), size::by_owner(&image), size::by_symbol(&image)] {
        sums_to_the_totals(&image, &entries);
        assert_eq!(flash_of(&entries, NO_SECTION), 100);
    }
}

#[test]
fn a_writable_section_in_flash_takes_no_ram() {
    let sizes = |copied: bool| {
        let image = Image::parse(&build(|builder| {
            for section in &mut builder.sections {
                if section.name == b".rodata".as_slice().into() {
                    section.sh_flags = elf::SHF_ALLOC.with(elf::SHF_WRITE);
                }
                // A program that begins in RAM copies nothing.
                if !copied && section.name == b".data".as_slice().into() {
                    section.sh_type = elf::SHT_NOTE;
                    section.sh_flags = elf::SectionFlags(0);
                }
            }
        }))
        .unwrap();
        (image.totals().rodata.get(), image.totals().data.get())
    };
    assert_eq!(sizes(true), (16, 4), "it stays in flash, beside the four bytes that are copied");
    assert_eq!(sizes(false).0, 0, "nothing tells flash from RAM");
}

#[test]
fn constants_behind_a_function_without_a_size_are_strings() {
    let found = |mapping: &'static [(&'static str, u64)]| {
        let image = Image::parse(&build(|builder| {
            let text = builder.symbols.iter().find_map(|symbol| symbol.section);
            for symbol in &mut builder.symbols {
                symbol.st_size = 0;
            }
            for section in &mut builder.sections {
                if section.name == b".text".as_slice().into() {
                    section.data = SectionData::Data([&[0u8; 8][..], b"text ok\0"].concat().into());
                }
            }
            for (name, value) in mapping {
                let symbol = builder.symbols.add();
                symbol.name = (*name).into();
                symbol.section = text;
                symbol.st_value = *value;
            }
        }))
        .unwrap();
        size::strings(&image).iter().any(|one| one.address.get() < 0x0800_0010)
    };
    assert!(!found(&[]), "code is no text");
    assert!(found(&[("$d", 0x0800_000A), ("$d", 0x0800_000C)]));
    assert!(!found(&[("$d", 0x0800_000A), ("$t", 0x0800_000C), ("$d.1", 0x0800_000E)]));
}
