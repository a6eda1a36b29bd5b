//! The times of the controller (K20P64M72SF1RM, "eDMA", "Performance").

use cyclescope_machine::TimingRow;

/// The times of a minor loop, but for what its accesses take.
pub const ROWS: &[TimingRow] = &[
    TimingRow::documented(
        "edma.request",
        "cycles of the core clock from a request to the data phase of the minor loop's first read",
        7,
        "K20P64M72SF1RM, \"Peak request rates\": cycle 1 to cycle 8 of a hardware service request",
    ),
    TimingRow::documented(
        "edma.start",
        "the same from a write of START",
        6,
        "K20P64M72SF1RM, \"Peak request rates\": cycle 2 to cycle 8",
    ),
    TimingRow::documented(
        "edma.next",
        "the same from the end of a channel, for one that waits or was suspended",
        5,
        "K20P64M72SF1RM, \"Peak request rates\": cycle 3, with which a channel's last cycle coincides, to cycle 8",
    ),
    TimingRow::documented(
        "edma.turn",
        "cycles between the data phases of a unit's last read and first write",
        0,
        "K20P64M72SF1RM, \"Peak request rates\": the read's data phase is the write's address phase",
    ),
    TimingRow::documented(
        "edma.unit",
        "cycles from a unit's last write to the data phase of the next one's first read; BWC adds 4 or 8",
        1,
        "K20P64M72SF1RM, \"Peak transfer rates\": 32 bits from SRAM to SRAM in two cycles",
    ),
    TimingRow::documented(
        "edma.end",
        "cycles from a minor loop's last write to its descriptor's write-back, with flags, links and interrupts",
        3,
        "K20P64M72SF1RM, \"Peak request rates\": channel shutdown",
    ),
    TimingRow::assumed(
        "edma.descriptor",
        "further cycles in which a new descriptor is read (ESG)",
        8,
        "eight words over a bus of 32 bits; K20P64M72SF1RM gives no figure",
    ),
    TimingRow::assumed(
        "edma.contention",
        "cycles that the core waits for a RAM which a DMA transfer has in the cycle of its own access",
        1,
        "K20P64M72SF1RM, Crossbar Light Switch: the slave is taken for the access's one data phase",
    ),
];

pub(super) const REQUEST: &TimingRow = &ROWS[0];
pub(super) const STARTED: &TimingRow = &ROWS[1];
pub(super) const NEXT: &TimingRow = &ROWS[2];
pub(super) const TURN: &TimingRow = &ROWS[3];
pub(super) const UNIT: &TimingRow = &ROWS[4];
pub(super) const END: &TimingRow = &ROWS[5];
pub(super) const DESCRIPTOR: &TimingRow = &ROWS[6];
pub(super) const CONTENTION: &TimingRow = &ROWS[7];
