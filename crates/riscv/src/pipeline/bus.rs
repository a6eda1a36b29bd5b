//! The Wishbone bus of a system that LiteX builds, cycle by cycle: which of the core's two masters is acknowledged.
//!
//! Both masters share one bus (LiteX's `InterconnectShared`). The arbiter holds the grant in a register and moves it only while the
//! master that has it makes no request, so that a master keeps the bus for a burst, and beyond it until the other one asks. Slaves
//! acknowledge for one cycle and then look at the bus again: in a burst each word takes as long as a single one. Memories that were
//! built with `bus_bursting` do not pause so while a master's CTI says that the burst goes on. An acknowledgement depends on registers
//! alone, not on what the masters present in its cycle. Where no slave is, the bus acknowledges by itself after a time and counts an
//! error; the core's ERR inputs stay low.
//!
//! A request is CYC with STB: VexRiscv raises and lowers both together.

use cyclescope_machine::TimingRow;

use super::sdram::{Sdram, State};

/// The most slaves of a bus.
const MOST: usize = 8;

/// The addresses of a slave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The slave's name.
    pub name: &'static str,
    /// Its first address, a multiple of `bytes`.
    pub base: u32,
    /// The number of its addresses, a power of two.
    pub bytes: u32,
    /// The slave.
    pub slave: Slave,
}

/// The way in which a slave acknowledges.
#[derive(Clone, Copy, Debug)]
pub enum Slave {
    /// As many cycles, 1 or more, after a request, while its master has the grant, as this row says.
    Fixed(usize),
    /// The same, and each further word of a burst in the next cycle (wishbone.SRAM with `bus_bursting`). The row says 1.
    Bursting(usize),
    /// An SDRAM behind a cache; a bus has one at most.
    Sdram(&'static Sdram),
}

impl PartialEq for Slave {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Fixed(row), Self::Fixed(other)) | (Self::Bursting(row), Self::Bursting(other)) => row == other,
            (Self::Sdram(sdram), Self::Sdram(other)) => std::ptr::eq(*sdram, *other),
            _ => false,
        }
    }
}

impl Eq for Slave {}

/// The request of a master.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The address of a word.
    pub address: u32,
    /// It writes.
    pub write: bool,
    /// The burst goes on at the next address: CTI 2.
    pub continues: bool,
}

impl Region {
    const fn has(&self, address: u32) -> bool {
        address & !(self.bytes - 1) == self.base
    }
}

/// The bus of one system.
#[derive(Debug)]
pub struct Wishbone {
    /// Every row.
    pub rows: &'static [TimingRow],
    /// The slaves, at most eight, which do not overlap.
    pub regions: &'static [Region],
    /// The row of the cycles from a request, where no slave is, to the acknowledgement.
    pub timeout: usize,
}

impl Wishbone {
    /// Returns the index of the slave at `address`.
    pub fn slave(&self, address: u32) -> Option<usize> {
        self.regions.iter().position(|region| region.has(address))
    }

    fn cycles(&self, row: usize) -> u32 {
        self.rows[row].cycles
    }

    /// The SDRAM, and its region.
    fn sdram(&self) -> Option<(&'static Sdram, &'static Region)> {
        self.regions.iter().find_map(|region| match region.slave {
            Slave::Sdram(sdram) => Some((sdram, region)),
            Slave::Fixed(_) | Slave::Bursting(_) => None,
        })
    }
}

/// The state of a bus at the beginning of a cycle.
#[derive(Clone, Debug)]
pub struct SharedBus {
    wishbone: &'static Wishbone,
    /// The master that has the grant: 0 for instructions, 1 for data.
    grant: usize,
    /// The SDRAM with its cache.
    sdram: Option<Box<State>>,
    /// The cycles that each slave needs yet: 1 in the cycle in which it acknowledges, 0 while it waits for a request.
    left: [u8; MOST],
    /// The cycles until the bus acknowledges a request that no slave does; 0 in the cycle in which it does.
    patience: u32,
    /// Those from the request on.
    timeout: u32,
}

