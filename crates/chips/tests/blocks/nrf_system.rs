//! nRF52840: memory controller, information registers, watchdog, random numbers, temperature (nRF52840 PS, NVMC, FICR, UICR, WDT,
//! RNG, TEMP).

use cyclescope_chips::{MemorySetting, Part};
use cyclescope_machine::units::{Address, Bytes};
use cyclescope_machine::{BusFault, GapKind, Width};

use crate::bench::Bench;
use crate::nrf_timers::{US, part, until};

const NVMC: u32 = 0x4001_E000;
const READY: u32 = NVMC + 0x400;
const READYNEXT: u32 = NVMC + 0x408;
const CONFIG: u32 = NVMC + 0x504;
const ERASEPAGE: u32 = NVMC + 0x508;
const ERASEPAGEPARTIAL: u32 = NVMC + 0x518;
const ERASEPAGEPARTIALCFG: u32 = NVMC + 0x51C;
const ICACHECNF: u32 = NVMC + 0x540;
const NFCPINS: u32 = 0x1000_120C;
const WDT: u32 = 0x4001_0000;
const RNG: u32 = 0x4000_D000;
const TEMP: u32 = 0x4000_C000;

/// The cycles for which the core is halted since the last call.
fn halted(bench: &mut Bench) -> u64 {
    std::mem::take(&mut bench.bus.shared.halt)
}

#[test]
fn the_part_has_its_names() {
    let part = Part::find("nrf52840").unwrap();
    for name in ["nRF52840", "nRF52840_xxAA", "nrf52840-dk", "nrf52840dk", "nRF52840-QIAA"] {
        assert_eq!(Part::find(name).unwrap().name, part.name, "{name}");
    }
    assert_eq!(part.flash.bytes, Bytes::new(1 << 20));
    let pin = part.find_pin("P1.02").unwrap();
    assert_eq!(pin.to_string(), "P1.02");
    assert!(part.find_pin("PB2").is_err(), "a name of other vendors' parts");
    assert!(part.find_pin("P1.16").is_err());
}

#[test]
fn code_in_flash_is_halted_while_flash_is_written() {
    // The accesses of a bench come from an address of flash.
    let mut bench = Bench::of("nrf52840", MemorySetting::Shipped);
    bench.bus.memory.load(Address::new(0x8000), &[0xFF; 8]);
    assert_eq!(bench.try_write(0x8000, Width::Word, 1), Err(BusFault::ReadOnly(Address::new(0x8000))), "not enabled");
    bench.write(CONFIG, 1);
    assert_eq!(bench.try_write(0x8000, Width::Half, 1), Err(BusFault::Width(Address::new(0x8000))));
    bench.write(0x8000, 0x1234_FFFF);
    bench.write(0x8000, 0xFFFF_5678);
    assert_eq!(bench.bus.memory.read(0x8000, Width::Word), Some(0x1234_5678));
    assert_eq!(bench.read(READY), 0, "the bench's address is none of this part's flash: code elsewhere runs on");
    assert_eq!(bench.read(READYNEXT), 0, "the second write waits");
    let begun = bench.now;
    assert_eq!(until(&mut bench, READYNEXT, 1, 100 * US), Some(begun + 41 * US));
    assert_eq!(until(&mut bench, READY, 1, 100 * US), Some(begun + 82 * US));
    bench.write(CONFIG, 2);
    bench.write(ERASEPAGE, 0x8000);
    let begun = bench.now;
    assert_eq!(until(&mut bench, READY, 1, 100_000 * US), Some(begun + 85_000 * US));
    assert_eq!(bench.bus.memory.read(0x8000, Width::Word), Some(u32::MAX));
    bench.write(ERASEPAGE, 0x8004);
    assert_eq!(bench.gaps(GapKind::Setting), ["NVMC erase of no page of flash: nothing is erased"]);
    assert_eq!(halted(&mut bench), 0);
}

#[test]
fn partial_erases_add_up() {
    let mut bench = part();
    bench.bus.memory.load(Address::new(0x9000), &[0; 4]);
    bench.write(CONFIG, 2);
    bench.write(ERASEPAGEPARTIALCFG, 50);
    for seen in [0, u32::MAX] {
        bench.write(ERASEPAGEPARTIAL, 0x9000);
        let begun = bench.now;
        assert_eq!(until(&mut bench, READY, 1, 60_000 * US), Some(begun + 50_000 * US));
        assert_eq!(bench.bus.memory.read(0x9000, Width::Word), Some(seen));
    }
}

