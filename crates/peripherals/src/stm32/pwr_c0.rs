//! Power control of STM32C0 (RM0490, "Power control (PWR)"): Stop, Standby and Shutdown mode with five wake-up pins, and pull
//! resistors that hold pins in modes without power. A pin that floats is low here, and so is one that is pulled down.
//!
//! Not modelled: flash without power in Sleep mode.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use super::pwr::time;
use crate::bank::{all, but};
use crate::{
    Bank, Block, Clocks, DeepSleep, Effect, Env, Instance, Instant, Modelled, PowerControl, Span, Words, Write,
};

const CR1: u32 = 0x00;
const CR3: u32 = 0x08;
const CR4: u32 = 0x0C;
const SR1: u32 = 0x10;
const SR2: u32 = 0x14;
const SCR: u32 = 0x18;

const LPMS: u32 = 7;
const FPD_STOP: u32 = 1 << 3;
/// EWUPx, WPx and WUFx of six pins.
const PINS: u32 = 0x3F;
const SBF: u32 = 1 << 8;
const APC: u32 = 1 << 10;
/// PUCRA; PDCRA follows, then those of the other ports.
const PULLS: u32 = 0x20;
const PORTS: u8 = 6;
/// EIWUL and WUFI.
const INTERNAL: u32 = 1 << 15;

/// The modelled registers and fields, with the values after power-on (RM0490, "PWR register map").
pub const MODEL: &[Modelled] = &[
    but("CR1", 0x0000_0208, &["FPD_SLP"]),
    all("CR3", 0x0000_8000),
    all("CR4", 0).and(&["SR1", "SCR"]),
    all("PUCRA", 0).and(&["PUCRB", "PUCRC", "PUCRD", "PUCRE", "PUCRF"]),
    all("PDCRA", 0).and(&["PDCRB", "PDCRC", "PDCRD", "PDCRE", "PDCRF"]),
    // FLASH_RDY: the flash has power whenever the program runs.
    all("SR2", 0x0000_0080),
];

const REFERENCE: Hertz = Hertz::new(48_000_000);

/// Wake-up times, in periods of 48 MHz.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "pwr.stop",
        "from what wakes the part from Stop mode until it runs from HSI48, in periods of 48 MHz",
        240,
        "5 us, the order of magnitude in DS13867 (Low-power mode wakeup times), to be checked",
    ),
    TimingRow::assumed(
        "pwr.stop_flash_off",
        "the same with flash without power in Stop mode (FPD_STOP), in periods of 48 MHz",
        432,
        "9 us, the order of magnitude in DS13867 (Low-power mode wakeup times), to be checked",
    ),
    TimingRow::assumed(
        "pwr.standby",
        "from what wakes the part from Standby mode until it is reset, in periods of 48 MHz",
        1_440,
        "30 us, the order of magnitude in DS13867 (Low-power mode wakeup times), to be checked",
    ),
    TimingRow::assumed(
        "pwr.shutdown",
        "from what wakes the part from Shutdown mode until it is reset, in periods of 48 MHz",
        16_800,
        "350 us, the order of magnitude in DS13867 (Low-power mode wakeup times), to be checked",
    ),
];

/// The block.
#[derive(Clone, Debug)]
pub struct PwrC0 {
    bank: Bank,
    /// The levels of the wake-up pins.
    pins: u32,
    /// The level of the internal wake-up line.
    internal: bool,
    /// The mode without power that it is in.
    off: Option<DeepSleep>,
}

