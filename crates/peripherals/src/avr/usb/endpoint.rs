//! An endpoint of the ATmega32U4: its registers, and one or two banks of DPRAM (7766J, chapter 22).

use std::collections::VecDeque;

use cyclescope_machine::UsbAnswer;

/// Bits of UEINTX.
pub const TXINI: u8 = 1 << 0;
pub const STALLEDI: u8 = 1 << 1;
pub const RXOUTI: u8 = 1 << 2;
pub const RXSTPI: u8 = 1 << 3;
pub const NAKOUTI: u8 = 1 << 4;
pub const RWAL: u8 = 1 << 5;
pub const NAKINI: u8 = 1 << 6;
pub const FIFOCON: u8 = 1 << 7;

/// Bits of UECONX.
pub const EPEN: u8 = 1 << 0;
const RSTDT: u8 = 1 << 3;
const STALLRQC: u8 = 1 << 4;
const STALLRQ: u8 = 1 << 5;

const EPDIR: u8 = 1 << 0;
const ALLOC: u8 = 1 << 1;

/// Flags of UESTA0X.
const UNDERFI: u8 = 1 << 5;
const OVERFI: u8 = 1 << 6;

const CONTROL: u8 = 0;
const ISOCHRONOUS: u8 = 1;

/// Data of a packet that the core writes or reads.
#[derive(Clone, Debug, Default)]
struct Bank {
    data: VecDeque<u8>,
    /// It belongs to the bus: data that go out, or (of an OUT endpoint) to the core: data that have come.
    full: bool,
}

/// An endpoint.
#[derive(Clone, Debug, Default)]
pub struct Endpoint {
    pub connection: u8,
    pub configuration: [u8; 2],
    pub enables: u8,
    flags: u8,
    status: u8,
    /// Of a control endpoint the first holds what came, the second what goes out.
    banks: [Bank; 2],
    /// The core's bank, and the bus's.
    core: usize,
    bus: usize,
    /// The next packet is DATA1: of those that come, and those that go.
    toggles: [bool; 2],
    /// A request is under way that the host reads from (CTRLDIR).
    reads: bool,
    /// The memory was given.
    pub allocated: bool,
}

impl Endpoint {
    fn kind(&self) -> u8 {
        self.configuration[0] >> 6
    }

    fn is_control(&self) -> bool {
        self.kind() == CONTROL
    }

    fn is_in(&self) -> bool {
        self.configuration[0] & EPDIR != 0
    }

    fn is_isochronous(&self) -> bool {
        self.kind() == ISOCHRONOUS
    }

    pub fn is_on(&self) -> bool {
        self.connection & EPEN != 0 && self.allocated
    }

    /// The bytes of a bank.
    pub fn size(&self) -> usize {
        8 << (self.configuration[1] >> 4 & 7)
    }

    fn banks(&self) -> usize {
        if self.configuration[1] >> 2 & 3 == 1 && !self.is_control() { 2 } else { 1 }
    }

    /// The bytes of DPRAM that the configuration asks for.
    pub fn wanted(&self) -> usize {
        if self.configuration[1] & ALLOC != 0 {
            self.size() * if self.configuration[1] >> 2 & 3 == 1 { 2 } else { 1 }
        } else {
            0
        }
    }

    /// Tells if an endpoint of this number may have that size (7766J, 22.18.2: 256 bytes for endpoint 1, 64 for others).
    pub fn fits(&self, number: usize) -> bool {
        self.configuration[1] & ALLOC != 0 && self.size() <= if number == 1 { 256 } else { 64 }
    }

    /// The banks are empty, as after UERST.
    pub fn empty(&mut self) {
        self.banks = Default::default();
        (self.core, self.bus, self.status) = (0, 0, 0);
        self.flags = 0;
        if self.is_on() && (self.is_control() || self.is_in()) {
            self.flags = TXINI | if self.is_control() { 0 } else { FIFOCON };
        }
    }

