//! What each access of a program is based on ([`crate::ir::Basis`]), found by following the outcomes of all others
//! ([`crate::world::values::depend`]).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use robust_models::{Order, Value as ModelValue};
use rustc_hash::FxHashMap;

use crate::ir::{Basis, BasisId, Change, Facet};
use crate::mir::{
    AggregateKind, BodyKind, BorrowKind, CallTarget, Callee, Local, Operand, Place, Projection, Rvalue,
    StatementKind, TerminatorKind, TyKind,
};

use super::parts::Parts;
use crate::lower::sharing::share::Sharing;
use crate::world::actions::cfg::Cfg;
use crate::world::actions::effects::{Action, Touch};
use crate::world::exclusive::Exclusive;
use crate::world::points::bodies::BodyId;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{CallInfo, Flow, InstId};
use crate::world::units::{Facts, Units};
use crate::world::values::access_path::access_path;
use crate::world::values::control::deciders;
use crate::world::values::depend::{Depend, Node, Outcomes, Way};
use crate::world::values::inline_readers::Origin;
use crate::world::values::keys::Keys;
use crate::world::values::owned::Owners;
use crate::world::values::presence::Presence;
use crate::world::values::stale::{At, Called};
use crate::world::values::value::Values;

/// An access: its instance, its block, and its number among the block's steps.
pub(crate) type AccessAt = (InstId, usize, usize);

/// The bases of all accesses to shared variables.
#[derive(Default)]
pub(crate) struct Bases {
    ids: BTreeMap<AccessAt, BasisId>,
    pub list: Vec<Basis>,
    /// Instances of which there was no time to find out what their accesses depend on.
    pub left_out: BTreeSet<InstId>,
}

impl Bases {
    /// The basis of a step, if that is an access to shared variables.
    pub fn of(&self, inst: InstId, block: usize, step: usize) -> Option<BasisId> {
        self.ids.get(&(inst, block, step)).copied()
    }

    /// Finds them.
    pub fn find(flow: &Flow<'_>, facts: &Facts, units: &Units, sharing: &Sharing) -> Bases {
        let insts: BTreeSet<InstId> = units.visits.iter().flatten().map(|(inst, ..)| *inst).collect();
        let mut search = Search {
            flow,
            facts,
            sharing,
            depend: Depend::default(),
            ids: BTreeMap::new(),
            about: Vec::new(),
            parts: FxHashMap::default(),
            deciders: FxHashMap::default(),
            one_way: BTreeSet::new(),
        };
        for &inst in &insts {
            search.number(inst);
        }
        if search.ids.is_empty() {
            return Bases::default();
        }
        search.one_way = search.one_way();
        for &inst in &insts {
            let body = flow.instances[inst.0 as usize].body;
            search.parts.entry(body).or_insert_with(|| Parts::of(flow.body_of(inst)));
        }
        let mut left_out = BTreeSet::new();
        for &inst in &insts {
            match flow.is_late() {
                true => drop(left_out.insert(inst)),
                false => search.instance(inst),
            }
        }
        // From here on it is about all of them.
        let cut = |left_out| Bases { left_out, ..Bases::default() };
        search.depend.run(|| flow.is_late());
        let mut list: Vec<Basis> = search.ids.iter().map(|(at, id)| search.basis(*at, *id)).collect();
        search.protocols(&mut list);
        search.decisive(&mut list);
        let values = Values::new(flow, facts, &insts);
        search.observe(units, &insts, &values, &mut list);
        if flow.is_late_by_now() {
            return cut(insts);
        }
        let exclusive = Exclusive::new(flow, units);
        for (basis, at) in list.iter_mut().zip(search.ids.keys()) {
            basis.owner = exclusive.owner(flow, at.0, search.locs(*at));
        }
        search.take_backs(&values, &mut list);
        search.make_entries(&values, &mut list);
        if flow.is_late_by_now() {
            return cut(insts);
        }
        let keys = Keys::new(&search, &values, units);
        for (basis, at) in list.iter_mut().zip(search.ids.keys()) {
            basis.path = access_path(&search, &keys.fresh, *at);
        }
        if flow.is_late_by_now() {
            return cut(insts);
        }
        let made = search.ids.keys().map(|at| (*at, keys.made(*at))).collect();
        let owners = Owners::new(flow, facts, units);
        for (basis, own) in list.iter_mut().zip(owners.own(made, |_, _| true)) {
            basis.own = own;
        }
        crate::lower::sharing::made::objects(&search, units, &owners, &mut list);
        crate::world::values::compared::comparisons(&search, &values, &mut list);
        if flow.is_late_by_now() {
            return cut(insts);
        }
        Bases { ids: search.ids, list, left_out }
    }
}

