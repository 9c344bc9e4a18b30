//! Tokens to a program. Declarations first, so that bodies may name what is declared further down; then the bodies.

mod body;
mod expr;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::lexer::{Error, Token, tokens};
use super::lines::Lines;
use crate::ir::*;

type Result<T> = std::result::Result<T, Error>;

pub(super) fn parse(source: &str, file: &str, lines: &Lines<'_>) -> Result<Program> {
    let mut parser = Parser {
        lines,
        file,
        tokens: tokens(source)?,
        at: 0,
        program: Program::new(),
        names: Names::default(),
        proc: 0,
        locals: HashMap::new(),
        labels: 0,
        depth: 0,
        height: 0,
    };
    parser.names.executors.insert("main".into(), 0);
    let bodies = parser.declarations()?;
    for (index, start) in bodies.into_iter().enumerate() {
        (parser.proc, parser.at) = (index, start);
        let params = parser.program.procs[index].locals.iter().cloned();
        parser.locals = params.zip(0..).collect();
        let body = parser.block()?;
        parser.program.procs[index].body = body;
    }
    Ok(parser.program)
}

struct Parser<'s> {
    lines: &'s Lines<'s>,
    file: &'s str,
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    program: Program,
    names: Names,
    /// The procedure whose body is being read.
    proc: usize,
    /// Its locals.
    locals: HashMap<String, u32>,
    labels: u32,
    /// How many blocks, parentheses and negations are open.
    depth: u32,
    /// How many operators are in each other in the expression that was read last.
    height: u32,
}

/// What names stand for: the number of each, by kind.
#[derive(Default)]
struct Names {
    executors: HashMap<String, u32>,
    locks: HashMap<String, u32>,
    vars: HashMap<String, u32>,
    classes: HashMap<String, u32>,
    procs: HashMap<String, u32>,
}

/// Gives a name the next number; false when it has one already.
fn declare(names: &mut HashMap<String, u32>, name: &str, number: usize) -> bool {
    match names.entry(name.to_string()) {
        Entry::Occupied(_) => false,
        Entry::Vacant(entry) => {
            entry.insert(number as u32);
            true
        }
    }
}

/// Blocks, parentheses and negations in each other. What reads programs is recursive, and must not run out of stack.
const NESTING: u32 = 400;

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

    fn number(&mut self) -> Result<i128> {
        let negative = self.eat("-");
        match *self.peek() {
            Token::Number(n) => {
                let n = if negative { -n } else { n };
                if !INTEGERS.contains(&n) {
                    return self.fail(format!(
                        "this number is too {}: {} to {} are integers",
                        if negative { "small" } else { "large" },
                        INTEGERS.start(),
                        INTEGERS.end()
                    ));
                }
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

    /// Reads something that may contain its like.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == NESTING {
            return self.fail(format!("nested more than {NESTING} deep"));
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// An error at the previous token.
    fn fail_back<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(Error { message: message.into(), span: self.tokens[self.at - 1].1.clone() })
    }

    /// The place from a token up to the last one that was read.
    fn place(&mut self, from: usize) -> PlaceId {
        let (start, end) = (self.tokens[from].1.start, self.tokens[self.at - 1].1.end);
        let ((line, column), (end_line, end_column)) = (self.lines.place(start), self.lines.place(end));
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
        } else if !declare(&mut self.names.executors, &name, self.program.executors.len()) {
            return self.fail_back(format!("executor `{name}` is declared twice"));
        } else {
            self.program.executors.push(Executor { name, exclusive });
        }
        self.expect(";")
    }

    fn lock(&mut self) -> Result<()> {
        self.expect("lock")?;
        let name = self.name("the lock's name")?;
        if !declare(&mut self.names.locks, &name, self.program.locks.len()) {
            return self.fail_back(format!("lock `{name}` is declared twice"));
        }
        self.program.locks.push(Lock { name });
        self.expect(";")
    }

    fn var(&mut self) -> Result<()> {
        self.expect("var")?;
        let name = self.name("the variable's name")?;
        if !declare(&mut self.names.vars, &name, self.program.vars.len()) {
            return self.fail_back(format!("variable `{name}` is declared twice"));
        }
        let (mut domain, mut init, mut open) = (None, Value::Bool(false), false);
        if self.eat(":") {
            let truth = [("bool", Domain::Bool), ("presence", Domain::Presence)];
            domain = truth.into_iter().find(|(word, _)| self.eat(word)).map(|(_, domain)| domain);
            if domain.is_some() {
                if self.eat("=") {
                    init = match self.next() {
                        Token::Word("true") => Value::Bool(true),
                        Token::Word("false") => Value::Bool(false),
                        Token::Sign("*") => {
                            open = true;
                            Value::Bool(false)
                        }
                        _ => return self.fail_back("expected `true`, `false` or `*`"),
                    };
                }
            } else {
                let is_variant = self.eat("variant");
                if !is_variant && !self.eat("int") {
                    return self.wrong("`bool`, `presence`, `variant` or `int`");
                }
                let lo = self.number()?;
                self.expect("..")?;
                let hi = self.number()?;
                if lo > hi {
                    return self.fail_back(format!("the range {lo}..{hi} is empty"));
                }
                domain = Some(match is_variant {
                    true => Domain::Variant { lo, hi },
                    false => Domain::Int { lo, hi },
                });
                let mut first = 0.clamp(lo, hi);
                let given = self.eat("=");
                open = given && is_variant && self.eat("*");
                if given && !open {
                    first = self.number()?;
                    if !(lo..=hi).contains(&first) {
                        return self.fail_back(format!("{first} is not in {lo}..{hi}"));
                    }
                }
                init = Value::Int(first);
            }
        }
        self.program.vars.push(Var { open, ..Var::new(name, domain, init) });
        self.expect(";")
    }

    fn header(&mut self) -> Result<()> {
        let start = self.at;
        let word = self.next();
        let alone = word == Token::Word("event") && self.eat("alone");
        let once = alone || (word == Token::Word("event") && self.eat("once"));
        let name = self.name("a name")?;
        if !declare(&mut self.names.procs, &name, self.program.procs.len()) {
            return self.fail_back(format!("`{name}` is declared twice"));
        }
        let (mut locals, mut known) = (Vec::new(), HashSet::new());
        if self.eat("(") {
            while !self.eat(")") {
                let param = self.name("a parameter's name")?;
                if !known.insert(param.clone()) {
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
                    ProcKind::Event { once, alone, on, guard }
                }
            }
        };
        let place = Some(self.place(start));
        self.program.procs.push(Proc {
            name,
            kind,
            params: locals.len(),
            locals,
            body: Vec::new(),
            place,
            course: Course::Ends,
            elsewhere: false,
        });
        Ok(())
    }

    fn executor_name(&mut self) -> Result<Where> {
        if self.eat("any") {
            return Ok(Where::Any);
        }
        let name = self.name("an executor or `any`")?;
        match self.names.executors.get(&name) {
            Some(&i) => Ok(Where::On(ExecId(i))),
            None => self.fail_back(format!("there is no executor `{name}`")),
        }
    }

    fn shared(&self, name: &str) -> Option<VarId> {
        self.names.vars.get(name).copied().map(VarId)
    }

    fn shared_name(&mut self) -> Result<VarId> {
        let name = self.name("a shared variable")?;
        match self.shared(&name) {
            Some(x) => Ok(x),
            None => self.fail_back(format!("there is no shared variable `{name}`")),
        }
    }
}
