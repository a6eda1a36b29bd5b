//! The USB hosts among the attached devices: their cables and their consoles.

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{UsbAction, UsbAnswer, UsbState};

use super::Outside;

impl Outside {
    /// The hosts on USB cables, each with the slot of the block at the other end.
    pub fn usb_hosts(&self) -> impl Iterator<Item = (usize, u16)> {
        let routed = |(index, hung): (usize, &super::outside::Hung)| {
            let dp = hung.pin("dp")?;
            hung.connections[dp].route.map(|(slot, _)| (index, slot))
        };
        self.devices.iter().enumerate().filter_map(routed)
    }

    /// The part's end of the cable of the host `index` is so; the host hears of a change.
    pub fn usb_state(&mut self, index: usize, state: UsbState, now: Picoseconds) {
        if self.devices[index].usb.replace(state) != Some(state) {
            self.devices[index].with(now, |device, contact, _, _| device.usb_state(state, contact));
            self.collect(index);
        }
    }

    /// Takes the next action of a host, with its number.
    pub fn next_usb(&mut self) -> Option<(usize, UsbAction)> {
        let (index, hung) = self.devices.iter_mut().enumerate().find(|(_, hung)| !hung.requests.usb.is_empty())?;
        Some((index, hung.requests.usb.remove(0)))
    }

    /// Gives the host `index` the answer to a packet.
    pub fn usb_answer(&mut self, index: usize, answer: UsbAnswer, now: Picoseconds) {
        self.devices[index].with(now, |device, contact, _, _| device.usb_answer(answer, contact));
        self.collect(index);
    }

    /// The number of consoles that all devices open together.
    pub fn consoles(&self) -> u8 {
        self.devices.iter().fold(0, |sum, hung| hung.device.consoles().saturating_add(sum))
    }

    /// The device with the console `number`, and the console's number there.
    fn console(&self, number: u8) -> Option<(usize, u8)> {
        let mut first = 0u8;
        for (index, hung) in self.devices.iter().enumerate() {
            let next = first.saturating_add(hung.device.consoles());
            if (first..next).contains(&number) {
                return Some((index, number - first));
            }
            first = next;
        }
        None
    }

    /// Takes the bytes that the guest has sent to a console, with the console's number.
    pub fn next_output(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut first = 0u8;
        for hung in &mut self.devices {
            if !hung.requests.output.is_empty() {
                let (number, bytes) = hung.requests.output.remove(0);
                return Some((first.saturating_add(number), bytes));
            }
            first = first.saturating_add(hung.device.consoles());
        }
        None
    }

    /// Tells if the port behind the console `number` takes bytes.
    pub fn console_listens(&self, number: u8) -> bool {
        self.console(number).is_some_and(|(index, number)| self.devices[index].device.console_listens(number))
    }

    /// Bytes from outside for the port behind the console `number`.
    pub fn console_receive(&mut self, number: u8, bytes: &[u8], now: Picoseconds) {
        if let Some((index, own)) = self.console(number) {
            if let Some(listening) = self.devices[index].listening.get_mut(usize::from(own)) {
                *listening = false;
            }
            self.devices[index].with(now, |device, contact, _, _| device.console_receive(own, bytes, contact));
            self.collect(index);
        }
    }

    /// Returns the consoles whose ports take bytes from now on and did not when this was asked before.
    pub fn new_listeners(&mut self) -> Vec<u8> {
        let (mut first, mut found) = (0u8, Vec::new());
        for hung in &mut self.devices {
            let count = hung.device.consoles();
            hung.listening.resize(count.into(), false);
            for (number, known) in (0..count).zip(&mut hung.listening) {
                let listens = hung.device.console_listens(number);
                if listens && !std::mem::replace(known, listens) {
                    found.push(first.saturating_add(number));
                }
                *known = listens;
            }
            first = first.saturating_add(count);
        }
        found
    }
}
