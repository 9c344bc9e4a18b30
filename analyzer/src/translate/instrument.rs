//! `before(s); if !skip { s }; after(s)` for every statement of every task (section 4).

mod body;

use body::Body;

use super::build::*;
use super::names::{Held, Lambda, Names, Section, Span};
use super::{GENERATED, Mutation, Precision};
use crate::ir::calls::Calls;
use crate::ir::*;
use crate::semantics::{Access, AccessKind, Op, Signal};

/// What the instrumented tasks look for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// A pivot and its root in one event.
    Determinism,
    /// A pivot of the delayed event and a chain of entries and exits that leads back to it.
    Serializability,
}

pub(super) struct Instrument {
    pub names: Names,
    pub goal: Goal,
    /// By access number: the procedure for what follows such an access.
    touch: Vec<ProcId>,
    /// By lock or executor: acquisition alone, shared, and release.
    acquire: Vec<ProcId>,
    acquire_shared: Vec<Option<ProcId>>,
    release: Vec<ProcId>,
    /// For what follows when the running task comes to happen after another acquisition; in fine translations.
    newly_after: Option<ProcId>,
    /// Types of the original program's locals.
    types: Types,
    /// By original procedure: whether it can come to call itself.
    recursive: Vec<bool>,
}

impl Instrument {
    /// Instruments all tasks and procedures of a flattened program. Their ids stay; events become tasks.
    pub fn new(
        program: Program,
        types: Types,
        goal: Goal,
        precision: Precision,
        mutation: Mutation,
    ) -> Instrument {
        let originals = program.procs.len();
        let mut this = Instrument {
            names: Names::new(program, precision, mutation),
            goal,
            touch: Vec::new(),
            acquire: Vec::new(),
            acquire_shared: Vec::new(),
            release: Vec::new(),
            newly_after: None,
            types,
            recursive: Vec::new(),
        };
        this.recursive = Calls::new(&this.names.program).recursive();
        this.helpers();
        for p in 0..originals {
            this.proc(ProcId(p as u32));
        }
        this
    }

    /// Adds a procedure with a fresh name.
    pub fn add_proc(
        &mut self,
        name: &str,
        kind: ProcKind,
        params: usize,
        locals: Vec<String>,
        body: Block,
    ) -> ProcId {
        let procs = &mut self.names.program.procs;
        let mut name = name.to_string();
        while procs.iter().any(|p| p.name == name) {
            name.push('_');
        }
        procs.push(Proc {
            name,
            kind,
            params,
            locals,
            body,
            place: None,
            course: Course::Ends,
            elsewhere: false,
        });
        ProcId(procs.len() as u32 - 1)
    }

    fn helper(&mut self, name: &str, body: Block) -> ProcId {
        self.add_proc(name, ProcKind::Proc, 0, Vec::new(), body)
    }

    fn helpers(&mut self) {
        // Whoever comes to happen after an acquisition in the middle of a section that he completes makes it a spanning one.
        let mut spans = Vec::new();
        for held in &self.names.lambda {
            let Some(span) = &held.span else { continue };
            spans.push(assume(or(not(var(held.held)), or(var(held.dies), var(span.used)))));
            spans.push(when(var(span.own), vec![set(span.needed, constant(true))]));
        }
        self.newly_after = (!spans.is_empty()).then(|| self.helper("newly_after", spans));
        for number in 0..self.names.accesses.list.len() {
            let body = self.touched(number);
            let touch = self.helper(&format!("touch_{}", number + 1), body);
            self.touch.push(touch);
        }
        for i in 0..self.names.lambda.len() {
            let name = self.names.lambda[i].name.clone();
            let body = self.acquired(i, Mode::Exclusive);
            let acquire = self.helper(&format!("acquire_{name}"), body);
            self.acquire.push(acquire);
            let shared = self.names.lambda[i].shared.is_some().then(|| {
                let body = self.acquired(i, Mode::Shared);
                self.helper(&format!("acquire_shared_{name}"), body)
            });
            self.acquire_shared.push(shared);
            let body = self.released(i);
            let release = self.helper(&format!("release_{name}"), body);
            self.release.push(release);
        }
    }