pub(crate) struct Search<'s, 'a> {
    pub flow: &'s Flow<'a>,
    pub facts: &'s Facts,
    pub sharing: &'s Sharing,
    pub depend: Depend,
    pub ids: BTreeMap<AccessAt, BasisId>,
    /// By access: the variables that it is about.
    pub about: Vec<BTreeSet<usize>>,
    /// By body: the parts of its locals that are made of parts.
    parts: FxHashMap<BodyId, Parts>,
    /// By instance: see [`deciders`].
    pub deciders: FxHashMap<InstId, Rc<Vec<Vec<usize>>>>,
    /// Variables that all changes bring the same way: see [`Search::one_way`].
    pub one_way: BTreeSet<usize>,
}

impl Search<'_, '_> {
    /// Numbers the accesses of an instance.
    fn number(&mut self, inst: InstId) {
        for (block, steps) in self.facts.effects[inst.0 as usize].iter().enumerate() {
            for (number, step) in steps.iter().enumerate() {
                let Action::Access { locs, .. } = &step.action else { continue };
                let vars = self.sharing.among(self.flow, locs);
                if !vars.is_empty() {
                    self.ids.insert((inst, block, number), BasisId(self.ids.len() as u32));
                    self.about.push(vars);
                }
            }
        }
    }

    /// The locations that an access is to.
    pub fn locs(&self, (inst, block, number): AccessAt) -> &[LocId] {
        match &self.facts.effects[inst.0 as usize][block][number].action {
            Action::Access { locs, .. } => locs,
            _ => &[],
        }
    }

    /// The variables that an access is about.
    pub fn vars(&self, at: AccessAt) -> &BTreeSet<usize> {
        const NONE: &BTreeSet<usize> = &BTreeSet::new();
        self.ids.get(&at).map_or(NONE, |id| &self.about[id.index()])
    }

    /// The variables that the end of a block is about, by access.
    pub fn steps_of(&self, inst: InstId, block: usize) -> impl Iterator<Item = &BTreeSet<usize>> {
        let end = self.flow.body_of(inst).blocks[block].statements.len();
        let steps = self.facts.effects[inst.0 as usize][block].iter().enumerate();
        let here =
            steps.filter(move |(_, step)| step.at == end && matches!(step.action, Action::Access { .. }));
        here.map(move |(number, _)| self.vars((inst, block, number)))
    }

    /// The accesses that a statement makes.
    pub fn made_by(&self, (inst, block, at): Origin) -> Vec<BasisId> {
        let steps = self.facts.effects[inst.0 as usize][block].iter().enumerate();
        let here = steps.filter(|(_, step)| step.at == at);
        here.filter_map(|(number, _)| self.ids.get(&(inst, block, number)).copied()).collect()
    }

    /// Says which accesses are to variables that somebody changes by compare-exchange.
    fn protocols(&self, list: &mut [Basis]) {
        let exchanged = list.iter().zip(&self.about).filter(|(basis, _)| basis.exchange);
        let words: BTreeSet<usize> = exchanged.flat_map(|(_, vars)| vars).copied().collect();
        for (basis, vars) in list.iter_mut().zip(&self.about) {
            basis.protocol = !vars.is_disjoint(&words);
        }
    }

    /// The accesses at a statement, with whether they change something.
    fn accesses(&self, inst: InstId, block: usize, at: usize) -> Vec<(BasisId, bool)> {
        let steps = self.facts.effects[inst.0 as usize][block].iter().enumerate();
        let here = steps.filter(|(_, step)| step.at == at).filter_map(|(number, step)| {
            let Action::Access { touch, .. } = &step.action else { return None };
            Some((*self.ids.get(&(inst, block, number))?, *touch != Touch::Read))
        });
        here.collect()
    }

