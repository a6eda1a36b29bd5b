//! A USB host that does what a test says, one packet at a time.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use cyclescope_chips::Stimulus;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Attached, Attachment, Contact, UsbAction, UsbAnswer, UsbState, Wire};

use crate::bench::Bench;

#[derive(Debug, Default)]
struct Script {
    actions: VecDeque<UsbAction>,
    answers: Vec<UsbAnswer>,
    state: UsbState,
}

/// The host's end, shared with the device that hangs on the part.
#[derive(Clone, Debug, Default)]
pub struct Cable(Arc<Mutex<Script>>);

impl Attached for Cable {
    fn pins(&self) -> &'static [&'static str] {
        &["dp"]
    }

    fn copy(&self) -> Box<dyn Attached> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn usb_state(&mut self, state: UsbState, _: &mut Contact<'_>) {
        self.script().state = state;
    }

    fn usb_answer(&mut self, answer: UsbAnswer, _: &mut Contact<'_>) {
        self.script().answers.push(answer);
    }

    fn set(&mut self, _: &str, _: &str, contact: &mut Contact<'_>) -> Result<(), String> {
        self.script().actions.drain(..).for_each(|action| contact.usb(action));
        Ok(())
    }
}

impl Cable {
    fn script(&self) -> MutexGuard<'_, Script> {
        self.0.lock().expect("one thread")
    }

    /// Hangs the host on the peripheral `peripheral`.
    pub fn new(bench: &mut Bench, peripheral: &str) -> Self {
        let cable = Self::default();
        let wires = vec![Some(Wire::Signal { peripheral: peripheral.into(), signal: "DP".into() })];
        let (devices, mut context) = bench.bus.with_context(Cycles::new(bench.now), Address::ZERO);
        devices.attach(vec![Attachment { name: "host".into(), device: Box::new(cable.clone()), wires }], &mut context);
        cable
    }

    pub fn state(&self) -> UsbState {
        self.script().state
    }

    /// Does `action`; the answer, if it has one.
    pub fn act(&self, bench: &mut Bench, action: UsbAction) -> Option<UsbAnswer> {
        self.script().actions.push_back(action);
        let (device, name, value) = ("host".into(), "go".into(), "on".into());
        bench.stimulate(1, Stimulus::Device { device, name, value });
        bench.pass(1);
        self.script().answers.pop()
    }

    /// A bus reset of 20 us.
    pub fn reset(&self, bench: &mut Bench, cycles: u64) {
        self.act(bench, UsbAction::Reset(true));
        bench.pass(cycles);
        self.act(bench, UsbAction::Reset(false));
    }

    pub fn setup(&self, bench: &mut Bench, address: u8, data: [u8; 8]) -> UsbAnswer {
        let action = UsbAction::Out { setup: true, address, endpoint: 0, toggle: false, data: data.to_vec() };
        self.act(bench, action).expect("an answer")
    }

    pub fn out(&self, bench: &mut Bench, (address, endpoint): (u8, u8), toggle: bool, data: &[u8]) -> UsbAnswer {
        let action = UsbAction::Out { setup: false, address, endpoint, toggle, data: data.to_vec() };
        self.act(bench, action).expect("an answer")
    }

    /// An IN token, with its end where data came.
    pub fn ask(&self, bench: &mut Bench, (address, endpoint): (u8, u8), acknowledged: bool) -> UsbAnswer {
        let answer = self.act(bench, UsbAction::In { address, endpoint }).expect("an answer");
        if matches!(answer, UsbAnswer::Data { .. }) {
            self.act(bench, UsbAction::InEnd { address, endpoint, acknowledged });
        }
        answer
    }
}

/// A packet of data.
pub fn data(toggle: bool, data: &[u8]) -> UsbAnswer {
    UsbAnswer::Data { toggle, data: data.to_vec() }
}
