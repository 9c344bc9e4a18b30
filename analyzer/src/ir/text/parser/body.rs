//! Bodies: blocks and statements.

use super::super::lexer::{Error, Token};
use super::{Parser, Result, declare};
use crate::ir::*;

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Result<Block> {
        self.expect("{")?;
        let mut block = Vec::new();
        while !self.eat("}") {
            block.push(self.nested(Self::stmt)?);
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
                let rounds = self.number()?;
                let Ok(k) = u32::try_from(rounds) else {
                    return self.fail_back(match rounds < 0 {
                        true => "a loop cannot run less than 0 times",
                        false => "a loop cannot run that often",
                    });
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
        Ok(Stmt { label, place: Some(place), basis: None, kind })
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
                vec![self.nested(|parser| parser.if_stmt(label))?]
            }
            true => self.block()?,
            false => Vec::new(),
        };
        Ok(Stmt { label, place, basis: None, kind: StmtKind::If(e, yes, no) })
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
                if declare(&mut self.names.classes, &class, self.program.classes.len()) {
                    self.program.classes.push(class.clone());
                }
                StmtKind::Update(x, ClassId(self.names.classes[&class]))
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
        match self.names.locks.get(&name) {
            Some(&i) => Ok(LockId(i)),
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
            if declare(&mut parser.locals, &name, locals.len()) {
                locals.push(name.clone());
            }
            LocalId(parser.locals[&name])
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
        let Some(proc) = self.names.procs.get(&name).copied().map(ProcId) else {
            return self.fail_back(format!("there is no task or procedure `{name}`"));
        };
        let (callee, at) = (self.program.proc(proc), self.at - 1);
        let (kind, params) = (callee.kind, callee.params);
        let mut args = Vec::new();
        self.expect("(")?;
        while !self.eat(")") {
            args.push(self.expr()?);
            if !self.eat(",") && *self.peek() != Token::Sign(")") {
                return self.wrong("`,` or `)`");
            }
        }
        let problem = match (&word, kind) {
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
        if args.len() != params {
            let message = format!("`{name}` takes {params} argument(s), not {}", args.len());
            return Err(Error { message, span: self.tokens[at].1.clone() });
        }
        Ok(match word {
            Token::Word("call") => StmtKind::Call { proc, args, result: target },
            Token::Word("defer") => StmtKind::Defer { task: proc, args, handle: target },
            _ => StmtKind::Async { task: proc, args, handle: target },
        })
    }

    pub(super) fn known_local(&mut self) -> Result<LocalId> {
        let name = self.name("a local variable")?;
        match self.locals.get(&name) {
            Some(&i) => Ok(LocalId(i)),
            None => self.fail_back(format!("`{name}` is not assigned above")),
        }
    }
}
