//! Truth values that are set to constants only, drop flags above all: they are followed, so that who asks later goes on as the way before
//! says.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::Value;

use crate::mir::{
    AggregateKind, Body, Local, Place, Prim, Projection, Rvalue, StatementKind, TerminatorKind, TyKind,
};
use crate::world::points::aggregates::only_definition;
use crate::world::points::points_to::{Flow, InstId};

/// The truth values of a body that are followed.
#[derive(Debug, Default)]
pub(crate) struct Flags {
    locals: BTreeSet<Local>,
    /// By tuple that is made on several ways, with such values in it: the locals that its fields are moved to. They are what they are as
    /// soon as it is made.
    tuples: BTreeMap<Local, Vec<(u32, Local)>>,
}

impl Flags {
    /// Those of a body that somebody goes by.
    pub fn find(body: &Body) -> Self {
        let definitions = Definitions::of(body);
        let mut found = Flags::default();
        for local in definitions.asked(body) {
            let Some(made) = definitions.made(local) else { continue };
            if made.iter().all(|rvalue| constant(rvalue).is_some()) {
                found.locals.insert(local);
            } else if let [Rvalue::Use(operand)] = made
                && let Some((tuple, number)) = operand.place().and_then(field)
                && definitions
                    .made(tuple)
                    .is_some_and(|made| made.iter().all(|one| part(one, number).is_some()))
            {
                found.tuples.entry(tuple).or_default().push((number, local));
            }
        }
        found
    }

    /// The flags that an assignment sets, and to what; whether it does nothing else.
    pub fn set_by(&self, place: &Place, rvalue: &Rvalue) -> (Vec<(Local, bool)>, bool) {
        let Some(local) = place.as_local() else { return (Vec::new(), false) };
        if self.locals.contains(&local) {
            return (constant(rvalue).map(|value| (local, value)).into_iter().collect(), true);
        }
        let parts = self.tuples.get(&local).into_iter().flatten();
        let set = parts.filter_map(|(number, local)| Some((*local, part(rvalue, *number)?)));
        (set.collect(), false)
    }

    /// The flag that says whether there is something in a local that a call makes of it: `flag.then(..)`.
    pub fn tells_of(&self, flow: &Flow<'_>, inst: InstId, local: Local) -> Option<Local> {
        let body = flow.body_of(inst);
        // Most of what is dropped is no option: that is asked first, for every drop of every instance comes by here.
        let ty = body.locals.get(local.0 as usize)?.ty.as_path()?;
        if ty.last() != "Option" {
            return None;
        }
        let blocks = body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup);
        let mut makes = blocks.filter_map(|(index, block)| match &block.terminator.kind {
            TerminatorKind::Call(call) if call.dest.local == local => Some((index, call)),
            _ => None,
        });
        let ((index, call), None) = (makes.next()?, makes.next()) else { return None };
        let same = flow.model_at(inst, index)?.value == Some(Value::Same);
        let mut flag = call.args.first().filter(|_| same)?.place()?.as_local()?;
        for _ in 0..body.locals.len() {
            let is_part = || self.tuples.values().flatten().any(|(_, part)| *part == flag);
            if self.locals.contains(&flag) || is_part() {
                return Some(flag);
            }
            let (to, Rvalue::Use(of)) = only_definition(body, flag)? else { return None };
            flag = of.place().filter(|_| to.projection.is_empty())?.as_local()?;
        }
        None
    }
}

/// Where the locals of a body get their values, as far as plain assignments to the whole of them say all.
struct Definitions<'b> {
    made: BTreeMap<Local, Vec<&'b Rvalue>>,
    /// Locals that are set in another way: in part, by a call, through a reference.
    otherwise: BTreeSet<Local>,
}

impl<'b> Definitions<'b> {
    fn of(body: &'b Body) -> Self {
        let mut found = Definitions { made: BTreeMap::new(), otherwise: BTreeSet::new() };
        for block in &body.blocks {
            for statement in &block.statements {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                match place.as_local() {
                    Some(local) => found.made.entry(local).or_default().push(rvalue),
                    None => _ = found.otherwise.insert(place.local),
                }
                if let Rvalue::Ref(_, of) | Rvalue::RawPtr { place: of, .. } = rvalue {
                    found.otherwise.insert(of.local);
                }
            }
            if let TerminatorKind::Call(call) = &block.terminator.kind {
                found.otherwise.insert(call.dest.local);
            }
        }
        found
    }

    fn made(&self, local: Local) -> Option<&[&'b Rvalue]> {
        self.made.get(&local).filter(|_| !self.otherwise.contains(&local)).map(Vec::as_slice)
    }

    /// The locals that a branch goes by, or a function that is given a truth value (`bool::then`), be they copied or turned round before that.
    fn asked(&self, body: &Body) -> BTreeSet<Local> {
        let asks = |terminator: &TerminatorKind| match terminator {
            TerminatorKind::SwitchInt { on, .. } => on.place()?.as_local(),
            TerminatorKind::Call(call) => {
                let first = call.args.first()?.place()?.as_local()?;
                let ty = &body.locals.get(first.0 as usize)?.ty;
                matches!(&**ty, TyKind::Prim(Prim::Bool)).then_some(first)
            }
            _ => None,
        };
        let mut work: Vec<Local> =
            body.blocks.iter().filter_map(|block| asks(&block.terminator.kind)).collect();
        let mut found = BTreeSet::new();
        while let Some(local) = work.pop() {
            if !found.insert(local) {
                continue;
            }
            if let Some([Rvalue::Use(operand) | Rvalue::Unary(_, operand)]) = self.made(local) {
                work.extend(operand.place().and_then(Place::as_local));
            }
        }
        found
    }
}

fn constant(rvalue: &Rvalue) -> Option<bool> {
    match rvalue {
        Rvalue::Use(operand) => operand.truth(),
        _ => None,
    }
}

/// The field of a local that a place is.
fn field(place: &Place) -> Option<(Local, u32)> {
    match place.projection[..] {
        [Projection::Field(number, _)] => Some((place.local, number)),
        _ => None,
    }
}

/// The truth value that is put into a field of a tuple as it is made.
fn part(rvalue: &Rvalue, number: u32) -> Option<bool> {
    match rvalue {
        Rvalue::Aggregate(kind, operands) if matches!(**kind, AggregateKind::Tuple) => {
            operands.get(number as usize)?.truth()
        }
        _ => None,
    }
}
