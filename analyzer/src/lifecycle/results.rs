//! What becomes of the result of a join: a value is followed through its function by moves and types, until something looks at
//! the task's own result or the value is gone.

use std::collections::BTreeSet;

use robust_models::{OnDrop, Outcome, Value};

use crate::mir::{
    AggregateKind, Local, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind, Ty, TyKind,
};
use crate::world::points::points_to::InstId;
use crate::world::points::types::any_part;

use super::body::{call_at, fate, result_parts};
use super::sites::Sites;

/// A join in the text.
pub(crate) struct Joined {
    pub inst: InstId,
    pub block: u32,
    /// What the task ends with.
    pub output: Ty,
    /// The tasks that it may be of.
    pub sites: BTreeSet<usize>,
    /// It waits for a set of tasks.
    pub of_set: bool,
    /// Somebody looks at the output, or it gets to where it is not followed.
    pub read: bool,
    /// Somebody looks at whether the task panicked or was cancelled.
    pub outer_read: bool,
    /// Where it panics unless the task ended by itself.
    pub asserted: Option<u32>,
    /// All that holds the output on the way.
    pub carriers: BTreeSet<Local>,
}

/// Follows the result of a join.
pub(crate) fn joined(sites: &Sites<'_, '_>, inst: InstId, block: u32, site: usize) -> Option<Joined> {
    let body = sites.flow.body_of(inst);
    let call = call_at(body, block as usize)?;
    let info = sites.flow.calls.get(&(inst, block))?;
    let model = sites.flow.model_of(info);
    let number = model.and_then(|model| model.join).unwrap_or(0);
    let polled = info.polled.clone().filter(|_| info.poll.is_some());
    let waited = match &polled {
        Some(ty) => sites.keeper(ty),
        None => None,
    };
    let arg = || sites.keeper(sites.flow.place_ty(inst, call.args.get(number)?.place()?)?.peel_refs());
    let own = || Some((sites.list[site].on_drop?, sites.list[site].output.clone()));
    let (on_drop, output) = waited.or_else(arg).or_else(own)?;
    let mut joined = Joined {
        inst,
        block,
        output: output.or_else(|| sites.list[site].output.clone())?,
        sites: BTreeSet::from([site]),
        of_set: on_drop == OnDrop::Abort && sites.list[site].in_set,
        read: false,
        outer_read: false,
        asserted: None,
        carriers: BTreeSet::new(),
    };
    if fate(sites.flow, inst, block as usize).is_some_and(|fate| fate.outcome == Some(Outcome::Asserts)) {
        joined.asserted = Some(block);
    }
    let Some(dest) = call.dest.as_local() else {
        joined.read = true;
        return Some(joined);
    };
    // A future that joins when it is polled: its result comes from there.
    if !joined.holds(&*sites.flow.place_ty(inst, &call.dest)?) {
        joined.read = true;
        return Some(joined);
    }
    joined.carriers.insert(dest);
    loop {
        let before = joined.carriers.len();
        joined.pass(sites);
        if joined.carriers.len() == before {
            break;
        }
    }
    Some(joined)
}

impl Joined {
    fn holds(&self, ty: &TyKind) -> bool {
        any_part(ty, &mut |part| *part == *self.output)
    }

    /// Whether a place lies within the output, or is it.
    fn is_inside(&self, sites: &Sites<'_, '_>, place: &Place) -> bool {
        (0..=place.projection.len()).any(|count| {
            let upper = Place { local: place.local, projection: place.projection[..count].to_vec() };
            let ends = !matches!(upper.projection.last(), Some(Projection::Downcast(_)));
            ends && sites.flow.place_ty(self.inst, &upper).is_some_and(|ty| *ty.peel_refs() == *self.output)
        })
    }

    fn carries(&self, place: &Place) -> bool {
        self.carriers.contains(&place.local)
    }

    fn pass(&mut self, sites: &Sites<'_, '_>) {
        let body = sites.flow.body_of(self.inst);
        let cfg = &sites.facts.cfgs[self.inst.0 as usize];
        for &index in &cfg.reached {
            let block = &body.blocks[index];
            for statement in &block.statements {
                if let StatementKind::Assign(to, rvalue) = &statement.kind {
                    self.assign(sites, to, rvalue);
                }
            }
            if let TerminatorKind::Call(call) = &block.terminator.kind {
                for (number, place) in super::body::arg_places(call) {
                    if self.carries(place) {
                        self.call(sites, index as u32, number, place);
                    }
                }
            }
        }
        self.read |= self.carriers.contains(&Local::RETURN);
    }

