//! Power control of STM32F446 (RM0390, "Power controller (PWR)"): over-drive, voltage scaling, and the key to the backup
//! domain. Low-power modes beyond Sleep, the voltage detector and the backup regulator are stored without effect.

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow};

use crate::bank::some;
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Source, Tree, Words, Write};

const CR: u32 = 0x00;
const CSR: u32 = 0x04;

const CWUF: u32 = 1 << 2;
const CSBF: u32 = 1 << 3;
const DBP: u32 = 1 << 8;
const ODEN: u32 = 1 << 16;
const ODSWEN: u32 = 1 << 17;
const VOSRDY: u32 = 1 << 14;
const ODRDY: u32 = 1 << 16;
const ODSWRDY: u32 = 1 << 17;
/// WUF and SBF.
const WAKE_FLAGS: u32 = 3;

/// The modelled registers and fields, with the values after reset (RM0390, "PWR register map").
pub const MODEL: &[Modelled] = &[
    some("CR", 0x0000_C000, &["CWUF", "CSBF", "DBP", "VOS", "ODEN", "ODSWEN"])
        // The supply current in Stop mode.
        .unseen(&["LPDS", "FPDS"]),
    some("CSR", 0, &["WUF", "SBF", "PVDO", "BRR", "VOSRDY", "ODRDY", "ODSWRDY"]),
];

/// The times of the regulator, in periods of 16 MHz.
pub const ROWS: &[TimingRow] = &[
    TimingRow::assumed(
        "pwr.over_drive_ready",
        "over-drive from ODEN to ODRDY, in periods of 16 MHz",
        720,
        "45 us, as the switch takes (DS10693, Over-drive switching characteristics); RM0390 gives no figure",
    ),
    TimingRow::assumed(
        "pwr.over_drive_switch",
        "over-drive from ODSWEN to ODSWRDY, in periods of 16 MHz",
        720,
        "45 us with HSI (DS10693, Over-drive switching characteristics, to be checked); the core stalls on silicon",
    ),
    TimingRow::assumed(
        "pwr.voltage_ready",
        "voltage scaling from PLLON to VOSRDY, in periods of 16 MHz",
        640,
        "40 us; RM0390 gives no figure",
    ),
];

/// The flags in CSR that the events set, by event number.
const FLAGS: [u32; 3] = [ODRDY, ODSWRDY, VOSRDY];

/// The block.
#[derive(Clone, Debug)]
pub struct PwrF4 {
    bank: Bank,
    /// When each of [`FLAGS`] will be set.
    ready_at: [Instant; 3],
}

impl PwrF4 {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { bank: Bank::new(instance.map, MODEL), ready_at: [Instant::NEVER; 3] }
    }

    /// The main PLL was switched on or off: the scale in VOS holds only while it is on (RM0390, PWR_CR.VOS).
    pub fn pll_switched(&mut self, on: bool, env: &mut Env<'_, '_>) {
        self.follow(2, on, env);
    }

    /// Sets the flag `which` after its time, or clears it at once.
    fn follow(&mut self, which: usize, on: bool, env: &mut Env<'_, '_>) {
        let is = self.bank.get(CSR) & FLAGS[which] != 0;
        if !on {
            self.ready_at[which] = Instant::NEVER;
            self.bank.flag(CSR, FLAGS[which], false);
        } else if !is && self.ready_at[which] == Instant::NEVER {
            let period = env.clocks().period(Hertz::new(16_000_000));
            self.ready_at[which] = env.always_now().after(period.times(u64::from(ROWS[which].cycles)));
        }
        env.schedule_always(which as u16, self.ready_at[which]);
    }

    /// The fastest HCLK for the scale and over-drive in force (DS10693, General operating conditions; RM0390, PWR_CR).
    fn fastest(&self) -> Hertz {
        let over = self.bank.get(CSR) & ODSWRDY != 0;
        Hertz::new(match (self.bank.get(CR) >> 14 & 3, over) {
            (3, true) => 180_000_000,
            (2, true) | (3, false) => 168_000_000,
            (2, false) => 144_000_000,
            _ => 120_000_000,
        })
    }

    fn check_speed(&self, env: &mut Env<'_, '_>) {
        let (hclk, most) = (env.clocks().frequency(Source::Hclk), self.fastest());
        if hclk > most {
            env.gap(GapKind::Setting, format_args!("HCLK {hclk} is too fast for PWR_CR.VOS and over-drive: {most}"));
        }
    }
}

impl Block<Words> for PwrF4 {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        if offset == CSR {
            let kept = WAKE_FLAGS | 0xC | VOSRDY | ODRDY | ODSWRDY;
            self.bank.set(CSR, (old & kept) | (new & !kept));
            return;
        }
        if new & CWUF != 0 {
            self.bank.flag(CSR, 1, false);
        }
        if new & CSBF != 0 {
            self.bank.flag(CSR, 2, false);
        }
        self.bank.set(CR, new & !(CWUF | CSBF));
        if (old ^ new) & DBP != 0 {
            env.effect(Effect::BackupAccess { allowed: new & DBP != 0 });
        }
        self.follow(0, new & ODEN != 0, env);
        // RM0390, PWR_CR.ODSWEN: the switch follows once over-drive is ready.
        self.follow(1, new & (ODEN | ODSWEN) == ODEN | ODSWEN && self.bank.get(CSR) & ODRDY != 0, env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        let which = usize::from(kind);
        let Some(flag) = FLAGS.get(which).filter(|_| env.always_now() >= self.ready_at[which]) else { return };
        self.ready_at[which] = Instant::NEVER;
        self.bank.flag(CSR, *flag, true);
        if which == 0 {
            self.follow(1, self.bank.get(CR) & ODSWEN != 0, env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.ready_at = [Instant::NEVER; 3];
        for kind in 0..3 {
            env.cancel(kind);
        }
        env.effect(Effect::BackupAccess { allowed: false });
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        for (kind, at) in (0..).zip(self.ready_at) {
            env.schedule_always(kind, at);
        }
        self.check_speed(env);
    }

    fn refine(&mut self, times: u64) {
        self.ready_at = self.ready_at.map(|at| at.refined(times));
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
