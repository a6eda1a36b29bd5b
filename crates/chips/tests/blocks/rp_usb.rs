//! RP2040: the USB device (RP-008371-DS, "USB") with a scripted host.

use cyclescope_chips::Stimulus;
use cyclescope_machine::UsbAnswer::{Ack, Nak, Nothing, Stall};
use cyclescope_machine::units::Address;
use cyclescope_machine::{Channel, GapKind, UsbAction, Width};

use crate::bench::Bench;
use crate::rp_uart::{CLEAR, SET, gaps, part};
use crate::usb_bus::{Cable, data};

const USB: u32 = 0x5011_0000;
const ADDR_ENDP: u32 = USB;
const MAIN_CTRL: u32 = USB + 0x40;
const SOF_RD: u32 = USB + 0x48;
const SIE_CTRL: u32 = USB + 0x4C;
const SIE_STATUS: u32 = USB + 0x50;
const BUFF_STATUS: u32 = USB + 0x58;
const SHOULD_HANDLE: u32 = USB + 0x5C;
const EP_ABORT: u32 = USB + 0x60;
const EP_ABORT_DONE: u32 = USB + 0x64;
const EP_STALL_ARM: u32 = USB + 0x68;
const STALL_NAK: u32 = USB + 0x70;
const MUXING: u32 = USB + 0x74;
const PWR: u32 = USB + 0x78;
const INTR: u32 = USB + 0x8C;
const INTE: u32 = USB + 0x90;
const LINE: usize = 5;

/// The shared memory: the controls of endpoints and of their buffers, and the buffers.
const MEMORY: u32 = 0x5010_0000;
const EP0_BUFFER: u32 = MEMORY + 0x100;
const BUFFERS: u32 = MEMORY + 0x180;

const FULL: u32 = 1 << 15;
const LAST: u32 = 1 << 14;
const PID: u32 = 1 << 13;
const RESET: u32 = 1 << 12;
const STALL: u32 = 1 << 11;
const AVAILABLE: u32 = 1 << 10;

const BUS_RESET: u32 = 1 << 19;
const TRANS_COMPLETE: u32 = 1 << 18;
const SETUP_REC: u32 = 1 << 17;
const CONNECTED: u32 = 1 << 16;
const SUSPENDED: u32 = 1 << 4;

const fn endpoint(number: u32, to_host: bool) -> u32 {
    MEMORY + 8 * number + if to_host { 0 } else { 4 }
}

const fn buffers(number: u32, to_host: bool) -> u32 {
    endpoint(number, to_host) + 0x80
}

/// Cycles of a microsecond; the system's clock is the ring oscillator's.
const fn microseconds(count: u64) -> u64 {
    count * 13 / 2
}

/// The part with clk_usb at 48 MHz from its loop.
fn clocked() -> Bench {
    let mut bench = part();
    bench.bus.memory.add_ram(Address::new(MEMORY), 4 << 10);
    bench.write(0x4002_400C, 1);
    bench.write(0x4002_4000, 0xFA_BAA0);
    bench.pass(1_000);
    for (offset, value) in [(0, 1), (8, 100), (0xC, 5 << 16 | 5 << 12), (4, 0)] {
        bench.write(0x4002_C000 + offset, value);
    }
    bench.pass(1_000);
    bench.write(0x4000_8054, 0x800);
    bench
}

/// A device that the host has reset.
fn new() -> (Bench, Cable) {
    let mut bench = clocked();
    let cable = Cable::new(&mut bench, "USB");
    bench.write(MUXING, 9);
    bench.write(PWR, 0xC);
    bench.write(MAIN_CTRL, 1);
    bench.write(SIE_CTRL, 1 << 29);
    assert_eq!(cable.state().pull_up, Some(false));
    bench.write(SIE_CTRL + SET, 1 << 16);
    bench.pass(1);
    assert_eq!(cable.state().pull_up, Some(true));
    cable.reset(&mut bench, microseconds(20));
    assert_eq!(bench.read(SIE_STATUS), BUS_RESET | CONNECTED | 1 << 2 | 1);
    bench.write(SIE_STATUS, BUS_RESET | CONNECTED);
    assert_eq!([bench.read(SIE_STATUS), bench.read(INTR)], [CONNECTED | 1 << 2 | 1, 1 << 11]);
    (bench, cable)
}

fn fill(bench: &mut Bench, address: u32, bytes: &[u8]) {
    for (address, byte) in (address..).zip(bytes) {
        assert!(bench.bus.memory.write(address, Width::Byte, (*byte).into()));
    }
}

