//! The state that both sides return, and its hash.

use std::fmt;

use cyclescope_cortex_m::decode::Reg;
use cyclescope_cortex_m::{Cpu, Entry, Fpscr};

use crate::hash::mix;

/// Words of a state: r0 to r15, xPSR, MSP, PSP, CONTROL, PRIMASK, BASEPRI, FAULTMASK, FPSCR, S0 to S31.
pub const WORDS: usize = SINGLES + 32;
/// Words in the hash of each instruction: r0 to r15 and xPSR. With floating point, its state is added.
pub const HASHED: usize = 17;
/// The index of pc in a state.
pub const PC: usize = 15;
/// The index of xPSR.
pub const XPSR: usize = 16;
/// The index of CONTROL.
pub const CONTROL: usize = 19;
const FPSCR: usize = 23;
/// The index of S0.
pub const SINGLES: usize = 24;
/// The ITSTATE bits in xPSR, which states leave out: the peer's are right only at the ends of its own blocks. The
/// executed instructions show the effect of IT.
const IT_BITS: u32 = 0x0600_FC00;

/// Architectural state between two instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State(pub [u32; WORDS]);

const NAMES: &str =
    "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 sp lr pc xPSR MSP PSP CONTROL PRIMASK BASEPRI FAULTMASK FPSCR";

fn name(index: usize) -> String {
    NAMES.split(' ').nth(index).map_or_else(|| format!("s{}", index - SINGLES), str::to_owned)
}

impl State {
    /// Returns the state of our core. Stack pointers and masks are as MRS reads them: 0 without privilege, as the peer
    /// returns them.
    pub fn of(cpu: &Cpu) -> Self {
        let mut words = [0; WORDS];
        words[..16].copy_from_slice(&cpu.r);
        words[XPSR] = cpu.xpsr() & !IT_BITS;
        if cpu.privileged() {
            let (main, process) = cpu.stack_pointers();
            [words[17], words[18]] = [main, process];
            words[20..23].copy_from_slice(&[cpu.primask.into(), cpu.basepri.into(), cpu.faultmask.into()]);
        }
        words[CONTROL] = cpu.control();
        if cpu.config.architecture.has_fpu() {
            words[FPSCR] = cpu.fp.fpscr.bits();
            words[SINGLES..].copy_from_slice(&cpu.fp.singles);
        }
        Self(words)
    }

    /// Sets our core to this state.
    pub fn apply(&self, cpu: &mut Cpu) {
        let [main, process, control, primask, basepri, faultmask] =
            [17, 18, CONTROL, 20, 21, 22].map(|index| self.0[index]);
        cpu.select_stack(control & 2 != 0);
        cpu.set_stack_pointer(false, main);
        cpu.set_stack_pointer(true, process);
        let sp = cpu.r[Reg::Sp as usize];
        cpu.r.copy_from_slice(&self.0[..16]);
        cpu.r[Reg::Sp as usize] = sp;
        cpu.refill = true;
        cpu.unprivileged = control & 1 != 0;
        cpu.primask = primask & 1 != 0;
        cpu.basepri = basepri as u8;
        cpu.faultmask = faultmask & 1 != 0;
        cpu.exclusive = false;
        cpu.entry = Entry::PLAIN;
        cpu.set_apsr(self.0[XPSR]);
        if cpu.config.architecture.has_fpu() {
            cpu.fp.set_cpacr(0x00F0_0000);
            cpu.fp.active = control & 4 != 0;
            cpu.fp.fpscr = Fpscr::from_bits(self.0[FPSCR]);
            cpu.fp.singles.copy_from_slice(&self.0[SINGLES..]);
            cpu.fp.ready = false;
        }
    }

    /// Returns the names of the words that differ from `other`.
    pub fn differing(&self, other: &Self) -> Vec<String> {
        (0..WORDS).filter(|&index| self.0[index] != other.0[index]).map(name).collect()
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.0.iter().enumerate() {
            let end = if index % 8 == 7 { "\n" } else { "  " };
            write!(f, "{:>9} {word:08x}{end}", name(index))?;
        }
        Ok(())
    }
}

/// Mixes the first [`HASHED`] words of `state` into `hash`, and with `floating_point` the floating-point state.
pub fn add_hash(hash: u64, state: &State, floating_point: bool) -> u64 {
    let pairs = |hash, words: &[u32]| {
        let (pairs, _) = words.as_chunks::<2>();
        pairs.iter().fold(hash, |hash, pair| mix(hash, u64::from(pair[0]) | u64::from(pair[1]) << 32))
    };
    let hash = mix(pairs(hash, &state.0[..HASHED]), u64::from(state.0[XPSR]));
    if floating_point { mix(pairs(hash, &state.0[SINGLES..]), u64::from(state.0[FPSCR])) } else { hash }
}
