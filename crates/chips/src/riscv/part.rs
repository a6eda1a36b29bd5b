//! Parts with a RISC-V core, as data.

use cyclescope_machine::TimingRow;
use cyclescope_machine::units::Hertz;
use cyclescope_peripherals::riscv::{Instance, Kind, ibex, uart16550};
use cyclescope_riscv::Config;

use crate::part::Region;

/// A range of addresses at which the real system has something that the model lacks. It reads as zero, takes writes
/// without effect, and is named as a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    /// Its name.
    pub name: &'static str,
    /// Its first address.
    pub base: u32,
    /// The number of bytes it answers for.
    pub bytes: u32,
}

/// A RISC-V part.
#[derive(Clone, Copy, Debug)]
pub struct RiscvPart {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// The configuration of the core; it begins at one of [`RiscvPart::starts`].
    pub config: Config,
    /// Its name, with an article.
    pub core: &'static str,
    /// The core's clock.
    pub clock: Hertz,
    /// Its ROM; of no bytes where it has none.
    pub rom: Region,
    /// Its main RAM.
    pub ram: Region,
    /// Its other RAMs.
    pub other_rams: &'static [Region],
    /// The possible targets of a reset: the first of these at which the image has anything.
    pub starts: &'static [u32],
    /// Its blocks.
    pub instances: &'static [Instance],
    /// The ranges that are not modelled.
    pub holes: &'static [Hole],
    /// Lines of the core by number and name.
    pub interrupts: &'static [(u8, &'static str)],
}

/// A part is its name.
impl PartialEq for RiscvPart {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for RiscvPart {}

impl RiscvPart {
    /// All its memories, the ROM first if there is one.
    pub fn memories(&self) -> impl Iterator<Item = Region> {
        let rom = (self.rom.bytes.get() > 0).then_some(self.rom);
        rom.into_iter().chain([self.ram]).chain(self.other_rams.iter().copied())
    }

    /// Every row of its blocks that may decide cycles, beside its core's.
    pub fn timing_rows(&self) -> Vec<&'static TimingRow> {
        let rows = self.instances.iter().filter_map(|instance| match instance.kind {
            Kind::Uart16550 { timed: true, .. } => Some(&uart16550::START),
            Kind::IbexTimer => Some(&ibex::INTERRUPT),
            _ => None,
        });
        rows.collect()
    }
}