    pub fn cfg(&self, inst: InstId) -> &Cfg {
        &self.facts.cfgs[inst.0 as usize]
    }

    /// The graph of what an instance does.
    fn instance(&mut self, inst: InstId) {
        let body = self.flow.body_of(inst);
        let mut deciders = deciders(self.cfg(inst));
        for (end, after) in self.ends_of_waits(inst) {
            after.into_iter().for_each(|block| deciders[block].push(end));
        }
        let deciders = Rc::new(deciders);
        self.deciders.insert(inst, Rc::clone(&deciders));
        let joins = assigned_often(self.flow, self.cfg(inst), inst);
        self.promised(inst, &deciders);
        let reached: Vec<usize> = self.cfg(inst).reached.iter().copied().collect();
        for block in reached {
            let data = &body.blocks[block];
            for (at, statement) in data.statements.iter().enumerate() {
                if let StatementKind::Assign(place, rvalue) = &statement.kind {
                    let accesses = self.accesses(inst, block, at);
                    self.assign(inst, place, rvalue, &accesses);
                    // What a pointer leads to had a value before.
                    let stored = place.projection.contains(&Projection::Deref);
                    if joins.contains(&place.local) || stored && accesses.is_empty() {
                        self.decided(inst, &deciders[block], Node::Local(inst, place.local));
                    }
                }
            }
            // Who comes to decide at all was decided before.
            self.decided(inst, &deciders[block], Node::Decision(inst, block));
            let accesses = self.accesses(inst, block, data.statements.len());
            match &data.terminator.kind {
                TerminatorKind::SwitchInt { on, .. } => {
                    self.operand(inst, on, Node::Decision(inst, block));
                    for (access, _) in &accesses {
                        self.depend.hold(Node::Decision(inst, block), *access);
                    }
                }
                TerminatorKind::Call(call) => {
                    self.call(inst, block, call, &accesses, &deciders[block]);
                    if joins.contains(&call.dest.local) {
                        self.decided(inst, &deciders[block], Node::Local(inst, call.dest.local));
                    }
                    // One that panics unless its argument is as expected decides by that.
                    if let Some(first) = call.args.first() {
                        self.operand(inst, first, Node::Decision(inst, block));
                    }
                }
                TerminatorKind::Drop { place, .. } => self.dropped(inst, block, place, &deciders[block]),
                TerminatorKind::Assert { cond, .. } => self.operand(inst, cond, Node::Decision(inst, block)),
                _ => {}
            }
        }
    }

    /// Whether a future that is returned is awaited is decided where it is made.
    fn promised(&mut self, inst: InstId, deciders: &[Vec<usize>]) {
        for (callees, made) in crate::world::actions::promised::promised(self.flow, inst).into_values() {
            for callee in callees {
                for (block, _) in &made {
                    self.decided(inst, &deciders[*block], Node::Run(callee));
                }
                self.depend.edge(Node::Run(inst), Node::Run(callee), Way::Decision);
                self.depend.edge(Node::Local(inst, Local::RETURN), Node::Local(callee, Local(1)), Way::Value);
            }
        }
    }

    /// What runs when a value is dropped, runs on that value.
    fn dropped(&mut self, inst: InstId, block: usize, place: &Place, deciders: &[usize]) {
        for step in &self.facts.effects[inst.0 as usize][block] {
            let Action::Call { callees, .. } = &step.action else { continue };
            for &callee in callees {
                self.decided(inst, deciders, Node::Run(callee));
                self.depend.edge(Node::Run(inst), Node::Run(callee), Way::Decision);
                self.place(inst, place, Node::Local(callee, Local(1)));
            }
        }
    }

    fn decided(&mut self, inst: InstId, by: &[usize], node: Node) {
        for &block in by {
            self.depend.edge(Node::Decision(inst, block), node, Way::Decision);
        }
    }

    fn operand(&mut self, inst: InstId, operand: &Operand, to: Node) {
        if let Some(place) = operand.place() {
            self.place(inst, place, to);
        }
    }

    fn place(&mut self, inst: InstId, place: &Place, to: Node) {
        for node in self.nodes_in(inst, place) {
            self.depend.edge(node, to, Way::Value);
        }
    }

