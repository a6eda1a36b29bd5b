//! The voltage reference buffer (RM0351, RM0432, RM0440, RM0444, "Voltage reference buffer (VREFBUF)").
//!
//! Switched on, it drives VREF+, the reference of all converters, which otherwise is the supply. VREF+ has its voltage from
//! ENVR on; VRR says later that it does. A DAC shows another reference with its next data. Trimming changes nothing.

use cyclescope_machine::{GapKind, TimingRow};

use crate::bank::all;
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Modelled, Tree, Words, Write};

const CSR: u32 = 0x00;

const ENVR: u32 = 1 << 0;
const HIZ: u32 = 1 << 1;
const VRR: u32 = 1 << 3;

/// The modelled registers and fields, with the values after reset.
pub const MODEL: &[Modelled] = &[all("CSR", HIZ)];

/// From ENVR to VRR.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "vrefbuf.start",
    "from ENVR to VRR, in microseconds",
    500,
    "DS12589, VREFBUF characteristics: tSTART, typical, with 1.1 uF, which is taken for the board's capacitor",
)];

/// The event of VRR.
const READY: u16 = 0;

/// The buffer.
#[derive(Clone, Debug)]
pub struct Vrefbuf {
    bank: Bank,
    /// The voltages of VRS, and its lowest bit.
    voltages: &'static [i32],
    vrs: u32,
    /// When VRR is set.
    ready: Instant,
}

impl Vrefbuf {
    /// The buffer after reset.
    pub fn new(instance: &Instance) -> Self {
        // RM0440, VREFBUF_CSR.VRS; RM0351, the same.
        let (voltages, vrs): (&[i32], u32) = match instance.map.version {
            "v2b" => (&[2_048_000, 2_500_000, 2_900_000], 4),
            _ => (&[2_048_000, 2_500_000], 2),
        };
        Self { bank: Bank::new(instance.map, MODEL), voltages, vrs, ready: Instant::NEVER }
    }

    fn set_ready(&mut self, at: Instant, env: &mut Env<'_, '_>) {
        self.ready = at;
        env.schedule(READY, at);
    }

    /// Gives the converters their reference.
    fn apply(&self, env: &mut Env<'_, '_>) {
        let csr = self.bank.get(CSR);
        let place = csr >> self.vrs & if self.vrs == 4 { 3 } else { 1 };
        match (csr & ENVR != 0, csr & HIZ != 0) {
            (true, false) => {
                let voltage = self.voltages.get(place as usize).copied();
                if voltage.is_none() {
                    env.gap(GapKind::Setting, format_args!("VREFBUF_CSR.VRS={place} is reserved"));
                }
                env.wires.outside.set_reference(voltage);
            }
            (false, true) => env.wires.outside.set_reference(None),
            (false, false) => {
                env.gap(
                    GapKind::Setting,
                    format_args!("VREFBUF: pulls VREF+ down, which is the supply here, with ENVR and HIZ 0"),
                );
                env.wires.outside.set_reference(None);
            }
            // The pin's capacitor keeps the voltage.
            (true, true) => {}
        }
    }
}

impl Block<Words> for Vrefbuf {
    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        self.bank.still(offset)
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        let (old, new) = self.bank.write(offset, write, env);
        if offset != CSR {
            return;
        }
        // VRR is the buffer's own.
        self.bank.set(CSR, (new & !VRR) | (old & VRR));
        let is_on = |csr: u32| csr & (ENVR | HIZ) == ENVR;
        if is_on(new) && !is_on(old) {
            let microseconds = env.cycles(&ROWS[0]);
            let at = env.now().after(env.clocks().microseconds(microseconds));
            self.set_ready(at, env);
        } else if !is_on(new) {
            self.bank.flag(CSR, VRR, false);
            self.set_ready(Instant::NEVER, env);
        }
        self.apply(env);
    }

    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        if env.now() >= self.ready {
            self.ready = Instant::NEVER;
            self.bank.flag(CSR, VRR, true);
        }
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        env.schedule(READY, self.ready);
    }

    fn refine(&mut self, times: u64) {
        self.ready = self.ready.refined(times);
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.set_ready(Instant::NEVER, env);
        env.wires.outside.set_reference(None);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
