//! The text that describes a device: its kind, its options, and the ends of its wires.

use cyclescope_machine::figures::integer;
use cyclescope_machine::{Attached, Attachment, Pin, Wire};
use thiserror::Error;

use crate::KINDS;

/// A text that describes no device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AttachError {
    /// There is no such kind.
    #[error("{}{}", no_kind(name), answer(nearest.as_deref(), "there are", known))]
    Kind {
        /// The name.
        name: String,
        /// The name that was probably meant.
        nearest: Option<String>,
        /// All names.
        known: String,
    },
    /// The text does not say where the device hangs.
    #[error("`{text}` names no place; add @{}", places.join(" or @"))]
    NoPlace {
        /// The text.
        text: String,
        /// Places where a device of its kind may hang.
        places: Vec<&'static str>,
    },
    /// A file, where nobody reads or writes one.
    #[error("{device}: the file {file} is neither read nor written here; give the bytes to the device itself")]
    File {
        /// The device.
        device: String,
        /// The file.
        file: String,
    },
    /// A file with more bytes than the device keeps.
    #[error("{device} keeps {} bytes, but its file has more; give it a shorter one", integer(*room as i128))]
    TooLong {
        /// The device.
        device: String,
        /// The number of bytes that it keeps.
        room: usize,
    },
    /// A file with bytes that the device does not take.
    #[error("{device} cannot use its file: {sentence}")]
    Content {
        /// The device.
        device: String,
        /// The defect, in a sentence.
        sentence: String,
    },
    /// The device has no such option, or no such pin.
    #[error("{kind} has no {what} `{name}`{}", answer(nearest.as_deref(), "it has", known))]
    Unknown {
        /// The kind of the device.
        kind: String,
        /// `option` or `pin`.
        what: &'static str,
        /// The name.
        name: String,
        /// The name that was probably meant.
        nearest: Option<String>,
        /// The names there are.
        known: String,
    },
    /// A value is none that the option takes.
    #[error("{kind}: {option} cannot be `{value}`; it is {takes}")]
    Value {
        /// The kind of the device.
        kind: String,
        /// The option.
        option: String,
        /// The value.
        value: String,
        /// The values that it takes.
        takes: String,
    },
    /// A device without its type.
    #[error("{kind}: the type is missing; write {kind}:{only}")]
    NoType {
        /// The kind of the device.
        kind: String,
        /// The type that there is.
        only: &'static str,
    },
    /// An option or a pin is named twice.
    #[error("{kind}: {name} is given twice")]
    Twice {
        /// The kind of the device.
        kind: String,
        /// The name.
        name: String,
    },
    /// The end of a wire is no pin.
    #[error("{kind}: {pin}={end} ends at no pin; write {pin}=PB6")]
    Pin {
        /// The kind of the device.
        kind: String,
        /// The device's pin.
        pin: String,
        /// The other end.
        end: String,
    },
    /// A pin that the device needs has no wire.
    #[error("{kind}: its pin {pin} has no wire; add {pin}=PIN behind the @")]
    Missing {
        /// The kind of the device.
        kind: String,
        /// The pin.
        pin: &'static str,
    },
}

fn no_kind(name: &str) -> String {
    if name.is_empty() { "the kind of device is missing".to_owned() } else { format!("there is no device `{name}`") }
}

/// The name that was probably meant, if there is one, and all names that are `known`.
fn answer(nearest: Option<&str>, there: &str, known: &str) -> String {
    match nearest {
        Some(name) => format!("; did you mean `{name}`? All: {known}"),
        None => format!("; {there} {known}"),
    }
}

/// The one of `names` that was probably meant by `name`: at most half of its letters differ.
fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let distances = names.into_iter().map(|known| (strsim::osa_distance(name, known), known));
    let (distance, known) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= name.chars().count() / 2).then(|| known.to_owned())
}

/// The parts of the text, of which a device takes its options.
#[derive(Clone, Debug)]
pub struct Options {
    kind: String,
    /// Options that nobody has taken yet: words, and names with values.
    words: Vec<String>,
    values: Vec<(String, String)>,
    name: Option<String>,
    peripheral: Option<String>,
    wires: Vec<(String, String)>,
}

