//! The blocks of a part in their slots.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

use cyclescope_machine::{Context, EventId};

use crate::framework::{Block, Bus, EVENTS_PER_BLOCK, Env, Time, Wires};

/// The blocks of a part, each in a slot with the instance that it is, and the wires between them.
#[derive(Clone, Debug)]
pub struct Slots<B: Bus, D> {
    instances: Arc<[&'static B::Instance]>,
    devices: Vec<D>,
    /// The wires.
    pub wires: Wires<B>,
}

impl<B: Bus, D: Block<B> + Clone> Slots<B, D> {
    /// The blocks `devices`, which are `instances` in that order, around what they share.
    pub fn new(instances: Arc<[&'static B::Instance]>, devices: Vec<D>, shared: B::Shared) -> Self {
        Self { instances, devices, wires: Wires::new(shared) }
    }

    /// Takes the state of `from`, the blocks of the same part.
    pub fn restore(&mut self, from: &Self) {
        self.devices.clone_from(&from.devices);
        self.wires.clone_from(&from.wires);
    }

    /// The instance in `slot`.
    #[inline]
    pub fn instance(&self, slot: usize) -> &'static B::Instance {
        self.instances[slot]
    }

    /// The blocks by slot, each with the instance that it is.
    pub fn iter(&self) -> impl Iterator<Item = (&'static B::Instance, &D)> {
        self.instances.iter().copied().zip(&self.devices)
    }

    /// The blocks by slot, to be changed past their registers.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut D> {
        self.devices.iter_mut()
    }

    /// Lets the block in `slot` do something.
    #[inline]
    pub fn with<R>(
        &mut self,
        slot: usize,
        context: &mut Context<'_>,
        act: impl FnOnce(&mut D, &mut Env<'_, '_, B>) -> R,
    ) -> R {
        let Self { instances, devices, wires } = self;
        let mut env = Env { context, wires, instance: instances[slot], slot: slot as u16 };
        act(&mut devices[slot], &mut env)
    }

    /// See [`Block::still`], of the block in `slot`.
    pub fn still(&self, slot: usize, offset: B::Offset, now: B::Time) -> Option<B::Time> {
        self.devices[slot].still(offset, now, &self.wires.shared)
    }

    /// The time that blocks count at `context`; `NEVER` before there are blocks.
    pub fn now(&mut self, context: &mut Context<'_>) -> B::Time {
        if self.devices.is_empty() { B::Time::NEVER } else { self.with(0, context, |_, env| env.now()) }
    }

    /// Lets each block do something, by slot.
    pub fn each(&mut self, context: &mut Context<'_>, mut act: impl FnMut(&mut D, &mut Env<'_, '_, B>)) {
        for slot in 0..self.devices.len() {
            self.with(slot, context, &mut act);
        }
    }

    /// Tells the block that `id` belongs to, if one does, that the event is due.
    pub fn event(&mut self, id: EventId, context: &mut Context<'_>) {
        let slot = usize::from(id.number / EVENTS_PER_BLOCK);
        if slot < self.devices.len() {
            self.with(slot, context, |device, env| device.event(id.number % EVENTS_PER_BLOCK, env));
        }
    }

    /// Makes a change that time depends on, with all blocks told before and after.
    pub fn change(
        &mut self,
        change: B::Change,
        context: &mut Context<'_>,
        make: impl FnOnce(&mut B::Shared, &mut Context<'_>),
    ) where
        B::Change: Copy,
    {
        self.each(context, |device, env| device.before_change(change, env));
        make(&mut self.wires.shared, context);
        self.each(context, |device, env| device.after_change(change, env));
    }
}

impl<B: Bus, D> Index<usize> for Slots<B, D> {
    type Output = D;

    #[inline]
    fn index(&self, slot: usize) -> &D {
        &self.devices[slot]
    }
}

impl<B: Bus, D> IndexMut<usize> for Slots<B, D> {
    #[inline]
    fn index_mut(&mut self, slot: usize) -> &mut D {
        &mut self.devices[slot]
    }
}
