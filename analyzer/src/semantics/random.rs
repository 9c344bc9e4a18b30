//! Small random programs with every feature of the language, for comparing the translations with the oracle.
//!
//! A program is read off a string of bytes: each choice takes one byte, and 0 is the simplest choice. So any tool that
//! shrinks byte strings (proptest does) shrinks programs. Some programs have a variable of a wide range, and constants near
//! the powers of two.

mod expr;

use crate::ir::*;
use expr::{Wide, binary, constant, int};

/// How large and how colourful programs are.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Number of events.
    pub events: u32,
    /// Greatest number of tasks.
    pub tasks: u32,
    /// Greatest number of statements of a body.
    pub statements: u32,
}

impl Shape {
    /// One event, several tasks, short bodies.
    pub const WIDE: Shape = Shape { events: 1, tasks: 4, statements: 3 };
    /// One event, few tasks, long bodies.
    pub const DEEP: Shape = Shape { events: 1, tasks: 2, statements: 6 };
    /// Two events with a task.
    pub const PAIR: Shape = Shape { events: 2, tasks: 1, statements: 3 };
    /// One event with a task, long bodies.
    pub const SELF: Shape = Shape { events: 1, tasks: 1, statements: 5 };
    /// Three events with a task, short bodies.
    pub const THREE: Shape = Shape { events: 3, tasks: 1, statements: 2 };
}

/// The bytes that a seed stands for, the same everywhere and always.
pub fn bytes(seed: u64) -> Vec<u8> {
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
    let next = |_| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (x >> 24) as u8
    };
    (0..240).map(next).collect()
}

/// The program that a string of bytes stands for. Always valid.
pub fn program(bytes: &[u8], shape: Shape) -> Program {
    let mut random = Random {
        bytes: bytes.iter(),
        shape,
        program: Program::new(),
        labels: 0,
        events: 0,
        tasks: 0,
        flavour: Flavour::Plain,
        wide: None,
        procs: [None; 4],
    };
    random.declarations();
    random.bodies();
    random.specials();
    random.program
}

struct Random<'b> {
    bytes: std::slice::Iter<'b, u8>,
    shape: Shape,
    program: Program,
    labels: u32,
    events: u32,
    tasks: u32,
    flavour: Flavour,
    /// The integers that the program is about, if they are not just small ones.
    wide: Option<Wide>,
    /// The procedures that something calls, by role.
    procs: [Option<ProcId>; 4],
}

/// What there is most of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flavour {
    Plain,
    Locks,
    Executors,
}

/// What a called procedure is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Takes and gives a truth value.
    Helper,
    /// Counts its argument up in recursive calls.
    Again,
    /// Starts the last task and gives its handle.
    Starter,
    /// Waits for the task behind the handle it takes.
    Waiter,
}

/// What is known of the body being made.
struct Body {
    proc: usize,
    handles: Vec<LocalId>,
    flags: Vec<LocalId>,
    numbers: Vec<LocalId>,
    /// Statements that may still be made.
    left: u32,
}

const TEXT: VarId = VarId(0);
const FLAG: VarId = VarId(1);
const COUNT: VarId = VarId(2);
const OTHER: VarId = VarId(3);

