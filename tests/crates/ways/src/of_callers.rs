//! Guards in what callers have: whoever calls a method of it has the lock meanwhile. Each `commit` looks and changes in two critical sections.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard};

use tokio::sync::OwnedMutexGuard;

/// One caller at a time has the writer, which has the guard from its making to its end.
#[derive(Default)]
pub struct Journal {
    pages: Mutex<Vec<u64>>,
    writing: Mutex<u64>,
}

pub struct Writer<'a> {
    journal: &'a Journal,
    writing: MutexGuard<'a, u64>,
}

impl Journal {
    pub fn writer(&self) -> Writer<'_> {
        let writing = self.writing.lock().unwrap();
        let before = self.pages.lock().unwrap().len();
        let after = self.pages.lock().unwrap().clone();
        assert!(before == after.len());
        Writer { journal: self, writing }
    }

    pub fn end(&self, writer: Writer<'_>) {
        drop(writer);
    }
}

impl Writer<'_> {
    pub fn commit(mut self) {
        let count = self.journal.pages.lock().unwrap().len() as u64;
        *self.writing += count;
        self.journal.pages.lock().unwrap().push(count);
    }
}

/// In one variant there is a guard of one lock, in the other one of another.
#[derive(Default)]
pub struct Archive {
    pages: Mutex<Vec<u64>>,
    writing: Mutex<u64>,
    reading: RwLock<()>,
}

enum Kind<'a> {
    Writes(MutexGuard<'a, u64>),
    Reads(#[allow(dead_code)] RwLockReadGuard<'a, ()>),
}

pub struct Reading<'a> {
    archive: &'a Archive,
    kind: RefCell<Kind<'a>>,
}

impl Archive {
    pub fn reading(&self, writes: bool) -> Reading<'_> {
        let kind = match writes {
            true => Kind::Writes(self.writing.lock().unwrap()),
            false => Kind::Reads(self.reading.read().unwrap()),
        };
        Reading { archive: self, kind: RefCell::new(kind) }
    }
}

impl Reading<'_> {
    pub fn commit(self) {
        let mut kind = self.kind.borrow_mut();
        if let Kind::Writes(writing) = &mut *kind {
            let count = self.archive.pages.lock().unwrap().len() as u64;
            **writing += count;
            self.archive.pages.lock().unwrap().push(count);
        }
    }
}

/// There may be one, and who goes on has asked.
#[derive(Default)]
pub struct Folder {
    pages: Mutex<Vec<u64>>,
    writing: Mutex<u64>,
}

pub struct Quire<'a> {
    folder: &'a Folder,
    writing: Option<MutexGuard<'a, u64>>,
}

impl Folder {
    pub fn quire(&self, writes: bool) -> Quire<'_> {
        Quire { folder: self, writing: writes.then(|| self.writing.lock().unwrap()) }
    }

    pub fn first_quire(&self) -> Quire<'_> {
        let writing = self.writing.lock().unwrap();
        Quire { folder: self, writing: Some(writing) }
    }
}

impl Quire<'_> {
    pub fn commit(&mut self) {
        let Some(writing) = &mut self.writing else { return };
        let count = self.folder.pages.lock().unwrap().len() as u64;
        **writing += count;
        self.folder.pages.lock().unwrap().push(count);
    }

    pub fn commit_or_panic(mut self) {
        **self.writing.as_mut().unwrap() += 1;
        let count = self.folder.pages.lock().unwrap().len() as u64;
        self.folder.pages.lock().unwrap().push(count);
    }

    pub fn commit_if_any(&mut self) {
        if self.writing.is_none() {
            return;
        }
        let count = self.folder.pages.lock().unwrap().len() as u64;
        self.folder.pages.lock().unwrap().push(count);
    }
}

/// Nobody asks whether there is one.
#[derive(Default)]
pub struct Binder {
    sheets: Mutex<Vec<u64>>,
    writing: Mutex<u64>,
}

pub struct Sheet<'a> {
    binder: &'a Binder,
    #[allow(dead_code)]
    writing: Option<MutexGuard<'a, u64>>,
}

impl Binder {
    pub fn sheet(&self, writes: bool) -> Sheet<'_> {
        Sheet { binder: self, writing: writes.then(|| self.writing.lock().unwrap()) }
    }
}

impl Sheet<'_> {
    pub fn commit(&mut self) {
        let count = self.binder.sheets.lock().unwrap().len() as u64; //~
        self.binder.sheets.lock().unwrap().push(count); //~
    }
}

/// The guard is given up in between.
#[derive(Default)]
pub struct Diary {
    days: Mutex<Vec<u64>>,
    writing: Mutex<u64>,
}

pub struct Day<'a> {
    diary: &'a Diary,
    writing: Option<MutexGuard<'a, u64>>,
}

impl Diary {
    pub fn day(&self) -> Day<'_> {
        let writing = self.writing.lock().unwrap();
        Day { diary: self, writing: Some(writing) }
    }
}

impl Day<'_> {
    pub fn commit(mut self) {
        let count = self.diary.days.lock().unwrap().len() as u64; //~
        drop(self.writing.take());
        self.diary.days.lock().unwrap().push(count); //~
    }
}

/// Two threads may share what has the guard.
#[derive(Default)]
pub struct Minutes {
    writing: Mutex<u64>,
}

pub struct Taker<'a> {
    writing: MutexGuard<'a, u64>,
    said: RwLock<Vec<u64>>,
}

impl Minutes {
    pub fn taker(&self) -> Taker<'_> {
        Taker { writing: self.writing.lock().unwrap(), said: RwLock::default() }
    }
}

impl Taker<'_> {
    pub fn note(&self) {
        let count = self.said.read().unwrap().len() as u64 + *self.writing; //~
        self.said.write().unwrap().push(count); //~
    }
}

/// The same with tasks: an owned guard, which outlives what it was taken of.
#[derive(Default)]
pub struct Log {
    lines: Arc<tokio::sync::RwLock<Vec<u64>>>,
    writing: Arc<tokio::sync::Mutex<u64>>,
}

pub struct Line {
    lines: Arc<tokio::sync::RwLock<Vec<u64>>>,
    writing: OwnedMutexGuard<u64>,
}

impl Log {
    pub async fn line(&self) -> Line {
        Line { lines: self.lines.clone(), writing: self.writing.clone().lock_owned().await }
    }
}

impl Line {
    pub async fn commit(mut self) {
        let count = self.lines.read().await.len() as u64;
        *self.writing += count;
        self.lines.write().await.push(count);
    }
}

/// The guard is not kept.
#[derive(Default)]
pub struct Roll {
    names: Arc<tokio::sync::RwLock<Vec<u64>>>,
    writing: Arc<tokio::sync::Mutex<u64>>,
}

pub struct Name {
    names: Arc<tokio::sync::RwLock<Vec<u64>>>,
}

impl Roll {
    pub async fn name(&self) -> Name {
        let _writing = self.writing.clone().lock_owned().await;
        Name { names: self.names.clone() }
    }
}

impl Name {
    pub async fn commit(self) {
        let count = self.names.read().await.len() as u64; //~
        self.names.write().await.push(count); //~
    }
}
