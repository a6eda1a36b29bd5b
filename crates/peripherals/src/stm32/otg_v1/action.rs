//! The host's packets at the block (RM0390, "OTG_FS/OTG_HS device programming model").

use cyclescope_machine::{UsbAction, UsbAnswer, UsbState};

use super::endpoint::{self, EPENA, NAKSTS, ODD, STALL, USBAEP, is_isochronous, left, packet, with_left};
use super::fifo::{DATA, OUT_DONE, SETUP, SETUP_DONE};
use super::{
    CTL, DCFG, DCTL, DIEP, DOEP, DSTS, ENDPOINTS, ENUMDNE, EOPF, FRAME_ENDS, GINSTS, GONSTS, GOTGINT, GRXFSIZ,
    IISOIXFR, INCOMPISOOUT, OtgV1, ROWS, RWUSIG, SEDET, SILENT, SOF, SRQINT, SUSPEND, TSIZ, USBRST, WKUPINT,
};
use crate::framework::UsbDevice;
use crate::{Env, Instant, Words, usb};

impl OtgV1 {
    fn frame_number(&self) -> u32 {
        self.get(DSTS) >> 8 & 0x3FFF
    }

    /// The bus is not silent; a suspended block wakes up.
    fn heard(&mut self, env: &mut Env<'_, '_>) {
        self.silent_at = env.now().after(env.clocks().microseconds(SUSPEND));
        env.schedule(SILENT, self.silent_at);
        if std::mem::take(&mut self.suspended) {
            self.bank.flag(DSTS, 1, false);
            self.raise(WKUPINT, env);
        }
    }

    fn bus_reset(&mut self, begins: bool, env: &mut Env<'_, '_>) {
        if begins {
            self.heard(env);
            self.silent_at = Instant::NEVER;
            env.cancel(SILENT);
            self.frame_ends = Instant::NEVER;
            env.cancel(FRAME_ENDS);
            // RM0390, DCFG.DAD and USBAEP: the address is 0 again, and no endpoint but 0 is active.
            self.bank.flag(DCFG, 0x7F << 4, false);
            for number in 1..ENDPOINTS as u32 {
                for side in [DIEP, DOEP] {
                    self.bank.flag(side + number * 0x20 + CTL, USBAEP, false);
                }
            }
            (self.setup, self.address) = (false, 0);
            self.raise(USBRST, env);
        } else {
            env.cycles(&ROWS[0]);
            // ENUMSPD: full speed of the inner transceiver.
            let status = self.get(DSTS);
            self.bank.set(DSTS, status & !6 | 3 << 1);
            self.heard(env);
            self.raise(ENUMDNE, env);
        }
    }

    /// A frame begins.
    fn frame(&mut self, number: u16, env: &mut Env<'_, '_>) {
        self.heard(env);
        let status = self.get(DSTS) & !(0x3FFF << 8);
        self.bank.set(DSTS, status | u32::from(number & 0x7FF) << 8);
        // PFIVL: 80, 85, 90 or 95 % of the frame.
        let share = 800 + 50 * u64::from(self.get(DCFG) >> 11 & 3);
        self.frame_ends = env.now().after(env.clocks().microseconds(share));
        env.schedule(FRAME_ENDS, self.frame_ends);
        self.raise(SOF, env);
    }

    /// The frame is about to end: isochronous transfers that it has not brought are incomplete.
    pub(super) fn frame_ended(&mut self, env: &mut Env<'_, '_>) {
        let mut flags = EOPF;
        for (side, flag) in [(DIEP, IISOIXFR), (DOEP, INCOMPISOOUT)] {
            let waits = (1..ENDPOINTS as u32).any(|number| {
                let control = self.get(side + number * 0x20 + CTL);
                is_isochronous(control) && control & EPENA != 0 && self.is_in_frame(control)
            });
            flags |= if waits { flag } else { 0 };
        }
        self.raise(flags, env);
    }

    /// Tells if an isochronous endpoint is set to the parity of this frame.
    fn is_in_frame(&self, control: u32) -> bool {
        (control & ODD != 0) == (self.frame_number() & 1 != 0)
    }

    /// Tells if a packet is for the endpoint `number` of this device.
    fn is_meant(&self, address: u8, number: u8) -> bool {
        let known = [self.get(DCFG) >> 4 & 0x7F, self.address].contains(&address.into());
        self.is_connected() && known && usize::from(number) < ENDPOINTS
    }

