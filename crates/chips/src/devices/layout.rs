//! The wiring that follows from a part's tables and never changes: blocks by address, and connections between them.

use std::sync::Arc;

use cyclescope_machine::{Pin, Width};
use cyclescope_peripherals::stm32::lptim::Lptim;
use cyclescope_peripherals::{AlternateFunction, Device, DmaController, Instance, Write};

use crate::family::{Family, Lanes};
use crate::part::Soc;

/// Blocks lie on multiples of this many bytes, but for a few that share one.
const PAGE_SHIFT: u32 = 10;
/// A page without a block.
const NONE: u16 = u16::MAX;
/// Pins of a port.
const PINS: usize = 32;
/// Ports, those with a number included.
const PORTS: usize = Pin::NUMBERED as usize + 2;

/// The wiring of a part.
#[derive(Debug)]
pub(super) struct Layout {
    /// The blocks, by address.
    instances: Arc<[&'static Instance]>,
    /// The slots of the blocks that the part itself talks to.
    pub(super) known: Known,
    /// The slots of the ports.
    ports: [Option<usize>; PORTS],
    /// The slots of the blocks that control a port's pins, where they are blocks of their own.
    port_controls: [Option<usize>; PORTS],
    /// Blocks that hear pins, each with the number of its signal there.
    inputs: Vec<Vec<(usize, usize)>>,
    /// Requests that a controller's channel hears at a selector.
    routes: Vec<(Channel, u128)>,
    /// The part's tables.
    pub(super) soc: Soc,
    /// Of each segment, the first block in each page.
    pages: Vec<Box<[u16]>>,
}

/// A channel of a controller, at one of its choices.
type Channel = (u8, u8, u8);

/// The slots of the blocks that the part itself talks to.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) clock: Option<usize>,
    /// The block whose registers say which others answer.
    pub(super) enables: Option<usize>,
    pub(super) flash: Option<usize>,
    pub(super) edges: Option<usize>,
    /// The block whose EXTICR registers choose ports: SYSCFG or AFIO.
    pub(super) port_choice: Option<usize>,
    /// The block whose fields move pins: AFIO.
    pub(super) remap: Option<usize>,
    pub(super) power: Option<usize>,
    pub(super) dmamux: Option<usize>,
    /// The slots of blocks that make accesses wait.
    pub(super) slow: Vec<usize>,
    /// The interconnect of events and tasks.
    pub(super) interconnect: Option<usize>,
    /// The block that makes events of pins, whatever their port.
    pub(super) pin_events: Option<usize>,
    /// The decoder of two phases, whose filter hears pins.
    pub(super) decoder: Option<usize>,
    /// The blocks that are bus masters of their own.
    pub(super) masters: Vec<usize>,
    /// The programmable I/Os, which look at all pins.
    pub(super) pios: Vec<usize>,
    /// The block that orders the cores' accesses.
    pub(super) bus_control: Option<usize>,
    /// Registers of a DMA controller show which requests are there.
    pub(super) shows_requests: bool,
    /// Analog-to-digital converters by slot, each with its number, and the registers that they share.
    pub(super) converters: Vec<Converting>,
    /// The comparators of voltages.
    pub(super) comparators: Vec<usize>,
    /// DMA controllers by number and slot.
    pub(super) controllers: Vec<(u8, usize)>,
}

/// A converter, or the registers that several share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Converting {
    pub(super) slot: usize,
    /// The converter's number; common registers have none.
    pub(super) number: Option<u8>,
    /// The page of the common registers, if they are in the block's own: STM32G4 has two groups of converters.
    pub(super) group: Option<u32>,
}

