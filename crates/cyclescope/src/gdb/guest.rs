//! The machine as a debugger drives it: instructions one by one, or on to a breakpoint, a watched address, an end.
//!
//! Each core is a thread, numbered from 1. All stop together, and all go on together: a step of one lets the others go as far as
//! they come in the meantime.
//!
//! However it is cut into pieces, it takes the cycles that it takes without a debugger: RTT is read at the same cycles as by
//! `exec` alone, and looking takes no time.

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Console, Position, Stop, Touch};
use cyclescope_scope::{Backtrace, OutputForwarder, Rtt, explain, place};
use gdbstub::target::ext::breakpoints::WatchKind;

use super::layout::{RegisterLayout, Source};
use crate::backend::OutputSink;

/// The longest run without a look at the debugger: a few milliseconds of the host's.
const SLICE: Cycles = Cycles::new(1_000_000);

/// The same where each instruction is looked at.
const LOOKS: usize = 20_000;

/// The cycles by which one core may run ahead of another that does not rest: more than an instruction takes.
const NEAR: u64 = 64;

/// An address range that a debugger watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Watched {
    pub(super) address: u32,
    pub(super) bytes: u32,
    pub(super) kind: WatchKind,
}

impl Watched {
    /// Tells if `touch` is of the watched kind and place.
    fn is_hit(&self, touch: Touch) -> bool {
        let kind = match self.kind {
            WatchKind::Write => touch.writes,
            WatchKind::Read => touch.reads,
            WatchKind::ReadWrite => true,
        };
        kind && touch.overlaps(Address::new(self.address), self.bytes)
    }
}

/// Why a guest stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// It has gone one instruction further.
    Stepped,
    /// It stands at a breakpoint.
    Breakpoint,
    /// It has just touched this range.
    Touched(Watched),
    /// It stopped by itself.
    Stopped(Stop),
    /// Its output has nowhere to go any more, or Ctrl-C came.
    Refused,
}

/// The debugger's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// An instruction of this core.
    Step(usize),
    Continue,
}

/// A machine in a debugger's hands.
pub(super) struct Guest<'a, 's> {
    pub(super) machine: &'a mut Machine,
    pub(super) layout: RegisterLayout,
    pub(super) breakpoints: Vec<u32>,
    pub(super) watched: Vec<Watched>,
    pub(super) way: Way,
    /// The core that is to go an instruction further, of the request that is being made.
    pub(super) steps: Option<usize>,
    /// Why it last stopped by itself.
    pub(super) ended: Option<Stop>,
    image: &'a Image,
    /// The instruction that has just touched what is watched, where the debugger is shown its pc as if it were still to
    /// come.
    pub(super) held: Option<u32>,
    /// The core that has stopped, and that `held` is of.
    pub(super) core: usize,
    /// The stop that is to be reported without going on.
    pending: Option<Halt>,
    /// The core, its pc and the range that it touched in the same cycle as another core, which is reported first.
    also: Option<(usize, u32, Watched)>,
    /// The position of each core as it was told to go on.
    begun: Vec<Position>,
    limit: Cycles,
    poll: Cycles,
    next_poll: Cycles,
    rtt: Option<Rtt>,
    output: OutputForwarder,
    sink: &'a mut OutputSink<'s>,
}

impl<'a, 's> Guest<'a, 's> {
    /// `machine`, whose run ends at the cycle `limit` and whose RTT is read every `poll` cycles.
    pub(super) fn new(
        machine: &'a mut Machine,
        image: &'a Image,
        (limit, poll): (Cycles, Cycles),
        sink: &'a mut OutputSink<'s>,
    ) -> Self {
        let rtt = image.find_symbol("_SEGGER_RTT").map(|symbol| Rtt::at(symbol.address));
        let layout = RegisterLayout::of(machine);
        let next_poll = machine.now().saturating_add(poll);
        Self {
            machine,
            layout,
            breakpoints: Vec::new(),
            watched: Vec::new(),
            way: Way::Continue,
            steps: None,
            ended: None,
            image,
            held: None,
            core: 0,
            pending: None,
            also: None,
            begun: Vec::new(),
            limit,
            poll,
            next_poll,
            rtt,
            output: OutputForwarder::default(),
            sink,
        }
    }

    /// Returns the pc that the debugger is shown of the core `core`.
    pub(super) fn shown_pc(&self, core: usize) -> u32 {
        self.held.filter(|_| core == self.core).unwrap_or_else(|| self.machine.position(core).pc.get())
    }

