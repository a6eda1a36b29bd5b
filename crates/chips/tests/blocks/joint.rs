//! A wire between two pins.

use cyclescope_machine::{Attached, Attachment, Pin, Wire};

#[derive(Clone, Copy, Debug)]
struct Joint;

impl Attached for Joint {
    fn pins(&self) -> &'static [&'static str] {
        &["a", "b"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(*self)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn joins(&self) -> &'static [(usize, usize)] {
        &[(0, 1)]
    }
}

/// The wire between `pins`.
pub fn joint(pins: [Pin; 2]) -> Attachment {
    Attachment { name: "joint".into(), device: Box::new(Joint), wires: pins.map(|pin| Some(Wire::Pin(pin))).to_vec() }
}
