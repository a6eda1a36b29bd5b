//! Pins of the ESP8266 (ESP8266 Technical Reference 1.7, "GPIO"; `gpio_register.h`) and of the ESP32 (TRM, "IO_MUX and GPIO
//! Matrix").
//!
//! The port joins what others know: functions and pulls of pads ([`Message::Pad`]) and, on the ESP8266, GPIO16, which the block of
//! the real-time clock has ([`Message::RtcPin`]). Of the ESP32's matrix the signals of modelled blocks are connected. GPIO32 to
//! GPIO39 of the ESP32, sigma-delta outputs and waking from sleep are not modelled.

use cyclescope_machine::{Pin, TimingRow};

use super::Message;
use super::pins::MATRIX;
use super::registers::bank;
use crate::bank::{all, some};
use crate::pins::{Pins, Roles};
use crate::synchroniser::Edges;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Port, Source, Tree, Words, Write};

/// The offsets of the registers of one chip.
#[derive(Debug)]
struct Form {
    /// OUT; the registers that set and clear follow.
    out: u32,
    enable: u32,
    input: u32,
    status: u32,
    /// The first PINn.
    pin: u32,
    /// Pins with registers.
    pins: u8,
    /// Tells whether a function of a pin's pad connects the pin with the port.
    is_port: fn(u8, u8) -> bool,
}

/// GPIO0, 2, 4 and 5 have the port as the first function of their pads, the others as the fourth (`pin_mux_register.h`).
fn is_port_8266(pin: u8, function: u8) -> bool {
    function == if [0, 2, 4, 5].contains(&pin) { 0 } else { 3 }
}

/// GPIOn is the third function of all pads, and the first of most: UART0, the flash and JTAG have the others' (TRM, "IO_MUX Pad
/// List").
fn is_port_32(pin: u8, function: u8) -> bool {
    function == 2 || function == 0 && !matches!(pin, 1 | 3 | 6..=15)
}

static ESP8266: Form =
    Form { out: 0x00, enable: 0x0C, input: 0x18, status: 0x1C, pin: 0x28, pins: 16, is_port: is_port_8266 };
static ESP32: Form =
    Form { out: 0x04, enable: 0x20, input: 0x3C, status: 0x44, pin: 0x88, pins: 32, is_port: is_port_32 };

/// Registers of the ESP32 alone.
const PCPU_INT: u32 = 0x68;
const PCPU_NMI_INT: u32 = 0x6C;
const IN_SEL: u32 = 0x130;
const OUT_SEL: u32 = 0x530;
/// The signal of the matrix that is the port itself.
const SIMPLE: u32 = 256;

/// PINn: open drain, the type of interrupt, and on the ESP32 those whom it interrupts.
const OPEN_DRAIN: u32 = 1 << 2;
const PRO_INT: u32 = 1 << 15;
const PRO_NMI: u32 = 1 << 16;

/// The event at which edges of pins have passed the synchroniser.
const ARRIVED: u16 = 0;

/// The ESP8266's.
pub const GPIO_8266: &[Modelled] = &[
    some("OUT", 0, &["GPIO_OUT_DATA"]),
    some("ENABLE", 0, &["GPIO_ENABLE_DATA"]),
    all("IN", 0).and(&["OUT_W1TS", "OUT_W1TC", "ENABLE_W1TS", "ENABLE_W1TC", "STATUS", "STATUS_W1TS", "STATUS_W1TC"]),
    some("PIN0", 0, &["GPIO_PIN0_DRIVER", "GPIO_PIN0_INT_TYPE"]),
    some("PIN1", 0, &["GPIO_PIN1_DRIVER", "GPIO_PIN1_INT_TYPE"]),
    some("PIN2", 0, &["GPIO_PIN2_DRIVER", "GPIO_PIN2_INT_TYPE"]),
    some("PIN3", 0, &["GPIO_PIN3_DRIVER", "GPIO_PIN3_INT_TYPE"]),
    some("PIN4", 0, &["GPIO_PIN4_DRIVER", "GPIO_PIN4_INT_TYPE"]),
    some("PIN5", 0, &["GPIO_PIN5_DRIVER", "GPIO_PIN5_INT_TYPE"]),
    some("PIN6", 0, &["GPIO_PIN6_DRIVER", "GPIO_PIN6_INT_TYPE"]),
    some("PIN7", 0, &["GPIO_PIN7_DRIVER", "GPIO_PIN7_INT_TYPE"]),
    some("PIN8", 0, &["GPIO_PIN8_DRIVER", "GPIO_PIN8_INT_TYPE"]),
    some("PIN9", 0, &["GPIO_PIN9_DRIVER", "GPIO_PIN9_INT_TYPE"]),
    some("PIN10", 0, &["GPIO_PIN10_DRIVER", "GPIO_PIN10_INT_TYPE"]),
    some("PIN11", 0, &["GPIO_PIN11_DRIVER", "GPIO_PIN11_INT_TYPE"]),
    some("PIN12", 0, &["GPIO_PIN12_DRIVER", "GPIO_PIN12_INT_TYPE"]),
    some("PIN13", 0, &["GPIO_PIN13_DRIVER", "GPIO_PIN13_INT_TYPE"]),
    some("PIN14", 0, &["GPIO_PIN14_DRIVER", "GPIO_PIN14_INT_TYPE"]),
    some("PIN15", 0, &["GPIO_PIN15_DRIVER", "GPIO_PIN15_INT_TYPE"]),
];

