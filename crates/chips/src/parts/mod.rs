//! The parts: those with a table of their own, one file each; cores alone; and STM32 out of packed metadata.

mod atmega;
mod boards;
mod esp;
mod generic;
mod mk20dx256;
mod nrf52840;
pub(crate) mod riscv;
mod rp2040;
mod stm32;

use std::sync::LazyLock;

use crate::{Part, catalogue};

/// The parts of which something is shown, in the order in which they are listed: those with a table here, and those of the
/// packed metadata that come with images or whose boards the experiments measure.
const SHOWN: &[Shown] = &[
    Shown::Own(&generic::CORTEX_M0PLUS),
    Shown::Own(&generic::CORTEX_M3),
    Shown::Own(&generic::CORTEX_M4),
    Shown::Packed("stm32c031c6"),
    Shown::Packed("stm32f103c8"),
    Shown::Packed("stm32f446ze"),
    Shown::Packed("stm32f446re"),
    Shown::Own(&mk20dx256::PART),
    Shown::Own(&nrf52840::PART),
    Shown::Own(&rp2040::PART),
    Shown::Own(&atmega::ATMEGA328P),
    Shown::Own(&atmega::ATMEGA32U4),
    Shown::Own(&riscv::IBEX),
    Shown::Own(&riscv::PICORV32),
    Shown::Own(&riscv::VIRT),
    Shown::Own(&riscv::VIRT_SMEPMP),
    Shown::Own(&riscv::LITEX_VEXRISCV),
    Shown::Own(&esp::ESP8266),
    Shown::Own(&esp::ESP32),
];

/// Parts that their vendor sells as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProductLine {
    /// The vendor's name of it: `STM32F405/415`.
    pub name: String,
    /// Its parts by name.
    pub parts: Vec<&'static str>,
}

/// A part that is shown.
enum Shown {
    /// One with a table here.
    Own(&'static Part),
    /// One of the packed metadata.
    Packed(&'static str),
}

impl Shown {
    fn name(&self) -> &str {
        match self {
            Self::Own(part) => &part.name,
            Self::Packed(name) => name,
        }
    }

    fn part(&self) -> &'static Part {
        match self {
            Self::Own(part) => part,
            Self::Packed(name) => stm32::part(name).expect("the packed metadata has the parts that are shown"),
        }
    }
}

static ALL: LazyLock<Vec<&'static Part>> = LazyLock::new(|| SHOWN.iter().map(Shown::part).collect());

impl Part {
    /// The parts of which something is shown, in the order in which they are listed. [`Part::find`] knows more: those of
    /// [`Part::names`].
    pub fn all() -> &'static [&'static Self] {
        &ALL
    }

    /// The names of all parts: first those of [`Part::all`], then the others by family.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        let shown = SHOWN.iter().map(Shown::name);
        let packed = catalogue::entries().map(|entry| entry.name);
        shown.chain(packed.filter(|name| SHOWN.iter().all(|shown| shown.name() != *name)))
    }

    /// The product lines of the parts in packed metadata.
    pub fn product_lines() -> Vec<ProductLine> {
        let mut lines: Vec<ProductLine> = Vec::new();
        for entry in catalogue::entries() {
            let name = entry.line.replace('_', " ");
            match lines.iter_mut().find(|line| line.name == name) {
                Some(line) => line.parts.push(entry.name),
                None => lines.push(ProductLine { name, parts: vec![entry.name] }),
            }
        }
        lines
    }

    /// The part of exactly this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        let own = SHOWN.iter().find(|shown| shown.name() == name).map(Shown::part);
        own.or_else(|| stm32::part(name))
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
}
