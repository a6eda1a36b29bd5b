//! The reason why an access to a register was an illegal instruction, and the names that the manuals give to registers.

use std::fmt;

/// An access to a register that the core refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its name, if a manual has one for the number.
    pub name: Option<String>,
    /// The access.
    pub access: CsrAccess,
    /// The reason.
    pub reason: Reason,
}

/// The access that an instruction makes to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsrAccess {
    /// The register's number.
    pub number: u16,
    /// Tells if its value is read.
    pub reads: bool,
    /// Tells if it is written.
    pub writes: bool,
}

impl CsrAccess {
    /// The access that the instruction `bits` makes; `None` if it makes none.
    pub const fn of(bits: u32) -> Option<Self> {
        let (operation, rd, rs1) = (bits >> 12 & 3, bits >> 7 & 31, bits >> 15 & 31);
        if bits & 0x7F != 0x73 || operation == 0 {
            return None;
        }
        let swaps = operation == 1;
        Some(Self { number: (bits >> 20) as u16, reads: !swaps || rd != 0, writes: swaps || rs1 != 0 })
    }
}

/// The reasons for a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The core has no such register.
    Lacking,
    /// U mode may not access it.
    Denied,
    /// It can only be read.
    ReadOnly,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match (self.access.reads, self.access.writes) {
            (true, true) => "reads and writes",
            (false, _) => "writes",
            (true, false) => "reads",
        };
        write!(f, "it {verb} the CSR {:#05x}", self.access.number)?;
        if let Some(name) = &self.name {
            write!(f, " ({name})")?;
        }
        f.write_str(match self.reason {
            Reason::Lacking => ", which the modelled core does not have",
            Reason::Denied => ", which U mode may not access",
            Reason::ReadOnly => ", which can only be read",
        })
    }
}

/// The name of the register with `number` in the privileged architecture (section 2.2 of version 20240411), the
/// debug specification 1.0 and the vector extension; `None` for numbers without one.
pub fn standard_name(number: u16) -> Option<String> {
    let (first, _, name, index) =
        NAMES.iter().find(|(first, count, ..)| number.checked_sub(*first).is_some_and(|offset| offset < *count))?;
    Some(match index {
        Some(from) => match name.split_once('#') {
            Some((begin, end)) => format!("{begin}{}{end}", from + (number - first)),
            None => format!("{name}{}", from + (number - first)),
        },
        None => (*name).to_owned(),
    })
}