/// The ESP32's first 32 pins. The matrix holds after reset that every pin is the port's (TRM, GPIO_FUNCn_OUT_SEL_CFG_REG).
pub const GPIO_32: &[Modelled] = &[
    all("OUT", 0).and(&[
        "OUT_W1TS",
        "OUT_W1TC",
        "ENABLE",
        "ENABLE_W1TS",
        "ENABLE_W1TC",
        "IN",
        "STATUS",
        "STATUS_W1TS",
        "STATUS_W1TC",
        "PCPU_INT",
        "PCPU_NMI_INT",
        "STRAP",
    ]),
    some("PIN0", 0, &["PAD_DRIVER", "INT_TYPE", "INT_ENA"]).and(&[
        "PIN1", "PIN2", "PIN3", "PIN4", "PIN5", "PIN6", "PIN7", "PIN8", "PIN9", "PIN10", "PIN11", "PIN12", "PIN13",
        "PIN14", "PIN15", "PIN16", "PIN17", "PIN18", "PIN19", "PIN20", "PIN21", "PIN22", "PIN23", "PIN24", "PIN25",
        "PIN26", "PIN27", "PIN28", "PIN29", "PIN30", "PIN31",
    ]),
];

/// The time of an input's way.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "gpio.synchroniser",
    "flip-flops of the APB's clock between a pin and its bit in GPIO_IN, interrupts included",
    2,
    "ESP32 TRM 5.2, IO_MUX and GPIO Matrix: inputs are synchronised to the APB's clock, without a depth there; the ESP8266 has no \
     such word",
)];

/// The port.
#[derive(Clone, Debug)]
pub struct Gpio {
    bank: Bank,
    form: &'static Form,
    is_esp32: bool,
    pins: Pins,
    /// The function of each pad, and which pull up and take inputs, one bit each.
    functions: [u8; 32],
    pulled: u32,
    inputs: u32,
    /// GPIO16 of the ESP8266.
    rtc_pin: Option<bool>,
    /// Levels behind the pads' inputs.
    at_pads: u32,
    /// Those that have passed the synchroniser.
    seen: u32,
    edges: Edges,
    lines: Lines,
}

impl Gpio {
    /// The port after power-on.
    pub fn new(instance: &Instance) -> Self {
        let is_esp32 = instance.map.version == "esp32";
        Self {
            bank: if is_esp32 { bank(instance.map, &matrix_model()) } else { bank(instance.map, GPIO_8266) },
            form: if is_esp32 { &ESP32 } else { &ESP8266 },
            is_esp32,
            pins: Pins::of(Pin::GPIO),
            functions: [0; 32],
            pulled: 0,
            inputs: if is_esp32 { 0 } else { 0x1_FFFF },
            rtc_pin: None,
            at_pads: 0,
            seen: 0,
            edges: Edges::new(Source::Pclk, &ROWS[0], ARRIVED),
            lines: Lines::new(instance, &[("GPIO", 1), ("NMI", 2)]),
        }
    }

