//! A controller on I2C that writes to the guest and reads from it, as its script says (UM10204, "I2C-bus specification").
//!
//! It follows the lines: a guest that holds SCL makes it wait, another controller may win the bus, and then it tries again.

use std::any::Any;

use cyclescope_machine::i2c::{Driver, Monitor, Report, Seen, Wait};
use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Attached, Contact, I2cAddress, Transfer};

use crate::script::{self, Script};
use crate::{AttachError, Kind, LOG_OPTION, Options, SCRIPT_OPTION};

/// The kind.
pub const KIND: Kind = Kind {
    name: "i2c-controller",
    summary: "controller on I2C that writes to the guest and reads from it",
    options: &[("clock=100kHz", "its clock, 1kHz to 1MHz"), SCRIPT_OPTION, LOG_OPTION],
    places: &["i2c1", "scl=PB6,sda=PB7"],
    make,
};

const SCL: usize = 0;
const SDA: usize = 1;
/// More bytes of one transfer are refused.
const MOST_BYTES: usize = 4096;

/// A step of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Start,
    /// A byte of an address; with it the address is complete.
    Address(u8, Option<(I2cAddress, bool)>),
    Send(u8),
    /// A byte from the target; the last one is not acknowledged.
    Receive {
        last: bool,
    },
    Stop,
}

/// A transfer.
#[derive(Clone, Debug)]
struct Plan {
    text: String,
    steps: Vec<Step>,
}

/// The transfer under way.
#[derive(Clone, Debug)]
struct Running {
    plan: Plan,
    /// The step under way.
    at: usize,
    /// The ninth bit of its byte is under way.
    ninth: bool,
    byte: u8,
    /// The bytes so far with their acknowledgements, for the log.
    done: String,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct I2cController {
    /// The period of its clock.
    period: Picoseconds,
    script: Script<Plan>,
    running: Option<Running>,
    lines: Monitor,
    driver: Driver,
    /// The driver's next step.
    due: Option<Picoseconds>,
    fell: Picoseconds,
    free_from: Picoseconds,
    /// The time of a start condition behind which no clock has come.
    began: Option<Picoseconds>,
    driven: [bool; 2],
}

fn make(options: &mut Options) -> Result<Box<dyn Attached>, AttachError> {
    let hertz = match options.take("clock") {
        None => 100_000,
        Some(text) => script::hertz(&text)
            .filter(|hertz| (1_000..=1_000_000).contains(hertz))
            .ok_or_else(|| options.wrong("clock", &text, "1kHz to 1MHz"))?,
    };
    Ok(Box::new(I2cController::new(hertz)))
}

/// The address in `text`, decimal or with 0x: `0x42`, and `ten:0x142` for one of ten bits.
fn address(text: &str) -> Option<I2cAddress> {
    let (digits, bits) = text.strip_prefix("ten:").map_or((text, 7), |digits| (digits, 10));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => u16::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    match bits {
        7 if number < 0x80 => Some(I2cAddress::Seven(number as u8)),
        10 if number < 0x400 => Some(I2cAddress::Ten(number)),
        _ => None,
    }
}

impl Plan {
    /// The steps that begin a transfer with `to`; `again` if it was written to before.
    fn open(&mut self, to: I2cAddress, read: bool, again: bool) {
        let whole = Some((to, read));
        self.steps.push(Step::Start);
        match to {
            I2cAddress::Seven(address) => self.steps.push(Step::Address(address << 1 | u8::from(read), whole)),
            I2cAddress::Ten(address) => {
                let header = 0xF0 | (address >> 7 & 6) as u8;
                if !again {
                    self.steps.extend([Step::Address(header, None), Step::Address(address as u8, Some((to, false)))]);
                }
                if read {
                    if !again {
                        self.steps.push(Step::Start);
                    }
                    self.steps.push(Step::Address(header | 1, whole));
                }
            }
        }
    }

