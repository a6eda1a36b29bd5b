//! The two-wire interface of the ATmega family: I2C as controller and as target (8271H chapter 22, 7766J chapter 20).
//!
//! As controller a byte takes two events: the fall of SCL after its eighth bit, at which a target decides on its
//! acknowledgement, and the fall after the ninth, which sets TWINT. SCL is low until software clears that. As target
//! (`target`) the block follows the edges of both lines, whoever makes them.
//!
//! # Wiring
//! Registers TWBR, TWSR, TWAR, TWDR, TWCR, TWAMR; one vector; outputs and inputs SCL and SDA, which are lines of the bus.
//!
//! # Not modelled
//! The clocks of two controllers that send at the same time are not joined: each makes its own, until one finds SDA low
//! where it let it go and has lost. That is noticed of attached devices that drive the bus. The lines rise at once. The limiter of slopes and the filter of spikes take no time.

mod target;

use cyclescope_machine::{GapKind, I2cAddress, TimingRow, Transfer};

use self::target::Target;
use super::{Avr, Change, Effect, Env, Shared};
use crate::Block;
use crate::wires::{Answer, Wave};

/// Registers, by their place in [`Instance::registers`](super::Instance::registers).
pub mod register {
    /// TWBR.
    pub const TWBR: u8 = 0;
    /// TWSR.
    pub const TWSR: u8 = 1;
    /// TWAR.
    pub const TWAR: u8 = 2;
    /// TWDR.
    pub const TWDR: u8 = 3;
    /// TWCR.
    pub const TWCR: u8 = 4;
    /// TWAMR.
    pub const TWAMR: u8 = 5;
}

/// The places of the pins among outputs and inputs.
pub mod pin {
    /// The clock.
    pub const SCL: usize = 0;
    /// The data.
    pub const SDA: usize = 1;
}

/// The part of SCL's period that TWBR does not scale.
pub static PERIOD: TimingRow = TimingRow::documented(
    "TWI period",
    "of SCL, beside 2 TWBR times the prescaler",
    16,
    "8271H §22.5.2: f(SCL) = f(CPU) / (16 + 2 TWBR prescaler)",
);

/// The halves of SCL's period.
pub static HALVES: TimingRow = TimingRow::assumed(
    "TWI halves",
    "of a period for which SCL is low, and high, and that lie between the edges of start and stop conditions",
    1,
    "8271H table 29-15 has only the least times, which halves of a period keep",
);

/// From SCL's fall to SDA's change.
pub static HOLD: TimingRow = TimingRow::assumed(
    "TWI hold",
    "from SCL's fall, or the end of TWINT, to the change of SDA",
    1,
    "8271H table 29-15: t(HD;DAT) is 0 or more; taken as the next period of clkI/O",
);

/// The timing rows of the TWI.
pub static ROWS: [&TimingRow; 3] = [&PERIOD, &HALVES, &HOLD];

const TWIE: u8 = 1 << 0;
const TWEN: u8 = 1 << 2;
const TWWC: u8 = 1 << 3;
const TWSTO: u8 = 1 << 4;
const TWSTA: u8 = 1 << 5;
const TWEA: u8 = 1 << 6;
const TWINT: u8 = 1 << 7;

/// The status codes of a controller (8271H tables 22-2 and 22-3), and those without a role (table 22-6).
mod status {
    pub const BUS_ERROR: u8 = 0x00;
    pub const START: u8 = 0x08;
    pub const REPEATED_START: u8 = 0x10;
    pub const WRITE_ADDRESSED: u8 = 0x18;
    pub const WRITE_REFUSED: u8 = 0x20;
    pub const SENT: u8 = 0x28;
    pub const SENT_REFUSED: u8 = 0x30;
    pub const LOST: u8 = 0x38;
    pub const READ_ADDRESSED: u8 = 0x40;
    pub const READ_REFUSED: u8 = 0x48;
    pub const RECEIVED: u8 = 0x50;
    pub const RECEIVED_LAST: u8 = 0x58;
    pub const NOTHING: u8 = 0xF8;
}

/// The event at which the phase under way ends.
const STEP: u16 = 0;

/// A byte on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Byte {
    /// An address and the direction.
    Address(u8),
    /// Data for the target.
    Data(u8),
    /// Data from the target.
    Received(u8),
}

