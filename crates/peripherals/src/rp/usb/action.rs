//! The answers to what the host does on the cable.

use cyclescope_machine::{UsbAction, UsbAnswer, UsbState, Width};

use super::{
    ACK_REC, ADDR_ENDP, AVAILABLE, BUFF_CPU_SHOULD_HANDLE, BUFF_STATUS, BUFFER, BUFFER_CONTROL, BUS_RESET,
    DATA_SEQ_ERROR, DEV_SOF, DEV_SUSPEND, DOUBLE_BUFFERED, ENABLE, ENDPOINT_CONTROL, EP_ABORT, EP_STALL_ARM,
    EP_STATUS_STALL_NAK, EP0_BUFFER, EP0_INT_NAK, EP0_INT_STALL, FULL, INTERRUPT_ON_NAK, INTERRUPT_ON_STALL,
    INTERRUPT_PER_BUFF, INTERRUPT_PER_DOUBLE_BUFF, ISOCHRONOUS, LAST, LENGTH, MEMORY, PID, PULLUP_EN, RESET, RESUME,
    RX_TIMEOUT, SETUP_REC, SIE_CTRL, SIE_STATUS, SILENCE, SOF_RD, STALL, SUSPENDED, TRANS_COMPLETE, Usb,
};
use crate::framework::UsbDevice;
use crate::{Env, Words, usb};

/// One way of an endpoint.
#[derive(Clone, Copy, Debug)]
struct Endpoint {
    /// Its bit in the registers of all endpoints.
    bit: u32,
    /// Its control, as endpoints other than 0 have it.
    control: u32,
    /// The place of its buffers' control, and what that holds.
    place: u32,
    buffers: u32,
    /// The second buffer is next.
    second: bool,
}

impl Endpoint {
    /// The control of the buffer that is next.
    const fn buffer(&self) -> u32 {
        self.buffers >> if self.second { 16 } else { 0 } & 0xFFFF
    }

    const fn is_isochronous(&self) -> bool {
        self.control >> 26 & 3 == ISOCHRONOUS
    }

    /// The address of the buffer.
    const fn address(&self) -> u32 {
        let step = if self.is_isochronous() { 128 << (self.buffers >> 27 & 3) } else { BUFFER };
        MEMORY + (self.control & 0xFFC0) + if self.second { step } else { 0 }
    }

    /// The bytes that fit.
    const fn size(&self) -> usize {
        if self.is_isochronous() { 1023 } else { BUFFER as usize }
    }
}

impl Usb {
    /// The endpoint that a packet is for, if it is enabled.
    fn endpoint(&mut self, address: u8, number: u8, to_host: bool, env: &mut Env<'_, '_>) -> Option<Endpoint> {
        let here = u32::from(address) == self.bank.get(ADDR_ENDP) & 0x7F;
        if !here || number > 15 {
            return None;
        }
        let (number, way) = (u32::from(number), u32::from(!to_host));
        let control = if number == 0 {
            // Endpoint 0 has its control in SIE_CTRL, and its buffers at a fixed place.
            let control = self.bank.get(SIE_CTRL);
            let shared = control & (DOUBLE_BUFFERED | INTERRUPT_PER_BUFF | INTERRUPT_PER_DOUBLE_BUFF);
            let stall = if control & EP0_INT_STALL != 0 { INTERRUPT_ON_STALL } else { 0 };
            let nak = if control & EP0_INT_NAK != 0 { INTERRUPT_ON_NAK } else { 0 };
            ENABLE | shared | stall | nak | EP0_BUFFER
        } else {
            Self::word(ENDPOINT_CONTROL + 8 * number + 4 * way, env)
        };
        let (bit, place) = (1 << (2 * number + way), BUFFER_CONTROL + 8 * number + 4 * way);
        let mut buffers = Self::word(place, env);
        if buffers & RESET != 0 {
            self.second &= !bit;
            buffers &= !RESET;
            Self::set_word(place, buffers, env);
        }
        let second = control & DOUBLE_BUFFERED != 0 && self.second & bit != 0;
        (control & ENABLE != 0).then_some(Endpoint { bit, control, place, buffers, second })
    }

