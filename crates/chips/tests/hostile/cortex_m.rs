//! The guest of a Cortex-M: a loop over a table of stores and loads, which a fault, an interrupt or a reset only interrupts.

use cyclescope_chips::Part;
use cyclescope_peripherals::{Access, Instance, Register};

use crate::cortex_asm::*;
use crate::recipes;
use crate::values::{keys, value};
use crate::{Random, second_stage};

/// An entry of the table.
#[derive(Clone, Copy, Debug)]
struct Entry {
    act: Act,
    address: u32,
    value: u32,
}

/// An action of the hostile guest; its number is the place of its routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    StoreWord,
    StoreHalf,
    StoreByte,
    LoadWord,
    LoadHalf,
    LoadByte,
    /// Sets the bits of the value.
    Set,
    /// Clears them.
    Clear,
    /// Turns so many times round a loop that does nothing.
    Wait,
    /// The same with a load.
    Poll,
    Sleep,
}

/// Places from the beginning of flash on, behind the vectors and a Kinetis' flash configuration.
const INTERRUPT: u32 = 0x800;
const SYSTEM: u32 = 0x840;
const FAULT: u32 = 0x880;
const START: u32 = 0x8C0;
const NEXT: u32 = 0x980;
const ACTS: u32 = 0x9C0;
const TABLE: u32 = 0xB00;
/// Entries of the table; a power of two.
const ENTRIES: usize = 512;

fn lsls(rd: u16, rm: u16, by: u16) -> u16 {
    by << 6 | rm << 3 | rd
}

/// `rd` becomes `value`: seven instructions.
fn constant(rd: u16, value: u32) -> Vec<u16> {
    let [b0, b1, b2, b3] = value.to_le_bytes().map(u16::from);
    vec![movs(rd, b3), lsls(rd, rd, 8), adds(rd, b2), lsls(rd, rd, 8), adds(rd, b1), lsls(rd, rd, 8), adds(rd, b0)]
}

/// The routine of `act` with the address in r0 and the value in r1, without the branch at its end.
fn routine(act: Act) -> Vec<u16> {
    match act {
        Act::StoreWord => vec![str(1, 0, 0)],
        Act::StoreHalf => vec![strh(1, 0, 0)],
        // STRB, LDRB.
        Act::StoreByte => vec![0x7000 | 1],
        Act::LoadWord => vec![ldr(3, 0, 0)],
        Act::LoadHalf => vec![ldrh(3, 0, 0)],
        Act::LoadByte => vec![0x7800 | 3],
        // ORRS, BICS.
        Act::Set => vec![ldr(3, 0, 0), 0x4300 | 1 << 3 | 3, str(3, 0, 0)],
        Act::Clear => vec![ldr(3, 0, 0), 0x4380 | 1 << 3 | 3, str(3, 0, 0)],
        Act::Wait => vec![subs(1, 1), b_if(1, -6)],
        Act::Poll => vec![ldr(3, 0, 0), subs(1, 1), b_if(1, -8)],
        Act::Sleep => vec![WFI],
    }
}

const ALL_ACTS: [Act; 11] = [
    Act::StoreWord,
    Act::StoreHalf,
    Act::StoreByte,
    Act::LoadWord,
    Act::LoadHalf,
    Act::LoadByte,
    Act::Set,
    Act::Clear,
    Act::Wait,
    Act::Poll,
    Act::Sleep,
];

