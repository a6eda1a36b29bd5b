//! The coverage of each peripheral by a part's model, from the declarations of its registers alone.

use std::collections::BTreeSet;

use cyclescope_peripherals::avr::Kind as AvrKind;
use cyclescope_peripherals::riscv::Kind as RiscvKind;
use cyclescope_peripherals::{Bank, Block as _, Device, Field, Instance, MemorySetting, Properties, Register};

use crate::avr::AvrPart;
use crate::part::{Core, Part, Soc};
use crate::riscv::RiscvPart;

/// The part of a peripheral that is modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// Every field of every register.
    Modelled,
    /// Some fields.
    Partly,
    /// No field: registers keep what is written, and a program that relies on one is told.
    Declared,
}

impl Extent {
    /// Its word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Modelled => "modelled",
            Self::Partly => "partly",
            Self::Declared => "declared",
        }
    }

    fn of(modelled: u32, declared: u32) -> Self {
        match modelled {
            0 if declared > 0 => Self::Declared,
            some if some < declared => Self::Partly,
            _ => Self::Modelled,
        }
    }
}

/// A register of which fields are not modelled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// The register.
    pub register: &'static str,
    /// Its fields that are not modelled; empty if none of its fields is.
    pub fields: Vec<&'static str>,
}

/// One peripheral of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Its name in the part: `TIM3`.
    pub name: &'static str,
    /// Its block and the version of it: `timer v3`.
    pub block: String,
    /// Its base address, or the lowest of its registers.
    pub address: u32,
    /// The part that is modelled.
    pub extent: Extent,
    /// Bits of fields that are modelled, and of all fields; 0 where the model does not declare bits.
    pub bits: (u32, u32),
    /// The registers with fields that are not modelled.
    pub missing: Vec<Missing>,
    /// All registers that the model declares, with the part of each that is modelled.
    pub registers: Vec<(&'static str, Extent)>,
}

impl Part {
    /// Returns the coverage of each peripheral, by address; a core alone has none.
    pub fn coverage(&self) -> Vec<Coverage> {
        let mut all = match &self.core {
            Core::CortexM(core) => of_soc(self, &core.soc),
            Core::Xtensa(core) => of_soc(self, &core.soc),
            Core::Avr(part) => of_avr(part),
            Core::Riscv(part) => of_riscv(part),
        };
        all.sort_by_key(|one| one.address);
        all
    }

    /// Returns the names of the peripherals whose transfers observers see.
    pub fn lines(&self) -> Vec<&'static str> {
        const KINDS: [&str; 11] =
            ["I2C", "TWI", "SPI", "CAN", "USART", "UART", "LPUART", "SERIAL", "USB", "USB_OTG_FS", "USB_OTG_HS"];
        let sees = |one: &&Coverage| {
            let kind = one.name.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_ascii_uppercase();
            KINDS.contains(&&*kind) && one.extent != Extent::Declared
        };
        self.coverage().iter().filter(sees).map(|one| one.name).collect()
    }

    /// The name of the parts whose peripherals are of the same kinds.
    pub fn line(&self) -> &'static str {
        match &self.core {
            Core::CortexM(core) => core.soc.family.name,
            Core::Xtensa(core) => core.soc.family.name,
            Core::Avr(_) => "atmega",
            Core::Riscv(part) => part.name,
        }
    }
}

