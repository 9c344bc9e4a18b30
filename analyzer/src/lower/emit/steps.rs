//! From a block's actions to statements.

use std::collections::BTreeSet;

use robust_models::Order;

use crate::ir::{BasisId, Block, Expr, INTEGERS, LocalId, PlaceId, Stmt, StmtKind, Value, VarId};
use crate::mir::TerminatorKind;

use crate::lower::emit::drained::starts_tasks;
use crate::lower::emit::emitter::{Build, Emitter, handle_name};
use crate::lower::sharing::messages::Places;
use crate::world::actions::effects::{Action, Started, Step, Tracked};
use crate::world::actions::given::Given;
use crate::world::parallel::{is_one, sites_of};
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;
use crate::world::units::{Phase, UnitId};
use crate::world::values::stale::forward;

impl Emitter<'_, '_> {
    /// The statements of a block's actions.
    pub fn steps(&mut self, build: &mut Build, block: usize, in_loop: bool, out: &mut Block) {
        let inst = build.inst;
        let facts = self.facts;
        if build.left_out.contains(&block) {
            return;
        }
        self.drain(build, block, out);
        self.received(inst, block, out);
        for (number, step) in facts.effects[inst.0 as usize][block].iter().enumerate() {
            self.basis = self.bases.of(inst, block, number);
            let span = step.span(self.flow, inst, block);
            let place = if self.relevant(step)
                || matches!(step.action, Action::Yield { .. } | Action::Source { .. })
            {
                self.place(span)
            } else {
                None
            };
            match step.only_if {
                None => self.step(build, block, step, in_loop, place, out),
                Some((local, succeeded)) => {
                    let mut inner = Vec::new();
                    self.step(build, block, step, in_loop, place, &mut inner);
                    if !inner.is_empty() {
                        let local = Expr::Local(build.local(format!("v{}", local.0), true));
                        let condition = if succeeded { local } else { Expr::Not(Box::new(local)) };
                        out.push(self.stmt(None, StmtKind::If(condition, inner, Vec::new())));
                    }
                }
            }
            self.basis = None;
        }
        if let Some(guessed) = self.asserted(build, block) {
            let place = self.end_of(inst, block);
            out.push(self.stmt(place, StmtKind::Assume(guessed)));
        }
        self.handed_out(inst, block, out);
        self.sent(inst, block, out);
        if build.tail.is_some_and(|(at, _)| at == block) {
            let place = self.end_of(inst, block);
            self.start_tail(build, place, out);
        }
    }

    /// Where a block ends.
    pub(super) fn end_of(&mut self, inst: InstId, block: usize) -> Option<PlaceId> {
        self.place(self.flow.body_of(inst).user_span(crate::mir::Block(block as u32), usize::MAX))
    }

    /// Looks at the collections whose keys the end of a block hands out.
    fn handed_out(&mut self, inst: InstId, block: usize, out: &mut Block) {
        let bases = self.bases;
        for &(var, basis) in bases.handed_out.get(&(inst, block)).into_iter().flatten() {
            if self.is_asked_about(var) {
                let place = self.end_of(inst, block);
                self.basis = Some(basis);
                out.push(self.stmt(place, StmtKind::Read(VarId(var as u32))));
                self.basis = None;
            }
        }
    }

    /// Notes that something was received, as a look at the channel.
    fn received(&mut self, inst: InstId, block: usize, out: &mut Block) {
        let place = || self.flow.body_of(inst).user_span(crate::mir::Block(block as u32), 0);
        if let Some(channels) = self.channels(&self.bases.messages.received, inst, block) {
            let place = self.place(place());
            for (var, basis) in channels {
                self.basis = Some(basis);
                out.push(self.stmt(place, StmtKind::Read(var)));
                self.basis = None;
            }
        }
    }

    /// Notes that something is sent at the end of a block, as an update of the channel.
    fn sent(&mut self, inst: InstId, block: usize, out: &mut Block) {
        if let Some(channels) = self.channels(&self.bases.messages.sent, inst, block) {
            let place = self.end_of(inst, block);
            for (var, basis) in channels {
                let class = self.program.class("messages");
                self.basis = Some(basis);
                out.push(self.stmt(place, StmtKind::Update(var, class)));
                self.basis = None;
            }
        }
    }

    /// The channels that a block has to do with. What is asked about an event's own is not asked about messages.
    fn channels(&self, places: &Places, inst: InstId, block: usize) -> Option<Vec<(VarId, BasisId)>> {
        let found = places.get(&(inst, block)).filter(|_| self.own.is_none())?;
        let above = self.sharing.vars.len();
        Some(found.iter().map(|(channel, basis)| (VarId((above + channel) as u32), *basis)).collect())
    }

