//! DMA transfers, access by access, and who waits for whom.
//!
//! The bus matrix gives a slave to one master at a time, in turn (round robin: RM0008, RM0390, RM0490, "System
//! architecture"). A transfer has its slave for one access at a time, each an event of its own cycle:
//!
//! - **A bridge**: who asks while it is taken waits for its end and then for PCLK's edge. Of two who ask in the same
//!   cycle, the one goes first who did not have it last.
//! - **A RAM** is taken for one cycle. The core, which has it whenever no transfer does, waits a row's cycles if its own
//!   access falls into that cycle; a transfer does not wait for the core.
//! - **Flash** is read through its interface, and delays the core's reads as any other does.

use std::sync::Arc;

use cyclescope_machine::units::Cycles;
use cyclescope_machine::{Context, EventId, RegionKind, TimingRow, Width};
use cyclescope_peripherals::{Device, Effect, Outcome, RequestMux, Source, Transfer};

use super::Devices;
use crate::family::Cost;

/// The event at which the next access of a transfer begins or ends, beyond all blocks' own.
pub(super) const ACCESS: EventId = EventId::new(0xFF01);

/// The event at which the core has RAM to itself again.
pub(super) const OPEN: EventId = EventId::new(0xFF02);

/// A transfer whose first access has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving {
    /// The slot of its controller.
    slot: usize,
    channel: u8,
    transfer: Transfer,
    /// The data read so far.
    value: u128,
    step: Step,
    /// When that step is.
    at: Cycles,
}

/// The next step of a transfer: the first or the last cycle of one of its accesses.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A read begins.
    AskRead(u8),
    /// A read ends.
    Read(u8),
    /// A write begins.
    AskWrite(u8),
    /// A write ends.
    Write(u8),
}

/// The latest uses of a bridge, by the core and by transfers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bridge {
    /// When the core asked for its latest access, and the cycle after it.
    core: (Cycles, Cycles),
    /// The cycle after the core's access before.
    core_before: Cycles,
    /// The first cycle of the latest access of a transfer, and the cycle after it.
    dma: (Cycles, Cycles),
}

impl Bridge {
    /// When a transfer that asks at `at` gets the bridge.
    fn free_for_dma(&self, at: Cycles) -> Cycles {
        let at = at.max(self.dma.1);
        let (asked, end) = self.core;
        let core_goes_first = at > asked || (at == asked && self.core_before < self.dma.1);
        if at < end && core_goes_first { end } else { at }
    }
}

impl Devices {
    /// Cycles of HCLK that the core's data phase from `at` on takes beyond its first over the bridge of number `bridge`.
    pub(super) fn core_over_bridge(&mut self, bridge: usize, row: &TimingRow, at: Cycles) -> i32 {
        let (taken, free) = self.wiring.bridges[bridge].dma;
        // What the transfer got after the core had asked does not delay the core.
        let end = self.over_bridge(bridge, row, if taken <= at { at.max(free) } else { at });
        let known = &mut self.wiring.bridges[bridge];
        if known.core.0 != at {
            known.core_before = known.core.1;
        }
        known.core = (at, end);
        end.saturating_sub(at).get() as i32 - 1
    }

    /// The cycle after a transfer over a bridge that is free from `at` on: up to the next edge of its bus's clock, unless it
    /// is there, and from it the periods that `row` has.
    fn over_bridge(&self, bridge: usize, row: &TimingRow, at: Cycles) -> Cycles {
        let clock = [Source::Pclk, Source::Pclk2][bridge];
        let (hclk, period) = (self.clocks().tree().hclk, self.clocks().period_of(clock));
        if period <= hclk {
            return at.saturating_add(Cycles::new(u64::from(row.cycles)));
        }
        self.clocks()
            .cycle(self.clocks().edge_from(clock, self.clocks().at(at)).after(period.times(u64::from(row.cycles))))
    }

