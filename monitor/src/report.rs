//! What is read at the first event, and what is said of violations.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::FOLDER_ENV;
use crate::atoms::Event;
use crate::limits::{self, Limits};
use crate::record::Numbers;
use crate::table::{self, Property, Site, Sites};

/// So many violations are told; the rest is counted by nobody.
const MOST: usize = 1000;

/// All that tasks share.
pub(crate) struct Watch {
    pub properties: Vec<Property>,
    pub sites: Sites,
    pub limits: Limits,
    pub numbers: Numbers,
    /// By event: the properties that heed it.
    heeding: Vec<Vec<usize>>,
    /// Milliseconds from when the watch began, as the thread saw it that looks at the clock.
    clock: AtomicU32,
    /// By property of the run: its state, and how many tasks are counted.
    runs: Vec<Mutex<(u16, usize)>>,
    since: Instant,
    to: Where,
    said: Mutex<HashSet<(usize, String)>>,
}

/// Where violations are told, and of which sites.
#[derive(Debug, Default)]
pub(crate) struct Where {
    /// The folder of whoever collects; without one, nobody hears of them.
    pub folder: Option<PathBuf>,
    /// Also what was decided to hold is watched.
    pub all: bool,
}

static WATCH: OnceLock<Option<Watch>> = OnceLock::new();

/// What is watched, if anything is.
pub(crate) fn watch() -> Option<&'static Watch> {
    let watch = WATCH.get_or_init(read).as_ref()?;
    static CLOCK: OnceLock<()> = OnceLock::new();
    CLOCK.get_or_init(|| {
        // Without a thread there are no limits.
        let clock = std::thread::Builder::new().name("robust-monitor".to_owned());
        let _ = clock.spawn(|| limits::look(watch));
    });
    Some(watch)
}

fn read() -> Option<Watch> {
    let folder = PathBuf::from(std::env::var_os(FOLDER_ENV)?);
    let tables = std::fs::read_to_string(folder.join("tables")).ok()?;
    let sites = std::fs::read_to_string(folder.join("sites")).unwrap_or_default();
    let within = std::fs::read_to_string(folder.join("within")).ok();
    let within = within.and_then(|text| text.trim().parse().ok()).map(Duration::from_millis);
    let all = folder.join("all-sites").exists();
    let to = Where { folder: Some(folder), all };
    Some(Watch::new(table::read(&tables, within), Sites::read(&sites), to))
}

fn heeding(properties: &[Property], event: Event) -> Vec<usize> {
    (0..properties.len()).filter(|number| properties[*number].heeds(event)).collect()
}

impl Watch {
    pub fn new(properties: Vec<Property>, sites: Sites, to: Where) -> Self {
        Watch {
            runs: properties.iter().map(|_| Mutex::new((0, 0))).collect(),
            heeding: Event::ALL.iter().map(|event| heeding(&properties, *event)).collect(),
            clock: AtomicU32::new(0),
            properties,
            sites,
            limits: Limits::default(),
            numbers: Numbers::new(),
            since: Instant::now(),
            to,
            said: Mutex::default(),
        }
    }

    /// Whether a property is watched of the tasks of a site.
    pub fn concerns(&self, property: usize, site: Option<&Site>) -> bool {
        self.to.all || !site.is_some_and(|site| site.is_decided(property))
    }

    /// The properties that heed an event.
    pub fn heeding(&self, event: Event) -> &[usize] {
        self.heeding.get(event as usize).map_or(&[], Vec::as_slice)
    }

    /// Milliseconds from when the watch began, but for a few.
    pub fn millis(&self) -> u32 {
        self.clock.load(Ordering::Relaxed)
    }

    /// Looks at the clock.
    pub fn tick(&self, now: Instant) {
        let millis = u32::try_from(now.saturating_duration_since(self.since).as_millis());
        self.clock.store(millis.unwrap_or(u32::MAX), Ordering::Relaxed);
    }

    /// Changes the state of a property of the run.
    pub fn run<R>(&self, property: usize, change: impl FnOnce(&mut (u16, usize)) -> R) -> R {
        change(&mut self.runs[property].lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a violation was told of.
    #[cfg(test)]
    pub fn is_told(&self, property: usize, place: &str) -> bool {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).contains(&(property, place.to_owned()))
    }

    /// Tells of a violation, once for each property and place: at once, and to whoever collects.
    pub fn tell(&self, property: usize, place: &str, site: Option<&Site>, what: &str, more: &[String]) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.len() >= MOST || !said.insert((property, place.to_owned())) {
            return;
        }
        drop(said);
        let Some(Property { name, level, .. }) = self.properties.get(property) else { return };
        let mut text = format!("robust: {name} violated: the task started at {place} {what}\n");
        more.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        let decided = site.is_some_and(|site| site.is_decided(property));
        let Some(folder) = &self.to.folder else { return };
        // Nobody may be there to read it.
        let _ = std::io::stderr().write_all(text.as_bytes());
        let file = folder.join(format!("{}.violations", std::process::id()));
        if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(file) {
            let _ = file.write_all(format!("{name}\t{level}\t{place}\t{what}\t{decided}\n").as_bytes());
        }
    }
}