    fn parts(&self, inst: InstId) -> Option<&Parts> {
        self.parts.get(&self.flow.instances[inst.0 as usize].body)
    }

    /// What is given something where a place is: a part of a local, or all of it.
    fn node(&self, inst: InstId, place: &Place) -> Node {
        match self.parts(inst).and_then(|parts| parts.part(place)) {
            Some(part) => Node::Part(inst, place.local, part),
            None => Node::Local(inst, place.local),
        }
    }

    /// What a place is found by: what its part was given, or all parts, what the whole local was, and where it is an element.
    pub fn nodes_in(&self, inst: InstId, place: &Place) -> Vec<Node> {
        let mut nodes = vec![Node::Local(inst, place.local)];
        if let Some(parts) = self.parts(inst) {
            let all = parts.part(place).map_or_else(|| parts.all(place.local), |part| part..part + 1);
            nodes.extend(all.map(|part| Node::Part(inst, place.local, part)));
        }
        nodes.extend(place.projection.iter().filter_map(|step| match step {
            Projection::Index(local) => Some(Node::Local(inst, *local)),
            _ => None,
        }));
        nodes
    }

    /// What a value is made of, and what says where parts of it are.
    pub fn mentioned(&self, inst: InstId, rvalue: &Rvalue) -> Vec<Node> {
        // Which variant it is was decided where it was made, whatever is in it.
        if let Rvalue::Discriminant(place) = rvalue
            && place.as_local().is_some()
        {
            return vec![Node::Local(inst, place.local)];
        }
        rvalue.places().into_iter().flat_map(|place| self.nodes_in(inst, place)).collect()
    }

