//! Backtraces: those of `exec` where a guest goes wrong, and the same stops under gdb. The tests with a debugger run where
//! `CYCLESCOPE_TEST_TOOLS=all` is set, and need `gdb-multiarch` and `avr-gdb` (apt: gdb-multiarch gdb-avr).

use crate::common;
use crate::elf;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use common::{PROGRAM, text, tools};

/// Has gdb print each level that is a call of its own: `level`, its program counter, `!` for an exception's frame.
const LEVELS: &str = "python
frame = gdb.newest_frame()
while frame is not None:
  if frame.type() == gdb.SIGTRAMP_FRAME: print('level !')
  elif frame.type() != gdb.INLINE_FRAME: print('level %#010x' % frame.pc())
  try: frame = frame.older()
  except gdb.error: frame = None
end
";

/// Runs `image` under gdb to the second hit of each of `places`, and compares gdb's levels there with ours. Ours may end
/// earlier, but not before `least` levels; and gdb may go on where ours are guessed.
#[track_caller]
fn agrees(debugger: &str, image: &str, chip: &str, places: &[&str], least: usize) {
    if !tools::wanted(debugger) {
        return;
    }
    let folder = common::folder();
    let elf = folder.path().join("app.elf");
    std::fs::write(&elf, common::elf(image)).expect("the folder is ours");
    let mut server = Command::new(PROGRAM)
        .args(["exec", "--chip", chip, "--gdb", "0"])
        .arg(&elf)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut line = String::new();
    let mut stderr = BufReader::new(server.stderr.take().expect("it is a pipe"));
    stderr.read_line(&mut line).expect("it is text");
    let address = line.trim().strip_prefix("waiting for gdb: target remote ").expect(&line).to_owned();
    let mut script = format!(
        "set pagination off\nset confirm off\nset backtrace past-main on\nset backtrace past-entry on\n\
         target remote {address}\n"
    );
    for place in places {
        script += &format!("delete\nbreak *{place}\ncontinue\ncontinue\necho ==\\n\n{LEVELS}monitor backtrace\n");
    }
    let commands = folder.path().join("commands");
    std::fs::write(&commands, script + "kill\n").expect("the folder is ours");
    // What the target says comes on the other stream, so that only one pipe keeps the order.
    let joined = format!("{debugger} -nx -batch -x '{}' '{}' 2>&1", commands.display(), elf.display());
    let output = Command::new("sh").args(["-c", &joined]).output().expect("there is a shell");
    server.wait().expect("it ends with its debugger");
    let said = text(&output.stdout);
    let stops: Vec<&str> = said.split("==\n").skip(1).collect();
    assert_eq!(stops.len(), places.len(), "{said}");
    for (place, stop) in places.iter().zip(stops) {
        let theirs: Vec<&str> = stop.lines().filter_map(|line| line.strip_prefix("level ")).collect();
        let ours: Vec<&str> = stop.lines().filter_map(level).collect();
        let same = ours.iter().zip(&theirs).take_while(|(ours, theirs)| ours == theirs).count();
        assert!(same == ours.len().min(theirs.len()) && same >= least, "{place}: {ours:?} {theirs:?}\n{said}");
    }
}

/// The program counter of a level of ours that is not guessed, or `!`.
fn level(line: &str) -> Option<&str> {
    if line.starts_with("      <exception") {
        return Some("!");
    }
    let (number, rest) = line.strip_prefix(' ')?.split_once(": ")?;
    number.trim().parse::<u32>().ok()?;
    rest.split(' ').next()
}

#[test]
fn gdb_sees_the_same_levels_of_c_on_a_cortex_m4() {
    let places = ["xQueueGenericSend", "SysTick_Handler"];
    agrees("gdb-multiarch", "syscall-freertos-queue-s-stm32f446ze", "stm32f446ze", &places, 1);
}

#[test]
fn gdb_sees_the_same_levels_of_rust_on_a_cortex_m4() {
    agrees("gdb-multiarch", "switch-rtic-plain-3-stm32f446ze", "stm32f446ze", &["SysTick"], 4);
}

#[test]
fn gdb_sees_the_same_levels_on_an_avr() {
    let places = ["evl_queue_push", "evl_enqueue", "on_pong"];
    agrees("avr-gdb", "switch-c-loop-plain-s-atmega328p", "atmega328p", &places, 4);
}

#[test]
fn gdb_sees_the_same_levels_of_c_on_a_cortex_m0() {
    let places = ["evl_queue_push", "evl_enqueue", "on_pong"];
    agrees("gdb-multiarch", "switch-c-loop-plain-s-stm32c031c6", "stm32c031c6", &places, 4);
}

