//! Devices of the outside that hang on a part's pins: displays, memories, sensors.
//!
//! A device hears whole transfers, whoever makes them: a peripheral of the part or a program that moves the pins by hand.
//! It answers at once; what it does later it does when its alarm comes.

use std::any::Any;
use std::fmt::Debug;

use crate::units::{Hertz, Picoseconds};
use crate::{CanFrame, I2cAddress, Transfer, UsbAction, UsbAnswer, UsbState, Wire};

/// A device on wires of the board.
///
/// The names of its pins say how it talks: `scl` and `sda` make it a target on I2C; `sck`, `mosi`, `miso` and `cs`, of
/// which some may be absent, one on SPI; `can_tx` and `can_rx`, which are the part's, make it a node on CAN, behind a
/// transceiver; `dp` makes it a host on USB. The line of `dq`, a target's on 1-Wire, has a pull-up. It hears all other
/// pins, and `cs`, one by one.
pub trait Attached: Debug + Send + Sync {
    /// Returns the names of its pins, in the order of their numbers.
    fn pins(&self) -> &'static [&'static str];

    /// Returns a device in the same state.
    fn copy(&self) -> Box<dyn Attached>;

    /// Returns the device as itself, for programs that know what it is.
    fn as_any(&self) -> &dyn Any;

    /// Returns the bytes that the device keeps without power, or has recorded; none if it keeps none.
    fn memory(&self) -> &[u8] {
        &[]
    }

    /// Returns the same bytes for writing, before the run.
    fn memory_mut(&mut self) -> &mut [u8] {
        &mut []
    }

    /// Returns the most bytes that the file may have which the device begins with; 0 if it takes none.
    fn room(&self) -> usize {
        self.memory().len()
    }

    /// Takes the bytes of its file, before the run: at most [`Self::room`].
    ///
    /// # Errors
    /// A sentence that says what is wrong with them.
    fn load(&mut self, bytes: &[u8]) -> Result<(), String> {
        match self.memory_mut().get_mut(..bytes.len()) {
            Some(first) => {
                first.copy_from_slice(bytes);
                Ok(())
            }
            None => Err("they are too many".to_owned()),
        }
    }

    /// True if the device drives the clock of a bus: transfers on its wires are made edge by edge, with all that this brings
    /// (arbitration, clocks that are held).
    fn drives_bus(&self) -> bool {
        false
    }

    /// Pairs of its pins that it connects as a wire does. What a peripheral sends on the one, a serial port's characters or an
    /// SPI's frames, that on the other receives.
    fn joins(&self) -> &'static [(usize, usize)] {
        &[]
    }

    /// Returns the frequency of the clock that the device puts on its pin `out`, if it puts one there.
    fn frequency(&self) -> Option<Hertz> {
        None
    }

    /// A clock input of the part takes that clock by its frequency (`taken`), or no longer. The edges need not be made meanwhile.
    fn clock_taken(&mut self, _taken: bool, _contact: &mut Contact<'_>) {}

    /// Power is on, at the start of the run.
    fn start(&mut self, _contact: &mut Contact<'_>) {}

    /// I2C: a start condition with an address; `read` if the device is to send. Returns `true` if the device is meant and
    /// acknowledges.
    fn i2c_start(&mut self, _address: I2cAddress, _read: bool, _contact: &mut Contact<'_>) -> bool {
        false
    }

    /// I2C: a start condition with the first byte of an address of ten bits, of which `high` are the upper two. Returns `true`
    /// if the device acknowledges; the whole address comes as [`Self::i2c_start`] then.
    fn i2c_header(&mut self, _high: u8, _contact: &mut Contact<'_>) -> bool {
        false
    }

    /// I2C: a byte for the device; returns `true` if it acknowledges. Only after an acknowledged start.
    fn i2c_write(&mut self, _byte: u8, _contact: &mut Contact<'_>) -> bool {
        false
    }

    /// I2C: returns the next byte of the device. Only after an acknowledged start.
    fn i2c_read(&mut self, _contact: &mut Contact<'_>) -> u8 {
        u8::MAX
    }

    /// I2C: a stop condition after an acknowledged start.
    fn i2c_stop(&mut self, _contact: &mut Contact<'_>) {}

    /// SPI: the chip select goes down (`true`) or up. Returns the byte that the device sends first, or `None` if it does
    /// not drive `miso`.
    fn spi_select(&mut self, _selected: bool, _contact: &mut Contact<'_>) -> Option<u8> {
        None
    }

    /// SPI: a byte for the device; returns the byte that it sends meanwhile the next one comes, or `None` if it does not
    /// drive `miso`.
    fn spi_byte(&mut self, _byte: u8, _contact: &mut Contact<'_>) -> Option<u8> {
        None
    }

    /// SPI: a bit of a byte has come that is not its last: the byte so far, and the number of its bits. For devices whose answer
    /// begins inside a byte: returns the byte that goes out from now on, of which only the bits still to come count, or
    /// `None` if that does not change.
    fn spi_bit(&mut self, _byte: u8, _bits: u8, _contact: &mut Contact<'_>) -> Option<u8> {
        None
    }

    /// SPI: true if the device takes bits on falling edges of `sck` (modes 1 and 2) instead of rising ones (modes 0 and 3).
    fn spi_falling(&self) -> bool {
        false
    }

    /// USB: the part's end of the cable has changed.
    fn usb_state(&mut self, _state: UsbState, _contact: &mut Contact<'_>) {}

    /// USB: the part's answer to a packet that [`Contact::usb`] has sent.
    fn usb_answer(&mut self, _answer: UsbAnswer, _contact: &mut Contact<'_>) {}

    /// Returns the number of serial ports of the guest that the device opens as consoles, at most.
    fn consoles(&self) -> u8 {
        0
    }

    /// Tells if the guest's port behind the console `number` takes bytes, and all bytes so far have gone.
    fn console_listens(&self, _number: u8) -> bool {
        false
    }

    /// Bytes from outside for the guest's port behind the console `number`.
    fn console_receive(&mut self, _number: u8, _bytes: &[u8], _contact: &mut Contact<'_>) {}

    /// Returns what the device has found out about the guest, in sentences for the user.
    fn report(&self) -> Vec<String> {
        Vec::new()
    }

    /// CAN: the bits a second at which the node runs; `None` if it runs as fast as the part.
    fn can_rate(&self) -> Option<u32> {
        None
    }

    /// CAN: true if the node acknowledges frames.
    fn can_acknowledges(&self) -> bool {
        true
    }

    /// CAN: the frame that the node sends next, when the bus is free. It says by [`Contact::call`] that there is one, unless
    /// the bus has just brought it a frame.
    fn can_next(&self) -> Option<CanFrame> {
        None
    }

    /// CAN: a frame has come through; it is the node's own next one if `own`.
    fn can_frame(&mut self, _frame: CanFrame, _own: bool, _contact: &mut Contact<'_>) {}

    /// The level of its pin `pin` changes.
    fn pin(&mut self, _pin: usize, _high: bool, _contact: &mut Contact<'_>) {}

    /// The alarm that [`Contact::wake_at`] set is due.
    fn wake(&mut self, _contact: &mut Contact<'_>) {}

    /// A stimulus gives the quantity `name` a value, both as the user wrote them.
    ///
    /// # Errors
    /// A sentence that says which names or values there are.
    fn set(&mut self, name: &str, _value: &str, _contact: &mut Contact<'_>) -> Result<(), String> {
        Err(format!("this device has no value `{name}`"))
    }
}

impl Clone for Box<dyn Attached> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}

/// The requests of an attached device while it answers.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// The time at which its alarm comes.
    pub alarm: Option<Picoseconds>,
    /// The levels that it puts on its pins; `None` lets one go.
    pub levels: Vec<(usize, Option<bool>)>,
    /// The time for which it holds `scl` low before the transfer goes on.
    pub stretch: Picoseconds,
    /// Its actions on its USB cable, in order.
    pub usb: Vec<UsbAction>,
    /// Bytes that the guest has sent to its consoles, by the consoles' numbers.
    pub output: Vec<(u8, Vec<u8>)>,
    /// True if it calls the peripheral of the part on its wires.
    pub calls: bool,
    /// Parts of transfers that it has made itself, for observers.
    pub transfers: Vec<Transfer>,
    /// Sentences for the user about transfers that the device cannot answer as the real one would.
    pub complaints: Vec<String>,
}

/// The view that an attached device has of the board.
#[derive(Debug)]
pub struct Contact<'a> {
    now: Picoseconds,
    requests: &'a mut Requests,
}

impl<'a> Contact<'a> {
    /// The view at the time `now`, which collects in `requests`.
    pub fn new(now: Picoseconds, requests: &'a mut Requests) -> Self {
        Self { now, requests }
    }

    /// Returns the simulated time since reset.
    pub const fn now(&self) -> Picoseconds {
        self.now
    }

    /// Sets the alarm, in the place of the one before.
    pub fn wake_at(&mut self, at: Picoseconds) {
        self.requests.alarm = Some(at.max(self.now + Picoseconds::new(1)));
    }

    /// Takes the alarm back.
    pub fn sleep(&mut self) {
        self.requests.alarm = None;
    }

    /// Puts a level on its pin `pin`, or (`None`) lets it go.
    pub fn drive(&mut self, pin: usize, high: Option<bool>) {
        self.requests.levels.push((pin, high));
    }

    /// Holds `scl` low for `span` before the transfer under way goes on.
    pub fn stretch(&mut self, span: Picoseconds) {
        self.requests.stretch = self.requests.stretch.max(span);
    }

    /// USB: does `action` on the cable; the part's answer to a packet comes as [`Attached::usb_answer`].
    pub fn usb(&mut self, action: UsbAction) {
        self.requests.usb.push(action);
    }

    /// The guest has sent `bytes` to the console `number`.
    pub fn print(&mut self, number: u8, bytes: &[u8]) {
        self.requests.output.push((number, bytes.to_vec()));
    }

    /// Tells the peripheral on its wires that the device has something for it: a frame to send, for one.
    pub const fn call(&mut self) {
        self.requests.calls = true;
    }

    /// Tells observers about a part of a transfer that the device has made itself, which has just ended.
    pub fn transfer(&mut self, transfer: Transfer) {
        self.requests.transfers.push(transfer);
    }

    /// Tells the user, in a sentence, that the device cannot answer as the real one would. It is shown like a model gap.
    pub fn complain(&mut self, sentence: impl Into<String>) {
        self.requests.complaints.push(sentence.into());
    }
}

/// An attached device with its name and its wires.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// The name by which events and stimuli speak of it.
    pub name: String,
    /// The device.
    pub device: Box<dyn Attached>,
    /// The other end of each pin, in the device's order; `None` where it is not connected.
    pub wires: Vec<Option<Wire>>,
}
