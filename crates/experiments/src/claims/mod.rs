//! Claims: what is often said of concurrency runtimes, and whether records bear it out.
//!
//! [`definition`] reads the claims' file, this module sets records against each other, [`tables`] writes it down.

mod definition;
mod tables;

use cyclescope_records::{Comparison, Pair, Record, SIGNIFICANT, Scalar};
use cyclescope_report::Table;

use self::definition::{Claim, Definition, Relation, Test, Vary};

/// Returns the verdict of `records` on the claims that they can test, a table a claim.
pub fn claims(records: &[Record]) -> Vec<Table> {
    let definition = Definition::bundled();
    let judged = definition.claim.iter().map(|claim| (claim, judge(claim, records)));
    judged
        .filter(|(_, found)| found.iter().any(|found| !found.pairs.is_empty()))
        .map(|(c, f)| tables::table(c, &f))
        .collect()
}

/// The result of one test.
struct Found<'r> {
    pairs: Vec<Judged<'r>>,
}

/// One pair, and what came of it.
struct Judged<'r> {
    /// The record that has to be less or more.
    this: &'r Record,
    than: &'r Record,
    outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Holds,
    Fails,
    /// They differ by no more than noise.
    Open,
}

impl Found<'_> {
    fn count(&self, outcome: Outcome) -> usize {
        self.pairs.iter().filter(|pair| pair.outcome == outcome).count()
    }
}

fn judge<'r>(claim: &Claim, records: &'r [Record]) -> Vec<Found<'r>> {
    claim.test.iter().map(|test| found(test, records)).collect()
}

fn found<'r>(test: &Test, records: &'r [Record]) -> Found<'r> {
    let all: Vec<&Record> = records.iter().filter(|record| test.takes(record)).collect();
    let side = |names: &[String]| -> Vec<&'r Record> {
        let is = |record: &&&Record| names.iter().any(|name| name == test.vary.of(record));
        all.iter().filter(is).copied().collect()
    };
    let mut pairs: Vec<Pair<'r>> = Vec::new();
    let those = side(&test.than);
    for this in side(&test.these) {
        let partners = those.iter().filter(|than| test.are_alike(this, than));
        pairs.extend(partners.map(|than| Pair { old: than, new: this }));
    }
    let comparison = Comparison { pairs, ..Comparison::default() };
    let chances = comparison.chances();
    let judged = comparison.pairs.iter().zip(chances).map(|(pair, chance)| {
        let Pair { old: than, new: this } = *pair;
        let (this_mean, than_mean) = (this.mean.as_f64(), than.mean.as_f64());
        let holds = match test.are {
            Relation::Less => this_mean < than_mean,
            Relation::More => this_mean > than_mean,
        };
        let told = pair.is_exact() || chance.is_some_and(|chance| chance < SIGNIFICANT);
        let outcome = match (told, holds) {
            (false, _) => Outcome::Open,
            (true, true) => Outcome::Holds,
            (true, false) => Outcome::Fails,
        };
        Judged { this, than, outcome }
    });
    Found { pairs: judged.collect() }
}

impl Test {
    fn takes(&self, record: &Record) -> bool {
        let metric = self.vary == Vary::Metric || record.metric == self.metric;
        let fits = |(name, values): (&String, &Vec<String>)| {
            let value = match name.as_str() {
                "contender" => Some(record.contender.clone()),
                "mode" => Some(record.mode.clone()),
                "opt" => Some(record.opt.clone()),
                "chip" => record.chip.clone(),
                parameter => record.params.get(parameter).map(Scalar::to_string),
            };
            value.is_some_and(|value| values.contains(&value))
        };
        record.experiment == self.experiment && metric && self.conditions.iter().all(fits)
    }

