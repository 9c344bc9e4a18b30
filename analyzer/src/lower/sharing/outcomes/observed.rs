//! Where outcomes of accesses come out: what somebody outside is told, what panics or ends the process unless it is as expected,
//! and which outcomes are put together there.

use std::collections::BTreeSet;

use robust_models::{TypeKind, Value as ModelValue};
use rustc_hash::FxHashSet;

use crate::ir::{Basis, BasisId};
use crate::mir::{Local, Operand, Place, Rvalue, TerminatorKind, TyKind};

use crate::lower::sharing::basis::{AccessAt, Search};
use crate::world::actions::cfg::{is_poll, may_panic};
use crate::world::actions::effects::{Action, Touch};
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;
use crate::world::units::Units;
use crate::world::values::depend::{Backwards, Node, Outcomes, Set, Way};
use crate::world::values::value::{Values, given, result_of};

/// Accesses whose outcome goes into what panics unless it is as expected.
#[derive(Default)]
struct Asserted {
    by: Among,
    /// Those that do not decide as well whether it comes to that.
    surely: Among,
}

impl Asserted {
    fn add(&mut self, asserted: &Set, deciding: &Outcomes) {
        let Set::Some(asserted) = asserted else {
            (self.by.any, self.surely.any) = (true, true);
            return;
        };
        let is_in = |set: &Set, id: &BasisId| matches!(set, Set::Some(all) if all.binary_search(id).is_ok());
        let decides = |id: &BasisId| is_in(&deciding.data, id) || is_in(&deciding.branch, id);
        self.by.these.extend(asserted);
        self.surely.these.extend(asserted.iter().filter(|id| !decides(id)));
    }
}

/// Accesses, by number; or all.
#[derive(Default)]
struct Among {
    these: FxHashSet<BasisId>,
    any: bool,
}

impl Among {
    fn contains(&self, number: usize) -> bool {
        self.any || self.these.contains(&BasisId(number as u32))
    }
}

impl Search<'_, '_> {
    /// Says of each access where its outcome comes out.
    pub fn observe(
        &self,
        units: &Units,
        insts: &BTreeSet<InstId>,
        values: &Values<'_, '_>,
        list: &mut [Basis],
    ) {
        let back = &self.depend.backwards();
        let told = self.told(units, insts, back);
        let returned = back.reaching(self.returns(units), true);
        let given_out = back.reaching(self.returns(units).chain(self.sent(insts)), false);
        let ending = self.ending(insts, back);
        let branching = back.reaching(self.branching(insts), false);
        let Asserted { by: asserted, surely } = self.asserted(insts, values);
        self.indexed(insts, list);
        self.lessened(insts, list);
        self.find_numbers(units, insts, list);
        for ((number, basis), at) in list.iter_mut().enumerate().zip(self.ids.keys()) {
            basis.told = told.contains(&BasisId(number as u32));
            basis.returned = returned.contains(&BasisId(number as u32));
            basis.given_out = given_out.contains(&BasisId(number as u32));
            basis.asserts = asserted.contains(number);
            basis.avoids = basis.asserts && !surely.contains(number);
            basis.fails = if basis.asserts { self.failing(*at) } else { Vec::new() };
            basis.tests = self.tested(*at);
            basis.branches = branching.contains(&BasisId(number as u32));
            basis.ends = ending.contains(&BasisId(number as u32));
        }
        self.meetings(units, insts, list);
    }