impl PartialEq for SharedBus {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.wishbone, other.wishbone)
            && (self.grant, self.left, self.patience, &self.sdram)
                == (other.grant, other.left, other.patience, &other.sdram)
    }
}

impl SharedBus {
    /// The bus after a reset.
    ///
    /// # Panics
    /// If there are more than eight slaves, or if the row of one is not from 1 to 255 cycles, or 1 where it bursts.
    pub fn new(wishbone: &'static Wishbone) -> Self {
        assert!(wishbone.regions.len() <= MOST, "a bus has at most {MOST} slaves");
        let takes = |region: &Region| match region.slave {
            Slave::Fixed(row) => (1..=255).contains(&wishbone.cycles(row)),
            Slave::Bursting(row) => wishbone.cycles(row) == 1,
            Slave::Sdram(_) => true,
        };
        assert!(wishbone.regions.iter().all(takes), "a slave acknowledges after 1 to 255 cycles");
        let timeout = wishbone.cycles(wishbone.timeout);
        let sdram = wishbone.sdram().map(|(sdram, _)| Box::new(State::new(sdram)));
        Self { wishbone, grant: 0, sdram, left: [0; MOST], patience: timeout, timeout }
    }

    /// Tells which masters, instructions and data, are acknowledged in this cycle.
    #[inline]
    pub fn acknowledged(&self) -> [bool; 2] {
        let any = self.patience == 0
            || self.left.contains(&1)
            || self.sdram.as_ref().is_some_and(|sdram| sdram.acknowledges());
        [any && self.grant == 0, any && self.grant == 1]
    }

    /// Tells whether it has SDRAM, which refreshes itself.
    pub(super) const fn has_sdram(&self) -> bool {
        self.sdram.is_some()
    }

    /// The first address and the bytes of the slave at `address`.
    pub(super) fn slave(&self, address: u32) -> Option<(u32, u32)> {
        let region = &self.wishbone.regions[self.wishbone.slave(address)?];
        Some((region.base, region.bytes))
    }

    /// Tells whether a slave answers at `address`.
    pub(super) fn has_slave(&self, address: u32) -> bool {
        self.wishbone.slave(address).is_some()
    }

    /// Tells whether a request for data at `address` is carried out in this cycle, which is the one before its acknowledgement; where
    /// no slave is, whether it has the grant. SDRAM carries out what its cache acknowledges.
    pub(super) fn carries_out(&self, address: u32) -> bool {
        let left = |slave: usize, row| {
            let takes = self.wishbone.cycles(row);
            self.left[slave] == if takes == 1 { 0 } else { 2 }
        };
        self.grant == 1
            && self.wishbone.slave(address).is_none_or(|slave| match self.wishbone.regions[slave].slave {
                Slave::Fixed(row) | Slave::Bursting(row) => left(slave, row),
                Slave::Sdram(_) => self.sdram.as_ref().is_some_and(|sdram| sdram.acknowledges()),
            })
    }

    /// Passes a cycle in which the masters request a word of instructions and of data. Returns which of them are acknowledged in it.
    #[inline]
    pub fn step(&mut self, fetch: Option<Request>, data: Option<Request>) -> [bool; 2] {
        let timeout = self.timeout;
        if fetch.is_none() && data.is_none() && self.left == [0; MOST] && self.patience == timeout {
            self.step_sdram(None);
            return [false; 2];
        }
        let acknowledged = self.acknowledged();
        let requests = [fetch, data];
        let request = requests[self.grant];
        let waiting = self.left;
        self.left = waiting.map(|left| left.saturating_sub(1));
        self.patience = if request.is_some() && acknowledged == [false; 2] { self.patience - 1 } else { timeout };
        let mut sdram = None;
        if let Some(asked) = request
            && let Some(slave) = self.wishbone.slave(asked.address)
        {
            match self.wishbone.regions[slave].slave {
                Slave::Fixed(row) if waiting[slave] == 0 => self.left[slave] = self.wishbone.cycles(row) as u8,
                Slave::Bursting(_) if waiting[slave] == 0 || asked.continues => self.left[slave] = 1,
                Slave::Fixed(_) | Slave::Bursting(_) => {}
                Slave::Sdram(_) => {
                    sdram = Some((asked.address - self.wishbone.regions[slave].base, asked.write));
                }
            }
        }
        self.step_sdram(sdram);
        if request.is_none() && requests[1 - self.grant].is_some() {
            self.grant = 1 - self.grant;
        }
        acknowledged
    }