    /// Has a transfer of the controller in `slot` begin its access to `address` now; gives the access's last cycle.
    fn begin_access(&mut self, slot: usize, address: u32, context: &mut Context<'_>) -> Cycles {
        let now = context.now;
        match context.memory.region(address) {
            Some(RegionKind::Flash(offset)) if context.memory.flash.interface().timing().wait_states > 0 => {
                let stall = context.memory.flash.read_data(offset, now.get());
                return now.saturating_add(Cycles::new(u64::from(stall)));
            }
            Some(RegionKind::Ram(offset)) => {
                let row = self.slots[slot].dma().map(|dma| dma.contention());
                let wait = row.map_or(0, |row| self.slots.with(slot, context, |_, env| env.cycles(row)));
                let slave = self.wiring.layout.soc.family.ram_slave(offset);
                context.memory.take_ram(slave, now.get(), wait as u32);
                return now;
            }
            Some(_) => return now,
            None => {}
        }
        let (bridge, row) = match self.wiring.layout.soc.family.segment(address).map(|(_, segment)| segment.cost) {
            Some(Cost::Apb1(row)) => (0, row),
            Some(Cost::Apb2(row)) => (1, row),
            _ => return now,
        };
        let start = self.wiring.bridges[bridge].free_for_dma(now);
        let end = self.over_bridge(bridge, row, start);
        self.wiring.bridges[bridge].dma = (start, end);
        end.saturating_sub(Cycles::new(1))
    }

    /// Begins what is asked for, or goes on with what is under way.
    pub(super) fn run_dma(&mut self, context: &mut Context<'_>) {
        if !self.wiring.layout.known.masters.is_empty() {
            return self.masters_go_on(context);
        }
        let layout = Arc::clone(&self.wiring.layout);
        for &(_, slot) in &layout.known.controllers {
            let due = self.slots.with(slot, context, |device, env| device.dma_mut().and_then(|dma| dma.due(env)));
            let Some((channel, transfer)) = due else { continue };
            self.wiring.moving.retain(|moving| moving.slot != slot);
            let at = self.begin_access(slot, transfer.from.address, context);
            self.wiring.moving.push(Moving { slot, channel, transfer, value: 0, step: Step::Read(0), at });
        }
        if !self.advance_dma(context) {
            self.arbitrate(context);
        }
    }

    /// Does of each transfer what is due; whether anything was, after which controllers are to be asked anew.
    pub(super) fn advance_dma(&mut self, context: &mut Context<'_>) -> bool {
        let mut any = None;
        while let Some(place) = self.wiring.moving.iter().position(|moving| moving.at <= context.now) {
            let Moving { slot, channel, transfer: Transfer { from, to }, value, step, .. } = self.wiring.moving[place];
            any = Some(slot);
            let dma = self.slots[slot].dma();
            let Some(turn) = dma.filter(|dma| dma.under_way() == Some(channel)).map(|dma| dma.turn()) else {
                self.wiring.moving.remove(place);
                continue;
            };
            let next = context.now.saturating_add(Cycles::new(1));
            let (step, at, value) = match step {
                Step::AskRead(index) => {
                    (Step::Read(index), self.begin_access(slot, from.address(index), context), value)
                }
                Step::Read(index) => {
                    let Some(read) = self.dma_read(from.address(index), from.width, context) else {
                        self.end_transfer(place, Outcome::ReadFailed, context);
                        continue;
                    };
                    let value = value | u128::from(read) << lane(from.width, index);
                    if index + 1 < from.count {
                        (Step::AskRead(index + 1), next, value)
                    } else {
                        let turn = self.slots.with(slot, context, |_, env| env.cycles(turn));
                        (Step::AskWrite(0), next.saturating_add(Cycles::new(turn)), value)
                    }
                }
                Step::AskWrite(index) => {
                    (Step::Write(index), self.begin_access(slot, to.address(index), context), value)
                }
                Step::Write(index) => {
                    let written = (value >> lane(to.width, index)) as u32 & to.width.mask();
                    let done = self.dma_write(to.address(index), to.width, written, context);
                    if done.is_none() || index + 1 >= to.count {
                        let outcome = done.map_or(Outcome::WriteFailed, |()| Outcome::Done);
                        self.end_transfer(place, outcome, context);
                        continue;
                    }
                    (Step::AskWrite(index + 1), next, value)
                }
            };
            self.wiring.moving[place] = Moving { step, at, value, ..self.wiring.moving[place] };
        }
        match self.wiring.moving.iter().map(|moving| moving.at).min() {
            Some(at) => context.events.schedule(at, ACCESS),
            None => context.events.cancel(ACCESS),
        }
        // What the accesses did to their peripherals' requests counts before the next is chosen.
        any.inspect(|slot| self.slots.wires.effects.push((*slot as u16, Effect::DmaChanged))).is_some()
    }

