//! Cycles, row by row of the tables.

use crate::common;

use common::asm::*;
use common::*;
use cyclescope_xtensa::{Config, timing};

/// The cycles of `code` on `config`, from its beginning to its end, which follows straight.
fn cycles(config: Config, code: &[u32]) -> u64 {
    let code = Code::at(RAM).add(code).add(&[rst("NOP", 0, 0, 0); 4]);
    let end = RAM + (code.bytes.len() as u32) - 12;
    let mut machine = Machine::new(config, &[code]);
    let begin = machine.now();
    machine.core.watch(cyclescope_machine::units::Address::new(end));
    machine.core.cpu_mut().ps.exception = false;
    machine.core.cpu_mut().coprocessors = 1;
    machine.run(10_000);
    assert_eq!(machine.core.cpu().pc, end);
    machine.now() - begin
}

#[test]
fn the_result_of_a_load_is_awaited_by_who_reads_it() {
    let nop = rst("NOP", 0, 0, 0);
    let (load, uses) = (l32i(2, 15, 0), rst("ADD", 3, 2, 2));
    for (config, late) in [(lx106(), 1), (lx6(), 2)] {
        assert_eq!(cycles(config, &[load, uses]), 2 + late);
        assert_eq!(cycles(config, &[load, nop, uses]), 3 + late - 1);
        assert_eq!(cycles(config, &[load, nop, nop, uses]), 4);
        assert_eq!(cycles(config, &[load, rst("ADD", 3, 4, 4)]), 2);
        // What is written anew is not awaited.
        assert_eq!(cycles(config, &[load, movi(2, 0), uses]), 3);
    }
}

#[test]
fn products_and_special_registers_come_a_cycle_later() {
    for config in [lx106(), lx6()] {
        assert_eq!(cycles(config, &[rst("MULL", 2, 3, 4), rst("ADD", 3, 2, 2)]), 3);
        assert_eq!(cycles(config, &[special("RSR", 2, sr::SAR), rst("ADD", 3, 2, 2)]), 3);
    }
    assert_eq!(cycles(lx6(), &[rst("ADD.S", 2, 3, 4), rst("ADD.S", 3, 2, 2)]), 5);
    assert_eq!(cycles(lx6(), &[rst("ADD.S", 2, 3, 4), rst("ADD.S", 3, 4, 4)]), 2);
    assert_eq!(cycles(lx6(), &[rst("QUOU", 2, 15, 1)]), 2);
}

#[test]
fn a_branch_that_is_taken_costs_the_stages_behind_it() {
    for (config, taken) in [(lx106(), 2), (lx6(), 3)] {
        // Over one instruction, to an address whose word holds all of the target, then across two words.
        assert_eq!(cycles(config, &[st8("BEQZ", 2, 0, 0) | 2 << 12, rst("NOP", 0, 0, 0)]), 1 + taken + 1, "crosses");
        let nop = rst("NOP", 0, 0, 0);
        assert_eq!(cycles(config, &[nop, nop, st8("BEQZ", 2, 0, 0) | 2 << 12, nop]), 3 + taken);
        assert_eq!(cycles(config, &[rst("BNEZ", 0, 2, 0) | 2 << 12, nop]), 2, "falls through");
    }
}

#[test]
fn a_loop_goes_back_at_no_cost() {
    let code = [movi(2, 10), rst("LOOP", 0, 2, 0) | 5 << 16, addi(3, 3, 1), addi(3, 3, 1)];
    assert_eq!(cycles(lx6(), &code), 2 + 20);
    // What the end of the loop loads is awaited at its beginning.
    let code = [movi(2, 10), rst("LOOP", 0, 2, 0) | 5 << 16, rst("ADD", 3, 4, 4), l32i(4, 15, 0)];
    assert_eq!(cycles(lx6(), &code), 2 + 20 + 9 * 2);
}

#[test]
fn every_row_of_a_table_has_a_name_of_its_own() {
    for table in [&timing::LX106, &timing::LX6] {
        for (index, row) in table.rows.iter().enumerate() {
            assert!(table.rows[..index].iter().all(|other| other.name != row.name), "{}", row.name);
        }
    }
}
