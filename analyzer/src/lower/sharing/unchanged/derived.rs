//! What is put in is the same, whoever makes it: a memo of what a function makes of its key, and of what nobody changes.
//!
//! That is so if all that goes into what is stored are constants, the key, parts of the object that the memo is a part of that are behind
//! no lock, and what functions make of these that draw on nothing else. Whoever finds the memo empty though another one fills it meanwhile
//! then does what it would not do after that one, but to the same end, as long as all that it does because of that is to make the value,
//! and to store it.

use std::cell::{LazyCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use robust_models::{TypeKind, Value as ModelValue};
use rustc_hash::FxHashMap;

use crate::ir::{Basis, BasisId, Derived};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::mir::{
    Body, CallTarget, ConstKind, Local, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind,
    Ty, TyKind,
};
use crate::world::actions::effects::{Action, Step, Touch};
use crate::world::points::points_to::InstId;
use crate::world::points::types::parts;
use crate::world::values::depend::{Node, Set};
use crate::world::values::fresh::Fresh;

/// Locals that are followed to where their values come from.
const MOST_LOCALS: usize = 400;

/// Calls within calls that are looked into.
const MOST_CALLS: u32 = 6;

impl Search<'_, '_> {
    /// Says of each change whether what it stores is the same, whoever makes it.
    pub(in crate::lower::sharing) fn derive(&self, fresh: &Fresh<'_, '_, '_>, list: &mut [Basis]) {
        let mut numbers: BTreeMap<(usize, usize, usize), u32> = BTreeMap::new();
        for (&at, &id) in &self.ids {
            let (inst, block, number) = at;
            let step = &self.facts.effects[inst.0 as usize][block][number];
            if !matches!(step.action, Action::Access { touch: Touch::Write, .. }) {
                continue;
            }
            let derivation = Derivation { search: self, fresh, of: at, pure: RefCell::default() };
            if !derivation.is_made_of_its_key() {
                continue;
            }
            let Some(looks) = derivation.looks() else { continue };
            let body = self.flow.instances[inst.0 as usize].body;
            let next = numbers.len() as u32;
            let number = *numbers.entry((body.0 as usize, block, step.at)).or_insert(next);
            list[id.index()].derived = Some(Derived { number, looks });
        }
    }
}

/// A change that may store what everybody would.
struct Derivation<'d, 's, 'a> {
    search: &'d Search<'s, 'a>,
    fresh: &'d Fresh<'d, 's, 'a>,
    of: AccessAt,
    /// By function: whether what it gives is made of what it is given.
    pure: RefCell<FxHashMap<InstId, bool>>,
}

impl<'d> Derivation<'d, '_, '_> {
    /// The looks because of which the change is made, if all that is done because of them is quiet, and tells nobody which of both was done:
    /// nothing but the same variable is accessed, that is changed nowhere else, and no truth value is noted. `None` otherwise.
    fn looks(&self) -> Option<Vec<BasisId>> {
        let mut looks = BTreeSet::new();
        let (inst, block, _) = self.of;
        self.because(inst, block, MOST_CALLS, &mut looks)?;
        (!looks.is_empty()).then(|| looks.into_iter().collect())
    }

    fn because(&self, inst: InstId, block: usize, fuel: u32, looks: &mut BTreeSet<BasisId>) -> Option<()> {
        let gates = self.all_deciders(inst, block);
        let body = self.search.flow.body_of(inst);
        for &other in &self.search.cfg(inst).reached {
            let decided = gates.is_empty() || !self.all_deciders(inst, other).is_disjoint(&gates);
            let noted = || body.blocks[other].statements.iter().any(|one| notes(body, &one.kind));
            if decided && (noted() || !self.is_quiet(inst, other, fuel)) {
                return None;
            }
        }
        for &gate in &gates {
            let decision = self.search.depend.of(Node::Decision(inst, gate));
            let on = match &body.blocks[gate].terminator.kind {
                TerminatorKind::SwitchInt { on, .. } => on.place(),
                _ => None,
            };
            let on = on.map(|place| self.search.depend.of(Node::Local(inst, place.local)));
            for outcomes in std::iter::once(decision).chain(on) {
                let Set::Some(seen) = &outcomes.data else { return None };
                looks.extend(seen);
            }
        }
        if gates.is_empty() {
            let fuel = fuel.checked_sub(1)?;
            for (caller, block) in self.fresh.callers(inst)? {
                self.because(*caller, *block as usize, fuel, looks)?;
            }
        }
        Some(())
    }

