//! PWM0 of the nRF52840, written by `crates/peripherals/generate-nrf`; do not edit.

use crate::bank::{Modelled, some};
use crate::register::{Access::*, Field, Map, word};

/// The declared registers.
pub const MAP: Map = Map {
    kind: "pwm",
    version: "nrf52",
    registers: &[
        word("TASKS_STOP", 0x4, WriteOnly, &[Field::new("TASKS_STOP", 0, 1)]),
        word("TASKS_SEQSTART[0]", 0x8, WriteOnly, &[Field::new("TASKS_SEQSTART[0]", 0, 1)]),
        word("TASKS_SEQSTART[1]", 0xc, WriteOnly, &[Field::new("TASKS_SEQSTART[1]", 0, 1)]),
        word("TASKS_NEXTSTEP", 0x10, WriteOnly, &[Field::new("TASKS_NEXTSTEP", 0, 1)]),
        word("EVENTS_STOPPED", 0x104, ReadWrite, &[Field::new("EVENTS_STOPPED", 0, 1)]),
        word("EVENTS_SEQSTARTED[0]", 0x108, ReadWrite, &[Field::new("EVENTS_SEQSTARTED[0]", 0, 1)]),
        word("EVENTS_SEQSTARTED[1]", 0x10c, ReadWrite, &[Field::new("EVENTS_SEQSTARTED[1]", 0, 1)]),
        word("EVENTS_SEQEND[0]", 0x110, ReadWrite, &[Field::new("EVENTS_SEQEND[0]", 0, 1)]),
        word("EVENTS_SEQEND[1]", 0x114, ReadWrite, &[Field::new("EVENTS_SEQEND[1]", 0, 1)]),
        word("EVENTS_PWMPERIODEND", 0x118, ReadWrite, &[Field::new("EVENTS_PWMPERIODEND", 0, 1)]),
        word("EVENTS_LOOPSDONE", 0x11c, ReadWrite, &[Field::new("EVENTS_LOOPSDONE", 0, 1)]),
        word(
            "SHORTS",
            0x200,
            ReadWrite,
            &[
                Field::new("SEQEND0_STOP", 0, 1),
                Field::new("SEQEND1_STOP", 1, 1),
                Field::new("LOOPSDONE_SEQSTART0", 2, 1),
                Field::new("LOOPSDONE_SEQSTART1", 3, 1),
                Field::new("LOOPSDONE_STOP", 4, 1),
            ],
        ),
        word("INTEN", 0x300, ReadWrite, OF_INTEN),
        word("INTENSET", 0x304, ReadWrite, OF_INTEN),
        word("INTENCLR", 0x308, ReadWrite, OF_INTEN),
        word("ENABLE", 0x500, ReadWrite, &[Field::new("ENABLE", 0, 1)]),
        word("MODE", 0x504, ReadWrite, &[Field::new("UPDOWN", 0, 1)]),
        word("COUNTERTOP", 0x508, ReadWrite, &[Field::new("COUNTERTOP", 0, 15)]),
        word("PRESCALER", 0x50c, ReadWrite, &[Field::new("PRESCALER", 0, 3)]),
        word("DECODER", 0x510, ReadWrite, &[Field::new("LOAD", 0, 2), Field::new("MODE", 8, 1)]),
        word("LOOP", 0x514, ReadWrite, &[Field::new("CNT", 0, 16)]),
        word("SEQ[0].PTR", 0x520, ReadWrite, &[Field::new("SEQ[0].PTR", 0, 32)]),
        word("SEQ[0].CNT", 0x524, ReadWrite, &[Field::new("SEQ[0].CNT", 0, 15)]),
        word("SEQ[0].REFRESH", 0x528, ReadWrite, &[Field::new("CNT", 0, 24)]),
        word("SEQ[0].ENDDELAY", 0x52c, ReadWrite, &[Field::new("CNT", 0, 24)]),
        word("SEQ[1].PTR", 0x540, ReadWrite, &[Field::new("SEQ[1].PTR", 0, 32)]),
        word("SEQ[1].CNT", 0x544, ReadWrite, &[Field::new("SEQ[1].CNT", 0, 15)]),
        word("SEQ[1].REFRESH", 0x548, ReadWrite, &[Field::new("CNT", 0, 24)]),
        word("SEQ[1].ENDDELAY", 0x54c, ReadWrite, &[Field::new("CNT", 0, 24)]),
        word("PSEL.OUT[0]", 0x560, ReadWrite, OF_PSEL_OUT_0),
        word("PSEL.OUT[1]", 0x564, ReadWrite, OF_PSEL_OUT_0),
        word("PSEL.OUT[2]", 0x568, ReadWrite, OF_PSEL_OUT_0),
        word("PSEL.OUT[3]", 0x56c, ReadWrite, OF_PSEL_OUT_0),
    ],
};

const OF_INTEN: &[Field] = &[
    Field::new("STOPPED", 1, 1),
    Field::new("SEQSTARTED0", 2, 1),
    Field::new("SEQSTARTED1", 3, 1),
    Field::new("SEQEND0", 4, 1),
    Field::new("SEQEND1", 5, 1),
    Field::new("PWMPERIODEND", 6, 1),
    Field::new("LOOPSDONE", 7, 1),
];

const OF_PSEL_OUT_0: &[Field] = &[Field::new("PIN", 0, 5), Field::new("PORT", 5, 1), Field::new("CONNECT", 31, 1)];

/// Values after reset other than 0.
pub const RESETS: &[Modelled] = &[
    some("COUNTERTOP", 0x3ff, &[]),
    some("SEQ[0].REFRESH", 0x1, &[]),
    some("SEQ[1].REFRESH", 0x1, &[]),
    some("PSEL.OUT[0]", 0xffffffff, &[]),
    some("PSEL.OUT[1]", 0xffffffff, &[]),
    some("PSEL.OUT[2]", 0xffffffff, &[]),
    some("PSEL.OUT[3]", 0xffffffff, &[]),
];