#[test]
fn gdb_sees_the_same_levels_on_a_riscv() {
    agrees("gdb-multiarch", "syscall-kernel-devel-reference-z-litex-vexriscv", "litex-vexriscv", &["kernel_trap"], 2);
    agrees("gdb-multiarch", "syscall-freertos-yield-2-ibex", "ibex", &["vTaskSwitchContext"], 2);
}

/// Runs `code` from a vector table at the start of flash, and returns standard error.
fn faults(code: &[u32], functions: &[(&str, u64, u64)], arguments: &[&str]) -> String {
    let folder = common::folder();
    std::fs::write(folder.path().join("app.elf"), elf::arm(0x0800_0000, code, functions)).expect("the folder is ours");
    let (command, more) = arguments.split_first().expect("a command");
    let output = common::command(folder.path())
        .args([command, "app.elf", "--chip", "stm32f446re"])
        .args(more)
        .output()
        .expect("it runs");
    assert!(!output.status.success());
    text(&output.stderr)
}

#[track_caller]
fn contains(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
    let mut laid_out = said.lines().filter(|line| line.starts_with(' '));
    assert!(laid_out.all(|line| line.chars().count() <= 80), "{said}");
}

/// `ldr r0, =0x30000001; blx r0; b .`
const INTO_NOTHING: [u32; 7] = [0x2000_8000, 0x0800_0011, 0, 0, 0x4780_4801, 0xBF00_E7FE, 0x3000_0001];

#[test]
fn a_jump_to_nowhere_tells_the_branch_and_the_calls_before_it() {
    let parts = [
        "the last branch out of a function went to 0x30000000, from pc 0x08000012 in reset",
        "reason: BusFault (IBUSERR), forced to HardFault: CFSR 0x00000100\n",
        "    r0 0x30000001    r1 0x00000000",
        "    lr 0x08000015    pc 0x30000000\n",
        "   0: 0x30000000 (no function is known there)\n   1: 0x08000014 reset\n",
    ];
    let reset = [("reset", 0x10, 12)];
    contains(&faults(&INTO_NOTHING, &reset, &["exec"]), &parts);
    contains(&faults(&INTO_NOTHING, &reset, &["measure", "--span", "x=reset..reset"]), &parts);
    contains(&faults(&INTO_NOTHING, &reset, &["trace", "--from", "reset", "--to", "reset"]), &parts);
    // HardFault has no vector either.
    let said = faults(&INTO_NOTHING, &reset, &["exec", "--guest-handles-faults"]);
    contains(
        &said,
        &["the core locked up", "<exception HardFault>", "from pc 0x08000012 in reset", "0x08000014 reset"],
    );
}

#[test]
fn an_interrupt_without_a_handler_is_named() {
    let mut code = vec![0x2000_8000, 0x0800_00B9];
    code.resize(46, 0x0800_00C5);
    // Enables and pends interrupt 29, and waits; the handler waits as well.
    code.extend([0x4904_4803, 0x4A04_6008, 0xE7FE_6010, 0xBF00_E7FE, 0x2000_0000, 0xE000_E100, 0xE000_E200]);
    let functions = [("reset", 0xB8, 12), ("DefaultHandler", 0xC4, 4)];
    let said = faults(&code, &functions, &["exec", "--max-cycles", "10000"]);
    let written = "; start-up files call it `TIM3_IRQHandler`\n";
    let to_default = format!("TIM3 has no handler: its vector goes to DefaultHandler{written}");
    contains(&said, &[&to_default, "<exception TIM3>\n   1: 0x080000c"]);

    code[45] = 0;
    let said = faults(&code, &functions, &["exec"]);
    contains(&said, &["help: give the interrupt a handler, or do not enable it", "<exception TIM3>\n   1: 0x080000c"]);
    contains(&said, &[&format!("TIM3 has no handler: its vector is 0{written}")]);
    code[45] = 0x30F0_0001;
    let said = faults(&code, &functions, &["exec"]);
    contains(
        &said,
        &[&format!(
            "its vector leads to 0x30f00000, where no memory is; the table of vectors may be too short{written}"
        )],
    );
    code[45] = u32::MAX;
    contains(
        &faults(&code, &functions, &["exec"]),
        &[&format!("TIM3 has no handler: its vector is erased flash{written}")],
    );
}

