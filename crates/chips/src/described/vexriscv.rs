//! A described VexRiscv with the cycles of its Verilog: the keys `variant`, `bus` and those of the memory on it.

use cyclescope_riscv::timing::litedram::{L2_BYTES, MT48LC16M16_BYTES, mt48lc16m16};
use cyclescope_riscv::timing::litex::{self, REGISTERED, REGISTERS, Slave};
use cyclescope_riscv::timing::{CoreTiming, variant_on};
use cyclescope_riscv::{Config, VexRiscv};
use toml::Spanned;

use super::error::DescriptionError;
use super::kept;
use super::places::Place;
use super::soc::Description;

/// The most slaves of the bus.
const MOST: usize = 8;
/// Below this address the data cache keeps what it loads.
const UNCACHED: u64 = 0x8000_0000;
/// The sizes of a cache before SDRAM.
const CACHES: std::ops::RangeInclusive<u32> = 32..=1 << 20;

impl Description<'_> {
    /// The core of the key `variant`, whose first memory begins at `first`.
    pub(super) fn variant(&self, first: u32) -> Result<Config, DescriptionError> {
        let Self { file, raw } = self;
        let Some(named) = &raw.variant else { return Err(file.bad("variant", &raw.core, "is missing")) };
        let name = named.get_ref().as_str();
        let variant = VexRiscv::ALL.into_iter().find(|variant| variant.name == name);
        let names = || VexRiscv::ALL.iter().map(|variant| variant.name);
        let variant = variant.ok_or_else(|| file.unknown("variant of VexRiscv", named, names()))?;
        let fixed = || format!("says nothing of the variant {name}, which is as it was measured");
        let refused = [
            ("extensions", raw.extensions.as_ref().map(|at| file.line(at))),
            ("misaligned", raw.misaligned.as_ref().map(|at| file.line(at))),
            ("pmp_regions", raw.pmp_regions.as_ref().map(|at| file.line(at))),
            ("smepmp", raw.smepmp.as_ref().map(|at| file.line(at))),
            ("user_mode", raw.user_mode.as_ref().map(|at| file.line(at))),
        ];
        if let Some((key, Some(line))) = refused.into_iter().find(|(_, line)| line.is_some()) {
            return Err(DescriptionError::Value { line, key, why: fixed() });
        }
        if let Some(at) = &raw.timing {
            return Err(file.bad("timing", at, "cannot be said of a variant: leave out one of both"));
        }
        Ok(variant.config(first))
    }

    /// The timing of a core with `timing`, on the bus that the file asks for.
    pub(super) fn bus(
        &self,
        timing: &'static CoreTiming,
        places: &[Place],
    ) -> Result<&'static CoreTiming, DescriptionError> {
        let Self { file, raw } = self;
        let cached = timing.pipeline.is_some_and(|variant| variant.data_lines > 0);
        if let Some(place) = places.iter().find(|place| cached && !place.memory && place.base < UNCACHED) {
            let why =
                format!("of `{}` must be 0x80000000 or more: below, this variant's data cache keeps it", place.name);
            return Err(DescriptionError::Value { line: place.line, key: "base", why });
        }
        let sdram = self.sdram()?;
        let Some(bus) = &raw.bus else {
            let needs = |key, line| DescriptionError::Value { line, key, why: "needs bus = \"litex\"".to_owned() };
            if let Some(at) = &raw.bus_bursting {
                return Err(needs("bus_bursting", file.line(at)));
            }
            return match sdram {
                Some(index) => Err(needs("sdram", places[index].line)),
                None => self.without_l2().map(|()| timing),
            };
        };
        if bus.get_ref() != "litex" {
            return Err(file.bad("bus", bus, "must be \"litex\"; without it instructions and data have a port each"));
        }
        if raw.variant.is_none() {
            return Err(file.bad(
                "bus",
                bus,
                "needs core = \"vexriscv\" and a variant: other cores have no cycles on it",
            ));
        }
        if places.len() > MOST {
            let why = format!("has room for {MOST} memories, devices and what is absent; there are {}", places.len());
            return Err(file.bad("bus", bus, why));
        }
        let bursting = raw.bus_bursting.as_ref().is_some_and(|bursting| *bursting.get_ref());
        let slave_of_sdram = match sdram {
            Some(index) if places[index].bytes > u64::from(MT48LC16M16_BYTES) => {
                let why = format!("of `{}` are more than 64 MiB, which the simulated SDRAM has", places[index].name);
                return Err(DescriptionError::Value { line: places[index].line, key: "bytes", why });
            }
            Some(_) => {
                let (said, why) = (raw.l2_bytes.as_ref(), "must be a power of two from 32 to 1048576");
                let cache = file.within("l2_bytes", said, L2_BYTES, CACHES, why)?;
                match said.filter(|_| !cache.is_power_of_two()) {
                    Some(at) => return Err(file.bad("l2_bytes", at, why)),
                    None => Some(Slave::Sdram(kept::value(mt48lc16m16(cache)))),
                }
            }
            None => self.without_l2().map(|()| None)?,
        };
        let registers = if sdram.is_some() { REGISTERED } else { REGISTERS };
        let regions = places.iter().enumerate().map(|(index, place)| {
            // A device's decoder takes a power of two of addresses.
            let bytes = if place.memory { place.bytes } else { place.bytes.next_power_of_two() };
            if !bytes.is_power_of_two() || bytes > 1 << 31 || place.base % bytes != 0 {
                let why = format!(
                    "of `{}` must be a multiple of its bytes, and they a power of two, 2 GiB at most, on LiteX's bus",
                    place.name
                );
                return Err(DescriptionError::Value { line: place.line, key: "base", why });
            }
            let slave = match slave_of_sdram {
                Some(slave) if sdram == Some(index) => slave,
                _ if place.memory => litex::memory(bursting),
                _ => Slave::Fixed(registers),
            };
            Ok(litex::Region { name: kept::text(&place.name), base: place.base as u32, bytes: bytes as u32, slave })
        });
        let regions = kept::values(regions.collect::<Result<Vec<_>, _>>()?);
        let overlap = regions.iter().find(|region| {
            regions.iter().any(|other| other.base < region.base && region.base - other.base < other.bytes)
        });
        if let Some(region) = overlap {
            let why = format!("puts `{}` among the addresses that another device's decoder takes", region.name);
            return Err(file.bad("bus", bus, why));
        }
        Ok(kept::value(variant_on(timing, kept::value(litex::wishbone(regions)))))
    }

    /// The index of the memory that is SDRAM.
    fn sdram(&self) -> Result<Option<usize>, DescriptionError> {
        let is_sdram = |at: &Option<Spanned<bool>>| at.as_ref().is_some_and(|sdram| *sdram.get_ref());
        let mut all = self.raw.memory.iter().enumerate().filter(|(_, memory)| is_sdram(&memory.get_ref().sdram));
        let first = all.next();
        if let Some((_, memory)) = all.next() {
            return Err(self.file.bad("sdram", memory, "is said of two memories; one can be"));
        }
        match first {
            Some((_, memory)) if memory.get_ref().rom => Err(self.file.bad("sdram", memory, "cannot be said of a ROM")),
            found => Ok(found.map(|(index, _)| index)),
        }
    }

    /// Fails if the file has the size of a cache before SDRAM.
    fn without_l2(&self) -> Result<(), DescriptionError> {
        match &self.raw.l2_bytes {
            Some(at) => Err(self.file.bad("l2_bytes", at, "needs a memory with sdram = true")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_riscv::timing::litex::Wishbone;

    use super::*;
    use crate::part::{Core, Part};
    use crate::riscv::RiscvPart;

    const ROM: &str = "[[memory]]\nname = \"rom\"\nbase = 0\nbytes = 0x1_0000\nrom = true\n";
    const RAM: &str = "[[memory]]\nname = \"ram\"\nbase = 0x4000_0000\nbytes = 0x400_0000\n";
    const UART: &str = "[[device]]\nname = \"uart\"\nkind = \"uart16550\"\nbase = 0xF000_0000\n";

    fn with(head: &str, rest: &[&str]) -> String {
        format!("name = \"mine\"\ncore = \"vexriscv\"\n{head}\n{}", rest.concat())
    }

    fn own(text: &str) -> &'static RiscvPart {
        let part = Part::from_toml(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let Core::Riscv(own) = part.core else { panic!("it has a RISC-V core") };
        own
    }

    fn bus(text: &str) -> Vec<(&'static str, u32, Slave)> {
        let wishbone: &Wishbone = own(text).config.timing.bus.expect("a bus").wishbone;
        wishbone.regions.iter().map(|region| (region.name, region.bytes, region.slave)).collect()
    }

    #[test]
    fn a_variant_has_the_cycles_and_extensions_of_its_verilog() {
        let imac = own(&with("variant = \"imac\"", &[RAM])).config;
        assert_eq!((imac.timing.core, imac.timing.bus.is_some()), ("VexRiscv, variant imac", false));
        assert!(imac.extensions.c && imac.extensions.zalrsc && imac.reset == 0x4000_0000);
        let secure = own(&with("variant = \"secure\"", &[ROM, RAM])).config;
        let privileged = secure.privileged().expect("it is privileged");
        assert!(!secure.extensions.c && privileged.user_mode && privileged.pmp_regions == 16 && secure.reset == 0);
        assert!(!own(&with("variant = \"min\"", &[RAM])).config.extensions.m);
    }

    #[test]
    fn memories_and_devices_are_slaves_of_litexs_bus() {
        let (head, sdram) = ("variant = \"imac\"\nbus = \"litex\"", format!("{RAM}sdram = true\n"));
        let word_by_word = Slave::Fixed(litex::MEMORY);
        let plain = [
            ("rom", 0x1_0000, word_by_word),
            ("ram", 0x400_0000, word_by_word),
            ("uart", 0x100, Slave::Fixed(REGISTERS)),
        ];
        assert_eq!(bus(&with(head, &[ROM, RAM, UART])), plain);
        let bursting = bus(&with(&format!("{head}\nbus_bursting = true"), &[ROM, &sdram, UART]));
        let [rom, ram, uart] = bursting[..] else { panic!("{bursting:?}") };
        assert_eq!([rom.2, uart.2], [Slave::Bursting(litex::MEMORY), Slave::Fixed(REGISTERED)]);
        assert!(matches!(ram.2, Slave::Sdram(sdram) if sdram.cache == L2_BYTES), "{ram:?}");
        let small = bus(&with(&format!("{head}\nl2_bytes = 2048"), &[&sdram]));
        assert!(matches!(small[0].2, Slave::Sdram(sdram) if sdram.cache == 2048), "{small:?}");
        // A PLIC's decoder takes eight MiB.
        let plic = "[[device]]\nname = \"plic\"\nkind = \"plic\"\nbase = 0xE000_0000\n";
        assert_eq!(bus(&with(head, &[RAM, plic]))[1].1, 0x80_0000);
    }

    #[test]
    fn the_system_of_the_documentation_is_one() {
        let page = include_str!("../../../../docs/riscv.md");
        let text =
            page.split("```toml\n").nth(2).and_then(|rest| rest.split("```").next()).expect("it has two examples");
        let [.., (_, _, ram), (_, _, clint)] = bus(text)[..] else { panic!("{text}") };
        assert!(matches!(ram, Slave::Sdram(_)) && clint == Slave::Fixed(REGISTERED));
    }

    #[test]
    fn what_does_not_go_together_is_told_with_its_line() {
        let on_bus = "variant = \"imac\"\nbus = \"litex\"";
        let sdram = format!("{RAM}sdram = true\n");
        let second = "[[memory]]\nname = \"more\"\nbase = 0x5000_0000\nbytes = 0x1000\nsdram = true\n";
        let odd = "[[memory]]\nname = \"odd\"\nbase = 0x3000\nbytes = 0x2000\n";
        let large = "[[memory]]\nname = \"ram\"\nbase = 0x4000_0000\nbytes = 0x800_0000\nsdram = true\n";
        let low = "[[device]]\nname = \"uart\"\nkind = \"uart16550\"\nbase = 0x1000_0000\n";
        let near = "[[device]]\nname = \"plic\"\nkind = \"plic\"\nbase = 0xE000_0000\n\
                    [[absent]]\nname = \"near\"\nbase = 0xE060_0000\nbytes = 0x1000\n";
        let half = "[[memory]]\nname = \"m\"\nbase = 0xC000_0000\nbytes = 0x1000\n\
                    [[absent]]\nname = \"half\"\nbase = 0\nbytes = 0x8000_0004\n";
        let many: String = (0..9)
            .map(|number| format!("[[memory]]\nname = \"m{number}\"\nbase = {}\nbytes = 4096\n", number * 4096))
            .collect();
        for (text, expected) in [
            (with("variant = \"linux\"", &[RAM]), "line 3: no variant of VexRiscv is called `linux`"),
            (
                with("variant = \"imac\"\nextensions = \"im\"", &[RAM]),
                "line 4: extensions says nothing of the variant imac",
            ),
            (with("variant = \"imac\"\nuser_mode = true", &[RAM]), "line 4: user_mode says nothing of the variant"),
            (with("variant = \"imac\"\npmp_regions = 4", &[RAM]), "line 4: pmp_regions says nothing of the variant"),
            (
                with("variant = \"imac\"\ntiming = \"instructions\"", &[RAM]),
                "line 4: timing cannot be said of a variant",
            ),
            (
                "name = \"mine\"\ncore = \"generic\"\nvariant = \"imac\"\n".to_owned() + RAM,
                "line 3: variant says nothing of generic",
            ),
            (with("bus = \"litex\"", &[RAM]), "line 3: bus needs core = \"vexriscv\" and a variant"),
            (with("variant = \"imac\"\nbus = \"axi\"", &[RAM]), "line 4: bus must be \"litex\""),
            (with("variant = \"imac\"\nbus_bursting = true", &[RAM]), "line 4: bus_bursting needs bus"),
            (with("variant = \"imac\"", &[&sdram]), "line 4: sdram needs bus"),
            (with(on_bus, &[&sdram, second]), "line 10: sdram is said of two memories"),
            (with(on_bus, &[RAM, &format!("{ROM}sdram = true\n")]), "line 9: sdram cannot be said of a ROM"),
            (with(on_bus, &[large]), "line 5: bytes of `ram` are more than 64 MiB"),
            (with(&format!("{on_bus}\nl2_bytes = 8192"), &[RAM]), "line 5: l2_bytes needs a memory with sdram"),
            (with(&format!("{on_bus}\nl2_bytes = 3000"), &[&sdram]), "line 5: l2_bytes must be a power of two"),
            (with(&format!("{on_bus}\nl2_bytes = 16"), &[&sdram]), "line 5: l2_bytes must be a power of two"),
            (with(on_bus, &[odd]), "line 5: base of `odd` must be a multiple of its bytes"),
            (with(on_bus, &[RAM, low]), "line 9: base of `uart` must be 0x80000000 or more"),
            (with("variant = \"standard\"", &[RAM, low]), "line 8: base of `uart` must be 0x80000000 or more"),
            (with(on_bus, &[RAM, near]), "line 4: bus puts `near` among the addresses"),
            (with("variant = \"lite\"\nbus = \"litex\"", &[half]), "line 9: base of `half` must be a multiple"),
            (with(on_bus, &[&many]), "line 4: bus has room for 8 memories"),
        ] {
            let error = Part::from_toml(&text).expect_err(&text).to_string();
            assert!(error.starts_with(expected), "{text}\n{error}");
        }
        // Without a data cache a device may be anywhere.
        own(&with("variant = \"lite\"\nbus = \"litex\"", &[RAM, low]));
    }
}
