//! FDCAN of STM32G0 and G4 (RM0444, RM0440, "FD controller area network (FDCAN)") with classic frames, alone and with nodes on its bus.

use cyclescope_chips::MemorySetting;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Attachment, CanFrame, GapKind, Pin, Wire};

use crate::bench::Bench;
use crate::can::Node;

const FDCAN: u32 = 0x4000_6400;
const RAM: u32 = 0x4000_B400;

const TEST: u32 = 0x10;
const CCCR: u32 = 0x18;
const NBTP: u32 = 0x1C;
const TSCC: u32 = 0x20;
const TSCV: u32 = 0x24;
const ECR: u32 = 0x40;
const PSR: u32 = 0x44;
const IR: u32 = 0x50;
const IE: u32 = 0x54;
const ILS: u32 = 0x58;
const ILE: u32 = 0x5C;
const RXGFC: u32 = 0x80;
const XIDAM: u32 = 0x84;
const HPMS: u32 = 0x88;
const RXFS: [u32; 2] = [0x90, 0x98];
const RXFA: [u32; 2] = [0x94, 0x9C];
const TXBC: u32 = 0xC0;
const TXFQS: u32 = 0xC4;
const TXBRP: u32 = 0xC8;
const TXBAR: u32 = 0xCC;
const TXBCR: u32 = 0xD0;
const TXBTO: u32 = 0xD4;
const TXBCF: u32 = 0xD8;
const TXBTIE: u32 = 0xDC;
const TXBCIE: u32 = 0xE0;
const TXEFS: u32 = 0xE4;
const TXEFA: u32 = 0xE8;

const INIT: u32 = 1;
const CCE: u32 = 2;
const MON: u32 = 1 << 5;
const DAR: u32 = 1 << 6;
const TESTS: u32 = 1 << 7;
const LBCK: u32 = 1 << 4;

const TC: u32 = 1 << 7;
const TCF: u32 = 1 << 8;
const TFE: u32 = 1 << 9;
const TEFN: u32 = 1 << 10;
const PEA: u32 = 1 << 21;

/// 32 quanta of 16 MHz: 500 kbit/s, sampled after 25.
const AT_500K: u32 = 3 << 25 | 23 << 8 | 6;
const BIT: u64 = 32;
const SAMPLE: u64 = 25;

struct Board {
    bench: Bench,
}

impl Board {
    /// A G0B1 at 16 MHz with FDCAN1 at PA11 and PA12, open for settings.
    fn new() -> Self {
        let mut bench = Bench::of("stm32g0b1re", MemorySetting::Equal);
        bench.write(0x4002_1034, 1);
        bench.write(0x4002_103C, 1 << 12);
        bench.write(0x5000_0024, 0x0003_3000);
        bench.write(0x5000_0000, 0xEABF_FFFF);
        let mut board = Self { bench };
        assert_eq!((board.read(CCCR), board.read(NBTP), board.read(PSR)), (INIT, 0x0600_0A03, 0x707));
        board.write(NBTP, AT_500K);
        assert_eq!(board.read(NBTP), 0x0600_0A03, "not without CCE");
        board.write(CCCR, INIT | CCE);
        board.write(NBTP, AT_500K);
        assert_eq!(board.read(NBTP), AT_500K);
        board
    }

    /// The same that hears only itself, or what is on its bus.
    fn running(loops: bool) -> Self {
        let mut board = Self::new();
        board.join(if loops { TESTS | MON } else { 0 });
        board
    }

    fn join(&mut self, cccr: u32) {
        self.write(CCCR, INIT | CCE);
        self.write(CCCR, INIT | CCE | cccr);
        if cccr & TESTS != 0 {
            self.write(TEST, LBCK);
        }
        self.write(CCCR, cccr);
        self.bench.pass(11 * BIT - 1);
        assert_eq!(self.read(PSR) >> 3 & 3, 0, "it waits for eleven bits");
        self.bench.pass(1);
        assert_eq!(self.read(PSR) >> 3 & 3, 1, "idle");
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
        self.bench.read(FDCAN + offset)
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.bench.write(FDCAN + offset, value);
    }

