//! Parts, as data.

use std::borrow::Cow;
use std::ops::Range;

use cyclescope_cortex_m::decode::Architecture;
use cyclescope_machine::units::{Address, Bytes, Hertz};
use cyclescope_machine::{Memory, Pin, Reach, TimingRow};
use cyclescope_peripherals::{Instance, Route};
use cyclescope_riscv::Traps;

use crate::avr::AvrPart;
use crate::family::Family;
use crate::riscv::RiscvPart;

/// The processor core of a part, with what is its kind's alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Core {
    /// A Cortex-M.
    CortexM(CortexM),
    /// An AVR of the ATmega family.
    Avr(&'static AvrPart),
    /// A RISC-V core of 32 bits.
    Riscv(&'static RiscvPart),
    /// An Xtensa core of Espressif's.
    Xtensa(Xtensa),
}

impl Core {
    /// Its name, with an article.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::CortexM(core) => match core.model {
                CortexMModel::M0Plus => "a Cortex-M0+",
                CortexMModel::M3 => "a Cortex-M3",
                CortexMModel::M4 | CortexMModel::M4F => "a Cortex-M4",
            },
            Self::Avr(_) => "an AVR",
            Self::Riscv(own) => own.core,
            Self::Xtensa(core) => core.model.name(),
        }
    }
}

/// The properties that only a part with an Xtensa core has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Xtensa {
    /// The model of the core.
    pub model: XtensaModel,
    /// The RAM that programs run from.
    pub code: Region,
    /// The system on its buses.
    pub soc: Soc,
}

/// The Xtensa cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XtensaModel {
    /// The LX106 of the ESP8266.
    Lx106,
    /// The LX6 of the ESP32.
    Lx6,
}

impl XtensaModel {
    /// Its name, with an article.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lx106 => "an Xtensa LX106",
            Self::Lx6 => "an Xtensa LX6",
        }
    }
}

/// The properties that only a Cortex-M part has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CortexM {
    /// The model of the core.
    pub model: CortexMModel,
    /// Priority bits of the interrupt controller.
    pub priority_bits: u8,
    /// Regions of the memory protection unit; 0 without one.
    pub mpu_regions: u8,
    /// Bits of RAM and peripherals have addresses of their own, if the core's architecture has such.
    pub bit_band: bool,
    /// HCLK periods in one of SysTick's reference clock; `None` where it has none.
    pub systick_reference_divider: Option<u32>,
    /// SYST_CALIB.TENMS: what the vendor gives for a tick of its choice; 0 where no value is known to us.
    pub systick_calibration: u32,
    /// The system on its buses.
    pub soc: Soc,
}

/// The Cortex-M cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CortexMModel {
    /// Arm Cortex-M0+.
    M0Plus,
    /// Arm Cortex-M3.
    M3,
    /// Arm Cortex-M4 without floating point.
    M4,
    /// Arm Cortex-M4 with floating point.
    M4F,
}

impl CortexMModel {
    /// The architecture of the core.
    pub const fn architecture(self) -> Architecture {
        match self {
            Self::M0Plus => Architecture::Armv6M,
            Self::M3 => Architecture::Armv7M,
            Self::M4 => Architecture::Armv7EM,
            Self::M4F => Architecture::Armv7EMF,
        }
    }
}

/// The system on the buses of a Cortex-M part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Soc {
    /// Its family: buses, blocks' timing.
    pub family: &'static Family,
    /// Flash from its beginning on: bytes, and the bytes that are erased at once in them.
    pub sectors: Cow<'static, [(u32, u32)]>,
    /// Device identification (DBGMCU_IDCODE).
    pub device_id: u32,
    /// Words fixed at the factory, by address: unique id, flash size, package, calibration.
    pub factory: Cow<'static, [(u32, u32)]>,
    /// Serial ports with FIFOs and the other full features.
    pub full_usarts: &'static [&'static str],
    /// Internal oscillators: high-speed and low-speed.
    pub oscillators: (Hertz, Hertz),
    /// The peripherals of its kind, by address; empty for a core without a vendor's parts.
    pub peripherals: &'static [Instance],
    /// Names of those that this part lacks, where a user described it.
    pub left_out: Cow<'static, [&'static str]>,
    /// The routes of DMA requests that no multiplexer carries.
    pub routes: &'static [Route],
    /// The memory that the core starts in, where it is not the flash.
    pub boot: Option<&'static BootRom>,
}

/// A read-only memory at address 0 with a program that starts the one in flash.
#[derive(Debug, PartialEq, Eq)]
pub struct BootRom {
    /// Its contents.
    pub contents: &'static [u8],
    /// The bytes that flash begins with: a second stage with its checksum at the end.
    pub second_stage: u32,
}

