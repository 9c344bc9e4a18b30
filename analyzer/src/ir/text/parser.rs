//! Tokens to a program. Declarations first, so that bodies may name what is declared further down; then the bodies.

use std::ops::Range;

use super::lexer::{Error, Token, tokens};
use super::line_column;
use crate::ir::*;

type Result<T> = std::result::Result<T, Error>;

pub(super) fn parse(source: &str, file: &str) -> Result<Program> {
    let mut parser =
        Parser { source, file, tokens: tokens(source)?, at: 0, program: Program::new(), proc: 0, labels: 0 };
    let bodies = parser.declarations()?;
    for (index, start) in bodies.into_iter().enumerate() {
        (parser.proc, parser.at) = (index, start);
        let body = parser.block()?;
        parser.program.procs[index].body = body;
    }
    Ok(parser.program)
}

struct Parser<'s> {
    source: &'s str,
    file: &'s str,
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    program: Program,
    /// The procedure whose body is being read.
    proc: usize,
    labels: u32,
}

// Tokens.
impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if token != Token::End {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(t) | Token::Sign(t) if *t == text);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        if self.eat(text) { Ok(()) } else { self.wrong(&format!("`{text}`")) }
    }

    fn name(&mut self, what: &str) -> Result<String> {
        match self.next() {
            Token::Name(name) => Ok(name),
            other => {
                self.at -= usize::from(other != Token::End);
                self.wrong(what)
            }
        }
    }

    fn number(&mut self) -> Result<i32> {
        let negative = self.eat("-");
        match *self.peek() {
            Token::Number(n) => {
                let n = if negative { -n } else { n };
                let Ok(n) = i32::try_from(n) else { return self.fail("this number is too large") };
                self.at += 1;
                Ok(n)
            }
            _ => self.wrong("a number"),
        }
    }

    fn wrong<T>(&self, expected: &str) -> Result<T> {
        let found = match self.peek() {
            Token::Name(n) => format!("`{n}`"),
            Token::Word(w) => format!("`{w}`"),
            Token::Number(n) => format!("`{n}`"),
            Token::Sign(s) => format!("`{s}`"),
            Token::End => "the end of the file".into(),
        };
        self.fail(format!("expected {expected}, found {found}"))
    }

    /// An error at the next token.
    fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(Error { message: message.into(), span: self.tokens[self.at].1.clone() })
    }

    /// An error at the previous token.
    fn fail_back<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(Error { message: message.into(), span: self.tokens[self.at - 1].1.clone() })
    }

    /// The place from a token up to the last one that was read.
    fn place(&mut self, from: usize) -> PlaceId {
        let (start, end) = (self.tokens[from].1.start, self.tokens[self.at - 1].1.end);
        let ((line, column), (end_line, end_column)) =
            (line_column(self.source, start), line_column(self.source, end));
        let place = SourcePlace { file: self.file.to_string(), line, column, end_line, end_column };
        self.program.places.push(place);
        PlaceId(self.program.places.len() as u32 - 1)
    }
}

