//! Flash interfaces of STM32G0, G4 and L4 (RM0444, RM0440, RM0351, "Embedded flash memory (FLASH)").

use cyclescope_chips::{Machine, MemorySetting, Part, Settings};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{GapKind, Stop, Width};
use cyclescope_peripherals::Source;

use crate::bench::Bench;
use crate::low_power::{PWR, enabled};

const FLASH: u32 = 0x4002_2000;
const ACR: u32 = FLASH;
const KEYR: u32 = FLASH + 0x08;
const SR: u32 = FLASH + 0x10;
const CR: u32 = FLASH + 0x14;
const BASE: u32 = 0x0800_0000;
const BSY: u32 = 1 << 16;
const BSY2: u32 = 1 << 17;
const CFGBSY: u32 = 1 << 18;
const PG: u32 = 1;
const PER: u32 = 1 << 1;
const MER1: u32 = 1 << 2;
const MER2: u32 = 1 << 15;
const STRT: u32 = 1 << 16;
const EOPIE: u32 = 1 << 24;
const ERRIE: u32 = 1 << 25;

fn unlocked(part: &str, setting: MemorySetting) -> Bench {
    let mut bench = enabled(part, setting);
    bench.write(KEYR, 0x4567_0123);
    bench.write(KEYR, 0xCDEF_89AB);
    bench
}

/// The cycles of so many periods of 16 MHz.
fn cycles(bench: &Bench, periods: u64) -> u64 {
    (periods * bench.bus.peripherals.clocks().frequency(Source::Hclk).get()).div_ceil(16_000_000)
}

/// Programs a double word at `offset`, and waits.
fn program(bench: &mut Bench, offset: u32, low: u32, high: u32) {
    bench.write(CR, PG);
    bench.write(BASE + offset, low);
    bench.write(BASE + offset + 4, high);
    bench.pass(cycles(bench, 1_400));
    bench.write(CR, 0);
    assert_eq!(bench.read(SR), 0, "{offset:#x}");
}

#[test]
fn a_double_word_is_programmed_in_its_time() {
    for (part, periods, line, waits) in
        [("stm32g071rb", 1_360, 3, CFGBSY), ("stm32g431rb", 1_307, 4, 0), ("stm32l476rg", 1_307, 4, 0)]
    {
        let mut bench = unlocked(part, MemorySetting::Equal);
        bench.write(CR, PG | EOPIE | ERRIE);
        bench.write(BASE + 0x1000, 0x1111_1111);
        assert_eq!(bench.read(SR), waits, "{part}: waits for the second half");
        bench.write(BASE + 0x1004, 0x2222_2222);
        assert_eq!(bench.read(SR), BSY | waits, "{part}");
        let (begin, time) = (bench.now, cycles(&bench, periods));
        assert_eq!(bench.until_line(line, 10_000), Some(begin + time), "{part}: EOP");
        assert_eq!(bench.read(SR), 1, "{part}");
        bench.write(SR, 1);
        assert_eq!([bench.read(BASE + 0x1000), bench.read(BASE + 0x1004)], [0x1111_1111, 0x2222_2222]);
        bench.write(BASE + 0x1000, 0);
        bench.write(BASE + 0x1004, 1);
        assert_eq!(bench.read(SR), 1 << 3 | 1 << 1, "{part}: PROGERR: not blank, and OPERR");
        assert!(bench.bus.shared.interrupts.is_high(line), "{part}");
        bench.write(SR, u32::MAX);
        bench.write(BASE + 0x1000, 0);
        bench.write(BASE + 0x1004, 0);
        bench.pass(time);
        assert_eq!([bench.read(BASE + 0x1000), bench.read(BASE + 0x1004)], [0, 0], "{part}: all zeros may follow");
    }
}