impl Soc {
    /// The peripherals that the part has, by address.
    pub fn instances(&self) -> impl Iterator<Item = &'static Instance> {
        self.peripherals.iter().filter(|instance| !self.left_out.contains(&instance.name))
    }

    /// The word fixed at the factory that holds `address`.
    pub(crate) fn factory_word(&self, address: u32) -> Option<u32> {
        self.factory.iter().find(|(at, _)| *at == address & !3).map(|(_, word)| *word)
    }
}

/// A contiguous memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first address.
    pub base: Address,
    /// The size.
    pub bytes: Bytes,
}

/// A RAM beside the main one, or other addresses of a stretch of the main one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherRam {
    /// Its addresses.
    pub region: Region,
    /// The byte of the main RAM that appears at the first address; `None` for a RAM of its own.
    pub of_main: Option<u32>,
}

/// The additions of a board to its part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The high-speed crystal or clock, if it has one.
    pub hse: Option<Hertz>,
    /// The low-speed crystal, if it has one.
    pub lse: Option<Hertz>,
    /// Levels that the board itself puts on pins until a stimulus says otherwise: resistors, buttons at rest.
    pub levels: Cow<'static, [(Pin, bool)]>,
}

/// A part: its core, memories, interrupts and pins, and the board it is thought to sit on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name by which it is asked for.
    pub name: Cow<'static, str>,
    /// One line on what it is.
    pub description: Cow<'static, str>,
    /// Its core, and what belongs to parts with such a core alone.
    pub core: Core,
    /// The clock at which it is measured, which is its fastest.
    pub clock: Hertz,
    /// Code flash.
    pub flash: Region,
    /// The main RAM.
    pub ram: Region,
    /// RAM elsewhere.
    pub other_rams: Cow<'static, [OtherRam]>,
    /// Interrupt lines by number and name.
    pub interrupts: &'static [(u8, &'static str)],
    /// Pins that the package brings out: a port ([`Pin::port`]) and one bit a pin. Empty for a core without pins.
    pub bonded: &'static [(u8, u32)],
    /// The board.
    pub board: Board,
    /// Of a part that a user describes, the known part it comes from.
    pub base: Option<Cow<'static, str>>,
}

impl Part {
    /// Flash and RAM as they come from the factory: nothing is programmed.
    pub(crate) fn memory(&self) -> Memory {
        let erased = vec![0xFF; self.flash.bytes.get() as usize];
        let mut memory = Memory::new(self.flash.base, erased, self.ram.base, self.ram.bytes.get() as usize);
        for OtherRam { region, of_main } in self.other_rams.iter() {
            match of_main {
                Some(offset) => memory.alias_ram(region.base, region.bytes.get() as u32, *offset),
                None => memory.add_ram(region.base, region.bytes.get() as usize),
            }
        }
        if let Some(soc) = self.soc() {
            if let Some(boot) = soc.boot {
                memory.add_rom(Address::ZERO, boot.contents);
            }
            soc.family.uncached_flash.iter().for_each(|base| memory.alias_flash(Address::new(*base)));
            if let Some((base, bytes)) = soc.family.banks {
                memory.alias_banks(Address::new(base), bytes);
            }
        }
        memory
    }

    /// Returns the system on the buses of a Cortex-M part; `None` for other parts.
    pub fn soc(&self) -> Option<&Soc> {
        match &self.core {
            Core::CortexM(core) => Some(&core.soc),
            Core::Xtensa(core) => Some(&core.soc),
            Core::Avr(_) | Core::Riscv(_) => None,
        }
    }

    pub(crate) fn soc_mut(&mut self) -> Option<&mut Soc> {
        match &mut self.core {
            Core::CortexM(core) => Some(&mut core.soc),
            Core::Xtensa(core) => Some(&mut core.soc),
            Core::Avr(_) | Core::Riscv(_) => None,
        }
    }

    /// The address of the vectors of a program in flash.
    pub(crate) fn vectors(&self) -> Address {
        let before = self.soc().and_then(|soc| soc.boot).map_or(0, |boot| boot.second_stage);
        Address::new(self.flash.base.get() + before)
    }

    /// Tells whether the part has a port of that number, 0 for A, bonded out or not.
    pub(crate) fn has_port(&self, port: u8) -> bool {
        let names = match port {
            Pin::GPIO => vec!["IO_BANK0".to_owned()],
            Pin::NUMBERED.. => vec![format!("P{}", port - Pin::NUMBERED)],
            _ => ["GPIO", "PT"].map(|prefix| format!("{prefix}{}", char::from(b'A' + port))).to_vec(),
        };
        match &self.core {
            Core::CortexM(core) => core.soc.instances().any(|known| names.iter().any(|name| name == known.name)),
            Core::Avr(_) | Core::Riscv(_) | Core::Xtensa(_) => self.pins().any(|pin| pin.port == port),
        }
    }

    /// Tells whether `address` lies on a bus of the part's peripherals or in its system memory.
    pub fn reaches(&self, address: Address) -> bool {
        self.soc().is_some_and(|soc| {
            soc.family.factory.contains(&address.get()) || soc.family.segment(address.get()).is_some()
        })
    }

