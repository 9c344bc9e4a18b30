//! What a program means: what calls can end in that run concurrently, and what they can end in one after the other. All interleavings
//! are looked at, with the values that the code computes.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::program::{Act, By, Kind, Method, Program, Stmt, Term, Test, changes};

/// The value of a field.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Data {
    Number(i64),
    Slot(Option<i64>),
    List(Vec<i64>),
    Map(BTreeMap<i64, i64>),
}

/// The value of a local. Truth values are 0 and 1; nothing, where there may be nothing.
type Value = Option<i64>;

/// One step of a method.
#[derive(Clone, Copy, Debug)]
enum Op {
    Lock(usize, bool),
    Unlock,
    Act(usize, Act, usize),
    /// Goes on behind it if the test holds, else at the place.
    Unless(Test, usize),
    /// Takes the lock if it is free, else goes on at the place.
    TryLock(usize, usize),
    /// Takes the last element, or goes on at the place.
    Next(usize, usize, usize),
    /// A thread begins behind it; this one goes on at the place.
    Fork(usize),
    /// The end of such a thread.
    Over,
    /// Waits for it.
    Wait,
    Jump(usize),
    Return(Option<Term>),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Thread {
    at: usize,
    locals: Vec<Value>,
    held: Vec<(usize, bool)>,
    ended: Option<Value>,
    /// The thread that it started, which runs or is over.
    child: Option<usize>,
    /// The method that it is in.
    method: usize,
    /// Whether its attempts at locks fail.
    fails: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct State {
    data: Vec<Data>,
    threads: Vec<Thread>,
}

/// A call: which method, with which key, and whether its attempts at locks fail. They may, whether or not somebody is known to have the
/// lock: whoever tries is content with that.
pub type Call = (usize, i64, bool);

/// What calls return, and the state that they leave.
type End = (Vec<Value>, Vec<Data>);

/// A program's methods as steps, the methods that give out a field behind the others.
struct Code<'p> {
    program: &'p Program,
    methods: Vec<Vec<Op>>,
    locals: Vec<usize>,
}

const KEYS: [i64; 2] = [1, 2];

/// Calls that end, when they run concurrently, as they cannot one after the other, from a state that some calls leave; `None` if there
/// are none among `calls` at once behind `before` at most.
pub fn violation(program: &Program, calls: usize, before: usize) -> Option<(Vec<Call>, Vec<Call>)> {
    let code = Code::new(program);
    let all = code.calls();
    let mut seen = HashSet::new();
    let mut states = vec![(code.initial(), Vec::new())];
    for round in 0..=before {
        let mut next = Vec::new();
        for (data, path) in states {
            if !seen.insert(data.clone()) {
                continue;
            }
            if let Some(calls) = code.broken(&data, &all, calls) {
                return Some((path, calls));
            }
            if round < before {
                for &call in all.iter().filter(|c| c.0 < program.methods.len()) {
                    let mut path = path.clone();
                    path.push(call);
                    next.push((code.serial(&data, &[call]).1, path));
                }
            }
        }
        states = next;
    }
    None
}

/// Whether so many calls can end, from some state, be it one that no calls leave, as they cannot one after the other.
pub fn is_broken_somewhere(program: &Program, calls: usize) -> bool {
    let code = Code::new(program);
    let all = code.calls();
    code.somewhere().iter().any(|data| code.broken(data, &all, calls).is_some())
}

/// Whether something of a method is done in no call of it, or changes nothing in any, whatever there was before.
pub fn has_dead_code(program: &Program) -> bool {
    let code = Code::new(program);
    let states = code.somewhere();
    (0..program.methods.len()).any(|method| {
        let mut dead: BTreeSet<usize> = (0..code.methods[method].len())
            .filter(|&at| matches!(code.methods[method][at], Op::Act(..) | Op::Unless(..)))
            .collect();
        let calls: Vec<Call> = code.calls().into_iter().filter(|c| c.0 == method).collect();
        for (data, &call) in states.iter().flat_map(|data| calls.iter().map(move |call| (data, call))) {
            let mut state = code.begin(data, &[call]);
            let mut done = |at: usize, idle: bool| {
                if !idle {
                    dead.remove(&at);
                }
            };
            while code.step_by(&mut state, 0, &mut done)
                || (1..state.threads.len()).any(|t| code.step_by(&mut state, t, &mut done))
            {}
        }
        !dead.is_empty()
    })
}

impl<'p> Code<'p> {
    /// Some states, whether or not calls lead to them.
    fn somewhere(&self) -> Vec<Vec<Data>> {
        let some = |kind| match kind {
            Kind::Number => (-1..=3).map(Data::Number).collect::<Vec<_>>(),
            Kind::Flag => [0, 1].map(Data::Number).to_vec(),
            Kind::Slot => [None, Some(0), Some(1), Some(2)].map(Data::Slot).to_vec(),
            Kind::List => [vec![], vec![1], vec![2, 1], vec![0, 1, 2]].map(Data::List).to_vec(),
            Kind::Map => [&[][..], &[(1, 1)], &[(1, 2), (2, 0)]]
                .map(|m| Data::Map(m.iter().copied().collect()))
                .to_vec(),
        };
        self.program.fields.iter().fold(vec![Vec::new()], |states, field| {
            let values = some(field.kind);
            let with =
                |state: &Vec<Data>, value: &Data| [state.as_slice(), std::slice::from_ref(value)].concat();
            states.iter().flat_map(|state| values.iter().map(move |v| with(state, v))).collect()
        })
    }