    #[inline]
    fn step_sdram(&mut self, request: Option<(u32, bool)>) {
        if let Some(sdram) = &mut self.sdram {
            sdram.step(request);
        }
    }

    /// Passes `cycles` in which the masters repeat what they did before, which changes nothing but when the SDRAM refreshes.
    pub(super) fn pass(&mut self, cycles: u64) {
        if let Some(sdram) = &mut self.sdram {
            sdram.pass(cycles);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::litex;

    static BUS: Wishbone = litex::wishbone(&[
        Region { name: "rom", base: 0, bytes: 0x1000, slave: Slave::Fixed(litex::MEMORY) },
        Region { name: "csr", base: 0xF000_0000, bytes: 0x1_0000, slave: Slave::Fixed(litex::REGISTERS) },
    ]);

    fn single(address: u32) -> Request {
        Request { address, write: false, continues: false }
    }

    /// The acknowledgements of a master that holds its request until it comes, and of the other.
    fn run(cycles: usize, mut request: impl FnMut(usize) -> (Option<u32>, Option<u32>)) -> Vec<[bool; 2]> {
        let mut bus = SharedBus::new(&BUS);
        let mut step = |cycle| {
            let (fetch, data) = request(cycle);
            let [fetch, data] = [fetch, data].map(|address| address.map(single));
            bus.step(fetch, data)
        };
        (0..cycles).map(&mut step).collect()
    }

    fn cycles_of(acknowledged: &[[bool; 2]], master: usize) -> Vec<usize> {
        (0..acknowledged.len()).filter(|cycle| acknowledged[*cycle][master]).collect()
    }

    #[test]
    fn a_burst_takes_two_cycles_a_word_and_keeps_the_other_master_waiting() {
        // Eight words of instructions, and a load that asks in their first cycle.
        let all = run(24, |cycle| {
            let data = (cycle < 19).then_some(0x40);
            ((cycle < 16).then_some(cycle as u32 / 2 * 4), data)
        });
        assert_eq!(cycles_of(&all, 0), [1, 3, 5, 7, 9, 11, 13, 15]);
        // The grant moves in cycle 16, in which nothing is fetched.
        assert_eq!(cycles_of(&all, 1), [18]);
    }

    #[test]
    fn a_memory_with_bursts_gives_each_further_word_in_the_next_cycle() {
        static BURSTING: Wishbone =
            litex::wishbone(&[Region { name: "rom", base: 0, bytes: 0x1000, slave: Slave::Bursting(litex::MEMORY) }]);
        let mut bus = SharedBus::new(&BURSTING);
        let mut at = Vec::new();
        let mut word = 0;
        for cycle in 0..30 {
            // A line of eight words, then single accesses, of which each is the end of a burst.
            let fetch = Request { address: 4 * word, write: false, continues: word < 7 };
            if bus.step(Some(fetch), None)[0] {
                at.push(cycle);
                word += 1;
            }
        }
        assert_eq!(at[..11], [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14]);
    }

    #[test]
    fn the_grant_stays_where_it_was() {
        let all = run(12, |cycle| (None, matches!(cycle, 0..=2 | 6..=7).then_some(0xF000_0000)));
        assert_eq!(cycles_of(&all, 1), [2, 7], "one cycle for the grant the first time");
        let rows = BUS.rows;
        let first = rows[litex::GRANT].cycles + rows[litex::REGISTERS].cycles;
        assert_eq!((first, rows[litex::REGISTERS].cycles), (2, 1));
    }

    #[test]
    fn nothing_answers_where_no_slave_is_but_the_bus() {
        let timeout = BUS.rows[BUS.timeout].cycles as usize;
        let all = run(timeout + 4, |cycle| ((cycle <= timeout).then_some(0x2000), None));
        assert_eq!(cycles_of(&all, 0), [timeout]);
        assert_eq!(timeout, 1_000_000);
    }
}
