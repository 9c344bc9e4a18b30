//! Changes that are spared where they would leave what is there already: `if flag { flag = false }` is `flag = false`.
//!
//! A look spares a change if the change stores a constant, and each branch that the look decides and that leads past the change is
//! taken only where the look found that constant, in the same place.

use std::collections::BTreeSet;

use robust_models::Value as ModelValue;

use crate::ir::{Basis, BasisId};
use crate::lower::sharing::basis::{AccessAt, Search};
use crate::lower::sharing::constants::{Left, part};
use crate::mir::{Local, Operand, Place, Prim, Projection, Rvalue, StatementKind, TerminatorKind, TyKind};
use crate::world::actions::cfg::reach;
use crate::world::actions::effects::{Action, Touch};
use crate::world::points::aggregates::{is_option, number};
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;
use crate::world::values::depend::{Node, Set};
use crate::world::values::value::{Values, given};

/// Steps from a truth value to the look that it comes from.
const MAX_STEPS: u32 = 12;

/// Calls within calls that are looked at.
const MAX_CALLS: u32 = 3;

/// A branch, by its instance and its block, and the block that it leads to or past.
type Branch = (InstId, usize, usize);

/// What decides whether something is done.
#[derive(Default)]
struct Branches {
    /// Each with what it says of a look.
    told: Vec<(Branch, Option<Told>)>,
    /// What decides whether these run was not looked at.
    runs: Vec<InstId>,
}

/// What a value says of what a look saw.
struct Told {
    look: AccessAt,
    /// It was one of a function that is called there: all that is known is what that was given.
    inner: bool,
    /// The part of its variable that was looked at.
    part: String,
    test: Test,
}

/// How it says that.
enum Test {
    /// It is what was seen.
    Itself,
    /// It is the truth value that was seen, the other way round.
    Negated,
    /// Whether what was seen is this, or, if not so, is not this.
    Is(i128, bool),
    /// The number of the variant of an option that was seen.
    Variant,
    /// Whether there was something, or, if not so, nothing.
    Presence(bool),
}

impl Told {
    /// What was seen for certain where the value is this number.
    fn seen(&self, value: i128) -> Option<Left> {
        match (&self.test, value) {
            (Test::Itself, value) => Some(Left::Number(value)),
            (Test::Negated, value @ 0..=1) => Some(Left::Number(1 - value)),
            (Test::Is(number, is), value) => (is == &(value != 0)).then_some(Left::Number(*number)),
            (Test::Variant, 0) => Some(Left::Nothing),
            (Test::Presence(there), value) => (there != &(value != 0)).then_some(Left::Nothing),
            _ => None,
        }
    }
}

impl Search<'_, '_> {
    /// Says of each change which looks spare it.
    pub(in crate::lower::sharing) fn spare(&self, values: &Values<'_, '_>, list: &mut [Basis]) {
        for (&at, &id) in &self.ids {
            let (inst, block, _) = at;
            if !matches!(self.action(at), Action::Access { touch: Touch::Write | Touch::Update(_), .. }) {
                continue;
            }
            let Some((into, left)) = self.left(at) else { continue };
            let mut branches = Branches::default();
            self.branches(values, (inst, block), MAX_CALLS, &mut branches);
            let mut spared = BTreeSet::new();
            for (_, known) in &branches.told {
                let Some(known) = known else { continue };
                let Some(&look) = self.ids.get(&known.look) else { continue };
                let mut deciding = branches.told.iter().filter(|(branch, _)| self.goes_by(*branch, look));
                let all = deciding.all(|(branch, known)| {
                    known.as_ref().is_some_and(|known| {
                        self.ids.get(&known.look) == Some(&look)
                            && self.leads_past_where(*branch, known, &left)
                    })
                });
                let mut others = branches.runs.iter();
                let others = others.any(|run| has(&self.depend.of(Node::Run(*run)).branch, look));
                let one_path = is_one_path(&list[look.index()], &list[id.index()], known.inner);
                if all && !others && one_path && known.part == into && self.is_there(known.look, at) {
                    spared.insert(look);
                }
            }
            list[id.index()].spared = spared.into_iter().collect();
        }
    }

    /// What decides whether a block is reached: branches in its function, and, if there are few calls in the text that run that, in callers.
    fn branches(
        &self,
        values: &Values<'_, '_>,
        (inst, block): (InstId, usize),
        fuel: u32,
        found: &mut Branches,
    ) {
        let deciders = self.deciders.get(&inst).map(|deciders| deciders[block].clone()).unwrap_or_default();
        found.told.extend(deciders.iter().map(|at| ((inst, *at, block), self.told_at(inst, *at))));
        match values.callers(inst) {
            Some(callers) if fuel > 0 && !callers.is_empty() => {
                for &(caller, at) in callers {
                    self.branches(values, (caller, at as usize), fuel - 1, found);
                }
            }
            _ => found.runs.push(inst),
        }
    }

