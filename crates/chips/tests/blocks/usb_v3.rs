//! The USB devices of STM32L4 and G4 (RM0394, RM0440) and of G0 (RM0444): what differs from STM32F1's, by the same transactions.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::UsbAnswer::{Ack, Nak, Nothing};
use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, UsbAction, UsbAnswer, Width};
use cyclescope_peripherals::framework::AnyDevice;

use crate::alone::Alone;
use crate::bench::Bench;
use crate::usb_bus::{Cable, data};

const CNTR: u32 = 0x40;
const ISTR: u32 = 0x44;
const DADDR: u32 = 0x4C;
const BTABLE: u32 = 0x50;
const BCDR: u32 = 0x58;

const CTR_RX: u32 = 1 << 15;
const CTR_TX: u32 = 1 << 7;
const SETUP: u32 = 1 << 11;
const NAK: u32 = 2;
const VALID: u32 = 3;
const DPPU: u32 = 1 << 15;

/// A device and its packet memory as bytes.
struct Device {
    block: Alone,
}

impl Device {
    /// The device of `part` at 16 MHz after a bus reset, with the address 5 and every interrupt on.
    fn new(part: &str) -> Self {
        let mut block = Alone::new(part, "USB", 16_000_000, |_, tree| tree);
        block.slots.wires.shared.set_usb(Hertz::new(48_000_000));
        block.write(CNTR, 1);
        block.write(CNTR, 0);
        block.write(BCDR, DPPU);
        block.write(ISTR, 0);
        let mut device = Self { block };
        device.act(UsbAction::Reset(true));
        device.act(UsbAction::Reset(false));
        device.block.write(ISTR, 0);
        device.block.write(DADDR, 0x85);
        device.block.write(CNTR, 0xFF00);
        device
    }

    fn act(&mut self, action: UsbAction) -> UsbAnswer {
        self.block.with(|device, env| device.usb_mut().expect("a device on USB").action(&action, env))
    }

    fn out(&mut self, setup: bool, endpoint: u8, toggle: bool, data: &[u8]) -> UsbAnswer {
        self.act(UsbAction::Out { setup, address: 5, endpoint, toggle, data: data.to_vec() })
    }

    fn ask(&mut self, endpoint: u8) -> UsbAnswer {
        let answer = self.act(UsbAction::In { address: 5, endpoint });
        if matches!(answer, UsbAnswer::Data { .. }) {
            self.act(UsbAction::InEnd { address: 5, endpoint, acknowledged: true });
        }
        answer
    }

    /// The half-word at the device's address `at`.
    fn get(&self, at: usize) -> u16 {
        self.block.slots.wires.packets.get(at / 2).copied().unwrap_or(0)
    }

    fn put(&mut self, at: usize, value: u16) {
        let packets = &mut self.block.slots.wires.packets;
        packets.resize(packets.len().max(1024), 0);
        packets[at / 2] = value;
    }

    /// Brings STAT and DTOG of EPnR to the bits of `value` in `mask`.
    fn set(&mut self, index: u32, mask: u32, value: u32) {
        let now = self.block.read(index * 4);
        self.block.write(index * 4, now & 0x070F | 0x8080 | (now & mask) ^ value);
    }
}

