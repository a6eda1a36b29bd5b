//! Images for the ESP8266 and the ESP32 in packed form. `cyclescope-images` reads them with its own; one package of all
//! would be larger than the registry takes.

/// The packed archives by name, in the order of their names; the build script lists the files.
pub static ARCHIVES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/archives.rs"));

/// The list of the images, with provenance, as JSON.
pub static MANIFEST: &str = include_str!("../manifest.json");
