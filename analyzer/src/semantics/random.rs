//! Small random programs with every feature of the language, for comparing the translations with the oracle.
//!
//! A program is read off a string of bytes: each choice takes one byte, and 0 is the simplest choice. So any tool that
//! shrinks byte strings (proptest does) shrinks programs.

use crate::ir::*;

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

/// The program that a string of bytes stands for. Always valid.
pub fn program(bytes: &[u8], shape: Shape) -> Program {
    let mut random =
        Random { bytes: bytes.iter(), shape, program: Program::new(), labels: 0, events: 0, tasks: 0 };
    random.declarations();
    random.bodies();
    random.program
}

struct Random<'b> {
    bytes: std::slice::Iter<'b, u8>,
    shape: Shape,
    program: Program,
    labels: u32,
    events: u32,
    tasks: u32,
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
        self.bytes.next().map_or(0, |&b| b as u32 % n)
    }

    fn declarations(&mut self) {
        let p = &mut self.program;
        p.executors.push(Executor { name: "ui".into(), exclusive: false });
        p.executors.push(Executor { name: "actor".into(), exclusive: true });
        p.locks = ["l", "m"].map(|name| Lock { name: name.into() }).into();
        p.classes = ["add", "append"].map(String::from).into();
        let flag = Some(Domain::Bool);
        let count = Some(Domain::Int { lo: 0, hi: 2 });
        let var = |name: &str, domain, init| Var { name: name.into(), domain, init };
        p.vars = vec![
            var("text", None, Value::Bool(false)),
            var("flag", flag, Value::Bool(false)),
            var("count", count, Value::Int(0)),
            var("other", None, Value::Bool(false)),
        ];
        self.events = self.shape.events;
        self.tasks = 1 + self.pick(self.shape.tasks);
        for e in 0..self.events {
            let on = self.place();
            let (once, guard) = match self.pick(6) {
                4 => (true, None),
                5 if e > 0 => (false, Some(FLAG)),
                _ => (false, None),
            };
            self.add(format!("e{e}"), ProcKind::Event { once, on, guard });
        }
        for t in 0..self.tasks {
            let on = self.place();
            self.add(format!("t{t}"), ProcKind::Task { on });
        }
        self.add("helper".into(), ProcKind::Proc);
    }

    fn place(&mut self) -> Where {
        match self.pick(6) {
            0..3 => Where::Any,
            3 => Where::On(ExecId(0)),
            4 => Where::On(ExecId(1)),
            _ => Where::On(ExecId(2)),
        }
    }

    fn add(&mut self, name: String, kind: ProcKind) {
        let (params, locals) = match kind {
            ProcKind::Proc => (1, vec!["b".into()]),
            _ => (0, Vec::new()),
        };
        self.program.procs.push(Proc { name, kind, params, locals, body: Vec::new(), place: None });
    }

    fn bodies(&mut self) {
        for proc in 0..self.program.procs.len() {
            let is_helper = self.program.procs[proc].kind == ProcKind::Proc;
            let flags = if is_helper { vec![LocalId(0)] } else { Vec::new() };
            let left = 1 + self.pick(if is_helper { 2 } else { self.shape.statements });
            let mut body = Body { proc, handles: Vec::new(), flags, numbers: Vec::new(), left };
            let block = self.block(&mut body, 0);
            self.program.procs[proc].body = block;
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
        let kind = match self.pick(22) {
            0 => StmtKind::Write(TEXT),
            1 | 2 => StmtKind::Read(TEXT),
            3 => StmtKind::Write(OTHER),
            4 => StmtKind::Read(OTHER),
            5 => StmtKind::Update(OTHER, ClassId(0)),
            6 => StmtKind::Update(OTHER, ClassId(1)),
            7 => StmtKind::SetVar(FLAG, Expr::Const(Value::Bool(self.pick(2) == 0))),
            8 => StmtKind::SetVar(COUNT, self.number(body)),
            9 => {
                let t = self.local(body, "b");
                body.flags.push(t);
                StmtKind::SetLocal(t, self.condition(body))
            }
            10 => {
                let t = self.local(body, "n");
                let e = self.number(body);
                body.numbers.push(t);
                StmtKind::SetLocal(t, e)
            }
            11 | 12 => return self.locked(body, depth, out),
            13 => StmtKind::Yield,
            14..17 => return self.start(body, out),
            17 => match body.handles.pop() {
                Some(h) if self.pick(2) == 0 => StmtKind::Join(h),
                Some(h) => StmtKind::Await(h),
                None => return self.start(body, out),
            },
            18 if nest => {
                let e = self.condition(body);
                let yes = self.block(body, depth + 1);
                let no = if self.pick(2) == 0 { Vec::new() } else { self.block(body, depth + 1) };
                StmtKind::If(e, yes, no)
            }
            19 if nest => StmtKind::Loop(2, self.block(body, depth + 1)),
            20 => match self.pick(3) {
                0 => StmtKind::Assume(self.condition(body)),
                1 => StmtKind::Return(None),
                _ => StmtKind::Write(COUNT),
            },
            21 if self.program.procs[body.proc].kind != ProcKind::Proc => {
                let helper = ProcId(self.program.procs.len() as u32 - 1);
                StmtKind::Call { proc: helper, args: vec![self.condition(body)], result: None }
            }
            _ => StmtKind::Read(FLAG),
        };
        self.push(kind, out);
    }

    fn push(&mut self, kind: StmtKind, out: &mut Block) {
        out.push(Stmt { label: Label(self.labels), place: None, kind });
        self.labels += 1;
    }

    fn locked(&mut self, body: &mut Body, depth: u32, out: &mut Block) {
        let lock = LockId(self.pick(2));
        let mode = if self.pick(3) == 2 { Mode::Shared } else { Mode::Exclusive };
        self.push(StmtKind::Acquire(lock, mode), out);
        body.left += 1;
        let mut inner = self.block(body, depth + 1);
        out.append(&mut inner);
        // Now and then a lock is not given back.
        if self.pick(12) != 11 {
            self.push(StmtKind::Release(lock), out);
        }
    }

    fn start(&mut self, body: &mut Body, out: &mut Block) {
        // Tasks start later ones only, so that every program has finitely many.
        let is_task = |p: &Proc| matches!(p.kind, ProcKind::Task { .. });
        let events = self.events as usize;
        let first = if is_task(&self.program.procs[body.proc]) { body.proc + 1 } else { events };
        let end = events + self.tasks as usize;
        if first >= end || self.program.procs[body.proc].kind == ProcKind::Proc {
            return self.push(StmtKind::Write(TEXT), out);
        }
        let task = ProcId((first as u32) + self.pick((end - first) as u32));
        let handle = (self.pick(3) != 0).then(|| self.local(body, "h"));
        body.handles.extend(handle);
        self.push(StmtKind::Async { task, args: Vec::new(), handle }, out);
    }

    fn condition(&mut self, body: &Body) -> Expr {
        match self.pick(5) {
            0 => Expr::Any,
            1 => Expr::Var(FLAG),
            2 => Expr::Not(Expr::Var(FLAG).into()),
            3 => {
                let one = Expr::Const(Value::Int(1));
                let op = if self.pick(2) == 0 { BinOp::Eq } else { BinOp::Lt };
                Expr::Binary(op, self.number(body).into(), one.into())
            }
            _ => match body.flags.last() {
                Some(&t) => Expr::Local(t),
                None => Expr::Var(FLAG),
            },
        }
    }

    fn number(&mut self, body: &Body) -> Expr {
        match (self.pick(4), body.numbers.last()) {
            (0, _) => Expr::Const(Value::Int(1)),
            (1, _) => Expr::Var(COUNT),
            (2, Some(&t)) => Expr::Local(t),
            _ => Expr::Binary(BinOp::Add, Expr::Var(COUNT).into(), Expr::Const(Value::Int(1)).into()),
        }
    }
}