    /// Asks for `frame` in buffer `number`, with the marker `number` and an event.
    fn send(&mut self, number: u32, frame: CanFrame) {
        let at = RAM + 0x278 + 72 * number;
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        let id = if frame.extended { frame.id | 1 << 30 } else { frame.id << 18 };
        let second = number << 24 | 1 << 23 | u32::from(frame.code) << 16;
        let words = [id | u32::from(frame.remote) << 29, second, word(&frame.data[..4]), word(&frame.data[4..])];
        for (offset, word) in (0..).step_by(4).zip(words) {
            self.bench.write(at + offset, word);
        }
        self.write(TXBAR, 1 << number);
    }

    /// Takes the oldest frame of FIFO `number`, with the upper bits of its second word: filter and its time.
    fn take(&mut self, number: usize) -> Option<(CanFrame, u32, u16)> {
        let status = self.read(RXFS[number]);
        if status & 15 == 0 {
            return None;
        }
        let index = status >> 8 & 3;
        let at = RAM + [0xB0, 0x188][number] + 72 * index;
        let [first, second, low, high] = [0, 4, 8, 12].map(|offset| self.bench.read(at + offset));
        let mut frame = CanFrame::new(0, &[]);
        (frame.extended, frame.remote) = (first >> 30 & 1 != 0, first >> 29 & 1 != 0);
        frame.id = if frame.extended { first & 0x1FFF_FFFF } else { first >> 18 & 0x7FF };
        frame.code = (second >> 16 & 15) as u8;
        frame.data[..4].copy_from_slice(&low.to_le_bytes());
        frame.data[4..].copy_from_slice(&high.to_le_bytes());
        self.write(RXFA[number], index);
        Some((frame, second >> 24, second as u16))
    }

    /// Sends `frame` to itself and lets it arrive.
    fn hear(&mut self, frame: CanFrame) {
        let number = self.read(TXFQS) >> 16 & 3;
        self.send(number, frame);
        self.bench.pass(200 * BIT);
        assert_eq!(self.read(TXBRP), 0);
    }
}

fn frame(id: u32, data: &[u8]) -> CanFrame {
    CanFrame::new(id, data)
}

fn extended(id: u32) -> CanFrame {
    CanFrame { id, extended: true, ..frame(0, &[7]) }
}

fn bits_of(frame: CanFrame) -> u64 {
    cyclescope_peripherals::wires::can::bits(&frame).levels.len() as u64
}

#[test]
fn a_loopback_receives_its_own_frame_at_the_last_bits_sample_point() {
    let mut board = Board::new();
    board.write(TSCC, 1);
    board.write(TXBTIE, 7);
    board.join(TESTS | MON);
    board.write(IE, u32::MAX);
    board.write(ILS, 1);
    board.write(ILE, 3);
    let origin = board.bench.now;
    board.bench.edges(0, 12);
    board.bench.pass(10);
    let sent = frame(0x123, &[1, 2, 3]);
    board.send(0, sent);
    assert_eq!((board.read(TXBRP), board.read(TXFQS)), (1, 2 | 1 << 16), "two are free, the second is next");
    let end = origin + BIT + (bits_of(sent) - 1) * BIT + SAMPLE;
    board.bench.pass(end - 1 - board.bench.now);
    assert_eq!((board.read(PSR) >> 3 & 3, board.read(RXFS[0])), (3, 0), "it sends");
    board.bench.pass(1);
    assert_eq!(board.read(IR), 1 | TC | TFE | TEFN);
    let high = |board: &Board, line| board.bench.bus.shared.interrupts.is_high(line);
    assert!(high(&board, 21) && high(&board, 22), "the FIFO's interrupt is the second line's");
    board.write(IR, 1);
    assert!(high(&board, 21) && !high(&board, 22));
    board.write(IR, u32::MAX);
    assert!(!high(&board, 21));
    assert_eq!((board.read(TXBRP), board.read(TXBTO), board.read(TXFQS)), (0, 1, 3 | 1 << 8 | 1 << 16));
    // Eleven bits before it took part and one of waiting have gone by at its start.
    let (heard, filter, time) = board.take(0).unwrap();
    assert_eq!((heard, filter, time), (sent, 0x80, 1), "no filter has let it in");
    assert_eq!((board.read(TXEFS), board.bench.read(RAM + 0x260), board.bench.read(RAM + 0x264)), {
        (1 | 1 << 16, 0x123 << 18, 1 << 22 | 3 << 16 | 1)
    });
    board.write(TXEFA, 0);
    assert_eq!(board.read(TXEFS), 1 << 8 | 1 << 16);
    assert_eq!(u64::from(board.read(TSCV)), (board.bench.now - origin) / BIT);
    assert_eq!(board.bench.edges(0, 12), [], "an internal loopback leaves the pin alone");
    assert_eq!(board.bench.gaps(GapKind::Setting), [""; 0]);
}