    /// UECONX is written.
    pub fn connect(&mut self, value: u8) {
        let before = self.connection & EPEN != 0;
        self.connection = value & EPEN | self.connection & STALLRQ | value & STALLRQ;
        if value & STALLRQC != 0 {
            self.connection &= !STALLRQ;
        }
        if value & RSTDT != 0 {
            self.toggles = [false; 2];
        }
        if !before && value & EPEN != 0 {
            self.toggles = [false; 2];
            self.empty();
        } else if before && value & EPEN == 0 {
            self.banks = Default::default();
            (self.flags, self.core, self.bus) = (0, 0, 0);
        }
    }

    /// UEINTX as it is read.
    pub fn interrupts(&self) -> u8 {
        let bank = &self.banks[self.core];
        let allowed = match (self.is_control(), self.is_in()) {
            (true, _) => false,
            (_, true) => !bank.full && bank.data.len() < self.size(),
            (_, false) => bank.full && !bank.data.is_empty(),
        };
        self.flags | if self.is_on() && allowed { RWAL } else { 0 }
    }

    /// Tells if an enabled flag is set: UEINT.
    pub fn asks(&self) -> bool {
        const FLERRE: u8 = 1 << 7;
        let lost = self.enables & FLERRE != 0 && self.status & (UNDERFI | OVERFI) != 0;
        self.flags & self.enables & 0x5F != 0 || lost
    }

    /// UEINTX is written: zeros clear.
    pub fn acknowledge(&mut self, value: u8) {
        let cleared = self.flags & !value;
        let kill = value & RXOUTI != 0 && !self.is_control() && self.is_in();
        self.flags &= value | FIFOCON | RWAL;
        if self.is_control() {
            if cleared & (RXSTPI | RXOUTI) != 0 {
                self.banks[0] = Bank::default();
            }
            if cleared & RXSTPI != 0 {
                self.flags |= TXINI;
            }
            if cleared & TXINI != 0 {
                self.banks[1].full = true;
            }
            return;
        }
        if kill {
            self.kill();
        }
        if cleared & FIFOCON != 0 {
            self.flags &= !FIFOCON;
            self.pass_on();
        }
    }

    /// KILLBK: the bank written last is free again.
    fn kill(&mut self) {
        let last = (self.core + self.banks() - 1) % self.banks();
        if self.banks[last].full {
            self.banks[last] = Bank::default();
            self.core = last;
            self.offer();
        }
    }

    /// The core has done with its bank: it goes to the bus, and the next one comes.
    fn pass_on(&mut self) {
        if self.is_in() {
            self.banks[self.core].full = true;
        } else {
            self.banks[self.core] = Bank::default();
        }
        self.core = (self.core + 1) % self.banks();
        self.offer();
    }

    /// Tells the core if its bank is ready.
    fn offer(&mut self) {
        let ready = self.banks[self.core].full != self.is_in();
        if ready && self.flags & FIFOCON == 0 {
            self.flags |= FIFOCON | if self.is_in() { TXINI } else { RXOUTI };
        }
    }

    /// UEDATX is read.
    pub fn read(&mut self) -> u8 {
        let bank = if self.is_control() { 0 } else { self.core };
        self.banks[bank].data.pop_front().unwrap_or(0)
    }

    /// UEDATX is written; what does not fit is lost.
    pub fn write(&mut self, byte: u8) {
        let size = self.size();
        let bank = if self.is_control() { 1 } else { self.core };
        let bank = &mut self.banks[bank];
        if bank.data.len() < size && !bank.full {
            bank.data.push_back(byte);
        }
    }

    /// UEBCX: bytes that the core may still read, or has written.
    pub fn count(&self) -> usize {
        let bank = match self.is_control() {
            true if self.flags & (RXSTPI | RXOUTI) != 0 => 0,
            true => 1,
            false => self.core,
        };
        self.banks[bank].data.len()
    }

