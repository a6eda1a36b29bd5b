//! Mutations of seeds.

use fastrand::Rng;

/// Numbers at which arithmetic goes wrong.
const EXTREMES: [u32; 10] = [0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFC, 0xFFFF_FFFF];

/// The longest input that mutations make of shorter ones.
const LONGEST: usize = 1 << 18;

/// Returns input number `number` of `seed`: the seeds themselves first, then mutations of them.
pub fn input(corpus: &[Vec<u8>], words: &[&str], seed: u64, number: u64) -> Vec<u8> {
    if let Some(whole) = corpus.get(number as usize) {
        return whole.clone();
    }
    let mut random = Rng::with_seed(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number);
    let mut bytes = random.choice(corpus).cloned().unwrap_or_default();
    // Most mutants stay close to the seed, so that readers get far into them.
    for _ in 0..1 << random.u32(0..5) {
        mutate(&mut bytes, corpus, words, &mut random);
    }
    bytes.truncate(LONGEST.max(corpus.iter().map(Vec::len).max().unwrap_or(0)));
    bytes
}

fn mutate(bytes: &mut Vec<u8>, corpus: &[Vec<u8>], words: &[&str], random: &mut Rng) {
    let anywhere = random.usize(0..=bytes.len());
    let at = in_table(bytes, random).filter(|_| random.bool()).unwrap_or(anywhere);
    let most = 1 << random.u32(0..10);
    let length = random.usize(0..=(bytes.len() - at).min(most));
    match random.u32(0..10) {
        0..=2 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.u32(0..8);
            }
        }
        3 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = random.u8(..);
            }
        }
        4 => {
            let number = random.choice(EXTREMES).unwrap_or(0).to_le_bytes();
            let width = [1, 2, 4][random.usize(0..3)];
            if let Some(place) = bytes.get_mut(at..at + width) {
                place.copy_from_slice(&number[..width]);
            }
        }
        5 => {
            bytes.drain(at..at + length);
        }
        6 => {
            let part = bytes[at..at + length].to_vec();
            let times = 1 << random.u32(0..6);
            if bytes.len() + part.len() * times <= LONGEST {
                bytes.splice(at..at, part.repeat(times));
            }
        }
        7 => {
            let to = random.usize(0..=bytes.len() - length);
            bytes.copy_within(at..at + length, to);
        }
        8 => {
            let word = random.choice(words).copied().unwrap_or_default();
            bytes.splice(at..at, word.bytes());
        }
        _ => {
            let other = random.choice(corpus).map(Vec::as_slice).unwrap_or_default();
            let from = random.usize(0..=other.len());
            let part = &other[from..(from + random.usize(0..256)).min(other.len())];
            bytes.splice(at..at, part.iter().copied());
        }
    }
}

/// Returns a word of an ELF's header or of a table that it points to: there a bit says more than in code.
fn in_table(bytes: &[u8], random: &mut Rng) -> Option<usize> {
    bytes.starts_with(b"\x7FELF").then_some(())?;
    let table = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    // Offsets of the program headers and of the section headers (System V ABI, figure 4-3).
    let start = [0, table(28)?, table(32)?][random.usize(0..3)];
    let word = start.checked_add(4 * random.usize(0..100))?;
    (word < bytes.len()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_always_the_same() {
        let corpus = [b"a first seed".to_vec(), vec![0; 100]];
        assert_eq!(input(&corpus, &["word"], 7, 1), corpus[1]);
        for number in 0..200 {
            assert_eq!(input(&corpus, &["word"], 7, number), input(&corpus, &["word"], 7, number));
        }
        assert!((2..200).any(|number| input(&corpus, &[], 7, number) != input(&corpus, &[], 8, number)));
    }
}