#[test]
fn a_handler_of_many_that_never_returns_is_told_while_the_run_goes_on() {
    // The vector of SysTick, which comes every 1,001 cycles, goes to a handler that waits for ever.
    let mut code = vec![0x2000_8000, 0x0800_0041];
    code.resize(15, 0);
    code.push(0x0800_0051);
    // ldr r0, SysTick; movw r1, #1000; str r1, [r0, #4]; str r1, [r0, #8]; movs r1, #7; str r1, [r0]; b .
    code.extend([0xF240_4804, 0x6041_31E8, 0x2107_6081, 0xE7FE_6001]);
    // The handler, b .; and the address of SysTick.
    code.extend([0xBF00_E7FE, 0xE000_E010]);
    let functions = [("reset", 0x40, 16), ("Default_Handler", 0x50, 2)];
    let said = faults(&code, &functions, &["exec", "--max-cycles", "1000000"]);
    let told = "SysTick has no handler: its vector goes to Default_Handler, which never returns; start-up files call it \
                `SysTick_Handler`\n";
    assert!(said.starts_with(told), "{said}");
    assert_eq!(said.matches("which never returns").count(), 1, "{said}");
    assert_eq!(said.matches("has no handler").count(), 1, "not again at the end: {said}");
}

#[test]
fn an_avr_that_starts_anew_for_want_of_a_handler_says_which() {
    // All vectors but RESET lead to __bad_interrupt, which leads to the first.
    let mut code = vec![0x940C, 0x0034];
    code.extend([0x940C, 0x003E].repeat(25));
    // ldi r24, 1; sts TIMSK0, r24; ldi r24, 3; out TCCR0B, r24; sei; rjmp to itself
    code.extend([0xE081, 0x9380, 0x006E, 0xE083, 0xBD85, 0x9478, 0xCFFF, 0, 0, 0]);
    code.extend([0x940C, 0]);
    let symbols = [("__vectors", 0, 0x68), ("main", 0x68, 14), ("__bad_interrupt", 0x7C, 4)];
    let run = |symbols: &[(&str, u64, u64)]| {
        let folder = common::folder();
        std::fs::write(folder.path().join("app.elf"), elf::avr(&code, symbols)).expect("the folder is ours");
        let arguments = ["exec", "app.elf", "--chip", "atmega328p", "--max-cycles", "100000"];
        let output = common::command(folder.path()).args(arguments).output().expect("it runs");
        assert_eq!(output.status.code(), Some(82));
        text(&output.stderr)
    };
    let told = "TIMER0_OVF has no handler: avr-libc starts the program anew each time that it comes; one is written \
                `ISR(TIMER0_OVF_vect)`\n";
    let said = run(&symbols);
    assert!(said.starts_with(told) && said.matches("has no handler").count() == 1, "{said}");
    // A program with a handler for all that are missing knows of it.
    let own = run(&[&symbols[..], &[("__vector_default", 0x68, 14)]].concat());
    assert!(!own.contains("has no handler"), "{own}");
}

#[test]
fn a_system_exception_without_a_handler_is_named_as_start_up_files_do() {
    // `svc 0; b .`
    let mut code = vec![0x2000_8000, 0x0800_0041];
    code.resize(16, 0);
    code.extend([0xE7FE_DF00]);
    let said = faults(&code, &[("reset", 0x40, 4)], &["exec"]);
    contains(&said, &["SVCall has no handler: its vector is 0; start-up files call it `SVC_Handler`\n"]);
}

#[test]
fn a_stack_that_overflows_is_named() {
    // `push {r0-r7}; b` back to it, from 256 bytes of stack on.
    let code = [0x2000_0100, 0x0800_0011, 0, 0, 0xE7FD_B4FF];
    let said = faults(&code, &[("reset", 0x10, 4)], &["exec"]);
    contains(&said, &["the stack overflowed: its pointer is 0x", "and memory begins at 0x20000000\n"]);
    let code = [0x2000_0100, 0x0800_0011, 0, 0, 0xBF00_DE00];
    let said = faults(&code, &[("reset", 0x10, 4)], &["exec"]);
    assert!(!said.contains("overflow"), "{said}");
}

/// Runs `code` on `virt` up to its end, and returns standard error.
fn on_virt(code: &[u32]) -> String {
    on_virt_image(&elf::riscv(0x8000_0000, code, &[("start", 0, 4 * code.len() as u64)]))
}

fn on_virt_image(image: &[u8]) -> String {
    let folder = common::folder();
    std::fs::write(folder.path().join("app.elf"), image).expect("the folder is ours");
    let output = common::cyclescope(folder.path(), &["exec", "app.elf", "--chip", "virt"]);
    assert!(!output.status.success());
    text(&output.stderr).to_owned()
}

