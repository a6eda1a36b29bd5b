//! Devices on a part's pins, and stimuli there.

use cyclescope_attached::attach;
use cyclescope_chips::{Core, Part, Stimulus};
use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attachment, Pin, Voltage, Wire};

use crate::rude::{Manner, Rude};
use crate::{END, Random};

/// A part's peripherals that have all of these signals at pins.
fn with(part: &Part, signals: &[&str]) -> Vec<&'static str> {
    match &part.core {
        Core::CortexM(core) => {
            let has = |pins: &[cyclescope_peripherals::AlternateFunction]| {
                signals.iter().all(|signal| pins.iter().any(|pin| pin.signal == *signal))
            };
            core.soc.instances().filter(|instance| has(instance.pins)).map(|instance| instance.name).collect()
        }
        Core::Avr(own) => {
            let has = |known: &[(&str, Pin)]| signals.iter().all(|signal| known.iter().any(|(name, _)| name == signal));
            own.instances.iter().filter(|instance| has(instance.signals)).map(|instance| instance.name).collect()
        }
        Core::Riscv(_) | Core::Xtensa(_) => Vec::new(),
    }
}

const MANNERS: [Manner; 7] = [
    Manner::Mute,
    Manner::Stretches(Picoseconds::new(3_000_000)),
    Manner::Stretches(Picoseconds::new(4_000_000_000)),
    Manner::Stretches(Picoseconds::MAX),
    Manner::HoldsClock,
    Manner::HoldsData,
    Manner::Babbles,
];

/// Devices that never answer, on I2C and SPI.
pub(crate) fn mute(part: &Part, random: &mut Random) -> Vec<Attachment> {
    let devices = [
        rude(part, random, "d0", &["scl", "sda"], &["SCL", "SDA"]),
        rude(part, random, "d1", &["sck", "mosi", "miso", "cs"], &["SCK", "MOSI", "MISO"]),
    ];
    let mute = |mut attachment: Attachment| {
        let device = Rude { pins: attachment.device.pins(), manner: Manner::Mute, random: random.clone() };
        attachment.device = Box::new(device);
        attachment
    };
    devices.into_iter().flatten().map(mute).collect()
}

/// A rude device on `signals` of a peripheral that has them.
fn rude(
    part: &Part,
    random: &mut Random,
    name: &str,
    pins: &'static [&'static str],
    signals: &[&str],
) -> Option<Attachment> {
    let mut places = with(part, signals);
    if pins[0] == "can_tx" {
        places.retain(|name| name.contains("CAN"));
    }
    if places.is_empty() {
        return None;
    }
    let peripheral = *random.pick(&places);
    let wire = |signal: &&str| Some(Wire::Signal { peripheral: peripheral.into(), signal: (*signal).into() });
    let mut wires: Vec<Option<Wire>> = signals.iter().map(wire).collect();
    wires.resize(pins.len(), None);
    // A host on USB can only babble.
    let manner = if pins == ["dp"] { Manner::Babbles } else { *random.pick(&MANNERS) };
    let device = Box::new(Rude { pins, manner, random: Random::new(random.of(1 << 40)) });
    Some(Attachment { name: name.into(), device, wires })
}

/// A device by its text, with `I2C`, `SPI`, `UART`, `CAN` and `PIN` for places.
const TEXTS: [&str; 17] = [
    "eeprom:24c32,name=NAME@I2C",
    "bme280:name=NAME@I2C",
    "clock:frequency=1MHz,name=NAME@out=PIN",
    "ds18b20:name=NAME@dq=PIN",
    "ds3231:name=NAME@I2C",
    "ssd1306:name=NAME@I2C",
    "i2c-controller:clock=400kHz,name=NAME@I2C",
    "i2c-controller:clock=100kHz,name=NAME@I2C",
    "spi-controller:name=NAME@SPI,cs=PIN",
    "flash:w25q32,name=NAME@SPI,cs=PIN",
    "mcp3008:name=NAME@SPI,cs=PIN",
    "ssd1306:spi,name=NAME@SPI,cs=PIN,dc=PIN",
    "loopback:name=NAME@SPI",
    "loopback:name=NAME@UART",
    "loopback:name=NAME@a=PIN,b=PIN",
    "can:send=123#1122,every=1ms,name=NAME@CAN",
    "usb-host:name=NAME@USB",
];

