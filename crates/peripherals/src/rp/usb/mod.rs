//! USB device of full speed (RP-008371-DS, "USB"): sixteen endpoints each way, whose buffers and their controls lie in a memory that
//! the core shares with the block.
//!
//! A transaction is one event at its end. The host's packets are whole, so that the errors of the line never come up. The block reads
//! a buffer's control with each token and writes it back with the end of the transaction.
//!
//! Not modelled, and named when used: the host, an external or directly driven transceiver, and the signals for power at pins.

mod action;

use cyclescope_machine::{GapKind, TimingRow, Width};

use super::registers::{bank, ones};
use crate::bank::{but, some};
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Lines, Modelled, Tree, Words, Write, usb};

const ADDR_ENDP: u32 = 0x00;
const MAIN_CTRL: u32 = 0x40;
const SOF_RD: u32 = 0x48;
const SIE_CTRL: u32 = 0x4C;
const SIE_STATUS: u32 = 0x50;
const BUFF_STATUS: u32 = 0x58;
const BUFF_CPU_SHOULD_HANDLE: u32 = 0x5C;
const EP_ABORT: u32 = 0x60;
const EP_ABORT_DONE: u32 = 0x64;
const EP_STALL_ARM: u32 = 0x68;
const EP_STATUS_STALL_NAK: u32 = 0x70;
const USB_PWR: u32 = 0x78;
/// A word between registers.
const NO_REGISTER: u32 = 0x88;
const INTR: u32 = 0x8C;
const INTE: u32 = 0x90;
const INTF: u32 = 0x94;
const INTS: u32 = 0x98;

/// MAIN_CTRL.
const CONTROLLER_EN: u32 = 1 << 0;
const HOST_NDEVICE: u32 = 1 << 1;

/// SIE_CTRL. Those of endpoint 0 lie where an endpoint's control has them, but two for its interrupts.
const SIE_RESUME: u32 = 1 << 12;
const PULLUP_EN: u32 = 1 << 16;
const EP0_INT_NAK: u32 = 1 << 27;
const EP0_INT_STALL: u32 = 1 << 31;

/// SIE_STATUS.
const VBUS_DETECTED: u32 = 1 << 0;
const LINE_STATE: u32 = 3 << 2;
const LINE_J: u32 = 1 << 2;
const SUSPENDED: u32 = 1 << 4;
const RESUME: u32 = 1 << 11;
const CONNECTED: u32 = 1 << 16;
const SETUP_REC: u32 = 1 << 17;
const TRANS_COMPLETE: u32 = 1 << 18;
const BUS_RESET: u32 = 1 << 19;
const RX_TIMEOUT: u32 = 1 << 27;
const ACK_REC: u32 = 1 << 30;
const DATA_SEQ_ERROR: u32 = 1 << 31;
/// The flags that writing a one clears.
const CLEARED: u32 = RESUME | SETUP_REC | TRANS_COMPLETE | BUS_RESET | 0xFF00_0000;

/// USB_PWR.
const VBUS_DETECT: u32 = 1 << 2;
const VBUS_DETECT_OVERRIDE_EN: u32 = 1 << 3;

/// Interrupts that no other register holds.
const DEV_SOF: u32 = 1 << 17;
const DEV_SUSPEND: u32 = 1 << 14;
const DEV_CONN_DIS: u32 = 1 << 13;
/// Interrupts that are flags of SIE_STATUS.
const FLAGS: [(u32, u32); 7] = [
    (1 << 16, SETUP_REC),
    (1 << 15, RESUME),
    (1 << 12, BUS_RESET),
    (1 << 11, VBUS_DETECTED),
    (1 << 6, RX_TIMEOUT),
    (1 << 5, DATA_SEQ_ERROR),
    (1 << 3, TRANS_COMPLETE),
];
/// Interrupts that are there while a register is not 0.
const SUMS: [(u32, u32); 3] = [(1 << 19, EP_STATUS_STALL_NAK), (1 << 18, EP_ABORT_DONE), (1 << 4, BUFF_STATUS)];

/// The memory, and what lies where in it.
const MEMORY: u32 = 0x5010_0000;
const ENDPOINT_CONTROL: u32 = 0x00;
const BUFFER_CONTROL: u32 = 0x80;
const EP0_BUFFER: u32 = 0x100;

/// The control of an endpoint.
const ENABLE: u32 = 1 << 31;
const DOUBLE_BUFFERED: u32 = 1 << 30;
const INTERRUPT_PER_BUFF: u32 = 1 << 29;
const INTERRUPT_PER_DOUBLE_BUFF: u32 = 1 << 28;
const ISOCHRONOUS: u32 = 1;
const INTERRUPT_ON_STALL: u32 = 1 << 17;
const INTERRUPT_ON_NAK: u32 = 1 << 16;

/// The control of a buffer; the second one's lie in the upper half.
const FULL: u32 = 1 << 15;
const LAST: u32 = 1 << 14;
const PID: u32 = 1 << 13;
const RESET: u32 = 1 << 12;
const STALL: u32 = 1 << 11;
const AVAILABLE: u32 = 1 << 10;
const LENGTH: u32 = 0x3FF;

