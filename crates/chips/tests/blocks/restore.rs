//! A machine that took another's state goes on as that one does, wherever it was before.

use cyclescope_chips::{Machine, MemorySetting, Part, Settings};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Restore, Retire, Stop};

const FLASH: u32 = 0x0800_0000;
const CODE: u32 = FLASH + 0x100;
/// The address of a routine that the program changes before each call.
const ROUTINE: u32 = 0x2000_0100;

/// Counts turns in r7. Each turn writes `ADDS r0, #<turn>` before the `BX lr` at [`ROUTINE`], calls it, stores r0 at
/// 0x2000_0800, and writes bit 6 of the turn into FLASH_ACR, as wait state, without caches: 64 turns each.
const PROGRAM: &[u16] = &[
    0x4C09, 0x4D0A, 0x4E0A, 0x4B0B, 0x4A0B, 0x2700, 0x490B, 0x8061, 0x2000, // literals, the routine's end, zeros
    0xB2F9, 0x1889, 0x8021, 0x3701, 0x4798, 0x6028, 0x2140, 0x4039, 0x0989, 0x6031, 0xE7F4, // the turn
    0x0100, 0x2000, 0x0800, 0x2000, 0x2000, 0x4002, 0x0101, 0x2000, 0x3000, 0x0000, 0x4770, 0x0000,
];

fn machine() -> Machine {
    let mut words = vec![CODE | 1; 0x40];
    words[0] = 0x2000_3000;
    let mut flash: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    flash.extend(PROGRAM.iter().flat_map(|halfword| halfword.to_le_bytes()));
    let settings = Settings { memory: MemorySetting::Shipped, ..Settings::default() };
    let part = Part::find("stm32c031c6").unwrap();
    Machine::new(part, settings, [(Address::new(FLASH), &flash[..])]).unwrap()
}

/// All that a run can tell.
fn state(machine: &mut Machine) -> impl PartialEq + std::fmt::Debug {
    let ram: Vec<u8> = machine.memory().ram.bytes().to_vec();
    let core = machine.cortex_m().unwrap();
    (core.now(), core.instructions(), core.cpu().r, machine.flash_timing(), machine.gaps().to_vec(), ram)
}

fn go(machine: &mut Machine, cycles: u64) -> Stop {
    machine.run(machine.now().saturating_add(Cycles::new(cycles)))
}

/// Both go on alike, in blocks, and then one instruction after the other.
fn assert_alike(mut restored: Machine, mut original: Machine, text: &str) {
    for cycles in [1, 7, 300, 9_000] {
        assert_eq!(go(&mut restored, cycles), go(&mut original, cycles), "{text}");
        assert_eq!(state(&mut restored), state(&mut original), "{text}, {cycles} cycles on");
    }
    let retired = [restored, original].map(|mut machine| {
        let mut all: Vec<Retire> = Vec::new();
        machine.run_into(machine.now().saturating_add(Cycles::new(3_000)), &mut |retire| all.push(retire));
        all
    });
    assert_eq!(retired[0], retired[1], "{text}");
}

#[test]
fn a_restored_machine_goes_on_as_the_original_wherever_it_was() {
    let mut base = machine();
    let mut worker = base.clone();
    let mut settings = Vec::new();
    for turn in 0..40 {
        go(&mut base, 700 + turn);
        settings.push(base.flash_timing().wait_states);
        // Behind, ahead, elsewhere in RAM, and with other code in flash.
        match turn % 4 {
            0 => {}
            1 => drop(go(&mut worker, 31 * turn)),
            2 => drop(go(&mut worker, 60_000)),
            _ => {
                worker.memory().program_flash((CODE - FLASH + 18) as usize, &[0, 0x20]);
                go(&mut worker, 1_000);
            }
        }
        worker.restore(&base);
        assert_eq!(state(&mut worker), state(&mut base));
        assert_alike(worker.clone(), base.clone(), "a clone of the restored");
        // The restored one itself, with the blocks it had.
        let mut original = base.clone();
        for cycles in [3, 2_000] {
            assert_eq!(go(&mut worker, cycles), go(&mut original, cycles));
            assert_eq!(state(&mut worker), state(&mut original), "turn {turn}");
        }
    }
    assert!(settings.contains(&0) && settings.contains(&1), "flash was set both ways: {settings:?}");
}

#[test]
fn a_restored_machine_watches_what_it_watched() {
    let routine = Address::new(ROUTINE);
    let turn = Address::new(CODE + 18);
    let mut base = machine();
    let mut worker = base.clone();
    worker.watch(routine);
    base.watch(turn);
    assert_eq!(go(&mut base, 10_000), Stop::Watch(turn));
    worker.restore(&base);
    assert_eq!(go(&mut worker, 10_000), Stop::Watch(routine), "its own, and not the other's");
    assert_eq!(worker.cortex_m().unwrap().cpu().r[7], 1, "in the first turn");
    // Stopped at the routine, which the worker watches too: reported once.
    base.watch(routine);
    assert_eq!(go(&mut base, 10_000), Stop::Watch(routine));
    worker.restore(&base);
    assert_eq!(go(&mut worker, 10_000), Stop::Watch(routine));
    assert_eq!(worker.cortex_m().unwrap().cpu().r[7], 2, "the next turn");
    // One made apart is taken over all the same.
    let mut other = machine();
    other.watch(turn);
    other.restore(&base);
    assert_eq!(go(&mut other, 10_000), Stop::Watch(turn));
    assert_eq!(other.cortex_m().unwrap().cpu().r[7], 1);
    assert_eq!(go(&mut other, 10_000), Stop::Watch(turn), "and no routine");
}
