//! Variants of known parts: what is not said is as on the base part.

use std::borrow::Cow;

use cyclescope_machine::units::{Bytes, Hertz};
use cyclescope_peripherals::Oscillators;
use serde::Deserialize;
use toml::Spanned;

use super::error::DescriptionError;
use super::file::File;
use crate::family::Family;
use crate::part::{Core, CortexM, CortexMModel, Part, Soc};

/// The file as it is written.
#[derive(Deserialize)]
struct Raw {
    name: Spanned<String>,
    base: Spanned<String>,
    family: Option<Spanned<String>>,
    description: Option<Spanned<String>>,
    board: Option<Spanned<String>>,
    flash_kib: Option<Spanned<u64>>,
    ram_kib: Option<Spanned<u64>>,
    clock_hz: Option<Spanned<u64>>,
    hse_hz: Option<Spanned<u64>>,
    lse_hz: Option<Spanned<u64>>,
    device_id: Option<Spanned<u32>>,
    unique_id: Option<Spanned<[u32; 3]>>,
    priority_bits: Option<Spanned<u8>>,
    mpu_regions: Option<Spanned<u8>>,
    without: Option<Vec<Spanned<String>>>,
    pins: Option<toml::Table>,
}

/// Blocks that a part cannot do without.
const ESSENTIAL: [&str; 5] = ["rcc", "flash", "sim", "mcg", "fmc"];

/// The part that `file`, whose content is `table`, describes.
///
/// # Errors
/// [`DescriptionError`] with the line.
pub(super) fn part(file: &File<'_>, table: &toml::Table) -> Result<Part, DescriptionError> {
    file.keys::<Raw>(table)?;
    let raw: Raw = file.read()?;
    let base = file.base(&raw)?;
    let mut part = base.clone();
    part.base = Some(Cow::Owned(base.name.to_string()));
    part.name = Cow::Owned(file.own_name(&raw.name)?);
    part.description = match &raw.description {
        Some(text) => Cow::Owned(file.short("description", text)?),
        None => Cow::Owned(format!("described by a file, from {}", base.name)),
    };
    if let Some(board) = &raw.board {
        part.board.name = Cow::Owned(file.short("board", board)?);
    }
    file.memories(&raw, &mut part)?;
    file.clocks(&raw, &mut part)?;
    file.core(&raw, &mut part)?;
    file.peripherals(&raw, &mut part)?;
    file.pins(&raw, &mut part)?;
    Ok(part)
}

