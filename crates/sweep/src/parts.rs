//! The parts of a sweep's results: kept as they come, joined in the order of the plan.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tempfile::NamedTempFile;

use crate::columns::{CHUNK, IDENTITY, properties, schema, wrong};
use crate::{Sweep, SweepError};

/// The file that says whose parts a folder has.
const OWNER: &str = "sweep";

/// The file that a process at work holds.
const LOCK: &str = "lock";

/// The beginning of the names of files in the making.
const UNFINISHED: &str = ".unfinished-";

/// The folder with the parts of a sweep. One process at a time has it.
#[derive(Debug)]
pub struct Parts {
    sweep: Arc<Sweep>,
    folder: PathBuf,
    there: Mutex<BTreeSet<u64>>,
    _lock: File,
}

/// A whole file of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Its rows.
    pub rows: u64,
    /// Its bytes.
    pub bytes: u64,
}

impl Parts {
    /// Opens the folder of parts for the results at `out`: `OUT.parts`. Makes it if it is not there; else parts that were finished
    /// are not run again.
    ///
    /// # Errors
    /// [`SweepError::OtherPlan`], [`SweepError::Busy`], and [`SweepError::Write`] for a folder that cannot be made or read.
    pub fn open(out: &Path, sweep: &Arc<Sweep>) -> Result<Self, SweepError> {
        let mut name = out.file_name().unwrap_or_default().to_owned();
        name.push(".parts");
        let folder = out.with_file_name(name);
        let failed = SweepError::unwritable(&folder);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
            _ => {}
        }
        let lock = OpenOptions::new().create(true).append(true).open(folder.join(LOCK)).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(SweepError::Busy(folder)),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let owner = folder.join(OWNER);
        let parts = Self { sweep: Arc::clone(sweep), folder, there: Mutex::default(), _lock: lock };
        match fs::read_to_string(&owner) {
            Ok(identity) if identity == sweep.identity() => parts.find()?,
            Ok(_) => return Err(SweepError::OtherPlan(parts.folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => parts.begin(&owner)?,
            Err(error) => return Err(SweepError::unwritable(&owner)(error)),
        }
        Ok(parts)
    }

    /// Has the folder, which is new, belong to the sweep.
    fn begin(&self, owner: &Path) -> Result<(), SweepError> {
        if self.names()?.iter().any(|name| number(name).is_some()) {
            return Err(SweepError::OtherPlan(self.folder.clone()));
        }
        self.write(owner, self.sweep.identity().as_bytes())
    }

    /// Finds the parts that are there, and removes what a killed process has left.
    fn find(&self) -> Result<(), SweepError> {
        for name in self.names()? {
            let path = self.folder.join(&name);
            let sound = number(&name).is_some_and(|chunk| {
                let sound = File::open(&path).map_err(wrong).and_then(|file| self.check(chunk, file)).is_ok();
                if sound {
                    self.there().insert(chunk);
                }
                sound
            });
            if !sound && (number(&name).is_some() || name.starts_with(UNFINISHED)) {
                fs::remove_file(&path).map_err(SweepError::unwritable(&path))?;
            }
        }
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, SweepError> {
        let failed = SweepError::unwritable(&self.folder);
        let all = fs::read_dir(&self.folder).map_err(failed)?;
        let names = all.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()));
        names.collect::<Result<_, _>>().map_err(failed)
    }

    fn there(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.there.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, chunk: u64) -> PathBuf {
        self.folder.join(format!("{chunk:07}.parquet"))
    }

    /// Checks that `part` has the rows of the chunk of that number.
    fn check(&self, chunk: u64, part: impl parquet::file::reader::ChunkReader + 'static) -> Result<(), SweepError> {
        let bad = |why: String| SweepError::Part { chunk, why };
        let part = ParquetRecordBatchReaderBuilder::try_new(part).map_err(|error| bad(error.to_string()))?;
        let file = part.metadata().file_metadata();
        let all = file.key_value_metadata().into_iter().flatten();
        let has = |key: &str, value: &str| all.clone().any(|own| own.key == key && own.value.as_deref() == Some(value));
        if !has(IDENTITY, self.sweep.identity()) || !has(CHUNK, &chunk.to_string()) {
            return Err(bad("it says that it is".to_owned()));
        }
        let (rows, expected) = (file.num_rows(), self.sweep.rows_of(chunk));
        if u64::try_from(rows) != Ok(expected) || *part.schema().fields() != *schema().fields() {
            return Err(bad(format!("it has {rows} rows where there should be {expected}, or other columns")));
        }
        Ok(())
    }

