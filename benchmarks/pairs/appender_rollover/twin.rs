// Source: tokio-rs/tracing PR #1760 (appender: impl MakeWriter for RollingFileAppender)
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    Minutely,
    Hourly,
    Daily,
}

impl Rotation {
    fn period(self) -> u64 {
        match self {
            Rotation::Minutely => 60,
            Rotation::Hourly => 3_600,
            Rotation::Daily => 86_400,
        }
    }

    fn round_date(self, now: u64) -> u64 {
        now - now % self.period()
    }

    fn next_date(self, now: u64) -> u64 {
        self.round_date(now) + self.period()
    }
}

struct LogFile {
    date: u64,
    lines: Mutex<Vec<String>>,
}

impl LogFile {
    fn open(date: u64) -> Self {
        LogFile { date, lines: Mutex::new(Vec::new()) }
    }

    fn append(&self, line: &str) -> usize {
        self.lines.lock().push(line.to_owned());
        line.len()
    }
}

struct Inner {
    prefix: String,
    rotation: Rotation,
    max_files: usize,
    next_date: AtomicU64,
}

impl Inner {
    fn should_rollover(&self, now: u64) -> bool {
        now >= self.next_date.load(Ordering::Acquire)
    }

    fn advance_date(&self, now: u64) {
        self.next_date.store(self.rotation.next_date(now), Ordering::Release);
    }

    fn refresh_writer(&self, now: u64, files: &mut VecDeque<LogFile>) {
        files.push_back(LogFile::open(self.rotation.round_date(now)));
        while files.len() > self.max_files {
            files.pop_front();
        }
    }
}

pub struct RollingFileAppender {
    state: Inner,
    files: RwLock<VecDeque<LogFile>>,
}

impl RollingFileAppender {
    pub fn new(prefix: impl Into<String>, rotation: Rotation, max_files: usize, now: u64) -> Self {
        let mut files = VecDeque::new();
        files.push_back(LogFile::open(rotation.round_date(now)));
        RollingFileAppender {
            state: Inner {
                prefix: prefix.into(),
                rotation,
                max_files: max_files.max(1),
                next_date: AtomicU64::new(rotation.next_date(now)),
            },
            files: RwLock::new(files),
        }
    }

    pub fn write(&self, now: u64, line: &str) -> usize {
        if self.state.should_rollover(now) {
            let mut files = self.files.write();
            if self.state.should_rollover(now) {
                self.state.advance_date(now);
                self.state.refresh_writer(now, &mut files);
            }
            return files.back().map_or(0, |file| file.append(line));
        }
        let files = self.files.read();
        files.back().map_or(0, |file| file.append(line))
    }

    pub fn file_names(&self) -> Vec<String> {
        let files = self.files.read();
        files.iter().map(|f| format!("{}.{}", self.state.prefix, f.date)).collect()
    }

    pub fn lines(&self, date: u64) -> Vec<String> {
        let files = self.files.read();
        files
            .iter()
            .filter(|f| f.date == date)
            .flat_map(|f| f.lines.lock().clone())
            .collect()
    }
}
