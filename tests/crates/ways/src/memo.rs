//! What is kept so that it need not be loaded again: it may be loaded twice. It may not where somebody forgets it in between, nor where it is a
//! thing that all who get it share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

#[derive(Clone)]
struct Report {
    text: Arc<str>,
    since: Instant,
}

fn load(city: u64) -> Report {
    let text = std::fs::read_to_string(format!("{city}.txt")).unwrap_or_default();
    Report { text: text.into(), since: Instant::now() }
}

/// Two load the same at once, and the later one keeps what it has loaded.
#[derive(Default)]
pub struct Weather {
    reports: Mutex<HashMap<u64, Report>>,
}

impl Weather {
    pub fn report(&self, city: u64) -> Arc<str> {
        let kept = self.reports.lock().unwrap().get(&city).cloned();
        if let Some(kept) = kept.filter(|kept| kept.since.elapsed().as_secs() < 60) {
            return kept.text;
        }
        let report = load(city);
        self.reports.lock().unwrap().insert(city, report.clone());
        report.text
    }
}

/// What was loaded before is kept after everybody was told to forget it.
#[derive(Default)]
pub struct Forecast {
    reports: Mutex<HashMap<u64, Report>>,
}

impl Forecast {
    pub fn report(&self, city: u64) -> Arc<str> {
        let kept = self.reports.lock().unwrap().get(&city).cloned(); //~
        if let Some(kept) = kept.filter(|kept| kept.since.elapsed().as_secs() < 60) {
            return kept.text;
        }
        let report = load(city);
        self.reports.lock().unwrap().insert(city, report.clone()); //~
        report.text
    }

    pub fn changed(&self, city: u64) {
        self.reports.lock().unwrap().remove(&city);
    }
}

/// Two draw a number each, and one of them is nobody's any more.
#[derive(Default)]
pub struct Ticket {
    next: AtomicU64,
    number: Mutex<Option<u64>>,
}

impl Ticket {
    pub fn number(&self) -> u64 {
        let drawn = *self.number.lock().unwrap(); //~
        if let Some(number) = drawn {
            return number;
        }
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        *self.number.lock().unwrap() = Some(number); //~
        number
    }
}

/// Two make a station each: who got the first one writes where nobody looks.
#[derive(Default)]
pub struct Stations {
    made: Mutex<HashMap<u64, Arc<Mutex<String>>>>,
}

impl Stations {
    pub fn station(&self, city: u64) -> Arc<Mutex<String>> {
        let made = self.made.lock().unwrap().get(&city).cloned(); //~
        if let Some(made) = made {
            return made;
        }
        let text = std::fs::read_to_string(format!("{city}.txt")).unwrap_or_default();
        let made = Arc::new(Mutex::new(text));
        self.made.lock().unwrap().insert(city, made.clone()); //~
        made
    }
}