#[test]
fn a_refused_csr_is_named_with_the_reason() {
    let lacks = ", which the modelled core does not have";
    for (code, said) in [
        (vec![0x1800_2573], format!("it reads the CSR 0x180 (satp){lacks}")),
        (vec![0x7C00_1073], format!("it writes the CSR 0x7c0{lacks}")),
        (vec![0x7470_A0F3], format!("it reads and writes the CSR 0x747 (mseccfg){lacks}")),
        (vec![0xF140_9073], "it writes the CSR 0xf14 (mhartid), which can only be read".to_owned()),
    ] {
        let message = on_virt(&code);
        contains(&message, &["the guest faulted: illegal instruction, pc 0x80000000 in start"]);
        contains(&unwrapped(&message), &[&format!("reason: mcause 2: {said}")]);
    }
    // All memory for U mode: pmpcfg0 = NAPOT, R, W, X; pmpaddr0 = all ones.
    let open = [0x01F0_0293, 0x3A02_9073, 0xFFF0_0313, 0x3B03_1073];
    // mepc is behind MRET, which leads to U mode; there mstatus is out of reach.
    let user = [0x0000_0317, 0x0103_0313, 0x3413_1073, 0x3020_0073, 0x3000_2573];
    let said = unwrapped(&on_virt(&[&open[..], &user].concat()));
    contains(&said, &["reason: mcause 2: it reads the CSR 0x300 (mstatus), which U mode may not access"]);
    // Not every illegal instruction is of a register.
    contains(&on_virt(&[0xFFFF_FFFF]), &["reason: mcause 2\n"]);
}

/// `text` with its lines joined.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An access where the part lacks a block names it; where the machine has nothing, the address.
#[test]
fn an_access_to_what_is_not_there_is_named() {
    // lui a0, 0x101; lw a1, 0(a0); 0
    contains(&unwrapped(&on_virt(&[0x0010_1537, 0x0005_2583, 0])), &["RTC"]);
    // lui a0, 0x5000; lw a1, 0(a0)
    let said = on_virt(&[0x0500_0537, 0x0005_2583]);
    contains(
        &said,
        &["load access fault at 0x05000000, pc 0x80000004 in start", "reason: mcause 5, mtval 0x05000000\n"],
    );
}

/// `start` makes an environment call. `handler` keeps mepc at the top of its frame of 16 bytes and calls again, until the third
/// one meets an illegal instruction.
const NESTED: [u32; 16] = [
    0x0000_0297,
    0x01C2_8293,
    0x3052_9073,
    0x8001_0137,
    0x0000_0073,
    0x0000_006F,
    0x0000_0013,
    0xFF01_0113,
    0x3410_22F3,
    0x0051_2623,
    0x0015_0513,
    0x0030_0313,
    0x0065_0663,
    0x0000_0073,
    0x0000_0013,
    0,
];

const NESTED_FUNCTIONS: [(&str, u64, u64); 2] = [("start", 0, 28), ("handler", 28, 36)];

#[test]
fn traps_inside_a_handler_are_followed_where_it_tells_where_mepc_is() {
    // DW_CFA_undefined ra. DW_CFA_def_cfa sp 16; DW_CFA_offset_extended mepc 1.
    let start = (0x8000_0000, 28, &[0x07, 1, 0x0C, 2, 0][..]);
    let handler = (0x8000_001C, 36, &[0x0C, 2, 16, 0x05, 0xC1, 0x26, 1][..]);
    let frames = elf::debug_frame(1, &[start, handler]);
    let said = on_virt_image(&elf::riscv_with_frames(0x8000_0000, &NESTED, &NESTED_FUNCTIONS, frames));
    let call = "      <exception environment call from M-mode>\n";
    let inner = |number| format!("{call}   {number}: 0x80000034 handler\n");
    let whole = format!("backtrace:\n   0: 0x8000003c handler\n{}{}{call}   3: 0x80000010 start\n", inner(1), inner(2));
    assert!(said.contains(&whole) && !said.contains("not known"), "{said}");
}

#[test]
fn a_trap_that_overwrote_mepc_ends_the_backtrace_and_is_said() {
    let said = on_virt_image(&elf::riscv(0x8000_0000, &NESTED, &NESTED_FUNCTIONS));
    let end = "<exception environment call from M-mode>\n?  1: 0x80000034 handler\n  (a trap inside the last level's";
    contains(&said, &[end, "overwrote mepc"]);
    assert!(!said.contains("start"), "{said}");
}