    fn assign(&mut self, inst: InstId, place: &Place, rvalue: &Rvalue, accesses: &[(BasisId, bool)]) {
        if let Rvalue::Aggregate(kind, operands) = rvalue
            && place
                .as_local()
                .is_some_and(|local| self.parts(inst).is_some_and(|parts| !parts.all(local).is_empty()))
        {
            self.make(inst, place.local, kind, operands);
            return;
        }
        let into = self.node(inst, place);
        for (access, _) in accesses.iter().filter(|(_, changes)| !changes) {
            self.depend.hold(into, *access);
        }
        // What is stored in shared data is not the local's.
        if accesses.iter().any(|(_, changes)| *changes) {
            return;
        }
        for node in self.mentioned(inst, rvalue) {
            self.depend.edge(node, into, Way::Value);
        }
        if let Rvalue::Ref(BorrowKind::Mut, of) | Rvalue::RawPtr { mutable: true, place: of } = rvalue {
            self.depend.edge(into, self.node(inst, of), Way::Value);
        }
        // What is done through a copy of a pointer, or by a closure that has one, is done to what it points to.
        let copied: Vec<&Place> = match rvalue {
            Rvalue::Aggregate(_, operands) => operands.iter().filter_map(Operand::place).collect(),
            Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) => operand.place().into_iter().collect(),
            Rvalue::CopyForDeref(place) => vec![place],
            _ => Vec::new(),
        };
        for place in copied {
            if self.is_exclusive(inst, place) {
                self.depend.edge(into, self.node(inst, place), Way::Value);
            }
        }
    }

    /// A local gets its parts.
    fn make(&mut self, inst: InstId, local: Local, kind: &AggregateKind, operands: &[Operand]) {
        for (field, operand) in operands.iter().enumerate() {
            let part = self.parts(inst).and_then(|parts| parts.made(local, kind, field));
            let into = part.map_or(Node::Local(inst, local), |part| Node::Part(inst, local, part));
            self.operand(inst, operand, into);
            // What is done to what a part points to is done to that.
            if let Some(of) = operand.place().filter(|of| self.is_exclusive(inst, of)) {
                self.depend.edge(into, self.node(inst, of), Way::Value);
            }
        }
    }

    fn call(
        &mut self,
        inst: InstId,
        block: usize,
        call: &CallTarget,
        accesses: &[(BasisId, bool)],
        deciders: &[usize],
    ) {
        let into = Node::Local(inst, call.dest.local);
        for (access, _) in accesses {
            self.depend.hold(into, *access);
        }
        let flow = self.flow;
        let empty = CallInfo::default();
        let info = flow.calls.get(&(inst, block as u32)).unwrap_or(&empty);
        for &callee in info.callees.iter().chain(&info.spawned) {
            self.callee(inst, call, callee, accesses);
            self.decided(inst, deciders, Node::Run(callee));
            self.depend.edge(Node::Run(inst), Node::Run(callee), Way::Decision);
            if info.foreign.is_some() && info.spawn.is_none() && self.may_not_call(info) {
                for arg in &call.args {
                    let mut by = |place: &Place| {
                        for node in self.nodes_in(inst, place) {
                            self.depend.edge(node, Node::Run(callee), Way::Decision);
                        }
                    };
                    arg.place().map(&mut by);
                }
            }
        }
        if !info.callees.is_empty() && info.foreign.is_none() && info.poll.is_none() {
            return;
        }
        // How long somebody waits says when, not what.
        if flow.model_of(info).is_some_and(|model| model.value == Some(ModelValue::Empty) || model.time) {
            return;
        }
        // Who waits with a guard gets one of the same lock, however long it is to be.
        let kept =
            flow.model_of(info).filter(|model| model.acquire.is_some()).and_then(|model| model.release);
        if let Some(guard) = kept.and_then(|guard| call.args.get(guard)) {
            self.operand(inst, guard, into);
            return;
        }
        let stored = accesses.iter().any(|(_, changes)| *changes);
        for arg in &call.args {
            self.operand(inst, arg, into);
            let Some(target) = arg.place().filter(|_| !stored) else { continue };
            if !self.is_exclusive(inst, target) {
                continue;
            }
            for other in call.args.iter().filter(|other| !std::ptr::eq(*other, arg)) {
                self.operand(inst, other, Node::Local(inst, target.local));
            }
            // What is not put in because of a look is missed later.
            if call.args.len() > 1 {
                self.decided(inst, deciders, Node::Local(inst, target.local));
            }
            if self.flow.place_ty(inst, &call.dest).is_some_and(|ty| lends(&ty)) {
                self.depend.edge(into, Node::Local(inst, target.local), Way::Value);
            }
        }
        if let Callee::Value(operand) = &call.callee {
            self.operand(inst, operand, into);
        }
    }

    /// Whether a library function calls what it is given only if some other argument is so.
    fn may_not_call(&self, info: &CallInfo) -> bool {
        let times = self.flow.model_of(info).and_then(|model| model.calls.as_ref()).map(|calls| calls.times);
        !matches!(times, Some(Order::Once | Order::Initially | Order::Never))
    }

    fn is_closure(&self, inst: InstId, operand: &Operand) -> bool {
        let ty = operand.place().and_then(|place| self.flow.place_ty(inst, place));
        ty.is_some_and(|ty| matches!(ty.peel_refs(), TyKind::Closure { .. }))
    }

    fn is_exclusive(&self, inst: InstId, place: &Place) -> bool {
        self.flow.place_ty(inst, place).is_some_and(|ty| is_exclusive(&ty))
    }

    /// What goes into a body that is called, and comes out of it.
    fn callee(&mut self, inst: InstId, call: &CallTarget, callee: InstId, accesses: &[(BasisId, bool)]) {
        let body = self.flow.body_of(callee);
        let params = body.arg_count;
        // Who is given a closure calls it with what it takes out of its other arguments.
        let given = matches!(body.kind, BodyKind::Closure { .. })
            && call.args.iter().any(|arg| self.is_closure(inst, arg));
        let matched = params as usize == call.args.len();
        for (number, arg) in call.args.iter().enumerate() {
            let own = match (given, matched) {
                (true, _) if self.is_closure(inst, arg) => {
                    // What it does to what it holds is done to the holder's.
                    if let Some(place) = arg.place() {
                        let held = Node::Local(inst, place.local);
                        self.depend.edge(Node::Local(callee, Local(1)), held, Way::Value);
                    }
                    1..2
                }
                // An iterator may keep the closure that is called.
                (true, _) => 1..params + 1,
                (false, true) => number as u32 + 1..number as u32 + 2,
                (false, false) => 1..params + 1,
            };
            for param in own.map(Local) {
                let node = Node::Local(callee, param);
                self.operand(inst, arg, node);
                for (access, _) in accesses.iter().filter(|(_, changes)| !changes) {
                    self.depend.hold(node, *access);
                }
                if let Some(place) = arg.place()
                    && self.is_exclusive(inst, place)
                {
                    self.depend.edge(node, Node::Local(inst, place.local), Way::Value);
                }
            }
        }
        let (out, into) = (Node::Local(callee, Local::RETURN), Node::Local(inst, call.dest.local));
        self.depend.edge(out, into, Way::Value);
    }

    /// What an access is based on, once outcomes have gone everywhere.
    fn basis(&self, (inst, block, number): AccessAt, id: BasisId) -> Basis {
        let data = &self.flow.body_of(inst).blocks[block];
        let at = self.facts.effects[inst.0 as usize][block][number].at;
        let nodes: Vec<Node> =
            match (data.statements.get(at).map(|statement| &statement.kind), &data.terminator.kind) {
                (Some(StatementKind::Assign(place, rvalue)), _) => {
                    let mut nodes = self.mentioned(inst, rvalue);
                    // Where it goes to says what is changed.
                    if !place.projection.is_empty() {
                        nodes.extend(self.nodes_in(inst, place));
                    }
                    nodes
                }
                (None, TerminatorKind::Call(call)) => {
                    let args = call.args.iter().filter_map(Operand::place);
                    let dest = Some(&call.dest).filter(|dest| !dest.projection.is_empty());
                    args.chain(dest).flat_map(|place| self.nodes_in(inst, place)).collect()
                }
                (None, TerminatorKind::SwitchInt { on, .. }) => {
                    on.place().map(|place| self.nodes_in(inst, place)).unwrap_or_default()
                }
                _ => Vec::new(),
            };
        let mut outcomes = Outcomes::default();
        for node in nodes {
            outcomes.add(&self.depend.of(node), Way::Value);
        }
        self.decisions(inst, block, &mut outcomes);
        let (data, branch) = (outcomes.data.without(id), outcomes.branch.without(id));
        let exchange = self.is_exchange(
            self.facts.effects[inst.0 as usize][block][number].from.unwrap_or((inst, block, at)),
        );
        let step = &self.facts.effects[inst.0 as usize][block][number];
        let checks = matches!(step.action, Action::Access { checks: true, .. });
        let modelled = self.modelled(inst, block, at);
        let misses = matches!(
            (&step.action, step.only_if),
            (Action::Access { touch: Touch::Read, .. }, Some((_, false)))
        ) && modelled.iter().any(|access| access.otherwise.is_some());
        let keyed = modelled.iter().any(|access| access.key.is_some());
        Basis {
            data,
            branch,
            exchange,
            checks,
            settles: modelled.iter().any(|access| access.settles),
            misses,
            asked: self.asked(inst, (block, at)),
            facet: self.facet(inst, (block, at), &step.action),
            keyed,
            change: self.change(inst, block, at),
            stores: self.stored((inst, block, number)),
            ..Basis::unknown()
        }
    }

    /// What decides whether a block is reached.
    pub fn deciding(&self, inst: InstId, block: usize) -> impl Iterator<Item = Node> {
        let deciders = self.deciders.get(&inst).map(|deciders| deciders[block].clone());
        let decisions = deciders.into_iter().flatten().map(move |decider| Node::Decision(inst, decider));
        std::iter::once(Node::Run(inst)).chain(decisions)
    }

    /// Adds what decides whether a block is reached.
    pub fn decisions(&self, inst: InstId, block: usize, outcomes: &mut Outcomes) {
        self.deciding(inst, block).for_each(|node| _ = outcomes.add(&self.depend.of(node), Way::Decision));
    }

    /// The library function that a statement calls: it is that call if it ends its block.
    fn model_at(&self, (inst, block, at): Origin) -> Option<&robust_models::Function> {
        let is_call = at == self.flow.body_of(inst).blocks[block].statements.len();
        self.flow.model_at(inst, block).filter(|_| is_call)
    }

    /// The accesses of the library function whose call ends a block, as far as a statement is that call.
    pub fn modelled(&self, inst: InstId, block: usize, at: usize) -> &[robust_models::Access] {
        self.model_at((inst, block, at)).and_then(|model| model.access.as_deref()).unwrap_or_default()
    }

    /// The access of the library function that a statement calls that is about one element, and the key of that.
    pub fn keyed(&self, inst: InstId, block: usize, at: usize) -> Option<(&robust_models::Access, &Operand)> {
        let access = self.modelled(inst, block, at).iter().find(|access| access.key.is_some())?;
        let TerminatorKind::Call(call) = &self.flow.body_of(inst).blocks[block].terminator.kind else {
            return None;
        };
        Some((access, call.args.get(access.key?)?))
    }

    /// Whether a statement is the call of a compare-exchange.
    fn is_exchange(&self, statement: Origin) -> bool {
        self.model_at(statement).is_some_and(|model| model.value == Some(ModelValue::CompareExchange))
    }

    /// What is asked of a look.
    fn asked(&self, inst: InstId, at: At) -> Option<Facet> {
        let called = |block: usize| Called::of(self.flow, inst, block);
        Presence { body: self.flow.body_of(inst), cfg: self.cfg(inst), called: &called }.asked(at)
    }

    /// All that an access sees or changes: a number or a text that is assigned stays where it is.
    fn facet(&self, inst: InstId, (block, at): At, action: &Action) -> Option<Facet> {
        let Action::Access { touch, .. } = action else { return None };
        let statement = self.flow.body_of(inst).blocks[block].statements.get(at);
        match (touch, statement.map(|statement| &statement.kind)) {
            (Touch::Read, None) => {
                let presence = self.modelled(inst, block, at).iter().any(|access| access.presence);
                presence.then_some(Facet::Presence)
            }
            (Touch::Write | Touch::Update(_), Some(StatementKind::Assign(place, _))) => {
                let ty = self.flow.place_ty(inst, place);
                ty.is_some_and(|ty| is_plain(&ty)).then_some(Facet::Value)
            }
            _ => None,
        }
    }

    fn change(&self, inst: InstId, block: usize, at: usize) -> Option<Change> {
        self.modelled(inst, block, at).iter().find_map(|access| access.change).map(|change| match change {
            robust_models::Change::Put => Change::Put,
            robust_models::Change::Take => Change::Take,
            robust_models::Change::Remove => Change::Remove,
            robust_models::Change::Clear => Change::Clear,
            robust_models::Change::Set => Change::Set,
        })
    }
}

