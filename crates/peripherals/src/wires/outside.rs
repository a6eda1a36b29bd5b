//! The devices on a part's pins, and the voltages there.

use std::collections::VecDeque;

use cyclescope_machine::units::{Hertz, Picoseconds};
use cyclescope_machine::{Attached, Attachment, Contact, Line, Pin, Requests, Transfer, UsbState, Voltage, Wire};

use super::die::Die;
use super::voltages::History;
use super::{can, i2c, spi};

/// The pins of devices whose lines have a pull-up on the board: those of I2C and 1-Wire.
const PULLED_UP: [&str; 3] = ["scl", "sda", "dq"];

/// A signal of the block in a slot.
pub type Route = (u16, &'static str);

/// A pin of an attached device.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    name: &'static str,
    wire: Option<Wire>,
    /// The pin at the other end, as far as edges go over it.
    pin: Option<Pin>,
    /// The signal of the part that has the wire at the moment.
    pub(super) route: Option<Route>,
    /// The level that the device puts on it.
    level: Option<bool>,
}

/// An attached device on its wires.
#[derive(Clone, Debug)]
pub(super) struct Hung {
    name: String,
    pub(super) device: Box<dyn Attached>,
    pub(super) connections: Vec<Connection>,
    pub(super) requests: Requests,
    i2c: i2c::Lines,
    pub(super) spi: spi::Lines,
    /// The errors of a node on CAN.
    pub(super) can: can::Counters,
    /// True between a start that the device acknowledged and its stop.
    pub(super) addressed: bool,
    /// The part's end of the device's USB cable, as the device knows it.
    pub(super) usb: Option<UsbState>,
    /// The consoles whose ports took bytes when they were looked at last.
    pub(super) listening: Vec<bool>,
    /// The time up to which it holds `scl` low on a bus whose edges it follows.
    holds_until: Option<Picoseconds>,
}

impl Hung {
    /// Lets the device do something.
    pub(super) fn with<R>(
        &mut self,
        now: Picoseconds,
        act: impl FnOnce(&mut dyn Attached, &mut Contact<'_>, &mut i2c::Lines, &mut spi::Lines) -> R,
    ) -> R {
        let mut contact = Contact::new(now, &mut self.requests);
        act(self.device.as_mut(), &mut contact, &mut self.i2c, &mut self.spi)
    }

    /// Tells if it connects only signals whose characters and frames arrive whole: a serial port's TX with an RX, and an SPI's
    /// MOSI with its own MISO.
    fn carries_whole(&self) -> bool {
        let route = |pin: usize| self.connections.get(pin)?.route;
        let whole = |pair: &(usize, usize)| match (route(pair.0), route(pair.1)) {
            (Some((_, "TX" | "TXD")), Some((_, "RX" | "RXD"))) | (Some((_, "RX" | "RXD")), Some((_, "TX" | "TXD"))) => {
                true
            }
            (Some((one, "MOSI")), Some((other, "MISO"))) | (Some((one, "MISO")), Some((other, "MOSI"))) => one == other,
            _ => false,
        };
        !self.device.joins().is_empty() && self.device.joins().iter().all(whole)
    }

    /// True if edges on its wires are not only those of one peripheral's transfers.
    fn shares(&self) -> bool {
        self.device.drives_bus() || !self.device.joins().is_empty()
    }

    pub(super) fn pin(&self, name: &str) -> Option<usize> {
        self.connections.iter().position(|connection| connection.name == name)
    }

    /// True if the device's pin `name` is on the signal `route`.
    pub(super) fn is_on(&self, name: &str, route: Route) -> bool {
        self.pin(name).is_some_and(|pin| self.connections[pin].route == Some(route))
    }

    /// True if a peripheral of the part has the clock of the device's bus, whose transfers come whole.
    fn is_routed(&self) -> bool {
        ["scl", "sck"].iter().filter_map(|name| self.pin(name)).any(|pin| self.connections[pin].route.is_some())
    }
}

/// The devices on a part's pins, and the board's voltages.
#[derive(Clone, Debug)]
pub struct Outside {
    pub(super) devices: Vec<Hung>,
    /// Those of stimuli, and those that converters of the part drive.
    voltages: History,
    driven: History,
    supply: i32,
    /// The converters' reference, where it is not the supply.
    reference: Option<i32>,
    die: Die,
    /// Pins whose level from outside has changed.
    changed: VecDeque<Pin>,
    /// The blocks on whose wires others drive clocks too.
    shared: Vec<u16>,
    /// Pins that are connected with each other.
    joined: Vec<(Pin, Pin)>,
    /// Transfers that a program made by hand and nobody has taken yet.
    seen: Vec<(Line, Transfer)>,
    /// The slots of blocks that a device calls.
    called: Vec<u16>,
    /// Characters on their way between joined serial ports, with the slots of those that receive them.
    crossing: Vec<(u16, u16)>,
    /// The blocks that have sent frames of SPI with nobody there, which is told once.
    pub(super) alone: Vec<u16>,
}

impl Outside {
    /// A board with a supply of `supply` microvolts and nothing on it.
    pub const fn new(supply: i32) -> Self {
        Self {
            devices: Vec::new(),
            voltages: History::new(),
            driven: History::new(),
            supply,
            reference: None,
            die: Die::new(supply),
            changed: VecDeque::new(),
            shared: Vec::new(),
            joined: Vec::new(),
            seen: Vec::new(),
            called: Vec::new(),
            crossing: Vec::new(),
            alone: Vec::new(),
        }
    }