    fn calls(&self) -> Vec<Call> {
        let tries = |m: usize| self.methods[m].iter().any(|op| matches!(op, Op::TryLock(..)));
        let calls = |m| KEYS.into_iter().flat_map(move |k| [(m, k, false), (m, k, true)]);
        (0..self.methods.len()).flat_map(calls).filter(|c| !c.2 || tries(c.0)).collect()
    }

    fn new(program: &'p Program) -> Self {
        let mut code = Code { program, methods: Vec::new(), locals: Vec::new() };
        for method in &program.methods {
            code.add(method);
        }
        for (field, f) in program.fields.iter().enumerate() {
            // What it gives out is the whole field; its size and its last element are as good to tell them apart here.
            let act = match f.kind {
                Kind::Number => Act::Load,
                Kind::Flag => Act::IsSet,
                Kind::Slot => Act::See,
                Kind::List => Act::Last,
                Kind::Map => Act::Count,
            };
            let body = vec![Stmt::Access { field, act, into: 0 }];
            code.add(&Method { body, result: Some(Term::Local(0)), locals: 1 });
        }
        code
    }

    fn add(&mut self, method: &Method) {
        let mut ops = Vec::new();
        self.block(&method.body, &mut Vec::new(), method.result.is_some(), &mut ops);
        ops.push(Op::Return(method.result));
        self.methods.push(ops);
        self.locals.push(method.locals);
    }

    fn block(&self, block: &[Stmt], held: &mut Vec<usize>, result: bool, ops: &mut Vec<Op>) {
        for stmt in block {
            match stmt {
                Stmt::Access { field, act, into } => {
                    let by = self.program.fields[*field].by;
                    let own = by != By::Atomic && !held.contains(field);
                    if own {
                        ops.push(Op::Lock(*field, by == By::Mutex || act.writes()));
                    }
                    ops.push(Op::Act(*field, *act, *into));
                    if own {
                        ops.push(Op::Unlock);
                    }
                }
                Stmt::Section { field, body } => {
                    let alone = self.program.fields[*field].by == By::Mutex || changes(body, *field);
                    ops.push(Op::Lock(*field, alone));
                    held.push(*field);
                    self.block(body, held, result, ops);
                    held.pop();
                    ops.push(Op::Unlock);
                }
                Stmt::If { test, then, other } => {
                    let at = ops.len();
                    ops.push(Op::Jump(0));
                    self.block(then, held, result, ops);
                    let end = ops.len();
                    ops.push(Op::Jump(0));
                    ops[at] = Op::Unless(*test, ops.len());
                    self.block(other, held, result, ops);
                    ops[end] = Op::Jump(ops.len());
                }
                Stmt::Try { field, body, other } => {
                    let at = ops.len();
                    ops.push(Op::Jump(0));
                    held.push(*field);
                    self.block(body, held, result, ops);
                    held.pop();
                    ops.push(Op::Unlock);
                    let end = ops.len();
                    ops.push(Op::Jump(0));
                    ops[at] = Op::TryLock(*field, ops.len());
                    self.block(other, held, result, ops);
                    ops[end] = Op::Jump(ops.len());
                }
                Stmt::Each { field, into, body } => {
                    let at = ops.len();
                    ops.push(Op::Lock(*field, true));
                    ops.push(Op::Jump(0));
                    ops.push(Op::Unlock);
                    self.block(body, held, result, ops);
                    ops.push(Op::Jump(at));
                    ops[at + 1] = Op::Next(*field, *into, ops.len());
                    ops.push(Op::Unlock);
                }
                Stmt::Beside { thread, here } => {
                    let at = ops.len();
                    ops.push(Op::Jump(0));
                    self.block(thread, held, false, ops);
                    ops.push(Op::Over);
                    ops[at] = Op::Fork(ops.len());
                    self.block(here, held, result, ops);
                    ops.push(Op::Wait);
                }
                Stmt::Return(term) => ops.push(Op::Return(result.then_some(*term))),
            }
        }
    }

