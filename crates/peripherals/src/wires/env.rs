//! The calls of blocks to what hangs on their pins.

use cyclescope_machine::units::{Hertz, Picoseconds};
use cyclescope_machine::{CanError, CanFrame, GapKind, I2cAddress, Line, Pin, Signal, SignalKind, Transfer};

use super::can::Node;
use super::{Answer, Outside, Square, Wave};
use crate::framework::{Bus, Env};

/// The outside, as blocks reach it.
impl<B: Bus> Env<'_, '_, B> {
    /// The real time since reset.
    pub fn picoseconds(&self) -> Picoseconds {
        B::timebase(&self.wires.shared).time(self.context.now)
    }

    /// Begins the levels of a signal of the block. Between its waves the signal has the level of
    /// [`Output`](crate::Effect::Output).
    pub fn wave(&mut self, wave: Wave<B>) {
        self.wires.waves.begin(self.slot, wave);
        self.effect(B::OUTSIDE);
    }

    /// The same behind an earlier wave of the signal, which goes on to its end: for transfers of more than 64 levels.
    pub fn wave_behind(&mut self, wave: Wave<B>) {
        self.wires.waves.append(self.slot, wave);
        self.effect(B::OUTSIDE);
    }

    /// Drops the levels of the block's signals that are still to come.
    pub fn end_waves(&mut self) {
        self.wires.waves.end(self.slot, None);
    }

    /// Puts a clock on a signal of the block, in the place of an earlier one.
    pub fn square(&mut self, square: Square<B>) {
        self.wires.squares.begin(self.slot, square);
        self.effect(B::OUTSIDE);
    }

    /// Ends the clock on `signal` of the block.
    pub fn end_square(&mut self, signal: B::Signal) {
        self.wires.squares.end(self.slot, signal);
    }

    /// Tells observers about a transfer of the block that has just ended.
    pub fn transfer(&mut self, transfer: Transfer) {
        if self.context.signals.wants(SignalKind::Transfer) {
            let line = Line::Peripheral(B::name(self.instance));
            self.context.signals.record(self.context.now, Signal::Transfer { line, transfer });
        }
    }

    /// Hands the attached devices something; what they ask for is done after the block has answered.
    fn outside<R>(&mut self, act: impl FnOnce(&mut Outside, Picoseconds) -> R) -> R {
        let now = self.picoseconds();
        let answer = act(&mut self.wires.outside, now);
        if !self.wires.outside.is_empty() {
            self.effect(B::OUTSIDE);
        }
        answer
    }

    /// A clock input at `pin` takes the clock of a device there, or no longer: see [`Outside::take_clock`].
    pub fn take_clock(&mut self, pin: Pin, taken: bool) -> Option<Hertz> {
        self.outside(|outside, now| outside.take_clock(pin, taken, now))
    }

    /// A start condition and an address on the block's `SCL` and `SDA`. An empty bus is named to the user.
    pub fn i2c_start(&mut self, address: I2cAddress, read: bool) -> Answer {
        let slot = self.slot;
        let answer = self.outside(|outside, now| outside.i2c_start((slot, "SCL"), address, read, now));
        self.transfer(Transfer::I2cStart { address, read, acknowledged: answer.acknowledged });
        if !self.wires.outside.has_targets((slot, "SCL")) {
            let name = self.name();
            self.gap(GapKind::Setting, format_args!("{name}: nothing is attached to its bus, so that nobody answers"));
        }
        answer
    }

    /// A start condition and the first byte of an address of ten bits, of which `high` are the upper two; returns `true` if
    /// somebody acknowledges. The whole address comes as [`Self::i2c_start`] then.
    pub fn i2c_header(&mut self, high: u8) -> bool {
        let slot = self.slot;
        self.outside(|outside, now| outside.i2c_header((slot, "SCL"), high, now))
    }

    /// A byte to the targets that have acknowledged.
    pub fn i2c_write(&mut self, byte: u8) -> Answer {
        let slot = self.slot;
        let answer = self.outside(|outside, now| outside.i2c_write((slot, "SCL"), byte, now));
        self.transfer(Transfer::I2cByte { byte, acknowledged: answer.acknowledged });
        answer
    }

    /// A byte from the target, which the block will acknowledge or not; with nobody there it is 0xFF.
    pub fn i2c_read(&mut self) -> (u8, Answer) {
        let slot = self.slot;
        self.outside(|outside, now| outside.i2c_read((slot, "SCL"), now))
    }

