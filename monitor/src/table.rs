//! Properties as tables, read from a file.

use std::collections::HashMap;
use std::panic::Location;
use std::time::Duration;

use crate::atoms::{Atoms, Event, LAUNCH, NAMES, OWNED};

/// A property.
#[derive(Debug)]
pub(crate) struct Property {
    pub name: String,
    pub level: String,
    /// It is about each task; else about the run.
    pub of_task: bool,
    filter: Option<Truth>,
    atoms: Vec<Atom>,
    pub events: usize,
    pub limits: Vec<Limit>,
    pub states: Vec<State>,
}

/// A limit of time: what begins it and what ends it, by letter.
#[derive(Debug)]
pub(crate) struct Limit {
    pub time: Duration,
    pub from: Vec<bool>,
    pub to: Vec<bool>,
}

/// A state of a table.
#[derive(Debug)]
pub(crate) struct State {
    pub verdict: u8,
    /// By letter: whether all is well if nothing more happens.
    pub closing: Vec<bool>,
    pub next: Vec<u16>,
}

#[derive(Debug)]
enum Atom {
    Known(Atoms),
    Site(String),
    Late(u16),
    Count(usize, Truth),
    Unknown,
}

#[derive(Debug)]
struct Truth {
    values: Vec<bool>,
    atoms: Vec<Atom>,
}

/// What the letter of a step depends on.
pub(crate) struct Now<'n> {
    pub atoms: Atoms,
    /// The path of the function that started the task.
    pub site: &'n str,
    pub late: Option<u16>,
    /// How many tasks are counted.
    pub counted: usize,
}

impl Truth {
    fn holds(&self, now: &Now<'_>) -> bool {
        self.values.get(letter(&self.atoms, now)).copied().unwrap_or(false)
    }
}

fn letter(atoms: &[Atom], now: &Now<'_>) -> usize {
    atoms.iter().enumerate().fold(0, |letter, (number, atom)| {
        let holds = match atom {
            Atom::Known(known) => now.atoms & known != 0,
            Atom::Site(path) => {
                let front = now.site.strip_suffix(path.as_str());
                front.is_some_and(|front| front.is_empty() || front.ends_with("::"))
            }
            Atom::Late(limit) => now.late == Some(*limit),
            Atom::Count(most, _) => now.counted <= *most,
            Atom::Unknown => false,
        };
        letter | usize::from(holds) << number
    })
}

impl Property {
    /// Whether a step at which this happens may be other to it than no step.
    pub fn heeds(&self, event: Event) -> bool {
        let is_told = |atom: &Atom| matches!(atom, Atom::Known(known) if known & event.changes() != 0);
        event == Event::Spawn
            || event == Event::Late
            || !self.of_task
            || self.atoms.iter().any(is_told)
            || !self.rests()
    }

    /// Whether a step at which nothing happens, and all is as before, changes nothing.
    fn rests(&self) -> bool {
        let is_late = |letter: usize| {
            let mut atoms = self.atoms.iter().enumerate();
            atoms.any(|(number, atom)| matches!(atom, Atom::Late(_)) && letter & (1 << number) != 0)
        };
        let letters = 0..1_usize << self.atoms.len();
        let still = letters.filter(|letter| letter & self.events == 0 && !is_late(*letter));
        still.into_iter().all(|letter| {
            let stays = |(at, state): (usize, &State)| usize::from(state.next[letter]) == at;
            // What begins is begun by something that happens, and was met then if this meets it.
            let is_met = |limit: &Limit| {
                (0..=self.events).all(|event| !limit.to[letter] || limit.to[letter | event & self.events])
            };
            self.states.iter().enumerate().all(stays)
                && self.limits.iter().all(|limit| !limit.from[letter] && is_met(limit))
        })
    }

    pub fn letter(&self, now: &Now<'_>) -> usize {
        letter(&self.atoms, now)
    }

    /// Whether it is about a task with these atoms.
    pub fn concerns(&self, now: &Now<'_>) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.holds(now))
    }

    /// Whether a task is one of those that are counted.
    pub fn counts(&self, now: &Now<'_>) -> bool {
        self.atoms.iter().any(|atom| matches!(atom, Atom::Count(_, counted) if counted.holds(now)))
    }
}

/// Reads tables; what cannot be read is left out.
pub(crate) fn read(text: &str, within: Option<Duration>) -> Vec<Property> {
    let mut all: Vec<Property> = Vec::new();
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let last = all.last_mut();
        match (word, last) {
            ("property", _) => all.extend(property(rest)),
            ("where", Some(property)) => property.filter = truth(rest),
            ("atoms", Some(property)) => property.atoms = rest.split('\t').map(atom).collect(),
            ("events", Some(property)) => property.events = rest.parse().unwrap_or(0),
            ("limit", Some(property)) => property.limits.extend(limit(rest, within)),
            ("state", Some(property)) => property.states.extend(state(rest)),
            _ => {}
        }
    }
    all.retain(Property::is_whole);
    all
}

