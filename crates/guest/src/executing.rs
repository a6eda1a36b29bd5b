//! The request and the outcome of `exec`.

use std::net::TcpListener;

use cyclescope_chips::Machine;
use cyclescope_image::Image;
use cyclescope_machine::units::{Address, Cycles, Instructions, Picoseconds};
use cyclescope_machine::{Channel, FaultReport, Gap, Spin, StackOverrun, Stop, Wait};
use cyclescope_scope::{DeskEnd, Event, OutputSink, PostMortem, Rule, Time};

use crate::Guest;

/// A guest to run.
#[derive(Clone, Copy, Debug)]
pub struct ExecRequest<'a> {
    /// The image and its chip.
    pub guest: Guest<'a>,
    /// The run ends at this cycle.
    pub max_cycles: Cycles,
    /// The run ends at this time after reset if that comes before.
    pub window: Option<Time>,
    /// The run ends when this event happens.
    pub until: Option<&'a Event>,
    /// The run has an end of its own besides `window` and `until`, so that silence after the end of the input is none.
    pub ends: bool,
    /// The stimuli.
    pub rules: &'a [Rule],
    /// Serial ports that the part must have.
    pub ports: &'a [Channel],
    /// The debugger, if one is to control the guest from the first instruction on.
    pub debugger: Option<Debugger<'a>>,
    /// The command line that the guest reads by semihosting.
    pub command_line: Option<&'a str>,
}

/// A socket that a debugger connects to, and the server of its commands.
#[derive(Clone, Copy, Debug)]
pub struct Debugger<'a> {
    /// The socket.
    pub listener: &'a TcpListener,
    /// The server.
    pub serve: Serve,
}

/// Runs a machine with its image under a debugger, at most up to the first cycle and with a poll of RTT every so many of the second.
/// Returns the end, and the way in which the debugger left, if that was before.
pub type Serve =
    fn(&mut Machine, &Image, (Cycles, Cycles), &TcpListener, &mut OutputSink<'_>) -> (DeskEnd, Option<Parting>);

/// The way in which a debugger left before the end of the guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parting {
    /// It ended the guest.
    Killed,
    /// It vanished, or said what cannot be understood.
    Lost(String),
}

/// The end of a guest's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecOutcome {
    /// The reason for the end in general.
    pub end: DeskEnd,
    /// Why it ended; [`Stop::Horizon`] if the guest did not end it.
    pub stop: Stop,
    /// The core that stopped, of a part with several.
    pub core: Option<usize>,
    /// The address of the instruction that would have been next on it.
    pub pc: Address,
    /// The latest fault that the guest's own handler was given.
    pub handled_fault: Option<FaultReport>,
    /// The first time that the stack ran into the program's variables, if the part's model notices.
    pub stack_overrun: Option<StackOverrun>,
    /// When.
    pub cycles: Cycles,
    /// After how many instructions.
    pub instructions: Instructions,
    /// After this simulated time.
    pub time: Picoseconds,
    /// The part's name.
    pub part: String,
    /// The functions that the guest used and the model lacks.
    pub gaps: Vec<Gap>,
    /// The way in which its debugger left, if that was before the end.
    pub debugger: Option<Parting>,
    /// The machine's state with the reasons for its stop, if anything went wrong and no debugger has looked.
    pub post_mortem: Option<PostMortem>,
    /// The register that the guest polls, if it spins.
    pub wait: Option<Wait>,
    /// The loop that the guest was in at the end of its window, if nothing could end it.
    pub spins: Option<Spin>,
}
