//! Control transfers, and the enumeration that they make up (USB 2.0, 8.5.3 and 9.4).

use std::fmt::Write as _;

use cyclescope_machine::Contact;
use cyclescope_machine::units::Picoseconds;

use super::bus::{Owner, RETRY, Transaction};
use super::descriptors::{self, Configuration, Device};
use super::packet::Token;
use super::ports::Port;
use super::{MILLISECOND, UsbHost};

/// The longest that a request may take (USB 2.0, 9.2.6.1).
const LONGEST: Picoseconds = Picoseconds::new(5_000 * MILLISECOND);
/// The device is left alone after SET_ADDRESS (USB 2.0, 9.2.6.3).
const SETTLE: Picoseconds = Picoseconds::new(2 * MILLISECOND);
/// Transactions without an answer, or repeated ones, in a row.
const FAILURES: u8 = 3;
/// The most bytes of a configuration that the host reads.
const MOST: u16 = 4096;

/// A request of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// The first eight bytes of the device descriptor.
    Head,
    Address,
    Device,
    /// The first nine bytes of the configuration.
    Length,
    Configuration(u16),
    Languages,
    /// The string of this index, for this place in what is reported.
    Text(u8, usize),
    Configure(u8),
    /// The line coding of a serial port.
    LineCoding(usize),
    /// DTR and RTS of a serial port.
    Lines(usize, bool),
    ClearHalt(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Setup,
    Data,
    Status,
}

/// A control transfer under way.
#[derive(Clone, Debug)]
pub(super) struct Control {
    request: Request,
    setup: [u8; 8],
    stage: Stage,
    toggle: bool,
    /// The bytes so far, in either direction.
    data: Vec<u8>,
    sent: usize,
    failures: u8,
    started: Picoseconds,
    pub(super) due: Picoseconds,
}

impl Control {
    const fn is_in(&self) -> bool {
        self.setup[0] & 0x80 != 0
    }

    const fn length(&self) -> u16 {
        u16::from_le_bytes([self.setup[6], self.setup[7]])
    }

    /// The next transaction.
    pub(super) fn transaction(&self, packet: u8) -> Transaction {
        let end = self.data.len().min(self.sent + usize::from(packet));
        // The status goes the other way than the data; without data the device confirms.
        let (token, data) = match self.stage {
            Stage::Setup => (Token::Setup, self.setup.to_vec()),
            Stage::Data if self.is_in() => (Token::In, Vec::new()),
            Stage::Data => (Token::Out, self.data[self.sent..end].to_vec()),
            Stage::Status if self.is_in() && self.length() > 0 => (Token::Out, Vec::new()),
            Stage::Status => (Token::In, Vec::new()),
        };
        let most = if self.stage == Stage::Status { 0 } else { packet.into() };
        Transaction { owner: Owner::Control, token, endpoint: 0, toggle: self.toggle, data, most }
    }
}

/// The device as its descriptors describe it, for the user.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    ids: Option<(u16, u16)>,
    /// Manufacturer, product, serial number.
    texts: [Option<String>; 3],
    functions: Vec<String>,
    opened: usize,
    unopened: usize,
    pub(super) left: bool,
}

impl Found {
    pub(super) fn sentences(&self, nothing: bool) -> Vec<String> {
        let Some((vendor, product)) = self.ids else {
            let none = "no device has been seen: nothing pulled D+ up";
            return if nothing { vec![none.to_owned()] } else { Vec::new() };
        };
        let mut text = format!("found {vendor:04x}:{product:04x}");
        let [maker, name, serial] = &self.texts;
        if let Some(name) = name {
            let _ = write!(text, " `{name}`");
        }
        if let Some(maker) = maker {
            let _ = write!(text, " by `{maker}`");
        }
        if let Some(serial) = serial {
            let _ = write!(text, ", serial number `{serial}`");
        }
        let mut sentences = vec![text];
        let ports =
            |count: usize| if count == 1 { "a serial port".to_owned() } else { format!("{count} serial ports") };
        if self.opened > 0 {
            sentences.push(format!("opened {}", ports(self.opened)));
        }
        if self.unopened > 0 {
            let count = ports(self.unopened);
            sentences.push(format!("left {count} alone; the option consoles= opens more"));
        }
        if !self.functions.is_empty() {
            sentences.push(format!("left alone: {}", self.functions.join(", ")));
        }
        if self.left {
            sentences.push("the device has gone from the bus".to_owned());
        }
        sentences
    }
}

