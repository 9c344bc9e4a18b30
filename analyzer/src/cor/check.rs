//! What a file means: names, what each atom is, and a monitor of each formula.

use std::ops::{Not, Range};
use std::time::Duration;

use super::formula::{Formula, Letter};
use super::monitor::{Monitor, Verdict};
use super::syntax::{Binary, Declared, File, How, Inner, Level, Outer, Sort, Spanned, Unary};
use super::{Error, Wrong};

/// A formula has at most so many atoms.
pub const MAX_ATOMS: usize = 8;

/// What is known of a task from its beginning on.
pub const FIXED: [&str; 5] = ["launch", "owned", "fallible", "pool", "site"];

/// What happens at a step.
pub const EVENTS: [&str; 19] = [
    "spawn",
    "resume",
    "suspend",
    "wake",
    "returned",
    "failed",
    "panicked",
    "cancelled",
    "joined",
    "detached",
    "lost",
    "abort",
    "owner_gone",
    "unneeded",
    "asks",
    "blocks",
    "ui",
    "stalled",
    "unwakeable",
];

/// What lasts.
pub const STATES: [&str; 5] = ["alive", "running", "on_ui_thread", "ended", "hooked"];

/// A file that makes sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The user's events and states.
    pub declared: Vec<Declared>,
    /// The properties, each with its monitors.
    pub properties: Vec<Property>,
}

/// A property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// How much it matters.
    pub level: Level,
    /// What it says.
    pub says: Says,
}

/// What a property says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// Of all (`true`), or of some.
    Each(bool, Sort, Option<Truth>, Box<Slice>),
    /// Both.
    And(Box<Says>, Box<Says>),
    /// Either.
    Or(Box<Says>, Box<Says>),
    /// Not.
    Not(Box<Says>),
    /// Of the run.
    Run(Box<Slice>),
}

/// What is watched of one task, one key, or the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The atoms, by number.
    pub atoms: Vec<Atom>,
    /// Limits of time; each makes an atom.
    pub limits: Vec<Limit>,
    /// What answers.
    pub monitor: Monitor,
}

/// An atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    /// One that is built in.
    Known(String),
    /// It was started there.
    Site(String),
    /// One of the user's: its name and for which of its parameters the variable stands.
    Own(String, Vec<String>),
    /// The limit with this number has passed.
    Late(usize),
    /// There are so many at most of which this holds.
    Count(u32, Truth),
}

/// What has to happen within some time of what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// What begins it: by letter.
    pub from: Vec<bool>,
    /// What ends it: by letter.
    pub to: Vec<bool>,
    /// The time.
    pub time: Duration,
}

/// A condition, by the atoms that hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    /// The atoms, by number.
    pub atoms: Vec<Atom>,
    /// By letter.
    pub values: Vec<bool>,
}

/// Checks a file, and makes monitors of its properties.
pub fn check(file: &File, source: &str, name: &str) -> Result<Checked, Error> {
    checked(file).map_err(|wrong| wrong.at(name, source))
}

fn checked(file: &File) -> Result<Checked, Wrong> {
    for (number, declared) in file.declared.iter().enumerate() {
        let known = |name: &str| FIXED.contains(&name) || EVENTS.contains(&name) || STATES.contains(&name);
        let again = file.declared[..number].iter().any(|other| other.name == declared.name);
        if known(&declared.name) || again {
            return Err(Wrong::new(
                format!("`{}` is declared already", declared.name),
                declared.span.clone(),
            ));
        }
        if declared.lasts && declared.to.is_none() && declared.from.how != How::Emit {
            let wrong =
                Wrong::new(format!("the state `{}` has no end", declared.name), declared.span.clone());
            return Err(wrong.with("say what ends it: `state s(x) = enter \"f\" to leave \"f\";`"));
        }
        if !declared.lasts && declared.to.is_some() {
            return Err(Wrong::new(
                format!("the event `{}` has no end", declared.name),
                declared.span.clone(),
            ));
        }
    }
    let mut properties: Vec<Property> = Vec::new();
    for said in &file.properties {
        if properties.iter().any(|known| known.name == said.name) {
            return Err(Wrong::new(format!("there are two properties `{}`", said.name), said.span.clone()));
        }
        let says = says(file, &said.outer)?;
        properties.push(Property { name: said.name.clone(), level: said.level, says });
    }
    Ok(Checked { declared: file.declared.clone(), properties })
}

fn says(file: &File, outer: &Outer) -> Result<Says, Wrong> {
    let both = |a: &Outer, b: &Outer| Ok::<_, Wrong>((Box::new(says(file, a)?), Box::new(says(file, b)?)));
    Ok(match outer {
        Outer::And(a, b) => both(a, b).map(|(a, b)| Says::And(a, b))?,
        Outer::Or(a, b) => both(a, b).map(|(a, b)| Says::Or(a, b))?,
        Outer::Not(inner) => Says::Not(Box::new(says(file, inner)?)),
        Outer::Run(body) => Says::Run(Box::new(slice(file, body, &[])?)),
        Outer::Each { all, var, sort, filter, body } => {
            let vars = [(var.as_str(), *sort)];
            let filter = filter.as_ref().map(|filter| truth(file, filter, &vars, true)).transpose()?;
            Says::Each(*all, *sort, filter, Box::new(slice(file, body, &vars)?))
        }
    })
}

