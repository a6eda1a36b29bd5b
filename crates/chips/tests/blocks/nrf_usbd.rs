//! nRF52840: the USB device (nRF52840 PS, USBD and POWER) with a scripted host.

use cyclescope_machine::UsbAnswer::{Ack, Nak, Nothing, Stall};
use cyclescope_machine::{GapKind, UsbAction, Width};

use crate::bench::Bench;
use crate::nrf_timers::{CLOCK, US, part, until};
use crate::usb_bus::{Cable, data};

const USBD: u32 = 0x4002_7000;
const STARTEPIN: u32 = USBD + 0x04;
const STARTISOIN: u32 = USBD + 0x24;
const STARTEPOUT: u32 = USBD + 0x28;
const STARTISOOUT: u32 = USBD + 0x48;
const EP0RCVOUT: u32 = USBD + 0x4C;
const EP0STATUS: u32 = USBD + 0x50;
const EP0STALL: u32 = USBD + 0x54;
const DPDMDRIVE: u32 = USBD + 0x58;
const USBRESET: u32 = USBD + 0x100;
const STARTED: u32 = USBD + 0x104;
const ENDEPIN: u32 = USBD + 0x108;
const EP0DATADONE: u32 = USBD + 0x128;
const ENDISOIN: u32 = USBD + 0x12C;
const ENDEPOUT: u32 = USBD + 0x130;
const ENDISOOUT: u32 = USBD + 0x150;
const SOF: u32 = USBD + 0x154;
const USBEVENT: u32 = USBD + 0x158;
const EP0SETUP: u32 = USBD + 0x15C;
const EPDATA: u32 = USBD + 0x160;
const SHORTS: u32 = USBD + 0x200;
const INTENSET: u32 = USBD + 0x304;
const EVENTCAUSE: u32 = USBD + 0x400;
const HALTED_IN: u32 = USBD + 0x420;
const EPSTATUS: u32 = USBD + 0x468;
const EPDATASTATUS: u32 = USBD + 0x46C;
const USBADDR: u32 = USBD + 0x470;
const BMREQUESTTYPE: u32 = USBD + 0x480;
const SIZE: u32 = USBD + 0x4A0;
const ENABLE: u32 = USBD + 0x500;
const USBPULLUP: u32 = USBD + 0x504;
const DPDMVALUE: u32 = USBD + 0x508;
const DTOGGLE: u32 = USBD + 0x50C;
const EPINEN: u32 = USBD + 0x510;
const EPOUTEN: u32 = USBD + 0x514;
const EPSTALL: u32 = USBD + 0x518;
const FRAMECNTR: u32 = USBD + 0x520;
const LOWPOWER: u32 = USBD + 0x52C;
const ISOINCONFIG: u32 = USBD + 0x530;
const IN_PTR: u32 = USBD + 0x600;
const OUT_PTR: u32 = USBD + 0x700;
const LINE: usize = 39;
const USBDETECTED: u32 = CLOCK + 0x11C;
const USBREMOVED: u32 = CLOCK + 0x120;
const USBPWRRDY: u32 = CLOCK + 0x124;
const USBREGSTATUS: u32 = CLOCK + 0x438;
const RAM: u32 = 0x2000_2000;

/// A device that the host has reset, with the crystal and power on.
fn new() -> (Bench, Cable) {
    let mut bench = part();
    bench.write(CLOCK, 1);
    until(&mut bench, CLOCK + 0x100, 1, 1_000 * US).unwrap();
    let cable = Cable::new(&mut bench, "USBD");
    cable.act(&mut bench, UsbAction::Power(true));
    bench.write(ENABLE, 1);
    assert_eq!(until(&mut bench, EVENTCAUSE, 1 << 11, 1_000), Some(bench.now), "READY");
    bench.write(EVENTCAUSE, 1 << 11);
    bench.write(USBPULLUP, 1);
    cable.reset(&mut bench, 20 * US);
    (bench, cable)
}

