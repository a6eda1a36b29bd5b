//! AES electronic codebook encryption (nRF52840 PS, "ECB — AES electronic codebook mode encryption"): one block of 16 bytes by a
//! key that lies before it in RAM; the result goes behind it.
//!
//! The block has an AES core of its own here: CCM and AAR, which share it, are not modelled.

use cyclescope_machine::{TimingRow, Width};

use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Tree, Words, Write};

use super::aes;
use super::signals::{Signals, Tasked};

const STARTECB: u32 = 0x00;
const STOPECB: u32 = 0x04;
const ENDECB: u32 = 0x100;
const ERRORECB: u32 = 0x104;
const ECBDATAPTR: u32 = 0x504;
/// The places of the cleartext and of the ciphertext behind the key ("ECB data structure").
const CLEARTEXT: u32 = 16;
const CIPHERTEXT: u32 = 32;

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
    /// The address of the data, and the time of the end, of an encryption under way.
    under_way: Option<(u32, Instant)>,
}

impl Ecb {
    /// The block after reset.
    pub fn new(instance: &Instance) -> Self {
        Self { signals: Signals::new(instance, PARTLY, &[]), under_way: None }
    }

    fn schedule(&self, env: &mut Env<'_, '_>) {
        env.schedule(0, self.under_way.map_or(Instant::NEVER, |(_, at)| at));
    }
}

fn read(address: u32, env: &mut Env<'_, '_>) -> [u8; 16] {
    std::array::from_fn(|index| env.ram_read(address.wrapping_add(index as u32), Width::Byte) as u8)
}

impl Tasked for Ecb {
    fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }

    fn task(&mut self, task: u32, env: &mut Env<'_, '_>) {
        match task {
            STARTECB if self.under_way.is_none() => {
                let count = env.cycles(&ROWS[0]);
                let at = env.now().after(env.clocks().microseconds(count));
                self.under_way = Some((self.signals.get(ECBDATAPTR), at));
            }
            STOPECB if self.under_way.take().is_some() => self.raise(ERRORECB, env),
            _ => {}
        }
        self.schedule(env);
    }
}

impl Block<Words> for Ecb {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.signals.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        self.access(offset, write, env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        let Some((address, _)) = self.under_way.take_if(|(_, at)| env.now() >= *at) else { return };
        let cipher = aes::encrypt(read(address, env), read(address.wrapping_add(CLEARTEXT), env));
        for (index, byte) in (CIPHERTEXT..).zip(cipher) {
            env.ram_write(address.wrapping_add(index), Width::Byte, byte.into());
        }
        self.raise(ENDECB, env);
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        self.schedule(env);
    }

    fn refine(&mut self, times: u64) {
        self.under_way = self.under_way.map(|(address, at)| (address, at.refined(times)));
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.signals.reset(env);
        self.under_way = None;
        self.schedule(env);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.signals.bank)
    }
}
