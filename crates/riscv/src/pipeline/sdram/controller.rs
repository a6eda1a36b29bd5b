//! LiteDRAM's controller with one port, cycle by cycle: bank machines, the multiplexer that chooses among them, and the refresher.
//!
//! Names are those of LiteDRAM's sources (`core/{bankmachine,multiplexer,refresher}.py`). One port with one burst on its way cannot
//! bring what they do beyond this: two rows in a bank machine's buffers, which would precharge by itself, and reads beside writes, which
//! would starve each other.

use super::{Part, Sdram};

const BANKS: usize = 4;

/// A time between two commands (`tXXDController`): it counts down behind the first one, and from a reset on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spacing {
    /// The cycles of the time.
    cycles: u32,
    count: u32,
    ready: bool,
}

impl Spacing {
    const fn new(cycles: u32) -> Self {
        Self { cycles, count: 0, ready: false }
    }

    /// Ends a cycle in which the first command was `given` or not. The counter has just the bits that it needs.
    const fn end(&mut self, given: bool) {
        if given {
            self.count = self.cycles - 1;
            self.ready = self.count == 0;
        } else if !self.ready {
            let most = if self.cycles > 2 { self.cycles } else { 2 };
            let mask = most.next_power_of_two() - 1;
            self.ready = self.count == 1;
            self.count = self.count.wrapping_sub(1) & mask;
        }
    }
}

/// The states of a bank machine; the number is that of cycles left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BankState {
    Regular,
    Precharge,
    Precharged(u32),
    Activate,
    Activated(u32),
    Refresh,
}

/// A word's access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Access {
    row: u32,
    write: bool,
}

/// The kind of a command that a bank machine offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Activate,
    Precharge,
    Read,
    Write,
}

/// A bank machine: the accesses that wait in its FIFO and the one before the memory, and its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bank {
    state: BankState,
    /// Those in the FIFO are all alike: words of one line.
    waits: Option<(Access, u32)>,
    access: Option<Access>,
    row: Option<u32>,
    /// From a write to a precharge, from an activation to the next, and to a precharge.
    write_to_precharge: Spacing,
    activations: Spacing,
    activation_to_precharge: Spacing,
}

impl Bank {
    fn offers(&self, refreshes: bool) -> Option<Command> {
        match self.state {
            BankState::Regular if !refreshes => {
                let access = self.access.filter(|access| self.row == Some(access.row))?;
                Some(if access.write { Command::Write } else { Command::Read })
            }
            BankState::Precharge if self.write_to_precharge.ready && self.activation_to_precharge.ready => {
                Some(Command::Precharge)
            }
            BankState::Activate if self.activations.ready => Some(Command::Activate),
            _ => None,
        }
    }

    /// Ends a cycle in which the memory took the command that it offered, or not, and in which an access was `added`.
    fn end(
        &mut self,
        taken: Option<Command>,
        offered: Option<Command>,
        refreshes: bool,
        added: Option<Access>,
        part: &Part,
    ) {
        let (state, access) = (self.state, self.access);
        let closes = matches!(state, BankState::Precharge | BankState::Refresh);
        let opens = offered == Some(Command::Activate);
        self.state = match state {
            BankState::Regular if refreshes => BankState::Refresh,
            BankState::Regular => match (access, self.row) {
                (Some(access), Some(row)) if row != access.row => BankState::Precharge,
                (Some(_), None) => BankState::Activate,
                _ => state,
            },
            BankState::Precharge if taken.is_some() => {
                delayed(part.precharge, BankState::Precharged, BankState::Activate)
            }
            BankState::Activate if taken.is_some() => delayed(part.activate, BankState::Activated, BankState::Regular),
            BankState::Precharged(left) => delayed(left, BankState::Precharged, BankState::Activate),
            BankState::Activated(left) => delayed(left, BankState::Activated, BankState::Regular),
            BankState::Refresh if !refreshes => BankState::Regular,
            _ => state,
        };
        if closes {
            self.row = None;
        } else if opens {
            self.row = access.map(|access| access.row);
        }
        self.write_to_precharge.end(taken == Some(Command::Write));
        self.activations.end(taken == Some(Command::Activate));
        self.activation_to_precharge.end(taken == Some(Command::Activate));
        // The buffers: what was in the FIFO moves on if there is room.
        if access.is_none() || matches!(taken, Some(Command::Read | Command::Write)) {
            self.access = self.waits.map(|(waits, _)| waits);
            self.waits = self.waits.map(|(waits, count)| (waits, count - 1)).filter(|(_, count)| *count > 0);
        }
        if let Some(added) = added {
            self.waits = Some((added, self.waits.map_or(1, |(_, count)| count + 1)));
        }
    }