/// A register, and its modelled bits.
type Covered = (&'static Register, u32);

fn coverage(name: &'static str, block: String, address: u32, rows: &[Covered]) -> Coverage {
    let count = |bits: &dyn Fn(&Covered) -> u32| rows.iter().map(|row| bits(row).count_ones()).sum::<u32>();
    let bits = (count(&|(register, modelled)| modelled & register.declared()), count(&|row| row.0.declared()));
    let missing = |(register, modelled): &Covered| {
        let lacks = |field: &&Field| field.mask() & !modelled != 0;
        let fields: Vec<&'static str> = register.fields.iter().filter(lacks).map(|field| field.name).collect();
        let whole = fields.len() == register.fields.len();
        let register = register.name;
        (!fields.is_empty()).then(|| Missing { register, fields: if whole { Vec::new() } else { fields } })
    };
    let missing = rows.iter().filter_map(missing).collect();
    let extent = |(register, modelled): &Covered| {
        let declared = register.declared();
        (register.name, Extent::of((modelled & declared).count_ones(), declared.count_ones()))
    };
    let registers = rows.iter().map(extent).collect();
    Coverage { name, block, address, extent: Extent::of(bits.0, bits.1), bits, missing, registers }
}

fn of_soc(part: &Part, soc: &Soc) -> Vec<Coverage> {
    let properties = Properties {
        setting: MemorySetting::Shipped,
        flash_bytes: part.flash.bytes.get(),
        sectors: &soc.sectors,
        full_usarts: soc.full_usarts,
        device_id: soc.device_id,
        clock: part.clock,
        conditioned_rng: soc.family.conditioned_rng,
    };
    let one = |instance: &'static Instance| {
        let device = Device::new(instance, &properties);
        let rows = device.bank().map(Bank::rows).unwrap_or_default();
        // Words that the factory wrote are read as they are.
        let fixed = soc.factory_word(instance.address).is_some();
        let rows: Vec<Covered> =
            rows.iter().map(|row| (row.register, if fixed { u32::MAX } else { row.modelled })).collect();
        let block = format!("{} {}", instance.map.kind, instance.map.version);
        let mut one = coverage(instance.name, block.trim_end().to_owned(), instance.address, &rows);
        // A block whose registers nobody declared only keeps what is written.
        if instance.map.registers.is_empty() {
            one.extent = Extent::Declared;
        }
        one
    };
    soc.instances().map(one).collect()
}

fn of_avr(part: &'static AvrPart) -> Vec<Coverage> {
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    let mut all = Vec::new();
    for instance in part.instances {
        let known = instance.registers.iter().filter_map(|own| Some((part.register(own.address)?, own.modelled)));
        // What only holds a value does all that such a register does.
        let rows: Vec<Covered> = known.map(|(register, bits)| (register, u32::from(bits))).collect();
        seen.extend(rows.iter().map(|(register, _)| register.offset));
        let address = rows.iter().map(|(register, _)| register.offset).min().unwrap_or(0);
        all.push(coverage(instance.name, avr_kind(instance.kind).to_owned(), address, &rows));
    }
    // The core's own: SPL, SPH, SREG, SMCR, RAMPZ and EIND.
    let core = [Some(0x5D), Some(0x5E), Some(0x5F), Some(0x53), part.rampz, part.eind];
    seen.extend(core.into_iter().flatten().map(u32::from));
    let rest: Vec<Covered> = part
        .map
        .registers
        .iter()
        .filter(|register| !register.alternate && !seen.contains(&register.offset))
        .map(|register| (register, 0))
        .collect();
    if let Some((first, _)) = rest.first() {
        all.push(coverage("others", "registers without a block".to_owned(), first.offset, &rest));
    }
    all
}

fn avr_kind(kind: AvrKind) -> &'static str {
    match kind {
        AvrKind::Prescaler => "prescaler",
        AvrKind::Timer => "timer",
        AvrKind::Timer4 => "timer of 10 bits",
        AvrKind::Port => "port",
        AvrKind::ExternalInterrupts { .. } => "external interrupts",
        AvrKind::PinChangeInterrupts => "pin change interrupts",
        AvrKind::Usart => "usart",
        AvrKind::Eeprom { .. } => "eeprom",
        AvrKind::SelfProgramming(_) => "self-programming",
        AvrKind::System { .. } => "system",
        AvrKind::Storage(_) => "general-purpose registers",
        AvrKind::Pll => "pll",
        AvrKind::Usb => "usb",
        AvrKind::Adc(_) => "adc",
        AvrKind::Comparator => "comparator",
        AvrKind::Spi => "spi",
        AvrKind::Twi => "twi",
        AvrKind::Watchdog { .. } => "watchdog",
    }
}