    fn step(
        &mut self,
        build: &mut Build,
        block: usize,
        step: &Step,
        in_loop: bool,
        place: Option<PlaceId>,
        out: &mut Block,
    ) {
        let coop = self.cooperative.contains(&build.inst);
        match &step.action {
            Action::Mark { mark, id, locs } => self.mark(build, (*mark, *id), locs, place, out),
            Action::Access { touch, locs, tracked, provisional, .. } => {
                let vars = self.sharing.among(self.flow, locs);
                // What nobody else touches meanwhile cannot be disturbed.
                let meanwhile = build.meanwhile.get(&block);
                if meanwhile.is_some_and(|theirs| !vars.iter().any(|var| theirs.contains(var))) {
                    return;
                }
                // Which object it is was chosen among all, those included that others mean.
                let done = self.by_choice(build, step.via, locs, &mut |emitter, build, locs| {
                    let mut choices: Vec<Block> = Vec::new();
                    let locs = emitter.sharing.meant(locs, build.inst, build.phase);
                    for var in emitter.sharing.among(emitter.flow, &locs) {
                        if !emitter.is_asked_about(var) {
                            continue;
                        }
                        let inside = emitter.sharing.is_inside(emitter.flow, &locs, var);
                        let tracked = if inside { Some(&Tracked::Inside) } else { tracked.as_ref() };
                        choices.push(emitter.access(build, block, var, (touch, tracked, &locs), place));
                    }
                    emitter.choose(choices)
                });
                let locs = &self.sharing.meant(locs, build.inst, build.phase);
                match provisional {
                    Some(read) if !done.is_empty() && !self.gives_known(locs, *read) => {
                        let vars = self.sharing.among(self.flow, locs);
                        out.push(self.provisional(build, *read, &vars, tracked.as_ref(), done, place));
                    }
                    _ => out.extend(done),
                }
            }
            Action::Acquire { locks, mode } => {
                let taken = self.by_choice(build, step.via, locks, &mut |emitter, _, locks| {
                    let mut choices: Vec<Block> = Vec::new();
                    for lock in locks {
                        let lock = emitter.lock_of(*lock);
                        choices.push(vec![emitter.stmt(place, StmtKind::Acquire(lock, *mode))]);
                    }
                    emitter.choose(choices)
                });
                out.extend(taken);
            }
            Action::Release { locks } => {
                let given_back = self.by_choice(build, step.via, locks, &mut |emitter, build, locks| {
                    let mut all = Vec::new();
                    for loc in locks {
                        let lock = emitter.lock_of(*loc);
                        all.push(emitter.stmt(place, StmtKind::Release(lock)));
                        emitter.note_given_back(build, *loc, &mut all);
                    }
                    all
                });
                out.extend(given_back);
            }
            Action::Choose { .. } => self.make_choice(build, step, out),
            Action::Spawn { tasks, scoped, started: which, .. } => {
                let copies = if *which == Started::Twice { 2 } else { 1 };
                let mut all = Vec::new();
                let several = tasks.len() * copies > 1;
                let tasks = tasks.iter().flat_map(|task| std::iter::repeat_n(*task, copies));
                for (number, task) in tasks.enumerate() {
                    if matches!(build.phase, Phase::Beside(only) if only != task) {
                        continue;
                    }
                    let beside = matches!(build.phase, Phase::Beside(_)) && in_loop;
                    let mut started = Vec::new();
                    self.spawn(build, (block, number), task, *scoped, place, &mut started);
                    if in_loop
                        && number == 0
                        && !several
                        && !started.is_empty()
                        && self.are_drained(build, block)
                    {
                        let mut another = Vec::new();
                        self.spawn(build, (block, 1), task, *scoped, place, &mut another);
                        started = self.start_two(build, block, [started, another]);
                    }
                    // Of those that a loop starts, one will do.
                    all.push(if beside { self.once(build, started) } else { started });
                }
                match which {
                    Started::One => out.extend(self.choose(all)),
                    Started::Each | Started::Twice => out.extend(all.into_iter().flatten()),
                }
            }
            Action::Register { events } => {
                let begun: Vec<_> = self.begun_here(events).collect();
                out.extend(begun.into_iter().map(|unit| self.begin(unit, place)));
            }
            Action::Join { sites, all } => {
                let each = *all || in_loop || self.joins_each(build.inst, block, sites);
                let mut joined: Vec<Block> = Vec::new();
                let are_events = matches!(build.phase, Phase::Once | Phase::Repeated);
                for site in sites.iter().filter(|_| !are_events) {
                    for started_at in self.started_at(build.inst, *site) {
                        let mut join = self.join_all(build, started_at, place);
                        if self.are_drained(build, started_at as usize) {
                            if *all {
                                self.begin_anew(build, started_at as usize, &mut join);
                            } else if in_loop {
                                // Each round waits for one of them.
                                join = self.choose(join.into_iter().map(|stmt| vec![stmt]).collect());
                            }
                        }
                        joined.push(join);
                    }
                }
                match each {
                    true => out.extend(joined.into_iter().flatten()),
                    // Of several tasks one has ended; that of an event that has just one of them may be another.
                    false if matches!(build.phase, Phase::Beside(_)) => {}
                    false => out.extend(self.choose(joined)),
                }
            }
            Action::Yield { .. } | Action::Source { .. } => {
                if coop {
                    out.push(self.stmt(place, StmtKind::Yield));
                }
            }
            Action::Wait
            | Action::Answer { .. }
            | Action::Expect { .. }
            | Action::Receive { .. }
            | Action::Output
            | Action::End
            | Action::Rely { .. } => {}
            Action::Flag(local, value) => {
                let local = self.followed(build, *local);
                let kind = StmtKind::SetLocal(local, Expr::Const(Value::Bool(*value)));
                out.push(self.stmt(None, kind));
            }
            Action::Variant(local, variant) => {
                let local = self.followed(build, *local);
                let known = INTEGERS.contains(variant).then_some(Expr::Const(Value::Int(*variant)));
                out.push(self.stmt(None, StmtKind::SetLocal(local, known.unwrap_or(Expr::Any))));
            }
            Action::Guess(local) => {
                let ends = &self.flow.body_of(build.inst).blocks[block];
                let value = match &ends.terminator.kind {
                    TerminatorKind::Call(call)
                        if step.at == ends.statements.len() && call.dest.as_local() == Some(*local) =>
                    {
                        self.answered(build, block)
                    }
                    _ => self.assigned(build, block, step.at),
                };
                let local = self.followed(build, *local);
                out.push(self.stmt(None, StmtKind::SetLocal(local, value)));
            }
            Action::Holds { local, is, locks, lent } => {
                self.holds(build, (*local, *is), (locks, *lent), place, out);
            }
            Action::Has { lock } => self.has_by_now(build, *lock, place, out),
            Action::Call { callees, times, result, made, given, .. } => {
                let result = result.map(|local| self.followed(build, local));
                let many = *times == Order::Many;
                let phase = build.phase.called(in_loop || many);
                if let Some(local) = result
                    && callees.iter().any(|callee| !self.active.contains(callee))
                {
                    out.push(self.stmt(None, StmtKind::SetLocal(local, Expr::Any)));
                }
                let gives = starts_tasks(phase)
                    && self.givers.given(callees).is_some()
                    && callees.is_disjoint(&self.asked);
                let called = match self.chosen_callees(build, step.via, callees) {
                    Some((local, arms)) => {
                        let mut blocks = Vec::new();
                        for callees in arms {
                            blocks.push(self.one_of(build, &callees, (phase, result, made, given), place));
                        }
                        self.case(local, blocks)
                    }
                    None => {
                        let callees: Vec<InstId> = callees.iter().copied().collect();
                        let two = gives && (in_loop || many) && self.are_drained(build, block);
                        let handles = (0..1 + usize::from(two))
                            .map(|number| build.local(handle_name(block, number), true));
                        let results: Vec<Option<LocalId>> =
                            if gives { handles.map(Some).collect() } else { vec![result] };
                        let mut called = results
                            .into_iter()
                            .map(|result| self.one_of(build, &callees, (phase, result, made, given), place))
                            .collect::<Vec<_>>();
                        match (called.pop(), called.pop()) {
                            (Some(second), Some(first)) => self.start_two(build, block, [first, second]),
                            (one, _) => one.unwrap_or_default(),
                        }
                    }
                };
                if called.is_empty() {
                    return;
                }
                match times {
                    Order::IfOk | Order::IfErr => {
                        let mut condition = self.first_succeeded(build, block);
                        if condition == Expr::Any
                            && let Some(result) = self.same_as_first(build.inst, block)
                        {
                            // Whichever it is, the result is the same.
                            let result = build.local(format!("v{}", result.0), true);
                            out.push(self.stmt(None, StmtKind::SetLocal(result, Expr::Any)));
                            condition = Expr::Local(result);
                        }
                        let (yes, no) =
                            if *times == Order::IfOk { (called, Vec::new()) } else { (Vec::new(), called) };
                        out.push(self.stmt(place, StmtKind::If(condition, yes, no)));
                    }
                    Order::IfFound => {
                        let condition = self.result_succeeded(build, block);
                        out.push(self.stmt(place, StmtKind::If(condition, called, Vec::new())));
                    }
                    Order::Maybe => out.push(self.stmt(place, StmtKind::If(Expr::Any, called, Vec::new()))),
                    Order::Many => out.push(self.stmt(place, StmtKind::While(Expr::Any, called))),
                    Order::Once | Order::Initially | Order::Never => out.extend(called),
                }
            }
        }
    }

