//! A DMA controller under the registers of any version: one transfer at a time, from its request to its end.
//!
//! A transfer is its request, an access that reads, one that writes, and rows for what lies between. What an access takes,
//! and who waits for whom, is the part's.

use std::cmp::Reverse;
use std::fmt::Debug;
use std::marker::PhantomData;

use cyclescope_machine::{TimingRow, Width};

use crate::dma::Running;
use crate::roles::Outcome;
use crate::{
    Bank, Block, Clocks, DmaController, Effect, Env, Instance, Instant, Lines, Modelled, Transfer, Tree, Words, Write,
};

/// PSIZE and MSIZE: 8, 16 or 32 bits.
pub(super) const fn width(code: u32) -> Width {
    match code & 3 {
        0 => Width::Byte,
        1 => Width::Half,
        _ => Width::Word,
    }
}

/// A channel's state that its registers do not show.
#[derive(Clone, Copy, Debug, Default)]
pub struct Channel {
    /// The transfers of a round, as the registers had them when the channel was enabled.
    pub(super) count: u32,
    /// The addresses of the next transfer.
    pub(super) peripheral: u32,
    pub(super) memory: u32,
    /// A request for one transfer that came while the controller was busy.
    pub(super) pending: bool,
}

impl Channel {
    /// The addresses of a transfer, aligned to their widths; where `increments` says so, they move on.
    pub(super) fn next(&mut self, widths: (Width, Width), increments: (bool, bool)) -> (u32, u32) {
        let step = |address: &mut u32, width: Width, increments: bool| {
            let aligned = *address & !(width.bytes() - 1);
            if increments {
                *address = address.wrapping_add(width.bytes());
            }
            aligned
        };
        (step(&mut self.peripheral, widths.0, increments.0), step(&mut self.memory, widths.1, increments.1))
    }
}

/// The registers of a channel, from its base on: its control, the transfers left, and the addresses of the peripheral and of
/// memory.
pub(super) const CR: u32 = 0;
const LEFT: u32 = 4;
const PERIPHERAL: u32 = 8;
pub(super) const MEMORY: u32 = 12;

/// Channels of a controller, at most.
const MOST_CHANNELS: u32 = 8;

/// EN of the control register.
pub(super) const EN: u32 = 1 << 0;

/// A happening of a channel that a flag shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// The transfers of a round are done.
    Complete,
    /// Half of them are.
    Half,
    /// An access failed.
    Error,
}

/// A version of the registers.
pub trait Version: Clone + Debug {
    /// The modelled registers and fields, with the values after reset.
    const MODEL: &'static [Modelled];
    /// From a request to the first access, between the accesses, and the core's wait for a RAM.
    const ROWS: &'static [TimingRow];
    /// The interrupt signals, each with its bits of [`Version::active`].
    const SIGNALS: &'static [(&'static str, u32)];
    /// The offset of the first channel's registers, and their distance from the next one's.
    const CHANNELS: (u32, u32);
    /// True if a channel is disabled when its transfers are done.
    const ENDS_DISABLED: bool;

    /// The channel's priority by its control register: the higher one wins.
    fn priority(cr: u32) -> u32;

    /// Tells if a channel needs no request: it moves data from memory to memory.
    fn runs_by_itself(cr: u32) -> bool;

    /// The request that registers select for `channel`.
    fn selector(dma: &Dma<Self>, channel: u8) -> u8;

    /// Tells if a channel takes note of a request for one transfer at `selector`.
    fn hears(dma: &Dma<Self>, channel: u8, selector: u8) -> bool {
        Self::selector(dma, channel) == selector
    }

    /// The register of the memory in use.
    fn memory(_cr: u32) -> u32 {
        MEMORY
    }

    /// The next transfer of a channel, whose addresses move on.
    fn transfer(cr: u32, state: &mut Channel) -> Transfer;

    /// Raises a flag of `channel`.
    fn raise(bank: &mut Bank, channel: u8, flag: Flag);

    /// The channels' status bits that interrupt.
    fn active(dma: &Dma<Self>) -> u32;

    /// The transfers of a round are done; returns the control register as it becomes, and whether a round begins anew.
    fn round_ended(cr: u32) -> (u32, bool);

    /// Checks a channel that is being enabled; it stays disabled with `false`.
    fn may_begin(_dma: &mut Dma<Self>, _channel: u8, _env: &mut Env<'_, '_>) -> bool {
        true
    }

    /// Tells if the register at `which` of an enabled channel takes no writes.
    fn is_closed(cr: u32, which: u32) -> bool;

    /// The channel's register at `which` was written: the bits that no write changes are put back.
    fn written(_dma: &mut Dma<Self>, _channel: u8, _which: u32, _values: (u32, u32)) {}

    /// A write of a register that is no channel's; returns `false` for one that holds what is written.
    fn write(bank: &mut Bank, offset: u32, write: Write) -> bool;
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Dma<V> {
    pub(super) bank: Bank,
    lines: Lines,
    channels: Vec<Channel>,
    running: Running,
    version: PhantomData<V>,
}

