//! The chip that the files around a firmware name.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use toml::{Table, Value};

use cyclescope_guest::hint::{Hint, Name, chip_of_feature};

/// The most folders above the firmware that are looked at.
const MOST_FOLDERS: usize = 12;

/// The most bytes of a file that are read.
const MOST_BYTES: u64 = 1 << 20;

/// The way to read one kind of file.
type Reader = fn(&str) -> Vec<Name>;

/// Files that name a chip, the surest first.
const FILES: [(&str, Reader); 5] = [
    (".cargo/config.toml", runners),
    ("Embed.toml", embed),
    (".embed.toml", embed),
    ("Cargo.toml", features),
    ("memory.x", memories),
];

/// Returns the hints of the files around the firmware at `path`: of its folder and those above, the nearest first, up to
/// the one that holds a repository.
pub(super) fn hints(path: &Path) -> Vec<Hint> {
    let Ok(path) = path.canonicalize() else { return Vec::new() };
    let mut hints = Vec::new();
    for folder in path.ancestors().skip(1).take(MOST_FOLDERS) {
        for (name, reader) in FILES {
            let Some(text) = text(&folder.join(name)) else { continue };
            hints.extend(reader(&text).into_iter().map(|found| Hint { name: found, place: name.to_owned() }));
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    hints
}

/// Reads a small file.
fn text(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|about| about.is_file()))?;
    file.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Returns the chips of the runners in a configuration of cargo: `probe-rs run --chip STM32F446RETx`.
fn runners(text: &str) -> Vec<Name> {
    let Ok(table) = text.parse::<Table>() else { return Vec::new() };
    let targets = table.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let runners = targets.filter_map(|target| target.get("runner")).map(|runner| match runner {
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        other => other.as_str().unwrap_or_default().to_owned(),
    });
    let of_runner = |runner: String| {
        let mut words = runner.split_whitespace();
        while let Some(word) = words.next() {
            let name = match word.strip_prefix("--chip=") {
                Some(name) => Some(name),
                None if word == "--chip" => words.next(),
                None => None,
            };
            if let Some(name) = name {
                return Some(name.trim_matches(['"', '\'']).to_owned());
            }
        }
        None
    };
    let variables = table.get("env").and_then(Value::as_table);
    let variable = |name: &&str| {
        let value = variables?.get(*name)?;
        value.as_str().or_else(|| value.get("value")?.as_str()).map(str::to_owned)
    };
    let variables = ["PROBE_RS_CHIP", "PROBE_RUN_CHIP"];
    runners.filter_map(of_runner).chain(variables.iter().filter_map(variable)).map(Name::Part).collect()
}

/// Returns the chips of a configuration of cargo-embed, that of its default profile first.
fn embed(text: &str) -> Vec<Name> {
    let Ok(table) = text.parse::<Table>() else { return Vec::new() };
    let chip = |profile: &Value| profile.get("general")?.get("chip")?.as_str().map(|name| Name::Part(name.to_owned()));
    let others = table.iter().filter(|(name, _)| *name != "default").map(|(_, profile)| profile);
    table.get("default").into_iter().chain(others).filter_map(chip).collect()
}

/// Returns the chips that are features of a package's dependencies, as hardware layers and register crates have them.
fn features(text: &str) -> Vec<Name> {
    let Ok(table) = text.parse::<Table>() else { return Vec::new() };
    let workspace = table.get("workspace").and_then(Value::as_table);
    let dependencies = [Some(&table), workspace].into_iter().flatten().filter_map(|table| table.get("dependencies"));
    let dependencies = dependencies.filter_map(Value::as_table).flat_map(Table::iter);
    let of = |(name, dependency): (&String, &Value)| {
        let features = dependency.get("features").and_then(Value::as_array).into_iter().flatten();
        let features: Vec<String> = features.filter_map(Value::as_str).map(str::to_owned).collect();
        // Such as rp2040-hal, nrf52840-hal.
        let own = name.split_once('-').map(|(chip, _)| chip.to_owned());
        features.into_iter().chain(own)
    };
    dependencies.flat_map(of).filter_map(|feature| chip_of_feature(&feature)).collect()
}

/// Returns the memories of a linker script for `cortex-m-rt`.
fn memories(text: &str) -> Vec<Name> {
    let region = |name: &str| {
        let mut lines = text.lines().map(|line| line.split("/*").next().unwrap_or_default());
        let line = lines.find(|line| {
            let word = line.trim_start().split([' ', '\t', ':', '(']).next();
            word.is_some_and(|word| word.eq_ignore_ascii_case(name))
        })?;
        let value = |key: &str| {
            let (_, rest) = line.split_once(key)?;
            number(rest.trim_start().strip_prefix('=')?.split([',', ';']).next()?.trim())
        };
        Some((u32::try_from(value("ORIGIN")?).ok()?, value("LENGTH")?))
    };
    match (region("FLASH"), region("RAM")) {
        (Some(flash), Some(ram)) => vec![Name::Memories { flash, ram }],
        _ => Vec::new(),
    }
}

/// Returns a number of a linker script, with `K` or `M` behind it or not.
fn number(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix(['K', 'k']) {
        Some(digits) => (digits, 1 << 10),
        None => text.strip_suffix(['M', 'm']).map_or((text, 1), |digits| (digits, 1 << 20)),
    };
    let digits = digits.trim();
    let number = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    number.ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str) -> Name {
        Name::Part(name.to_owned())
    }

    #[test]
    fn runners_name_their_chip() {
        let of = |runner: &str| runners(&format!("[target.thumbv7em-none-eabihf]\nrunner = {runner}\n"));
        assert_eq!(of("'probe-rs run --chip STM32F446RETx'"), [part("STM32F446RETx")]);
        assert_eq!(of("['probe-run', '--chip', 'stm32f103c8']"), [part("stm32f103c8")]);
        assert_eq!(of("'probe-rs run --chip=\"rp2040\" --speed 4'"), [part("rp2040")]);
        for none in ["'qemu-system-arm -cpu cortex-m3'", "'probe-rs run --chip'", "3", "['a', 2]"] {
            assert_eq!(of(none), [], "{none}");
        }
        assert_eq!(runners("[env]\nPROBE_RS_CHIP = { value = 'stm32c031c6', force = true }"), [part("stm32c031c6")]);
        assert_eq!(runners("no toml at all ["), []);
    }

    #[test]
    fn embed_and_features_name_chips() {
        let text =
            "[late.general]\nchip = 'b'\n[default.general]\nchip = 'STM32F446ZETx'\n[default.rtt]\nenabled = true\n";
        assert_eq!(embed(text), [part("STM32F446ZETx"), part("b")]);
        let text = "[dependencies]\nembassy-stm32 = { version = '0.4', features = ['defmt', 'stm32f446ze', 'time'] }\n\
                    stm32f4xx-hal = { version = '1', features = ['stm32f4', 'stm32f446'] }\nrp2040-hal = '1'\nserde = '1'\n\
                    stm32f4 = '0.16'\n";
        assert_eq!(
            features(text),
            [part("stm32f446ze"), Name::Line("rp2040".to_owned()), Name::Line("stm32f446".to_owned())]
        );
    }

    #[test]
    fn a_linker_script_tells_the_memories() {
        let text = "/* STM32 */\nMEMORY\n{\n  FLASH (rx) : ORIGIN = 0x08000000, LENGTH = 512K /* all */\n  \
                    RAM : ORIGIN = 0x20000000, LENGTH = 0x20000\n}\n_stack = ORIGIN(RAM);\n";
        assert_eq!(memories(text), [Name::Memories { flash: (0x0800_0000, 512 << 10), ram: (0x2000_0000, 128 << 10) }]);
        for none in
            ["", "FLASH : ORIGIN = 0x0, LENGTH = 1K", "FLASH : ORIGIN = 0 + 4K, LENGTH = 1K\nRAM : ORIGIN=0, LENGTH=1"]
        {
            assert_eq!(memories(none), [], "{none}");
        }
    }
}
