//! Formulas over numbered atoms, and their parts by number: what is below is only about these.

use std::ops::Not;

use rustc_hash::FxHashMap;

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Always so.
    True,
    /// The atom with this number.
    Atom(u8),
    /// Not.
    Not(Box<Formula>),
    /// Both.
    And(Box<Formula>, Box<Formula>),
    /// At the next step.
    Next(Box<Formula>),
    /// The first until the second, which comes.
    Until(Box<Formula>, Box<Formula>),
    /// At the step before, if there is one.
    Yesterday(Box<Formula>),
    /// The second happened, and the first since.
    Since(Box<Formula>, Box<Formula>),
}

/// A step: the atoms that hold, by number.
pub type Letter = u8;

impl Not for Formula {
    type Output = Formula;

    fn not(self) -> Formula {
        match self {
            Formula::Not(inner) => *inner,
            other => Formula::Not(Box::new(other)),
        }
    }
}

impl Formula {
    /// Both.
    pub fn and(self, other: Formula) -> Formula {
        Formula::And(Box::new(self), Box::new(other))
    }

    /// Either.
    pub fn or(self, other: Formula) -> Formula {
        self.not().and(other.not()).not()
    }

    /// The first until the second, which comes.
    pub fn until(self, other: Formula) -> Formula {
        Formula::Until(Box::new(self), Box::new(other))
    }

    /// Now or later.
    pub fn finally(self) -> Formula {
        Formula::True.until(self)
    }

    /// From now on.
    pub fn always(self) -> Formula {
        self.not().finally().not()
    }

    /// The second happened, and the first since.
    pub fn since(self, other: Formula) -> Formula {
        Formula::Since(Box::new(self), Box::new(other))
    }

    /// Now or earlier.
    pub fn once(self) -> Formula {
        Formula::True.since(self)
    }

    /// Whether it looks ahead.
    pub fn looks_ahead(&self) -> bool {
        match self {
            Formula::True | Formula::Atom(_) => false,
            Formula::Next(_) | Formula::Until(..) => true,
            Formula::Not(a) | Formula::Yesterday(a) => a.looks_ahead(),
            Formula::And(a, b) | Formula::Since(a, b) => a.looks_ahead() || b.looks_ahead(),
        }
    }
}

/// A part of a formula in negation normal form, by number.
pub type Id = u32;

/// A part of a formula in negation normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Always so.
    True,
    /// Never so.
    False,
    /// The past formula with this number is so, or is not.
    Look(u32, bool),
    /// Both.
    And(Id, Id),
    /// Either.
    Or(Id, Id),
    /// At the next step.
    Next(Id),
    /// The first until the second, which comes.
    Until(Id, Id),
    /// The second up to and including the first, if that comes.
    Release(Id, Id),
}

/// A formula that looks back at most, over earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Past {
    /// Always so.
    True,
    /// The atom with this number.
    Atom(u8),
    /// Not.
    Not(u32),
    /// Both.
    And(u32, u32),
    /// The value at the step before is in this register.
    Yesterday(u32, u8),
    /// The value at the step before is in this register.
    Since(u32, u32, u8),
}

/// A formula in parts.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// All parts.
    pub parts: Vec<Part>,
    ids: FxHashMap<Part, Id>,
    /// What looks back, each after those that it is made of.
    pub pasts: Vec<Past>,
    past_ids: FxHashMap<Past, u32>,
    /// How many registers these need.
    pub registers: u8,
    /// How much was done with obligations so far.
    effort: std::cell::Cell<u64>,
}

/// More is not done for a formula.
const MAX_EFFORT: u64 = 400_000;

/// Values of registers.
pub type Registers = u16;

/// So many operators may look back.
pub const MAX_REGISTERS: u8 = 16;

impl Parts {
    /// Notes what is about to be done; false if that is too much.
    pub fn may(&self, effort: usize) -> bool {
        self.effort.set(self.effort.get().saturating_add(effort as u64));
        !self.is_exhausted()
    }

    /// Whether more would have to be done than there is time for.
    pub fn is_exhausted(&self) -> bool {
        self.effort.get() > MAX_EFFORT
    }

    fn add(&mut self, part: Part) -> Id {
        if let Some(id) = self.ids.get(&part) {
            return *id;
        }
        self.parts.push(part);
        let id = self.parts.len() as Id - 1;
        self.ids.insert(part, id);
        id
    }

