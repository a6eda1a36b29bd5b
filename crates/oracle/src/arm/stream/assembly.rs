//! Assembles chunks to an image and resolves literals and offsets.

use super::chunk::{Chunk, Literal, Patch, Place, Spot};
use crate::arm::map::{END, FIRST, IMAGE_BYTES, LIMIT, RAM_BASE};
use crate::random::Random;

/// An image and the addresses for its run.
pub struct Image {
    /// [`IMAGE_BYTES`] bytes.
    pub bytes: Vec<u8>,
    /// The address of the first instruction.
    pub entry: u32,
    /// The address at which the stream ends.
    pub end: u32,
}

/// BKPT #0, the end of a stream.
const STOP: u16 = 0xBE00;
const NOP: u16 = 0xBF00;

/// Assembles `chunks`, which run in this order, to an image in random order.
pub fn assemble(chunks: &[Chunk], flash_base: u32, random: &mut Random) -> Image {
    let mut order: Vec<usize> = (0..chunks.len()).collect();
    for index in (1..order.len()).rev() {
        order.swap(index, random.below(index as u32 + 1) as usize);
    }
    let mut offsets = vec![0; chunks.len()];
    let mut next = FIRST;
    for index in order {
        offsets[index] = next;
        next += chunks[index].bytes();
    }
    assert!(next <= LIMIT, "chunks are only drawn while there is room");

    let address = |index: usize| {
        let Place { region, shifted } = chunks[index].place;
        region.base(flash_base) + offsets[index] + 2 * u32::from(shifted)
    };
    let end = chunks.last().map_or(0, |chunk| chunk.place.region.base(flash_base)) + END;
    let mut bytes: Vec<u8> = (0..IMAGE_BYTES / 8).flat_map(|_| random.word().to_le_bytes()).collect();
    put(&mut bytes, 0, &(RAM_BASE + 0x100).to_le_bytes());
    put(&mut bytes, 4, &(address(0) | 1).to_le_bytes());
    put(&mut bytes, END, &STOP.to_le_bytes());
    for (index, chunk) in chunks.iter().enumerate() {
        let next = if index + 1 < chunks.len() { address(index + 1) } else { end };
        let start = offsets[index] + chunk.offset(0);
        let code = resolve(chunk, address(index), start, next);
        put(&mut bytes, start, &code.iter().flat_map(|half| half.to_le_bytes()).collect::<Vec<_>>());
        for (place, literal) in (0..).zip(&chunk.literals) {
            let word = match *literal {
                Literal::Value(value) => value,
                Literal::Next(change) => next ^ change,
                Literal::NextLess(label, change) => {
                    next.wrapping_sub(pc_at(address(index), chunk.index_of(label))) ^ change
                }
                Literal::Here { spot, less, share } => {
                    let start = address(index) - chunk.offset(0);
                    let whole = match spot {
                        Spot::Pool(word) => start + chunk.pool() + 4 * word as u32,
                        Spot::Code(label) => start + chunk.offset(chunk.index_of(label)),
                    };
                    divided(whole.wrapping_sub(less), share)
                }
            };
            put(&mut bytes, offsets[index] + chunk.pool() + 4 * place, &word.to_le_bytes());
        }
    }
    Image { bytes, entry: address(0), end }
}

fn put(bytes: &mut [u8], offset: u32, data: &[u8]) {
    bytes[offset as usize..][..data.len()].copy_from_slice(data);
}

/// Returns the value of pc in the instruction at `index` of code that begins at `start`.
const fn pc_at(start: u32, index: usize) -> u32 {
    start.wrapping_add(2 * index as u32 + 4)
}

/// Returns the word whose product with `share` is `whole`, in 32 bits. `share` is odd, or 2 for an even `whole`.
pub fn divided(whole: u32, share: u32) -> u32 {
    if share == 2 {
        return whole / 2;
    }
    // Newton's iteration doubles the number of correct bits; an odd number is its own inverse in the lowest three.
    let inverse = (0..4).fold(share, |inverse, _| inverse.wrapping_mul(2u32.wrapping_sub(share.wrapping_mul(inverse))));
    whole.wrapping_mul(inverse)
}

/// Returns the code of `chunk` with all offsets filled in. Its first instruction is at the address `start` and at the
/// offset `at_offset` in the image.
fn resolve(chunk: &Chunk, start: u32, at_offset: u32, next: u32) -> Vec<u16> {
    let mut code = chunk.code.clone();
    for &(at, literal) in &chunk.loads {
        let from = (chunk.offset(at) + 4) & !3;
        let distance = chunk.pool() + 4 * literal as u32 - from;
        assert!(distance < 1024, "a chunk is shorter than the reach of a literal load");
        code[at] |= (distance / 4) as u16;
    }
    let to_next = |at: usize| next.wrapping_sub(pc_at(start, at)) as i32;
    for patch in &chunk.patches {
        match *patch {
            Patch::Branch(at) => {
                let offset = to_next(at);
                if (-2048..2048).contains(&offset) {
                    code[at] = 0xE000 | (offset >> 1 & 0x7FF) as u16;
                } else {
                    code[at..at + 2].copy_from_slice(&link(offset));
                }
            }
            Patch::Link(at) => code[at..at + 2].copy_from_slice(&link(to_next(at))),
            Patch::Conditional(at) => {
                let offset = to_next(at);
                code[at] =
                    if (-256..256).contains(&offset) { code[at] & 0xFF00 | (offset >> 1 & 0xFF) as u16 } else { NOP };
            }
            Patch::Wide(at) => {
                let [first, second] = link(to_next(at));
                code[at..at + 2].copy_from_slice(&[first, second & !0x4000]);
            }
            Patch::WideConditional(at) => {
                let halves = conditional(code[at], to_next(at));
                code[at..at + 2].copy_from_slice(&halves);
            }
            Patch::Literal12(at, bytes) => literal(&mut code[at..at + 2], at_offset + 2 * at as u32, bytes, (0xFFF, 1)),
            Patch::Literal8(at, bytes) => literal(&mut code[at..at + 2], at_offset + 2 * at as u32, bytes, (0xFF, 4)),
            Patch::Pool(at, word) => {
                let from = (chunk.offset(at) + 4) & !3;
                let distance = chunk.pool() + 4 * word as u32 - from;
                code[at] |= 0x80;
                code[at + 1] = code[at + 1] & 0xF000 | distance as u16;
            }
        }
    }
    code
}

