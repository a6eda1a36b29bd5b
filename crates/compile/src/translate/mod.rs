//! From lowered steps to code of the host.
//!
//! A region is a function of the state and of the [`Frame`](crate::native::Frame) that gives it memory and the bodies to call. The
//! slots of the state and the clock are variables of it, and the count of instructions is the state's. Slots are
//! written to the state where they are [`Due`]: before the region looks at the horizon, where an observer is told what has run, or where
//! it is left; a place where it is left between two looks writes what was set since, and what is only written there.
//!
//! In one that is made quickly ([`Effort::Quick`]), variables do not outlive a member: what it has set is written to the state at each end
//! of it, and read again where the next one begins. So a value is in a register for a short time, and ways out write little.

mod bodies;
mod counts;
mod flash;
mod memory;
mod operations;
mod state;

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self, AbiParam, AliasRegion, AliasRegionData, Block, InstBuilder as _, MemFlagsData, SigRef, Signature, Type,
    UserFuncName, types,
};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cyclescope_engine::{After, Due, Fields, Micro, Value};

use crate::Effort;
use crate::flow::Ways;
use crate::member::{Count, Exit, FlashUse, KnownMark, Member, Standing, Step, Variant};
use crate::native::{self, Place};
use crate::shared;
use counts::Tally;
use state::Slots;

/// A translated region.
pub struct Translated {
    /// Its code, which can be placed anywhere.
    pub code: Vec<u8>,
    /// The tables that it looks up.
    pub tables: Vec<u32>,
    /// The numbers of noted steps in the order of their marks.
    pub noted: Vec<usize>,
    /// The numbers that it counts.
    pub counts: Vec<Count>,
    /// The marks that count known cycles.
    pub known_marks: Vec<KnownMark>,
}

/// Makes functions of regions.
pub struct Translator {
    /// The compilers that work quickly and well.
    isas: [OwnedTargetIsa; 2],
    context: Context,
    builder: FunctionBuilderContext,
}

impl Translator {
    /// One for this host.
    ///
    /// # Errors
    /// The reason if there is no compiler for it.
    pub fn new() -> Result<Self, String> {
        let isas = [compiler("none")?, compiler("speed")?];
        Ok(Self { isas, context: Context::new(), builder: FunctionBuilderContext::new() })
    }

    /// The code of `region` with these `ways`, which is entered at one of [`Ways::entries`] by its number; `None` if
    /// it is none that can be placed anywhere.
    pub fn translate(&mut self, region: &shared::Region, ways: &Ways) -> Option<Translated> {
        let shared::Region { fields, ram_base, members, sets, is_counted, effort, .. } = region;
        self.context.clear();
        let [quick, full] = &self.isas;
        let isa = if *effort == Effort::Quick { quick } else { full };
        let call = isa.default_call_conv();
        let pointer = AbiParam::new(types::I64);
        let function = &mut self.context.func;
        function.name = UserFuncName::user(0, 0);
        function.signature = Signature { params: vec![pointer; 3], returns: vec![pointer], call_conv: call };
        let mut builder = FunctionBuilder::new(function, &mut self.builder);
        let mut memory = |user_id: u32, description: &'static str| {
            let region: AliasRegion =
                builder.func.dfg.alias_regions.insert(AliasRegionData { user_id, description: description.into() });
            MemFlagsData::trusted().with_alias_region(Some(region))
        };
        let (state, ram) = (memory(0, "state"), memory(1, "RAM"));
        let (frame, flash) = (memory(2, "frame"), memory(3, "flash"));
        let word = AbiParam::new(types::I32);
        let body = builder.import_signature(Signature {
            params: vec![pointer, word, word, word, word],
            returns: vec![word],
            call_conv: call,
        });
        let caches_data =
            builder.import_signature(Signature { params: vec![pointer, word], returns: vec![word], call_conv: call });
        let next =
            builder.import_signature(Signature { params: vec![pointer, word], returns: vec![], call_conv: call });
        let tally = is_counted.then(|| Tally::new(next, || builder.declare_var(types::I64)));
        let mut region = Region {
            is_quick: *effort == Effort::Quick,
            tally,
            members,
            ways,
            fields,
            ram_base: *ram_base,
            sets,
            memory: [state, ram, frame, flash],
            body,
            caches_data,
            slots: vec![None; fields.slots.len()],
            written: vec![false; fields.slots.len()],
            unsaved: Slots::NONE,
            unsaved_at: vec![Slots::NONE; members.len()],
            now: builder.declare_var(types::I64),
            ram: builder.declare_var(types::I64),
            pages: builder.declare_var(types::I64),
            base: builder.declare_var(types::I64),
            variant: builder.declare_var(types::I64),
            uses: uses_lines(members).then(|| builder.declare_var(types::I64)),
            tables: Vec::new(),
            noted: Vec::new(),
            cpu: ir::Value::from_u32(0),
            frame: ir::Value::from_u32(0),
            way_out: Block::from_u32(0),
            heads: Vec::new(),
            builder,
        };
        region.declare();
        region.enter();
        for number in &ways.order {
            region.member(*number);
        }
        region.finish();
        region.builder.seal_all_blocks();
        let (tables, noted) = (std::mem::take(&mut region.tables), std::mem::take(&mut region.noted));
        let (counts, known_marks) = region.tally.take().map(Tally::finish).unwrap_or_default();
        region.builder.finalize(isa.frontend_config());
        let compiled = self.context.compile(&**isa, &mut ControlPlane::default()).ok()?;
        let code = compiled.buffer.data().to_vec();
        compiled.buffer.relocs().is_empty().then_some(Translated { code, tables, noted, counts, known_marks })
    }
}

