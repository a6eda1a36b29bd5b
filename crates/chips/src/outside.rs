//! The attached devices of a machine, the waves of its signals, and the voltages on its pins.

use cyclescope_machine::{
    Attachment, Context, EventId, EventQueue, GapKind, Pin, Signal, SignalKind, Timebase, Voltage, Wire,
};
use cyclescope_peripherals::Block;
use cyclescope_peripherals::framework::Bus;
use cyclescope_peripherals::wires::{Outside, WAVE};

use crate::owner::{Owner, Wiring};

/// The event of attached devices' alarms, after stimuli of the same cycle.
pub(crate) const ALARM: EventId = EventId { priority: 1, number: 0xFF10 };

/// More rounds of answers than this at one time would be devices that feed each other.
const ROUNDS: usize = 1_000;

impl<W: Wiring> Owner<W> {
    /// The devices on the part's pins, and the voltages there.
    pub fn outside(&self) -> &Outside {
        &self.slots.wires.outside
    }

    /// Hangs `attachments` on the part's pins and gives them power. Wires that end nowhere stay so;
    /// [`Machine::attach`](crate::Machine::attach) refuses them.
    pub fn attach(&mut self, attachments: Vec<Attachment>, context: &mut Context<'_>) {
        for mut attachment in attachments {
            for wire in attachment.wires.iter_mut().flatten() {
                if let Wire::Signal { peripheral, signal } = wire
                    && let Some(pin) = W::fixed_pin(self, peripheral, signal)
                {
                    *wire = Wire::Pin(pin);
                }
            }
            self.slots.wires.outside.hang(attachment);
        }
        self.reroute();
        let now = self.timebase().time(context.now);
        self.slots.wires.outside.start(now);
        // Who drives a clock has to know the levels that the lines have.
        let high: Vec<Pin> = self.outside().shared_pins().filter(|pin| W::level(self, *pin)).collect();
        high.into_iter().for_each(|pin| self.slots.wires.outside.pin_changed(pin, true, now));
        self.attend(context);
    }

    /// Finds out anew which signals of the part attached devices are on.
    pub(crate) fn reroute(&mut self) {
        if self.outside().is_empty() {
            return;
        }
        let supply = self.outside().supply();
        let mut outside = std::mem::replace(&mut self.slots.wires.outside, Outside::new(supply));
        outside.route(
            |wire, name| W::route(self, wire, name),
            |wire| W::pin_of(self, wire),
            |pin| W::blocks_on(self, pin),
        );
        self.slots.wires.outside = outside;
    }

    /// Does what blocks have begun on the wires and what attached devices have asked for.
    pub(crate) fn attend(&mut self, context: &mut Context<'_>) {
        if self.playing.is_some() || (self.slots.wires.waves.is_empty() && self.outside().is_empty()) {
            return;
        }
        while let Some((slot, signal)) = self.slots.wires.waves.unknown() {
            let heard = W::hears(self, usize::from(slot), signal);
            self.slots.wires.waves.note(slot, signal, heard);
        }
        self.play(context);
        self.schedule_waves(context);
        for _ in 0..ROUNDS {
            if !self.outside().is_pending() {
                break;
            }
            self.answer_outside(context);
        }
        let timebase = self.timebase();
        self.schedule_alarm(&timebase, context.events);
    }

    /// Plays the edges of waves that are due.
    pub(crate) fn play(&mut self, context: &mut Context<'_>) {
        let now = context.now;
        let outer = self.playing;
        loop {
            let time = self.slots.now(context);
            let Some(edge) = self.slots.wires.waves.due(time) else { break };
            context.now = W::Bus::cycle(&self.slots.wires.shared, edge.at).min(now);
            self.playing = Some(edge.heard);
            W::show(self, usize::from(edge.slot), edge.signal, edge.high, context);
            self.carry_out(context);
            context.now = now;
        }
        self.playing = outer;
    }

    fn schedule_waves(&mut self, context: &mut Context<'_>) {
        let all = context.signals.wants(SignalKind::Pin);
        let slots: Vec<u16> = self.slots.wires.waves.slots().collect();
        for slot in slots {
            let at = self.slots.wires.waves.next_at(slot, all);
            self.slots.with(usize::from(slot), context, |_, env| env.schedule(WAVE, at));
        }
    }

    /// Puts the levels of attached devices on pins, and tells observers and the user what they did.
    fn answer_outside(&mut self, context: &mut Context<'_>) {
        for (line, transfer) in self.slots.wires.outside.take_transfers() {
            context.signals.record(context.now, Signal::Transfer { line, transfer });
        }
        while let Some((name, sentence)) = self.slots.wires.outside.next_complaint() {
            context.gap(GapKind::Setting, &format!("{name}: {sentence}"));
        }
        for slot in self.slots.wires.outside.take_called() {
            let outer = self.playing.replace(true);
            self.slots.with(usize::from(slot), context, |device, env| device.called(env));
            self.carry_out(context);
            self.playing = outer;
        }
        while let Some(pin) = self.slots.wires.outside.next_changed() {
            let level = self.outside().level(pin, |pin| W::driven(self, pin));
            let outer = self.playing.replace(true);
            W::apply(self, pin, level, context);
            self.carry_out(context);
            self.playing = outer;
        }
    }

    /// An edge of `pin` reaches the attached devices.
    pub(crate) fn tell_outside(&mut self, pin: Pin, high: bool, context: &Context<'_>) {
        if !self.outside().is_empty() {
            let now = self.timebase().time(context.now);
            self.slots.wires.outside.pin_changed(pin, high, now);
        }
    }

    /// The alarm of an attached device is due.
    pub(crate) fn wake_outside(&mut self, context: &mut Context<'_>) {
        let now = self.timebase().time(context.now);
        self.slots.wires.outside.wake(now);
        self.attend(context);
    }

    /// Schedules the next alarm.
    pub(crate) fn schedule_alarm(&self, timebase: &Timebase, events: &mut EventQueue) {
        match self.outside().next_at() {
            Some(at) => events.schedule(timebase.cycle(at.into()), ALARM),
            None if self.outside().is_empty() => {}
            None => events.cancel(ALARM),
        }
    }

    /// A stimulus gives a quantity of an attached device a value.
    pub(crate) fn set_outside(&mut self, device: &str, name: &str, value: &str, context: &mut Context<'_>) {
        let now = self.timebase().time(context.now);
        if let Err(sentence) = self.slots.wires.outside.set(device, name, value, now) {
            context.gap(GapKind::Setting, &format!("{device}: {sentence}"));
        }
        self.attend(context);
    }

    /// A stimulus puts a voltage on `pin`, or (`None`) lets it go. A constant one is a level for a digital input, too: high
    /// from half the supply on.
    pub(crate) fn apply_voltage(&mut self, pin: Pin, voltage: Option<Voltage>, context: &mut Context<'_>) {
        let now = self.timebase().time(context.now);
        let half = self.outside().supply() / 2;
        let level = match &voltage {
            Some(Voltage::Constant(microvolts)) => Some(*microvolts >= half),
            _ => None,
        };
        self.slots.wires.outside.apply(pin, voltage, now);
        W::apply(self, pin, level, context);
        W::voltage_applied(self, context);
    }
}