    /// True if no device is attached.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.devices.is_empty()
    }

    /// The supply of the part, in microvolts.
    pub const fn supply(&self) -> i32 {
        self.supply
    }

    /// The reference of the part's converters (VREF+), in microvolts.
    pub fn reference(&self) -> i32 {
        self.reference.unwrap_or(self.supply)
    }

    /// The part drives VREF+ with `microvolts`, or (`None`) no longer.
    pub const fn set_reference(&mut self, microvolts: Option<i32>) {
        self.reference = microvolts;
    }

    /// Hangs a device on its wires; returns its number.
    pub fn hang(&mut self, attachment: Attachment) -> usize {
        let Attachment { name, device, wires } = attachment;
        let names = device.pins().iter().copied();
        let wires = wires.into_iter().chain(std::iter::repeat(None));
        let connections = names
            .zip(wires)
            .map(|(name, wire)| Connection { name, wire, pin: None, route: None, level: None })
            .collect();
        self.devices.push(Hung {
            name,
            device,
            connections,
            requests: Requests::default(),
            i2c: i2c::Lines::default(),
            spi: spi::Lines::default(),
            can: can::Counters::default(),
            addressed: false,
            usb: None,
            listening: Vec::new(),
            holds_until: None,
        });
        self.devices.len() - 1
    }

    /// Power is on at `now`: devices start, and lines with a pull-up rise. A second clock at a pin is named.
    pub fn start(&mut self, now: Picoseconds) {
        self.complain_of_clocks();
        for index in 0..self.devices.len() {
            let hung = &mut self.devices[index];
            let without_select =
                hung.pin("sck").is_some() && hung.pin("cs").is_none_or(|pin| hung.connections[pin].wire.is_none());
            hung.with(now, |device, contact, _, spi| {
                device.start(contact);
                if without_select {
                    spi.select(true, device, contact);
                }
            });
            for name in PULLED_UP {
                if let Some(pin) = hung.pin(name) {
                    hung.requests.levels.push((pin, None));
                }
            }
            self.collect(index);
        }
    }

    /// The clocks but the first at a pin complain.
    fn complain_of_clocks(&mut self) {
        for index in 1..self.devices.len() {
            let (before, rest) = self.devices.split_at_mut(index);
            let (clock, out) = (&rest[0], rest[0].pin("out"));
            let Some(wire) = out.and_then(|out| clock.connections[out].wire.as_ref()) else { continue };
            let same = |hung: &&Hung| {
                let is_clock = hung.device.frequency().is_some() && clock.device.frequency().is_some();
                is_clock && hung.pin("out").is_some_and(|out| hung.connections[out].wire.as_ref() == Some(wire))
            };
            if let Some(first) = before.iter().find(same) {
                let text = format!(
                    "it shares its pin with the clock {}, which alone reaches a clock input: attach one of them",
                    first.name
                );
                rest[0].requests.complaints.push(text);
            }
        }
    }