/// A compiler for this host, which optimises so much.
fn compiler(opt_level: &str) -> Result<OwnedTargetIsa, String> {
    use cranelift_codegen::settings::{self, Configurable as _};
    let mut flags = settings::builder();
    let enable_verifier = if cfg!(debug_assertions) { "true" } else { "false" };
    for (name, value) in [("opt_level", opt_level), ("enable_verifier", enable_verifier)] {
        flags.set(name, value).map_err(|error| error.to_string())?;
    }
    cranelift_native::builder()?.finish(settings::Flags::new(flags)).map_err(|error| error.to_string())
}

/// A region that is being made.
struct Region<'a, 'f> {
    is_quick: bool,
    members: &'a [Member],
    ways: &'a Ways,
    fields: &'a Fields,
    ram_base: u32,
    /// The sets of states of flash.
    sets: &'a [Vec<Variant>],
    /// The state's memory, RAM, the frame's, and the flash interface's.
    memory: [MemFlagsData; 4],
    body: SigRef,
    caches_data: SigRef,
    /// The variable of each slot that is used.
    slots: Vec<Option<Variable>>,
    /// The slots that are written.
    written: Vec<bool>,
    /// The slots that may differ from the state here, and at the beginning of each member.
    unsaved: Slots,
    unsaved_at: Vec<Slots>,
    now: Variable,
    /// The frame's pointers of these names.
    ram: Variable,
    pages: Variable,
    /// The cycle that the states of flash count from, where that does not follow from the clock.
    base: Variable,
    /// The number of its state, where it may be in several.
    variant: Variable,
    /// The count of uses of lines, if it counts any.
    uses: Option<Variable>,
    tables: Vec<u32>,
    noted: Vec<usize>,
    /// The counts for an observer, if there is one.
    tally: Option<Tally>,
    cpu: ir::Value,
    frame: ir::Value,
    /// The block that returns the place at which the region is left.
    way_out: Block,
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

/// The results of a step that are not written yet.
#[derive(Default)]
struct Pending {
    values: Vec<Option<ir::Value>>,
    slots: Vec<(u8, ir::Value)>,
    passed: Option<ir::Value>,
    /// The stall that was sought, and the number of the state after it.
    stall: Option<ir::Value>,
    variant: Option<ir::Value>,
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
    fn enter(&mut self) {
        let entry = self.builder.create_block();
        self.builder.append_block_params_for_function_params(entry);
        self.heads = self.members.iter().map(|_| self.builder.create_block()).collect();
        self.way_out = self.builder.create_block();
        self.builder.append_block_param(self.way_out, types::I64);
        self.begin(entry);
        let parameters = self.builder.block_params(entry);
        let number = parameters[2];
        (self.cpu, self.frame) = (parameters[0], parameters[1]);
        if !self.is_quick {
            self.reload_all();
        }
        let ways = self.ways;
        for (other, member) in ways.entries.iter().enumerate().skip(1) {
            let next = self.builder.create_block();
            let is = self.builder.ins().icmp_imm_s(IntCC::Equal, number, other as i64);
            self.builder.ins().brif(is, self.heads[*member], &[], next, &[]);
            self.begin(next);
        }
        self.builder.ins().jump(self.heads[0], &[]);
    }

    /// Returns from the function.
    fn finish(&mut self) {
        self.builder.switch_to_block(self.way_out);
        let place = self.builder.block_params(self.way_out)[0];
        self.builder.ins().return_(&[place]);
    }

