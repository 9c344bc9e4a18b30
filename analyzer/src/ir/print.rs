//! Programs as `.rob` text. [`super::text::parse`] is the inverse.

use std::fmt::{self, Display, Formatter};

use super::*;

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, e) in self.executors.iter().enumerate() {
            match (i, e.exclusive) {
                (0, false) => {}
                (_, true) => writeln!(f, "executor {} exclusive;", ident(&e.name))?,
                (_, false) => writeln!(f, "executor {};", ident(&e.name))?,
            }
        }
        for l in &self.locks {
            writeln!(f, "lock {};", ident(&l.name))?;
        }
        for v in &self.vars {
            let name = ident(&v.name);
            let first = if v.open { "*".to_owned() } else { v.init.to_string() };
            match v.domain {
                None => writeln!(f, "var {name};")?,
                Some(Domain::Bool) => writeln!(f, "var {name}: bool = {first};")?,
                Some(Domain::Presence) => writeln!(f, "var {name}: presence = {first};")?,
                Some(Domain::Variant { lo, hi }) => writeln!(f, "var {name}: variant {lo}..{hi} = {first};")?,
                Some(Domain::Int { lo, hi }) => writeln!(f, "var {name}: int {lo}..{hi} = {first};")?,
            }
        }
        for p in &self.procs {
            writeln!(f)?;
            Printer { program: self, proc: p, out: f }.proc()?;
        }
        Ok(())
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(i) => write!(f, "{i}"),
        }
    }
}

/// A name as the text form writes it: bare when it is an identifier, in backquotes otherwise (`` `self.sessions` ``).
fn ident(name: &str) -> String {
    let mut chars = name.chars();
    let bare = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !text::is_keyword(name);
    match name {
        "" => "`'`".into(),
        _ if bare => name.to_string(),
        _ => format!("`{}`", name.replace(['`', '\n'], "'")),
    }
}

struct Printer<'p, 'f, 'o> {
    program: &'p Program,
    proc: &'p Proc,
    out: &'f mut Formatter<'o>,
}