impl Random<'_> {
    /// A choice among `n`.
    fn pick(&mut self, n: u32) -> u32 {
        self.bytes.next().map_or(0, |&b| b as u32 % n.max(1))
    }

    /// Makes variables of some programs special: with a first value that is not known, a variant, the presence of something.
    fn specials(&mut self) {
        let special = self.pick(16);
        let open = special == 13 || special == 15;
        let [_, flag, count, other] = &mut self.program.vars[..] else { return };
        if open {
            (flag.init, flag.open) = (Value::Bool(false), true);
        }
        if let Some(Domain::Int { lo, hi }) = count.domain.filter(|_| special == 12 || special == 15)
            && self.wide.is_none()
        {
            (count.domain, count.open) = (Some(Domain::Variant { lo, hi }), open);
        }
        if special >= 14 {
            (other.domain, other.open) = (Some(Domain::Presence), open);
        }
    }

    fn declarations(&mut self) {
        self.flavour = match self.pick(4) {
            2 => Flavour::Locks,
            3 => Flavour::Executors,
            _ => Flavour::Plain,
        };
        let (mut lo, mut hi, mut first) = match self.pick(8) {
            0..3 => (0, 2, 0),
            3 => (-1, 1, 0),
            4 => (0, 1, 0),
            _ => (0, 0, 0),
        };
        if lo == hi {
            let wide = self.wide();
            (lo, hi, first) = (wide.lo, wide.hi, wide.first);
            self.wide = Some(wide);
        }
        let (ready, exclusive) = (self.pick(4) == 3, self.pick(8) == 7);
        let p = &mut self.program;
        p.executors[0].exclusive = exclusive;
        p.executors.push(Executor { name: "ui".into(), exclusive: false });
        p.executors.push(Executor { name: "actor".into(), exclusive: true });
        p.locks = ["l", "m"].map(|name| Lock { name: name.into() }).into();
        p.classes = ["add", "append", RAISE, LOWER].map(String::from).into();
        let flag = Some(Domain::Bool);
        let count = Some(Domain::Int { lo, hi });
        let var = |name: &str, domain, init| Var::new(name.into(), domain, init);
        p.vars = vec![
            var("text", None, Value::Bool(false)),
            var("flag", flag, Value::Bool(ready)),
            var("count", count, Value::Int(first)),
            var("other", None, Value::Bool(false)),
        ];
        self.events = self.shape.events;
        self.tasks = 1 + self.pick(self.shape.tasks);
        for e in 0..self.events {
            let on = self.place();
            let (once, guard) = match self.pick(8) {
                5 => (true, None),
                6 => (false, Some(FLAG)),
                7 => (true, Some(FLAG)),
                _ => (false, None),
            };
            self.add(format!("e{e}"), ProcKind::Event { once, alone: false, on, guard }, &[]);
        }
        for t in 0..self.tasks {
            let on = self.place();
            let params: &[&str] = if self.pick(4) == 3 { &["p"] } else { &[] };
            self.add(format!("t{t}"), ProcKind::Task { on }, params);
        }
    }

    fn place(&mut self) -> Where {
        match self.pick(6) {
            0..3 if self.flavour == Flavour::Executors => Where::On(ExecId(1)),
            0..3 => Where::Any,
            3 => Where::On(ExecId(0)),
            4 => Where::On(ExecId(1)),
            _ => Where::On(ExecId(2)),
        }
    }

    fn add(&mut self, name: String, kind: ProcKind, params: &[&str]) -> ProcId {
        let locals = params.iter().map(|p| p.to_string()).collect();
        let proc = Proc {
            name,
            kind,
            params: params.len(),
            locals,
            body: Vec::new(),
            place: None,
            course: Course::Ends,
            elsewhere: false,
        };
        self.program.procs.push(proc);
        ProcId(self.program.procs.len() as u32 - 1)
    }

    /// The procedure of a role; it is made when first asked for.
    fn proc(&mut self, role: Role) -> ProcId {
        if let Some(proc) = self.procs[role as usize] {
            return proc;
        }
        let (name, params): (_, &[&str]) = match role {
            Role::Helper => ("helper", &["b"]),
            Role::Again => ("again", &["n"]),
            Role::Starter => ("starter", &[]),
            Role::Waiter => ("waiter", &["h"]),
        };
        let proc = self.add(name.into(), ProcKind::Proc, params);
        self.procs[role as usize] = Some(proc);
        proc
    }

    fn bodies(&mut self) {
        let mut proc = 0;
        // Bodies add the procedures that they call.
        while proc < self.program.procs.len() {
            let roles = [Role::Helper, Role::Again, Role::Starter, Role::Waiter];
            let role = roles.into_iter().find(|&r| self.procs[r as usize] == Some(ProcId(proc as u32)));
            let mut body =
                Body { proc, handles: Vec::new(), flags: Vec::new(), numbers: Vec::new(), left: 0 };
            let mut block = Vec::new();
            match role {
                None => {
                    body.left = 1 + self.pick(self.shape.statements);
                    body.flags.extend((self.program.procs[proc].params > 0).then_some(LocalId(0)));
                    block = self.block(&mut body, 0);
                }
                Some(role) => self.role(role, &mut body, &mut block),
            }
            self.program.procs[proc].body = block;
            proc += 1;
        }
    }

    fn role(&mut self, role: Role, body: &mut Body, out: &mut Block) {
        body.left = self.pick(2);
        match role {
            Role::Helper => {
                body.left += 1;
                body.flags.push(LocalId(0));
                out.extend(self.block(body, 0));
                let result = (self.pick(3) != 0).then(|| self.condition(body));
                self.push(StmtKind::Return(result), out);
            }
            Role::Again => {
                body.left += 1;
                body.numbers.push(LocalId(0));
                let n = || Expr::Local(LocalId(0));
                let mut inner = self.block(body, 1);
                let args = vec![binary(BinOp::Add, n(), int(1))];
                let again = StmtKind::Call { proc: ProcId(body.proc as u32), args, result: None };
                self.push(again, &mut inner);
                inner.extend(self.block(body, 1));
                // Most recursions end.
                let goes_on = match self.pick(8) {
                    6 => Expr::Any,
                    7 => constant(true),
                    _ => binary(BinOp::Lt, n(), int(1)),
                };
                self.push(StmtKind::If(goes_on, inner, Vec::new()), out);
            }
            Role::Starter => {
                out.extend(self.block(body, 0));
                let handle = self.local(body, "h");
                let task = ProcId(self.events + self.tasks - 1);
                let args = self.args(task, body);
                self.push(StmtKind::Async { task, args, handle: Some(handle) }, out);
                self.push(StmtKind::Return(Some(Expr::Local(handle))), out);
            }
            Role::Waiter => {
                out.extend(self.block(body, 0));
                let wait = if self.pick(2) == 0 { StmtKind::Join } else { StmtKind::Await };
                self.push(wait(LocalId(0)), out);
            }
        }
    }

    fn block(&mut self, body: &mut Body, depth: u32) -> Block {
        let mut block = Vec::new();
        while body.left > 0 {
            body.left -= 1;
            self.statement(body, depth, &mut block);
            if depth > 0 && self.pick(2) == 0 {
                break;
            }
        }
        block
    }

    fn local(&mut self, body: &Body, name: &str) -> LocalId {
        let locals = &mut self.program.procs[body.proc].locals;
        locals.push(format!("{name}{}", locals.len()));
        LocalId(locals.len() as u32 - 1)
    }

    fn statement(&mut self, body: &mut Body, depth: u32, out: &mut Block) {
        let nest = depth < 2 && body.left > 0;
        let choice = match (self.pick(36), self.flavour) {
            (9..14, Flavour::Locks) => 18,
            (9..12, Flavour::Executors) => 22,
            (14..16, Flavour::Locks) | (12..15, Flavour::Executors) => 28,
            (16..18, Flavour::Locks) | (15..18, Flavour::Executors) => 23,
            (5..9, _) if self.wide.is_some() && nest => 30,
            (choice, _) => choice,
        };
        let kind = match choice {
            0..18 => self.simple(body),
            18..22 => return self.locked(body, depth, out),
            22 => StmtKind::Yield,
            23..28 => return self.start(body, out),
            28..30 => return self.wait(body, out),
            30 if nest => {
                let e = self.condition(body);
                let yes = self.block(body, depth + 1);
                let no = if self.pick(2) == 0 { Vec::new() } else { self.block(body, depth + 1) };
                StmtKind::If(e, yes, no)
            }
            31 if nest => StmtKind::Loop(self.pick(2) + 1, self.block(body, depth + 1)),
            32 if nest => return self.repeated(body, depth, out),
            33 => match self.pick(6) {
                0 => StmtKind::Assume(self.condition(body)),
                1 => StmtKind::Return(None),
                2 => StmtKind::Acquire(LockId(self.pick(2)), Mode::Exclusive),
                3 => StmtKind::Acquire(LockId(self.pick(2)), Mode::Shared),
                _ => StmtKind::Release(LockId(self.pick(2))),
            },
            34 | 35 => self.call(body),
            _ => self.simple(body),
        };
        self.push(kind, out);
    }

    /// A statement without others in it that touches variables only.
    fn simple(&mut self, body: &mut Body) -> StmtKind {
        match self.pick(18) {
            0 | 1 => StmtKind::Write(TEXT),
            2..5 => StmtKind::Read(TEXT),
            5 => StmtKind::Write(OTHER),
            6 => StmtKind::Read(OTHER),
            7 => StmtKind::Update(OTHER, ClassId(0)),
            8 => StmtKind::Update(OTHER, ClassId(1)),
            9 => StmtKind::Update(COUNT, ClassId(0)),
            10 => StmtKind::SetVar(FLAG, constant(self.pick(2) == 0)),
            11 => StmtKind::SetVar(COUNT, self.number(body)),
            12 => {
                let t = self.local(body, "b");
                let e = if self.pick(4) == 3 { Expr::Var(TEXT) } else { self.condition(body) };
                body.flags.push(t);
                StmtKind::SetLocal(t, e)
            }
            13 => {
                let t = self.local(body, "n");
                let e = self.number(body);
                body.numbers.push(t);
                StmtKind::SetLocal(t, e)
            }
            14 => StmtKind::SetVar(FLAG, self.condition(body)),
            15 => StmtKind::Update(FLAG, ClassId(self.pick(4))),
            16 => StmtKind::Write(COUNT),
            _ => StmtKind::Read(FLAG),
        }
    }

    fn push(&mut self, kind: StmtKind, out: &mut Block) {
        out.push(Stmt { label: Label(self.labels), place: None, basis: None, kind });
        self.labels += 1;
    }

    fn locked(&mut self, body: &mut Body, depth: u32, out: &mut Block) {
        let lock = LockId(self.pick(2));
        let mode = if self.pick(3) == 2 { Mode::Shared } else { Mode::Exclusive };
        self.push(StmtKind::Acquire(lock, mode), out);
        body.left += 1;
        let mut inner = self.block(body, depth + 1);
        out.append(&mut inner);
        // Now and then a lock is not given back, or only after the next one is taken.
        match self.pick(12) {
            10 => {
                let other = LockId(1 - lock.0);
                self.push(StmtKind::Acquire(other, Mode::Exclusive), out);
                self.push(StmtKind::Release(lock), out);
                let last = self.simple(body);
                self.push(last, out);
                self.push(StmtKind::Release(other), out);
            }
            11 => {}
            _ => self.push(StmtKind::Release(lock), out),
        }
    }

    /// A `while` loop. Most end.
    fn repeated(&mut self, body: &mut Body, depth: u32, out: &mut Block) {
        let kind = self.pick(8);
        if kind > 3 {
            let mut inner = Vec::new();
            let again = match kind {
                4 | 5 => {
                    self.push(StmtKind::SetVar(FLAG, constant(false)), &mut inner);
                    Expr::Var(FLAG)
                }
                6 => Expr::Any,
                _ => constant(true),
            };
            inner.extend(self.block(body, depth + 1));
            return self.push(StmtKind::While(again, inner), out);
        }
        let n = self.local(body, "n");
        let most = 1 + i128::from(self.pick(2));
        self.push(StmtKind::SetLocal(n, int(0)), out);
        body.numbers.push(n);
        let mut inner = self.block(body, depth + 1);
        self.push(StmtKind::SetLocal(n, binary(BinOp::Add, Expr::Local(n), int(1))), &mut inner);
        self.push(StmtKind::While(binary(BinOp::Lt, Expr::Local(n), int(most)), inner), out);
    }

    fn args(&mut self, task: ProcId, body: &Body) -> Vec<Expr> {
        (0..self.program.proc(task).params).map(|_| self.condition(body)).collect()
    }

    /// The tasks that a body may start: later ones only, so that every program has finitely many tasks.
    fn startable(&self, body: &Body) -> Option<(u32, u32)> {
        let end = self.events + self.tasks;
        let first = match self.program.procs[body.proc].kind {
            ProcKind::Event { .. } => self.events,
            ProcKind::Task { .. } => body.proc as u32 + 1,
            ProcKind::Proc => end,
        };
        (first < end).then_some((first, end))
    }

    fn start(&mut self, body: &mut Body, out: &mut Block) {
        let startable = self.startable(body);
        let own = ProcId(body.proc as u32);
        let again = match self.program.procs[body.proc].kind {
            ProcKind::Task { .. } if self.program.proc(own).params > 0 => self.pick(4) == 3,
            _ => false,
        };
        if startable.is_none() && !again {
            let kind = self.simple(body);
            return self.push(kind, out);
        }
        let handle = match (self.pick(4), body.handles.last()) {
            (0, _) => None,
            (3, Some(&known)) => Some(known),
            _ => Some(self.local(body, "h")),
        };
        body.handles.extend(handle);
        let Some((first, end)) = startable.filter(|_| !again) else {
            // A task starts itself, once more.
            let mut start = Vec::new();
            self.push(StmtKind::Async { task: own, args: vec![constant(false)], handle }, &mut start);
            return self.push(StmtKind::If(Expr::Local(LocalId(0)), start, Vec::new()), out);
        };
        if self.pick(8) == 7 {
            let proc = self.proc(Role::Starter);
            return self.push(StmtKind::Call { proc, args: Vec::new(), result: handle }, out);
        }
        let task = ProcId(first + self.pick(end - first));
        let args = self.args(task, body);
        self.push(StmtKind::Async { task, args, handle }, out);
    }

    fn wait(&mut self, body: &mut Body, out: &mut Block) {
        let Some(&handle) = body.handles.last() else { return self.start(body, out) };
        match self.pick(8) {
            0..3 => {
                body.handles.pop();
                self.push(StmtKind::Join(handle), out);
            }
            3..6 => {
                body.handles.pop();
                self.push(StmtKind::Await(handle), out);
            }
            6 => {
                let copy = self.local(body, "h");
                self.push(StmtKind::SetLocal(copy, Expr::Local(handle)), out);
                let wait = if self.pick(2) == 0 { StmtKind::Join } else { StmtKind::Await };
                self.push(wait(copy), out);
            }
            _ => {
                let proc = self.proc(Role::Waiter);
                let args = vec![Expr::Local(handle)];
                self.push(StmtKind::Call { proc, args, result: None }, out);
            }
        }
    }

    fn call(&mut self, body: &mut Body) -> StmtKind {
        if self.program.procs[body.proc].kind == ProcKind::Proc {
            return self.simple(body);
        }
        if self.pick(4) == 3 {
            let proc = self.proc(Role::Again);
            return StmtKind::Call { proc, args: vec![int(0)], result: None };
        }
        let proc = self.proc(Role::Helper);
        let args = vec![self.condition(body)];
        let result = (self.pick(2) != 0).then(|| self.local(body, "b"));
        body.flags.extend(result);
        StmtKind::Call { proc, args, result }
    }
}
