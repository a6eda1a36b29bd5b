//! A program for the stm32f103c8 that writes words to GPIOB_BSRR, one after the other, and exits with 0.
#![allow(dead_code, reason = "each test file is a program of its own")]

use crate::elf;

const SCL: u32 = 1 << 6;
const SDA: u32 = 1 << 7;
const FLASH: u32 = 0x0800_0000;

/// The program that writes `levels`; its pins 6 and 7 are open-drain outputs.
pub fn program(levels: &[u32]) -> Vec<u8> {
    const LENGTH: u32 = 17;
    let table = FLASH + 4 * LENGTH;
    let end = table + 4 * levels.len() as u32;
    let code: [u32; LENGTH as usize] = [
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
        0x6644_4444,
        table,
        end,
        0x0002_0026,
    ];
    elf::arm(FLASH, &[&code[..], levels].concat(), &[("main", 8, 36)])
}

/// The words of a write of `bytes` over PB6 (SCL) and PB7 (SDA), the first of which is the address.
pub fn i2c(bytes: &[u8]) -> Vec<u32> {
    let high = |lines: u32| lines;
    let low = |lines: u32| lines << 16;
    let mut levels = vec![high(SCL | SDA), low(SDA), low(SCL)];
    for byte in bytes {
        for bit in (0..8).rev() {
            levels.extend([if byte >> bit & 1 == 1 { high(SDA) } else { low(SDA) }, high(SCL), low(SCL)]);
        }
        levels.extend([high(SDA), high(SCL), low(SCL)]);
    }
    levels.extend([low(SDA), high(SCL), high(SDA)]);
    levels
}
