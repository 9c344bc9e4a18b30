//! The statements of one procedure.

use super::*;

/// The instrumentation of one procedure's statements.
pub(super) struct Body<'a> {
    pub(super) of: &'a Instrument,
    pub(super) locals: &'a mut Vec<String>,
    pub(super) types: &'a [Type],
    /// How many of the locals are parameters.
    pub(super) params: usize,
    /// For locals that hold handles: the local that tells whether there is one.
    pub(super) is_set: Vec<(LocalId, LocalId)>,
}

impl Body<'_> {
    fn skip(&self) -> VarId {
        self.of.names.flags.skip
    }

    fn local(&mut self, name: &str) -> LocalId {
        let mut name = name.to_string();
        while self.locals.contains(&name) || self.of.names.program.vars.iter().any(|v| v.name == name) {
            name.push('_');
        }
        self.locals.push(name);
        LocalId(self.locals.len() as u32 - 1)
    }

    pub(super) fn block(&mut self, block: &Block) -> Block {
        block.iter().map(|s| self.stmt(s)).collect()
    }

    fn stmt(&mut self, s: &Stmt) -> Stmt {
        let running = not(var(self.skip()));
        let inner = match &s.kind {
            StmtKind::Assume(e) => vec![when(not(e.clone()), vec![set(self.skip(), constant(true))])],
            StmtKind::If(e, yes, no) => {
                vec![stmt_of(s, StmtKind::If(e.clone(), self.block(yes), self.block(no)))]
            }
            StmtKind::While(e, body) => {
                // Who never comes out of the loop has done something before: each round can be the one that does not end.
                let stay = either(self.stay(), vec![]);
                let body = std::iter::once(stay).chain(self.block(body)).collect();
                return stmt_of(s, StmtKind::While(and(running, e.clone()), body));
            }
            StmtKind::Loop(k, body) => vec![stmt_of(s, StmtKind::Loop(*k, self.block(body)))],
            StmtKind::SetLocal(h, e) if self.types.get(h.index()) == Some(&Type::Handle) => {
                let is_set = match e {
                    Expr::Local(other) => self.is_set(*other),
                    _ => constant(false),
                };
                vec![s.clone(), set_local(self.handle_is_set(*h), is_set)]
            }
            StmtKind::SetLocal(_, e) if !matches!(e, Expr::Var(_)) => vec![s.clone()],
            // Whether a procedure's handle is set is not followed: one that is not makes a run that does not replay.
            StmtKind::Call { result: Some(h), .. } if self.types[h.index()] == Type::Handle => {
                let call = vec![s.clone(), set_local(self.handle_is_set(*h), constant(true))];
                self.call(s, call)
            }
            StmtKind::Call { .. } => self.call(s, vec![s.clone()]),
            StmtKind::Return(_) => vec![s.clone()],
            _ if self.may_stop_at(s) => {
                let stops = and(not(var(self.of.names.preparing)), Expr::Any);
                vec![stmt(StmtKind::If(stops, self.stop(s), self.possible(s)))]
            }
            _ => self.possible(s),
        };
        when(running, inner)
    }

    /// A call. One that may never come back is like a loop that does not end.
    fn call(&self, s: &Stmt, call: Block) -> Block {
        match s.kind {
            StmtKind::Call { proc, .. } if self.of.recursive[proc.index()] => vec![either(self.stay(), call)],
            _ => call,
        }
    }

    /// The task does nothing any more.
    fn stay(&self) -> Block {
        vec![set(self.skip(), constant(true))]
    }

    /// Whether stopping at the statement makes a difference: it can be disturbed, or has to wait. What cannot, everybody
    /// may just as well go on with: a release, a start, an access that conflicts with nothing.
    fn may_stop_at(&self, s: &Stmt) -> bool {
        match s.kind {
            StmtKind::Acquire(..) | StmtKind::Yield | StmtKind::Join(_) | StmtKind::Await(_) => true,
            _ => self.conflicting(s).is_some(),
        }
    }

    /// The number of the statement's access, if anything conflicts with it.
    fn conflicting(&self, s: &Stmt) -> Option<usize> {
        let accesses = &self.of.names.accesses;
        self.access(s).filter(|&number| accesses.conflicting(accesses.list[number]).next().is_some())
    }

    /// The task stops here for good; if the statement is an access, it may be the pivot.
    fn stop(&self, s: &Stmt) -> Block {
        let flags = self.of.names.flags;
        let mut out = vec![stmt_of(s, StmtKind::SetVar(flags.skip, constant(true)))];
        if let Some(number) = self.conflicting(s).filter(|&number| self.may_be_pivot(number)) {
            let none_yet = equal(var(flags.pivot), number_zero());
            let possible = match self.of.goal {
                Goal::Determinism => none_yet,
                Goal::Serializability => and(var(flags.delayed), none_yet),
            };
            let pivot = stmt_of(s, StmtKind::SetVar(flags.pivot, number_of(number)));
            out.push(when(possible, vec![either(vec![pivot], vec![])]));
        }
        out
    }

    fn may_be_pivot(&self, number: usize) -> bool {
        let names = &self.of.names;
        let access = names.accesses.list[number];
        match self.of.goal {
            Goal::Determinism => names.signals.of(access).is_none(),
            Goal::Serializability => names.signals.may_be_pivot(access),
        }
    }

    fn access(&self, s: &Stmt) -> Option<usize> {
        let op = match s.kind {
            StmtKind::Read(x) | StmtKind::SetLocal(_, Expr::Var(x)) => Op::Read(x, None),
            StmtKind::Write(x) | StmtKind::SetVar(x, _) => Op::Write(x),
            StmtKind::Update(x, c) => Op::Update(x, c),
            _ => return None,
        };
        self.of.names.number(op.access()?)
    }

    /// The statement runs, or the task goes no further, because what it changes is not there.
    fn possible(&mut self, s: &Stmt) -> Block {
        let runs = self.visible(s);
        match s.kind {
            StmtKind::Update(x, class) => {
                let program = &self.of.names.program;
                let domain = program.vars[x.index()].domain;
                match domain.map(|domain| program.updated(domain, class)) {
                    Some(Updated::Present) => {
                        vec![when(not(var(x)), self.stay()), when(not(var(self.skip())), runs)]
                    }
                    _ => runs,
                }
            }
            _ => runs,
        }
    }

    /// The statement runs, and what follows from that.
    fn visible(&mut self, s: &Stmt) -> Block {
        match &s.kind {
            StmtKind::Acquire(l, mode) => {
                let i = self.of.names.lock(*l).expect("acquired locks are known");
                let acquire = match mode {
                    Mode::Exclusive => self.of.acquire[i],
                    Mode::Shared => self.of.acquire_shared[i].expect("acquired shared"),
                };
                vec![call(acquire), when(not(var(self.skip())), vec![s.clone()])]
            }
            StmtKind::Release(l) => {
                let release = self.of.names.lock(*l).map(|i| call(self.of.release[i]));
                std::iter::once(s.clone()).chain(release).collect()
            }
            StmtKind::Yield => {
                let mut out = vec![s.clone()];
                for i in self.cooperative() {
                    let held = self.of.names.lambda[i].held;
                    let resume = self.resume(i);
                    out.push(when(var(held), vec![call(self.of.release[i]), resume]));
                }
                out
            }
            StmtKind::Async { task, args, handle } => {
                let args = args.iter().cloned().chain(self.of.inherited()).collect();
                let start = stmt_of(s, StmtKind::Async { task: *task, args, handle: *handle });
                let is_set = handle.map(|h| set_local(self.handle_is_set(h), constant(true)));
                std::iter::once(start).chain(is_set).collect()
            }
            StmtKind::Join(h) => self.join(s, *h, false),
            StmtKind::Await(h) => self.join(s, *h, true),
            _ => {
                let touch = self.access(s).map(|n| call(self.of.touch[n]));
                std::iter::once(s.clone()).chain(touch).collect()
            }
        }
    }

    /// Executors that are given back at a yield.
    fn cooperative(&self) -> Vec<usize> {
        let names = &self.of.names;
        let is_cooperative = |h: &Held| match h.lambda {
            Lambda::Executor(e) => !names.program.executors[e.index()].exclusive,
            Lambda::Lock(_) => false,
        };
        (0..names.lambda.len()).filter(|&i| is_cooperative(&names.lambda[i])).collect()
    }

    /// Behind a suspension: the task stays suspended for good, or takes its executor again.
    fn resume(&self, i: usize) -> Stmt {
        either(vec![set(self.skip(), constant(true))], vec![call(self.of.acquire[i])])
    }

    /// Whether a local holds a handle. Handles that are passed in are.
    fn is_set(&mut self, handle: LocalId) -> Expr {
        match handle.index() < self.params {
            true => constant(true),
            false => Expr::Local(self.handle_is_set(handle)),
        }
    }

    fn handle_is_set(&mut self, handle: LocalId) -> LocalId {
        if let Some(&(_, flag)) = self.is_set.iter().find(|(h, _)| *h == handle) {
            return flag;
        }
        let name = format!("{}_is_set", self.locals[handle.index()]);
        let flag = self.local(&name);
        self.is_set.push((handle, flag));
        flag
    }

    /// The joined task runs here, in place of its parent; then the parent goes on, or has stopped with it.
    fn join(&mut self, s: &Stmt, handle: LocalId, gives_back: bool) -> Block {
        debug_assert_eq!(self.types[handle.index()], Type::Handle);
        let (mut before, mut restore, mut behind) = (Vec::new(), Vec::new(), Vec::new());
        let skip = self.skip();
        if gives_back {
            let is_set = self.is_set(handle);
            for i in self.cooperative() {
                let gave = self.local(&format!("gave_{}_back", self.of.names.lambda[i].name));
                let held = var(self.of.names.lambda[i].held);
                before.push(set_local(gave, and(held, is_set.clone())));
                before.push(when(Expr::Local(gave), vec![call(self.of.release[i])]));
                behind.push(when(and(Expr::Local(gave), not(var(skip))), vec![self.resume(i)]));
            }
        }
        // What the child's end makes the parent come after is looked at when the parent's own flags are back.
        let (newly_after, mut late) = (self.of.newly_after, Vec::new());
        let mut save = |body: &mut Self, x: VarId, or_childs: bool| {
            let name = format!("saved_{}", body.of.names.program.vars[x.index()].name);
            let saved = body.local(&name);
            before.push(set_local(saved, var(x)));
            let saved = Expr::Local(saved);
            match (or_childs, newly_after) {
                (false, _) => restore.push(set(x, saved)),
                (true, None) => restore.push(set(x, or(var(x), saved))),
                (true, Some(newly_after)) => late.push(stmt(StmtKind::If(
                    saved.clone(),
                    vec![set(x, constant(true))],
                    vec![when(var(x), vec![call(newly_after)])],
                ))),
            }
        };
        let of = self.of;
        for held in &of.names.lambda {
            [Some(held.held), Some(held.dies), held.shared]
                .into_iter()
                .flatten()
                .for_each(|x| save(self, x, false));
            held.span.iter().for_each(|s| [s.own, s.precedes].into_iter().for_each(|x| save(self, x, false)));
            held.waiting
                .iter()
                .for_each(|w| [w.tracked, w.must_end].into_iter().for_each(|x| save(self, x, false)));
        }
        of.sections().for_each(|section| save(self, section.after, true));
        for held in &of.names.lambda {
            let Some(w) = &held.waiting else { continue };
            let waits = self.local(&format!("waits_with_{}", held.name));
            let waits_now = and(and(var(held.held), not(var(held.dies))), not(var(w.busy)));
            before.push(set_local(waits, waits_now));
            let mut wait = vec![assume(var(w.tracked)), set(w.busy, constant(true))];
            wait.extend(w.shared.zip(held.shared).map(|(s, own)| set(s, var(own))));
            before.push(when(Expr::Local(waits), wait));
            let must = or(Expr::Local(waits), and(var(w.must_end), var(w.busy)));
            before.push(set(w.will_have_to_end, must));
            restore.push(set(w.will_have_to_end, constant(false)));
            restore.push(when(Expr::Local(waits), vec![set(w.busy, constant(false))]));
        }
        before.push(stmt_of(s, StmtKind::Join(handle)));
        before.into_iter().chain(restore).chain(late).chain(behind).collect()
    }
}
