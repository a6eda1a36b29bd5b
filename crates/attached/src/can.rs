//! A node on CAN behind a transceiver, as a computer with an adapter is one: it acknowledges, sends frames, and keeps those
//! of the bus in the format of `candump -l`.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt::Write as _;

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, CanFrame, Contact};

use crate::{AttachError, Kind, Options};

/// The kind.
pub const KIND: Kind = Kind {
    name: "can",
    summary: "node on CAN that acknowledges, sends, and records frames",
    options: &[
        ("bitrate=500k", "the rate at which it runs; the chip's own without it"),
        ("send=123#1122", "a frame to send, as candump writes them"),
        ("every=10ms", "the time between two such frames; without it one is sent"),
        ("echo", "sends each frame back that it receives"),
        ("silent", "acknowledges nothing"),
        ("file=IN", "a log of candump -l whose frames it sends"),
        ("save=OUT", "a log for the frames on the bus, written when the run has ended"),
    ],
    places: &["can1"],
    make,
};

/// The most frames that wait to be sent.
const MOST_WAITING: usize = 10_000;
/// The most bytes of a log, read or written.
const MOST_LOG: usize = 16 << 20;
const RX: usize = 1;

/// The node.
#[derive(Clone, Debug, Default)]
pub struct CanNode {
    rate: Option<u32>,
    silent: bool,
    echo: bool,
    send: Option<CanFrame>,
    every: Option<Picoseconds>,
    /// When the next of these frames is due.
    due: Option<Picoseconds>,
    /// Frames that wait for the bus.
    waiting: VecDeque<CanFrame>,
    /// Frames of a log, with their times from the start.
    replay: VecDeque<(Picoseconds, CanFrame)>,
    log: Vec<u8>,
    full: bool,
    /// Frames were lost because too many wait.
    overrun: bool,
}

fn make(options: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    let mut node = CanNode { echo: options.word(&["echo"]).is_some(), ..CanNode::default() };
    node.silent = options.word(&["silent"]).is_some();
    if let Some(text) = options.take("bitrate") {
        let rate = scaled(&text, &[("k", 1_000), ("M", 1_000_000), ("", 1)]);
        let rate = rate.filter(|rate| (1_000..=1_000_000).contains(rate));
        node.rate = Some(rate.ok_or_else(|| options.wrong("bitrate", &text, "500k, or another up to 1M"))? as u32);
    }
    if let Some(text) = options.take("send") {
        node.send = Some(frame(&text).ok_or_else(|| options.wrong("send", &text, FRAMES))?);
    }
    if let Some(text) = options.take("every") {
        let units = [("us", 1_000_000), ("ms", 1_000_000_000), ("s", 1_000_000_000_000)];
        let span = scaled(&text, &units).filter(|span| *span >= 1_000_000);
        node.every = Some(Picoseconds::new(span.ok_or_else(|| options.wrong("every", &text, "a time: 10ms, 500us"))?));
        if node.send.is_none() {
            return Err(options.wrong("every", &text, "for an option send=123#1122 beside it"));
        }
    }
    Ok(Box::new(node))
}

/// The frames that options and stimuli take.
const FRAMES: &str = "a frame: 123#1122 (identifier, data), 12345678#00 (29 bits), 123#R (remote)";

/// Reads a whole number with one of `units`.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

/// Reads a frame as `candump -l` writes it: three digits of an identifier or eight, `#`, then the data or `R`.
pub fn frame(text: &str) -> Option<CanFrame> {
    let (id, data) = text.trim().split_once('#')?;
    let extended = id.len() == 8;
    let hex = |text: &str| text.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !(id.len() == 3 || extended) || !hex(id) {
        return None;
    }
    let id = u32::from_str_radix(id, 16).ok()?;
    if id > if extended { 0x1FFF_FFFF } else { 0x7FF } {
        return None;
    }
    let mut frame = CanFrame { extended, id, ..CanFrame::new(0, &[]) };
    let (data, code) = match data.split_once('_') {
        // A length code above 8 behind eight bytes.
        Some((data, code)) => (data, Some(u8::from_str_radix(code, 16).ok().filter(|code| (9..16).contains(code))?)),
        None => (data, None),
    };
    if let Some(length) = data.strip_prefix(['R', 'r']) {
        frame.remote = true;
        frame.code = if length.is_empty() { 0 } else { length.parse().ok().filter(|length| *length <= 8)? };
    } else {
        // Dots between bytes are allowed.
        let digits: String = data.chars().filter(|letter| *letter != '.').collect();
        if !digits.len().is_multiple_of(2) || digits.len() > 16 || !hex(&digits) {
            return None;
        }
        for (place, byte) in frame.data.iter_mut().enumerate().take(digits.len() / 2) {
            *byte = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).ok()?;
        }
        frame.code = (digits.len() / 2) as u8;
    }
    match code {
        Some(_) if frame.code != 8 => None,
        _ => Some(CanFrame { code: code.unwrap_or(frame.code), ..frame }),
    }
}

