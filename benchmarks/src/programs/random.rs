//! Random programs.

use fastrand::Rng;

use super::program::*;

/// The program of a seed, the same everywhere and always.
pub fn program(seed: u64) -> Program {
    let mut rng = Rng::with_seed(seed);
    let fields = (0..rng.usize(1..=3)).map(|_| field(&mut rng)).collect();
    let mut program = Program { fields, methods: Vec::new(), is_async: rng.u8(0..4) == 0 };
    for _ in 0..rng.usize(1..=3) {
        let mut maker =
            Maker { fields: &program.fields, rng: &mut rng, types: Vec::new(), left: 6, in_thread: false };
        let mut scope = Vec::new();
        let n = maker.rng.usize(1..=3);
        let body = maker.block(n, &mut Vec::new(), &mut scope);
        let result = maker.rng.bool().then(|| maker.result(&scope));
        let locals = maker.types.len();
        program.methods.push(Method { body, result, locals });
    }
    let fields = 0..program.fields.len();
    program.methods.extend(fields.filter_map(|field| filler(&program, field)).collect::<Vec<_>>());
    program
}

/// A method that puts something into a field out of which others only take: nobody writes code for what is never there.
fn filler(program: &Program, field: usize) -> Option<Method> {
    use Act::*;
    let act = match program.fields[field].kind {
        Kind::Number => return None,
        Kind::Flag => Set(true),
        Kind::Slot => Fill(Term::Key),
        Kind::List => Push(Term::Key),
        Kind::Map => Insert(Term::Key, Term::Key),
    };
    let fills = |act: &Act| {
        matches!(
            act,
            Set(true) | Change(true) | Turn(true) | Fill(_) | Push(_) | Insert(..) | Ensure(..) | Bump(..)
        )
    };
    let (mut changed, mut filled) = (false, false);
    for method in &program.methods {
        walk(&method.body, &mut |stmt| match stmt {
            Stmt::Access { field: f, act, .. } if *f == field => {
                changed |= act.writes();
                filled |= fills(act);
            }
            Stmt::Each { field: f, .. } => changed |= *f == field,
            _ => {}
        });
    }
    let body = vec![Stmt::Access { field, act, into: 0 }];
    (changed && !filled).then_some(Method { body, result: None, locals: 1 })
}

fn field(rng: &mut Rng) -> Field {
    let kind = [Kind::Number, Kind::Number, Kind::Flag, Kind::Slot, Kind::List, Kind::Map][rng.usize(0..6)];
    let by = match kind {
        Kind::Number | Kind::Flag => [By::Atomic, By::Mutex, By::RwLock][rng.usize(0..3)],
        _ => [By::Mutex, By::Mutex, By::RwLock][rng.usize(0..3)],
    };
    Field { by, kind }
}

/// Makes the body of a method.
struct Maker<'m> {
    fields: &'m [Field],
    rng: &'m mut Rng,
    types: Vec<Type>,
    /// Accesses that may still be made.
    left: usize,
    in_thread: bool,
}

/// Whether a block has to do with a field.
fn touches(block: &[Stmt], field: usize) -> bool {
    let mut found = false;
    walk(block, &mut |s| match s {
        Stmt::Access { field: f, .. }
        | Stmt::Section { field: f, .. }
        | Stmt::Try { field: f, .. }
        | Stmt::Each { field: f, .. } => found |= *f == field,
        _ => {}
    });
    found
}

