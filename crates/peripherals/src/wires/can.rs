//! Frames on CAN, bit by bit (ISO 11898-1:2015; BOSCH CAN Specification 2.0), without time: a bus carries one frame or its
//! error frame at a time, and all that happens to it is known when it begins.
//!
//! `true` is recessive, `false` dominant, as at the pins of a transceiver.

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{CanError, CanFrame};

use super::outside::{Hung, Outside, Route};

/// The bits from a frame's acknowledgement slot to its end: slot, delimiter, and the end of frame.
const TAIL: usize = 9;
/// The recessive bits behind an error flag, and behind a whole frame's or an error frame's end.
const DELIMITER: usize = 8;
/// The bits between two frames.
pub const INTERMISSION: usize = 3;
/// The bits that an error-passive sender waits longer.
pub const SUSPEND: usize = 8;
/// The recessive bits in a row after which a node takes part, and of which a node that is off counts 128 times as many.
pub const IDLE: usize = 11;

/// The errors that a node has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// While it sent.
    pub transmit: u16,
    /// While it received.
    pub receive: u16,
}

impl Counters {
    /// True if the node no longer destroys frames in which it finds an error.
    pub const fn is_passive(self) -> bool {
        self.transmit > 127 || self.receive > 127
    }

    /// True if the node has left the bus.
    pub const fn is_off(self) -> bool {
        self.transmit > 255
    }

    /// A frame has gone out.
    pub const fn sent(&mut self) {
        self.transmit = self.transmit.saturating_sub(1);
    }

    /// A frame has come in (RM0008, CAN_ESR.REC: back to 120 from above 128).
    pub const fn received(&mut self) {
        self.receive = if self.receive > 127 { 120 } else { self.receive.saturating_sub(1) };
    }

    /// An error has ended a frame that the node sent. A passive node does not count missing acknowledgements.
    pub const fn failed(&mut self, error: CanError) {
        if !(self.is_passive() && matches!(error, CanError::Acknowledgement)) {
            self.transmit += 8;
        }
    }

    /// An error has ended a frame that the node received.
    pub const fn missed(&mut self) {
        if self.receive < 255 {
            self.receive += 1;
        }
    }
}

/// The bits of a frame.
#[derive(Clone, Debug)]
pub struct Bits {
    /// From its start to its end, as its sender sends them.
    pub levels: Vec<bool>,
    /// The end of those in which its sender may lose to another.
    pub arbitration: usize,
}

/// Returns the bits of `frame`: start of frame, identifier, control, data, checksum, all with stuff bits, then delimiters,
/// acknowledgement slot and end of frame.
pub fn bits(frame: &CanFrame) -> Bits {
    let mut plain = Vec::with_capacity(160);
    let mut put = |value: u64, count: u32| plain.extend((0..count).rev().map(|bit| value >> bit & 1 != 0));
    put(0, 1);
    let arbitration = if frame.extended {
        put(u64::from(frame.id >> 18), 11);
        put(0b11, 2);
        put(u64::from(frame.id), 18);
        put(frame.remote.into(), 1);
        put(0, 2);
        33
    } else {
        put(frame.id.into(), 11);
        put(frame.remote.into(), 1);
        put(0, 2);
        13
    };
    put(frame.code.into(), 4);
    frame.bytes().iter().for_each(|byte| put((*byte).into(), 8));
    let sum = checksum(&plain);
    plain.extend((0..15).rev().map(|bit| sum >> bit & 1 != 0));

    let mut levels = Vec::with_capacity(160);
    let (mut run, mut end) = (0, 0);
    for (index, bit) in plain.into_iter().enumerate() {
        run = if levels.last() == Some(&bit) { run + 1 } else { 1 };
        levels.push(bit);
        if index + 1 == arbitration {
            end = levels.len();
        }
        if run == 5 {
            levels.push(!bit);
            run = 1;
        }
    }
    levels.extend([true; TAIL + 1]);
    Bits { levels, arbitration: end }
}

