//! USB device of the ATmega32U4 at full speed (7766J, chapters 21 and 22).
//!
//! Modelled: the pads with VBUS and the pull-up at D+, the device's interrupts, and seven endpoints of all kinds with one or two
//! banks each, within the 832 bytes of DPRAM. The PLL must give 48 MHz. A transaction is one event at its end; of an IN
//! transaction with data a second one ends it. The parts of DPRAM move as the data sheet says, and lose their data then; what
//! becomes of data where two of them meet is not modelled and named. Not modelled: low speed, and the time in which the PLL locks
//! anew after a sleep mode that stops it.

mod endpoint;
mod memory;

use cyclescope_machine::units::Hertz;
use cyclescope_machine::{GapKind, TimingRow, UsbAction, UsbAnswer, UsbState};

use self::endpoint::{EPEN, Endpoint};
use self::memory::Memory;
use super::{Avr, Env, Shared};
use crate::Block;
use crate::framework::UsbDevice;

/// Registers, by their place in [`Instance::registers`](super::Instance::registers).
pub mod register {
    /// UHWCON.
    pub const UHWCON: u8 = 0;
    /// USBCON.
    pub const USBCON: u8 = 1;
    /// USBSTA.
    pub const USBSTA: u8 = 2;
    /// USBINT.
    pub const USBINT: u8 = 3;
    /// UDCON.
    pub const UDCON: u8 = 4;
    /// UDINT.
    pub const UDINT: u8 = 5;
    /// UDIEN.
    pub const UDIEN: u8 = 6;
    /// UDADDR.
    pub const UDADDR: u8 = 7;
    /// UDFNUML.
    pub const UDFNUML: u8 = 8;
    /// UDFNUMH.
    pub const UDFNUMH: u8 = 9;
    /// UDMFN.
    pub const UDMFN: u8 = 10;
    /// UEINTX.
    pub const UEINTX: u8 = 11;
    /// UENUM.
    pub const UENUM: u8 = 12;
    /// UERST.
    pub const UERST: u8 = 13;
    /// UECONX.
    pub const UECONX: u8 = 14;
    /// UECFG0X.
    pub const UECFG0X: u8 = 15;
    /// UECFG1X.
    pub const UECFG1X: u8 = 16;
    /// UESTA0X.
    pub const UESTA0X: u8 = 17;
    /// UESTA1X.
    pub const UESTA1X: u8 = 18;
    /// UEIENX.
    pub const UEIENX: u8 = 19;
    /// UEDATX.
    pub const UEDATX: u8 = 20;
    /// UEBCLX.
    pub const UEBCLX: u8 = 21;
    /// UEBCHX.
    pub const UEBCHX: u8 = 22;
    /// UEINT.
    pub const UEINT: u8 = 23;
}

/// From the last packet to SUSPI.
pub static SUSPEND: TimingRow = TimingRow::documented(
    "USB suspend",
    "from the last activity of the bus to UDINT.SUSPI, in periods of 1 us",
    3_000,
    "7766J, UDINT.SUSPI: an idle bus for three frame periods (3 ms)",
);

const MEGAHERTZ: Hertz = Hertz::new(1_000_000);
const CLOCK: Hertz = Hertz::new(48_000_000);
const ENDPOINTS: usize = 7;

/// Bits of USBCON.
const VBUSTE: u8 = 1 << 0;
const OTGPADE: u8 = 1 << 4;
const FRZCLK: u8 = 1 << 5;
const USBE: u8 = 1 << 7;

/// In USBSTA, always set (7766J, 21.13).
const ID: u8 = 1 << 1;

/// Bits of UDCON.
const DETACH: u8 = 1 << 0;
const RMWKUP: u8 = 1 << 1;
const LSM: u8 = 1 << 2;
const RSTCPU: u8 = 1 << 3;

/// Flags of UDINT.
const SUSPI: u8 = 1 << 0;
const SOFI: u8 = 1 << 2;
const EORSTI: u8 = 1 << 3;
const WAKEUPI: u8 = 1 << 4;
const EORSMI: u8 = 1 << 5;
const UPRSMI: u8 = 1 << 6;

const ADDEN: u8 = 1 << 7;

/// The vectors' places in the block: USB_GEN and USB_COM.
const GENERAL: usize = 0;
const ENDPOINT: usize = 1;

/// The cause of a reset by the end of one of the bus (UDCON.RSTCPU).
pub const END_OF_RESET: &str = "the end of a reset on USB";

/// The event that the bus has been silent.
const SILENT: u16 = 0;

