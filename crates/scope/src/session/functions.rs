//! The time spent in functions, call by call.

use cyclescope_image::{Image, SymbolError};
use cyclescope_machine::CallFrame;
use cyclescope_machine::units::{Address, Cycles, Instructions};

use super::Session;
use crate::event::Resolved;
use crate::observer::Observer;

/// The time spent in a function and its callees, summed over its calls. Interrupts taken meanwhile count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionTime {
    /// Completed calls.
    pub calls: u64,
    /// Cycles from the first instruction to the return.
    pub cycles: Cycles,
    /// Instructions that the core of each call retired meanwhile.
    pub instructions: Instructions,
}

/// A call under way.
#[derive(Clone, Copy, Debug)]
struct Call {
    core: usize,
    frame: CallFrame,
    since: Cycles,
    instructions: Instructions,
}

/// A function that is timed, with its calls under way.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) entry: Address,
    calls: Vec<Call>,
    time: FunctionTime,
}

impl Function {
    /// The addresses at which its calls under way end.
    pub(super) fn return_addresses(&self) -> impl Iterator<Item = Address> {
        self.calls.iter().map(|call| call.frame.return_address)
    }
}

/// The greatest recursion depth that is followed.
const MAX_CALLS: usize = 4096;

impl Session<'_> {
    /// Sums the time spent in the function `name`, and returns the function's index.
    ///
    /// # Errors
    /// [`SymbolError`] if the image does not have the function.
    pub fn time_function(&mut self, image: &Image, name: &str) -> Result<usize, SymbolError> {
        let entry = image.symbol(name)?.address;
        Ok(self.time_entry(entry))
    }

    /// Watches the function at `entry` and returns its index.
    pub(super) fn time_entry(&mut self, entry: Address) -> usize {
        if let Some(known) = self.functions.iter().position(|function| function.entry == entry) {
            return known;
        }
        self.functions.push(Function { entry, calls: Vec::new(), time: FunctionTime::default() });
        self.target.watch(entry);
        self.functions.len() - 1
    }

    /// Times functions only for calls that begin inside the span of this index.
    pub fn time_functions_within(&mut self, span: usize) {
        self.gate = Some(span);
    }

    /// Returns the time spent so far in the function of this index.
    pub fn function_time(&self, index: usize) -> FunctionTime {
        self.functions.get(index).map(|function| function.time).unwrap_or_default()
    }

    pub(super) fn entered(&mut self, entry: Address, since: Cycles) {
        if let Some(span) = self.gate.and_then(|gate| self.spans.get(gate))
            && !span.is_open()
        {
            return;
        }
        let (core, frame) = (self.target.core(), self.target.call_frame());
        self.target.watch(frame.return_address);
        let call = Call { core, frame, since, instructions: self.target.position(core).instructions };
        for function in self.functions.iter_mut().filter(|function| function.entry == entry) {
            // The same call goes on after a branch back to the first instruction or a tail call of itself.
            if function.calls.iter().all(|call| (call.core, call.frame) != (core, frame))
                && function.calls.len() < MAX_CALLS
            {
                function.calls.push(call);
            }
        }
    }

    pub(super) fn returned(&mut self, address: Address, now: Cycles, observer: &mut dyn Observer) {
        let core = self.target.core();
        let instructions = self.target.position(core).instructions;
        let here = CallFrame { return_address: address, stack_pointer: self.target.stack_pointer() };
        let mut left = Vec::new();
        for function in &mut self.functions {
            let Some(place) = function.calls.iter().rposition(|call| (call.core, call.frame) == (core, here)) else {
                continue;
            };
            let call = function.calls.remove(place);
            function.time.calls += 1;
            // The outer call of the same function on this core already counts an inner one.
            let outer = |other: &Call| other.core == core && other.frame.stack_pointer >= call.frame.stack_pointer;
            if !function.calls.iter().any(outer) {
                function.time.cycles += now - call.since;
                function.time.instructions += instructions - call.instructions;
            }
            left.push(function.entry);
        }
        let all = self.target.instructions();
        for entry in left {
            self.happened(now, all, observer, |event| event.on(core as u8) == Some(Resolved::Left(entry)));
        }
    }
}
