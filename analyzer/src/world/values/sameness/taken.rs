//! Values that an event has taken out of a collection into which each value comes once: who takes another one out has another one.

use std::collections::BTreeSet;

use crate::ir::Change;
use crate::mir::{Operand, TerminatorKind, Ty};
use crate::world::actions::effects::{Action, Touch};
use crate::world::points::points_to::InstId;
use crate::world::points::types::{any_part, parts};
use crate::world::values::fresh::Fresh;
use crate::world::values::owned::Places;

/// The part of an option that is there.
const FOUND: u32 = 0;

impl Fresh<'_, '_, '_> {
    /// Where an operand, or what is in it, was taken out of a collection, if nobody else can have taken out the same. Others may know it.
    pub fn taken(&self, inst: InstId, operand: &Operand) -> Option<Places> {
        self.follow(inst, operand, true)
    }

    /// The variables that are taken out of in these places, if it is one collection.
    pub fn collection(&self, places: &Places) -> Option<BTreeSet<usize>> {
        let taken = |(inst, block): &(InstId, usize)| {
            let mut vars = self.search.steps_of(*inst, *block).filter(|vars| !vars.is_empty());
            vars.next().cloned()
        };
        let mut all = places.iter().map(taken);
        let one = all.next()??;
        all.all(|other| other.as_ref() == Some(&one)).then_some(one)
    }

    /// Whether the call that ends a block takes something out of a collection that is made anew, in this part, by whoever puts something in, and is
    /// put in once.
    pub(in crate::world::values) fn takes_another(&self, inst: InstId, block: usize, way: &[u32]) -> bool {
        let search = self.search;
        let at = search.flow.body_of(inst).blocks[block].statements.len();
        let [FOUND, part @ ..] = way else { return false };
        let Some(vars) = search.steps_of(inst, block).find(|vars| !vars.is_empty()) else { return false };
        search.change(inst, block, at) == Some(Change::Take) && self.each_comes_once(vars, part)
    }

    /// Whether all that is ever put into a collection has another value in this part.
    fn each_comes_once(&self, vars: &BTreeSet<usize>, part: &[u32]) -> bool {
        let search = self.search;
        let mut made = Places::new();
        search.ids.keys().filter(|at| !search.vars(**at).is_disjoint(vars)).all(|&at| {
            let (inst, block, number) = at;
            let step = &search.facts.effects[inst.0 as usize][block][number];
            if matches!(step.action, Action::Access { touch: Touch::Read, .. }) {
                return true;
            }
            match search.change(inst, block, step.at) {
                Some(Change::Take | Change::Remove | Change::Clear) => true,
                Some(Change::Put) => self.put_once(inst, block, part).is_some_and(|places| {
                    let is_new = made.is_disjoint(&places);
                    made.extend(places);
                    is_new
                }),
                Some(Change::Set) | None => self.puts_nothing(inst, block, step.at),
            }
        })
    }

    /// Whether a statement calls something of a collection that is given nothing that could be put in.
    fn puts_nothing(&self, inst: InstId, block: usize, at: usize) -> bool {
        let flow = self.search.flow;
        let data = &flow.body_of(inst).blocks[block];
        let TerminatorKind::Call(call) = &data.terminator.kind else { return false };
        let ty = |arg: &Operand| arg.place().and_then(|place| flow.place_ty(inst, place));
        let Some(of) = call.args.first().and_then(ty).filter(|_| at == data.statements.len()) else {
            return false;
        };
        let elements = parts(of.peel_refs());
        let may_hold = |arg: &Operand| {
            let holds = |ty: Ty| any_part(&ty, &mut |part| elements.iter().any(|of| ***of == *part));
            ty(arg).map_or(!matches!(arg, Operand::Const(_)), holds)
        };
        !elements.is_empty() && !call.args.iter().skip(1).any(may_hold)
    }

    /// Where that part of what a call puts in is made anew, if it is, for each time that it is put in.
    fn put_once(&self, inst: InstId, block: usize, part: &[u32]) -> Option<Places> {
        let body = self.search.flow.body_of(inst);
        let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return None };
        let [_, put] = &call.args[..] else { return None };
        let places = self.part(inst, put, part)?;
        let around = self.search.cfg(inst).loop_of(block);
        let each_time = |(maker, at): &(InstId, usize)| match around {
            None => true,
            Some(_) => *maker == inst && self.search.cfg(inst).loop_of(*at) == around,
        };
        places.iter().all(each_time).then_some(places)
    }
}
