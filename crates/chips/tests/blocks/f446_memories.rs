//! SRAM1 and SRAM2 of STM32F446 (RM0390, "Embedded SRAM"): 112 and 16 KiB that adjoin, each a slave of the bus matrix.

use cyclescope_chips::{Machine, MemorySetting, Part, Settings};
use cyclescope_machine::Stop;
use cyclescope_machine::units::{Address, Cycles};

const FLASH: u32 = 0x0800_0000;
const CODE: u32 = FLASH + 0x200;
const SRAM1: u32 = 0x2000_0000;
const SRAM2: u32 = 0x2001_C000;

/// The cycles of `LDR r2, [r0]; LDR r3, [r1]`, in one block or by single steps, with the addresses in literals before.
fn loads(first: u32, second: u32, single: bool) -> u64 {
    // LDR r0, [pc, #8]; LDR r1, [pc, #12]; NOP; LDR r2, [r0]; LDR r3, [r1]; B to itself.
    let code: [u16; 6] = [0x4802, 0x4903, 0xBF00, 0x6802, 0x680B, 0xE7FE];
    let mut flash: Vec<u8> =
        [0x2002_0000, CODE | 1].iter().cycle().take(0x80).flat_map(|word: &u32| word.to_le_bytes()).collect();
    flash.extend(code.iter().flat_map(|halfword| halfword.to_le_bytes()));
    flash.extend([first, second].iter().flat_map(|word| word.to_le_bytes()));
    let settings = Settings { memory: MemorySetting::Ideal, ..Settings::default() };
    let part = Part::find("stm32f446ze").unwrap();
    let mut machine = Machine::new(part, settings, [(Address::new(FLASH), &flash[..])]).unwrap();
    machine.watch(Address::new(CODE + 6));
    machine.watch(Address::new(CODE + 10));
    let mut began = None;
    loop {
        let until = if single { machine.now().saturating_add(Cycles::new(1)) } else { Cycles::new(1000) };
        match machine.run(until) {
            Stop::Watch(address) if address.get() == CODE + 6 => began = Some(machine.now().get()),
            Stop::Watch(_) => return machine.now().get() - began.unwrap(),
            Stop::Horizon if single => {}
            stop => panic!("{stop:?}"),
        }
    }
}

/// Measured on an STM32F407 (the repository jnk0le/random), which has the same two.
#[test]
fn loads_overlap_inside_sram1_and_inside_sram2() {
    for single in [false, true] {
        for (first, second, cycles) in [
            (SRAM1, SRAM2 - 4, 2 + 1),
            (SRAM2, SRAM2 + 0x3FFC, 2 + 1),
            (SRAM1, SRAM2, 2 + 2),
            (SRAM2 + 0x3FFC, SRAM1, 2 + 2),
            (SRAM2 - 4, SRAM2, 2 + 2),
        ] {
            assert_eq!(loads(first, second, single), cycles, "{first:#x}, {second:#x}, single: {single}");
        }
    }
}
