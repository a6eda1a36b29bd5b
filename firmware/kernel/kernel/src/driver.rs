//! Drivers, as the kernel sees them.

use crate::answer::{Answer, Refusal};
use crate::call::Request;
use crate::memory::{Buffer, Memory};
use crate::pass::Passed;
use crate::upcall::Callback;

/// A driver's number, by which processes call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriverNumber(pub u32);

/// Serves processes. Each method answers at once; what takes longer is told by an upcall.
pub trait Driver {
    /// Does something.
    fn command(&self, number: u32, a: u32, b: u32) -> Answer;

    /// Takes memory of the process, which was checked to be its own, until another comes in its place.
    fn allow(&self, number: u32, buffer: Buffer) -> Answer;

    /// Takes a function of the process, until another comes in its place.
    fn subscribe(&self, number: u32, callback: Callback) -> Answer;
}

/// Decides which calls a process may make at all; each board has its own.
pub trait Filter {
    /// Whether the call goes on to its driver.
    fn permits(&self, call: Passed<'_>) -> bool;
}

/// Asks a driver for what the call is about. Addresses are checked here, so that no driver can forget to.
pub fn ask(driver: &dyn Driver, call: Passed<'_>, memory: &Memory) -> Answer {
    match call.request {
        Request::Command { number, a, b, .. } => driver.command(number, a, b),
        Request::Allow { number, start, length, .. } => match memory.buffer(start, length) {
            Some(buffer) => driver.allow(number, buffer),
            None => Answer::Refused(Refusal::BadBuffer),
        },
        Request::Subscribe { number, entry, data, .. } => driver.subscribe(number, Callback { entry, data }),
        Request::Wait | Request::Exit(_) | Request::Unknown { .. } => Answer::Refused(Refusal::UnknownCall),
    }
}
