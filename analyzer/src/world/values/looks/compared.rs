//! Looks that are compared with what was seen or stored before: a generation, the entry that one put in oneself. Where such a
//! look finds something else, nothing is done.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::Value as ModelValue;

use crate::ir::{Basis, BasisId, Change};
use crate::mir::{
    Body, Local, Operand, Place, Prim, Projection, Rvalue, StatementKind, TerminatorKind, TyKind,
};

use crate::lower::sharing::basis::{AccessAt, Search};
use crate::world::actions::cfg::{Cfg, reach};
use crate::world::actions::effects::{Action, Touch};
use crate::world::callers::called_by_all;
use crate::world::points::points_to::InstId;
use crate::world::values::components::is_lent;
use crate::world::values::depend::{Node, Set};
use crate::world::values::rechecks::Dominators;
use crate::world::values::value::{Known, Values, given};

/// Steps from a truth value to the comparison that it is.
const MAX_STEPS: u32 = 12;

/// Two values that are compared.
struct Equality {
    inst: InstId,
    operands: [Local; 2],
    /// Whether the truth value says that they are the same, rather than that they are not.
    equal: bool,
    /// It may say that they are not while they are.
    one_way: bool,
    /// What runs to compare them, if that is a function of the program.
    inside: BTreeSet<InstId>,
    /// The block whose call compares what it is given references to.
    call: Option<usize>,
}

/// Says of each look with which it is compared.
pub(crate) fn comparisons(search: &Search<'_, '_>, values: &Values<'_, '_>, list: &mut [Basis]) {
    let places: BTreeMap<BasisId, AccessAt> = search.ids.iter().map(|(at, id)| (*id, *at)).collect();
    let insts: BTreeSet<InstId> = search.ids.keys().map(|(inst, ..)| *inst).collect();
    let mut found: Vec<(BasisId, Vec<BasisId>)> = Vec::new();
    for &inst in &insts {
        let body = search.flow.body_of(inst);
        let mut sides: Vec<(usize, Equality, Side<'_, '_, '_>)> = Vec::new();
        for &block in &search.facts.cfgs[inst.0 as usize].reached {
            let TerminatorKind::SwitchInt { on, targets, otherwise: Some(yes) } =
                &body.blocks[block].terminator.kind
            else {
                continue;
            };
            let ([(0, no)], Some(local)) = (&targets[..], on.place().and_then(Place::as_local)) else {
                continue;
            };
            let Some(equality) = equality(search, inst, local, MAX_STEPS) else { continue };
            let (yes, no) = (yes.0 as usize, no.0 as usize);
            let equal = if equality.equal { yes } else { no };
            let cfg = search.cfg(inst);
            let above = Dominators::of(cfg);
            let before = cfg.reached.iter().copied().filter(|before| above.dominates(*before, block));
            let blocks = only_through(cfg, block, equal);
            let side = Side { search, inst, before: before.collect(), blocks };
            sides.push((block, equality, side));
        }
        for (block, equality, side) in &sides {
            // What was found to be the same before this is done.
            let before: Vec<&Equality> = sides
                .iter()
                .filter(|(other, _, earlier)| other != block && earlier.blocks.contains(block))
                .map(|(_, equality, _)| equality)
                .filter(|equality| !equality.one_way)
                .collect();
            found.extend(side.looks(values, (equality, &before), list, &places));
        }
    }
    let mut compared: BTreeMap<BasisId, BTreeSet<BasisId>> = BTreeMap::new();
    for (look, with) in found {
        compared.entry(look).or_default().extend(with);
    }
    for (look, with) in compared {
        let overlooks = overlooked(search, places[&look], list);
        let basis = &mut list[look.index()];
        (basis.compared, basis.overlooks) = (with.into_iter().collect(), overlooks);
    }
}

/// The changes of a variable that a look at a part of what is in it does not notice: those of other parts, and those that only make what was
/// not there.
fn overlooked(search: &Search<'_, '_>, at: AccessAt, list: &[Basis]) -> Vec<BasisId> {
    let Some((owner, number)) = part(search, at) else { return Vec::new() };
    let others = search.ids.iter().filter(|(other, id)| {
        let basis = &list[id.index()];
        let makes = basis.keyed && basis.checks && matches!(basis.change, None | Some(Change::Set));
        let apart = || part(search, **other).is_some_and(|(of, other)| of == owner && other != number);
        !search.vars(**other).is_disjoint(search.vars(at)) && (makes || apart())
    });
    others.map(|(_, id)| *id).collect()
}

/// Whether a local is given something once, or is an argument, and no part of it is given anything else.
fn is_given_once(body: &Body, local: Local) -> bool {
    let blocks = || body.blocks.iter().filter(|block| !block.cleanup);
    let statements = blocks().flat_map(|block| &block.statements);
    let assigned = statements.filter(
        |statement| matches!(&statement.kind, StatementKind::Assign(place, _) if place.local == local),
    );
    let called = blocks().filter(
        |block| matches!(&block.terminator.kind, TerminatorKind::Call(call) if call.dest.local == local),
    );
    let given = usize::from((1..=body.arg_count).contains(&local.0));
    assigned.count() + called.count() + given == 1
}

/// The type of which an access is to a field, with the number of that.
fn part(search: &Search<'_, '_>, (inst, block, number): AccessAt) -> Option<(String, u32)> {
    let body = search.flow.body_of(inst);
    let at = search.facts.effects[inst.0 as usize][block][number].at;
    let changes = !search.looks((inst, block, number));
    let place = match body.blocks[block].statements.get(at).map(|statement| &statement.kind) {
        Some(StatementKind::Assign(place, _)) if changes => place,
        Some(StatementKind::Assign(_, rvalue)) => match rvalue {
            Rvalue::Use(operand) => operand.place()?,
            Rvalue::Discriminant(place) | Rvalue::CopyForDeref(place) => place,
            Rvalue::Binary(_, operands) => {
                let behind = |operand: &&Operand| {
                    operand.place().is_some_and(|place| place.projection.contains(&Projection::Deref))
                };
                let mut both = [&operands.0, &operands.1].into_iter().filter(behind);
                both.next().filter(|_| both.next().is_none())?.place()?
            }
            _ => return None,
        },
        Some(_) => return None,
        None => {
            let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return None };
            match given(body, call.args.first()?.place()?.as_local()?)? {
                Rvalue::Ref(_, of) => of,
                _ => return None,
            }
        }
    };
    let at = place.projection.iter().rposition(|step| matches!(step, Projection::Field(..)))?;
    let Projection::Field(number, _) = place.projection[at] else { return None };
    let whole = Place { local: place.local, projection: place.projection[..at].to_vec() };
    let ty = search.flow.place_ty(inst, &whole)?;
    Some((ty.as_path()?.plain(), number))
}

