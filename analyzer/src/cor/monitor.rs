//! Monitors: tables that answer after each step, and when nothing more will happen.

use std::fmt;

use rustc_hash::FxHashMap;

use super::emptiness::{Models, TooMany};
use super::formula::{Formula, Id, Letter, MAX_REGISTERS, Parts, Registers};
use super::obligations::{Clause, absorb, split, ways};

/// A monitor has at most so many states.
pub const MAX_STATES: usize = 4096;

/// What is known after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// However it goes on, the formula holds.
    True,
    /// However it goes on, it does not.
    False,
    /// That depends.
    Open,
}

/// A monitor: a Moore machine over sets of atoms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitor {
    /// How many atoms there are.
    pub atoms: u8,
    /// Which of them are events: they do not hold when nothing happens any more.
    pub events: Letter,
    /// By state and letter: the next state. It begins in state 0.
    pub next: Vec<Vec<u16>>,
    /// By state: what is known.
    pub verdicts: Vec<Verdict>,
    /// By state and the states that last: whether the formula holds if nothing more happens.
    pub closing: Vec<Vec<bool>>,
}

/// Why there is no monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It would have too many states.
    TooLarge,
    /// Too many operators look back.
    TooMuchPast,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::TooLarge => write!(f, "its monitor would be too large"),
            Refused::TooMuchPast => write!(f, "more than {MAX_REGISTERS} of its operators look back"),
        }
    }
}

impl From<TooMany> for Refused {
    fn from(_: TooMany) -> Self {
        Refused::TooLarge
    }
}

/// Where a word has led: the clauses that are left of the formula, of its negation, and the registers.
type Place = (Vec<Clause>, Vec<Clause>, Registers);

struct Synthesis {
    parts: Parts,
    letters: Vec<Letter>,
    models: Models,
}

impl Synthesis {
    fn living(&mut self, clauses: Vec<Clause>, registers: Registers) -> Result<Vec<Clause>, Refused> {
        let mut kept = Vec::new();
        for clause in clauses {
            if self.models.has(&self.parts, &self.letters, &clause, registers)? {
                kept.push(clause);
            }
        }
        Ok(absorb(kept))
    }

    fn step(&mut self, place: &Place, letter: Letter) -> Result<Place, Refused> {
        let (looks, registers) = self.parts.look(letter, place.2);
        let after = |parts: &Parts, clauses: &[Clause]| {
            let all = clauses.iter().flat_map(|clause| ways(parts, clause, &looks));
            absorb(all.map(|way| way.next).collect())
        };
        let (holds, fails) = (after(&self.parts, &place.0), after(&self.parts, &place.1));
        Ok((self.living(holds, registers)?, self.living(fails, registers)?, registers))
    }
}

impl Monitor {
    /// The least monitor of a formula over so many atoms, of which these are events.
    pub fn new(formula: &Formula, atoms: u8, events: Letter) -> Result<Monitor, Refused> {
        let mut parts = Parts::default();
        let both = (parts.take(formula, true), parts.take(formula, false));
        let (Some(holds), Some(fails)) = both else { return Err(Refused::TooMuchPast) };
        let letters: Vec<Letter> = (0..1_u16 << atoms).map(|letter| letter as Letter).collect();
        let mut synthesis = Synthesis { parts, letters, models: Models::default() };
        let first = |synthesis: &mut Synthesis, id: Id| {
            let clauses = split(&synthesis.parts, id);
            synthesis.living(clauses, 0)
        };
        let start: Place = (first(&mut synthesis, holds)?, first(&mut synthesis, fails)?, 0);
        let mut ids: FxHashMap<Place, u16> = FxHashMap::from_iter([(start.clone(), 0)]);
        let mut places = vec![start];
        let mut next: Vec<Vec<u16>> = Vec::new();
        while next.len() < places.len() {
            let place = places[next.len()].clone();
            let mut row = Vec::with_capacity(synthesis.letters.len());
            for letter in synthesis.letters.clone() {
                // What is decided stays so.
                let to = match decided(&place) {
                    Verdict::Open => synthesis.step(&place, letter)?,
                    _ => place.clone(),
                };
                let count = places.len();
                let id = *ids.entry(to).or_insert_with_key(|to| {
                    places.push(to.clone());
                    count as u16
                });
                if places.len() > MAX_STATES || synthesis.parts.is_exhausted() {
                    return Err(Refused::TooLarge);
                }
                row.push(id);
            }
            next.push(row);
        }
        let verdicts = places.iter().map(decided).collect();
        let closing = closing(&synthesis.parts, &places, atoms, events)?;
        if synthesis.parts.is_exhausted() {
            return Err(Refused::TooLarge);
        }
        Ok(Monitor { atoms, events, next, verdicts, closing }.minimal())
    }