    fn add_past(&mut self, past: Past) -> u32 {
        if let Some(id) = self.past_ids.get(&past) {
            return *id;
        }
        self.pasts.push(past);
        let id = self.pasts.len() as u32 - 1;
        self.past_ids.insert(past, id);
        id
    }

    /// Takes a formula, or (`positive` is false) its negation, apart. None: too many operators look back.
    pub fn take(&mut self, formula: &Formula, positive: bool) -> Option<Id> {
        if !formula.looks_ahead() {
            let past = self.past(formula)?;
            return Some(self.add(match (self.pasts[past as usize], positive) {
                (Past::True, true) => Part::True,
                (Past::True, false) => Part::False,
                _ => Part::Look(past, positive),
            }));
        }
        Some(match formula {
            Formula::True | Formula::Atom(_) | Formula::Yesterday(_) | Formula::Since(..) => return None,
            Formula::Not(inner) => self.take(inner, !positive)?,
            Formula::And(a, b) => {
                let (a, b) = (self.take(a, positive)?, self.take(b, positive)?);
                if positive { self.and(a, b) } else { self.or(a, b) }
            }
            Formula::Next(inner) => {
                let inner = self.take(inner, positive)?;
                self.add(Part::Next(inner))
            }
            Formula::Until(a, b) => {
                let (a, b) = (self.take(a, positive)?, self.take(b, positive)?);
                self.add(if positive { Part::Until(a, b) } else { Part::Release(a, b) })
            }
        })
    }

    fn and(&mut self, a: Id, b: Id) -> Id {
        match (self.parts[a as usize], self.parts[b as usize]) {
            (Part::False, _) | (_, Part::True) => a,
            (Part::True, _) | (_, Part::False) => b,
            _ if a == b => a,
            _ => self.add(Part::And(a.min(b), a.max(b))),
        }
    }

    fn or(&mut self, a: Id, b: Id) -> Id {
        match (self.parts[a as usize], self.parts[b as usize]) {
            (Part::True, _) | (_, Part::False) => a,
            (Part::False, _) | (_, Part::True) => b,
            _ if a == b => a,
            _ => self.add(Part::Or(a.min(b), a.max(b))),
        }
    }

    fn past(&mut self, formula: &Formula) -> Option<u32> {
        let past = match formula {
            Formula::True => Past::True,
            Formula::Atom(number) => Past::Atom(*number),
            Formula::Not(inner) => Past::Not(self.past(inner)?),
            Formula::And(a, b) => Past::And(self.past(a)?, self.past(b)?),
            Formula::Yesterday(inner) => {
                let inner = self.past(inner)?;
                let known =
                    self.pasts.iter().position(|past| matches!(past, Past::Yesterday(of, _) if *of == inner));
                if let Some(known) = known {
                    return Some(known as u32);
                }
                Past::Yesterday(inner, self.register()?)
            }
            Formula::Since(a, b) => {
                let (a, b) = (self.past(a)?, self.past(b)?);
                let same = |past: &Past| matches!(past, Past::Since(x, y, _) if (*x, *y) == (a, b));
                if let Some(known) = self.pasts.iter().position(same) {
                    return Some(known as u32);
                }
                Past::Since(a, b, self.register()?)
            }
            Formula::Next(_) | Formula::Until(..) => return None,
        };
        Some(self.add_past(past))
    }

    fn register(&mut self) -> Option<u8> {
        self.registers += 1;
        (self.registers <= MAX_REGISTERS).then(|| self.registers - 1)
    }

    /// What all that looks back says at a step, by number, and the registers after it.
    pub fn look(&self, letter: Letter, registers: Registers) -> (Vec<bool>, Registers) {
        let mut values = Vec::with_capacity(self.pasts.len());
        let mut next = 0;
        let held = |register: u8| registers & (1 << register) != 0;
        for past in &self.pasts {
            let at = |id: u32| -> bool { values[id as usize] };
            let value = match past {
                Past::True => true,
                Past::Atom(number) => letter & (1 << number) != 0,
                Past::Not(inner) => !at(*inner),
                Past::And(a, b) => at(*a) && at(*b),
                Past::Yesterday(inner, register) => {
                    next |= Registers::from(at(*inner)) << register;
                    held(*register)
                }
                Past::Since(a, b, register) => {
                    let value = at(*b) || at(*a) && held(*register);
                    next |= Registers::from(value) << register;
                    value
                }
            };
            values.push(value);
        }
        (values, next)
    }
}
