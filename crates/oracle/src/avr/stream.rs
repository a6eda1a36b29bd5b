//! Generates random programs of all encodings that stay inside memory and end.
//!
//! A program consists of chunks at shuffled places in flash; each ends with a jump, call or return to the next. A chunk
//! consists of items: an instruction with random fields, or one with the registers that it needs prepared. [`EXCUSED`]
//! and the comments of the steering functions name the exceptions.

use cyclescope_avr::decode::{self, Extensions, Op, ROWS, Row, X, Y, Z};

use super::state::{DATA_BYTES, FLASH_BYTES};
use crate::random::Random;

/// Rows that streams leave out, and the reasons.
pub const EXCUSED: &[(&str, &str)] = &[
    ("SPM", "what it does is the flash controller's, which is unhooked on both sides"),
    ("ELPM", "the ATmega328P has none"),
    ("ELPM Rd, Z", "the ATmega328P has none"),
    ("ELPM Rd, Z+", "the ATmega328P has none"),
    ("EIJMP", "the ATmega328P has none"),
    ("EICALL", "the ATmega328P has none"),
];

const CHUNKS: usize = 24;
const ITEMS: u32 = 40;
/// The end of every program, at an address without code.
const END: u32 = 2;
/// The bytes of flash for each chunk.
const CHUNK_BYTES: u32 = (FLASH_BYTES as u32 - 64) / (2 * CHUNKS as u32) * 2;

/// The most interrupt requests in a batch.
pub const MOST_RAISES: usize = 64;
/// The last vector that batches use; code begins behind it.
const LAST_VECTOR: u8 = 15;
const RETI: u16 = 0x9518;

/// A program and its initial state.
#[derive(Clone, Debug)]
pub struct Batch {
    /// All of flash.
    pub flash: Vec<u8>,
    /// The data space: registers, I/O with SP, SRAM.
    pub data: Vec<u8>,
    /// SREG.
    pub sreg: u8,
    /// The start address.
    pub pc: u32,
    /// The end address.
    pub end: u32,
    /// Interrupt requests: cycle and vector, by time, at most [`MOST_RAISES`].
    pub raises: Vec<(u32, u8)>,
}

/// Generates the batches of a seed.
#[derive(Clone, Debug)]
pub struct Generator(Random);

impl Generator {
    /// Returns the generator for `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// Returns the next batch.
    pub fn batch(&mut self) -> Batch {
        let random = &mut self.0;
        let mut flash = vec![0xFF; FLASH_BYTES];
        let mut places: Vec<u32> = (0..CHUNKS as u32).map(|chunk| 64 + chunk * CHUNK_BYTES).collect();
        for at in (1..places.len()).rev() {
            places.swap(at, random.below(at as u32 + 1) as usize);
        }
        // Some room before it gives jumps to it different lengths.
        let starts: Vec<u32> = places.iter().map(|place| place + 2 * random.below(100)).collect();
        for (index, start) in starts.iter().enumerate() {
            let next = starts.get(index + 1).copied().unwrap_or(END);
            let words = chunk(random, *start, next);
            assert!(2 * words.len() as u32 + start <= places[index] + CHUNK_BYTES, "chunks keep to their places");
            put(&mut flash, *start as usize, &words);
        }
        for vector in 1..=LAST_VECTOR {
            put(&mut flash, 4 * usize::from(vector), &handler(random));
        }
        let mut data: Vec<u8> = (0..DATA_BYTES).map(|_| random.operand() as u8).collect();
        [data[0x5D], data[0x5E]] = stack(random).to_le_bytes();
        let sreg = random.bits() as u8;
        data[0x5F] = sreg;
        let raises = raises(random);
        Batch { flash, data, sreg, pc: starts[0], end: END, raises }
    }
}

fn put(flash: &mut [u8], at: usize, words: &[u16]) {
    for (place, word) in flash[at..].as_chunks_mut::<2>().0.iter_mut().zip(words) {
        *place = word.to_le_bytes();
    }
}

/// Returns a handler: one instruction that preserves the registers used for steering, and a return. Some enable
/// interrupts.
fn handler(random: &mut Random) -> [u16; 2] {
    let register = (random.below(16) as u16) << 4;
    let word = match random.below(4) {
        // SEI, COM, INC.
        0 => 0x9478,
        1 => 0x9400 | register,
        _ => 0x9403 | register,
    };
    [word, RETI]
}

fn raises(random: &mut Random) -> Vec<(u32, u8)> {
    let mut at = 0;
    let count = random.below(MOST_RAISES as u32 + 1);
    let raise = |_| {
        // Some requests come together.
        at += if random.one_in(3) { random.below(4) } else { random.below(120) };
        (at, 1 + random.below(u32::from(LAST_VECTOR)) as u8)
    };
    (0..count).map(raise).collect()
}