    fn end_transfer(&mut self, place: usize, outcome: Outcome, context: &mut Context<'_>) {
        let Moving { slot, channel, .. } = self.wiring.moving.remove(place);
        self.slots.with(slot, context, |device, env| {
            if let Some(dma) = device.dma_mut() {
                dma.finish(channel, outcome, env);
            }
        });
        match self.slots[slot].dma().map(|dma| dma.left(channel)) {
            Some(1) => {
                for number in bits(self.heard_by(slot, channel)) {
                    self.slots.iter_mut().for_each(|device| device.one_left(number));
                }
                self.tell_last(slot, channel, context);
            }
            Some(0) => self.tell_ended(slot, channel, context),
            _ => {}
        }
    }

    /// Tells blocks whose requests the channel hears that its next transfer is the last.
    pub(super) fn tell_last(&mut self, slot: usize, channel: u8, context: &mut Context<'_>) {
        for number in bits(self.heard_by(slot, channel)) {
            self.slots.each(context, |device, env| device.last_due(number, env));
        }
    }

    /// Tells converters whose requests the channel hears that it is done.
    fn tell_ended(&mut self, slot: usize, channel: u8, context: &mut Context<'_>) {
        let layout = Arc::clone(&self.wiring.layout);
        for number in bits(self.heard_by(slot, channel)) {
            for converter in &layout.known.converters {
                self.slots.with(converter.slot, context, |device, env| {
                    if let Some(converter) = device.converter_mut() {
                        converter.dma_ended(number, env);
                    }
                });
            }
        }
    }

    /// The requests, one bit each, that the channel hears.
    fn heard_by(&self, slot: usize, channel: u8) -> u128 {
        let layout = &self.wiring.layout;
        let controller = layout.known.controllers.iter().find(|(_, known)| *known == slot).map(|(number, _)| *number);
        let Some(controller) = controller else { return 0 };
        let Some(selector) = self.slots[slot].dma().map(|dma| dma.selector(channel)) else { return 0 };
        match self.mux() {
            Some(mux) => match mux.selected(self.first_input(controller) + channel) {
                0 => 0,
                number => 1u128 << (number & 127),
            },
            None => layout.heard(controller, channel, selector),
        }
    }

    /// Has each DMA controller begin what is asked for.
    fn arbitrate(&mut self, context: &mut Context<'_>) {
        let layout = Arc::clone(&self.wiring.layout);
        for (number, slot) in &layout.known.controllers {
            let first = self.first_input(*number);
            let channels = self.slots[*slot].dma().map_or(0, |dma| dma.channels());
            let requests = self.wiring.requests;
            // What a multiplexer carries to each channel; without one, routes say it.
            let mux = layout.known.dmamux.map(|slot| &mut self.slots[slot]).and_then(Device::request_mux_mut);
            let carried = mux.map(|mux| {
                mux.look(requests);
                (0..channels.min(32))
                    .fold(0u32, |bits, channel| bits | u32::from(mux.carries(first + channel, requests)) << channel)
            });
            let before = self.slots[*slot].dma().and_then(|dma| dma.under_way());
            let requested = |channel: u8, selector: u8| match carried {
                Some(carried) => carried >> (channel & 31) & 1 != 0,
                None => layout.heard(*number, channel, selector) & requests != 0,
            };
            self.slots.with(*slot, context, |device, env| {
                if let Some(dma) = device.dma_mut() {
                    dma.arbitrate(&requested, env);
                }
            });
            let served = self.slots[*slot].dma().and_then(|dma| dma.under_way()).filter(|_| before.is_none());
            if let Some((mux, channel)) = layout.known.dmamux.zip(served) {
                self.slots.with(mux, context, |device, env| {
                    if let Some(mux) = device.request_mux_mut() {
                        mux.served(first + channel, env);
                    }
                });
            }
        }
        let under_way = |(_, slot): &(u8, usize)| self.slots[*slot].dma().is_some_and(|dma| dma.under_way().is_some());
        close_ram(layout.known.controllers.iter().any(under_way), context);
    }

