//! Constants that a call gives to the function, closure or future that it runs, and the branches that these decide.
//!
//! Instances are told apart by them ([`crate::world::points::points_to::Instance`]): what is only done for some arguments is
//! done in the calls that give those.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use robust_models::Value as ModelValue;

use crate::mir::{
    AggregateKind, BasicBlock, Body, BodyKind, BorrowKind, CallTarget, Callee, ConstKind, Local, Operand,
    Place, Projection, Rvalue, StatementKind, TerminatorKind, Ty, TyKind,
};

use crate::world::actions::cfg::reach;
use crate::world::actions::outcome;
use crate::world::points::aggregates::{compared_with, variant_made};
use crate::world::points::bodies::variant_of;
use crate::world::points::foreign::model_key;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::substitute_path;

/// Steps from a value to where it comes from.
const MAX_STEPS: u32 = 24;
/// Values in values that are told apart.
const MAX_DEPTH: u32 = 3;
/// More parts than this are not looked at.
const MAX_PARTS: usize = 8;

/// A value that is known, as far as it is. A shared reference is as what it refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Constant {
    Bool(bool),
    Int(i128),
    /// `Some`, `Ok` or `Continue`, or else `None`, `Err` or `Break`; and what is in it.
    Outcome(bool, Option<Box<Constant>>),
    /// The discriminant of a variant of an enum of the crates.
    Variant(i128),
    /// The fields of a tuple or struct.
    Parts(Vec<Option<Constant>>),
}

impl Constant {
    /// Fields, unless nothing is known of any.
    fn of_parts(parts: Vec<Option<Constant>>) -> Option<Constant> {
        let known = parts.len() <= MAX_PARTS && parts.iter().any(Option::is_some);
        known.then_some(Constant::Parts(parts))
    }

    /// Without what is too deep in it.
    fn down_to(self, depth: u32) -> Option<Constant> {
        let below = |part: Constant| part.down_to(depth.checked_sub(1)?);
        match self {
            Constant::Outcome(succeeded, part) => {
                Some(Constant::Outcome(succeeded, part.and_then(|part| below(*part)).map(Box::new)))
            }
            Constant::Parts(parts) => {
                Constant::of_parts(parts.into_iter().map(|part| part.and_then(below)).collect())
            }
            plain => Some(plain),
        }
    }
}

/// What an instance is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Given {
    /// By parameter, from 0.
    pub args: Vec<Option<Constant>>,
    /// By number of what a closure or future captured.
    pub captures: Captures,
}

/// What is known of what a closure or future captured.
pub(crate) type Captures = Rc<Vec<Option<Constant>>>;

impl Given {
    /// Nothing, if nothing is known of any of these.
    pub fn new(mut args: Vec<Option<Constant>>, captures: &Captures) -> Given {
        if args.iter().all(Option::is_none) {
            args.clear();
        }
        Given { args, captures: Rc::clone(captures) }
    }

    fn is_empty(&self) -> bool {
        self.args.is_empty() && self.captures.is_empty()
    }
}

/// The branches of an instance that are decided by what it is given.
#[derive(Debug, Default)]
pub(crate) struct Decided {
    /// By block: where it leads.
    pub to: BTreeMap<usize, usize>,
    /// Blocks that are not reached.
    pub dead: BTreeSet<usize>,
}

/// How a local gets its value, if that is in one place.
#[derive(Clone, Copy, Debug)]
enum Definition {
    Param(usize),
    Assigned { block: usize, at: usize },
    Called(usize),
    Unclear,
}

/// Where each local of a body gets its value.
#[derive(Debug)]
pub(crate) struct Definitions {
    locals: Vec<Option<Definition>>,
    /// Captures that the body itself changes.
    changed: BTreeSet<u32>,
    /// Whether its first parameter is made of its captures.
    captures: bool,
}