    /// Whether a branch goes by what a look saw.
    fn goes_by(&self, (inst, decider, _): Branch, look: BasisId) -> bool {
        let by = |node: Node| {
            let outcomes = self.depend.of(node);
            has(&outcomes.data, look) || matches!(node, Node::Local(..)) && has(&outcomes.branch, look)
        };
        let on = match &self.flow.body_of(inst).blocks[decider].terminator.kind {
            TerminatorKind::SwitchInt { on, .. } => on.place().map(|place| Node::Local(inst, place.local)),
            _ => None,
        };
        by(Node::Decision(inst, decider)) || on.is_some_and(by)
    }

    /// Whether all that was looked at is a part of what is changed, which is in one place.
    fn is_there(&self, look: AccessAt, change: AccessAt) -> bool {
        let (seen, changed) = (self.locs(look), self.locs(change));
        let within = |loc: &LocId| self.flow.heap.within(*loc).any(|around| changed.contains(&around));
        seen == changed || changed.len() == 1 && !seen.is_empty() && seen.iter().all(within)
    }

    fn action(&self, (inst, block, number): AccessAt) -> &Action {
        &self.facts.effects[inst.0 as usize][block][number].action
    }

    /// Whether a branch leads past a block only where the look has found what is left there.
    fn leads_past_where(&self, (inst, decider, block): Branch, told: &Told, left: &Left) -> bool {
        let cfg = self.cfg(inst);
        let TerminatorKind::SwitchInt { targets, otherwise, .. } =
            &self.flow.body_of(inst).blocks[decider].terminator.kind
        else {
            return false;
        };
        let mut without = cfg.succs.clone();
        without[decider].clear();
        let leads = |to: usize| reach(&without, [to]).contains(&block);
        // Who looks again until it is otherwise waits for that.
        let returns = |to: usize| reach(&without, [to]).contains(&decider);
        let live = |to: usize| cfg.succs[decider].contains(&to);
        let edges = targets.iter().map(|(value, to)| (Some(*value as i128), to.0 as usize));
        // A truth value that is not false is true.
        let rest = match targets[..] {
            [(0, _)]
                if !matches!(told.test, Test::Itself | Test::Variant) || self.is_truth(inst, decider) =>
            {
                Some(1)
            }
            _ => None,
        };
        let edges = edges.chain(otherwise.iter().map(|to| (rest, to.0 as usize)));
        edges.into_iter().filter(|(_, to)| live(*to) && !leads(*to)).all(|(value, to)| {
            let seen = value.and_then(|value| told.seen(value));
            !returns(to) && seen.is_some_and(|seen| seen == *left)
        })
    }

    /// Whether a block ends in a branch on a truth value.
    fn is_truth(&self, inst: InstId, block: usize) -> bool {
        let body = self.flow.body_of(inst);
        let TerminatorKind::SwitchInt { on, .. } = &body.blocks[block].terminator.kind else { return false };
        let ty = on.place().and_then(|place| self.flow.place_ty(inst, place));
        ty.is_some_and(|ty| *ty == TyKind::Prim(Prim::Bool))
    }

    /// What the branch that ends a block says of a look.
    fn told_at(&self, inst: InstId, block: usize) -> Option<Told> {
        let TerminatorKind::SwitchInt { on, .. } = &self.flow.body_of(inst).blocks[block].terminator.kind
        else {
            return None;
        };
        let place = on.place()?;
        if !place.projection.is_empty() {
            let end = self.flow.body_of(inst).blocks[block].statements.len();
            return self.seen_at((inst, block, end), part(place)?, Test::Itself);
        }
        self.told_in(inst, place.local, MAX_STEPS)
    }

