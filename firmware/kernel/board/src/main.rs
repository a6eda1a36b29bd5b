//! The kernel on a board: chip, drivers, the process, the last line, and the report of a panic.
#![no_std]
#![no_main]

mod boards;
#[cfg(target_arch = "arm")]
mod cortex_m;
#[cfg(feature = "devel")]
mod hook;
mod process;
#[allow(dead_code, reason = "Ibex's board has no register of 32 bits")]
mod register;
#[cfg(target_arch = "riscv32")]
mod riscv;

use core::cell::UnsafeCell;
use core::fmt::{self, Write};
use core::panic::PanicInfo;

use boards::Serial;
#[cfg(target_arch = "arm")]
use cortex_m as arch;
use cyclescope_kernel::{
    Access, Cause, Chip, Driver, DriverNumber, Filter, Kernel, Memory, Passed, ProcessId, Region, Request, Upcall,
    Upcalls,
};
use cyclescope_kernel_drivers::{Console, Port, Tally};
#[cfg(target_arch = "riscv32")]
use riscv as arch;

use arch::{State, calls};

const MODES_CHOSEN: usize = cfg!(feature = "mode-devel-value") as usize
    + cfg!(feature = "mode-devel-reference") as usize
    + cfg!(feature = "mode-deploy-value") as usize
    + cfg!(feature = "mode-deploy-reference") as usize;
const _: () = assert!(MODES_CHOSEN == 1, "choose exactly one mode");

const MODE: &str = if cfg!(feature = "mode-devel-value") {
    "devel-value"
} else if cfg!(feature = "mode-devel-reference") {
    "devel-reference"
} else if cfg!(feature = "mode-deploy-value") {
    "deploy-value"
} else {
    "deploy-reference"
};

/// The only process.
const PROCESS: ProcessId = ProcessId(0);

/// The drivers' numbers.
const CONSOLE: u32 = 1;
const TALLY: u32 = 4;

/// Bytes of RAM that are the process's own, as the linker script has it.
const PROCESS_BYTES: u32 = 2048;
/// Memory that is not the process's, for the one that shall fault.
#[cfg(feature = "fault")]
const KERNEL_DATA: u32 = boards::PROCESS + PROCESS_BYTES;

/// What the process may touch.
const REGIONS: [Region; 2] = [
    Region::new(boards::CODE.0, boards::CODE.1, Access::Code).expect("code is a power of two"),
    Region::new(boards::PROCESS, PROCESS_BYTES, Access::Data).expect("so is the process's memory"),
];

/// The chip under the kernel.
struct Board;

impl Chip for Board {
    type State = State;
    #[cfg(feature = "devel")]
    type Hook = hook::Keep;
    #[cfg(not(feature = "devel"))]
    type Hook = cyclescope_kernel::NoHook;

    fn protect(&self, regions: &[Region]) {
        let regions = regions.try_into().expect("the process has code and data");
        boards::protect(regions);
    }

    fn cause(state: &mut State) -> Cause {
        state.cause()
    }

    fn answer(state: &mut State, words: [u32; 2]) {
        state.answer(words);
    }

    fn upcall(state: &mut State, upcall: &Upcall) {
        state.upcall(upcall);
    }

    fn end(&self, [sum, commands, allows, subscribes]: [u32; 4]) -> ! {
        let ok = [commands, allows, subscribes] == [8; 3];
        // A port that waits cannot fail.
        let _ = writeln!(
            Printer,
            "cyclescope syscall contender=kernel mode={MODE} command={commands} allow={allows} subscribe={subscribes} \
             sum={sum} ok={}",
            u32::from(ok)
        );
        exit(ok)
    }
}

/// The process may use both drivers.
struct Permitted;

impl Filter for Permitted {
    fn permits(&self, call: Passed<'_>) -> bool {
        match call.request {
            Request::Command { driver, .. } | Request::Allow { driver, .. } | Request::Subscribe { driver, .. } => {
                call.process == PROCESS && [CONSOLE, TALLY].contains(&driver.0)
            }
            Request::Wait | Request::Exit(_) | Request::Unknown { .. } => true,
        }
    }
}

/// What only one hart touches, and never while it is already touching it: the kernel runs in traps, which do not nest.
#[repr(transparent)]
struct Single<T>(T);

// SAFETY: there is one hart, and no interrupt is ever enabled.
unsafe impl<T> Sync for Single<T> {}

static UPCALLS: Single<Upcalls> = Single(Upcalls::new());
static CONSOLE_DRIVER: Single<Console<'static, Serial>> = Single(Console::new(Serial, &UPCALLS.0));
static TALLY_DRIVER: Single<Tally> = Single(Tally::new());

static KERNEL: Single<Kernel<'static, Board>> = Single(Kernel {
    chip: Board,
    #[cfg(feature = "devel")]
    hook: hook::Keep::new(),
    #[cfg(not(feature = "devel"))]
    hook: cyclescope_kernel::NoHook,
    process: PROCESS,
    // SAFETY: the linker script keeps this memory for the process and nothing else.
    memory: unsafe { Memory::new(boards::PROCESS, PROCESS_BYTES) },
    filter: &Permitted,
    drivers: &[
        (DriverNumber(CONSOLE), &CONSOLE_DRIVER.0 as &dyn Driver),
        (DriverNumber(TALLY), &TALLY_DRIVER.0 as &dyn Driver),
    ],
    upcalls: &UPCALLS.0,
});

/// The process's registers, where the trap vector stores them.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the assembly's name for it")]
static kernel_process: Single<UnsafeCell<State>> = Single(UnsafeCell::new(State::new()));

/// Where the start-up code goes once memory is set up.
#[unsafe(no_mangle)]
extern "C" fn kernel_main() -> ! {
    boards::start();
    KERNEL.0.start(&REGIONS);
    let (entry, stack) = (process::main as *const () as u32, boards::PROCESS + PROCESS_BYTES);
    // SAFETY: the kernel has nothing to do any more but in traps, and the process's memory is its stack.
    unsafe { arch::start(kernel_process.0.get(), entry, stack) }
}

/// Where the trap vector goes once the process's registers are stored.
#[unsafe(no_mangle)]
extern "C" fn kernel_trap(state: &mut State) {
    KERNEL.0.trap(state);
}

/// Formats onto the serial port.
struct Printer;

impl fmt::Write for Printer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| Serial.put(byte));
        Ok(())
    }
}

/// Ends the program once all is printed.
fn exit(success: bool) -> ! {
    boards::drain();
    arch::exit(success)
}

#[panic_handler]
#[cfg(feature = "devel")]
fn panic(info: &PanicInfo<'_>) -> ! {
    // Where it happened, why, and all that is known of the last call. A port that waits cannot fail.
    let _ = write!(Printer, "{info}\n{}", KERNEL.0.hook);
    exit(false)
}

#[panic_handler]
#[cfg(not(feature = "devel"))]
fn panic(info: &PanicInfo<'_>) -> ! {
    let line = info.location().map_or(0, |location| location.line());
    let _ = writeln!(Printer, "panic at line {line}");
    exit(false)
}