fn image(part: &Part, base: u32, first: &[u16], entries: &[Entry]) -> Vec<u8> {
    let (ram, bytes) = (part.ram.base.get(), part.ram.bytes.get() as u32);
    let mut code = vec![0xFF; TABLE as usize];
    let mut place = |at: u32, halfwords: &[u16]| {
        let bytes: Vec<u8> = halfwords.iter().flat_map(|halfword| halfword.to_le_bytes()).collect();
        code[at as usize..at as usize + bytes.len()].copy_from_slice(&bytes);
    };
    let mut vectors = vec![base + INTERRUPT + 1; 0x80];
    vectors[2..16].fill(base + FAULT + 1);
    [11, 14, 15].into_iter().for_each(|system| vectors[system] = base + SYSTEM + 1);
    (vectors[0], vectors[1]) = (ram + bytes, base + START + 1);
    let halves: Vec<u16> = vectors.iter().flat_map(|word| [*word as u16, (*word >> 16) as u16]).collect();
    place(0, &halves);
    // A Kinetis' flash configuration leaves the part open.
    place(0x400, &[0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFE, 0xFFFF]);
    // Each interrupt turns itself off: NVIC_ICER by the number in IPSR. LSRS r1, r0, #5; ANDS r0, r2; LSLS r2, r0.
    let number = [&mrs(0, IPSR)[..], &[subs(0, 16), 0x0940 | 1, lsls(1, 1, 2), movs(2, 31), 0x4000 | 2 << 3]].concat();
    let bit = [movs(2, 1), 0x4080 | 2];
    let register = [movs(3, 0xE0), lsls(3, 3, 16), adds(3, 0xE1), lsls(3, 3, 8), adds(3, 0x80)];
    // STR r2, [r3, r1]
    place(INTERRUPT, &[&number[..], &bit, &register, &[0x5000 | 1 << 6 | 3 << 3 | 2, BX_LR]].concat());
    // SysTick stops.
    place(SYSTEM, &[&constant(3, 0xE000_E010)[..], &[movs(2, 0), str(2, 3, 0), BX_LR]].concat());
    // A fault goes on with the next entry. MOV r1, sp; STR r0, [r1, #24]
    place(FAULT, &[&constant(0, base + NEXT)[..], &[mov(1, 13), str(0, 1, 6), BX_LR]].concat());
    let mask = (ENTRIES as u32 - 1) << 4;
    let setup = [constant(7, base + TABLE - 16), constant(6, ram + bytes / 2), constant(5, mask)].concat();
    let mut start = [first, &setup, &[CPSIE]].concat();
    start.resize(((NEXT - START) / 2) as usize, NOP);
    place(START, &start);
    // The place in the table is in RAM, so that it outlives a reset. ANDS r4, r5; ADDS r4, r4, r7
    let next = [ldr(4, 6, 0), 0x4000 | 5 << 3 | 4, adds(4, 16), str(4, 6, 0), 0x1800 | 7 << 6 | 4 << 3 | 4];
    place(NEXT, &[&next[..], &[ldr(0, 4, 0), ldr(1, 4, 1), ldr(2, 4, 2), bx(2)]].concat());
    for (number, act) in (0..).zip(ALL_ACTS) {
        let at = ACTS + 16 * number;
        let mut code = routine(act);
        code.push(b((NEXT as i32 - (at as i32 + 2 * code.len() as i32) - 4) as i16));
        place(at, &code);
    }
    let routine = |act: Act| base + ACTS + 16 * act as u32 + 1;
    let words = entries.iter().flat_map(|entry| [entry.address, entry.value, routine(entry.act), 0]);
    code.extend(words.flat_map(u32::to_le_bytes));
    code
}

/// Addresses to which DMA goes, and which registers get besides.
fn places(part: &Part, instances: &[&Instance], random: &mut Random) -> Vec<u32> {
    let (flash, ram) = (part.flash.base.get(), part.ram.base.get());
    let (flash_end, ram_end) = (flash + part.flash.bytes.get() as u32, ram + part.ram.bytes.get() as u32);
    let nowhere = [0, 0x3000_0000, 0x6000_0000, 0xFFFF_FFF0, 0xE000_E100, 0x4200_0000];
    let memory = [flash, flash + TABLE, flash_end - 4, ram, ram + 0x100, ram_end - 8, ram_end];
    let registers = (0..16).map(|_| {
        let instance = random.pick(instances);
        instance.address + random.pick(instance.map.registers).offset
    });
    nowhere.into_iter().chain(memory).chain(registers).collect()
}

/// Clock and reset control of a part.
fn is_clock(instance: &Instance) -> bool {
    ["rcc", "mcg", "sim"].contains(&instance.map.kind)
}

/// The store that fits `register`, mostly.
fn store(register: &Register, random: &mut Random) -> Act {
    match (register.bits, random.of(16)) {
        (_, 0) => Act::StoreByte,
        (_, 1) => Act::StoreHalf,
        (8, _) => Act::StoreByte,
        (16, _) => Act::StoreHalf,
        _ => Act::StoreWord,
    }
}

struct Table<'a> {
    entries: Vec<Entry>,
    random: &'a mut Random,
}

