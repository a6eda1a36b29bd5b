//! Serial interfaces at one address (nRF52840 PS, "Peripherals with shared ID"): ENABLE says which of them has the registers. The
//! two-wire ones are in `twi`, SPI's in `spi`.

use cyclescope_machine::Pin;

use super::easydma::{self, DECIDED, EasyDma, Master, Moved};
use super::select;
use super::signals::{Short, Signals, Tasked};
use super::spi::{self, Spi};
use super::twi::{Transfer, Twi};
use crate::i2c::I2c;
use crate::spi_edges::Follower;
use crate::{AlternateFunction, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Tree, Words, Write};

pub(super) const STARTRX: u32 = 0x00;
pub(super) const STARTTX: u32 = 0x08;
pub(super) const START: u32 = 0x10;
pub(super) const STOP: u32 = 0x14;
pub(super) const SUSPEND: u32 = 0x1C;
pub(super) const RESUME: u32 = 0x20;
pub(super) const ACQUIRE: u32 = 0x24;
/// STOPPED; END of a target on SPI.
pub(super) const STOPPED: u32 = 0x104;
pub(super) const END: u32 = 0x118;
pub(super) const BB: u32 = 0x138;
pub(super) const LASTRX: u32 = 0x15C;
pub(super) const LASTTX: u32 = 0x160;
pub(super) const WRITE: u32 = 0x164;
pub(super) const READ: u32 = 0x168;
pub(super) const SHORTS: u32 = 0x200;
/// STALLSTAT; SEMSTAT of a target on SPI.
pub(super) const SEMSTAT: u32 = 0x400;
pub(super) const STATUS: u32 = 0x440;
pub(super) const TWI_ERRORSRC: u32 = 0x4C4;
pub(super) const TWIS_ERRORSRC: u32 = 0x4D0;
const ENABLE: u32 = 0x500;
const PSEL: u32 = 0x508;
const PSEL_END: u32 = 0x518;
pub(super) const RXD: u32 = 0x518;
pub(super) const TXD: u32 = 0x51C;
pub(super) const FREQUENCY: u32 = 0x524;
pub(super) const RXD_PTR: u32 = 0x534;
pub(super) const RXD_MAXCNT: u32 = 0x538;
pub(super) const RXD_AMOUNT: u32 = 0x53C;
pub(super) const RXD_LIST: u32 = 0x540;
pub(super) const TXD_PTR: u32 = 0x544;
pub(super) const TXD_MAXCNT: u32 = 0x548;
pub(super) const TXD_AMOUNT: u32 = 0x54C;
pub(super) const TXD_LIST: u32 = 0x550;
pub(super) const CONFIG: u32 = 0x554;
const PSELDCX: u32 = 0x56C;
pub(super) const ADDRESS: u32 = 0x588;
pub(super) const TWIS_CONFIG: u32 = 0x594;
pub(super) const ORC: u32 = 0x5C0;

/// All shortcuts; those of the other interfaces have no event.
const CONNECTIONS: &[Short] = &[
    (0, BB, SUSPEND),
    (1, BB, STOP),
    (2, STOPPED, ACQUIRE),
    (7, LASTTX, STARTRX),
    (8, LASTTX, SUSPEND),
    (9, LASTTX, STOP),
    (10, LASTRX, STARTTX),
    (11, LASTRX, SUSPEND),
    (12, LASTRX, STOP),
    (13, WRITE, SUSPEND),
    (14, READ, SUSPEND),
    (17, END, START),
];

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The interface that has the registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    #[default]
    Off,
    /// SPI byte by byte.
    Spi,
    /// SPI as a target.
    Spis,
    /// The two-wire interface byte by byte.
    Twi,
    /// The two-wire interface with EasyDMA.
    Twim,
    /// SPI with EasyDMA.
    Spim,
    /// The two-wire interface as a target.
    Twis,
}

/// The interfaces at one address.
#[derive(Clone, Debug)]
pub struct Serial {
    pub(super) signals: Signals,
    kind: &'static str,
    pins: &'static [AlternateFunction],
    pub(super) role: Role,
    pub(super) dma: Master,
    pub(super) twi: I2c<Twi>,
    pub(super) transfer: Transfer,
    pub(super) spi: Spi,
}

