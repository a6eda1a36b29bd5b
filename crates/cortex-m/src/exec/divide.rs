//! Arithmetic whose time depends on its operands.

use super::Step;
use crate::cpu::{Cpu, Fault, FaultKind};
use crate::decode::{Instruction, Op};

impl Cpu {
    /// UDIV and SDIV (DDI 0403E §A7.7.127, §A7.7.195): by zero gives zero, or faults where the guest asks for that.
    #[inline(always)]
    pub(super) fn divide(&mut self, i: &Instruction, signed: bool) -> Result<(), Fault> {
        let (dividend, divisor) = (self.get(i.rn), self.get(i.rm));
        if divisor == 0 && self.scb.traps_division_by_zero() {
            return Err(Fault { kind: FaultKind::DivideByZero, cause: "division by zero", address: None });
        }
        let quotient = match (divisor, signed) {
            (0, _) => 0,
            (_, false) => dividend / divisor,
            (_, true) => (dividend as i32).wrapping_div(divisor as i32) as u32,
        };
        self.pass((self.config.timing.division)(dividend, divisor, signed).into());
        self.set(i.rd, quotient);
        Ok(())
    }

    /// Cycles from now to the end of the division among `steps`, its operands as they stand.
    pub(crate) fn division_ends<P>(&self, steps: &[Step<P>]) -> Option<u32> {
        let i = steps.iter().map(|step| step.i).find(Instruction::is_division)?;
        let least = (self.config.timing.cost)(&i, &Default::default()).cycles;
        let extra = (self.config.timing.division)(self.get(i.rn), self.get(i.rm), i.op == Op::Sdiv);
        Some(least + extra)
    }

    /// Charges for what a long multiplication takes beyond its least.
    #[inline(always)]
    pub(super) fn multiplies_long(&mut self, i: &Instruction) {
        if let Some(extra) = self.config.timing.long_multiply {
            self.pass(extra(self.get(i.rn), self.get(i.rm)).into());
        }
    }
}
