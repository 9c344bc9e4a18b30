//! From actions to procedures: which variables, locks and executors there are, and what each block becomes.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use robust_models::On;
use rustc_hash::FxHashMap;

use crate::ir::walk::has_var;
use crate::ir::{
    Basis, BasisId, Block, Course, Domain, ExecId, Executor, Expr, Label, LocalId, Lock, LockId, PlaceId,
    Proc, ProcId, ProcKind, Program, SourcePlace, Stmt, StmtKind, Value, Var, VarId, Where,
};
use crate::mir::{Local, Span};

use crate::lower::emit::around::Around;
use crate::lower::emit::drained::{Givers, starts_tasks};
use crate::lower::emit::main_and_task::Starters;
use crate::lower::emit::structure::Shape;
use crate::lower::sharing::basis::Bases;
use crate::lower::sharing::choose::{Kept, Related, holders_given};
use crate::lower::sharing::followed::Followed;
use crate::lower::sharing::share::Sharing;
use crate::world::actions::effects::{Action, Effects, Step};
use crate::world::actions::of_callers::OfCallers;
use crate::world::callers::{Callers, instances};
use crate::world::coverage::source_place;
use crate::world::facts::Facts;
use crate::world::parallel::Parallel;
use crate::world::points::heap::LocId;
use crate::world::points::names::unique;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::{Phase, UnitId, Units, Visit};

/// Builds the program.
pub(crate) struct Emitter<'e, 'a> {
    pub flow: &'e Flow<'a>,
    pub facts: &'e Facts,
    pub units: &'e Units,
    pub sharing: &'e Sharing,
    pub bases: &'e Bases,
    /// Of the step that is being emitted.
    pub basis: Option<BasisId>,
    pub program: Program,
    /// Instances that do something relevant, directly or by calls.
    pub active: BTreeSet<InstId>,
    /// Instances that may suspend on a cooperative executor.
    pub yielding: BTreeSet<InstId>,
    pub cooperative: BTreeSet<InstId>,
    /// Instances that some caller asks for what they return.
    pub asked: BTreeSet<InstId>,
    /// Instances that give their callers the handle of a task.
    pub givers: Givers,
    pub locks: BTreeMap<LocId, LockId>,
    pub atomic_locks: BTreeMap<usize, LockId>,
    /// Locks that stand for what comparing a read with a later one proves: nobody wrote in between.
    pub compared_locks: BTreeMap<usize, LockId>,
    pub procs: BTreeMap<(InstId, Phase), ProcId>,
    pub unit_procs: BTreeMap<UnitId, ProcId>,
    pub started: BTreeMap<UnitId, VarId>,
    /// Events on a cooperative executor whose instances follow one another.
    pub actors: BTreeMap<ProcId, String>,
    places: BTreeMap<SourcePlace, PlaceId>,
    pub(super) names: BTreeMap<String, u32>,
    lock_names: BTreeMap<String, u32>,
    labels: u32,
    work: Vec<(ProcId, InstId, Phase)>,
    /// Instances that wait for something other than a lock.
    pub waiting: BTreeSet<InstId>,
    /// Instances that start tasks.
    pub starting: BTreeSet<InstId>,
    /// Instances that wait until somebody lets them go on.
    pub let_on: BTreeSet<InstId>,
    /// Which tasks run beside which blocks.
    parallel: Parallel,
    /// The shared variables that each unit touches.
    touched: Vec<BTreeSet<usize>>,
    /// The task that `main` is looked at beside, and what it is there.
    pub beside: Option<(InstId, ProcId)>,
    /// Who starts that task.
    pub starters: Starters,
    /// The event of which only what it makes itself is looked at: see [`crate::lower::sharing::own`].
    pub own: Option<UnitId>,
    /// By that event, if it is about one, and task: where what runs within the task takes turns.
    turns: BTreeMap<(Option<UnitId>, UnitId), ExecId>,
    /// Whether what is emitted are tasks of that event as events of their own.
    pub alike: bool,
    /// Whether these are rounds of its tasks: what they wait for is where the next one begins.
    pub in_rounds: bool,
    /// Those events, and the tasks that they are.
    pub alike_tasks: Vec<(ProcId, UnitId)>,
    /// Whether what is emitted is a task, which others may wait for up to its answer only.
    pub splits: bool,
    /// Whether what is emitted is a task beside `main`: it ends where it waits to be let on.
    pub is_beside: bool,
    /// The locks that callers of events have.
    pub of_callers: &'e OfCallers,
    /// Whether what is emitted is an event as callers bring it about.
    is_called: bool,
    /// What tasks do behind their answers, to be emitted.
    tails: Vec<(ProcId, InstId, Phase)>,
    /// Whether what is emitted is that.
    behind: bool,
    /// What there was no time for: see [`crate::lower::emit::left_out`].
    pub missing: BTreeSet<ProcId>,
    /// Bodies whose control flow was too large to be kept.
    pub flattened: Vec<InstId>,
    /// Bases of accesses of events that stand for whole tasks, numbered after all others.
    pub of_wholes: Vec<Basis>,
    /// By procedure: the locals that say whether the task has a lock.
    pub has: BTreeMap<ProcId, BTreeMap<LocalId, LockId>>,
    /// By instance: the holders that calls say something of.
    pub holders_given: BTreeMap<InstId, BTreeSet<LocId>>,
    /// By instance: the holders whose choice it keeps, found so far.
    pub kept_choices: BTreeMap<InstId, Kept>,
    /// By holder and locations: which of these each of its targets leads to, as far as anybody asked.
    pub related: RefCell<FxHashMap<(LocId, Vec<LocId>), Related>>,
}

