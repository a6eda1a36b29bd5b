//! A plan with all files that it names, on its way to any machine.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cyclescope_chips::{DescriptionError, Part};
use cyclescope_guest::TOOL;
use cyclescope_guest::variant::{self, ClockText, VariantError};
use cyclescope_image::Image;
use cyclescope_layout::{LinkerMap, Units};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::columns::Rows;
use crate::plan::at_most;
use crate::point::Latest;
use crate::question::Question;
use crate::threads::each;
use crate::{Axes, Plan, SweepError};

/// The cycles that a run is taken to cost at least: what its start takes.
const LEAST_CYCLES: u64 = 200_000;

/// The most chunks of a sweep.
const MOST_CHUNKS: u64 = 1_000_000;

/// The most points of a chunk.
const MOST_IN_CHUNK: u64 = 100_000;

/// A plan, its files, and its chunks.
#[derive(Debug)]
pub struct Sweep {
    pub(crate) plan: Plan,
    pub(crate) question: Question,
    pub(crate) axes: Axes,
    /// The files of the plan by the names that they have in it.
    files: BTreeMap<String, Vec<u8>>,
    pub(crate) images: Vec<Image>,
    maps: Vec<Option<LinkerMap>>,
    /// The image of each target, and its chip.
    pub(crate) targets: Vec<(usize, String)>,
    /// Of each target, its chip at each clock.
    subjects: Vec<Vec<Subject>>,
    /// The point behind the last one of each chunk.
    chunks: Vec<u64>,
    identity: String,
}

/// An image's chip at a clock.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) part: Part,
    units: OnceLock<Option<Units>>,
}

/// The beginning of a packed sweep.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    tool: String,
    plan: Plan,
    files: Vec<(String, u64)>,
    chunks: Vec<u64>,
}

impl Sweep {
    /// Reads the files of `plan` and finds its chunks, for which the first point of each image, chip, memory setting and clock is
    /// run, on `jobs` threads. `stop` is asked now and then; once it says so the sweep is not made.
    ///
    /// # Errors
    /// [`SweepError`] for a plan or a file with a defect, and for a measurement that cannot be made.
    pub fn load(plan: Plan, jobs: NonZeroUsize, stop: &(dyn Fn() -> bool + Sync)) -> Result<Self, SweepError> {
        // What costs nothing to check comes first.
        Question::of(&plan)?;
        Axes::of(&plan)?;
        let (plan, files) = with_files(plan)?;
        let mut sweep = Self::of(plan, files)?;
        let groups = usize::try_from(sweep.axes.groups()).unwrap_or(usize::MAX);
        let costs = each(jobs, groups, stop, &|group| {
            let first = group as u64 * sweep.axes.in_group();
            sweep.pilot(first, stop)
        })?;
        let costs: Option<Vec<u64>> = costs.into_iter().map(Option::flatten).collect();
        sweep.chunks = sweep.divided(&costs.ok_or(SweepError::Interrupted)?)?;
        sweep.identity = sweep.identified();
        Ok(sweep)
    }

    /// The sweep of `plan` with its `files`, which has no chunks yet.
    fn of(plan: Plan, files: BTreeMap<String, Vec<u8>>) -> Result<Self, SweepError> {
        let (mut question, axes) = (Question::of(&plan)?, Axes::of(&plan)?);
        let file = |name: &str| files.get(name).map(Vec::as_slice).ok_or_else(|| lacking(name));
        question.fill(&plan.folder, file)?;
        let mut sweep = Self {
            question,
            axes,
            images: Vec::new(),
            maps: Vec::new(),
            targets: Vec::new(),
            subjects: Vec::new(),
            chunks: Vec::new(),
            identity: String::new(),
            plan: plan.clone(),
            files: BTreeMap::new(),
        };
        for (index, image) in plan.image.iter().enumerate() {
            sweep.images.push(Image::parse(file(&image.elf)?).map_err(of_file(&image.elf))?);
            let map = image.map.as_deref().map(|map| {
                let text = String::from_utf8_lossy(file(map)?);
                LinkerMap::parse(&text).map_err(of_file(map))
            });
            sweep.maps.push(map.transpose()?);
            for chip in plan.chips(image) {
                let text = Part::is_file(chip).then(|| file(chip).map(String::from_utf8_lossy)).transpose()?;
                let mut subjects = Vec::new();
                for clock in 0..axes.clocks {
                    let part = part(chip, text.as_deref(), plan.clock.get(clock))?;
                    subjects.push(Subject { part, units: OnceLock::new() });
                }
                sweep.targets.push((index, chip.clone()));
                sweep.subjects.push(subjects);
            }
        }
        sweep.files = files;
        // They are read.
        sweep.plan.folder = PathBuf::new();
        Ok(sweep)
    }

