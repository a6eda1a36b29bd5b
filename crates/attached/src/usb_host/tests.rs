//! The host at devices that answer as a test says, right or wrong.

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Contact, Requests, UsbAction, UsbAnswer, UsbState};

use super::UsbHost;

const DEVICE: &[u8] = &[18, 1, 0, 2, 2, 0, 0, 64, 9, 0x12, 1, 0, 0, 1, 0, 1, 0, 1];
const CONFIGURATION: &[u8] = &[
    9, 2, 67, 0, 2, 1, 0, 0x80, 50, 9, 4, 0, 0, 1, 2, 2, 1, 0, 5, 0x24, 0, 0x10, 1, 5, 0x24, 1, 0, 1, 4, 0x24, 2, 2, 5,
    0x24, 6, 0, 1, 7, 5, 0x81, 3, 8, 0, 16, 9, 4, 1, 0, 2, 10, 0, 0, 0, 7, 5, 2, 2, 64, 0, 0, 7, 5, 0x83, 2, 64, 0, 0,
];

/// The answer in the place of the right one to a packet, by its number.
type Fault = Box<dyn FnMut(usize, &UsbAction, UsbAnswer) -> UsbAnswer>;

/// A device as simple as can be, with its faults.
struct Device {
    configuration: Vec<u8>,
    /// Replaces the answer to a packet by its number.
    fault: Fault,
    packets: usize,
    answer: Vec<u8>,
    toggles: [bool; 4],
    prints: Vec<&'static [u8]>,
    /// The next data for the device are DATA1.
    expects: bool,
    heard: Vec<u8>,
    requests: Vec<[u8; 2]>,
}

impl Device {
    fn new(fault: impl FnMut(usize, &UsbAction, UsbAnswer) -> UsbAnswer + 'static) -> Self {
        Self {
            configuration: CONFIGURATION.to_vec(),
            fault: Box::new(fault),
            packets: 0,
            answer: Vec::new(),
            toggles: [false; 4],
            prints: vec![b"hel", b"lo"],
            expects: false,
            heard: Vec::new(),
            requests: Vec::new(),
        }
    }

    fn answers(&mut self, action: &UsbAction) -> Option<UsbAnswer> {
        let answer = match action {
            UsbAction::Out { setup: true, data, .. } => {
                self.requests.push([data[0], data[1]]);
                let asked = usize::from(u16::from_le_bytes([data[6], data[7]]));
                let whole = match (data[0], data[1], data[3]) {
                    (0x80, 6, 1) => DEVICE.to_vec(),
                    (0x80, 6, 2) => self.configuration.clone(),
                    (0x80, 6, 3) => vec![4, 3, b'x', 0],
                    _ => Vec::new(),
                };
                self.answer = whole[..whole.len().min(asked)].to_vec();
                self.toggles[0] = true;
                UsbAnswer::Ack
            }
            UsbAction::Out { endpoint, data, toggle, .. } => {
                // Repeated data are acknowledged and dropped.
                if *endpoint == 2 && *toggle == self.expects {
                    self.expects = !self.expects;
                    self.heard.extend(data);
                }
                UsbAnswer::Ack
            }
            UsbAction::In { endpoint, .. } => {
                let toggle = self.toggles[usize::from(*endpoint & 3)];
                match endpoint {
                    // The host asks for eight bytes a packet until it knows better.
                    0 => {
                        let size = self.answer.len().min(if self.requests.len() == 1 { 8 } else { 64 });
                        UsbAnswer::Data { toggle, data: self.answer[..size].to_vec() }
                    }
                    3 if !self.prints.is_empty() => UsbAnswer::Data { toggle, data: self.prints[0].to_vec() },
                    _ => UsbAnswer::Nak,
                }
            }
            UsbAction::InEnd { endpoint, acknowledged: true, .. } => {
                self.toggles[usize::from(*endpoint & 3)] ^= true;
                match endpoint {
                    0 => drop(self.answer.drain(..self.answer.len().min(64))),
                    _ => drop(self.prints.drain(..self.prints.len().min(1))),
                }
                return None;
            }
            _ => return None,
        };
        self.packets += 1;
        Some((self.fault)(self.packets, action, answer))
    }
}

/// Lets the host and the device be for `milliseconds`; what was printed, and what the host complained of.
fn run(host: &mut UsbHost, device: &mut Device, milliseconds: u64) -> (Vec<u8>, Vec<String>) {
    let (mut requests, mut now, mut events) = (Requests::default(), Picoseconds::ZERO, 0u64);
    let (mut printed, mut complaints) = (Vec::new(), Vec::new());
    host.usb_state(UsbState { pull_up: Some(true), ..UsbState::default() }, &mut Contact::new(now, &mut requests));
    while let Some(at) = requests.alarm.take().filter(|at| at.get() <= milliseconds * 1_000_000_000) {
        now = at;
        events += 1;
        assert!(events < 1_000 * milliseconds, "at most so many events a frame");
        host.wake(&mut Contact::new(now, &mut requests));
        while !requests.usb.is_empty() {
            let action = requests.usb.remove(0);
            if let Some(answer) = device.answers(&action) {
                host.usb_answer(answer, &mut Contact::new(now, &mut requests));
            }
        }
        requests.output.drain(..).for_each(|(_, bytes)| printed.extend(bytes));
        complaints.append(&mut requests.complaints);
    }
    (printed, complaints)
}

