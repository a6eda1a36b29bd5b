//! Finds trap instructions in an image.

use cyclescope_image::{Architecture, Image, SectionKind};
use cyclescope_machine::units::Address;

/// Returns mask, value and length in bytes of the supervisor call: SVC (DDI 0403E §A7.7.178) or ECALL (the privileged
/// ISA manual, §3.3.1). Returns `None` for architectures without one.
pub(crate) fn instruction(architecture: Architecture) -> Option<(u32, u32, u8)> {
    match architecture {
        Architecture::Arm => Some((0xFF00, 0xDF00, 2)),
        Architecture::Avr(_) => None,
        _ => Some((u32::MAX, 0x0000_0073, 4)),
    }
}

/// Returns every address whose bytes match the trap instruction, in order. Constants and the second half of a longer
/// instruction may match too: they are never executed, so a watch there never reports.
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
