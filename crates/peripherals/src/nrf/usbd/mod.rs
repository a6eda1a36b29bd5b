//! USB device of full speed (nRF52840 PS, "USBD — Universal serial bus device"): a control endpoint, seven of bulk or interrupt and
//! an isochronous one each way, with EasyDMA between RAM and a buffer of each.
//!
//! EasyDMA makes an access of a word, or of the bytes at the end, in each period of `usbd.dma`; the first has that of the task.
//!
//! A transaction is one event at its end. The host's packets are whole, so that ISOOUTCRC is never set. The device answers
//! SET_ADDRESS by itself. The supply of the cable reaches POWER by the trigger [`VBUS`].

mod action;

use std::collections::VecDeque;

use cyclescope_machine::{GapKind, TimingRow, Width};

use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Source, Tree, Words, Write, usb};

use super::easydma::{self, DECIDED, EasyDma, Master, Moved};
use super::signals::{Short, Signals, Tasked};

const STARTEPIN: u32 = 0x04;
const STARTEPOUT: u32 = 0x28;
const STARTEPOUT_END: u32 = STARTEPOUT + 4 * ENDPOINTS as u32;
const EP0RCVOUT: u32 = 0x4C;
const EP0STATUS: u32 = 0x50;
const EP0STALL: u32 = 0x54;
const DPDMDRIVE: u32 = 0x58;
const DPDMNODRIVE: u32 = 0x5C;
const USBRESET: u32 = 0x100;
const STARTED: u32 = 0x104;
const ENDEPIN: u32 = 0x108;
const EP0DATADONE: u32 = 0x128;
const ENDISOIN: u32 = 0x12C;
const ENDEPOUT: u32 = 0x130;
const SOF: u32 = 0x154;
const USBEVENT: u32 = 0x158;
const EP0SETUP: u32 = 0x15C;
const EPDATA: u32 = 0x160;
const EVENTCAUSE: u32 = 0x400;
const HALTED_IN: u32 = 0x420;
const HALTED_OUT: u32 = 0x444;
const EPSTATUS: u32 = 0x468;
const EPDATASTATUS: u32 = 0x46C;
const USBADDR: u32 = 0x470;
const BMREQUESTTYPE: u32 = 0x480;
const SIZE_OUT: u32 = 0x4A0;
const SIZE_OUT_END: u32 = SIZE_ISOOUT;
const SIZE_ISOOUT: u32 = 0x4C0;
const ENABLE: u32 = 0x500;
const USBPULLUP: u32 = 0x504;
const DPDMVALUE: u32 = 0x508;
const DTOGGLE: u32 = 0x50C;
const EPINEN: u32 = 0x510;
const EPOUTEN: u32 = 0x514;
const EPSTALL: u32 = 0x518;
const FRAMECNTR: u32 = 0x520;
const LOWPOWER: u32 = 0x52C;
const ISOINCONFIG: u32 = 0x530;
/// EPIN[n].PTR, MAXCNT, AMOUNT, 20 bytes each; those of ISOIN and ISOOUT are the ninth.
const IN_PTR: u32 = 0x600;
const OUT_PTR: u32 = 0x700;

/// The endpoints each way, and the isochronous one among them.
const ENDPOINTS: usize = 9;
const ISO: usize = 8;

/// EVENTCAUSE.
const SUSPEND: u32 = 1 << 8;
const RESUME: u32 = 1 << 9;
const USBWUALLOWED: u32 = 1 << 10;
const READY: u32 = 1 << 11;
/// SIZE.ISOOUT: an empty packet.
const ZERO: u32 = 1 << 16;
/// DPDMVALUE.STATE: resume.
const DRIVE_RESUME: u32 = 1;

/// The trigger that the cable's supply is, for POWER.
pub const VBUS: &str = "VBUS";

const SHORTS: &[Short] = &[
    (0, EP0DATADONE, STARTEPIN),
    (1, EP0DATADONE, STARTEPOUT),
    (2, EP0DATADONE, EP0STATUS),
    (3, ENDEPOUT, EP0STATUS),
    (4, ENDEPOUT, EP0RCVOUT),
];

/// The registers that are modelled in part: an isochronous buffer is never halved.
pub const PARTLY: &[Modelled] = &[crate::bank::some("ISOSPLIT", 0, &[])];