/// The checksum of a frame's bits without stuff bits: x^15 + x^14 + x^10 + x^8 + x^7 + x^4 + x^3 + 1.
fn checksum(bits: &[bool]) -> u16 {
    bits.iter().fold(0, |sum, bit| {
        let carries = (sum >> 14 & 1 != 0) != *bit;
        (sum << 1 & 0x7FFF) ^ if carries { 0x4599 } else { 0 }
    })
}

/// A node that sends.
#[derive(Clone, Copy, Debug)]
pub struct Sender {
    /// Its frame.
    pub frame: CanFrame,
    /// True if it is error-passive.
    pub passive: bool,
}

/// The others on the bus while a frame begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Others {
    /// Somebody would acknowledge the frame of the sender of that index: a node that sends may lose and acknowledge then.
    pub acknowledge: bool,
    /// Somebody would destroy a frame in which it finds an error.
    pub active: bool,
    /// The bit at which a node that runs at another rate destroys the frame.
    pub disturbed: Option<usize>,
}

/// The share of one sender in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// The frame is its own.
    Whole,
    /// It lost to another at the bit, and receives since.
    Lost(usize),
    /// It found an error at the bit.
    Failed(CanError, usize),
}

/// A frame on the bus, from its start to its end or to the end of its error frame.
#[derive(Clone, Debug)]
pub struct Course {
    /// The frame.
    pub frame: CanFrame,
    /// The levels on the bus; the intermission follows.
    pub levels: Vec<bool>,
    /// The shares of the senders, in their order.
    pub shares: Vec<Share>,
    /// The error that ended it, as its receivers see it, and the bit at which they do.
    pub error: Option<(CanError, usize)>,
    /// The sender whose frame it is.
    pub sender: usize,
    /// The bit in which receivers acknowledge.
    pub slot: usize,
}

/// Works out the frame that `senders`, at least one, begin together.
pub fn course(senders: &[Sender], others: Others) -> Option<Course> {
    let frames: Vec<Bits> = senders.iter().map(|sender| bits(&sender.frame)).collect();
    let mut shares = vec![Share::Whole; senders.len()];
    let mut collision = None;
    let longest = frames.iter().map(|frame| frame.levels.len()).max()?;
    for place in 0..longest {
        let alive = |shares: &[Share], index: usize| shares[index] == Share::Whole;
        let level = |index: usize| frames[index].levels.get(place).copied().unwrap_or(true);
        let dominant = (0..senders.len()).any(|index| alive(&shares, index) && !level(index));
        for index in (0..senders.len()).filter(|_| dominant) {
            if alive(&shares, index) && level(index) {
                let arbitrates = place < frames[index].arbitration;
                shares[index] = if arbitrates { Share::Lost(place) } else { Share::Failed(CanError::Recessive, place) };
                if !arbitrates {
                    collision.get_or_insert(place);
                }
            }
        }
        if collision.is_some() {
            break;
        }
    }
    let sender = shares.iter().position(|share| *share == Share::Whole)?;
    let own = &frames[sender];
    let mut levels = own.levels.clone();
    let slot = levels.len() - TAIL;
    let acknowledged = others.acknowledge || shares.iter().any(|share| matches!(share, Share::Lost(_)));
    levels[slot] = !acknowledged;
    // The first recessive bit from a place on is the one that another's flag makes an error of.
    let next_recessive = |from: usize| (from..slot).find(|place| own.levels[*place]).unwrap_or(slot + 1);
    let disturbed = others.disturbed.map(|place| place.clamp(1, slot + 1));
    let (error, place, last_before_flag) = match (collision, disturbed) {
        (Some(place), _) => (CanError::Recessive, next_recessive(place + 1), place),
        (None, Some(place)) => {
            let hit = next_recessive(place);
            if hit < own.arbitration {
                // What looks like another sender ends in six dominant bits.
                shares[sender] = Share::Lost(hit);
                (CanError::Stuff, hit + 5, place - 1)
            } else {
                (if hit > slot { CanError::Form } else { CanError::Recessive }, hit, place - 1)
            }
        }
        (None, None) if !acknowledged => (CanError::Acknowledgement, slot, slot),
        _ => {
            let frame = senders[sender].frame;
            return Some(Course { frame, levels, shares, error: None, sender, slot });
        }
    };
    for share in shares.iter_mut().filter(|share| **share == Share::Whole) {
        *share = Share::Failed(error, place);
    }
    let active = disturbed.is_some() || senders.iter().any(|sender| !sender.passive);
    levels.truncate(last_before_flag + 1);
    let shown = error_flag(&mut levels, active, others.active, error);
    let error = match error {
        // A passive sender's flag is as recessive as the end of a frame: its receivers see a whole one.
        CanError::Acknowledgement if !shown => {
            levels.resize(levels.len().max(own.levels.len()), true);
            None
        }
        CanError::Acknowledgement => Some((CanError::Form, slot + 1)),
        _ => Some((CanError::Stuff, (place + 6).min(levels.len() - DELIMITER))),
    };
    Some(Course { frame: senders[sender].frame, levels, shares, error, sender, slot })
}