impl PwrC0 {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, MODEL), pins: 0, internal: false, off: None }
    }

    /// Pins rose or fell; those whose edge is selected set their flags.
    fn pins_changed(&mut self, changed: u32, env: &mut Env<'_, '_>) {
        let active = changed & (self.pins ^ self.bank.get(CR4)) & self.bank.get(CR3) & PINS;
        if active != 0 {
            self.bank.flag(SR1, active, true);
            env.effect(Effect::WakeUp);
        }
    }

    /// Pulls pins up as PUCRx say, unless PDCRx pulls them down, while APC is set (RM0490, PWR_CR3.APC).
    fn pull(&self, env: &mut Env<'_, '_>) {
        let applied = self.bank.get(CR3) & APC != 0;
        for port in 0..PORTS {
            let offset = PULLS + 8 * u32::from(port);
            let up = self.bank.get(offset) & !self.bank.get(offset + 4);
            env.effect(Effect::Pulls { port, up: if applied { up as u16 } else { 0 } });
        }
    }

    /// WUFI shows the internal line while it is enabled.
    fn follow_internal(&mut self, env: &mut Env<'_, '_>) {
        let high = self.internal && self.bank.get(CR3) & INTERNAL != 0;
        self.bank.flag(SR1, INTERNAL, high);
        if high {
            env.effect(Effect::WakeUp);
        }
    }
}

impl PowerControl for PwrC0 {
    fn deep_sleep(&self) -> DeepSleep {
        match self.bank.get(CR1) & LPMS {
            0..=2 => DeepSleep::Stop,
            3 => DeepSleep::Standby,
            _ => DeepSleep::Shutdown,
        }
    }

    fn enter(&mut self, mode: DeepSleep, env: &mut Env<'_, '_>) {
        let lpms = self.bank.get(CR1) & LPMS;
        if matches!(lpms, 1 | 2) {
            env.gap(GapKind::Setting, format_args!("PWR_CR1.LPMS={lpms} is reserved: taken as Stop mode"));
        }
        if mode == DeepSleep::Stop {
            return;
        }
        self.off = Some(mode);
        self.bank.flag(SR1, SBF, mode == DeepSleep::Standby);
        if self.bank.get(SR1) & PINS != 0 {
            env.effect(Effect::WakeUp);
        }
    }

    fn wake_up_time(&self, env: &mut Env<'_, '_>) -> Span {
        let row = match self.off {
            None => usize::from(self.bank.get(CR1) & FPD_STOP != 0),
            Some(DeepSleep::Shutdown) => 3,
            Some(_) => 2,
        };
        time(&ROWS[row], REFERENCE, env)
    }

    fn internal(&mut self, high: bool, env: &mut Env<'_, '_>) {
        self.internal = high;
        self.follow_internal(env);
    }

    fn set_pin(&mut self, number: u8, high: bool, env: &mut Env<'_, '_>) {
        let bit = 1 << (number.saturating_sub(1) & 7);
        let old = self.pins;
        self.pins = if high { old | bit } else { old & !bit };
        self.pins_changed(old ^ self.pins, env);
    }
}

impl Block<Words> for PwrC0 {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            CR3 => {
                self.follow_internal(env);
                if (old ^ new) & APC != 0 {
                    self.pull(env);
                }
            }
            PULLS.. if self.bank.get(CR3) & APC != 0 => self.pull(env),
            SR1 | SR2 => self.bank.set(offset, old),
            SCR => {
                self.bank.set(SCR, 0);
                self.bank.flag(SR1, new & (PINS | SBF), false);
            }
            _ => {}
        }
    }

    /// RM0490, PWR_CR3 and on: these registers outlive the end of Standby mode, SR1 each reset but that of the supply.
    fn reset(&mut self, env: &mut Env<'_, '_>) {
        let kept: &[u32] = match self.off.take() {
            None => &[SR1],
            Some(DeepSleep::Shutdown) => &[],
            Some(_) => &[CR3, CR4, SR1, 0x20, 0x24, 0x28, 0x2C, 0x30, 0x34, 0x38, 0x3C, 0x40, 0x44, 0x48, 0x4C],
        };
        let values: Vec<u32> = kept.iter().map(|offset| self.bank.get(*offset)).collect();
        self.bank.reset();
        for (offset, value) in kept.iter().zip(values) {
            self.bank.set(*offset, value);
        }
        self.pull(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
