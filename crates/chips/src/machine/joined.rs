//! A core joined with its bus, whatever the instruction set.

use cyclescope_engine::{Core, Hooks, InstructionSet, Waited};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Attachment, Bus, Context, Memory, Pin, TimingRow, Wait, Wire};

use super::cores::Cores;
use super::{AttachError, Settings};
use crate::Part;
use crate::owner::{Owner, Wiring};

/// Attached devices have numbers of a byte.
const MOST_ATTACHED: usize = 256;

/// Core and bus of a part.
#[derive(Clone, Debug)]
pub(super) struct Joined<I: InstructionSet, W: Wiring> {
    pub(super) core: Cores<I, W>,
    pub(super) bus: Bus<Owner<W>>,
}

impl<I: Hooks<Owner<W>>, W: Wiring> Joined<I, W> {
    /// `cores` cores and their bus over `memory`; `start` puts the devices into the state after power-on.
    pub(super) fn new(
        config: I::Config,
        memory: Memory,
        devices: Owner<W>,
        settings: Settings,
        cores: usize,
        start: impl FnOnce(&mut Owner<W>, &mut Context<'_>),
    ) -> Self {
        let mut bus = Bus::new(memory, devices, settings.output_budget);
        let (devices, mut context) = bus.with_context(Cycles::ZERO, Address::ZERO);
        start(devices, &mut context);
        let mut core = Core::new(config, &bus);
        core.skip_loops(settings.skips_loops);
        settings.tier.set(&mut core);
        Self { core: Cores::new(core, cores, &mut bus), bus }
    }

    /// See [`Machine::attach`](super::Machine::attach).
    pub(super) fn attach(&mut self, attachments: Vec<Attachment>, part: &Part) -> Result<(), AttachError> {
        let pins: Vec<Pin> = part.pins().collect();
        let devices = &self.bus.peripherals;
        let mut names: Vec<&str> = devices.outside().devices().map(|(name, _)| name).collect();
        if names.len() + attachments.len() > MOST_ATTACHED {
            return Err(AttachError::TooMany(names.len() + attachments.len()));
        }
        for Attachment { name, wires, .. } in &attachments {
            if names.contains(&name.as_str()) {
                return Err(AttachError::Twice(name.clone()));
            }
            names.push(name);
            let (device, chip) = (name.clone(), part.name.to_string());
            for wire in wires.iter().flatten() {
                match wire {
                    Wire::Pin(pin) if !pins.contains(pin) => {
                        return Err(AttachError::NoPin { device, pin: *pin, part: chip });
                    }
                    Wire::Signal { peripheral, signal } if W::route(devices, wire, "").is_none() => {
                        let (peripheral, signal) = (peripheral.clone(), signal.clone());
                        let others = having(devices, &signal, part);
                        return Err(AttachError::NoSignal { device, peripheral, signal, part: chip, others });
                    }
                    _ => {}
                }
            }
        }
        let (devices, mut context) = self.bus.with_context(self.core.reached(), self.core.cpu().pc());
        devices.attach(attachments, &mut context);
        Ok(())
    }

    /// A reset of the devices, as `reset` does it, and of the core: RAM and the clock of the simulation go on, everything
    /// else begins anew.
    pub(super) fn reset_into(&mut self, reset: impl FnOnce(&mut Owner<W>, &mut Context<'_>)) -> I::Reset {
        self.core.select(0, &mut self.bus);
        self.bus.reset_turns();
        let (devices, mut context) = self.bus.with_context(self.core.reached(), self.core.cpu().pc());
        reset(devices, &mut context);
        self.core.reset(&mut self.bus)
    }

    /// See [`Restore`](cyclescope_machine::Restore).
    pub(super) fn restore(&mut self, from: &Self) {
        self.core.restore(&from.core);
        self.bus.memory.restore_from(&from.bus.memory);
        self.bus.peripherals.restore(&from.bus.peripherals);
        self.bus.shared.clone_from(&from.bus.shared);
    }

    /// See [`Machine::waits_for`](super::Machine::waits_for).
    pub(super) fn waits_for(&self) -> Option<Wait> {
        let Waited { pc, address, bits } = self.core.waits_for(&self.bus)?;
        let named = W::register(&self.bus.peripherals, address).map(|register| register.with_bits(bits));
        let register = named.or_else(|| core_register(address, bits)).unwrap_or_else(|| address.to_string());
        Some(Wait { pc, register })
    }

    /// Those of `rows`, the core's, that the run has used so far.
    pub(super) fn used_of(&self, rows: &'static [TimingRow]) -> Vec<&'static TimingRow> {
        let used = self.core.rows_used();
        (0..).zip(rows).filter(|(index, _)| used.contains(*index)).map(|(_, row)| row).collect()
    }
}

/// Returns the names of the peripherals that have `signal` at a pin.
fn having<W: Wiring>(devices: &Owner<W>, signal: &str, part: &Part) -> Vec<String> {
    let names = part.coverage().into_iter().map(|block| block.name.to_owned());
    let wire = |name: &String| Wire::Signal { peripheral: name.clone(), signal: signal.to_owned() };
    names.filter(|name| W::route(devices, &wire(name), "").is_some()).collect()
}

/// Returns the name of a register of a Cortex-M's own that programs poll.
fn core_register(address: Address, bits: u32) -> Option<String> {
    let name = match address.get() {
        0xE000_E010 if bits == 1 << 16 => "SYST_CSR.COUNTFLAG",
        0xE000_E010 => "SYST_CSR",
        0xE000_E018 => "SYST_CVR",
        0xE000_ED04 => "ICSR",
        0xE000_1004 => "DWT_CYCCNT",
        _ => return None,
    };
    Some(name.to_owned())
}