    /// Goes on in `block`, to which all ways are known.
    fn begin(&mut self, block: Block) {
        self.builder.switch_to_block(block);
        self.builder.seal_block(block);
    }

    /// The same, where control seldom comes.
    fn begin_cold(&mut self, block: Block) {
        self.builder.set_cold_block(block);
        self.begin(block);
    }

    fn word(&mut self, value: u32) -> ir::Value {
        self.builder.ins().iconst(types::I32, i64::from(value))
    }

    /// Leaves at `place`, where flash takes up the state `standing`.
    fn leave(&mut self, place: Place, standing: Option<Standing>) {
        match (place, standing) {
            // What follows from the step is added behind the region.
            (Place::At { .. } | Place::Unknown { .. }, Some(standing)) => self.note_variables(standing),
            (_, Some(standing)) => self.note_standing(standing),
            (_, None) => {}
        }
        let set = standing.map(|standing| standing.set);
        let result = self.builder.ins().iconst(types::I64, place.pack(set) as i64);
        self.builder.ins().jump(self.way_out, &[result.into()]);
    }

    /// Goes out of the block of `here` by `exit`, to `pc`.
    fn go_to(&mut self, here: Here, pc: u32, exit: &Exit) {
        let &Exit { to: Some(member), .. } = exit else {
            self.write_back();
            self.set_pc(pc);
            self.leave(Place::Behind { member: here.member }, exit.standing);
            return;
        };
        if exit.is_told && self.tally.is_some() {
            self.tell(member);
        }
        let looks = self.ways.looks_between(here.member, member);
        if looks || self.is_quick {
            self.save(Due::AtLooks);
        }
        if looks {
            self.look(member, exit.standing);
        } else {
            self.unsaved_at[member].unite(self.unsaved);
        }
        self.renumber(exit);
        self.builder.ins().jump(self.heads[member], &[]);
    }

    /// Leaves before `member` unless the region may run on up to the next look before the horizon.
    fn look(&mut self, member: usize, standing: Option<Standing>) {
        let now = self.builder.use_var(self.now);
        let most = self.builder.ins().iadd_imm_s(now, i64::from(self.ways.cycles[member]));
        let horizon = self.builder.ins().load(types::I64, self.memory[0], self.cpu, self.fields.horizon as i32);
        let is_late = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, most, horizon);
        let (late, goes_on) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(is_late, late, &[], goes_on, &[]);
        self.begin_cold(late);
        self.write_back();
        self.leave(Place::Before { member }, standing);
        self.begin(goes_on);
    }

    fn member(&mut self, number: usize) {
        let member = &self.members[number];
        self.builder.switch_to_block(self.heads[number]);
        // Ways back to where a loop begins come later.
        if !self.ways.entries.contains(&number) {
            self.builder.seal_block(self.heads[number]);
        }
        self.unsaved = self.unsaved_at[number];
        if self.is_quick {
            self.reload_all();
        }
        self.begin_counting();
        // A step that a guard skips is followed by this.
        let mut join: Option<Join> = None;
        let mut open = true;
        let mut bodies = 0;
        for (step, lowered) in member.steps.iter().enumerate() {
            if let Some(join) = join.take_if(|join| join.step == step) {
                self.join(join, &mut open);
            }
            if !open {
                break;
            }
            if lowered.after == After::Body {
                // Bodies that follow each other are called together.
                bodies += 1;
                let next = member.steps.get(step + 1).is_some_and(|next| next.after == After::Body);
                if !next || join.is_some_and(|join| join.step == step + 1) {
                    self.call(Here { member: number, step: step + 1 - bodies }, bodies);
                    bodies = 0;
                }
                continue;
            }
            let here = Here { member: number, step };
            if let [Micro::Mark(counter)] = lowered.operations[..] {
                self.mark(here, counter);
                continue;
            }
            match self.step(here, lowered) {
                Onward::Next => {}
                Onward::Guarded(block, since) => {
                    join = Some(Join { step: step + 2, block, unsaved: self.unsaved, since });
                }
                Onward::Over => open = false,
            }
        }
        if let Some(join) = join {
            self.join(join, &mut open);
        }
        if open {
            let here = Here { member: number, step: member.steps.len() };
            self.complete(here, &Pending::default(), 0);
            self.count_run(here, member.count, member.cycles);
            self.go_to(here, member.next_pc, &member.straight);
        }
    }

    /// Goes on where two ways come together, if the first one is `open`.
    fn join(&mut self, join: Join, open: &mut bool) {
        let Join { block, unsaved, since, .. } = join;
        if *open {
            self.builder.ins().jump(block, &[]);
            self.unsaved.unite(unsaved);
            self.since(|known| if known == since { known } else { None });
        } else {
            self.unsaved = unsaved;
            self.since(|_| since);
        }
        self.begin(block);
        *open = true;
    }