fn host() -> UsbHost {
    UsbHost::new(9600, 1, true)
}

#[test]
fn a_device_is_enumerated_and_its_port_opened() {
    let (mut host, mut device) = (host(), Device::new(|_, _, answer| answer));
    host.console_receive(0, &[b'e'; 65], &mut Contact::new(Picoseconds::ZERO, &mut Requests::default()));
    assert_eq!(run(&mut host, &mut device, 200), (b"hello".to_vec(), vec![]));
    assert_eq!(device.heard, [b'e'; 65]);
    let asked =
        [[0x80, 6], [0, 5], [0x80, 6], [0x80, 6], [0x80, 6], [0x80, 6], [0x80, 6], [0, 9], [0x21, 0x20], [0x21, 0x22]];
    assert_eq!(device.requests, asked);
    assert_eq!(host.report(), ["found 1209:0001 `x`", "opened a serial port"]);
    assert!(host.console_listens(0));
}

#[test]
fn lost_answers_are_asked_for_again() {
    // Each ninth answer is lost, and each seventh is NAK, which SETUP may not answer.
    let fault = |number: usize, action: &UsbAction, answer| match action {
        _ if number.is_multiple_of(9) => UsbAnswer::Nothing,
        UsbAction::In { .. } if number.is_multiple_of(7) => UsbAnswer::Nak,
        _ => answer,
    };
    let (mut host, mut device) = (host(), Device::new(fault));
    assert_eq!(run(&mut host, &mut device, 200), (b"hello".to_vec(), vec![]));
}

#[test]
fn devices_that_do_not_work_are_given_up_with_a_word() {
    let says = |fault: fn(usize, &UsbAction, UsbAnswer) -> UsbAnswer, configuration: &[u8]| {
        let (mut host, mut device) = (host(), Device::new(fault));
        device.configuration = configuration.to_vec();
        let (printed, complaints) = run(&mut host, &mut device, 20_000);
        (printed, complaints.join("\n"))
    };
    let (_, word) = says(|_, _, _| UsbAnswer::Nothing, CONFIGURATION);
    assert!(word.contains("given up after 3 attempts: it does not answer in GET_DESCRIPTOR of the device"), "{word}");
    let (_, word) = says(
        |_, action, answer| if matches!(action, UsbAction::In { .. }) { UsbAnswer::Nak } else { answer },
        CONFIGURATION,
    );
    assert!(word.contains("it answers NAK for 5 s"), "{word}");
    let (_, word) = says(
        |_, action, answer| if matches!(action, UsbAction::In { .. }) { UsbAnswer::Stall } else { answer },
        CONFIGURATION,
    );
    assert!(word.contains("it answers STALL"), "{word}");
    let babble = |_: usize, action: &UsbAction, answer| match action {
        UsbAction::In { .. } => UsbAnswer::Data { toggle: true, data: vec![18; 5_000] },
        _ => answer,
    };
    let (_, word) = says(babble, CONFIGURATION);
    assert!(word.contains("too many bytes (babble)"), "{word}");
    let mut endless = CONFIGURATION.to_vec();
    endless[9] = 0;
    let (_, word) = says(|_, _, answer| answer, &endless);
    assert!(word.contains("a descriptor in its configuration has 0 bytes"), "{word}");
    // The port's data babble: its pipe is closed, and the rest goes on.
    let babble = |_: usize, action: &UsbAction, answer| match action {
        UsbAction::In { endpoint: 3, .. } => UsbAnswer::Data { toggle: false, data: vec![1; 65] },
        _ => answer,
    };
    let (printed, word) = says(babble, CONFIGURATION);
    assert!(printed.is_empty() && word.contains("endpoint 0x83 has sent more than its 64 bytes (babble)"), "{word}");
}

#[test]
fn random_answers_neither_panic_nor_hang() {
    for seed in 1..200u64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let fault = move |_: usize, _: &UsbAction, answer| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            match state % 40 {
                0 => UsbAnswer::Nothing,
                1 => UsbAnswer::Nak,
                2 => UsbAnswer::Stall,
                3 => UsbAnswer::Ack,
                4 => UsbAnswer::Data {
                    toggle: state & 64 != 0,
                    data: vec![(state >> 8) as u8; (state >> 16) as usize % 80],
                },
                _ => answer,
            }
        };
        let (mut host, mut device) = (host(), Device::new(fault));
        for place in 0..4 {
            let at = (seed as usize * 7 + place * 13) % device.configuration.len();
            device.configuration[at] ^= if seed.is_multiple_of(3) { (seed >> place) as u8 } else { 0 };
        }
        run(&mut host, &mut device, 400);
        let _ = host.report();
    }
}