/// Blocks that are reached only by way of one edge of a branch.
pub(crate) fn only_through(cfg: &Cfg, branch: usize, to: usize) -> BTreeSet<usize> {
    let mut without = cfg.succs.clone();
    without[branch].retain(|succ| *succ != to);
    let others = reach(&without, [0]);
    cfg.reached.iter().copied().filter(|block| !others.contains(block)).collect()
}

/// The comparison that a truth value is.
fn equality(search: &Search<'_, '_>, inst: InstId, local: Local, fuel: u32) -> Option<Equality> {
    let fuel = fuel.checked_sub(1)?;
    let body = search.flow.body_of(inst);
    let blocks = body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup);
    let (mut found, mut denied) = (None, false);
    for (index, block) in blocks {
        for statement in &block.statements {
            let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
            if place.as_local() != Some(local) {
                continue;
            }
            let of = |operand: &Operand| operand.place().and_then(Place::as_local);
            // Where it is not even asked, they are taken to differ.
            if constant(rvalue) == Some(false) {
                denied = true;
                continue;
            }
            let this = match rvalue {
                Rvalue::Use(operand) => of(operand).and_then(|from| equality(search, inst, from, fuel)),
                Rvalue::Unary(operator, operand) if &**operator == "Not" => of(operand)
                    .and_then(|from| equality(search, inst, from, fuel))
                    .map(|known| Equality { equal: !known.equal, ..known }),
                Rvalue::Binary(operator, operands) if matches!(&**operator, "Eq" | "Ne") => {
                    let both = operands.0.place().zip(operands.1.place());
                    both.map(|(a, b)| Equality {
                        inst,
                        operands: [a.local, b.local],
                        equal: &**operator == "Eq",
                        one_way: false,
                        inside: BTreeSet::new(),
                        call: None,
                    })
                }
                _ => None,
            };
            if found.replace(this?).is_some() {
                return None;
            }
        }
        let TerminatorKind::Call(call) = &block.terminator.kind else { continue };
        if call.dest.as_local() == Some(local) {
            let this = called(search, inst, index, fuel);
            if found.replace(this?).is_some() {
                return None;
            }
        }
    }
    let found = found?;
    (!denied || found.equal).then_some(Equality { one_way: found.one_way || denied, ..found })
}