    fn initial(&self) -> Vec<Data> {
        let begin = |kind| match kind {
            Kind::Number | Kind::Flag => Data::Number(0),
            Kind::Slot => Data::Slot(None),
            Kind::List => Data::List(Vec::new()),
            Kind::Map => Data::Map(BTreeMap::new()),
        };
        self.program.fields.iter().map(|f| begin(f.kind)).collect()
    }

    fn begin(&self, data: &[Data], calls: &[Call]) -> State {
        let thread = |&(method, key, fails): &Call| {
            let mut locals = vec![Some(0); self.locals[method] + 1];
            locals[self.locals[method]] = Some(key);
            Thread { at: 0, locals, held: Vec::new(), ended: None, child: None, method, fails }
        };
        State { data: data.to_vec(), threads: calls.iter().map(thread).collect() }
    }

    /// Calls, `n` at once, that end from a state as they cannot one after the other.
    fn broken(&self, data: &[Data], all: &[Call], n: usize) -> Option<Vec<Call>> {
        let mut some = Vec::new();
        self.choose(data, all, 0, n, &mut some)
    }

    fn choose(
        &self,
        data: &[Data],
        all: &[Call],
        from: usize,
        n: usize,
        some: &mut Vec<Call>,
    ) -> Option<Vec<Call>> {
        if n == 0 {
            let own = self.program.methods.len();
            // Two that only give something out do not disturb each other.
            return (some.iter().any(|c| c.0 < own) && !self.explained(data, some)).then(|| some.clone());
        }
        for i in from..all.len() {
            some.push(all[i]);
            if let Some(found) = self.choose(data, all, i, n - 1, some) {
                return Some(found);
            }
            some.pop();
        }
        None
    }

    /// Whether each end of concurrent calls is one of an order of them.
    fn explained(&self, data: &[Data], calls: &[Call]) -> bool {
        let mut ends = BTreeSet::new();
        orders(calls.len(), &mut Vec::new(), &mut |order| {
            let ordered: Vec<Call> = order.iter().map(|&i| calls[i]).collect();
            let (results, data) = self.serial(data, &ordered);
            let mut own = vec![None; calls.len()];
            for (&i, result) in order.iter().zip(results) {
                own[i] = result;
            }
            ends.insert((own, data));
        });
        let mut seen = HashSet::new();
        let mut open = vec![self.begin(data, calls)];
        while let Some(state) = open.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            if state.threads.iter().all(|t| t.ended.is_some()) {
                if !ends.contains(&end(state, calls.len())) {
                    return false;
                }
                continue;
            }
            for i in 0..state.threads.len() {
                let mut next = state.clone();
                if self.step(&mut next, i) {
                    open.push(next);
                }
            }
        }
        true
    }

    fn serial(&self, data: &[Data], calls: &[Call]) -> End {
        let mut state = self.begin(data, calls);
        for i in 0..calls.len() {
            // What it starts runs first.
            while self.step(&mut state, i)
                || (calls.len()..state.threads.len()).any(|t| self.step(&mut state, t))
            {}
        }
        end(state, calls.len())
    }

