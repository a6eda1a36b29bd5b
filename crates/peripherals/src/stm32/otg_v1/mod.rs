//! USB on-the-go of STM32F446 at full speed, as a device (RM0390, "USB on-the-go full-speed/high-speed (OTG_FS/OTG_HS)").
//!
//! Modelled: the core's and the device's registers, the FIFO of received packets with their status, those of IN endpoints,
//! endpoints 0 to 5 of all kinds, soft disconnection, VBUS (wired to the part) and its override, suspend and both ways to wake
//! up. A transaction is one event at its end; of an IN transaction with data a second one ends it. OTG_HS is the same block
//! with its inner transceiver; its DMA, its ULPI and its own endpoint interrupts are named when used, as are the host's
//! registers, the role's negotiation (SRP, HNP), battery charging and link power management.

mod action;
mod endpoint;
mod fifo;

use cyclescope_machine::{GapKind, TimingRow};

use self::endpoint::{CNAK, EPDIS, EPENA, NAKSTS, SD0PID, SD1PID, SNAK, STALL};
use self::fifo::{GLOBAL_NAK, OUT_DONE, Received, SETUP_DONE, Transmit};
use crate::bank::{all, some};
use crate::{Bank, Block, Clocks, Env, Instance, Instant, Lines, Modelled, Source, Tree, Words, Write};

const GOTGCTL: u32 = 0x00;
const GOTGINT: u32 = 0x04;
const GAHBCFG: u32 = 0x08;
const GUSBCFG: u32 = 0x0C;
const GRSTCTL: u32 = 0x10;
const GINTSTS: u32 = 0x14;
const GINTMSK: u32 = 0x18;
const GRXSTSR: u32 = 0x1C;
const GRXSTSP: u32 = 0x20;
const GRXFSIZ: u32 = 0x24;
const DIEPTXF0: u32 = 0x28;
const GCCFG: u32 = 0x38;
const DIEPTXF1: u32 = 0x104;
const DCFG: u32 = 0x800;
const DCTL: u32 = 0x804;
const DSTS: u32 = 0x808;
const DIEPMSK: u32 = 0x810;
const DOEPMSK: u32 = 0x814;
const DAINT: u32 = 0x818;
const DAINTMSK: u32 = 0x81C;
const DIEPEMPMSK: u32 = 0x834;
const DIEP: u32 = 0x900;
const DOEP: u32 = 0xB00;
const FIFO: u32 = 0x1000;

/// Registers of an endpoint, behind its first one.
const CTL: u32 = 0x00;
const INT: u32 = 0x08;
const TSIZ: u32 = 0x10;
const TXFSTS: u32 = 0x18;

/// Bits of GOTGCTL and GOTGINT.
const BVALOEN: u32 = 1 << 6;
const BVALOVAL: u32 = 1 << 7;
const CIDSTS: u32 = 1 << 16;
const BSVLD: u32 = 1 << 19;
const SEDET: u32 = 1 << 2;

/// Bits of GAHBCFG, GUSBCFG, GRSTCTL and GCCFG.
const GINT: u32 = 1 << 0;
const TXFELVL: u32 = 1 << 7;
const PHYSEL: u32 = 1 << 6;
const FHMOD: u32 = 1 << 29;
const CSRST: u32 = 1 << 0;
const RXFFLSH: u32 = 1 << 4;
const TXFFLSH: u32 = 1 << 5;
const AHBIDL: u32 = 1 << 31;
const PWRDWN: u32 = 1 << 16;
/// VBDEN; the declared map has the name of another part's bit, NOVBUSSENS, there.
const VBDEN: u32 = 1 << 21;

