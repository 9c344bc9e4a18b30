//! Where the value of a read ends up, from the read to a point at which it counts as stale.
//!
//! A forward analysis over the locals of a body in two phases: before the point, and behind it. Behind it nothing that
//! anyone else could see may depend on the value: it must not be stored, handed on, returned, or decide between paths that
//! do different things.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use robust_models::{Access, Change, Flow as ModelFlow, Value as ModelValue};

use crate::ir::Facet;
use crate::mir::{
    Body, CallTarget, Callee, Local, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind, Ty,
    TyKind,
};

use crate::world::actions::cfg::{Cfg, may_panic, reach, reach_through};
use crate::world::actions::effects::{Action, Effects, Step, Touch};
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::values::presence::Presence;
use crate::world::values::rechecks::Implied;
use crate::world::values::value::given;

/// A statement of a body; one past the last is the terminator.
pub(crate) type At = (usize, usize);

/// A read: where it is and what it fills.
pub(crate) struct Read {
    pub at: At,
    /// Its number among the steps of its block.
    pub step: usize,
    pub locs: Vec<LocId>,
    pub result: Local,
}

/// What an instance looks at before it does anything else.
#[derive(Clone, Debug, Default)]
pub(crate) struct FirstLook {
    pub locs: Vec<LocId>,
    /// It asks only whether there is something, not what.
    pub presence: bool,
}

/// What is known of a body.
pub(crate) struct Bodies<'b> {
    pub body: &'b Body,
    pub cfg: &'b Cfg,
    pub effects: &'b Effects,
    /// Whether a step may change something that others see, or start them. Updates count only if they are of the given
    /// locations.
    pub changes: &'b dyn Fn(&Step, Option<&[LocId]>) -> bool,
    /// What is known of the function that a block calls.
    pub called: &'b dyn Fn(usize) -> Called,
    /// Instances that do nothing that matters.
    pub idle: &'b BTreeSet<InstId>,
    /// What instances look at before they do anything, if they can still avoid it then.
    pub first_looks: &'b BTreeMap<InstId, FirstLook>,
    pub implied: Implied,
}

/// What is known of a function that is called.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Called {
    /// What its result says of its first argument.
    pub value: Option<ModelValue>,
    /// It tells of what it looks at only whether it is there.
    pub presence: bool,
    /// It is about one element of a collection, by its key.
    pub keyed: bool,
    /// What it is given goes to a log, which nobody relies on.
    pub logs: bool,
    /// What it is given is kept in what its first argument leads to.
    pub fills: bool,
    /// Nobody knows what it does with what it is given.
    pub unknown: bool,
}

impl Called {
    /// What is known of the function that a block of an instance calls.
    pub fn of(flow: &Flow<'_>, inst: InstId, block: usize) -> Called {
        let Some(call) = flow.calls.get(&(inst, block as u32)) else { return Called::default() };
        let model = flow.model_of(call);
        let krate = call.foreign.as_ref().map(|name| name.split("::").next().unwrap_or(name));
        Called {
            value: model.and_then(|model| model.value),
            keyed: model
                .is_some_and(|model| model.access.iter().flatten().any(|access| access.key.is_some())),
            presence: model.is_some_and(|model| {
                let mut accesses = model.access.iter().flatten();
                let removes = |access: &Access| access.change == Some(Change::Remove);
                let makes = model.checks && !accesses.clone().any(removes);
                makes || accesses.any(|access| access.presence || access.tag_only)
            }),
            logs: model.is_some_and(|model| model.logs),
            fills: model.is_some_and(|model| model.flow == Some(ModelFlow::Fill)),
            unknown: model.is_none() && krate.is_some_and(|krate| !flow.models.is_known_crate(krate)),
        }
    }
}

/// From where on a value is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    /// This statement looks at the data again.
    Again(At),
    /// From this block on nothing happens.
    Block(usize),
}