/// Writes a frame as `candump -l` does.
pub fn text(frame: &CanFrame) -> String {
    let mut text = if frame.extended { format!("{:08X}#", frame.id) } else { format!("{:03X}#", frame.id) };
    if frame.remote {
        text.push('R');
        if frame.code > 0 {
            let _ = write!(text, "{}", frame.code.min(8));
        }
    }
    for byte in frame.bytes() {
        let _ = write!(text, "{byte:02X}");
    }
    if frame.code > 8 {
        let _ = write!(text, "_{:X}", frame.code);
    }
    text
}

impl CanNode {
    /// The frames that have come over the bus so far, one a line: `(seconds.microseconds) can0 123#1122`.
    pub fn log(&self) -> &str {
        std::str::from_utf8(&self.log).unwrap_or_default()
    }

    /// Puts a frame behind those that wait.
    fn put(&mut self, frame: CanFrame, contact: &mut Contact<'_>) {
        if self.waiting.len() < MOST_WAITING {
            self.waiting.push_back(frame);
            contact.call();
        } else if !std::mem::replace(&mut self.overrun, true) {
            contact.complain(format!("more than {MOST_WAITING} frames wait for the bus; the rest is lost"));
        }
    }

    /// Takes what is due, and sets the alarm for the rest.
    fn go_on(&mut self, contact: &mut Contact<'_>) {
        let now = contact.now();
        while let Some((_, frame)) = self.replay.front().copied().filter(|(at, _)| *at <= now) {
            self.replay.pop_front();
            self.put(frame, contact);
        }
        if let Some(frame) = self.send.filter(|_| self.due.is_some_and(|due| due <= now)) {
            // One that still waits is not sent twice.
            if !self.waiting.contains(&frame) {
                self.put(frame, contact);
            }
            self.due = self.every.map(|every| now + every);
        }
        let next = self.replay.front().map(|(at, _)| *at);
        if let Some(at) = next.into_iter().chain(self.due).min() {
            contact.wake_at(at);
        }
    }
}

/// Reads a line of a log: its time in picoseconds, and its frame.
fn line(text: &str) -> Option<(u64, CanFrame)> {
    let mut words = text.split_ascii_whitespace();
    let time = words.next()?.strip_prefix('(')?.strip_suffix(')')?;
    let (_, written) = (words.next()?, words.next()?);
    let (seconds, fraction) = time.split_once('.').unwrap_or((time, ""));
    if fraction.len() > 12 || !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let fraction: u64 = format!("{fraction:0<12}").parse().ok()?;
    // Seconds since 1970 are beyond picoseconds of 64 bits: only differences count.
    let seconds: u64 = seconds.parse().ok()?;
    Some((seconds.wrapping_mul(1_000_000_000_000).wrapping_add(fraction), frame(written)?))
}