/// Flags of GINTSTS.
const OTGINT: u32 = 1 << 2;
const SOF: u32 = 1 << 3;
const RXFLVL: u32 = 1 << 4;
const GINAKEFF: u32 = 1 << 6;
const GONAKEFF: u32 = 1 << 7;
const ESUSP: u32 = 1 << 10;
const USBSUSP: u32 = 1 << 11;
const USBRST: u32 = 1 << 12;
const ENUMDNE: u32 = 1 << 13;
const EOPF: u32 = 1 << 15;
const IEPINT: u32 = 1 << 18;
const OEPINT: u32 = 1 << 19;
const IISOIXFR: u32 = 1 << 20;
const INCOMPISOOUT: u32 = 1 << 21;
const SRQINT: u32 = 1 << 30;
const WKUPINT: u32 = 1 << 31;
/// Those that writing 1 clears.
const CLEARED: u32 = SOF
    | ESUSP
    | USBSUSP
    | USBRST
    | ENUMDNE
    | 1 << 14
    | EOPF
    | IISOIXFR
    | INCOMPISOOUT
    | 1 << 28
    | 1 << 29
    | SRQINT
    | WKUPINT
    | 1 << 1;
/// NPTXFE and PTXFE, which are a host's: they stay as after reset.
const HOSTS: u32 = 1 << 5 | 1 << 26;

/// Bits of DCTL.
const RWUSIG: u32 = 1 << 0;
const SDIS: u32 = 1 << 1;
const GINSTS: u32 = 1 << 2;
const GONSTS: u32 = 1 << 3;
const SGINAK: u32 = 1 << 7;
const CGINAK: u32 = 1 << 8;
const SGONAK: u32 = 1 << 9;
const CGONAK: u32 = 1 << 10;

/// The endpoints, each with an IN and an OUT side.
const ENDPOINTS: usize = 6;

/// The event that a frame is about to end (EOPF), and that the bus has been silent for 3 ms.
const FRAME_ENDS: u16 = 0;
const SILENT: u16 = 1;

/// The silence after which the bus is suspended, in microseconds (RM0390, USBSUSP).
const SUSPEND: u64 = 3_000;

/// The modelled registers and fields, with the values after reset (RM0390, "OTG_FS/OTG_HS register map").
pub const MODEL: &[Modelled] = &[
    some(
        "GOTGCTL",
        CIDSTS,
        &["BVALOEN", "BVALOVAL", "CIDSTS", "BSVLD", "VBVALOEN", "VBVALOVAL", "AVALOEN", "AVALOVAL"],
    ),
    all("GOTGINT", 0),
    some("GAHBCFG", 0, &["GINT", "TXFELVL", "PTXFELVL"]),
    some("GUSBCFG", 0x0000_1440, &["PHYSEL", "TRDT", "FDMOD", "TOCAL"]),
    some("GRSTCTL", AHBIDL, &["CSRST", "HSRST", "FCRST", "RXFFLSH", "TXFFLSH", "TXFNUM", "AHBIDL"]),
    all("GINTSTS", HOSTS),
    all("GINTMSK", 0),
    all("GRXSTSR", 0).and(&["GRXSTSP"]),
    all("GRXFSIZ", 0x200),
    // Of two registers of this name the first; those of the other endpoints are set by the block itself.
    all("DIEPTXF0", 0x0200_0200).and(&["DIEPTXF1", "DIEPTXF2", "DIEPTXF3", "DIEPTXF4"]),
    all("HNPTXSTS", 0x0008_0200),
    some("GCCFG_V1", 0, &["PWRDWN", "NOVBUSSENS"]),
    all("CID", 0x2000),
    all("HWCFG4", 0),
    some("DCFG", 0x0220_0000, &["DSPD", "NZLSOHSK", "DAD", "PFIVL"]),
    some("DCTL", 0, &["RWUSIG", "SDIS", "GINSTS", "GONSTS", "SGINAK", "CGINAK", "SGONAK", "CGONAK", "POPRGDNE"]),
    all("DSTS", 0x10),
    all("DIEPMSK", 0),
    all("DOEPMSK", 0),
    all("DAINT", 0),
    all("DAINTMSK", 0),
    all("DIEPEMPMSK", 0),
    all("DIEPCTL0", 0x8000).and(&["DOEPCTL0"]),
    all("DIEPCTL1", 0).and(&[
        "DIEPCTL2", "DIEPCTL3", "DIEPCTL4", "DIEPCTL5", "DOEPCTL1", "DOEPCTL2", "DOEPCTL3", "DOEPCTL4", "DOEPCTL5",
    ]),
    all("DIEPINT0", 0x80).and(&["DIEPINT1", "DIEPINT2", "DIEPINT3", "DIEPINT4", "DIEPINT5"]),
    all("DOEPINT0", 0).and(&["DOEPINT1", "DOEPINT2", "DOEPINT3", "DOEPINT4", "DOEPINT5"]),
    all("DIEPTSIZ0", 0).and(&[
        "DIEPTSIZ1",
        "DIEPTSIZ2",
        "DIEPTSIZ3",
        "DIEPTSIZ4",
        "DIEPTSIZ5",
        "DOEPTSIZ0",
        "DOEPTSIZ1",
        "DOEPTSIZ2",
        "DOEPTSIZ3",
        "DOEPTSIZ4",
        "DOEPTSIZ5",
    ]),
    all("DTXFSTS0", 0x200).and(&["DTXFSTS1", "DTXFSTS2", "DTXFSTS3", "DTXFSTS4", "DTXFSTS5"]),
    // The gates of the clocks: nothing here stops when they are shut.
    all("PCGCCTL", 0),
    all("FIFO0", 0).and(&["FIFO1", "FIFO2", "FIFO3", "FIFO4", "FIFO5"]),
];