impl Options {
    /// Parses `KIND[:OPTION,…]@PLACE`, where a place is a peripheral, pins, or both: `spi1,cs=PA4,dc=PA3`.
    pub(crate) fn parse(text: &str) -> Result<Self, AttachError> {
        let (what, place) = text.rsplit_once('@').unwrap_or((text, ""));
        let (kind, options) = what.split_once(':').unwrap_or((what, ""));
        let kind = kind.trim().to_ascii_lowercase();
        if let Some(known) = KINDS.iter().find(|known| known.name == kind && place.trim().is_empty()) {
            return Err(AttachError::NoPlace { text: what.trim().to_owned(), places: known.places_with(options) });
        }
        let mut parsed = Self::of_place(&kind, place)?;
        for option in options.split(',').map(str::trim).filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some((name, value)) => parsed.value(name.trim(), value.trim())?,
                None => parsed.words.push(option.to_ascii_lowercase()),
            }
        }
        Ok(parsed)
    }

    /// Parses the place of a device called `kind`.
    pub(crate) fn of_place(kind: &str, place: &str) -> Result<Self, AttachError> {
        let (kind, words, values) = (kind.to_owned(), Vec::new(), Vec::new());
        let mut parsed = Self { kind, words, values, name: None, peripheral: None, wires: Vec::new() };
        for end in place.split(',').map(str::trim).filter(|end| !end.is_empty()) {
            match end.split_once('=') {
                Some((pin, end)) => {
                    let pin = pin.trim().to_ascii_lowercase();
                    parsed.once(&pin, parsed.wires.iter().any(|(known, _)| *known == pin))?;
                    parsed.wires.push((pin, end.trim().to_owned()));
                }
                None => {
                    parsed.once(end, parsed.peripheral.is_some())?;
                    parsed.peripheral = Some(end.to_ascii_uppercase());
                }
            }
        }
        Ok(parsed)
    }

    fn once(&self, name: &str, again: bool) -> Result<(), AttachError> {
        if again { Err(AttachError::Twice { kind: self.kind.clone(), name: name.to_owned() }) } else { Ok(()) }
    }

    fn value(&mut self, name: &str, value: &str) -> Result<(), AttachError> {
        let name = name.to_ascii_lowercase();
        let again = self.values.iter().any(|(known, _)| *known == name) || (name == "name" && self.name.is_some());
        self.once(&name, again)?;
        if name != "name" {
            self.values.push((name, value.to_owned()));
            return Ok(());
        }
        self.rename(value)
    }

    /// Gives the device the name `value`.
    pub(crate) fn rename(&mut self, value: &str) -> Result<(), AttachError> {
        let fits = value.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
        if value.is_empty() || !fits {
            return Err(self.wrong("name", value, "a word of letters, digits, - and _"));
        }
        self.name = Some(value.to_owned());
        Ok(())
    }

    /// The kind of the device.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The error that `value` is none that `option` takes.
    pub fn wrong(&self, option: &str, value: &str, takes: &str) -> AttachError {
        AttachError::Value {
            kind: self.kind.clone(),
            option: option.to_owned(),
            value: value.to_owned(),
            takes: takes.to_owned(),
        }
    }

    /// The error for a device without its `only` type.
    pub(crate) fn no_type(&self, only: &'static str) -> AttachError {
        match self.words.first() {
            Some(word) => self.wrong("the type", word, only),
            None => AttachError::NoType { kind: self.kind.clone(), only },
        }
    }

    /// Takes the word that is one of `words`, if there is one: `24c32`.
    pub fn word(&mut self, words: &[&'static str]) -> Option<&'static str> {
        let place = self.words.iter().position(|given| words.contains(&given.as_str()))?;
        let given = self.words.remove(place);
        words.iter().copied().find(|word| **word == given)
    }

    /// Takes the value of the option `name`.
    pub fn take(&mut self, name: &str) -> Option<String> {
        let place = self.values.iter().position(|(known, _)| known == name)?;
        Some(self.values.remove(place).1)
    }

    /// Takes the number of the option `name`, decimal or with 0x.
    ///
    /// # Errors
    /// [`AttachError::Value`] where it is none or `allowed` refuses it; `takes` says in words which are allowed.
    pub fn number(
        &mut self,
        name: &str,
        takes: &str,
        allowed: impl Fn(u64) -> bool,
    ) -> Result<Option<u64>, AttachError> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = match value.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => value.parse().ok(),
        };
        match number.filter(|number| allowed(*number)) {
            Some(number) => Ok(Some(number)),
            None => Err(self.wrong(name, &value, takes)),
        }
    }

    /// Takes the path of the option `name`.
    pub(crate) fn path(&mut self, name: &str) -> Result<Option<String>, AttachError> {
        match self.take(name) {
            Some(path) if path.is_empty() => Err(self.wrong(name, "", "a path")),
            path => Ok(path),
        }
    }

    /// Hangs `device` on the wires, after all its options were taken; `known` are those that it has, and `places` some where it may
    /// hang.
    pub(crate) fn finish(
        self,
        known: &[(&str, &str)],
        places: &[&'static str],
        device: Box<dyn Attached>,
    ) -> Result<Attachment, AttachError> {
        let left = self.values.iter().map(|(name, _)| name).chain(&self.words);
        if let Some(name) = { left }.next() {
            let known = known.iter().map(|(option, _)| option.split('=').next().unwrap_or(option));
            return Err(self.unknown("option", name, &known.collect::<Vec<_>>()));
        }
        if self.wires.is_empty() && self.peripheral.is_none() {
            return Err(AttachError::NoPlace { text: self.kind, places: places.to_vec() });
        }
        let pins = device.pins();
        if let Some((name, _)) = self.wires.iter().find(|(name, _)| !pins.contains(&name.as_str())) {
            return Err(self.unknown("pin", name, pins));
        }
        let wires = pins.iter().map(|pin| self.wire(pin)).collect::<Result<Vec<_>, _>>()?;
        if let Some(pin) = (pins.iter().zip(&wires)).find_map(|(pin, wire)| {
            (wire.is_none() && ["scl", "sda", "sck", "dc", "dp", "dq", "out", "can_tx", "a", "b"].contains(pin))
                .then_some(*pin)
        }) {
            return Err(AttachError::Missing { kind: self.kind, pin });
        }
        Ok(Attachment { name: self.name.unwrap_or(self.kind), device, wires })
    }

    /// The other end of `pin`: what the text says, else the signal of that name of the peripheral.
    fn wire(&self, pin: &str) -> Result<Option<Wire>, AttachError> {
        if let Some((_, end)) = self.wires.iter().find(|(name, _)| name == pin) {
            let wrong = || AttachError::Pin { kind: self.kind.clone(), pin: pin.to_owned(), end: end.clone() };
            return end.parse::<Pin>().map(|pin| Some(Wire::Pin(pin))).map_err(|_| wrong());
        }
        let signal = match pin {
            "scl" | "sda" | "sck" | "mosi" | "miso" | "dp" => Some(pin.to_ascii_uppercase()),
            // The ends of a wire from one pin to another: an SPI's data, or a serial port's.
            "a" | "b" => {
                let spi = self.peripheral.as_ref().is_some_and(|name| name.starts_with("SPI"));
                let [one, other] = if spi { ["MOSI", "MISO"] } else { ["TX", "RX"] };
                Some(if pin == "a" { one } else { other }.to_owned())
            }
            _ => pin.strip_prefix("can_").map(str::to_ascii_uppercase),
        };
        Ok(self.peripheral.clone().zip(signal).map(|(peripheral, signal)| Wire::Signal { peripheral, signal }))
    }

    fn unknown(&self, what: &'static str, name: &str, known: &[&str]) -> AttachError {
        AttachError::Unknown {
            kind: self.kind.clone(),
            what,
            name: name.to_owned(),
            nearest: nearest(name, known.iter().copied()),
            known: known.join(", "),
        }
    }
}

impl AttachError {
    /// The error that there is no kind `name`.
    pub(crate) fn kind(name: &str) -> Self {
        let names = || KINDS.iter().map(|kind| kind.name);
        let known = names().collect::<Vec<_>>().join(", ");
        if name.is_empty() {
            return Self::Kind { name: String::new(), nearest: None, known };
        }
        Self::Kind { name: name.to_owned(), nearest: nearest(name, names()), known }
    }
}