impl Point {
    pub fn block(self) -> usize {
        match self {
            Point::Again((block, _)) | Point::Block(block) => block,
        }
    }
}

/// Locals that hold the value, before and behind the point; `None`: no path leads here in that phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    before: Option<BTreeSet<Local>>,
    behind: Option<BTreeSet<Local>>,
}

impl State {
    fn join(&mut self, other: &State) -> bool {
        let join = |into: &mut Option<BTreeSet<Local>>, from: &Option<BTreeSet<Local>>| {
            let Some(from) = from else { return false };
            let new = into.is_none();
            let known = into.get_or_insert_default();
            let count = known.len();
            known.extend(from);
            new || known.len() != count
        };
        let before = join(&mut self.before, &other.before);
        join(&mut self.behind, &other.behind) || before
    }
}

impl Bodies<'_> {
    /// Whether a read whose value goes to `result` does not matter on paths that reach one of the points, of which the first
    /// on each path counts. `equal`: edges on which the value is known to be what it would be if it were read again.
    pub fn is_stale(&self, read: &Read, points: &[Point], equal: &BTreeSet<(usize, usize)>) -> bool {
        let leads = self.leads_to(read.at, points);
        let (asked, asked_behind, lenders) = (RefCell::default(), RefCell::default(), OnceCell::new());
        let walk = Walk { at: self, read, points, leads: &leads, equal, asked, asked_behind, lenders };
        let start = State { before: Some(BTreeSet::from([read.result])), behind: None };
        let used = !self.is_unused(&walk, start);
        let asked = walk.asked.borrow();
        // That something is there says nothing of what was seen of it.
        let presence = Presence { body: self.body, cfg: self.cfg, called: self.called };
        let weaker = || {
            let more = |switch: &usize| !presence.asks_presence(read.result, *switch);
            let asks = |point: &Point| match point {
                Point::Again(at) => {
                    presence.is_of_what_may_be_there(read.at)
                        && self.asks_presence_at(&presence, *at)
                        && asked.iter().any(more)
                        || self.takes(*at)
                            && presence.takes_whatever_is_there(*at)
                            && self.decides_by_more(&asked, &leads, &more)
                }
                Point::Block(_) => false,
            };
            points.iter().any(asks)
        };
        !used && !weaker() && !self.is_relied_on(read, points, &asked)
    }

    /// Whether a look asks only whether there is something, be it in a function that is called.
    pub fn asks_presence_at(&self, presence: &Presence<'_>, at: At) -> bool {
        let called =
            self.effects[at.0].iter().filter(|step| step.at == at.1).find_map(|step| match &step.action {
                Action::Call { callees, .. } if callees.len() == 1 => {
                    callees.first().and_then(|callee| self.first_looks.get(callee))
                }
                _ => None,
            });
        presence.asked(at) == Some(Facet::Presence) || called.is_some_and(|look| look.presence)
    }

    /// Whether a branch that asks more than whether there is something decides about going where these blocks lead, by itself or by a truth
    /// value that tells which way it went.
    fn decides_by_more(
        &self,
        asked: &BTreeSet<usize>,
        leads: &BTreeSet<usize>,
        more: &dyn Fn(&usize) -> bool,
    ) -> bool {
        let decides = |switch: &usize| self.cfg.succs[*switch].iter().any(|to| !leads.contains(to));
        let tells = |switch: &usize| match &self.body.blocks[*switch].terminator.kind {
            TerminatorKind::SwitchInt { on, .. } => on.place().is_some_and(|on| {
                let copied = match given(self.body, on.local) {
                    Some(Rvalue::Use(of)) => of.place().and_then(Place::as_local),
                    _ => None,
                };
                self.implied.has(copied.unwrap_or(on.local))
            }),
            _ => false,
        };
        let told = asked.iter().any(|switch| tells(switch) && decides(switch));
        asked.iter().any(|switch| !tells(switch) && more(switch) && (told || decides(switch)))
    }

    /// Whether a statement changes something just where something is there, and asks no closure what it is.
    fn takes(&self, (block, at): At) -> bool {
        let mut steps = self.effects[block].iter().filter(|step| step.at == at);
        let changes = |step: &Step| {
            matches!(step.action, Action::Access { touch: Touch::Write, .. }) && step.only_if.is_some()
        };
        let asks = |step: &Step| step.from.is_some() || matches!(step.action, Action::Call { .. });
        steps.clone().any(changes) && !steps.any(asks)
    }

    /// Whether nothing that others could see depends on the value of a read.
    pub fn is_idle(&self, read: &Read) -> bool {
        let data = &self.body.blocks[read.at.0];
        if let (None, TerminatorKind::Call(call)) = (data.statements.get(read.at.1), &data.terminator.kind) {
            let called = (self.called)(read.at.0);
            let hides =
                called.unknown || self.returns(read.at.0, read.at.1) || self.hides_use(call, &|_| false);
            if hides && !called.logs {
                return false;
            }
        } else if self.returns(read.at.0, read.at.1) {
            return false;
        }
        self.is_unused_after(read)
    }

    /// Whether nothing that others could see depends on a local behind a statement.
    pub fn is_unused_behind(&self, at: At, local: Local) -> bool {
        !self.returns(at.0, at.1)
            && self.is_unused_after(&Read { at, step: 0, locs: Vec::new(), result: local })
    }

    /// Whether nothing that others could see depends on what a read has filled, behind it.
    fn is_unused_after(&self, read: &Read) -> bool {
        let walk = Walk {
            at: self,
            read,
            points: &[],
            leads: &BTreeSet::new(),
            equal: &BTreeSet::new(),
            asked: RefCell::default(),
            asked_behind: RefCell::default(),
            lenders: OnceCell::new(),
        };
        self.is_unused(&walk, State { before: None, behind: Some(BTreeSet::from([read.result])) })
    }

    /// Whether what a call does with what it is shown is not in its result; what it does to what is the caller's `own` counts as seen.
    fn hides_use(&self, call: &CallTarget, own: &dyn Fn(&Place) -> bool) -> bool {
        let ty = |place: &Place| self.body.locals.get(place.local.0 as usize).map(|decl| &decl.ty);
        let into =
            |ty: &Ty| matches!(&**ty, TyKind::Ref { mutable: true, .. } | TyKind::Ptr { mutable: true, .. });
        let args = call.args.iter().filter_map(Operand::place).filter(|place| !own(place));
        args.filter_map(ty).any(into) || ty(&call.dest).is_none_or(|ty| ty.is_unit())
    }

    /// Whether the value is not used where it must not be.
    fn is_unused(&self, walk: &Walk<'_>, start: State) -> bool {
        let read = walk.read;
        let mut states: BTreeMap<usize, State> = BTreeMap::new();
        let mut work: Vec<usize> = Vec::new();
        let mut out = walk.block(read.at.0, Some(read.at.1), start);
        loop {
            let Some(next) = out else { return false };
            for (to, state) in next {
                if states.entry(to).or_default().join(&state) {
                    work.push(to);
                }
            }
            let Some(block) = work.pop() else { return true };
            out = walk.block(block, None, states.get(&block).cloned().unwrap_or_default());
        }
    }

    /// Blocks from which a point can be reached without passing the read.
    fn leads_to(&self, read: At, points: &[Point]) -> BTreeSet<usize> {
        backward(self.cfg, &points.iter().map(|point| point.block()).collect(), Some(read.0))
    }

    /// Whether different things happen on the ways out of a block, until it is come to again: the next round of a loop decides anew.
    fn decides(&self, block: usize) -> bool {
        self.differs(block, |block| self.is_visible(block) || self.returned_in(block))
    }

    /// Whether the ways out of a block lead through blocks of a kind that are not on all of them.
    fn differs(&self, block: usize, counts: impl Fn(usize) -> bool) -> bool {
        let succs = &self.cfg.succs;
        let round = |to: &usize| reach_through(succs, [*to], |at| at != block);
        let reached: Vec<BTreeSet<usize>> = succs[block].iter().map(round).collect();
        let Some((first, rest)) = reached.split_first() else { return false };
        let all = rest.iter().fold(first.clone(), |all, one| all.intersection(one).copied().collect());
        let some: BTreeSet<usize> = reached.into_iter().flatten().collect();
        some.difference(&all).any(|block| counts(*block))
    }

    /// Whether the outside sees what a block does: what is written out, or that the process ends.
    fn shows(&self, block: usize) -> bool {
        self.effects[block].iter().any(|step| matches!(step.action, Action::Output | Action::End))
    }

    /// Whether what a block does leaves anything that others could see, or sees anything.
    pub fn is_visible(&self, block: usize) -> bool {
        self.effects[block].iter().any(|step| match &step.action {
            Action::Access { locs, .. } => !locs.is_empty(),
            Action::Call { callees, .. } => !callees.is_subset(self.idle),
            Action::Spawn { .. } | Action::Join { .. } | Action::Wait | Action::Output | Action::End => true,
            _ => false,
        })
    }

    /// Whether a statement sets what the body returns, if that is anything.
    fn returns(&self, block: usize, at: usize) -> bool {
        if self.body.locals.first().is_none_or(|decl| decl.ty.is_unit()) {
            return false;
        }
        let data = &self.body.blocks[block];
        match data.statements.get(at).map(|statement| &statement.kind) {
            Some(StatementKind::Assign(place, _)) => place.local == Local::RETURN,
            Some(_) => false,
            None => {
                matches!(&data.terminator.kind, TerminatorKind::Call(call) if call.dest.local == Local::RETURN)
            }
        }
    }

    /// Whether a block sets what the body returns.
    pub fn returned_in(&self, block: usize) -> bool {
        (0..=self.body.blocks[block].statements.len()).any(|at| self.returns(block, at))
    }
}

