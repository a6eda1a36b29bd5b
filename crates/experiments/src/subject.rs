//! One image on one part: what every experiment on a chip begins and ends with.

use std::collections::BTreeMap;
use std::sync::Arc;

use cyclescope_chips::{Machine, Part, Settings};
use cyclescope_guest::{memory_settings, model};
use cyclescope_image::Image;
use cyclescope_machine::Channel;
use cyclescope_records::stats::{Number, Summary};
use cyclescope_records::{Record, Scalar, Source, Unit};

use crate::{ImageJob, RunError};

/// The channel of an image that prints over the part's own USB.
const USB: &str = "usb";
/// The computer that such an image is attached to, as `--attach` takes it.
const HOST: &str = "usb-host@usb";

/// The part that `job` runs on.
///
/// # Errors
/// [`RunError::Part`] if its chip is unknown.
pub fn part(job: &ImageJob) -> Result<&Part, RunError> {
    Ok(match &job.part {
        Some(described) => described.as_ref(),
        None => Part::find(job.image.chip)?,
    })
}

/// The image of `job` and the machine with it, about to run its first instruction; faults and resets end its run. One that
/// prints over USB has a computer at the other end of its cable.
///
/// # Errors
/// [`RunError::Unpack`] if a bundled image is damaged, [`RunError::Image`] if the ELF cannot be read, [`RunError::Part`] if the
/// chip is unknown, [`RunError::Load`] if the image does not fit it, and [`RunError::Attach`] if the part has no USB.
pub fn load(job: &ImageJob) -> Result<(Image, Machine), RunError> {
    let image = image(job)?;
    let settings = Settings { memory: job.memory, halt_on_fault: true, halt_on_reset: true, ..Settings::default() };
    let mut machine = Machine::load(part(job)?, settings, &image)?;
    if let Some(placement) = &job.placement {
        machine.place(Some(Arc::clone(placement)));
    }
    if job.image.channel == USB {
        machine.attach(vec![cyclescope_attached::attach(HOST)?])?;
    }
    Ok((image, machine))
}

/// The image of `job`.
///
/// # Errors
/// [`RunError::Unpack`] if a bundled image is damaged, [`RunError::Image`] if the ELF cannot be read.
pub fn image(job: &ImageJob) -> Result<Image, RunError> {
    Ok(match &job.elf {
        Some(own) => Image::parse(own)?,
        None => Image::parse(&job.image.elf()?)?,
    })
}

/// The channel that a manifest names: `semihosting`, `rtt`, `defmt` (over RTT), `uart:usart2`, `uart:uart0`, `uart:uart`, `usb`.
///
/// # Errors
/// [`RunError::Channel`] for any other.
pub fn channel(job: &ImageJob) -> Result<Channel, RunError> {
    let name = job.image.channel;
    let channel = match name {
        "semihosting" => Some(Channel::Semihosting),
        "rtt" | "defmt" => Some(Channel::Rtt(0)),
        // The only one, which has no number.
        "uart:uart" => Some(Channel::Uart(0)),
        USB => Some(Channel::Usb(0)),
        _ => {
            ["uart:usart", "uart:uart"].iter().find_map(|kind| name.strip_prefix(kind)?.parse().ok()).map(Channel::Uart)
        }
    };
    channel.ok_or(RunError::Channel(name))
}

/// A record with the whole origin of `job`'s run of `image` and no number yet.
pub fn record(job: &ImageJob, image: &Image, machine: &Machine) -> Record {
    // A build of one's own has a version and a compiler of its own; the latter it names itself.
    let (version, compiler) = match &job.elf {
        Some(_) => (String::new(), image.compilers().join("; ")),
        None => (job.image.contender_version.to_owned(), job.image.compiler().to_owned()),
    };
    let host = (job.image.channel == USB).then(|| ("attach.01".to_owned(), HOST.into()));
    Record {
        experiment: job.image.experiment.to_owned(),
        params: host.into_iter().collect(),
        mode: job.mode.clone(),
        contender: job.image.contender.to_owned(),
        contender_version: version,
        compiler,
        chip: Some(machine.part().name.to_string()),
        clock_hz: Some(machine.clock().get()),
        settings: settings(job, machine),
        opt: job.image.opt.to_owned(),
        image_sha256: Some(image.file_sha256().to_string()),
        model: Some(model(machine)),
        ..Record::empty(Source::Simulated)
    }
}

/// Returns the sizes of the image: the same metrics in every experiment.
pub fn sizes(image: &Image) -> [(&'static str, Unit, u64); 6] {
    let sizes = image.totals();
    [
        ("flash", Unit::Bytes, sizes.flash.get()),
        ("text", Unit::Bytes, sizes.text.get()),
        ("rodata", Unit::Bytes, sizes.rodata.get()),
        ("data", Unit::Bytes, sizes.data.get()),
        ("bss", Unit::Bytes, sizes.bss.get()),
        ("ram", Unit::Bytes, sizes.ram.get()),
    ]
}

/// `base` for a metric of one exact value.
pub fn exact(base: &Record, metric: &str, unit: Unit, value: u64) -> Record {
    base.with_metric(metric, unit, Summary::exact(Number::Integer(i64::try_from(value).unwrap_or(i64::MAX))))
}

/// Returns the settings of the image's manifest, and those of flash.
fn settings(job: &ImageJob, machine: &Machine) -> BTreeMap<String, Scalar> {
    let manifest = job.image.settings().iter().map(|(name, value)| ((*name).to_owned(), (*value).into()));
    manifest.chain(memory_settings(job.memory, machine)).collect()
}
