//! A program as Rust, each thing in one of the ways in which people write it.

use std::fmt::Write as _;

use fastrand::Rng;

use super::program::*;

/// The source of a module with the type `Shared`. The seed chooses how things are written, not what they mean.
pub fn module(program: &Program, seed: u64) -> String {
    let mut rng = Rng::with_seed(seed ^ 0x5EED);
    let handle = rng.u8(0..4) == 0;
    let mut source = Source {
        program,
        rng,
        text: String::new(),
        helpers: String::new(),
        result: false,
        types: Vec::new(),
        handle,
        parts: 0,
        blocking: 0,
    };
    source.whole();
    source.text
}

struct Source<'p> {
    program: &'p Program,
    rng: Rng,
    text: String,
    /// Private functions that the methods call.
    helpers: String,
    /// Whether the method that is being written returns something.
    result: bool,
    /// What its locals are.
    types: Vec<Type>,
    /// Whether the type is a handle that can be cloned, and its state is behind an `Arc`.
    handle: bool,
    parts: usize,
    /// How many closures and threads there are around, in which nothing can be awaited.
    blocking: usize,
}

/// How a field is reached at some place.
#[derive(Clone)]
struct Held {
    field: usize,
    /// What stands for the guard or the reference.
    name: String,
}

impl Source<'_> {
    fn whole(&mut self) {
        self.text.push_str("use std::collections::BTreeMap;\nuse std::mem;\nuse std::sync::atomic::{AtomicBool, AtomicI64, Ordering::SeqCst};\nuse std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};\n\n");
        let fields: Vec<(usize, Field)> = self.program.fields.iter().copied().enumerate().collect();
        let (state, derive) = if self.handle {
            self.text
                .push_str("#[derive(Clone, Default)]\npub struct Shared {\n    inner: Arc<State>,\n}\n\n");
            ("struct State", "#[derive(Default)]\n")
        } else {
            ("pub struct Shared", "#[derive(Default)]\n")
        };
        let _ = writeln!(self.text, "{derive}{state} {{");
        for &(i, field) in &fields {
            let _ = writeln!(self.text, "    f{i}: {},", self.declared(field));
        }
        self.text
            .push_str("}\n\nimpl Shared {\n    pub fn new() -> Self {\n        Self::default()\n    }\n");
        for &(i, field) in &fields {
            self.getter(i, field);
        }
        for (i, method) in self.program.methods.iter().enumerate() {
            self.method(i, method);
        }
        for &(i, field) in &fields {
            self.accessors(i, field);
        }
        let helpers = std::mem::take(&mut self.helpers);
        self.text.push_str(&helpers);
        self.text.push_str("}\n");
    }

    fn own(&self, field: usize) -> String {
        if self.handle { format!("self.inner.f{field}") } else { format!("self.f{field}") }
    }

    fn declared(&self, field: Field) -> String {
        match field.by {
            By::Atomic if field.kind == Kind::Flag => "AtomicBool".into(),
            By::Atomic => "AtomicI64".into(),
            By::Mutex => format!("Mutex<{}>", data(field.kind)),
            By::RwLock => format!("RwLock<{}>", data(field.kind)),
        }
    }

    fn getter(&mut self, i: usize, field: Field) {
        let own = self.own(i);
        let value = match (field.by, field.kind) {
            (By::Atomic, _) => format!("{own}.load(SeqCst)"),
            (By::Mutex, Kind::Number | Kind::Flag | Kind::Slot) => format!("*{own}.lock().unwrap()"),
            (By::RwLock, Kind::Number | Kind::Flag | Kind::Slot) => format!("*{own}.read().unwrap()"),
            (By::Mutex, _) => format!("{own}.lock().unwrap().clone()"),
            (By::RwLock, _) => format!("{own}.read().unwrap().clone()"),
        };
        let _ = writeln!(
            self.text,
            "\n    pub fn get{i}(&self) -> {} {{\n        {value}\n    }}",
            data(field.kind)
        );
    }

    /// Private ways to a field: what gives out a guard, and what runs something with it.
    fn accessors(&mut self, i: usize, field: Field) {
        let (own, data) = (self.own(i), data(field.kind));
        let (guards, writes): (&[(&str, &str, &str)], &str) = match field.by {
            By::Atomic => return,
            By::Mutex => (&[("lock", "MutexGuard", "lock")], "lock"),
            By::RwLock => {
                (&[("read", "RwLockReadGuard", "read"), ("lock", "RwLockWriteGuard", "write")], "write")
            }
        };
        for (name, guard, method) in guards {
            let _ = writeln!(
                self.text,
                "\n    #[allow(dead_code)]\n    fn {name}{i}(&self) -> {guard}<'_, {data}> {{\n        {own}.{method}().unwrap()\n    }}"
            );
        }
        let _ = writeln!(
            self.text,
            "\n    #[allow(dead_code)]\n    fn with{i}<R>(&self, f: impl FnOnce(&mut {data}) -> R) -> R {{\n        f(&mut {own}.{writes}().unwrap())\n    }}"
        );
    }

    fn method(&mut self, i: usize, method: &Method) {
        self.result = method.result.is_some();
        self.types = vec![Type::Nothing; method.locals];
        walk(&method.body, &mut |s| {
            if let Stmt::Access { act, into, .. } = s {
                self.types[*into] = act.gives();
            }
            if let Stmt::Each { into, .. } = s {
                self.types[*into] = Type::Number;
            }
        });
        let result = if self.result { " -> i64" } else { "" };
        let asynchronous = if self.program.is_async { "async " } else { "" };
        let _ = writeln!(
            self.text,
            "\n    #[allow(unused_variables)]\n    pub {asynchronous}fn method{i}(&self, key: i64){result} {{"
        );
        let mut body = String::new();
        self.blocking = 0;
        let after: Vec<usize> = method.result.and_then(Term::local).into_iter().collect();
        self.block(&method.body, &after, &[], 2, &mut body);
        self.text.push_str(&body);
        if let Some(term) = method.result {
            let _ = writeln!(self.text, "        {}", text(term));
        }
        self.text.push_str("    }\n");
    }

    /// Statements; `after`: the locals that are used behind them.
    fn block(&mut self, block: &[Stmt], after: &[usize], held: &[Held], depth: usize, out: &mut String) {
        for (i, stmt) in block.iter().enumerate() {
            let mut later = used(&block[i + 1..]);
            later.extend(after);
            match stmt {
                Stmt::Access { field, act, into } => {
                    self.access(*field, *act, *into, &later, held, depth, out)
                }
                Stmt::Section { field, body } => self.section(*field, body, &later, held, depth, out),
                Stmt::If { test, then, other } => self.branch(*test, then, other, held, depth, out),
                Stmt::Try { field, body, other } => self.attempt(*field, body, other, depth, out),
                Stmt::Each { field, into, body } => self.each(*field, *into, body, depth, out),
                Stmt::Beside { thread, here } => self.beside(thread, here, depth, out),
                Stmt::Return(term) => {
                    let text =
                        if self.result { format!("return {};", text(*term)) } else { "return;".into() };
                    line(out, depth, &text);
                }
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "all of them say where the statement is")]
    fn access(
        &mut self,
        field: usize,
        act: Act,
        into: usize,
        later: &[usize],
        held: &[Held],
        depth: usize,
        out: &mut String,
    ) {
        let f = self.program.fields[field];
        let wanted = act.gives() != Type::Nothing && later.contains(&into);
        let bind = if wanted { format!("let v{into}: {} = ", self.typed(&[into])) } else { String::new() };
        if f.by == By::Atomic {
            let value = atomic(&self.own(field), act);
            return line(out, depth, &format!("{bind}{value};"));
        }
        if let Some(at) = held.iter().find(|h| h.field == field) {
            let value = self.done(&at.name.clone(), act, wanted);
            return line(out, depth, &format!("{bind}{value};"));
        }
        match self.rng.u8(0..7) {
            // A section that is written out.
            0 | 1 => {
                let body = [Stmt::Access { field, act, into }];
                self.section(field, &body, later, held, depth, out);
            }
            2 => {
                let value = self.done("f", act, wanted);
                let value = if wanted || !value.contains(" = ") && !value.contains("+=") {
                    format!("{bind}self.with{field}(|f| {value});")
                } else {
                    format!("self.with{field}(|f| {{ {value}; }});")
                };
                line(out, depth, &value);
            }
            3 => {
                self.parts += 1;
                let name = format!("part{}", self.parts);
                let parameters: Vec<usize> = act.terms().into_iter().filter_map(Term::local).collect();
                let body = [Stmt::Access { field, act, into }];
                let exports: Vec<usize> = if wanted { vec![into] } else { Vec::new() };
                let call = self.helper(&name, &body, &parameters, &exports, held.is_empty());
                line(out, depth, &format!("{bind}{call};"));
            }
            _ => {
                let lock = self.lock(field, act.writes());
                let value = self.done(&lock, act, wanted);
                line(out, depth, &format!("{bind}{value};"));
            }
        }
    }

    /// A private function with a body; what a call of it looks like.
    fn helper(
        &mut self,
        name: &str,
        body: &[Stmt],
        parameters: &[usize],
        exports: &[usize],
        free: bool,
    ) -> String {
        // No guard is held over an await.
        let is_async = self.program.is_async && free && self.blocking == 0;
        let outer = std::mem::replace(&mut self.blocking, usize::from(!is_async));
        let mut parameters = parameters.to_vec();
        parameters.sort_unstable();
        parameters.dedup();
        let declared: String = parameters.iter().map(|l| format!(", v{l}: {}", self.typed(&[*l]))).collect();
        let given: String = parameters.iter().map(|l| format!(", v{l}")).collect();
        let returned =
            if exports.is_empty() { String::new() } else { format!(" -> {}", self.typed(exports)) };
        let (asynchronous, awaited) = if is_async { ("async ", ".await") } else { ("", "") };
        let mut text = format!(
            "\n    #[allow(unused_variables)]\n    {asynchronous}fn {name}(&self, key: i64{declared}){returned} {{\n"
        );
        self.block(body, exports, &[], 2, &mut text);
        if !exports.is_empty() {
            line(&mut text, 2, &tuple(exports));
        }
        text.push_str("    }\n");
        self.helpers.push_str(&text);
        self.blocking = outer;
        format!("self.{name}(key{given}){awaited}")
    }

    /// The type of some locals together.
    fn typed(&self, locals: &[usize]) -> String {
        let typed = |l: &usize| match self.types.get(*l) {
            Some(Type::Truth) => "bool",
            Some(Type::Maybe) => "Option<i64>",
            _ => "i64",
        };
        match locals {
            [one] => typed(one).into(),
            all => format!("({})", all.iter().map(typed).collect::<Vec<_>>().join(", ")),
        }
    }

    fn lock(&mut self, field: usize, write: bool) -> String {
        let own = self.own(field);
        let rw = self.program.fields[field].by == By::RwLock;
        let (helper, method) = match (rw, write) {
            (true, false) => ("read", "read"),
            (true, true) => ("lock", "write"),
            (false, _) => ("lock", "lock"),
        };
        match self.rng.u8(0..4) {
            0 => format!("self.{helper}{field}()"),
            1 => format!("{own}.{method}().unwrap_or_else(|e| e.into_inner())"),
            _ => format!("{own}.{method}().unwrap()"),
        }
    }

    fn section(
        &mut self,
        field: usize,
        body: &[Stmt],
        later: &[usize],
        held: &[Held],
        depth: usize,
        out: &mut String,
    ) {
        let mut exports = Vec::new();
        defined(body, &mut exports);
        exports.retain(|l| later.contains(l));
        let write = changes(body, field);
        let mutable = if write { "mut " } else { "" };
        let name = format!("g{field}");
        let mut within = held.to_vec();
        within.push(Held { field, name: name.clone() });
        let bind = if exports.is_empty() {
            String::new()
        } else {
            format!("let {}: {} = ", tuple(&exports), self.typed(&exports))
        };
        let ends = matches!(body.last(), Some(Stmt::Return(_)));
        let mut inner = String::new();
        match self.rng.u8(0..8) {
            0 | 1 if !ends => {
                let lock = self.lock(field, write);
                line(out, depth, &format!("let {mutable}{name} = {lock};"));
                self.block(body, &exports, &within, depth, &mut inner);
                out.push_str(&inner);
                line(out, depth, &format!("drop({name});"));
            }
            // `with` of a lock for readers and writers takes it alone.
            2 if !returns(body) && (write || self.program.fields[field].by == By::Mutex) => {
                self.blocking += 1;
                self.block(body, &exports, &within, depth + 1, &mut inner);
                self.blocking -= 1;
                line(out, depth, &format!("{bind}self.with{field}(|{name}| {{"));
                out.push_str(&inner);
                if !exports.is_empty() {
                    line(out, depth + 1, &tuple(&exports));
                }
                line(out, depth, "});");
            }
            3 => {
                let (own, rw) = (self.own(field), self.program.fields[field].by == By::RwLock);
                let method = if !rw {
                    "lock"
                } else if write {
                    "write"
                } else {
                    "read"
                };
                self.block(body, &exports, &within, depth + 2, &mut inner);
                line(out, depth, &format!("{bind}match {own}.{method}() {{"));
                line(out, depth + 1, &format!("Ok({mutable}{name}) => {{"));
                out.push_str(&inner);
                if !exports.is_empty() && !ends {
                    line(out, depth + 2, &tuple(&exports));
                }
                line(out, depth + 1, "}");
                line(out, depth + 1, "Err(e) => panic!(\"{e}\"),");
                line(out, depth, "};");
            }
            4 if held.is_empty() && !returns(body) => {
                self.parts += 1;
                let name = format!("part{}", self.parts);
                let mut inner = Vec::new();
                defined(body, &mut inner);
                let mut nested = Vec::new();
                walk(body, &mut |s| {
                    if let Stmt::Access { into, .. } = s {
                        nested.push(*into);
                    }
                });
                let parameters: Vec<usize> = used(body).into_iter().filter(|l| !nested.contains(l)).collect();
                let call = self.helper(
                    &name,
                    &[Stmt::Section { field, body: body.to_vec() }],
                    &parameters,
                    &exports,
                    true,
                );
                line(out, depth, &format!("{bind}{call};"));
            }
            _ => {
                let lock = self.lock(field, write);
                self.block(body, &exports, &within, depth + 1, &mut inner);
                line(out, depth, &format!("{bind}{{"));
                line(out, depth + 1, &format!("let {mutable}{name} = {lock};"));
                out.push_str(&inner);
                if !exports.is_empty() && !ends {
                    line(out, depth + 1, &tuple(&exports));
                }
                line(out, depth, if bind.is_empty() { "}" } else { "};" });
            }
        }
    }

    fn attempt(&mut self, field: usize, body: &[Stmt], other: &[Stmt], depth: usize, out: &mut String) {
        let (mut yes, mut no) = (String::new(), String::new());
        let name = format!("g{field}");
        self.block(body, &[], &[Held { field, name: name.clone() }], depth + 1, &mut yes);
        self.block(other, &[], &[], depth + 1, &mut no);
        let own = self.own(field);
        if self.rng.bool() {
            line(out, depth, &format!("if let Ok(mut {name}) = {own}.try_lock() {{"));
            out.push_str(&yes);
            line(out, depth, "} else {");
            out.push_str(&no);
            line(out, depth, "}");
        } else {
            line(out, depth, &format!("match {own}.try_lock() {{"));
            line(out, depth, &format!("Ok(mut {name}) => {{"));
            out.push_str(&yes);
            line(out, depth, "}");
            line(out, depth, "Err(_) => {");
            out.push_str(&no);
            line(out, depth, "}");
            line(out, depth, "}");
        }
    }

    fn each(&mut self, field: usize, into: usize, body: &[Stmt], depth: usize, out: &mut String) {
        let mut inner = String::new();
        self.block(body, &[], &[], depth + 1, &mut inner);
        let lock = self.lock(field, true);
        match self.rng.u8(0..3) {
            0 => {
                line(out, depth, "loop {");
                line(out, depth + 1, &format!("let Some(v{into}) = {lock}.pop() else {{ break }};"));
            }
            1 => line(out, depth, &format!("while let Some(v{into}) = self.with{field}(|f| f.pop()) {{")),
            _ => {
                line(out, depth, "loop {");
                line(out, depth + 1, &format!("let next = {lock}.pop();"));
                line(out, depth + 1, &format!("let v{into} = match next {{ Some(n) => n, None => break }};"));
            }
        }
        out.push_str(&inner);
        line(out, depth, "}");
    }

    fn beside(&mut self, thread: &[Stmt], here: &[Stmt], depth: usize, out: &mut String) {
        let (mut there, mut own) = (String::new(), String::new());
        self.blocking += 1;
        self.block(thread, &[], &[], depth + 2, &mut there);
        self.block(here, &[], &[], depth + 1, &mut own);
        self.blocking -= 1;
        line(out, depth, "std::thread::scope(|scope| {");
        line(out, depth + 1, "let thread = scope.spawn(|| {");
        out.push_str(&there);
        line(out, depth + 1, "});");
        out.push_str(&own);
        if self.rng.bool() {
            line(out, depth + 1, "thread.join().unwrap();");
        }
        line(out, depth, "});");
    }

    fn branch(
        &mut self,
        test: Test,
        then: &[Stmt],
        other: &[Stmt],
        held: &[Held],
        depth: usize,
        out: &mut String,
    ) {
        let (mut yes, mut no) = (String::new(), String::new());
        self.block(then, &[], held, depth + 1, &mut yes);
        self.block(other, &[], held, depth + 1, &mut no);
        if let (Test::Some(l, false), [Stmt::Return(_)], []) = (test, then, other)
            && self.rng.bool()
        {
            line(out, depth, &format!("let Some(_) = v{l} else {{ {} }};", yes.trim()));
            return;
        }
        let matched = match test {
            Test::Some(l, is) if self.rng.bool() => Some((l, is)),
            _ => None,
        };
        if let Some((l, is)) = matched {
            let (some, none) = if is { (&yes, &no) } else { (&no, &yes) };
            line(out, depth, &format!("match v{l} {{"));
            line(out, depth, "Some(_) => {");
            out.push_str(some);
            line(out, depth, "}");
            line(out, depth, "None => {");
            out.push_str(none);
            line(out, depth, "}");
            line(out, depth, "}");
            return;
        }
        let condition = match test {
            Test::Less(a, b) => format!("{} < {}", text(a), text(b)),
            Test::Equal(a, b) => format!("{} == {}", text(a), text(b)),
            Test::Is(l, true) => format!("v{l}"),
            Test::Is(l, false) => format!("!v{l}"),
            Test::Some(l, true) => format!("v{l}.is_some()"),
            Test::Some(l, false) => format!("v{l}.is_none()"),
        };
        line(out, depth, &format!("if {condition} {{"));
        out.push_str(&yes);
        if !other.is_empty() {
            line(out, depth, "} else {");
            out.push_str(&no);
        }
        line(out, depth, "}");
    }

    /// What is done to the data behind a guard or reference.
    fn done(&mut self, at: &str, act: Act, wanted: bool) -> String {
        match act {
            Act::Load => format!("*{at}"),
            Act::Store(t) => format!("*{at} = {}", text(t)),
            Act::Add(c) => format!("*{at} += {c}"),
            Act::Swap(t) if wanted => format!("mem::replace(&mut *{at}, {})", text(t)),
            Act::Swap(t) => format!("*{at} = {}", text(t)),
            Act::Exchange(..) | Act::Turn(_) => unreachable!("of atomics only"),
            // Both sides of an assignment would hold the lock.
            Act::Max(t) => format!("{{ let at = &mut *{at}; *at = (*at).max({}); }}", text(t)),
            Act::IsSet => format!("*{at}"),
            Act::Set(b) => format!("*{at} = {b}"),
            Act::Change(b) => format!("mem::replace(&mut *{at}, {b})"),
            Act::Has(t) if self.rng.bool() => format!("{at}.iter().any(|x| *x == {})", text(t)),
            Act::Has(t) => format!("{at}.contains(&{})", of(t)),
            Act::Without(t) => format!("{at}.retain(|x| *x != {})", text(t)),
            Act::Drain if self.rng.bool() => format!("{at}.drain(..).count() as i64"),
            Act::Drain => format!("mem::take(&mut *{at}).len() as i64"),
            Act::Ensure(k, v) => format!("*{at}.entry({}).or_insert({})", text(k), text(v)),
            Act::Raise(k, c) => {
                format!("{at}.get_mut(&{}).map(|x| *x += {c}).is_some()", of(k))
            }
            Act::Sum => format!("{at}.values().sum::<i64>()"),
            Act::See => format!("*{at}"),
            Act::Occupied => format!("{at}.is_some()"),
            Act::Fill(t) => format!("*{at} = Some({})", text(t)),
            Act::Take if self.rng.bool() => format!("mem::take(&mut *{at})"),
            Act::Take => format!("{at}.take()"),
            Act::Count => format!("{at}.len() as i64"),
            Act::Empty if self.rng.bool() => format!("({at}.len() == 0)"),
            Act::Empty => format!("{at}.is_empty()"),
            Act::Clear => format!("{at}.clear()"),
            Act::Push(t) => format!("{at}.push({})", text(t)),
            Act::Pop => format!("{at}.pop()"),
            Act::Last => format!("{at}.last().copied()"),
            Act::Insert(k, v) => format!("{at}.insert({}, {})", text(k), text(v)),
            Act::Get(k) => format!("{at}.get(&{}).copied()", of(k)),
            Act::Contains(k) if self.rng.bool() => format!("{at}.get(&{}).is_some()", of(k)),
            Act::Contains(k) => format!("{at}.contains_key(&{})", of(k)),
            Act::Remove(k) => format!("{at}.remove(&{})", of(k)),
            Act::Bump(k, c) => format!("*{at}.entry({}).or_insert(0) += {c}", text(k)),
        }
    }
}