    /// The endpoint says that it is not ready.
    fn refuse(&mut self, endpoint: Endpoint) -> UsbAnswer {
        if endpoint.control & INTERRUPT_ON_NAK != 0 {
            self.bank.flag(EP_STATUS_STALL_NAK, endpoint.bit, true);
        }
        UsbAnswer::Nak
    }

    /// The answer of an endpoint that software has halted or aborted.
    fn halted(&mut self, endpoint: Endpoint) -> Option<UsbAnswer> {
        if self.bank.get(EP_ABORT) & endpoint.bit != 0 {
            return Some(self.refuse(endpoint));
        }
        // Endpoint 0 needs a second word for it.
        let armed = endpoint.bit > 2 || self.bank.get(EP_STALL_ARM) & endpoint.bit != 0;
        if endpoint.buffers & STALL == 0 || !armed {
            return None;
        }
        if endpoint.control & INTERRUPT_ON_STALL != 0 {
            self.bank.flag(EP_STATUS_STALL_NAK, endpoint.bit, true);
        }
        Some(UsbAnswer::Stall)
    }

    /// The endpoint's buffer is done; `control` is what becomes of its control.
    fn complete(&mut self, endpoint: Endpoint, control: u32, env: &mut Env<'_, '_>) {
        let Endpoint { bit, place, second, .. } = endpoint;
        let shift = if second { 16 } else { 0 };
        let buffers = endpoint.buffers & !(0xFFFF << shift) | control << shift;
        Self::set_word(place, buffers, env);
        if control & LAST != 0 {
            self.status(TRANS_COMPLETE, true);
        }
        let double = endpoint.control & DOUBLE_BUFFERED != 0;
        if double {
            self.second ^= bit;
        }
        let each = endpoint.control & INTERRUPT_PER_BUFF != 0;
        let both = double && second && endpoint.control & INTERRUPT_PER_DOUBLE_BUFF != 0;
        if !each && !both {
            return;
        }
        let number = if second { bit } else { 0 };
        if self.bank.get(BUFF_STATUS) & bit != 0 {
            self.more |= bit;
            self.more_second = self.more_second & !bit | number;
        } else {
            self.bank.flag(BUFF_STATUS, bit, true);
            let shown = self.bank.get(BUFF_CPU_SHOULD_HANDLE) & !bit;
            self.bank.set(BUFF_CPU_SHOULD_HANDLE, shown | number);
        }
    }

    fn setup(&mut self, data: &[u8], env: &mut Env<'_, '_>) -> UsbAnswer {
        let mut request = [0; 8];
        request.iter_mut().zip(data).for_each(|(to, from)| *to = *from);
        for (offset, word) in (0..).step_by(4).zip(request.chunks_exact(4)) {
            let word = word.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
            Self::set_word(offset, word, env);
        }
        self.bank.set(EP_STALL_ARM, 0);
        self.second &= !3;
        self.status(SETUP_REC, true);
        UsbAnswer::Ack
    }

    fn receive(&mut self, endpoint: Endpoint, toggle: bool, data: &[u8], env: &mut Env<'_, '_>) -> UsbAnswer {
        if let Some(answer) = self.halted(endpoint) {
            return answer;
        }
        let (isochronous, buffer) = (endpoint.is_isochronous(), endpoint.buffer());
        let nothing = |answer| if isochronous { UsbAnswer::Nothing } else { answer };
        if buffer & (AVAILABLE | FULL) != AVAILABLE {
            let answer = self.refuse(endpoint);
            return nothing(answer);
        }
        if !isochronous && toggle != (buffer & PID != 0) {
            // The host has not heard the acknowledgement.
            self.status(DATA_SEQ_ERROR, true);
            return UsbAnswer::Ack;
        }
        let size = data.len().min(endpoint.size());
        for (address, byte) in (endpoint.address()..).zip(&data[..size]) {
            env.context.memory.write(address, Width::Byte, (*byte).into());
        }
        let control = buffer & !(AVAILABLE | LENGTH) | FULL | size as u32;
        self.complete(endpoint, control, env);
        nothing(UsbAnswer::Ack)
    }

