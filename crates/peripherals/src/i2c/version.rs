//! The face of a vendor's registers to the engine.

use std::fmt::Debug;

use cyclescope_machine::{I2cAddress, TimingRow};

use super::{Byte, I2c, Next, Times};
use crate::{Bank, Env, Instance, Instant, Modelled, Span, Write};

/// A version of the registers.
pub trait Version: Clone + Debug + Default {
    /// The modelled registers and fields, with the values after reset.
    const MODEL: &'static [Modelled];
    /// The times that are not in registers.
    const ROWS: &'static [TimingRow];

    /// The requests to send and to receive, by their names.
    const REQUESTS: [&'static str; 2] = ["TX", "RX"];

    /// The registers of `instance`.
    fn bank(instance: &Instance) -> Bank {
        Bank::new(instance.map, Self::MODEL)
    }

    /// See [`Block::still`](crate::Block::still).
    fn still(i2c: &I2c<Self>, offset: u32, now: Instant) -> Option<Instant>;

    /// Something has happened on the bus or at the registers: flags that follow are set.
    fn follow(_i2c: &mut I2c<Self>, _env: &mut Env<'_, '_>) {}

    /// The times that the registers give with a clock of period `tick`; `None` where they make no clock.
    fn times(i2c: &I2c<Self>, tick: Span, env: &Env<'_, '_>) -> Option<Times>;

    /// A start condition is over.
    fn started(i2c: &mut I2c<Self>, at: Instant, env: &mut Env<'_, '_>);

    /// Eight bits have come in. Returns if they are acknowledged, or `None` if SCL is to be held before that.
    fn received(i2c: &mut I2c<Self>, byte: u8) -> Option<bool>;

    /// The ninth bit of `byte` is over.
    fn ninth(i2c: &mut I2c<Self>, byte: Byte, acknowledged: bool, at: Instant, env: &mut Env<'_, '_>);

    /// A stop condition is over.
    fn stopped(i2c: &mut I2c<Self>, env: &mut Env<'_, '_>);

    /// The interrupt signals that are active: bit 0 events, bit 1 errors; and the DMA requests to send and to receive.
    fn requests(i2c: &I2c<Self>) -> (u32, bool, bool);

    /// True if the block is switched on.
    fn is_on(i2c: &I2c<Self>) -> bool;

    /// A read of a register.
    fn read(i2c: &mut I2c<Self>, offset: u32, env: &mut Env<'_, '_>) -> u32;

    /// A write of a register.
    fn write(i2c: &mut I2c<Self>, offset: u32, write: Write, env: &mut Env<'_, '_>);

    /// The DMA has one transfer left, to receive (`true`) or to send.
    fn one_left(_i2c: &mut I2c<Self>, _receives: bool) {}

    /// Another controller has won the bus, or another target.
    fn lost(i2c: &mut I2c<Self>, env: &mut Env<'_, '_>);

    /// Somebody on the bus, or the block itself, has made a start condition (`start`) or a stop condition.
    fn condition(_i2c: &mut I2c<Self>, _start: bool) {}

    /// A condition inside a byte.
    fn misplaced(_i2c: &mut I2c<Self>) {}

    /// Somebody calls `address`, to read from it if `read`. Returns `true` if that is the block.
    fn called(i2c: &mut I2c<Self>, address: I2cAddress, read: bool) -> bool;

    /// Somebody sends the first byte of an address of ten bits, of which `high` are the upper two.
    fn called_by_header(i2c: &mut I2c<Self>, high: u8) -> bool;

    /// The address is acknowledged, and the block sends (`true`) or receives.
    fn selected(i2c: &mut I2c<Self>, sends: bool);

    /// The target has received the eight bits of `byte`. Returns if they are acknowledged, or `None` if SCL is to be held.
    fn target_received(i2c: &mut I2c<Self>, byte: u8) -> Option<bool>;

    /// The ninth bit of `byte`, which the target has sent or received, is over.
    fn target_ninth(i2c: &mut I2c<Self>, byte: u8, sends: bool, acknowledged: bool);

    /// The target's next byte.
    fn target_next(i2c: &mut I2c<Self>) -> Next;

    /// A repeated start condition ends the target's part.
    fn restarted(_i2c: &mut I2c<Self>) {}

    /// A stop condition behind a transfer in which the block was called; `selected` if it still took part.
    fn target_stopped(_i2c: &mut I2c<Self>, _selected: bool) {}

    /// From SCL's fall to a change of SDA by a target, and from the change to the release of a held SCL.
    fn target_times(i2c: &I2c<Self>, tick: Span, env: &Env<'_, '_>) -> (Span, Span);

    /// True if a target holds SCL from its fall until its data have been there for the setup time.
    fn holds_for_data(_i2c: &I2c<Self>) -> bool {
        false
    }

    /// The time after which lines that stay at these levels are an event: SCL, and SDA where SCL is high.
    fn timeout(i2c: &I2c<Self>, levels: (bool, bool), env: &Env<'_, '_>) -> Option<Span>;

    /// The longest time for which the block may hold SCL itself: a controller in a byte, a target from start to stop.
    fn extension(_i2c: &I2c<Self>, _env: &Env<'_, '_>) -> Option<Span> {
        None
    }

    /// The lines have not moved for that time. A controller ends its transfer, a target has let go.
    fn timed_out(i2c: &mut I2c<Self>, env: &mut Env<'_, '_>);

    /// True if the block pulls SMBA low.
    fn alerts(_i2c: &I2c<Self>) -> bool {
        false
    }

    /// SMBA falls.
    fn alerted(_i2c: &mut I2c<Self>) {}
}
