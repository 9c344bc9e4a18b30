//! Small concurrent types: some fields, each behind a lock or atomic, and methods that use them.

/// A type with shared state. `new` makes it with zeros and nothing in its collections; each field has a method that gives it out, too.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub fields: Vec<Field>,
    pub methods: Vec<Method>,
    /// Whether methods are `async`.
    pub is_async: bool,
}

/// A part of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    pub by: By,
    pub kind: Kind,
}

/// What protects a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    Mutex,
    RwLock,
    /// Only of numbers and flags.
    Atomic,
}

/// What a field is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Number,
    /// A truth value, 0 or 1.
    Flag,
    /// One number, or none.
    Slot,
    List,
    Map,
}

/// A public method with one parameter, the key.
#[derive(Clone, Debug, Default)]
pub struct Method {
    pub body: Vec<Stmt>,
    /// What it returns at its end; nothing if it never returns anything.
    pub result: Option<Term>,
    /// Number of locals.
    pub locals: usize,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// An access; within a section of the field by its guard, else in a critical section of its own.
    Access {
        field: usize,
        act: Act,
        into: usize,
    },
    /// What is done while the lock of a field is held.
    Section {
        field: usize,
        body: Vec<Stmt>,
    },
    If {
        test: Test,
        then: Vec<Stmt>,
        other: Vec<Stmt>,
    },
    /// A section if the lock is free at the moment, else something else.
    Try {
        field: usize,
        body: Vec<Stmt>,
        other: Vec<Stmt>,
    },
    /// Takes the elements off a list, one by one, each in a section of its own, until there is none.
    Each {
        field: usize,
        into: usize,
        body: Vec<Stmt>,
    },
    /// One body in a thread of its own beside another; both are over behind it.
    Beside {
        thread: Vec<Stmt>,
        here: Vec<Stmt>,
    },
    /// Leaves the method, with a result if it has one.
    Return(Term),
}

/// What is done to a field. What it gives is stored in a local, or dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    // Of numbers.
    Load,
    Store(Term),
    Add(i64),
    Swap(Term),
    /// Of atomics: the second if it is the first; gives whether it was.
    Exchange(Term, Term),
    /// The greater one stays.
    Max(Term),
    // Of flags.
    IsSet,
    Set(bool),
    /// Gives what was there.
    Change(bool),
    /// Of atomics: the other way round, if it is not so already; gives whether it was not.
    Turn(bool),
    // Of slots.
    See,
    Occupied,
    Fill(Term),
    Take,
    // Of lists and maps.
    Count,
    Empty,
    Clear,
    // Of lists.
    Push(Term),
    Pop,
    Last,
    Has(Term),
    /// Without those that are equal.
    Without(Term),
    /// Takes all; gives how many there were.
    Drain,
    // Of maps.
    Insert(Term, Term),
    Get(Term),
    Contains(Term),
    Remove(Term),
    /// Adds to an entry, which begins with 0.
    Bump(Term, i64),
    /// What is there, or from now on the second.
    Ensure(Term, Term),
    /// Adds to an entry if there is one; gives whether there is.
    Raise(Term, i64),
    Sum,
}

/// The type of a local.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Nothing,
    Number,
    Truth,
    Maybe,
}

/// A number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    Const(i64),
    Key,
    Local(usize),
    Sum(usize, i64),
    /// What is in a local that may be empty, else 0.
    Or(usize),
    /// A truth value as a number.
    Of(usize),
}

/// What a branch goes by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    Less(Term, Term),
    Equal(Term, Term),
    Is(usize, bool),
    Some(usize, bool),
}

impl Act {
    pub fn gives(self) -> Type {
        match self {
            Act::Load | Act::Swap(_) | Act::Count | Act::Drain | Act::Ensure(..) | Act::Sum => Type::Number,
            Act::Exchange(..) | Act::Occupied | Act::Empty | Act::Contains(_) => Type::Truth,
            Act::IsSet | Act::Change(_) | Act::Turn(_) | Act::Has(_) | Act::Raise(..) => Type::Truth,
            Act::See | Act::Take | Act::Pop | Act::Last | Act::Get(_) | Act::Remove(_) | Act::Insert(..) => {
                Type::Maybe
            }
            Act::Max(_) | Act::Set(_) | Act::Without(_) => Type::Nothing,
            Act::Store(_) | Act::Add(_) | Act::Fill(_) | Act::Clear | Act::Push(_) | Act::Bump(..) => {
                Type::Nothing
            }
        }
    }

    pub fn writes(self) -> bool {
        use Act::*;
        !matches!(
            self,
            Load | See | Occupied | Count | Empty | Last | Get(_) | Contains(_) | IsSet | Has(_) | Sum
        )
    }

    /// The numbers that it takes.
    pub fn terms(self) -> Vec<Term> {
        match self {
            Act::Store(a) | Act::Swap(a) | Act::Fill(a) | Act::Push(a) | Act::Max(a) => vec![a],
            Act::Get(a)
            | Act::Contains(a)
            | Act::Remove(a)
            | Act::Bump(a, _)
            | Act::Raise(a, _)
            | Act::Has(a)
            | Act::Without(a) => vec![a],
            Act::Exchange(a, b) | Act::Insert(a, b) | Act::Ensure(a, b) => vec![a, b],
            _ => Vec::new(),
        }
    }
}

impl Term {
    pub fn local(self) -> Option<usize> {
        match self {
            Term::Const(_) | Term::Key => None,
            Term::Local(l) | Term::Sum(l, _) | Term::Or(l) | Term::Of(l) => Some(l),
        }
    }
}

impl Test {
    pub fn locals(self) -> Vec<usize> {
        match self {
            Test::Less(a, b) | Test::Equal(a, b) => [a, b].into_iter().filter_map(Term::local).collect(),
            Test::Is(l, _) | Test::Some(l, _) => vec![l],
        }
    }
}

/// Calls `f` with each statement, the outer ones first.
pub fn walk<'p>(block: &'p [Stmt], f: &mut impl FnMut(&'p Stmt)) {
    for stmt in block {
        f(stmt);
        match stmt {
            Stmt::Section { body, .. } | Stmt::Each { body, .. } => walk(body, f),
            Stmt::If { then: one, other, .. }
            | Stmt::Try { body: one, other, .. }
            | Stmt::Beside { thread: one, here: other } => {
                walk(one, f);
                walk(other, f);
            }
            Stmt::Access { .. } | Stmt::Return(_) => {}
        }
    }
}

/// Whether a field is changed somewhere in a block.
pub fn changes(block: &[Stmt], field: usize) -> bool {
    let mut found = false;
    walk(block, &mut |s| {
        found |= matches!(s, Stmt::Access { field: f, act, .. } if *f == field && act.writes())
    });
    found
}

/// Whether a method may be left within a block.
pub fn returns(block: &[Stmt]) -> bool {
    let mut found = false;
    walk(block, &mut |s| found |= matches!(s, Stmt::Return(_)));
    found
}

/// The locals that a block uses.
pub fn used(block: &[Stmt]) -> Vec<usize> {
    let mut locals = Vec::new();
    walk(block, &mut |s| match s {
        Stmt::Access { act, .. } => locals.extend(act.terms().into_iter().filter_map(Term::local)),
        Stmt::If { test, .. } => locals.extend(test.locals()),
        Stmt::Return(term) => locals.extend(term.local()),
        Stmt::Section { .. } | Stmt::Try { .. } | Stmt::Each { .. } | Stmt::Beside { .. } => {}
    });
    locals
}
