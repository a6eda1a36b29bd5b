//! The model's side: a machine that has booted once, and begins each program from there.

use cyclescope_chips::{Machine, MemorySetting, Part, Settings};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Restore, Stop};

use super::{CODE, RAM_USED, Setup, State};

/// The registers in the order of [`State`].
const NAMES: [&str; 16] =
    ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"];

/// The resets of the subsystems, and the place where the ROM starts a second stage.
const RESETS: u32 = 0x4000_C000;
const STAGE: u32 = 0x2004_1F00;

/// The part, ready to begin programs.
#[derive(Debug)]
pub(super) struct Ours {
    booted: Machine,
    machine: Machine,
}

impl Ours {
    /// Boots the part with a second stage that releases all resets and waits.
    pub(super) fn new() -> Self {
        // ldr r0, =RESETS; movs r1, #0; str r1, [r0]; b .
        let stage = [0x4801, 0x2100, 0x6001, 0xE7FE, RESETS as u16, (RESETS >> 16) as u16];
        let mut flash: Vec<u8> = stage.iter().flat_map(|half: &u16| half.to_le_bytes()).collect();
        flash.resize(252, 0);
        flash.extend(checksum(&flash).to_le_bytes());
        flash.extend([0x2004_2000_u32, 0x1000_0109].iter().flat_map(|word| word.to_le_bytes()));
        let settings = Settings { memory: MemorySetting::Ideal, ..Settings::default() };
        let part = Part::find("rp2040").expect("the RP2040 is a part");
        let mut machine = Machine::new(part, settings, [(Address::new(0x1000_0000), flash.as_slice())])
            .expect("the image begins with a second stage");
        while machine.pc() != Address::new(STAGE + 6) {
            machine.run(machine.now() + Cycles::new(1000));
        }
        Self { booted: machine.clone(), machine }
    }

    /// Carries out `instructions` instructions of `setup`; the state behind each.
    pub(super) fn run(&mut self, setup: &Setup, instructions: usize) -> Vec<State> {
        let machine = &mut self.machine;
        machine.restore(&self.booted);
        machine.poke(Address::new(CODE), &vec![0; RAM_USED]);
        machine.poke(Address::new(CODE), &setup.bytes());
        machine.set_register("xpsr", 1 << 24);
        for (name, value) in NAMES.iter().zip(setup.registers) {
            machine.set_register(name, value);
        }
        (0..instructions).map_while(|_| step(machine)).collect()
    }
}

/// Carries out an instruction; `None` if it does not end.
fn step(machine: &mut Machine) -> Option<State> {
    let began = machine.now();
    let stop = machine.run(began + Cycles::new(1));
    let mut state = State::default();
    for (word, name) in state.0.iter_mut().zip(NAMES) {
        *word = machine.register(name).unwrap_or(0);
    }
    state.0[16] = machine.register("xpsr").unwrap_or(0) & 0xF000_0000;
    state.0[17] = (machine.now() - began).get() as u32;
    (stop == Stop::Horizon).then_some(state)
}

/// The checksum that a second stage ends with.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte) << 24, |crc, _| crc << 1 ^ if crc >> 31 != 0 { 0x04C1_1DB7 } else { 0 })
    })
}