// Declarations.
impl Parser<'_> {
    /// Reads everything but bodies; the token each procedure's body begins with. Executors and variables come first,
    /// since headers name them wherever they stand.
    fn declarations(&mut self) -> Result<Vec<usize>> {
        let mut headers = Vec::new();
        while *self.peek() != Token::End {
            let start = self.at;
            match self.peek().clone() {
                Token::Word("event" | "task" | "proc") => {
                    headers.push(start);
                    self.skip_proc()?;
                }
                Token::Word("executor" | "exclusive") => self.executor()?,
                Token::Word("lock") => self.lock()?,
                Token::Word("var") => self.var()?,
                _ => return self.wrong("`executor`, `lock`, `var`, `event`, `task` or `proc`"),
            }
        }
        let mut bodies = Vec::new();
        for start in headers {
            self.at = start;
            self.header()?;
            bodies.push(self.at);
        }
        Ok(bodies)
    }

    fn skip_proc(&mut self) -> Result<()> {
        let mut depth = 0;
        loop {
            match self.peek() {
                Token::Sign("{") => depth += 1,
                Token::Sign("}") => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return Ok(());
                    }
                    if depth < 0 {
                        return self.wrong("`{`");
                    }
                }
                Token::End => return self.wrong("`}`"),
                _ => {}
            }
            self.at += 1;
        }
    }

    fn executor(&mut self) -> Result<()> {
        let mut exclusive = self.eat("exclusive");
        self.expect("executor")?;
        exclusive |= self.eat("exclusive");
        let name = self.name("the executor's name")?;
        exclusive |= self.eat("exclusive");
        if name == "main" && !self.program.executors[0].exclusive {
            self.program.executors[0].exclusive = exclusive;
        } else if self.program.executors.iter().any(|e| e.name == name) {
            return self.fail_back(format!("executor `{name}` is declared twice"));
        } else {
            self.program.executors.push(Executor { name, exclusive });
        }
        self.expect(";")
    }

    fn lock(&mut self) -> Result<()> {
        self.expect("lock")?;
        let name = self.name("the lock's name")?;
        if self.program.locks.iter().any(|l| l.name == name) {
            return self.fail_back(format!("lock `{name}` is declared twice"));
        }
        self.program.locks.push(Lock { name });
        self.expect(";")
    }

    fn var(&mut self) -> Result<()> {
        self.expect("var")?;
        let name = self.name("the variable's name")?;
        if self.program.vars.iter().any(|v| v.name == name) {
            return self.fail_back(format!("variable `{name}` is declared twice"));
        }
        let (mut domain, mut init) = (None, Value::Bool(false));
        if self.eat(":") {
            if self.eat("bool") {
                domain = Some(Domain::Bool);
                if self.eat("=") {
                    init = match self.next() {
                        Token::Word("true") => Value::Bool(true),
                        Token::Word("false") => Value::Bool(false),
                        _ => return self.fail_back("expected `true` or `false`"),
                    };
                }
            } else {
                self.expect("int")?;
                let lo = self.number()?;
                self.expect("..")?;
                let hi = self.number()?;
                if lo > hi {
                    return self.fail_back(format!("the range {lo}..{hi} is empty"));
                }
                domain = Some(Domain::Int { lo, hi });
                let mut first = 0.clamp(lo, hi);
                if self.eat("=") {
                    first = self.number()?;
                    if !(lo..=hi).contains(&first) {
                        return self.fail_back(format!("{first} is not in {lo}..{hi}"));
                    }
                }
                init = Value::Int(first);
            }
        }
        self.program.vars.push(Var { name, domain, init });
        self.expect(";")
    }

    fn header(&mut self) -> Result<()> {
        let start = self.at;
        let word = self.next();
        let once = word == Token::Word("event") && self.eat("once");
        let name = self.name("a name")?;
        if self.program.proc_named(&name).is_some() {
            return self.fail_back(format!("`{name}` is declared twice"));
        }
        let mut locals = Vec::new();
        if self.eat("(") {
            while !self.eat(")") {
                let param = self.name("a parameter's name")?;
                if locals.contains(&param) {
                    return self.fail_back(format!("parameter `{param}` is declared twice"));
                }
                if self.shared(&param).is_some() {
                    return self.fail_back(format!("parameter `{param}` has the name of a shared variable"));
                }
                locals.push(param);
                if !self.eat(",") && *self.peek() != Token::Sign(")") {
                    return self.wrong("`,` or `)`");
                }
            }
        }
        let kind = match word {
            Token::Word("proc") => ProcKind::Proc,
            word => {
                let on = if self.eat("on") { self.executor_name()? } else { Where::On(ExecId(0)) };
                if word == Token::Word("task") {
                    ProcKind::Task { on }
                } else {
                    if !locals.is_empty() {
                        return self.fail("an event takes no parameters");
                    }
                    let guard = if self.eat("when") { Some(self.shared_name()?) } else { None };
                    ProcKind::Event { once, on, guard }
                }
            }
        };
        let place = Some(self.place(start));
        self.program.procs.push(Proc { name, kind, params: locals.len(), locals, body: Vec::new(), place });
        Ok(())
    }

    fn executor_name(&mut self) -> Result<Where> {
        if self.eat("any") {
            return Ok(Where::Any);
        }
        let name = self.name("an executor or `any`")?;
        match self.program.executors.iter().position(|e| e.name == name) {
            Some(i) => Ok(Where::On(ExecId(i as u32))),
            None => self.fail_back(format!("there is no executor `{name}`")),
        }
    }

    fn shared(&self, name: &str) -> Option<VarId> {
        self.program.vars.iter().position(|v| v.name == name).map(|i| VarId(i as u32))
    }

    fn shared_name(&mut self) -> Result<VarId> {
        let name = self.name("a shared variable")?;
        match self.shared(&name) {
            Some(x) => Ok(x),
            None => self.fail_back(format!("there is no shared variable `{name}`")),
        }
    }
}

