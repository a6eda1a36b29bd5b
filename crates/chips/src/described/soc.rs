//! RISC-V systems that a user describes: `core` instead of `base`, with memories, devices and what is absent.
//!
//! ```toml
//! name = "my-soc"
//! core = "vexriscv"
//! clock_hz = 100_000_000
//! pmp_regions = 16
//!
//! [[memory]]
//! name = "ram"
//! base = 0x8000_0000
//! bytes = 0x40_0000
//!
//! [[device]]
//! name = "uart0"
//! kind = "uart16550"
//! base = 0x1000_0000
//! interrupts = [11]
//! ```

use std::borrow::Cow;

use cyclescope_machine::units::{Address, Bytes, Hertz};
use cyclescope_peripherals::riscv::{Instance, Kind, Wire};
use cyclescope_riscv::decode::Extensions;
use cyclescope_riscv::timing::{IBEX, INSTRUCTIONS, PICORV32};
use cyclescope_riscv::{Config, Misaligned, PicoConfig, Privileged, Traps};
use serde::Deserialize;
use toml::Spanned;

use super::error::DescriptionError;
use super::file::File;
use super::kept;
use super::places::{MOST_PLACES, Place, check};
use super::wires::{lines, shared};
use crate::part::{Part, Region};
use crate::parts;
use crate::riscv::{Hole, RiscvPart};

const CORES: [&str; 4] = ["ibex", "picorv32", "vexriscv", "generic"];
/// Kinds of devices, each with the bytes of its addresses.
const KINDS: [(&str, u32); 7] = [
    ("uart16550", 0x100),
    ("clint", 0x1_0000),
    ("plic", 0x60_0000),
    ("finisher", 0x1000),
    ("pico-finisher", 0x100),
    ("ibex-timer", 0x400),
    ("simulator-control", 0x400),
];

#[derive(Deserialize)]
pub(super) struct Raw {
    pub name: Spanned<String>,
    pub core: Spanned<String>,
    pub description: Option<Spanned<String>>,
    pub clock_hz: Option<Spanned<u64>>,
    pub extensions: Option<Spanned<String>>,
    pub timing: Option<Spanned<String>>,
    pub variant: Option<Spanned<String>>,
    pub bus: Option<Spanned<String>>,
    pub bus_bursting: Option<Spanned<bool>>,
    pub l2_bytes: Option<Spanned<u32>>,
    pub user_mode: Option<Spanned<bool>>,
    pub pmp_regions: Option<Spanned<u8>>,
    pub smepmp: Option<Spanned<bool>>,
    pub misaligned: Option<Spanned<String>>,
    pub vectors: Option<Spanned<u32>>,
    pub reset: Option<Spanned<Vec<u32>>>,
    #[serde(default)]
    pub memory: Vec<Spanned<RawMemory>>,
    #[serde(default)]
    pub device: Vec<Spanned<RawDevice>>,
    #[serde(default)]
    pub absent: Vec<Spanned<RawAbsent>>,
}

#[derive(Deserialize)]
pub(super) struct RawMemory {
    pub name: String,
    pub base: u64,
    pub bytes: u64,
    #[serde(default)]
    pub rom: bool,
    pub sdram: Option<Spanned<bool>>,
}

#[derive(Deserialize)]
pub(super) struct RawDevice {
    pub name: String,
    pub kind: Spanned<String>,
    pub base: u64,
    pub interrupts: Option<Spanned<Vec<u8>>>,
    pub plic: Option<Spanned<u8>>,
    pub timed: Option<bool>,
    pub divider: Option<Spanned<u32>>,
    pub sources: Option<Spanned<u8>>,
}

#[derive(Deserialize)]
pub(super) struct RawAbsent {
    pub name: String,
    pub base: u64,
    pub bytes: u64,
}

/// Tells whether `table` describes a RISC-V system.
pub(super) fn is_meant(table: &toml::Table) -> bool {
    table.contains_key("core") && !table.contains_key("base")
}

/// The part that `file` describes.
pub(super) fn part(file: &File<'_>, table: &toml::Table) -> Result<Part, DescriptionError> {
    file.keys::<Raw>(table)?;
    file.keys_inside::<RawMemory>(table, "memory")?;
    file.keys_inside::<RawDevice>(table, "device")?;
    file.keys_inside::<RawAbsent>(table, "absent")?;
    let raw: Raw = file.read()?;
    file.own_name(&raw.name)?;
    if let Some(text) = &raw.description {
        file.short("description", text)?;
    }
    kept::part(file.text, || Description { file, raw: &raw }.part())
}