/// The locals that a block leaves set, outside of its branches.
fn defined(block: &[Stmt], into: &mut Vec<usize>) {
    for stmt in block {
        match stmt {
            Stmt::Access { act, into: local, .. } if act.gives() != Type::Nothing => into.push(*local),
            Stmt::Section { body, .. } => defined(body, into),
            _ => {}
        }
    }
}

fn tuple(locals: &[usize]) -> String {
    match locals {
        [one] => format!("v{one}"),
        all => format!("({})", all.iter().map(|l| format!("v{l}")).collect::<Vec<_>>().join(", ")),
    }
}

fn line(out: &mut String, depth: usize, text: &str) {
    let _ = writeln!(out, "{}{text}", "    ".repeat(depth));
}

fn data(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "i64",
        Kind::Flag => "bool",
        Kind::Slot => "Option<i64>",
        Kind::List => "Vec<i64>",
        Kind::Map => "BTreeMap<i64, i64>",
    }
}

fn text(term: Term) -> String {
    match term {
        Term::Const(n) => n.to_string(),
        Term::Key => "key".into(),
        Term::Local(l) => format!("v{l}"),
        Term::Sum(l, n) => format!("v{l} + {n}"),
        Term::Or(l) => format!("v{l}.unwrap_or(0)"),
        Term::Of(l) => format!("i64::from(v{l})"),
    }
}

