//! The DSP extension.

use cyclescope_engine::{Outcome, body};
use cyclescope_machine::Peripherals;

use super::super::Handler;
use crate::cpu::Cpu;
use crate::decode::{Dsp, DspOp, Instruction, Op, Reg};
use crate::dsp;

/// The handler of `i`, if it is one of these.
#[allow(clippy::too_many_lines)] // One row an operation, like the manual's table.
pub(super) fn handler<P: Peripherals, R: Outcome<Cpu, P>>(i: &Instruction) -> Option<Handler<P, R>> {
    if i.op != Op::Dsp {
        return None;
    }
    /// A result.
    macro_rules! result {
        (|$cpu:ident, $i:ident, $n:ident, $m:ident| $value:expr) => {
            body!(|$cpu, $i| {
                let ($n, $m) = ($cpu.get($i.rn), $cpu.get($i.rm));
                let value = $value;
                $cpu.set($i.rd, value);
            })
        };
    }
    /// A result and the GE bits.
    macro_rules! compares {
        ($function:ident) => {
            body!(|cpu, i| {
                let (value, ge) = dsp::$function(cpu.get(i.rn), cpu.get(i.rm));
                cpu.ge = ge as u8;
                cpu.set(i.rd, value);
            })
        };
    }
    /// A result and whether Q is set.
    macro_rules! saturates {
        (|$cpu:ident, $i:ident, $n:ident, $m:ident| $value:expr) => {
            body!(|$cpu, $i| {
                let ($n, $m) = ($cpu.get($i.rn), $cpu.get($i.rm));
                let (value, saturated) = $value;
                $cpu.q |= saturated;
                $cpu.set($i.rd, value);
            })
        };
    }
    macro_rules! pure {
        ($function:ident) => {
            result!(|cpu, i, n, m| dsp::$function(n, m))
        };
    }
    macro_rules! extends {
        ($function:ident) => {
            result!(|cpu, i, _n, m| dsp::$function(m, i.imm & 0xFF))
        };
    }
    macro_rules! extends_and_adds {
        ($function:ident) => {
            result!(|cpu, i, n, m| dsp::$function(n, m, i.imm & 0xFF))
        };
    }
    /// A 64-bit result in two registers.
    macro_rules! long {
        (|$n:ident, $m:ident, $accumulator:ident| $value:expr) => {
            body!(|cpu, i| {
                let ($n, $m, $accumulator) = (cpu.get(i.rn), cpu.get(i.rm), cpu.long(i));
                cpu.set_long(i, $value);
            })
        };
    }
    Some(match Dsp::unpack(i.imm).op {
        DspOp::Sadd16 => compares!(sadd16),
        DspOp::Sasx => compares!(sasx),
        DspOp::Ssax => compares!(ssax),
        DspOp::Ssub16 => compares!(ssub16),
        DspOp::Sadd8 => compares!(sadd8),
        DspOp::Ssub8 => compares!(ssub8),
        DspOp::Uadd16 => compares!(uadd16),
        DspOp::Uasx => compares!(uasx),
        DspOp::Usax => compares!(usax),
        DspOp::Usub16 => compares!(usub16),
        DspOp::Uadd8 => compares!(uadd8),
        DspOp::Usub8 => compares!(usub8),
        DspOp::Qadd16 => pure!(qadd16),
        DspOp::Qasx => pure!(qasx),
        DspOp::Qsax => pure!(qsax),
        DspOp::Qsub16 => pure!(qsub16),
        DspOp::Qadd8 => pure!(qadd8),
        DspOp::Qsub8 => pure!(qsub8),
        DspOp::Shadd16 => pure!(shadd16),
        DspOp::Shasx => pure!(shasx),
        DspOp::Shsax => pure!(shsax),
        DspOp::Shsub16 => pure!(shsub16),
        DspOp::Shadd8 => pure!(shadd8),
        DspOp::Shsub8 => pure!(shsub8),
        DspOp::Uqadd16 => pure!(uqadd16),
        DspOp::Uqasx => pure!(uqasx),
        DspOp::Uqsax => pure!(uqsax),
        DspOp::Uqsub16 => pure!(uqsub16),
        DspOp::Uqadd8 => pure!(uqadd8),
        DspOp::Uqsub8 => pure!(uqsub8),
        DspOp::Uhadd16 => pure!(uhadd16),
        DspOp::Uhasx => pure!(uhasx),
        DspOp::Uhsax => pure!(uhsax),
        DspOp::Uhsub16 => pure!(uhsub16),
        DspOp::Uhadd8 => pure!(uhadd8),
        DspOp::Uhsub8 => pure!(uhsub8),
        DspOp::Qadd => saturates!(|cpu, i, n, m| dsp::qadd(m, n)),
        DspOp::Qdadd => saturates!(|cpu, i, n, m| dsp::qdadd(m, n)),
        DspOp::Qsub => saturates!(|cpu, i, n, m| dsp::qsub(m, n)),
        DspOp::Qdsub => saturates!(|cpu, i, n, m| dsp::qdsub(m, n)),
        DspOp::Ssat16 => saturates!(|cpu, i, n, _m| dsp::ssat16(n, i.imm & 0xFF)),
        DspOp::Usat16 => saturates!(|cpu, i, n, _m| dsp::usat16(n, i.imm & 0xFF)),
        DspOp::Sel => result!(|cpu, i, n, m| dsp::sel(n, m, u32::from(cpu.ge))),
        DspOp::Usad8 => pure!(usad8),
        DspOp::Usada8 => result!(|cpu, i, n, m| dsp::usada8(n, m, cpu.get(Reg::new(i.imm)))),
        DspOp::Sxtab => extends_and_adds!(sxtab),
        DspOp::Sxtah => extends_and_adds!(sxtah),
        DspOp::Sxtab16 => extends_and_adds!(sxtab16),
        DspOp::Uxtab => extends_and_adds!(uxtab),
        DspOp::Uxtah => extends_and_adds!(uxtah),
        DspOp::Uxtab16 => extends_and_adds!(uxtab16),
        DspOp::Sxtb16 => extends!(sxtb16),
        DspOp::Uxtb16 => extends!(uxtb16),
        DspOp::Sxtb => extends!(sxtb),
        DspOp::Sxth => extends!(sxth),
        DspOp::Uxtb => extends!(uxtb),
        DspOp::Uxth => extends!(uxth),
        DspOp::Pkhbt => result!(|cpu, i, n, m| dsp::pkhbt(n, m << (i.imm & 31))),
        // ASR by 32 gives what ASR by 31 does.
        DspOp::Pkhtb => result!(|cpu, i, n, m| dsp::pkhtb(n, (m as i32 >> (i.imm & 0xFF).min(31)) as u32)),
        DspOp::Smulbb => result!(|cpu, i, n, m| dsp::smul(n, m, false, false)),
        DspOp::Smulbt => result!(|cpu, i, n, m| dsp::smul(n, m, false, true)),
        DspOp::Smultb => result!(|cpu, i, n, m| dsp::smul(n, m, true, false)),
        DspOp::Smultt => result!(|cpu, i, n, m| dsp::smul(n, m, true, true)),
        DspOp::Smlabb => saturates!(|cpu, i, n, m| dsp::smla(n, m, cpu.get(Reg::new(i.imm)), false, false)),
        DspOp::Smlabt => saturates!(|cpu, i, n, m| dsp::smla(n, m, cpu.get(Reg::new(i.imm)), false, true)),
        DspOp::Smlatb => saturates!(|cpu, i, n, m| dsp::smla(n, m, cpu.get(Reg::new(i.imm)), true, false)),
        DspOp::Smlatt => saturates!(|cpu, i, n, m| dsp::smla(n, m, cpu.get(Reg::new(i.imm)), true, true)),
        DspOp::Smulwb => result!(|cpu, i, n, m| dsp::smulw(n, m, false)),
        DspOp::Smulwt => result!(|cpu, i, n, m| dsp::smulw(n, m, true)),
        DspOp::Smlawb => saturates!(|cpu, i, n, m| dsp::smlaw(n, m, cpu.get(Reg::new(i.imm)), false)),
        DspOp::Smlawt => saturates!(|cpu, i, n, m| dsp::smlaw(n, m, cpu.get(Reg::new(i.imm)), true)),
        DspOp::Smuad => saturates!(|cpu, i, n, m| dsp::smuad(n, m, false)),
        DspOp::Smuadx => saturates!(|cpu, i, n, m| dsp::smuad(n, m, true)),
        DspOp::Smusd => result!(|cpu, i, n, m| dsp::smusd(n, m, false)),
        DspOp::Smusdx => result!(|cpu, i, n, m| dsp::smusd(n, m, true)),
        DspOp::Smlad => saturates!(|cpu, i, n, m| dsp::smlad(n, m, cpu.get(Reg::new(i.imm)), false)),
        DspOp::Smladx => saturates!(|cpu, i, n, m| dsp::smlad(n, m, cpu.get(Reg::new(i.imm)), true)),
        DspOp::Smlsd => saturates!(|cpu, i, n, m| dsp::smlsd(n, m, cpu.get(Reg::new(i.imm)), false)),
        DspOp::Smlsdx => saturates!(|cpu, i, n, m| dsp::smlsd(n, m, cpu.get(Reg::new(i.imm)), true)),
        DspOp::Smmul => result!(|cpu, i, n, m| dsp::smmul(n, m, false)),
        DspOp::Smmulr => result!(|cpu, i, n, m| dsp::smmul(n, m, true)),
        DspOp::Smmla => result!(|cpu, i, n, m| dsp::smmla(n, m, cpu.get(Reg::new(i.imm)), false)),
        DspOp::Smmlar => result!(|cpu, i, n, m| dsp::smmla(n, m, cpu.get(Reg::new(i.imm)), true)),
        DspOp::Smmls => result!(|cpu, i, n, m| dsp::smmls(n, m, cpu.get(Reg::new(i.imm)), false)),
        DspOp::Smmlsr => result!(|cpu, i, n, m| dsp::smmls(n, m, cpu.get(Reg::new(i.imm)), true)),
        DspOp::Smlalbb => long!(|n, m, to| dsp::smlal_half(n, m, to, false, false)),
        DspOp::Smlalbt => long!(|n, m, to| dsp::smlal_half(n, m, to, false, true)),
        DspOp::Smlaltb => long!(|n, m, to| dsp::smlal_half(n, m, to, true, false)),
        DspOp::Smlaltt => long!(|n, m, to| dsp::smlal_half(n, m, to, true, true)),
        DspOp::Smlald => long!(|n, m, to| dsp::smlald(n, m, to, false)),
        DspOp::Smlaldx => long!(|n, m, to| dsp::smlald(n, m, to, true)),
        DspOp::Smlsld => long!(|n, m, to| dsp::smlsld(n, m, to, false)),
        DspOp::Smlsldx => long!(|n, m, to| dsp::smlsld(n, m, to, true)),
        DspOp::Umaal => long!(|n, m, to| dsp::umaal(n, m, to as u32, (to >> 32) as u32)),
    })
}