#[test]
fn wrong_sequences_have_their_flags() {
    for part in ["stm32g071rb", "stm32g431rb", "stm32l476rg"] {
        let mut bench = unlocked(part, MemorySetting::Equal);
        let mut refused = |cr: u32, offset: u32, width: Width, flag: u32, why: &str| {
            bench.write(CR, cr);
            bench.try_write(BASE + offset, width, 0).unwrap();
            assert_eq!(bench.read(SR), 1 << flag, "{part}: {why}");
            bench.write(BASE + 8, 0);
            assert_eq!(bench.read(SR), 1 << flag | 1 << 7, "{part}: an error that is pending is PGSERR");
            bench.write(SR, u32::MAX);
            assert_eq!(bench.read(SR), 0);
        };
        refused(0, 0, Width::Word, 7, "PGSERR: PG is off");
        refused(PG | PER, 0, Width::Word, 7, "PGSERR: PER is on too");
        refused(PG | MER1, 0, Width::Word, 7, "PGSERR: MER1 is on too");
        refused(PG, 0, Width::Half, 6, "SIZERR");
        refused(PG, 0, Width::Byte, 6, "SIZERR");
        refused(PG, 4, Width::Word, 5, "PGAERR: the second half first");
        for cr in [0, PER | MER1, PG | PER] {
            bench.write(CR, cr);
            bench.write(CR, cr | STRT);
            assert_eq!(bench.read(SR), 1 << 7, "{part}: PGSERR: CR={cr:#x}");
            assert_eq!(bench.read(CR) & STRT, 0);
            bench.write(SR, u32::MAX);
        }
        bench.write(CR, PG);
        bench.write(BASE, 0);
        bench.write(BASE + 8, 0);
        assert_eq!(bench.read(SR), 1 << 5, "{part}: PGAERR: another double word");
        assert_eq!(bench.read(BASE), u32::MAX);
    }
}

#[test]
fn pages_and_banks_are_erased() {
    // The part, bytes of a page and of a bank, BKER, and whether a second bank is busy apart.
    for (part, page, bank, bker, apart) in [
        ("stm32g0b1re", 0x800u32, 0x4_0000u32, 1 << 13, true),
        ("stm32g474re", 0x800, 0x4_0000, 1 << 11, false),
        ("stm32l476rg", 0x800, 0x8_0000, 1 << 11, false),
        ("stm32l4r5zi", 0x1000, 0x10_0000, 1 << 11, false),
    ] {
        let mut bench = unlocked(part, MemorySetting::Equal);
        let marks = [page - 8, page, 2 * page, bank - 8, bank + page - 8, bank + page, 2 * bank - 8];
        let mut erase = |cr: u32, periods: u64, second: bool, left: &[u32]| {
            marks.iter().for_each(|at| {
                if bench.read(BASE + at) == u32::MAX {
                    program(&mut bench, *at, 1, 2);
                }
            });
            bench.write(CR, cr);
            bench.write(CR, cr | STRT);
            let busy = if apart && second { BSY2 } else { BSY } | if apart { CFGBSY } else { 0 };
            assert_eq!(bench.read(SR), busy, "{part} {cr:#x}");
            bench.pass(cycles(&bench, periods) - 1);
            assert_eq!(bench.read(SR), busy, "{part} {cr:#x}");
            bench.pass(1);
            assert_eq!((bench.read(SR), bench.read(CR) & STRT), (0, 0), "{part} {cr:#x}");
            let kept: Vec<u32> = marks.iter().copied().filter(|at| bench.read(BASE + at) == 1).collect();
            assert_eq!(kept, left, "{part} {cr:#x}");
        };
        let (time, all) = if apart { (352_000, 353_600) } else { (352_320, 354_080) };
        erase(PER | 1 << 3, time, false, &[page - 8, 2 * page, bank - 8, bank + page - 8, bank + page, 2 * bank - 8]);
        erase(PER | 1 << 3 | bker, time, true, &[page - 8, page, 2 * page, bank - 8, bank + page - 8, 2 * bank - 8]);
        erase(MER2, all, true, &marks[..4]);
        erase(MER1, all, false, &marks[4..]);
        erase(MER1 | MER2, all, false, &[]);
    }
}