/// The timing that does not follow from the bus.
pub const ROWS: &[TimingRow] = &[TimingRow::assumed(
    "otg.reset",
    "from the end of a bus reset to ENUMDNE, in cycles of HCLK",
    0,
    "RM0390 gives no figure for the end of the speed enumeration at full speed",
)];

/// The least TRDT for HCLK from so many hertz on (RM0390, "TRDT values (FS)").
const TURN_AROUND: [(u64, u32); 10] = [
    (32_000_000, 6),
    (27_500_000, 7),
    (24_000_000, 8),
    (21_800_000, 9),
    (20_000_000, 10),
    (18_500_000, 11),
    (17_200_000, 12),
    (16_000_000, 13),
    (15_000_000, 14),
    (14_200_000, 15),
];

/// The number of the endpoint that the register at `offset` belongs to.
const fn number_of(offset: u32) -> usize {
    let side = if offset < DOEP { DIEP } else { DOEP };
    (offset.saturating_sub(side) / 0x20) as usize
}

/// Tells if the register at `offset` is one of an endpoint that the part has.
const fn is_endpoint(offset: u32) -> bool {
    offset >= DIEP && offset < DOEP + 0x200 && number_of(offset) < ENDPOINTS
}

/// The block.
#[derive(Clone, Debug)]
pub struct OtgV1 {
    bank: Bank,
    lines: Lines,
    received: Received,
    transmit: [Transmit; ENDPOINTS],
    /// VBUS has its supply.
    power: bool,
    /// The request whose end the next token tells.
    setup: bool,
    /// GOUTNAKEFF: software has popped the status of the global NAK.
    out_nak: bool,
    suspended: bool,
    /// The address before the last one, which holds until the request that changes it has ended.
    address: u32,
    frame_ends: Instant,
    silent_at: Instant,
}

impl OtgV1 {
    /// The block after power-on.
    pub fn new(instance: &Instance) -> Self {
        Self {
            bank: Bank::new(instance.map, MODEL),
            lines: Lines::new(instance, &[("GLOBAL", 1)]),
            received: Received::default(),
            transmit: Default::default(),
            power: false,
            setup: false,
            out_nak: false,
            suspended: false,
            address: 0,
            frame_ends: Instant::NEVER,
            silent_at: Instant::NEVER,
        }
    }

    fn get(&self, offset: u32) -> u32 {
        self.bank.get(offset)
    }

    /// The session is valid: VBUS is there and looked at, or software says so.
    fn session(&self) -> bool {
        let control = self.get(GOTGCTL);
        if control & BVALOEN != 0 { control & BVALOVAL != 0 } else { self.power && self.get(GCCFG) & VBDEN != 0 }
    }

    /// The transceiver is on and pulls D+ up.
    fn is_connected(&self) -> bool {
        self.get(GCCFG) & PWRDWN != 0 && self.get(DCTL) & SDIS == 0 && self.session()
    }

    /// The words of an IN endpoint's FIFO.
    fn depth(&self, endpoint: usize) -> usize {
        let number = self.fifo_of(endpoint);
        let offset = if number == 0 { DIEPTXF0 } else { DIEPTXF1 + (number as u32 - 1) * 4 };
        (self.get(offset) >> 16) as usize
    }