    /// The branches that decide whether a block is reached, and those that decide about these.
    fn all_deciders(&self, inst: InstId, block: usize) -> BTreeSet<usize> {
        let (mut found, mut work) = (BTreeSet::new(), vec![block]);
        let Some(deciders) = self.search.deciders.get(&inst) else { return found };
        while let Some(block) = work.pop() {
            work.extend(deciders[block].iter().filter(|decider| found.insert(**decider)));
        }
        found
    }

    /// Whether a block does nothing that others notice, but to what is changed.
    fn is_quiet(&self, inst: InstId, block: usize, fuel: u32) -> bool {
        let steps = &self.search.facts.effects[inst.0 as usize][block];
        steps.iter().enumerate().all(|(number, step)| match &step.action {
            Action::Access { touch, locs, .. } => {
                let (vars, own) = (self.search.vars((inst, block, number)), self.search.vars(self.of));
                match *touch == Touch::Read {
                    true => vars.is_empty() || vars == own,
                    false => {
                        let had = self.search.sharing.is_had_by_others(self.search.flow, locs);
                        vars.is_empty() && !had || vars == own && self.is_it((inst, block, step.at))
                    }
                }
            }
            Action::Call { callees, .. } => {
                fuel > 0
                    && callees.iter().all(|callee| {
                        let reached = &self.search.cfg(*callee).reached;
                        reached.iter().all(|block| self.is_quiet(*callee, *block, fuel - 1))
                    })
            }
            Action::Spawn { .. }
            | Action::Join { .. }
            | Action::Yield { .. }
            | Action::Source { .. }
            | Action::Wait
            | Action::Answer { .. }
            | Action::Expect { .. }
            | Action::Output
            | Action::End => false,
            _ => true,
        })
    }

    /// Whether a statement is the change in question, be it in another instance.
    fn is_it(&self, (inst, block, at): (InstId, usize, usize)) -> bool {
        let body = |inst: InstId| self.search.flow.instances[inst.0 as usize].body;
        let (own, its_block, number) = self.of;
        let its = self.search.facts.effects[own.0 as usize][its_block][number].at;
        body(inst) == body(own) && (block, at) == (its_block, its)
    }

    /// Whether all that is stored is made of the key, and of what nobody changes.
    fn is_made_of_its_key(&self) -> bool {
        let (inst, block, number) = self.of;
        let data = &self.search.flow.body_of(inst).blocks[block];
        let at = self.search.facts.effects[inst.0 as usize][block][number].at;
        match (data.statements.get(at).map(|statement| &statement.kind), &data.terminator.kind) {
            (Some(StatementKind::Assign(place, rvalue)), _) => {
                let elements = |step: &Projection| {
                    !matches!(step, Projection::Deref | Projection::Field(..) | Projection::Downcast(_))
                };
                let ty = self.search.flow.place_ty(inst, place);
                !place.projection.iter().any(elements)
                    && ty.is_some_and(|ty| self.is_value(&ty, MOST_CALLS))
                    && self.follow(inst, rvalue.operands())
            }
            (None, TerminatorKind::Call(call)) => self.is_put(inst, block, at, call),
            _ => false,
        }
    }

