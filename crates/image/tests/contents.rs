//! Intel HEX, UF2 and binaries give the memory that they were made from, or an error.

use crate::support;

use cyclescope_image::{Architecture, Contents, Image, ImageError};
use cyclescope_machine::units::Address;
use ihex::Record;
use object::build::elf::Builder;
use proptest::prelude::*;

/// Returns the records of `runs` in their order, 16 bytes a record.
fn intel_hex(runs: &[(u32, Vec<u8>)]) -> String {
    let mut records = Vec::new();
    for (address, bytes) in runs {
        for (address, chunk) in (*address..).step_by(16).zip(bytes.chunks(16)) {
            // A record does not cross 64 KiB.
            let (head, tail) = chunk.split_at(chunk.len().min(0x1_0000 - (address as usize & 0xFFFF)));
            for (address, part) in [(address, head), (address.wrapping_add(head.len() as u32), tail)] {
                records.push(Record::ExtendedLinearAddress((address >> 16) as u16));
                records.push(Record::Data { offset: address as u16, value: part.to_vec() });
            }
        }
    }
    records.push(Record::StartLinearAddress(0x0800_0009));
    records.push(Record::EndOfFile);
    ihex::create_object_file_representation(&records).expect("the records are well formed")
}

/// Returns the blocks of `runs` in their order, 256 bytes a block.
fn uf2(runs: &[(u32, Vec<u8>)], flags: u32, family: u32) -> Vec<u8> {
    let chunks: Vec<(u32, &[u8])> =
        runs.iter().flat_map(|(address, bytes)| (*address..).step_by(256).zip(bytes.chunks(256))).collect();
    let mut file = Vec::new();
    for (number, (address, chunk)) in chunks.iter().enumerate() {
        let (number, count, length) = (number as u32, chunks.len() as u32, chunk.len() as u32);
        let words = [0x0A32_4655, 0x9E5D_5157, flags, *address, length, number, count, family];
        file.extend(words.iter().flat_map(|word: &u32| word.to_le_bytes()));
        file.extend_from_slice(chunk);
        file.resize(512 * (number as usize + 1) - 4, 0);
        file.extend(0x0AB1_6F30_u32.to_le_bytes());
    }
    file
}

fn read(file: &[u8]) -> Result<Image, ImageError> {
    let contents = Contents::read(file)?.expect("the first bytes tell the format");
    Ok(Image::of_contents(file, contents, Architecture::Arm))
}

fn segments(image: &Image) -> Vec<(u32, Vec<u8>)> {
    image.segments().map(|segment| (segment.address.get(), segment.bytes.to_vec())).collect()
}

/// Runs with gaps between them, by ascending address.
fn runs() -> impl Strategy<Value = Vec<(u32, Vec<u8>)>> {
    let gap_and_bytes = (1u32..0x2_0000, proptest::collection::vec(any::<u8>(), 1..700));
    proptest::collection::vec(gap_and_bytes, 1..6).prop_map(|parts| {
        let mut next = 0x0800_0000;
        let mut placed = Vec::new();
        for (gap, bytes) in parts {
            let address = next + gap;
            next = address + bytes.len() as u32;
            placed.push((address, bytes));
        }
        placed
    })
}

proptest! {
    #[test]
    fn memory_comes_back_whatever_the_order_of_the_file(
        (runs, shuffled) in runs().prop_flat_map(|runs| (Just(runs.clone()), Just(runs).prop_shuffle())),
    ) {
        let hex = read(intel_hex(&shuffled).as_bytes()).expect("the file is whole");
        prop_assert_eq!(segments(&hex), runs.clone());
        let blocks = read(&uf2(&shuffled, 0x2000, 7)).expect("the file is whole");
        prop_assert_eq!(segments(&blocks), runs);
        prop_assert_eq!(hex.loaded_sha256(), blocks.loaded_sha256());
    }

    #[test]
    fn a_file_that_is_cut_off_is_refused(runs in runs(), share in 0.0..1.0f64) {
        let (hex, blocks) = (intel_hex(&runs), uf2(&runs, 0, 0));
        let cut = |file: &[u8]| 4 + ((file.len() - 16) as f64 * share) as usize;
        prop_assert!(read(&hex.as_bytes()[..cut(hex.as_bytes())]).is_err());
        prop_assert!(read(&blocks[..cut(&blocks)]).is_err());
    }

    #[test]
    fn no_bytes_make_the_reader_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..1_200), kind in any::<bool>()) {
        let head: &[u8] = if kind { b":" } else { b"UF2\n" };
        bytes.splice(..0, head.iter().copied());
        let _ = Contents::read(&bytes);
    }
}