    /// A token follows a request: the request's end is told.
    fn end_setup(&mut self, number: usize) {
        if number == 0 && std::mem::take(&mut self.setup) {
            self.received.push(0, SETUP_DONE, false, 0, &[]);
        }
    }

    fn depth_of_received(&self) -> usize {
        (self.get(GRXFSIZ) & 0xFFFF) as usize
    }

    fn receive_setup(&mut self, data: &[u8], env: &mut Env<'_, '_>) -> UsbAnswer {
        if !self.received.has_room(data.len(), self.depth_of_received()) {
            return UsbAnswer::Nothing;
        }
        self.check_turn_around(env);
        self.received.push(0, SETUP, false, self.frame_number(), data);
        let size = self.get(DOEP + TSIZ);
        let count = size >> 29 & 3;
        let mut flags = 0;
        if self.setup || count == 0 {
            flags |= endpoint::B2BSTUP;
        }
        self.setup = true;
        self.bank.set(DOEP + TSIZ, size & !(3 << 29) | count.saturating_sub(1) << 29);
        for side in [DIEP, DOEP] {
            let control = self.get(side + CTL);
            self.bank.set(side + CTL, control & !STALL | NAKSTS | ODD);
        }
        self.mark(DOEP, 0, flags, env);
        UsbAnswer::Ack
    }

    fn receive(&mut self, endpoint: u8, toggle: bool, data: &[u8], env: &mut Env<'_, '_>) -> UsbAnswer {
        let number = usize::from(endpoint);
        self.end_setup(number);
        let (at, isochronous) =
            (DOEP + u32::from(endpoint) * 0x20, is_isochronous(self.get(DOEP + u32::from(endpoint) * 0x20)));
        let control = self.get(at + CTL);
        let refused = |answer| if isochronous { UsbAnswer::Nothing } else { answer };
        if control & USBAEP == 0 {
            self.settle(env);
            return UsbAnswer::Nothing;
        }
        if control & STALL != 0 && !isochronous {
            self.settle(env);
            return UsbAnswer::Stall;
        }
        let global = self.get(DCTL) & GONSTS != 0;
        // RM0390 has EPENA fall with each transfer. On silicon, without DMA, it stays: drivers (embassy-usb, libopencm3)
        // enable an endpoint once, endpoint 0 never, and go on with CNAK alone.
        if control & EPENA == 0 && number != 0 {
            self.mark(DOEP, number, endpoint::OTEPDIS, env);
            return refused(UsbAnswer::Nak);
        }
        let room = self.received.has_room(data.len(), self.depth_of_received());
        if control & NAKSTS != 0 || global || !room || isochronous && !self.is_in_frame(control) {
            self.settle(env);
            return refused(UsbAnswer::Nak);
        }
        if !isochronous && toggle != (control & ODD != 0) {
            self.settle(env);
            return UsbAnswer::Ack;
        }
        let most = packet(number, if number == 0 { self.get(DIEP + CTL) } else { control });
        let data = &data[..data.len().min(most)];
        let (bytes, packets) = left(number, self.get(at + TSIZ));
        let (bytes, packets) = (bytes.saturating_sub(data.len() as u32), packets.saturating_sub(1));
        self.bank.set(at + TSIZ, with_left(self.get(at + TSIZ), bytes, packets));
        self.received.push(endpoint, DATA, toggle, self.frame_number(), data);
        let mut new = if isochronous { control } else { control ^ ODD };
        if packets == 0 || data.len() < most {
            new |= NAKSTS;
            self.received.push(endpoint, OUT_DONE, toggle, self.frame_number(), &[]);
        }
        self.bank.set(at + CTL, new);
        self.settle(env);
        refused(UsbAnswer::Ack)
    }

    /// The length of the next packet of an IN endpoint.
    fn next_length(&self, endpoint: u8) -> usize {
        let (number, at) = (usize::from(endpoint), DIEP + u32::from(endpoint) * 0x20);
        let (bytes, _) = left(number, self.get(at + TSIZ));
        packet(number, self.get(at + CTL)).min(bytes as usize)
    }

