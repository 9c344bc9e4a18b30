//! What is known of the fields of a local where it is dropped: a truth value that was stored on all ways there, or an `Option` that was emptied.
//! Guards keep such a field, and their `drop` does nothing if it says that the work is done.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::{Models, Value};

use crate::mir::{
    AggregateKind, BasicBlock, Body, BodyKind, BorrowKind, CallTarget, Callee, Local, Operand, Path, Place,
    Prim, Projection, Rvalue, StatementKind, TerminatorKind, Ty, TyKind,
};

use crate::world::actions::cfg::reach;
use crate::world::points::bodies::BodyId;
use crate::world::points::calls::is_poll;
use crate::world::points::drops::At;
use crate::world::points::foreign::model_key;
use crate::world::points::given::{Captures, Constant, Given};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::substitute_path;

/// Calls within calls that are looked into for what they leave in a field.
const MAX_CALLS: u32 = 3;

/// What is known of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// It is as it was when the function was called.
    Kept,
    Bool(bool),
    /// `None`.
    Empty,
    Open,
}

/// What is known at some point of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    fields: BTreeMap<u32, Known>,
    /// Of all other fields.
    others: Known,
    /// The references through which the value, or this field of it, may be changed.
    lent: BTreeMap<Local, Option<u32>>,
}

impl State {
    fn of(&self, field: u32) -> Known {
        self.fields.get(&field).copied().unwrap_or(self.others)
    }

    /// Nothing is known any more, of a field or of all.
    fn open(&mut self, part: Option<u32>) {
        match part {
            Some(field) => _ = self.fields.insert(field, Known::Open),
            None => (self.fields, self.others) = (BTreeMap::new(), Known::Open),
        }
    }

    fn meet(&mut self, other: &State) {
        let either = |one: Known, other: Known| if one == other { one } else { Known::Open };
        let fields: BTreeSet<u32> = self.fields.keys().chain(other.fields.keys()).copied().collect();
        self.fields =
            fields.into_iter().map(|field| (field, either(self.of(field), other.of(field)))).collect();
        self.others = either(self.others, other.others);
        for (local, part) in &other.lent {
            // Of which of the two it is one is not known.
            let known = self.lent.entry(*local).or_insert(*part);
            *known = known.filter(|known| Some(*known) == *part);
        }
    }
}

/// What the `drop` of a value of this type is given where the local that the value is in is dropped at the end of a block.
pub(crate) fn given(flow: &Flow<'_>, at: At, ty: &Ty, drop: BodyId) -> Given {
    let nothing = Given::default();
    let body = flow.body_of(at.inst);
    let Some(local) = dropped(body, at.block) else { return nothing };
    let kept = asked(flow.models, flow.code.body(drop));
    if kept.is_empty() {
        return nothing;
    }
    let count = flow.code.field_types(ty).map_or(0, |fields| fields.len());
    let walk = Walk { flow, inst: at.inst, body, of: Of { local, deref: false }, depth: 0 };
    let Some(state) = walk.state_at(|index, _| index == at.block as usize) else { return nothing };
    let constant = |field: u32| match state.of(field) {
        Known::Bool(value) => Some(Constant::Bool(value)),
        Known::Empty => Some(Constant::Outcome(false, None)),
        Known::Kept | Known::Open => None,
    };
    let parts: Vec<Option<Constant>> =
        (0..count as u32).map(|field| constant(field).filter(|_| kept.contains(&field))).collect();
    let known = parts.iter().any(Option::is_some).then_some(Constant::Parts(parts));
    Given::new(vec![known], &Captures::default())
}

/// The local that is dropped at the end of a block, or given away there.
fn dropped(body: &Body, block: u32) -> Option<Local> {
    match &body.blocks[block as usize].terminator.kind {
        TerminatorKind::Drop { place, .. } => place.as_local(),
        TerminatorKind::Call(call) => match &call.args[..] {
            [Operand::Move(place)] => place.as_local(),
            _ => None,
        },
        _ => None,
    }
}

