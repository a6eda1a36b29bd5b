//! The places of everything in a part: made once, shared by clones.

use cyclescope_machine::Pin;
use cyclescope_peripherals::avr::{Instance, Kind};

use crate::avr::AvrPart;

/// No block.
const NONE: u8 = u8::MAX;

/// A data address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    slot: u8,
    /// The register's number in its block.
    pub register: u8,
    /// Bits that belong to a field.
    pub declared: u8,
    /// Bits that the block models.
    pub modelled: u8,
    /// The reset value of the bits that no block models.
    pub reset: u8,
}

impl Entry {
    const HOLE: Self = Self { slot: NONE, register: 0, declared: 0, modelled: 0, reset: 0 };

    /// The block.
    pub(super) fn slot(self) -> Option<usize> {
        (self.slot != NONE).then_some(usize::from(self.slot))
    }
}

/// The blocks by data address, vector, port and pin.
#[derive(Debug)]
pub(super) struct Layout {
    pub entries: [Entry; 256],
    /// For each vector the block, and its number there.
    vectors: Vec<Option<(u8, u8)>>,
    ports: [Option<u8>; 8],
    /// For each pin of each port the blocks that listen to it, each with its input.
    listeners: Vec<Vec<(u8, u8)>>,
    /// The flash as it programs itself.
    pub flash: Option<usize>,
}

impl Layout {
    pub(super) fn new(part: &AvrPart) -> Self {
        let mut layout = Self {
            entries: [Entry::HOLE; 256],
            vectors: vec![None; part.vectors.len()],
            ports: [None; 8],
            listeners: vec![Vec::new(); 64],
            flash: None,
        };
        for register in part.map.registers {
            let Some(entry) = layout.entries.get_mut(register.offset as usize) else { continue };
            entry.declared = register.declared() as u8;
        }
        for (address, value) in part.reset_values {
            layout.entries[usize::from(*address)].reset = *value;
        }
        for (slot, instance) in part.instances.iter().enumerate() {
            layout.place(slot, instance);
        }
        layout
    }

    fn place(&mut self, slot: usize, instance: &Instance) {
        for (number, register) in instance.registers.iter().enumerate().filter(|(_, register)| register.address != 0) {
            let entry = &mut self.entries[usize::from(register.address)];
            (entry.slot, entry.register, entry.modelled) = (slot as u8, number as u8, register.modelled);
        }
        for (index, vector) in instance.vectors.iter().enumerate().filter(|(_, vector)| **vector != 0) {
            if let Some(owner) = self.vectors.get_mut(usize::from(*vector)) {
                *owner = Some((slot as u8, index as u8));
            }
        }
        for (index, pin) in instance.inputs.iter().enumerate() {
            let Some(pin) = pin else { continue };
            if let Some(listeners) = self.listeners.get_mut(place(*pin)) {
                listeners.push((slot as u8, index as u8));
            }
        }
        match instance.kind {
            Kind::Port => {
                if let Some(port) = self.ports.get_mut(usize::from(instance.number)) {
                    *port = Some(slot as u8);
                }
            }
            Kind::SelfProgramming(_) => self.flash = Some(slot),
            _ => {}
        }
    }

    /// The block whose vector this is, and its number there.
    pub(super) fn owner(&self, vector: u8) -> Option<(usize, usize)> {
        let (slot, index) = (*self.vectors.get(usize::from(vector))?)?;
        Some((usize::from(slot), usize::from(index)))
    }

    /// The block of a port.
    pub(super) fn port(&self, port: u8) -> Option<usize> {
        (*self.ports.get(usize::from(port))?).map(usize::from)
    }

    /// The blocks that listen to `pin`.
    pub(super) fn listeners(&self, pin: Pin) -> &[(u8, u8)] {
        self.listeners.get(place(pin)).map_or(&[], Vec::as_slice)
    }
}

fn place(pin: Pin) -> usize {
    usize::from(pin.port) * 8 + usize::from(pin.number & 7)
}
