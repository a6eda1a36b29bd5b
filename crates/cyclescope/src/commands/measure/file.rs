//! A measurement in a file.

use std::path::Path;

use cyclescope_chips::Part;

use crate::cli::measure::Measurement;
use crate::cli::stimuli::Stimuli;
use crate::error::{CliError, MAX_MEASUREMENT, MeasureFileError};

impl Measurement {
    /// Reads `path`. Paths in it are relative to it.
    ///
    /// # Errors
    /// [`CliError::Read`], or [`CliError::BadFile`] with what is wrong in it.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let unreadable = CliError::unreadable(path);
        let wrong = CliError::bad_file(path);
        if std::fs::metadata(path).map_err(unreadable)?.len() > MAX_MEASUREMENT {
            return Err(wrong(MeasureFileError::TooLong));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        Self::parse(&text, path.parent().unwrap_or(Path::new(""))).map_err(wrong)
    }

    /// Reads `text`, whose paths begin at `folder`.
    pub(super) fn parse(text: &str, folder: &Path) -> Result<Self, MeasureFileError> {
        let mut keys: Self = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            // The library gives each of several reasons a line of its own.
            let message = error.message().trim_end().replace('\n', "; ");
            let index = before.matches('\n').count();
            let line = text.lines().nth(index).unwrap_or_default().trim();
            // A value of another type is named by its line.
            let place =
                if message.starts_with("invalid type") { format!(", in `{}`", first(line)) } else { String::new() };
            MeasureFileError::Toml { line: 1 + index, message: message + &place }
        })?;
        keys.elf = keys.elf.map(|elf| folder.join(elf));
        // A name of the catalogue stays one; a file that describes a chip lies beside this one.
        keys.chip = keys.chip.map(|chip| {
            let file = Part::is_file(&chip);
            if file { folder.join(&chip).to_string_lossy().into_owned() } else { chip }
        });
        for beside in &mut keys.load {
            beside.path = folder.join(&beside.path);
        }
        for file in keys.stimulus.iter_mut().flat_map(Stimuli::samples_files) {
            *file = folder.join(&*file).to_string_lossy().into_owned();
        }
        for device in &mut keys.attach {
            for path in [&mut device.file, &mut device.save, &mut device.frames].into_iter().flatten() {
                *path = folder.join(&*path).to_string_lossy().into_owned();
            }
        }
        Ok(keys)
    }

    /// Returns these options with those of `file` behind them: an option that is given here wins, lists add up.
    pub(super) fn over(self, file: Self) -> Self {
        Self {
            elf: self.elf.or(file.elf),
            chip: self.chip.or(file.chip),
            load: [file.load, self.load].concat(),
            attach: [file.attach, self.attach].concat(),
            memory: self.memory.or(file.memory),
            clock: self.clock.or(file.clock),
            layout: self.layout.or(file.layout),
            span: [file.span, self.span].concat(),
            stimulus: [file.stimulus, self.stimulus].concat(),
            window: self.window.or(file.window),
            until: self.until.or(file.until),
            task_pointer: self.task_pointer.or(file.task_pointer),
            guest_output: self.guest_output.or(file.guest_output),
        }
    }
}

/// Returns the beginning of a line.
fn first(line: &str) -> String {
    const MOST: usize = 40;
    let more = if line.chars().count() > MOST { "…" } else { "" };
    line.chars().take(MOST).collect::<String>() + more
}

#[cfg(test)]
mod tests {
    use cyclescope_scope::Time;

    use super::*;
    use crate::backend::MemorySetting;
    use crate::cli::shared::{Beside, GuestOutput};

    fn parse(text: &str) -> Result<Measurement, MeasureFileError> {
        Measurement::parse(text, Path::new("here"))
    }

    #[test]
    fn a_file_says_what_options_say() {
        let file = parse(
            "elf = 'a.elf'\nchip = 'stm32c031c6'\nmemory = 'ideal'\nfor = '2ms'\nuntil = 'symbol:done'\n\
             span = ['a=sleep..wake']\nstimulus = ['at 1ms pin PA0 low']\ntask-pointer = 'pxCurrentTCB'\n\
             guest-output = 'none'\n",
        )
        .unwrap();
        assert_eq!(file.elf.as_deref(), Some(Path::new("here/a.elf")));
        assert_eq!((file.chip.as_deref(), file.memory), (Some("stm32c031c6"), Some(MemorySetting::Ideal)));
        assert_eq!((file.window, file.span.len(), file.stimulus.len()), (Some(Time::nanoseconds(2_000_000)), 1, 1));
        assert!(file.until.is_some() && file.task_pointer.is_some());
        assert_eq!(file.guest_output, Some(GuestOutput::None));
        assert_eq!(file.over(parse("guest-output = 'stdout'").unwrap()).guest_output, Some(GuestOutput::None));
        let keys = parse("stimulus = ['at 0s pin PA0 samples a.csv every 1ms']").unwrap();
        assert_eq!(Stimuli::rules(&keys.stimulus)[0].to_string(), "at 0s pin PA0 samples here/a.csv every 1ms");
        let beside = Beside { path: "here/app.bin".into(), address: Some(0x0802_0000) };
        assert_eq!(parse("load = ['app.bin@0x08020000']").unwrap().load, [beside]);
        let device = parse("attach = ['eeprom:24c32,file=a.bin,save=/b.bin@i2c1']").unwrap().attach.remove(0);
        assert_eq!((device.file.as_deref(), device.save.as_deref()), (Some("here/a.bin"), Some("/b.bin")));
        assert_eq!(parse("chip = 'my.toml'").unwrap().chip.as_deref(), Some("here/my.toml"));
        let variant = parse("clock = 8_000_000\nlayout = '7:2'").unwrap();
        assert_eq!(
            (variant.clock.map(|clock| clock.0), variant.layout.map(|layout| layout.seed)),
            (Some(8_000_000), Some(2))
        );
        parse("").unwrap();
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, expect) in [
            ("spans = []", "unknown field `spans`, expected one of"),
            ("memory = 'slow'", "unknown variant `slow`, expected one of `equal`, `shipped`, `ideal`"),
            ("span = ['a=b']", "`a=b` is not a span"),
            (
                "stimulus = ['at 1ms']",
                "expected an action (pin, uart, usb or an attached device), found the end of the text",
            ),
            ("for = '1'\nfor = '2'", "duplicate key"),
            ("for = '1h'", "`1h` is not a time"),
            ("clock = '8MHz'", "it is no number of hertz"),
            ("layout = -1", "it is no layout"),
            ("guest-output = 'here'", "unknown variant `here`, expected one of `stdout`, `stderr`, `none`"),
            ("load = ['a@0xZ']", "`0xZ` is not an address of 32 bits"),
            ("attach = ['eprom:24c32@i2c1']", "did you mean `eeprom`?"),
            ("\n\nfor = 1ms", "line 3: "),
            ("\n[[span]]\nname = 'a'", "line 2: invalid type: map, expected a string, in `[[span]]`"),
            ("until = 'x:y'", "`x:y` is not an event"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(expect), "{text}: {error}");
        }
    }
}
