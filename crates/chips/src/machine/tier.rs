//! The way in which machines carry out code that often runs. Results and cycles do not depend on it.

use std::sync::atomic::{AtomicU8, Ordering};

use cyclescope_engine::{Core, Hooks};

/// The way in which code that often runs is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// By the handlers of its instructions, as all other code is.
    Interpreter,
    /// Compiled for the host. Without the feature `compile`, and for instruction sets that are not lowered, by the interpreter.
    Compiled,
    /// Compiled as soon as it has run once, for comparing.
    CompiledAtOnce,
}

/// The tier that was chosen, by its number.
static CHOSEN: AtomicU8 = AtomicU8::new(Tier::Interpreter as u8);

impl Tier {
    /// The tier that [`Settings`](super::Settings) have by default: the interpreter, unless another one was chosen.
    pub fn chosen() -> Self {
        let chosen = CHOSEN.load(Ordering::Relaxed);
        let others = [Self::Compiled, Self::CompiledAtOnce];
        others.into_iter().find(|tier| *tier as u8 == chosen).unwrap_or(Self::Interpreter)
    }

    /// Chooses the tier that settings have by default in this process from now on.
    ///
    /// # Errors
    /// The reason if this host cannot run compiled code; the interpreter stays chosen.
    pub fn choose(self) -> Result<(), String> {
        if self != Self::Interpreter {
            check_host()?;
        }
        CHOSEN.store(self as u8, Ordering::Relaxed);
        Ok(())
    }

    /// Has `core` run so.
    #[cfg(feature = "compile")]
    pub(super) fn set<I: Hooks<P>, P>(self, core: &mut Core<I, P>) {
        use cyclescope_compile::{Compiled, Settings};
        let settings = match self {
            Self::Interpreter => return,
            Self::Compiled => Settings::default(),
            Self::CompiledAtOnce => Settings::ALL,
        };
        if I::FIELDS.is_some() && check_host().is_ok() {
            core.set_tier(Some(Box::new(Compiled::new(settings))));
        }
    }

    /// The same without a compiler: it runs by the interpreter.
    #[cfg(not(feature = "compile"))]
    pub(super) fn set<I: Hooks<P>, P>(self, core: &mut Core<I, P>) {
        let _ = core;
    }
}

/// Checks once that the host can run compiled code.
#[cfg(feature = "compile")]
fn check_host() -> Result<(), String> {
    static CHECKED: std::sync::OnceLock<Result<(), String>> = std::sync::OnceLock::new();
    CHECKED.get_or_init(cyclescope_compile::check_host).clone()
}

#[cfg(not(feature = "compile"))]
fn check_host() -> Result<(), String> {
    Err("this program was built without the feature `compile`".into())
}
