//! bxCAN of STM32F103 and F446 (RM0008, RM0390, "Controller area network (bxCAN)"), alone and with nodes on its bus.

use std::any::Any;
use std::collections::VecDeque;

use cyclescope_chips::MemorySetting;
use cyclescope_machine::units::{Address, Cycles, Picoseconds};
use cyclescope_machine::{
    Attached, Attachment, CanError, CanFrame, Contact, GapKind, Pin, Signal, SignalKind, Transfer, Wire,
};

use crate::bench::Bench;
use crate::{f103_clocks, f446_clocks};

mod filters;

const CAN1: u32 = 0x4000_6400;
const CAN2: u32 = 0x4000_6800;
const MCR: u32 = 0x00;
const MSR: u32 = 0x04;
const TSR: u32 = 0x08;
const RF0R: u32 = 0x0C;
const RF1R: u32 = 0x10;
const IER: u32 = 0x14;
const ESR: u32 = 0x18;
const BTR: u32 = 0x1C;
const TIR: u32 = 0x180;
const RIR: u32 = 0x1B0;
const FMR: u32 = 0x200;
const FM1R: u32 = 0x204;
const FS1R: u32 = 0x20C;
const FFA1R: u32 = 0x214;
const FA1R: u32 = 0x21C;
const FR: u32 = 0x240;

const INRQ: u32 = 1 << 0;
const SLEEP: u32 = 1 << 1;
const TXFP: u32 = 1 << 2;
const RFLM: u32 = 1 << 3;
const NART: u32 = 1 << 4;
const AWUM: u32 = 1 << 5;
const ABOM: u32 = 1 << 6;
const TTCM: u32 = 1 << 7;

const LBKM: u32 = 1 << 30;
const SILM: u32 = 1 << 31;
/// 18 quanta of four periods of 36 MHz: 500 kbit/s, sampled after 14 quanta.
const AT_500K: u32 = 3 << 24 | 3 << 20 | 12 << 16 | 3;
/// Cycles of the core in a bit, and up to its sample point.
const BIT: u64 = 144;
const SAMPLE: u64 = 112;

/// The bits of a frame from its start to its end.
fn bits_of(frame: CanFrame) -> u64 {
    cyclescope_peripherals::wires::can::bits(&frame).levels.len() as u64
}

/// Sends what is in its queue, and keeps what it hears.
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub rate: Option<u32>,
    pub deaf: bool,
    pub heard: Vec<(CanFrame, bool, u64)>,
    pub sends: VecDeque<CanFrame>,
    /// The frames that it begins to send at a time, in picoseconds.
    pub later: Option<(u64, CanFrame)>,
}