// Bodies.
impl Parser<'_> {
    fn block(&mut self) -> Result<Block> {
        self.expect("{")?;
        let mut block = Vec::new();
        while !self.eat("}") {
            block.push(self.stmt()?);
        }
        Ok(block)
    }

    fn stmt(&mut self) -> Result<Stmt> {
        let start = self.at;
        let label = Label(self.labels);
        self.labels += 1;
        // Compound statements point to their head; simple ones end with a semicolon that is not part of the place.
        let (kind, place) = match self.peek().clone() {
            Token::Word("if") => return self.if_stmt(label),
            Token::Word("while") => {
                self.at += 1;
                let e = self.expr()?;
                let place = self.place(start);
                (StmtKind::While(e, self.block()?), place)
            }
            Token::Word("loop") => {
                self.at += 1;
                let Ok(k) = u32::try_from(self.number()?) else {
                    return self.fail_back("a loop cannot run less than 0 times");
                };
                let place = self.place(start);
                (StmtKind::Loop(k, self.block()?), place)
            }
            _ => {
                let kind = self.simple()?;
                let place = self.place(start);
                self.expect(";")?;
                (kind, place)
            }
        };
        Ok(Stmt { label, place: Some(place), kind })
    }

    fn if_stmt(&mut self, label: Label) -> Result<Stmt> {
        let start = self.at;
        self.expect("if")?;
        let e = self.expr()?;
        let place = Some(self.place(start));
        let yes = self.block()?;
        let no = match self.eat("else") {
            true if *self.peek() == Token::Word("if") => {
                let label = Label(self.labels);
                self.labels += 1;
                vec![self.if_stmt(label)?]
            }
            true => self.block()?,
            false => Vec::new(),
        };
        Ok(Stmt { label, place, kind: StmtKind::If(e, yes, no) })
    }

    fn simple(&mut self) -> Result<StmtKind> {
        let word = match self.peek().clone() {
            Token::Word(word) => word,
            Token::Name(_) => return self.assignment(),
            _ => return self.wrong("a statement"),
        };
        match word {
            "async" | "defer" | "call" => return self.starting(None),
            _ => self.at += 1,
        }
        Ok(match word {
            "read" => StmtKind::Read(self.shared_name()?),
            "write" => StmtKind::Write(self.shared_name()?),
            "update" => {
                let x = self.shared_name()?;
                self.expect("by")?;
                let class = self.name("a class of updates")?;
                let known = self.program.classes.iter().position(|c| *c == class);
                let index = known.unwrap_or_else(|| {
                    self.program.classes.push(class);
                    self.program.classes.len() - 1
                });
                StmtKind::Update(x, ClassId(index as u32))
            }
            "assume" => StmtKind::Assume(self.expr()?),
            "acquire" => {
                let mode = if self.eat("shared") { Mode::Shared } else { Mode::Exclusive };
                StmtKind::Acquire(self.lock_name()?, mode)
            }
            "release" => StmtKind::Release(self.lock_name()?),
            "yield" => StmtKind::Yield,
            "join" => StmtKind::Join(self.known_local()?),
            "await" => StmtKind::Await(self.known_local()?),
            "force" => StmtKind::Force(self.known_local()?),
            "run" => {
                self.expect("deferred")?;
                StmtKind::RunDeferred
            }
            "return" if *self.peek() == Token::Sign(";") => StmtKind::Return(None),
            "return" => StmtKind::Return(Some(self.expr()?)),
            _ => {
                self.at -= 1;
                return self.wrong("a statement");
            }
        })
    }

    fn lock_name(&mut self) -> Result<LockId> {
        let name = self.name("a lock")?;
        match self.program.locks.iter().position(|l| l.name == name) {
            Some(i) => Ok(LockId(i as u32)),
            None => self.fail_back(format!("there is no lock `{name}`")),
        }
    }

    fn assignment(&mut self) -> Result<StmtKind> {
        let name = self.name("a variable")?;
        if self.shared(&name).is_none() && *self.peek() != Token::Sign(":=") {
            return self.fail_back(format!("expected a statement, found `{name}`"));
        }
        self.expect(":=")?;
        if let Some(x) = self.shared(&name) {
            return Ok(StmtKind::SetVar(x, self.expr()?));
        }
        let local = |parser: &mut Self| {
            let locals = &mut parser.program.procs[parser.proc].locals;
            let known = locals.iter().position(|l| *l == name).unwrap_or_else(|| {
                locals.push(name.clone());
                locals.len() - 1
            });
            LocalId(known as u32)
        };
        if matches!(self.peek(), Token::Word("async" | "defer" | "call")) {
            let local = local(self);
            return self.starting(Some(local));
        }
        // The expression is read first: it must not name the local that this very statement introduces.
        let e = self.expr()?;
        Ok(StmtKind::SetLocal(local(self), e))
    }

    /// `async[E] p(..)`, `defer p(..)` or `call p(..)`.
    fn starting(&mut self, target: Option<LocalId>) -> Result<StmtKind> {
        let word = self.next();
        let on = match (&word, self.eat("[")) {
            (Token::Word("async"), true) => {
                let on = self.executor_name()?;
                self.expect("]")?;
                Some(on)
            }
            (_, true) => return self.fail_back("only `async` names an executor"),
            (_, false) => None,
        };
        let name = self.name("what to run")?;
        let Some(proc) = self.program.proc_named(&name) else {
            return self.fail_back(format!("there is no task or procedure `{name}`"));
        };
        let (callee, at) = (self.program.proc(proc).clone(), self.at - 1);
        let mut args = Vec::new();
        self.expect("(")?;
        while !self.eat(")") {
            args.push(self.expr()?);
            if !self.eat(",") && *self.peek() != Token::Sign(")") {
                return self.wrong("`,` or `)`");
            }
        }
        let problem = match (&word, callee.kind) {
            (Token::Word("call"), ProcKind::Proc) | (Token::Word("defer"), _) => None,
            (Token::Word("call"), _) => Some(format!("`{name}` is not a `proc`: it cannot be called")),
            (_, ProcKind::Task { on: own }) if on.is_some_and(|on| on != own) => {
                Some(format!("task `{name}` is declared to run elsewhere"))
            }
            (_, ProcKind::Task { .. }) => None,
            _ => Some(format!("`{name}` is not a `task`: it cannot be started")),
        };
        if let Some(message) = problem {
            return Err(Error { message, span: self.tokens[at].1.clone() });
        }
        if args.len() != callee.params {
            let message = format!("`{name}` takes {} argument(s), not {}", callee.params, args.len());
            return Err(Error { message, span: self.tokens[at].1.clone() });
        }
        Ok(match word {
            Token::Word("call") => StmtKind::Call { proc, args, result: target },
            Token::Word("defer") => StmtKind::Defer { task: proc, args, handle: target },
            _ => StmtKind::Async { task: proc, args, handle: target },
        })
    }

    fn known_local(&mut self) -> Result<LocalId> {
        let name = self.name("a local variable")?;
        match self.program.procs[self.proc].locals.iter().position(|l| *l == name) {
            Some(i) => Ok(LocalId(i as u32)),
            None => self.fail_back(format!("`{name}` is not assigned above")),
        }
    }
}

