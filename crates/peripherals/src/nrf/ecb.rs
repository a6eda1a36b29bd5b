//! AES electronic codebook encryption (nRF52840 PS, "ECB — AES electronic codebook mode encryption"): one block of 16 bytes by a
//! key that lies before it in RAM; the result goes behind it.
//!
//! EasyDMA reads key and cleartext word by word from the task on, and stores the result so that ENDECB comes in time if it waits for
//! nobody.
//!
//! The block has an AES core of its own here: CCM and AAR, which share it, are not modelled.

use cyclescope_machine::{TimingRow, Width};

use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Source, Tree, Words, Write};

use super::aes;
use super::easydma::{self, DECIDED, EasyDma, Master, Moved};
use super::signals::{Signals, Tasked};

const STARTECB: u32 = 0x00;
const STOPECB: u32 = 0x04;
const ENDECB: u32 = 0x100;
const ERRORECB: u32 = 0x104;
const ECBDATAPTR: u32 = 0x504;
/// The words of the key and the cleartext, behind which the ciphertext goes, and of that ("ECB data structure").
const INPUT: u32 = 8;
const OUTPUT: u32 = 4;
/// Cycles of the core that the words of the result take to RAM, the first one's address included.
const STORING: u64 = OUTPUT as u64 + 1;

/// The events: the time is over, and the result goes to RAM.
const END: u16 = 0;
const STORE: u16 = 1;

/// The registers that are modelled in part.
pub const PARTLY: &[Modelled] = &[];

/// The time of an encryption.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "ecb.block",
    "microseconds from STARTECB to ENDECB",
    17,
    "DevZone case 53468 has 17 as the maximum of Nordic's specification; the typical time was not found",
)];

/// The block.
#[derive(Clone, Debug)]
pub struct Ecb {
    signals: Signals,
    dma: Master,
    /// The address of the data, and the time of the end, of an encryption under way.
    under_way: Option<(u32, Instant)>,
    /// Key and cleartext, as far as they have been read.
    input: Vec<u32>,
    /// The result is on its way to RAM, or there.
    stored: bool,
}

impl Ecb {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self {
            signals: Signals::new(instance, PARTLY, &[]),
            dma: Master::new(instance),
            under_way: None,
            input: Vec::new(),
            stored: false,
        }
    }

    fn schedule(&self, env: &mut Env<'_, '_>) {
        let end = self.under_way.map_or(Instant::NEVER, |(_, at)| at);
        env.schedule(END, end);
        let waits = self.under_way.is_some() && !self.stored;
        let store = if waits { Self::store_time(end, env) } else { Instant::NEVER };
        env.schedule(STORE, store);
    }

    /// The time from which on the result goes to RAM, so that all of it is there at `end`.
    fn store_time(end: Instant, env: &Env<'_, '_>) -> Instant {
        end.before(env.clocks().period_of(Source::Hclk).times(STORING))
    }

    fn begin(&mut self, env: &mut Env<'_, '_>) {
        let (address, count) = (self.signals.get(ECBDATAPTR), env.cycles(&ROWS[0]));
        self.under_way = Some((address, env.now().after(env.clocks().microseconds(count))));
        self.input.clear();
        self.stored = false;
        for word in 0..INPUT {
            self.dma.read(address.wrapping_add(4 * word), Width::Word, word, env);
        }
    }

    /// Ends the encryption if its time is over and all is in RAM.
    fn end(&mut self, env: &mut Env<'_, '_>) {
        if self.stored && !self.dma.is_writing() && self.under_way.take_if(|(_, at)| env.now() >= *at).is_some() {
            self.raise(ENDECB, env);
        }
    }

    /// The result goes to RAM, if all has been read and it is time.
    fn store(&mut self, env: &mut Env<'_, '_>) {
        let Some((address, end)) = self.under_way else { return };
        if self.stored || self.input.len() < INPUT as usize || env.now() < Self::store_time(end, env) {
            return;
        }
        self.stored = true;
        let half = |from: usize| {
            let mut bytes = [0; 16];
            for (to, word) in bytes.chunks_exact_mut(4).zip(&self.input[from..]) {
                to.copy_from_slice(&word.to_le_bytes());
            }
            bytes
        };
        let cipher = aes::encrypt(half(0), half(4));
        for (word, bytes) in (INPUT..).zip(cipher.chunks_exact(4)) {
            let data = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
            self.dma.write(address.wrapping_add(4 * word), Width::Word, data, word, env);
        }
    }
}

impl Tasked for Ecb {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        match task {
            STARTECB if self.under_way.is_none() => {
                self.begin(env);
            }
            STOPECB if self.under_way.take().is_some() => {
                self.dma.clear(env);
                self.raise(ERRORECB, env);
            }
            _ => {}
        }
        self.schedule(env);
    }
}

impl EasyDma for Ecb {
    fn easydma(&self) -> &Master {
        &self.dma
    }

    fn easydma_mut(&mut self) -> &mut Master {
        &mut self.dma
    }

    fn moved(&mut self, moved: Moved, env: &mut Env<'_, '_>) {
        if moved.write {
            return self.end(env);
        }
        self.input.push(moved.value);
        self.store(env);
    }
}

impl Block<Words> for Ecb {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.dma.set_written(true);
        self.access(offset, write, env);
        self.dma.set_written(false);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            DECIDED => easydma::decide(self, env),
            STORE => self.store(env),
            _ => self.end(env),
        }
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        self.under_way = self.under_way.map(|(address, at)| (address, at.refined(times)));
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
        self.dma.clear(env);
        self.under_way = None;
        self.schedule(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.signals.bank)
    }
}
