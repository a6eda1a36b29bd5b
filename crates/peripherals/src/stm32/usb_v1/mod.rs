//! USB device of STM32F1, L4, G4, G0 and C0 with its packet memory (RM0008, "Universal serial bus full-speed device interface
//! (USB)"; RM0394 and RM0440, the same; RM0444, "Universal serial bus full-speed host/device interface (USB)").
//!
//! Modelled: eight endpoints of all types with toggles, double buffers and isochronous transfers, the buffer table in the
//! packet memory, all interrupts, suspend and both ways to wake up. A transaction is one event at its end; of an IN
//! transaction with data a second one ends it. The host's packets are whole: there are no errors of CRC or bit stuffing, so
//! that ERR is only set where the host leaves data without an answer. Hosts here send no link power management, so that
//! L1REQ is never set. Not modelled: the line of EXTI that wakes the part from Stop mode, the detection of chargers, and of
//! the newest version the host and the interrupt after 512 bytes.

mod memory;

use cyclescope_machine::{TimingRow, UsbAction, UsbAnswer, UsbState};

pub use self::memory::UsbRam;
use self::memory::{Buffer, Size};
use crate::bank::{all, but, some};
use crate::framework::UsbDevice;
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Lines, Modelled, Source, Tree, Words, Write, usb};

const CNTR: u32 = 0x40;
const ISTR: u32 = 0x44;
const FNR: u32 = 0x48;
const DADDR: u32 = 0x4C;
const BTABLE: u32 = 0x50;
const BCDR: u32 = 0x58;

/// Bits of CNTR.
const FRES: u32 = 1 << 0;
const PDWN: u32 = 1 << 1;
const LPMODE: u32 = 1 << 2;
const FSUSP: u32 = 1 << 3;
const RESUME: u32 = 1 << 4;

/// Flags of ISTR, and their enables in CNTR.
const ESOF: u32 = 1 << 8;
const SOF: u32 = 1 << 9;
const RESET: u32 = 1 << 10;
const SUSP: u32 = 1 << 11;
const WKUP: u32 = 1 << 12;
const ERR: u32 = 1 << 13;
const PMAOVR: u32 = 1 << 14;
const CTR: u32 = 1 << 15;
/// The flags that software clears by writing 0.
const CLEARED: u32 = ESOF | SOF | RESET | SUSP | WKUP | ERR | PMAOVR;
const DIR: u32 = 1 << 4;

/// Bits of FNR.
const LCK: u32 = 1 << 13;
const RXDM: u32 = 1 << 14;
const RXDP: u32 = 1 << 15;

const EF: u32 = 1 << 7;

/// Bits of EPnR.
const EA: u32 = 15;
const STAT_TX: u32 = 3 << 4;
const DTOG_TX: u32 = 1 << 6;
const CTR_TX: u32 = 1 << 7;
const EP_KIND: u32 = 1 << 8;
const EP_TYPE: u32 = 3 << 9;
const SETUP: u32 = 1 << 11;
const STAT_RX: u32 = 3 << 12;
const DTOG_RX: u32 = 1 << 14;
const CTR_RX: u32 = 1 << 15;
/// The bits that writing 1 toggles, and those that writing 0 clears.
const TOGGLED: u32 = STAT_TX | DTOG_TX | STAT_RX | DTOG_RX;

/// Values of EP_TYPE.
const BULK: u32 = 0;
const CONTROL: u32 = 1;
const ISOCHRONOUS: u32 = 2;

/// Values of STAT.
const DISABLED: u32 = 0;
const STALL: u32 = 1;
const NAK: u32 = 2;
const VALID: u32 = 3;

/// BCDR: the pull-up of DP.
const DPPU: u32 = 1 << 15;

/// The differences between versions.
#[derive(Debug)]
struct Version {
    model: &'static [Modelled],
    memory: Size,
    /// The slowest APB clock with which the packet memory keeps up, in hertz.
    slowest: u64,
    /// The part has the pull-up of DP itself.
    pulls_up: bool,
}

/// RM0008, "Clock requirements": 8 MHz.
static V1: Version = Version { model: MODEL, memory: Size(256), slowest: 8_000_000, pulls_up: false };
/// RM0440, "Description of USB blocks": 10 MHz.
static V3: Version = Version { model: MODEL_V3, memory: Size(512), slowest: 10_000_000, pulls_up: true };
static V4: Version = Version { model: MODEL_V4, memory: Size(1024), slowest: 10_000_000, pulls_up: true };

