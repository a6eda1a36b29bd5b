//! Suites of the crate embedded-test: which tests an image holds.
//!
//! Format version 1, as the crate (0.7) lays it out: the section `.embedded_test`, which is not loaded, has the symbol
//! `EMBEDDED_TEST_VERSION` and one symbol a test. Such a symbol's name is a JSON object that describes the test; its value
//! names three words: the address of the function that runs the test, then address and length of its module's path. The
//! guest is told which one to run by semihosting's command line.

use cyclescope_image::Image;
use cyclescope_machine::units::Address;
use serde::Deserialize;
use thiserror::Error;

/// The only version there is so far.
const VERSION: u32 = 1;

/// No module's path is longer.
const LONGEST_PATH: usize = 1024;

/// A test of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    /// Module and function.
    pub(crate) name: String,
    /// The address of its function.
    pub(crate) address: u32,
    /// It runs only when asked for.
    pub(crate) ignored: bool,
    /// It is to panic.
    pub(crate) should_panic: bool,
    /// The seconds that it may take.
    pub(crate) timeout: Option<u32>,
}

/// A suite that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SuiteError {
    /// Of another version.
    #[error("the suite is of embedded-test's format {0}, and only {VERSION} is known (embedded-test 0.7)")]
    Version(u32),
    /// Not what a version 1 is.
    #[error("the suite's {0} cannot be read; build it again")]
    Damaged(&'static str),
}

/// The contents of a symbol's name.
#[derive(Deserialize)]
struct Description {
    name: String,
    #[serde(default)]
    ignored: bool,
    #[serde(default)]
    should_panic: bool,
    timeout: Option<u32>,
}

/// The tests of `image` by name, or `None` if it is no such suite.
///
/// # Errors
/// [`SuiteError`] for a suite of another version or a damaged one.
pub(crate) fn tests(image: &Image) -> Result<Option<Vec<Test>>, SuiteError> {
    let Some(version) = image.find_symbol(cyclescope_guest::SUITE_VERSION) else { return Ok(None) };
    let section = image.section(".embedded_test").ok_or(SuiteError::Damaged("section `.embedded_test`"))?;
    let bytes = image.section_bytes(section);
    let word = |address: Address, index: usize| {
        let offset = address.get().checked_sub(section.address.get())? as usize;
        bytes.get(offset.checked_add(4 * index)?..)?.first_chunk::<4>().map(|word| u32::from_le_bytes(*word))
    };
    match word(version.address, 0) {
        Some(VERSION) => {}
        Some(version) => return Err(SuiteError::Version(version)),
        None => return Err(SuiteError::Damaged("version")),
    }
    let mut tests = Vec::new();
    for symbol in image.symbols().iter().filter(|symbol| symbol.name.starts_with('{')) {
        let Ok(described) = serde_json::from_str::<Description>(&symbol.name) else { continue };
        let words = (word(symbol.address, 0), word(symbol.address, 1), word(symbol.address, 2));
        let (Some(address), Some(path), Some(length)) = words else { return Err(SuiteError::Damaged("list of tests")) };
        let path = text(image, path, length as usize).ok_or(SuiteError::Damaged("names"))?;
        // The first part is the crate, which cargo has named already.
        let module = path.split_once("::").map(|(_, module)| format!("{module}::")).unwrap_or_default();
        let Description { name, ignored, should_panic, timeout } = described;
        tests.push(Test { name: module + &name, address, ignored, should_panic, timeout });
    }
    tests.sort_by(|one, other| (&one.name, one.address).cmp(&(&other.name, other.address)));
    Ok(Some(tests))
}

/// Text that the image loads at `address`.
fn text(image: &Image, address: u32, length: usize) -> Option<String> {
    let segment = image.segments().find(|segment| {
        let offset = address.checked_sub(segment.address.get());
        offset.is_some_and(|offset| (offset as usize) < segment.bytes.len())
    })?;
    let offset = (address - segment.address.get()) as usize;
    let bytes = segment.bytes.get(offset..)?.get(..length.min(LONGEST_PATH))?;
    String::from_utf8(bytes.to_vec()).ok()
}
