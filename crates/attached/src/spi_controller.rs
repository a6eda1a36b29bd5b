//! A controller on SPI that exchanges frames with the guest, as its script says.

use std::any::Any;

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Contact, Transfer};

use crate::script::{self, Script};
use crate::{AttachError, Kind, LOG_OPTION, Options};

/// The kind.
pub const KIND: Kind = Kind {
    name: "spi-controller",
    summary: "controller on SPI that exchanges frames with the guest",
    options: &[
        ("clock=1MHz", "its clock, 1kHz to 50MHz"),
        ("mode=0", "the idle level of its clock and the edge of bits, 0 to 3"),
        ("bits=8", "the bits of a frame, 4 to 16"),
        ("file=IN", "a file of commands, a line each: at 5ms send 9f 00 00"),
        LOG_OPTION,
    ],
    places: &["spi1,cs=PA4"],
    make,
};

const SCK: usize = 0;
const MOSI: usize = 1;
const MISO: usize = 2;
const CS: usize = 3;
/// More frames of one transfer are refused.
const MOST_FRAMES: usize = 4096;

/// The transfer under way.
#[derive(Clone, Debug, Default)]
struct Running {
    frames: Vec<u32>,
    /// Half periods since the chip select went down.
    halves: u64,
    received: u32,
    done: String,
}

/// The controller. The first bit is the highest.
#[derive(Clone, Debug)]
pub struct SpiController {
    half: Picoseconds,
    idle: bool,
    late: bool,
    bits: u8,
    script: Script<Vec<u32>>,
    running: Option<Running>,
    due: Option<Picoseconds>,
    miso: bool,
}

fn make(options: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    let hertz = match options.take("clock") {
        None => 1_000_000,
        Some(text) => script::hertz(&text)
            .filter(|hertz| (1_000..=50_000_000).contains(hertz))
            .ok_or_else(|| options.wrong("clock", &text, "1kHz to 50MHz"))?,
    };
    let mode = options.number("mode", "0 to 3", |mode| mode < 4)?.unwrap_or(0);
    let bits = options.number("bits", "4 to 16", |bits| (4..=16).contains(&bits))?.unwrap_or(8);
    Ok(Box::new(SpiController::new(hertz, mode as u8, bits as u8)))
}

impl SpiController {
    /// A controller with a clock of `hertz`, at least 1, in the mode 0 to 3, with frames of `bits` bits.
    pub fn new(hertz: u64, mode: u8, bits: u8) -> Self {
        Self {
            half: Picoseconds::new(500_000_000_000 / hertz.max(1)),
            idle: mode & 2 != 0,
            late: mode & 1 != 0,
            bits: bits.clamp(4, 16),
            script: Script::default(),
            running: None,
            due: None,
            miso: false,
        }
    }