impl Maker<'_> {
    /// Some statements. `held`: the fields whose locks are held, in order; `scope`: the locals that are set.
    fn block(&mut self, n: usize, held: &mut Vec<usize>, scope: &mut Vec<usize>) -> Vec<Stmt> {
        let mut block = Vec::new();
        for _ in 0..n {
            if self.left == 0 {
                break;
            }
            block.push(self.stmt(held, scope));
            if matches!(block.last(), Some(Stmt::Return(_))) {
                break;
            }
        }
        block
    }

    fn stmt(&mut self, held: &mut Vec<usize>, scope: &mut Vec<usize>) -> Stmt {
        let nested = held.len();
        match self.rng.u8(0..13) {
            0..3 if nested < 2 => {
                // Locks are taken in the order of the fields, so nobody waits in a circle.
                let from = held.last().map_or(0, |f| f + 1);
                let locks: Vec<usize> =
                    (from..self.fields.len()).filter(|&f| self.fields[f].by != By::Atomic).collect();
                let Some(&field) = self.rng.choice(&locks) else { return self.access(held, scope) };
                held.push(field);
                let mut before = scope.clone();
                let n = self.rng.usize(1..=3);
                let mut body = self.block(n, held, scope);
                if !body.iter().any(|s| matches!(s, Stmt::Access { field: f, .. } if *f == field)) {
                    self.left += 1;
                    body.insert(0, self.access_of(field, &mut before));
                }
                held.pop();
                Stmt::Section { field, body }
            }
            3..6 if scope.iter().any(|&l| self.types[l] != Type::Nothing) => {
                let test = self.test(scope);
                let (n, m) = (self.rng.usize(1..=2), self.rng.usize(0..=1));
                let then = self.block(n, held, &mut scope.clone());
                let other = self.block(m, held, &mut scope.clone());
                let then = if then.is_empty() { vec![Stmt::Return(self.result(scope))] } else { then };
                Stmt::If { test, then, other }
            }
            10 if nested == 0 => {
                let locks: Vec<usize> =
                    (0..self.fields.len()).filter(|&f| self.fields[f].by == By::Mutex).collect();
                let Some(&field) = self.rng.choice(&locks) else { return self.access(held, scope) };
                held.push(field);
                let mut own = scope.clone();
                let mut body = vec![self.access_of(field, &mut own)];
                body.extend(self.block(1, held, &mut own));
                held.pop();
                let other = self.block(1, held, &mut scope.clone());
                Stmt::Try { field, body, other }
            }
            11 if nested == 0 => {
                let lists: Vec<usize> =
                    (0..self.fields.len()).filter(|&f| self.fields[f].kind == Kind::List).collect();
                let Some(&field) = self.rng.choice(&lists) else { return self.access(held, scope) };
                let into = self.types.len();
                self.types.push(Type::Number);
                let mut own = scope.clone();
                own.push(into);
                // What is put back meanwhile would be taken for ever.
                let body = match self.block(1, held, &mut own) {
                    body if touches(&body, field) => Vec::new(),
                    body => body,
                };
                Stmt::Each { field, into, body }
            }
            12 if nested == 0 && !self.in_thread => {
                self.in_thread = true;
                let thread = self.block(1, held, &mut scope.clone());
                let here = self.block(1, held, &mut scope.clone());
                self.in_thread = false;
                if returns(&thread) || returns(&here) || thread.is_empty() {
                    return self.access(held, scope);
                }
                Stmt::Beside { thread, here }
            }
            6 if !scope.is_empty() && self.rng.bool() => Stmt::Return(self.result(scope)),
            _ => self.access(held, scope),
        }
    }

    /// An access of a field that is held, or of one whose lock comes behind those that are held.
    fn access(&mut self, held: &[usize], scope: &mut Vec<usize>) -> Stmt {
        let last = held.last().map_or(0, |f| f + 1);
        let may: Vec<usize> = (0..self.fields.len())
            .filter(|f| held.contains(f) || *f >= last || self.fields[*f].by == By::Atomic)
            .collect();
        let field = may[self.rng.usize(0..may.len())];
        self.access_of(field, scope)
    }

    fn access_of(&mut self, field: usize, scope: &mut Vec<usize>) -> Stmt {
        self.left = self.left.saturating_sub(1);
        let act = self.act(self.fields[field], scope);
        let into = self.types.len();
        self.types.push(act.gives());
        scope.push(into);
        Stmt::Access { field, act, into }
    }

    fn act(&mut self, field: Field, scope: &[usize]) -> Act {
        let (a, b) = (self.term(scope), self.term(scope));
        let small = i64::from(self.rng.u8(1..3));
        match (field.kind, self.rng.u8(0..8)) {
            (Kind::Number, 0..3) => Act::Load,
            (Kind::Number, 3 | 4) => Act::Store(a),
            (Kind::Number, 5) => Act::Add(if self.rng.bool() { small } else { -small }),
            (Kind::Number, 7) if self.rng.bool() => Act::Max(a),
            (Kind::Number, 6) if field.by == By::Atomic => Act::Exchange(a, b),
            (Kind::Number, _) => Act::Swap(a),
            (Kind::Flag, 0..4) => Act::IsSet,
            (Kind::Flag, 4 | 5) => Act::Set(self.rng.bool()),
            (Kind::Flag, 6) if field.by == By::Atomic => Act::Turn(self.rng.bool()),
            (Kind::Flag, _) => Act::Change(self.rng.bool()),
            (Kind::Slot, 0 | 1) => Act::See,
            (Kind::Slot, 2 | 3) => Act::Occupied,
            (Kind::Slot, 4..6) => Act::Fill(a),
            (Kind::Slot, _) => Act::Take,
            (Kind::List, 0) => Act::Count,
            (Kind::List, 1) => Act::Empty,
            (Kind::List, 2) => Act::Clear,
            (Kind::List, 3..5) => Act::Push(a),
            (Kind::List, 5) => [Act::Last, Act::Has(a), Act::Without(a), Act::Drain][self.rng.usize(0..4)],
            (Kind::List, _) => Act::Pop,
            (Kind::Map, 0) => Act::Insert(Term::Key, a),
            (Kind::Map, 1) => Act::Insert(a, b),
            (Kind::Map, 2) => Act::Get(Term::Key),
            (Kind::Map, 3) => Act::Contains(Term::Key),
            (Kind::Map, 4) => Act::Remove(Term::Key),
            (Kind::Map, 5) => {
                [Act::Bump(Term::Key, small), Act::Ensure(Term::Key, a), Act::Raise(Term::Key, small)]
                    [self.rng.usize(0..3)]
            }
            (Kind::Map, 6) => Act::Count,
            (Kind::Map, _) => [Act::Clear, Act::Sum, Act::Contains(a), Act::Remove(a)][self.rng.usize(0..4)],
        }
    }

    /// A number, rather of a local than not.
    fn term(&mut self, scope: &[usize]) -> Term {
        let local = self.rng.choice(scope.iter().rev().take(2)).copied();
        match (self.rng.u8(0..6), local.map(|l| (l, self.types[l]))) {
            (0..3, Some((l, Type::Number))) if self.rng.bool() => Term::Sum(l, 1),
            (0..3, Some((l, Type::Number))) => Term::Local(l),
            (0..2, Some((l, Type::Maybe))) => Term::Or(l),
            (0, Some((l, Type::Truth))) => Term::Of(l),
            (0..5, _) => Term::Key,
            _ => Term::Const(i64::from(self.rng.u8(0..3))),
        }
    }

    fn result(&mut self, scope: &[usize]) -> Term {
        let last = scope.iter().rev().copied().find(|&l| self.types[l] != Type::Nothing);
        match last.map(|l| (l, self.types[l])) {
            Some((l, Type::Number)) if self.rng.bool() => Term::Local(l),
            Some((l, Type::Maybe)) if self.rng.bool() => Term::Or(l),
            Some((l, Type::Truth)) if self.rng.bool() => Term::Of(l),
            _ => self.term(scope),
        }
    }

    fn test(&mut self, scope: &[usize]) -> Test {
        let may: Vec<usize> = scope.iter().copied().filter(|&l| self.types[l] != Type::Nothing).collect();
        let local = may[may.len() - 1 - self.rng.usize(0..may.len().min(2))];
        let (is, small) = (self.rng.bool(), Term::Const(i64::from(self.rng.u8(0..3))));
        let other = if self.rng.bool() { small } else { Term::Key };
        match self.types[local] {
            Type::Truth => Test::Is(local, is),
            Type::Maybe => Test::Some(local, is),
            _ => match self.rng.u8(0..3) {
                0 => Test::Less(Term::Local(local), other),
                1 => Test::Less(other, Term::Local(local)),
                _ => Test::Equal(Term::Local(local), other),
            },
        }
    }
}