/// The fields that a `drop` looks at before anything may change them, and no more after that, but that it may take out what is in there.
fn asked(models: &Models, drop: &Body) -> BTreeSet<u32> {
    let of = Of { local: Local(1), deref: true };
    let mut uses = Uses::default();
    for (index, block) in drop.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
        let called = match &block.terminator.kind {
            TerminatorKind::Call(call) => callee(call).and_then(|path| models.function(&path.plain())),
            _ => None,
        };
        let takes = called.is_some_and(|model| model.value == Some(Value::Take));
        for statement in &block.statements {
            let StatementKind::Assign(to, rvalue) = &statement.kind else { continue };
            if let Some(part) = of.part(to) {
                uses.changed.push((field(part), index));
            }
            for place in rvalue.places() {
                let Some(part) = of.part(place) else { continue };
                match rvalue {
                    Rvalue::Ref(BorrowKind::Mut, _) | Rvalue::RawPtr { .. } if !takes || part.len() != 1 => {
                        uses.changed.push((field(part), index));
                    }
                    _ => uses.read.extend(field(part).map(|field| (field, index))),
                }
            }
        }
    }
    let succs: Vec<Vec<usize>> = drop.blocks.iter().map(|block| block.terminator.kind.successors()).collect();
    let behind = |block: usize| reach(&succs, succs[block].iter().copied());
    let is_changed = |field: u32, read: usize| {
        let mut changes = uses.changed.iter().filter(|(of, _)| of.is_none_or(|of| of == field));
        changes.any(|(_, at)| *at == read || behind(*at).contains(&read))
    };
    let changed: BTreeSet<u32> =
        uses.read.iter().filter(|(field, at)| is_changed(*field, *at)).map(|(field, _)| *field).collect();
    uses.read.into_iter().map(|(field, _)| field).filter(|field| !changed.contains(field)).collect()
}

/// Where fields are read, and where one, or any of them, may be changed.
#[derive(Default)]
struct Uses {
    read: Vec<(u32, usize)>,
    changed: Vec<(Option<u32>, usize)>,
}

/// The field that a way begins with.
fn field(way: &[Projection]) -> Option<u32> {
    match way.first() {
        Some(Projection::Field(field, _)) => Some(*field),
        _ => None,
    }
}

/// What is followed: a local, or what it refers to.
#[derive(Clone, Copy)]
struct Of {
    local: Local,
    deref: bool,
}

impl Of {
    /// The way from it to a place that is in it.
    fn part(self, place: &Place) -> Option<&[Projection]> {
        match (&place.projection[..], self.deref) {
            _ if place.local != self.local => None,
            ([Projection::Deref, rest @ ..], true) => Some(rest),
            (_, true) => None,
            (rest, false) => Some(rest),
        }
    }
}

/// A walk through a body, along which it is known what is in fields.
struct Walk<'w, 'a> {
    flow: &'w Flow<'a>,
    inst: InstId,
    body: &'w Body,
    of: Of,
    depth: u32,
}

impl Walk<'_, '_> {
    /// What is known at the end of all blocks like this, in front of what ends them; nothing, if the value may be changed out of sight.
    fn state_at(&self, ends: impl Fn(usize, &BasicBlock) -> bool) -> Option<State> {
        let others = if self.of.deref { Known::Kept } else { Known::Open };
        let first = State { fields: BTreeMap::new(), others, lent: BTreeMap::new() };
        let mut begins: BTreeMap<usize, State> = BTreeMap::from([(0, first)]);
        let mut work = vec![0];
        let mut found: BTreeMap<usize, State> = BTreeMap::new();
        while let Some(at) = work.pop() {
            let block = &self.body.blocks[at];
            let mut state = begins[&at].clone();
            for statement in &block.statements {
                if let StatementKind::Assign(to, rvalue) = &statement.kind {
                    self.assign(block, &mut state, to, rvalue)?;
                }
            }
            if ends(at, block) {
                found.insert(at, state.clone());
            }
            if let TerminatorKind::Call(call) = &block.terminator.kind {
                self.call(&mut state, call)?;
            }
            for next in block.terminator.kind.successors() {
                if self.body.blocks[next].cleanup {
                    continue;
                }
                let state = self.towards(block, next, &state);
                let known = begins.get(&next).cloned();
                let mut now = known.clone().unwrap_or_else(|| state.clone());
                now.meet(&state);
                if known.as_ref() != Some(&now) {
                    begins.insert(next, now);
                    work.push(next);
                }
            }
        }
        let mut all = found.into_values();
        let mut state = all.next()?;
        all.for_each(|other| state.meet(&other));
        Some(state)
    }

