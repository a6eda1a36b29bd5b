//! ST's SPI edge by edge: as a target, and as a controller on lines that others drive, too.
//!
//! A target takes a frame from its buffer at the first clock of the frame; before that its line shows the bit that would come.
//! The counter of bits goes on where a chip select cuts a frame off.

use cyclescope_machine::{GapKind, Transfer};

use super::spi::{Frame, Spi, Version};
use crate::{Effect, Env};

/// The lines as they are heard, and the frame under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edges {
    pub(super) nss: bool,
    sck: bool,
    mosi: bool,
    miso: bool,
    /// The target's frame.
    frame: Option<Frame>,
    /// Bits of the frame that have come.
    count: u8,
    /// The bits that have come, in the order of the wire.
    pub(super) received: u32,
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
    pub(super) const fn is_busy(&self) -> bool {
        self.count > 0
    }

    /// The level that the target puts on its line.
    pub(super) const fn shown(&self) -> Option<bool> {
        self.shown
    }

    /// The frame under way is forgotten; the levels stay.
    pub(super) fn forget(&mut self) {
        *self = Self { nss: self.nss, sck: self.sck, mosi: self.mosi, miso: self.miso, ..Self::default() };
    }
}

impl<V: Version> Spi<V> {
    /// A target begins with the levels that its lines have.
    pub(super) fn look(&mut self, env: &Env<'_, '_>) {
        if !self.is_target() {
            return;
        }
        let levels = ["NSS", "SCK", "MOSI", "MISO"].map(|signal| env.line(signal));
        let Edges { nss, sck, mosi, miso, .. } = &mut self.edges;
        for (known, level) in [nss, sck, mosi, miso].into_iter().zip(levels) {
            *known = level.unwrap_or(*known);
        }
    }

    /// A line has the level `high` now.
    pub(super) fn line(&mut self, signal: &str, high: bool, env: &mut Env<'_, '_>) {
        match signal {
            "NSS" if high != self.edges.nss => {
                self.edges.nss = high;
                self.select_changed(high, env);
            }
            "MOSI" => self.edges.mosi = high,
            "MISO" => self.edges.miso = high,
            "SCK" if high != self.edges.sck => {
                self.edges.sck = high;
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
            if high && self.edges.count > 0 && self.edges.count + 1 < self.frame_bits() {
                // RM0390, RM0490, "TI mode frame format error (FRE)": the pulse is ignored.
                self.frame_error();
            } else if high {
                self.edges.announced = true;
            }
            return;
        }
        if high && self.edges.count > 0 && !self.selects_by_software() {
            env.gap(
                GapKind::Setting,
                format_args!("{} is deselected inside a frame, whose other bits come with the next one", env.name()),
            );
        }
    }

    /// SCK has changed.
    fn clocked(&mut self, high: bool, env: &mut Env<'_, '_>) {
        // The first edge of a clock leaves the idle level. TI's format takes bits at falling edges.
        let (first, late) = if self.is_ti() { (high, true) } else { (high != self.is_idle_high(), self.is_late()) };
        let samples = first != late;
        if !self.is_target() {
            if samples && self.is_framing() {
                let line = if self.one_line() { self.edges.mosi } else { self.edges.miso };
                self.edges.received = self.edges.received << 1 | u32::from(line);
            }
            return;
        }
        if !self.is_selected() {
            return;
        }
        if self.is_ti() && self.edges.count == 0 && !self.edges.announced {
            return;
        }
        if !samples {
            // Late modes show each bit at the first edge of its clock.
            if self.is_ti() && self.edges.nss && self.edges.count == 0 {
                return;
            }
            if late && self.edges.frame.is_none() {
                self.load(env);
            }
            return self.show_bit(env);
        }
        if self.is_ti() && self.edges.frame.is_none() {
            return;
        }
        if self.edges.frame.is_none() {
            self.load(env);
        }
        let line = if self.one_line() { self.edges.miso } else { self.edges.mosi };
        self.edges.received = self.edges.received << 1 | u32::from(line);
        self.edges.count += 1;
        let Some(frame) = self.edges.frame.filter(|frame| self.edges.count >= frame.bits) else { return };
        let received = self.edges.received & ((1 << frame.bits) - 1);
        (self.edges.frame, self.edges.count, self.edges.received, self.edges.last) = (None, 0, 0, frame.sent);
        self.edges.announced = self.is_ti() && self.edges.nss;
        env.cycles(&V::ROWS[1]);
        env.transfer(Transfer::SpiFrame { sent: received, received: frame.sent, bits: frame.bits });
        self.taken(frame, received);
    }

    /// The target takes the next frame from its buffer.
    fn load(&mut self, env: &mut Env<'_, '_>) {
        let bits = self.frame_bits();
        let (sent, crc) = self.next(bits).unwrap_or_else(|| {
            env.gap(
                GapKind::Setting,
                format_args!("{} has nothing to send to its controller, and sends its last frame again", env.name()),
            );
            (self.edges.last, false)
        });
        self.edges.frame = Some(Frame { sent, bits, end: env.now(), crc });
    }

    /// The target's line shows the bit that comes next.
    pub(super) fn show_bit(&mut self, env: &mut Env<'_, '_>) {
        let level = self.target_bit();
        if level != self.edges.shown {
            self.edges.shown = level;
            env.effect(Effect::Output { signal: "MISO", level });
        }
    }

    /// The bit that the target's line shows; `None` where it does not drive it.
    fn target_bit(&self) -> Option<bool> {
        if !self.is_target() || !self.is_selected() || self.only_receives() {
            return None;
        }
        let bits = self.frame_bits();
        let count = self.edges.count;
        match self.edges.frame {
            Some(frame) if count < frame.bits => Some(frame.sent >> (frame.bits - 1 - count) & 1 != 0),
            // Between frames late modes keep the last bit, the others show the first one to come.
            _ if self.is_late() || self.is_ti() => self.edges.shown.or(Some(false)),
            _ => Some(self.peek(bits).unwrap_or(self.edges.last) >> (bits - 1) & 1 != 0),
        }
    }

    /// The target's line follows a write of a register, a select or the end of a frame.
    pub(super) fn follow(&mut self, env: &mut Env<'_, '_>) {
        // Inside a frame bits change with the clock.
        let between = self.edges.count == 0 && self.edges.frame.is_none();
        let idle = self.edges.sck == self.is_idle_high();
        if self.target_bit().is_none() || between && (idle || self.edges.shown.is_none()) {
            self.show_bit(env);
        }
    }
}
