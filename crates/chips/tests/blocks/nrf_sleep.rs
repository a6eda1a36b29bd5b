//! A whole nRF52840 asleep: its core's clock stands, and TIMER0 wakes it.

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_machine::units::{Address, Cycles};

/// Sets PRIMASK, starts SysTick at 0xFFFFFF, has TIMER0 interrupt after 100 us; then SYST_CVR to r4, WFI, SYST_CVR to r5.
const PROGRAM: &[u16] = &[
    0xB672, 0x480E, 0xF06F, 0x417F, 0x6041, 0x6081, 0x2105, 0x6001, 0x4A0B, 0x4B0C, 0x2103, 0x6099, 0x2104, 0x6119,
    0x2164, 0x6419, 0x4B09, 0xF44F, 0x3180, 0x6059, 0x4B08, 0xF44F, 0x7180, 0x6019, 0x2101, 0x6011, 0x6884, 0xBF30,
    0x6885, 0xE7FE, 0xE010, 0xE000, 0x8000, 0x4000, 0x8500, 0x4000, 0x8300, 0x4000, 0xE100, 0xE000,
];

#[test]
fn systick_does_not_count_the_time_asleep() {
    let mut words = vec![0x101; 0x40];
    words[0] = 0x2000_1000;
    let mut flash: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    flash.extend(PROGRAM.iter().flat_map(|halfword| halfword.to_le_bytes()));
    let part = Part::find("nrf52840").unwrap();
    let mut machine = Machine::new(part, Settings::default(), [(Address::new(0), &flash[..])]).unwrap();

    machine.run(Cycles::new(6_300));
    assert_eq!(machine.cortex_m().unwrap().cpu().r[5], 0, "it sleeps");
    machine.run(Cycles::new(7_000));
    let r = machine.cortex_m().unwrap().cpu().r;
    assert!((1..40).contains(&(r[4] - r[5])), "of 6,400 cycles asleep none counts: {:?}", &r[4..6]);
}