/// The device's times.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "usbd.ready",
        "microseconds from ENABLE, or from the end of LOWPOWER, until the device is ready",
        1,
        "the manual says that it takes a time, not how long",
    ),
    TimingRow::assumed(
        "usbd.dma",
        "periods of PCLK16M of EasyDMA for each word",
        1,
        "one access of 32 bits with each clock of the peripheral",
    ),
    TimingRow::documented(
        "usbd.suspend",
        "microseconds of a silent bus until the device is suspended",
        3_000,
        "USB 2.0, 7.1.7.6: more than 3 ms of idle",
    ),
    TimingRow::assumed(
        "usbd.resume",
        "microseconds for which the device drives the resume state",
        5_000,
        "nRF52840 PS v1.7, USBD, DPDMVALUE: 50 microseconds or 5 ms, depending on the bus; the longer one here",
    ),
];

/// The events.
const BECOMES_READY: u16 = 0;
const DMA: u16 = 1;
const SILENCE: u16 = 2;
const RESUMED: u16 = 3;
const WOKEN: u16 = 4;
const EVENTS: usize = 5;

/// One way of an endpoint.
#[derive(Clone, Debug, Default)]
struct Endpoint {
    /// The packet that waits for the host (IN), or that it has sent.
    packet: Option<Vec<u8>>,
    /// The next packet is DATA1.
    toggle: bool,
    /// An OUT packet is taken.
    accepts: bool,
}

/// The stages of a request.
#[derive(Clone, Copy, Debug, Default)]
struct Control {
    /// The data go to the host.
    reads: bool,
    /// The status stage may end.
    status: bool,
    stalls: bool,
    /// The address that SET_ADDRESS gives, in force behind its status stage.
    address: Option<u32>,
}

/// The block.
#[derive(Clone, Debug)]
pub struct Usbd {
    signals: Signals,
    dma: Master,
    /// The bytes that EasyDMA has read.
    moving: Vec<u8>,
    /// The bytes of the packet that it stores; `None` without one.
    stores: Option<u32>,
    ins: [Endpoint; ENDPOINTS],
    outs: [Endpoint; ENDPOINTS],
    control: Control,
    /// Endpoints whose EasyDMA waits or is under way, the first of them now: the number, and whether to the host.
    transfers: VecDeque<(usize, bool)>,
    due: [Instant; EVENTS],
    suspended: bool,
    /// The bus is being reset, or resumed, by the host.
    driven: bool,
    wakes: bool,
    /// The cable has power, which no reset of the part ends.
    powered: bool,
}

