//! Blocks with few rules (RP-008371-DS): the power-on state machine, system information and configuration, the supply and the
//! test bench's manager. Most of their registers hold what is written.

use cyclescope_machine::GapKind;

use super::Message;
use super::registers::bank;
use crate::bank::{but, some};
use crate::{Bank, Block, Clocks, Effect, Env, Instance, Instant, Modelled, Source, Tree, Words, Write};

/// The registers of PSM that are modelled in part: the watchdog resets the whole part, whatever WDSEL says.
pub const PSM_PARTLY: &[Modelled] =
    &[but("FRCE_ON", 0, &[]), some("FRCE_OFF", 0, &["SIO", "PROC0", "PROC1"]), some("WDSEL", 0, &[])];

/// The same of SYSCFG.
pub const SYSCFG_PARTLY: &[Modelled] = &[
    some("PROC_CONFIG", 0, &[]),
    some("PROC_IN_SYNC_BYPASS", 0, &[]).and(&["PROC_IN_SYNC_BYPASS_HI"]),
    some("DBGFORCE", 0, &[]),
];

/// The same of the supply: its voltage takes no time and changes nothing here.
pub const VREG_PARTLY: &[Modelled] = &[
    some("VREG", 0, &["EN", "ROK"]).unseen(&["HIZ", "VSEL"]),
    some("BOD", 0, &[]).unseen(&["EN", "VSEL"]),
    some("CHIP_RESET", 0, &["HAD_POR", "HAD_RUN", "HAD_PSM_RESTART"]),
];

/// PSM's registers, and everything that it brings up.
const FRCE_OFF: u32 = 0x04;
const DONE: u32 = 0x0C;
const UP: u32 = 0x0001_FFFF;
/// PROC0 and PROC1 in them.
const PSM_CORES: [u32; 2] = [1 << 15, 1 << 16];

/// PROC0_NMI_MASK and PROC1_NMI_MASK of SYSCFG: the interrupts that are unmasked ones besides.
const NMI_MASKS: [u32; 2] = [0x00, 0x04];

/// SYSCFG's switches of the memories' power, and the cycles in which a program may have them back on before it is named as one that
/// works without memory. No document has a bound: it is assumed, with room to fall dormant and to wake.
const MEMPOWERDOWN: u32 = 0x18;
const BRIEF: u64 = 64;
/// The event at which they are not.
const WITHOUT_POWER: u16 = 0;

/// Words that the description has no value for, or that are read only: kind, offset, value.
const FIXED: &[(&str, u32, u32)] = &[
    // Everything has come up.
    ("psm", DONE, UP),
    // Raspberry Pi, RP2, B2.
    ("sysinfo", 0x00, 0x2000_2927),
    ("sysinfo", 0x04, 0x2),
    ("tbman", 0x00, 0x1),
    ("vreg_and_chip_reset", 0x00, 0x10B1),
    ("vreg_and_chip_reset", 0x08, 0x100),
];

/// A block with few rules.
#[derive(Clone, Debug)]
pub struct Small {
    bank: Bank,
    kind: &'static str,
    /// The time at which memories have been without power for long.
    down: Instant,
}

impl Small {
    /// The block that `instance` is; `None` if it is none of these.
    pub fn new(instance: &Instance) -> Option<Self> {
        let partly = match instance.map.kind {
            "psm" => PSM_PARTLY,
            "syscfg" => SYSCFG_PARTLY,
            "vreg_and_chip_reset" => VREG_PARTLY,
            "sysinfo" | "tbman" => &[],
            // Drive and slew of the flash's pins take no time.
            "pads_qspi" => &[],
            _ => return None,
        };
        let mut small = Self { bank: bank(instance.map, partly), kind: instance.map.kind, down: Instant::NEVER };
        small.fix();
        Some(small)
    }

    fn route_interrupts(&self, env: &mut Env<'_, '_>) {
        for (core, offset) in NMI_MASKS.into_iter().enumerate() {
            env.context.interrupts.route_to_nmi(core, self.bank.get(offset).into());
        }
    }

    fn fix(&mut self) {
        for (_, offset, value) in FIXED.iter().filter(|(kind, ..)| *kind == self.kind) {
            self.bank.set(*offset, *value);
        }
    }
}

impl Block<Words> for Small {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.bank.write(offset, write, env);
        if self.kind == "psm" && offset == FRCE_OFF {
            let off = self.bank.get(FRCE_OFF);
            self.bank.set(DONE, UP & !off);
            for (core, bit) in PSM_CORES.into_iter().enumerate() {
                env.context.interrupts.hold(core, off & bit != 0);
            }
            env.effect(Effect::Rp(Message::ForceOff { off }));
        }
        if self.kind == "syscfg" {
            self.route_interrupts(env);
            let at = env.now().after(env.clocks().period_of(Source::Hclk).times(BRIEF));
            let down = self.bank.get(MEMPOWERDOWN) != 0;
            // Another word while some are off already gives no more time.
            if offset == MEMPOWERDOWN && !(down && self.down != Instant::NEVER) {
                env.schedule(WITHOUT_POWER, if down { at } else { Instant::NEVER });
                self.down = if down { at } else { Instant::NEVER };
            }
        }
        if self.kind == "vreg_and_chip_reset" && offset == 0 {
            // ROK follows at once.
            self.bank.flag(0, 1 << 12, self.bank.get(0) & 1 != 0);
        }
    }

    /// Memories keep what they hold without power ("Memory Power Down"), but are not to be accessed.
    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        if env.now() < self.down {
            return;
        }
        self.down = Instant::NEVER;
        let text = "SYSCFG_MEMPOWERDOWN: an access to a memory without power, which may damage it on silicon, would not be seen";
        env.gap(GapKind::Setting, format_args!("{text}"));
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        env.schedule(WITHOUT_POWER, self.down);
    }

    fn refine(&mut self, times: u64) {
        self.down = self.down.refined(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.down = Instant::NEVER;
        env.cancel_all();
        self.fix();
        if self.kind == "syscfg" {
            self.route_interrupts(env);
        }
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