/// The USB device.
#[derive(Clone, Debug)]
pub struct Usb {
    hardware: u8,
    control: u8,
    /// VBUS has its supply.
    power: bool,
    vbus_changed: bool,
    device: u8,
    flags: u8,
    enables: u8,
    address: u8,
    frame: u16,
    selected: u8,
    resets: u8,
    endpoints: [Endpoint; ENDPOINTS],
    memory: Memory,
    /// The bus resets the CPU (UDCON.RSTCPU): the reset to come leaves the block as it is.
    resets_cpu: bool,
    /// Behind such a reset, until the program has started the PLL again: the device does not hear.
    awaits_clock: bool,
    suspended: bool,
    /// A sleep mode has stopped the clocks.
    stopped: bool,
}

impl Default for Usb {
    fn default() -> Self {
        Self {
            hardware: 0,
            control: FRZCLK,
            power: false,
            vbus_changed: false,
            device: DETACH,
            flags: 0,
            enables: 0,
            address: 0,
            frame: 0,
            selected: 0,
            resets: 0,
            endpoints: Default::default(),
            memory: Memory::default(),
            resets_cpu: false,
            awaits_clock: false,
            suspended: false,
            stopped: false,
        }
    }
}

impl Usb {
    fn is_on(&self) -> bool {
        self.control & USBE != 0
    }

    /// The block has no clock: then only the ends of silence and VBUS are seen.
    fn is_frozen(&self) -> bool {
        self.stopped || self.control & FRZCLK != 0
    }

    fn vbus(&self) -> bool {
        self.power && self.control & OTGPADE != 0
    }

    fn is_attached(&self) -> bool {
        self.is_ready() && self.vbus()
    }

    /// Software has done its part for the pull-up; VBUS has to come.
    fn is_ready(&self) -> bool {
        self.is_on() && self.device & DETACH == 0 && self.control & OTGPADE != 0
    }

    /// Tells if the clock runs and is right, and tells the user if it is wrong.
    fn has_clock(&mut self, env: &mut Env<'_, '_>) -> bool {
        if self.is_frozen() {
            return false;
        }
        match env.wires.shared.usb {
            Some(CLOCK) => {
                self.awaits_clock = false;
                true
            }
            // The program begins anew, and has not come to it.
            None if self.awaits_clock => false,
            Some(clock) => {
                env.gap(
                    GapKind::Setting,
                    format_args!("USB: the PLL gives it {clock}, not 48 MHz; the host sees no device (PLLFRQ)"),
                );
                false
            }
            None => {
                env.gap(
                    GapKind::Setting,
                    format_args!("USB: the PLL has not locked; the host sees no device (PLLCSR.PLLE)"),
                );
                false
            }
        }
    }

    fn endpoint(&mut self) -> &mut Endpoint {
        &mut self.endpoints[usize::from(self.selected).min(ENDPOINTS - 1)]
    }

    fn settle(&self, env: &mut Env<'_, '_>) {
        let vbus = self.vbus_changed && self.control & VBUSTE != 0;
        env.line(GENERAL, vbus || self.flags & self.enables != 0);
        env.line(ENDPOINT, self.asking() != 0);
    }

    /// UEINT.
    fn asking(&self) -> u8 {
        self.endpoints.iter().zip(0..).fold(0, |bits, (endpoint, number)| bits | u8::from(endpoint.asks()) << number)
    }

    fn raise(&mut self, flags: u8, env: &mut Env<'_, '_>) {
        self.flags |= flags;
        self.settle(env);
    }

    /// The bus is not silent; a suspended device is told.
    fn heard(&mut self, env: &mut Env<'_, '_>) {
        if std::mem::take(&mut self.suspended) {
            self.raise(WAKEUPI, env);
        }
        self.await_silence(env);
    }

    /// From now on silence counts.
    fn await_silence(&self, env: &mut Env<'_, '_>) {
        if !self.is_frozen() {
            let periods = env.cycles(&SUSPEND);
            let at = env.tick() + env.ticks_of(periods, MEGAHERTZ);
            env.schedule_tick(SILENT, at);
        }
    }

    fn bus_reset(&mut self, begins: bool, env: &mut Env<'_, '_>) {
        if begins {
            self.heard(env);
            env.cancel(SILENT);
            return;
        }
        // 7766J, 22.6: all endpoints are disabled, and endpoint 0 keeps its configuration.
        for (number, endpoint) in self.endpoints.iter_mut().enumerate() {
            if number > 0 {
                endpoint.connect(0);
                endpoint.allocated = false;
                self.memory.forget(number);
            } else if endpoint.connection & EPEN != 0 {
                endpoint.connect(0);
                endpoint.connect(EPEN);
            }
        }
        (self.address, self.suspended) = (0, false);
        self.heard(env);
        self.raise(EORSTI, env);
        if self.device & RSTCPU != 0 {
            self.resets_cpu = true;
            env.reset_part(END_OF_RESET);
        }
    }