    /// The FIFO of an IN endpoint: TXFNUM.
    fn fifo_of(&self, endpoint: usize) -> usize {
        if endpoint == 0 {
            return 0;
        }
        let number = (self.get(DIEP + endpoint as u32 * 0x20) >> 22 & 15) as usize;
        number.min(ENDPOINTS - 1)
    }

    /// Puts the flags that follow from others into their registers, and drives the line.
    fn settle(&mut self, env: &mut Env<'_, '_>) {
        let half = self.get(GAHBCFG) & TXFELVL == 0;
        let (empty_mask, in_mask, out_mask) = (self.get(DIEPEMPMSK), self.get(DIEPMSK), self.get(DOEPMSK));
        let mut daint = 0;
        for number in 0..ENDPOINTS as u32 {
            let fifo = &self.transmit[self.fifo_of(number as usize)];
            let depth = self.depth(number as usize);
            let free = fifo.free(depth);
            let empty = if half { free * 2 >= depth } else { fifo.is_empty() };
            self.bank.set(DIEP + number * 0x20 + TXFSTS, free as u32);
            self.bank.flag(DIEP + number * 0x20 + INT, endpoint::TXFE, empty);
            // TXFE has a mask of its own for each endpoint.
            let mask = in_mask & !endpoint::TXFE | if empty_mask & 1 << number != 0 { endpoint::TXFE } else { 0 };
            if self.get(DIEP + number * 0x20 + INT) & mask != 0 {
                daint |= 1 << number;
            }
            if self.get(DOEP + number * 0x20 + INT) & out_mask != 0 {
                daint |= 1 << (16 + number);
            }
        }
        self.bank.set(DAINT, daint);
        let wanted = daint & self.get(DAINTMSK);
        let flags = [
            (OTGINT, self.get(GOTGINT) != 0),
            (RXFLVL, !self.received.is_empty()),
            (GINAKEFF, self.get(DCTL) & GINSTS != 0),
            (GONAKEFF, self.out_nak),
            (IEPINT, wanted & 0xFFFF != 0),
            (OEPINT, wanted >> 16 != 0),
        ];
        self.bank.flags(GINTSTS, &flags);
        self.bank.flag(GOTGCTL, BSVLD, self.session());
        let active = self.get(GINTSTS) & self.get(GINTMSK) & !HOSTS != 0 && self.get(GAHBCFG) & GINT != 0;
        self.lines.drive(active.into(), env);
    }

    fn raise(&mut self, flags: u32, env: &mut Env<'_, '_>) {
        self.bank.flag(GINTSTS, flags, true);
        self.settle(env);
    }

    /// Sets flags of an endpoint's interrupt register.
    fn mark(&mut self, side: u32, endpoint: usize, flags: u32, env: &mut Env<'_, '_>) {
        self.bank.flag(side + endpoint as u32 * 0x20 + INT, flags, true);
        self.settle(env);
    }

    /// GRSTCTL: resets that are done at once (RM0390, OTG_GRSTCTL).
    fn write_reset(&mut self, new: u32, env: &mut Env<'_, '_>) {
        if new & RXFFLSH != 0 {
            self.received.clear();
        }
        if new & TXFFLSH != 0 {
            let number = (new >> 6 & 31) as usize;
            let flushed = if number == 16 { 0..ENDPOINTS } else { number.min(ENDPOINTS)..(number + 1).min(ENDPOINTS) };
            self.transmit[flushed].iter_mut().for_each(Transmit::clear);
        }
        self.bank.set(GRSTCTL, AHBIDL | new & 0x1F << 6);
        if new & CSRST != 0 {
            self.core_reset(env);
        }
    }

    /// Clears all but a few registers (RM0390, OTG_GRSTCTL.CSRST).
    fn core_reset(&mut self, env: &mut Env<'_, '_>) {
        const KEPT: [(u32, u32); 5] =
            [(GUSBCFG, u32::MAX), (GCCFG, u32::MAX), (DCFG, 3), (DCTL, SDIS), (GOTGCTL, BVALOEN | BVALOVAL)];
        let kept = KEPT.map(|(offset, mask)| (offset, mask, self.get(offset)));
        self.bank.reset();
        for (offset, mask, value) in kept {
            let now = self.get(offset);
            self.bank.set(offset, now & !mask | value & mask);
        }
        self.start_anew(env);
    }