    /// Has `core` stand for the machine while `look` is carried out.
    fn with_core<R>(&mut self, core: usize, look: impl FnOnce(&mut Machine) -> R) -> R {
        let current = self.machine.core();
        self.machine.select_core(core);
        let result = look(self.machine);
        self.machine.select_core(current);
        result
    }

    /// Returns the bytes of a register of the core `core` for the debugger.
    pub(super) fn read(&mut self, core: usize, register: Source) -> Vec<u8> {
        if register.is_pc() && self.held.is_some() && core == self.core {
            return self.shown_pc(core).to_le_bytes().to_vec();
        }
        self.with_core(core, |machine| register.read(machine))
    }

    /// Writes a register of the core `core`; `false` where it cannot be written.
    pub(super) fn write(&mut self, core: usize, register: Source, bytes: &[u8]) -> bool {
        if register.is_pc() && core == self.core {
            self.held = None;
        }
        self.with_core(core, |machine| register.write(machine, bytes))
    }

    /// Goes on as asked, from here.
    pub(super) fn go(&mut self, way: Way) {
        self.way = way;
        self.ended = None;
        self.begun = (0..self.machine.cores()).map(|core| self.machine.position(core)).collect();
        let pc = self.machine.position(self.core).pc.get();
        // The instruction shown as still to come is done: a step over it, or up to a breakpoint behind it, takes no time.
        self.pending = self.held.take().and_then(|_| match way {
            Way::Step(core) => (core == self.core).then_some(Halt::Stepped),
            Way::Continue => self.breakpoints.contains(&pc).then_some(Halt::Breakpoint),
        });
        let mut places: Vec<Address> = self.breakpoints.iter().map(|address| Address::new(*address)).collect();
        places.dedup();
        self.machine.watch_only(&places);
    }

    /// Runs a while; `None` if nothing has happened that a debugger should hear of.
    pub(super) fn run(&mut self) -> Option<Halt> {
        if let Some(halt) = self.pending.take() {
            return Some(halt);
        }
        if let Some((core, pc, watched)) = self.also.take() {
            (self.core, self.held) = (core, Some(pc).filter(|_| self.stops_before()));
            return Some(Halt::Touched(watched));
        }
        match self.way {
            Way::Step(core) => self.step(core),
            Way::Continue if self.watched.is_empty() => {
                let until = self.machine.now().saturating_add(SLICE);
                self.advance(until)
            }
            Way::Continue => (0..LOOKS).find_map(|_| {
                self.held = None;
                self.look()
            }),
        }
    }

    /// Tells if gdb takes watchpoints to stop before the access, as it does with Arm's and RISC-V's and not with AVR's: it steps
    /// once by itself, with no watchpoint set, before it looks at what is watched.
    fn stops_before(&self) -> bool {
        self.machine.cortex_m().is_some() || self.machine.riscv().is_some()
    }

    /// Returns the place and the reason of the stop, in words, and the places of the other cores.
    pub(super) fn why(&self) -> String {
        let at = |core: usize| {
            let Position { pc, now, .. } = self.machine.position(core);
            format!("at cycle {}, {}", now.grouped(), place(self.image, pc))
        };
        let reason = match self.ended {
            Some(stop) => explain(stop, self.image, self.machine.position(self.core).now),
            None => at(self.core),
        };
        match self.machine.cores() {
            1 => reason,
            cores => {
                let others = (0..cores).filter(|core| *core != self.core);
                let others: String = others.map(|core| format!("\ncore {core}: {}", at(core))).collect();
                format!("core {}: {reason}{others}", self.core)
            }
        }
    }

    /// Returns the lines of the backtraces of all cores.
    pub(super) fn backtrace(&mut self) -> Vec<String> {
        let (image, mut lines) = (self.image, Vec::new());
        for core in 0..self.machine.cores() {
            lines.extend(self.with_core(core, |machine| Backtrace::of(machine, image).lines()));
        }
        lines
    }

    /// Runs on without a debugger to the end.
    pub(super) fn run_out(&mut self) -> Halt {
        self.breakpoints.clear();
        self.watched.clear();
        self.go(Way::Continue);
        loop {
            if let Some(halt) = self.run() {
                return halt;
            }
        }
    }

