//! A USB host of full speed, as a computer is one (USB 2.0; CDC 1.2 for serial ports).
//!
//! It waits for a pull-up at D+, resets the bus, enumerates the device and opens its serial ports as consoles. Its times are
//! those of the standard: 100 ms for the contact to settle, 50 ms of reset, a frame each millisecond. Packets take the time of
//! their bits, stuffed ones included. What the standard leaves open is chosen once: a device's answer comes after 4 bits, and
//! an endpoint that answers NAK is asked again 25 us later, in the same frame if there is room. The guest's bytes are
//! untrusted: each transfer has an end, and each descriptor is checked.

mod bus;
mod control;
mod descriptors;
mod packet;
mod ports;
#[cfg(test)]
mod tests;

use std::any::Any;

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Contact, UsbAction, UsbAnswer, UsbState};

use self::bus::Pending;
use self::control::{Control, Request};
use self::ports::Port;
use crate::{AttachError, Kind, Options};

/// The kind.
pub const KIND: Kind = Kind {
    name: "usb-host",
    summary: "computer on USB that opens the guest's serial ports as consoles",
    options: &[
        ("baud=115200", "the line coding that it sets when it opens a serial port"),
        ("consoles=1", "the most serial ports that it opens, 1 to 8"),
        ("pullup=high", "the level, low or high, at which its pin pullup switches the board's resistor at D+ on"),
    ],
    places: &["usb"],
    make,
};

const MILLISECOND: u64 = 1_000_000_000;
/// The contact settles (USB 2.0, 7.1.7.3, TATTDB).
const DEBOUNCE: Picoseconds = Picoseconds::new(100 * MILLISECOND);
/// A reset (USB 2.0, 7.1.7.5, TDRSTR of a root port).
const RESET: Picoseconds = Picoseconds::new(50 * MILLISECOND);
/// After a reset or a resume the device is left alone (USB 2.0, 7.1.7.5 and 7.1.7.7: TRSTRCY, TRSMRCY).
const RECOVERY: Picoseconds = Picoseconds::new(10 * MILLISECOND);
/// The resume state (USB 2.0, 7.1.7.7, TDRSMDN).
const RESUME: Picoseconds = Picoseconds::new(20 * MILLISECOND);
/// Attempts to enumerate a device.
const ATTEMPTS: u8 = 3;

const DP: usize = 0;
const PULL_UP: usize = 1;

/// The state of the port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Nothing is seen at D+.
    #[default]
    Empty,
    /// The contact settles.
    Debounce,
    /// The bus is being reset.
    Reset,
    /// Frames go out.
    Running,
    /// The bus is silent because the user wants so.
    Suspended,
    /// The host drives the resume state.
    Resuming,
    /// The device is given up until it goes.
    Failed,
}

/// The host.
#[derive(Clone, Debug)]
pub struct UsbHost {
    baud: u32,
    consoles: u8,
    /// The level of the pin `pullup` that switches the board's resistor on.
    active: bool,
    /// The board's resistor at D+ is on, if there is one.
    pulled: bool,
    /// The level of D+, which the program may hold low where it is an ordinary pin.
    dp: bool,
    plugged: bool,
    part: UsbState,
    phase: Phase,
    attempts: u8,
    frame: u16,
    frame_at: Picoseconds,
    /// The bus is free from then on.
    free_at: Picoseconds,
    /// The device is left alone until then.
    quiet_until: Picoseconds,
    pending: Option<Pending>,
    address: u8,
    /// bMaxPacketSize0.
    packet: u8,
    control: Option<Control>,
    requests: std::collections::VecDeque<Request>,
    ports: Vec<Port>,
    /// Bytes for ports that are not open yet, by console.
    waiting: Vec<Vec<u8>>,
    /// The pipe that is asked next.
    turn: usize,
    configured: bool,
    found: control::Found,
}

fn make(options: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    let baud = options.number("baud", "a rate in bits a second", |baud| (1..=u64::from(u32::MAX)).contains(&baud))?;
    let consoles = options.number("consoles", "1 to 8", |count| (1..=8).contains(&count))?;
    let active = match options.take("pullup").as_deref() {
        None | Some("high") => true,
        Some("low") => false,
        Some(other) => return Err(options.wrong("pullup", other, "low or high")),
    };
    Ok(Box::new(UsbHost::new(baud.unwrap_or(115_200) as u32, consoles.unwrap_or(1) as u8, active)))
}

impl UsbHost {
    /// A host that opens `consoles` serial ports with `baud` bits a second.
    pub fn new(baud: u32, consoles: u8, active: bool) -> Self {
        Self {
            baud,
            consoles,
            active,
            pulled: true,
            dp: true,
            plugged: true,
            part: UsbState::default(),
            phase: Phase::Empty,
            attempts: 0,
            frame: 0,
            frame_at: Picoseconds::ZERO,
            free_at: Picoseconds::ZERO,
            quiet_until: Picoseconds::ZERO,
            pending: None,
            address: 0,
            packet: 8,
            control: None,
            requests: Default::default(),
            ports: Vec::new(),
            waiting: vec![Vec::new(); usize::from(consoles)],
            turn: 0,
            configured: false,
            found: control::Found::default(),
        }
    }