/// Whether there is no collection in a value of this type.
fn is_plain(ty: &TyKind) -> bool {
    match ty {
        TyKind::Prim(_) => true,
        TyKind::Tuple(parts) => parts.iter().all(|part| is_plain(part)),
        TyKind::Path(path) => match path.plain().as_str() {
            "std::option::Option" => path.type_args().all(|part| is_plain(part)),
            "std::string::String"
            | "std::time::Instant"
            | "std::time::Duration"
            | "std::time::SystemTime" => true,
            _ => false,
        },
        _ => false,
    }
}

/// Whether a value of this type may change what it was made of.
fn lends(ty: &TyKind) -> bool {
    crate::world::points::types::any_part(ty, &mut |ty| {
        matches!(ty, TyKind::Ref { mutable: true, .. } | TyKind::Ptr { mutable: true, .. })
    })
}

fn is_exclusive(ty: &TyKind) -> bool {
    match ty {
        TyKind::Ref { mutable, .. } | TyKind::Ptr { mutable, .. } => *mutable,
        // A pinned reference, say.
        TyKind::Path(path) => path.type_args().any(|ty| is_exclusive(ty)),
        _ => false,
    }
}

/// Locals that are assigned at more than one place: which of them it was, branches decide.
fn assigned_often(flow: &Flow<'_>, cfg: &Cfg, inst: InstId) -> BTreeSet<Local> {
    let mut once: BTreeSet<Local> = BTreeSet::new();
    let mut often = BTreeSet::new();
    let mut note = |local: Local| {
        if !once.insert(local) {
            often.insert(local);
        }
    };
    for block in cfg.reached.iter().map(|block| &flow.body_of(inst).blocks[*block]) {
        for statement in &block.statements {
            if let StatementKind::Assign(place, _) = &statement.kind {
                note(place.local);
            }
        }
        if let TerminatorKind::Call(call) = &block.terminator.kind {
            note(call.dest.local);
        }
    }
    often
}
