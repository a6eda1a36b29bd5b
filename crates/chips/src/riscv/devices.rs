//! The peripherals of a RISC-V part: one concrete type for all of them.

use cyclescope_machine::{
    Access, BusFault, Context, EventId, EventQueue, GapKind, Peripherals, Pin, Stimulus, TimingRow, Width,
};
use cyclescope_peripherals::Write;
use cyclescope_peripherals::riscv::{Block, Device, EVENTS_PER_BLOCK, Env, Instance, Wires};
use cyclescope_units::{Address, Cycles, Hertz};

use super::RiscvPart;
use crate::stimuli::{STIMULUS, Stimuli};

/// More happenings than this after one access or event would be a loop in the wiring; the rest is dropped and named.
const LIMIT: usize = 10_000;

/// The peripherals of a RISC-V part.
#[derive(Clone, Debug)]
pub struct RiscvDevices {
    part: &'static RiscvPart,
    clock: Hertz,
    slots: Vec<Device>,
    /// The slot of the PLIC.
    plic: Option<usize>,
    wires: Wires,
    stimuli: Stimuli,
}

impl RiscvDevices {
    /// The peripherals of `part` before power-on, with a core at `clock`.
    pub fn new(part: &'static RiscvPart, clock: Hertz) -> Self {
        let slots: Vec<Device> = part.instances.iter().map(Device::new).collect();
        let plic = slots.iter().position(|device| matches!(device, Device::Plic(_)));
        Self { part, clock, slots, plic, wires: Wires::default(), stimuli: Stimuli::default() }
    }

    /// Puts all blocks into the state after a reset, at power-on too.
    pub fn reset(&mut self, context: &mut Context<'_>) {
        self.wires.sources.clear();
        for slot in 0..self.slots.len() {
            self.with(slot, context, |device, env| {
                env.cancel();
                device.reset(env);
            });
        }
        self.carry_out(context);
    }

    /// Takes the state of `from`, the peripherals of the same part.
    pub fn restore(&mut self, from: &Self) {
        self.slots.clone_from(&from.slots);
        self.wires.clone_from(&from.wires);
        self.stimuli.clone_from(&from.stimuli);
    }

    /// The code with which software has ended the run, once.
    pub fn take_exit(&mut self) -> Option<i32> {
        self.wires.exit.take()
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
        &self.wires.rows
    }

    /// These parts have no pins.
    pub fn pin(&self, _: Pin) -> bool {
        false
    }

    /// The numbers of the serial ports, in order.
    pub fn serial_ports(&self) -> Vec<u8> {
        let mut ports: Vec<u8> = self.part.instances.iter().filter_map(Instance::serial).collect();
        ports.sort_unstable();
        ports
    }

    /// Lets the block in `slot` do something.
    #[inline]
    fn with<R>(
        &mut self,
        slot: usize,
        context: &mut Context<'_>,
        act: impl FnOnce(&mut Device, &mut Env<'_, '_>) -> R,
    ) -> R {
        let Self { part, slots, wires, .. } = self;
        let mut env = Env { context, wires, instance: &part.instances[slot], slot: slot as u16 };
        act(&mut slots[slot], &mut env)
    }

    /// Hands the PLIC what has moved.
    #[inline]
    fn carry_out(&mut self, context: &mut Context<'_>) {
        let mut next = 0;
        while let Some(&(source, high)) = self.wires.sources.get(next) {
            next += 1;
            if next > LIMIT {
                context.gap(GapKind::Setting, "peripherals feed each other without end");
                break;
            }
            let Some(plic) = self.plic else { break };
            self.with(plic, context, |device, env| {
                if let Device::Plic(plic) = device {
                    plic.set_source(source, high, env);
                }
            });
        }
        self.wires.sources.clear();
    }

    /// The block at `address`, and the offset in it.
    #[inline]
    fn find(&self, address: u32) -> Option<(usize, u32)> {
        let within = |instance: &Instance| address.wrapping_sub(instance.base) < instance.bytes;
        let slot = self.part.instances.iter().position(within)?;
        Some((slot, address - self.part.instances[slot].base))
    }

    /// What is at `access` and not modelled: named, or nothing.
    #[cold]
    fn hole(&self, kind: GapKind, access: Access, context: &mut Context<'_>) -> Result<(), BusFault> {
        let address = access.address.get();
        let hole = self.part.holes.iter().find(|hole| address.wrapping_sub(hole.base) < hole.bytes);
        let Some(hole) = hole else { return Err(BusFault::Unmapped(access.address)) };
        context.gap(kind, hole.name);
        Ok(())
    }
}

/// Whether the block takes bytes at their own offsets; all others take words.
fn of_bytes(device: &Device) -> bool {
    matches!(device, Device::Uart16550(_))
}

impl Peripherals for RiscvDevices {
    fn read(&mut self, access: Access, context: &mut Context<'_>) -> Result<u32, BusFault> {
        let Some((slot, offset)) = self.find(access.address.get()) else {
            return self.hole(GapKind::RegisterRead, access, context).map(|()| 0);
        };
        let value = if of_bytes(&self.slots[slot]) {
            self.with(slot, context, |device, env| device.read(offset, env))
        } else {
            let word = self.with(slot, context, |device, env| device.read(offset & !3, env));
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
        self.with(slot, context, |device, env| device.write(offset, write, env));
        self.carry_out(context);
        Ok(())
    }

    fn event(&mut self, id: EventId, context: &mut Context<'_>) {
        if id == STIMULUS {
            while let Some(stimulus) = self.stimuli.due(context.now) {
                self.stimulus(&stimulus, context);
            }
            self.stimuli.schedule(context.events);
        } else {
            let slot = usize::from(id.number / EVENTS_PER_BLOCK);
            if slot < self.slots.len() {
                self.with(slot, context, |device, env| device.event(id.number % EVENTS_PER_BLOCK, env));
            }
        }
        self.carry_out(context);
    }

    fn extra_cycles(&mut self, _: Address, _: Cycles) -> i32 {
        0
    }

    fn sleep(&mut self, _: bool, _: bool, _: &mut Context<'_>) {}

    fn machine_time(&self, now: Cycles) -> Option<u64> {
        self.slots.iter().find_map(|device| match device {
            Device::Clint(clint) => Some(clint.time_at(now.get())),
            _ => None,
        })
    }
}

impl RiscvDevices {
    fn stimulus(&mut self, stimulus: &Stimulus, context: &mut Context<'_>) {
        let Stimulus::Uart { number, bytes } = stimulus else { return };
        let port = |instance: &Instance| instance.serial() == Some(*number);
        if let Some(slot) = self.part.instances.iter().position(port) {
            self.with(slot, context, |device, env| device.receive(bytes, env));
        }
    }
}
