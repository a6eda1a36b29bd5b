//! The TWI as a target: it follows both lines edge by edge (8271H §22.7.3 and §22.7.4).

use cyclescope_machine::{I2cAddress, Transfer};

use super::{Env, RELEASE, SETUP, TWEA, TWSTO, Twi, pin, show, status};

/// The codes of a target that receives and of one that sends (8271H tables 22-4 and 22-5).
mod code {
    pub const WRITE_ADDRESSED: u8 = 0x60;
    pub const WRITE_ADDRESSED_LOST: u8 = 0x68;
    pub const GENERAL_CALL: u8 = 0x70;
    pub const GENERAL_CALL_LOST: u8 = 0x78;
    pub const RECEIVED: u8 = 0x80;
    pub const RECEIVED_REFUSED: u8 = 0x88;
    pub const CALL_RECEIVED: u8 = 0x90;
    pub const CALL_REFUSED: u8 = 0x98;
    pub const ENDED: u8 = 0xA0;
    pub const READ_ADDRESSED: u8 = 0xA8;
    pub const READ_ADDRESSED_LOST: u8 = 0xB0;
    pub const SENT: u8 = 0xB8;
    pub const SENT_REFUSED: u8 = 0xC0;
    pub const SENT_LAST: u8 = 0xC8;
}

/// The part of a transfer that the target is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    /// No start condition so far, or one for another target.
    #[default]
    Elsewhere,
    /// The address comes in.
    Address,
    /// Data comes in; by a general call if true.
    Receives(bool),
    /// Data goes out.
    Sends,
}

/// The target's end of the bus.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Target {
    part: Part,
    byte: u8,
    /// The clocks of the byte so far, 9 with the acknowledgement.
    clocks: u8,
    /// The acknowledgement of this byte, as the target gives it or takes it.
    acknowledged: bool,
    /// From a start condition to the stop condition, whoever is meant.
    busy: bool,
    /// The part was the controller, and lost the arbitration in this address.
    lost: bool,
    /// SCL is held ahead of an address, since software has not answered what was before it.
    holds: bool,
}

impl Target {
    /// True from an address of its own to the stop condition, or the next start.
    pub(super) fn is_addressed(&self) -> bool {
        matches!(self.part, Part::Receives(_) | Part::Sends)
    }

    /// True while SCL is held ahead of an address.
    pub(super) const fn holds_address(&self) -> bool {
        self.holds
    }

    /// True while another controller has the bus.
    pub(super) const fn is_busy(&self) -> bool {
        self.busy
    }

    /// Another controller has the bus, and this part of it is not ours.
    pub(super) fn elsewhere() -> Self {
        Self { busy: true, ..Self::default() }
    }

    /// The controller has lost the arbitration in the last of `clocks` bits of the address `bits`, where it let SDA go.
    pub(super) fn after_loss(bits: u8, clocks: u8) -> Self {
        let byte = bits >> 8u8.saturating_sub(clocks).min(7) & !1;
        Self { part: Part::Address, byte, clocks, busy: true, lost: true, ..Self::default() }
    }

    fn begin(&mut self, part: Part) {
        (self.part, self.byte, self.clocks, self.lost) = (part, 0, 0, false);
    }
}

impl Twi {
    /// A line has a new level.
    pub(super) fn edge(&mut self, line: usize, high: bool, env: &mut Env<'_, '_>) {
        match (line, high) {
            (pin::SDA, _) if env.input(pin::SCL) => self.condition(high, env),
            (pin::SCL, true) => self.take(env),
            (pin::SCL, false) => self.fall(env),
            _ => {}
        }
    }

    /// A start condition, or a stop condition if SDA is high.
    fn condition(&mut self, stop: bool, env: &mut Env<'_, '_>) {
        let addressed = self.target.is_addressed();
        // The clock pulse of a condition is no bit; later in a byte it is an error (8271H table 22-6).
        let astray = addressed && self.target.clocks > 1;
        self.target.busy = !stop;
        self.target.begin(if stop { Part::Elsewhere } else { Part::Address });
        show(pin::SDA, true, env);
        if addressed {
            if stop {
                env.transfer(Transfer::I2cStop);
            }
            self.tell(if astray { status::BUS_ERROR } else { code::ENDED }, env);
        } else if stop {
            self.go(env);
        }
    }

    /// A bit is taken while the clock is high.
    fn take(&mut self, env: &mut Env<'_, '_>) {
        let (target, high) = (&mut self.target, env.input(pin::SDA));
        if target.part == Part::Elsewhere {
            return;
        }
        match (target.part, target.clocks) {
            (Part::Address | Part::Receives(_), 0..8) => target.byte = target.byte << 1 | u8::from(high),
            (Part::Sends, 8) => target.acknowledged = !high,
            _ => {}
        }
        target.clocks += 1;
    }

