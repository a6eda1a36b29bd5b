//! Power and reset of the K20 (K20P64M72SF1RM, "Power Management Controller (PMC)", "System Mode Controller (SMC)",
//! "Reset Control Module (RCM)") and its oscillator's control (OSC): registers with a rule or two.
//!
//! Low-power modes beyond Wait are not modelled: asking for one is stored and named.

use crate::ResetFlag;
use crate::bank::{all, some};
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Words, Write};

use super::registers::{bank, byte};

/// The modelled fields of PMC. ACKISO reads 0, because no low-power mode held the pins.
pub const PMC: &[Modelled] = &[some(
    "LVDSC1_LVDSC2_REGSC",
    0x0004_0010,
    &["LVDSC1.LVDF", "LVDSC2.LVWF", "REGSC.REGONS", "REGSC.ACKISO", "REGSC.BGBE"],
)];
/// The modelled fields of SMC: the allowed modes, written once. The mode is RUN.
pub const SMC: &[Modelled] = &[some(
    "PMPROT_PMCTRL_VLLSCTRL_PMSTAT",
    0x0103_0000,
    &["PMPROT.AVLLS", "PMPROT.ALLS", "PMPROT.AVLP", "PMCTRL.STOPA", "PMSTAT.PMSTAT"],
)];
/// The modelled fields of RCM: the causes of the last reset.
pub const RCM: &[Modelled] = &[all("SRS0_SRS1", 0x0000_0082)];
/// The modelled fields of OSC. The load capacitors have no effect.
pub const OSC: &[Modelled] = &[some("CR", 0, &["SC16P", "SC8P", "SC4P", "SC2P", "ERCLKEN"])];

/// SRS0: the watchdog and the pin; SRS1: software.
const SRS_WDOG: u32 = 1 << 5;
const SRS_PIN: u32 = 1 << 6;
const SRS_SOFTWARE: u32 = 1 << 10;

/// The block's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pmc,
    Smc,
    Rcm,
    Osc,
}

/// One of the blocks.
#[derive(Clone, Debug)]
pub struct System {
    bank: Bank,
    kind: Kind,
    /// SMC_PMPROT was written since reset.
    protected: bool,
}

impl System {
    /// The block of that kind after reset; `None` if it is none of these.
    pub fn new(instance: &Instance) -> Option<Self> {
        let (kind, model) = match instance.map.kind {
            "pmc" => (Kind::Pmc, PMC),
            "smc" => (Kind::Smc, SMC),
            "rcm" => (Kind::Rcm, RCM),
            "osc" => (Kind::Osc, OSC),
            _ => return None,
        };
        Some(Self { bank: bank(instance.map, model), kind, protected: false })
    }

    /// Notes why the part was reset, if this is the reset control.
    pub fn note_reset(&mut self, flag: ResetFlag) {
        if self.kind == Kind::Rcm {
            let cause = match flag {
                ResetFlag::Pin => SRS_PIN,
                // Only STM32 parts have Standby mode here.
                ResetFlag::Software | ResetFlag::Standby => SRS_SOFTWARE,
                ResetFlag::IndependentWatchdog | ResetFlag::WindowWatchdog => SRS_WDOG,
            };
            self.bank.set(0, cause);
        }
    }
}

impl Block<Words> for System {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        self.bank.read(offset & !3, env)
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset & !3)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let mut write = write;
        if self.kind == Kind::Smc && offset == 0 {
            // PMPROT takes one write after reset; PMSTAT is read only.
            if byte(write, 0).is_some() {
                if self.protected {
                    write.lanes &= !0xFF;
                }
                self.protected = true;
            }
            write.lanes &= 0x00FF_FFFF;
        }
        let (old, new) = self.bank.write(offset, write, env);
        if self.kind == Kind::Pmc && offset == 0 {
            // Flags are acknowledged, ACKISO by writing 1; nothing of them is ever set here.
            const FLAGS: u32 = 1 << 7 | 1 << 15 | 1 << 18 | 1 << 19;
            const ACKNOWLEDGE: u32 = 1 << 6 | 1 << 14;
            self.bank.set(0, (old & FLAGS) | (new & !(FLAGS | ACKNOWLEDGE)));
        }
    }

    fn reset(&mut self, _: &mut Env<'_, '_>) {
        self.protected = false;
        if self.kind != Kind::Rcm {
            self.bank.reset();
        }
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