impl Definitions {
    pub fn of(body: &Body) -> Definitions {
        let captures = matches!(body.kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. });
        let locals = vec![None; body.locals.len()];
        let mut found = Definitions { locals, changed: BTreeSet::new(), captures };
        for number in 0..body.arg_count {
            found.define(&Place::from(Local(number + 1)), Definition::Param(number as usize));
        }
        for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
            found.block(index, block);
        }
        found
    }

    fn block(&mut self, index: usize, block: &BasicBlock) {
        for (at, statement) in block.statements.iter().enumerate() {
            match &statement.kind {
                StatementKind::Assign(place, rvalue) => {
                    self.define(place, Definition::Assigned { block: index, at });
                    // Whoever has it borrowed so may change it.
                    if let Rvalue::Ref(BorrowKind::Mut, of) | Rvalue::RawPtr { place: of, .. } = rvalue {
                        self.define(of, Definition::Unclear);
                    }
                }
                StatementKind::SetDiscriminant(place, _) => self.define(place, Definition::Unclear),
                _ => {}
            }
        }
        match &block.terminator.kind {
            TerminatorKind::Call(call) => self.define(&call.dest, Definition::Called(index)),
            TerminatorKind::Yield { resume_arg, .. } => self.define(resume_arg, Definition::Unclear),
            _ => {}
        }
    }

    fn define(&mut self, place: &Place, definition: Definition) {
        if self.captures
            && place.local == Local(1)
            && let Some((number, rest)) = captured(&place.projection)
        {
            if !rest.contains(&Projection::Deref) {
                self.changed.insert(number);
            }
            return;
        }
        if place.projection.contains(&Projection::Deref) {
            return;
        }
        let Some(local) = self.locals.get_mut(place.local.0 as usize) else { return };
        let whole = place.projection.is_empty() && local.is_none();
        *local = Some(if whole { definition } else { Definition::Unclear });
    }
}

/// The capture that a place in a closure's first parameter is in, and the way from there.
fn captured(projection: &[Projection]) -> Option<(u32, &[Projection])> {
    match projection {
        [Projection::Field(number, _), rest @ ..]
        | [Projection::Deref, Projection::Field(number, _), rest @ ..] => Some((*number, rest)),
        _ => None,
    }
}

/// What an instance gives to those that it calls.
pub(crate) struct Giver<'f, 'a> {
    flow: &'f Flow<'a>,
    inst: InstId,
    body: &'a Body,
    definitions: Rc<Definitions>,
}

impl<'f, 'a> Giver<'f, 'a> {
    pub fn new(flow: &'f Flow<'a>, inst: InstId) -> Self {
        Giver { flow, inst, body: flow.body_of(inst), definitions: flow.definitions(inst) }
    }

    /// The constants among these.
    pub fn operands(&self, operands: &[Operand]) -> Vec<Option<Constant>> {
        // Whoever is given it so may change it.
        let is_lent = |operand: &Operand| {
            let ty = operand.place().and_then(|place| self.ty(place));
            ty.is_some_and(|ty| matches!(&*ty, TyKind::Ref { mutable: true, .. }))
        };
        let constant = |operand: &Operand| {
            let known = self.operand(operand, MAX_STEPS).filter(|_| !is_lent(operand));
            known?.down_to(MAX_DEPTH)
        };
        operands.iter().map(constant).collect()
    }

    /// The constants in a tuple.
    pub fn parts(&self, tuple: Option<&Operand>) -> Vec<Option<Constant>> {
        match tuple.and_then(|tuple| self.operand(tuple, MAX_STEPS)) {
            Some(Constant::Parts(parts)) => parts.into_iter().map(|part| part?.down_to(MAX_DEPTH)).collect(),
            _ => Vec::new(),
        }
    }

    /// The constants among what a closure or future captures.
    pub fn captures(&self, operands: &[Operand]) -> Captures {
        let captures = self.operands(operands);
        Rc::new(if captures.iter().any(Option::is_some) { captures } else { Vec::new() })
    }

