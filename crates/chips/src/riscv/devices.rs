//! The peripherals of a RISC-V part: one concrete type for all of them.

use cyclescope_machine::units::{Cycles, Hertz};
use cyclescope_machine::{
    Access, BusFault, Context, EventId, EventQueue, GapKind, Peripherals, Pin, Stimulus, TimingRow, Width,
};
use cyclescope_peripherals::riscv::{Device, Effect, Instance, Riscv, Shared};
use cyclescope_peripherals::{Block, Serial, Slots, Write};

use super::RiscvPart;
use crate::owner::Owner;
use crate::stimuli::Stimuli;

/// The peripherals of a RISC-V part.
#[derive(Clone, Debug)]
pub struct RiscvDevices {
    part: &'static RiscvPart,
    clock: Hertz,
    slots: Slots<Riscv, Device>,
    /// The slot of the PLIC.
    plic: Option<usize>,
    stimuli: Stimuli,
}

impl RiscvDevices {
    /// The peripherals of `part` before power-on, with a core at `clock`.
    pub fn new(part: &'static RiscvPart, clock: Hertz) -> Self {
        let slots: Vec<Device> = part.instances.iter().map(Device::new).collect();
        let plic = slots.iter().position(|device| matches!(device, Device::Plic(_)));
        let slots = Slots::new(part.instances.iter().collect(), slots, Shared::default());
        Self { part, clock, slots, plic, stimuli: Stimuli::default() }
    }

    /// Puts all blocks into the state after a reset, at power-on too.
    pub fn reset(&mut self, context: &mut Context<'_>) {
        self.slots.wires.effects.clear();
        self.slots.each(context, |device, env| {
            env.cancel_all();
            device.reset(env);
        });
        self.carry_out(context);
    }

    /// Takes the state of `from`, the peripherals of the same part.
    pub fn restore(&mut self, from: &Self) {
        self.slots.restore(&from.slots);
        self.stimuli.clone_from(&from.stimuli);
    }

    /// The code with which software has ended the run, once.
    pub fn take_exit(&mut self) -> Option<i32> {
        self.slots.wires.shared.exit.take()
    }

    /// The core's clock.
    pub fn hclk(&self) -> Hertz {
        self.clock
    }

    /// Has the outside do `stimulus` at the cycle `at`.
    pub fn stimulate(&mut self, at: Cycles, stimulus: Stimulus, events: &mut EventQueue) {
        self.stimuli.add(at, stimulus, events);
    }

    /// The timing rows of the part's blocks that have decided anything so far, in the order of their first use.
    pub fn rows_used(&self) -> &[&'static TimingRow] {
        &self.slots.wires.rows
    }

    /// These parts have no pins.
    pub fn pin(&self, _: Pin) -> bool {
        false
    }

    /// The numbers of the serial ports, in order.
    pub fn serial_ports(&self) -> Vec<u8> {
        let mut ports: Vec<u8> =
            self.slots.iter().filter_map(|(_, device)| device.serial().map(Serial::number)).collect();
        ports.sort_unstable();
        ports
    }

    /// The block at `address`, and the offset in it.
    #[inline]
    fn find(&self, address: u32) -> Option<(usize, u32)> {
        let within = |instance: &Instance| address.wrapping_sub(instance.base) < instance.bytes;
        let slot = self.part.instances.iter().position(within)?;
        Some((slot, address - self.part.instances[slot].base))
    }

    /// Names the gap at `access`. Fails if the real system has nothing there either.
    #[cold]
    fn hole(&self, kind: GapKind, access: Access, context: &mut Context<'_>) -> Result<(), BusFault> {
        let address = access.address.get();
        let hole = self.part.holes.iter().find(|hole| address.wrapping_sub(hole.base) < hole.bytes);
        let Some(hole) = hole else { return Err(BusFault::Unmapped(access.address)) };
        context.gap(kind, hole.name);
        Ok(())
    }
}

/// Tells whether the block takes bytes at their own offsets; all others take words.
fn of_bytes(device: &Device) -> bool {
    matches!(device, Device::Uart16550(_))
}

impl Owner for RiscvDevices {
    type Bus = Riscv;
    type Device = Device;

    fn slots(&mut self) -> &mut Slots<Riscv, Device> {
        &mut self.slots
    }

    fn stimuli(&mut self) -> &mut Stimuli {
        &mut self.stimuli
    }

    /// The PLIC hears what has moved.
    fn effect(&mut self, _: usize, effect: Effect, context: &mut Context<'_>) {
        let Effect::Source { source, high } = effect;
        let Some(plic) = self.plic else { return };
        self.slots.with(plic, context, |device, env| {
            if let Device::Plic(plic) = device {
                plic.set_source(source, high, env);
            }
        });
    }

    fn stimulus(&mut self, stimulus: Stimulus, context: &mut Context<'_>) {
        let Stimulus::Uart { number, bytes } = stimulus else { return };
        self.slots.each(context, |device, env| {
            if let Some(serial) = device.serial_mut().filter(|serial| serial.number() == number) {
                serial.receive(&bytes, env);
            }
        });
    }
}

impl Peripherals for RiscvDevices {
    fn read(&mut self, access: Access, context: &mut Context<'_>) -> Result<u32, BusFault> {
        let Some((slot, offset)) = self.find(access.address.get()) else {
            return self.hole(GapKind::RegisterRead, access, context).map(|()| 0);
        };
        let value = if of_bytes(&self.slots[slot]) {
            self.slots.with(slot, context, |device, env| device.read(offset, env))
        } else {
            let word = self.slots.with(slot, context, |device, env| device.read(offset & !3, env));
            word >> (8 * (offset & 3)) & access.width.mask()
        };
        self.carry_out(context);
        Ok(value)
    }

    fn write(&mut self, access: Access, value: u32, context: &mut Context<'_>) -> Result<(), BusFault> {
        let Some((slot, offset)) = self.find(access.address.get()) else {
            return self.hole(GapKind::RegisterWrite, access, context);
        };
        let (offset, write) = if of_bytes(&self.slots[slot]) {
            (offset, Write { value, lanes: Width::Byte.mask() })
        } else {
            let shift = 8 * (offset & 3);
            (offset & !3, Write { value: value << shift, lanes: access.width.mask() << shift })
        };
        self.slots.with(slot, context, |device, env| device.write(offset, write, env));
        self.carry_out(context);
        Ok(())
    }

    fn event(&mut self, id: EventId, context: &mut Context<'_>) {
        self.come(id, context);
    }

    fn machine_time(&self, now: Cycles) -> Option<u64> {
        self.slots.iter().find_map(|(_, device)| match device {
            Device::Clint(clint) => Some(clint.time_at(now.get())),
            _ => None,
        })
    }
}