    /// Numbers the places where several looks are put together, and says of each look which of them its outcome comes to: what an event returns, what somebody outside is told at once, what is decided by.
    fn meetings(&self, units: &Units, insts: &BTreeSet<InstId>, list: &mut [Basis]) {
        let reads: Vec<bool> = self.ids.keys().map(|at| self.looks(*at)).collect();
        // Where the same looks meet again, that says nothing new.
        let mut places: FxHashSet<(bool, Vec<BasisId>)> = FxHashSet::default();
        let mut meet = |outcomes: &Outcomes, told: bool| {
            let [Set::Some(data), Set::Some(branch)] = [&outcomes.data, &outcomes.branch] else { return };
            // What only decides what is told is not told with it.
            let decides = branch.iter().filter(|_| !told);
            let all: BTreeSet<BasisId> = data.iter().chain(decides).copied().collect();
            let looks: Vec<BasisId> = all.into_iter().filter(|id| reads[id.index()]).collect();
            let place = places.len() as u32;
            if looks.len() < 2 || !places.insert((told, looks.clone())) {
                return;
            }
            for id in looks {
                let basis = &mut list[id.index()];
                let with = if told { &mut basis.told_with } else { &mut basis.decides_with };
                with.push(place);
            }
        };
        for inst in self.returning(units) {
            let left = self.left_with_callers(inst);
            for mut given in self.alternatives(inst, Local::RETURN) {
                meet(&given, true);
                if given.data != Set::default() && given.data.add(&left) {
                    meet(&given, true);
                }
            }
        }
        for &inst in insts {
            for &block in &self.cfg(inst).reached {
                if let Some(nodes) = self.tells(inst, block) {
                    let mut outcomes = Outcomes::default();
                    for node in nodes {
                        outcomes.add(&self.depend.of(node), Way::Value);
                    }
                    meet(&outcomes, true);
                }
                if matches!(
                    self.flow.body_of(inst).blocks[block].terminator.kind,
                    TerminatorKind::SwitchInt { .. } | TerminatorKind::Assert { .. }
                ) {
                    let decided = self.depend.of(Node::Decision(inst, block));
                    meet(&Outcomes { data: decided.data, branch: Set::default() }, false);
                }
            }
        }
    }

    /// What a function puts into what its callers have lent it for that: they get it with its result.
    fn left_with_callers(&self, inst: InstId) -> Set {
        let body = self.flow.body_of(inst);
        let lent = (1..=body.arg_count).map(Local).filter(|param| {
            let ty = self.flow.local_ty(inst, param.0);
            ty.is_some_and(|ty| matches!(&*ty, TyKind::Ref { mutable: true, .. }))
        });
        let mut left = Set::default();
        lent.for_each(|param| _ = left.add(&self.depend.of(Node::Local(inst, param)).data));
        left
    }

    pub fn looks(&self, (inst, block, number): AccessAt) -> bool {
        let step = &self.facts.effects[inst.0 as usize][block][number].action;
        matches!(step, Action::Access { touch: Touch::Read, .. })
    }

    /// Whether it is known what the function does that the end of a block calls.
    fn is_known_call(&self, inst: InstId, block: usize) -> bool {
        let info = self.flow.calls.get(&(inst, block as u32));
        info.is_some_and(|info| info.model.is_some() || !info.callees.is_empty())
    }

    /// What somebody outside is told at the end of a block: what is written or sent, and what functions that nobody knows are given and
    /// return nothing for.
    fn tells(&self, inst: InstId, block: usize) -> Option<Vec<Node>> {
        let TerminatorKind::Call(call) = &self.flow.body_of(inst).blocks[block].terminator.kind else {
            return None;
        };
        let shows =
            self.facts.effects[inst.0 as usize][block].iter().any(|step| step.action == Action::Output);
        let known = self.is_known_call(inst, block) && !shows;
        let nothing = self.flow.place_ty(inst, &call.dest).is_none_or(|ty| ty.is_unit());
        let places = call.args.iter().filter_map(Operand::place);
        let nodes = || places.flat_map(|place| self.nodes_in(inst, place)).collect();
        (!known && (nothing || shows || call.target.is_none())).then(nodes)
    }

    /// Whose outcome somebody outside is told: what events return, and what they tell while they run.
    fn told(&self, units: &Units, insts: &BTreeSet<InstId>, back: &Backwards<'_>) -> FxHashSet<BasisId> {
        let mut told: Vec<Node> = self.returns(units).collect();
        for &inst in insts {
            let effects = &self.facts.effects[inst.0 as usize];
            for &block in &self.cfg(inst).reached {
                let tells = self.tells(inst, block);
                let shows = effects[block].iter().any(|step| step.action == Action::Output);
                if tells.is_some() || shows {
                    told.extend(self.deciding(inst, block));
                }
                told.extend(tells.unwrap_or_default());
            }
        }
        back.reaching(told, true)
    }

