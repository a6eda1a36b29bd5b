//! Records that one table shows: those of one chip at one clock under one memory setting.

use cyclescope_machine::units::Hertz;
use cyclescope_records::{Record, Scalar};

/// A contender and an optimisation level.
pub(crate) type Build<'r> = (&'r str, &'r str);

/// The records of one chip at one clock under one memory setting, or those of them that also have something else in common.
pub(crate) struct Conditions<'r> {
    pub(crate) chip: &'r str,
    pub(crate) memory: String,
    pub(crate) clock: Hertz,
    pub(crate) records: Vec<&'r Record>,
}

impl<'r> Conditions<'r> {
    /// All that `records` hold, in their order.
    pub(crate) fn all(records: &'r [Record]) -> Vec<Self> {
        Self::with(records, |_| ()).into_iter().map(|(conditions, ())| conditions).collect()
    }

    /// The same by what `of` says of each record as well.
    pub(crate) fn with<T: PartialEq>(records: &'r [Record], of: impl Fn(&'r Record) -> T) -> Vec<(Self, T)> {
        let records: Vec<&Record> = records.iter().collect();
        let key = |record: &'r Record| {
            let memory = record.settings.get("memory").map(Scalar::to_string).unwrap_or_default();
            let clock = Hertz::new(record.clock_hz.unwrap_or(0));
            (record.chip.as_deref().unwrap_or("host"), memory, clock, of(record))
        };
        let conditions =
            |((chip, memory, clock, of), records): (_, Vec<&'r Record>)| (Self { chip, memory, clock, records }, of);
        grouped(&records, key).into_iter().map(conditions).collect()
    }

    /// The title of a table that answers `question`.
    pub(crate) fn title(&self, question: &str) -> String {
        format!("{question} {} at {}, memory {}", self.chip, self.clock, self.memory)
    }

    /// Contenders in the order of the records.
    pub(crate) fn contenders(&self) -> Vec<&'r str> {
        distinct(&self.records, |record| Some(record.contender.as_str()))
    }

    /// Contenders with each of their optimisation levels, in the order of the records.
    pub(crate) fn builds(&self) -> Vec<Build<'r>> {
        distinct(&self.records, |record| Some((record.contender.as_str(), record.opt.as_str())))
    }

    /// `contender`'s optimisation levels in the order of the records.
    pub(crate) fn opts(&self, contender: &str) -> Vec<&'r str> {
        distinct(&self.records, |record| (record.contender == contender).then_some(record.opt.as_str()))
    }

    /// The records of `metric` of one build, in their order.
    pub(crate) fn of(&self, build: Build<'_>, metric: &str) -> impl Iterator<Item = &'r Record> {
        self.records
            .iter()
            .copied()
            .filter(move |record| (record.contender.as_str(), record.opt.as_str()) == build && record.metric == metric)
    }
}

/// Returns the values of `of` for `records`, each once, in their order.
pub(crate) fn distinct<'r, T: PartialEq>(records: &[&'r Record], of: impl Fn(&'r Record) -> Option<T>) -> Vec<T> {
    unique(records.iter().filter_map(|record| of(record)))
}

/// Returns `values`, each once, in their order.
pub(crate) fn unique<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// `records` by what `of` says of each, in their order.
pub(crate) fn grouped<'r, T: PartialEq>(
    records: &[&'r Record],
    of: impl Fn(&'r Record) -> T,
) -> Vec<(T, Vec<&'r Record>)> {
    let mut groups: Vec<(T, Vec<&'r Record>)> = Vec::new();
    for record in records {
        let key = of(record);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, records)) => records.push(record),
            None => groups.push((key, vec![record])),
        }
    }
    groups
}
