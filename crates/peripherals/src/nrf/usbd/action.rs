//! The answers to what the host does on the cable.

use cyclescope_machine::{UsbAction, UsbAnswer, UsbState};

use crate::framework::UsbDevice;
use crate::{Env, Words, usb};

use super::super::signals::Tasked;
use super::{
    BMREQUESTTYPE, Control, EP0DATADONE, EP0SETUP, EPDATA, EPDATASTATUS, EPINEN, EPOUTEN, FRAMECNTR, HALTED_IN,
    HALTED_OUT, ISO, ISOINCONFIG, RESUME, SILENCE, SIZE_ISOOUT, SIZE_OUT, SOF, USBADDR, USBPULLUP, USBRESET, Usbd,
    VBUS, ZERO,
};

/// SET_ADDRESS: bmRequestType and bRequest (USB 2.0, 9.4.6).
const SET_ADDRESS: [u8; 2] = [0, 5];
/// bmRequestType: data go to the host.
const TO_HOST: u8 = 1 << 7;

impl Usbd {
    /// True if a packet for `address` and the endpoint `number` is for an enabled one of those in `enables`.
    fn is_meant(&self, address: u8, number: usize, enables: u32) -> bool {
        let here = u32::from(address) == self.get(USBADDR);
        here && number <= ISO && (number == 0 || self.get(enables) >> number & 1 != 0)
    }

    fn halts(&self, halted: u32, number: usize) -> bool {
        number < ISO && self.get(halted + 4 * number as u32) & 1 != 0
    }

    fn setup(&mut self, data: &[u8], env: &mut Env<'_, '_>) -> UsbAnswer {
        let mut request = [0; 8];
        request.iter_mut().zip(data).for_each(|(to, from)| *to = *from);
        for (place, byte) in (0..).zip(request) {
            self.signals.bank.set(BMREQUESTTYPE + 4 * place, byte.into());
        }
        let address = (request[..2] == SET_ADDRESS).then_some(u32::from(request[2] & 0x7F));
        self.control = Control { reads: request[0] & TO_HOST != 0, status: address.is_some(), stalls: false, address };
        for endpoint in [&mut self.ins[0], &mut self.outs[0]] {
            (endpoint.packet, endpoint.toggle, endpoint.accepts) = (None, true, false);
        }
        self.raise(EP0SETUP, env);
        UsbAnswer::Ack
    }

    /// The status stage has ended.
    fn status_ended(&mut self) {
        self.control.status = false;
        if let Some(address) = self.control.address.take() {
            self.signals.bank.set(USBADDR, address);
        }
    }

    fn receive(&mut self, address: u8, number: usize, toggle: bool, data: &[u8], env: &mut Env<'_, '_>) -> UsbAnswer {
        if !self.is_meant(address, number, EPOUTEN) {
            return UsbAnswer::Nothing;
        }
        if number == ISO {
            let size = data.len().min(1023);
            self.signals.bank.set(SIZE_ISOOUT, size as u32 | if size == 0 { ZERO } else { 0 });
            self.outs[ISO].packet = Some(data[..size].to_vec());
            return UsbAnswer::Nothing;
        }
        if number == 0 && self.control.stalls || self.halts(HALTED_OUT, number) {
            return UsbAnswer::Stall;
        }
        if number == 0 && self.control.reads {
            // The status stage of a request that reads.
            if !data.is_empty() || !self.control.status {
                return UsbAnswer::Nak;
            }
            self.status_ended();
            return UsbAnswer::Ack;
        }
        let endpoint = &mut self.outs[number];
        if toggle != endpoint.toggle {
            // The host has not heard the acknowledgement.
            return UsbAnswer::Ack;
        }
        if !endpoint.accepts {
            return UsbAnswer::Nak;
        }
        let size = data.len().min(64);
        (endpoint.packet, endpoint.accepts) = (Some(data[..size].to_vec()), false);
        endpoint.toggle ^= true;
        self.signals.bank.set(SIZE_OUT + 4 * number as u32, size as u32);
        self.data_done(number, 16, env);
        UsbAnswer::Ack
    }