/// The truth value that a statement gives, if it is always the same.
fn constant(rvalue: &Rvalue) -> Option<bool> {
    match rvalue {
        Rvalue::Use(operand) => operand.truth(),
        _ => None,
    }
}

/// The comparison that a call is.
fn called(search: &Search<'_, '_>, inst: InstId, block: usize, fuel: u32) -> Option<Equality> {
    let TerminatorKind::Call(call) = &search.flow.body_of(inst).blocks[block].terminator.kind else {
        return None;
    };
    let info = search.flow.calls.get(&(inst, block as u32));
    let value = info.and_then(|info| search.flow.model_of(info)?.value);
    if let Some(equal) = crate::world::values::agree::compares(search.flow.models, call, value) {
        let [Some(a), Some(b)] =
            [call.args.first(), call.args.get(1)].map(|arg| arg.and_then(Operand::place))
        else {
            return None;
        };
        let inside = info.map(|info| called_by_all(search.flow, &info.callees)).unwrap_or_default();
        return Some(Equality {
            inst,
            operands: [a.local, b.local],
            equal,
            one_way: false,
            inside,
            call: Some(block),
        });
    }
    let mut callees = info?.callees.iter();
    let callee = *callees.next().filter(|_| callees.next().is_none())?;
    let inner = equality(search, callee, Local::RETURN, fuel)?;
    match (info?.foreign.is_some(), value) {
        (false, _) => Some(inner),
        (true, Some(ModelValue::Confirms)) if inner.equal => Some(Equality { one_way: true, ..inner }),
        _ => None,
    }
}

/// What is done only if two values are the same.
struct Side<'c, 's, 'a> {
    search: &'c Search<'s, 'a>,
    inst: InstId,
    /// What was done before the comparison, each time: who finds something else may begin anew.
    before: BTreeSet<usize>,
    blocks: BTreeSet<usize>,
}