    fn start_anew(&mut self, env: &mut Env<'_, '_>) {
        self.received.clear();
        self.transmit.iter_mut().for_each(Transmit::clear);
        (self.setup, self.out_nak, self.suspended, self.address) = (false, false, false, 0);
        (self.frame_ends, self.silent_at) = (Instant::NEVER, Instant::NEVER);
        env.cancel_all();
        env.usb_changed();
    }

    fn write_device_control(&mut self, old: u32, new: u32, env: &mut Env<'_, '_>) {
        let mut value = new & !(SGINAK | CGINAK | SGONAK | CGONAK | GINSTS | GONSTS) | old & (GINSTS | GONSTS);
        if new & SGINAK != 0 {
            value |= GINSTS;
        }
        if new & CGINAK != 0 {
            value &= !GINSTS;
        }
        if new & SGONAK != 0 && value & GONSTS == 0 {
            value |= GONSTS;
            self.received.push(0, GLOBAL_NAK, false, 0, &[]);
        }
        if new & CGONAK != 0 {
            value &= !GONSTS;
            self.out_nak = false;
        }
        self.bank.set(DCTL, value);
        if (old ^ new) & (SDIS | RWUSIG) != 0 {
            env.usb_changed();
        }
    }

    /// A write to DIEPCTLx or DOEPCTLx.
    fn write_endpoint(&mut self, offset: u32, old: u32, new: u32, env: &mut Env<'_, '_>) {
        const ACTIONS: u32 = CNAK | SNAK | SD0PID | SD1PID | EPDIS | EPENA;
        let (is_in, number) = (offset < DOEP, number_of(offset));
        let side = if is_in { DIEP } else { DOEP };
        let mut value = new & !(ACTIONS | NAKSTS | endpoint::ODD) | old & (NAKSTS | endpoint::ODD | EPENA);
        if number == 0 {
            // Always active and of kind control; STALL is cleared by the next SETUP only. Of OUT, MPSIZ is that of IN.
            value = value & !(3 << 18) | 1 << 15 | old & STALL;
        }
        if new & (SNAK | CNAK) != 0 {
            value = value & !NAKSTS | if new & SNAK != 0 { NAKSTS } else { 0 };
        }
        if new & (SD0PID | SD1PID) != 0 {
            value = value & !endpoint::ODD | if new & SD1PID != 0 { endpoint::ODD } else { 0 };
        }
        let mut flags = 0;
        if new & EPENA != 0 {
            value |= EPENA;
        }
        if new & EPDIS != 0 && value & EPENA != 0 {
            value &= !EPENA;
            flags |= endpoint::EPDISD;
        }
        if is_in && new & SNAK != 0 {
            flags |= endpoint::INEPNE;
        } else if is_in && new & CNAK != 0 {
            self.bank.flag(side + number as u32 * 0x20 + INT, endpoint::INEPNE, false);
        }
        self.bank.set(offset, value);
        self.mark(side, number, flags, env);
    }

    /// A word for the FIFO of an IN endpoint.
    fn write_fifo(&mut self, offset: u32, word: u32, env: &mut Env<'_, '_>) {
        let endpoint = ((offset - FIFO) / 0x1000) as usize;
        if endpoint >= ENDPOINTS {
            return;
        }
        let (number, depth) = (self.fifo_of(endpoint), self.depth(endpoint));
        if !self.transmit[number].push(word, depth) {
            let name = env.name();
            env.gap(
                GapKind::Setting,
                format_args!("{name}: more is written to FIFO {number} than its {depth} words; it is lost"),
            );
        }
    }

    fn pop(&mut self, env: &mut Env<'_, '_>) -> u32 {
        let Some((word, endpoint, status)) = self.received.pop() else { return 0 };
        match status {
            GLOBAL_NAK => self.out_nak = true,
            OUT_DONE => self.bank.flag(DOEP + endpoint as u32 * 0x20 + INT, endpoint::XFRC, true),
            SETUP_DONE => self.bank.flag(DOEP + endpoint as u32 * 0x20 + INT, endpoint::STUP, true),
            _ => {}
        }
        self.settle(env);
        word
    }