impl Attached for Node {
    fn pins(&self) -> &'static [&'static str] {
        &["can_tx", "can_rx"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn start(&mut self, contact: &mut Contact<'_>) {
        if let Some((at, _)) = self.later {
            contact.wake_at(contact.now() + Picoseconds::new(at));
        } else if !self.sends.is_empty() {
            contact.call();
        }
    }

    fn wake(&mut self, contact: &mut Contact<'_>) {
        self.sends.extend(self.later.take().map(|(_, frame)| frame));
        contact.call();
    }

    fn can_rate(&self) -> Option<u32> {
        self.rate
    }

    fn can_acknowledges(&self) -> bool {
        !self.deaf
    }

    fn can_next(&self) -> Option<CanFrame> {
        self.sends.front().copied()
    }

    fn can_frame(&mut self, frame: CanFrame, own: bool, contact: &mut Contact<'_>) {
        self.heard.push((frame, own, contact.now().get()));
        if own {
            self.sends.pop_front();
        }
    }
}

struct Board {
    bench: Bench,
    base: u32,
}

impl Board {
    /// An F103 in initialisation mode, with CAN on PA11 and PA12 and a filter that lets all into FIFO 0.
    fn new() -> Self {
        let mut bench = f103_clocks::fast(MemorySetting::Equal);
        bench.bus.shared.signals.want(SignalKind::Transfer);
        bench.write(0x4001_0804, 0x444B_4444);
        let mut board = Self { bench, base: CAN1 };
        board.write(MCR, INRQ);
        assert_eq!(board.read(MSR) & 3, 1, "INAK");
        board.write(FA1R, 1);
        board.write(FS1R, 1);
        board.write(FMR, 0);
        board.transfers();
        board
    }

    /// The same in normal mode, with `more` bits of BTR and MCR.
    fn normal(btr: u32, mcr: u32) -> Self {
        let mut board = Self::new();
        board.join(btr, mcr);
        board
    }

    fn join(&mut self, btr: u32, mcr: u32) {
        self.write(BTR, AT_500K | btr);
        self.write(MCR, mcr);
        self.bench.pass(11 * BIT - 1);
        assert_eq!(self.read(MSR) & 3, 1, "ten bits and a bit of the last");
        self.bench.pass(1);
        assert_eq!(self.read(MSR) & 3, 0, "in step with the bus");
    }

    fn attach(&mut self, name: &str, node: Node) {
        let wire = |number| Some(Wire::Pin(Pin { port: 0, number }));
        let wires = vec![wire(12), wire(11)];
        let (devices, mut context) = self.bench.bus.with_context(Cycles::new(self.bench.now), Address::ZERO);
        devices.attach(vec![Attachment { name: name.into(), device: Box::new(node), wires }], &mut context);
    }

    fn node(&self, name: &str) -> &Node {
        let mut devices = self.bench.bus.peripherals.outside().devices();
        let (_, device) = devices.find(|(known, _)| *known == name).unwrap();
        device.as_any().downcast_ref().unwrap()
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.bench.read(self.base + offset)
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.bench.write(self.base + offset, value);
    }

    /// Asks for `frame` in mailbox `number`.
    fn send(&mut self, number: u32, frame: CanFrame) {
        let at = TIR + 16 * number;
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        self.write(at + 4, frame.code.into());
        self.write(at + 8, word(&frame.data[..4]));
        self.write(at + 12, word(&frame.data[4..]));
        let id = if frame.extended { frame.id << 3 | 4 } else { frame.id << 21 };
        self.write(at, id | u32::from(frame.remote) << 1 | 1);
    }

    /// Takes the oldest frame of FIFO `number`, with its filter and time.
    fn take(&mut self, number: u32) -> Option<(CanFrame, u8, u16)> {
        if self.read(RF0R + 4 * number) & 3 == 0 {
            return None;
        }
        let [rir, length, low, high] = [0, 4, 8, 12].map(|offset| self.read(RIR + 16 * number + offset));
        let extended = rir & 4 != 0;
        let mut frame = CanFrame::new(0, &[]);
        (frame.extended, frame.remote, frame.code) = (extended, rir & 2 != 0, (length & 15) as u8);
        frame.id = if extended { rir >> 3 } else { rir >> 21 };
        frame.data[..4].copy_from_slice(&low.to_le_bytes());
        frame.data[4..].copy_from_slice(&high.to_le_bytes());
        self.write(RF0R + 4 * number, 1 << 5);
        Some((frame, (length >> 8) as u8, (length >> 16) as u16))
    }

    fn transfers(&mut self) -> Vec<(u64, Transfer)> {
        let signals: Vec<_> = self.bench.bus.shared.signals.drain().collect();
        let transfers = signals.into_iter().filter_map(|(at, signal)| match signal {
            Signal::Transfer { transfer, .. } => Some((at.get(), transfer)),
            _ => None,
        });
        transfers.collect()
    }

    /// Passes to the cycle `at`.
    fn to(&mut self, at: u64) {
        let now = self.bench.now;
        self.bench.pass(at - now);
    }
}

fn frame(id: u32, data: &[u8]) -> CanFrame {
    CanFrame::new(id, data)
}

#[test]
fn a_loopback_receives_its_own_frame_at_the_last_bits_sample_point() {
    let mut board = Board::normal(LBKM | SILM, 0);
    let origin = board.bench.now;
    board.bench.pass(10);
    let sent = frame(0x123, &[1, 2, 3]);
    board.send(1, sent);
    assert_eq!(board.read(TSR), 1 << 26 | 1 << 28, "mailbox 1 is taken, 0 is the next free");
    board.write(TIR + 16, 0);
    // It begins with the next bit.
    let end = origin + BIT + (bits_of(sent) - 1) * BIT + SAMPLE;
    board.to(end - 1);
    assert_eq!(board.read(MSR) & 0xF00, 0xD00, "it sends");
    assert_eq!(board.read(RF0R), 0);
    board.bench.pass(1);
    assert_eq!(board.read(TSR), 7 << 26 | 3 << 8, "RQCP1 and TXOK1");
    assert_eq!(board.take(0), Some((sent, 0, 0)));
    assert_eq!(board.read(RF0R), 0);
    board.write(TSR, 1 << 8);
    assert_eq!(board.read(TSR), 7 << 26);
    assert_eq!(board.bench.edges(0, 12), [], "a silent loopback leaves the pin alone");
    assert_eq!(board.bench.gaps(GapKind::Setting), [""; 0]);
}

#[test]
fn modes_follow_their_bits_and_writes_their_rules() {
    let mut bench = f103_clocks::fast(MemorySetting::Equal);
    bench.write(0x4001_0804, 0x444B_4444);
    let mut board = Board { bench, base: CAN1 };
    assert_eq!((board.read(MCR), board.read(MSR)), (0x1_0002, 0xC02), "asleep");
    assert_eq!((board.read(TSR), board.read(BTR), board.read(FMR)), (0x1C00_0000, 0x0123_0000, 0x2A1C_0E01));
    board.write(BTR, 0);
    assert_eq!(board.read(BTR), 0x0123_0000, "only in initialisation mode");
    board.write(MCR, INRQ | SLEEP);
    assert_eq!(board.read(MSR) & 3, 2, "both bits ask for nothing");
    board.write(MCR, INRQ);
    assert_eq!(board.read(MSR) & 3, 1);
    board.write(BTR, u32::MAX);
    assert_eq!(board.read(BTR), 0xC37F_03FF);
    board.join(0, 0);
    board.write(MCR, SLEEP);
    assert_eq!(board.read(MSR) & 0x13, 2, "asleep at once, without SLAKI");
    board.write(MCR, 0);
    board.bench.pass(11 * BIT);
    board.write(IER, 1 << 17);
    board.write(MCR, SLEEP);
    assert_eq!(board.read(MSR) & 0x13, 0x12, "SLAKI");
    assert!(board.bench.bus.shared.interrupts.is_high(22));
    board.write(MSR, 0x10);
    assert!(!board.bench.bus.shared.interrupts.is_high(22));
    // Awake again, into initialisation mode while a frame goes out: not before its end.
    board.write(MCR, 0);
    board.bench.pass(11 * BIT);
    let start = board.bench.now;
    board.send(0, frame(0x555, &[]));
    board.bench.pass(BIT);
    board.write(MCR, INRQ);
    let fails = start + BIT * (bits_of(frame(0x555, &[])) - 9) + SAMPLE;
    let end = start + BIT * (bits_of(frame(0x555, &[])) - 8 + 14);
    board.to(end - 1);
    assert!(fails < end && board.read(MSR) & 1 == 0);
    board.bench.pass(1);
    assert_eq!(board.read(MSR) & 1, 1);
    assert_eq!(board.read(TSR) >> 26 & 1, 0, "the request waits");
    board.bench.pass(100_000);
    assert_eq!(board.read(ESR) >> 16, 8, "nothing is sent meanwhile");
    // A reset of its own: asleep.
    board.write(MCR, 1 << 15);
    assert_eq!((board.read(MCR), board.read(MSR) & 3), (0x1_0002, 2));
}

#[test]
fn nobody_acknowledges_so_that_a_frame_is_sent_for_ever() {
    let mut board = Board::normal(0, 0);
    let start = board.bench.now;
    let sent = frame(0x555, &[]);
    board.send(0, sent);
    let slot = bits_of(sent) - 9;
    // Active: frame to its slot, six bits of flag, eight of delimiter, three between frames.
    let active = (slot + 1 + 6 + 8 + 3) * BIT;
    for attempt in 0..16 {
        let fails = start + attempt * active + slot * BIT + SAMPLE;
        board.to(fails - 1);
        assert_eq!(board.read(ESR) >> 16, 8 * attempt as u32);
        board.bench.pass(1);
        assert_eq!(board.read(ESR) >> 16, 8 * (attempt as u32 + 1));
        assert_eq!(board.read(ESR) & 0x70, 0x30, "no acknowledgement");
        assert_eq!(board.read(TSR) & 0xFF, 1 << 3, "TERR0, and still waiting");
    }
    assert_eq!(board.read(ESR) & 7, 3, "warning and passive");
    // Passive: as long, and eight bits more; the counter stays.
    let passive = active + 8 * BIT;
    let second = start + 16 * active + 8 * BIT + slot * BIT + SAMPLE;
    board.to(second + 3 * passive);
    assert_eq!(board.read(ESR), 128 << 16 | 0x33);
    let errors = board.transfers();
    let times: Vec<u64> = errors.iter().map(|(at, _)| *at).collect();
    assert!(errors.iter().all(|(_, transfer)| *transfer == Transfer::CanError(CanError::Acknowledgement)));
    assert_eq!(times[15], second - passive);
    assert_eq!(times[16..], [second, second + passive, second + 2 * passive, second + 3 * passive]);
    let [gap] = board.bench.gaps(GapKind::Setting)[..] else { panic!("told once") };
    assert!(gap.contains("no other node") && gap.contains("can@can1"), "{gap}");
    // Given up while it is on the bus: after the attempt.
    board.bench.pass(40 * BIT);
    board.write(TSR, 1 << 7);
    assert_eq!(board.read(TSR) & 0xFF, 1 << 7 | 1 << 3);
    board.bench.pass(passive);
    assert_eq!((board.read(TSR) & 0xFF, board.read(TSR) >> 26 & 7), (1 | 1 << 3, 7));
    board.bench.pass(passive * 3);
    assert_eq!(board.transfers().len(), 1);
}

#[test]
fn without_retransmission_a_frame_is_tried_once() {
    let mut board = Board::normal(0, NART);
    board.write(IER, 1);
    let start = board.bench.now;
    board.send(2, frame(0x555, &[]));
    let slot = bits_of(frame(0x555, &[])) - 9;
    assert_eq!(board.bench.until_line(19, 100_000), Some(start + slot * BIT + SAMPLE));
    assert_eq!(board.read(TSR) >> 16 & 0xFF, 1 | 1 << 3);
    board.write(TSR, 1 << 16);
    assert!(!board.bench.bus.shared.interrupts.is_high(19));
    board.bench.pass(100_000);
    assert_eq!(board.transfers().len(), 1);
}

/// Reads the frames of a line's edges with the length of a bit, as `id#data`, by the rules of ISO 11898-1; of a frame that
/// ends in an error, `None`.
fn decode(edges: &[(u64, bool)], bit: u64) -> Vec<Option<String>> {
    let level = |at: u64| edges.iter().take_while(|(edge, _)| *edge <= at).last().is_none_or(|(_, high)| *high);
    let (mut frames, mut from) = (Vec::new(), 0);
    while let Some((start, _)) = edges.iter().find(|(at, high)| *at >= from && !high) {
        let sample = |place: u64| level(start + place * bit + bit * 3 / 4);
        let mut plain: Vec<bool> = Vec::new();
        let (mut place, mut run, mut last) = (0u64, 0, None);
        let mut next = |plain: &mut Vec<bool>| {
            let bit = sample(place);
            place += 1;
            if run == 5 {
                run = 1;
                let broken = last == Some(bit);
                last = Some(bit);
                return !broken;
            }
            run = if last == Some(bit) { run + 1 } else { 1 };
            last = Some(bit);
            plain.push(bit);
            true
        };
        let mut upto = |count: usize, plain: &mut Vec<bool>| {
            while plain.len() < count {
                if !next(plain) {
                    return false;
                }
            }
            true
        };
        let value = |bits: &[bool]| bits.iter().fold(0u64, |value, bit| value * 2 + u64::from(*bit));
        let mut whole = upto(14, &mut plain);
        let extended = whole && plain[13];
        let head = if extended { 39 } else { 19 };
        whole = whole && upto(head, &mut plain);
        let code = if whole { value(&plain[head - 4..head]).min(8) as usize } else { 0 };
        let remote = whole && plain[if extended { 32 } else { 12 }];
        let bytes = if remote { 0 } else { code };
        whole = whole && upto(head + 8 * bytes + 15, &mut plain);
        let mut rest = 0u32;
        for bit in &plain {
            let high = rest >> 14 & 1 != 0;
            rest = (rest << 1 | u32::from(*bit)) & 0x7FFF;
            if high {
                rest ^= 0x4599;
            }
        }
        // A stuff bit behind the checksum, its delimiter, the acknowledgement, its delimiter, seven bits.
        let stuffed = u64::from(run == 5);
        let tail: Vec<bool> = (0..10).map(|bit| sample(place + stuffed + bit)).collect();
        let fine = whole && rest == 0 && tail[0] && !tail[1] && tail[2..].iter().all(|bit| *bit);
        frames.push(fine.then(|| {
            let id = if extended { value(&plain[1..12]) << 18 | value(&plain[14..32]) } else { value(&plain[1..12]) };
            let data: String =
                (0..bytes).map(|byte| format!("{:02x}", value(&plain[head + 8 * byte..head + 8 * byte + 8]))).collect();
            format!("{id:x}{}#{}{data}", if extended { "x" } else { "" }, if remote { "R" } else { "" })
        }));
        // On after eleven recessive bits, as a node comes to the bus.
        let mut high = 0;
        let mut at = place;
        while high < 10 {
            high = if sample(at) { high + 1 } else { 0 };
            at += 1;
        }
        from = start + at * bit;
    }
    frames
}

#[test]
fn another_node_acknowledges_and_a_decoder_reads_the_pins() {
    let mut board = Board::normal(0, 0);
    board.attach("node", Node::default());
    let origin = board.bench.now;
    let mut random = Random(0x1234_5678);
    let mut expected = Vec::new();
    for _ in 0..40 {
        let mut sent = random.frame();
        sent.code = sent.code.min(8);
        board.send(0, sent);
        board.bench.pass(165 * BIT);
        let data: String = sent.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let marks = (if sent.extended { "x" } else { "" }, if sent.remote { "R" } else { "" });
        expected.push(Some(format!("{:x}{}#{}{data}", sent.id, marks.0, marks.1)));
        assert_eq!(board.read(TSR), 7 << 26 | 3);
        assert_eq!(board.node("node").heard.last().map(|(frame, own, _)| (*frame, *own)), Some((sent, false)));
    }
    assert_eq!(board.read(ESR), 0);
    let signals: Vec<_> = board.bench.bus.shared.signals.drain().collect();
    let edges = |number| -> Vec<(u64, bool)> {
        let on = |signal: &Signal| match signal {
            Signal::Pin { pin, high } if *pin == Pin { port: 0, number } => Some(*high),
            _ => None,
        };
        signals
            .iter()
            .filter_map(|(at, signal)| Some((at.get(), on(signal)?)))
            .filter(|(at, _)| *at >= origin)
            .collect()
    };
    assert_eq!(decode(&edges(11), BIT), expected, "the bus");
    // The node's own pin lacks the others' acknowledgement, and has nothing else in its place.
    let (mut sent, heard) = (edges(12), edges(11));
    assert!(decode(&sent, BIT).iter().all(Option::is_none));
    sent.retain(|edge| !heard.contains(edge));
    assert_eq!(sent, [], "all its edges are on the bus");
}

#[test]
fn the_lower_identifier_wins_and_the_loser_tries_again() {
    for nart in [0, NART] {
        let mut board = Board::normal(0, nart);
        // The node waits with its frame until the part's is on the bus, then both wait for its end.
        let theirs = frame(0x120, &[0xAA]);
        board.attach("node", Node { sends: [theirs].into(), ..Node::default() });
        let (first, second) = (frame(0x7FF, &[]), frame(0x123, &[1]));
        let start = board.bench.now;
        // Both at once: the part loses at the bit in which the identifiers differ.
        board.send(0, second);
        let lost = (0..20u64).find(|place| {
            let [one, other] = [theirs, second].map(|frame| cyclescope_peripherals::wires::can::bits(&frame).levels);
            one[*place as usize] != other[*place as usize]
        });
        let lost = start + lost.unwrap() * BIT + SAMPLE;
        board.to(lost - 1);
        assert_eq!(board.read(TSR) & 0xFF, 0);
        board.bench.pass(1);
        assert_eq!(board.read(TSR) & 0xFF, if nart != 0 { 1 | 1 << 2 } else { 1 << 2 }, "ALST0");
        assert_eq!(board.read(MSR) & 0x300, 0x200, "it receives since");
        // Valid at the last bit but one.
        let valid = start + (bits_of(theirs) - 2) * BIT + SAMPLE;
        board.to(valid - 1);
        assert_eq!(board.read(RF0R), 0);
        board.bench.pass(1);
        assert_eq!(board.take(0), Some((theirs, 0, 0)));
        assert_eq!(board.node("node").heard.iter().map(|heard| heard.1).collect::<Vec<_>>(), [true]);
        board.send(1, first);
        board.bench.pass(200 * BIT);
        let mut sent = vec![theirs, second, first];
        if nart != 0 {
            sent.remove(1);
        }
        let heard: Vec<CanFrame> = board.node("node").heard.iter().map(|heard| heard.0).collect();
        assert_eq!(heard, sent);
        if nart == 0 {
            let again = start + (bits_of(theirs) + 3) * BIT;
            let transfers = board.transfers();
            assert_eq!(transfers[1], (again + (bits_of(second) - 1) * BIT + SAMPLE, Transfer::CanFrame(second)));
        }
    }
}

#[test]
fn mailboxes_go_by_identifier_or_by_age_and_tell_who_is_last() {
    for (mode, order) in [(0, [0x100, 0x200, 0x300]), (TXFP, [0x200, 0x300, 0x100])] {
        let mut board = Board::normal(0, mode);
        board.attach("node", Node::default());
        board.write(TSR, u32::MAX);
        // None begins before all have been asked for.
        board.send(0, frame(0x200, &[]));
        board.send(1, frame(0x300, &[]));
        assert_eq!(board.read(TSR), 1 << 30 | 1 << 28 | 2 << 24);
        board.send(2, frame(0x100, &[]));
        let last = if mode == 0 { 1 } else { 2 };
        assert_eq!(board.read(TSR), 1 << (29 + last) | last << 24);
        board.bench.pass(300 * BIT);
        let heard: Vec<u32> = board.node("node").heard.iter().map(|heard| heard.0.id).collect();
        assert_eq!(heard, order);
        // One that is not on the bus yet is given up at once.
        board.send(0, frame(0x200, &[]));
        board.bench.pass(2 * BIT);
        board.send(1, frame(0x300, &[]));
        board.write(TSR, 1 << 15);
        assert_eq!(board.read(TSR) >> 8 & 0xFF, 1, "RQCP1 without TXOK1");
        board.bench.pass(300 * BIT);
        assert_eq!(board.node("node").heard.len(), 4);
    }
}

#[test]
fn fifos_hold_three_frames_and_the_last_or_the_newest_is_lost() {
    for locked in [false, true] {
        let mut board = Board::normal(LBKM | SILM, if locked { RFLM } else { 0 });
        board.write(IER, 0x7F);
        for id in 1..=5u32 {
            board.send(0, frame(id, &[id as u8]));
            board.bench.pass(100 * BIT);
            let count = id.min(3);
            let flags = if id > 2 { 1 << 3 } else { 0 } | if id > 3 { 1 << 4 } else { 0 };
            assert_eq!(board.read(RF0R), count | flags);
            assert!(board.bench.bus.shared.interrupts.is_high(20));
        }
        board.write(RF0R, 1 << 3 | 1 << 4);
        assert_eq!(board.read(RF0R), 3, "flags are cleared by ones");
        let ids: Vec<u32> = std::iter::from_fn(|| board.take(0)).map(|(frame, ..)| frame.id).collect();
        assert_eq!(ids, if locked { [1, 2, 3] } else { [1, 2, 5] });
        assert!(!board.bench.bus.shared.interrupts.is_high(20));
        board.write(RF0R, 1 << 5);
        assert_eq!(board.read(RF0R), 0, "an empty FIFO stays so");
    }
}

#[test]
fn time_stamps_count_bits_and_go_out_with_the_frame() {
    let mut board = Board::normal(LBKM | SILM, TTCM);
    board.bench.pass(1000 * BIT - 5);
    let mut sent = frame(0x10, &[0, 1, 2, 3, 4, 5, 6, 7]);
    let at = TIR;
    board.write(at + 4, 8 | 1 << 8);
    board.write(at + 8, 0x0302_0100);
    board.write(at + 12, 0x0706_0504);
    board.write(at, 0x10 << 21 | 1);
    board.bench.pass(200 * BIT);
    sent.data[6..].copy_from_slice(&1000u16.to_le_bytes());
    assert_eq!(board.take(0), Some((sent, 0, 1000)));
    assert_eq!(board.read(TIR + 4) >> 16, 1000);
    // 65,536 bits later it is the same again.
    board.bench.pass((65_536 - 200) * BIT);
    board.send(0, sent);
    board.bench.pass(200 * BIT);
    assert_eq!(board.take(0).map(|(.., time)| time), Some(1000));
}

#[test]
fn errors_lead_off_the_bus_and_128_pauses_back() {
    for automatic in [true, false] {
        let mut board = Board::normal(0, if automatic { ABOM } else { 0 });
        // The same identifier from both sides, with other data: neither can get through.
        let theirs = frame(0x123, &[0x0F]);
        board.attach("node", Node { sends: vec![theirs; 40].into(), ..Node::default() });
        board.write(IER, 1 << 15 | 7 << 8 | 1 << 11);
        board.send(0, frame(0x123, &[0xF0]));
        assert!(board.bench.until_line(22, 100_000).is_some());
        assert_eq!(board.read(ESR), 8 << 16 | 4 << 4, "a recessive bit was dominant");
        assert_eq!(board.read(MSR) & 4, 4, "ERRI");
        board.write(MSR, 4);
        let mut off = None;
        for _ in 0..100_000 {
            board.bench.pass(BIT / 4);
            if board.read(ESR) & 4 != 0 {
                off = Some(board.bench.now);
                break;
            }
        }
        let off = off.expect("bus off");
        assert_eq!(board.read(ESR) >> 16 & 0xFF, 0, "256: the ninth bit is not shown");
        let gap = board.bench.gaps(GapKind::Setting);
        assert!(gap.iter().any(|gap| gap.starts_with("node: ") && gap.contains("bus off")), "{gap:?}");
        if !automatic {
            board.bench.pass(5_000 * BIT);
            assert_eq!(board.read(ESR) & 4, 4, "it waits for the program");
            board.write(MCR, INRQ);
            board.write(MCR, 0);
        }
        let from = if automatic { off } else { board.bench.now };
        board.to(from + 127 * 11 * BIT);
        assert_eq!(board.read(ESR) & 4, 4);
        board.to(from + 130 * 11 * BIT + 20 * BIT);
        assert_eq!(board.read(ESR) & 0xFFFF_FF8F, 0, "back, with counters at 0");
        if automatic {
            // The other node has left the bus, so nobody acknowledges now.
            board.bench.pass(200 * BIT);
            assert_eq!(board.read(ESR) & 0x70, 3 << 4);
        }
    }
}

#[test]
fn a_node_at_another_rate_destroys_frames_and_is_named() {
    for (rate, follows) in [(500_000, true), (505_000, true), (250_000, false), (1_000_000, false), (125_000, false)] {
        let mut board = Board::normal(0, 0);
        board.attach("node", Node { rate: Some(rate), ..Node::default() });
        board.send(0, frame(0x555, &[1, 2, 3]));
        board.bench.pass(3_000 * BIT);
        let ok = board.read(TSR) & 3 == 3;
        assert_eq!(ok, follows, "{rate}");
        assert_eq!(board.node("node").heard.len(), usize::from(follows));
        let named =
            board.bench.gaps(GapKind::Setting).iter().any(|gap| gap.contains(&format!("it runs at {rate} bit/s")));
        assert_eq!(named, !follows);
        if !follows {
            assert_ne!(board.read(ESR) & 0x70, 0);
        }
    }
}

#[test]
fn a_listener_only_listens() {
    // The part listens; one node sends, another acknowledges.
    let mut board = Board::normal(SILM, 0);
    let sent = frame(0x42, &[9]);
    board.attach("sends", Node { sends: [sent].into(), ..Node::default() });
    board.attach("hears", Node::default());
    board.send(0, frame(1, &[]));
    board.bench.pass(400 * BIT);
    assert_eq!(board.take(0).map(|(frame, ..)| frame), Some(sent));
    assert_eq!(board.read(TSR) >> 26 & 1, 0, "its own request waits");
    assert_eq!(board.node("hears").heard.len(), 1);
    assert_eq!(board.bench.edges(0, 12), []);
    // Alone with the sender it sees frames that end in errors until the sender is passive, then whole ones.
    let mut board = Board::normal(SILM, 0);
    board.attach("sends", Node { sends: [sent].into(), ..Node::default() });
    board.bench.pass(100 * BIT);
    assert_eq!(board.read(ESR), 1 << 24 | 2 << 4, "a form error");
    board.bench.pass(16 * 80 * BIT);
    assert_eq!(board.take(0).map(|(frame, ..)| frame), Some(sent));
    assert_eq!(board.node("sends").heard.len(), 0, "and for its sender it has not gone");
}

#[test]
fn a_frame_on_the_bus_wakes_a_sleeper() {
    for automatic in [false, true] {
        let mut board = Board::normal(0, if automatic { AWUM } else { 0 });
        let sent = frame(0x77, &[]);
        let us = 1_000_000;
        board.attach("node", Node { later: Some((100 * us, sent)), ..Node::default() });
        board.write(IER, 1 << 16);
        board.write(MCR, SLEEP | if automatic { AWUM } else { 0 });
        assert_eq!(board.read(MSR) & 0x1B, 2);
        let now = board.bench.now;
        let woken = board.bench.until_line(22, 100_000).expect("WKUI");
        assert!((7_100..7_300).contains(&(woken - now)), "{}", woken - now);
        assert_eq!(board.read(MSR) & 0xB, 8 | 2);
        assert_eq!(board.read(MCR) & SLEEP, if automatic { 0 } else { SLEEP });
        board.write(MSR, 8);
        board.bench.pass(11 * BIT);
        if !automatic {
            assert_eq!(board.read(MSR) & 3, 2);
            board.write(MCR, 0);
            board.bench.pass(11 * BIT);
        }
        assert_eq!(board.read(MSR) & 3, 0);
        // Nobody acknowledged it: the node sends it again.
        board.bench.pass(100 * BIT);
        assert_eq!(board.take(0).map(|(frame, ..)| frame), Some(sent));
    }
}

#[test]
fn two_nodes_share_28_banks() {
    let mut bench = f446_clocks::fast();
    // PB12 and PB13: CAN2.
    bench.write(0x4002_0424, 0x0099_0000);
    bench.write(0x4002_0400, 0x0A00_0000);
    let mut board = Board { bench, base: CAN2 };
    board.write(MCR, INRQ);
    board.write(BTR, AT_500K | LBKM | SILM);
    board.base = CAN1;
    // Banks 0 to 4 are the first's; bank 5 in list mode, one of 16 bits each; FIFO 1.
    board.write(FMR, 5 << 8 | 1);
    board.write(FM1R, 1 << 5);
    board.write(FFA1R, 1 << 5);
    board.write(FS1R, 1);
    board.write(FA1R, 1 | 1 << 5);
    board.write(FR + 5 * 8, 0x123 << 5 | 0x124 << 21);
    board.write(FR + 5 * 8 + 4, 0x125 << 5 | 0x126 << 21);
    board.write(FMR, 5 << 8);
    board.base = CAN2;
    board.write(FA1R, 0);
    board.write(MCR, 0);
    board.bench.pass(100_000);
    for id in [0x125, 0x127] {
        board.send(0, frame(id, &[]));
        board.bench.pass(100_000);
    }
    assert_eq!(board.read(RF1R), 1);
    assert_eq!(board.take(1), Some((frame(0x125, &[]), 2, 0)));
    board.base = CAN1;
    assert_eq!(board.read(FA1R), 0x21, "the second has none to write");
}

/// The generator of Marsaglia 2003 (xorshift64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn of(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    fn frame(&mut self) -> CanFrame {
        let extended = self.of(2) == 0;
        let id = self.next() as u32 & if extended { 0x1FFF_FFFF } else { 0x7FF };
        let remote = self.of(5) == 0;
        let mut frame = CanFrame { id, extended, remote, code: self.of(9) as u8, data: [0; 8] };
        if !remote {
            let data = [self.next(), 0, u64::MAX][self.of(3) as usize].to_le_bytes();
            let bytes = usize::from(frame.code);
            frame.data[..bytes].copy_from_slice(&data[..bytes]);
        }
        frame
    }
}

#[test]
fn another_bus_clock_in_the_middle_of_a_frame_stretches_the_rest() {
    let mut board = Board::normal(LBKM | SILM, 0);
    let start = board.bench.now;
    let sent = frame(0x555, &[7; 8]);
    board.send(0, sent);
    board.to(start + 10 * BIT);
    // PCLK1 from 36 to 18 MHz.
    board.bench.write(f103_clocks::CFGR, 7 << 18 | 1 << 16 | 5 << 8 | 2);
    let end = start + 10 * BIT + 2 * ((bits_of(sent) - 1 - 10) * BIT + SAMPLE);
    board.to(end - 1);
    assert_eq!(board.read(TSR) & 3, 0);
    board.bench.pass(1);
    assert_eq!(board.read(TSR) & 3, 3);
}

#[test]
fn a_falling_edge_at_rx_wakes_a_sleeper() {
    let mut board = Board::normal(0, 0);
    board.write(MCR, SLEEP);
    board.bench.set_pin(50, 0, 11, Some(false));
    board.bench.pass(49);
    assert_eq!(board.read(MSR) & 8, 0);
    board.bench.pass(1);
    assert_eq!(board.read(MSR) & 8, 8, "WKUI");
}
