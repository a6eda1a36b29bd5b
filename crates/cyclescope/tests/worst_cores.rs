//! `measure --arrivals` on cores with other reasons to hold interrupts back: the mask and the handlers of a PicoRV32, an AVR's SREG.I.

use crate::asm::*;
use crate::common;
use crate::elf;

use common::{folder, repeats_alone, text};

/// Measures `elf` on `chip`; returns the longest arrival, which repeats alone, and the table.
fn worst(elf: &[u8], chip: &str, stimuli: &[&str], span: &str) -> (u64, String) {
    let folder = folder();
    std::fs::write(folder.path().join("a.elf"), elf).expect("the folder is ours");
    let head = ["measure", "a.elf", "--chip", chip, "--guest-output", "none", "--for", "1ms"];
    let mut arguments = [&head[..], &["--span", span, "--arrivals", "exhaustive"]].concat();
    arguments.extend(stimuli.iter().flat_map(|stimulus| ["--stimulus", *stimulus]));
    let said = text(&common::cyclescope(folder.path(), &arguments).stdout);
    (repeats_alone(&arguments, |arguments| common::cyclescope(folder.path(), arguments)), said)
}

const UART: u32 = 0x1000_0000;

/// The byte `value` goes to the UART's register `register`, by x5 and x6.
fn store(register: i32, value: i32) -> [u32; 3] {
    [lui(5, UART), addi(6, 0, value), sb(6, 5, register)]
}

/// Returns a program in which the core's own timer has a handler that takes time, and the UART's line is masked in turn, or never.
fn pico(masks: bool) -> Vec<u8> {
    let nops = |count| vec![addi(0, 0, 0); count];
    // The handler sets the timer again, takes time, and reads the character.
    let again = vec![addi(28, 0, 700), timer(0, 28)];
    let handler = [again.clone(), nops(30), vec![lui(28, UART), lb(29, 28, 0), RETIRQ]].concat();
    let set_up: Vec<u32> =
        [(3, 0x83), (0, 1), (1, 0), (3, 0x03), (1, 1)].iter().flat_map(|(r, v)| store(*r, *v)).collect();
    // All lines are masked but the timer's, or but the timer's and the UART's.
    let masked = [vec![addi(8, 0, if masks { !1 } else { !9 }), maskirq(0, 8)], nops(20)].concat();
    let open = [vec![addi(8, 0, !9), maskirq(0, 8)], nops(12)].concat();
    let mut turn = [masked, open].concat();
    turn.push(jal(0, -4 * turn.len() as i32));
    let main = [set_up, again, turn].concat();
    let mut code = vec![0; 0x40];
    code[0] = jal(0, 0x100);
    code[4..4 + handler.len()].copy_from_slice(&handler);
    code.extend(&main);
    let functions = [("handler", 0x10, 4 * handler.len() as u64), ("main", 0x100, 4 * main.len() as u64)];
    elf::riscv(0, &code, &functions)
}

#[test]
fn a_picorv32_holds_back_by_its_mask_and_its_handlers() {
    let window = "at 5000cy..6000cy uart 0 \"x\"";
    let span = "latency=exception:uart:pended..exception:uart:entered";
    for (masks, by) in [(true, "off in irq_mask"), (false, "handler of own timer")] {
        let (longest, said) = worst(&pico(masks), "picorv32", &[window], span);
        let held = said.lines().find(|line| line.starts_with("uart came")).expect("it came");
        assert!(held.contains(&format!("held back by {by}")), "{held}");
        assert!(longest > 90, "as long as the handler, which takes 30 NOPs and more: {said}");
        let stretch = said.lines().find(|line| line.contains("uart") && line.contains("; from cycle "));
        assert!(stretch.is_some_and(|line| line.contains(by)), "{said}");
    }
}

#[test]
fn an_avr_holds_back_by_its_flag() {
    // The vector of INT0 is a RETI; at 0x40 falls of PD2 are asked for by EICRA and EIMSK.
    let mut code = vec![0; 0x40];
    code[0] = 0xC03F;
    code[2] = 0x9518;
    let head = [0xE002, 0x9300, 0x0069, 0xE001, 0x9300, 0x003D];
    // SEI, NOP, NOP, CLI, and 25 NOPs.
    let turn: Vec<u16> = [0x9478, 0, 0, 0x94F8].into_iter().chain([0; 25]).collect();
    let main = [&head[..], &turn, &[0xC000 | (-(turn.len() as i32) - 1) as u16 & 0xFFF]].concat();
    code.extend(&main);
    let elf = elf::avr(&code, &[("handler", 4, 2), ("main", 0x80, 2 * main.len() as u64)]);
    let stimuli = ["at 0 pin PD2 high", "at 2000cy..2100cy pin PD2 low"];
    let (longest, said) = worst(&elf, "atmega328p", &stimuli, "latency=pin:PD2:fall..exception:INT0:entered");
    assert!((26..45).contains(&longest), "as long as the flag is clear: {said}");
    let held = said.lines().find(|line| line.starts_with("INT0 came")).expect("it came");
    assert!(held.contains("held back by SREG.I"), "{held}");
    assert!(said.contains("behind main to cycle"), "both ends are named: {said}");
}