impl Usbd {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            signals: Signals::new(instance, PARTLY, SHORTS),
            dma: Master::new(instance),
            moving: Vec::new(),
            stores: None,
            ins: Default::default(),
            outs: Default::default(),
            control: Control::default(),
            transfers: VecDeque::new(),
            due: [Instant::NEVER; EVENTS],
            suspended: false,
            driven: false,
            wakes: false,
            powered: false,
        }
    }

    fn get(&self, offset: u32) -> u32 {
        self.signals.get(offset)
    }

    fn is_on(&self) -> bool {
        self.get(ENABLE) & 1 != 0
    }

    /// Has the event `kind` come after `microseconds`; `None` takes it back.
    fn expect(&mut self, kind: u16, microseconds: Option<u64>, env: &mut Env<'_, '_>) {
        let at = microseconds.map_or(Instant::NEVER, |count| env.now().after(env.clocks().microseconds(count)));
        self.due[usize::from(kind)] = at;
        env.schedule(kind, at);
    }

    /// The bus is silent from now on.
    fn listen(&mut self, env: &mut Env<'_, '_>) {
        let silence = env.cycles(&ROWS[2]);
        self.expect(SILENCE, Some(silence), env);
    }

    /// Sets `cause` in EVENTCAUSE, with its event.
    fn cause(&mut self, cause: u32, env: &mut Env<'_, '_>) {
        self.signals.bank.flag(EVENTCAUSE, cause, true);
        self.raise(USBEVENT, env);
    }

    /// EasyDMA of an endpoint is asked for.
    fn begin_transfer(&mut self, number: usize, to_host: bool, env: &mut Env<'_, '_>) {
        // One that is asked for already has its place.
        if self.transfers.contains(&(number, to_host)) {
            return;
        }
        self.transfers.push_back((number, to_host));
        if self.transfers.len() == 1 {
            self.next_transfer(env);
        }
    }

    /// The address of the pointer of an endpoint's EasyDMA.
    fn pointer((number, to_host): (usize, bool)) -> u32 {
        let first = if to_host { IN_PTR } else { OUT_PTR };
        first + 20 * number as u32
    }

    /// The first transfer begins.
    fn next_transfer(&mut self, env: &mut Env<'_, '_>) {
        let Some(&transfer) = self.transfers.front() else { return };
        let words = u64::from(self.get(Self::pointer(transfer) + 4).div_ceil(4)).max(1);
        let count = env.cycles(&ROWS[1]) * words;
        let at = env.clocks().edge_after(Source::Pclk, env.now(), count);
        self.due[usize::from(DMA)] = at;
        env.schedule(DMA, at);
        let (number, to_host) = transfer;
        let (from, most) = (self.get(Self::pointer(transfer)), self.get(Self::pointer(transfer) + 4));
        self.moving.clear();
        self.stores = None;
        if to_host {
            self.move_words(from, most, None, env);
        } else if let Some(packet) = self.outs[number].packet.clone() {
            let count = (packet.len() as u32).min(most);
            self.stores = Some(count);
            self.move_words(from, count, Some(&packet), env);
        }
        self.signals.bank.flag(EPSTATUS, 1 << (number + if to_host { 0 } else { 16 }), true);
        self.raise(STARTED, env);
    }

    /// Asks for the accesses to the `count` bytes from `from` on, in which `packet` is stored if there is one. Each word ends with a
    /// period, the last with the transfer.
    fn move_words(&mut self, from: u32, count: u32, packet: Option<&[u8]>, env: &mut Env<'_, '_>) {
        let (begun, periods) = (env.now(), env.cycles(&ROWS[1]));
        for word in 0..count.div_ceil(4) {
            let end = env.clocks().edge_after(Source::Pclk, begun, periods * u64::from(word + 1));
            let end = env.wires.shared.cycle(end).get();
            let pieces: &[(u32, Width)] = match count - 4 * word {
                1 => &[(0, Width::Byte)],
                2 => &[(0, Width::Half)],
                3 => &[(0, Width::Half), (2, Width::Byte)],
                _ => &[(0, Width::Word)],
            };
            for (place, (offset, width)) in (0..).zip(pieces) {
                let at = end.saturating_sub(pieces.len() as u64 - place);
                let offset = 4 * word + offset;
                let address = from.wrapping_add(offset);
                match packet {
                    None => self.dma.read_from(at, address, *width, width.bytes(), env),
                    Some(packet) => {
                        let bytes = packet.iter().skip(offset as usize).take(width.bytes() as usize);
                        let data = bytes.rev().fold(0, |data, byte| data << 8 | u32::from(*byte));
                        self.dma.write_from(at, (address, *width), data, 0, env);
                    }
                }
            }
        }
    }

    /// The first transfer ends, if its time is over and EasyDMA is done.
    fn end_transfer(&mut self, env: &mut Env<'_, '_>) {
        if self.due[usize::from(DMA)] != Instant::NEVER || self.dma.is_reading() || self.dma.is_writing() {
            return;
        }
        let Some(transfer) = self.transfers.pop_front() else { return };
        let (number, to_host) = transfer;
        let pointer = Self::pointer(transfer);
        let (event, amount) = if to_host {
            let packet = std::mem::take(&mut self.moving);
            let amount = packet.len() as u32;
            self.ins[number].packet = Some(packet);
            (if number == ISO { ENDISOIN } else { ENDEPIN + 4 * number as u32 }, amount)
        } else {
            let count = self.stores.take();
            if count.is_some() {
                self.outs[number].packet = None;
            }
            // The buffer is free for the next packet, unless one has come meanwhile; that of the control endpoint waits for its task.
            self.outs[number].accepts |= number != 0 && self.outs[number].packet.is_none();
            (ENDEPOUT + 4 * number as u32, count.unwrap_or(0))
        };
        self.signals.bank.set(pointer + 8, amount);
        self.next_transfer(env);
        self.raise(event, env);
    }

    /// The state that a reset of the bus begins anew.
    fn reset_bus(&mut self, env: &mut Env<'_, '_>) {
        self.ins = Default::default();
        self.outs = Default::default();
        self.control = Control::default();
        self.transfers.clear();
        self.dma.clear(env);
        self.expect(DMA, None, env);
        for number in 0..ISO as u32 {
            self.signals.bank.set(HALTED_IN + 4 * number, 0);
            self.signals.bank.set(HALTED_OUT + 4 * number, 0);
        }
        self.signals.bank.set(USBADDR, 0);
        self.suspended = false;
    }

    fn enabled(&mut self, on: bool, env: &mut Env<'_, '_>) {
        self.reset_bus(env);
        self.expect(SILENCE, None, env);
        if on {
            usb::has_clock(env);
            env.usb_ready();
            let ready = env.cycles(&ROWS[0]);
            self.expect(BECOMES_READY, Some(ready), env);
        } else {
            self.wakes = false;
            self.expect(BECOMES_READY, None, env);
            self.expect(RESUMED, None, env);
        }
        env.usb_changed();
    }

    /// A write to EPSTALL.
    fn stall(&mut self, value: u32) {
        let halted = if value & 1 << 7 != 0 { HALTED_IN } else { HALTED_OUT };
        self.signals.bank.set(halted + 4 * (value & 7), value >> 8 & 1);
    }

    /// A write to DTOGGLE, which then shows the toggle of the endpoint that it selects.
    fn write_toggle(&mut self, value: u32) {
        let number = (value & 7) as usize;
        let endpoint = if value & 1 << 7 != 0 { &mut self.ins[number] } else { &mut self.outs[number] };
        match value >> 8 & 3 {
            1 => endpoint.toggle = false,
            2 => endpoint.toggle = true,
            _ => {}
        }
        let shown = if endpoint.toggle { 2 } else { 1 };
        self.signals.bank.set(DTOGGLE, value & 0xFF | shown << 8);
    }

    fn drive(&mut self, wakes: bool, env: &mut Env<'_, '_>) {
        if wakes && self.get(DPDMVALUE) & 31 != DRIVE_RESUME {
            return env.gap(GapKind::Setting, format_args!("USBD_DPDMVALUE: only the resume state is driven"));
        }
        let resume = env.cycles(&ROWS[3]);
        self.expect(RESUMED, wakes.then_some(resume), env);
        self.wakes = wakes;
        env.usb_changed();
    }
}

