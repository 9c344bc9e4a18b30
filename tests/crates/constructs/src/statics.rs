//! Statics: one per process, or one per thread.
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

thread_local! {
    static SCRATCH: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Each thread has its own.
pub fn scratch(value: u64) -> usize {
    let length = SCRATCH.with(|scratch| scratch.borrow().len());
    SCRATCH.with_borrow_mut(|scratch| scratch.insert(0, value));
    length
}

lazy_static::lazy_static! {
    static ref NAMES: Mutex<HashMap<u64, String>> = Mutex::new(HashMap::new());
    static ref FINE: Mutex<HashMap<u64, String>> = Mutex::new(HashMap::new());
}

pub fn name(key: u64) -> String {
    if let Some(name) = NAMES.lock().unwrap().get(&key) { //~
        return name.clone();
    }
    let name = format!("{key}-{:?}", std::time::Instant::now());
    NAMES.lock().unwrap().insert(key, name.clone()); //~
    name
}

pub fn name_well(key: u64) -> String {
    FINE.lock().unwrap().entry(key).or_insert_with(|| key.to_string()).clone()
}

static COUNT: once_cell::sync::Lazy<Mutex<u64>> = once_cell::sync::Lazy::new(|| Mutex::new(1));
static TOTAL: once_cell::sync::OnceCell<Mutex<u64>> = once_cell::sync::OnceCell::new();

pub fn double() {
    let seen = *COUNT.lock().unwrap(); //~
    *COUNT.lock().unwrap() = seen * 2; //~
}

pub fn double_well() {
    let mut total = TOTAL.get_or_init(|| Mutex::new(1)).lock().unwrap();
    let seen = *total;
    *total = seen * 2;
}

static LEVEL: LazyLock<Mutex<u64>> = LazyLock::new(|| Mutex::new(1));
static LIMIT: OnceLock<Mutex<u64>> = OnceLock::new();

pub fn raise() {
    let seen = *LEVEL.lock().unwrap(); //~
    *LEVEL.lock().unwrap() = seen * 2; //~
}

pub fn raise_limit() {
    let seen = *LIMIT.get_or_init(|| Mutex::new(1)).lock().unwrap(); //~
    *LIMIT.get_or_init(|| Mutex::new(1)).lock().unwrap() = seen * 2; //~
}

/// Each thread has a table of its own, which others may be given.
pub struct Table {
    seats: Mutex<u32>,
}

thread_local! {
    static TABLE: Arc<Table> = Arc::new(Table { seats: Mutex::new(4) });
    static BAR: Arc<Bar> = Arc::new(Bar { stools: Mutex::new(4) });
}

pub fn table() -> Arc<Table> {
    TABLE.with(Arc::clone)
}

impl Table {
    pub fn clear(&self) {
        *self.seats.lock().unwrap() = 0; //~
    }
}

fn at_table<F, R>(sits: F) -> R
where
    F: FnOnce(&Arc<Table>) -> R,
{
    TABLE.with(|table| sits(table))
}

/// The table is that of a generic function.
pub fn sit() -> bool {
    at_table(|table| {
        if *table.seats.lock().unwrap() == 0 { //~
            return false;
        }
        *table.seats.lock().unwrap() -= 1; //~
        true
    })
}

pub struct Bar {
    stools: Mutex<u32>,
}

pub fn bar() -> Arc<Bar> {
    BAR.with(Arc::clone)
}

impl Bar {
    pub fn clear(&self) {
        *self.stools.lock().unwrap() = 0;
    }
}

fn at_bar<F, R>(sits: F) -> R
where
    F: FnOnce(&Arc<Bar>) -> R,
{
    BAR.with(|bar| sits(bar))
}

pub fn sit_at_bar() -> bool {
    at_bar(|bar| {
        let mut stools = bar.stools.lock().unwrap();
        if *stools == 0 {
            return false;
        }
        *stools -= 1;
        true
    })
}
