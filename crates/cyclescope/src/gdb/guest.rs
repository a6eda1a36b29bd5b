//! The machine as a debugger drives it: instructions one by one, or on to a breakpoint, a watched address, an end.
//!
//! However it is cut into pieces, it takes the cycles that it takes without a debugger: RTT is read at the same cycles as by
//! `exec` alone, and looking takes no time.

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Console, Stop, Target};
use cyclescope_scope::{Backtrace, OutputForwarder, Rtt, explain, place};
use gdbstub::target::ext::breakpoints::WatchKind;

use super::layout::{RegisterLayout, Source};
use crate::backend::OutputSink;

/// The longest run without a look at the debugger: a few milliseconds of the host's.
const SLICE: Cycles = Cycles::new(1_000_000);

/// The same where each instruction is looked at.
const LOOKS: usize = 20_000;

/// An address range that a debugger watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Watched {
    pub(super) address: u32,
    pub(super) bytes: u32,
    pub(super) kind: WatchKind,
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
    Step,
    Continue,
}

/// A machine in a debugger's hands.
pub(super) struct Guest<'a, 's> {
    pub(super) machine: &'a mut Machine,
    pub(super) layout: RegisterLayout,
    pub(super) breakpoints: Vec<u32>,
    pub(super) watched: Vec<Watched>,
    pub(super) way: Way,
    /// Why it last stopped by itself.
    pub(super) ended: Option<Stop>,
    image: &'a Image,
    /// The instruction that has just touched what is watched, where the debugger is shown its pc as if it were still to
    /// come.
    pub(super) held: Option<u32>,
    /// The stop that is to be reported without going on.
    pending: Option<Halt>,
    /// The address at which it was told to go on, until it has gone on.
    begun: Option<u32>,
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
        let rtt = image.symbol("_SEGGER_RTT").ok().map(|symbol| Rtt::at(symbol.address));
        let layout = RegisterLayout::of(machine);
        let next_poll = machine.now().saturating_add(poll);
        Self {
            machine,
            layout,
            breakpoints: Vec::new(),
            watched: Vec::new(),
            way: Way::Continue,
            ended: None,
            image,
            held: None,
            pending: None,
            begun: None,
            limit,
            poll,
            next_poll,
            rtt,
            output: OutputForwarder::default(),
            sink,
        }
    }

    /// Returns the bytes of a register for the debugger.
    pub(super) fn read(&self, register: Source) -> Vec<u8> {
        match self.held {
            Some(pc) if register.is_pc() => pc.to_le_bytes().to_vec(),
            _ => register.read(self.machine),
        }
    }

    /// Writes a register; `false` where it cannot be written.
    pub(super) fn write(&mut self, register: Source, bytes: &[u8]) -> bool {
        if register.is_pc() {
            self.held = None;
        }
        register.write(self.machine, bytes)
    }

    /// Goes on as asked, from here.
    pub(super) fn go(&mut self, way: Way) {
        self.way = way;
        self.ended = None;
        let pc = self.machine.pc().get();
        self.begun = Some(pc);
        // The instruction shown as still to come is done: a step over it, or up to a breakpoint behind it, takes no time.
        self.pending = self.held.take().and_then(|_| match way {
            Way::Step => Some(Halt::Stepped),
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
        match self.way {
            Way::Step => self.step(),
            Way::Continue if self.watched.is_empty() => {
                let until = self.machine.now().saturating_add(SLICE);
                self.advance(until)
            }
            Way::Continue => (0..LOOKS).find_map(|_| {
                let pc = self.machine.pc().get();
                let halt = self.look();
                // gdb takes AVR's watchpoints to stop behind the access, Arm's and RISC-V's before it: there it steps once by
                // itself, with no watchpoint set, before it looks at what is watched.
                let before = self.machine.cortex_m().is_some() || self.machine.riscv().is_some();
                self.held = Some(pc).filter(|_| before && matches!(halt, Some(Halt::Touched(_))));
                halt
            }),
        }
    }

    /// Returns the place and the reason of the stop, in words.
    pub(super) fn why(&self) -> String {
        let now = self.machine.now();
        match self.ended {
            Some(stop) => explain(stop, self.image, now),
            None => format!("at cycle {}, {}", now.grouped(), place(self.image, self.machine.pc())),
        }
    }

    /// Returns the lines of its backtrace.
    pub(super) fn backtrace(&self) -> Vec<String> {
        Backtrace::of(self.machine, self.image).lines()
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

    /// One instruction, or the way into an exception's handler. Sleep is slept through a slice at a time.
    fn step(&mut self) -> Option<Halt> {
        let (pc, retired) = (self.machine.pc(), self.machine.instructions());
        let mut ahead = 1;
        while ahead <= SLICE.get() {
            let halt = self.advance(self.machine.now().saturating_add(Cycles::new(ahead)));
            if halt.is_some() {
                return halt;
            }
            if (self.machine.pc(), self.machine.instructions()) != (pc, retired) {
                return Some(Halt::Stepped);
            }
            ahead *= 2;
        }
        None
    }

    /// One instruction, and whether it touched what is watched.
    fn look(&mut self) -> Option<Halt> {
        let touch = self.machine.touches();
        let retired = self.machine.instructions();
        // Where it sleeps there is nothing to look at.
        let mut ahead = 1;
        while self.machine.instructions() == retired && ahead <= SLICE.get() {
            let halt = self.advance(self.machine.now().saturating_add(Cycles::new(ahead)));
            if halt.is_some() {
                return halt;
            }
            if ahead == 1 && self.machine.instructions() != retired {
                let touch = touch?;
                let hit = |watched: &&Watched| {
                    let kind = match watched.kind {
                        WatchKind::Write => touch.writes,
                        WatchKind::Read => touch.reads,
                        WatchKind::ReadWrite => true,
                    };
                    kind && touch.overlaps(Address::new(watched.address), watched.bytes)
                };
                return self.watched.iter().find(hit).map(|watched| Halt::Touched(*watched));
            }
            ahead *= 2;
        }
        None
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
            let begun = self.begun.take();
            match stop {
                // It stood there already when it was told to go on.
                Stop::Watch(address) if begun == Some(address.get()) => {}
                Stop::Watch(_) => return Some(Halt::Breakpoint),
                stop if ended => return Some(Halt::Stopped(stop)),
                _ if now >= self.limit => return Some(Halt::Stopped(Stop::Horizon)),
                _ if now >= until => return None,
                _ => {}
            }
        }
    }

    fn drain(&mut self) {
        let Some(rtt) = self.rtt else { return };
        // The console and memory are apart in every machine, but the trait lends one at a time.
        let mut console = std::mem::replace(&mut self.machine.shared().console, Console::new(0));
        rtt.drain(self.machine.memory(), &mut console);
        self.machine.shared().console = console;
    }
}