    /// A packet of the endpoint has been acknowledged; `first` is the bit of the first one in EPDATASTATUS.
    fn data_done(&mut self, number: usize, first: usize, env: &mut Env<'_, '_>) {
        if number == 0 {
            return self.raise(EP0DATADONE, env);
        }
        self.signals.bank.flag(EPDATASTATUS, 1 << (first + number), true);
        self.raise(EPDATA, env);
    }

    fn send(&self, address: u8, number: usize) -> UsbAnswer {
        if !self.is_meant(address, number, EPINEN) {
            return UsbAnswer::Nothing;
        }
        let endpoint = &self.ins[number];
        if number == ISO {
            let empty = self.get(ISOINCONFIG) & 1 != 0;
            let data = endpoint.packet.clone().or(empty.then(Vec::new));
            return data.map_or(UsbAnswer::Nothing, |data| UsbAnswer::Data { toggle: false, data });
        }
        if number == 0 && self.control.stalls || self.halts(HALTED_IN, number) {
            return UsbAnswer::Stall;
        }
        if number == 0 && !self.control.reads {
            let status = UsbAnswer::Data { toggle: true, data: Vec::new() };
            return if self.control.status { status } else { UsbAnswer::Nak };
        }
        let data = endpoint.packet.clone();
        data.map_or(UsbAnswer::Nak, |data| UsbAnswer::Data { toggle: endpoint.toggle, data })
    }

    /// The host has acknowledged the data of the endpoint, or not.
    fn sent(&mut self, address: u8, number: usize, acknowledged: bool, env: &mut Env<'_, '_>) {
        if !self.is_meant(address, number, EPINEN) || !acknowledged && number != ISO {
            return;
        }
        if number == 0 && !self.control.reads {
            return self.status_ended();
        }
        self.ins[number].packet = None;
        if number != ISO {
            self.ins[number].toggle ^= true;
            self.data_done(number, 0, env);
        }
    }

    /// The host has sent something.
    fn hear(&mut self, env: &mut Env<'_, '_>) {
        self.listen(env);
        if std::mem::take(&mut self.suspended) {
            self.cause(RESUME, env);
        }
    }

    /// The host drives the bus, or no longer.
    fn drive_bus(&mut self, begins: bool, env: &mut Env<'_, '_>) {
        self.driven = begins;
        if begins { self.expect(SILENCE, None, env) } else { self.listen(env) }
    }
}

impl UsbDevice<Words> for Usbd {
    fn state(&self) -> UsbState {
        UsbState {
            pull_up: Some(self.is_on() && self.get(USBPULLUP) & 1 != 0),
            takes_pin: true,
            wakes: self.is_on() && self.wakes,
        }
    }

    fn action(&mut self, action: &UsbAction, env: &mut Env<'_, '_>) -> UsbAnswer {
        if let UsbAction::Power(powered) = action {
            self.powered = *powered;
            env.trigger(VBUS, *powered);
            return UsbAnswer::Nothing;
        }
        if !self.is_on() || !usb::has_clock(env) {
            return UsbAnswer::Nothing;
        }
        match action {
            UsbAction::Power(_) => {}
            UsbAction::Reset(begins) => {
                self.drive_bus(*begins, env);
                if *begins {
                    self.reset_bus(env);
                    self.raise(USBRESET, env);
                }
            }
            UsbAction::Resume(begins) => {
                self.hear(env);
                self.drive_bus(*begins, env);
            }
            UsbAction::Frame(number) => {
                self.hear(env);
                self.signals.bank.set(FRAMECNTR, u32::from(number & 0x7FF));
                self.raise(SOF, env);
            }
            UsbAction::Out { setup, address, endpoint, toggle, data } => {
                self.hear(env);
                let number = usize::from(*endpoint);
                if !setup {
                    return self.receive(*address, number, *toggle, data, env);
                }
                if number == 0 && self.is_meant(*address, 0, EPOUTEN) {
                    return self.setup(data, env);
                }
            }
            UsbAction::In { address, endpoint } => {
                self.hear(env);
                return self.send(*address, usize::from(*endpoint));
            }
            UsbAction::InEnd { address, endpoint, acknowledged } => {
                self.sent(*address, usize::from(*endpoint), *acknowledged, env);
            }
        }
        UsbAnswer::Nothing
    }
}