#[test]
fn filters_choose_fifos_reject_and_give_priority() {
    let mut board = Board::new();
    // Range to FIFO 0, two identifiers to FIFO 1, a mask that rejects, a priority without FIFO, one with FIFO 1; the rest is rejected.
    let standard = [
        1 << 27 | 0x100 << 16 | 0x10F,
        1 << 30 | 2 << 27 | 0x200 << 16 | 0x300,
        2 << 30 | 3 << 27 | 0x400 << 16 | 0x7F0,
        1 << 30 | 4 << 27 | 0x500 << 16 | 0x500,
        1 << 30 | 6 << 27 | 0x501 << 16 | 0x501,
        3 << 30 | 1 << 27 | 0x7FF,
    ];
    for (index, word) in (0..).zip(standard) {
        board.bench.write(RAM + 4 * index, word);
    }
    // A range under XIDAM, the same without it, a mask.
    let extended_filters = [(0x1000, 0x1FFF, 0, 1), (0x100_1000, 0x100_1FFF, 3, 2), (0x5000, 0xF000, 2, 1)];
    for (index, (first, second, kind, action)) in (0..).zip(extended_filters) {
        board.bench.write(RAM + 0x70 + 8 * index, action << 29 | first);
        board.bench.write(RAM + 0x74 + 8 * index, kind << 30 | second);
    }
    board.write(XIDAM, 0xFFFF);
    board.write(RXGFC, 3 << 24 | 6 << 16 | 2 << 4 | 2 << 2 | 1 << 1);
    board.join(TESTS | MON);
    let cases = [
        (frame(0x0FF, &[1]), None),
        (frame(0x100, &[1]), Some((0, 0))),
        (frame(0x10F, &[1]), Some((0, 0))),
        (frame(0x110, &[1]), None),
        (frame(0x200, &[1]), Some((1, 1))),
        (frame(0x300, &[1]), Some((1, 1))),
        (frame(0x40A, &[1]), None),
        (frame(0x500, &[1]), None),
        (frame(0x501, &[1]), Some((1, 4))),
        (frame(0x7FF, &[1]), None),
        (CanFrame { remote: true, ..frame(0x100, &[]) }, None),
        (extended(0x1234), Some((0, 0))),
        (extended(0xABC_1234), Some((0, 0))),
        (extended(0x2000), None),
        (extended(0x5432), Some((0, 2))),
    ];
    for (sent, expected) in cases {
        board.hear(sent);
        let found = [0, 1].map(|number| board.take(number).map(|(heard, filter, _)| (heard, number, filter)));
        let found: Vec<_> = found.into_iter().flatten().collect();
        let expected: Vec<_> = expected.into_iter().map(|(number, filter)| (sent, number, filter)).collect();
        assert_eq!(found, expected);
    }
    assert_eq!(board.read(IR) & 1 << 6, 1 << 6, "HPM");
    board.hear(frame(0x501, &[]));
    assert_eq!(board.read(HPMS), 4 << 8 | 3 << 6 | board.read(RXFS[1]) >> 8 & 3);
    board.hear(frame(0x500, &[]));
    assert_eq!(board.read(HPMS), 3 << 8);
}