    /// Reads `write 0x42 01 02`, `read 0x42 4` and `ask 0x42 4 01`, which writes, then reads without a stop in between.
    fn parse(text: &str) -> Result<Self, String> {
        let usage = "it takes write ADDRESS BYTES, read ADDRESS COUNT, ask ADDRESS COUNT BYTES";
        let mut words = text.split_whitespace();
        let verb = words.next().unwrap_or("");
        let to = words.next().and_then(address).ok_or_else(|| format!("the address is none; {usage}"))?;
        let count = match verb {
            "write" => 0,
            "read" | "ask" => words
                .next()
                .and_then(|word| word.parse().ok())
                .filter(|count| (1..=MOST_BYTES).contains(count))
                .ok_or_else(|| format!("the number of bytes is none; {usage}"))?,
            _ => return Err(format!("`{verb}` is no command; {usage}")),
        };
        let bytes = script::numbers(words, 8).filter(|bytes| bytes.len() <= MOST_BYTES);
        let bytes = bytes.ok_or_else(|| format!("the bytes are hexadecimal, at most {MOST_BYTES}"))?;
        if verb == "read" && !bytes.is_empty() {
            return Err(format!("a read has no bytes; {usage}"));
        }
        let mut plan = Self { text: text.to_owned(), steps: Vec::new() };
        if verb != "read" {
            plan.open(to, false, false);
            plan.steps.extend(bytes.iter().map(|byte| Step::Send(*byte as u8)));
        }
        if count > 0 {
            plan.open(to, true, verb == "ask");
            plan.steps.extend((1..=count).map(|byte| Step::Receive { last: byte == count }));
        }
        plan.steps.push(Step::Stop);
        Ok(plan)
    }
}

impl I2cController {
    /// A controller whose clock has at most `hertz`, at least 1.
    pub fn new(hertz: u64) -> Self {
        Self {
            period: Picoseconds::new(1_000_000_000_000 / hertz.max(1)),
            script: Script::default(),
            running: None,
            lines: Monitor::default(),
            driver: Driver::default(),
            due: None,
            fell: Picoseconds::ZERO,
            free_from: Picoseconds::ZERO,
            began: None,
            driven: [true; 2],
        }
    }

    /// The transfers so far, a line each.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&self.script.log).into_owned()
    }

    /// The time that SCL is low and that it is high: 52 % and 48 %, which fits the least times of all modes (UM10204, table 10).
    fn halves(&self) -> (Picoseconds, Picoseconds) {
        let low = self.period.get() * 52 / 100;
        (Picoseconds::new(low), Picoseconds::new(self.period.get() - low))
    }

    fn wait(&mut self, wait: Wait, at: Picoseconds) {
        let (low, high) = self.halves();
        let quarter = Picoseconds::new(low.get() / 4);
        self.due = Some(match wait {
            Wait::Change => (self.fell + quarter).max(at),
            Wait::Rise => (self.fell + low).max(at + quarter),
            Wait::Fall | Wait::Hold | Wait::Stop => at + high,
            Wait::Start => at + low,
        });
    }

    /// Puts the driver's levels on the lines.
    fn show(&mut self, contact: &mut Contact<'_>) {
        let levels = [!self.driver.pulls_scl, !self.driver.pulls_sda];
        for line in [SCL, SDA] {
            if self.driven[line] != levels[line] {
                contact.drive(line, (!levels[line]).then_some(false));
            }
        }
        if self.driven[SCL] && !levels[SCL] {
            self.fell = contact.now();
        }
        self.driven = levels;
    }

    fn go_on(&mut self, (wait, report): (Option<Wait>, Option<Report>), contact: &mut Contact<'_>) {
        self.show(contact);
        let now = contact.now();
        if let Some(wait) = wait {
            self.wait(wait, now);
        }
        match report {
            None => {}
            Some(Report::Started) => {
                self.advance();
                self.step(contact);
            }
            Some(Report::Done(bits)) => self.bits(bits, contact),
            Some(Report::Stopped) => {
                contact.transfer(Transfer::I2cStop);
                if let Some(Running { plan, done, .. }) = self.running.take() {
                    self.script.note(&format!("{}:{done}", plan.text), contact);
                }
            }
            Some(Report::Lost) => {
                self.due = None;
                if let Some(running) = &mut self.running {
                    self.script.note(&format!("{}: the bus was lost", running.plan.text), contact);
                    (running.at, running.ninth) = (0, false);
                    running.done.clear();
                }
            }
        }
        self.plan_alarm(contact);
    }

    fn advance(&mut self) {
        if let Some(running) = &mut self.running {
            (running.at, running.ninth) = (running.at + 1, false);
        }
    }

    /// Begins the step that comes next.
    fn step(&mut self, contact: &Contact<'_>) {
        let Some(running) = &self.running else { return };
        let wait = match running.plan.steps.get(running.at).copied().unwrap_or(Step::Stop) {
            Step::Start => self.driver.start(),
            Step::Address(byte, _) | Step::Send(byte) => self.driver.bits(byte, 8, true),
            Step::Receive { .. } => self.driver.bits(u8::MAX, 8, false),
            Step::Stop => self.driver.stop(),
        };
        self.wait(wait, contact.now());
    }