    /// Whose outcome goes into what panics unless it is as expected.
    fn asserted(&self, insts: &BTreeSet<InstId>, values: &Values<'_, '_>) -> Asserted {
        let mut found = Asserted::default();
        for &inst in insts {
            let effects = &self.facts.effects[inst.0 as usize];
            // What is looked at by a function that panics unless it is as expected: an element by its index.
            let required = effects.iter().flatten().filter_map(|step| match &step.action {
                Action::Rely { locs } => Some(locs),
                _ => None,
            });
            let required: BTreeSet<LocId> = required.flatten().copied().collect();
            let about = |at: &AccessAt| match &effects[at.1][at.2].action {
                Action::Access { locs, .. } => locs.iter().any(|loc| required.contains(loc)),
                _ => false,
            };
            let all = self.ids.range((inst, 0, 0)..(InstId(inst.0 + 1), 0, 0));
            let all = all.filter(|(at, _)| !required.is_empty() && about(at)).map(|(_, id)| *id);
            found.add(&Set::Some(all.collect()), &Outcomes::default());
            for &block in &self.cfg(inst).reached {
                if self.asserts(values, inst, block) {
                    let mut deciding = Outcomes::default();
                    self.deciding(inst, block)
                        .for_each(|node| _ = deciding.add(&self.depend.of(node), Way::Value));
                    found.add(&self.depend.of(Node::Decision(inst, block)).data, &deciding);
                }
            }
        }
        found
    }

    /// Notes of each collection that an element is demanded of which other looks its index is from.
    fn indexed(&self, insts: &BTreeSet<InstId>, list: &mut [Basis]) {
        for &inst in insts {
            let effects = &self.facts.effects[inst.0 as usize];
            let relies = |block: &&usize| {
                effects[**block].iter().any(|step| matches!(step.action, Action::Rely { .. }))
            };
            for &block in self.cfg(inst).reached.iter().filter(relies) {
                let seen = |number: usize| self.seen_in_argument(inst, block, number);
                let (of, index) = (seen(0), seen(1));
                for id in &of {
                    let others = index.iter().filter(|other| !of.contains(other));
                    list[id.index()].indexed.extend(others);
                }
                let body = self.flow.body_of(inst);
                // Nothing but an index is given to it.
                let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { continue };
                if call.args.len() == 2
                    && self.keyed(inst, block, body.blocks[block].statements.len()).is_none()
                {
                    for (id, _) in self.accesses(inst, block, body.blocks[block].statements.len()) {
                        list[id.index()].indexes = Some(index.clone());
                    }
                }
            }
        }
    }

    /// Notes of each look which others are taken away from it, where what is less than nothing panics.
    fn lessened(&self, insts: &BTreeSet<InstId>, list: &mut [Basis]) {
        for &inst in insts {
            let body = self.flow.body_of(inst);
            for &block in &self.cfg(inst).reached {
                let TerminatorKind::Assert { cond, .. } = &body.blocks[block].terminator.kind else {
                    continue;
                };
                let made = cond.place().and_then(|place| given(body, place.local));
                let Some(Rvalue::Binary(op, operands)) = made else { continue };
                let (of, less) = (&operands.0, &operands.1);
                if &**op != "SubWithOverflow" || self.are_seen_at_once(inst, [of, less]) {
                    continue;
                }
                let (of, less) = (self.seen_in(inst, of), self.seen_in(inst, less));
                // What both are made of is not seen twice for that.
                if of.iter().any(|look| less.contains(look)) {
                    continue;
                }
                for id in of {
                    list[id.index()].lessened.extend(&less);
                }
            }
        }
    }

    /// The looks whose outcome a value is; none if they are not known.
    pub fn seen_in(&self, inst: InstId, value: &Operand) -> Vec<BasisId> {
        let mut seen = Outcomes::default();
        let nodes = value.place().map(|place| self.nodes_in(inst, place));
        nodes.into_iter().flatten().for_each(|node| _ = seen.add(&self.depend.of(node), Way::Value));
        match seen.data {
            Set::Some(looks) => looks,
            Set::Any => Vec::new(),
        }
    }