    /// The line changes while the clock is low.
    fn fall(&mut self, env: &mut Env<'_, '_>) {
        match (self.target.part, self.target.clocks) {
            // TWINT is set: the low period of SCL is stretched (8271H §22.9.2, TWCR, TWINT).
            (Part::Address, 0) if self.twint => {
                self.target.holds = true;
                show(pin::SCL, false, env);
            }
            (Part::Address, 8) => self.address(env),
            (Part::Receives(_), 8) => {
                self.target.acknowledged = self.twcr & TWEA != 0;
                show(pin::SDA, !self.target.acknowledged, env);
            }
            (Part::Sends, 8) => show(pin::SDA, true, env),
            (Part::Sends, clocks @ 1..8) => show(pin::SDA, self.twdr & 0x80 >> clocks != 0, env),
            (_, 9) => self.whole(env),
            _ => {}
        }
    }

    /// Eight bits of an address are in.
    fn address(&mut self, env: &mut Env<'_, '_>) {
        let byte = self.target.byte;
        let own = (byte ^ self.twar) & !self.twamr & 0xFE == 0;
        let call = byte == 0 && self.twar & 1 != 0;
        self.target.acknowledged = (own || call) && self.twcr & TWEA != 0;
        if self.target.acknowledged {
            show(pin::SDA, false, env);
            let (address, read) = (I2cAddress::Seven(byte >> 1), byte & 1 != 0);
            env.transfer(Transfer::I2cStart { address, read, acknowledged: true });
        } else {
            self.target.part = Part::Elsewhere;
            if std::mem::take(&mut self.target.lost) {
                self.tell(status::LOST, env);
            }
        }
    }

    /// A byte and its acknowledgement are over: TWINT, and SCL is held.
    fn whole(&mut self, env: &mut Env<'_, '_>) {
        let Target { part, byte, acknowledged, .. } = self.target;
        show(pin::SDA, true, env);
        let refused = !acknowledged;
        let status = match part {
            Part::Elsewhere => return,
            Part::Address => {
                let call = byte == 0 && self.twar & 1 != 0;
                self.twdr = byte;
                self.target.part = if byte & 1 != 0 { Part::Sends } else { Part::Receives(call) };
                let lost = std::mem::take(&mut self.target.lost);
                match (byte & 1 != 0, call) {
                    (true, _) if lost => code::READ_ADDRESSED_LOST,
                    (true, _) => code::READ_ADDRESSED,
                    (_, true) if lost => code::GENERAL_CALL_LOST,
                    (_, true) => code::GENERAL_CALL,
                    _ if lost => code::WRITE_ADDRESSED_LOST,
                    _ => code::WRITE_ADDRESSED,
                }
            }
            Part::Receives(call) => {
                env.transfer(Transfer::I2cByte { byte, acknowledged });
                self.twdr = byte;
                match (call, refused) {
                    (false, false) => code::RECEIVED,
                    (false, true) => code::RECEIVED_REFUSED,
                    (true, false) => code::CALL_RECEIVED,
                    (true, true) => code::CALL_REFUSED,
                }
            }
            Part::Sends => {
                env.transfer(Transfer::I2cByte { byte: self.twdr, acknowledged });
                match (refused, self.twcr & TWEA != 0) {
                    (true, _) => code::SENT_REFUSED,
                    (_, true) => code::SENT,
                    _ => code::SENT_LAST,
                }
            }
        };
        show(pin::SCL, false, env);
        self.tell(status, env);
    }

    /// Software has cleared TWINT: the transfer goes on.
    pub(super) fn answer(&mut self, env: &mut Env<'_, '_>) {
        let last = [code::RECEIVED_REFUSED, code::CALL_REFUSED, code::SENT_REFUSED, code::SENT_LAST];
        if last.contains(&self.tws) || self.twcr & TWSTO != 0 {
            self.target.begin(Part::Elsewhere);
            self.twcr &= !TWSTO;
        } else if self.target.clocks == 9 {
            let part = self.target.part;
            self.target.begin(part);
            if part == Part::Sends {
                show(pin::SDA, self.twdr & 0x80 != 0, env);
            }
        }
        self.release(env);
    }

    /// Software has answered what was before the address that comes.
    pub(super) fn let_address_come(&mut self, env: &mut Env<'_, '_>) {
        self.target.holds = false;
        self.release(env);
    }

    /// SCL is let go behind SDA's change: both at once would be a start condition where the controller waits for SCL.
    fn release(&self, env: &mut Env<'_, '_>) {
        let held = env.instance.outputs[pin::SCL].is_some_and(|scl| env.wires.shared.is_output(scl));
        if held {
            let at = env.now() + env.cycles(&SETUP);
            env.schedule(RELEASE, at);
        }
    }
}
