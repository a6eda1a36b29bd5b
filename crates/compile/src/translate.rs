//! From lowered steps to code of the host.
//!
//! A region is a function of the state and of the [`Frame`](crate::native::Frame) that gives it memory and the bodies to call. The
//! slots of the state, the clock and the count of instructions are variables of it, written back wherever it is left.

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self, AbiParam, AliasRegion, AliasRegionData, Block, InstBuilder as _, MemFlagsData, SigRef, Signature, Type,
    UserFuncName, types,
};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cyclescope_engine::{After, Binary, Compare, Fields, Micro, Unary, Value};
use cyclescope_machine::Ram;

use crate::native::{self, Place};

/// A block in lowered form.
pub struct Member {
    /// The address at which it begins.
    pub pc: u32,
    /// The address at which it goes straight on.
    pub next_pc: u32,
    /// Its static cycles, and the most that it can take.
    pub cycles: u32,
    /// See [`Member::cycles`].
    pub worst_cycles: u32,
    /// The number of its instructions.
    pub count: u32,
    /// Its steps.
    pub steps: Vec<Step>,
    /// The operations where it completes, before its last step writes slots.
    pub completed: Vec<Micro>,
}

/// A step in lowered form.
pub struct Step {
    /// Its operations.
    pub operations: Vec<Micro>,
    /// What comes behind.
    pub after: After,
    /// Static cycles of the block up to the end of its instruction.
    pub cycles: u32,
    /// Instructions of the block up to it.
    pub count: u32,
    /// The ways of a computed branch that are known: the address, cycles beyond static ones, and the operations there.
    pub ways: Vec<(u32, u32, Vec<Micro>)>,
}

/// Makes functions of regions.
pub struct Translator {
    isa: OwnedTargetIsa,
    context: Context,
    builder: FunctionBuilderContext,
}

impl Translator {
    /// One for this host.
    ///
    /// # Errors
    /// The reason if there is no compiler for it.
    pub fn new() -> Result<Self, String> {
        use cranelift_codegen::settings::{self, Configurable as _};
        let mut flags = settings::builder();
        for (name, value) in
            [("opt_level", "speed"), ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" })]
        {
            flags.set(name, value).map_err(|error| error.to_string())?;
        }
        let isa =
            cranelift_native::builder()?.finish(settings::Flags::new(flags)).map_err(|error| error.to_string())?;
        Ok(Self { isa, context: Context::new(), builder: FunctionBuilderContext::new() })
    }

    /// The code of the region of `members`, the first of which is entered; `None` if it is none that can be placed anywhere.
    pub fn translate(&mut self, members: &[Member], fields: &Fields, ram_base: u32) -> Option<Vec<u8>> {
        self.context.clear();
        let call = self.isa.default_call_conv();
        let pointer = AbiParam::new(types::I64);
        let function = &mut self.context.func;
        function.name = UserFuncName::user(0, 0);
        function.signature = Signature { params: vec![pointer, pointer], returns: vec![pointer], call_conv: call };
        let mut builder = FunctionBuilder::new(function, &mut self.builder);
        let mut memory = |user_id: u32, description: &'static str| {
            let region: AliasRegion =
                builder.func.dfg.alias_regions.insert(AliasRegionData { user_id, description: description.into() });
            MemFlagsData::trusted().with_alias_region(Some(region))
        };
        let (state, ram, frame) = (memory(0, "state"), memory(1, "RAM"), memory(2, "frame"));
        let word = AbiParam::new(types::I32);
        let body = builder.import_signature(Signature {
            params: vec![pointer, word, word],
            returns: vec![word],
            call_conv: call,
        });
        let recall = builder.import_signature(Signature {
            params: vec![pointer, word, pointer, AbiParam::new(types::I8)],
            returns: vec![pointer],
            call_conv: call,
        });
        let read_flash = builder.import_signature(Signature {
            params: vec![pointer, word, pointer],
            returns: vec![pointer],
            call_conv: call,
        });
        let mut region = Region {
            members,
            fields,
            ram_base,
            memory: [state, ram, frame],
            body,
            recall,
            read_flash,
            slots: vec![None; fields.slots.len()],
            written: vec![false; fields.slots.len()],
            now: builder.declare_var(types::I64),
            instructions: builder.declare_var(types::I64),
            cpu: ir::Value::from_u32(0),
            frame: ir::Value::from_u32(0),
            heads: Vec::new(),
            builder,
        };
        region.declare();
        region.enter();
        for number in 0..members.len() {
            region.member(number);
        }
        region.builder.seal_all_blocks();
        region.builder.finalize(self.isa.frontend_config());
        let compiled = self.context.compile(&*self.isa, &mut ControlPlane::default()).ok()?;
        compiled.buffer.relocs().is_empty().then(|| compiled.buffer.data().to_vec())
    }
}

