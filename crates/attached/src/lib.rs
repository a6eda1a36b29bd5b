//! Devices that hang on a simulated part's pins, by name: `NAME[:OPTIONS]@PLACE`.
//!
//! Each is a [`cyclescope_machine::Attached`] with the registers, answers and times of its data sheet; [`attach`] makes it
//! from text. Times that a data sheet gives as a maximum take that long.
#![forbid(unsafe_code)]

pub mod bme280;
pub mod can;
pub mod clock;
mod device_file;
mod device_text;
pub mod ds18b20;
pub mod ds3231;
pub mod eeprom;
pub mod flash;
pub mod i2c_controller;
pub mod loopback;
pub mod mcp3008;
mod options;
mod quantity;
mod script;
pub mod spi_controller;
pub mod ssd1306;
pub mod usb_host;

use cyclescope_machine::{Attached, Attachment};

pub use device_file::DeviceFileError;
pub use device_text::DeviceText;
pub use options::{AttachError, Options};

/// The option of devices that keep bytes which names the file of these bytes before the run.
pub const FILE_OPTION: (&str, &str) = ("file=IN", "a file with its first bytes at the start of the run");

/// The option of such devices which names the file for all their bytes after the run.
pub const SAVE_OPTION: (&str, &str) = ("save=OUT", "a file to write all its bytes to when the run has ended");

/// The option of displays which names the file of the picture at the end of the run.
pub const PICTURE_OPTION: (&str, &str) = ("save=OUT.png", "a file for what it shows when the run has ended, as PNG");

/// The option of displays which names the folder of all frames.
pub const FRAMES_OPTION: (&str, &str) = ("frames=DIR", "a folder for each frame of the run, as PNG");
/// The same option of devices that follow a script.
pub const SCRIPT_OPTION: (&str, &str) = ("file=IN", "a file of commands, a line each: at 5ms write 0x42 01 02");

/// The option of such devices which names the file for what they have sent and received.
pub const LOG_OPTION: (&str, &str) = ("save=OUT", "a file to write its transfers to when the run has ended");

/// A kind of device.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The name by which users ask for it.
    pub name: &'static str,
    /// The device, in a few words.
    pub summary: &'static str,
    /// Its options, as a user writes them, with their meaning.
    pub options: &'static [(&'static str, &'static str)],
    /// Places where it may hang, as a user writes them behind the `@`: of one that hangs on I2C or SPI, both.
    pub places: &'static [&'static str],
    /// Makes one.
    make: fn(&mut Options) -> Result<Box<dyn Attached>, AttachError>,
}

impl Kind {
    /// The places where it may hang with these options.
    fn places_with(&self, options: &str) -> Vec<&'static str> {
        let is_spi = options.split(',').any(|word| word.trim().eq_ignore_ascii_case("spi"));
        let fitting: Vec<_> = self.places.iter().copied().filter(|place| place.starts_with("spi") == is_spi).collect();
        if fitting.is_empty() { self.places.to_vec() } else { fitting }
    }
}

/// The kinds there are, by name.
pub const KINDS: &[Kind] = &[
    bme280::KIND,
    can::KIND,
    clock::KIND,
    ds18b20::KIND,
    ds3231::KIND,
    eeprom::KIND,
    flash::KIND,
    i2c_controller::KIND,
    loopback::KIND,
    mcp3008::KIND,
    spi_controller::KIND,
    ssd1306::KIND,
    usb_host::KIND,
];