impl Table<'_> {
    fn push(&mut self, act: Act, address: u32, value: u32) {
        self.entries.push(Entry { act, address, value });
    }

    /// All clocks on, and most pins to some peripheral.
    fn begin(&mut self, part: &Part, instances: &[&Instance]) {
        // SCGC1 to SCGC7, and the watchdog off but for one seed in four (it is unlocked before the table).
        if &*part.name == "mk20dx256" {
            (0..7).for_each(|gate| self.push(Act::StoreWord, 0x4004_8028 + 4 * gate, u32::MAX));
        }
        for instance in instances.iter().filter(|instance| instance.map.kind == "rcc") {
            for register in instance.map.registers.iter().filter(|register| register.name.contains("ENR")) {
                self.push(Act::Set, instance.address + register.offset, register.declared());
            }
        }
        if self.random.one_in(3) {
            self.speed_up(&part.name);
        }
        let (function, pull) = (self.random.of(16) as u32, self.random.one_in(2));
        for instance in instances {
            for register in instance.map.registers {
                let value = match (instance.map.kind, register.name) {
                    ("gpio", "MODER") => 0xAAAA_AAAA,
                    ("gpio", "AFRL" | "AFRH") if function < 10 => function * 0x1111_1111,
                    ("gpio", "AFRL" | "AFRH") => self.random.word(),
                    ("gpio", "PUPDR") if pull => 0x5555_5555,
                    ("gpio", "OTYPER") if pull => 0xFFFF,
                    ("gpio", "CRL" | "CRH") => *self.random.pick(&[0xBBBB_BBBB, 0xFFFF_FFFF, 0x4444_4444, 0xBF4B_F4BF]),
                    ("port", name) if name.starts_with("PCR") => (function & 7) << 8 | 0x43,
                    _ => continue,
                };
                if !self.random.one_in(4) {
                    self.push(Act::StoreWord, instance.address + register.offset, value);
                }
            }
        }
    }

    /// The clock at which the part is measured, or near it.
    fn speed_up(&mut self, name: &str) {
        let steps: &[(Act, u32, u32)] = match name {
            "stm32c031c6" => &[(Act::Set, 0x4002_2000, 1), (Act::StoreWord, 0x4002_1000, 0x500)],
            "stm32f103c8" => &[
                (Act::StoreWord, 0x4002_2000, 0x12),
                (Act::Set, 0x4002_1000, 1 << 16),
                (Act::Wait, 0, 6_000),
                (Act::StoreWord, 0x4002_1004, 0x001D_0400),
                (Act::Set, 0x4002_1000, 1 << 24),
                (Act::Wait, 0, 800),
                (Act::Set, 0x4002_1004, 2),
            ],
            "stm32f446re" | "stm32f446ze" => &[
                (Act::StoreWord, 0x4002_3C00, 0x705),
                (Act::StoreWord, 0x4002_3804, 8 | 168 << 6 | 7 << 24),
                (Act::Set, 0x4002_3800, 1 << 24),
                (Act::Wait, 0, 1_500),
                (Act::StoreWord, 0x4002_3808, 0x9402),
            ],
            _ => &[],
        };
        steps.iter().for_each(|(act, address, value)| self.push(*act, *address, *value));
    }

    /// The core's own registers: interrupts on and pending, SysTick, sleep, reset.
    fn system(&mut self) {
        let word = self.random.word();
        let (address, value) = match self.random.of(16) {
            0..=6 => (0xE000_E100 + 4 * self.random.of(4) as u32, word | self.random.word()),
            7 => (0xE000_E200 + 4 * self.random.of(4) as u32, 1 << (word & 31)),
            8 => (0xE000_E400 + 4 * self.random.of(24) as u32, word),
            9 => (0xE000_E180 + 4 * self.random.of(4) as u32, word),
            10 => (0xE000_E014, word & 0xFFF),
            11 => (0xE000_E010, word & 7),
            12 => (0xE000_ED04, 1 << (26 + (word & 2))),
            13 => (0xE000_ED10, [0, 0, 0, 0, 0, 2, 4, 0x10][self.random.of(8) as usize]),
            14 => (0xE000_1000, word),
            _ if word & 15 == 0 => (0xE000_ED0C, 0x05FA_0004),
            _ => (0xE000_E018, word),
        };
        self.push(Act::StoreWord, address, value);
    }

    /// Gets a block going.
    fn start(&mut self, instance: &Instance, places: &[u32]) {
        for (at, value, byte) in recipes::stores(instance, places, self.random) {
            self.push(if byte { Act::StoreByte } else { Act::StoreWord }, instance.address + at, value);
            if self.random.one_in(3) {
                let turns = 1 + self.random.of(120) as u32;
                self.push(Act::Wait, 0, turns);
            }
        }
    }

    /// A random access to a random register of one of `focus`.
    fn access(&mut self, focus: &[&Instance], places: &[u32]) {
        let instance = *self.random.pick(focus);
        if self.random.one_in(8) {
            self.start(instance, places);
            return;
        }
        let register = self.random.pick(instance.map.registers);
        let address = instance.address + register.offset;
        if !keys(register).is_empty() && self.random.one_in(2) {
            let act = if register.bits == 16 { Act::StoreHalf } else { Act::StoreWord };
            keys(register).iter().for_each(|key| self.push(act, address, *key));
            return;
        }
        let value = value(register, places, self.random);
        if is_clock(instance) {
            let (enables, resets) = (register.name.contains("ENR"), register.name.contains("RSTR"));
            let gates = register.name.contains("SCGC");
            match self.random.of(4) {
                0 if resets => {
                    self.push(Act::StoreWord, address, value);
                    self.push(Act::StoreWord, address, 0);
                }
                0 if enables || gates => {
                    self.push(Act::Clear, address, value & value >> 3);
                    self.push(Act::Set, address, register.declared());
                }
                0 => self.push(Act::StoreWord, address, value),
                _ => self.push(Act::LoadWord, address, 0),
            }
            return;
        }
        match self.random.of(32) {
            0..=20 if register.access != Access::ReadOnly => {
                // A Kinetis' bytes are declared four at a time.
                if register.name.contains('_') && instance.map.version == "k20" {
                    let byte = self.random.of(4) as u32;
                    self.push(Act::StoreByte, address + byte, value >> (8 * byte));
                } else {
                    let act = store(register, self.random);
                    self.push(act, address, value);
                }
            }
            21 | 22 => self.push(Act::Set, address, value),
            23 => self.push(Act::Clear, address, value),
            24 => self.push(Act::LoadHalf, address + self.random.clone().of(3) as u32, 0),
            // By its bit-band alias, which an M0+ has not.
            29 => {
                let bit = self.random.of(32) as u32;
                let alias = 0x4200_0000 | (address & 0xF_FFFF) << 5 | bit << 2;
                self.push(if value & 1 == 0 { Act::LoadWord } else { Act::StoreWord }, alias, value >> 4);
            }
            25 => self.push(Act::LoadByte, address + self.random.clone().of(4) as u32, 0),
            26 => {
                let turns = 1 + self.random.of(300) as u32;
                self.push(Act::Poll, address, turns);
            }
            27 => {
                let turns = 1 + self.random.of(1_000) as u32;
                self.push(Act::Wait, 0, turns);
            }
            28 if self.random.one_in(3) => {
                // SysTick wakes it, unless its clock stands by then.
                let reload = self.random.of(3_000) as u32;
                self.push(Act::StoreWord, 0xE000_E014, reload);
                self.push(Act::StoreWord, 0xE000_E010, 7);
                self.push(Act::Sleep, 0, 0);
            }
            _ => self.push(Act::LoadWord, address, 0),
        }
    }
}