impl Printer<'_, '_, '_> {
    fn proc(&mut self) -> fmt::Result {
        let (p, name) = (self.proc, ident(&self.proc.name));
        let params = p.locals[..p.params].iter().map(|l| ident(l)).collect::<Vec<_>>().join(", ");
        match p.kind {
            ProcKind::Event { once, alone, on, guard } => {
                let times = match (alone, once) {
                    (true, _) => "alone ",
                    (false, true) => "once ",
                    (false, false) => "",
                };
                write!(self.out, "event {times}{name} on {}", self.place(on))?;
                if let Some(g) = guard {
                    write!(self.out, " when {}", self.var(g))?;
                }
            }
            ProcKind::Task { on } => write!(self.out, "task {name}({params}) on {}", self.place(on))?,
            ProcKind::Proc => write!(self.out, "proc {name}({params})")?,
        }
        self.out.write_str(" ")?;
        self.block(&p.body, 0)?;
        self.out.write_str("\n")
    }

    fn block(&mut self, block: &Block, depth: usize) -> fmt::Result {
        self.out.write_str("{\n")?;
        for s in block {
            write!(self.out, "{:1$}", "", 4 * (depth + 1))?;
            self.stmt(s, depth + 1)?;
        }
        write!(self.out, "{:1$}}}", "", 4 * depth)
    }

    fn stmt(&mut self, s: &Stmt, depth: usize) -> fmt::Result {
        match &s.kind {
            StmtKind::Read(x) => writeln!(self.out, "read {};", self.var(*x)),
            StmtKind::Write(x) => writeln!(self.out, "write {};", self.var(*x)),
            StmtKind::Update(x, c) => {
                let class = ident(&self.program.classes[c.index()]);
                writeln!(self.out, "update {} by {class};", self.var(*x))
            }
            StmtKind::SetVar(x, e) => writeln!(self.out, "{} := {};", self.var(*x), self.expr(e, 0)),
            StmtKind::SetLocal(t, e) => writeln!(self.out, "{} := {};", self.local(*t), self.expr(e, 0)),
            StmtKind::Assume(e) => writeln!(self.out, "assume {};", self.expr(e, 0)),
            StmtKind::Acquire(l, Mode::Exclusive) => writeln!(self.out, "acquire {};", self.lock(*l)),
            StmtKind::Acquire(l, Mode::Shared) => writeln!(self.out, "acquire shared {};", self.lock(*l)),
            StmtKind::Release(l) => writeln!(self.out, "release {};", self.lock(*l)),
            StmtKind::Yield => writeln!(self.out, "yield;"),
            StmtKind::Async { task, args, handle } => {
                let on = match self.program.proc(*task).kind {
                    ProcKind::Task { on } => self.place(on),
                    _ => "any".into(),
                };
                let call = self.call(*task, args);
                writeln!(self.out, "{}async[{on}] {call};", self.target(*handle))
            }
            StmtKind::Defer { task, args, handle } => {
                writeln!(self.out, "{}defer {};", self.target(*handle), self.call(*task, args))
            }
            StmtKind::Join(h) => writeln!(self.out, "join {};", self.local(*h)),
            StmtKind::Await(h) => writeln!(self.out, "await {};", self.local(*h)),
            StmtKind::Force(h) => writeln!(self.out, "force {};", self.local(*h)),
            StmtKind::RunDeferred => writeln!(self.out, "run deferred;"),
            StmtKind::Call { proc, args, result } => {
                writeln!(self.out, "{}call {};", self.target(*result), self.call(*proc, args))
            }
            StmtKind::Return(None) => writeln!(self.out, "return;"),
            StmtKind::Return(Some(e)) => writeln!(self.out, "return {};", self.expr(e, 0)),
            StmtKind::If(e, yes, no) => {
                write!(self.out, "if {} ", self.expr(e, 0))?;
                self.block(yes, depth)?;
                if !no.is_empty() {
                    self.out.write_str(" else ")?;
                    self.block(no, depth)?;
                }
                self.out.write_str("\n")
            }
            StmtKind::While(e, body) => {
                write!(self.out, "while {} ", self.expr(e, 0))?;
                self.block(body, depth)?;
                self.out.write_str("\n")
            }
            StmtKind::Loop(k, body) => {
                write!(self.out, "loop {k} ")?;
                self.block(body, depth)?;
                self.out.write_str("\n")
            }
        }
    }

    fn target(&self, local: Option<LocalId>) -> String {
        local.map(|l| format!("{} := ", self.local(l))).unwrap_or_default()
    }

    fn call(&self, proc: ProcId, args: &[Expr]) -> String {
        let args = args.iter().map(|a| self.expr(a, 0)).collect::<Vec<_>>().join(", ");
        format!("{}({args})", ident(&self.program.proc(proc).name))
    }

    fn place(&self, on: Where) -> String {
        match on {
            Where::Any => "any".into(),
            Where::On(e) => ident(&self.program.executors[e.index()].name),
        }
    }

    fn var(&self, x: VarId) -> String {
        ident(&self.program.vars[x.index()].name)
    }

    fn lock(&self, l: LockId) -> String {
        ident(&self.program.locks[l.index()].name)
    }

    fn local(&self, t: LocalId) -> String {
        ident(&self.proc.locals[t.index()])
    }

    /// The expression, in parentheses when it binds weaker than `least`.
    fn expr(&self, e: &Expr, least: u8) -> String {
        let (text, binds) = match e {
            Expr::Const(v) => (v.to_string(), 5),
            Expr::Local(t) => (self.local(*t), 5),
            Expr::Var(x) => (self.var(*x), 5),
            Expr::Any => ("*".into(), 5),
            Expr::Not(a) => (format!("!{}", self.expr(a, 5)), 5),
            Expr::Binary(op, a, b) => {
                let (sign, binds) = match op {
                    BinOp::Or => ("||", 1),
                    BinOp::And => ("&&", 2),
                    BinOp::Eq => ("==", 3),
                    BinOp::Lt => ("<", 3),
                    BinOp::Add => ("+", 4),
                    BinOp::Sub => ("-", 4),
                };
                // Comparisons do not chain; the other operators associate to the left.
                let left = if binds == 3 { 4 } else { binds };
                (format!("{} {sign} {}", self.expr(a, left), self.expr(b, binds + 1)), binds)
            }
        };
        if binds < least { format!("({text})") } else { text }
    }
}
