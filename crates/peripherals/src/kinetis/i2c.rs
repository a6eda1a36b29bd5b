//! I2C of the Kinetis K20 as a controller (K20P64M72SF1RM, "Inter-Integrated Circuit (I2C)").
//!
//! A byte takes two events: the fall of SCL after its eighth bit, at which a target decides on its acknowledgement, and the
//! fall after the ninth. SCL is low until software writes or reads D, or asks for a condition.
//!
//! Not modelled, and named when used: the target's side (A1, C2, RA), SMBus, wake-up and DMA requests. Lines rise at once and
//! have no glitches, so that FLT changes nothing, and nobody else takes the bus, so that no arbitration is lost.

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{GapKind, I2cAddress, TimingRow, Transfer};

use crate::bank::some;
use crate::wires::{Answer, Wave};
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Lines, Modelled, Source, Span, Tree, Words, Write};

use super::registers::{bank, byte};

/// Words of the block: A1, F, C1, S; D, C2, FLT, RA.
const CONTROL: u32 = 0x00;
const DATA: u32 = 0x04;

const RSTA: u32 = 1 << 18;
const TXAK: u32 = 1 << 19;
const TX: u32 = 1 << 20;
const MST: u32 = 1 << 21;
const IICIE: u32 = 1 << 22;
const IICEN: u32 = 1 << 23;
const RXAK: u32 = 1 << 24;
const IICIF: u32 = 1 << 25;
const ARBL: u32 = 1 << 28;
const BUSY: u32 = 1 << 29;
const TCF: u32 = 1 << 31;

/// The modelled registers and fields, with the values after reset ("I2C memory map").
pub const MODEL: &[Modelled] = &[
    some(
        "A1_F_C1_S",
        0x8000_0000,
        &[
            "F.ICR", "F.MULT", "C1.RSTA", "C1.TXAK", "C1.TX", "C1.MST", "C1.IICIE", "C1.IICEN", "S.RXAK", "S.IICIF",
            "S.SRW", "S.RAM", "S.ARBL", "S.BUSY", "S.IAAS", "S.TCF",
        ],
    ),
    some("D_C2_FLT_RA", 0, &["D.DATA", "FLT.FLT"]),
];

/// The timing that does not follow from the divider.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "i2c.halves",
    "halves of SCL's period for which it is low, and high",
    1,
    "K20P64M72SF1RM, \"I2C divider and hold values\", has the period and the holds, not its share; FLT is taken to delay nothing",
)];

/// The divider of SCL, and the holds of SDA, of a start and of a stop condition, by ICR in steps of eight ("I2C divider and hold
/// values"), in periods of the bus clock.
const HOLDS: [[u16; 4]; 64] = holds();

const fn holds() -> [[u16; 4]; 64] {
    // The first eight are a row of their own; each further row of eight has a base, and grows by steps.
    const FIRST: [[u16; 4]; 8] = [
        [20, 7, 6, 11],
        [22, 7, 7, 12],
        [24, 8, 8, 13],
        [26, 8, 9, 14],
        [28, 9, 10, 15],
        [30, 9, 11, 16],
        [34, 10, 13, 18],
        [40, 10, 16, 21],
    ];
    const DIVIDERS: [[u16; 8]; 3] =
        [[28, 32, 36, 40, 44, 48, 56, 68], [48, 56, 64, 72, 80, 88, 104, 128], [80, 96, 112, 128, 144, 160, 192, 240]];
    let mut table = [[0; 4]; 64];
    let mut icr = 0;
    while icr < 64 {
        let (row, column) = (icr / 8, icr % 8);
        table[icr] = match row {
            0 => FIRST[icr],
            1..=3 => {
                let divider = DIVIDERS[row - 1][column];
                let step = 2u16 << (row - 1);
                let base = if row == 1 { 7 } else { 9 };
                let step = if row == 3 { 8 } else { step };
                [divider, base + column as u16 / 2 * step, divider / 2 - START[row - 1], divider / 2 + 1]
            }
            _ => {
                let divider = DIVIDERS[2][column] << (row - 3);
                let step = 8u16 << (row - 3);
                [divider, step + 1 + column as u16 / 2 * step, divider / 2 - 2, divider / 2 + 1]
            }
        };
        icr += 1;
    }
    table
}