fn bytes(bench: &Bench, address: u32, count: u32) -> Vec<u8> {
    let byte = |address| bench.bus.memory.read(address, Width::Byte).unwrap() as u8;
    (address..address + count).map(byte).collect()
}

#[test]
fn a_request_is_read_answered_and_acknowledged() {
    let (mut bench, cable) = new();
    bench.write(INTE, 1 << 16 | 1 << 4);
    let request = [0x80, 6, 0, 1, 2, 3, 18, 0];
    assert_eq!(cable.setup(&mut bench, 0, request), Ack);
    assert!(bench.bus.shared.interrupts.is_high(LINE));
    assert_eq!(bytes(&bench, MEMORY, 8), request);
    assert_eq!(bench.read(SIE_STATUS) & SETUP_REC, SETUP_REC);
    bench.write(SIE_STATUS + CLEAR, SETUP_REC);
    assert!(!bench.bus.shared.interrupts.is_high(LINE));
    assert_eq!(cable.ask(&mut bench, (0, 0), true), Nak);
    fill(&mut bench, EP0_BUFFER, b"device");
    bench.write(buffers(0, true), FULL | PID | AVAILABLE | 6);
    assert_eq!(cable.ask(&mut bench, (0, 0), false), data(true, b"device"), "not heard");
    assert_eq!([bench.read(BUFF_STATUS), bench.read(SIE_STATUS) >> 27 & 1], [0, 1]);
    assert_eq!(cable.ask(&mut bench, (0, 0), true), data(true, b"device"));
    assert_eq!([bench.read(BUFF_STATUS), bench.read(buffers(0, true))], [1, PID | 6]);
    assert!(bench.bus.shared.interrupts.is_high(LINE));
    bench.write(BUFF_STATUS, 1);
    // The status stage.
    assert_eq!(cable.out(&mut bench, (0, 0), true, b""), Nak);
    bench.write(buffers(0, false), PID | AVAILABLE | LAST);
    assert_eq!(cable.out(&mut bench, (0, 0), true, b""), Ack);
    assert_eq!([bench.read(BUFF_STATUS), bench.read(buffers(0, false))], [2, FULL | LAST | PID]);
    assert_eq!(bench.read(SIE_STATUS) & TRANS_COMPLETE, TRANS_COMPLETE);
    // Another address is somebody else's until it is the block's.
    assert_eq!(cable.setup(&mut bench, 0, [0, 5, 7, 0, 0, 0, 0, 0]), Ack);
    bench.write(ADDR_ENDP, 7);
    assert_eq!(cable.act(&mut bench, UsbAction::In { address: 0, endpoint: 0 }), Some(Nothing));
    assert_eq!(cable.ask(&mut bench, (7, 0), true), Nak);
    assert!(gaps(&bench, GapKind::Setting, "USB").is_empty());
    assert!(gaps(&bench, GapKind::RegisterWrite, "USB").is_empty());
}

#[test]
fn endpoints_take_packets_by_their_pid() {
    let (mut bench, cable) = new();
    assert_eq!(cable.out(&mut bench, (0, 2), false, b"x"), Nothing, "not enabled");
    // Bulk, an interrupt a buffer.
    bench.write(endpoint(2, false), 1 << 31 | 1 << 29 | 2 << 26 | 0x180);
    assert_eq!(cable.out(&mut bench, (0, 2), false, b"x"), Nak);
    bench.write(buffers(2, false), AVAILABLE | 64);
    assert_eq!(cable.out(&mut bench, (0, 2), false, b"first"), Ack);
    assert_eq!([bench.read(buffers(2, false)), bench.read(BUFF_STATUS)], [FULL | 5, 1 << 5]);
    assert_eq!(bytes(&bench, BUFFERS, 5), b"first");
    bench.write(BUFF_STATUS, u32::MAX);
    bench.write(buffers(2, false), PID | AVAILABLE | 64);
    assert_eq!(cable.out(&mut bench, (0, 2), false, b"again"), Ack, "the same once more");
    assert_eq!([bench.read(BUFF_STATUS), bench.read(SIE_STATUS) >> 31], [0, 1]);
    assert_eq!(cable.out(&mut bench, (0, 2), true, b"second"), Ack);
    assert_eq!(bytes(&bench, BUFFERS, 6), b"second");
}