/// The converters among `slots`.
fn converters(instances: &[&'static Instance], slots: &[Device]) -> Vec<Converting> {
    let number = |slot: usize| instances[slot].name.strip_prefix("ADC").and_then(|number| number.parse().ok());
    let page = |slot: usize| instances[slot].address >> PAGE_SHIFT;
    let found: Vec<usize> = (0..slots.len()).filter(|slot| slots[*slot].converter().is_some()).collect();
    let shared = |page_of: u32| found.iter().any(|slot| number(*slot).is_none() && page(*slot) == page_of);
    let group = |slot: usize| Some(page(slot)).filter(|page| shared(*page));
    found.iter().map(|slot| Converting { slot: *slot, number: number(*slot), group: group(*slot) }).collect()
}

impl Layout {
    pub(super) fn new(soc: &Soc, instances: &Arc<[&'static Instance]>, slots: &[Device]) -> Self {
        let find = |wanted: &dyn Fn(&Device) -> bool| slots.iter().position(wanted);
        let all = |wanted: &dyn Fn(&Device) -> bool| (0..slots.len()).filter(|slot| wanted(&slots[*slot])).collect();
        let named = |name: &str| instances.iter().position(|instance| instance.name == name);
        let mut ports = [None; PORTS];
        let mut port_controls = [None; PORTS];
        let mut controllers = Vec::new();
        for (slot, device) in slots.iter().enumerate() {
            if let Some(place) = device.port().and_then(|port| ports.get_mut(usize::from(port.port()))) {
                *place = Some(slot);
            }
            if let Device::KinetisPort(control) = device
                && let Some(place) = port_controls.get_mut(usize::from(control.port()))
            {
                *place = Some(slot);
            }
            if device.dma().is_some() {
                let number = instances[slot].name.trim_start_matches("DMA").parse().unwrap_or(1);
                controllers.push((number, slot));
            }
        }
        let clock = find(&|device| device.clock_control().is_some());
        let known = Known {
            clock,
            enables: find(&|device| matches!(device, Device::RpResets(_))).or(clock),
            flash: find(&|device| device.flash_control().is_some()),
            edges: find(&|device| device.edge_lines().is_some()),
            port_choice: named("SYSCFG").or_else(|| named("AFIO")),
            remap: named("AFIO"),
            power: named("PWR"),
            dmamux: find(&|device| device.request_mux().is_some()),
            slow: all(&|device| matches!(device, Device::Cordic(_) | Device::NrfRtc(_) | Device::RpXip(_))),
            interconnect: find(&|device| matches!(device, Device::NrfPpi(_))),
            pin_events: find(&|device| matches!(device, Device::NrfGpiote(_))),
            decoder: find(&|device| matches!(device, Device::NrfQdec(_))),
            masters: all(&|device| device.master().is_some()),
            pios: all(&|device| matches!(device, Device::RpPio(_))),
            bus_control: named("BUSCTRL"),
            shows_requests: slots.iter().any(|device| device.dma().is_some_and(DmaController::shows_requests)),
            controllers,
            converters: converters(instances, slots),
            comparators: all(&|device| device.comparator().is_some()),
        };
        let mut inputs = vec![Vec::new(); PORTS * PINS];
        for (slot, instance) in instances.iter().enumerate() {
            let heard = |wired: &AlternateFunction| match slots[slot] {
                Device::Timer(_) => true,
                Device::KinetisSpi(_) => ["PCS0", "SCK", "MISO"].contains(&wired.signal),
                Device::RpPwm(_) => wired.signal.starts_with('B'),
                Device::RpSpi(_) => ["CSN", "SCK", "MISO"].contains(&wired.signal),
                Device::SpiV1(_) | Device::SpiV3(_) => {
                    ["NSS", "SCK", "MOSI", "MISO", "I2S_CK", "I2S_WS", "I2S_SD"].contains(&wired.signal)
                }
                Device::I2cV1(_) | Device::I2cV2(_) | Device::KinetisI2c(_) | Device::RpI2c(_) => true,
                Device::Lptim(_) => Lptim::is_input(wired.signal),
                Device::Can(_) => wired.signal == "RX",
                Device::UsartV1(_)
                | Device::UsartV4(_)
                | Device::NrfUarte(_)
                | Device::Pl011(_)
                | Device::EspUart(_) => wired.signal == "CTS",
                Device::NrfSerial(_) => wired.signal != "DCX",
                _ => false,
            };
            for (index, wired) in instance.pins.iter().enumerate().filter(|(_, wired)| heard(wired)) {
                if let Some(place) = inputs.get_mut(usize::from(wired.port) * PINS + usize::from(wired.pin & 31)) {
                    place.push((slot, index));
                }
            }
        }
        let mut routes: Vec<(Channel, u128)> = Vec::new();
        for route in soc.routes {
            let channel = (route.controller, route.channel, route.selector);
            let bit = 1 << (route.request & 127);
            match routes.iter_mut().find(|(known, _)| *known == channel) {
                Some((_, requests)) => *requests |= bit,
                None => routes.push((channel, bit)),
            }
        }
        let pages = pages(soc.family, instances);
        Self { instances: Arc::clone(instances), known, ports, port_controls, inputs, routes, soc: soc.clone(), pages }
    }

    /// Returns the number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.instances.len()
    }

    /// The slot of a port.
    #[inline]
    pub(super) fn port(&self, port: u8) -> Option<usize> {
        self.ports.get(usize::from(port)).copied().flatten()
    }

    /// The slot of the block that controls a port's pins.
    #[inline]
    pub(super) fn port_control(&self, port: u8) -> Option<usize> {
        self.port_controls.get(usize::from(port)).copied().flatten()
    }

    /// The blocks that `pin` reaches, each with the number of its signal.
    pub(super) fn inputs(&self, pin: Pin) -> &[(usize, usize)] {
        self.inputs.get(usize::from(pin.port) * PINS + usize::from(pin.number & 31)).map_or(&[], Vec::as_slice)
    }

    /// The requests, one bit each, that `channel` of `controller` hears at `selector`.
    pub(super) fn heard(&self, controller: u8, channel: u8, selector: u8) -> u128 {
        let channel = (controller, channel, selector);
        self.routes.iter().find(|(known, _)| *known == channel).map_or(0, |(_, requests)| *requests)
    }

    /// The channels that hear `request`: controller, channel, selector.
    pub(super) fn hearers(&self, request: u8) -> impl Iterator<Item = Channel> {
        let bit = 1u128 << (request & 127);
        self.routes.iter().filter(move |(_, requests)| requests & bit != 0).map(|(channel, _)| *channel)
    }

    /// The block that `address` belongs to.
    #[inline]
    pub(super) fn slot(&self, address: u32) -> Option<usize> {
        let (index, segment) = self.soc.family.segment(address)?;
        let page = ((address - segment.from) >> PAGE_SHIFT) as usize;
        let first = *self.pages[index].get(page)?;
        if first == NONE {
            return None;
        }
        let mut slot = usize::from(first);
        // Several blocks may share a page: the last that begins at or before the address.
        while self.instances.get(slot + 1).is_some_and(|next| next.address <= address) {
            slot += 1;
        }
        // One may lie inside another, whose registers go on behind it.
        let reaches = |slot: &usize| {
            let instance = self.instances[*slot];
            let registers = instance.map.registers;
            registers.first().zip(registers.last()).is_none_or(|(first, last)| {
                (instance.address + first.offset..instance.address + last.offset + 4).contains(&address)
            })
        };
        (usize::from(first)..=slot).rev().find(reaches).or(Some(slot))
    }
}

/// Of each segment of `family`, the first block in each page.
fn pages(family: &Family, instances: &[&'static Instance]) -> Vec<Box<[u16]>> {
    let mut pages: Vec<Box<[u16]>> = family
        .segments
        .iter()
        .map(|segment| vec![NONE; ((segment.blocks_to - segment.from) >> PAGE_SHIFT) as usize].into_boxed_slice())
        .collect();
    for (slot, instance) in instances.iter().enumerate() {
        let Some((index, segment)) = family.segment(instance.address) else { continue };
        let last = instance.map.registers.last().map_or(0, |register| register.offset);
        let first_page = ((instance.address - segment.from) >> PAGE_SHIFT) as usize;
        let last_page = ((instance.address + last - segment.from) >> PAGE_SHIFT) as usize;
        for page in pages[index].iter_mut().take(last_page + 1).skip(first_page) {
            if *page == NONE {
                *page = slot as u16;
            }
        }
    }
    pages
}

/// A write of `width` at `address` as the register sees it.
#[inline]
pub(super) fn spread(lanes: Lanes, address: u32, width: Width, value: u32) -> Write {
    let value = value & width.mask();
    if width == Width::Word {
        return Write::word(value);
    }
    if lanes == Lanes::Spread {
        let copies = if width == Width::Byte { 0x0101_0101 } else { 0x0001_0001 };
        return Write::word(value.wrapping_mul(copies));
    }
    let shift = (address & 3) * 8;
    Write { value: value << shift, lanes: width.mask() << shift }
}