    /// Lets a thread go on, up to what others can see or be seen in; whether it could.
    fn step(&self, state: &mut State, thread: usize) -> bool {
        self.step_by(state, thread, &mut |_, _| {})
    }

    /// The same, and says what is done, and whether it is a change that changes nothing.
    fn step_by(&self, state: &mut State, thread: usize, done: &mut impl FnMut(usize, bool)) -> bool {
        if state.threads[thread].ended.is_some() {
            return false;
        }
        let mut first = true;
        loop {
            let op = self.methods[state.threads[thread].method][state.threads[thread].at];
            let visible = match op {
                Op::Lock(..) | Op::TryLock(..) | Op::Wait | Op::Fork(_) => true,
                Op::Act(field, ..) => self.program.fields[field].by == By::Atomic,
                _ => false,
            };
            if visible && !first {
                return true;
            }
            first &= !visible;
            let fails = state.threads[thread].fails;
            let asked = match op {
                Op::Lock(field, write) => Some((field, write)),
                Op::TryLock(field, _) if !fails => Some((field, true)),
                _ => None,
            };
            if let Some((field, write)) = asked {
                let taken = |&(f, w): &(usize, bool)| f == field && (w || write);
                if state.threads.iter().any(|t| t.held.iter().any(taken)) {
                    return false;
                }
            }
            if let (Op::Wait, Some(child)) = (op, state.threads[thread].child)
                && state.threads[child].ended.is_none()
            {
                return false;
            }
            if let Op::Fork(_) = op {
                let mut child = state.threads[thread].clone();
                child.at += 1;
                (child.child, state.threads[thread].child) = (None, Some(state.threads.len()));
                state.threads.push(child);
            }
            let State { data, threads } = state;
            let thread = &mut threads[thread];
            let at = thread.at;
            let mut idle = false;
            thread.at += 1;
            match op {
                Op::Lock(field, write) => thread.held.push((field, write)),
                Op::Unlock => drop(thread.held.pop()),
                Op::Act(field, act, into) => {
                    let before = act.writes().then(|| data[field].clone());
                    let value = act_on(&mut data[field], act, thread);
                    idle = before.is_some_and(|before| before == data[field]);
                    if let Some(local) = thread.locals.get_mut(into) {
                        *local = value;
                    }
                }
                Op::Unless(test, other) => {
                    if !holds(test, thread) {
                        thread.at = other;
                    }
                }
                Op::Jump(to) | Op::Fork(to) => thread.at = to,
                Op::TryLock(_, to) if fails => thread.at = to,
                Op::TryLock(field, _) => thread.held.push((field, true)),
                Op::Next(field, into, to) => match act_on(&mut data[field], Act::Pop, thread) {
                    None => thread.at = to,
                    value => thread.locals[into] = value,
                },
                Op::Wait => {}
                Op::Over => {
                    thread.ended = Some(None);
                    thread.locals.clear();
                    done(at, idle);
                    return true;
                }
                Op::Return(term) => {
                    thread.ended = Some(term.and_then(|t| plain(t, thread)));
                    thread.held.clear();
                    // What it knew is nobody's concern any more.
                    thread.locals.clear();
                    done(at, idle);
                    return true;
                }
            }
            done(at, idle);
        }
    }
}

fn end(state: State, calls: usize) -> End {
    (state.threads.into_iter().take(calls).map(|t| t.ended.flatten()).collect(), state.data)
}

fn orders(n: usize, begun: &mut Vec<usize>, f: &mut impl FnMut(&[usize])) {
    if begun.len() == n {
        return f(begun);
    }
    for i in 0..n {
        if !begun.contains(&i) {
            begun.push(i);
            orders(n, begun, f);
            begun.pop();
        }
    }
}

/// A term; a local that has nothing in it is given out as it is.
fn plain(term: Term, thread: &Thread) -> Value {
    match term {
        Term::Local(l) => thread.locals[l],
        term => Some(number(term, thread)),
    }
}