/// Blocks from which some of `goals` can be reached (these included), not counting ways through `but`.
pub(crate) fn backward(cfg: &Cfg, goals: &BTreeSet<usize>, but: Option<usize>) -> BTreeSet<usize> {
    let mut found = goals.clone();
    let mut work: Vec<usize> = goals.iter().copied().collect();
    while let Some(to) = work.pop() {
        if Some(to) == but && !goals.contains(&to) {
            continue;
        }
        let before = cfg.preds[to].iter().filter(|from| cfg.reached.contains(from));
        work.extend(before.filter(|&&from| found.insert(from)));
    }
    found
}

/// Blocks that can be reached from a block, itself included.
pub(crate) fn forward(cfg: &Cfg, from: usize) -> BTreeSet<usize> {
    reach(&cfg.succs, [from])
}

struct Walk<'w> {
    at: &'w Bodies<'w>,
    read: &'w Read,
    points: &'w [Point],
    leads: &'w BTreeSet<usize>,
    equal: &'w BTreeSet<(usize, usize)>,
    /// Where the value is branched on before the points, and behind them.
    asked: RefCell<BTreeSet<usize>>,
    asked_behind: RefCell<BTreeSet<usize>>,
    /// See [`Walk::lend`].
    lenders: OnceCell<BTreeMap<Local, Local>>,
}