    /// The wires or the part have changed: a device may have come or gone.
    fn look(&mut self, contact: &mut Contact<'_>) {
        let there = self.plugged && self.part.pull_up.unwrap_or(self.pulled && (self.dp || self.part.takes_pin));
        if there && self.phase == Phase::Empty {
            self.phase = Phase::Debounce;
            self.attempts = 0;
            contact.wake_at(contact.now() + DEBOUNCE);
        } else if !there && self.phase != Phase::Empty {
            if self.configured {
                self.found.left = true;
            }
            self.forget();
            self.phase = Phase::Empty;
            contact.sleep();
        }
        if self.phase == Phase::Suspended && self.part.wakes {
            self.resume(contact);
        }
    }

    /// Nothing is known of the device any more.
    fn forget(&mut self) {
        (self.pending, self.control, self.configured) = (None, None, false);
        self.requests.clear();
        self.ports.clear();
        (self.address, self.packet) = (0, 8);
    }

    fn begin_reset(&mut self, contact: &mut Contact<'_>) {
        self.forget();
        self.phase = Phase::Reset;
        contact.usb(UsbAction::Reset(true));
        contact.wake_at(contact.now() + RESET);
    }

    /// Frames go out from now on.
    fn run(&mut self, contact: &mut Contact<'_>) {
        self.phase = Phase::Running;
        self.quiet_until = contact.now() + RECOVERY;
        self.frame_at = contact.now();
        self.free_at = contact.now();
        self.plan(contact);
    }

    fn resume(&mut self, contact: &mut Contact<'_>) {
        self.phase = Phase::Resuming;
        contact.usb(UsbAction::Resume(true));
        contact.wake_at(contact.now() + RESUME);
    }

    /// The device cannot be used, as `clause` says. It is reset and tried again, and given up in the end.
    fn fail(&mut self, clause: &str, contact: &mut Contact<'_>) {
        self.attempts += 1;
        self.forget();
        if self.attempts < ATTEMPTS {
            return self.begin_reset(contact);
        }
        contact.complain(format!("the device is given up after {ATTEMPTS} attempts: {clause}"));
        self.phase = Phase::Failed;
        contact.sleep();
    }
}

impl Attached for UsbHost {
    fn pins(&self) -> &'static [&'static str] {
        &["dp", "pullup"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn start(&mut self, contact: &mut Contact<'_>) {
        contact.usb(UsbAction::Power(true));
        // Where D+ is an ordinary pin too, the board's resistor is seen there.
        contact.drive(DP, Some(true));
    }

    fn pin(&mut self, pin: usize, high: bool, contact: &mut Contact<'_>) {
        match pin {
            DP => self.dp = high || !self.pulled,
            PULL_UP => {
                self.pulled = high == self.active;
                self.dp = true;
                contact.drive(DP, self.pulled.then_some(true));
            }
            _ => {}
        }
        self.look(contact);
    }

    fn usb_state(&mut self, state: UsbState, contact: &mut Contact<'_>) {
        self.part = state;
        self.look(contact);
    }

    fn usb_answer(&mut self, answer: UsbAnswer, contact: &mut Contact<'_>) {
        if self.phase == Phase::Running {
            self.answered(answer, contact);
        }
    }

    fn wake(&mut self, contact: &mut Contact<'_>) {
        match self.phase {
            Phase::Empty | Phase::Failed | Phase::Suspended => {}
            Phase::Debounce => self.begin_reset(contact),
            Phase::Reset => {
                contact.usb(UsbAction::Reset(false));
                self.enumerate();
                self.run(contact);
            }
            Phase::Resuming => {
                contact.usb(UsbAction::Resume(false));
                self.run(contact);
            }
            Phase::Running => self.go_on(contact),
        }
    }

    fn consoles(&self) -> u8 {
        self.consoles
    }

    fn console_listens(&self, number: u8) -> bool {
        let port = self.ports.get(usize::from(number));
        self.phase == Phase::Running && port.is_some_and(Port::listens)
    }

    fn console_receive(&mut self, number: u8, bytes: &[u8], contact: &mut Contact<'_>) {
        match self.ports.get_mut(usize::from(number)) {
            Some(port) => port.output.extend(bytes),
            None => {
                if let Some(waiting) = self.waiting.get_mut(usize::from(number)) {
                    waiting.extend_from_slice(bytes);
                }
            }
        }
        self.hurry(contact);
    }

    fn report(&self) -> Vec<String> {
        self.found.sentences(self.phase == Phase::Empty && self.attempts == 0 && !self.configured)
    }

    fn set(&mut self, name: &str, value: &str, contact: &mut Contact<'_>) -> Result<(), String> {
        match (name, value) {
            ("text", text) => self.console_receive(0, text.as_bytes(), contact),
            ("baud", _) => {
                self.baud = value.parse().map_err(|_| format!("a rate in bits a second is expected, not `{value}`"))?;
                self.requests.extend(self.ports.first().map(|_| Request::LineCoding(0)));
                self.hurry(contact);
            }
            ("dtr", "on" | "off") => {
                self.requests.extend(self.ports.first().map(|_| Request::Lines(0, value == "on")));
                self.hurry(contact);
            }
            ("cable", "in" | "out") => {
                self.plugged = value == "in";
                contact.usb(UsbAction::Power(self.plugged));
                self.look(contact);
            }
            ("bus", "suspend") => {
                if self.phase == Phase::Running {
                    (self.phase, self.pending) = (Phase::Suspended, None);
                    contact.sleep();
                }
            }
            ("bus", "resume") => {
                if self.phase == Phase::Suspended {
                    self.resume(contact);
                }
            }
            _ => {
                return Err("it takes text TEXT, baud RATE, dtr on|off, cable in|out and bus suspend|resume".to_owned());
            }
        }
        Ok(())
    }
}