/// The event of the frame timer: a frame has passed.
const FRAME: u16 = 0;

/// The modelled registers and fields, with the values after reset (RM0008, "USB register map").
pub const MODEL: &[Modelled] = &[
    all("EPR0", 0).and(&["EPR1", "EPR2", "EPR3", "EPR4", "EPR5", "EPR6", "EPR7"]),
    all("CNTR", FRES | PDWN),
    all("ISTR", 0),
    all("FNR", 0),
    all("DADDR", 0),
    all("BTABLE", 0),
];

/// Those of L4 and G4 (RM0440, "USB register map").
pub const MODEL_V3: &[Modelled] = &[
    all("EPR0", 0).and(&["EPR1", "EPR2", "EPR3", "EPR4", "EPR5", "EPR6", "EPR7"]),
    but("CNTR", FRES | PDWN, &["L1RESUME"]),
    all("ISTR", 0).and(&["FNR", "DADDR", "BTABLE", "LPMCSR"]),
    some("BCDR", 0, &["DPPU"]),
];

/// Those of G0 and C0 (RM0444, "USB register map"), whose table begins at 0.
pub const MODEL_V4: &[Modelled] = &[
    but("EPR0", 0, &["DEVADDR", "NAK", "LS_EP", "ERR_TX", "ERR_RX"])
        .and(&["EPR1", "EPR2", "EPR3", "EPR4", "EPR5", "EPR6", "EPR7"]),
    but("CNTR", FRES | PDWN, &["L1RESUME", "THR512M", "HOST"]),
    but("ISTR", 0, &["THR512", "DCON_STAT", "LS_DCON"]),
    all("FNR", 0).and(&["DADDR", "LPMCSR"]),
    some("BCDR", 0, &["DPPU"]),
];

/// The timing that does not follow from the bus.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "usb.frame",
        "from one start of frame to the next, in periods of 1 us",
        1_000,
        "RM0008, USB_ISTR.ESOF: the host sends one each 1 ms",
    ),
    TimingRow::assumed(
        "usb.frame_late",
        "from a frame's time to ESOF where it does not come, in periods of 1 us",
        10,
        "RM0008 gives no tolerance of the frame timer",
    ),
];

/// The block.
#[derive(Clone, Debug)]
pub struct UsbV1 {
    bank: Bank,
    version: &'static Version,
    lines: Lines,
    /// Frames without a packet from the host since the last one.
    silent: u32,
    /// The bus is being reset, or resumed, by the host.
    driven: bool,
    /// When the frame timer expects the next frame.
    frame_at: Instant,
    /// Frames seen since the last reset or resume.
    seen: u32,
}

/// The host's packet of an endpoint.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Out,
    Setup,
}

fn status(register: u32, way: Way) -> u32 {
    if way == Way::In { (register & STAT_TX) >> 4 } else { (register & STAT_RX) >> 12 }
}

fn kind(register: u32) -> u32 {
    (register & EP_TYPE) >> 9
}

/// A bulk endpoint with two buffers (RM0008, "Double-buffered endpoints").
fn is_double(register: u32) -> bool {
    kind(register) == BULK && register & EP_KIND != 0
}

