//! The parts, one file each; cores alone share one.

mod atmega;
mod generic;
mod mk20dx256;
pub(crate) mod riscv;
mod stm32c031c6;
mod stm32f103c8;
mod stm32f446;

use crate::Part;

/// All of them, in the order in which they are listed.
static ALL: &[&Part] = &[
    &generic::CORTEX_M0PLUS,
    &generic::CORTEX_M3,
    &generic::CORTEX_M4,
    &stm32c031c6::PART,
    &stm32f103c8::PART,
    &stm32f446::ZE,
    &stm32f446::RE,
    &mk20dx256::PART,
    &atmega::ATMEGA328P,
    &atmega::ATMEGA32U4,
    &riscv::IBEX,
    &riscv::PICORV32,
    &riscv::VIRT,
    &riscv::VIRT_SMEPMP,
    &riscv::LITEX_VEXRISCV,
];

impl Part {
    /// All parts that come with the program, in the order in which they are listed.
    pub fn all() -> &'static [&'static Self] {
        ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_names_are_unique() {
        for part in Part::all() {
            let mut names: Vec<&str> = part.timing_rows().iter().map(|row| row.name).collect();
            names.sort_unstable();
            let before = names.len();
            names.dedup();
            assert_eq!(names.len(), before, "{}", part.name);
            let flash = part.flash_rows().count();
            let named = part.soc().map_or(0, |soc| soc.family.flash_rows.len());
            assert_eq!(flash, named, "{}: each row named exists", part.name);
        }
    }

    #[test]
    fn every_block_lies_on_a_bus_and_in_order() {
        for part in Part::all() {
            let Some(soc) = part.soc() else { continue };
            for pair in soc.peripherals.windows(2) {
                assert!(pair[0].address < pair[1].address, "{}: {}", part.name, pair[1].name);
            }
            for instance in soc.instances() {
                let factory = soc.family.factory.contains(&instance.address);
                let bus = soc.family.segment(instance.address);
                assert!(factory || bus.is_some(), "{}: {} at {:#x}", part.name, instance.name, instance.address);
            }
        }
    }
}