/// Puts `bytes` into the buffer of the IN endpoint `number`.
fn load(bench: &mut Bench, number: u32, bytes: &[u8]) {
    for (index, byte) in (0..).zip(bytes) {
        bench.try_write(RAM + index, Width::Byte, (*byte).into()).unwrap();
    }
    bench.write(IN_PTR + 20 * number, RAM);
    bench.write(IN_PTR + 20 * number + 4, bytes.len() as u32);
    let (task, event) =
        if number == 8 { (STARTISOIN, ENDISOIN) } else { (STARTEPIN + 4 * number, ENDEPIN + 4 * number) };
    bench.write(event, 0);
    bench.write(task, 1);
    assert!(until(bench, event, 1, 100_000).is_some());
    assert_eq!(bench.read(IN_PTR + 20 * number + 8), bytes.len() as u32);
}

/// Takes the packet of the OUT endpoint `number`.
fn store(bench: &mut Bench, number: u32) -> Vec<u8> {
    let size = bench.read(SIZE + 4 * number) & 0x3FF;
    bench.write(OUT_PTR + 20 * number, RAM + 0x100);
    bench.write(OUT_PTR + 20 * number + 4, size);
    let (task, event) =
        if number == 8 { (STARTISOOUT, ENDISOOUT) } else { (STARTEPOUT + 4 * number, ENDEPOUT + 4 * number) };
    bench.write(event, 0);
    bench.write(task, 1);
    assert!(until(bench, event, 1, 100_000).is_some());
    assert_eq!(bench.read(OUT_PTR + 20 * number + 8), size);
    (0..size).map(|index| bench.try_read(RAM + 0x100 + index, Width::Byte).unwrap() as u8).collect()
}

#[test]
fn the_cable_has_power_and_the_host_sees_the_pull_up() {
    let mut bench = part();
    let cable = Cable::new(&mut bench, "USBD");
    assert_eq!(bench.read(USBREGSTATUS), 0);
    cable.act(&mut bench, UsbAction::Power(true));
    assert_eq!([USBREGSTATUS, USBDETECTED, USBPWRRDY].map(|register| bench.read(register)), [3, 1, 1]);
    bench.write(USBPULLUP, 1);
    assert_eq!(cable.state().pull_up, Some(false));
    bench.write(ENABLE, 1);
    bench.pass(1);
    assert_eq!(cable.state().pull_up, Some(true));
    assert_eq!(
        bench.gaps(GapKind::Setting),
        ["USBD: its clock of 48 MHz does not run; the host sees no device"],
        "without the crystal"
    );
    cable.act(&mut bench, UsbAction::Power(false));
    assert_eq!((bench.read(USBREGSTATUS), bench.read(USBREMOVED)), (0, 1));
}

#[test]
fn requests_read_write_and_give_an_address() {
    let (mut bench, cable) = new();
    bench.write(USBRESET, 0);
    bench.write(INTENSET, 1 << 23);
    let request = [0x80, 6, 0, 1, 2, 3, 18, 0];
    assert_eq!(cable.setup(&mut bench, 0, request), Ack);
    assert!(bench.bus.shared.interrupts.is_high(LINE));
    assert_eq!(bench.read(EP0SETUP), 1);
    let registers: Vec<u8> = (0..8).map(|place| bench.read(BMREQUESTTYPE + 4 * place) as u8).collect();
    assert_eq!(registers, request);
    assert_eq!(cable.ask(&mut bench, (0, 0), true), Nak);
    // EP0DATADONE_EP0STATUS.
    bench.write(SHORTS, 1 << 2);
    load(&mut bench, 0, b"device");
    assert_eq!((bench.read(STARTED), bench.read(EPSTATUS)), (1, 1));
    assert_eq!(cable.out(&mut bench, (0, 0), true, b""), Nak, "not yet");
    assert_eq!(cable.ask(&mut bench, (0, 0), false), data(true, b"device"));
    assert_eq!(bench.read(EP0DATADONE), 0);
    assert_eq!(cable.ask(&mut bench, (0, 0), true), data(true, b"device"));
    assert_eq!(bench.read(EP0DATADONE), 1);
    assert_eq!(cable.out(&mut bench, (0, 0), true, b""), Ack);
    // The address is in force behind the status stage, without any help.
    assert_eq!(cable.setup(&mut bench, 0, [0, 5, 9, 0, 0, 0, 0, 0]), Ack);
    assert_eq!(bench.read(USBADDR), 0);
    assert_eq!(cable.ask(&mut bench, (0, 0), true), data(true, b""));
    assert_eq!(bench.read(USBADDR), 9);
    assert_eq!(cable.setup(&mut bench, 0, request), Nothing);
    // A request that writes, then its status.
    bench.write(SHORTS, 0);
    bench.write(EP0DATADONE, 0);
    assert_eq!(cable.setup(&mut bench, 9, [0x21, 0x20, 0, 0, 0, 0, 7, 0]), Ack);
    assert_eq!(cable.out(&mut bench, (9, 0), true, b"settled"), Nak);
    bench.write(EP0RCVOUT, 1);
    assert_eq!(cable.out(&mut bench, (9, 0), true, b"settled"), Ack);
    assert_eq!(bench.read(EP0DATADONE), 1);
    assert_eq!(store(&mut bench, 0), b"settled");
    assert_eq!(cable.ask(&mut bench, (9, 0), true), Nak);
    bench.write(EP0STATUS, 1);
    assert_eq!(cable.ask(&mut bench, (9, 0), true), data(true, b""));
    // One that the device does not know.
    assert_eq!(cable.setup(&mut bench, 9, [0x80, 99, 0, 0, 0, 0, 1, 0]), Ack);
    bench.write(EP0STALL, 1);
    assert_eq!(cable.ask(&mut bench, (9, 0), true), Stall);
    assert_eq!(cable.setup(&mut bench, 9, request), Ack);
    assert_eq!(cable.ask(&mut bench, (9, 0), true), Nak);
    assert!(bench.gaps(GapKind::Setting).is_empty());
}