    /// The looks whose outcome is in an argument of a call; none if they are not known.
    fn seen_in_argument(&self, inst: InstId, block: usize, number: usize) -> Vec<BasisId> {
        let TerminatorKind::Call(call) = &self.flow.body_of(inst).blocks[block].terminator.kind else {
            return Vec::new();
        };
        call.args.get(number).map_or_else(Vec::new, |arg| self.seen_in(inst, arg))
    }

    /// What branches go by.
    fn branching(&self, insts: &BTreeSet<InstId>) -> Vec<Node> {
        let mut nodes = Vec::new();
        for &inst in insts {
            let blocks = &self.flow.body_of(inst).blocks;
            let is_branch =
                |block: &&usize| matches!(blocks[**block].terminator.kind, TerminatorKind::SwitchInt { .. });
            let branches = self.cfg(inst).reached.iter().filter(is_branch);
            nodes.extend(branches.map(|block| Node::Decision(inst, *block)));
        }
        nodes
    }

    /// Whose outcome decides whether the process ends.
    fn ending(&self, insts: &BTreeSet<InstId>, back: &Backwards<'_>) -> FxHashSet<BasisId> {
        let mut deciding: Vec<Node> = Vec::new();
        for &inst in insts {
            for (block, steps) in self.facts.effects[inst.0 as usize].iter().enumerate() {
                if steps.iter().any(|step| matches!(step.action, Action::End)) {
                    deciding.extend(self.deciding(inst, block));
                }
            }
        }
        back.reaching(deciding, true)
    }

    /// Whether the end of a block panics unless something is as expected.
    fn asserts(&self, values: &Values<'_, '_>, inst: InstId, block: usize) -> bool {
        match &self.flow.body_of(inst).blocks[block].terminator.kind {
            // That a sum grows too large says nothing of who has changed what.
            TerminatorKind::Assert { cond, .. } => {
                match cond.place().and_then(|place| given(self.flow.body_of(inst), place.local)) {
                    Some(Rvalue::Binary(op, _)) if matches!(&**op, "AddWithOverflow" | "MulWithOverflow") => {
                        false
                    }
                    Some(Rvalue::Binary(op, operands)) if &**op == "SubWithOverflow" => {
                        !self.are_seen_at_once(inst, [&operands.0, &operands.1])
                    }
                    // What is divided by is not zero.
                    Some(Rvalue::Binary(op, operands)) if &**op == "Eq" => {
                        !self.is_asked_before(values, inst, block, &operands.0)
                    }
                    _ => true,
                }
            }
            TerminatorKind::Call(call) => {
                let model = self.flow.model_at(inst, block);
                let asserts = model.is_some_and(|model| model.value == Some(ModelValue::Asserts));
                let asserted = call.args.first().filter(|_| asserts);
                asserted.is_some_and(|value| {
                    !self.is_worked_out(inst, value) && !self.is_asked_before(values, inst, block, value)
                })
            }
            TerminatorKind::SwitchInt { .. } => may_panic(self.flow.body_of(inst), self.cfg(inst), block),
            _ => false,
        }
    }

    /// Whether two values are what a function saw of one variable under one guard, before and after what it did itself: by how much it has
    /// become less.
    fn are_seen_at_once(&self, inst: InstId, [one, other]: [&Operand; 2]) -> bool {
        let looks = |operand: &Operand| -> Vec<AccessAt> {
            let seen = operand.place().map(|place| self.depend.of(Node::Local(inst, place.local)).data);
            let Some(Set::Some(seen)) = seen else { return Vec::new() };
            let own = self.ids.range((inst, 0, 0)..(InstId(inst.0 + 1), 0, 0));
            let found: Vec<AccessAt> = own.filter(|(_, id)| seen.contains(id)).map(|(at, _)| *at).collect();
            if found.len() == seen.len() { found } else { Vec::new() }
        };
        let (before, after) = (looks(one), looks(other));
        let at_once = |one: &AccessAt, other: &AccessAt| {
            let guards = self.guards_of(self.vars(*one));
            let between = [(one.1, other.1), (other.1, one.1)];
            self.vars(*one) == self.vars(*other)
                && !guards.is_empty()
                && !between.into_iter().any(|between| self.lets_in(inst, between, &guards))
        };
        !before.is_empty()
            && !after.is_empty()
            && before.iter().all(|one| after.iter().all(|other| at_once(one, other)))
    }