/// Bytes of a buffer that is not isochronous.
const BUFFER: u32 = 64;

/// The host's registers and the pins' are not modelled.
pub const PARTLY: &[Modelled] = &[
    some("ADDR_ENDP", 0, &["ADDRESS"]),
    some("ADDR_ENDP1", 0, &[]).and(&[
        "ADDR_ENDP2",
        "ADDR_ENDP3",
        "ADDR_ENDP4",
        "ADDR_ENDP5",
        "ADDR_ENDP6",
        "ADDR_ENDP7",
        "ADDR_ENDP8",
        "ADDR_ENDP9",
        "ADDR_ENDP10",
        "ADDR_ENDP11",
        "ADDR_ENDP12",
        "ADDR_ENDP13",
        "ADDR_ENDP14",
        "ADDR_ENDP15",
    ]),
    some("MAIN_CTRL", 0, &["CONTROLLER_EN"]),
    some("SOF_WR", 0, &[]),
    // The strength of the pull-up and the power of the transceiver are nothing that a program sees.
    some(
        "SIE_CTRL",
        0,
        &["EP0_INT_STALL", "EP0_DOUBLE_BUF", "EP0_INT_1BUF", "EP0_INT_2BUF", "EP0_INT_NAK", "PULLUP_EN", "RESUME"],
    )
    .unseen(&["RPU_OPT", "TRANSCEIVER_PD"]),
    // A device does not see what a host would poll, and how often.
    some("INT_EP_CTRL", 0, &[]).unseen(&["INT_EP_ACTIVE"]),
    some("NAK_POLL", 0, &[]).unseen(&["DELAY_LS", "DELAY_FS"]),
    but("USB_MUXING", 0, &["TO_EXTPHY", "TO_DIGITAL_PAD"]),
    some("USB_PWR", 0, &["VBUS_DETECT", "VBUS_DETECT_OVERRIDE_EN"]),
    some("USBPHY_DIRECT", 0, &[]),
    some("USBPHY_DIRECT_OVERRIDE", 0, &[]),
    some("USBPHY_TRIM", 0, &[]).unseen(&["DP_PULLDN_TRIM", "DM_PULLDN_TRIM"]),
];

/// The device's times.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "usb.suspend",
        "microseconds of a silent bus until the device is suspended",
        3_000,
        "USB 2.0, 7.1.7.6: more than 3 ms of idle",
    ),
    TimingRow::assumed(
        "usb.resume",
        "microseconds for which the device drives the resume state",
        10_000,
        "RP-008371-DS gives no figure; USB 2.0, 7.1.7.7, allows 1 to 15 ms",
    ),
];

/// The events: the bus has been silent, and the device no longer resumes it.
const SILENCE: u16 = 0;
const RESUMED: u16 = 1;

/// The block.
#[derive(Clone, Debug)]
pub struct Usb {
    bank: Bank,
    lines: Lines,
    due: [Instant; 2],
    /// The endpoints, two bits each, IN first, of which the second buffer comes next.
    second: u32,
    /// Those of which another buffer has completed behind the one that BUFF_STATUS shows, and which that was.
    more: u32,
    more_second: u32,
    /// Interrupts that no other register holds.
    raised: u32,
    /// The bus is being reset or resumed by the host.
    driven: bool,
    wakes: bool,
}