impl Attached for CanNode {
    fn pins(&self) -> &'static [&'static str] {
        &["can_tx", "can_rx"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn memory(&self) -> &[u8] {
        &self.log
    }

    fn room(&self) -> usize {
        MOST_LOG
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let log = std::str::from_utf8(bytes).map_err(|_| "it is no text".to_owned())?;
        let mut first = None;
        let mut last = 0;
        for (number, text) in (1..).zip(log.lines()).filter(|(_, text)| !text.trim().is_empty()) {
            let Some((at, frame)) = line(text) else {
                return Err(format!("line {number} is no `(0.000000) can0 123#1122` of candump -l"));
            };
            // A time before the one above counts as that one.
            let since = at.wrapping_sub(*first.get_or_insert(at)) as i64;
            last = last.max(u64::try_from(since).unwrap_or(0));
            self.replay.push_back((Picoseconds::new(last), frame));
        }
        Ok(())
    }

    fn start(&mut self, contact: &mut Contact<'_>) {
        contact.drive(RX, Some(true));
        self.due = self.send.map(|_| contact.now());
        self.go_on(contact);
    }

    fn wake(&mut self, contact: &mut Contact<'_>) {
        self.go_on(contact);
    }

    fn can_rate(&self) -> Option<u32> {
        self.rate
    }

    fn can_acknowledges(&self) -> bool {
        !self.silent
    }

    fn can_next(&self) -> Option<CanFrame> {
        self.waiting.front().copied()
    }

    fn can_frame(&mut self, frame: CanFrame, own: bool, contact: &mut Contact<'_>) {
        let micros = contact.now().get() / 1_000_000;
        if self.log.len() < MOST_LOG {
            let line = format!("({}.{:06}) can0 {}\n", micros / 1_000_000, micros % 1_000_000, text(&frame));
            self.log.extend(line.bytes());
        } else if !std::mem::replace(&mut self.full, true) {
            contact.complain("its log is full; later frames are not in it");
        }
        if own {
            self.waiting.pop_front();
        } else if self.echo {
            self.put(frame, contact);
        }
    }

    fn set(&mut self, name: &str, value: &str, contact: &mut Contact<'_>) -> Result<(), String> {
        if name != "send" {
            return Err(format!("it has no value `{name}`, only `send`"));
        }
        let frame = frame(value).ok_or_else(|| format!("`{value}` is not {FRAMES}"))?;
        self.put(frame, contact);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::Requests;

    use super::*;
    use crate::DeviceText;

    fn at<R>(micros: u64, act: impl FnOnce(&mut Contact<'_>) -> R) -> (R, Requests) {
        let mut requests = Requests::default();
        let result = act(&mut Contact::new(Picoseconds::new(micros * 1_000_000), &mut requests));
        (result, requests)
    }

    #[test]
    fn frames_are_written_as_they_are_read() {
        for written in ["123#", "7FF#1122334455667788", "00000123#A0", "1FFFFFFF#R", "001#R4", "555#0011223344556677_F"]
        {
            let read = frame(written).unwrap_or_else(|| panic!("{written}"));
            assert_eq!(text(&read), written);
        }
        assert_eq!(frame("123#11.22.33").unwrap().bytes(), [0x11, 0x22, 0x33]);
        for wrong in ["", "#", "123", "12#00", "800#00", "20000000#00", "123#1", "123#112233445566778899", "123#R9"] {
            assert_eq!(frame(wrong), None, "{wrong}");
        }
        for wrong in ["+12#00", "123#+1", "123#11_9", "123#é", "é#11", "123#0011223344556677_8"] {
            assert_eq!(frame(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_periodic_frame_is_due_again_and_again_but_waits_once() {
        let mut device: DeviceText = "can:send=123#01,every=10ms,bitrate=250k@can1".parse().unwrap();
        let node = &mut device.attachment.device;
        assert_eq!(node.can_rate(), Some(250_000));
        let ((), asked) = at(0, |contact| node.start(contact));
        assert!(asked.calls && asked.alarm == Some(Picoseconds::new(10_000_000_000)));
        let ((), asked) = at(10_000, |contact| node.wake(contact));
        assert!(!asked.calls && asked.alarm == Some(Picoseconds::new(20_000_000_000)));
        let sent = node.can_next().unwrap();
        at(10_000, |contact| node.can_frame(sent, true, contact));
        assert_eq!(node.can_next(), None);
        let ((), asked) = at(20_000, |contact| node.wake(contact));
        assert!(asked.calls && node.can_next().is_some());
        assert_eq!(node.memory(), b"(0.010000) can0 123#01\n");
    }

    #[test]
    fn a_log_is_sent_at_its_times_and_a_stimulus_and_an_echo_behind() {
        let mut device: DeviceText = "can:echo,file=in.log,save=out.log@can_tx=PA12,can_rx=PA11".parse().unwrap();
        assert_eq!((device.file.as_deref(), device.save.as_deref()), (Some("in.log"), Some("out.log")));
        device.load(b"(1436509052.249713) vcan0 044#2A36\n\n(1436509052.250713) vcan0 045#R\n").unwrap();
        let node = &mut device.attachment.device;
        let ((), asked) = at(0, |contact| node.start(contact));
        assert_eq!(node.can_next().map(|frame| frame.id), Some(0x44));
        assert_eq!(asked.alarm, Some(Picoseconds::new(1_000_000_000)));
        let other = frame("00000777#00").unwrap();
        at(500, |contact| node.can_frame(other, false, contact));
        at(500, |contact| node.set("send", "001#", contact)).0.unwrap();
        at(1_000, |contact| node.wake(contact));
        let mut ids = Vec::new();
        while let Some(next) = node.can_next() {
            ids.push(next.id);
            at(2_000, |contact| node.can_frame(next, true, contact));
        }
        assert_eq!(ids, [0x44, 0x777, 1, 0x45]);
        let (refused, _) = at(0, |contact| node.set("send", "1#", contact));
        assert!(refused.unwrap_err().contains("123#1122"));
        for (log, says) in [(&b"x"[..], "line 1"), (b"(0.0) can0 1#\n", "line 1"), (&[0xFF], "text")] {
            let error = device.load(log).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