/// The part of the controller's transfer that is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// The controller has not got the bus.
    #[default]
    Free,
    /// A start condition, up to the fall of SCL.
    Starting { repeated: bool },
    /// Eight bits.
    Bits(Byte),
    /// The acknowledgement.
    Ninth(Byte, bool),
    /// SCL is low until software says what comes next.
    Held,
    /// A stop condition.
    Stopping,
}

/// The block.
#[derive(Clone, Debug)]
pub struct Twi {
    twbr: u8,
    twps: u8,
    tws: u8,
    twar: u8,
    twdr: u8,
    twamr: u8,
    /// TWEA, TWSTA, TWSTO, TWWC, TWEN, TWIE.
    twcr: u8,
    twint: bool,
    phase: Phase,
    /// The first time at which a start condition may come.
    free_from: u64,
    /// True while the target that was addressed sends.
    sends: bool,
    /// The upper bits of an address of ten bits, of which the first byte was acknowledged; then the whole address.
    ten: Option<u16>,
    target: Target,
    /// The bits that SDA has had at the clocks of the byte under way, and their number, where others drive the bus, too.
    sampled: u8,
    clocks: u8,
}

impl Default for Twi {
    /// After reset (8271H §22.9).
    fn default() -> Self {
        Self {
            twbr: 0,
            twps: 0,
            tws: status::NOTHING,
            twar: 0xFE,
            twdr: 0xFF,
            twamr: 0,
            twcr: 0,
            twint: false,
            phase: Phase::Free,
            free_from: 0,
            sends: false,
            ten: None,
            target: Target::default(),
            sampled: 0,
            clocks: 0,
        }
    }
}

/// A line has the level `high`, as far as the block decides: low, or let go.
pub fn show(line: usize, high: bool, env: &mut Env<'_, '_>) {
    env.direction(line, Some(!high));
}

impl Twi {
    const fn is(&self, bit: u8) -> bool {
        self.twcr & bit != 0
    }

    /// Half of SCL's period, in periods of clkI/O.
    fn half(&self, env: &mut Env<'_, '_>) -> u64 {
        env.wires.note(&HALVES);
        (env.cycles(&PERIOD) + (u64::from(2 * u16::from(self.twbr)) << (2 * self.twps))) / 2
    }

    fn line(&self, env: &mut Env<'_, '_>) {
        env.line(0, self.twint && self.is(TWIE));
    }

    /// TWINT with `status`; SCL stays low.
    fn tell(&mut self, status: u8, env: &mut Env<'_, '_>) {
        (self.tws, self.twint) = (status, true);
        self.line(env);
    }

    /// Takes the pins, which are let go (open drain), or gives them back.
    fn hold_pins(&self, env: &mut Env<'_, '_>) {
        let on = self.is(TWEN);
        for line in [pin::SCL, pin::SDA] {
            env.direction(line, on.then_some(false));
            env.output(line, on.then_some(false));
        }
        env.effect(Effect::BusTaken);
    }

    /// Gives up what is under way and lets the lines go.
    fn give_up(&mut self, env: &mut Env<'_, '_>) {
        (self.phase, self.target) = (Phase::Free, Target::default());
        env.cancel(STEP);
        env.end_waves();
        self.hold_pins(env);
    }

    fn enter(&mut self, phase: Phase, end: u64, env: &mut Env<'_, '_>) {
        self.phase = phase;
        env.schedule(STEP, end);
    }