#[test]
fn a_part_with_one_bank_has_no_second() {
    let mut bench = unlocked("stm32g431rb", MemorySetting::Equal);
    program(&mut bench, 0x1_0000, 1, 2);
    for cr in [MER2, PER | 1 << 3 | 1 << 11, PER | 64 << 3] {
        bench.write(CR, cr);
        bench.write(CR, cr | STRT);
        bench.write(SR, u32::MAX);
        assert_eq!(bench.read(SR) & BSY, u32::from(cr == PER | 1 << 3 | 1 << 11) << 16, "{cr:#x}");
        bench.pass(400_000);
    }
    assert_eq!(bench.read(BASE + 0x1_0000), 1);
    let gaps = bench.gaps(GapKind::Setting);
    assert!(gaps.contains(&"FLASH_CR.PNB selects no page of this part: nothing is erased"), "{gaps:?}");
}

#[test]
fn a_range_that_is_too_low_for_the_wait_states_is_named_once() {
    // At 16 MHz: wait states and text in range 2.
    for (part, acr, latency, most) in [("stm32g071rb", 0x600, 0, 8), ("stm32g431rb", 0x600, 0, 12)] {
        let mut bench = enabled(part, MemorySetting::Shipped);
        bench.write(ACR, acr);
        assert_eq!(bench.gaps(GapKind::Setting), [""; 0], "{part}: range 1 allows it");
        bench.write(PWR, 2 << 9);
        bench.write(PWR, 1 << 9);
        bench.pass(1_000);
        bench.write(PWR, 2 << 9);
        let text = format!(
            "HCLK 16 MHz is too fast for FLASH_ACR.LATENCY={latency} in range 2, which allows {most} MHz: flash is read as if it \
             were right"
        );
        assert_eq!(bench.gaps(GapKind::Setting), [text], "{part}");
    }
}

#[test]
fn equal_follows_the_range() {
    for (part, first, low) in [("stm32g071rb", 0, 1), ("stm32g431rb", 0, 1)] {
        let mut bench = enabled(part, MemorySetting::Equal);
        let now = |bench: &Bench| bench.bus.memory.flash.interface().timing().wait_states;
        assert_eq!(now(&bench), first, "{part}");
        bench.write(PWR, 2 << 9);
        assert_eq!(now(&bench), low, "{part}: at once");
        bench.write(PWR, 1 << 9);
        bench.pass(319);
        assert_eq!(now(&bench), low, "{part}: while VOSF is set");
        bench.pass(1);
        assert_eq!(now(&bench), first, "{part}");
        assert_eq!(bench.gaps(GapKind::Setting), [""; 0]);
    }
}

#[test]
fn programming_in_range_2_is_named() {
    let mut bench = unlocked("stm32g431rb", MemorySetting::Equal);
    bench.write(PWR, 2 << 9);
    program(&mut bench, 0, 1, 2);
    let gaps = bench.gaps(GapKind::Setting);
    assert!(gaps.iter().any(|gap| gap.contains("needs range 1")), "{gaps:?}");
}

/// Writes FLASH_ACR, and then counts r2 down in a loop of seven instructions in two lines of 64 bits; a breakpoint ends it.
const PROGRAM: &[u16] = &[
    0x480B, 0x490C, 0x6001, 0x4A0C, 0xBF00, 0xBF00, 0xBF00, 0xBF00, 0xBF00, 0xBF00, 0xBF00, 0xBF00, 0xBF00, 0x3A01,
    0xD1F8, 0xBF00, 0xBE00, 0xBF00, 0xBF00, 0xBF00, 0xBF00, 0xBF00, 0xBF00, 0xBF00,
];

