//! Steps that are carried out by their bodies, and what comes behind them.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder as _, types};

use super::{Here, Member, Region};
use crate::native::{self, Place};

impl Region<'_, '_> {
    /// Has `count` steps from `here` on carried out by their bodies.
    pub(super) fn call(&mut self, here: Here, count: usize) {
        let pc = self.word(self.members[here.member].next_pc);
        self.write_back(pc);
        let function = self.builder.ins().load(types::I64, self.memory[2], self.frame, native::BODY);
        let [member, step, count] = [here.member, here.step, count].map(|number| self.word(number as u32));
        let call = self.builder.ins().call_indirect(self.body, function, &[self.frame, member, step, count]);
        let left = self.builder.inst_results(call)[0];
        let (leaves, stays) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(left, leaves, &[], stays, &[]);
        self.begin(leaves);
        self.go_where_it_went(here, left);
        self.begin(stays);
        self.reload();
    }

    /// Goes on where a body of the block of `here` has gone, which `left` it.
    fn go_where_it_went(&mut self, here: Here, left: ir::Value) {
        let members = self.members;
        let Member { steps, .. } = &members[here.member];
        let ways = steps[here.step].ways.iter().map(|(pc, ..)| *pc);
        let ways: Vec<u32> = ways.filter(|pc| members.iter().any(|member| member.pc == *pc)).collect();
        if ways.is_empty() {
            if let Some(block) = self.builder.current_block() {
                self.builder.set_cold_block(block);
            }
        } else {
            let (goes_on, stops) = (self.builder.create_block(), self.builder.create_block());
            let is_done = self.builder.ins().icmp_imm_s(IntCC::Equal, left, i64::from(native::GOES_ON));
            self.builder.ins().brif(is_done, goes_on, &[], stops, &[]);
            self.begin(goes_on);
            let there = self.builder.ins().load(types::I32, self.memory[0], self.cpu, self.fields.pc as i32);
            for pc in ways {
                let (taken, other) = (self.builder.create_block(), self.builder.create_block());
                let is = self.builder.ins().icmp_imm_s(IntCC::Equal, there, i64::from(pc as i32));
                self.builder.ins().brif(is, taken, &[], other, &[]);
                self.begin(taken);
                self.reload();
                self.go_to(here, pc);
                self.begin(other);
            }
            self.builder.ins().jump(stops, &[]);
            self.begin_cold(stops);
        }
        self.leave(Place::Left { member: here.member });
    }
}