    /// Tells whether nothing is under way.
    fn is_quiet(&self) -> bool {
        let spacings = [self.write_to_precharge, self.activations, self.activation_to_precharge];
        self.state == BankState::Regular
            && self.waits.is_none()
            && self.access.is_none()
            && spacings.iter().all(|spacing| spacing.ready)
    }
}

/// The state of a wait (`delayed_enter`) of `cycles` before which one has passed: `target` behind the last one.
fn delayed(cycles: u32, wait: fn(u32) -> BankState, target: BankState) -> BankState {
    if cycles > 1 { wait(cycles - 1) } else { target }
}

/// The states of the multiplexer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Read,
    Write,
    Refresh,
    ToRead,
    /// With the cycles left.
    ToWrite(u32),
}

/// The states of the refresher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refresher {
    Idle,
    /// It waits for the bank machines.
    Waits,
    /// It refreshes, for so many cycles yet.
    Refreshes(u32),
}

/// The state of the controller at the beginning of a cycle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Controller {
    banks: [Bank; BANKS],
    mode: Mode,
    /// The bank that has the multiplexer.
    grant: usize,
    between_columns: Spacing,
    between_activations: Spacing,
    write_to_read: Spacing,
    /// Cycles until the refresh timer ends, and whether it has ended in the cycle before.
    timer: u32,
    wants_refresh: bool,
    refresher: Refresher,
}

impl Controller {
    pub fn new(sdram: &Sdram) -> Self {
        let part = &sdram.part;
        let bank = Bank {
            state: BankState::Regular,
            waits: None,
            access: None,
            row: None,
            write_to_precharge: Spacing::new(part.write_latency() + part.write_recovery + part.column),
            activations: Spacing::new(part.row_cycle),
            activation_to_precharge: Spacing::new(part.row_active),
        };
        Self {
            banks: [bank; BANKS],
            mode: Mode::Read,
            grant: 0,
            between_columns: Spacing::new(part.column),
            between_activations: Spacing::new(part.row_to_row),
            write_to_read: Spacing::new(part.write_to_read + part.write_latency() + part.column),
            timer: part.refresh_interval - 1,
            wants_refresh: false,
            refresher: Refresher::Idle,
        }
    }

    /// Tells whether the port may address `bank` in this cycle: it has nothing to do with another one.
    pub fn accepts(&self, bank: usize) -> bool {
        let locked = |bank: &Bank| bank.waits.is_some() || bank.access.is_some();
        !self.banks.iter().enumerate().any(|(other, state)| other != bank && locked(state))
    }

    /// Passes a cycle in which the port adds an access to a row of a bank, or none. Returns whether a read, and whether a write, was
    /// given to the memory.
    #[inline]
    pub fn step(&mut self, added: Option<(usize, u32, bool)>, part: &Part) -> [bool; 2] {
        if added.is_none() && self.timer > 0 && self.is_quiet() {
            self.timer -= 1;
            return [false; 2];
        }
        self.work(added, part)
    }

