//! The state that both sides hand back, and how it is hashed.

use std::fmt;

use cyclescope_cortex_m::Cpu;
use cyclescope_cortex_m::decode::Reg;

/// Words of a state: r0 to r15, xPSR, MSP, PSP, CONTROL, PRIMASK.
pub const WORDS: usize = 21;
/// Words that go into the hash of each instruction: r0 to r15 and xPSR.
pub const HASHED: usize = 17;
/// Where pc stands in a state.
pub const PC: usize = 15;
/// Where xPSR stands.
pub const XPSR: usize = 16;
const CONTROL: usize = 19;

/// Architectural state between two instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State(pub [u32; WORDS]);

const NAMES: [&str; WORDS] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc", "xPSR", "MSP",
    "PSP", "CONTROL", "PRIMASK",
];

impl State {
    /// The state of our core. MSP, PSP and PRIMASK are as MRS reads them: 0 without privilege, since the peer shows no
    /// more of its own.
    pub fn of(cpu: &Cpu) -> Self {
        let mut words = [0; WORDS];
        words[..16].copy_from_slice(&cpu.r);
        let ((main, process), primask) =
            if cpu.privileged() { (cpu.stack_pointers(), u32::from(cpu.primask)) } else { ((0, 0), 0) };
        words[XPSR..].copy_from_slice(&[cpu.xpsr(), main, process, cpu.control(), primask]);
        Self(words)
    }

    /// Puts our core into this state.
    pub fn apply(&self, cpu: &mut Cpu) {
        let [main, process, control, primask] = [17, 18, CONTROL, 20].map(|index| self.0[index]);
        cpu.select_stack(control & 2 != 0);
        cpu.set_stack_pointer(false, main);
        cpu.set_stack_pointer(true, process);
        let sp = cpu.r[Reg::Sp as usize];
        cpu.r.copy_from_slice(&self.0[..16]);
        cpu.r[Reg::Sp as usize] = sp;
        cpu.unprivileged = control & 1 != 0;
        cpu.primask = primask & 1 != 0;
        cpu.set_apsr(self.0[XPSR]);
    }

    /// The names of the words that differ from `other`.
    pub fn differing(&self, other: &Self) -> Vec<&'static str> {
        (0..WORDS).filter(|&index| self.0[index] != other.0[index]).map(|index| NAMES[index]).collect()
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, word)) in NAMES.iter().zip(self.0).enumerate() {
            let end = if index % 7 == 6 { "\n" } else { "  " };
            write!(f, "{name:>7} {word:08x}{end}")?;
        }
        Ok(())
    }
}

/// Adds `value` to `hash`, as the peer does.
pub const fn mix(hash: u64, value: u64) -> u64 {
    let hash = (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash ^ hash >> 29
}

/// Adds the first [`HASHED`] words of `state` to `hash`.
pub fn add_hash(hash: u64, state: &State) -> u64 {
    let (pairs, _) = state.0[..HASHED].as_chunks::<2>();
    let hash = pairs.iter().fold(hash, |hash, pair| mix(hash, u64::from(pair[0]) | u64::from(pair[1]) << 32));
    mix(hash, u64::from(state.0[XPSR]))
}

/// The hash of data RAM.
pub fn hash_data(bytes: &[u8]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().fold(0, |hash, word| mix(hash, u64::from_le_bytes(*word)))
}