impl Serial {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        let mut serial = Self {
            signals: Signals::new(instance, PARTLY, CONNECTIONS),
            kind: instance.map.kind,
            pins: instance.pins,
            role: Role::Off,
            dma: Master::new(instance),
            // Interrupts are those of the signals.
            twi: I2c::new(&Instance { interrupts: &[], ..*instance }),
            transfer: Transfer::default(),
            spi: Spi::default(),
        };
        serial.correct_resets();
        serial
    }

    /// Of the two registers CONFIG only that of TWIS is not 0 after reset.
    fn correct_resets(&mut self) {
        self.signals.bank.set(CONFIG, 0);
    }

    /// True if the block has a chip select and DCX as a controller on SPI.
    pub(super) fn is_fast(&self) -> bool {
        self.kind == "spim"
    }

    pub(super) fn is_twi(&self) -> bool {
        matches!(self.role, Role::Twi | Role::Twim | Role::Twis)
    }

    /// The interface that ENABLE selects.
    fn selected_role(&self) -> Role {
        match (self.signals.get(ENABLE) & 15, self.kind) {
            (7, _) => Role::Spim,
            (_, "spim") => Role::Off,
            (1, _) => Role::Spi,
            (2, _) => Role::Spis,
            (5, "twispi") => Role::Twi,
            (6, "twispi") => Role::Twim,
            (9, "twispi") => Role::Twis,
            _ => Role::Off,
        }
    }

    /// The pin that the block has chosen for `signal`, while it is on.
    pub fn chosen_pin(&self, signal: &str) -> Option<Pin> {
        const FIRST: u32 = PSEL;
        let offset = match (self.role, signal) {
            (Role::Off, _) => return None,
            (Role::Twi | Role::Twim | Role::Twis, "SCL") => FIRST,
            (Role::Twi | Role::Twim | Role::Twis, "SDA") => FIRST + 4,
            (Role::Twi | Role::Twim | Role::Twis, _) => return None,
            (_, "SCK") => FIRST,
            (Role::Spis, "MISO") | (Role::Spi | Role::Spim, "MOSI") => FIRST + 4,
            (Role::Spis, "MOSI") | (Role::Spi | Role::Spim, "MISO") => FIRST + 8,
            (Role::Spis, "CSN") => FIRST + 12,
            (_, "CSN") if self.is_fast() => FIRST + 12,
            (_, "DCX") if self.is_fast() => PSELDCX,
            _ => return None,
        };
        select::connected(self.signals.get(offset))
    }

    /// The buffer's pointer moves on, where EasyDMA has a list of buffers.
    pub(super) fn advance_list(&mut self, list: u32) {
        // PTR, MAXCNT, AMOUNT, LIST.
        let (pointer, most) = (list - 12, list - 8);
        if self.signals.get(list) == 1 {
            let next = self.signals.get(pointer).wrapping_add(self.signals.get(most));
            self.signals.bank.set(pointer, next);
        }
    }

    /// ENABLE has changed.
    fn switch(&mut self, env: &mut Env<'_, '_>) {
        let role = self.selected_role();
        if role != std::mem::replace(&mut self.role, role) {
            self.transfer = Transfer::default();
            self.dma.clear(env);
            self.twi.own.forget();
            self.set_up_twi();
            self.twi.stop_at_once(env);
            self.stop_spi(env);
            select::switch(env);
            self.look(env);
        }
    }

    /// Carries out what has happened on the lines.
    pub(super) fn go_on_all(&mut self, env: &mut Env<'_, '_>) {
        if self.is_twi() {
            self.twi_happened(env);
            if self.twi.ends.is_waiting() {
                self.twi.target_go(env);
                self.twi_happened(env);
            }
            self.target_fetch(env);
        } else {
            self.follow(env);
        }
    }
}

impl Tasked for Serial {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        match self.role {
            Role::Off => {}
            Role::Twi | Role::Twim | Role::Twis => self.twi_task(task, env),
            Role::Spi | Role::Spim | Role::Spis => self.spi_task(task, env),
        }
    }
}