/// A program for `part`; something hangs on the peripherals `busy`.
pub(crate) fn program(part: &Part, busy: &[&str], random: &mut Random) -> Vec<(u32, Vec<u8>)> {
    let instances: Vec<&'static Instance> = part.soc().unwrap().instances().collect();
    let modelled = |instance: &&&Instance| !instance.map.registers.is_empty();
    let known: Vec<&Instance> = instances.iter().filter(modelled).copied().collect();
    // A few blocks get all of it, of which DMA is often one; or all blocks get a little.
    let mut focus: Vec<&Instance> = match random.of(5) {
        0 => known.clone(),
        _ => (0..2 + random.of(6)).map(|_| *random.pick(&known)).collect(),
    };
    let dma = known.iter().filter(|instance| ["dma", "bdma", "dmamux"].contains(&instance.map.kind));
    focus.extend(dma.filter(|_| random.of(3) != 0));
    focus.extend(known.iter().filter(|instance| busy.contains(&instance.name)));
    let places = places(part, &known, random);
    // The watchdog of a Kinetis has to be unlocked by two stores close together.
    let mut first = Vec::new();
    if &*part.name == "mk20dx256" && random.of(4) != 0 {
        for (address, value) in [(0x4005_200E, 0xC520), (0x4005_200E, 0xD928), (0x4005_2000, 0x01D2)] {
            first.extend([constant(0, address), constant(1, value), vec![strh(1, 0, 0)]].concat());
        }
    }
    let mut table = Table { entries: Vec::new(), random };
    table.begin(part, &known);
    while table.entries.len() < ENTRIES {
        if table.random.one_in(12) { table.system() } else { table.access(&focus, &places) }
    }
    table.entries.truncate(ENTRIES);
    let base = part.flash.base.get();
    if &*part.name == "rp2040" {
        // A second stage, as the boot ROM wants it, before the program.
        let program = base + second_stage::BYTES;
        return vec![(base, second_stage::starts(program)), (program, image(part, program, &first, &table.entries))];
    }
    vec![(base, image(part, base, &first, &table.entries))]
}

macro_rules! parts {
    ($($test:ident $part:literal $seeds:literal,)*) => { $(
        #[test]
        fn $test() {
            crate::check_all($part, $seeds);
        }
    )* };
}

parts! {
    an_stm32f103_survives "stm32f103c8" 16,
    an_stm32f446re_survives "stm32f446re" 12,
    an_stm32f446ze_survives "stm32f446ze" 16,
    an_stm32c031_survives "stm32c031c6" 16,
    a_kinetis_survives "mk20dx256" 16,
    an_nrf52840_survives "nrf52840" 16,
    an_rp2040_survives "rp2040" 16,
    an_lm3s_survives "cortex-m3" 16,
}