    fn sections(&self) -> impl Iterator<Item = &Section> {
        self.names.sections()
    }

    /// What follows an access that was executed.
    fn touched(&self, number: usize) -> Block {
        let mut body = Vec::new();
        let conflicting: Vec<usize> =
            self.names.accesses.conflicting(self.names.accesses.list[number]).collect();
        if conflicting.is_empty() {
            return body;
        }
        for section in self.sections() {
            let seen = any_of(conflicting.iter().filter_map(|&c| section.accesses[c]).map(var));
            body.extend(seen.map(|seen| self.comes_after(section, seen)));
            body.extend(section.accesses[number].map(|own| set(own, or(var(own), var(section.after)))));
        }
        let flags = self.names.flags;
        let signal = self.names.signals.of(self.names.accesses.list[number]);
        let is_in = |x| any_of(conflicting.iter().map(|&c| equal(var(x), number_of(c)))).expect("not empty");
        match self.goal {
            // What one task of an event misses, another one tells it: no order of theirs says anything of conditions.
            Goal::Determinism if signal.is_some() => {}
            Goal::Determinism => {
                body.push(when(
                    is_in(flags.pivot),
                    vec![either(vec![set(flags.root, constant(true))], vec![])],
                ));
            }
            Goal::Serializability => {
                let exit = |x| either(vec![set(x, number_of(number))], vec![]);
                let mut part = Vec::new();
                if signal.is_none() {
                    part.push(when(is_in(flags.exit), vec![set(flags.entered, constant(true))]));
                    body.push(when(var(flags.delayed), vec![exit(flags.exit)]));
                }
                if signal != Some(Signal::Enlist) {
                    part.push(exit(flags.temp_exit));
                    body.push(when(var(flags.taking_part), part));
                }
            }
        }
        body
    }

    /// The running task happens after a section's acquisition if `seen`.
    fn comes_after(&self, section: &Section, seen: Expr) -> Stmt {
        match self.newly_after {
            Some(newly_after) => {
                let news = and(not(var(section.after)), seen);
                when(news, vec![set(section.after, constant(true)), call(newly_after)])
            }
            None => set(section.after, or(var(section.after), seen)),
        }
    }

    /// An acquisition after a spanning section of the same lock was completed: before or after that one.
    fn around_span(&self, held: &Held, span: &Span, mode: Mode) -> Stmt {
        let follow = self
            .sections()
            .zip(&span.ends_after)
            .map(|(section, &after)| self.comes_after(section, var(after)));
        let precede = vec![set(span.precedes, constant(true))];
        let mut concerned = and(var(span.used), not(var(span.open)));
        if let (Some(shared), Mode::Shared) = (span.shared, mode) {
            concerned = and(concerned, not(var(shared)));
        }
        debug_assert!(held.span.is_some());
        when(concerned, vec![either(follow.collect(), precede)])
    }