#[test]
fn expressions_find_the_frame_and_the_return_address() {
    // `reset: bl f`; `f: sub sp, #16; str lr, [sp, #4]; movs r7, #9; mov lr, r7; udf #0`.
    let code = [0x2000_8000, 0x0800_0011, 0, 0, 0xF802_F000, 0xBF00_E7FE, 0xF8CD_B084, 0x2709_E004, 0xDE00_46BE];
    let backtrace = |rules: &[u8]| {
        let folder = common::folder();
        // DW_CFA_undefined lr: nothing called `reset`.
        let frames = [(0x0800_0010, 8, &[0x07, 14, 0x0C, 13, 0][..]), (0x0800_0018, 12, rules)];
        let functions = [("reset", 0x10, 8), ("f", 0x18, 12)];
        let image = elf::arm_with_frames(0x0800_0000, &code, &functions, elf::debug_frame(14, &frames));
        std::fs::write(folder.path().join("app.elf"), image).expect("the folder is ours");
        let output = common::cyclescope(folder.path(), &["exec", "app.elf", "--chip", "stm32f446re"]);
        let said = text(&output.stderr).to_owned();
        said.split_once("backtrace:\n").expect(&said).1.to_owned()
    };
    // DW_CFA_def_cfa_expression: breg13 12, lit4, plus.
    let base = [0x0F, 4, 0x7D, 12, 0x34, 0x22];
    // DW_CFA_expression lr: lit12, minus. DW_CFA_val_expression lr: lit12, minus, deref.
    for link in [&[0x10, 14, 2, 0x3C, 0x1C][..], &[0x16, 14, 3, 0x3C, 0x1C, 0x06]] {
        let said = backtrace(&[&base, link].concat());
        assert_eq!(said, "   0: 0x08000022 f\n   1: 0x08000014 reset\n");
    }
    // DW_OP_skip -3.
    let said = backtrace(&[0x0F, 3, 0x2F, 0xFD, 0xFF]);
    assert_eq!(said, "   0: 0x08000022 f\n  (the stack behind the last level is damaged)\n");
}

/// A program whose `outer` makes a system call from the frame of `reset`'s call, over and over. The exception's frame is of 26
/// words if `float`, else of 8; it has a word of padding above it if `padded`. The handler begins with `first`.
fn system_calls(float: bool, padded: bool, first: u16) -> Vec<u8> {
    // `reset: ldr r0, =CPACR; ldr r1, [r0]; orr r1, #0xF00000; str r1, [r0]; vmov.f32 s0, #1.0; again: bl outer; b again`.
    // `outer: push {r3, lr}; svc 0; pop {r3, pc}`. `handler: bx lr`.
    let mut code = vec![0x2000_8000, 0x0800_0031, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0800_0051];
    code.extend([0x6801_4808, 0x0170_F441, 0xEEB7_6001, 0xF000_0A00, 0xE7FC_F803, 0xBF00_BF00]);
    code.extend([0xDF00_B508, 0xBF00_BD08, 0xBF00_0000 | u32::from(first), 0xE000_ED88]);
    if !float {
        (code[14], code[15]) = (0xBF00_6001, 0xF000_BF00);
    }
    // `push {lr}; svc 0; pop {pc}` leaves the stack pointer between multiples of 8.
    if padded {
        (code[18], code[19]) = (0xDF00_B500, 0xBF00_BD00);
    }
    // DW_CFA_advance_loc 2; DW_CFA_def_cfa_offset; DW_CFA_offset lr 1.
    let outer = [0x0C, 13, 0, 0x42, 0x0E, if padded { 4 } else { 8 }, 0x8E, 1];
    let frames =
        [(0x0800_0030, 24, &[0x07, 14, 0x0C, 13, 0][..]), (0x0800_0048, 8, &outer), (0x0800_0050, 4, &[0x0C, 13, 0])];
    let functions = [("reset", 0x30, 24), ("outer", 0x48, 8), ("handler", 0x50, 4)];
    elf::arm_with_frames(0x0800_0000, &code, &functions, elf::debug_frame(14, &frames))
}

/// The level behind the interrupted one is found only by the right size of the exception's frame.
#[test]
fn exception_frames_have_8_or_26_words_and_their_padding() {
    for (float, padded) in [(false, false), (false, true), (true, false), (true, true)] {
        let folder = common::folder();
        // `udf`.
        std::fs::write(folder.path().join("app.elf"), system_calls(float, padded, 0xDE00)).expect("the folder is ours");
        let output = common::cyclescope(folder.path(), &["exec", "app.elf", "--chip", "stm32f446re"]);
        let said = text(&output.stderr);
        let levels = "backtrace:\n   0: 0x08000050 handler\n      <exception SVCall>\n   1: 0x0800004c outer\n   \
                      2: 0x08000042 reset\n";
        assert!(said.ends_with(levels), "{float} {padded}: {said}");
    }
}