    /// Whether a join in a block, with those that come before it, is one of each task that was started at these places.
    pub fn joins_each(&self, inst: InstId, block: usize, sites: &[(InstId, u32)]) -> bool {
        let cfg = &self.facts.cfgs[inst.0 as usize];
        let alike = |at: &&usize| {
            let mut steps = self.facts.effects[inst.0 as usize][**at].iter();
            steps.any(|step| matches!(&step.action, Action::Join { sites: other, .. } if other == sites))
        };
        let before = |at: &&usize| **at == block || forward(cfg, **at).contains(&block);
        // One join is of one of those that a loop has started, whichever that is.
        let each_once =
            sites_of(sites).into_iter().all(|site| is_one(cfg, (inst, block), &BTreeSet::from([site])));
        is_one(cfg, (inst, block), &sites_of(sites))
            || each_once && cfg.reached.iter().filter(alike).filter(before).count() >= sites.len()
    }

    /// What is done the first time only.
    fn once(&mut self, build: &mut Build, mut what: Block) -> Block {
        if what.is_empty() {
            return what;
        }
        let done = build.local("done".into(), true);
        what.insert(0, self.stmt(None, StmtKind::SetLocal(done, Expr::Const(Value::Bool(true)))));
        let first = Expr::Not(Box::new(Expr::Local(done)));
        vec![self.stmt(None, StmtKind::If(first, what, Vec::new()))]
    }