impl UsbHost {
    /// The bus has been reset: the device is asked what it is.
    pub(super) fn enumerate(&mut self) {
        self.found = Found { left: self.found.left, ..Found::default() };
        self.requests.push_back(Request::Head);
    }

    fn setup(&self, request: Request) -> ([u8; 8], Vec<u8>) {
        let descriptor = |kind: u8, index: u8, language: u16, length: u16| {
            let ([low, high], [less, more]) = (language.to_le_bytes(), length.to_le_bytes());
            [0x80, 6, index, kind, low, high, less, more]
        };
        let interface = |port: usize| self.ports.get(port).map_or(0, |port| port.serial.interface);
        let mut data = Vec::new();
        let setup = match request {
            Request::Head => descriptor(1, 0, 0, 8),
            Request::Address => [0, 5, 1, 0, 0, 0, 0, 0],
            Request::Device => descriptor(1, 0, 0, 18),
            Request::Length => descriptor(2, 0, 0, 9),
            Request::Configuration(length) => descriptor(2, 0, 0, length),
            Request::Languages => descriptor(3, 0, 0, 255),
            Request::Text(index, _) => descriptor(3, index, 0x0409, 255),
            Request::Configure(value) => [0, 9, value, 0, 0, 0, 0, 0],
            Request::LineCoding(port) => {
                // PSTN 1.2, 6.3.10: rate, one stop bit, no parity, eight bits.
                data.extend(self.baud.to_le_bytes());
                data.extend([0, 0, 8]);
                [0x21, 0x20, 0, 0, interface(port), 0, 7, 0]
            }
            Request::Lines(port, on) => [0x21, 0x22, if on { 3 } else { 0 }, 0, interface(port), 0, 0, 0],
            Request::ClearHalt(endpoint) => [2, 1, 0, 0, endpoint, 0, 0, 0],
        };
        (setup, data)
    }

    /// Begins the next request at `start`, if none is under way.
    pub(super) fn next_request(&mut self, start: Picoseconds) {
        if self.control.is_none()
            && let Some(request) = self.requests.pop_front()
        {
            let (setup, data) = self.setup(request);
            self.control = Some(Control {
                request,
                setup,
                stage: Stage::Setup,
                toggle: false,
                data,
                sent: 0,
                failures: 0,
                started: start,
                due: start,
            });
        }
    }

    pub(super) fn not_now(&mut self, owner: Owner, contact: &mut Contact<'_>) {
        if owner != Owner::Control {
            return self.pipe_not_now(owner, contact);
        }
        let Some(control) = &mut self.control else { return };
        if control.stage == Stage::Setup {
            // A device may not answer so.
            return self.unheard(owner, contact);
        }
        control.due = contact.now() + RETRY;
        if contact.now().saturating_sub(control.started) > LONGEST {
            self.finish(Err("it answers NAK for 5 s"), contact);
        }
    }

    pub(super) fn halted(&mut self, owner: Owner, contact: &mut Contact<'_>) {
        if owner == Owner::Control {
            self.finish(Err("it answers STALL"), contact)
        } else {
            self.pipe_halted(owner, contact)
        }
    }

    pub(super) fn unheard(&mut self, owner: Owner, contact: &mut Contact<'_>) {
        if owner != Owner::Control {
            return self.pipe_unheard(owner, contact);
        }
        let Some(control) = &mut self.control else { return };
        control.failures += 1;
        control.due = contact.now() + RETRY;
        if control.failures >= FAILURES {
            self.finish(Err("it does not answer"), contact);
        }
    }

    /// Data that the host has had already, because the device has not heard the acknowledgement.
    pub(super) fn repeated(&mut self, owner: Owner, contact: &mut Contact<'_>) {
        self.unheard(owner, contact);
    }

    /// The device has acknowledged what the host sent.
    pub(super) fn taken(&mut self, owner: Owner, contact: &mut Contact<'_>) {
        let packet = usize::from(self.packet);
        let Some(control) = self.control.as_mut().filter(|_| owner == Owner::Control) else {
            return self.pipe_taken(owner);
        };
        control.failures = 0;
        match control.stage {
            Stage::Setup => {
                control.toggle = true;
                control.stage = if control.length() > 0 { Stage::Data } else { Stage::Status };
            }
            Stage::Data => {
                control.sent = control.data.len().min(control.sent + packet);
                control.toggle = !control.toggle;
                if control.sent == control.data.len() {
                    (control.stage, control.toggle) = (Stage::Status, true);
                }
            }
            Stage::Status => self.finish(Ok(()), contact),
        }
    }