/// The cycles of one turn of the loop with FLASH_ACR as `acr`.
fn turn(part: &str, acr: u32) -> u64 {
    let run = |count: u32| {
        let mut flash: Vec<u8> = [0x2000_1000, (BASE + 0x100) | 1].iter().flat_map(|word| word.to_le_bytes()).collect();
        flash.resize(0x100, 0);
        flash.extend(PROGRAM.iter().flat_map(|halfword| halfword.to_le_bytes()));
        flash.extend([ACR, acr, count].iter().flat_map(|word| word.to_le_bytes()));
        let settings = Settings { memory: MemorySetting::Shipped, ..Settings::default() };
        let part = Part::find(part).unwrap();
        let mut machine = Machine::new(part, settings, [(Address::new(BASE), &flash[..])]).unwrap();
        let stop = machine.run(Cycles::new(1_000_000));
        assert!(matches!(stop, Stop::Breakpoint(..)), "{stop:?}");
        machine.now().get()
    };
    let (few, many) = (run(100), run(300));
    assert_eq!((many - few) % 200, 0, "each turn takes as long");
    (many - few) / 200
}

#[test]
fn wait_states_caches_and_prefetch_decide_the_time_of_a_loop() {
    const PRFTEN: u32 = 1 << 8;
    const ICEN: u32 = 1 << 9;
    let table = |part: &str, fixed: u32| {
        let turns = |bits: u32| [0, 1, 2, 4].map(|latency| turn(part, fixed | bits | latency));
        [turns(0), turns(PRFTEN), turns(ICEN), turns(PRFTEN | ICEN)]
    };
    // For none, one, two and four wait states: nothing on, prefetch, cache, both. A turn takes 8 cycles without wait states; an
    // M0+ waits for each of the two lines, an M4 fetches ahead. The line read ahead behind the loop delays one that is wanted.
    let both_m4 = [[8, 9, 11, 17], [8, 10, 12, 15], [8, 8, 8, 8], [8, 8, 8, 8]];
    let m0_plus = [[8, 10, 12, 16], [8, 9, 10, 15], [8, 8, 8, 8], [8, 8, 8, 10]];
    assert_eq!(table("stm32g071rb", 1 << 18), m0_plus);
    assert_eq!(table("stm32g431rb", 1 << 18), both_m4);
    assert_eq!(table("stm32l476rg", 0), both_m4);
}

/// Random accesses to the interface, the array and the power control.
#[test]
fn no_access_panics_or_hangs() {
    for part in [
        "stm32g030f6",
        "stm32g0b1re",
        "stm32g431rb",
        "stm32g474re",
        "stm32g491re",
        "stm32l432kc",
        "stm32l476rg",
        "stm32l4r5zi",
    ] {
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        let mut random = |count: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % count
        };
        let mut bench = unlocked(part, MemorySetting::Shipped);
        for _ in 0..6_000 {
            let value = [random(1 << 32), 1 << random(32), random(256)][random(3) as usize] as u32;
            let width = [Width::Byte, Width::Half, Width::Word, Width::Word][random(4) as usize];
            let address = match random(8) {
                0..=3 => FLASH + 4 * random(0x24) as u32,
                4 => BASE + 4 * random(1 << 17) as u32,
                _ => PWR + 4 * random(0x24) as u32,
            };
            let _ = bench.try_write(address, width, value);
            let _ = bench.try_read(address, width);
            bench.pass([1, 50, 2_000, 400_000][random(4) as usize]);
            if random(50) == 0 && bench.rest() {
                bench.set_pin(100, 0, 0, Some(random(2) == 0));
                bench.pass(100_000);
                bench.wake();
                if bench.bus.peripherals.clocks().stands() && bench.bus.shared.reset.is_none() {
                    bench.bus.shared.reset = Some("pin");
                }
            }
            if bench.reset().is_some() {
                bench.write(KEYR, 0x4567_0123);
                let _ = bench.try_write(KEYR, Width::Word, 0xCDEF_89AB);
            }
        }
    }
}