impl UsbV1 {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        const HIGH: u32 = 1;
        const LOW: u32 = 2;
        let version = match instance.map.version {
            "v1" => &V1,
            "v3" => &V3,
            _ => &V4,
        };
        Self {
            bank: Bank::new(instance.map, version.model),
            version,
            lines: Lines::new(instance, &[("HP", HIGH), ("LP", LOW)]),
            silent: 0,
            driven: false,
            frame_at: Instant::NEVER,
            seen: 0,
        }
    }

    fn get(&self, offset: u32) -> u32 {
        self.bank.get(offset)
    }

    /// Tells if the block hears the bus.
    fn is_on(&self) -> bool {
        self.get(CNTR) & (FRES | PDWN) == 0
    }

    fn endpoints(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..8).map(|index| (index, self.get(index * 4)))
    }

    /// The register of the endpoint that a packet is for.
    fn endpoint(&self, address: u8, number: u8, way: Way) -> Option<(u32, u32)> {
        let daddr = self.get(DADDR);
        if !self.is_on() || daddr != EF | u32::from(address & 0x7F) {
            return None;
        }
        let mut found = self.endpoints().filter(|(_, register)| register & EA == u32::from(number));
        found.find(|(_, register)| {
            let fits = way != Way::Setup || kind(*register) == CONTROL;
            fits && status(*register, way) != DISABLED
        })
    }

    /// Puts the flags that follow from the endpoints into ISTR, and drives the lines.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let ended = |register: u32| register & (CTR_RX | CTR_TX) != 0;
        let fast = |register: u32| kind(register) == ISOCHRONOUS || is_double(register);
        let pick = |wanted: bool| self.endpoints().find(|(_, register)| ended(*register) && fast(*register) == wanted);
        let high = pick(true);
        let first = high.or_else(|| pick(false));
        let mut istr = self.get(ISTR) & CLEARED;
        if let Some((index, register)) = first {
            istr |= CTR | index | if register & CTR_RX != 0 { DIR } else { 0 };
        }
        self.bank.set(ISTR, istr);
        let enabled = istr & self.get(CNTR) & (CLEARED | CTR);
        let is_high = high.is_some() && enabled & CTR != 0;
        self.lines.drive(u32::from(is_high) | u32::from(enabled != 0) << 1, env);
    }

    fn raise(&mut self, flags: u32, env: &mut Env<'_, '_>) {
        self.bank.flag(ISTR, flags, true);
        self.settle(env);
    }

    /// A write to EPnR (RM0008, USB_EPnR).
    fn write_endpoint(&mut self, offset: u32, old: u32, write: Write, env: &mut Env<'_, '_>) {
        let taken = EA | EP_KIND | EP_TYPE;
        let toggled = (old & TOGGLED) ^ (write.ones() & TOGGLED);
        let kept = old & SETUP | old & (CTR_RX | CTR_TX) & !write.zeros();
        self.bank.set(offset, write.over(old) & taken | toggled | kept);
        self.settle(env);
    }

    fn write_control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        if new & FRES != 0 {
            self.reset_state();
            if old & FRES == 0 {
                self.bank.flag(ISTR, RESET, true);
            }
        }
        if old & (FRES | PDWN) != 0 && self.is_on() {
            usb::has_clock(env);
            env.usb_ready();
            self.awake(env);
        } else if !self.is_on() {
            self.sleep(env);
        } else if (old ^ new) & FSUSP != 0 {
            if new & FSUSP != 0 { self.sleep(env) } else { self.awake(env) }
        }
        if (old ^ new) & (FRES | PDWN | RESUME) != 0 {
            env.usb_changed();
        }
    }

    /// The state that a reset of the bus begins anew; CTR flags stay (RM0008, USB_EPnR).
    fn reset_state(&mut self) {
        for index in 0..8 {
            let kept = self.get(index * 4) & (CTR_RX | CTR_TX);
            self.bank.set(index * 4, kept);
        }
        self.bank.set(DADDR, 0);
        self.seen = 0;
    }

    /// The frame timer runs from now on.
    fn awake(&mut self, env: &mut Env<'_, '_>) {
        self.silent = 0;
        let period = env.cycles(&ROWS[0]);
        self.frame_at = env.now().after(env.clocks().microseconds(period));
        env.schedule(FRAME, self.frame_at);
    }

    fn sleep(&mut self, env: &mut Env<'_, '_>) {
        self.frame_at = Instant::NEVER;
        env.cancel(FRAME);
    }

    /// The host has sent something: a suspended block wakes up, and silence ends.
    fn heard(&mut self, env: &mut Env<'_, '_>) {
        self.silent = 0;
        if self.get(CNTR) & FSUSP != 0 {
            if self.get(ISTR) & WKUP == 0 {
                self.raise(WKUP, env);
            }
            self.bank.flag(CNTR, LPMODE, false);
        }
    }

    /// The packet memory keeps up with the bus.
    fn keeps_up(&mut self, env: &mut Env<'_, '_>) -> bool {
        let fast = env.clocks().frequency(Source::Pclk).get() >= self.version.slowest;
        if !fast {
            self.raise(PMAOVR, env);
        }
        fast
    }

    /// The buffer for a packet to or from the endpoint `index`: of two, the one that its toggle selects.
    fn buffer(&self, index: u32, register: u32, way: Way) -> Buffer {
        let receives = way != Way::In;
        let second = if is_double(register) || kind(register) == ISOCHRONOUS {
            register & if receives { DTOG_RX } else { DTOG_TX } != 0
        } else {
            receives
        };
        Buffer::new(self.version.memory, self.get(BTABLE), index, second)
    }

    fn receive(
        &mut self,
        (address, number): (u8, u8),
        way: Way,
        toggle: bool,
        data: &[u8],
        env: &mut Env<'_, '_>,
    ) -> UsbAnswer {
        let Some((index, register)) = self.endpoint(address, number, way) else { return UsbAnswer::Nothing };
        if !self.keeps_up(env) {
            return UsbAnswer::Nothing;
        }
        let isochronous = kind(register) == ISOCHRONOUS;
        if way == Way::Setup {
            // RM0008, "Control transfers": taken whatever STAT_RX is, but not over one that software has not seen.
            if register & CTR_RX != 0 {
                return UsbAnswer::Nothing;
            }
        } else {
            let conflict = is_double(register) && (register & DTOG_RX != 0) == (register & DTOG_TX != 0);
            match status(register, way) {
                VALID if !conflict || isochronous => {}
                _ if isochronous => return UsbAnswer::Nothing,
                VALID | NAK => return UsbAnswer::Nak,
                _ => return UsbAnswer::Stall,
            }
            // Data that the host repeats, because it has not heard the acknowledgement.
            if !isochronous && toggle != (register & DTOG_RX != 0) {
                return UsbAnswer::Ack;
            }
            // RM0008, EP_KIND: STATUS_OUT takes empty packets only.
            if kind(register) == CONTROL && register & EP_KIND != 0 && !data.is_empty() {
                return UsbAnswer::Stall;
            }
        }
        let memory = &mut env.wires.packets;
        if !self.buffer(index, register, way).store(memory, data) {
            // RM0008, "OUT and SETUP packets": STALL, and no interrupt.
            return if isochronous { UsbAnswer::Nothing } else { UsbAnswer::Stall };
        }
        let mut new = register | CTR_RX;
        if way == Way::Setup {
            new = new & !(STAT_RX | STAT_TX) | NAK << 12 | NAK << 4 | SETUP | DTOG_RX | DTOG_TX;
        } else {
            new = (new & !SETUP) ^ DTOG_RX;
            if !isochronous && !is_double(register) {
                new = new & !STAT_RX | NAK << 12;
            }
        }
        self.bank.set(index * 4, new);
        self.settle(env);
        if isochronous { UsbAnswer::Nothing } else { UsbAnswer::Ack }
    }

    fn send(&mut self, address: u8, number: u8, env: &mut Env<'_, '_>) -> UsbAnswer {
        let Some((index, register)) = self.endpoint(address, number, Way::In) else { return UsbAnswer::Nothing };
        let isochronous = kind(register) == ISOCHRONOUS;
        let conflict = is_double(register) && (register & DTOG_RX != 0) == (register & DTOG_TX != 0);
        match status(register, Way::In) {
            VALID if !conflict || isochronous => {}
            _ if isochronous => return UsbAnswer::Nothing,
            STALL => return UsbAnswer::Stall,
            _ => return UsbAnswer::Nak,
        }
        if !self.keeps_up(env) {
            return UsbAnswer::Nothing;
        }
        let data = self.buffer(index, register, Way::In).load(&env.wires.packets);
        UsbAnswer::Data { toggle: register & DTOG_TX != 0 && !isochronous, data }
    }

    /// The host has acknowledged the data of the endpoint, or not.
    fn sent(&mut self, address: u8, number: u8, acknowledged: bool, env: &mut Env<'_, '_>) {
        let Some((index, register)) = self.endpoint(address, number, Way::In) else { return };
        if !acknowledged && kind(register) != ISOCHRONOUS {
            self.raise(ERR, env);
            return;
        }
        let mut new = (register | CTR_TX) ^ DTOG_TX;
        if kind(register) != ISOCHRONOUS && !is_double(register) {
            new = new & !STAT_TX | NAK << 4;
        }
        self.bank.set(index * 4, new);
        self.settle(env);
    }

    /// A frame begins.
    fn frame(&mut self, number: u16, env: &mut Env<'_, '_>) {
        self.heard(env);
        self.seen = self.seen.saturating_add(1);
        let locked = if self.seen >= 2 { LCK } else { 0 };
        self.bank.set(FNR, u32::from(number & 0x7FF) | locked | RXDP);
        if self.get(CNTR) & FSUSP == 0 {
            let within = env.cycles(&ROWS[0]) + env.cycles(&ROWS[1]);
            self.frame_at = env.now().after(env.clocks().microseconds(within));
            env.schedule(FRAME, self.frame_at);
        }
        self.raise(SOF, env);
    }

    /// The bus is in the reset state.
    fn bus_reset(&mut self, begins: bool, env: &mut Env<'_, '_>) {
        self.driven = begins;
        if begins {
            self.heard(env);
            self.bank.set(FNR, 0);
            self.reset_state();
            self.raise(RESET, env);
            self.sleep(env);
        } else {
            self.bank.set(FNR, RXDP);
            self.awake(env);
        }
    }
}