    fn send(&mut self, endpoint: u8, env: &mut Env<'_, '_>) -> UsbAnswer {
        let number = usize::from(endpoint);
        self.end_setup(number);
        self.settle(env);
        let at = DIEP + u32::from(endpoint) * 0x20;
        let control = self.get(at + CTL);
        let isochronous = is_isochronous(control);
        let refused = |answer| if isochronous { UsbAnswer::Nothing } else { answer };
        if control & USBAEP == 0 {
            return UsbAnswer::Nothing;
        }
        if control & STALL != 0 && !isochronous {
            return UsbAnswer::Stall;
        }
        let (_, packets) = left(number, self.get(at + TSIZ));
        let ready = control & EPENA != 0 && packets > 0;
        if !ready || control & NAKSTS != 0 || self.get(DCTL) & GINSTS != 0 || isochronous && !self.is_in_frame(control)
        {
            return refused(UsbAnswer::Nak);
        }
        match self.transmit[self.fifo_of(number)].packet(self.next_length(endpoint)) {
            Some(data) => UsbAnswer::Data { toggle: control & ODD != 0 && !isochronous, data },
            None => {
                self.mark(DIEP, number, endpoint::ITTXFE, env);
                refused(UsbAnswer::Nak)
            }
        }
    }

    fn sent(&mut self, endpoint: u8, acknowledged: bool, env: &mut Env<'_, '_>) {
        let (number, at) = (usize::from(endpoint), DIEP + u32::from(endpoint) * 0x20);
        let control = self.get(at + CTL);
        if !acknowledged && !is_isochronous(control) {
            return self.mark(DIEP, number, endpoint::TOC, env);
        }
        if number == 0 {
            // RM0390, "SET_ADDRESS": software writes DCFG before the status of the request.
            self.address = self.get(DCFG) >> 4 & 0x7F;
        }
        let length = self.next_length(endpoint);
        let fifo = self.fifo_of(number);
        self.transmit[fifo].remove(length);
        let (bytes, packets) = left(number, self.get(at + TSIZ));
        let (bytes, packets) = (bytes.saturating_sub(length as u32), packets.saturating_sub(1));
        self.bank.set(at + TSIZ, with_left(self.get(at + TSIZ), bytes, packets));
        let mut new = if is_isochronous(control) { control } else { control ^ ODD };
        let mut flags = 0;
        if packets == 0 {
            new &= !EPENA;
            flags |= endpoint::XFRC;
        }
        self.bank.set(at + CTL, new);
        self.mark(DIEP, number, flags, env);
    }

    fn set_power(&mut self, power: bool, env: &mut Env<'_, '_>) {
        let before = self.session();
        self.power = power;
        if before && !self.session() {
            self.bank.flag(GOTGINT, SEDET, true);
        } else if !before && self.session() {
            self.bank.flag(super::GINTSTS, SRQINT, true);
        }
        self.settle(env);
        env.usb_changed();
    }
}

impl UsbDevice<Words> for OtgV1 {
    fn state(&self) -> UsbState {
        UsbState {
            pull_up: Some(self.is_connected()),
            takes_pin: true,
            wakes: self.is_connected() && self.get(DCTL) & RWUSIG != 0,
        }
    }

    fn action(&mut self, action: &UsbAction, env: &mut Env<'_, '_>) -> UsbAnswer {
        if let UsbAction::Power(power) = action {
            self.set_power(*power, env);
            return UsbAnswer::Nothing;
        }
        if !self.is_connected() || !usb::has_clock(env) {
            return UsbAnswer::Nothing;
        }
        match action {
            UsbAction::Power(_) => {}
            UsbAction::Reset(begins) => self.bus_reset(*begins, env),
            UsbAction::Resume(_) => self.heard(env),
            UsbAction::Frame(number) => self.frame(*number, env),
            UsbAction::Out { setup, address, endpoint, toggle, data } => {
                self.heard(env);
                if self.is_meant(*address, *endpoint) {
                    return match setup {
                        true if *endpoint == 0 => self.receive_setup(data, env),
                        true => UsbAnswer::Nothing,
                        false => self.receive(*endpoint, *toggle, data, env),
                    };
                }
            }
            UsbAction::In { address, endpoint } => {
                self.heard(env);
                if self.is_meant(*address, *endpoint) {
                    return self.send(*endpoint, env);
                }
            }
            UsbAction::InEnd { address, endpoint, acknowledged } => {
                if self.is_meant(*address, *endpoint) {
                    self.sent(*endpoint, *acknowledged, env);
                }
            }
        }
        UsbAnswer::Nothing
    }
}
