//! I2C of the Kinetis K20 (K20P64M72SF1RM, "Inter-Integrated Circuit (I2C)"), as a controller and as a target.
//!
//! SCL is low behind each byte until software writes or reads D, or asks for a condition; with FACK also ahead of the
//! acknowledgement of a byte that comes in, until software writes TXAK.
//!
//! Not modelled, and named when used: waking the part up (WUEN) and a target that slows its controller down (SBRC). Lines have
//! no glitches, so that FLT changes nothing.

use cyclescope_machine::{GapKind, I2cAddress, TimingRow};

use crate::bank::{all, some};
use crate::i2c::{Byte, I2c as Engine, Next, Phase, TIMEOUT, Times, Version};
use crate::{Bank, Env, Instance, Instant, Modelled, Span, Write};

use super::registers::{bank, byte};

/// Words of the block: A1, F, C1, S; D, C2, FLT, RA; SMB, A2, SLTH, SLTL.
const CONTROL: u32 = 0x00;
const DATA: u32 = 0x04;
const SMBUS: u32 = 0x08;

/// Of C1 and C2.
const WUEN: u32 = 1 << 17;
const SBRC: u32 = 1 << 12;
const DMAEN: u32 = 1 << 16;
const RSTA: u32 = 1 << 18;
const TXAK: u32 = 1 << 19;
const TX: u32 = 1 << 20;
const MST: u32 = 1 << 21;
const IICIE: u32 = 1 << 22;
const IICEN: u32 = 1 << 23;
const RXAK: u32 = 1 << 24;
const IICIF: u32 = 1 << 25;
const SRW: u32 = 1 << 26;
const RAM: u32 = 1 << 27;
const ARBL: u32 = 1 << 28;
const BUSY: u32 = 1 << 29;
const IAAS: u32 = 1 << 30;
const TCF: u32 = 1 << 31;

const RMEN: u32 = 1 << 11;
const ADEXT: u32 = 1 << 14;
const GCAEN: u32 = 1 << 15;

const SHTF2IE: u32 = 1 << 0;
const SHTF2: u32 = 1 << 1;
const SHTF1: u32 = 1 << 2;
const SLTF: u32 = 1 << 3;
const TCKSEL: u32 = 1 << 4;
const SIICAEN: u32 = 1 << 5;
const ALERTEN: u32 = 1 << 6;
const FACK: u32 = 1 << 7;

/// The alert's response address (SMBus 2.0).
const ALERT: u8 = 0x0C;

/// The modelled registers and fields, with the values after reset ("I2C memory map").
pub const MODEL: &[Modelled] = &[
    // WUEN and SBRC are named in words.
    some(
        "A1_F_C1_S",
        0x8000_0000,
        &[
            "A1.AD", "F.ICR", "F.MULT", "C1.DMAEN", "C1.RSTA", "C1.TXAK", "C1.TX", "C1.MST", "C1.IICIE", "C1.IICEN",
            "S.RXAK", "S.IICIF", "S.SRW", "S.RAM", "S.ARBL", "S.BUSY", "S.IAAS", "S.TCF",
        ],
    )
    .unseen(&["C1.WUEN"]),
    // HDRS chooses how strongly pins are driven.
    some("D_C2_FLT_RA", 0, &["D.DATA", "C2.AD", "C2.RMEN", "C2.ADEXT", "C2.GCAEN", "FLT.FLT", "RA.RAD"])
        .unseen(&["C2.HDRS", "C2.SBRC"]),
    all("SMB_A2_SLTH_SLTL", 0xC200),
];

/// The timing that does not follow from the divider.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "i2c.halves",
        "halves of SCL's period for which it is low, and high; as long at least it is low behind a wait for software, and as \
         long lie between a stop and a start",
        1,
        "K20P64M72SF1RM, \"I2C divider and hold values\", has the period and the holds, not its share; FLT is taken to delay nothing",
    ),
    TimingRow::assumed(
        "i2c.target_setup",
        "from a target's change of SDA to the release of the SCL that it held, in periods of the bus clock",
        8,
        "K20P64M72SF1RM gives no figure; more than UM10204's setup time of the data at all clocks of the part",
    ),
];

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

