//! Small files that would expand to much memory.

use crate::support;

use cyclescope_image::{Image, ImageError, ImageWarning, size};
use cyclescope_machine::units::Address;

/// Returns the reason why the image's lines cannot be used, or `None` where the first row is found.
fn lines_of(bytes: &[u8]) -> Option<String> {
    let image = Image::parse(bytes).expect("an image");
    let line = image.source_line(Address::new(4));
    image.frames(Address::new(4));
    match image.warnings().as_slice() {
        [] => assert!(line.is_some_and(|line| line.file.ends_with('a') || line.file.is_empty()), "no line"),
        [ImageWarning::Lines(reason)] => return Some(reason.clone()),
        others => panic!("{others:?}"),
    }
    None
}

fn refused(bytes: &[u8], table: &str) {
    assert!(bytes.len() < 300_000, "a small file: {} bytes", bytes.len());
    let reason = lines_of(bytes).expect("it is refused");
    assert!(reason.starts_with(&format!("its {table} are shared so often")), "{reason}");
}

#[test]
fn tables_that_few_units_share_are_read() {
    assert_eq!(lines_of(&support::with_shared_tables(1, 3_000, 3_000, 10_000, "/src")), None);
    assert_eq!(lines_of(&support::with_shared_tables(100, 1_000, 100, 5_000, "/src")), None);
}

#[test]
fn range_lists_that_many_units_share_are_refused() {
    refused(&support::with_shared_tables(2_000, 6_000, 1, 10, "/src"), "range lists");
}

#[test]
fn line_programs_that_many_units_share_are_refused() {
    refused(&support::with_shared_tables(2_000, 1, 1, 50_000, "/src"), "line programs");
}

#[test]
fn files_in_a_folder_with_a_long_name_are_refused() {
    refused(&support::with_shared_tables(10, 1, 10_000, 10, &"/folder".repeat(8_000)), "paths of files");
}

#[test]
fn abbreviations_that_overlap_are_refused() {
    refused(&support::with_overlapping_abbreviations(5_000, 10_000), "abbreviations");
}

#[test]
fn a_path_longer_than_any_is_no_line() {
    let image = Image::parse(&support::with_shared_tables(1, 1, 1, 10, &"/folder".repeat(1_000))).expect("an image");
    assert_eq!((image.source_line(Address::new(4)), image.warnings()), (None, Vec::new()));
}

#[test]
fn sections_that_hold_the_same_bytes_many_times_are_refused() {
    let text = [b'x'; 50_000];
    let same = |header: &mut [u32; 10], length: u32| {
        (header[support::OFFSET], header[support::SIZE]) = (length - text.len() as u32, text.len() as u32);
    };
    let image = Image::parse(&support::with_headers(4, 1, &text, same)).expect("some sections may overlap");
    size::strings(&image);
    let error = Image::parse(&support::with_headers(1_200, 1, &text, same)).expect_err("so many do not");
    let total = 1_200 * text.len() as u64;
    assert!(matches!(error, ImageError::SectionsOverlap { what: "bytes", total: sum, .. } if sum > total), "{error}");
}

#[test]
fn sections_that_hold_the_same_symbols_many_times_are_refused() {
    let same = |_: &mut [u32; 10], _| {};
    let image = Image::parse(&support::with_headers(4, 3_000, &[], same)).expect("some sections may overlap");
    assert!(size::pieces(&image).len() < 50_000);
    let error = Image::parse(&support::with_headers(1_200, 3_000, &[], same)).expect_err("so many do not");
    assert!(matches!(error, ImageError::SectionsOverlap { what: "symbols", .. }), "{error}");
    assert!(error.to_string().starts_with("the sections overlap: together they hold 36"), "{error}");
}

#[test]
fn long_names_of_sections_are_cut() {
    let mut name = vec![b'n'; 50_000];
    name.push(0);
    // The name lies behind the string table's end, which is moved to the end of the file.
    let mut file = support::with_headers(1_000, 1, &name, |header, _| header[0] = 1);
    let headers = u32::from_le_bytes(file[0x20..0x24].try_into().unwrap()) as usize;
    let names = headers + 40 * usize::from(u16::from_le_bytes([file[0x32], file[0x33]]));
    let offset = headers - name.len() - 1;
    file[names + 16..names + 20].copy_from_slice(&(offset as u32).to_le_bytes());
    file[names + 20..names + 24].copy_from_slice(&(name.len() as u32 + 1).to_le_bytes());
    let image = Image::parse(&file).expect("an image");
    let longest = image.sections().iter().map(|section| section.name.len()).max();
    assert_eq!(longest, Some(1_024));
    let said: Vec<String> = image.warnings().iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|said| said.contains("sections have names longer than 1,024 bytes")), "{said:?}");
}

/// Each symbol is found in its section by a search: looking through all of them for each takes minutes here.
#[test]
fn many_symbols_in_many_sections_are_read() {
    const SECTIONS: u16 = 60_000;
    let number = std::cell::Cell::new(0);
    // Sections of 16 bytes behind each other, the first where the symbols are.
    let apart = |header: &mut [u32; 10], _: u32| {
        header[3] = 0x0900_0000 + 16 * number.replace(number.get() + 1);
        // No segment loads the start of the file.
        (header[support::OFFSET], header[support::SIZE]) = (0, 16);
    };
    let mut index = 0;
    let mut file = support::with_headers(SECTIONS, 300_000, &[], apart);
    // The symbols are labels without a size, 8 bytes apart.
    let symbol = [0x0800_0009u32.to_le_bytes(), 2u32.to_le_bytes()].concat();
    for at in (0..file.len() - 16).step_by(4) {
        if file[at + 4..at + 12] == symbol[..] && file[at + 12] == 2 {
            file[at + 4..at + 8].copy_from_slice(&(0x0900_0000u32 + 8 * index).to_le_bytes());
            file[at + 8..at + 12].copy_from_slice(&[0; 4]);
            file[at + 12] = 0;
            index += 1;
        }
    }
    assert_eq!(index, 300_000);
    let image = Image::parse(&file).expect("an image");
    let named = |address| image.function_at(Address::new(address)).map(|symbol| symbol.address.get());
    let last = 0x0900_0000 + 16 * u32::from(SECTIONS);
    assert_eq!((named(0x0900_000F), named(last - 1), named(last)), (Some(0x0900_0008), Some(last - 8), None));
}