/// First number, count, name, and the first one's index if they are counted; `#` is the index's place.
type Name = (u16, u16, &'static str, Option<u16>);

const fn one(number: u16, name: &'static str) -> Name {
    (number, 1, name, None)
}

const fn row(number: u16, count: u16, name: &'static str, from: u16) -> Name {
    (number, count, name, Some(from))
}

#[rustfmt::skip]
const NAMES: &[Name] = &[
    one(0x001, "fflags"), one(0x002, "frm"), one(0x003, "fcsr"),
    one(0x008, "vstart"), one(0x009, "vxsat"), one(0x00A, "vxrm"), one(0x00F, "vcsr"), one(0x015, "seed"), one(0x017, "jvt"),
    one(0x100, "sstatus"), one(0x104, "sie"), one(0x105, "stvec"), one(0x106, "scounteren"), one(0x10A, "senvcfg"),
    row(0x10C, 4, "sstateen", 0), one(0x120, "scountinhibit"), one(0x140, "sscratch"), one(0x141, "sepc"),
    one(0x142, "scause"), one(0x143, "stval"), one(0x144, "sip"), one(0x14D, "stimecmp"), one(0x15D, "stimecmph"),
    one(0x180, "satp"),
    one(0x300, "mstatus"), one(0x301, "misa"), one(0x302, "medeleg"), one(0x303, "mideleg"), one(0x304, "mie"),
    one(0x305, "mtvec"), one(0x306, "mcounteren"), one(0x30A, "menvcfg"), row(0x30C, 4, "mstateen", 0),
    one(0x310, "mstatush"), one(0x312, "medelegh"), one(0x31A, "menvcfgh"), one(0x320, "mcountinhibit"),
    row(0x323, 29, "mhpmevent", 3), one(0x340, "mscratch"), one(0x341, "mepc"), one(0x342, "mcause"), one(0x343, "mtval"),
    one(0x344, "mip"), one(0x34A, "mtinst"), one(0x34B, "mtval2"), row(0x3A0, 16, "pmpcfg", 0), row(0x3B0, 64, "pmpaddr", 0),
    one(0x5A8, "scontext"), one(0x600, "hstatus"), one(0x602, "hedeleg"), one(0x603, "hideleg"), one(0x604, "hie"), one(0x606, "hcounteren"),
    one(0x607, "hgeie"), one(0x60A, "henvcfg"), one(0x643, "htval"), one(0x644, "hip"), one(0x645, "hvip"),
    one(0x680, "hgatp"), row(0x723, 29, "mhpmevent#h", 3),
    one(0x740, "mnscratch"), one(0x741, "mnepc"), one(0x742, "mncause"), one(0x744, "mnstatus"),
    one(0x747, "mseccfg"), one(0x757, "mseccfgh"),
    one(0x7A0, "tselect"), row(0x7A1, 3, "tdata", 1), one(0x7A4, "tinfo"), one(0x7A5, "tcontrol"), one(0x7A8, "mcontext"),
    one(0x7B0, "dcsr"), one(0x7B1, "dpc"), row(0x7B2, 2, "dscratch", 0),
    one(0xB00, "mcycle"), one(0xB02, "minstret"), row(0xB03, 29, "mhpmcounter", 3),
    one(0xB80, "mcycleh"), one(0xB82, "minstreth"), row(0xB83, 29, "mhpmcounter#h", 3),
    one(0xC00, "cycle"), one(0xC01, "time"), one(0xC02, "instret"), row(0xC03, 29, "hpmcounter", 3),
    one(0xC20, "vl"), one(0xC21, "vtype"), one(0xC22, "vlenb"),
    one(0xC80, "cycleh"), one(0xC81, "timeh"), one(0xC82, "instreth"), row(0xC83, 29, "hpmcounter#h", 3),
    one(0xDA0, "scountovf"), one(0xF11, "mvendorid"), one(0xF12, "marchid"), one(0xF13, "mimpid"), one(0xF14, "mhartid"),
    one(0xF15, "mconfigptr"),
];

#[cfg(test)]
mod tests {
    use super::{CsrAccess, NAMES, standard_name};

    #[test]
    fn numbers_have_the_manuals_names() {
        for (number, name) in [
            (0x180, Some("satp")),
            (0x3A0, Some("pmpcfg0")),
            (0x3EF, Some("pmpaddr63")),
            (0x7A3, Some("tdata3")),
            (0xB1F, Some("mhpmcounter31")),
            (0xC83, Some("hpmcounter3h")),
            (0x7C0, None),
            (0xFFF, None),
        ] {
            assert_eq!(standard_name(number).as_deref(), name, "{number:#x}");
        }
        assert!(NAMES.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0), "in order, and each number once");
    }

    /// The privileged architecture's own names for what the cores have.
    #[test]
    fn the_cores_rows_have_these_names() {
        for row in super::super::PLAIN.iter().filter(|row| row.count == 1) {
            assert_eq!(standard_name(row.number).as_deref(), Some(row.name));
        }
    }

    #[test]
    fn an_instruction_tells_its_access() {
        let access = |bits| CsrAccess::of(bits).map(|access| (access.number, access.reads, access.writes));
        assert_eq!(access(0x7A00_2573), Some((0x7A0, true, false)), "csrr a0, tselect");
        assert_eq!(access(0x7A05_1073), Some((0x7A0, false, true)), "csrw tselect, a0");
        assert_eq!(access(0x7A05_2573), Some((0x7A0, true, true)), "csrrs a0, tselect, a0");
        assert_eq!(access(0x7A00_D073), Some((0x7A0, false, true)), "csrwi tselect, 1");
        assert_eq!((access(0x0000_0073), access(0x3020_0073), access(0)), (None, None, None), "ECALL, MRET");
    }
}