/// The state that the registers do not show.
#[derive(Clone, Debug, Default)]
pub struct Registers {
    /// The byte that D got for a transfer to come.
    waiting: Option<u8>,
    /// A stop or a repeated start was asked for inside a byte.
    stops: bool,
    restarts: bool,
    /// The next byte is an address, or the second one of an address of ten bits.
    addresses: bool,
    second: bool,
    /// The last byte of the address by which the block is called.
    called: u8,
    /// A target's software has read the byte that came, so that the next one may come.
    taken: bool,
    /// A byte that waits for software's acknowledgement (FACK), and what that is.
    held: Option<u8>,
    answer: Option<bool>,
    /// A byte waits for the DMA.
    asks: bool,
}

/// One block.
pub type I2c = Engine<Registers>;

impl I2c {
    fn is(&self, bit: u32) -> bool {
        self.get(CONTROL) & bit != 0
    }

    fn smb(&self, bit: u32) -> bool {
        self.get(SMBUS) & bit != 0
    }

    fn set_data(&mut self, data: u8) {
        self.bank.flag(DATA, 0xFF, false);
        self.bank.flag(DATA, data.into(), true);
    }

    /// A byte is over; `asks` if the DMA may serve it.
    fn complete(&mut self, asks: bool) {
        self.bank.flag(CONTROL, TCF | IICIF, true);
        self.own.asks = asks;
    }

    /// SCL is low, and nothing goes on: what software has asked for meanwhile.
    fn proceed(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        if std::mem::take(&mut self.own.stops) {
            (self.own.waiting, self.own.restarts) = (None, false);
            self.stop(at, env);
        } else if std::mem::take(&mut self.own.restarts) {
            self.start(at, env);
        } else if let Some(sent) = self.own.waiting.take() {
            self.send_next(sent, at, env);
        }
    }

    /// A controller sends `sent`.
    fn send_next(&mut self, sent: u8, at: Instant, env: &mut Env<'_, '_>) {
        self.bank.flag(CONTROL, TCF, false);
        let byte = match (std::mem::take(&mut self.own.addresses), std::mem::take(&mut self.own.second)) {
            (true, _) if sent & 0xF8 == 0xF0 => Byte::Header(sent),
            (true, _) => Byte::Address(sent),
            (false, true) => Byte::Second(sent),
            (false, false) => Byte::Data(sent),
        };
        self.send(byte, at, env);
    }

    /// C1 was written.
    fn commanded(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        self.bank.flag(CONTROL, RSTA | IAAS | RAM, false);
        if (old ^ new) & IICEN != 0 {
            self.own = Registers::default();
            if new & IICEN == 0 {
                self.bank.flag(CONTROL, BUSY | IICIF | RXAK | ARBL | SRW, false);
                self.bank.flag(CONTROL, TCF, true);
            }
            self.stop_at_once(env);
            self.watch_idle(env);
        }
        if new & IICEN == 0 {
            return;
        }
        let now = env.now();
        if let Some(held) = self.own.held.filter(|_| self.smb(FACK)) {
            let acknowledged = new & TXAK == 0;
            if self.is_held() {
                self.own.held = None;
                self.acknowledge_received(held, acknowledged, now, env);
            } else {
                self.own.answer = Some(acknowledged);
            }
        }
        if new & !old & MST != 0 && self.is_free() {
            // "Arbitration lost": the bus is another controller's.
            if self.is_busy(env) { self.lose() } else { self.start(now, env) }
        } else if old & !new & MST != 0 {
            self.own.stops = !self.is_free();
        } else if new & RSTA != 0 && new & MST != 0 {
            self.own.restarts = true;
        } else if new & RSTA != 0 {
            self.lose();
        }
        if self.is_held() && self.own.held.is_none() {
            self.proceed(now, env);
        }
    }