/// A term that something else is applied to.
fn of(term: Term) -> String {
    match term {
        Term::Sum(..) => format!("({})", text(term)),
        _ => text(term),
    }
}

fn atomic(own: &str, act: Act) -> String {
    match act {
        Act::Load => format!("{own}.load(SeqCst)"),
        Act::Store(t) => format!("{own}.store({}, SeqCst)", text(t)),
        Act::Add(c) if c < 0 => format!("{own}.fetch_sub({}, SeqCst)", -c),
        Act::Add(c) => format!("{own}.fetch_add({c}, SeqCst)"),
        Act::Max(t) => format!("{own}.fetch_max({}, SeqCst)", text(t)),
        Act::IsSet => format!("{own}.load(SeqCst)"),
        Act::Set(b) => format!("{own}.store({b}, SeqCst)"),
        Act::Change(b) => format!("{own}.swap({b}, SeqCst)"),
        Act::Turn(b) => format!("{own}.compare_exchange({}, {b}, SeqCst, SeqCst).is_ok()", !b),
        Act::Swap(t) => format!("{own}.swap({}, SeqCst)", text(t)),
        Act::Exchange(a, b) => {
            format!("{own}.compare_exchange({}, {}, SeqCst, SeqCst).is_ok()", text(a), text(b))
        }
        act => unreachable!("{act:?} of an atomic"),
    }
}
