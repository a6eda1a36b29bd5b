//! From chunks to an image: places, literals, offsets.

use super::chunk::{Chunk, Literal, Patch, Place};
use crate::map::{END, FIRST, IMAGE_BYTES, LIMIT, RAM_BASE};
use crate::random::Random;

/// An image and the addresses a run needs.
pub struct Image {
    /// [`IMAGE_BYTES`] bytes.
    pub bytes: Vec<u8>,
    /// The address of the first instruction.
    pub entry: u32,
    /// The address at which the stream ends.
    pub end: u32,
}

/// BKPT #0 where a stream ends.
const STOP: u16 = 0xBE00;
const NOP: u16 = 0xBF00;

/// Lays `chunks`, which run in this order, out in any order.
pub fn lay_out(chunks: &[Chunk], flash_base: u32, random: &mut Random) -> Image {
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
        let code = resolve(chunk, address(index), next);
        let start = offsets[index] + chunk.offset(0);
        put(&mut bytes, start, &code.iter().flat_map(|half| half.to_le_bytes()).collect::<Vec<_>>());
        for (place, literal) in (0..).zip(&chunk.literals) {
            let word = match *literal {
                Literal::Value(value) => value,
                Literal::Next(change) => next ^ change,
                Literal::NextLess(at, change) => next.wrapping_sub(pc_at(address(index), at)) ^ change,
            };
            put(&mut bytes, offsets[index] + chunk.pool() + 4 * place, &word.to_le_bytes());
        }
    }
    Image { bytes, entry: address(0), end }
}

fn put(bytes: &mut [u8], offset: u32, data: &[u8]) {
    bytes[offset as usize..][..data.len()].copy_from_slice(data);
}

/// What pc reads as in the instruction at `index` of code that begins at `start`.
const fn pc_at(start: u32, index: usize) -> u32 {
    start.wrapping_add(2 * index as u32 + 4)
}

/// The code of `chunk`, whose first instruction is at `start`, with all offsets filled in.
fn resolve(chunk: &Chunk, start: u32, next: u32) -> Vec<u16> {
    let mut code = chunk.code.clone();
    for &(at, literal) in &chunk.loads {
        let from = (chunk.offset(at) + 4) & !3;
        let distance = chunk.pool() + 4 * literal as u32 - from;
        assert!(distance < 1024, "a chunk is shorter than the reach of a literal load");
        code[at] |= (distance / 4) as u16;
    }
    for patch in &chunk.patches {
        match *patch {
            Patch::Branch(at) => {
                let offset = next.wrapping_sub(pc_at(start, at)) as i32;
                if (-2048..2048).contains(&offset) {
                    code[at] = 0xE000 | (offset >> 1 & 0x7FF) as u16;
                } else {
                    code[at..at + 2].copy_from_slice(&link(offset));
                }
            }
            Patch::Link(at) => {
                code[at..at + 2].copy_from_slice(&link(next.wrapping_sub(pc_at(start, at)) as i32));
            }
            Patch::Conditional(at) => {
                let offset = next.wrapping_sub(pc_at(start, at)) as i32;
                code[at] =
                    if (-256..256).contains(&offset) { code[at] & 0xFF00 | (offset >> 1 & 0xFF) as u16 } else { NOP };
            }
        }
    }
    code
}

/// BL by `offset` (DDI 0419E §A6.7).
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

    #[test]
    fn a_link_goes_as_far_as_it_was_told() {
        let mut random = Random::new(3);
        let far = [0, 2, -2, 4094, (1 << 24) - 2, -(1 << 24), 1 << 22, 1 << 23, -(1 << 22), -(1 << 23)];
        for offset in far.into_iter().chain((0..1000).map(|_| (random.bits() as i32) >> 7 & !1)) {
            let [first, second] = link(offset);
            let decoded = Architecture::Armv6M.instructions().decode(first, second);
            assert_eq!((decoded.op, decoded.imm as i32), (Op::Bl, offset));
        }
    }
}