#[test]
fn two_buffers_take_turns() {
    let (mut bench, cable) = new();
    bench.write(endpoint(1, true), 1 << 31 | 1 << 30 | 1 << 29 | 2 << 26 | 0x180);
    fill(&mut bench, BUFFERS, b"one");
    fill(&mut bench, BUFFERS + 64, b"two");
    bench.write(buffers(1, true), (FULL | PID | LAST | AVAILABLE | 3) << 16 | FULL | AVAILABLE | 3 | RESET);
    assert_eq!(cable.ask(&mut bench, (0, 1), true), data(false, b"one"));
    assert_eq!(cable.ask(&mut bench, (0, 1), true), data(true, b"two"));
    assert_eq!(cable.ask(&mut bench, (0, 1), true), Nak);
    // Both have completed: one after the other.
    assert_eq!([bench.read(BUFF_STATUS), bench.read(SHOULD_HANDLE)], [1 << 2, 0]);
    bench.write(BUFF_STATUS, 1 << 2);
    assert_eq!([bench.read(BUFF_STATUS), bench.read(SHOULD_HANDLE)], [1 << 2, 1 << 2]);
    bench.write(BUFF_STATUS, 1 << 2);
    assert_eq!(bench.read(BUFF_STATUS), 0);
    // With an interrupt for both, the second one brings it.
    bench.write(endpoint(1, true), 1 << 31 | 1 << 30 | 1 << 28 | 2 << 26 | 0x180);
    bench.write(buffers(1, true), (FULL | PID | AVAILABLE | 3) << 16 | FULL | AVAILABLE | 3);
    cable.ask(&mut bench, (0, 1), true);
    assert_eq!(bench.read(BUFF_STATUS), 0);
    cable.ask(&mut bench, (0, 1), true);
    assert_eq!(bench.read(BUFF_STATUS), 1 << 2);
    // An isochronous endpoint of two buffers that lie 256 bytes apart.
    bench.write(endpoint(3, false), 1 << 31 | 1 << 30 | 1 << 29 | 1 << 26 | 0x200);
    bench.write(buffers(3, false), AVAILABLE << 16 | 1 << 27 | AVAILABLE);
    for packet in [b"left", b"last"] {
        let (address, data) = (0, packet.to_vec());
        let out = UsbAction::Out { setup: false, address, endpoint: 3, toggle: false, data };
        assert_eq!(cable.act(&mut bench, out), Some(Nothing));
    }
    assert_eq!(bytes(&bench, MEMORY + 0x200, 4), b"left");
    assert_eq!(bytes(&bench, MEMORY + 0x300, 4), b"last");
}

#[test]
fn halted_and_aborted_endpoints_refuse() {
    let (mut bench, cable) = new();
    bench.write(buffers(0, true), STALL);
    assert_eq!(cable.ask(&mut bench, (0, 0), true), Nak, "not armed");
    bench.write(EP_STALL_ARM, 1);
    bench.write(SIE_CTRL + SET, 1 << 31 | 1 << 27);
    bench.write(INTE, 1 << 19);
    assert_eq!(cable.ask(&mut bench, (0, 0), true), Stall);
    assert_eq!(bench.read(STALL_NAK), 1);
    assert!(bench.bus.shared.interrupts.is_high(LINE));
    bench.write(STALL_NAK, 1);
    assert!(!bench.bus.shared.interrupts.is_high(LINE));
    cable.setup(&mut bench, 0, [0; 8]);
    assert_eq!(bench.read(EP_STALL_ARM), 0, "a request ends it");
    assert_eq!(cable.ask(&mut bench, (0, 0), true), Nak);
    assert_eq!(bench.read(STALL_NAK), 1);
    bench.write(endpoint(4, true), 1 << 31 | 2 << 26 | 0x180);
    bench.write(buffers(4, true), STALL);
    assert_eq!(cable.ask(&mut bench, (0, 4), true), Stall);
    bench.write(buffers(4, true), FULL | AVAILABLE);
    bench.write(EP_ABORT, 1 << 8);
    assert_eq!(bench.read(EP_ABORT_DONE), 1 << 8);
    assert_eq!(cable.ask(&mut bench, (0, 4), true), Nak);
    bench.write(EP_ABORT, 0);
    bench.write(EP_ABORT_DONE, 1 << 8);
    assert_eq!(cable.ask(&mut bench, (0, 4), true), data(false, b""));
}

