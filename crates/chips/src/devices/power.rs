//! Stop and Standby mode: what stops, what wakes, and what is lost.
//!
//! In Stop mode the clocks of the core's domain stand: all that they drive stays as it is, to the part of a period, while
//! simulated time goes on. Oscillators for low speed, the independent watchdog and the real-time clock run. In Standby mode
//! everything but these and the power control is reset at once, nothing reaches the core, and what ends the mode is a
//! reset. RAM then holds what no program has stored: a pattern, the same each time, that is not zero.

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Context, EventId, GapKind};
use cyclescope_peripherals::{Block, DeepSleep, Device, ResetFlag, Span};

use super::Devices;

/// The event at which a part that was woken from Standby mode is reset.
pub(super) const WAKE: EventId = EventId::new(0xFF03);

/// The event at which a dormant oscillator that was woken runs.
pub(super) const RUN: EventId = EventId::new(0xFF04);

/// The cause of that reset.
pub(super) const STANDBY_LEFT: &str = "wake-up from Standby mode";

impl Devices {
    /// The core sleeps deeply; returns `true` if its clock stands from now on.
    pub(super) fn enter_deep_sleep(&mut self, context: &mut Context<'_>) -> bool {
        let known = &self.wiring.layout.known;
        let (clock, power) = (known.clock, known.power);
        let Some(mode) = power.and_then(|slot| self.slots[slot].power_control()).map(|control| control.deep_sleep())
        else {
            // On an nRF52840 it is the same as sleep.
            if clock.is_none() || known.interconnect.is_some() {
                return false;
            }
            context.gap(GapKind::Setting, "deep sleep is timed as Sleep mode");
            return false;
        };
        let held = known.edges.is_some_and(|slot| {
            self.slots
                .with(slot, context, |device, env| device.edge_lines().is_some_and(|edges| edges.holds_off_stop(env)))
        });
        if held {
            let text = "Stop or Standby mode is not entered while a line of EXTI is pending: timed as Sleep mode";
            context.gap(GapKind::Setting, text);
            return false;
        }
        if self.keeps_clocks() {
            let text = "DBGMCU_CR keeps clocks running in Stop and Standby mode on silicon: timed as without";
            context.gap(GapKind::Setting, text);
        }
        let standby = mode != DeepSleep::Stop;
        self.at(power, context, |device, env| {
            if let Some(control) = device.power_control_mut() {
                control.enter(mode, env);
            }
        });
        if standby {
            self.wiring.standby = true;
            self.power_down(mode, context);
        }
        self.at(clock, context, |device, env| {
            if let Some(control) = device.clock_control_mut() {
                control.stop(env);
            }
        });
        self.carry_out(context);
        let tree = *self.clocks().tree();
        self.slots.change(tree, context, |clocks, context| clocks.stand(context.now));
        self.carry_out(context);
        if standby {
            context.interrupts.mute();
        }
        true
    }

    /// DBG_STOP or DBG_STANDBY is set.
    fn keeps_clocks(&self) -> bool {
        let mut blocks = self.slots.iter().filter(|(instance, _)| instance.map.kind == "dbgmcu");
        blocks.any(|(_, device)| device.bank().is_some_and(|bank| bank.get(4) & 6 != 0))
    }

    /// Everything without power in Standby mode is as after a reset, so that pins are let go.
    fn power_down(&mut self, mode: DeepSleep, context: &mut Context<'_>) {
        self.slots.each(context, |device, env| {
            let watches = matches!(device, Device::Iwdg(_)) && mode != DeepSleep::Shutdown;
            let powered = watches
                || device.backup_domain().is_some()
                || device.power_control().is_some()
                || device.clock_control().is_some();
            if !powered {
                device.reset(env);
            }
        });
        self.carry_out(context);
    }

    /// The part enters System OFF (nRF52840 PS, "System OFF mode"): all but its ports, power control and flash is as after a reset.
    /// The core stops at its next instruction that waits, where programs wait for this mode.
    pub(super) fn switch_off(&mut self, context: &mut Context<'_>) {
        if self.wiring.standby {
            return;
        }
        self.wiring.standby = true;
        self.slots.wires.reset_flag = Some(ResetFlag::Standby);
        self.slots.each(context, |device, env| {
            if device.port().is_none() && device.clock_control().is_none() {
                device.reset(env);
            }
        });
        context.interrupts.mute();
        // A pin that has its level already wakes the part at once.
        if self.slots.iter().any(|(_, device)| matches!(device, Device::NrfGpio(port) if port.detects())) {
            self.leave_standby(context);
        }
    }

    /// The oscillator that makes the system's clock is dormant (RP-008371-DS, "DORMANT State"): cores and buses stand where they are,
    /// and so does all that counts their clock, while simulated time goes on.
    pub(super) fn stand(&mut self, context: &mut Context<'_>) {
        // One that was about to run is dormant again.
        context.events.cancel(RUN);
        if self.clocks().stands() {
            return;
        }
        for (instance, device) in self.slots.iter() {
            if device.counts_cycles() {
                let name = instance.name;
                context.gap(GapKind::Setting, &format!("{name} runs on while no oscillator does"));
            }
        }
        let tree = *self.clocks().tree();
        self.slots.change(tree, context, |clocks, context| clocks.stand(context.now));
        context.interrupts.stand(true);
    }

    /// The oscillator runs again in `span` from now.
    pub(super) fn run_in(&mut self, span: Span, context: &mut Context<'_>) {
        let clocks = self.clocks();
        let at = clocks.always_cycle(clocks.always_at(context.now).after(span));
        context.events.schedule(at.max(context.now.saturating_add(Cycles::new(1))), RUN);
    }

    /// It runs.
    pub(super) fn run_on(&mut self, context: &mut Context<'_>) {
        let tree = *self.clocks().tree();
        self.slots.change(tree, context, |clocks, context| clocks.run_from(context.now));
        context.interrupts.stand(false);
        self.carry_out(context);
    }

    /// Something wakes the core; returns the cycles until its clock runs.
    pub(super) fn leave_stop(&mut self, context: &mut Context<'_>) -> Cycles {
        if !self.clocks().stands() || self.wiring.standby {
            return Cycles::ZERO;
        }
        let at = self.waking_time(context);
        let tree = *self.clocks().tree();
        self.slots.change(tree, context, |clocks, _| clocks.run_from(at));
        self.carry_out(context);
        at.saturating_sub(context.now)
    }

    /// The cycle at which a part that is woken now runs.
    fn waking_time(&mut self, context: &mut Context<'_>) -> Cycles {
        let Some(power) = self.wiring.layout.known.power else { return context.now };
        self.slots.with(power, context, |device, env| {
            let span = device.power_control().map(|control| control.wake_up_time(env));
            let at = span.map_or(env.always_now(), |span| env.always_now().after(span));
            env.clocks().always_cycle(at)
        })
    }

    /// Something wakes the part from Standby mode, if it is in it.
    pub(super) fn leave_standby(&mut self, context: &mut Context<'_>) {
        if self.wiring.standby && context.events.when(WAKE).is_none() {
            let at = self.waking_time(context).max(context.now.saturating_add(Cycles::new(1)));
            context.events.schedule(at, WAKE);
        }
    }
}
