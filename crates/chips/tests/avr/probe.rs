//! The probe on the wires of an ATmega.

use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Attached, Attachment, Line, Pin, Signal, SignalKind, Stop, Transfer, Wire};

pub use self::device::Probe;
use crate::machine::{Machine, pin};

#[path = "../blocks/probe.rs"]
mod device;

/// Hangs the probe on a peripheral's lines, and on other pins by their names.
pub fn attach(machine: &mut Machine, probe: Probe, peripheral: &str, others: &[(&str, &str)]) {
    let wire = |name: &&str| {
        let other = others.iter().find(|(known, _)| known == name).map(|(_, end)| Wire::Pin(pin(end)));
        let signal = || Wire::Signal { peripheral: peripheral.into(), signal: name.to_ascii_uppercase() };
        Some(other.unwrap_or_else(signal))
    };
    let wires = probe.pins().iter().map(wire).collect();
    let (devices, mut context) = machine.bus.with_context(Cycles::ZERO, Address::ZERO);
    devices.attach(vec![Attachment { name: "probe".into(), device: Box::new(probe), wires }], &mut context);
    machine.bus.shared.signals.want(SignalKind::Transfer);
}

/// Transfers that the probe has heard.
pub fn heard(machine: &Machine) -> Vec<String> {
    let (_, device) = machine.bus.peripherals.outside().devices().next().expect("a device is attached");
    device.as_any().downcast_ref::<Probe>().expect("it is the probe").heard.clone()
}

/// Edges of pins, and transfers with their lines.
pub type Seen = (Vec<(u64, Pin, bool)>, Vec<(u64, Line, Transfer)>);

/// Runs to BREAK; what observers saw.
pub fn watch(machine: &mut Machine) -> Seen {
    let (mut edges, mut transfers) = (Vec::new(), Vec::new());
    loop {
        let stop = machine.core.run(&mut machine.bus, Cycles::new(10_000_000));
        for (at, signal) in machine.bus.shared.signals.drain() {
            match signal {
                Signal::Pin { pin, high } => edges.push((at.get(), pin, high)),
                Signal::Transfer { line, transfer } => transfers.push((at.get(), line, transfer)),
                _ => {}
            }
        }
        if stop != Stop::Signal {
            assert!(matches!(stop, Stop::Breakpoint(..)), "{stop:?} at {:?}", machine.core.cpu().pc());
            return (edges, transfers);
        }
    }
}
