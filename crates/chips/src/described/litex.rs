//! Systems that LiteX builds, from the map that it writes: `csr.json` or `csr.csv` (`--csr-json`, `--csr-csv`).
//!
//! The file says where memories are and which registers each core has; of which kind a core is, its name says. What is not
//! modelled answers as absent and is named where it is touched. The CPU's extensions are not in the file: they are those that
//! LiteX gives the variant.

use std::collections::BTreeMap;

use cyclescope_machine::units::{Address, Bytes, Hertz};
use cyclescope_peripherals::riscv::litex::{Bank, Csr};
use cyclescope_peripherals::riscv::{Instance, Kind, Wire};
use cyclescope_riscv::decode::Extensions;
use cyclescope_riscv::timing::{IBEX, INSTRUCTIONS};
use cyclescope_riscv::{Config, Misaligned, Privileged, Traps};
use serde::Deserialize;

use super::error::DescriptionError;
use super::kept;
use super::places::{MOST_PLACES, Place, check};
use super::soc::made;
use super::wires::shared;
use crate::part::{Part, Region};
use crate::riscv::{Hole, RiscvPart};

/// The most bytes that a file may have: LiteX writes some ten thousand.
pub(super) const MOST_BYTES: u64 = 1 << 20;
/// Addresses that a core's bank has to itself.
const PAGING: u32 = 0x800;

/// The content that both forms share.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
struct Map {
    csr_bases: BTreeMap<String, u64>,
    csr_registers: BTreeMap<String, Register>,
    constants: BTreeMap<String, Constant>,
    memories: BTreeMap<String, Memory>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Register {
    addr: u64,
    /// Words.
    size: u64,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Memory {
    base: u64,
    size: u64,
    #[serde(rename = "type")]
    kind: String,
}

/// A constant: a number, or something that does not matter here.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Constant {
    Number(u64),
    Text(String),
    Other(Option<bool>),
}

/// The part of the map `text`, called `name`; `csv` says in which form it is.
pub(super) fn part(name: &str, text: &str, csv: bool) -> Result<Part, DescriptionError> {
    let map = if csv { read_csv(text)? } else { read_json(text)? };
    kept::part(&format!("{name}\n{text}"), || Description { name, text, map: &map }.part())
}

fn read_json(text: &str) -> Result<Map, DescriptionError> {
    serde_json::from_str(text)
        .map_err(|error| DescriptionError::Syntax { line: error.line().max(1), message: error.to_string() })
}

fn read_csv(text: &str) -> Result<Map, DescriptionError> {
    let mut map = Map::default();
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let bad = |why: &str| DescriptionError::Syntax { line: line_number, message: why.to_owned() };
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [kind, name, value, fourth, fifth] = fields[..] else {
            return Err(bad("a line of LiteX's csr.csv has five fields"));
        };
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).map_err(|_| bad("this is no number")),
            None => text.parse().map_err(|_| bad("this is no number")),
        };
        match kind {
            "csr_base" => drop(map.csr_bases.insert(name.to_owned(), number(value)?)),
            "csr_register" => {
                let register = Register { addr: number(value)?, size: number(fourth)? };
                map.csr_registers.insert(name.to_owned(), register);
            }
            "constant" => {
                let constant = match number(value) {
                    Ok(number) => Constant::Number(number),
                    Err(_) if value == "None" => Constant::Other(None),
                    Err(_) => Constant::Text(value.to_owned()),
                };
                map.constants.insert(name.to_owned(), constant);
            }
            "memory_region" => {
                let memory = Memory { base: number(value)?, size: number(fourth)?, kind: fifth.to_owned() };
                map.memories.insert(name.to_owned(), memory);
            }
            _ => return Err(bad("a line begins with csr_base, csr_register, constant or memory_region")),
        }
    }
    Ok(map)
}

struct Description<'a> {
    name: &'a str,
    text: &'a str,
    map: &'a Map,
}

