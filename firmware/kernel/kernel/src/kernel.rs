//! The kernel itself: what happens between the trap vector and the driver.

use crate::answer::{Answer, Refusal};
use crate::call::{Call, ProcessId, RawCall, Request};
use crate::chip::{Cause, Chip};
use crate::debug::Hook;
use crate::driver::{self, Driver, DriverNumber, Filter};
use crate::memory::Memory;
use crate::pass::{Passed, pass};
use crate::protection::Region;
use crate::upcall::Upcalls;

/// The kernel of a chip with one process.
pub struct Kernel<'a, C: Chip> {
    /// The chip.
    pub chip: C,
    /// The debug hook of this build.
    pub hook: C::Hook,
    /// The process's number.
    pub process: ProcessId,
    /// The process's own memory.
    pub memory: Memory,
    /// Which calls the process may make.
    pub filter: &'a dyn Filter,
    /// The drivers by their numbers.
    pub drivers: &'a [(DriverNumber, &'a dyn Driver)],
    /// What drivers have to tell the process.
    pub upcalls: &'a Upcalls,
}

impl<C: Chip> Kernel<'_, C> {
    /// Sets up protection; the process may start.
    pub fn start(&self, regions: &[Region]) {
        self.chip.protect(regions);
    }

    /// Does what the process stopped for; the trap vector calls it and then gives the processor back.
    ///
    /// # Panics
    /// When the process did what it may not: there is no other that could go on.
    pub fn trap(&self, state: &mut C::State) {
        match C::cause(state) {
            Cause::Call(raw) => self.call(&raw, state),
            Cause::Fault(fault) => panic!(
                "process {} did what it may not: cause {}, address {:#010x}\n{}",
                self.process.0, fault.cause, fault.address, state
            ),
        }
    }

    fn call(&self, raw: &RawCall, state: &mut C::State) {
        let call = Call::decode(self.process, raw);
        self.hook.called(pass(&call), state);
        let answer = self.serve(pass(&call), state);
        self.hook.answered(answer);
    }

    /// What the kernel answers itself, and what it hands on.
    fn serve(&self, call: Passed<'_>, state: &mut C::State) -> Answer {
        let answer = match call.request {
            Request::Wait => match self.upcalls.pop() {
                Some(upcall) => {
                    // The callback's arguments take the registers of the answer.
                    C::upcall(state, &upcall);
                    return Answer::Done(0);
                }
                None => Answer::Refused(Refusal::NothingPending),
            },
            Request::Subscribe { driver, .. } | Request::Command { driver, .. } | Request::Allow { driver, .. } => {
                self.dispatch(driver, call)
            }
            Request::Exit(words) => self.chip.end(words),
            Request::Unknown { .. } => Answer::Refused(Refusal::UnknownCall),
        };
        C::answer(state, answer.words());
        answer
    }

    /// Asks the driver, if it is there and the process may.
    fn dispatch(&self, number: DriverNumber, call: Passed<'_>) -> Answer {
        if !self.filter.permits(call) {
            return Answer::Refused(Refusal::NotPermitted);
        }
        match self.drivers.iter().find(|(own, _)| *own == number) {
            Some((_, found)) => driver::ask(*found, call, &self.memory),
            None => Answer::Refused(Refusal::NoDriver),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use core::cell::Cell;
    use std::string::ToString;
    use std::vec::Vec;

    use super::*;
    use crate::debug::LastCall;
    use crate::memory::Buffer;
    use crate::upcall::{Callback, Upcall};

    /// A chip whose process has four argument registers, one for the class, and a program counter.
    struct Paper {
        regions: Cell<usize>,
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct State {
        arguments: [u32; 4],
        class: u32,
        pc: u32,
        back: u32,
    }

    impl core::fmt::Display for State {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            write!(f, "pc {:#x}", self.pc)
        }
    }

    struct Keep(LastCall<State>);

    impl Hook<State> for Keep {
        fn called(&self, call: Passed<'_>, state: &State) {
            self.0.keep(call, state);
        }
        fn answered(&self, answer: Answer) {
            self.0.keep_answer(answer);
        }
    }

    impl Chip for Paper {
        type State = State;
        type Hook = Keep;

        fn protect(&self, regions: &[Region]) {
            self.regions.set(regions.len());
        }
        fn cause(state: &mut State) -> Cause {
            if state.class == 99 {
                return Cause::Fault(crate::chip::Fault { cause: 5, address: 0x40 });
            }
            state.pc += 4;
            Cause::Call(RawCall { back: state.pc, class: state.class, arguments: state.arguments })
        }
        fn answer(state: &mut State, words: [u32; 2]) {
            state.arguments[..2].copy_from_slice(&words);
        }
        fn upcall(state: &mut State, upcall: &Upcall) {
            (state.back, state.pc) = (state.pc, upcall.callback.entry);
            state.arguments[..3].copy_from_slice(&[upcall.value, upcall.number, upcall.callback.data]);
        }
        fn end(&self, words: [u32; 4]) -> ! {
            panic!("ended with {words:?}")
        }
    }

    /// Nobody may call driver 66.
    struct Superstition;

    impl Filter for Superstition {
        fn permits(&self, call: Passed<'_>) -> bool {
            call.raw.arguments[0] != 66
        }
    }

    /// Adds up, and tells of each allowed buffer.
    struct Echo<'a>(&'a Upcalls, Cell<Callback>);

    impl Driver for Echo<'_> {
        fn command(&self, number: u32, a: u32, b: u32) -> Answer {
            Answer::Done(number * 100 + a * 10 + b)
        }
        fn allow(&self, number: u32, buffer: Buffer) -> Answer {
            self.0.push(Upcall { callback: self.1.get(), value: buffer.length(), number });
            Answer::Done(0)
        }
        fn subscribe(&self, _: u32, callback: Callback) -> Answer {
            Answer::Done(self.1.replace(callback).data)
        }
    }

    /// Lets a process make the calls, each class and four arguments; what came back, and what the hook kept.
    fn calls(calls: &[[u32; 5]]) -> (Vec<State>, std::string::String) {
        let upcalls = Upcalls::new();
        let echo = Echo(&upcalls, Cell::default());
        let kernel = Kernel {
            chip: Paper { regions: Cell::new(0) },
            hook: Keep(LastCall::new()),
            process: ProcessId(1),
            // SAFETY: no byte of it is read.
            memory: unsafe { Memory::new(0x1000, 0x100) },
            filter: &Superstition,
            drivers: &[(DriverNumber(3), &echo)],
            upcalls: &upcalls,
        };
        kernel.start(&[]);
        let states = calls.iter().map(|&[class, a, b, c, d]| {
            let mut state = State { arguments: [a, b, c, d], class, pc: 0x100, back: 0 };
            kernel.trap(&mut state);
            state
        });
        (states.collect(), kernel.hook.0.to_string())
    }

    #[test]
    fn a_command_reaches_its_driver_and_its_answer_the_registers() {
        let (states, last) = calls(&[[2, 3, 4, 5, 6], [2, 9, 4, 5, 6], [2, 66, 4, 5, 6], [77, 3, 0, 0, 0]]);
        assert_eq!(states[0].arguments[..2], [0, 456]);
        assert_eq!(states[0].pc, 0x104);
        assert_eq!(states[1].arguments[..2], [Refusal::NoDriver as u32, 0]);
        assert_eq!(states[2].arguments[0], Refusal::NotPermitted as u32);
        assert_eq!(states[3].arguments[0], Refusal::UnknownCall as u32);
        assert!(last.contains("unknown call 77") && last.contains("pc 0x104"), "{last}");
    }

    #[test]
    fn a_buffer_outside_the_process_never_reaches_the_driver() {
        let (states, last) = calls(&[[1, 3, 0, 0x80, 5], [3, 3, 0, 0x10FF, 2], [0, 0, 0, 0, 0]]);
        assert_eq!(states[1].arguments[0], Refusal::BadBuffer as u32);
        assert_eq!(states[2].arguments[0], Refusal::NothingPending as u32, "the driver saw a buffer");
        assert!(last.contains("refused: nothing is pending"), "{last}");
    }

    #[test]
    fn waiting_runs_the_callback_and_comes_back_behind_the_call() {
        let (states, _) = calls(&[[1, 3, 0, 0x80, 5], [3, 3, 7, 0x1000, 0x100], [0, 0, 0, 0, 0]]);
        let waited = states[2];
        assert_eq!((waited.pc, waited.back), (0x80, 0x104));
        assert_eq!(waited.arguments[..3], [0x100, 7, 5]);
    }

    #[test]
    #[should_panic(expected = "ended with [1, 2, 3, 4]")]
    fn the_end_is_the_chips() {
        calls(&[[4, 1, 2, 3, 4]]);
    }

    #[test]
    #[should_panic(expected = "process 1 did what it may not: cause 5, address 0x00000040")]
    fn a_fault_is_a_panic() {
        calls(&[[99, 0, 0, 0, 0]]);
    }
}