    /// What a local says of a look.
    fn told_in(&self, inst: InstId, local: Local, fuel: u32) -> Option<Told> {
        let fuel = fuel.checked_sub(1)?;
        let body = self.flow.body_of(inst);
        let mut found = None;
        for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
            for (at, statement) in block.statements.iter().enumerate() {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                if place.local != local {
                    continue;
                }
                let this = place.as_local().and_then(|_| self.told_by((inst, index, at), rvalue, fuel));
                if found.replace(this?).is_some() {
                    return None;
                }
            }
            let TerminatorKind::Call(call) = &block.terminator.kind else { continue };
            if call.dest.local == local {
                let this = call.dest.as_local().and_then(|_| self.told_by_call(inst, index, fuel));
                if found.replace(this?).is_some() {
                    return None;
                }
            }
        }
        found
    }

    fn told_by(&self, at: (InstId, usize, usize), rvalue: &Rvalue, fuel: u32) -> Option<Told> {
        let of = |operand: &Operand| match operand.place() {
            Some(place) if !place.projection.is_empty() => self.seen_at(at, part(place)?, Test::Itself),
            Some(place) => self.told_in(at.0, place.local, fuel),
            None => None,
        };
        match rvalue {
            Rvalue::Use(operand) => of(operand),
            Rvalue::Unary(operator, operand) if &**operator == "Not" => {
                let told = of(operand)?;
                let test = match told.test {
                    Test::Itself => Test::Negated,
                    Test::Negated => Test::Itself,
                    Test::Is(number, is) => Test::Is(number, !is),
                    Test::Presence(there) => Test::Presence(!there),
                    Test::Variant => return None,
                };
                Some(Told { test, ..told })
            }
            Rvalue::Binary(operator, operands) if matches!(&**operator, "Eq" | "Ne") => {
                let (told, number) = match (number(Some(&operands.0)), number(Some(&operands.1))) {
                    (None, Some(number)) => (of(&operands.0)?, number),
                    (Some(number), None) => (of(&operands.1)?, number),
                    _ => return None,
                };
                let Test::Itself = told.test else { return None };
                Some(Told { test: Test::Is(number, &**operator == "Eq"), ..told })
            }
            Rvalue::Discriminant(place) => {
                let ty = self.flow.place_ty(at.0, place)?;
                if !is_option(&ty) || place.projection.is_empty() {
                    return None;
                }
                self.seen_at(at, part(place)?, Test::Variant)
            }
            _ => None,
        }
    }

    /// What a call gives: what is there, whether something is there, or what another function found out.
    fn told_by_call(&self, inst: InstId, block: usize, fuel: u32) -> Option<Told> {
        let body = self.flow.body_of(inst);
        let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return None };
        let end = body.blocks[block].statements.len();
        if let Some(model) = self.flow.model_at(inst, block) {
            let test = match model.value? {
                ModelValue::Get => Test::Itself,
                ModelValue::IsOk => Test::Presence(true),
                ModelValue::IsErr => Test::Presence(false),
                _ => return None,
            };
            let place = call.args.first()?.place()?;
            return self.seen_at((inst, block, end), self.lent(inst, place)?, test);
        }
        let mut callees = self.flow.calls.get(&(inst, block as u32))?.callees.iter();
        let callee = *callees.next().filter(|_| callees.next().is_none())?;
        let mut told = self.told_in(callee, Local::RETURN, fuel)?;
        // Such a look is one of the caller then.
        let (inner, at, number) = told.look;
        let step = &self.facts.effects[inner.0 as usize][at][number];
        let origin = step.from.unwrap_or((inner, at, step.at));
        let here =
            self.facts.effects[inst.0 as usize][block].iter().position(|step| step.from == Some(origin));
        if let Some(number) = here {
            (told.look, told.inner) = ((inst, block, number), true);
        }
        Some(told)
    }

    /// The part of a variable that a reference is to, which is made where it is used.
    pub(in crate::lower::sharing) fn lent(&self, inst: InstId, place: &Place) -> Option<String> {
        let body = self.flow.body_of(inst);
        match given(body, place.as_local()?) {
            Some(Rvalue::Ref(_, of)) if of.projection.first() == Some(&Projection::Deref) => part(of),
            Some(Rvalue::Ref(..)) => None,
            _ => Some(String::new()),
        }
    }

    /// The one look that a statement makes.
    fn seen_at(&self, (inst, block, at): (InstId, usize, usize), part: String, test: Test) -> Option<Told> {
        let steps = self.facts.effects[inst.0 as usize][block].iter().enumerate();
        let mut here =
            steps.filter(|(_, step)| step.at == at && matches!(step.action, Action::Access { .. }));
        let (number, step) = here.next().filter(|_| here.next().is_none())?;
        let reads = matches!(step.action, Action::Access { touch: Touch::Read, .. });
        reads.then_some(Told { look: (inst, block, number), inner: false, part, test })
    }
}

/// Whether a look and a change are to what the event comes to by one way; `inner`: of the look's, only the beginning is known.
fn is_one_path(look: &Basis, change: &Basis, inner: bool) -> bool {
    match (&look.path, &change.path) {
        (Some(look), Some(change)) if inner => {
            look.argument == change.argument && change.fields.starts_with(&look.fields)
        }
        (look, change) => look == change,
    }
}

fn has(set: &Set, look: BasisId) -> bool {
    match set {
        Set::Some(all) => all.binary_search(&look).is_ok(),
        Set::Any => true,
    }
}