/// The procedure being built.
#[derive(Clone)]
pub(crate) struct Build {
    pub inst: InstId,
    pub phase: Phase,
    pub locals: Vec<String>,
    pub types: BTreeMap<LocalId, bool>,
    ids: BTreeMap<String, LocalId>,
    /// Blocks that come after tasks were started and joined, each with the variables that others may touch meanwhile.
    pub meanwhile: BTreeMap<usize, BTreeSet<usize>>,
    /// Blocks that are left out.
    pub left_out: BTreeSet<usize>,
    /// Where what the task does behind its answer begins: the block of the answer, and the task that does it.
    pub tail: Option<(usize, ProcId)>,
    /// Handles of scoped tasks, joined at the end.
    pub scoped: Vec<LocalId>,
    /// Holders of pointers whose choice is kept: see [`crate::world::actions::choice`].
    pub choices: BTreeSet<LocId>,
    /// How many of the locals are parameters.
    pub params: usize,
    /// Locks that are held around the loop that this is a round of.
    pub around: Vec<Around>,
    /// Locals that say whether the task has a lock.
    pub has: BTreeMap<LocalId, LockId>,
}

impl Build {
    /// The local of that name; `bool` tells its type. What has the name and another type is another local.
    pub fn local(&mut self, mut name: String, bool: bool) -> LocalId {
        while let Some(id) = self.ids.get(&name) {
            if self.types.get(id) == Some(&bool) {
                return *id;
            }
            name.push('_');
        }
        let id = LocalId(self.locals.len() as u32);
        self.locals.push(name.clone());
        self.ids.insert(name, id);
        self.types.insert(id, bool);
        id
    }

    /// The local that says whether the task has a lock: see [`crate::lower::emit::kept_guards`].
    pub fn has(&mut self, lock: LockId) -> LocalId {
        let local = self.local(has_name(lock), true);
        self.has.insert(local, lock);
        local
    }

    /// The handles of the tasks that a block starts.
    pub fn handles(&mut self, block: u32) -> Vec<LocalId> {
        let first = self.local(handle_name(block as usize, 0), true);
        let more = (1..).map_while(|number| self.ids.get(&handle_name(block as usize, number)).copied());
        std::iter::once(first).chain(more).collect()
    }

    /// The local that follows a local of the body, if there is one.
    pub fn known(&self, local: Local) -> Option<LocalId> {
        self.ids.get(&format!("v{}", local.0)).copied()
    }
}

/// Whether a statement itself accesses a shared variable.
fn has_access(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Read(_) | StmtKind::Write(_) | StmtKind::Update(..) | StmtKind::SetVar(..) => true,
        StmtKind::SetLocal(_, value) | StmtKind::Assume(value) => has_var(value),
        _ => false,
    }
}

/// The handle of the task of that number that a block starts.
pub(crate) fn handle_name(block: usize, number: usize) -> String {
    if number == 0 { format!("h{block}") } else { format!("h{block}_{number}") }
}

/// The local that says whether the task has a lock.
pub(crate) fn has_name(lock: LockId) -> String {
    format!("has{}", lock.0)
}

