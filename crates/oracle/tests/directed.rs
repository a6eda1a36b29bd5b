//! Tests instructions that streams cannot contain and no other test covers, as the manuals define them: both encodings
//! of UDF, the wide forms of WFE and WFI, and CONTROL.FPCA as MRS reads it.

use cyclescope_cortex_m::decode::Architecture;
use cyclescope_cortex_m::{Core, Sleep};
use cyclescope_machine::units::{Address, Cycles};
use cyclescope_machine::{Bus, Memory, Stop, WithoutPeripherals};

/// Returns the stop of a core that runs `code` from address 8, and the core.
fn run(architecture: Architecture, code: &[u16]) -> (Stop, Core<WithoutPeripherals>) {
    let table = [0x00, 0x10, 0x00, 0x20, 0x09, 0x00, 0x00, 0x00];
    let mut flash: Vec<u8> = table.into_iter().chain(code.iter().flat_map(|half| half.to_le_bytes())).collect();
    flash.resize(64, 0);
    let memory = Memory::new(Address::new(0), flash, Address::new(0x2000_0000), 0x1000);
    let mut bus = Bus::new(memory, WithoutPeripherals, 0);
    let mut core = Core::new(cyclescope_oracle::arm::config(architecture), &bus);
    core.reset(&mut bus).expect("the vector table is in flash");
    core.cpu_mut().halt_on_fault = true;
    let cpu = core.cpu_mut();
    cpu.fp.set_cpacr(0x00F0_0000);
    let stop = core.run(&mut bus, Cycles::new(1000));
    (stop, core)
}

/// DDI 0419E §A6.7: permanently undefined, whatever the immediate; the fault is at the instruction.
#[test]
fn udf_is_undefined_in_both_encodings() {
    for code in [&[0xBF00, 0xDE00][..], &[0xBF00, 0xDEFF], &[0xBF00, 0xF7F0, 0xA000], &[0xBF00, 0xF7FF, 0xAFFF]] {
        for architecture in Architecture::ALL {
            let (stop, core) = run(architecture, code);
            let Stop::Fault(fault) = stop else { panic!("{stop:?}") };
            let pcs = (fault.pc.get(), core.cpu().pc().get());
            assert_eq!((fault.cause, pcs), ("undefined instruction", (10, 10)), "{code:04x?}");
        }
    }
}

/// DDI 0403E §A7.7.262 and §A7.7.263: the core sleeps behind the instruction, or continues once if an event is
/// registered (SEV).
#[test]
fn the_wide_forms_of_wfe_and_wfi_sleep() {
    for (code, sleep, pc) in [
        (&[0xF3AF, 0x8002, 0xBE00][..], Sleep::ForEvent, 12),
        (&[0xF3AF, 0x8003, 0xBE00], Sleep::ForInterrupt, 12),
        (&[0xF3AF, 0x8004, 0xF3AF, 0x8002, 0xF3AF, 0x8002, 0xBE00], Sleep::ForEvent, 20),
    ] {
        let (_, core) = run(Architecture::Armv7M, code);
        assert_eq!((core.cpu().sleep, core.cpu().pc().get()), (sleep, pc), "{code:04x?}");
    }
}

/// DDI 0403E §B1.4.4: FPCA is set by the first instruction that uses floating point, and MRS shows it.
#[test]
fn control_shows_that_floating_point_was_used() {
    // r1 = CONTROL; S0 = r0; r2 = CONTROL.
    let code = [0xF3EF, 0x8114, 0xEE00, 0x0A10, 0xF3EF, 0x8214, 0xBE00];
    let (stop, core) = run(Architecture::Armv7EMF, &code);
    assert!(matches!(stop, Stop::Breakpoint(..)), "{stop:?}");
    assert_eq!((core.cpu().r[1], core.cpu().r[2]), (0, 4));
}