fn device(part: &Part, random: &mut Random, name: &str) -> Option<Attachment> {
    let pins: Vec<Pin> = part.pins().collect();
    match random.of(24) {
        0 | 1 => rude(part, random, name, &["scl", "sda"], &["SCL", "SDA"]),
        2 => rude(part, random, name, &["sck", "mosi", "miso", "cs"], &["SCK", "MOSI", "MISO"]),
        3 => rude(part, random, name, &["can_tx", "can_rx"], &["TX", "RX"]),
        4 | 6..=8 => rude(part, random, name, &["dp"], &["DP"]),
        5 => {
            let wires = (0..2).map(|_| Some(Wire::Pin(*random.pick(&pins)))).collect();
            let random = Random::new(random.of(1 << 40));
            let device = Box::new(Rude { pins: &["a", "b"], manner: Manner::Babbles, random });
            Some(Attachment { name: name.into(), device, wires })
        }
        _ => {
            let mut text = random.pick(&TEXTS).replace("NAME", name);
            let (can, ports) = with(part, &["TX", "RX"]).into_iter().partition(|name| name.contains("CAN"));
            let places: [(&str, Vec<&str>); 5] = [
                ("@I2C", with(part, &["SCL", "SDA"])),
                // An interface's own name tells a loopback its lines, where a block has several.
                ("@SPI", with(part, &["SCK", "MOSI"]).into_iter().map(|name| name.trim_start_matches("TWI")).collect()),
                ("@UART", ports),
                ("@CAN", can),
                ("@USB", with(part, &["DP"])),
            ];
            // An AVR's serial port has no lines by name.
            text = match &*part.name {
                "atmega328p" => text.replace("@UART", "@a=PD1,b=PD0"),
                "atmega32u4" => text.replace("@UART", "@a=PD3,b=PD2"),
                _ => text,
            };
            if let Some((place, found)) = places.iter().find(|(place, _)| text.contains(place)) {
                if found.is_empty() {
                    return None;
                }
                text = text.replace(place, &format!("@{}", random.pick(found).to_lowercase()));
            }
            while text.contains("PIN") {
                text = text.replacen("PIN", &random.pick(&pins).to_string(), 1);
            }
            // Two wires may not end at one pin.
            attach(&text).ok()
        }
    }
}

fn stimulus(part: &Part, random: &mut Random, devices: &[Attachment]) -> Stimulus {
    let pins: Vec<Pin> = part.pins().collect();
    let pin = *random.pick(&pins);
    match random.of(12) {
        0..=2 => Stimulus::Pin { pin, high: [None, Some(false), Some(true)][random.of(3) as usize] },
        3 => {
            let period = 20 << random.of(10);
            Stimulus::Every { period, stimulus: Box::new(Stimulus::Toggle { pin }) }
        }
        4 => Stimulus::Uart { number: random.of(7) as u8, bytes: vec![random.of(256) as u8; random.of(40) as usize] },
        5 => Stimulus::Usb { number: random.of(2) as u8, bytes: vec![0x55; random.of(100) as usize] },
        6 => Stimulus::Voltage { pin, voltage: Some(Voltage::Constant(random.word() as i32)) },
        7 => {
            let (mean, amplitude, period) = (random.word() as i32, random.word() as i32, random.of(1 << 30));
            Stimulus::Voltage {
                pin,
                voltage: Some(Voltage::Sine { mean, amplitude, period: Picoseconds::new(period) }),
            }
        }
        8 => Stimulus::Phase { cycles: random.of(256) as u8 },
        _ => {
            let device = if devices.is_empty() { "die".into() } else { random.pick(devices).name.clone() };
            let choices = [
                ("temperature", "21.5"),
                ("write", "0x42 01 02 03"),
                ("read", "0x42 4"),
                ("write", "ten:0x142 aa bb"),
                ("ask", "0x10 4 10"),
                ("send", "9f 00 00"),
                ("send", "7FF#0011223344556677"),
                ("ch0", "2V"),
                ("write", ""),
                ("", "x"),
            ];
            let (name, value) = *random.pick(&choices);
            Stimulus::Device { device, name: name.into(), value: value.into() }
        }
    }
}

/// Up to five devices, and up to twenty stimuli.
pub(crate) fn of(part: &Part, random: &mut Random) -> (Vec<Attachment>, Vec<(u64, Stimulus)>) {
    if part.pins().next().is_none() {
        return Default::default();
    }
    let devices: Vec<Attachment> =
        (0..random.of(6)).filter_map(|number| device(part, random, &format!("d{number}"))).collect();
    let stimuli = (0..random.of(21)).map(|_| (random.of(END), stimulus(part, random, &devices))).collect();
    (devices, stimuli)
}
