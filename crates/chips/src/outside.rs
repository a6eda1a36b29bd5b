//! The attached devices of a machine, the waves of its signals, and the voltages on its pins.

use cyclescope_machine::{
    Attachment, Channel, Context, EventId, EventQueue, GapKind, Line, Pin, Signal, SignalKind, Signals, Timebase,
    Transfer, UsbAction, UsbAnswer, Voltage, Wire,
};
use cyclescope_peripherals::Block;
use cyclescope_peripherals::framework::{AnyDevice, Bus, UsbDevice};
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
        let quiet = self.slots.wires.waves.is_empty() && self.slots.wires.squares.is_empty();
        if self.playing.is_some() || (quiet && self.outside().is_empty()) {
            return;
        }
        self.find_hearers(context.signals);
        self.slots.wires.waves.forget_before(context.signals.asked());
        while let Some((slot, signal)) = self.slots.wires.waves.unknown() {
            let heard = W::hears(self, usize::from(slot), signal);
            let seen = W::is_seen(self, usize::from(slot), signal, context.signals);
            self.slots.wires.waves.note(slot, signal, heard, seen);
            if !heard && self.slots[slot.into()].serial().is_some() && !W::reaches(self, slot.into(), signal) {
                let name = <W::Bus as Bus>::name(self.slots.instance(slot.into()));
                let sentence = format!("{name} sends, and its TX is at no pin: a board would show nothing");
                context.gap(GapKind::Setting, &sentence);
            }
        }
        self.play_for(false, context);
        self.schedule_waves(context);
        self.tell_usb(context);
        for _ in 0..ROUNDS {
            if !self.outside().is_pending() {
                break;
            }
            self.answer_outside(context);
            self.serve_usb(context);
        }
        self.tell_listeners(context);
        // Each access comes here, and to convert times takes long.
        let alarm = self.outside().next_at();
        if alarm.is_some() || context.events.when(ALARM).is_some() {
            self.schedule_alarm(&self.timebase(), context.events);
        }
    }

    /// Finds out which clocks at signals reach pins, and anew which are heard: listeners come and go while they run.
    fn find_hearers(&mut self, signals: &Signals) {
        if self.slots.wires.squares.is_empty() {
            return;
        }
        let running: Vec<_> = self.slots.wires.squares.signals().collect();
        for (place, (slot, signal, known)) in running.into_iter().enumerate() {
            let reaches = known.unwrap_or_else(|| W::reaches(self, usize::from(slot), signal));
            let heard = reaches && W::hears(self, usize::from(slot), signal);
            let seen = reaches && W::is_seen(self, usize::from(slot), signal, signals);
            self.slots.wires.squares.note(place, reaches, heard, seen);
        }
    }

    /// Plays the edges of waves that are due.
    pub(crate) fn play(&mut self, context: &mut Context<'_>) {
        self.play_for(true, context);
    }

    /// The same, of clocks at signals only those that are heard or seen unless `all`.
    fn play_for(&mut self, all: bool, context: &mut Context<'_>) {
        let now = context.now;
        let outer = self.playing;
        loop {
            let time = self.slots.now(context);
            let wires = &mut self.slots.wires;
            let edge = wires.waves.due(time).or_else(|| wires.squares.due(time, all));
            let Some(edge) = edge else { break };
            context.now = W::Bus::cycle(&self.slots.wires.shared, edge.at).min(now);
            self.playing = Some(edge.heard);
            W::show(self, usize::from(edge.slot), edge.signal, edge.high, context);
            self.carry_out(context);
            context.now = now;
        }
        self.playing = outer;
    }

    fn schedule_waves(&mut self, context: &mut Context<'_>) {
        let wires = &self.slots.wires;
        let slots: Vec<u16> = wires.waves.slots().chain(wires.squares.signals().map(|(slot, ..)| slot)).collect();
        for slot in slots {
            let at = self.slots.wires.waves.next_at(slot).min(self.slots.wires.squares.next_at(slot));
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
        for (slot, character) in self.slots.wires.outside.take_crossing() {
            let outer = self.playing.replace(true);
            self.slots.with(usize::from(slot), context, |device, env| {
                if let Some(serial) = device.serial_mut() {
                    serial.receive_character(character, env);
                }
            });
            self.carry_out(context);
            self.playing = outer;
        }
        while let Some(pin) = self.slots.wires.outside.next_changed() {
            let level = self.outside().level(pin, |pin| W::driven(self, pin), |pin| W::pulls_up(self, pin));
            let outer = self.playing.replace(true);
            W::apply(self, pin, level, context);
            self.carry_out(context);
            self.playing = outer;
        }
    }

    /// Tells USB hosts of changes at the part's end of their cables.
    fn tell_usb(&mut self, context: &Context<'_>) {
        let hosts: Vec<(usize, u16)> = self.outside().usb_hosts().collect();
        if hosts.is_empty() {
            return;
        }
        let now = self.timebase().time(context.now);
        for (index, slot) in hosts {
            if let Some(state) = self.slots[usize::from(slot)].usb().map(UsbDevice::state) {
                self.slots.wires.outside.usb_state(index, state, now);
            }
        }
    }

    /// Carries out what USB hosts do on their cables, and what the part answers.
    fn serve_usb(&mut self, context: &mut Context<'_>) {
        while let Some((number, bytes)) = self.slots.wires.outside.next_output() {
            context.console.write(Channel::Usb(number), &bytes);
        }
        while let Some((index, action)) = self.slots.wires.outside.next_usb() {
            let slot = self.outside().usb_hosts().find(|(other, _)| *other == index).map(|(_, slot)| usize::from(slot));
            let Some(slot) = slot else { continue };
            let answer = self.slots.with(slot, context, |device, env| {
                device.usb_mut().map_or(UsbAnswer::Nothing, |usb| usb.action(&action, env))
            });
            if let Some(transfer) = usb_transfer(&action, &answer) {
                let line = Line::Peripheral(W::Bus::name(self.slots.instance(slot)));
                context.signals.record(context.now, Signal::Transfer { line, transfer });
            }
            let outer = self.playing.replace(true);
            self.carry_out(context);
            self.playing = outer;
            let now = self.timebase().time(context.now);
            if matches!(action, UsbAction::In { .. } | UsbAction::Out { .. }) {
                self.slots.wires.outside.usb_answer(index, answer, now);
            }
            self.tell_usb(context);
        }
    }

    /// Tells observers of ports behind consoles that take bytes from now on.
    fn tell_listeners(&mut self, context: &mut Context<'_>) {
        if context.signals.wants(SignalKind::Serial) && self.outside().consoles() > 0 {
            for number in self.slots.wires.outside.new_listeners() {
                context.signals.record(context.now, Signal::Listens { port: Channel::Usb(number) });
            }
        }
    }

    /// Bytes from outside for the serial port behind the console `number`.
    pub(crate) fn receive_console(&mut self, number: u8, bytes: &[u8], context: &mut Context<'_>) {
        let now = self.timebase().time(context.now);
        self.slots.wires.outside.console_receive(number, bytes, now);
        self.attend(context);
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

/// The part of a transfer that `action` and its `answer` are, if observers are told of it: nothing of what is not taken.
fn usb_transfer(action: &UsbAction, answer: &UsbAnswer) -> Option<Transfer> {
    let length = |data: &[u8]| u16::try_from(data.len()).unwrap_or(u16::MAX);
    match (action, answer) {
        (UsbAction::Reset(true), _) => Some(Transfer::UsbReset),
        (UsbAction::Out { endpoint, .. } | UsbAction::In { endpoint, .. }, UsbAnswer::Stall) => {
            Some(Transfer::UsbStall { endpoint: *endpoint })
        }
        (UsbAction::Out { setup: true, endpoint, data, .. }, UsbAnswer::Ack) => {
            let mut request = [0; 8];
            request.iter_mut().zip(data).for_each(|(to, from)| *to = *from);
            Some(Transfer::UsbSetup { endpoint: *endpoint, request })
        }
        (UsbAction::Out { endpoint, data, .. }, UsbAnswer::Ack) => {
            Some(Transfer::UsbOut { endpoint: *endpoint, length: length(data) })
        }
        (UsbAction::In { endpoint, .. }, UsbAnswer::Data { data, .. }) => {
            Some(Transfer::UsbIn { endpoint: *endpoint, length: length(data) })
        }
        _ => None,
    }
}