    /// The pins that the part's package brings out, by port and number. A part that a user describes has those of its
    /// base, whatever its package; ports of peripherals that it leaves out count all the same.
    pub fn pins(&self) -> impl Iterator<Item = Pin> {
        let of_port = |(port, bits): &(u8, u32)| {
            let (port, bits) = (*port, *bits);
            (0..32).filter(move |number| bits & 1 << number != 0).map(move |number| Pin { port, number })
        };
        self.bonded.iter().flat_map(of_port)
    }

    /// Returns the addresses that mean something by themselves, so that code there cannot lie elsewhere: vectors, the second stage of
    /// a boot loader, and where execution begins.
    pub fn fixed(&self) -> Vec<Range<Address>> {
        let range = |from: Address, bytes: u32| from..Address::new(from.get().saturating_add(bytes));
        match &self.core {
            Core::CortexM(_) => {
                let lines = self.interrupts.iter().map(|(line, _)| u32::from(*line) + 1).max().unwrap_or(0);
                let vectors = self.vectors();
                let before = vectors.get() - self.flash.base.get();
                vec![range(self.flash.base, before + 4 * (16 + lines))]
            }
            // On an AVR no time depends on an address, so that nothing need lie elsewhere.
            Core::Avr(_) => Vec::new(),
            // Vectors lie where the program says.
            Core::Xtensa(_) => Vec::new(),
            Core::Riscv(own) => {
                let handler = match &own.config.traps {
                    Traps::Pico(pico) => Some(pico.vector),
                    Traps::Privileged(_) => None,
                };
                // Ibex has its vectors before its first instruction.
                let base = self.ram.base.get();
                let near = |start: &u32| start.checked_sub(base).is_some_and(|before| before <= 0x100);
                let of = |start: &u32| match near(start) {
                    true => range(self.ram.base, start - base + 2),
                    false => range(Address::new(*start), 2),
                };
                own.starts.iter().map(of).chain(handler.map(|vector| range(Address::new(vector), 2))).collect()
            }
        }
    }

    /// Returns the addresses of the memory that programs run from: the flash, or the RAM of a part without one.
    pub fn code_memory(&self) -> Range<u32> {
        let ram = match &self.core {
            Core::Xtensa(core) => core.code,
            _ => self.ram,
        };
        let Region { base, bytes } = if self.flash.bytes.get() > 0 { self.flash } else { ram };
        let end = (u64::from(base.get()) + bytes.get()).min(u32::MAX.into());
        base.get()..end as u32
    }

    /// Returns what ties the instruction `halfwords` at `pc` to its place; `None` on a part whose time depends on no address.
    pub fn reach(&self, halfwords: [u16; 2], pc: u32) -> Option<Reach> {
        match &self.core {
            Core::CortexM(core) => Some(cyclescope_cortex_m::reach(core.model.architecture(), halfwords, pc)),
            // An address counts where a fetch of 32 bits may be split.
            Core::Riscv(own) if own.config.timing.split.is_some() => {
                Some(cyclescope_riscv::reach(own.config.extensions, halfwords, pc))
            }
            Core::Riscv(_) => None,
            Core::Avr(_) | Core::Xtensa(_) => None,
        }
    }

    /// The rows behind the time that flash takes to read.
    pub fn flash_rows(&self) -> impl Iterator<Item = &'static TimingRow> {
        let family = self.soc().map(|soc| soc.family);
        let named = move |row: &&TimingRow| family.is_some_and(|family| family.flash_rows.contains(&row.name));
        family.into_iter().flat_map(|family| family.rows.iter().copied().flatten()).filter(named)
    }

    /// The rows behind the time that a bus takes.
    pub fn bus_rows(&self) -> Vec<&'static TimingRow> {
        self.soc().map(|soc| soc.family.bus_rows()).unwrap_or_default()
    }

    /// The name of the table of [`Part::timing_rows`] in documents: parts of packed metadata share one a family.
    pub fn row_table(&self) -> &str {
        match (crate::catalogue::entry(&self.name), self.soc()) {
            (Some(entry), _) => entry.file.trim_end_matches("plus"),
            // What stands beside a core alone must not take the core's own name.
            (None, Some(soc)) if self.name.starts_with("cortex-") => soc.family.name,
            _ => &self.name,
        }
    }

    /// All timing rows that the part's memories, bus and peripherals bring beside the core's own.
    pub fn timing_rows(&self) -> Vec<&'static TimingRow> {
        let mut rows = self.bus_rows();
        match &self.core {
            Core::CortexM(core) => rows.extend(core.soc.family.rows.iter().copied().flatten()),
            Core::Xtensa(core) => rows.extend(core.soc.family.rows.iter().copied().flatten()),
            Core::Avr(own) => rows.extend(own.timing_rows()),
            Core::Riscv(own) => rows.extend(own.timing_rows()),
        }
        rows
    }
}