    /// Returns the sweep whose parts these are.
    pub fn sweep(&self) -> &Sweep {
        &self.sweep
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the numbers of the chunks that have no part yet, in ascending order.
    pub fn missing(&self) -> Vec<u64> {
        let there = self.there();
        (0..self.sweep.chunks()).filter(|chunk| !there.contains(chunk)).collect()
    }

    /// Keeps `part`, the results of the chunk of that number. Returns how many parts are there then.
    ///
    /// # Errors
    /// [`SweepError::Part`] for other bytes, [`SweepError::Write`] where there is no room; a part is there whole or not at all.
    pub fn put(&self, chunk: u64, part: &[u8]) -> Result<u64, SweepError> {
        self.check(chunk, bytes::Bytes::copy_from_slice(part))?;
        self.write(&self.path(chunk), part)?;
        let mut there = self.there();
        there.insert(chunk);
        Ok(there.len() as u64)
    }

    /// Writes `bytes` to `path`, whole or not at all.
    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), SweepError> {
        let failed = SweepError::unwritable(path);
        let mut file = self.unfinished().map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
        put_at(file, path).map_err(failed)
    }

    /// Makes a file without a place yet.
    fn unfinished(&self) -> io::Result<NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(UNFINISHED);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        builder.tempfile_in(&self.folder)
    }

    /// Joins all parts in the order of the plan, and puts the file at `out`, in the place of what was there.
    ///
    /// # Errors
    /// [`SweepError::Part`] for one that is missing or damaged, [`SweepError::Write`] where there is no room; the parts stay, and so
    /// does what was at `out`.
    pub fn join(&self, out: &Path) -> Result<Joined, SweepError> {
        let failed = SweepError::unwritable(out);
        let file = self.unfinished().map_err(failed)?;
        let written = |error: parquet::errors::ParquetError| match error {
            parquet::errors::ParquetError::External(cause) => match cause.downcast::<io::Error>() {
                Ok(error) => failed(*error),
                Err(cause) => wrong(cause),
            },
            error => wrong(error),
        };
        let properties = properties(&self.sweep, None);
        let mut writer = ArrowWriter::try_new(file.as_file(), schema(), Some(properties)).map_err(written)?;
        let mut rows = 0;
        for chunk in 0..self.sweep.chunks() {
            let bad = |why: String| SweepError::Part { chunk, why };
            let open = || File::open(self.path(chunk)).map_err(|error| bad(error.to_string()));
            self.check(chunk, open()?)?;
            let part = ParquetRecordBatchReaderBuilder::try_new(open()?).map_err(|error| bad(error.to_string()))?;
            for batch in part.build().map_err(|error| bad(error.to_string()))? {
                let batch = batch.map_err(|error| bad(error.to_string()))?;
                rows += batch.num_rows() as u64;
                writer.write(&batch).map_err(written)?;
            }
        }
        // `into_inner` would tell of the last bytes that do not fit without the system's error.
        writer.close().map_err(written)?;
        let bytes = file.as_file().metadata().map_err(failed)?.len();
        put_at(file, out).map_err(failed)?;
        Ok(Joined { rows, bytes })
    }

    /// Removes the folder with all parts.
    ///
    /// # Errors
    /// [`SweepError::Write`].
    pub fn remove(self) -> Result<(), SweepError> {
        for name in self.names()? {
            if number(&name).is_some() || name.starts_with(UNFINISHED) || [OWNER, LOCK].contains(&name.as_str()) {
                let path = self.folder.join(name);
                fs::remove_file(&path).map_err(SweepError::unwritable(&path))?;
            }
        }
        fs::remove_dir(&self.folder).map_err(SweepError::unwritable(&self.folder))
    }
}

/// Puts `file`, which is complete, at `path`.
fn put_at(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Returns the number of the chunk whose part is called `name`.
fn number(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".parquet")?;
    digits.chars().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}