    /// Arbitration is lost: the block is a target from now on.
    fn lose(&mut self) {
        self.bank.flags(CONTROL, &[(ARBL | IICIF, true), (MST, false)]);
        (self.own.stops, self.own.restarts, self.own.waiting) = (false, false, None);
    }

    fn write_data(&mut self, data: u8, env: &mut Env<'_, '_>) {
        self.set_data(data);
        if !self.is(TX) || !self.is(IICEN) {
            return;
        }
        self.own.asks = false;
        if !self.is(MST) {
            // A target's next byte.
            self.bank.flag(CONTROL, TCF, false);
            self.own.waiting = Some(data);
        } else if self.is_held() {
            self.send_next(data, env.now(), env);
        } else if self.is_free() || self.phase() == Phase::Starting {
            self.own.waiting = Some(data);
        } else {
            env.gap(GapKind::Setting, format_args!("{}: D is written during a transfer", env.name()));
        }
    }

    /// Software has read D: a controller receives the next byte, a target may.
    fn data_taken(&mut self, env: &mut Env<'_, '_>) {
        if self.is(TX) || !self.is(IICEN) {
            return;
        }
        self.own.asks = false;
        self.bank.flag(CONTROL, TCF, false);
        self.own.taken = true;
        if self.is(MST) && self.is_held() && self.own.held.is_none() {
            self.receive(env.now(), env);
        }
    }

    /// A byte has come in that software is to acknowledge; what it says, or `None` so far.
    fn asked(&mut self, byte: u8) -> Option<bool> {
        if self.own.held.is_none() {
            self.own.held = Some(byte);
            self.own.taken = false;
            self.set_data(byte);
            self.complete(false);
        }
        let answer = self.own.answer.take();
        if answer.is_some() {
            self.own.held = None;
        }
        answer
    }

    /// The register of the timeout counts the bus clock, or its 64th.
    fn limit(&self, divider: u64, env: &Env<'_, '_>) -> Option<Span> {
        let [high, low] = [16, 24].map(|shift| self.get(SMBUS) >> shift & 0xFF);
        let scale = if self.smb(TCKSEL) { 1 } else { 64 };
        let count = u64::from(high << 8 | low) * scale;
        (count > 0).then(|| env.clocks().period_of(self.clock()).times(count.div_ceil(divider)))
    }

    /// On a bus of its own the block sees lines that stay high from the end of a transfer on.
    fn watch_idle(&self, env: &mut Env<'_, '_>) {
        if !env.is_shared() {
            let limit = self.limit(512, env).filter(|_| self.is(IICEN) && self.is_free());
            env.schedule(TIMEOUT, limit.map_or(Instant::NEVER, |limit| env.now().after(limit)));
        }
    }
}