#[test]
fn a_fifo_of_three_loses_the_newest_or_the_oldest() {
    for overwrites in [false, true] {
        let mut board = Board::new();
        board.write(RXGFC, u32::from(overwrites) << 9);
        board.join(TESTS | MON);
        (1..=4).for_each(|id| board.hear(frame(id, &[])));
        let lost = board.read(IR) & 7;
        let status = board.read(RXFS[0]);
        let ids: Vec<u32> = std::iter::from_fn(|| board.take(0).map(|(heard, ..)| heard.id)).collect();
        if overwrites {
            assert_eq!((lost, status, ids), (3, 3 | 1 << 8 | 1 << 16 | 1 << 24, vec![2, 3, 4]));
        } else {
            assert_eq!((lost, status, ids), (7, 3 | 3 << 24, vec![1, 2, 3]));
        }
        // An acknowledgement of a later element frees those before it.
        (5..=7).for_each(|id| board.hear(frame(id, &[])));
        let get = board.read(RXFS[0]) >> 8 & 3;
        board.write(RXFA[0], (get + 1) % 3);
        assert_eq!(board.take(0).map(|(heard, ..)| heard.id), Some(7));
    }
}

#[test]
fn buffers_go_in_the_order_of_requests_or_of_identifiers() {
    for (queue, expected) in [(0, [0x300, 0x100, 0x200]), (1 << 24, [0x100, 0x200, 0x300])] {
        let mut board = Board::new();
        board.write(TXBC, queue);
        board.join(TESTS | MON);
        for (number, id) in [(0, 0x300), (1, 0x100), (2, 0x200)] {
            board.send(number, frame(id, &[]));
        }
        let full = board.read(TXFQS);
        assert_eq!(full, 1 << 21, "full");
        board.bench.pass(500 * BIT);
        let ids: Vec<u32> = std::iter::from_fn(|| board.take(0).map(|(heard, ..)| heard.id)).collect();
        assert_eq!(ids, expected);
        assert_eq!(board.read(TXBTO), 7);
    }
}

#[test]
fn requests_are_cancelled_before_or_after_their_attempt() {
    let mut board = Board::new();
    board.write(TXBCIE, 7);
    board.join(0);
    board.send(0, frame(0x555, &[]));
    board.send(1, frame(0x666, &[]));
    board.bench.pass(4 * BIT);
    board.write(TXBCR, 3);
    assert_eq!((board.read(TXBRP), board.read(TXBCF), board.read(IR) & TCF), (1, 2, TCF), "the first is under way");
    board.bench.pass(100 * BIT);
    assert_eq!((board.read(TXBRP), board.read(TXBCF), board.read(TXBTO)), (0, 3, 0));
    // DAR: one attempt.
    board.write(CCCR, INIT);
    board.bench.pass(100 * BIT);
    board.join(DAR);
    board.send(0, frame(0x555, &[]));
    board.bench.pass(200 * BIT);
    assert_eq!((board.read(TXBRP), board.read(TXBCF)), (0, 1));
    assert_eq!(board.read(ECR) & 0xFF, 16, "two errors of eight");
}

#[test]
fn nobody_acknowledges_so_that_the_node_becomes_passive() {
    let mut board = Board::running(false);
    let start = board.bench.now;
    let sent = frame(0x555, &[]);
    board.send(0, sent);
    let slot = bits_of(sent) - 9;
    let active = (slot + 1 + 6 + 8 + 3) * BIT;
    for attempt in 0..16 {
        let fails = start + attempt * active + slot * BIT + SAMPLE;
        board.bench.pass(fails - 1 - board.bench.now);
        assert_eq!(u64::from(board.read(ECR) & 0xFF), 8 * attempt);
        board.bench.pass(1);
        assert_eq!(board.read(PSR) & 7, 3, "no acknowledgement");
        assert_eq!(board.read(PSR) & 7, 7, "a read gives the code up");
    }
    assert_eq!(board.read(PSR) >> 5 & 7, 3, "passive, warning");
    assert_eq!(board.read(IR), PEA | 3 << 17);
    let [gap] = board.bench.gaps(GapKind::Setting)[..] else { panic!("told once") };
    assert!(gap.contains("no other node"), "{gap}");
}