    /// TWINT is clear: the block goes on as TWCR says.
    fn go(&mut self, env: &mut Env<'_, '_>) {
        if self.twint || !self.is(TWEN) {
            return;
        }
        match self.phase {
            Phase::Held if self.is(TWSTO) => self.stop(env),
            Phase::Held if self.is(TWSTA) => self.start(env),
            Phase::Held => match self.tws {
                status::START | status::REPEATED_START => self.send(Byte::Address(self.twdr), env),
                status::READ_ADDRESSED | status::RECEIVED => self.receive(env),
                status::READ_REFUSED | status::RECEIVED_LAST => {
                    env.gap(
                        GapKind::Setting,
                        format_args!("TWI: TWCR goes on behind the last byte without START or STOP"),
                    );
                    self.receive(env);
                }
                _ => self.send(Byte::Data(self.twdr), env),
            },
            Phase::Free if self.target.is_addressed() => self.answer(env),
            Phase::Free => {
                // A stop condition of who has not got the bus only lets the lines go (8271H §22.7.5).
                self.twcr &= !TWSTO;
                if self.is(TWSTA) && !self.target.is_busy() {
                    self.start(env);
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, env: &mut Env<'_, '_>) {
        let half = self.half(env);
        let hold = env.cycles(&HOLD);
        if self.phase == Phase::Free {
            let begin = self.free_from.max(env.now() + hold);
            env.wave(Wave { signal: pin::SDA as u8, start: begin, steps: [half; 2], levels: 0, count: 1 });
            return self.enter(Phase::Starting { repeated: false }, begin + half, env);
        }
        let at = env.now();
        env.wave(Wave { signal: pin::SCL as u8, start: at + half, steps: [half; 2], levels: 1, count: 1 });
        let steps = [2 * half - hold, half];
        env.wave(Wave { signal: pin::SDA as u8, start: at + hold, steps, levels: 1, count: 2 });
        self.enter(Phase::Starting { repeated: true }, at + 3 * half, env);
    }

    fn stop(&mut self, env: &mut Env<'_, '_>) {
        let half = self.half(env);
        let (at, hold) = (env.now(), env.cycles(&HOLD));
        env.wave(Wave { signal: pin::SCL as u8, start: at + half, steps: [half; 2], levels: 1, count: 1 });
        let steps = [2 * half - hold, half];
        env.wave(Wave { signal: pin::SDA as u8, start: at + hold, steps, levels: 2, count: 2 });
        self.enter(Phase::Stopping, at + 2 * half, env);
    }

    /// Clocks `count` bits of SDA, the first in bit 0, after a target has held SCL for `stretch` periods.
    fn clock(&mut self, bits: u64, count: u8, stretch: u64, env: &mut Env<'_, '_>) -> u64 {
        let half = self.half(env);
        let at = env.now();
        let rise = at + half.max(stretch);
        let hold = env.cycles(&HOLD);
        let clock =
            Wave { signal: pin::SCL as u8, start: rise, steps: [half; 2], levels: 0x5555, count: 2 * count - 1 };
        env.wave(clock);
        // The second bit comes behind the first fall, from which on they are regular.
        let second = rise + half + hold;
        let first = Wave { signal: pin::SDA as u8, start: at + hold, steps: [half; 2], levels: bits, count: 1 };
        if count == 1 || second == at + hold + 2 * half {
            env.wave(Wave { steps: [2 * half; 2], count, ..first });
        } else {
            show(pin::SDA, bits & 1 != 0, env);
            env.wave(Wave { start: second, steps: [2 * half; 2], levels: bits >> 1, count: count - 1, ..first });
        }
        rise + half + u64::from(count - 1) * 2 * half
    }

    fn send(&mut self, byte: Byte, env: &mut Env<'_, '_>) {
        self.bits(byte, 0, env);
    }

    fn receive(&mut self, env: &mut Env<'_, '_>) {
        let whole = self.sends && !env.is_shared();
        let (byte, answer) = if whole { env.i2c_read() } else { (u8::MAX, Answer::default()) };
        let stretch = env.periods_of(answer.stretch);
        self.bits(Byte::Received(byte), stretch, env);
    }

    fn bits(&mut self, byte: Byte, stretch: u64, env: &mut Env<'_, '_>) {
        let (Byte::Address(bits) | Byte::Data(bits) | Byte::Received(bits)) = byte;
        let end = self.clock(bits.reverse_bits().into(), 8, stretch, env);
        (self.sampled, self.clocks) = (0, 0);
        self.enter(Phase::Bits(byte), end, env);
    }

    /// A rise of SCL on a bus that others drive, too. Who has let SDA go and finds it low has lost the arbitration, and sees
    /// on as a target if it was about the address (8271H §22.8).
    fn follow(&mut self, env: &mut Env<'_, '_>) {
        let high = env.input(pin::SDA);
        (self.sampled, self.clocks) = (self.sampled << 1 | u8::from(high), self.clocks.saturating_add(1));
        let byte = match &mut self.phase {
            Phase::Ninth(Byte::Address(_) | Byte::Data(_), acknowledged) => return *acknowledged = !high,
            Phase::Bits(byte @ (Byte::Address(_) | Byte::Data(_))) => *byte,
            _ => return,
        };
        let outputs = env.instance.outputs;
        let released = outputs[pin::SDA].is_some_and(|sda| !env.wires.shared.is_output(sda));
        if !released || high {
            return;
        }
        self.give_up(env);
        match byte {
            Byte::Address(bits) => self.target = Target::after_loss(bits, self.clocks),
            _ => {
                self.target = Target::elsewhere();
                self.tell(status::LOST, env);
            }
        }
    }

    fn acknowledge_bit(&mut self, byte: Byte, answer: Answer, env: &mut Env<'_, '_>) {
        let stretch = env.periods_of(answer.stretch);
        let end = self.clock(u64::from(!answer.acknowledged), 1, stretch, env);
        self.enter(Phase::Ninth(byte, answer.acknowledged), end, env);
    }

    /// Tells observers about `byte` on a bus whose transfers nobody gets whole.
    fn tell_shared(&self, byte: Byte, acknowledged: bool, env: &mut Env<'_, '_>) {
        match byte {
            Byte::Address(bits) => {
                let (address, read) = (I2cAddress::Seven(bits >> 1), bits & 1 != 0);
                env.transfer(Transfer::I2cStart { address, read, acknowledged });
            }
            Byte::Data(byte) => env.transfer(Transfer::I2cByte { byte, acknowledged }),
            Byte::Received(_) => {}
        }
    }

    /// The targets' answer to the eight bits of `byte`.
    fn ask(&mut self, byte: Byte, env: &mut Env<'_, '_>) -> Answer {
        match byte {
            // The first byte of an address of ten bits (UM10204 §3.1.11).
            Byte::Address(bits) if bits & 0xF8 == 0xF0 => {
                let read = bits & 1 != 0;
                self.sends = read;
                if let Some(address) = self.ten.filter(|_| read) {
                    return env.i2c_start(I2cAddress::Ten(address), true);
                }
                let high = bits >> 1 & 3;
                let acknowledged = env.i2c_header(high);
                self.ten = acknowledged.then_some(u16::from(high) << 8);
                Answer { acknowledged, ..Answer::default() }
            }
            Byte::Address(bits) => {
                (self.sends, self.ten) = (bits & 1 != 0, None);
                env.i2c_start(I2cAddress::Seven(bits >> 1), bits & 1 != 0)
            }
            Byte::Data(bits) => match self.ten.filter(|_| self.tws == status::WRITE_ADDRESSED) {
                Some(high) => {
                    let address = high & 0x300 | u16::from(bits);
                    self.ten = Some(address);
                    env.i2c_start(I2cAddress::Ten(address), false)
                }
                None => env.i2c_write(bits),
            },
            Byte::Received(_) => Answer::default(),
        }
    }

    /// The phase under way is over.
    fn step(&mut self, env: &mut Env<'_, '_>) {
        let phase = std::mem::replace(&mut self.phase, Phase::Held);
        if !matches!(phase, Phase::Stopping | Phase::Free) {
            show(pin::SCL, false, env);
        }
        match phase {
            Phase::Free | Phase::Held => self.phase = phase,
            Phase::Starting { repeated: false } => self.tell(status::START, env),
            Phase::Starting { repeated: true } => self.tell(status::REPEATED_START, env),
            Phase::Bits(Byte::Received(byte)) => {
                let byte = Byte::Received(if env.is_shared() { self.sampled } else { byte });
                let answer = Answer { acknowledged: self.is(TWEA), ..Answer::default() };
                self.acknowledge_bit(byte, answer, env);
            }
            // The line tells who acknowledges, with the ninth clock.
            Phase::Bits(byte) if env.is_shared() => {
                self.sends = if let Byte::Address(bits) = byte { bits & 1 != 0 } else { self.sends };
                self.acknowledge_bit(byte, Answer::default(), env);
            }
            Phase::Bits(byte) => {
                let answer = self.ask(byte, env);
                self.acknowledge_bit(byte, answer, env);
            }
            Phase::Ninth(byte, acknowledged) => {
                if env.is_shared() {
                    self.tell_shared(byte, acknowledged, env);
                }
                self.ninth(byte, acknowledged, env);
            }
            Phase::Stopping => {
                show(pin::SDA, true, env);
                env.i2c_stop();
                self.phase = Phase::Free;
                self.free_from = env.now() + self.half(env);
                self.twcr &= !TWSTO;
                (self.tws, self.ten, self.target) = (status::NOTHING, None, Target::default());
                self.go(env);
            }
        }
    }

    /// The ninth bit of `byte` is over.
    fn ninth(&mut self, byte: Byte, acknowledged: bool, env: &mut Env<'_, '_>) {
        let codes = match byte {
            Byte::Address(bits) if bits & 1 == 0 => [status::WRITE_REFUSED, status::WRITE_ADDRESSED],
            Byte::Address(_) => [status::READ_REFUSED, status::READ_ADDRESSED],
            Byte::Data(_) => [status::SENT_REFUSED, status::SENT],
            Byte::Received(byte) => {
                env.transfer(Transfer::I2cByte { byte, acknowledged });
                self.twdr = byte;
                self.sends &= acknowledged;
                [status::RECEIVED_LAST, status::RECEIVED]
            }
        };
        self.tell(codes[usize::from(acknowledged)], env);
    }

    fn control(&mut self, value: u8, env: &mut Env<'_, '_>) {
        let was_on = self.is(TWEN);
        self.twcr = value & !(TWINT | TWWC) | self.twcr & TWWC;
        if value & TWINT != 0 {
            self.twint = false;
        }
        match (was_on, self.is(TWEN)) {
            (true, false) => {
                if self.phase != Phase::Free {
                    env.gap(GapKind::Setting, format_args!("TWI is switched off inside a transfer, which is given up"));
                }
                self.give_up(env);
                self.tws = status::NOTHING;
            }
            (false, true) => self.hold_pins(env),
            _ => {}
        }
        self.go(env);
        self.line(env);
    }
}

impl Block<Avr> for Twi {
    fn read(&mut self, register: u8, _: &mut Env<'_, '_>) -> u8 {
        match register {
            register::TWBR => self.twbr,
            register::TWSR => self.tws | self.twps,
            register::TWAR => self.twar,
            register::TWDR => self.twdr,
            register::TWCR => self.twcr | if self.twint { TWINT } else { 0 },
            _ => self.twamr,
        }
    }

    fn still(&self, _: u8, _: u64, _: &Shared) -> Option<u64> {
        Some(u64::MAX)
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        match register {
            register::TWBR => self.twbr = value,
            register::TWSR => self.twps = value & 3,
            register::TWAR => self.twar = value,
            register::TWDR if self.twint => {
                self.twdr = value;
                self.twcr &= !TWWC;
            }
            // TWDR takes nothing while a byte is shifted (8271H §22.9.4); before the first start it is free.
            register::TWDR if self.phase == Phase::Free && !self.target.is_addressed() => self.twdr = value,
            register::TWDR => self.twcr |= TWWC,
            register::TWCR => self.control(value, env),
            _ => self.twamr = value,
        }
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        if kind == STEP {
            self.step(env);
        }
    }

    fn hears(&self, _: usize) -> bool {
        self.is(TWEN) && self.phase == Phase::Free
    }

    fn hears_shared(&self, index: usize) -> bool {
        self.hears(index) || matches!(self.phase, Phase::Bits(_) | Phase::Ninth(..)) && index == pin::SCL
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        if self.is(TWEN) && self.phase == Phase::Free {
            self.edge(index, high, env);
        } else if index == pin::SCL && high && env.is_shared() {
            self.follow(env);
        }
    }

    fn after_change(&mut self, change: Change, env: &mut Env<'_, '_>) {
        if change == Change::Power && !env.powered() && self.phase != Phase::Free {
            env.gap(GapKind::Setting, format_args!("power reduction stops TWI during a transfer"));
            self.give_up(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        *self = Self::default();
        self.give_up(env);
    }

    /// The lines are the block's as long as it is on; they are let go.
    fn output(&self, signal: &str) -> Option<bool> {
        (matches!(signal, "SCL" | "SDA") && self.is(TWEN)).then_some(true)
    }
}