    /// One instruction of the core `core`, or the way into an exception's handler. Sleep is slept through a slice at a time.
    fn step(&mut self, core: usize) -> Option<Halt> {
        let Position { pc, instructions, .. } = self.machine.position(core);
        let mut ahead = 1;
        while ahead <= SLICE.get() {
            let halt = self.advance(self.clock_of(core).saturating_add(Cycles::new(ahead)));
            if halt.is_some() {
                return halt;
            }
            let now = self.machine.position(core);
            if (now.pc, now.instructions) != (pc, instructions) {
                self.core = core;
                return Some(Halt::Stepped);
            }
            ahead += if ahead < NEAR { 1 } else { ahead };
        }
        None
    }

    /// One instruction, and whether it touched what is watched; of several cores, at most one of each.
    fn look(&mut self) -> Option<Halt> {
        let cores = 0..self.machine.cores();
        let before: Vec<(Position, Option<Touch>)> =
            cores.clone().map(|core| (self.machine.position(core), self.machine.touches_on(core))).collect();
        let retired = self.machine.instructions();
        // Where it sleeps there is nothing to look at.
        let mut ahead = 1;
        while self.machine.instructions() == retired && ahead <= SLICE.get() {
            let halt = self.advance(self.earliest().saturating_add(Cycles::new(ahead)));
            if halt.is_some() {
                return halt;
            }
            if self.machine.instructions() != retired && (ahead == 1 || before.len() > 1 && ahead <= NEAR) {
                let mut hits = cores.clone().filter_map(|core| {
                    let (position, touch) = before[core];
                    let went = self.machine.position(core).instructions != position.instructions;
                    let touch = touch.filter(|_| went)?;
                    let watched = self.watched.iter().find(|watched| watched.is_hit(touch))?;
                    Some((core, position.pc.get(), *watched))
                });
                let (first, also) = (hits.next(), hits.next());
                let (core, pc, watched) = first?;
                self.also = also;
                (self.core, self.held) = (core, Some(pc).filter(|_| self.stops_before()));
                return Some(Halt::Touched(watched));
            }
            ahead += if ahead < NEAR { 1 } else { ahead };
        }
        None
    }

    /// Returns the cycle at which the core `core` stands; of one that rests, whose clock stands, that of the others.
    fn clock_of(&self, core: usize) -> Cycles {
        let latest = (0..self.machine.cores()).map(|core| self.machine.position(core).now).max();
        let (own, latest) = (self.machine.position(core).now, latest.unwrap_or(Cycles::ZERO));
        if own.saturating_add(Cycles::new(NEAR)) < latest { latest } else { own }
    }

    /// Returns the cycle of the core that goes on next.
    fn earliest(&self) -> Cycles {
        (0..self.machine.cores()).map(|core| self.clock_of(core)).min().unwrap_or(Cycles::ZERO)
    }

    /// Runs to `until`, or to what stops it before.
    fn advance(&mut self, until: Cycles) -> Option<Halt> {
        loop {
            let stop = self.machine.run(until.min(self.next_poll).min(self.limit));
            let now = self.machine.now();
            let ended = !matches!(stop, Stop::Watch(_) | Stop::Signal | Stop::Horizon);
            if ended || now >= self.next_poll {
                self.drain();
                self.next_poll = now.saturating_add(self.poll);
            }
            if !self.output.forward(&self.machine.shared().console, self.sink) {
                return Some(Halt::Refused);
            }
            let core = self.machine.core();
            match stop {
                // It stood there already when it was told to go on.
                Stop::Watch(_) if self.begun.get(core).is_some_and(|begun| self.has_not_gone_on(core, *begun)) => {}
                Stop::Watch(_) => {
                    self.core = core;
                    return Some(Halt::Breakpoint);
                }
                stop if ended => {
                    self.core = core;
                    return Some(Halt::Stopped(stop));
                }
                _ if now >= self.limit => return Some(Halt::Stopped(Stop::Horizon)),
                _ if now >= until => return None,
                _ => {}
            }
        }
    }

    /// Tells if the core `core` stands where it stood at `begun`.
    fn has_not_gone_on(&self, core: usize, begun: Position) -> bool {
        let Position { pc, instructions, .. } = self.machine.position(core);
        (pc, instructions) == (begun.pc, begun.instructions)
    }

    fn drain(&mut self) {
        let Some(rtt) = self.rtt else { return };
        // The console and memory are apart in every machine, but the trait lends one at a time.
        let mut console = std::mem::replace(&mut self.machine.shared().console, Console::new(0));
        rtt.drain(self.machine.memory(), &mut console);
        self.machine.shared().console = console;
    }
}
