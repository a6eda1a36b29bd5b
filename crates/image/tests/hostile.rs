//! No input makes the reader panic, hang or keep much memory.

use crate::support;

use cyclescope_image::{CallFrames, Image, size};
use cyclescope_machine::units::Address;

/// A small generator with a fixed seed, so that failures are reproducible (SplitMix64, Steele et al., OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Calls every query of an image.
fn touch(bytes: &[u8]) -> bool {
    let Ok(image) = Image::parse(bytes) else { return false };
    let frames = CallFrames::of(&image);
    image.member_offset("task", "name");
    for value in [0, 8, 0x0800_0008, 0x0800_000C, 0x2000_0000, u32::MAX - 3, u32::MAX] {
        let address = Address::new(value);
        image.function_at(address);
        image.source_line(address);
        image.frames(address);
        image.loaded_word(address);
        frames.row(address);
    }
    let _ = image.symbol("scope::strat");
    let (owners, symbols) = (size::by_owner(&image), size::by_symbol(&image));
    size::difference(&owners, &symbols);
    size::by_section(&image);
    size::strings(&image);
    image.loaded_sha256();
    image.file_sha256();
    image.warnings();
    true
}

#[test]
fn mutated_images_are_refused_or_read() {
    let original = support::with_lines();
    assert!(touch(&original));
    let mut random = Random(1);
    let mut read = 0;
    for _ in 0..20_000 {
        let mut bytes = original.clone();
        for _ in 0..1 + random.below(8) {
            let at = random.below(bytes.len());
            bytes[at] = match random.below(4) {
                0 => 0,
                1 => 0xFF,
                2 => bytes[at] ^ (1 << random.below(8)),
                _ => random.next() as u8,
            };
        }
        read += usize::from(touch(&bytes));
    }
    assert!(read > 1_000, "only {read} mutants were still images: the test does not reach deep enough");
}

#[test]
fn header_words_take_extreme_values() {
    let original = support::with_lines();
    let tables = original.len() - (original.len() - 0x40) / 3;
    for at in (0..0x100).chain(tables..original.len() - 4) {
        for value in [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFC, 0x100_0000] {
            let mut bytes = original.clone();
            bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
            touch(&bytes);
        }
    }
}

#[test]
fn every_truncation_is_refused_or_read() {
    let original = support::with_lines();
    for length in 0..original.len() {
        touch(&original[..length]);
    }
}