#[test]
fn frames_silence_and_resumption() {
    let (mut bench, cable) = new();
    cable.act(&mut bench, UsbAction::Frame(0x123));
    assert_eq!(bench.read(INTR) >> 17 & 1, 1);
    assert_eq!(bench.read(SOF_RD), 0x123);
    assert_eq!(bench.read(INTR) >> 17 & 1, 0);
    bench.write(INTE, 1 << 14);
    let begun = bench.now;
    assert_eq!(bench.until_line(LINE, microseconds(10_000)), Some(begun + microseconds(3_000)));
    assert_eq!(bench.read(SIE_STATUS) & SUSPENDED, SUSPENDED);
    bench.write(SIE_STATUS, SUSPENDED);
    assert!(!bench.bus.shared.interrupts.is_high(LINE));
    // The device asks for resumption.
    bench.write(SIE_CTRL + SET, 1 << 12);
    bench.pass(1);
    assert!(cable.state().wakes);
    bench.pass(microseconds(10_000));
    assert!(!cable.state().wakes);
    cable.act(&mut bench, UsbAction::Resume(true));
    cable.act(&mut bench, UsbAction::Resume(false));
    assert_eq!(bench.read(SIE_STATUS) & (SUSPENDED | 1 << 11), 1 << 11);
    assert_eq!(bench.read(INTR) >> 14 & 3, 3);
    bench.write(SIE_CTRL + CLEAR, 1 << 16);
    assert_eq!([bench.read(SIE_STATUS) & CONNECTED, bench.read(INTR) >> 13 & 1], [0, 1]);
}

#[test]
fn what_is_not_there_is_named() {
    let mut bench = part();
    bench.write(MAIN_CTRL, 3);
    bench.write(SIE_CTRL, 1 << 9);
    let named = gaps(&bench, GapKind::Setting, "USB");
    assert!(named.contains(&"USB_MAIN_CTRL.HOST_NDEVICE: there is no host"), "{named:?}");
    assert!(named.contains(&"USB: its clock of 48 MHz does not run; the host sees no device"), "{named:?}");
    // Drivers clear all registers, and switch on what only a host polls.
    (0x40..0x9C).step_by(4).for_each(|offset| bench.write(USB + offset, 0));
    bench.write(USB + 0x54, 0xFFFE);
    let named: Vec<_> = (bench.bus.shared.gaps.all().iter())
        .filter(|gap| gap.kind == GapKind::RegisterWrite && gap.name.starts_with("USB") && !gap.quiet)
        .map(|gap| gap.name.as_str())
        .collect();
    assert_eq!(named, ["USB_MAIN_CTRL.HOST_NDEVICE", "USB_SIE_CTRL.SOF_EN"]);
}

/// A device with a serial port, as CDC 1.2 and PSTN 1.2 have it.
const DEVICE: [u8; 18] = [18, 1, 0, 2, 2, 0, 0, 64, 0x09, 0x12, 1, 0, 0, 1, 0, 0, 0, 1];
const CONFIGURATION: [u8; 67] = [
    9, 2, 67, 0, 2, 1, 0, 0x80, 50, // The configuration.
    9, 4, 0, 0, 1, 2, 2, 1, 0, // Control: header, call management, line coding, union, an interrupt endpoint.
    5, 0x24, 0, 0x10, 1, 5, 0x24, 1, 0, 1, 4, 0x24, 2, 2, 5, 0x24, 6, 0, 1, 7, 5, 0x81, 3, 8, 0,
    16, // Data, both ways.
    9, 4, 1, 0, 2, 10, 0, 0, 0, 7, 5, 0x02, 2, 64, 0, 0, 7, 5, 0x82, 2, 64, 0, 0,
];

/// A program for the device, which sends back in capitals what comes.
struct Program {
    bench: Bench,
    /// The bytes of the data stage that are left, and the PIDs that come next: control, bulk in, bulk out.
    left: Vec<u8>,
    pids: [bool; 3],
    address: u32,
}

impl Program {
    /// Gives the block the buffer at `address` of the endpoint `number`; a packet to the host is `packet`.
    fn give(&mut self, number: u32, packet: Option<&[u8]>, pid: bool) {
        let to_host = packet.is_some();
        let buffer = if number == 0 { EP0_BUFFER } else { MEMORY + if to_host { 0x200 } else { 0x180 } };
        let control = match packet {
            Some(packet) => {
                fill(&mut self.bench, buffer, packet);
                FULL | packet.len() as u32
            }
            None => 64,
        };
        self.bench.write(buffers(number, to_host), control | AVAILABLE | if pid { PID } else { 0 });
    }