    /// The devices by number, each with its name.
    pub fn devices(&self) -> impl Iterator<Item = (&str, &dyn Attached)> {
        self.devices.iter().map(|hung| (hung.name.as_str(), &*hung.device))
    }

    /// The wires of all devices that end at pins.
    pub fn pins(&self) -> impl Iterator<Item = Pin> {
        self.connections().filter_map(|connection| connection.pin)
    }

    /// The pins of the devices that drive a clock.
    pub fn shared_pins(&self) -> impl Iterator<Item = Pin> {
        let devices = self.devices.iter().filter(|hung| hung.device.drives_bus());
        devices.flat_map(|hung| &hung.connections).filter_map(|connection| connection.pin)
    }

    fn connections(&self) -> impl Iterator<Item = &Connection> {
        self.devices.iter().flat_map(|hung| &hung.connections)
    }

    /// Finds out anew which signal of the part has each wire.
    ///
    /// `find` gets the name of the device's pin, too: a pin of the part may have several signals at a time. `pin_of` gives
    /// the pin that the program gives to a signal; `on` gives the blocks that have a pin or read it.
    pub fn route(
        &mut self,
        find: impl Fn(&Wire, &str) -> Option<Route>,
        pin_of: impl Fn(&Wire) -> Option<Pin>,
        on: impl Fn(Pin) -> Vec<u16>,
    ) {
        let edges = self.devices.iter().any(Hung::shares);
        let changed = &mut self.changed;
        for connection in self.devices.iter_mut().flat_map(|hung| &mut hung.connections) {
            connection.route = connection.wire.as_ref().and_then(|wire| find(wire, connection.name));
            let pin = match &connection.wire {
                Some(Wire::Pin(pin)) => Some(*pin),
                Some(wire) if edges => pin_of(wire),
                _ => None,
            };
            if pin != connection.pin && !matches!(connection.wire, Some(Wire::Pin(_))) {
                changed.extend(connection.pin.into_iter().chain(pin));
            }
            connection.pin = pin;
        }
        if !edges {
            return;
        }
        self.joined.clear();
        for hung in &self.devices {
            let pin = |number: usize| hung.connections.get(number).and_then(|connection| connection.pin);
            let pins = hung.device.joins().iter().filter_map(|(one, other)| pin(*one).zip(pin(*other)));
            self.joined.extend(pins);
        }
        let mut pins: Vec<Pin> = Vec::new();
        for connection in
            self.devices.iter().filter(|hung| hung.shares() && !hung.carries_whole()).flat_map(|hung| &hung.connections)
        {
            pins.extend(connection.pin.map(|pin| self.net(pin)).unwrap_or_default());
        }
        // Whoever shares a wire with such a device follows edges.
        for hung in &mut self.devices {
            if hung.connections.iter().any(|connection| connection.pin.is_some_and(|pin| pins.contains(&pin))) {
                hung.connections.iter_mut().for_each(|connection| connection.route = None);
            }
        }
        self.shared = pins.into_iter().flat_map(on).collect();
        self.shared.sort_unstable();
        self.shared.dedup();
    }

    /// True if others than the block in `slot` drive clocks on its wires, or its wires are connected with each other.
    pub fn is_shared(&self, slot: u16) -> bool {
        self.shared.binary_search(&slot).is_ok()
    }

    /// The pins that are one wire with `pin`, that one among them.
    fn net(&self, pin: Pin) -> Vec<Pin> {
        let mut net = vec![pin];
        let mut next = 0;
        while let Some(pin) = net.get(next).copied() {
            next += 1;
            for (one, other) in &self.joined {
                for (here, there) in [(one, other), (other, one)] {
                    if *here == pin && !net.contains(there) {
                        net.push(*there);
                    }
                }
            }
        }
        net
    }

