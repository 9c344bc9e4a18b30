//! Guards that are kept in an option of something, and taken at first need: there is a guard in it exactly if the lock is held.

use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard};

pub struct Ledger {
    total: Mutex<u64>,
    early: Mutex<u64>,
    twice: Mutex<u64>,
    given_back: Mutex<u64>,
    emptied: Mutex<u64>,
    lent: Mutex<u64>,
    asked: Mutex<u64>,
    each: Mutex<u64>,
    now_and_then: Mutex<u64>,
    seen: RwLock<u64>,
}

/// The guard of a lock, taken by who needs it first.
struct Page<'a> {
    of: &'a Mutex<u64>,
    open: Option<MutexGuard<'a, u64>>,
}

impl<'a> Page<'a> {
    fn new(of: &'a Mutex<u64>) -> Self {
        Page { of, open: None }
    }

    fn line(&mut self) -> &mut u64 {
        if self.open.is_none() {
            self.open = Some(self.of.lock().unwrap());
        }
        self.open.as_mut().unwrap()
    }

    fn filled(&mut self) -> &mut u64 {
        let of = self.of;
        self.open.get_or_insert_with(|| of.lock().unwrap())
    }

    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn close(&mut self) {
        self.open = None;
    }
}

impl Ledger {
    pub fn at_first_need(&self) -> u64 {
        let mut page = Page::new(&self.total);
        let before = *page.line();
        *page.line() = before + 1;
        *page.line()
    }

    pub fn filled_at_first_need(&self) -> u64 {
        let mut page = Page::new(&self.early);
        let before = *page.filled();
        if before > 10 {
            *page.filled() = before + 1;
        }
        before
    }

    /// The first page is closed before the second one is opened.
    pub fn two_pages(&self) -> u64 {
        let before = {
            let mut page = Page::new(&self.twice);
            *page.filled() //~
        };
        let mut page = Page::new(&self.twice);
        *page.filled() = before + 1; //~
        before
    }

    /// The guard is given back in between.
    pub fn closed_in_between(&self) -> u64 {
        let mut page = Page::new(&self.given_back);
        let before = *page.line(); //~
        page.close();
        *page.line() = before + 1; //~
        before
    }

    /// So it is here, by the option itself.
    pub fn taken_in_between(&self) -> u64 {
        let mut open: Option<MutexGuard<'_, u64>> = None;
        let before = **open.get_or_insert_with(|| self.emptied.lock().unwrap()); //~
        drop(open.take());
        **open.get_or_insert_with(|| self.emptied.lock().unwrap()) = before + 1; //~
        before
    }

    /// The option is the caller's, who may have it filled.
    pub fn with<'a>(&'a self, open: &mut Option<MutexGuard<'a, u64>>) -> u64 {
        let guard = match open {
            Some(guard) => guard,
            None => open.insert(self.lent.lock().unwrap()),
        };
        let before = **guard;
        **guard = before + 1;
        before
    }

    /// Whether it is open is asked by a function.
    pub fn if_open(&self, wanted: bool) -> u64 {
        let mut page = Page::new(&self.asked);
        if wanted {
            page.line();
        }
        if !page.is_open() {
            return 0;
        }
        let before = *page.line();
        *page.line() = before + 1;
        before
    }

    /// Each round takes it again.
    pub fn in_rounds(&self, rounds: u32) -> u64 {
        let mut sum = 0;
        for _ in 0..rounds {
            let mut page = Page::new(&self.each);
            if sum > 0 {
                *page.line() = sum; //~
            }
            sum += *page.line(); //~
        }
        sum
    }

    /// One guard for all rounds.
    pub fn through_all_rounds(&self, rounds: u32) -> u64 {
        let mut page = Page::new(&self.now_and_then);
        let mut sum = 0;
        for round in 0..rounds {
            if round % 2 == 0 {
                sum += *page.line();
                *page.line() = sum;
            }
        }
        sum
    }
}

/// A guard of a reader, in an option of a reader and in one of nobody.
pub struct Reading<'a> {
    of: &'a RwLock<u64>,
    open: Option<RwLockReadGuard<'a, u64>>,
}

impl Ledger {
    pub fn read_twice(&self) -> u64 {
        let mut reading = Reading { of: &self.seen, open: None };
        reading.once() + reading.once()
    }

    pub fn write(&self, value: u64) {
        *self.seen.write().unwrap() = value;
    }
}

impl Reading<'_> {
    fn once(&mut self) -> u64 {
        if let Some(open) = &self.open {
            return **open;
        }
        let open = self.open.insert(self.of.read().unwrap());
        **open
    }
}