#[test]
fn a_defect_is_told_with_its_place() {
    let message = |file: &[u8]| read(file).expect_err("it is damaged").to_string();
    let hex = intel_hex(&[(0x0800_0000, vec![1; 40])]);
    let wrong = hex.replacen("01010101", "01010102", 1);
    assert!(
        message(wrong.as_bytes()).starts_with("line 2 of the Intel HEX file cannot be read: "),
        "{}",
        message(wrong.as_bytes())
    );
    let strange = hex.replacen(":10", ":\u{e9}", 1);
    assert!(message(strange.as_bytes()).contains("line 2 "), "{}", message(strange.as_bytes()));
    let behind = format!("{hex}{hex}");
    assert!(message(behind.as_bytes()).contains("follows the end-of-file record"));
    let twice = intel_hex(&[(0x0800_0000, vec![1; 40]), (0x0800_0020, vec![2; 4])]);
    assert!(message(twice.as_bytes()).contains("0x08000000 and 0x08000020"));

    let mut blocks = uf2(&[(0x0800_0000, vec![1; 600])], 0, 0);
    blocks[512 + 7] ^= 1;
    assert!(message(&blocks).starts_with("block 1 of the UF2 file cannot be read: its magic numbers"));
    let skipped = uf2(&[(0x0800_0000, vec![1; 600])], 1, 0);
    assert_eq!(read(&skipped).expect_err("nothing is for the flash"), ImageError::NoContents);
    let two: Vec<u8> =
        [1, 2].iter().flat_map(|family| uf2(&[(0x1000 * family, vec![1; 4])], 0x2000, *family)).collect();
    assert!(message(&two).contains("another family"));
}

#[test]
fn an_address_beyond_32_bits_is_refused() {
    let bytes = [0; 8];
    assert!(Contents::binary(&bytes, Address::new(0xFFFF_FFF8)).is_ok());
    let error = Contents::binary(&bytes, Address::new(0xFFFF_FFF9)).expect_err("the last byte has no address");
    assert!(matches!(error, ImageError::AddressOverflow { size: 8, .. }));
    assert_eq!(Contents::binary(&[], Address::new(0)), Err(ImageError::NoContents));
}

#[test]
fn a_file_beside_an_image_adds_memory_and_symbols_and_changes_its_digest() {
    let mut image = Image::parse(&support::tiny()).expect("it is whole");
    let alone = (image.file_sha256(), image.loaded_sha256(), image.segments().count());
    let binary = |address, byte| {
        let bytes = vec![byte; 16];
        let contents = Contents::binary(&bytes, Address::new(address)).expect("it has bytes");
        Image::of_contents(&bytes, contents, Architecture::Arm)
    };
    let error = image.add(&binary(0x0800_0008, 7)).expect_err("the image has code there");
    assert!(matches!(error, ImageError::Overlap { .. }), "{error}");
    assert_eq!(image.file_sha256(), alone.0, "nothing was added");

    image.add(&binary(0x0804_0000, 7)).expect("nothing is there");
    assert_eq!(image.segments().count(), alone.2 + 1);
    assert_eq!(image.loaded_word(Address::new(0x0804_0004)), Some(0x0707_0707));
    assert!(image.file_sha256() != alone.0 && image.loaded_sha256() != alone.1);
    assert_eq!(image.function_at(Address::new(0x0800_0008)).map(|symbol| symbol.display_name()), Some("scope::start"));

    // A second program has its own symbols.
    image.add(&Image::parse(&moved()).expect("it is whole")).expect("it fits beside the first");
    let found = image.function_at(Address::new(0x0808_0008)).map(|symbol| symbol.display_name());
    assert_eq!(found, Some("scope::start"));
    assert_eq!(image.function_at(Address::new(0x0800_0008)).map(|symbol| symbol.display_name()), found);
}

/// Returns [`support::tiny`] with all of its flash 512 KiB further up.
fn moved() -> Vec<u8> {
    let original = support::tiny();
    let mut builder = Builder::read32(original.as_slice()).expect("it is whole");
    let up = |address: &mut u64| *address += if (0x0800_0000..0x0900_0000).contains(address) { 0x8_0000 } else { 0 };
    builder.sections.iter_mut().for_each(|section| up(&mut section.sh_addr));
    builder.symbols.iter_mut().for_each(|symbol| up(&mut symbol.st_value));
    for segment in &mut builder.segments {
        up(&mut segment.p_vaddr);
        up(&mut segment.p_paddr);
    }
    let mut file = Vec::new();
    builder.write(&mut file).expect("nothing has changed its size");
    file
}