type Vars<'v> = [(&'v str, Sort)];

struct Reader<'r> {
    file: &'r File,
    vars: &'r Vars<'r>,
    atoms: Vec<Atom>,
    events: Letter,
    limits: Vec<(Formula, Formula, Duration)>,
    fixed: bool,
}

fn slice(file: &File, body: &Spanned, vars: &Vars<'_>) -> Result<Slice, Wrong> {
    let mut reader = Reader { file, vars, atoms: Vec::new(), events: 0, limits: Vec::new(), fixed: false };
    let formula = reader.formula(body)?;
    let count = reader.atoms.len() as u8;
    let refused = |refused: super::monitor::Refused| Wrong::new(refused.to_string(), body.span.clone());
    let monitor = Monitor::new(&formula, count, reader.events).map_err(refused)?;
    match monitor.verdicts.first() {
        Some(Verdict::True) => return Err(Wrong::new("this always holds", body.span.clone())),
        Some(Verdict::False) => return Err(Wrong::new("this never holds", body.span.clone())),
        _ if !monitor.decides() => {
            let message = "nothing that happens ever decides this: its monitor could only answer `?`";
            return Err(Wrong::new(message, body.span.clone()).with("say by when: `G (a => b within 1s)`"));
        }
        _ => {}
    }
    let limit = |(from, to, time): &(Formula, Formula, Duration)| Limit {
        from: table(from, count),
        to: table(to, count),
        time: *time,
    };
    let limits = reader.limits.iter().map(limit).collect();
    Ok(Slice { atoms: reader.atoms, limits, monitor })
}

fn truth(file: &File, said: &Spanned, vars: &Vars<'_>, fixed: bool) -> Result<Truth, Wrong> {
    let mut reader = Reader { file, vars, atoms: Vec::new(), events: 0, limits: Vec::new(), fixed };
    let formula = reader.formula(said)?;
    if !reader.limits.is_empty() || is_temporal(&formula) {
        return Err(Wrong::new(
            "this speaks of one step only: no temporal operators here",
            said.span.clone(),
        ));
    }
    if reader.events != 0 {
        return Err(Wrong::new("this lasts: events cannot be part of it", said.span.clone()));
    }
    let values = table(&formula, reader.atoms.len() as u8);
    Ok(Truth { atoms: reader.atoms, values })
}

fn is_temporal(formula: &Formula) -> bool {
    match formula {
        Formula::True | Formula::Atom(_) => false,
        Formula::Not(inner) => is_temporal(inner),
        Formula::And(a, b) => is_temporal(a) || is_temporal(b),
        _ => true,
    }
}

/// By letter: whether a formula without temporal operators holds.
fn table(formula: &Formula, atoms: u8) -> Vec<bool> {
    fn holds(formula: &Formula, letter: usize) -> bool {
        match formula {
            Formula::Atom(number) => letter & (1 << number) != 0,
            Formula::Not(inner) => !holds(inner, letter),
            Formula::And(a, b) => holds(a, letter) && holds(b, letter),
            _ => true,
        }
    }
    (0..1_usize << atoms).map(|letter| holds(formula, letter)).collect()
}

