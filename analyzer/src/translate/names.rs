//! The instrumentation's variables.

use std::collections::HashSet;

use super::{Flags, Mutation, Precision};
use crate::ir::calls::Calls;
use crate::ir::walk::each;
use crate::ir::*;
use crate::reach::Relevant;
use crate::semantics::{Access, AccessClasses, AccessKind, Code, Signals};

/// A lock or an executor: an element of the specification's Λ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lambda {
    Lock(LockId),
    Executor(ExecId),
}

/// The set of accesses that happen after the acquisition of one holder, and who else does.
pub(super) struct Section {
    /// Whether the running task happens after the acquisition.
    pub after: VarId,
    /// By access number: whether such an access happened after it. `None` where nothing conflicts with the access.
    pub accesses: Vec<Option<VarId>>,
}

/// What is remembered of one lock or executor.
pub(super) struct Held {
    pub lambda: Lambda,
    pub name: String,
    /// Per task: it holds the lock.
    pub held: VarId,
    /// Per task: it holds it shared.
    pub shared: Option<VarId>,
    /// Per task: it will never give it back (prophecy).
    pub dies: VarId,
    /// A task stopped while holding it alone, and what happens after that.
    pub busy: VarId,
    pub section: Section,
    /// The same for tasks that stopped while holding it shared.
    pub busy_shared: Option<VarId>,
    pub section_shared: Option<Section>,
    /// Bookkeeping for tasks that join while they hold it; `None` where no task does.
    pub waiting: Option<Waiting>,
    /// The completed section that others may have to be ordered around; `None` in coarse translations.
    pub span: Option<Span>,
}

/// A completed section in the middle of which its task comes to happen after another holder's acquisition. A section of the
/// same lock that is run later can then not be put anywhere: it comes before the whole, or after it and so after the
/// other holder's acquisition as well.
pub(super) struct Span {
    /// There is such a section. One per lock is told from the others.
    pub used: VarId,
    /// It is not over yet.
    pub open: VarId,
    /// It does span an acquisition.
    pub needed: VarId,
    /// It was shared.
    pub shared: Option<VarId>,
    /// Per task: its holding is that section.
    pub own: VarId,
    /// Per task: its holding comes before that section.
    pub precedes: VarId,
    /// What happens after the section's acquisition.
    pub section: Section,
    /// By section (in the order of [`Names::sections`]): whether the end of this one happens after its acquisition.
    pub ends_after: Vec<VarId>,
}

/// A holder that waits for a joined task and will go on.
pub(super) struct Waiting {
    /// An ancestor of the running task waits while it holds the lock.
    pub busy: VarId,
    /// It holds it shared.
    pub shared: Option<VarId>,
    /// Per task: its holding is the one that `section` is about.
    pub tracked: VarId,
    /// What happens after the waiting holder's acquisition.
    pub section: Section,
    /// Per task: the waiting holder goes on only when this task ended.
    pub must_end: VarId,
    /// Tells a task that begins what its `must_end` is.
    pub will_have_to_end: VarId,
}

pub(super) struct Names {
    pub program: Program,
    pub accesses: AccessClasses,
    pub signals: Signals,
    pub flags: Flags,
    pub error: VarId,
    /// What runs now comes before the event whose determinism is asked: nobody stops.
    pub preparing: VarId,
    pub lambda: Vec<Held>,
    pub mutation: Mutation,
    precision: Precision,
    taken: HashSet<String>,
}

impl Names {
    /// Declares all instrumentation variables in a copy of the (flattened) program.
    pub fn new(program: Program, precision: Precision, mutation: Mutation) -> Names {
        let ops: Vec<_> = program.procs.iter().map(Code::new).collect();
        let access = |a: Access| match (mutation, a.kind) {
            (Mutation::Commuting, AccessKind::Update(_)) => Access { kind: AccessKind::Write, ..a },
            _ => a,
        };
        let accesses = AccessClasses::new(
            ops.iter().flat_map(|c| c.ops.iter().filter_map(|(op, _)| op.access().map(access))),
        );
        let mut taken: HashSet<String> = program.vars.iter().map(|v| v.name.clone()).collect();
        taken.extend(program.procs.iter().flat_map(|p| p.locals.iter().cloned()));
        let nothing = VarId(0);
        let flags = Flags {
            skip: nothing,
            pivot: nothing,
            root: nothing,
            exit: nothing,
            temp_exit: nothing,
            entered: nothing,
            taking_part: nothing,
            delayed: nothing,
        };
        let mut names = Names {
            signals: Signals::new(&program),
            program,
            accesses,
            flags,
            error: nothing,
            preparing: nothing,
            lambda: Vec::new(),
            mutation,
            precision,
            taken,
        };
        names.declare_flags();
        names.declare_lambda();
        names
    }

