//! The walk from level to level.

use cyclescope_image::{Architecture, CallFrameRow, CallFrames, Frame, FrameBase, Image, Saved};
use cyclescope_machine::Probe;
use cyclescope_machine::units::Address;

use super::guess::{self, Found};
use super::registers::{self, MEPC, Registers};
use super::xtensa::Windows;
use super::{Backtrace, Call, End, Level, MOST_LEVELS, avr, cortex_m};

/// The table of an AVR's vectors, whose jumps no interrupt comes between.
const AVR_VECTORS: &str = "__vectors";

/// mstatus.MPP: the trap came from M mode.
const PREVIOUS_MACHINE: u32 = 3 << 11;

/// One step outwards.
enum Outwards {
    /// To the caller.
    Caller(Registers),
    /// To what the exception `number` interrupted.
    Interrupted { registers: Registers, number: u16 },
    /// There is nothing.
    End(End),
}

/// Walks outwards from where the machine behind `probe` stands. Returns the registers of the level behind the innermost
/// exception as well, if there is one.
pub(crate) fn walk(probe: &dyn Probe, image: &Image) -> (Backtrace, Option<Registers>) {
    let frames = CallFrames::of(image);
    let registers = Registers::of(probe, image);
    let mut active = probe.active_exceptions();
    active.reverse();
    let windows = Windows::of(probe);
    let mut walk =
        Walk { probe, image, frames, registers, active, windows, returned: false, guessed: false, levels: Vec::new() };
    let mut interrupted = None;
    let end = loop {
        if walk.levels.len() >= MOST_LEVELS {
            break End::TooDeep;
        }
        walk.note();
        match walk.outwards() {
            Outwards::Caller(registers) => {
                if let Some(end) = walk.stands_still(&registers) {
                    break end;
                }
                walk.registers = registers;
                walk.returned = true;
            }
            Outwards::Interrupted { registers, number } => {
                walk.levels.push(Level::Exception { number, name: probe.exception_name(number) });
                interrupted.get_or_insert_with(|| registers.clone());
                walk.registers = registers;
                walk.returned = false;
            }
            Outwards::End(end) => break end,
        }
    };
    let informed = walk.frames.is_present();
    (Backtrace { core: probe.core(), levels: walk.levels, end, informed }, interrupted)
}

/// The latest branch from a function to where there is none, and where it went.
pub(crate) fn stray(probe: &dyn Probe, image: &Image) -> Option<(Address, Address)> {
    let known = |address| image.function_at(address).is_some();
    probe.ways().into_iter().find(|(from, to)| known(*from) && !known(*to))
}

struct Walk<'a> {
    probe: &'a dyn Probe,
    image: &'a Image,
    frames: CallFrames<'a>,
    /// Those of the level that is being looked at.
    registers: Registers,
    /// The exceptions whose handlers are known to be under way and that the walk has not met, the innermost last.
    active: Vec<u16>,
    /// The register windows, of a core that has any.
    windows: Option<Windows>,
    /// The program counter is a return address: the call is before it.
    returned: bool,
    guessed: bool,
    levels: Vec<Level>,
}