    /// UESTA0X and UESTA1X.
    pub fn states(&self) -> [u8; 2] {
        let busy = self.banks.iter().filter(|bank| bank.full).count() as u8;
        let toggle = u8::from(self.toggles[usize::from(self.is_in())]);
        let ok = if self.allocated { 1 << 7 } else { 0 };
        [ok | self.status | toggle << 2 | busy, self.core as u8 | if self.reads { 4 } else { 0 }]
    }

    /// UESTA0X is written: zeros clear.
    pub fn clear_status(&mut self, value: u8) {
        self.status &= value;
    }

    fn stalls(&mut self) -> bool {
        let stalls = self.connection & STALLRQ != 0 && !self.is_isochronous();
        if stalls {
            self.flags |= STALLEDI;
        }
        stalls
    }

    /// A request has come.
    pub fn setup(&mut self, data: &[u8]) -> UsbAnswer {
        if !self.is_on() || !self.is_control() {
            return UsbAnswer::Nothing;
        }
        // Taken whatever was under way; the halt ends (7766J, 22.18.2, STALLRQ).
        self.connection &= !STALLRQ;
        self.banks = Default::default();
        self.banks[0].data.extend(data);
        self.reads = data.first().is_some_and(|kind| kind & 0x80 != 0);
        self.toggles = [true; 2];
        // The bank holds the request, and is free for data once software has cleared the flag.
        self.flags = self.flags & !(RXOUTI | TXINI) | RXSTPI;
        UsbAnswer::Ack
    }

    /// Data have come.
    pub fn receive(&mut self, toggle: bool, data: &[u8]) -> UsbAnswer {
        if !self.is_on() || !self.is_control() && self.is_in() {
            return UsbAnswer::Nothing;
        }
        if self.stalls() {
            return UsbAnswer::Stall;
        }
        let isochronous = self.is_isochronous();
        let bank = if self.is_control() { 0 } else { self.bus };
        let busy = self.banks[bank].full || self.is_control() && self.flags & (RXSTPI | RXOUTI) != 0;
        if busy {
            if isochronous {
                self.status |= OVERFI;
                return UsbAnswer::Nothing;
            }
            self.flags |= NAKOUTI;
            return UsbAnswer::Nak;
        }
        if !isochronous && toggle != self.toggles[0] {
            return UsbAnswer::Ack;
        }
        let size = self.size();
        self.toggles[0] = !self.toggles[0];
        self.banks[bank].data = data.iter().take(size).copied().collect();
        if self.is_control() {
            self.flags |= RXOUTI;
        } else {
            self.banks[bank].full = true;
            self.bus = (self.bus + 1) % self.banks();
            self.offer();
        }
        if isochronous { UsbAnswer::Nothing } else { UsbAnswer::Ack }
    }

    /// The host asks for data.
    pub fn send(&mut self) -> UsbAnswer {
        if !self.is_on() || !self.is_control() && !self.is_in() {
            return UsbAnswer::Nothing;
        }
        if self.stalls() {
            return UsbAnswer::Stall;
        }
        let bank = &self.banks[if self.is_control() { 1 } else { self.bus }];
        if bank.full {
            let toggle = self.toggles[1] && !self.is_isochronous();
            return UsbAnswer::Data { toggle, data: bank.data.iter().copied().collect() };
        }
        if self.is_isochronous() {
            self.status |= UNDERFI;
            return UsbAnswer::Data { toggle: false, data: Vec::new() };
        }
        self.flags |= NAKINI;
        UsbAnswer::Nak
    }

    /// The host has acknowledged the data.
    pub fn sent(&mut self) {
        let bank = if self.is_control() { 1 } else { self.bus };
        if !std::mem::take(&mut self.banks[bank]).full {
            return;
        }
        self.toggles[1] = !self.toggles[1];
        if self.is_control() {
            self.flags |= TXINI;
        } else {
            self.bus = (self.bus + 1) % self.banks();
            self.offer();
        }
    }
}