    /// The access as the translation sees it, by number.
    pub fn number(&self, access: Access) -> Option<usize> {
        let access = match (self.mutation, access.kind) {
            (Mutation::Commuting, AccessKind::Update(_)) => Access { kind: AccessKind::Write, ..access },
            _ => access,
        };
        self.accesses.number(access)
    }

    fn declare(&mut self, name: &str, domain: Domain) -> VarId {
        let mut name = name.to_string();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        let init = match domain {
            Domain::Bool | Domain::Presence => Value::Bool(false),
            Domain::Int { lo, .. } | Domain::Variant { lo, .. } => Value::Int(lo),
        };
        self.program.vars.push(Var::new(name, Some(domain), init));
        VarId(self.program.vars.len() as u32 - 1)
    }

    pub fn flag(&mut self, name: &str) -> VarId {
        self.declare(name, Domain::Bool)
    }

    fn declare_flags(&mut self) {
        let number = Domain::Int { lo: 0, hi: self.accesses.list.len().max(1) as i128 };
        self.flags = Flags {
            skip: self.flag("skip"),
            pivot: self.declare("pivot", number),
            root: self.flag("root_set"),
            exit: self.declare("exit", number),
            temp_exit: self.declare("temp_exit", number),
            entered: self.flag("entered"),
            taking_part: self.flag("taking_part"),
            delayed: self.flag("delayed"),
        };
        self.error = self.flag("error");
        self.preparing = self.flag("preparing");
    }

    fn declare_lambda(&mut self) {
        let uses = Uses::new(&self.program);
        let locks = (0..self.program.locks.len() as u32).map(|l| Lambda::Lock(LockId(l)));
        let executors = (0..self.program.executors.len() as u32).map(|e| Lambda::Executor(ExecId(e)));
        for lambda in locks.chain(executors) {
            if !uses.acquired.contains(&(lambda, Mode::Exclusive))
                && !uses.acquired.contains(&(lambda, Mode::Shared))
            {
                continue;
            }
            let name = match lambda {
                Lambda::Lock(l) => self.program.locks[l.index()].name.clone(),
                Lambda::Executor(e) => self.program.executors[e.index()].name.clone(),
            };
            let has_shared = uses.acquired.contains(&(lambda, Mode::Shared));
            let held = Held {
                lambda,
                held: self.flag(&format!("held_{name}")),
                shared: has_shared.then(|| self.flag(&format!("held_shared_{name}"))),
                dies: self.flag(&format!("dies_{name}")),
                busy: self.flag(&format!("busy_{name}")),
                section: self.section(&name),
                busy_shared: has_shared.then(|| self.flag(&format!("busy_shared_{name}"))),
                section_shared: has_shared.then(|| self.section(&format!("shared_{name}"))),
                waiting: uses.joined_under.contains(&lambda).then(|| Waiting {
                    busy: self.flag(&format!("waiting_{name}")),
                    shared: has_shared.then(|| self.flag(&format!("waiting_shared_{name}"))),
                    tracked: self.flag(&format!("tracked_{name}")),
                    section: self.section(&format!("waiting_{name}")),
                    must_end: self.flag(&format!("must_end_{name}")),
                    will_have_to_end: self.flag(&format!("will_have_to_end_{name}")),
                }),
                span: (self.precision == Precision::Fine).then(|| Span {
                    used: self.flag(&format!("span_{name}")),
                    open: self.flag(&format!("span_open_{name}")),
                    needed: self.flag(&format!("span_needed_{name}")),
                    shared: has_shared.then(|| self.flag(&format!("span_shared_{name}"))),
                    own: self.flag(&format!("own_span_{name}")),
                    precedes: self.flag(&format!("precedes_span_{name}")),
                    section: self.section(&format!("span_{name}")),
                    ends_after: Vec::new(),
                }),
                name,
            };
            self.lambda.push(held);
        }
        let sections = self.sections().count();
        for i in 0..self.lambda.len() {
            if self.lambda[i].span.is_some() {
                let name = self.lambda[i].name.clone();
                let ends_after =
                    (0..sections).map(|s| self.flag(&format!("span_{name}_after_{}", s + 1))).collect();
                self.lambda[i].span.as_mut().expect("as above").ends_after = ends_after;
            }
        }
    }