    /// The other pins that are one wire with `pin`.
    pub fn connected(&self, pin: Pin) -> Vec<Pin> {
        let mut net = self.net(pin);
        net.retain(|other| *other != pin);
        net
    }

    /// The part drives `pin` in another way than before.
    pub fn drive_changed(&mut self, pin: Pin) {
        self.changed.extend(self.connected(pin));
    }

    /// True if pins of the part are connected with each other.
    #[inline]
    pub const fn has_joined(&self) -> bool {
        !self.joined.is_empty()
    }

    /// The time of the next alarm.
    pub fn next_at(&self) -> Option<Picoseconds> {
        self.devices.iter().flat_map(|hung| [hung.requests.alarm, hung.holds_until]).flatten().min()
    }

    /// A clock input of the part at `pin` takes the clock that a device puts there (`taken`), or no longer. Returns its frequency if the
    /// input takes it.
    pub fn take_clock(&mut self, pin: Pin, taken: bool, now: Picoseconds) -> Option<Hertz> {
        let there = |hung: &Hung| hung.pin("out").is_some_and(|number| hung.connections[number].pin == Some(pin));
        let is_clock = |hung: &Hung| hung.device.frequency().is_some() && there(hung);
        let clocks: Vec<usize> = (0..self.devices.len()).filter(|index| is_clock(&self.devices[*index])).collect();
        for index in &clocks {
            self.devices[*index].with(now, |device, contact, _, _| device.clock_taken(taken, contact));
            self.collect(*index);
        }
        self.devices[*clocks.first()?].device.frequency().filter(|_| taken)
    }

    /// Lets the devices do what is due at `now`.
    pub fn wake(&mut self, now: Picoseconds) {
        for index in 0..self.devices.len() {
            let hung = &mut self.devices[index];
            if hung.holds_until.take_if(|at| *at <= now).is_some()
                && let Some(scl) = hung.pin("scl")
            {
                hung.requests.levels.push((scl, None));
                self.collect(index);
            }
            let hung = &mut self.devices[index];
            if hung.requests.alarm.take_if(|at| *at <= now).is_some() {
                hung.with(now, |device, contact, _, _| device.wake(contact));
                self.collect(index);
            }
        }
    }

    /// Gives the quantity `name` of the device `to` a value; a complaint where that cannot be.
    pub fn set(&mut self, to: &str, name: &str, value: &str, now: Picoseconds) -> Result<(), String> {
        let index = self.devices.iter().position(|hung| hung.name == to);
        if index.is_none() && to == Die::NAME {
            return self.die.set(name, value);
        }
        let Some(index) = index else { return Err(format!("no device `{to}` is attached")) };
        let done = self.devices[index].with(now, |device, contact, _, _| device.set(name, value, contact));
        self.collect(index);
        done
    }

    /// Puts a voltage on `pin` from `now` on, or (`None`) lets it go.
    pub fn apply(&mut self, pin: Pin, voltage: Option<Voltage>, now: Picoseconds) {
        self.voltages.set(pin, voltage, now);
    }

    /// A converter of the part drives `pin` with a voltage from `now` on, or (`None`) no longer.
    pub fn drive(&mut self, pin: Pin, microvolts: Option<i32>, now: Picoseconds) {
        self.driven.set(pin, microvolts.map(Voltage::Constant), now);
    }

    /// The voltage on `pin` at `at`, which is now or shortly before, in microvolts: that of a stimulus, else that of a converter
    /// of the part.
    pub fn voltage(&self, pin: Pin, at: Picoseconds) -> Option<i32> {
        self.voltages.at(pin, at).or_else(|| self.driven.at(pin, at))
    }

    /// The state of the part itself.
    pub const fn die(&self) -> Die {
        self.die
    }

    /// The time after `now` at which the voltage on `pin` may next jump, turn round or stand still.
    pub fn voltage_turns(&self, pin: Pin, now: Picoseconds) -> Option<Picoseconds> {
        let (since, voltage) = self.voltages.found(pin, now)?;
        voltage.turns(now.saturating_sub(since)).map(|span| since + span)
    }