    /// UECFG1X has changed: memory is given if it is enough.
    fn allocate(&mut self, env: &mut Env<'_, '_>) {
        let number = usize::from(self.selected).min(ENDPOINTS - 1);
        let endpoint = &self.endpoints[number];
        let bytes = if endpoint.fits(number) { endpoint.wanted() } else { 0 };
        let moved = self.memory.change(number, bytes);
        self.endpoint().allocated = moved.fits;
        if moved.fits && self.endpoint().connection & EPEN != 0 {
            self.endpoint().empty();
        }
        if let Some(above) = moved.slid {
            self.endpoints[above].empty();
        }
        for number in [Some(number), moved.slid].into_iter().flatten() {
            if let Some(other) = self.memory.conflict(number) {
                let (low, high) = (number.min(other), number.max(other));
                let gap = format_args!("USB: endpoints {low} and {high} share memory (UECFG1X, not in growing order)");
                env.gap(GapKind::Setting, gap);
            } else if self.memory.is_beyond(number) {
                let gap = format_args!("USB: endpoint {number} has moved beyond the memory (UECFG1X)");
                env.gap(GapKind::Setting, gap);
            }
        }
    }

    fn write_control(&mut self, value: u8, env: &mut Env<'_, '_>) {
        let (old, vbus) = (self.control, self.vbus());
        self.control = value;
        self.vbus_changed |= vbus != self.vbus();
        if old & USBE != 0 && value & USBE == 0 {
            // 7766J, USBCON.USBE: the controller is reset.
            let (hardware, power) = (self.hardware, self.power);
            *self = Self { hardware, power, control: value, ..Self::default() };
            env.cancel(SILENT);
        }
        if value & FRZCLK != 0 {
            env.cancel(SILENT);
        } else if old & FRZCLK != 0 && self.is_attached() {
            self.heard(env);
        }
        env.usb_changed();
    }

    fn set_power(&mut self, power: bool, env: &mut Env<'_, '_>) {
        let before = self.vbus();
        self.power = power;
        self.vbus_changed |= before != self.vbus();
        self.settle(env);
        env.usb_changed();
    }

    fn meant(&mut self, address: u8, endpoint: u8) -> Option<&mut Endpoint> {
        let own = if self.address & ADDEN != 0 { self.address & 0x7F } else { 0 };
        if own != address { None } else { self.endpoints.get_mut(usize::from(endpoint)) }
    }
}

impl UsbDevice<Avr> for Usb {
    fn state(&self) -> UsbState {
        UsbState {
            pull_up: Some(self.is_attached()),
            takes_pin: true,
            wakes: self.is_attached() && self.device & RMWKUP != 0,
        }
    }

    fn action(&mut self, action: &UsbAction, env: &mut Env<'_, '_>) -> UsbAnswer {
        if let UsbAction::Power(power) = action {
            self.set_power(*power, env);
            return UsbAnswer::Nothing;
        }
        if self.is_attached() && self.suspended && self.is_frozen() {
            // The pads tell of the end of silence without a clock.
            self.heard(env);
            return UsbAnswer::Nothing;
        }
        if !self.is_attached() || !self.has_clock(env) {
            return UsbAnswer::Nothing;
        }
        self.heard(env);
        let answer = match action {
            UsbAction::Power(_) | UsbAction::Resume(true) => UsbAnswer::Nothing,
            UsbAction::Reset(begins) => {
                self.bus_reset(*begins, env);
                UsbAnswer::Nothing
            }
            UsbAction::Resume(false) => {
                self.device &= !RMWKUP;
                env.usb_changed();
                self.raise(EORSMI, env);
                UsbAnswer::Nothing
            }
            UsbAction::Frame(number) => {
                self.frame = number & 0x7FF;
                self.raise(SOFI, env);
                UsbAnswer::Nothing
            }
            UsbAction::Out { setup, address, endpoint, toggle, data } => match self.meant(*address, *endpoint) {
                None => UsbAnswer::Nothing,
                Some(meant) if *setup => meant.setup(data),
                Some(meant) => meant.receive(*toggle, data),
            },
            UsbAction::In { address, endpoint } => {
                self.meant(*address, *endpoint).map_or(UsbAnswer::Nothing, Endpoint::send)
            }
            UsbAction::InEnd { address, endpoint, acknowledged } => {
                if let Some(meant) = self.meant(*address, *endpoint).filter(|_| *acknowledged) {
                    meant.sent();
                }
                UsbAnswer::Nothing
            }
        };
        self.settle(env);
        answer
    }
}