    /// Bits are over.
    fn bits(&mut self, bits: u8, contact: &mut Contact<'_>) {
        let Some(running) = &mut self.running else { return };
        let step = running.plan.steps[running.at];
        if !running.ninth {
            (running.ninth, running.byte) = (true, bits);
            // A controller acknowledges all bytes but the last; what it sends the target acknowledges.
            let (level, own) = match step {
                Step::Receive { last } => (u8::from(last), true),
                _ => (1, false),
            };
            let wait = self.driver.bits(level, 1, own);
            return self.wait(wait, contact.now());
        }
        let (byte, acknowledged) = (running.byte, bits & 1 == 0);
        running.done.push_str(&format!(" {byte:02x}{}", if acknowledged { '+' } else { '-' }));
        match step {
            Step::Address(_, Some((address, read))) => {
                contact.transfer(Transfer::I2cStart { address, read, acknowledged });
            }
            Step::Address(_, None) => {}
            _ => contact.transfer(Transfer::I2cByte { byte, acknowledged }),
        }
        let refused = !acknowledged && !matches!(step, Step::Receive { .. });
        running.ninth = false;
        running.at = if refused { running.plan.steps.len() - 1 } else { running.at + 1 };
        self.step(contact);
    }

    /// True if the bus is free, or another controller's start condition is so new that both may have it (UM10204, 3.1.8).
    fn may_start(&self, now: Picoseconds) -> bool {
        let joins = self.lines.busy && self.began.is_some_and(|began| now < began + self.halves().1);
        self.lines.scl && now >= self.free_from && (joins || !self.lines.busy && self.lines.sda)
    }

    /// Begins what is due, if the bus is free.
    fn begin(&mut self, contact: &mut Contact<'_>) {
        let now = contact.now();
        if !self.driver.is_free() || !self.may_start(now) {
            return;
        }
        if self.running.is_none() {
            let plan = self.script.due(now);
            self.running = plan.map(|plan| Running { plan, at: 0, ninth: false, byte: 0, done: String::new() });
        }
        if self.running.is_some() {
            self.step(contact);
            self.show(contact);
        }
    }

    /// Sets the alarm for the driver, or for the next transfer.
    fn plan_alarm(&mut self, contact: &mut Contact<'_>) {
        let waits = self.running.is_some() && self.driver.is_free();
        let next = if waits { Some(self.free_from) } else { self.script.next_at() };
        let begins = next
            .filter(|_| self.driver.is_free() && (!self.lines.busy || self.began.is_some()))
            .map(|at| at.max(self.free_from));
        match self.due.or(begins) {
            Some(at) => contact.wake_at(at),
            None => contact.sleep(),
        }
    }
}

impl Attached for I2cController {
    fn pins(&self) -> &'static [&'static str] {
        &["scl", "sda"]
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
        self.script.read(bytes, Plan::parse)
    }

    fn start(&mut self, contact: &mut Contact<'_>) {
        self.plan_alarm(contact);
    }

    fn pin(&mut self, pin: usize, high: bool, contact: &mut Contact<'_>) {
        let seen = if pin == SCL { self.lines.scl(high) } else { self.lines.sda(high) };
        let now = contact.now();
        if pin == SCL && !high {
            self.fell = now;
        }
        match seen {
            Some(Seen::Start { .. }) => self.began = Some(now),
            Some(Seen::Stop { .. }) => (self.began, self.free_from) = (None, now + self.halves().0),
            Some(_) => self.began = None,
            None => {}
        }
        if let Some(seen) = seen {
            let outcome = self.driver.seen(seen, self.lines.sda);
            if outcome.1.is_some() {
                self.due = None;
            }
            self.go_on(outcome, contact);
        }
    }

    fn wake(&mut self, contact: &mut Contact<'_>) {
        let now = contact.now();
        if self.due.take_if(|at| *at <= now).is_some() {
            let outcome = self.driver.step();
            return self.go_on(outcome, contact);
        }
        if self.due.is_none() {
            self.begin(contact);
        }
        self.plan_alarm(contact);
    }

    fn set(&mut self, name: &str, value: &str, contact: &mut Contact<'_>) -> Result<(), String> {
        let plan = Plan::parse(&format!("{name} {value}"))?;
        self.script.add(contact.now(), plan)?;
        self.plan_alarm(contact);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_steps_and_slips_are_named() {
        let steps = |text| Plan::parse(text).unwrap().steps;
        let to = |read| Some((I2cAddress::Seven(0x42), read));
        assert_eq!(
            steps("ask 0x42 1 0f"),
            [
                Step::Start,
                Step::Address(0x84, to(false)),
                Step::Send(0x0F),
                Step::Start,
                Step::Address(0x85, to(true)),
                Step::Receive { last: true },
                Step::Stop
            ]
        );
        let ten = I2cAddress::Ten(0x342);
        assert_eq!(
            steps("read ten:0x342 1")[..5],
            [
                Step::Start,
                Step::Address(0xF6, None),
                Step::Address(0x42, Some((ten, false))),
                Step::Start,
                Step::Address(0xF7, Some((ten, true)))
            ]
        );
        for (text, says) in [
            ("write 0x80 01", "address"),
            ("send 0x42", "no command"),
            ("read 0x42 0", "number of bytes"),
            ("read 0x42 1 2", "no bytes"),
            ("write 0x42 100", "hexadecimal"),
            ("", "address"),
        ] {
            let error = Plan::parse(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