pub(super) struct Description<'a> {
    pub file: &'a File<'a>,
    pub raw: &'a Raw,
}

impl Description<'_> {
    fn part(&self) -> Result<Part, DescriptionError> {
        let Self { file, raw } = self;
        let places = self.places()?;
        check(&places).map_err(|(line, key, why)| DescriptionError::Value { line, key, why })?;
        let (rom, mut rams) = self.memories(&places)?;
        // The largest is where code is kept at hand.
        let main = (0..rams.len()).rev().max_by_key(|index| rams[*index].bytes).unwrap_or(0);
        let ram = rams.remove(main);
        let first = if rom.bytes.get() > 0 { rom.base.get() } else { ram.base.get() };
        let config = self.config(first)?;
        let starts = match &raw.reset {
            Some(starts) if starts.get_ref().is_empty() || starts.get_ref().len() > 16 => {
                return Err(file.bad("reset", starts, "must have 1 to 16 addresses"));
            }
            Some(starts) if starts.get_ref().iter().any(|start| start % instruction(&config) != 0) => {
                let why = format!("must have multiples of {}, as instructions do", instruction(&config));
                return Err(file.bad("reset", starts, why));
            }
            Some(starts) => starts.get_ref().clone(),
            None => vec![config.reset],
        };
        let config = Config { timing: self.bus(config.timing, &places)?, ..config };
        let (clock, allowed) = (raw.clock_hz.as_ref(), 1_000..=10_000_000_000);
        let clock = Hertz::new(file.within("clock_hz", clock, 50_000_000, allowed, "must be 1 kHz to 10 GHz")?);
        let instances = self.instances(&config)?;
        let holes = raw.absent.iter().map(|absent| {
            let absent = absent.get_ref();
            Hole { name: kept::text(&absent.name), base: absent.base as u32, bytes: absent.bytes as u32 }
        });
        let own = RiscvPart {
            name: kept::text(raw.name.get_ref()),
            config: Config { reset: starts[0], ..config },
            core: match raw.core.get_ref().as_str() {
                "ibex" => "an Ibex",
                "picorv32" => "a PicoRV32",
                "vexriscv" => "a VexRiscv",
                _ => "a RISC-V core",
            },
            clock,
            rom,
            ram,
            other_rams: kept::values(rams),
            starts: kept::values(starts),
            interrupts: kept::values(lines(&config, &instances)),
            instances: kept::values(instances),
            holes: kept::values(holes.collect()),
        };
        let description = raw.description.as_ref().map_or("described by a file", |text| text.get_ref());
        Ok(made(own, description))
    }

    fn places(&self) -> Result<Vec<Place>, DescriptionError> {
        let Self { file, raw } = self;
        let count = raw.memory.len() + raw.device.len() + raw.absent.len();
        if count > MOST_PLACES {
            let why = format!("and devices and what is absent are {count}; at most {MOST_PLACES} are taken");
            return Err(DescriptionError::Value { line: file.line_of_key("memory"), key: "memory", why });
        }
        let place = |name: &str, base, bytes, line, memory| Place { name: name.to_owned(), base, bytes, line, memory };
        let memories = raw.memory.iter().map(|memory| {
            let own = memory.get_ref();
            Ok(place(&own.name, own.base, own.bytes, file.line(memory), true))
        });
        let devices = raw.device.iter().map(|device| {
            let own = device.get_ref();
            Ok(place(&own.name, own.base, self.bytes(own)?.into(), file.line(device), false))
        });
        let absent = raw.absent.iter().map(|absent| {
            let own = absent.get_ref();
            Ok(place(&own.name, own.base, own.bytes, file.line(absent), false))
        });
        memories.chain(devices).chain(absent).collect()
    }

    /// The bytes of a device's addresses.
    fn bytes(&self, device: &RawDevice) -> Result<u32, DescriptionError> {
        let known = KINDS.iter().find(|(kind, _)| kind == device.kind.get_ref());
        let unknown = || self.file.unknown("kind of device", &device.kind, KINDS.iter().map(|(kind, _)| *kind));
        known.map(|(_, bytes)| *bytes).ok_or_else(unknown)
    }

    /// The ROM, of no bytes where there is none, and the RAMs.
    fn memories(&self, places: &[Place]) -> Result<(Region, Vec<Region>), DescriptionError> {
        let (mut rom, mut rams) = (None, Vec::new());
        for (memory, place) in self.raw.memory.iter().zip(places) {
            if !memory.get_ref().rom {
                rams.push(place.region());
            } else if rom.replace(place.region()).is_some() {
                return Err(self.file.bad("rom", memory, "is said of two memories; one can be"));
            }
        }
        if rams.is_empty() {
            let why = "must have one that is no ROM".to_owned();
            return Err(DescriptionError::Value { line: self.file.line_of_key("memory"), key: "memory", why });
        }
        Ok((rom.unwrap_or(Region { base: Address::ZERO, bytes: Bytes::ZERO }), rams))
    }

    /// The core, whose first memory begins at `first`.
    fn config(&self, first: u32) -> Result<Config, DescriptionError> {
        let Self { file, raw } = self;
        let vectors = raw.vectors.as_ref().map_or(first, |vectors| *vectors.get_ref());
        let regions = raw.pmp_regions.as_ref().map_or(0, |regions| *regions.get_ref());
        if let Some(at) = raw.pmp_regions.as_ref().filter(|regions| ![0, 4, 8, 16].contains(regions.get_ref())) {
            return Err(file.bad("pmp_regions", at, "must be 0, 4, 8 or 16"));
        }
        let traps = |privileged| Traps::Privileged(privileged);
        let (timing, extensions, misaligned, traps, reset) = match raw.core.get_ref().as_str() {
            "ibex" => {
                let reset = vectors.wrapping_add(0x80);
                (&IBEX, Extensions::IMC, Misaligned::Hardware, traps(Privileged::ibex(vectors)), reset)
            }
            "picorv32" => {
                let vector = raw.vectors.as_ref().map_or(first.wrapping_add(0x10), |vectors| *vectors.get_ref());
                let pico = Traps::Pico(PicoConfig { vector, ..PicoConfig::DEFAULT });
                (&PICORV32, Extensions::PICORV32, Misaligned::Trap, pico, first)
            }
            "vexriscv" if raw.variant.is_some() => return self.variant(first),
            "vexriscv" => {
                let extensions = Extensions { data_cache: true, ..Extensions::IMC };
                (&INSTRUCTIONS, extensions, Misaligned::Trap, traps(Privileged::vexriscv(regions)), first)
            }
            "generic" => {
                (&INSTRUCTIONS, Extensions::IMAC, Misaligned::Hardware, traps(Privileged::plain(regions)), first)
            }
            _ => return Err(file.unknown("core", &raw.core, CORES.into_iter())),
        };
        if let Some(at) = &raw.variant {
            return Err(file.bad(
                "variant",
                at,
                format!("says nothing of {}; vexriscv has variants", raw.core.get_ref()),
            ));
        }
        let mut config = Config { timing, extensions, misaligned, traps, reset, hart: 0, semihosting: true };
        self.refine(&mut config)?;
        Ok(config)
    }

    /// Applies the keys that refine the core beside its name.
    fn refine(&self, config: &mut Config) -> Result<(), DescriptionError> {
        let Self { file, raw } = self;
        // Ibex takes the upper 24 bits of boot_addr_i (ibex_if_stage.sv).
        let unit = if raw.core.get_ref() == "ibex" { 256 } else { instruction(config) };
        if let Some(at) = raw.vectors.as_ref().filter(|vectors| *vectors.get_ref() % unit != 0) {
            return Err(file.bad("vectors", at, format!("must be a multiple of {unit}")));
        }
        if let Some(timing) = &raw.timing {
            if timing.get_ref() != "instructions" {
                return Err(file.bad("timing", timing, "must be \"instructions\"; without it a core has its own"));
            }
            config.timing = &INSTRUCTIONS;
        }
        let fixed = matches!(raw.core.get_ref().as_str(), "ibex" | "picorv32");
        let why = || format!("says nothing of {}, which is as it was measured", raw.core.get_ref());
        if let Some(letters) = &raw.extensions {
            if fixed {
                return Err(file.bad("extensions", letters, why()));
            }
            if let Some(letter) = letters.get_ref().chars().find(|letter| !"imac".contains(*letter)) {
                let why = format!("has `{letter}`; there are i, m, a and c");
                return Err(file.bad("extensions", letters, why));
            }
            let has = |letter| letters.get_ref().contains(letter);
            config.extensions =
                Extensions { m: has('m'), a: has('a'), zalrsc: has('a'), c: has('c'), ..Extensions::IMAC };
        }
        if let Some(misaligned) = &raw.misaligned {
            config.misaligned = match misaligned.get_ref().as_str() {
                _ if fixed => return Err(file.bad("misaligned", misaligned, why())),
                "hardware" => Misaligned::Hardware,
                "trap" => Misaligned::Trap,
                _ => return Err(file.bad("misaligned", misaligned, "must be \"hardware\" or \"trap\"")),
            };
        }
        if let Some(regions) = raw.pmp_regions.as_ref().filter(|_| fixed) {
            return Err(file.bad("pmp_regions", regions, why()));
        }
        if let Some(smepmp) = &raw.smepmp {
            match &mut config.traps {
                Traps::Privileged(core) if raw.core.get_ref() == "generic" && core.pmp_regions > 0 => {
                    core.smepmp = *smepmp.get_ref();
                }
                _ => return Err(file.bad("smepmp", smepmp, "needs the core \"generic\" and pmp_regions")),
            }
        }
        if let Some(user) = &raw.user_mode {
            match &mut config.traps {
                Traps::Privileged(core) if !fixed => core.user_mode = *user.get_ref(),
                _ => return Err(file.bad("user_mode", user, why())),
            }
        }
        Ok(())
    }

    fn instances(&self, config: &Config) -> Result<Vec<Instance>, DescriptionError> {
        let mut serial = 0;
        let mut instances = Vec::new();
        for device in &self.raw.device {
            let own = device.get_ref();
            let kind = self.kind(own, &mut serial)?;
            instances.push(Instance {
                name: kept::text(&own.name),
                base: own.base as u32,
                bytes: self.bytes(own)?,
                kind,
                wires: kept::values(self.wires(own, kind, config)?),
            });
        }
        let plics = instances.iter().filter(|instance| matches!(instance.kind, Kind::Plic { .. })).count();
        if plics > 1 {
            return Err(self.file.bad("device", &self.raw.device[0], "has two PLICs; one can be"));
        }
        if let Some((index, key, why)) = shared(&instances) {
            let device = &self.raw.device[index];
            let RawDevice { plic, interrupts, .. } = device.get_ref();
            let said = plic.as_ref().map(|at| self.file.line(at));
            let said = said.or_else(|| interrupts.as_ref().map(|at| self.file.line(at)));
            return Err(DescriptionError::Value { line: said.unwrap_or_else(|| self.file.line(device)), key, why });
        }
        Ok(instances)
    }

    /// Returns the kind of the block `own`; `serial` is the number of the next serial port.
    fn kind(&self, own: &RawDevice, serial: &mut u8) -> Result<Kind, DescriptionError> {
        let mut port = || {
            *serial += 1;
            *serial - 1
        };
        Ok(match own.kind.get_ref().as_str() {
            "uart16550" => Kind::Uart16550 { number: port(), timed: own.timed.unwrap_or(false) },
            "simulator-control" => Kind::SimulatorControl { number: port() },
            "clint" => {
                let (said, why) = (own.divider.as_ref(), "must be 1 to 1000000 cycles of the core");
                Kind::Clint { divider: self.file.within("divider", said, 1, 1..=1_000_000, why)? }
            }
            "plic" => {
                let (said, why) = (own.sources.as_ref(), "must be 1 to 127");
                Kind::Plic { sources: self.file.within("sources", said, 95, 1..=127, why)? }
            }
            "pico-finisher" => Kind::PicoFinisher,
            "ibex-timer" => Kind::IbexTimer,
            // `places` has named what is none of them.
            _ => Kind::Finisher,
        })
    }

    fn wires(&self, own: &RawDevice, kind: Kind, config: &Config) -> Result<Vec<Wire>, DescriptionError> {
        let file = self.file;
        let allowed = |line: u8| match &config.traps {
            Traps::Privileged(core) => {
                line < 32 && core.interrupts >> line & 1 != 0 || core.external_array && (32..64).contains(&line)
            }
            Traps::Pico(_) => (3..32).contains(&line),
        };
        if let Some(source) = &own.plic {
            let sources = self.raw.device.iter().map(|device| device.get_ref()).find_map(|device| {
                let plic = device.kind.get_ref() == "plic";
                plic.then(|| device.sources.as_ref().map_or(95, |sources| *sources.get_ref()))
            });
            return match sources {
                Some(most) if (1..=most).contains(source.get_ref()) => Ok(vec![Wire::Plic(*source.get_ref())]),
                Some(most) => Err(file.bad("plic", source, format!("must be 1 to {most}, as the PLIC has sources"))),
                None => Err(file.bad("plic", source, "names a source of a PLIC, and there is none")),
            };
        }
        let privileged = config.privileged().is_some();
        let usual: &[u8] = match kind {
            Kind::Clint { .. } if privileged => &[3, 7],
            Kind::Plic { .. } if privileged => &[11],
            Kind::IbexTimer if privileged => &[7],
            _ => &[],
        };
        let lines = own.interrupts.as_ref().map_or(usual, |lines| lines.get_ref());
        match &own.interrupts {
            Some(at) if lines.len() > 2 => Err(file.bad("interrupts", at, "must be two at most")),
            Some(at) if lines.iter().any(|line| !allowed(*line)) => {
                Err(file.bad("interrupts", at, "must be lines that the core has (docs/riscv.md)"))
            }
            _ => Ok(lines.iter().map(|line| Wire::Core(*line)).collect()),
        }
    }
}