    /// What is known where a block leads to another one: who asked for a truth value knows it from then on.
    fn towards(&self, block: &BasicBlock, next: usize, state: &State) -> State {
        let mut state = state.clone();
        let TerminatorKind::SwitchInt { on, targets, otherwise: Some(otherwise) } = &block.terminator.kind
        else {
            return state;
        };
        let asked = on.place().and_then(Place::as_local).and_then(|local| {
            block.statements.iter().rev().find_map(|statement| match &statement.kind {
                StatementKind::Assign(to, Rvalue::Use(Operand::Copy(of))) if to.as_local() == Some(local) => {
                    self.of.part(of)
                }
                _ => None,
            })
        });
        if let (Some([Projection::Field(field, ty)]), [(0, no)]) = (asked, &targets[..])
            && matches!(&**ty, TyKind::Prim(Prim::Bool))
            && no != otherwise
        {
            state.fields.insert(*field, Known::Bool(otherwise.0 as usize == next));
        }
        state
    }

    /// `None`: the value may be changed out of sight from here on.
    fn assign(&self, block: &BasicBlock, state: &mut State, to: &Place, rvalue: &Rvalue) -> Option<()> {
        let whole = |place: &Place| place.as_local().and_then(|local| state.lent.get(&local).copied());
        let lent = match rvalue {
            Rvalue::Ref(BorrowKind::Mut, of) | Rvalue::RawPtr { place: of, .. } => self.lends(state, of),
            Rvalue::Use(Operand::Move(of) | Operand::Copy(of)) => whole(of),
            _ if rvalue.places().into_iter().any(|place| whole(place).is_some()) => return None,
            _ => None,
        };
        if let Some(part) = lent {
            state.lent.insert(to.as_local()?, part);
            return Some(());
        }
        match self.of.part(to) {
            Some([]) => self.make(block, state, rvalue),
            Some([Projection::Field(field, _)]) => {
                state.fields.insert(*field, value(block, rvalue));
            }
            Some([Projection::Field(field, _), ..]) => state.open(Some(*field)),
            Some(_) => state.open(None),
            None => {
                let through = state.lent.get(&to.local).copied().filter(|_| !to.projection.is_empty());
                match (through, &to.projection[..]) {
                    (Some(None), [Projection::Deref, Projection::Field(field, _), ..]) => {
                        state.open(Some(*field));
                    }
                    (Some(part), _) => state.open(part),
                    (None, _) => _ = state.lent.remove(&to.local),
                }
            }
        }
        Some(())
    }

    /// What is lent with a place, if that is in the value.
    fn lends(&self, state: &State, of: &Place) -> Option<Option<u32>> {
        if let Some(rest) = self.of.part(of) {
            // What is behind a pointer in it is no part of it.
            return (!rest.contains(&Projection::Deref)).then(|| field(rest));
        }
        let part = state.lent.get(&of.local)?;
        let rest = of.projection.strip_prefix(&[Projection::Deref][..])?;
        (!rest.contains(&Projection::Deref)).then(|| part.or_else(|| field(rest)))
    }

    /// It is made anew.
    fn make(&self, block: &BasicBlock, state: &mut State, rvalue: &Rvalue) {
        state.open(None);
        if let Rvalue::Aggregate(kind, operands) = rvalue
            && matches!(&**kind, AggregateKind::Adt { .. })
        {
            let parts = operands.iter().map(|operand| value(block, &Rvalue::Use(operand.clone())));
            state.fields = (0..).zip(parts).collect();
        }
    }

    fn call(&self, state: &mut State, call: &CallTarget) -> Option<()> {
        let lent: Vec<(usize, Option<u32>)> = call
            .args
            .iter()
            .enumerate()
            .filter_map(|(at, arg)| Some((at, *state.lent.get(&arg.place()?.as_local()?)?)))
            .collect();
        for (at, part) in lent {
            self.change(state, call, at, part)?;
        }
        let gone =
            |arg: &Operand| matches!(arg, Operand::Move(place) if self.of.part(place) == Some(&[][..]));
        if call.args.iter().any(gone) || self.of.part(&call.dest) == Some(&[][..]) {
            state.open(None);
        }
        match self.of.part(&call.dest) {
            Some([Projection::Field(field, _), ..]) => state.open(Some(*field)),
            _ => _ = state.lent.remove(&call.dest.local),
        }
        Some(())
    }