fn number(term: Term, thread: &Thread) -> i64 {
    let of = |l: usize| thread.locals[l].unwrap_or(0);
    match term {
        Term::Const(n) => n,
        Term::Key => thread.locals.last().copied().flatten().unwrap_or(0),
        Term::Local(l) | Term::Or(l) | Term::Of(l) => of(l),
        Term::Sum(l, n) => of(l) + n,
    }
}

fn holds(test: Test, thread: &Thread) -> bool {
    match test {
        Test::Less(a, b) => number(a, thread) < number(b, thread),
        Test::Equal(a, b) => number(a, thread) == number(b, thread),
        Test::Is(l, is) => (thread.locals[l] == Some(1)) == is,
        Test::Some(l, is) => thread.locals[l].is_some() == is,
    }
}

fn act_on(data: &mut Data, act: Act, thread: &Thread) -> Value {
    let of = |term| number(term, thread);
    let truth = |b: bool| Some(i64::from(b));
    match (data, act) {
        (Data::Number(n), Act::Load) => Some(*n),
        (Data::Number(n), Act::Store(t)) => {
            *n = of(t);
            None
        }
        (Data::Number(n), Act::Add(c)) => {
            *n += c;
            None
        }
        (Data::Number(n), Act::Swap(t)) => Some(std::mem::replace(n, of(t))),
        (Data::Number(n), Act::Max(t)) => {
            *n = of(t).max(*n);
            None
        }
        (Data::Number(n), Act::IsSet) => truth(*n == 1),
        (Data::Number(n), Act::Set(b)) => {
            *n = i64::from(b);
            None
        }
        (Data::Number(n), Act::Change(b)) => truth(std::mem::replace(n, i64::from(b)) == 1),
        (Data::Number(n), Act::Turn(b)) => truth(std::mem::replace(n, i64::from(b)) != i64::from(b)),
        (Data::Number(n), Act::Exchange(a, b)) => {
            let was = *n == of(a);
            if was {
                *n = of(b);
            }
            truth(was)
        }
        (Data::Slot(s), Act::See) => *s,
        (Data::Slot(s), Act::Occupied) => truth(s.is_some()),
        (Data::Slot(s), Act::Fill(t)) => {
            *s = Some(of(t));
            None
        }
        (Data::Slot(s), Act::Take) => s.take(),
        (Data::List(l), Act::Count) => Some(l.len() as i64),
        (Data::List(l), Act::Empty) => truth(l.is_empty()),
        (Data::List(l), Act::Clear) => {
            l.clear();
            None
        }
        (Data::List(l), Act::Push(t)) => {
            l.push(of(t));
            None
        }
        (Data::List(l), Act::Pop) => l.pop(),
        (Data::List(l), Act::Has(t)) => truth(l.contains(&of(t))),
        (Data::List(l), Act::Without(t)) => {
            l.retain(|x| *x != of(t));
            None
        }
        (Data::List(l), Act::Drain) => Some(std::mem::take(l).len() as i64),
        (Data::List(l), Act::Last) => l.last().copied(),
        (Data::Map(m), Act::Count) => Some(m.len() as i64),
        (Data::Map(m), Act::Empty) => truth(m.is_empty()),
        (Data::Map(m), Act::Clear) => {
            m.clear();
            None
        }
        (Data::Map(m), Act::Insert(k, v)) => m.insert(of(k), of(v)),
        (Data::Map(m), Act::Get(k)) => m.get(&of(k)).copied(),
        (Data::Map(m), Act::Contains(k)) => truth(m.contains_key(&of(k))),
        (Data::Map(m), Act::Remove(k)) => m.remove(&of(k)),
        (Data::Map(m), Act::Ensure(k, v)) => Some(*m.entry(of(k)).or_insert(of(v))),
        (Data::Map(m), Act::Raise(k, c)) => match m.get_mut(&of(k)) {
            Some(n) => {
                *n += c;
                truth(true)
            }
            None => truth(false),
        },
        (Data::Map(m), Act::Sum) => Some(m.values().sum()),
        (Data::Map(m), Act::Bump(k, c)) => {
            *m.entry(of(k)).or_insert(0) += c;
            None
        }
        (data, act) => unreachable!("{act:?} of {data:?}"),
    }
}
