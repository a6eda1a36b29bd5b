//! What the button task says.

use core::fmt::Write;

use heapless::String;

/// Room in the queue of messages.
pub const MESSAGES: usize = 8;

/// A message, at most 24 bytes: enough for 999,999,999 changes.
pub type Message = String<24>;

/// The button has gone up or down: its `changes`-th change.
pub fn message(up: bool, changes: u32) -> Message {
    let mut text = Message::new();
    // What does not fit is left out.
    let _ = writeln!(text, "Button is {} ({changes})", u8::from(up));
    text
}