    fn work(&mut self, added: Option<(usize, u32, bool)>, part: &Part) -> [bool; 2] {
        let refreshes = match self.refresher {
            Refresher::Idle | Refresher::Refreshes(0) => false,
            Refresher::Waits | Refresher::Refreshes(_) => true,
        };
        let offered = self.banks.map(|bank| bank.offers(refreshes));
        let activates = self.between_activations.ready;
        // Of commands all but activations are always wanted, of accesses those of the mode.
        let valid = offered.map(|command| match command {
            None => false,
            Some(Command::Precharge) => true,
            Some(Command::Activate) => activates || !matches!(self.mode, Mode::Read | Mode::Write),
            Some(Command::Read) => self.mode == Mode::Read,
            Some(Command::Write) => self.mode == Mode::Write,
        });
        let chosen = offered[self.grant].filter(|_| valid[self.grant]);
        let works = matches!(self.mode, Mode::Read | Mode::Write);
        let ready = works && self.between_columns.ready && (chosen != Some(Command::Activate) || activates);
        let taken = chosen.filter(|_| ready);

        // The multiplexer.
        let available = |kind: Command| offered.contains(&Some(kind));
        let goes_to_refresh =
            self.banks.iter().all(|bank| bank.state == BankState::Refresh && bank.write_to_precharge.ready);
        let last = self.refresher == Refresher::Refreshes(0);
        let mode = self.mode;
        self.mode = match mode {
            Mode::Read | Mode::Write if goes_to_refresh => Mode::Refresh,
            Mode::Read if available(Command::Write) && !available(Command::Read) => {
                Mode::ToWrite(part.read_latency - 1)
            }
            Mode::Write if available(Command::Read) && !available(Command::Write) => Mode::ToRead,
            Mode::Refresh if last => Mode::Read,
            Mode::ToRead if self.write_to_read.ready => Mode::Read,
            Mode::ToWrite(left) if left > 1 => Mode::ToWrite(left - 1),
            Mode::ToWrite(_) => Mode::Write,
            _ => mode,
        };
        let grant = self.grant;
        if ready || chosen.is_none() {
            let next = (1..BANKS).map(|step| (grant + step) % BANKS).find(|bank| valid[*bank]);
            self.grant = next.unwrap_or(grant);
        }
        self.between_columns.end(matches!(taken, Some(Command::Read | Command::Write)));
        self.between_activations.end(taken == Some(Command::Activate));
        self.write_to_read.end(taken == Some(Command::Write));
        for (index, bank) in self.banks.iter_mut().enumerate() {
            let added = added.filter(|(at, ..)| *at == index).map(|(_, row, write)| Access { row, write });
            bank.end(taken.filter(|_| index == grant), offered[index], refreshes, added, part);
        }

        // The refresher.
        self.refresher = match self.refresher {
            Refresher::Idle if self.wants_refresh => Refresher::Waits,
            Refresher::Waits if mode == Mode::Refresh => Refresher::Refreshes(part.precharge + part.refresh),
            Refresher::Refreshes(0) => Refresher::Idle,
            Refresher::Refreshes(left) => Refresher::Refreshes(left - 1),
            state => state,
        };
        self.wants_refresh = self.timer == 0;
        self.timer = if self.timer == 0 { part.refresh_interval - 1 } else { self.timer - 1 };
        [taken == Some(Command::Read), taken == Some(Command::Write)]
    }

    /// Tells whether nothing is under way but the refresh timer.
    fn is_quiet(&self) -> bool {
        let spacings = [self.between_columns, self.between_activations, self.write_to_read];
        self.refresher == Refresher::Idle
            && !self.wants_refresh
            && matches!(self.mode, Mode::Read | Mode::Write)
            && spacings.iter().all(|spacing| spacing.ready)
            && self.banks.iter().all(Bank::is_quiet)
    }

    /// Passes `cycles` in which the port adds nothing. Behind the first refresh they repeat themselves.
    pub fn pass(&mut self, cycles: u64, part: &Part) {
        let interval = u64::from(part.refresh_interval);
        let different = if cycles > 3 * interval { 2 * interval + cycles % interval } else { cycles };
        for _ in 0..different {
            self.step(None, part);
        }
    }
}