    /// The acquisition of a lock or an executor by the running task.
    fn acquired(&self, i: usize, mode: Mode) -> Block {
        let held = &self.names.lambda[i];
        let (busy, section) = match (mode, held.busy_shared, &held.section_shared) {
            (Mode::Shared, Some(busy), Some(section)) => (busy, section),
            _ => (held.busy, &held.section),
        };
        let mut last = Vec::new();
        if self.names.mutation != Mutation::OneHolder {
            last.push(assume(not(var(held.busy))));
            last.extend(held.busy_shared.filter(|_| mode == Mode::Exclusive).map(|b| assume(not(var(b)))));
        }
        last.extend([
            set(busy, constant(true)),
            self.comes_after(section, constant(true)),
            set(held.dies, constant(true)),
        ]);
        last.extend(held.span.as_ref().map(|s| assume(not(var(s.precedes)))));
        let spanning = held.span.iter().map(|s| {
            let mut track = vec![set(s.used, constant(true)), set(s.open, constant(true))];
            track.extend([self.comes_after(&s.section, constant(true)), set(s.own, constant(true))]);
            track.extend(s.shared.map(|x| set(x, constant(mode == Mode::Shared))));
            when(not(var(s.used)), vec![either(track, vec![])])
        });
        let waited = held.waiting.iter().map(|w| {
            let mut track =
                vec![set(w.tracked, constant(true)), self.comes_after(&w.section, constant(true))];
            track.extend(w.section.accesses.iter().flatten().map(|&x| set(x, constant(false))));
            when(not(var(w.busy)), vec![either(track, vec![])])
        });
        let mut body: Block = held.span.iter().map(|s| self.around_span(held, s, mode)).collect();
        body.push(either(last, waited.chain(spanning).collect()));
        body.push(set(held.held, constant(true)));
        body.extend(held.shared.map(|s| set(s, constant(mode == Mode::Shared))));
        // Not re-entrant: who waits for itself never goes on.
        vec![stmt(StmtKind::If(var(held.held), vec![set(self.names.flags.skip, constant(true))], body))]
    }

    /// The release: the completed section must be movable before those of holders that stopped, and of holders that wait
    /// for this task.
    fn released(&self, i: usize) -> Block {
        let held = &self.names.lambda[i];
        let shared = || held.shared.map_or(constant(false), var);
        let mut body = vec![assume(not(var(held.dies)))];
        if self.names.mutation != Mutation::LockCheck {
            body.push(assume(not(var(held.section.after))));
            body.extend(held.section_shared.as_ref().map(|s| assume(or(shared(), not(var(s.after))))));
            body.extend(held.waiting.as_ref().map(|w| {
                let too_late = and(and(var(w.busy), var(w.must_end)), var(w.section.after));
                match w.shared {
                    Some(s) => assume(not(and(too_late, not(and(shared(), var(s)))))),
                    None => assume(not(too_late)),
                }
            }));
        }
        if let Some(span) = &held.span {
            body.push(assume(not(and(var(span.precedes), var(span.section.after)))));
            body.push(set(span.precedes, constant(false)));
            let mut ends = vec![assume(var(span.needed))];
            ends.extend(self.sections().zip(&span.ends_after).map(|(s, &x)| set(x, var(s.after))));
            ends.extend([set(span.open, constant(false)), set(span.own, constant(false))]);
            body.push(when(var(span.own), ends));
        }
        body.push(set(held.held, constant(false)));
        body.extend(held.waiting.as_ref().map(|w| set(w.tracked, constant(false))));
        vec![when(var(held.held), body)]
    }

    /// The flags that a task inherits when it is started.
    fn inherited(&self) -> Vec<Expr> {
        let spawn_edge = self.names.mutation != Mutation::SpawnEdge;
        let inherit = |x: VarId| if spawn_edge { var(x) } else { constant(false) };
        let mut flags = Vec::new();
        for held in &self.names.lambda {
            flags.push(inherit(held.section.after));
            flags.extend(held.section_shared.iter().map(|s| inherit(s.after)));
            flags.extend(
                held.waiting.iter().map(|w| and(inherit(w.section.after), or(var(w.busy), var(w.tracked)))),
            );
            flags.extend(held.span.iter().map(|s| inherit(s.section.after)));
        }
        flags
    }

    /// The arguments of a task that nothing happens before.
    pub fn no_inheritance(&self) -> Vec<Expr> {
        self.sections().map(|_| constant(false)).collect()
    }

    /// What a task that ends, or stops, tells the task that joins it.
    pub fn returned(&self) -> Vec<VarId> {
        std::iter::once(self.names.flags.skip).chain(self.sections().map(|s| s.after)).collect()
    }