impl Side<'_, '_, '_> {
    /// The looks that one of the values comes from, with what the other comes from, where nothing else is done with them.
    fn looks(
        &self,
        values: &Values<'_, '_>,
        (equality, before): (&Equality, &[&Equality]),
        list: &[Basis],
        places: &BTreeMap<BasisId, AccessAt>,
    ) -> Vec<(BasisId, Vec<BasisId>)> {
        // Known to differ, though they may be the same: then nothing may be done if they differ.
        if equality.one_way && !equality.equal {
            return Vec::new();
        }
        let data = |local: Local| match self.search.depend.of(Node::Local(equality.inst, local)).data {
            Set::Some(data) => Some(data),
            Set::Any => None,
        };
        let [a, b] = equality.operands;
        let (Some(of_a), Some(of_b)) = (data(a), data(b)) else { return Vec::new() };
        let mut found = Vec::new();
        // What is behind a reference is looked at by whoever compares it.
        let compares = |(inst, block, number): &AccessAt| {
            let step = &self.search.facts.effects[inst.0 as usize][*block][*number];
            let (of, block, at) = step.from.unwrap_or((*inst, *block, step.at));
            let ends = || at == self.search.flow.body_of(of).blocks[block].statements.len();
            equality.inside.contains(inst) || of == equality.inst && equality.call == Some(block) && ends()
        };
        let inside: Vec<BasisId> = places.iter().filter(|(_, at)| compares(at)).map(|(id, _)| *id).collect();
        for (new, old, other) in [(&of_a, &of_b, b), (&of_b, &of_a, a)] {
            // What was seen first is what the other is compared with.
            let first = |new: &BasisId, old: &BasisId| {
                new != old && places[new].0 == places[old].0 && self.comes_before(places[new], places[old])
            };
            if !new.is_empty()
                && !old.is_empty()
                && new.iter().all(|new| old.iter().all(|old| first(new, old)))
            {
                continue;
            }
            let stored = values.operand(equality.inst, &Operand::Copy(Place::from(other)));
            let parts = self.search.parts_of(values, equality.inst, other);
            let alike = self.seen_alike(values, other, before);
            for look in new.iter().filter(|look| !old.contains(look)).chain(&inside) {
                let at = places[look];
                let vars = self.search.vars(at);
                if !self.is_look(at) || !self.decides_only_this(*look, equality, list, places) {
                    continue;
                }
                let with = places.iter().filter(|(id, known)| {
                    let same = |at: &AccessAt| !self.search.vars(*at).is_disjoint(vars);
                    *id != look
                        && same(known)
                        && self.comes_before(**known, at)
                        && (old.contains(id)
                            || alike.contains(id)
                            || self.stores(values, **known, stored.as_ref())
                            || self.search.stores_what_is_unique(values, list, **known, &parts))
                });
                let mut with: BTreeSet<BasisId> = with.map(|(id, _)| *id).collect();
                with.extend(self.search.left_before(&with, places));
                if !with.is_empty() {
                    found.push((*look, with.into_iter().collect()));
                }
            }
        }
        found
    }

    /// The looks that were found to be the same as a value before.
    fn seen_alike(&self, values: &Values<'_, '_>, value: Local, before: &[&Equality]) -> Vec<BasisId> {
        let mut seen = Vec::new();
        for earlier in before.iter().filter(|earlier| earlier.inst == self.inst) {
            for [one, other] in [earlier.operands, [earlier.operands[1], earlier.operands[0]]] {
                if self.is_same(values, one, value)
                    && let Set::Some(data) = self.search.depend.of(Node::Local(earlier.inst, other)).data
                {
                    seen.extend(data);
                }
            }
        }
        seen
    }

    /// Whether two locals have the same value, which nobody changes: one is known of both, or both are copies of one place.
    fn is_same(&self, values: &Values<'_, '_>, one: Local, other: Local) -> bool {
        let body = self.search.flow.body_of(self.inst);
        let known = |local: Local| values.operand(self.inst, &Operand::Copy(Place::from(local)));
        let copied = |local: Local| match given(body, local)? {
            Rvalue::Use(Operand::Copy(place)) | Rvalue::Ref(_, place) => Some(place),
            _ => None,
        };
        let stays = |place: &Place| {
            let plain = place.projection.iter().all(|step| matches!(step, Projection::Field(..)));
            plain && !is_lent(body, place.local) && is_given_once(body, place.local)
        };
        known(one).is_some_and(|one| Some(one) == known(other))
            || copied(one).is_some_and(|one| stays(one) && Some(one) == copied(other))
    }

    /// Whether an access of the same function was made on each way to another one; of other functions' that is not known.
    fn comes_before(&self, (inst, block, number): AccessAt, (of, look, other): AccessAt) -> bool {
        let is_before = || match block == look {
            true => number < other,
            false => Dominators::of(self.search.cfg(inst)).dominates(block, look),
        };
        inst != of || is_before()
    }

    fn is_look(&self, (inst, block, number): AccessAt) -> bool {
        let action = &self.search.facts.effects[inst.0 as usize][block][number].action;
        matches!(action, Action::Access { touch: Touch::Read, .. })
    }

    /// Whether all that depends on a look is done only where the two values are the same, and it is told to nobody.
    fn decides_only_this(
        &self,
        look: BasisId,
        equality: &Equality,
        list: &[Basis],
        places: &BTreeMap<BasisId, AccessAt>,
    ) -> bool {
        let apart = list.iter().zip(places.values()).all(|(basis, (inst, block, _))| {
            let is_before = || self.before.contains(block) && !basis.data.include(look);
            let here = || *inst == self.inst && (self.blocks.contains(block) || is_before());
            !basis.depends_on(look) || equality.inside.contains(inst) || here()
        });
        // Whether they were the same may be told.
        let returned = self.search.flow.body_of(self.inst).locals.first();
        let answers = returned.is_some_and(|decl| matches!(&*decl.ty, TyKind::Prim(Prim::Bool)));
        let told = self.search.depend.of(Node::Local(self.inst, Local::RETURN)).data;
        apart && (answers || matches!(told, Set::Some(told) if !told.contains(&look)))
    }

    /// Whether a change stores this value.
    fn stores(
        &self,
        values: &Values<'_, '_>,
        (inst, block, number): AccessAt,
        value: Option<&Known>,
    ) -> bool {
        let step = &self.search.facts.effects[inst.0 as usize][block][number];
        let changes = matches!(step.action, Action::Access { touch: Touch::Write | Touch::Update(_), .. });
        let data = &self.search.flow.body_of(inst).blocks[block];
        let body = self.search.flow.body_of(inst);
        let same = |operand: &Operand| values.operand(inst, operand).as_ref() == value;
        // Or it is a part of what is stored.
        let parts = |operand: &Operand| match given(body, operand.place()?.as_local()?)? {
            Rvalue::Aggregate(_, parts) => Some(parts),
            _ => None,
        };
        let is =
            |operand: &Operand| same(operand) || parts(operand).is_some_and(|parts| parts.iter().any(same));
        changes
            && value.is_some()
            && match (data.statements.get(step.at).map(|statement| &statement.kind), &data.terminator.kind) {
                (Some(StatementKind::Assign(_, Rvalue::Use(operand))), _) => is(operand),
                (None, TerminatorKind::Call(call)) => call.args.iter().skip(1).any(is),
                _ => false,
            }
    }
}