    /// The state after a step.
    pub fn step(&self, state: u16, letter: Letter) -> u16 {
        self.next[usize::from(state)][usize::from(letter)]
    }

    /// What is known after a word.
    pub fn run(&self, word: &[Letter]) -> Verdict {
        let state = word.iter().fold(0, |state, letter| self.step(state, *letter));
        self.verdicts[usize::from(state)]
    }

    /// Whether the formula holds of a word behind which nothing happens any more.
    pub fn close(&self, word: &[Letter]) -> bool {
        let state = word.iter().fold(0, |state, letter| self.step(state, *letter));
        let last = word.last().copied().unwrap_or(0) & !self.events;
        self.closing[usize::from(state)][usize::from(last)]
    }

    /// Whether it ever decides anything while things happen.
    pub fn decides(&self) -> bool {
        self.verdicts.iter().any(|verdict| *verdict != Verdict::Open)
    }

    /// The same without states that cannot be told apart.
    fn minimal(self) -> Monitor {
        let count = self.next.len();
        let mut class: Vec<usize> =
            number((0..count).map(|state| (self.verdicts[state], &self.closing[state])));
        loop {
            let known = class.iter().max().copied().unwrap_or(0);
            let refined: Vec<usize> = number((0..count).map(|state| {
                let row: Vec<usize> = self.next[state].iter().map(|to| class[usize::from(*to)]).collect();
                (class[state], row)
            }));
            let more = refined.iter().max().copied().unwrap_or(0);
            class = refined;
            if more == known {
                break;
            }
        }
        let classes = class.iter().max().map_or(0, |max| max + 1);
        // Classes are numbered in the order of their first states, so the first state is in the first class.
        let first: Vec<usize> =
            (0..classes).filter_map(|number| class.iter().position(|of| *of == number)).collect();
        let row = |state: &usize| self.next[*state].iter().map(|to| class[usize::from(*to)] as u16).collect();
        Monitor {
            next: first.iter().map(row).collect(),
            verdicts: first.iter().map(|state| self.verdicts[*state]).collect(),
            closing: first.iter().map(|state| self.closing[*state].clone()).collect(),
            ..self
        }
    }
}

/// Numbers for equal values, in the order in which they come first.
fn number<T: std::hash::Hash + Eq>(values: impl Iterator<Item = T>) -> Vec<usize> {
    let mut known: FxHashMap<T, usize> = FxHashMap::default();
    values
        .map(|value| {
            let count = known.len();
            *known.entry(value).or_insert(count)
        })
        .collect()
}

fn decided(place: &Place) -> Verdict {
    match (place.0.is_empty(), place.1.is_empty()) {
        (true, _) => Verdict::False,
        (false, true) => Verdict::True,
        (false, false) => Verdict::Open,
    }
}

/// By place and lasting letter: whether the formula holds if that letter repeats for ever.
fn closing(parts: &Parts, places: &[Place], atoms: u8, events: Letter) -> Result<Vec<Vec<bool>>, Refused> {
    let count = 1_usize << atoms;
    let mut table = vec![vec![false; count]; places.len()];
    for letter in (0..count).map(|letter| letter as Letter).filter(|letter| letter & events == 0) {
        let mut models = Models::default();
        for (number, place) in places.iter().enumerate() {
            for clause in &place.0 {
                table[number][usize::from(letter)] |= models.has(parts, &[letter], clause, place.2)?;
            }
        }
    }
    Ok(table)
}
