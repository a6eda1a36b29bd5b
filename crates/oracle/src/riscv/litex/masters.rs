//! Random masters.

use cyclescope_riscv::timing::litex::{SharedBus, Slave, Wishbone};

use super::{CONTINUES, Follower, Requests, System};
use crate::error::OracleError;
use crate::random::Random;
use crate::report::Report;

use super::soc::Peer;

/// The cycles of one script.
const LENGTH: usize = 4096;
/// CTI of the last word of a burst.
const LAST: u8 = 7;

/// The behaviour of a master during a script.
#[derive(Clone, Copy, Debug)]
struct Manner {
    /// The most cycles of a pause.
    pause: u32,
    /// One in so many accesses is the first of a burst.
    burst: u32,
    /// It may withdraw a request or change its address, and asks anywhere: where no slave is, too. The cache of SDRAM expects that none
    /// does.
    impatient: bool,
    /// It gives any CTI, or that of bursts. A burst that does not end is acknowledged once more, whatever the master asks for then:
    /// SDRAM's cache would see that request withdrawn.
    any_cti: bool,
    /// One in so many accesses is to SDRAM's first kilobytes, where places of the cache have several lines.
    near: u32,
}

impl Manner {
    fn random(system: System, random: &mut Random) -> Self {
        Self {
            pause: random.pick(&[1, 3, 10, 60]),
            burst: random.pick(&[1, 3, 1000]),
            impatient: random.one_in(3) && !system.has_sdram(),
            any_cti: random.one_in(3) && system != System::SdramBursting,
            near: random.pick(&[1, 2, 8]),
        }
    }

    fn address(self, wishbone: &'static Wishbone, random: &mut Random) -> u32 {
        let region = random.pick(wishbone.regions);
        let sdram = wishbone.regions.iter().find(|region| matches!(region.slave, Slave::Sdram(_)));
        if let Some(sdram) = sdram.filter(|_| random.one_in(self.near)) {
            return sdram.base + random.pick(&[0, 0x2000, 0x10_0000, 0x200_0000]) + random.below(0x1000) * 4;
        }
        let offset = match random.below(8) {
            0 => 0,
            1 => region.bytes - 4,
            _ => random.below(region.bytes / 4) * 4,
        };
        // Next to a slave, as its decoder sees it.
        let strays = self.impatient && random.one_in(4);
        (region.base + offset) ^ if strays { 4 << random.below(30) } else { 0 }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Master {
    request: Option<(u32, bool)>,
    pause: u32,
    /// Further words of the burst.
    words: u32,
    cti: u8,
}

impl Master {
    /// The request of the next cycle, if the master was `acknowledged` in this one.
    fn next(&mut self, acknowledged: bool, wishbone: &'static Wishbone, manner: Manner, random: &mut Random) {
        match self.request {
            Some((address, writes)) if acknowledged && self.words > 0 => {
                self.words -= 1;
                self.request = Some((address.wrapping_add(4), writes));
            }
            Some(_) if acknowledged || manner.impatient && random.one_in(10) => self.leave(wishbone, manner, random),
            Some(_) => return,
            None if self.pause == 0 => self.ask(wishbone, manner, random),
            None => self.pause -= 1,
        }
        self.cti = if manner.any_cti { random.below(8) as u8 } else { [LAST, CONTINUES][usize::from(self.words > 0)] };
    }

    fn ask(&mut self, wishbone: &'static Wishbone, manner: Manner, random: &mut Random) {
        self.request = Some((manner.address(wishbone, random), random.one_in(3)));
        self.words = if random.one_in(manner.burst) { random.pick(&[1, 7, 7, 15]) } else { 0 };
    }

    /// Begins a pause, or makes another request without one.
    fn leave(&mut self, wishbone: &'static Wishbone, manner: Manner, random: &mut Random) {
        (self.request, self.words, self.pause) = (None, 0, random.below(manner.pause));
        if random.one_in(3) {
            self.ask(wishbone, manner, random);
        }
    }
}

/// A script for masters who behave by chance.
fn random_script(system: System, mut bus: SharedBus, random: &mut Random) -> Vec<Requests> {
    let manners = [(); 2].map(|()| Manner::random(system, random));
    let mut masters = [Master::default(); 2];
    let mut script = Vec::with_capacity(LENGTH);
    while script.len() < LENGTH {
        let [fetch, data] = masters.map(|master| master.request);
        let cti = masters.map(|master| master.cti);
        let requests = Requests { fetch: fetch.map(|(address, _)| address), data, cti };
        script.push(requests);
        let acknowledged = requests.step(&mut bus);
        for (index, master) in masters.iter_mut().enumerate() {
            master.next(acknowledged[index], system.bus(), manners[index], random);
        }
    }
    // All that has begun ends, or the next script's masters would change it.
    while masters.iter().any(|master| master.request.is_some()) {
        let [fetch, data] = masters.map(|master| master.request);
        let requests = Requests { fetch: fetch.map(|(address, _)| address), data, cti: [LAST; 2] };
        script.push(requests);
        let acknowledged = requests.step(&mut bus);
        for (master, _) in masters.iter_mut().zip(acknowledged).filter(|(_, acknowledged)| *acknowledged) {
            master.request = None;
        }
        if script.len() > 2 * LENGTH {
            break;
        }
    }
    script
}

/// A script in which a fetch waits for the bus's patience to end, at one address and then at another, while data waits for the grant.
fn timeout_script(wishbone: &'static Wishbone, mut bus: SharedBus) -> Vec<Requests> {
    let patience = wishbone.rows[wishbone.timeout].cycles as usize;
    let mut script = vec![Requests::default(); 4];
    script.iter().for_each(|requests| {
        requests.step(&mut bus);
    });
    let (mut fetches, mut ends) = (true, false);
    while script.len() < patience + 40 || !ends {
        let address = if script.len() < patience / 2 { 0x2000_0000 } else { 0x3000_0000 };
        let data = (script.len() > 20).then_some((0x4000_0000, false));
        let requests = Requests { fetch: fetches.then_some(address), data, cti: [0; 2] };
        script.push(requests);
        let [fetch, data] = requests.step(&mut bus);
        (fetches, ends) = (fetches && !fetch, data);
    }
    script
}

/// Compares scripts; the cycles of the first one, which is long, come on top of `count`.
pub(super) fn run(
    peer: &mut Peer,
    random: &mut Random,
    count: u64,
    mut progress: impl FnMut(u64),
) -> Result<Report, OracleError> {
    let system = peer.subject().system;
    let mut follower = Follower::new(system, system.bus().regions.len(), &[]);
    // The masters' registers are a cycle behind what the bench sets, and the SDRAM's refresh timer runs from the reset on.
    Requests::default().step(&mut follower.bus);
    let mut report = Report::new(follower.tally.clone(), Vec::new());
    let mut until = count;
    while report.goes_on(until) {
        let bus = follower.bus.clone();
        let script =
            if report.programs == 0 { timeout_script(system.bus(), bus) } else { random_script(system, bus, random) };
        if report.programs == 0 {
            until += script.len() as u64;
        }
        let answer = peer.present(&script)?;
        for (requests, theirs) in script.iter().zip(answer) {
            report.instructions += 1;
            report.difference = follower.step(*requests, theirs, None);
            if report.difference.is_some() {
                break;
            }
        }
        report.programs += 1;
        progress(report.instructions);
    }
    report.coverage = follower.tally;
    Ok(report)
}
