//! Calls as they come in registers, and as the kernel understands them.

use core::fmt;

use crate::driver::DriverNumber;

/// A process's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessId(pub u32);

/// A call as it stands in the process's registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawCall {
    /// The address behind the trap instruction.
    pub back: u32,
    /// Which of the kernel's calls: 0 wait, 1 subscribe, 2 command, 3 allow, 4 exit.
    pub class: u32,
    /// The four argument registers.
    pub arguments: [u32; 4],
}

/// A decoded call: what is asked for, by whom, from where. Twelve words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who asks.
    pub process: ProcessId,
    /// What is asked for.
    pub request: Request,
    /// The registers that it was read from.
    pub raw: RawCall,
}

/// What a process may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Run a callback that is pending.
    Wait,
    /// Call this function of mine, with `data`, when the driver has something to tell.
    Subscribe {
        /// Whom it is for.
        driver: DriverNumber,
        /// Which of the driver's events.
        number: u32,
        /// The function's address.
        entry: u32,
        /// Comes back with each call of it.
        data: u32,
    },
    /// Do something.
    Command {
        /// Whom it is for.
        driver: DriverNumber,
        /// Which of the driver's commands.
        number: u32,
        /// First argument.
        a: u32,
        /// Second argument.
        b: u32,
    },
    /// Here is memory of mine that you may use.
    Allow {
        /// Whom it is for.
        driver: DriverNumber,
        /// Which of the driver's buffers.
        number: u32,
        /// Where it begins.
        start: u32,
        /// Its length in bytes.
        length: u32,
    },
    /// I am done; these words are what came out.
    Exit([u32; 4]),
    /// None of these.
    Unknown {
        /// What it was asked by.
        class: u32,
    },
}

impl Call {
    /// Reads the registers; never fails, since what cannot be read is a request too.
    pub fn decode(process: ProcessId, raw: &RawCall) -> Self {
        let [first, second, third, fourth] = raw.arguments;
        let driver = DriverNumber(first);
        let request = match raw.class {
            0 => Request::Wait,
            1 => Request::Subscribe { driver, number: second, entry: third, data: fourth },
            2 => Request::Command { driver, number: second, a: third, b: fourth },
            3 => Request::Allow { driver, number: second, start: third, length: fourth },
            4 => Request::Exit(raw.arguments),
            class => Request::Unknown { class },
        };
        Self { process, request, raw: *raw }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} before {:#010x}: {}", self.process.0, self.raw.back, self.request)
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wait => f.write_str("wait"),
            Self::Subscribe { driver, number, entry, data } => {
                write!(f, "subscribe(driver {}, number {number}, entry {entry:#x}, data {data:#x})", driver.0)
            }
            Self::Command { driver, number, a, b } => {
                write!(f, "command(driver {}, number {number}, a {a:#x}, b {b:#x})", driver.0)
            }
            Self::Allow { driver, number, start, length } => {
                write!(f, "allow(driver {}, number {number}, start {start:#x}, {length} bytes)", driver.0)
            }
            Self::Exit(words) => write!(f, "exit({words:x?})"),
            Self::Unknown { class } => write!(f, "unknown call {class}"),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    fn decode(class: u32) -> Request {
        Call::decode(ProcessId(7), &RawCall { back: 0x104, class, arguments: [1, 2, 3, 4] }).request
    }

    #[test]
    fn each_class_is_its_request() {
        let driver = DriverNumber(1);
        assert_eq!(decode(0), Request::Wait);
        assert_eq!(decode(1), Request::Subscribe { driver, number: 2, entry: 3, data: 4 });
        assert_eq!(decode(2), Request::Command { driver, number: 2, a: 3, b: 4 });
        assert_eq!(decode(3), Request::Allow { driver, number: 2, start: 3, length: 4 });
        assert_eq!(decode(4), Request::Exit([1, 2, 3, 4]));
        for class in [5, 6, 0x100, u32::MAX] {
            assert_eq!(decode(class), Request::Unknown { class });
        }
    }

    #[test]
    fn a_call_says_who_asked_where_for_what() {
        let call = Call::decode(ProcessId(7), &RawCall { back: 0x104, class: 2, arguments: [1, 2, 3, 0x40] });
        assert_eq!(call.to_string(), "process 7 before 0x00000104: command(driver 1, number 2, a 0x3, b 0x40)");
    }
}
