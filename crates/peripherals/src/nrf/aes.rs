//! Encryption of one block by AES with a key of 128 bits (FIPS 197).

/// The product of `a` and x in the field of AES (FIPS 197, 4.2).
const fn doubled(a: u8) -> u8 {
    a << 1 ^ if a & 0x80 != 0 { 0x1B } else { 0 }
}

/// SBOX of FIPS 197, 5.1.1: the inverse in the field, then an affine transformation. Powers of a generator and of its inverse run
/// against each other.
const SBOX: [u8; 256] = {
    let mut table = [0; 256];
    let (mut power, mut inverse) = (1u8, 1u8);
    loop {
        power ^= doubled(power);
        inverse ^= inverse << 1;
        inverse ^= inverse << 2;
        inverse ^= inverse << 4;
        if inverse & 0x80 != 0 {
            inverse ^= 0x09;
        }
        let spread = inverse.rotate_left(1) ^ inverse.rotate_left(2) ^ inverse.rotate_left(3) ^ inverse.rotate_left(4);
        table[power as usize] = inverse ^ spread ^ 0x63;
        if power == 1 {
            break;
        }
    }
    table[0] = 0x63;
    table
};

fn substituted(byte: u8) -> u8 {
    SBOX[usize::from(byte)]
}

/// The key of the next round (FIPS 197, 5.2).
fn expand(key: &mut [u8; 16], constant: u8) {
    for (index, from) in [13, 14, 15, 12].into_iter().enumerate() {
        key[index] ^= substituted(key[from]);
    }
    key[0] ^= constant;
    for index in 4..16 {
        key[index] ^= key[index - 4];
    }
}

/// Mixes the four bytes of a column (FIPS 197, 5.1.3).
fn mix(column: &mut [u8]) {
    let (all, first) = (column.iter().fold(0, |sum, byte| sum ^ byte), column[0]);
    for index in 0..4 {
        let next = if index == 3 { first } else { column[index + 1] };
        column[index] ^= all ^ doubled(column[index] ^ next);
    }
}

/// Encrypts `block` with `key`.
pub(super) fn encrypt(mut key: [u8; 16], block: [u8; 16]) -> [u8; 16] {
    let add = |state: &mut [u8; 16], key: &[u8; 16]| state.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
    let (mut state, mut constant) = (block, 1);
    add(&mut state, &key);
    for round in 1..=10 {
        // Row n moves n columns to the left.
        state = std::array::from_fn(|index| substituted(state[index * 5 % 16]));
        if round < 10 {
            state.chunks_exact_mut(4).for_each(mix);
        }
        expand(&mut key, constant);
        constant = doubled(constant);
        add(&mut state, &key);
    }
    state
}

#[cfg(test)]
mod tests {
    use super::encrypt;

    fn bytes(text: u128) -> [u8; 16] {
        text.to_be_bytes()
    }

    #[test]
    fn examples_of_the_standard() {
        // FIPS 197, appendices B and C.1; SP 800-38A, F.1.1.
        for (key, plain, cipher) in [
            (
                0x2b7e151628aed2a6abf7158809cf4f3c,
                0x3243f6a8885a308d313198a2e0370734,
                0x3925841d02dc09fbdc118597196a0b32,
            ),
            (
                0x000102030405060708090a0b0c0d0e0f,
                0x00112233445566778899aabbccddeeff,
                0x69c4e0d86a7b0430d8cdb78070b4c55a,
            ),
            (
                0x2b7e151628aed2a6abf7158809cf4f3c,
                0x6bc1bee22e409f96e93d7e117393172a,
                0x3ad77bb40d7a3660a89ecaf32466ef97,
            ),
        ] {
            assert_eq!(encrypt(bytes(key), bytes(plain)), bytes(cipher));
        }
    }
}