    fn is_put(&self, inst: InstId, block: usize, at: usize, call: &'d CallTarget) -> bool {
        let keyed = self.search.keyed(inst, block, at);
        let sets = match keyed {
            Some((access, _)) => access.change == Some(robust_models::Change::Set),
            None => {
                let model = self.search.flow.model_at(inst, block);
                let fills = |model: &robust_models::Function| {
                    model.checks && model.access.iter().flatten().any(|access| access.settles)
                };
                model.is_some_and(|model| model.value == Some(ModelValue::Set) || fills(model))
            }
        };
        let key = keyed.map(|(_, key)| key);
        let stored = call.args.iter().skip(1).filter(|arg| !key.is_some_and(|key| std::ptr::eq(key, *arg)));
        let stored: Vec<&Operand> = stored.collect();
        let values = stored.iter().all(|operand| match operand.place() {
            Some(place) => {
                let ty = self.search.flow.place_ty(inst, place);
                ty.is_some_and(|ty| self.is_value(&ty, MOST_CALLS))
            }
            None => true,
        });
        sets && values && self.follow(inst, stored)
    }

    /// Whether a value of a type is all that it holds: it shares nothing with another one.
    fn is_value(&self, ty: &Ty, fuel: u32) -> bool {
        let flow = self.search.flow;
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        match &**ty {
            TyKind::Prim(_) => true,
            TyKind::Tuple(parts) => parts.iter().all(|part| self.is_value(part, fuel)),
            TyKind::Slice(of) | TyKind::Array(of, _) => self.is_value(of, fuel),
            TyKind::Path(path) if path.qself.is_some() => false,
            TyKind::Path(_) if flow.code.has_fields(ty) => {
                let fields = flow.code.field_types(ty).unwrap_or_default();
                fields.iter().all(|(_, field)| self.is_value(field, fuel))
            }
            TyKind::Path(path) => {
                let known = path.segments.first().is_some_and(|of| flow.models.is_complete(&of.name));
                let unique = || flow.model(ty).is_some_and(|model| model.unique);
                known
                    && match flow.kind(ty) {
                        None | Some(TypeKind::Container | TypeKind::Nothing) => true,
                        Some(TypeKind::Pointer) => unique(),
                        Some(_) => false,
                    }
                    && parts(ty).into_iter().all(|part| self.is_value(part, fuel))
            }
            _ => false,
        }
    }

    /// Whether the values of these come from nothing else.
    fn follow(&self, inst: InstId, operands: Vec<&'d Operand>) -> bool {
        let mut work: Vec<&Place> = Vec::new();
        if !operands.into_iter().all(|operand| is_fixed(operand, &mut work)) {
            return false;
        }
        let body = self.search.flow.body_of(inst);
        let definitions = self.fresh.definitions(inst);
        let pointers = LazyCell::new(|| pointers(body));
        let mut seen: BTreeSet<Local> = BTreeSet::new();
        let own = self.all_deciders(inst, self.of.1);
        // A constant says that something is there, which is a claim rather than a memo.
        let mut made = false;
        while let Some(place) = work.pop() {
            if self.is_given(inst, place) {
                made = true;
                continue;
            }
            if (1..=body.arg_count).contains(&place.local.0) {
                return false;
            }
            if !seen.insert(place.local) {
                continue;
            }
            if seen.len() > MOST_LOCALS {
                return false;
            }
            // What is stored through a pointer to it is in it.
            work.extend(pointers.iter().filter(|(of, _)| *of == place.local).map(|(_, pointer)| *pointer));
            let mut any = false;
            for &(block, at) in definitions.get(place.local.0 as usize).into_iter().flatten() {
                if !self.search.cfg(inst).reached.contains(&block) {
                    continue;
                }
                any = true;
                // What decides which value it gets, and not whether it is stored.
                for decider in self.all_deciders(inst, block) {
                    if own.contains(&decider) {
                        continue;
                    }
                    let TerminatorKind::SwitchInt { on, .. } = &body.blocks[decider].terminator.kind else {
                        return false;
                    };
                    if !is_fixed(on, &mut work) {
                        return false;
                    }
                }
                let statement = body.blocks[block].statements.get(at).map(|statement| &statement.kind);
                match (statement, &body.blocks[block].terminator.kind) {
                    (Some(StatementKind::Assign(to, rvalue)), _) => {
                        if to.local != place.local {
                            // It is lent to be changed: by a call, of what else that is given.
                            let Some(borrower) = to.as_local() else { return false };
                            if !self.lends(inst, borrower, &mut work) {
                                return false;
                            }
                            continue;
                        }
                        if !self.reads_nothing(inst, block, at)
                            || !rvalue.operands().into_iter().all(|operand| is_fixed(operand, &mut work))
                        {
                            return false;
                        }
                        match rvalue {
                            Rvalue::Ref(_, of) | Rvalue::CopyForDeref(of) | Rvalue::Discriminant(of) => {
                                work.push(of);
                            }
                            Rvalue::Len(of) => work.push(of),
                            Rvalue::RawPtr { .. } | Rvalue::ThreadLocalRef(_) => return false,
                            _ => {}
                        }
                    }
                    (None, TerminatorKind::Call(call)) => {
                        made = true;
                        if !self.is_determined(inst, block, MOST_CALLS)
                            || !call.args.iter().all(|arg| is_fixed(arg, &mut work))
                        {
                            return false;
                        }
                    }
                    _ => return false,
                }
            }
            if !any {
                return false;
            }
        }
        made
    }