impl Description<'_> {
    /// The first line that has `word`.
    fn line(&self, word: &str) -> usize {
        self.text.lines().position(|line| line.contains(word)).map_or(1, |index| index + 1)
    }

    fn bad(&self, key: &'static str, why: impl Into<String>) -> DescriptionError {
        DescriptionError::Value { line: self.line(key), key, why: why.into() }
    }

    fn number(&self, key: &'static str) -> Option<u64> {
        match self.map.constants.get(key) {
            Some(Constant::Number(number)) => Some(*number),
            _ => None,
        }
    }

    fn part(&self) -> Result<Part, DescriptionError> {
        for (key, needed) in
            [("config_csr_data_width", 32), ("config_csr_alignment", 32), ("config_bus_address_width", 32)]
        {
            if self.number(key).is_some_and(|number| number != needed) {
                return Err(self.bad(key, format!("must be {needed}")));
            }
        }
        let places = self.places()?;
        check(&places).map_err(|(line, key, why)| DescriptionError::Value { line, key, why })?;
        let find = |name: &str| places.iter().find(|place| place.memory && place.name == name).map(Place::region);
        let rom = find("rom").unwrap_or(Region { base: Address::ZERO, bytes: Bytes::ZERO });
        let ram = find("main_ram").or_else(|| find("sram"));
        let ram = ram.ok_or_else(|| self.bad("memories", "must have main_ram or sram"))?;
        let other: Vec<Region> = find("sram").into_iter().filter(|sram| *sram != ram).collect();
        let (config, array) = self.config()?;
        let mut starts = vec![config.reset];
        starts.extend(find("main_ram").map(|ram| ram.base.get()).filter(|base| *base != config.reset));
        let banks = self.banks()?;
        let mut lines = vec![(11, "external")];
        let mut wired: Vec<(u8, &'static str)> = Vec::new();
        let mut instances = Vec::new();
        for (index, bank) in banks.iter().enumerate() {
            let line = self.interrupt(bank.name)?.map(|number| array + number);
            wired.extend(line.map(|line| (line, bank.name)));
            let next = banks.get(index + 1).map_or(u32::MAX, |next| next.base);
            instances.push(Instance {
                name: bank.name,
                base: bank.base,
                bytes: PAGING.min(next - bank.base),
                kind: match bank.name {
                    "ctrl" => Kind::LiteXControl(bank),
                    "timer0" => Kind::LiteXTimer(bank),
                    "uart" => Kind::LiteXUart(bank),
                    _ => Kind::LiteXAbsent(bank),
                },
                wires: kept::values(line.map(Wire::Core).into_iter().collect()),
            });
        }
        if let Some((index, key, why)) = shared(&instances) {
            let line = self.line(&format!("{}_interrupt", instances[index].name));
            return Err(DescriptionError::Value { line, key, why });
        }
        wired.sort_unstable();
        lines.extend(wired);
        let holes = places.iter().filter(|place| !place.memory).map(|place| Hole {
            name: kept::text(&place.name),
            base: place.base as u32,
            bytes: place.bytes as u32,
        });
        let own = RiscvPart {
            name: kept::text(self.name),
            config,
            core: if array == 16 { "an Ibex (RV32IMC)" } else { "a VexRiscv (RV32IMC)" },
            clock: Hertz::new(self.number("config_clock_frequency").filter(|hz| *hz > 0).unwrap_or(1_000_000)),
            rom,
            ram,
            other_rams: kept::values(other),
            starts: kept::values(starts),
            instances: kept::values(instances),
            holes: kept::values(holes.collect()),
            interrupts: kept::values(lines),
        };
        Ok(made(own, "a LiteX system, from the map that LiteX wrote"))
    }

    /// Memories and, as holes, regions that only have addresses. Parts of another region are left out.
    fn places(&self) -> Result<Vec<Place>, DescriptionError> {
        let regions = || self.map.memories.iter().filter(|(_, memory)| !memory.kind.contains("linker"));
        self.bound("memories", regions().count())?;
        let mut places: Vec<Place> = regions()
            .map(|(name, memory)| Place {
                name: name.clone(),
                base: memory.base,
                bytes: memory.size,
                line: self.line(name),
                memory: ["rom", "sram", "main_ram"].contains(&name.as_str()),
            })
            .collect();
        places.sort_by_key(|place| place.base);
        Ok(places)
    }

    /// Fails if `count` entries under `key` are too many. Each of them is looked for in the text, or among all
    /// registers, and a file must not make that take long.
    fn bound(&self, key: &'static str, count: usize) -> Result<(), DescriptionError> {
        if count > MOST_PLACES {
            return Err(self.bad(key, format!("are {count}; at most {MOST_PLACES} are taken")));
        }
        Ok(())
    }

    /// The core, and where its interrupts begin among its lines.
    fn config(&self) -> Result<(Config, u8), DescriptionError> {
        let has = |key: &str| self.map.constants.contains_key(key);
        let reset = self.number("config_cpu_reset_addr").unwrap_or(0);
        // Ibex takes the upper 24 bits; instructions of VexRiscv begin at halfwords.
        let unit = if has("config_cpu_type_ibex") { 256 } else { 2 };
        let wrong = || self.bad("config_cpu_reset_addr", format!("must be a multiple of {unit}, of 32 bits"));
        let reset = u32::try_from(reset).ok().filter(|reset| reset % unit == 0).ok_or_else(wrong)?;
        let base = Config {
            timing: &INSTRUCTIONS,
            extensions: Extensions { data_cache: true, ..Extensions::IMC },
            misaligned: Misaligned::Trap,
            traps: Traps::Privileged(Privileged::vexriscv(0)),
            reset,
            hart: 0,
            semihosting: true,
        };
        if has("config_cpu_type_ibex") {
            let traps = Traps::Privileged(Privileged::ibex(reset));
            let misaligned = Misaligned::Hardware;
            return Ok((Config { timing: &IBEX, misaligned, traps, reset: reset.wrapping_add(0x80), ..base }, 16));
        }
        if has("config_cpu_type_vexriscv") {
            // Only the variant `secure` has user mode and the PMP.
            let secure = has("config_cpu_variant_secure");
            let core = Privileged { user_mode: secure, ..Privileged::vexriscv(if secure { 16 } else { 0 }) };
            return Ok((Config { traps: Traps::Privileged(core), ..base }, 32));
        }
        let named = self.map.constants.keys().find_map(|key| key.strip_prefix("config_cpu_type_"));
        let why = format!("is `{}`; vexriscv and ibex are modelled", named.unwrap_or("not said"));
        Err(self.bad("config_cpu_type", why))
    }

    fn interrupt(&self, bank: &str) -> Result<Option<u8>, DescriptionError> {
        let key = format!("{bank}_interrupt");
        match self.map.constants.get(&key) {
            Some(Constant::Number(number)) if *number < 15 => Ok(Some(*number as u8)),
            Some(Constant::Number(number))
                if *number < 32 && !self.map.constants.contains_key("config_cpu_type_ibex") =>
            {
                Ok(Some(*number as u8))
            }
            Some(_) => {
                let why = format!("of `{bank}` is none that the core has");
                Err(DescriptionError::Value { line: self.line(&key), key: "interrupt", why })
            }
            None => Ok(None),
        }
    }

    /// The banks that have registers, by address.
    fn banks(&self) -> Result<Vec<&'static Bank>, DescriptionError> {
        self.bound("csr_bases", self.map.csr_bases.len())?;
        let mut bases: Vec<(&str, u32)> = Vec::new();
        for (name, base) in &self.map.csr_bases {
            let base = u32::try_from(*base).ok().filter(|base| base % 4 == 0 && *base <= u32::MAX - PAGING);
            let wrong = || DescriptionError::Value {
                line: self.line(name),
                key: "csr_bases",
                why: format!("of `{name}` is no word's address"),
            };
            bases.push((name, base.ok_or_else(wrong)?));
        }
        bases.sort_by_key(|(_, base)| *base);
        let mut found: Vec<(&str, u32, Vec<Csr>)> =
            bases.into_iter().map(|(name, base)| (name, base, Vec::new())).collect();
        for (name, register) in &self.map.csr_registers {
            let wrong = |why: &str| DescriptionError::Value {
                line: self.line(name),
                key: "csr_registers",
                why: format!("`{name}` {why}"),
            };
            let of = |bank: &str| name.strip_prefix(bank).and_then(|rest| rest.strip_prefix('_'));
            let banks = found.iter_mut().filter(|(bank, ..)| of(bank).is_some());
            let bank = banks.max_by_key(|(bank, ..)| bank.len()).ok_or_else(|| wrong("is of no bank"))?;
            let offset = register.addr.checked_sub(bank.1.into()).filter(|offset| *offset < u64::from(PAGING));
            let words = u8::try_from(register.size).ok().filter(|words| (1..=64).contains(words));
            let (Some(offset), Some(words)) = (offset, words) else {
                return Err(wrong("is outside of its bank"));
            };
            let own = of(bank.0).unwrap_or_default();
            bank.2.push(Csr { name: kept::text(own), offset: offset as u32, words });
        }
        found.retain(|(.., registers)| !registers.is_empty());
        Ok(found
            .into_iter()
            .map(|(name, base, mut registers)| {
                registers.sort_by_key(|register| register.offset);
                kept::value(Bank { name: kept::text(name), base, registers: kept::values(registers) })
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::Core;
    use crate::riscv::LITEX_VEXRISCV;

    const JSON: &str = include_str!("../../tests/data/litex-sim.csr.json");
    const CSV: &str = include_str!("../../tests/data/litex-sim.csr.csv");

    fn own(part: &Part) -> &'static RiscvPart {
        let Core::Riscv(own) = part.core else { panic!("it has a RISC-V core") };
        own
    }

    #[test]
    fn the_map_that_litex_writes_for_its_simulated_system_is_that_of_the_bundled_chip() {
        for (text, csv) in [(JSON, false), (CSV, true)] {
            let part = part("sim", text, csv).expect("LiteX wrote it");
            // All fields but the names, and the time, of which the map says nothing.
            let described = RiscvPart { name: "x", ..*own(&part) };
            let config = Config { timing: &INSTRUCTIONS, ..LITEX_VEXRISCV.config };
            assert_eq!(format!("{described:#?}"), format!("{:#?}", RiscvPart { name: "x", config, ..LITEX_VEXRISCV }));
        }
    }

    #[test]
    fn both_forms_say_the_same() {
        let (json, csv) = (read_json(JSON).unwrap(), read_csv(CSV).unwrap());
        assert_eq!((json.csr_bases, json.csr_registers), (csv.csr_bases, csv.csr_registers));
        assert_eq!(json.memories, csv.memories);
    }

    #[test]
    fn the_same_text_is_kept_once() {
        let [first, second] = [(); 2].map(|()| part("again", JSON, false).unwrap());
        assert!(std::ptr::eq(own(&first), own(&second)));
    }

    #[test]
    fn no_map_has_more_banks_or_regions_than_are_looked_at() {
        let lines = |line: fn(usize) -> String, count| (0..count).map(line).collect::<String>();
        let banks: fn(usize) -> String = |n| format!("csr_base,bank{n},{:#x},,\n", 0x800 * n);
        let regions: fn(usize) -> String = |n| format!("memory_region,region{n},{:#x},4,io\n", 0x1000_0000 + 4 * n);
        for (line, of, key) in [(banks, "csr_base,", "csr_bases"), (regions, "memory_region,", "memories")] {
            let others: String =
                CSV.lines().filter(|line| !line.starts_with(of)).map(|line| format!("{line}\n")).collect();
            let map = |count| format!("{}{others}", lines(line, count));
            let [most, more] =
                [256, 257].map(|count| part("many", &map(count), true).map_err(|error| error.to_string()));
            assert!(!most.is_err_and(|error| error.contains("at most")), "{key}");
            assert_eq!(more.unwrap_err(), format!("line 1: {key} are 257; at most 256 are taken"));
        }
    }

    #[test]
    fn what_cannot_be_is_told_with_its_line() {
        for (from, to, expected) in [
            ("\"config_csr_data_width\": 32", "\"config_csr_data_width\": 8", "config_csr_data_width must be 32"),
            ("config_cpu_type_vexriscv", "config_cpu_type_rocket", "config_cpu_type is `rocket`"),
            ("268435456,\n            \"size\"", "268435456,\n            \"sise\"", "missing field `size`"),
            ("\"size\": 268435456", "\"size\": 4294967296", "of `main_ram` go beyond"),
            ("\"size\": 268435456", "\"size\": 1073741824", "of the memory `main_ram` are more"),
            ("\"timer0_interrupt\": 1", "\"timer0_interrupt\": 99", "interrupt of `timer0`"),
            ("\"timer0_interrupt\": 1", "\"timer0_interrupt\": 0", "interrupts of `uart` take line 32, which `timer0`"),
            (
                "\"config_cpu_reset_addr\": 0",
                "\"config_cpu_reset_addr\": 1",
                "config_cpu_reset_addr must be a multiple of 2",
            ),
            ("\"addr\": 4026531844", "\"addr\": 12", "`ctrl_scratch` is outside"),
            ("\"constants\"", "\"konstants\"", "missing field `constants`"),
        ] {
            assert!(JSON.contains(from), "{from}");
            let error = part("bad", &JSON.replacen(from, to, 1), false).expect_err(to).to_string();
            assert!(error.starts_with("line ") && error.contains(expected), "{to}: {error}");
        }
        assert!(part("bad", "csr_base,ctrl,zero,,\n", true).is_err());
        assert!(part("bad", "", true).is_err());
    }
}