impl Usb {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, PARTLY),
            lines: Lines::new(instance, &[("USBCTRL_IRQ", u32::MAX)]),
            due: [Instant::NEVER; 2],
            second: 0,
            more: 0,
            more_second: 0,
            raised: 0,
            driven: false,
            wakes: false,
        }
    }

    fn has(&self, offset: u32, bits: u32) -> bool {
        self.bank.get(offset) & bits == bits
    }

    /// True as a device that is on.
    pub fn is_on(&self) -> bool {
        self.bank.get(MAIN_CTRL) & (CONTROLLER_EN | HOST_NDEVICE) == CONTROLLER_EN
    }

    fn status(&mut self, flags: u32, high: bool) {
        self.bank.flag(SIE_STATUS, flags, high);
    }

    /// A word of the memory.
    fn word(offset: u32, env: &Env<'_, '_>) -> u32 {
        env.context.memory.read(MEMORY + offset, Width::Word).unwrap_or(0)
    }

    fn set_word(offset: u32, value: u32, env: &mut Env<'_, '_>) {
        env.context.memory.write(MEMORY + offset, Width::Word, value);
    }

    /// Has the event `kind` come after `microseconds`; `None` takes it back.
    fn expect(&mut self, kind: u16, microseconds: Option<u64>, env: &mut Env<'_, '_>) {
        let at = microseconds.map_or(Instant::NEVER, |count| env.now().after(env.clocks().microseconds(count)));
        self.due[usize::from(kind)] = at;
        env.schedule(kind, at);
    }

    /// The bus is silent from now on.
    fn listen(&mut self, env: &mut Env<'_, '_>) {
        let silence = env.cycles(&ROWS[0]);
        self.expect(SILENCE, Some(silence), env);
    }

    /// The device is connected, or no longer.
    fn connect(&mut self, connected: bool) {
        if self.has(SIE_STATUS, CONNECTED) != connected {
            self.status(CONNECTED, connected);
            self.raised |= DEV_CONN_DIS;
        }
    }

    /// Interrupts that follow from the registers.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let (status, pulled) = (self.bank.get(SIE_STATUS), self.has(SIE_CTRL, PULLUP_EN) && self.is_on());
        let line = if pulled && !self.driven { LINE_J } else { 0 };
        // Without the override the signal at a pin would say it.
        let supplied = self.has(USB_PWR, VBUS_DETECT | VBUS_DETECT_OVERRIDE_EN);
        let kept = status & !(LINE_STATE | VBUS_DETECTED);
        self.bank.set(SIE_STATUS, kept | line | if supplied { VBUS_DETECTED } else { 0 });
        let status = self.bank.get(SIE_STATUS);
        let flags = FLAGS.iter().filter(|(_, flag)| status & flag != 0);
        let sums = SUMS.iter().filter(|(_, register)| self.bank.get(*register) != 0);
        let raw = flags.chain(sums).fold(self.raised, |raw, (interrupt, _)| raw | interrupt);
        self.bank.set(INTR, raw);
        let status = raw & self.bank.get(INTE) | self.bank.get(INTF);
        self.bank.set(INTS, status);
        self.lines.drive(status, env);
    }

    /// Software has seen the buffers `seen`; of those of which another one has completed meanwhile that is next.
    fn handle_buffers(&mut self, seen: u32) {
        let next = seen & self.more;
        self.bank.flag(BUFF_STATUS, seen & !next, false);
        let shown = self.bank.get(BUFF_CPU_SHOULD_HANDLE);
        self.bank.set(BUFF_CPU_SHOULD_HANDLE, shown & !next | self.more_second & next);
        self.more &= !next;
    }

    fn switched(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        if (old ^ new) & CONTROLLER_EN != 0 {
            (self.second, self.more) = (0, 0);
            self.expect(SILENCE, None, env);
            if new & CONTROLLER_EN != 0 {
                usb::has_clock(env);
                env.usb_ready();
            } else {
                self.connect(false);
            }
        }
        if !old & new & HOST_NDEVICE != 0 {
            env.gap(GapKind::Setting, format_args!("USB_MAIN_CTRL.HOST_NDEVICE: there is no host"));
        }
        env.usb_changed();
    }

    fn control(&mut self, new: u32, env: &mut Env<'_, '_>) {
        if new & SIE_RESUME != 0 && self.is_on() {
            let span = env.cycles(&ROWS[1]);
            self.expect(RESUMED, Some(span), env);
            self.wakes = true;
            self.bank.flag(SIE_CTRL, SIE_RESUME, false);
        }
        if new & PULLUP_EN == 0 {
            self.connect(false);
        }
        env.usb_changed();
    }
}

impl Block<Words> for Usb {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        if offset == SOF_RD {
            self.raised &= !DEV_SOF;
            self.settle(env);
        }
        self.bank.read(offset, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == SOF_RD { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            SIE_STATUS => {
                let cleared = ones(write);
                self.status(cleared & CLEARED, false);
                for (flag, interrupt) in [(SUSPENDED, DEV_SUSPEND), (CONNECTED, DEV_CONN_DIS)] {
                    if cleared & flag != 0 {
                        self.raised &= !interrupt;
                    }
                }
            }
            BUFF_STATUS => self.handle_buffers(ones(write)),
            // Drivers clear all words in a row, this one among them.
            NO_REGISTER => {}
            EP_ABORT_DONE | EP_STATUS_STALL_NAK => self.bank.flag(offset, ones(write), false),
            _ => {
                let (old, new) = self.bank.write(offset, write, env);
                match offset {
                    MAIN_CTRL => self.switched(old, new, env),
                    SIE_CTRL => self.control(new, env),
                    // Transactions are whole, so that no endpoint is at work now.
                    EP_ABORT => self.bank.flag(EP_ABORT_DONE, new & !old, true),
                    _ => {}
                }
            }
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let Some(at) = self.due.get_mut(usize::from(kind)) else { return };
        if env.now() < *at {
            return;
        }
        *at = Instant::NEVER;
        if kind == RESUMED {
            self.wakes = false;
            env.usb_changed();
        } else if self.has(SIE_STATUS, CONNECTED) {
            self.status(SUSPENDED, true);
            self.raised |= DEV_SUSPEND;
        }
        self.settle(env);
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
        self.bank.reset();
        [SILENCE, RESUMED].into_iter().for_each(|kind| self.expect(kind, None, env));
        (self.second, self.more, self.more_second, self.raised) = (0, 0, 0, 0);
        (self.driven, self.wakes) = (false, false);
        env.usb_changed();
        self.settle(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
