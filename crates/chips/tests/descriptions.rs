//! Descriptions of many different parts in one process. It is a test of its own, because parts are kept to its end.

use cyclescope_chips::{DescriptionError, Part};

/// A map of LiteX with many registers.
fn map() -> String {
    let known = include_str!("data/litex-sim.csr.csv");
    let base = known.lines().find(|line| line.starts_with("csr_base,")).expect("a bank").to_owned();
    let base = base.split(',').nth(2).expect("an address").to_owned();
    let base = u32::from_str_radix(base.trim_start_matches("0x"), 16).expect("a number");
    let name = known.lines().find(|line| line.starts_with("csr_base,")).and_then(|line| line.split(',').nth(1));
    let name = name.expect("a name");
    let registers = (0..400).map(|index| {
        let at = base + 0x100 + 4 * index;
        format!("csr_register,{name}_{}{index},{at:#x},1,rw\n", "x".repeat(200))
    });
    std::iter::once(known.to_owned()).chain(registers).collect()
}

#[test]
fn parts_of_different_descriptions_take_bounded_memory() {
    let map = map();
    let part = |number: u32| Part::from_litex(&format!("soc{number}"), &map, true);
    part(0).expect("a part");
    let refused = (1..10_000).find_map(|number| part(number).err().map(|error| (number, error)));
    let (number, error) = refused.expect("a process does not keep all");
    assert!(matches!(error, DescriptionError::TooMany { most: 0x0800_0000 }), "{number}: {error}");
    assert!(number > 300, "{number} parts are few");
    part(1).expect("a part that is known needs no more memory");
}
