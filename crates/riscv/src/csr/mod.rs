//! Control and status registers: which a core has, as rows; what they hold.

mod refusal;
mod rows;

pub use refusal::{CsrAccess, Reason, Refusal, standard_name};
pub use rows::{IBEX, PICORV32, PLAIN, TM, VEXRISCV};

/// The kind of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The manual's names.
pub enum Register {
    Mstatus,
    /// The extensions that the core was built with.
    Misa,
    Mie,
    Mip,
    Mtvec,
    Mscratch,
    Mepc,
    Mcause,
    /// Ibex's mcause: five bits of cause, and two bits that say interrupt and internal interrupt.
    IbexMcause,
    Mtval,
    Mcounteren,
    Mcountinhibit,
    Mhartid,
    /// mcycle and cycle.
    Cycle,
    CycleHigh,
    /// minstret and instret.
    Instret,
    InstretHigh,
    /// time: the part's machine timer. Where it has none, neither of them is there.
    Time,
    TimeHigh,
    PmpConfiguration(u8),
    PmpAddress(u8),
    /// mseccfg and mseccfgh. Without Smepmp neither of them is there.
    Security,
    /// Ibex's cpuctrlsts: sync_exc_seen and double_fault_seen.
    CpuControl,
    /// VexRiscv's mask of its external interrupt array.
    ArrayMask,
    /// The lines of the array that are high and that the mask lets through.
    ArrayPending,
    /// Reads as this; writes do nothing.
    Constant(u32),
    /// Keeps the value written. Its effect is not modelled: a write of another value than the reset value is a model gap.
    Unmodelled,
}

/// One register, or a row of them with numbers one after the other that are alike.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its number.
    pub number: u16,
    /// The number of such registers.
    pub count: u16,
    /// Its name, as the manual prints it.
    pub name: &'static str,
    /// Its kind.
    pub register: Register,
    /// The bits that software can change.
    pub writable: u32,
    /// Its value after a reset, for the kinds that use it.
    pub reset: u32,
}

impl Row {
    /// Tells whether `number` is one of the row's.
    pub const fn is(&self, number: u16) -> bool {
        number >= self.number && number - self.number < self.count
    }

    /// Its registers that a debugger shows, by number, as they are called: all but rows of those that always read as 0.
    pub fn shown(&self) -> impl Iterator<Item = (u16, String)> + '_ {
        let alone = self.count == 1;
        let shown = if alone || !matches!(self.register, Register::Constant(_)) { self.count } else { 0 };
        let name = move |index| if alone { self.name.to_owned() } else { format!("{}{index}", self.name) };
        (0..shown).map(move |index| (self.number + index, name(index)))
    }
}

/// The register with `number` among `rows`.
pub fn find(rows: &[Row], number: u16) -> Option<(usize, &Row)> {
    rows.iter().enumerate().find(|(_, row)| row.is(number))
}

/// mstatus.MIE.
pub const MIE: u32 = 1 << 3;
/// mstatus.MPIE.
pub const MPIE: u32 = 1 << 7;
/// The place of mstatus.MPP.
pub const MPP: u32 = 11;
/// mstatus.MPRV.
pub const MPRV: u32 = 1 << 17;
/// mstatus.TW.
pub const TW: u32 = 1 << 21;

/// A counter of 64 bits that follows another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// The difference to the counter that it follows; while stopped, its own value.
    value: u64,
    stopped: bool,
}

impl Counter {
    /// Returns its value while the counter that it follows is at `at`.
    pub const fn read(&self, at: u64) -> u64 {
        if self.stopped { self.value } else { self.value.wrapping_add(at) }
    }

    /// Sets its value to `value` while the counter that it follows is at `at`.
    pub fn write(&mut self, at: u64, value: u64) {
        self.value = if self.stopped { value } else { value.wrapping_sub(at) };
    }

    /// Counts one that what it follows does not, or takes back one that it does.
    pub fn adjust(&mut self, by: i64) {
        if !self.stopped {
            self.value = self.value.wrapping_add_signed(by);
        }
    }

    /// Stops it, or lets it go on.
    pub fn stop(&mut self, at: u64, stop: bool) {
        let value = self.read(at);
        self.stopped = stop;
        self.write(at, value);
    }

    /// Tells whether it is stopped.
    pub const fn stopped(&self) -> bool {
        self.stopped
    }
}

/// The contents of the registers.
#[derive(Clone, Debug, Default)]
pub struct Csrs {
    /// mstatus.MIE.
    pub mie_enabled: bool,
    /// mstatus.MPIE.
    pub mpie: bool,
    /// mstatus.MPP is M; else U.
    pub mpp_machine: bool,
    /// mstatus.MPRV.
    pub mprv: bool,
    /// mstatus.TW.
    pub tw: bool,
    /// mie.
    pub mie: u32,
    /// mtvec.
    pub mtvec: u32,
    /// mcounteren: which counters U mode may read.
    pub counteren: u32,
    /// mscratch.
    pub mscratch: u32,
    /// mepc.
    pub mepc: u32,
    /// mcause.
    pub mcause: u32,
    /// mtval.
    pub mtval: u32,
    /// mcycle, following the clock.
    pub cycle: Counter,
    /// minstret, following the instructions retired.
    pub instret: Counter,
    /// cpuctrlsts.
    pub cpu_control: u32,
    /// VexRiscv's mask.
    pub array_mask: u32,
    /// mstatus.MPP, MPIE, mepc and mcause as they were before an NMI (Ibex).
    pub before_nmi: Option<(bool, bool, u32, u32)>,
    /// By row: what is kept of those that are not modelled.
    pub stored: Vec<u32>,
}

impl Csrs {
    /// mstatus as it reads.
    pub fn mstatus(&self) -> u32 {
        let bits = [
            (self.mie_enabled, MIE),
            (self.mpie, MPIE),
            (self.mpp_machine, 3 << MPP),
            (self.mprv, MPRV),
            (self.tw, TW),
        ];
        bits.iter().filter(|(set, _)| *set).fold(0, |word, (_, mask)| word | mask)
    }

    /// Writes mstatus; `user` says whether there is a mode beside M. MPP takes M and U; anything else becomes U.
    pub fn set_mstatus(&mut self, value: u32, user: bool) {
        self.mie_enabled = value & MIE != 0;
        self.mpie = value & MPIE != 0;
        self.mpp_machine = !user || value >> MPP & 3 == 3;
        self.mprv = user && value & MPRV != 0;
        self.tw = user && value & TW != 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_order_and_none_is_there_twice() {
        for rows in [IBEX, VEXRISCV, PLAIN, PICORV32] {
            for pair in rows.windows(2) {
                let [first, second] = pair else { unreachable!() };
                assert!(first.number + first.count <= second.number, "{} and {}", first.name, second.name);
            }
            for row in rows {
                assert!(row.number >> 10 != 3 || row.writable == 0, "{} is read-only by its number", row.name);
            }
        }
    }

    #[test]
    fn counters_go_on_where_they_were() {
        let mut counter = Counter::default();
        assert_eq!(counter.read(10), 10);
        counter.stop(10, true);
        assert_eq!(counter.read(20), 10);
        counter.write(25, 5);
        counter.stop(30, false);
        assert_eq!(counter.read(33), 8);
        counter.write(40, u64::MAX);
        assert_eq!(counter.read(41), 0);
    }
}