impl<'e, 'a> Emitter<'e, 'a> {
    pub fn new(
        flow: &'e Flow<'a>,
        (facts, of_callers): (&'e Facts, &'e OfCallers),
        units: &'e Units,
        sharing: &'e Sharing,
        bases: &'e Bases,
    ) -> Self {
        let mut emitter = Emitter {
            flow,
            facts,
            units,
            sharing,
            bases,
            basis: None,
            program: Program::new(),
            active: BTreeSet::new(),
            yielding: BTreeSet::new(),
            cooperative: BTreeSet::new(),
            asked: BTreeSet::new(),
            givers: Givers::find(facts),
            locks: BTreeMap::new(),
            atomic_locks: BTreeMap::new(),
            compared_locks: BTreeMap::new(),
            procs: BTreeMap::new(),
            unit_procs: BTreeMap::new(),
            started: BTreeMap::new(),
            actors: BTreeMap::new(),
            places: BTreeMap::new(),
            names: BTreeMap::new(),
            lock_names: BTreeMap::new(),
            labels: 0,
            work: Vec::new(),
            waiting: BTreeSet::new(),
            starting: BTreeSet::new(),
            let_on: BTreeSet::new(),
            parallel: Parallel::find(flow, facts, units),
            touched: Vec::new(),
            beside: None,
            starters: Starters::default(),
            own: None,
            alike: false,
            in_rounds: false,
            turns: BTreeMap::new(),
            alike_tasks: Vec::new(),
            splits: false,
            is_beside: false,
            of_callers,
            is_called: false,
            tails: Vec::new(),
            behind: false,
            missing: BTreeSet::new(),
            flattened: Vec::new(),
            of_wholes: Vec::new(),
            has: BTreeMap::new(),
            holders_given: holders_given(facts),
            kept_choices: BTreeMap::new(),
            related: RefCell::default(),
        };
        emitter.touched = emitter.find_touched();
        emitter.prepare();
        emitter
    }

    fn prepare(&mut self) {
        for shared in &self.sharing.vars {
            let (domain, first) = match shared.domain {
                Some(Followed::Presence { first }) => (Some(Domain::Presence), first.map(Value::Bool)),
                Some(Followed::Truth { first }) => (Some(Domain::Bool), first.map(Value::Bool)),
                Some(Followed::Variant { lo, hi, first }) => {
                    (Some(Domain::Variant { lo, hi }), Some(Value::Int(first.unwrap_or(0.clamp(lo, hi)))))
                }
                Some(Followed::Number { lo, hi, first }) => {
                    (Some(Domain::Int { lo, hi }), Some(Value::Int(first)))
                }
                None => (None, Some(Value::Bool(false))),
            };
            let open = shared.domain.is_some_and(Followed::is_open);
            let init = first.unwrap_or(Value::Bool(false));
            self.program.vars.push(Var {
                open,
                recurring: shared.recurring,
                plain: shared.plain,
                object: Some(shared.object.0),
                handler: shared.handler,
                own: shared.own.is_some(),
                ..Var::new(shared.name.clone(), domain, init)
            });
        }
        for channel in &self.bases.messages.channels {
            let name = unique(&mut self.lock_names, channel.clone());
            self.program.vars.push(Var::new(name, None, Value::Bool(false)));
        }
        for (index, shared) in self.sharing.vars.iter().enumerate() {
            if shared.exchanged {
                let id = self.lock(&format!("{} (atomic)", shared.name));
                self.atomic_locks.insert(index, id);
            }
            if shared.compared {
                let id = self.lock(&format!("{} (compared)", shared.name));
                self.compared_locks.insert(index, id);
            }
        }
        for (number, visits) in self.units.visits.iter().enumerate() {
            if self.units.units[number].on != On::Any {
                self.cooperative.extend(visits.iter().map(|(inst, _, _)| *inst));
            }
        }
        self.find_active();
    }

    pub fn lock(&mut self, name: &str) -> LockId {
        let name = unique(&mut self.lock_names, name.to_owned());
        let id = LockId(self.program.locks.len() as u32);
        self.program.locks.push(Lock { name });
        id
    }

