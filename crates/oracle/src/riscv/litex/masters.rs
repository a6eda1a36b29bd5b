//! Random masters.

use cyclescope_chips::riscv::LITEX_BUS;
use cyclescope_riscv::timing::litex::SharedBus;

use super::{Follower, Requests};
use crate::error::OracleError;
use crate::random::Random;
use crate::report::Report;

use super::soc::Peer;

/// The cycles of one script.
const LENGTH: usize = 4096;

/// The behaviour of a master during a script.
#[derive(Clone, Copy, Debug)]
struct Manner {
    /// The most cycles of a pause.
    pause: u32,
    /// One in so many accesses is the first of a burst.
    burst: u32,
    /// It may withdraw a request or change its address, and asks anywhere: where no slave is, too.
    impatient: bool,
}

impl Manner {
    fn random(random: &mut Random) -> Self {
        Self { pause: random.pick(&[1, 3, 10, 60]), burst: random.pick(&[1, 3, 1000]), impatient: random.one_in(3) }
    }

    fn address(self, random: &mut Random) -> u32 {
        let region = random.pick(LITEX_BUS.regions);
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
}

impl Master {
    /// The request of the next cycle, if the master was `acknowledged` in this one.
    fn next(&mut self, acknowledged: bool, manner: Manner, random: &mut Random) {
        match self.request {
            Some((address, writes)) if acknowledged && self.words > 0 => {
                self.words -= 1;
                self.request = Some((address.wrapping_add(4), writes));
            }
            Some(_) if acknowledged || manner.impatient && random.one_in(10) => self.leave(manner, random),
            Some(_) => {}
            None if self.pause == 0 => self.ask(manner, random),
            None => self.pause -= 1,
        }
    }

    fn ask(&mut self, manner: Manner, random: &mut Random) {
        self.request = Some((manner.address(random), random.one_in(3)));
        self.words = if random.one_in(manner.burst) { random.pick(&[1, 7, 7, 15]) } else { 0 };
    }

    /// Begins a pause, or makes another request without one.
    fn leave(&mut self, manner: Manner, random: &mut Random) {
        (self.request, self.words, self.pause) = (None, 0, random.below(manner.pause));
        if random.one_in(3) {
            self.ask(manner, random);
        }
    }
}

/// A script for masters who behave by chance.
fn random_script(mut bus: SharedBus, random: &mut Random) -> Vec<Requests> {
    let manners = [(); 2].map(|()| Manner::random(random));
    let mut masters = [Master::default(); 2];
    let mut script = Vec::with_capacity(LENGTH);
    while script.len() < LENGTH {
        let [fetch, data] = masters.map(|master| master.request);
        let requests = Requests { fetch: fetch.map(|(address, _)| address), data };
        script.push(requests);
        let acknowledged = bus.step(requests.fetch, requests.data);
        for (index, master) in masters.iter_mut().enumerate() {
            master.next(acknowledged[index], manners[index], random);
        }
    }
    script
}

/// A script in which a fetch waits for the bus's patience to end, at one address and then at another, while data waits for the grant.
fn timeout_script(mut bus: SharedBus) -> Vec<Requests> {
    let patience = LITEX_BUS.rows[LITEX_BUS.timeout].cycles as usize;
    let mut script = vec![Requests::default(); 4];
    script.iter().for_each(|requests| {
        bus.step(requests.fetch, requests.data);
    });
    let mut fetches = true;
    while script.len() < patience + 40 {
        let address = if script.len() < patience / 2 { 0x2000_0000 } else { 0x3000_0000 };
        let data = (script.len() > 20).then_some((0x4000_0000, false));
        let requests = Requests { fetch: fetches.then_some(address), data };
        script.push(requests);
        fetches &= !bus.step(requests.fetch, requests.data)[0];
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
    let mut follower = Follower::new(LITEX_BUS.regions.len(), &[]);
    let mut report = Report::new(follower.tally.clone(), Vec::new());
    let mut until = count;
    while report.goes_on(until) {
        let bus = follower.bus.clone();
        let script = if report.programs == 0 { timeout_script(bus) } else { random_script(bus, random) };
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
