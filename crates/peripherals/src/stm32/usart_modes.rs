//! Modes of ST's USART beyond plain frames: the break detection of LIN, light by IrDA, smartcards, and the enable signal of an
//! RS485 driver (RM0008, RM0390, RM0490, "LIN (local interconnection network) mode", "IrDA SIR ENDEC block", "Smartcard mode";
//! RM0490, "RS232 hardware flow control and RS485 driver enable").
//!
//! Input arrives in characters and breaks, not in edges: light that other pulses make is not decoded, and no card answers a
//! character with NACK.

use cyclescope_machine::{GapKind, TimingRow};

use super::usart::{TC, Usart, Version};
use crate::serial::Registers;
use crate::wires::{Square, Wave};
use crate::{Effect, Env, Instant, Span, Tree};

/// The event at which the transmitter has waited for the driver, or for a card's guard time.
pub(super) const WAITED: u16 = 3;

/// LBD of SR, LBDF of ISR.
pub(super) const LBD: u32 = 1 << 8;

/// Bits of CR2.
const LBDL: u32 = 1 << 5;
pub(super) const LBDIE: u32 = 1 << 6;
const CLKEN: u32 = 1 << 11;
pub(super) const LINEN: u32 = 1 << 14;

/// Bits of CR3.
pub(super) const IREN: u32 = 1 << 1;
const IRLP: u32 = 1 << 2;
pub(super) const SCEN: u32 = 1 << 5;
const DEP: u32 = 1 << 15;

/// The row for the pulses of IrDA.
pub(super) const IRDA: TimingRow = TimingRow::assumed(
    "usart.irda_pulse",
    "from the start of a bit that is 0 to its pulse, in sixteenths of the bit",
    7,
    "RM0390 and RM0490 draw the pulse in the middle of the bit and give its length alone, 3/16",
);

/// The row for the flag of a break.
pub(super) const BREAK_SEEN: TimingRow = TimingRow::assumed(
    "usart.lin_break",
    "from the end of a break's low level to the flag that LIN's detection sets, in periods of the baud rate's clock",
    0,
    "RM0390, RM0490, LIN reception: set once the line has returned to high; no exact point given",
);
/// The place of these among a version's rows.
const IRDA_ROW: usize = 2;
const BREAK_ROW: usize = 3;

/// The state of these modes.
#[derive(Clone, Copy, Debug)]
pub struct Modes {
    /// The bits for which the break on the line is low.
    pub(super) low: u64,
    /// The end of the last frame that went out.
    pub(super) ended: Instant,
    /// The driver is enabled.
    driver: bool,
    /// The driver is let go at [`Modes::until`].
    falls: bool,
    /// The end of the time for which the transmitter waits.
    until: Instant,
    /// The transmitter waits for the driver or the card.
    waits: bool,
    /// The level of DE that the pins have.
    shown: Option<bool>,
    /// The period of the clock at CK; zero where there is none.
    clock: Span,
}

impl Default for Modes {
    fn default() -> Self {
        Self {
            low: 0,
            ended: Instant::default(),
            driver: false,
            falls: false,
            until: Instant::NEVER,
            waits: false,
            shown: None,
            clock: Span::ZERO,
        }
    }
}

impl Modes {
    /// The unit of time has become `times` smaller.
    pub(super) fn refine(&mut self, times: u64) {
        self.until = self.until.refined(times);
        self.ended = self.ended.refined(times);
        self.clock = self.clock.times(times);
    }
}

impl<V: Version> Usart<V> {
    /// The time of a bit.
    pub(super) fn bit_time(&self, env: &Env<'_, '_>) -> Span {
        V::bit(self, env.clocks().period_of(self.clock))
    }