impl Tasked for Usbd {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        if !self.is_on() {
            return;
        }
        match task {
            STARTEPIN..STARTEPOUT => self.begin_transfer(((task - STARTEPIN) / 4) as usize, true, env),
            STARTEPOUT..STARTEPOUT_END => self.begin_transfer(((task - STARTEPOUT) / 4) as usize, false, env),
            EP0RCVOUT => self.outs[0].accepts = true,
            EP0STATUS => self.control.status = true,
            EP0STALL => self.control.stalls = true,
            DPDMDRIVE | DPDMNODRIVE => self.drive(task == DPDMDRIVE, env),
            _ => {}
        }
    }
}

impl EasyDma for Usbd {
    fn easydma(&self) -> &Master {
        &self.dma
    }

    fn easydma_mut(&mut self) -> &mut Master {
        &mut self.dma
    }

    fn moved(&mut self, moved: Moved, env: &mut Env<'_, '_>) {
        if !moved.write {
            self.moving.extend(moved.value.to_le_bytes().iter().take(moved.tag as usize));
        }
        self.end_transfer(env);
    }
}

impl Block<Words> for Usbd {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if let EVENTCAUSE | EPSTATUS | EPDATASTATUS = offset {
            return self.signals.bank.flag(offset, write.ones(), false);
        }
        self.dma.set_written(true);
        let changed = self.access(offset, write, env);
        self.dma.set_written(false);
        let Some((old, new)) = changed else { return };
        match offset {
            ENABLE if old != new => self.enabled(new & 1 != 0, env),
            USBPULLUP => env.usb_changed(),
            SIZE_OUT..SIZE_OUT_END => self.outs[((offset - SIZE_OUT) / 4) as usize].accepts = true,
            EPSTALL => self.stall(write.ones()),
            DTOGGLE => self.write_toggle(new),
            LOWPOWER if old & 1 != 0 && new & 1 == 0 => {
                let ready = env.cycles(&ROWS[0]);
                self.expect(WOKEN, Some(ready), env);
            }
            _ => {}
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == DECIDED {
            return easydma::decide(self, env);
        }
        let Some(at) = self.due.get_mut(usize::from(kind)) else { return };
        if env.now() < *at {
            return;
        }
        *at = Instant::NEVER;
        match kind {
            BECOMES_READY => {
                self.cause(READY, env);
                if !self.driven {
                    self.listen(env);
                }
            }
            DMA => self.end_transfer(env),
            SILENCE if self.get(USBPULLUP) & 1 != 0 && self.powered => {
                self.suspended = true;
                self.cause(SUSPEND, env);
            }
            RESUMED => {
                self.wakes = false;
                env.usb_changed();
            }
            WOKEN if self.suspended => self.cause(USBWUALLOWED, env),
            _ => {}
        }
    }

    fn heard(&mut self, env: &mut Env<'_, '_>) {
        env.trigger(VBUS, self.powered);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        for (kind, at) in (0..).zip(self.due) {
            env.schedule(kind, at);
        }
    }

    fn refine(&mut self, times: u64) {
        self.due = self.due.map(|at| at.refined(times));
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
        self.reset_bus(env);
        (0..EVENTS as u16).for_each(|kind| self.expect(kind, None, env));
        (self.wakes, self.driven) = (false, false);
        env.usb_changed();
        env.trigger(VBUS, self.powered);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.signals.bank)
    }
}
