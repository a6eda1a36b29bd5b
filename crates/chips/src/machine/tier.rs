//! The way in which machines carry out code that often runs. Results and cycles do not depend on it.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use cyclescope_engine::{Core, Counting, Hooks, LoweredShare};

/// The way in which code that often runs is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// By the handlers of its instructions, as all other code is.
    Interpreter,
    /// Compiled for the host. Without the feature `compile`, and for instruction sets that are not lowered, by the interpreter.
    Compiled,
    /// Compiled as soon as it has run once, for comparing.
    CompiledAtOnce,
    /// By the interpreter, with counts of what would run lowered in compiled code ([`take_lowered_share`]).
    Counted,
}

/// The counts of all machines that were dropped.
static COUNTED: LazyLock<Arc<Mutex<LoweredShare>>> = LazyLock::new(Arc::default);

/// Takes the counts of all machines under [`Tier::Counted`] that were dropped since the last call.
pub fn take_lowered_share() -> LoweredShare {
    std::mem::take(&mut *COUNTED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The tier that was chosen, by its number.
static CHOSEN: AtomicU8 = AtomicU8::new(Tier::Interpreter as u8);

impl Tier {
    /// The tier that [`Settings`](super::Settings) have by default: the interpreter, unless another one was chosen.
    pub fn chosen() -> Self {
        let chosen = CHOSEN.load(Ordering::Relaxed);
        let others = [Self::Compiled, Self::CompiledAtOnce, Self::Counted];
        others.into_iter().find(|tier| *tier as u8 == chosen).unwrap_or(Self::Interpreter)
    }

    /// Chooses the tier that settings have by default in this process from now on.
    ///
    /// # Errors
    /// The reason if this host cannot run compiled code; the interpreter stays chosen.
    pub fn choose(self) -> Result<(), String> {
        if !matches!(self, Self::Interpreter | Self::Counted) {
            check_host()?;
        }
        CHOSEN.store(self as u8, Ordering::Relaxed);
        Ok(())
    }

    /// Has `core` run so.
    pub(super) fn set<I: Hooks<P>, P>(self, core: &mut Core<I, P>) {
        if I::FIELDS.is_none() {
            return;
        }
        match self {
            Self::Interpreter => {}
            Self::Compiled | Self::CompiledAtOnce => self.compile(core),
            Self::Counted => core.set_tier(Some(Box::new(Counting::new(Arc::clone(&COUNTED))))),
        }
    }

    /// Has code of `core` compiled.
    #[cfg(feature = "compile")]
    fn compile<I: Hooks<P>, P>(self, core: &mut Core<I, P>) {
        use cyclescope_compile::{Compiled, Settings};
        let settings = if self == Self::CompiledAtOnce { Settings::ALL } else { Settings::default() };
        if check_host().is_ok() {
            core.set_tier(Some(Box::new(Compiled::new(settings))));
        }
    }

    /// The same without a compiler: it runs by the interpreter.
    #[cfg(not(feature = "compile"))]
    fn compile<I: Hooks<P>, P>(self, core: &mut Core<I, P>) {
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
