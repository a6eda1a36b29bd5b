//! An empty slot for a virtio device over MMIO, as QEMU's `virt` has eight of (virtio 1.2 §4.2.4, the legacy interface; QEMU's
//! `hw/virtio/virtio-mmio.c`). It says that it is a slot and that no device is in it.

use super::{Env, Riscv};
use crate::register::word;
use crate::{Access, Block, Field, Map, Register, Write};

/// "virt", read by a little-endian machine.
const MAGIC: u32 = 0x7472_6976;
/// The legacy interface.
const VERSION: u32 = 1;
/// "QEMU".
const VENDOR: u32 = 0x554D_4551;

const MAGIC_VALUE: u32 = 0x00;
const VERSION_NUMBER: u32 = 0x04;
const VENDOR_ID: u32 = 0x0C;

const VALUE: &[Field] = &[Field::new("VALUE", 0, 32)];

const fn read_only(name: &'static str, offset: u32) -> Register {
    word(name, offset, Access::ReadOnly, VALUE)
}

const fn write_only(name: &'static str, offset: u32) -> Register {
    word(name, offset, Access::WriteOnly, VALUE)
}

/// Its registers.
pub static MAP: Map = Map {
    kind: "virtio",
    version: "mmio",
    registers: &[
        read_only("MagicValue", MAGIC_VALUE),
        read_only("Version", VERSION_NUMBER),
        read_only("DeviceID", 0x08),
        read_only("VendorID", VENDOR_ID),
        read_only("HostFeatures", 0x10),
        write_only("HostFeaturesSel", 0x14),
        write_only("GuestFeatures", 0x20),
        write_only("GuestFeaturesSel", 0x24),
        write_only("GuestPageSize", 0x28),
        write_only("QueueSel", 0x30),
        read_only("QueueNumMax", 0x34),
        write_only("QueueNum", 0x38),
        write_only("QueueAlign", 0x3C),
        word("QueuePFN", 0x40, Access::ReadWrite, VALUE),
        write_only("QueueNotify", 0x50),
        read_only("InterruptStatus", 0x60),
        write_only("InterruptACK", 0x64),
        word("Status", 0x70, Access::ReadWrite, VALUE),
    ],
};

/// The slot.
#[derive(Clone, Debug)]
pub struct VirtioSlot;

impl Block<Riscv> for VirtioSlot {
    fn read(&mut self, offset: u32, _: &mut Env<'_, '_>) -> u32 {
        match offset {
            MAGIC_VALUE => MAGIC,
            VERSION_NUMBER => VERSION,
            VENDOR_ID => VENDOR,
            // DeviceID too: 0 stands for no device.
            _ => 0,
        }
    }

    /// Nobody takes it.
    fn write(&mut self, _: u32, _: Write, _: &mut Env<'_, '_>) {}

    fn reset(&mut self, _: &mut Env<'_, '_>) {}
}