    /// Returns the sweep as bytes for [`Sweep::unpack`].
    pub fn pack(&self) -> Vec<u8> {
        let files = self.files.iter().map(|(name, bytes)| (name.clone(), bytes.len() as u64)).collect();
        let head = Head { tool: TOOL.to_owned(), plan: self.plan.clone(), files, chunks: self.chunks.clone() };
        let head = serde_json::to_vec(&head).unwrap_or_default();
        let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
        bytes.extend(head);
        self.files.values().for_each(|file| bytes.extend(file));
        bytes
    }

    /// Returns the sweep that [`Sweep::pack`] made `bytes` of.
    ///
    /// # Errors
    /// [`SweepError::Packed`] for other bytes, and those of another version.
    pub fn unpack(bytes: &[u8]) -> Result<Self, SweepError> {
        let packed = |why: &str| SweepError::Packed { why: why.to_owned() };
        let cut = || packed("it is cut off");
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(cut)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut())?;
        let (head, mut rest) = rest.split_at_checked(length).ok_or_else(cut)?;
        /// Read first: another version may not have the rest.
        #[derive(Deserialize)]
        struct Version {
            tool: String,
        }
        let Version { tool } = serde_json::from_slice(head).map_err(|error| packed(&error.to_string()))?;
        if tool != TOOL {
            return Err(packed(&format!("it was made by {tool}")));
        }
        let head: Head = serde_json::from_slice(head).map_err(|error| packed(&error.to_string()))?;
        let mut files = BTreeMap::new();
        for (name, length) in head.files {
            let length = usize::try_from(length).map_err(|_| cut())?;
            let (file, behind) = rest.split_at_checked(length).ok_or_else(cut)?;
            files.insert(name, file.to_vec());
            rest = behind;
        }
        let mut sweep = Self::of(head.plan, files)?;
        let ascend = head.chunks.windows(2).all(|pair| pair[0] < pair[1]) && head.chunks.first() != Some(&0);
        if !ascend || head.chunks.last() != Some(&sweep.axes.points()) {
            return Err(packed("its chunks are not those of its points"));
        }
        sweep.chunks = head.chunks;
        sweep.identity = sweep.identified();
        Ok(sweep)
    }

    /// Returns the plan, in which files have the names that results call them by.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the axes.
    pub fn axes(&self) -> Axes {
        self.axes
    }

    /// Returns the number of chunks.
    pub fn chunks(&self) -> u64 {
        self.chunks.len() as u64
    }

    /// Returns the numbers of the points of the chunk of that number; none of a chunk that there is not.
    pub fn points_of(&self, chunk: u64) -> Range<u64> {
        let chunk = usize::try_from(chunk).unwrap_or(usize::MAX);
        let Some(end) = self.chunks.get(chunk).copied() else { return 0..0 };
        chunk.checked_sub(1).map_or(0, |before| self.chunks[before])..end
    }

    /// Returns the number of rows that the points of a chunk have.
    pub(crate) fn rows_of(&self, chunk: u64) -> u64 {
        let points = self.points_of(chunk);
        (points.end - points.start) * (self.question.spans.len() as u64).max(1)
    }

    /// Returns what no other plan, no other files and no other version have.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Runs the points of the chunk of that number. Returns its results as a Parquet file, or `None` once `stop` says so.
    ///
    /// # Errors
    /// [`SweepError::Failure`] for a measurement that cannot be made, [`SweepError::Columns`].
    pub fn run_chunk(&self, chunk: u64, stop: &dyn Fn() -> bool) -> Result<Option<Vec<u8>>, SweepError> {
        let (mut rows, mut latest) = (Rows::new(), Latest::default());
        for point in self.points_of(chunk) {
            if stop() || !self.run_point(point, &mut latest, stop, &mut rows)? {
                return Ok(None);
            }
        }
        rows.into_parquet(self, chunk).map(Some)
    }

    /// Returns the chip of the target of number `target` at the clock of number `clock`.
    pub(crate) fn subject(&self, target: u64, clock: u64) -> &Subject {
        &self.subjects[target as usize][clock as usize]
    }

    /// Returns the units of the image of the target of number `target`; `None` on a part whose time depends on no address.
    ///
    /// # Errors
    /// [`SweepError::File`] if nothing tells them.
    pub(crate) fn units(&self, target: u64, clock: u64) -> Result<Option<&Units>, SweepError> {
        let subject = self.subject(target, clock);
        if let Some(units) = subject.units.get() {
            return Ok(units.as_ref());
        }
        let (image, _) = self.targets[target as usize];
        let units = cyclescope_guest::units(&subject.part, &self.images[image], self.maps[image].as_ref());
        let units = units.map_err(of_file(&self.plan.image[image].elf))?;
        Ok(subject.units.get_or_init(|| units).as_ref())
    }

    /// Returns the last points of the chunks, each with one more, of groups whose points cost so many cycles.
    fn divided(&self, costs: &[u64]) -> Result<Vec<u64>, SweepError> {
        let (wanted, in_group) = (self.plan.chunk_cycles, self.axes.in_group());
        let (mut chunks, mut cycles, mut begun, mut at) = (Vec::new(), 0_u64, 0, 0);
        for cost in costs {
            let cost = (*cost).max(LEAST_CYCLES);
            let mut left = in_group;
            while left > 0 {
                let room = MOST_IN_CHUNK - (at - begun);
                let taken = (wanted.saturating_sub(cycles)).div_ceil(cost).clamp(1, room).min(left);
                (at, left, cycles) = (at + taken, left - taken, cycles.saturating_add(taken.saturating_mul(cost)));
                if cycles >= wanted || at - begun == MOST_IN_CHUNK {
                    chunks.push(at);
                    (cycles, begun) = (0, at);
                    let count = chunks.len() as u64;
                    at_most("chunks (chunk-cycles says how long one is)", Some(count), MOST_CHUNKS)?;
                }
            }
        }
        if begun < at {
            chunks.push(at);
        }
        Ok(chunks)
    }

    fn identified(&self) -> String {
        let mut hash = Sha256::new();
        let mut add = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        add(TOOL.as_bytes());
        add(self.plan.to_json().as_bytes());
        for (name, bytes) in &self.files {
            add(name.as_bytes());
            add(bytes);
        }
        self.chunks.iter().for_each(|end| add(&end.to_le_bytes()));
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn of_file<E: Into<Box<dyn std::error::Error + Send + Sync>>>(name: &str) -> impl Fn(E) -> SweepError + Copy {
    move |error| SweepError::File { name: name.to_owned(), error: error.into() }
}

fn lacking(name: &str) -> SweepError {
    SweepError::Packed { why: format!("it lacks the file {name}") }
}

/// Returns `plan` with the files that it names, by the names that they have in it from now on: the last part of the path where that
/// is the only one of its kind.
fn with_files(mut plan: Plan) -> Result<(Plan, BTreeMap<String, Vec<u8>>), SweepError> {
    let mut paths: Vec<&mut String> = Vec::new();
    for image in &mut plan.image {
        paths.push(&mut image.elf);
        paths.extend(&mut image.map);
        paths.extend(image.chip.iter_mut().filter(|chip| Part::is_file(chip)));
    }
    paths.extend(plan.chip.iter_mut().filter(|chip| Part::is_file(chip)));
    let last = |path: &str| Path::new(path).file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let all: BTreeSet<String> = paths.iter().map(|path| (**path).clone()).collect();
    let mut uses: BTreeMap<Option<String>, usize> = BTreeMap::new();
    all.iter().for_each(|path| *uses.entry(last(path)).or_default() += 1);
    let mut files = BTreeMap::new();
    for path in paths {
        let name = last(path).filter(|_| uses.get(&last(path)) == Some(&1)).unwrap_or_else(|| path.clone());
        if !files.contains_key(&name) {
            let bytes = cyclescope_image::read(&*path);
            files.insert(name.clone(), bytes.map_err(|error| SweepError::Read { path: PathBuf::from(&*path), error })?);
        }
        *path = name;
    }
    for (name, path) in Question::of(&plan)?.files() {
        let path = plan.folder.join(path);
        let bytes = cyclescope_image::read(&path).map_err(|error| SweepError::Read { path, error })?;
        files.insert(name, bytes);
    }
    Ok((plan, files))
}

/// Returns the part called `chip`, or described by `text`, with its own clock or with `clock`.
fn part(chip: &str, text: Option<&str>, clock: Option<u64>) -> Result<Part, SweepError> {
    let part = variant::part(chip, text, clock.map(ClockText)).map_err(|error| match error {
        VariantError::Clock { chip, why, .. } => SweepError::value("clock", format!("{chip}: {why}")),
        // The path is told with the file.
        VariantError::Description(DescriptionError::In { error, .. }) => of_file(chip)(error),
        VariantError::Chip(error) => of_file(chip)(error),
        other => of_file(chip)(other),
    })?;
    Ok(part.into_owned())
}