    /// The transfers so far, a line each.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&self.script.log).into_owned()
    }

    /// Reads `send 9f 00`.
    fn parse(text: &str, bits: u8) -> Result<Vec<u32>, String> {
        let mut words = text.split_whitespace();
        if words.next() != Some("send") {
            return Err("the command is none; write send FRAMES".into());
        }
        let frames = script::numbers(words, bits.into()).filter(|frames| (1..=MOST_FRAMES).contains(&frames.len()));
        frames.ok_or_else(|| format!("frames are hexadecimal, of {bits} bits, at most {MOST_FRAMES}"))
    }

    /// The bit `number` of the transfer.
    fn bit(&self, frames: &[u32], number: u64) -> bool {
        let bits = u64::from(self.bits);
        let frame = frames.get((number / bits) as usize).copied().unwrap_or(0);
        frame >> (bits - 1 - number % bits) & 1 != 0
    }

    /// The next half period begins. The chip select leads and trails by one.
    fn half_period(&mut self, contact: &mut Contact<'_>) {
        let Some(mut running) = self.running.take() else { return };
        let total = running.frames.len() as u64 * u64::from(self.bits);
        let (edge, now) = (running.halves, contact.now());
        running.halves += 1;
        if edge == 2 * total {
            // The chip select goes up a half period after the last edge.
            contact.drive(CS, Some(true));
            self.script.note(&format!("send:{}", running.done), contact);
            self.due = self.script.next_at().map(|at| at.max(now + self.half + self.half));
            return;
        }
        let (bit, first) = (edge / 2, edge % 2 == 0);
        contact.drive(SCK, Some(self.idle != first));
        if first == self.late {
            // Bits change at this edge: mode 1 and 3 at the first of a clock, 0 and 2 at the second.
            let next = if self.late { bit } else { bit + 1 };
            if next < total {
                contact.drive(MOSI, Some(self.bit(&running.frames, next)));
            }
        } else {
            running.received = running.received << 1 | u32::from(self.miso);
            if (bit + 1) % u64::from(self.bits) == 0 {
                let received = running.received & ((1 << self.bits) - 1);
                let sent = running.frames[(bit / u64::from(self.bits)) as usize];
                let digits = usize::from(self.bits).div_ceil(4);
                running.done.push_str(&format!(" {sent:0digits$x}>{received:0digits$x}"));
                contact.transfer(Transfer::SpiFrame { sent, received, bits: self.bits });
                running.received = 0;
            }
        }
        self.running = Some(running);
        self.due = Some(now + self.half);
    }

    fn begin(&mut self, contact: &mut Contact<'_>) {
        let now = contact.now();
        if let Some(frames) = self.script.due(now) {
            contact.drive(CS, Some(false));
            if !self.late {
                contact.drive(MOSI, Some(self.bit(&frames, 0)));
            }
            self.running = Some(Running { frames, ..Running::default() });
            self.due = Some(now + self.half);
        } else {
            self.due = self.script.next_at();
        }
    }

    fn plan_alarm(&self, contact: &mut Contact<'_>) {
        match self.due {
            Some(at) => contact.wake_at(at),
            None => contact.sleep(),
        }
    }
}

impl Attached for SpiController {
    fn pins(&self) -> &'static [&'static str] {
        &["sck", "mosi", "miso", "cs"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn memory(&self) -> &[u8] {
        &self.script.log
    }

    fn drives_bus(&self) -> bool {
        true
    }

    fn room(&self) -> usize {
        script::LONGEST
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        let bits = self.bits;
        self.script.read(bytes, |text| Self::parse(text, bits))
    }

    fn start(&mut self, contact: &mut Contact<'_>) {
        contact.drive(SCK, Some(self.idle));
        contact.drive(MOSI, Some(false));
        contact.drive(CS, Some(true));
        self.due = self.script.next_at();
        self.plan_alarm(contact);
    }

    fn pin(&mut self, pin: usize, high: bool, _: &mut Contact<'_>) {
        if pin == MISO {
            self.miso = high;
        }
    }

    fn wake(&mut self, contact: &mut Contact<'_>) {
        let now = contact.now();
        if self.due.take_if(|at| *at <= now).is_some() {
            if self.running.is_some() {
                self.half_period(contact);
            } else {
                self.begin(contact);
            }
        }
        self.plan_alarm(contact);
    }

    fn set(&mut self, name: &str, value: &str, contact: &mut Contact<'_>) -> Result<(), String> {
        let frames = Self::parse(&format!("{name} {value}"), self.bits)?;
        self.script.add(contact.now(), frames)?;
        if self.running.is_none() && self.due.is_none_or(|at| at > contact.now()) {
            self.due = Some(contact.now());
        }
        self.plan_alarm(contact);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_their_number_of_bits() {
        assert_eq!(SpiController::parse("send 9f 0x00", 8).unwrap(), [0x9F, 0]);
        assert_eq!(SpiController::parse("send fff", 12).unwrap(), [0xFFF]);
        for (text, says) in [("send 100", "8 bits"), ("send", "8 bits"), ("read 1", "send FRAMES")] {
            let error = SpiController::parse(text, 8).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