/// Returns a batch with only `words` at its start, then a jump to its end; vector 1 returns. Registers, SREG and SRAM
/// are zero.
pub fn probe(words: &[u16]) -> Batch {
    let mut flash = vec![0xFF; FLASH_BYTES];
    put(&mut flash, 64, &[words, &jmp(END)].concat());
    put(&mut flash, 4, &[RETI]);
    let mut data = vec![0; DATA_BYTES];
    [data[0x5D], data[0x5E]] = 0x8FFu16.to_le_bytes();
    Batch { flash, data, sreg: 0, pc: 64, end: END, raises: Vec::new() }
}

/// Returns a batch with a flat image of flash from its reset vector on and zeros elsewhere. It has no end.
pub fn image(binary: &[u8]) -> Batch {
    let mut flash = binary.to_vec();
    flash.resize(FLASH_BYTES, 0xFF);
    Batch { flash, pc: 0, end: u32::MAX, ..probe(&[]) }
}

/// Returns a stack pointer with room for a chunk's pushes and pops on either side.
fn stack(random: &mut Random) -> u16 {
    0x200 + random.below(0x600) as u16
}

fn ldi(register: u8, value: u8) -> u16 {
    let (register, value) = (u16::from(register), u16::from(value));
    0xE000 | (value & 0xF0) << 4 | (register - 16) << 4 | value & 15
}

fn load_pair(low: u8, value: u16) -> [u16; 2] {
    let [below, above] = value.to_le_bytes();
    [ldi(low, below), ldi(low + 1, above)]
}

fn jmp(target: u32) -> [u16; 2] {
    [0x940C, (target >> 1) as u16]
}

fn chunk(random: &mut Random, start: u32, next: u32) -> Vec<u16> {
    let [low, high] = stack(random).to_le_bytes();
    // OUT SPL, r16; OUT SPH, r17, in either order.
    let mut words = match random.below(3) {
        0 => vec![ldi(16, low), 0xBF0D, ldi(17, high), 0xBF1E],
        1 => vec![ldi(17, high), 0xBF1E, ldi(16, low), 0xBF0D],
        _ => vec![ldi(16, low), ldi(17, high), 0x9300, 0x5D, 0x9310, 0x5E],
    };
    let mut items: Vec<Vec<u16>> = Vec::new();
    for _ in 0..ITEMS {
        if random.one_in(6) {
            // A branch over some of the next instructions.
            items.push(vec![0xF000 | (random.below(2) as u16) << 10 | random.below(8) as u16]);
        }
        items.push(item(random));
    }
    for index in 0..items.len() {
        let over: usize = items[index + 1..].iter().take(random.below(4) as usize).map(Vec::len).sum();
        if let [word] = items[index][..]
            && matches!(decode::decode(word, 0, Extensions::NONE).op, Op::Brbs | Op::Brbc)
        {
            items[index] = vec![word | (over as u16 & 0x3F) << 3];
        }
    }
    words.extend(items.concat());
    if next == END {
        // CLI: the result would depend on an interrupt before or after the end.
        words.push(0x94F8);
    }
    words.extend(leave(random, start + 2 * words.len() as u32, next));
    words
}

/// Returns the code that goes from `here` to the chunk at `next`.
fn leave(random: &mut Random, here: u32, next: u32) -> Vec<u16> {
    let word = (next >> 1) as u16;
    let z = load_pair(Z, word);
    let pushed = |ret: u16| {
        let [low, high] = word.to_le_bytes();
        vec![ldi(20, low), 0x934F, ldi(21, high), 0x935F, ret]
    };
    // Jumps wrap around at the end of flash: 14 bits.
    let relative = word.wrapping_sub((here >> 1) as u16 + 1) << 2;
    let near = (relative as i16 >> 2) + 2048;
    let reach = (0..4096).contains(&near);
    match random.below(9) {
        0 | 1 if reach => vec![0xC000 | (near - 2048) as u16 & 0xFFF],
        2 if reach => vec![0xD000 | (near - 2048) as u16 & 0xFFF],
        3 => vec![z[0], z[1], 0x9409],
        4 => vec![z[0], z[1], 0x9509],
        5 => vec![0x940E, word],
        6 => pushed(0x9508),
        7 => pushed(0x9518),
        _ => jmp(next).to_vec(),
    }
}