impl File<'_> {
    fn base(&self, raw: &Raw) -> Result<&'static Part, DescriptionError> {
        let name = raw.base.get_ref();
        let base = Part::named(&name.to_ascii_lowercase());
        let base = base.ok_or_else(|| self.unknown("chip", &raw.base, Part::names()))?;
        if let Some(family) = &raw.family {
            let families = || Part::all().iter().filter_map(|part| part.soc()).map(|soc| soc.family.name);
            if !families().any(|known| known == family.get_ref()) {
                let mut names: Vec<&str> = families().collect();
                names.dedup();
                return Err(self.unknown("family", family, names.into_iter()));
            }
            let own = self.soc("family", family, base)?.family.name;
            if family.get_ref() != own {
                return Err(self.bad("family", family, format!("is not that of {}: {own}", base.name)));
            }
        }
        Ok(base)
    }

    fn memories(&self, raw: &Raw, part: &mut Part) -> Result<(), DescriptionError> {
        let sized = |key, kib: &Spanned<u64>, family: &Family, allowed: &std::ops::Range<u64>| {
            let bytes = kib.get_ref().checked_mul(1024).filter(|bytes| allowed.contains(bytes));
            bytes.map(Bytes::new).ok_or_else(|| {
                let (from, to) = (allowed.start.div_ceil(1024), (allowed.end - 1) / 1024);
                self.bad(key, kib, format!("must be {from} to {to}, as the family {} has room for", family.name))
            })
        };
        if let Some(kib) = &raw.flash_kib {
            let soc = self.soc_mut("flash_kib", kib, part)?;
            let bytes = sized("flash_kib", kib, soc.family, &soc.family.flash_sizes)?;
            if let Some((size, _)) = soc.family.identity {
                let kib = (bytes.get() / 1024) as u32 & 0xFFFF;
                let shift = (size & 2) * 8;
                set_word(soc, size & !3, |word| (word & !(0xFFFF << shift)) | kib << shift);
            }
            part.flash.bytes = bytes;
        }
        if let Some(kib) = &raw.ram_kib {
            let family = self.soc("ram_kib", kib, part)?.family;
            part.ram.bytes = sized("ram_kib", kib, family, &family.ram_sizes)?;
        }
        if let Some(id) = &raw.unique_id {
            let soc = self.soc_mut("unique_id", id, part)?;
            let Some((_, address)) = soc.family.identity else {
                return Err(self.bad("unique_id", id, format!("is not modelled for {}", soc.family.name)));
            };
            for (offset, word) in (0..).step_by(4).zip(id.get_ref()) {
                set_word(soc, address + offset, |_| *word);
            }
        }
        Ok(())
    }

    fn clocks(&self, raw: &Raw, part: &mut Part) -> Result<(), DescriptionError> {
        let (clock, allowed) = (part.clock.get(), 1_000_000..=1_000_000_000);
        part.clock =
            Hertz::new(self.within("clock_hz", raw.clock_hz.as_ref(), clock, allowed, "must be 1 MHz to 1 GHz")?);
        if let Some(hse) = &raw.hse_hz {
            part.board.hse = match *hse.get_ref() {
                0 => None,
                hz @ 1_000_000..=60_000_000 => Some(Hertz::new(hz)),
                _ => return Err(self.bad("hse_hz", hse, "must be 0 for none, or 1 to 60 MHz")),
            };
        }
        if let Some(lse) = &raw.lse_hz {
            part.board.lse = match *lse.get_ref() {
                0 => None,
                hz @ 1_000..=1_000_000 => Some(Hertz::new(hz)),
                _ => return Err(self.bad("lse_hz", lse, "must be 0 for none, or 1 kHz to 1 MHz")),
            };
        }
        let Some((hsi, lsi)) = part.soc().map(|soc| soc.oscillators) else { return Ok(()) };
        let together = Oscillators { hsi, lsi, hse: part.board.hse, lse: part.board.lse };
        match (&raw.hse_hz, &raw.lse_hz) {
            (Some(at), _) | (None, Some(at)) if !together.fit() => {
                let key = if raw.hse_hz.is_some() { "hse_hz" } else { "lse_hz" };
                Err(self.bad(key, at, "has no period that can be kept exactly beside the other oscillators'"))
            }
            _ => Ok(()),
        }
    }

    fn core(&self, raw: &Raw, part: &mut Part) -> Result<(), DescriptionError> {
        if let Some(id) = &raw.device_id {
            self.soc_mut("device_id", id, part)?.device_id = *id.get_ref();
        }
        if let Some(bits) = &raw.priority_bits {
            let core = self.cortex_m_mut("priority_bits", bits, part)?;
            let allowed = if core.model == CortexMModel::M0Plus { 2..=2 } else { 3..=8 };
            if !allowed.contains(bits.get_ref()) {
                let why = format!("must be {} to {} on this core", allowed.start(), allowed.end());
                return Err(self.bad("priority_bits", bits, why));
            }
            core.priority_bits = *bits.get_ref();
        }
        if let Some(regions) = &raw.mpu_regions {
            let core = self.cortex_m_mut("mpu_regions", regions, part)?;
            if ![0, 8].contains(regions.get_ref()) {
                return Err(self.bad("mpu_regions", regions, "must be 0 or 8"));
            }
            core.mpu_regions = *regions.get_ref();
        }
        Ok(())
    }

    /// Returns the system on the buses of `part`, to which `key` applies. Fails for a part without one.
    fn soc<'p, T>(&self, key: &'static str, at: &Spanned<T>, part: &'p Part) -> Result<&'p Soc, DescriptionError> {
        part.soc().ok_or_else(|| self.bad(key, at, format!("says nothing of a part such as {}", based_on(part))))
    }

    fn soc_mut<'p, T>(
        &self,
        key: &'static str,
        at: &Spanned<T>,
        part: &'p mut Part,
    ) -> Result<&'p mut Soc, DescriptionError> {
        let error = self.bad(key, at, format!("says nothing of a part such as {}", based_on(part)));
        part.soc_mut().ok_or(error)
    }

    fn cortex_m_mut<'p, T>(
        &self,
        key: &'static str,
        at: &Spanned<T>,
        part: &'p mut Part,
    ) -> Result<&'p mut CortexM, DescriptionError> {
        let error = self.bad(key, at, format!("says nothing of a part such as {}", based_on(part)));
        match &mut part.core {
            Core::CortexM(core) => Ok(core),
            Core::Avr(_) | Core::Riscv(_) | Core::Xtensa(_) => Err(error),
        }
    }

    fn peripherals(&self, raw: &Raw, part: &mut Part) -> Result<(), DescriptionError> {
        for name in raw.without.iter().flatten() {
            let soc = self.soc_mut("without", name, part)?;
            let Some(instance) = soc.peripherals.iter().find(|known| known.name == name.get_ref()) else {
                return Err(self.unknown("peripheral", name, soc.peripherals.iter().map(|known| known.name)));
            };
            if ESSENTIAL.contains(&instance.map.kind) {
                let why = format!("cannot name {}: no part runs without it", instance.name);
                return Err(self.bad("without", name, why));
            }
            soc.left_out.to_mut().push(instance.name);
        }
        Ok(())
    }

    fn pins(&self, raw: &Raw, part: &mut Part) -> Result<(), DescriptionError> {
        let Some(pins) = &raw.pins else { return Ok(()) };
        let mut levels = part.board.levels.to_vec();
        for (name, level) in pins {
            let line = self.line_of_key(name);
            let bad = |why: &str| DescriptionError::Value { line, key: "pins", why: format!("{name} {why}") };
            let pin: cyclescope_machine::Pin = name.parse().map_err(|_| bad("is no pin: write PC13"))?;
            if !part.has_port(pin.port) {
                return Err(bad("is a pin of a port that the part lacks"));
            }
            let high = match level.as_str() {
                Some("high") => true,
                Some("low") => false,
                _ => return Err(bad("must be \"high\" or \"low\"")),
            };
            levels.retain(|(known, _)| *known != pin);
            levels.push((pin, high));
        }
        part.board.levels = Cow::Owned(levels);
        Ok(())
    }
}