/// Returns the alignment of instructions in bytes.
fn instruction(config: &Config) -> u32 {
    if config.extensions.c { 2 } else { 4 }
}

/// The part of `own`.
pub(super) fn made(own: RiscvPart, description: &str) -> Part {
    Part { description: Cow::Owned(description.to_owned()), ..parts::riscv::part(kept::value(own), "") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::Core;

    const RAM: &str = "[[memory]]\nname = \"ram\"\nbase = 0x8000_0000\nbytes = 0x40_0000\n";

    fn with(head: &str, rest: &str) -> String {
        format!("name = \"mine\"\n{head}\n{RAM}{rest}")
    }

    fn own(text: &str) -> &'static RiscvPart {
        let Core::Riscv(own) = Part::from_toml(text).unwrap().core else { panic!("it has a RISC-V core") };
        own
    }

    #[test]
    fn a_system_is_what_its_description_says() {
        let device = |name: &str, kind: &str, base: u32, more: &str| {
            format!("[[device]]\nname = \"{name}\"\nkind = \"{kind}\"\nbase = {base:#x}\n{more}\n")
        };
        let rest = [
            "[[memory]]\nname = \"rom\"\nbase = 0\nbytes = 0x1_0000\nrom = true\n".to_owned(),
            "[[memory]]\nname = \"sram\"\nbase = 0x1000_0000\nbytes = 0x2000\n".to_owned(),
            device("clint", "clint", 0x0200_0000, "divider = 10"),
            device("plic", "plic", 0x0C00_0000, "sources = 31"),
            device("uart0", "uart16550", 0x2000_0000, "plic = 5\ntimed = true"),
            device("uart1", "uart16550", 0x2000_1000, "interrupts = [40]"),
            "[[absent]]\nname = \"gpio\"\nbase = 0x3000_0000\nbytes = 0x1000\n".to_owned(),
        ]
        .concat();
        let head = "core = \"vexriscv\"\nclock_hz = 100_000_000\npmp_regions = 8\nextensions = \"im\"\nuser_mode = false\n\
                    misaligned = \"hardware\"\nreset = [0x40, 0x8000_0000]";
        let part = own(&with(head, &rest));
        assert_eq!((part.rom.bytes.get(), part.ram.base.get(), part.other_rams.len()), (0x1_0000, 0x8000_0000, 1));
        assert_eq!((part.clock, part.starts), (Hertz::new(100_000_000), &[0x40, 0x8000_0000][..]));
        assert!(!part.config.extensions.c && part.config.misaligned == Misaligned::Hardware);
        let privileged = part.config.privileged().unwrap();
        assert_eq!((privileged.pmp_regions, privileged.user_mode), (8, false));
        let wires: Vec<&[Wire]> = part.instances.iter().map(|instance| instance.wires).collect();
        let core = Wire::Core;
        assert_eq!(wires, [&[core(3), core(7)][..], &[core(11)], &[Wire::Plic(5)], &[core(40)]]);
        assert_eq!(part.instances[3].kind, Kind::Uart16550 { number: 1, timed: false });
        assert_eq!(part.interrupts, [(3, "clint"), (7, "clint"), (11, "external"), (40, "uart1")]);
        assert_eq!(part.holes[0].name, "gpio");
        // Where nothing is said it begins in ROM, or in RAM where there is none; Ibex behind its vectors.
        assert_eq!(own(&with("core = \"generic\"", "")).starts, [0x8000_0000]);
        assert_eq!(own(&with("core = \"ibex\"", "")).starts, [0x8000_0080]);
        let slow = own(&with("core = \"picorv32\"\ntiming = \"instructions\"", ""));
        assert!(slow.config.privileged().is_none() && slow.config.timing.core == "instructions");
    }

    #[test]
    fn errors_name_the_line_and_what_was_meant() {
        let memory = |base: u64, bytes: u64| format!("[[memory]]\nname = \"x\"\nbase = {base}\nbytes = {bytes}\n");
        let core = "core = \"generic\"";
        for (text, expected) in [
            (with("core = \"vexrisc\"", ""), "line 2: no core is called `vexrisc`; the nearest are vexriscv"),
            (with("core = \"ibex\"\npmp = 16", ""), "line 3: there is no key `pmp`; the nearest are pmp_regions"),
            (
                with(core, "[[device]]\nname = \"u\"\nkind = \"uart16650\"\nbase = 0\n"),
                "line 9: no kind of device is called",
            ),
            (
                with(core, "[[device]]\nname = \"u\"\nkind = \"plic\"\nbase = 0\nsource = 1\n"),
                "line 11: there is no key `source`",
            ),
            (with(core, &memory(0, 4 << 30)), "line 7: bytes of the memory `x` are more than 512 MiB"),
            (with(core, &memory(0xFFFF_F000, 0x2000)), "line 7: bytes of `x` go beyond"),
            (with(core, &memory(0, u64::MAX / 4 * 4)), "line 10: "),
            (
                with(core, &memory(0x8000_1000, 0x1000)),
                "line 7: base of `x` is inside `ram` (0x80000000 to 0x803fffff)",
            ),
            (with(core, &memory(0x7FFF_F000, 0x2000)), "line 7: base of `x` reaches into `ram`"),
            (with(core, &memory(0, 0)), "line 7: bytes of `x` must be whole words"),
            (
                with(core, &[memory(0, 512 << 20), memory(512 << 20, 512 << 20)].concat()),
                "line 11: bytes of all memories",
            ),
            (with("core = \"ibex\"\npmp_regions = 16", ""), "line 3: pmp_regions says nothing of ibex"),
            (with("core = \"generic\"\npmp_regions = 5", ""), "line 3: pmp_regions must be 0, 4, 8 or 16"),
            (with("core = \"generic\"\nextensions = \"imf\"", ""), "line 3: extensions has `f`"),
            (with("core = \"generic\"\nclock_hz = 1", ""), "line 3: clock_hz must be"),
            (with("core = \"generic\"\nreset = []", ""), "line 3: reset must have"),
            (
                with(core, "[[device]]\nname = \"u\"\nkind = \"uart16550\"\nbase = 0\ninterrupts = [5]\n"),
                "line 11: interrupts must be lines",
            ),
            (
                with(core, "[[device]]\nname = \"u\"\nkind = \"uart16550\"\nbase = 0\nplic = 5\n"),
                "line 11: plic names a source",
            ),
            (with("core = \"generic\"\nreset = [0x8000_0001]", ""), "line 3: reset must have multiples of 2"),
            (
                with("core = \"generic\"\nextensions = \"ima\"\nreset = [0x40, 0x8000_0002]", ""),
                "line 4: reset must have multiples of 4",
            ),
            (with("core = \"ibex\"\nvectors = 0x8000_0080", ""), "line 3: vectors must be a multiple of 256"),
            (with("core = \"picorv32\"\nvectors = 0x8000_0011", ""), "line 3: vectors must be a multiple of 2"),
            ("name = \"mine\"\ncore = \"generic\"".to_owned(), "line 1: memory must have one"),
        ] {
            let error = Part::from_toml(&text).expect_err(&text).to_string();
            assert!(error.starts_with(expected), "{text}\n{error}");
        }
    }

    #[test]
    fn a_name_of_a_chip_that_there_is_is_refused() {
        let error = Part::from_toml("name = \"virt\"\ncore = \"generic\"").unwrap_err().to_string();
        assert!(error.contains("name is that of a chip"), "{error}");
    }
}
