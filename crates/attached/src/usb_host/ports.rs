//! Serial ports that the host has opened: three pipes each.

use std::collections::VecDeque;

use cyclescope_machine::Contact;
use cyclescope_machine::units::Picoseconds;

use super::bus::{Owner, RETRY, Transaction};
use super::control::Request;
use super::descriptors::{Endpoint, SerialPort};
use super::packet::Token;
use super::{MILLISECOND, UsbHost};

/// A pipe that fails as often in a row is closed.
const FAILURES: u8 = 3;

/// One way of an endpoint.
#[derive(Clone, Debug, Default)]
struct Pipe {
    toggle: bool,
    due: Picoseconds,
    failures: u8,
    closed: bool,
}

/// A serial port.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) serial: SerialPort,
    /// The line coding and the control lines are set.
    pub(super) open: bool,
    /// Bytes for the device.
    pub(super) output: VecDeque<u8>,
    /// Output, input and notices.
    pipes: [Pipe; 3],
}

impl Port {
    pub(super) fn new(serial: SerialPort) -> Self {
        Self { serial, open: false, output: VecDeque::new(), pipes: Default::default() }
    }

    /// Tells if all bytes have gone and the device takes more.
    pub(super) fn listens(&self) -> bool {
        self.open && self.output.is_empty() && !self.pipes[0].closed
    }

    fn endpoint(&self, way: usize) -> Option<Endpoint> {
        [Some(self.serial.output), Some(self.serial.input), self.serial.notices][way]
    }

    /// The next transaction of a pipe of the port `number`, and the time from which on it is due.
    pub(super) fn pipe(&self, number: usize, way: usize) -> Option<(Picoseconds, Transaction)> {
        let (pipe, endpoint) = (&self.pipes[way], self.endpoint(way)?);
        if !self.open || pipe.closed || way == 0 && self.output.is_empty() {
            return None;
        }
        let owner = [Owner::Output(number), Owner::Input(number), Owner::Notices(number)][way];
        let data =
            if way == 0 { self.output.iter().take(endpoint.packet.into()).copied().collect() } else { Vec::new() };
        let token = if way == 0 { Token::Out } else { Token::In };
        let (toggle, most) = (pipe.toggle, endpoint.packet);
        Some((pipe.due, Transaction { owner, token, endpoint: endpoint.address & 0xF, toggle, data, most }))
    }
}

impl UsbHost {
    /// The pipe of `owner`, with its endpoint.
    fn pipe_mut(&mut self, owner: Owner) -> Option<(&mut Pipe, Endpoint, usize)> {
        let (number, way) = match owner {
            Owner::Control => return None,
            Owner::Output(number) => (number, 0),
            Owner::Input(number) => (number, 1),
            Owner::Notices(number) => (number, 2),
        };
        let port = self.ports.get_mut(number)?;
        let endpoint = port.endpoint(way)?;
        Some((&mut port.pipes[way], endpoint, number))
    }

    /// The pipe of `owner` is asked again after `span`; an interrupt endpoint, in its interval.
    fn later(&mut self, owner: Owner, span: Picoseconds, now: Picoseconds) {
        if let Some((pipe, endpoint, _)) = self.pipe_mut(owner) {
            let interval = Picoseconds::new(u64::from(endpoint.interval.max(1)) * MILLISECOND);
            pipe.due = now + if endpoint.kind == 3 { interval } else { span };
        }
    }

    pub(super) fn pipe_not_now(&mut self, owner: Owner, contact: &Contact<'_>) {
        self.later(owner, RETRY, contact.now());
        if let Some((pipe, ..)) = self.pipe_mut(owner) {
            pipe.failures = 0;
        }
    }

    /// The device has acknowledged the data.
    pub(super) fn pipe_taken(&mut self, owner: Owner) {
        let Some((pipe, endpoint, number)) = self.pipe_mut(owner) else { return };
        (pipe.toggle, pipe.failures) = (!pipe.toggle, 0);
        let output = &mut self.ports[number].output;
        let count = output.len().min(endpoint.packet.into());
        output.drain(..count);
    }

    /// Data of the device, or (`None`) too many.
    pub(super) fn pipe_received(&mut self, owner: Owner, data: Option<Vec<u8>>, contact: &mut Contact<'_>) {
        self.later(owner, Picoseconds::ZERO, contact.now());
        let Some((pipe, endpoint, number)) = self.pipe_mut(owner) else { return };
        let Some(data) = data else {
            pipe.closed = true;
            let (address, most) = (endpoint.address, endpoint.packet);
            contact.complain(format!(
                "endpoint {address:#04x} has sent more than its {most} bytes (babble); it is closed"
            ));
            return;
        };
        (pipe.toggle, pipe.failures) = (!pipe.toggle, 0);
        if matches!(owner, Owner::Input(_)) && !data.is_empty() {
            contact.print(number as u8, &data);
        }
    }

    /// The endpoint has halted: the host clears that.
    pub(super) fn pipe_halted(&mut self, owner: Owner, contact: &mut Contact<'_>) {
        let Some((pipe, endpoint, _)) = self.pipe_mut(owner) else { return };
        pipe.failures += 1;
        if pipe.failures >= FAILURES {
            pipe.closed = true;
            contact.complain(format!("endpoint {:#04x} answers STALL again and again; it is closed", endpoint.address));
            return;
        }
        // Not before the halt is cleared.
        pipe.due = contact.now() + Picoseconds::new(MILLISECOND);
        pipe.toggle = false;
        self.requests.push_back(Request::ClearHalt(endpoint.address));
    }

    /// The device has not answered.
    pub(super) fn pipe_unheard(&mut self, owner: Owner, contact: &mut Contact<'_>) {
        self.later(owner, RETRY, contact.now());
        let Some((pipe, endpoint, _)) = self.pipe_mut(owner) else { return };
        pipe.failures += 1;
        if pipe.failures >= FAILURES {
            pipe.closed = true;
            contact.complain(format!("endpoint {:#04x} does not answer; it is closed", endpoint.address));
        }
    }
}