#[test]
fn nodes_exchange_frames_and_the_lowest_identifier_wins() {
    let mut board = Board::running(false);
    let theirs = [frame(0x100, &[1]), frame(0x400, &[2])];
    board.attach("other", Node { sends: theirs.into(), ..Node::default() });
    board.send(0, frame(0x200, &[9, 8]));
    board.bench.pass(600 * BIT);
    let heard: Vec<u32> = board.node("other").heard.iter().map(|(frame, ..)| frame.id).collect();
    assert_eq!(heard, [0x100, 0x200, 0x400]);
    let ours: Vec<_> = std::iter::from_fn(|| board.take(0).map(|(heard, ..)| heard)).collect();
    assert_eq!(ours, theirs);
    assert_eq!((board.read(TXBTO), board.read(ECR), board.read(PSR) & 7), (1, 0, 0));
    assert!(board.bench.edges(0, 12).len() > 20, "the pin shows it");
    // One that only listens acknowledges nothing.
    board.write(CCCR, INIT);
    board.bench.pass(100 * BIT);
    board.join(MON);
    board.attach("third", Node { sends: [frame(0x123, &[])].into(), deaf: true, ..Node::default() });
    board.bench.pass(200 * BIT);
    assert_eq!(board.take(0).map(|(heard, ..)| heard.id), Some(0x123), "the other one acknowledged it");
    board.send(1, frame(1, &[]));
    board.bench.pass(200 * BIT);
    assert_eq!(board.read(TXBRP), 2, "it sends nothing");
}

#[test]
fn restricted_operation_acknowledges_and_sends_nothing() {
    const ASM: u32 = 1 << 2;
    let mut board = Board::new();
    board.join(ASM);
    board.attach("other", Node { sends: [frame(0x100, &[1])].into(), deaf: true, ..Node::default() });
    board.send(0, frame(0x080, &[]));
    board.bench.pass(200 * BIT);
    assert_eq!(board.take(0).map(|(heard, ..)| heard.id), Some(0x100));
    assert_eq!(board.node("other").heard.len(), 1, "the node alone has acknowledged it");
    assert_eq!((board.read(TXBRP), board.read(ECR)), (1, 0));
}

#[test]
fn a_node_that_leaves_the_bus_waits_for_software_and_for_129_times_eleven_bits() {
    let mut board = Board::running(false);
    board.attach("slow", Node { rate: Some(250_000), ..Node::default() });
    board.send(0, frame(0x555, &[0; 8]));
    let mut waited = 0;
    while board.read(CCCR) & INIT == 0 {
        board.bench.pass(BIT);
        waited += 1;
        assert!(waited < 20_000, "bus off");
    }
    assert_eq!((board.read(PSR) >> 7 & 1, board.read(IR) >> 19 & 1), (1, 1));
    board.bench.pass(200 * BIT);
    assert_eq!(board.read(PSR) >> 3 & 3, 0);
    board.write(TXBCR, 1);
    board.write(CCCR, 0);
    board.bench.pass(129 * 11 * BIT - 1);
    assert_eq!(board.read(PSR) >> 7 & 1, 1);
    board.bench.pass(1);
    assert_eq!((board.read(PSR) >> 7 & 1, board.read(ECR) & 0xFFFF), (0, 0));
}

#[test]
fn what_frames_of_a_flexible_rate_need_is_named() {
    let mut board = Board::new();
    board.write(CCCR, INIT | CCE | 3 << 8 | 1 << 2);
    let named = board.bench.gaps(GapKind::RegisterWrite).into_iter().filter(|name| name.starts_with("FDCAN"));
    assert_eq!(named.collect::<Vec<_>>(), ["FDCAN1_CCCR.FDOE", "FDCAN1_CCCR.BRSE"]);
    // Each node has a RAM of its own.
    board.bench.write(RAM + 0x34C, 0x1234);
    board.bench.write(RAM + 0x350, 0x5678);
    assert_eq!((board.bench.read(RAM + 0x34C), board.bench.read(RAM + 0x350)), (0x1234, 0x5678));
}