/// A region that is being made.
struct Region<'a, 'f> {
    members: &'a [Member],
    fields: &'a Fields,
    ram_base: u32,
    /// The state's memory, RAM, and the frame's.
    memory: [MemFlagsData; 3],
    body: SigRef,
    recall: SigRef,
    read_flash: SigRef,
    /// The variable of each slot that is used.
    slots: Vec<Option<Variable>>,
    /// The slots that are written.
    written: Vec<bool>,
    now: Variable,
    instructions: Variable,
    cpu: ir::Value,
    frame: ir::Value,
    /// The beginning of each member.
    heads: Vec<Block>,
    builder: FunctionBuilder<'f>,
}

/// The position in a region.
#[derive(Clone, Copy)]
struct Here {
    member: usize,
    step: usize,
}

/// What a step has computed and not yet written.
#[derive(Default)]
struct Pending {
    values: Vec<Option<ir::Value>>,
    slots: Vec<(u8, ir::Value)>,
    passed: Option<ir::Value>,
    /// The way out where it gives up.
    gives_up: Option<Block>,
}

fn type_of(bytes: u8) -> Type {
    match bytes {
        1 => types::I8,
        2 => types::I16,
        4 => types::I32,
        _ => types::I64,
    }
}

impl Region<'_, '_> {
    /// Declares variables of the slots that are used.
    fn declare(&mut self) {
        let steps = self.members.iter().flat_map(|member| &member.steps);
        let operations = steps
            .flat_map(|step| step.operations.iter().chain(step.ways.iter().flat_map(|(_, _, operations)| operations)))
            .chain(self.members.iter().flat_map(|member| &member.completed));
        for operation in operations {
            let (slot, writes) = match operation {
                Micro::Get(slot) => (*slot, false),
                Micro::Set(slot, _) => (*slot, true),
                _ => continue,
            };
            let number = usize::from(slot);
            if self.slots[number].is_none() {
                self.slots[number] = Some(self.builder.declare_var(type_of(self.fields.slots[number].bytes)));
            }
            self.written[number] |= writes;
        }
    }

    fn enter(&mut self) {
        let entry = self.builder.create_block();
        self.builder.append_block_params_for_function_params(entry);
        self.heads = self.members.iter().map(|_| self.builder.create_block()).collect();
        self.builder.switch_to_block(entry);
        (self.cpu, self.frame) = (self.builder.block_params(entry)[0], self.builder.block_params(entry)[1]);
        self.reload();
        self.builder.ins().jump(self.heads[0], &[]);
    }

    /// Reads everything from the state.
    fn reload(&mut self) {
        let [state, ..] = self.memory;
        for (slot, variable) in self.fields.slots.iter().zip(&self.slots) {
            if let Some(variable) = variable {
                let value = self.builder.ins().load(type_of(slot.bytes), state, self.cpu, slot.offset as i32);
                self.builder.def_var(*variable, value);
            }
        }
        for (variable, offset) in [(self.now, self.fields.now), (self.instructions, self.fields.instructions)] {
            let value = self.builder.ins().load(types::I64, state, self.cpu, offset as i32);
            self.builder.def_var(variable, value);
        }
    }

    /// Writes everything to the state, with `pc`.
    fn write_back(&mut self, pc: ir::Value) {
        let [state, ..] = self.memory;
        for ((slot, variable), written) in self.fields.slots.iter().zip(&self.slots).zip(&self.written) {
            if let (Some(variable), true) = (variable, written) {
                let value = self.builder.use_var(*variable);
                self.builder.ins().store(state, value, self.cpu, slot.offset as i32);
            }
        }
        for (variable, offset) in [(self.now, self.fields.now), (self.instructions, self.fields.instructions)] {
            let value = self.builder.use_var(variable);
            self.builder.ins().store(state, value, self.cpu, offset as i32);
        }
        self.builder.ins().store(state, pc, self.cpu, self.fields.pc as i32);
    }

    fn word(&mut self, value: u32) -> ir::Value {
        self.builder.ins().iconst(types::I32, i64::from(value))
    }