    /// What a task does behind its answer goes on beside whoever waited for that.
    fn start_tail(&mut self, build: &Build, place: Option<PlaceId>, out: &mut Block) {
        let Some((_, task)) = build.tail else { return };
        out.push(self.stmt(place, StmtKind::Async { task, args: Vec::new(), handle: None }));
    }

    /// A call of one of these.
    fn one_of(
        &mut self,
        build: &mut Build,
        callees: &[InstId],
        (phase, result, made, given): (Phase, Option<LocalId>, &[LocId], &[Given]),
        place: Option<PlaceId>,
    ) -> Block {
        let coop = self.cooperative.contains(&build.inst);
        let mut choices: Vec<Block> = Vec::new();
        for callee in callees {
            let mut called = Vec::new();
            if self.active.contains(callee) {
                let proc = self.proc(*callee, phase);
                let args = self.choices_given(build, *callee, given, &mut called);
                called.push(self.stmt(place, StmtKind::Call { proc, args, result }));
            } else if coop && self.yielding.contains(callee) {
                called.push(self.stmt(place, StmtKind::Yield));
            }
            self.choose_results(build, *callee, made, &mut called);
            if !called.is_empty() {
                choices.push(called);
            }
        }
        self.choose(choices)
    }

    /// One of several.
    pub fn choose(&mut self, mut choices: Vec<Block>) -> Block {
        let Some(mut rest) = choices.pop() else { return Vec::new() };
        while let Some(choice) = choices.pop() {
            rest = vec![self.stmt(None, StmtKind::If(Expr::Any, choice, rest))];
        }
        rest
    }

    fn spawn(
        &mut self,
        build: &mut Build,
        at: (usize, usize),
        task: InstId,
        scoped: bool,
        place: Option<PlaceId>,
        out: &mut Block,
    ) {
        if let Phase::Beside(only) = build.phase {
            if let Some((_, task)) = self.beside.filter(|_| task == only) {
                let handle = Some(build.local(handle_name(at.0, at.1), true));
                out.push(self.stmt(place, StmtKind::Async { task, args: Vec::new(), handle }));
            }
            return;
        }
        let event = matches!(build.phase, Phase::Once | Phase::Repeated);
        let Some(unit) = self.units.find(task, None, event) else { return };
        if event {
            out.push(self.begin(unit, place));
            return;
        }
        let Some(&task) = self.unit_procs.get(&unit) else { return };
        let handle = build.local(handle_name(at.0, at.1), true);
        if scoped && !build.scoped.contains(&handle) {
            build.scoped.push(handle);
        }
        out.push(self.stmt(place, StmtKind::Async { task, args: Vec::new(), handle: Some(handle) }));
    }

    /// Says that a unit may start from here on.
    fn begin(&mut self, unit: UnitId, place: Option<PlaceId>) -> Stmt {
        let var = self.started_var(unit);
        self.stmt(place, StmtKind::SetVar(var, Expr::Const(Value::Bool(true))))
    }

    /// What stands for a loop that became an event of its own.
    pub fn event_loop(&mut self, build: &Build, first: usize, out: &mut Block) {
        let Some(unit) = self.units.find(build.inst, Some(first), true) else { return };
        if self.units.units[unit.0].started && !matches!(build.phase, Phase::Beside(_)) {
            out.push(self.begin(unit, None));
        }
        // What comes after the loop comes with the iteration that leaves it.
        out.push(self.stmt(None, StmtKind::Return(None)));
    }
}
