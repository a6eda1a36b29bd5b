//! The bus: frames, and one transaction after the other in them.

use cyclescope_machine::units::Picoseconds;
use cyclescope_machine::{Contact, UsbAction, UsbAnswer};

use super::packet::{self, GAP, HANDSHAKE, TIMEOUT, TURN, Token, time};
use super::{MILLISECOND, UsbHost};

const FRAME: Picoseconds = Picoseconds::new(MILLISECOND);
/// An endpoint that answers NAK is asked again after this time.
pub(super) const RETRY: Picoseconds = Picoseconds::new(25_000_000);
/// Bits at the end of a frame in which nothing begins (USB 2.0, 11.3: EOF1).
const LAST: u64 = 32;

/// The owner of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The control transfer under way.
    Control,
    /// The data of a serial port, to the device.
    Output(usize),
    /// The data of a serial port, from the device.
    Input(usize),
    /// The notices of a serial port.
    Notices(usize),
}

/// A transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Transaction {
    pub(super) owner: Owner,
    pub(super) token: Token,
    pub(super) endpoint: u8,
    /// Of the data that go out, DATA1; of those expected, too.
    pub(super) toggle: bool,
    /// The data that go out.
    pub(super) data: Vec<u8>,
    /// The most bytes that may come.
    pub(super) most: u16,
}

/// The host's next step, due at its alarm.
#[derive(Clone, Debug)]
pub(super) enum Pending {
    /// The packets of the host are out.
    Packets(Transaction),
    /// The device's data are in.
    End(Transaction, bool, Vec<u8>),
}

impl UsbHost {
    /// Something may be sent sooner than the alarm comes.
    pub(super) fn hurry(&mut self, contact: &mut Contact<'_>) {
        if self.phase == super::Phase::Running && self.pending.is_none() {
            self.plan(contact);
        }
    }

    /// The alarm has come while frames go out.
    pub(super) fn go_on(&mut self, contact: &mut Contact<'_>) {
        match self.pending.take() {
            None => self.plan(contact),
            Some(Pending::Packets(transaction)) => {
                let (address, endpoint) = (self.address, transaction.endpoint);
                contact.usb(match transaction.token {
                    Token::In => UsbAction::In { address, endpoint },
                    token => UsbAction::Out {
                        setup: token == Token::Setup,
                        address,
                        endpoint,
                        toggle: transaction.toggle,
                        data: transaction.data.clone(),
                    },
                });
                self.pending = Some(Pending::Packets(transaction));
            }
            Some(Pending::End(transaction, toggle, data)) => {
                let (address, endpoint) = (self.address, transaction.endpoint);
                // Too much is babble, which the host does not acknowledge.
                let fits = data.len() <= usize::from(transaction.most);
                contact.usb(UsbAction::InEnd { address, endpoint, acknowledged: fits });
                self.free_at = contact.now() + time(GAP);
                if toggle != transaction.toggle && fits {
                    self.repeated(transaction.owner, contact);
                } else {
                    self.received(transaction.owner, fits.then_some(data), contact);
                }
                self.plan(contact);
            }
        }
    }

    /// The device has answered.
    pub(super) fn answered(&mut self, answer: UsbAnswer, contact: &mut Contact<'_>) {
        let Some(Pending::Packets(transaction)) = self.pending.take() else { return };
        let is_in = transaction.token == Token::In;
        let after = |bits| contact.now() + time(bits + GAP);
        // The handshake of an OUT transaction has ended already.
        self.free_at = match &answer {
            UsbAnswer::Nothing => after(TIMEOUT),
            _ if is_in => after(HANDSHAKE),
            _ => after(0),
        };
        let owner = transaction.owner;
        match answer {
            UsbAnswer::Data { toggle, data } if is_in => {
                // Of babble the host hears no more than a frame.
                let bits = packet::data(toggle, &data[..data.len().min(1024)]) + TURN + HANDSHAKE;
                self.pending = Some(Pending::End(transaction, toggle, data));
                return contact.wake_at(contact.now() + time(bits));
            }
            UsbAnswer::Nak => self.not_now(owner, contact),
            UsbAnswer::Stall => self.halted(owner, contact),
            UsbAnswer::Ack if !is_in => self.taken(owner, contact),
            _ => self.unheard(owner, contact),
        }
        self.plan(contact);
    }

    /// Chooses the next transaction of this frame, or waits for the next one.
    pub(super) fn plan(&mut self, contact: &mut Contact<'_>) {
        if self.phase != super::Phase::Running || self.pending.is_some() {
            return;
        }
        let now = contact.now();
        while now >= self.frame_at {
            self.frame = (self.frame + 1) & 0x7FF;
            self.frame_at += FRAME;
            contact.usb(UsbAction::Frame(self.frame));
            self.free_at = now + time(35 + GAP);
        }
        let start = self.free_at.max(now);
        let mut next = self.frame_at;
        match self.choose(start) {
            Choice::Now(transaction) => {
                let Transaction { token, endpoint, toggle, data, most, .. } = &transaction;
                let bits = packet::token(*token, self.address, *endpoint);
                let (until, longest) = if *token == Token::In {
                    (bits + TURN, bits + TURN + packet::most((*most).into()) + TURN + HANDSHAKE)
                } else {
                    let bits = bits + GAP + packet::data(*toggle, data) + TURN + HANDSHAKE;
                    (bits, bits)
                };
                if start + time(longest + LAST) <= self.frame_at {
                    self.pending = Some(Pending::Packets(transaction));
                    next = start + time(until);
                }
            }
            Choice::At(at) => next = next.min(at),
        }
        contact.wake_at(next);
    }

    /// The transaction that begins at `start`, if one is due.
    fn choose(&mut self, start: Picoseconds) -> Choice {
        if start < self.quiet_until {
            return Choice::At(self.quiet_until);
        }
        self.next_request(start);
        let mut wait = Picoseconds::MAX;
        if let Some(control) = &self.control {
            if control.due <= start {
                return Choice::Now(control.transaction(self.packet));
            }
            wait = control.due;
        }
        let pipes = self.ports.len() * 3;
        for step in 0..pipes {
            let pipe = (self.turn + step) % pipes;
            let port = &self.ports[pipe / 3];
            let Some((due, transaction)) = port.pipe(pipe / 3, pipe % 3) else { continue };
            if due <= start {
                self.turn = (pipe + 1) % pipes;
                return Choice::Now(transaction);
            }
            wait = wait.min(due);
        }
        Choice::At(wait)
    }
}

/// The next transaction, or the time at which there may be one.
enum Choice {
    Now(Transaction),
    At(Picoseconds),
}