/// Puts an error flag and its delimiter behind `levels`; `active` if it is dominant, `others` if receivers answer with a
/// flag of their own. Returns `true` if a dominant bit shows it.
fn error_flag(levels: &mut Vec<bool>, active: bool, others: bool, error: CanError) -> bool {
    if !active && (!others || error == CanError::Acknowledgement) {
        levels.extend([true; 6 + DELIMITER]);
        return false;
    }
    if !active {
        // Six recessive bits in a row, to which the active ones answer.
        levels.extend([true; 6]);
        levels.extend([false; 6]);
    } else {
        // Others see it when it breaks the rule of stuffing, or at once where a form is fixed, and send a flag of their own.
        let run = levels.iter().rev().take_while(|bit| !**bit).count().min(5);
        let late = if error == CanError::Acknowledgement { 1 } else { 6 - run };
        levels.resize(levels.len() + 6 + if others { late } else { 0 }, false);
    }
    levels.extend([true; DELIMITER]);
    true
}

/// Returns the bit of a frame at which a node breaks the rule of stuffing that samples every `theirs` picoseconds bits of
/// `ours` picoseconds: it begins anew at each falling edge, in the middle of a bit of its own.
pub fn breaks(levels: &[bool], ours: u64, theirs: u64) -> usize {
    let (ours, theirs) = (ours.max(1), theirs.max(1));
    let mut from = 0;
    while from < levels.len() {
        // A stretch from one falling edge to the next.
        let rises = (from..levels.len()).find(|place| levels[*place]).unwrap_or(levels.len());
        let ends = (rises..levels.len()).find(|place| !levels[*place]).unwrap_or(levels.len() + IDLE);
        for (begin, end) in [(from, rises), (rises, ends)] {
            let (begin, end) = (begin - from, end - from);
            let sampled = |until: usize| (until as u64 * ours + theirs / 2) / theirs;
            if sampled(end) - sampled(begin) >= 6 {
                let at = ((sampled(begin) + 6) * theirs - theirs / 2) / ours;
                return from + at as usize;
            }
        }
        from = ends;
    }
    levels.len()
}

/// A node on a bus.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Its number among the attached devices.
    pub index: usize,
    /// The bits a second at which it runs; `None` if it runs as fast as the part.
    pub rate: Option<u32>,
    /// Its errors.
    pub counters: Counters,
    /// The frame that it sends next.
    pub next: Option<CanFrame>,
    /// True if it acknowledges.
    pub acknowledges: bool,
}

impl Hung {
    fn node(&self, index: usize) -> Node {
        Node {
            index,
            rate: self.device.can_rate(),
            counters: self.can,
            next: self.device.can_next(),
            acknowledges: self.device.can_acknowledges(),
        }
    }
}

impl Outside {
    /// The nodes on the bus of which `tx` is the part's signal.
    pub fn can_nodes(&self, tx: Route) -> Vec<Node> {
        self.on("can_tx", tx).into_iter().map(|index| self.devices[index].node(index)).collect()
    }

