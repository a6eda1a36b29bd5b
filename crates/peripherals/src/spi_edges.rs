//! SPI edge by edge, below the registers of STM32 and Kinetis: a target, and a controller on lines that others drive, too.
//!
//! A target takes a frame from its buffer at the first clock of the frame; before that its line shows the bit that would come.
//! The counter of bits goes on where a chip select cuts a frame off.

use cyclescope_machine::{GapKind, TimingRow, Transfer};

use crate::{Effect, Env, Instant};

/// A frame in the shift register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The bits that go out, the first the highest.
    pub(crate) sent: u32,
    pub(crate) bits: u8,
    pub(crate) end: Instant,
    /// True for a frame of the CRC.
    pub(crate) crc: bool,
}

/// The bits of a frame, from the lowest on.
pub(crate) const fn mask(bits: u8) -> u32 {
    if bits >= 32 { u32::MAX } else { (1 << bits) - 1 }
}

/// The lines as they are heard, and the frame under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edges {
    pub(crate) nss: bool,
    sck: bool,
    mosi: bool,
    miso: bool,
    /// The target's frame.
    frame: Option<Frame>,
    /// Bits of the frame that have come.
    count: u8,
    /// The bits that have come, in the order of the wire.
    pub(crate) received: u32,
    /// The frame that went out last.
    last: u32,
    /// The level that the target puts on its line.
    shown: Option<bool>,
    /// TI's format: a pulse of NSS has announced a frame.
    announced: bool,
}

impl Default for Edges {
    fn default() -> Self {
        Self {
            nss: true,
            sck: false,
            mosi: false,
            miso: false,
            frame: None,
            count: 0,
            received: 0,
            last: 0,
            shown: None,
            announced: false,
        }
    }
}

impl Edges {
    /// True inside a frame of the target.
    pub(crate) const fn is_busy(&self) -> bool {
        self.count > 0
    }

    /// The level that the target puts on its line.
    pub(crate) const fn shown(&self) -> Option<bool> {
        self.shown
    }

    /// The frame under way is forgotten; the levels stay.
    pub(crate) fn forget(&mut self) {
        *self = Self { nss: self.nss, sck: self.sck, mosi: self.mosi, miso: self.miso, ..Self::default() };
    }
}

/// A block that follows the edges of its lines.
pub(crate) trait Follower {
    /// The signal by which a target is selected.
    const SELECT: &'static str;
    /// The signal that a target drives.
    const ANSWER: &'static str;

    /// The lines.
    fn edges(&mut self) -> &mut Edges;

    /// True as a target that is on.
    fn is_target(&self) -> bool;

    /// True while a controller's frame is under way.
    fn is_framing(&self) -> bool;

    /// True with TI's frame format.
    fn is_ti(&self) -> bool {
        false
    }

    /// The level of an idle clock.
    fn is_idle_high(&self) -> bool;

    /// True if the first edge of a clock begins its bit.
    fn is_late(&self) -> bool;

    /// True if bits are taken from MOSI.
    fn takes_mosi(&self) -> bool;

    /// True if software selects the target.
    fn selects_by_software(&self) -> bool {
        false
    }

    /// True if the target is selected.
    fn is_selected(&self) -> bool;

    /// The bits of a frame.
    fn frame_bits(&self) -> u8;

    /// True if it drives nothing.
    fn only_receives(&self) -> bool {
        false
    }

    /// The bits that would go out next, in the order of the wire.
    fn peek(&self, bits: u8) -> Option<u32>;

    /// The bits that go out next; `true` if they are of the CRC.
    fn next(&mut self, bits: u8) -> Option<(u32, bool)>;

    /// There is nothing to send when a frame begins.
    fn starved(&mut self, _env: &mut Env<'_, '_>) {}

    /// The target is deselected inside a frame.
    fn cut_off(&mut self) {}

    /// A pulse of TI's format comes inside a frame.
    fn frame_error(&mut self) {}

    /// The row for the flag of a received frame.
    fn row(&self) -> &'static TimingRow;

    /// A frame has gone out and `received` has come in.
    fn taken(&mut self, frame: Frame, received: u32);

    /// Puts flags, interrupts and requests to what they are now.
    fn settle(&mut self, env: &mut Env<'_, '_>);

    /// A target begins with the levels that its lines have.
    fn look(&mut self, env: &Env<'_, '_>) {
        if !self.is_target() {
            return;
        }
        let levels = [Self::SELECT, "SCK", "MOSI", "MISO"].map(|signal| env.line(signal));
        let Edges { nss, sck, mosi, miso, .. } = self.edges();
        for (known, level) in [nss, sck, mosi, miso].into_iter().zip(levels) {
            *known = level.unwrap_or(*known);
        }
    }