    fn find_active(&mut self) {
        let effects = &self.facts.effects;
        let callers = Callers::of(effects);
        let yields = |step: &Step| matches!(step.action, Action::Yield { .. } | Action::Source { .. });
        let yielding = instances(effects).filter(|(_, steps)| steps.iter().flatten().any(yields));
        self.yielding = callers.with(yielding.map(|(inst, _)| inst));
        let is_active = |inst: InstId, steps: &Effects| {
            steps.iter().flatten().any(|step| self.relevant(step)) || !self.facts.event_loops(inst).is_empty()
        };
        let active = instances(effects).filter(|(inst, steps)| is_active(*inst, steps));
        let messages = [&self.bases.messages.sent, &self.bases.messages.received];
        let messages = messages.into_iter().flat_map(|places| places.keys().map(|(inst, _)| *inst));
        self.active = callers.with(active.map(|(inst, _)| inst).chain(messages).collect::<Vec<_>>());
        for step in effects.iter().flatten().flatten() {
            if let Action::Call { callees, result: Some(_), .. } = &step.action {
                self.asked.extend(callees);
            }
        }
    }

    /// Whether a step leaves something in the program.
    pub fn relevant(&self, step: &Step) -> bool {
        match &step.action {
            Action::Access { locs, .. } | Action::Mark { locs, .. } => {
                !self.sharing.among(self.flow, locs).is_empty()
            }
            Action::Acquire { locks, .. } | Action::Release { locks } | Action::Holds { locks, .. } => {
                !locks.is_empty()
            }
            Action::Has { .. } => true,
            Action::Spawn { tasks, .. } => !tasks.is_empty(),
            Action::Register { events } => self.begun_here(events).next().is_some(),
            Action::Join { sites, .. } => !sites.is_empty(),
            Action::Call { callees, .. } => callees.iter().any(|callee| self.active.contains(callee)),
            Action::Yield { .. }
            | Action::Source { .. }
            | Action::Wait
            | Action::Answer { .. }
            | Action::Expect { .. }
            | Action::Receive { .. }
            | Action::Output
            | Action::End
            | Action::Rely { .. }
            | Action::Flag(..)
            | Action::Variant(..)
            | Action::Guess(_)
            | Action::Choose { .. } => false,
        }
    }

    /// Whether a block leaves something in the program.
    pub fn active_block(&self, build: &Build, block: usize) -> bool {
        let coop = self.cooperative.contains(&build.inst);
        let asked = self.asked.contains(&build.inst);
        build.tail.is_some_and(|(at, _)| at == block)
            || self.is_behind_drain(build, block)
            || self.bases.handed_out.contains_key(&(build.inst, block))
            || self.bases.messages.has(build.inst, block)
            || !build.left_out.contains(&block)
                && self.facts.effects[build.inst.0 as usize][block].iter().any(|step| {
                    self.relevant(step)
                        || self.chooses(build, step)
                        || (asked
                            && matches!(
                                step.action,
                                Action::Flag(Local::RETURN, _)
                                    | Action::Variant(Local::RETURN, _)
                                    | Action::Guess(Local::RETURN)
                            ))
                        || (coop
                            && match &step.action {
                                Action::Yield { .. } | Action::Source { .. } => true,
                                Action::Call { callees, .. } => {
                                    callees.iter().any(|id| self.yielding.contains(id))
                                }
                                _ => false,
                            })
                })
    }

    pub fn stmt(&mut self, place: Option<PlaceId>, kind: StmtKind) -> Stmt {
        let label = Label(self.labels);
        self.labels += 1;
        let above = if self.alike { self.bases.list.len() as u32 } else { 0 };
        let basis = self.basis.filter(|_| has_access(&kind)).map(|basis| BasisId(basis.0 + above));
        Stmt { label, place, basis, kind }
    }

    pub fn place(&mut self, span: &Span) -> Option<PlaceId> {
        let place = source_place(span)?;
        let next = PlaceId(self.program.places.len() as u32);
        let id = *self.places.entry(place.clone()).or_insert(next);
        if id == next {
            self.program.places.push(place);
        }
        Some(id)
    }

    /// Emits all units and what they call.
    pub fn run(&mut self) {
        for number in 0..self.units.units.len() {
            self.declare_unit(UnitId(number));
        }
        for number in 0..self.units.units.len() {
            let id = UnitId(number);
            let unit = &self.units.units[number];
            let Some(&proc) = self.unit_procs.get(&id) else { continue };
            if self.is_cut(id) || self.flow.is_late_by_now() {
                self.missing.insert(proc);
                continue;
            }
            self.splits = !unit.event;
            self.is_called = unit.event && unit.part.is_none();
            self.emit_part(proc, unit.inst, unit.phase, unit.part);
            self.is_called = false;
            self.splits = false;
            if unit.actor && unit.on != On::Any {
                self.actors.insert(proc, format!("{} (actor)", self.reader_name(unit.inst)));
            }
        }
        self.emit_called();
    }