    /// Whether all calls that a loan is given to are determined by what they are given; notes what that is.
    fn lends(&self, inst: InstId, loan: Local, work: &mut Vec<&'d Place>) -> bool {
        let body = self.search.flow.body_of(inst);
        let is_loan = |place: &Place| place.local == loan;
        let mut given = false;
        for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
            for statement in &block.statements {
                let StatementKind::Assign(to, rvalue) = &statement.kind else { continue };
                let used = match rvalue {
                    Rvalue::Ref(_, of) | Rvalue::RawPtr { place: of, .. } => is_loan(of),
                    _ => rvalue.operands().iter().any(|operand| operand.place().is_some_and(is_loan)),
                };
                if used {
                    let Some(next) = to.as_local().filter(|next| *next != loan) else { return false };
                    if !self.lends(inst, next, work) {
                        return false;
                    }
                    given = true;
                }
            }
            if let TerminatorKind::Call(call) = &block.terminator.kind
                && call.args.iter().any(|arg| arg.place().is_some_and(is_loan))
            {
                let others = call.args.iter().filter(|arg| !arg.place().is_some_and(is_loan));
                if !self.is_determined(inst, index, MOST_CALLS)
                    || !others.into_iter().all(|arg| is_fixed(arg, work))
                {
                    return false;
                }
                given = true;
            }
        }
        given
    }

    /// Whether a place is a part of the key, or of the object that is changed, that nobody changes.
    fn is_given(&self, inst: InstId, place: &Place) -> bool {
        let Some(given) = self.fresh.frozen(inst, place) else { return false };
        let (of, block, number) = self.of;
        let at = self.search.facts.effects[of.0 as usize][block][number].at;
        let key = self.search.keyed(of, block, at).and_then(|(_, key)| key.place());
        let is_key = key.is_some_and(|key| {
            let values = &self.fresh.values();
            let own = values.behind(of, &Operand::Copy(key.clone()));
            let own = own.or_else(|| values.operand(of, &Operand::Copy(key.clone())));
            let this = values.behind(inst, &Operand::Copy(place.clone()));
            let this = this.or_else(|| values.operand(inst, &Operand::Copy(place.clone())));
            own.is_some() && own == this
        });
        is_key || self.search.is_beside(self.fresh, self.of, &given)
    }

    /// Whether a statement reads nothing that is shared.
    fn reads_nothing(&self, inst: InstId, block: usize, at: usize) -> bool {
        self.search.accesses(inst, block, at).is_empty()
    }

    /// Whether what the call that ends a block gives is made of what it is given.
    fn is_determined(&self, inst: InstId, block: usize, fuel: u32) -> bool {
        let flow = self.search.flow;
        let end = flow.body_of(inst).blocks[block].statements.len();
        let quiet = |step: &Step| {
            !matches!(
                step.action,
                Action::Acquire { .. } | Action::Yield { .. } | Action::Source { .. } | Action::Spawn { .. }
            )
        };
        let steps = &self.search.facts.effects[inst.0 as usize][block];
        let Some(info) = flow.calls.get(&(inst, block as u32)) else { return false };
        let Some(fuel) = fuel.checked_sub(1) else { return false };
        let own = info.callees.iter().all(|callee| self.is_pure(*callee, fuel));
        let apart = info.spawned.is_empty() && info.events.is_empty() && info.poll.is_none();
        let known = match (info.model.as_ref().or(info.foreign.as_ref()), info.callees.is_empty()) {
            (Some(path), _) => flow.models.is_determined(path),
            (None, is_empty) => !is_empty,
        };
        self.reads_nothing(inst, block, end)
            && steps.iter().filter(|step| step.at == end).all(quiet)
            && own
            && apart
            && known
    }

    /// Whether what a function gives is made of what it is given.
    fn is_pure(&self, inst: InstId, fuel: u32) -> bool {
        if let Some(known) = self.pure.borrow().get(&inst) {
            return *known;
        }
        // Within itself it is taken to be.
        self.pure.borrow_mut().insert(inst, true);
        let body = self.search.flow.body_of(inst);
        let pure = self.search.cfg(inst).reached.iter().all(|&block| {
            let data = &body.blocks[block];
            let constants = data.statements.iter().all(|statement| match &statement.kind {
                StatementKind::Assign(_, Rvalue::ThreadLocalRef(_)) => false,
                StatementKind::Assign(_, rvalue) => {
                    rvalue.operands().into_iter().all(|operand| is_fixed(operand, &mut Vec::new()))
                }
                _ => true,
            });
            let nothing = (0..=data.statements.len()).all(|at| self.reads_nothing(inst, block, at));
            let called = match &data.terminator.kind {
                TerminatorKind::Call(_) => self.is_determined(inst, block, fuel),
                _ => true,
            };
            constants && nothing && called
        });
        self.pure.borrow_mut().insert(inst, pure);
        pure
    }
}