    /// Tells if two records differ in the varied field alone. A field that varies with the mode by name, `devel-value` beside
    /// `devel-reference`, has the same first word.
    fn are_alike(&self, a: &Record, b: &Record) -> bool {
        let same = |vary: Vary| self.vary == vary || vary.of(a) == vary.of(b);
        let modes = self.vary != Vary::Mode || first_word(&a.mode) == first_word(&b.mode);
        let memory = |record: &Record| record.settings.get("memory").map(Scalar::to_string);
        [Vary::Contender, Vary::Mode, Vary::Opt, Vary::Metric].into_iter().all(same)
            && modes
            && (&a.chip, &a.params, a.unit, memory(a)) == (&b.chip, &b.params, b.unit, memory(b))
    }
}

fn first_word(text: &str) -> &str {
    text.split('-').next().unwrap_or(text)
}

impl Vary {
    fn of(self, record: &Record) -> &str {
        match self {
            Self::Contender => &record.contender,
            Self::Mode => &record.mode,
            Self::Opt => &record.opt,
            Self::Metric => &record.metric,
        }
    }
}

#[cfg(test)]
mod tests {
    use cyclescope_records::stats::Summary;
    use cyclescope_records::{Source, Unit};

    use super::*;

    fn record(contender: &str, mean: u64) -> Record {
        let Summary { n, mean, stddev, min, median, p99, max } = Summary::exact(mean);
        Record {
            experiment: "switch".to_owned(),
            mode: "plain".to_owned(),
            params: [("row".to_owned(), "CoroutineScheduling".into())].into(),
            contender: contender.to_owned(),
            contender_version: String::new(),
            compiler: String::new(),
            chip: Some("stm32c031c6".to_owned()),
            clock_hz: None,
            settings: [("memory".to_owned(), "equal".into())].into(),
            opt: "3".to_owned(),
            metric: "switch.above_floor".to_owned(),
            unit: Unit::Cycles,
            n,
            mean,
            stddev,
            min,
            median,
            p99,
            max,
            histogram: None,
            layouts: None,
            source: Source::Simulated,
            image_sha256: None,
            model: None,
        }
    }

    fn outcomes(records: &[Record]) -> [usize; 3] {
        let definition = Definition::bundled();
        let says = "A switch of async tasks costs less than one of an RTOS's threads.";
        let claim = definition.claim.iter().find(|claim| claim.says == says).expect("it is there");
        let found = judge(claim, records);
        [Outcome::Holds, Outcome::Fails, Outcome::Open].map(|outcome| found[0].count(outcome))
    }

    #[test]
    fn records_are_set_against_those_that_differ_in_nothing_else() {
        let rtos = record("freertos", 100);
        assert_eq!(outcomes(&[record("embassy", 90), record("rtic", 110), rtos.clone()]), [1, 1, 0]);
        assert_eq!(outcomes(&[record("embassy", 100), rtos.clone()]), [0, 1, 0], "the same is not less");
        assert_eq!(outcomes(&[Record { opt: "s".to_owned(), ..record("embassy", 90) }, rtos.clone()]), [0, 0, 0]);
        assert_eq!(outcomes(&[Record { chip: None, ..record("embassy", 90) }, rtos]), [0, 0, 0]);
    }

    #[test]
    fn what_may_be_noise_is_left_open() {
        let host = |contender, mean| Record { source: Source::Host, ..record(contender, mean) };
        assert_eq!(
            outcomes(&[host("embassy", 90), host("freertos", 100)]),
            [0, 0, 1],
            "of one sample nothing is known"
        );
    }

    #[test]
    fn the_file_is_consistent() {
        for claim in Definition::bundled().claim {
            assert!(
                !claim.test.is_empty() && claim.says.ends_with('.') && claim.command.starts_with("cyclescope run ")
            );
            for (place, test) in claim.test.iter().enumerate() {
                assert_eq!(place == 0, test.says.is_empty(), "{}", claim.says);
                assert_eq!(test.metric == "*", test.vary == Vary::Metric, "{}", claim.says);
                let known = crate::all().iter().any(|known| known.name() == test.experiment);
                assert!(known && !test.these.is_empty() && !test.than.is_empty(), "{}", claim.says);
            }
        }
    }
}