    fn step(&mut self, here: Here, step: &Step) -> Onward {
        let member = &self.members[here.member];
        if matches!(step.flash, FlashUse::Unknown | FlashUse::Never) {
            self.give_up(here);
            return Onward::Over;
        }
        if let (FlashUse::Loosens, Some(standing)) = (&step.flash, step.standing) {
            let base = self.base_of(standing);
            self.set_base(base);
        }
        let mut pending = Pending::default();
        self.carry_out(here, &step.operations, &mut pending);
        self.use_flash(step, &pending);
        let before = self.since(|since| since);
        let passed = known_cycles(&step.operations);
        self.since(|since| Some(since?.wrapping_add(passed?)));
        let noted = step.noted.map(|number| self.new_note(number));
        if !matches!(step.after, After::EndsAt(_)) {
            self.note(noted);
        }
        match step.after {
            After::Next | After::Body => {
                let unsaved = self.unsaved;
                self.write(&pending);
                if step.falls_back
                    && let Some(way_out) = pending.gives_up
                {
                    self.fall_back(here, way_out, unsaved);
                }
                Onward::Next
            }
            After::Guard(holds, saved) => {
                let holds = pending.value(holds);
                self.write(&pending);
                let (taken, skipped, join) =
                    (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
                self.builder.ins().brif(holds, taken, &[], skipped, &[]);
                self.begin(skipped);
                let now = self.builder.use_var(self.now);
                let now = self.builder.ins().iadd_imm_s(now, -i64::from(saved));
                self.builder.def_var(self.now, now);
                self.unsaved.add(Slots::NOW);
                self.builder.ins().jump(join, &[]);
                self.begin(taken);
                let since = self.since(|since| since);
                Onward::Guarded(join, since.map(|since| since.wrapping_sub(u64::from(saved))))
            }
            After::LeavesIf(holds, pc, extra) => {
                let holds = pending.value(holds);
                let (leaves, stays) = (self.builder.create_block(), self.builder.create_block());
                self.builder.ins().brif(holds, leaves, &[], stays, &[]);
                let unsaved = self.unsaved;
                self.begin(leaves);
                self.write(&pending);
                self.count(step.cycles + extra, step.count);
                self.count_run(here, step.count, step.cycles + extra);
                self.go_to(here, pc, &step.exits[0]);
                self.begin(stays);
                self.unsaved = unsaved;
                self.since(|_| before);
                Onward::Next
            }
            After::Ends(pc) => {
                self.complete(here, &pending, 0);
                self.count_run(here, member.count, member.cycles);
                self.go_to(here, pc, &step.exits[0]);
                Onward::Over
            }
            After::Stops => {
                self.complete(here, &pending, 0);
                self.count_run(here, member.count, member.cycles);
                self.go_to(here, member.next_pc, &step.exits[0]);
                Onward::Over
            }
            After::EndsIf(holds, pc, extra) => {
                let holds = pending.value(holds);
                let (taken, straight) = (self.builder.create_block(), self.builder.create_block());
                self.builder.ins().brif(holds, taken, &[], straight, &[]);
                let unsaved = self.unsaved;
                self.begin(taken);
                self.complete(here, &pending, extra);
                self.count_run(here, member.count, member.cycles + extra);
                self.go_to(here, pc, &step.exits[0]);
                self.begin(straight);
                self.unsaved = unsaved;
                self.since(|_| before);
                self.complete(here, &Pending::default(), 0);
                self.count_run(here, member.count, member.cycles);
                self.go_to(here, self.members[here.member].next_pc, &step.exits[1]);
                Onward::Over
            }
            After::EndsAt(target) => {
                let (target, unsaved) = (pending.value(target), self.unsaved);
                for (way, exit) in step.ways.iter().zip(&step.exits) {
                    let (taken, other) = (self.builder.create_block(), self.builder.create_block());
                    let is = self.builder.ins().icmp_imm_s(IntCC::Equal, target, i64::from(way.pc as i32));
                    self.builder.ins().brif(is, taken, &[], other, &[]);
                    self.begin(taken);
                    self.note(noted);
                    let since = self.since(|since| since);
                    self.complete(here, &pending, way.cycles);
                    let mut there = Pending::default();
                    self.carry_out(here, &way.operations, &mut there);
                    self.write(&there);
                    let passed = known_cycles(&way.operations);
                    self.since(|since| Some(since?.wrapping_add(passed?)));
                    self.count_run(here, member.count, member.cycles + way.cycles);
                    self.since(|_| since);
                    self.go_to(here, way.pc, exit);
                    self.begin(other);
                    self.unsaved = unsaved;
                }
                self.give_up(here);
                Onward::Over
            }
        }
    }

    /// The mark of a step that is noted.
    fn new_note(&mut self, number: usize) -> usize {
        self.noted.push(number);
        self.noted.len() - 1
    }

    /// Marks that the step with this mark is carried out.
    fn note(&mut self, mark: Option<usize>) {
        let Some(mark) = mark else { return };
        let [_, _, frame, _] = self.memory;
        let marks = self.builder.ins().load(types::I64, frame, self.frame, native::MARKS);
        let one = self.builder.ins().iconst(types::I32, 1);
        self.builder.ins().store(frame, one, marks, 4 * mark as i32);
    }

    /// The block of `here` completes, `extra` cycles later than by its static ones. Its last step writes what is `pending`.
    fn complete(&mut self, here: Here, pending: &Pending, extra: u32) {
        let Member { cycles, count, completed, .. } = &self.members[here.member];
        let mut first = Pending::default();
        self.carry_out(here, completed, &mut first);
        self.write(&first);
        let passed = known_cycles(completed);
        self.since(|since| Some(since?.wrapping_add(passed?)));
        self.write(pending);
        self.count(cycles + extra, *count);
    }

    /// Writes what is pending to the variables.
    fn write(&mut self, pending: &Pending) {
        for (slot, value) in &pending.slots {
            if let Some(variable) = self.slots[usize::from(*slot)] {
                self.builder.def_var(variable, *value);
                self.unsaved.add(usize::from(*slot));
            }
        }
        if let Some(passed) = pending.passed {
            let now = self.builder.use_var(self.now);
            let now = self.builder.ins().iadd(now, passed);
            self.builder.def_var(self.now, now);
            self.unsaved.add(Slots::NOW);
        }
    }

    /// Leaves before the step at `here`, which the interpreter carries out with the rest of the block.
    fn give_up(&mut self, here: Here) {
        let unsaved = self.unsaved;
        self.write_back();
        self.note_marks();
        self.unsaved = unsaved;
        let Step { standing, flash, .. } = &self.members[here.member].steps[here.step];
        let Here { member, step } = here;
        let place = match flash {
            FlashUse::Unknown | FlashUse::Sought { .. } => Place::Unknown { member, step },
            FlashUse::None | FlashUse::Never | FlashUse::Loosens | FlashUse::Known(_) => Place::At { member, step },
        };
        self.leave(place, *standing);
    }

    /// Gives up unless `holds`.
    fn require(&mut self, holds: ir::Value, pending: &mut Pending) {
        let way_out = *pending.gives_up.get_or_insert_with(|| self.builder.create_block());
        let goes_on = self.builder.create_block();
        self.builder.ins().brif(holds, goes_on, &[], way_out, &[]);
        self.begin(goes_on);
    }
}

/// Tells whether `members` use lines of a large cache.
fn uses_lines(members: &[Member]) -> bool {
    let uses = |step: &Step| match &step.flash {
        FlashUse::Known(known) | FlashUse::Sought { known, .. } => known.used != 0,
        FlashUse::None | FlashUse::Unknown | FlashUse::Never | FlashUse::Loosens => false,
    };
    members.iter().any(|member| member.steps.iter().any(uses))
}

/// The cycles that `operations` let pass, if they are known.
fn known_cycles(operations: &[Micro]) -> Option<u64> {
    operations.iter().try_fold(0u64, |sum, operation| match *operation {
        Micro::Pass(cycles) => match operations.get(cycles.0 as usize) {
            Some(Micro::Constant(cycles, _)) => Some(sum.wrapping_add(*cycles)),
            _ => None,
        },
        _ => Some(sum),
    })
}

/// A place behind a step that a guard skips.
#[derive(Clone, Copy)]
struct Join {
    step: usize,
    block: Block,
    /// The slots that may differ from the state where it was skipped.
    unsaved: Slots,
    /// The cycles since the last mark then, if they are known.
    since: Option<u64>,
}

/// The way in which translation goes on behind a step.
enum Onward {
    /// With the next step.
    Next,
    /// With the next step, which is skipped by going to the block, where so many cycles have passed since the last mark, if that is known.
    Guarded(Block, Option<u64>),
    /// Not at all.
    Over,
}

impl Pending {
    fn value(&self, value: Value) -> ir::Value {
        self.values[value.0 as usize].expect("the operation gives a value")
    }
}