    /// The bus has carried `frame` to the node `index`, or, if `own`, from it.
    pub fn can_frame(&mut self, index: usize, frame: CanFrame, own: bool, now: Picoseconds) {
        let Some(hung) = self.devices.get_mut(index) else { return };
        if own {
            hung.can.sent()
        } else {
            hung.can.received()
        }
        hung.with(now, |device, contact, _, _| device.can_frame(frame, own, contact));
        self.collect(index);
    }

    /// An error has ended a frame that the node `index` sent (`own`) or received.
    pub fn can_error(&mut self, index: usize, error: CanError, own: bool, now: Picoseconds) {
        let Some(hung) = self.devices.get_mut(index) else { return };
        let was_off = hung.can.is_off();
        if own {
            hung.can.failed(error)
        } else {
            hung.can.missed()
        }
        if hung.can.is_off() && !was_off {
            hung.with(now, |_, contact, _, _| {
                contact.complain("after 32 errors in a row it has left the bus (bus off)")
            });
        }
        self.collect(index);
    }

    /// Tells the user about the node `index`.
    pub fn can_complain(&mut self, index: usize, sentence: String, now: Picoseconds) {
        if let Some(hung) = self.devices.get_mut(index) {
            hung.with(now, |_, contact, _, _| contact.complain(sentence));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(levels: &[bool]) -> String {
        levels.iter().map(|level| if *level { '1' } else { '0' }).collect()
    }

    /// Reads a frame's bits as a receiver does; the frame, and the number of bits up to the checksum's end.
    fn read(levels: &[bool]) -> (CanFrame, usize) {
        let (mut plain, mut run, mut at) = (Vec::new(), 0, 0);
        let mut frame = CanFrame::new(0, &[]);
        let value = |bits: &[bool]| bits.iter().fold(0u64, |value, bit| value << 1 | u64::from(*bit));
        let mut length = None;
        while length.is_none_or(|length| plain.len() < length) {
            let bit = levels[at];
            run = if at > 0 && levels[at - 1] == bit { run + 1 } else { 1 };
            assert!(run < 6, "stuffing");
            if at < 5 || levels[at - 5..at].contains(&bit) {
                plain.push(bit);
            }
            at += 1;
            let head = if plain.len() > 13 && plain[13] { 39 } else { 19 };
            if length.is_none() && plain.len() == head {
                frame.extended = head == 39;
                frame.id = if frame.extended {
                    (value(&plain[1..12]) << 18 | value(&plain[14..32])) as u32
                } else {
                    value(&plain[1..12]) as u32
                };
                frame.remote = plain[if frame.extended { 32 } else { 12 }];
                frame.code = value(&plain[head - 4..]) as u8;
                let bytes = if frame.remote { 0 } else { usize::from(frame.code.min(8)) };
                length = Some(head + 8 * bytes + 15);
            }
        }
        at += usize::from(levels[at - 5..at].iter().all(|bit| *bit == levels[at - 1]));
        let head = if frame.extended { 39 } else { 19 };
        for (index, byte) in frame.data.iter_mut().enumerate() {
            if let Some(bits) =
                plain.get(head + 8 * index..head + 8 * index + 8).filter(|_| head + 8 * index + 8 <= plain.len() - 15)
            {
                *byte = value(bits) as u8;
            }
        }
        // Bit by bit division of the message by the polynomial, by hand.
        let mut rest: Vec<bool> = plain.clone();
        for place in 0..rest.len() - 15 {
            if rest[place] {
                for (bit, term) in [1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1].iter().enumerate() {
                    rest[place + bit] ^= *term == 1;
                }
            }
        }
        assert!(rest.iter().all(|bit| !bit), "the checksum");
        (frame, at)
    }

    #[test]
    fn a_frame_has_the_bits_that_a_receiver_reads() {
        // The least frame of all zeros: a stuff bit after each five, then after each four.
        let zero = bits(&CanFrame::new(0, &[]));
        assert_eq!(text(&zero.levels[..24]), "000001000001000001000001");
        assert_eq!((zero.levels.len(), zero.arbitration), (44 + 6, 15));
        let mut random = 0x1234_5678_9ABC_DEF1u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        for _ in 0..2_000 {
            let (extended, remote) = (next() & 1 != 0, next() & 7 == 0);
            let id = match next() & 3 {
                0 => 0,
                1 => u32::MAX,
                _ => next() as u32,
            } & if extended { 0x1FFF_FFFF } else { 0x7FF };
            let mut frame = CanFrame { id, extended, remote, code: (next() & 15) as u8, data: [0; 8] };
            if !remote {
                let fill = next();
                let data = [0, u64::MAX, fill, fill & 0xFF0F_00F0_FFFF_0000][(next() & 3) as usize].to_le_bytes();
                let bytes = usize::from(frame.code.min(8));
                frame.data[..bytes].copy_from_slice(&data[..bytes]);
            }
            let sent = bits(&frame);
            let (received, end) = read(&sent.levels);
            assert_eq!(received, frame);
            assert_eq!(sent.levels.len(), end + 10);
            assert!(sent.levels[end..].iter().all(|bit| *bit));
        }
    }

    #[test]
    fn the_lowest_identifier_wins_and_a_data_frame_before_a_remote_one() {
        let sender = |id: u32, extended: bool, remote: bool| Sender {
            frame: CanFrame { id, extended, remote, code: 0, data: [0; 8] },
            passive: false,
        };
        let order = [
            sender(0x0F0, false, false),
            sender(0x0F0, false, true),
            sender(0x0F0 << 18, true, false),
            sender(0x0F0 << 18, true, true),
            sender(0x0F0 << 18 | 1, true, false),
            sender(0x0F1, false, false),
        ];
        for (first, one) in order.iter().enumerate() {
            for two in &order[first + 1..] {
                let there = course(&[*two, *one], Others::default()).unwrap();
                assert_eq!(there.frame, one.frame);
                assert!(matches!(there.shares[0], Share::Lost(_)), "{there:?}");
                assert_eq!((there.shares[1], there.error), (Share::Whole, None), "the loser acknowledges");
            }
        }
    }

    #[test]
    fn errors_end_frames_with_a_flag_and_a_delimiter() {
        let sender = |data: &[u8], passive| Sender { frame: CanFrame::new(0x555, data), passive };
        let alone = course(&[sender(&[], false)], Others::default()).unwrap();
        let slot = alone.slot;
        assert_eq!(alone.shares, [Share::Failed(CanError::Acknowledgement, slot)]);
        assert_eq!(text(&alone.levels[slot..]), "100000011111111");
        // A listener that does not acknowledge adds a bit: it sees the delimiter dominant.
        let heard = course(&[sender(&[], false)], Others { active: true, ..Others::default() }).unwrap();
        assert_eq!(text(&heard.levels[slot..]), "1000000011111111");
        assert_eq!(heard.error, Some((CanError::Form, slot + 1)));
        let passive = course(&[sender(&[], true)], Others { active: true, ..Others::default() }).unwrap();
        assert_eq!((text(&passive.levels[slot..]).as_str(), passive.error), ("111111111111111", None));
        // Two of one identifier: the one with the recessive bit finds the error, the other in its flag.
        let both = course(&[sender(&[0x55], false), sender(&[0x5A], false)], Others::default()).unwrap();
        let Share::Failed(CanError::Recessive, place) = both.shares[1] else { panic!("{both:?}") };
        let Share::Failed(CanError::Recessive, later) = both.shares[0] else { panic!("{both:?}") };
        assert!(later > place && later <= place + 6);
        assert!(both.levels.ends_with(&[true; 8]) && !both.levels[both.levels.len() - 9]);
    }

    #[test]
    fn a_node_at_another_rate_finds_six_equal_bits() {
        let levels = bits(&CanFrame::new(0x555, &[])).levels;
        // Twice as fast: three equal bits are six. 0 10101010101 0 0 0 0000: behind the identifier.
        assert_eq!(breaks(&levels, 2_000, 1_000), 12 + 2);
        assert_eq!(breaks(&levels, 1_000, 1_000), levels.len() - 10 + 5);
        assert!(breaks(&levels, 1_000, 4_000) <= levels.len() + IDLE);
        assert!(breaks(&[], 1, u64::MAX / 64) == 0);
    }
}