/// Changes the literal load `code` of `bytes` bytes, at the offset `at` in the image, so that it stays in the image. Its
/// offset has the bits `mask` in units of `step` bytes.
fn literal(code: &mut [u16], at: u32, bytes: u32, (mask, step): (u16, u32)) {
    let distance = step * u32::from(code[1] & mask);
    let (up, distance) = within(code[0] & 0x80 != 0, distance, (at + 4) & !3, bytes, step);
    code[0] = code[0] & !0x80 | u16::from(up) << 7;
    code[1] = code[1] & !mask | (distance / step) as u16;
}

/// Returns the direction and distance of a literal of `bytes` bytes at `distance` above or below `from`. Literals
/// outside the image are moved into it.
fn within(up: bool, distance: u32, from: u32, bytes: u32, step: u32) -> (bool, u32) {
    let room = |up: bool| if up { IMAGE_BYTES - bytes - from } else { from };
    if distance <= room(up) {
        (up, distance)
    } else if distance <= room(!up) {
        (!up, distance)
    } else {
        (up, distance % (room(up) + 1) / step * step)
    }
}

/// Encodes B T3 by `offset` with the condition in `first` (DDI 0403E §A7.7.12).
fn conditional(first: u16, offset: i32) -> [u16; 2] {
    assert!((-(1 << 20)..1 << 20).contains(&offset), "it is only drawn within one copy of the image");
    let bit = |at: u32| (offset >> at & 1) as u16;
    [
        first & 0xFBC0 | bit(20) << 10 | (offset >> 12 & 0x3F) as u16,
        0x8000 | bit(18) << 13 | bit(19) << 11 | (offset >> 1 & 0x7FF) as u16,
    ]
}

/// Encodes BL by `offset` (DDI 0419E §A6.7).
fn link(offset: i32) -> [u16; 2] {
    assert!((-(1 << 24)..1 << 24).contains(&offset), "BL is only drawn where it reaches");
    let bit = |at: u32| (offset >> at & 1) as u16;
    let sign = bit(24);
    let (j1, j2) = ((!bit(23) ^ sign) & 1, (!bit(22) ^ sign) & 1);
    [0xF000 | sign << 10 | (offset >> 12 & 0x3FF) as u16, 0xD000 | j1 << 13 | j2 << 11 | (offset >> 1 & 0x7FF) as u16]
}

#[cfg(test)]
mod tests {
    use cyclescope_cortex_m::decode::{Architecture, Op};

    use super::*;

    fn offsets(reach: u32) -> impl Iterator<Item = i32> {
        let mut random = Random::new(3);
        let edges = [0, 2, -2, 4094, (1 << reach) - 2, -(1 << reach), 1 << (reach - 2), 1 << (reach - 1)];
        let random = (0..1000).map(move |_| (random.bits() as i32) >> (31 - reach) & !1);
        edges
            .into_iter()
            .chain(edges.map(|edge| -edge).into_iter().filter(move |edge| *edge < 1 << reach))
            .chain(random)
    }

    #[test]
    fn a_link_goes_as_far_as_it_was_told() {
        for offset in offsets(24) {
            let [first, second] = link(offset);
            let decoded = Architecture::Armv6M.instructions().decode(first, second);
            assert_eq!((decoded.op, decoded.imm as i32), (Op::Bl, offset));
            let decoded = Architecture::Armv7M.instructions().decode(first, second & !0x4000);
            assert_eq!((decoded.op, decoded.imm as i32), (Op::B, offset));
        }
    }

    #[test]
    fn a_conditional_branch_goes_as_far_as_it_was_told() {
        for offset in offsets(20) {
            let [first, second] = conditional(0xF000 | 0xB << 6, offset);
            let decoded = Architecture::Armv7M.instructions().decode(first, second);
            assert_eq!((decoded.op, decoded.imm as i32), (Op::Blt, offset));
        }
    }

    #[test]
    fn a_share_times_its_divisor_is_the_whole() {
        for whole in [0u32, 2, 0x2000_0000, 0xFFFF_FFFE, 0x00A5_5012] {
            for share in [1, 2, 3, 5, 9] {
                assert_eq!(divided(whole, share).wrapping_mul(share), whole, "{share}");
            }
        }
    }

    #[test]
    fn literals_stay_in_the_image() {
        for from in (0..IMAGE_BYTES - 8).step_by(4) {
            for distance in [0, 1, 1000, 2044, 4095] {
                for up in [false, true] {
                    let (up, distance) = within(up, distance, from, 4, 1);
                    let address = if up { from + distance } else { from.wrapping_sub(distance) };
                    assert!(address <= IMAGE_BYTES - 4);
                }
            }
        }
    }
}
