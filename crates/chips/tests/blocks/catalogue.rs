//! The parts of the packed metadata: all are there, each lies on its buses, and names are found as people write them.

use std::collections::BTreeSet;

use cyclescope_chips::{CortexMModel, Machine, Part, Settings};
use cyclescope_machine::units::Address;

/// The parts of each file.
const COUNTS: [(&str, usize); 6] =
    [("stm32c0", 54), ("stm32f1", 95), ("stm32f4", 149), ("stm32g0", 104), ("stm32g4", 93), ("stm32l4", 94 + 45)];

fn parts() -> impl Iterator<Item = &'static Part> {
    Part::names().filter(|name| name.starts_with("stm32")).map(|name| Part::find(name).unwrap())
}

#[test]
fn each_family_has_all_its_parts() {
    for (family, count) in COUNTS {
        assert_eq!(Part::names().filter(|name| name.starts_with(family)).count(), count, "{family}");
    }
    let names: Vec<&str> = Part::names().collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "each once");
}

#[test]
fn every_block_lies_on_a_bus_in_order_and_every_memory_apart() {
    for part in parts() {
        let soc = part.soc().unwrap();
        let instances: Vec<_> = soc.instances().collect();
        assert!(instances.len() > 20, "{}", part.name);
        for pair in instances.windows(2) {
            assert!(pair[0].address < pair[1].address, "{}: {}", part.name, pair[1].name);
        }
        for instance in instances {
            assert!(part.reaches(Address::new(instance.address)), "{}: {}", part.name, instance.name);
            for wired in instance.pins {
                assert!(wired.pin < 16, "{}: {} {}", part.name, instance.name, wired.signal);
            }
        }
        let flash: u64 = soc.sectors.iter().map(|(bytes, _)| u64::from(*bytes)).sum();
        assert_eq!(flash, part.flash.bytes.get(), "{}", part.name);
        assert!(part.pins().count() > 5, "{}", part.name);
        let kinds: Vec<&str> = soc.instances().map(|instance| instance.map.kind).collect();
        for kind in ["rcc", "flash", "pwr", "exti", "gpio"] {
            assert!(kinds.contains(&kind), "{} has {kind}", part.name);
        }
        let m0 = matches!(&part.core, cyclescope_chips::Core::CortexM(core) if core.model == CortexMModel::M0Plus);
        assert_eq!(m0, part.name.starts_with("stm32c0") || part.name.starts_with("stm32g0"), "{}", part.name);
    }
}

/// A program that branches to itself, from `sp`.
fn program(sp: u32) -> Vec<u8> {
    let mut bytes = sp.to_le_bytes().to_vec();
    bytes.extend(0x0800_0101u32.to_le_bytes());
    bytes.resize(0x100, 0);
    bytes.extend([0xFE, 0xE7]);
    bytes
}

#[test]
fn every_part_starts() {
    for part in parts() {
        let sp = (part.ram.base.get() + part.ram.bytes.get() as u32) & !7;
        let image = program(sp);
        let segments = [(Address::new(0x0800_0000), image.as_slice())];
        let machine = Machine::new(part, Settings::default(), segments);
        assert!(machine.is_ok(), "{}: {:?}", part.name, machine.err());
    }
}

#[test]
fn memories_are_those_of_the_data_sheets() {
    // Flash, RAM, RAM elsewhere with its place in the main RAM, in KiB.
    let cases = [
        ("stm32f405rg", 1024, 128, vec![(64, None)]),
        ("stm32f411ce", 512, 128, vec![]),
        ("stm32f429zi", 2048, 192, vec![(64, None)]),
        ("stm32g071rb", 128, 36, vec![]),
        ("stm32g431kb", 128, 32, vec![(10, Some(22 << 10))]),
        ("stm32g474re", 512, 128, vec![(32, Some(96 << 10))]),
        ("stm32l432kc", 256, 64, vec![(16, Some(48 << 10))]),
        ("stm32l476rg", 1024, 96, vec![(32, None)]),
        ("stm32l4r5zi", 2048, 640, vec![(64, Some(192 << 10))]),
        ("stm32f103rg", 1024, 96, vec![]),
        ("stm32f107vc", 256, 64, vec![]),
    ];
    for (name, flash, ram, others) in cases {
        let part = Part::find(name).unwrap();
        let kib = |region: cyclescope_chips::Region| region.bytes.get() / 1024;
        assert_eq!((kib(part.flash), kib(part.ram)), (flash, ram), "{name}");
        let found: Vec<_> = part.other_rams.iter().map(|other| (kib(other.region), other.of_main)).collect();
        assert_eq!(found, others, "{name}");
        assert!(part.other_rams.iter().all(|other| other.region.base == Address::new(0x1000_0000)), "{name}");
    }
}

#[test]
fn names_are_found_as_people_write_them() {
    for (name, part) in [
        ("STM32G431KBT6", "stm32g431kb"),
        ("stm32g431kbtx", "stm32g431kb"),
        ("STM32G431KBTx", "stm32g431kb"),
        ("STM32F411CEU6", "stm32f411ce"),
        ("STM32L476RGTx", "stm32l476rg"),
        ("STM32G071RBT6TR", "stm32g071rb"),
        ("stm32l4r5zitxp", "stm32l4r5zi"),
    ] {
        assert_eq!(Part::find(name).map(|found| found.name.as_ref()), Ok(part), "{name}");
    }
}