/// The raw pointers that are taken out of boxes, as `vec![..]` does to fill one, with the local that the box is in.
fn pointers(body: &Body) -> Vec<(Local, &Place)> {
    let statements = body.blocks.iter().filter(|block| !block.cleanup).flat_map(|block| &block.statements);
    let taken = statements.filter_map(|statement| match &statement.kind {
        StatementKind::Assign(to, Rvalue::Cast(_, of, ty)) if matches!(&**ty, TyKind::Ptr { .. }) => {
            Some((of.place()?.local, to))
        }
        _ => None,
    });
    taken.collect()
}

/// Whether a statement notes that it was reached: it gives a truth value to a local that the user has named, or returns a constant.
fn notes(body: &Body, statement: &StatementKind) -> bool {
    let StatementKind::Assign(place, rvalue) = statement else { return false };
    let named = body.locals.get(place.local.0 as usize).is_some_and(|local| local.name.is_some());
    let is_unit =
        |operand: &Operand| matches!(operand, Operand::Const(c) if matches!(c.kind, ConstKind::Unit));
    let returned = place.local == Local::RETURN;
    match rvalue {
        Rvalue::Use(operand) => {
            named && operand.truth().is_some() || returned && operand.place().is_none() && !is_unit(operand)
        }
        Rvalue::Aggregate(_, parts) => {
            returned && parts.iter().all(|part| part.place().is_none() && !is_unit(part))
        }
        _ => false,
    }
}

/// Whether an operand is a constant that is the same for all, or a place, which is noted.
fn is_fixed<'o>(operand: &'o Operand, places: &mut Vec<&'o Place>) -> bool {
    match operand {
        Operand::Copy(place) | Operand::Move(place) => {
            places.push(place);
            true
        }
        Operand::Const(constant) => !matches!(constant.kind, ConstKind::Alloc { .. }),
    }
}