/// Returns an instruction that may stand anywhere, with its preparation.
fn item(random: &mut Random) -> Vec<u16> {
    loop {
        let row = &ROWS[random.below(ROWS.len() as u32) as usize];
        let word = row.value | random.bits() as u16 & !row.mask;
        let i = decode::decode(word, 0, Extensions::ALL);
        return match i.op {
            // Counted loops around one instruction.
            Op::Brbc => counted(random),
            Op::Cpse | Op::Sbrc | Op::Sbrs | Op::Sbic | Op::Sbis => {
                [vec![word], single(random, |word, _| !taken_for_long(word))].concat()
            }
            Op::LdX | Op::LdXInc | Op::LdXDec => steered(random, word, X, moved(i.op), true),
            Op::LdYInc | Op::LdYDec => steered(random, word, Y, moved(i.op), true),
            Op::LdZInc | Op::LdZDec => steered(random, word, Z, moved(i.op), true),
            Op::LddY => steered(random, word, Y, i.imm as u16, true),
            Op::LddZ => steered(random, word, Z, i.imm as u16, true),
            Op::StX | Op::StXInc | Op::StXDec => steered(random, word, X, moved(i.op), false),
            Op::StYInc | Op::StYDec => steered(random, word, Y, moved(i.op), false),
            Op::StZInc | Op::StZDec => steered(random, word, Z, moved(i.op), false),
            Op::StdY => steered(random, word, Y, i.imm as u16, false),
            Op::StdZ => steered(random, word, Z, i.imm as u16, false),
            // It is undefined, and simavr's choice differs from that for loads (see the known defects).
            Op::LpmInc if i.undefined_combination().is_some() => continue,
            Op::LpmR0 | Op::Lpm | Op::LpmInc => {
                let z = load_pair(Z, random.below(FLASH_BYTES as u32) as u16);
                vec![z[0], z[1], word]
            }
            _ => match alone(random, row, word) {
                Some(words) => words,
                None => continue,
            },
        };
    }
}

/// Returns the offset by which a pointer moves before the access.
fn moved(op: Op) -> u16 {
    // The address is the pointer plus this.
    if matches!(op, Op::LdXDec | Op::LdYDec | Op::LdZDec | Op::StXDec | Op::StYDec | Op::StZDec) { u16::MAX } else { 0 }
}

/// Returns `word` with the pair `pointer` set so that it accesses the data space.
fn steered(random: &mut Random, word: u16, pointer: u8, offset: u16, load: bool) -> Vec<u16> {
    let mut target = data_address(random, load);
    while (26..32).contains(&target) {
        // For a pointer that moves and is stored through itself, the order is not specified.
        target = data_address(random, load);
    }
    let pair = load_pair(pointer, target.wrapping_sub(offset));
    vec![pair[0], pair[1], word]
}

/// Returns an address of the data space; stores do not use the stack pointer's.
fn data_address(random: &mut Random, load: bool) -> u16 {
    loop {
        let address = match random.below(4) {
            0 => random.below(32),
            1 => 32 + random.below(224),
            _ => 256 + random.below(DATA_BYTES as u32 - 256),
        } as u16;
        if load || !(0x5D..=0x5E).contains(&address) {
            return address;
        }
    }
}

/// Returns `word` if it may stand anywhere without preparation.
fn alone(random: &mut Random, row: &Row, word: u16) -> Option<Vec<u16>> {
    let i = decode::decode(word, 0, Extensions::NONE);
    match i.op {
        Op::Lds => Some(vec![word, data_address(random, true)]),
        Op::Sts => Some(vec![word, data_address(random, false)]),
        // The stack pointer is set at the start of a chunk.
        Op::Out if matches!(i.imm, 0x3D | 0x3E) => None,
        Op::Spm | Op::Reserved => None,
        _ if i.ends_block() && !matches!(i.op, Op::Bset | Op::Sleep | Op::Break) => None,
        _ if matches!(row.name.get(..2), Some("LD" | "ST")) && i.op != Op::Ldi => None,
        Op::LpmR0 | Op::Lpm | Op::LpmInc => None,
        _ => Some(vec![word]),
    }
}

/// Returns one instruction without preparation that `suits` accepts.
fn single(random: &mut Random, suits: impl Fn(u16, Op) -> bool) -> Vec<u16> {
    loop {
        let row = &ROWS[random.below(ROWS.len() as u32) as usize];
        let word = row.value | random.bits() as u16 & !row.mask;
        let op = decode::decode(word, 0, Extensions::ALL).op;
        if suits(word, op)
            && let Some(words) = alone(random, row, word)
        {
            return words;
        }
    }
}

/// Tells if simavr skips two words for this one (see the known defects): it takes some ADIW and SBIW for jumps.
fn taken_for_long(word: u16) -> bool {
    word & 0xFE0C == 0x960C
}

/// Returns a loop of a few iterations around one instruction that does not write its counter.
fn counted(random: &mut Random) -> Vec<u16> {
    let counter = 16 + random.below(8) as u8;
    let body = loop {
        let plain = |_: u16, op: Op| {
            matches!(
                op,
                Op::Add | Op::Adc | Op::Sbc | Op::Eor | Op::Ror | Op::Lsr | Op::Inc | Op::Cpc | Op::Mov | Op::Mul
            )
        };
        let words = single(random, plain);
        if decode::decode(words[0], 0, Extensions::NONE).rd != counter {
            break words[0];
        }
    };
    vec![ldi(counter, 1 + random.below(12) as u8), body, 0x940A | u16::from(counter) << 4, 0xF400 | (0x7D << 3) | 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_batches() {
        let [mut first, mut second] = [Generator::new(7), Generator::new(7)];
        for _ in 0..3 {
            let (one, other) = (first.batch(), second.batch());
            assert_eq!((one.flash, one.data, one.sreg, one.pc), (other.flash, other.data, other.sreg, other.pc));
            assert_eq!(one.raises, other.raises);
        }
    }
}