    /// A stop condition.
    pub fn i2c_stop(&mut self) {
        let slot = self.slot;
        self.outside(|outside, now| outside.i2c_stop((slot, "SCL"), now));
        self.transfer(Transfer::I2cStop);
    }

    /// A frame of `bits` bits over the block's `SCK`, `MOSI` and `MISO`, the bit sent first the highest; `falling` if bits are
    /// taken at falling edges. Returns the bits received, or `None` where nobody drives the line. That nobody is there is named
    /// to the user once.
    pub fn spi_frame(&mut self, sent: u32, bits: u8, falling: bool) -> Option<u32> {
        let received = self.spi_part(sent, bits, falling);
        self.transfer(Transfer::SpiFrame { sent, received: received.unwrap_or(0), bits });
        received
    }

    /// A part of a frame, of which observers are not told yet: see [`Self::spi_frame`].
    pub fn spi_part(&mut self, sent: u32, bits: u8, falling: bool) -> Option<u32> {
        let slot = self.slot;
        let received = self.outside(|outside, now| outside.spi_frame(slot, sent, bits, falling, now));
        if received.is_none() {
            self.spi_alone();
        }
        received
    }

    /// Names to the user, once, that the block's frames reach nobody.
    fn spi_alone(&mut self) {
        if self.wires.outside.sends_alone(self.slot) {
            let name = self.name();
            let sentence = "nothing is attached to its pins, so that it receives what an open line has";
            self.gap(GapKind::Setting, format_args!("{name}: {sentence}"));
        }
    }

    /// The bits that the selected target sends next over the block's signal `line`, the first the highest of eight, and their
    /// number: those that are certain before the frame begins.
    pub fn spi_outgoing(&self, line: &'static str) -> Option<(u8, u8)> {
        self.wires.outside.spi_outgoing(self.slot, line)
    }

    /// The same as [`Env::spi_frame`] of a block that only receives, over the signal `line`: nobody drives what the target hears.
    pub fn spi_receive(&mut self, line: &'static str, bits: u8, falling: bool) -> Option<u32> {
        let slot = self.slot;
        let received = self.outside(|outside, now| outside.spi_receive(slot, line, bits, falling, now));
        if received.is_none() {
            self.spi_alone();
        }
        self.transfer(Transfer::SpiFrame { sent: 0, received: received.unwrap_or(0), bits });
        received
    }

    /// The block's [`UsbState`](cyclescope_machine::UsbState) may have changed, which a host on its cable then hears.
    pub fn usb_changed(&mut self) {
        self.effect(B::OUTSIDE);
    }

    /// The block, a USB device, is ready for a host. One that is not there is named to the user.
    pub fn usb_ready(&mut self) {
        let slot = self.slot;
        if !self.wires.outside.usb_hosts().any(|(_, other)| other == slot) {
            let name = self.name();
            self.gap(
                GapKind::Setting,
                format_args!("{name}: no host is at the other end of its cable (--attach usb-host@usb)"),
            );
        }
    }

    /// The block, a serial port, begins to send a character, or a break ([`BREAK`](crate::serial::BREAK)).
    pub fn serial_out(&mut self, character: u16) {
        if !self.wires.outside.is_empty() {
            self.wires.outside.serial_out(self.slot, character);
            self.effect(B::OUTSIDE);
        }
    }

    /// The nodes on the bus of CAN that the block is on.
    pub fn can_nodes(&self) -> Vec<Node> {
        self.wires.outside.can_nodes((self.slot, "TX"))
    }

    /// The bus has carried `frame` to the node `index`, or, if `own`, from it.
    pub fn can_frame(&mut self, index: usize, frame: CanFrame, own: bool) {
        self.outside(|outside, now| outside.can_frame(index, frame, own, now));
    }

    /// An error has ended a frame that the node `index` sent (`own`) or received.
    pub fn can_error(&mut self, index: usize, error: CanError, own: bool) {
        self.outside(|outside, now| outside.can_error(index, error, own, now));
    }

    /// Tells the user about the node `index`.
    pub fn can_complain(&mut self, index: usize, sentence: String) {
        self.outside(|outside, now| outside.can_complain(index, sentence, now));
    }

    /// True if others drive the clock on the block's wires, too, so that it follows their edges.
    pub fn is_shared(&self) -> bool {
        self.wires.outside.is_shared(self.slot)
    }

    /// The voltage that a stimulus has put on `pin`, in microvolts.
    pub fn voltage(&self, pin: Pin) -> Option<i32> {
        self.wires.outside.voltage(pin, self.picoseconds())
    }
}