    fn assign(&mut self, sites: &Sites<'_, '_>, to: &Place, rvalue: &Rvalue) {
        match rvalue {
            Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) | Rvalue::Wrap(operand, _) => {
                if let Some(place) = operand.place().filter(|place| self.carries(place)) {
                    self.moved(sites, to, place);
                }
            }
            Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place) if self.carries(place) => {
                self.moved(sites, to, place);
            }
            Rvalue::Discriminant(place) if self.carries(place) => {
                if self.is_inside(sites, place) {
                    self.read = true;
                } else {
                    self.outer_read = true;
                }
            }
            Rvalue::Aggregate(kind, operands) => {
                let held = operands.iter().filter_map(Operand::place).any(|place| self.carries(place));
                if !held {
                    return;
                }
                let is_std = match &**kind {
                    AggregateKind::Tuple | AggregateKind::Array => true,
                    AggregateKind::Adt { path, .. } => {
                        path.segments.len() > 1 && !sites.flow.code.is_local(path)
                    }
                    _ => false,
                };
                match to.as_local().filter(|_| is_std) {
                    Some(local) => _ = self.carriers.insert(local),
                    None => self.read = true,
                }
            }
            _ => {}
        }
    }

    /// A part of what is carried goes elsewhere.
    fn moved(&mut self, sites: &Sites<'_, '_>, to: &Place, from: &Place) {
        let Some(ty) = sites.flow.place_ty(self.inst, from) else {
            self.read = true;
            return;
        };
        if self.is_inside(sites, from) && *ty.peel_refs() != *self.output {
            self.read = true;
        } else if self.holds(&ty) {
            match to.as_local() {
                Some(local) => _ = self.carriers.insert(local),
                None => self.read = true,
            }
        }
    }

    /// What a call does with what is carried.
    fn call(&mut self, sites: &Sites<'_, '_>, block: u32, number: usize, place: &Place) {
        let Some(call) = call_at(sites.flow.body_of(self.inst), block as usize) else { return };
        let Some(ty) = sites.flow.place_ty(self.inst, place) else { return };
        let outcome = fate(sites.flow, self.inst, block as usize).and_then(|fate| fate.outcome);
        if !self.holds(&ty) {
            // The error of the join itself, or something beside.
            self.read |= self.is_inside(sites, place);
            return;
        }
        let info = sites.flow.calls.get(&(self.inst, block));
        let model = info.and_then(|info| sites.flow.model_of(info));
        if model.is_some_and(|model| model.drops == Some(number)) {
            return;
        }
        let to = sites.flow.place_ty(self.inst, &call.dest);
        let goes_on = to.as_ref().is_some_and(|to| self.holds(to));
        if *ty.peel_refs() == *self.output {
            let unused = || call.dest.as_local().is_some_and(|local| !is_used(sites, self.inst, local));
            self.read |= goes_on || !(outcome == Some(Outcome::Discards) && unused());
            return;
        }
        let asserts = outcome == Some(Outcome::Asserts)
            || model.is_some_and(|model| model.value == Some(Value::Asserts));
        let outer = result_parts(&ty).is_some_and(|(good, _)| *good == self.output);
        if asserts && outer {
            self.asserted = Some(block);
        }
        match (goes_on, call.dest.as_local()) {
            (true, Some(local)) if info.is_none_or(|info| info.foreign.is_some()) => {
                self.carriers.insert(local);
            }
            (false, _) if outcome == Some(Outcome::Discards) => self.outer_read = true,
            _ => self.read = true,
        }
    }
}

/// Whether a local is used other than by being dropped.
fn is_used(sites: &Sites<'_, '_>, inst: InstId, local: Local) -> bool {
    if local == Local::RETURN {
        return true;
    }
    let body = sites.flow.body_of(inst);
    let uses = |operand: &Operand| operand.place().is_some_and(|place| place.local == local);
    body.blocks.iter().filter(|block| !block.cleanup).any(|block| {
        let in_statements = block.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Assign(_, rvalue) => match rvalue {
                Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) => uses(operand),
                Rvalue::Ref(_, place) | Rvalue::Discriminant(place) | Rvalue::CopyForDeref(place) => {
                    place.local == local
                }
                Rvalue::Aggregate(_, operands) => operands.iter().any(uses),
                _ => false,
            },
            _ => false,
        });
        in_statements
            || matches!(&block.terminator.kind, TerminatorKind::Call(call) if call.args.iter().any(uses))
            || matches!(&block.terminator.kind, TerminatorKind::SwitchInt { on, .. } if uses(on))
    })
}