fn of_riscv(part: &'static RiscvPart) -> Vec<Coverage> {
    let undeclared = |name, block: &str, address, extent| {
        let block = block.to_owned();
        Coverage { name, block, address, extent, bits: (0, 0), missing: Vec::new(), registers: Vec::new() }
    };
    let blocks = part.instances.iter().map(|instance| {
        let (kind, extent) = riscv_kind(instance.kind);
        undeclared(instance.name, kind, instance.base, extent)
    });
    let holes = part.holes.iter().map(|hole| undeclared(hole.name, "not modelled", hole.base, Extent::Declared));
    blocks.chain(holes).collect()
}

fn riscv_kind(kind: RiscvKind) -> (&'static str, Extent) {
    match kind {
        RiscvKind::Uart16550 { .. } => ("16550 uart", Extent::Modelled),
        RiscvKind::Clint { .. } => ("clint", Extent::Modelled),
        RiscvKind::Plic { .. } => ("plic", Extent::Modelled),
        RiscvKind::Finisher => ("test finisher", Extent::Modelled),
        RiscvKind::PicoFinisher => ("test bench's end", Extent::Modelled),
        RiscvKind::SimulatorControl { .. } => ("simulator control", Extent::Modelled),
        RiscvKind::IbexTimer => ("timer of Ibex's system", Extent::Modelled),
        RiscvKind::VirtioSlot => ("virtio slot, empty", Extent::Modelled),
        RiscvKind::LiteXControl(_) => ("litex control", Extent::Modelled),
        RiscvKind::LiteXTimer(_) => ("litex timer", Extent::Modelled),
        RiscvKind::LiteXUart(_) => ("litex uart", Extent::Modelled),
        RiscvKind::LiteXAbsent(_) => ("litex bank", Extent::Declared),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(chip: &str, name: &str) -> Coverage {
        let all = Part::find(chip).expect("it is known").coverage();
        all.into_iter().find(|one| one.name == name).unwrap_or_else(|| panic!("{chip} has no {name}"))
    }

    #[test]
    fn a_block_is_modelled_partly_or_declared_as_its_model_says() {
        assert_eq!(of("stm32c031c6", "CRC").extent, Extent::Modelled);
        let audio = of("stm32f446ze", "SAI1");
        assert_eq!((audio.extent, audio.bits.0), (Extent::Declared, 0));
        let syscfg = of("stm32c031c6", "SYSCFG");
        assert_eq!(syscfg.extent, Extent::Partly);
        let lacks = syscfg.missing.iter().find(|missing| missing.register == "CFGR1").expect("most of CFGR1 is not");
        assert!(!lacks.fields.is_empty() && !lacks.fields.contains(&"MEM_MODE"), "{lacks:?}");
    }

    #[test]
    fn every_declared_register_of_every_part_is_somewhere() {
        for part in Part::all() {
            let all = part.coverage();
            assert!(all.iter().all(|one| one.bits.0 <= one.bits.1), "{}", part.name);
            for one in &all {
                let missing = one.missing.is_empty() == (one.bits.0 == one.bits.1);
                assert!(missing, "{} {}: {:?}", part.name, one.name, one.bits);
                assert!(one.extent != Extent::Modelled || one.missing.is_empty());
                let whole = one.registers.iter().filter(|(_, extent)| *extent == Extent::Modelled).count();
                assert_eq!(one.registers.len() - whole, one.missing.len(), "{} {}", part.name, one.name);
            }
        }
        let atmega = of("atmega32u4", "others");
        let registers: Vec<&str> = atmega.missing.iter().map(|missing| missing.register).collect();
        assert!(
            registers.contains(&"OCDR") && registers.contains(&"UCSR1D") && !registers.contains(&"SREG"),
            "{registers:?}"
        );
    }
}