impl<V: Version> Dma<V> {
    /// The controller after reset, with as many channels as it has registers for.
    pub fn new(instance: &Instance) -> Self {
        let (first, step) = V::CHANNELS;
        // Behind them may lie a register that chooses requests.
        let mut registers = instance.map.registers.iter().rev().map(|register| register.offset + 4);
        let end = registers.find(|end| *end <= first + MOST_CHANNELS * step).unwrap_or(0);
        Self {
            bank: Bank::new(instance.map, V::MODEL),
            lines: Lines::new(instance, V::SIGNALS),
            channels: vec![Channel::default(); end.saturating_sub(first).div_ceil(step) as usize],
            running: Running::default(),
            version: PhantomData,
        }
    }

    /// The offset of the register at `which` of `channel`.
    pub(super) fn register(channel: u8, which: u32) -> u32 {
        let (first, step) = V::CHANNELS;
        first + step * u32::from(channel) + which
    }

    /// The value of the register at `which` of `channel`.
    pub(super) fn get(&self, channel: u8, which: u32) -> u32 {
        self.bank.get(Self::register(channel, which))
    }

    /// The channel's control register.
    pub(super) fn cr(&self, channel: u8) -> u32 {
        self.get(channel, CR)
    }

    fn set_left(&mut self, channel: u8, left: u32) {
        self.bank.set(Self::register(channel, LEFT), left);
    }

    fn disable(&mut self, channel: u8) {
        self.bank.flag(Self::register(channel, CR), EN, false);
    }

    /// Loads the addresses for a round of transfers.
    fn load(&mut self, channel: u8) {
        let memory = V::memory(self.cr(channel));
        let (peripheral, memory) = (self.get(channel, PERIPHERAL), self.get(channel, memory));
        let state = &mut self.channels[usize::from(channel)];
        (state.peripheral, state.memory) = (peripheral, memory);
    }

    fn enable(&mut self, channel: u8, env: &mut Env<'_, '_>) {
        if !V::may_begin(self, channel, env) {
            V::raise(&mut self.bank, channel, Flag::Error);
            self.disable(channel);
            return;
        }
        self.load(channel);
        let count = self.get(channel, LEFT);
        let state = &mut self.channels[usize::from(channel)];
        (state.count, state.pending) = (count, false);
    }

    fn drive(&mut self, env: &mut Env<'_, '_>) {
        self.lines.drive(V::active(self), env);
    }
}

impl<V: Version> DmaController for Dma<V> {
    fn channels(&self) -> u8 {
        self.channels.len() as u8
    }

    fn request_once(&mut self, channel: u8, selector: u8) {
        let hears = channel < self.channels() && V::hears(self, channel, selector);
        if let Some(state) = self.channels.get_mut(usize::from(channel)) {
            state.pending |= hears;
        }
    }