/// Half a period less the hold of a start condition, in the second to fourth row.
const START: [u16; 3] = [4, 6, 2];

/// The event at which the phase under way ends.
const STEP: u16 = 0;

/// The part of a transfer that is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Both lines are high.
    #[default]
    Free,
    /// A start condition, up to the fall of SCL.
    Starting,
    /// Eight bits; received ones if true.
    Bits(u8, bool),
    /// The acknowledgement.
    Ninth(u8, bool, bool),
    /// SCL is low until software goes on.
    Held,
    /// A stop condition.
    Stopping,
}

/// The times of the bus.
#[derive(Clone, Copy, Debug)]
struct Times {
    half: Span,
    hold: Span,
    start: Span,
    stop: Span,
}

/// One block.
#[derive(Clone, Debug)]
pub struct I2c {
    bank: Bank,
    lines: Lines,
    clock: Source,
    phase: Phase,
    /// When the phase ends, or ended.
    end: Instant,
    /// The byte that D got during a condition.
    waiting: Option<u8>,
    /// A stop or a repeated start was asked for inside a byte.
    stops: bool,
    restarts: bool,
    /// The next byte is an address.
    addresses: bool,
    /// True while the target that was addressed sends.
    sends: bool,
    sda: bool,
}

impl I2c {
    /// The block `instance`, clocked by its bus.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: bank(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", u32::MAX)]),
            clock: instance.clock.source(),
            phase: Phase::Free,
            end: Instant::default(),
            waiting: None,
            stops: false,
            restarts: false,
            addresses: false,
            sends: false,
            sda: true,
        }
    }

    fn control(&self) -> u32 {
        self.bank.get(CONTROL)
    }

    fn is(&self, bit: u32) -> bool {
        self.control() & bit != 0
    }

    fn times(&self, env: &mut Env<'_, '_>) -> Times {
        ROWS.iter().for_each(|row| env.wires.note(row));
        let f = self.control() >> 8 & 0xFF;
        // MULT 3 is reserved, taken as 4.
        let tick = env.clocks().period_of(self.clock).times(1 << (f >> 6).min(2));
        let [divider, hold, start, stop] = HOLDS[(f & 0x3F) as usize].map(u64::from);
        Times {
            half: tick.times(divider / 2),
            hold: tick.times(hold),
            start: tick.times(start),
            stop: tick.times(stop),
        }
    }

    fn enter(&mut self, phase: Phase, end: Instant, env: &mut Env<'_, '_>) {
        (self.phase, self.end) = (phase, end);
        env.schedule(STEP, end);
    }

    fn show(signal: &'static str, level: Option<bool>, env: &mut Env<'_, '_>) {
        env.effect(Effect::Output { signal, level });
    }

    /// SCL rises half a period behind now; SDA has the levels `bits` meanwhile and later.
    fn clocks(&mut self, bits: u8, count: u8, stretch: Picoseconds, env: &mut Env<'_, '_>) -> Instant {
        let Times { half, hold, .. } = self.times(env);
        let (at, stretch) = (env.now(), env.clocks().span(stretch));
        let rise = at.after(half).max(at.after(stretch));
        env.wave(Wave { signal: "SCL", start: rise, steps: [half; 2], levels: 0x5555, count: 2 * count - 1 });
        // SDA changes at once, and then a hold behind each fall.
        let first = bits & 1 != 0;
        Self::show("SDA", Some(first), env);
        if count > 1 {
            let (start, steps) = (rise.after(half).after(hold), [half.times(2); 2]);
            env.wave(Wave { signal: "SDA", start, steps, levels: u64::from(bits >> 1), count: count - 1 });
        }
        self.sda = bits >> (count - 1) & 1 != 0;
        rise.after(half).after(half.times(2 * u64::from(count - 1)))
    }

    /// Sends a byte, or begins to receive one.
    fn transfer(&mut self, sent: Option<u8>, env: &mut Env<'_, '_>) {
        self.bank.flag(CONTROL, TCF, false);
        let (bits, answer) = match sent {
            Some(bits) => (bits, Answer::default()),
            None if self.sends => env.i2c_read(),
            None => (u8::MAX, Answer::default()),
        };
        let end = self.clocks(bits.reverse_bits(), 8, answer.stretch, env);
        self.enter(Phase::Bits(bits, sent.is_none()), end, env);
    }

    fn start(&mut self, env: &mut Env<'_, '_>) {
        let Times { half, start, .. } = self.times(env);
        let at = env.now();
        self.addresses = true;
        if self.phase == Phase::Free {
            self.bank.flag(CONTROL, BUSY, true);
            Self::show("SDA", Some(false), env);
            self.sda = false;
            return self.enter(Phase::Starting, at.after(start), env);
        }
        let rise = at.after(half);
        Self::show("SDA", Some(true), env);
        env.wave(Wave { signal: "SCL", start: rise, steps: [half; 2], levels: 1, count: 1 });
        env.wave(Wave { signal: "SDA", start: rise.after(half), steps: [half; 2], levels: 0, count: 1 });
        self.sda = false;
        self.enter(Phase::Starting, rise.after(half).after(start), env);
    }

    fn stop(&mut self, env: &mut Env<'_, '_>) {
        let Times { half, stop, .. } = self.times(env);
        let rise = env.now().after(half);
        Self::show("SDA", Some(false), env);
        self.sda = false;
        env.wave(Wave { signal: "SCL", start: rise, steps: [half; 2], levels: 1, count: 1 });
        self.enter(Phase::Stopping, rise.after(stop), env);
    }

    /// SCL is low, and nothing goes on: what software has asked for meanwhile.
    fn go_on(&mut self, env: &mut Env<'_, '_>) {
        if std::mem::take(&mut self.stops) {
            (self.waiting, self.restarts) = (None, false);
            self.stop(env);
        } else if std::mem::take(&mut self.restarts) {
            self.start(env);
        } else if let Some(sent) = self.waiting.take() {
            self.transfer(Some(sent), env);
        }
    }

    /// The phase under way is over.
    fn step(&mut self, env: &mut Env<'_, '_>) {
        let phase = std::mem::replace(&mut self.phase, Phase::Held);
        if !matches!(phase, Phase::Stopping | Phase::Free) {
            Self::show("SCL", Some(false), env);
        }
        match phase {
            Phase::Free | Phase::Held => self.phase = phase,
            Phase::Starting => self.go_on(env),
            Phase::Bits(bits, received) => {
                let answer = match (received, std::mem::take(&mut self.addresses)) {
                    (true, _) => Answer { acknowledged: !self.is(TXAK), ..Answer::default() },
                    (false, true) => {
                        self.sends = bits & 1 != 0;
                        env.i2c_start(I2cAddress::Seven(bits >> 1), bits & 1 != 0)
                    }
                    (false, false) => env.i2c_write(bits),
                };
                let end = self.clocks(u8::from(!answer.acknowledged), 1, answer.stretch, env);
                self.enter(Phase::Ninth(bits, received, answer.acknowledged), end, env);
            }
            Phase::Ninth(bits, received, acknowledged) => {
                if received {
                    env.transfer(Transfer::I2cByte { byte: bits, acknowledged });
                    self.bank.flag(DATA, 0xFF, false);
                    self.bank.flag(DATA, bits.into(), true);
                    self.sends &= acknowledged;
                } else {
                    self.bank.flag(CONTROL, RXAK, !acknowledged);
                }
                self.bank.flag(CONTROL, TCF | IICIF, true);
                self.go_on(env);
            }
            Phase::Stopping => {
                Self::show("SDA", Some(true), env);
                env.i2c_stop();
                (self.phase, self.sda) = (Phase::Free, true);
                self.bank.flag(CONTROL, BUSY, false);
                if self.is(MST) {
                    self.start(env);
                }
            }
        }
    }

    fn give_up(&mut self, env: &mut Env<'_, '_>) {
        (self.phase, self.sda, self.waiting) = (Phase::Free, true, None);
        (self.stops, self.restarts) = (false, false);
        env.cancel(STEP);
        env.end_waves();
    }

    /// C1, or another byte of its word but S, was written.
    fn commanded(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        self.bank.flag(CONTROL, RSTA, false);
        if (old ^ new) & IICEN != 0 {
            if new & IICEN == 0 {
                self.bank.flag(CONTROL, BUSY | IICIF | RXAK, false);
                self.bank.flag(CONTROL, TCF, true);
            }
            self.give_up(env);
            for signal in ["SCL", "SDA"] {
                Self::show(signal, self.output(signal), env);
            }
        }
        if new & IICEN == 0 {
            return;
        }
        if new & !old & MST != 0 && self.phase == Phase::Free {
            self.start(env);
        } else if old & !new & MST != 0 {
            self.stops = self.phase != Phase::Free;
        } else if new & RSTA != 0 && new & MST != 0 {
            self.restarts = true;
        }
        if self.phase == Phase::Held {
            self.go_on(env);
        }
    }

    fn write_data(&mut self, data: u8, env: &mut Env<'_, '_>) {
        self.bank.flag(DATA, 0xFF, false);
        self.bank.flag(DATA, data.into(), true);
        if self.control() & (MST | TX) != MST | TX {
            return;
        }
        match self.phase {
            Phase::Held => self.transfer(Some(data), env),
            Phase::Starting => self.waiting = Some(data),
            _ => env.gap(GapKind::Setting, format_args!("{}: D is written during a transfer", env.name())),
        }
    }

    fn settle(&self, env: &mut Env<'_, '_>) {
        self.lines.drive(u32::from(self.is(IICIF) && self.is(IICIE)), env);
    }
}