    /// True if the port has sent light since the character began that ends now: it heard nothing then (RM0008, RM0390, RM0490, "IrDA
    /// SIR ENDEC block").
    pub(super) fn is_dazzled(&self, env: &Env<'_, '_>) -> bool {
        let frame = self.bit_time(env).times(self.format().half_bits()).half();
        let sent = self.port.is_sending() || env.now().since(self.modes.ended) < frame;
        self.get(V::CR[2]) & IREN != 0 && sent
    }

    /// True in smartcard mode.
    pub(super) fn has_card(&self) -> bool {
        self.get(V::CR[2]) & SCEN != 0
    }

    /// The value of GTPR.PSC.
    fn prescaler(&self) -> u64 {
        u64::from(self.get(V::GTPR) & 0xFF)
    }

    /// The level of DE, where the port drives it.
    pub(super) fn driver_level(&self) -> Option<bool> {
        V::driver_times(self, Span::ZERO)?;
        Some(self.modes.driver != (self.get(V::CR[2]) & DEP != 0))
    }

    /// DE follows the transmitter.
    pub(super) fn show_driver(&mut self, env: &mut Env<'_, '_>) {
        let level = self.driver_level();
        if level != std::mem::replace(&mut self.modes.shown, level) {
            env.effect(Effect::Output { signal: "DE", level });
        }
    }

    /// The transmitter begins nothing before `span` is over.
    fn wait(&mut self, span: Span, env: &mut Env<'_, '_>) {
        self.modes.until = env.now().after(span);
        self.modes.waits = span != Span::ZERO;
        env.schedule(WAITED, if self.modes.waits { self.modes.until } else { Instant::NEVER });
    }

    /// True if a frame or a break may begin now. The driver is enabled before it (RM0490, USART_CR1.DEAT); while it is let go, what
    /// comes waits for both times (USART_CR1.DEDT).
    pub(super) fn may_begin(&mut self, env: &mut Env<'_, '_>) -> bool {
        if self.modes.waits {
            return false;
        }
        let period = env.clocks().period_of(self.clock);
        let Some([before, _]) = V::driver_times(self, period).filter(|_| !self.modes.driver) else { return true };
        self.modes.driver = true;
        self.show_driver(env);
        self.wait(before, env);
        !self.modes.waits
    }

    /// A frame (or, if not `counts`, a break) is out: what the transmitter waits for behind it.
    pub(super) fn frame_over(&mut self, counts: bool, env: &mut Env<'_, '_>) {
        let empty = self.port.to_send.is_empty();
        self.modes.ended = env.now();
        if counts && self.has_card() {
            // RM0008, RM0390, RM0490, GTPR.GT: in bits; TC comes behind it.
            let guard = self.bit_time(env).times(u64::from(self.get(V::GTPR) >> 8 & 0xFF));
            self.wait(guard, env);
        }
        if empty && counts && !self.modes.waits {
            self.bank.flag(V::STATUS, TC, true);
        }
        let period = env.clocks().period_of(self.clock);
        if let Some([_, behind]) = V::driver_times(self, period).filter(|_| empty && self.modes.driver) {
            self.modes.falls = true;
            self.wait(behind, env);
            self.fall(env);
        }
    }

    /// The driver is let go, if it is time.
    fn fall(&mut self, env: &mut Env<'_, '_>) {
        if !self.modes.waits && std::mem::take(&mut self.modes.falls) {
            self.modes.driver = false;
            self.show_driver(env);
        }
    }

    /// [`WAITED`] is due.
    pub(super) fn waited(&mut self, env: &mut Env<'_, '_>) {
        if !self.modes.waits || env.now() < self.modes.until {
            return;
        }
        self.modes.waits = false;
        self.fall(env);
        if self.has_card() && self.port.to_send.is_empty() && !self.port.is_sending() {
            self.bank.flag(V::STATUS, TC, true);
        }
        self.transmit(env);
    }

    /// The transmitter stops, and the driver with it.
    pub(super) fn rest(&mut self, env: &mut Env<'_, '_>) {
        (self.modes.driver, self.modes.falls) = (false, false);
        self.wait(Span::ZERO, env);
    }