#[test]
fn information_registers_are_the_factorys_and_the_users() {
    let mut bench = part();
    assert_eq!(bench.read(0x1000_0100), 0x52840);
    assert_eq!(bench.read(0x1000_0110), 1024);
    assert_eq!(bench.read(0x1000_0200), u32::MAX, "erased");
    assert_eq!(bench.read(NFCPINS), u32::MAX);
    assert!(bench.bus.peripherals.load_options(Address::new(NFCPINS), &[0xFE, 0xFF, 0xFF, 0xFF]), "by a loader");
    assert_eq!(bench.read(NFCPINS), u32::MAX - 1);
    bench.write(CONFIG, 1);
    bench.write(NFCPINS, u32::MAX - 2);
    assert_eq!(bench.read(NFCPINS), u32::MAX - 3, "bits can only be cleared");
    bench.pass(100 * US);
    bench.write(CONFIG, 2);
    bench.write(NVMC + 0x514, 1);
    assert_eq!(bench.read(NFCPINS), u32::MAX);
    assert!(bench.try_write(0x1000_0100, Width::Word, 0).is_err());
}

#[test]
fn the_cache_decides_about_wait_states() {
    for (setting, before, after) in
        [(MemorySetting::Shipped, (2, 0), (3, 128)), (MemorySetting::Equal, (3, 128), (3, 128))]
    {
        let mut bench = Bench::of("nrf52840", setting);
        for expected in [before, after] {
            let timing = bench.bus.memory.flash.interface().timing();
            assert_eq!((timing.wait_states, timing.instruction_lines), expected);
            bench.write(ICACHECNF, 1);
        }
    }
}

#[test]
fn the_watchdog_resets_and_outlives_software() {
    let (start, crv, rren, runstatus, reqstatus) = (WDT, WDT + 0x504, WDT + 0x508, WDT + 0x400, WDT + 0x404);
    let mut bench = part();
    // 1,000 periods of LFCLK, two reload registers, an interrupt.
    bench.write(crv, 999);
    bench.write(rren, 3);
    bench.write(WDT + 0x304, 1);
    bench.write(start, 1);
    assert_eq!((bench.read(runstatus), bench.read(reqstatus)), (1, 3));
    bench.write(crv, 5);
    assert_eq!(bench.read(crv), 999, "locked");
    let period = |count: u64| (count * 15_625).div_ceil(8);
    bench.pass(period(900));
    bench.write(WDT + 0x600, 0x6E52_4635);
    assert_eq!(bench.read(reqstatus), 2);
    bench.write(WDT + 0x604, 0x6E52_4635);
    let reloaded = bench.now;
    bench.bus.shared.reset = Some("software reset");
    bench.reset();
    assert_eq!(bench.read(runstatus), 1);
    assert_eq!(bench.until_line(16, period(2_000)), Some(reloaded + period(1_000)));
    assert_eq!(bench.reset(), None);
    bench.pass(period(2) + 1);
    assert_eq!(bench.reset(), Some("WDT"));
    assert_eq!((bench.read(runstatus), bench.read(0x4000_0400)), (0, 1 << 2 | 1 << 1));
}

#[test]
fn random_numbers_take_their_time() {
    let mut bench = part();
    bench.write(RNG, 1);
    let begun = bench.now;
    let ready = RNG + 0x100;
    assert_eq!(until(&mut bench, ready, 1, 1_000 * US), Some(begun + 158 * US));
    bench.write(ready, 0);
    let first = bench.read(RNG + 0x508);
    bench.write(RNG + 0x504, 1);
    assert_eq!(
        until(&mut bench, ready, 1, 1_000 * US),
        Some(begun + 188 * US),
        "this one was begun without correction"
    );
    bench.write(ready, 0);
    bench.write(RNG + 0x200, 1);
    assert_eq!(until(&mut bench, ready, 1, 1_000 * US), Some(begun + 308 * US));
    assert_ne!(bench.read(RNG + 0x508), first);
    bench.write(ready, 0);
    assert_eq!(until(&mut bench, ready, 1, 1_000 * US), None, "the shortcut stops it");
}

#[test]
fn the_die_is_at_25_degrees() {
    let mut bench = part();
    bench.write(TEMP + 0x304, 1);
    bench.write(TEMP, 1);
    assert_eq!(bench.until_line(12, 1_000 * US), Some(36 * US));
    assert_eq!(bench.read(TEMP + 0x508), 100);
}