/// A control transfer of 200 bytes from and to the last bytes of the packet memory, which is `bytes` long with its table at `table`.
fn control(part: &str, table: u32, bytes: usize) {
    let mut device = Device::new(part);
    if table > 0 {
        device.block.write(BTABLE, table);
    }
    let entry = table as usize;
    let (transmit, receive) = (bytes - 128, bytes - 64);
    device.put(entry, transmit as u16);
    device.put(entry + 2, 0);
    device.put(entry + 4, receive as u16);
    device.put(entry + 6, 0x8400);
    device.block.write(0, 0x0200);
    device.set(0, 0x3030, VALID << 12 | NAK << 4);
    let request = [0x80, 6, 0, 1, 0, 0, 200, 0];
    assert_eq!(device.out(true, 0, false, &request), Ack, "{part}");
    assert_eq!(device.block.read(0) & (CTR_RX | SETUP), CTR_RX | SETUP);
    assert_eq!(device.block.read(ISTR) & 0x801F, 0x8010, "CTR, DIR, EP_ID");
    assert!(device.block.line("LP"));
    let heard: Vec<u8> = (0..4).flat_map(|pair| device.get(receive + 2 * pair).to_le_bytes()).collect();
    assert_eq!((heard, device.get(entry + 6) & 0x3FF), (request.to_vec(), 8));
    device.block.write(0, 0x0200 | CTR_TX);
    assert_eq!(device.ask(0), Nak);
    for (toggle, length) in [(true, 64), (false, 64), (true, 64), (false, 8)] {
        let bytes: Vec<u8> = (0..length).map(|byte| byte * 3 + u8::from(toggle)).collect();
        for (pair, chunk) in bytes.chunks(2).enumerate() {
            device.put(transmit + 2 * pair, u16::from_le_bytes([chunk[0], chunk[1]]));
        }
        device.put(entry + 2, u16::from(length));
        device.set(0, 0x0030, VALID << 4);
        assert_eq!(device.ask(0), data(toggle, &bytes));
        assert_eq!(device.block.read(0) & (CTR_TX | 0x30), CTR_TX | NAK << 4);
        device.block.write(0, 0x0200 | CTR_RX);
    }
    device.set(0, 0x3000, VALID << 12);
    assert_eq!(device.out(false, 0, true, b""), Ack);
    assert_eq!(device.block.gaps(GapKind::RegisterWrite), [""; 0], "{part}");
}

#[test]
fn requests_are_answered_from_memories_of_all_sizes() {
    control("stm32l432kc", 64, 1024);
    control("stm32g431kb", 0, 1024);
    control("stm32g0b1re", 0, 2048);
}

#[test]
fn a_bus_below_ten_megahertz_is_too_slow_for_the_memory() {
    let mut device = Device::new("stm32g0b1re");
    device.put(4, 0x40);
    device.put(6, 0x8400);
    device.block.write(0, 0x0200);
    device.set(0, 0x3000, VALID << 12);
    device.block.change(|_, tree| cyclescope_peripherals::Tree { pclk: tree.hclk.times(2), ..tree });
    assert_eq!(device.out(true, 0, false, &[0; 8]), Nothing);
    assert_eq!(device.block.read(ISTR) & 1 << 14, 1 << 14, "PMAOVR");
}

#[test]
fn what_is_not_modelled_of_them_is_named() {
    let mut device = Device::new("stm32g0b1re");
    device.block.write(CNTR, 1 << 31 | 1 << 16);
    device.block.write(BCDR, DPPU | 1 | 1 << 1);
    device.block.write(0x54, 1);
    let named = device.block.gaps(GapKind::RegisterWrite);
    assert_eq!(named, ["USB_CNTR.THR512M", "USB_CNTR.HOST", "USB_BCDR.BCDEN", "USB_BCDR.DCDEN"]);
}

#[test]
fn the_pull_up_is_the_part_s_and_the_cable_finds_a_device_without_pins_of_its_own() {
    for (part, enable) in [("stm32g0b1re", (0x3C, 13)), ("stm32g431kb", (0x58, 23))] {
        const USB: u32 = 0x4000_5C00;
        let mut bench = Bench::of(part, MemorySetting::Equal);
        bench.write(0x4002_1000 + enable.0, 1 << enable.1);
        let cable = Cable::new(&mut bench, "USB");
        assert_eq!((cable.state().pull_up, cable.state().takes_pin), (Some(false), false), "{part}");
        bench.write(USB + CNTR, 0);
        bench.write(USB + BCDR, DPPU);
        bench.pass(1);
        assert_eq!((cable.state().pull_up, cable.state().takes_pin), (Some(true), true), "{part}");
    }
}

#[test]
fn the_core_sees_each_memory_as_it_is_wired() {
    for (part, memory, enable) in [("stm32g431kb", 0x4000_6000, (0x58, 23)), ("stm32g0b1re", 0x4000_9800, (0x3C, 13))] {
        let mut bench = Bench::of(part, MemorySetting::Equal);
        bench.write(0x4002_1000 + enable.0, 1 << enable.1);
        for (place, value) in [(0, 0x1122), (2, 0x3344), (1022, 0x5566)] {
            bench.try_write(memory + place, Width::Half, value).unwrap();
        }
        assert_eq!(bench.read(memory), 0x3344_1122, "{part}");
        assert_eq!(bench.try_read(memory + 1022, Width::Half).unwrap(), 0x5566);
    }
}
