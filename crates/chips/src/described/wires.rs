//! The lines of the core and sources of the PLIC that the devices of a described system drive.

use cyclescope_peripherals::riscv::{Instance, Wire};
use cyclescope_riscv::{Config, Traps};

/// The first device that drives what a device before it drives already, or it itself: its place among `instances`, the key,
/// and why that cannot be.
///
/// A line has one level: whoever drives it last decides, so that one of two devices would withdraw the other's interrupt.
pub(super) fn shared(instances: &[Instance]) -> Option<(usize, &'static str, String)> {
    let mut taken: Vec<(Wire, &'static str)> = Vec::new();
    for (index, instance) in instances.iter().enumerate() {
        for wire in instance.wires {
            let (key, what) = match wire {
                Wire::None => continue,
                Wire::Core(line) => ("interrupts", format!("line {line}")),
                Wire::Plic(source) => ("plic", format!("source {source}")),
            };
            if let Some((_, other)) = taken.iter().find(|(known, _)| known == wire) {
                return Some((index, key, format!("of `{}` take {what}, which `{other}` has taken", instance.name)));
            }
            taken.push((*wire, instance.name));
        }
    }
    None
}

/// Names of the core's lines: those of the privileged architecture or PicoRV32's own, then those of devices.
pub(super) fn lines(config: &Config, instances: &[Instance]) -> Vec<(u8, &'static str)> {
    let known: &[(u8, &'static str)] = match &config.traps {
        Traps::Privileged(core) if core.external_array => &[(11, "external")],
        Traps::Privileged(_) => &[(3, "software"), (7, "timer"), (11, "external")],
        Traps::Pico(_) => &[(0, "own timer"), (1, "break"), (2, "bus error")],
    };
    let mut lines = known.to_vec();
    for instance in instances {
        for wire in instance.wires {
            if let Wire::Core(line) = wire
                && lines.iter().all(|(known, _)| known != line)
            {
                lines.push((*line, instance.name));
            }
        }
    }
    lines.sort_by_key(|(line, _)| *line);
    lines
}

#[cfg(test)]
mod tests {
    use crate::part::Part;

    fn with(core: &str, devices: &str) -> String {
        let ram = "[[memory]]\nname = \"ram\"\nbase = 0x8000_0000\nbytes = 0x40_0000\n";
        format!("name = \"mine\"\ncore = \"{core}\"\n{ram}{devices}")
    }

    fn lines(text: &str) -> Vec<u8> {
        Part::from_toml(text).expect(text).interrupts.iter().map(|(line, _)| *line).collect()
    }

    #[test]
    fn a_line_has_one_device() {
        let device = |name: &str, kind: &str, base: u32, more: &str| {
            format!("[[device]]\nname = \"{name}\"\nkind = \"{kind}\"\nbase = {base:#x}\n{more}\n")
        };
        let uart = |name, base, more| device(name, "uart16550", base, more);
        let plic = device("plic", "plic", 0x0C00_0000, "");
        for (core, devices, expected) in [
            (
                "generic",
                [device("one", "clint", 0x0200_0000, ""), device("two", "clint", 0x0300_0000, "")].concat(),
                "line 12: interrupts of `two` take line 3, which `one` has taken",
            ),
            (
                "ibex",
                [device("timer", "ibex-timer", 0x0200_0000, ""), device("clint", "clint", 0x0300_0000, "")].concat(),
                "line 12: interrupts of `clint` take line 7, which `timer` has taken",
            ),
            (
                "vexriscv",
                [uart("u0", 0x1000, "interrupts = [32]"), uart("u1", 0x2000, "interrupts = [33, 32]")].concat(),
                "line 16: interrupts of `u1` take line 32, which `u0` has taken",
            ),
            (
                "generic",
                [uart("u0", 0x1000, "plic = 5"), uart("u1", 0x2000, "plic = 5"), plic.clone()].concat(),
                "line 16: plic of `u1` take source 5, which `u0` has taken",
            ),
            (
                "generic",
                [uart("u0", 0x1000, "interrupts = [11]"), plic.clone()].concat(),
                "line 12: interrupts of `plic` take line 11, which `u0` has taken",
            ),
            (
                "picorv32",
                device("clint", "clint", 0x0200_0000, "interrupts = [5, 5]"),
                "line 11: interrupts of `clint` take line 5, which `clint` has taken",
            ),
        ] {
            let text = with(core, &devices);
            let error = Part::from_toml(&text).expect_err(&text).to_string();
            assert_eq!(error, expected, "{text}");
        }
        // A line of the core and a source of the PLIC are two things, and so are two that nobody drives.
        let apart = [uart("u0", 0x1000, "plic = 7"), uart("u1", 0x2000, ""), uart("u2", 0x3000, ""), plic];
        let clint = device("clint", "clint", 0x0200_0000, "");
        assert_eq!(lines(&with("generic", &[apart.concat(), clint].concat())), [3, 7, 11]);
    }
}