    fn arbitrate(&mut self, requested: &dyn Fn(u8, u8) -> bool, env: &mut Env<'_, '_>) {
        if self.running.channel().is_some() {
            return;
        }
        let ready = |channel: &u8| {
            let cr = self.cr(*channel);
            cr & EN != 0
                && self.get(*channel, LEFT) != 0
                && (V::runs_by_itself(cr)
                    || self.channels[usize::from(*channel)].pending
                    || requested(*channel, V::selector(self, *channel)))
        };
        // The higher PL wins, then the lower number (RM0490, "DMA channel priorities"; RM0390, "Arbiter").
        let next = (0..self.channels())
            .filter(ready)
            .max_by_key(|channel| (V::priority(self.cr(*channel)), Reverse(*channel)));
        if let Some(channel) = next {
            self.channels[usize::from(channel)].pending = false;
            self.running.begin(channel, &V::ROWS[0], env);
        }
    }

    fn due(&mut self, env: &mut Env<'_, '_>) -> Option<(u8, Transfer)> {
        let channel = self.running.due(env)?;
        let cr = self.cr(channel);
        if cr & EN == 0 || self.get(channel, LEFT) == 0 {
            return None;
        }
        self.running.go_on(channel);
        Some((channel, V::transfer(cr, &mut self.channels[usize::from(channel)])))
    }

    fn under_way(&self) -> Option<u8> {
        self.running.channel()
    }

    fn turn(&self) -> &'static TimingRow {
        &V::ROWS[1]
    }

    fn contention(&self) -> &'static TimingRow {
        &V::ROWS[2]
    }

    fn selector(&self, channel: u8) -> u8 {
        V::selector(self, channel)
    }

    fn left(&self, channel: u8) -> u32 {
        self.get(channel, LEFT)
    }

    fn finish(&mut self, channel: u8, outcome: Outcome, env: &mut Env<'_, '_>) {
        self.running.end();
        // A channel that was disabled meanwhile keeps what its registers show.
        if self.cr(channel) & EN == 0 {
            return;
        }
        if outcome != Outcome::Done {
            // The channel is disabled (RM0490, "DMA error management"; RM0390, "Error management").
            V::raise(&mut self.bank, channel, Flag::Error);
            self.disable(channel);
            return self.drive(env);
        }
        let count = self.channels[usize::from(channel)].count;
        let left = self.get(channel, LEFT).saturating_sub(1);
        self.set_left(channel, left);
        if count > 1 && left == count / 2 {
            V::raise(&mut self.bank, channel, Flag::Half);
        }
        if left == 0 {
            V::raise(&mut self.bank, channel, Flag::Complete);
            let (cr, goes_on) = V::round_ended(self.cr(channel));
            self.bank.set(Self::register(channel, CR), cr);
            if goes_on {
                self.load(channel);
                self.set_left(channel, count);
            } else if V::ENDS_DISABLED {
                self.disable(channel);
            }
        }
        self.drive(env);
    }
}

impl<V: Version> Block<Words> for Dma<V> {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (first, step) = V::CHANNELS;
        let place = offset.wrapping_sub(first);
        let (channel, which) = ((place / step) as u8, place % step);
        if offset < first || channel >= self.channels() {
            if !V::write(&mut self.bank, offset, write) {
                self.bank.write(offset, write, env);
            }
            return self.drive(env);
        }
        let runs = self.cr(channel) & EN != 0;
        if runs && V::is_closed(self.cr(channel), which) {
            return;
        }
        let values = self.bank.write(offset, write, env);
        V::written(self, channel, which, values);
        if which == CR && self.cr(channel) & EN != 0 && !runs {
            self.enable(channel, env);
            if self.get(channel, LEFT) == 1 {
                env.effect(Effect::DmaSingle { channel });
            }
        }
        self.drive(env);
        env.effect(Effect::DmaChanged);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        env.effect(Effect::DmaChanged);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.channels.fill(Channel::default());
        self.running.reset(env);
        self.drive(env);
        env.effect(Effect::DmaChanged);
    }

    fn after_change(&mut self, old: Tree, env: &mut Env<'_, '_>) {
        self.running.rescale(&old, env);
    }

    fn refine(&mut self, times: u64) {
        self.running.refine(times);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