impl UsbDevice<Words> for UsbV1 {
    fn state(&self) -> UsbState {
        UsbState {
            pull_up: self.version.pulls_up.then(|| self.get(BCDR) & DPPU != 0),
            // RM0008, "USB pins": the transceiver takes them when it is powered.
            takes_pin: self.get(CNTR) & PDWN == 0,
            wakes: self.is_on() && self.get(CNTR) & RESUME != 0,
        }
    }

    fn action(&mut self, action: &UsbAction, env: &mut Env<'_, '_>) -> UsbAnswer {
        if !self.is_on() || !usb::has_clock(env) {
            return UsbAnswer::Nothing;
        }
        match action {
            UsbAction::Power(_) => {}
            UsbAction::Reset(begins) => self.bus_reset(*begins, env),
            UsbAction::Resume(begins) => {
                self.driven = *begins;
                self.bank.set(FNR, self.get(FNR) & !(RXDP | RXDM) | if *begins { RXDM } else { RXDP });
                self.seen = 0;
                self.heard(env);
            }
            UsbAction::Frame(number) => self.frame(*number, env),
            UsbAction::Out { setup, address, endpoint, toggle, data } => {
                self.heard(env);
                let way = if *setup { Way::Setup } else { Way::Out };
                return self.receive((*address, *endpoint), way, *toggle, data, env);
            }
            UsbAction::In { address, endpoint } => {
                self.heard(env);
                return self.send(*address, *endpoint, env);
            }
            UsbAction::InEnd { address, endpoint, acknowledged } => {
                self.sent(*address, *endpoint, *acknowledged, env);
            }
        }
        UsbAnswer::Nothing
    }
}