    /// The level of `pin` is `high` now. Devices hear it; those that a peripheral's transfers reach whole hear no clock.
    pub fn pin_changed(&mut self, pin: Pin, high: bool, now: Picoseconds) {
        for index in 0..self.devices.len() {
            for number in 0..self.devices[index].connections.len() {
                if self.devices[index].connections[number].pin == Some(pin) {
                    self.edge(index, number, high, now);
                }
            }
        }
    }

    fn edge(&mut self, index: usize, number: usize, high: bool, now: Picoseconds) {
        let hung = &mut self.devices[index];
        let (name, routed) = (hung.connections[number].name, hung.is_routed());
        let (sda, miso) = (hung.pin("sda"), hung.pin("miso"));
        let before = hung.spi.miso();
        let drive = hung.with(now, |device, contact, i2c, spi| {
            match name {
                "scl" | "sda" | "sck" | "mosi" | "miso" | "cs" if device.drives_bus() => {
                    device.pin(number, high, contact);
                }
                "scl" if !routed => return i2c.scl(high, device, contact),
                "sda" if !routed => return i2c.sda(high, device, contact),
                "sck" if !routed => spi.sck(high, device, contact),
                "mosi" => spi.mosi(high),
                "scl" | "sda" | "sck" | "miso" => {}
                "cs" => {
                    spi.select(!high, device, contact);
                    device.pin(number, high, contact);
                }
                _ => device.pin(number, high, contact),
            }
            None
        });
        let stretch = std::mem::take(&mut hung.requests.stretch);
        if stretch > Picoseconds::ZERO
            && let Some(scl) = hung.pin("scl")
        {
            hung.holds_until = Some(now.saturating_add(stretch));
            hung.requests.levels.push((scl, Some(false)));
        }
        let seen = hung.i2c.take_seen().or(hung.spi.take_seen());
        self.seen.extend(seen.map(|transfer| (Line::Attached(index as u8), transfer)));
        if let Some((sda, high)) = sda.zip(drive) {
            hung.requests.levels.push((sda, (!high).then_some(false)));
        }
        if let Some(miso) = miso.filter(|_| hung.spi.miso() != before && (name == "cs" || !routed)) {
            hung.requests.levels.push((miso, hung.spi.miso()));
        }
        self.collect(index);
    }

    /// Takes the transfers that programs have made by hand.
    pub fn take_transfers(&mut self) -> Vec<(Line, Transfer)> {
        std::mem::take(&mut self.seen)
    }

    /// Takes over the levels that the device `index` asks for.
    pub(super) fn collect(&mut self, index: usize) {
        let hung = &mut self.devices[index];
        let mut pins = Vec::new();
        if std::mem::take(&mut hung.requests.calls) {
            let slots = hung.connections.iter().filter_map(|connection| Some(connection.route?.0));
            self.called.extend(slots);
        }
        for (number, level) in std::mem::take(&mut hung.requests.levels) {
            if let Some(connection) = hung.connections.get_mut(number) {
                connection.level = level;
                pins.extend(connection.pin);
            }
        }
        let transfers = std::mem::take(&mut hung.requests.transfers);
        self.seen.extend(transfers.into_iter().map(|transfer| (Line::Attached(index as u8), transfer)));
        for pin in pins {
            if self.joined.is_empty() {
                self.changed.push_back(pin);
            } else {
                self.changed.extend(self.net(pin));
            }
        }
    }

    /// The signals that devices join to `from`.
    pub(super) fn joined(&self, from: Route) -> impl Iterator<Item = Route> {
        let ends = self.devices.iter().flat_map(|hung| {
            let route = |pin: usize| hung.connections.get(pin)?.route;
            hung.device.joins().iter().filter_map(move |(one, other)| Some((route(*one)?, route(*other)?)))
        });
        ends.filter_map(move |(one, other)| match from {
            _ if one == from => Some(other),
            _ if other == from => Some(one),
            _ => None,
        })
    }