    /// Gives a procedure a part of the body of an instance, or all of it.
    pub fn emit_part(&mut self, proc: ProcId, inst: InstId, phase: Phase, part: Option<usize>) {
        let (body, build) = self.body(inst, phase, part, false);
        self.give(proc, body, build);
    }

    /// Gives a procedure the body of an instance in a phase.
    pub fn emit_as(&mut self, proc: ProcId, inst: InstId, phase: Phase) {
        self.emit_part(proc, inst, phase, None);
    }

    /// Gives a procedure its statements. Where the time ran out meanwhile, something of them may be missing.
    fn give(&mut self, proc: ProcId, body: Block, build: Build) {
        if self.flow.is_late_by_now() {
            self.missing.insert(proc);
            return;
        }
        if !build.has.is_empty() {
            self.has.insert(proc, build.has);
        }
        let proc = &mut self.program.procs[proc.index()];
        (proc.body, proc.locals, proc.params) = (body, build.locals, build.params);
    }

    /// Emits what is called by what was emitted so far.
    pub fn emit_called(&mut self) {
        while let Some((proc, inst, phase)) = self.work.pop() {
            if self.flow.is_late_by_now() {
                self.missing.insert(proc);
                continue;
            }
            let (mut body, mut build) = self.body(inst, phase, None, true);
            if self.asked.contains(&inst) {
                let name = format!("v{}", Local::RETURN.0);
                let known = build.locals.iter().position(|local| *local == name);
                let told = known.unwrap_or_else(|| {
                    build.locals.push(name);
                    build.locals.len() - 1
                });
                let told = Expr::Local(LocalId(told as u32));
                body.push(self.stmt(None, StmtKind::Return(Some(told))));
            } else if let Some(block) = self.givers.block_of(inst).filter(|_| starts_tasks(phase)) {
                let handle = Expr::Local(build.local(handle_name(block, 0), true));
                body.push(self.stmt(None, StmtKind::Return(Some(handle))));
            }
            self.give(proc, body, build);
        }
        while let Some((proc, inst, phase)) = self.tails.pop() {
            if self.flow.is_late_by_now() {
                self.missing.insert(proc);
                continue;
            }
            self.behind = true;
            self.emit_as(proc, inst, phase);
            self.behind = false;
            self.emit_called();
        }
    }

    /// Leaves out what a task does behind its answer, for a task of its own to do, or all else, if this is that task.
    fn split(&mut self, build: &mut Build, part: Option<usize>) {
        let Some(&block) = self.facts.tails.get(&build.inst).filter(|_| part.is_none()) else { return };
        let cfg = &self.facts.cfgs[build.inst.0 as usize];
        let behind: BTreeSet<usize> = cfg.succs[block]
            .iter()
            .flat_map(|next| crate::world::values::stale::forward(cfg, *next))
            .collect();
        if self.behind {
            build.left_out.extend(cfg.reached.difference(&behind));
        } else if self.splits && !build.left_out.contains(&block) {
            build.left_out.extend(behind);
            let on =
                self.units.find(build.inst, None, false).map_or(On::Any, |unit| self.units.units[unit.0].on);
            let tail = self.declare(build.inst, ProcKind::Task { on: thread_of(on) });
            build.tail = Some((block, tail));
            self.tails.push((tail, build.inst, build.phase));
        }
    }

    fn declare_unit(&mut self, id: UnitId) {
        let unit = &self.units.units[id.0];
        if unit.idle {
            return;
        }
        let on = match unit.on {
            On::Any if unit.actor => self.in_turn(unit.inst),
            _ => self.place_of(id, |emitter, starter| emitter.units.units[starter.0].once),
        };
        let guard = self.guard(id);
        let kind = if unit.event {
            ProcKind::Event { once: unit.once, alone: false, on, guard }
        } else {
            ProcKind::Task { on }
        };
        let inst = unit.inst;
        let proc = self.declare(inst, kind);
        self.program.procs[proc.index()].course = self.course(id);
        self.unit_procs.insert(id, proc);
    }

    /// A new place for what one actor does, one thing after the other.
    pub fn in_turn(&mut self, inst: InstId) -> Where {
        Where::On(self.executor(format!("{} (actor)", self.reader_name(inst)), true))
    }

