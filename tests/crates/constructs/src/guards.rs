//! Guards that are moved: what holds one holds the lock, until it is dropped.
use std::collections::HashMap;
use std::sync::{LockResult, Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard, TryLockError};

/// A guard and something beside it.
pub struct Page<'p> {
    lines: MutexGuard<'p, HashMap<u8, i64>>,
    number: u8,
}

#[derive(Default)]
pub struct Book {
    lines: Mutex<HashMap<u8, i64>>,
    titles: RwLock<Vec<String>>,
    price: Mutex<i64>,
}

fn double(lines: &mut HashMap<u8, i64>, number: u8) {
    let line = lines.get(&number).copied().unwrap_or(1);
    lines.insert(number, line * 2);
}

impl Book {
    pub fn by_match(&self) {
        let mut lines = match self.lines.lock() {
            Ok(lines) => lines,
            Err(_) => return,
        };
        double(&mut lines, 1);
    }

    pub fn recovered(&self) {
        let mut lines = match self.lines.lock() {
            Ok(lines) => lines,
            Err(poisoned) => poisoned.into_inner(),
        };
        double(&mut lines, 2);
    }

    pub fn by_let_else(&self) {
        let Ok(mut lines) = self.lines.lock() else { return };
        double(&mut lines, 3);
    }

    pub fn by_question(&self) -> Result<(), String> {
        let mut lines = self.lines.lock().map_err(|error| error.to_string())?;
        double(&mut lines, 4);
        Ok(())
    }

    pub fn by_path(&self) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        double(&mut lines, 5);
    }

    pub fn by_ok(&self) -> Option<()> {
        let mut lines = self.lines.lock().ok()?;
        double(&mut lines, 6);
        Some(())
    }

    pub fn in_a_tuple(&self) {
        let (mut lines, number) = (self.lines.lock().unwrap(), 7);
        double(&mut lines, number);
    }

    fn page(&self, number: u8) -> Result<Page<'_>, String> {
        let lines = self.lines.lock().map_err(|error| error.to_string())?;
        Ok(Page { lines, number })
    }

    pub fn by_helper(&self) -> Result<(), String> {
        let mut page = self.page(8)?;
        let number = page.number;
        double(&mut page.lines, number);
        Ok(())
    }

    pub fn by_closure(&self) {
        let open = || self.lines.lock().unwrap();
        let mut lines = open();
        double(&mut lines, 9);
    }

    pub fn optional(&self, really: bool) {
        let mut held: Option<RwLockWriteGuard<'_, Vec<String>>> = None;
        if really {
            held = Some(self.titles.write().unwrap());
        }
        if let Some(titles) = held.as_mut() {
            let half = titles.len() / 2;
            titles.insert(half, String::new());
        }
    }

    fn titles(&self) -> LockResult<RwLockWriteGuard<'_, Vec<String>>> {
        self.titles.write()
    }

    pub fn by_result(&self) {
        if let Ok(mut titles) = self.titles() {
            let half = titles.len() / 2;
            titles.insert(half, String::new());
        }
    }

    pub fn tried(&self) {
        let mut price = match self.price.try_lock() {
            Ok(price) => price,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let now = *price;
        *price = now * 3;
    }

    pub fn tried_else(&self) {
        let Ok(mut price) = self.price.try_lock() else { return };
        let now = *price;
        *price = now * 3;
    }
}

/// What gave its guard back protects nothing.
#[derive(Default)]
pub struct Torn {
    a: Mutex<i64>,
    b: Mutex<HashMap<u8, i64>>,
    c: Mutex<i64>,
    d: Mutex<i64>,
    e: Mutex<i64>,
}

impl Torn {
    pub fn by_match(&self) {
        let now = match self.a.lock() {
            Ok(a) => *a, //~
            Err(_) => return,
        };
        if let Ok(mut a) = self.a.lock() {
            *a = now * 5; //~
        }
    }

    pub fn dropped(&self) {
        let page = Page { lines: self.b.lock().unwrap_or_else(PoisonError::into_inner), number: 1 };
        let line = page.lines.get(&page.number).copied().unwrap_or(1); //~
        drop(page);
        self.b.lock().unwrap().insert(1, line * 5); //~
    }

    pub fn emptied(&self) {
        let mut held = Some(self.c.lock().unwrap());
        let now = **held.as_ref().unwrap(); //~
        held = None;
        let _ = &held;
        *self.c.lock().unwrap() = now * 5; //~
    }

    pub fn taken(&self) {
        let mut held = Some(self.d.lock().unwrap());
        let now = **held.as_ref().unwrap(); //~
        drop(held.take());
        *self.d.lock().unwrap() = now * 5; //~
    }

    pub fn by_question(&self) -> Result<(), String> {
        let now = *self.e.lock().map_err(|error| error.to_string())?; //~
        let mut e = self.e.lock().map_err(|error| error.to_string())?;
        *e = now * 5; //~
        Ok(())
    }
}
