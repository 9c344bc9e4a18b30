//! What is left to be watched where it is known what can happen: a property whose monitor, restricted to that, never says that it is violated
//! holds there (after Clara: Bodden, Lam, Hendren).

use super::check::{Atom, EVENTS, Limit, Says, Slice, Truth};
use super::formula::Letter;
use super::monitor::{Monitor, Verdict};
use super::syntax::Sort;

/// What is known of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It holds at each step.
    Always,
    /// It holds at none.
    Never,
    /// Nothing.
    Open,
}

/// Whether a property holds of all that is known so; `false` if that cannot be told.
pub fn holds(says: &Says, known: &dyn Fn(&str) -> Known) -> bool {
    match says {
        Says::And(a, b) => holds(a, known) && holds(b, known),
        Says::Or(a, b) => holds(a, known) || holds(b, known),
        Says::Each(true, Sort::Task, filter, slice) => {
            filter.as_ref().is_some_and(|filter| !may_hold(filter, known)) || holds_of_slice(slice, known)
        }
        // Others have a say in it.
        Says::Each(..) | Says::Not(_) | Says::Run(_) => false,
    }
}

fn of_atom(atom: &Atom, known: &dyn Fn(&str) -> Known) -> Known {
    match atom {
        Atom::Known(name) => known(name),
        Atom::Site(_) | Atom::Own(..) | Atom::Late(_) | Atom::Count(..) => Known::Open,
    }
}

/// Whether a letter agrees with what is known of the atoms. Events come one at a time.
fn agrees(atoms: &[Atom], letter: usize, known: &dyn Fn(&str) -> Known) -> bool {
    let holds = |number: usize| letter & (1 << number) != 0;
    let is_event = |atom: &Atom| matches!(atom, Atom::Known(name) if EVENTS.contains(&name.as_str()));
    let events = atoms.iter().enumerate().filter(|(number, atom)| holds(*number) && is_event(atom)).count();
    let fits = |(number, atom): (usize, &Atom)| match of_atom(atom, known) {
        Known::Always => holds(number),
        Known::Never => !holds(number),
        Known::Open => true,
    };
    events <= 1 && atoms.iter().enumerate().all(fits)
}

fn may_hold(truth: &Truth, known: &dyn Fn(&str) -> Known) -> bool {
    (0..truth.values.len()).any(|letter| truth.values[letter] && agrees(&truth.atoms, letter, known))
}

fn holds_of_slice(slice: &Slice, known: &dyn Fn(&str) -> Known) -> bool {
    let letters: Vec<usize> = (0..1 << slice.atoms.len())
        .filter(|letter| agrees(&slice.atoms, *letter, known))
        .filter(|letter| late(slice, *letter).is_none())
        .collect();
    // A limit that never begins never passes.
    let begins = |limit: &Limit| letters.iter().any(|letter| limit.from[*letter] && !limit.to[*letter]);
    let begin: Vec<bool> = slice.limits.iter().map(begins).collect();
    let passes = |letter: &usize| late(slice, *letter).is_none_or(|limit| begin[limit]);
    let all = (0..1 << slice.atoms.len()).filter(|letter| agrees(&slice.atoms, *letter, known));
    let letters: Vec<Letter> = all.filter(passes).map(|letter| letter as Letter).collect();
    slice.monitor.holds_over(&letters)
}

/// The limit that passes at a step with this letter.
fn late(slice: &Slice, letter: usize) -> Option<usize> {
    slice.atoms.iter().enumerate().find_map(|(number, atom)| match atom {
        Atom::Late(limit) if letter & (1 << number) != 0 => Some(*limit),
        _ => None,
    })
}

impl Monitor {
    /// Whether no word over these letters is ever violated, neither while things happen nor when nothing more does.
    pub fn holds_over(&self, letters: &[Letter]) -> bool {
        let mut seen = vec![0_u16];
        let mut next = 0;
        while next < seen.len() {
            let row = &self.next[usize::from(seen[next])];
            next += 1;
            for letter in letters {
                let to = row[usize::from(*letter)];
                let state = usize::from(to);
                let ends = self.closing[state][usize::from(letter & !self.events)];
                match self.verdicts[state] {
                    Verdict::False => return false,
                    Verdict::Open if !ends => return false,
                    Verdict::Open if !seen.contains(&to) => seen.push(to),
                    Verdict::Open | Verdict::True => {}
                }
            }
        }
        true
    }
}
