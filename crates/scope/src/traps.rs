//! Where an image may have instructions that trap on purpose.

use cyclescope_image::{Architecture, Image, SectionKind};
use cyclescope_units::Address;

/// Mask, value and length in bytes of the instruction that asks the system for a service: SVC (DDI 0403E §A7.7.178) or
/// ECALL (the privileged ISA manual, §3.3.1); none where there is no such instruction.
pub(crate) fn instruction(architecture: Architecture) -> Option<(u32, u32, u8)> {
    match architecture {
        Architecture::Arm => Some((0xFF00, 0xDF00, 2)),
        Architecture::Avr(_) => None,
        _ => Some((u32::MAX, 0x0000_0073, 4)),
    }
}

/// Every address whose bytes are those of a trap instruction, in order. Constants among the code, and the second half of a
/// longer instruction, may look like one: they are never executed, so that a watch there never reports.
pub(crate) fn traps(image: &Image) -> Vec<Address> {
    let Some((mask, value, length)) = instruction(image.architecture()) else { return Vec::new() };
    let mut found = Vec::new();
    let code = |kind| matches!(kind, SectionKind::Text | SectionKind::Data);
    for section in image.sections().iter().filter(|section| code(section.kind)) {
        let bytes = image.section_bytes(section);
        for offset in (0..bytes.len()).step_by(2) {
            let word = match bytes.get(offset..offset + usize::from(length)) {
                Some([a, b]) => u32::from(u16::from_le_bytes([*a, *b])),
                Some([a, b, c, d]) => u32::from_le_bytes([*a, *b, *c, *d]),
                _ => break,
            };
            if word & mask == value {
                found.push(Address::new(section.address.get() + offset as u32));
            }
        }
    }
    found.sort_unstable();
    found
}
