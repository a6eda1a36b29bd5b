//! Buses whose clock others drive, too: the devices, and a program that serves its registers.

use cyclescope_attached::i2c_controller::I2cController;
use cyclescope_chips::Stimulus;

use super::*;

/// A part on PB6 (SCL) and PB7 (SDA), of a K20 PTB0 and PTB1, with devices.
#[derive(Clone)]
pub struct Shared {
    pub bench: Bench,
    pins: [u8; 2],
    edges: Vec<(u64, bool, bool)>,
}

impl Shared {
    /// `part` with `devices`, by text.
    pub fn new(part: &str, devices: &[&str]) -> Self {
        let bus = Bus::bare(part);
        let pins = if part == "mk20dx256" { [0, 1] } else { [6, 7] };
        let mut shared = Self { bench: bus.bench, pins, edges: Vec::new() };
        shared.bench.attach(devices);
        shared.look();
        shared.edges.clear();
        shared
    }

    pub fn write(&mut self, register: u32, value: u32) {
        self.bench.write(register, value);
    }

    pub fn read(&mut self, register: u32) -> u32 {
        self.bench.read(register)
    }

    /// Has the device `name` do `what` now.
    pub fn command(&mut self, device: &str, what: &str) {
        let (name, value) = what.split_once(' ').expect("a command");
        self.bench.stimulate(1, Stimulus::Device { device: device.into(), name: name.into(), value: value.into() });
    }

    /// Lets time pass, event by event but at most 50 cycles at a time, while `step` serves the registers; ends when that says
    /// so, or after 3,000,000 cycles.
    pub fn run(&mut self, mut step: impl FnMut(&mut Bench) -> bool) {
        let end = self.bench.now + 3_000_000;
        while !step(&mut self.bench) {
            assert!(self.bench.now < end, "it hangs: {:?}", self.log("c"));
            self.bench.pass(50);
        }
    }

    /// Lets `cycles` pass.
    pub fn pass(&mut self, cycles: u64) {
        self.bench.pass(cycles);
    }

    pub fn device<T: 'static>(&self, name: &str) -> &T {
        let mut devices = self.bench.bus.peripherals.outside().devices();
        let (_, device) = devices.find(|(known, _)| *known == name).expect("it is attached");
        device.as_any().downcast_ref().expect("it is one")
    }

    /// The transfers of the controller `name`, without their times.
    pub fn log(&self, name: &str) -> Vec<String> {
        let log = self.device::<I2cController>(name).log();
        log.lines().map(|line| line.split_once("ms ").expect("a time").1.to_owned()).collect()
    }

    /// Takes what observers have seen so far.
    fn look(&mut self) {
        let signals: Vec<_> = self.bench.bus.shared.signals.drain().collect();
        for (at, signal) in signals {
            if let Signal::Pin { pin: Pin { port: 1, number }, high } = signal
                && self.pins.contains(&number)
            {
                self.edges.push((at.get(), number == self.pins[0], high));
            }
        }
    }

    /// The lines as [`decode`] reads them.
    pub fn decoded(&mut self) -> String {
        self.look();
        decode(&self.edges)
    }

    /// The edges of both lines so far: cycle, true for SCL, level.
    pub fn clock_and_data(&mut self) -> Vec<(u64, bool, bool)> {
        self.look();
        self.edges.clone()
    }

    /// The edges of SCL so far.
    pub fn clock(&mut self) -> Vec<(u64, bool)> {
        self.look();
        self.edges.iter().filter(|(_, clock, _)| *clock).map(|(at, _, high)| (*at, *high)).collect()
    }
}