    /// The serial port in `slot` begins to send `character`, or a break ([`BREAK`](crate::serial::BREAK)).
    pub fn serial_out(&mut self, slot: u16, character: u16) {
        let receivers: Vec<u16> = ["TX", "TXD"]
            .iter()
            .flat_map(|signal| self.joined((slot, signal)))
            .filter(|(_, signal)| ["RX", "RXD"].contains(signal))
            .map(|(slot, _)| slot)
            .collect();
        self.crossing.extend(receivers.into_iter().map(|slot| (slot, character)));
    }

    /// Takes the characters that go to other serial ports, with their slots.
    pub fn take_crossing(&mut self) -> Vec<(u16, u16)> {
        std::mem::take(&mut self.crossing)
    }

    /// Takes the slots of the blocks that devices call, each once.
    pub fn take_called(&mut self) -> Vec<u16> {
        let mut called = std::mem::take(&mut self.called);
        called.sort_unstable();
        called.dedup();
        called
    }

    /// True if something waits for the owner of the devices.
    pub fn is_pending(&self) -> bool {
        !self.changed.is_empty()
            || !self.seen.is_empty()
            || !self.called.is_empty()
            || !self.crossing.is_empty()
            || self.devices.iter().any(|hung| {
                let Requests { complaints, usb, output, .. } = &hung.requests;
                !complaints.is_empty() || !usb.is_empty() || !output.is_empty()
            })
    }

    /// Takes the next pin whose level from outside has changed.
    pub fn next_changed(&mut self) -> Option<Pin> {
        self.changed.pop_front()
    }

    /// The level of `pin` from outside: low where a device or another pin on the wire holds it low, else high where one
    /// drives it high, a line of I2C or 1-Wire has its pull-up, or the part pulls another pin up. `driven` and `pulls_up` tell how the
    /// part drives its pins and which it pulls up.
    pub fn level(
        &self,
        pin: Pin,
        driven: impl Fn(Pin) -> Option<bool>,
        pulls_up: impl Fn(Pin) -> bool,
    ) -> Option<bool> {
        let net = self.net(pin);
        let on_net = |connection: &&Connection| connection.pin.is_some_and(|pin| net.contains(&pin));
        let devices = self
            .connections()
            .filter(on_net)
            .map(|connection| connection.level.or(PULLED_UP.contains(&connection.name).then_some(true)));
        let others = net.iter().filter(|other| **other != pin).map(|other| driven(*other));
        let level = devices.chain(others).fold(None, |level, other| match (level, other) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (one, other) => one.or(other),
        });
        level.or_else(|| net.iter().any(|other| *other != pin && pulls_up(*other)).then_some(true))
    }

    /// Takes the next complaint: the device's name, and a sentence.
    pub fn next_complaint(&mut self) -> Option<(String, String)> {
        let complains = |hung: &&mut Hung| !hung.requests.complaints.is_empty();
        let hung = self.devices.iter_mut().find(complains)?;
        Some((hung.name.clone(), hung.requests.complaints.remove(0)))
    }

    /// Tells if a device takes edges of `pin` one by one: not those of a bus whose transfers come whole.
    pub fn hears(&self, pin: Pin) -> bool {
        self.devices.iter().any(|hung| {
            let whole = hung.is_routed();
            let heard = |connection: &&Connection| connection.pin == Some(pin);
            let is_bus = |name: &str| ["scl", "sda", "sck", "mosi", "miso"].contains(&name);
            hung.connections.iter().filter(heard).any(|connection| !(whole && is_bus(connection.name)))
        })
    }

    /// The devices whose pin `name` is on the signal `route`.
    pub(super) fn on(&self, name: &str, route: Route) -> Vec<usize> {
        (0..self.devices.len()).filter(|index| self.devices[*index].is_on(name, route)).collect()
    }

    /// The number of the attached device `name` as the place of a transfer.
    pub fn line(&self, name: &str) -> Option<Line> {
        let index = self.devices.iter().position(|hung| hung.name == name)?;
        Some(Line::Attached(index as u8))
    }
}
