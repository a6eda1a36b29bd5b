//! Steps that are carried out by their bodies, and what comes behind them.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder as _, types};

use super::{Here, Region};
use crate::member::{Exit, Member, Step};
use crate::native::{self, Place};

impl Region<'_, '_> {
    /// Has `count` steps from `here` on carried out by their bodies.
    pub(super) fn call(&mut self, here: Here, count: usize) {
        self.write_back();
        self.set_pc(self.members[here.member].next_pc);
        let standing = self.members[here.member].steps[here.step].standing;
        if let Some(standing) = standing {
            self.note_standing(standing);
        }
        self.note_marks();
        let function = self.builder.ins().load(types::I64, self.memory[2], self.frame, native::BODY);
        let set = native::set_number(standing.map(|standing| standing.set));
        let numbers = [here.member as u32, here.step as u32, count as u32, set].map(|number| self.word(number));
        let [member, step, several, set] = numbers;
        let arguments = [self.frame, member, step, several, set];
        let call = self.builder.ins().call_indirect(self.body, function, &arguments);
        let left = self.builder.inst_results(call)[0];
        let (leaves, stays) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(left, leaves, &[], stays, &[]);
        self.begin(leaves);
        if standing.is_some() {
            let (moved, others) = (self.builder.create_block(), self.builder.create_block());
            let is_moved = self.builder.ins().icmp_imm_s(IntCC::Equal, left, i64::from(native::MOVED));
            self.builder.ins().brif(is_moved, moved, &[], others, &[]);
            self.begin_cold(moved);
            self.leave(Place::Moved { member: here.member, step: here.step + count }, None);
            self.begin(others);
        }
        self.go_where_it_went(here, left);
        self.begin(stays);
        self.reload();
        self.since(|_| None);
    }

    /// In the block `way_out` the step at `here`, which has done nothing yet, is carried out by its body; then both ways come together.
    /// The slots `unsaved` differ from the state there.
    pub(super) fn fall_back(&mut self, here: Here, way_out: ir::Block, mut unsaved: super::state::Slots) {
        let together = self.builder.create_block();
        self.builder.ins().jump(together, &[]);
        std::mem::swap(&mut self.unsaved, &mut unsaved);
        self.begin(way_out);
        self.call(here, 1);
        self.builder.ins().jump(together, &[]);
        self.begin(together);
        self.unsaved.unite(unsaved);
        self.since(|_| None);
    }

    /// Goes on where a body of the block of `here` has gone, which `left` it.
    fn go_where_it_went(&mut self, here: Here, left: ir::Value) {
        let members = self.members;
        let Member { steps, .. } = &members[here.member];
        let Step { ways, exits, .. } = &steps[here.step];
        let ways: Vec<_> = ways.iter().zip(exits).filter(|(_, exit)| exit.to.is_some()).collect();
        if ways.is_empty() {
            if let Some(block) = self.builder.current_block() {
                self.builder.set_cold_block(block);
            }
        } else {
            let (goes_on, stops) = (self.builder.create_block(), self.builder.create_block());
            let loosens = steps[here.step].falls_back && steps[here.step].standing.is_some();
            let expected = if loosens { native::WENT_STRAIGHT_ON } else { native::GOES_ON };
            let is_done = self.builder.ins().icmp_imm_s(IntCC::Equal, left, i64::from(expected));
            self.builder.ins().brif(is_done, goes_on, &[], stops, &[]);
            self.begin(goes_on);
            let there = self.builder.ins().load(types::I32, self.memory[0], self.cpu, self.fields.pc as i32);
            for (way, exit) in ways {
                let (taken, other) = (self.builder.create_block(), self.builder.create_block());
                let is = self.builder.ins().icmp_imm_s(IntCC::Equal, there, i64::from(way.pc as i32));
                self.builder.ins().brif(is, taken, &[], other, &[]);
                self.begin(taken);
                self.reload();
                if loosens {
                    let base = self.builder.ins().load(types::I64, self.memory[2], self.frame, native::BASE);
                    self.set_base(base);
                } else if exit.standing.is_some() {
                    let Some(is) = exit.to.and_then(|member| self.is_at_start(member)) else {
                        self.builder.ins().jump(stops, &[]);
                        self.begin(other);
                        continue;
                    };
                    let goes_on = self.builder.create_block();
                    self.builder.ins().brif(is, goes_on, &[], stops, &[]);
                    self.begin(goes_on);
                }
                let exit = Exit { is_told: true, ..exit.clone() };
                self.go_to(here, way.pc, &exit);
                self.begin(other);
            }
            self.builder.ins().jump(stops, &[]);
            self.begin_cold(stops);
        }
        self.leave(Place::Left { member: here.member }, None);
    }
}