    /// The branches that are decided.
    pub fn decided(&self) -> Decided {
        let blocks = self.body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup);
        let to: BTreeMap<usize, usize> =
            blocks.filter_map(|(index, block)| Some((index, self.target(block)?))).collect();
        if to.is_empty() {
            return Decided::default();
        }
        let next = |(index, block): (usize, &BasicBlock)| match to.get(&index) {
            Some(&target) => vec![target],
            None => match &block.terminator.kind {
                TerminatorKind::Yield { resume, drop, .. } => {
                    drop.iter().chain([resume]).map(|to| to.0 as usize).collect()
                }
                kind => kind.successors(),
            },
        };
        let succs: Vec<Vec<usize>> = self.body.blocks.iter().enumerate().map(next).collect();
        let reached = reach(&succs, [0]);
        let dead = (0..succs.len()).filter(|block| !reached.contains(block)).collect();
        Decided { to, dead }
    }

    fn target(&self, block: &BasicBlock) -> Option<usize> {
        let TerminatorKind::SwitchInt { on, targets, otherwise } = &block.terminator.kind else {
            return None;
        };
        let number = self.number(on)?;
        let target = targets.iter().find(|(bits, _)| *bits == number).map(|(_, to)| to);
        Some(target.or(otherwise.as_ref())?.0 as usize)
    }

    /// What a branch is decided by.
    fn number(&self, on: &Operand) -> Option<u128> {
        if let Some(local) = on.place().and_then(Place::as_local)
            && let Some(Rvalue::Discriminant(of)) = self.assigned(local)
        {
            let succeeded = match self.place(of, MAX_STEPS)? {
                Constant::Outcome(succeeded, _) => succeeded,
                Constant::Variant(number) => return u128::try_from(number).ok(),
                _ => return None,
            };
            // `Ok` and `Continue` come first, `Some` comes second.
            let second = self.ty(of)?.as_path().is_some_and(|path| path.last() == "Option");
            return Some(u128::from(succeeded == second));
        }
        match self.operand(on, MAX_STEPS)? {
            Constant::Bool(value) => Some(u128::from(value)),
            Constant::Int(value) => u128::try_from(value).ok(),
            Constant::Outcome(..) | Constant::Variant(_) | Constant::Parts(_) => None,
        }
    }

    /// The type of what a place holds, references apart.
    fn ty(&self, place: &Place) -> Option<Ty> {
        self.flow.place_ty(self.inst, place)
    }

    fn assigned(&self, local: Local) -> Option<&'a Rvalue> {
        let (Definition::Assigned { block, at }, body) = (self.definition(local)?, self.body) else {
            return None;
        };
        match &body.blocks[block].statements[at].kind {
            StatementKind::Assign(_, rvalue) => Some(rvalue),
            _ => None,
        }
    }

    fn definition(&self, local: Local) -> Option<Definition> {
        *self.definitions.locals.get(local.0 as usize)?
    }

    fn operand(&self, operand: &Operand, fuel: u32) -> Option<Constant> {
        match operand {
            Operand::Copy(place) | Operand::Move(place) => self.place(place, fuel),
            Operand::Const(constant) => match &constant.kind {
                ConstKind::Bool(value) => Some(Constant::Bool(*value)),
                ConstKind::Int(value) => Some(Constant::Int(*value)),
                _ => None,
            },
        }
    }

    fn place(&self, place: &Place, fuel: u32) -> Option<Constant> {
        let fuel = fuel.checked_sub(1)?;
        if self.definitions.captures
            && place.local == Local(1)
            && let Some((number, rest)) = captured(&place.projection)
        {
            let captures = &self.flow.instances[self.inst.0 as usize].given.captures;
            let is_kept = !self.definitions.changed.contains(&number);
            let capture = captures.get(number as usize).filter(|_| is_kept)?.clone();
            return part_of(capture?, rest);
        }
        part_of(self.local(place.local, fuel)?, &place.projection)
    }

    fn local(&self, local: Local, fuel: u32) -> Option<Constant> {
        match self.definition(local)? {
            Definition::Param(number) => {
                self.flow.instances[self.inst.0 as usize].given.args.get(number)?.clone()
            }
            Definition::Assigned { .. } => self.rvalue(local, self.assigned(local)?, fuel),
            Definition::Called(block) => match &self.body.blocks[block].terminator.kind {
                TerminatorKind::Call(call) => self.called(call, fuel),
                _ => None,
            },
            Definition::Unclear => None,
        }
    }

    fn rvalue(&self, local: Local, rvalue: &Rvalue, fuel: u32) -> Option<Constant> {
        match rvalue {
            Rvalue::Use(operand) => self.operand(operand, fuel),
            Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place) => self.place(place, fuel),
            Rvalue::Unary(operator, operand) if operator == "Not" => match self.operand(operand, fuel)? {
                Constant::Bool(value) => Some(Constant::Bool(!value)),
                _ => None,
            },
            Rvalue::Binary(operator, operands) => {
                combine(operator, self.operand(&operands.0, fuel)?, self.operand(&operands.1, fuel)?)
            }
            Rvalue::Cast(kind, operand, _) if &**kind == "IntToInt" => match self.operand(operand, fuel)? {
                // One that has room in any type.
                Constant::Int(value) if (0..=i128::from(i8::MAX)).contains(&value) => {
                    Some(Constant::Int(value))
                }
                _ => None,
            },
            Rvalue::Discriminant(of) => match self.place(of, fuel)? {
                Constant::Variant(number) => Some(Constant::Int(number)),
                _ => None,
            },
            Rvalue::Aggregate(kind, operands) => {
                let parts = || operands.iter().map(|operand| self.operand(operand, fuel)).collect();
                match &**kind {
                    AggregateKind::Tuple => Constant::of_parts(parts()),
                    AggregateKind::Adt { path, .. } => {
                        let ty = self.ty(&Place::from(local))?;
                        if let Some(variants) = self.flow.code.variants(&ty) {
                            let bare = operands.is_empty();
                            return variant_made(variants, rvalue).filter(|_| bare).map(Constant::Variant);
                        }
                        let name = ty.as_path()?.last();
                        if variant_of(path, name).is_none() {
                            return Constant::of_parts(parts());
                        }
                        let succeeded = outcome::of(rvalue).filter(|_| is_outcome(&ty))?;
                        let part = operands.first().and_then(|operand| self.operand(operand, fuel));
                        Some(Constant::Outcome(succeeded, part.map(Box::new)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What a library function makes of what it is given.
    fn called(&self, call: &CallTarget, fuel: u32) -> Option<Constant> {
        let Callee::Fn { path, .. } = &call.callee else { return None };
        let path = substitute_path(path, &self.flow.subst_of(self.inst));
        let model = self.flow.models.function(&model_key(self.flow.models, &path, &path.plain()))?;
        let first = |fuel| self.operand(call.args.first()?, fuel);
        let value = model.value?;
        let fails = || matches!(first(fuel), Some(Constant::Outcome(false, _)));
        match (value, fuel) {
            (ModelValue::Copy, fuel) => first(fuel),
            // There is nothing to take.
            (ModelValue::Take, _) => fails().then_some(Constant::Outcome(false, None)),
            (ModelValue::Fails, _) => Some(Constant::Outcome(false, None)),
            (ModelValue::Confirms, _) => fails().then_some(Constant::Bool(false)),
            (ModelValue::IsEqual | ModelValue::IsDifferent, fuel) => {
                let Constant::Variant(is) = first(fuel)? else { return None };
                let [held, other] = &call.args[..] else { return None };
                let ty = self.ty(held.place()?)?;
                let by_variant = self.flow.code.is_compared_by_variant(ty.peel_refs());
                let with =
                    compared_with(self.flow, self.inst, other, ty.peel_refs()).filter(|_| by_variant)?;
                Some(Constant::Bool((is == with) == (value == ModelValue::IsEqual)))
            }
            (ModelValue::IsOk | ModelValue::IsErr | ModelValue::Same, fuel) => {
                let Constant::Outcome(succeeded, _) = first(fuel)? else { return None };
                Some(match value {
                    ModelValue::IsOk => Constant::Bool(succeeded),
                    ModelValue::IsErr => Constant::Bool(!succeeded),
                    _ => Constant::Outcome(succeeded, None),
                })
            }
            _ => None,
        }
    }
}

/// Whether a type is one of those that [`Constant::Outcome`] is about.
fn is_outcome(ty: &TyKind) -> bool {
    ty.as_path().is_some_and(|path| {
        matches!(&*path.plain(), "std::option::Option" | "std::result::Result" | "std::ops::ControlFlow")
    })
}

/// A part of a value.
fn part_of(mut value: Constant, projection: &[Projection]) -> Option<Constant> {
    for step in projection {
        value = match (step, value) {
            (Projection::Deref | Projection::Downcast(_), value) => value,
            (Projection::Field(0, _), Constant::Outcome(_, part)) => *part?,
            (Projection::Field(number, _), Constant::Parts(parts)) => {
                parts.into_iter().nth(*number as usize)??
            }
            _ => return None,
        };
    }
    Some(value)
}

/// What an operator makes of two values.
fn combine(operator: &str, a: Constant, b: Constant) -> Option<Constant> {
    let order = match (a, b) {
        (Constant::Bool(a), Constant::Bool(b)) => a.cmp(&b),
        (Constant::Int(a), Constant::Int(b)) => {
            let sum =
                || a.checked_add(b).filter(|sum| (0..=i128::from(i8::MAX)).contains(sum)).map(Constant::Int);
            match operator {
                "Add" => return sum(),
                "AddWithOverflow" => return Some(Constant::Parts(vec![sum(), Some(Constant::Bool(false))])),
                _ => a.cmp(&b),
            }
        }
        _ => return None,
    };
    let holds = match operator {
        "Eq" => order.is_eq(),
        "Ne" => order.is_ne(),
        "Lt" => order.is_lt(),
        "Le" => order.is_le(),
        "Gt" => order.is_gt(),
        "Ge" => order.is_ge(),
        _ => return None,
    };
    Some(Constant::Bool(holds))
}

/// The number that an operand is known to be; 0 and 1 for truth values.
pub(crate) fn number(flow: &Flow<'_>, inst: InstId, operand: &Operand) -> Option<i128> {
    match Giver::new(flow, inst).operand(operand, MAX_STEPS)? {
        Constant::Bool(value) => Some(i128::from(value)),
        Constant::Int(value) => Some(value),
        Constant::Outcome(..) | Constant::Variant(_) | Constant::Parts(_) => None,
    }
}

/// The branches of a new instance that are decided, unless it is given nothing.
pub(crate) fn decided(flow: &Flow<'_>, inst: InstId) -> Option<Decided> {
    let given = &flow.instances[inst.0 as usize].given;
    if given.is_empty() {
        return None;
    }
    Some(Giver::new(flow, inst).decided()).filter(|decided| !decided.to.is_empty())
}