impl EasyDma for Serial {
    fn easydma(&self) -> &Master {
        &self.dma
    }

    fn easydma_mut(&mut self) -> &mut Master {
        &mut self.dma
    }

    fn moved(&mut self, moved: Moved, env: &mut Env<'_, '_>) {
        match (self.role, moved.write) {
            (Role::Spim, true) => self.spi_stored(moved.tag, env),
            (Role::Spim, false) => self.spi_fetched(moved.value as u8, env),
            (Role::Spis, true) => self.target_stored(moved.tag, env),
            (Role::Spis, false) => self.target_fetched(moved.value as u8, env),
            (Role::Twis, false) => self.target_has(moved.value as u8),
            (Role::Twim, false) => self.twi_fetched(moved.value as u8, env),
            _ => {}
        }
        self.go_on_all(env);
    }
}

impl Block<Words> for Serial {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        let value = self.signals.bank.read(offset, env);
        match (offset, self.role) {
            (RXD, Role::Spi) => self.spi_taken(env),
            (RXD, Role::Twi) => self.twi_taken(),
            _ => {}
        }
        value
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == RXD { None } else { self.signals.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.dma.set_written(true);
        match offset {
            // Ones clear.
            STATUS | TWI_ERRORSRC | TWIS_ERRORSRC => self.signals.bank.flag(offset, write.ones(), false),
            SEMSTAT if self.role == Role::Spis => {}
            TXD => {
                let (_, byte) = self.signals.bank.write(TXD, write, env);
                match self.role {
                    Role::Spi => self.spi_written(byte as u8, env),
                    Role::Twi => self.twi_written(byte as u8, env),
                    _ => {}
                }
            }
            _ => {
                let changed = self.access(offset, write, env).is_some_and(|(old, new)| old != new);
                match offset {
                    ENABLE if changed => self.switch(env),
                    PSEL..PSEL_END | PSELDCX if changed => select::switch(env),
                    CONFIG if changed => env.effect(Effect::Output { signal: "SCK", level: self.output("SCK") }),
                    _ => {}
                }
                self.set_up_twi();
            }
        }
        self.go_on_all(env);
        self.dma.set_written(false);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            DECIDED => return easydma::decide(self, env),
            spi::FRAME_END | spi::NEXT => self.spi_event(kind, env),
            _ if self.is_twi() => self.twi.event(kind, env),
            _ => {}
        }
        self.go_on_all(env);
    }

    fn hears(&self, index: usize) -> bool {
        let Some(signal) = self.pins.get(index).map(|wired| wired.signal) else { return false };
        self.role == Role::Spis && matches!(signal, "SCK" | "MOSI" | "CSN")
    }

    fn hears_shared(&self, _: usize) -> bool {
        self.role != Role::Off
    }

    fn input(&mut self, index: usize, high: bool, env: &mut Env<'_, '_>) {
        let Some(signal) = self.pins.get(index).map(|wired| wired.signal) else { return };
        match signal {
            "SCL" | "SDA" if self.is_twi() => self.twi.line(signal == "SCL", high, env),
            "SCK" | "MOSI" | "MISO" | "CSN" if !self.is_twi() => self.spi_line(signal, high, env),
            _ => return,
        }
        self.go_on_all(env);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
        self.correct_resets();
        self.twi.reset(env);
        self.transfer = Transfer::default();
        self.dma.clear(env);
        self.stop_spi(env);
        if std::mem::take(&mut self.role) != Role::Off {
            select::switch(env);
        }
    }

    fn output(&self, signal: &str) -> Option<bool> {
        self.chosen_pin(signal)?;
        if self.is_twi() { self.twi.output(signal) } else { self.spi_output(signal) }
    }

    fn refine(&mut self, times: u64) {
        self.twi.refine(times);
        self.refine_spi(times);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        if self.is_twi() {
            self.twi.after_change(old, env);
        }
    }

    fn bank(&self) -> Option<&crate::Bank> {
        Some(&self.signals.bank)
    }
}