    fn leave(&mut self, place: Place) {
        let result = self.builder.ins().iconst(types::I64, place.pack() as i64);
        self.builder.ins().return_(&[result]);
    }

    /// Leaves behind the block of `here`, to go on at `pc`.
    fn leave_at(&mut self, here: Here, pc: ir::Value) {
        self.write_back(pc);
        self.leave(Place::Behind { member: here.member });
    }

    /// Goes on at `pc` behind the block of `here`.
    fn go_to(&mut self, here: Here, pc: u32) {
        match self.members.iter().position(|member| member.pc == pc) {
            Some(member) => {
                self.builder.ins().jump(self.heads[member], &[]);
            }
            None => {
                let pc = self.word(pc);
                self.leave_at(here, pc);
            }
        }
    }

    /// Lets constant cycles pass, and counts instructions.
    fn count(&mut self, cycles: u32, instructions: u32) {
        for (variable, by) in [(self.now, cycles), (self.instructions, instructions)] {
            let before = self.builder.use_var(variable);
            let after = self.builder.ins().iadd_imm_s(before, i64::from(by));
            self.builder.def_var(variable, after);
        }
    }

    fn member(&mut self, number: usize) {
        let member = &self.members[number];
        self.builder.switch_to_block(self.heads[number]);
        let (late, begins) = (self.builder.create_block(), self.builder.create_block());
        let now = self.builder.use_var(self.now);
        let worst = self.builder.ins().iadd_imm_s(now, i64::from(member.worst_cycles));
        let horizon = self.builder.ins().load(types::I64, self.memory[0], self.cpu, self.fields.horizon as i32);
        let is_late = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, worst, horizon);
        self.builder.ins().brif(is_late, late, &[], begins, &[]);
        self.builder.set_cold_block(late);
        self.builder.switch_to_block(late);
        let pc = self.word(member.pc);
        self.write_back(pc);
        self.leave(Place::Before { member: number });
        self.builder.switch_to_block(begins);
        // A step that a guard skips is followed by this.
        let mut join: Option<(usize, Block)> = None;
        let mut open = true;
        for (step, lowered) in member.steps.iter().enumerate() {
            if let Some((_, block)) = join.take_if(|(at, _)| *at == step) {
                self.join(block, &mut open);
            }
            if !open {
                break;
            }
            let here = Here { member: number, step };
            match self.step(here, lowered) {
                Onward::Next => {}
                Onward::Guarded(block) => join = Some((step + 2, block)),
                Onward::Over => open = false,
            }
        }
        if let Some((_, block)) = join {
            self.join(block, &mut open);
        }
        if open {
            let here = Here { member: number, step: member.steps.len() };
            self.complete(here, &Pending::default(), 0);
            self.go_to(here, member.next_pc);
        }
    }

    fn join(&mut self, block: Block, open: &mut bool) {
        if *open {
            self.builder.ins().jump(block, &[]);
        }
        self.builder.switch_to_block(block);
        *open = true;
    }

    fn step(&mut self, here: Here, step: &Step) -> Onward {
        if step.after == After::Body {
            self.call(here);
            return Onward::Next;
        }
        let mut pending = Pending::default();
        self.carry_out(here, &step.operations, &mut pending);
        match step.after {
            After::Next | After::Body => {
                self.write(&pending);
                Onward::Next
            }
            After::Guard(holds, saved) => {
                let holds = pending.value(holds);
                self.write(&pending);
                let (taken, skipped, join) =
                    (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
                self.builder.ins().brif(holds, taken, &[], skipped, &[]);
                self.builder.switch_to_block(skipped);
                let now = self.builder.use_var(self.now);
                let now = self.builder.ins().iadd_imm_s(now, -i64::from(saved));
                self.builder.def_var(self.now, now);
                self.builder.ins().jump(join, &[]);
                self.builder.switch_to_block(taken);
                Onward::Guarded(join)
            }
            After::LeavesIf(holds, pc, extra) => {
                let holds = pending.value(holds);
                let (leaves, stays) = (self.builder.create_block(), self.builder.create_block());
                self.builder.ins().brif(holds, leaves, &[], stays, &[]);
                self.builder.switch_to_block(leaves);
                self.write(&pending);
                self.count(step.cycles + extra, step.count);
                self.go_to(here, pc);
                self.builder.switch_to_block(stays);
                Onward::Next
            }
            After::Ends(pc) => {
                self.complete(here, &pending, 0);
                self.go_to(here, pc);
                Onward::Over
            }
            After::EndsIf(holds, pc, extra) => {
                let holds = pending.value(holds);
                let (taken, straight) = (self.builder.create_block(), self.builder.create_block());
                self.builder.ins().brif(holds, taken, &[], straight, &[]);
                self.builder.switch_to_block(taken);
                self.complete(here, &pending, extra);
                self.go_to(here, pc);
                self.builder.switch_to_block(straight);
                self.complete(here, &Pending::default(), 0);
                self.go_to(here, self.members[here.member].next_pc);
                Onward::Over
            }
            After::EndsAt(target) => {
                let target = pending.value(target);
                for (pc, extra, operations) in &step.ways {
                    let (taken, other) = (self.builder.create_block(), self.builder.create_block());
                    let is = self.builder.ins().icmp_imm_s(IntCC::Equal, target, i64::from(*pc as i32));
                    self.builder.ins().brif(is, taken, &[], other, &[]);
                    self.builder.switch_to_block(taken);
                    self.complete(here, &pending, *extra);
                    let mut there = Pending::default();
                    self.carry_out(here, operations, &mut there);
                    self.write(&there);
                    self.go_to(here, *pc);
                    self.builder.switch_to_block(other);
                }
                self.give_up(here);
                Onward::Over
            }
        }
    }

    /// The block of `here` completes, `extra` cycles later than by its static ones. Its last step writes what is `pending`.
    fn complete(&mut self, here: Here, pending: &Pending, extra: u32) {
        let Member { cycles, count, completed, .. } = &self.members[here.member];
        let mut first = Pending::default();
        self.carry_out(here, completed, &mut first);
        self.write(&first);
        self.write(pending);
        self.count(cycles + extra, *count);
    }

    /// Writes what is pending to the variables.
    fn write(&mut self, pending: &Pending) {
        for (slot, value) in &pending.slots {
            if let Some(variable) = self.slots[usize::from(*slot)] {
                self.builder.def_var(variable, *value);
            }
        }
        if let Some(passed) = pending.passed {
            let now = self.builder.use_var(self.now);
            let now = self.builder.ins().iadd(now, passed);
            self.builder.def_var(self.now, now);
        }
    }

    /// Leaves before the step at `here`, which the interpreter carries out with the rest of the block.
    fn give_up(&mut self, here: Here) {
        let pc = self.word(self.members[here.member].next_pc);
        self.write_back(pc);
        self.leave(Place::At { member: here.member, step: here.step });
    }

    /// Gives up unless `holds`.
    fn require(&mut self, holds: ir::Value, pending: &mut Pending) {
        let way_out = *pending.gives_up.get_or_insert_with(|| {
            let block = self.builder.create_block();
            self.builder.set_cold_block(block);
            block
        });
        let goes_on = self.builder.create_block();
        self.builder.ins().brif(holds, goes_on, &[], way_out, &[]);
        self.builder.switch_to_block(goes_on);
    }

    /// Has the step at `here` carried out by its body.
    fn call(&mut self, here: Here) {
        let pc = self.word(self.members[here.member].next_pc);
        self.write_back(pc);
        let function = self.builder.ins().load(types::I64, self.memory[2], self.frame, native::BODY);
        let (member, step) = (self.word(here.member as u32), self.word(here.step as u32));
        let call = self.builder.ins().call_indirect(self.body, function, &[self.frame, member, step]);
        let left = self.builder.inst_results(call)[0];
        let (leaves, stays) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(left, leaves, &[], stays, &[]);
        self.builder.set_cold_block(leaves);
        self.builder.switch_to_block(leaves);
        self.leave(Place::Left { member: here.member });
        self.builder.switch_to_block(stays);
        self.reload();
    }

    fn carry_out(&mut self, here: Here, operations: &[Micro], pending: &mut Pending) {
        for operation in operations {
            let value = self.operation(here, operation, pending);
            pending.values.push(value);
        }
        if let Some(way_out) = pending.gives_up {
            // What is behind it is not filled yet.
            let behind = self.builder.create_block();
            self.builder.ins().jump(behind, &[]);
            self.builder.switch_to_block(way_out);
            self.give_up(here);
            self.builder.switch_to_block(behind);
        }
    }

    fn operation(&mut self, here: Here, operation: &Micro, pending: &mut Pending) -> Option<ir::Value> {
        let [_, ram, frame] = self.memory;
        Some(match *operation {
            Micro::Constant(value, bytes) => {
                let bits = 64 - 8 * u32::from(bytes);
                self.builder.ins().iconst(type_of(bytes), ((value << bits) >> bits) as i64)
            }
            Micro::Get(slot) => {
                let variable = self.slots[usize::from(slot)]?;
                self.builder.use_var(variable)
            }
            Micro::Set(slot, value) => {
                let value = pending.value(value);
                pending.slots.push((slot, value));
                return None;
            }
            Micro::Binary(operation, a, b) => {
                let (a, b) = (pending.value(a), pending.value(b));
                let ins = self.builder.ins();
                match operation {
                    Binary::Add => ins.iadd(a, b),
                    Binary::Sub => ins.isub(a, b),
                    Binary::Mul => ins.imul(a, b),
                    Binary::And => ins.band(a, b),
                    Binary::Or => ins.bor(a, b),
                    Binary::Xor => ins.bxor(a, b),
                    Binary::ShiftLeft => ins.ishl(a, b),
                    Binary::ShiftRight => ins.ushr(a, b),
                    Binary::ShiftRightSigned => ins.sshr(a, b),
                    Binary::RotateRight => ins.rotr(a, b),
                    Binary::MinUnsigned => ins.umin(a, b),
                    Binary::Divide | Binary::DivideSigned | Binary::Remainder | Binary::RemainderSigned => {
                        return Some(self.divide(operation, a, b));
                    }
                }
            }
            Micro::Unary(operation, a) => {
                let a = pending.value(a);
                let ins = self.builder.ins();
                match operation {
                    Unary::Not => ins.bnot(a),
                    Unary::Negate => ins.ineg(a),
                    Unary::SwapBytes => ins.bswap(a),
                    Unary::ReverseBits => ins.bitrev(a),
                    Unary::LeadingZeros => ins.clz(a),
                }
            }
            Micro::Compare(comparison, a, b) => {
                let condition = match comparison {
                    Compare::Equal => IntCC::Equal,
                    Compare::NotEqual => IntCC::NotEqual,
                    Compare::Less => IntCC::UnsignedLessThan,
                    Compare::LessOrEqual => IntCC::UnsignedLessThanOrEqual,
                    Compare::LessSigned => IntCC::SignedLessThan,
                    Compare::LessOrEqualSigned => IntCC::SignedLessThanOrEqual,
                };
                let (a, b) = (pending.value(a), pending.value(b));
                self.builder.ins().icmp(condition, a, b)
            }
            Micro::Select(truth, a, b) => {
                let (truth, a, b) = (pending.value(truth), pending.value(a), pending.value(b));
                self.builder.ins().select(truth, a, b)
            }
            Micro::Widen(value, bytes, signed) => {
                let (value, to) = (pending.value(value), type_of(bytes));
                if signed { self.builder.ins().sextend(to, value) } else { self.builder.ins().uextend(to, value) }
            }
            Micro::Narrow(value, bytes) => {
                let value = pending.value(value);
                self.builder.ins().ireduce(type_of(bytes), value)
            }
            Micro::Pc => self.word(self.members[here.member].next_pc),
            Micro::Ram { address, bytes, count, writes } => {
                let address = pending.value(address);
                self.place_in_ram(address, bytes, count, writes, pending)
            }
            Micro::Load(place, offset, bytes) => {
                let place = pending.value(place);
                self.builder.ins().load(type_of(bytes), ram, place, i32::from(offset))
            }
            Micro::Store(place, offset, value) => {
                let (place, value) = (pending.value(place), pending.value(value));
                self.builder.ins().store(ram, value, place, i32::from(offset));
                return None;
            }
            Micro::Unless(truth) => {
                let truth = pending.value(truth);
                let holds = self.builder.ins().icmp_imm_s(IntCC::Equal, truth, 0);
                self.require(holds, pending);
                return None;
            }
            Micro::Pass(cycles) => {
                let cycles = pending.value(cycles);
                pending.passed = Some(match pending.passed {
                    Some(passed) => self.builder.ins().iadd(passed, cycles),
                    None => cycles,
                });
                return None;
            }
            Micro::Fetches(run, anew) => {
                let anew = pending.value(anew);
                let (run, now) = (self.word(run), self.builder.use_var(self.now));
                let function = self.builder.ins().load(types::I64, frame, self.frame, native::RECALL);
                let call = self.builder.ins().call_indirect(self.recall, function, &[self.frame, run, now, anew]);
                let stall = self.builder.inst_results(call)[0];
                let holds = self.builder.ins().icmp_imm_s(IntCC::NotEqual, stall, native::UNKNOWN as i64);
                self.require(holds, pending);
                stall
            }
            Micro::ReadFlash(offset, behind) => {
                let behind = pending.value(behind);
                let (offset, now) = (self.word(offset), self.builder.use_var(self.now));
                let at = self.builder.ins().iadd(now, behind);
                let function = self.builder.ins().load(types::I64, frame, self.frame, native::READ_FLASH);
                let call = self.builder.ins().call_indirect(self.read_flash, function, &[self.frame, offset, at]);
                self.builder.inst_results(call)[0]
            }
        })
    }

    /// A quotient or remainder, without what the host traps.
    fn divide(&mut self, operation: Binary, a: ir::Value, b: ir::Value) -> ir::Value {
        let kind = self.builder.func.dfg.value_type(a);
        let by_zero = self.builder.ins().icmp_imm_s(IntCC::Equal, b, 0);
        let mut unsafely = by_zero;
        if matches!(operation, Binary::DivideSigned | Binary::RemainderSigned) {
            // By 1 it gives the same.
            let least = self.builder.ins().icmp_imm_s(IntCC::Equal, a, i64::MIN >> (64 - kind.bits()));
            let by_minus_one = self.builder.ins().icmp_imm_s(IntCC::Equal, b, -1);
            let overflows = self.builder.ins().band(least, by_minus_one);
            unsafely = self.builder.ins().bor(by_zero, overflows);
        }
        let one = self.builder.ins().iconst(kind, 1);
        let divisor = self.builder.ins().select(unsafely, one, b);
        let (result, by_none) = match operation {
            Binary::Divide => (self.builder.ins().udiv(a, divisor), self.builder.ins().iconst(kind, 0)),
            Binary::DivideSigned => (self.builder.ins().sdiv(a, divisor), self.builder.ins().iconst(kind, 0)),
            Binary::Remainder => (self.builder.ins().urem(a, divisor), a),
            _ => (self.builder.ins().srem(a, divisor), a),
        };
        self.builder.ins().select(by_zero, by_none, result)
    }

    /// The host's address of what [`Micro::Ram`] asks for.
    fn place_in_ram(
        &mut self,
        address: ir::Value,
        bytes: u8,
        count: u8,
        writes: bool,
        pending: &mut Pending,
    ) -> ir::Value {
        let [_, _, frame] = self.memory;
        let offset = self.builder.ins().iadd_imm_s(address, -i64::from(self.ram_base));
        // Rotated, one that is not aligned is beyond the last.
        let shift = u32::from(bytes).trailing_zeros();
        let index = if shift == 0 { offset } else { self.builder.ins().rotr_imm_u(offset, i64::from(shift)) };
        let mut last = self.builder.ins().uextend(types::I64, index);
        if count > 1 {
            last = self.builder.ins().iadd_imm_s(last, i64::from(count) - 1);
        }
        let elements = native::ELEMENTS + 8 * shift as i32;
        let limit = self.builder.ins().load(types::I64, frame, self.frame, elements);
        let inside = self.builder.ins().icmp(IntCC::UnsignedLessThan, last, limit);
        self.require(inside, pending);
        let offset = self.builder.ins().uextend(types::I64, offset);
        if writes {
            let pages = self.builder.ins().load(types::I64, frame, self.frame, native::PAGES);
            let end = i64::from(count - 1) * i64::from(bytes);
            for behind in [0, end].into_iter().take(if count > 1 { 2 } else { 1 }) {
                let at = self.builder.ins().iadd_imm_s(offset, behind);
                let page = self.builder.ins().ushr_imm_u(at, i64::from(Ram::PAGE_BYTES.trailing_zeros()));
                let page = self.builder.ins().iadd(pages, page);
                // The bodies that are called change it.
                let state = self.builder.ins().load(types::I8, frame, page, 0);
                let settled = self.builder.ins().icmp_imm_s(IntCC::Equal, state, i64::from(Ram::SETTLED));
                self.require(settled, pending);
            }
        }
        let ram = self.builder.ins().load(types::I64, frame, self.frame, native::RAM);
        self.builder.ins().iadd(ram, offset)
    }
}

/// The way in which translation goes on behind a step.
enum Onward {
    /// With the next step.
    Next,
    /// With the next step, which is skipped by going to the block.
    Guarded(Block),
    /// Not at all.
    Over,
}

impl Pending {
    fn value(&self, value: Value) -> ir::Value {
        self.values[value.0 as usize].expect("the operation gives a value")
    }
}