impl Walk<'_> {
    /// The address by which the level is looked up.
    fn place(&self) -> Address {
        Address::new(self.registers.pc.saturating_sub(u32::from(self.returned)))
    }

    /// Adds the level.
    fn note(&mut self) {
        let place = self.place();
        let mut frames = self.image.frames(place);
        if frames.iter().all(|frame| frame.function.is_none()) {
            let function = self.image.function_at(place).map(|symbol| symbol.display_name().to_owned());
            let line = frames.into_iter().find_map(|frame| frame.line);
            frames = if function.is_some() || line.is_some() { vec![Frame { function, line }] } else { Vec::new() };
        }
        let pc = Address::new(self.registers.pc);
        self.levels.push(Level::Call(Call { pc, frames, guessed: self.guessed }));
    }

    /// Returns the end of the walk if `caller` is no step outwards.
    fn stands_still(&self, caller: &Registers) -> Option<End> {
        let (now, then) = (self.registers.stack_pointer()?, caller.stack_pointer()?);
        // Where no return address is kept, because the function never returns, it seems to call itself.
        let same = now == then && self.registers.pc == caller.pc;
        let innermost = self.levels.len() == 1 || !self.returned;
        match then.cmp(&now) {
            _ if same => Some(End::Outermost),
            std::cmp::Ordering::Less => Some(End::Damaged),
            std::cmp::Ordering::Equal if !innermost => Some(End::Outermost),
            _ => None,
        }
    }

    fn outwards(&mut self) -> Outwards {
        let place = self.place();
        if let Some(outwards) = self.by_windows() {
            return outwards;
        }
        if let Some(row) = self.frames.row(place) {
            return self.by_row(&row);
        }
        if self.image.function_at(place).is_none()
            && let Some(caller) = self.caller_of_nowhere()
        {
            return Outwards::Caller(caller);
        }
        self.without_row()
    }

    /// The caller by register windows, or what a window exception interrupted; `None` where no windowed call led here.
    fn by_windows(&mut self) -> Option<Outwards> {
        let windows = self.windows.as_mut()?;
        let innermost = self.levels.len() == 1;
        if let Some(registers) = innermost.then(|| windows.interrupted(&self.registers)).flatten() {
            let number = self.active.pop()?;
            return Some(Outwards::Interrupted { registers, number });
        }
        // Behind a window exception the call may be under way still.
        let begins = !self.returned;
        if let Some(caller) = windows.caller(self.probe, &self.registers, begins) {
            return Some(Outwards::Caller(caller));
        }
        // Start-up code and a task's first function have no caller.
        (self.registers.get(0) == Some(0)).then_some(Outwards::End(End::Outermost))
    }

    /// The caller as call-frame information describes it.
    fn by_row(&mut self, row: &CallFrameRow<'_>) -> Outwards {
        let registers = &self.registers;
        let state = registers::Level { registers, probe: self.probe };
        // The offsets are the file's, and may be any numbers.
        let moved = |from: u32, offset: i64| u32::try_from(i64::from(from).checked_add(offset)?).ok();
        let base = match row.base {
            FrameBase::Register(number, offset) => {
                let Some(from) = registers.base(number) else { return Outwards::End(End::NoInformation) };
                moved(from, offset)
            }
            FrameBase::Expression(expression) => expression.value(None, &state),
        };
        let Some(base) = base else { return Outwards::End(End::Damaged) };
        let near = |offset: i64| moved(base, offset);
        let place = |saved: Saved<'_>| match saved {
            Saved::At(offset) => near(offset),
            Saved::AtExpression(expression) => expression.value(Some(base), &state),
            _ => None,
        };
        let mut caller = registers.clone();
        for (number, saved) in &row.saved {
            let value = match saved {
                Saved::Same => continue,
                Saved::Undefined | Saved::Unknown => None,
                Saved::At(_) | Saved::AtExpression(_) => place(*saved).and_then(|at| registers.saved(self.probe, at)),
                Saved::Is(offset) => near(*offset),
                Saved::IsExpression(expression) => expression.value(Some(base), &state),
                Saved::In(other) => registers.get(*other),
            };
            caller.set(*number, value);
        }
        caller.set(registers.stack_pointer_number(), Some(base));
        let saved = row.saved(row.return_column);
        if saved == Some(Saved::Undefined) {
            return Outwards::End(End::Outermost);
        }
        let address = match (self.image.architecture(), saved) {
            (Architecture::Avr(generation), Some(saved @ (Saved::At(_) | Saved::AtExpression(_)))) => {
                place(saved).and_then(|at| avr::return_address(self.probe, generation, at))
            }
            _ => caller.get(row.return_column),
        };
        let Some(address) = address else { return Outwards::End(End::Damaged) };
        // From a stack pointer that was guessed the row finds the wrong word.
        let plain = if self.image.architecture() == Architecture::Arm { address & !1 } else { address };
        if self.guessed
            && !cortex_m::is_exception_return(address)
            && !guess::is_return_address(self.probe, self.image, plain)
        {
            return self.without_row();
        }
        self.returns_to(caller, address)
    }

    /// A level that returns to `address`, where `caller` are the registers behind the return.
    fn returns_to(&mut self, mut caller: Registers, address: u32) -> Outwards {
        match self.image.architecture() {
            Architecture::Arm if cortex_m::is_exception_return(address) => {
                let Some((registers, outer)) = cortex_m::interrupted(self.probe, &caller, address) else {
                    return Outwards::End(End::Damaged);
                };
                // The core itself knows the innermost one only; each frame tells the next.
                let number = self.active.pop().unwrap_or(0);
                self.active.extend(Some(outer).filter(|outer| *outer > 0));
                return Outwards::Interrupted { registers, number };
            }
            // The link register at reset.
            Architecture::Arm if address == u32::MAX => return Outwards::End(End::Outermost),
            Architecture::Arm => caller.pc = address & !1,
            Architecture::Avr(_) => {
                caller.pc = address;
                let function = self.image.function_at(self.place());
                if let Some(number) = function.and_then(|symbol| avr::vector(&symbol.name)) {
                    // avr-gcc's short prologues of handlers (__gcc_isr) push what no information tells.
                    let interrupted = self.image.function_at(Address::new(address));
                    if interrupted.is_none_or(|symbol| symbol.name == AVR_VECTORS) {
                        return self.without_row();
                    }
                    return Outwards::Interrupted { registers: caller, number };
                }
            }
            _ => {
                if let Some(trapped) = self.trapped(&caller) {
                    return trapped;
                }
                caller.pc = address;
            }
        }
        if caller.pc == 0 {
            return Outwards::End(End::Outermost);
        }
        // A task begins as if it had been called from the first instruction of the function that it must not return to.
        let begins =
            self.image.function_at(Address::new(caller.pc)).is_some_and(|symbol| symbol.address.get() == caller.pc);
        if begins && !guess::is_return_address(self.probe, self.image, caller.pc) {
            return Outwards::End(End::Outermost);
        }
        Outwards::Caller(caller)
    }

    /// The code that the handler of a RISC-V's trap interrupted, if the level is that handler.
    fn trapped(&mut self, behind: &Registers) -> Option<Outwards> {
        if self.image.architecture() != Architecture::Riscv {
            return None;
        }
        let number = *self.active.last()?;
        let entry = self.probe.handler(number)?;
        let function = self.image.function_at(self.place())?;
        if self.image.function_at(entry)?.address != function.address {
            return None;
        }
        self.active.pop();
        // Only the innermost trap still has its registers; of the others the handler's frame may have them.
        let innermost = !self.levels.iter().any(|level| matches!(level, Level::Exception { .. }));
        let kept = || if innermost { self.probe.register("mepc") } else { None };
        let Some(pc) = behind.get(MEPC).or_else(kept) else {
            return Some(Outwards::End(End::TrapOverwritten));
        };
        let mut registers = behind.clone();
        registers.set(MEPC, None);
        registers.pc = pc;
        Some(Outwards::Interrupted { registers, number })
    }

    /// The caller of code that belongs to no function, by the branch that went there.
    fn caller_of_nowhere(&mut self) -> Option<Registers> {
        let (from, _) = stray(self.probe, self.image)?;
        let link = self.registers.get(self.registers.link_number()?)?;
        let address = if self.image.architecture() == Architecture::Arm { link & !1 } else { link };
        let called = guess::is_return_address(self.probe, self.image, address);
        let behind = address.wrapping_sub(from.get());
        let function = |address: u32| self.image.function_at(Address::new(address)).map(|symbol| symbol.address);
        // A return that went wrong has already left its function; the link register is left from a call in there.
        let stale = function(address.wrapping_sub(1)) == function(from.get()) && behind > 4;
        let mut caller = self.registers.clone();
        caller.pc = address;
        (called && !stale).then_some(caller)
    }

    /// The caller where nothing describes the level: by the link register in the innermost one, else by a search of the stack.
    fn without_row(&mut self) -> Outwards {
        let registers = self.registers.clone();
        let link = registers.link_number().and_then(|number| registers.get(number));
        let arm = self.image.architecture() == Architecture::Arm;
        if let Some(link) = link.filter(|_| !self.returned) {
            if arm && cortex_m::is_exception_return(link) {
                return self.returns_to(registers, link);
            }
            let address = if arm { link & !1 } else { link };
            let own = self.image.function_at(self.place()).map(|symbol| symbol.address);
            let elsewhere =
                self.image.function_at(Address::new(address.wrapping_sub(1))).map(|symbol| symbol.address) != own;
            if elsewhere && guess::is_return_address(self.probe, self.image, address) {
                self.guessed = true;
                let mut caller = registers;
                caller.pc = address;
                return Outwards::Caller(caller);
            }
        }
        if let Some(mut trapped) = self.trapped(&registers) {
            self.guessed = true;
            // A handler of calls from U mode has a stack of its own.
            let user = self.probe.register("mstatus").is_some_and(|status| status & PREVIOUS_MACHINE == 0);
            if let Outwards::Interrupted { registers, .. } = &mut trapped {
                // It is the handler's own.
                registers.link_number().into_iter().for_each(|link| registers.set(link, None));
                if user {
                    registers.set(registers.stack_pointer_number(), None);
                }
            }
            return trapped;
        }
        match guess::search(self.probe, self.image, &registers) {
            Some(Found::Caller(caller)) => {
                self.guessed = true;
                Outwards::Caller(caller)
            }
            Some(Found::Exception(registers, exc_return)) => {
                self.guessed = true;
                self.returns_to(registers, exc_return)
            }
            None => Outwards::End(End::NoInformation),
        }
    }
}
