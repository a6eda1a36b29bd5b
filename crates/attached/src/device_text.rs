//! A device with the text that it was made from, and the files of its bytes.

use std::fmt;
use std::str::FromStr;

use cyclescope_machine::{Attached, Attachment};

use crate::{AttachError, KINDS, Options};

/// A device on its wires, as text describes it. The caller reads and writes its files.
#[derive(Clone, Debug)]
pub struct DeviceText {
    text: String,
    /// The device with its name and its wires.
    pub attachment: Attachment,
    /// The path of a file with its first bytes at the start of the run.
    pub file: Option<String>,
    /// The path of a file to write all its bytes to when the run has ended; of a display, its picture.
    pub save: Option<String>,
    /// The path of a folder to write a display's frames to.
    pub frames: Option<String>,
}

impl DeviceText {
    /// Hangs `device`, of any kind, on the wires of `place`, and calls it `name`: `scl=PB6,sda=PB7`, `i2c1`,
    /// `spi1,cs=PA4`.
    ///
    /// # Errors
    /// [`AttachError`] for a name that is no word, and where a wire ends at no pin.
    pub fn own(name: &str, device: Box<dyn Attached>, place: &str) -> Result<Self, AttachError> {
        let mut options = Options::of_place(name, place)?;
        options.rename(name)?;
        let attachment = options.finish(&[], &["i2c1", "scl=PB6,sda=PB7"], device)?;
        Ok(Self { text: format!("{name}@{place}"), attachment, file: None, save: None, frames: None })
    }

    /// Puts the bytes of its file into the device.
    ///
    /// # Errors
    /// [`AttachError::TooLong`] for more bytes than it keeps, [`AttachError::Content`] for others than it takes.
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), AttachError> {
        let name = &self.attachment.name;
        let device = &mut self.attachment.device;
        let room = device.room();
        if bytes.len() > room {
            return Err(AttachError::TooLong { device: name.clone(), room });
        }
        device.load(bytes).map_err(|sentence| AttachError::Content { device: name.clone(), sentence })
    }
}

impl From<Attachment> for DeviceText {
    fn from(attachment: Attachment) -> Self {
        Self { text: attachment.name.clone(), attachment, file: None, save: None, frames: None }
    }
}

impl FromStr for DeviceText {
    type Err = AttachError;

    fn from_str(text: &str) -> Result<Self, AttachError> {
        let mut options = Options::parse(text)?;
        let kind = KINDS.iter().find(|kind| kind.name == options.kind());
        let kind = kind.ok_or_else(|| AttachError::kind(options.kind()))?;
        let device = (kind.make)(&mut options)?;
        let has = |option: &str| kind.options.iter().any(|(known, _)| known.split('=').next() == Some(option));
        let mut path = |option: &str| if has(option) { options.path(option) } else { Ok(None) };
        let (file, save, frames) = (path("file")?, path("save")?, path("frames")?);
        let attachment = options.finish(kind.options, kind.places, device)?;
        Ok(Self { text: text.to_owned(), attachment, file, save, frames })
    }
}

impl fmt::Display for DeviceText {
    /// Writes the text that the device was made from.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::{Pin, Wire};

    use super::*;
    use crate::eeprom::Eeprom;

    #[test]
    fn files_are_kept_for_the_caller_and_bytes_fit() {
        let mut device: DeviceText = "eeprom:24c32,file=a b.bin,save=out/c.bin@i2c1".parse().unwrap();
        assert_eq!((device.file.as_deref(), device.save.as_deref()), (Some("a b.bin"), Some("out/c.bin")));
        assert_eq!(device.to_string(), "eeprom:24c32,file=a b.bin,save=out/c.bin@i2c1");
        let display: DeviceText = "ssd1306:save=a.png,frames=out/f@i2c1".parse().unwrap();
        assert_eq!((display.save.as_deref(), display.frames.as_deref()), (Some("a.png"), Some("out/f")));
        device.load(&[1, 2]).unwrap();
        assert_eq!(device.attachment.device.memory()[..3], [1, 2, 0xFF]);
        let error = device.load(&[0; 4097]).unwrap_err().to_string();
        assert_eq!(error, "eeprom keeps 4,096 bytes, but its file has more; give it a shorter one");
    }

    #[test]
    fn a_device_of_ones_own_is_hung_on_pins_by_name() {
        let own = |place| DeviceText::own("mine", Box::new(Eeprom::new(0x20)), place);
        let device = own("scl=PA0,sda=PA1").unwrap();
        let pin = |number| Some(Wire::Pin(Pin { port: 0, number }));
        assert_eq!((device.attachment.name.as_str(), device.attachment.wires), ("mine", vec![pin(0), pin(1), None]));
        for (place, says) in [("scl=PA0", "sda"), ("", "place"), ("scl=PA0,sda=PA1,cs=PA2", "`cs`")] {
            let error = own(place).unwrap_err().to_string();
            assert!(error.contains(says), "{place}: {error}");
        }
    }
}
