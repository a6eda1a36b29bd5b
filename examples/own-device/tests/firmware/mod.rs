//! A program in place of your ELF: it moves PB5, PB6 and PB7 by hand and exits with 0.

const FLASH: u32 = 0x0800_0000;
const LATCH: u32 = 1 << 5;
const CLOCK: u32 = 1 << 6;
const DATA: u32 = 1 << 7;

/// The ELF of a program that shifts each of `bytes` out, first bit first, and latches it.
pub fn shows(bytes: &[u8]) -> Vec<u8> {
    let low = |pins: u32| pins << 16;
    let mut levels = vec![low(LATCH | CLOCK | DATA)];
    for byte in bytes {
        for bit in (0..8).rev() {
            levels.extend([if byte >> bit & 1 == 1 { DATA } else { low(DATA) }, CLOCK, low(CLOCK)]);
        }
        levels.extend([LATCH, low(LATCH)]);
    }
    elf(&program(&levels))
}

/// Vectors and code for an STM32F103: each word of `levels` goes to GPIOB_BSRR.
fn program(levels: &[u32]) -> Vec<u8> {
    let table = FLASH + 17 * 4;
    let code: [u32; 17] = [
        0x2000_2000,
        FLASH + 9,
        // ldr r0, RCC_APB2ENR; movs r1, #0xC; str r1, [r0]; ldr r0, GPIOB
        0x210C_4808,
        0x4808_6001,
        // ldr r2, table; ldr r3, mode; ldr r1, [r2]; str r1, [r0, #16]; str r3, [r0]; ldr r3, end
        0x4B08_4A09,
        0x6101_6811,
        0x4B08_6003,
        // again: ldmia r2!, {r1}; str r1, [r0, #16]; cmp r2, r3; bne again
        0x6101_CA02,
        0xD1FB_429A,
        // movs r0, #0x18; ldr r1, the reason of a successful end; bkpt 0xAB
        0x4906_2018,
        0xBF00_BEAB,
        0x4002_1018,
        0x4001_0C00,
        // Pins 5 to 7 are outputs.
        0x2224_4444,
        table,
        table + 4 * levels.len() as u32,
        0x0002_0026,
    ];
    code.iter().chain(levels).flat_map(|word| word.to_le_bytes()).collect()
}

/// An ELF of one segment, at the start of flash.
fn elf(bytes: &[u8]) -> Vec<u8> {
    const HEADERS: u32 = 52 + 32;
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    // An executable (2) for Arm (40), version 1.
    file.extend([2, 0, 40, 0, 1, 0, 0, 0]);
    // Entry, program headers, no sections, flags.
    file.extend([FLASH + 9, 52, 0, 0x0500_0000].map(u32::to_le_bytes).concat());
    // Sizes and numbers of headers.
    file.extend([52u16, 32, 1, 40, 0, 0].map(u16::to_le_bytes).concat());
    let length = bytes.len() as u32;
    // A segment to load, readable and executable.
    file.extend([1, HEADERS, FLASH, FLASH, length, length, 5, 4].map(u32::to_le_bytes).concat());
    [file, bytes.to_vec()].concat()
}