    /// Whether a function that nobody knows works a value out of something that is no collection: whether it can says nothing of
    /// who has changed what.
    fn is_worked_out(&self, inst: InstId, value: &Operand) -> bool {
        let Some((block, call)) = result_of(self.flow.body_of(inst), value) else { return false };
        let known = self.is_known_call(inst, block);
        let of = call.args.first().and_then(Operand::place).and_then(|of| self.flow.place_ty(inst, of));
        let holds = |ty: &TyKind| match ty {
            TyKind::Slice(_) | TyKind::Array(..) => true,
            other => self.flow.kind(other) == Some(TypeKind::Container),
        };
        !known && !of.is_some_and(|ty| holds(ty.peel_refs()))
    }

    /// Whether a block is reached only where somebody has asked of this very value whether it is as expected.
    fn is_asked_before(&self, values: &Values<'_, '_>, inst: InstId, block: usize, value: &Operand) -> bool {
        let body = self.flow.body_of(inst);
        let Some(known) = values.operand(inst, value) else { return false };
        let deciders = self.deciders.get(&inst).map(|deciders| deciders[block].clone());
        deciders.into_iter().flatten().any(|decider| {
            let TerminatorKind::SwitchInt { on, .. } = &body.blocks[decider].terminator.kind else {
                return false;
            };
            let local = on.place().and_then(Place::as_local);
            let asked = || {
                let (at, call) = result_of(body, on)?;
                let value = self.flow.model_at(inst, at)?.value?;
                matches!(value, ModelValue::IsOk | ModelValue::IsErr).then_some(())?;
                values.behind(inst, call.args.first()?)
            };
            match local.and_then(|local| given(body, local)) {
                Some(Rvalue::Discriminant(place)) => {
                    values.operand(inst, &Operand::Copy(place.clone())).as_ref() == Some(&known)
                }
                Some(Rvalue::Binary(_, operands)) => {
                    values.operand(inst, &operands.0).as_ref() == Some(&known)
                }
                _ => asked().as_ref() == Some(&known),
            }
        })
    }

    /// Where that is which is sent to somebody.
    fn sent(&self, insts: &BTreeSet<InstId>) -> Vec<Node> {
        let mut sent = Vec::new();
        for &inst in insts {
            let effects = &self.facts.effects[inst.0 as usize];
            let sends = |block: &&usize| {
                effects[**block].iter().any(|step| matches!(step.action, Action::Answer { .. }))
            };
            for &block in self.cfg(inst).reached.iter().filter(sends) {
                if let TerminatorKind::Call(call) = &self.flow.body_of(inst).blocks[block].terminator.kind {
                    let places = call.args.iter().filter_map(Operand::place);
                    sent.extend(places.flat_map(|place| self.nodes_in(inst, place)));
                }
            }
        }
        sent
    }

    /// Where that is which events return.
    fn returns<'u>(&'u self, units: &'u Units) -> impl Iterator<Item = Node> + 'u {
        let result = Place::from(Local::RETURN);
        self.returning(units).flat_map(move |inst| self.nodes_in(inst, &result))
    }

    /// The bodies whose results are what events return, or the futures that they return, if that is anything.
    pub(super) fn returning<'u>(&'u self, units: &'u Units) -> impl Iterator<Item = InstId> + 'u {
        // A future that gives nothing gives a `Poll<()>`.
        let nothing = |ty: &TyKind| {
            let of_nothing = || ty.as_path().is_some_and(|path| path.type_args().all(|ty| ty.is_unit()));
            ty.is_unit() || is_poll(ty) && of_nothing()
        };
        let returned = move |inst: &InstId| {
            let body = self.flow.body_of(*inst);
            body.locals.first().is_none_or(|decl| !nothing(&decl.ty))
        };
        let events = units.units.iter().filter(|unit| unit.event);
        let ends = events.flat_map(|unit| {
            let promised = crate::world::actions::promised::promised(self.flow, unit.inst);
            match promised.is_empty() {
                true => vec![unit.inst],
                false => promised.into_values().flat_map(|(callees, _)| callees).collect(),
            }
        });
        ends.filter(returned)
    }
}