    fn send(&mut self, endpoint: Endpoint, env: &Env<'_, '_>) -> UsbAnswer {
        if let Some(answer) = self.halted(endpoint) {
            return answer;
        }
        let buffer = endpoint.buffer();
        if buffer & (AVAILABLE | FULL) != AVAILABLE | FULL {
            let answer = self.refuse(endpoint);
            return if endpoint.is_isochronous() { UsbAnswer::Nothing } else { answer };
        }
        let size = (buffer & LENGTH).min(endpoint.size() as u32);
        let byte = |address| env.context.memory.read(address, Width::Byte).unwrap_or(0) as u8;
        let data = (endpoint.address()..).take(size as usize).map(byte).collect();
        UsbAnswer::Data { toggle: buffer & PID != 0, data }
    }

    /// The host has acknowledged the data of the endpoint, or not.
    fn sent(&mut self, endpoint: Endpoint, acknowledged: bool, env: &mut Env<'_, '_>) {
        if acknowledged || endpoint.is_isochronous() {
            self.status(ACK_REC, acknowledged && !endpoint.is_isochronous());
            let control = endpoint.buffer() & !(AVAILABLE | FULL);
            self.complete(endpoint, control, env);
        } else {
            self.status(RX_TIMEOUT, true);
        }
    }

    /// The host has sent something.
    fn hear(&mut self, env: &mut Env<'_, '_>) {
        self.listen(env);
        if self.has(SIE_STATUS, SUSPENDED) {
            self.status(SUSPENDED, false);
            self.raised |= DEV_SUSPEND;
        }
    }

    /// The host drives the bus, or no longer.
    fn drive_bus(&mut self, begins: bool, env: &mut Env<'_, '_>) {
        self.driven = begins;
        if begins { self.expect(SILENCE, None, env) } else { self.listen(env) }
    }

    fn act(&mut self, action: &UsbAction, env: &mut Env<'_, '_>) -> UsbAnswer {
        match action {
            UsbAction::Power(_) => {}
            UsbAction::Reset(begins) => {
                self.drive_bus(*begins, env);
                if *begins {
                    self.status(SUSPENDED, false);
                    self.status(BUS_RESET, true);
                } else {
                    self.connect(true);
                }
            }
            UsbAction::Resume(begins) => {
                self.hear(env);
                self.drive_bus(*begins, env);
                self.status(RESUME, *begins || self.has(SIE_STATUS, RESUME));
            }
            UsbAction::Frame(number) => {
                self.hear(env);
                self.bank.set(SOF_RD, u32::from(number & 0x7FF));
                self.raised |= DEV_SOF;
            }
            UsbAction::Out { setup, address, endpoint, toggle, data } => {
                self.hear(env);
                let Some(found) = self.endpoint(*address, *endpoint, false, env) else { return UsbAnswer::Nothing };
                if !setup {
                    return self.receive(found, *toggle, data, env);
                }
                if *endpoint == 0 {
                    return self.setup(data, env);
                }
            }
            UsbAction::In { address, endpoint } => {
                self.hear(env);
                let Some(found) = self.endpoint(*address, *endpoint, true, env) else { return UsbAnswer::Nothing };
                return self.send(found, env);
            }
            UsbAction::InEnd { address, endpoint, acknowledged } => {
                if let Some(found) = self.endpoint(*address, *endpoint, true, env) {
                    self.sent(found, *acknowledged, env);
                }
            }
        }
        UsbAnswer::Nothing
    }
}

impl UsbDevice<Words> for Usb {
    fn state(&self) -> UsbState {
        UsbState {
            pull_up: Some(self.is_on() && self.has(SIE_CTRL, PULLUP_EN)),
            takes_pin: true,
            wakes: self.is_on() && self.wakes,
        }
    }

    fn action(&mut self, action: &UsbAction, env: &mut Env<'_, '_>) -> UsbAnswer {
        if !self.is_on() || !usb::has_clock(env) {
            return UsbAnswer::Nothing;
        }
        let answer = self.act(action, env);
        self.settle(env);
        answer
    }
}
