//! The guest of an AVR: a long row of stores and loads with other instructions between, again and again.

use cyclescope_chips::avr::AvrPart;

use crate::Random;
use crate::avr_asm::*;
use crate::recipes;
use crate::values::value;

/// Accesses in the row.
const ACCESSES: usize = 1_200;
/// The address of the row in words, behind the vectors.
const ROW: u16 = 0x80;

/// A program for `part`.
pub(crate) fn program(part: &AvrPart, random: &mut Random) -> Vec<(u32, Vec<u8>)> {
    // Interrupts count in r20, and return with interrupts on.
    let mut code: Vec<u16> = vec![inc(20), RETI].into_iter().cycle().take(ROW.into()).collect();
    code[..2].copy_from_slice(&jmp(2 * u32::from(ROW)));
    let end = part.ram_start + part.ram_bytes - 1;
    for (register, byte) in [(0x5E, end >> 8), (0x5D, end & 0xFF)] {
        let [store, to] = sts(register, 16);
        code.extend([ldi(16, byte as u8), store, to]);
    }
    code.push(SEI);
    // The stack pointer and the flags stay as they are, or nothing would go on.
    let registers: Vec<_> =
        part.map.registers.iter().filter(|register| !(0x5D..=0x5F).contains(&register.offset)).collect();
    let focus: Vec<_> = match random.of(4) {
        0 => registers.clone(),
        _ => {
            let first = random.of(registers.len() as u64) as usize;
            let near = registers.iter().cycle().skip(first).take(12).copied();
            near.chain((0..12).map(|_| *random.pick(&registers))).collect()
        }
    };
    // A few ways to get something going, again and again.
    let recipes: Vec<_> = (0..3).map(|_| *random.pick(recipes::AVR)).collect();
    for _ in 0..ACCESSES {
        let register = *random.pick(&focus);
        let (address, value) = (register.offset as u16, value(register, &[0, 0xFF, 0x80], random) as u8);
        let [store, to] = sts(address, 16);
        let [load, from] = lds(17, address);
        match random.of(24) {
            0..=15 => code.extend([ldi(16, value), store, to]),
            16 if address < 0x40 => code.push(sbi(address as u8 - 0x20, random.of(8) as u16)),
            17 if address < 0x40 => code.push(cbi(address as u8 - 0x20, random.of(8) as u16)),
            18 => code.extend(vec![NOP; random.of(12) as usize]),
            19 => code.push(WDR),
            20 if random.one_in(3) => code.push(SLEEP),
            21 => code.push(SPM),
            22 => {
                for (address, values) in *random.pick(&recipes) {
                    let [store, to] = sts(*address, 16);
                    code.extend([ldi(16, *random.pick(values) as u8), store, to]);
                    code.extend(vec![NOP; random.of(40) as usize]);
                }
            }
            _ => code.extend([load, from]),
        }
    }
    code.extend(jmp(2 * u32::from(ROW)));
    vec![(0, code.into_iter().flat_map(u16::to_le_bytes).collect())]
}

#[test]
fn an_atmega328p_survives() {
    crate::check_all("atmega328p", 16);
}

#[test]
fn an_atmega32u4_survives() {
    crate::check_all("atmega32u4", 16);
}
