//! The peripherals of a RISC-V part: one concrete type for all of them.

use cyclescope_machine::units::{Address, Cycles, Hertz};
use cyclescope_machine::{Access, BusFault, Context, GapKind, Still, Timebase, Width};
use cyclescope_peripherals::riscv::{Device, Effect, Instance, Riscv, Shared};
use cyclescope_peripherals::{Block, Slots, Write};

use super::RiscvPart;
use crate::owner::{Named, Owner, Wiring};

/// The peripherals of a RISC-V part.
pub type RiscvDevices = Owner<Interconnect>;

/// The interconnect of a RISC-V part, which finds blocks by address.
#[derive(Clone, Debug)]
pub struct Interconnect {
    part: &'static RiscvPart,
    /// The slot of the PLIC.
    plic: Option<usize>,
}

impl RiscvDevices {
    /// The peripherals of `part` before power-on, with a core at `clock`.
    pub fn new(part: &'static RiscvPart, clock: Hertz) -> Self {
        let devices: Vec<Device> = part.instances.iter().map(Device::new).collect();
        let plic = devices.iter().position(|device| matches!(device, Device::Plic(_)));
        let slots = Slots::new(part.instances.iter().collect(), devices, Shared { clock, exit: None });
        Self::of(slots, Interconnect { part, plic }, &[])
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

    /// The code with which software has ended the run, once.
    pub fn take_exit(&mut self) -> Option<i32> {
        self.slots.wires.shared.exit.take()
    }

    /// The core's clock.
    pub fn hclk(&self) -> Hertz {
        self.slots.wires.shared.clock
    }

    /// The block at `address`, and the offset in it.
    #[inline]
    fn find(&self, address: u32) -> Option<(usize, u32)> {
        let within = |instance: &Instance| address.wrapping_sub(instance.base) < instance.bytes;
        let slot = self.wiring.part.instances.iter().position(within)?;
        Some((slot, address - self.wiring.part.instances[slot].base))
    }

    /// Names the gap at `access`. Fails if the real system has nothing there either.
    #[cold]
    fn hole(&self, kind: GapKind, access: Access, context: &mut Context<'_>) -> Result<(), BusFault> {
        let address = access.address.get();
        let hole = self.wiring.part.holes.iter().find(|hole| address.wrapping_sub(hole.base) < hole.bytes);
        let Some(hole) = hole else { return Err(BusFault::Unmapped(access.address)) };
        context.gap(kind, hole.name);
        Ok(())
    }
}

/// Tells whether the block takes bytes at their own offsets; all others take words.
fn of_bytes(device: &Device) -> bool {
    matches!(device, Device::Uart16550(_))
}

impl Wiring for Interconnect {
    type Bus = Riscv;
    type Device = Device;

    fn read(owner: &mut RiscvDevices, access: Access, context: &mut Context<'_>) -> Result<u32, BusFault> {
        let Some((slot, offset)) = owner.find(access.address.get()) else {
            return owner.hole(GapKind::RegisterRead, access, context).map(|()| 0);
        };
        if of_bytes(&owner.slots[slot]) {
            return Ok(owner.slots.with(slot, context, |device, env| device.read(offset, env)));
        }
        let word = owner.slots.with(slot, context, |device, env| device.read(offset & !3, env));
        Ok(word >> (8 * (offset & 3)) & access.width.mask())
    }

    fn still(owner: &RiscvDevices, access: Access) -> Option<Still> {
        let (slot, offset) = owner.find(access.address.get())?;
        let offset = if of_bytes(&owner.slots[slot]) { offset } else { offset & !3 };
        owner.slots.still(slot, offset, access.at.get()).map(Still::until)
    }

    fn register(owner: &RiscvDevices, address: Address) -> Option<Named> {
        let (slot, offset) = owner.find(address.get())?;
        let instance = owner.slots.instance(slot);
        if let Some(bank) = instance.bank() {
            let name = format!("{}_{}", bank.name, bank.name_of(offset)?);
            return Some(Named { name, fields: &[], shift: 0 });
        }
        let whole = if of_bytes(&owner.slots[slot]) { offset } else { offset & !3 };
        let register = instance.map()?.registers.iter().find(|register| register.offset == whole)?;
        let name = format!("{}_{}", instance.name, register.name);
        Some(Named { name, fields: register.fields, shift: 8 * (offset - whole) })
    }

    fn write(owner: &mut RiscvDevices, access: Access, value: u32, context: &mut Context<'_>) -> Result<(), BusFault> {
        let Some((slot, offset)) = owner.find(access.address.get()) else {
            return owner.hole(GapKind::RegisterWrite, access, context);
        };
        let (offset, write) = if of_bytes(&owner.slots[slot]) {
            (offset, Write { value, lanes: Width::Byte.mask() })
        } else {
            let shift = 8 * (offset & 3);
            (offset & !3, Write { value: value << shift, lanes: access.width.mask() << shift })
        };
        owner.slots.with(slot, context, |device, env| device.write(offset, write, env));
        Ok(())
    }

    /// The PLIC hears what has moved.
    fn effect(owner: &mut RiscvDevices, _: usize, effect: Effect, context: &mut Context<'_>) {
        let Effect::Source { source, high } = effect else { return };
        owner.at(owner.wiring.plic, context, |device, env| {
            if let Device::Plic(plic) = device {
                plic.set_source(source, high, env);
            }
        });
    }

    fn timebase(owner: &RiscvDevices) -> Timebase {
        Timebase::fixed(owner.slots.wires.shared.clock)
    }

    fn machine_time(owner: &RiscvDevices, now: Cycles) -> Option<u64> {
        owner.slots.iter().find_map(|(_, device)| match device {
            Device::Clint(clint) => Some(clint.time_at(now.get())),
            _ => None,
        })
    }
}
