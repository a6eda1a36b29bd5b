//! The core for a browser, as one file: the scripts and modules that a page carries to run firmware.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::data::without_markup;

/// The worker's script, behind those that load the modules.
const WORKER: &str = include_str!("../../assets/playground/worker.js");

/// The core for a browser, as `cargo xtask wasm` makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Core {
    /// The name and the version of what it is the core of.
    pub tool: String,
    /// The script that loads the core.
    script: String,
    /// The core as base64 of an XZ file.
    module: String,
    /// The script that loads the unpacker.
    unpacker_script: String,
    /// The unpacker of XZ files, as base64.
    unpacker: String,
}

/// Why a file is no core.
#[derive(Debug, Error)]
pub enum CoreError {
    /// It is no JSON of this form.
    #[error("it is no core for browsers, which `cargo xtask wasm --core FILE` writes: {0}")]
    Json(#[from] serde_json::Error),
    /// It has letters that base64 does not know.
    #[error("its {0} is damaged: it is no base64")]
    Base64(&'static str),
    /// Its cycles may be others.
    #[error("it is of {is}, and pages are of {wanted}: their cycles may differ; take the core of the same version")]
    Version {
        /// Its version.
        is: String,
        /// The version of who writes the page.
        wanted: String,
    },
}

impl Core {
    /// Returns the core of `tool`: a script and the module that it loads, `packed` as an XZ file, and the same for the unpacker.
    pub fn new(tool: &str, (script, packed): (&str, &[u8]), (unpacker_script, unpacker): (&str, &[u8])) -> Self {
        Self {
            tool: tool.to_owned(),
            script: script.to_owned(),
            module: STANDARD.encode(packed),
            unpacker_script: unpacker_script.to_owned(),
            unpacker: STANDARD.encode(unpacker),
        }
    }

    /// Reads the file of a core of `tool`.
    ///
    /// # Errors
    /// [`CoreError`].
    pub fn read(file: &[u8], tool: &str) -> Result<Self, CoreError> {
        let core: Self = serde_json::from_slice(file)?;
        for (name, text) in [("module", &core.module), ("unpacker", &core.unpacker)] {
            let is_known = |letter: u8| letter.is_ascii_alphanumeric() || b"+/=".contains(&letter);
            if !text.bytes().all(is_known) {
                return Err(CoreError::Base64(name));
            }
        }
        if core.tool != tool {
            return Err(CoreError::Version { is: core.tool, wanted: tool.to_owned() });
        }
        Ok(core)
    }

    /// Returns the file.
    ///
    /// # Errors
    /// None that is known: it is text.
    pub fn write(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Returns the worker's script as a JSON text without any character that means something in HTML.
    pub(crate) fn worker(&self) -> Result<String, serde_json::Error> {
        let Self { script, unpacker_script, .. } = self;
        let whole =
            format!("const unpacker = (() => {{\n{unpacker_script}\nreturn wasm_bindgen;\n}})();\n{script}\n{WORKER}");
        Ok(without_markup(&serde_json::to_string(&whole)?))
    }

    /// Returns the core as base64 of an XZ file.
    pub(crate) fn module(&self) -> &str {
        &self.module
    }

    /// Returns the unpacker as base64.
    pub(crate) fn unpacker(&self) -> &str {
        &self.unpacker
    }
}

#[cfg(test)]
mod tests {
    use super::{Core, CoreError};

    #[test]
    fn a_core_is_read_as_it_was_written_and_others_are_refused() {
        let core = Core::new("cyclescope 1", ("let a;", b"\xfd7zXZ"), ("let b;", b"\0asm"));
        let file = core.write().unwrap();
        assert_eq!(Core::read(file.as_bytes(), "cyclescope 1").unwrap(), core);
        assert!(core.worker().unwrap().contains("let b;\\nreturn wasm_bindgen;"));
        let error = Core::read(file.as_bytes(), "cyclescope 2").unwrap_err();
        assert!(error.to_string().starts_with("it is of cyclescope 1, and pages are of cyclescope 2"), "{error}");
        let marked = file.replace("AGFzbQ==", "</script><b>");
        assert!(matches!(Core::read(marked.as_bytes(), "cyclescope 1"), Err(CoreError::Base64("unpacker"))));
        assert!(matches!(Core::read(b"\x7fELF", "cyclescope 1"), Err(CoreError::Json(_))));
    }
}
