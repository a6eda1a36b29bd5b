//! The Wishbone bus of a system that LiteX builds, cycle by cycle: which of the core's two masters is acknowledged.
//!
//! Both masters share one bus (LiteX's `InterconnectShared`). The arbiter holds the grant in a register and moves it only while the
//! master that has it makes no request, so that a master keeps the bus for a burst, and beyond it until the other one asks. Slaves
//! acknowledge for one cycle and then look at the bus again: in a burst each word takes as long as a single one (`bus_bursting` is
//! off, so that slaves do not look at CTI). An acknowledgement depends on registers alone, not on what the masters present in its
//! cycle. Where no slave is, the bus acknowledges by itself after a time and counts an error; the core's ERR inputs stay low.
//!
//! A request is CYC with STB: VexRiscv raises and lowers both together.

use cyclescope_machine::TimingRow;

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
    /// The row of the cycles from a request, while its master has the grant, to the acknowledgement: 1 or more.
    pub row: usize,
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
}

/// The state of a bus at the beginning of a cycle.
#[derive(Clone, Debug)]
pub struct SharedBus {
    wishbone: &'static Wishbone,
    /// The master that has the grant: 0 for instructions, 1 for data.
    grant: usize,
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
            && (self.grant, self.left, self.patience) == (other.grant, other.left, other.patience)
    }
}

impl SharedBus {
    /// The bus after a reset.
    ///
    /// # Panics
    /// If there are more than eight slaves, or if the row of one is not from 1 to 255 cycles.
    pub fn new(wishbone: &'static Wishbone) -> Self {
        assert!(wishbone.regions.len() <= MOST, "a bus has at most {MOST} slaves");
        let takes = |region: &Region| (1..=255).contains(&wishbone.cycles(region.row));
        assert!(wishbone.regions.iter().all(takes), "a slave acknowledges after 1 to 255 cycles");
        let timeout = wishbone.cycles(wishbone.timeout);
        Self { wishbone, grant: 0, left: [0; MOST], patience: timeout, timeout }
    }

    /// Tells which masters, instructions and data, are acknowledged in this cycle.
    #[inline]
    pub fn acknowledged(&self) -> [bool; 2] {
        let any = self.patience == 0 || self.left.contains(&1);
        [any && self.grant == 0, any && self.grant == 1]
    }

    /// Tells whether a slave answers at `address`.
    pub(super) fn has_slave(&self, address: u32) -> bool {
        self.wishbone.slave(address).is_some()
    }

    /// Tells whether a request for data at `address` is carried out in this cycle, which is the one before its acknowledgement; where
    /// no slave is, whether it has the grant.
    pub(super) fn carries_out(&self, address: u32) -> bool {
        self.grant == 1
            && self.wishbone.slave(address).is_none_or(|slave| {
                let takes = self.wishbone.cycles(self.wishbone.regions[slave].row);
                self.left[slave] == if takes == 1 { 0 } else { 2 }
            })
    }

    /// Passes a cycle in which the masters request the address of an instruction and of data, the latter with whether it is written.
    /// Returns which of them are acknowledged in it.
    #[inline]
    pub fn step(&mut self, fetch: Option<u32>, data: Option<(u32, bool)>) -> [bool; 2] {
        let timeout = self.timeout;
        if fetch.is_none() && data.is_none() && self.left == [0; MOST] && self.patience == timeout {
            return [false; 2];
        }
        let acknowledged = self.acknowledged();
        let requests = [fetch, data.map(|(address, _)| address)];
        let request = requests[self.grant];
        let waiting = self.left;
        self.left = waiting.map(|left| left.saturating_sub(1));
        if let Some(slave) = request.and_then(|address| self.wishbone.slave(address))
            && waiting[slave] == 0
        {
            self.left[slave] = self.wishbone.cycles(self.wishbone.regions[slave].row) as u8;
        }
        self.patience = if request.is_some() && acknowledged == [false; 2] { self.patience - 1 } else { timeout };
        if request.is_none() && requests[1 - self.grant].is_some() {
            self.grant = 1 - self.grant;
        }
        acknowledged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::litex;

    static BUS: Wishbone = litex::wishbone(&[
        Region { name: "rom", base: 0, bytes: 0x1000, row: litex::MEMORY },
        Region { name: "csr", base: 0xF000_0000, bytes: 0x1_0000, row: litex::REGISTERS },
    ]);

    /// The acknowledgements of a master that holds its request until it comes, and of the other.
    fn run(cycles: usize, mut request: impl FnMut(usize) -> (Option<u32>, Option<u32>)) -> Vec<[bool; 2]> {
        let mut bus = SharedBus::new(&BUS);
        let mut step = |cycle| {
            let (fetch, data) = request(cycle);
            bus.step(fetch, data.map(|address| (address, false)))
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