    /// A line has the level `high` now.
    fn line(&mut self, signal: &str, high: bool, env: &mut Env<'_, '_>) {
        match signal {
            _ if signal == Self::SELECT && high != self.edges().nss => {
                self.edges().nss = high;
                self.select_changed(high, env);
            }
            "MOSI" => self.edges().mosi = high,
            "MISO" => self.edges().miso = high,
            "SCK" if high != self.edges().sck => {
                self.edges().sck = high;
                self.clocked(high, env);
            }
            _ => return,
        }
        self.settle(env);
    }

    /// NSS has changed.
    fn select_changed(&mut self, high: bool, env: &mut Env<'_, '_>) {
        if !self.is_target() {
            return;
        }
        if self.is_ti() {
            if high && self.edges().count > 0 && self.edges().count + 1 < self.frame_bits() {
                // RM0390, RM0490, "TI mode frame format error (FRE)": the pulse is ignored.
                self.frame_error();
            } else if high {
                self.edges().announced = true;
            }
            return;
        }
        if high && self.edges().count > 0 && !self.selects_by_software() {
            self.cut_off();
            env.gap(
                GapKind::Setting,
                format_args!("{} is deselected inside a frame, whose other bits come with the next one", env.name()),
            );
        }
    }

    /// The level of the line from which bits are taken.
    fn heard_line(&mut self) -> bool {
        let mosi = self.takes_mosi();
        let Edges { mosi: out, miso, .. } = *self.edges();
        if mosi { out } else { miso }
    }

    /// SCK has changed.
    fn clocked(&mut self, high: bool, env: &mut Env<'_, '_>) {
        // The first edge of a clock leaves the idle level. TI's format takes bits at falling edges.
        let (first, late) = if self.is_ti() { (high, true) } else { (high != self.is_idle_high(), self.is_late()) };
        let samples = first != late;
        if !self.is_target() {
            if samples && self.is_framing() {
                let line = self.heard_line();
                self.edges().received = self.edges().received << 1 | u32::from(line);
            }
            return;
        }
        if !self.is_selected() {
            return;
        }
        if self.is_ti() && self.edges().count == 0 && !self.edges().announced {
            return;
        }
        if !samples {
            // Late modes show each bit at the first edge of its clock.
            if self.is_ti() && self.edges().nss && self.edges().count == 0 {
                return;
            }
            if late && self.edges().frame.is_none() {
                self.load(env);
            }
            return self.show_bit(env);
        }
        if self.is_ti() && self.edges().frame.is_none() {
            return;
        }
        if self.edges().frame.is_none() {
            self.load(env);
        }
        let line = self.heard_line();
        self.edges().received = self.edges().received << 1 | u32::from(line);
        self.edges().count += 1;
        let Some(frame) = self.edges().frame.filter(|frame| self.edges().count >= frame.bits) else { return };
        let received = self.edges().received & mask(frame.bits);
        (self.edges().frame, self.edges().count, self.edges().received, self.edges().last) = (None, 0, 0, frame.sent);
        let announced = self.is_ti() && self.edges().nss;
        self.edges().announced = announced;
        env.cycles(self.row());
        env.transfer(Transfer::SpiFrame { sent: received, received: frame.sent, bits: frame.bits });
        self.taken(frame, received);
    }

    /// The target takes the next frame from its buffer.
    fn load(&mut self, env: &mut Env<'_, '_>) {
        let bits = self.frame_bits();
        let (sent, crc) = self.next(bits).unwrap_or_else(|| {
            self.starved(env);
            let name = env.name();
            env.gap(
                GapKind::Setting,
                format_args!("{name} has nothing to send to its controller, and sends its last frame again"),
            );
            (self.edges().last, false)
        });
        self.edges().frame = Some(Frame { sent, bits, end: env.now(), crc });
    }

    /// The target's line shows the bit that comes next.
    fn show_bit(&mut self, env: &mut Env<'_, '_>) {
        let level = self.target_bit();
        if level != self.edges().shown {
            self.edges().shown = level;
            env.effect(Effect::Output { signal: Self::ANSWER, level });
        }
    }

    /// The bit that the target's line shows; `None` where it does not drive it.
    fn target_bit(&mut self) -> Option<bool> {
        if !self.is_target() || !self.is_selected() || self.only_receives() {
            return None;
        }
        let bits = self.frame_bits();
        let Edges { count, frame, shown, last, .. } = *self.edges();
        match frame {
            Some(frame) if count < frame.bits => Some(frame.sent >> (frame.bits - 1 - count) & 1 != 0),
            // Between frames late modes keep the last bit, the others show the first one to come.
            _ if self.is_late() || self.is_ti() => shown.or(Some(false)),
            _ => Some(self.peek(bits).unwrap_or(last) >> (bits - 1) & 1 != 0),
        }
    }

    /// The target's line follows a write of a register, a select or the end of a frame.
    fn follow(&mut self, env: &mut Env<'_, '_>) {
        // Inside a frame bits change with the clock.
        let between = self.edges().count == 0 && self.edges().frame.is_none();
        let idle = self.edges().sck == self.is_idle_high();
        if self.target_bit().is_none() || between && (idle || self.edges().shown.is_none()) {
            self.show_bit(env);
        }
    }
}
