//! Counts for an observer: the runs of each member by the way in which they ended, and the cycles that marks count.
//!
//! Most cycles since the last mark are known when a region is made. They are counted with the runs then, and cost no code.

use cranelift_codegen::ir::{InstBuilder as _, SigRef, types};
use cranelift_frontend::Variable;
use cyclescope_engine::Due;

use super::{Here, Region};
use crate::member::{Count, KnownMark};
use crate::native;

/// The counts of a region that is being made.
pub struct Tally {
    counts: Vec<Count>,
    known_marks: Vec<KnownMark>,
    /// The cycle at which the member began, and the clock when its last mark was passed.
    began: Variable,
    at: Variable,
    /// The cycles since then, if they are known.
    since: Option<u64>,
    /// The counters of marks passed in the member, with their cycles, where these are known.
    marked: Vec<(u32, u64)>,
    /// The signature of the function that tells of runs.
    tell: SigRef,
}

impl Tally {
    pub(super) fn new(tell: SigRef, mut variable: impl FnMut() -> Variable) -> Self {
        let (counts, known_marks) = Default::default();
        Self { counts, known_marks, began: variable(), at: variable(), since: Some(0), marked: Vec::new(), tell }
    }

    pub(super) fn finish(self) -> (Vec<Count>, Vec<KnownMark>) {
        (self.counts, self.known_marks)
    }
}

impl Region<'_, '_> {
    /// Changes the cycles since the last mark, as far as they are known, and returns them.
    pub(super) fn since(&mut self, change: impl FnOnce(Option<u64>) -> Option<u64>) -> Option<u64> {
        let tally = self.tally.as_mut()?;
        tally.since = change(tally.since);
        tally.since
    }

    /// A member begins.
    pub(super) fn begin_counting(&mut self) {
        let Some(tally) = &mut self.tally else { return };
        tally.since = Some(0);
        tally.marked.clear();
        let now = self.builder.use_var(self.now);
        self.builder.def_var(tally.began, now);
        self.builder.def_var(tally.at, now);
    }

    /// The mark of the counter `counter` is passed, at `here`.
    pub(super) fn mark(&mut self, here: Here, counter: u32) {
        let Some(tally) = &mut self.tally else { return };
        match tally.since.replace(0) {
            Some(0) => return,
            Some(cycles) => {
                tally.marked.push((counter, cycles));
                tally.known_marks.push(KnownMark { member: here.member, step: here.step, counter, cycles });
            }
            None => {
                tally.counts.push(Count::Marked { member: here.member, counter });
                self.count_cycles();
            }
        }
        let Some(tally) = &self.tally else { return };
        let now = self.builder.use_var(self.now);
        self.builder.def_var(tally.at, now);
    }

    /// Adds the cycles since the last mark to the last count.
    fn count_cycles(&mut self) {
        let Some(tally) = &self.tally else { return };
        let (place, at) = (8 * (tally.counts.len() as i32 - 1), self.builder.use_var(tally.at));
        let now = self.builder.use_var(self.now);
        let passed = self.builder.ins().isub(now, at);
        let [_, _, frame, _] = self.memory;
        let counts = self.builder.ins().load(types::I64, frame, self.frame, native::COUNTS);
        let count = self.builder.ins().load(types::I64, frame, counts, place);
        let count = self.builder.ins().iadd(count, passed);
        self.builder.ins().store(frame, count, counts, place);
    }

    /// Counts a run of the member of `here` that has ended with so many `instructions` and so many static `cycles`. The clock stands
    /// behind them.
    pub(super) fn count_run(&mut self, here: Here, instructions: u32, cycles: u32) {
        let Some(tally) = &mut self.tally else { return };
        let (place, marked) = (tally.counts.len(), tally.marked.clone());
        let cycles = tally.since.map(|since| since.wrapping_add(u64::from(cycles)));
        tally.counts.push(Count::Runs { member: here.member, instructions, marked, cycles });
        let [_, _, frame, _] = self.memory;
        let counts = self.builder.ins().load(types::I64, frame, self.frame, native::COUNTS);
        let count = self.builder.ins().load(types::I64, frame, counts, 8 * place as i32);
        let count = self.builder.ins().iadd_imm_s(count, 1);
        self.builder.ins().store(frame, count, counts, 8 * place as i32);
        let last = self.builder.ins().iconst(types::I64, place as i64);
        self.builder.ins().store(frame, last, self.frame, native::LAST);
        if cycles.is_none()
            && let Some(tally) = &mut self.tally
        {
            tally.counts.push(Count::Cycles);
            let at = self.builder.use_var(tally.at);
            self.builder.ins().store(frame, at, self.frame, native::LAST_MARKED);
            self.count_cycles();
        }
    }

    /// Tells the frame when the member began, and when its last mark was passed.
    pub(super) fn note_marks(&mut self) {
        let Some(tally) = &self.tally else { return };
        for (variable, place) in [(tally.began, native::BEGAN), (tally.at, native::MARKED)] {
            let value = self.builder.use_var(variable);
            self.builder.ins().store(self.memory[2], value, self.frame, place);
        }
    }

    /// Tells the observer of all runs so far. The member `next` comes next.
    pub(super) fn tell(&mut self, next: usize) {
        let Some(tell) = self.tally.as_ref().map(|tally| tally.tell) else { return };
        self.save(Due::WhereSeen);
        let [state, _, frame, _] = self.memory;
        let now = self.builder.use_var(self.now);
        self.builder.ins().store(state, now, self.cpu, self.fields.now as i32);
        let pc = self.word(self.members[next].pc);
        self.builder.ins().store(state, pc, self.cpu, self.fields.pc as i32);
        let function = self.builder.ins().load(types::I64, frame, self.frame, native::TELL);
        let next = self.word(next as u32);
        self.builder.ins().call_indirect(tell, function, &[self.frame, next]);
    }
}