impl Version for Registers {
    const MODEL: &'static [Modelled] = MODEL;
    const ROWS: &'static [TimingRow] = ROWS;
    const REQUESTS: [&'static str; 2] = ["GLOBAL", ""];

    fn bank(instance: &Instance) -> Bank {
        bank(instance.map, MODEL)
    }

    fn still(i2c: &I2c, offset: u32, _: Instant) -> Option<Instant> {
        if offset & !3 == DATA { None } else { i2c.bank.still(offset & !3) }
    }

    fn follow(i2c: &mut I2c, env: &mut Env<'_, '_>) {
        let busy = i2c.is_busy(env) || !i2c.is_free();
        i2c.bank.flag(CONTROL, BUSY, busy);
        if busy {
            // "This bit is cleared automatically."
            i2c.bank.flag(SMBUS, SHTF1, false);
        }
    }

    fn times(i2c: &I2c, tick: Span, _: &Env<'_, '_>) -> Option<Times> {
        let f = i2c.get(CONTROL) >> 8 & 0xFF;
        // MULT 3 is reserved, taken as 4.
        let tick = tick.times(1 << (f >> 6).min(2));
        let [divider, hold, start, stop] = HOLDS[(f & 0x3F) as usize].map(u64::from);
        let half = tick.times(divider / 2);
        let [hold, start, stop] = [hold, start, stop].map(|count| tick.times(count));
        Some(Times { low: half, high: half, hold, setup: half, pause: half, free: half, start, stop })
    }

    fn started(i2c: &mut I2c, at: Instant, env: &mut Env<'_, '_>) {
        env.cancel(TIMEOUT);
        (i2c.own.addresses, i2c.own.second) = (true, false);
        i2c.proceed(at, env);
    }

    fn received(i2c: &mut I2c, byte: u8) -> Option<bool> {
        if i2c.smb(FACK) { i2c.asked(byte) } else { Some(!i2c.is(TXAK)) }
    }

    fn ninth(i2c: &mut I2c, byte: Byte, acknowledged: bool, at: Instant, env: &mut Env<'_, '_>) {
        match byte {
            Byte::Received(byte) if !i2c.smb(FACK) => {
                i2c.set_data(byte);
                i2c.complete(true);
            }
            // With FACK the byte was complete ahead of its acknowledgement.
            Byte::Received(_) => {
                if i2c.own.taken && i2c.is(MST) && !i2c.own.stops && !i2c.own.restarts && !i2c.is(TX) && acknowledged {
                    i2c.own.taken = false;
                    return i2c.receive(at, env);
                }
            }
            _ => {
                i2c.own.second = acknowledged && matches!(byte, Byte::Header(bits) if bits & 1 == 0);
                i2c.bank.flag(CONTROL, RXAK, !acknowledged);
                i2c.complete(true);
            }
        }
        i2c.proceed(at, env);
    }

    fn stopped(i2c: &mut I2c, env: &mut Env<'_, '_>) {
        i2c.watch_idle(env);
        if i2c.is(MST) {
            i2c.start(env.now(), env);
        }
    }

    /// "Interrupts"; C1.DMAEN.
    fn requests(i2c: &I2c) -> (u32, bool, bool) {
        let control = i2c.get(CONTROL);
        let interrupts = u32::from(control & (IICIF | IICIE) == IICIF | IICIE);
        (interrupts, control & DMAEN != 0 && i2c.own.asks, false)
    }

    fn is_on(i2c: &I2c) -> bool {
        i2c.is(IICEN)
    }

    fn read(i2c: &mut I2c, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = i2c.bank.read(offset & !3, env);
        if offset == DATA {
            i2c.data_taken(env);
        }
        value
    }

    fn write(i2c: &mut I2c, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        match offset {
            CONTROL => {
                // S: flags that are cleared by ones.
                i2c.bank.flag(CONTROL, write.ones() & (IICIF | ARBL), false);
                let others = Write { lanes: write.lanes & 0x00FF_FFFF, ..write };
                let (old, new) = i2c.bank.write(CONTROL, others, env);
                if !old & new & WUEN != 0 {
                    let name = env.name();
                    env.gap(
                        GapKind::Setting,
                        format_args!("{name}_C1.WUEN: an address on the bus does not wake the part out of a stop mode"),
                    );
                }
                if byte(write, 2).is_some() {
                    i2c.commanded(old, new, env);
                }
            }
            DATA => {
                let others = Write { lanes: write.lanes & !0xFF, ..write };
                let (old, new) = i2c.bank.write(DATA, others, env);
                if !old & new & SBRC != 0 {
                    let name = env.name();
                    env.gap(
                        GapKind::Setting,
                        format_args!(
                            "{name}_C2.SBRC: a target's rate of its own is not modelled; it follows the controller's"
                        ),
                    );
                }
                if let Some(data) = byte(write, 0) {
                    i2c.write_data(data, env);
                }
            }
            _ => {
                let flags = i2c.get(offset) & (SHTF1 | SHTF2 | SLTF);
                let cleared = write.ones() & (SHTF2 | SLTF);
                i2c.bank.write(offset, write, env);
                i2c.bank.flag(offset, SHTF1 | SHTF2 | SLTF, false);
                i2c.bank.flag(offset, flags & !cleared, true);
                i2c.watch_idle(env);
            }
        }
    }

    fn lost(i2c: &mut I2c, _: &mut Env<'_, '_>) {
        i2c.lose();
    }

    /// "Address matching".
    fn called(i2c: &mut I2c, address: I2cAddress, read: bool) -> bool {
        let (control, data, smb) = (i2c.get(CONTROL), i2c.get(DATA), i2c.get(SMBUS));
        let own = (control >> 1 & 0x7F) as u8;
        let mut in_range = false;
        let (matches, called) = match address {
            I2cAddress::Ten(address) => {
                let ten = (data >> 8 & 7) << 7 | u32::from(own);
                (data & ADEXT != 0 && u32::from(address) == ten, address as u8)
            }
            I2cAddress::Seven(address) => {
                let range = (data >> 25) as u8;
                in_range = range != 0
                    && if data & RMEN != 0 { (own + 1..=range).contains(&address) } else { address == range };
                let matches = data & ADEXT == 0 && address == own && own != 0
                    || address == 0 && !read && data & GCAEN != 0
                    || smb & SIICAEN != 0 && u32::from(address) == smb >> 9 & 0x7F
                    || smb & ALERTEN != 0 && address == ALERT;
                (matches || in_range, address << 1 | u8::from(read))
            }
        };
        if matches {
            // "IAAS sets before the ACK bit".
            i2c.bank.flags(CONTROL, &[(IAAS, true), (RAM, in_range), (SRW, read)]);
            i2c.own.called = called;
        }
        matches
    }

    fn called_by_header(i2c: &mut I2c, high: u8) -> bool {
        i2c.get(DATA) & ADEXT != 0 && i2c.get(DATA) >> 9 & 3 == u32::from(high)
    }

    fn selected(i2c: &mut I2c, sends: bool) {
        i2c.set_data(i2c.own.called);
        (i2c.own.taken, i2c.own.waiting, i2c.own.held, i2c.own.answer) = (false, None, None, None);
        i2c.complete(!sends && !i2c.smb(FACK));
    }

    fn target_received(i2c: &mut I2c, byte: u8) -> Option<bool> {
        if i2c.smb(FACK) { i2c.asked(byte) } else { Some(!i2c.is(TXAK)) }
    }

    fn target_ninth(i2c: &mut I2c, byte: u8, sends: bool, acknowledged: bool) {
        if sends {
            i2c.bank.flag(CONTROL, RXAK, !acknowledged);
            i2c.complete(true);
        } else if !i2c.smb(FACK) {
            i2c.own.taken = false;
            i2c.set_data(byte);
            i2c.complete(true);
        }
    }

    fn target_next(i2c: &mut I2c) -> Next {
        if i2c.is(TX) {
            return i2c.own.waiting.take().map_or(Next::Wait, Next::Send);
        }
        if std::mem::take(&mut i2c.own.taken) { Next::Receive } else { Next::Wait }
    }

    fn target_times(i2c: &I2c, tick: Span, env: &Env<'_, '_>) -> (Span, Span) {
        let hold = Self::times(i2c, tick, env).map_or(Span::ZERO, |times| times.hold);
        (hold, tick.times(ROWS[1].cycles.into()))
    }

    /// "Timeouts": SLT for SCL, its 512th for a high SCL.
    fn timeout(i2c: &I2c, (scl, _): (bool, bool), env: &Env<'_, '_>) -> Option<Span> {
        i2c.limit(if scl { 512 } else { 1 }, env)
    }

    fn timed_out(i2c: &mut I2c, env: &mut Env<'_, '_>) {
        let lines = i2c.ends.lines;
        let [scl, sda] = if env.is_shared() { [lines.scl, lines.sda] } else { [i2c.is_free(); 2] };
        match (scl, sda) {
            (false, _) => i2c.bank.flag(SMBUS, SLTF, true),
            (true, false) => i2c.bank.flag(SMBUS, SHTF2, true),
            (true, true) => {
                // The bus counts as free. No interrupt.
                i2c.bank.flag(SMBUS, SHTF1, true);
                return;
            }
        }
        if !scl || i2c.smb(SHTF2IE) {
            i2c.bank.flag(CONTROL, IICIF, true);
        }
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