    /// All sections, in one order.
    pub fn sections(&self) -> impl Iterator<Item = &Section> {
        self.lambda.iter().flat_map(|h| {
            std::iter::once(&h.section)
                .chain(&h.section_shared)
                .chain(h.waiting.as_ref().map(|w| &w.section))
                .chain(h.span.as_ref().map(|s| &s.section))
        })
    }

    fn section(&mut self, name: &str) -> Section {
        let after = self.flag(&format!("after_{name}"));
        let accesses = self.accesses.list.clone();
        let accesses = accesses.iter().enumerate().map(|(i, a)| {
            let conflicting = self.accesses.conflicting(*a).next().is_some();
            conflicting.then(|| self.flag(&format!("seen_{name}_{}", i + 1)))
        });
        Section { after, accesses: accesses.collect() }
    }

    /// What lives on between two events; the first `originals` variables are the program's own.
    pub fn between(&self, originals: usize) -> Relevant {
        let mut values: Vec<VarId> = (0..originals as u32).map(VarId).collect();
        values.retain(|x| self.program.vars[x.index()].domain.is_some());
        values.extend([self.flags.pivot, self.flags.exit, self.error]);
        let mut restrictions = Vec::new();
        for held in &self.lambda {
            restrictions.extend([Some(held.busy), held.busy_shared].into_iter().flatten());
            values.extend(held.waiting.iter().flat_map(|w| [w.busy, w.will_have_to_end]));
        }
        restrictions.extend(self.sections().flat_map(|s| s.accesses.iter().flatten()));
        Relevant { values, restrictions }
    }

    pub fn executor(&self, e: ExecId) -> Option<usize> {
        self.lambda.iter().position(|h| h.lambda == Lambda::Executor(e))
    }

    pub fn lock(&self, l: LockId) -> Option<usize> {
        self.lambda.iter().position(|h| h.lambda == Lambda::Lock(l))
    }
}

/// What is acquired at all, and what may be held by a task that joins.
struct Uses {
    acquired: Vec<(Lambda, Mode)>,
    joined_under: Vec<Lambda>,
}

impl Uses {
    fn new(program: &Program) -> Uses {
        let mut uses = Uses { acquired: Vec::new(), joined_under: Vec::new() };
        let calls = Calls::new(program);
        for (p, proc) in program.procs.iter().enumerate() {
            let on = match proc.kind {
                ProcKind::Event { on, .. } | ProcKind::Task { on } => on,
                // What no task calls is instrumented all the same.
                ProcKind::Proc => {
                    each(&proc.body, &mut |s| {
                        if let StmtKind::Acquire(l, mode) = s.kind {
                            uses.acquired.push((Lambda::Lock(l), mode));
                        }
                    });
                    continue;
                }
            };
            let (mut joins, mut awaits, mut acquired) = (false, false, Vec::new());
            for body in calls.reachable(ProcId(p as u32)) {
                each(&program.proc(body).body, &mut |s| match s.kind {
                    StmtKind::Join(_) => joins = true,
                    StmtKind::Await(_) => awaits = true,
                    StmtKind::Acquire(l, mode) => acquired.push((Lambda::Lock(l), mode)),
                    _ => {}
                });
            }
            if joins || awaits {
                uses.joined_under.extend(acquired.iter().map(|a| a.0));
            }
            uses.acquired.append(&mut acquired);
            if let Where::On(e) = on {
                uses.acquired.push((Lambda::Executor(e), Mode::Exclusive));
                if joins || awaits && program.executors[e.index()].exclusive {
                    uses.joined_under.push(Lambda::Executor(e));
                }
            }
        }
        uses
    }
}