impl Block<Avr> for Usb {
    fn read(&mut self, register: u8, env: &mut Env<'_, '_>) -> u8 {
        match register {
            register::UHWCON => self.hardware,
            register::USBCON => self.control,
            register::USBSTA => {
                u8::from(self.vbus()) | ID | if self.is_on() && self.device & LSM == 0 { 1 << 3 } else { 0 }
            }
            register::USBINT => self.vbus_changed.into(),
            register::UDCON => self.device,
            register::UDINT => self.flags,
            register::UDIEN => self.enables,
            register::UDADDR => self.address,
            register::UDFNUML => self.frame as u8,
            register::UDFNUMH => (self.frame >> 8) as u8,
            register::UEINTX => self.endpoint().interrupts(),
            register::UENUM => self.selected,
            register::UERST => self.resets,
            register::UECONX => self.endpoint().connection,
            register::UECFG0X => self.endpoint().configuration[0],
            register::UECFG1X => self.endpoint().configuration[1],
            register::UESTA0X => self.endpoint().states()[0],
            register::UESTA1X => self.endpoint().states()[1],
            register::UEIENX => self.endpoint().enables,
            register::UEDATX => {
                let byte = self.endpoint().read();
                self.settle(env);
                byte
            }
            register::UEBCLX => self.endpoint().count() as u8,
            register::UEBCHX => (self.endpoint().count() >> 8) as u8,
            register::UEINT => self.asking(),
            _ => 0,
        }
    }

    fn still(&self, register: u8, _: u64, _: &Shared) -> Option<u64> {
        (register != register::UEDATX).then_some(u64::MAX)
    }

    fn write(&mut self, register: u8, value: u8, env: &mut Env<'_, '_>) {
        let was_ready = self.is_ready();
        match register {
            register::UHWCON => self.hardware = value,
            register::USBCON => self.write_control(value, env),
            register::USBINT => self.vbus_changed &= value & 1 != 0,
            register::UDCON => {
                if value & LSM != 0 {
                    env.gap(GapKind::Setting, format_args!("UDCON.LSM: low speed"));
                }
                if value & RMWKUP != 0 && self.device & RMWKUP == 0 {
                    self.flags |= UPRSMI;
                }
                self.device = value;
                env.usb_changed();
            }
            register::UDINT => self.flags &= value,
            register::UDIEN => self.enables = value,
            register::UDADDR => self.address = value,
            register::UENUM => self.selected = value,
            register::UERST => {
                for (number, endpoint) in self.endpoints.iter_mut().enumerate() {
                    if (value & !self.resets) >> number & 1 != 0 {
                        endpoint.empty();
                    }
                }
                self.resets = value;
            }
            register::UEINTX => self.endpoint().acknowledge(value),
            register::UECONX => self.endpoint().connect(value),
            register::UECFG0X => self.endpoint().configuration[0] = value,
            register::UECFG1X => {
                self.endpoint().configuration[1] = value;
                self.allocate(env);
            }
            register::UESTA0X => self.endpoint().clear_status(value),
            register::UEIENX => self.endpoint().enables = value,
            register::UEDATX => self.endpoint().write(value),
            _ => {}
        }
        if !was_ready && self.is_ready() {
            env.usb_ready();
        }
        self.settle(env);
    }

    fn ignores_zeros(&self, _: u8) -> bool {
        false
    }

    /// The bus has been silent for 3 ms.
    fn event(&mut self, _: u16, env: &mut Env<'_, '_>) {
        if self.is_attached() && !self.is_frozen() {
            self.suspended = true;
            self.raise(SUSPI, env);
        }
    }

    /// Power-down and the modes like it stop the clock of 48 MHz; VBUSTI and WAKEUPI alone go without it (7766J §7.3 and
    /// table 7-1). In Idle and ADC Noise Reduction the block goes on.
    fn sleep(&mut self, mode: Option<u8>, env: &mut Env<'_, '_>) {
        let stopped = mode.is_some_and(|mode| mode >= 2);
        if std::mem::replace(&mut self.stopped, stopped) == stopped {
            return;
        }
        env.cancel(SILENT);
        if self.is_attached() && !self.suspended {
            self.await_silence(env);
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        if std::mem::take(&mut self.resets_cpu) {
            self.awaits_clock = true;
            // 7766J, 22.4: the CPU alone is reset. The controller stays, as after a reset of the bus, and attached.
            self.stopped = false;
            self.await_silence(env);
            return self.settle(env);
        }
        let power = self.power;
        *self = Self { power, ..Self::default() };
        self.settle(env);
        env.usb_changed();
    }
}