/// Makes the device that `text` describes, on its wires: `eeprom:24c32,address=0x51@i2c1`,
/// `eeprom:24c32,name=config@scl=PB6,sda=PB7`.
///
/// # Errors
/// [`AttachError`] where the text names a kind, option, value, pin or place that is not there, and for files, which only
/// a caller that has them can read and write ([`DeviceText`]).
pub fn attach(text: &str) -> Result<Attachment, AttachError> {
    let device: DeviceText = text.parse()?;
    match device.file.or(device.save).or(device.frames) {
        Some(file) => Err(AttachError::File { device: device.attachment.name, file }),
        None => Ok(device.attachment),
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_machine::{Pin, Wire};

    use super::*;

    #[test]
    fn a_device_is_made_from_text_and_its_wires_end_where_it_says() {
        let pin = |port, number| Some(Wire::Pin(Pin { port, number }));
        let signal = |signal: &str| Some(Wire::Signal { peripheral: "I2C1".into(), signal: signal.into() });
        let made = |text| attach(text).map(|made| (made.name, made.wires)).unwrap();
        assert_eq!(made("eeprom:24c32@i2c1"), ("eeprom".into(), vec![signal("SCL"), signal("SDA"), None]));
        assert_eq!(
            made("eeprom:24c32,address=0x51,name=config@scl=PB6,sda=pb7,wp=PA0"),
            ("config".into(), vec![pin(1, 6), pin(1, 7), pin(0, 0)])
        );
        assert_eq!(
            made("ssd1306:spi,128x32@sck=PA5,mosi=PA7,cs=PA4,dc=PA3").1,
            [pin(0, 5), pin(0, 7), pin(0, 4), pin(0, 3), None]
        );
        assert_eq!(made("ssd1306:address=0x3d@i2c1").1, [signal("SCL"), signal("SDA"), None]);
        assert_eq!(made("flash:w25q32,times=typical@sck=PA5,mosi=PA7,miso=PA6,cs=PA4").1.len(), 4);
        assert_eq!(made("mcp3008:vref=5V,ch3=1.2V@sck=PA5,mosi=PA7,miso=PA6,cs=PA4").1.len(), 4);
        assert_eq!(made("bme280:spi,pressure=990@sck=PA5,mosi=PA7,miso=PA6,cs=PA4").1.len(), 4);
        assert_eq!(made("bme280:humidity=20%,temperature=-3.5@i2c1").1, [signal("SCL"), signal("SDA")]);
        assert_eq!(made("ds3231:time=2026-05-01T12:00:00@i2c1,int=PA0").1, [signal("SCL"), signal("SDA"), pin(0, 0)]);
        let usb = Some(Wire::Signal { peripheral: "USB".into(), signal: "DP".into() });
        assert_eq!(made("usb-host:baud=9600@usb,pullup=PB9").1, [usb, pin(1, 9)]);
        assert_eq!(made("loopback@a=PA9,b=PA10").1, [pin(0, 9), pin(0, 10)]);
        let of = |peripheral: &str, signal: &str| {
            Some(Wire::Signal { peripheral: peripheral.into(), signal: signal.into() })
        };
        assert_eq!(made("loopback@spi1").1, [of("SPI1", "MOSI"), of("SPI1", "MISO")]);
        assert_eq!(made("loopback@usart1").1, [of("USART1", "TX"), of("USART1", "RX")]);
        assert_eq!(made("can@can1").1, [of("CAN1", "TX"), of("CAN1", "RX")]);
        assert_eq!(made("eeprom:24c32@i2c1,wp=PA0").1, [signal("SCL"), signal("SDA"), pin(0, 0)]);
    }

    #[test]
    fn each_kind_may_hang_where_it_is_told_to() {
        let kinds = KINDS.iter().map(|kind| match kind.name {
            "eeprom" => "eeprom:24c32",
            "flash" => "flash:w25q32",
            name => name,
        });
        for text in kinds.chain(["bme280:spi", "ssd1306:SPI,128x32"]) {
            let Err(AttachError::NoPlace { places, .. }) = attach(text) else { panic!("{text} has a place") };
            assert!(!places.is_empty());
            for place in places {
                attach(&format!("{text}@{place}")).unwrap_or_else(|error| panic!("{text}@{place}: {error}"));
            }
        }
    }

    #[test]
    fn each_slip_is_named_with_what_would_do() {
        let wrong = |text: &str| attach(text).unwrap_err().to_string();
        for (text, says) in [
            ("eprom:24c32@i2c1", "`eeprom`"),
            ("eeprom:24c32", "`eeprom:24c32` names no place; add @i2c1 or @scl=PB6,sda=PB7"),
            ("clock:pin=x", "`clock:pin=x` names no place; add @out=PB0"),
            ("can@,", "`can` names no place; add @can1"),
            ("bme280:spi", "`bme280:spi` names no place; add @spi1,cs=PA4"),
            ("eeprom@i2c1", "24c32"),
            ("eeprom:24c3@i2c1", "24c32"),
            ("eeprom:24c32,adress=1@i2c1", "address"),
            ("eeprom:24c32,address=0x5g@i2c1", "0x50"),
            ("eeprom:24c32,address=0x20@i2c1", "0x50"),
            ("eeprom:24c32@scl=PB6,sdq=PB7", "`sda`"),
            ("eeprom:24c32@scl=PB6", "sda"),
            ("eeprom:24c32@scl=PB66,sda=PB7", "PB66"),
            ("eeprom:24c32@scl=PB6,scl=PB8,sda=PB7", "twice"),
            ("eeprom:24c32,address=0x50,address=0x51@i2c1", "twice"),
            ("eeprom:24c32,name=@i2c1", "name"),
            ("ssd1306:address=0x3e@i2c1", "0x3c or 0x3d"),
            ("ssd1306:spi,address=0x3c@sck=PA5", "address"),
            ("ssd1306:spi@spi1,cs=PA4", "dc"),
            ("flash:w25q32,times=none@sck=PA5", "typical"),
            ("flash@sck=PA5", "w25q32"),
            ("mcp3008:vref=12V@sck=PA5", "5.5V"),
            ("mcp3008:ch0=x@sck=PA5", "300mV"),
            ("usb-host:pullup=up@usb", "low or high"),
            ("usb-host:consoles=9@usb", "1 to 8"),
            ("usb-host@pullup=PB9", "dp"),
            ("bme280:address=0x75@i2c1", "0x76 or 0x77"),
            ("bme280:temperature=99@i2c1", "-40 to 85"),
            ("bme280:times=x@i2c1", "typical"),
            ("ds3231:time=noon@i2c1", "2026-05-01T12:00:00"),
            ("ds3231:temperature=x@i2c1", "-40 to 85"),
            ("eeprom:24c32,file=a@i2c1", "file"),
            ("eeprom:24c32,save=a,save=b@i2c1", "twice"),
            ("eeprom:24c32,file=@i2c1", "a path"),
            ("ssd1306:save=a.png@i2c1", "file"),
            ("ssd1306:frames=a@i2c1", "file"),
            ("ssd1306:frames=@i2c1", "path"),
            ("ssd1306:file=a@i2c1", "file"),
            ("loopback@a=PA9", "its pin b"),
            ("loopback:x@spi1", "no option"),
            ("can:bitrate=2M@can1", "500k"),
            ("can:send=1234#0@can1", "123#1122"),
            ("can:every=10ms@can1", "send=123#1122"),
            ("can:send=123#,every=10@can1", "10ms"),
            ("@", "kind"),
            ("", "kind"),
        ] {
            let error = wrong(text);
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
