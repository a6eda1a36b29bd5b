//! RP2040: the boot ROM starts what flash begins with (RP-008371-DS, "Bootrom").

use cyclescope_chips::{LoadError, Machine, MemorySetting, Part, Settings};
use cyclescope_machine::Width;
use cyclescope_machine::units::{Address, Cycles};

use crate::second_stage::crc;

const FLASH: u32 = 0x1000_0000;
const STAGE: u32 = 0x2004_1F00;

/// The place in flash of the first instruction behind the vectors.
const FIRST: usize = 0x108;

/// Flash of a second stage with this code, and vectors behind it.
fn flash(code: &[u16]) -> Vec<u8> {
    let mut bytes: Vec<u8> = code.iter().flat_map(|half| half.to_le_bytes()).collect();
    bytes.resize(252, 0);
    bytes.extend(crc(&bytes).to_le_bytes());
    bytes.extend([0x2004_2000, FLASH + 0x109].iter().flat_map(|word: &u32| word.to_le_bytes()));
    bytes.extend([0xE7FE_u16; 4].iter().flat_map(|half| half.to_le_bytes()));
    bytes
}

fn load(bytes: &[u8]) -> Result<Machine, LoadError> {
    let settings = Settings { memory: MemorySetting::Shipped, ..Settings::default() };
    Machine::new(Part::find("rp2040").unwrap(), settings, [(Address::new(FLASH), bytes)])
}

#[test]
fn the_main_stack_is_counted_from_where_the_second_stage_sets_it() {
    // LDR R0, =vectors; LDM R0!, {R1, R2}; MSR MSP, R1; BX R2. What it starts pushes a word and stays.
    let mut bytes = flash(&[0x4802, 0xC806, 0xF381, 0x8808, 0x4710, 0xBF00, 0x0100, 0x1000]);
    bytes[FIRST..][..4].copy_from_slice(&[0x10, 0xB4, 0xFE, 0xE7]);
    let mut machine = load(&bytes).unwrap();
    machine.run(Cycles::new(6_500_000));
    assert_eq!(machine.pc(), Address::new(FLASH + FIRST as u32 + 2), "{:?}", machine.gaps());
    assert_eq!(machine.main_stack_used().get(), 4);
}

#[test]
fn the_rom_copies_a_second_stage_whose_checksum_is_right_and_starts_it() {
    // A branch to itself.
    let bytes = flash(&[0xE7FE]);
    let mut machine = load(&bytes).unwrap();
    machine.run(Cycles::new(6_500_000));
    assert_eq!(machine.pc(), Address::new(STAGE), "{:?}", machine.gaps());
    assert_eq!(machine.memory().read(STAGE, Width::Half), Some(0xE7FE));
    assert!(machine.gaps().is_empty(), "{:?}", machine.gaps());
    let mut damaged = bytes;
    damaged[3] ^= 1;
    assert!(matches!(load(&damaged), Err(LoadError::NoSecondStage(_))));
}