    /// Names a turn-around time that is too short for the AHB's clock.
    fn check_turn_around(&self, env: &mut Env<'_, '_>) {
        let (hclk, turn) = (env.clocks().frequency(Source::Hclk).get(), self.get(GUSBCFG) >> 10 & 15);
        let least = TURN_AROUND.iter().find(|(from, _)| hclk >= *from).map(|(_, least)| *least);
        let name = env.name();
        match least {
            None => env.gap(GapKind::Setting, format_args!("{name}: HCLK is below 14.2 MHz, too slow for USB")),
            Some(least) if turn < least => env.gap(
                GapKind::Setting,
                format_args!("{name}_GUSBCFG.TRDT is {turn}, less than {least}: answers may come too late"),
            ),
            Some(_) => {}
        }
    }
}

impl Block<Words> for OtgV1 {
    fn read(&mut self, offset: u32, env: &mut Env<'_, '_>) -> u32 {
        match offset {
            GRXSTSR => self.received.peek(),
            GRXSTSP => self.pop(env),
            FIFO.. => self.received.read(),
            _ => self.bank.read(offset, env),
        }
    }

    fn still(&self, offset: u32, _: Instant, _: &Clocks) -> Option<Instant> {
        if offset == GRXSTSP || offset >= FIFO { None } else { self.bank.still(offset) }
    }

    fn write(&mut self, offset: u32, write: Write, env: &mut Env<'_, '_>) {
        if offset >= FIFO {
            self.write_fifo(offset, write.over(0), env);
            return self.settle(env);
        }
        let before = self.get(offset);
        let (old, new) = self.bank.write(offset, write, env);
        match offset {
            GOTGCTL => {
                self.bank.set(offset, new & !(CIDSTS | BSVLD) | CIDSTS | before & BSVLD);
                env.usb_changed();
            }
            GOTGINT => self.bank.set(offset, before & !write.ones()),
            GUSBCFG if new & FHMOD != 0 => {
                let name = env.name();
                env.gap(GapKind::Setting, format_args!("{name}: host mode (GUSBCFG.FHMOD)"));
            }
            GUSBCFG => self.bank.set(offset, new | PHYSEL),
            GRSTCTL => self.write_reset(new, env),
            GINTSTS => self.bank.set(offset, before & !(write.ones() & CLEARED)),
            GCCFG => env.usb_changed(),
            DCTL => self.write_device_control(old, new, env),
            DIEP..FIFO if offset & 0x1F == CTL && is_endpoint(offset) => self.write_endpoint(offset, old, new, env),
            DIEP..FIFO if offset & 0x1F == INT && is_endpoint(offset) => {
                self.bank.set(offset, before & !write.ones());
            }
            _ => {}
        }
        self.settle(env);
    }

    fn event(&mut self, kind: u16, env: &mut Env<'_, '_>) {
        match kind {
            FRAME_ENDS if env.now() >= self.frame_ends => {
                self.frame_ends = Instant::NEVER;
                self.frame_ended(env);
            }
            SILENT if env.now() >= self.silent_at => {
                self.silent_at = Instant::NEVER;
                self.suspended = true;
                self.bank.flag(DSTS, 1, true);
                self.raise(ESUSP | USBSUSP, env);
            }
            _ => {}
        }
    }

    fn reset(&mut self, env: &mut Env<'_, '_>) {
        self.bank.reset();
        self.start_anew(env);
        self.settle(env);
    }

    fn refine(&mut self, times: u64) {
        for at in [&mut self.frame_ends, &mut self.silent_at] {
            *at = if *at == Instant::NEVER { *at } else { at.refined(times) };
        }
    }

    fn after_change(&mut self, _: Tree, env: &mut Env<'_, '_>) {
        env.schedule(FRAME_ENDS, self.frame_ends);
        env.schedule(SILENT, self.silent_at);
    }

    fn bank(&self) -> Option<&Bank> {
        Some(&self.bank)
    }
}