    /// Data of the device, or (`None`) too many.
    pub(super) fn received(&mut self, owner: Owner, data: Option<Vec<u8>>, contact: &mut Contact<'_>) {
        let packet = usize::from(self.packet);
        let Some(control) = self.control.as_mut().filter(|_| owner == Owner::Control) else {
            return self.pipe_received(owner, data, contact);
        };
        let Some(data) = data else { return self.finish(Err("it sends too many bytes (babble)"), contact) };
        control.failures = 0;
        if control.stage == Stage::Status {
            return self.finish(Ok(()), contact);
        }
        control.data.extend(&data);
        control.toggle = !control.toggle;
        if control.data.len() > usize::from(control.length()) {
            return self.finish(Err("it sends too many bytes (babble)"), contact);
        }
        if data.len() < packet || control.data.len() == usize::from(control.length()) {
            (control.stage, control.toggle) = (Stage::Status, true);
        }
    }

    /// The request has ended.
    fn finish(&mut self, ended: Result<(), &str>, contact: &mut Contact<'_>) {
        let Some(Control { request, data, .. }) = self.control.take() else { return };
        let done = match ended {
            Ok(()) => self.succeeded(request, &data, contact),
            Err(clause) => self.refused(request, clause),
        };
        if let Err(clause) = done {
            self.fail(&clause, contact);
        }
    }

    fn succeeded(&mut self, request: Request, data: &[u8], contact: &mut Contact<'_>) -> Result<(), String> {
        match request {
            Request::Head => {
                self.packet = Device::packet(data)?;
                self.requests.push_back(Request::Address);
            }
            Request::Address => {
                self.address = 1;
                self.quiet_until = contact.now() + SETTLE;
                self.requests.push_back(Request::Device);
            }
            Request::Device => {
                let device = Device::read(data)?;
                self.found.ids = Some((device.vendor, device.product));
                if device.strings != [0; 3] {
                    self.requests.push_back(Request::Languages);
                }
                let named = device.strings.iter().zip(0..).filter(|(index, _)| **index != 0);
                self.requests.extend(named.map(|(index, place)| Request::Text(*index, place)));
                self.requests.push_back(Request::Length);
            }
            Request::Length => {
                let length = Configuration::length(data)?;
                if length > MOST {
                    return Err(format!("its configuration has {length} bytes; this host reads {MOST}"));
                }
                self.requests.push_back(Request::Configuration(length));
            }
            Request::Configuration(_) => self.configuration(data)?,
            Request::Text(_, place) => {
                self.found.texts[place] = descriptors::text(data).filter(|text| !text.is_empty())
            }
            Request::Configure(_) => {
                (self.configured, self.attempts) = (true, 0);
                self.found.left = false;
                for port in 0..self.ports.len() {
                    self.requests.extend([Request::LineCoding(port), Request::Lines(port, true)]);
                }
            }
            Request::Lines(port, _) => self.open(port),
            Request::Languages | Request::LineCoding(_) | Request::ClearHalt(_) => {}
        }
        Ok(())
    }

    /// A request that the device refuses, or does not answer. Some a device need not know.
    fn refused(&mut self, request: Request, clause: &str) -> Result<(), String> {
        let name = match request {
            Request::Languages | Request::Text(..) | Request::LineCoding(_) | Request::ClearHalt(_) => return Ok(()),
            Request::Lines(port, _) => {
                self.open(port);
                return Ok(());
            }
            Request::Head | Request::Device => "GET_DESCRIPTOR of the device",
            Request::Length | Request::Configuration(_) => "GET_DESCRIPTOR of the configuration",
            Request::Address => "SET_ADDRESS",
            Request::Configure(_) => "SET_CONFIGURATION",
        };
        Err(format!("{clause} in {name}"))
    }

    fn configuration(&mut self, data: &[u8]) -> Result<(), String> {
        let configuration = Configuration::read(data)?;
        let ports = configuration.serial_ports();
        self.found.functions = configuration.others();
        self.found.unopened = ports.len().saturating_sub(self.consoles.into());
        self.ports = ports.into_iter().take(self.consoles.into()).map(Port::new).collect();
        self.requests.push_back(Request::Configure(configuration.value));
        Ok(())
    }

    fn open(&mut self, number: usize) {
        let Some(port) = self.ports.get_mut(number) else { return };
        if !std::mem::replace(&mut port.open, true) {
            self.found.opened += 1;
            port.output.extend(self.waiting.get_mut(number).map(std::mem::take).unwrap_or_default());
        }
    }
}