impl Walk<'_> {
    /// The states after a block, by successor; `None` when the value is used behind the point. `from`: only what comes
    /// after this statement.
    fn block(&self, block: usize, from: Option<usize>, mut state: State) -> Option<Vec<(usize, State)>> {
        let data = &self.at.body.blocks[block];
        if self.points.contains(&Point::Block(block)) && from.is_none() {
            self.pass(&mut state);
        }
        let first = from.map_or(0, |at| at + 1);
        for at in first..=data.statements.len() {
            let here = (block, at);
            let again = self.points.contains(&Point::Again(here));
            let of = (!self.is_end()).then_some(&*self.read.locs);
            let changes = self.at.returns(block, at)
                || self.at.effects[block].iter().any(|step| step.at == at && (self.at.changes)(step, of));
            let leads = self.leads.contains(&block) && !again;
            if changes && state.before.is_some() && leads && self.ahead(block, at) {
                return None;
            }
            let exchanged = again && self.exchanges(block, at, &state);
            if again {
                self.pass(&mut state);
            }
            if exchanged {
                state.behind = Some(BTreeSet::new());
            }
            match data.statements.get(at).map(|statement| &statement.kind) {
                Some(StatementKind::Assign(place, rvalue)) => {
                    let step = |held: &mut BTreeSet<Local>, strict: bool| {
                        let unused = assign(held, place, rvalue, strict);
                        if place.projection.contains(&Projection::Deref) && held.contains(&place.local) {
                            self.lend(held, place.local);
                        }
                        unused
                    };
                    let (before, behind) = self.implies(&state, block, place);
                    if !self.apply(&mut state, step) {
                        return None;
                    }
                    state.before.iter_mut().filter(|_| before).for_each(|held| _ = held.insert(place.local));
                    state.behind.iter_mut().filter(|_| behind).for_each(|held| _ = held.insert(place.local));
                }
                Some(_) => {}
                None => {
                    if let TerminatorKind::Call(call) = &data.terminator.kind {
                        let step =
                            |held: &mut BTreeSet<Local>, strict: bool| self.call(held, block, call, strict);
                        if !self.apply(&mut state, step) {
                            return None;
                        }
                    }
                }
            }
            if here == self.read.at {
                if self.points.is_empty() {
                    state.behind.get_or_insert_default().insert(self.read.result);
                } else {
                    state.before = Some(BTreeSet::from([self.read.result]));
                }
            }
        }
        self.leave(block, state)
    }

    /// Whether what is stored in a local tells which way a branch on the value went, before the points and behind them. What
    /// a branch before them decided about is not told behind them: it only decided to look again.
    fn implies(&self, state: &State, block: usize, place: &Place) -> (bool, bool) {
        if !place.projection.is_empty() {
            return (false, false);
        }
        let tells = |held: &Option<BTreeSet<Local>>, asked: &BTreeSet<usize>, before: bool| {
            let Some(held) = held else { return false };
            let is_meant = |switch: usize, on: Local| {
                held.contains(&on) && asked.contains(&switch) && (!before || self.meets_again(switch))
            };
            self.at.implied.tells(place.local, block, is_meant)
        };
        let before = tells(&state.before, &self.asked.borrow(), true);
        (before, tells(&state.behind, &self.asked_behind.borrow(), false))
    }

    /// Whether different ways from a branch come to the same point: to be there does not tell which way it was.
    fn meets_again(&self, switch: usize) -> bool {
        let goals: BTreeSet<usize> = self.points.iter().map(|point| point.block()).collect();
        let first = |from: usize| {
            let mut seen = BTreeSet::new();
            let mut work = vec![from];
            while let Some(block) = work.pop() {
                if seen.insert(block) && !goals.contains(&block) && block != self.read.at.0 {
                    work.extend(&self.at.cfg.succs[block]);
                }
            }
            &seen & &goals
        };
        let mut met = BTreeSet::new();
        self.at.cfg.succs[switch].iter().any(|to| first(*to).into_iter().any(|goal| !met.insert(goal)))
    }

    /// Whether the point is still ahead at a statement of a block from which it can be reached.
    fn ahead(&self, block: usize, at: usize) -> bool {
        let out =
            || self.at.cfg.succs[block].iter().any(|to| self.leads.contains(to) && *to != self.read.at.0);
        self.points.iter().any(|point| match *point {
            Point::Again((goal, when)) if goal == block && at < when => true,
            Point::Again((goal, _)) | Point::Block(goal) => self.at.cfg.succs[block].contains(&goal),
        }) || out()
    }

    /// Whether nothing happens behind the points, rather than that the data is looked at again.
    fn is_end(&self) -> bool {
        self.points.iter().any(|point| matches!(point, Point::Block(_)))
    }

    /// Applies a statement in both phases. Where nothing happens behind the point, the value must not have been used
    /// before it either; where the data is looked at again, it may have been.
    fn apply(&self, state: &mut State, mut step: impl FnMut(&mut BTreeSet<Local>, bool) -> bool) -> bool {
        let strict = self.is_end();
        let before = state.before.as_mut().is_none_or(|held| step(held, strict));
        let behind = state.behind.as_mut().is_none_or(|held| step(held, true));
        before && behind
    }

    fn pass(&self, state: &mut State) {
        if let Some(before) = state.before.take() {
            state.behind.get_or_insert_default().extend(before);
        }
    }

    /// Whether the point is a compare-exchange that expects the value.
    fn exchanges(&self, block: usize, at: usize, state: &State) -> bool {
        let data = &self.at.body.blocks[block];
        let TerminatorKind::Call(call) = &data.terminator.kind else { return false };
        let compares = self.at.effects[block].iter().any(|step| {
            matches!(
                &step.action,
                Action::Access { tracked: Some(crate::world::actions::effects::Tracked::Exchange(..)), .. }
            )
        });
        let expected = call.args.get(1).and_then(Operand::place).map(|place| place.local);
        let holds = |held: &Option<BTreeSet<Local>>| {
            held.as_ref()
                .is_none_or(|held| held.is_empty() || expected.is_some_and(|local| held.contains(&local)))
        };
        at == data.statements.len() && compares && holds(&state.before) && holds(&state.behind)
    }

    fn call(&self, held: &mut BTreeSet<Local>, block: usize, call: &CallTarget, strict: bool) -> bool {
        let operands = call.args.iter().filter_map(Operand::place);
        let callee = match &call.callee {
            Callee::Value(operand) => operand.place(),
            Callee::Fn { .. } => None,
        };
        let used = operands.chain(callee).any(|place| held.contains(&place.local));
        let called = if used { (self.at.called)(block) } else { Called::default() };
        if called.logs {
            set(held, &call.dest, false);
            return true;
        }
        if used && strict {
            let at = self.at.body.blocks[block].statements.len();
            let mut steps = self.at.effects[block].iter().filter(|step| step.at == at);
            let runs = steps.any(|step| match &step.action {
                Action::Call { callees, .. } => !callees.is_subset(self.at.idle),
                Action::Spawn { .. } | Action::Output | Action::End => true,
                Action::Access { touch, .. } => *touch != Touch::Read,
                _ => false,
            });
            let drops = matches!(&call.callee, Callee::Fn { path, .. } if path.last() == "drop");
            let idle = self.at.effects[block].iter().any(
                |step| matches!(&step.action, Action::Call { callees, .. } if callees.is_subset(self.at.idle)),
            );
            let given = call.args.iter().skip(1).filter_map(Operand::place);
            let kept = called.fills && given.into_iter().any(|place| held.contains(&place.local));
            if runs || kept || called.unknown || (self.hides_use(call) && !drops && !idle) {
                return false;
            }
        }
        if used {
            // What is pushed into a collection of one's own is in there.
            let places = call.args.iter().filter_map(Operand::place).filter_map(Place::as_local);
            for local in places.filter(|local| self.is_exclusive(*local)) {
                held.insert(local);
                self.lend(held, local);
            }
        }
        set(held, &call.dest, used);
        true
    }

    /// Whether what a call does with what it is shown is not in its result, nor in a local of this body.
    fn hides_use(&self, call: &CallTarget) -> bool {
        let own = |place: &Place| {
            let mut seen = BTreeSet::from([place.local]);
            self.lend(&mut seen, place.local);
            seen.len() > 1 && !seen.iter().any(|local| *local != place.local && self.is_reference(*local))
        };
        self.at.hides_use(call, &own)
    }

    fn is_reference(&self, local: Local) -> bool {
        let ty = self.at.body.locals.get(local.0 as usize).map(|decl| &*decl.ty);
        ty.is_none_or(|ty| matches!(ty, TyKind::Ref { .. } | TyKind::Ptr { .. }))
    }

    fn is_exclusive(&self, local: Local) -> bool {
        let ty = self.at.body.locals.get(local.0 as usize).map(|decl| &*decl.ty);
        matches!(ty, Some(TyKind::Ref { mutable: true, .. } | TyKind::Ptr { mutable: true, .. }))
    }

    /// What is stored behind an exclusive reference is in what it was made of.
    fn lend(&self, held: &mut BTreeSet<Local>, mut local: Local) {
        while let Some(lender) = self.lenders().get(&local).filter(|lender| held.insert(**lender)) {
            local = *lender;
        }
    }

    /// What each exclusive reference was made of.
    fn lenders(&self) -> &BTreeMap<Local, Local> {
        self.lenders.get_or_init(|| {
            let blocks = self.at.cfg.reached.iter().map(|block| &self.at.body.blocks[*block]);
            let made = blocks.flat_map(|block| &block.statements).filter_map(|statement| {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { return None };
                let of = match rvalue {
                    Rvalue::Ref(_, of) | Rvalue::RawPtr { place: of, .. } => Some(of),
                    Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) => operand.place(),
                    _ => None,
                };
                let into = place.as_local().filter(|local| self.is_exclusive(*local))?;
                Some((into, of?.local))
            });
            made.collect()
        })
    }

    fn leave(&self, block: usize, state: State) -> Option<Vec<(usize, State)>> {
        let data = &self.at.body.blocks[block];
        let behind = state.behind.as_ref();
        match &data.terminator.kind {
            TerminatorKind::Return => {
                let unit = self.at.body.locals.first().is_none_or(|decl| decl.ty.is_unit());
                if behind.is_some_and(|held| held.contains(&Local::RETURN)) && !unit {
                    return None;
                }
            }
            TerminatorKind::SwitchInt { on, .. } => {
                let holds = |held: Option<&BTreeSet<Local>>| {
                    on.place().is_some_and(|place| held.is_some_and(|held| held.contains(&place.local)))
                };
                if holds(state.before.as_ref()) {
                    self.asked.borrow_mut().insert(block);
                    // Nothing is changed any more, but the outside is told of what was seen.
                    if self.is_end() && self.at.differs(block, |block| self.at.shows(block)) {
                        return None;
                    }
                }
                let compares = self.equal.iter().any(|(switch, _)| *switch == block);
                if holds(behind) && !compares {
                    self.asked_behind.borrow_mut().insert(block);
                    if self.at.decides(block) || may_panic(self.at.body, self.at.cfg, block) {
                        return None;
                    }
                }
            }
            _ => {}
        }
        let mut out = Vec::new();
        for &to in &self.at.cfg.succs[block] {
            let mut state = state.clone();
            if self.equal.contains(&(block, to)) && state.behind.is_some() {
                state.behind = Some(BTreeSet::new());
            }
            out.push((to, state));
        }
        Some(out)
    }
}

fn set(held: &mut BTreeSet<Local>, place: &Place, used: bool) {
    if used {
        held.insert(place.local);
    } else if place.projection.is_empty() {
        held.remove(&place.local);
    }
}

fn assign(held: &mut BTreeSet<Local>, place: &Place, rvalue: &Rvalue, strict: bool) -> bool {
    let used = locals_of(rvalue).iter().any(|local| held.contains(local));
    let through = place.projection.contains(&Projection::Deref);
    if strict && through && (used || held.contains(&place.local)) {
        return false;
    }
    set(held, place, used);
    true
}

/// Locals that a value is made of.
pub(crate) fn locals_of(rvalue: &Rvalue) -> Vec<Local> {
    rvalue.places().into_iter().map(|place| place.local).collect()
}
