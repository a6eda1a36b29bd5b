//! The kit's program for AVR, timed by Timer 1.
//!
//! Registers: r22 and r23 hold the counter's first reading, r24 and r25 the last. For sequences with a handler, r24 and
//! r25 hold the handler's first reading, and r20 and r21 its last. At the start of the timed code, X and Z point to
//! bytes of RAM, r18 = 7, r19 = 3, and the flags are those of their comparison. The code may use the registers that a
//! function may change.

use std::fmt::Write as _;

use super::text::lines;
use crate::sequence::Sequence;
use crate::table::{Run, Span};

const READ: [&str; 2] = ["    lds r24, TCNT1L\n    lds r25, TCNT1H\n", "    lds r22, TCNT1L\n    lds r23, TCNT1H\n"];

pub(super) fn version(version: &str) -> String {
    format!("    .section .progmem.data, \"a\"\n    .global kit_version\nkit_version:\n    .asciz \"{version}\"\n")
}

pub(super) fn sequences(all: &[Sequence]) -> String {
    let mut text = String::from("    .file \"kit.S\"\n#define __SFR_OFFSET 0\n#include <avr/io.h>\n");
    text += HANDLER;
    for (index, sequence) in all.iter().enumerate() {
        text += &function(&format!("kit_{index}"), sequence);
    }
    text += "    .global kit_empty";
    text += &function("kit_empty", &Sequence::empty(Run::Home));
    text += "\n    .section .progmem.data, \"a\"\n";
    for (index, sequence) in all.iter().enumerate() {
        let _ = writeln!(text, ".Lname_{index}:\n    .asciz \"{}\"", sequence.name);
    }
    text += "    .balign 2\n    .global kit_sequences\nkit_sequences:\n";
    for index in 0..all.len() {
        let _ = writeln!(text, "    .word .Lname_{index}, gs(kit_{index})");
    }
    text + "    .word 0, 0\n"
}

/// The handler of the serial port's empty register. The interrupt is pending as soon as it is enabled; the handler
/// disables it.
const HANDLER: &str = "
    .section .text.kit, \"ax\", @progbits
    .global USART_UDRE_vect
USART_UDRE_vect:
    lds r24, TCNT1L
    lds r25, TCNT1H
    push r16
    ldi r16, 1 << TXEN0
    sts UCSR0B, r16
    pop r16
    lds r20, TCNT1L
    lds r21, TCNT1H
    reti
";

fn function(name: &str, sequence: &Sequence) -> String {
    let mut text = format!("\n; {}\n    .section .text.kit, \"ax\", @progbits\n{name}:\n", sequence.name);
    text +=
        "    ldi r26, lo8(kit_data)\n    ldi r27, hi8(kit_data)\n    movw r30, r26\n    ldi r18, 7\n    ldi r19, 3\n";
    text += &lines(&sequence.setup);
    text += "    cp r18, r19\n";
    text += READ[1];
    text += &lines(&sequence.code);
    if matches!(sequence.span, Span::Code | Span::Return) {
        text += READ[0];
    }
    let (low, high) = match sequence.span {
        Span::Code | Span::Entry | Span::Urgent => ("r22", "r23"),
        Span::Return | Span::Chain => ("r20", "r21"),
    };
    let _ = write!(text, "    cli\n    clr r1\n    sub r24, {low}\n    sbc r25, {high}\n    ret\n");
    text + &lines(&sequence.behind)
}