impl Block<Words> for I2c {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = self.bank.read(offset & !3, env);
        // Reading D begins to receive the next byte.
        if offset == DATA && self.phase == Phase::Held && self.control() & (MST | TX) == MST {
            self.transfer(None, env);
        }
        value
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset & !3 == DATA { None } else { self.bank.still(offset & !3) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CONTROL => {
                // S: flags that are cleared by ones.
                self.bank.flag(CONTROL, write.ones() & (IICIF | ARBL), false);
                let others = Write { lanes: write.lanes & 0x00FF_FFFF, ..write };
                let (old, new) = self.bank.write(CONTROL, others, env);
                self.commanded(old, new, env);
            }
            DATA => {
                let others = Write { lanes: write.lanes & !0xFF, ..write };
                self.bank.write(DATA, others, env);
                if let Some(data) = byte(write, 0) {
                    self.write_data(data, env);
                }
            }
            _ => {
                self.bank.write(offset, write, env);
            }
        }
        self.settle(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        self.step(env);
        self.settle(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.give_up(env);
        for signal in ["SCL", "SDA"] {
            Self::show(signal, None, env);
        }
        self.settle(env);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        if !matches!(self.phase, Phase::Free | Phase::Held) {
            let (before, after) = (old.period_of(self.clock), env.clocks().period_of(self.clock));
            if after != Span::ZERO && self.end > env.now() {
                self.end = self.end.rescaled(env.now(), before, after);
            }
            env.schedule(STEP, self.end);
        }
    }

    fn refine(&mut self, times: u64) {
        self.end = self.end.refined(times);
    }

    /// The levels that the phase under way leaves.
    fn output(&self, signal: &str) -> Option<bool> {
        let level = match signal {
            "SCL" => matches!(self.phase, Phase::Free | Phase::Starting | Phase::Stopping),
            "SDA" => self.sda,
            _ => return None,
        };
        self.is(IICEN).then_some(level)
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}

#[cfg(test)]
mod tests {
    use super::HOLDS;

    #[test]
    fn dividers_and_holds_are_the_table_s() {
        for (icr, expected) in [
            (0x00, [20, 7, 6, 11]),
            (0x07, [40, 10, 16, 21]),
            (0x08, [28, 7, 10, 15]),
            (0x0B, [40, 9, 16, 21]),
            (0x0F, [68, 13, 30, 35]),
            (0x10, [48, 9, 18, 25]),
            (0x15, [88, 17, 38, 45]),
            (0x17, [128, 21, 58, 65]),
            (0x18, [80, 9, 38, 41]),
            (0x1F, [240, 33, 118, 121]),
            (0x20, [160, 17, 78, 81]),
            (0x27, [480, 65, 238, 241]),
            (0x2A, [448, 65, 222, 225]),
            (0x34, [1152, 193, 574, 577]),
            (0x3F, [3840, 513, 1918, 1921]),
        ] {
            assert_eq!(HOLDS[icr], expected, "{icr:#04x}");
        }
    }
}