impl Block<Words> for UsbV1 {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let before = self.get(offset);
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            0..0x20 => self.write_endpoint(offset, before, write, env),
            CNTR => self.write_control(old, new, env),
            BCDR if (old ^ new) & DPPU != 0 => env.usb_changed(),
            // Written 0 clears; CTR, DIR and EP_ID follow from the endpoints.
            ISTR => self.bank.set(ISTR, before & !(write.zeros() & CLEARED)),
            _ => {}
        }
        self.settle(env);
    }

    /// A frame has passed in which the host sent none.
    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        if env.now() < self.frame_at || self.driven {
            return;
        }
        self.silent += 1;
        let lost = self.silent.min(3);
        self.bank.set(FNR, self.get(FNR) & !(3 << 11 | LCK) | lost << 11);
        let suspended = self.silent == 3;
        self.raise(ESOF | if suspended { SUSP } else { 0 }, env);
        let period = env.clocks().microseconds(u64::from(ROWS[0].cycles));
        self.frame_at = env.now().after(period);
        env.schedule(FRAME, self.frame_at);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.driven = false;
        (self.silent, self.seen) = (0, 0);
        self.sleep(env);
        self.settle(env);
        env.usb_changed();
    }

    fn refine(&mut self, times: u64) {
        self.frame_at = if self.frame_at == Instant::NEVER { self.frame_at } else { self.frame_at.refined(times) };
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        env.schedule(FRAME, self.frame_at);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