    /// A new place that runs one task at a time.
    fn executor(&mut self, name: String, exclusive: bool) -> ExecId {
        let id = ExecId(self.program.executors.len() as u32);
        let name = unique(&mut self.lock_names, name);
        self.program.executors.push(Executor { name, exclusive });
        id
    }

    /// Where a unit runs. Those within one task take turns, where `is_one` says that there is one of what starts them.
    pub fn place_of(&mut self, id: UnitId, is_one: impl Fn(&Self, UnitId) -> bool) -> Where {
        let units = &self.units.units;
        let outer = |unit: &UnitId| units[unit.0].parent.filter(|_| units[unit.0].on == On::Within);
        let Some(task) = std::iter::successors(Some(id), outer).take(units.len()).last() else {
            return Where::Any;
        };
        match thread_of(units[task.0].on) {
            Where::Any if task != id && is_one(self, task) => {
                if let Some(&known) = self.turns.get(&(self.own, task)) {
                    return Where::On(known);
                }
                let new = self.executor(format!("{} (task)", self.reader_name(units[task.0].inst)), false);
                self.turns.insert((self.own, task), new);
                Where::On(new)
            }
            on => on,
        }
    }

    /// The variable that says that the unit may start: its own, or that of the event it is part of.
    fn guard(&mut self, id: UnitId) -> Option<VarId> {
        let mut at = id;
        for _ in 0..self.units.units.len() {
            let unit = &self.units.units[at.0];
            if unit.started {
                return Some(self.started_var(at));
            }
            at = unit.parent?;
        }
        None
    }

    /// Of what a library is given, that which does not run before.
    pub fn begun_here(&self, events: &BTreeSet<InstId>) -> impl Iterator<Item = UnitId> {
        let units = events.iter().filter_map(|event| self.units.find(*event, None, true));
        units.filter(|unit| self.units.units[unit.0].started)
    }

    pub fn started_var(&mut self, id: UnitId) -> VarId {
        if let Some(&var) = self.started.get(&id) {
            return var;
        }
        let var = self.unset(format!("started_{}", self.started.len() + 1));
        self.started.insert(id, var);
        var
    }

    /// A variable that nobody sets: what waits for it never happens.
    pub fn never(&mut self) -> VarId {
        self.unset(format!("never_{}", self.program.vars.len()))
    }

    /// A new truth value that is `false` at first.
    fn unset(&mut self, name: String) -> VarId {
        let var = VarId(self.program.vars.len() as u32);
        self.program.vars.push(Var::new(name, Some(Domain::Bool), Value::Bool(false)));
        var
    }

    /// Moves what an event does to a procedure, for others to be put around a call of it.
    pub fn set_apart(&mut self, event: ProcId, inst: InstId) -> ProcId {
        let whole = self.declare(inst, ProcKind::Proc);
        let event = &mut self.program.procs[event.index()];
        let (body, locals) = (std::mem::take(&mut event.body), std::mem::take(&mut event.locals));
        let proc = &mut self.program.procs[whole.index()];
        (proc.body, proc.locals) = (body, locals);
        whole
    }

    pub fn declare(&mut self, inst: InstId, kind: ProcKind) -> ProcId {
        self.declare_named(self.reader_name(inst), inst, kind)
    }

    /// A procedure that is not what its instance's body does, but what these words say of it.
    pub fn declare_as(&mut self, what: &str, inst: InstId, kind: ProcKind) -> ProcId {
        self.declare_named(format!("{} ({what})", self.reader_name(inst)), inst, kind)
    }

    fn declare_named(&mut self, name: String, inst: InstId, kind: ProcKind) -> ProcId {
        let name = unique(&mut self.names, name);
        let place = self.place(&self.flow.body_of(inst).span);
        let id = ProcId(self.program.procs.len() as u32);
        self.program.procs.push(Proc {
            name,
            kind,
            params: 0,
            locals: Vec::new(),
            body: Vec::new(),
            place,
            course: Course::Ends,
            elsewhere: false,
        });
        id
    }

    /// A body's name without the layer that async functions are wrapped in.
    fn reader_name(&self, inst: InstId) -> String {
        self.flow.body_of(inst).reader_name().to_owned()
    }