    fn mux(&self) -> Option<&dyn RequestMux> {
        self.wiring.layout.known.dmamux.and_then(|slot| self.slots[slot].request_mux())
    }

    /// The multiplexer's channel that is the first of the controller `number`: those of all controllers lie one after the other
    /// (RM0444, RM0440, RM0432, "DMAMUX mapping").
    fn first_input(&self, number: u8) -> u8 {
        let before = self.wiring.layout.known.controllers.iter().filter(|(known, _)| *known < number);
        before.filter_map(|(_, slot)| self.slots[*slot].dma()).map(|dma| dma.channels()).sum()
    }

    pub(super) fn request_once(&mut self, number: u8) {
        let layout = Arc::clone(&self.wiring.layout);
        if let Some(mux) = layout.known.dmamux {
            for (controller, slot) in &layout.known.controllers {
                let first = self.first_input(*controller);
                for channel in 0..self.slots[*slot].dma().map_or(0, |dma| dma.channels()) {
                    let input = first + channel;
                    let asks = |mux: &mut dyn RequestMux| mux.selected(input) == number && !mux.keeps_once(input);
                    if number != 0 && self.slots[mux].request_mux_mut().is_some_and(asks) {
                        self.slots[*slot].dma_mut().into_iter().for_each(|dma| dma.request_once(channel, 0));
                    }
                }
            }
            return;
        }
        for (number, channel, selector) in layout.hearers(number) {
            let slot = layout.known.controllers.iter().find(|(known, _)| *known == number).map(|(_, slot)| *slot);
            if let Some(dma) = slot.and_then(|slot| self.slots[slot].dma_mut()) {
                dma.request_once(channel, selector);
            }
        }
    }

    pub(super) fn dma_read(&mut self, address: u32, width: Width, context: &mut Context<'_>) -> Option<u32> {
        if let Some(value) = context.memory.read(address, width) {
            return Some(value);
        }
        let word = self.read_word(address, width, context).ok()?;
        Some(word >> ((address & 3) * 8) & width.mask())
    }

    pub(super) fn dma_write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        context: &mut Context<'_>,
    ) -> Option<()> {
        if context.memory.write(address, width, value) {
            return Some(());
        }
        self.write_word(address, width, value, context).ok()
    }
}

/// While a transfer is under way (`closed`), the core's accesses to RAM are looked at one by one.
pub(super) fn close_ram(closed: bool, context: &mut Context<'_>) {
    if closed {
        context.events.cancel(OPEN);
        context.memory.ram.close(true);
    } else if context.memory.ram.is_closed() {
        // An access of the core may still fall into the cycle of the last one.
        context.events.schedule(context.now.saturating_add(Cycles::new(1)), OPEN);
    }
}

/// The lowest bit of the access `index` of that width among a transfer's data.
fn lane(width: Width, index: u8) -> u32 {
    (8 * width.bytes() * u32::from(index)) & 127
}

/// The numbers of the bits that are set.
fn bits(word: u128) -> impl Iterator<Item = u8> {
    (0..128).filter(move |bit| word >> bit & 1 != 0)
}
