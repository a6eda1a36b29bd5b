//! Accesses and fetches under the memory protection unit.

use crate::address_map::is_private;
use crate::cpu::{Cpu, Fault, FaultKind};
use crate::mpu::Intent;

impl Cpu {
    /// Tells whether the unit checks the code that runs now.
    fn is_protected(&self) -> bool {
        self.mpu.is_on() && (self.mpu.checks_urgent_code() || self.execution_priority() > -1)
    }

    /// Checks an aligned data access of any width. No such access lies in two regions, because regions have at least 32 bytes.
    #[inline(always)]
    pub(crate) fn check_protection(&self, address: u32, intent: Intent) -> Result<(), Fault> {
        if !self.mpu.is_on() { Ok(()) } else { self.check_regions(address, intent) }
    }

    #[inline(never)]
    fn check_regions(&self, address: u32, intent: Intent) -> Result<(), Fault> {
        let privileged = self.privileged() && !self.acts_unprivileged;
        if is_private(address) || !self.is_protected() || self.mpu.allows(address, intent, privileged) {
            return Ok(());
        }
        let cause = match intent {
            Intent::Write => "write that the MPU forbids",
            _ => "read that the MPU forbids",
        };
        Err(Fault { kind: FaultKind::DataAccess, cause, address: Some(address) })
    }

    /// Tells whether the MPU lets the instructions from `from` up to `to` run.
    pub(crate) fn allows_fetches(&self, from: u32, to: u32) -> bool {
        if !self.is_protected() {
            return true;
        }
        let privileged = self.privileged();
        // 32 bytes are the least that a region or subregion holds.
        let mut address = from;
        while address < to {
            if !self.mpu.allows(address, Intent::Fetch, privileged) {
                return false;
            }
            address = (address | 0x1F).wrapping_add(1);
            if address == 0 {
                break;
            }
        }
        true
    }

    /// Returns the key of the present settings and privilege: blocks that were checked under it run unchecked. 0 while
    /// the unit does not check the code that runs.
    pub(crate) fn protection_key(&self) -> u32 {
        if !self.is_protected() {
            return 0;
        }
        (self.mpu.generation().wrapping_mul(2) | u32::from(self.privileged())) % (u32::MAX - 2) + 1
    }
}