impl Property {
    /// Whether each step leads somewhere.
    fn is_whole(&self) -> bool {
        let letters = 1 << self.atoms.len().min(8);
        let of_limit = |limit: &Limit| limit.from.len() == letters && limit.to.len() == letters;
        let is_known = |to: &u16| usize::from(*to) < self.states.len();
        let of_state = |state: &State| {
            state.next.len() == letters && state.closing.len() == letters && state.next.iter().all(is_known)
        };
        !self.states.is_empty() && self.states.iter().all(of_state) && self.limits.iter().all(of_limit)
    }
}

fn property(rest: &str) -> Option<Property> {
    let mut words = rest.split(' ');
    Some(Property {
        name: words.next()?.to_owned(),
        level: words.next()?.to_owned(),
        of_task: words.next()? == "task",
        filter: None,
        atoms: Vec::new(),
        events: 0,
        limits: Vec::new(),
        states: Vec::new(),
    })
}

fn bits(text: &str) -> Vec<bool> {
    text.bytes().map(|byte| byte == b'1').collect()
}

fn truth(rest: &str) -> Option<Truth> {
    let (values, atoms) = rest.split_once(' ')?;
    Some(Truth { values: bits(values), atoms: atoms.split('\t').map(atom).collect() })
}

fn atom(text: &str) -> Atom {
    if let Some(path) = text.strip_prefix("site:") {
        return Atom::Site(path.to_owned());
    }
    if let Some(number) = text.strip_prefix("late:") {
        return number.parse().map_or(Atom::Unknown, Atom::Late);
    }
    if let Some(rest) = text.strip_prefix("count:") {
        let mut parts = rest.splitn(3, ':');
        let (Some(most), Some(values), Some(atoms)) = (parts.next(), parts.next(), parts.next()) else {
            return Atom::Unknown;
        };
        let counted = Truth { values: bits(values), atoms: atoms.split(',').map(atom).collect() };
        return most.parse().map_or(Atom::Unknown, |most| Atom::Count(most, counted));
    }
    match NAMES.iter().position(|name| *name == text) {
        Some(bit) => Atom::Known(1 << bit),
        None => Atom::Unknown,
    }
}

fn limit(rest: &str, within: Option<Duration>) -> Option<Limit> {
    let mut words = rest.split(' ');
    let time = Duration::from_millis(words.next()?.parse().ok()?);
    let time = within.map_or(time, |within| time.min(within));
    Some(Limit { time, from: bits(words.next()?), to: bits(words.next()?) })
}

fn state(rest: &str) -> Option<State> {
    let mut words = rest.split(' ');
    let verdict = words.next()?.bytes().next()?;
    let closing = bits(words.next()?);
    let next = words.map(|word| word.parse().ok()).collect::<Option<Vec<u16>>>()?;
    Some(State { verdict, closing, next })
}

/// What is known of a place where tasks are started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Site {
    pub fixed: Atoms,
    /// The function that starts them.
    pub path: String,
    /// By property: whether it was decided that it holds of these tasks.
    decided: Vec<bool>,
}

impl Site {
    /// Whether it was decided that a property holds of its tasks.
    pub fn is_decided(&self, property: usize) -> bool {
        self.decided.get(property).copied().unwrap_or(false)
    }
}

/// Places where tasks are started: by file, and by line and column.
#[derive(Debug, Default)]
pub(crate) struct Sites(HashMap<String, HashMap<(u32, u32), Site>>);

impl Sites {
    /// Reads what is known of places: `FILE:LINE:COLUMN`, what is known, the function, and which properties were decided.
    pub fn read(text: &str) -> Self {
        let mut all = Sites::default();
        for line in text.lines() {
            if let Some((file, at, site)) = site(line) {
                all.0.entry(file).or_default().insert(at, site);
            }
        }
        all
    }

    /// What is known of a place.
    pub fn get(&self, place: &Location<'_>) -> Option<&Site> {
        self.0.get(place.file())?.get(&(place.line(), place.column()))
    }
}

fn site(line: &str) -> Option<(String, (u32, u32), Site)> {
    let mut parts = line.split('\t');
    let mut place = parts.next()?.rsplitn(3, ':');
    let (column, row, file) = (place.next()?.parse().ok()?, place.next()?.parse().ok()?, place.next()?);
    let fixed = match parts.next()? {
        "launch" => LAUNCH,
        "owned" => OWNED,
        _ => 0,
    };
    let path = parts.next()?.to_owned();
    let decided = bits(parts.next()?);
    Some((file.to_owned(), (row, column), Site { fixed, path, decided }))
}