    /// Takes `message` if it is for the port, and tells if it is.
    pub fn take(&mut self, message: Message, env: &mut Env<'_, '_>) -> bool {
        match message {
            Message::Pad { pin, function, pulls_up, input } => {
                let bit = 1 << (pin & 31);
                let switched = std::mem::replace(&mut self.functions[usize::from(pin & 31)], function) != function;
                self.pulled = if pulls_up { self.pulled | bit } else { self.pulled & !bit };
                self.inputs = if input { self.inputs | bit } else { self.inputs & !bit };
                self.settle(env);
                if switched {
                    env.effect(Effect::PinsSwitched { port: Pin::GPIO });
                }
            }
            Message::RtcPin { level } => {
                self.rtc_pin = level;
                self.settle(env);
            }
            _ => return false,
        }
        true
    }

    fn get(&self, offset: u32) -> u32 {
        self.bank.get(offset)
    }

    /// PINn of `pin`.
    fn settings(&self, pin: u8) -> u32 {
        if pin < self.form.pins { self.get(self.form.pin + 4 * u32::from(pin)) } else { 0 }
    }

    /// Tells whether `pin` is connected with the port, and on the ESP32 with its matrix.
    fn is_port(&self, pin: u8) -> bool {
        (self.form.is_port)(pin, self.functions[usize::from(pin)])
    }

    /// The signal of the matrix that `pin` shows; the port itself on the ESP8266.
    fn signal(&self, pin: u8) -> u32 {
        if self.is_esp32 { self.get(OUT_SEL + 4 * u32::from(pin)) & 0x1FF } else { SIMPLE }
    }

    /// The pins, one bit each, of which `is` says so.
    fn those(&self, is: impl Fn(u8) -> bool) -> u32 {
        (0..32).filter(|pin| is(*pin)).fold(0, |bits, pin| bits | 1 << pin)
    }

    /// Works out the levels and tells who listens.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let (out, enable) = (self.get(self.form.out), self.get(self.form.enable));
        let is_simple = |pin: u8| self.is_port(pin) && self.signal(pin) == SIMPLE;
        let own = self.those(|pin| pin < self.form.pins && is_simple(pin));
        // Inverted by the matrix: OUT_INV_SEL, of its output's level alone.
        let inverted =
            if self.is_esp32 { self.those(|pin| self.get(OUT_SEL + 4 * u32::from(pin)) >> 9 & 1 != 0) } else { 0 };
        let rtc = if self.is_esp32 { 0 } else { 1 << 16 };
        let rtc_driven = if self.rtc_pin.is_some() { rtc } else { 0 };
        let rtc_high = if self.rtc_pin == Some(true) { rtc } else { 0 };
        let roles = Roles {
            output: own & enable & !rtc | rtc_driven,
            alternate: self.those(|pin| !is_simple(pin)),
            open_drain: self.those(|pin| self.settings(pin) & OPEN_DRAIN != 0),
            analog: !self.inputs,
            pulled: self.pulled,
        };
        let data = (out ^ inverted) & !rtc | rtc_high;
        self.pins.settle(data, &roles, env);
        let level = self.pins.level & self.inputs;
        let changed = level ^ std::mem::replace(&mut self.at_pads, level);
        self.edges.push((changed & level).into(), (changed & !level).into(), env);
    }

    /// The type of interrupt of `pin`: 1 to 3 edges, 4 low, 5 high.
    fn kind(&self, pin: u8) -> u32 {
        self.settings(pin) >> 7 & 7
    }

    /// Flags of levels that hold come again, then the lines follow.
    fn drive(&mut self, env: &mut Env<'_, '_>) {
        let high = self.those(|pin| self.kind(pin) == 5) & self.seen;
        let low = self.those(|pin| pin < self.form.pins && self.kind(pin) == 4) & !self.seen;
        self.bank.flag(self.form.status, high | low, true);
        let status = self.get(self.form.status);
        if !self.is_esp32 {
            return self.lines.drive((status & 0xFFFF != 0).into(), env);
        }
        let [normal, nmi] = [PRO_INT, PRO_NMI].map(|bit| self.those(|pin| self.settings(pin) & bit != 0) & status);
        self.bank.set(PCPU_INT, normal);
        self.bank.set(PCPU_NMI_INT, nmi);
        self.lines.drive(u32::from(normal != 0) | u32::from(nmi != 0) << 1, env);
    }

    /// The register at `base` takes `write` at its own offset, or as bits to set or clear at the next two.
    fn write_bits(&mut self, base: u32, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset - base {
            0 => {
                self.bank.write(base, write, env);
            }
            place => {
                // The bits of fields without a model are named as in the register itself.
                let lanes = write.ones();
                let value = if place == 4 { lanes } else { 0 };
                self.bank.write(base, Write { value, lanes }, env);
            }
        }
    }
}