    fn proc(&mut self, id: ProcId) {
        let proc = self.names.program.proc(id).clone();
        let mut locals = proc.locals.clone();
        let types = self.types.locals[id.index()].clone();
        let mut body =
            Body { of: self, locals: &mut locals, types: &types, params: proc.params, is_set: Vec::new() };
        let block = body.block(&proc.body);
        match proc.kind {
            ProcKind::Proc => {
                let place = &mut self.names.program.procs[id.index()];
                (place.locals, place.body) = (locals, block);
            }
            ProcKind::Event { on, guard, .. } => self.task(id, &proc, (locals, block), on, Some(guard)),
            ProcKind::Task { on } => self.task(id, &proc, (locals, block), on, None),
        }
    }

    /// The wrapper of a task around its instrumented body. `event` is the event's guard.
    fn task(
        &mut self,
        id: ProcId,
        proc: &Proc,
        (locals, block): (Vec<String>, Block),
        on: Where,
        event: Option<Option<VarId>>,
    ) {
        let body = self.add_proc(&format!("{}_body", proc.name), ProcKind::Proc, proc.params, locals, block);
        let executor = match on {
            Where::On(e) => self.names.executor(e),
            Where::Any => None,
        };
        let skip = self.names.flags.skip;
        let (mut params, mut out) = (proc.locals[..proc.params].to_vec(), vec![set(skip, constant(true))]);
        for held in &self.names.lambda {
            out.push(set(held.held, constant(false)));
            out.push(set(held.dies, constant(false)));
            out.extend(held.shared.map(|s| set(s, constant(false))));
            out.extend(held.span.iter().flat_map(|s| [s.own, s.precedes]).map(|x| set(x, constant(false))));
            if let Some(w) = &held.waiting {
                out.push(set(w.tracked, constant(false)));
                out.push(set(w.must_end, var(w.will_have_to_end)));
                out.push(set(w.will_have_to_end, constant(false)));
            }
        }
        for (i, section) in self.sections().enumerate() {
            out.push(set(section.after, Expr::Local(LocalId(params.len() as u32))));
            params.push(format!("inherited_{}", i + 1));
        }
        let mut begin = Vec::new();
        if let Some(Some(guard)) = event {
            begin.push(assume(var(guard)));
            begin.extend(self.after_guard(guard));
        }
        begin.push(Stmt {
            label: GENERATED,
            place: proc.place,
            basis: None,
            kind: StmtKind::SetVar(skip, constant(false)),
        });
        begin.extend(executor.map(|i| call(self.acquire[i])));
        match event {
            // An event that does not begin is as good as none.
            Some(_) => out.extend(begin),
            None => out.push(either(begin, vec![])),
        }
        let args = (0..proc.params as u32).map(|i| Expr::Local(LocalId(i))).collect();
        let run = stmt(StmtKind::Call { proc: body, args, result: None });
        let mut go_on = vec![run];
        go_on.extend(executor.map(|i| when(not(var(skip)), vec![call(self.release[i])])));
        out.push(when(not(var(skip)), go_on));
        // What happens before the event in question is over when that begins.
        out.push(assume(not(and(var(self.names.preparing), var(skip)))));
        // What is never given back was foretold at its acquisition.
        out.extend(self.names.lambda.iter().map(|h| assume(or(not(var(h.held)), var(h.dies)))));
        let place = &mut self.names.program.procs[id.index()];
        (place.kind, place.params) = (ProcKind::Task { on }, params.len());
        (place.locals, place.body) = (params, out);
    }

    /// A guard orders: the event happens after what wrote the guard.
    fn after_guard(&self, guard: VarId) -> Vec<Stmt> {
        let read = Access { var: guard, kind: AccessKind::Read };
        let writes: Vec<usize> = self.names.accesses.conflicting(read).collect();
        let sections = self.sections().filter_map(|section| {
            let seen = any_of(writes.iter().filter_map(|&w| section.accesses[w]).map(var))?;
            Some(set(section.after, or(var(section.after), seen)))
        });
        sections.collect()
    }
}

fn number_of(access: usize) -> Expr {
    number(access + 1)
}

fn number_zero() -> Expr {
    number(0)
}