    /// The statements of the body of an instance, or of a part of it. `called`: those of a procedure, which gets choices from its callers.
    fn body(&mut self, inst: InstId, phase: Phase, part: Option<usize>, called: bool) -> (Block, Build) {
        let mut build = Build {
            inst,
            phase,
            locals: Vec::new(),
            types: BTreeMap::new(),
            ids: BTreeMap::new(),
            meanwhile: BTreeMap::new(),
            left_out: BTreeSet::new(),
            tail: None,
            scoped: Vec::new(),
            choices: self.kept_choices(inst).all,
            params: 0,
            around: Vec::new(),
            has: BTreeMap::new(),
        };
        if called {
            self.choices_as_parameters(&mut build);
        }
        if matches!(phase, Phase::Once | Phase::Repeated) && part.is_none() {
            build.meanwhile = self.meanwhile(inst, phase);
        }
        if let Phase::Beside(task) = phase {
            build.left_out = self.after_waits(inst, task);
        } else if self.is_beside {
            build.left_out = self.after_let_on(inst);
        } else if self.own.is_some() && !self.in_rounds {
            build.left_out = self.after_any_wait(inst, part);
        }
        self.split(&mut build, part);
        let mut block = Vec::new();
        self.first_choices(&mut build, part.is_some(), &mut block);
        self.take_around(&mut build, part, &mut block);
        if self.is_called {
            self.take_of_callers(&mut build, &mut block);
        }
        block.extend(Shape::whole(self, &mut build, part));
        self.give_back_around(&build, &mut block);
        if self.is_called {
            self.give_to_caller(inst, &mut block);
        }
        for handle in build.scoped.clone() {
            let stmt = self.stmt(None, StmtKind::Join(handle));
            block.push(stmt);
        }
        (block, build)
    }

    /// The variables that others may touch while the blocks of an instance run that come after tasks were started, as far as there is
    /// time to find out.
    fn meanwhile(&self, inst: InstId, phase: Phase) -> BTreeMap<usize, BTreeSet<usize>> {
        let all = || (0..self.units.units.len()).map(UnitId);
        let own: BTreeSet<UnitId> =
            all().filter(|unit| self.units.visits[unit.0].contains(&(inst, phase, None))).collect();
        let others: BTreeSet<usize> = all()
            .filter(|unit| !self.units.is_below(*unit, &own))
            .flat_map(|unit| &self.touched[unit.0])
            .copied()
            .collect();
        let mut found = BTreeMap::new();
        for &block in &self.facts.cfgs[inst.0 as usize].reached {
            if self.flow.is_late() {
                break;
            }
            let Some(running) = self.parallel.running(inst, block) else { continue };
            let running = crate::world::parallel::units_of(self.facts, self.units, running);
            let theirs = running.iter().flat_map(|unit| &self.touched[unit.0]);
            found.insert(block, theirs.chain(&others).copied().collect());
        }
        found
    }

    /// The shared variables that each unit touches.
    fn find_touched(&self) -> Vec<BTreeSet<usize>> {
        let touched = |visits: &BTreeSet<Visit>| {
            let mut vars = BTreeSet::new();
            for visit in visits {
                for block in self.facts.blocks(*visit) {
                    for step in &self.facts.effects[visit.0.0 as usize][block] {
                        if let Action::Access { locs, .. } = &step.action {
                            vars.extend(self.sharing.among(self.flow, locs));
                        }
                    }
                }
            }
            vars
        };
        self.units.visits.iter().map(touched).collect()
    }

    /// The procedure of an instance called in a phase.
    pub fn proc(&mut self, inst: InstId, phase: Phase) -> ProcId {
        if let Some(&id) = self.procs.get(&(inst, phase)) {
            return id;
        }
        let id = self.declare(inst, ProcKind::Proc);
        self.procs.insert((inst, phase), id);
        self.work.push((id, inst, phase));
        id
    }

    pub fn lock_of(&mut self, loc: LocId) -> LockId {
        let loc = self.sharing.same.of(self.flow, loc);
        if let Some(&id) = self.locks.get(&loc) {
            return id;
        }
        let id = self.lock(&self.sharing.names.of(self.flow, loc));
        self.locks.insert(loc, id);
        id
    }
}

/// Where something runs: on any thread, or on that of `main`. There may be many actors of a type.
pub(crate) fn thread_of(on: On) -> Where {
    match on {
        // Of many runs of an event each takes turns with itself only.
        On::Any | On::Actor | On::Within => Where::Any,
        On::Local | On::Ui => Where::On(ExecId(0)),
    }
}