/// The name of the part that `part` is described from.
fn based_on(part: &Part) -> &str {
    part.base.as_deref().unwrap_or(&part.name)
}

fn set_word(soc: &mut Soc, address: u32, change: impl Fn(u32) -> u32) {
    let words = soc.factory.to_mut();
    match words.iter_mut().find(|(at, _)| *at == address) {
        Some((_, word)) => *word = change(*word),
        None => words.push((address, change(u32::MAX))),
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::Pin;

    use super::*;

    fn error(text: &str) -> String {
        Part::from_toml(text).expect_err("it is wrong").to_string()
    }

    #[test]
    fn a_description_changes_what_it_says_and_nothing_else() {
        let text = "name = \"mine\"\nbase = \"STM32F446RE\"\nfamily = \"stm32f446\"\nflash_kib = 256\nram_kib = 64\n\
                    hse_hz = 25_000_000\nlse_hz = 0\nclock_hz = 168_000_000\ndevice_id = 0x1000_0999\n\
                    unique_id = [1, 2, 3]\npriority_bits = 3\nmpu_regions = 0\nwithout = [\"CAN2\"]\nboard = \"desk\"\n\
                    [pins]\nPC13 = \"low\"\nPA0 = \"high\"\n";
        let part = Part::from_toml(text).unwrap();
        let base = Part::find("stm32f446re").unwrap();
        assert_eq!((part.name.as_ref(), part.base.as_deref()), ("mine", Some("stm32f446re")));
        assert_eq!((part.flash.bytes.get(), part.ram.bytes.get()), (256 << 10, 64 << 10));
        assert_eq!(
            (part.board.hse, part.board.lse, part.clock),
            (Some(Hertz::new(25_000_000)), None, Hertz::new(168_000_000))
        );
        let Core::CortexM(core) = &part.core else { panic!("it has a Cortex-M4") };
        assert_eq!((core.soc.device_id, core.priority_bits, core.mpu_regions), (0x1000_0999, 3, 0));
        assert_eq!(core.soc.factory_word(0x1FFF_7A22), Some(0x0100_FFFF), "256 KiB");
        assert_eq!(core.soc.factory_word(0x1FFF_7A14), Some(2));
        assert_eq!(core.soc.instances().count() + 1, base.soc().unwrap().instances().count());
        let pin = |port, number| Pin { port, number };
        assert_eq!(part.board.levels.as_ref(), [(pin(0, 0), true), (pin(2, 13), false)]);
        let least = Part::from_toml("name = \"x\"\nbase = \"stm32f103c8\"").unwrap();
        let known = Part::find("stm32f103c8").unwrap();
        let plain = Part { name: known.name.clone(), description: known.description.clone(), base: None, ..least };
        assert_eq!(plain, *known);
    }

    #[test]
    fn errors_name_the_line_and_what_was_meant() {
        let with = |line: &str| format!("name = \"x\"\nbase = \"stm32c031c6\"\n{line}\n");
        for (text, expected) in [
            (with("flash_kb = 1"), "line 3: there is no key `flash_kb`; the nearest are flash_kib, "),
            (
                "name = \"x\"\nbase = \"stm32f446\"\n".to_owned(),
                "line 2: no chip is called `stm32f446`; the nearest are stm32f446",
            ),
            (with("without = [\n  \"USRT2\"]"), "line 4: no peripheral is called `USRT2`; the nearest are USART2"),
            (with("without = [\"RCC\"]"), "line 3: without cannot name RCC"),
            (with("flash_kib = \"a\""), "line 3: invalid type"),
            (with("flash_kib = 4194304"), "line 3: flash_kib must be 2 to 1023"),
            (with("flash_kib = 18446744073709551615"), "line 3: "),
            (with("ram_kib = 0"), "line 3: ram_kib must be"),
            (with("priority_bits = 4"), "line 3: priority_bits must be 2 to 2"),
            (with("hse_hz = 47999993"), "line 3: hse_hz has no period"),
            (with("hse_hz = 999"), "line 3: hse_hz must be 0"),
            (with("family = \"stm32f1\""), "line 3: family is not that of stm32c031c6: stm32c0"),
            (with("family = \"stm32c\""), "line 3: no family is called `stm32c`; the nearest are stm32c0"),
            (with("[pins]\nQZ1 = \"low\""), "line 4: pins QZ1 is no pin"),
            (with("[pins]\nPZ1 = \"low\""), "line 4: pins PZ1 is a pin of a port that the part lacks"),
            (with("[pins]\nPE1 = \"low\""), "line 4: pins PE1 is a pin of a port that the part lacks"),
            (with("[pins]\nPA1 = true"), "line 4: pins PA1 must be"),
            (with("x = = 1"), "line 3: "),
            (
                "name = \"x\"\nbase = \"atmega328p\"\nmpu_regions = 8".to_owned(),
                "line 3: mpu_regions says nothing of a part such as atmega328p",
            ),
            (
                "name = \"x\"\nbase = \"atmega328p\"\nflash_kib = 64".to_owned(),
                "line 3: flash_kib says nothing of a part such as atmega328p",
            ),
            ("base = \"stm32c031c6\"".to_owned(), "line 1: missing field `name`"),
            ("name = \"a b\"\nbase = \"stm32c031c6\"".to_owned(), "line 1: name must be 1 to 64"),
            ("name = \"STM32C031C6\"\nbase = \"stm32c031c6\"".to_owned(), "line 1: name is that of a chip"),
        ] {
            let error = error(&text);
            assert!(error.starts_with(expected), "{text}\n{error}");
        }
    }
}