    /// The pulses of a frame with `levels` at its `count` halves of a bit: for each 0 one of 3/16 of a bit, or with IRLP of three
    /// periods of the prescaled clock (RM0390, RM0490, "IrDA SIR ENDEC block").
    pub(super) fn shine(&mut self, levels: u64, count: u8, env: &mut Env<'_, '_>) {
        if self.prescaler() == 0 {
            let name = env.name();
            env.gap(GapKind::Setting, format_args!("{name}: GTPR.PSC=0 is reserved in IrDA mode"));
        }
        let (bit, period) = (self.bit_time(env), env.clocks().period_of(self.clock));
        let sixteenths = |count| bit.times(count).rescaled(period.times(16), period);
        let low_power = self.get(V::CR[2]) & IRLP != 0;
        let pulse = if low_power { period.times(3 * self.prescaler().max(1)) } else { sixteenths(3) };
        let bits = u32::from(count / 2);
        let light = (0..bits).fold(0, |light, at| light | u64::from(levels >> (2 * at) & 1 == 0) << (2 * at));
        let start = env.now().after(sixteenths(env.cycles(&V::ROWS[IRDA_ROW])));
        env.wave(Wave { signal: "TX", start, steps: [pulse, bit.minus(pulse)], levels: light, count: 2 * bits as u8 });
    }

    /// The line is high behind a break (RM0008, RM0390, RM0490, CR2.LBDL: of 10 bits at least, or 11).
    pub(super) fn end_break(&mut self, env: &mut Env<'_, '_>) {
        let cr2 = self.get(V::CR[1]);
        let least = if cr2 & LBDL != 0 { 11 } else { 10 };
        if cr2 & LINEN != 0 && self.modes.low >= least {
            env.cycles(&V::ROWS[BREAK_ROW]);
            self.bank.flag(V::STATUS, LBD, true);
        }
    }

    fn has_clock(&self) -> bool {
        self.cr1() & V::UE != 0 && self.get(V::CR[1]) & CLKEN != 0
    }

    /// Names settings of CK that make no clock.
    pub(super) fn check_clock(&self, env: &mut Env<'_, '_>) {
        let name = env.name();
        if self.has_clock() && !self.has_card() {
            env.gap(GapKind::Setting, format_args!("{name}: CR2.CLKEN: synchronous mode is not modelled; CK stands"));
        } else if self.has_clock() && self.prescaler() & 0x1F == 0 {
            env.gap(GapKind::Setting, format_args!("{name}: GTPR.PSC=0 is reserved in smartcard mode; CK stands"));
        }
    }

    /// The clock of a card at CK (RM0008, RM0390, RM0490, "Smartcard mode", GTPR.PSC: half of the division).
    pub(super) fn show_clock(&mut self, env: &mut Env<'_, '_>) {
        let on = self.has_clock() && self.has_card();
        let divider = 2 * (self.prescaler() & 0x1F) * u64::from(on);
        let clock = env.clocks().period_of(self.clock).times(divider);
        if clock == std::mem::replace(&mut self.modes.clock, clock) {
            return;
        }
        if clock == Span::ZERO {
            env.end_square("CK");
            env.effect(Effect::Output { signal: "CK", level: None });
        } else {
            env.square(Square { signal: "CK", start: env.now(), steps: [clock.half(), clock.minus(clock.half())] });
        }
    }

    /// The clock has changed from what it was in `old`: what is left of waiting stretches with it.
    pub(super) fn rescale_modes(&mut self, old: &Tree, env: &mut Env<'_, '_>) {
        if self.modes.waits {
            let (before, after) = (old.period_of(self.clock), env.clocks().period_of(self.clock));
            self.modes.until = self.modes.until.rescaled(env.now(), before, after);
            env.schedule(WAITED, self.modes.until);
        }
    }
}