// Expressions, loosest binding first.
impl Parser<'_> {
    fn expr(&mut self) -> Result<Expr> {
        self.left_associative(&[("||", BinOp::Or)], |p| {
            p.left_associative(&[("&&", BinOp::And)], Self::comparison)
        })
    }

    fn comparison(&mut self) -> Result<Expr> {
        let a = self.sum()?;
        for (sign, op) in [("==", BinOp::Eq), ("<", BinOp::Lt)] {
            if self.eat(sign) {
                return Ok(Expr::Binary(op, a.into(), self.sum()?.into()));
            }
        }
        Ok(a)
    }

    fn sum(&mut self) -> Result<Expr> {
        self.left_associative(&[("+", BinOp::Add), ("-", BinOp::Sub)], Self::unary)
    }

    fn left_associative(
        &mut self,
        ops: &[(&str, BinOp)],
        mut part: impl FnMut(&mut Self) -> Result<Expr>,
    ) -> Result<Expr> {
        let mut a = part(self)?;
        while let Some((_, op)) = ops.iter().find(|(sign, _)| self.eat(sign)) {
            a = Expr::Binary(*op, a.into(), part(self)?.into());
        }
        Ok(a)
    }

    fn unary(&mut self) -> Result<Expr> {
        if self.eat("!") {
            return Ok(Expr::Not(self.unary()?.into()));
        }
        if self.eat("(") {
            let e = self.expr()?;
            self.expect(")")?;
            return Ok(e);
        }
        if self.eat("*") {
            return Ok(Expr::Any);
        }
        match self.peek().clone() {
            Token::Word(word @ ("true" | "false")) => {
                self.at += 1;
                Ok(Expr::Const(Value::Bool(word == "true")))
            }
            Token::Number(_) | Token::Sign("-") => Ok(Expr::Const(Value::Int(self.number()?))),
            Token::Name(name) => match self.shared(&name) {
                Some(x) => {
                    self.at += 1;
                    Ok(Expr::Var(x))
                }
                None => Ok(Expr::Local(self.known_local()?)),
            },
            _ => self.wrong("an expression"),
        }
    }
}