impl Reader<'_> {
    fn formula(&mut self, said: &Spanned) -> Result<Formula, Wrong> {
        Ok(match &said.inner {
            Inner::Atom { name, args, path } => {
                let (atom, is_event) = self.atom(name, args, path.as_deref(), &said.span)?;
                self.number(atom, is_event, &said.span)?
            }
            Inner::Unary(op, body) => {
                let inner = self.formula(body)?;
                let looks_back = matches!(op, Unary::Yesterday | Unary::Once | Unary::Historically);
                if looks_back {
                    only_past(&inner, &body.span)?;
                }
                match op {
                    Unary::Not => inner.not(),
                    Unary::Next => Formula::Next(Box::new(inner)),
                    Unary::Always => inner.always(),
                    Unary::Finally => inner.finally(),
                    Unary::Yesterday => Formula::Yesterday(Box::new(inner)),
                    Unary::Once => inner.once(),
                    Unary::Historically => inner.not().once().not(),
                }
            }
            Inner::Binary(op, left, right) => {
                let (a, b) = (self.formula(left)?, self.formula(right)?);
                if *op == Binary::Since {
                    only_past(&a, &left.span)?;
                    only_past(&b, &right.span)?;
                }
                match op {
                    Binary::And => a.and(b),
                    Binary::Or => a.or(b),
                    Binary::Implies => a.not().or(b),
                    Binary::Until => a.until(b),
                    // The first until the second, or for ever.
                    Binary::WeakUntil => b.clone().not().until(a.not().and(b.not())).not(),
                    Binary::Release => a.not().until(b.not()).not(),
                    Binary::Since => a.since(b),
                }
            }
            Inner::Within(from, to, time) => {
                let (a, b) = (self.formula(from)?, self.formula(to)?);
                for (formula, said) in [(&a, from), (&b, to)] {
                    if is_temporal(formula) {
                        let message = "`within` is about two steps: no temporal operators here";
                        return Err(Wrong::new(message, said.span.clone()));
                    }
                }
                self.limits.push((a, b, *time));
                let late = self.number(Atom::Late(self.limits.len() - 1), true, &said.span)?;
                late.not().always()
            }
            Inner::Count { var, body, most } => {
                if self.vars.iter().any(|(known, _)| known == var) {
                    return Err(Wrong::new(format!("`{var}` is bound already"), said.span.clone()));
                }
                let vars: Vec<(&str, Sort)> =
                    self.vars.iter().copied().chain([(var.as_str(), Sort::Task)]).collect();
                let counted = truth(self.file, body, &vars, false)?;
                self.number(Atom::Count(*most, counted), false, &said.span)?
            }
        })
    }

    fn number(&mut self, atom: Atom, is_event: bool, span: &Range<usize>) -> Result<Formula, Wrong> {
        let at = match self.atoms.iter().position(|known| *known == atom) {
            Some(at) => at,
            None if self.atoms.len() == MAX_ATOMS => {
                let message = format!("this formula has more than {MAX_ATOMS} atoms");
                return Err(Wrong::new(message, span.clone()).with("make two properties of it"));
            }
            None => {
                self.atoms.push(atom);
                self.atoms.len() - 1
            }
        };
        self.events |= Letter::from(is_event) << at;
        Ok(Formula::Atom(at as u8))
    }

    /// What an atom is, and whether it is an event.
    fn atom(
        &self,
        name: &str,
        args: &[String],
        path: Option<&str>,
        span: &Range<usize>,
    ) -> Result<(Atom, bool), Wrong> {
        let wrong = |message: String| Err(Wrong::new(message, span.clone()));
        if let Some(arg) = args.iter().find(|arg| !self.vars.iter().any(|(var, _)| var == arg)) {
            return wrong(format!("`{arg}` is not bound"));
        }
        let own = self.file.declared.iter().find(|declared| declared.name == name);
        if let Some(own) = own {
            if own.params.len() != args.len() || path.is_some() {
                return wrong(format!("`{name}` has {} parameters", own.params.len()));
            }
            if self.fixed {
                return wrong(format!("`{name}` is not known from the beginning on"));
            }
            return Ok((Atom::Own(name.to_owned(), args.to_vec()), !own.lasts));
        }
        let (is_fixed, is_event) = (FIXED.contains(&name), EVENTS.contains(&name));
        if !is_fixed && !is_event && !STATES.contains(&name) {
            let near = FIXED.iter().chain(&EVENTS).chain(&STATES).find(|known| {
                known.starts_with(name)
                    || name.starts_with(**known)
                    || known.len() == name.len() && {
                        known.bytes().zip(name.bytes()).filter(|(a, b)| a != b).count() == 1
                    }
            });
            let wrong = Wrong::new(format!("nothing is called `{name}`"), span.clone());
            return Err(match near {
                Some(near) => wrong.with(&format!("there is `{near}`")),
                None => wrong.with("declare it: `event name(x) = call \"path\";`"),
            });
        }
        if self.fixed && !is_fixed {
            return wrong(format!("`{name}` is not known from the beginning on"));
        }
        let expected = usize::from(name != "hooked");
        if args.len() != expected {
            return wrong(format!(
                "`{name}` has {expected} parameter{}",
                if expected == 1 { "" } else { "s" }
            ));
        }
        let of_task = |arg: &String| self.vars.iter().any(|(var, sort)| var == arg && *sort == Sort::Task);
        if let Some(arg) = args.iter().find(|arg| !of_task(arg)) {
            return wrong(format!("`{arg}` is no task"));
        }
        match (name, path) {
            ("site", Some(path)) => Ok((Atom::Site(path.to_owned()), false)),
            ("site", None) => wrong("`site` has a path, too: `site(x, \"app::search\")`".to_owned()),
            (_, Some(_)) => wrong(format!("`{name}` has no path")),
            (_, None) => Ok((Atom::Known(name.to_owned()), is_event)),
        }
    }
}

fn only_past(formula: &Formula, span: &Range<usize>) -> Result<(), Wrong> {
    match formula.looks_ahead() {
        false => Ok(()),
        true => Err(Wrong::new("what looks back cannot look ahead in turn", span.clone())),
    }
}