    fn send_control(&mut self) {
        let packet: Vec<u8> = self.left.drain(..self.left.len().min(64)).collect();
        let pid = self.pids[0];
        self.pids[0] = !pid;
        self.give(0, Some(&packet), pid);
    }

    fn request(&mut self) {
        let request = bytes(&self.bench, MEMORY, 8);
        let length = usize::from(request[6]) | usize::from(request[7]) << 8;
        self.pids[0] = true;
        match (request[0], request[1], request[3]) {
            (0x80, 6, 1) => self.left = DEVICE[..length.min(18)].to_vec(),
            (0x80, 6, 2) => self.left = CONFIGURATION[..length.min(67)].to_vec(),
            (0, 5, _) => self.address = request[2].into(),
            (0, 9, _) => {
                self.bench.write(endpoint(2, false), 1 << 31 | 1 << 29 | 2 << 26 | 0x180);
                self.bench.write(endpoint(2, true), 1 << 31 | 1 << 29 | 2 << 26 | 0x200);
                self.give(2, None, false);
            }
            _ => {}
        }
        if request[0] & 0x80 != 0 || length > 0 {
            // The status of a request that reads, or the data of one that writes.
            self.give(0, None, true);
        }
        if request[0] & 0x80 != 0 || length == 0 {
            self.send_control();
        }
    }

    /// Does what the interrupts ask for.
    fn serve(&mut self) {
        let status = self.bench.read(SIE_STATUS);
        self.bench.write(SIE_STATUS, status & (BUS_RESET | SETUP_REC));
        if status & BUS_RESET != 0 {
            self.bench.write(ADDR_ENDP, 0);
        }
        let done = self.bench.read(BUFF_STATUS);
        self.bench.write(BUFF_STATUS, done);
        if done & 1 != 0 {
            if self.address != 0 {
                self.bench.write(ADDR_ENDP, self.address);
            }
            if !self.left.is_empty() {
                self.send_control();
            }
        }
        if status & SETUP_REC != 0 {
            self.request();
        } else if done & 2 != 0 && self.bench.read(buffers(0, false)) & 0x3FF != 0 {
            self.send_control();
        }
        if done & 1 << 5 != 0 {
            let length = self.bench.read(buffers(2, false)) & 0x3FF;
            let packet = bytes(&self.bench, BUFFERS, length).to_ascii_uppercase();
            let [_, to_host, from_host] = self.pids;
            self.pids = [self.pids[0], !to_host, !from_host];
            self.give(2, Some(&packet), to_host);
            self.give(2, None, !from_host);
        }
    }

    /// Runs until `end` says so, for at most a simulated second.
    fn run(&mut self, end: impl Fn(&Bench) -> bool) {
        let last = self.bench.now + microseconds(1_000_000);
        while !end(&self.bench) {
            let next = self.bench.bus.shared.events.next_at().get();
            assert!(next < last, "{:?}", self.bench.bus.peripherals.outside().devices().next());
            self.bench.pass(next.saturating_sub(self.bench.now).max(1));
            if self.bench.bus.shared.interrupts.is_high(LINE) {
                self.serve();
            }
        }
    }
}

#[test]
fn a_host_enumerates_a_serial_port_and_opens_it() {
    let mut bench = clocked();
    bench.attach(&["usb-host@usb"]);
    for (register, value) in
        [(MUXING, 9), (PWR, 0xC), (MAIN_CTRL, 1), (INTE, 1 << 16 | 1 << 12 | 1 << 4), (SIE_CTRL, 1 << 29 | 1 << 16)]
    {
        bench.write(register, value);
    }
    let mut program = Program { bench, left: Vec::new(), pids: [false; 3], address: 0 };
    program.run(|bench| bench.bus.peripherals.outside().console_listens(0));
    let reports: Vec<String> =
        program.bench.bus.peripherals.outside().devices().flat_map(|(_, device)| device.report()).collect();
    assert!(reports.iter().any(|text| text.starts_with("found 1209:0001")), "{reports:?}");
    assert!(reports.iter().any(|text| text == "opened a serial port"), "{reports:?}");
    program.bench.stimulate(0, Stimulus::Usb { number: 0, bytes: b"hello".to_vec() });
    program.run(|bench| bench.bus.shared.console.bytes(Channel::Usb(0)) == b"HELLO");
    assert!(gaps(&program.bench, GapKind::Setting, "USB").is_empty());
}
