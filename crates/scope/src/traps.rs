//! Finds trap instructions in an image.

use cyclescope_image::{Architecture, Image};
use cyclescope_machine::units::Address;

/// Returns mask, value and length in bytes of the supervisor call: SVC (DDI 0403E §A7.7.178) or ECALL (the privileged
/// ISA manual, §3.3.1). Returns `None` for architectures without one.
pub(crate) fn instruction(architecture: Architecture) -> Option<(u32, u32, u8)> {
    match architecture {
        Architecture::Arm => Some((0xFF00, 0xDF00, 2)),
        // SYSCALL of Xtensa has three bytes, and no kernel here uses it.
        Architecture::Avr(_) | Architecture::Xtensa => None,
        _ => Some((u32::MAX, 0x0000_0073, 4)),
    }
}

/// Returns every address at which the bytes that the image loads match the trap instruction, in order: inside sections and
/// outside, since an application may stand in a segment of its own. Constants and the second half of a longer instruction
/// may match too: they are never executed, so a watch there never reports.
pub(crate) fn traps(image: &Image) -> Vec<Address> {
    let Some((mask, value, length)) = instruction(image.architecture()) else { return Vec::new() };
    let mut found = Vec::new();
    for segment in image.segments() {
        let bytes = segment.bytes;
        // Instructions stand at even addresses.
        let first = (segment.virtual_address.get() & 1) as usize;
        for offset in (first..bytes.len()).step_by(2) {
            let word = match bytes.get(offset..offset + usize::from(length)) {
                Some([a, b]) => u32::from(u16::from_le_bytes([*a, *b])),
                Some([a, b, c, d]) => u32::from_le_bytes([*a, *b, *c, *d]),
                _ => break,
            };
            if word & mask == value {
                found.push(Address::new(segment.virtual_address.get().wrapping_add(offset as u32)));
            }
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traps_are_found_without_sections() {
        let known = cyclescope_images::images().iter().find(|image| image.name == "syscall-kernel-deploy-value-s-ibex");
        let elf = known.expect("a bundled image").elf().expect("it unpacks");
        let found = traps(&Image::parse(&elf).expect("an image"));
        assert!(found.len() >= 3, "a call each of command, allow and subscribe: {found:?}");
        let mut stripped = elf;
        // e_shoff, e_shnum and e_shstrndx.
        stripped[0x20..0x24].fill(0);
        stripped[0x30..0x34].fill(0);
        let image = Image::parse(&stripped).expect("an image without sections");
        assert!(image.sections().is_empty());
        assert_eq!(traps(&image), found);
    }
}