/// The ESP32's model with the registers of its matrix.
fn matrix_model() -> Vec<Modelled> {
    let outputs = super::generated32::gpio::MAP.registers.iter().filter_map(|register| {
        let number = register.name.strip_prefix("FUNC")?;
        if let Some(pin) = number.strip_suffix("_OUT_SEL_CFG") {
            let modelled: &[&str] = if pin.parse::<u32>().ok()? < 32 { &["OUT_SEL", "INV_SEL"] } else { &[] };
            return Some(some(register.name, SIMPLE, modelled));
        }
        number.ends_with("_IN_SEL_CFG").then(|| some(register.name, 0, &["IN_SEL", "SEL"]))
    });
    GPIO_32.iter().copied().chain(outputs).collect()
}

impl Port for Gpio {
    fn port(&self) -> u8 {
        Pin::GPIO
    }

    fn levels(&self) -> u32 {
        self.pins.level
    }

    fn held(&self, pin: u8) -> Option<bool> {
        let bit = 1 << (pin & 31);
        (self.pins.held & bit != 0).then_some(self.pins.level & bit != 0)
    }

    fn pins(&self) -> u8 {
        32
    }

    fn is_switched_to(&self, pin: u8, function: u8) -> bool {
        let pad = self.functions[usize::from(pin & 31)];
        match function.checked_sub(MATRIX) {
            None => pad == function,
            Some(signal) => self.is_port(pin & 31) && self.signal(pin & 31) == signal.into(),
        }
    }

    fn is_read_by(&self, pin: u8, function: u8) -> bool {
        let Some(signal) = function.checked_sub(MATRIX) else { return self.is_switched_to(pin, function) };
        let select = self.get(IN_SEL + 4 * u32::from(signal));
        // SIG_IN_SEL: by the matrix; else by the pad's own function.
        select >> 7 & 1 != 0 && select & 0x3F == pin.into()
    }

    fn senses(&self, pin: u8) -> bool {
        self.kind(pin) != 0
    }

    fn driven(&self, pin: u8) -> Option<bool> {
        self.pins.driven(pin)
    }

    fn pulls_up(&self, pin: u8) -> bool {
        self.pins.pulls_up(pin)
    }

    fn apply(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        self.pins.apply(pin, high);
        self.settle(env);
    }

    fn drive_alternate(&mut self, pin: u8, high: Option<bool>, env: &mut Env<'_, '_>) {
        self.pins.drive_alternate(pin, high);
        self.settle(env);
    }
}

impl Block<Words> for Gpio {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset == self.form.input {
            let pins = if self.is_esp32 { u32::MAX } else { 0xFFFF };
            return self.seen & pins;
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        // Inputs change by events alone.
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let Form { out, enable, input, status, .. } = *self.form;
        if offset == input {
            return;
        }
        let base = [out, enable, status].into_iter().find(|base| (*base..=base + 8).contains(&offset));
        match base {
            Some(base) => self.write_bits(base, offset, write, env),
            None => {
                let (old, new) = self.bank.write(offset, write, env);
                if self.is_esp32 && offset >= IN_SEL && old != new {
                    env.effect(Effect::PinsSwitched { port: Pin::GPIO });
                }
            }
        }
        if base != Some(status) {
            self.settle(env);
        }
        self.drive(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        let (rose, fell) = self.edges.arrived(env);
        let (rose, fell) = (rose as u32, fell as u32);
        // Of a pin that did both the level now is the one it has come to.
        self.seen = ((self.seen | rose) & !fell) | (rose & fell & self.at_pads);
        let rising = self.those(|pin| matches!(self.kind(pin), 1 | 3)) & rose;
        let falling = self.those(|pin| matches!(self.kind(pin), 2 | 3)) & fell;
        self.bank.flag(self.form.status, rising | falling, true);
        self.drive(env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.edges.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        self.edges.refine(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.pins.reset();
        self.rtc_pin = None;
        self.edges.reset(env);
        self.settle(env);
        self.edges.reset(env);
        self.seen = self.at_pads;
        self.drive(env);
        env.effect(Effect::PinsSwitched { port: Pin::GPIO });
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