#[test]
fn endpoints_take_turns_with_toggles_and_halts() {
    let (mut bench, cable) = new();
    assert_eq!(cable.out(&mut bench, (0, 1), false, b"x"), Nothing, "disabled");
    bench.write(EPINEN, 3);
    bench.write(EPOUTEN, 3);
    assert_eq!(cable.out(&mut bench, (0, 1), false, &[7; 64]), Nak, "until SIZE is written");
    bench.write(SIZE + 4, 0);
    assert_eq!(cable.out(&mut bench, (0, 1), false, &[7; 64]), Ack);
    assert_eq!((bench.read(EPDATA), bench.read(EPDATASTATUS), bench.read(SIZE + 4)), (1, 1 << 17, 64));
    bench.write(EPDATASTATUS, 1 << 17);
    assert_eq!(bench.read(EPDATASTATUS), 0);
    assert_eq!(cable.out(&mut bench, (0, 1), true, b"next"), Nak);
    assert_eq!(store(&mut bench, 1), [7; 64]);
    assert_eq!(cable.out(&mut bench, (0, 1), false, &[8; 64]), Ack, "repeated");
    assert_eq!(bench.read(EPDATASTATUS), 0);
    assert_eq!(cable.out(&mut bench, (0, 1), true, b"next"), Ack);
    assert_eq!(store(&mut bench, 1), b"next");
    for (toggle, bytes) in [(false, b"one"), (true, b"two")] {
        assert_eq!(cable.ask(&mut bench, (0, 1), true), Nak);
        load(&mut bench, 1, bytes);
        assert_eq!(cable.ask(&mut bench, (0, 1), true), data(toggle, bytes));
        assert_eq!(bench.read(EPDATASTATUS) & 2, 2);
    }
    // Halted, and released with DATA1.
    bench.write(EPSTALL, 1 << 8 | 1 << 7 | 1);
    assert_eq!((cable.ask(&mut bench, (0, 1), true), bench.read(HALTED_IN + 4)), (Stall, 1));
    bench.write(EPSTALL, 1 << 7 | 1);
    bench.write(DTOGGLE, 2 << 8 | 1 << 7 | 1);
    load(&mut bench, 1, b"");
    assert_eq!(cable.ask(&mut bench, (0, 1), true), data(true, b""));
    bench.write(DTOGGLE, 1 << 7 | 1);
    assert_eq!(bench.read(DTOGGLE), 1 << 8 | 1 << 7 | 1, "DATA0 is next");
}

