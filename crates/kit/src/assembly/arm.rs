//! The kit's program for Cortex-M.
//!
//! Registers: r7 holds the counter's address, r6 its first reading, r5 the last. For sequences with a handler, r5 holds
//! the handler's first reading and r4 its last. At the start of the timed code, r0 and r1 point to words of RAM that
//! all hold the address of the first word, r2 = 4, r3 = 3, and the flags are those of their comparison. `mov r8, r8`
//! separates readings and timed code: nothing overlaps with data processing.

use std::fmt::Write as _;

use super::text::{flags, lines};
use crate::sequence::Sequence;
use crate::table::{Home, Run, Span};

/// The alignment of timed code in bytes: a multiple of every flash line.
const ALIGNED: u32 = 32;
const GUARD: &str = "    mov r8, r8\n";

pub(super) fn version(version: &str) -> String {
    format!(
        "    .section .rodata.kit_version, \"a\", %progbits\n    .balign 4\n    .global kit_version\nkit_version:\n    .asciz \"{version}\"\n"
    )
}

pub(super) fn sequences(all: &[Sequence], small: bool, home: Home) -> String {
    let mut text = String::from("    .syntax unified\n    .thumb\n");
    let _ = write!(text, "\n    .section {}{HANDLERS}", section(Run::Home, home));
    text += if small { "    bx lr\n" } else { SYSTICK_STOPS };
    let name = |index: usize| format!("kit_{index}");
    for (index, sequence) in all.iter().enumerate() {
        text += &function(&name(index), sequence, small, home);
    }
    for (name, run) in [("kit_empty", Run::Home), ("kit_empty_in_ram", Run::Ram)] {
        let _ = write!(text, "    .global {name}");
        text += &function(name, &Sequence::empty(run), small, home);
    }
    text += "\n    .section .rodata.kit_names, \"a\", %progbits\n";
    for (index, sequence) in all.iter().enumerate() {
        let _ = writeln!(text, ".Lname_{index}:\n    .asciz \"{}\"", sequence.name);
    }
    text += "\n    .section .rodata.kit, \"a\", %progbits\n    .balign 4\n    .global kit_sequences\nkit_sequences:\n";
    for (index, sequence) in all.iter().enumerate() {
        let _ = writeln!(text, "    .word .Lname_{index}, kit_{index}, {:#x}", flags(sequence));
    }
    text + "    .word 0, 0, 0\n"
}

/// The handlers, which read the counter first and last. If both are pending, PendSV's handler runs before SysTick's.
/// The second handler keeps the last reading of the first.
const HANDLERS: &str = "
    .balign 32
    .global SVC_Handler
    .type SVC_Handler, %function
    .thumb_func
SVC_Handler:
    mov r8, r8
    ldr r5, [r7]
    mov r8, r8
    ldr r4, [r7]
    mov r8, r8
    bx lr
    .balign 32
    .global PendSV_Handler
    .type PendSV_Handler, %function
    .thumb_func
PendSV_Handler:
    mov r8, r8
    ldr r5, [r7]
    mov r8, r8
    ldr r4, [r7]
    mov r8, r8
    bx lr
    .balign 32
    .global SysTick_Handler
    .type SysTick_Handler, %function
    .thumb_func
SysTick_Handler:
    mov r8, r8
    ldr r5, [r7]
    mov r8, r8
";

/// The start of SysTick's handler where SysTick is the interrupt and not the counter. It stops SysTick and keeps its
/// reading in r11 too, because the handler of a less urgent exception may follow.
const SYSTICK_STOPS: &str = "    mov r11, r5
    movs r0, #0
    ldr r1, =0xe000e010
    str r0, [r1]
    dsb
    bx lr
    .ltorg
";

/// Returns the section for code that runs in `run`, with its flags.
const fn section(run: Run, home: Home) -> &'static str {
    match (run, home) {
        (Run::Flash, _) | (Run::Home, Home::Flash) => ".text.kit, \"ax\", %progbits",
        (Run::Ram, _) | (Run::Home, Home::Ram) => ".data.kit, \"aw\", %progbits",
        (Run::Home, Home::CodeRam) => ".kit_code, \"ax\", %progbits",
    }
}

/// Returns the function `name` that times `sequence`, for a Cortex-M0+ if `small`.
pub(crate) fn function(name: &str, sequence: &Sequence, small: bool, home: Home) -> String {
    // The counter is SysTick, which counts down, or DWT_CYCCNT.
    let (counter, down) = if small { (0xE000_E018_u32, true) } else { (0xE000_1004, false) };
    let section = section(sequence.run, home);
    let saved = if small { "r4-r7" } else { "r4-r11" };
    let mut text = format!(
        "\n/* {} */\n    .section {section}\n    .balign 4\n    .type {name}, %function\n    .thumb_func\n{name}:\n    push {{{saved}, lr}}\n",
        sequence.name
    );
    let _ = write!(
        text,
        "    ldr r7, ={counter:#x}\n    ldr r0, =kit_data\n    mov r1, r0\n    adds r1, #64\n    movs r2, #4\n    movs r3, #3\n"
    );
    text += &lines(&sequence.setup);
    text += "    cmp r2, r3\n";
    let _ = write!(text, "    b .Lbegin_{name}\n    .ltorg\n    .balign {ALIGNED}\n");
    for _ in 0..sequence.at / 2 {
        text += "    nop\n";
    }
    let _ = write!(text, ".Lbegin_{name}:\n    ldr r6, [r7]\n{GUARD}");
    text += &lines(&sequence.code);
    text += GUARD;
    let (from, to) = match sequence.span {
        Span::Code | Span::Entry => ("r6", "r5"),
        Span::Urgent => ("r6", "r11"),
        Span::Return | Span::Chain => ("r4", "r5"),
    };
    if matches!(sequence.span, Span::Code | Span::Return) {
        text += "    ldr r5, [r7]\n";
    }
    let (from, to) = if down { (to, from) } else { (from, to) };
    let _ = write!(text, "    subs r0, {to}, {from}\n    pop {{{saved}, pc}}\n    .ltorg\n");
    text + &lines(&sequence.behind)
}