    /// What a call does that may change the value, or this field of it, through its argument of this number.
    fn change(&self, state: &mut State, call: &CallTarget, number: usize, part: Option<u32>) -> Option<()> {
        // Who returns a reference may have changes made through that.
        let dest = self.flow.place_ty(self.inst, &call.dest)?;
        let path = substitute_path(callee(call)?, &self.flow.subst_of(self.inst));
        let model = self.flow.models.function(&model_key(self.flow.models, &path, &path.plain()));
        if number == 0 && part.is_some() && model.is_some_and(|model| model.value == Some(Value::Take)) {
            state.fields.insert(part?, Known::Empty);
            return Some(());
        }
        if !matches!(&*dest, TyKind::Prim(_) | TyKind::Never) && !dest.is_unit() {
            return None;
        }
        let bodies = self.flow.code.resolve(&path, self.flow.home_of(self.inst));
        let (&[body], true) = (&bodies[..], part.is_none() && self.depth < MAX_CALLS) else {
            state.open(part);
            return Some(());
        };
        let of = Of { local: Local(number as u32 + 1), deref: true };
        let body = self.flow.code.body(body);
        let walk = Walk { body, of, depth: self.depth + 1, ..*self };
        let left = walk.state_at(|_, block| matches!(block.terminator.kind, TerminatorKind::Return))?;
        if left.others != Known::Kept {
            state.open(None);
        }
        let changed = left.fields.into_iter().filter(|(_, known)| *known != Known::Kept);
        state.fields.extend(changed);
        Some(())
    }
}

/// What a field is left with that is given this in a block.
fn value(block: &BasicBlock, rvalue: &Rvalue) -> Known {
    match rvalue {
        Rvalue::Use(operand @ Operand::Const(_)) => operand.truth().map_or(Known::Open, Known::Bool),
        Rvalue::Aggregate(kind, operands) => {
            let empty = operands.is_empty()
                && matches!(&**kind, AggregateKind::Adt { path, .. } if path.last() == "None");
            if empty { Known::Empty } else { Known::Open }
        }
        Rvalue::Use(Operand::Move(place)) => {
            let made = block.statements.iter().rev().find_map(|statement| match &statement.kind {
                StatementKind::Assign(to, rvalue) if to.local == place.local => Some(rvalue),
                _ => None,
            });
            match made {
                Some(made @ Rvalue::Aggregate(..)) => value(block, made),
                _ => Known::Open,
            }
        }
        _ => Known::Open,
    }
}

/// Whether the local that is dropped at the end of a block is a future that was awaited by then: it has ended, and has dropped what it had.
pub(crate) fn has_ended(models: &Models, body: &Body, block: u32) -> bool {
    let Some(future) = dropped(body, block).filter(|_| matches!(body.kind, BodyKind::Coroutine { .. }))
    else {
        return false;
    };
    let mut polls =
        body.blocks.iter().enumerate().filter(|(_, data)| polled(models, body, data) == Some(future));
    polls.any(|(_, poll)| {
        let TerminatorKind::Call(call) = &poll.terminator.kind else { return false };
        let Some(target) = call.target.map(|target| target.0 as usize) else { return false };
        let asked = &body.blocks[target];
        let ready = match &asked.terminator.kind {
            TerminatorKind::SwitchInt { targets, .. } => targets.iter().find(|(value, _)| *value == 0),
            _ => None,
        };
        let Some((_, ready)) = ready else { return false };
        // Only who found it ready comes there.
        let mut succs: Vec<Vec<usize>> =
            body.blocks.iter().map(|data| data.terminator.kind.resumed_successors()).collect();
        succs[target].retain(|to| *to != ready.0 as usize);
        !reach(&succs, [0]).contains(&(block as usize))
    })
}

/// The local that the call at the end of a block polls, where an `.await` does: it is pinned where it is.
fn polled(models: &Models, body: &Body, block: &BasicBlock) -> Option<Local> {
    let TerminatorKind::Call(call) = &block.terminator.kind else { return None };
    let first = |call: &CallTarget| call.args.first().and_then(Operand::place).and_then(Place::as_local);
    let pinned = first(call).filter(|_| callee(call).is_some_and(|path| is_poll(models, &path.plain())))?;
    let mut lent = body.blocks.iter().find_map(|block| match &block.terminator.kind {
        TerminatorKind::Call(pins) if pins.dest.as_local() == Some(pinned) => first(pins),
        _ => None,
    })?;
    // A reference to what a reference leads to is made in front of the call.
    for _ in 0..2 {
        let mut statements = body.blocks.iter().flat_map(|block| &block.statements);
        let of = statements.find_map(|statement| match &statement.kind {
            StatementKind::Assign(to, Rvalue::Ref(BorrowKind::Mut, of)) if to.as_local() == Some(lent) => {
                Some(of)
            }
            _ => None,
        })?;
        match &of.projection[..] {
            [] => return Some(of.local),
            [Projection::Deref] => lent = of.local,
            _ => return None,
        }
    }
    None
}

/// The function that a call names.
fn callee(call: &CallTarget) -> Option<&Path> {
    match &call.callee {
        Callee::Fn { path, .. } => Some(path),
        _ => None,
    }
}