#[test]
fn a_packet_that_comes_while_easydma_has_none_is_kept() {
    let (mut bench, cable) = new();
    bench.write(EPOUTEN, 3);
    bench.write(SIZE + 4, 0);
    bench.write(OUT_PTR + 20, RAM + 0x100);
    bench.write(OUT_PTR + 20 + 4, 64);
    bench.write(STARTEPOUT + 4, 1);
    assert_eq!(cable.out(&mut bench, (0, 1), false, b"first"), Ack);
    assert_eq!(bench.read(ENDEPOUT + 4), 0, "within the time of 16 words");
    assert!(until(&mut bench, ENDEPOUT + 4, 1, 1_000).is_some());
    assert_eq!(bench.read(OUT_PTR + 20 + 8), 0);
    assert_eq!(cable.out(&mut bench, (0, 1), true, b"other"), Nak);
    assert_eq!(store(&mut bench, 1), b"first");
    assert_eq!(cable.out(&mut bench, (0, 1), true, b"other"), Ack);
}

#[test]
fn the_isochronous_endpoint_has_frames() {
    let (mut bench, cable) = new();
    bench.write(EPINEN, 0x101);
    bench.write(EPOUTEN, 0x101);
    cable.act(&mut bench, UsbAction::Frame(0x123));
    assert_eq!((bench.read(SOF), bench.read(FRAMECNTR)), (1, 0x123));
    assert_eq!(cable.out(&mut bench, (0, 8), false, &[3; 300]), Nothing);
    assert_eq!(bench.read(SIZE + 32), 300);
    assert_eq!(store(&mut bench, 8), [3; 300]);
    cable.out(&mut bench, (0, 8), false, b"");
    assert_eq!(bench.read(SIZE + 32), 1 << 16);
    assert_eq!(cable.ask(&mut bench, (0, 8), true), Nothing);
    bench.write(ISOINCONFIG, 1);
    assert_eq!(cable.ask(&mut bench, (0, 8), true), data(false, b""));
    load(&mut bench, 8, &[5; 512]);
    assert_eq!(cable.ask(&mut bench, (0, 8), true), data(false, &[5; 512]));
    assert_eq!(bench.read(EPDATA), 0);
}

#[test]
fn silence_suspends_and_either_end_wakes() {
    let (mut bench, cable) = new();
    bench.write(USBEVENT, 0);
    let begun = bench.now;
    assert_eq!(until(&mut bench, EVENTCAUSE, 1 << 8, 10_000 * US), Some(begun + 3_000 * US));
    assert_eq!(bench.read(USBEVENT), 1);
    bench.write(LOWPOWER, 1);
    bench.write(EVENTCAUSE, 1 << 8);
    bench.write(LOWPOWER, 0);
    assert_eq!(until(&mut bench, EVENTCAUSE, 1 << 10, 10_000), Some(bench.now));
    bench.write(DPDMVALUE, 1);
    bench.write(DPDMDRIVE, 1);
    bench.pass(1);
    assert!(cable.state().wakes);
    bench.pass(5_000 * US);
    assert!(!cable.state().wakes);
    cable.act(&mut bench, UsbAction::Resume(true));
    assert_eq!(bench.read(EVENTCAUSE), 1 << 10 | 1 << 9);
}

#[test]
fn buffers_may_be_nowhere_and_settings_without_sense() {
    let (mut bench, cable) = new();
    bench.write(EPINEN, 0x1FF);
    bench.write(EPOUTEN, 0x1FF);
    bench.write(SHORTS, 0x1F);
    for number in 0..9 {
        bench.write(IN_PTR + 20 * number, 0xFFFF_FFF0);
        bench.write(IN_PTR + 20 * number + 4, u32::MAX);
        bench.write(OUT_PTR + 20 * number, 0x0000_1000);
        bench.write(OUT_PTR + 20 * number + 4, u32::MAX);
        bench.write(STARTEPIN + 4 * number, 1);
        bench.write(STARTEPOUT + 4 * number, 1);
        cable.out(&mut bench, (0, number as u8), true, &[1; 2000]);
    }
    cable.setup(&mut bench, 0, [0xFF; 8]);
    for register in (0x400..0x534).step_by(4) {
        bench.write(USBD + register, u32::MAX);
    }
    for number in 0..16 {
        cable.ask(&mut bench, (0, number), true);
        cable.out(&mut bench, (0, number), true, &[1; 2000]);
    }
    bench.pass(100_000 * US);
    bench.write(ENABLE, 0);
    assert_eq!(cable.ask(&mut bench, (0, 0), true), Nothing);
    assert!(bench.gaps(GapKind::Setting).contains(&"USBD: EasyDMA reaches nothing but the data RAM"));
}
